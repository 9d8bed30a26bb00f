//! The recorded vectors.

mod operation;
mod row;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// Runs the rows below a folder.
pub(crate) fn main(arguments: &[String]) -> ExitCode {
    let folder = arguments.first().map_or("testdata", String::as_str);
    let mut by: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    for path in row::files(Path::new(folder)).unwrap_or_default() {
        for row in row::rows(&path).unwrap_or_default() {
            let Some((_, reference)) = row.answers.first() else { continue };
            let ours = operation::answer(&row).text();
            let count = by.entry((row.file.clone(), row.op.clone())).or_default();
            count.0 += 1;
            if ours == *reference || (ours.starts_with('!') && reference.starts_with('!')) {
                count.1 += 1;
            } else {
                let ok = row.fields.get("ok").map(ToString::to_string).unwrap_or_default();
                println!("{}\t{}\t{:?}\tours={ours:?}\ttheirs={reference:?}\t{ok}", row.id, row.op, row.operands);
            }
        }
    }
    for ((file, op), (rows, equal)) in by {
        eprintln!("{file}:{op}\t{rows}\t{equal}");
    }
    ExitCode::SUCCESS
}
