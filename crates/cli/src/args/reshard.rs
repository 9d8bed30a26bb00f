//! `bitstride reshard`.

use std::ffi::OsString;

use clap::Args;

/// Say what has to move for one sharding of a tensor to become another
///
/// The answer has the class of the movement, the devices that move together, the least bytes that each device receives, and what
/// named collectives receive. With --json the bytes of each device.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reshard {
    /// The tensor as it is: `shard(f32[8,8], P('a', None), mesh(a=2,b=4))`
    pub(crate) source: OsString,
    /// The same tensor as it shall be
    #[arg(long, value_name = "SHARDING")]
    pub(crate) to: OsString,
}

const EXAMPLES: &str = "\
Examples:
  bitstride reshard \"shard(f32[8,8], P('a', None), mesh(a=2,b=4))\" --to \"shard(f32[8,8], P(None, 'a'), mesh(a=2,b=4))\"
  bitstride reshard \"shard(f32[9], [Shard(0), Shard(0)], mesh(2,4))\" --to \"shard(f32[9], '{devices=[8]<=[8]}')\"";
