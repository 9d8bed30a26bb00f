//! Writing XML: elements that close in order, text and attributes escaped, numbers in one form.

use std::fmt::Write;

/// One piece of a document: what starts, ends or stands alone, with its attributes.
#[derive(Debug)]
pub(crate) enum Part {
    Open(&'static str, Attributes),
    Close(&'static str),
    Empty(&'static str, Attributes),
    Text(&'static str, Attributes, String),
}

/// Names and values, in the order in which they are written.
pub(crate) type Attributes = Vec<(String, String)>;

/// An XML document as it is written, one element a line. Its parts are what other formats are made of.
#[derive(Debug, Default)]
pub(crate) struct Xml {
    parts: Vec<Part>,
    open: Vec<&'static str>,
}

impl Xml {
    /// Starts an element.
    pub(crate) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.parts.push(Part::Open(name, owned(attributes)));
        self.open.push(name);
    }

    /// Ends the element started last.
    pub(crate) fn close(&mut self) {
        self.parts.extend(self.open.pop().map(Part::Close));
    }

    /// An element with nothing in it.
    pub(crate) fn empty(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.parts.push(Part::Empty(name, owned(attributes)));
    }

    /// An element with text in it.
    pub(crate) fn text(&mut self, name: &'static str, attributes: &[(&str, &str)], text: &str) {
        self.parts.push(Part::Text(name, owned(attributes), text.to_owned()));
    }

    /// Everything that `part` wrote, in place.
    pub(crate) fn append(&mut self, part: Self) {
        self.parts.extend(part.into_parts());
    }

    /// The parts, with the elements still open ended.
    pub(crate) fn into_parts(mut self) -> Vec<Part> {
        while !self.open.is_empty() {
            self.close();
        }
        self.parts
    }

    /// What was written, with the elements still open ended.
    pub(crate) fn finish(self) -> String {
        let mut out = String::new();
        for part in self.into_parts() {
            let _ = match part {
                Part::Open(name, attributes) => writeln!(out, "<{name}{}>", written(&attributes)),
                Part::Close(name) => writeln!(out, "</{name}>"),
                Part::Empty(name, attributes) => writeln!(out, "<{name}{}/>", written(&attributes)),
                Part::Text(name, attributes, text) => {
                    writeln!(out, "<{name}{}>{}</{name}>", written(&attributes), escape(&text))
                }
            };
        }
        out
    }
}

fn owned(attributes: &[(&str, &str)]) -> Attributes {
    attributes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn written(attributes: &Attributes) -> String {
    attributes.iter().map(|(key, value)| format!(" {key}=\"{}\"", escape(value))).collect()
}

/// `text` with the characters that mean something to XML replaced by entities.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

/// A number with at most two decimals and no trailing zeros.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_text_and_attributes() {
        let mut xml = Xml::default();
        xml.open("a", &[("b", "<\"&'>")]);
        xml.text("c", &[], "Sw<3,4,3> & \"x\"");
        assert_eq!(xml.finish(), "<a b=\"&lt;&quot;&amp;'&gt;\">\n<c>Sw&lt;3,4,3&gt; &amp; &quot;x&quot;</c>\n</a>\n");
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, -0.001, 1.0, 10.0, 2.5, 7.333, 100.999].map(number);
        assert_eq!(shown, ["0", "0", "1", "10", "2.5", "7.33", "101"]);
    }
}
