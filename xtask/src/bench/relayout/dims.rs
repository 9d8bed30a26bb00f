//! [`Dim`]: a pair of layouts as loops with a stride on each side, which is what other libraries take.

use bitstride::Error;
use bitstride::map::{Form, Map};

/// A loop: a given number of steps, and how many elements one step is on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dim {
    pub(super) count: i64,
    pub(super) strides: [i64; 2],
}

impl Dim {
    /// The fewest loops of a pair, the longest steps of the destination first; `None` where strides alone do not tell it.
    pub(super) fn of(maps: &[Map; 2]) -> Result<Option<Vec<Dim>>, Error> {
        let [from, to] = maps[0].aligned(&maps[1])?;
        let forms = [Form::of(&from)?, Form::of(&to)?];
        let plain = |form: &Form| {
            form.sums.iter().all(|sum| sum.offset == 0 && sum.flip == 0 && sum.xors.iter().all(|xor| *xor == 0))
        };
        if !forms.iter().all(plain) {
            return Ok(None);
        }
        let mut dims = Vec::new();
        for (at, axis) in from.domain().iter().enumerate() {
            let own = forms.iter().flat_map(|form| form.digits.iter()).filter(|digit| digit.axis == at);
            let mut cuts: Vec<i64> = own.map(|digit| digit.weight).chain([1, axis.extent]).collect();
            cuts.retain(|cut| *cut <= axis.extent);
            cuts.sort_unstable();
            cuts.dedup();
            for (low, high) in cuts.iter().zip(cuts.iter().skip(1)) {
                if high % low != 0 {
                    return Ok(None);
                }
                dims.push(Dim { count: high / low, strides: [0, 1].map(|side| stride(&forms[side], at, *low)) });
            }
        }
        dims.sort_by_key(|dim| std::cmp::Reverse(dim.strides[1]));
        let mut fewest: Vec<Dim> = Vec::new();
        for dim in dims {
            match fewest.last_mut() {
                Some(outer) if outer.strides == dim.strides.map(|stride| stride * dim.count) => {
                    *outer = Dim { count: outer.count * dim.count, strides: dim.strides };
                }
                _ => fewest.push(dim),
            }
        }
        Ok(Some(fewest))
    }
}

/// What a step of so much along an axis is worth in memory.
fn stride(form: &Form, axis: usize, weight: i64) -> i64 {
    let inside = |at: usize| {
        form.digits.get(at).is_some_and(|own| {
            own.axis == axis && own.weight <= weight && weight < own.weight.saturating_mul(own.radix)
        })
    };
    let Some(at) = (0..form.digits.len()).find(|at| inside(*at)) else { return 0 };
    let stride = form.sums.first().and_then(|sum| sum.strides.get(at)).copied().unwrap_or(0);
    form.digits.get(at).map_or(0, |own| stride * (weight / own.weight))
}
