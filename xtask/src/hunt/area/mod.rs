//! The areas, one a file: what is drawn, and which law judges the answer.

mod accesses;
mod atoms;
mod boxes;
mod checkpoints;
mod composition;
mod convert;
mod descriptors;
mod diff;
mod divides;
mod encodings;
mod fit;
mod formats;
mod hostile;
mod inverses;
mod linear;
mod plan;
mod products;
mod relayout;
mod same;
mod sharding;
mod spellings;
mod swizzle;
mod text;
mod tiled;

use bitstride::Error;
use bitstride_lang::{Value, evaluate};

use super::Area;

/// All areas, in the order in which they are tried.
pub(super) static ALL: [Area; 24] = [
    Area::new("composition", composition::draw),
    Area::new("divides", divides::draw),
    Area::new("products", products::draw),
    Area::new("inverses", inverses::draw),
    Area::new("linear", linear::draw),
    Area::new("encodings", encodings::draw),
    Area::new("tiled", tiled::draw),
    Area::new("convert", convert::draw),
    Area::new("same", same::draw),
    Area::new("diff", diff::draw),
    Area::new("fit", fit::draw),
    Area::new("relayout", relayout::draw),
    Area::new("accesses", accesses::draw),
    Area::new("swizzle", swizzle::draw),
    Area::new("plan", plan::draw),
    Area::new("atoms", atoms::draw),
    Area::new("descriptors", descriptors::draw),
    Area::new("boxes", boxes::draw),
    Area::new("formats", formats::draw),
    Area::new("sharding", sharding::draw),
    Area::new("text", text::draw),
    Area::new("spellings", spellings::draw),
    Area::new("hostile", hostile::draw),
    Area::new("checkpoints", checkpoints::draw),
];

/// What the calculator says to an expression.
fn said(text: &str) -> Result<Value, Error> {
    evaluate(text).map(|answer| answer.value)
}

/// A value of the oracle from a text; none is a case that it cannot judge.
fn parsed<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}
