//! Descriptors of matrices: tiles that are canonical, nearly so, or of any layout, against a twin that looks for every element.

use bitstride_oracle::reference::Layout;

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

/// A swizzle: its bytes, and what is swizzled, as CuTe writes it.
const MODES: [(i64, &str); 5] = [(128, "Sw<3,4,3>"), (64, "Sw<2,4,3>"), (32, "Sw<1,4,3>"), (0, ""), (128, "Sw<2,5,2>")];
/// The end of a field, in units of 16 bytes.
const FIELD_END: i64 = 1 << 14;

/// A question about a tile of one instruction.
struct Tile {
    layout: Layout,
    mn: i64,
    k: i64,
    /// Elements in 16 bytes.
    unit: i64,
    is_k_major: bool,
    mode: (i64, &'static str),
    address: i64,
    is_wgmma: bool,
}

impl Tile {
    fn columns(&self) -> i64 {
        (self.mode.0 / 16).max(1)
    }

    fn has_atoms_of_32(&self) -> bool {
        self.mode.1 == "Sw<2,5,2>"
    }
}

pub(super) fn draw(source: &mut Source) -> Case {
    let bits = source.of(&[16, 8, 16, 32, 4, 64]);
    let unit = 128 / bits;
    let (mode, is_wgmma) = (source.of(&MODES), !source.once_in(3));
    // Atoms of 32 bytes are those of tcgen05 along MN.
    let is_rare = mode.1 == "Sw<2,5,2>" && !source.once_in(4);
    let (is_k_major, is_wgmma) = (source.once_in(2) && !is_rare, is_wgmma && !is_rare);
    let columns = (mode.0 / 16).max(1);
    let mn = if is_k_major {
        source.of(&[8, 64, 16, 128, 24, 8, 64, 4])
    } else {
        unit * source.of(&[columns, 1, 2 * columns, 4, 3])
    };
    let k = unit * source.of(&[2, 1]);
    let (leading, stride) =
        (source.of(&[64, 1, 8, 128, 0, 512, 64, 20000]), source.of(&[64, 8, 128, 16, 0, 64, 16384]));
    // The canonical layout of these steps, in elements.
    let rows = if mode.1 == "Sw<2,5,2>" { 4 } else { 8 };
    let (mut mn_modes, mut k_modes) = match (is_k_major, mode.0) {
        (true, 0) => (vec![(8, unit), (mn / 8, stride * unit)], vec![(unit, 1), (k / unit, leading * unit)]),
        (true, _) => (vec![(8, columns * unit), (mn / 8, stride * unit)], vec![(unit, 1), (k / unit, unit)]),
        (false, 0) => (vec![(unit, 1), (mn / unit, stride * unit)], vec![(8, unit), (k / 8, leading * unit)]),
        (false, _) => {
            let across = columns.min(mn / unit).max(1);
            let mn_modes = vec![(unit, 1), (across, unit), (mn / unit / across, leading * unit)];
            (mn_modes, vec![(rows, columns * unit), (k / rows, stride * unit)])
        }
    };
    for modes in [&mut mn_modes, &mut k_modes] {
        modes.retain(|(extent, _)| *extent > 1);
        if modes.is_empty() {
            modes.push((1, 0));
        }
        if source.once_in(10) {
            let at = source.count(0, modes.len() - 1);
            if let Some(leaf) = modes.get_mut(at) {
                leaf.1 = source.of(&[1, 2 * leaf.1, leaf.1 / 2, leaf.1 + 1, 0]);
            }
        }
    }
    let text = match source.once_in(15) {
        true => {
            let mut any = draw::layout_of(source, &[mn.max(1), k.max(1)]);
            any.leaves().for_each(|leaf| leaf.1 = leaf.1.abs());
            any.text()
        }
        false => draw::Modes { modes: vec![mn_modes, k_modes], bracketed: true }.text(),
    };
    let Some(layout) = parsed::<Layout>(&text) else { return Case::none() };
    let sizes: Option<Vec<i64>> = layout.modes().iter().map(|mode| mode.size().ok()).collect();
    let Some([mn, k]) = sizes.as_deref() else { return Case::none() };
    let address = source.of(&[0, 1024, 2048, 0, 512, 128, 16, 8, 262_144]);
    let swizzle = if mode.0 == 0 { String::new() } else { format!("{} o bytes[{bits}] o ", mode.1) };
    let words = [if is_k_major { "K" } else { "MN" }, if is_wgmma { "wgmma" } else { "tcgen05" }];
    let question = format!("descriptor({swizzle}{text}, {bits}, {}, {address}, {})", words[0], words[1]);
    let tile = Tile { mn: *mn, k: *k, layout, unit, is_k_major, mode, address, is_wgmma };
    Case::new(question.clone(), move || judged(&question, &tile))
}

/// Where a descriptor finds an element, in elements before the swizzle.
fn found(tile: &Tile, mn: i64, k: i64, leading: i64, stride: i64) -> i64 {
    let (unit, width) = (tile.unit, tile.columns());
    let (units, inside) = match (tile.is_k_major, tile.mode.0) {
        (true, 0) => (mn % 8 + mn / 8 * stride + k / unit * leading, k % unit),
        (true, _) => (mn % 8 * width + mn / 8 * stride + k / unit, k % unit),
        (false, 0) => (k % 8 + k / 8 * leading + mn / unit * stride, mn % unit),
        (false, _) => {
            let rows = if tile.has_atoms_of_32() { 4 } else { 8 };
            let column = mn / unit;
            (column % width + column / width * leading + k % rows * width + k / rows * stride, mn % unit)
        }
    };
    units * unit + inside
}

/// The steps by which a descriptor finds every element, if any do.
fn steps(tile: &Tile) -> Option<[i64; 2]> {
    let places: Vec<i64> = tile.layout.int_values().ok()?;
    let place = |mn: i64, k: i64| usize::try_from(mn + k * tile.mn).ok().and_then(|at| places.get(at)).copied();
    // A step shows where exactly one of it is taken.
    let (mut leading, mut stride) = (vec![0], vec![0]);
    for (mn, k) in (0..tile.k).flat_map(|k| (0..tile.mn).map(move |mn| (mn, k))) {
        let at = |leading, stride| found(tile, mn, k, leading, stride);
        let rest = place(mn, k)? - at(0, 0);
        let by_one = [at(1, 0) - at(0, 0), at(0, 1) - at(0, 0)];
        for (steps, by_one, other) in [(&mut leading, by_one[0], by_one[1]), (&mut stride, by_one[1], by_one[0])] {
            if by_one == tile.unit && other == 0 && rest % tile.unit == 0 && steps.len() == 1 {
                steps.push(rest / tile.unit);
            }
        }
    }
    let suits = |leading: i64, stride: i64| {
        (0..tile.k).all(|k| (0..tile.mn).all(|mn| place(mn, k) == Some(found(tile, mn, k, leading, stride))))
    };
    let [leading, stride] = [leading.last().copied()?, stride.last().copied()?];
    suits(leading, stride).then_some([leading, stride])
}

fn judged(text: &str, tile: &Tile) -> Outcome {
    let units = tile.k / tile.unit;
    let takes_extents = match tile.is_k_major {
        true => tile.mn % 8 == 0 && tile.k % tile.unit == 0 && (!tile.is_wgmma || units == 2 || units == 4),
        false => tile.mn % tile.unit == 0 && (!tile.is_wgmma || tile.k % tile.unit == 0 && [1, 2, 4].contains(&units)),
    };
    let has_mode = !tile.has_atoms_of_32() || !tile.is_wgmma && !tile.is_k_major;
    let pattern = if tile.mode.0 == 0 { 16 } else { 128 * tile.columns() };
    let starts = tile.address % pattern == 0 && tile.address / 16 < FIELD_END;
    let in_field = |steps: &[i64; 2]| steps.iter().all(|step| (0..FIELD_END).contains(step));
    let wanted = steps(tile).filter(|steps| takes_extents && has_mode && starts && in_field(steps));
    match (said(text), wanted) {
        (Ok(value), Some([leading, stride])) => {
            let is_fixed = tile.is_k_major && tile.mode.0 > 0;
            let leading = if is_fixed { 1 } else { leading };
            let fields = format!("({},{leading},{stride},{})", tile.address / 16, tile.mode.0);
            if value.to_string() == fields {
                Outcome::Right
            } else {
                Outcome::Wrong(format!("{value}, but elements are found by {fields}"))
            }
        }
        (Ok(value), None) => Outcome::Wrong(format!("{value}, but no descriptor finds every element")),
        (Err(error), wanted) => {
            Outcome::of_known(&error, wanted.map(|steps| format!("the steps {steps:?} find every element")))
        }
    }
}
