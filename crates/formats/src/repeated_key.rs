//! [`RepeatedKey`]: a key that one object of a JSON text has twice.
//!
//! JSON does not forbid it, and readers differ in which of the two values they keep. A file with such a key says two things.
//!
//! Law: a key is found exactly if some object of the text has it twice, however its characters are escaped.

use std::collections::BTreeMap;
use std::fmt;

/// A key that is there twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RepeatedKey {
    pub(crate) key: String,
    /// The key of the object that it is in; none where that is the whole text.
    parent: Option<String>,
    /// The bytes of the text at which both begin.
    pub(crate) places: [usize; 2],
}

/// An object that is not closed yet.
struct Object {
    name: Option<String>,
    /// The keys so far, with the bytes at which they begin.
    keys: BTreeMap<String, usize>,
    last: Option<String>,
}

impl RepeatedKey {
    /// The first such key of a text. What is wrong with a text that is no JSON is left to its reader.
    pub(crate) fn find(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        // Objects and arrays that are open, without recursion: the text is not trusted. An array has no keys.
        let mut open: Vec<Option<Object>> = Vec::new();
        let (mut at, mut is_key) = (0, false);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'{' => {
                    let name = open.last().and_then(Option::as_ref).and_then(|object| object.last.clone());
                    open.push(Some(Object { name, keys: BTreeMap::new(), last: None }));
                    is_key = true;
                }
                b'[' => {
                    open.push(None);
                    is_key = false;
                }
                b'}' | b']' => {
                    open.pop();
                    is_key = false;
                }
                b',' => is_key = true,
                b'"' => {
                    let end = end_of_string(bytes, at)?;
                    if let (true, Some(Some(object))) = (is_key, open.last_mut()) {
                        let key: String = serde_json::from_str(text.get(at..end)?).ok()?;
                        if let Some(first) = object.keys.insert(key.clone(), at) {
                            return Some(RepeatedKey { key, parent: object.name.clone(), places: [first, at] });
                        }
                        object.last = Some(key);
                    }
                    is_key = false;
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The lines of the text that both are on, from 1.
    pub(crate) fn lines(&self, text: &str) -> [usize; 2] {
        let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
        self.places.map(line)
    }
}

impl fmt::Display for RepeatedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parent {
            None => write!(f, "the key {} is there twice", self.key),
            Some(parent) => write!(f, "the key {} of {parent} is there twice", self.key),
        }
    }
}

/// The byte behind a string that begins at a quotation mark.
fn end_of_string(bytes: &[u8], first: usize) -> Option<usize> {
    let mut at = first + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RepeatedKey;

    #[test]
    fn a_key_is_found_in_the_object_that_has_it_twice() {
        for (text, wanted) in [
            (r#"{"a":1,"b":[{"a":2},{"a":"a,"}],"c":{"a":{"a":3}}}"#, None),
            (r#"["a","a",{"a":["a","a"]}]"#, None),
            (r#"{"a\"":1,"a":"\"a\":","\\":2}"#, None),
            (r#"{"a":1,"a":1}"#, Some(("the key a is there twice", [1, 7]))),
            (r#"{"a":1,"\u0061":1}"#, Some(("the key a is there twice", [1, 7]))),
            (r#"{"w":{"b":[],"b":2}}"#, Some(("the key b of w is there twice", [6, 13]))),
            (r#"[{"w":[{"":0 , "" :{}}]}]"#, Some(("the key  is there twice", [8, 15]))),
        ] {
            let found = RepeatedKey::find(text);
            let found = found.map(|found| (found.to_string(), found.places));
            assert_eq!(found, wanted.map(|(words, places)| (words.to_owned(), places)), "{text}");
        }
        // What is no JSON ends nowhere else than a text does.
        for text in ["", "{", "{\"", "{\"a", "{\"a\\", "]}]}", "{\"\\x\":1}", "{\"a\":1,,\"b\"}"] {
            assert_eq!(RepeatedKey::find(text), None, "{text}");
        }
        let deep = "[".repeat(1_000_000);
        assert_eq!(RepeatedKey::find(&deep), None);
    }
}
