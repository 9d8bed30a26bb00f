//! [`Lexer`]: the tokens of a shape, cut as XLA cuts them.
//!
//! Spaces, tabs, line ends and comments (`/*…*/`, or `//` to the end of the line) separate tokens and are no tokens. A
//! word starts with a letter or `_` and goes on with letters, digits, `_`, `-` and `.`; an integer is digits, with a
//! minus sign before them or not, and what follows them at once is the next token: `128E` is `128` and `E`.

use crate::text::{Scanner, Span, run};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// `f32`, `T`, `SC`
    Word,
    /// `-8`. From 2^63 on XLA reads the 64 bits as a negative number, and so does this.
    Int(i64),
    /// Digits that say a number that 64 bits do not hold.
    TooLarge,
    /// `<=`
    AtMost,
    /// One of `, : * # + ~ ? [ ] { } ( )`.
    Sign(char),
    /// `/*` that is never closed.
    OpenComment,
    /// A character that starts no token, or stands in no comment (NUL).
    Stray,
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The tokens of a text, one [`Lexer::token`] at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    scanner: Scanner<'t>,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        let mut scanner = Scanner::new(text);
        scanner.at = at;
        Lexer { scanner }
    }

    /// The whole text.
    pub(super) fn text(&self) -> &'t str {
        self.scanner.text()
    }

    /// The next token; the end of the text again and again when there is none.
    pub(super) fn token(&mut self) -> Token {
        let broken = self.skip_blanks();
        let (kind, length) = broken.unwrap_or_else(|| cut(self.scanner.rest()));
        let start = self.scanner.at;
        self.scanner.at = start.saturating_add(length);
        Token { kind, span: Span::new(start, self.scanner.at) }
    }

    /// Goes to the next token, or says which token a broken comment is.
    fn skip_blanks(&mut self) -> Option<(TokenKind, usize)> {
        loop {
            let tail = self.scanner.rest();
            let length = if tail.starts_with("//") {
                let line = run(tail, |c| !matches!(c, '\n' | '\r'));
                if let Some(nul) = tail.get(..line).and_then(|line| line.find('\0')) {
                    self.scanner.at = self.scanner.at.saturating_add(nul);
                    return Some((TokenKind::Stray, 1));
                }
                line
            } else if let Some(comment) = tail.strip_prefix("/*") {
                match comment.find("*/") {
                    Some(inside) => match comment.get(..inside).and_then(|inside| inside.find('\0')) {
                        Some(nul) => {
                            self.scanner.at = self.scanner.at.saturating_add(2).saturating_add(nul);
                            return Some((TokenKind::Stray, 1));
                        }
                        None => inside.saturating_add(4),
                    },
                    None => return Some((TokenKind::OpenComment, 2)),
                }
            } else {
                run(tail, |c| matches!(c, ' ' | '\t' | '\n' | '\r'))
            };
            if length == 0 {
                return None;
            }
            self.scanner.at = self.scanner.at.saturating_add(length);
        }
    }
}

/// The token at the start of a text, and its length.
fn cut(tail: &str) -> (TokenKind, usize) {
    let Some(first) = tail.chars().next() else { return (TokenKind::End, 0) };
    if first.is_ascii_alphabetic() || first == '_' {
        return (TokenKind::Word, run(tail, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')));
    }
    if let Some(integer) = integer(tail) {
        return integer;
    }
    match first {
        '<' if tail.starts_with("<=") => (TokenKind::AtMost, 2),
        ',' | ':' | '*' | '#' | '+' | '~' | '?' | '[' | ']' | '{' | '}' | '(' | ')' => (TokenKind::Sign(first), 1),
        _ => (TokenKind::Stray, first.len_utf8()),
    }
}

fn integer(tail: &str) -> Option<(TokenKind, usize)> {
    let sign = usize::from(tail.starts_with('-'));
    let digits = run(tail.get(sign..)?, |c| c.is_ascii_digit());
    if digits == 0 {
        return None;
    }
    let length = sign.saturating_add(digits);
    let written = tail.get(..length)?;
    let value = match sign {
        0 => written.parse().ok().map(u64::cast_signed),
        _ => written.parse().ok(),
    };
    Some((value.map_or(TokenKind::TooLarge, TokenKind::Int), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(text, 0);
        std::iter::from_fn(|| Some(lexer.token().kind).filter(|kind| *kind != TokenKind::End)).take(99).collect()
    }

    #[test]
    fn what_follows_digits_at_once_is_the_next_token() {
        assert_eq!(kinds("128E(4"), [TokenKind::Int(128), TokenKind::Word, TokenKind::Sign('('), TokenKind::Int(4)]);
        assert_eq!(kinds("S-1.x"), [TokenKind::Word]);
        assert_eq!(kinds("-5-"), [TokenKind::Int(-5), TokenKind::Stray]);
    }

    #[test]
    fn integers_are_sixty_four_bits() {
        assert_eq!(kinds("-9223372036854775808"), [TokenKind::Int(i64::MIN)]);
        assert_eq!(kinds("-9223372036854775809"), [TokenKind::TooLarge]);
        assert_eq!(kinds("18446744073709551615"), [TokenKind::Int(-1)]);
        assert_eq!(kinds("18446744073709551616"), [TokenKind::TooLarge]);
        assert_eq!(kinds("000000000000000000000000000007"), [TokenKind::Int(7)]);
    }

    #[test]
    fn comments_and_blanks_separate() {
        assert_eq!(kinds("1/*2*/3//4\r5 // six"), [TokenKind::Int(1), TokenKind::Int(3), TokenKind::Int(5)]);
        assert_eq!(kinds("1 /*/")[..2], [TokenKind::Int(1), TokenKind::OpenComment]);
        assert_eq!(kinds("/*\0*/"), [TokenKind::Stray, TokenKind::Sign('*'), TokenKind::Stray]);
        assert_eq!(kinds("\u{b}é<<="), [TokenKind::Stray, TokenKind::Stray, TokenKind::Stray, TokenKind::AtMost]);
    }
}
