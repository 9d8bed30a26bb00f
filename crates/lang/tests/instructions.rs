//! Instructions as values: their text evaluates to them, their parts are layouts, and other systems' layouts name them.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::cute::{AtomFamily, CopyAtom, MmaAtom, atom_families};
use bitstride_lang::{Instruction, Value, evaluate};

fn value(text: &str) -> Value {
    evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}")).value
}

/// The answer, or the code of the error.
fn said(text: &str) -> String {
    evaluate(text).map_or_else(|error| error.code().as_str().to_owned(), |answer| answer.value.to_string())
}

const INSTRUCTIONS: [&str; 10] = [
    "atom(SM80_16x8x16_F32F16F16F32_TN)",
    "atom(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>)",
    "atom(SM100_MMA_TF32_SS, (128,64))",
    "atom(SM75_U32x4_LDSM_N)",
    "atom(UniversalCopy, 128)",
    "copy_atom(SM90_U32x4_STSM_N, 16)",
    "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2):(2,1), <(8,2,2):(1,16,8), _, 32>)",
    "tiled_mma(SM70_8x8x4_F32F16F16F32_NT)",
    "tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8))",
    "make_tiled_copy_B(SM75_U32x4_LDSM_N, 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2), <32,32,16>))",
];

#[test]
fn the_text_of_an_instruction_is_that_instruction() {
    for text in INSTRUCTIONS {
        let first = value(text);
        assert_eq!(value(&first.to_string()), first, "{text}");
        let Value::Instruction(whole) = first else { panic!("{text} is no instruction") };
        for part in whole.parts() {
            assert_eq!(value(&format!("{text}.{part}")), whole.part(part).expect("a part"), "{text}.{part}");
        }
        assert!(whole.part("Q").is_err_and(|error| error.message().contains("has no Q")), "{text}");
        let tiled = matches!(*whole, Instruction::TiledMma(..) | Instruction::TiledCopy(..));
        assert_eq!(whole.kind() == "atom", !tiled, "{text}");
    }
}

/// Whatever the catalogue lists can be typed, in namespaces too, and is the instruction of that name.
#[test]
fn every_name_of_the_catalogue_is_read() {
    for name in atom_families().iter().flat_map(AtomFamily::names) {
        let expected = match CopyAtom::named(&name) {
            Ok(copy) => Instruction::Copy(name.clone(), Box::new(copy), 1).parts(),
            Err(_) => Instruction::Mma(name.clone(), Box::new(MmaAtom::named(&name).expect("an atom"))).parts(),
        };
        let Value::Instruction(whole) = value(&format!("atom({name})")) else { panic!("{name} is no instruction") };
        assert_eq!(whole.parts(), expected, "{name}");
    }
    // Of sparse instructions the namespaces say what they are.
    let part = |name: &str| said(&format!("atom({name}).E"));
    assert_eq!(
        part("cute::SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS"),
        part("GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS")
    );
    assert!(part("SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS").starts_with('('));
}

/// A fragment of Triton's tensor cores, on this number of warps.
fn fragment(shape: &str, warps: &str) -> String {
    format!(
        "tensor<{shape}xf32, #ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [{warps}], \
         instrShape = [16, 8]}}>>"
    )
}

#[test]
fn what_triton_holds_is_compared_as_threads_and_values() {
    let c = "SM80_16x8x16_F32F16F16F32_TN";
    assert_eq!(said(&format!("same(atom({c}, C), {})", fragment("16x8", "1, 1"))), "same");
    assert_eq!(said(&format!("same({}, atom({c}, C))", fragment("16x8", "1, 1"))), "same");
    // Triton numbers warps along the last dim first.
    let warps = fragment("32x16", "2, 2");
    assert_eq!(said(&format!("same(tiled_mma({c}, (2,2):(2,1)).C, {warps})")), "same");
    assert!(said(&format!("same(tiled_mma({c}, (2,2)).C, {warps})")).starts_with("different: "));
    // A layout of another rank is memory, and no memory is compared with threads.
    assert_eq!(said(&format!("same(128:1, {})", fragment("16x8", "1, 1"))), "dim-names-mismatch");
    assert!(
        said(&format!("which_atom({})", fragment("16x8", "1, 1")))
            .contains(&format!("C of {}", "SM75_16x8x8_F32F16F16F32_TN"))
    );
}

#[test]
fn what_is_no_instruction_is_refused() {
    for (text, code) in [
        ("atom(SM80_16x8x17_F32F16F16F32_TN)", "range"),
        ("atom(SM80_16x9x16_F32F16F16F32_TN)", "unknown-name"),
        ("tiled_mma(SM75_U32x4_LDSM_N)", "kind"),
        ("tiled_copy(SM80_16x8x16_F32F16F16F32_TN, 16, (4,8))", "kind"),
        ("tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,2,2))", "rank-mismatch"),
        ("tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2), <<2,2>,_>)", "kind"),
        ("partition_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN), (16,16), 32)", "range"),
        ("partition_S(tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8)), (128,64), -1)", "range"),
        ("which_atom(4:1)", "rank-mismatch"),
        ("smem_atom(K, 48, 16)", "range"),
        ("(4,8):(8,1).A", "unknown-name"),
        ("copy_atom(UniversalCopy<12>, 16)", "not-divisible"),
        ("copy_atom(SM75_U32x4_LDSM_N, 0)", "range"),
        ("copy_atom(copy_atom(SM75_U32x4_LDSM_N, 16), 8)", "parameter"),
        ("atom(SM75_U32x4_LDSM_N).bits", "no-layout"),
        ("atom(atom(UniversalCopy, 128), 64)", "arity"),
        ("atom(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>, 6)", "arity"),
    ] {
        assert_eq!(said(text), code, "{text}");
    }
}
