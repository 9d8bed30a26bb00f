//! Requests of layouts of CuTe, maps, comparisons and words.

use bitstride::{Code, Error};
use bitstride_lang::{Answer, Outermost, Spelling, Value};

use super::{Asked, Drawing, Request, Wrong, evaluated, wrong};
use crate::scene::{By, Look, Shown, View};

pub(super) fn read(request: &Request, given: Vec<(String, Answer)>, spelling: Spelling) -> Result<Drawing, Wrong> {
    let within = |text: String| move |error: Error| (text, error);
    if matches!(request.asked, Asked::Tensor | Asked::Hardware | Asked::Bits) {
        let error = Error::new(Code::Kind, "--view shows linear layouts");
        return Err((String::new(), error.with_help("such as a tensor type with an encoding")));
    }
    if request.slice.is_some() {
        return wrong("--slice shows a part of an array of XLA");
    }
    let mut answers = Vec::new();
    for (text, answer) in given {
        let call = Outermost::of(&text, spelling.reading());
        let shown = Shown::new(&text, &answer.value, call.as_ref()).map_err(within(text.clone()))?;
        let layout = answer.value.as_layout().map(Value::Layout);
        let shown = match (&answer.value, shown) {
            // A map is shown as what it comes to.
            (value, Shown::Layout(subject)) if !matches!(value, Value::Map(_)) => {
                let written = spelling.text(layout.as_ref().unwrap_or(value));
                Shown::Layout(Box::new(subject.written(written)))
            }
            (_, shown) => shown,
        };
        answers.push((answer, shown));
    }
    let mut look = Look::default();
    for argument in &request.by {
        let by = match By::word(argument) {
            Some(by) => by,
            None => {
                let (text, answer) = evaluated(argument, spelling)?;
                By::value(&answer.value).map_err(within(text))?
            }
        };
        look = look.colouring(by);
    }
    if let Some(argument) = &request.mark {
        look = look.marking(evaluated(argument, spelling)?.1.value);
    }
    for argument in &request.at {
        look = look.pointing(evaluated(argument, spelling)?.1.value);
    }
    let view = match &request.asked {
        Asked::ThreadValue(argument) => {
            let (text, answer) = evaluated(argument, spelling)?;
            View::ThreadValue(answer.value.as_shape().map_err(within(text))?)
        }
        Asked::Memory => View::Memory,
        Asked::Codomain => View::Codomain,
        Asked::TwoLine => View::TwoLine,
        _ => View::Grid,
    };
    Ok(Drawing::Layouts { answers, view, look })
}
