//! `bitstride fit`: the layout of a table of offsets, or of an index expression.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bitstride::map::{Expression, Table};
use bitstride::{Code, Error, error};
use bitstride_lang::fitted;
use serde_json::Value as Json;

use crate::args::Fit;
use crate::session::{Session, text_of};
use crate::tensors::{Dtype, read_npy};

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
    let read = match (path == Path::new("-"), numbers(&args.subject).filter(|_| !path.exists())) {
        (true, _) => session.input.read_to_end(&mut bytes),
        (_, Some(text)) => {
            bytes = text.into_bytes();
            Ok(bytes.len())
        }
        _ => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    if let Err(error) = read {
        return session.no_file("read", path, &error);
    }
    let table = match extents(args.shape.as_deref()).and_then(|shape| table(&bytes, &shape)) {
        Ok(table) => table,
        Err(error) => return session.refuse("", &error),
    };
    match table.fit().and_then(|fit| fitted(&fit)) {
        Ok(answer) => session.answer(&answer),
        Err(error) if error.code() == Code::NotALayout => {
            let help = in_parts(&table);
            session.refuse("", &help.map_or_else(|| error.clone(), |help| error.clone().with_help(help)))
        }
        Err(error) => session.refuse("", &error),
    }
}

/// The layouts of a table that is none as a whole: with its last axis, the bits of packed codes, joined to another, or at each
/// coordinate of that axis.
fn in_parts(table: &Table) -> Option<String> {
    /// The most layouts of parts.
    const MAX_PARTS: usize = 64;
    let value = |table: &Table| fitted(&table.fit().ok()?).ok().map(|answer| answer.value.to_string());
    let last = table.rank().checked_sub(1)?;
    let joined = (0..last).find_map(|axis| Some((axis, value(&table.joined(axis, last).ok()?)?)));
    if let Some((axis, layout)) = joined {
        return Some(format!("with dim{last} as the fastest digit of dim{axis} it is {layout}"));
    }
    let slices = table.slices(last).ok().filter(|slices| slices.len() <= MAX_PARTS)?;
    let planes = slices.iter().map(value).collect::<Option<Vec<_>>>()?;
    let planes: Vec<String> = planes.iter().enumerate().map(|(at, layout)| format!("{layout} at {at}")).collect();
    Some(format!("along dim{last} it is {}", planes.join(", ")))
}

/// A table that stands in place of a file, as it is written or printed, `0,8,1,9`, `((0,8),(1,9))`, `[[0 8] [1 9]]`: as a file has it.
fn numbers(subject: &OsStr) -> Option<String> {
    let mut text = String::new();
    let mut is_apart = false;
    for c in subject.to_str()?.chars() {
        let follows = text.ends_with(|c: char| c.is_ascii_digit() || c == ']');
        match c {
            '[' | '(' => text.push_str(if follows { ",[" } else { "[" }),
            ']' | ')' => text.push(']'),
            ',' => {}
            _ if c.is_whitespace() => {}
            _ if c.is_ascii_digit() || c == '-' => {
                if follows && (is_apart || c == '-') {
                    text.push(',');
                }
                text.push(c);
            }
            _ => return None,
        }
        is_apart = c == ',' || c.is_whitespace() || c == ')' || c == ']';
    }
    text.contains([',', '[']).then_some(text)
}

/// The extents of the table; none where the file says them.
fn extents(shape: Option<&str>) -> Result<Vec<i64>, Error> {
    let Some(shape) = shape else { return Ok(Vec::new()) };
    let extent = |part: &str| {
        part.trim().parse().map_err(|_| {
            error!(Code::Syntax("bad-number"), "`{part}` of the shape {shape} is no extent", [part, shape])
                .with_help("extents such as 4,8")
        })
    };
    shape.split(',').map(extent).collect()
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
    let header = read_npy(bytes).map_err(|why| bad(&why))?;
    let mut shape = Vec::new();
    for extent in &header.shape {
        shape.push(i64::try_from(*extent).map_err(|_| Error::overflow("an extent"))?);
    }
    if header.fortran {
        return Err(bad("an array in the order of columns").with_help("save it with np.ascontiguousarray"));
    }
    let Dtype { name, bits, big_endian } = &header.dtype;
    let signed = name.starts_with('s');
    if *name != format!("{}{bits}", if signed { 's' } else { 'u' }) {
        return Err(bad(&format!("an array of {name}, not of integers")));
    }
    let data = bytes.get(header.data.clone()).unwrap_or(&[]);
    let size = usize::try_from(bits / 8).unwrap_or(8).max(1);
    let offsets = data.chunks_exact(size).map(|chunk| integer(chunk, signed, *big_endian));
    let offsets = offsets.collect::<Option<Vec<i64>>>().ok_or_else(|| Error::overflow("an offset"))?;
    Ok((shape, offsets))
}

/// An integer of at most 8 bytes; none when it is beyond 64 bits with a sign.
fn integer(bytes: &[u8], signed: bool, big_endian: bool) -> Option<i64> {
    let high = if big_endian { bytes.first() } else { bytes.last() };
    let negative = signed && high.is_some_and(|high| *high >= 0x80);
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    if big_endian {
        wide.iter_mut().zip(bytes.iter().rev()).for_each(|(to, from)| *to = *from);
    } else {
        wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    }
    i64::try_from(i128::from_le_bytes(wide)).ok()
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
    if rows.is_empty() {
        return Err(bad("no numbers"));
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
    error!(Code::Syntax("bad-table"), "no table: {what}", [what])
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn integers_of_all_sizes() {
        for (bytes, signed, big_endian, wanted) in [
            (&[0xff][..], true, false, Some(-1)),
            (&[0xff], false, false, Some(255)),
            (&[1, 2], true, false, Some(0x201)),
            (&[1, 2], true, true, Some(0x102)),
            (&[0x80, 0, 0, 0], true, true, Some(-(1 << 31))),
            (&[0xff; 8], true, false, Some(-1)),
            (&[0xff; 8], false, true, None),
        ] {
            assert_eq!(integer(bytes, signed, big_endian), wanted, "{bytes:?}");
        }
    }
}
