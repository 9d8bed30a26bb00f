//! The laws of answers that were given before all numbers were known.
//!
//! Such an answer may keep modes that the numbers merge, and take the complement of a shape where the numbers would
//! allow a smaller one. What it must keep is the meaning: each piece is lawful, and the whole is made of the pieces.

use bitstride::cute::Tiler;
use bitstride::{Error, Int, Integer, Layout, Stride, Tuple};
use bitstride_oracle::laws::{self, Violation};
use bitstride_oracle::reference::{self, Form};

use super::judge::{coordinate, form, lawful, local_partition, local_tile, plain, threads_tiler};
use super::lift::{lower, lowered};
use super::operation::{Answer, Op, Operands, apply};

type General = Operands<Int, Stride>;
type CheckResult = Result<(), Violation>;

/// How leaves become numbers.
pub type Number<'n> = dyn Fn(&Int) -> Result<i64, Error> + 'n;

/// Holds an answer to its law, for the numbers given.
pub fn lawful_for(op: Op, operands: &General, answer: &Answer<Int, Stride>, number: &Number<'_>) -> CheckResult {
    match (op, answer) {
        (Op::LogicalDivide, Answer::Layout(answer)) => divided(operands, &operands.a, &operands.tiler, answer, number),
        (Op::LogicalProduct, Answer::Layout(answer)) => repeated(&operands.a, &operands.tiler, answer, number),
        (Op::ZippedDivide | Op::TiledDivide | Op::FlatDivide, Answer::Layout(answer)) => {
            arranged(op, Op::LogicalDivide, operands, answer, number)
        }
        (Op::ZippedProduct | Op::TiledProduct | Op::FlatProduct, Answer::Layout(answer)) => {
            arranged(op, Op::LogicalProduct, operands, answer, number)
        }
        (Op::BlockedProduct | Op::RakedProduct, Answer::Layout(answer)) => {
            paired(&operands.a, &operands.b, answer, op == Op::RakedProduct, number)
        }
        (Op::TileToShape | Op::TileToShapeOrdered, Answer::Layout(answer)) => {
            fills(&in_numbers(&operands.a, number)?, &operands.shape, &in_numbers(answer, number)?, number)
        }
        (Op::LocalTile | Op::LocalPartition, Answer::Slice(slice)) => {
            let statics = lowered(operands, number).map_err(failed)?;
            let Answer::Slice(new) = lower(answer, number).map_err(failed)? else {
                return hold("slice", false, slice.to_string());
            };
            let (new, offset) = (plain(&new.layout)?, plain(&new.offset)?);
            let threads = if op == Op::LocalTile {
                operands.tiler.clone()
            } else {
                threads_tiler(&operands.b).map_err(failed)?
            };
            let divided = Operands { tiler: threads, ..operands.clone() };
            let tiles = apply(Op::ZippedDivide, &divided).map_err(failed)?;
            lawful_for(Op::ZippedDivide, &divided, &tiles, number)?;
            let tiles: reference::Layout = plain(&lower(&tiles, number).map_err(failed)?)?;
            if op == Op::LocalTile {
                return local_tile(&tiles, coordinate(&statics)?, &new, &offset);
            }
            let threads: reference::Layout = plain(&statics.b)?;
            if !threads.int_values()?.contains(&statics.index) {
                // The unknown thread is one of those, or there is nothing to hold.
                return Ok(());
            }
            local_partition(&tiles, &threads, statics.index, &new, &offset)
        }
        _ => {
            let statics = lowered(operands, number).map_err(failed)?;
            let mut strides = statics.a.strides().to_vec();
            strides.sort_unstable();
            if op == Op::MakeLayoutLike && strides.windows(2).any(|pair| pair.first() == pair.last()) {
                // Of equal strides either may be called the lesser.
                return Ok(());
            }
            lawful(op, &statics, &lower(answer, number).map_err(failed)?, false)
        }
    }
}

fn failed(error: Error) -> Violation {
    Violation { law: "numbers", witness: error.to_string() }
}

fn hold(law: &'static str, truth: bool, witness: String) -> CheckResult {
    if truth { Ok(()) } else { Err(Violation { law, witness }) }
}

fn in_numbers(layout: &Layout, number: &Number<'_>) -> Result<reference::Layout, Violation> {
    match lower(&Answer::Layout(layout.clone()), number).map_err(failed)? {
        Answer::Layout(layout) => plain(&layout),
        other => plain(&other),
    }
}

/// `R = A o (B, B*)` in each mode that is cut, with a lawful complement; the other modes stay.
fn divided(operands: &General, a: &Layout, tiler: &Tiler, answer: &Layout, number: &Number<'_>) -> CheckResult {
    let tile = match tiler {
        Tiler::Keep => return hold("divide", a == answer, format!("{a} became {answer}")),
        Tiler::Modes(entries) => {
            for (at, (mode, new)) in a.modes().iter().zip(answer.modes()).enumerate() {
                divided(operands, mode, entries.get(at).unwrap_or(&Tiler::Keep), &new, number)?;
            }
            return hold("divide", a.rank() == answer.rank(), format!("{a} became {answer}"));
        }
        Tiler::Layout(tile) => tile.clone(),
        Tiler::Extent(n) => mode(n),
    };
    let whole = match apply(Op::Coalesce, &Operands { a: a.clone(), ..operands.clone() }).map_err(failed)? {
        Answer::Layout(merged) => merged.shape(),
        _ => a.shape(),
    };
    // A single element asks for no copies.
    let whole = if whole.as_leaf().is_some_and(|n| n.is(1)) { Tuple::of(&[]) } else { whole };
    let rest = Operands { a: tile.clone(), shape: whole, ..operands.clone() };
    let Answer::Layout(rest_of) = apply(Op::Complement, &rest).map_err(failed)? else {
        return hold("divide", false, "no complement".to_owned());
    };
    lawful_for(Op::Complement, &rest, &Answer::Layout(rest_of.clone()), number)?;
    let argument = in_numbers(&Layout::of(&[tile, rest_of]), number)?;
    let (a, answer) = (in_numbers(a, number)?, in_numbers(answer, number)?);
    laws::composition(&a, &argument, &answer)?;
    let reached = argument.int_values()?;
    let left = (0..a.size()?).find(|index| !reached.contains(index));
    hold("divide", left.is_none(), format!("index {left:?} of {a} is not reached by {argument}"))
}

/// The block stays, and its copies do not meet, in each mode that is repeated.
fn repeated(a: &Layout, tiler: &Tiler, answer: &Layout, number: &Number<'_>) -> CheckResult {
    let tile = match tiler {
        Tiler::Keep => return hold("product", a == answer, format!("{a} became {answer}")),
        Tiler::Modes(entries) => {
            for (at, (mode, new)) in a.modes().iter().zip(answer.modes()).enumerate() {
                repeated(mode, entries.get(at).unwrap_or(&Tiler::Keep), &new, number)?;
            }
            return hold("product", a.rank() == answer.rank(), format!("{a} became {answer}"));
        }
        Tiler::Layout(tile) => tile.clone(),
        Tiler::Extent(n) => mode(n),
    };
    laws::product_copies(&in_numbers(a, number)?, &in_numbers(&tile, number)?, &in_numbers(answer, number)?)
}

fn mode(extent: &Int) -> Layout {
    Layout::new(Tuple::leaf(extent.clone()), Tuple::leaf(Stride::Int(Int::from(1)))).expect("one mode")
}

/// Another form holds the pieces of the logical one, which is lawful.
fn arranged(op: Op, logical: Op, operands: &General, answer: &Layout, number: &Number<'_>) -> CheckResult {
    let pieces = apply(logical, operands).map_err(failed)?;
    lawful_for(logical, operands, &pieces, number)?;
    let Answer::Layout(pieces) = pieces else { return hold("arranged", false, "no layout".to_owned()) };
    let tiler = lowered(operands, number).map_err(failed)?.tiler;
    // A single rest stays in its brackets, as in CuTe, so the modes are the same but for brackets.
    let (pieces, answer) = (in_numbers(&pieces, number)?, in_numbers(answer, number)?);
    let wanted = reference::Cut::of_logical(&pieces, &plain(&tiler)?)?.arrange(form(op))?;
    hold("arranged", wanted.leaves() == answer.leaves(), format!("the pieces of {pieces} make {wanted}"))
}

/// Mode by mode the pair of the block's mode and the copies'; as one product it is lawful.
fn paired(a: &Layout, b: &Layout, answer: &Layout, raked: bool, number: &Number<'_>) -> CheckResult {
    let (first, second) = if raked { (1, 0) } else { (0, 1) };
    let part = |path: &[usize]| in_numbers(&answer.get(path).map_err(failed)?, number);
    let rank = a.rank().max(b.rank());
    let (a, b) = (in_numbers(a, number)?, in_numbers(b, number)?);
    // A pair of single modes holds them whole.
    if rank == 1 && (a.shape().depth() == 0 || b.shape().depth() == 0) {
        let whole = reference::Layout::join(vec![part(&[0, first])?, part(&[0, second])?]);
        return laws::product_copies(&a, &b, &whole);
    }
    let half = |at: usize| -> Result<reference::Layout, Violation> {
        let modes: Result<Vec<_>, Violation> = (0..rank).map(|mode| part(&[mode, at])).collect();
        Ok(reference::Layout::join(modes?))
    };
    let whole = reference::Layout::join(vec![half(first)?, half(second)?]);
    laws::product_copies(&a.padded(rank), &b.padded(rank), &whole)
}

/// As many elements along each mode as the target, the block at the origin, and no element twice.
fn fills(a: &reference::Layout, shape: &Tuple<Int>, answer: &reference::Layout, number: &Number<'_>) -> CheckResult {
    const LAW: &str = "tile_to_shape";
    let target = shape.try_map(number).map_err(failed)?;
    let sizes: Vec<i64> = answer.modes().iter().map(reference::Layout::size).collect::<Result<_, _>>()?;
    let wanted: Vec<i64> = target.entries().iter().map(Tuple::size).collect::<Result<_, _>>().map_err(failed)?;
    let block = a.padded(answer.rank());
    let extents: Vec<i64> = block.modes().iter().map(reference::Layout::size).collect::<Result<_, _>>()?;
    let blocks = wanted.iter().zip(&extents).map(|(wanted, extent)| reference::ceil_div(*wanted, *extent));
    let blocks: Vec<i64> = blocks.collect::<Result<_, _>>()?;
    let whole = blocks.iter().zip(&extents).map(|(blocks, extent)| blocks * extent);
    hold(LAW, whole.eq(sizes), format!("{answer} does not fill {target} by whole blocks"))?;
    for index in 0..block.size()? {
        let at = reference::digits(index, &extents).into_iter().map(reference::Nest::Leaf).collect();
        let at = reference::Nest::Node(at);
        let (old, new) = (block.offset_of(&at)?, answer.offset_of(&at)?);
        hold(LAW, old == new, format!("the block gives {old} at {at}, the answer {new}"))?;
    }
    let (mut before, mut after) = (a.int_values()?, answer.int_values()?);
    for values in [&mut before, &mut after] {
        values.sort_unstable();
    }
    let repeats = |values: &[i64]| values.iter().zip(values.iter().skip(1)).any(|(low, high)| low == high);
    hold(LAW, repeats(&before) || !repeats(&after), format!("{answer} reaches a place twice"))
}
