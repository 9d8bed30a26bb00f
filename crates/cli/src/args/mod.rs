//! What may be written on the command line: one struct a verb, each in its own file with its help text and examples.

mod eval;
mod show;

use bitstride::notation;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use eval::Eval;
pub(crate) use show::Show;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "bitstride", version, about, subcommand_negates_reqs = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    #[command(flatten)]
    pub(crate) bare: Eval,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Eval(Eval),
    Show(Show),
}

/// The options that every verb takes.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON object a result
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// How integers are spelled
    #[arg(long, global = true, value_enum, default_value_t = Ints::Plain, value_name = "SPELLING")]
    pub(crate) ints: Ints,
    /// When to colour errors
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

/// How integers are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ints {
    /// 5 static, 5? dynamic
    #[default]
    Plain,
    /// _5 static, 5 dynamic, as CuTe C++ prints (read and written)
    Cpp,
    /// ? dynamic, S<3,4,3>, as CuTe DSL prints (written only)
    Ir,
}

impl Ints {
    /// The spelling in which expressions are read.
    pub(crate) fn reading(self) -> notation::Ints {
        match self {
            Ints::Cpp => notation::Ints::Cpp,
            Ints::Plain | Ints::Ir => notation::Ints::Plain,
        }
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
