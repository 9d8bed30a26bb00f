//! From arguments and streams to an exit code.

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use std::thread;

use bitstride_lang::Bindings;
use clap::Parser;

use crate::args::{Cli, Color};
use crate::cmd;
use crate::session::{NO_FILE, Session};
use crate::worker::STACK;

/// What the streams can do beyond carrying text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// A person types the input and reads the output.
    pub interactive: bool,
    /// The output has colours.
    pub color_out: bool,
    /// The errors have colours.
    pub color_err: bool,
    /// Standard error is a terminal, on which long work may show how far it is.
    pub progress: bool,
    /// The streams are those of the process, which a signal may end.
    pub process: bool,
    /// The columns that the output has room for, where that is known.
    pub columns: Option<usize>,
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
    run_on(args, Terminal::default(), input, out, err)
}

/// As [`run()`], on streams that may be a terminal.
pub fn run_on(
    args: impl IntoIterator<Item = OsString>,
    terminal: Terminal,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(usage) => return tell_usage(&usage, terminal, out, err),
    };
    let global = cli.global;
    let coloured = |terminal| match global.color.unwrap_or_default() {
        Color::Auto => terminal,
        Color::Always => true,
        Color::Never => false,
    };
    let (color, color_out) = (coloured(terminal.color_err), coloured(terminal.color_out));
    let Terminal { interactive, progress, process, columns, .. } = terminal;
    let ints = global.ints.unwrap_or_default();
    let json = global.json;
    let names = Bindings::default();
    let mut session =
        Session { input, out, err, interactive, json, ints, names, color, color_out, progress, process, columns };
    let ran = cmd::run(&cli, &mut session).and_then(|code| {
        session.out.flush()?;
        Ok(code)
    });
    match ran {
        Ok(code) => code,
        // The reader has gone: nobody reads an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            // When this cannot be written either, the exit code is all that is left.
            let _ = writeln!(err, "error[io]: {error}");
            NO_FILE
        }
    }
}

/// Runs the program on the standard streams of the process.
pub fn run_standard(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    // The main thread may have little stack, and nested expressions recurse.
    let roomy = thread::Builder::new().stack_size(STACK).spawn({
        let args = args.clone();
        move || on_standard(args)
    });
    match roomy.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // A panic is a defect here; it has said so itself.
        Ok(Err(_)) => PANICKED,
        Err(_) => on_standard(args),
    }
}

/// What Rust programs exit with when they panic.
const PANICKED: u8 = 101;

fn on_standard(args: Vec<OsString>) -> u8 {
    let terminal = Terminal {
        interactive: io::stdin().is_terminal() && io::stdout().is_terminal(),
        color_out: anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
        color_err: anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
        progress: io::stderr().is_terminal(),
        process: true,
        columns: terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into()),
    };
    // Not locked: the line editor of the repl takes the same streams.
    let mut input = io::BufReader::new(io::stdin());
    let mut out = io::BufWriter::new(io::stdout());
    run_on(args, terminal, &mut input, &mut out, &mut io::stderr())
}

/// Help and version on `out`, wrong usage on `err`.
fn tell_usage(usage: &clap::Error, terminal: Terminal, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let text = usage.render();
    let (stream, styled): (&mut dyn Write, bool) =
        if usage.use_stderr() { (err, terminal.color_err) } else { (out, terminal.color_out) };
    let written = if styled { write!(stream, "{}", text.ansi()) } else { write!(stream, "{text}") };
    // A reader that has gone needs no help.
    let _ = written.and_then(|()| stream.flush());
    if usage.use_stderr() { 2 } else { 0 }
}
