//! Our answer to a question.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bitstride::{Code, Error};
use bitstride_lang::evaluate;

use super::case::Question;
use super::command::{Program, Step};

/// How long one case may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// Nested expressions recurse; only the part that is used takes memory.
const STACK_BYTES: usize = 64 << 20;

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Response {
    /// The answer as text.
    pub(crate) value: Option<String>,
    /// What is noted beside it.
    pub(crate) notes: Vec<String>,
    /// Why there is no answer.
    pub(crate) refusal: Option<Refusal>,
    /// The exit code of a command line.
    pub(crate) exit: Option<u8>,
    /// Everything that is printed.
    pub(crate) text: String,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The code of the error.
    pub(crate) code: String,
    /// Whether the question was understood: a text that is not read is no refusal of what it asks.
    pub(crate) understood: bool,
}

/// Our answer; `files` is the folder of files that command lines name.
pub(crate) fn respond(question: &Question, files: &Path) -> Result<Option<Response>, String> {
    match question {
        Question::Expression(text) => Ok(Some(calculated(text))),
        Question::Commands(steps) => on_command_line(steps, files).map(Some),
        Question::Sentence => Ok(None),
    }
}

/// The calculator's answer to an expression.
pub(crate) fn calculated(text: &str) -> Response {
    match evaluate(text) {
        Ok(answer) => {
            let value = answer.value.to_string();
            let lines: Vec<&str> =
                [value.as_str()].into_iter().chain(answer.notes.iter().map(String::as_str)).collect();
            Response { text: lines.join("\n"), value: Some(value), notes: answer.notes, ..Response::default() }
        }
        Err(error) => refused(&error),
    }
}

fn refused(error: &Error) -> Response {
    let understood = !matches!(error.code(), Code::Syntax(_) | Code::UnknownName | Code::Arity);
    let parts = [("", Some(error.message())), ("help: ", error.help()), ("chain: ", error.chain())];
    let lines = parts.iter().filter_map(|(title, part)| part.map(|part| format!("{title}{part}")));
    let text = format!("error[{}]: {}", error.code().as_str(), lines.collect::<Vec<_>>().join("\n"));
    let refusal = Refusal { code: error.code().as_str().to_owned(), understood };
    Response { refusal: Some(refusal), text, ..Response::default() }
}

/// Runs the steps in this process, with files of their own; the last program's output is the answer.
fn on_command_line(steps: &[Step], files: &Path) -> Result<Response, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut response = Response::default();
    for step in steps {
        match step {
            Step::Print { text, file } => {
                fs::write(scratch.path().join(file), text).map_err(|error| format!("{file}: {error}"))?;
            }
            Step::Run { program, words } => {
                let words = words.iter().map(|word| with_path(word, files, scratch.path()));
                response = ran(*program, words.collect());
            }
        }
    }
    Ok(response)
}

fn ran(program: Program, words: Vec<OsString>) -> Response {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = match program {
        Program::Bitstride => bitstride_cli::run(words, &mut std::io::empty(), &mut out, &mut err),
        Program::TensorLayout => bitstride_cli::tensor_layout(words, &mut std::io::empty(), &mut out, &mut err),
    };
    let (out, err) = (String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned());
    let notes = err.lines().filter_map(|line| line.strip_prefix("note: ")).map(str::to_owned).collect();
    let code = err.lines().find_map(|line| line.strip_prefix("error[")?.split_once(']')).map(|(code, _)| code);
    // The command line ends with 2 where it could not read what was typed.
    let refusal = code.map(|code| Refusal { code: code.to_owned(), understood: exit != 2 });
    let value = out.lines().next().filter(|_| refusal.is_none()).map(str::to_owned);
    Response { value, notes, refusal, exit: Some(exit), text: out + &err }
}

/// A word that names a file, with the folder where it is or is written.
fn with_path(word: &str, files: &Path, scratch: &Path) -> OsString {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_file = word.split_once('.').is_some_and(|(stem, extension)| {
        stem.starts_with(|c: char| c.is_ascii_alphabetic())
            && stem.chars().all(is_name)
            && !extension.is_empty()
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    });
    if !is_file {
        return word.into();
    }
    let given = files.join(word);
    if given.exists() { given.into() } else { scratch.join(word).into() }
}

/// What work gives within the deadline; a case that hangs or panics says so.
pub(crate) fn within_deadline<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (sender, receiver) = mpsc::channel();
    let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        // Nobody receives after the deadline.
        let _ = sender.send(work());
    });
    worker.map_err(|error| error.to_string())?;
    receiver.recv_timeout(DEADLINE).map_err(|error| match error {
        mpsc::RecvTimeoutError::Timeout => format!("no answer in {} seconds", DEADLINE.as_secs()),
        mpsc::RecvTimeoutError::Disconnected => "panicked".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::command;

    #[test]
    fn the_calculator_answers_or_refuses() {
        assert_eq!(calculated("size(4:1)").value.as_deref(), Some("4"));
        let refused = calculated("upcast(8:-1, 4)").refusal;
        assert!(refused.is_some_and(|refusal| refusal.understood));
        let unread = calculated("size(").refusal;
        assert!(unread.is_some_and(|refusal| !refusal.understood));
    }

    #[test]
    fn a_command_line_runs_in_this_process() {
        let run = |line: &str| {
            let steps = command::steps(line).unwrap_or_default();
            on_command_line(&steps, Path::new("/nonexistent")).unwrap_or_default()
        };
        let response = run("bitstride same 4:1 4:2");
        assert_eq!(response.exit, Some(1));
        assert!(response.value.is_some_and(|value| value.starts_with("different")));
        let table = run("printf '0 1\\n2 3\\n' > table.txt; bitstride fit table.txt");
        assert_eq!((table.value.as_deref(), table.exit), (Some("(2,2):(2,1)"), Some(0)));
        let unread = run("bitstride 'size('");
        assert!(unread.refusal.is_some_and(|refusal| !refusal.understood));
    }

    #[test]
    fn a_panic_is_reported() {
        assert_eq!(within_deadline(|| 5), Ok(5));
        assert_eq!(within_deadline(|| -> u8 { std::panic::resume_unwind(Box::new(())) }), Err("panicked".into()));
    }
}
