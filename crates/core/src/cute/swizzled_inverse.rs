//! Inverses of swizzled layouts: a swizzle undoes itself, and the layout under it is undone as it is alone.

use super::after::{layout_after, reach_of};
use super::coalesce::coalesce;
use super::composed::Function;
use super::composition::composition;
use super::inverse::right_inverse;
use super::layout::Layout;
use super::left_inverse::left_inverse;
use super::rescaled::settable;
use super::swizzle::Swizzle;
use crate::basis::Stride;
use crate::error::{Code, Error};
use crate::int::{Int, Integer};

impl Function {
    /// The function R with L(R(i)) = i below the size of R.
    ///
    /// # Errors
    /// [`Code::NoInverse`] when an offset moves the origin away.
    pub fn right_inverse(&self) -> Result<Function, Error> {
        self.inverse("right_inverse", &right_inverse)
    }

    /// The function R with L(R(L(i))) = L(i).
    ///
    /// # Errors
    /// [`Code::NoInverse`] when an offset moves the origin away, or the inner layout has none.
    pub fn left_inverse(&self) -> Result<Function, Error> {
        self.inverse("left_inverse", &left_inverse)
    }

    fn inverse(&self, name: &str, inverse: &dyn Fn(&Layout) -> Result<Layout, Error>) -> Result<Function, Error> {
        match self {
            Function::Layout(layout) => inverse(layout).map(Function::Layout),
            Function::Offset(slice) => Err(no_origin(name, self, &slice.offset)),
            Function::Swizzle(_) | Function::Bytes(_) => Ok(self.clone()),
            Function::Composed(composed) if let Function::Bytes(bytes) = composed.outer => {
                let swizzle = Function::Swizzle(bytes.of_elements(settable(&composed.inner, &composed.offset))?);
                Function::compose(swizzle, composed.offset.clone(), composed.inner.clone()).inverse(name, inverse)
            }
            Function::Composed(composed) if !matches!(composed.outer, Function::Swizzle(_)) => {
                self.as_one()?.inverse(name, inverse)
            }
            Function::Composed(composed) => {
                if !composed.offset.is(0) {
                    return Err(no_origin(name, self, &composed.offset));
                }
                let inner = composed.inner.inverse(name, inverse)?;
                let outer = composed.outer.inverse(name, inverse)?;
                match (&inner, &outer) {
                    (Function::Layout(a), Function::Swizzle(swizzle)) => {
                        let a = &if name == "right_inverse" { kept_within(a, *swizzle)? } else { a.clone() };
                        let reach = match name {
                            "right_inverse" => a.size()?.fixed(),
                            _ => reach_of(&composed.inner),
                        };
                        // A swizzle that cannot be pulled out is given its domain, as far as the layout reaches.
                        match layout_after(a, &outer, reach)? {
                            Function::Composed(kept) if kept.inner == outer => {
                                let domain = Layout::mode(Int::from(reach.unwrap_or(1)), Stride::Int(Int::from(1)));
                                let inner = Function::compose(
                                    Function::Swizzle(*swizzle),
                                    Int::from(0),
                                    Function::Layout(domain),
                                );
                                Ok(Function::compose(kept.outer, Int::from(0), inner))
                            }
                            pulled => Ok(pulled),
                        }
                    }
                    _ => inner.after(&outer),
                }
            }
        }
    }
}

fn no_origin(name: &str, function: &Function, offset: &impl std::fmt::Display) -> Error {
    error!(
        Code::NoInverse,
        "{name}({function}): the offset {offset} takes the origin away, so no inverse starts at 0",
        [name, function, offset]
    )
    .with_help("invert the layout without its offset, and take the offset away before")
}

/// As much of a layout of indices as the swizzle maps onto itself: beyond, it would leave the indices there are.
fn kept_within(a: &Layout, swizzle: Swizzle) -> Result<Layout, Error> {
    let Some(size) = a.size()?.fixed() else { return Ok(a.clone()) };
    let [most, blocks, still] = swizzle.kept(size);
    if most == size {
        return Ok(a.clone());
    }
    for many in [blocks, still] {
        let first = Layout::mode(Int::from(many), Stride::Int(Int::from(1)));
        if many > 1
            && let Ok(kept) = composition(a, &first)
        {
            return coalesce(&kept);
        }
    }
    Ok(Layout::unit())
}
