//! Laws of the operations that construct a layout in a given order.

use super::{CheckResult, first_repeat, hold};
use crate::reference::{self, Layout, Nest, OracleError, ceil_div};

/// A compact layout of a shape, in the given order: R has that shape, reaches each of `[0, size)` once, and a leaf
/// of lower rank in `order` runs faster; among equals, the one further left. An integer of the order stands for all
/// the leaves under it. Column-major is order `0`; row-major is order `(…,2,1,0)`.
///
/// | shape | order | R | |
/// |---|---|---|---|
/// | `(4,8,4)` | `(1,2,0)` | `(4,8,4):(4,16,1)` | held |
/// | `(4,8,4)` | `(1,2,0)` | `(4,8,4):(1,4,32)` | broken: leaf 2 runs before leaf 0, with strides 32 and 1 |
pub fn compact_ordered(shape: &Nest<i64>, order: &Nest<i64>, answer: &Layout) -> CheckResult {
    const LAW: &str = "compact_ordered";
    hold(LAW, answer.shape() == shape, || format!("R has shape {}, not {shape}", answer.shape()))?;
    let ranks = spread(order, shape)?;
    compact_in(LAW, &ranks, answer)
}

/// `make_layout_like(A) = R`: R has the shape of A, its moving leaves are compact and run in the order of A's
/// strides (among equals, the one further left first), and along a leaf of stride 0 it does not move.
pub fn layout_like(a: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "layout_like";
    hold(LAW, answer.shape() == a.shape(), || format!("R has shape {}, not {}", answer.shape(), a.shape()))?;
    let (mut moving, mut ranks) = (Vec::new(), Vec::new());
    for ((extent, stride), (_, step)) in a.int_leaves()?.into_iter().zip(answer.leaves()) {
        if stride == 0 {
            hold(LAW, extent == 1 || step.is_zero(), || format!("{extent}:0 became {extent}:{step}"))?;
        } else {
            moving.push((extent, step));
            ranks.push(stride);
        }
    }
    compact_in(LAW, &ranks, &Layout::flat(&moving))
}

/// `make_fragment_like(A) = R`, A static: R has the shape of A and is compact. Where A has several modes, a leaf of stride 0 of
/// the first is a broadcast, the others of the first run from the left, and those behind it in the order of A's strides (among
/// equals, the one further left first). Where A has one mode, its leaves run from the left.
pub fn fragment_like(a: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "fragment_like";
    hold(LAW, answer.shape() == a.shape(), || format!("R has shape {}, not {}", answer.shape(), a.shape()))?;
    let first = match a.shape() {
        Nest::Node(modes) if modes.len() > 1 => modes.first().map(|mode| mode.leaves().len()),
        _ => None,
    };
    let (mut moving, mut ranks) = (Vec::new(), Vec::new());
    for (at, ((extent, stride), (_, step))) in a.int_leaves()?.into_iter().zip(answer.leaves()).enumerate() {
        let is_behind = first.is_some_and(|first| at >= first);
        if stride == 0 && first.is_some() && !is_behind {
            hold(LAW, extent == 1 || step.is_zero(), || format!("{extent}:0 became {extent}:{step}"))?;
        } else {
            moving.push((extent, step));
            ranks.push((is_behind, if is_behind { stride } else { 0 }));
        }
    }
    compact_in(LAW, &ranks, &Layout::flat(&moving))
}

/// `tile_to_shape(A, target, order) = R`: as many modes as the target, each a whole number of blocks long, the fewest that
/// reach the target's end; within the first
/// block R is A; and the blocks, counted in the order given, stand at A*(0), A*(1), … where A* is the complement that A
/// reaches the target's size with.
pub fn tile_to_shape(a: &Layout, target: &Nest<i64>, order: &Nest<i64>, answer: &Layout) -> CheckResult {
    const LAW: &str = "tile_to_shape";
    let rank = target.rank();
    hold(LAW, answer.rank() == rank && a.rank() <= rank, || {
        format!("rank(R) = {}, but the target has {rank}", answer.rank())
    })?;
    let block = a.padded(rank);
    let (mut extents, mut counts) = (Vec::new(), Vec::new());
    for (at, ((mode, part), new)) in block.modes().iter().zip(target.modes()).zip(answer.modes()).enumerate() {
        let (extent, size, wanted) = (mode.size()?, new.size()?, part.size()?);
        let copies = ceil_div(wanted, extent)?;
        let wanted = reference::mul(copies, extent)?;
        hold(LAW, size == wanted, || format!("mode {at} of R has size {size}, but must have {wanted}"))?;
        extents.push(extent);
        counts.push(Nest::Leaf(copies));
    }
    let size = answer.size()?;
    if size > reference::LIMIT {
        return Err(OracleError::TooLarge(size).into());
    }
    let counts = Nest::Node(counts);
    let ranks = spread(order, &counts)?;
    let whole = a.size()?.checked_mul(counts.size()?).ok_or(OracleError::Overflow)?;
    let Some(free) = reference::complement_reaching(a, whole)? else {
        return hold(LAW, false, || format!("{a} has no complement to stand copies at"));
    };
    let numbers = numbered(&counts, &ranks)?;
    let (inner, outer) =
        (Layout::compact(&Nest::Node(extents.iter().copied().map(Nest::Leaf).collect()))?, Layout::compact(&counts)?);
    let leaves = |of: &Layout| of.shape().leaves().into_iter().copied().collect::<Vec<i64>>();
    for copy in 0..outer.size()? {
        let at = reference::digits(copy, &leaves(&outer));
        let number: i64 = at.iter().zip(&numbers).map(|(digit, step)| digit * step).sum();
        let place = free.offset(number)?;
        for index in 0..inner.size()? {
            let within = reference::digits(index, &extents);
            let coord: Vec<_> = within.iter().zip(&at).zip(&extents).map(|((c, q), e)| Nest::Leaf(c + q * e)).collect();
            let coord = Nest::Node(coord);
            let wanted = block.offset_of(&Nest::Node(within.into_iter().map(Nest::Leaf).collect()))?.plus(&place)?;
            let value = answer.offset_of(&coord)?;
            hold(LAW, value == wanted, || format!("R{coord} = {value}, but must be {wanted}"))?;
        }
    }
    Ok(())
}

/// The rank that an order gives to each leaf of a shape.
fn spread(order: &Nest<i64>, shape: &Nest<i64>) -> Result<Vec<i64>, OracleError> {
    match (order, shape) {
        (Nest::Leaf(rank), _) => Ok(vec![*rank; shape.leaves().len()]),
        (Nest::Node(orders), Nest::Node(shapes)) if orders.len() == shapes.len() => {
            let ranks: Vec<_> =
                orders.iter().zip(shapes).map(|(order, shape)| spread(order, shape)).collect::<Result<_, _>>()?;
            Ok(ranks.concat())
        }
        _ => Err(OracleError::Malformed(format!("order {order} does not fit shape {shape}"))),
    }
}

/// How far each leaf steps when the coordinates of a shape are counted with the lowest rank fastest.
fn numbered(shape: &Nest<i64>, ranks: &[i64]) -> Result<Vec<i64>, OracleError> {
    let mut leaves: Vec<_> = shape.leaves().into_iter().zip(ranks).enumerate().collect();
    leaves.sort_by_key(|(_, (_, rank))| **rank);
    let mut steps = vec![0; leaves.len()];
    let mut next: i64 = 1;
    for (at, (extent, _)) in leaves {
        if let Some(step) = steps.get_mut(at) {
            *step = next;
        }
        next = next.checked_mul(*extent).ok_or(OracleError::Overflow)?;
    }
    Ok(steps)
}

fn compact_in<R: Ord>(law: &'static str, ranks: &[R], answer: &Layout) -> CheckResult {
    let size = answer.size()?;
    let values = answer.int_values()?;
    if let Some(value) = values.iter().find(|value| !(0..size).contains(*value)) {
        hold(law, false, || format!("place {value} is outside [0, {size})"))?;
    }
    if let Some((first, second)) = first_repeat(&values) {
        hold(law, false, || format!("R({first}) = R({second})"))?;
    }
    let mut leaves: Vec<_> =
        answer.int_leaves()?.into_iter().zip(ranks).enumerate().filter(|(_, ((extent, _), _))| *extent != 1).collect();
    leaves.sort_by_key(|(_, (_, rank))| *rank);
    for ((fast, ((_, low), _)), (slow, ((_, high), _))) in leaves.iter().zip(leaves.iter().skip(1)) {
        hold(law, low < high, || format!("leaf {fast} runs before leaf {slow}, with strides {low} and {high}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn ordered_layouts_are_compact_in_order() {
        let check = |shape, order, answer, violation| {
            verdict(compact_ordered(&parsed(shape), &parsed(order), &parsed(answer)), violation)
        };
        check("(4,8,4)", "(1,2,0)", "(4,8,4):(4,16,1)", None);
        check("(4,(2,3))", "0", "(4,(2,3)):(1,(4,8))", None);
        check("(4,(2,3))", "(1,0)", "(4,(2,3)):(6,(1,2))", None);
        check("(1,4)", "(1,0)", "(1,4):(0,1)", None);
        let late = Some("compact_ordered: leaf 2 runs before leaf 0, with strides 32 and 1");
        check("(4,8,4)", "(1,2,0)", "(4,8,4):(1,4,32)", late);
        check("(4,8)", "(0,1)", "(4,8):(1,5)", Some("compact_ordered: place 32 is outside [0, 32)"));
        check("(4,8)", "(0,1)", "(4,8):(1,3)", Some("compact_ordered: R(3) = R(4)"));
        check("(4,8)", "(0,1)", "(8,4):(1,8)", Some("compact_ordered: R has shape (8,4), not (4,8)"));
    }

    #[test]
    fn like_layouts_keep_the_order_of_strides() {
        let check = |a, answer, violation| verdict(layout_like(&parsed(a), &parsed(answer)), violation);
        check("((4,2,2),2):((133,4,33),16)", "((4,2,2),2):((8,1,4),2)", None);
        check("(4,3):(0,7)", "(4,3):(0,1)", None);
        check("1:3", "1:0", None);
        check("(4,3):(0,7)", "(4,3):(1,4)", Some("layout_like: 4:0 became 4:1"));
        check("(4,3):(7,1)", "(4,3):(1,4)", Some("layout_like: leaf 1 runs before leaf 0, with strides 4 and 1"));
    }

    #[test]
    fn fragments_have_a_compact_first_mode() {
        let check = |a, answer, violation| verdict(fragment_like(&parsed(a), &parsed(answer)), violation);
        check("((4,2),(2,3),8):((0,3),(7,100),4)", "((4,2),(2,3),8):((0,1),(16,32),2)", None);
        check("(4,2,8):(9,0,4)", "(4,2,8):(1,4,8)", None);
        check("((4,2)):((0,7))", "((4,2)):((1,4))", None);
        check("(4,2):(0,7)", "(4,2):(1,4)", Some("fragment_like: 4:0 became 4:1"));
        let late = Some("fragment_like: leaf 0 runs before leaf 1, with strides 2 and 1");
        check("(4,2):(9,1)", "(4,2):(2,1)", late);
        let late = Some("fragment_like: leaf 2 runs before leaf 1, with strides 8 and 4");
        check("(4,2,8):(9,100,4)", "(4,2,8):(1,4,8)", late);
    }

    #[test]
    fn blocks_fill_a_shape_in_order() {
        let check = |a, target, order, answer, violation| {
            verdict(tile_to_shape(&parsed(a), &parsed(target), &parsed(order), &parsed(answer)), violation)
        };
        check("(2,2):(1,2)", "(8,8)", "0", "((2,4),(2,4)):((1,4),(2,16))", None);
        check("(8,8):(1,8)", "(8,24)", "(1,0)", "((8,1),(8,3)):((1,0),(8,64))", None);
        check("(2,2):(1,2)", "(8,4)", "(1,0)", "((2,4),(2,2)):((1,8),(2,4))", None);
        // The gaps below 3 and 8 are uneven: the complement that A is to reach 64 with has one step more.
        check("((2,2),8):((3,1),8)", "(8,8)", "0", "(((2,2),2),(8,1)):(((3,1),64),(8,0))", None);
        check("(2,2):(1,2)", "(3,4)", "0", "((2,2),(2,2)):((1,4),(2,8))", None);
        let short = Some("tile_to_shape: mode 0 of R has size 2, but must have 4");
        check("(2,2):(1,2)", "(3,4)", "0", "((2,1),(2,2)):((1,0),(2,4))", short);
        check(
            "(2,2):(1,2)",
            "(8,4)",
            "(1,0)",
            "((2,4),(2,2)):((1,4),(2,16))",
            Some("tile_to_shape: R(2,0) = 4, but must be 8"),
        );
        check(
            "(2,2):(1,2)",
            "(8,4)",
            "0",
            "((2,4),2):((1,4),2)",
            Some("tile_to_shape: mode 1 of R has size 2, but must have 4"),
        );
    }
}
