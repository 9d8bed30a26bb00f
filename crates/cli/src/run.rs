//! From arguments and streams to an exit code.

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread;

use bitstride_lang::Bindings;
use clap::{CommandFactory, Parser};

use crate::args::{Cli, Color};
use crate::cmd;
use crate::names;
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
    let cli = match Cli::try_parse_from(dump_named(args.into_iter().collect())) {
        Ok(cli) => cli,
        Err(usage) => return tell_usage(&usage, terminal, out, err),
    };
    let global = cli.global.clone();
    let coloured = |terminal| match global.color.unwrap_or_default() {
        Color::Auto => terminal,
        Color::Always => true,
        Color::Never => false,
    };
    let (color, color_out) = (coloured(terminal.color_err), coloured(terminal.color_out));
    let Terminal { interactive, progress, process, columns, .. } = terminal;
    let ints = global.ints.unwrap_or_default();
    let json = global.json;
    let known = Bindings::default();
    let mut session = Session {
        input,
        out,
        err,
        interactive,
        json,
        ints,
        names: known,
        color,
        color_out,
        progress,
        process,
        columns,
    };
    let named = names::read_all(global.names.iter().map(PathBuf::as_path), &mut session);
    let ran = match named {
        Ok(Some(code)) => Ok(code),
        Ok(None) => cmd::run(&cli, &mut session),
        Err(error) => Err(error),
    };
    let ran = ran.and_then(|code| {
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

/// The options whose value is the next argument.
const WITH_VALUE: [&str; 10] =
    ["--formats", "--shape", "--ints", "--color", "-f", "--names", "--only", "--line", "--where", "--fail-if"];

/// The arguments with the verb `dump` where the first of them that is no option is a dump: it has the extension of one, is a
/// file or folder that is there, or is `-`.
fn dump_named(mut args: Vec<OsString>) -> Vec<OsString> {
    let mut rest = args.iter().skip(1);
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        if text == "--" {
            break;
        }
        if text.starts_with('-') && text != "-" {
            if WITH_VALUE.contains(&text) {
                rest.next();
            }
            continue;
        }
        let path = Path::new(argument);
        let is_verb = || Cli::command().get_subcommands().any(|verb| verb.get_name() == text);
        if (text == "-" || cmd::is_dump(path) || path.exists()) && !is_verb() && text != "help" {
            args.insert(1, "dump".into());
        }
        break;
    }
    args
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
