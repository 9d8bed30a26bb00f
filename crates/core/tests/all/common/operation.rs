//! Every operation of the algebra, under one name and over any integers.
//!
//! This is the only place of the tests that calls the operations, so that a change of the API edits one function.

use std::fmt;

use bitstride::cute::{self, Coordinate, Layout, Offset, Tiler};
use bitstride::{Error, Integer, StrideLeaf, Tuple};

/// An operation on the operands that it reads of [`Operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Coalesce,
    CoalesceBy,
    Filter,
    FilterBy,
    FilterZeros,
    Composition,
    ComposeTiler,
    Complement,
    ComplementWithin,
    RightInverse,
    LeftInverse,
    Nullspace,
    MaxCommonLayout,
    MaxCommonVector,
    DomainDistribute,
    LogicalDivide,
    ZippedDivide,
    TiledDivide,
    FlatDivide,
    LogicalProduct,
    ZippedProduct,
    TiledProduct,
    FlatProduct,
    BlockedProduct,
    RakedProduct,
    TileToShape,
    TileToShapeOrdered,
    LocalTile,
    LocalPartition,
    Upcast,
    Downcast,
    Recast,
    LayoutAdd,
    GreatestCommonDomain,
    ColumnMajor,
    RowMajor,
    MakeOrderedLayout,
    MakeLayoutLike,
    MakeFragmentLike,
    Slice,
    Dice,
    Crd2Idx,
    Idx2Crd,
    Crd2Crd,
    Cosize,
    Offset,
}

impl Op {
    /// Those whose answer is right whichever of their integers are static: `MakeFragmentLike` is not among them.
    pub const ALL: [Op; 45] = [
        Op::Coalesce,
        Op::CoalesceBy,
        Op::Filter,
        Op::FilterBy,
        Op::FilterZeros,
        Op::Composition,
        Op::ComposeTiler,
        Op::Complement,
        Op::ComplementWithin,
        Op::RightInverse,
        Op::LeftInverse,
        Op::Nullspace,
        Op::MaxCommonLayout,
        Op::MaxCommonVector,
        Op::DomainDistribute,
        Op::LogicalDivide,
        Op::ZippedDivide,
        Op::TiledDivide,
        Op::FlatDivide,
        Op::LogicalProduct,
        Op::ZippedProduct,
        Op::TiledProduct,
        Op::FlatProduct,
        Op::BlockedProduct,
        Op::RakedProduct,
        Op::TileToShape,
        Op::TileToShapeOrdered,
        Op::LocalTile,
        Op::LocalPartition,
        Op::Upcast,
        Op::Downcast,
        Op::Recast,
        Op::LayoutAdd,
        Op::GreatestCommonDomain,
        Op::ColumnMajor,
        Op::RowMajor,
        Op::MakeOrderedLayout,
        Op::MakeLayoutLike,
        Op::Slice,
        Op::Dice,
        Op::Crd2Idx,
        Op::Idx2Crd,
        Op::Crd2Crd,
        Op::Cosize,
        Op::Offset,
    ];
}

/// The operands of all operations; each reads its own.
#[derive(Clone, Debug)]
pub struct Operands<I, D> {
    /// The first layout.
    pub a: Layout<I, D>,
    /// The second layout.
    pub b: Layout<I, D>,
    pub tiler: Tiler<I, D>,
    /// A target, cotarget, profile or shape.
    pub shape: Tuple<I>,
    /// An order of the modes of the shape.
    pub order: Tuple<I>,
    /// A coordinate of `a` with free modes.
    pub at: Coordinate<I>,
    /// A coordinate of `a` without.
    pub point: Tuple<I>,
    /// A flat index, thread or number of elements.
    pub index: I,
    /// Units: `n` by `n`, or from `m` to `n` bits.
    pub n: i64,
    pub m: i64,
}

/// What an operation gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<I, D> {
    Layout(Layout<I, D>),
    Slice(Offset<I, D>),
    Tuple(Tuple<I>),
    Stride(D),
    Number(I),
}

impl<I: Integer, D: StrideLeaf<I>> fmt::Display for Answer<I, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Layout(layout) => write!(f, "{layout}"),
            Answer::Slice(slice) => write!(f, "{slice}"),
            Answer::Tuple(tuple) => write!(f, "{tuple}"),
            Answer::Stride(stride) => write!(f, "{stride}"),
            Answer::Number(number) => write!(f, "{number}"),
        }
    }
}

impl<I: Integer, D: StrideLeaf<I>> fmt::Display for Operands<I, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.map(|n| n.as_ref().map_or_else(|| "_".to_owned(), ToString::to_string));
        write!(
            f,
            "a = {}, b = {}, tiler = {}, shape = {}, order = {}, at = {at}, point = {}, index = {}, n = {}, m = {}",
            self.a, self.b, self.tiler, self.shape, self.order, self.point, self.index, self.n, self.m
        )
    }
}

/// The answer of an operation.
pub fn apply<I: Integer, D: StrideLeaf<I>>(op: Op, operands: &Operands<I, D>) -> Result<Answer<I, D>, Error> {
    let Operands { a, b, tiler, shape, order, at, point, index, n, m } = operands;
    let layout = match op {
        Op::Coalesce => cute::coalesce(a),
        Op::CoalesceBy => cute::coalesce_by(a, shape),
        Op::Filter => cute::filter(a),
        Op::FilterBy => cute::filter_by(a, shape),
        Op::FilterZeros => cute::filter_zeros(a),
        Op::Composition => cute::composition(a, b),
        Op::ComposeTiler => cute::compose_tiler(a, tiler),
        Op::Complement => cute::complement(a, shape),
        Op::ComplementWithin => cute::complement_within(a),
        Op::RightInverse => cute::right_inverse(a),
        Op::LeftInverse => cute::left_inverse(a),
        Op::Nullspace => cute::nullspace(a),
        Op::MaxCommonLayout => cute::max_common_layout(a, b),
        Op::DomainDistribute => cute::domain_distribute(shape, index),
        Op::LogicalDivide => cute::logical_divide(a, tiler),
        Op::ZippedDivide => cute::zipped_divide(a, tiler),
        Op::TiledDivide => cute::tiled_divide(a, tiler),
        Op::FlatDivide => cute::flat_divide(a, tiler),
        Op::LogicalProduct => cute::logical_product(a, tiler),
        Op::ZippedProduct => cute::zipped_product(a, tiler),
        Op::TiledProduct => cute::tiled_product(a, tiler),
        Op::FlatProduct => cute::flat_product(a, tiler),
        Op::BlockedProduct => cute::blocked_product(a, b),
        Op::RakedProduct => cute::raked_product(a, b),
        Op::TileToShape => cute::tile_to_shape(a, shape, None),
        Op::TileToShapeOrdered => cute::tile_to_shape(a, shape, Some(order)),
        Op::Upcast => cute::upcast(a, *n),
        Op::Downcast => cute::downcast(a, *n),
        Op::Recast => cute::recast(a, *m, *n),
        Op::LayoutAdd => cute::layout_add(a, b),
        Op::GreatestCommonDomain => cute::greatest_common_domain(shape, &b.shape()),
        Op::ColumnMajor => cute::column_major(shape),
        Op::RowMajor => cute::row_major(shape),
        Op::MakeOrderedLayout => cute::make_ordered_layout(shape, order),
        Op::MakeLayoutLike => cute::make_layout_like(a),
        Op::MakeFragmentLike => cute::make_fragment_like(a),
        Op::Dice => cute::dice(a, at),
        Op::MaxCommonVector => return cute::max_common_vector(a, b).map(Answer::Number),
        Op::LocalTile => return cute::local_tile(a, tiler, at).map(Answer::Slice),
        Op::LocalPartition => return cute::local_partition(a, b, index).map(Answer::Slice),
        Op::Slice => return cute::slice(a, at).map(Answer::Slice),
        Op::Crd2Idx => return cute::crd2idx(point, a).map(Answer::Stride),
        Op::Idx2Crd => return cute::idx2crd(index, shape).map(Answer::Tuple),
        Op::Crd2Crd => return cute::crd2crd(point, &a.shape(), shape).map(Answer::Tuple),
        Op::Cosize => return cute::cosize(a).map(Answer::Number),
        Op::Offset => return a.offset(index).map(Answer::Stride),
    };
    layout.map(Answer::Layout)
}
