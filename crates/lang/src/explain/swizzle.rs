//! Swizzles in words: which address bits are xored onto which, and compositions with them.

use super::steps::Steps;
use super::words::list;
use crate::Value;
use bitstride::Error;
use bitstride::cute::{Function, Swizzle};

/// `bits 7, 8 and 9 of the offset are xored onto bits 4, 5 and 6`.
pub(super) fn bits(swizzle: Swizzle) -> String {
    if swizzle.is_identity() {
        return "no bits move".into();
    }
    let (sources, targets): (Vec<u32>, Vec<u32>) = swizzle.pairs().unzip();
    let (noun, verb) = if sources.len() == 1 { ("bit", "is") } else { ("bits", "are") };
    format!("{noun} {} {verb} xored onto {noun} {}", list(&sources), list(&targets))
}

/// A swizzle applied to a number, bit by bit.
pub(super) fn applied(swizzle: Swizzle, x: i64) -> String {
    let y = swizzle.apply(x);
    let set: Vec<u32> =
        swizzle.pairs().filter(|(source, _)| (x >> source) & 1 == 1).map(|(source, _)| source).collect();
    let flipped: Vec<u32> =
        swizzle.pairs().filter(|(source, _)| (x >> source) & 1 == 1).map(|(_, target)| target).collect();
    if set.is_empty() {
        return format!("{swizzle}, {}: {x} = {x:#b} has none of the sources set, so it stays.", bits(swizzle));
    }
    let (noun, verb) = if set.len() == 1 { ("bit", "flips") } else { ("bits", "flip") };
    format!(
        "{swizzle}, {}: {x} = {x:#b} has {noun} {} set, so {noun} {} {verb}: {y:#b} = {y}.",
        bits(swizzle),
        list(&set),
        list(&flipped)
    )
}

/// `composition(A, B)` with a swizzle or a composed layout among them.
pub(super) fn composition(outer: &Function, b: &Value, steps: &mut Steps) -> Result<(), Error> {
    let expression = format!("composition({outer}, {b})");
    let rule = match (outer, b) {
        (Function::Swizzle(swizzle), Value::Function(Function::Swizzle(first))) => {
            let one = swizzle.after(*first).is_some();
            let found = if one { "the xors add to those of one swizzle" } else { "the two stay one after the other" };
            format!("First {} ({first}), then {} ({swizzle}): {found}.", bits(*first), bits(*swizzle))
        }
        (Function::Bytes(bytes), _) => {
            format!(
                "A swizzle of bytes moves offsets, not coordinates: the shape stays, and of the address in bytes {}.",
                bits(bytes.swizzle())
            )
        }
        (Function::Swizzle(swizzle), _) => {
            format!("A swizzle moves offsets, not coordinates: the shape stays, and of the offset {}.", bits(*swizzle))
        }
        (Function::Layout(layout), Value::Function(inner)) => match outer.after(inner)? {
            Function::Composed(made)
                if made.inner.is_swizzled_layout() && matches!(made.outer, Function::Swizzle(_)) =>
            {
                format!(
                    "{layout} moves every bit that {inner} reads or writes to a bit of its own, so the swizzle may come after it, on those bits: {}.",
                    made.outer
                )
            }
            Function::Layout(_) | Function::Offset(_) => {
                format!("The source bits of {inner} are never set below its reach, so it moves nothing.")
            }
            _ => format!(
                "{layout} does not move bits to bits here. The offsets of {inner} go through it one digit at a time, and what they come to is recognised."
            ),
        },
        (_, Value::Offset(slice)) if outer.after(&Function::from(slice.clone())).is_ok() => {
            format!(
                "The offset of {slice} is led to as one more step that adds up with the others, and what comes after stays."
            )
        }
        (_, Value::Offset(slice)) => {
            format!(
                "The offsets of {slice} go through {outer} one digit at a time, and what they come to is recognised."
            )
        }
        _ => format!("The domain of {outer} is re-indexed; what comes after it stays."),
    };
    steps.add(rule, expression)?;
    Ok(())
}

/// `make_swizzle(sources, targets)`.
pub(super) fn make(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [sources, targets] = values else { return Ok(()) };
    let (from, to) = (sources.as_number()?, targets.as_number()?);
    let swizzle = Swizzle::from_masks(from, to)?;
    steps.add(
        format!("The mask {from} = {from:#b} names the sources, {to} = {to:#b} the targets: {}.", bits(swizzle)),
        format!("make_swizzle({from}, {to})"),
    )?;
    Ok(())
}
