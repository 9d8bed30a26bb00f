//! [`Condition`]: a test of the items of a report, as `--where` and `--fail-if` take it.
//!
//! ```text
//! condition := [kind] [ test { 'and' test } ]
//! test      := ['not'] field  |  ['not'] field op value        op := = != < <= > >=
//! value     := number [KiB|MiB|GiB]  |  word
//! ```
//!
//! `convert not free`, `convert moves >= lanes`, `alloc bytes > 64KiB`, `load vector_bits < 128`, `buffer times >= 2 and bytes > 1MiB`.
//! An item passes when it is of the kind, has all the fields, and all tests hold. A word is compared with a text, or in the order
//! of the words that a field may hold: nothing, registers, lanes, warps, blocks.

use std::cmp::Ordering;
use std::str::FromStr;

use bitstride::names::did_you_mean;
use bitstride::{Code, Error, error};

use crate::report::{Field, Item};

/// The kinds of items and their fields.
pub(crate) const KINDS: [(&str, &str); 19] = [
    ("alias", "name attribute layout words cute type"),
    (
        "type",
        "type uses inlined layout registers copies contiguous contiguous_dim bytes buffers padding what memory element_bits size",
    ),
    ("alloc", "name type tensor_memory bytes buffers padding memory"),
    ("peak", "bytes scratch uncounted"),
    ("convert", "from to free moves parts bytes scratch shuffles first first_from first_to"),
    ("load", ACCESS),
    ("store", ACCESS),
    (
        "copy",
        "name computation operation from to is free memory_move whole_tiles same_layout bytes count lines run first \
         first_from first_to reason",
    ),
    ("bitcast", MOVE),
    ("reshape", MOVE),
    ("transpose", MOVE),
    ("parameter", "name number shape copied_to bytes"),
    ("buffer", "shape name uses bytes unpadded times better better_bytes"),
    ("tuple", "name parts bytes unpadded uses times"),
    ("mesh", "name axes"),
    ("sharding", "name tensor sharding devices part padded bytes count reason"),
    ("reshard", "name operation tensor from to movement free bytes bytes_of_device count reason"),
    ("conflict", "operation from to difference inferred operand"),
    ("unread", "what text code reason"),
];

const ACCESS: &str =
    "operation tensor memory bytes vector vector_bits accesses reason wavefronts conflicts times lines";

const MOVE: &str = "name computation operation from to is free bytes count lines dims first first_from first_to reason";

/// The kinds of items.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(kind, _)| *kind)
}

/// A test of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    kind: Option<String>,
    tests: Vec<Test>,
}

#[derive(Clone, Debug, PartialEq)]
struct Test {
    negated: bool,
    field: String,
    against: Option<(Relation, Against)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// What a field is compared with.
#[derive(Clone, Debug, PartialEq)]
enum Against {
    /// A number in hundredths.
    Hundredths(i128),
    Word(String),
}

impl Condition {
    /// Whether an item of a kind passes.
    pub fn holds(&self, kind: &str, item: &Item) -> bool {
        self.kind.as_ref().is_none_or(|wanted| wanted == kind)
            && self.tests.iter().all(|test| item.field(&test.field).and_then(|field| test.of(field)) == Some(true))
    }
}

impl Test {
    /// Whether a field passes; nothing where the test does not apply to it.
    fn of(&self, field: &Field) -> Option<bool> {
        let holds = match &self.against {
            None => match field {
                Field::Truth(truth) => *truth,
                Field::Number(number) | Field::Hundredths(number) => *number != 0,
                Field::Rank(_, at) => *at != 0,
                Field::Text(text) => !text.is_empty(),
                Field::Numbers(numbers) => !numbers.is_empty(),
            },
            Some((relation, against)) => relation.holds(ordering(field, against)?),
        };
        Some(holds != self.negated)
    }
}

fn ordering(field: &Field, against: &Against) -> Option<Ordering> {
    match (field, against) {
        (Field::Number(number), Against::Hundredths(value)) => Some((i128::from(*number) * 100).cmp(value)),
        (Field::Hundredths(number), Against::Hundredths(value)) => Some(i128::from(*number).cmp(value)),
        (Field::Rank(names, at), Against::Word(word)) => {
            names.iter().position(|name| name == word).map(|value| at.cmp(&value))
        }
        (Field::Text(text), Against::Word(word)) => Some(text.as_str().cmp(word.as_str())),
        (Field::Truth(truth), Against::Word(word)) => match word.as_str() {
            "true" => Some(truth.cmp(&true)),
            "false" => Some(truth.cmp(&false)),
            _ => None,
        },
        _ => None,
    }
}

impl Relation {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Relation::Equal => ordering.is_eq(),
            Relation::Unequal => ordering.is_ne(),
            Relation::Less => ordering.is_lt(),
            Relation::AtMost => ordering.is_le(),
            Relation::Greater => ordering.is_gt(),
            Relation::AtLeast => ordering.is_ge(),
        }
    }

    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "=" | "==" => Relation::Equal,
            "!=" => Relation::Unequal,
            "<" => Relation::Less,
            "<=" => Relation::AtMost,
            ">" => Relation::Greater,
            ">=" => Relation::AtLeast,
            _ => return None,
        })
    }
}

impl FromStr for Condition {
    type Err = Error;

    /// Reads a condition.
    ///
    /// # Errors
    /// [`Code::UnknownName`] for a kind or a field that there is none of, [`Code::Syntax`].
    ///
    /// ```
    /// use bitstride_dumps::Condition;
    /// assert!("convert not free".parse::<Condition>().is_ok());
    /// let error = "convert move >= lanes".parse::<Condition>().unwrap_err();
    /// assert!(error.help().is_some_and(|help| help.contains("moves")), "{error}");
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        let tokens = tokens(text);
        let mut rest = tokens.as_slice();
        let kind = rest.first().and_then(|word| KINDS.iter().find(|(kind, _)| kind == word));
        if kind.is_some() {
            rest = rest.get(1..).unwrap_or_default();
        }
        let fields = kind.map(|(_, fields)| *fields);
        let mut tests = Vec::new();
        while !rest.is_empty() {
            if !tests.is_empty() {
                let Some((&"and", after)) = rest.split_first() else {
                    return Err(bad(format!("expected `and`, found `{}`", rest.first().unwrap_or(&""))));
                };
                rest = after;
            }
            let (test, after) = test(rest, fields)?;
            tests.push(test);
            rest = after;
        }
        if kind.is_none() && tests.is_empty() {
            return Err(bad("an empty condition".to_owned()));
        }
        Ok(Condition { kind: kind.map(|(kind, _)| (*kind).to_owned()), tests })
    }
}

fn test<'t>(tokens: &'t [&'t str], fields: Option<&'static str>) -> Result<(Test, &'t [&'t str]), Error> {
    let (negated, tokens) = match tokens.split_first() {
        Some((&"not", rest)) => (true, rest),
        _ => (false, tokens),
    };
    let Some((field, rest)) = tokens.split_first() else {
        return Err(bad("the condition ends where a field is wanted".to_owned()));
    };
    let all = KINDS.iter().map(|(_, fields)| *fields).filter(|of| fields.is_none_or(|fields| fields == *of));
    let known: Vec<&str> = all.flat_map(str::split_whitespace).collect();
    if !known.contains(field) {
        let of_kinds = KINDS.iter().map(|(kind, _)| *kind).filter(|_| fields.is_none());
        let error = error!(Code::UnknownName, "`{field}` is no field of an item", [field]);
        let near = did_you_mean(field, known.iter().copied().chain(of_kinds));
        let mut names = known;
        names.sort_unstable();
        names.dedup();
        return Err(match near {
            Some(near) => error.with_help(format!("did you mean {near}? The fields are {}", names.join(", "))),
            None => error.with_help(format!("the fields are {}", names.join(", "))),
        });
    }
    let field = (*field).to_owned();
    let Some(relation) = rest.first().and_then(|word| Relation::read(word)) else {
        return Ok((Test { negated, field, against: None }, rest));
    };
    let Some(value) = rest.get(1) else {
        return Err(bad(format!("the condition ends where `{field}` is compared with nothing")));
    };
    let against = number(value).map_or_else(|| Against::Word((*value).to_owned()), Against::Hundredths);
    Ok((Test { negated, field, against: Some((relation, against)) }, rest.get(2..).unwrap_or_default()))
}

/// A number in hundredths: `12`, `1.5`, `64KiB`.
fn number(text: &str) -> Option<i128> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let (digits, shift) =
        units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift))).unwrap_or((text, 0));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let padded: String = part.chars().chain("00".chars()).take(2).collect();
    let (whole, part): (i64, i64) = (whole.parse().ok()?, padded.parse().ok()?);
    let hundredths = i128::from(whole) * 100 + i128::from(part) * if whole < 0 { -1 } else { 1 };
    hundredths.checked_mul(1 << shift)
}

/// Words, numbers and relations, which need no blanks around them.
fn tokens(text: &str) -> Vec<&str> {
    let is_relation = |c: char| "=<>!".contains(c);
    let mut tokens = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| is_relation(c) != is_relation(first)).unwrap_or(rest.len());
            let (token, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            tokens.push(token);
            rest = after;
        }
    }
    tokens
}

fn bad(message: String) -> Error {
    Error::new(Code::Syntax("bad-condition"), message)
        .with_help("such as `convert not free`, `alloc bytes > 64KiB` or `convert moves >= lanes and bytes > 1MiB`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Item {
        Item::on(1, None)
            .with("free", false)
            .with("bytes", 2048_i64)
            .with("moves", Field::Rank(&["nothing", "registers", "lanes"], 2))
            .with("times", Field::Hundredths(150))
            .with("name", "%a")
    }

    #[test]
    fn conditions_hold_or_do_not() {
        for (text, holds) in [
            ("convert", true),
            ("copy", false),
            ("convert not free", true),
            ("free", false),
            ("convert bytes > 1KiB and bytes<=2KiB", true),
            ("bytes != 2048", false),
            ("convert moves >= registers", true),
            ("convert moves = lanes", true),
            ("convert moves < lanes", false),
            ("times >= 1.5", true),
            ("times > 1.5", false),
            ("name = %a", true),
            ("not registers", false),
        ] {
            assert_eq!(text.parse::<Condition>().map(|read| read.holds("convert", &item())), Ok(holds), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_said() {
        for text in ["", "converts", "convert not", "convert moves >", "convert free bytes > 1", "alloc free"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }
}
