//! `bitstride explain`: the rules behind an answer.
//!
//! As JSON it is `{"table": {…}, "assumptions"?: […], "steps": [{"of", "rule", "expression", "kind", "value", "data"?}, …]}` and
//! the members of the answer, or of the error. A step has its value as an answer has: text and structure; `of` is the call that it
//! explains. The `ir` spelling has no dynamic values to write expressions with, so expressions
//! are plain then. How a tensor would be moved is explained in the same form (`explain_relayout.rs`).

use std::io;

use bitstride::notation::parse;
use bitstride::{Class, Error};
use bitstride_json as json;
use bitstride_lang::explain::{Explanation, explain_with};

use super::explain_relayout;
use crate::args::Explain;
use crate::session::{self, Session, exit_code};

pub(crate) fn run(args: &Explain, session: &mut Session) -> io::Result<u8> {
    let mut code = 0;
    for (at, expression) in args.expressions.iter().enumerate() {
        if at > 0 && !session.json {
            session.line("")?;
        }
        let exit = match session::text_of(expression) {
            Ok(text) => match session.with_names(text) {
                Ok(text) => explain(&text, session)?,
                Err(error) => session.refuse(text, &error)?,
            },
            Err(error) => session.refuse("", &error)?,
        };
        code = code.max(exit);
    }
    Ok(code)
}

/// Prints one explanation. A text that cannot be read is reported as by every verb, with carets.
fn explain(text: &str, session: &mut Session) -> io::Result<u8> {
    let ints = session.ints.reading();
    let tree = parse(text, ints);
    let relayout = tree.as_ref().ok().and_then(|tree| Some((tree, explain_relayout::arguments(tree)?)));
    let explained = match relayout {
        Some((tree, arguments)) => explain_relayout::explain(tree, arguments, ints),
        None => explain_with(text, ints),
    };
    let explanation = match explained {
        Ok(explanation) => explanation,
        Err(error) => return session.refuse(text, &error),
    };
    if let Some(error) = unreadable(&explanation) {
        return session.refuse(text, error);
    }
    if session.json {
        session.object(json::explanation(&explanation, session.ints.spelling()))?;
    } else {
        session.line(&explanation.to_string())?;
    }
    Ok(match &explanation.outcome {
        Ok(answer) => u8::from(answer.value.is_false()),
        Err(error) => exit_code(error),
    })
}

/// An error of the text rather than a refusal: there is nothing to explain.
fn unreadable(explanation: &Explanation) -> Option<&Error> {
    let error = explanation.outcome.as_ref().err()?;
    (error.code().class() == Class::Unreadable).then_some(error)
}
