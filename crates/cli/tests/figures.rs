//! The figures of the documentation are what its commands draw.
//!
//! `docs/pictures.md` and `docs/swizzles-pictures.md` are the list: each of their `bitstride show … --svg FILE` commands is run in memory and compared
//! with the file. `BITSTRIDE_UPDATE_FIGURES=1 cargo test -p bitstride-cli --test figures` writes the files instead.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The words of a command line, of which some stand in single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').expect("a closing quote"),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

/// The file that a command writes, and what it writes there.
fn drawn(line: &str) -> (PathBuf, String) {
    let mut words = words(line);
    let file = words.pop().expect("a file");
    assert_eq!(words.last().map(String::as_str), Some("--svg"), "{line}");
    let args = words.into_iter().chain(["-".to_owned()]).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = bitstride_cli::run(args, &mut std::io::empty(), &mut out, &mut err);
    let err = String::from_utf8_lossy(&err);
    assert!(code == 0 && err.lines().all(|line| line.starts_with("note: ")), "{line}: {code}\n{err}");
    (root().join(file), String::from_utf8(out).expect("text"))
}

#[test]
fn figures_are_current() {
    let pages = ["pictures.md", "swizzles-pictures.md"];
    let page = pages.map(|name| fs::read_to_string(root().join("docs").join(name)).expect(name)).concat();
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("bitstride show ")).collect();
    assert!(!lines.is_empty());
    let mut files = BTreeSet::new();
    let mut stale = Vec::new();
    for line in lines {
        let (file, picture) = drawn(line);
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(page.contains(&format!("](figures/{name})")), "{name} is drawn but not shown");
        if std::env::var_os("BITSTRIDE_UPDATE_FIGURES").is_some() {
            fs::write(&file, &picture).expect("a file that can be written");
        } else if fs::read_to_string(&file).ok().as_ref() != Some(&picture) {
            stale.push(name.clone());
        }
        assert!(files.insert(name), "{line}: a second picture of that name");
    }
    assert!(stale.is_empty(), "not what their commands draw: {stale:?}; see the head of this test");
    let kept = fs::read_dir(root().join("docs/figures")).expect("docs/figures");
    let kept: BTreeSet<String> =
        kept.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(kept, files, "files in docs/figures, and pictures in docs/pictures.md");
}
