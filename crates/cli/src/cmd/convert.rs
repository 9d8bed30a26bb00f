//! `bitstride convert`: the operation `convert` on an expression.

use std::io;

use crate::args::Convert;
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Convert, session: &mut Session) -> io::Result<u8> {
    let element = args.element.as_ref().map_or(String::new(), |element| format!(", {element}"));
    match text_of(&args.layout) {
        Ok(layout) => session.evaluate(&format!("convert({layout}, {}{element})", args.to)),
        Err(error) => session.refuse("", &error),
    }
}
