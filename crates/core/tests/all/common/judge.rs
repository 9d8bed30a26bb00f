//! The law of each operation, held against its answer or its refusal.
//!
//! Laws speak of the plain types of [`bitstride_oracle::reference`]; values go there as text.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

use bitstride::cute::{self, Tiler};
use bitstride::{Code, Error, Integer, StrideLeaf, Tuple};
use bitstride_oracle::laws::{self, Violation};
use bitstride_oracle::reference::{self, Form, Layout, Nest, OracleError, Point};

use super::operation::{Answer, Op, Operands, apply};

/// How a judgement went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Answered, and the law holds.
    Held,
    /// Refused, and rightly so.
    Refused,
    /// More elements than the laws count.
    Uncounted,
}

type CheckResult = Result<(), Violation>;
type Statics = Operands<i64, i64>;

/// Holds an operation on static operands to its law; the error says what broke it.
pub fn judge(op: Op, operands: &Statics) -> Result<Verdict, String> {
    let answer = apply(op, operands);
    let (held, verdict) = match &answer {
        Ok(answer) => (lawful(op, operands, answer, true), Verdict::Held),
        Err(error) => (refused(op, operands, error), Verdict::Refused),
    };
    match held {
        Ok(()) => Ok(verdict),
        Err(violation) if violation.is_undecided() => Ok(Verdict::Uncounted),
        Err(violation) => Err(format!("{op:?} gives {}\n  {violation}\n  {operands}", text(&answer))),
    }
}

/// An answer or an error as text.
pub fn text<T: Display>(answer: &Result<T, Error>) -> String {
    match answer {
        Ok(answer) => answer.to_string(),
        Err(error) => error.to_string(),
    }
}

pub fn plain<T: FromStr<Err = OracleError>>(value: &impl Display) -> Result<T, Violation> {
    Ok(value.to_string().parse::<T>()?)
}

fn hold(law: &'static str, truth: bool, witness: impl FnOnce() -> String) -> CheckResult {
    if truth { Ok(()) } else { Err(Violation { law, witness: witness() }) }
}

/// Holds an answer to the law of its operation. An answer that was given before some numbers were known (`exact` unset)
/// may keep modes that the numbers would merge.
pub fn lawful(op: Op, operands: &Statics, answer: &Answer<i64, i64>, exact: bool) -> CheckResult {
    let a: Layout = plain(&operands.a)?;
    let shape = || plain::<Nest<i64>>(&operands.shape);
    let order = || plain::<Nest<i64>>(&operands.order);
    let b = || plain::<Layout>(&operands.b);
    match answer {
        Answer::Layout(layout) => {
            let r: Layout = plain(layout)?;
            let merged = || if exact { Ok(r.clone()) } else { reference::coalesce(&r) };
            match op {
                Op::Coalesce => laws::coalesce(&a, &merged()?),
                Op::CoalesceBy if exact => laws::coalesce_by(&a, &shape()?, &r),
                Op::CoalesceBy => laws::coalesce_by(&a, &shape()?, &reference::coalesce_by(&r, &shape()?)?),
                Op::Filter => laws::filter(&a, &merged()?),
                Op::FilterBy => filter_by(&a, &shape()?, &r, exact),
                Op::FilterZeros => laws::filter_zeros(&a, &r),
                Op::Composition => laws::composition(&a, &b()?, &r),
                Op::ComposeTiler => laws::composition_by(&a, &plain(&operands.tiler)?, &r),
                Op::Complement => laws::complement(&a, &shape()?, &r),
                Op::ComplementWithin => laws::complement(&a, &Nest::Leaf(1), &r),
                Op::RightInverse => laws::right_inverse(&a, &r),
                Op::LeftInverse => laws::left_inverse(&a, &r),
                Op::Nullspace => laws::nullspace(&a, &r),
                Op::MaxCommonLayout => laws::max_common_layout(&a, &b()?, &r),
                Op::DomainDistribute => distributed(&shape()?, operands.index, &r),
                Op::LogicalDivide | Op::ZippedDivide | Op::TiledDivide | Op::FlatDivide => {
                    laws::divide(&a, &plain(&operands.tiler)?, form(op), &r)
                }
                Op::LogicalProduct | Op::ZippedProduct | Op::TiledProduct | Op::FlatProduct => {
                    let tiler = plain(&operands.tiler)?;
                    laws::product(&a, &tiler, form(op), &r)?;
                    match tiler {
                        reference::Tiler::Layout(tile) if op == Op::LogicalProduct => {
                            laws::product_copies(&a, &tile, &r)
                        }
                        _ => Ok(()),
                    }
                }
                Op::BlockedProduct => laws::blocked_product(&a, &b()?, &r),
                Op::RakedProduct => laws::raked_product(&a, &b()?, &r),
                Op::TileToShape => laws::tile_to_shape(&a, &shape()?, &Nest::Leaf(0), &r),
                Op::TileToShapeOrdered => laws::tile_to_shape(&a, &shape()?, &order()?, &r),
                Op::Upcast => laws::upcast(&a, operands.n, &r),
                Op::Downcast => laws::downcast(&a, operands.n, &r),
                Op::Recast => laws::recast(&a, operands.m, operands.n, &r),
                Op::LayoutAdd => laws::layout_add(&a, &b()?, &r),
                Op::GreatestCommonDomain => common_domain(&shape()?, b()?.shape(), &r),
                Op::ColumnMajor => laws::compact_ordered(&shape()?, &Nest::Leaf(0), &r),
                Op::RowMajor => laws::compact_ordered(&shape()?, &falling(&shape()?), &r),
                Op::MakeOrderedLayout => laws::compact_ordered(&shape()?, &order()?, &r),
                Op::MakeLayoutLike => laws::layout_like(&a, &r),
                Op::MakeFragmentLike => laws::fragment_like(&a, &r),
                Op::Dice => laws::dice(&a, &coordinate(operands)?, &r),
                other => hold("judge", false, || format!("{other:?} gives no layout")),
            }
        }
        Answer::Slice(slice) => {
            let (r, offset): (Layout, Point) = (plain(&slice.layout)?, plain(&slice.offset)?);
            let tiles = |tiler| plain::<Layout>(&cute::zipped_divide(&operands.a, tiler).map_err(undecided)?);
            match op {
                Op::Slice => laws::slice(&a, &coordinate(operands)?, &r, &offset),
                Op::LocalTile => local_tile(&tiles(&operands.tiler)?, coordinate(operands)?, &r, &offset),
                Op::LocalPartition => {
                    let tiler = threads_tiler(&operands.b).map_err(undecided)?;
                    local_partition(&tiles(&tiler)?, &b()?, operands.index, &r, &offset)
                }
                other => hold("judge", false, || format!("{other:?} gives no slice")),
            }
        }
        Answer::Tuple(tuple) => {
            let coordinate: Nest<i64> = plain(tuple)?;
            match op {
                Op::Idx2Crd => laws::idx2crd(operands.index, &shape()?, &coordinate),
                Op::Crd2Crd => {
                    let index = Layout::compact(a.shape())?.offset_of(&plain(&operands.point)?)?.to_int()?;
                    laws::idx2crd(index, &shape()?, &coordinate)
                }
                other => hold("judge", false, || format!("{other:?} gives no tuple")),
            }
        }
        Answer::Stride(stride) => {
            let wanted = match op {
                Op::Crd2Idx => a.offset_of(&plain(&operands.point)?)?,
                _ => a.offset(operands.index)?,
            };
            hold("offset", wanted == Point::int(*stride), || format!("{stride}, but must be {wanted}"))
        }
        Answer::Number(number) => match op {
            Op::Cosize => {
                let wanted = a.cosize()?;
                hold("cosize", wanted == *number, || format!("{number}, but must be {wanted}"))
            }
            _ => match apply(Op::MaxCommonLayout, operands) {
                // Leaves that were not static may have cut the common part short, but never past what both reach.
                Ok(Answer::Layout(_)) if !exact => {
                    let both: Vec<i64> = a
                        .int_values()?
                        .into_iter()
                        .zip(b()?.int_values()?)
                        .filter(|(a, b)| a == b)
                        .map(|(a, _)| a)
                        .collect();
                    let most = (0..).find(|offset| !both.contains(offset)).unwrap_or(i64::MAX);
                    hold("max_common_vector", *number <= most, || format!("{number}, but only {most} are common"))
                }
                Ok(Answer::Layout(common)) => laws::max_common_vector(&a, &b()?, &plain(&common)?, *number),
                other => hold("max_common_vector", false, || format!("there is no common layout: {}", text(&other))),
            },
        },
    }
}

/// The law of filter on each mode that the profile has a leaf for; the others stay.
fn filter_by(a: &Layout, profile: &Nest<i64>, answer: &Layout, exact: bool) -> CheckResult {
    let Nest::Node(entries) = profile else {
        return laws::filter(a, &if exact { answer.clone() } else { reference::coalesce(answer)? });
    };
    for (at, (mode, new)) in a.modes().iter().zip(answer.modes()).enumerate() {
        match entries.get(at) {
            Some(entry) => filter_by(mode, entry, &new, exact)?,
            None => hold("filter_by", *mode == new, || format!("{mode} became {new}"))?,
        }
    }
    hold("filter_by", a.rank() == answer.rank(), || format!("rank(R) = {}, not {}", answer.rank(), a.rank()))
}

fn undecided(error: Error) -> Violation {
    Violation { law: "judge", witness: error.to_string() }
}

/// Holds a refusal to be right: no answer exists, or the operands do not fit each other.
fn refused(op: Op, operands: &Statics, error: &Error) -> CheckResult {
    let a: Layout = plain(&operands.a)?;
    let b = || plain::<Layout>(&operands.b);
    let tiler = || plain::<reference::Tiler>(&operands.tiler);
    let code = error.code();
    let small = !matches!(code, Code::Overflow | Code::Undecided | Code::MissingFact);
    hold("refusal", small, || format!("{code:?} on small static operands"))?;
    let only = |allowed: &[Code]| hold("refusal", allowed.contains(&code), || format!("{code:?} is no reason here"));
    match op {
        Op::Composition => {
            only(&[Code::Split, Code::Carry])?;
            laws::composition_refusal(&a, &b()?)
        }
        Op::ComposeTiler => laws::composition_by_refusal(&a, &tiler()?),
        Op::Complement => laws::complement_refusal(&a, &plain(&operands.shape)?),
        Op::ComplementWithin => laws::complement_refusal(&a, &Nest::Leaf(1)),
        Op::LeftInverse => {
            only(&[Code::NoInverse])?;
            let chain = reference::left_inverse(&a)?;
            match chain.filter(|chain| laws::left_inverse(&a, chain).is_ok()) {
                Some(chain) => hold("left_inverse_refusal", false, || format!("{chain} undoes it")),
                None => none_of_two_modes(&a),
            }
        }
        Op::LogicalDivide | Op::ZippedDivide | Op::TiledDivide | Op::FlatDivide => {
            laws::divide_refusal(&a, &tiler()?, form(op))
        }
        Op::LogicalProduct | Op::ZippedProduct | Op::TiledProduct | Op::FlatProduct => {
            laws::product_refusal(&a, &tiler()?, form(op)).or_else(|violation| copies_meet(&a, &tiler()?, violation))
        }
        Op::BlockedProduct | Op::RakedProduct => unproducible(&a, &b()?),
        Op::TileToShape | Op::TileToShapeOrdered => match code {
            Code::Profile => Ok(()),
            _ => {
                let counts = operands.a.modes().into_iter().zip(operands.shape.entries());
                let counts = counts.map(|(mode, extent)| extent.size()?.ceil_div(&mode.size()?));
                let mut counts: Vec<i64> = counts.collect::<Result<_, _>>().map_err(undecided)?;
                counts.extend(operands.shape.entries().iter().skip(counts.len()).filter_map(|n| n.size().ok()));
                let shape = Tuple::flat(&counts);
                let order = if op == Op::TileToShape { Tuple::leaf(0) } else { operands.order.clone() };
                let copies = apply(Op::MakeOrderedLayout, &Operands { shape, order, ..operands.clone() });
                match copies {
                    Ok(Answer::Layout(copies)) => unproducible(&a, &plain(&copies)?),
                    _ => Ok(()),
                }
            }
        },
        Op::Upcast => laws::upcast_refusal(&a, operands.n),
        Op::Downcast => laws::downcast_refusal(&a, operands.n),
        Op::Recast => only(&[Code::NotDivisible]),
        Op::LayoutAdd => laws::layout_add_refusal(&a, &b()?),
        Op::LocalTile | Op::LocalPartition => {
            only(&[Code::Profile, Code::Split, Code::Carry, Code::Overlap, Code::Range])
        }
        Op::CoalesceBy | Op::FilterBy | Op::Slice | Op::Dice | Op::Crd2Idx | Op::Crd2Crd | Op::MakeOrderedLayout => {
            only(&[Code::Profile])
        }
        _ => hold("refusal", false, || format!("{op:?} is never refused")),
    }
}

/// No layout of two modes comes back: tried for small layouts of two modes, of one sign or injective.
fn none_of_two_modes(a: &Layout) -> CheckResult {
    let values = a.int_values()?;
    let leaves = reference::coalesce(a)?.int_leaves()?;
    let one_sign = [1, -1].iter().any(|sign| leaves.iter().all(|(_, stride)| stride.signum() != *sign));
    let injective = values.iter().collect::<BTreeSet<_>>().len() == values.len();
    if values.len() > 16 || leaves.len() > 2 || !(one_sign || injective) {
        return Ok(());
    }
    match reference::left_inverse_of_two_modes(a)? {
        Some(found) => hold("left_inverse_refusal", false, || format!("{found} undoes it")),
        None => Ok(()),
    }
}

pub fn form(op: Op) -> Form {
    match op {
        Op::ZippedDivide | Op::ZippedProduct => Form::Zipped,
        Op::TiledDivide | Op::TiledProduct => Form::Tiled,
        Op::FlatDivide | Op::FlatProduct => Form::Flat,
        _ => Form::Logical,
    }
}

/// No blocked or raked product of two layouts exists, or its copies would meet.
fn unproducible(a: &Layout, b: &Layout) -> CheckResult {
    let rank = a.rank().max(b.rank());
    let tiler = reference::Tiler::Layout(b.padded(rank));
    laws::product_refusal(&a.padded(rank), &tiler, Form::Logical)
        .or_else(|violation| copies_meet(&a.padded(rank), &tiler, violation))
}

/// Where the only copies there could be meet each other in some mode, the refusal stands.
fn copies_meet(a: &Layout, tiler: &reference::Tiler, violation: Violation) -> CheckResult {
    match tiler {
        reference::Tiler::Keep => Err(violation),
        reference::Tiler::Layout(tile) => match reference::product(a, tiler)? {
            Some(cut) => match laws::product_copies(a, tile, &cut.arrange(Form::Logical)?) {
                Ok(()) => Err(violation),
                Err(_) => Ok(()),
            },
            None => Ok(()),
        },
        reference::Tiler::Modes(tilers) => {
            let mut modes = a.modes().into_iter().zip(tilers);
            modes
                .try_fold((), |(), (mode, tiler)| match copies_meet(&mode, tiler, violation.clone()) {
                    Ok(()) => Err(()),
                    Err(_) => Ok(()),
                })
                .map_or(Ok(()), |()| Err(violation.clone()))
        }
    }
}

pub fn coordinate(operands: &Statics) -> Result<Nest<Option<i64>>, Violation> {
    plain(&operands.at.map(|n| n.map_or_else(|| "_".to_owned(), |n| n.to_string())))
}

/// Ranks that fall from the left.
fn falling(shape: &Nest<i64>) -> Nest<i64> {
    let mut rank = 0;
    shape.map(&mut |_| {
        rank -= 1;
        rank
    })
}

/// Ordered indices of a shape, as many as divide the number asked for.
fn distributed(shape: &Nest<i64>, wanted: i64, answer: &Layout) -> CheckResult {
    let (values, size) = (answer.int_values()?, shape.size()?);
    let rising = values.iter().zip(values.iter().skip(1)).all(|(low, high)| low < high);
    hold("domain_distribute", rising, || format!("{answer} does not rise"))?;
    let inside = values.iter().all(|n| (0..size).contains(n));
    hold("domain_distribute", inside, || format!("{answer} leaves the shape {shape}"))?;
    let many = answer.size()?;
    hold("domain_distribute", wanted % many == 0, || format!("{many} does not divide {wanted}"))
}

/// Ordered indices, along each mode of which both coordinates move in a straight line.
fn common_domain(s: &Nest<i64>, t: &Nest<i64>, answer: &Layout) -> CheckResult {
    const LAW: &str = "greatest_common_domain";
    let values = answer.int_values()?;
    let rising = values.iter().zip(values.iter().skip(1)).all(|(low, high)| low < high);
    hold(LAW, rising, || format!("{answer} does not rise"))?;
    for shape in [s, t] {
        let size = shape.size()?;
        let extents: Vec<i64> = shape.leaves().into_iter().copied().collect();
        let inside = values.iter().all(|n| (0..size).contains(n));
        hold(LAW, inside, || format!("{answer} leaves the shape {shape}"))?;
        for (extent, stride) in answer.int_leaves()? {
            let unit = reference::digits(stride, &extents);
            let moving = unit.iter().filter(|n| **n != 0).count();
            hold(LAW, moving <= 1, || format!("{extent}:{stride} steps along {moving} modes of {shape}"))?;
            for step in 0..extent {
                let wanted: Vec<i64> = unit.iter().map(|n| n * step).collect();
                let there = reference::digits(stride * step, &extents);
                hold(LAW, there == wanted, || format!("{extent}:{stride} turns at {step} in {shape}"))?;
            }
        }
    }
    Ok(())
}

/// The tiles at a coordinate of the tiles.
pub fn local_tile(tiles: &Layout, at: Nest<Option<i64>>, answer: &Layout, offset: &Point) -> CheckResult {
    let rest = tiles.modes().get(1).map_or(0, Layout::rank);
    let at = match at {
        Nest::Node(mut entries) => {
            while entries.len() < rest {
                entries.push(Nest::Leaf(None));
            }
            Nest::Node(entries)
        }
        index => index,
    };
    laws::slice(tiles, &Nest::Node(vec![Nest::Leaf(None), at]), answer, offset)
}

/// What the thread of a number sees of every tile; where two threads have one number, either.
pub fn local_partition(tiles: &Layout, threads: &Layout, thread: i64, answer: &Layout, offset: &Point) -> CheckResult {
    let mut seen = None;
    for (index, number) in (0..).zip(threads.int_values()?) {
        if number == thread {
            let at = Nest::Node(vec![Nest::Leaf(Some(index)), Nest::Leaf(None)]);
            match laws::slice(tiles, &at, answer, offset) {
                Ok(()) => return Ok(()),
                Err(violation) => seen = Some(violation),
            }
        }
    }
    match seen {
        Some(violation) => Err(violation),
        None => hold("local_partition", false, || format!("no thread of {threads} is number {thread}")),
    }
}

/// The tiler of a layout of threads: as many elements of each mode as it has threads there.
pub fn threads_tiler<I: Integer, D: StrideLeaf<I>>(threads: &cute::Layout<I, D>) -> Result<Tiler<I, D>, Error> {
    let extents: Result<Vec<I>, Error> = threads.modes().iter().map(cute::Layout::size).collect();
    let tiler = Tiler::of_shape(&Tuple::flat(&extents?));
    Ok(match tiler {
        Tiler::Modes(mut modes) if threads.root().is_leaf() => modes.remove(0),
        tiler => tiler,
    })
}
