//! Reasons of refusals as data: the sentence of an error is that of its reason, and what differs between layouts is said in numbers.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::Fact;
use bitstride::map::{Difference, Map};
use bitstride_lang::evaluate;

#[test]
fn refusals_have_their_reason_as_data() {
    let cases = [
        ("(8,64):(64,)", "profile", "shape=(8,64) stride=(64)"),
        ("reshape((4,8):(8,1), (5,5))", "count", "extents=[5,5] asked=25 held=32"),
        ("upcast(4:3, 2)", "indivisible", "operation=upcast layout=4:3 stride=3 factor=2"),
        ("tensor_transpose(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>, (0,0))", "order", "order=[0,0] rank=2"),
        (
            "tensor<4xf32, #ttg.linear<{register = [], lane = [[2]], warp = [], block = []}>>",
            "unreached",
            "rank=1 bits=2",
        ),
        (
            "invert(linear<{lane=[[1],[1]]}, out=[dim0:4]>)",
            "not-one-to-one",
            "what=an invertible layout ins=2 outs=2 rank=1",
        ),
        ("tensor((3,5), (5,1,2))", "lengths", "what=strides given=3 of=axes needed=2"),
        (
            "affine(affine_map<(d0, d1) -> (d0)>, (2,2), (a, b), (2,2))",
            "lengths",
            "what=results given=1 of=axes needed=2",
        ),
        (
            "tensor<4x4xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>",
            "rank",
            "encoding=1 shape=[4,4] rank=2",
        ),
        ("complement((2,2):(1,1), 8)", "overlap", "layout=(2,2):(1,1) stride=1 below=2"),
    ];
    for (text, kind, facts) in cases {
        let error = evaluate(text).err().unwrap_or_else(|| panic!("{text} is answered"));
        let refusal = error.refusal().unwrap_or_else(|| panic!("{text}: {error}"));
        let all: Vec<String> = refusal.facts().iter().map(|(name, fact)| format!("{name}={}", said(fact))).collect();
        assert_eq!((refusal.kind(), all.join(" ").as_str()), (kind, facts), "{text}");
    }
}

fn said(fact: &Fact) -> String {
    match fact {
        Fact::Number(number) => number.to_string(),
        Fact::Text(text) => text.clone(),
        Fact::List(facts) => format!("[{}]", facts.iter().map(said).collect::<Vec<_>>().join(",")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_differs_is_said_in_numbers() -> Result<(), bitstride::Error> {
    let flat = |text: &str| Map::of_layout(&text.parse()?);
    let verdict = flat("(4,8):(8,1)")?.same(&flat("(4,4):(4,1)")?)?;
    assert_eq!(verdict.to_string(), "different: the tensors have dims (dim0:4, dim1:8) and (dim0:4, dim1:4)");
    let Some(Difference::Dims { dims: [one, two] }) = &verdict.difference else { panic!("{verdict:?}") };
    assert_eq!((one.len(), one[1].extent, two[1].extent), (2, 8, 4));

    let linear = |text: &str| {
        let answer = evaluate(text)?;
        Map::of_linear(&answer.value.as_linear()?)
    };
    let once = linear("linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>")?;
    let twice = linear("linear<{register=[[1],[0]], lane=[[2]]}, out=[dim0:4]>")?;
    let verdict = once.same(&twice)?;
    let Some(Difference::Places { extents, copies }) = &verdict.difference else { panic!("{verdict:?}") };
    assert_eq!((extents.len(), extents[0].1, *copies), (1, [2, 4], Some([1, 2])));
    assert_eq!(
        verdict.to_string(),
        "different: the places are register 2 in the first, 4 in the second; an element is held once in the first, 2 times in the second"
    );
    Ok(())
}

/// Of a line of Triton whose result has no name of a type, the reason is not that of an array of XLA.
#[test]
fn types_that_mlir_shortens_are_said_to_be_its_own() {
    let line = "%21 = ttg.async_copy_global_to_local %20, %19 mask %5 : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared1, #smem, mutable>";
    let error = evaluate(line).map(|answer| answer.value.to_string()).expect_err("a shortened type");
    assert!(error.message().contains("MLIR"), "{error}");
    let help = error.help().unwrap_or_default();
    assert!(help.contains("`!ttg.memdesc<64x64xf16, #shared1, #smem, mutable>`"), "{help}");
}
