//! Composition of functions: a layout, a swizzle or a composed layout after another one.
//!
//! What comes after a layout acts on its offsets, so that only the innermost layout is composed. A layout after a swizzle
//! lets the swizzle through where it moves bits, as CuTe does: `A o Sw = Sw' o A`. A layout after an offset takes it as one
//! more mode of two elements, `A(L(i) + n) = A(L(i)) + A(n)` where the two add up. Law: `f.after(g)` is f(g(c)) for every c.

use super::byte_swizzle::ByteSwizzle;
use super::composed::Function;
use super::composition::composition;
use super::layout::Layout;
use super::measure::cosize;
use super::slice::Offset;
use super::swizzle::Swizzle;
use super::tiler::Tiler;
use crate::basis::Stride;
use crate::error::Error;
use crate::int::{Int, Integer};

impl Function {
    /// `self o other` for any two functions.
    ///
    /// # Errors
    /// What composition refuses.
    ///
    /// ```
    /// use bitstride::{Layout, cute::{Function, Offset}};
    /// let (outer, inner): (Layout, Layout) = ("(4,8):(8,1)".parse()?, "2:1".parse()?);
    /// let moved = Function::from(Offset { layout: inner, offset: bitstride::Int::from(4).into() });
    /// assert_eq!(Function::Layout(outer).after(&moved)?.to_string(), "2:8 + 1");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn after(&self, other: &Function) -> Result<Function, Error> {
        match (self, other) {
            (Function::Swizzle(swizzle), _) if swizzle.is_identity() => Ok(other.clone()),
            (Function::Swizzle(swizzle), Function::Swizzle(first)) => Ok(match swizzle.after(*first) {
                Some(one) => Function::Swizzle(one),
                None => Function::compose(self.clone(), Int::from(0), other.clone()),
            }),
            (Function::Swizzle(swizzle), Function::Bytes(bytes)) if bytes.swizzle().is_identity() => {
                ByteSwizzle::new(*swizzle, bytes.bits()).map(Function::Bytes)
            }
            (Function::Swizzle(_) | Function::Bytes(_), _) => {
                Ok(Function::compose(self.clone(), Int::from(0), other.clone()))
            }
            (_, Function::Layout(b)) if self.domain().is_ok() => self.composition(&Tiler::Layout(b.clone())),
            (Function::Offset(a), _) => Function::Layout(a.layout.clone()).after(other)?.shifted(&a.offset),
            (Function::Composed(a), _) => {
                Ok(Function::compose(a.outer.clone(), a.offset.clone(), a.inner.after(other)?))
            }
            (Function::Layout(a), Function::Offset(b)) => after_offset(a, b).map(Function::from),
            (Function::Layout(a), Function::Composed(b)) => {
                let reach =
                    reach_of(&b.inner).zip(b.offset.fixed()).and_then(|(reach, offset)| reach.checked_add(offset));
                let outer = layout_after(a, &b.outer, reach)?;
                match &b.inner {
                    Function::Layout(_) | Function::Offset(_) => {
                        outer.after(&b.inner.shifted(&Stride::Int(b.offset.clone()))?)
                    }
                    inner if b.offset.is(0) => outer.after(inner),
                    inner => Ok(Function::compose(outer, b.offset.clone(), inner.clone())),
                }
            }
            (Function::Layout(a), _) => layout_after(a, other, a.size()?.fixed()),
        }
    }
}

/// `A o (L + n)`: the offset is one more mode, a step of n, which must add up with the others.
fn after_offset(a: &Layout, b: &Offset<Int, Stride>) -> Result<Offset<Int, Stride>, Error> {
    let step = Layout::mode(Int::from(2), b.offset.clone());
    let both = composition(a, &Layout::of(&[b.layout.clone(), step]))?;
    let offset = both.get(&[1])?.offset(&Int::from(1))?;
    Ok(Offset { layout: both.get(&[0])?, offset })
}

/// How far the offsets of a function reach, where that is settled.
pub(super) fn reach_of(function: &Function) -> Option<i64> {
    match function {
        Function::Layout(layout) => cosize(layout).ok()?.fixed(),
        Function::Offset(slice) => slice.cosize().ok()?.fixed(),
        // A swizzle stays within the power of two above.
        Function::Composed(composed) => {
            let inner = reach_of(&composed.inner)?.checked_add(composed.offset.fixed()?)?;
            let swizzle = match composed.outer {
                Function::Swizzle(swizzle) => swizzle,
                Function::Bytes(bytes) => bytes.of_elements(-1).ok()?,
                _ => return None,
            };
            let top = swizzle.pairs().map(|(source, target)| source.max(target) + 1).max().unwrap_or(0);
            Some(inner.max(1_i64.checked_shl(top)?))
        }
        Function::Swizzle(_) | Function::Bytes(_) => None,
    }
}

/// `layout o outer` with the swizzle pulled out where the layout moves bits, else as it stands.
pub(super) fn layout_after(a: &Layout, outer: &Function, reach: Option<i64>) -> Result<Function, Error> {
    let swizzle = match outer {
        Function::Swizzle(swizzle) => *swizzle,
        // Other offsets are elements of another kind, so that a swizzle of bytes ends here.
        Function::Bytes(bytes) => bytes.of_elements(-1)?,
        _ => return Function::Layout(a.clone()).after(outer),
    };
    let whole = |outer: Swizzle| Function::compose(Function::Swizzle(outer), Int::from(0), Function::Layout(a.clone()));
    match reach.and_then(|reach| swizzle.through(a, reach)) {
        Some(moved) => Ok(whole(moved)),
        None => Ok(Function::compose(Function::Layout(a.clone()), Int::from(0), outer.clone())),
    }
}
