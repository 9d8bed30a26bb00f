//! What the tests of `bitstride relayout` share: a folder of files with the program in it, and files of each kind.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

/// A folder of files, and the program in it.
pub(crate) struct Folder(pub(crate) TempDir);

pub(crate) struct Printed {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn with(self, name: &str, bytes: &[u8]) -> Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    pub(crate) fn run(&self, from: &str, to: &str, args: &[&str]) -> Printed {
        let files = [self.path(from), self.path(to)].map(OsString::from);
        let verb = ["bitstride", "relayout"].map(OsString::from);
        let args = verb.into_iter().chain(files).chain(args.iter().map(OsString::from));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = bitstride_cli::run(args, &mut std::io::empty(), &mut out, &mut err);
        Printed { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
    }

    pub(crate) fn moves(&self, from: &str, to: &str, args: &[&str]) -> Printed {
        let printed = self.run(from, to, args);
        assert_eq!(printed.code, 0, "{from} {to} {args:?}: {}{}", printed.out, printed.err);
        printed
    }
}

/// An array of NumPy, as it writes it.
pub(crate) fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    text += &" ".repeat(118 - text.len() - 1);
    text += "\n";
    [b"\x93NUMPY\x01\x00\x76\x00", text.as_bytes(), data].concat()
}

/// Tensors of a `.safetensors` file.
pub(crate) fn safe(header: &str, data: &[u8]) -> Vec<u8> {
    [&u64::try_from(header.len()).unwrap().to_le_bytes(), header.as_bytes(), data].concat()
}

/// The header of a file, and its data.
pub(crate) fn parts(npy: &[u8]) -> (String, &[u8]) {
    let length = usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    assert_eq!((10 + length) % 64, 0);
    let (header, data) = npy.split_at(10 + length);
    (String::from_utf8_lossy(&header[10..]).trim().to_owned(), data)
}

pub(crate) fn halves(numbers: impl IntoIterator<Item = u16>) -> Vec<u8> {
    numbers.into_iter().flat_map(u16::to_le_bytes).collect()
}
