//! What stands between two brackets. Brackets nest at most [`MAX_DEPTH`] deep, and each knows its partner.

use super::cursor::{Cursor, Result, closer};
use super::lexer::{Token, TokenKind};
use super::{Expr, MAX_DEPTH, SyntaxError, code};

/// How extents are written.
pub(super) const CROSSED: &str = "a shape has brackets and commas: `(256,256)`";

impl Cursor<'_> {
    /// The expressions between the bracket at hand and its partner, and both.
    pub(super) fn list(&mut self, close: TokenKind) -> Result<Vec<Expr>> {
        let open = self.enter()?;
        let mut entries = Vec::new();
        if !self.at(close) {
            entries.push(self.expression()?);
            while self.eat(TokenKind::Comma) {
                // A comma may end the list, as in Python's `(4,)`.
                if self.at(close) {
                    break;
                }
                entries.push(self.expression()?);
            }
        }
        self.leave_list(open, close)?;
        Ok(entries)
    }

    /// Whether extents with an `x` between them are at hand, behind the first: `x256` of `256x256`.
    pub(super) fn is_crossed(&self) -> bool {
        let extents = self.token.span.of(self.text()).strip_prefix('x');
        let is_extent = |extent: &str| !extent.is_empty() && extent.chars().all(|c| c.is_ascii_digit());
        self.token.span.start == self.consumed && extents.is_some_and(|extents| extents.split('x').all(is_extent))
    }

    /// Steps over the partner of a bracket behind an entry of a list.
    pub(super) fn leave_list(&mut self, open: Token, close: TokenKind) -> Result<()> {
        let is_next = matches!(
            self.token.kind,
            TokenKind::Number | TokenKind::CppNumber | TokenKind::Word | TokenKind::Semicolon | TokenKind::Equals
        );
        let left = self.leave(open, close, &format!("an operator, `,` or `{}`", closer(open.kind)));
        left.map_err(|error| match is_next {
            true if self.is_crossed() => error.with_help(CROSSED),
            true => error.with_help("entries have `,` between them"),
            false => self.with_division_help(error),
        })
    }

    /// What `entry` reads between the bracket at hand and its partner, and both.
    pub(super) fn entries<T>(
        &mut self,
        close: TokenKind,
        wanted: &str,
        entry: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let open = self.enter()?;
        let mut entries = Vec::new();
        if !self.at(close) {
            entries.push(entry(self)?);
            while self.eat(TokenKind::Comma) {
                if self.at(close) {
                    return Err(self.expected(&format!("{wanted} after `,`")));
                }
                entries.push(entry(self)?);
            }
        }
        self.leave(open, close, &format!("`,` or `{}`", closer(open.kind)))?;
        Ok(entries)
    }

    /// Steps over the bracket at hand.
    pub(super) fn enter(&mut self) -> Result<Token> {
        let open = self.token;
        if self.open.len() == MAX_DEPTH {
            return Err(SyntaxError::new(
                code::TOO_DEEP,
                open.span,
                format!("brackets nest at most {MAX_DEPTH} deep, this one is one deeper"),
            ));
        }
        self.open.push(open);
        self.advance();
        Ok(open)
    }

    /// Steps over the partner of `open`, which ought to be at hand. A pair with nothing inside is a leaf.
    pub(super) fn leave(&mut self, open: Token, close: TokenKind, wanted: &str) -> Result<()> {
        if self.at(close) {
            if self.consumed == open.span.end {
                self.count_leaf(open.span.join(self.token.span))?;
            }
            self.open.pop();
            self.advance();
            Ok(())
        } else if self.at(TokenKind::End) {
            Err(SyntaxError::new(
                code::UNBALANCED,
                open.span,
                format!(
                    "this `{}` is never closed: expected `{}` before the end of the text",
                    open.span.of(self.text()).trim(),
                    closer(open.kind)
                ),
            ))
        } else {
            Err(self.expected(wanted))
        }
    }
}
