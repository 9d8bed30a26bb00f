//! Attributes, shaped types and linear layouts: from tokens to their trees.
//!
//! These brackets nest and count like all others. `128x64xf16` is a number and a word without a space between them.

use super::attribute::{Argument, Attribute, Basis, Datum, DatumKind, LinearText, ShapedKind, ShapedType};
use super::cursor::{Cursor, Result, excerpt, too_large};
use super::lexer::TokenKind;
use super::{Name, Span, SyntaxError, code};

const DATUM: &str = "an integer, a word, a list, a dictionary or an attribute";

impl Cursor<'_> {
    /// `#name<…>`
    pub(super) fn attribute(&mut self) -> Result<Attribute> {
        let span = self.token.span;
        let text = span.of(self.text()).strip_prefix('#').unwrap_or_default();
        if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(self.expected("an attribute such as `#ttg.blocked<{…}>`"));
        }
        let name = Name { text: text.to_owned(), span };
        self.count_leaf(span)?;
        self.advance();
        let body = if self.at(TokenKind::OpenAngle) { Some(self.body()?) } else { None };
        Ok(Attribute { name, body, span: Span::new(span.start, self.consumed) })
    }

    /// The arguments in angle brackets. After an array, a dictionary needs no comma.
    fn body(&mut self) -> Result<Vec<Argument>> {
        let open = self.enter()?;
        let mut arguments = Vec::new();
        if !self.at(TokenKind::CloseAngle) {
            loop {
                let argument = self.argument()?;
                let array = matches!(argument.datum.kind, DatumKind::Array(_));
                arguments.push(argument);
                if !(self.eat(TokenKind::Comma) || array && self.at(TokenKind::OpenCurly)) {
                    break;
                }
            }
        }
        self.leave(open, TokenKind::CloseAngle, "`,` or `>`")?;
        Ok(arguments)
    }

    /// `name = datum`, or a datum alone.
    fn argument(&mut self) -> Result<Argument> {
        let span = self.token.span;
        if !self.at(TokenKind::Word) {
            return Ok(Argument { name: None, datum: self.datum()? });
        }
        self.advance();
        if self.eat(TokenKind::Equals) {
            let name = Name { text: span.of(self.text()).to_owned(), span };
            return Ok(Argument { name: Some(name), datum: self.datum()? });
        }
        Ok(Argument { name: None, datum: self.word_datum(span)? })
    }

    fn datum(&mut self) -> Result<Datum> {
        let start = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Number => self.numbers()?,
            TokenKind::Minus => {
                self.count_leaf(start)?;
                DatumKind::Integer(self.integer("a number after `-`")?)
            }
            TokenKind::Word => {
                self.advance();
                return self.word_datum(start);
            }
            TokenKind::Text => {
                self.count_leaf(start)?;
                self.advance();
                DatumKind::Text(self.quoted(start).text)
            }
            TokenKind::OpenSquare => DatumKind::Array(self.entries(TokenKind::CloseSquare, "a datum", Self::datum)?),
            TokenKind::OpenCurly => {
                DatumKind::Dictionary(self.entries(TokenKind::CloseCurly, "another field", Self::field)?)
            }
            TokenKind::Mlir => DatumKind::Attribute(self.attribute()?),
            _ => return Err(self.expected(DATUM)),
        };
        Ok(Datum { kind, span: Span::new(start.start, self.consumed) })
    }

    /// A word that has been read and has no `=` after it.
    fn word_datum(&mut self, span: Span) -> Result<Datum> {
        self.count_leaf(span)?;
        let kind = match span.of(self.text()) {
            "true" => DatumKind::Bool(true),
            "false" => DatumKind::Bool(false),
            word => DatumKind::Word(word.to_owned()),
        };
        Ok(Datum { kind, span })
    }

    fn field(&mut self) -> Result<(Name, Datum)> {
        let name = self.name("a field such as `order = [1, 0]`")?;
        self.require(TokenKind::Equals, "`=`")?;
        Ok((name, self.datum()?))
    }

    /// What begins with a number: `128`, `128 : i32`, `512:+16`, `128x64`.
    fn numbers(&mut self) -> Result<DatumKind> {
        self.count_leaf(self.token.span)?;
        let start = self.token.span.start;
        let first = self.signed(None)?;
        if self.follows_at(self.consumed) {
            let span = Span::new(start, self.token.span.end);
            let (sizes, element) = self.sizes(span)?;
            if element.is_some() {
                let message = format!("expected sizes such as `128x64`, found `{}`", excerpt(span.of(self.text())));
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
            self.advance();
            return Ok(DatumKind::Sizes(sizes));
        }
        if !self.eat(TokenKind::Colon) {
            return Ok(DatumKind::Integer(first));
        }
        if self.eat(TokenKind::Plus) {
            return Ok(DatumKind::Interval { interval: first, padding: self.integer("the padding")? });
        }
        self.require(TokenKind::Word, "`+` and a padding, or a type such as `i32`")?;
        Ok(DatumKind::Integer(first))
    }

    /// Whether a word stands right at `end`, without a space.
    fn follows_at(&self, end: usize) -> bool {
        self.at(TokenKind::Word) && self.token.span.start == end
    }

    /// The sizes at the start of `128x64xf16`, and what follows the last `x`; nothing does in `128x64`.
    fn sizes(&self, span: Span) -> Result<(Vec<i64>, Option<&str>)> {
        let mut rest = span.of(self.text());
        let mut sizes = Vec::new();
        loop {
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let length = rest.len().saturating_sub(after.len());
            if length == 0 {
                return Ok((sizes, Some(rest)));
            }
            let start = span.end.saturating_sub(rest.len());
            let digits = Span::new(start, start.saturating_add(length));
            sizes.push(digits.of(self.text()).parse().map_err(|_| too_large(self.text(), digits))?);
            match after.strip_prefix('x') {
                Some(next) => rest = next,
                None if after.is_empty() => return Ok((sizes, None)),
                None => {
                    let written = excerpt(span.of(self.text()));
                    let message = format!("expected `x` between sizes, found `{}` in `{written}`", excerpt(after));
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
                }
            }
        }
    }

    /// `<128x64xf16, ATTR, …>` after `tensor`, `!ttg.memdesc` or `!tt.tensordesc`.
    pub(super) fn shaped(&mut self, kind: ShapedKind, older: bool) -> Result<ShapedType> {
        let memory = kind == ShapedKind::Memory;
        if !self.at(TokenKind::OpenAngle) {
            return Err(self.expected("`<` and a shape"));
        }
        let open = self.enter()?;
        let nested = self.text_from(self.token.span).strip_prefix("tensor").is_some_and(|rest| rest.starts_with('<'));
        if kind == ShapedKind::Descriptor && nested {
            // The older form: the descriptor of a tensor type.
            self.advance();
            let inner = self.shaped(ShapedKind::Tensor, false)?;
            self.leave(open, TokenKind::CloseAngle, "`>`")?;
            return Ok(ShapedType { kind, older: true, ..inner });
        }
        let (shape, element) = self.shape_and_element()?;
        let encoding = match self.eat(TokenKind::Comma) {
            true if self.at(TokenKind::Mlir) => Some(self.attribute()?),
            true => return Err(self.expected("an attribute such as `#ttg.blocked<{…}>`")),
            false => None,
        };
        let mut rest = Vec::new();
        while memory && encoding.is_some() && self.eat(TokenKind::Comma) {
            rest.push(self.datum()?);
        }
        self.leave(open, TokenKind::CloseAngle, if memory { "`,` or `>`" } else { "`>`" })?;
        Ok(ShapedType { kind, older, shape, element, encoding, rest })
    }

    fn shape_and_element(&mut self) -> Result<(Vec<i64>, String)> {
        const WANTED: &str = "a shape and a type such as `128x64xf16`";
        let first = self.token.span;
        self.count_leaf(first)?;
        if self.at(TokenKind::Question) {
            return Err(self.expected("a size").with_help("only a shape that is known has a layout"));
        }
        if self.at(TokenKind::Mlir) {
            return Ok((Vec::new(), self.pointer()?));
        }
        if self.eat(TokenKind::Number) && !self.follows_at(first.end) {
            let found = self.found();
            let message = format!("expected {WANTED}, found {found} after `{}`", excerpt(first.of(self.text())));
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, self.token.span, message));
        }
        let whole = first.join(self.token.span);
        self.require(TokenKind::Word, WANTED)?;
        match self.sizes(whole)? {
            (shape, Some("")) if self.at(TokenKind::Mlir) => Ok((shape, self.pointer()?)),
            (_, Some("") | None) => Err(self.expected("the type of an element, as in `128x64xf16`")),
            (shape, Some(element)) => Ok((shape, element.to_owned())),
        }
    }

    /// `!tt.ptr<f16>` or `!tt.ptr<f16, 3>`, without the space.
    fn pointer(&mut self) -> Result<String> {
        let mut text = self.token.span.of(self.text()).to_owned();
        if !text.starts_with("!t") {
            return Err(self.expected("the type of an element, such as `f16` or `!tt.ptr<f16>`"));
        }
        self.advance();
        if !self.at(TokenKind::OpenAngle) {
            return Ok(text);
        }
        let open = self.enter()?;
        let element = self.name("the type that the pointer points at")?;
        text.push('<');
        text.push_str(&element.text);
        if self.eat(TokenKind::Comma) {
            text.push_str(&format!(", {}", self.index("an address space")?));
        }
        self.leave(open, TokenKind::CloseAngle, "`>`")?;
        text.push('>');
        Ok(text)
    }

    /// `<{name=[…], …}, out=[name:size, …]>` after `linear`.
    pub(super) fn linear(&mut self) -> Result<LinearText> {
        let open = self.enter()?;
        if !self.at(TokenKind::OpenCurly) {
            return Err(self.expected("`{` and the in dims, as in `linear<{lane=[[1]]}, out=[dim0:2]>`"));
        }
        let ins = self.entries(TokenKind::CloseCurly, "another in dim", |cursor| {
            let name = cursor.name("an in dim such as `lane`")?;
            cursor.require(TokenKind::Equals, "`=`")?;
            cursor.at_list("the list of bases")?;
            Ok((name, cursor.entries(TokenKind::CloseSquare, "another basis", Self::basis_values)?))
        })?;
        let mut outs = None;
        if self.eat(TokenKind::Comma) {
            if self.token.span.of(self.text()) != "out" {
                return Err(self.expected("`out`, as in `out=[dim0:2, dim1:4]`"));
            }
            self.advance();
            self.require(TokenKind::Equals, "`=`")?;
            self.at_list("the list of out dims")?;
            outs = Some(self.entries(TokenKind::CloseSquare, "another out dim", |cursor| {
                let name = cursor.name("an out dim such as `dim0:2`")?;
                cursor.require(TokenKind::Colon, "`:` and the size of the out dim")?;
                cursor.count_leaf(name.span)?;
                Ok((name, cursor.integer("the size of the out dim")?))
            })?);
        }
        self.leave(open, TokenKind::CloseAngle, "`, out=[…]` or `>`")?;
        Ok(LinearText { ins, outs })
    }

    /// `[0,1]`, or a number where there is one out dim.
    fn basis_values(&mut self) -> Result<Basis> {
        let start = self.token.span.start;
        let values = if self.at(TokenKind::OpenSquare) {
            self.entries(TokenKind::CloseSquare, "another value", Self::counted)?
        } else {
            vec![self.counted()?]
        };
        Ok(Basis { values, span: Span::new(start, self.consumed) })
    }

    fn counted(&mut self) -> Result<i64> {
        self.count_leaf(self.token.span)?;
        self.integer("a basis such as `[0,1]`")
    }

    fn at_list(&self, what: &str) -> Result<()> {
        if self.at(TokenKind::OpenSquare) { Ok(()) } else { Err(self.expected(&format!("`[` and {what}"))) }
    }

    /// A word that names something; here `o` is a word like any other.
    pub(super) fn name(&mut self, what: &str) -> Result<Name> {
        let span = self.token.span;
        if self.eat(TokenKind::Text) {
            return Ok(self.quoted(span));
        }
        if !self.eat(TokenKind::Compose) {
            self.require(TokenKind::Word, what)?;
        }
        Ok(Name { text: span.of(self.text()).to_owned(), span })
    }
}
