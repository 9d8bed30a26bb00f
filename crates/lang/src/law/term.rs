//! [`Term`]: an expression of a law, with the operands in their places, ready to be evaluated at many points.
//!
//! What does not depend on the point is computed once. A name called as a function is an operand that is applied, a word of
//! laws ([`words`](super::words)), or an operation of the language. Law: a term at a point is what the language says of the same
//! expression with numbers for the variables.

use super::item::Item;
use super::words;
use crate::operation::Calls;
use crate::value::Value;
use bitstride::notation::{Expr, ExprKind};
use bitstride::{Code, Error, Int, Tuple, error};

/// What a law may use: the names of operands and the answer, and operations.
pub(super) struct Scope<'v> {
    pub(super) operands: &'v [(&'v str, Item)],
    pub(super) calls: &'v Calls,
}

pub(super) enum Term {
    Constant(Item),
    /// A variable, by its number.
    Variable(usize),
    /// A layout at a place.
    At(Box<Term>, Box<Term>),
    Operation(Calls, &'static str, Vec<Term>),
    Word(words::Word, Vec<Term>),
    Sum(Vec<Term>),
    Product(Vec<Term>),
    Tuple(Vec<Term>),
}

impl Term {
    /// The term of an expression over operands and variables.
    pub(super) fn of(tree: &Expr, scope: &Scope<'_>, variables: &[&str]) -> Result<Term, Error> {
        let parts = |parts: &[Expr]| {
            parts.iter().map(|part| Term::of(part, scope, variables)).collect::<Result<Vec<_>, Error>>()
        };
        let term = match &tree.kind {
            ExprKind::Static(n) => Term::Constant(Item::number(*n)),
            ExprKind::Name(name) => return named(&name.text, scope, variables),
            ExprKind::Unknown { name: Some(name), .. } => return named(name, scope, variables),
            ExprKind::Sum(terms) => Term::Sum(parts(terms)?),
            ExprKind::Product(factors) => Term::Product(parts(factors)?),
            ExprKind::Tuple(entries) => Term::Tuple(parts(entries)?),
            ExprKind::Call { name, modes: None, arguments } => {
                let name = name.text.as_str();
                let mut arguments = parts(arguments)?;
                let is_operand = scope.operands.iter().any(|(own, _)| *own == name);
                match (words::word(name), (scope.calls.named)(name).ok()) {
                    (Some(word), _) => Term::Word(word, arguments),
                    // `layout(R,0)(i)` is read as `crd2idx(i, layout(R,0))`.
                    (_, Some(_)) if name == "crd2idx" && arguments.len() == 2 => {
                        let whole = arguments.pop().ok_or_else(|| unknown(tree))?;
                        let place = arguments.pop().ok_or_else(|| unknown(tree))?;
                        Term::At(Box::new(whole), Box::new(place))
                    }
                    (_, Some(operation)) => Term::Operation(*scope.calls, operation.name, arguments),
                    (None, None) if is_operand => {
                        let place = if arguments.len() == 1 { arguments.pop() } else { Some(Term::Tuple(arguments)) };
                        let place = place.ok_or_else(|| unknown(tree))?;
                        Term::At(Box::new(named(name, scope, variables)?), Box::new(place))
                    }
                    _ => return Err(unknown(tree)),
                }
            }
            _ => return Err(unknown(tree)),
        };
        // What has no value yet may never be needed.
        Ok(match term.is_constant().then(|| term.value(&[])) {
            Some(Ok(value)) => Term::Constant(value),
            _ => term,
        })
    }

    fn is_constant(&self) -> bool {
        match self {
            Term::Constant(_) => true,
            Term::Variable(_) => false,
            Term::At(whole, place) => whole.is_constant() && place.is_constant(),
            Term::Operation(_, _, parts)
            | Term::Word(_, parts)
            | Term::Sum(parts)
            | Term::Product(parts)
            | Term::Tuple(parts) => parts.iter().all(Term::is_constant),
        }
    }

    /// The value where the variables have these.
    pub(super) fn value(&self, variables: &[Item]) -> Result<Item, Error> {
        let values = |parts: &[Term]| parts.iter().map(|part| part.value(variables)).collect::<Result<Vec<_>, _>>();
        match self {
            Term::Constant(item) => Ok(item.clone()),
            Term::Variable(number) => variables.get(*number).cloned().ok_or_else(|| Error::overflow("a variable")),
            Term::At(whole, place) => whole.value(variables)?.at(&place.value(variables)?),
            Term::Operation(calls, name, parts) => {
                let values: Vec<Value> = values(parts)?.into_iter().map(Item::into_value).collect();
                (calls.call)(name, &values).map(|answer| Item::from(answer.value))
            }
            Term::Word(word, parts) => word(&values(parts)?),
            Term::Sum(parts) => {
                let mut terms = values(parts)?.into_iter();
                let first = terms.next().unwrap_or_else(|| Item::number(0));
                terms.try_fold(first, |sum, term| sum.plus(&term))
            }
            Term::Product(parts) => {
                let mut factors = values(parts)?.into_iter();
                let first = factors.next().unwrap_or_else(|| Item::number(1));
                factors.try_fold(first, |product, factor| match factor.as_number() {
                    Ok(n) => product.times(n),
                    Err(_) => factor.times(product.as_number()?),
                })
            }
            Term::Tuple(parts) => {
                let entries = values(parts)?.into_iter().map(|entry| entry.into_value().as_shape());
                let entries: Vec<Tuple<Int>> = entries.collect::<Result<_, _>>()?;
                Ok(Item::from(Value::from(Tuple::of(&entries))))
            }
        }
    }
}

/// A variable, an operand, or a word that names a dim.
fn named(name: &str, scope: &Scope<'_>, variables: &[&str]) -> Result<Term, Error> {
    if let Some(number) = variables.iter().rposition(|own| *own == name) {
        return Ok(Term::Variable(number));
    }
    match scope.operands.iter().find(|(own, _)| *own == name) {
        Some((_, item)) => Ok(Term::Constant(item.clone())),
        None => Err(error!(Code::UnknownName, "the law names {name}, which is no operand here", [name])),
    }
}

fn unknown(tree: &Expr) -> Error {
    error!(Code::UnknownName, "the law has a term that is not read: {tree}", [tree])
}
