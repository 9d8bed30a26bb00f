//! Tilers: what a layout is composed with, divided by or repeated over, mode by mode.
//!
//! `<3:4, 8:2>` treats mode 0 by `3:4` and mode 1 by `8:2`; an integer `n` stands for `n:1`, `_` leaves its mode as
//! it is, and tilers nest. A bare layout is the tiler that treats the whole layout at once.

use std::borrow::Cow;
use std::fmt;

use super::layout::{Layout, LayoutBuilder};
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::{Node, Tuple, need_extents};

/// What a leaf of a tiler does to the part of a layout it treats.
type Whole<'o, I, D> = dyn Fn(&Layout<I, D>, &Tiler<I, D>) -> Result<Layout<I, D>, Error> + 'o;

/// A tiler.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler<I = Int, D = Stride> {
    /// One layout for the whole of what it treats.
    Layout(Layout<I, D>),
    /// The first `n` elements.
    Extent(I),
    /// `_`: leave it.
    Keep,
    /// One tiler for each of the first modes.
    Modes(Vec<Tiler<I, D>>),
}

impl<I: Integer, D: StrideLeaf<I>> Tiler<I, D> {
    /// The tiler of a shape: each integer a number of elements of its mode.
    pub fn of_shape(shape: &Tuple<I>) -> Self {
        match shape.as_leaf() {
            Some(extent) => Tiler::Extent(extent.clone()),
            None => Tiler::Modes(shape.entries().iter().map(Tiler::of_shape).collect()),
        }
    }

    /// The layout that this leaf of a tiler stands for in divides and products; size-1 gets stride 0.
    pub(crate) fn as_layout(&self) -> Option<Cow<'_, Layout<I, D>>> {
        match self {
            Tiler::Layout(layout) => Some(Cow::Borrowed(layout)),
            Tiler::Extent(extent) => {
                let stride = if extent.is(1) { D::default() } else { D::from(I::from(1)) };
                Some(Cow::Owned(Layout::mode(extent.clone(), stride)))
            }
            Tiler::Keep | Tiler::Modes(_) => None,
        }
    }

    /// Treats a layout mode by mode: `whole` at the leaves; modes beyond the tiler stay, unless `drop` is set.
    pub(crate) fn apply(
        &self,
        layout: &Layout<I, D>,
        name: &str,
        drop: bool,
        whole: &Whole<'_, I, D>,
    ) -> Result<Layout<I, D>, Error> {
        match self {
            Tiler::Layout(_) => whole(layout, self),
            _ => self.apply_at(layout, layout.root(), name, drop, whole),
        }
    }

    fn apply_at(
        &self,
        layout: &Layout<I, D>,
        node: Node<'_>,
        name: &str,
        drop: bool,
        whole: &Whole<'_, I, D>,
    ) -> Result<Layout<I, D>, Error> {
        match self {
            Tiler::Keep => Ok(layout.at(node)),
            Tiler::Layout(_) => whole(&layout.at(node), self),
            Tiler::Extent(extent) => {
                need_extents(std::slice::from_ref(extent))?;
                whole(&layout.at(node), self)
            }
            Tiler::Modes(entries) => {
                let rank = node.rank();
                if entries.len() > rank {
                    return Err(error!(
                        Code::Profile,
                        "{name}: the tiler {tiler} has {entries} entries, {layout} is of rank {rank}",
                        [name, tiler = self, entries = entries.len(), layout = layout.at(node), rank]
                    )
                    .with_help(
                        "give at most one entry a mode; `make_layout((4,8))` is a layout, where `(4,8)` is a tiler",
                    ));
                }
                let mut builder = LayoutBuilder::new();
                builder.open();
                let mut entries = entries.iter();
                for mode in node.modes() {
                    match entries.next() {
                        Some(entry) => builder.append(&entry.apply_at(layout, mode, name, drop, whole)?),
                        None if drop => break,
                        None => builder.node(layout, mode),
                    }
                }
                builder.close();
                Ok(builder.finish())
            }
        }
    }
}

impl<I: Integer, D: StrideLeaf<I>> From<Layout<I, D>> for Tiler<I, D> {
    fn from(layout: Layout<I, D>) -> Self {
        Tiler::Layout(layout)
    }
}

impl Tiler {
    /// As the C++ spelling has it: `<_3:_1, _8>`.
    pub fn cpp(&self) -> String {
        match self {
            Tiler::Layout(layout) => layout.cpp(),
            Tiler::Extent(extent) => extent.cpp(),
            Tiler::Keep => "_".into(),
            Tiler::Modes(entries) => {
                format!("<{}>", entries.iter().map(Tiler::cpp).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl<I: Integer, D: StrideLeaf<I>> fmt::Display for Tiler<I, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tiler::Layout(layout) => write!(f, "{layout}"),
            Tiler::Extent(extent) => write!(f, "{extent}"),
            Tiler::Keep => f.write_str("_"),
            Tiler::Modes(entries) => {
                f.write_str("<")?;
                for (at, entry) in entries.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{entry}")?;
                }
                f.write_str(">")
            }
        }
    }
}
