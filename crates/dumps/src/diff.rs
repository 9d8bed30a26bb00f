//! [`Change`]: what two dumps have not in common.
//!
//! Things are the same where what they say is the same with aliases written out, whatever their names and lines. Law: a dump has
//! no change to itself, and the changes from one to another are those back with both sides swapped. Dumps of two dialects are
//! not compared: what one says of registers the other cannot say.

use std::collections::BTreeMap;

use bitstride::{Code, Error};

use crate::report::{Item, Report, Section};

/// Something that stands more often in one dump than in the other.
#[derive(Clone, Debug)]
pub struct Change<'r> {
    /// The kind of item.
    pub kind: &'static str,
    /// The heading of the kind.
    pub title: &'r str,
    /// The first such item of each dump that has one.
    pub items: [Option<&'r Item>; 2],
    /// How often it stands in each.
    pub counts: [i64; 2],
}

impl<'r> Change<'r> {
    /// The changes from one dump to another, by kind, in the order of the files.
    ///
    /// # Errors
    /// [`Code::Kind`] for dumps of two dialects.
    ///
    /// ```
    /// use bitstride_dumps::{Change, Dialect, read};
    /// let triton = read(&b""[..], Some(Dialect::Ttgir), None)?;
    /// let xla = read(&b"HloModule m"[..], None, None)?;
    /// assert!(Change::between(&xla, &xla).is_ok_and(|changes| changes.is_empty()));
    /// assert!(Change::between(&triton, &xla).is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn between(left: &'r Report, right: &'r Report) -> Result<Vec<Change<'r>>, Error> {
        if left.dialect != right.dialect {
            let [one, two] = [left, right].map(|report| report.dialect.words());
            let message =
                format!("the first dump is {one}, the second {two}: no item of one can be an item of the other");
            return Err(Error::new(Code::Kind, message).with_help("compare two dumps of one compiler"));
        }
        let mut kinds: Vec<&Section> = left.sections.iter().collect();
        kinds.extend(right.sections.iter().filter(|section| of(left, section.kind).is_none()));
        let mut changes = Vec::new();
        for section in kinds {
            let items = |report: &'r Report| of(report, section.kind).map_or(&[][..], |section| &section.items);
            let mut known: BTreeMap<&str, Change> = BTreeMap::new();
            for (side, items) in [items(left), items(right)].into_iter().enumerate() {
                for item in items {
                    let change = known.entry(&item.identity).or_insert(Change {
                        kind: section.kind,
                        title: &section.title,
                        items: [None, None],
                        counts: [0, 0],
                    });
                    if let (Some(first), Some(count)) = (change.items.get_mut(side), change.counts.get_mut(side)) {
                        first.get_or_insert(item);
                        *count = count.saturating_add(item.count);
                    }
                }
            }
            let mut of_kind: Vec<Change> =
                known.into_values().filter(|Change { counts: [before, after], .. }| before != after).collect();
            of_kind.sort_by_key(|change| change.items.iter().flatten().map(|item| item.line).min());
            changes.extend(of_kind);
        }
        Ok(changes)
    }
}

fn of<'r>(report: &'r Report, kind: &str) -> Option<&'r Section> {
    report.sections.iter().find(|section| section.kind == kind)
}
