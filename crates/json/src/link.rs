//! Links to the live page: a workspace in the fragment of an address, which no server sees.
//!
//! Law: the fragment is the readable one that the page itself writes for the same text (`web/src/workspace/link.js`), and the page
//! reads it at any length.

use std::fmt::Write;

/// What stands in an address as itself, besides letters and digits; `;` and `~` stand for a space and a new line.
const PLAIN: &[u8] = b"-_.!*()/,?:@&=+$";

/// The fragment of a workspace: views, a line `---` and a sheet, as in the files of the gallery.
///
/// ```
/// use bitstride_json::fragment;
/// assert_eq!(fragment("view: grid a\n---\na = (4,8):(8,1)"), "#1~view:;grid;a~---~a;=;(4,8):(8,1)");
/// ```
pub fn fragment(workspace: &str) -> String {
    let mut fragment = "#1~".to_owned();
    for byte in workspace.bytes() {
        match byte {
            b' ' => fragment.push(';'),
            b'\n' => fragment.push('~'),
            _ if byte.is_ascii_alphanumeric() || PLAIN.contains(&byte) => fragment.push(char::from(byte)),
            // Writing to a String cannot fail.
            _ => drop(write!(fragment, "%{byte:02X}")),
        }
    }
    fragment
}

#[cfg(test)]
mod tests {
    use super::fragment;

    #[test]
    fn fragments_are_those_that_the_page_published() {
        let published = include_str!("../../../web/tests/links.txt");
        let readable = published.lines().filter(|line| line.starts_with("#1~"));
        let mut count = 0;
        for (link, text) in readable.filter_map(|line| line.split_once('\t')) {
            let text: String = serde_json::from_str(text).expect("the text of a workspace");
            assert_eq!(fragment(&text), link);
            count += 1;
        }
        assert!(count >= 5, "{count} readable links");
    }

    #[test]
    fn letters_outside_of_ascii_are_bytes() {
        assert_eq!(fragment("é 'x'\n#~;%"), "#1~%C3%A9;%27x%27~%23%7E%3B%25");
    }
}
