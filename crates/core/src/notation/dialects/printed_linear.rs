//! A linear layout as Triton prints it, which is a whole text.
//!
//! ```text
//!  - register=1 -> (0, 1)
//!    register=2 -> (0, 2)
//!  - lane=1 -> (1, 0)
//!  - warp is a size 1 dimension
//! where out dims are: [dim0 (size 2), dim1 (size 4)]
//! ```
//!
//! Law: what [`LinearLayout::to_triton_string`](crate::linear::LinearLayout::to_triton_string) writes reads as that layout.
//! Without the last line the sizes are inferred.

use super::Dialect;
use crate::notation::attribute::{Basis, LinearText};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// How a layout without in dims is printed.
const EMPTY: &str = "(empty layout";

impl Cursor<'_> {
    /// Whether the text is such a print.
    pub(in crate::notation) fn is_printed_linear(&self) -> bool {
        let text = self.text().trim_start();
        if text.starts_with(EMPTY) {
            return true;
        }
        let text = text.strip_prefix('-').unwrap_or(text).trim_start();
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = text.trim_start_matches(is_letter);
        let number = rest.strip_prefix('=').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        let is_name = rest.len() < text.len() && !text.starts_with(|c: char| c.is_ascii_digit());
        is_name
            && (number.is_some_and(|rest| rest.trim_start().starts_with("->"))
                || rest.split_whitespace().take(4).eq(["is", "a", "size", "1"]))
    }

    /// Reads the whole text.
    pub(in crate::notation) fn printed_linear(&mut self) -> Result<Expr> {
        let start = self.token.span;
        let mut ins: Vec<(Name, Vec<Basis>)> = Vec::new();
        let mut outs = None;
        if self.eat(TokenKind::OpenRound) {
            self.words(&["empty", "layout"])?;
            if self.token.span.of(self.text()) == "with" {
                self.words(&["with", "out", "-", "dims"])?;
                outs = Some(self.printed_outs()?);
            } else {
                outs = Some(Vec::new());
            }
            self.require(TokenKind::CloseRound, "`)`")?;
        }
        while !self.at(TokenKind::End) && (self.token.span.of(self.text()) != "where" || self.is_basis()) {
            self.eat(TokenKind::Minus);
            self.printed_basis(&mut ins)?;
        }
        if !self.at(TokenKind::End) {
            self.words(&["where", "out", "dims", "are", ":"])?;
            outs = Some(self.printed_outs()?);
        }
        self.spelled(Dialect::Triton);
        Ok(Expr::new(ExprKind::Linear(Box::new(LinearText { ins, outs })), self.since(start)))
    }

    /// Whether `name=` is at hand.
    fn is_basis(&self) -> bool {
        self.text_after(self.token.span).trim_start().starts_with('=')
    }

    /// `register=1 -> (0, 1)`, or `warp is a size 1 dimension`.
    fn printed_basis(&mut self, ins: &mut Vec<(Name, Vec<Basis>)>) -> Result<()> {
        let name = self.name("a basis such as `lane=1 -> (0, 1)`")?;
        if !self.eat(TokenKind::Equals) {
            self.words(&["is", "a", "size", "1", "dimension"])?;
            ins.push((name, Vec::new()));
            return Ok(());
        }
        let at = self.token.span;
        let bit = self.integer("the value of a bit: 1, 2, 4, …")?;
        if !self.text_from(self.token.span).starts_with("->") {
            return Err(self.expected("`->` and a value for each out dim, as in `lane=1 -> (0, 1)`"));
        }
        self.words(&["-", ">"])?;
        let begins = self.token.span;
        if !self.at(TokenKind::OpenRound) {
            return Err(self.expected("`(` and a value for each out dim"));
        }
        let values = self.entries(TokenKind::CloseRound, "another value", |cursor| {
            cursor.count_leaf(cursor.token.span)?;
            cursor.integer("a value")
        })?;
        let basis = Basis { values, span: self.since(begins) };
        if bit == 1 {
            ins.push((name, vec![basis]));
            return Ok(());
        }
        let count = match ins.last_mut() {
            Some((last, bases)) if *last == name => {
                bases.push(basis);
                bases.len() - 1
            }
            _ => 0,
        };
        let next = u32::try_from(count).ok().filter(|count| *count > 0).and_then(|count| 1_i64.checked_shl(count));
        if next == Some(bit) {
            return Ok(());
        }
        let message =
            format!("the bases of {} are those of 1, 2, 4, … in this order, {bit} is not the next", name.text);
        Err(SyntaxError::new(code::UNEXPECTED_TOKEN, at, message))
    }

    /// `[dim0 (size 2), dim1 (size 4)]`
    fn printed_outs(&mut self) -> Result<Vec<(Name, i64)>> {
        if !self.at(TokenKind::OpenSquare) {
            return Err(self.expected("`[` and the out dims"));
        }
        self.entries(TokenKind::CloseSquare, "another out dim", |cursor| {
            let name = cursor.name("an out dim such as `dim0 (size 2)`")?;
            cursor.count_leaf(name.span)?;
            cursor.words(&["(", "size"])?;
            let size = cursor.integer("the size of the out dim")?;
            cursor.words(&[")"])?;
            Ok((name, size))
        })
    }

    /// Steps over these words and marks.
    fn words(&mut self, words: &[&str]) -> Result<()> {
        for word in words {
            let at: Span = self.token.span;
            if at.of(self.text()).trim() != *word {
                return Err(self.expected(&format!("`{word}`")));
            }
            self.advance();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::linear::{LinearLayout, Name};
    use crate::notation::{Ints, parse, read};

    #[test]
    fn a_print_of_triton_reads_as_its_layout() -> Result<(), crate::Error> {
        let dims = [(Name::dim(0), 4), (Name::dim(1), 8)];
        for bases in [
            vec![(Name::REGISTER, vec![vec![0, 1], vec![0, 2]]), (Name::LANE, vec![vec![1, 4]]), (Name::WARP, vec![])],
            vec![(Name::OFFSET, vec![vec![0, 4], vec![2, 0], vec![0, 0]])],
            vec![],
        ] {
            let layout = LinearLayout::from_bases(&bases, &dims)?;
            let text = layout.to_triton_string();
            assert_eq!(
                read(&text, Ints::Plain).map(|read| read.tree),
                parse(&layout.to_string(), Ints::Plain),
                "{text}"
            );
        }
        let empty = LinearLayout::empty();
        assert_eq!(parse(&empty.to_triton_string(), Ints::Plain), parse(&empty.to_string(), Ints::Plain));
        let inferred = parse("register=1 -> (0, 1)\nregister=2 -> (1, 0)", Ints::Plain)?;
        assert_eq!(inferred.to_string(), "linear<{register=[[0,1],[1,0]]}>");
        Ok(())
    }

    #[test]
    fn what_is_no_print_is_said() {
        for text in
            ["register=1 -> (0, 1", "register=2 -> (0)", "register=1 -> (0)\nregister=4 -> (1)", "lane=1 -> (0) x"]
        {
            assert!(parse(text, Ints::Plain).is_err(), "{text}");
        }
    }
}
