//! `bitstride check`.

use clap::Args;

use super::Stored;

/// Check whether a reader finds what a writer stored
///
/// PRODUCER and CONSUMER are names of formats, as `bitstride formats` lists them; contracts, as a file has them in its metadata
/// (gptq:v1,… #16 digits); or files, which say by their contract or by the type of their blocks what they hold. Every field is
/// checked: the same bytes, the same places with codes that are stored otherwise, or different, with the first element that lies
/// elsewhere, how many do, and whether a check of types and extents would see it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// The format that was written
    #[arg(value_name = "PRODUCER")]
    pub(crate) producer: String,
    /// The format that is read
    #[arg(value_name = "CONSUMER")]
    pub(crate) consumer: String,
    #[command(flatten)]
    pub(crate) stored: Stored,
    /// The tensor of the files, or what the names of the tensors begin with; given twice, that of each file
    #[arg(long = "tensor", value_name = "NAME")]
    pub(crate) tensors: Vec<String>,
    /// Check this field only; may be given several times
    #[arg(long = "field", value_name = "NAME")]
    pub(crate) fields: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride check gptq:v1 gptq:v2 --shape k=128,n=256
  bitstride check gptq:v1,bits=3 gptq_p --shape k=64,n=32
  bitstride check awq:gemvfast trtllm:w4@sm80 --shape 128,256 --field codes
  bitstride check hf:mxfp4 gguf:mxfp4 --shape n=32,k=128
  bitstride check repacked.safetensors marlin:k=4096,n=4096
  bitstride check a.safetensors b.gguf --tensor blk.0.attn_q.weight
  bitstride check model/ b.gguf --tensor model.layers.0.mlp.up_proj --tensor blk.0.ffn_up.weight

Exit status:
  0 every field is read as it was stored    1 some are not
  2 unreadable, or of other tensors         3 a parameter is missing, or undecided";
