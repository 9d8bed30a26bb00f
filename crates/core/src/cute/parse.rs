//! Layouts and functions from text: `"((2,2),3):((24,2),8)".parse()`, `"Sw<3,4,3> o 0 o (8,64):(64,1)".parse()`.
//!
//! A shape and a stride are read, a bare shape as its compact layout, and layouts in round brackets as their concatenation.
//! Only literals are read: integers, unknown ones with the sums, products and roundings in which they print, and basis
//! vectors, swizzles, offsets, and `o` between them. The crate `bitstride-lang` evaluates whole expressions. Law:
//! `parse(display(L)) == L`.

use std::str::FromStr;

use super::byte_swizzle::ByteSwizzle;
use super::composed::Function;
use super::layout::{Layout, StaticLayout};
use super::make::column_major;
use super::slice::Offset;
use super::swizzle::Swizzle;
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{self, Int};
use crate::notation::{Expr, ExprKind, Ints, parse, shared_facts};
use crate::tuple::Tuple;

impl FromStr for Layout {
    type Err = Error;

    /// The layout of a literal.
    ///
    /// # Errors
    /// [`Code::Syntax`] for a text that is not in the notation, [`Code::Kind`] for an expression that is no literal of a
    /// layout, [`Code::Profile`] where shape and stride are not nested alike; each with its place in the text.
    fn from_str(text: &str) -> Result<Self, Error> {
        layout(&shared_facts(&parse(text, Ints::Plain)?))
    }
}

impl FromStr for StaticLayout {
    type Err = Error;

    /// The layout of a literal whose integers are all static.
    ///
    /// # Errors
    /// As for [`Layout`], and [`Code::Kind`] for dynamic, unknown and coordinate leaves.
    fn from_str(text: &str) -> Result<Self, Error> {
        let layout: Layout = text.parse()?;
        layout.to_static().ok_or_else(|| {
            error!(Code::Kind, "{layout} is not static: it has dynamic, unknown or coordinate leaves", [layout])
        })
    }
}

impl FromStr for Function {
    type Err = Error;

    /// The function of a literal: a layout, perhaps with an offset, a swizzle, or a chain of them.
    ///
    /// # Errors
    /// As for [`Layout`], and those of [`Function::after`].
    ///
    /// ```
    /// use bitstride::cute::Function;
    /// let function: Function = "Sw<3,4,3> o 0 o (8,64):(64,1)".parse()?;
    /// assert_eq!(function.offset_at(&bitstride::Tuple::flat(&[7.into(), 5.into()]))?.to_string(), "501");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        Function::from_literal(&shared_facts(&parse(text, Ints::Plain)?))
    }
}

impl Function {
    /// The function of a literal that was read, as [`Function::from_str`].
    pub(crate) fn from_literal(tree: &Expr) -> Result<Function, Error> {
        function(tree)
    }
}

fn function(tree: &Expr) -> Result<Function, Error> {
    match &tree.kind {
        ExprKind::Swizzle { bits, base, shift } => Swizzle::new(*bits, *base, *shift).map(Function::Swizzle),
        ExprKind::Bytes(bits) => ByteSwizzle::new(Swizzle::new(0, 0, 0)?, *bits).map(Function::Bytes),
        ExprKind::Sum(terms) => match terms.split_first() {
            Some((first, rest)) if has_layout(first) => {
                let offset = rest.iter().try_fold(Stride::default(), |sum, term| sum.plus(&shift(term)?));
                Ok(Offset { layout: layout(first)?, offset: offset? }.into())
            }
            _ => Err(no_literal(tree)),
        },
        ExprKind::Compose(parts) => chain(parts),
        _ => return layout(tree).map(Function::Layout),
    }
    .map_err(|error| error.with_span(tree.span))
}

/// What an offset adds; into coordinates it is written as a coordinate.
fn shift(tree: &Expr) -> Result<Stride, Error> {
    match &tree.kind {
        ExprKind::Tuple(_) => Stride::from_coordinate(&tuple(tree, &integer)?),
        _ => number(tree),
    }
}

/// From the right, as `o` applies; an integer between two functions is an offset.
fn chain(parts: &[Expr]) -> Result<Function, Error> {
    let mut rest = parts.iter().rev().peekable();
    let innermost = rest.next().ok_or_else(|| Error::new(Code::Arity, "an empty composition"))?;
    let mut inner = function(innermost)?;
    while let Some(mut part) = rest.next() {
        let offset = integer(part).ok();
        if offset.is_some() {
            part = rest.next().ok_or_else(|| no_literal(part))?;
        }
        let mut outer = function(part)?;
        if let (Function::Bytes(_), Some(swizzle)) = (&outer, rest.next_if(|next| is_swizzle(next))) {
            outer = function(swizzle)?.after(&outer)?;
        }
        inner = match offset {
            Some(offset) => Function::compose(outer, offset, inner),
            None => outer.after(&inner)?,
        };
    }
    Ok(inner)
}

fn is_swizzle(tree: &Expr) -> bool {
    matches!(tree.kind, ExprKind::Swizzle { .. })
}

/// The depth of a tree is bounded by the parser, so the recursion is too.
fn layout(tree: &Expr) -> Result<Layout, Error> {
    let layout = match &tree.kind {
        ExprKind::Pair { shape, stride } => tuple(shape, &integer)
            .and_then(|shape| tuple(stride, &number).and_then(|stride| Layout::new(shape, stride))),
        ExprKind::Tuple(entries) if entries.iter().any(has_layout) => {
            entries.iter().map(layout).collect::<Result<Vec<_>, _>>().map(|modes| Layout::of(&modes))
        }
        _ => tuple(tree, &integer).and_then(|shape| column_major(&shape)),
    };
    layout.map_err(|error| error.with_span(tree.span))
}

fn has_layout(tree: &Expr) -> bool {
    match &tree.kind {
        ExprKind::Pair { .. } => true,
        ExprKind::Tuple(entries) => entries.iter().any(has_layout),
        _ => false,
    }
}

fn tuple<T: Clone + Default>(tree: &Expr, leaf: &impl Fn(&Expr) -> Result<T, Error>) -> Result<Tuple<T>, Error> {
    match &tree.kind {
        ExprKind::Tuple(entries) => {
            let entries: Vec<Tuple<T>> = entries.iter().map(|entry| tuple(entry, leaf)).collect::<Result<_, _>>()?;
            Ok(Tuple::of(&entries))
        }
        _ => leaf(tree).map(Tuple::leaf).map_err(|error| error.with_span(tree.span)),
    }
}

fn integer(tree: &Expr) -> Result<Int, Error> {
    match number(tree)? {
        Stride::Int(n) => Ok(n),
        Stride::Basis(_) => Err(error!(Code::Kind, "{tree} is a basis vector; an extent is an integer", [tree])),
    }
}

fn number(tree: &Expr) -> Result<Stride, Error> {
    let n = match &tree.kind {
        ExprKind::Static(n) => Int::Static(*n),
        ExprKind::Dynamic(n) => Int::Dynamic(*n),
        ExprKind::Unknown { name: Some(name), div } => Int::named(name, *div),
        ExprKind::Unknown { name: None, div } => Int::Unknown((*div).max(1)),
        ExprKind::Basis { value, path } => {
            return Ok(Stride::basis(integer(value)?, path.iter().rev().copied().collect()));
        }
        ExprKind::Sum(terms) => {
            return terms.iter().try_fold(Stride::default(), |sum, term| sum.plus(&number(term)?));
        }
        ExprKind::Product(factors) => {
            return factors.iter().try_fold(Stride::Int(Int::from(1)), |product, factor| {
                match (&product, number(factor)?) {
                    (Stride::Int(n), stride) => stride.scale(n),
                    (basis, Stride::Int(n)) => basis.scale(&n),
                    _ => Err(Error::new(Code::Kind, "a product has at most one basis vector")),
                }
            });
        }
        ExprKind::Call { name, modes: None, arguments } => match arguments.as_slice() {
            [left, right] => int::call(&name.text, &integer(left)?, &integer(right)?)?,
            _ => return Err(no_literal(tree)),
        },
        _ => return Err(no_literal(tree)),
    };
    Ok(Stride::Int(n))
}

fn no_literal(tree: &Expr) -> Error {
    error!(Code::Kind, "{tree} is not written out as a layout: a shape, a colon and a stride are expected", [tree])
        .with_help("evaluate the expression and take its value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_reads_what_it_prints() -> Result<(), Error> {
        for text in [
            "((2,2),3):((24,2),8)",
            "(5?,M{div=8},?):(1,5?,?{div=4})",
            "(2,ceil_div(2*N,4)):(1@0,2@1@0+1@1)",
            "(4,8):(-1,M{div=8}*N+-3*K)",
            "mod(M,4):min(M,8)",
            "1:0",
        ] {
            let layout: Layout = text.parse()?;
            assert_eq!(layout.to_string().parse::<Layout>()?, layout, "{text}");
        }
        assert_eq!("(4,(2,4))".parse::<Layout>()?.to_string(), "(4,(2,4)):(1,(4,8))");
        assert_eq!("(4:1,(2,2):(8,4))".parse::<Layout>()?.to_string(), "(4,(2,2)):(1,(8,4))");
        Ok(())
    }

    #[test]
    fn a_function_reads_what_it_prints() -> Result<(), Error> {
        for text in [
            "(4,8):(8,1)",
            "(4,8):(8,1) + 7",
            "(4,8):(1@0,1@1) + (1,2)",
            "Sw<3,4,3>",
            "bytes[16]",
            "Sw<3,4,3> o bytes[16]",
            "Sw<3,4,3> o bytes[16] o (8,64):(64,1)",
            "Sw<3,4,3> o bytes[16] o 5 o (8,64):(64,1)",
            "Sw<1,2,2> o 3 o Sw<3,4,3> o 0 o (8,64):(64,1)",
            "(8,64):(64,1) o 2 o Sw<1,0,1> o M o 4:N",
        ] {
            assert_eq!(text.parse::<Function>()?.to_string(), text);
        }
        assert_eq!("Sw<3,3,3> o (8,64):(64,1)".parse::<Function>()?.to_string(), "Sw<3,3,3> o 0 o (8,64):(64,1)");
        assert_eq!("2 o 4:1".parse::<Function>().map_err(|error| error.code()), Err(Code::Kind));
        Ok(())
    }

    #[test]
    fn what_must_be_evaluated_is_refused_at_its_place() {
        // A swizzle is no stride at all: what is before it would be the label of a print.
        let no_stride = Code::Syntax("unexpected-token");
        for (text, code, at) in [
            ("complement(4:1,16)", Code::Kind, 0),
            ("(4,size(8)):(1,4)", Code::Kind, 3),
            ("4:Sw<1,0,3>", no_stride, 2),
            ("4:1 o 4:1", Code::Kind, 0),
        ] {
            let error = text.parse::<Layout>().expect_err(text);
            assert_eq!((error.code(), error.span().map(|span| span.start)), (code, Some(at)), "{text}");
        }
    }
}
