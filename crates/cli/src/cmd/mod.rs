//! What each verb does: one file a verb, with `run(args, session)` that gives the exit code.

mod atoms;
mod batch;
mod cells;
mod check;
mod completions;
mod convert;
mod diff;
mod dump;
mod element;
mod emit;
mod eval;
mod explain;
mod explain_relayout;
mod fit;
mod formats;
mod operations;
mod probe;
mod relayout;
mod relayout_gpu;
mod relayout_job;
mod repack;
mod repack_files;
mod repl;
mod repl_words;
mod reshard;
mod reshard_repack;
mod same;
mod serve;
mod show;
mod show_banks;
mod show_devices;
mod show_linear;
mod show_tiled;
mod side;

use std::io;

use crate::args::{Cli, Verb};
use crate::session::Session;

pub(crate) use dump::is_dump;

/// Does what the command line says.
pub(crate) fn run(cli: &Cli, session: &mut Session) -> io::Result<u8> {
    match &cli.verb {
        None => eval::run(&cli.bare, session),
        Some(Verb::Eval(args)) => eval::run(args, session),
        Some(Verb::Show(args)) => show::run(args, session),
        Some(Verb::Explain(args)) => explain::run(args, session),
        Some(Verb::Convert(args)) => convert::run(args, session),
        Some(Verb::Same(args)) => same::run(args, session),
        Some(Verb::Diff(args)) => diff::run(args, session),
        Some(Verb::Fit(args)) => fit::run(args, session),
        Some(Verb::Relayout(args)) => relayout::run(args, session),
        Some(Verb::Formats(args)) => formats::run(args, session),
        Some(Verb::Check(args)) => check::run(args, session),
        Some(Verb::Emit(args)) => emit::run(args, session),
        Some(Verb::Repack(args)) => repack::run(args, session),
        Some(Verb::Probe(args)) => probe::run(args, session),
        Some(Verb::Reshard(args)) => reshard::run(args, session),
        Some(Verb::Dump(args)) => dump::run(args, session),
        Some(Verb::Batch(args)) => batch::run(args, session),
        Some(Verb::Repl(args)) => repl::run(args, session),
        Some(Verb::Serve(args)) => serve::run(args, session),
        Some(Verb::Atoms(args)) => atoms::run(args, session),
        Some(Verb::Operations(args)) => operations::run(args, session),
        Some(Verb::Completions(args)) => completions::run(args, session),
    }
}
