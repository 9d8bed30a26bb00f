//! What `bitstride relayout` does with files that say what they are: other tensors, types, formats.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod folder;

use std::ffi::OsString;

use folder::{Folder, halves, npy, parts, safe};

/// The header of a `.safetensors` file, and its data.
fn safe_parts(file: &[u8]) -> (String, &[u8]) {
    let length = usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
    (String::from_utf8_lossy(&file[8..8 + length]).trim_end().to_owned(), &file[8 + length..])
}

#[test]
fn other_tensors_are_kept() {
    let header = r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"e":{"dtype":"F32","shape":[0],"data_offsets":[2,2]},"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[2,14]},"z":{"dtype":"I16","shape":[1],"data_offsets":[14,16]}}"#;
    let data = [&[8, 9], halves([1, 2, 3, 4, 5, 6]).as_slice(), &[7, 6]].concat();
    let folder = Folder::new().with("a.safetensors", &safe(header, &data));
    let padded = ["--tensor", "w", "--from", "(2,3):(3,1)", "--to", "(2,3):(4,1)", "--fill", "0x5", "--shape", "7"];
    assert_eq!(folder.moves("a.safetensors", "b.safetensors", &padded).err, "");
    let bytes = folder.read("b.safetensors");
    let (printed, moved) = safe_parts(&bytes);
    for entry in [
        r#""a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}"#,
        r#""e":{"dtype":"F32","shape":[0],"data_offsets":[2,2]}"#,
        r#""w":{"dtype":"BF16","shape":[7],"data_offsets":[2,16]}"#,
        r#""z":{"dtype":"I16","shape":[1],"data_offsets":[16,18]}"#,
    ] {
        assert!(printed.contains(entry), "{printed}");
    }
    assert_eq!(moved, [&[8, 9], halves([1, 2, 3, 5, 4, 5, 6]).as_slice(), &[7, 6]].concat());
    // Back in the same file, as often as one likes; each of them by its name.
    let back = ["--tensor", "w", "--from", "(2,3):(4,1)", "--to", "(2,3):(3,1)", "--shape", "2,3"];
    let printed = folder.run("b.safetensors", "b.safetensors", &back);
    assert!(printed.code == 2 && printed.err.contains("leaves out 2 bytes in gaps of its 14 bytes"), "{}", printed.err);
    folder.moves("b.safetensors", "c.safetensors", &back);
    assert_eq!(safe_parts(&folder.read("c.safetensors")), (header.to_owned(), data.as_slice()));
    folder.moves("c.safetensors", "c.safetensors", &["--tensor", "a", "--from", "2:1", "--to", "2:-1 + 1"]);
    assert_eq!(safe_parts(&folder.read("c.safetensors")).1, [&[9, 8], &data[2..]].concat());
    folder.moves("c.safetensors", "c.safetensors", &["--tensor", "z", "--from", "1:1", "--to", "1:1"]);
    folder.moves("c.safetensors", "c.safetensors", &["--tensor", "e", "--from", "0:1", "--to", "0:1", "--shape", "0"]);
    assert_eq!(
        safe_parts(&folder.read("c.safetensors")),
        (header.to_owned(), [&[9, 8], &data[2..]].concat().as_slice())
    );
}

#[test]
fn types_are_not_converted() {
    let four: Vec<u8> = (0..16).collect();
    let folder = Folder::new().with("a.npy", &npy("<f4", "False", "(4,)", &four)).with("a.bin", &four);
    let words = "relayout does not convert types";
    let line = ["--from", "4:1", "--to", "4:1"];
    for (file, args, who) in [
        ("a.npy", vec!["--element", "bf16"], "IN has elements of 32 bits (f32), --element of 16 bits (bf16)"),
        ("a.npy", vec!["--element", "s32"], "IN has elements of 32 bits (f32), --element of 32 bits (s32)"),
        ("a.npy", vec!["--element", "8"], "IN has elements of 32 bits (f32), --element of 8 bits (u8)"),
    ] {
        let printed = folder.run(file, "b.npy", &[&line[..], &args].concat());
        assert!(printed.code == 2 && printed.err.contains(who) && printed.err.contains(words), "{}", printed.err);
        assert!(printed.err.contains("= help: --reinterpret takes IN's bits"), "{}", printed.err);
    }
    let of = |from: &'static str, to: &'static str| ["--from", from, "--to", to];
    for (file, args, who) in [
        ("a.npy", of("s32[4]{0}", "4:1"), "s32[4]{0} has elements of s32, IN of f32"),
        ("a.npy", of("4:1", "bf16[4]{0}"), "bf16[4]{0} has elements of 16 bits, IN of 32 (f32)"),
        ("a.bin", of("f32[4]{0}", "s32[4]{0}"), "s32[4]{0} has elements of s32, f32[4]{0} of f32"),
    ] {
        let printed = folder.run(file, "b.npy", &args);
        assert!(printed.code == 2 && printed.err.contains(who), "{}", printed.err);
        assert!(file == "a.bin" || printed.err.contains(words), "{}", printed.err);
        assert_eq!(folder.names(), ["a.bin", "a.npy"]);
    }
    // In a given number of words: what the layouts say is what OUT says, of the same size, and else OUT has elements as IN has.
    for (args, header) in
        [(of("s32[4]{0}", "4:1"), "'<i4'"), (of("f32[4]{0}", "s32[4]{0}"), "'<i4'"), (of("bf16[8]{0}", "8:1"), "'<f4'")]
    {
        folder.moves("a.npy", "b.npy", &[&["--reinterpret"], &args[..]].concat());
        let bytes = folder.read("b.npy");
        let (printed, moved) = parts(&bytes);
        assert!(printed.contains(header) && moved == four, "{printed}");
    }
    let explained = bitstride_cli::run(
        ["bitstride", "explain", "relayout(f32[4]{0}, s32[4]{0})"].map(OsString::from),
        &mut std::io::empty(),
        &mut Vec::new(),
        &mut Vec::new(),
    );
    assert_eq!(explained, 2);
}

#[test]
fn files_of_known_formats_are_not_plain_bytes() {
    let header = r#"{"w":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}"#;
    let zip = [b"PK\x03\x04".as_slice(), &[0; 60]].concat();
    let folder = Folder::new().with("a.gguf", b"GGUF\x03\0\0\0").with("a.pt", &zip);
    let folder = folder.with("a.h5", b"\x89HDF\r\n\x1a\n").with("a.raw", &npy("|u1", "False", "(6,)", b"abcdef"));
    let folder = folder.with("a.bin", &safe(header, b"abcdef"));
    let args = ["--element", "8", "--from", "(2,3):(3,1)", "--to", "(2,3):(1,2)"];
    for (file, name) in [
        ("a.gguf", "IN is a GGUF file"),
        ("a.pt", "IN is a zip archive, as PyTorch"),
        ("a.h5", "IN is an HDF5 file"),
        ("a.raw", "IN is a NumPy array (.npy)"),
        ("a.bin", "IN is a .safetensors file"),
    ] {
        let printed = folder.run(file, "b.bin", &args);
        assert!(
            printed.code == 2 && printed.err.starts_with("error[kind]: ") && printed.err.contains(name),
            "{}",
            printed.err
        );
        assert!(printed.err.contains("--reinterpret takes all its bytes"), "{}", printed.err);
        folder.moves(file, "b.bin", &[&["--reinterpret"], &args[..]].concat());
        let bytes = folder.read(file);
        assert_eq!(folder.read("b.bin"), [0, 3, 1, 4, 2, 5].map(|n| bytes[n]));
    }
}

#[test]
fn what_no_kernel_moves_is_moved_and_told() {
    let data: Vec<u8> = (0..=255).collect();
    let folder = Folder::new().with("a.bin", &data[..20]).with("three.npy", &npy("|V3", "False", "(4,)", &data[..12]));
    let args = ["--element", "8", "--from", "(4,5):(1,4)", "--to", "u8[4,5]{1,0:T(4)(3)}"];
    let printed = folder.moves("a.bin", "b.bin", &args);
    assert!(printed.err.starts_with("note: moved element by element, which is slow: "), "{}", printed.err);
    folder.moves("b.bin", "c.bin", &["--element", "8", "--from", args[5], "--to", args[3]]);
    assert_eq!(folder.read("c.bin"), data[..20]);
    let printed = folder.moves("a.bin", "b.bin", &[&["--json"], &args[..]].concat());
    let object: serde_json::Value = serde_json::from_str(&printed.out).unwrap();
    assert!(object["data"]["slow"].as_str().is_some_and(|why| why.starts_with("the destination: ")), "{object}");
    // Three bytes are moved by kernels.
    let printed =
        folder.moves("three.npy", "d.npy", &["--from", "(2,2):(2,1)", "--to", "(2,2):(1,3)", "--fill", "0x70809"]);
    assert_eq!(printed.err, "");
    let bytes = folder.read("d.npy");
    let (header, moved) = parts(&bytes);
    assert_eq!((header.contains("'|V3'"), moved), (true, &[0, 1, 2, 6, 7, 8, 9, 8, 7, 3, 4, 5, 9, 10, 11][..]));
    folder.moves("a.bin", "e.npy", &["--element", "24", "--from", "2:3", "--to", "2:1"]);
    assert!(parts(&folder.read("e.npy")).0.contains("'|V3'"));
}
