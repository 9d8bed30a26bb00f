//! What pycute and tensor-layouts print for their objects: `Layout((8, 64), (64, 1))`, `Swizzle(2, 1, 3)`.
//!
//! | text | reads as |
//! |---|---|
//! | `Layout((8, 64),(64, 1))`, `Layout((8, 64) : (64, 1))` | `(8,64):(64,1)` |
//! | `Layout((8, 64))` | the compact layout with the leftmost mode fastest |
//! | `Layout(Layout(4, 1), Layout(2, 4))` | the layout whose modes they are |
//! | `Swizzle(2,1,3)`, `SW_2_1_3` | `Sw<2,1,3>` |
//! | `ComposedLayout(Swizzle(2,1,3),0,Layout(64,1))`, `ComposedLayout(Swizzle(2, 1, 3), Layout(64, 1), offset=3)` | `Sw<2,1,3> o 0 o 64:1`, `Sw<2,1,3> o 3 o 64:1` |
//! | `Tile(Layout(4, 1), Layout(8, 2))` | `<4:1, 8:2>` |
//! | `Tensor(Layout(4, 1), offset=3)` | `4:1 + 3` |
//!
//! | `(Swizzle(2, 1, 3)) o {3} o (64 : 1)`, `{1} o 4 : 1` | `Sw<2,1,3> o 3 o 64:1`, `4:1 + 1` |
//!
//! JAX has a `Layout` too: a permutation of dims, which counts from 0. No extent of a layout that has elements is 0, so that a
//! text is never both.

use super::Dialect;
use super::arguments::placed;
use super::arguments::{Argument, Given};
use super::build::{call, composed, is_integers, is_layout, pair, shifted, tuple};
use super::dsl::swizzle;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span};

impl Cursor<'_> {
    /// Entries in brackets: with a layout among them that Python's words made, as `(Layout(4, 2), 8)`, they are a tiler there.
    /// Brackets around one layout without a comma are none.
    pub(in crate::notation) fn tuple_of(&self, entries: Vec<Expr>, span: Span) -> ExprKind {
        let inside = span.of(self.text()).trim_end_matches([')', ']']).trim_end();
        if entries.len() == 1 && !inside.ends_with(',') {
            return ExprKind::Tuple(entries);
        }
        let is_python = |entry: &Expr| match &entry.kind {
            // What is before the shape is a word that made the layout.
            ExprKind::Pair { shape, .. } => shape.span.start > entry.span.start,
            ExprKind::Call { name, .. } => name.span.of(self.text()) != name.text,
            // Brackets that were made a tiler here.
            ExprKind::Tiler(_) => entry.span.of(self.text()).starts_with(['(', '[']),
            _ => false,
        };
        tuple(entries, &|entry| is_layout(entry) && is_python(entry))
    }

    /// What a class of these packages begins; `None` where the word is none.
    pub(super) fn python_word(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        if let Some(numbers) = word.strip_prefix("SW_") {
            return self.python_swizzle(numbers, start);
        }
        if !self.at(TokenKind::OpenRound) {
            return Ok(None);
        }
        let tree = match word {
            "Layout" if self.is_jax_layout() => return Ok(None),
            "Layout" => self.python_layout(start)?,
            "Swizzle" => {
                let given = placed(self.arguments(TokenKind::CloseRound)?, word, &["bits", "base", "shift"])?;
                swizzle(given.into_iter().flatten().collect(), self.since(start))?
            }
            "ComposedLayout" => self.python_composed(start)?,
            "Tile" => Expr::new(ExprKind::Tiler(self.list(TokenKind::CloseRound)?), self.since(start)),
            "Tensor" => {
                let given = placed(self.arguments(TokenKind::CloseRound)?, word, &["layout", "[offset]", "[data]"])?;
                let mut given = given.into_iter();
                match (given.next().flatten(), given.next().flatten()) {
                    (Some(layout), Some(offset)) => shifted(layout, offset, self.since(start))?,
                    (Some(layout), None) => Expr::new(layout.kind, self.since(start)),
                    _ => return Err(self.expected("a layout, as in `Tensor(Layout(4, 1), offset=3)`")),
                }
            }
            _ => return Ok(None),
        };
        self.spelled(Dialect::Pycute);
        Ok(Some(tree))
    }

    /// Whether the bracket after `Layout` holds a layout of JAX: its keywords, or a list of dims, among which is 0.
    fn is_jax_layout(&self) -> bool {
        let inside = self.text_after(self.token.span).trim_start();
        let first = inside.trim_start_matches(|c: char| matches!(c, '(' | '[') || c.is_whitespace());
        let order = first.split([')', ']', '(']).next().unwrap_or_default();
        let is_keyword = |name: &str| inside.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='));
        ["major_to_minor", "minor_to_major", "tiling", "sub_byte_element_size_in_bits"].into_iter().any(is_keyword)
            || inside.starts_with('(') && order.split(',').any(|dim| dim.trim() == "0")
            || inside.strip_prefix('(').is_some_and(|inside| inside.trim_start().starts_with(')'))
    }

    fn python_layout(&mut self, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        self.ungroup(&mut arguments);
        let span = self.since(start);
        let has_keywords = arguments.iter().any(|argument| argument.keyword.is_some());
        let is_given = |argument: &Argument| matches!(&argument.given, Given::Value(value) if is_integers(value));
        if has_keywords || arguments.len() <= 2 && arguments.iter().all(is_given) {
            let mut given = placed(arguments, "Layout", &["shape", "[stride]"])?.into_iter();
            return match (given.next().flatten(), given.next().flatten()) {
                (Some(shape), Some(stride)) => Ok(pair(shape, stride, span)),
                (Some(shape), None) => Ok(call("column_major", name, vec![shape], span)),
                _ => Err(self.expected("a shape")),
            };
        }
        let mut layouts = Vec::new();
        for argument in arguments {
            match argument.given {
                Given::Value(layout) => layouts.push(layout),
                Given::Order(..) => return Err(self.expected("a shape and a stride, as in `Layout((8, 64), (64, 1))`")),
            }
        }
        match (layouts.len(), layouts.pop()) {
            (1, Some(Expr { kind: kind @ ExprKind::Pair { .. }, .. })) => Ok(Expr::new(kind, span)),
            (_, last) => {
                layouts.extend(last);
                Ok(call("make_layout", name, layouts, span))
            }
        }
    }

    /// `(outer, offset, inner)` in pycute, `(outer, inner, offset=…)` in tensor-layouts.
    fn python_composed(&mut self, start: Span) -> Result<Expr> {
        let arguments = self.arguments(TokenKind::CloseRound)?;
        let positions = arguments.iter().filter(|argument| argument.keyword.is_none()).count();
        let given = match positions {
            3 => placed(arguments, "ComposedLayout", &["layoutB", "offset", "layoutA"])?,
            _ => {
                let mut given = placed(arguments, "ComposedLayout", &["outer", "inner", "[offset]"])?;
                if let Some(offset) = given.last_mut() {
                    offset.get_or_insert(Expr::new(ExprKind::Static(0), start));
                }
                given.swap(1, 2);
                given
            }
        };
        Ok(Expr::new(composed(given.into_iter().flatten().collect()), self.since(start)))
    }

    /// Whether `{3} o` is at hand: an offset as tensor-layouts prints it, and no layout of XLA.
    pub(in crate::notation) fn is_braced_offset(&self) -> bool {
        let inside = self.text_after(self.token.span).trim_start();
        let unsigned = inside.strip_prefix('-').unwrap_or(inside).trim_start();
        let digits = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
        let has_digits = digits.len() < unsigned.len();
        let after = digits.trim_start().strip_prefix('}').and_then(|after| after.trim_start().strip_prefix('o'));
        // As the operator is read: `o2`, and no word such as `offset`.
        has_digits && after.is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_lowercase()))
    }

    /// `{3}`
    pub(in crate::notation) fn braced_offset(&mut self) -> Result<Expr> {
        let open = self.enter()?;
        let value = self.integer("an offset, as in `{3}`")?;
        self.leave(open, TokenKind::CloseCurly, "`}` after the offset")?;
        self.spelled(Dialect::Pycute);
        self.braced = true;
        self.leaf(ExprKind::Static(value), self.since(open.span))
    }

    /// A chain as tensor-layouts prints it, without the brackets around its functions: `(Swizzle(…)) o {3} o (64 : 1)`. Where only
    /// a layout follows the offset, it begins there.
    pub(in crate::notation) fn unbraced(&mut self, tree: Expr) -> Expr {
        let braced = std::mem::take(&mut self.braced);
        if !braced && !self.dialects.contains(&Dialect::Pycute) {
            return tree;
        }
        let span = tree.span;
        let ExprKind::Compose(parts) = tree.kind else { return tree };
        let is_function = |part: &Expr| match &part.kind {
            ExprKind::Tuple(entries) => matches!(entries.as_slice(), [Expr { kind: ExprKind::Swizzle { .. }, .. }]),
            _ => false,
        };
        if let [Expr { kind: ExprKind::Static(_), .. }, layout @ Expr { kind: ExprKind::Pair { .. }, .. }] =
            parts.as_slice()
        {
            let (layout, offset) = (layout.clone(), parts.first().cloned());
            return offset.and_then(|offset| shifted(layout.clone(), offset, span).ok()).unwrap_or(layout);
        }
        if !parts.first().is_some_and(is_function) {
            return Expr::new(ExprKind::Compose(parts), span);
        }
        let unwrapped = parts.into_iter().map(|part| match part.kind {
            ExprKind::Tuple(mut entries) if entries.len() == 1 => {
                entries.pop().unwrap_or(Expr::new(ExprKind::Wildcard, span))
            }
            kind => Expr::new(kind, part.span),
        });
        Expr::new(composed(unwrapped.collect()), span)
    }

    /// `SW_2_1_3`, `SW_2_1_-3`
    fn python_swizzle(&mut self, numbers: &str, start: Span) -> Result<Option<Expr>> {
        let digits: Vec<&str> = numbers.split('_').collect();
        let number = |text: &str| text.parse::<i64>().ok();
        let (bits, base, shift) = match digits.as_slice() {
            [bits, base, ""] if self.at(TokenKind::Minus) => {
                let (Some(bits), Some(base)) = (number(bits), number(base)) else { return Ok(None) };
                (bits, base, self.integer("the shift of the swizzle")?)
            }
            [bits, base, shift] => match (number(bits), number(base), number(shift)) {
                (Some(bits), Some(base), Some(shift)) => (bits, base, shift),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.spelled(Dialect::Pycute);
        self.leaf(ExprKind::Swizzle { bits, base, shift }, self.since(start)).map(Some)
    }
}
