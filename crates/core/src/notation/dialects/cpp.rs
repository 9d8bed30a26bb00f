//! CuTe C++ as values: `make_layout(make_shape(_8{}, 64), LayoutRight{})`, `decltype(…)`, and what the library prints.
//!
//! `_8`, `Int<8>{}` and `C<8>` are static. A bare `8` among the arguments of `make_shape`, `make_stride`, `make_tuple` and
//! `make_tile` is dynamic, as it is to the compiler, where the text has a static one too; in a text that has none, nothing
//! depends on the difference, and all are static.

use super::arguments::{Argument, Given, Order};
use super::{Dialect, call};
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

impl Cursor<'_> {
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
            "ArithTuple" => ExprKind::Tuple(self.list(TokenKind::CloseRound)?),
            "make_layout" => return self.cpp_make_layout(start).map(Some),
            "make_identity_tensor" => {
                let arguments = self.list(TokenKind::CloseRound)?;
                self.spelled(Dialect::CuteCpp);
                return Ok(Some(call("make_identity_layout", start, arguments, self.since(start))));
            }
            "decltype" => {
                let open = self.enter()?;
                let inner = self.expression()?;
                self.leave(open, TokenKind::CloseRound, "`)` after the expression of `decltype`")?;
                self.default_made();
                self.spelled(Dialect::CuteCpp);
                return Ok(Some(inner));
            }
            _ => return Ok(None),
        };
        self.spelled(Dialect::CuteCpp);
        Ok(Some(Expr::new(kind, self.since(start))))
    }

    /// The arguments of a constructor.
    fn cpp_constructed(&mut self) -> Result<Vec<Expr>> {
        let within = std::mem::replace(&mut self.cpp.within, true);
        let entries = self.list(TokenKind::CloseRound);
        self.cpp.within = within;
        entries
    }

    /// `make_layout` of layouts is the operation; of a shape with strides or an order it is a layout.
    fn cpp_make_layout(&mut self, start: Span) -> Result<Expr> {
        let (name, before) = (Span::new(start.start, self.consumed), self.spellings);
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        if let Some(keyword) = arguments.iter_mut().find_map(|argument| argument.keyword.take()) {
            return Err(SyntaxError::new(
                code::UNEXPECTED_TOKEN,
                keyword.span,
                format!("`{}` is no argument of make_layout", keyword.text),
            )
            .with_help("write `make_layout((8,64), stride=(64,1))`"));
        }
        let order = match arguments.last() {
            Some(Argument { given: Given::Order(order), .. }) => Some(*order),
            _ => None,
        };
        let is_foreign = self.spellings != before;
        let mut values = Vec::new();
        for argument in arguments {
            if let Given::Value(value) = argument.given {
                values.push(value);
            }
        }
        if let Some(order) = order {
            if values.len() != 1 {
                let message = format!("make_layout takes one shape before the order, here are {}", values.len());
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
            return Ok(call(order.operation(), name, values, span));
        }
        if is_foreign && values.len() == 2 && values.iter().all(is_integers) {
            return Ok(pair(values, span));
        }
        Ok(call("make_layout", name, values, span))
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

/// `shape:stride`.
pub(super) fn pair(both: Vec<Expr>, span: Span) -> Expr {
    let mut both = both.into_iter().map(Box::new);
    match (both.next(), both.next()) {
        (Some(shape), Some(stride)) => Expr::new(ExprKind::Pair { shape, stride }, span),
        (only, _) => only.map_or_else(|| Expr::new(ExprKind::Tuple(Vec::new()), span), |only| *only),
    }
}

/// Whether a tree is an integer or a tuple of them.
pub(super) fn is_integers(tree: &Expr) -> bool {
    match &tree.kind {
        ExprKind::Tuple(entries) => entries.iter().all(is_integers),
        ExprKind::Static(_)
        | ExprKind::Dynamic(_)
        | ExprKind::Unknown { .. }
        | ExprKind::Basis { .. }
        | ExprKind::Product(_) => true,
        ExprKind::Call { name, .. } => name.text == "ceil_div",
        _ => false,
    }
}
