//! The types of NumPy, as the `descr` of a `.npy` header says them.
//!
//! | `descr` | is |
//! |---|---|
//! | `'<f4'`, `'\|b1'`, `'>c16'` | a number; `<` and `>` say which byte is first, `=` or nothing as on this machine |
//! | `'\|V3'`, `'\|S5'`, `'<U3'`, `'<M8[25s]'` | bytes, characters of 1 or 4 bytes, times: moved as bits |
//! | `[('a', '<u2'), ('', '\|V3'), (('title', 'b'), '<f4', (2,))]` | a record: fields one after the other, with gaps as fields |
//!
//! Law: the size is that of NumPy's `itemsize`; what NumPy does not write is refused.

use super::Dtype;
use super::python::{entries, extent, extents, shown, string};

/// The type of a text.
pub(super) fn dtype(descr: &str) -> Result<Dtype, String> {
    let too_long = || format!("the elements of `{}` are too long", shown(descr));
    if let Some(text) = string(descr) {
        return simple(text)?.ok_or_else(too_long);
    }
    let bits = bytes(descr)?.checked_mul(8).and_then(|bits| u32::try_from(bits).ok()).ok_or_else(too_long)?;
    Ok(Dtype { name: descr.to_owned(), bits, big_endian: false })
}

/// The bytes of an element.
fn bytes(descr: &str) -> Result<u64, String> {
    let too_long = || format!("the elements of `{}` are too long", shown(descr));
    if let Some(text) = string(descr) {
        return Ok(u64::from(simple(text)?.ok_or_else(too_long)?.bits / 8));
    }
    let mut all = 0u64;
    for field in entries(descr, '[', ']')? {
        let parts = entries(field, '(', ')')?;
        let (name, descr, shape) = match parts.as_slice() {
            [name, descr] => (name, descr, Vec::new()),
            [name, descr, shape] if shape.starts_with('(') => (name, descr, extents(shape)?),
            [name, descr, count] => (name, descr, vec![extent(count)?]),
            _ => return Err(format!("`{}` is no field of a record", shown(field))),
        };
        if !name.starts_with(['\'', '"', '(']) {
            return Err(format!("`{}` is no name of a field", shown(name)));
        }
        let size = shape.iter().try_fold(bytes(descr)?, |size, extent| size.checked_mul(*extent));
        all = size.and_then(|size| all.checked_add(size)).ok_or_else(too_long)?;
    }
    Ok(all)
}

/// The type of a text such as `<f4`; none when its elements are too long.
fn simple(text: &str) -> Result<Option<Dtype>, String> {
    let unknown = || format!("`{}` is no type of NumPy", shown(text));
    let (order, plain) = match text.strip_prefix(['<', '>', '|', '=']) {
        Some(plain) => (text.chars().next(), plain),
        None => (None, text),
    };
    let mut characters = plain.chars();
    let letter = characters.next().ok_or_else(unknown)?;
    let behind = characters.as_str();
    // Times have a unit behind their size.
    let size = match letter {
        'M' | 'm' => behind.split_once('[').filter(|(_, unit)| unit.ends_with(']')).map_or(behind, |(size, _)| size),
        _ => behind,
    };
    if letter == 'O' {
        return Err("its elements are objects of Python, which the file pickles".to_owned());
    }
    let size = extent(size).map_err(|_| unknown())?;
    let bytes = match (letter, size) {
        ('b', 1) | ('i' | 'u', 1 | 2 | 4 | 8) | ('f', 2 | 4 | 8 | 12 | 16) | ('c', 8 | 16 | 24 | 32) => size,
        ('M' | 'm', 8) | ('S' | 'a' | 'V', _) => size,
        ('U', _) => size.saturating_mul(4),
        _ => return Err(unknown()),
    };
    let Some(bits) = bytes.checked_mul(8).and_then(|bits| u32::try_from(bits).ok()) else { return Ok(None) };
    let name = match letter {
        'b' => "pred".to_owned(),
        'i' => format!("s{bits}"),
        'u' | 'f' | 'c' => format!("{letter}{bits}"),
        _ => plain.to_owned(),
    };
    let big_endian = match order {
        Some('>') => true,
        Some('<' | '|') => false,
        _ => cfg!(target_endian = "big"),
    };
    Ok(Some(Dtype { name, bits, big_endian }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_numpy() {
        for (descr, name, bits) in [
            ("'|b1'", "pred", 8),
            ("'<i2'", "s16", 16),
            ("\"u4\"", "u32", 32),
            ("'=f8'", "f64", 64),
            ("'<c8'", "c64", 64),
            ("'<f16'", "f128", 128),
            ("'|V3'", "V3", 24),
            ("'|S5'", "S5", 40),
            ("'<U2'", "U2", 64),
            ("'<M8[25s]'", "M8[25s]", 64),
            ("'<m8'", "m8", 64),
        ] {
            let wanted = Dtype { name: name.to_owned(), bits, big_endian: false };
            assert_eq!(dtype(descr), Ok(wanted), "{descr}");
        }
        assert!(dtype("'>f4'").is_ok_and(|dtype| dtype.big_endian));
        for (descr, bits) in [
            ("[('a', '<u2'), ('b', '|u1')]", 24),
            ("[('shape', '<u2', (2, 3)), ('', '|V3')]", 120),
            ("[(('a title', 'a'), '<f8'), ('b', [('x', '|i1'), ('y', '<i4', (2,))], 2)]", 208),
            ("[]", 0),
        ] {
            assert_eq!(dtype(descr).map(|dtype| dtype.bits), Ok(bits), "{descr}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let deep = format!("{}'<i4'{}", "[('a', ".repeat(1000), ")]".repeat(1000));
        for descr in [
            "''",
            "'|O'",
            "'i3'",
            "'<f'",
            "'<M8[s'",
            "'<i4,<i4'",
            "f4",
            "('<f4', (2,))",
            "{'names': ['a']}",
            "[('a',)]",
            "['<i4']",
            "[(1, '<i4')]",
            "[('a', '<i4', 'b')]",
            "'|V99999999999'",
            "[('a', '|V4', (99999999999,))]",
            &deep,
        ] {
            assert!(dtype(descr).is_err(), "{}", shown(descr));
        }
    }
}
