//! From arguments and streams to an exit code.

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};

use clap::Parser;

use crate::args::{Cli, Color};
use crate::cmd;
use crate::session::Session;

/// Which of the streams are terminals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminals {
    /// A person types the input.
    pub input: bool,
    /// A person reads the answers.
    pub out: bool,
    /// A person reads the errors, in colour where the terminal has any.
    pub err: bool,
}

/// Runs the program on the given streams and returns its exit code; the first argument is the program's name.
///
/// ```
/// let mut out = Vec::new();
/// let args = ["bitstride", "size((4,(2,4)))"].map(Into::into);
/// let code = bitstride_cli::run(args, &mut std::io::empty(), &mut out, &mut std::io::sink());
/// assert_eq!((code, out.as_slice()), (0, b"32\n".as_slice()));
/// ```
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    run_on(args, Terminals::default(), input, out, err)
}

/// As [`run`], on streams of which some are terminals.
pub fn run_on(
    args: impl IntoIterator<Item = OsString>,
    terminals: Terminals,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(usage) => return tell_usage(&usage, terminals, out, err),
    };
    let global = cli.global;
    let coloured = |terminal: bool| match global.color {
        Color::Auto => terminal,
        Color::Always => true,
        Color::Never => false,
    };
    let (color, paints) = (coloured(terminals.err), coloured(terminals.out));
    let mut session = Session { input, out, err, json: global.json, ints: global.ints, color, paints, terminal: terminals.out };
    let told = cmd::run(&cli, &mut session).and_then(|code| {
        session.out.flush()?;
        Ok(code)
    });
    match told {
        Ok(code) => code,
        // The reader has gone: nobody is left to tell.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            // When this cannot be written either, the exit code is all that is left.
            let _ = writeln!(err, "error[io]: {error}");
            4
        }
    }
}

/// Runs the program on the standard streams of the process.
pub fn run_standard(args: impl IntoIterator<Item = OsString>) -> u8 {
    let terminals = Terminals {
        input: io::stdin().is_terminal(),
        out: io::stdout().is_terminal(),
        err: anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    run_on(args, terminals, &mut io::stdin().lock(), &mut out, &mut io::stderr().lock())
}

/// Help and version on `out`, wrong usage on `err`.
fn tell_usage(usage: &clap::Error, terminals: Terminals, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let text = usage.render();
    let (stream, styled): (&mut dyn Write, bool) =
        if usage.use_stderr() { (err, terminals.err) } else { (out, terminals.out) };
    let written = if styled { write!(stream, "{}", text.ansi()) } else { write!(stream, "{text}") };
    // A reader that has gone needs no help.
    let _ = written.and_then(|()| stream.flush());
    if usage.use_stderr() { 2 } else { 0 }
}
