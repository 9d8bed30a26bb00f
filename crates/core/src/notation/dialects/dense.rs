//! The memory of a tensor that is named by its sizes alone.
//!
//! Law: the stride of a size is the product of the sizes within it, known and unknown.

use super::build::call;
use crate::notation::cursor::Result;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// A tensor that fills its memory, row by row or column by column. A size that is not known is a factor of the strides beyond it.
pub(super) fn dense(sizes: Vec<Expr>, is_fortran: bool, at: Span, span: Span) -> Result<Expr> {
    let mut strides = Vec::new();
    let (mut stride, mut unknown) = (1_i64, Vec::new());
    let outermost: Box<dyn Iterator<Item = &Expr>> =
        if is_fortran { Box::new(sizes.iter()) } else { Box::new(sizes.iter().rev()) };
    for size in outermost {
        strides.push(product(stride, &unknown, size.span));
        let factors = match &size.kind {
            ExprKind::Product(factors) => factors.as_slice(),
            _ => std::slice::from_ref(size),
        };
        for factor in factors {
            let extent = match &factor.kind {
                ExprKind::Static(extent) => *extent,
                ExprKind::Unknown { name: Some(_), .. } => {
                    unknown.push(factor.clone());
                    continue;
                }
                _ => {
                    let message = format!("expected a size that is a number, found `{size}`");
                    return Err(SyntaxError::new(code::BAD_SIZE, size.span, message)
                        .with_help("a size that is not known is a name that begins with a capital letter"));
                }
            };
            if extent < 0 {
                let message = format!("a size is at least 0, found {extent}");
                return Err(SyntaxError::new(code::BAD_SIZE, size.span, message));
            }
            let too_large =
                || SyntaxError::new(code::INTEGER_TOO_LARGE, span, "the tensor has more than 2^63 elements");
            stride = stride.checked_mul(extent.max(1)).ok_or_else(too_large)?;
        }
    }
    if !is_fortran {
        strides.reverse();
    }
    let (sizes, strides) = (Expr::new(ExprKind::Tuple(sizes), span), Expr::new(ExprKind::Tuple(strides), span));
    Ok(call("tensor", at, vec![sizes, strides], span))
}

/// A number times unknowns.
fn product(number: i64, unknown: &[Expr], span: Span) -> Expr {
    let number = Expr::new(ExprKind::Static(number), span);
    match (&number.kind, unknown) {
        (_, []) => number,
        (ExprKind::Static(1), [only]) => only.clone(),
        (ExprKind::Static(1), unknown) => Expr::new(ExprKind::Product(unknown.to_vec()), span),
        (_, unknown) => Expr::new(ExprKind::Product([std::slice::from_ref(&number), unknown].concat()), span),
    }
}
