//! The names of instructions: those that a GPU has are known, and their neighbours in each number are refused.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "that is how a test fails")]

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

/// Rows and columns of the elements of a thread by the formulas of the PTX manual, of elements of `bits` bits and `k` of them along K.
fn of_manual(lane: i64, bits: i64, k: i64) -> [Vec<(i64, i64)>; 3] {
    let (group, in_group) = (lane / 4, lane % 4);
    // What a register holds of A are the halves of twice as many columns.
    let columns = 2 * 32 / bits;
    let mut a = Vec::new();
    for register in 0..k / columns / 2 {
        let first = in_group * columns + register / 2 * columns * 4;
        a.extend((first..first + columns).map(|column| (group + register % 2 * 8, column)));
    }
    let each = 32 / bits;
    let b = (0..k / (4 * each))
        .flat_map(|register| (0..each).map(move |at| (group, in_group * each + at + register * 4 * each)));
    let c = (0..4).map(|at| (group + at / 2 * 8, in_group * 2 + at % 2));
    [a, b.collect(), c.collect()]
}

#[test]
fn sparse_products_of_a_warp_hold_what_the_manual_says() {
    for (types, bits, of_k) in [
        ("SM80_SPARSE_16x8x{}_F32F16F16F32_TN", 16, [16, 32].as_slice()),
        ("SM80_SPARSE_16x8x{}_F32TF32TF32F32_TN", 32, &[8, 16]),
        ("SM80_SPARSE_16x8x{}_S32U8S8S32_TN_SATURATE", 8, &[32, 64]),
        ("SM80_SPARSE_16x8x{}_S32S4S4S32_TN", 4, &[64, 128]),
        ("SM89_SPARSE_16x8x{}_F32E4M3E5M2F32_TN", 8, &[64]),
        ("SM120_SPARSE_16x8x{}_TN<float_e4m3_t,float_e5m2_t,float>", 8, &[64]),
    ] {
        let named = |k: i64| types.replace("{}", &k.to_string());
        assert_eq!(known(512, |k| mma(&named(k))), of_k, "{types}");
        for k in of_k {
            let atom = MmaAtom::named(&named(*k)).expect("an instruction");
            assert_eq!(atom.bits[..2], [bits / 2, bits], "{types}");
            for (operand, (layout, rows)) in [(&atom.a, 16), (&atom.b, 8), (&atom.c, 16)].into_iter().enumerate() {
                let whole = layout.to_static().expect("static");
                for lane in 0..32 {
                    let manual = of_manual(lane, bits, *k)[operand].clone();
                    assert_eq!(whole.size(), Ok(32 * i64::try_from(manual.len()).expect("small")), "{types} {k}");
                    for (value, (row, column)) in (0_i64..).zip(manual) {
                        assert_eq!(
                            whole.offset(&(lane + 32 * value)),
                            Ok(row + column * rows),
                            "{types} {k}: {lane} {value}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_product_of_one_thread_has_one_element() {
    for (name, bits) in [
        ("UniversalFMA<float>", [32, 32, 32]),
        ("UniversalFMA<double,float>", [32, 32, 64]),
        ("UniversalFMA<float,half_t,half_t,float>", [16, 16, 32]),
    ] {
        let atom = MmaAtom::named(name).expect("an instruction");
        assert_eq!((atom.shape, atom.bits), ([1, 1, 1], bits), "{name}");
        assert_eq!([&atom.a, &atom.b, &atom.c].map(ToString::to_string), ["(1,1):(0,0)", "(1,1):(0,0)", "(1,1):(0,0)"]);
    }
    for name in ["UniversalFMA", "UniversalFMA<>", "UniversalFMA<TA>", "UniversalFMA<float,float,float,float,float>"] {
        assert!(!mma(name), "{name}");
    }
}

#[test]
fn the_name_of_an_instruction_alone_is_the_instruction() {
    let value = |text: &str| bitstride_lang::evaluate(text).map(|answer| answer.value).map_err(|error| error.code());
    for name in [
        "SM80_16x8x16_F32F16F16F32_TN",
        "SM75_U32x4_LDSM_N",
        "SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>",
        "UniversalFMA<float>",
        "UniversalCopy<uint128_t>",
    ] {
        let atom = value(&format!("atom({name})"));
        assert!(atom.is_ok(), "{name}: {atom:?}");
        assert_eq!(value(name), atom, "{name}");
    }
    // One that looks like an instruction is none of unknown value.
    for name in ["SM80_16x8x16_F32F16F16F32_TT", "SM100_MMA_F16BF16_SS<half_t,half_t,float,100,256>"] {
        assert!(value(name).is_err(), "{name}");
    }
    // What is bound to such a name stands for it, and other words are integers as before.
    let bound =
        bitstride_lang::evaluate("SM75_U32x4_LDSM_N = (4,8)\nSM75_U32x4_LDSM_N").map(|answer| answer.value.to_string());
    assert_eq!(bound.as_deref(), Ok("(4,8)"));
    assert_eq!(value("SM90").map(|own| own.to_string()).as_deref(), Ok("SM90"));
}

#[test]
fn types_that_an_instruction_does_not_take_are_refused() {
    for (name, is_there) in [
        ("SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>", true),
        ("SM100_MMA_F16BF16_SS<float_e4m3_t,float_e4m3_t,float,128,256>", false),
        ("SM100_MMA_F16BF16_SS<half_t,float,float,128,256>", false),
        ("SM100_MMA_TF32_SS<tfloat32_t,tfloat32_t,float,128,64>", true),
        ("SM100_MMA_TF32_SS<double,double,float,128,64>", false),
        ("SM100_MMA_F8F6F4_SS<float_e4m3_t,float_e2m1_t,float,128,64>", true),
        ("SM100_MMA_F8F6F4_SS<half_t,float_e2m1_t,float,128,64>", false),
        ("SM100_MMA_F8F6F4_SS<int8_t,int8_t,int32_t,128,64>", false),
        ("SM100_MMA_S8_SS<int8_t,uint8_t,int32_t,128,64>", true),
        ("SM100_MMA_S8_SS<float_e4m3_t,float_e4m3_t,float,128,64>", false),
        // With scales one SM has all its rows, and 16 or 32 elements have a scale.
        ("SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,64>", true),
        ("SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,64,64>", false),
        ("SM100_MMA_MXF4_2x1SM_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>", true),
        ("SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,64>", false),
        ("SM103_MXF4_ULTRA_SS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>", true),
        ("SM103_MXF4_ULTRA_SS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,72,32>", false),
        ("SM103_MXF4_ULTRA_SS_VS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,64,32>", false),
        ("SM103_MXF4_ULTRA_TS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>", false),
        ("SM103_MXF4_ULTRA_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>", false),
        ("SM89_SPARSE_16x8x64_F32E4M3E4M3F32_TN", true),
        ("SM89_SPARSE_16x8x32_F32E4M3E4M3F32_TN", false),
        ("SM80_SPARSE_16x8x32_F32F16F16F32_TN", true),
    ] {
        assert_eq!(MmaAtom::named(name).is_ok(), is_there, "{name}");
    }
    let ultra = MmaAtom::named("SM103_MXF4_ULTRA_2x1SM_SS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,256,64,32>");
    let ultra = ultra.map(|atom| (atom.shape, atom.bits, [atom.a, atom.b].map(|operand| operand.to_string())));
    let operands = ["(2,(128,96)):(128,(1,256))", "(2,(32,96)):(32,(1,64))"].map(str::to_owned);
    assert_eq!(ultra, Ok(([256, 64, 96], [4, 4, 32], operands)));
    let half = "tcgen05.MmaF16BF16Op(Float8E4M3FN, Float32, (128,256,16), CtaGroup.ONE, OperandSource.SMEM, OperandMajorMode.K, \
                OperandMajorMode.K)";
    assert!(bitstride_lang::evaluate(half).is_err(), "{half}");
}
