//! A layout that a tensor is moved from or to, as it is typed.

use bitstride::calc::Answer;
use bitstride::map::Map;
use bitstride::xla::Array;
use bitstride::{Code, Error};

use crate::tensors::Dtype;

/// A layout of the command line.
pub(super) struct Side {
    pub(super) text: String,
    pub(super) map: Map,
    /// The array of XLA that it is, which has a type.
    array: Option<Array>,
}

impl Side {
    /// The layout that a text has come to.
    pub(super) fn of(text: &str, answer: &Answer) -> Result<Self, Error> {
        let array = answer.value.as_array().ok();
        Ok(Side { text: text.to_owned(), map: answer.value.as_map()?, array })
    }

    /// Its type, in the bits that it is stored in.
    pub(super) fn dtype(&self) -> Option<Dtype> {
        let array = self.array.as_ref()?;
        Some(Dtype::of_stored(array.element, u32::try_from(array.element_bits()).ok()?))
    }

    /// Refuses a layout that says another size of its elements than `who` says; `help` says what could be done.
    pub(super) fn agrees(&self, element: &Dtype, who: &str, help: &str) -> Result<(), Error> {
        let own = self.array.as_ref().map(Array::element_bits).filter(|bits| *bits != i64::from(element.bits));
        let Some(bits) = own else { return Ok(()) };
        let message =
            format!("{} has elements of {bits} bits, {who} of {} ({})", self.text, element.bits, element.name);
        let help = if element.bits < 8 { "E(4) in its layout packs elements of 4 bits" } else { help };
        Err(Error::new(Code::Kind, message).with_help(help.to_owned()))
    }
}
