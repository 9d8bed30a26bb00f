//! Questions about some dims of a layout: the bases that decide, up to the first that says no.

use super::{MOST_BASES, applied, bits, call, names, split};
use crate::Value;
use crate::explain::steps::Steps;
use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};

/// `is_trivial_over(L, dims)` and `quotient(L, dims)`: these dims go to themselves, and the others do not touch them.
pub(super) fn trivial(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, dims] = values else { return Ok(()) };
    let (layout, dims) = (layout.as_linear()?, names(dims)?);
    sizes(&layout, &dims, steps)?;
    let [ins, outs] = [layout.ins(), layout.outs()].map(|side| side.iter().map(|dim| dim.name).collect::<Vec<_>>());
    let outs: Vec<Name> = outs.into_iter().filter(|name| dims.contains(name)).collect();
    let part = layout.sublayout(&ins, &outs)?;
    let verdicts = bits(&layout).into_iter().zip(bits(&part)).map(|(bit, own)| {
        let (image, touched) = (bit.image(&layout), own.image(&part));
        let (holds, said) = match dims.contains(&bit.name) {
            true if image == bit.to_string() => (true, "itself and nothing else".to_owned()),
            true => (false, "which is not itself alone".to_owned()),
            false if touched == "0" => (true, "which touches none of these dims".to_owned()),
            false => (false, format!("which touches {touched}")),
        };
        (format!("The bit {bit} goes to {image}, {said}."), applied(&layout, bit.mask()), holds)
    });
    up_to_no(verdicts, steps)?;
    if layout.in_bits() == 0 {
        super::images(&layout, steps)?;
    }
    if name == "quotient" && layout.is_trivial_over(&dims) {
        steps.add("The other dims say all that is left:", call(name, values))?;
    }
    Ok(())
}

/// What is found of each bit, as a sentence, an expression and whether it holds, up to the first that does not.
fn up_to_no(verdicts: impl Iterator<Item = (String, String, bool)>, steps: &mut Steps) -> Result<(), Error> {
    for (number, (rule, expression, holds)) in verdicts.enumerate() {
        if number < MOST_BASES || !holds {
            steps.add(rule, expression)?;
        }
        if !holds {
            break;
        }
    }
    Ok(())
}

/// Dims that have to be there on both sides, with one size.
fn sizes(layout: &LinearLayout, dims: &[Name], steps: &mut Steps) -> Result<(), Error> {
    for name in dims {
        let (ins, outs) = (layout.in_dim(*name), layout.out_dim(*name));
        let rule = match (ins, outs) {
            (Some((here, _)), Some((there, _))) if here.bits == there.bits => continue,
            (Some((here, _)), Some((there, _))) => {
                format!(
                    "The in dim {name} has {} values and the out dim {}: not the identity.",
                    here.size(),
                    there.size()
                )
            }
            (None, _) => format!("There is no in dim {name}, so nothing is the identity there."),
            (_, None) => format!("There is no out dim {name}, so nothing is the identity there."),
        };
        steps.add(rule, layout.to_string())?;
    }
    Ok(())
}

/// `sublayout_is_zero(L, ins, outs)` and `square_sublayout_is_identity(L, dims)`.
pub(super) fn part(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, ins, ..] = values else { return Ok(()) };
    let (layout, ins) = (layout.as_linear()?, names(ins)?);
    let outs = values.get(2).map_or_else(|| Ok(ins.clone()), names)?;
    if name != "sublayout_is_zero" {
        sizes(&layout, &ins, steps)?;
    }
    let part = layout.sublayout(&ins, &outs)?;
    let asked = bits(&layout).into_iter().filter(|bit| ins.contains(&bit.name));
    let verdicts = asked.zip(bits(&part)).map(|(bit, own)| {
        let (image, part) = (bit.image(&layout), own.image(&part));
        let wanted = if name == "sublayout_is_zero" { "0".to_owned() } else { bit.to_string() };
        let holds = part == wanted;
        let verdict = if holds { "as asked".to_owned() } else { format!("and not {wanted}") };
        let rule = format!("The bit {bit} goes to {image}; in these dims that is {part}, {verdict}.");
        (rule, applied(&layout, bit.mask()), holds)
    });
    up_to_no(verdicts, steps)?;
    if steps.0.is_empty() {
        steps.add("These dims have no bits, so nothing says no. The place 0:", applied(&layout, 0))?;
    }
    Ok(())
}

/// `eq(A, B)` and `equal_ignoring_out_sizes(A, B)`: dims, then basis by basis.
pub(super) fn equal(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (a.as_linear()?, b.as_linear()?);
    let dims = |layout: &LinearLayout, sizes: bool| {
        let ins: Vec<String> = layout.ins().iter().map(|dim| format!("{}:{}", dim.name, dim.size())).collect();
        let outs: Vec<String> = layout
            .outs()
            .iter()
            .map(|dim| if sizes { format!("{}:{}", dim.name, dim.size()) } else { dim.name.to_string() })
            .collect();
        format!("{} to {}", ins.join(", "), outs.join(", "))
    };
    let sizes = name == "eq";
    let (left, right) = (dims(&a, sizes), dims(&b, sizes));
    let verdict = if left == right { "the same dims" } else { "not the same dims" };
    steps.add(format!("The first leads from {left}, the second from {right}: {verdict}."), b.to_string())?;
    if left != right {
        return Ok(());
    }
    let verdicts = bits(&a).into_iter().zip(bits(&b)).map(|(one, other)| {
        let same = split(a.outs(), one.column) == split(b.outs(), other.column);
        let verdict = if same { "the same" } else { "which differ" };
        let rule = format!("The bit {one} goes to {} and {}, {verdict}.", one.image(&a), other.image(&b));
        (rule, applied(&b, other.mask()), same)
    });
    up_to_no(verdicts, steps)
}
