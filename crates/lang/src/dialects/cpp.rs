//! CuTe C++: `Layout<Shape<_8,_64>,Stride<_64,_1>>{}` where all is static, else `make_layout(make_shape(_8{}, M), …)`.

use super::unwritten;
use bitstride::Error;
use bitstride::notation::{Dialect, Expr, ExprKind};

/// The text of a layout, a swizzle, a composed layout or a tiler.
pub(super) fn written(tree: &Expr) -> Result<String, Error> {
    match as_type(tree, "Shape") {
        Ok(name) => Ok(format!("{name}{{}}")),
        Err(_) => as_value(tree, "make_shape"),
    }
}

fn no_text(tree: &Expr) -> Error {
    unwritten(Dialect::CuteCpp.name(), tree)
}

/// A static integer as a type: CuTe names small ones and powers of two.
fn constant(n: i64) -> String {
    let is_named = (0..=10).contains(&n) || (16..=524_288).contains(&n) && n.count_ones() == 1;
    if is_named { format!("_{n}") } else { format!("Int<{n}>") }
}

/// Basis vectors have the outermost mode first here.
fn modes(path: &[usize]) -> String {
    path.iter().rev().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn list(trees: &[Expr], write: impl Fn(&Expr) -> Result<String, Error>) -> Result<String, Error> {
    Ok(trees.iter().map(write).collect::<Result<Vec<_>, _>>()?.join(","))
}

/// A tree as a type; `tuple` is what a tuple is called.
fn as_type(tree: &Expr, tuple: &str) -> Result<String, Error> {
    Ok(match &tree.kind {
        ExprKind::Static(n) => constant(*n),
        ExprKind::Unknown { name: None, div: 1 } => "int".to_owned(),
        ExprKind::Wildcard => "Underscore".to_owned(),
        ExprKind::Basis { value, path } => match value.kind {
            ExprKind::Static(1) => format!("E<{}>", modes(path)),
            ExprKind::Static(n) => format!("ScaledBasis<{},{}>", constant(n), modes(path)),
            _ => return Err(no_text(tree)),
        },
        ExprKind::Tuple(entries) => format!("{tuple}<{}>", list(entries, |entry| as_type(entry, tuple))?),
        ExprKind::Tiler(entries) => format!("Tile<{}>", list(entries, |entry| as_type(entry, "Shape"))?),
        ExprKind::Pair { shape, stride } => {
            format!("Layout<{},{}>", as_type(shape, "Shape")?, as_type(stride, "Stride")?)
        }
        ExprKind::Swizzle { bits, base, shift } => format!("Swizzle<{bits},{base},{shift}>"),
        ExprKind::Bytes(bits) => format!("smem_ptr_flag_bits<{bits}>"),
        ExprKind::Compose(parts) => {
            return composed(parts, tree, |part| as_type(part, "Shape"), ["ComposedLayout<", ">"]);
        }
        _ => return Err(no_text(tree)),
    })
}

/// A tree as an expression of C++.
fn as_value(tree: &Expr, tuple: &str) -> Result<String, Error> {
    Ok(match &tree.kind {
        ExprKind::Static(n) => format!("{}{{}}", constant(*n)),
        ExprKind::Dynamic(n) => format!("int({n})"),
        ExprKind::Unknown { name: Some(name), div: 1 } => name.clone(),
        ExprKind::Wildcard => "_".to_owned(),
        ExprKind::Basis { value, path } => match value.kind {
            ExprKind::Static(1) => format!("E<{}>{{}}", modes(path)),
            _ => format!("{}*E<{}>{{}}", as_value(value, tuple)?, modes(path)),
        },
        ExprKind::Tuple(entries) => format!("{tuple}({})", list(entries, |entry| as_value(entry, tuple))?),
        ExprKind::Tiler(entries) => format!("make_tile({})", list(entries, |entry| as_value(entry, "make_shape"))?),
        ExprKind::Pair { shape, stride } => {
            // Two bare names would be two layouts.
            let scope = if matches!(shape.kind, ExprKind::Tuple(_)) { "" } else { "cute::" };
            let (shape, stride) = (as_value(shape, "make_shape")?, as_value(stride, "make_stride")?);
            format!("{scope}make_layout({shape}, {stride})")
        }
        ExprKind::Swizzle { .. } | ExprKind::Bytes(_) => format!("{}{{}}", as_type(tree, tuple)?),
        ExprKind::Compose(parts) => {
            return composed(parts, tree, |part| as_value(part, "make_shape"), ["make_composed_layout(", ")"]);
        }
        _ => return Err(no_text(tree)),
    })
}

/// `A o offset o B o …` as a composed layout, whose inner one may be composed again.
fn composed(
    parts: &[Expr],
    tree: &Expr,
    write: impl Fn(&Expr) -> Result<String, Error>,
    [open, close]: [&str; 2],
) -> Result<String, Error> {
    let (mut text, mut closing) = (String::new(), String::new());
    let mut rest = parts;
    while let [outer, offset, inner @ ..] = rest
        && !inner.is_empty()
    {
        let is_offset = matches!(
            offset.kind,
            ExprKind::Static(_) | ExprKind::Dynamic(_) | ExprKind::Unknown { .. } | ExprKind::Bytes(_)
        );
        if !is_offset {
            return Err(no_text(tree));
        }
        text.push_str(&format!("{open}{},{},", write(outer)?, write(offset)?));
        closing.push_str(close);
        rest = inner;
    }
    match rest {
        [last] => Ok(format!("{text}{}{closing}", write(last)?)),
        _ => Err(no_text(tree)),
    }
}
