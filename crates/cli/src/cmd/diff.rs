//! `bitstride diff`: the operation `diff` on two expressions.

use std::io;

use crate::args::Diff;
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Diff, session: &mut Session) -> io::Result<u8> {
    match (text_of(&args.left), text_of(&args.right)) {
        (Ok(left), Ok(right)) => session.evaluate(&format!("diff({left}, {right})")),
        (Err(error), _) | (_, Err(error)) => session.refuse("", &error),
    }
}
