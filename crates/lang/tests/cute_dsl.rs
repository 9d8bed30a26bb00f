//! What CuTe DSL answered to calls of its helpers, to parts of instructions and to questions about layouts
//! (`python/tools/record_dsl.py`).

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride_lang::evaluate;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cute_dsl.jsonl");

/// The DSL prints a swizzle on bytes without the bits of an element, and swizzles as `S<…>`.
fn as_the_dsl_prints(text: &str) -> String {
    let mut text = text.replace(' ', "").replace("Sw<", "S<");
    while let Some((before, rest)) = text.split_once("obytes[") {
        let after = rest.split_once(']').map_or("", |(_, after)| after);
        text = format!("{before}o0{after}");
    }
    text
}

#[test]
fn calls_answer_as_in_cute_dsl() {
    let table = std::fs::read_to_string(TABLE).expect("the table is there");
    let mut count = 0;
    for line in table.lines() {
        // No expression has a quote in it.
        let row = line.strip_prefix("{\"expr\":\"").and_then(|row| row.strip_suffix("\"}"));
        let (expression, wanted) = row.and_then(|row| row.split_once("\",\"dsl\":\"")).expect("a row");
        let answer = evaluate(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        assert_eq!(as_the_dsl_prints(&answer.value.to_string()), wanted, "{expression}");
        count += 1;
    }
    assert!(count > 500, "{count} rows");
}

/// The print of a matrix instruction has all its layouts, and so says which it is but for the types.
#[test]
fn prints_of_matrix_instructions_are_read() {
    let atom = "ThrID:           32:1\n  Shape MNK:       (16,8,16)\n  TV Layout A:     ((4,8),(2,2,2)):((32,1),(16,8,128))\n  \
                TV Layout B:     ((4,8),(2,2)):((16,1),(8,64))\n  TV Layout C:     ((4,8),(2,2)):((32,1),(16,8))";
    let tiled = "Tiled MMA\n  Thr Layout VMNK: (32,2,2,1):(1,32,64,0)\n  Permutation MNK: (32:1,_,16:1)\nMMA Atom\n  ";
    let cpp = "TiledMMA\n  ThrLayoutVMNK:  (_32,_2,_2,_1):(_1,_64,_32,_0)\n  PermutationMNK: (_,_,_)\nMMA_Atom\n  ThrID:      _32:_1\n  \
               Shape_MNK:  (_16,_8,_16)\n  LayoutA_TV: ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))\n  \
               LayoutB_TV: ((_4,_8),(_2,_2)):((_16,_1),(_8,_64))\n  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))";
    for (text, value) in [
        (format!("MMA Atom\n  {atom}"), "atom(SM80_16x8x16_F16F16F16F16_TN)"),
        (format!("{tiled}{atom}"), "tiled_mma(atom(SM80_16x8x16_F16F16F16F16_TN), (2,2,1):(1,2,0), <32:1, _, 16:1>)"),
        (cpp.to_owned(), "tiled_mma(atom(SM80_16x8x16_F16F16F16F16_TN), (2,2,1):(2,1,0))"),
    ] {
        let answer = evaluate(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(answer.value.to_string(), value, "{text}");
        assert!(answer.notes.iter().any(|note| note.contains("whose names the print does not have")), "{answer:?}");
    }
    let refused = evaluate(&format!("{tiled}{atom}").replace("(1,32,64,0)", "(1,64,33,0)")).expect_err("no threads");
    assert!(refused.message().contains("is no layout of the threads"), "{refused}");
    let other = evaluate(&format!("MMA Atom\n  {atom}").replace("(16,8,16)", "(16,8,17)")).expect_err("no instruction");
    assert!(other.message().contains("16 x 8 x 17"), "{other}");
}

/// What the DSL answers where there is nothing to answer is refused, and what depends on what is not said too.
#[test]
fn helpers_refuse_what_they_do_not_know() {
    for (text, words) in [
        ("cute.make_layout(((2,2),3), stride=((24,2),8)).get_hier_coord(5)", "lead to 5"),
        ("tcgen05.Ld32x32bOp(tcgen05.Repetition(3))", "SM100_TMEM_LOAD_32dp32b3x"),
        ("tcgen05.Ld32x32bOp(Many)", "no instruction has these"),
        ("warp.LdMatrix16x16x8bOp(transpose=True)", "no instruction has these"),
        ("warp.StMatrix16x8x8bOp(num_matrices=4)", "no instruction has these"),
        (
            "sm100_utils.make_trivial_tiled_mma(Float16, Int8, OperandMajorMode.K, OperandMajorMode.K, Float32, CtaGroup.ONE, (128, 256))",
            "no instruction has these",
        ),
        (
            "sm100_utils.make_smem_layout_a(atom(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>), (128,256,64), Float16, 4)",
            "nothing says along which mode A",
        ),
        ("make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128,64), cutlass.Float16, 4)", "(M,N,K)"),
        ("make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128,256,4), cutlass.Float16, 4)", "16 bytes"),
        ("make_smem_layout_a(LayoutEnum.ROW_MAJOR, (BM,BN,BK), cutlass.Float16, 4)", "BM"),
        (
            "make_smem_layout_sfa(atom(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,256,16>), (100,256,256), 16, 3)",
            "no multiple",
        ),
        ("get_swizzle_portion(4:1 o 2 o 3:1)", "not one layout under one swizzle"),
        ("size(!memref_smem)", "nothing says which type"),
    ] {
        let error = evaluate(text).map(|answer| answer.value.to_string()).expect_err(text);
        assert!(error.to_string().contains(words), "{text}: {error}");
    }
}

#[test]
fn names_of_a_source_stand_for_layouts_types_and_instructions() {
    let lines = "tiler = (128, 256, 64)\na_dtype = cutlass.Float16\n\
                 mma = sm100_utils.make_trivial_tiled_mma(Float16, Float16, OperandMajorMode.K, OperandMajorMode.K, Float32, CtaGroup.ONE, (128, 256))\n\
                 staged = sm100_utils.make_smem_layout_a(mma, tiler, a_dtype, 4)\n";
    for (last, value) in [
        ("cute.slice_(staged, (None, None, None, 0)).outer", "((128,16),1,4):((64,1),0,16)"),
        ("staged.inner", "Sw<3,4,3>"),
        ("mma.partition_shape_A((128, 64))", "((128,16),1,4)"),
        ("cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), a_dtype).layout_src_tv", "(32,8):(8,1)"),
        ("blockscaled_utils.BlockScaledBasicChunk(16).layout", "((32,4),(16,4)):((16,4),(0,1))"),
        ("mma.thr_layout_vmnk.get_flat_coord(0)", "(0,0,0,0)"),
    ] {
        let answer = evaluate(&format!("{lines}{last}")).unwrap_or_else(|error| panic!("{last}: {error}"));
        assert_eq!(answer.value.to_string(), value, "{last}");
    }
}
