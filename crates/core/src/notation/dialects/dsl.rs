//! Calls of CuTe DSL: `cute.make_layout((8,64), stride=(64,1))`, `size(L, mode=[0])`.
//!
//! A call is read so where its name has `cute.` before it, where an argument has a keyword, or where only the DSL has a function
//! of that name. Law: the call reads as the operation beside its name below, with the arguments in the order of the language.

use super::Dialect;
use super::arguments::{Argument, Given, placed, values};
use super::build::{call, composed, is_integers, pair};
use super::dsl_instructions::word_of;
use super::smem_calls::helper_names;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// A function of the DSL.
struct Function {
    name: &'static str,
    /// Its parameters in its own order; one in brackets may be left out.
    parameters: &'static [&'static str],
    /// The operation of the language; which parameter is which argument of it.
    operation: &'static str,
    order: &'static [usize],
    /// Whether no operation of the language has this name.
    is_foreign: bool,
}

const fn same(name: &'static str, parameters: &'static [&'static str]) -> Function {
    Function { name, parameters, operation: name, order: &[0, 1, 2, 3], is_foreign: false }
}

const fn renamed(name: &'static str, operation: &'static str, parameters: &'static [&'static str]) -> Function {
    Function { name, parameters, operation, order: &[0, 1, 2, 3], is_foreign: true }
}

const FUNCTIONS: &[Function] = &[
    same("append", &["input", "elem", "[up_to_rank]"]),
    same("blocked_product", &["block", "tiler"]),
    same("ceil_div", &["input", "tiler"]),
    same("coalesce", &["input", "[target_profile]"]),
    same("complement", &["input", "[cotarget]"]),
    same("composition", &["lhs", "rhs"]),
    same("cosize", &["a"]),
    same("crd2idx", &["coord", "layout"]),
    same("depth", &["a"]),
    same("domain_offset", &["coord", "tensor"]),
    same("filter", &["input", "[target_profile]"]),
    same("filter_zeros", &["input"]),
    same("flat_divide", &["target", "tiler"]),
    same("flat_product", &["block", "tiler"]),
    same("flatten", &["a"]),
    same("get", &["input"]),
    same("get_nonswizzle_portion", &["layout"]),
    same("get_swizzle_portion", &["layout"]),
    same("idx2crd", &["idx", "shape"]),
    same("left_inverse", &["input"]),
    same("local_partition", &["target", "tiler", "index", "[proj]"]),
    same("local_tile", &["input", "tiler", "coord", "[proj]"]),
    same("logical_divide", &["target", "tiler"]),
    same("logical_product", &["block", "tiler"]),
    same("make_identity_layout", &["shape"]),
    same("make_ordered_layout", &["shape", "order"]),
    same("max_common_layout", &["a", "b"]),
    same("max_common_vector", &["a", "b"]),
    same("prepend", &["input", "elem", "[up_to_rank]"]),
    same("raked_product", &["block", "tiler"]),
    same("product_each", &["a"]),
    same("rank", &["a"]),
    same("right_inverse", &["input"]),
    same("round_up", &["a", "b"]),
    same("select", &["input", "mode"]),
    same("shape", &["input"]),
    same("shape_div", &["lhs", "rhs"]),
    same("size", &["a"]),
    same("stride", &["input"]),
    same("tile_to_shape", &["atom", "trg_shape", "[order]"]),
    same("tiled_divide", &["target", "tiler"]),
    same("tiled_product", &["block", "tiler"]),
    same("zipped_divide", &["target", "tiler"]),
    same("zipped_product", &["block", "tiler"]),
    renamed("group_modes", "group", &["input", "begin", "[end]"]),
    renamed("is_congruent", "congruent", &["a", "b"]),
    renamed("is_weakly_congruent", "weakly_congruent", &["a", "b"]),
    // Registers for what a tensor has, of its type or another one.
    Function {
        name: "make_rmem_tensor_like",
        parameters: &["src", "[dtype]"],
        operation: "make_layout_like",
        order: &[0],
        is_foreign: true,
    },
    renamed("make_identity_tensor", "make_identity_layout", &["shape"]),
    renamed("flatten_to_tuple", "flatten", &["a"]),
    renamed("product", "size", &["a"]),
    renamed("make_tensor_like", "make_layout_like", &["src"]),
    renamed("slice_", "slice_", &["src", "coord"]),
    Function { name: "dice", parameters: &["src", "dicer"], operation: "dice_", order: &[0, 1], is_foreign: false },
    Function {
        name: "recast_layout",
        parameters: &["new_type_bits", "old_type_bits", "src_layout"],
        operation: "recast",
        order: &[2, 1, 0],
        is_foreign: true,
    },
];

/// The functions of the DSL that no operation of the language is called after.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    let foreign = FUNCTIONS.iter().filter(|function| function.is_foreign).map(|function| function.name);
    let made = ["make_composed_layout", "make_tensor", "make_rmem_tensor", "make_layout_tv", "make_smem_layout_atom"];
    foreign.chain(made).chain(helper_names())
}

/// Whether both are integers, or tuples of as many integers; names may stand for such.
fn divides_by_modes(input: &Expr, tiler: &Expr) -> bool {
    match (&input.kind, &tiler.kind) {
        (ExprKind::Tuple(input), ExprKind::Tuple(tiler)) => {
            input.len() == tiler.len()
                && input.iter().chain(tiler).all(|entry| !matches!(entry.kind, ExprKind::Tuple(_)))
        }
        (ExprKind::Tuple(_), ExprKind::Static(_)) | (_, ExprKind::Tuple(_)) => false,
        _ => true,
    }
}

impl Cursor<'_> {
    /// What a word of CuTe DSL begins; `None` where it is none.
    pub(super) fn dsl_word(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        if word == "Tensor" && self.is_dsl_tensor() {
            return self.dsl_tensor(start).map(Some);
        }
        if !self.at(TokenKind::OpenRound) {
            return Ok(None);
        }
        match word {
            "make_layout" => self.make_layout(start, scope).map(Some),
            "Int32" | "Int64" => self.converted(start, Dialect::CuteDsl).map(Some),
            "make_tensor" => self.make_tensor(start).map(Some),
            "make_rmem_tensor" | "make_fragment" => self.dsl_registers(start).map(Some),
            "make_composed_layout" => self.make_composed_layout(start).map(Some),
            "make_swizzle" => self.make_swizzle(start, scope).map(Some),
            "raw_ptr" => self.dsl_raw_pointer(start).map(Some),
            "make_fragment_like" if scope == Some(Dialect::CuteDsl) => self.dsl_fragment_like(start).map(Some),
            "make_layout_tv" => self.dsl_thread_values(start).map(Some),
            "make_smem_layout_atom" => self.smem_layout_atom(start).map(Some),
            "append_ones" | "prepend_ones" => self.dsl_ones(word, start).map(Some),
            "E" if scope == Some(Dialect::CuteDsl) => self.dsl_basis(start).map(Some),
            _ => match FUNCTIONS.iter().find(|function| function.name == word) {
                Some(function) => self.dsl_call(function, start, scope).map(Some),
                None => self.smem_call(word, start, scope),
            },
        }
    }

    fn dsl_call(&mut self, function: &Function, start: Span, scope: Option<Dialect>) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        let has_keywords = arguments.iter().any(|argument| argument.keyword.is_some());
        if !(has_keywords || function.is_foreign || scope == Some(Dialect::CuteDsl)) {
            return match (function.name, values(arguments, function.name)?) {
                // C++ has a second form, with an offset in the middle.
                // C++ has the strides beside the shape, too.
                ("crd2idx", mut parts) if parts.len() == 3 && parts.iter().skip(1).all(is_integers) => {
                    self.spelled(Dialect::CuteCpp);
                    if let (Some(stride), Some(shape)) = (parts.pop(), parts.pop()) {
                        let at = shape.span.join(stride.span);
                        parts.push(pair(shape, stride, at));
                    }
                    Ok(call("crd2idx", name, parts, span))
                }
                ("composition", parts) if parts.len() == 3 && parts.get(1).is_some_and(is_offset) => {
                    self.spelled(Dialect::CuteCpp);
                    Ok(Expr::new(composed(parts), span))
                }
                (name_text, values) => Ok(call(name_text, name, values, span)),
            };
        }
        self.spelled(Dialect::CuteDsl);
        self.ungroup(&mut arguments);
        let modes = match function.name {
            "select" => None,
            _ => take_keyword(&mut arguments, "mode"),
        };
        let mut given = placed(arguments, function.name, function.parameters)?;
        if let ("select", Some(Some(Expr { kind: ExprKind::Tuple(modes), .. }))) = (function.name, given.get_mut(1)) {
            let modes = std::mem::take(modes);
            let first = given.first_mut().and_then(Option::take);
            return Ok(call("select", name, first.into_iter().chain(modes).collect(), span));
        }
        if let ("ceil_div", [Some(input), Some(tiler)]) = (function.name, given.as_slice())
            && !divides_by_modes(input, tiler)
        {
            let message = "CuTe DSL divides whole modes by a tiler: here that is another quotient than leaf by leaf";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message).with_help(
                "write one integer a mode on both sides, as in `ceil_div((10,7), (4,2))`, or `ceil_div(size(X), 4)`",
            ));
        }
        // Left out, it is the last mode.
        if let ("group_modes", [Some(input), Some(_), end @ None]) = (function.name, given.as_mut_slice()) {
            *end = Some(call("rank", name, vec![input.clone()], span));
        }
        let ordered = function.order.iter().filter_map(|place| given.get_mut(*place).and_then(Option::take)).collect();
        let mut tree = call(function.operation, name, ordered, span);
        if let (Some(modes), ExprKind::Call { modes: place, .. }) = (modes, &mut tree.kind) {
            *place = match modes.kind {
                ExprKind::Tuple(modes) if modes.is_empty() => None,
                ExprKind::Tuple(modes) => Some(modes),
                kind => Some(vec![Expr::new(kind, modes.span)]),
            };
        }
        Ok(tree)
    }

    /// `append_ones(L, up_to_rank=4)`, and before the others `prepend_ones`.
    fn dsl_ones(&mut self, word: &str, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let given = placed(self.arguments(TokenKind::CloseRound)?, word, &["t", "[up_to_rank]"])?;
        let span = self.since(start);
        self.spelled(Dialect::CuteDsl);
        let [one, zero] = [self.leaf(ExprKind::Static(1), span)?, self.leaf(ExprKind::Static(0), span)?];
        let mut values: Vec<Expr> = given.into_iter().flatten().collect();
        values.insert(1, pair(one, zero, span));
        Ok(call(word.trim_end_matches("_ones"), name, values, span))
    }

    /// `make_layout` of layouts is the operation; of a shape with strides or an order it is a layout, in C++ and in the DSL.
    fn make_layout(&mut self, start: Span, scope: Option<Dialect>) -> Result<Expr> {
        let (name, before) = (Span::new(start.start, self.consumed), self.spellings);
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        if scope == Some(Dialect::CuteDsl) || arguments.iter().any(|argument| argument.keyword.is_some()) {
            self.ungroup(&mut arguments);
        }
        let is_foreign = scope.is_some() || self.spellings != before || self.dialects.contains(&Dialect::CuteCpp);
        // Of a shape alone it is the layout that the DSL makes of it, also in a tuple, which then is a tiler.
        if let (Some(Dialect::CuteDsl), [Argument { keyword: None, given: Given::Value(shape) }]) =
            (scope, arguments.as_slice())
            && is_integers(shape)
        {
            let shape = shape.clone();
            return Ok(call("column_major", name, vec![shape], self.since(start)));
        }
        self.layout_of(arguments, name, self.since(start), is_foreign)
    }

    /// `make_tensor(pointer, …)`: the pointer does not say where elements lie behind it, and what follows is as in `make_layout`.
    fn make_tensor(&mut self, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let open = self.enter()?;
        let (mut depth, mut before) = (0_usize, TokenKind::Comma);
        loop {
            match self.token.kind {
                // `->` of a pointer.
                TokenKind::CloseAngle if before == TokenKind::Minus => {}
                TokenKind::OpenRound | TokenKind::OpenSquare | TokenKind::OpenAngle | TokenKind::OpenCurly => {
                    depth += 1
                }
                TokenKind::Comma if depth == 0 => break,
                TokenKind::End => return Err(self.expected("`,` and the layout, as in `make_tensor(pointer, layout)`")),
                TokenKind::CloseRound | TokenKind::CloseSquare | TokenKind::CloseAngle | TokenKind::CloseCurly => {
                    let Some(outer) = depth.checked_sub(1) else {
                        return Err(self.expected("`,` and the layout, as in `make_tensor(pointer, layout)`"));
                    };
                    depth = outer;
                }
                _ => {}
            }
            before = self.token.kind;
            self.advance();
        }
        self.advance();
        let arguments = self.arguments_until(open, TokenKind::CloseRound)?;
        let is_python = self.dialects.contains(&Dialect::CuteDsl);
        self.spelled(if is_python { Dialect::CuteDsl } else { Dialect::CuteCpp });
        self.tensor_of(arguments, name, start)
    }

    /// `make_rmem_tensor(layout_or_shape, dtype)`: the type does not matter.
    fn dsl_registers(&mut self, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let open = self.enter()?;
        let mut first = self.foreign_argument()?;
        first.keyword = None;
        if self.eat(TokenKind::Comma) {
            self.skip_arguments();
        }
        self.leave(open, TokenKind::CloseRound, "`,` and the type, or `)`")?;
        self.spelled(Dialect::CuteDsl);
        self.tensor_of(vec![first], name, start)
    }

    /// Steps over what stands before the end of a call.
    pub(super) fn skip_arguments(&mut self) {
        let mut depth = 0_usize;
        while !(self.at(TokenKind::End) || depth == 0 && self.at(TokenKind::CloseRound)) {
            match self.token.kind {
                TokenKind::OpenRound | TokenKind::OpenSquare => depth = depth.saturating_add(1),
                TokenKind::CloseRound | TokenKind::CloseSquare => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// The layout of a tensor, from what `make_layout` would take.
    pub(super) fn tensor_of(&mut self, mut arguments: Vec<Argument>, name: Span, start: Span) -> Result<Expr> {
        if let [Argument { keyword, .. }] = arguments.as_mut_slice()
            && keyword.as_ref().is_some_and(|keyword| keyword.text == "layout")
        {
            *keyword = None;
        }
        let tree = self.layout_of(arguments, name, self.since(start), true)?;
        // A tensor of one layout is that layout.
        Ok(match tree.kind {
            ExprKind::Call { name, modes: None, mut arguments }
                if name.text == "make_layout"
                    && arguments.len() == 1
                    && arguments.first().is_some_and(|only| !is_integers(only)) =>
            {
                let only = arguments.pop().map_or(ExprKind::Tuple(Vec::new()), |only| only.kind);
                Expr::new(only, tree.span)
            }
            kind => Expr::new(kind, tree.span),
        })
    }

    fn layout_of(&mut self, mut arguments: Vec<Argument>, name: Span, span: Span, is_foreign: bool) -> Result<Expr> {
        if let Some(Argument { given: Given::Order(order, _), keyword: None }) = arguments.last() {
            let order = *order;
            arguments.pop();
            let shapes = values(arguments, "make_layout")?;
            if shapes.len() != 1 {
                let message = format!("make_layout takes one shape before the order, here are {}", shapes.len());
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
            return Ok(call(order.operation(), name, shapes, span));
        }
        let has_keywords = arguments.iter().any(|argument| argument.keyword.is_some());
        if has_keywords {
            self.spelled(Dialect::CuteDsl);
            let given = placed(arguments, "make_layout", &["shape", "[stride]"])?;
            let mut given = given.into_iter().flatten();
            return Ok(match (given.next(), given.next()) {
                (Some(shape), Some(stride)) if is_integers(&shape) && is_integers(&stride) => pair(shape, stride, span),
                (shape, stride) => call("make_layout", name, shape.into_iter().chain(stride).collect(), span),
            });
        }
        let mut values = values(arguments, "make_layout")?;
        // pycute takes the layouts in one tuple, too.
        if let [Expr { kind: ExprKind::Tiler(layouts), span }] = values.as_mut_slice()
            && span.of(self.text()).starts_with(['(', '['])
        {
            values = std::mem::take(layouts);
        }
        if is_foreign && values.len() == 2 && values.iter().all(is_integers) {
            let mut values = values.into_iter();
            if let (Some(shape), Some(stride)) = (values.next(), values.next()) {
                return Ok(pair(shape, stride, span));
            }
            return Err(self.expected("a shape and a stride"));
        }
        Ok(call("make_layout", name, values, span))
    }

    /// `(swizzle, offset, layout)`, the outermost function first, in C++ and in the DSL, which calls it `inner`.
    fn make_composed_layout(&mut self, start: Span) -> Result<Expr> {
        let arguments = self.arguments(TokenKind::CloseRound)?;
        self.spelled_in_call(&arguments);
        let given = placed(arguments, "make_composed_layout", &["inner", "offset", "outer"])?;
        Ok(Expr::new(composed(given.into_iter().flatten().collect()), self.since(start)))
    }

    /// `make_swizzle(bits, base, shift)`
    fn make_swizzle(&mut self, start: Span, scope: Option<Dialect>) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let arguments = self.arguments(TokenKind::CloseRound)?;
        // Of two masks it is an operation of the language, and of the C++ library.
        if scope != Some(Dialect::CuteDsl)
            && arguments.len() == 2
            && arguments.iter().all(|argument| argument.keyword.is_none())
        {
            return Ok(call("make_swizzle", name, values(arguments, "make_swizzle")?, self.since(start)));
        }
        self.spelled_in_call(&arguments);
        let mut numbers: Vec<Expr> =
            placed(arguments, "make_swizzle", &["b", "m", "s"])?.into_iter().flatten().collect();
        for number in &mut numbers {
            let name = word_of(number).map(str::to_owned);
            if let Some(bound) = name.map_or(Ok(None), |name| self.bound_integer(&name, number.span))? {
                *number = bound;
            }
        }
        swizzle(numbers, self.since(start))
    }

    /// A call that C++ and the DSL write alike is of the DSL unless C++ is written in it.
    fn spelled_in_call(&mut self, arguments: &[Argument]) {
        let has_keywords = arguments.iter().any(|argument| argument.keyword.is_some());
        if has_keywords || !self.dialects.contains(&Dialect::CuteCpp) {
            self.spelled(Dialect::CuteDsl);
        }
    }

    /// `make_layout_tv(threads, values)`: threads and values of the tile that the values, repeated over the threads, fill.
    fn dsl_thread_values(&mut self, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let given = placed(self.arguments(TokenKind::CloseRound)?, "make_layout_tv", &["thr_layout", "val_layout"])?;
        let span = self.since(start);
        self.spelled(Dialect::CuteDsl);
        let mut given = given.into_iter().flatten();
        let (Some(threads), Some(values)) = (given.next(), given.next()) else {
            return Err(self.expected("the layouts of threads and of values"));
        };
        let of = |operation: &str, arguments: Vec<Expr>| call(operation, name, arguments, span);
        let pair_of = |a: Expr, b: Expr| Expr::new(ExprKind::Tuple(vec![a, b]), span);
        let raked = of("raked_product", vec![threads.clone(), values.clone()]);
        let extent = |mode: i64| {
            let modes = Some(vec![Expr::new(ExprKind::Static(mode), span)]);
            let name = Name { text: "size".to_owned(), span: name };
            Expr::new(ExprKind::Call { name, modes, arguments: vec![raked.clone()] }, span)
        };
        let tile = pair_of(extent(0), extent(1));
        let counts = pair_of(of("size", vec![threads]), of("size", vec![values]));
        let both = of("column_major", vec![counts]);
        let layout = of("composition", vec![of("right_inverse", vec![raked.clone()]), both]);
        Ok(of("tv", vec![layout, tile]))
    }

    /// `E(0)`, `E([1,0])`: the outermost mode first.
    fn dsl_basis(&mut self, start: Span) -> Result<Expr> {
        let entries = self.list(TokenKind::CloseRound)?;
        let span = self.since(start);
        let wrong = || {
            let message = "a basis vector of the DSL is `cute.E(mode)` or `cute.E([mode,…])`";
            SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
        };
        let modes = match entries.as_slice() {
            [Expr { kind: ExprKind::Tuple(modes), .. }] => modes.as_slice(),
            modes => modes,
        };
        let index = |mode: &Expr| match mode.kind {
            ExprKind::Static(mode) => crate::cast::index(mode).map_err(|_| wrong()),
            _ => Err(wrong()),
        };
        let mut path = modes.iter().map(index).collect::<Result<Vec<usize>>>()?;
        if path.is_empty() || path.len() > crate::notation::MAX_DEPTH {
            return Err(wrong());
        }
        path.reverse();
        let value = Box::new(Expr::new(ExprKind::Static(1), start));
        Ok(Expr::new(ExprKind::Basis { value, path }, span))
    }
}

/// `Sw<bits,base,shift>` of three integers.
pub(super) fn swizzle(numbers: Vec<Expr>, span: Span) -> Result<Expr> {
    match numbers.as_slice() {
        [
            Expr { kind: ExprKind::Static(bits), .. },
            Expr { kind: ExprKind::Static(base), .. },
            Expr { kind: ExprKind::Static(shift), .. },
        ] => Ok(Expr::new(ExprKind::Swizzle { bits: *bits, base: *base, shift: *shift }, span)),
        _ => {
            let message = "a swizzle is made of three integers: the bits, the base and the shift";
            Err(SyntaxError::new(code::BAD_SWIZZLE, span, message))
        }
    }
}

/// Whether a tree may stand between two functions of a composed layout.
fn is_offset(tree: &Expr) -> bool {
    matches!(tree.kind, ExprKind::Static(_) | ExprKind::Dynamic(_) | ExprKind::Unknown { .. } | ExprKind::Bytes(_))
}

/// The argument of a keyword, taken out of the list.
fn take_keyword(arguments: &mut Vec<Argument>, keyword: &str) -> Option<Expr> {
    let is_it = |argument: &Argument| argument.keyword.as_ref().is_some_and(|name| name.text == keyword);
    let place = arguments.iter().position(is_it)?;
    match arguments.remove(place).given {
        Given::Value(value) => Some(value),
        Given::Order(..) => None,
    }
}
