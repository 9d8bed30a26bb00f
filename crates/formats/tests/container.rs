//! Headers of files: good ones are read, and whatever is done to them is refused or read, without a panic.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use bitstride_formats::{Container, Kind};

fn text(text: &str) -> Vec<u8> {
    [&u64::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes()].concat()
}

/// A file of two tensors, with keys of some types.
fn gguf(alignment: u32) -> Vec<u8> {
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend(2u64.to_le_bytes());
    file.extend(3u64.to_le_bytes());
    file.extend([text("general.alignment"), 4u32.to_le_bytes().to_vec(), alignment.to_le_bytes().to_vec()].concat());
    file.extend([text("general.name"), 8u32.to_le_bytes().to_vec(), text("small")].concat());
    // An array of two arrays of bytes.
    file.extend([text("list"), 9u32.to_le_bytes().to_vec(), 9u32.to_le_bytes().to_vec()].concat());
    file.extend(2u64.to_le_bytes());
    for _ in 0..2 {
        file.extend([&0u32.to_le_bytes()[..], &3u64.to_le_bytes(), &[1, 2, 3]].concat());
    }
    for (name, dims, of, offset) in [("a", &[64u64, 2][..], 2u32, 0u64), ("b", &[3], 24, 128)] {
        file.extend(text(name));
        file.extend(u32::try_from(dims.len()).unwrap().to_le_bytes());
        dims.iter().for_each(|dim| file.extend(dim.to_le_bytes()));
        file.extend(of.to_le_bytes());
        file.extend(offset.to_le_bytes());
    }
    file.resize(file.len().next_multiple_of(usize::try_from(alignment).unwrap()), 0);
    file.extend((0..131u8).collect::<Vec<_>>());
    file
}

#[test]
fn good_files_are_read() {
    for alignment in [32, 64] {
        let file = gguf(alignment);
        let read = Container::read(&file).unwrap();
        assert_eq!((read.kind, read.about["general.name"].as_str(), read.tensors.len()), (Kind::Gguf, "small", 2));
        assert_eq!((read.tensors[0].dtype.as_str(), read.tensors[0].shape.as_slice()), ("q4_0", &[2, 64][..]));
        assert_eq!(file[read.tensors[1].data.clone()], [128, 129, 130]);
        assert!(read.tensor("c").is_err());
    }
}

/// Each byte of the header changed, the file cut off anywhere, and lengths as large as can be.
#[test]
fn damaged_files_are_refused_or_read() {
    let file = gguf(32);
    for end in 0..file.len() {
        assert!(Container::read(&file[..end]).is_err(), "cut at {end}");
    }
    for at in 0..file.len() - 131 {
        for value in [0, 1, 0x7f, 0xff] {
            let mut damaged = file.clone();
            damaged[at] = value;
            if let Ok(read) = Container::read(&damaged) {
                assert!(read.tensors.iter().all(|tensor| tensor.data.end <= damaged.len()));
            }
        }
        let mut damaged = file.clone();
        let end = (at + 8).min(damaged.len());
        damaged[at..end].fill(0xff);
        let _ = Container::read(&damaged);
    }
    for (head, words) in [
        (&b"GGUF\x01\0\0\0"[..], "version is 1"),
        (b"GGUF\0\0\0\x03", "big-endian"),
        (b"GGUF", "version"),
        (b"\0\0\0\0\0\0\0\0{}", "no .safetensors"),
    ] {
        let error = Container::read(head).unwrap_err();
        assert!(error.message().contains(words), "{error}");
    }
    // Arrays in arrays in arrays.
    let mut deep = b"GGUF\x03\0\0\0".to_vec();
    deep.extend([0u64.to_le_bytes(), 1u64.to_le_bytes()].concat());
    deep.extend([text("a"), 9u32.to_le_bytes().to_vec()].concat());
    for _ in 0..200_000 {
        deep.extend([&9u32.to_le_bytes()[..], &1u64.to_le_bytes()].concat());
    }
    assert!(Container::read(&deep).is_err());
}

/// Names and keys that are there twice, and data that two tensors share, would be lost or mixed up.
#[test]
fn what_is_there_twice_is_refused() {
    let file = gguf(32);
    let patched = |before: &[u8], behind: &[u8]| {
        let at = file.windows(before.len()).rposition(|own| own == before).unwrap();
        [&file[..at], behind, &file[at + before.len()..]].concat()
    };
    let offset = |own: u64| [&3u64.to_le_bytes()[..], &24u32.to_le_bytes(), &own.to_le_bytes()].concat();
    let alignment = |of: u32| [&b"general.alignment"[..], &of.to_le_bytes()].concat();
    for (damaged, words) in [
        (patched(&text("b"), &text("a")), "two tensors a"),
        (patched(&offset(128), &offset(0)), "begins at byte"),
        (patched(&offset(128), &offset(64)), "within a, which has the bytes"),
        (patched(&alignment(4), &alignment(5)), "general.alignment has the type 5"),
        (patched(&alignment(4), &alignment(6)), "general.alignment has the type 6"),
    ] {
        let error = Container::read(&damaged).unwrap_err();
        assert!(error.message().contains(words), "{error}");
    }
    let mut twice = b"GGUF\x03\0\0\0".to_vec();
    twice.extend([0u64.to_le_bytes(), 2u64.to_le_bytes()].concat());
    (0..2).for_each(|_| twice.extend([text("k"), 4u32.to_le_bytes().to_vec(), vec![0; 4]].concat()));
    let error = Container::read(&twice).unwrap_err();
    assert!(error.message().contains("the key k is there twice"), "{error}");
}

/// Readers of JSON keep one of two values of a key, so that a repeated name hides a tensor.
#[test]
fn headers_with_a_key_twice_are_refused_with_both_places() {
    let file = |header: &str| {
        let mut file = u64::try_from(header.len()).unwrap().to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend([0; 8]);
        file
    };
    let own = r#""w":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}"#;
    for (header, words) in [
        (format!("{{{own},{own}}}"), "the key w is there twice, at bytes 9 and 61"),
        (format!("{{{own},{}}}", own.replace('w', "\\u0077")), "the key w is there twice, at bytes 9 and 61"),
        (
            format!("{{{}}}", own.replace("8],", "8],\"shape\":[4],")),
            "the key shape of w is there twice, at bytes 27 and 39",
        ),
        (format!("{{\"__metadata__\":{{\"a\":\"1\",\"a\":\"2\"}},{own}}}"), "the key a of __metadata__ is there twice"),
    ] {
        let error = Container::read(&file(&header)).unwrap_err();
        assert!(error.message().contains(words), "{header}: {error}");
    }
    let twice = "{\n\"weight_map\": {\n\"w\": \"a\",\n\"w\": \"a\"}}";
    let error = bitstride_formats::weight_map(twice).unwrap_err();
    assert!(error.message().contains("the key w of weight_map is there twice, on lines 3 and 4"), "{error}");
}

/// Each fault of a `.safetensors` file is named with its byte, and the tensor where it is one's.
#[test]
fn faults_of_safetensors_have_a_place() {
    let file = |header: &str, data: usize| {
        [&u64::try_from(header.len()).unwrap().to_le_bytes()[..], header.as_bytes(), &vec![0; data]].concat()
    };
    let two = |first: [usize; 2], second: [usize; 2]| {
        format!(
            r#"{{"a":{{"dtype":"U8","shape":[4],"data_offsets":{first:?}}},"b":{{"dtype":"U8","shape":[4],"data_offsets":{second:?}}}}}"#
        )
    };
    let whole = two([0, 4], [4, 8]);
    let start = 8 + whole.len();
    assert!(Container::read(&file(&whole, 8)).is_ok());
    for (bytes, wanted) in [
        (vec![0; 5], vec!["ends at byte 5".to_owned()]),
        (file(&whole, 8)[..40].to_vec(), vec![format!("{} bytes", whole.len()), "byte 40".to_owned()]),
        (file(&whole, 6), vec![format!("b ends at byte {}", start + 8), format!("the file at byte {}", start + 6)]),
        (file(&whole, 9), vec![format!("end at byte {}", start + 8), format!("the file at byte {}", start + 9)]),
        (file(&two([0, 4], [5, 9]), 9), vec![format!("b begins at byte {}", start + 5)]),
        (file(&two([0, 4], [2, 6]), 6), vec![format!("b begins at byte {}", start + 2)]),
        (file(&two([0, 4], [4, 9]), 9), vec!["b is u8[4], 32 bits".to_owned()]),
    ] {
        let error = Container::read(&bytes).unwrap_err();
        assert_eq!(error.code().as_str(), "bad-container", "{error}");
        assert!(wanted.iter().all(|wanted| error.message().contains(wanted)), "{error} {wanted:?}");
    }
}
