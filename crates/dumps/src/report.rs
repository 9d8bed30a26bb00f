//! [`Report`]: what a dump tells, in a form that any front end prints, filters and judges.
//!
//! A report has sections of items. An item has a line of the file, fields by name, and lines of text that say the same to a
//! reader. Conditions ([`Condition`](crate::Condition)) read the fields.

use std::fmt;

use crate::Dialect;

/// What a dump tells.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What it was read as.
    pub dialect: Dialect,
    /// What the whole file is, a line for each fact.
    pub head: Vec<String>,
    /// The sections, in order; none is empty.
    pub sections: Vec<Section>,
}

/// Items of one kind.
#[derive(Clone, Debug)]
pub struct Section {
    /// The kind, as `--only` names it.
    pub kind: &'static str,
    /// The heading.
    pub title: String,
    /// The items.
    pub items: Vec<Item>,
}

/// One thing of a file.
#[derive(Clone, Debug)]
pub struct Item {
    /// The line on which it stands; 0 for what is said of the whole file.
    pub line: u64,
    /// Whether it stands on the line in question.
    pub is_marked: bool,
    /// What it is, by name.
    pub fields: Vec<(&'static str, Field)>,
    /// What it is, to a reader.
    pub text: Vec<String>,
    /// What makes it the same thing in another file: aliases are written out, and names and lines left out.
    pub identity: String,
    /// How often it stands in the file.
    pub count: i64,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A number.
    Number(i64),
    /// A ratio, in hundredths.
    Hundredths(i64),
    /// Whether something holds.
    Truth(bool),
    /// One of several words in an order, and its place there.
    Rank(&'static [&'static str], usize),
    /// A text.
    Text(String),
    /// Several numbers.
    Numbers(Vec<i64>),
}

impl Report {
    /// Adds a section, unless it has no items.
    pub fn push(&mut self, kind: &'static str, title: impl Into<String>, items: Vec<Item>) {
        if !items.is_empty() {
            self.sections.push(Section { kind, title: title.into(), items });
        }
    }
}

impl Item {
    /// An item that stands on a line.
    pub fn on(line: u64, marked: Option<u64>) -> Self {
        let (fields, text, identity) = (Vec::new(), Vec::new(), String::new());
        Item { line, is_marked: marked == Some(line), fields, text, identity, count: 1 }
    }

    /// Says what makes it the same thing in another file, and how often it stands here.
    #[must_use]
    pub fn known_as(mut self, identity: impl Into<String>, count: impl TryInto<i64>) -> Self {
        self.identity = identity.into();
        self.count = count.try_into().unwrap_or(i64::MAX);
        self
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, name: &'static str, field: impl Into<Field>) -> Self {
        self.fields.push((name, field.into()));
        self
    }

    /// Adds a line of text.
    #[must_use]
    pub fn say(mut self, line: impl Into<String>) -> Self {
        self.text.push(line.into());
        self
    }

    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, field)| field)
    }
}

impl From<i64> for Field {
    fn from(number: i64) -> Self {
        Field::Number(number)
    }
}

impl From<u64> for Field {
    fn from(number: u64) -> Self {
        Field::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Field {
    fn from(truth: bool) -> Self {
        Field::Truth(truth)
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Field::Text(text.to_owned())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Field::Text(text)
    }
}

impl From<Vec<i64>> for Field {
    fn from(numbers: Vec<i64>) -> Self {
        Field::Numbers(numbers)
    }
}

/// A number of bytes, in the largest binary unit that leaves a digit before the point.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub i64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match units.iter().find(|(_, shift)| self.0 >> shift > 0) {
            None => write!(f, "{} B", self.0),
            Some((unit, shift)) if self.0 & ((1 << shift) - 1) == 0 => write!(f, "{} {unit}", self.0 >> shift),
            Some((unit, shift)) => {
                let hundredths = (i128::from(self.0) * 100) >> shift;
                write!(f, "{}.{:02} {unit}", hundredths / 100, hundredths % 100)
            }
        }
    }
}

/// `1 copy`, `2 copies`: a count with its noun.
pub(crate) fn counted(count: impl Into<i128>, one: &str, many: &str) -> String {
    let count = count.into();
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `128x64`
pub(crate) fn by(sizes: &[i64]) -> String {
    sizes.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

/// `(0, 4)`
pub(crate) fn coordinate(index: &[i64]) -> String {
    format!("({})", index.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
}
