//! An instruction, or copies of one over a tile: which thread holds each element, as which of its values.
//!
//! Of a matrix product A stands on the left, B above, and C between them, so that an element of C is where its row of A and its
//! column of B meet. Of a copy the source stands beside the target. Law: a cell names the lowest thread whose value the
//! thread-value layout leads there, and the lowest of its values.

use bitstride::cute::{CopyAtom, Layout, upcast};
use bitstride::{Code, Error, Int, StrideLeaf, error};
use bitstride_lang::{Instruction, Value};

use super::grid::rectangle;
use super::strip::Borders;
use super::{Drawn, Room};
use crate::cell::{Cell, Fill};
use crate::picture::Panel;

/// The most elements of an operand that are drawn.
const MOST_ELEMENTS: i64 = 1 << 16;

/// The bits that stand in one row of a copy instruction: the 16 bytes of a row of `ldmatrix`.
const ROW_BITS: i64 = 128;

/// An operand's elements: who holds each, and how many threads hold as much.
struct Held {
    title: String,
    rows: i64,
    columns: i64,
    owners: Vec<Option<(i64, i64)>>,
    copies: i64,
}

impl Held {
    /// The owners of a tile of rows and columns, column-major.
    fn of(title: &str, layout: &Layout, [rows, columns]: [i64; 2]) -> Result<Self, Error> {
        let size = rows.checked_mul(columns).filter(|size| (1..=MOST_ELEMENTS).contains(size)).ok_or_else(|| {
            error!(
                Code::TooLarge,
                "{title} has {rows} x {columns} elements; at most {most_elements} are drawn",
                [title, rows, columns, most_elements = MOST_ELEMENTS]
            )
        })?;
        let mut owners = vec![None; bitstride::cast::index(size)?];
        // Threads and values that lead to one place: only the first of them is visited.
        let mut copies = 1_i64;
        let mut digits = Vec::new();
        let mut visited = 1_i64;
        for (mode, is_thread) in [(layout.get(&[0])?, true), (layout.get(&[1])?, false)] {
            let mut weight = 1_i64;
            for (extent, stride) in mode.extents().iter().zip(mode.strides()) {
                let (extent, is_still) = (extent.as_number()?, stride.is_zero());
                let step = stride.as_integer().map_or(Ok(0), Int::as_number)?;
                match (is_still, is_thread) {
                    (true, true) => copies = copies.saturating_mul(extent),
                    (true, false) => {}
                    (false, _) => {
                        visited = visited.saturating_mul(extent);
                        digits.push((extent, step, weight, is_thread));
                    }
                }
                weight = weight.checked_mul(extent).ok_or_else(|| Error::overflow("a number of threads"))?;
            }
        }
        if visited > 4 * MOST_ELEMENTS {
            return Err(error!(Code::TooLarge, "{layout} has {visited} values; they are not drawn", [layout, visited]));
        }
        for number in 0..visited {
            let (mut rest, mut offset, mut thread, mut value) = (number, 0_i64, 0_i64, 0_i64);
            for (extent, step, weight, is_thread) in &digits {
                let digit = rest.checked_rem(*extent).unwrap_or(0);
                rest = rest.checked_div(*extent).unwrap_or(0);
                offset = offset.saturating_add(digit.saturating_mul(*step));
                let counted = digit.saturating_mul(*weight);
                if *is_thread { thread += counted } else { value += counted }
            }
            // The layout of C goes on beyond its tile for further copies along K, which hold what the first does.
            if let Some(owner) = usize::try_from(offset).ok().and_then(|place| owners.get_mut(place)) {
                *owner = Some(owner.map_or((thread, value), |known: (i64, i64)| known.min((thread, value))));
            }
        }
        Ok(Held { title: title.to_owned(), rows, columns, owners, copies })
    }

    /// The same with rows as columns, which B has above C.
    fn transposed(self) -> Self {
        let (rows, columns) = (self.columns, self.rows);
        let place = |row: i64, column: i64| usize::try_from(column + row * self.rows).unwrap_or(usize::MAX);
        let owners = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        let owners = owners.map(|(row, column)| self.owners.get(place(row, column)).copied().flatten()).collect();
        Held { rows, columns, owners, ..self }
    }

    /// The widest number of a thread or a value.
    fn widest(&self) -> usize {
        let numbers = self.owners.iter().flatten().flat_map(|(thread, value)| [*thread, *value]);
        numbers.max().map_or(1, |number| number.to_string().len())
    }

    fn panel(&self, room: &Room, width: usize, heads: usize) -> Result<Panel, Error> {
        let cell = |row: i64, column: i64| {
            let at = usize::try_from(row + column * self.rows).unwrap_or(usize::MAX);
            Ok(match self.owners.get(at).copied().flatten() {
                Some((thread, value)) => {
                    let fill = Fill::Group(u32::try_from(thread).unwrap_or(0));
                    Cell::new(format!("T{thread:<width$}\nV{value:<width$}")).fill(fill)
                }
                None => Cell::empty(),
            }
            .element(row.checked_add(column.saturating_mul(self.rows))))
        };
        let borders = || Borders::default();
        let grid = rectangle([self.rows, self.columns], [borders(), borders()], room, &cell)?;
        let grid = grid.row_heads(|row| format!("{row:>heads$}"));
        let mut caption = String::new();
        if self.copies > 1 {
            caption = format!("{} threads hold each element; the first is named", self.copies);
        }
        Ok(Panel::new(grid).title(&self.title).caption(&caption).whole())
    }
}

/// What is drawn of an instruction.
pub(super) fn scene(instruction: &Instruction, room: &Room) -> Result<Drawn, Error> {
    let layout = |part: &str| instruction.part(part)?.as_layout();
    let rows = match instruction {
        Instruction::Slice(whole, _) => return scene(whole, room),
        Instruction::Mma(_, atom) => product(&layout, atom.shape, room)?,
        Instruction::TiledMma(_, mma) => product(&layout, mma.tile_mnk()?, room)?,
        Instruction::Copy(_, atom, bits) => {
            let (bits, [source, target]) = units(atom, *bits)?;
            let all = source.size()?.as_number()?.max(target.size()?.as_number()?);
            let reach = |layout: &Layout| bitstride::cute::cosize(layout)?.as_number();
            let size = reach(&source)?.max(reach(&target)?).min(all.max(1));
            let columns = (ROW_BITS / bits).clamp(1, size.max(1));
            // Elements go along the rows.
            let shape = [columns, size.max(1).div_euclid(columns).max(1)];
            let sides = [("source", source), ("target", target)];
            beside(&sides, shape, &format!(", {bits} bits a cell"), true, room)?
        }
        Instruction::TiledCopy(_, copy) => {
            let extents: Vec<i64> =
                copy.tile().entries().iter().map(|n| n.size()?.as_number()).collect::<Result<_, _>>()?;
            let shape = match extents.as_slice() {
                [rows] => [*rows, 1],
                [rows, columns] => [*rows, *columns],
                _ => {
                    return Err(error!(
                        Code::RankMismatch,
                        "the tile {tile} has {extents_count} modes; two are drawn",
                        [tile = copy.tile(), extents_count = extents.len()]
                    ));
                }
            };
            let sides = [("source", layout("S")?), ("target", layout("D")?)];
            beside(&sides, shape, "", false, room)?
        }
    };
    Ok(Drawn { rows, legend: Vec::new() })
}

/// A on the left, B above, C between them.
fn product(
    layout: &dyn Fn(&str) -> Result<Layout, Error>,
    [m, n, k]: [i64; 3],
    room: &Room,
) -> Result<Vec<Vec<Panel>>, Error> {
    let a = Held::of("A (M,K)", &layout("A")?, [m, k])?;
    let b = Held::of("B (K,N)", &layout("B")?, [n, k])?.transposed();
    let c = Held::of("C (M,N)", &layout("C")?, [m, n])?;
    let all = [&a, &b, &c];
    let width = all.iter().map(|held| held.widest()).max().unwrap_or(1);
    let heads = all.iter().map(|held| (held.rows - 1).to_string().len()).max().unwrap_or(1);
    let [a, b, c] = [a.panel(room, width, heads)?, b.panel(room, width, heads)?, c.panel(room, width, heads)?];
    Ok(vec![vec![a.clone().hidden(), b], vec![a, c]])
}

/// The sides of a copy beside one another.
fn beside(
    sides: &[(&str, Layout)],
    shape: [i64; 2],
    title: &str,
    by_row: bool,
    room: &Room,
) -> Result<Vec<Vec<Panel>>, Error> {
    let mut all = Vec::new();
    for (name, layout) in sides {
        let held = Held::of(&format!("{name}{title}"), layout, shape)?;
        all.push(if by_row { held.transposed() } else { held });
    }
    let width = all.iter().map(Held::widest).max().unwrap_or(1);
    let heads = all.iter().map(|held| (held.rows - 1).to_string().len()).max().unwrap_or(1);
    Ok(vec![all.iter().map(|held| held.panel(room, width, heads)).collect::<Result<_, _>>()?])
}

/// Source and target of a copy by its elements, or where they have no bits by the largest that both move whole.
fn units(atom: &CopyAtom, element: i64) -> Result<(i64, [Layout; 2]), Error> {
    let sizes: &[i64] = if element == 1 { &[32, 16, 8, 4, 2] } else { &[] };
    for bits in sizes.iter().copied() {
        let threads = atom.threads.size()?;
        let whole = |layout: &Layout| -> Option<Layout> {
            let layout = upcast(layout, bits).ok()?;
            (layout.get(&[0]).ok()?.size().ok()? == threads).then_some(layout)
        };
        if let (Some(source), Some(target)) = (whole(&atom.source), whole(&atom.target)) {
            return Ok((bits, [source, target]));
        }
    }
    Ok((element, [upcast(&atom.source, element)?, upcast(&atom.target, element)?]))
}

/// The title of a picture of an instruction.
pub(super) fn title(typed: &str, instruction: &Instruction) -> String {
    let text = Value::from(instruction.clone()).to_string();
    let mut lines = vec![typed.to_owned()];
    if text != typed {
        lines.push(text);
    }
    if let Instruction::TiledMma(_, mma) = instruction
        && let Ok(size) = mma.size()
        && let Ok([m, n, k]) = mma.tile_mnk()
    {
        lines.push(format!("{m} x {n} x {k} by {size} threads"));
    }
    if let Instruction::Mma(_, atom) = instruction
        && let Ok(size) = atom.threads.size()
    {
        let [m, n, k] = atom.shape;
        lines.push(format!("{m} x {n} x {k} by {size} threads"));
    }
    lines.join("\n")
}
