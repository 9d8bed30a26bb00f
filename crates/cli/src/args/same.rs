//! `bitstride same`.

use std::ffi::OsString;

use clap::Args;

/// Say whether two layouts put the same elements at the same places
///
/// Layouts of any families. Dims are held against each other in their order, places by their names. Tensors with other dims
/// are compared by the number of each element: row-major where both are of XLA, NumPy, PyTorch, oneDNN or Triton, column-major
/// where both are of CuTe. One of each is refused until `reshape(X, SHAPE, row)` or `reshape(X, SHAPE, column)` says the order. The exit status is 1 when the layouts differ, and 3 when that was not decided.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Same {
    /// A layout
    pub(crate) left: OsString,
    /// The layout to hold it against
    pub(crate) right: OsString,
}

const EXAMPLES: &str = "\
Examples:
  bitstride same 'f32[16,256]{1,0:T(8,128)}' '((8,2),(128,2)):((128,2048),(1,1024))'
  bitstride same 'bytes(f32[3,5]{1,0}, 32)' '(3,5):(20,4)'
  bitstride same 'tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))' \\
    'tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>'";
