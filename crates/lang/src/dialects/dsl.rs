//! CuTe DSL: `cute.make_layout((8, 64), stride=(64, 1))`; what no call says is written as its compiler prints types,
//! `!cute.layout<"(?{div=8},8):(8,1)">`.

use super::unwritten;
use bitstride::Error;
use bitstride::notation::{Dialect, Expr, ExprKind};

/// The text of a layout, a swizzle, a composed layout or a tiler.
pub(super) fn written(tree: &Expr) -> Result<String, Error> {
    match called(tree) {
        Ok(text) => Ok(text),
        Err(_) if matches!(tree.kind, ExprKind::Pair { .. } | ExprKind::Compose(_)) && is_printed(tree) => {
            typed(tree).ok_or_else(|| no_text(tree))
        }
        Err(error) => Err(error),
    }
}

fn no_text(tree: &Expr) -> Error {
    unwritten(Dialect::CuteDsl.name(), tree)
}

fn called(tree: &Expr) -> Result<String, Error> {
    Ok(match &tree.kind {
        ExprKind::Pair { shape, stride } => format!("cute.make_layout({}, stride={})", number(shape)?, number(stride)?),
        ExprKind::Swizzle { bits, base, shift } => format!("cute.make_swizzle({bits}, {base}, {shift})"),
        ExprKind::Tiler(entries) => {
            let entries: Vec<String> = entries.iter().map(Expr::to_string).collect();
            if !tree.parts().all(is_printed) || tree.parts().any(|part| matches!(part.kind, ExprKind::Tiler(_))) {
                return Err(no_text(tree));
            }
            format!("!cute.tile<\"[{}]\">", entries.join(";"))
        }
        ExprKind::Compose(parts) => {
            let (mut text, mut closing) = (String::new(), String::new());
            let mut rest = parts.as_slice();
            while let [outer, offset, inner @ ..] = rest
                && !inner.is_empty()
            {
                text.push_str(&format!("cute.make_composed_layout({}, {}, ", called(outer)?, leaf(offset)?));
                closing.push(')');
                rest = inner;
            }
            match rest {
                [last] => format!("{text}{}{closing}", called(last)?),
                _ => return Err(no_text(tree)),
            }
        }
        _ => return Err(no_text(tree)),
    })
}

/// A shape or a stride.
fn number(tree: &Expr) -> Result<String, Error> {
    match &tree.kind {
        ExprKind::Tuple(entries) => {
            let texts = entries.iter().map(number).collect::<Result<Vec<_>, _>>()?;
            Ok(if let [only] = texts.as_slice() { format!("({only},)") } else { format!("({})", texts.join(", ")) })
        }
        _ => leaf(tree),
    }
}

fn leaf(tree: &Expr) -> Result<String, Error> {
    Ok(match &tree.kind {
        ExprKind::Static(n) => n.to_string(),
        ExprKind::Dynamic(n) if i32::try_from(*n).is_ok() => format!("cutlass.Int32({n})"),
        ExprKind::Dynamic(n) => format!("cutlass.Int64({n})"),
        ExprKind::Unknown { name: Some(name), div: 1 } => name.clone(),
        ExprKind::Basis { value, path } => {
            let modes: Vec<String> = path.iter().rev().map(usize::to_string).collect();
            let modes = if let [only] = modes.as_slice() { only.clone() } else { format!("[{}]", modes.join(", ")) };
            match value.kind {
                ExprKind::Static(1) => format!("cute.E({modes})"),
                _ => format!("{}*cute.E({modes})", leaf(value)?),
            }
        }
        _ => return Err(no_text(tree)),
    })
}

/// Whether the compiler of the DSL prints such a tree: numbers and `?`, perhaps with a divisor.
fn is_printed(tree: &Expr) -> bool {
    let is_named = matches!(tree.kind, ExprKind::Unknown { name: Some(_), .. } | ExprKind::Dynamic(_));
    let is_arithmetic = matches!(tree.kind, ExprKind::Product(_) | ExprKind::Call { .. });
    !is_named && !is_arithmetic && tree.parts().all(is_printed)
}

/// A type of the compiler.
fn typed(tree: &Expr) -> Option<String> {
    let printed = |tree: &Expr| tree.to_string().replace("Sw<", "S<");
    match &tree.kind {
        ExprKind::Pair { .. } => Some(format!("!cute.layout<\"{tree}\">")),
        ExprKind::Compose(parts) => match parts.as_slice() {
            [
                swizzle @ Expr { kind: ExprKind::Swizzle { .. }, .. },
                Expr { kind: ExprKind::Bytes(bits), .. },
                layout,
            ] => Some(format!("tensor<ptr<i{bits}, smem, {}> o {}>", printed(swizzle), printed(layout))),
            parts if parts.iter().all(|part| !matches!(part.kind, ExprKind::Bytes(_))) => {
                Some(format!("!cute.composed_layout<\"{}\">", printed(tree)))
            }
            _ => None,
        },
        _ => None,
    }
}
