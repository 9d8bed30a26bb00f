//! From text to tokens.
//!
//! Every text has tokens: a character outside the notation becomes
//! [`TokenKind::Stray`], which no rule of the grammar accepts. Tokens are made
//! on demand, so a long text costs only what is read of it.
//!
//! The operator `o` needs no spaces around it (`Sw<2,0,3>o_0o(_8,_8):(_8,_1)`).
//! It is recognised by what stands before it: no word can follow an operand, so
//! after one an `o` is the operator, unless a lower-case letter follows and the
//! word is more likely a slip of the pen (`4:1 offset`).
//!
//! Marks of other scripts that mean the same, such as `∘`, have been replaced before (see [`super::marks`]), in as many
//! bytes. A span covers whole characters of the text as it was typed.

use super::Span;
use crate::text::{Scanner, is_word, run};

/// A token and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// `12`
    Number,
    /// `_12` or `_-12`
    CppNumber,
    /// `_` alone
    Underscore,
    /// A letter, then letters, digits and `_`; all of them ASCII
    Word,
    /// `#` or `!` and the dotted name after it, which begin an MLIR attribute or type
    Mlir,
    /// A text in double or single quotes, on one line
    Text,
    /// `::` between two names of C++
    Scope,
    /// `.` before a name of Python or C++
    Dot,
    /// The operator `o`
    Compose,
    Plus,
    Minus,
    Star,
    Caret,
    Colon,
    At,
    Question,
    Comma,
    Semicolon,
    Equals,
    /// `==`
    Same,
    OpenRound,
    CloseRound,
    OpenAngle,
    CloseAngle,
    OpenSquare,
    CloseSquare,
    OpenCurly,
    CloseCurly,
    /// A character that begins no token
    Stray,
    /// The end of the text
    End,
}

/// The tokens of a text, one [`Lexer::token`] at a time.
#[derive(Debug)]
pub(super) struct Lexer<'t> {
    scanner: Scanner<'t>,
    /// The text as it was typed, of as many bytes.
    typed: &'t str,
    after_operand: bool,
    /// Whether the last token was a word.
    after_word: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, typed: &'t str) -> Self {
        Lexer { scanner: Scanner::new(text), typed, after_operand: false, after_word: false }
    }

    /// The text in plain marks.
    pub(super) fn text(&self) -> &'t str {
        self.scanner.text()
    }

    /// The text as it was typed.
    pub(super) fn typed(&self) -> &'t str {
        self.typed
    }

    /// Goes on at a position before an operand, inside of a token.
    pub(super) fn enter(&mut self, position: usize) {
        self.scanner.at = self.typed.ceil_char_boundary(position);
        (self.after_operand, self.after_word) = (false, false);
    }

    /// Goes on at a position behind an operand.
    pub(super) fn resume(&mut self, position: usize) -> usize {
        self.scanner.at = self.typed.ceil_char_boundary(position);
        (self.after_operand, self.after_word) = (true, false);
        self.scanner.at
    }

    /// The next token; `End` at the end of the text, however often asked.
    pub(super) fn token(&mut self) -> Token {
        self.scanner.space();
        // Comments of C++ and HLO.
        while let Some(comment) = self.scanner.rest().strip_prefix("/*") {
            let Some(end) = comment.find("*/") else { break };
            self.scanner.at = self.scanner.at.saturating_add(end).saturating_add("/**/".len());
            self.scanner.space();
        }
        let start = self.scanner.at;
        let (kind, length) = self.scan(self.scanner.rest());
        let end = start.saturating_add(length);
        let start = self.typed.floor_char_boundary(start);
        self.scanner.at = self.typed.ceil_char_boundary(end);
        self.after_operand = ends_operand(kind);
        self.after_word = kind == TokenKind::Word;
        Token { kind, span: Span::new(start, self.scanner.at) }
    }

    /// The kind and byte length of the token at the start of `rest`.
    fn scan(&self, rest: &str) -> (TokenKind, usize) {
        let mut chars = rest.chars();
        let Some(first) = chars.next() else {
            return (TokenKind::End, 0);
        };
        let tail = chars.as_str();
        match first {
            '0'..='9' => (TokenKind::Number, run(rest, |c| c.is_ascii_digit())),
            '_' => match digits_of_cpp(tail) {
                0 => (TokenKind::Underscore, 1),
                length => (TokenKind::CppNumber, length.saturating_add(1)),
            },
            'o' if self.is_compose(tail) => (TokenKind::Compose, 1),
            'a'..='z' | 'A'..='Z' => (TokenKind::Word, run(rest, is_word)),
            '#' | '!' => {
                let length = run(tail, |c| is_word(c) || c == '.');
                (TokenKind::Mlir, length.saturating_add(1))
            }
            '"' | '\'' => match quoted(tail, first) {
                Some(length) => (TokenKind::Text, length.saturating_add(1)),
                None => (TokenKind::Stray, 1),
            },
            '=' if tail.starts_with('=') => (TokenKind::Same, 2),
            ':' if self.after_word && tail.strip_prefix(':').is_some_and(leads_to_word) => (TokenKind::Scope, 2),
            '.' if leads_to_word(tail) => (TokenKind::Dot, 1),
            _ => punctuation(first),
        }
    }

    /// Whether the `o` before `tail` is the operator. Looks one character ahead
    /// only: in `4o0o0o0…` the rest of the text is one run of word characters.
    fn is_compose(&self, tail: &str) -> bool {
        match tail.chars().next() {
            Some(next) if is_word(next) => self.after_operand && !next.is_ascii_lowercase(),
            _ => true,
        }
    }
}

/// The length of `5` or `-5` at the start of the text after `_`; 0 when there
/// is none.
fn digits_of_cpp(tail: &str) -> usize {
    let digits = tail.strip_prefix('-').unwrap_or(tail);
    match run(digits, |c| c.is_ascii_digit()) {
        0 => 0,
        count => tail.len().saturating_sub(digits.len()).saturating_add(count),
    }
}

/// The length up to and with the closing quote, which is the one that opened; a backslash keeps the character after it in the text.
fn quoted(tail: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in tail.char_indices() {
        match c {
            _ if c == quote && !escaped => return Some(at.saturating_add(1)),
            '\n' => return None,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}

fn punctuation(first: char) -> (TokenKind, usize) {
    let kind = match first {
        '+' => TokenKind::Plus,
        '-' => TokenKind::Minus,
        '*' => TokenKind::Star,
        '^' => TokenKind::Caret,
        ':' => TokenKind::Colon,
        '@' => TokenKind::At,
        '?' => TokenKind::Question,
        ',' => TokenKind::Comma,
        ';' => TokenKind::Semicolon,
        '=' => TokenKind::Equals,
        '(' => TokenKind::OpenRound,
        ')' => TokenKind::CloseRound,
        '<' => TokenKind::OpenAngle,
        '>' => TokenKind::CloseAngle,
        '[' => TokenKind::OpenSquare,
        ']' => TokenKind::CloseSquare,
        '{' => TokenKind::OpenCurly,
        '}' => TokenKind::CloseCurly,
        _ => TokenKind::Stray,
    };
    (kind, first.len_utf8())
}

fn ends_operand(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Number
            | TokenKind::CppNumber
            | TokenKind::Underscore
            | TokenKind::Word
            | TokenKind::Mlir
            | TokenKind::Text
            | TokenKind::Question
            | TokenKind::CloseRound
            | TokenKind::CloseAngle
            | TokenKind::CloseSquare
            | TokenKind::CloseCurly
    )
}

fn leads_to_word(text: &str) -> bool {
    text.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
