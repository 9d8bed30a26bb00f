//! Tensors in memory as PyTorch and NumPy make them, with their sizes.
//!
//! | text | reads as |
//! |---|---|
//! | `x[2,3,4]` before a method, `torch.empty(2,3,4)`, `np.zeros((2,3,4))` | `tensor((2,3,4), (12,4,1))` |
//! | `np.zeros((2,3), order='F')` | `tensor((2,3), (1,2))` |
//! | `torch.arange(24)` | `tensor((24), (1))` |
//! | `torch.empty_strided((2,3), (3,1))`, `torch.as_strided(x, (2,3), (3,1), 5)` | `tensor((2,3), (3,1))`, `tensor((2,3), (3,1), 5)` |
//! | `np.ndarray((2,3), np.float32, strides=(12,4))`, `as_strided` of an array with its type | `tensor((2,3), (3,1))`: NumPy counts bytes |
//! | `torch.Size([2,3])` | `(2,3)` |
//! | `torch.Size([2,3]) (3,1)`, as `print(x.shape, x.stride())` prints | `tensor((2,3), (3,1))` |
//! | `size=(2,3), stride=(3,1)`, `x.shape = …, x.stride() = …`, `torch.Size([2,3]) stride=(3,1)` and other fields | `tensor((2,3), (3,1))` |
//! | `shape=(2,3) strides=(12,4) dtype=float32` of NumPy | `tensor((2,3), (3,1))` |
//! | `reinterpret_tensor(x, (2,3), (3,1), 5)`, `empty_strided_cuda(…)`, `FixedLayout(…)` of Inductor | `tensor((2,3), (3,1), 5)` |
//! | `{"dtype":"F16","shape":[4,8],"data_offsets":[0,64]}`, as headers of safetensors | `tensor((4,8), (8,1))` |
//! | `f32[2, 3][3, 1]cuda:0`, as graphs of PyTorch annotate | `tensor((2,3), (3,1))` |
//! | `torch.empty(2,3,4,5, memory_format=torch.channels_last)` | `tensor((2,3,4,5), (60,1,15,3))` |

use super::Dialect;
use super::arguments::placed;
use super::arguments::{Argument, Given, is_column_major};
use super::build::{call, call_method};
use super::dense::dense;
use super::numpy_types::{numpy_bytes, numpy_type, strides_in_bytes, types_named, whole_elements};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// Functions that make a tensor of given sizes, each element for itself.
const MAKERS: [&str; 8] = ["empty", "zeros", "ones", "rand", "randn", "full", "arange", "randint"];

/// Keywords that say nothing of where elements lie.
const CONTENTS: [&str; 8] =
    ["dtype", "device", "fill_value", "requires_grad", "generator", "pin_memory", "layout", "like"];

impl Cursor<'_> {
    /// What a name of PyTorch or NumPy begins; `None` where it is none.
    pub(super) fn tensor_word(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        if !self.at(TokenKind::OpenRound) {
            return Ok(None);
        }
        if let Some(tree) = self.inductor(word, start)? {
            return Ok(Some(tree));
        }
        let Some(scope @ (Dialect::Torch | Dialect::NumPy)) = scope else { return Ok(None) };
        match word {
            "Size" if scope == Dialect::Torch => self.torch_size(start).map(Some),
            "empty_strided" => {
                let given = placed(self.contents_left_out()?, word, &["size", "stride"])?;
                self.torch_strided(given, start).map(Some)
            }
            "as_strided" => {
                if scope == Dialect::NumPy {
                    return self.numpy_as_strided(start).map(Some);
                }
                let parameters = ["input", "size", "stride", "[storage_offset]"];
                let mut given = placed(self.arguments(TokenKind::CloseRound)?, word, &parameters)?;
                let places = given.split_off(1);
                match given.pop().flatten() {
                    // Of a tensor of which nothing is known, the answer counts from where its memory begins.
                    Some(Expr { kind: ExprKind::Name(_) | ExprKind::Unknown { .. }, .. }) | None => {
                        self.torch_strided(places, start).map(Some)
                    }
                    Some(input) => {
                        let places = places.into_iter().flatten().collect();
                        Ok(Some(call_method(input, word, start, places, self.since(start))))
                    }
                }
            }
            "ndarray" if scope == Dialect::NumPy => self.ndarray(start).map(Some),
            _ if MAKERS.contains(&word) => self.made(word, start, scope).map(Some),
            _ => Ok(None),
        }
    }

    /// What the code that PyTorch's compiler writes has instead of a tensor.
    fn inductor(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let parameters: &[&str] = match word {
            "empty_strided_cuda" | "empty_strided_cpu" | "empty_strided_xpu" => &["size", "stride", "[dtype]"],
            "reinterpret_tensor" | "assert_size_stride" => &["[tensor]", "size", "stride", "[offset]"],
            "FixedLayout" | "FlexibleLayout" => &["[device]", "[dtype]", "size", "stride", "[offset]"],
            _ => return Ok(None),
        };
        let mut given = placed(self.arguments(TokenKind::CloseRound)?, word, parameters)?;
        let mut take = |name: &str| {
            let place = parameters.iter().position(|parameter| parameter.trim_matches(['[', ']']) == name)?;
            given.get_mut(place).and_then(Option::take)
        };
        let parts = [take("size"), take("stride"), take("offset")];
        self.spelled(Dialect::Torch);
        self.torch_strided(parts, start).map(Some)
    }

    /// The tensor of sizes, strides and an offset as PyTorch takes them: none is below 0.
    fn torch_strided(&self, parts: impl IntoIterator<Item = Option<Expr>>, start: Span) -> Result<Expr> {
        let parts: Vec<Expr> = parts.into_iter().flatten().collect();
        let numbers = parts.iter().flat_map(|part| match &part.kind {
            ExprKind::Tuple(entries) => entries.as_slice(),
            _ => std::slice::from_ref(part),
        });
        let below = |number: &&Expr| matches!(number.kind, ExprKind::Static(..0));
        if let Some(number) = numbers.clone().find(below) {
            let message = format!("PyTorch takes sizes, strides and offsets from 0 on, not {number}");
            return Err(SyntaxError::new(code::BAD_SIZE, number.span, message)
                .with_help("NumPy has them, and `tensor((2,3), (-3,1), 3)` is such an array"));
        }
        Ok(call("tensor", start, parts, self.since(start)))
    }

    /// `size=(2,3), stride=(3,1)` and what else is printed of a tensor by its names, such as `x.shape = …`: the sizes may have none.
    pub(in crate::notation) fn named_strides(&mut self) -> Result<Option<Expr>> {
        let (start, text) = (self.token.span, self.text());
        let from = |at: usize| text.get(at..).unwrap_or_default();
        let rest = from(start.start);
        let begins = field(rest).is_some_and(|(name, _)| FIELDS.contains(&name)) || is_torch_size(rest);
        let has_strides = rest.match_indices("stride").any(|(at, _)| {
            field(rest.get(at..).unwrap_or_default()).is_some_and(|(name, _)| name.starts_with("stride"))
        });
        if !begins || !has_strides {
            return Ok(None);
        }
        let (mut size, mut stride, mut offset, mut element) = (None, None, None, None);
        while !self.at(TokenKind::End) {
            let span = self.token.span;
            let named = field(from(span.start));
            let name = match named {
                Some((name, length)) => {
                    self.skip_to(span.start.saturating_add(length));
                    name
                }
                None if size.is_none() && is_torch_size(from(span.start)) => "shape",
                None => return Err(self.expected("`stride=` and the strides")),
            };
            let value = self.token.span;
            let slot = match name {
                "shape" | "size" | "sizes" => &mut size,
                "stride" | "strides" => &mut stride,
                "storage_offset" | "offset" => &mut offset,
                _ if FIELDS.contains(&name) => {
                    self.pass_field();
                    let text = Span::new(value.start, self.consumed).of(text);
                    element = element.or((name == "dtype").then_some(text));
                    self.eat(TokenKind::Comma);
                    continue;
                }
                _ => {
                    return Err(SyntaxError::new(
                        code::UNEXPECTED_TOKEN,
                        span,
                        format!("`{name}` is nothing that is read here of a tensor"),
                    )
                    .with_help(format!("those are {}", FIELDS.join(", "))));
                }
            };
            if slot.is_some() {
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, format!("`{name}` is there twice")));
            }
            *slot = Some((name, self.expression()?, span));
            self.eat(TokenKind::Comma);
        }
        let Some((_, size, _)) = size else {
            return Err(self.expected("the sizes, as in `x.shape = (4, 8), x.stride() = (8, 1)`"));
        };
        let Some((name, stride, at)) = stride else { return Err(self.expected("`stride=` and the strides")) };
        let span = self.since(start);
        let offset = offset.map(|(_, offset, _)| offset);
        let bytes = element.and_then(numpy_type).filter(|_| name == "strides");
        let parts = match (bytes, name) {
            (Some(bytes), _) => {
                let size = in_a_tuple(size);
                let ExprKind::Tuple(sizes) = &size.kind else { return Err(self.expected("the sizes")) };
                let mut parts = strides_in_bytes(&size, sizes, &stride, bytes)?;
                parts.extend(offset.map(|offset| whole_elements(&offset, bytes)).transpose()?);
                self.spelled(Dialect::NumPy);
                parts
            }
            (None, "strides") => {
                let message = "`strides` are bytes in NumPy and elements elsewhere";
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, at, message).with_help(
                    "write `stride` where they are elements, or the type beside bytes: `shape=(2,3) strides=(12,4) dtype=float32`",
                ));
            }
            _ => {
                self.spelled(Dialect::Torch);
                [Some(size), Some(stride), offset].into_iter().flatten().collect()
            }
        };
        Ok(Some(call("tensor", start, parts, span)))
    }

    /// Steps over the value of a field, up to the next one.
    fn pass_field(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.token.kind {
                TokenKind::OpenRound | TokenKind::OpenSquare => depth = depth.saturating_add(1),
                TokenKind::CloseRound | TokenKind::CloseSquare => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            let is_next = self.at(TokenKind::Comma) || field(self.text_from(self.token.span)).is_some();
            if self.at(TokenKind::End) || depth == 0 && is_next {
                return;
            }
        }
    }

    /// `f32[2, 3][3, 1]cuda:0`: sizes and strides behind a type, from the second bracket on.
    pub(in crate::notation) fn annotated_strides(&mut self, sizes: Vec<i64>, start: Span) -> Result<Expr> {
        let at = self.token.span;
        let strides = Expr::new(ExprKind::Tuple(self.list(TokenKind::CloseSquare)?), self.since(at));
        let device = self.text_from(self.token.span);
        if ["cuda", "cpu", "xpu", "mps", "meta"].iter().any(|name| device.starts_with(name)) {
            self.skip_to(self.text().len());
        }
        self.spelled(Dialect::Torch);
        let sizes = sizes.into_iter().map(|size| Expr::new(ExprKind::Static(size), start)).collect();
        let sizes = Expr::new(ExprKind::Tuple(sizes), start);
        Ok(call("tensor", start, vec![sizes, strides], self.since(start)))
    }

    /// Whether `{"dtype":` or another field of a tensor in the header of a file is at hand.
    pub(in crate::notation) fn is_stored_tensor(&self) -> bool {
        let inside = self.text_after(self.token.span).trim_start();
        STORED.iter().any(|name| {
            let behind = inside.strip_prefix('"').and_then(|rest| rest.strip_prefix(name));
            behind.is_some_and(|rest| rest.starts_with('"'))
        })
    }

    /// `{"dtype":"F16","shape":[4,8],"data_offsets":[0,64]}`, whose bytes are as many as the sizes say.
    pub(in crate::notation) fn stored_tensor(&mut self) -> Result<Expr> {
        let open = self.enter()?;
        let (mut element, mut shape, mut offsets) = (None, None, None);
        loop {
            let name = self.token.span;
            let slot = match self.quoted(name).text.as_str() {
                "dtype" => &mut element,
                "shape" => &mut shape,
                "data_offsets" => &mut offsets,
                _ => return Err(self.expected("\"dtype\", \"shape\" or \"data_offsets\"")),
            };
            self.advance();
            self.require(TokenKind::Colon, "`:` and a value")?;
            if slot.replace(self.expression()?).is_some() {
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, name, "this field is there twice"));
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave(open, TokenKind::CloseCurly, "`,` or `}`")?;
        let span = self.since(open.span);
        let wrong = |at: Span, message: String| SyntaxError::new(code::BAD_SIZE, at, message);
        let Some(Expr { kind: ExprKind::Tuple(sizes), span: shape_span }) = shape else {
            return Err(wrong(span, "a tensor in a header has a shape such as \"shape\":[4,8]".to_owned()));
        };
        if let (Some(element), Some(Expr { kind: ExprKind::Tuple(offsets), span: at })) = (element, offsets) {
            let bits = match &element.kind {
                ExprKind::Name(name) | ExprKind::Quoted(name) => stored_bits(&name.text),
                _ => None,
            };
            let Some(bits) = bits else {
                return Err(wrong(element.span, format!("`{element}` is no type of elements in a header")));
            };
            let number = |tree: &Expr| match tree.kind {
                ExprKind::Static(n) => Some(i128::from(n)),
                _ => None,
            };
            let count = sizes.iter().try_fold(i128::from(bits), |all, size| all.checked_mul(number(size)?));
            let ends = [offsets.first().and_then(number), offsets.get(1).and_then(number)];
            if let ([Some(start), Some(end)], Some(count)) = (ends, count)
                && (offsets.len() != 2 || start < 0 || (end - start).checked_mul(8) != Some(count))
            {
                let message =
                    format!("{bits} bits an element are {} bytes, not the {} of data_offsets", count / 8, end - start);
                return Err(wrong(at, message));
            }
        }
        self.remark("places count from the first element of the tensor");
        dense(sizes, false, open.span, shape_span.join(span))
    }

    fn numpy_bytes(&self, start: Span) -> Box<SyntaxError> {
        let message = "strides of NumPy are in bytes, and nothing says how many an element has";
        SyntaxError::new(code::UNEXPECTED_TOKEN, start, message)
            .with_help("write `np.ndarray((2,3), np.float32, strides=(12,4))`, or `tensor((2,3), (3,1))` in elements")
    }

    /// The arguments that say where elements lie.
    fn contents_left_out(&mut self) -> Result<Vec<Argument>> {
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        arguments
            .retain(|argument| argument.keyword.as_ref().is_none_or(|name| !CONTENTS.contains(&name.text.as_str())));
        Ok(arguments)
    }

    /// `(2, 3)` or `((2, 3))`, perhaps with the order of NumPy.
    fn made(&mut self, word: &str, start: Span, scope: Dialect) -> Result<Expr> {
        let arguments = self.contents_left_out()?;
        let span = self.since(start);
        let (mut sizes, mut is_fortran, mut format) = (Vec::new(), false, None);
        for Argument { keyword, given } in arguments {
            let Given::Value(value) = given else { continue };
            match keyword.as_ref().map(|name| name.text.as_str()) {
                None | Some("size" | "shape") => sizes.push(value),
                Some("memory_format") => format = Some(value),
                Some("order") => {
                    if scope == Dialect::Torch {
                        let message = "tensors of PyTorch are made without `order`, which is NumPy's";
                        return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, value.span, message));
                    }
                    is_fortran = is_column_major(&value, word)?;
                }
                Some(other) => {
                    let message = format!("`{other}` is no argument that is read here");
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, value.span, message)
                        .with_help(format!("write the sizes: `{word}(2, 3)`")));
                }
            }
        }
        // PyTorch and the random tensors of NumPy take sizes side by side; of the others the second argument is a type, and the
        // third the order.
        let is_shape_alone = scope == Dialect::NumPy && matches!(word, "empty" | "zeros" | "ones");
        if let (true, [_, second, order @ ..]) = (is_shape_alone, sizes.as_slice()) {
            if !matches!(second.kind, ExprKind::Name(_) | ExprKind::Quoted(_)) || order.len() > 1 {
                let message = format!("`np.{word}` takes one shape, and the type of the elements behind it");
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, second.span, message)
                    .with_help(format!("write `np.{word}((2, 3))`")));
            }
            if let [order] = order {
                is_fortran = is_column_major(order, word)?;
            }
            sizes.truncate(1);
        }
        // What the elements are follows the sizes.
        if word == "full" {
            sizes.truncate(1);
        }
        // The bounds come first.
        if word == "randint" && scope == Dialect::Torch {
            sizes = sizes.split_off(sizes.len().saturating_sub(1));
            if !matches!(sizes.as_slice(), [Expr { kind: ExprKind::Tuple(_), .. }]) {
                let message = "randint takes the sizes in brackets, behind its bounds";
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
        }
        if word == "arange" {
            sizes = vec![counted(&sizes, scope, span)?];
        }
        let sizes = match sizes.as_slice() {
            [Expr { kind: ExprKind::Tuple(entries), .. }] => entries.clone(),
            _ => sizes,
        };
        let Some(format) = format else { return dense(sizes, is_fortran, start, span) };
        let dims = memory_order(&format)?.unwrap_or(&[]);
        if dims.is_empty() {
            return dense(sizes, false, start, span);
        }
        let in_memory: Option<Vec<Expr>> = dims.iter().map(|dim| sizes.get(*dim).cloned()).collect();
        let Some(in_memory) = in_memory.filter(|_| sizes.len() == dims.len()) else {
            let message = format!("this memory format is of {} dims, here are {}", dims.len(), sizes.len());
            return Err(SyntaxError::new(code::BAD_SIZE, format.span, message));
        };
        let mut strides: Vec<Expr> = Vec::new();
        if let ExprKind::Call { arguments, .. } = dense(in_memory, false, start, span)?.kind
            && let Some(Expr { kind: ExprKind::Tuple(ordered), .. }) = arguments.get(1)
        {
            let place = |dim: usize| dims.iter().position(|own| *own == dim).and_then(|at| ordered.get(at)).cloned();
            strides = (0..dims.len()).filter_map(place).collect();
        }
        let lists = [sizes, strides].map(|list| Expr::new(ExprKind::Tuple(list), span));
        Ok(call("tensor", start, lists.into(), span))
    }

    /// `([2, 3])`, and behind it strides and the first offset, as they are printed side by side.
    fn torch_size(&mut self, start: Span) -> Result<Expr> {
        let mut sizes = self.list(TokenKind::CloseRound)?;
        let size = match (sizes.len(), sizes.pop()) {
            (1, Some(size @ Expr { kind: ExprKind::Tuple(_), .. })) => size,
            _ => {
                let message = "a size of PyTorch is printed as `torch.Size([2, 3])`";
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, self.since(start), message));
            }
        };
        let is_next = self.at(TokenKind::OpenRound)
            || self.open.is_empty()
                && self.at(TokenKind::Comma)
                && self.text_after(self.token.span).trim_start().starts_with(['(', '[']);
        self.sizes += 1;
        if !is_next {
            return Ok(Expr::new(size.kind, self.since(start)));
        }
        self.eat(TokenKind::Comma);
        let at = self.token.span;
        let close = if self.at(TokenKind::OpenRound) { TokenKind::CloseRound } else { TokenKind::CloseSquare };
        let stride = Expr::new(ExprKind::Tuple(self.list(close)?), self.since(at));
        let mut arguments = vec![size, stride];
        if self.open.is_empty() && (self.at(TokenKind::Number) || self.at(TokenKind::Comma)) {
            self.eat(TokenKind::Comma);
            arguments.push(self.number(None)?);
        }
        Ok(call("tensor", start, arguments, self.since(start)))
    }

    /// `(shape, dtype, strides=…, offset=…, order=…)`, strides and offset in bytes.
    fn ndarray(&mut self, start: Span) -> Result<Expr> {
        let parameters = ["shape", "[dtype]", "[buffer]", "[offset]", "[strides]", "[order]"];
        let given = placed(self.arguments(TokenKind::CloseRound)?, "ndarray", &parameters)?;
        let span = self.since(start);
        let mut given = given.into_iter();
        let mut next = || given.next().flatten();
        let (shape, dtype, _, offset, strides, order) = (next(), next(), next(), next(), next(), next());
        let Some(shape) = shape else { return Err(self.expected("a shape")) };
        let shape = in_a_tuple(shape);
        let ExprKind::Tuple(sizes) = &shape.kind else { return Err(self.numpy_bytes(start)) };
        let is_fortran = order.as_ref().map_or(Ok(false), |order| is_column_major(order, "ndarray"))?;
        if offset.is_none() && strides.is_none() {
            return dense(sizes.clone(), is_fortran, start, span);
        }
        let name = match &dtype {
            Some(Expr { kind: ExprKind::Name(name) | ExprKind::Quoted(name), .. }) => name.text.as_str(),
            Some(_) => return Err(self.numpy_bytes(start)),
            None => "float64",
        };
        let bytes = numpy_bytes(name).ok_or_else(|| self.numpy_bytes(start))?;
        let mut tensor = match &strides {
            Some(strides) => call("tensor", start, strides_in_bytes(&shape, sizes, strides, bytes)?, span),
            None => dense(sizes.clone(), is_fortran, start, span)?,
        };
        if let (Some(offset), ExprKind::Call { arguments, .. }) = (offset, &mut tensor.kind) {
            arguments.push(whole_elements(&offset, bytes)?);
        }
        Ok(tensor)
    }

    /// `(x, shape, strides)`: strides in bytes, from the first element of an array whose type the text has.
    fn numpy_as_strided(&mut self, start: Span) -> Result<Expr> {
        let parameters = ["x", "shape", "strides", "[subok]", "[writeable]"];
        let given = placed(self.arguments(TokenKind::CloseRound)?, "as_strided", &parameters)?;
        let span = self.since(start);
        let mut given = given.into_iter().flatten();
        let (Some(array), Some(shape), Some(strides)) = (given.next(), given.next(), given.next()) else {
            return Err(self.numpy_bytes(start));
        };
        let made: String = array.span.of(self.text()).split_whitespace().collect();
        let mut types = types_named(&made);
        let (Some(bytes), None) = (types.next(), types.next()) else { return Err(self.numpy_bytes(start)) };
        let shape = in_a_tuple(shape);
        let ExprKind::Tuple(sizes) = &shape.kind else { return Err(self.numpy_bytes(start)) };
        let arguments = strides_in_bytes(&shape, sizes, &strides, bytes)?;
        self.remark("places count from the first element of the array that is viewed");
        Ok(call("tensor", start, arguments, span))
    }

    /// Whether `[2,3,4]` is at hand, and a method or an argument behind it: sizes, not the modes of a call.
    pub(in crate::notation) fn is_sized_tensor(&self) -> bool {
        let rest = self.text_from(self.token.span);
        let sizes = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || c.is_ascii_uppercase() || c.is_whitespace() || matches!(c, '[' | ',')
        });
        // In a call of CuTe DSL, `tile[1]` is a part of what the name stands for.
        let is_part = self.dialects.contains(&Dialect::CuteDsl)
            && !rest.split(']').next().is_some_and(|sizes| sizes.contains(','));
        let is_list = |after: &str| after.trim_start().starts_with(['.', ',']) && !is_part;
        self.at(TokenKind::OpenSquare) && rest.starts_with('[') && sizes.strip_prefix(']').is_some_and(is_list)
    }

    /// `[2,3,4]` after a name: a tensor of these sizes, row by row.
    pub(in crate::notation) fn sized_tensor(&mut self, start: Span) -> Result<Expr> {
        let sizes = self.list(TokenKind::CloseSquare)?;
        let tensor = dense(sizes, false, start, self.since(start))?;
        self.spelled(self.library(&tensor).unwrap_or(Dialect::Torch));
        Ok(tensor)
    }
}

/// How many numbers `arange(end)`, `arange(start, end)` or `arange(start, end, step)` counts. Where the end is behind the start,
/// NumPy counts none and PyTorch refuses.
fn counted(bounds: &[Expr], library: Dialect, span: Span) -> Result<Expr> {
    let wrong = || {
        let message = "arange is read as arange(end), arange(start, end) or arange(start, end, step), of numbers";
        SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
    };
    if let [count] = bounds
        && !matches!(count.kind, ExprKind::Static(_))
    {
        return Ok(count.clone());
    }
    let number = |bound: &Expr| match bound.kind {
        ExprKind::Static(number) => Ok(i128::from(number)),
        _ => Err(wrong()),
    };
    let (start, end, step) = match bounds {
        [end] => (0, number(end)?, 1),
        [start, end] => (number(start)?, number(end)?, 1),
        [start, end, step] => (number(start)?, number(end)?, number(step)?),
        _ => return Err(wrong()),
    };
    let (way, step) = if step < 0 { (start - end, -step) } else { (end - start, step) };
    if step == 0 || way < 0 && library == Dialect::Torch {
        return Err(SyntaxError::new(code::BAD_SIZE, span, "arange takes steps that lead from its start to its end"));
    }
    let count = i64::try_from((way.max(0) + step - 1) / step).map_err(|_| wrong())?;
    Ok(Expr::new(ExprKind::Static(count), span))
}

/// A shape of one dim, which NumPy also takes as a number, as a tuple.
fn in_a_tuple(shape: Expr) -> Expr {
    match shape.kind {
        ExprKind::Tuple(_) => shape,
        kind => Expr::new(ExprKind::Tuple(vec![Expr::new(kind, shape.span)]), shape.span),
    }
}

/// `(torch.Size([2, 3]), (3, 1))`, as Python prints sizes and strides together, perhaps with the first offset.
pub(in crate::notation) fn printed_tensor(tree: Expr) -> Expr {
    let ExprKind::Tuple(parts) = &tree.kind else { return tree };
    let length = |part: &Expr| match &part.kind {
        ExprKind::Tuple(entries) => Some(entries.len()),
        _ => None,
    };
    let is_tensor = match parts.as_slice() {
        [size, stride] | [size, stride, Expr { kind: ExprKind::Static(_), .. }] => {
            length(size).is_some() && length(size) == length(stride)
        }
        _ => false,
    };
    match tree.kind {
        ExprKind::Tuple(parts) if is_tensor => call("tensor", tree.span, parts, tree.span),
        kind => Expr::new(kind, tree.span),
    }
}

/// What the header of a safetensors file says of a tensor.
const STORED: [&str; 3] = ["dtype", "shape", "data_offsets"];

/// The bits of an element by its name in such a header: `F16`, `BF16`, `F8_E4M3`, `BOOL`.
fn stored_bits(name: &str) -> Option<i64> {
    let digits = ["BF", "F", "I", "U", "C"].iter().find_map(|stem| name.strip_prefix(stem));
    let bits: Option<i64> = digits.and_then(|rest| rest.split('_').next()?.parse().ok());
    if name == "BOOL" { Some(8) } else { bits.filter(|bits| matches!(bits, 4 | 6 | 8 | 16 | 32 | 64)) }
}

/// What is printed of a tensor with its name.
const FIELDS: [&str; 15] = [
    "shape",
    "size",
    "sizes",
    "stride",
    "strides",
    "storage_offset",
    "offset",
    "dtype",
    "device",
    "layout",
    "requires_grad",
    "ndim",
    "itemsize",
    "nbytes",
    "is_contiguous",
];

/// Whether `torch.Size(` begins a text.
fn is_torch_size(text: &str) -> bool {
    text.chars().filter(|c| !c.is_whitespace()).take(11).eq("torch.Size(".chars())
}

/// The name of a field at the start of a text, behind dots, and the length up to its value: `x.stride() = `.
fn field(text: &str) -> Option<(&str, usize)> {
    let mut rest = text;
    let name = loop {
        let name = crate::text::word(rest);
        rest = rest.get(name.len()..)?.trim_start();
        match rest.strip_prefix('.') {
            Some(behind) if !name.is_empty() => rest = behind.trim_start(),
            _ => break name,
        }
    };
    let called = rest.strip_prefix('(').and_then(|inside| inside.trim_start().strip_prefix(')'));
    let behind = called.unwrap_or(rest).trim_start();
    let value = behind.strip_prefix(['=', ':'])?;
    let is_field = name.starts_with(|c: char| c.is_ascii_lowercase()) && !value.starts_with(['=', ':']);
    is_field.then(|| (name, text.len().saturating_sub(value.len())))
}

/// The dims of a memory format of PyTorch, the slowest first, an empty list where these are in their own order; none where the strides before
/// it are kept.
pub(super) fn memory_order(format: &Expr) -> Result<Option<&'static [usize]>> {
    let name = match &format.kind {
        ExprKind::Name(name) | ExprKind::Quoted(name) => name.text.as_str(),
        _ => "",
    };
    match name {
        "preserve_format" => Ok(None),
        "contiguous_format" => Ok(Some(&[])),
        "channels_last" => Ok(Some(&[0, 2, 3, 1])),
        "channels_last_3d" => Ok(Some(&[0, 2, 3, 4, 1])),
        _ => {
            let message = "expected a memory format such as torch.channels_last";
            Err(SyntaxError::new(code::UNEXPECTED_TOKEN, format.span, message))
        }
    }
}
