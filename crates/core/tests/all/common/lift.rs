//! Operands with other leaves: from numbers to dynamic or unknown integers, and back to numbers.

use bitstride::cute::{Offset, Tiler};
use bitstride::{Code, Error, Int, Integer, Layout, StaticLayout, Stride, StrideLeaf, Tuple};

use super::operation::{Answer, Operands};

/// What a leaf stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    Extent,
    Stride,
    Index,
}

/// The same operands for the general algebra, each leaf replaced; orders and coordinates with `_` stay static.
pub fn lift(operands: &Operands<i64, i64>, leaf: &mut dyn FnMut(Leaf, i64) -> Int) -> Operands<Int, Stride> {
    Operands {
        a: layout(&operands.a, leaf),
        b: layout(&operands.b, leaf),
        tiler: tiler(&operands.tiler, leaf),
        shape: operands.shape.map(|n| leaf(Leaf::Extent, *n)),
        order: operands.order.map(|n| Int::from(*n)),
        at: operands.at.map(|n| n.map(|n| leaf(Leaf::Index, n))),
        point: operands.point.map(|n| leaf(Leaf::Index, *n)),
        index: leaf(Leaf::Index, operands.index),
        n: operands.n,
        m: operands.m,
    }
}

fn layout(of: &StaticLayout, leaf: &mut dyn FnMut(Leaf, i64) -> Int) -> Layout {
    let shape = of.shape().map(|n| leaf(Leaf::Extent, *n));
    let stride = of.stride().map(|d| Stride::Int(leaf(Leaf::Stride, *d)));
    Layout::new(shape, stride).expect("the same nesting")
}

fn tiler(of: &Tiler<i64, i64>, leaf: &mut dyn FnMut(Leaf, i64) -> Int) -> Tiler {
    match of {
        Tiler::Layout(tile) => Tiler::Layout(layout(tile, leaf)),
        Tiler::Extent(extent) => Tiler::Extent(leaf(Leaf::Extent, *extent)),
        Tiler::Keep => Tiler::Keep,
        Tiler::Modes(modes) => Tiler::Modes(modes.iter().map(|mode| tiler(mode, leaf)).collect()),
    }
}

/// The operands in numbers.
pub fn lowered(
    operands: &Operands<Int, Stride>,
    number: &dyn Fn(&Int) -> Result<i64, Error>,
) -> Result<Operands<i64, i64>, Error> {
    Ok(Operands {
        a: static_layout(&operands.a, number)?,
        b: static_layout(&operands.b, number)?,
        tiler: static_tiler(&operands.tiler, number)?,
        shape: operands.shape.try_map(number)?,
        order: operands.order.try_map(number)?,
        at: operands.at.try_map(|n| n.as_ref().map(number).transpose())?,
        point: operands.point.try_map(number)?,
        index: number(&operands.index)?,
        n: operands.n,
        m: operands.m,
    })
}

/// An answer in numbers.
pub fn lower(
    answer: &Answer<Int, Stride>,
    number: &dyn Fn(&Int) -> Result<i64, Error>,
) -> Result<Answer<i64, i64>, Error> {
    Ok(match answer {
        Answer::Layout(layout) => Answer::Layout(static_layout(layout, number)?),
        Answer::Slice(slice) => Answer::Slice(Offset {
            layout: static_layout(&slice.layout, number)?,
            offset: static_stride(&slice.offset, number)?,
        }),
        Answer::Tuple(tuple) => Answer::Tuple(tuple.try_map(number)?),
        Answer::Stride(stride) => Answer::Stride(static_stride(stride, number)?),
        Answer::Number(n) => Answer::Number(number(n)?),
    })
}

fn static_layout(of: &Layout, number: &dyn Fn(&Int) -> Result<i64, Error>) -> Result<StaticLayout, Error> {
    StaticLayout::new(of.shape().try_map(number)?, of.stride().try_map(|d| static_stride(d, number))?)
}

fn static_stride(of: &Stride, number: &dyn Fn(&Int) -> Result<i64, Error>) -> Result<i64, Error> {
    number(of.as_integer().ok_or_else(|| Error::new(Code::Kind, "a coordinate"))?)
}

fn static_tiler(of: &Tiler, number: &dyn Fn(&Int) -> Result<i64, Error>) -> Result<Tiler<i64, i64>, Error> {
    Ok(match of {
        Tiler::Layout(tile) => Tiler::Layout(static_layout(tile, number)?),
        Tiler::Extent(extent) => Tiler::Extent(number(extent)?),
        Tiler::Keep => Tiler::Keep,
        Tiler::Modes(modes) => {
            Tiler::Modes(modes.iter().map(|mode| static_tiler(mode, number)).collect::<Result<_, _>>()?)
        }
    })
}
