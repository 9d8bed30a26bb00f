//! Trees that several readers build.

use crate::notation::cursor::Result;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// A call of an operation of the language.
pub(in crate::notation) fn call(name: &str, at: Span, arguments: Vec<Expr>, span: Span) -> Expr {
    let name = Name { text: name.to_owned(), span: at };
    Expr::new(ExprKind::Call { name, modes: None, arguments }, span)
}

/// `shape:stride`.
pub(in crate::notation) fn pair(shape: Expr, stride: Expr, span: Span) -> Expr {
    let (shape, stride) = (Box::new(shape), Box::new(stride));
    Expr::new(ExprKind::Pair { shape, stride }, span)
}

/// The sum of integers of another system's constant.
pub(super) fn plus(left: Expr, right: Expr, span: Span) -> Expr {
    Expr::new(ExprKind::Sum([left, right].into_iter().flat_map(summands).collect()), span)
}

/// The product of integers of another system's constant; sums are multiplied out, since a product of sums has no text.
pub(super) fn times(left: Expr, right: Expr, span: Span) -> Expr {
    let (lefts, rights) = (summands(left), summands(right));
    let mut products = Vec::new();
    for left in &lefts {
        products.extend(rights.iter().map(|right| {
            let factors = [left, right].into_iter().flat_map(|tree| match &tree.kind {
                ExprKind::Product(factors) => factors.clone(),
                _ => vec![tree.clone()],
            });
            Expr::new(ExprKind::Product(factors.collect()), span)
        }));
    }
    match products.len() {
        1 => products.swap_remove(0),
        _ => Expr::new(ExprKind::Sum(products), span),
    }
}

/// How many summands a tree has.
pub(super) fn width(tree: &Expr) -> usize {
    match &tree.kind {
        ExprKind::Sum(summands) => summands.len(),
        _ => 1,
    }
}

fn summands(tree: Expr) -> Vec<Expr> {
    match tree.kind {
        ExprKind::Sum(summands) => summands,
        _ => vec![tree],
    }
}

/// Functions one after the other, the outermost first, as one chain.
pub(super) fn composed(parts: Vec<Expr>) -> ExprKind {
    let mut chain = Vec::new();
    for part in parts {
        match part.kind {
            ExprKind::Compose(inner) => chain.extend(inner),
            kind => chain.push(Expr::new(kind, part.span)),
        }
    }
    ExprKind::Compose(chain)
}

/// A layout and where it begins; one that begins at 0 is itself.
///
/// # Errors
/// For a composition, behind which an offset is one of its innermost part.
pub(super) fn shifted(layout: Expr, offset: Expr, span: Span) -> Result<Expr> {
    if is_zero(&offset) {
        return Ok(Expr::new(layout.kind, span));
    }
    let kind = match layout.kind {
        ExprKind::Compose(_) => {
            let message = "an offset is added to one layout here, and to no composition";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, layout.span, message)
                .with_help("write the composition as one layout: `composition(A, B)`"));
        }
        ExprKind::Sum(mut parts) => {
            parts.push(offset);
            ExprKind::Sum(parts)
        }
        kind => ExprKind::Sum(vec![Expr::new(kind, layout.span), offset]),
    };
    Ok(Expr::new(kind, span))
}

fn is_zero(offset: &Expr) -> bool {
    match &offset.kind {
        ExprKind::Static(0) | ExprKind::Dynamic(0) => true,
        ExprKind::Tuple(entries) => entries.iter().all(is_zero),
        _ => false,
    }
}

/// A tuple as CuTe's C++ and Python mean it: with a layout inside it is a tiler. In this notation such a tuple is the layout whose
/// modes its entries are. So `is_layout` is true of layouts that another system spelled.
pub(in crate::notation) fn tuple(entries: Vec<Expr>, is_layout: &dyn Fn(&Expr) -> bool) -> ExprKind {
    if entries.iter().any(is_layout) { ExprKind::Tiler(entries) } else { ExprKind::Tuple(entries) }
}

/// Whether a tree that another system spelled is a layout or a tiler.
pub(in crate::notation) fn is_layout(tree: &Expr) -> bool {
    /// The operations of CuTe that give integers.
    const INTEGERS: [&str; 15] = [
        "ceil_div",
        "cosize",
        "crd2idx",
        "depth",
        "div",
        "floor_div",
        "get",
        "idx2crd",
        "max_common_vector",
        "mod",
        "rank",
        "shape",
        "shape_div",
        "size",
        "stride",
    ];
    match &tree.kind {
        ExprKind::Pair { .. } | ExprKind::Tiler(_) => true,
        ExprKind::Call { name, .. } => !INTEGERS.contains(&name.text.as_str()),
        _ => false,
    }
}

/// Whether a tree is an integer or a tuple of them, so that it may be a shape or a stride.
pub(super) fn is_integers(tree: &Expr) -> bool {
    match &tree.kind {
        ExprKind::Static(_)
        | ExprKind::Dynamic(_)
        | ExprKind::Unknown { .. }
        | ExprKind::Basis { .. }
        | ExprKind::Product(_) => true,
        ExprKind::Tuple(entries) => entries.iter().all(|entry| {
            is_integers(entry) || matches!(entry.kind, ExprKind::Name(_) | ExprKind::Call { .. } | ExprKind::Sum(_))
        }),
        _ => false,
    }
}

/// `receiver.name(arguments)`
pub(super) fn call_method(receiver: Expr, name: &str, at: Span, arguments: Vec<Expr>, whole: Span) -> Expr {
    let name = Name { text: name.to_owned(), span: at };
    Expr::new(ExprKind::Method { receiver: Box::new(receiver), name, arguments }, whole)
}
