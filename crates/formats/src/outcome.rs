//! [`Outcome`]: a check of two formats as it is reported, in lines and as JSON.
//!
//! Law: lines and JSON say the same, and a repack that is named as the cure is one that [`Repack::new`] makes.

use bitstride::{Class, Code, Error, error};
use serde_json::{Map, Value as Json, json};

use crate::check::{self, Elsewhere, Finding, Report, Verdict};
use crate::format::Format;
use crate::repack::Repack;

/// What a check of two formats finds.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The format that was written.
    pub producer: Format,
    /// The format that is read.
    pub consumer: Format,
    /// What is found of each field.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// The check of all fields, or of some.
    ///
    /// # Errors
    /// [`Code::UnknownName`] for a field that neither format has.
    ///
    /// ```
    /// use bitstride_formats::{Outcome, Zoo};
    /// let zoo = Zoo::builtin();
    /// let outcome = Outcome::new(zoo.format("gptq:v1,k=64,n=32")?, zoo.format("gptq:v2,k=64,n=32")?, &["zeros"])?;
    /// assert_eq!(outcome.lines()[0], "zeros: same places, codes mapped by +1");
    /// assert_eq!(outcome.holds(), Some(false));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(producer: Format, consumer: Format, fields: &[&str]) -> Result<Self, Error> {
        let mut findings = check::formats(&producer, &consumer);
        if let Some(name) = fields.iter().find(|name| !findings.iter().any(|finding| finding.field == **name)) {
            let known: Vec<&str> = findings.iter().map(|finding| finding.field.as_str()).collect();
            return Err(error!(Code::UnknownName, "neither format has a field {name}", [name])
                .with_help(format!("there are {}", known.join(", "))));
        }
        findings.retain(|finding| fields.is_empty() || fields.contains(&finding.field.as_str()));
        Ok(Outcome { producer, consumer, findings })
    }

    /// Whether every field is read as it was stored; none where that is undecided.
    pub fn holds(&self) -> Option<bool> {
        let is_undecided =
            |finding: &Finding| finding.report.as_ref().is_err_and(|why| why.code().class() == Class::Undecided);
        if self.findings.iter().any(|finding| !finding.holds() && !is_undecided(finding)) {
            return Some(false);
        }
        if self.findings.iter().any(is_undecided) { None } else { Some(true) }
    }

    /// The answer in a sentence.
    pub fn answer(&self) -> &'static str {
        match self.holds() {
            Some(true) => "every field is read as it was stored",
            Some(false) => "not every field is read as it was stored",
            None => "undecided",
        }
    }

    /// The command that cures it, or what it leaves undone, or why none does; none where nothing is wrong or nothing is known.
    pub fn cure(&self) -> Option<String> {
        if self.holds() != Some(false) {
            return None;
        }
        let (from, to) = (&self.producer, &self.consumer);
        let command = format!("bitstride repack IN OUT --from {} --to {}", from.name, to.name);
        let whole = Repack::new(from, to, None);
        let Err(why) = whole else { return Some(format!("{command} cures it")) };
        // Fields that only one of them has are lost, or made by nothing; the others may be moved all the same. What a format
        // derives is not.
        let names = |format: &Format| -> Vec<String> {
            let made = format.fields.iter().filter(|own| !own.is_derived()).map(|own| &own.name);
            made.chain(format.open.iter().map(|own| &own.0)).cloned().collect()
        };
        let (own, other) = (names(from), names(to));
        let missing = |from: &[String], of: &[String]| from.iter().filter(|name| !of.contains(name)).cloned().collect();
        let (lost, unmade): (Vec<String>, Vec<String>) = (missing(&own, &other), missing(&other, &own));
        let both = |finding: &&Finding| finding.tensors.iter().all(Option::is_some);
        let shared: Vec<&str> = self.findings.iter().filter(both).map(|finding| finding.field.as_str()).collect();
        if shared.is_empty() {
            return None;
        }
        if lost.is_empty() && unmade.is_empty() {
            return Some(format!("no repack cures it: {}", why.message()));
        }
        if let Err(error) = Repack::new(from, to, Some(&shared)) {
            return Some(format!("no repack cures it: {}", error.message()));
        }
        let fields: String = shared.iter().map(|field| format!(" --field {field}")).collect();
        let mut rest = Vec::new();
        if !lost.is_empty() {
            rest.push(format!("{} would be lost", lost.join(", ")));
        }
        if !unmade.is_empty() {
            rest.push(format!("nothing makes {}", unmade.join(", ")));
        }
        Some(format!("{command}{fields} moves {}; {}", shared.join(", "), rest.join(", and ")))
    }

    /// What would decide the first field without an answer.
    pub fn help(&self) -> Option<&str> {
        let undecided = self.findings.iter().filter_map(|finding| finding.report.as_ref().err());
        undecided.filter(|error| error.code() == Code::MissingFact).find_map(Error::help)
    }

    /// The findings as lines.
    pub fn lines(&self) -> Vec<String> {
        let names = [self.producer.name.as_str(), self.consumer.name.as_str()];
        self.findings.iter().flat_map(|finding| lines(finding, names)).collect()
    }

    /// The same as JSON: `{"kind": "check", "value", "producer", "consumer", "fields", "repack"}`.
    pub fn json(&self) -> Map<String, Json> {
        let fields: Vec<Json> = self.findings.iter().map(object).collect();
        Map::from_iter([
            ("kind".to_owned(), json!("check")),
            ("value".to_owned(), json!(self.answer())),
            ("producer".to_owned(), json!(self.producer.name)),
            ("consumer".to_owned(), json!(self.consumer.name)),
            ("fields".to_owned(), json!(fields)),
            ("repack".to_owned(), json!(self.cure())),
        ])
    }
}
fn lines(finding: &Finding, names: [&str; 2]) -> Vec<String> {
    let Finding { field, tensors, report } = finding;
    let report = match (report, tensors) {
        (Ok(report), _) => report,
        (Err(error), [None, Some(_)]) if error.code() == Code::UnknownName => {
            return vec![format!("{field}: only {} has it", names[1])];
        }
        (Err(error), [Some(_), None]) if error.code() == Code::UnknownName => {
            return vec![format!("{field}: only {} has it", names[0])];
        }
        (Err(error), _) => return vec![format!("{field}: {}", error.message())],
    };
    let mut lines = vec![match &report.verdict {
        Verdict::Different => {
            let differing = report.differing.map_or_else(|| "some".to_owned(), |differing| differing.to_string());
            format!("{field}: different, {differing} of {} elements lie elsewhere", report.elements)
        }
        verdict => format!("{field}: {verdict}"),
    }];
    lines.extend(report.first.as_ref().map(|first| format!("  {first}")));
    if !report.same_kind {
        lines.push("  the values are of other kinds, whatever their places".to_owned());
    }
    if !finding.holds() {
        lines.push(match (finding.passes_shape_checks(), tensors) {
            (true, [Some(both), _]) => format!("  both are {both}: no check of types and extents sees it"),
            (_, [Some(one), Some(other)]) => {
                format!("  {one} and {other} differ, as a check of types and extents sees")
            }
            _ => String::new(),
        });
    }
    lines
}

fn object(finding: &Finding) -> Json {
    let mut object = Map::new();
    object.insert("field".to_owned(), json!(finding.field));
    object.insert("tensors".to_owned(), json!(finding.tensors));
    object.insert("passes_shape_checks".to_owned(), json!(finding.passes_shape_checks()));
    match &finding.report {
        Ok(Report { verdict, elements, differing, first, first_column_major, same_kind }) => {
            let name = match verdict {
                Verdict::Same => "same",
                Verdict::SamePlaces(_) => "same places",
                Verdict::Different => "different",
            };
            let element = |found: &Option<Elsewhere>| {
                found.as_ref().map(|found| {
                    let [producer, consumer] = &found.places;
                    json!({"element": found.element, "producer_bits": producer, "consumer_bits": consumer})
                })
            };
            object.insert("verdict".to_owned(), json!(name));
            if let Verdict::SamePlaces(steps) = verdict {
                let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
                object.insert("mapped".to_owned(), json!(steps));
            }
            object.insert("elements".to_owned(), json!(elements));
            object.insert("differing".to_owned(), json!(differing));
            object.insert("first".to_owned(), json!(element(first)));
            object.insert("first_column_major".to_owned(), json!(element(first_column_major)));
            object.insert("same_kind".to_owned(), json!(same_kind));
        }
        Err(error) => {
            object.insert("error".to_owned(), json!({"code": error.code().as_str(), "message": error.message()}));
        }
    }
    Json::Object(object)
}
