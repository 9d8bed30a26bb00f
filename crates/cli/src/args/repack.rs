//! `bitstride repack`.

use std::path::PathBuf;

use clap::Args;

/// Repack the tensors of a file from one stored layout to another
///
/// IN is .safetensors, .gguf, .npy, plain bytes, or the index of a checkpoint of several files (model.safetensors.index.json).
/// In files of named tensors, those of --from are found by their names behind a common prefix
/// (model.layers.0.q_proj.qweight), blocks of a GGUF file by their type. Each group of them is repacked, and all other tensors
/// are kept; extents and what else follows from the tensors need not be given. OUT is of the same kinds; a .npy file or plain
/// bytes hold one tensor. An index gets files beside it, which are those of IN or have 5 GB each.
///
/// Values are moved and never rounded: codes of another kind, a zero point that would be below 0, a scale that is no power of
/// two, and an order of channels (act-order) that OUT cannot hold are refused. OUT says what it holds by a contract in its
/// metadata, takes its place at the end, and is as it was where a run fails.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Repack {
    /// The file to read
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write; one that is there is replaced
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format of IN's tensors [default: what the file says, or config.json beside it]
    #[arg(long, value_name = "NAME", display_order = 0)]
    pub(crate) from: Option<String>,
    /// The format that they get
    #[arg(long, value_name = "NAME", display_order = 1)]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) stored: super::Stored,
    /// Repack this field only; may be given several times
    #[arg(long = "field", value_name = "NAME")]
    pub(crate) fields: Vec<String>,
    /// A tensor, or what the names of tensors begin with; may be given several times [default: all that fit]
    #[arg(long = "tensor", value_name = "NAME")]
    pub(crate) tensors: Vec<String>,
    /// Rules for the names of OUT's tensors, a line each: PATTERN = REPLACEMENT, with * for what is kept
    #[arg(long, value_name = "FILE")]
    pub(crate) rename: Option<PathBuf>,
    /// Say what would be repacked, and write nothing
    #[arg(long)]
    pub(crate) plan: bool,
}

const EXAMPLES: &str = "\
Examples:
  bitstride repack gptq.safetensors marlin.safetensors --from gptq:v2,group=32 --to marlin
  bitstride repack model.gguf w.bin --from gguf:q4_0 --to ggml:q4_0,rows=8,interleave=8 --tensor blk.0.attn_q.weight
  bitstride repack gpt-oss.safetensors gpt-oss.gguf --from hf:mxfp4 --to gguf:mxfp4 --rename names.txt
  bitstride repack scales.npy swizzled.npy --from mx:scale --to mx:scale128x4 --shape 256,8

Exit status:
  0 repacked    1 refused: something would be lost    2 unreadable, of another size or kind
  3 a parameter is missing    4 a file could not be read or written";
