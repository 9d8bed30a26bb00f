//! `bitstride eval`: the value of each expression.

use std::io;

use bitstride::Code;
use bitstride_lang::evaluate_in;

use crate::args::Eval;
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Eval, session: &mut Session) -> io::Result<u8> {
    let mut code = 0;
    let mut unread = false;
    for expression in &args.expressions {
        let text = text_of(expression);
        let answer = text.clone().and_then(|text| evaluate_in(text, session.ints.reading(), &session.names));
        code = code.max(match answer {
            Ok(answer) => session.answer(&answer)?,
            Err(error) => {
                unread |= matches!(error.code(), Code::Syntax(_));
                session.refuse(text.unwrap_or_default(), &error)?
            }
        });
    }
    // `bitstride 4:1 o 2` without quotes is three expressions.
    if unread && args.expressions.len() > 1 && !session.json {
        session.note("each argument is an expression of its own; put quotes around one that has spaces")?;
    }
    Ok(code)
}
