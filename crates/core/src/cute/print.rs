//! The table that CuTe C++ prints for a rank-2 layout, byte for byte.
//!
//! The layout's text, the column numbers, then a row of offsets between rules, each cell as wide as the largest
//! offset needs. A rank-1 layout is printed as one column.

use super::composed::Function;
use super::layout::Layout;
use crate::cast;
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::Tuple;

/// A larger table serves nobody.
const MOST_CELLS: i64 = 1 << 20;

/// The table of a layout of rank 1 or 2, or of a function with such a domain.
///
/// # Errors
/// [`Code::Profile`] for another rank, [`Code::MissingFact`] for unknown leaves, [`Code::TooLarge`] beyond 2^20 cells.
pub fn print_layout(function: &Function) -> Result<String, Error> {
    let domain = function.domain()?;
    let modes = domain.modes();
    let (rows, columns) = match modes.as_slice() {
        [rows] => (rows.size()?.as_number()?, 1),
        [rows, columns] => (rows.size()?.as_number()?, columns.size()?.as_number()?),
        _ => {
            return Err(error!(
                Code::Profile,
                "print_layout draws layouts of two modes; {domain} has rank {modes}",
                [domain, modes = modes.len()]
            )
            .with_help("group its modes first, as in print_layout(group(L, 1, 3))"));
        }
    };
    // A table without rows still has a line of column numbers, and the other way round.
    if rows.max(1).checked_mul(columns.max(1)).is_none_or(|cells| cells > MOST_CELLS) {
        return Err(error!(
            Code::TooLarge,
            "{rows} x {columns} cells; at most {most_cells} are printed",
            [rows, columns, most_cells = MOST_CELLS]
        ));
    }
    let widest = cosize_width(function, domain);
    let mut cells = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let coordinate = if modes.len() == 1 {
                Tuple::leaf(Int::from(row))
            } else {
                Tuple::flat(&[Int::from(row), Int::from(column)])
            };
            let text = function.point_at(&coordinate)?.map(Int::settled).to_string();
            cells.push(text);
        }
    }
    let width = widest + 2;
    let mut out = format!("{}\n    ", function.cpp());
    for column in 0..columns {
        out.push_str(&format!("  {column:>widest$} "));
    }
    out.push('\n');
    let rule = format!("    {}+\n", format!("+{}", "-".repeat(width)).repeat(cast::index(columns)?));
    for (row, line) in cells.chunks(cast::index(columns)?.max(1)).enumerate() {
        out.push_str(&rule);
        out.push_str(&format!("{row:>2}  "));
        for cell in line {
            out.push_str(&format!("| {cell:>widest$} "));
        }
        out.push_str("|\n");
    }
    out.push_str(&rule);
    Ok(out)
}

/// The width of the largest offset, as CuTe computes it: from the cosize of the layout, whatever swizzle comes after it.
fn cosize_width(function: &Function, domain: &Layout) -> usize {
    let cosize = match function {
        Function::Offset(slice) => slice.cosize(),
        _ => super::cosize(domain),
    };
    cosize.ok().and_then(|cosize| cosize.value()).unwrap_or(1).to_string().len()
}
