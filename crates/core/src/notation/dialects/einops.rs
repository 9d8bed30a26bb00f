//! Patterns of einops with their sizes: `rearrange(x[2,12,4], 'b (h p) c -> b p (h c)', h=3)`.
//!
//! The sizes go into the pattern, `b (h=3 p) c -> b p (h c)`, so that the tree holds all of it: a method `rearrange`, or `repeat`
//! where axes are new, with the pattern as its argument. Law of a [`Pattern`] for sizes of a tensor: splitting, permuting and
//! merging as [`Pattern::steps`] says is what einops does.

use std::fmt;

use super::Dialect;
use super::arguments::{Argument, Given};
use super::build::call_method;
use super::dense::dense;
use crate::error::{Code, Error};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// An axis of a pattern: a name, or a number, which is an axis of that size without a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Axis {
    name: String,
    size: Option<i64>,
}

/// Whether an axis of this name has none: it is written as its size.
fn is_number(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_digit())
}

/// A group of axes that are one dim, or the dims that `...` stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Group {
    Dims(Vec<Axis>),
    Ellipsis,
}

/// A pattern of einops whose axes may have sizes, as in `b (h=3 p) c -> b p (h c)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    left: Vec<Group>,
    right: Vec<Group>,
}

/// What a pattern does to a tensor of given sizes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Steps {
    /// The sizes after dims were split.
    pub split: Vec<i64>,
    /// Which of those each axis of the answer is; a new axis is none of them.
    pub order: Vec<Option<usize>>,
    /// The sizes of these axes.
    pub sizes: Vec<i64>,
    /// The sizes after axes were merged.
    pub merged: Vec<i64>,
}

/// Why a text is no pattern, and which bytes of it are at fault.
type Fault = (Span, String);

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// The bytes of the text that are at fault, and why.
    ///
    /// ```
    /// use bitstride::notation::Pattern;
    /// let pattern = Pattern::read("b (h=3 p) c -> b p (h c)").map_err(|(_, why)| why)?;
    /// let steps = pattern.steps(&[2, 12, 4])?;
    /// assert_eq!((steps.split, steps.merged), (vec![2, 3, 4, 4], vec![2, 4, 12]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(text: &str) -> std::result::Result<Pattern, (Span, String)> {
        let Some(arrow) = text.find("->") else {
            return Err((Span::new(0, text.len()), "a pattern of einops has `->` between its sides".to_owned()));
        };
        let left = groups(text, Span::new(0, arrow))?;
        let right = groups(text, Span::new(arrow.saturating_add(2), text.len()))?;
        Ok(Pattern { left, right })
    }

    /// The same pattern with the size of an axis; whether it has this axis.
    fn with_size(&mut self, name: &str, size: i64) -> bool {
        let axes = self.left.iter_mut().chain(&mut self.right).flat_map(|group| match group {
            Group::Dims(axes) => axes.as_mut_slice(),
            Group::Ellipsis => &mut [],
        });
        let mut found = false;
        // The first mention has the size, as the text prints it.
        for axis in axes.filter(|axis| axis.name == name) {
            axis.size = if found { None } else { Some(size) };
            found = true;
        }
        found
    }

    fn size_of(&self, name: &str) -> Option<i64> {
        let axes = self.left.iter().chain(&self.right).flat_map(|group| match group {
            Group::Dims(axes) => axes.as_slice(),
            Group::Ellipsis => &[],
        });
        axes.filter(|axis| axis.name == name).find_map(|axis| axis.size)
    }

    /// Whether an axis of the right side is not on the left one; `1` is on both.
    pub fn makes_axes(&self) -> bool {
        let names = |groups: &[Group]| -> Vec<String> {
            let axes = groups.iter().flat_map(|group| match group {
                Group::Dims(axes) => axes.as_slice(),
                Group::Ellipsis => &[],
            });
            axes.map(|axis| axis.name.clone()).filter(|name| name != "1").collect()
        };
        let left = names(&self.left);
        names(&self.right).iter().any(|name| !left.contains(name))
    }

    /// The sizes of the tensor before, where the pattern has all of them.
    pub fn sizes(&self) -> Option<Vec<i64>> {
        let size = |group: &Group| match group {
            Group::Dims(axes) => {
                axes.iter().try_fold(1_i64, |product, axis| product.checked_mul(self.size_of(&axis.name)?))
            }
            Group::Ellipsis => None,
        };
        self.left.iter().map(size).collect()
    }

    /// The sizes of the tensor before; an axis without a size has the unknown that is given for it, else one of its own name in
    /// capitals. None for what `...` stands for, and where two axes have one name in capitals.
    fn sizes_of_left(&self, given: &[(Name, Expr)], at: Span) -> Option<Vec<Expr>> {
        let mut names: Vec<String> = Vec::new();
        let mut size_of = |axis: &Axis| -> Option<Expr> {
            if let Some(size) = self.size_of(&axis.name) {
                return Some(Expr::new(ExprKind::Static(size), at));
            }
            if let Some((_, size)) = given.iter().find(|(name, _)| name.text == axis.name) {
                return Some(size.clone());
            }
            let name = axis.name.to_ascii_uppercase();
            let is_new = name.starts_with(|c: char| c.is_ascii_uppercase()) && !names.contains(&name);
            names.push(name.clone());
            is_new.then(|| Expr::new(ExprKind::Unknown { name: Some(name), div: 1 }, at))
        };
        let size = |group: &Group| {
            let Group::Dims(axes) = group else { return None };
            let factors = axes.iter().map(&mut size_of).collect::<Option<Vec<Expr>>>()?;
            Some(match factors.as_slice() {
                [] => Expr::new(ExprKind::Static(1), at),
                [only] => only.clone(),
                _ => match factors
                    .iter()
                    .map(|factor| match factor.kind {
                        ExprKind::Static(size) => Some(size),
                        _ => None,
                    })
                    .try_fold(1_i64, |product, size| product.checked_mul(size?))
                {
                    Some(product) => Expr::new(ExprKind::Static(product), at),
                    None => Expr::new(ExprKind::Product(factors), at),
                },
            })
        };
        self.left.iter().map(size).collect()
    }

    /// What the pattern does to a tensor of these sizes.
    ///
    /// # Errors
    /// Why einops refuses it.
    pub fn steps(&self, sizes: &[i64]) -> std::result::Result<Steps, Error> {
        let named = self.left.iter().filter(|group| **group != Group::Ellipsis).count();
        let has_ellipsis = named < self.left.len();
        let rest = sizes.len().checked_sub(named).filter(|rest| *rest == 0 || has_ellipsis);
        let Some(rest) = rest else {
            return Err(error!(
                Code::Profile,
                "the left side has {named} dims, the tensor {tensor}",
                [named, tensor = sizes.len()]
            ));
        };
        let mut axes: Vec<(String, i64)> = Vec::new();
        let mut dims = sizes.iter().copied();
        for group in &self.left {
            match group {
                Group::Ellipsis => {
                    axes.extend(dims.by_ref().take(rest).enumerate().map(|(at, size)| (format!("...{at}"), size)));
                }
                Group::Dims(parts) => {
                    let size = dims.next().unwrap_or(1);
                    self.split(parts, size, &mut axes)?;
                }
            }
        }
        for (at, (name, _)) in axes.iter().enumerate() {
            if !is_number(name) && axes.iter().skip(at + 1).any(|(other, _)| other == name) {
                return Err(error!(Code::Profile, "`{name}` stands twice on the left side", [name]));
            }
        }
        let (mut order, mut right_sizes, mut merged) = (Vec::new(), Vec::new(), Vec::new());
        let mut used = vec![false; axes.len()];
        for group in &self.right {
            let parts: Vec<(String, Option<i64>)> = match group {
                Group::Ellipsis => (0..rest).map(|at| (format!("...{at}"), None)).collect(),
                Group::Dims(parts) => parts.iter().map(|axis| (axis.name.clone(), self.size_of(&axis.name))).collect(),
            };
            let mut product = 1_i64;
            for (name, size) in parts {
                let place = if is_number(&name) { None } else { axes.iter().position(|(axis, _)| *axis == name) };
                let size = match place {
                    Some(place) => {
                        if let Some(used) = used.get_mut(place) {
                            if *used {
                                return Err(error!(Code::Profile, "`{name}` stands twice on the right side", [name]));
                            }
                            *used = true;
                        }
                        axes.get(place).map_or(1, |(_, size)| *size)
                    }
                    None => size.ok_or_else(|| {
                        error!(Code::Profile, "`{name}` is new on the right side and has no size", [name])
                    })?,
                };
                product =
                    product.checked_mul(size).ok_or_else(|| Error::new(Code::Profile, "a merged axis is too long"))?;
                order.push(place);
                right_sizes.push(size);
                if *group == Group::Ellipsis {
                    merged.push(size);
                }
            }
            if *group != Group::Ellipsis {
                merged.push(product);
            }
        }
        if self.left.contains(&Group::Ellipsis) != self.right.contains(&Group::Ellipsis) {
            return Err(Error::new(Code::Profile, "`...` stands on both sides or on none"));
        }
        let lost = axes.iter().zip(&used).find(|((name, _), used)| !**used && !is_number(name));
        if let Some(((name, size), _)) = lost {
            return Err(error!(
                Code::Profile,
                "`{name}` of size {size} does not stand on the right side",
                [name, size]
            ));
        }
        let split = axes.into_iter().map(|(_, size)| size).collect();
        Ok(Steps { split, order, sizes: right_sizes, merged })
    }

    /// The axes that one dim is split into; the size of one of them may follow from those of the others.
    fn split(&self, parts: &[Axis], size: i64, axes: &mut Vec<(String, i64)>) -> std::result::Result<(), Error> {
        let known: Vec<Option<i64>> = parts.iter().map(|axis| self.size_of(&axis.name)).collect();
        let product = known.iter().flatten().try_fold(1_i64, |product, size| product.checked_mul(*size));
        let product = product.ok_or_else(|| Error::new(Code::Profile, "the sizes of a dim are too large"))?;
        let unknown = known.iter().filter(|size| size.is_none()).count();
        let names = || parts.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>().join(" ");
        let inferred = match unknown {
            0 if product == size => 1,
            1 if product != 0 && size % product == 0 => size / product,
            0 | 1 => {
                return Err(error!(
                    Code::Profile,
                    "`({axes})` holds {product}, which is no part of {size}",
                    [axes = names(), product, size]
                ));
            }
            _ => {
                return Err(error!(Code::Profile, "the sizes of two axes of `({axes})` are missing", [axes = names()]));
            }
        };
        axes.extend(parts.iter().zip(known).map(|(axis, known)| (axis.name.clone(), known.unwrap_or(inferred))));
        Ok(())
    }
}

/// The groups of one side.
fn groups(text: &str, side: Span) -> std::result::Result<Vec<Group>, Fault> {
    let mut groups = Vec::new();
    let mut open: Option<(usize, Vec<Axis>)> = None;
    let mut at = side.start;
    while at < side.end {
        let rest = Span::new(at, side.end).of(text);
        let Some(first) = rest.chars().next() else { break };
        let next = at.saturating_add(first.len_utf8());
        let fault = |why: &str| (Span::new(at, next), why.to_owned());
        match first {
            ' ' => {}
            '(' if open.is_some() => return Err(fault("groups of a pattern do not nest")),
            '(' => open = Some((at, Vec::new())),
            ')' => match open.take() {
                Some((_, axes)) => groups.push(Group::Dims(axes)),
                None => return Err(fault("`)` closes no bracket of the pattern")),
            },
            '.' | '…' => {
                let length = if first == '…' { first.len_utf8() } else { 3 };
                if open.is_some() || groups.contains(&Group::Ellipsis) || first == '.' && !rest.starts_with("...") {
                    return Err(fault("`...` stands alone and once on a side"));
                }
                groups.push(Group::Ellipsis);
                at = at.saturating_add(length);
                continue;
            }
            _ if first.is_ascii_alphanumeric() || first == '_' => {
                let word = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
                let is_name = !first.is_ascii_digit();
                let mut end = at.saturating_add(word.len());
                let mut size = None;
                if word.starts_with('_') || word.ends_with('_') {
                    let why = "the name of an axis neither begins nor ends with `_`";
                    return Err((Span::new(at, end), why.to_owned()));
                }
                if !is_name {
                    // The dims that a tensor has are named; einops repeats along numbers.
                    size = word.parse().ok().filter(|size| *size == 1 || side.start > 0 && *size > 1);
                    if size.is_none() {
                        let why = match side.start {
                            0 => {
                                "an axis of the left side is a name or 1; its size is given beside the pattern, as in `h=3`"
                            }
                            _ => "an axis is a name, or a number from 1 on where it is new",
                        };
                        return Err((Span::new(at, end), why.to_owned()));
                    }
                }
                let after = rest.get(word.len()..).unwrap_or_default();
                if let Some(digits) = after.strip_prefix('=').filter(|_| is_name) {
                    let digits = digits.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
                    let number = digits.parse().map_err(|_| fault("a size after `=` is a number"))?;
                    size = Some(number);
                    end = end.saturating_add(digits.len()).saturating_add(1);
                }
                let axis = Axis { name: word.to_owned(), size };
                match &mut open {
                    Some((_, axes)) => axes.push(axis),
                    None => groups.push(Group::Dims(vec![axis])),
                }
                at = end;
                continue;
            }
            _ => return Err(fault("expected an axis, a group such as `(h w)`, `...` or `->`")),
        }
        at = next;
    }
    match open {
        Some((start, _)) => Err((Span::new(start, start.saturating_add(1)), "this `(` is never closed".to_owned())),
        None => Ok(groups),
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size.filter(|_| !is_number(&self.name)) {
            Some(size) => write!(f, "{}={size}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |groups: &[Group]| {
            let words: Vec<String> = groups
                .iter()
                .map(|group| match group {
                    Group::Ellipsis => "...".to_owned(),
                    Group::Dims(axes) => match axes.as_slice() {
                        [axis] => axis.to_string(),
                        axes => format!("({})", axes.iter().map(Axis::to_string).collect::<Vec<_>>().join(" ")),
                    },
                })
                .collect();
            words.join(" ")
        };
        write!(f, "{} -> {}", side(&self.left), side(&self.right))
    }
}

impl Cursor<'_> {
    /// `rearrange(x, 'pattern', h=3)`, or without the tensor where all sizes are given; the arguments have been read.
    pub(super) fn einops(
        &mut self,
        name: &str,
        at: Span,
        receiver: Option<Expr>,
        arguments: Vec<Argument>,
        whole: Span,
    ) -> Result<Expr> {
        let wrong = |span, message: String| {
            SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                .with_help(format!("write `{name}(x[2,12,4], \"b (h p) c -> b p (h c)\", h=3)`"))
        };
        let (mut receiver, mut pattern, mut sizes, mut unknown) = (receiver, None, Vec::new(), Vec::new());
        for Argument { keyword, given } in arguments {
            let Given::Value(value) = given else { continue };
            match (keyword, &value.kind) {
                (Some(name), ExprKind::Static(size)) if *size >= 0 => sizes.push((name, *size)),
                (Some(name), ExprKind::Unknown { name: Some(_), div: 1 }) => unknown.push((name, value)),
                (Some(_), _) => return Err(wrong(value.span, "the size of an axis is a number".to_owned())),
                (None, ExprKind::Quoted(text) | ExprKind::Name(text))
                    if pattern.is_none() && self.is_text(value.span) =>
                {
                    pattern = Some(text.clone());
                }
                (None, _) if receiver.is_none() => receiver = Some(value),
                (None, _) => return Err(wrong(value.span, "expected a pattern in quotes".to_owned())),
            }
        }
        let Some(text) = pattern else { return Err(wrong(whole, format!("{name} has a pattern in quotes"))) };
        let inside = text.span.start.saturating_add(1);
        let mut pattern = Pattern::read(&text.text).map_err(|(span, why)| {
            let span = Span::new(span.start.saturating_add(inside), span.end.saturating_add(inside));
            wrong(span, why)
        })?;
        for (axis, size) in sizes {
            if !pattern.with_size(&axis.text, size) {
                return Err(wrong(axis.span, format!("the pattern has no axis `{}`", axis.text)));
            }
        }
        if let (Some((axis, _)), Some(_)) = (unknown.first(), &receiver) {
            let message = format!("the size of `{}` is a number, or follows from the tensor", axis.text);
            return Err(wrong(axis.span, message));
        }
        self.spelled(Dialect::Einops);
        let receiver = match receiver {
            Some(receiver) => receiver,
            None => {
                let sizes = pattern.sizes_of_left(&unknown, at).ok_or_else(|| {
                    let message =
                        "without a tensor the pattern needs the sizes of all axes of its left side".to_owned();
                    wrong(whole, message)
                })?;
                dense(sizes, false, at, whole)?
            }
        };
        // Of NumPy's arrays, what is repeated is copied.
        let is_copied = pattern.makes_axes() && self.library(&receiver) == Some(Dialect::NumPy);
        let pattern = Name { text: pattern.to_string(), span: text.span };
        let argument = Expr::new(ExprKind::Quoted(pattern), text.span);
        let tensor = call_method(receiver, name, at, vec![argument], whole);
        Ok(if is_copied { call_method(tensor, "copy", at, Vec::new(), whole) } else { tensor })
    }

    /// Whether a pattern in quotes begins the text, and sizes follow.
    pub(in crate::notation) fn is_pattern(&self) -> bool {
        let is_next = self.text_after(self.token.span).trim_start().starts_with(',');
        self.at(TokenKind::Text) && is_next && self.token.span.of(self.text()).contains("->")
    }

    /// `'b (h p) -> p b h', b=2, h=3, p=4`: a pattern with the sizes of its axes.
    pub(in crate::notation) fn pattern(&mut self) -> Result<Expr> {
        let at = self.token.span;
        let text = self.quoted(at);
        self.advance();
        let pattern = Expr::new(ExprKind::Quoted(text), at);
        let mut arguments = vec![Argument { keyword: None, given: Given::Value(pattern) }];
        while self.eat(TokenKind::Comma) {
            let name = Name { text: self.token.span.of(self.text()).to_owned(), span: self.token.span };
            self.require(TokenKind::Word, "an axis and its size, as in `h=3`")?;
            self.require(TokenKind::Equals, "`=` and the size of the axis")?;
            let start = self.token.span;
            let size = self.integer("the size of the axis")?;
            let value = Expr::new(ExprKind::Static(size), self.since(start));
            arguments.push(Argument { keyword: Some(name), given: Given::Value(value) });
        }
        self.einops("rearrange", at, None, arguments, self.since(at))
    }

    fn is_text(&self, span: Span) -> bool {
        span.of(self.text()).starts_with(['"', '\''])
    }

    /// `rearrange(…)` or `einops.rearrange(…)`; the name has been read.
    pub(super) fn einops_function(&mut self, word: &str, start: Span) -> Result<Expr> {
        let arguments = self.arguments(TokenKind::CloseRound)?;
        self.einops(word, start, None, arguments, self.since(start))
    }
}
