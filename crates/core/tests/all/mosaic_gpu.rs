//! Layouts of registers of Mosaic GPU are the encodings whose numbers JAX's own classes give.
#![allow(clippy::panic, reason = "that is how a test fails")]

use crate::dialects::all_read;
use bitstride::notation::{Ints, read};
use bitstride_lang::evaluate;

#[test]
fn registers_of_mosaic_gpu_read_as_encodings() {
    let wgmma = "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], \
                 warp = [[16, 0], [32, 0]], block = []}>";
    let columns = "#ttg.linear<{register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]], block = []}>";
    all_read(
        "JAX",
        &[
            ("plgpu.Layout.WGMMA", wgmma),
            ("mgpu.WGMMA_LAYOUT", wgmma),
            (
                "TiledLayout(Tiling(((64, 8), (16, 8), (8, 8), (1, 2))), warp_dims=(-8,), lane_dims=(-4, -3), vector_dim=-1)",
                wgmma,
            ),
            (
                "TiledLayout(tiling=Tiling(tiles=((8,), (2,))), warp_dims=(Replicated(times=4),), \
                 lane_dims=(Replicated(times=8), -2), vector_dim=-1)",
                columns,
            ),
            ("mgpu.WGMMA_COL_LAYOUT", columns),
            ("plgpu.Layout.WGMMA.reduce(1)", &format!("#ttg.slice<{{dim = 1, parent = {wgmma}}}>")),
        ],
    );
    // As `TiledLayout.lane_indices`, `warp_indices` and `registers_shape` of JAX 0.10.2 number them on two tiles each way.
    for (layout, shape, registers, lanes, warps) in [
        ("WGMMA", "(128,16)", "[0,1],[8,0],[0,8],[64,0]", "[0,2],[0,4],[1,0],[2,0],[4,0]", "[16,0],[32,0]"),
        ("WGMMA_8BIT", "(128,32)", "[0,1],[0,2],[8,0],[0,16],[64,0]", "[0,4],[0,8],[1,0],[2,0],[4,0]", "[16,0],[32,0]"),
        (
            "WGMMA_UPCAST_2X",
            "(128,32)",
            "[0,1],[0,2],[8,0],[0,16],[64,0]",
            "[0,8],[0,4],[1,0],[2,0],[4,0]",
            "[16,0],[32,0]",
        ),
        (
            "WGMMA_UPCAST_4X",
            "(128,64)",
            "[0,1],[0,2],[0,4],[8,0],[0,32],[64,0]",
            "[0,8],[0,16],[1,0],[2,0],[4,0]",
            "[16,0],[32,0]",
        ),
        ("TCGEN05", "(256,16)", "[0,1],[8,0],[16,0],[0,8],[128,0]", "[0,2],[0,4],[1,0],[2,0],[4,0]", "[32,0],[64,0]"),
        ("TCGEN05_TMEM_NATIVE", "(256,4)", "[0,1],[0,2],[128,0]", "[1,0],[2,0],[4,0],[8,0],[16,0]", "[32,0],[64,0]"),
        ("TMA_INDICES", "(32)", "[1],[2],[16]", "[0],[0],[0],[0],[0]", "[4],[8]"),
        ("TMA_INDICES_4", "(8)", "[1],[2],[4]", "[0],[0],[0],[0],[0]", "[0],[0]"),
        ("TCGEN05_ROW", "(256)", "[8],[16],[128]", "[0],[0],[1],[2],[4]", "[32],[64]"),
        ("WGMMA.reduce(1)", "(128)", "[8],[64]", "[0],[0],[1],[2],[4]", "[16],[32]"),
        ("WGMMA.reduce(0)", "(16)", "[1],[8]", "[2],[4],[0],[0],[0]", "[0],[0]"),
    ] {
        let text = format!("to_linear(plgpu.Layout.{layout}, {shape})");
        let answer = evaluate(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let bases = format!("linear<{{register=[{registers}], lane=[{lanes}], warp=[{warps}], block=[]}}");
        assert!(answer.value.to_string().starts_with(&bases), "{text}: {}", answer.value);
    }
    let strided = evaluate("plgpu.Layout.WG_STRIDED((64, 16), 2)").map(|answer| answer.value.to_string());
    assert_eq!(
        strided.as_deref(),
        Ok(
            "linear<{register=[[0,1],[16,0],[32,0]], lane=[[0,2],[0,4],[0,8],[1,0],[2,0]], warp=[[4,0],[8,0]], block=[]}, \
            out=[dim0:64, dim1:16]>"
        )
    );
    for (text, said) in [
        ("plgpu.Layout.WGMMA_TRANSPOSED", "numbered"),
        ("plgpu.Layout.WG_SPLAT", "one value"),
        ("plgpu.Layout.TCGEN05_M64_COLLECTIVE(64)", "TiledLayout"),
        ("plgpu.Layout.WGMA", "no layout of Mosaic GPU"),
        ("plgpu.Layout.WGMMA.reduce(2)", "one of the dims"),
        ("TiledLayout(Tiling(((64, 8), (16, 3))), (-1,), (-2,), -3)", "powers of two"),
        ("TiledLayout(Tiling(((64, 8), (16, 16))), (-1,), (-2,), -3)", "does not divide"),
        ("TiledLayout(Tiling(((64, 8), (16, 8))), (-1,), (-1,), -1)", "named once"),
        ("TiledLayout(Tiling(((64, 8), (16, 8))), (-4,), (-2,), -1)", "the lanes number 2^4, not 2^5"),
    ] {
        let error = read(text, Ints::Plain).expect_err(text);
        assert!(error.message.contains(said), "{text}: {error}");
    }
}
