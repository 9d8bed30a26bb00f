//! Formats that are drawn: names of the zoo with parameters, and texts of which the places are known here.

use bitstride_formats::{Spec, Zoo, argument};

use super::super::super::source::Source;
use super::twin::points;

/// A format of a text that is made up, with the places of the bits of its only field.
pub(super) struct Drawn {
    pub(super) name: &'static str,
    pub(super) text: String,
    /// Whether all places are in the tensor.
    pub(super) fits: bool,
    /// For each element, the last axis the fastest, the bit of memory of each of its bits.
    pub(super) places: Vec<Vec<i64>>,
}

/// The tensor that both formats hold: its extents, and the bits of an element.
pub(super) struct Tensor {
    extents: Vec<i64>,
    bits: i64,
}

const AXES: [&str; 3] = ["a", "b", "c"];

pub(super) fn tensor(source: &mut Source) -> Tensor {
    let extents = (0..source.count(1, 3)).map(|_| source.of(&[4, 2, 8, 3, 16, 6, 1, 32])).collect();
    Tensor { extents, bits: source.of(&[4, 8, 2, 3, 1, 16, 5, 6, 12, 32]) }
}

/// A mode of a layout: leaves of extents and strides, the first the fastest.
type Mode = Vec<(i64, i64)>;

/// What a layout counts and where it begins.
struct Layout {
    modes: Vec<Mode>,
    offset: i64,
}

impl Layout {
    /// Leaves in any order, each behind the ones before, now and then with a gap, or with strides of any kind.
    fn draw(source: &mut Source, extents: &[i64], first: i64) -> Layout {
        let mut modes: Vec<Mode> = extents.iter().map(|extent| cut(source, *extent)).collect();
        let count = modes.iter().map(Vec::len).sum();
        let mut stride = first;
        let is_wild = source.once_in(12);
        for at in source.order(count) {
            if let Some(leaf) = modes.iter_mut().flatten().nth(at) {
                leaf.1 = if is_wild { source.of(&[1, 2, 3, 0, 8, 5]) } else { stride };
                stride = stride.saturating_mul(leaf.0) + if source.once_in(5) { source.of(&[1, 8, 4]) } else { 0 };
            }
        }
        let offset = if source.once_in(4) { source.of(&[1, 8, 3, 16]) } else { 0 };
        Layout { modes, offset }
    }

    fn text(&self) -> String {
        let side = |number: &dyn Fn(&(i64, i64)) -> i64| {
            let mode = |leaves: &Mode| match leaves.as_slice() {
                [leaf] => number(leaf).to_string(),
                leaves => {
                    format!("({})", leaves.iter().map(|leaf| number(leaf).to_string()).collect::<Vec<_>>().join(","))
                }
            };
            let modes: Vec<String> = self.modes.iter().map(mode).collect();
            match modes.as_slice() {
                [only] if self.modes.first().is_some_and(|leaves| leaves.len() == 1) => only.clone(),
                modes => format!("({})", modes.join(",")),
            }
        };
        let offset = if self.offset == 0 { String::new() } else { format!(" + {}", self.offset) };
        format!("{}:{}{offset}", side(&|leaf| leaf.0), side(&|leaf| leaf.1))
    }

    fn at(&self, point: &[i64]) -> i64 {
        let mode = |(leaves, x): (&Mode, &i64)| {
            let mut rest = *x;
            leaves.iter().fold(0, |sum, (extent, stride)| {
                let digit = rest % extent;
                rest /= extent;
                sum + digit * stride
            })
        };
        self.offset + self.modes.iter().zip(point).map(mode).sum::<i64>()
    }
}

/// An extent as one leaf or two.
fn cut(source: &mut Source, extent: i64) -> Mode {
    let part = source.of(&[1, 2, 4, 3]);
    match part > 1 && extent % part == 0 && extent > part {
        true => vec![(part, 0), (extent / part, 0)],
        false => vec![(extent, 0)],
    }
}

impl Drawn {
    /// A format of a tensor; none where it would be empty.
    pub(super) fn new(source: &mut Source, name: &'static str, tensor: &Tensor) -> Option<Drawn> {
        let Tensor { extents, bits } = tensor;
        let bits = *bits;
        let mut pieces: Vec<String> = Vec::new();
        let all = points(extents);
        let mut places: Vec<Vec<i64>> = vec![vec![0; usize::try_from(bits).ok()?]; all.len()];
        let mut put = |point: usize, bit: i64, place: i64| {
            if let Some(slot) = places.get_mut(point).and_then(|own| own.get_mut(usize::try_from(bit).ok()?)) {
                *slot = place;
            }
        };
        match source.below(5) {
            // Elements side by side, counted in elements or in bits.
            0 | 1 => {
                let in_bits = source.once_in(2);
                let layout = Layout::draw(source, extents, if in_bits { bits } else { 1 });
                let unit = if in_bits { 1 } else { bits };
                for (at, point) in all.iter().enumerate() {
                    (0..bits).for_each(|bit| put(at, bit, layout.at(point) * unit + bit));
                }
                pieces.push(format!("place{} = {}", if in_bits { " in 1" } else { "" }, layout.text()));
            }
            // The low bits of all elements, then the others.
            2 if bits > 1 => {
                let split = source.between(1, bits - 1);
                let low = Layout::draw(source, extents, split);
                let mut high = Layout::draw(source, extents, bits - split);
                let end = all.iter().map(|point| low.at(point) + split).max()?;
                if !source.once_in(10) {
                    high.offset += end;
                }
                for (at, point) in all.iter().enumerate() {
                    (0..split).for_each(|bit| put(at, bit, low.at(point) + bit));
                    (split..bits).for_each(|bit| put(at, bit, high.at(point) + bit - split));
                }
                pieces.push(format!("place over bit 0..{split} in 1 = {}", low.text()));
                pieces.push(format!("place over bit {split}..{bits} in 1 = {}", high.text()));
            }
            // A tail of the first axis.
            3 if extents.first().is_some_and(|extent| *extent > 1) => {
                let first = *extents.first()?;
                let split = source.between(1, first - 1);
                let others = extents.get(1..).unwrap_or_default();
                let head = Layout::draw(source, &[&[split], others].concat(), 1);
                let mut tail = Layout::draw(source, &[&[first - split], others].concat(), 1);
                let is_head = |point: &[i64]| point.first().is_some_and(|x| *x < split);
                tail.offset += all.iter().filter(|point| is_head(point)).map(|point| head.at(point) + 1).max()?;
                for (at, point) in all.iter().enumerate() {
                    let mut own = point.clone();
                    let place = if is_head(point) {
                        head.at(&own)
                    } else {
                        own.iter_mut().take(1).for_each(|x| *x -= split);
                        tail.at(&own)
                    };
                    (0..bits).for_each(|bit| put(at, bit, place * bits + bit));
                }
                let names = AXES.get(..extents.len())?;
                let rest: String = names.iter().skip(1).map(|name| format!(", {name}")).collect();
                pieces.push(format!("place over a 0..{split} = {}", head.text()));
                pieces.push(format!("place over a {split}..{first} at (a - {split}{rest}) = {}", tail.text()));
            }
            // The bits of the last axis in one stream.
            _ => {
                let last = *extents.last()?;
                let others = extents.get(..extents.len() - 1)?;
                let layout = Layout::draw(source, &[others, &[last * bits]].concat(), 1);
                for (at, point) in all.iter().enumerate() {
                    for bit in 0..bits {
                        let mut own = point.clone();
                        own.iter_mut().next_back().into_iter().for_each(|x| *x = *x * bits + bit);
                        put(at, bit, layout.at(&own));
                    }
                }
                let names = AXES.get(..extents.len())?;
                let rest: String = names.iter().take(extents.len() - 1).map(|name| format!("{name}, ")).collect();
                pieces.push(format!("place at ({rest}{bits}*{} + bit) = {}", names.last()?, layout.text()));
            }
        }
        let end = places.iter().flatten().max()? + 1;
        let size = (end + 7) / 8 - i64::from(source.once_in(15));
        let axes: Vec<String> = AXES.iter().zip(extents).map(|(axis, extent)| format!("{axis}: {extent}")).collect();
        let fill = if source.once_in(4) { "fill 255\n" } else { "" };
        let stored = match source.below(6) {
            0 => format!("stored xor {}\n", source.between(0, (1 << bits.min(8)) - 1)),
            1 => format!("stored add {}\n", source.of(&[1, -1, 2])),
            _ => String::new(),
        };
        let kind = source.of(&["uint", "uint", "uint", "value", "e2m1"]);
        let pieces = pieces.join("\n");
        let text = format!(
            "format {name}\ntensor t u8 [{size}]\n{fill}field x [{}] {bits} {kind}\n{stored}{pieces}\n",
            axes.join(", ")
        );
        // An extent of nothing is left to the layout.
        let fits = end <= size * 8;
        (size > 0).then_some(Drawn { name, text, fits, places })
    }
}

/// Values that parameters of some names are given, the simplest first.
fn values(name: &str) -> &'static [&'static str] {
    match name {
        "bits" => &["4", "8", "3", "2", "5", "6", "16", "7", "32", "1"],
        "k" => &["64", "128", "32", "256", "96", "16", "40", "0", "512"],
        "n" => &["32", "64", "16", "8", "1", "96", "2", "0"],
        "m" | "s" | "b" | "t" | "g" => &["8", "4", "128", "6", "16", "1", "100", "64"],
        "h" | "d" | "experts" | "pages" => &["2", "8", "1", "16", "32"],
        "rows" | "interleave" => &["8", "4"],
        "group" => &["32", "128", "16", "64", "0", "-1"],
        "block" | "x" | "blocksize" => &["16", "8", "4", "64"],
        "tile" => &["128", "64", "1", "8"],
        "version" => &["sm80", "0.20", "old", "sm75"],
        "variant" => &["v1", "v2", "ab", "ba", "AB4b4a", "Ba8b", "abc"],
        "shape" => &["8x16", "5x6", "16x3", "4x4x4"],
        "kind" => &["uint", "nf4", "e2m1", "fp4"],
        "act" => &["16", "8", "f16", "e4m3", "int8"],
        "mma" => &["f16", "e4m3"],
        "dtype" => &["f16", "e4m3", "f32"],
        "dim" => &["1", "0"],
        _ => &["1", "2"],
    }
}

/// Two names of the zoo, mostly with the same parameters.
pub(super) fn specs(source: &mut Source) -> Option<[Spec; 2]> {
    let all = Zoo::builtin().definitions();
    let mut chosen: Vec<(String, &'static str)> = Vec::new();
    let mut spec = |source: &mut Source, at: usize| -> Option<Spec> {
        let definition = all.get(at)?;
        let mut spec = Spec { name: definition.name.clone(), parameters: Vec::new() };
        for parameter in &definition.parameters {
            if parameter.default_text.is_some() && source.once_in(2) {
                continue;
            }
            let known = chosen.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| *value);
            let value = match known {
                Some(value) if !source.once_in(8) => value,
                _ => source.of(values(&parameter.name)),
            };
            chosen.push((parameter.name.clone(), value));
            spec = spec.with(&parameter.name, argument(value));
        }
        Some(spec)
    };
    let first = source.count(0, all.len() - 1);
    let second = if source.once_in(3) { first } else { source.count(0, all.len() - 1) };
    Some([spec(source, first)?, spec(source, second)?])
}
