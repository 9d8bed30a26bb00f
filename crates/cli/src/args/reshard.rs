//! `bitstride reshard`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Say what has to move for one sharding of a tensor to become another, or write a checkpoint for one
///
/// Of two shardings, the answer has the class of the movement, the devices that move together, the least bytes that each device
/// receives, and what named collectives receive. With --json the bytes of each device, the rule by which elements move, and what
/// goes where: all pieces where they are few, and those of one device with --device.
///
/// With OUT, a folder of .safetensors files is written again for another mesh, one file a device, or chunks of arrays of Zarr where
/// OUT ends with .zarr. Tensors may be whole or in pieces with DCP_SHARDING_INFO, in chunks of Zarr, or in the files of
/// torch.distributed.checkpoint, whose pickle is read and not run. The output gets its name when all is written, and a run that was
/// killed goes on where it was.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reshard {
    /// The tensor as it is: `shard(f32[8,8], P('a', None), mesh(a=2,b=4))`; or the folder of a checkpoint
    pub(crate) source: OsString,
    /// The folder that is written, which must not be there
    pub(crate) out: Option<PathBuf>,
    /// The same tensor as it shall be; of a checkpoint the mesh, such as tp=4
    #[arg(long, value_name = "SHARDING")]
    pub(crate) to: OsString,
    /// With --json and of two shardings: list the pieces that the device of this number gets, and those that it gives to others
    #[arg(long, value_name = "NUMBER", conflicts_with = "out")]
    pub(crate) device: Option<i64>,
    /// How tensors are cut: lines `PATTERN PLACEMENTS`, as `*.o_proj.weight [Shard(1)]`, of fused ones with parts=4:1:1 and dim=0;
    /// all others along dim 0
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(crate) rules: Option<PathBuf>,
    /// The most bytes of buffers: 4GiB, 256MiB
    #[arg(long, value_name = "BYTES", default_value = "256MiB", requires = "out")]
    pub(crate) memory: String,
    /// Read the headers, say what would be written, and write nothing
    #[arg(long, requires = "out")]
    pub(crate) dry_run: bool,
    /// Read the output back and compare every byte with the source, before it gets its name; one that is there is compared only
    #[arg(long, requires = "out")]
    pub(crate) verify: bool,
    /// Put tensors of the stored format FROM in the format TO on the way, as `bitstride repack` does with each file
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], requires = "out", conflicts_with_all = ["verify", "file", "dry_run"])]
    pub(crate) repack: Vec<String>,
    /// Write the file of this number alone, from 1 on, at the path OUT: whole, or not at all; with --dry-run and --json also say
    /// which bytes of the source it needs
    #[arg(long, value_name = "NUMBER", requires = "out", conflicts_with = "verify")]
    pub(crate) file: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride reshard \"shard(f32[8,8], P('a', None), mesh(a=2,b=4))\" --to \"shard(f32[8,8], P(None, 'a'), mesh(a=2,b=4))\"
  bitstride reshard \"shard(f32[9], [Shard(0), Shard(0)], mesh(2,4))\" --to \"shard(f32[9], '{devices=[8]<=[8]}')\"
  bitstride reshard checkpoint/ out/ --to tp=4 --rules model.txt --memory 1GiB";
