//! `bitstride same`: the operation `same` on two expressions.

use std::io;

use crate::args::Same;
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Same, session: &mut Session) -> io::Result<u8> {
    match (text_of(&args.left), text_of(&args.right)) {
        (Ok(left), Ok(right)) => session.evaluate(&format!("same({left}, {right})")),
        (Err(error), _) | (_, Err(error)) => session.refuse("", &error),
    }
}
