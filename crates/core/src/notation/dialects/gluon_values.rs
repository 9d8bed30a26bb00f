//! The arguments of Gluon's layouts: values of Python, with arithmetic on integers and lists.
//!
//! Law: a value is what Python makes of it where its names are integers, lists and layouts that lines above bind. A name that is not
//! bound stays one as long as nothing is computed of it. `gl.num_warps()`, a function of a kernel without arguments, is such a name.

use super::gluon_classes::{Given, gluon_classes, valued};
use super::type_names;
use crate::int::Integer;
use crate::names::did_you_mean;
use crate::notation::attribute::{Datum, DatumKind};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Span, SyntaxError, code};

/// An operator of Python on integers; `+` and `*` take lists, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

const SUMS: &[(&str, Operator)] = &[("+", Operator::Add), ("-", Operator::Subtract)];
const PRODUCTS: &[(&str, Operator)] =
    &[("//", Operator::Divide), ("%", Operator::Remainder), ("*", Operator::Multiply)];
const POWERS: &[(&str, Operator)] = &[("**", Operator::Power)];
const MINUS: &[(&str, Operator)] = &[("-", Operator::Subtract)];

/// A list that is repeated has at most as many entries.
const MAX_ENTRIES: usize = 1 << 10;

impl Cursor<'_> {
    /// A value of Python; nothing for `None`.
    pub(super) fn gluon_value(&mut self) -> Result<Given> {
        self.gluon_chain(&[SUMS, PRODUCTS])
    }

    /// Values with the operators of the first level between them, and those of the other levels in them.
    fn gluon_chain(&mut self, levels: &[&[(&str, Operator)]]) -> Result<Given> {
        let Some((operators, inner)) = levels.split_first() else { return self.gluon_power() };
        let start = self.token.span;
        let mut chain = self.gluon_chain(inner)?;
        while let Some(left) = chain.take() {
            let Some(operator) = self.gluon_operator(operators) else { return Ok(Some(left)) };
            let right = self.gluon_chain(inner)?.ok_or_else(|| self.expected("a value"))?;
            let kind = computed(&left, operator, &right)?;
            chain = Some(Datum { kind, span: self.since(start) });
        }
        Ok(None)
    }

    /// Values with `**` between them, of which the last is computed first, and minus signs, which come after the power behind them:
    /// `-2 ** 2` is -4.
    fn gluon_power(&mut self) -> Result<Given> {
        let start = self.token.span;
        let mut operands = Vec::new();
        loop {
            let mut is_negative = false;
            let mut has_sign = false;
            while self.gluon_operator(MINUS).is_some() {
                (is_negative, has_sign) = (!is_negative, true);
            }
            match self.gluon_datum()? {
                Some(datum) => operands.push((is_negative, datum)),
                None if operands.is_empty() && !has_sign => return Ok(None),
                None => return Err(self.expected("a number")),
            }
            if self.gluon_operator(POWERS).is_none() {
                break;
            }
        }
        let span = self.since(start);
        let mut power: Option<Datum> = None;
        for (is_negative, base) in operands.into_iter().rev() {
            let mut value = match power {
                Some(exponent) => Datum { kind: computed(&base, Operator::Power, &exponent)?, span },
                None => base,
            };
            if is_negative {
                let zero = Datum { kind: DatumKind::Integer(0), span };
                value = Datum { kind: computed(&zero, Operator::Subtract, &value)?, span };
            }
            power = Some(value);
        }
        Ok(power)
    }

    /// One of some operators, which is read.
    fn gluon_operator(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        let rest = Span::new(self.token.span.start, self.text().len()).of(self.text());
        // `2 * 3` is no power, and `2 ** 3` no product.
        let fits = |sign: &str| rest.starts_with(sign) && (sign != "*" || !rest.starts_with("**"));
        let (sign, operator) = operators.iter().find(|(sign, _)| fits(sign))?;
        (0..sign.len()).for_each(|_| self.advance());
        Some(*operator)
    }

    fn gluon_datum(&mut self) -> Result<Given> {
        let start = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Number => {
                self.count_leaf(start)?;
                DatumKind::Integer(self.integer("a number")?)
            }
            TokenKind::Text => {
                self.count_leaf(start)?;
                let word = self.quoted(start).text;
                if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return Err(self.expected("a word in quotes"));
                }
                self.advance();
                DatumKind::Word(word)
            }
            TokenKind::OpenSquare | TokenKind::OpenRound => return self.gluon_list().map(Some),
            TokenKind::Word => return self.gluon_name(),
            TokenKind::Mlir => DatumKind::Attribute(self.attribute()?),
            _ => return Err(self.expected("a number, a list, True, False, None or a layout of Gluon")),
        };
        Ok(Some(Datum { kind, span: self.since(start) }))
    }

    /// A list or a tuple, or a value in brackets.
    fn gluon_list(&mut self) -> Result<Datum> {
        let start = self.token.span;
        let is_round = self.at(TokenKind::OpenRound);
        let close = if is_round { TokenKind::CloseRound } else { TokenKind::CloseSquare };
        let open = self.enter()?;
        let (mut items, mut commas) = (Vec::new(), 0);
        while !self.at(close) {
            items.extend(self.gluon_value()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
            commas += 1;
        }
        self.leave(open, close, "`,` or the end of the list")?;
        let span = self.since(start);
        if is_round && commas == 0 && items.len() == 1 {
            return Ok(items.swap_remove(0));
        }
        Ok(Datum { kind: DatumKind::Array(items), span })
    }

    /// A name, what it stands for, or a layout.
    fn gluon_name(&mut self) -> Result<Given> {
        let start = self.token.span;
        self.namespaces();
        let (first, word) = (self.token.span, self.token.span.of(self.text()));
        self.advance();
        if let Some(class) = self.gluon_class(word) {
            let kind = DatumKind::Attribute(self.gluon_layout(class, start)?);
            return Ok(Some(Datum { kind, span: self.since(start) }));
        }
        let is_call = self.at(TokenKind::OpenRound);
        if is_call && self.text_after(self.token.span).trim_start().starts_with(')') {
            self.advance();
            self.advance();
        } else if is_call || matches!(word, "true" | "false") {
            let message = format!("expected a layout of Gluon, found `{word}`");
            let error = SyntaxError::new(code::UNEXPECTED_TOKEN, first, message);
            return Err(match word {
                "true" | "false" => error.with_help("Python writes `True` and `False`"),
                _ => match did_you_mean(word, gluon_classes()) {
                    Some(near) => error.with_help(format!("did you mean `{near}`?")),
                    None => error,
                },
            });
        }
        let kind = match word {
            "True" => DatumKind::Bool(true),
            "False" => DatumKind::Bool(false),
            "None" => return Ok(None),
            // The name of a layout, a number or a type.
            _ => {
                let is_type = type_names::bits(word, type_names::TRITON).is_some();
                let bound = self.names.filter(|_| !is_type).and_then(|names| names(word, first));
                let (kind, leaves) = bound.unwrap_or_else(|| (DatumKind::Word(word.to_owned()), 1));
                self.count_leaves(leaves, first)?;
                kind
            }
        };
        Ok(Some(Datum { kind, span: self.since(start) }))
    }
}

/// What an operator makes of two values.
fn computed(left: &Datum, operator: Operator, right: &Datum) -> Result<DatumKind> {
    let wrong = |span: Span, message: String| SyntaxError::new(code::UNEXPECTED_TOKEN, span, message);
    let whole = left.span.join(right.span);
    for datum in [left, right] {
        if let DatumKind::Word(name) = &datum.kind {
            return Err(
                wrong(datum.span, format!("nothing is computed of {name}, which has no value")).with_help(valued(name))
            );
        }
    }
    match (&left.kind, operator, &right.kind) {
        (DatumKind::Integer(left), _, DatumKind::Integer(by)) => {
            if *by == 0 && matches!(operator, Operator::Divide | Operator::Remainder) {
                return Err(wrong(whole, format!("{left} is divided by 0")));
            }
            if *by < 0 && operator == Operator::Power {
                return Err(wrong(whole, format!("{left} to the power of {by} is no integer")));
            }
            let number = match operator {
                Operator::Add => left.checked_add(*by),
                Operator::Subtract => left.checked_sub(*by),
                Operator::Multiply => left.checked_mul(*by),
                Operator::Divide => left.floor_div(by).ok(),
                Operator::Remainder => left.floor_mod(by).ok(),
                Operator::Power => u32::try_from(*by).ok().and_then(|by| left.checked_pow(by)),
            };
            number.map(DatumKind::Integer).ok_or_else(|| {
                SyntaxError::new(
                    code::INTEGER_TOO_LARGE,
                    whole,
                    "the integer that is computed here has more than 64 bits",
                )
            })
        }
        (DatumKind::Array(left), Operator::Add, DatumKind::Array(right)) => {
            Ok(DatumKind::Array(left.iter().chain(right).cloned().collect()))
        }
        (DatumKind::Array(items), Operator::Multiply, DatumKind::Integer(times))
        | (DatumKind::Integer(times), Operator::Multiply, DatumKind::Array(items)) => {
            let times = usize::try_from(*times).unwrap_or(0);
            if items.len().saturating_mul(times) > MAX_ENTRIES {
                return Err(wrong(whole, format!("a list has at most {MAX_ENTRIES} entries, this one has more")));
            }
            Ok(DatumKind::Array(items.iter().cycle().take(items.len() * times).cloned().collect()))
        }
        _ => Err(wrong(whole, "only integers and lists are computed with".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::{DatumKind, Ints, Span, parse, read, read_with};

    fn names(name: &str, _: Span) -> Option<(DatumKind, usize)> {
        match name {
            "M" => Some((DatumKind::Integer(128), 1)),
            "num_warps" => Some((DatumKind::Integer(4), 1)),
            _ => None,
        }
    }

    /// Values as Python computes them.
    #[test]
    fn arguments_are_computed() {
        for (value, is) in [
            ("32 // 4", "8"),
            ("2 ** 3 * 2", "16"),
            ("1 + 2 * 3 - 1", "6"),
            ("(1 + 2) * 3", "9"),
            ("-7 // 2", "-4"),
            ("7 // -2", "-4"),
            ("-2 ** 2", "-4"),
            ("2 ** 3 ** 2", "512"),
            ("--3 - -(1 + 1)", "5"),
            ("7 % -2", "-1"),
            ("-7 % 2", "1"),
            ("M // 4", "32"),
            ("gl.num_warps()", "4"),
        ] {
            let text = format!("BlockedLayout([1, {value}], [8, 4], [4, 1], [1, 0])");
            let tree = read_with(&text, Ints::Plain, &names).expect(value).tree;
            assert!(tree.to_string().contains(&format!("sizePerThread = [1, {is}]")), "{value}: {tree}");
        }
        let list = read("BlockedLayout([1] * 2, [8] + [4], (4, 1), [1, 0])", Ints::Plain).expect("a list").tree;
        let plain =
            "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";
        assert_eq!(Ok(list), parse(plain, Ints::Plain));
    }

    #[test]
    fn what_has_no_value_is_said() {
        for (value, said) in [
            ("N // 4", "N, which has no value"),
            ("4 // 0", "divided by 0"),
            ("2 ** 99", "more than 64 bits"),
            ("2 ** -1", "is no integer"),
            ("[1] * 100000", "at most"),
            ("[1] - 1", "only integers and lists"),
            ("num_warps(1)", "a layout of Gluon"),
        ] {
            let text = format!("BlockedLayout([1, {value}], [8, 4], [4, 1], [1, 0])");
            let error = read_with(&text, Ints::Plain, &names).expect_err(value);
            assert!(error.message.contains(said), "{value}: {error}");
        }
    }
}
