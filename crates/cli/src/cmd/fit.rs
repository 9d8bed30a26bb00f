//! `bitstride fit`: the layout of a table of offsets, or of an index expression.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bitstride::calc::fitted;
use bitstride::map::{Expression, Table};
use bitstride::{Code, Error};
use serde_json::Value as Json;

use crate::args::Fit;
use crate::session::{Session, text_of};
use crate::tensors::has_room;

pub(crate) fn run(args: &Fit, session: &mut Session) -> io::Result<u8> {
    // Only an expression has a colon between its ranges and its offset.
    if let Ok(text) = text_of(&args.subject)
        && text.contains(':')
        && text.contains('<')
    {
        let answer = text.parse::<Expression>().and_then(|expression| expression.fit()).and_then(|fit| fitted(&fit));
        return match answer {
            Ok(answer) => session.answer(&answer),
            Err(error) => session.refuse(text, &error),
        };
    }
    let path = Path::new(&args.subject);
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => session.input.read_to_end(&mut bytes),
        false => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    if let Err(error) = read {
        return session.no_file("read", path, &error);
    }
    match table(&bytes, &args.shape).and_then(|table| fitted(&table.fit()?)) {
        Ok(answer) => session.answer(&answer),
        Err(error) => session.refuse("", &error),
    }
}

/// The table of a file, in the order of rows.
fn table(bytes: &[u8], shape: &[i64]) -> Result<Table, Error> {
    let (nested, offsets) = if bytes.starts_with(b"\x93NUMPY") {
        array(bytes)?
    } else {
        let text = std::str::from_utf8(bytes).map_err(|_| bad("neither a .npy array nor text"))?;
        match text.trim_start().starts_with('[') {
            true => json(text)?,
            false => lines(text)?,
        }
    };
    Table::row_major(if shape.is_empty() { &nested } else { shape }, offsets)
}

type Offsets = (Vec<i64>, Vec<i64>);

/// Integers of NumPy.
fn array(bytes: &[u8]) -> Result<Offsets, Error> {
    if !has_room(bytes) {
        return Err(bad("the header promises more numbers than the file has bytes"));
    }
    let file = npyz::NpyFile::new(bytes).map_err(|error| bad(&format!("no array that is read: {error}")))?;
    let mut shape = Vec::new();
    for extent in file.shape() {
        shape.push(i64::try_from(*extent).map_err(|_| Error::overflow("an extent"))?);
    }
    if file.order() == npyz::Order::Fortran {
        return Err(bad("an array in the order of columns").with_help("save it with np.ascontiguousarray"));
    }
    let text = file.dtype().descr();
    let wide = |error: io::Error| bad(&format!("an array of {text} ends early: {error}"));
    let offsets: Vec<i64> = match text.trim_matches(|c| "'<>|=".contains(c)) {
        "i8" => file.into_vec::<i64>().map_err(wide)?,
        "i4" => file.into_vec::<i32>().map_err(wide)?.into_iter().map(i64::from).collect(),
        "i2" => file.into_vec::<i16>().map_err(wide)?.into_iter().map(i64::from).collect(),
        "i1" => file.into_vec::<i8>().map_err(wide)?.into_iter().map(i64::from).collect(),
        "u4" => file.into_vec::<u32>().map_err(wide)?.into_iter().map(i64::from).collect(),
        "u2" => file.into_vec::<u16>().map_err(wide)?.into_iter().map(i64::from).collect(),
        "u1" => file.into_vec::<u8>().map_err(wide)?.into_iter().map(i64::from).collect(),
        "u8" => {
            let whole = file.into_vec::<u64>().map_err(wide)?;
            whole.into_iter().map(i64::try_from).collect::<Result<_, _>>().map_err(|_| Error::overflow("an offset"))?
        }
        other => return Err(bad(&format!("an array of {other}, not of integers"))),
    };
    Ok((shape, offsets))
}

/// Nested arrays of numbers.
fn json(text: &str) -> Result<Offsets, Error> {
    fn collect(value: &Json, depth: usize, shape: &mut Vec<i64>, offsets: &mut Vec<i64>) -> Result<(), Error> {
        let Json::Array(entries) = value else {
            let number = value.as_i64().ok_or_else(|| bad(&format!("{value} is no integer of 64 bits")))?;
            offsets.push(number);
            return if depth == shape.len() { Ok(()) } else { Err(bad("numbers are not nested alike")) };
        };
        let extent = i64::try_from(entries.len()).map_err(|_| Error::overflow("an extent"))?;
        match shape.get(depth) {
            None if offsets.is_empty() => shape.push(extent),
            Some(known) if *known == extent => {}
            _ => return Err(bad("rows are not equally long")),
        }
        entries.iter().try_for_each(|entry| collect(entry, depth + 1, shape, offsets))
    }
    let value: Json = serde_json::from_str(text).map_err(|error| bad(&format!("no JSON: {error}")))?;
    let (mut shape, mut offsets) = (Vec::new(), Vec::new());
    collect(&value, 0, &mut shape, &mut offsets)?;
    Ok((shape, offsets))
}

/// Numbers between blanks and commas, a line a row; lines of one number are one row.
fn lines(text: &str) -> Result<Offsets, Error> {
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let numbers = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let row = numbers.map(|word| word.parse::<i64>().map_err(|_| bad(&format!("`{word}` is no integer"))));
        rows.push(row.collect::<Result<Vec<_>, _>>()?);
    }
    let length = |list: usize| i64::try_from(list).map_err(|_| Error::overflow("an extent"));
    let columns = rows.first().map_or(0, Vec::len);
    if let Some(at) = rows.iter().position(|row| row.len() != columns) {
        return Err(bad(&format!(
            "line {} has {} numbers, the first {columns}",
            at + 1,
            rows.get(at).map_or(0, Vec::len)
        )));
    }
    let shape = match (rows.len(), columns) {
        (1, columns) => vec![length(columns)?],
        (rows, 1) => vec![length(rows)?],
        (rows, columns) => vec![length(rows)?, length(columns)?],
    };
    Ok((shape, rows.concat()))
}

fn bad(what: &str) -> Error {
    Error::new(Code::Syntax("bad-table"), format!("no table: {what}"))
}
