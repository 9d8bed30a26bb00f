//! The law of each recorded operation, tried on an answer by enumeration.
//!
//! Operands and answers are plain text in the notation of [`bitstride_oracle::reference`], so that nothing of the fast path
//! takes part in judging it.

use std::collections::BTreeSet;
use std::str::FromStr;

use bitstride_lang::evaluate;
use bitstride_oracle::laws::{self, Violation};
use bitstride_oracle::reference::{self, Cut, Form, Layout, Nest, OracleError, Point, Swizzle, Target, Tiler};

/// What a law says of an answer.
pub(crate) type CheckResult = Result<(), Violation>;

/// The name of the law that every answer obeys: to be in the notation.
const NOTATION: &str = "notation";

/// The law of an operation on an answer; `None` where no law is known for it.
pub(crate) fn law(op: &str, operands: &[String], answer: &str) -> Option<CheckResult> {
    let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
    known(op, &operands, answer).unwrap_or_else(|error| Some(Err(error)))
}

/// The law of a refusal; `None` where no law is known for it.
pub(crate) fn refusal(op: &str, operands: &[String]) -> Option<CheckResult> {
    let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
    refused(op, &operands).unwrap_or_else(|error| Some(Err(error)))
}

fn known(op: &str, operands: &[&str], answer: &str) -> Result<Option<CheckResult>, Violation> {
    if op.starts_with("sw_") {
        return swizzled(op, operands, answer);
    }
    let layout = || read::<Layout>(answer);
    Ok(Some(match (op, operands) {
        ("coalesce", [a]) => laws::coalesce(&operand(a)?, &layout()?),
        ("coalesce_by", [a, by]) => laws::coalesce_by(&operand(a)?, &operand(by)?, &layout()?),
        ("filter", [a]) => laws::filter(&operand(a)?, &layout()?),
        ("filter_zeros", [a]) => laws::filter_zeros(&operand(a)?, &layout()?),
        ("composition", [a, b]) => match b.parse::<Layout>() {
            Ok(b) => laws::composition(&operand(a)?, &b, &layout()?),
            Err(_) => laws::composition_by(&operand(a)?, &operand(b)?, &layout()?),
        },
        ("complement", [a, target]) => laws::complement(&operand(a)?, &operand(target)?, &layout()?),
        ("complement0", [a]) => {
            let a: Layout = operand(a)?;
            laws::complement(&a, &Nest::Leaf(a.cosize()?), &layout()?)
        }
        ("right_inverse" | "left_inverse", [a]) if a.contains('@') => {
            coordinates_undone(op == "right_inverse", &operand(a)?, &layout()?)
        }
        ("tiler_to_layout", [tiler]) => {
            let (argument, answer) = (places(tiler)?.1, layout()?);
            let compatible = argument.shape().compatible(answer.shape())?;
            if compatible { equal(op, argument.values()?, answer.values()?) } else { Err(misread(&answer.to_string())) }
        }
        ("right_inverse", [a]) => laws::right_inverse(&operand(a)?, &layout()?),
        ("left_inverse", [a]) => laws::left_inverse(&operand(a)?, &layout()?),
        ("nullspace", [a]) => laws::nullspace(&operand(a)?, &layout()?),
        ("max_common_layout", [a, b]) => laws::max_common_layout(&operand(a)?, &operand(b)?, &layout()?),
        ("max_common_vector", [a, b]) => {
            // The law takes a layout of that size to be shown; ours is held to it like any other.
            let common = evaluate(&format!("max_common_layout({a}, {b})")).map_err(|error| misread(error.message()))?;
            let common = read(&common.value.to_string())?;
            laws::max_common_vector(&operand(a)?, &operand(b)?, &common, number(answer)?)
        }
        ("upcast", [a, n]) => laws::upcast(&operand(a)?, integer(n)?, &layout()?),
        ("downcast", [a, n]) => laws::downcast(&operand(a)?, integer(n)?, &layout()?),
        ("recast", [a, old, new]) => recast(&operand(a)?, integer(old)?, integer(new)?, &layout()?),
        ("make_layout_like", [a]) => laws::layout_like(&operand(a)?, &layout()?),
        ("make_fragment_like", [a]) => laws::fragment_like(&operand(a)?, &layout()?),
        ("make_ordered_layout", [shape, order]) => {
            laws::compact_ordered(&operand(shape)?, &operand(order)?, &layout()?)
        }
        ("tile_to_shape", [a, shape]) => {
            laws::tile_to_shape(&operand(a)?, &operand(shape)?, &Nest::Leaf(0), &layout()?)
        }
        ("tile_to_shape_ord", [a, shape, order]) => {
            laws::tile_to_shape(&operand(a)?, &operand(shape)?, &operand(order)?, &layout()?)
        }
        ("cosize", [a]) if a.starts_with("Sw") => {
            let last = offsets(&a.replace(' ', ""))?.into_iter().max().unwrap_or(0);
            equal(op, last + 1, number(answer)?)
        }
        ("layout_add", [a, b]) => laws::layout_add(&operand(a)?, &operand(b)?, &layout()?),
        ("gcd_domain", [s, t]) => laws::greatest_common_domain(&operand(s)?, &operand(t)?, &layout()?),
        ("common_refinement", [s, t]) => laws::common_refinement(&operand(s)?, &operand(t)?, &read(answer)?),
        ("idx2crd", [index, shape]) => laws::idx2crd(integer(index)?, &operand(shape)?, &read(answer)?),
        ("crd2idx", [at, shape]) => laws::crd2idx(&operand(at)?, &operand(shape)?, number(answer)?),
        ("crd2idx_l" | "call_oob", [at, a]) => {
            equal(op, operand::<Layout>(a)?.offset_of(&operand(at)?)?, read::<Point>(answer)?)
        }
        ("eval", [a]) => equal(op, operand::<Layout>(a)?.values()?, points(answer)?),
        ("slice", [a, at]) => {
            let (rest, offset) = answer.rsplit_once('+').ok_or_else(|| misread(answer))?;
            laws::slice(&operand(a)?, &operand(at)?, &read(rest)?, &read(offset)?)
        }
        ("dice", [a, at]) => laws::dice(&operand(a)?, &operand(at)?, &layout()?),
        (op, [a, tiler]) => match split(op) {
            Some((kind, form)) if form != Form::Logical && tiler.contains('_') => {
                gathered(kind, &operand(a)?, &operand(tiler)?, &layout()?)
            }
            Some(("divide", form)) => laws::divide(&operand(a)?, &operand(tiler)?, form, &layout()?),
            Some((_, form)) => laws::product(&operand(a)?, &operand(tiler)?, form, &layout()?),
            None if op == "blocked_product" => laws::blocked_product(&operand(a)?, &operand(tiler)?, &layout()?),
            None if op == "raked_product" => laws::raked_product(&operand(a)?, &operand(tiler)?, &layout()?),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn refused(op: &str, operands: &[&str]) -> Result<Option<CheckResult>, Violation> {
    Ok(Some(match (op, operands) {
        ("composition", [a, b]) => match b.parse::<Layout>() {
            Ok(b) => laws::composition_refusal(&operand(a)?, &b),
            Err(_) => laws::composition_by_refusal(&operand(a)?, &operand(b)?),
        },
        ("complement", [a, target]) => laws::complement_refusal(&operand(a)?, &operand(target)?),
        ("complement0", [a]) => {
            let a: Layout = operand(a)?;
            laws::complement_refusal(&a, &Nest::Leaf(a.cosize()?))
        }
        ("left_inverse", [a]) => {
            let a: Layout = operand(a)?;
            none(op, reference::left_inverse(&a)?.filter(|answer| laws::left_inverse(&a, answer).is_ok()))
        }
        ("upcast", [a, n]) => laws::upcast_refusal(&operand(a)?, integer(n)?),
        ("downcast", [a, n]) => laws::downcast_refusal(&operand(a)?, integer(n)?),
        ("recast", [a, old, new]) => {
            let (up, down) = ratio(integer(old)?, integer(new)?)?;
            match (up, down) {
                (up, 1) => laws::upcast_refusal(&operand(a)?, up),
                (1, down) => laws::downcast_refusal(&operand(a)?, down),
                _ => return Ok(None),
            }
        }
        ("layout_add", [a, b]) => laws::layout_add_refusal(&operand(a)?, &operand(b)?),
        ("common_refinement", [s, t]) => laws::common_refinement_refusal(&operand(s)?, &operand(t)?),
        ("blocked_product", [a, b]) => none(op, reference::blocked(&operand(a)?, &operand(b)?)?),
        ("raked_product", [a, b]) => none(op, reference::raked(&operand(a)?, &operand(b)?)?),
        (op, [a, tiler]) => match split(op) {
            Some(("divide", form)) => laws::divide_refusal(&operand(a)?, &operand(tiler)?, form),
            Some((_, form)) => laws::product_refusal(&operand(a)?, &operand(tiler)?, form),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// The law of an operation on `Sw<B,M,S> o L`, on the offsets of the answer.
fn swizzled(op: &str, operands: &[&str], answer: &str) -> Result<Option<CheckResult>, Violation> {
    let [bits, base, shift, first, rest @ ..] = operands else {
        return Ok(None);
    };
    let swizzle = Swizzle::new(integer(bits)?, integer(base)?, integer(shift)?)?;
    let values = offsets(answer)?;
    if op == "sw_apply" {
        return Ok(Some(laws::swizzle(&swizzle, &values)));
    }
    let layout: Layout = operand(first)?;
    Ok(Some(match (op, rest) {
        ("sw_comp", []) => laws::composed(&swizzle, 0, &layout, &values),
        ("sw_inv", []) => laws::composed_right_inverse(&swizzle, 0, &layout, &values),
        ("sw_comp_then", [x]) => {
            let x: Tiler = operand(x)?;
            laws::composed_with(&swizzle, 0, &layout, &x.argument(&layout)?, &values)
        }
        ("sw_div", [tiler]) => match reference::divide(&layout, &operand(tiler)?, Target::Shape)? {
            Some(cut) => laws::composed_with(&swizzle, 0, &layout, &cut.arrange(Form::Zipped)?, &values),
            None => return Ok(None),
        },
        ("sw_up", [n]) => laws::composed_upcast(&swizzle, 0, &layout, integer(n)?, &values),
        ("sw_down", [n]) => laws::composed_downcast(&swizzle, 0, &layout, integer(n)?, &values),
        _ => return Ok(None),
    }))
}

/// The offsets of an answer `printed|offsets`, or of what is printed alone.
pub(crate) fn offsets(answer: &str) -> Result<Vec<i64>, Violation> {
    if answer.contains('>') && !answer.contains('|') {
        let (swizzle, rest) = answer.split_once('o').ok_or_else(|| misread(answer))?;
        let (offset, layout) = rest.split_once('o').ok_or_else(|| misread(answer))?;
        return Ok(read::<Swizzle>(swizzle)?.composed(number(offset)?, &read(layout)?)?);
    }
    let list = answer.rsplit_once('|').map_or(answer, |(_, list)| list);
    list.split(',').map(number).collect()
}

/// A list of offsets: integers, basis vectors, or coordinates in brackets.
pub(crate) fn points(list: &str) -> Result<Vec<Point>, Violation> {
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(item) = items.last_mut() {
            item.push(c);
        }
    }
    items.iter().map(|item| point(item)).collect()
}

/// An offset; a coordinate `(a,b)` is `a@0+b@1`.
pub(crate) fn point(text: &str) -> Result<Point, Violation> {
    fn add(nest: &Nest<Point>, path: &[usize], sum: Point) -> Result<Point, OracleError> {
        match nest {
            Nest::Leaf(point) => sum.plus(&point.under(path)),
            Nest::Node(entries) => {
                entries.iter().enumerate().try_fold(sum, |sum, (at, entry)| add(entry, &[path, &[at]].concat(), sum))
            }
        }
    }
    Ok(add(&read(text)?, &[], Point::zero())?)
}

/// The two counts of a recast in lowest terms: so many old units in each so many new ones.
fn ratio(old: i64, new: i64) -> Result<(i64, i64), Violation> {
    let common = bitstride::gcd(old, new).max(1);
    Ok((new / common, old / common))
}

/// A recast is an upcast or a downcast where one width divides the other; elsewhere it covers the same bits.
fn recast(a: &Layout, old: i64, new: i64, answer: &Layout) -> CheckResult {
    match ratio(old, new)? {
        (up, 1) => laws::upcast(a, up, answer),
        (1, down) => laws::downcast(a, down, answer),
        _ => laws::recast(a, old, new, answer),
    }
}

/// `zipped_divide` is a divide in zipped form.
fn split(op: &str) -> Option<(&str, Form)> {
    let (form, kind) = op.split_once('_')?;
    let form = match form {
        "logical" => Form::Logical,
        "zipped" => Form::Zipped,
        "tiled" => Form::Tiled,
        "flat" => Form::Flat,
        _ => return None,
    };
    matches!(kind, "divide" | "product").then_some((kind, form))
}

/// The layout of coordinates that a tiler reaches into, and the layout of places that the tiler is.
pub(crate) fn places(tiler: &str) -> Result<(Layout, Layout), Violation> {
    fn reach(tiler: &Tiler) -> Result<Nest<i64>, OracleError> {
        match tiler {
            Tiler::Keep => Err(OracleError::Malformed("a mode that is kept has no size".to_owned())),
            Tiler::Layout(tile) => Ok(Nest::Leaf(tile.cosize()?)),
            Tiler::Modes(tilers) => Ok(Nest::Node(tilers.iter().map(reach).collect::<Result<_, _>>()?)),
        }
    }
    let tiler: Tiler = operand(tiler)?;
    let whole = coordinates(&reach(&tiler)?)?;
    let argument = tiler.argument(&whole)?;
    Ok((whole, argument))
}

/// The layout that sends each coordinate of a shape to itself.
fn coordinates(shape: &Nest<i64>) -> Result<Layout, OracleError> {
    Tiler::of_shape(shape)?.argument(&Layout::compact(shape)?)
}

/// The law of an inverse R of a layout A into coordinates: `A(R(c)) = c` for every coordinate c of R, or
/// `A(R(A(i))) = A(i)`, where `R(A(i)) = i` if no place of A occurs twice.
fn coordinates_undone(right: bool, a: &Layout, answer: &Layout) -> CheckResult {
    if right {
        let mut back = Vec::new();
        for index in answer.int_values()? {
            if !(0..a.size()?).contains(&index) {
                return Err(Violation { law: "right_inverse", witness: format!("{index} is no index of A") });
            }
            back.push(a.offset(index)?);
        }
        return equal("right_inverse", coordinates(answer.shape())?.values()?, back);
    }
    let places = a.values()?;
    let once = places.iter().collect::<BTreeSet<_>>().len() == places.len();
    let mut again = Vec::new();
    for (place, index) in places.iter().zip(0..) {
        let back = answer.offset_at(place)?.to_int()?;
        if once && back != index {
            return Err(Violation {
                law: "left_inverse",
                witness: format!("{place}, of index {index}, comes back as {back}"),
            });
        }
        again.push(a.offset(back)?);
    }
    equal("left_inverse", places, again)
}

/// A divide that may go beyond A: the tiles are A after the tiler, where they stand together, and every place of A is
/// reached. `None` for other operations.
pub(crate) fn covers(op: &str, operands: &[String], answer: &str) -> Option<CheckResult> {
    let (Some(("divide", form)), [a, tiler]) = (split(op), operands) else {
        return None;
    };
    Some(covered(form, a, tiler, answer).unwrap_or_else(Err))
}

fn covered(form: Form, a: &str, tiler: &str, answer: &str) -> Result<CheckResult, Violation> {
    let (a, tiler, answer): (Layout, Tiler, Layout) = (operand(a)?, operand(tiler)?, read(answer)?);
    let together = match form {
        Form::Logical => matches!(tiler, Tiler::Layout(_)),
        Form::Zipped | Form::Tiled => true,
        Form::Flat => false,
    };
    if let Some(tile) = answer.modes().first().filter(|_| together) {
        let wanted = reference::composite(&a, &tiler.argument(&a)?)?;
        if tile.values()? != wanted {
            return Ok(equal("covers", wanted, tile.values()?));
        }
    }
    let reached: BTreeSet<Point> = answer.values()?.into_iter().collect();
    Ok(match a.values()?.into_iter().find(|place| !reached.contains(place)) {
        None => Ok(()),
        Some(place) => Err(Violation { law: "covers", witness: format!("place {place} of A is never reached") }),
    })
}

/// Tiles of modes that are left alone: there is no tile to gather, so that only the places are promised.
fn gathered(kind: &str, a: &Layout, tiler: &Tiler, answer: &Layout) -> CheckResult {
    let logical: Vec<Vec<Point>> = if kind == "product" {
        let cut = reference::product(a, tiler)?;
        cut.map(|cut| cut.arrange(Form::Logical)?.values()).into_iter().collect::<Result<_, _>>()?
    } else {
        let targets = [Target::Shape, Target::Size].map(|target| reference::divide(a, tiler, target));
        let cuts: Vec<Option<Cut>> = targets.into_iter().collect::<Result<_, _>>()?;
        let values = |cut: Cut| reference::composite(a, &cut.arrange(Form::Logical)?);
        cuts.into_iter().flatten().map(values).collect::<Result<_, _>>()?
    };
    let mut found = answer.values()?;
    found.sort();
    let mut held = Err(Violation { law: "gathered", witness: "a tile has no complement".to_owned() });
    for mut wanted in logical {
        wanted.sort();
        if wanted == found {
            return Ok(());
        }
        held = equal("gathered", wanted, found.clone());
    }
    held
}

fn equal<T: PartialEq + std::fmt::Debug>(op: &str, wanted: T, found: T) -> CheckResult {
    if wanted == found {
        return Ok(());
    }
    Err(Violation { law: "pointwise", witness: format!("{op}: {found:?}, but must be {wanted:?}") })
}

fn none(op: &str, answer: Option<Layout>) -> CheckResult {
    match answer {
        None => Ok(()),
        Some(answer) => Err(Violation { law: "refusal", witness: format!("{op}: {answer} is the answer") }),
    }
}

/// An operand: if it cannot be read, nothing is known.
fn operand<T: FromStr<Err = OracleError>>(text: &str) -> Result<T, Violation> {
    text.parse().map_err(Violation::from)
}

fn integer(text: &str) -> Result<i64, Violation> {
    text.parse().map_err(|_| Violation::from(OracleError::Malformed(format!("{text} is not an integer"))))
}

/// An answer: if it cannot be read, it is no answer.
fn read<T: FromStr<Err = OracleError>>(text: &str) -> Result<T, Violation> {
    text.parse().map_err(|error: OracleError| Violation { law: NOTATION, witness: error.to_string() })
}

fn number(text: &str) -> Result<i64, Violation> {
    text.parse().map_err(|_| misread(text))
}

/// The text is no answer.
pub(crate) fn misread(text: &str) -> Violation {
    Violation { law: NOTATION, witness: format!("{text} is not such an answer") }
}
