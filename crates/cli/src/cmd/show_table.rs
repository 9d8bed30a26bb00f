//! `bitstride show` of maps that no layout of CuTe draws: a table of their points and where each leads.

use std::io;

use bitstride::Error;
use bitstride::map::{Axis, Map};
use bitstride_lang::{Answer, Value};

use crate::session::Session;

/// How many points are listed; the corners of a picture are no more.
const MAX_ROWS: i64 = 256;

/// Whether a value is a map without a picture.
pub(super) fn is_needed(value: &Value) -> bool {
    matches!(value, Value::Map(mapped) if mapped.map.from_elements().and_then(|map| map.to_cute()).is_err())
}

/// Prints a table of each value.
pub(super) fn run(answers: &[(String, Answer)], session: &mut Session) -> io::Result<u8> {
    for (text, answer) in answers {
        match answer.value.as_map().and_then(|map| table(text, &map)) {
            Ok(table) => session.line(&table)?,
            Err(error) => return session.refuse(text, &error),
        }
        for note in &answer.notes {
            session.note(note)?;
        }
    }
    Ok(0)
}

/// The text, the axes and a line for each point, the first axis the fastest.
fn table(text: &str, map: &Map) -> Result<String, Error> {
    let axes = |axes: &[Axis]| axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut lines = vec![text.to_owned(), format!("{} -> {}", axes(map.domain()), axes(map.codomain()))];
    let size = map.size()?;
    for index in 0..size.min(MAX_ROWS) {
        let point = point(map.domain(), index);
        let leads = map.at(&point)?.map_or_else(|| "padding".to_owned(), |place| numbers(&place));
        lines.push(format!("{} -> {leads}", numbers(&point)));
    }
    if size > MAX_ROWS {
        lines.push(format!("… {} more", size - MAX_ROWS));
    }
    Ok(lines.join("\n"))
}

/// The coordinates of the point at an index.
fn point(axes: &[Axis], index: i64) -> Vec<i64> {
    let mut rest = index;
    let digit = |axis: &Axis| {
        let digit = rest.checked_rem(axis.extent).unwrap_or(0);
        rest = rest.checked_div(axis.extent).unwrap_or(0);
        digit
    };
    axes.iter().map(digit).collect()
}

fn numbers(point: &[i64]) -> String {
    match point {
        [only] => only.to_string(),
        _ => format!("({})", point.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
    }
}
