//! What a release packages: the crates that RELEASING.md lists, each with what a registry and a reader of it need.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The command of RELEASING.md that packages the crates, which is run here.
const COMMAND: &str = "cargo package --workspace --exclude xtask";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn cargo(arguments: &[&str]) -> String {
    let done = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(done.status.success(), "cargo {arguments:?}:\n{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("cargo writes UTF-8")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The crates of the workspace, and whether each is published.
fn crates() -> Vec<(Value, bool)> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--offline", "--no-deps", "--format-version", "1"])).expect("JSON");
    let found: Vec<(Value, bool)> = list(&metadata, "packages")
        .iter()
        .map(|package| (package.clone(), package.get("publish").is_none_or(Value::is_null)))
        .collect();
    assert!(found.iter().filter(|(_, is_published)| *is_published).count() > 5);
    found
}

#[test]
fn the_page_lists_the_published_crates() {
    let page = std::fs::read_to_string(root().join("RELEASING.md")).expect("the page");
    let row = page.lines().find(|line| line.contains("| crates.io |")).expect("a row of crates");
    let listed: BTreeSet<&str> = row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2).collect();
    let crates = crates();
    let published: BTreeSet<&str> =
        crates.iter().filter(|(_, is_published)| *is_published).map(|(package, _)| text(package, "name")).collect();
    assert_eq!(listed, published);
    assert!(page.contains(COMMAND), "the page says another command");
    // One page, as readers see it.
    assert!(page.lines().count() <= 66);
}

#[test]
fn a_published_crate_has_licences_and_needs_published_crates_alone() {
    let crates = crates();
    let unpublished: BTreeSet<&str> =
        crates.iter().filter(|(_, is_published)| !is_published).map(|(package, _)| text(package, "name")).collect();
    for (package, is_published) in &crates {
        let name = text(package, "name");
        assert!(!text(package, "description").is_empty(), "{name} has no description");
        assert_eq!(text(package, "license"), "MIT OR Apache-2.0", "{name}");
        if !is_published {
            continue;
        }
        assert!(text(package, "readme").ends_with("README.md"), "{name} has no readme");
        assert!(!list(package, "keywords").is_empty() && !list(package, "categories").is_empty(), "{name}");
        let folder = Path::new(text(package, "manifest_path")).parent().expect("a folder");
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let target = std::fs::read_link(folder.join(licence));
            let target = target.unwrap_or_else(|error| panic!("{name}: {licence} is no link to the root's: {error}"));
            assert_eq!(target, Path::new("../..").join(licence), "{name}");
        }
        for needed in list(package, "dependencies") {
            // A package drops what its tests alone need, if that has no version.
            let is_dropped = text(needed, "kind") == "dev" && text(needed, "req") == "*";
            let other = text(needed, "name");
            assert!(is_dropped || !unpublished.contains(other), "{name} needs {other}, which is not published");
        }
    }
}

#[test]
fn every_package_is_made() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let mut arguments: Vec<&str> = COMMAND.split(' ').skip(1).collect();
    // Its own folder, so that other builds need not wait; what it compiles from the packages, the build has compiled from here.
    arguments.extend(["--offline", "--allow-dirty", "--no-verify", "--target-dir", target.to_str().expect("UTF-8")]);
    cargo(&arguments);
    for (package, _) in crates().iter().filter(|(_, is_published)| *is_published) {
        let listed = cargo(&["package", "--list", "--offline", "--allow-dirty", "--package", text(package, "name")]);
        for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
            assert!(listed.lines().any(|line| line == file), "the package of {} lacks {file}", text(package, "name"));
        }
    }
}
