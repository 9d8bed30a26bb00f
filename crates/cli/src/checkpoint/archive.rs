//! A tensor that `torch.save` wrote: a zip whose records are not compressed, of which only the ends are read.
//!
//! Law: what is said to be the data of a tensor lies inside the entry, has the bytes of its elements, and has them row-major; or it is
//! refused with what is there instead.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use bitstride::{Code, Error};

use super::pickle::{Id, Node, Pickle};

/// The most bytes of a list of records, and of a record that is no data.
const MAX_HEAD: u64 = 1 << 20;

/// What a tensor is to be.
pub(super) struct Wanted<'a> {
    /// The type of its elements, as PyTorch names it: `float32`.
    pub(super) dtype: &'a str,
    /// The bytes of an element.
    pub(super) width: i64,
    pub(super) shape: &'a [i64],
}

/// Why an entry is not read.
pub(super) enum Unread {
    File(std::io::Error),
    Refused(Error),
}

impl From<std::io::Error> for Unread {
    fn from(error: std::io::Error) -> Self {
        Unread::File(error)
    }
}

fn refused(words: impl Into<String>) -> Unread {
    Unread::Refused(Error::new(Code::Syntax("file"), words))
}

/// Where the data of a tensor begins in a file, of which an entry has some bytes.
pub(super) fn data(file: &mut File, entry: Range<u64>, wanted: &Wanted<'_>) -> Result<u64, Unread> {
    let mut archive = Archive { file, entry };
    let records = archive.records()?;
    let named = |name: &str| {
        let found = records.iter().find(|record| record.name.split_once('/').is_some_and(|(_, own)| own == name));
        found.ok_or_else(|| refused(format!("its zip has no record {name}")))
    };
    if let Ok(order) = named("byteorder")
        && archive.bytes(order)? != b"little"
    {
        return Err(refused("its numbers have the high byte first"));
    }
    let pickle = archive.bytes(named("data.pkl")?)?;
    let is_allowed = |name: &str| {
        let (module, own) = name.rsplit_once('.').unwrap_or_default();
        name == "collections.OrderedDict"
            || module == "torch._utils" && matches!(own, "_rebuild_tensor_v2" | "_rebuild_tensor_v3")
            || matches!(module, "torch" | "torch.storage")
                && (own.ends_with("Storage") || super::dcp::element(own).is_some())
    };
    let pickle = Pickle::read(&pickle, &is_allowed).map_err(Unread::Refused)?;
    let (key, first) = stored(&pickle, wanted)?;
    let record = named(&format!("data/{key}"))?;
    let bytes = |elements: i64| elements.checked_mul(wanted.width).and_then(|bytes| u64::try_from(bytes).ok());
    let elements = wanted.shape.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent));
    let (Some(skipped), Some(size)) = (bytes(first), elements.and_then(bytes)) else {
        return Err(refused("its data begins before its record, or is longer than is counted"));
    };
    if skipped.checked_add(size).is_none_or(|end| end > record.size) {
        let words = format!("its data has {} bytes, of which it needs {size} from {skipped} on", record.size);
        return Err(refused(words));
    }
    Ok(archive.start(record)? + skipped)
}

/// The record of a tensor, and how many elements are before it there.
fn stored(pickle: &Pickle, wanted: &Wanted<'_>) -> Result<(String, i64), Unread> {
    let root = pickle.root();
    let arguments = match root {
        Node::Object { arguments, .. } => pickle.node(*arguments),
        _ => &Node::Other,
    };
    let is_typed = match pickle.class(root) {
        "torch._utils._rebuild_tensor_v2" => true,
        "torch._utils._rebuild_tensor_v3" => false,
        _ => return Err(refused("it is no tensor")),
    };
    let parts = pickle.entries(arguments).unwrap_or_default();
    let part = |number: usize| parts.get(number).map_or(&Node::Other, |id: &Id| pickle.node(*id));
    let Node::Stored(name) = part(0) else { return Err(refused("its tensor has no storage")) };
    let names = pickle.entries(pickle.node(*name)).unwrap_or_default();
    let name = |number: usize| names.get(number).map_or(&Node::Other, |id: &Id| pickle.node(*id));
    let kind = match (is_typed, name(1), part(6)) {
        (true, Node::Class(class), _) => typed(class.rsplit_once('.').map_or("", |(_, own)| own)).unwrap_or_default(),
        (false, _, Node::Class(class)) => class.strip_prefix("torch.").unwrap_or_default(),
        _ => "",
    };
    if kind != wanted.dtype {
        return Err(refused(format!("its elements are of type {kind}, and the metadata says {}", wanted.dtype)));
    }
    let (Some(key), Node::Int(first)) = (pickle.text(name(2)), part(1)) else {
        return Err(refused("its storage has no name or no offset"));
    };
    let (shape, strides) = (pickle.integers(part(2)), pickle.integers(part(3)));
    if shape.as_deref() != Some(wanted.shape) {
        return Err(refused(format!("its shape is {shape:?}, and the metadata says {:?}", wanted.shape)));
    }
    let mut step = 1i64;
    let mut is_row_major = true;
    let strides = strides.unwrap_or_default();
    for (extent, stride) in wanted.shape.iter().zip(&strides).rev() {
        is_row_major = is_row_major && (*extent == 1 || *stride == step);
        step = step.saturating_mul(*extent);
    }
    if !is_row_major || strides.len() != wanted.shape.len() {
        return Err(refused(format!("its strides are {strides:?}, which are not row-major for {:?}", wanted.shape)));
    }
    Ok((key, *first))
}

/// The type of the elements of a storage.
fn typed(class: &str) -> Option<&'static str> {
    Some(match class {
        "DoubleStorage" => "float64",
        "FloatStorage" => "float32",
        "HalfStorage" => "float16",
        "BFloat16Storage" => "bfloat16",
        "LongStorage" => "int64",
        "IntStorage" => "int32",
        "ShortStorage" => "int16",
        "CharStorage" => "int8",
        "ByteStorage" => "uint8",
        "BoolStorage" => "bool",
        _ => return None,
    })
}

/// A record of a zip.
struct Record {
    name: String,
    /// Where its own header begins in the entry.
    header: u64,
    size: u64,
}

/// A zip inside a file.
struct Archive<'f> {
    file: &'f mut File,
    entry: Range<u64>,
}

impl Archive<'_> {
    /// Some bytes of the entry.
    fn read(&mut self, start: u64, length: u64) -> Result<Vec<u8>, Unread> {
        let begin = self.entry.start.checked_add(start);
        let inside = begin.and_then(|begin| begin.checked_add(length)).is_some_and(|end| end <= self.entry.end);
        let (true, Some(begin), Ok(size)) = (inside && length <= MAX_HEAD, begin, usize::try_from(length)) else {
            return Err(refused("its zip names bytes outside of the entry"));
        };
        let mut bytes = vec![0; size];
        self.file.seek(SeekFrom::Start(begin))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The list of records at the end.
    fn records(&mut self) -> Result<Vec<Record>, Unread> {
        const END: u64 = 22;
        let length = self.entry.end - self.entry.start;
        let Some(end) = length.checked_sub(END) else { return Err(refused("it is shorter than a zip")) };
        let tail = self.read(end, END)?;
        if !tail.starts_with(b"PK\x05\x06") || number(&tail, 20, 2) != 0 {
            return Err(refused("it does not end as a zip does"));
        }
        let (mut size, mut start) = (number(&tail, 12, 4), number(&tail, 16, 4));
        if size == u64::from(u32::MAX) || start == u64::from(u32::MAX) {
            // The same in 64 bits, before the end: 56 bytes, and 20 that say where they are.
            let Some(wide) = end.checked_sub(76) else { return Err(refused("it is shorter than a zip")) };
            let wide = self.read(wide, 56)?;
            if !wide.starts_with(b"PK\x06\x06") {
                return Err(refused("its zip has no end in 64 bits"));
            }
            (size, start) = (number(&wide, 40, 8), number(&wide, 48, 8));
        }
        let list = self.read(start, size)?;
        let mut records = Vec::new();
        let mut at = 0;
        while let Some(head) = list.get(at..at + 46).filter(|head| head.starts_with(b"PK\x01\x02")) {
            let [name, extra, comment] = [28, 30, 32].map(|at| usize::try_from(number(head, at, 2)).unwrap_or(0));
            let named = list.get(at + 46..at + 46 + name).unwrap_or_default();
            let extras = list.get(at + 46 + name..at + 46 + name + extra).unwrap_or_default();
            let [mut packed, mut size, mut header] =
                [(20, 4), (24, 4), (42, 4)].map(|(at, width)| number(head, at, width));
            let mut wide = wide_fields(extras).chunks(8).map(|field| number(field, 0, 8));
            for field in [&mut size, &mut packed, &mut header] {
                if *field == u64::from(u32::MAX) {
                    *field = wide.next().ok_or_else(|| refused("a record of its zip has no size in 64 bits"))?;
                }
            }
            let name_text = String::from_utf8_lossy(named).into_owned();
            if number(head, 10, 2) != 0 || packed != size || number(head, 8, 2) & 1 != 0 {
                return Err(refused(format!("record {name_text} of its zip is compressed or encrypted")));
            }
            records.push(Record { name: name_text, header, size });
            at += 46 + name + extra + comment;
        }
        if at != list.len() {
            return Err(refused("the list of records of its zip is not whole"));
        }
        Ok(records)
    }

    /// Where the bytes of a record begin in the file; they lie inside the entry.
    fn start(&mut self, record: &Record) -> Result<u64, Unread> {
        let head = self.read(record.header, 30)?;
        if !head.starts_with(b"PK\x03\x04") {
            return Err(refused(format!("record {} of its zip has no header", record.name)));
        }
        let start = record.header + 30 + number(&head, 26, 2) + number(&head, 28, 2);
        let end = self.entry.start.checked_add(start).and_then(|start| start.checked_add(record.size));
        match end.is_some_and(|end| end <= self.entry.end) {
            true => Ok(self.entry.start + start),
            false => Err(refused(format!("record {} of its zip ends outside of the entry", record.name))),
        }
    }

    fn bytes(&mut self, record: &Record) -> Result<Vec<u8>, Unread> {
        let start = self.start(record)?;
        self.read(start - self.entry.start, record.size)
    }
}

/// The 64-bit fields among what is added to a record.
fn wide_fields(extras: &[u8]) -> &[u8] {
    let mut rest = extras;
    while let Some((head, body)) = rest.split_at_checked(4) {
        let length = usize::try_from(number(head, 2, 2)).unwrap_or(0).min(body.len());
        let (own, next) = body.split_at(length);
        if number(head, 0, 2) == 1 {
            return own;
        }
        rest = next;
    }
    &[]
}

/// An unsigned number, the low byte first; 0 where the bytes are not there.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let own = bytes.get(at..at + width).unwrap_or_default();
    own.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
