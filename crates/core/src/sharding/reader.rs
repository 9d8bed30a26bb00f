//! What the notations of shardings have beyond what all grammars have: tuples and calls of Python, names in quotes, metadata.

use crate::error::Error;
use crate::reader::Reader;
use crate::text::{MAX_DEPTH, is_word};

impl<'t> Reader<'t> {
    /// A list where a comma may stand before the closing bracket, as in Python.
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
}
