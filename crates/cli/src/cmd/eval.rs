//! `bitstride eval`: the value of each expression.

use std::io;

use crate::args::Eval;
use crate::session::{self, Session};

pub(crate) fn run(args: &Eval, session: &mut Session) -> io::Result<u8> {
    let mut code = 0;
    for expression in &args.expressions {
        let told = match session::text_of(expression) {
            Ok(text) => session.evaluate(text)?,
            Err(error) => session.refuse("", &error)?,
        };
        code = code.max(told);
    }
    Ok(code)
}
