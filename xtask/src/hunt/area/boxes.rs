//! Tensor maps: whether the driver takes the parameters of a box, and where each of its elements comes to lie, against the rules as they
//! were measured, element by element.

use bitstride_oracle::reference::{Layout, Swizzle};

use super::super::Case;
use super::super::draw::list;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

/// The parameters, the innermost dim first.
struct Parameters {
    bits: i64,
    dims: Vec<i64>,
    strides: Vec<i64>,
    window: Vec<i64>,
    swizzle: i64,
    steps: Vec<i64>,
}

pub(super) fn draw(source: &mut Source) -> Case {
    let bits = if source.once_in(12) { source.of(&[4, 24, 0]) } else { source.of(&[16, 32, 8, 64]) };
    let rank = source.count(1, 5);
    let wild = source.once_in(6);
    let extents: &[i64] = if wild { &[64, 1, 1 << 32, 0, (1 << 32) + 1] } else { &[64, 128, 256, 1, 1000] };
    let dims: Vec<i64> = (0..rank).map(|_| source.of(extents)).collect();
    let odd = source.once_in(8);
    let mut row = dims.first().copied().unwrap_or(1).saturating_mul(bits / 8);
    let mut strides = Vec::new();
    for extent in dims.iter().skip(1) {
        row = row.saturating_add(15) / 16 * 16;
        strides.push(if odd {
            source.of(&[row, 8, 24, 0, -16, 1 << 40, (1 << 40) - 16])
        } else {
            row.clamp(16, 1 << 30)
        });
        row = row.saturating_mul(*extent);
    }
    let swizzle = source.of(&[128, 0, 64, 32, 16]);
    let inner = source.of(&[64, 32, 16, 8, 128, 256, 24, 1, 257]);
    let window: Vec<i64> =
        [inner].into_iter().chain((1..rank).map(|_| source.of(&[8, 1, 4, 2, 16, 256, 0, 3]))).collect();
    let mut steps: Vec<i64> =
        (0..rank).map(|_| if source.once_in(6) { source.of(&[2, 3, 8, 9, 0]) } else { 1 }).collect();
    if source.once_in(15) {
        steps.push(1);
    }
    let own = Parameters { bits, dims, strides, window, swizzle, steps };
    // A tensor of one dim has no strides, which are written as an empty tuple.
    let strides = if own.strides.is_empty() { "()".to_owned() } else { list(&own.strides) };
    let text = format!(
        "tensor_map({bits}, {}, {strides}, {}, {swizzle}, {})",
        list(&own.dims),
        list(&own.window),
        list(&own.steps)
    );
    Case::new(text.clone(), move || judged(&text, &own))
}

impl Parameters {
    /// The rules of the driver's encoder, without interleave.
    fn is_taken(&self) -> bool {
        let (rank, size) = (self.dims.len(), self.bits / 8);
        let inner = self.window.first().copied().unwrap_or(0) * size;
        let read: i128 = self
            .window
            .iter()
            .zip(&self.steps)
            .map(|(side, step)| i128::from((side + step.max(&1) - 1) / step.max(&1)))
            .product::<i128>()
            * i128::from(size);
        [8, 16, 32, 64].contains(&self.bits)
            && [0, 32, 64, 128].contains(&self.swizzle)
            && (1..=5).contains(&rank)
            && self.steps.len() == rank
            && self.strides.iter().all(|stride| stride % 16 == 0 && (0..1 << 40).contains(stride))
            && self.dims.iter().all(|extent| (1..=1 << 32).contains(extent))
            && self.window.iter().all(|side| (1..=256).contains(side))
            && self.steps.iter().all(|step| (1..=8).contains(step))
            && inner % 16 == 0
            && (self.swizzle == 0 || inner <= self.swizzle)
            && read < 1 << 18
    }

    /// The bytes at which the elements that are read lie, the innermost dim the fastest.
    fn image(&self) -> Vec<i64> {
        let size = self.bits / 8;
        let sides: Vec<i64> = self
            .window
            .iter()
            .enumerate()
            .map(|(dim, side)| {
                let step = if dim == 0 { 1 } else { self.steps[dim] };
                (side + step - 1) / step
            })
            .collect();
        let pitch = (sides[0] * size).max(self.swizzle);
        let span = match self.swizzle {
            32 => 1,
            64 => 2,
            128 => 3,
            _ => 0,
        };
        let count: i64 = sides.iter().product();
        (0..count)
            .map(|number| {
                let (row, x) = (number / sides[0], number % sides[0]);
                let byte = row * pitch + x * size;
                byte ^ (byte >> 7 & ((1 << span) - 1)) << 4
            })
            .collect()
    }
}

/// The bytes at which a layout of elements, swizzled or not, has them.
fn bytes(text: &str, size: i64) -> Option<Vec<i64>> {
    let parts: Vec<&str> = text.split(" o ").collect();
    let places = parsed::<Layout>(parts.last()?)?.int_values().ok()?;
    let swizzle = match parts.as_slice() {
        [_] => None,
        [swizzle, bytes, _] if *bytes == format!("bytes[{}]", size * 8) => Some(parsed::<Swizzle>(swizzle)?),
        _ => return None,
    };
    let byte = |place: &i64| swizzle.as_ref().map_or(Some(place * size), |swizzle| swizzle.apply(place * size).ok());
    places.iter().map(byte).collect()
}

fn judged(text: &str, own: &Parameters) -> Outcome {
    match (said(text), own.is_taken()) {
        (Ok(value), true) => {
            let found = bytes(&value.to_string(), own.bits / 8);
            if found == Some(own.image()) {
                Outcome::Right
            } else {
                Outcome::Wrong(format!("{value} is another image"))
            }
        }
        (Ok(value), false) => Outcome::Wrong(format!("{value}, but the driver refuses these parameters")),
        (Err(error), is_taken) => {
            Outcome::of_known(&error, is_taken.then(|| "the driver takes these parameters".to_owned()))
        }
    }
}
