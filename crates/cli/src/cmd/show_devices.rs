//! `bitstride show` of tensors over devices: a grid of the blocks that devices hold, or a line for each device.

use std::collections::BTreeSet;
use std::io;

use bitstride::Error;
use bitstride::sharding::{Indices, Sharding, written};
use bitstride_lang::{Answer, Value};
use serde_json::{Map, json};

use crate::session::Session;

/// More devices are not listed.
const MAX_DEVICES: i64 = 64;

/// More blocks along a dim are no grid in a terminal.
const MAX_BLOCKS: usize = 16;

/// Whether a value is a tensor over devices.
pub(super) fn is_needed(value: &Value) -> bool {
    matches!(value, Value::Sharding(_))
}

/// Prints each value; as JSON what each device holds.
pub(super) fn run(answers: &[(String, Answer)], session: &mut Session) -> io::Result<u8> {
    for (text, answer) in answers {
        let Value::Sharding(sharding) = &answer.value else { continue };
        let shown = shards(sharding);
        match shown {
            Ok(all) if session.json => {
                let mut object = Map::new();
                let devices =
                    all.iter().enumerate().map(|(device, held)| json!({"device": device, "holds": written(held)}));
                object.insert("devices".into(), json!(devices.collect::<Vec<_>>()));
                session.object(object)?;
            }
            Ok(all) => session.line(&picture(sharding, &all))?,
            Err(error) => return session.refuse(text, &error),
        }
        for note in &answer.notes {
            session.note(note)?;
        }
    }
    Ok(0)
}

/// What each of the first devices holds.
fn shards(sharding: &Sharding) -> Result<Vec<Option<Vec<Indices>>>, Error> {
    (0..sharding.devices()?.min(MAX_DEVICES)).map(|device| sharding.shard(device)).collect()
}

/// The text, a grid where blocks are few, and a line for each device otherwise.
fn picture(sharding: &Sharding, all: &[Option<Vec<Indices>>]) -> String {
    let devices = sharding.devices().unwrap_or(0);
    let mut lines = vec![sharding.to_string()];
    match grid(sharding, all).filter(|_| devices <= MAX_DEVICES) {
        Some(grid) => lines.extend(grid),
        None => {
            lines.extend(all.iter().enumerate().map(|(device, held)| format!("device {device}: {}", written(held))))
        }
    }
    let listed = i64::try_from(all.len()).unwrap_or(devices);
    if devices > listed {
        lines.push(format!("… {} more devices", devices - listed));
    }
    lines.join("\n")
}

/// Rows of blocks of a tensor of one or two dims, each with the devices that hold it.
fn grid(sharding: &Sharding, all: &[Option<Vec<Indices>>]) -> Option<Vec<String>> {
    let shape = sharding.shape();
    let (rows, columns) = match shape {
        [columns] => (None, *columns),
        [rows, columns] => (Some(*rows), *columns),
        _ => return None,
    };
    let cuts = |dim: usize, extent: i64| {
        let mut cuts = BTreeSet::from([0, extent]);
        for held in all.iter().flatten() {
            let limit = i64::try_from(MAX_BLOCKS).unwrap_or(i64::MAX);
            cuts.extend(held.get(dim)?.blocks(limit).ok()?.iter().flat_map(|(start, end)| [*start, *end]));
        }
        let cuts: Vec<i64> = cuts.into_iter().collect();
        let blocks: Vec<(i64, i64)> =
            cuts.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        (!blocks.is_empty() && blocks.len() <= MAX_BLOCKS).then_some(blocks)
    };
    let last = shape.len() - 1;
    let columns = cuts(last, columns)?;
    let rows = match rows {
        Some(rows) => cuts(0, rows)?,
        None => vec![(0, 1)],
    };
    let range = |(start, end): &(i64, i64)| format!("{start}..{end}");
    let holders = |row: &(i64, i64), column: &(i64, i64)| {
        let holds = |held: &Option<Vec<Indices>>| match held.as_deref() {
            Some([own]) => own.holds(column.0),
            Some([first, second]) => first.holds(row.0) && second.holds(column.0),
            _ => false,
        };
        let devices: Vec<String> =
            all.iter().enumerate().filter(|(_, held)| holds(held)).map(|(device, _)| device.to_string()).collect();
        devices.join(",")
    };
    let mut table: Vec<Vec<String>> = vec![std::iter::once(String::new()).chain(columns.iter().map(range)).collect()];
    for row in &rows {
        let head = if shape.len() == 1 { "devices".to_owned() } else { range(row) };
        table.push(std::iter::once(head).chain(columns.iter().map(|column| holders(row, column))).collect());
    }
    let width = |column: usize| table.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    Some(table.iter().map(line).collect())
}
