//! `bitstride explain`.

use std::ffi::OsString;

use clap::Args;

/// Say why an expression has its value, rule by rule, with the numbers
///
/// First the properties of the value, then each rule that fired, inner calls first. Every rule stands with an
/// expression that evaluates to what it says, so each step can be checked on its own; the last one is the answer. A
/// refused expression is explained up to the coordinates that contradict each other. The exit status is that of
/// `bitstride eval`.
///
/// `relayout(FROM, TO, ELEMENT)` is explained too: how `bitstride relayout` would move a tensor, and why. ELEMENT is its
/// bits, or a type such as bf16; it can be left out where a layout says it. A fourth argument, scalar, neon, avx2 or avx512,
/// asks for other instructions than this machine's widest.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// Expressions; put -- before one that starts with a minus sign
    #[arg(value_name = "EXPR", required = true, allow_negative_numbers = true)]
    pub(crate) expressions: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride explain 'composition((6,2):(8,2), (4,3):(3,1))'
  bitstride explain 'composition((4,4):(1,10), (3,2):(1,3))'
  bitstride explain 'right_inverse((2,3):(3,1))'
  bitstride explain 'crd2idx((3,5), Sw<3,3,3> o (8,64):(64,1))'
  bitstride explain 'relayout((256,256):(256,1), (256,256):(1,256), 32)'
  bitstride explain --json 'complement((2,2):(1,6), 24)'";
