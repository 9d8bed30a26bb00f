//! [`Tokens`]: a place in the tokens of a shape, with what the grammar asks of it at every turn.

use super::ElementType;
use super::lexer::{Lexer, Token, TokenKind};
use crate::error::{Code, Error};
use crate::text::{Span, code};

/// What stands before `[`.
pub(super) enum TypeName {
    Element(ElementType),
    Token,
    Opaque,
}

/// A place in the tokens of a text.
pub(super) struct Tokens<'t> {
    pub(super) lexer: Lexer<'t>,
    pub(super) token: Token,
    /// Where the token before `token` ends.
    pub(super) consumed: usize,
    pub(super) depth: usize,
    pub(super) fold_case: bool,
    pub(super) folded: bool,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        let mut lexer = Lexer::new(text, at);
        Tokens { token: lexer.token(), lexer, consumed: at, depth: 0, fold_case: false, folded: false }
    }

    pub(super) fn int(&mut self, what: &str) -> Result<i64, Error> {
        let TokenKind::Int(value) = self.token.kind else { return Err(self.expected(what)) };
        self.advance();
        Ok(value)
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.token.kind == TokenKind::Word && self.token.span.of(self.lexer.text()) == word
    }

    /// The token after the one at hand.
    pub(super) fn next(&self) -> TokenKind {
        Lexer::token(&mut self.lexer.clone()).kind
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn require(&mut self, sign: char, what: &str) -> Result<(), Error> {
        if self.eat(TokenKind::Sign(sign)) { Ok(()) } else { Err(self.expected(what)) }
    }

    pub(super) fn advance(&mut self) {
        self.consumed = self.token.span.end;
        self.token = self.lexer.token();
    }

    /// An error at the token at hand.
    pub(super) fn error(&self, code: &'static str, message: impl Into<String>) -> Error {
        Error::new(Code::Syntax(code), message).with_span(self.token.span)
    }

    /// The token at hand is not `what` is expected here.
    pub(super) fn expected(&self, what: &str) -> Error {
        let written = self.token.span.of(self.lexer.text());
        let found = match (self.token.kind, written.chars().next()) {
            (TokenKind::End, _) => {
                return self.error(code::UNEXPECTED_END, format!("expected {what}, found the end of the text"));
            }
            (TokenKind::OpenComment, _) => {
                return self.error(code::UNBALANCED, "this comment is never closed: `*/` is missing");
            }
            (TokenKind::TooLarge, _) => {
                let message = format!("`{}` does not fit in 64 bits", excerpt(written));
                return self.error(code::INTEGER_TOO_LARGE, message);
            }
            (TokenKind::Stray, Some(c)) if !c.is_ascii_graphic() => {
                format!("`{}` (U+{:04X})", c.escape_debug(), u32::from(c))
            }
            _ => format!("`{}`", excerpt(written)),
        };
        self.error(code::UNEXPECTED_TOKEN, format!("expected {what}, found {found}"))
    }

    pub(super) fn end(&self, what: &str) -> Result<(), Error> {
        if self.at(TokenKind::End) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// The type that the word at hand names.
    pub(super) fn type_name(&mut self) -> Option<TypeName> {
        if self.token.kind != TokenKind::Word {
            return None;
        }
        let word = self.token.span.of(self.lexer.text());
        type_of(word).or_else(|| {
            let folded = self.fold_case.then(|| type_of(&word.to_ascii_lowercase())).flatten();
            self.folded |= folded.is_some();
            folded
        })
    }
}

pub(super) fn type_of(word: &str) -> Option<TypeName> {
    match word {
        "token" => Some(TypeName::Token),
        "opaque" => Some(TypeName::Opaque),
        _ => ElementType::from_name(word).map(TypeName::Element),
    }
}

/// The beginning of a text that may be long, for a message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 48;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", Span::new(0, end).of(text)),
        None => text.to_owned(),
    }
}
