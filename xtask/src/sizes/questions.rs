//! The questions "where is …?" of CONTRIBUTING: each path exists, and the named item is in it.

use std::fs;

use super::source::root;

#[test]
fn the_answers_are_true() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("the page");
    let mut count = 0;
    for line in text.lines().filter(|line| line.starts_with("| Where ")) {
        let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let Some((item, [.., path])) = quoted.split_last() else { continue };
        let source = fs::read_to_string(root().join(path)).expect(path);
        assert!(source.contains(item), "{path} has no `{item}`");
        count += 1;
    }
    assert_eq!(count, 22, "questions");
}
