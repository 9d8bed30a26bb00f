//! [`UnknownSizes`]: chains of tensor methods in which sizes are not known, as `torch.empty(B, 64, D).permute(0, 2, 1)`.
//!
//! Sizes and strides of such a chain are products: of numbers, and of sizes that are not known. All that its methods do with them is
//! to multiply, to divide without a rest, and to compare for equality. So each unknown stands for a prime that divides no number of
//! the chain, the chain is computed with numbers, and what comes out is factored again: two products of the numbers are equal, or
//! divide each other, just where the products of the unknowns do. What compares sizes otherwise is refused with the size that is
//! missing.
//!
//! Law: with numbers in place of the unknowns, the answer is the answer to the chain of these numbers.

use std::collections::BTreeSet;

use super::of_text;
use crate::bindings::Bindings;
use crate::numbers::whole;
use crate::value::Value;
use bitstride::notation::{Expr, ExprKind};
use bitstride::{Code, Error, error};

/// The sizes of a chain that are not known, each with the prime that stands for it.
pub(super) struct UnknownSizes(Vec<(String, i64)>);

/// Numbers from which on primes are looked for: no rank of a tensor is one of them.
const FIRST_PRIME: i64 = 101;

impl UnknownSizes {
    /// Those of the sizes and strides that a chain begins with, and of the arguments of its methods; none where all are numbers.
    pub(super) fn of(base: &Expr, arguments: &[&[Expr]]) -> Option<Self> {
        let (mut names, mut numbers) = (BTreeSet::new(), BTreeSet::new());
        if let ExprKind::Call { name, modes: None, arguments } = &base.kind
            && name.text == "tensor"
        {
            arguments.iter().for_each(|argument| collect(argument, &mut names, &mut numbers));
        }
        arguments.iter().copied().flatten().for_each(|argument| collect(argument, &mut names, &mut numbers));
        let is_prime = |n: i64| (2..n).take_while(|factor| factor * factor <= n).all(|factor| n % factor != 0);
        let mut primes =
            (FIRST_PRIME..).filter(|n| is_prime(*n) && numbers.iter().all(|number| *number == 0 || number % n != 0));
        let known: Vec<(String, i64)> = names.into_iter().filter_map(|name| Some((name, primes.next()?))).collect();
        (!known.is_empty()).then_some(UnknownSizes(known))
    }

    /// An expression with numbers for the sizes.
    pub(super) fn placed(&self, tree: &Expr) -> Result<Expr, Error> {
        let mut bindings = Bindings::default();
        for (name, prime) in &self.0 {
            bindings.bind(name, &whole(*prime))?;
        }
        bindings.resolve(tree)
    }

    /// A size or stride as a product of numbers and names.
    pub(super) fn written(&self, number: i64) -> String {
        let mut rest = number;
        let mut factors: Vec<&str> = Vec::new();
        for (name, prime) in &self.0 {
            while rest != 0 && rest % prime == 0 {
                rest /= prime;
                factors.push(name);
            }
        }
        match (rest, factors.as_slice()) {
            (_, []) => rest.to_string(),
            (1, factors) => factors.join("*"),
            (-1, factors) => format!("-{}", factors.join("*")),
            (rest, factors) => format!("{rest}*{}", factors.join("*")),
        }
    }

    /// Several of them as a tuple.
    pub(super) fn tuple(&self, numbers: &[i64]) -> String {
        format!("({})", numbers.iter().map(|number| self.written(*number)).collect::<Vec<_>>().join(","))
    }

    /// The names that a size is a product of.
    fn within(&self, size: i64) -> Vec<&str> {
        self.0.iter().filter(|(_, prime)| size % prime == 0).map(|(name, _)| name.as_str()).collect()
    }

    /// Why a method has no answer for sizes that are not known, where it asks for more than products.
    ///
    /// # Errors
    /// [`Code::MissingFact`], with the sizes that are missing.
    pub(super) fn allowed(&self, method: &str, arguments: usize, sizes: &[i64], at: Option<i64>) -> Result<(), Error> {
        let of_dim = |at: i64| {
            let from_front = if at < 0 { at.checked_add(bitstride::cast::length(sizes.len())) } else { Some(at) };
            from_front.and_then(|at| usize::try_from(at).ok()).and_then(|at| sizes.get(at)).copied()
        };
        let asked: Vec<i64> = match (method, arguments) {
            ("squeeze", 0) => sizes.to_vec(),
            ("squeeze", _) => at.map_or_else(|| sizes.to_vec(), |at| of_dim(at).into_iter().collect()),
            // The first element that is left has an offset, which may be a sum.
            (
                "select" | "slice" | "narrow" | "as_strided" | "chunk" | "split" | "tensor_split" | "equal_split"
                | "unbind" | "unfold" | "diagonal" | "flip" | "reverse" | "clone" | "to" | "like" | "repeat" | "tile"
                | "is_contiguous",
                _,
            ) => self.0.iter().map(|(_, prime)| *prime).collect(),
            _ => Vec::new(),
        };
        let mut missing: Vec<&str> = asked.into_iter().flat_map(|size| self.within(size)).collect();
        missing.dedup();
        match missing.as_slice() {
            [] => Ok(()),
            _ => Err(self.missing(&missing, &format!("what {method} does depends on it"))),
        }
    }

    fn missing(&self, names: &[&str], why: &str) -> Error {
        let sizes = names.join(" and ");
        let refused = match names {
            [_] => error!(Code::MissingFact, "the size {sizes} is not known, and {why}", [sizes, why]),
            _ => error!(Code::MissingFact, "the sizes {sizes} are not known, and {why}", [sizes, why]),
        };
        refused.with_help(format!("write numbers for {sizes}"))
    }

    /// The refusal of a chain that copies and asks where its elements lay before.
    pub(super) fn copied(&self) -> Error {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        self.missing(&names, "after a copy the places of the elements before it follow from numbers only")
    }

    /// An error with the sizes as they were written. What is refused for a size that is not known may be granted for some numbers.
    pub(super) fn renamed(&self, error: Error) -> Error {
        let message = self.text(error.message());
        if message == error.message() {
            return error;
        }
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        let renamed = error!(
            Code::MissingFact,
            "not for all values of {names}: {message}",
            [names = names.join(" and "), message]
        )
        .with_help(format!("write numbers for {}", names.join(" and ")));
        match error.span() {
            Some(span) => renamed.with_span(span),
            None => renamed,
        }
    }

    /// A text with the sizes as they were written.
    pub(super) fn text(&self, text: &str) -> String {
        let mut renamed = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, from_digit) = rest.split_at_checked(start).unwrap_or((rest, ""));
            let end = from_digit.find(|c: char| !c.is_ascii_digit()).unwrap_or(from_digit.len());
            let (digits, after) = from_digit.split_at_checked(end).unwrap_or((from_digit, ""));
            renamed.push_str(before);
            renamed.push_str(&digits.parse().map_or_else(|_| digits.to_owned(), |number| self.written(number)));
            rest = after;
        }
        renamed.push_str(rest);
        renamed
    }

    /// A tensor of these sizes and strides as a layout of CuTe, one mode a dim.
    pub(super) fn layout(&self, sizes: &[i64], strides: &[i64], offset: i64) -> Result<Value, Error> {
        let start = if offset == 0 { String::new() } else { format!(" + {}", self.written(offset)) };
        self.value(&format!("{}:{}{start}", self.tuple(sizes), self.tuple(strides)))
    }

    /// The value of a text in which the unknowns have their names.
    pub(super) fn value(&self, text: &str) -> Result<Value, Error> {
        of_text(text)
    }
}

/// The names of unknown integers of an expression, and its numbers.
fn collect(tree: &Expr, names: &mut BTreeSet<String>, numbers: &mut BTreeSet<i64>) {
    match &tree.kind {
        ExprKind::Unknown { name: Some(name), div: 1 } => {
            names.insert(name.clone());
        }
        ExprKind::Static(number) => {
            numbers.insert(*number);
        }
        // A pattern of einops has sizes of axes in it.
        ExprKind::Quoted(name) => {
            numbers.extend(name.text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<i64>().ok()));
        }
        _ => {}
    }
    tree.parts().for_each(|part| collect(part, names, numbers));
}
