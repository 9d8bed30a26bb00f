//! [`Unread`]: what a dump has that was not read, and why. Law: every such thing is counted, the first thousand are listed.

use bitstride::Error;

use crate::report::Item;
use crate::scan::shortened;

/// The most entries of a list; its count goes on.
const MAX_UNREAD: usize = 1000;

/// What was not read.
#[derive(Clone, Debug)]
pub struct Unread {
    /// Where it stands: a line of the file, from 1 on.
    pub line: u64,
    /// What it is: `line`, `alias`, `type` or `convert` of TTGIR, `line`, `shape` or `operand` of HLO, `line`, `mesh`
    /// or `sharding` of StableHLO.
    pub what: &'static str,
    /// Its text, shortened where it is long.
    pub text: String,
    /// Why.
    pub error: Error,
}

impl Unread {
    /// Counts an entry, and lists it while there are few.
    pub(crate) fn note(
        list: &mut Vec<Unread>,
        count: &mut u64,
        line: u64,
        what: &'static str,
        text: &str,
        error: Error,
    ) {
        *count += 1;
        if list.len() < MAX_UNREAD {
            list.push(Unread { line, what, text: shortened(text), error });
        }
    }

    /// The entry as an item of a report.
    pub(crate) fn item(&self, marked: Option<u64>) -> Item {
        Item::on(self.line, marked)
            .known_as(format!("{} {}", self.what, self.text), 1)
            .with("what", self.what)
            .with("text", self.text.as_str())
            .with("code", self.error.code().as_str())
            .with("reason", self.error.message())
            .say(format!("{} {}", self.what, self.text).trim_end().to_owned())
            .say(self.error.to_string())
    }
}
