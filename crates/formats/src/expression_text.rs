//! The text of an [`Expression`], for errors that say what was computed.
//!
//! Law: the text is read as the same expression.

use std::fmt;

use crate::expression::{Expression, Function, Operator};

impl Operator {
    /// How it is written, and how tightly it binds.
    fn sign(self) -> (&'static str, u8) {
        match self {
            Operator::Or => (" or ", 1),
            Operator::And => (" and ", 2),
            Operator::Equal => (" == ", 3),
            Operator::Unequal => (" != ", 3),
            Operator::Less => (" < ", 3),
            Operator::AtMost => (" <= ", 3),
            Operator::Greater => (" > ", 3),
            Operator::AtLeast => (" >= ", 3),
            Operator::Add => (" + ", 4),
            Operator::Subtract => (" - ", 4),
            Operator::Multiply => ("*", 5),
            Operator::Divide => ("/", 5),
            Operator::Floor => ("//", 5),
            Operator::Remainder => ("%", 5),
        }
    }
}

impl fmt::Display for Expression {
    /// As the lines of a format write it, with the parentheses that it needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let within = |side: &Expression, least: u8| match side {
            Expression::Binary(operator, _) if operator.sign().1 < least => format!("({side})"),
            _ => side.to_string(),
        };
        match self {
            Expression::Number(number) => write!(f, "{number}"),
            Expression::Word(word) => write!(f, "\"{word}\""),
            Expression::Name(name) => f.write_str(name),
            Expression::Negative(inner) => write!(f, "-{}", within(inner, u8::MAX)),
            Expression::Binary(operator, sides) => {
                let (sign, level) = operator.sign();
                write!(f, "{}{sign}{}", within(&sides[0], level), within(&sides[1], level + 1))
            }
            Expression::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
                write!(f, "{}({})", function.name(), arguments.join(", "))
            }
        }
    }
}

impl Function {
    fn name(self) -> &'static str {
        match self {
            Function::Up => "up",
            Function::Ceil => "ceil",
            Function::Min => "min",
            Function::Max => "max",
            Function::Product => "product",
            Function::If => "if",
            Function::Not => "not",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::Parser;

    #[test]
    fn texts_are_read_as_the_same_expression() {
        for text in [
            "k*bits/32",
            "(a + b)*c",
            "a - (b - c)",
            "a - b - c",
            "-(a + 1)",
            "a//(b%c)",
            "if(a == 1 or b < 2 and c, up(a, 4), min(b, -1))",
        ] {
            let read = |text: &str| Parser::new(text).expression();
            let first = read(text);
            assert_eq!(first.as_ref().map(ToString::to_string), Ok(text.to_owned()));
            assert_eq!(read(&first.map(|own| own.to_string()).unwrap_or_default()), read(text));
        }
    }
}
