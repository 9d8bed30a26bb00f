//! `bitstride diff`: the operation `diff` on two expressions, or what two dumps have not in common.
//!
//! As JSON a change of a dump is `{"kind", "before": {"line", …}?, "after"?, "counts"}`, an object a change.

use std::io;
use std::path::Path;

use bitstride_dumps::{Change, Item};
use serde_json::{Map, json};

use super::dump::{is_dump, item, report};
use crate::args::Diff;
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Diff, session: &mut Session) -> io::Result<u8> {
    let (left, right) = (Path::new(&args.left), Path::new(&args.right));
    if is_dump(left) && is_dump(right) {
        return files(left, right, session);
    }
    match (text_of(&args.left), text_of(&args.right)) {
        (Ok(left), Ok(right)) => session.evaluate(&format!("diff({left}, {right})")),
        (Err(error), _) | (_, Err(error)) => session.refuse("", &error),
    }
}

fn files(left: &Path, right: &Path, session: &mut Session) -> io::Result<u8> {
    let mut reports = Vec::new();
    for path in [left, right] {
        match report(path, None, session) {
            Ok(read) => reports.push(read),
            Err(error) => return session.no_file("read", path, &error),
        }
    }
    let [before, after] = reports.as_slice() else { return Ok(0) };
    let changes = match Change::between(before, after) {
        Ok(changes) => changes,
        Err(error) => return session.refuse("", &error),
    };
    if session.json {
        for change in &changes {
            let mut object = Map::new();
            object.insert("kind".into(), change.kind.into());
            for (name, side) in ["before", "after"].into_iter().zip(change.items) {
                if let Some(side) = side {
                    object.insert(name.into(), item(side));
                }
            }
            object.insert("counts".into(), json!(change.counts));
            session.object(object)?;
        }
        return Ok(u8::from(!changes.is_empty()));
    }
    let mut title = "";
    for change in &changes {
        if change.title != title {
            session.line(&format!("{}{}", if title.is_empty() { "" } else { "\n" }, change.title))?;
            title = change.title;
        }
        match (change.items, change.counts) {
            ([Some(gone), None], _) => print("-", gone, session)?,
            ([None, Some(new)], _) => print("+", new, session)?,
            ([Some(_), Some(both)], [before, after]) => {
                print("~", both, session)?;
                session.line(&format!("               {before} times before, {after} times after"))?;
            }
            ([None, None], _) => {}
        }
    }
    Ok(u8::from(!changes.is_empty()))
}

fn print(mark: &str, item: &Item, session: &mut Session) -> io::Result<()> {
    let number = format!("line {}", item.line);
    for (at, line) in item.text.iter().take(2).enumerate() {
        let (mark, number) = if at == 0 { (mark, number.as_str()) } else { ("", "") };
        session.line(format!("  {mark:<2}{number:<11}{line}").trim_end())?;
    }
    Ok(())
}
