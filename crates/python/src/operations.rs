//! The operations that kernels use most, as functions of the module and for the methods of layouts.
//!
//! Where all integers are plain, the operations of `static_layout` are tried first. They answer or decline; then the table of
//! operations answers, with its notes, or refuses.

use bitstride::StaticLayout;
use bitstride::cute;
use pyo3::prelude::*;

use crate::answer::static_layout as object;
use crate::call::apply;
use crate::layout::Layout;
use crate::static_layout::{self, Divide};

/// The answer of an operation on two arguments, by the plain operation where it answers.
#[inline]
fn binary(
    name: &str,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    direct: impl Fn(&StaticLayout, &Bound<'_, PyAny>) -> Option<StaticLayout>,
) -> PyResult<Py<PyAny>> {
    let py = first.py();
    if let Some(answer) = Layout::plain(first).and_then(|layout| direct(layout, second)) {
        return object(py, answer);
    }
    apply(py, name, &[first.clone(), second.clone()], None)
}

/// The same of one argument.
#[inline]
pub(crate) fn unary(
    name: &str,
    first: &Bound<'_, PyAny>,
    direct: impl Fn(&StaticLayout) -> Option<StaticLayout>,
) -> PyResult<Py<PyAny>> {
    let py = first.py();
    if let Some(answer) = Layout::plain(first).and_then(direct) {
        return object(py, answer);
    }
    apply(py, name, std::slice::from_ref(first), None)
}

/// R(i) = A(B(i)), in the profile of B; by a tiler, mode by mode.
///
/// Args:
///     A: the layout that is applied last.
///     B_or_tiler: the layout that is applied first, or a tiler, one entry a mode.
///
/// Raises:
///     Error: an argument cannot be read, or is of another kind.
///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
///     UndecidedError: an unknown integer would decide it.
///
/// Example: composition((6,2):(8,2), (4,3):(3,1))
#[pyfunction]
#[pyo3(signature = (A, B_or_tiler))]
#[allow(non_snake_case, reason = "operands have the names of the field")]
pub(crate) fn composition(A: &Bound<'_, PyAny>, B_or_tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    binary("composition", A, B_or_tiler, |a, b| static_layout::composition(a, Layout::plain(b)?))
}

/// Fills what the layout leaves free, up to a target.
///
/// Args:
///     L: a layout of CuTe.
///     target: the number of places that the layout and its complement fill together.
///
/// Raises:
///     Error: an argument cannot be read, or is of another kind.
///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
///     UndecidedError: an unknown integer would decide it.
///
/// Example: complement(4:2, 24)
#[pyfunction]
#[pyo3(signature = (L, target=None))]
#[allow(non_snake_case, reason = "operands have the names of the field")]
pub(crate) fn complement(L: &Bound<'_, PyAny>, target: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
    match target {
        None => unary("complement", L, |layout| cute::complement_within(layout).ok()),
        Some(target) => binary("complement", L, target, static_layout::complement),
    }
}

/// The same function with the fewest modes; by profile, mode by mode.
///
/// Args:
///     L: a layout of CuTe.
///     profile: a tuple: modes below its leaves are merged, others stay.
///
/// Raises:
///     Error: an argument cannot be read, or is of another kind.
///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
///     UndecidedError: an unknown integer would decide it.
///
/// Example: coalesce((2,(1,6)):(1,(6,2)))
#[pyfunction]
#[pyo3(signature = (L, profile=None))]
#[allow(non_snake_case, reason = "operands have the names of the field")]
pub(crate) fn coalesce(L: &Bound<'_, PyAny>, profile: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
    match profile {
        None => unary("coalesce", L, |layout| cute::coalesce(layout).ok()),
        Some(profile) => binary("coalesce", L, profile, |_, _| None),
    }
}

/// L(R(i)) = i, as far as a chain of modes from stride 1 goes.
///
/// Args:
///     L: a layout of CuTe.
///
/// Raises:
///     Error: an argument cannot be read, or is of another kind.
///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
///     UndecidedError: an unknown integer would decide it.
///
/// Example: right_inverse((2,3):(3,1))
#[pyfunction]
#[pyo3(signature = (L))]
#[allow(non_snake_case, reason = "operands have the names of the field")]
pub(crate) fn right_inverse(L: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    unary("right_inverse", L, static_layout::right_inverse)
}

/// L(R(L(i))) = L(i): undoes L where it is injective.
///
/// Args:
///     L: a layout of CuTe.
///
/// Raises:
///     Error: an argument cannot be read, or is of another kind.
///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
///     UndecidedError: an unknown integer would decide it.
///
/// Example: left_inverse((4,8):(1,5))
#[pyfunction]
#[pyo3(signature = (L))]
#[allow(non_snake_case, reason = "operands have the names of the field")]
pub(crate) fn left_inverse(L: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    unary("left_inverse", L, static_layout::left_inverse)
}

macro_rules! by_tiler {
    ($($(#[doc = $doc:literal])+ $name:ident($first:ident), $divide:expr;)*) => {
        $(
            $(#[doc = $doc])+
            #[pyfunction]
            #[pyo3(signature = ($first, tiler))]
            #[allow(non_snake_case, reason = "operands have the names of the field")]
            pub(crate) fn $name($first: &Bound<'_, PyAny>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                binary(stringify!($name), $first, tiler, |layout, tiler| static_layout::by_tiler($divide, layout, tiler))
            }
        )*
    };
}

by_tiler! {
    /// Cut into tiles, mode by mode: ((tile),(rest)).
    ///
    /// Args:
    ///     L: a layout of CuTe.
    ///     tiler: a layout, a shape, or <…> with one entry a mode.
    ///
    /// Raises:
    ///     Error: an argument cannot be read, or is of another kind.
    ///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
    ///     UndecidedError: an unknown integer would decide it.
    ///
    /// Example: logical_divide((4,2,3):(2,1,8), 4:2)
    logical_divide(L), Divide::Logical;
    /// Cut into tiles, which are gathered: ((TM,TN),(RM,RN,L)).
    ///
    /// Args:
    ///     L: a layout of CuTe.
    ///     tiler: a layout, a shape, or <…> with one entry a mode.
    ///
    /// Raises:
    ///     Error: an argument cannot be read, or is of another kind.
    ///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
    ///     UndecidedError: an unknown integer would decide it.
    ///
    /// Example: zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)
    zipped_divide(L), Divide::Zipped;
    /// Cut into tiles: ((TM,TN),RM,RN,L).
    ///
    /// Args:
    ///     L: a layout of CuTe.
    ///     tiler: a layout, a shape, or <…> with one entry a mode.
    ///
    /// Raises:
    ///     Error: an argument cannot be read, or is of another kind.
    ///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
    ///     UndecidedError: an unknown integer would decide it.
    ///
    /// Example: tiled_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)
    tiled_divide(L), Divide::Tiled;
    /// Cut into tiles: (TM,TN,RM,RN,L).
    ///
    /// Args:
    ///     L: a layout of CuTe.
    ///     tiler: a layout, a shape, or <…> with one entry a mode.
    ///
    /// Raises:
    ///     Error: an argument cannot be read, or is of another kind.
    ///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
    ///     UndecidedError: an unknown integer would decide it.
    ///
    /// Example: flat_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)
    flat_divide(L), Divide::Flat;
    /// Copies of the block in the order of the tiler: (block, copies).
    ///
    /// Args:
    ///     block: the layout that is repeated.
    ///     tiler: where the copies lie, in units of the block.
    ///
    /// Raises:
    ///     Error: an argument cannot be read, or is of another kind.
    ///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
    ///     UndecidedError: an unknown integer would decide it.
    ///
    /// Example: logical_product((2,2):(4,1), 6:1)
    logical_product(block), Divide::LogicalProduct;
    /// Copies of the block, gathered: ((x,y),(z,w)).
    ///
    /// Args:
    ///     block: the layout that is repeated.
    ///     tiler: where the copies lie, in units of the block.
    ///
    /// Raises:
    ///     Error: an argument cannot be read, or is of another kind.
    ///     RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
    ///     UndecidedError: an unknown integer would decide it.
    ///
    /// Example: zipped_product((2,2):(4,1), 6:1)
    zipped_product(block), Divide::ZippedProduct;
}
