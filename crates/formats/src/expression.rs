//! [`Expression`]: integers computed from parameters, as the lines of a format write them: `k*bits/32`, `up(rows, 128)`.
//!
//! `/` divides exactly and refuses a remainder; `//` rounds down and `%` is its remainder. Comparisons and `and`, `or`,
//! `not` give 1 or 0. Words stand in quotes and can only be compared. Functions: `up(a, m)` the next multiple of m,
//! `ceil(a, b)` the quotient rounded up, `min`, `max`, `product(list)`, `if(c, a, b)`.
//!
//! Law: an expression has the value of integer arithmetic without bounds, or an error.

use std::collections::BTreeMap;
use std::fmt;

use bitstride::cast::narrow;
use bitstride::names::did_you_mean;
use bitstride::{Code, Error, error};

/// The deepest nesting of an expression.
const MAX_DEPTH: usize = 64;

/// What a parameter stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Number(i64),
    /// A word, such as a version.
    Word(String),
    /// Extents, as the shape of a tensor of any rank.
    List(Vec<i64>),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Number(number) => write!(f, "{number}"),
            Argument::Word(word) => f.write_str(word),
            Argument::List(extents) => {
                let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
                f.write_str(&extents.join("x"))
            }
        }
    }
}

/// The parameters of a format by name, and what is computed from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    values: BTreeMap<String, Argument>,
    /// Why a name has no value, where that is known.
    missing: BTreeMap<String, Error>,
}

impl Arguments {
    /// Gives a name its value, or the reason why it has none.
    ///
    /// # Errors
    /// Anything but a parameter that is missing.
    pub(crate) fn bind(&mut self, name: &str, value: Result<Argument, Error>) -> Result<(), Error> {
        match value {
            Ok(value) => {
                self.values.insert(name.to_owned(), value);
            }
            Err(error) if error.code() == Code::MissingFact => {
                self.missing.insert(name.to_owned(), error);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    pub(crate) fn get(&self, name: &str) -> Result<Argument, Error> {
        self.values.get(name).cloned().ok_or_else(|| self.missing.get(name).cloned().unwrap_or_else(|| missing(name)))
    }
}

/// An expression of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Number(i64),
    Word(String),
    Name(String),
    Negative(Box<Expression>),
    Binary(Operator, Box<[Expression; 2]>),
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Floor,
    Remainder,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Up,
    Ceil,
    Min,
    Max,
    Product,
    If,
    Not,
}

impl Function {
    fn of(name: &str) -> Option<(Function, usize)> {
        Some(match name {
            "up" => (Function::Up, 2),
            "ceil" => (Function::Ceil, 2),
            "min" => (Function::Min, 2),
            "max" => (Function::Max, 2),
            "product" => (Function::Product, 1),
            "if" => (Function::If, 3),
            _ => return None,
        })
    }
}

impl Expression {
    /// The value of an expression.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for a parameter without a value; [`Code::NotDivisible`], [`Code::Overflow`], [`Code::Kind`].
    pub(crate) fn value(&self, of: &Arguments) -> Result<Argument, Error> {
        Ok(match self {
            Expression::Number(number) => Argument::Number(*number),
            Expression::Word(word) => Argument::Word(word.clone()),
            Expression::Name(name) => of.get(name)?,
            Expression::Negative(inner) => Argument::Number(narrow(-i128::from(inner.number(of)?))?),
            Expression::Binary(Operator::And, sides) => {
                Argument::Number(if sides[0].holds(of)? { i64::from(sides[1].holds(of)?) } else { 0 })
            }
            Expression::Binary(Operator::Or, sides) => {
                Argument::Number(if sides[0].holds(of)? { 1 } else { i64::from(sides[1].holds(of)?) })
            }
            Expression::Binary(operator @ (Operator::Equal | Operator::Unequal), sides) => {
                let same = sides[0].value(of)? == sides[1].value(of)?;
                Argument::Number(i64::from(same == (*operator == Operator::Equal)))
            }
            Expression::Binary(operator, sides) => {
                let (left, right) = (sides[0].number(of)?, sides[1].number(of)?);
                if *operator == Operator::Divide && right > 0 && left % right != 0 {
                    return Err(remainder(&sides[0], left, right));
                }
                Argument::Number(combined(*operator, left, right)?)
            }
            Expression::Call(function, arguments) => Argument::Number(called(*function, arguments, of)?),
        })
    }

    /// The value, which is a number.
    pub(crate) fn number(&self, of: &Arguments) -> Result<i64, Error> {
        match self.value(of)? {
            Argument::Number(number) => Ok(number),
            other => match self {
                Expression::Name(name) => {
                    Err(error!(Code::Kind, "{name} is `{other}`, no whole number", [name, other]))
                }
                _ => Err(error!(Code::Kind, "`{other}` is no number", [other])),
            },
        }
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, of: &Arguments) -> Result<bool, Error> {
        self.number(of).map(|number| number != 0)
    }

    /// The value as a sum of axes: its constant, and a factor for each axis.
    ///
    /// # Errors
    /// As [`Expression::value`]; [`Code::Kind`] where it is no such sum.
    pub(crate) fn affine(&self, of: &Arguments, axes: &[String]) -> Result<(i64, Vec<i64>), Error> {
        let constant = |number| (number, vec![0; axes.len()]);
        let joined = |left: (i64, Vec<i64>), right: (i64, Vec<i64>), sign: i128| {
            let sum = |(a, b): (i64, i64)| narrow(i128::from(a) + sign * i128::from(b));
            let factors = left.1.into_iter().zip(right.1).map(sum).collect::<Result<Vec<_>, _>>()?;
            Ok((sum((left.0, right.0))?, factors))
        };
        match self {
            Expression::Name(name) if axes.contains(name) => {
                Ok((0, axes.iter().map(|axis| i64::from(axis == name)).collect()))
            }
            Expression::Negative(inner) => joined(constant(0), inner.affine(of, axes)?, -1),
            Expression::Binary(Operator::Add, sides) => {
                joined(sides[0].affine(of, axes)?, sides[1].affine(of, axes)?, 1)
            }
            Expression::Binary(Operator::Subtract, sides) => {
                joined(sides[0].affine(of, axes)?, sides[1].affine(of, axes)?, -1)
            }
            Expression::Binary(Operator::Multiply, sides) => {
                let (left, right) = (sides[0].affine(of, axes)?, sides[1].affine(of, axes)?);
                let (sum, factor) = match (left.1.iter().all(|n| *n == 0), right.1.iter().all(|n| *n == 0)) {
                    (true, _) => (right, left.0),
                    (_, true) => (left, right.0),
                    _ => return Err(Error::new(Code::Kind, "a product of two axes is no index")),
                };
                let times = |number: i64| narrow(i128::from(number) * i128::from(factor));
                Ok((times(sum.0)?, sum.1.into_iter().map(times).collect::<Result<_, _>>()?))
            }
            other => other.number(of).map(constant),
        }
    }

    /// Whether a name is part of it.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        match self {
            Expression::Name(own) => own == name,
            Expression::Number(_) | Expression::Word(_) => false,
            Expression::Negative(inner) => inner.mentions(name),
            Expression::Binary(_, sides) => sides.iter().any(|side| side.mentions(name)),
            Expression::Call(_, arguments) => arguments.iter().any(|argument| argument.mentions(name)),
        }
    }
}

pub(crate) fn missing(name: &str) -> Error {
    error!(Code::MissingFact, "the parameter {name} is missing, and the layout depends on it", [name])
        .with_help(format!("add {name}=… to the name of the format, or --shape {name}=…"))
}

/// Refuses a division that leaves a remainder, with what was divided.
fn remainder(divided: &Expression, value: i64, by: i64) -> Error {
    match divided {
        Expression::Number(_) => error!(Code::NotDivisible, "{value} is no multiple of {by}", [value, by]),
        _ => error!(
            Code::NotDivisible,
            "{divided} is {value}, no multiple of {by}",
            [divided = divided.to_string(), value, by]
        ),
    }
}

fn combined(operator: Operator, left: i64, right: i64) -> Result<i64, Error> {
    let (a, b) = (i128::from(left), i128::from(right));
    let divisor = || match right {
        1.. => Ok(b),
        _ => Err(error!(Code::Range, "{left} cannot be divided by {right}", [left, right])),
    };
    narrow(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => {
            let by = divisor()?;
            if a % by != 0 {
                return Err(remainder(&Expression::Number(left), left, right));
            }
            a / by
        }
        Operator::Floor => a.div_euclid(divisor()?),
        Operator::Remainder => a.rem_euclid(divisor()?),
        Operator::Equal => i128::from(a == b),
        Operator::Unequal => i128::from(a != b),
        Operator::Less => i128::from(a < b),
        Operator::AtMost => i128::from(a <= b),
        Operator::Greater => i128::from(a > b),
        Operator::AtLeast => i128::from(a >= b),
        Operator::And => i128::from(a != 0 && b != 0),
        Operator::Or => i128::from(a != 0 || b != 0),
    })
}

fn called(function: Function, arguments: &[Expression], of: &Arguments) -> Result<i64, Error> {
    let argument = |at: usize| arguments.get(at).ok_or_else(|| Error::new(Code::Arity, "an argument is missing"));
    let number = |at: usize| argument(at)?.number(of);
    let divided = || {
        let (a, by) = (number(0)?, number(1)?);
        let up = combined(Operator::Floor, combined(Operator::Add, a, combined(Operator::Subtract, by, 1)?)?, by)?;
        Ok::<_, Error>((up, by))
    };
    match function {
        Function::Up => divided().and_then(|(up, by)| combined(Operator::Multiply, up, by)),
        Function::Ceil => divided().map(|(up, _)| up),
        Function::Min => Ok(number(0)?.min(number(1)?)),
        Function::Max => Ok(number(0)?.max(number(1)?)),
        Function::If => number(if argument(0)?.holds(of)? { 1 } else { 2 }),
        Function::Not => Ok(i64::from(!argument(0)?.holds(of)?)),
        Function::Product => match argument(0)?.value(of)? {
            Argument::List(extents) => extents.iter().try_fold(1, |a, b| combined(Operator::Multiply, a, *b)),
            other => Err(error!(Code::Kind, "`{other}` is no list of extents", [other])),
        },
    }
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Number(i64),
    Word(String),
    Name(String),
    Sign(&'static str),
}

const SIGNS: [&str; 25] = [
    "//", "==", "!=", "<=", ">=", "..", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", "=",
    "|", ".", "@",
];

/// Reads the parts of a line one after the other.
pub(crate) struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Parser { text, rest: text, depth: 0 }
    }

    pub(crate) fn error(&self, expected: &str) -> Error {
        let at = self.text.len() - self.rest.len();
        let found: String = self.rest.trim_start().chars().take(24).collect();
        let found = if found.is_empty() { "the line ends".to_owned() } else { format!("there is `{found}`") };
        error!(
            Code::Syntax("bad-format"),
            "{expected} is expected after {at} bytes, where {found}",
            [expected, at, found]
        )
    }

    fn token(&self) -> Result<(Option<Token>, &'a str), Error> {
        let text = self.rest.trim_start();
        let Some(first) = text.chars().next() else { return Ok((None, text)) };
        let split = |length: usize| text.split_at(length);
        let while_in = |holds: &dyn Fn(char) -> bool| text.find(|c: char| !holds(c)).unwrap_or(text.len());
        if first.is_ascii_digit() {
            let (digits, rest) = split(while_in(&|c| c.is_ascii_digit()));
            let number = digits.parse().map_err(|_| Error::overflow(digits))?;
            return Ok((Some(Token::Number(number)), rest));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let (name, rest) = split(while_in(&|c| c.is_ascii_alphanumeric() || c == '_'));
            return Ok((Some(Token::Name(name.to_owned())), rest));
        }
        if let Some(quoted) = text.strip_prefix('"') {
            let (word, rest) = quoted.split_once('"').ok_or_else(|| self.error("the end of a word in quotes"))?;
            return Ok((Some(Token::Word(word.to_owned())), rest));
        }
        match SIGNS.iter().find(|sign| text.starts_with(**sign)) {
            Some(sign) => Ok((Some(Token::Sign(sign)), text.get(sign.len()..).unwrap_or_default())),
            None => Err(self.error("a number, a name or a sign")),
        }
    }

    /// Takes a sign, if it is next.
    pub(crate) fn takes(&mut self, sign: &str) -> Result<bool, Error> {
        let (token, rest) = self.token()?;
        let is_next = matches!(token, Some(Token::Sign(own)) if own == sign);
        if is_next {
            self.rest = rest;
        }
        Ok(is_next)
    }

    /// Takes a word without quotes, if it is next.
    pub(crate) fn takes_name(&mut self, name: &str) -> Result<bool, Error> {
        let (token, rest) = self.token()?;
        let is_next = matches!(token, Some(Token::Name(own)) if own == name);
        if is_next {
            self.rest = rest;
        }
        Ok(is_next)
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Result<(), Error> {
        if self.takes(sign)? { Ok(()) } else { Err(self.error(&format!("`{sign}`"))) }
    }

    pub(crate) fn name(&mut self) -> Result<String, Error> {
        match self.token()? {
            (Some(Token::Name(name)), rest) => {
                self.rest = rest;
                Ok(name)
            }
            _ => Err(self.error("a name")),
        }
    }

    /// What is not read yet, without blanks around it.
    pub(crate) fn remainder(&self) -> &'a str {
        self.rest.trim()
    }

    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.remainder().is_empty() { Ok(()) } else { Err(self.error("the end of the line")) }
    }

    /// Expressions between commas.
    pub(crate) fn list(&mut self) -> Result<Vec<Expression>, Error> {
        let mut all = vec![self.expression()?];
        while self.takes(",")? {
            all.push(self.expression()?);
        }
        Ok(all)
    }

    /// An expression, as far as it goes.
    pub(crate) fn expression(&mut self) -> Result<Expression, Error> {
        self.deeper(|parser| parser.binary(0))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(error!(
                Code::TooLarge,
                "an expression nests more than {max_depth} deep",
                [max_depth = MAX_DEPTH]
            ));
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn binary(&mut self, level: usize) -> Result<Expression, Error> {
        const LEVELS: [&[(&str, Operator)]; 5] = [
            &[("or", Operator::Or)],
            &[("and", Operator::And)],
            &[
                ("==", Operator::Equal),
                ("!=", Operator::Unequal),
                ("<=", Operator::AtMost),
                (">=", Operator::AtLeast),
                ("<", Operator::Less),
                (">", Operator::Greater),
            ],
            &[("+", Operator::Add), ("-", Operator::Subtract)],
            &[("*", Operator::Multiply), ("//", Operator::Floor), ("/", Operator::Divide), ("%", Operator::Remainder)],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.atom() };
        let mut left = self.binary(level + 1)?;
        let mut terms = 0;
        'next: loop {
            for (sign, operator) in *operators {
                let word = sign.starts_with(|c: char| c.is_ascii_alphabetic());
                if if word { self.takes_name(sign)? } else { self.takes(sign)? } {
                    terms += 1;
                    if terms > MAX_DEPTH {
                        return Err(error!(
                            Code::TooLarge,
                            "a sum has more than {max_depth} terms",
                            [max_depth = MAX_DEPTH]
                        ));
                    }
                    let right = self.binary(level + 1)?;
                    left = Expression::Binary(*operator, Box::new([left, right]));
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn atom(&mut self) -> Result<Expression, Error> {
        if self.takes("-")? {
            return self.deeper(Self::atom).map(|inner| Expression::Negative(Box::new(inner)));
        }
        if self.takes_name("not")? {
            return self.deeper(Self::atom).map(|inner| Expression::Call(Function::Not, vec![inner]));
        }
        if self.takes("(")? {
            let inner = self.expression()?;
            return self.expect(")").map(|()| inner);
        }
        let (token, rest) = self.token()?;
        let atom = match token {
            Some(Token::Number(number)) => Expression::Number(number),
            Some(Token::Word(word)) => Expression::Word(word),
            Some(Token::Name(name)) => {
                self.rest = rest;
                if !self.takes("(")? {
                    return Ok(Expression::Name(name));
                }
                let Some((function, count)) = Function::of(&name) else {
                    let near = did_you_mean(&name, ["up", "ceil", "min", "max", "product", "if"]);
                    let error = error!(Code::UnknownName, "{name} is no function", [name]);
                    return Err(near.into_iter().fold(error, Error::with_help));
                };
                let arguments = self.list()?;
                self.expect(")")?;
                if arguments.len() != count {
                    return Err(error!(Code::Arity, "{name} takes {count} numbers", [name, count]));
                }
                return Ok(Expression::Call(function, arguments));
            }
            _ => return Err(self.error("a number or a name")),
        };
        self.rest = rest;
        Ok(atom)
    }
}

/// A text with expressions in braces; `{{` and `}}` are braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Value(Expression),
}

impl Template {
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            plain.push_str(before);
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                plain.push_str(from.get(..1).unwrap_or_default());
                rest = after;
                continue;
            }
            let closed = from.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let Some((inner, after)) = closed else {
                return Err(error!(
                    Code::Syntax("bad-format"),
                    "a brace in `{text}` is not closed or not opened",
                    [text]
                )
                .with_help("{{ and }} stand for braces"));
            };
            let mut parser = Parser::new(inner);
            let value = parser.expression()?;
            parser.end()?;
            parts.extend([Part::Text(std::mem::take(&mut plain)), Part::Value(value)]);
            rest = after;
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        Ok(Template(parts))
    }

    /// The text with the values in their places; a list is a tuple.
    pub(crate) fn filled(&self, of: &Arguments) -> Result<String, Error> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Value(value) => match value.value(of)? {
                    Argument::List(extents) => {
                        let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
                        text += &format!("({})", extents.join(","));
                    }
                    other => text += &other.to_string(),
                },
            }
        }
        Ok(text)
    }
}
