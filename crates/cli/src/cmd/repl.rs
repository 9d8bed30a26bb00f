//! `bitstride repl`: a line in, its value out.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use bitstride_lang::{Bindings, assignment, evaluate_in};
use clap::Parser;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use super::repl_words::arguments;
use crate::args::{Cli, Repl, Verb};
use crate::session::{NO_FILE, Session};

pub(crate) fn run(_args: &Repl, session: &mut Session) -> io::Result<u8> {
    if session.interactive
        && let Ok(editor) = Editor::with_config(Config::builder().auto_add_history(true).build())
    {
        return converse(editor, session);
    }
    let mut code = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        match session.input.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(code),
            Ok(_) => {}
            Err(error) => {
                session.no_file("read", "-".as_ref(), &error)?;
                return Ok(NO_FILE);
            }
        }
        let text = String::from_utf8_lossy(&line);
        match obey(&text, session)? {
            Some(exit) => code = code.max(exit),
            None => return Ok(code),
        }
        session.out.flush()?;
    }
}

/// Reads from a terminal until the reader leaves.
fn converse(mut editor: Editor<(), FileHistory>, session: &mut Session) -> io::Result<u8> {
    session.line("An expression, or :help; Ctrl-D ends.")?;
    let history = history_file();
    if let Some(file) = &history {
        // There is none the first time.
        let _ = editor.load_history(file);
    }
    loop {
        session.out.flush()?;
        let line = match editor.readline("> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(0),
            Err(ReadlineError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        };
        if let Some(file) = &history {
            // Where it cannot be written the lines are remembered until the end only.
            let _ = editor.append_history(file);
        }
        if obey(&line, session)?.is_none() {
            return Ok(0);
        }
    }
}

/// Does what a line says and gives its exit code, or nothing when it says to end.
fn obey(line: &str, session: &mut Session) -> io::Result<Option<u8>> {
    let line = line.trim();
    match (line.strip_prefix(':').unwrap_or(line), line.starts_with(':')) {
        ("", false) => Ok(Some(0)),
        // As people type it, with the colon and without.
        ("q" | "quit" | "exit", _) => Ok(None),
        ("help" | "?", _) => session.line(HELP).map(|()| Some(0)),
        (command, true) => run_command(command, session).map(Some),
        (text, false) => match assignment(text) {
            Some((name, expression)) => assign(name, expression, session).map(Some),
            None => session.evaluate(text).map(Some),
        },
    }
}

/// Gives the value of an expression a name, and prints it.
fn assign(name: &str, expression: &str, session: &mut Session) -> io::Result<u8> {
    let bound = evaluate_in(expression, session.ints.reading(), &session.names)
        .and_then(|answer| session.names.bind(name, &answer.value).map(|()| answer));
    match bound {
        Ok(answer) => session.answer(&answer),
        Err(error) => session.refuse(expression, &error),
    }
}

const HELP: &str = "\
EXPR                  its value: coalesce((2,(1,6)):(1,(6,2)))
NAME = EXPR           the same, and NAME stands for it from now on; NAME(1,2) is its value there
:operations           all operations; :operations NAME describes one
:VERB [--OPT=VALUE] EXPR
                      any command of this program; :help VERB describes it
:same A , B           two expressions with a comma between them; so :diff and :relayout
:quit                 ends, as Ctrl-D does";

/// Runs `verb --option=value EXPR` as the command line would; names in the expression stand for their values.
fn run_command(command: &str, session: &mut Session) -> io::Result<u8> {
    let mut rest = command.trim();
    let mut words = vec!["bitstride".to_owned()];
    // Options of every verb may stand before it.
    while let Some((word, after)) = rest.split_once(char::is_whitespace)
        && word.starts_with("--")
    {
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    words.push(verb.to_owned());
    let expressions = if matches!(verb, "same" | "diff" | "relayout") { 2 } else { 1 };
    for argument in arguments(rest, expressions) {
        match session.with_names(&argument) {
            Ok(argument) => words.push(argument),
            Err(error) => return session.refuse(&argument, &error),
        }
    }
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(usage) => {
            session.line(&usage.render().to_string())?;
            return Ok(u8::from(usage.use_stderr()) * 2);
        }
    };
    if let None | Some(Verb::Repl(_) | Verb::Batch(_) | Verb::Serve(_)) = cli.verb {
        session.line("no such command here; :help lists them")?;
        return Ok(2);
    }
    let mut inner = Session {
        input: session.input,
        out: session.out,
        err: session.err,
        interactive: session.interactive,
        json: session.json || cli.global.json,
        ints: cli.global.ints.unwrap_or(session.ints),
        // They stand in the expression by now.
        names: Bindings::default(),
        color: session.color,
        color_out: session.color_out,
        process: session.process,
        progress: session.progress,
        columns: session.columns,
    };
    super::run(&cli, &mut inner)
}

/// Where lines are remembered, in a folder that exists; none when there is no such place.
fn history_file() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".local/state")))?;
    let folder = state.join("bitstride");
    fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}
