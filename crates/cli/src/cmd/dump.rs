//! `bitstride dump`, and `bitstride FILE`: what the layouts in a dump do.
//!
//! As JSON it is `{"file", "head", "KIND": [{"line", …}, …], …}`, an object a file.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use bitstride::names::did_you_mean;
use bitstride::{Code, Error, error};
use bitstride_dumps::{Condition, Dialect, Field, Item, Report, kinds, read};
use serde_json::{Map, Value as Json, json};

use crate::args::Dump;
use crate::session::{NO_FILE, Session};

/// What is asked of each file.
struct Wanted<'a> {
    args: &'a Dump,
    condition: Option<Condition>,
    fail_if: Vec<Condition>,
}

pub(crate) fn run(args: &Dump, session: &mut Session) -> io::Result<u8> {
    let wanted = match Wanted::read(args) {
        Ok(wanted) => wanted,
        Err((text, error)) => return session.refuse(&text, &error),
    };
    let mut files = Vec::new();
    for path in &args.files {
        match dumps_in(path) {
            Ok(found) => files.extend(found.into_iter().map(|file| (file, path.is_dir()))),
            Err(error) => return session.no_file("read", path, &error),
        }
    }
    if let (true, [folder, ..]) = (files.is_empty(), args.files.as_slice()) {
        let error = io::Error::new(io::ErrorKind::NotFound, "there is no dump in the folder");
        return session.no_file("read", folder, &error);
    }
    let (mut code, mut shown, mut passed) = (0, 0, 0);
    for (path, is_of_folder) in &files {
        let (own, items) = one(path, (files.len() > 1, *is_of_folder), &wanted, session)?;
        code = code.max(own);
        shown += items.unwrap_or(0);
        passed += usize::from(items.is_none());
    }
    if passed > 0 && shown > 0 {
        let files = if passed == 1 { "file of the folder has" } else { "files of the folder have" };
        session.note(&format!("{passed} {files} nothing that is read here"))?;
    }
    if shown == 0 && !session.json && code != NO_FILE {
        session.note(match wanted.is_part() {
            true => "no item is of these kinds, on this line and passes the condition",
            false => "nothing here is a layout of TTGIR, HLO or CuTe DSL, or a sharding of StableHLO",
        })?;
    }
    Ok(code)
}

impl<'a> Wanted<'a> {
    fn read(args: &'a Dump) -> Result<Self, (String, Error)> {
        let condition = |text: &String| text.parse::<Condition>().map_err(|error| (text.clone(), error));
        if let Some(other) = args.only.iter().find(|kind| !kinds().any(|known| known == kind.as_str())) {
            let error = error!(Code::UnknownName, "`{other}` is no kind of item", [other]);
            let all = kinds().collect::<Vec<_>>().join(", ");
            let near = did_you_mean(other, kinds()).map(|near| format!("did you mean {near}? "));
            return Err((String::new(), error.with_help(format!("{}the kinds are {all}", near.unwrap_or_default()))));
        }
        Ok(Wanted {
            args,
            condition: args.condition.as_ref().map(condition).transpose()?,
            fail_if: args.fail_if.iter().map(condition).collect::<Result<_, _>>()?,
        })
    }

    fn shows(&self, kind: &str, item: &Item) -> bool {
        (self.args.only.is_empty() || self.args.only.iter().any(|only| only == kind))
            && (self.args.line.is_none() || item.is_marked)
            && self.condition.as_ref().is_none_or(|condition| condition.holds(kind, item))
    }

    /// Whether only a part of a report is wanted.
    fn is_part(&self) -> bool {
        !self.args.only.is_empty() || self.args.line.is_some() || self.condition.is_some()
    }
}

/// The file, or the dumps in a folder and the folders in it, by their names.
fn dumps_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    if path == Path::new("-") || !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        // A link could lead round in a circle.
        if entry.is_dir() && !entry.is_symlink() {
            found.extend(dumps_in(&entry)?);
        } else if is_dump(&entry) {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Whether the extension of a file says that it is a dump.
pub(crate) fn is_dump(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| extension == "txt" || Dialect::of_extension(extension).is_some())
}

/// The report of a file, or of the input.
pub(crate) fn report(path: &Path, line: Option<u64>, session: &mut Session) -> io::Result<Report> {
    if path == Path::new("-") {
        return read(&mut *session.input, None, line);
    }
    let dialect = path.extension().and_then(|extension| extension.to_str()).and_then(Dialect::of_extension);
    read(BufReader::with_capacity(1 << 16, File::open(path)?), dialect, line)
}

/// The exit code of a file, and how many of its items were printed; `None` for one that a folder has beside its dumps. It is one of
/// several, and found in a folder, or not.
fn one(
    path: &Path,
    (several, is_of_folder): (bool, bool),
    wanted: &Wanted,
    session: &mut Session,
) -> io::Result<(u8, Option<usize>)> {
    let report = match report(path, wanted.args.line, session) {
        Ok(report) => report,
        Err(error) => return session.no_file("read", path, &error).map(|code| (code, Some(0))),
    };
    if is_of_folder && report.sections.iter().all(|section| section.items.is_empty()) {
        return Ok((0, None));
    }
    if session.json {
        session.object(object(path, &report, wanted))?;
    } else {
        print(path, several, &report, wanted, session)?;
    }
    let sections = report.sections.iter();
    let shown = sections.map(|section| section.items.iter().filter(|item| wanted.shows(section.kind, item)).count());
    let shown = shown.sum();
    Ok((judge(path, &report, wanted, session)?, Some(shown)))
}

fn print(path: &Path, several: bool, report: &Report, wanted: &Wanted, session: &mut Session) -> io::Result<()> {
    let title = path.display();
    if !wanted.is_part() {
        session.line(&format!("{title}: {}", report.head.join("\n  ")))?;
    }
    let mut first = wanted.is_part();
    for section in &report.sections {
        let items: Vec<&Item> = section.items.iter().filter(|item| wanted.shows(section.kind, item)).collect();
        if items.is_empty() {
            continue;
        }
        let gap = if std::mem::take(&mut first) {
            if several {
                session.line(&format!("{title}:"))?;
            }
            ""
        } else {
            "\n"
        };
        let total = section.items.len();
        let part = if items.len() == total { String::new() } else { format!(", {} of {total}", items.len()) };
        session.line(&format!("{gap}{}{part}", section.title))?;
        for item in items {
            let number = if item.line == 0 { String::new() } else { format!("line {}", item.line) };
            for (at, line) in item.text.iter().enumerate() {
                let number = if at == 0 { number.as_str() } else { "" };
                session.line(format!("  {number:<11}{line}").trim_end())?;
            }
        }
    }
    Ok(())
}

fn object(path: &Path, report: &Report, wanted: &Wanted) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("file".into(), path.display().to_string().into());
    object.insert("head".into(), json!(report.head));
    for section in &report.sections {
        let items = section.items.iter().filter(|item| wanted.shows(section.kind, item)).map(item);
        let items: Vec<Json> = items.collect();
        if !items.is_empty() {
            object.insert(section.kind.into(), items.into());
        }
    }
    object
}

/// An item with its fields.
pub(crate) fn item(item: &Item) -> Json {
    let mut object = Map::new();
    object.insert("line".into(), item.line.into());
    for (name, field) in &item.fields {
        object.insert((*name).into(), value(field));
    }
    Json::Object(object)
}

fn value(field: &Field) -> Json {
    match field {
        Field::Number(number) => (*number).into(),
        Field::Hundredths(number) => {
            let text = format!("{}.{:02}", number / 100, (number % 100).unsigned_abs());
            text.parse().map(Json::Number).unwrap_or_default()
        }
        Field::Truth(truth) => (*truth).into(),
        Field::Rank(names, at) => names.get(*at).copied().into(),
        Field::Text(text) => text.as_str().into(),
        Field::Numbers(numbers) => json!(numbers),
    }
}

/// Says which items must not be, and gives the exit code.
fn judge(path: &Path, report: &Report, wanted: &Wanted, session: &mut Session) -> io::Result<u8> {
    let mut code = 0;
    for (condition, text) in wanted.fail_if.iter().zip(&wanted.args.fail_if) {
        for section in &report.sections {
            for item in section.items.iter().filter(|item| condition.holds(section.kind, item)) {
                code = 1;
                let what = item.text.first().map_or("", String::as_str);
                session.note(&format!("{}:{}: {text}: {what}", path.display(), item.line))?;
            }
        }
    }
    Ok(code)
}
