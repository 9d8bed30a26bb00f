//! Types of CuTe C++ with their template arguments, as people write them and as compilers print them.
//!
//! | type | reads as |
//! |---|---|
//! | `_8`, `Int<8>`, `C<8>`, `C<(int)8>`, `integral_constant<int, 8>` | `8` |
//! | `int`, `unsigned long`, `int64_t` | `?` |
//! | `Shape<…>`, `Stride<…>`, `Coord<…>`, `tuple<…>`, `Step<_1,X,_1>` | a tuple; `X` is `_` |
//! | `Tile<…>` | a tiler |
//! | `Underscore`, `_` | `_` |
//! | `Layout<S, D>`, `Layout<S>` | `S:D`, the compact layout with the leftmost mode fastest |
//! | `Swizzle<3,4,3>` | `Sw<3,4,3>` |
//! | `make_swizzle<896,112>()` | `make_swizzle(896, 112)` |
//! | `ComposedLayout<A, O, B>`, with `smem_ptr_flag_bits<16>` in the middle | `A o O o B`, `A o bytes[16] o B` |
//! | `ScaledBasis<_2, 1, 0>`, `E<1,0>` | `2@0@1`, `1@0@1`: C++ writes the outermost mode first |
//! | `Tensor<Engine, Layout<…>>` | its layout |
//! | `size_v<L>`, `rank_v<L>`, `depth_v<L>`, `cosize_v<L>` | `size(L)` and so on |
//! | `make_tensor<float>(L)`, `make_tensor_like<float>(L)`, `make_fragment_like<float>(L)` | `L`, `make_layout_like(L)`, `make_fragment_like(L)` |
//! | `recast_layout<half_t, uint128_t>(L)` | `recast(L, 16, 128)` |
//!
//! Each may have `{}` or `()` behind it, which makes a value of the type.

use super::Dialect;
use super::arguments::Order;
use super::build::{call, composed, is_layout, pair, plus, times, tuple, width};
use crate::index::Expression;
use crate::notation::MAX_DEPTH;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// The longest name of a constant with the classes that it is in.
const MAX_NAME: usize = 256;

const TYPE: &str = "a type of CuTe such as `_8`, `Int<8>` or `Shape<_8,_64>`";

/// Words of which integer types of C++ are made.
pub(super) const INTEGER_TYPES: [&str; 17] = [
    "int",
    "unsigned",
    "signed",
    "long",
    "short",
    "char",
    "size_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "__int128",
];

impl Cursor<'_> {
    /// A type with the template arguments that are at hand, where the word is one of CuTe's.
    pub(super) fn cpp_template(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        if self.cpp_function_template(word) {
            return self.cpp_called_template(word, start).map(Some);
        }
        let is_known = matches!(
            word,
            "Int"
                | "C"
                | "constant"
                | "integral_constant"
                | "Shape"
                | "Stride"
                | "Coord"
                | "tuple"
                | "IntTuple"
                | "Step"
                | "Tile"
                | "Layout"
                | "ComposedLayout"
                | "Swizzle"
                | "ScaledBasis"
                | "E"
                | "ArithmeticTuple"
                | "ArithTuple"
                | "Tensor"
                | "smem_ptr_flag_bits"
                | "make_swizzle"
                | "ABLayout"
        );
        // A variable of an index expression may have any name: `C<8: C*2`.
        if !is_known
            || self.is_dsl_tensor() && word == "Tensor"
            || !matches!(Expression::read_start(self.text_from(start)), Ok(None))
        {
            return Ok(None);
        }
        let tree = match word {
            "Int" | "C" | "constant" | "integral_constant" => self.cpp_constant_type(start)?,
            "Tile" => ExprKind::Tiler(self.cpp_types()?),
            "Layout" => self.cpp_layout(start)?,
            "ComposedLayout" => self.cpp_composed(start)?,
            "Swizzle" => self.cpp_swizzle(start)?,
            "E" | "ScaledBasis" => self.cpp_basis(word == "E", start)?,
            "Tensor" => self.cpp_tensor()?,
            // What all threads of a warp group see of an operand in shared memory.
            "ABLayout" => {
                let extents = self.cpp_numbers(2..=2, start)?;
                let at = self.since(start);
                let number = |n: i64| Expr::new(ExprKind::Static(n), at);
                let of = |first: i64, second: i64| Expr::new(ExprKind::Tuple(vec![number(first), number(second)]), at);
                let (rows, k) = (extents.first().copied().unwrap_or(1), extents.get(1).copied().unwrap_or(1));
                let [shape, stride] = [(128, of(rows, k)), (0, of(1, rows))]
                    .map(|(threads, elements)| Expr::new(ExprKind::Tuple(vec![number(threads), elements]), at));
                pair(shape, stride, at).kind
            }
            "smem_ptr_flag_bits" => ExprKind::Bytes(self.cpp_numbers(1..=1, start)?.first().copied().unwrap_or(0)),
            "make_swizzle" => {
                let name = Span::new(start.start, self.consumed);
                let masks = self.cpp_types()?;
                call("make_swizzle", name, masks, self.since(start)).kind
            }
            "Step" => {
                // Which modes a projection keeps says nothing of what else is static.
                let statics = self.cpp.statics;
                let entries = self.cpp_types()?;
                self.cpp.statics = statics;
                ExprKind::Tuple(entries)
            }
            _ => tuple(self.cpp_types()?, &is_layout),
        };
        self.default_made();
        self.spelled(Dialect::CuteCpp);
        Ok(Some(Expr::new(tree, self.since(start))))
    }

    /// Whether the template arguments at hand are of a function or a trait that has a layout as argument.
    fn cpp_function_template(&self, word: &str) -> bool {
        matches!(
            word,
            "size_v"
                | "rank_v"
                | "depth_v"
                | "cosize_v"
                | "make_tensor"
                | "make_tensor_like"
                | "make_fragment_like"
                | "recast_layout"
        ) && matches!(Expression::read_start(self.text_from(self.token.span)), Ok(None))
    }

    /// `size_v<L>`, `make_tensor<float>(L)`, `recast_layout<half_t, uint128_t>(L)`
    fn cpp_called_template(&mut self, word: &str, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        self.spelled(Dialect::CuteCpp);
        if let Some(operation) = word.strip_suffix("_v") {
            let types = self.cpp_types()?;
            return Ok(call(operation, name, types, self.since(start)));
        }
        let open = self.enter()?;
        if word == "recast_layout" {
            let (old, old_span) = self.cpp_element_bits()?;
            self.require(TokenKind::Comma, "`,` and the new type, as in `recast_layout<half_t, uint128_t>(layout)`")?;
            let (new, new_span) = self.cpp_element_bits()?;
            self.leave(open, TokenKind::CloseAngle, "`>` after the new type")?;
            let mut arguments = self.list(TokenKind::CloseRound)?;
            arguments.push(Expr::new(ExprKind::Static(old), old_span));
            arguments.push(Expr::new(ExprKind::Static(new), new_span));
            return Ok(call("recast", name, arguments, self.since(start)));
        }
        // What the elements are says nothing of where they lie.
        let mut depth = 0_usize;
        while !(self.at(TokenKind::End) || depth == 0 && self.at(TokenKind::CloseAngle)) {
            match self.token.kind {
                TokenKind::OpenAngle => depth = depth.saturating_add(1),
                TokenKind::CloseAngle => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
        self.leave(open, TokenKind::CloseAngle, "`>` after the type of the elements")?;
        if !self.at(TokenKind::OpenRound) {
            return Err(self.expected(&format!("`(` and the layout, as in `{word}<float>(layout)`")));
        }
        let like = match word {
            "make_tensor_like" => Some("make_layout_like"),
            "make_fragment_like" => Some("make_fragment_like"),
            _ => None,
        };
        if let Some(operation) = like {
            let arguments = self.list(TokenKind::CloseRound)?;
            return Ok(call(operation, name, arguments, self.since(start)));
        }
        let arguments = self.arguments(TokenKind::CloseRound)?;
        self.tensor_of(arguments, name, start)
    }

    /// The types between `<` and `>`.
    fn cpp_types(&mut self) -> Result<Vec<Expr>> {
        self.entries(TokenKind::CloseAngle, TYPE, |cursor| cursor.cpp_type())
    }

    /// One template argument.
    pub(super) fn cpp_type(&mut self) -> Result<Expr> {
        let start = self.token.span;
        while self.at(TokenKind::Word) && matches!(self.token.span.of(self.text()), "typename" | "const") {
            self.advance();
        }
        self.namespaces();
        let span = self.token.span;
        let word = span.of(self.text());
        match self.token.kind {
            TokenKind::CppNumber => {
                let within = std::mem::replace(&mut self.cpp.within, true);
                let number = self.cpp_number();
                self.cpp.within = within;
                number
            }
            TokenKind::Underscore => {
                self.advance();
                self.leaf(ExprKind::Wildcard, span)
            }
            TokenKind::OpenRound if self.text_after(span).trim_start().starts_with('_') => {
                let help = "tuples of types are `Shape<_8,_64>` and `Stride<_64,_1>`, also within one another";
                Err(self.expected(TYPE).with_help(help))
            }
            TokenKind::Number | TokenKind::Minus | TokenKind::OpenRound => {
                let number = self.cpp_constant(0)?;
                self.count_leaf(number.span)?;
                Ok(number)
            }
            TokenKind::Word if INTEGER_TYPES.contains(&word) => {
                while INTEGER_TYPES.contains(&self.token.span.of(self.text())) && self.at(TokenKind::Word) {
                    self.advance();
                }
                self.leaf(ExprKind::Unknown { name: None, div: 1 }, self.since(start))
            }
            TokenKind::Word => {
                self.advance();
                if matches!(word, "Underscore" | "X") {
                    self.default_made();
                    return self.leaf(ExprKind::Wildcard, self.since(start));
                }
                if let Some(tree) = self.cpp_word(word, start)? {
                    return Ok(tree);
                }
                if self.at(TokenKind::OpenAngle) {
                    let message = format!("`{word}<…>` is no type that CuTe makes layouts of: expected {TYPE}");
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
                }
                if self.at(TokenKind::OpenRound) && matches!(word, "Shape" | "Stride" | "Coord" | "Tile" | "Step") {
                    let maker = word.to_ascii_lowercase();
                    let help = format!("`{word}<_8,_64>` is a type, `make_{maker}(_8{{}}, _64{{}})` a value");
                    return Err(self.expected("`<` and types").with_help(help));
                }
                let name = self.named_alone(word, span)?;
                self.default_made();
                Ok(name)
            }
            _ => Err(self.expected(TYPE)),
        }
    }

    /// `<8>`, `<int, 8>`
    fn cpp_constant_type(&mut self, start: Span) -> Result<ExprKind> {
        let open = self.enter()?;
        if self.at(TokenKind::Word) && INTEGER_TYPES.contains(&self.token.span.of(self.text())) {
            while self.at(TokenKind::Word) {
                self.advance();
            }
            self.require(TokenKind::Comma, "`,` and the number, as in `integral_constant<int, 8>`")?;
        }
        let number = self.cpp_constant(0)?;
        self.leave(open, TokenKind::CloseAngle, "`>` after the number, as in `Int<8>`")?;
        self.cpp.statics = true;
        self.count_leaf(start)?;
        Ok(number.kind)
    }

    /// A constant expression of numbers, or one name: `8`, `(int)8`, `64 / 2`, `kBlockM`. `level` is how tight the operators
    /// are that may stand in it.
    fn cpp_constant(&mut self, level: u8) -> Result<Expr> {
        const NUMBER: &str = "a number, as in `Int<8>`";
        let start = self.token.span;
        if level == 2 {
            return match self.token.kind {
                TokenKind::Number => {
                    let value = self.signed(None)?;
                    let suffix = self.token.span.of(self.text());
                    if !self.at(TokenKind::Word) || self.token.span.start != self.consumed {
                        return Ok(Expr::new(ExprKind::Static(value), self.since(start)));
                    }
                    // `8u`, `8ul`: the type of the number does not matter here. `0b111`, `0x38` are other bases.
                    let is_type = suffix.chars().all(|c| matches!(c, 'u' | 'U' | 'l' | 'L' | 'z' | 'Z'));
                    let other = match (value, suffix.split_at_checked(1)) {
                        (0, Some(("b" | "B", digits))) => i64::from_str_radix(digits, 2).ok(),
                        (0, Some(("x" | "X", digits))) => i64::from_str_radix(digits, 16).ok(),
                        _ => None,
                    };
                    let Some(value) = other.or(is_type.then_some(value)) else { return Err(self.expected(NUMBER)) };
                    self.advance();
                    Ok(Expr::new(ExprKind::Static(value), self.since(start)))
                }
                TokenKind::Minus => {
                    let minus = self.token.span;
                    self.advance();
                    match self.token.kind {
                        TokenKind::Number => {
                            let value = self.signed(Some(minus))?;
                            Ok(Expr::new(ExprKind::Static(value), self.since(start)))
                        }
                        _ => Err(self.expected("a number after `-`")),
                    }
                }
                TokenKind::OpenRound => {
                    let open = self.enter()?;
                    if INTEGER_TYPES.contains(&self.token.span.of(self.text())) {
                        while self.at(TokenKind::Word) {
                            self.advance();
                        }
                        self.leave(open, TokenKind::CloseRound, "`)` after the type")?;
                        return match self.at(TokenKind::OpenRound) {
                            true => Err(self.expected(NUMBER)),
                            false => self.cpp_constant(2),
                        };
                    }
                    let inner = self.cpp_constant(0)?;
                    self.leave(open, TokenKind::CloseRound, "`)`")?;
                    Ok(inner)
                }
                TokenKind::Word => {
                    let word = start.of(self.text());
                    self.advance();
                    self.cpp_scoped_name(word, start)
                }
                _ => Err(self.expected(NUMBER)),
            };
        }
        let mut left = self.cpp_constant(level + 1)?;
        loop {
            let sign = self.token.span.of(self.text()).trim();
            let is_here = match level {
                0 => matches!(sign, "+" | "-"),
                _ => matches!(sign, "*" | "/" | "%"),
            };
            if !is_here {
                return Ok(left);
            }
            let at = self.token.span;
            self.advance();
            let right = self.cpp_constant(level + 1)?;
            let span = left.span.join(right.span);
            let (ExprKind::Static(a), ExprKind::Static(b)) = (&left.kind, &right.kind) else {
                self.check_depth(&left, span)?;
                self.check_depth(&right, span)?;
                self.count_leaves(width(&left).saturating_mul(width(&right)), span)?;
                let negative = |right| times(Expr::new(ExprKind::Static(-1), at), right, span);
                left = match sign {
                    "+" => plus(left, right, span),
                    "-" => plus(left, negative(right), span),
                    "*" => times(left, right, span),
                    "/" => call("div", at, vec![left, right], span),
                    _ => call("mod", at, vec![left, right], span),
                };
                continue;
            };
            let value = match sign {
                "+" => a.checked_add(*b),
                "-" => a.checked_sub(*b),
                "*" => a.checked_mul(*b),
                "/" => a.checked_div(*b),
                _ => a.checked_rem(*b),
            };
            let out = || SyntaxError::new(code::INTEGER_TOO_LARGE, at, "the number is no 64-bit integer");
            left = Expr::new(ExprKind::Static(value.ok_or_else(out)?), span);
        }
    }

    /// A name, perhaps within classes: `Traits::kBlockM` is a name of its own, whatever `kBlockM` is elsewhere. No name of a program has
    /// two `_` side by side.
    fn cpp_scoped_name(&mut self, word: &str, start: Span) -> Result<Expr> {
        if !self.at(TokenKind::Scope)
            && let Some(number) = self.bound_integer(word, start)?
        {
            return Ok(number);
        }
        let mut name = word.to_owned();
        while self.at(TokenKind::Scope) {
            self.advance();
            if !self.at(TokenKind::Word) {
                return Err(self.expected("a name after `::`"));
            }
            name.push_str("__");
            name.push_str(self.token.span.of(self.text()));
            self.advance();
        }
        if name.len() > MAX_NAME {
            return Err(SyntaxError::new(
                code::UNKNOWN_NAME,
                self.since(start),
                format!("a name has at most {MAX_NAME} bytes"),
            ));
        }
        self.named_alone(&name, self.since(start))
    }

    /// `<Shape>`, `<Shape, Stride>`, `<Shape, LayoutRight>`
    fn cpp_layout(&mut self, start: Span) -> Result<ExprKind> {
        let name = Span::new(start.start, self.consumed);
        let open = self.enter()?;
        let shape = self.cpp_type()?;
        let mut stride = None;
        let mut order = Order::ColumnMajor;
        if self.eat(TokenKind::Comma) {
            self.namespaces();
            match Order::of(self.token.span.of(self.text())) {
                Some(named) => {
                    order = named;
                    self.advance();
                    self.default_made();
                }
                None => {
                    self.check_order_type()?;
                    stride = Some(self.cpp_type()?);
                }
            }
        }
        self.leave(open, TokenKind::CloseAngle, "`>` after the shape and the stride of `Layout<Shape<…>,Stride<…>>`")?;
        let span = self.since(start);
        Ok(match stride {
            Some(stride) => pair(shape, stride, span).kind,
            None => call(order.operation(), name, vec![shape], span).kind,
        })
    }

    /// `<A, Offset, B>`, the outermost function first.
    fn cpp_composed(&mut self, start: Span) -> Result<ExprKind> {
        let parts = self.cpp_types()?;
        if parts.len() != 3 {
            let message = format!(
                "`ComposedLayout<Swizzle<…>, Offset, Layout<…>>` has three arguments, here are {}",
                parts.len()
            );
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, self.since(start), message));
        }
        Ok(composed(parts))
    }

    /// `<bits, base, shift>`; the shift is the bits where it is left out.
    fn cpp_swizzle(&mut self, start: Span) -> Result<ExprKind> {
        let numbers = self.cpp_numbers(2..=3, start)?;
        let (Some(bits), Some(base)) = (numbers.first(), numbers.get(1)) else {
            return Err(self.expected("`Swizzle<bits,base,shift>`"));
        };
        self.count_leaf(start)?;
        Ok(ExprKind::Swizzle { bits: *bits, base: *base, shift: *numbers.get(2).unwrap_or(bits) })
    }

    /// `<mode, …>` after `E`, `<scale, mode, …>` after `ScaledBasis`; the outermost mode first.
    fn cpp_basis(&mut self, is_unit: bool, start: Span) -> Result<ExprKind> {
        let open = self.enter()?;
        let scale = match is_unit {
            true => self.leaf(ExprKind::Static(1), start)?,
            false => {
                let scale = self.cpp_type()?;
                self.require(TokenKind::Comma, "`,` and the modes, as in `ScaledBasis<_2, 0>`")?;
                scale
            }
        };
        if !matches!(scale.kind, ExprKind::Static(_) | ExprKind::Dynamic(_) | ExprKind::Unknown { .. }) {
            let message = format!("`ScaledBasis` scales by an integer, not by {scale}");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, scale.span, message));
        }
        let mut path = vec![self.index("a mode, as in `E<0>`")?];
        while self.eat(TokenKind::Comma) {
            if path.len() == MAX_DEPTH {
                let message = format!("a basis vector has at most {MAX_DEPTH} mode indices");
                return Err(SyntaxError::new(code::TOO_DEEP, self.token.span, message));
            }
            path.push(self.index("a mode after `,`")?);
        }
        self.leave(open, TokenKind::CloseAngle, "`,` or `>` after a mode")?;
        path.reverse();
        Ok(ExprKind::Basis { value: Box::new(scale), path })
    }

    /// `<Engine, Layout>`: what the elements are does not say where they lie, unless a swizzle moves them.
    fn cpp_tensor(&mut self) -> Result<ExprKind> {
        let open = self.enter()?;
        let engine = self.token.span;
        let mut depth = 0_usize;
        loop {
            match self.token.kind {
                TokenKind::OpenAngle => depth += 1,
                TokenKind::CloseAngle if depth > 0 => depth -= 1,
                TokenKind::Comma if depth == 0 => break,
                TokenKind::CloseAngle | TokenKind::End => {
                    return Err(self.expected("`,` and the layout, as in `Tensor<Engine, Layout<…>>`"));
                }
                TokenKind::Word if matches!(self.token.span.of(self.text()), "Swizzle" | "swizzle_ptr") => {
                    let message = "the pointer of this tensor swizzles the bytes of its elements";
                    let help = "write the swizzle before the layout: `Sw<3,4,3> o bytes[16] o (8,64):(64,1)`";
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, self.token.span, message).with_help(help));
                }
                _ => {}
            }
            self.advance();
        }
        if self.consumed <= engine.start {
            return Err(self.expected("the engine of the tensor before `,`"));
        }
        self.advance();
        let layout = self.cpp_type()?;
        self.leave(open, TokenKind::CloseAngle, "`>` after the layout of the tensor")?;
        Ok(layout.kind)
    }

    /// So many numbers between `<` and `>`.
    fn cpp_numbers(&mut self, count: std::ops::RangeInclusive<usize>, start: Span) -> Result<Vec<i64>> {
        let numbers = self.entries(TokenKind::CloseAngle, "a number", |cursor| {
            let number = cursor.cpp_constant(0)?;
            match number.kind {
                ExprKind::Static(value) => Ok(value),
                _ => {
                    let message = format!("expected a number, found the name `{number}`");
                    Err(SyntaxError::new(code::UNEXPECTED_TOKEN, number.span, message)
                        .with_help("write the number that it stands for, as in `Swizzle<3,4,3>`"))
                }
            }
        })?;
        if !count.contains(&numbers.len()) {
            let message = format!("expected {} numbers, found {}", count.end(), numbers.len());
            return Err(SyntaxError::new(code::BAD_SWIZZLE, self.since(start), message));
        }
        Ok(numbers)
    }
}
