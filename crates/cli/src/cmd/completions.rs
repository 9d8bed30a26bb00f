//! `bitstride completions`: the script that completes this command line in a shell.

use std::io;

use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::session::Session;

pub(crate) fn run(args: &Completions, session: &mut Session) -> io::Result<u8> {
    // The generator may panic on a stream that cannot be written; memory always can.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "bitstride", &mut script);
    session.out.write_all(&script)?;
    Ok(0)
}
