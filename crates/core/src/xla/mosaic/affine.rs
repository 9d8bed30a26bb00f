//! The affine map of a [`TiledAttribute`], with the simplifications that MLIR makes while it builds one.
//!
//! Each tile replaces the last dims `e` by `e floordiv t` and then by `e mod t`; the offset is the sum of all that is left
//! times its stride. Nothing is simplified by extents. What MLIR does drop or fold:
//!
//! | written | becomes |
//! |---|---|
//! | `e floordiv 1`, `e * 1` | `e` |
//! | `e mod 1`, `e * 0` | nothing |
//! | `(e mod a) mod b` where `b` divides `a` | `e mod b` |
//! | `e * b + e * c`, one right after the other | `e * (b + c)` |
//!
//! An operand of `floordiv`, `mod` and `*` that has an operator stands in brackets; a term of the sum does not.

use std::fmt::{self, Write};

use super::TiledAttribute;
use crate::error::Error;

/// An expression in one dim, built with the simplifications.
#[derive(Clone, Debug, PartialEq)]
enum Expr {
    Zero,
    Dim(usize),
    FloorDiv(Box<Expr>, i64),
    Mod(Box<Expr>, i64),
}

impl Expr {
    fn floor_div(self, by: i64) -> Self {
        match self {
            Expr::Zero => Expr::Zero,
            expr if by == 1 => expr,
            expr => Expr::FloorDiv(Box::new(expr), by),
        }
    }

    fn modulo(self, by: i64) -> Self {
        match self {
            Expr::Zero => Expr::Zero,
            _ if by == 1 => Expr::Zero,
            Expr::Mod(expr, of) if of % by == 0 => Expr::Mod(expr, by),
            expr => Expr::Mod(Box::new(expr), by),
        }
    }

    /// The expression as an operand of an operator.
    fn operand(&self, out: &mut String) -> fmt::Result {
        if matches!(self, Expr::Zero | Expr::Dim(_)) {
            return self.write(out);
        }
        out.push('(');
        self.write(out)?;
        out.push(')');
        Ok(())
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        match self {
            Expr::Zero => write!(out, "0"),
            Expr::Dim(dim) => write!(out, "d{dim}"),
            Expr::FloorDiv(expr, by) => {
                expr.operand(out)?;
                write!(out, " floordiv {by}")
            }
            Expr::Mod(expr, by) => {
                expr.operand(out)?;
                write!(out, " mod {by}")
            }
        }
    }
}

impl TiledAttribute {
    /// The affine map from an index to the offset in elements, as MLIR prints it.
    ///
    /// # Errors
    /// `invalid-layout` for tiles that have no meaning; `overflow` when a stride in elements does not fit in 64 bits.
    ///
    /// ```
    /// use bitstride::xla::mosaic::TiledAttribute;
    /// let tiled: TiledAttribute = "#tpu.tiled<(1024)(128)(2,1),[3,1]>".parse()?;
    /// assert_eq!(
    ///     tiled.affine_map()?,
    ///     "(d0, d1) -> (d0 * 3072 + (d1 floordiv 1024) * 1024 + (((d1 mod 1024) floordiv 128) floordiv 2) * 256 \
    ///      + (d1 mod 128) * 2 + ((d1 mod 1024) floordiv 128) mod 2)",
    /// );
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn affine_map(&self) -> Result<String, Error> {
        // The tiles have a meaning, and no extent of 0 to divide by, once they have strides.
        let strides = self.strides()?;
        let terms = terms(self.digits(), &strides)?;
        let dims: Vec<_> = (0..self.tile_strides.len()).map(|dim| format!("d{dim}")).collect();
        let mut out = format!("({}) -> (", dims.join(", "));
        // Writing into a String does not fail.
        let _ = sum(&terms, &mut out);
        out.push(')');
        Ok(out)
    }

    /// What each tiled dim is of the index, major first.
    fn digits(&self) -> Vec<Expr> {
        let mut digits: Vec<_> = (0..self.tile_strides.len()).map(Expr::Dim).collect();
        for tile in &self.tiles {
            let cut = digits.split_off(digits.len().saturating_sub(tile.len()));
            digits.extend(cut.iter().zip(tile).map(|(digit, by)| digit.clone().floor_div(*by)));
            digits.extend(cut.into_iter().zip(tile).map(|(digit, by)| digit.modulo(*by)));
        }
        digits
    }

    /// The stride of each tiled dim in elements.
    fn strides(&self) -> Result<Vec<i64>, Error> {
        let (_, inside) = self.inside()?;
        let overflow = || Error::overflow("a stride in elements");
        let mut size = 1i64;
        let mut within = Vec::new();
        for extent in inside.iter().rev() {
            within.push(size);
            size = size.checked_mul(*extent).ok_or_else(overflow)?;
        }
        let grid = self.tile_strides.iter().map(|stride| stride.checked_mul(size).ok_or_else(overflow));
        grid.chain(within.into_iter().rev().map(Ok)).collect()
    }
}

/// The digits with their strides, those that are 0 left out.
fn terms(digits: Vec<Expr>, strides: &[i64]) -> Result<Vec<(Expr, i64)>, Error> {
    let mut terms: Vec<(Expr, i64)> = Vec::new();
    for (digit, stride) in digits.into_iter().zip(strides) {
        if digit == Expr::Zero || *stride == 0 {
            continue;
        }
        match terms.last_mut() {
            Some((last, factor)) if *last == digit => {
                *factor = factor.checked_add(*stride).ok_or_else(|| Error::overflow("a factor of the map"))?;
            }
            _ => terms.push((digit, *stride)),
        }
    }
    Ok(terms)
}

fn sum(terms: &[(Expr, i64)], out: &mut String) -> fmt::Result {
    let Some(((digit, factor), rest)) = terms.split_first() else {
        return write!(out, "0");
    };
    match factor {
        1 => digit.write(out)?,
        -1 => {
            out.push('-');
            digit.operand(out)?;
        }
        factor => {
            digit.operand(out)?;
            write!(out, " * {factor}")?;
        }
    }
    for (digit, factor) in rest {
        out.push_str(if *factor < 0 { " - " } else { " + " });
        match factor.unsigned_abs() {
            1 => digit.write(out)?,
            factor => {
                digit.operand(out)?;
                write!(out, " * {factor}")?;
            }
        }
    }
    Ok(())
}
