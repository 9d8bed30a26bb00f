//! Tensors over devices: what each device holds, against the words of the definitions, index by index, and every notation that a
//! sharding is converted to holds the same.

use std::collections::BTreeSet;

use bitstride::sharding::{Indices, Notation, Sharding};
use bitstride_lang::Value;
use bitstride_oracle::reference::sharding::{devices, strided, tile};

use super::super::Case;
use super::super::draw::list;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

/// The indices of each dim that each device holds.
type Held = Vec<Vec<Vec<i64>>>;

pub(super) fn draw(source: &mut Source) -> Case {
    let extents: Vec<i64> = (0..source.count(1, 2)).map(|_| source.of(&[8, 4, 6, 9, 1, 12, 7, 3])).collect();
    let (text, held) = if source.once_in(2) { tiles(source, &extents) } else { chunks(source, &extents) };
    Case::new(text.clone(), move || judged(&text, &held))
}

/// `{devices=[…]<=[…]T(…)}`: tiles of the padded tensor.
fn tiles(source: &mut Source, extents: &[i64]) -> (String, Held) {
    let cuts: Vec<i64> = extents.iter().map(|_| source.of(&[2, 1, 4, 3])).collect();
    let count: i64 = cuts.iter().product();
    let (sizes, dims) = match source.of(&[1, 2, 3]) {
        factor if factor > 1 && count % factor == 0 && count > factor => {
            let sizes = vec![factor, count / factor];
            (sizes, if source.once_in(2) { vec![1, 0] } else { vec![0, 1] })
        }
        _ => (vec![count], vec![0]),
    };
    let turned = match dims.as_slice() {
        [1, 0] => "T(1,0)",
        [0, 1] => "T(0,1)",
        _ => "",
    };
    let numbers = |all: &[i64]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let text =
        format!("shard(f32[{}], '{{devices=[{}]<=[{}]{turned}}}')", numbers(extents), numbers(&cuts), numbers(&sizes));
    let order = devices(&sizes, &dims);
    let mut held = vec![Vec::new(); order.len()];
    for (place, device) in (0..).zip(order) {
        let mut rest: i64 = place;
        let mut coordinates: Vec<i64> = Vec::new();
        for cut in cuts.iter().rev() {
            coordinates.insert(0, rest % cut);
            rest /= cut;
        }
        let dims = extents.iter().zip(&cuts).zip(&coordinates).map(|((extent, cut), at)| tile(*extent, *cut, *at));
        if let Some(own) = usize::try_from(device).ok().and_then(|device| held.get_mut(device)) {
            *own = dims.collect();
        }
    }
    (text, held)
}

/// Placements of DTensor: each dim of the mesh cuts what the ones before it left.
fn chunks(source: &mut Source, extents: &[i64]) -> (String, Held) {
    let mesh: Vec<i64> = (0..source.count(1, 2)).map(|_| source.of(&[2, 3, 1, 4])).collect();
    let placements: Vec<(Option<usize>, i64)> = mesh
        .iter()
        .map(|_| match source.below(4) {
            0 => (None, 1),
            1 => (Some(source.count(0, extents.len() - 1)), source.of(&[2, 3])),
            _ => (Some(source.count(0, extents.len() - 1)), 1),
        })
        .collect();
    let texts: Vec<String> = placements
        .iter()
        .map(|placement| match placement {
            (None, _) => "Replicate()".to_owned(),
            (Some(dim), 1) => format!("Shard({dim})"),
            (Some(dim), factor) => format!("_StridedShard({dim}, split_factor={factor})"),
        })
        .collect();
    let numbers = |all: &[i64]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let text = format!(
        "shard(f32[{}], [{}], mesh{})",
        numbers(extents),
        texts.join(", "),
        match mesh.as_slice() {
            [one] => format!("({one})"),
            all => list(all),
        }
    );
    let count: i64 = mesh.iter().product();
    let of = |device: i64| {
        let mut dims: Vec<Vec<i64>> = extents.iter().map(|extent| (0..*extent).collect()).collect();
        let mut below = count;
        for (size, (dim, factor)) in mesh.iter().zip(&placements) {
            below /= size;
            let at = device / below % size;
            if let Some(held) = dim.and_then(|dim| dims.get_mut(dim)) {
                *held = strided(held, *factor, *size, at);
            }
        }
        dims
    };
    (text, (0..count).map(of).collect())
}

fn listed(indices: &Indices) -> Option<Vec<i64>> {
    (0..indices.size()).map(|at| indices.at(at)).collect()
}

/// What each device holds of each dim; nothing where a device has no element.
fn held(sharding: &Sharding) -> Option<Held> {
    (0..sharding.devices().ok()?)
        .map(|device| match sharding.shard(device).ok()? {
            Some(dims) => dims.iter().map(listed).collect(),
            None => Some(Vec::new()),
        })
        .collect()
}

/// The elements of each device.
fn elements(held: &Held) -> Vec<BTreeSet<Vec<i64>>> {
    let of = |dims: &Vec<Vec<i64>>| match dims.is_empty() {
        true => BTreeSet::new(),
        false => dims.iter().fold(BTreeSet::from([Vec::new()]), |all, dim| {
            all.iter().flat_map(|at| dim.iter().map(move |index| [at.as_slice(), &[*index]].concat())).collect()
        }),
    };
    held.iter().map(of).collect()
}

const NOTATIONS: [Notation; 5] = [Notation::Hlo, Notation::HloMesh, Notation::Jax, Notation::Shardy, Notation::DTensor];

fn judged(text: &str, wanted: &Held) -> Outcome {
    let sharding = match said(text) {
        Ok(Value::Sharding(sharding)) => *sharding,
        Ok(value) => return Outcome::Wrong(format!("{value} is no sharding")),
        Err(error) => return Outcome::of_known(&error, Some("every device has a part, if only an empty one".into())),
    };
    let Some(answer) = held(&sharding) else { return Outcome::Wrong("a device has no list of indices".into()) };
    let wanted = elements(wanted);
    if elements(&answer) != wanted {
        return Outcome::Wrong(format!("devices hold {answer:?}"));
    }
    for notation in NOTATIONS {
        let Ok(other) = sharding.to(notation) else { continue };
        let read = match said(&other.to_string()) {
            Ok(Value::Sharding(read)) => *read,
            other => return Outcome::Wrong(format!("what is converted is read as {other:?}")),
        };
        if held(&read).map(|held| elements(&held)).as_ref() != Some(&wanted) {
            return Outcome::Wrong(format!("{other} holds other elements"));
        }
    }
    Outcome::Right
}
