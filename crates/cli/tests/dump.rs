//! `bitstride FILE`: which arguments are files, exit codes, and what is not read.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

/// A folder of files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap_or_else(|error| panic!("{error}")))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn with(self, name: &str, bytes: &[u8]) -> Self {
        fs::write(self.path(name), bytes).unwrap_or_else(|error| panic!("{error}"));
        self
    }
}

const KERNEL: &str = include_str!("../../../docs/files.in/kernel.ttgir");
const MODULE: &str = include_str!("../../../docs/files.in/module.hlo");

/// The exit code and both outputs of a run.
fn run(args: &[&str], input: &[u8]) -> (u8, String, String) {
    let args = std::iter::once("bitstride").chain(args.iter().copied()).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = bitstride_cli::run(args, &mut &*input, &mut out, &mut err);
    (code, String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned())
}

#[test]
fn a_file_is_a_dump_and_a_text_an_expression() {
    let folder = Folder::new()
        .with("a.ttgir", KERNEL.as_bytes())
        .with("b.txt", MODULE.as_bytes())
        .with("c.log", KERNEL.as_bytes());
    let path = |name: &str| folder.path(name).display().to_string();
    for (name, said) in
        [("a.ttgir", "8 types with a layout"), ("b.txt", "jit_step"), ("c.log", "8 types with a layout")]
    {
        let (code, out, err) = run(&[&path(name)], b"");
        assert_eq!((code, out.contains(said), err.as_str()), (0, true, ""), "{name}: {out}");
        let (code, out, _) = run(&["--json", &path(name)], b"");
        assert_eq!((code, out.lines().count()), (0, 1), "{name}");
    }
    // An option with a value before the file.
    assert_eq!(run(&["--only", "convert", &path("a.ttgir")], b"").0, 0);
    assert_eq!(run(&["--color", "never", "size((2,3))"], b"").1, "6\n");
    assert_eq!(run(&["-"], MODULE.as_bytes()).0, 0);
    assert_eq!(run(&["dump", "-"], KERNEL.as_bytes()).0, 0);
    let (code, out, _) = run(&[&folder.0.path().display().to_string(), "--only", "peak"], b"");
    assert_eq!((code, out.matches("peak").count()), (0, 1), "{out}");
}

/// XLA writes reports of memory beside each module; alone such a file is said to have nothing.
#[test]
fn a_folder_may_hold_other_texts() {
    let folder =
        Folder::new().with("a.txt", MODULE.as_bytes()).with("a-live-range.txt", b"HloLiveRange (max 2):\n  0:param\n");
    let (code, out, err) = run(&[&folder.0.path().display().to_string()], b"");
    assert_eq!((code, out.contains("jit_step"), out.contains("live-range")), (0, true, false), "{out}");
    assert!(err.contains("1 file of the folder has nothing that is read here"), "{err}");
    let (code, out, err) = run(&[&folder.path("a-live-range.txt").display().to_string()], b"");
    assert_eq!(
        (code, out.trim_end().ends_with(": 2 lines"), err.contains("nothing here")),
        (0, true, true),
        "{out}{err}"
    );
}

#[test]
fn exit_codes_say_what_was_found() {
    let folder = Folder::new().with("a.ttgir", KERNEL.as_bytes());
    let file = folder.path("a.ttgir").display().to_string();
    let code = |args: &[&str]| run(&[&[file.as_str()], args].concat(), b"").0;
    assert_eq!(code(&["--fail-if", "convert not free"]), 1);
    assert_eq!(code(&["--fail-if", "convert moves = blocks"]), 0);
    assert_eq!(code(&["--fail-if", "convert moves = blocks", "--fail-if", "peak bytes > 1KiB"]), 1);
    // What is not shown is judged all the same.
    assert_eq!(code(&["--only", "alias", "--fail-if", "convert not free"]), 1);
    assert_eq!(code(&["--fail-if", "convert not fre"]), 2);
    assert_eq!(code(&["--where", "bytes >"]), 2);
    assert_eq!(code(&["--only", "converts"]), 2);
    assert_eq!(run(&["missing.ttgir"], b"").0, 4);
    let (_, _, err) = run(&[&file, "--fail-if", "convert not free"], b"");
    assert!(err.contains("a.ttgir:17: convert not free: tensor<64x64xf16, #mma>"), "{err}");
}

#[test]
fn what_is_not_read_is_listed() {
    let broken = b"#b = #ttg.blocked<{order = [0]}>\n%0 = x.y : tensor<4xf32, #b>\n%1 = x.y : tensor<4xf32, #c\n\xff\n";
    let (code, out, _) = run(&["dump", "-", "--only", "unread"], broken);
    assert_eq!(code, 0);
    for line in [
        "line 1     alias #b",
        "line 2     type tensor<4xf32, #b>",
        "line 3     type tensor<4xf32, #c",
        "line 4     line",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
}

#[test]
fn what_shows_nothing_says_so() {
    let folder = Folder::new()
        .with("a.ttgir", KERNEL.as_bytes())
        .with("b.ttgir", b"\x1f\x8b\x08\x00")
        .with("c.txt", b"plain text\n");
    let path = |name: &str| folder.path(name).display().to_string();
    let (code, out, err) = run(&[&path("a.ttgir"), "--only", "copy"], b"");
    assert!(code == 0 && out.is_empty() && err.contains("no item is of these kinds"), "{err}");
    let (code, _, err) = run(&[&path("b.ttgir")], b"");
    assert!(code == 4 && err.contains("compressed by gzip"), "{err}");
    let (code, _, err) = run(&[&path("c.txt")], b"");
    assert!(code == 0 && err.contains("nothing here is a layout"), "{err}");
    assert_eq!(run(&["--json", &path("a.ttgir"), "--only", "copy"], b"").2, "");
}

#[test]
fn names_of_files_stand_in_expressions_of_every_command() {
    let folder = Folder::new()
        .with("a.ttgir", KERNEL.as_bytes())
        .with("n.txt", b"a = (4,8):(8,1)\n// more\nb = coalesce(a)\n")
        .with("bad.txt", b"a = (4,8):(8,1)\nb = size(\n");
    let path = |name: &str| folder.path(name).display().to_string();
    let (aliases, names) = (path("a.ttgir"), path("n.txt"));
    assert_eq!(run(&["-f", &names, "size(b)"], b"").1, "32\n");
    assert_eq!(run(&["same", "-f", &names, "a", "(4,8):(8,1)"], b"").0, 0);
    assert_eq!(run(&["explain", "-f", &names, "coalesce(a)"], b"").0, 0);
    assert_eq!(run(&["show", "-f", &names, "a"], b"").0, 0);
    assert_eq!(run(&["-f", &aliases, "-f", &names, "rank(tensor<64x64xf32, #mma>)"], b"").1, "12\n");
    assert_eq!(
        run(&["batch", "-f", &names], b"{\"expr\": \"size(a)\"}\n").1,
        "{\"kind\":\"int\",\"value\":\"32\",\"data\":32}\n"
    );
    assert_eq!(run(&["repl", "-f", &names], b"size(a)\n").1, "32\n");
    let (code, _, err) = run(&["-f", &path("bad.txt"), "a"], b"");
    assert!(code == 2 && err.contains("line 2 of"), "{err}");
    assert_eq!(run(&["-f", &path("none.txt"), "a"], b"").0, 4);
}

#[test]
fn dumps_differ_by_what_they_say() {
    let renamed = KERNEL.replace("#blocked", "#first").replace("%", "%v_");
    let other = KERNEL.replace("maxPhase = 8", "maxPhase = 4");
    let folder = Folder::new()
        .with("a.ttgir", KERNEL.as_bytes())
        .with("b.ttgir", renamed.as_bytes())
        .with("c.ttgir", other.as_bytes())
        .with("a.hlo", MODULE.as_bytes())
        .with("b.hlo", MODULE.replace("copy(%x)", "copy(%x), x=1").as_bytes());
    let path = |name: &str| folder.path(name).display().to_string();
    let diff = |left: &str, right: &str| run(&["diff", &path(left), &path(right)], b"");
    assert_eq!(diff("a.ttgir", "a.ttgir"), (0, String::new(), String::new()));
    assert_eq!(diff("a.hlo", "b.hlo").0, 0);
    // Other names of aliases are the only difference; loads and conversions are the same.
    let (code, out, _) = diff("a.ttgir", "b.ttgir");
    assert!(code == 1 && out.contains("+ line 1     #first") && !out.contains("types"), "{out}");
    let (code, out, _) = diff("a.ttgir", "c.ttgir");
    assert!(code == 1 && out.contains("- line 10    %a") && out.contains("types"), "{out}");
    // What two compilers write has nothing in common.
    let (code, out, error) = diff("a.ttgir", "a.hlo");
    assert!(code != 0 && out.is_empty(), "{code} {out}");
    assert!(error.contains("the first dump is TTGIR of Triton, the second HLO of XLA"), "{error}");
}
