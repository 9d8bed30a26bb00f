//! Whether a row is as recorded, differs for a documented reason, or fails.

use bitstride::Class;
use bitstride_oracle::laws::Violation;
use bitstride_oracle::reference::{Layout, Point};
use serde_json::Value;

use super::laws::{self, CheckResult};
use super::operation::{self, Ours};
use super::row::{self, Row};
use super::{f2, formats, hardware, nv, rules, sharding, triton, unknown, xla};

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
    /// They answer, we refuse, and no law tells who is right.
    Declines,
}

/// How a row came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// As recorded.
    Agree,
    /// Each difference is covered: the system, and the rule by its place.
    Documented(Vec<(&'static str, usize)>),
    /// Not as recorded, for no documented reason.
    Failing(String),
}

/// A row judged.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// What we answered.
    pub(crate) ours: Ours,
    /// How it compares.
    pub(crate) state: State,
}

/// How an answer compares with ours.
#[derive(Clone, Debug)]
enum Compared {
    Equal,
    /// Written differently, but the same function, ours lawful.
    SameFunction,
    Differ(Kind),
    Unexplained(String),
}

/// One column against our answer.
fn compare(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    match ours {
        Ours::NoCode => Compared::Unexplained("no code".to_owned()),
        Ours::Refused(_) if theirs.starts_with('!') => Compared::Equal,
        Ours::Refused(_) => refused(row, theirs),
        Ours::Answer(ours) if theirs.starts_with('!') => match laws::law(&row.op, &row.operands, ours) {
            Some(Ok(())) => Compared::Differ(Kind::Rejects),
            held => Compared::Unexplained(format!("they reject; our answer: {}", described(&held))),
        },
        Ours::Answer(ours) if equal(&row.op, theirs, ours) => Compared::Equal,
        Ours::Answer(ours) if same_function(row, theirs, ours) => Compared::SameFunction,
        Ours::Answer(ours) => {
            let (own, other) = (laws::law(&row.op, &row.operands, ours), laws::law(&row.op, &row.operands, theirs));
            match (&own, &other) {
                (Some(Ok(())), Some(Ok(()))) => Compared::Differ(Kind::Convention),
                (Some(Ok(())), Some(Err(violation))) if !violation.is_undecided() && is_known_fault(row, theirs) => {
                    Compared::Differ(Kind::BreaksLaw)
                }
                _ => Compared::Unexplained(format!("ours: {}; theirs: {}", described(&own), described(&other))),
            }
        }
    }
}

/// Whether an unlawful answer is unlawful in the known way: a complement stops short of its target, and is ordered and
/// disjoint all the same.
fn is_known_fault(row: &Row, theirs: &str) -> bool {
    match (row.op.as_str(), row.operands.first()) {
        ("complement", Some(a)) => laws::law("complement", &[a.clone(), "1".to_owned()], theirs) == Some(Ok(())),
        _ => true,
    }
}

fn refused(row: &Row, theirs: &str) -> Compared {
    let (refusal, other) = (laws::refusal(&row.op, &row.operands), laws::law(&row.op, &row.operands, theirs));
    match (&refusal, &other) {
        (Some(Ok(())), _) => Compared::Differ(Kind::AcceptsUnlawful),
        // With dynamic integers a refusal may want for facts, so that an answer to their values says nothing.
        (_, Some(Err(violation))) if (refusal.is_none() || row.is_cpp()) && !violation.is_undecided() => {
            Compared::Differ(Kind::AcceptsUnlawful)
        }
        _ if untold(&refusal) && untold(&other) => Compared::Differ(Kind::Declines),
        _ => Compared::Unexplained(format!("we refuse: {}; theirs: {}", described(&refusal), described(&other))),
    }
}

/// Whether no law says anything.
fn untold(held: &Option<CheckResult>) -> bool {
    held.as_ref().is_none_or(|held| held.as_ref().is_err_and(Violation::is_undecided))
}

fn described(held: &Option<CheckResult>) -> String {
    match held {
        None => "no law".to_owned(),
        Some(Ok(())) => "lawful".to_owned(),
        Some(Err(violation)) => violation.to_string(),
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

/// Whether both are the same function of the flat index, with modes of the same sizes where the operation promises
/// modes.
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

/// The verdict on a row.
pub(crate) fn verdict(row: &Row) -> Verdict {
    let translated = if row.file == "cute/nv_extra" { nv::translated(row) } else { None };
    let read = translated.as_ref().unwrap_or(row);
    let ours = match row.file.as_str() {
        file if triton::owns(file) => triton::answer(row),
        file if xla::owns(file) => xla::answer(row),
        file if hardware::owns(file) => hardware::answer(row),
        file if formats::owns(file) => formats::answer(row),
        file if sharding::owns(file) => sharding::answer(row),
        _ if row.op == "f2" => f2::answer(read),
        _ => operation::answer(read),
    };
    let state = match (&ours, row.answers.is_empty()) {
        (Ours::NoCode, _) => State::Failing("no code".to_owned()),
        (_, true) => State::Failing("nothing was recorded".to_owned()),
        _ if row.op == "f2" => xored(read, &ours),
        _ => state(read, &ours),
    };
    Verdict { ours, state }
}

fn state(row: &Row, ours: &Ours) -> State {
    let compare = match row.file.as_str() {
        "documents/cute" => document,
        "cute/nv_extra" => expression,
        "cute/dsl_dynamic" => unknown_leaves,
        file if triton::owns(file) => linear,
        file if xla::owns(file) => return tiled(row, ours),
        file if sharding::owns(file) => return spread(row),
        file if hardware::owns(file) => measured,
        file if formats::owns(file) => probed,
        _ if row.is_cpp() => dynamic_leaves,
        _ => compare,
    };
    let mut uses = Vec::new();
    for (at, (system, theirs)) in row.answers.iter().enumerate() {
        let kind = match compare(row, theirs, ours) {
            Compared::Equal => continue,
            // The reference is read to the letter, except the whitepaper's expressions, which are functions.
            Compared::SameFunction if at > 0 || row.file == "cute/nv_extra" => continue,
            Compared::SameFunction => Kind::Convention,
            Compared::Differ(kind) => kind,
            Compared::Unexplained(why) => return State::Failing(format!("{system}: {why}")),
        };
        match rules::covering(row, system, kind) {
            Some(rule) => uses.push((*system, rule)),
            None => return State::Failing(format!("{system}: no rule covers {kind:?}")),
        }
    }
    if triton::owns(&row.file) || hardware::owns(&row.file) || formats::owns(&row.file) {
        return if uses.is_empty() { State::Agree } else { State::Documented(uses) };
    }
    if let Err(why) = stated(row, ours).and_then(|()| lawful(row, ours)) {
        return State::Failing(why);
    }
    if uses.is_empty() { State::Agree } else { State::Documented(uses) }
}

/// What a machine counted or took, against ours.
fn measured(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    match hardware::differs(row, theirs, ours) {
        Ok(None) => Compared::Equal,
        Ok(Some(kind)) => Compared::Differ(kind),
        Err(why) => Compared::Unexplained(why),
    }
}

/// Stored layouts: every place as it was probed.
fn probed(_: &Row, theirs: &str, ours: &Ours) -> Compared {
    match ours {
        Ours::Answer(ours) if ours == theirs => Compared::Equal,
        _ => unexplained("not as recorded"),
    }
}

/// Tiled arrays: what the definition says is equal to the letter, and each of XLA's own answers is judged.
fn tiled(row: &Row, ours: &Ours) -> State {
    let mut uses = Vec::new();
    for (name, theirs) in &row.answers {
        let differ = match xla::judged(row, name) {
            _ if *name == xla::DEFINITION => {
                let same = xla::same_fields(theirs, &ours.text());
                if same { Ok(None) } else { Err("not as recorded".to_owned()) }
            }
            Some(judged) => judged.differ,
            None => Err("cannot be read".to_owned()),
        };
        match differ.map(|kind| kind.map(|kind| rules::covering(row, name, kind).ok_or(kind))) {
            Ok(None) => {}
            Ok(Some(Ok(rule))) => uses.push((*name, rule)),
            Ok(Some(Err(kind))) => return State::Failing(format!("{name}: no rule covers {kind:?}")),
            Err(why) => return State::Failing(format!("{name}: {why}")),
        }
    }
    if uses.is_empty() { State::Agree } else { State::Documented(uses) }
}

/// Shardings: each thing that a row states is judged by itself.
fn spread(row: &Row) -> State {
    let mut uses = Vec::new();
    for (name, _) in &row.answers {
        match sharding::judged(row, name).map(|kind| kind.map(|kind| rules::covering(row, name, kind).ok_or(kind))) {
            Ok(None) => {}
            Ok(Some(Ok(rule))) => uses.push((*name, rule)),
            Ok(Some(Err(kind))) => return State::Failing(format!("{name}: no rule covers {kind:?}")),
            Err(why) => return State::Failing(format!("{name}: {why}")),
        }
    }
    if uses.is_empty() { State::Agree } else { State::Documented(uses) }
}

/// Strides over F2: answers compare as functions.
fn xored(row: &Row, ours: &Ours) -> State {
    let mut uses = Vec::new();
    for (system, theirs) in &row.answers {
        match f2::compared(row, theirs, ours)
            .map(|kind| kind.map(|kind| rules::covering(row, system, kind).ok_or(kind)))
        {
            Ok(None) => {}
            Ok(Some(Ok(rule))) => uses.push((*system, rule)),
            Ok(Some(Err(kind))) => return State::Failing(format!("{system}: no rule covers {kind:?}")),
            Err(why) => return State::Failing(format!("{system}: {why}")),
        }
    }
    if uses.is_empty() { State::Agree } else { State::Documented(uses) }
}

/// Rows of composition state the values `A(B(i))`, found by enumeration when they were recorded.
fn stated(row: &Row, ours: &Ours) -> Result<(), String> {
    let Some(stated) = row.fields.get("vals").and_then(Value::as_array).filter(|_| row.op == "composition") else {
        return Ok(());
    };
    let stated: Option<Vec<Point>> = stated.iter().map(|value| value.as_i64().map(Point::int)).collect();
    let (Some(stated), Ours::Answer(ours)) = (stated, ours) else {
        return Ok(());
    };
    let values = ours.parse::<Layout>().and_then(|layout| layout.values()).unwrap_or_default();
    if values.starts_with(&stated) { Ok(()) } else { Err("our values are not those stated".to_owned()) }
}

/// Our own answer is held to the law whoever else gave it. With dynamic integers the shape is not that of their values.
fn lawful(row: &Row, ours: &Ours) -> Result<(), String> {
    let Ours::Answer(ours) = ours else { return Ok(()) };
    match laws::law(&row.op, &row.operands, ours) {
        Some(Err(violation)) if !row.is_cpp() && row.file != "cute/dsl_dynamic" && !violation.is_undecided() => {
            Err(format!("our answer: {violation}"))
        }
        _ => Ok(()),
    }
}

fn unexplained(why: &str) -> Compared {
    Compared::Unexplained(why.to_owned())
}

/// Dynamic integers: the text may agree with its staticness, and a difference is judged by the values.
fn dynamic_leaves(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    let plain = match ours {
        Ours::Answer(text) if *text == theirs => return Compared::Equal,
        Ours::Answer(text) => Ours::Answer(row::plain(text)),
        other => other.clone(),
    };
    match compare(&row.plain(), &row::plain(theirs), &plain) {
        // Lists of offsets do not say what is static.
        Compared::Equal if matches!(plain, Ours::Answer(_)) && row.op != "eval" => Compared::SameFunction,
        compared => compared,
    }
}

/// Linear layouts: answers are equal to the letter, and so are the categories of refusals.
fn linear(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    match ours {
        Ours::Answer(ours) if ours == theirs => Compared::Equal,
        Ours::Refused(error) if theirs == triton::category(error) => Compared::Equal,
        Ours::Answer(ours) if theirs.starts_with('!') => match triton::law(row, ours) {
            Some(Ok(())) => Compared::Differ(Kind::Rejects),
            Some(Err(violation)) => {
                Compared::Unexplained(format!("they reject; our answer breaks the law: {violation}"))
            }
            None => unexplained("they reject"),
        },
        Ours::Refused(error) => match triton::refusal(row) {
            Some(Ok(())) => Compared::Differ(Kind::AcceptsUnlawful),
            held => Compared::Unexplained(format!("we refuse, {error}: {}", described(&held))),
        },
        _ => unexplained("not as recorded"),
    }
}

/// Unknown integers: see [`unknown`].
fn unknown_leaves(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    let rejected = theirs.starts_with('!') || theirs == "x:x";
    match ours {
        Ours::NoCode => unexplained("no code"),
        Ours::Refused(_) if rejected => Compared::Equal,
        Ours::Refused(error) if error.code().class() == Class::Undecided => Compared::Equal,
        Ours::Refused(_) => match unknown::refusal(row) {
            Some(Ok(())) => Compared::Differ(Kind::AcceptsUnlawful),
            held => Compared::Unexplained(format!("we refuse: {}", described(&held))),
        },
        Ours::Answer(ours) => match unknown::law(row) {
            Some(Ok(())) if !rejected && unknown::covers(theirs, ours) => Compared::Equal,
            Some(Ok(())) if rejected => Compared::Differ(Kind::Rejects),
            Some(Ok(())) => Compared::Differ(Kind::Convention),
            held => Compared::Unexplained(format!("our answer: {}", described(&held))),
        },
    }
}

/// Expressions of the whitepaper compare as functions, and state their values.
fn expression(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    let stated: Option<Vec<Point>> =
        row.fields.get("vals").and_then(Value::as_array).and_then(|values| {
            values.iter().map(|value| laws::point(value.as_str().unwrap_or_default()).ok()).collect()
        });
    let (Ours::Answer(text), Some(stated)) = (ours, stated) else {
        return compare(row, theirs, ours);
    };
    let (Ok(own), Ok(other)) = (text.parse::<Layout>(), theirs.parse::<Layout>()) else {
        return compare(row, theirs, ours);
    };
    let values = own.values().unwrap_or_default();
    if values.len() >= stated.len() && values.iter().zip(&stated).all(|(value, stated)| value == stated) {
        return if text == theirs {
            Compared::Equal
        } else if own.size() == other.size() && own.values() == other.values() {
            Compared::SameFunction
        } else {
            unexplained("the values stated agree, the answers do not")
        };
    }
    match compare(row, theirs, ours) {
        Compared::Equal | Compared::SameFunction => unexplained("our values are not those stated"),
        compared => compared,
    }
}

/// Examples of documents are exact, with what they say of values.
fn document(row: &Row, theirs: &str, ours: &Ours) -> Compared {
    let Ours::Answer(text) = ours else {
        return if theirs == "!" { Compared::Equal } else { unexplained("we refuse") };
    };
    if text != theirs {
        return unexplained("not as stated");
    }
    let values = || text.parse::<Layout>().and_then(|layout| layout.int_values()).unwrap_or_default();
    for name in ["vals", "offsets"] {
        let stated = row.fields.get(name).and_then(Value::as_array);
        let stated: Option<Vec<i64>> = stated.map(|all| all.iter().filter_map(Value::as_i64).collect());
        if stated.is_some_and(|stated| stated != values()) {
            return Compared::Unexplained(format!("our values are not the {name} stated"));
        }
    }
    let image = row.fields.get("image").and_then(Value::as_str).and_then(|image| image.split_once(".."));
    if let Some((first, last)) = image {
        let mut image = values();
        image.sort_unstable();
        let stated = first.parse().and_then(|first: i64| Ok(first..=last.parse()?));
        if !stated.is_ok_and(|stated| stated.eq(image)) {
            return unexplained("our image is not the one stated");
        }
    }
    Compared::Equal
}
