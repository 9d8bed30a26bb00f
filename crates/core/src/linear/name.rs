//! The name of an in or out dim: up to sixteen bytes, compared as one word.
//!
//! Layouts look their dims up by name all the time; a name that is a plain copyable word keeps strings and maps off
//! that path. Law: `Name::new(text)?.as_str() == text`.

use std::fmt;

use crate::error::{Code, Error};

/// The name of a dim, such as `register` or `dim0`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Name([u8; Name::LONGEST]);

impl Name {
    /// The most bytes a name may have.
    pub const LONGEST: usize = 16;

    /// `register`: the registers of one lane.
    pub const REGISTER: Name = Name::known(b"register");
    /// `lane`: the lanes of a warp.
    pub const LANE: Name = Name::known(b"lane");
    /// `warp`: the warps of a block.
    pub const WARP: Name = Name::known(b"warp");
    /// `block`: the blocks (CTAs) of a cluster (CGA).
    pub const BLOCK: Name = Name::known(b"block");
    /// `offset`: the element in shared memory.
    pub const OFFSET: Name = Name::known(b"offset");
    /// `partition`: the part of a partitioned shared memory.
    pub const PARTITION: Name = Name::known(b"partition");
    /// `row`: the row of tensor memory.
    pub const ROW: Name = Name::known(b"row");
    /// `col`: the column of tensor memory.
    pub const COL: Name = Name::known(b"col");
    /// `thread`: the threads of a block.
    pub const THREAD: Name = Name::known(b"thread");
    /// `value`: the values that a thread holds.
    pub const VALUE: Name = Name::known(b"value");
    /// `index`: the flat index of a tensor.
    pub const INDEX: Name = Name::known(b"index");

    /// A name from its text: a letter, then letters, digits and `_`.
    ///
    /// # Errors
    /// [`Code::Range`] when it is empty, longer than [`Name::LONGEST`] bytes, or has other characters.
    pub fn new(text: &str) -> Result<Self, Error> {
        let mut bytes = [0; Name::LONGEST];
        let word = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match bytes.get_mut(..text.len()) {
            Some(room) if word => room.copy_from_slice(text.as_bytes()),
            _ => {
                let start: String = text.chars().take(2 * Name::LONGEST).collect();
                return Err(error!(
                    Code::Range,
                    "{start:?} is no dim name; those have {least} to {longest} letters, digits or _",
                    [start, least = 1, longest = Name::LONGEST]
                ));
            }
        }
        Ok(Name(bytes))
    }

    /// `dim0`, `dim1`, …: the name of a dim of the tensor.
    pub fn dim(at: usize) -> Self {
        const DIMS: [Name; 8] = [
            Name::known(b"dim0"),
            Name::known(b"dim1"),
            Name::known(b"dim2"),
            Name::known(b"dim3"),
            Name::known(b"dim4"),
            Name::known(b"dim5"),
            Name::known(b"dim6"),
            Name::known(b"dim7"),
        ];
        DIMS.get(at).copied().unwrap_or_else(|| Name::new(&format!("dim{at}")).unwrap_or_default())
    }

    /// `dim1_0`: entry 0 of coordinate 1, by the path of the entry, outermost first; `dim1` for the path of one number.
    ///
    /// # Errors
    /// [`Code::TooLarge`] for a path whose name is longer than [`Name::LONGEST`] bytes; [`Code::Range`] for the empty one.
    ///
    /// ```
    /// use bitstride::linear::Name;
    /// assert_eq!(Name::coordinate(&[1, 0])?.as_str(), "dim1_0");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn coordinate(path: &[usize]) -> Result<Self, Error> {
        let entries = path.iter().map(ToString::to_string).collect::<Vec<_>>().join("_");
        match entries.len() + 3 {
            3 => Err(Error::new(Code::Range, "an integer has no coordinates to name")),
            4..=Name::LONGEST => Name::new(&format!("dim{entries}")),
            length => Err(error!(
                Code::TooLarge,
                "the name dim{entries} of a coordinate has {length} bytes; names have at most {longest}",
                [entries, length, longest = Name::LONGEST]
            )),
        }
    }

    /// The path of the coordinate that is named so: what [`Name::coordinate`] was given.
    ///
    /// ```
    /// use bitstride::linear::Name;
    /// assert_eq!(Name::dim(3).path(), Some(vec![3]));
    /// assert_eq!(Name::new("dim1_0")?.path(), Some(vec![1, 0]));
    /// assert_eq!(Name::OFFSET.path(), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn path(&self) -> Option<Vec<usize>> {
        let entries = self.as_str().strip_prefix("dim")?.split('_');
        let path: Vec<usize> = entries.map(|entry| entry.parse().ok()).collect::<Option<_>>()?;
        (Name::coordinate(&path).ok()? == *self).then_some(path)
    }

    const fn known(text: &[u8]) -> Self {
        let mut bytes = [0; Name::LONGEST];
        let mut at = 0;
        while at < text.len() && at < Name::LONGEST {
            bytes[at] = text[at];
            at += 1;
        }
        Name(bytes)
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(Name::LONGEST);
        self.0.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn names_keep_their_text() {
        for text in ["register", "dim0", "x", "abcdefghijklmnop"] {
            assert_eq!(Name::new(text).map(|name| name.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "0dim", "abcdefghijklmnopq", "a b", "ä"] {
            assert!(Name::new(text).is_err(), "{text}");
        }
        assert_eq!(Name::new("dim11"), Ok(Name::dim(11)));
        assert_eq!(Name::new("dim3"), Ok(Name::dim(3)));
    }

    #[test]
    fn coordinates_are_read_back_from_their_names() {
        for path in [vec![0], vec![12], vec![1, 0], vec![0, 10, 2], vec![1, 2, 3, 4, 5, 6]] {
            assert_eq!(Name::coordinate(&path).map(|name| name.path()), Ok(Some(path)));
        }
        assert!(Name::coordinate(&[]).is_err());
        assert!(Name::coordinate(&[1; 8]).is_err());
        for text in ["dim", "dim01", "dim1_", "dim_1", "dimx", "offset", "row0"] {
            assert_eq!(Name::new(text).map(|name| name.path()), Ok(None), "{text}");
        }
    }
}
