//! Writing XML: elements that close in order, text and attributes escaped, numbers in one form.

use std::fmt::Write;

/// An XML document as it is written, one element a line.
#[derive(Debug, Default)]
pub(crate) struct Xml {
    out: String,
    open: Vec<&'static str>,
}

impl Xml {
    /// Starts an element.
    pub(crate) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the element started last.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = writeln!(self.out, "</{name}>");
        }
    }

    /// An element with nothing in it.
    pub(crate) fn empty(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str("/>\n");
    }

    /// An element with text in it.
    pub(crate) fn text(&mut self, name: &'static str, attributes: &[(&str, &str)], text: &str) {
        self.tag(name, attributes);
        let _ = writeln!(self.out, ">{}</{name}>", escape(text));
    }

    /// Everything that `part` wrote, in place.
    pub(crate) fn append(&mut self, part: Self) {
        self.out.push_str(&part.finish());
    }

    /// What was written, with the elements still open ended.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.out, "<{name}");
        for (key, value) in attributes {
            let _ = write!(self.out, " {key}=\"{}\"", escape(value));
        }
    }
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
