//! LaTeX, in mathematical mode: a layout of CuTe as shape and stride, a linear layout as its matrix over GF(2), an array of XLA as
//! it stands. It is written only: what a formula means follows from the text around it.

use super::unwritten;
use crate::Value;
use bitstride::Error;
use bitstride::notation::{Expr, ExprKind};

/// A linear layout as a matrix: a row for each bit of the element, the first dim's lowest bit first, a column for each bit of the
/// place.
pub(super) fn matrix(layout: &bitstride::linear::LinearLayout) -> String {
    let row = |row: &Vec<u8>| row.iter().map(u8::to_string).collect::<Vec<_>>().join(" & ");
    let rows: Vec<String> = layout.matrix().iter().map(row).collect();
    format!("\\begin{{bmatrix}} {} \\end{{bmatrix}}", rows.join(" \\\\ "))
}

/// The text of a shape of XLA, with what LaTeX reads otherwise escaped.
pub(super) fn escaped(value: &Value) -> String {
    let escape = |c: char| match c {
        '{' | '}' | '_' | '#' => format!("\\{c}"),
        ':' => "{:}".to_owned(),
        c => c.to_string(),
    };
    value.to_string().chars().map(escape).collect()
}

/// The text of a layout, a swizzle, a composed layout or a tiler of CuTe.
pub(super) fn written(tree: &Expr) -> Result<String, Error> {
    let list = |entries: &[Expr], between: &str| -> Result<String, Error> {
        Ok(entries.iter().map(written).collect::<Result<Vec<_>, _>>()?.join(between))
    };
    Ok(match &tree.kind {
        // A sign behind `{:}` would be an operator.
        ExprKind::Static(n) | ExprKind::Dynamic(n) => match n.unsigned_abs() {
            size if *n < 0 => format!("{{-}}{size}"),
            size => size.to_string(),
        },
        ExprKind::Unknown { name: Some(name), .. } if name.len() == 1 => name.clone(),
        ExprKind::Unknown { name: Some(name), .. } => format!("\\mathit{{{}}}", name.replace('_', "\\_")),
        ExprKind::Wildcard => "\\_".to_owned(),
        ExprKind::Basis { value, path } => {
            // The outermost mode first.
            let path: Vec<String> = path.iter().rev().map(usize::to_string).collect();
            let vector = format!("e_{{{}}}", path.join(","));
            match value.kind {
                ExprKind::Static(1) => vector,
                _ => format!("{}{vector}", written(value)?),
            }
        }
        ExprKind::Tuple(entries) => format!("({})", list(entries, ",")?),
        ExprKind::Tiler(entries) => format!("\\langle {}\\rangle", list(entries, ",")?),
        ExprKind::Pair { shape, stride } => format!("{}{{:}}{}", written(shape)?, written(stride)?),
        ExprKind::Swizzle { bits, base, shift } => {
            format!("\\mathrm{{Sw}}\\langle {bits},{base},{shift}\\rangle")
        }
        ExprKind::Compose(parts) => {
            // An offset of 0 is not said.
            let said: Vec<Expr> =
                parts.iter().filter(|part| !matches!(part.kind, ExprKind::Static(0))).cloned().collect();
            list(&said, " \\circ ")?
        }
        ExprKind::Sum(parts) => list(parts, " + ")?,
        ExprKind::Product(parts) => list(parts, " \\cdot ")?,
        _ => return Err(unwritten("LaTeX", tree)),
    })
}
