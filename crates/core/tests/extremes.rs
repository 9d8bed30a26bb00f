//! Numbers at the ends of 64 bits, empty and deep shapes: the right answer or an error, never a panic or a wrapped number.

use bitstride::calc::{Value, evaluate, operations};
use bitstride::{Class, Layout};

const ODD: &[&str] = &[
    "():()",
    "0:1",
    "1:0",
    "1:9223372036854775807",
    "4:-9223372036854775808",
    "9223372036854775807:1",
    "9223372036854775807:0",
    "(9223372036854775807,2):(1,1)",
    "(2,9223372036854775807):(9223372036854775807,-1)",
    "(3037000500,3037000500):(1,3037000500)",
    "(4294967296,2147483647):(1,4294967296)",
    "(1099511627776,4):(4,1)",
    "((0,4),2):((1,2),8)",
    "(4,1,(1,1)):(0,7,(0,3))",
    "(2,3):(1@0,1@1)",
    "(4,8):(1@0+1@1,-9223372036854775808@1)",
    "(5?,2):(1,5?)",
    "(M{div=9223372036854775807},?):(?,M{div=9223372036854775807})",
    "Sw<3,4,3> o (8,64):(64,1)",
    "Sw<20,0,-40>",
    "<4, _, 9223372036854775807>",
    "9223372036854775807",
    "-9223372036854775808",
    "0",
    "(9223372036854775807,-9223372036854775808,0)",
    "(_,1)",
];

#[test]
fn every_operation_survives_odd_operands() {
    let mut answered = 0;
    for operation in operations() {
        let most = operation.arity.1.min(3);
        for (at, first) in ODD.iter().enumerate() {
            let mut texts = Vec::new();
            if operation.arity.0 <= 1 {
                texts.push(format!("{}({first})", operation.name));
            }
            for (by, second) in ODD.iter().enumerate() {
                if operation.arity.0 <= 2 && most >= 2 {
                    texts.push(format!("{}({first}, {second})", operation.name));
                }
                if most >= 3 {
                    // One third operand for each pair keeps the count within reason.
                    let third = ODD.get((7 * at + 3 * by) % ODD.len()).copied().unwrap_or("1");
                    texts.push(format!("{}({first}, {second}, {third})", operation.name));
                }
            }
            answered += texts.iter().filter(|text| survives(text)).count();
        }
    }
    assert!(answered > 1000, "only {answered} of the odd questions were answered");
}

/// Whether the text was answered; an answer that has a literal reads back as itself.
fn survives(text: &str) -> bool {
    match evaluate(text) {
        Ok(answer) => {
            if !matches!(answer.value, Value::Bool(_) | Value::Text(_)) {
                let printed = answer.value.to_string();
                let again = evaluate(&printed).map(|answer| answer.value.to_string());
                assert_eq!(again.as_deref().ok(), Some(printed.as_str()), "{text}");
            }
            true
        }
        Err(error) => {
            assert!(!error.message().is_empty(), "{text}");
            false
        }
    }
}

#[test]
fn numbers_that_leave_64_bits_are_refused() {
    for text in [
        "size((9223372036854775807,2))",
        "cosize((9223372036854775807,2):(1,1))",
        "column_major((4294967296,4294967296,2))",
        "crd2idx(9223372036854775807, 4:9223372036854775807)",
        "composition(2:9223372036854775807, 2:2)",
        "downcast(9223372036854775807:1, 2)",
        "4*9223372036854775807",
    ] {
        let error = evaluate(text).map(|answer| answer.value.to_string()).expect_err(text);
        assert_eq!((error.code().as_str(), error.code().class()), ("overflow", Class::Unreadable), "{text}");
    }
}

#[test]
fn large_layouts_compose_exactly() {
    // Against 128-bit arithmetic at the ends of the domain.
    let n = 1_i64 << 31;
    let a: Layout = format!("({n},{n}):({n},1)").parse().expect("A");
    let b: Layout = format!("({n},{n}):({n},1)").parse().expect("B");
    let r = bitstride::cute::composition(&a, &b).expect("composes");
    for index in [0, 1, n - 1, n, n + 1, n * n - 1] {
        let (column, row) = (i128::from(index % n), i128::from(index / n));
        let inner = column * i128::from(n) + row;
        let wanted = inner % i128::from(n) * i128::from(n) + inner / i128::from(n);
        let offset = r.offset(&index.into()).expect("fits").to_string();
        assert_eq!(offset, wanted.to_string(), "at {index}");
    }
}

#[test]
fn deep_nesting_is_read_or_refused() {
    for depth in [1, 60, 126, 200, 10_000] {
        let nested = |leaf: &str| format!("{}{leaf}{}", "(".repeat(depth), ")".repeat(depth));
        let text = format!("{}:{}", nested("4"), nested("2"));
        match evaluate(&text) {
            Ok(answer) => assert_eq!(answer.value.to_string(), text),
            Err(error) => assert!(depth > 126 && error.code().as_str() == "too-deep", "{depth}: {error}"),
        }
    }
}
