//! Requests of linear layouts.

use bitstride::linear::Name;
use bitstride_lang::{Answer, Outermost, Spelling};

use super::{Asked, Drawing, Request, Wrong, counted, element_bits, wrong};
use crate::scene::{Banks, LinearSubject, LinearView};

pub(super) fn read(request: &Request, given: Vec<(String, Answer)>, spelling: Spelling) -> Result<Drawing, Wrong> {
    use Asked::{Codomain, Memory, ThreadValue, TwoLine};
    if matches!(request.asked, Memory | Codomain | TwoLine | ThreadValue(_)) || request.mark.is_some() {
        return wrong("linear layouts are shown with --view tensor, hardware or bits, or --banks");
    }
    if request.slice.is_some() {
        return wrong("--slice shows a part of an array of XLA");
    }
    if !request.at.is_empty() && request.asked != Asked::Banks {
        return wrong("--at marks elements of CuTe layouts, and names those that --banks counts");
    }
    let by = match request.by.as_slice() {
        [] => None,
        [word] => Some(Name::new(word).map_err(|error| (word.clone(), error))?),
        _ => return wrong("linear layouts are coloured by one dim"),
    };
    let at = counted(request, spelling)?;
    let mut answers = Vec::new();
    for (text, answer) in given {
        let layout = answer.value.as_linear().map_err(|error| (text.clone(), error))?;
        let view = match request.asked {
            Asked::Banks => {
                let bits = request.element_bits.or_else(|| element_bits(&text)).unwrap_or(32);
                let usual = Banks::column(bits, layout.outs().len());
                LinearView::Banks(match at.clone() {
                    Some(along) => Banks { along, ..usual },
                    None => usual,
                })
            }
            Asked::Hardware => LinearView::Hardware,
            Asked::Bits => LinearView::Bits,
            _ => LinearView::Tensor,
        };
        let mut subject = LinearSubject::new(&text, &layout);
        if let Some(call) = Outermost::of(&text, spelling.reading()) {
            subject = subject.made_by(&call);
        }
        answers.push((answer, subject, view));
    }
    Ok(Drawing::Linear { answers, by })
}
