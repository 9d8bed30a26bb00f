//! [`Fields`]: the named data of one attribute, read by name and type. What is wrong is said at the field.

use super::super::{Cga, Sizes, Split};
use crate::error::{Code, Error};
use crate::names::did_you_mean;
use crate::notation::{Attribute, Datum, DatumKind, Name, Span};

/// How Triton says which block of a cluster holds what, today, and formerly by three lists.
const CGA: &str = "CGALayout";
const FORMERLY: [&str; 3] = ["CTAsPerCGA", "CTASplitNum", "CTAOrder"];

/// The fields of an attribute, whether in curly brackets or not.
pub(super) struct Fields<'a> {
    /// What they are the fields of, for sentences.
    of: String,
    span: Span,
    names: &'static [&'static str],
    entries: Vec<(&'a Name, &'a Datum)>,
    /// The data without a name.
    rest: Vec<&'a Datum>,
    /// What was passed over, where Triton passes over names that it does not know.
    passed: Option<Vec<String>>,
}

impl<'a> Fields<'a> {
    /// The fields of an attribute that has those `names`.
    pub(super) fn new(attribute: &'a Attribute, names: &'static [&'static str]) -> Result<Self, Error> {
        Fields::read(attribute, names, None)
    }

    /// The fields of an attribute of which Triton reads those `names` and passes over all others, which is noted.
    pub(super) fn passing(
        attribute: &'a Attribute,
        names: &'static [&'static str],
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let mut fields = Fields::read(attribute, names, Some(Vec::new()))?;
        notes.extend(fields.passed.take().into_iter().flatten());
        Ok(fields)
    }

    fn read(
        attribute: &'a Attribute,
        names: &'static [&'static str],
        passed: Option<Vec<String>>,
    ) -> Result<Self, Error> {
        let mut fields = Fields {
            of: format!("#{}", attribute.name.text),
            span: attribute.span,
            names,
            entries: Vec::new(),
            rest: Vec::new(),
            passed,
        };
        for argument in attribute.body.iter().flatten() {
            match (&argument.name, &argument.datum.kind) {
                (Some(name), _) => fields.enter(name, &argument.datum)?,
                (None, DatumKind::Dictionary(entries)) => {
                    entries.iter().try_for_each(|(name, datum)| fields.enter(name, datum))?;
                }
                (None, _) => fields.rest.push(&argument.datum),
            }
        }
        match fields.rest.last() {
            // Only a padded layout has something without a name: its intervals.
            Some(datum) if fields.rest.len() > 1 || !names.contains(&"shape") => {
                Err(error!(Code::Parameter, "the data of {of} have names; {datum} has none", [of = fields.of, datum])
                    .with_span(datum.span)
                    .with_help(fields.list()))
            }
            _ => Ok(fields),
        }
    }

    /// The fields of a dictionary in a field.
    pub(super) fn dictionary(&self, name: &'static str, names: &'static [&'static str]) -> Result<Fields<'a>, Error> {
        let datum = self.need(name)?;
        let DatumKind::Dictionary(entries) = &datum.kind else {
            return Err(self.wrong(name, "a dictionary such as {warp = [[0, 1]]}", datum));
        };
        let (entries_of, span) = (format!("{name} of {}", self.of), datum.span);
        let mut fields = Fields { of: entries_of, span, names, entries: Vec::new(), rest: Vec::new(), passed: None };
        entries.iter().try_for_each(|(name, datum)| fields.enter(name, datum))?;
        Ok(fields)
    }

    fn enter(&mut self, name: &'a Name, datum: &'a Datum) -> Result<(), Error> {
        let text = name.text.as_str();
        let formerly = self.names.contains(&CGA) && FORMERLY.contains(&text);
        let problem = if !formerly && !self.names.contains(&text) {
            format!("{} has no field {text}", self.of)
        } else if self.entries.iter().any(|(other, _)| *other == name) {
            format!("{} has the field {text} twice", self.of)
        } else {
            self.entries.push((name, datum));
            return Ok(());
        };
        if let (Some(passed), false) = (&mut self.passed, self.names.contains(&text) || formerly) {
            let near = did_you_mean(text, self.names.iter().copied()).map(|near| format!("; did you mean {near}?"));
            passed.push(format!("{problem}: Triton passes over it{}", near.unwrap_or_default()));
            return Ok(());
        }
        let help = match did_you_mean(text, self.names.iter().copied()) {
            Some(near) if near != text => format!("did you mean {near}? {}", self.list()),
            _ => self.list(),
        };
        Err(Error::new(Code::Parameter, problem).with_span(name.span).with_help(help))
    }

    fn list(&self) -> String {
        if self.names.is_empty() {
            return "it has no fields".to_owned();
        }
        format!("its fields are {}", self.names.join(", "))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn get(&self, name: &str) -> Option<&'a Datum> {
        self.entries.iter().find(|(entry, _)| entry.text == name).map(|(_, datum)| *datum)
    }

    fn need(&self, name: &'static str) -> Result<&'a Datum, Error> {
        self.get(name).ok_or_else(|| {
            error!(Code::Parameter, "the field {name} of {of} is missing", [name, of = self.of])
                .with_span(self.span)
                .with_help(self.list())
        })
    }

    fn wrong(&self, name: &str, wanted: &str, datum: &Datum) -> Error {
        let error =
            error!(Code::Parameter, "{name} of {of} is {wanted}, not {datum}", [name, of = self.of, wanted, datum])
                .with_span(datum.span);
        match &datum.kind {
            DatumKind::Word(name) => error.with_help(format!("a name gets a value on a line before: `{name} = …`")),
            _ => error,
        }
    }

    /// The first of some fields that this kind cannot have besides `other` is refused.
    pub(super) fn without(&self, names: &[&str], other: &str) -> Result<(), Error> {
        match self.entries.iter().find(|(name, _)| names.contains(&name.text.as_str())) {
            Some((name, _)) => Err(error!(
                Code::Parameter,
                "{of} has {other} or {text}, not both",
                [of = self.of, other, text = name.text]
            )
            .with_span(name.span)),
            None => Ok(()),
        }
    }

    pub(super) fn number(&self, name: &'static str) -> Result<i64, Error> {
        let datum = self.need(name)?;
        match datum.kind {
            DatumKind::Integer(value) => Ok(value),
            _ => Err(self.wrong(name, "an integer", datum)),
        }
    }

    pub(super) fn number_or(&self, name: &'static str, default: i64) -> Result<i64, Error> {
        if self.has(name) { self.number(name) } else { Ok(default) }
    }

    /// A bare word, where the field is there.
    pub(super) fn word(&self, name: &'static str) -> Result<Option<&'a str>, Error> {
        match self.get(name).map(|datum| (&datum.kind, datum)) {
            None => Ok(None),
            Some((DatumKind::Word(word), _)) => Ok(Some(word)),
            Some((_, datum)) => Err(self.wrong(name, "a word", datum)),
        }
    }

    /// The error for a field that is none of what it may be.
    pub(super) fn unlike(&self, name: &'static str, wanted: &str) -> Error {
        match self.get(name) {
            Some(datum) => self.wrong(name, wanted, datum),
            None => {
                error!(Code::Parameter, "{name} of {of} is {wanted}", [name, of = self.of, wanted]).with_span(self.span)
            }
        }
    }

    pub(super) fn truth(&self, name: &'static str) -> Result<bool, Error> {
        let datum = self.need(name)?;
        match datum.kind {
            DatumKind::Bool(value) => Ok(value),
            _ => Err(self.wrong(name, "true or false", datum)),
        }
    }

    pub(super) fn truth_or(&self, name: &'static str, default: bool) -> Result<bool, Error> {
        if self.has(name) { self.truth(name) } else { Ok(default) }
    }

    pub(super) fn attribute(&self, name: &'static str) -> Result<&'a Attribute, Error> {
        let datum = self.need(name)?;
        match &datum.kind {
            DatumKind::Attribute(attribute) => Ok(attribute),
            _ => Err(self.wrong(name, "an encoding", datum)),
        }
    }

    pub(super) fn sizes(&self, name: &'static str) -> Result<Sizes, Error> {
        self.list_of_numbers(name, self.need(name)?)
    }

    pub(super) fn sizes_or(&self, name: &'static str, default: impl FnOnce() -> Sizes) -> Result<Sizes, Error> {
        if self.has(name) { self.sizes(name) } else { Ok(default()) }
    }

    fn list_of_numbers(&self, name: &str, datum: &Datum) -> Result<Sizes, Error> {
        let DatumKind::Array(items) = &datum.kind else {
            return Err(self.wrong(name, "a list of integers such as [1, 4]", datum));
        };
        let number = |item: &Datum| match item.kind {
            DatumKind::Integer(value) => Ok(value),
            _ => Err(self.wrong(name, "a list of integers such as [1, 4]", item)),
        };
        items.iter().map(number).collect()
    }

    /// The rank of the tensor, from the field `rank`.
    pub(super) fn rank_or(&self, default: usize) -> Result<usize, Error> {
        const MAX_RANK: usize = 64;
        if !self.has("rank") {
            return Ok(default);
        }
        let rank = self.number("rank")?;
        usize::try_from(rank).ok().filter(|rank| *rank <= MAX_RANK).ok_or_else(|| {
            error!(Code::Parameter, "the rank of a tensor is 0 to {max_rank}, not {rank}", [max_rank = MAX_RANK, rank])
                .with_span(self.get("rank").map_or(self.span, |datum| datum.span))
        })
    }

    /// The number of values of the first basis of some field.
    pub(super) fn first_basis(&self, name: &str) -> Option<usize> {
        match &self.get(name)?.kind {
            DatumKind::Array(bases) => match &bases.first()?.kind {
                DatumKind::Array(values) => Some(values.len()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The rank of the tensor that some bases speak of.
    pub(super) fn rank_of_bases(&self, names: &[&str]) -> Result<usize, Error> {
        match names.iter().find_map(|name| self.first_basis(name)) {
            Some(rank) => self.rank_or(rank),
            None if self.has("rank") => self.rank_or(0),
            None => {
                names.iter().try_for_each(|name| {
                    self.get(name).map_or(Ok(()), |datum| match &datum.kind {
                        DatumKind::Array(bases) if bases.is_empty() => Ok(()),
                        _ => Err(self.wrong(name, "a list of bases such as [[0, 1], [0, 2]]", datum)),
                    })
                })?;
                Err(error!(
                    Code::Parameter,
                    "{of} has no basis, so nothing says the rank of the tensor",
                    [of = self.of]
                )
                .with_help("add `rank = 2`"))
            }
        }
    }

    /// A list of bases, each with a value for each dim.
    pub(super) fn bases(&self, name: &'static str, rank: usize) -> Result<Vec<Sizes>, Error> {
        let datum = self.need(name)?;
        let DatumKind::Array(bases) = &datum.kind else {
            return Err(self.wrong(name, "a list of bases such as [[0, 1], [0, 2]]", datum));
        };
        bases
            .iter()
            .map(|basis| {
                let values = self.list_of_numbers(name, basis)?;
                if values.len() == rank {
                    return Ok(values);
                }
                Err(error!(
                    Code::RankMismatch,
                    "the basis {basis} of {name} has {values} values, the rank is {rank}",
                    [basis, name, values = values.len(), rank]
                )
                .with_span(basis.span))
            })
            .collect()
    }

    /// As [`Fields::bases`]; none where the field is left out.
    pub(super) fn bases_or_none(&self, name: &'static str, rank: usize) -> Result<Vec<Sizes>, Error> {
        if self.has(name) { self.bases(name, rank) } else { Ok(Vec::new()) }
    }

    /// The intervals and paddings in square brackets before the fields.
    pub(super) fn intervals(&self) -> Result<Vec<(i64, i64)>, Error> {
        let wanted = "a list of intervals with paddings such as [512:+16]";
        let Some(datum) = self.rest.first() else {
            return Err(error!(Code::Parameter, "{of} begins with {wanted}", [of = self.of, wanted]));
        };
        let DatumKind::Array(items) = &datum.kind else {
            return Err(self.wrong("the beginning", wanted, datum));
        };
        let pair = |item: &Datum| match item.kind {
            DatumKind::Interval { interval, padding } => Ok((interval, padding)),
            _ => Err(self.wrong("the beginning", wanted, item)),
        };
        items.iter().map(pair).collect()
    }

    /// The blocks of the cluster: their bases, or the older three lists.
    pub(super) fn cga(&self, rank: usize, notes: &mut Vec<String>) -> Result<Cga, Error> {
        let [count, split, order] = FORMERLY;
        if !FORMERLY.iter().any(|name| self.has(name)) {
            return self.bases_or_none(CGA, rank).map(|bases| Cga { bases });
        }
        self.without(&[CGA], count)?;
        let single = Split::single(rank);
        let cga = Cga::from_split(&Split {
            ctas: self.sizes_or(count, || single.ctas)?,
            parts: self.sizes_or(split, || single.parts)?,
            order: self.sizes_or(order, || single.order)?,
        })
        .map_err(|error| error.with_span(self.get(count).or(self.get(split)).map_or(self.span, |datum| datum.span)))?;
        if !cga.bases.is_empty() {
            notes.push(format!("{count}, {split} and {order} are the older form of {CGA} = {:?}", cga.bases));
        }
        Ok(cga)
    }
}
