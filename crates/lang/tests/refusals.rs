//! Texts that read as another one than was meant: refused, with the text that has an answer.

use bitstride_lang::evaluate;

#[test]
fn arguments_in_the_other_order_are_refused_with_the_call_that_has_an_answer() {
    for (text, call) in [
        ("crd2idx((4,8):(8,1), (1,1))", Some("crd2idx((1,1), (4,8):(8,1))")),
        ("crd2idx((4,8):(8,1), 5)", Some("crd2idx(5, (4,8):(8,1))")),
        ("idx2crd((4,8), 5)", Some("idx2crd(5, (4,8))")),
        // The other order has no answer either, or both arguments are of one kind.
        ("idx2crd((4,8), (1,2,3))", None),
        ("composition((4,8):(8,1), Sw<1,0,1> o 4:1)", None),
    ] {
        let help = match evaluate(text) {
            Ok(answer) => format!("{}", answer.value),
            Err(error) => error.help().unwrap_or_default().to_owned(),
        };
        let expected = call.map(|call| format!("the other way round it has an answer: `{call}`"));
        match expected {
            Some(expected) => assert_eq!(help, expected, "{text}"),
            None => assert!(!help.contains("the other way round"), "{text}: {help}"),
        }
    }
}

#[test]
fn a_division_is_no_comment() {
    for (text, value) in [
        ("8//2", "4"),
        ("8 // 2", "4"),
        ("-7 // 2", "-4"),
        ("M//4", "div(M,4)"),
        ("2*M // N", "div(2*M,N)"),
        ("size(4:1) // 4", "1"),
        ("size(4:1) // (1+1)", "2"),
        ("torch.zeros(4, 8//2)", "tensor((4,4), (4,1))"),
        ("torch.zeros(4, 8).numel() // 2", "16"),
    ] {
        assert_eq!(evaluate(text).map(|answer| answer.value.to_string()).as_deref(), Ok(value), "{text}");
    }
    for text in [
        "(4,8):(8,1) // row major",
        "(4,8):(8,1) // 32",
        "8 // threads in a row",
        "size(4:1) // threads",
        "make_layout((4,8)) // (4,8):(1,4)",
        "size((4,8)) // (4,8)",
    ] {
        assert!(evaluate(text).is_ok(), "{text}");
    }
}
