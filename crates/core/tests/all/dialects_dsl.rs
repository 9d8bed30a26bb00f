//! Texts of CuTe DSL: layouts, instructions, and what its compiler prints.

#![allow(clippy::panic, reason = "that is how a test fails")]

use super::dialects::{all_fail, all_read, all_values};
use bitstride::notation::{Ints, read};
use bitstride_lang::evaluate;

#[test]
fn cute_dsl_reads_as_the_canonical_text() {
    all_read(
        "CuTe DSL",
        &[
            (
                "cute.nvgpu.warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 128, 16), warpgroup.OperandSource.SMEM, cute.nvgpu.OperandMajorMode.K, cute.nvgpu.OperandMajorMode.MN)",
                "atom(SM90_64x128x16_F32F16F16_SS)",
            ),
            (
                "warpgroup.MmaF8Op(cutlass.Float8E4M3FN, cutlass.Float8E5M2, cutlass.Float32, (64, 128, 32), OperandSource.RMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM90_64x128x32_F32E4M3E5M2_RS_TN)",
            ),
            (
                "tcgen05.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (256, 256, 16), tcgen05.CtaGroup.TWO, tcgen05.OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM100_MMA_F16BF16_2x1SM_SS<bfloat16_t,bfloat16_t,float,256,256,UMMA::Major::K,UMMA::Major::K>)",
            ),
            (
                "tcgen05.MmaTF32Op((128, 64, 8), CtaGroup.ONE, OperandSource.TMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM100_MMA_TF32_TS<tfloat32_t,tfloat32_t,float,128,64,UMMA::Major::K,UMMA::Major::K>)",
            ),
            (
                "!cute_nvgpu.sm100.mma<128x64x32, num_cta = 1, ab_major = (k, k), elem_type = (si8, si8, si32), frag_kind = ss>",
                "atom(SM100_MMA_S8_SS<int8_t,int8_t,int32_t,128,64,UMMA::Major::K,UMMA::Major::K>)",
            ),
            ("warp.MmaTF32Op((16, 8, 8))", "atom(SM80_16x8x8_F32TF32TF32F32_TN)"),
            (
                "warp.MmaFP8Op(cutlass.Float8E4M3FN, cutlass.Float32, (16, 8, 32))",
                "atom(SM89_16x8x32_F32E4M3E4M3F32_TN)",
            ),
            (
                "warp.MmaMXF4Op(cutlass.Float4E2M1FN, cutlass.Float32, cutlass.Float8E8M0FNU)",
                "atom(SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,32>)",
            ),
            (
                "warp.MmaMXF4NVF4Op(cutlass.Float4E2M1FN, cutlass.Float32, cutlass.Float8E4M3FN)",
                "atom(SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,16>)",
            ),
            (
                "warp.MmaMXF8Op(ab_dtype=cutlass.Float8E5M2, acc_dtype=cutlass.Float32, sf_type=cutlass.Float8E8M0FNU)",
                "atom(SM120_16x8x32_TN_VS<float_e5m2_t,float_e5m2_t,float,float_ue8m0_t,32>)",
            ),
            (
                "warp.MmaMXF8F6F4Op(cutlass.Float4E2M1FN, cutlass.Float8E4M3FN, cutlass.Float32, cutlass.Float8E8M0FNU)",
                "atom(SM120_16x8x32_TN_VS<float_e2m1_t,float_e4m3_t,float,float_ue8m0_t,32>)",
            ),
            (
                "warpgroup.MmaI8Op(cutlass.Int8, cutlass.Uint8, cutlass.Int32, (64, 64, 32), OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM90_64x64x32_S32S8U8_SS_TN)",
            ),
            (
                "tcgen05.MmaI8Op(cutlass.Uint8, (128, 64, 32), CtaGroup.ONE, OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM100_MMA_S8_SS<uint8_t,uint8_t,int32_t,128,64,UMMA::Major::K,UMMA::Major::K>)",
            ),
            (
                "tcgen05.MmaFP8Op(cutlass.Float8E5M2, cutlass.Float16, (64, 64, 32), CtaGroup.ONE, OperandSource.TMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM100_MMA_F8F6F4_TS<float_e5m2_t,float_e5m2_t,half_t,64,64,UMMA::Major::K,UMMA::Major::K>)",
            ),
            (
                "tcgen05.MmaMXF8Op(cutlass.Float8E4M3FN, (128, 256), CtaGroup.ONE, OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,256,UMMA::Major::K,UMMA::Major::K>)",
            ),
            (
                "tcgen05.MmaMXF8F6F4Op(cutlass.Float8E4M3FN, cutlass.Float6E3M2FN, (256, 128, 32), CtaGroup.TWO, OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
                "atom(SM100_MMA_MXF8F6F4_2x1SM_SS<float_e4m3_t,float_e3m2_t,float,float_ue8m0_t,256,128,UMMA::Major::K,UMMA::Major::K>)",
            ),
            (
                "tcgen05.MmaMXF4Op((128, 64, 64), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM)",
                "atom(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>)",
            ),
            (
                "tcgen05.MmaMXF4Op(instruction_shape=(256, 64, 64), cta_group=CtaGroup.TWO, a_src=OperandSource.SMEM)",
                "atom(SM100_MMA_MXF4_2x1SM_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,256,64,32>)",
            ),
            (
                "tcgen05.MmaMXF4NVF4Op(cutlass.Float8E4M3FN, (128, 128, 64), CtaGroup.ONE, OperandSource.SMEM)",
                "atom(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,128,16>)",
            ),
            (
                "tcgen05.SM103MmaMXF4Op((128, 128, 96), CtaGroup.ONE, OperandSource.SMEM)",
                "atom(SM103_MXF4_ULTRA_SS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,128,32>)",
            ),
            (
                "tcgen05.SM103MmaMXF4NVF4Op(cutlass.Float8E8M0FNU, (256, 128, 96), CtaGroup.TWO, OperandSource.SMEM)",
                "atom(SM103_MXF4_ULTRA_2x1SM_SS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,256,128,16>)",
            ),
            (
                "cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x16, tcgen05.Pack.NONE), cutlass.Float32)",
                "copy_atom(atom(SM100_TMEM_LOAD_32dp32b16x), 32)",
            ),
            ("tcgen05.St16x256bOp(tcgen05.Repetition.x4)", "atom(SM100_TMEM_STORE_16dp256b4x)"),
            ("tcgen05.Ld16x32bx2Op(Repetition.x8, Pack.PACK_16b_IN_32b)", "atom(SM100_TMEM_LOAD_16dp32b8x_16b)"),
            ("cute.make_rmem_tensor((8, 4), cutlass.Float32)", "make_layout((8,4))"),
            ("cute.make_rmem_tensor((8,4):(4,1), dtype=self.acc_dtype)", "(8,4):(4,1)"),
            ("cute.make_rmem_tensor_like((8,4):(4,1), cutlass.Float32)", "make_layout_like((8,4):(4,1))"),
            ("cute.group_modes((2,3,4):(1,2,6), 1)", "group((2,3,4):(1,2,6), 1, rank((2,3,4):(1,2,6)))"),
            ("cute.is_congruent((2,3), b=(4,5))", "congruent((2,3), (4,5))"),
            ("cute.is_weakly_congruent(4, (4,5))", "weakly_congruent(4, (4,5))"),
            (
                "Tiled Copy\n  Tiler MN:        (16:1,64:1)\n  TV Layout tiled: ((8,16),8):((128,1),16)\nCopy Atom\n  ThrID:           1:0\n  TV Layout Src:   (1,8):(0,1)\n  TV Layout Dst:   (1,8):(0,1)\n  Value type:      f16",
                "tv(((8,16),8):((128,1),16), (16,64))",
            ),
            ("cute.make_fragment_like((4,16):(16,1))", "make_fragment_like((4,16):(16,1))"),
            (
                "cute.make_fragment_like(cute.make_layout((4,16)), cutlass.Float32)",
                "make_fragment_like(column_major((4,16)))",
            ),
            ("cute.make_fragment_like(tensor<ptr<f32, rmem> o (4,16):(16,1)>)", "make_layout_like((4,16):(16,1))"),
            ("cute.make_tensor(ptr, layout=(8,4):(4,1))", "(8,4):(4,1)"),
            ("cute.make_tensor(ptr, (8,4):(4,1), loc=loc, ip=ip)", "(8,4):(4,1)"),
            ("cute.append((8,4), 2, loc=loc, ip=ip)", "append((8,4), 2)"),
            (
                "cute.make_cotiled_copy(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128), atom_layout_tv=cute.make_layout((128,8),stride=(8,1)), data_layout=L)",
                "make_cotiled_copy(atom(UniversalCopy<128>), 16, (128,8):(8,1), L)",
            ),
            (
                "cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(cutlass.Float32), cute.make_layout((16,16,1),stride=(16,1,0)))",
                "tiled_mma(atom(UniversalFMA<float,float,float,float>), (16,16,1):(16,1,0))",
            ),
            (
                "!copy_ldgsts = !cute.tiled_copy<!cute_nvgpu.atom.simt_async_copy<bf16, cache = global, 128 b>, layout_copy_tv = <\"((8,16),8):((128,1),16)\">, tiler_mn = <\"[16:1;64:1]\">>",
                "tiled_copy_tv(atom(SM80_CP_ASYNC_CACHEGLOBAL<128>), 16, ((8,16),8):((128,1),16), <16:1, 64:1>)",
            ),
            (
                "!cute.tiled_copy<!cute_nvgpu.atom.ldsm<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, t>, layout_copy_tv = <\"((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))\">, tiler_mn = <\"[32:1;16:1]\">>",
                "tiled_copy_tv(atom(SM75_U16x8_LDSM_T), 16, ((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0))), <32:1, 16:1>)",
            ),
            (
                "!cute.tiled_copy<!cute_nvgpu.atom.stsm<f16, mode = <\"(8,8)\">, num_matrices = 2, n>, layout_copy_tv = <\"(32,8):(1,32)\">, tiler_mn = <\"[(8,2):(1,16);16:1]\">>",
                "tiled_copy_tv(atom(SM90_U32x2_STSM_N), 16, (32,8):(1,32), <(8,2):(1,16), 16:1>)",
            ),
            (
                "!cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x16>, layout_copy_tv = <\"((32,4),(16,32)):((0,1),(128,4))\">, tiler_mn = <\"[(4,32):(32,1);16:1]\">>",
                "tiled_copy_tv(atom(SM100_TMEM_LOAD_32dp32b16x), 32, ((32,4),(16,32)):((0,1),(128,4)), <(4,32):(32,1), 16:1>)",
            ),
            (
                "!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <\"(1,1):(1,1)\">, tiler_mn = <\"[1:0;1:0]\">>",
                "tiled_copy_tv(atom(AutoVectorizingCopyWithAssumedAlignment), 32, (1,1):(1,1), <1:0, 1:0>)",
            ),
            (
                "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(2,2,1):(1,2,0)\">, permutation_MNK = <\"[32:1;_;16:1]\">>",
                "tiled_mma(atom(SM80_16x8x16_F32F16F16F32_TN), (2,2,1):(1,2,0), <32:1, _, 16:1>)",
            ),
            (
                "!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x128x32, ab_major = (k, k), elem_type = (f8E4M3FN, f8E5M2, f32), frag_kind = rs>, atom_layout_MNK = <\"(1,1,1):(0,0,0)\">>",
                "tiled_mma(atom(SM90_64x128x32_F32E4M3E5M2_RS_TN), (1,1,1):(0,0,0))",
            ),
            (
                "!cute_nvgpu.sm100.mma<128x256x16, num_cta = 2, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = ts, c_scale_exp = 0>",
                "atom(SM100_MMA_F16BF16_2x1SM_TS<bfloat16_t,bfloat16_t,float,128,256,UMMA::Major::K,UMMA::Major::MN>)",
            ),
            (
                "!cute.tiled_mma<!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, atom_layout_MNK = <\"(16,16,1):(16,1,0)\">>",
                "tiled_mma(atom(UniversalFMA<float,float,float,float>), (16,16,1):(16,1,0))",
            ),
            ("!cute_nvgpu.atom.universal_copy<f16, 64 b>", "copy_atom(atom(UniversalCopy<64>), 16)"),
            (
                "cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))",
                "Sw<3,3,3> o 0 o (8,64):(64,1)",
            ),
            (
                "make_composed_layout(make_swizzle(3, 3, 3), 0, make_layout((8, 64), stride=(64, 1)))",
                "Sw<3,3,3> o 0 o (8,64):(64,1)",
            ),
            ("make_composed_layout(outer=4:1, offset=2, inner=make_swizzle(3, 3, 3))", "Sw<3,3,3> o 2 o 4:1"),
            (
                "cute.nvgpu.warpgroup.make_smem_layout_atom(cute.nvgpu.warpgroup.SmemLayoutAtomKind.K_SW128, cutlass.Float16)",
                "Sw<3,4,3> o bytes[16] o (8,64):(64,1)",
            ),
            (
                "tcgen05.make_smem_layout_atom(element_type=Float32, kind=tcgen05.SmemLayoutAtomKind.MN_SW128_32B)",
                "Sw<2,5,2> o bytes[32] o (32,8):(1,32)",
            ),
            (
                "warpgroup.make_smem_layout_atom(sm90_utils.get_smem_layout_atom(utils.LayoutEnum.ROW_MAJOR, cutlass.BFloat16, 32), cutlass.BFloat16)",
                "Sw<2,4,3> o bytes[16] o (8,32):(32,1)",
            ),
            (
                "sm90_utils.make_smem_layout_a(utils.LayoutEnum.ROW_MAJOR, (128,256,64), cutlass.Float16, 4)",
                "make_smem_layout_a(ROW_MAJOR, (128,256,64), 16, 4)",
            ),
            (
                "utils.hopper_helpers.make_smem_layout_b(b_layout=LayoutEnum.COL_MAJOR, mma_tiler_mnk=(128,96,64), b_dtype=Int8, num_stages=3)",
                "make_smem_layout_b(COL_MAJOR, (128,96,64), 8, 3)",
            ),
            (
                "sm90_utils.make_smem_layout_epi(cutlass.Float16, utils.LayoutEnum.ROW_MAJOR, (64,32), 2)",
                "make_smem_layout_epi(16, ROW_MAJOR, (64,32), 2)",
            ),
            ("cute.make_layout((8,64))[1]", "get[1](column_major((8,64)))"),
            ("cute.make_layout((8,64)).shape[0]", "get[0](shape(column_major((8,64))))"),
            ("mma.tv_layout_A", "part(part(mma, atom), A)"),
            ("mma.tv_layout_B_tiled", "part(mma, B)"),
            ("copy.tiler_mn", "part(copy, tiler)"),
            ("sA.outer", "get_nonswizzle_portion(sA)"),
            ("cute.append_ones(4:1, up_to_rank=3)", "append(4:1, 1:0, 3)"),
            ("warp.StMatrix16x8x8bOp(True, 4)", "atom(SM100_U8x16_STSM_T)"),
            ("warp.LdMatrix8x16x8bOp(num_matrices=2, unpack_bits=6)", "atom(SM100_SU6_DU8x16_x2_LDSM_N)"),
            ("tcgen05.Cp4x32x128bOp(tcgen05.CtaGroup.TWO)", "atom(SM100_UTCCP_4x32dp128bit_2cta)"),
            ("tcgen05.copy.LdRed32x32bOp(tcgen05.Repetition(16))", "atom(SM100_TMEM_LOAD_STAT_32dp32b16x)"),
            (
                "cute.make_copy_atom(cute.nvgpu.CopyG2ROp(), Float16, num_bits_per_copy=64, memory_order=cute.nvgpu.MemoryOrder.WEAK, invariant=True)",
                "copy_atom(atom(UniversalCopy<64>), 16)",
            ),
            (
                "sm90_utils.make_trivial_tiled_mma(Float16, Float16, OperandMajorMode.K, OperandMajorMode.K, Float32, (2,1,1), tiler_mn=(64,128))",
                "tiled_mma(atom(SM90_64x128x16_F32F16F16_SS), (2,1,1))",
            ),
            (
                "sm100_utils.make_smem_layout_a(mma, tile, a_dtype, 4, is_k_major=True)",
                "make_smem_layout_a(mma, tile, a_dtype, 4, K)",
            ),
            ("cute.make_layout((8,64))", "column_major((8,64))"),
            ("cute.make_layout(8, stride=2)", "8:2"),
            ("cute.make_layout((8,64), stride=None)", "make_layout((8,64))"),
            ("cute.composition(4:1, 2:1)", "composition(4:1, 2:1)"),
            ("composition(lhs=4:1, rhs=(2))", "composition(4:1, 2)"),
            ("cute.size((4,8):(8,1), mode=[0])", "size[0]((4,8):(8,1))"),
            ("size((4,8):(8,1), mode=[])", "size((4,8):(8,1))"),
            ("cute.select((4,8):(8,1), mode=[1,0])", "select((4,8):(8,1), 1, 0)"),
            ("cute.slice_((4,8):(8,1), (None, 0))", "slice_((4,8):(8,1), (_,0))"),
            ("cute.dice((4,8), (1, None))", "dice_((4,8), (1,_))"),
            ("cute.product((4,8))", "size((4,8))"),
            ("cute.zipped_divide(4:1, tiler=(cute.make_layout(2), 2))", "zipped_divide(4:1, <column_major(2), 2>)"),
            ("tensor(raw_ptr(0x7f00: f32, gmem, align<4>) o (8,5):(5,1), data=[[0, 1], [2]])", "(8,5):(5,1)"),
            ("cute.recast_layout(32, 16, (4,8):(8,1))", "recast((4,8):(8,1), 16, 32)"),
            ("cute.group_modes((4,8,2):(8,1,32), 0, 2)", "group((4,8,2):(8,1,32), 0, 2)"),
            (
                "cute.local_tile((128,64):(64,1), tiler=(32,32), coord=(0,None), proj=(1,None))",
                "local_tile((128,64):(64,1), (32,32), (0,_), (1,_))",
            ),
            ("cutlass.cute.make_ordered_layout((4,8), order=(1,0))", "make_ordered_layout((4,8), (1,0))"),
            ("cute.E([1,0])", "1@0@1"),
            ("!cute.layout<\"((8,2),4):((1,32),8)\">", "((8,2),4):((1,32),8)"),
            ("!cute.composed_layout<\"S<3,4,3> o 0 o (8,64):(64,1)\">", "Sw<3,4,3> o 0 o (8,64):(64,1)"),
            (
                "!cute.memref<f16, smem, align<16>, S<3,4,3>, \"(8,64):(64,1)\">",
                "Sw<3,4,3> o bytes[16] o (8,64):(64,1)",
            ),
            ("!cute.coord_tensor<\"(0,16)\", \"(4,8):(1@0,1@1)\">", "(4,8):(1@0,1@1) + (0,16)"),
            ("!cute.tile<\"[128:1;64:1]\">", "<128:1, 64:1>"),
            ("!cute.shape<\"(8,?{div=8})\">", "(8,?{div=8})"),
            ("tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>", "Sw<3,4,3> o bytes[16] o (8,64):(64,1)"),
            ("tensor<ptr<f32, gmem> o (?,8):(8,1)>", "(?,8):(8,1)"),
            ("tensor<(0,0) o (4,8):(1@0,1@1)>", "(4,8):(1@0,1@1)"),
            (
                "Tensor<0x00007f4b22000000@gmem o (?,32768,32768):(1073741824,32768,1)>",
                "(?,32768,32768):(1073741824,32768,1)",
            ),
            ("raw_ptr(0x00007f4b22000000: f16, gmem, align<16>) o (8,64):(64,1)", "(8,64):(64,1)"),
            ("(?{div=16},8):(8,?{i64 div=8})", "(?{div=16},8):(8,?{div=8})"),
            ("(?{i64},8):(8,1)", "(?,8):(8,1)"),
        ],
    );
    let notes = evaluate("(?{div=16},8):(8,?{i64 div=8})").map(|answer| answer.notes.join("; "));
    assert_eq!(notes, Ok("read as CuTe DSL; the width of an integer, such as i64, is left out".to_owned()));
}

#[test]
fn wrong_cute_dsl_is_pointed_at() {
    all_fail(&[
        (
            "warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 128, 32), OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
            "MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 128, 32), OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
            "no instruction has these",
        ),
        ("!cute.tiled_copy<>", ">", "the type of an instruction"),
        (
            "!cute_nvgpu.atom.tma_load<f16, mode = tiled>",
            "!cute_nvgpu.atom.tma_load<f16, mode = tiled>",
            "universal_copy",
        ),
        (
            "!cute.tiled_copy<!cute_nvgpu.atom.ldsm<val_type = f16, mode = <\"(16,16)\">, sz_pattern = u16, num_matrices = 4, t>>",
            "!cute_nvgpu.atom.ldsm<val_type = f16, mode = <\"(16,16)\">, sz_pattern = u16, num_matrices = 4, t>",
            "8 x 8",
        ),
        ("!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 64 b>>", ">", "layout_copy_tv"),
        ("tile_to_shape(8:1, 256x256)", "x256", "(256,256)"),
        ("256x256", "x256", "(256,256)"),
        ("make_smem_layout_atom(SmemLayoutAtomKind.K_SW127, cutlass.Float16)", "SmemLayoutAtomKind.K_SW127", "K_SW128"),
        (
            "make_smem_layout_atom(SmemLayoutAtomKind.K_SW128_32B, cutlass.Float16)",
            "SmemLayoutAtomKind.K_SW128_32B",
            "K_SW128",
        ),
        ("make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, a_dtype)", "a_dtype", "cutlass.Float16"),
        ("make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, Float6E3M2FN)", "Float6E3M2FN", "divide 16 bytes"),
        ("make_smem_layout_atom(SmemLayoutAtomKind.K_SW128)", "(", "needs its element_type"),
    ]);
}

/// What CUTLASS of C++ and of Python call alike is alike, and counts in bytes as the operation does.
/// What CuTe DSL printed of such atoms and tiled copies, in dumps and in messages of its users.
#[test]
fn atoms_of_the_dsl_are_those_that_it_prints() {
    let ldsm = "cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cutlass.Float16)";
    let stsm = "cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), cutlass.Float16)";
    let unsized_copy = "cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32)";
    let asynchronous = "cute.make_copy_atom(cpasync.CopyG2SOp(LoadCacheMode.GLOBAL), Float16, num_bits_per_copy=128)";
    let mma = "cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (2, 2, 1), (32, 32, 16))";
    let tiled = format!(
        "cute.make_tiled_copy_tv({asynchronous}, cute.make_layout((32, 4), stride=(4, 1)), cute.make_layout((1, 8)))"
    );
    for (text, printed) in [
        (format!("{stsm}.Src"), "(32,(2,4)):(2,(1,64))"),
        (format!("{stsm}.Dst"), "(32,8):(8,1)"),
        (format!("{stsm}.ThrID"), "32:1"),
        (format!("{unsized_copy}.Src"), "(1,1):(0,0)"),
        (format!("{asynchronous}.Src"), "(1,8):(0,1)"),
        (format!("{tiled}.TV"), "((4,32),8):((256,1),32)"),
        (format!("{tiled}.tile"), "(32,32)"),
        (
            format!("cute.make_tiled_copy_A({ldsm}, {mma}).TV"),
            "((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))",
        ),
        (format!("cute.make_tiled_copy_A({ldsm}, {mma}).tile"), "(32,16)"),
    ] {
        assert_eq!(evaluate(&text).map(|answer| answer.value.to_string()).ok().as_deref(), Some(printed), "{text}");
    }
    // An atom has one element for each of what the compiler merges, and a name is an atom.
    let one = evaluate(&format!("partition_S(make_tiled_copy_tv({unsized_copy}, (2,2), (1,4)), (2,8):(8,1), 1)"));
    assert_eq!(one.expect("a thread's part").value.to_string(), "((1,4),1,1):((0,1),0,0) + 8");
    let lines = format!("copy = {ldsm}\ncute.make_tiled_copy_A(copy, {mma})");
    let inline = evaluate(&format!("cute.make_tiled_copy_A({ldsm}, {mma})")).map(|answer| answer.value);
    assert_eq!(evaluate(&lines).map(|answer| answer.value), inline);
}

#[test]
fn instructions_of_the_dsl_read_as_those_of_cpp() {
    let op = "cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))";
    let atom = "atom(SM80_16x8x16_F32F16F16F32_TN)";
    all_read(
        "CuTe DSL",
        &[
            (op, atom),
            ("warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (16, 8, 8))", "atom(SM80_16x8x8_F32BF16BF16F32_TN)"),
            (&format!("cute.make_mma_atom({op})"), atom),
            (
                &format!("cute.make_tiled_mma({op}, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16))"),
                &format!("tiled_mma({atom}, column_major((2,2,1)), (32,32,16))"),
            ),
            (
                &format!("cute.make_tiled_mma({op}, permutation_mnk=(32, 32, 16))"),
                &format!("tiled_mma({atom}, (1,1,1), (32,32,16))"),
            ),
        ],
    );
    let ldsm = "warp.LdMatrix8x8x16bOp(transpose=False, num_matrices=4)";
    let universal = "cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)";
    let (mma, layouts) = ("tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2))", "cute.make_layout(4), cute.make_layout(8)");
    all_read(
        "CuTe DSL",
        &[
            (ldsm, "atom(SM75_U32x4_LDSM_N)"),
            ("cute.nvgpu.warp.LdMatrix8x8x16bOp(True, 2)", "atom(SM75_U16x4_LDSM_T)"),
            ("warp.LdMatrix8x8x16bOp()", "atom(SM75_U32x1_LDSM_N)"),
            ("StMatrix8x8x16bOp(num_matrices=1, transpose=True)", "atom(SM90_U16x2_STSM_T)"),
            (&format!("cute.make_copy_atom({ldsm}, cutlass.BFloat16)"), "copy_atom(atom(SM75_U32x4_LDSM_N), 16)"),
            (universal, "copy_atom(atom(UniversalCopy<128>), 16)"),
            (
                "make_copy_atom(CopyUniversalOp(), copy_internal_type=Float8E4M3FN)",
                "copy_atom(atom(AutoVectorizingCopyWithAssumedAlignment), 8)",
            ),
            (
                "cute.make_copy_atom(cpasync.CopyG2SOp(cache_mode=cpasync.LoadCacheMode.GLOBAL), TFloat32, num_bits_per_copy=128)",
                "copy_atom(atom(SM80_CP_ASYNC_CACHEGLOBAL<128>), 32)",
            ),
            (
                "cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Int8, num_bits_per_copy=32)",
                "copy_atom(atom(SM80_CP_ASYNC_CACHEALWAYS<32>), 8)",
            ),
            (
                &format!("cute.make_tiled_copy_tv({universal}, {layouts})"),
                "tiled_copy(atom(UniversalCopy<128>), 16, column_major(4), column_major(8))",
            ),
            (
                "make_tiled_copy_tv(copy, thr_layout=4:1, val_layout=8:1)",
                "tiled_copy(copy, part(copy, bits), 4:1, 8:1)",
            ),
            (
                &format!("make_tiled_copy({universal}, (4,8):(8,1), 32)"),
                "tiled_copy_tv(atom(UniversalCopy<128>), 16, (4,8):(8,1), 32)",
            ),
            (
                &format!("cute.make_tiled_copy_B(CopyB, {mma})"),
                &format!("make_tiled_copy_B(CopyB, part(CopyB, bits), {mma})"),
            ),
        ],
    );
    for (text, reason) in [
        ("warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float16, (16, 8, 16))", "no instruction has these"),
        ("warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 32))", "no instruction has these"),
        ("warp.MmaMXF8Op(cutlass.Float4E2M1FN, cutlass.Float32, cutlass.Float8E8M0FNU)", "no instruction has these"),
        (
            "warp.MmaMXF4NVF4Op(cutlass.Float4E2M1FN, cutlass.Float32, cutlass.Float8E8M0FNU)",
            "no instruction has these",
        ),
        ("warp.MmaMXF8F6F4Op(Float8E4M3FN, Float8E5M2, Float32, Float8E8M0FNU)", "no instruction has these"),
        ("tcgen05.MmaMXF4Op((128, 64, 32), CtaGroup.ONE, OperandSource.SMEM)", "no instruction has these"),
        (
            "tcgen05.MmaI8Op(Float16, (128, 64, 32), CtaGroup.ONE, OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)",
            "no instruction has these",
        ),
        ("LdMatrix8x8x16bOp(False, 3)", "no instruction has these"),
        ("LdMatrix8x8x16bOp(Transposed)", "True or False"),
        ("StMatrix8x8x16bOp(unpack_bits=4)", "no instruction has these"),
        ("CopyG2SOp(LoadCacheMode.STREAMING)", "LoadCacheMode.GLOBAL"),
        ("make_copy_atom(CopyG2SOp(), Float16)", "num_bits_per_copy"),
        ("make_copy_atom(CopyUniversalOp(), Half)", "type of the elements"),
        ("cute.make_tiled_copy_tv(LdMatrix8x8x16bOp(), 4:1, 8:1)", "has the type"),
    ] {
        let error = read(text, Ints::Plain).expect_err(text);
        assert!(error.message.contains(reason), "{text}: {error}");
    }
    let tiled = |text: &str| evaluate(text).map(|answer| answer.value);
    assert_eq!(
        tiled(&format!("cute.make_tiled_mma({op}, (2, 2, 1), permutation_mnk=(32, 32, 16))")),
        tiled("TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_2,_2,_1>>, Tile<_32,_32,_16>>{}")
    );
}

#[test]
fn names_that_mean_two_things_are_refused() {
    all_values(&[
        ("cute.ceil_div((10,6), (3,4))", "(4,2)"),
        ("cute.ceil_div(10, 4)", "3"),
        (
            "TiledCopy\n  Tiler_MN:       (_16,_64)\n  TiledLayout_TV: ((_8,_16),_8):((_128,_1),_16)\nCopy_Atom\n  ThrID:        _1:_0\n  ValueType:    16b",
            "tv(((8,16),8):((128,1),16), (16,64))",
        ),
        (
            "utils.make_smem_layout_epi(cutlass.Float32, utils.LayoutEnum.COL_MAJOR, (64,48), 1)",
            "Sw<2,5,2> o bytes[32] o ((32,2),(8,6),(1,1)):((1,1536),(32,256),(0,0))",
        ),
        (
            "sm90_utils.make_smem_layout_epi(cutlass.Float32, utils.LayoutEnum.COL_MAJOR, (64,48), 1)",
            "Sw<3,4,3> o bytes[32] o ((32,2),(8,6),(1,1)):((1,1536),(32,256),(0,0))",
        ),
    ]);
    for (text, words) in [
        ("cute.ceil_div((10,7), 4)", "another quotient"),
        ("cute.ceil_div(((2,4),8), (4,2))", "another quotient"),
        ("cute.make_fragment_like(tCgC)", "other registers"),
        ("Tiled MMA\n  Thr Layout VMNK: (32,2,2,1):(1,32,64,0)\n  Permutation MNK: (_,_,_)", "MMA Atom ThrID"),
        ("Copy Atom\n  ThrID:         32:1\n  TV Layout Src: (32,8):(8,1)", "not its name"),
        ("Tiled Copy\n  Tiler MN:        ((2,2):(4,1),2:1)\n  TV Layout tiled: (4,2):(1,4)", "no neighbours"),
        (
            "make_smem_layout_epi(cutlass.Float32, LayoutEnum.COL_MAJOR, (64,48), 1)",
            "differs between Hopper and Blackwell",
        ),
    ] {
        let error = evaluate(text).expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}
