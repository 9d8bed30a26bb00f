//! [`Cursor`]: a place in the tokens of a text, with what the grammar asks of it
//! at every turn: is this token there, which integer is it, what to say when
//! something else was expected.

use super::attribute::DatumKind;
use super::dialect::{CppNumbers, Dialect};
use super::lexer::{Lexer, Token, TokenKind};
use super::{Expr, ExprKind, Ints, MAX_LEAVES, Span, SyntaxError, code};

/// The error is boxed because these results travel through every level of the
/// nesting, where stack is what limits the depth.
pub(super) type Result<T> = std::result::Result<T, Box<SyntaxError>>;

/// What a name stands for where a datum may stand, if it is bound, and how many leaves that has.
pub type BoundNames<'n> = dyn Fn(&str, Span) -> Option<(DatumKind, usize)> + 'n;

pub(super) struct Cursor<'t> {
    lexer: Lexer<'t>,
    pub(super) token: Token,
    /// Where the token before `token` ends.
    pub(super) consumed: usize,
    pub(super) ints: Ints,
    /// The brackets that are open here, outermost first.
    pub(super) open: Vec<Token>,
    leaves: usize,
    /// Of which other systems a spelling was read, in order.
    pub(super) dialects: Vec<Dialect>,
    /// How many such spellings were read.
    pub(super) spellings: usize,
    pub(super) cpp: CppNumbers,
    /// Where texts of tensors begin, and the library that makes them: PyTorch or NumPy.
    pub(super) makers: Vec<(usize, Dialect)>,
    /// Where texts begin in which a method stands that only one library has, and which one.
    pub(super) method_owners: Vec<(usize, Dialect)>,
    /// The libraries of tensors whose modules the text names.
    pub(super) modules: Vec<Dialect>,
    /// How many sizes of PyTorch, as `torch.Size([2, 3])`, were read.
    pub(super) sizes: usize,
    /// Whether an offset in braces was read in the expression at hand.
    pub(super) braced: bool,
    /// What was read and left out.
    pub(super) remarks: Vec<&'static str>,
    /// Whether the text may hold offsets of Triton's Python.
    pub(super) has_offsets: bool,
    /// The names that are bound.
    pub(super) names: Option<&'t BoundNames<'t>>,
}

impl<'t> Cursor<'t> {
    /// At the start of a text in plain marks; `typed` is the text that the spans are about.
    pub(super) fn new(text: &'t str, typed: &'t str, ints: Ints) -> Self {
        let mut lexer = Lexer::new(text, typed);
        let token = lexer.token();
        Cursor {
            lexer,
            token,
            consumed: 0,
            ints,
            open: Vec::new(),
            leaves: 0,
            dialects: Vec::new(),
            spellings: 0,
            cpp: CppNumbers::default(),
            makers: Vec::new(),
            method_owners: Vec::new(),
            modules: Vec::new(),
            sizes: 0,
            braced: false,
            remarks: Vec::new(),
            has_offsets: false,
            names: None,
        }
    }

    /// The text in plain marks.
    pub(super) fn text(&self) -> &'t str {
        self.lexer.text()
    }

    /// A cursor over the first `end` bytes of the text, at `start`, which goes on counting with this one.
    pub(super) fn within(&mut self, start: usize, end: usize) -> Cursor<'t> {
        let typed = self.lexer.typed();
        let (text, typed) = (Span::new(0, end).of(self.text()), Span::new(0, end).of(typed));
        let mut inner = Cursor::new(text, typed, self.ints);
        inner.lexer.enter(start);
        inner.token = inner.lexer.token();
        inner.consumed = start;
        inner.open.clone_from(&self.open);
        inner.leaves = self.leaves;
        inner.has_offsets = self.has_offsets;
        inner.names = self.names;
        inner
    }

    /// Takes over what a cursor within this one has counted.
    pub(super) fn left(&mut self, inner: Cursor<'t>) {
        self.leaves = inner.leaves;
        self.remarks.extend(inner.remarks);
        self.cpp = inner.cpp;
        self.makers.extend(inner.makers);
        self.method_owners.extend(inner.method_owners);
        self.modules.extend(inner.modules);
        for dialect in inner.dialects {
            self.spelled(dialect);
        }
    }

    /// A plain integer that is no value: inside `Sw<…>` or `{div=…}`.
    pub(super) fn integer(&mut self, what: &str) -> Result<i64> {
        let minus = self.token.span;
        let minus = self.eat(TokenKind::Minus).then_some(minus);
        self.need_digits(what)?;
        self.signed(minus)
    }

    /// A mode index: a plain integer without a sign.
    pub(super) fn index(&mut self, what: &str) -> Result<usize> {
        self.need_digits(what)?;
        let span = self.token.span;
        // The limit is the same on every machine.
        let Some(index) = span.of(self.text()).parse::<u32>().ok().and_then(|index| usize::try_from(index).ok()) else {
            let written = excerpt(span.of(self.text()));
            let message = format!("the mode index `{written}` is above {}", u32::MAX);
            return Err(SyntaxError::new(code::INTEGER_TOO_LARGE, span, message));
        };
        self.advance();
        Ok(index)
    }

    fn need_digits(&self, what: &str) -> Result<()> {
        match self.token.kind {
            TokenKind::Number => Ok(()),
            TokenKind::CppNumber => Err(self.cpp_integer(false)),
            _ => Err(self.expected(what)),
        }
    }

    /// The value of the number at hand, negative when a minus sign was read.
    pub(super) fn signed(&mut self, minus: Option<Span>) -> Result<i64> {
        let digits = self.token.span;
        let magnitude: Option<u64> = digits.of(self.text()).parse().ok();
        let value = magnitude.and_then(|magnitude| match minus {
            Some(_) => 0_i64.checked_sub_unsigned(magnitude),
            None => i64::try_from(magnitude).ok(),
        });
        self.advance();
        value.ok_or_else(|| too_large(self.text(), minus.map_or(digits, |minus| minus.join(digits))))
    }

    pub(super) fn leaf(&mut self, kind: ExprKind, span: Span) -> Result<Expr> {
        self.count_leaf(span)?;
        Ok(Expr::new(kind, span))
    }

    pub(super) fn count_leaf(&mut self, span: Span) -> Result<()> {
        self.count_leaves(1, span)
    }

    pub(super) fn count_leaves(&mut self, leaves: usize, span: Span) -> Result<()> {
        if leaves > MAX_LEAVES.saturating_sub(self.leaves) {
            let message = format!("an expression has at most {MAX_LEAVES} leaves, this is one more");
            return Err(SyntaxError::new(code::TOO_LONG, span, message));
        }
        self.leaves += leaves;
        Ok(())
    }

    /// The text behind a place.
    pub(super) fn text_after(&self, span: Span) -> &str {
        Span::new(span.end, self.text().len()).of(self.text())
    }

    /// The text from the start of a place on.
    pub(super) fn text_from(&self, start: Span) -> &str {
        Span::new(start.start, self.text().len()).of(self.text())
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn require(&mut self, kind: TokenKind, what: &str) -> Result<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.expected(what)) }
    }

    pub(super) fn advance(&mut self) {
        self.consumed = self.token.span.end;
        self.token = self.lexer.token();
    }

    /// Goes on behind an operand that another reader has read.
    pub(super) fn skip_to(&mut self, end: usize) {
        self.consumed = self.lexer.resume(end);
        self.token = self.lexer.token();
    }

    /// The token at hand is not `what` is expected here.
    pub(super) fn expected(&self, what: &str) -> Box<SyntaxError> {
        let Token { kind, span } = self.token;
        let found = self.found();
        if kind == TokenKind::End {
            let message = format!("expected {what}, found {found}");
            return SyntaxError::new(code::UNEXPECTED_END, span, message);
        }
        if kind == TokenKind::Stray && matches!(span.of(self.text()), "\"" | "'") {
            let message = format!("this {found} is never closed: expected {what}");
            return SyntaxError::new(code::UNEXPECTED_TOKEN, span, message);
        }
        let message = match self.open.last() {
            None if is_closer(kind) => format!("{found} closes no bracket: expected {what}"),
            Some(open) if is_closer(kind) && closer(open.kind) != span.of(self.text()).trim() => format!(
                "{found} does not close the `{}` at byte {}, `{}` does: expected {what}",
                open.span.of(self.text()).trim(),
                open.span.start,
                closer(open.kind)
            ),
            _ => {
                let message = format!("expected {what}, found {found}");
                return SyntaxError::new(code::UNEXPECTED_TOKEN, span, message);
            }
        };
        SyntaxError::new(code::UNBALANCED, span, message)
    }

    /// `_5` is at hand where `5` is expected. It would be read if integers were
    /// spelled as in C++ when it is a `value`, otherwise it would not either.
    pub(super) fn cpp_integer(&self, value: bool) -> Box<SyntaxError> {
        let span = self.token.span;
        let written = excerpt(span.of(self.text()));
        let plain = written.trim_start_matches('_');
        let message = format!("expected a plain integer, found the C++ spelling `{written}`");
        let help = if value {
            format!("write `{plain}`, or use `--ints cpp` to read the C++ spelling")
        } else {
            format!("write `{plain}`: this number is plain in the C++ spelling too")
        };
        SyntaxError::new(code::CPP_INTEGER, span, message).with_help(help)
    }

    /// The token at hand, for a message.
    pub(super) fn found(&self) -> String {
        let written = self.token.span.of(self.text());
        match self.token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Stray => match written.chars().next() {
                Some(c) if !c.is_ascii_graphic() => {
                    format!("`{}` (U+{:04X})", c.escape_debug(), u32::from(c))
                }
                _ => format!("`{written}`"),
            },
            _ => format!("`{}`", excerpt(written)),
        }
    }
}

pub(super) fn too_large(text: &str, span: Span) -> Box<SyntaxError> {
    let message =
        format!("`{}` is out of range: integers run from {} to {}", excerpt(span.of(text)), i64::MIN, i64::MAX);
    SyntaxError::new(code::INTEGER_TOO_LARGE, span, message)
}

fn is_closer(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::CloseRound | TokenKind::CloseAngle | TokenKind::CloseSquare | TokenKind::CloseCurly)
}

pub(super) fn closer(open: TokenKind) -> &'static str {
    match open {
        TokenKind::OpenAngle => ">",
        TokenKind::OpenSquare => "]",
        TokenKind::OpenCurly => "}",
        _ => ")",
    }
}

/// The beginning of a text that may be long, for a message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 24;
    let text = text.trim();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", Span::new(0, end).of(text)),
        None => text.to_owned(),
    }
}

/// How many bytes a text has up to the bracket that closes its first one; quotes may hold brackets.
pub(super) fn closed(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' if quote.is_some() => escaped = true,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
