//! Operators: `:`, `@`, `*`, `o`, `+` and their like between operands, by how strongly they bind.
//!
//! [`Pending`] keeps what waits for its right hand side, one slot for each level of binding strength, so that no operator recurses.

use super::cursor::{Cursor, Result, excerpt};
use super::lexer::TokenKind;
use super::pending::Pending;
use super::spellings::is_pointer;
use super::{Expr, ExprKind, MAX_DEPTH, Span, SyntaxError, code};

impl Cursor<'_> {
    /// What stands between two brackets or commas.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        if let Some(offsets) = self.offset_expression()? {
            return Ok(offsets);
        }
        let mut pending = Pending::default();
        // Whether a minus sign stands between the summand at hand and the one before it.
        let mut is_subtracted = false;
        loop {
            self.factor(&mut pending.factors)?;
            if pending.shape.is_some() {
                // A layout is no stride. Nor is a swizzle: the word before `:` would be the label of a print.
                self.place(&mut pending)?;
                if let Some(Expr { kind: ExprKind::Swizzle { .. }, span }) = pending.factors.last() {
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, *span, "a swizzle is no stride")
                        .with_help("a layout under a swizzle is written `Sw<3,3,3> o (8,64):(64,1)`"));
                }
            }
            self.behind_factor(&mut pending)?;
            while let Some(operation) = self.division(&pending) {
                self.divided(operation, is_subtracted, &mut pending)?;
            }
            self.place(&mut pending)?;
            if self.token.kind != TokenKind::Star {
                is_subtracted = self.token.kind == TokenKind::Minus;
            }
            match self.token.kind {
                TokenKind::Star => self.advance(),
                TokenKind::Colon if pending.shape.is_some() => return Err(self.second_colon()),
                TokenKind::Colon => {
                    self.advance();
                    pending.end_shape();
                }
                TokenKind::Plus => {
                    self.advance();
                    pending.end_summand();
                }
                // The sign belongs to the factor after it: `a-b` is `a` + `-b`.
                TokenKind::Minus => pending.end_summand(),
                TokenKind::Compose => {
                    self.advance();
                    pending.end_operand();
                }
                // CuTe prints the pointer of a swizzled tensor as `Sw<3,4,3>_smem_ptr[16b](0x7f…)`.
                TokenKind::Underscore if is_pointer(self.text_after(self.token.span)) => {
                    self.advance();
                    pending.end_operand();
                }
                _ => return Ok(self.unbraced(pending.end())),
            }
        }
    }

    /// What is applied to a factor: arguments, methods, entries.
    pub(super) fn behind_factor(&mut self, pending: &mut Pending) -> Result<()> {
        loop {
            let kind = self.token.kind;
            match kind {
                TokenKind::OpenRound => self.application(pending)?,
                TokenKind::Colon if self.member_type() => {}
                TokenKind::Dot => self.methods(pending)?,
                TokenKind::OpenSquare if pending.factors.last().is_some_and(super::dialects::has_entries) => {
                    self.methods(pending)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Puts a layout or a chain, which another spelling makes of one operand, where its canonical text has it.
    pub(super) fn place(&mut self, pending: &mut Pending) -> Result<()> {
        // A method is called on all that stands before it, which here began after an operator.
        if let Some(Expr { kind: ExprKind::Method { .. }, span }) = pending.factors.last()
            && !(pending.factors.len() == 1 && pending.shape.is_none() && pending.summands.is_empty())
        {
            let message = format!("`{}` is a tensor, which this operator does not take", excerpt(span.of(self.text())));
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, *span, message));
        }
        let Some(Expr { kind: ExprKind::Pair { .. } | ExprKind::Sum(_) | ExprKind::Compose(_), span }) =
            pending.factors.last()
        else {
            return Ok(());
        };
        let (span, is_chain) = (*span, pending.factors.last().is_some_and(|last| last.kind.is_chain()));
        let is_alone = pending.factors.len() == 1 && pending.shape.is_none();
        let binds = matches!(self.token.kind, TokenKind::Star | TokenKind::Colon | TokenKind::At)
            || is_chain && matches!(self.token.kind, TokenKind::Plus | TokenKind::Minus);
        if !is_alone || is_chain && !pending.summands.is_empty() || binds {
            let message = format!("`{}` is a layout, which this operator does not take", excerpt(span.of(self.text())));
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                .with_help("layouts are composed by ` o `, and take an offset after `+`"));
        }
        let Some(layout) = pending.factors.pop() else { return Ok(()) };
        match layout.kind {
            ExprKind::Compose(mut parts) => {
                match parts.pop() {
                    Some(Expr { kind: ExprKind::Sum(summands), .. }) => pending.summands.extend(summands),
                    last => pending.summands.extend(last),
                }
                pending.operands.extend(parts);
            }
            ExprKind::Sum(parts) => pending.summands.extend(parts),
            _ => pending.summands.push(layout),
        }
        pending.placed = true;
        pending.covers = Some(pending.covers.map_or(span, |covers| covers.join(span)));
        Ok(())
    }

    /// An operand, the minus sign before it and the `@` after it. Before anything
    /// but a number, a minus sign is a factor of its own, and the first one.
    pub(super) fn factor(&mut self, factors: &mut Vec<Expr>) -> Result<()> {
        let minus = self.token.span;
        let mut factor = if !self.eat(TokenKind::Minus) {
            self.operand()?
        } else if self.at(TokenKind::Number) {
            self.number(Some(minus))?
        } else if factors.is_empty() {
            factors.push(Expr::new(ExprKind::Static(-1), minus));
            self.operand()?
        } else {
            return Err(self.expected("a number after `-`"));
        };
        if self.at(TokenKind::At) {
            factor = self.basis(factor)?;
        }
        factors.push(factor);
        Ok(())
    }

    pub(super) fn second_colon(&self) -> Box<SyntaxError> {
        self.expected("an operator other than `:`")
            .with_help("a layout is one shape and one stride, both tuples when it has several modes: `(4,2):(2,1)`")
    }

    /// `value @ index @ index …`
    pub(super) fn basis(&mut self, value: Expr) -> Result<Expr> {
        let scales = matches!(
            value.kind,
            ExprKind::Static(_) | ExprKind::Dynamic(_) | ExprKind::Unknown { .. } | ExprKind::Call { .. }
        );
        if !scales {
            let message = format!(
                "`@` scales a basis vector by an integer, found `{}` before it",
                excerpt(value.span.of(self.text()))
            );
            let span = self.token.span;
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
        }
        let mut path = Vec::new();
        while self.at(TokenKind::At) {
            if path.len() == MAX_DEPTH {
                return Err(SyntaxError::new(
                    code::TOO_DEEP,
                    self.token.span,
                    format!("a basis vector has at most {MAX_DEPTH} mode indices"),
                ));
            }
            self.advance();
            path.push(self.index("a mode index after `@`")?);
        }
        let span = Span::new(value.span.start, self.consumed);
        let value = Box::new(value);
        Ok(Expr::new(ExprKind::Basis { value, path }, span))
    }
}
