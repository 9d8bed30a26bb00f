//! Our answer where Triton rejects, tried by enumeration.

use bitstride::laws::Broken;
use bitstride::linear::{LinearLayout, Name};

use super::encodings::asked;
use super::json::{bases, layout, names, numbers};
use crate::vectors::laws::Held;
use crate::vectors::row::Row;

/// The largest layout whose places are walked.
const MOST_BITS: u32 = 20;

/// Whether our answer to a row holds the law of its question; nothing when no law is known.
pub(in crate::vectors) fn law(row: &Row) -> Option<Held> {
    match row.op.as_str() {
        "divide_right" => {
            let operand = |name: &str| layout(row.fields.get(name)?)?.ok();
            let (whole, part) = (operand("a")?, operand("b")?);
            if whole.divide_right(&part).is_some() {
                return None;
            }
            let found = quotient(&whole, &part);
            Some(found.map_or(Ok(()), |found| Err(broken("quotient * part = whole", format!("holds of {found}")))))
        }
        _ if row.fields.contains_key("enc") => {
            let (encoding, shape) = asked(&row.fields)?;
            Some(covers(&encoding.to_linear(&shape).ok()?, &shape))
        }
        _ => None,
    }
}

/// Whether our refusal holds; nothing when no law is known.
pub(in crate::vectors) fn refusal(row: &Row) -> Option<Held> {
    const LAW: &str = "a layout of inferred sizes is surjective";
    let stated = numbers(row.fields.get("stated_inferred_sizes")?)?;
    let bases = bases(row.fields.get("bases")?)?.ok()?;
    let outs: Vec<(Name, i64)> = names(row.fields.get("out_names")?)?.ok()?.into_iter().zip(stated).collect();
    let held =
        covers(&LinearLayout::from_bases(&bases, &outs).ok()?, &outs.iter().map(|(_, size)| *size).collect::<Vec<_>>());
    Some(if held.is_err() { Ok(()) } else { Err(broken(LAW, "it is".to_owned())) })
}

fn broken(law: &'static str, witness: String) -> Broken {
    Broken { law, witness }
}

/// The layout whose product with `part` is `whole`, found from its values: its sizes are the quotients of the sizes, and
/// it does to its places what `whole` does to the same ones.
fn quotient(whole: &LinearLayout, part: &LinearLayout) -> Option<LinearLayout> {
    let rest = |name: Name, size: i64, parts: &[(Name, i64)]| {
        let divisor = parts.iter().find(|(own, _)| *own == name).map_or(1, |(_, size)| *size);
        (size % divisor == 0).then_some(size / divisor)
    };
    let sizes = |dims: &[bitstride::linear::Dim]| dims.iter().map(|dim| (dim.name, dim.size())).collect::<Vec<_>>();
    let (ins, outs) = (sizes(part.ins()), sizes(part.outs()));
    let mut bases = Vec::new();
    for (name, size) in sizes(whole.ins()) {
        let mut images = Vec::new();
        let rest = rest(name, size, &ins)?;
        let mut place = 1;
        while place < rest {
            let image = whole.apply(
                &sizes(whole.ins())
                    .iter()
                    .map(|(dim, _)| (*dim, if *dim == name { place } else { 0 }))
                    .collect::<Vec<_>>(),
            );
            images.push(image.ok()?.into_iter().map(|(_, value)| value).collect());
            place *= 2;
        }
        bases.push((name, images));
    }
    let rests: Option<Vec<(Name, i64)>> =
        sizes(whole.outs()).into_iter().map(|(name, size)| Some((name, rest(name, size, &outs)?))).collect();
    let found = LinearLayout::from_bases(&bases, &rests?).ok()?;
    (found.product(part).ok()? == *whole).then_some(found)
}

/// Every element of the shape has a place, and no place lies outside of it.
fn covers(layout: &LinearLayout, shape: &[i64]) -> Held {
    const LAW: &str = "the places hold every element of the shape";
    let sizes: Vec<i64> = layout.outs().iter().map(|dim| dim.size()).collect();
    if sizes != shape || layout.in_bits() > MOST_BITS {
        return Err(broken(LAW, format!("out sizes {sizes:?}")));
    }
    let mut seen = std::collections::BTreeSet::new();
    seen.extend((0..1u64 << layout.in_bits()).map(|place| layout.apply_packed(place)));
    let elements: i64 = shape.iter().product();
    if i64::try_from(seen.len()) == Ok(elements) {
        Ok(())
    } else {
        Err(broken(LAW, format!("{} of {elements} elements", seen.len())))
    }
}
