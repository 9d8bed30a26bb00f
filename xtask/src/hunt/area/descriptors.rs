//! Descriptors of matrices: tiles of one instruction or several that are canonical, nearly so, or of any layout, against a
//! twin that looks for every element.

use bitstride_lang::evaluate;
use bitstride_oracle::reference::Layout;

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::parsed;

/// A swizzle: its bytes, and what is swizzled, as CuTe writes it.
const MODES: [(i64, &str); 5] = [(128, "Sw<3,4,3>"), (64, "Sw<2,4,3>"), (32, "Sw<1,4,3>"), (0, ""), (128, "Sw<2,5,2>")];
/// The end of a field, in units of 16 bytes.
const FIELD_END: i64 = 1 << 14;

/// A question about a tile of one instruction, or of several along K.
struct Tile {
    /// Where each element lies, in elements before the swizzle; MN runs fastest.
    places: Vec<i64>,
    mn: i64,
    /// Of the whole tile.
    columns: i64,
    /// Of one instruction.
    k: i64,
    /// Elements in 16 bytes.
    unit: i64,
    is_k_major: bool,
    mode: (i64, &'static str),
    address: i64,
    is_wgmma: bool,
}

impl Tile {
    /// How many units of 16 bytes the swizzle spans.
    fn width(&self) -> i64 {
        (self.mode.0 / 16).max(1)
    }

    fn place(&self, mn: i64, k: i64) -> Option<i64> {
        usize::try_from(mn + k * self.mn).ok().and_then(|at| self.places.get(at)).copied()
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
    let k = unit * source.of(&[2, 1, 2, 4, 8, 32]);
    let (leading, stride) =
        (source.of(&[64, 1, 8, 128, 0, 512, 64, 20000]), source.of(&[64, 8, 128, 16, 0, 64, 16384]));
    // The canonical layout of these steps, in elements.
    let rows = if mode.1 == "Sw<2,5,2>" { 4 } else { 8 };
    let (mut mn_modes, mut k_modes) = match (is_k_major, mode.0) {
        (true, 0) => (vec![(8, unit), (mn / 8, stride * unit)], vec![(unit, 1), (k / unit, leading * unit)]),
        (true, _) => {
            let across = columns.min(k / unit).max(1);
            let far = source.of(&[512, 8 * columns, 20000]) * unit;
            let k_modes = vec![(unit, 1), (across, unit), (k / unit / across, far)];
            (vec![(8, columns * unit), (mn / 8, stride * unit)], k_modes)
        }
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
    let Some([mn, columns]) = sizes.as_deref() else { return Case::none() };
    let k = if *columns > 2 * unit && columns % (2 * unit) == 0 { 2 * unit } else { *columns };
    let address = source.of(&[0, 1024, 2048, 0, 512, 128, 16, 8, 262_144]);
    let swizzle = if mode.0 == 0 { String::new() } else { format!("{} o bytes[{bits}] o ", mode.1) };
    let words = [if is_k_major { "K" } else { "MN" }, if is_wgmma { "wgmma" } else { "tcgen05" }];
    let question = format!("descriptor({swizzle}{text}, {bits}, {}, {address}, {})", words[0], words[1]);
    let Ok(places) = layout.int_values() else { return Case::none() };
    let tile = Tile { mn: *mn, columns: *columns, k, places, unit, is_k_major, mode, address, is_wgmma };
    Case::new(question.clone(), move || judged(&question, &tile))
}

/// Where a descriptor finds an element, in elements before the swizzle.
fn found(tile: &Tile, mn: i64, k: i64, leading: i64, stride: i64) -> i64 {
    let (unit, width) = (tile.unit, tile.width());
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
    let place = |mn: i64, k: i64| tile.place(mn, k);
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

/// Where the instructions along K start, in units of 16 bytes, if all find their elements by the steps of the first.
fn starts(tile: &Tile) -> Option<Vec<i64>> {
    let start = |number: i64| {
        let first = number * tile.k;
        let from = tile.place(0, first)? - tile.place(0, 0)?;
        let is_moved = |mn: i64, k: i64| Some(tile.place(mn, first + k)? == tile.place(mn, k)? + from);
        let all_are = (0..tile.k).all(|k| (0..tile.mn).all(|mn| is_moved(mn, k) == Some(true)));
        (all_are && from % tile.unit == 0).then_some(tile.address / 16 + from / tile.unit)
    };
    let starts = (0..tile.columns / tile.k.max(1)).map(start).collect::<Option<Vec<_>>>()?;
    starts.iter().all(|start| (0..FIELD_END).contains(start)).then_some(starts)
}

fn judged(text: &str, tile: &Tile) -> Outcome {
    let units = tile.k / tile.unit;
    let takes_extents = match tile.is_k_major {
        true => tile.mn % 8 == 0 && tile.k % tile.unit == 0 && (!tile.is_wgmma || units == 2 || units == 4),
        false => tile.mn % tile.unit == 0 && (!tile.is_wgmma || tile.k % tile.unit == 0 && [1, 2, 4].contains(&units)),
    };
    let has_mode = !tile.has_atoms_of_32() || !tile.is_wgmma && !tile.is_k_major;
    let pattern = if tile.mode.0 == 0 { 16 } else { 128 * tile.width() };
    let starts = tile.address % pattern == 0 && tile.address / 16 < FIELD_END;
    let in_field = |steps: &[i64; 2]| steps.iter().all(|step| (0..FIELD_END).contains(step));
    let steps = steps(tile).filter(|steps| takes_extents && has_mode && starts && in_field(steps));
    let wanted = steps.and_then(|steps| Some((steps, self::starts(tile)?)));
    match (evaluate(text), wanted) {
        (Ok(answer), Some(([leading, stride], starts))) => {
            let is_fixed = tile.is_k_major && tile.mode.0 > 0;
            let leading = if is_fixed { 1 } else { leading };
            let fields = format!("({},{leading},{stride},{})", tile.address / 16, tile.mode.0);
            // Eight of the starts are named.
            let named: Vec<String> = starts.iter().take(8).map(i64::to_string).collect();
            let are_named = answer.notes.iter().any(|note| note.contains(&format!("start at {}", named.join(", "))));
            if answer.value.to_string() != fields {
                Outcome::Wrong(format!("{}, but elements are found by {fields}", answer.value))
            } else if starts.len() > 1 && !are_named {
                Outcome::Wrong(format!("{:?}, but the instructions start at {starts:?}", answer.notes))
            } else {
                Outcome::Right
            }
        }
        (Ok(answer), None) => Outcome::Wrong(format!("{}, but no descriptor finds every element", answer.value)),
        (Err(error), wanted) => {
            Outcome::of_known(&error, wanted.map(|(steps, _)| format!("the steps {steps:?} find every element")))
        }
    }
}
