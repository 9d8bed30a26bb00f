//! Operands as texts: shapes, layouts, tilers, swizzles, linear layouts and arrays, small enough to be enumerated.

use super::source::Source;

/// How many points a drawn layout has at most.
const MAX_POINTS: i64 = 256;

/// Extents of modes, the simplest first.
const EXTENTS: [i64; 13] = [2, 4, 3, 8, 1, 6, 5, 16, 7, 9, 12, 32, 10];

/// Strides that no compact layout has.
const STRIDES: [i64; 22] = [1, 2, 0, 3, 4, 8, 5, 6, 16, -1, 7, 12, 32, 10, 18, 24, 64, -2, -4, 96, 72, 33];

/// Numbers in brackets; a single one stands alone.
pub(crate) fn list(numbers: &[i64]) -> String {
    match numbers {
        [number] => number.to_string(),
        numbers => tuple(numbers),
    }
}

/// Numbers in brackets.
pub(crate) fn tuple(numbers: &[i64]) -> String {
    format!("({})", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// Extents of a box of a given number of axes at most, and of at most so many points.
pub(crate) fn extents(source: &mut Source, most_axes: usize, most_points: i64) -> Vec<i64> {
    let mut extents = Vec::new();
    let mut room = most_points;
    for _ in 0..source.count(1, most_axes) {
        let extent = source.of(&EXTENTS).min(room.max(1));
        room /= extent.max(1);
        extents.push(extent);
    }
    extents
}

/// Extents of a box: powers of two always or half of the time.
pub(crate) fn dims(source: &mut Source, always_bits: bool) -> Vec<i64> {
    if always_bits || source.once_in(2) {
        (0..source.count(1, 3)).map(|_| source.of(&[2, 4, 8])).collect()
    } else {
        extents(source, 3, 192)
    }
}

/// A layout of modes, each a list of leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Modes {
    /// Extents and strides of the leaves of each mode.
    pub(crate) modes: Vec<Vec<(i64, i64)>>,
    /// Whether a single mode is in brackets.
    pub(crate) bracketed: bool,
}

impl Modes {
    /// The text of the layout.
    pub(crate) fn text(&self) -> String {
        let side = |number: &dyn Fn(&(i64, i64)) -> i64| {
            let mode = |leaves: &Vec<(i64, i64)>| list(&leaves.iter().map(number).collect::<Vec<_>>());
            let modes: Vec<String> = self.modes.iter().map(mode).collect();
            match modes.as_slice() {
                [only] if !self.bracketed => only.clone(),
                modes => format!("({})", modes.join(",")),
            }
        };
        format!("{}:{}", side(&|leaf| leaf.0), side(&|leaf| leaf.1))
    }

    /// The size of each mode.
    pub(crate) fn sizes(&self) -> Vec<i64> {
        self.modes.iter().map(|leaves| leaves.iter().map(|leaf| leaf.0).product()).collect()
    }

    /// All leaves, mode by mode.
    pub(crate) fn leaves(&mut self) -> impl Iterator<Item = &mut (i64, i64)> {
        self.modes.iter_mut().flatten()
    }
}

/// A layout of these modes: each extent cut into leaves, with strides of some kind.
pub(crate) fn layout_of(source: &mut Source, sizes: &[i64]) -> Modes {
    let modes: Vec<Vec<_>> =
        sizes.iter().map(|size| cut(source, *size).into_iter().map(|extent| (extent, 0)).collect()).collect();
    let mut layout = Modes { modes, bracketed: false };
    // A single mode of several leaves without brackets would be as many modes.
    layout.bracketed = sizes.len() > 1 || layout.modes.iter().any(|leaves| leaves.len() > 1) || source.once_in(6);
    strides(source, &mut layout);
    layout
}

/// A layout with up to three modes.
pub(crate) fn layout(source: &mut Source) -> Modes {
    let sizes = extents(source, 3, MAX_POINTS);
    layout_of(source, &sizes)
}

/// An extent as a product of up to three leaves.
fn cut(source: &mut Source, extent: i64) -> Vec<i64> {
    let mut rest = extent;
    let mut leaves = Vec::new();
    for _ in 0..source.count(0, 2) {
        let leaf = source.of(&[2, 3, 4, 1, 8]);
        if rest % leaf == 0 {
            leaves.push(leaf);
            rest /= leaf;
        }
    }
    leaves.push(rest);
    leaves
}

/// Strides for a layout: compact in some order with gaps, or of any kind.
fn strides(source: &mut Source, layout: &mut Modes) {
    let count = layout.leaves().count();
    if source.once_in(3) {
        layout.leaves().for_each(|leaf| leaf.1 = source.of(&STRIDES));
        return;
    }
    let order = source.order(count);
    let mut stride = source.of(&[1, 1, 1, 2, 3, 4, 8]);
    for at in order {
        let Some(leaf) = layout.leaves().nth(at) else { continue };
        leaf.1 = stride;
        stride *= leaf.0;
        if source.once_in(5) {
            stride += source.of(&[1, 8, 2, 4, 16]);
        }
        if source.once_in(8) {
            leaf.1 = source.of(&[0, -leaf.1]);
        }
    }
}

/// A swizzle whose bits lie below `top`.
pub(crate) fn swizzle(source: &mut Source, top: i64) -> String {
    let bits = source.between(1, 3.min(top / 2).max(1));
    let base = source.between(0, (top - 2 * bits).clamp(0, 4));
    let shift = source.between(bits, (top - bits - base).max(bits));
    let sign = if source.once_in(4) { -1 } else { 1 };
    format!("Sw<{bits},{base},{}>", sign * shift)
}

/// A tiler for modes of these sizes.
pub(crate) fn tiler(source: &mut Source, sizes: &[i64]) -> String {
    match source.below(4) {
        0 => layout_of(source, &[source_size(sizes)]).text(),
        1 => layout(source).text(),
        _ => {
            let count = source.count(1, sizes.len().max(1));
            let entries: Vec<String> = sizes.iter().take(count).map(|size| tiler_entry(source, *size)).collect();
            format!("<{}>", entries.join(", "))
        }
    }
}

fn source_size(sizes: &[i64]) -> i64 {
    sizes.iter().product::<i64>().clamp(1, 16)
}

fn tiler_entry(source: &mut Source, size: i64) -> String {
    let divisors: Vec<i64> = (1..=size.max(1)).filter(|n| size % n == 0).collect();
    match source.below(5) {
        0 => "_".into(),
        1 => {
            let extent = source.of(&divisors);
            format!("{extent}:{}", source.of(&divisors))
        }
        2 => source.of(&EXTENTS).to_string(),
        3 => {
            let extent = source.of(&divisors);
            layout_of(source, &[extent]).text()
        }
        _ => source.of(&divisors).to_string(),
    }
}

/// An array of XLA with these extents, its layout as XLA writes it.
pub(crate) fn tiled(source: &mut Source, extents: &[i64]) -> String {
    let order: Vec<i64> = source.order(extents.len()).into_iter().map(|dim| i64::try_from(dim).unwrap_or(0)).collect();
    // Row-major is the simplest.
    let rank = i64::try_from(extents.len()).unwrap_or(0);
    let order: Vec<i64> = order.into_iter().map(|dim| rank - 1 - dim).collect();
    let inside = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let mut tiles = String::new();
    for _ in 0..source.count(0, 2) {
        let length = source.count(1, extents.len().max(1));
        let entry = |source: &mut Source| match source.of(&[2, 4, 8, 3, 1, 0, 5]) {
            0 => "*".to_owned(),
            n => n.to_string(),
        };
        let mut entries: Vec<String> = (1..length).map(|_| entry(source)).collect();
        entries.push(source.of(&[2, 4, 8, 3, 1]).to_string());
        tiles += &format!("({})", entries.join(","));
    }
    if !tiles.is_empty() {
        tiles.insert_str(0, ":T");
    }
    format!("f32[{}]{{{}{tiles}}}", inside(extents), inside(&order))
}

/// Bases of a linear layout of a given number of bits onto dims of a given number of bits each, named `in_dims` and `out_dims`.
pub(crate) fn linear(source: &mut Source, ins: &[(&str, usize)], outs: &[(&str, u32)], density: &[i64]) -> String {
    let mut pool: Vec<Vec<i64>> = Vec::new();
    for (at, (_, bits)) in outs.iter().enumerate() {
        pool.extend((0..*bits).map(|bit| (0..outs.len()).map(|dim| if dim == at { 1 << bit } else { 0 }).collect()));
    }
    let order = source.order(pool.len());
    let mut permuted = order.into_iter().filter_map(|at| pool.get(at).cloned()).collect::<Vec<_>>().into_iter();
    let mut dims = Vec::new();
    for (name, bits) in ins {
        let mut bases = Vec::new();
        for _ in 0..*bits {
            let zero = || vec![0; outs.len()];
            let mut basis = match source.of(density) {
                0 => permuted.next().unwrap_or_else(zero),
                1 => zero(),
                _ => outs.iter().map(|(_, bits)| source.between(0, (1 << bits) - 1)).collect(),
            };
            if source.once_in(6) {
                for (value, (_, bits)) in basis.iter_mut().zip(outs) {
                    *value ^= source.between(0, (1 << bits) - 1);
                }
            }
            bases.push(format!("[{}]", basis.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")));
        }
        dims.push(format!("{name}=[{}]", bases.join(",")));
    }
    let sizes: Vec<String> = outs.iter().map(|(name, bits)| format!("{name}:{}", 1i64 << bits)).collect();
    format!("linear<{{{}}}, out=[{}]>", dims.join(", "), sizes.join(", "))
}
