//! pycute and tensor-layouts: `Layout((8, 64), (64, 1))`, which both evaluate.

use super::unwritten;
use bitstride::Error;
use bitstride::notation::{Dialect, Expr, ExprKind};

/// The text of a layout, a swizzle, a composed layout or a tiler of layouts.
pub(super) fn written(tree: &Expr) -> Result<String, Error> {
    Ok(match &tree.kind {
        ExprKind::Pair { shape, stride } => format!("Layout({}, {})", number(shape, true)?, number(stride, false)?),
        ExprKind::Swizzle { bits, base, shift } => format!("Swizzle({bits}, {base}, {shift})"),
        ExprKind::Tiler(entries) if entries.iter().all(|entry| matches!(entry.kind, ExprKind::Pair { .. })) => {
            format!("Tile({})", entries.iter().map(written).collect::<Result<Vec<_>, _>>()?.join(", "))
        }
        ExprKind::Compose(parts) => match parts.as_slice() {
            [outer, Expr { kind: ExprKind::Static(offset), .. }, inner] => {
                format!("ComposedLayout({}, {offset}, {})", written(outer)?, written(inner)?)
            }
            _ => return Err(no_text(tree)),
        },
        _ => return Err(no_text(tree)),
    })
}

fn no_text(tree: &Expr) -> Error {
    unwritten(Dialect::Pycute.name(), tree)
}

/// A shape or a stride; JAX has a `Layout` whose first argument counts from 0.
fn number(tree: &Expr, is_shape: bool) -> Result<String, Error> {
    match &tree.kind {
        ExprKind::Static(0) if is_shape => Err(no_text(tree)),
        ExprKind::Static(n) => Ok(n.to_string()),
        ExprKind::Tuple(entries) if !entries.is_empty() => {
            let texts = entries.iter().map(|entry| number(entry, is_shape)).collect::<Result<Vec<_>, _>>()?;
            Ok(if let [only] = texts.as_slice() { format!("({only},)") } else { format!("({})", texts.join(", ")) })
        }
        _ => Err(no_text(tree)),
    }
}
