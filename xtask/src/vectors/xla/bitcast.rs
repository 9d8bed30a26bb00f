//! Reshapes and transposes that move nothing, and what XLA says of them without looking at tiles.

use bitstride::xla::{Array, Bitcast, normalized_transpose, unit_dims, unmodified_dims};
use bitstride_lang::evaluate;
use bitstride_oracle::reference::{Tiled, is_reshape_bitcast, is_transpose_bitcast};
use serde_json::{Value, json};

use super::{Fields, Judged, array, both, numbers, twin, with_tiles, written};
use crate::vectors::judge::Kind::{AcceptsUnlawful, BreaksLaw, Convention, Rejects};

/// The columns of the definition; of the dims of a reshape XLA says what is so.
pub(super) const STATED: [&str; 10] = [
    "input",
    "output",
    "is_bitcast",
    "tiled",
    "xla_agrees",
    "aligned_is_bitcast",
    "unmodified_dims",
    "unit_dims",
    "normalized_shape",
    "normalized_perm",
];

/// XLA's functions, and the columns that tell what they answer.
pub(super) const FUNCTIONS: [(&str, &[&str]); 6] = [
    ("ReshapeIsBitcast", &["reshape_is_bitcast"]),
    ("TransposeIsBitcast", &["transpose_is_bitcast"]),
    ("IsReshapeOrTransposeBitcast", &["reshape_or_transpose_bitcast"]),
    ("DeduceTransposeDimensionsForBitcast", &["deduced_transpose"]),
    ("AlignLayouts", &["aligned_output"]),
    ("DecomposeBitcast", &["decompose_bitcast"]),
];

/// The two arrays of a row, as they are and plain.
struct Pair {
    from: Array,
    to: Array,
    plain: [Tiled; 2],
    untiled: [Tiled; 2],
}

impl Pair {
    fn of(fields: &Fields) -> Option<Pair> {
        let plain = [twin(fields, "input")?, twin(fields, "output")?];
        let untiled = [with_tiles(plain.first()?, 0)?, with_tiles(plain.last()?, 0)?];
        Some(Pair { from: array(fields, "input")?, to: array(fields, "output")?, plain, untiled })
    }

    /// Whether the transpose that XLA deduces from the orders in memory alone fits the dims, and which it is.
    fn by_order(&self) -> Option<Vec<usize>> {
        let [from, to] = &self.plain;
        let (old, new) = (from.minor_to_major(), to.minor_to_major());
        let matched = |dim: usize| old.get(new.iter().position(|other| *other == dim)?).copied();
        let order: Vec<usize> = (0..new.len()).map(matched).collect::<Option<_>>()?;
        let extents: Option<Vec<i64>> = order.iter().map(|dim| from.dims().get(*dim).copied()).collect();
        (old.len() == new.len() && extents? == to.dims()).then_some(order)
    }
}

/// Our answer.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let Pair { from, to, .. } = Pair::of(fields)?;
    let xla = |name: &str| fields.get("xla")?.get(name);
    let dims = fields.get("dimensions").and_then(numbers);
    let (free, column) = match &dims {
        Some(dims) => {
            let free = from.same_transposed(&to, dims).ok()?.holds();
            let asked = format!("transpose_is_bitcast({from}, {to}, {})", written(&json!(dims)));
            (both(&asked, json!(free)), "transpose_is_bitcast")
        }
        None => {
            let free = from.same_memory(&to).ok()?.holds();
            (both(&format!("reshape_is_bitcast({from}, {to})"), json!(free)), "reshape_is_bitcast")
        }
    };
    let (old, new) = (from.bounds().ok()?.to_vec(), to.bounds().ok()?.to_vec());
    let normalized = || match &dims {
        Some(dims) if [&from, &to].into_iter().all(row_major) => normalized_transpose(&old, dims).ok().map(Some),
        _ => Some(None),
    };
    let mut answers = Fields::new();
    for name in STATED.into_iter().filter(|name| fields.contains_key(*name) || xla(name).is_some()) {
        let value = match name {
            "input" => json!(from.to_string()),
            "output" => json!(to.to_string()),
            "is_bitcast" => free.clone(),
            "tiled" => json!([&from, &to].into_iter().any(|array| !array.layout.tiles.is_empty())),
            "xla_agrees" => json!(xla(column)? == &free),
            "aligned_is_bitcast" => {
                let aligned: Array = xla("aligned_output")?.as_str()?.parse().ok()?;
                json!(from.same_memory(&aligned).ok()?.holds())
            }
            "unmodified_dims" => {
                let pairs = unmodified_dims(&old, &new);
                pairs.into_iter().map(|(one, other)| json!([one, other])).collect()
            }
            "unit_dims" => unit_dims(&old, &new)
                .map_or(Value::Null, |(deleted, inserted)| json!({"deleted": deleted, "inserted": inserted})),
            "normalized_shape" => normalized()?.map_or(Value::Null, |(extents, _)| json!(extents)),
            _ => normalized()?.map_or(Value::Null, |(_, order)| json!(order)),
        };
        answers.insert(name.to_owned(), value);
    }
    Some(Value::Object(answers))
}

fn row_major(array: &Array) -> bool {
    array.layout.minor_to_major.is_sorted_by(|one, other| one > other)
}

/// One of XLA's functions.
pub(super) fn judged(fields: &Fields, function: &str, theirs: &Value) -> Option<Judged> {
    let pair = Pair::of(fields)?;
    let Pair { from, to, .. } = &pair;
    let ([a, b], [bare_a, bare_b]) = (&pair.plain, &pair.untiled);
    let reshape =
        || both(&format!("reshape_is_bitcast({from}, {to})"), json!(from.same_memory(to).is_ok_and(|s| s.holds())));
    Some(match function {
        "ReshapeIsBitcast" => {
            let ours = reshape();
            let lawful = ours == json!(is_reshape_bitcast(a, b).ok()?);
            let reason = *theirs == json!(is_reshape_bitcast(bare_a, bare_b).ok()?);
            Judged::new(format!("reshape_is_bitcast({from}, {to})"), theirs, &ours, lawful, BreaksLaw, reason)
        }
        "TransposeIsBitcast" => {
            let dims = numbers(fields.get("dimensions")?)?;
            let asked = format!("transpose_is_bitcast({from}, {to}, {})", written(&json!(dims)));
            let ours = both(&asked, json!(from.same_transposed(to, &dims).ok()?.holds()));
            let order = positions(&dims)?;
            let lawful = ours == json!(is_transpose_bitcast(a, b, &order).ok()?);
            Judged::new(asked, theirs, &ours, lawful, BreaksLaw, *theirs == json!(same_order(a, b, &order)))
        }
        "IsReshapeOrTransposeBitcast" => {
            let deduced = from.deduce_transpose(to).ok()?;
            let ours = json!(from.same_memory(to).ok()?.holds() || deduced.is_some());
            let lawful = ours == json!(is_reshape_bitcast(a, b).ok()? || transpose(a, b)?.is_some());
            let own_inverse =
                |order: Vec<usize>| order.iter().enumerate().all(|(at, dim)| order.get(*dim) == Some(&at));
            let alleged = is_reshape_bitcast(bare_a, bare_b).ok()? || pair.by_order().is_some_and(own_inverse);
            let asked = format!("reshape_is_bitcast({from}, {to}), or a transpose");
            Judged::new(asked, theirs, &ours, lawful, BreaksLaw, *theirs == json!(alleged))
        }
        "DeduceTransposeDimensionsForBitcast" => deduced(&pair, theirs)?,
        "AlignLayouts" => aligned(&pair, theirs)?,
        "DecomposeBitcast" => decomposed(&pair, theirs)?,
        _ => return None,
    })
}

/// Whether the dims of one are, in this order, those of the other, and lie in memory alike.
fn same_order(a: &Tiled, b: &Tiled, order: &[usize]) -> bool {
    let renamed: Vec<Option<usize>> = b.minor_to_major().iter().map(|dim| order.get(*dim).copied()).collect();
    renamed.into_iter().eq(a.minor_to_major().iter().copied().map(Some))
}

fn positions(dims: &[i64]) -> Option<Vec<usize>> {
    dims.iter().map(|dim| usize::try_from(*dim).ok()).collect()
}

/// All orders of a given number of dims.
fn orders(rank: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..rank {
        let longer = |order: Vec<usize>| {
            let rest: Vec<usize> = (0..rank).filter(|dim| !order.contains(dim)).collect();
            rest.into_iter().map(move |dim| [order.as_slice(), &[dim]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders
}

/// A transpose that moves nothing, found by trying all.
fn transpose(a: &Tiled, b: &Tiled) -> Option<Option<Vec<usize>>> {
    if a.dims().len() != b.dims().len() || a.size() != b.size() {
        return Some(None);
    }
    for order in orders(a.dims().len()) {
        let extents: Vec<i64> = order.iter().filter_map(|dim| a.dims().get(*dim).copied()).collect();
        if extents == b.dims() && is_transpose_bitcast(a, b, &order).ok()? {
            return Some(Some(order));
        }
    }
    Some(None)
}

fn moves_nothing(a: &Tiled, b: &Tiled, dims: &Value) -> bool {
    numbers(dims).and_then(|dims| is_transpose_bitcast(a, b, &positions(&dims)?).ok()).unwrap_or(false)
}

fn deduced(pair: &Pair, theirs: &Value) -> Option<Judged> {
    let Pair { from, to, plain: [a, b], .. } = pair;
    let asked = format!("deduce_transpose({from}, {to})");
    let ours = from.deduce_transpose(to).ok()?;
    let said = both(&asked, ours.as_ref().map_or(json!("!not-bitcast"), |dims| json!(dims)));
    let lawful = match &ours {
        Some(_) => moves_nothing(a, b, &said),
        None => said == json!("!not-bitcast") && transpose(a, b)?.is_none(),
    };
    let ours = if ours.is_none() && lawful { Value::Null } else { said };
    let reason = *theirs == pair.by_order().map_or(Value::Null, |order| json!(order));
    let kind = match (theirs.is_null(), ours.is_null()) {
        (true, _) => Rejects,
        (false, _) if moves_nothing(a, b, theirs) => Convention,
        (false, true) => AcceptsUnlawful,
        (false, false) => BreaksLaw,
    };
    Some(Judged::new(asked, theirs, &ours, lawful, kind, reason))
}

fn aligned(pair: &Pair, theirs: &Value) -> Option<Judged> {
    let Pair { from, to, plain: [a, b], untiled: [bare, _] } = pair;
    let dims = to.bounds().ok()?.to_vec();
    let asked = format!("align_layouts({from}, {})", written(&json!(dims)));
    // The calculator knows another way of writing some tiled memory.
    let calculated = || evaluate(&asked).ok().map(|answer| answer.value.to_string());
    let ours = from.align(&dims).ok().map(|array| array.to_string()).or_else(calculated);
    let said = both(&asked, json!(ours.clone().unwrap_or("!not-bitcast".to_owned())));
    let free = |a: &Tiled, text: &Value| {
        let aligned = text.as_str().and_then(|text| text.parse::<Tiled>().ok());
        aligned.is_some_and(|aligned| aligned.dims() == dims && is_reshape_bitcast(a, &aligned) == Ok(true))
    };
    let lawful = match &ours {
        Some(_) => free(a, &said),
        None => said == json!("!not-bitcast") && !any_order_aligns(a, b.dims())?,
    };
    let ours = if ours.is_none() && lawful { Value::Null } else { said };
    let (kind, reason) = match (theirs.is_null(), ours.is_null()) {
        (true, _) => (Rejects, true),
        (false, _) if free(a, theirs) => (Convention, !ours.is_null()),
        // It answers without the tiles, for an array that had none.
        (false, true) => (AcceptsUnlawful, free(bare, theirs)),
        (false, false) => (BreaksLaw, free(bare, theirs)),
    };
    Some(Judged::new(asked, theirs, &ours, lawful, kind, reason))
}

/// Whether some order of other dims, with these tiles or none, is the same memory.
fn any_order_aligns(a: &Tiled, dims: &[i64]) -> Option<bool> {
    for order in orders(dims.len()) {
        for tiles in [a.tiles(), &[]] {
            let candidate = Tiled::new(dims.to_vec(), order.clone(), tiles.to_vec(), a.tail()).ok()?;
            if candidate.size() == a.size() && is_reshape_bitcast(a, &candidate).ok()? {
                return Some(true);
            }
        }
    }
    Some(false)
}

fn decomposed(pair: &Pair, theirs: &Value) -> Option<Judged> {
    let Pair { from, to, plain: [a, b], untiled: [bare_a, bare_b] } = pair;
    let asked = format!("decompose_bitcast({from}, {to})");
    let answered = from.decompose_bitcast(to);
    let ours = match &answered {
        Ok(Bitcast::Reshape) => json!({"kind": "reshape"}),
        Ok(Bitcast::Transpose(dims)) => json!({"kind": "transpose", "dims": dims}),
        Ok(Bitcast::Both { first, transposed, reshaped, second }) => json!({
            "kind": "trt",
            "transpose1_dims": first,
            "transpose1_shape": transposed.to_string(),
            "reshape_shape": reshaped.to_string(),
            "transpose2_dims": second,
        }),
        Err(_) => Value::Null,
    };
    let lawful = match &answered {
        Ok(_) => steps_are_free(a, b, &ours, false),
        Err(_) => !in_order_of_memory(a, b)?,
    };
    let (sound, reason) = (steps_are_free(a, b, theirs, false), steps_are_free(bare_a, bare_b, theirs, true));
    let kind = match (sound, ours.is_null()) {
        (true, _) => Convention,
        (false, true) => AcceptsUnlawful,
        (false, false) => BreaksLaw,
    };
    let mut judged = Judged::new(asked.clone(), theirs, &ours, lawful, kind, reason);
    judged.ours = super::calculated(&asked);
    Some(judged)
}

/// Whether every step of a decomposition moves nothing, perhaps when no array had tiles.
fn steps_are_free(a: &Tiled, b: &Tiled, given: &Value, untiled: bool) -> bool {
    let array = |name: &str| {
        let array: Tiled = given.get(name)?.as_str()?.parse().ok()?;
        if untiled { with_tiles(&array, 0) } else { Some(array) }
    };
    let dims = |name: &str| given.get(name).unwrap_or(&Value::Null);
    match given.get("kind").and_then(Value::as_str) {
        Some("reshape") => is_reshape_bitcast(a, b) == Ok(true),
        Some("transpose") => moves_nothing(a, b, dims("dims")),
        Some("trt") => array("transpose1_shape").zip(array("reshape_shape")).is_some_and(|(first, second)| {
            moves_nothing(a, &first, dims("transpose1_dims"))
                && is_reshape_bitcast(&first, &second) == Ok(true)
                && moves_nothing(&second, b, dims("transpose2_dims"))
        }),
        _ => false,
    }
}

/// Whether the two are a reshape of one another when the dims of each are in the order of memory.
fn in_order_of_memory(a: &Tiled, b: &Tiled) -> Option<bool> {
    let ordered = |of: &Tiled| {
        let order = of.minor_to_major().iter().rev();
        let dims = order.map(|dim| of.dims().get(*dim).copied()).collect::<Option<Vec<i64>>>()?;
        let rows = (0..dims.len()).rev().collect();
        Tiled::new(dims, rows, of.tiles().to_vec(), of.tail()).ok()
    };
    is_reshape_bitcast(&ordered(a)?, &ordered(b)?).ok()
}
