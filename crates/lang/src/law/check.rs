//! A law held against operands and an answer: each requirement at each of its points.
//!
//! Law: nothing is taken for true that was not evaluated. What has no value at a point refuses the check, and is no counterexample.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::MAX_POINTS;
use super::item::{Item, too_many};
use super::statement::{Claim, ClaimSide, Over, Range, Relation, Requirement, requirements};
use super::table::{self, Law};
use super::term::{Scope, Term};
use super::words::is_padding;
use crate::operation::{Calls, Operation};
use crate::parameters::Presence;
use crate::value::{Mapped, Value};
use bitstride::cute::{Layout, Tiler};
use bitstride::map::Map;
use bitstride::{Code, Error, error};

/// Whether an answer obeys the law of an operation; the notes say how many points were checked, or which one shows that it does not.
pub(super) fn check(
    operation: &Operation,
    values: &[Value],
    answer: &Value,
    calls: &Calls,
    notes: &mut Vec<String>,
) -> Result<bool, Error> {
    let is_mapped = values.iter().chain([answer]).any(Value::is_mapped);
    let law = table::laws(operation.name).find(|law| law.is_for(is_mapped)).ok_or_else(|| {
        let of = if table::laws(operation.name).next().is_some() { " for these operands" } else { "" };
        error!(Code::Undecided, "{name} has no law that is checked point by point{of}", [name = operation.name, of])
            .with_help("`bitstride operations NAME` shows the law of an operation")
    })?;
    let mut points = 0;
    let holds = by_mode(operation, law, values, answer, calls, notes, &mut points)?;
    if holds && points == 0 {
        return Err(error!(Code::Undecided, "the law of {name} has no point here", [name = operation.name]));
    }
    Ok(holds)
}

/// The law for each mode that a tiler speaks of; modes that it leaves stay as they are.
fn by_mode(
    operation: &Operation,
    law: &Law,
    values: &[Value],
    answer: &Value,
    calls: &Calls,
    notes: &mut Vec<String>,
    points: &mut usize,
) -> Result<bool, Error> {
    let entries = match values {
        [_, tiler @ (Value::Tiler(_) | Value::Tuple(_))] if law.by_mode => match tiler.as_tiler()? {
            Tiler::Modes(entries) => Some(entries),
            _ => None,
        },
        _ => None,
    };
    let (Some(entries), Some(whole)) = (entries, values.first()) else {
        return all(operation, law.text, values, answer, calls, notes, points);
    };
    let (Value::Layout(_) | Value::Tuple(_), Value::Layout(answer)) = (whole, answer) else {
        return Err(error!(
            Code::Undecided,
            "the law of {name} by modes is checked for layouts, not for {whole}",
            [name = operation.name, whole]
        ));
    };
    let whole = whole.as_layout()?;
    let (modes, answers): (Vec<Layout>, Vec<Layout>) = (whole.modes(), answer.modes());
    if modes.len() != answers.len() {
        notes.push(format!("the answer has {} modes, and must have {}", answers.len(), modes.len()));
        return Ok(false);
    }
    for (at, (mode, answer)) in modes.iter().zip(&answers).enumerate() {
        let entry = match entries.get(at) {
            Some(Tiler::Layout(layout)) => Some(Value::Layout(layout.clone())),
            Some(Tiler::Extent(n)) => Some(n.clone().into()),
            Some(modes @ Tiler::Modes(_)) => Some(Value::Tiler(modes.clone())),
            Some(Tiler::Keep) | None => None,
        };
        let answer = Value::Layout(answer.clone());
        let mode = Value::Layout(mode.clone());
        let before = notes.len();
        let holds = match entry {
            Some(entry) => by_mode(operation, law, &[mode, entry], &answer, calls, notes, points)?,
            None => {
                *points += 1;
                let stays = mode == answer;
                if !stays {
                    notes.push(format!("{mode} must stay, and is {answer}"));
                }
                stays
            }
        };
        for note in notes.iter_mut().skip(before) {
            *note = format!("mode {at}: {note}");
        }
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Every requirement of a law that speaks of these operands.
fn all(
    operation: &Operation,
    law: &str,
    values: &[Value],
    answer: &Value,
    calls: &Calls,
    notes: &mut Vec<String>,
    points: &mut usize,
) -> Result<bool, Error> {
    let given = operation.parameters.iter().map(|parameter| parameter.name).zip(values);
    let mut operands: Vec<(&str, Item)> = given.map(|(name, value)| (name, Item::from(value.clone()))).collect();
    operands.push(("R", Item::from(answer.clone())));
    if mentions(law, "left") {
        match compared(operation, values, answer) {
            Ok([left, right]) => operands.extend([("left", left), ("right", right)]),
            // Layouts with other axes are not the same.
            Err(error) if error.code() == Code::RankMismatch && answer.is_false() => {
                *points += 1;
                notes.push(error.message().to_owned());
                return Ok(true);
            }
            Err(error) => return Err(without_value("", &error)),
        }
    }
    let is_given = |name: &str| operands.iter().any(|(own, _)| *own == name);
    // A point takes as long as the operands are, so that there are fewer for long ones.
    let length: usize = operands.iter().map(|(_, item)| item.to_string().len()).sum();
    let most = MAX_POINTS / (1 + length / 512);
    for requirement in requirements(law)? {
        let optional = operation.parameters.iter().filter(|parameter| parameter.presence == Presence::Optional);
        let is_open = optional
            .map(|parameter| parameter.name)
            .any(|name| requirement.without != Some(name) && mentions(requirement.text, name) && !is_given(name));
        if is_open || requirement.without.is_some_and(is_given) {
            continue;
        }
        let checked = Checker { scope: Scope { operands: &operands, calls }, points: 0, most };
        let checked = checked.holds(&requirement).map_err(|error| without_value("", &error))?;
        *points += checked.points;
        match checked.broken {
            None => notes.push(format!("{}: {}", requirement.text, counted(checked.points))),
            Some(why) => {
                notes.push(format!("{} is broken: {why}", requirement.text));
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The refusal of a check where a part of the law has no value.
fn without_value(place: &str, error: &Error) -> Error {
    if error.code() == Code::Undecided {
        return error.clone();
    }
    let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
    error!(Code::Undecided, "the law has no value{at}: {message}", [at, message = error.message()]).with_facts_of(error)
}

fn counted(points: usize) -> String {
    format!("{points} point{}", if points == 1 { "" } else { "s" })
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|own| own == word)
}

/// The maps that a comparison is about, over the same axes.
fn compared(operation: &Operation, values: &[Value], answer: &Value) -> Result<[Item; 2], Error> {
    let (left, right) = match values {
        [left, right] if operation.parameters.len() == 2 => (left.as_map()?, right.as_map()?),
        [left, ..] => (left.as_map()?, answer.as_map()?),
        [] => return Err(Error::new(Code::Arity, "a comparison needs operands")),
    };
    let axes = |map: &Map| {
        let named = |axis: &bitstride::map::Axis| (axis.name, axis.extent);
        let codomain = map.codomain().iter().map(|axis| axis.name).collect::<Vec<_>>();
        (map.direction(), map.domain().iter().map(named).collect::<Vec<_>>(), codomain)
    };
    let item = |map: Map| Item::from(Value::Map(Box::new(Mapped { text: map.to_string(), map })));
    if axes(&left) == axes(&right) {
        return Ok([left, right].map(item));
    }
    let [left, right] = left.aligned(&right)?.map(std::borrow::Cow::into_owned);
    if axes(&left).1 != axes(&right).1 {
        let message = "the law is checked point by point where both layouts have the same axes";
        return Err(Error::new(Code::Undecided, message));
    }
    Ok([left, right].map(item))
}

/// What checking one requirement said.
struct Checked {
    points: usize,
    /// Why it does not hold, if it does not.
    broken: Option<String>,
}

/// What is done at each point; it may end the walk.
type Visit<'v> = dyn FnMut(&[Item]) -> Result<ControlFlow<()>, Error> + 'v;

struct Checker<'o> {
    scope: Scope<'o>,
    points: usize,
    /// How many points are checked.
    most: usize,
}

/// A claim with its terms made.
enum Ready<'t> {
    Distinct(Term, &'t str),
    Chain(Vec<(Relation, ReadySide<'t>)>),
}

enum ReadySide<'t> {
    Term(Term, &'t str),
    Set(HashMap<String, Item>, &'t str),
}

impl Checker<'_> {
    fn holds(mut self, requirement: &Requirement<'_>) -> Result<Checked, Error> {
        let variables: Vec<&str> = requirement.ranges.iter().map(|range| range.name).collect();
        let mut claims = Vec::new();
        for claim in &requirement.claims {
            claims.push(self.ready(claim, &variables)?);
        }
        let guard = requirement.guard.as_ref().map(|guard| self.ready(guard, &variables)).transpose()?;
        let mut seen: HashMap<String, String> = HashMap::new();
        let mut checked = 0;
        let mut broken = None;
        self.walk(&requirement.ranges, &mut |point| {
            if let Some(guard) = &guard
                && broken_at(guard, point, "", &mut HashMap::new())?.is_some()
            {
                return Ok(ControlFlow::Continue(()));
            }
            checked += 1;
            let place = variables.iter().zip(point).map(|(name, item)| format!("{name} = {item}")).collect::<Vec<_>>();
            let place = place.join(", ");
            for claim in &claims {
                let found = broken_at(claim, point, &place, &mut seen);
                broken = found.map_err(|error| without_value(&place, &error))?;
                if broken.is_some() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if !requirement.iff {
            return Ok(Checked { points: checked, broken });
        }
        let answer = self.scope.operands.iter().rev().find(|(name, _)| *name == "R");
        let says = answer.map_or(Ok(true), |(_, answer)| answer.is_true())?;
        if checked == 0 {
            return Err(error!(Code::Undecided, "there is no point to check: {text}", [text = requirement.text]));
        }
        let broken = match (says, broken) {
            (true, Some(why)) => Some(format!("R is true, but {why}")),
            (false, None) => Some(format!("R is false, but all {} hold", counted(checked))),
            _ => None,
        };
        Ok(Checked { points: checked, broken })
    }

    /// Walks through the points of some ranges until the visitor breaks.
    fn walk(&mut self, ranges: &[Range<'_>], visit: &mut Visit<'_>) -> Result<(), Error> {
        let names: Vec<&str> = ranges.iter().map(|range| range.name).collect();
        self.walk_from(ranges, &names, &mut Vec::new(), visit).map(|_| ())
    }

    fn walk_from(
        &mut self,
        ranges: &[Range<'_>],
        names: &[&str],
        point: &mut Vec<Item>,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let Some(range) = ranges.get(point.len()) else {
            self.points += 1;
            if self.points > self.most {
                return Err(too_many(format!("more than {}", self.most), self.most));
            }
            return visit(point);
        };
        let before = names.get(..point.len()).unwrap_or_default();
        let members = match &range.over {
            Over::Below(end) => {
                let end = Term::of(&end.tree, &self.scope, before)?.value(point)?.as_number()?;
                for number in 0..end.max(0) {
                    point.push(Item::number(number));
                    let flow = self.walk_from(ranges, names, point, visit)?;
                    point.pop();
                    if flow.is_break() {
                        return Ok(flow);
                    }
                }
                return Ok(ControlFlow::Continue(()));
            }
            Over::In(ClaimSide::Term(whole)) => {
                Term::of(&whole.tree, &self.scope, before)?.value(point)?.places(self.most)?
            }
            Over::In(ClaimSide::Set(term, inner)) => self.set(term, inner)?.into_values().collect(),
        };
        for member in members {
            point.push(member);
            let flow = self.walk_from(ranges, names, point, visit)?;
            point.pop();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The members of a set, by their texts.
    fn set(
        &mut self,
        term: &super::statement::Phrase<'_>,
        ranges: &[Range<'_>],
    ) -> Result<HashMap<String, Item>, Error> {
        let names: Vec<&str> = ranges.iter().map(|range| range.name).collect();
        let term = Term::of(&term.tree, &self.scope, &names)?;
        let mut members = HashMap::new();
        self.walk(ranges, &mut |point| {
            let member = term.value(point)?;
            if !is_padding(&member) {
                members.insert(member.key()?, member);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(members)
    }

    fn ready<'t>(&mut self, claim: &Claim<'t>, variables: &[&str]) -> Result<Ready<'t>, Error> {
        let mut side = |side: &ClaimSide<'t>| match side {
            ClaimSide::Term(term) => Ok(ReadySide::Term(Term::of(&term.tree, &self.scope, variables)?, term.text)),
            ClaimSide::Set(term, ranges) => Ok::<_, Error>(ReadySide::Set(self.set(term, ranges)?, term.text)),
        };
        Ok(match claim {
            Claim::Distinct(term) => Ready::Distinct(Term::of(&term.tree, &self.scope, variables)?, term.text),
            Claim::Chain(first, rest) => {
                let mut chain = vec![(Relation::Equal, side(first)?)];
                for (relation, next) in rest {
                    chain.push((*relation, side(next)?));
                }
                Ready::Chain(chain)
            }
        })
    }
}

/// Why a claim is false at a point, if it is.
fn broken_at(
    claim: &Ready<'_>,
    point: &[Item],
    place: &str,
    seen: &mut HashMap<String, String>,
) -> Result<Option<String>, Error> {
    let at = if place.is_empty() { String::new() } else { format!("at {place}, ") };
    let chain = match claim {
        Ready::Distinct(term, text) => {
            let value = term.value(point)?;
            if is_padding(&value) {
                return Ok(None);
            }
            let other = seen.insert(value.key()?, place.to_owned());
            return Ok(other.map(|other| format!("{at}{text} is {value}, as at {other}")));
        }
        Ready::Chain(chain) => chain,
    };
    let [(_, first), rest @ ..] = chain.as_slice() else { return Ok(None) };
    let (mut left, mut left_text) = (evaluated(first, point)?, text(first));
    if rest.is_empty() {
        let Evaluated::Item(item) = left else { return Ok(None) };
        return Ok((!item.is_true()?).then(|| format!("{at}{left_text} is {item}")));
    }
    for (relation, right) in rest {
        let (right, right_text) = (evaluated(right, point)?, text(right));
        let why = match (&left, &right) {
            (Evaluated::Item(left), Evaluated::Item(right)) => {
                let holds = match relation {
                    Relation::Equal => left.equals(right)?,
                    Relation::NotEqual => !left.equals(right)?,
                    Relation::AtMost => left.compare(right)?.is_le(),
                    Relation::Less => left.compare(right)?.is_lt(),
                };
                (!holds).then(|| format!("{at}{left_text} is {left}, and {right_text} is {right}"))
            }
            (Evaluated::Set(left), Evaluated::Set(right)) => {
                let missing = |from: &HashMap<String, Item>, of: &HashMap<String, Item>| {
                    from.iter().filter(|(key, _)| !of.contains_key(*key)).map(|(_, item)| item.to_string()).min()
                };
                let beyond = missing(left, right).map(|item| format!("{item} is a {left_text}, and no {right_text}"));
                let lacking = missing(right, left).map(|item| format!("{item} is a {right_text}, and no {left_text}"));
                if *relation == Relation::Equal { beyond.or(lacking) } else { beyond }
            }
            _ => return Err(Error::new(Code::Undecided, "the law compares a set with a number")),
        };
        if why.is_some() {
            return Ok(why);
        }
        (left, left_text) = (right, right_text);
    }
    Ok(None)
}

enum Evaluated<'r> {
    Item(Item),
    Set(&'r HashMap<String, Item>),
}

fn evaluated<'r>(side: &'r ReadySide<'_>, point: &[Item]) -> Result<Evaluated<'r>, Error> {
    match side {
        ReadySide::Term(term, _) => term.value(point).map(Evaluated::Item),
        ReadySide::Set(members, _) => Ok(Evaluated::Set(members)),
    }
}

fn text<'t>(side: &ReadySide<'t>) -> &'t str {
    match side {
        ReadySide::Term(_, text) | ReadySide::Set(_, text) => text,
    }
}
