//! The names of instructions: those that a GPU has are known, and their neighbours in each number are refused.

use bitstride::cute::{CopyAtom, MmaAtom};

/// The numbers up to a bound for which a name is known.
fn known(end: i64, is_known: impl Fn(i64) -> bool) -> Vec<i64> {
    (0..=end).filter(|number| is_known(*number)).collect()
}

fn mma(name: &str) -> bool {
    MmaAtom::named(name).is_ok()
}

#[test]
fn a_warp_takes_one_or_two_rows_of_k() {
    for (types, of_k) in [
        ("F32F16F16F32", vec![8, 16]),
        ("F32TF32TF32F32", vec![4, 8]),
        ("S32S8U8S32", vec![16, 32]),
        ("S32U4S4S32", vec![32, 64]),
        ("S32U1U1S32", vec![128, 256]),
        ("F64F64F64F64", vec![4, 8, 16]),
    ] {
        assert_eq!(known(512, |k| mma(&format!("SM80_16x8x{k}_{types}_TN"))), of_k, "{types}");
    }
    assert!(!mma("SM12345_16x8x16_F32F16F16F32_TN"));
    assert!(!mma("SM80_16x8x16_F32F16S8F32_TN"));
}

#[test]
fn a_warp_group_takes_32_bytes_of_k() {
    assert_eq!(known(128, |k| mma(&format!("SM90_64x64x{k}_F32F16F16_SS"))), [16]);
    assert_eq!(known(128, |k| mma(&format!("SM90::GMMA::SPARSE::GMMA_64x64x{k}_F32F16F16_SS"))), [32]);
    assert_eq!(known(128, |k| mma(&format!("SM90_64x64x{k}_F32E4M3E5M2_SS_TN"))), [32]);
    assert!(!mma("SM90_64x64x16_F32F16E4M3_SS") && !mma("SM80_64x64x16_F32F16F16_SS"));
    let of_n: Vec<i64> = (1..=32).map(|n| 8 * n).collect();
    assert_eq!(known(512, |n| mma(&format!("SM90_64x{n}x16_F32F16F16_SS"))), of_n);
}

#[test]
fn tensor_memory_has_64_or_128_rows_an_sm() {
    let named =
        |sms: &str, m: i64, n: i64| mma(&format!("SM100_MMA_TF32{sms}_SS<tfloat32_t,tfloat32_t,float,{m},{n}>"));
    assert_eq!(known(512, |m| named("", m, 64)), [64, 128]);
    assert_eq!(known(512, |m| named("_2x1SM", m, 64)), [128, 256]);
    assert_eq!(known(512, |n| named("", 128, n)), (1..=32).map(|n| 8 * n).collect::<Vec<_>>());
    assert_eq!(known(512, |n| named("_2x1SM", 128, n)), (1..=16).map(|n| 16 * n).collect::<Vec<_>>());
}

#[test]
fn copies_have_the_sizes_of_their_instruction() {
    let copy = |name: String| CopyAtom::named(&name).is_ok();
    assert_eq!(known(512, |bits| copy(format!("SM80_CP_ASYNC_CACHEALWAYS<uint{bits}_t>"))), [32, 64, 128]);
    assert_eq!(known(512, |bits| copy(format!("SM80_CP_ASYNC_CACHEGLOBAL<uint{bits}_t>"))), [128]);
    for (paths, most) in [("32dp32b", 128), ("16dp32b", 128), ("16dp64b", 128), ("16dp128b", 64), ("16dp256b", 32)] {
        let counts = known(512, |count| copy(format!("SM100_TMEM_LOAD_{paths}{count}x")));
        assert_eq!(counts.last(), Some(&most), "{paths}");
    }
}
