//! Errors and notes as text for people, in the manner of rustc: the code and the sentence, the expression with carets
//! under the part at fault, then a line each for what helps.
//!
//! ```text
//! error[carry]: …
//!  |
//!  | composition((4,4):(1,10), (3,2):(1,3))
//!  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//!  |
//!  = help: nearest that compose: …
//!  = witness: at i = 1 it is 1, …
//!  = chain: chain((4,4):(1,10), (3,2):(1,3))
//! ```

use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_NOTE_STYLE;
use annotate_snippets::{AnnotationKind, Element, Level, Message, Renderer, Snippet, normalize_untrusted_str};
use bitstride::notation::Span;
use bitstride::{Error, Witness};

/// A note, as a line.
pub(crate) fn note(note: &str, color: bool) -> String {
    let note = shortened(note);
    if color { format!("{DEFAULT_NOTE_STYLE}note{DEFAULT_NOTE_STYLE:#}: {note}") } else { format!("note: {note}") }
}

/// An error and the text its span points into.
pub(crate) fn error(text: &str, error: &Error, color: bool) -> String {
    let mut elements: Vec<Element<'_>> = Vec::new();
    if let Some(span) = error.span()
        && let Some((source, range)) = excerpt(text, span)
    {
        let annotation = AnnotationKind::Primary.span(range);
        let numbered = source.contains('\n');
        elements.push(Snippet::source(source).line_numbering(numbered).annotation(annotation).into());
    }
    let lines = [
        (Level::HELP, None, error.help().map(str::to_owned)),
        (Level::NOTE, Some("witness"), error.witness().map(witness)),
        (Level::NOTE, Some("chain"), error.chain().map(str::to_owned)),
    ];
    for (level, name, line) in lines {
        if let Some(line) = line {
            let level = name.map_or(level.clone(), |name| level.with_name(name));
            let message: Message<'_> = level.message(shortened(&line));
            elements.push(message.into());
        }
    }
    let title = Level::ERROR.primary_title(shortened(error.message())).id(error.code().as_str());
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[title.elements(elements)])
}

/// A witness in words: `at i = 1 it is 3, at i = 3 it is 10: …`.
fn witness(witness: &Witness) -> String {
    let mut words: Vec<String> = Vec::new();
    for (at, gives) in witness.at.iter().zip(&witness.gives) {
        words.push(format!("at i = {at} it is {gives}"));
    }
    format!("{}; {}", words.join(", "), witness.needs)
}

/// Longer expressions are shown in part, this many bytes before and after the place at fault.
const AROUND: usize = 200;

/// The part of a text to show and the range in it to point at; none when there is nothing to show.
fn excerpt(text: &str, span: Span) -> Option<(String, Range<usize>)> {
    text.get(span.start..span.end)?;
    if text.trim().is_empty() {
        return None;
    }
    let from = boundary(text, span.start.saturating_sub(AROUND));
    let to = boundary(text, span.start.saturating_add(2 * AROUND));
    let (before, after) = (if from > 0 { "..." } else { "" }, if to < text.len() { "..." } else { "" });
    let shown = text.get(from..to)?;
    let start = span.start - from + before.len();
    let end = span.end.min(to) - from + before.len();
    Some((format!("{before}{shown}{after}"), start..end))
}

/// The nearest place at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// The longest sentence that is printed whole; JSON has it in full.
const LONGEST: usize = 2000;

/// A sentence with no control characters and of bearable length.
fn shortened(sentence: &str) -> String {
    let kept = boundary(sentence, LONGEST);
    let text = normalize_untrusted_str(sentence.get(..kept).unwrap_or_default());
    if kept < sentence.len() { format!("{text}...") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitstride_lang::evaluate;

    fn refusal(text: &str) -> String {
        evaluate(text).map_or_else(|refused| error(text, &refused, false), |answer| answer.value.to_string())
    }

    #[test]
    fn carets_stand_under_the_part_at_fault() {
        let text = refusal("size(4, frob(2))");
        assert!(text.starts_with("error[unknown-name]: "), "{text}");
        assert!(text.contains("\n | size(4, frob(2))\n |         ^^^^\n"), "{text}");
    }

    #[test]
    fn a_long_text_is_shown_in_part() {
        let text = format!("({}$,{})", "1,".repeat(5000), "2,".repeat(5000));
        let shown = refusal(&text);
        assert!(shown.len() < 2000 && shown.contains("...,1") && shown.contains("^"), "{shown}");
    }

    #[test]
    fn a_span_outside_the_text_is_not_shown() {
        let odd = Error::new(bitstride::Code::Kind, "odd").with_span(Span::new(1, 9));
        assert_eq!(error("é", &odd, false), "error[kind]: odd");
        let split = Error::new(bitstride::Code::Kind, "odd").with_span(Span::new(1, 2));
        assert_eq!(error("é", &split, false), "error[kind]: odd");
    }
}
