//! From text to a syntax tree: one pass, one token of lookahead.
//!
//! | file | reads |
//! |---|---|
//! | here | a whole text: what stands around an expression |
//! | [`operators`](super::operators) | operators between operands |
//! | [`operand`](super::operand) | an operand: a number, a tuple, a name, a call |
//! | [`embedded`](super::embedded) | an operand with a grammar of its own: types, shapes, shardings, index code |
//! | [`brackets`](super::brackets) | what stands between two brackets |
//!
//! Operators need no recursion. Brackets recurse, and nest at most [`MAX_DEPTH`](super::MAX_DEPTH) deep, so the stack is bounded for any text; so is
//! the tree, and with it the recursion that prints or drops it.

use super::cursor::{BoundNames, Cursor, Result, closed};
use super::dialects::{Dialect, Reading, printed_tensor};
use super::element_type::is_xla_type;
use super::lexer::TokenKind;
use super::marks::plain;
use super::spellings::is_pointer;
use super::{Expr, ExprKind, Ints, Name, Span, SyntaxError, code};
use crate::index::OffsetExpression;
use crate::xla::{Dim, Shape};

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
    read_with(text, ints, &|_, _| None)
}

/// Reads a text as [`read`] does; names among the arguments of a layout of Gluon stand for what they are bound to.
///
/// # Errors
///
/// As [`parse`].
///
/// ```
/// use bitstride::notation::{DatumKind, Ints, read_with};
///
/// let names = |name: &str, _| (name == "num_warps").then_some((DatumKind::Integer(4), 1));
/// let reading = read_with("BlockedLayout([1, 4], [8, 4], [num_warps // 2, 2], [1, 0])", Ints::Plain, &names)?;
/// assert!(reading.tree.to_string().contains("warpsPerCTA = [2, 2]"));
/// # Ok::<(), bitstride::notation::SyntaxError>(())
/// ```
pub fn read_with(text: &str, ints: Ints, names: &BoundNames<'_>) -> std::result::Result<Reading, SyntaxError> {
    let plain = plain(text);
    let has_offsets = OffsetExpression::may_be_in(&plain);
    let mut cursor = Cursor::new(&plain, text, ints);
    (cursor.has_offsets, cursor.names) = (has_offsets, Some(names));
    let first = cursor.whole();
    // What is static only shows at the end of the text.
    let mixed = ints == Ints::Plain && cursor.cpp.statics && cursor.cpp.bare;
    let tree = match first {
        Ok(_) if mixed => {
            cursor = Cursor::new(&plain, text, ints);
            cursor.cpp.dynamic = true;
            (cursor.has_offsets, cursor.names) = (has_offsets, Some(names));
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

impl Cursor<'_> {
    /// The whole text: an expression, or two with `==` between them, perhaps after `law`; perhaps a `;` at the end.
    fn whole(&mut self) -> Result<Expr> {
        if self.is_printed_linear() {
            return self.printed_linear();
        }
        if let Some(result) = self.mosaic_operation() {
            return self.mosaic_line(&result);
        }
        if let Some(copy) = self.printed_copy()? {
            return Ok(copy);
        }
        if let Some(start) = self.cute_operation() {
            return self.cute_line(start);
        }
        if let Some(value) = self.sharded_value()? {
            return Ok(value);
        }
        if let Some((start, what)) = self.mlir_operation() {
            return self.mlir_line(start, what);
        }
        self.check_elided_type()?;
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
        // The type of one of several operands or arguments.
        let rest = self.text_from(self.token.span).trim_end();
        if matches!(expr.kind, ExprKind::Shaped(_)) && matches!(rest, "," | ")" | ") {") {
            self.skip_to(self.text().len());
        }
        if self.at(TokenKind::End) || self.is_comment() {
            Ok(expr)
        } else {
            let error = self.expected("an operator or the end of the text");
            let called = match &expr.kind {
                ExprKind::Call { name, .. } => name.text.as_str(),
                _ => "",
            };
            Err(match self.token.kind {
                TokenKind::Word if self.is_crossed() => error.with_help(super::brackets::CROSSED),
                TokenKind::Comma => error.with_help("a tuple stands in brackets, as in `(8,64):(64,1)`"),
                TokenKind::OpenCurly if is_xla_type(called) => {
                    error.with_help(format!("XLA writes the dims in square brackets, as in `{called}[3,5]{{1,0}}`"))
                }
                _ => self.with_division_help(error),
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
