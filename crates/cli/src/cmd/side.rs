//! A layout that a tensor is moved from or to, as it is typed.

use bitstride::map::{Axis, Map};
use bitstride::notation::{Expr, ExprKind};
use bitstride::xla::{Array, BareLayout, Shape};
use bitstride::{Code, Error, error};
use bitstride_lang::{Answer, evaluate_tree};

use super::element::Source;
use crate::tensors::Dtype;

/// What helps where both layouts say a size.
pub(super) const ONE_SIZE: &str = "both layouts are of one tensor, whose elements have one type and size";

/// A layout of the command line.
pub(super) struct Side {
    pub(super) text: String,
    pub(super) map: Map,
    /// What was said about it when it was read.
    pub(super) notes: Vec<String>,
    /// The type that it says its elements have, in the bits that they are stored in.
    pub(super) dtype: Option<Dtype>,
    /// Whether it is an array of XLA, whose places without an element are its padding.
    pub(super) pads: bool,
    /// Whether an integer that it says has no sign.
    signless: bool,
}

impl Side {
    /// The layout that an expression comes to.
    pub(super) fn of(tree: &Expr, text: &str) -> Result<Self, Error> {
        let Answer { value, notes, .. } = evaluate_tree(tree)?;
        let array = value.as_array().ok();
        is_whole(tree)?;
        let dtype = match (&array, &tree.kind) {
            (Some(array), _) => Some(Dtype::of_stored(array.element, bits(array)?)),
            (None, ExprKind::Shaped(shaped)) => triton(&shaped.element),
            _ => None,
        };
        let signless = matches!(tree.kind, ExprKind::Shaped(_));
        Ok(Side { text: text.to_owned(), map: value.as_map()?, notes, dtype, pads: array.is_some(), signless })
    }

    /// Refuses a layout that says another size of its elements than a source does, or another type.
    pub(super) fn agrees(&self, element: &Dtype, source: &Source) -> Result<(), Error> {
        let Some(own) = &self.dtype else { return Ok(()) };
        let Source { who, words, help, .. } = source;
        let text = &self.text;
        if own.bits == element.bits {
            // Triton's integers have no sign.
            let unsigned = |name: &str| name.replacen('s', "u", 1);
            let same = own.name == element.name || self.signless && unsigned(&own.name) == unsigned(&element.name);
            if same || !source.is_type {
                return Ok(());
            }
            return Err(error!(
                Code::Kind,
                "{text} has elements of {name}, {who} of {element_name}{words}",
                [text, name = own.name, who, element_name = element.name, words]
            )
            .with_help(help.to_owned()));
        }
        let message =
            format!("{text} has elements of {} bits, {who} of {} ({}){words}", own.bits, element.bits, element.name);
        let packs = element.bits < 8 && self.pads;
        let help = if packs { "E(4) in its layout packs elements of 4 bits" } else { help };
        Err(Error::new(Code::Kind, message).with_help(help.to_owned()))
    }

    /// What is said of layouts that have not as many dims, in the words of `same`.
    pub(super) fn flattened(&self, other: &Side) -> Option<String> {
        let [mine, theirs] = [self, other].map(|side| side.map.index_axes());
        let texts = |axes: &[Axis]| axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        (mine.len() != theirs.len()).then(|| {
            let order = self.map.order();
            format!("({}) and ({}) are aligned by the number of each element, {order}", texts(mine), texts(theirs))
        })
    }
}

fn bits(array: &Array) -> Result<u32, Error> {
    u32::try_from(array.element_bits()).map_err(|_| Error::overflow("the size of an element"))
}

/// Refuses fields of arrays, wherever in an expression, that say of the memory what places do not.
fn is_whole(tree: &Expr) -> Result<(), Error> {
    let layout = match &tree.kind {
        ExprKind::Xla(text) => match &text.shape {
            Shape::Array(array) | Shape::Buffer(array) => &array.layout,
            _ => return Ok(()),
        },
        ExprKind::BareLayout(bare) => match bare.as_ref() {
            BareLayout::Xla(layout) => layout,
            _ => return Ok(()),
        },
        ExprKind::Method { receiver, .. } => return is_whole(receiver),
        ExprKind::Call { arguments: parts, .. }
        | ExprKind::Compose(parts)
        | ExprKind::Tuple(parts)
        | ExprKind::Sum(parts)
        | ExprKind::Product(parts) => return parts.iter().try_for_each(is_whole),
        _ => return Ok(()),
    };
    let refused = |message: String, help: &str| {
        Err(Error::new(Code::Kind, message).with_help(help.to_owned()).with_span(tree.span))
    };
    if layout.metadata_prefix != 0 {
        let bytes = layout.metadata_prefix;
        return refused(
            format!("{tree} has M({bytes}), {bytes} bytes of metadata before its data, which hold no elements"),
            "leave M out, and cut these bytes off the file or write them yourself",
        );
    }
    if let Some(split) = layout.splits.first() {
        return refused(
            format!("{tree} has SC, which cuts dim {} into several memories; a file is one", split.dim),
            "leave SC out, or move each part by its own layout",
        );
    }
    Ok(())
}

/// The type of elements that Triton writes in a shape; none for a pointer, which no file holds.
fn triton(element: &str) -> Option<Dtype> {
    // A truth value has a byte in Triton's memory.
    if element == "i1" { Dtype::read("pred").ok() } else { Dtype::read(element).ok() }
}
