//! What follows from elimination over GF(2): inverses, ranks, kernels and images, reduction by reduction.
//!
//! The events are those of the operation itself ([`Elimination`]). A reduction xors bases, and so does a place of
//! several bits: `apply(L, place)` at the bits that were xored is what the reduction leaves.

use super::bases;
use super::{Bit, applied, bits, call, mask, named, ones, split, tuple};
use crate::explain::steps::Steps;
use crate::explain::words::list;
use crate::{Value, evaluate};
use bitstride::linear::{Elimination, LinearLayout, Reduction};
use bitstride::{Error, linear};

/// Up to this many bases that need no reduction are shown one by one.
const FEW_BASES: usize = 4;

/// `invert(L)` and `pseudoinvert(L)`: the columns reduced, then each element as an xor of them.
pub(super) fn inverse(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_linear()?;
    let mut events = Vec::new();
    let answer = match name {
        "invert" => layout.invert_traced(&mut events),
        _ => layout.pseudoinvert_traced(&mut events),
    };
    if events.is_empty() {
        events = layout.elimination();
    }
    let elements = identity(&layout)?;
    shown(&events, &layout, &elements, steps)?;
    if answer.is_err() {
        return rank(&layout, steps);
    }
    answer.map(drop)
}

/// `invert_and_compose(A, B)` and `lstsq(A, B)`: where in the layout to invert the elements of the other are.
pub(super) fn solved(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (a.as_linear()?, b.as_linear()?);
    let mut events = Vec::new();
    let (inverted, other) = if name == "lstsq" { (&a, &b) } else { (&b, &a) };
    bases::beyond(other, inverted.outs(), "the layout to invert has", steps)?;
    let _ = match name {
        "lstsq" => inverted.lstsq_traced(other, &mut events),
        _ => other.invert_and_compose_traced(inverted, &mut events),
    };
    shown(&events, inverted, other, steps)
}

/// `kernel(L)`, `image(L)` and `free_variable_masks(L)`: the columns reduced, and what is kept of them.
pub(super) fn columns_of(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_linear()?;
    let events = layout.elimination();
    shown(&events, &layout, &LinearLayout::empty(), steps)?;
    let rule = match name {
        "kernel" => {
            let free: Vec<String> =
                bits(&layout).iter().filter(|bit| is_free(&events, bit)).map(Bit::to_string).collect();
            format!(
                "Each dependent bit, with the bits that make up for it, is a basis of the kernel. Dependent: {}.",
                list(&free)
            )
        }
        "image" => {
            let basis = layout.image()?;
            for bit in bits(&basis) {
                let rule = format!(
                    "Reduced until no other has its highest bit, basis {} of the image is {}.",
                    bit.at,
                    bit.image(&basis)
                );
                steps.add(rule, applied(&basis, bit.mask()))?;
            }
            "These are the bases of the image:".to_owned()
        }
        _ => {
            let masks: Vec<String> =
                layout.free_variable_masks().iter().map(|(name, mask)| format!("{name} {mask}")).collect();
            format!("The free bits of each in dim as a mask: {}.", masks.join(", "))
        }
    };
    steps.add(rule, call(name, values))?;
    Ok(())
}

/// `rank(L)`, `is_invertible(L)`, `is_injective(L)`, `is_surjective(L)`: the rank beside the numbers of bits, and two places or an
/// element that show why not.
pub(super) fn ranked(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_linear()?;
    let events = layout.elimination();
    shown(&events, &layout, &LinearLayout::empty(), steps)?;
    rank(&layout, steps)?;
    if matches!(name, "is_injective" | "is_invertible") && !layout.is_injective() {
        let dependent = events.iter().find_map(|event| match event {
            Elimination::Column(reduction) if reduction.rest == 0 => Some(reduction.parts | mask(reduction.at)),
            _ => None,
        });
        if let Some(place) = dependent {
            let place = tuple(&split(layout.ins(), place));
            let rule = format!("So the place {place} holds the same element as the place of 0:");
            steps.add(rule, format!("apply({layout}, {place})"))?;
        }
    }
    if matches!(name, "is_surjective" | "is_invertible")
        && !layout.is_surjective()
        && let Err(error) = layout.pseudoinvert()
    {
        steps.add(
            format!("An element is missing: {}. No place leads to it.", error.message()),
            format!("rank({layout})"),
        )?;
    }
    let (ins, outs, rank) = (layout.in_bits(), layout.out_bits(), layout.rank());
    let said = |holds: bool| if holds { "is" } else { "is not" };
    let rule = match name {
        "is_injective" => {
            format!("No two places share an element where every bit counts: rank {rank} {} {ins}.", said(rank == ins))
        }
        "is_surjective" => {
            format!("Every element has a place where the rank is the out bits: {rank} {} {outs}.", said(rank == outs))
        }
        "is_invertible" => format!("Rank {rank}, {ins} in bits and {outs} out bits have to be equal."),
        _ => return Ok(()),
    };
    steps.add(rule, call(name, values))?;
    Ok(())
}

/// The rank, beside the numbers of bits.
fn rank(layout: &LinearLayout, steps: &mut Steps) -> Result<(), Error> {
    let (ins, outs) = (layout.in_bits(), layout.out_bits());
    let rule =
        format!("The independent bases are the rank: {} of {ins} in bits, and of {outs} out bits.", layout.rank());
    steps.add(rule, format!("rank({layout})"))?;
    Ok(())
}

/// `contiguous_elems_along_out_dim(L, dim)`: elements 1, 2, 4 and so on as long as they are reached.
pub(super) fn contiguous(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, dim] = values else { return Ok(()) };
    let (layout, dim) = (layout.as_linear()?, dim.as_name()?);
    let ins: Vec<linear::Name> = layout.ins().iter().map(|dim| dim.name).collect();
    let along = layout.sublayout(&ins, &[dim])?;
    let Some((only, _)) = along.out_dim(dim) else { return Ok(()) };
    let units = LinearLayout::identity(only.size(), dim, dim)?;
    let mut events = Vec::new();
    let _ = along.lstsq_traced(&units, &mut events);
    shown(&events, &along, &units, steps)?;
    let reached = evaluate(&call("contiguous_elems_along_out_dim", values))?.value;
    let rule = format!("All elements below {reached} along {dim} are reached, as sums of these:");
    steps.add(rule, call("contiguous_elems_along_out_dim", values))?;
    Ok(())
}

/// `bruhat(L)`: how each column lost its highest bits, and that the factors give the layout back.
pub(super) fn bruhat(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_linear()?;
    let Ok(factors) = layout.bruhat() else {
        shown(&layout.elimination(), &layout, &LinearLayout::empty(), steps)?;
        return rank(&layout, steps);
    };
    for (bit, inner) in bits(&layout).iter().zip(bits(&factors.inner)).take(super::MOST_BASES) {
        let rest = layout.apply_packed(inner.column);
        let lead = factors.permutation.columns().get(bit.at).copied().unwrap_or(0);
        let earlier: Vec<String> = bits(&layout)
            .iter()
            .filter(|other| other.at != bit.at && inner.column & other.mask() != 0)
            .map(Bit::to_string)
            .collect();
        let less = if earlier.is_empty() { String::new() } else { format!(", xored with {}", list(&earlier)) };
        let rule = format!(
            "The column of {bit}{less} is {}. Its highest bit, {}, is new: there the permutation sends {bit}.",
            named(layout.outs(), rest),
            named(layout.outs(), lead)
        );
        steps.add(rule, applied(&layout, inner.column))?;
    }
    let (inner, permutation, outer) = (&factors.inner, &factors.permutation, &factors.outer);
    let first = format!("compose({inner}, {permutation})");
    let moved = steps.add("The columns that were xored are the inner shear; then comes the permutation:", first)?;
    steps.add(
        "What was left of the columns is the outer shear. Together they are the layout:",
        format!("compose({moved}, {outer})"),
    )?;
    steps.add("The outer shear, the permutation and the inner shear:", call("bruhat", values))?;
    Ok(())
}

/// Each reduction in a sentence, with the place whose bits were xored.
pub(super) fn shown(
    events: &[Elimination],
    eliminated: &LinearLayout,
    other: &LinearLayout,
    steps: &mut Steps,
) -> Result<(), Error> {
    let (columns, targets) = (bits(eliminated), bits(other));
    let is_plain = |column: &Reduction| column.parts == 0 && column.vector.count_ones() == 1;
    let reduced = |event: &Elimination| matches!(event, Elimination::Column(column) if !is_plain(column));
    let count = events.iter().filter(|event| matches!(event, Elimination::Column(_))).count();
    let is_shown = count <= FEW_BASES || events.iter().any(reduced);
    if !is_shown {
        let rule = format!(
            "The {count} bases to eliminate are single bits, all different: nothing has to be reduced. The rank:"
        );
        steps.add(rule, format!("rank({eliminated})"))?;
    }
    for event in events {
        match event {
            Elimination::Column(_) if !is_shown => {}
            Elimination::Column(reduction) => {
                let Some(bit) = columns.get(reduction.at) else { continue };
                steps.add(column(reduction, bit, eliminated), applied(eliminated, reduction.parts | bit.mask()))?;
            }
            Elimination::Target(reduction) => {
                let Some(bit) = targets.get(reduction.at) else { continue };
                steps.add(target(reduction, bit, eliminated), applied(eliminated, reduction.parts))?;
                if reduction.rest != 0 {
                    break;
                }
            }
            Elimination::Shared { at, bit } => {
                let (Some(here), Some(there)) = (targets.get(*at), columns.get(*bit)) else { continue };
                let rule = format!(
                    "The bases of {} are the same in both and independent of the others, so {here} stays {there}.",
                    here.name
                );
                steps.add(rule, applied(eliminated, there.mask()))?;
            }
        }
    }
    Ok(())
}

/// A column reduced by those before it.
fn column(reduction: &Reduction, bit: &Bit, layout: &LinearLayout) -> String {
    let image = bit.image(layout);
    let others = summed(reduction.parts, layout);
    if reduction.rest == 0 {
        return match reduction.parts {
            0 => format!("The bit {bit} goes to 0, so it is dependent."),
            parts if parts.count_ones() == 1 => {
                format!("The bit {bit} goes to {image}, as {others} does, so it is dependent. Both together go to 0:")
            }
            _ => format!(
                "The bit {bit} goes to {image}, the xor of what {others} go to, so it is dependent. All together go to 0:"
            ),
        };
    }
    let pivot = named(layout.outs(), 1u64.checked_shl(reduction.rest.ilog2()).unwrap_or(0));
    match reduction.parts {
        0 => format!("The bit {bit} goes to {image}. Its highest bit, {pivot}, is new, so it is independent."),
        _ => format!(
            "The bit {bit} goes to {image}. Xored with {others} that leaves {}, whose highest bit, {pivot}, is new, so it is independent.",
            named(layout.outs(), reduction.rest)
        ),
    }
}

/// A vector expressed by the columns.
fn target(reduction: &Reduction, bit: &Bit, layout: &LinearLayout) -> String {
    let wanted = named(layout.outs(), reduction.vector);
    let of = if wanted == bit.to_string() { String::new() } else { format!(", where {bit} goes,") };
    match (reduction.rest, reduction.parts) {
        (0, 0) => format!("The element {wanted}{of} is at the place 0."),
        (0, parts) => {
            let others = summed(parts, layout);
            let verb = if parts.count_ones() == 1 { "goes there" } else { "together go there" };
            format!("The element {wanted}{of} has a place: {others} {verb}.")
        }
        (rest, 0) => format!("The element {wanted}{of} has no place: no pivot is {}.", pivot(rest, layout)),
        (rest, parts) => format!(
            "The element {wanted}{of} has no place: xored with {} it leaves {}, which no pivot reduces. These give:",
            summed(parts, layout),
            named(layout.outs(), rest)
        ),
    }
}

fn pivot(rest: u64, layout: &LinearLayout) -> String {
    named(layout.outs(), rest.checked_ilog2().and_then(|bit| 1u64.checked_shl(bit)).unwrap_or(0))
}

/// The bits of a mask by name.
fn summed(parts: u64, layout: &LinearLayout) -> String {
    let all = bits(layout);
    list(&ones(parts).filter_map(|at| all.get(at)).map(Bit::to_string).collect::<Vec<_>>())
}

fn is_free(events: &[Elimination], bit: &Bit) -> bool {
    events.iter().any(|event| matches!(event, Elimination::Column(column) if column.at == bit.at && column.rest == 0))
}

/// The elements of a layout as a layout from themselves.
fn identity(layout: &LinearLayout) -> Result<LinearLayout, Error> {
    let outs: linear::Dims = layout.outs().iter().copied().collect();
    let units = (0..layout.out_bits()).map(|bit| 1u64.checked_shl(bit).unwrap_or(0)).collect();
    LinearLayout::from_columns(outs.clone(), outs, units)
}
