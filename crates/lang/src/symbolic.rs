//! Whether layouts with unknown integers are the same for all values of the unknowns.
//!
//! Equal texts are equal. Modes that merge to equal ones are equal too, since merging keeps the function. What this does not
//! settle may be equal or not.

use super::value::Value;
use bitstride::cute::{Function, Layout, coalesce};
use bitstride::map::Verdict;
use bitstride::{Error, Integer, StrideLeaf};

/// The verdict that two layouts of CuTe are the same, where one has unknown integers and that is settled without them.
pub(super) fn same(left: &Value, right: &Value, notes: &mut Vec<String>) -> Result<Option<Verdict>, Error> {
    let (Ok(one), Ok(other)) = (left.as_function(), right.as_function()) else { return Ok(None) };
    if !(is_unknown(&one) || is_unknown(&other)) || !alike(&one, &other)? {
        return Ok(None);
    }
    notes.push("the same for all values of the unknowns".into());
    let alignment = "the same modes".to_owned();
    Ok(Some(Verdict { difference: None, alignment, by: None, differences: None }))
}

/// Whether some integer of a function has no value.
fn is_unknown(function: &Function) -> bool {
    let of = |layout: &Layout| {
        layout.extents().iter().any(|n| n.value().is_none())
            || layout.strides().iter().flat_map(StrideLeaf::components).any(|(_, n)| n.value().is_none())
    };
    match function {
        Function::Layout(layout) => of(layout),
        Function::Offset(slice) => {
            of(&slice.layout) || slice.offset.components().iter().any(|(_, n)| n.value().is_none())
        }
        Function::Swizzle(_) | Function::Bytes(_) => false,
        Function::Composed(composed) => {
            is_unknown(&composed.outer) || composed.offset.value().is_none() || is_unknown(&composed.inner)
        }
    }
}

/// Whether two functions are settled to be the same, mode by mode, or by the flat index where they have not as many modes.
fn alike(one: &Function, other: &Function) -> Result<bool, Error> {
    if one == other {
        return Ok(true);
    }
    match (one, other) {
        (Function::Layout(a), Function::Layout(b)) => layouts(a, b),
        (Function::Offset(a), Function::Offset(b)) => Ok(a.offset.same(&b.offset) && layouts(&a.layout, &b.layout)?),
        (Function::Composed(a), Function::Composed(b)) => {
            Ok(a.outer == b.outer && a.offset.same(&b.offset) && alike(&a.inner, &b.inner)?)
        }
        _ => Ok(false),
    }
}

fn layouts(a: &Layout, b: &Layout) -> Result<bool, Error> {
    let pairs = if a.rank() == b.rank() {
        a.modes().into_iter().zip(b.modes()).collect()
    } else {
        vec![(a.clone(), b.clone())]
    };
    for (a, b) in pairs {
        if coalesce(&a)? != coalesce(&b)? {
            return Ok(false);
        }
    }
    Ok(true)
}
