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
    for (generation, types, of_k) in [
        ("SM80", "F32F16F16F32_TN", vec![8, 16]),
        ("SM80", "F32TF32TF32F32_TN", vec![4, 8]),
        ("SM80", "S32S8U8S32_TN", vec![16, 32]),
        ("SM80", "S32U4S4S32_TN_SATURATE", vec![32, 64]),
        ("SM80", "S32U1U1S32_TN_XORPOPC", vec![128, 256]),
        ("SM90", "F64F64F64F64_TN", vec![4, 8, 16]),
    ] {
        assert_eq!(known(512, |k| mma(&format!("{generation}_16x8x{k}_{types}"))), of_k, "{types}");
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

#[test]
fn every_name_of_the_catalogue_is_known_and_none_that_is_nearly_one() {
    let names: Vec<String> = bitstride::cute::atom_families().iter().flat_map(|family| family.names()).collect();
    assert!(names.len() > 3_000, "{}", names.len());
    let known = |name: &str| mma(name) || CopyAtom::named(name).is_ok();
    for name in &names {
        assert!(known(name), "{name}");
        let (base, arguments) = name.split_once('<').unwrap_or((name, ""));
        let rest = name.strip_prefix(base).unwrap_or_default();
        // A generation, an order or a suffix that no instruction has; a part that is missing.
        let (first, tail) = base.split_once('_').unwrap_or((base, ""));
        let (head, _) = base.rsplit_once('_').unwrap_or(("", ""));
        for wrong in [
            format!("{base}_FOO{rest}"),
            format!("SM42_{tail}{rest}"),
            format!("{base}X{rest}"),
            format!("{first}{rest}"),
        ] {
            assert!(!known(&wrong) || names.contains(&wrong), "{wrong} {arguments}");
        }
        let shorter = format!("{head}{rest}");
        assert!(!known(&shorter) || names.iter().any(|name| name.split('<').next() == Some(head)), "{shorter}");
    }
    for wrong in [
        "SM80_16x8x16_F32F16F16F32_T",
        "SM80_16x8x16_F32F16F16F32_NN",
        "SM75_16x8x16_F32F16F16F32_TN",
        "SM75_U32x4_STSM_N",
    ] {
        assert!(!known(wrong), "{wrong}");
    }
}
