//! Whether a row is as recorded, differs for a documented reason, or fails.

use bitstride::reference::Layout;

use super::laws::{self, Held};
use super::operation::{self, Ours};
use super::row::Row;

/// How two systems differ on a row, as enumeration tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Their answer breaks the law of the operation, ours holds it.
    BreaksLaw,
    /// They reject the question, our answer holds the law.
    Rejects,
    /// Both answers hold the law.
    Convention,
    /// They answer where no lawful answer exists; we refuse.
    AcceptsUnlawful,
}

/// How two answers to a row compare.
#[derive(Clone, Debug)]
pub(crate) enum Compared {
    Equal,
    SameFunction,
    Differ(Kind, String),
    Unexplained(String),
}

/// One column against our answer.
pub(crate) fn compare(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    match ours {
        Ours::NoCode => Compared::Unexplained("no code".to_owned()),
        Ours::Refused(_) if theirs.starts_with('!') => Compared::Equal,
        Ours::Refused(_) => refused(row, theirs),
        Ours::Answer(ours) if theirs.starts_with('!') => match laws::law(&row.op, &row.operands, ours) {
            Some(Ok(())) => Compared::Differ(Kind::Rejects, String::new()),
            held => Compared::Unexplained(format!("they reject; our answer: {}", told(&held))),
        },
        Ours::Answer(ours) if equal(&row.op, theirs, ours) => Compared::Equal,
        Ours::Answer(ours) if same_function(row, theirs, ours) => Compared::SameFunction,
        Ours::Answer(ours) => {
            let (own, other) = (laws::law(&row.op, &row.operands, ours), laws::law(&row.op, &row.operands, theirs));
            match (&own, &other) {
                (Some(Ok(())), Some(Ok(()))) => Compared::Differ(Kind::Convention, String::new()),
                (Some(Ok(())), Some(Err(broken))) if !broken.is_undecided() => {
                    Compared::Differ(Kind::BreaksLaw, broken.to_string())
                }
                _ => Compared::Unexplained(format!("ours: {}; theirs: {}", told(&own), told(&other))),
            }
        }
    }
}

fn refused(row: &Row, theirs: &str) -> Compared {
    let (refusal, other) = (laws::refusal(&row.op, &row.operands), laws::law(&row.op, &row.operands, theirs));
    match (&refusal, &other) {
        (Some(Ok(())), _) => Compared::Differ(Kind::AcceptsUnlawful, told(&other)),
        // With dynamic integers a refusal may want for facts, so that an answer to their values says nothing.
        (_, Some(Err(broken))) if (refusal.is_none() || row.is_cpp()) && !broken.is_undecided() => {
            Compared::Differ(Kind::AcceptsUnlawful, broken.to_string())
        }
        _ => Compared::Unexplained(format!("we refuse: {}; theirs: {}", told(&refusal), told(&other))),
    }
}

fn told(held: &Option<Held>) -> String {
    match held {
        None => "no law".to_owned(),
        Some(Ok(())) => "lawful".to_owned(),
        Some(Err(broken)) => broken.to_string(),
    }
}

/// Whether an answer says the same as ours, as far as it says something.
fn equal(op: &str, theirs: &str, ours: &str) -> bool {
    if op.starts_with("sw_") && op != "sw_apply" {
        let (printed, offsets) = ours.split_once('|').unwrap_or((ours, ""));
        return match theirs.split_once('|') {
            None => theirs == printed,
            Some(("", list)) => list == offsets,
            Some(_) => theirs == ours,
        };
    }
    if matches!(op, "props" | "compat") {
        // `-` stands for what a system does not offer.
        let (theirs, ours): (Vec<_>, Vec<_>) = (theirs.split(';').collect(), ours.split(';').collect());
        return theirs.len() == ours.len()
            && theirs.iter().zip(&ours).all(|(theirs, ours)| *theirs == "-" || theirs == ours);
    }
    if op == "eval" && theirs != ours {
        // Coordinates are written in several ways.
        return laws::points(theirs).is_ok_and(|theirs| Ok(theirs) == laws::points(ours));
    }
    theirs == ours
}

/// Operations whose answer is a function of one index: its modes are nobody's promise.
const FLAT: [&str; 12] = [
    "coalesce",
    "complement",
    "complement0",
    "filter",
    "right_inverse",
    "left_inverse",
    "nullspace",
    "max_common_layout",
    "layout_add",
    "gcd_domain",
    "sw_inv",
    "domain_distribute",
];

/// Whether both are the same function of the flat index, with modes of the same sizes where the operation promises modes.
fn same_function(row: &Row, theirs: &str, ours: &str) -> bool {
    if row.op.starts_with("sw_") {
        return laws::offsets(theirs).is_ok_and(|theirs| Ok(theirs) == laws::offsets(ours));
    }
    let (Ok(theirs), Ok(ours)) = (theirs.parse::<Layout>(), ours.parse::<Layout>()) else {
        return false;
    };
    let sizes = |layout: &Layout| layout.modes().iter().map(Layout::size).collect::<Result<Vec<_>, _>>();
    let flat = FLAT.contains(&row.op.as_str());
    theirs.size() == ours.size() && theirs.values() == ours.values() && (flat || sizes(&theirs) == sizes(&ours))
}

/// Our answer, and every column against it.
pub(crate) fn row(row: &Row) -> (Ours, Vec<(&'static str, Compared)>) {
    let ours = operation::answer(row);
    let read = if row.is_cpp() { row.plain() } else { row.clone() };
    let plain = match &ours {
        Ours::Answer(text) if row.is_cpp() => Ours::Answer(super::row::plain(text)),
        other => other.clone(),
    };
    let compared = row.answers.iter().map(|(system, theirs)| {
        if !row.is_cpp() {
            return (*system, compare(&read, theirs, &ours));
        }
        match compare(&read, &super::row::plain(theirs), &plain) {
            Compared::Equal if !theirs.starts_with('!') && *theirs != ours.text() && row.op != "eval" => (*system, Compared::SameFunction),
            other => (*system, other),
        }
    }).collect();
    (ours, compared)
}
