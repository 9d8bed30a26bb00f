//! An explanation as JSON: the rules that fired, with the answer or the refusal. A step has its value as an answer has, and the
//! call that it explains.

use bitstride_lang::explain::Explanation;
use bitstride_lang::{Answer, Spelling};
use serde_json::{Map, Value as Json, json};

/// The object of an explanation. Expressions are plain in a spelling that is not read.
pub fn explanation(explanation: &Explanation, spelling: Spelling) -> Map<String, Json> {
    let mut object = Map::new();
    let table: Map<String, Json> =
        explanation.table.iter().map(|row| (row.name.to_owned(), row.value.clone().into())).collect();
    object.insert("table".into(), Json::Object(table));
    if !explanation.assumptions.is_empty() {
        object.insert("assumptions".into(), json!(explanation.assumptions));
    }
    let steps: Vec<Json> = explanation
        .sections
        .iter()
        .flat_map(|section| section.steps.iter().map(move |step| (section, step)))
        .map(|(section, step)| {
            let mut event = Map::new();
            event.insert("of".into(), section.title_in(spelling.reading()).into());
            event.insert("rule".into(), step.rule.clone().into());
            event.insert("expression".into(), step.expression_in(spelling.reading()).into());
            event.extend(crate::answer(&Answer::from(step.value.clone()), spelling));
            event.into()
        })
        .collect();
    object.insert("steps".into(), steps.into());
    object.extend(match &explanation.outcome {
        Ok(answer) => crate::answer(answer, spelling),
        Err(error) => crate::refusal(error),
    });
    object
}
