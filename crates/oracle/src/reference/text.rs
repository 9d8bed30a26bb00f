//! Reading and writing nests, points, layouts, tilers and coordinates.
//!
//! A small recursive-descent parser for tests and runners whose operands are text. What is written
//! parses back to the same value. Blanks may stand anywhere between tokens.

use std::fmt;
use std::str::{Chars, FromStr};

use super::{Layout, Nest, OracleError, Point, Swizzle, Tiler, malformed};

/// Whatever can stand as a leaf of a nest.
trait Leaf: Sized {
    fn read(text: &mut Cursor<'_>) -> Result<Self, OracleError>;
}

impl Leaf for i64 {
    fn read(text: &mut Cursor<'_>) -> Result<i64, OracleError> {
        text.int()
    }
}

impl Leaf for Option<i64> {
    fn read(text: &mut Cursor<'_>) -> Result<Option<i64>, OracleError> {
        if text.eat('_') { Ok(None) } else { text.int().map(Some) }
    }
}

impl Leaf for Point {
    fn read(text: &mut Cursor<'_>) -> Result<Point, OracleError> {
        let mut sum = Point::zero();
        loop {
            let scale = text.int()?;
            let mut path = Vec::new();
            while text.eat('@') {
                path.insert(0, usize::try_from(text.int()?).map_err(|_| malformed("a mode has no negative position"))?);
            }
            sum = sum.plus(&Point::basis(path, scale))?;
            if !text.eat('+') {
                return Ok(sum);
            }
        }
    }
}

/// How deep nests may nest: the reader recurses, and must not run out of stack.
const DEEPEST: usize = 64;

/// The rest of the text, and how deep in a nest it begins.
struct Cursor<'a>(Chars<'a>, usize);

impl Cursor<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.0.as_str().starts_with(char::is_whitespace) {
            self.0.next();
        }
        self.0.clone().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let here = self.peek() == Some(wanted);
        if here {
            self.0.next();
        }
        here
    }

    fn expect(&mut self, wanted: char) -> Result<(), OracleError> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(malformed(format!("expected `{wanted}` before `{}`", self.0.as_str())))
        }
    }

    fn int(&mut self) -> Result<i64, OracleError> {
        let mut digits = String::new();
        if self.eat('-') {
            digits.push('-');
        }
        while let Some(digit) = self.0.clone().next().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.0.next();
        }
        digits.parse().map_err(|_| malformed(format!("expected an integer at `{digits}{}`", self.0.as_str())))
    }

    fn entries<T>(
        &mut self,
        close: char,
        read: fn(&mut Self) -> Result<T, OracleError>,
    ) -> Result<Vec<T>, OracleError> {
        self.1 += 1;
        if self.1 > DEEPEST {
            return Err(malformed(format!("nested deeper than {DEEPEST}")));
        }
        let mut entries = Vec::new();
        while !self.eat(close) {
            if !entries.is_empty() {
                self.expect(',')?;
            }
            entries.push(read(self)?);
        }
        self.1 -= 1;
        Ok(entries)
    }

    fn nest<T: Leaf>(&mut self) -> Result<Nest<T>, OracleError> {
        if self.eat('(') { self.entries(')', Self::nest).map(Nest::Node) } else { T::read(self).map(Nest::Leaf) }
    }

    fn layout(&mut self) -> Result<Layout, OracleError> {
        let shape = self.nest()?;
        self.expect(':')?;
        Layout::new(shape, self.nest()?)
    }

    fn tiler(&mut self) -> Result<Tiler, OracleError> {
        if self.eat('<') {
            return self.entries('>', Self::tiler).map(Tiler::Modes);
        }
        if self.eat('_') {
            return Ok(Tiler::Keep);
        }
        let shape = self.nest()?;
        if self.eat(':') { Layout::new(shape, self.nest()?).map(Tiler::Layout) } else { Tiler::of_shape(&shape) }
    }

    fn swizzle(&mut self) -> Result<Swizzle, OracleError> {
        for wanted in "Sw<".chars() {
            self.expect(wanted)?;
        }
        let numbers: Vec<i64> = self.entries('>', Self::int)?;
        match numbers.as_slice() {
            [bits, base, shift] => Swizzle::new(*bits, *base, *shift),
            _ => Err(malformed("a swizzle has three numbers")),
        }
    }
}

fn whole<T>(text: &str, read: fn(&mut Cursor<'_>) -> Result<T, OracleError>) -> Result<T, OracleError> {
    let mut cursor = Cursor(text.chars(), 0);
    let value = read(&mut cursor)?;
    match cursor.peek() {
        None => Ok(value),
        Some(_) => Err(malformed(format!("`{}` is left over", cursor.0.as_str()))),
    }
}

macro_rules! read_with {
    ($($type:ty => $read:expr;)*) => {$(
        impl FromStr for $type {
            type Err = OracleError;
            fn from_str(text: &str) -> Result<Self, OracleError> {
                whole(text, $read)
            }
        }
    )*};
}

read_with! {
    Nest<i64> => |text| text.nest();
    Nest<Option<i64>> => |text| text.nest();
    Nest<Point> => |text| text.nest();
    Point => Point::read;
    Layout => |text| text.layout();
    Tiler => |text| text.tiler();
    Swizzle => |text| text.swizzle();
}

impl fmt::Display for Nest<i64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nest(self, f, &|leaf, f| write!(f, "{leaf}"))
    }
}

impl fmt::Display for Nest<Point> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nest(self, f, &|leaf, f| write!(f, "{leaf}"))
    }
}

impl fmt::Display for Nest<Option<i64>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nest(self, f, &|leaf, f| match leaf {
            Some(n) => write!(f, "{n}"),
            None => write!(f, "_"),
        })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return write!(f, "0");
        }
        for (at, (path, n)) in self.terms().enumerate() {
            if at > 0 {
                write!(f, "+")?;
            }
            write!(f, "{n}")?;
            for position in path.iter().rev() {
                write!(f, "@{position}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape(), self.stride())
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tiler::Keep => write!(f, "_"),
            Tiler::Layout(layout) => write!(f, "{layout}"),
            Tiler::Modes(modes) => {
                write!(f, "<")?;
                for (at, mode) in modes.iter().enumerate() {
                    if at > 0 {
                        write!(f, ",")?;
                    }
                    write!(f, "{mode}")?;
                }
                write!(f, ">")
            }
        }
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits(), self.base(), self.shift())
    }
}

type WriteLeaf<T> = dyn Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result;

fn write_nest<T>(nest: &Nest<T>, f: &mut fmt::Formatter<'_>, leaf: &WriteLeaf<T>) -> fmt::Result {
    match nest {
        Nest::Leaf(value) => leaf(value, f),
        Nest::Node(entries) => {
            write!(f, "(")?;
            for (at, entry) in entries.iter().enumerate() {
                if at > 0 {
                    write!(f, ",")?;
                }
                write_nest(entry, f, leaf)?;
            }
            write!(f, ")")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in ["4:1", "(4):(1)", "():()", "(2,(1,6)):(1,(6,-2))", "(4,8):(1@1,2@0+1@0@1)", "1:0"] {
            assert_eq!(text.parse::<Layout>().map(|layout| layout.to_string()), Ok(text.into()));
        }
        for text in ["<3:1,(2,4):(1,8)>", "<4:1,_>", "<<2:1,2:1>,4:1>", "8:2", "_"] {
            assert_eq!(text.parse::<Tiler>().map(|tiler| tiler.to_string()), Ok(text.into()));
        }
        assert_eq!("(3, 8)".parse::<Tiler>().map(|tiler| tiler.to_string()), Ok("<3:1,8:1>".into()));
        assert_eq!("((1,_),_)".parse::<Nest<Option<i64>>>().map(|c| c.to_string()), Ok("((1,_),_)".into()));
        assert_eq!("Sw<3,4,-3>".parse::<Swizzle>().map(|s| s.to_string()), Ok("Sw<3,4,-3>".into()));
    }

    #[test]
    fn what_is_not_the_notation_is_refused() {
        for text in
            ["", "4", "4:", "(4:1", "(4,2):(1)", "4:1 x", "4:99999999999999999999", "0:1", "(4,):(1,)", "4:1@-1"]
        {
            assert!(text.parse::<Layout>().is_err(), "{text}");
        }
        assert!("Sw<1,2>".parse::<Swizzle>().is_err());
        assert!("(".repeat(100_000).parse::<Nest<i64>>().is_err());
    }
}
