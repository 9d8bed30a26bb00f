//! `bitstride relayout` on real files: what is moved, in every kind of file, and what a run that fails leaves.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod folder;

use folder::{Folder, halves, npy, parts, safe};

const TRANSPOSE: [&str; 4] = ["--from", "(2,3):(3,1)", "--to", "(2,3):(1,2)"];

#[test]
fn an_array_stays_of_its_type() {
    let data = halves([1, 2, 3, 4, 5, 6]);
    for (descr, fortran) in [("<i2", "False"), (">f2", "False"), ("|V2", "False"), ("<u2", "True")] {
        let folder = Folder::new().with("a.npy", &npy(descr, fortran, "(2, 3)", &data));
        folder.moves("a.npy", "b.npy", &TRANSPOSE);
        let bytes = folder.read("b.npy");
        let (header, moved) = parts(&bytes);
        assert_eq!(header, format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (6,), }}"));
        assert_eq!(moved, halves([1, 4, 2, 5, 3, 6]));
        assert_eq!(folder.names(), ["a.npy", "b.npy"]);
    }
}

#[test]
fn padding_is_filled_and_the_shape_as_asked() {
    let data: Vec<u8> = (0..15u8).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    let folder = Folder::new().with("a.npy", &npy("<f4", "False", "(3, 5)", &data));
    let args = ["--from", "f32[3,5]{1,0}", "--to", "f32[3,5]{1,0:T(2,2)}", "--shape", "(2, 12)", "--fill", "-1"];
    let printed = folder.moves("a.npy", "b.npy", &args);
    assert!(printed.out.ends_with("OUT has 24 elements, 96 bytes\n"), "{}", printed.out);
    let bytes = folder.read("b.npy");
    let (header, moved) = parts(&bytes);
    assert!(header.contains("'shape': (2, 12,)"), "{header}");
    let moved: Vec<f32> = moved.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    let wanted = [0, 1, 5, 6, 2, 3, 7, 8, 4, -1, 9, -1, 10, 11, -1, -1, 12, 13, -1, -1, 14, -1, -1, -1]
        .map(|n: i8| f32::from(n));
    assert_eq!(moved, wanted);
    // And back, without the padding.
    let back = ["--from", "f32[3,5]{1,0:T(2,2)}", "--to", "f32[3,5]{1,0}", "--threads", "1"];
    assert_eq!(folder.moves("b.npy", "c.npy", &back).err, "");
    assert_eq!(parts(&folder.read("c.npy")).1, data);
}

#[test]
fn the_command_of_the_readme_moves_an_array() {
    let readme = std::fs::read_to_string("../../README.md").unwrap();
    let command =
        readme.lines().find_map(|line| line.strip_prefix("bitstride relayout weights.npy tiled.npy ")).unwrap();
    let args: Vec<&str> = command.split('\'').map(str::trim).filter(|arg| !arg.is_empty()).collect();
    let weights = npy("<f4", "False", "(1000, 1000)", &[0; 4_000_000]);
    let folder = Folder::new().with("weights.npy", &weights);
    folder.moves("weights.npy", "tiled.npy", &args);
    // Rows of 1000 are padded to 1024.
    assert!(parts(&folder.read("tiled.npy")).0.contains("'shape': (1024000,)"));
}

#[test]
fn padding_is_0_unless_it_is_filled() {
    let folder = Folder::new().with("a.bin", b"abcdef");
    let padded = ["--element", "8", "--from", "(2,3):(3,1)", "--to", "(2,3):(4,1) + 1"];
    folder.moves("a.bin", "b.bin", &padded);
    assert_eq!(folder.read("b.bin"), b"\0abc\0def");
    folder.moves("a.bin", "b.bin", &[&padded[..], &["--fill", "0x2d"]].concat());
    assert_eq!(folder.read("b.bin"), b"-abc-def");
}

#[test]
fn elements_below_a_byte_are_packed() {
    let folder = Folder::new().with("a.bin", &[0x21, 0x43, 0x65]);
    folder.moves("a.bin", "b.bin", &[&TRANSPOSE[..], &["--element", "u4"]].concat());
    assert_eq!(folder.read("b.bin"), [0x41, 0x52, 0x63]);
    folder.moves("a.bin", "c.bin", &["--element", "4", "--from", "3:2", "--to", "3:2", "--fill", "15"]);
    assert_eq!(folder.read("c.bin"), [0xf1, 0xf3, 0xf5]);
    folder.moves("a.bin", "d.bin", &["--element", "4", "--from", "3:1", "--to", "3:1 + 1", "--fill", "15"]);
    assert_eq!(folder.read("d.bin"), [0x1f, 0x32]);
    // A word of NumPy that packs eight of them stays a word.
    let folder = Folder::new().with("a.npy", &npy("<i4", "False", "(1,)", &[0x21, 0x43, 0x65, 0x87]));
    folder.moves("a.npy", "b.npy", &["--reinterpret", "--element", "4", "--from", "5:1", "--to", "5:-1 + 4"]);
    let bytes = folder.read("b.npy");
    assert_eq!(parts(&bytes).0, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }");
    assert_eq!(parts(&bytes).1, [0x45, 0x23, 0x01, 0]);
}

#[test]
fn tensors_of_safetensors() {
    let one = r#"{"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}}"#;
    let two = r#"{"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[2,14]}}"#;
    let data = halves([1, 2, 3, 4, 5, 6]);
    let moved = halves([1, 4, 2, 5, 3, 6]);
    let folder = Folder::new().with("one.safetensors", &safe(one, &data));
    let folder = folder.with("two.safetensors", &safe(two, &[&[8, 9], data.as_slice()].concat()));
    folder.moves("one.safetensors", "a.bin", &TRANSPOSE);
    assert_eq!(folder.read("a.bin"), moved);
    let printed = folder.run("two.safetensors", "b.bin", &TRANSPOSE);
    assert_eq!(printed.code, 2);
    assert!(
        printed.err.starts_with("error[needs-tensor]: the file has 2 tensors") && printed.err.contains("b, w"),
        "{}",
        printed.err
    );
    let named = [&TRANSPOSE[..], &["--tensor", "w"]].concat();
    let printed = folder.moves("two.safetensors", "b.bin", &named);
    assert_eq!(printed.err, "note: OUT has one tensor; IN's others are left out: b\n");
    folder.moves("one.safetensors", "b.safetensors", &TRANSPOSE);
    let bytes = folder.read("b.safetensors");
    let length = usize::from(bytes[0]);
    let header = r#"{"w":{"dtype":"BF16","shape":[6],"data_offsets":[0,12]}}"#;
    assert_eq!(std::str::from_utf8(&bytes[8..8 + length]).unwrap().trim_end(), header);
    assert_eq!((&bytes[8 + length..], (8 + length) % 64), (moved.as_slice(), 0));
    // Back into the array of NumPy, which has no such type.
    folder.moves("b.safetensors", "c.npy", &["--from", "(2,3):(1,2)", "--to", "(2,3):(3,1)"]);
    assert_eq!(
        parts(&folder.read("c.npy")),
        ("{'descr': '|V2', 'fortran_order': False, 'shape': (6,), }".into(), &data[..])
    );
    assert_eq!(folder.run("two.safetensors", "d.bin", &[&TRANSPOSE[..], &["--tensor", "x"]].concat()).code, 2);
}

#[test]
fn what_safetensors_say_of_themselves_is_kept() {
    let header =
        r#"{"__metadata__":{"format":"pt","about":"a b"},"w":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}"#;
    let folder = Folder::new().with("a.safetensors", &safe(header, b"abcdef")).with("a.bin", b"abcdef");
    folder.moves("a.safetensors", "b.safetensors", &TRANSPOSE);
    let kept = r#"{"__metadata__":{"about":"a b","format":"pt"},"w":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}"#;
    assert!(String::from_utf8_lossy(&folder.read("b.safetensors")).contains(kept));
    let named = [&TRANSPOSE[..], &["--element", "8", "--tensor", "__metadata__"]].concat();
    let printed = folder.run("a.bin", "c.safetensors", &named);
    assert!(printed.code == 2 && printed.err.contains("no tensor can be called __metadata__"), "{}", printed.err);
    assert!(!folder.path("c.safetensors").exists());
}

#[test]
fn a_file_may_become_itself() {
    let folder = Folder::new().with("a.npy", &npy("|u1", "False", "(6,)", b"abcdef"));
    for _ in 0..3 {
        folder.moves("a.npy", "a.npy", &TRANSPOSE);
    }
    assert_eq!((parts(&folder.read("a.npy")).1, folder.names()), (b"acebdf".as_slice(), vec!["a.npy".to_owned()]));
}

#[test]
fn a_file_that_becomes_itself_loses_nothing() {
    let data: Vec<u8> = (0..=255).collect();
    let folder = Folder::new().with("a.bin", &data).with("a.npy", &npy("|u1", "False", "(4,)", b"abcdefgh"));
    let to = |element: &'static str, from: &'static str, to| ["--element", element, "--from", from, "--to", to];
    let of = |element, from| to(element, from, from);
    let with = ", which would be lost\n |\n = help: write to another file";
    for (file, args, message) in [
        ("a.bin", of("8", "4:1"), "OUT is IN, and 4:1 leaves out 252 bytes behind it of its 256 bytes of data"),
        ("a.bin", of("8", "128:2"), "128:2 leaves out 127 bytes in gaps and 1 byte behind it of its 256 bytes"),
        (
            "a.bin",
            to("8", "(2,128):(0,2)", "(2,128):(1,2)"),
            "leaves out 127 bytes in gaps and 1 byte behind it of its 256 bytes",
        ),
        ("a.bin", of("4", "511:1 + 1"), "leaves out 4 bits in gaps of its 256 bytes"),
        ("a.bin", of("8", "u8[16,15]{1,0:T(4,5)}"), "leaves out 16 bytes behind it of its"),
        ("a.npy", of("8", "4:1"), "4:1 leaves out 4 bytes behind it of its 8 bytes"),
    ] {
        let printed = folder.run(file, file, &args);
        assert_eq!(printed.code, 2, "{args:?}: {}", printed.out);
        assert!(printed.err.contains(message) && printed.err.contains(with), "{args:?}: {}", printed.err);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("a.bin"), folder.path("b.bin")).unwrap();
        assert_eq!(folder.run("a.bin", "b.bin", &of("8", "4:1")).code, 2);
        assert_eq!(folder.run("b.bin", "a.bin", &of("8", "4:1")).code, 2);
    }
    assert_eq!(folder.read("a.bin"), data);
    // Padding holds nothing, nor does what is left of the last byte.
    folder.moves("a.bin", "a.bin", &of("4", "511:1"));
    folder.moves("a.bin", "a.bin", &of("8", "u8[15,15]{1,0:T(4,4)}"));
    assert_eq!(folder.read("a.bin").len(), 256);
}

/// A `.npy` file with a header of a version as it stands.
fn raw(version: u8, text: &[u8], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY", [version, 0].as_slice(), &length[..if version == 1 { 2 } else { 4 }], text, data].concat()
}

#[test]
fn headers_that_numpy_writes_are_read() {
    let long: String = (0..5000).map(|n| format!("('field_number_{n}', '|V0'), ")).collect();
    for (version, descr, shape, size) in [
        (1, "'<M8[25s]'", "(6,)", 8),
        (1, "'|u1'", "(6L,)", 1),
        (1, "'<U2'", "(2, 3)", 8),
        (1, "[('shape', '<u2'), ('b', '|V2')]", "(6,)", 4),
        (1, "[(('a title', 'a'), '<f8'), ('', '|V4'), ('b', '|i1', (2, 2))]", "(6,)", 16),
        (3, "[('h\u{f6}he', '<f4')]", "(6,)", 4),
        (2, format!("[{long}('last', '<f4')]").as_str(), "(6,)", 4),
    ] {
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
        let data: Vec<u8> = (0..6 * size).collect();
        let folder = Folder::new().with("a.npy", &raw(version, text.as_bytes(), &data));
        folder.moves("a.npy", "b.npy", &TRANSPOSE);
        let bytes = folder.read("b.npy");
        assert_eq!(bytes[6], version, "{descr}");
        let wanted = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (6,), }}");
        assert!(bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes()), "{descr}");
        let moved = [0, 3, 1, 4, 2, 5].map(|n| data.chunks(size.into()).nth(n).unwrap()).concat();
        assert!(bytes.ends_with(&moved) && (bytes.len() - moved.len()).is_multiple_of(64), "{descr}");
    }
    // Latin-1 becomes UTF-8, which has a version of its own.
    let text = b"{'descr': [('h\xf6he', '|u1')], 'fortran_order': False, 'shape': (6,), }\n";
    let folder = Folder::new().with("a.npy", &raw(1, text, b"abcdef"));
    folder.moves("a.npy", "b.npy", &TRANSPOSE);
    let bytes = folder.read("b.npy");
    assert_eq!((bytes[6], std::str::from_utf8(&bytes[12..30])), (3, Ok("{'descr': [('h\u{f6}he")));
}

#[test]
fn hostile_headers_are_refused_at_once() {
    let header =
        |descr: &str, more: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (6,){more}}}\n");
    let nested = |depth: usize| format!(", 'x': {}{}", "[".repeat(depth), "]".repeat(depth));
    let mut vast = raw(2, header("'|u1'", "").as_bytes(), b"abcdef");
    vast[8..12].copy_from_slice(&0xffff_fff0_u32.to_le_bytes());
    let text = |descr: &str, more: &str| raw(2, header(descr, more).as_bytes(), b"abcdef");
    for (file, message) in [
        (text("'|u1'", &nested(40)), "the key 'x'; a header has descr, fortran_order, shape"),
        (text("'|u1'", &nested(50_000)), "brackets are more than 64 deep"),
        (text(&"('a', [".repeat(50_000), ""), "brackets are more than 64 deep"),
        (vast, "its header has 4294967280 bytes, it says, but 62 follow"),
        (raw(4, b"", b""), "its version is 4.0; 1.0, 2.0 and 3.0 are known"),
        (text("'|O'", ""), "objects of Python, which the file pickles"),
        (text("'|u1", ""), "is not understood"),
        (raw(1, b"{'descr': '|u1', 'shape': (6,)}", b"abcdef"), "a key is missing"),
        (raw(3, b"\xff", b""), "its header is no UTF-8"),
        (b"\x93NUMPY".to_vec(), "it ends before the version"),
        (b"\x93NUMPY\x02\0\x01".to_vec(), "it ends before the length"),
    ] {
        let folder = Folder::new().with("a.npy", &file);
        let printed = folder.run("a.npy", "b.npy", &TRANSPOSE);
        assert!(printed.code == 4 && printed.err.contains(message), "{message}: {}", printed.err);
        let fit = ["bitstride".into(), "fit".into(), folder.path("a.npy").into_os_string()];
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(bitstride_cli::run(fit, &mut std::io::empty(), &mut out, &mut err), 2);
    }
}

#[test]
fn types_below_a_byte_are_counted_as_the_file_can() {
    let four = r#"{"w":{"dtype":"F4","shape":[12],"data_offsets":[0,6]}}"#;
    let six = r#"{"w":{"dtype":"F6_E2M3","shape":[8],"data_offsets":[0,6]}}"#;
    let folder =
        Folder::new().with("4.safetensors", &safe(four, b"abcdef")).with("6.safetensors", &safe(six, b"abcdef"));
    let bytes = ["--reinterpret", "--element", "8", "--from", "6:1", "--to", "6:1"];
    let four = ["--from", "12:1", "--to", "12:1"];
    for (from, args) in [("4.safetensors", &four[..]), ("4.safetensors", &bytes), ("6.safetensors", &bytes)] {
        folder.moves(from, "a.npy", args);
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }";
        assert_eq!(parts(&folder.read("a.npy")), (header.to_owned(), &b"abcdef"[..]), "{from} {args:?}");
        folder.moves(from, "b.safetensors", args);
        let printed = folder.moves("b.safetensors", "c.bin", &bytes);
        assert_eq!((printed.err.as_str(), folder.read("c.bin").as_slice()), ("", &b"abcdef"[..]));
    }
    // A file has whole elements.
    folder.moves(
        "6.safetensors",
        "d.safetensors",
        &["--reinterpret", "--element", "8", "--from", "4:1", "--to", "4:1"],
    );
    assert!(String::from_utf8_lossy(&folder.read("d.safetensors")).contains(r#""shape":[8],"data_offsets":[0,6]"#));
}

#[test]
fn a_value_is_of_the_type_that_the_file_says() {
    let folder = Folder::new().with("a.npy", &npy("<f2", "False", "(1,)", &[1, 2])).with("a.bin", &[1, 2]);
    let folder = folder.with("v.npy", &npy("|V2", "False", "(1,)", &[1, 2]));
    let moved = |from: &str, to: &str, more: &[&str]| {
        let args = [&["--from", "1:1", "--to", "1:1 + 1", "--fill", "1", "--reinterpret"], more].concat();
        let printed = folder.moves(from, to, &args);
        let bytes = folder.read(to);
        (bytes[bytes.len() - 4..].to_vec(), String::from_utf8_lossy(&bytes).into_owned(), printed.err)
    };
    let half = [0, 0x3c, 1, 2].to_vec();
    let brain = [0x80, 0x3f, 1, 2].to_vec();
    let (data, header, err) = moved("a.npy", "b.npy", &[]);
    assert!(data == half && header.contains("'<f2'") && err.is_empty());
    let (data, header, err) = moved("a.npy", "b.npy", &["--element", "16"]);
    assert!(data == half && header.contains("'<f2'") && err.is_empty());
    // Another type is what OUT says too.
    let (data, header, err) = moved("a.npy", "b.npy", &["--element", "bf16"]);
    assert!(data == brain && header.contains("'|V2'"), "{header}");
    assert_eq!(err, "note: IN says that its elements are f16; bf16 is taken, as --element says\n");
    let (data, header, _) = moved("a.npy", "b.npy", &["--element", "u16"]);
    assert!(data == [1, 0, 1, 2] && header.contains("'<u2'"), "{header}");
    let (data, header, err) = moved("v.npy", "b.safetensors", &["--element", "bf16"]);
    assert!(data == brain && header.contains("BF16") && err.is_empty());
    assert_eq!(moved("a.bin", "b.bin", &["--element", "bf16"]).0, brain);
    let (data, _, err) = moved("a.npy", "b.npy", &["--element", "8"]);
    assert_eq!(data[2..], [1, 1]);
    assert!(err.contains("--fill is a number of u8, as the layouts count, not of IN's f16"), "{err}");
}

#[test]
fn what_a_layout_says_besides_places() {
    let folder = Folder::new().with("a.bin", b"abcdef").with("a.npy", &npy("|u1", "False", "(6,)", b"abcdef"));
    let attempt = |from: &str, to: &str| folder.run("a.bin", "b.bin", &["--element", "8", "--from", from, "--to", to]);
    for (layout, message) in [
        ("u8[6]{0:M(16)}", "has M(16), 16 bytes of metadata before its data, which hold no elements"),
        ("reshape(u8[6]{0:M(16)}, 6)", "u8[6]{0:M(16)} has M(16), 16 bytes of metadata"),
        ("u8[6]{0:SC(0:4)}", "has SC, which cuts dim 0 into several memories; a file is one"),
    ] {
        for printed in [attempt(layout, "6:1"), attempt("6:1", layout)] {
            assert!(
                printed.code == 2 && printed.err.contains(message) && printed.err.contains("= help: leave "),
                "{}",
                printed.err
            );
        }
    }
    // Another rank is read as `same` reads it, with a note.
    let flat = "note: (dim0:6) and (dim0:2, dim1:3) are aligned by the number of each element, \
                column-major, the first dim the fastest\n";
    assert_eq!(attempt("6:1", "(2,3):(3,1)").err, flat);
    assert_eq!(attempt("(2,3):(3,1)", "(2,3):(1,2)").err, "");
    let plan = folder.moves("a.bin", "b.bin", &["--plan", "--element", "8", "--from", "6:1", "--to", "(2,3):(3,1)"]);
    assert_eq!(plan.err, flat);
    // Arrays are numbered row-major, so that another shape of the same memory moves nothing; CuTe and arrays have no common order.
    assert!(attempt("u8[6]{0}", "u8[2,3]{1,0}").err.contains("row-major, the last dim the fastest"));
    assert_eq!(folder.read("b.bin"), b"abcdef");
    let mixed = attempt("(2,3):(1,2)", "u8[6]{0}");
    let both = mixed.err.contains("`reshape(X, 6, row)` or `reshape(X, 6, column)`");
    assert!(mixed.code == 1 && mixed.err.contains("error[needs-order]") && both, "{}", mixed.err);
    // Notes of expressions.
    let folder = folder.with("c.bin", b"abcdefgh");
    let divided = ["--element", "8", "--from", "zipped_divide(5:1, 4)", "--to", "(4,2):(1,4)"];
    let note = folder.moves("c.bin", "b.bin", &divided).err;
    assert!(note.starts_with("note: covers 8 of 5"), "{note}");
    // A shape of Triton has a type.
    let ring = "#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[0]}>";
    let shape = format!("!ttg.memdesc<4xf16, {ring}, #ttg.shared_memory>");
    let wrong = folder.run("a.npy", "b.npy", &["--from", &shape, "--to", "4:1"]);
    assert!(wrong.code == 2 && wrong.err.contains("has elements of 16 bits, IN of 8 (u8)"), "{}", wrong.err);
    folder.moves("c.bin", "d.npy", &["--from", &shape, "--to", "4:1"]);
    assert!(parts(&folder.read("d.npy")).0.contains("'<f2'"));
}

#[test]
fn who_says_another_size_is_named() {
    let folder = Folder::new().with("a.bin", b"abcdef").with("a.npy", &npy("|u1", "False", "(6,)", b"abcdef"));
    let message = |file: &str, args: &[&str]| {
        folder.run(file, "b.bin", &[&["--from", "u8[6]{0}", "--to", "f32[6]{0}"], args].concat()).err
    };
    assert!(message("a.bin", &[]).contains("f32[6]{0} has elements of 32 bits, u8[6]{0} of 8 (u8)"));
    assert!(message("a.npy", &[]).contains("f32[6]{0} has elements of 32 bits, IN of 8 (u8)"));
    assert!(message("a.npy", &["--element", "f32"]).contains("u8[6]{0} has elements of 8 bits, --element of 32 (f32)"));
    // An integer that is stored in more bits stays one.
    let padded = ["--from", "s4[1]{0:E(8)}", "--to", "s4[1]{0:T(2)E(8)}", "--fill", "-1"];
    folder.moves("a.bin", "b.bin", &padded);
    assert_eq!(folder.read("b.bin"), [b'a', 0xff]);
}

#[test]
fn a_run_that_fails_leaves_everything() {
    let folder = Folder::new().with("a.npy", &npy("|u1", "False", "(6,)", b"abcdef")).with("b.npy", b"before");
    let folder = folder.with("short.npy", &npy("|u1", "False", "(7,)", b"abcdef")).with("odd.npy", b"no array");
    let folder = folder.with("bad.safetensors", b"\x08\0\0\0\0\0\0\0{}");
    let vast = npy("<i4", "False", "(0, 18446744073709551615, 18446744073709551615)", b"");
    let folder = folder.with("vast.npy", &vast);
    let layouts = |from, to| ["--from", from, "--to", to];
    let plain = [layouts("(2,3):(3,1)", "(2,3):(1,2)"), layouts("(2,4):(4,1)", "(2,4):(1,2)")];
    let cases: [(&str, &[&str], u8, &str); 15] = [
        ("a.npy", &plain[1], 2, "IN has 6 bytes, 6 elements of u8; (2,4):(4,1) reaches 8 bytes"),
        ("a.npy", &layouts("(2,3):(3,1)", "(2,4):(1,2)"), 2, "error[rank-mismatch]"),
        ("a.npy", &layouts("(2,3):(3,1)", "(2,3):(1,1)"), 1, "error[overlap]"),
        (
            "a.npy",
            &layouts("(2,3):(3,1)", "(2,3):(-1,2)"),
            2,
            "error[range]: place -1 of the destination is before the first",
        ),
        ("a.npy", &layouts("(2,3):(3,1)", "(2,3"), 2, "error[unbalanced]"),
        ("a.npy", &layouts("(2,3):(3,1)", "f32[2,3]{1,0}"), 2, "has elements of 32 bits, IN of 8 (u8)"),
        ("a.npy", &[&plain[0][..], &["--fill", "256"]].concat(), 2, "256 is beyond the numbers of u8"),
        ("a.npy", &[&plain[0][..], &["--shape", "2,4"]].concat(), 2, "the shape [2, 4] has 8 elements, OUT 6"),
        ("a.npy", &[&plain[0][..], &["--shape", "2,x"]].concat(), 2, "error[bad-number]"),
        ("a.npy", &[&plain[0][..], &["--reinterpret", "--element", "12"]].concat(), 2, "elements of 12 bits"),
        ("short.npy", &plain[0], 4, "error[file]: cannot read"),
        ("vast.npy", &plain[0], 4, "error[file]: cannot read"),
        ("odd.npy", &plain[0], 4, "error[file]: cannot read"),
        ("bad.safetensors", &plain[0], 4, "error[file]: cannot read"),
        ("none.npy", &plain[0], 4, "error[file]: cannot read"),
    ];
    let names = folder.names();
    for (from, args, code, message) in cases {
        let printed = folder.run(from, "b.npy", args);
        assert_eq!((printed.code, printed.out.as_str()), (code, ""), "{from} {args:?}: {}", printed.err);
        assert!(printed.err.contains(message), "{from} {args:?}: {}", printed.err);
        assert_eq!((folder.names(), folder.read("b.npy")), (names.clone(), b"before".to_vec()), "{args:?}");
    }
    let printed = folder.run("a.npy", "none/b.npy", &plain[0]);
    assert_eq!(printed.code, 4);
    assert!(printed.err.starts_with("error[file]: cannot write") && !printed.err.contains(".part"), "{}", printed.err);
}

#[test]
fn a_plan_writes_nothing() {
    let folder = Folder::new().with("a.bin", &[0; 4096]);
    let args = ["--element", "8", "--from", "(64,64):(64,1)", "--to", "(64,64):(1,64)", "--plan"];
    let printed = folder.moves("a.bin", "b.bin", &args);
    assert!(printed.out.starts_with("4096 elements of 1 byte, 4096 bytes, bound by "), "{}", printed.out);
    assert_eq!(folder.names(), ["a.bin"]);
}

#[test]
fn json_has_the_numbers() {
    let folder = Folder::new().with("a.bin", b"abcdefgh");
    let printed =
        folder.moves("a.bin", "b.bin", &["--json", "--element", "8", "--from", "(2,3):(3,1)", "--to", "(2,3):(4,1)"]);
    let object: serde_json::Value = serde_json::from_str(&printed.out).unwrap();
    assert_eq!(object["kind"], "relayout");
    let data = &object["data"];
    for (name, wanted) in [("elements", 6), ("element_bits", 8), ("bytes", 6), ("out_elements", 7), ("out_bytes", 7)] {
        assert_eq!(data[name], wanted, "{name}");
    }
    assert!(data["seconds"].is_number() && data["gigabytes_per_second"].is_number());
    assert_eq!(object["notes"][0], "the last 2 of 8 bytes of IN lie behind (2,3):(3,1)");
}

#[test]
fn layouts_of_all_families() {
    let data: Vec<u8> = (0..=255).collect();
    let folder = Folder::new().with("a.bin", &data);
    let linear = "linear<{offset=[[0,1],[0,2],[0,4],[0,8],[1,0],[2,0],[4,0],[8,0]]}, out=[dim0:16, dim1:16]>";
    for (from, to) in [
        ("(16,16):(16,1)", "Sw<2,2,2> o (16,16):(16,1)"),
        (linear, "(16,16):(1,16)"),
        ("u8[16,16]{1,0}", "tag(AB4a, (16,16))"),
        ("(16,16):(^17,^1)", "u8[16,16]{0,1:T(4,4)}"),
    ] {
        let there = folder.moves("a.bin", "b.bin", &["--element", "8", "--from", from, "--to", to]);
        folder.moves("b.bin", "c.bin", &["--element", "8", "--from", to, "--to", from]);
        assert!(folder.read("c.bin") == data && folder.read("b.bin") != data, "{from} {to}: {}", there.out);
    }
}
