//! Operations that put bases together or in another order: each basis of the answer, and the basis it comes from.

use super::{Bit, MOST_BASES, applied, bits, call, split, tuple};
use crate::explain::steps::Steps;
use crate::explain::words::sentence;
use crate::{Value, evaluate};
use bitstride::Error;
use bitstride::linear::{Dim, Division, LinearLayout, Name};

/// The layout with the number of each in bit, from `first` on, in place of its basis, as a bit of an out dim of `count` bits; 0 for
/// bits that are gone. What becomes of it shows which basis the operation puts where.
fn numbered(layout: &LinearLayout, first: u32, count: u32, gone: impl Fn(&Bit) -> bool) -> Result<Value, Error> {
    let outs = [Dim { name: Name::OFFSET, bits: count }].into_iter().collect();
    let number = |(bit, at)| if gone(bit) { 0 } else { 1u64.checked_shl(at).unwrap_or(0) };
    let columns = bits(layout).iter().zip(first..).map(number).collect();
    LinearLayout::from_columns(layout.ins().iter().copied().collect(), outs, columns).map(Value::Linear)
}

/// For each in bit of an answer the number of the operand's that it comes from, if any.
fn sources(name: &str, numbered: &[Value]) -> Result<Vec<Option<usize>>, Error> {
    let answer = evaluate(&call(name, numbered))?.value.as_linear()?;
    Ok(answer.columns().iter().map(|number| super::ones(*number).next()).collect())
}

/// An operation on in dims: the bases stay what they are, under other names and in another order.
pub(super) fn of_ins(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let answer = evaluate(&call(name, values))?.value.as_linear()?;
    let layouts: Vec<LinearLayout> = values.iter().filter_map(|value| value.as_linear().ok()).collect();
    // The bits of all operands in a row, each with the layout that it is of.
    let places = if layouts.len() > 1 { [" of the first layout", " of the second layout"] } else { [""; 2] };
    let mut operands: Vec<(&LinearLayout, &str, Bit)> = Vec::new();
    let cleaned = if name == "remove_zero_bases_along_dim" {
        Some(values.last().map_or_else(|| Ok(Name::OFFSET), Value::as_name)?)
    } else {
        None
    };
    let gone = |bit: &Bit| cleaned == Some(bit.name) && bit.column == 0;
    let (count, mut first) = (layouts.iter().map(LinearLayout::in_bits).sum(), 0);
    let mut numbers = values.to_vec();
    for ((layout, which), value) in layouts.iter().zip(places).zip(&mut numbers) {
        operands.extend(bits(layout).into_iter().map(|bit| (layout, which, bit)));
        *value = numbered(layout, first, count, gone)?;
        first += layout.in_bits();
    }
    for (layout, _, bit) in operands.iter().filter(|(_, _, bit)| gone(bit)) {
        steps.add(format!("The bit {bit} goes to 0, so it is left out."), applied(layout, bit.mask()))?;
    }
    for (bit, source) in bits(&answer).iter().zip(sources(name, &numbers)?).take(MOST_BASES) {
        let source = source.and_then(|at| operands.get(at));
        let Some((layout, which, old)) = source else {
            let rule = format!("The bit {bit} is new and goes to 0: places that differ in it repeat.");
            steps.add(rule, applied(&answer, bit.mask()))?;
            continue;
        };
        let was = if old.name == bit.name && old.value == bit.value && which.is_empty() {
            "as before".to_owned()
        } else {
            format!("as {old}{which} does")
        };
        let rule = format!("The bit {bit} goes to {}, {was}.", old.image(layout));
        steps.add(rule, applied(layout, old.mask()))?;
    }
    if answer.in_bits() == 0 {
        super::images(&answer, steps)?;
    }
    Ok(())
}

/// An operation on out dims: each bit, what it went to and what it goes to now.
pub(super) fn of_outs(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let answer = evaluate(&call(name, values))?.value.as_linear()?;
    let sources: Vec<LinearLayout> = values.iter().filter_map(|value| value.as_linear().ok()).collect();
    let said = match name {
        "transpose_outs" | "tensor_transpose" => "In the new order that is",
        "reshape_outs" | "flatten_outs" => "With the bits in a row and cut again, the first dim the lowest, that is",
        "tensor_reshape" => "The element with the same number, the last dim the fastest, is",
        "squeeze_outs" => "Without the value that is always 0 that is",
        "resize_out_dim" => "Without the bits beyond the new size that is",
        "sublayout" => "In the out dims that are kept that is",
        "concat_outs" => "Together that is",
        "zeros_like" => "All of it is dropped:",
        _ => "Under the new name that is",
    };
    for bit in bits(&answer).iter().take(MOST_BASES) {
        let mut went = Vec::new();
        for source in &sources {
            let old = bits(source).into_iter().find(|old| old.name == bit.name && old.value == bit.value);
            went.push(tuple(&source.unpack(old.map_or(0, |old| old.column))));
        }
        let rule =
            format!("The bit {bit} went to {}. {said} {}.", went.join(" and to "), tuple(&answer.unpack(bit.column)));
        let expression = sources.first().and_then(|source| rearranged(name, source, &answer, bit));
        steps.add(rule, expression.unwrap_or_else(|| applied(&answer, bit.mask())))?;
    }
    if answer.in_bits() == 0 {
        super::images(&answer, steps)?;
    }
    Ok(())
}

/// The image of a bit in the answer as an expression of its image in the operand, where the language has one.
fn rearranged(name: &str, source: &LinearLayout, answer: &LinearLayout, bit: &Bit) -> Option<String> {
    let old = bits(source).into_iter().find(|old| old.name == bit.name && old.value == bit.value)?;
    let image = applied(source, old.mask());
    let sizes = |layout: &LinearLayout| tuple(&layout.outs().iter().map(|dim| dim.size()).collect::<Vec<_>>());
    match name {
        "transpose_outs" | "sublayout" => {
            let at = |dim: &Dim| source.outs().iter().position(|old| old.name == dim.name);
            let places: Option<Vec<String>> = answer.outs().iter().map(|dim| Some(at(dim)?.to_string())).collect();
            let places = places.filter(|places| !places.is_empty())?;
            Some(format!("select({image}, {})", places.join(", ")))
        }
        "reshape_outs" | "flatten_outs" => {
            Some(format!("idx2crd(crd2idx({image}, {}), {})", sizes(source), sizes(answer)))
        }
        _ => None,
    }
}

/// `compose(A, B)`: each bit through A, and its image through B.
pub(super) fn compose(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [first, last] = values else { return Ok(()) };
    let (first, last) = (first.as_linear()?, last.as_linear()?);
    beyond(&first, last.ins(), "the second takes", steps)?;
    let answer = first.compose(&last)?;
    let order: Vec<Name> = last.ins().iter().map(|dim| dim.name).collect();
    let ordered = first.transpose_outs(&order)?;
    for ((bit, place), whole) in bits(&first).iter().zip(ordered.columns()).zip(bits(&answer)).take(MOST_BASES) {
        let rule = format!(
            "The bit {bit} goes to {} in the first layout, and that to {} in the second.",
            bit.image(&first),
            whole.image(&answer)
        );
        steps.add(rule, format!("apply({last}, {})", tuple(&ordered.unpack(*place))))?;
    }
    if answer.in_bits() == 0 {
        super::images(&answer, steps)?;
    }
    Ok(())
}

/// The first bit whose image lies beyond the sizes of some dims.
pub(super) fn beyond(layout: &LinearLayout, dims: &[Dim], takes: &str, steps: &mut Steps) -> Result<(), Error> {
    let outside = |bit: &Bit| {
        let values = split(layout.outs(), bit.column);
        let same = |name| dims.iter().find(|dim| dim.name == name);
        let mut pairs = layout.outs().iter().zip(values);
        pairs.find_map(|(out, value)| same(out.name).filter(|dim| value >= dim.size()))
    };
    let found = bits(layout).into_iter().find_map(|bit| outside(&bit).map(|outside| (bit, outside)));
    if let Some((bit, dim)) = found {
        let (image, size, name) = (bit.image(layout), dim.size(), dim.name);
        let rule = format!("The bit {bit} goes to {image}, but {takes} only {size} values of {name}.");
        steps.add(rule, applied(layout, bit.mask()))?;
    }
    Ok(())
}

/// `strided_1d(n, stride, from, to)`: each bit times the stride.
pub(super) fn strided(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [_, stride, ..] = values else { return Ok(()) };
    let answer = evaluate(&call("strided_1d", values))?.value.as_linear()?;
    for bit in bits(&answer).iter().take(MOST_BASES) {
        let rule = format!("The bit {bit} goes to {}, its value times the stride {stride}:", bit.image(&answer));
        steps.add(rule, format!("{}*{stride}", bit.value))?;
    }
    Ok(())
}

/// `mul(A, B)`: the bits of A as they are, and those of B above them, in dims and in images.
pub(super) fn product(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [minor, major] = values else { return Ok(()) };
    let (minor, major) = (minor.as_linear()?, major.as_linear()?);
    let answer = minor.product(&major)?;
    let [own, others] = [&minor, &major].map(|factor| numbered(factor, 0, factor.in_bits(), |_| false));
    let operands: Vec<(&LinearLayout, &str, Bit)> = [(&minor, "first"), (&major, "second")]
        .into_iter()
        .flat_map(|(factor, which)| bits(factor).into_iter().map(move |bit| (factor, which, bit)))
        .collect();
    for (bit, source) in bits(&answer).iter().zip(sources("mul", &[own?, others?])?).take(MOST_BASES) {
        let Some((factor, which, old)) = source.and_then(|at| operands.get(at)) else { continue };
        let mut rule = format!("The bit {bit} is {old} of the {which} factor and goes to {} there", old.image(factor));
        if *which == "second" {
            let raised: Vec<String> = factor
                .outs()
                .iter()
                .zip(split(factor.outs(), old.column))
                .filter(|(_, value)| *value != 0)
                .filter_map(|(dim, value)| {
                    let size = minor.out_dim(dim.name)?.0.size();
                    Some(format!(
                        "above the {size} values of {} in the first, {value}*{size} = {}",
                        dim.name,
                        value.checked_mul(size)?
                    ))
                })
                .collect();
            if !raised.is_empty() {
                rule = format!("{rule}: {}", raised.join("; "));
            }
        }
        steps.add(format!("{rule}."), applied(&answer, bit.mask()))?;
    }
    if answer.in_bits() == 0 {
        super::images(&answer, steps)?;
    }
    Ok(())
}

/// `divide_left(A, B)` and `divide_right(A, B)`: which bases of A are those of B, and what is left.
pub(super) fn quotient(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [whole, part] = values else { return Ok(()) };
    let (whole, part) = (whole.as_linear()?, part.as_linear()?);
    let left = name == "divide_left";
    let mut events = Vec::new();
    let quotient = match left {
        true => whole.divide_left_traced(&part, &mut events),
        false => whole.divide_right_traced(&part, &mut events),
    };
    let (end, other) = if left { ("lowest", "above") } else { ("highest", "below") };
    found(&events, (&whole, &part), (&format!("Among the {end} bits, "), "divisor", "as it must"), steps)?;
    let Some(quotient) = quotient else { return Ok(()) };
    for bit in bits(&quotient).iter().take(MOST_BASES) {
        let used = part.in_dim(bit.name).map_or(1, |(dim, _)| dim.size());
        let old = if left { bit.value.saturating_mul(used) } else { bit.value };
        let rule = format!(
            "What lies {other} is left: {} = {old} of the whole is {bit} of the quotient and goes to {} there.",
            bit.name,
            bit.image(&quotient)
        );
        steps.add(rule, applied(&quotient, bit.mask()))?;
    }
    let (a, b) = if left { (&part, &quotient) } else { (&quotient, &part) };
    if a.product(b).is_ok() {
        steps.add("The product gives the whole back.", format!("mul({a}, {b})"))?;
    }
    Ok(())
}

/// What a division of a whole by a factor found of each bit. The words are those before a sentence, what the factor is, and what follows
/// where its bit is found.
pub(super) fn found(
    events: &[Division],
    (whole, part): (&LinearLayout, &LinearLayout),
    (start, what, matched): (&str, &str, &str),
    steps: &mut Steps,
) -> Result<(), Error> {
    let (all, known) = (bits(whole), bits(part));
    for (number, event) in events.iter().enumerate() {
        let (old, bit, verdict) = match event {
            Division::Matched { .. } if number >= MOST_BASES => continue,
            Division::Matched { part, whole } => (known.get(*part), all.get(*whole), matched),
            Division::Differs { part, whole } => (known.get(*part), all.get(*whole), "so it does not divide"),
            Division::Missing { part } => (known.get(*part), None, ""),
            Division::Touches { whole } => (None, all.get(*whole), ""),
        };
        let rule = match (old, bit) {
            (Some(old), Some(bit)) => sentence(&format!(
                "{start}{old} of the {what} goes to {}, and {bit} of the whole to {}: {verdict}.",
                old.image(part),
                bit.image(whole)
            )),
            (Some(old), None) => {
                format!("The bit {old} goes to {}, and no bit of the whole that is left goes there.", old.image(part))
            }
            (None, Some(bit)) => format!(
                "The bit {bit} is none of the {what}, but goes to {}, which touches bits of an out dim that the {what} uses up: nothing is left that divides.",
                bit.image(whole)
            ),
            (None, None) => continue,
        };
        let shown = bit.map(|bit| applied(whole, bit.mask())).or(old.map(|old| applied(part, old.mask())));
        steps.add(rule, shown.unwrap_or_default())?;
    }
    Ok(())
}

/// Operations that only write a layout down: what stands in it.
pub(super) fn listed(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_linear()?;
    for bit in bits(&layout).iter().take(MOST_BASES) {
        let rule = match name {
            "matrix" => {
                let rows: Vec<String> = super::ones(bit.column).map(|row| row.to_string()).collect();
                let rows = if rows.is_empty() { "no row".to_owned() } else { format!("the rows {}", rows.join(", ")) };
                format!(
                    "Column {} is the bit {bit}. It goes to {}, so it has a 1 in {rows}.",
                    bit.at,
                    bit.image(&layout)
                )
            }
            _ => format!("The bit {bit} goes to {}.", bit.image(&layout)),
        };
        steps.add(rule, applied(&layout, bit.mask()))?;
    }
    if layout.in_bits() == 0 {
        super::images(&layout, steps)?;
    }
    Ok(())
}
