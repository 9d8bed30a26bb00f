//! CuTe C++ as values: `make_layout(make_shape(_8{}, 64), LayoutRight{})`, `decltype(…)`, and what the library prints.
//!
//! `_8`, `Int<8>{}` and `C<8>` are static. A bare `8` among the arguments of `make_shape`, `make_stride`, `make_tuple` and
//! `make_tile` is dynamic, as it is to the compiler, where the text has a static one too; in a text that has none, nothing
//! depends on the difference, and all are static.

use super::Dialect;
use super::arguments::Order;
use super::build::{call, is_layout, shifted, tuple};
use super::cpp_types::INTEGER_TYPES;
use super::smem::SmemKind;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// Words that begin a declaration of C++, before the name that is declared.
pub(in crate::notation) const DECLARATIONS: [&str; 11] =
    ["using", "auto", "static", "constexpr", "const", "inline", "int", "size_t", "Layout", "Tensor", "typename"];

/// Functions of C++ that make what a layout is made of.
pub(super) const FUNCTIONS: [&str; 7] =
    ["make_shape", "make_stride", "make_tuple", "make_coord", "make_step", "make_tile", "decltype"];

impl Cursor<'_> {
    /// Steps over `using Name =`, `static constexpr auto name =`: what is declared is what is read.
    pub(in crate::notation) fn declaration(&mut self) -> Result<()> {
        while self.at(TokenKind::Word) && matches!(self.token.span.of(self.text()), "const" | "typename") {
            self.advance();
        }
        let (before, _) = self.text_from(self.token.span).split_once('=').unwrap_or_default();
        let words: Vec<&str> = before.split_whitespace().collect();
        let Some((name, kinds @ [_, ..])) = words.split_last() else { return Ok(()) };
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_name && kinds.iter().all(|word| DECLARATIONS.contains(word)) {
            while self.at(TokenKind::Word) {
                self.advance();
            }
            self.require(TokenKind::Equals, "`=` after the name that is declared")?;
            self.spelled(Dialect::CuteCpp);
        }
        Ok(())
    }

    /// Whether a comment of C++ or Python is at hand, which ends a line.
    pub(in crate::notation) fn is_comment(&self) -> bool {
        let rest = self.text_from(self.token.span);
        (rest.starts_with("//") || rest.starts_with("# ")) && !rest.contains('\n')
    }

    /// What a word of CuTe C++ begins; `None` where it is none.
    pub(super) fn cpp_word(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        match self.token.kind {
            _ if word.starts_with("Layout_") => self.smem_atom(word, start),
            kind if word == "smem_ptr_flag" && kind != TokenKind::OpenAngle => {
                self.spelled(Dialect::CuteCpp);
                self.leaf(ExprKind::Bytes(1), start).map(Some)
            }
            TokenKind::OpenAngle => {
                if let Some(tree) = self.cpp_helper(word, start)? {
                    return Ok(Some(tree));
                }
                match self.cpp_atom_type(word, start)? {
                    None => self.cpp_template(word, start),
                    tree => Ok(tree),
                }
            }
            TokenKind::OpenRound => self.cpp_call(word, start),
            kind if kind != TokenKind::OpenCurly && Order::of(word).is_some() => {
                let message = format!("`{word}` is a type, and `{word}{{}}` its value");
                Err(SyntaxError::new(code::UNEXPECTED_TOKEN, start, message)
                    .with_help(format!("write `make_layout(make_shape(_8{{}}, _64{{}}), {word}{{}})`")))
            }
            // `X{div=2}` is an unknown.
            TokenKind::OpenCurly
                if word == "Underscore"
                    || word == "X" && self.text_after(self.token.span).trim_start().starts_with('}') =>
            {
                self.default_made();
                self.spelled(Dialect::CuteCpp);
                self.leaf(ExprKind::Wildcard, self.since(start)).map(Some)
            }
            TokenKind::OpenCurly if Order::of(word).is_some() => {
                let message = format!("`{word}{{}}` says in which order `make_layout` is compact, and is no value");
                Err(SyntaxError::new(code::UNEXPECTED_TOKEN, start, message)
                    .with_help(format!("write `make_layout(make_shape(_8{{}}, _64{{}}), {word}{{}})`")))
            }
            // A value of a type that has a name: `SmemLayoutAtom{}`.
            TokenKind::OpenCurly => {
                if is_word_here(word) || !self.default_made() {
                    return Ok(None);
                }
                self.spelled(Dialect::CuteCpp);
                let mut tree = self.named_alone(word, start)?;
                tree.span = self.since(start);
                Ok(Some(tree))
            }
            _ => Ok(None),
        }
    }

    fn cpp_call(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let kind = match word {
            "make_shape" | "make_stride" => ExprKind::Tuple(self.cpp_constructed()?),
            "make_tuple" => tuple(self.cpp_constructed()?, &is_layout),
            "make_coord" | "make_step" => ExprKind::Tuple(self.list(TokenKind::CloseRound)?),
            "make_tile" => ExprKind::Tiler(self.cpp_constructed()?),
            "ArithTuple" | "counting_iter" | "counting_iterator" => return self.cpp_coordinates(word, start).map(Some),
            "make_counting_tensor" => {
                let mut tensors = self.list(TokenKind::CloseRound)?;
                match (tensors.len(), tensors.pop()) {
                    (1, Some(layout)) => layout.kind,
                    _ => return Err(self.expected("one layout, as in `make_counting_tensor(layout)`")),
                }
            }
            "compact_col_major" | "compact_row_major" | "compact_order" => {
                return self.compact_strides(word, start).map(Some);
            }
            _ if INTEGER_TYPES.contains(&word) => return self.converted(start, Dialect::CuteCpp).map(Some),
            "decltype" => {
                let mut inner = self.bracketed("the expression of `decltype`")?;
                self.default_made();
                self.spelled(Dialect::CuteCpp);
                inner.span = self.since(start);
                return Ok(Some(inner));
            }
            _ => return Ok(None),
        };
        self.spelled(Dialect::CuteCpp);
        Ok(Some(Expr::new(kind, self.since(start))))
    }

    /// `compact_col_major(shape)`, `compact_order(shape, order)`: the strides of the layout that has no gaps.
    fn compact_strides(&mut self, word: &str, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let arguments = self.list(TokenKind::CloseRound)?;
        let span = self.since(start);
        let (operation, count) = match word {
            "compact_col_major" => ("column_major", 1),
            "compact_row_major" => ("row_major", 1),
            _ => ("make_ordered_layout", 2),
        };
        if arguments.len() != count {
            let message = format!("{word} is read with {count} arguments, here are {}", arguments.len());
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                .with_help("strides that begin at another number are a product, as in `(4,8):(3*1,3*4)`"));
        }
        self.spelled(Dialect::CuteCpp);
        let layout = call(operation, name, arguments, span);
        Ok(call("stride", name, vec![layout], span))
    }

    /// `ArithTuple(0,_128) o L`: a tensor of coordinates that begins at a coordinate. In a larger text it is the coordinate.
    /// So is `counting_iter(4) o L` of offsets.
    fn cpp_coordinates(&mut self, word: &str, start: Span) -> Result<Expr> {
        let open = self.token;
        let mut entries = self.cpp_constructed()?;
        let origin = match (word, entries.pop()) {
            ("ArithTuple", last) => {
                entries.extend(last);
                Expr::new(ExprKind::Tuple(entries), self.since(start))
            }
            (_, Some(first)) if entries.is_empty() => first,
            _ => return Err(self.expected("` o ` and one number before it, as in `counting_iter(0) o 8:1`")),
        };
        self.spelled(Dialect::CuteCpp);
        if !self.eat(TokenKind::Compose) {
            return Ok(origin);
        }
        let layout = self.behind(open)?;
        shifted(layout, origin, self.since(start))
    }

    /// `Layout_K_SW128_Atom<half_t>` of `GMMA::` and `UMMA::`: what matrix units read from shared memory.
    fn smem_atom(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let Some(rest) = word.strip_prefix("Layout_") else { return Ok(None) };
        let Some(swizzle) = rest.strip_prefix("K_").or_else(|| rest.strip_prefix("MN_")) else { return Ok(None) };
        let Some(name) = rest.strip_suffix("_Atom").or_else(|| rest.strip_suffix("_Atom_Bits")) else {
            return Ok(None);
        };
        let Some(kind) = SmemKind::of_cpp(name) else {
            let swizzle = swizzle.trim_end_matches("_Bits").trim_end_matches("_Atom");
            let message = format!("CuTe has no layout of shared memory with the swizzle `{swizzle}`");
            return Err(SyntaxError::new(code::UNKNOWN_NAME, start, message)
                .with_help("there are INTER, SW32, SW64 and SW128, as in `Layout_K_SW128_Atom<half_t>`"));
        };
        let mut bits = 1;
        if rest.ends_with("_Atom") {
            if !self.at(TokenKind::OpenAngle) {
                return Err(self.expected("`<` and the type of the elements, as in `Layout_K_SW128_Atom<half_t>`"));
            }
            let open = self.enter()?;
            bits = self.cpp_element_bits()?.0;
            self.leave(open, TokenKind::CloseAngle, "`>` after the type")?;
        }
        self.default_made();
        self.spelled(Dialect::CuteCpp);
        let span = self.since(start);
        self.count_leaf(span)?;
        Ok(Some(kind.atom(bits, span)))
    }

    /// A type of elements, and how many bits it has.
    pub(super) fn cpp_element_bits(&mut self) -> Result<(i64, Span)> {
        self.namespaces();
        let span = self.token.span;
        match type_bits(span.of(self.text())).filter(|_| self.at(TokenKind::Word)) {
            Some(bits) => {
                self.advance();
                Ok((bits, span))
            }
            None => Err(self.expected("a type of elements such as half_t, bfloat16_t, float or int8_t")),
        }
    }

    /// A name without what may follow an unknown.
    pub(super) fn named_alone(&mut self, word: &str, start: Span) -> Result<Expr> {
        if is_word_here(word) {
            let message = format!("`{word}` is no name here");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, start, message));
        }
        match word.starts_with(|c: char| c.is_ascii_uppercase()) {
            true => self.leaf(ExprKind::Unknown { name: Some(word.to_owned()), div: 1 }, start),
            false => self.named(word, start),
        }
    }

    /// `int(8)`, `cutlass.Int32(8)`: an integer known when the program runs.
    pub(super) fn converted(&mut self, start: Span, dialect: Dialect) -> Result<Expr> {
        let open = self.enter()?;
        let value = self.integer("a number, as in `int(8)`")?;
        self.leave(open, TokenKind::CloseRound, "`)` after the number")?;
        self.spelled(dialect);
        self.leaf(ExprKind::Dynamic(value), self.since(start))
    }

    /// The arguments of a constructor.
    fn cpp_constructed(&mut self) -> Result<Vec<Expr>> {
        let within = std::mem::replace(&mut self.cpp.within, true);
        let entries = self.list(TokenKind::CloseRound);
        self.cpp.within = within;
        entries
    }

    /// Steps over `::value` and `::type` behind a type or a call.
    pub(in crate::notation) fn member_type(&mut self) -> bool {
        let member = self.text_from(self.token.span).strip_prefix("::").map(str::trim_start).unwrap_or_default();
        let word = crate::text::word(member);
        if !matches!(word, "value" | "type") {
            return false;
        }
        let behind = member.len().saturating_sub(word.len());
        self.skip_to(self.text().len().saturating_sub(behind));
        self.spelled(Dialect::CuteCpp);
        true
    }

    /// Steps over the `_c` of `8_c`, which makes a number static.
    pub(in crate::notation) fn literal_suffix(&mut self) -> bool {
        let span = self.token.span;
        let is_suffix = self.at(TokenKind::Underscore)
            && span.start == self.consumed
            && crate::text::word(self.text_after(span)) == "c";
        if is_suffix {
            self.advance();
            self.advance();
            self.cpp.statics = true;
            self.spelled(Dialect::CuteCpp);
        }
        is_suffix
    }

    /// Steps over `{}` or `()`, which make a value of a type, if that is at hand.
    pub(in crate::notation) fn default_made(&mut self) -> bool {
        let close = match self.token.kind {
            TokenKind::OpenCurly => '}',
            TokenKind::OpenRound => ')',
            _ => return false,
        };
        let is_empty = self.text_after(self.token.span).trim_start().starts_with(close);
        if is_empty {
            self.advance();
            self.advance();
        }
        is_empty
    }
}

/// Whether a word says something else than a name.
fn is_word_here(word: &str) -> bool {
    matches!(word, "None" | "Sw") || word.starts_with("SW_")
}

/// The bits of an element by the C++ name of its type.
pub(crate) fn type_bits(name: &str) -> Option<i64> {
    Some(match name.strip_prefix("cutlass::").unwrap_or(name) {
        "uint128_t" => 128,
        "double" | "int64_t" | "uint64_t" => 64,
        "tfloat32_t" | "float" | "int32_t" | "uint32_t" | "int" => 32,
        "half_t" | "bfloat16_t" | "int16_t" | "uint16_t" => 16,
        "int8_t" | "uint8_t" | "float_e4m3_t" | "float_e5m2_t" | "float_ue4m3_t" | "float_ue8m0_t" => 8,
        "float_e2m3_t" | "float_e3m2_t" => 6,
        "float_e2m1_t" | "int4b_t" | "uint4b_t" => 4,
        _ => return None,
    })
}
