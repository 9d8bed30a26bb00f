//! A dump line by line, with numbers and within bounded memory.

use std::io::{self, BufRead, Read};

use bitstride::{Code, Error};

/// The longest line that is kept.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// The lines of an input, of which one is kept at a time.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
}

/// A line, or why it is not read.
pub(crate) type Line<'l> = Result<&'l str, Error>;

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines { input, line: Vec::new(), number: 0 }
    }

    /// The number of the line that was read last, from 1 on.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end; nothing at the end of the input.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let read = (&mut self.input).take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if u64::try_from(read) == Ok(MAX_LINE_BYTES) {
            skip_line(&mut self.input)?;
            return Ok(Some(Err(no_line(format!("the line is longer than {} MiB", MAX_LINE_BYTES >> 20)))));
        }
        let text = std::str::from_utf8(&self.line)
            .map_err(|error| no_line(format!("byte {} of the line is not text in UTF-8", error.valid_up_to() + 1)));
        Ok(Some(text.map(|text| text.strip_suffix('\r').unwrap_or(text))))
    }

    /// Takes every line with its number.
    pub(crate) fn each(&mut self, mut take: impl FnMut(u64, Line<'_>)) -> io::Result<()> {
        loop {
            let number = self.number + 1;
            match self.next()? {
                None => return Ok(()),
                Some(line) => take(number, line),
            }
        }
    }
}

fn no_line(why: String) -> Error {
    Error::new(Code::Syntax("line"), why)
}

/// Passes over the rest of a line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(buffer.len(), |end| end + 1);
        if length == 0 {
            return Ok(());
        }
        input.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_numbered_and_broken_ones_are_said() {
        let mut lines = Lines::new(&b"one\r\n\xff\n\nlast"[..]);
        let mut seen = Vec::new();
        while let Ok(Some(line)) = lines.next() {
            seen.push(line.map(str::to_owned).map_err(|_| ()));
        }
        assert_eq!(seen, [Ok("one".to_owned()), Err(()), Ok(String::new()), Ok("last".to_owned())]);
        assert_eq!(lines.number(), 4);
    }
}
