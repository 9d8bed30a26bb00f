//! The arguments of a call in another language: values, perhaps with keywords, and words that order a layout.

use super::Dialect;
use crate::names::did_you_mean;
use crate::notation::attribute::DatumKind;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::{Token, TokenKind};
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// How CuTe C++ says in which order a layout is compact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    ColumnMajor,
    RowMajor,
}

impl Order {
    /// The order that a type of CuTe C++ stands for.
    pub(super) fn of(word: &str) -> Option<Order> {
        match word {
            "LayoutLeft" | "GenColMajor" => Some(Order::ColumnMajor),
            "LayoutRight" | "GenRowMajor" => Some(Order::RowMajor),
            _ => None,
        }
    }

    /// The operation that makes the layout of a shape.
    pub(super) fn operation(self) -> &'static str {
        match self {
            Order::ColumnMajor => "column_major",
            Order::RowMajor => "row_major",
        }
    }
}

/// Whether `{}` or `()` begins a text.
fn is_default_made(text: &str) -> bool {
    [('{', '}'), ('(', ')')]
        .iter()
        .any(|(open, close)| text.strip_prefix(*open).is_some_and(|inside| inside.trim_start().starts_with(*close)))
}

/// The order that a word was probably meant to be.
fn nearest_order(word: &str) -> Option<&'static str> {
    match word {
        "RowMajor" => Some("LayoutRight"),
        "ColumnMajor" | "ColMajor" => Some("LayoutLeft"),
        _ => did_you_mean(word, ["LayoutLeft", "LayoutRight", "GenColMajor", "GenRowMajor"]),
    }
}

/// Whether an order of NumPy, in letters of either case, is that of Fortran.
pub(super) fn is_column_major(order: &Expr, function: &str) -> Result<bool> {
    match &order.kind {
        ExprKind::Name(name) | ExprKind::Quoted(name) if name.text.eq_ignore_ascii_case("F") => Ok(true),
        ExprKind::Name(name) | ExprKind::Quoted(name) if name.text.eq_ignore_ascii_case("C") => Ok(false),
        _ => {
            let message = format!("{function} is read with order='C' or order='F'");
            Err(SyntaxError::new(code::UNEXPECTED_TOKEN, order.span, message))
        }
    }
}

/// What stands between two commas.
#[derive(Debug)]
pub(super) enum Given {
    Value(Expr),
    Order(Order, Span),
}

/// An argument.
#[derive(Debug)]
pub(super) struct Argument {
    pub(super) keyword: Option<Name>,
    pub(super) given: Given,
}

impl Cursor<'_> {
    /// The arguments between the bracket at hand and its partner, and both.
    pub(super) fn arguments(&mut self, close: TokenKind) -> Result<Vec<Argument>> {
        let open = self.enter()?;
        self.arguments_until(open, close)
    }

    /// The arguments up to the partner of a bracket, and it.
    pub(super) fn arguments_until(&mut self, open: Token, close: TokenKind) -> Result<Vec<Argument>> {
        let mut arguments = Vec::new();
        while !self.at(close) && !self.at(TokenKind::End) {
            let argument = self.foreign_argument()?;
            // Where in a program CuTe DSL makes the call.
            let is_location = |name: &Name| matches!(name.text.as_str(), "loc" | "ip");
            if !argument.keyword.as_ref().is_some_and(is_location) {
                arguments.push(argument);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave_list(open, close)?;
        Ok(arguments)
    }

    pub(super) fn foreign_argument(&mut self) -> Result<Argument> {
        // pycute names parameters `_shape`, `_stride`.
        let is_private = self.at(TokenKind::Underscore)
            && self.text_after(self.token.span).starts_with(|c: char| c.is_ascii_alphabetic());
        if is_private {
            self.advance();
        }
        let span = self.token.span;
        let rest = self.text_after(span).trim_start();
        let is_keyword = self.at(TokenKind::Word) && rest.starts_with('=') && !rest.starts_with("==");
        let keyword = is_keyword.then(|| Name { text: span.of(self.text()).to_owned(), span });
        if is_keyword {
            self.advance();
            self.advance();
        }
        let given = match self.order() {
            Some(order) => Given::Order(order, span),
            None => {
                self.check_order()?;
                Given::Value(self.expression()?)
            }
        };
        Ok(Argument { keyword, given })
    }

    /// Refuses what is nearly `LayoutRight{}`, which would be the name of an unknown: `LayoutRigth{}`, `RowMajor{}`.
    fn check_order(&self) -> Result<()> {
        let span = self.token.span;
        let word = span.of(self.text());
        let rest = self.text_after(span).trim_start();
        if !self.at(TokenKind::Word) || Order::of(word).is_some() {
            return Ok(());
        }
        match nearest_order(word).filter(|_| is_default_made(rest)) {
            Some(meant) => Err(self.no_order(&format!("{meant}{{}}"))),
            None => Ok(()),
        }
    }

    /// Refuses what is nearly `LayoutRight` where a type stands.
    pub(super) fn check_order_type(&self) -> Result<()> {
        let span = self.token.span;
        let is_alone = self.text_after(span).trim_start().starts_with(['>', '{']);
        match nearest_order(span.of(self.text())).filter(|_| self.at(TokenKind::Word) && is_alone) {
            Some(meant) => Err(self.no_order(meant)),
            None => Ok(()),
        }
    }

    fn no_order(&self, meant: &str) -> Box<SyntaxError> {
        let span = self.token.span;
        let message = format!("CuTe has no order of a layout that is called `{}`", span.of(self.text()));
        SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(format!("did you mean `{meant}`?"))
    }

    /// `LayoutRight{}`, if that is at hand.
    pub(super) fn order(&mut self) -> Option<Order> {
        let (mut word, mut rest) = (self.token.span.of(self.text()), self.text_after(self.token.span).trim_start());
        let is_scoped = word == "cute" && rest.starts_with("::");
        if is_scoped {
            rest = rest.trim_start_matches(':').trim_start();
            word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            rest = rest.strip_prefix(word).unwrap_or_default().trim_start();
        }
        let order = Order::of(word)?;
        if !is_default_made(rest) {
            return None;
        }
        self.namespaces();
        self.advance();
        self.default_made();
        self.spelled(Dialect::CuteCpp);
        Some(order)
    }
}

impl Cursor<'_> {
    /// Takes away round brackets around one integer or tuple without a comma, which in Python only group: `(4)` is 4 there, and `(4,)` is
    /// the tuple. Within what a compiler printed they are a tuple.
    pub(super) fn ungroup(&self, arguments: &mut [Argument]) {
        for argument in arguments {
            if let Given::Value(value) = &mut argument.given {
                self.ungroup_tree(value);
            }
        }
    }

    /// The number that a name is bound to, where a text needs one to be read; `None` for a name of something else.
    pub(super) fn bound_integer(&mut self, name: &str, span: Span) -> Result<Option<Expr>> {
        match self.names.and_then(|names| names(name, span)) {
            Some((DatumKind::Integer(number), _)) => self.leaf(ExprKind::Static(number), span).map(Some),
            _ => Ok(None),
        }
    }

    fn ungroup_tree(&self, tree: &mut Expr) {
        let ExprKind::Tuple(entries) = &mut tree.kind else { return };
        entries.iter_mut().for_each(|entry| self.ungroup_tree(entry));
        let text = tree.span.of(self.text());
        let inside = text.strip_prefix('(').and_then(|text| text.trim_end().strip_suffix(')'));
        if entries.len() == 1
            && inside.is_some_and(|inside| !inside.trim_end().ends_with(','))
            && let Some(only) = entries.pop()
        {
            *tree = only;
        }
    }
}

/// Arguments without keywords as values.
pub(super) fn values(arguments: Vec<Argument>, function: &str) -> Result<Vec<Expr>> {
    arguments.into_iter().map(|argument| value(argument.given, function)).collect()
}

fn value(given: Given, function: &str) -> Result<Expr> {
    match given {
        Given::Value(value) => Ok(value),
        Given::Order(_, span) => {
            let message = format!("an order such as LayoutRight is no argument of {function} here");
            Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                .with_help("write it last: `make_layout(make_shape(_8{}, _64{}), LayoutRight{})`"))
        }
    }
}

const TUPLE: &str = "several integers that are one argument stand in brackets, as in `(8,64)`";

/// The keyword that was probably meant; `sizePerThread` is `size_per_thread`.
pub(super) fn nearest_keyword<'p>(name: &str, parameters: impl Iterator<Item = &'p str> + Clone) -> Option<&'p str> {
    let letters = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let same = parameters.clone().find(|parameter| letters(parameter) == letters(name));
    same.or_else(|| did_you_mean(name, parameters))
}

/// Arguments in the order of their parameters, by position and by keyword.
pub(super) fn placed(arguments: Vec<Argument>, function: &str, parameters: &[&str]) -> Result<Vec<Option<Expr>>> {
    let plain = |parameter: &str| parameter.trim_matches(['[', ']']).to_owned();
    let signature = || format!("{function}({})", parameters.join(", "));
    let mut given: Vec<Option<Expr>> = parameters.iter().map(|_| None).collect();
    let mut last = Span::default();
    for (position, argument) in arguments.into_iter().enumerate() {
        let place = match &argument.keyword {
            Some(Name { text, span }) => {
                last = *span;
                parameters.iter().position(|parameter| plain(parameter) == *text)
            }
            None => Some(position),
        };
        let is_none = |value: &Expr| matches!(value.kind, ExprKind::Wildcard);
        let value = value(argument.given, function)?;
        last = if argument.keyword.is_some() { last } else { value.span };
        let Some(place) = place.and_then(|place| given.get_mut(place)) else {
            let message = format!("{function} has no such argument: it is {}", signature());
            let error = SyntaxError::new(code::UNEXPECTED_TOKEN, last, message);
            let names = parameters.iter().map(|parameter| parameter.trim_matches(['[', ']']));
            return Err(match argument.keyword {
                Some(name) if function == "make_layout" && name.text == "order" => {
                    error.with_help("the layout with an order is `make_ordered_layout((8,64), order=(1,0))`")
                }
                Some(name) => match nearest_keyword(&name.text, names) {
                    Some(near) => error.with_help(format!("did you mean `{near}`?")),
                    None => error,
                },
                None => error.with_help(TUPLE),
            });
        };
        if place.is_some() {
            let message = format!("this argument of {function} is given twice: it is {}", signature());
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, last, message).with_help(TUPLE));
        }
        // `stride=None` is the same as no stride.
        let left_out = argument.keyword.is_some() && is_none(&value);
        *place = (!left_out).then_some(value);
    }
    let missing = given.iter().zip(parameters).find(|(value, name)| value.is_none() && !name.starts_with('['));
    if let Some((_, name)) = missing {
        let message = format!("`{name}` is missing: the call is {}", signature());
        return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, last, message));
    }
    Ok(given)
}
