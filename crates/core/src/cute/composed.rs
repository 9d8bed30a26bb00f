//! Composed layouts: `outer o offset o inner`, what a swizzled layout is.
//!
//! `Sw<3,4,3> o 0 o (8,64):(64,1)` maps a coordinate by the inner layout, adds the offset, and swizzles. The outer
//! function may be a swizzle, a layout or composed itself, the inner one too. Law: R(c) = outer(offset + inner(c)); operations
//! on the domain (composition, divides, products, slices, tiling) act on the inner layout alone.

use std::fmt;

use super::coalesce::coalesce;
use super::composition::{compose_tiler, composition};
use super::inverse::right_inverse;
use super::layout::Layout;
use super::left_inverse::left_inverse;
use super::measure::{codomain_coordinate, cosize};
use super::recast::rescale;
use super::slice::{Coordinate, Offset, slice};
use super::swizzle::Swizzle;
use super::tiler::Tiler;
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::Tuple;

/// What a composed layout is composed of.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a layout by value keeps matching simple, and functions are not hot")]
pub enum Function {
    /// A layout.
    Layout(Layout),
    /// A swizzle: a function on all offsets, without a shape.
    Swizzle(Swizzle),
    /// A composition.
    Composed(Box<Composed>),
}

/// A cosize that depends on the swizzle is counted up to this many elements.
const MOST_ENUMERATED: i64 = 1 << 16;

/// `outer o offset o inner`.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// Applied last.
    pub outer: Function,
    /// Added in between.
    pub offset: Int,
    /// Applied first; it has the shape.
    pub inner: Function,
}

impl Function {
    /// `outer o offset o inner`, where it is no simpler thing.
    ///
    /// ```
    /// use bitstride::{cute::{Function, Swizzle}, Layout};
    /// let inner: Layout = "(8,64):(64,1)".parse()?;
    /// let composed = Function::compose(Function::Swizzle(Swizzle::new(3, 3, 3)?), 0.into(), Function::Layout(inner));
    /// assert_eq!(composed.to_string(), "Sw<3,3,3> o 0 o (8,64):(64,1)");
    /// assert_eq!(composed.offset_at(&bitstride::Tuple::flat(&[1.into(), 0.into()]))?.to_string(), "72");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn compose(outer: Function, offset: Int, inner: Function) -> Function {
        Function::Composed(Box::new(Composed { outer, offset, inner }))
    }

    /// The layout that carries the shape; a swizzle has none.
    ///
    /// # Errors
    /// [`Code::Kind`] for a swizzle without a layout.
    pub fn domain(&self) -> Result<&Layout, Error> {
        match self {
            Function::Layout(layout) => Ok(layout),
            Function::Composed(composed) => composed.inner.domain(),
            Function::Swizzle(swizzle) => Err(Error::new(Code::Kind, format!("{swizzle} has no shape"))
                .with_help(format!("compose it with a layout: {swizzle} o (8,64):(64,1)"))),
        }
    }

    /// The same function with its domain changed by an operation on the innermost layout.
    ///
    /// # Errors
    /// Those of the operation, and [`Code::Kind`] for a swizzle without a layout.
    pub fn map_domain(&self, operation: &dyn Fn(&Layout) -> Result<Layout, Error>) -> Result<Function, Error> {
        match self {
            Function::Layout(layout) => operation(layout).map(Function::Layout),
            Function::Swizzle(_) => self.domain().and_then(operation).map(Function::Layout),
            Function::Composed(composed) => Ok(Function::compose(
                composed.outer.clone(),
                composed.offset.clone(),
                composed.inner.map_domain(operation)?,
            )),
        }
    }

    /// The offset of a coordinate.
    ///
    /// # Errors
    /// [`Code::Profile`] when the coordinate does not fit, [`Code::MissingFact`] when a swizzle meets an unknown,
    /// [`Code::Overflow`].
    pub fn offset_at(&self, coordinate: &Tuple<Int>) -> Result<Stride, Error> {
        match self {
            Function::Layout(layout) => super::crd2idx(coordinate, layout),
            Function::Swizzle(swizzle) => match coordinate.as_leaf() {
                Some(n) => swizzled(*swizzle, n).map(Stride::Int),
                None => Err(Error::new(Code::Profile, format!("{swizzle} takes an offset, not {coordinate}"))),
            },
            Function::Composed(composed) => {
                let inner = composed.inner.offset_at(coordinate)?.plus(&Stride::Int(composed.offset.clone()))?;
                composed.outer.offset_at(&composed.outer.taken(composed.inner.full_rank(&inner)?))
            }
        }
    }

    /// What is led to, with the coordinates that are 0 there too: how many there are does not depend on the point.
    fn full_rank(&self, point: &Stride) -> Result<Tuple<Int>, Error> {
        match self {
            Function::Layout(layout) => codomain_coordinate(layout, point),
            Function::Swizzle(_) => Ok(point.to_coordinate()),
            Function::Composed(composed) => composed.outer.full_rank(point),
        }
    }

    /// A coordinate that was led to, as this function takes it: an integer shape takes the only coordinate as its index.
    fn taken(&self, coordinate: Tuple<Int>) -> Tuple<Int> {
        match (self.domain(), coordinate.leaves()) {
            (Ok(domain), [index]) if domain.root().is_leaf() && coordinate.depth() == 1 => Tuple::leaf(index.clone()),
            _ => coordinate,
        }
    }

    /// The offset of a coordinate, a coordinate of full rank where the codomain has coordinates.
    ///
    /// # Errors
    /// As [`Function::offset_at`].
    pub fn point_at(&self, coordinate: &Tuple<Int>) -> Result<Tuple<Int>, Error> {
        self.full_rank(&self.offset_at(coordinate)?)
    }

    /// The length of the smallest interval that holds 0 and the image, the swizzle included.
    ///
    /// # Errors
    /// [`Code::Kind`] for a swizzle alone, [`Code::Undecided`] beyond 65,536 elements unless the image is a whole block of the
    /// swizzle, [`Code::Overflow`].
    pub fn cosize(&self) -> Result<Int, Error> {
        if let Function::Layout(layout) = self {
            return cosize(layout);
        }
        let domain = self.domain()?;
        if let Function::Composed(composed) = self
            && let (Function::Swizzle(swizzle), Function::Layout(inner)) = (&composed.outer, &composed.inner)
            && composed.offset.is(0)
            && let (Some(reach), Some(size)) = (cosize(inner)?.fixed(), inner.size()?.fixed())
            && coalesce(inner)?.rank() == 1
            && reach == size
            && swizzle.pairs().all(|(source, target)| reach % (1_i64 << (source.max(target) + 1).min(62)) == 0)
        {
            // A whole number of blocks is mapped onto itself.
            return Ok(Int::from(reach));
        }
        let size = domain.size()?.as_number()?;
        if size > MOST_ENUMERATED {
            return Err(Error::new(
                Code::Undecided,
                format!("the cosize of {self} is not decided beyond {MOST_ENUMERATED} elements"),
            ));
        }
        let (mut low, mut high) = (0, 0);
        for index in 0..size {
            let offset = self.offset_at(&Tuple::leaf(Int::from(index)))?;
            let offset =
                offset.as_integer().ok_or_else(|| Error::new(Code::Kind, format!("{self} maps to coordinates")))?;
            low = low.min(offset.as_number()?);
            high = high.max(offset.as_number()?);
        }
        let length = i128::from(high) - i128::from(low) + i128::from(size > 0);
        crate::cast::narrow(length).map(Int::from)
    }

    /// `self o tiler`: the domain re-indexed.
    ///
    /// # Errors
    /// What composition refuses.
    pub fn composition(&self, tiler: &Tiler) -> Result<Function, Error> {
        self.map_domain(&|layout| match tiler {
            Tiler::Layout(b) => composition(layout, b),
            _ => compose_tiler(layout, tiler),
        })
    }

    /// `self o other` for any two functions.
    ///
    /// # Errors
    /// What composition refuses, and [`Code::NotALayout`] for a layout after a shifted swizzle.
    pub fn after(&self, other: &Function) -> Result<Function, Error> {
        match (self, other) {
            (_, Function::Layout(b)) if !matches!(self, Function::Swizzle(_)) => {
                self.composition(&Tiler::Layout(b.clone()))
            }
            (Function::Swizzle(swizzle), Function::Layout(_)) if swizzle.is_identity() => Ok(other.clone()),
            (Function::Swizzle(swizzle), Function::Swizzle(first)) => Ok(match swizzle.after(*first) {
                Some(one) => Function::Swizzle(one),
                None => Function::compose(self.clone(), Int::from(0), other.clone()),
            }),
            (Function::Layout(a), Function::Composed(b)) if b.offset.is(0) => {
                let reach = reach_of(&b.inner);
                layout_after(a, &b.outer, reach)?.after(&b.inner)
            }
            (Function::Layout(a), Function::Swizzle(_)) => layout_after(a, other, a.size()?.fixed()),
            _ => Ok(Function::compose(self.clone(), Int::from(0), other.clone())),
        }
    }

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
            Function::Swizzle(_) => Ok(self.clone()),
            Function::Composed(composed) => {
                if !composed.offset.is(0) {
                    return Err(Error::new(
                        Code::NoInverse,
                        format!(
                            "{name}({self}): the offset {} takes the origin away, so no inverse starts at 0",
                            composed.offset
                        ),
                    ));
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

    /// The function in elements `up/down` times as large.
    ///
    /// # Errors
    /// What [`rescale`] refuses; [`Code::NotDivisible`] when a swizzle takes elements apart, [`Code::Range`] when a swizzle meets a
    /// ratio that is no power of two.
    pub fn rescale(&self, up: i64, down: i64) -> Result<Function, Error> {
        match self {
            Function::Layout(layout) => rescale(layout, up, down).map(Function::Layout),
            Function::Swizzle(swizzle) => {
                let raised = swizzle.upcast(log2(*swizzle, up)?)?;
                raised.downcast(log2(*swizzle, down)?).map(Function::Swizzle)
            }
            Function::Composed(composed) => {
                let by = Int::from(up);
                if by.divides(&composed.offset) != Some(true) {
                    return Err(Error::new(
                        Code::NotDivisible,
                        format!("{self}: the offset {} is not known to be a multiple of {up}", composed.offset),
                    ));
                }
                Ok(Function::compose(
                    composed.outer.rescale(up, down)?,
                    composed.offset.quotient(&by)?.mul(&Int::from(down))?,
                    composed.inner.rescale(up, down)?,
                ))
            }
        }
    }

    /// The modes with `_`, the others' offset taken into the composition.
    ///
    /// # Errors
    /// As [`slice()`].
    pub fn slice(&self, coordinate: &Coordinate<Int>) -> Result<Function, Error> {
        let Function::Composed(composed) = self else {
            let Offset { layout, offset } = slice(self.domain()?, coordinate)?;
            return match offset.as_integer() {
                Some(n) if n.is(0) => Ok(Function::Layout(layout)),
                _ => Err(Error::new(Code::Kind, format!("the slice {layout} + {offset} is no function from 0"))),
            };
        };
        let (offset, inner) = match &composed.inner {
            Function::Layout(layout) => {
                let Offset { layout, offset } = slice(layout, coordinate)?;
                let Some(offset) = offset.as_integer() else {
                    return Err(Error::new(Code::Kind, format!("{self} slices to the coordinate {offset}")));
                };
                (composed.offset.add(offset)?, Function::Layout(layout))
            }
            inner => (composed.offset.clone(), inner.slice(coordinate)?),
        };
        Ok(Function::compose(composed.outer.clone(), offset, inner))
    }

    /// As the C++ library prints it: `Sw<3,4,3> o _0 o (_8,_64):(_64,_1)`.
    pub fn cpp(&self) -> String {
        match self {
            Function::Layout(layout) => layout.cpp(),
            Function::Swizzle(swizzle) => swizzle.to_string(),
            Function::Composed(c) => format!("{} o {} o {}", c.outer.cpp(), c.offset.cpp(), c.inner.cpp()),
        }
    }
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

/// How far the offsets of a function reach, where that is settled.
fn reach_of(function: &Function) -> Option<i64> {
    match function {
        Function::Layout(layout) => cosize(layout).ok()?.fixed(),
        // A swizzle stays within the power of two above.
        Function::Composed(composed) => {
            let inner = reach_of(&composed.inner)?.checked_add(composed.offset.fixed()?)?;
            match composed.outer {
                Function::Swizzle(swizzle) => {
                    let top = swizzle.pairs().map(|(source, target)| source.max(target) + 1).max().unwrap_or(0);
                    Some(inner.max(1_i64.checked_shl(top)?))
                }
                _ => None,
            }
        }
        Function::Swizzle(_) => None,
    }
}

/// `layout o outer` with the swizzle pulled out where the layout moves bits, else as it stands.
fn layout_after(a: &Layout, outer: &Function, reach: Option<i64>) -> Result<Function, Error> {
    let kept = || Function::compose(Function::Layout(a.clone()), Int::from(0), outer.clone());
    let Function::Swizzle(swizzle) = outer else {
        return Function::Layout(a.clone()).after(outer);
    };
    match reach.and_then(|reach| swizzle.through(a, reach)) {
        Some(moved) => Ok(Function::compose(Function::Swizzle(moved), Int::from(0), Function::Layout(a.clone()))),
        None => Ok(kept()),
    }
}

fn swizzled(swizzle: Swizzle, n: &Int) -> Result<Int, Error> {
    match n {
        Int::Static(n) => Ok(Int::Static(swizzle.apply(*n))),
        Int::Dynamic(n) => Ok(Int::Dynamic(swizzle.apply(*n))),
        _ => Err(Error::new(Code::MissingFact, format!("{swizzle} of {n} needs its value"))),
    }
}

fn log2(swizzle: Swizzle, ratio: i64) -> Result<u32, Error> {
    if ratio > 0 && ratio.count_ones() == 1 {
        return Ok(ratio.trailing_zeros());
    }
    Err(Error::new(Code::Range, format!("{swizzle} can be recast by powers of two, not by {ratio}")))
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Layout(layout) => write!(f, "{layout}"),
            Function::Swizzle(swizzle) => write!(f, "{swizzle}"),
            Function::Composed(c) => write!(f, "{} o {} o {}", c.outer, c.offset, c.inner),
        }
    }
}
