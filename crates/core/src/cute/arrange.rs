//! How the pairs that divides and products make are gathered: zipped, tiled and flat forms, and mode-wise pairing.
//!
//! All of these only move modes: law, the multiset of `extent:stride` leaves is kept.

use super::layout::{Layout, LayoutBuilder};
use super::tiler::Tiler;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::tuple::Node;

/// Gathers the first halves of the pairs at the tiler's leaves into mode 0, everything else into mode 1.
pub(super) fn zip_by<I: Integer, D: StrideLeaf<I>>(
    layout: Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    // One pair has its halves where they belong.
    if !matches!(tiler, Tiler::Modes(_)) && layout.root().children().count() == 2 {
        return Ok(layout);
    }
    let (mut first, mut second) = (LayoutBuilder::new(), LayoutBuilder::new());
    halves(&layout, layout.root(), tiler, &mut first, &mut second)?;
    Ok(Layout::pair(&first.finish(), &second.finish()))
}

fn halves<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    node: Node<'_>,
    tiler: &Tiler<I, D>,
    first: &mut LayoutBuilder<I, D>,
    second: &mut LayoutBuilder<I, D>,
) -> Result<(), Error> {
    let Tiler::Modes(entries) = tiler else {
        let mut pair = node.children();
        return match (pair.next(), pair.next(), pair.next()) {
            (Some(tile), Some(rest), None) => {
                first.node(layout, tile);
                second.node(layout, rest);
                Ok(())
            }
            _ => Err(error!(
                Code::Profile,
                "`_` leaves {layout} undivided, which is no (tile, rest) pair to gather",
                [layout = layout.at(node)]
            )
            .with_help("use logical_divide, or give the mode's extent, or 1")),
        };
    };
    first.open();
    second.open();
    let mut entries = entries.iter();
    for mode in node.modes() {
        match entries.next() {
            Some(entry) => halves(layout, mode, entry, first, second)?,
            None => second.node(layout, mode),
        }
    }
    first.close();
    second.close();
    Ok(())
}

/// Unpacks mode 1, and mode 0 too if `both`; a mode of rank 1 stays as it is, as in CuTe.
pub(super) fn unpack<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, both: bool) -> Layout<I, D> {
    let mut builder = LayoutBuilder::new();
    builder.open();
    for (at, mode) in layout.root().children().enumerate() {
        if mode.rank() > 1 && (both || at == 1) {
            for inner in mode.children() {
                builder.node(layout, inner);
            }
        } else {
            builder.node(layout, mode);
        }
    }
    builder.close();
    builder.finish()
}

/// The modes of two layouts paired, concatenation mode by mode: ((a0,b0),(a1,b1),…).
///
/// # Errors
/// [`Code::Profile`] when the ranks differ.
///
/// ```
/// use bitstride::{cute::zip, StaticLayout};
/// let (a, b): (StaticLayout, StaticLayout) = ("(2,3):(2,4)".parse()?, "(2,2):(1,12)".parse()?);
/// assert_eq!(zip(&a, &b)?.to_string(), "((2,2),(3,2)):((2,1),(4,12))");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn zip<I: Integer, D: StrideLeaf<I>>(a: &Layout<I, D>, b: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    if a.rank() != b.rank() {
        return Err(error!(
            Code::Profile,
            "zip pairs modes: {a} has {rank} of them, {b} has {b_rank}",
            [a, rank = a.rank(), b, b_rank = b.rank()]
        ));
    }
    Ok(pair_modes(a, b, a.root().is_leaf() || b.root().is_leaf()))
}

/// Pairs the modes of two layouts of one rank: ((a0,b0),(a1,b1),…). Where one is a single mode, so is the other, whole.
pub(super) fn pair_modes<I: Integer, D: StrideLeaf<I>>(
    a: &Layout<I, D>,
    b: &Layout<I, D>,
    single: bool,
) -> Layout<I, D> {
    if single {
        return Layout::of(&[Layout::pair(a, b)]);
    }
    let mut builder = LayoutBuilder::new();
    builder.open();
    for (a_mode, b_mode) in a.root().children().zip(b.root().children()) {
        builder.open();
        builder.node(a, a_mode);
        builder.node(b, b_mode);
        builder.close();
    }
    builder.close();
    builder.finish()
}
