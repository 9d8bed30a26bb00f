//! Texts of CuTe: its C++, layouts of shared memory, pycute and tensor-layouts, and what they print.

#![allow(clippy::panic, reason = "that is how a test fails")]

use super::dialects::{all_fail, all_read, all_values};
use bitstride::notation::{Ints, read};
use bitstride_lang::evaluate;

#[test]
fn cute_cpp_reads_as_the_canonical_text() {
    all_read(
        "CuTe C++",
        &[
            ("Layout<Shape<_8,Int<64>>,Stride<Int<64>,_1>>{}", "(8,64):(64,1)"),
            (
                "Layout< Shape< Shape<_32,_4>, Shape<Int<16>, _4>>, Stride<Stride<_16,_4>, Stride< _0, _1>>>",
                "((32,4),(16,4)):((16,4),(0,1))",
            ),
            (
                "cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > >",
                "(8,64):(64,1)",
            ),
            ("cute::Layout<cute::tuple<cute::C<(int)8>, int>, cute::tuple<cute::C<1>, cute::C<8l>>>", "(8,?):(1,8)"),
            ("Layout<_8>", "column_major(8)"),
            ("make_tuple(Layout<_4,_2>{}, _8{})", "<4:2, 8>"),
            (
                "size(make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}, Layout<Shape<_2,_1,_1>>{}))",
                "size(tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K,GMMA::Major::K>, column_major((2,1,1))))",
            ),
            ("MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{}", "atom(SM80_16x8x16_F32F16F16F32_TN)"),
            ("cute::MMA_Atom<MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>>", "atom(SM80_16x8x16_F32F16F16F32_TN)"),
            ("Copy_Atom<SM75_U32x4_LDSM_N, cutlass::half_t>{}", "copy_atom(atom(SM75_U32x4_LDSM_N), 16)"),
            (
                "make_tiled_copy_S(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, TiledCopy<Copy_Atom<UniversalCopy<uint32_t>, half_t>, Layout<_32,_8>, Shape<_256>>{})",
                "make_tiled_copy_S(atom(UniversalCopy<uint128_t>), 16, tiled_copy_tv(atom(UniversalCopy<uint32_t>), 16, 32:8, (256)))",
            ),
            (
                "make_tiled_copy(CopyA, Layout<_32>{}, Layout<_1,_8>{})",
                "tiled_copy(CopyA, part(CopyA, bits), column_major(32), 1:8)",
            ),
            ("MMA_Atom<SM80_16x8x8_F32TF32TF32F32_TN>{}.A", "part(atom(SM80_16x8x8_F32TF32TF32F32_TN), A)"),
            ("MMA_Traits<SM80_16x8x8_F32TF32TF32F32_TN>::ALayout{}", "part(atom(SM80_16x8x8_F32TF32TF32F32_TN), A)"),
            ("Copy_Traits<SM75_U32x4_LDSM_N>::DstLayout", "part(atom(SM75_U32x4_LDSM_N), Dst)"),
            (
                "TiledMMA<MMA_Atom<SM80_16x8x8_F32TF32TF32F32_TN>>{}.get_layoutB_TV()",
                "part(tiled_mma(atom(SM80_16x8x8_F32TF32TF32F32_TN)), B)",
            ),
            ("mma.get_slice(5).partition_C(gC)", "partition_C(mma, gC, 5)"),
            (
                "make_tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN{}).get_thread_slice(5).partition_fragment_A(8:1)",
                "partition_fragment_A(tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN), 8:1)",
            ),
            ("copy.get_slice(5).retile_S(r)", "retile(copy, r)"),
            ("mma.get_thread_slice(5)", "get_slice(mma, 5)"),
            ("thr_mma.partition_A(gA)", "partition_A(thr_mma, gA)"),
            ("thr_copy.retile_D(r)", "retile(thr_copy, r)"),
            (
                "make_cotiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_128,_8>,Stride<_8,_1>>{}, Layout<Shape<_8,_256>,Stride<_256,_1>>{})",
                "make_cotiled_copy(atom(UniversalCopy<uint128_t>), 16, (128,8):(8,1), (8,256):(256,1))",
            ),
            (
                "make_tiled_copy_C_atom(Copy_Atom<SM90_U32x4_STSM_N, half_t>{}, mma)",
                "make_tiled_copy_C_atom(atom(SM90_U32x4_STSM_N), 16, mma)",
            ),
            (
                "make_tiled_mma(UniversalFMA<float,float,float>{}, Layout<Shape<_16,_16,_1>>{})",
                "tiled_mma(UniversalFMA<float,float,float>, column_major((16,16,1)))",
            ),
            ("print(Layout<_4,_2>{});", "4:2"),
            (
                "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{}, Tile<_32,_32,_16>{})",
                "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, column_major((2,2,1)), <32, 32, 16>)",
            ),
            (
                "cute::TiledMMA<cute::MMA_Atom<cute::SM90_64x64x16_F32F16F16_SS<cute::GMMA::Major::K, cute::GMMA::Major::K>>, \
                 cute::Layout<cute::tuple<cute::C<2>, cute::C<1>, cute::C<1>>>>",
                "tiled_mma(atom(SM90_64x64x16_F32F16F16_SS<GMMA::Major::K,GMMA::Major::K>), column_major((2,1,1)))",
            ),
            (
                "MMA_Atom<cute::SM90::GMMA::MMA_64x64x16_F32F16F16_SS<(cute::SM90::GMMA::Major)0, (cute::SM90::GMMA::Major)1, \
                 (cute::SM90::GMMA::ScaleIn)1, (cute::SM90::GMMA::ScaleIn)1>>",
                "atom(MMA_64x64x16_F32F16F16_SS<GMMA::Major::K,GMMA::Major::MN,GMMA::ScaleIn::One,GMMA::ScaleIn::One>)",
            ),
            (
                "make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{}, Layout<Shape<_32,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})",
                "tiled_copy(atom(SM80_CP_ASYNC_CACHEALWAYS<uint128_t>), 16, (32,8):(8,1), column_major((1,8)))",
            ),
            (
                "make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)))",
                "make_tiled_copy_A(atom(SM75_U32x4_LDSM_N), 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)))",
            ),
            (
                "TiledCopy<Copy_Atom<UniversalCopy<uint128_t>, float>, Layout<Shape<_32,_4>,Stride<_4,_1>>, Shape<_16,_8>>",
                "tiled_copy_tv(atom(UniversalCopy<uint128_t>), 32, (32,4):(4,1), (16,8))",
            ),
            ("cute::tuple<cute::tuple<Layout<_4,_2>,_2>, _8>", "<<4:2,2>, 8>"),
            ("make_tuple(size(4:1), make_shape(_8{}))", "(size(4?:1?),(8))"),
            ("Layout<Shape<_8, _4>>{}", "column_major((8,4))"),
            ("Layout<Shape<_8>,Stride<_1>>()", "(8):(1)"),
            ("Layout<Shape<_8,_4>, LayoutRight>{}", "row_major((8,4))"),
            ("make_layout(make_shape(_8{},Int<64>{}),make_stride(Int<64>{},_1{}))", "(8,64):(64,1)"),
            ("make_layout(make_shape(8,64), LayoutRight{})", "row_major((8,64))"),
            ("make_layout(Shape<_8,_64>{}, cute::GenRowMajor{})", "row_major((8,64))"),
            ("make_layout(make_shape(8,64), GenColMajor{})", "column_major((8,64))"),
            ("make_layout(make_shape(8,64))", "make_layout((8,64))"),
            ("make_layout(make_shape(Int<8>{}, 64), make_stride(64, _1{}))", "(8,64?):(64?,1)"),
            ("make_layout(Int<8>{}, Int<2>{})", "8:2"),
            ("GMMA::ABLayout< 64, 16>", "(128,(64,16)):(0,(1,64))"),
            ("logical_divide(L, Shape<X, X, _2>{})", "logical_divide(L, (_,_,2))"),
            ("make_coord(X{}, _1{})", "(_,1)"),
            ("make_layout(Layout<_8,_1>{}, Layout<_4,_8>{})", "make_layout(8:1, 4:8)"),
            (
                "composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, Int<64>>, Stride<Int<64>, _1>>{})",
                "composition(Sw<3,3,3>, (8,64):(64,1))",
            ),
            (
                "ComposedLayout<Swizzle<3,4,3>, Int<0>, Layout<Shape<_8,_64>,Stride<_64,_1>>>{}",
                "Sw<3,4,3> o 0 o (8,64):(64,1)",
            ),
            (
                "cute::ComposedLayout<cute::Swizzle<3, 4, 3>, cute::smem_ptr_flag_bits<16>, cute::Layout<cute::tuple<cute::C<8>, cute::C<64>>, cute::tuple<cute::C<64>, cute::C<1>>>>",
                "Sw<3,4,3> o bytes[16] o (8,64):(64,1)",
            ),
            (
                "zipped_divide(Layout<Shape<_8,_64>>{}, make_tile(_4{}, Layout<_8,_2>{}))",
                "zipped_divide(column_major((8,64)), <4, 8:2>)",
            ),
            ("Tile<Layout<_3,_3>, _8, Underscore>{}", "<3:3, 8, _>"),
            (
                "local_tile((128,64):(64,1), make_tile(32,32,8), make_coord(1,1,_), Step<_1,X,_1>{})",
                "local_tile((128,64):(64,1), <32, 32, 8>, (1,1,_), (1,_,1))",
            ),
            ("Layout<Shape<_4,_8>,Stride<E<0>,ScaledBasis<Int<2>,1,0>>>{}", "(4,8):(1@0,2@0@1)"),
            ("E<1,0>{} * 42", "1@0@1*42"),
            ("layout<0>(Layout<Shape<_4,_8>>{})", "layout[0](column_major((4,8)))"),
            ("cute::get<1>(cute::Shape<cute::_4, cute::_8>{})", "get[1]((4,8))"),
            ("Layout<Shape<_4,_8>,Stride<_8,_1>>{}(1, 2)", "crd2idx((1,2), (4,8):(8,1))"),
            ("Layout<_4,_2>{} + 7", "4:2 + 7"),
            ("decltype(Layout<_4,_2>{}){}", "4:2"),
            ("Sw<3,4,3>_smem_ptr[16b](0x7f4b22000000) o (8,64):(64,1)", "Sw<3,4,3> o bytes[16] o (8,64):(64,1)"),
            ("Tensor<ViewEngine<gmem_ptr<float*>>, Layout<tuple<C<4>, int>, tuple<C<1>, C<4>>>>", "(4,?):(1,4)"),
            ("Int<64 / 2 * 3>{}", "96"),
            ("_8{}", "8"),
            ("Swizzle<2,3>{}", "Sw<2,3,2>"),
            ("make_tensor(make_smem_ptr(smem.data()), Layout<_8,_1>{})", "8:1"),
            ("make_layout(int(8), M)", "8?:M"),
            (
                "tile_to_shape(SmemLayoutAtom{}, make_shape(Int<128>{}, Int<64>{}))",
                "tile_to_shape(SmemLayoutAtom, (128,64))",
            ),
            ("GMMA::Layout_K_SW128_Atom<half_t>{}", "Sw<3,4,3> o bytes[16] o (8,64):(64,1)"),
            ("cute::UMMA::Layout_MN_SW64_Atom<cutlass::float_e4m3_t>{}", "Sw<2,4,3> o bytes[8] o (64,8):(1,64)"),
            ("group_modes<0,2>((4,8,2):(8,1,32))", "group((4,8,2):(8,1,32), 0, 2)"),
            (
                "struct cute::Layout<struct cute::tuple<struct cute::C<8> >,struct cute::tuple<struct cute::C<1> > >",
                "(8):(1)",
            ),
            ("make_ordered_layout(Shape<_4,_8>{}, Step<_1,_0>{})", "make_ordered_layout((4,8), (1,0))"),
            ("cosize_v<Layout<Shape<_8,_4>,Stride<_5,_1>>>", "cosize((8,4):(5,1))"),
            ("decltype(size(Layout<_8,_4>{}))::value", "size(8:4)"),
            ("make_shape(8_c, 4_c)", "(8,4)"),
            ("make_swizzle<0b111000, 0x7>()", "make_swizzle(56, 7)"),
            ("Int<8ul>{}", "8"),
            ("make_tensor<cutlass::half_t>(make_shape(_4{}, _8{}), LayoutRight{})", "row_major((4,8))"),
            ("make_tensor<float>(Layout<_8,_4>{})", "8:4"),
            ("make_tensor_like<float>(Layout<_8,_4>{})", "make_layout_like(8:4)"),
            ("make_fragment_like<half_t>(Layout<_8,_4>{})", "make_fragment_like(8:4)"),
            ("recast_layout<half_t, uint128_t>(Layout<_64,_1>{})", "recast(64:1, 16, 128)"),
            ("crd2idx(make_coord(1,2), make_shape(_8{},_8{}), make_stride(_8{},_1{}))", "crd2idx((1,2), (8,8):(8,1))"),
            ("counting_iter(0) o (_4{},_8{}):(_1{},_4{})", "(4,8):(1,4)"),
            ("subptr[4b](0x7f00.1) o 8:1", "bytes[4] o 8:1"),
            ("tmem_[32b](0x0000.0040) o (_128{},_8{}):(_65536{},_1{})", "bytes[32] o (128,8):(65536,1)"),
            ("ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<_8,_1>>", "Sw<3,4,3> o bytes[1] o 8:1"),
        ],
    );
}

/// What CuTe DSL's compiler printed of one kernel: the store to memory follows the load from tensor memory.
#[test]
fn printed_copies_follow_one_another() {
    const TMEM: &str = "!cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x16>, layout_copy_tv = <\"((32,4),(16,32)):((0,1),(128,4))\">, tiler_mn = <\"[(4,32):(32,1);16:1]\">>";
    const STORE: &str = "!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <\"((32,4),(16,1)):((4,1),(128,0))\">, tiler_mn = <\"[(4,32):(32,1);16:1]\">>";
    let value = |text: String| evaluate(&text).unwrap_or_else(|error| panic!("{text}: {error}")).value;
    let made = format!("make_tiled_copy_D(atom(AutoVectorizingCopyWithAssumedAlignment), 32, {TMEM})");
    assert_eq!(value(made), value(STORE.to_owned()));
}

#[test]
fn cute_cpp_has_values() {
    all_values(&[
        ("auto a = make_layout(8, 2);", "8:2"),
        ("using ALayout = GMMA::ABLayout< 64, 16>;", "(128,(64,16)):(0,(1,64))"),
        (
            "c = tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8))\nt = c.get_slice(5)\nt.partition_S((128,64):(64,1))",
            "((8,1),8,1):((1,0),1024,0) + 40",
        ),
        (
            "composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, Int<64>>, Stride<Int<64>, _1>>{})",
            "Sw<3,3,3> o 0 o (8,64):(64,1)",
        ),
        ("size<0>(Layout<Shape<_4,_8>>{})", "4"),
        ("make_layout(make_shape(8,64))", "(8,64):(1,8)"),
        ("ComposedLayout<Swizzle<3,4,3>, Int<0>, Layout<Shape<_8,_64>,Stride<_64,_1>>>{}(1,0)", "64"),
    ]);
}

#[test]
fn wrong_cute_cpp_is_pointed_at() {
    all_fail(&[
        ("Layout<Shape<_8,>>", ">", "Int<8>"),
        ("Layout<Shape<_8,_64>,Stride<_64,_1>", "<", "never closed"),
        ("Layout<vector<_8>>", "vector", "Shape<"),
        ("size(LayoutRight{})", "LayoutRight", "make_layout"),
        ("Int<>{}", ">", "a number"),
        ("Layout<_4,_2>{} * 2", "Layout<_4,_2>{}", "layout"),
        ("ComposedLayout<Swizzle<3,4,3>, Layout<_8>>", "ComposedLayout<Swizzle<3,4,3>, Layout<_8>>", "three"),
        ("ArithTuple(0,128) o (4,8):(1@0,1@1) o (4,2):(2,1)", "(4,8):(1@0,1@1) o (4,2):(2,1)", "no composition"),
        ("auto a = M:Sw<3,3,3>;", "Sw<3,3,3>", "no stride"),
        ("mma.get_slice(5).partition(8:1)", "partition", "partition_A"),
    ]);
}

#[test]
fn layouts_of_shared_memory_have_one_meaning() {
    let value =
        |text: String| evaluate(&text).map(|answer| answer.value).unwrap_or_else(|error| panic!("{text}: {error}"));
    for (kind, operands) in [
        ("K_SW128", "K, 128"),
        ("K_SW64", "K, 64"),
        ("K_SW32", "K, 32"),
        ("K_INTER", "K, 0"),
        ("MN_SW128", "MN, 128"),
        ("MN_INTER", "MN, 0"),
    ] {
        for (cpp, dsl, bits) in [("half_t", "Float16", 16), ("float", "Float32", 32), ("int8_t", "Int8", 8)] {
            let of_cpp = value(format!("GMMA::Layout_{kind}_Atom<{cpp}>{{}}"));
            let of_dsl = value(format!("make_smem_layout_atom(SmemLayoutAtomKind.{kind}, cutlass.{dsl})"));
            assert_eq!(of_cpp, of_dsl, "{kind} {dsl}");
            let same = value(format!("same({of_cpp}, smem_atom({operands}, {bits}))")).to_string();
            assert_eq!(same, "same", "{kind} {dsl}");
        }
    }
    all_values(&[(
        "sm90_utils.make_smem_layout_a(utils.LayoutEnum.ROW_MAJOR, (128,256,64), cutlass.Float16, 4)",
        "Sw<3,4,3> o bytes[16] o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))",
    )]);
}

#[test]
fn pycute_and_tensor_layouts_read_as_the_canonical_text() {
    all_read(
        "pycute or tensor-layouts",
        &[
            ("Layout((2, (3, 4)),(1, (2, 6)))", "(2,(3,4)):(1,(2,6))"),
            ("Layout((8, 64) : (64, 1))", "(8,64):(64,1)"),
            ("Layout(4, 1)", "4:1"),
            ("Layout((4,), (1,))", "(4):(1)"),
            ("Layout((4, 8))", "column_major((4,8))"),
            ("Layout(Layout(4, 1), Layout(2, 4))", "make_layout(4:1, 2:4)"),
            ("pycute.Layout(_shape=(4, 8), _stride=(8, 1))", "(4,8):(8,1)"),
            ("Swizzle(2,1,3)", "Sw<2,1,3>"),
            ("SW_2_1_3 o 0 o (8, 8):(8, 1)", "Sw<2,1,3> o 0 o (8,8):(8,1)"),
            ("SW_2_1_-3", "Sw<2,1,-3>"),
            ("ComposedLayout(Swizzle(2,1,3),0,Layout((8, 8),(8, 1)))", "Sw<2,1,3> o 0 o (8,8):(8,1)"),
            ("ComposedLayout(Swizzle(2, 1, 3), Layout(64, 1), offset=3)", "Sw<2,1,3> o 3 o 64:1"),
            ("ComposedLayout(Swizzle(2, 1, 3), Layout(64, 1))", "Sw<2,1,3> o 0 o 64:1"),
            ("Tile(Layout(4, 1), Layout(8, 2))", "<4:1, 8:2>"),
            ("(Layout(4, 2), 8, Layout(8, 1))", "<4:2, 8, 8:1>"),
            ("((2, Layout(4, 2)), Layout(8))", "<<2,4:2>, column_major(8)>"),
            ("(Layout(4, 2),)", "<4:2>"),
            ("(Layout(4, 2))", "(4:2)"),
            ("make_layout((Layout(4, 2), Layout(8, 8)))", "make_layout(4:2, 8:8)"),
            ("(Swizzle(2, 1, 3)) o {3} o ((4, 8) : (8, 1))", "Sw<2,1,3> o 3 o (4,8):(8,1)"),
            ("(Swizzle(2, 1, 3)) o (64 : 1)", "Sw<2,1,3> o 64:1"),
            ("{1} ∘ (2, 3) : (1, 2)", "(2,3):(1,2) + 1"),
            ("Tensor((2, 3) : (1, 2), offset=1)", "(2,3):(1,2) + 1"),
        ],
    );
    assert!(read("Layout((0, 1), ((8, 128),))", Ints::Plain).is_ok_and(|reading| reading.dialects.is_empty()));
}

#[test]
fn wrong_python_is_pointed_at() {
    all_fail(&[
        ("cute.make_layout((8,64), strides=(64,1))", "strides", "make_layout(shape, [stride])"),
        ("cute.composition(4:1)", "4:1", "`rhs` is missing"),
        ("!cute.layout<8>", "8", "quotes"),
        ("!cute.layout<\"(8,\">", "", "end of the text"),
        ("tensor<ptr<smem, S<3,4,3>> o 4:1>", "S<3,4,3>", "bits"),
        ("Swizzle(2, 1)", "1", "`shift` is missing"),
    ]);
}
