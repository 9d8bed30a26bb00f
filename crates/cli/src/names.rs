//! Names from files, for `-f FILE`.
//!
//! A dump (`.ttgir`, `.ttir`, `.mlir`) gives its aliases of layouts and types; of a source file (`.py`, `.cu`, `.cuh`, `.h`, `.hpp`,
//! `.cpp`) each assignment that is read gives its names; in any other file each line is `name = expression` or
//! `#alias = #attribute`, `//` begins a comment, and a line may use the names of the lines before it.

use std::fs;
use std::path::Path;

use bitstride::{Code, Error, error};
use bitstride_dumps::Dialect;
use bitstride_lang::{Bindings, alias, assignment, bind_source, evaluate_in};

use crate::args::Ints;
use crate::session::Session;

/// Why a file gives no names: what to print, and the text in which it is.
pub(crate) enum Trouble {
    File(std::io::Error),
    Line(String, Error),
}

/// Adds the names of a file to those that are known.
pub(crate) fn read(path: &Path, names: &mut Bindings, ints: Ints) -> Result<(), Trouble> {
    let extension = path.extension().and_then(|extension| extension.to_str()).and_then(Dialect::of_extension);
    if extension == Some(Dialect::Hlo) {
        let error = error!(Code::Kind, "{path} is HLO, which has no aliases of layouts", [path = path.display()]);
        return Err(Trouble::Line(String::new(), error));
    }
    let text = fs::read_to_string(path).map_err(Trouble::File)?;
    let is_source = |extension: &str| matches!(extension, "py" | "cu" | "cuh" | "h" | "hpp" | "cpp");
    if path.extension().and_then(|extension| extension.to_str()).is_some_and(is_source) {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        bind_source(&text, &file, ints.reading(), names);
        return Ok(());
    }
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        match extension {
            // Whatever else stands in a dump.
            Some(_) => {
                if let Some((name, attribute)) = alias(line) {
                    let _ = names.alias(name, attribute);
                }
            }
            None if line.is_empty() || line.starts_with("//") => {}
            None => one(line, names, ints).map_err(|error| {
                let error = error.about(format!("line {number} of {}", path.display()));
                Trouble::Line(line.to_owned(), error)
            })?,
        }
    }
    Ok(())
}

fn one(line: &str, names: &mut Bindings, ints: Ints) -> Result<(), Error> {
    let within = |part: &str| line.find(part).unwrap_or(0);
    if let Some((name, attribute)) = alias(line) {
        return names.alias(name, attribute).map_err(|error| error.shifted(within(attribute)));
    }
    let Some((name, expression)) = assignment(line) else {
        return Err(Error::new(Code::Syntax("bad-name"), "a line is `name = expression` or `#alias = #attribute`"));
    };
    let answer = evaluate_in(expression, ints.reading(), names).map_err(|error| error.shifted(within(expression)))?;
    names.bind(name, &answer.value)
}

/// Adds the names of all files; the exit code where one gives none.
pub(crate) fn read_all<'p>(
    paths: impl IntoIterator<Item = &'p Path>,
    session: &mut Session,
) -> std::io::Result<Option<u8>> {
    for path in paths {
        match read(path, &mut session.names, session.ints) {
            Ok(()) => {}
            Err(Trouble::File(error)) => return session.no_file("read", path, &error).map(Some),
            Err(Trouble::Line(text, error)) => return session.refuse(&text, &error).map(Some),
        }
    }
    Ok(None)
}
