//! From text to a syntax tree: one pass, one token of lookahead.
//!
//! Operators need no recursion: [`Pending`] keeps what waits for its right hand
//! side, one slot for each level of binding strength. Brackets recurse, and nest
//! at most [`MAX_DEPTH`] deep, so the stack is bounded for any text; so is the
//! tree, and with it the recursion that prints or drops it.

use super::cursor::{Cursor, Result, closed, closer, excerpt, too_large};
use super::dialects::{Dialect, INSTRUCTION, Reading, instruction, is_strided_memref, printed_tensor};
use super::element_type::is_xla_type;
use super::lexer::{Token, TokenKind};
use super::marks::plain;
use super::pending::Pending;
use super::spellings::is_pointer;
use super::{Expr, ExprKind, Ints, MAX_DEPTH, Name, ShapedKind, Span, SyntaxError, XlaText, code, is_bare_name};
use crate::index::{Affine, Expression, OffsetExpression};
use crate::sharding::PRINTS;
use crate::xla::mosaic::read_memref;
use crate::xla::{Dim, Shape, read_bare, read_shape};

/// Reads a whole text as one expression, with integers spelled as `ints` says.
///
/// # Errors
///
/// A [`SyntaxError`] with one of the codes in [`code`] when the text is not in
/// the notation (see the [module page](super) for what is).
///
/// ```
/// use bitstride::notation::{ExprKind, Ints, parse};
///
/// let tree = parse("4:1@0+1@1", Ints::Plain)?;
/// assert!(matches!(tree.kind, ExprKind::Pair { .. }));
/// let tree = parse("4:1+7", Ints::Plain)?;
/// assert!(matches!(tree.kind, ExprKind::Sum(_)));
/// # Ok::<(), bitstride::notation::SyntaxError>(())
/// ```
pub fn parse(text: &str, ints: Ints) -> std::result::Result<Expr, SyntaxError> {
    read(text, ints).map(|reading| reading.tree)
}

/// Reads a text as [`parse`] does, and says which other systems' spellings it uses.
///
/// # Errors
///
/// As [`parse`].
///
/// ```
/// use bitstride::notation::{Dialect, Ints, read};
///
/// let reading = read("make_layout(make_shape(_8{}, Int<64>{}), LayoutRight{})", Ints::Plain)?;
/// assert_eq!(reading.tree.to_string(), "row_major((8,64))");
/// assert_eq!(reading.dialects, [Dialect::CuteCpp]);
/// # Ok::<(), bitstride::notation::SyntaxError>(())
/// ```
pub fn read(text: &str, ints: Ints) -> std::result::Result<Reading, SyntaxError> {
    let plain = plain(text);
    let has_offsets = OffsetExpression::may_be_in(&plain);
    let mut cursor = Cursor::new(&plain, text, ints);
    cursor.has_offsets = has_offsets;
    let first = cursor.whole();
    // What is static only shows at the end of the text.
    let mixed = ints == Ints::Plain && cursor.cpp.statics && cursor.cpp.bare;
    let tree = match first {
        Ok(_) if mixed => {
            cursor = Cursor::new(&plain, text, ints);
            cursor.cpp.dynamic = true;
            cursor.has_offsets = has_offsets;
            cursor.whole()
        }
        first => first,
    };
    match tree {
        Ok(tree) => Ok(Reading { tree, dialects: cursor.dialects, mixed, remarks: cursor.remarks }),
        Err(mut error) => {
            // Another reader may point into a character that it knows as several.
            error.span = Span::new(text.floor_char_boundary(error.span.start), text.ceil_char_boundary(error.span.end));
            Err(*error)
        }
    }
}

const OPERAND: &str = "an integer, a tuple, a layout or a call";
const BARE_LAYOUT: &str = "a layout without its array is written {1,0:T(8,128)} by XLA and \
    Layout(major_to_minor=(0, 1), tiling=((8, 128),)) by JAX; a layout of CuTe is written (4,2):(2,1)";

impl Cursor<'_> {
    /// The whole text: an expression, or two with `==` between them, perhaps after `law`; perhaps a `;` at the end.
    fn whole(&mut self) -> Result<Expr> {
        if self.is_printed_linear() {
            return self.printed_linear();
        }
        if let Some(result) = self.mosaic_operation() {
            return self.mosaic_line(&result);
        }
        if let Some(start) = self.mlir_operation() {
            return self.mlir_line(start);
        }
        if let Some(shape) = self.hlo_instruction() {
            return self.hlo_line(shape);
        }
        self.check_signature()?;
        if let Some(tensor) = self.named_strides()? {
            return self.ended(tensor);
        }
        self.label();
        if self.is_annotation() {
            let quotes = self.token.span;
            let mut inner = self.within(quotes.start.saturating_add(1), quotes.end.saturating_sub(1));
            let tree = inner.whole()?;
            self.left(inner);
            self.advance();
            return self.ended(tree);
        }
        self.declaration()?;
        let law = self.law_word();
        let mut expr = if self.is_pattern() { self.pattern()? } else { self.expression()? };
        if self.sizes > 0 {
            expr = printed_tensor(expr);
        }
        if let ExprKind::Xla(text) = &expr.kind {
            let is_plain = self.at(TokenKind::OpenSquare) && !expr.span.of(self.text()).contains('{');
            match plain_sizes(&text.shape).filter(|_| is_plain) {
                Some(sizes) => expr = self.annotated_strides(sizes, expr.span)?,
                None => self.behind_shape(),
            }
        }
        if let Some(name) = law {
            expr = self.law(name, expr)?;
        } else if self.at(TokenKind::Same) {
            let name = Name { text: "same".to_owned(), span: self.token.span };
            self.advance();
            let right = self.expression()?;
            let span = expr.span.join(right.span);
            expr = Expr::new(ExprKind::Call { name, modes: None, arguments: vec![expr, right] }, span);
        }
        self.ended(expr)
    }

    /// Whether `"f32[8, 64][64, 1]cuda:0"` is at hand, as graphs of PyTorch say of a tensor.
    fn is_annotation(&self) -> bool {
        let text = self.token.span.of(self.text()).trim_start_matches(['"', '\'']);
        let name = crate::text::word(text);
        self.at(TokenKind::Text) && is_xla_type(name) && text.contains("][") && !text.contains('{')
    }

    /// Steps over `tCsA : ` before what CuTe prints, as programs label their prints.
    fn label(&mut self) {
        let span = self.token.span;
        let Some(rest) = self.text_after(span).trim_start().strip_prefix(':') else { return };
        if rest.starts_with(':') {
            return;
        }
        let rest = rest.trim_start();
        let printed = [("Sw", '<'), ("S", '<'), ("ArithTuple", '('), ("raw_ptr", '('), ("Tensor", '<')];
        let is_print = printed
            .iter()
            .any(|(start, open)| rest.strip_prefix(start).is_some_and(|rest| rest.trim_start().starts_with(*open)))
            || is_pointer(rest) && rest.contains('[')
            || rest.starts_with('"') && rest.contains("][")
            || has_colon(rest);
        if self.at(TokenKind::Word) && is_print && span.of(self.text()) != "different" {
            self.advance();
            self.advance();
        }
    }

    /// A whole text that has been read, where nothing follows but a `;` or a comment.
    fn ended(&mut self, expr: Expr) -> Result<Expr> {
        // `const Layout<…> &`, as compilers print the types of parameters.
        while self.dialects.contains(&Dialect::CuteCpp) && matches!(self.token.span.of(self.text()), "&" | "const") {
            self.advance();
        }
        self.eat(TokenKind::Semicolon);
        if self.at(TokenKind::End) || self.is_comment() {
            Ok(expr)
        } else {
            let error = self.expected("an operator or the end of the text");
            let called = match &expr.kind {
                ExprKind::Call { name, .. } => name.text.as_str(),
                _ => "",
            };
            Err(match self.token.kind {
                TokenKind::Comma => error.with_help("a tuple stands in brackets, as in `(8,64):(64,1)`"),
                TokenKind::OpenCurly if is_xla_type(called) => {
                    error.with_help(format!("XLA writes the dims in square brackets, as in `{called}[3,5]{{1,0}}`"))
                }
                _ => error,
            })
        }
    }

    /// The word `law`, where the call whose law is meant stands after it.
    fn law_word(&mut self) -> Option<Name> {
        let span = self.token.span;
        let after = self.text_after(span);
        let is_law = self.at(TokenKind::Word)
            && span.of(self.text()) == "law"
            && after.starts_with(char::is_whitespace)
            && after.trim_start().starts_with(|c: char| c.is_ascii_lowercase());
        is_law.then(|| {
            self.advance();
            Name { text: "law".to_owned(), span }
        })
    }

    /// `law op(A, B)` is `law(op, A, B)`, and `law op(A, B) == R` is `obeys(R, op, A, B)`.
    fn law(&mut self, mut name: Name, call: Expr) -> Result<Expr> {
        let ExprKind::Call { name: operation, modes: None, mut arguments } = call.kind else {
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, call.span, "`law` needs a call of an operation")
                .with_help("for example law composition((6,2):(8,2), (4,3):(3,1))"));
        };
        let mut span = name.span.join(call.span);
        arguments.insert(0, Expr::new(ExprKind::Name(operation.clone()), operation.span));
        if self.eat(TokenKind::Same) {
            let answer = self.expression()?;
            span = span.join(answer.span);
            arguments.insert(0, answer);
            name.text = "obeys".to_owned();
        }
        Ok(Expr::new(ExprKind::Call { name, modes: None, arguments }, span))
    }

    /// What stands between two brackets or commas.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        if let Some(offsets) = self.offset_expression()? {
            return Ok(offsets);
        }
        let mut pending = Pending::default();
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
            loop {
                let kind = self.token.kind;
                match kind {
                    TokenKind::OpenRound => self.application(&mut pending)?,
                    TokenKind::Colon if self.member_type() => {}
                    TokenKind::Dot => self.methods(&mut pending)?,
                    TokenKind::OpenSquare if pending.factors.last().is_some_and(super::dialects::is_tensor) => {
                        self.methods(&mut pending)?;
                    }
                    _ => break,
                }
            }
            self.place(&mut pending)?;
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

    /// Puts a layout or a chain, which another spelling makes of one operand, where its canonical text has it.
    fn place(&mut self, pending: &mut Pending) -> Result<()> {
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
    fn factor(&mut self, factors: &mut Vec<Expr>) -> Result<()> {
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

    fn second_colon(&self) -> Box<SyntaxError> {
        self.expected("an operator other than `:`")
            .with_help("a layout is one shape and one stride, both tuples when it has several modes: `(4,2):(2,1)`")
    }

    /// `value @ index @ index …`
    fn basis(&mut self, value: Expr) -> Result<Expr> {
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

    pub(super) fn operand(&mut self) -> Result<Expr> {
        let token = self.token;
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
        Ok(tree)
    }

    /// What begins with a word, of which `scope` is where its namespace belongs.
    fn word_of(&mut self, scope: Option<Dialect>) -> Result<Expr> {
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

    /// Whether `(d0, d1) -> (` is at hand, an affine map without the word before it.
    fn is_bare_affine(&self) -> bool {
        let inner = self.text_after(self.token.span);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ',' || c.is_whitespace();
        let behind = inner.trim_start_matches(is_name).strip_prefix(')').unwrap_or_default().trim_start();
        let result = behind.strip_prefix("->").unwrap_or_default().trim_start();
        inner.trim_start().starts_with(|c: char| c.is_ascii_alphabetic()) && result.starts_with('(')
    }

    /// An affine map of MLIR.
    fn affine(&mut self, start: Span) -> Result<Expr> {
        let (affine, length) =
            Affine::read_start(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        self.read_elsewhere(ExprKind::Affine(Box::new(affine)), start, length)
    }

    /// An index expression, where the name and what follows it begin ranges.
    fn index_expression(&mut self, word: &str, start: Span) -> Result<Expr> {
        let read = Expression::read_start(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        match read {
            Some((expression, length)) => self.read_elsewhere(ExprKind::Index(Box::new(expression)), start, length),
            None => self.named(word, start),
        }
    }

    /// Index code that begins with the range of an index of CUDA; such an index alone has no value.
    fn thread_index(&mut self, start: Span) -> Result<Expr> {
        let read = Expression::read_start(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        if let Some((expression, length)) = read {
            return self.read_elsewhere(ExprKind::Index(Box::new(expression)), start, length);
        }
        self.advance();
        let span = start.join(self.token.span);
        let message = format!("`{}` is known when the program runs", span.of(self.text()));
        Err(SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(
            "index code begins with the range of each variable: `threadIdx.x<128, i<4: (threadIdx.x / 8) * 32 + i`",
        ))
    }

    /// A tensor over devices, whose sharding is read in its own grammar: up to the bracket that closes the call, and the mesh
    /// that PyTorch prints behind `Spec(…)`.
    fn shard(&mut self, word: &str, start: Span) -> Result<Expr> {
        let text = Span::new(start.start, self.text().len()).of(self.text());
        let Some(mut length) = closed(text) else {
            let message = format!("this `{word}(` is never closed: expected `)` before the end of the text");
            return Err(SyntaxError::new(code::UNBALANCED, start, message));
        };
        let behind = text.get(length..).unwrap_or_default();
        if word == "Spec" && ["on DeviceMesh", "@ mesh:"].iter().any(|mesh| behind.trim_start().starts_with(mesh)) {
            length = length.saturating_add(closed(behind).unwrap_or(0));
        }
        match word {
            "shard" => {}
            "NamedSharding" => self.spelled(Dialect::Jax),
            _ => self.spelled(Dialect::Torch),
        }
        let print = text.get(..length).unwrap_or_default();
        let is_of_jax = |(at, _): (usize, &str)| !print.get(..at).is_some_and(|before| before.ends_with("Device"));
        if print.contains("DeviceMesh((") || print.match_indices("Mesh('").any(is_of_jax) {
            self.remark("the devices of a mesh that is printed by its sizes are in order here");
        }
        let kind = ExprKind::Shard(Span::new(0, length).of(text).to_owned());
        self.read_elsewhere(kind, start, length)
    }

    /// What a verdict says in words, up to the end of the text.
    fn verdict(&mut self, start: Span) -> Result<Expr> {
        let words = Span::new(self.token.span.end, self.text().len()).of(self.text()).trim().to_owned();
        let length = self.text().len().saturating_sub(start.start);
        self.read_elsewhere(ExprKind::Verdict(words), start, length)
    }

    /// A shape of XLA, which has a grammar of its own.
    pub(super) fn xla(&mut self, start: Span) -> Result<Expr> {
        let (shape, length, folded) =
            read_shape(self.text_from(start), true).map_err(|error| SyntaxError::within(&error, start))?;
        let text = Box::new(XlaText { shape, folded });
        self.read_elsewhere(ExprKind::Xla(text), start, length)
    }

    pub(super) fn text_after(&self, span: Span) -> &str {
        Span::new(span.end, self.text().len()).of(self.text())
    }

    /// An array as Mosaic writes it, or a buffer as MLIR does, whose layout is no attribute of Mosaic.
    fn memref(&mut self, start: Span) -> Result<Expr> {
        if is_strided_memref(self.text_from(start)) {
            return self.strided_memref(start);
        }
        let (memref, length) =
            read_memref(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        self.read_elsewhere(ExprKind::MemRef(Box::new(memref)), start, length)
    }

    /// Whether `{mhlo.layout_mode = …}` or the like is at hand.
    fn is_attribute_list(&self) -> bool {
        let inside = self.text_after(self.token.span).trim_start();
        ["mhlo.layout_mode", "xla_shape", "operand_layouts", "result_layouts"]
            .iter()
            .any(|name| inside.starts_with(name))
    }

    /// A layout of XLA or JAX without its array.
    pub(super) fn bare_layout(&mut self, start: Span) -> Result<Expr> {
        let (layout, length) = read_bare(self.text_from(start)).map_err(|error| {
            let within = SyntaxError::within(&error, start);
            match within.help {
                None => within.with_help(BARE_LAYOUT),
                Some(_) => within,
            }
        })?;
        self.read_elsewhere(ExprKind::BareLayout(Box::new(layout)), start, length)
    }

    pub(super) fn text_from(&self, start: Span) -> &str {
        Span::new(start.start, self.text().len()).of(self.text())
    }

    /// The leaf that another reader made of a given number of bytes.
    pub(super) fn read_elsewhere(&mut self, kind: ExprKind, start: Span, length: usize) -> Result<Expr> {
        self.skip_to(start.start.saturating_add(length));
        self.leaf(kind, Span::new(start.start, self.consumed))
    }

    /// What begins with `#` or `!`: an attribute, or the type of a piece of memory.
    fn mlir(&mut self) -> Result<Expr> {
        let span = self.token.span;
        if span.of(self.text()).starts_with("!cute.") {
            return self.cute_type();
        }
        if matches!(span.of(self.text()), "#tpu.vpad" | "#tpu.tiled") {
            return self.bare_layout(span);
        }
        let memory = match span.of(self.text()) {
            "!ttg.memdesc" => Some((ShapedKind::Memory, false)),
            "!tt.memdesc" | "!triton_gpu.memdesc" => Some((ShapedKind::Memory, true)),
            "!tt.tensordesc" => Some((ShapedKind::Descriptor, false)),
            _ => None,
        };
        if let Some((kind, older)) = memory {
            self.advance();
            return self.shaped_type(kind, older, span);
        }
        if span.of(self.text()).starts_with('!') {
            return Err(self
                .expected("a tensor type, `!ttg.memdesc<…>` or `!tt.tensordesc<…>`")
                .with_help("of the types, those have a layout: `tensor<128x64xf16, #ttg.blocked<{…}>>`"));
        }
        let attribute = Box::new(self.attribute()?);
        Ok(Expr::new(ExprKind::Attribute(attribute), Span::new(span.start, self.consumed)))
    }

    fn shaped_type(&mut self, kind: ShapedKind, older: bool, start: Span) -> Result<Expr> {
        let shaped = Box::new(self.shaped(kind, older)?);
        Ok(Expr::new(ExprKind::Shaped(shaped), Span::new(start.start, self.consumed)))
    }

    fn is_in_modes(&self) -> bool {
        self.open.iter().any(|open| open.kind == TokenKind::OpenSquare)
    }

    /// `[mode,…](argument,…)` after the name.
    fn call(&mut self, name: &str, name_span: Span) -> Result<Expr> {
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

    /// Whether an array is in the brackets after `b`, so that it is a buffer of XLA and no call of a value that is named so.
    fn is_buffer(&self) -> bool {
        let inside = self.text_from(self.token.span).trim_start_matches(|c: char| c == '(' || c.is_whitespace());
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
        let (word, after) = inside.split_at_checked(end).unwrap_or_default();
        is_xla_type(word) && after.trim_start().starts_with('[')
    }

    /// The divisibility that may follow `?` or a name.
    fn unknown(&mut self, name: Option<&str>, start: Span) -> Result<Expr> {
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

    fn swizzle_token(&mut self, kind: TokenKind, start: Span) -> Result<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.bad_swizzle(start)) }
    }

    fn bad_swizzle(&self, start: Span) -> Box<SyntaxError> {
        SyntaxError::new(
            code::BAD_SWIZZLE,
            start.join(self.token.span),
            format!("a swizzle is `Sw<bits,base,shift>` with three integers, found {} instead", self.found()),
        )
    }

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

    /// Steps over the partner of a bracket behind an entry of a list.
    pub(super) fn leave_list(&mut self, open: Token, close: TokenKind) -> Result<()> {
        let is_next = matches!(
            self.token.kind,
            TokenKind::Number | TokenKind::CppNumber | TokenKind::Word | TokenKind::Semicolon | TokenKind::Equals
        );
        let left = self.leave(open, close, &format!("an operator, `,` or `{}`", closer(open.kind)));
        left.map_err(|error| if is_next { error.with_help("entries have `,` between them") } else { error })
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

/// Whether a text is a tuple with a colon behind it, which behind another colon no layout has.
fn has_colon(text: &str) -> bool {
    let behind = text.starts_with('(').then(|| closed(text)).flatten().and_then(|end| text.get(end..));
    behind.is_some_and(|rest| rest.trim_start().starts_with(':') && !rest.trim_start().starts_with("::"))
}

/// The sizes of an array, where they are numbers.
fn plain_sizes(shape: &Shape) -> Option<Vec<i64>> {
    let Shape::Array(array) = shape else { return None };
    let size = |dim: &Dim| match dim {
        Dim::Static(size) => Some(*size),
        _ => None,
    };
    array.dims.iter().map(size).collect()
}
