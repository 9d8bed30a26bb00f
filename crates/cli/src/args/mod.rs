//! What may be written on the command line: one struct a verb, each in its own file with its help text and examples.

mod atoms;
mod batch;
mod check;
mod completions;
mod convert;
mod diff;
mod dump;
mod emit;
mod eval;
mod explain;
mod extents;
mod fit;
mod formats;
mod operations;
mod probe;
mod relayout;
mod repack;
mod repl;
mod reshard;
mod same;
mod serve;
mod show;

use std::path::PathBuf;

use bitstride::notation;
use bitstride_lang::Spelling;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use atoms::Atoms;
pub(crate) use batch::Batch;
pub(crate) use check::Check;
pub(crate) use completions::Completions;
pub(crate) use convert::Convert;
pub(crate) use diff::Diff;
pub(crate) use dump::Dump;
pub(crate) use emit::{Emit, FragmentLang, KernelLang, Lang as EmitLang, What as EmitWhat};
pub(crate) use eval::Eval;
pub(crate) use explain::Explain;
pub(crate) use fit::Fit;
pub(crate) use formats::{Formats, Stored};
pub(crate) use operations::Operations;
pub(crate) use probe::Probe;
pub(crate) use relayout::{Device, Relayout};
pub(crate) use repack::Repack;
pub(crate) use repl::Repl;
pub(crate) use reshard::Reshard;
pub(crate) use same::Same;
pub(crate) use serve::Serve;
pub(crate) use show::{Show, Which};

/// An exact calculator for tensor layouts of CuTe, Triton and XLA
///
/// Every answer is the true one, or a refusal that says why, with coordinates that show it.
#[derive(Debug, Parser)]
#[command(
    name = "bitstride",
    version,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    override_usage = "bitstride [OPTIONS] EXPR...\n       bitstride [OPTIONS] FILE...\n       bitstride [OPTIONS] COMMAND ...",
    after_help = LITERALS
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    #[command(flatten)]
    pub(crate) bare: Eval,
}

const LITERALS: &str = "\
What expressions are made of:
  ((2,2),3):((24,2),8)           layout, shape:stride
  (4,8):(1@0,1@1)                layout into coordinates; 1@0 is a step along mode 0
  <3:4, 8:2>  <4, _>             tiler, one entry a mode; _ leaves its mode alone
  Sw<3,4,3> o (8,64):(64,1)      swizzle of a layout; o is composition
  f32[16,256]{1,0:T(8,128)}      tiled array of XLA
  tensor<128x64xf16, #ttg.…>     encoding of Triton with its shape
  shard(f32[8,6], P('a'), mesh(a=2))  tensor over devices, as JAX, XLA, Shardy or PyTorch say it
  (8,64):(^72,^1)                strides that are xored, not added
  (1,(_,2))                      coordinate; _ keeps the mode
  (5?,M,?{div=8})                dynamic 5, unknown M, unknown multiple of 8
  coalesce(L)  size[0](L)        operation, operation on one mode; size<0>(L) is the same
  L(1,2)  L(1,_)  A == B         L at a coordinate, a slice of L, same(A, B)
  lane  \"M\"  \"o\"                 name of a dim; in quotes where the word alone is something else
  `bitstride operations` lists the operations, each with its law and an example.

How elements are numbered:
  Layouts of CuTe are numbered column-major, arrays, strides, tags and tensors of XLA, NumPy, PyTorch,
  oneDNN and Triton row-major; an integer that indexes X, and reshape(X, S), count in X's own order.
  Tensors of other ranks are compared by these numbers; one of each kind is refused until
  reshape(X, S, row) or reshape(X, S, column) says the order.

Examples:
  bitstride 'composition((6,2):(8,2), (4,3):(3,1))'
  bitstride 'logical_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)'
  bitstride 'offsets(Sw<2,0,3> o (4,8):(8,1))'
  bitstride 'compatible(24, (4,6))' && echo yes
  bitstride --json 'complement((2,2):(1,6), 24)'

Exit status:
  0 answered, true      1 false, or refused by a law    2 unreadable, wrong kind, overflow
  3 a fact is missing   4 a file could not be read or written";

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Eval(Eval),
    Show(Show),
    Explain(Explain),
    Convert(Convert),
    Same(Same),
    Diff(Diff),
    Fit(Fit),
    Relayout(Relayout),
    Formats(Formats),
    Check(Check),
    Emit(Emit),
    Repack(Repack),
    Probe(Probe),
    Reshard(Reshard),
    Dump(Dump),
    Batch(Batch),
    Repl(Repl),
    Serve(Serve),
    Operations(Operations),
    Atoms(Atoms),
    Completions(Completions),
}

/// The options that every verb takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Read names from a file: lines `name = expression`, or the aliases of a dump; may be given several times
    #[arg(short = 'f', long = "names", global = true, display_order = 99, value_name = "FILE")]
    pub(crate) names: Vec<PathBuf>,
    /// Print a JSON object for each result
    #[arg(long, global = true, display_order = 100)]
    pub(crate) json: bool,
    /// How integers are spelled [default: plain]
    #[arg(long, global = true, display_order = 101, value_enum, value_name = "SPELLING")]
    pub(crate) ints: Option<Ints>,
    /// When pictures, errors and notes are coloured [default: auto]
    #[arg(long, global = true, display_order = 102, value_enum, value_name = "WHEN")]
    pub(crate) color: Option<Color>,
}

/// How integers are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ints {
    /// 5 is static, 5? dynamic
    #[default]
    Plain,
    /// _5 is static, 5 dynamic, as CuTe C++ prints; read and written
    Cpp,
    /// 5 is static, ? dynamic, S<3,4,3>, as CuTe DSL prints; written only, plain is read
    Ir,
}

impl Ints {
    /// The spelling that is meant.
    pub(crate) fn spelling(self) -> Spelling {
        match self {
            Ints::Plain => Spelling::Plain,
            Ints::Cpp => Spelling::Cpp,
            Ints::Ir => Spelling::Ir,
        }
    }

    /// The spelling in which expressions are read.
    pub(crate) fn reading(self) -> notation::Ints {
        self.spelling().reading()
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that has colours
    #[default]
    Auto,
    Always,
    Never,
}
