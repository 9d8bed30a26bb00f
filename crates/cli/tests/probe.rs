//! `bitstride probe` with a packer beside it: files out, files in, the layout and its name.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use std::ffi::OsString;
use std::fs;

fn run(args: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = std::iter::once("bitstride").chain(args.iter().copied()).map(OsString::from);
    let code = bitstride_cli::run(args, &mut std::io::empty(), &mut out, &mut err);
    (code, format!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err)))
}

#[test]
fn a_packer_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let (code, printed) = run(&["probe", "--write", path, "--bits", "4", "--shape", "8,32"]);
    assert!(code == 0 && printed.contains("13 tensors: zero.npy digit00.npy"), "{printed}");
    let (code, _) = run(&["probe", "--read", path, "--bits", "4", "--shape", "8,32"]);
    assert_eq!(code, 4);
    // Two codes a byte, the first in the high bits, xor 8.
    let pack = |pack: &dyn Fn(u8, u8) -> u8| {
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap().path();
            if entry.extension().is_some_and(|end| end == "npy") {
                let bytes = fs::read(&entry).unwrap();
                let codes = &bytes[bytes.len() - 256..];
                let packed: Vec<u8> = codes.chunks(2).map(|pair| pack(pair[0], pair[1])).collect();
                fs::write(entry.with_extension("out"), packed).unwrap();
            }
        }
    };
    pack(&|first, second| (first << 4 | second) ^ 0x88);
    let (code, printed) = run(&["probe", "--read", path, "--bits", "4", "--shape", "8,32"]);
    let wanted = "(8,(2,16)):(32,(-1,2)) + 1 in units of 4 bits\neach code is xored with 0x8\n\
                  no format that is known here lies so\nat the places of bnb:nf4,n=8,k=32,blocksize=64,nested=0, bnb:fp4";
    assert!(code == 0 && printed.starts_with(wanted), "{printed}");
    let (code, printed) = run(&["--json", "probe", "--read", path, "--bits", "4", "--shape", "8,32"]);
    assert!(code == 0 && printed.contains(r#""xor":"0x8""#) && printed.contains(r#""formats":[]"#), "{printed}");
    let (code, printed) = run(&["probe", "--read", path, "--bits", "4", "--shape", "32,8"]);
    assert!(code == 2 && printed.contains("have the shape 8,32, and --shape is 32,8"), "{printed}");
    // Every 3-bit number is a 4-bit one, so that outputs of other tensors are found out by these alone.
    for bits in ["1", "3", "5", "8", "16"] {
        let (code, printed) = run(&["probe", "--read", path, "--bits", bits, "--shape", "8,32"]);
        assert!(code == 2 && printed.contains(&format!("is not what --write makes with --bits {bits}")), "{printed}");
    }
    pack(&|first, second| first << 4 | second);
    let (code, printed) = run(&["probe", "--read", path, "--bits", "4", "--shape", "8,32"]);
    assert!(code == 0 && printed.contains("\nas bnb:nf4,n=8,k=32,blocksize=64,nested=0, bnb:fp4"), "{printed}");
    pack(&|first, second| first + second);
    let (code, printed) = run(&["probe", "--read", path, "--bits", "4", "--shape", "8,32"]);
    assert!(code == 1 && printed.contains("not-a-layout"), "{printed}");
}

/// NumPy saves a transposed array with its elements in the order of columns: these bytes are not those that a file of tensors has.
#[test]
fn an_output_in_another_order_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    run(&["probe", "--write", path, "--bits", "8", "--shape", "4,8"]);
    for (header, wanted) in [
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (8, 4), }", 0),
        ("{'descr': '|u1', 'fortran_order': True, 'shape': (8, 4), }", 2),
        ("{'descr': '>u4', 'fortran_order': False, 'shape': (8,), }", 2),
        ("{'descr': '<u4', 'fortran_order': True, 'shape': (8,), }", 0),
    ] {
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap().path();
            if !entry.to_str().unwrap().ends_with(".out.npy") {
                let bytes = fs::read(&entry).unwrap();
                let text = format!("{header:<117}\n");
                let made = [b"\x93NUMPY\x01\x00\x76\x00", text.as_bytes(), &bytes[bytes.len() - 32..]].concat();
                fs::write(entry.with_extension("out.npy"), made).unwrap();
            }
        }
        let (code, printed) = run(&["probe", "--read", path, "--bits", "8", "--shape", "4,8"]);
        assert!(code == wanted && (code == 0 || printed.contains("in the order of columns")), "{header}: {printed}");
    }
}

/// A table whose last axis is the bit of a code: joined to another axis, or a plane at each bit.
#[test]
fn tables_of_bits_are_told_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.json");
    let probed = |place: &dyn Fn(i64, i64) -> i64| {
        let rows: Vec<Vec<i64>> = (0..64).map(|k| (0..3).map(|bit| place(k, bit)).collect()).collect();
        fs::write(&path, format!("{rows:?}")).unwrap();
        run(&["fit", path.to_str().unwrap()])
    };
    let across = |k: i64, bit: i64| (3 * k + bit) % 32 + 1024 * ((3 * k + bit) / 32);
    let (code, printed) = probed(&across);
    assert!(
        code == 1 && printed.contains("with dim1 as the fastest digit of dim0 it is ((32,6)):((1,1024))"),
        "{printed}"
    );
    let planes = |k: i64, bit: i64| [k, 64 + 64 * (k % 4) + k / 4, 1000 - 3 * k][usize::try_from(bit).unwrap()];
    let (code, printed) = probed(&planes);
    let wanted = "along dim1 it is 64:1 at 0, ((4,16)):((64,1)) + 64 at 1, 64:-3 + 1000 at 2";
    assert!(code == 1 && printed.contains(wanted), "{printed}");
}
