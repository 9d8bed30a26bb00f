//! Operations on layouts of plain integers, without general leaves between.
//!
//! Law: what answers here answers as the table of operations does, and without notes. Where a note is due, or nothing is
//! answered, `None` sends the caller to the table, which also has the words of a refusal.

use bitstride::cute::{self, Tiler, crd2idx};
use bitstride::{StaticLayout, Tuple};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};

use crate::layout::Layout;
use crate::operand;

/// The operations by tiler.
#[derive(Clone, Copy)]
pub(crate) enum Divide {
    Logical,
    Zipped,
    Tiled,
    Flat,
    LogicalProduct,
    ZippedProduct,
}

pub(crate) fn composition(a: &StaticLayout, b: &StaticLayout) -> Option<StaticLayout> {
    // Beyond the size of A there is a note.
    (cute::cosize(b).ok()? <= a.size().ok()?).then(|| cute::composition(a, b).ok())?
}

pub(crate) fn complement(layout: &StaticLayout, target: &Bound<'_, PyAny>) -> Option<StaticLayout> {
    if target.is_exact_instance_of::<PyInt>() {
        return cute::complement_up_to(layout, &[target.extract().ok()?]).ok();
    }
    cute::complement(layout, &operand::integers(target)?).ok()
}

pub(crate) fn right_inverse(layout: &StaticLayout) -> Option<StaticLayout> {
    let inverse = cute::right_inverse(layout).ok()?;
    // An inverse of a part has a note.
    (inverse.size().ok()? >= cute::cosize(layout).ok()?).then_some(inverse)
}

pub(crate) fn left_inverse(layout: &StaticLayout) -> Option<StaticLayout> {
    // Where places are reached several times there is a note.
    if cute::is_injective(layout) != Ok(true) {
        return None;
    }
    cute::left_inverse(layout).ok()
}

pub(crate) fn by_tiler(divide: Divide, layout: &StaticLayout, object: &Bound<'_, PyAny>) -> Option<StaticLayout> {
    // Tiles that cover more than the layout have a note.
    let is_covered = |answer: &StaticLayout| Some(answer.size().ok()? == layout.size().ok()?);
    if let (Divide::Logical | Divide::Zipped, Some(tile)) = (divide, Layout::plain(object)) {
        let answer = cute::logical_divide_by(layout, tile).ok()?;
        return is_covered(&answer)?.then_some(answer);
    }
    let tiler = tiler(object)?;
    let answer = match divide {
        Divide::Logical => cute::logical_divide(layout, &tiler),
        Divide::Zipped => cute::zipped_divide(layout, &tiler),
        Divide::Tiled => cute::tiled_divide(layout, &tiler),
        Divide::Flat => cute::flat_divide(layout, &tiler),
        Divide::LogicalProduct => cute::logical_product(layout, &tiler),
        Divide::ZippedProduct => cute::zipped_product(layout, &tiler),
    }
    .ok()?;
    let is_whole = match (divide, &tiler) {
        // Copies along one injective layout do not meet; others may, which has a note.
        (Divide::LogicalProduct | Divide::ZippedProduct, Tiler::Layout(copies)) => {
            cute::is_injective(copies) == Ok(true)
        }
        (Divide::LogicalProduct | Divide::ZippedProduct, tiler) => matches!(tiler, Tiler::Extent(_)),
        _ => is_covered(&answer)?,
    };
    is_whole.then_some(answer)
}

fn tiler(object: &Bound<'_, PyAny>) -> Option<Tiler<i64, i64>> {
    if let Some(layout) = Layout::plain(object) {
        return Some(Tiler::Layout(layout.clone()));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return object.extract().ok().map(Tiler::Extent);
    }
    if object.is_none() {
        return Some(Tiler::Keep);
    }
    let modes = object.cast_exact::<PyTuple>().ok()?;
    // Tuples in tuples are rare, and the general reader bounds how deep they nest.
    let flat = |mode: Bound<'_, PyAny>| if mode.is_exact_instance_of::<PyTuple>() { None } else { tiler(&mode) };
    modes.iter().map(flat).collect::<Option<Vec<_>>>().map(Tiler::Modes)
}

/// The offset of a coordinate of plain integers.
pub(crate) fn offset(layout: &StaticLayout, coordinate: &Bound<'_, PyTuple>) -> Option<i64> {
    let tuple = match coordinate.len() {
        1 => {
            let only = coordinate.get_item(0).ok()?;
            if only.is_exact_instance_of::<PyInt>() {
                return layout.offset(&only.extract().ok()?).ok();
            }
            operand::integers(&only)?
        }
        _ => operand::integers(coordinate.as_any())?,
    };
    crd2idx(&tuple, layout).ok()
}

/// The offset of one row of an array of coordinates, an integer for each mode.
pub(crate) fn row_offset(layout: &StaticLayout, row: &[i64]) -> Result<i64, bitstride::Error> {
    crd2idx(&Tuple::flat(row), layout)
}
