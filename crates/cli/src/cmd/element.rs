//! What the layouts of a relayout count: IN, `--element` and the layouts may each say it.
//!
//! A relayout moves bits and converts none. Law: all that say a type say the same one, unless `--reinterpret` says that the
//! bits are to be taken for another; all that say a size of what the layouts count say the same size.

use bitstride::{Code, Error};

use super::side::{ONE_SIZE, Side};
use crate::args::Relayout;
use crate::tensors::{Dtype, Tensor};

/// What a refusal says besides the types.
const NO_CONVERSION: &str = "; relayout does not convert types";

/// Who says a type or a size, for a refusal.
pub(super) struct Source<'a> {
    pub(super) who: &'a str,
    /// Whether it is a type, and not a size alone.
    pub(super) is_type: bool,
    /// What follows the types.
    pub(super) words: &'a str,
    pub(super) help: &'a str,
}

/// What the layouts count: as asked, else as the file says, else as a layout does; with --reinterpret a layout before the file.
///
/// A type of the size of IN's is what OUT's header says.
pub(super) fn element(
    args: &Relayout,
    tensor: &Tensor,
    sides: [&Side; 2],
    notes: &mut Vec<String>,
) -> Result<Dtype, Error> {
    let (asked, own) = (args.element.as_deref(), tensor.dtype.as_ref());
    let [from, to] = sides;
    let by_layout = |side: &'_ Side| Some((side.text.clone(), side.dtype.clone()?));
    // Bits that are taken for another type are of the type that OUT is to have.
    let typed = if args.reinterpret { by_layout(to).or(by_layout(from)) } else { by_layout(from).or(by_layout(to)) };
    let (who, element) = match (asked, own, typed) {
        (Some(asked), own, _) => ("--element".to_owned(), named(asked, own)?),
        (None, Some(own), Some((who, typed))) if args.reinterpret && typed.name != own.name => (who, typed),
        (None, Some(own), _) => ("IN".to_owned(), own.clone()),
        (None, None, Some(typed)) => typed,
        (None, None, None) => {
            let message = "nothing says how large an element of a plain file is";
            return Err(Error::new(Code::Syntax("needs-element"), message)
                .with_help("--element 16, or a type such as --element bf16"));
        }
    };
    let is_type = !args.reinterpret && asked.is_none_or(|asked| asked.parse::<u32>().is_err());
    let reinterpret = "--reinterpret takes IN's bits for what --element or the layouts say";
    let help = match (asked, own) {
        (_, Some(_)) => reinterpret,
        (Some(_), None) => "leave --element out, or say what IN has",
        (None, None) => ONE_SIZE,
    };
    let words = if own.is_some() { NO_CONVERSION } else { "" };
    // What a file does not say is no other type.
    let is_void = who == "IN" && own.is_some_and(Dtype::is_void);
    let source = Source { who: &who, is_type: is_type && !is_void, words, help };
    sides.into_iter().try_for_each(|side| side.agrees(&element, &source))?;
    if let Some(own) = own.filter(|own| own.name != element.name || own.bits != element.bits) {
        if !args.reinterpret && (own.bits != element.bits || !own.is_void()) {
            let types = [own, &element].map(|dtype| format!("{} bits ({})", dtype.bits, dtype.name));
            let message = format!("IN has elements of {}, {who} of {}{NO_CONVERSION}", types[0], types[1]);
            return Err(Error::new(Code::Kind, message).with_help(reinterpret));
        }
        if own.bits == element.bits && !own.is_void() {
            notes.push(format!("IN says that its elements are {}; {} is taken, as {who} says", own.name, element.name));
        }
    }
    if let Some(own) = &from.dtype {
        let source = Source { who: &from.text, is_type: !args.reinterpret, words: NO_CONVERSION, help: ONE_SIZE };
        to.agrees(own, &source)?;
    }
    Ok(element)
}

/// The type that --element names for data of a type.
fn named(asked: &str, own: Option<&Dtype>) -> Result<Dtype, Error> {
    let element = Dtype::read(asked)?;
    let Some(own) = own.filter(|own| own.bits == element.bits) else { return Ok(element) };
    // Bits alone say nothing that IN does not say.
    let says_no_more = asked.parse::<u32>().is_ok() || own.name == element.name;
    Ok(if says_no_more { own.clone() } else { Dtype { big_endian: own.big_endian, ..element } })
}
