//! CuTe C++ as values: `make_layout(make_shape(_8{}, 64), LayoutRight{})`, `decltype(…)`, and what the library prints.
//!
//! `_8`, `Int<8>{}` and `C<8>` are static. A bare `8` among the arguments of `make_shape`, `make_stride`, `make_tuple` and
//! `make_tile` is dynamic, as it is to the compiler, where the text has a static one too; in a text that has none, nothing
//! depends on the difference, and all are static.

use super::Dialect;
use super::arguments::Order;
use super::build::shifted;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// How bare integers are read among the arguments of C++ constructors, and what was seen of both.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::notation) struct CppNumbers {
    /// Whether the arguments of a constructor are being read.
    pub(in crate::notation) within: bool,
    /// Whether bare integers there are dynamic.
    pub(in crate::notation) dynamic: bool,
    /// Whether a static integer of C++ was read.
    pub(in crate::notation) statics: bool,
    /// Whether a bare integer was read among such arguments.
    pub(in crate::notation) bare: bool,
}

/// Words that begin a declaration of C++, before the name that is declared.
pub(in crate::notation) const DECLARATIONS: [&str; 11] =
    ["using", "auto", "static", "constexpr", "const", "inline", "int", "size_t", "Layout", "Tensor", "typename"];

impl Cursor<'_> {
    /// Steps over `using Name =`, `static constexpr auto name =`: what is declared is what is read.
    pub(in crate::notation) fn declaration(&mut self) -> Result<()> {
        let is_next_word = |cursor: &Self| {
            let rest = cursor.text_after(cursor.token.span);
            rest.starts_with(char::is_whitespace)
                && rest.trim_start().starts_with(|c: char| c.is_ascii_alphabetic())
                && cursor.at(TokenKind::Word)
        };
        let mut is_declared = false;
        while is_next_word(self) && DECLARATIONS.contains(&self.token.span.of(self.text)) {
            // `Layout o …` composes.
            let rest = self.text_after(self.token.span).trim_start();
            if rest.strip_prefix('o').is_some_and(|after| after.starts_with(char::is_whitespace)) {
                return Ok(());
            }
            is_declared = true;
            self.advance();
        }
        if is_declared {
            self.require(TokenKind::Word, "the name that is declared, as in `using Name = Layout<…>;`")?;
            self.require(TokenKind::Equals, "`=` after the name that is declared")?;
            self.spelled(Dialect::CuteCpp);
        }
        Ok(())
    }

    /// Whether a comment of C++ or Python is at hand, which ends a line.
    pub(in crate::notation) fn is_comment(&self) -> bool {
        let rest = self.text_from(self.token.span);
        (rest.starts_with("//") || rest.starts_with("# ")) && !rest.contains('\n')
    }

    /// What a word of CuTe C++ begins; `None` where it is none.
    pub(super) fn cpp_word(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        match self.token.kind {
            TokenKind::OpenAngle => self.cpp_template(word, start),
            TokenKind::OpenRound => self.cpp_call(word, start),
            TokenKind::OpenCurly if word == "Underscore" => {
                self.default_made();
                self.spelled(Dialect::CuteCpp);
                self.leaf(ExprKind::Wildcard, self.since(start)).map(Some)
            }
            TokenKind::OpenCurly if Order::of(word).is_some() => {
                let message = format!("`{word}{{}}` says in which order `make_layout` is compact, and is no value");
                Err(SyntaxError::new(code::UNEXPECTED_TOKEN, start, message)
                    .with_help(format!("write `make_layout(make_shape(_8{{}}, _64{{}}), {word}{{}})`")))
            }
            _ => Ok(None),
        }
    }

    fn cpp_call(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let kind = match word {
            "make_shape" | "make_stride" | "make_tuple" => ExprKind::Tuple(self.cpp_constructed()?),
            "make_coord" | "make_step" => ExprKind::Tuple(self.list(TokenKind::CloseRound)?),
            "make_tile" => ExprKind::Tiler(self.cpp_constructed()?),
            "ArithTuple" => return self.cpp_coordinates(start).map(Some),
            "int" => return self.converted(start, Dialect::CuteCpp).map(Some),
            "decltype" => {
                let open = self.enter()?;
                let mut inner = self.expression()?;
                self.leave(open, TokenKind::CloseRound, "`)` after the expression of `decltype`")?;
                self.default_made();
                self.spelled(Dialect::CuteCpp);
                inner.span = self.since(start);
                return Ok(Some(inner));
            }
            _ => return Ok(None),
        };
        self.spelled(Dialect::CuteCpp);
        Ok(Some(Expr::new(kind, self.since(start))))
    }

    /// `ArithTuple(0,_128) o L`: a tensor of coordinates that begins at a coordinate. In a larger text it is the coordinate.
    fn cpp_coordinates(&mut self, start: Span) -> Result<Expr> {
        let open = self.token;
        let origin = Expr::new(ExprKind::Tuple(self.cpp_constructed()?), self.since(start));
        self.spelled(Dialect::CuteCpp);
        if !self.eat(TokenKind::Compose) {
            return Ok(origin);
        }
        let layout = self.behind(open)?;
        Ok(shifted(layout, origin, self.since(start)))
    }

    /// `int(8)`, `cutlass.Int32(8)`: an integer known when the program runs.
    pub(super) fn converted(&mut self, start: Span, dialect: Dialect) -> Result<Expr> {
        let open = self.enter()?;
        let value = self.integer("a number, as in `int(8)`")?;
        self.leave(open, TokenKind::CloseRound, "`)` after the number")?;
        self.spelled(dialect);
        self.leaf(ExprKind::Dynamic(value), self.since(start))
    }

    /// The arguments of a constructor.
    fn cpp_constructed(&mut self) -> Result<Vec<Expr>> {
        let within = std::mem::replace(&mut self.cpp.within, true);
        let entries = self.list(TokenKind::CloseRound);
        self.cpp.within = within;
        entries
    }

    /// Steps over `{}` or `()`, which make a value of a type, if that is at hand.
    pub(in crate::notation) fn default_made(&mut self) -> bool {
        let close = match self.token.kind {
            TokenKind::OpenCurly => '}',
            TokenKind::OpenRound => ')',
            _ => return false,
        };
        let is_empty = self.text_after(self.token.span).trim_start().starts_with(close);
        if is_empty {
            self.advance();
            self.advance();
        }
        is_empty
    }
}
