//! From a syntax tree back to text.
//!
//! The canonical text has no spaces inside tuples and layouts
//! (`((2,2),3):((24,2),8)`), a space after the commas of calls and tilers
//! (`composition(A, <3:4, 8:2>)`) and spaces around `o`. A sum has them when a
//! layout is among its summands: `4:1 + 7` but `M+4` and `1@0+1@1`.

use std::fmt::{self, Display, Formatter, Write};

use super::attribute::in_quotes;
use super::{Expr, ExprKind, Ints};

/// An expression to be displayed in a chosen spelling of integers; made by
/// [`Expr::display`].
#[derive(Debug, Clone, Copy)]
pub struct Printed<'e> {
    expr: &'e Expr,
    style: Style,
}

/// How the text around a node is written.
#[derive(Debug, Clone, Copy)]
struct Style {
    ints: Ints,
    /// No spaces: inside a tuple, a layout or a tiler.
    tight: bool,
}

impl Expr {
    /// The canonical text, with integers spelled as `ints` says. `to_string()`
    /// is the plain one.
    ///
    /// ```
    /// use bitstride::notation::{Ints, parse};
    /// let tree = parse("(2,3?):(1,M{div=4})", Ints::Plain)?;
    /// assert_eq!(tree.display(Ints::Cpp).to_string(), "(_2,3):(_1,M{div=4})");
    /// # Ok::<(), bitstride::notation::SyntaxError>(())
    /// ```
    pub fn display(&self, ints: Ints) -> Printed<'_> {
        let style = Style { ints, tight: false };
        Printed { expr: self, style }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.display(Ints::Plain).fmt(f)
    }
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let style = self.style;
        match &self.expr.kind {
            ExprKind::Static(value) => match style.ints {
                Ints::Plain => write!(f, "{value}"),
                Ints::Cpp => write!(f, "_{value}"),
            },
            ExprKind::Dynamic(value) => match style.ints {
                Ints::Plain => write!(f, "{value}?"),
                Ints::Cpp => write!(f, "{value}"),
            },
            ExprKind::Unknown { name, div } => {
                f.write_str(name.as_deref().unwrap_or("?"))?;
                match div {
                    1 => Ok(()),
                    _ => write!(f, "{{div={div}}}"),
                }
            }
            ExprKind::Xor(pattern) => write!(f, "^{pattern}"),
            ExprKind::Wildcard => f.write_char('_'),
            ExprKind::Name(name) => f.write_str(&name.text),
            ExprKind::Quoted(name) => f.write_str(&in_quotes(&name.text)),
            ExprKind::Basis { value, path } => {
                style.of(value).fmt(f)?;
                path.iter().try_for_each(|index| write!(f, "@{index}"))
            }
            ExprKind::Product(factors) => style.product(f, factors),
            ExprKind::Sum(summands) => style.sum(f, summands),
            ExprKind::Tuple(entries) => {
                f.write_char('(')?;
                style.tight().list(f, entries, ",")?;
                f.write_char(')')
            }
            ExprKind::Pair { shape, stride } => {
                let style = style.tight();
                write!(f, "{}:{}", style.of(shape), style.of(stride))
            }
            ExprKind::Tiler(entries) => {
                f.write_char('<')?;
                style.tight().list(f, entries, style.comma())?;
                f.write_char('>')
            }
            ExprKind::Swizzle { bits, base, shift } => write!(f, "Sw<{bits},{base},{shift}>"),
            ExprKind::Bytes(bits) => write!(f, "bytes[{bits}]"),
            ExprKind::Attribute(attribute) => write!(f, "{attribute}"),
            ExprKind::Shaped(shaped) => write!(f, "{shaped}"),
            ExprKind::Linear(linear) => write!(f, "{linear}"),
            ExprKind::Xla(text) => write!(f, "{}", text.shape),
            ExprKind::MemRef(memref) => write!(f, "{memref}"),
            ExprKind::BareLayout(layout) => write!(f, "{layout}"),
            ExprKind::Affine(affine) => write!(f, "{affine}"),
            ExprKind::Index(expression) => write!(f, "{expression}"),
            ExprKind::Offsets(code) => write!(f, "{code}"),
            ExprKind::Shard(text) => f.write_str(text),
            ExprKind::Verdict(words) => write!(f, "different: {words}"),
            ExprKind::Compose(operands) => style.list(f, operands, " o "),
            ExprKind::Method { receiver, name, arguments } => {
                write!(f, "{}.{}(", style.of(receiver), name.text)?;
                style.list(f, arguments, style.comma())?;
                f.write_char(')')
            }
            ExprKind::Call { name, modes, arguments } => {
                f.write_str(&name.text)?;
                if let Some(modes) = modes {
                    f.write_char('[')?;
                    style.modes().list(f, modes, ",")?;
                    f.write_char(']')?;
                }
                f.write_char('(')?;
                style.list(f, arguments, style.comma())?;
                f.write_char(')')
            }
        }
    }
}

impl Style {
    fn of(self, expr: &Expr) -> Printed<'_> {
        Printed { expr, style: self }
    }

    fn tight(self) -> Style {
        Style { tight: true, ..self }
    }

    /// Inside `op[…]`.
    fn modes(self) -> Style {
        Style { ints: Ints::Plain, tight: true }
    }

    fn comma(self) -> &'static str {
        if self.tight { "," } else { ", " }
    }

    fn list(self, f: &mut Formatter<'_>, items: &[Expr], separator: &str) -> fmt::Result {
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                f.write_str(separator)?;
            }
            self.of(item).fmt(f)?;
        }
        Ok(())
    }

    /// `-M` for the product of -1 and `M`, which `-` before a number would not be.
    fn product(self, f: &mut Formatter<'_>, factors: &[Expr]) -> fmt::Result {
        match negated(factors) {
            Some(rest) => {
                f.write_char('-')?;
                self.list(f, rest, "*")
            }
            None => self.list(f, factors, "*"),
        }
    }

    /// A summand that begins with a minus sign is subtracted. Not after `_`,
    /// though: `_-1` would be one token.
    fn sum(self, f: &mut Formatter<'_>, summands: &[Expr]) -> fmt::Result {
        let (plus, minus) = if self.tight || summands.iter().all(is_leaf) { ("+", "-") } else { (" + ", " - ") };
        let mut after_wildcard = false;
        for (place, summand) in summands.iter().enumerate() {
            let text = self.of(summand).to_string();
            match text.strip_prefix('-') {
                _ if place == 0 => f.write_str(&text)?,
                Some(rest) if !after_wildcard => write!(f, "{minus}{rest}")?,
                _ => write!(f, "{plus}{text}")?,
            }
            after_wildcard = text.ends_with('_');
        }
        Ok(())
    }
}

/// What remains of a product after `-` has been written for its factor -1.
/// `None` when it has no such factor, or when the minus sign would become part
/// of the number after it.
fn negated(factors: &[Expr]) -> Option<&[Expr]> {
    let (first, rest) = factors.split_first()?;
    let second = match &rest.first()?.kind {
        ExprKind::Basis { value, .. } => &value.kind,
        other => other,
    };
    let is_number = matches!(second, ExprKind::Static(_) | ExprKind::Dynamic(_));
    (first.kind == ExprKind::Static(-1) && !is_number).then_some(rest)
}

fn is_leaf(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Static(_)
            | ExprKind::Dynamic(_)
            | ExprKind::Unknown { .. }
            | ExprKind::Xor(_)
            | ExprKind::Wildcard
            | ExprKind::Name(_)
            | ExprKind::Quoted(_)
            | ExprKind::Basis { .. }
            | ExprKind::Product(_)
    )
}
