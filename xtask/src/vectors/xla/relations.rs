//! Arrays as sums of their dims, as layouts of CuTe and as xors of bits: read off the form of the map where it has one.
//!
//! Where merged dims carry there is no form, and where tiles cut each other unevenly none is found; these are judged by
//! their offsets.

use bitstride::map::{Form, Map};
use bitstride::xla::Image;
use serde_json::{Value, json};

use super::{Fields, array};

/// All columns.
pub(super) const STATED: [&str; 8] =
    ["shape", "dims", "additive_over_dims", "cute", "bijective", "f2_linear", "f2_bases", "f2_bit_permutation"];

/// A digit of a dim: its values, and what one step moves.
type Digits = Vec<(i64, i64)>;

/// Our answer.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let read = array(fields, "shape")?;
    let image = Image::of(&read).ok()?;
    let map = Map::of_array(&read).ok()?;
    let dims = image.dims().to_vec();
    let sums = match Form::of(&map) {
        Ok(form) => Some(by_form(&form)),
        Err(_) => by_offsets(&image),
    };
    let exact = |dim: &Digits, extent: i64| dim.iter().map(|(radix, _)| radix).product::<i64>() == extent;
    let cute = sums.as_ref().filter(|sums| sums.iter().zip(&dims).all(|(dim, extent)| exact(dim, *extent)));
    let bases = sums.as_ref().and_then(|sums| bases(sums, &dims));
    let mut answers = Fields::new();
    for name in STATED.into_iter().filter(|name| fields.contains_key(*name)) {
        let value = match name {
            "shape" => json!(read.to_string()),
            "dims" => json!(dims),
            "additive_over_dims" => json!(sums.is_some()),
            "cute" => json!(cute.map(|sums| text(sums))),
            "bijective" => json!(image.elements() == image.tiled_dims().iter().product::<i64>()),
            "f2_linear" => json!(bases.is_some()),
            "f2_bases" => json!(bases),
            _ => json!(bases.iter().flatten().flatten().all(|basis| basis.count_ones() == 1)),
        };
        answers.insert(name.to_owned(), value);
    }
    Some(Value::Object(answers))
}

/// The digits of each dim.
fn by_form(form: &Form) -> Vec<Digits> {
    let mut dims = vec![Digits::new(); form.axes.len()];
    for (digit, stride) in form.digits.iter().zip(form.sums.iter().flat_map(|sum| &sum.strides)) {
        if let Some(dim) = dims.get_mut(digit.axis) {
            dim.push((digit.radix, *stride));
        }
    }
    dims
}

/// The digits of each dim, if the offset of every element is the sum over its dims.
fn by_offsets(image: &Image) -> Option<Vec<Digits>> {
    let rank = image.dims().len();
    let along = |dim: usize, x: i64| {
        let index: Vec<i64> = (0..rank).map(|own| if own == dim { x } else { 0 }).collect();
        image.offset(&index).ok()
    };
    for number in 0..image.elements() {
        let index = image.numbered(number)?;
        let parts = index.iter().enumerate().map(|(dim, x)| along(dim, *x)).sum::<Option<i64>>()?;
        if parts != image.offset(&index).ok()? {
            return None;
        }
    }
    let offsets = |dim: usize| (0..*image.dims().get(dim)?).map(|x| along(dim, x)).collect::<Option<Vec<_>>>();
    (0..rank).map(|dim| Some(digits(&offsets(dim)?))).collect()
}

/// Offsets as digits, each as long as it goes on; digits that do not end at the last offset are no layout.
fn digits(offsets: &[i64]) -> Digits {
    let mut digits = Digits::new();
    let at = |x: i64| usize::try_from(x).ok().and_then(|x| offsets.get(x)).copied();
    let extent = i64::try_from(offsets.len()).unwrap_or(i64::MAX);
    let sum = |digits: &Digits, x: i64| {
        let step = |(rest, sum): (i64, i64), (radix, stride): &(i64, i64)| (rest / radix, sum + rest % radix * stride);
        digits.iter().fold((x, 0), step)
    };
    let mut weight = 1;
    while weight < extent {
        let stride = at(weight).unwrap_or(0);
        let goes_on = |x: &i64| {
            let (rest, low) = sum(&digits, *x);
            at(*x) == Some(low + rest * stride)
        };
        let end = (0..extent).find(|x| !goes_on(x)).unwrap_or(extent);
        let radix = (end + weight - 1) / weight;
        // A break inside of a step is no break between digits.
        let radix = if end % weight == 0 || end == extent { radix } else { i64::MAX / weight };
        digits.push((radix, stride));
        weight = weight.saturating_mul(radix);
    }
    digits
}

/// What each bit of each dim brings, if the offset is their xor: no two have a bit in common.
fn bases(sums: &[Digits], dims: &[i64]) -> Option<Vec<Vec<i64>>> {
    let mut bases = Vec::new();
    for (digits, extent) in sums.iter().zip(dims) {
        let place = |x: i64| {
            let step =
                |(rest, sum): (i64, i64), (radix, stride): &(i64, i64)| (rest / radix, sum + rest % radix * stride);
            digits.iter().fold((x, 0), step).1
        };
        let own: Vec<i64> = (0..extent.ilog2()).map(|bit| place(1 << bit)).collect();
        let linear = |x: i64| {
            own.iter().enumerate().fold(0, |xor, (bit, basis)| xor ^ if x >> bit & 1 == 1 { *basis } else { 0 })
                == place(x)
        };
        if !(0..*extent).all(linear) {
            return None;
        }
        bases.push(own);
    }
    let mut taken = 0;
    for dim in &bases {
        let own = dim.iter().fold(0, |own, basis| own | basis);
        if taken & own != 0 {
            return None;
        }
        taken |= own;
    }
    Some(bases)
}

/// `shape:stride` with one mode for each dim.
fn text(sums: &[Digits]) -> String {
    let mode = |numbers: Vec<String>| match numbers.as_slice() {
        [only] => only.clone(),
        numbers => format!("({})", numbers.join(",")),
    };
    let side = |of: fn(&(i64, i64)) -> i64, none: &str| {
        let modes = sums.iter().map(|dim| match dim.is_empty() {
            true => none.to_owned(),
            false => mode(dim.iter().map(|digit| of(digit).to_string()).collect()),
        });
        format!("({})", modes.collect::<Vec<_>>().join(","))
    };
    format!("{}:{}", side(|(radix, _)| *radix, "1"), side(|(_, stride)| *stride, "0"))
}
