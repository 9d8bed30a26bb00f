//! [`Reader`]: what the readers of all notations of shardings ask of a text.

use crate::error::{Code, Error};
use crate::text::{MAX_DEPTH, MAX_LEAVES, Scanner, Span, code, is_word};

/// A place in a text.
pub(super) struct Reader<'t> {
    pub(super) scanner: Scanner<'t>,
    leaves: usize,
}

impl<'t> Reader<'t> {
    /// The start of a text.
    pub(super) fn new(text: &'t str) -> Self {
        Reader { scanner: Scanner::new(text), leaves: 0 }
    }

    /// Passes a token after white space; false where another text follows.
    pub(super) fn take(&mut self, token: &str) -> bool {
        self.scanner.take(token)
    }

    /// Whether a token follows.
    pub(super) fn at(&mut self, token: &str) -> bool {
        self.scanner.space();
        self.scanner.rest().starts_with(token)
    }

    /// Passes a word that must end there.
    pub(super) fn take_word(&mut self, wanted: &str) -> bool {
        let before = self.scanner.at;
        let found = self.scanner.word() == wanted;
        if !found {
            self.scanner.at = before;
        }
        found
    }

    /// Passes a token that must follow.
    pub(super) fn need(&mut self, token: &str) -> Result<(), Error> {
        if self.take(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Error {
        self.scanner.space();
        let at = self.scanner.at;
        let rest = self.scanner.rest();
        let (code, found) = match rest.chars().next() {
            None => (code::UNEXPECTED_END, "the end of the text".to_owned()),
            Some(_) => (code::UNEXPECTED_TOKEN, format!("`{}`", rest.chars().take(24).collect::<String>())),
        };
        let end = at + rest.chars().next().map_or(0, char::len_utf8);
        error!(Code::Syntax(code), "expected {what}, found {found}", [what, found]).with_span(Span::new(at, end))
    }

    /// Counts a leaf against the limit of a text.
    pub(super) fn leaf(&mut self) -> Result<(), Error> {
        self.leaves += 1;
        if self.leaves > MAX_LEAVES {
            return Err(error!(
                Code::Syntax(code::TOO_LONG),
                "a sharding has at most {max_leaves} numbers and names, this is one more",
                [max_leaves = MAX_LEAVES]
            ));
        }
        Ok(())
    }

    /// An integer, negative where a minus sign stands before it.
    pub(super) fn integer(&mut self, what: &str) -> Result<i64, Error> {
        self.leaf()?;
        self.scanner.space();
        let rest = self.scanner.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest.get(sign..).unwrap_or_default();
        let length = sign + digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let text = rest.get(..length).unwrap_or_default();
        if length == sign {
            return Err(self.expected(what));
        }
        let start = self.scanner.at;
        let number = text.parse().map_err(|_| {
            error!(
                Code::Syntax(code::INTEGER_TOO_LARGE),
                "`{text}` is out of range: integers run from {least} to {most}",
                [text, least = i64::MIN, most = i64::MAX]
            )
            .with_span(Span::new(start, start + length))
        })?;
        self.scanner.at += length;
        Ok(number)
    }

    /// What `entry` reads, with commas between, up to a closing token that is passed too.
    pub(super) fn list<T>(
        &mut self,
        close: &str,
        mut entry: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        if self.take(close) {
            return Ok(all);
        }
        loop {
            all.push(entry(self)?);
            if self.take(close) {
                return Ok(all);
            }
            if !self.take(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    /// The same where a comma may stand before the closing token, as in Python.
    pub(super) fn python_list<T>(
        &mut self,
        close: &str,
        mut entry: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        while !self.take(close) {
            all.push(entry(self)?);
            if !self.take(",") {
                self.need(close)?;
                break;
            }
        }
        Ok(all)
    }

    /// Integers up to a closing token.
    pub(super) fn integers(&mut self, close: &str, what: &str) -> Result<Vec<i64>, Error> {
        self.list(close, |reader| reader.integer(what))
    }

    /// A name in quotes of one kind or the other.
    pub(super) fn quoted(&mut self, what: &str) -> Result<&'t str, Error> {
        self.leaf()?;
        self.scanner.space();
        let rest = self.scanner.rest();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let inner = quote.and_then(|quote| rest.get(1..)?.split_once(quote));
        match inner {
            // Brackets and quotes in a name would end it in some other notation.
            Some((name, _))
                if !name.is_empty() && !name.contains(['"', '\'', '<', '>', '(', ')', '[', ']', '{', '}']) =>
            {
                self.scanner.at += name.len() + 2;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Passes what stands up to the brace that closes the one before it, with braces and quotes inside.
    pub(super) fn braced(&mut self) -> Result<(), Error> {
        let mut depth = 1_usize;
        let mut quoted = false;
        let mut escaped = false;
        for (at, c) in self.scanner.rest().char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '{' if !quoted => depth += 1,
                '}' if !quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.scanner.at += at + 1;
                return Ok(());
            }
            if depth > MAX_DEPTH {
                break;
            }
        }
        Err(self.expected("`}` at the end of the metadata"))
    }

    /// Passes a value of Python up to the comma or the bracket behind it.
    pub(super) fn pass_value(&mut self) -> Result<(), Error> {
        let (mut depth, mut quote) = (0_usize, None);
        for (at, c) in self.scanner.rest().char_indices() {
            match c {
                _ if quote.is_some() => quote = quote.filter(|quote| *quote != c),
                '"' | '\'' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ',' | ')' | ']' | '}' if depth == 0 => {
                    self.scanner.at += at;
                    return Ok(());
                }
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
        }
        Err(self.expected("a value and the bracket that closes the call"))
    }

    /// The keyword of an argument, where one follows: `mesh=`.
    pub(super) fn keyword(&mut self) -> Result<Option<&'t str>, Error> {
        let before = self.scanner.at;
        if let Some(name) = self.name()?
            && (self.take("=") || self.at(": ") && self.take(":"))
        {
            return Ok(Some(name));
        }
        self.scanner.at = before;
        Ok(None)
    }

    /// Passes the name of a call with its bracket, perhaps behind modules, `jax.sharding.Mesh(`: the name itself, where one follows.
    pub(super) fn callee(&mut self) -> Option<&'t str> {
        let before = self.scanner.at;
        self.scanner.space();
        let path = self.scanner.run(|c| is_word(c) || c == '.');
        let name = path.rsplit('.').next().filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        if name.is_none() || !self.take("(") {
            self.scanner.at = before;
            return None;
        }
        name
    }

    /// A word that begins with a letter, where one follows.
    pub(super) fn name(&mut self) -> Result<Option<&'t str>, Error> {
        self.leaf()?;
        self.scanner.space();
        match self.scanner.rest().starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            true => Ok(Some(self.scanner.word())),
            false => Ok(None),
        }
    }

    /// The end of the text must follow.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        self.scanner.space();
        if self.scanner.rest().is_empty() { Ok(()) } else { Err(self.expected("the end of the text")) }
    }
}
