//! How metadata is changed: as bytes, as values of JSON, as numbers of a text, as opcodes of a pickle, and as indices of shards.

use serde_json::{Value as Json, json as value};

use super::super::super::source::Source;

/// What numbers become.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "1099511627776",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "NaN",
    "1.5",
];

/// A part of a list of some length.
fn range(source: &mut Source, length: usize) -> std::ops::Range<usize> {
    let start = source.count(0, length);
    start..start + source.count(0, (length - start).min(40))
}

/// Bytes changed, lost, or there twice, or the end lost.
pub(super) fn bytes(source: &mut Source, bytes: &mut Vec<u8>) {
    for _ in 0..source.count(1, 3) {
        let range = range(source, bytes.len());
        match source.below(7) {
            0 | 1 => {
                let bit = 1 << source.below(8);
                if let Some(byte) = bytes.get_mut(range.start) {
                    *byte ^= bit;
                }
            }
            2 => {
                let other = source.of(&[0, 1, 0x7f, 0x80, 0xff, b'"', b'[', b'}', b'.', b'(', b'R', b'h', b'J', b'/']);
                if let Some(byte) = bytes.get_mut(range.start) {
                    *byte = other;
                }
            }
            3 => drop(bytes.drain(range)),
            4 => {
                let own = bytes.get(range.clone()).unwrap_or_default().to_vec();
                bytes.splice(range.start..range.start, own);
            }
            5 => {
                let own = bytes.get(range).unwrap_or_default().to_vec();
                let at = source.count(0, bytes.len());
                bytes.splice(at..at, own);
            }
            _ => bytes.truncate(range.end),
        }
    }
}

/// One number of a text changed.
pub(super) fn number(source: &mut Source, text: &mut Vec<u8>) {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_start = |at: &usize| is_digit(*at) && (*at == 0 || !is_digit(*at - 1));
    let starts: Vec<usize> = (0..text.len()).filter(is_start).collect();
    if starts.is_empty() {
        return;
    }
    let start = source.of(&starts);
    let end = (start..text.len()).find(|at| !is_digit(*at)).unwrap_or(text.len());
    text.splice(start..end, source.of(&NUMBERS).bytes());
}

/// One value changed, lost, there twice, or under another name.
fn changed(source: &mut Source, json: &mut Json) {
    match json {
        Json::Array(all) if !all.is_empty() && !source.once_in(4) => {
            let at = source.count(0, all.len() - 1);
            match source.below(6) {
                0 => drop(all.remove(at)),
                1 => all.extend(all.get(at).cloned()),
                _ => all.get_mut(at).into_iter().for_each(|own| changed(source, own)),
            }
        }
        Json::Object(all) if !all.is_empty() && !source.once_in(8) => {
            let names: Vec<String> = all.keys().cloned().collect();
            let Some(name) = names.get(source.count(0, names.len() - 1)) else { return };
            match source.below(6) {
                0 => drop(all.remove(name)),
                1 => {
                    let own = all.remove(name).unwrap_or_default();
                    let other =
                        source.of(&["", "../x", ".", "..", "a/b", "/x", "x\u{0}", "zarr.json", "plan.txt", "\u{fffd}"]);
                    let swapped = names.get(source.count(0, names.len() - 1)).map_or("", String::as_str);
                    all.insert(if source.once_in(2) { swapped } else { other }.to_owned(), own);
                }
                _ => match all.get_mut(name) {
                    // Objects in texts, such as those of DCP_SHARDING_INFO.
                    Some(Json::String(text)) if text.starts_with('{') => {
                        let mut inner: Json = serde_json::from_str(text).unwrap_or_default();
                        changed(source, &mut inner);
                        *text = inner.to_string();
                    }
                    Some(own) => changed(source, own),
                    None => {}
                },
            }
        }
        own => {
            let number = serde_json::from_str(source.of(&NUMBERS)).unwrap_or(Json::Null);
            *own = match source.below(13) {
                0..=3 => number,
                4 => Json::Null,
                5 => value!(true),
                6 => value!(source.of(&[
                    "../../x",
                    "/x",
                    "\u{0}",
                    "..",
                    "0.safetensors",
                    "gzip",
                    "zstd",
                    "sharding_indexed"
                ])),
                7 => value!([]),
                8 => value!({}),
                9 => value!([1, 2]),
                10 => value!([-1, i64::MAX]),
                11 => value!(1.5),
                _ => (0..source.below(200)).fold(value!(0), |inner, _| value!([inner])),
            };
        }
    }
}

/// Text that is JSON, changed as a value, a number, bytes, with a name twice, or with brackets in brackets.
pub(super) fn json(source: &mut Source, text: &mut Vec<u8>) {
    match source.below(16) {
        0..=2 => bytes(source, text),
        3..=5 => number(source, text),
        6 => {
            // A member of an object once more, perhaps with another number.
            let starts: Vec<usize> = (0..text.len()).filter(|at| text.get(*at) == Some(&b'"')).collect();
            let Some(start) = starts.get(source.count(0, starts.len().max(1) - 1)).copied() else { return };
            let end = (start..text.len()).find(|at| text.get(*at) == Some(&b',')).map_or(text.len(), |end| end + 1);
            let mut own = text.get(start..end).unwrap_or_default().to_vec();
            number(source, &mut own);
            text.splice(start..start, own);
        }
        7 => {
            let deep = usize::try_from(source.of(&[100, 1000, 100_000])).unwrap_or(0);
            let at = source.count(0, text.len());
            text.splice(at..at, std::iter::repeat_n(source.of(b"[{\""), deep));
        }
        _ => {
            let mut whole: Json = serde_json::from_slice(text).unwrap_or_default();
            for _ in 0..source.count(1, 2) {
                changed(source, &mut whole);
            }
            *text = whole.to_string().into_bytes();
        }
    }
}

/// The header of a `.safetensors` file, and its length.
pub(super) fn header(source: &mut Source, file: &mut Vec<u8>) {
    let word = file.get(..8).and_then(|word| word.try_into().ok()).map_or(0, u64::from_le_bytes);
    let end = usize::try_from(word).unwrap_or(0).saturating_add(8).min(file.len());
    let mut text = file.get(8..end).unwrap_or_default().to_vec();
    json(source, &mut text);
    let mut length = u64::try_from(text.len()).unwrap_or(0);
    if source.once_in(16) {
        length = source.of(&[0, 1, length + 1, length.wrapping_sub(1), u64::MAX, u64::MAX - 7, 1 << 62, 1 << 31]);
    }
    file.splice(..end, length.to_le_bytes().into_iter().chain(text));
}

/// Any byte of a file, or its end lost.
pub(super) fn file(source: &mut Source, file: &mut Vec<u8>) {
    match source.below(3) {
        0 => file.truncate(source.count(0, file.len())),
        _ => bytes(source, file),
    }
}

/// A pickle: integers of another size, memos that lead elsewhere or to what they are in, calls, and bytes.
pub(super) fn pickle(source: &mut Source, bytes_of: &mut Vec<u8>) {
    let opcode = |bytes: &[u8], code: u8| -> Vec<usize> {
        (0..bytes.len().saturating_sub(1)).filter(|at| bytes.get(*at) == Some(&code)).collect()
    };
    let (small, gets) = (opcode(bytes_of, b'K'), opcode(bytes_of, b'h'));
    match source.below(8) {
        0 | 1 if !small.is_empty() => {
            let at = source.of(&small);
            let number = source.of(&[0, -1, 1, 5, 1 << 31, 1 << 40, i64::MAX, i64::MIN]);
            bytes_of.splice(at..at + 2, [0x8a, 8].into_iter().chain(number.to_le_bytes()));
        }
        2 if !small.is_empty() => {
            let (one, other) = (source.of(&small), source.of(&small));
            bytes_of.swap(one + 1, other + 1);
        }
        // Another thing that was kept before: lists and dicts that hold themselves among them.
        3 | 4 if !gets.is_empty() => {
            let at = source.of(&gets);
            let number = u8::try_from(source.below(256)).unwrap_or(0);
            if let Some(byte) = bytes_of.get_mut(at + 1) {
                *byte = number;
            }
        }
        5 | 6 => {
            let programs: [&[u8]; 11] = [
                b"cos\nsystem\n(\x8c\x09touch rantR",
                b"\x8c\x08builtins\x8c\x04exec\x93(\x8c\x01xtR",
                b"(\x8c\x09touch ranios\nsystem\n",
                b"]\x94h\x00a",
                b"]\x94\x94a",
                b"}\x94\x94\x94s",
                b"(l(l(l",
                b"\x85\x85\x85\x85\x85",
                b"0000",
                b"22222222",
                b"\x8a\xff",
            ];
            let own = source.of(&programs).repeat(source.of(&[1, 2, 1000]));
            let at = source.count(0, bytes_of.len());
            bytes_of.splice(at..at, own);
        }
        7 => bytes_of.truncate(source.count(0, bytes_of.len())),
        _ => bytes(source, bytes_of),
    }
}

/// The text of rules.
pub(super) fn text(source: &mut Source, text: &mut Vec<u8>) {
    match source.below(2) {
        0 => number(source, text),
        _ => bytes(source, text),
    }
}

/// A chunk with an index: one of its numbers, with a checksum that is right, or any byte.
pub(super) fn index(source: &mut Source, file: &mut Vec<u8>) {
    // The numbers at the start and at the end of the files here.
    let is_end = file.first() == Some(&0x1f);
    let (length, start) = if is_end { (16 * 4, file.len().saturating_sub(16 * 4 + 4)) } else { (16 * 4, 0) };
    if source.once_in(4) || file.len() < start + length {
        return bytes(source, file);
    }
    let number = source.of(&[0, 1, 64, 127, 1 << 31, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX]);
    let at = start + 8 * source.count(0, length / 8 - 1);
    if source.once_in(3) {
        // Twice the same part, or one that overlaps another.
        let from = start + 8 * source.count(0, length / 8 - 1);
        file.copy_within(from..from + 8, at);
    } else {
        file.splice(at..at + 8, number.to_le_bytes());
    }
    if is_end {
        let sum = crc32c(file.get(start..start + length).unwrap_or_default());
        file.splice(start + length.., sum.to_le_bytes());
    }
}

/// The checksum of Castagnoli's polynomial, bit by bit. Source: RFC 3720, appendix B.4.
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    let step = |sum: u32| (sum >> 1) ^ if sum & 1 == 1 { 0x82f6_3b78 } else { 0 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}
