//! Texts of tensors: memory references of MLIR, PyTorch, NumPy and einops, declarations.

#![allow(clippy::panic, reason = "that is how a test fails")]

use super::dialects::{all_fail, all_read, all_values};
use bitstride::notation::{Ints, read};
use bitstride_lang::evaluate;

#[test]
fn memory_references_of_mlir_read_as_the_canonical_text() {
    all_read(
        "MLIR",
        &[
            ("memref<16x256xf32>", "tensor((16,256), (256,1))"),
            ("memref<16x256xf32, 3>", "tensor((16,256), (256,1))"),
            ("memref<4xcomplex<f32>, strided<[2]>>", "tensor((4), (2))"),
            ("memref<f32, strided<[], offset: 3>>", "tensor((), (), 3)"),
            ("memref<f32>", "tensor((), ())"),
            ("memref<16x256xf32, strided<[512, 1], offset: 8>>", "tensor((16,256), (512,1), 8)"),
            (
                "memref<16x256xf32, strided<[1, -16], offset: 0>, #gpu.address_space<workgroup>>",
                "tensor((16,256), (1,-16))",
            ),
            ("memref<?x256xf32, strided<[?, 1], offset: ?>>", "(?,256):(?,1) + ?"),
            ("memref<4x?x8xf32>", "(4,?,8):(?,8,1)"),
            (
                "memref<16x256xf32, affine_map<(d0, d1) -> (d1 * 16 + d0)>, 3>",
                "affine(affine_map<(d0, d1) -> (d1 * 16 + d0)>, (16,256))",
            ),
        ],
    );
    all_fail(&[
        (
            "memref<16x256xf32, strided<[256], offset: 8>>",
            "memref<16x256xf32, strided<[256], offset: 8>",
            "1 strides for 2 dims",
        ),
        (
            "memref<16x256xf32, affine_map<(d0, d1) -> (d1, d0)>>",
            "memref<16x256xf32, affine_map<(d0, d1) -> (d1, d0)>",
            "one offset",
        ),
        ("memref<16x256xf32, #map>", "memref<16x256xf32, ", "stands for is not known"),
        ("memref<16x256>", ">", "`x`"),
    ]);
}

#[test]
fn tensors_read_as_the_canonical_text() {
    all_read(
        "PyTorch",
        &[
            ("x[2,3,4].permute(2,0,1)", "tensor((2,3,4), (12,4,1)).permute(2, 0, 1)"),
            ("x.view(2, 3, 4).transpose(0, 1).contiguous()", "x.view(2, 3, 4).swapaxes(0, 1).contiguous()"),
            ("x[2,3].reshape((3, 2))", "tensor((2,3), (3,1)).reshape(3, 2)"),
            ("x[2,3].T", "tensor((2,3), (3,1)).T()"),
            ("torch.empty(2, 3, dtype=torch.float16).t()", "tensor((2,3), (3,1)).t()"),
            ("torch.empty_strided((2, 3), (1, 2))", "tensor((2,3), (1,2))"),
            ("torch.permute(x[2,3], (1,0))", "tensor((2,3), (3,1)).permute(1, 0)"),
            ("torch.as_strided(x, (2,3), (3,1), 5)", "tensor((2,3), (3,1), 5)"),
            ("torch.Size([2, 3])", "(2,3)"),
            ("torch.Size([2, 3]) (3, 1)", "tensor((2,3), (3,1))"),
            ("torch.Size([2, 3]), (3, 1)", "tensor((2,3), (3,1))"),
            ("torch.Size([4, 8]) stride=(8, 1)", "tensor((4,8), (8,1))"),
            ("x.shape = torch.Size([4, 8]), x.stride() = (8, 1)", "tensor((4,8), (8,1))"),
            ("x.stride()=(8, 1)\nx.size()=torch.Size([4, 8])\nx.storage_offset()=3", "tensor((4,8), (8,1), 3)"),
            (
                "shape=torch.Size([4, 8]) stride=(8, 1) dtype=torch.float32 device=cuda:0 requires_grad=False",
                "tensor((4,8), (8,1))",
            ),
            ("(torch.Size([2, 3]), (3, 1))", "tensor((2,3), (3,1))"),
            ("(torch.Size([2, 3]), (3, 1), 5)", "tensor((2,3), (3,1), 5)"),
            ("torch.arange(24).view(2, -1)", "tensor((24), (1)).view(2, -1)"),
            ("size=(2, 3), stride=(3, 1)", "tensor((2,3), (3,1))"),
            ("shape: [2, 3], stride: [3, 1], storage_offset: 4", "tensor((2,3), (3,1), 4)"),
            ("reinterpret_tensor(buf0, (64, 8), (1, 64), 16)", "tensor((64,8), (1,64), 16)"),
            ("empty_strided_cuda((8, 64), (64, 1), torch.float32)", "tensor((8,64), (64,1))"),
            ("FixedLayout('cuda:0', torch.float32, size=[8, 64], stride=[64, 1])", "tensor((8,64), (64,1))"),
            ("f32[8, 64][64, 1]cuda:0", "tensor((8,64), (64,1))"),
            ("torch.empty(2, 3, 4, 5, memory_format=torch.channels_last)", "tensor((2,3,4,5), (60,1,15,3))"),
            (
                "x[2,3,4,5].contiguous(memory_format=torch.channels_last)",
                "tensor((2,3,4,5), (60,20,5,1)).ordered(0, 2, 3, 1)",
            ),
            ("torch.randn(2, 3).to('cuda').half().t()", "tensor((2,3), (3,1)).t()"),
            ("torch.randn(2, 3).size(1)", "tensor((2,3), (3,1)).shape(1)"),
            ("x[2,12].unflatten(1, (3, 4))", "tensor((2,12), (12,1)).unflatten(1, (3,4))"),
            ("(4,8):(8,1).permute(1,0)", "(4,8):(8,1).permute(1, 0)"),
        ],
    );
    all_read(
        "NumPy",
        &[
            ("np.zeros((2, 3), order='F')", "tensor((2,3), (1,2))"),
            (
                "np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)",
                "tensor((24), (1)).reshape(2, 3, 4).permute(2, 0, 1)",
            ),
            ("np.ndarray((2, 3), np.float32, strides=(12, 4))", "tensor((2,3), (3,1))"),
            ("shape=(4, 8) strides=(32, 4) dtype=float32", "tensor((4,8), (8,1))"),
            ("x.shape: (4, 8), x.strides: (2, 8), x.dtype: dtype('<i2')", "tensor((4,8), (1,4))"),
            ("np.zeros((2, 3), np.float32)", "tensor((2,3), (3,1))"),
            ("jnp.zeros((2, 3), jnp.bfloat16)", "tensor((2,3), (3,1))"),
            ("np.empty((2, 3), float, 'F')", "tensor((2,3), (1,2))"),
            ("np.lib.stride_tricks.as_strided(np.zeros(10, dtype=np.float32), 4, (8,))", "tensor((4), (2))"),
            // A code of NumPy counts bytes.
            ("np.ndarray((2, 3), 'f8', strides=(24, 8))", "tensor((2,3), (3,1))"),
            ("np.ndarray((2, 3), dtype='<i2', strides=(6, 2))", "tensor((2,3), (3,1))"),
            (
                "np.lib.stride_tricks.as_strided(np.zeros(24, dtype=np.float32), shape=(3, 4), strides=(16, 4))",
                "tensor((3,4), (4,1))",
            ),
            ("np.transpose(np.zeros((2, 3)))", "tensor((2,3), (3,1)).transpose()"),
            ("jnp.zeros((2, 3)).T", "tensor((2,3), (3,1)).T()"),
            ("np.arange(24).reshape((2, 3, 4), order='F')", "tensor((24), (1)).T().reshape(4, 3, 2).T()"),
        ],
    );
    all_read(
        "einops",
        &[
            (
                "rearrange(tensor((2,12,4), (48,4,1)), 'b (h p) c -> b p (h c)', h=3)",
                "tensor((2,12,4), (48,4,1)).rearrange(\"b (h=3 p) c -> b p (h c)\")",
            ),
            (
                "rearrange('b (h p) -> p b h', b=2, h=3, p=4)",
                "tensor((2,12), (12,1)).rearrange(\"b=2 (h=3 p=4) -> p b h\")",
            ),
            ("'b (h p) -> p b h', b=2, h=3, p=4", "tensor((2,12), (12,1)).rearrange(\"b=2 (h=3 p=4) -> p b h\")"),
            ("einops.repeat(x, 'h w -> h w c', h=2, w=3, c=4)", "x.repeat(\"h=2 w=3 -> h w c=4\")"),
        ],
    );
}

#[test]
fn tensors_have_values() {
    all_values(&[
        ("x[2,3,4].permute(2,0,1)", "tensor((4,2,3), (1,12,4))"),
        ("x.view(6,4).t()", "tensor((4,6), (1,4))"),
        ("x[2,3,4].transpose(0,-1)", "tensor((4,3,2), (1,4,12))"),
        ("x[2,3].transpose(1,0)", "tensor((3,2), (1,3))"),
        ("np.zeros((2,3)).transpose(0,1)", "tensor((2,3), (3,1))"),
        ("torch.zeros(2,3).transpose(0,1)", "tensor((3,2), (1,3))"),
        ("x[2,3,4].permute(1,0,2).reshape(3,8)", "reshape(tensor((3,2,4), (4,12,1)), (3,8), row)"),
        ("x[2,3,4].permute(1,0,2).contiguous().view(24)", "reshape(tensor((3,2,4), (4,12,1)), (24), row)"),
        ("x[2,3,4].reshape(6,4)", "tensor((6,4), (4,1))"),
        ("x[1,4].unsqueeze(0)", "tensor((1,1,4), (4,4,1))"),
        ("x[2,1,3].expand(2,5,-1)", "tensor((2,5,3), (3,0,1))"),
        ("x[4,6].narrow(1,2,3)", "tensor((4,3), (6,1), 2)"),
        ("x[2,3,4].flatten(1)", "tensor((2,12), (12,1))"),
        ("rearrange(x[2,12,4], 'b (h p) c -> b h p c', p=4)", "tensor((2,3,4,4), (48,16,4,1))"),
        (
            "rearrange(x[2,12,4], 'b (h p) c -> b p (h c)', h=3)",
            "reshape(tensor((2,4,3,4), (48,4,16,1)), (2,4,12), row)",
        ),
        ("rearrange(x[2,3,4], 'b ... -> ... b')", "tensor((3,4,2), (4,1,12))"),
        ("repeat(x[2,3], 'h w -> h w c', c=4)", "tensor((2,3,4), (3,1,0))"),
        ("repeat(x[2,3], 'h w -> 2 h w 4')", "tensor((2,2,3,4), (0,3,1,0))"),
        ("x[2,3].t().contiguous()", "tensor((3,2), (1,3))"),
        ("np.arange(24).reshape((2,3,4), order='F')", "tensor((2,3,4), (1,2,6))"),
        ("cute.slice_((128, (64, 32), 4), (None, (0, None), 1))", "(128,(32))"),
        ("cute.make_layout_tv((4,32):(32,1), (4,8):(8,1))", "tv(((32,4),(8,4)):((128,4),(16,1)), (16,256))"),
        ("(0,0) o (4,8):(1@0,1@1)", "(4,8):(1@0,1@1)"),
        ("(0,16) o (4,8):(1@0,1@1)", "(4,8):(1@0,1@1) + (0,16)"),
        (
            "LinearLayout.identity_1d(2, \"lane\", \"x\") * LinearLayout.identity_1d(2, \"warp\", \"x\")",
            "linear<{lane=[[1]], warp=[[2]]}, out=[x:4]>",
        ),
    ]);
    let same =
        "same(x.view(1,2,2,16,2,4,16).permute(0,2,1,4,5,3,6), x.view(1,2,2,16,2,4,4,4).permute(0,2,1,4,3,6,5,7))";
    assert!(evaluate(same).is_ok_and(|answer| answer.value.is_false()));
    for (text, words) in [
        ("x[2,3,4].permute(1,0,2).view(3,8)", "no view"),
        ("x[2,3].transpose(0,1)", "ambiguous"),
        ("x[2,3].view(4,2)", "6 elements"),
        ("x.permute(1,0)", "has no sizes"),
        ("x[2,3,4].t()", "at most 2"),
        ("x[2,3].flatten(1, 0)", "dim 1 comes after dim 0"),
        ("x[2,3,4].flatten(-2, -3)", "dim 1 comes after dim 0"),
        ("x[1].unflatten(0, ())", "unflatten is called as"),
        ("x[8].as_strided((3,3), (-1,1))", "strides from 0 on"),
        ("torch.as_strided(x, (3,3), (-1,1))", "from 0 on, not -1"),
        ("torch.as_strided(x, (3,3), (3,1), -2)", "from 0 on, not -2"),
        ("torch.empty_strided((3,3), (3,-1))", "from 0 on, not -1"),
        ("reinterpret_tensor(buf0, (3,3), (-3,1), 6)", "from 0 on, not -3"),
        ("x[2,3].permute(0,0)", "once"),
        ("rearrange(x[2,3], 'a b c -> c b a')", "left side has 3"),
        ("rearrange(x[2,3], 'a b -> a')", "does not stand on the right"),
    ] {
        let error = evaluate(text).err().unwrap_or_else(|| panic!("{text} is answered"));
        assert!(error.message().contains(words), "{text}: {error}");
    }
}

#[test]
fn declarations_read_as_what_they_declare() {
    for (text, canonical) in [
        (
            "using SmemLayout = decltype(composition(Swizzle<3,3,3>{}, Layout<_8,_1>{}));  // (BLK_M)",
            "composition(Sw<3,3,3>, 8:1)",
        ),
        ("static constexpr auto layout = Layout<_8>{};", "column_major(8)"),
        ("tCsA : smem_ptr[16b](0x7f00) o 8:1", "bytes[16] o 8:1"),
        ("ThrLayout:  (4,8):(8,1)", "(4,8):(8,1)"),
        ("const cute::Layout<cute::C<8>, cute::C<1> > &", "8:1"),
        ("Layout<_8, /* rows */ _1>{} /* done */", "8:1"),
        ("primals_1: \"f32[8, 64][64, 1]cuda:0\"", "tensor((8,64), (64,1))"),
        ("Tensor gA = make_tensor(make_gmem_ptr(A + 4), make_shape(M, _8{}), make_stride(_8{}, _1{}));", "(M,8):(8,1)"),
    ] {
        let reading = read(text, Ints::Plain).unwrap_or_else(|error| panic!("{text}: {error} {:?}", error.span));
        assert_eq!(reading.tree.to_string(), canonical, "{text}");
    }
}
