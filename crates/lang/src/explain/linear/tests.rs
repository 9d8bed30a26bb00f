//! Questions about some dims of a layout: the bases that decide, up to the first that says no.

use super::{Bit, MOST_BASES, applied, bits, call, named, names, split};
use crate::Value;
use crate::explain::steps::Steps;
use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};

/// `is_trivial_over(L, dims)` and `quotient(L, dims)`: these dims go to themselves, and the others do not touch them.
pub(super) fn trivial(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, dims] = values else { return Ok(()) };
    let (layout, dims) = (layout.as_linear()?, names(dims)?);
    sizes(&layout, &dims, steps)?;
    for bit in bits(&layout).iter().take(MOST_BASES) {
        let within = dims.contains(&bit.name);
        let touched = named(layout.outs(), touched(&layout, bit, &dims));
        let (rule, holds) = match within {
            true => {
                let holds = bit.image(&layout) == bit.to_string();
                let said = if holds { "itself and nothing else" } else { "which is not itself alone" };
                (format!("The bit {bit} goes to {}, {said}.", bit.image(&layout)), holds)
            }
            false if touched == "0" => {
                (format!("The bit {bit} goes to {}, which touches none of these dims.", bit.image(&layout)), true)
            }
            false => (format!("The bit {bit} goes to {}, which touches {touched}.", bit.image(&layout)), false),
        };
        steps.add(rule, applied(&layout, bit.mask()))?;
        if !holds {
            break;
        }
    }
    if layout.in_bits() == 0 {
        super::images(&layout, steps)?;
    }
    if name == "quotient" && layout.is_trivial_over(&dims) {
        steps.add("The other dims say all that is left:", call(name, values))?;
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
    let mut asked = 0;
    for bit in bits(&layout).iter().filter(|bit| ins.contains(&bit.name)).take(MOST_BASES) {
        asked += 1;
        let part = named(layout.outs(), touched(&layout, bit, &outs));
        let wanted = if name == "sublayout_is_zero" { "0".to_owned() } else { bit.to_string() };
        let verdict = if part == wanted { "as asked" } else { "and not" };
        let but = if part == wanted { String::new() } else { format!(" {wanted}") };
        let rule =
            format!("The bit {bit} goes to {}; in these dims that is {part}, {verdict}{but}.", bit.image(&layout));
        steps.add(rule, applied(&layout, bit.mask()))?;
        if part != wanted {
            break;
        }
    }
    if asked == 0 {
        steps.add("These dims have no bits, so nothing says no. The place 0:", applied(&layout, 0))?;
    }
    Ok(())
}

/// The part of an image that lies in some out dims, packed.
fn touched(layout: &LinearLayout, bit: &Bit, dims: &[Name]) -> u64 {
    let mut mask = 0;
    for name in dims {
        if let Some((dim, start)) = layout.out_dim(*name) {
            let low = 1u64.checked_shl(dim.bits).map_or(u64::MAX, |top| top - 1);
            mask |= low.checked_shl(start).unwrap_or(0);
        }
    }
    bit.column & mask
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
    for (one, other) in bits(&a).iter().zip(bits(&b)).take(MOST_BASES) {
        let same = split(a.outs(), one.column) == split(b.outs(), other.column);
        let verdict = if same { "the same" } else { "which differ" };
        let rule = format!("The bit {one} goes to {} and {}, {verdict}.", one.image(&a), other.image(&b));
        steps.add(rule, applied(&b, other.mask()))?;
        if !same {
            break;
        }
    }
    Ok(())
}
