//! The recorded vectors.

mod judge;
mod laws;
mod nv;
mod operation;
mod row;
mod unknown;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use judge::Compared;

/// Runs the rows below a folder.
pub(crate) const OPTIONS: &str = "";

pub(crate) fn main(arguments: &[&str]) -> ExitCode {
    let folder = arguments.first().copied().unwrap_or("testdata");
    let mut by: BTreeMap<(String, &str, String), usize> = BTreeMap::new();
    for path in row::files(Path::new(folder)).unwrap_or_default() {
        for row in row::rows(&path).unwrap_or_default() {
            let (ours, columns) = judge::row(&row);
            for (at, (system, compared)) in columns.iter().enumerate() {
                let name = match compared {
                    Compared::Equal => continue,
                    Compared::SameFunction if at > 0 => continue,
                    Compared::SameFunction => "reference same function".to_owned(),
                    Compared::Differ(kind, _) => format!("{kind:?}"),
                    Compared::Unexplained(why) => format!("UNEXPLAINED {}", why.chars().take(0).collect::<String>()),
                };
                let theirs = row.answers.get(at).map(|(_, t)| t.as_str()).unwrap_or_default();
                let code = if theirs.starts_with('!') { theirs } else { "" };
                println!("{name}\t{system}\t{}\t{}\t{:?}\tours={:?}\ttheirs={:?}\t{compared:?}", row.op, row.id, row.operands, ours.text(), theirs);
                *by.entry((row.op.clone(), system, format!("{name} {code}"))).or_default() += 1;
            }
        }
    }
    for (key, rows) in by {
        eprintln!("{key:?}\t{rows}");
    }
    ExitCode::SUCCESS
}
