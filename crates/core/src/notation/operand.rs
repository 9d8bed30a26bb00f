//! An operand: a number, a tuple, a swizzle, a name, a call; and what another reader takes over at its first token.

use super::cursor::{Cursor, Result, too_large};
use super::dialects::{Dialect, INSTRUCTION, entry, instruction};
use super::element_type::is_xla_type;
use super::lexer::TokenKind;
use super::spellings::is_pointer;
use super::{Expr, ExprKind, Ints, Name, ShapedKind, Span, SyntaxError, code, is_bare_name};
use crate::sharding::PRINTS;

const OPERAND: &str = "an integer, a tuple, a layout or a call";

impl Cursor<'_> {
    /// What stands between two operators, by its first token.
    pub(super) fn operand(&mut self) -> Result<Expr> {
        let token = self.token;
        if matches!(token.kind, TokenKind::Word | TokenKind::Underscore)
            && let Some(tree) = self.assembly()?
        {
            return Ok(tree);
        }
        match token.kind {
            TokenKind::Number => self.number(None),
            TokenKind::CppNumber => self.cpp_number(),
            TokenKind::Caret => {
                self.advance();
                if !self.at(TokenKind::Number) {
                    return Err(self.expected("a number after `^`"));
                }
                let pattern = self.integer("a number after `^`")?;
                self.leaf(ExprKind::Xor(pattern), Span::new(token.span.start, self.consumed))
            }
            TokenKind::Underscore => {
                self.advance();
                self.leaf(ExprKind::Wildcard, token.span)
            }
            TokenKind::Question => {
                self.advance();
                self.unknown(None, token.span)
            }
            TokenKind::OpenRound if self.is_bare_affine() => self.affine(token.span),
            TokenKind::OpenRound | TokenKind::OpenSquare => {
                let round = token.kind == TokenKind::OpenRound;
                let entries = self.list(if round { TokenKind::CloseRound } else { TokenKind::CloseSquare })?;
                let span = Span::new(token.span.start, self.consumed);
                Ok(Expr::new(self.tuple_of(entries, span), span))
            }
            TokenKind::OpenAngle => {
                let entries = self.list(TokenKind::CloseAngle)?;
                let span = Span::new(token.span.start, self.consumed);
                Ok(Expr::new(ExprKind::Tiler(entries), span))
            }
            TokenKind::Word => self.word(),
            TokenKind::Text => {
                self.advance();
                let name = self.quoted(token.span);
                let kind = if is_bare_name(&name.text) { ExprKind::Name(name) } else { ExprKind::Quoted(name) };
                Ok(Expr::new(kind, token.span))
            }
            TokenKind::Mlir | TokenKind::OpenCurly if self.is_sharding() => Err(self.sharding_alone(token.span)),
            TokenKind::Mlir => self.mlir(),
            TokenKind::OpenCurly if self.is_braced_offset() => self.braced_offset(),
            TokenKind::OpenCurly if self.is_stored_tensor() => self.stored_tensor(),
            TokenKind::OpenCurly if self.is_attribute_list() => {
                let open = self.enter()?;
                let tree = self.expression()?;
                self.leave(open, TokenKind::CloseCurly, "`}` after the attribute")?;
                Ok(tree)
            }
            TokenKind::OpenCurly => self.bare_layout(token.span),
            _ if token.span.of(self.text()) == "%" => Err(self.expected(OPERAND).with_help(INSTRUCTION)),
            _ => Err(self.expected(OPERAND)),
        }
    }

    /// A number, after the minus sign if there was one, and the `?` after it.
    pub(super) fn number(&mut self, minus: Option<Span>) -> Result<Expr> {
        let start = minus.unwrap_or(self.token.span).start;
        let value = self.signed(minus)?;
        if self.literal_suffix() {
            return self.leaf(ExprKind::Static(value), Span::new(start, self.consumed));
        }
        self.cpp.bare |= self.cpp.within;
        let dynamic = self.eat(TokenKind::Question) || self.ints == Ints::Cpp || self.cpp.within && self.cpp.dynamic;
        let span = Span::new(start, self.consumed);
        if dynamic { self.leaf(ExprKind::Dynamic(value), span) } else { self.leaf(ExprKind::Static(value), span) }
    }

    /// `_5`, `_-5`
    pub(super) fn cpp_number(&mut self) -> Result<Expr> {
        let span = self.token.span;
        let is_made =
            self.text_after(span).trim_start().strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('}'));
        if self.ints == Ints::Plain {
            if !self.cpp.within && !is_made {
                return Err(self.cpp_integer(!self.is_in_modes()));
            }
            self.cpp.statics = true;
            self.spelled(Dialect::CuteCpp);
        }
        let digits = span.of(self.text()).trim_start_matches('_');
        let Ok(value) = digits.parse() else {
            return Err(too_large(self.text(), span));
        };
        self.advance();
        if is_made {
            self.default_made();
        }
        self.leaf(ExprKind::Static(value), self.since(span))
    }

    /// What begins with a word: a swizzle, a call or a named unknown.
    pub(super) fn word(&mut self) -> Result<Expr> {
        let start = self.token.span;
        let Some(scope) = self.namespaces() else { return self.word_of(None) };
        let mut tree = if self.at(TokenKind::Word) { self.word_of(Some(scope))? } else { self.operand()? };
        tree.span = start.join(tree.span);
        if let library @ (Dialect::Torch | Dialect::NumPy) = scope {
            self.makers.push((start.start, library));
        }
        Ok(tree)
    }

    /// What begins with a word, of which `scope` is where its namespace belongs.
    pub(super) fn word_of(&mut self, scope: Option<Dialect>) -> Result<Expr> {
        let span = self.token.span;
        let word = span.of(self.text());
        self.advance();
        if let Some(tree) = self.dialect_word(word, span, scope)? {
            return Ok(tree);
        }
        let next = self.token.kind;
        match word {
            "threadIdx" | "blockIdx" | "blockDim" | "gridDim" if next == TokenKind::Dot => self.thread_index(span),
            "Sw" => self.swizzle(span),
            "S" if next == TokenKind::OpenAngle => self.swizzle(span),
            "tensor" if next == TokenKind::OpenAngle && self.is_dsl_tensor() => self.dsl_tensor(span),
            "tensor" if next == TokenKind::OpenRound && self.is_printed_tensor() => self.dsl_printed_tensor(span),
            "tensor" if next == TokenKind::OpenAngle => self.shaped_type(ShapedKind::Tensor, false, span),
            "linear" if next == TokenKind::OpenAngle => {
                let linear = Box::new(self.linear()?);
                Ok(Expr::new(ExprKind::Linear(linear), Span::new(span.start, self.consumed)))
            }
            "memref" if next == TokenKind::OpenAngle => self.memref(span),
            "affine_map" if next == TokenKind::OpenAngle => self.affine(span),
            "shard" if next == TokenKind::OpenRound => self.shard(word, span),
            _ if next == TokenKind::OpenRound && PRINTS.contains(&word) => self.shard(word, span),
            "different" if next == TokenKind::Colon && self.open.is_empty() => self.verdict(span),
            // With its modes in brackets, as it is printed, such a name begins a shape of XLA.
            _ if next == TokenKind::OpenAngle && self.is_template() && !is_xla_type(word) => self.template(word, span),
            _ if next == TokenKind::OpenAngle && word != "S" => self.index_expression(word, span),
            "Layout" | "DeviceLocalLayout" if next == TokenKind::OpenRound => self.bare_layout(span),
            _ if is_pointer(word)
                && (next == TokenKind::OpenSquare || word != "ptr" && next == TokenKind::OpenRound) =>
            {
                self.flagged_pointer(span)
            }
            "b" if next == TokenKind::OpenRound && self.is_buffer() => self.xla(span),
            _ if next == TokenKind::OpenSquare && is_xla_type(word) => self.xla(span),
            _ if next == TokenKind::OpenSquare && word != "bytes" && self.is_sized_tensor() => self.sized_tensor(span),
            _ if matches!(next, TokenKind::OpenRound | TokenKind::OpenSquare) => self.call(word, span),
            // Python's spelling of `_`: an unknown of this name would be a wrong answer.
            "None" => self.leaf(ExprKind::Wildcard, span),
            _ => self.named(word, span),
        }
    }

    /// A named unknown, or the name of a dim.
    pub(super) fn named(&mut self, word: &str, span: Span) -> Result<Expr> {
        if let Some((name, length)) = instruction(word, self.text_after(span)) {
            let mut tree = self.read_elsewhere(ExprKind::Unknown { name: Some(name), div: 1 }, span, length)?;
            // A value of its type, as in source.
            if self.at(TokenKind::OpenCurly) && self.default_made() {
                self.spelled(Dialect::CuteCpp);
                tree.span = self.since(span);
            }
            return Ok(tree);
        }
        match word.starts_with(|c: char| c.is_ascii_uppercase()) {
            true => self.unknown(Some(word), span),
            false => Ok(Expr::new(ExprKind::Name(Name { text: word.to_owned(), span }), span)),
        }
    }

    /// The name in the quotes that were read.
    pub(super) fn quoted(&self, span: Span) -> Name {
        let text = span.of(self.text()).trim_end();
        let within = |quote| text.strip_prefix(quote).and_then(|inner: &str| inner.strip_suffix(quote));
        let inner = within('"').or_else(|| within('\''));
        Name { text: inner.unwrap_or_default().to_owned(), span }
    }

    pub(super) fn is_in_modes(&self) -> bool {
        self.open.iter().any(|open| open.kind == TokenKind::OpenSquare)
    }

    /// `[mode,…](argument,…)` after the name.
    pub(super) fn call(&mut self, name: &str, name_span: Span) -> Result<Expr> {
        let modes = if self.at(TokenKind::OpenSquare) {
            let before = (std::mem::replace(&mut self.ints, Ints::Plain), std::mem::take(&mut self.cpp.within));
            let open = self.token.span;
            let modes = self.list(TokenKind::CloseSquare)?;
            (self.ints, self.cpp.within) = before;
            if modes.is_empty() {
                return Err(SyntaxError::new(
                    code::UNEXPECTED_TOKEN,
                    Span::new(open.start, self.consumed),
                    "expected a mode index between `[` and `]`, found none",
                ));
            }
            // A layout follows only the dims of an array: the reader of those says that this is no type.
            if self.at(TokenKind::OpenCurly) {
                return self.xla(name_span);
            }
            if !self.at(TokenKind::OpenRound) {
                if let ("bytes", [Expr { kind: ExprKind::Static(bits), .. }]) = (name, modes.as_slice()) {
                    return self.leaf(ExprKind::Bytes(*bits), Span::new(name_span.start, self.consumed));
                }
                // A mode of what the name is bound to.
                if let [Expr { kind: ExprKind::Static(_), .. }] = modes.as_slice() {
                    let of = self.named(name, name_span)?;
                    return Ok(entry(of, modes, Span::new(name_span.start, self.consumed)));
                }
                return Err(self.expected("`(` and the operands"));
            }
            Some(modes)
        } else {
            None
        };
        let arguments = self.list(TokenKind::CloseRound)?;
        let name = Name { text: name.to_owned(), span: name_span };
        let kind = ExprKind::Call { name, modes, arguments };
        Ok(Expr::new(kind, Span::new(name_span.start, self.consumed)))
    }

    /// The divisibility that may follow `?` or a name.
    pub(super) fn unknown(&mut self, name: Option<&str>, start: Span) -> Result<Expr> {
        let mut div = 1;
        if self.eat(TokenKind::OpenCurly) {
            let has_width = self.width();
            if has_width && self.eat(TokenKind::CloseCurly) {
                let name = name.map(str::to_owned);
                return self.leaf(ExprKind::Unknown { name, div }, self.since(start));
            }
            if self.token.span.of(self.text()) != "div" {
                return Err(self.expected("`div`, as in `{div=8}`"));
            }
            self.advance();
            self.require(TokenKind::Equals, "`=`, as in `{div=8}`")?;
            let start = self.token.span.start;
            div = self.integer("a divisor after `div=`")?;
            if div < 1 {
                return Err(SyntaxError::new(
                    code::BAD_DIVISIBILITY,
                    Span::new(start, self.consumed),
                    format!("a divisor is at least 1, found {div}"),
                ));
            }
            self.require(TokenKind::CloseCurly, "`}`")?;
        }
        let name = name.map(str::to_owned);
        let span = Span::new(start.start, self.consumed);
        self.leaf(ExprKind::Unknown { name, div }, span)
    }

    /// `<bits,base,shift>` after `Sw`.
    pub(super) fn swizzle(&mut self, start: Span) -> Result<Expr> {
        let mut numbers = [0; 3];
        let mut before = TokenKind::OpenAngle;
        for number in &mut numbers {
            self.swizzle_token(before, start)?;
            before = TokenKind::Comma;
            if !matches!(self.token.kind, TokenKind::Minus | TokenKind::Number | TokenKind::CppNumber) {
                return Err(self.bad_swizzle(start));
            }
            *number = self.integer("a number after `-`")?;
        }
        self.swizzle_token(TokenKind::CloseAngle, start)?;
        let [bits, base, shift] = numbers;
        let span = Span::new(start.start, self.consumed);
        self.leaf(ExprKind::Swizzle { bits, base, shift }, span)
    }

    pub(super) fn swizzle_token(&mut self, kind: TokenKind, start: Span) -> Result<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.bad_swizzle(start)) }
    }

    pub(super) fn bad_swizzle(&self, start: Span) -> Box<SyntaxError> {
        SyntaxError::new(
            code::BAD_SWIZZLE,
            start.join(self.token.span),
            format!("a swizzle is `Sw<bits,base,shift>` with three integers, found {} instead", self.found()),
        )
    }
}
