//! What a file is by its first bytes, so that none of a known format is taken for plain bytes.
//!
//! Law: what is named begins as files of that format begin; any other file is plain.

use safetensors::SafeTensors;

/// The first bytes of formats, and their names.
const MAGICS: &[(&[u8], &str)] = &[
    (b"\x93NUMPY", "a NumPy array (.npy)"),
    (b"GGUF", "a GGUF file"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"PK\x03\x04", "a zip archive, as PyTorch (.pt) and NumPy (.npz) write"),
];

/// The format of a file that is not plain.
pub(crate) fn format(bytes: &[u8]) -> Option<&'static str> {
    let known = MAGICS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name);
    // A length of 8 bytes comes first, then an object of JSON, which must fit the file.
    let is_safe = bytes.get(8) == Some(&b'{') && SafeTensors::read_metadata(bytes).is_ok();
    known.or_else(|| is_safe.then_some("a .safetensors file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        let header = br#"{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#;
        let safe = |data: &[u8]| [&header.len().to_le_bytes()[..], header, data].concat();
        for (bytes, name) in [
            (&b"\x93NUMPY\x01\x00"[..], Some("NumPy")),
            (b"GGUF\x03\0\0\0", Some("GGUF")),
            (b"\x89HDF\r\n\x1a\n\0", Some("HDF5")),
            (b"PK\x03\x04\0\0", Some("PyTorch")),
            (&safe(b"a"), Some(".safetensors")),
            (&safe(b"ab"), None),
            (b"GGU", None),
            (b"", None),
            (b"abcdefgh{}", None),
        ] {
            let found = format(bytes);
            assert!(found.is_some() == name.is_some() && found.unwrap_or("").contains(name.unwrap_or("")), "{found:?}");
        }
    }
}
