//! `bitstride convert`.

use std::ffi::OsString;

use clap::Args;

/// Write a layout in another notation, or say what stands against it
///
/// The answer is the same layout: `bitstride same` of both says so. Where the notation cannot hold it, the refusal says
/// which digit, carry, xor or padding is in the way.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// A layout of any family
    pub(crate) layout: OsString,
    /// The notation: cute, padded, linear, triton, mixed, xla, strides, tag or affine; or the source of cpp, dsl, pycute,
    /// torch, numpy, jax, mosaic, gluon, ttgir, einops, c or latex; of a tensor over devices hlo, hlo_mesh, jax, sdy, dtensor or tv
    #[arg(long, value_name = "NOTATION")]
    pub(crate) to: String,
    /// The type of the elements, for xla, numpy, jax, mosaic and ttgir: f32, bf16, s8, u4, …
    #[arg(long, value_name = "TYPE")]
    pub(crate) element: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride convert 'bf16[16,256]{1,0:T(8,128)(2,1)}' --to cute
  bitstride convert '((8,2),(128,2)):((128,2048),(1,1024))' --to xla --element f32
  bitstride convert 'Sw<3,3,3> o (8,64):(64,1)' --to linear
  bitstride convert 'tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))' --to triton
  bitstride convert 'f32[3,5]{1,0:T(2,2)}' --to affine
  bitstride convert 'tag(nChw16c, (8,64,14,14))' --to cute
  bitstride convert 'Sw<3,3,3> o (8,64):(64,1)' --to cpp
  bitstride convert 'f32[3,5]{0,1}' --to torch
  bitstride convert '(64,64):(72,1)' --to ttgir --element f16
  bitstride convert 'shard(f32[8,6], P((\"b\",\"a\"), None), mesh(a=2,b=4))' --to dtensor";
