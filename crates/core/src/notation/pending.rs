//! [`Pending`]: the operands of an expression that are still to be joined, by how tightly their operators bind.

use super::{Expr, ExprKind, Span};

/// What has been read of an expression and waits for the operand at its right.
#[derive(Default)]
pub(super) struct Pending {
    /// Operands of `o`.
    pub(super) operands: Vec<Expr>,
    /// Summands of the last one.
    pub(super) summands: Vec<Expr>,
    /// What stands before the colon in the last of these.
    pub(super) shape: Option<Expr>,
    /// Whether the last summand is complete, and no factor is awaited for it.
    pub(super) placed: bool,
    /// Where layouts and chains of other spellings stand.
    pub(super) covers: Option<Span>,
    /// Factors of its stride, or of itself when it has no colon.
    pub(super) factors: Vec<Expr>,
}

impl Pending {
    pub(super) fn end_shape(&mut self) {
        self.shape = Some(self.product());
    }

    pub(super) fn end_summand(&mut self) {
        if std::mem::take(&mut self.placed) {
            return;
        }
        let product = self.product();
        match (self.shape.take(), self.summands.last_mut()) {
            (Some(shape), _) => {
                let span = shape.span.join(product.span);
                let (shape, stride) = (Box::new(shape), Box::new(product));
                let kind = ExprKind::Pair { shape, stride };
                self.summands.push(Expr::new(kind, span));
            }
            (None, Some(before)) if product.kind.is_scaled_basis() => {
                let rest = join_stride(before, product);
                self.summands.extend(rest);
            }
            (None, _) => self.summands.push(product),
        }
    }

    pub(super) fn end_operand(&mut self) {
        self.end_summand();
        let operand = one_or(std::mem::take(&mut self.summands), ExprKind::Sum);
        self.operands.push(operand);
    }

    pub(super) fn end(mut self) -> Expr {
        self.end_operand();
        let mut expr = one_or(self.operands, ExprKind::Compose);
        expr.span = self.covers.map_or(expr.span, |covers| covers.join(expr.span));
        expr
    }

    pub(super) fn product(&mut self) -> Expr {
        one_or(std::mem::take(&mut self.factors), ExprKind::Product)
    }
}

/// The only item, or all of them under one node.
fn one_or(mut items: Vec<Expr>, node: fn(Vec<Expr>) -> ExprKind) -> Expr {
    match (items.pop(), items.first()) {
        (Some(only), None) => only,
        (Some(last), Some(first)) => {
            let span = first.span.join(last.span);
            items.push(last);
            Expr::new(node(items), span)
        }
        (None, _) => Expr::from(node(items)),
    }
}

/// `4:1@0` followed by `+1@1` is `4` with the stride `1@0+1@1`. Gives the
/// summand back when what stands before it has no such stride.
fn join_stride(before: &mut Expr, summand: Expr) -> Option<Expr> {
    let ExprKind::Pair { stride, .. } = &mut before.kind else {
        return Some(summand);
    };
    let span = stride.span.join(summand.span);
    if let ExprKind::Sum(summands) = &mut stride.kind {
        summands.push(summand);
    } else if stride.kind.is_scaled_basis() {
        let first = std::mem::replace(stride.as_mut(), Expr::new(ExprKind::Wildcard, span));
        stride.kind = ExprKind::Sum(vec![first, summand]);
    } else {
        return Some(summand);
    }
    stride.span = span;
    before.span = before.span.join(span);
    None
}
