//! Functions of coordinates: layouts, layouts with an offset, swizzles, and compositions `outer o offset o inner`.
//!
//! `Sw<3,4,3> o 0 o (8,64):(64,1)` maps a coordinate by the inner layout, adds the offset, and swizzles. The outer
//! function is a swizzle or a layout, the inner one may be composed itself. Law: R(c) = outer(offset + inner(c)); operations
//! on the domain (composition, divides, products, slices, tiling) act on the innermost layout alone, whatever comes after it.

use std::fmt;

use super::byte_swizzle::ByteSwizzle;
use super::coalesce::coalesce;
use super::composition::{compose_tiler, composition};
use super::layout::Layout;
use super::measure::{codomain_coordinate, coshape, coshape_from, cosize};
use super::slice::Offset;
use super::swizzle::Swizzle;
use super::tiler::Tiler;
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::Tuple;

/// A function of coordinates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// A layout.
    Layout(Layout),
    /// A layout with an offset that is not 0, what a slice leaves.
    Offset(Offset<Int, Stride>),
    /// A swizzle: a function on all offsets, without a shape.
    Swizzle(Swizzle),
    /// A swizzle of byte addresses, on offsets that count elements.
    Bytes(ByteSwizzle),
    /// A composition.
    Composed(Box<Composed>),
}

/// An operation that leaves a part of a layout, which may start elsewhere.
type Slicing<'o> = dyn Fn(&Layout) -> Result<Offset<Int, Stride>, Error> + 'o;

/// A cosize that depends on the swizzle is counted up to this many elements.
const MOST_ENUMERATED: i64 = 1 << 16;

/// `outer o offset o inner`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Composed {
    /// Applied last; never composed itself.
    pub outer: Function,
    /// Added in between.
    pub offset: Int,
    /// Applied first; it has the shape.
    pub inner: Function,
}

impl Composed {
    /// Whether the text leaves the offset out: under a swizzle of bytes an offset of 0, as CuTe prints it.
    fn is_offset_silent(&self) -> bool {
        matches!(self.outer, Function::Bytes(_)) && self.offset.is(0) && self.inner.is_swizzled_layout()
    }
}

impl Function {
    /// `outer o offset o inner`, grouped from the right, so that one chain of functions is one value; the offset of the inner
    /// function is taken into the one in between.
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
        if let Function::Offset(slice) = &inner
            && let Some(Ok(sum)) = slice.offset.as_integer().map(|first| offset.add(first))
        {
            return Function::compose(outer, sum, Function::Layout(slice.layout.clone()));
        }
        // Composition is associative, and a text has no brackets that would say how it is grouped.
        if let Function::Composed(last) = outer {
            return Function::compose(last.outer, last.offset, Function::compose(last.inner, offset, inner));
        }
        Function::Composed(Box::new(Composed { outer, offset, inner }))
    }

    /// The function with its values moved by an offset.
    ///
    /// # Errors
    /// [`Code::Kind`] for an integer and a coordinate, [`Code::Overflow`].
    pub fn shifted(&self, offset: &Stride) -> Result<Function, Error> {
        Ok(match self {
            _ if offset.is_zero() => self.clone(),
            Function::Layout(layout) => Offset { layout: layout.clone(), offset: offset.clone() }.into(),
            Function::Offset(slice) => {
                Offset { offset: slice.offset.plus(offset)?, layout: slice.layout.clone() }.into()
            }
            Function::Composed(composed) if matches!(composed.outer, Function::Layout(_) | Function::Offset(_)) => {
                Function::compose(composed.outer.shifted(offset)?, composed.offset.clone(), composed.inner.clone())
            }
            // A swizzle does not commute with an offset.
            _ => {
                let identity = Layout::mode(Int::from(1), Stride::Int(Int::from(1)));
                let shift = Offset { layout: identity, offset: offset.clone() };
                Function::compose(shift.into(), Int::from(0), self.clone())
            }
        })
    }

    /// The layout that carries the shape; a swizzle has none.
    ///
    /// # Errors
    /// [`Code::Kind`] for a swizzle without a layout.
    pub fn domain(&self) -> Result<&Layout, Error> {
        match self {
            Function::Layout(layout) => Ok(layout),
            Function::Offset(slice) => Ok(&slice.layout),
            Function::Composed(composed) => composed.inner.domain(),
            Function::Swizzle(_) | Function::Bytes(_) => {
                Err(error!(Code::Kind, "{function} has no shape", [function = self])
                    .with_help(format!("compose it with a layout: {self} o (8,64):(64,1)")))
            }
        }
    }

    /// The same function with its domain changed by an operation on the innermost layout.
    ///
    /// # Errors
    /// Those of the operation, and [`Code::Kind`] for a swizzle without a layout.
    pub fn map_domain(&self, operation: &dyn Fn(&Layout) -> Result<Layout, Error>) -> Result<Function, Error> {
        self.map_slice(&|layout| Ok(Offset { layout: operation(layout)?, offset: Stride::default() }))
    }

    /// The same function on a part of its domain that may start elsewhere: what an operation leaves of the innermost layout.
    ///
    /// # Errors
    /// Those of the operation, and [`Code::Kind`] for a swizzle without a layout.
    pub fn map_slice(&self, operation: &Slicing<'_>) -> Result<Function, Error> {
        match self {
            Function::Layout(layout) => operation(layout).map(Function::from),
            Function::Offset(slice) => Function::from(operation(&slice.layout)?).shifted(&slice.offset),
            Function::Swizzle(_) | Function::Bytes(_) => self.domain().and_then(operation).map(Function::from),
            Function::Composed(composed) => Ok(Function::compose(
                composed.outer.clone(),
                composed.offset.clone(),
                composed.inner.map_slice(operation)?,
            )),
        }
    }

    /// Whether it is a layout, perhaps with an offset, perhaps under swizzles: no chain of layouts.
    pub fn is_swizzled_layout(&self) -> bool {
        match self {
            Function::Layout(_) | Function::Offset(_) => true,
            Function::Swizzle(_) | Function::Bytes(_) => false,
            Function::Composed(composed) => {
                matches!(composed.outer, Function::Swizzle(_) | Function::Bytes(_))
                    && composed.inner.is_swizzled_layout()
            }
        }
    }

    /// How many swizzles are applied.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// assert_eq!(Map::of_layout(&"(4,8):(8,1)".parse()?)?.to_cute()?.swizzles(), 0);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn swizzles(&self) -> usize {
        match self {
            Function::Layout(_) | Function::Offset(_) => 0,
            Function::Swizzle(_) | Function::Bytes(_) => 1,
            Function::Composed(composed) => composed.outer.swizzles() + composed.inner.swizzles(),
        }
    }

    /// How many bits an element has, where a swizzle of bytes says it.
    pub fn element_bits(&self) -> Option<i64> {
        match self {
            Function::Bytes(bytes) => Some(bytes.bits()),
            Function::Composed(composed) => composed.outer.element_bits().or_else(|| composed.inner.element_bits()),
            _ => None,
        }
    }

    /// A chain of layouts as one function: a layout, perhaps with an offset, perhaps under swizzles.
    ///
    /// # Errors
    /// What composition refuses; [`Code::NotALayout`] where a layout stays after a swizzle.
    pub(super) fn as_one(&self) -> Result<Function, Error> {
        let Function::Composed(composed) = self else { return Ok(self.clone()) };
        let one = match composed.outer {
            Function::Swizzle(_) | Function::Bytes(_) => {
                Function::compose(composed.outer.clone(), composed.offset.clone(), composed.inner.as_one()?)
            }
            _ => composed.outer.after(&composed.inner.as_one()?.shifted(&Stride::Int(composed.offset.clone()))?)?,
        };
        if one.is_swizzled_layout() {
            return Ok(one);
        }
        Err(error!(Code::NotALayout, "{function} is a chain that is no layout under swizzles", [function = self]))
    }

    /// The offset of a coordinate.
    ///
    /// # Errors
    /// [`Code::Profile`] when the coordinate does not fit, [`Code::MissingFact`] when a swizzle meets an unknown,
    /// [`Code::Overflow`].
    pub fn offset_at(&self, coordinate: &Tuple<Int>) -> Result<Stride, Error> {
        match self {
            Function::Layout(layout) => super::crd2idx(coordinate, layout),
            Function::Offset(slice) => super::crd2idx(coordinate, &slice.layout)?.plus(&slice.offset),
            Function::Swizzle(swizzle) => self.moved(coordinate, &|x| Ok(swizzle.apply(x))),
            Function::Bytes(swizzle) => self.moved(coordinate, &|x| swizzle.apply(x)),
            Function::Composed(composed) => {
                let inner = composed.inner.offset_at(coordinate)?.plus(&Stride::Int(composed.offset.clone()))?;
                composed.outer.offset_at(&composed.outer.taken(composed.inner.full_rank(&inner)?))
            }
        }
    }

    /// An offset as a swizzle moves it.
    fn moved(&self, offset: &Tuple<Int>, by: &dyn Fn(i64) -> Result<i64, Error>) -> Result<Stride, Error> {
        match offset.as_leaf() {
            Some(Int::Static(n)) => by(*n).map(|n| Stride::Int(Int::Static(n))),
            Some(Int::Dynamic(n)) => by(*n).map(|n| Stride::Int(Int::Dynamic(n))),
            Some(n) => Err(error!(Code::MissingFact, "{function} of {n} needs its value", [function = self, n])),
            None => Err(error!(Code::Profile, "{function} takes an offset, not {offset}", [function = self, offset])),
        }
    }

    /// What is led to, with the coordinates that are 0 there too: how many there are does not depend on the point.
    fn full_rank(&self, point: &Stride) -> Result<Tuple<Int>, Error> {
        match self {
            Function::Layout(layout) => codomain_coordinate(layout, point),
            Function::Offset(slice) => {
                // The offset may name coordinates that no mode moves along.
                let start = Layout::mode(Int::from(1), slice.offset.clone());
                codomain_coordinate(&Layout::of(&[slice.layout.clone(), start]), point)
            }
            Function::Swizzle(_) | Function::Bytes(_) => Ok(point.to_coordinate()),
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
        match self {
            Function::Layout(layout) => return cosize(layout),
            Function::Offset(slice) => return slice.cosize(),
            _ => {}
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
            return Err(error!(
                Code::Undecided,
                "the cosize of {function} is not decided beyond {most_enumerated} elements",
                [function = self, most_enumerated = MOST_ENUMERATED]
            ));
        }
        let (mut low, mut high) = (0, 0);
        for index in 0..size {
            let offset = self.offset_at(&Tuple::leaf(Int::from(index)))?;
            let offset = offset
                .as_integer()
                .ok_or_else(|| error!(Code::Kind, "{function} maps to coordinates", [function = self]))?;
            low = low.min(offset.as_number()?);
            high = high.max(offset.as_number()?);
        }
        let length = i128::from(high) - i128::from(low) + i128::from(size > 0);
        crate::cast::narrow(length).map(Int::from)
    }

    /// The cosize along each coordinate of the codomain; an integer for a function into offsets.
    ///
    /// # Errors
    /// As [`Function::cosize`].
    pub fn coshape(&self) -> Result<Tuple<Int>, Error> {
        match self {
            Function::Layout(layout) => coshape(layout),
            Function::Offset(slice) => coshape_from(&slice.layout, &slice.offset),
            _ => self.cosize().map(Tuple::leaf),
        }
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

    /// As the C++ library prints it: `Sw<3,4,3> o _0 o (_8,_64):(_64,_1)`.
    pub fn cpp(&self) -> String {
        match self {
            Function::Layout(layout) => layout.cpp(),
            Function::Offset(slice) => slice.cpp(),
            Function::Swizzle(swizzle) => swizzle.to_string(),
            Function::Bytes(swizzle) => swizzle.cpp(),
            Function::Composed(c) if c.is_offset_silent() => format!("{} o {}", c.outer.cpp(), c.inner.cpp()),
            Function::Composed(c) => format!("{} o {} o {}", c.outer.cpp(), c.offset.cpp(), c.inner.cpp()),
        }
    }
}

impl From<Offset<Int, Stride>> for Function {
    /// A layout that starts at 0 is just that layout.
    fn from(slice: Offset<Int, Stride>) -> Self {
        if slice.offset.is_zero() { Function::Layout(slice.layout) } else { Function::Offset(slice) }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Layout(layout) => write!(f, "{layout}"),
            Function::Offset(slice) => write!(f, "{slice}"),
            Function::Swizzle(swizzle) => write!(f, "{swizzle}"),
            Function::Bytes(swizzle) => write!(f, "{swizzle}"),
            Function::Composed(c) if c.is_offset_silent() => write!(f, "{} o {}", c.outer, c.inner),
            Function::Composed(c) => write!(f, "{} o {} o {}", c.outer, c.offset, c.inner),
        }
    }
}
