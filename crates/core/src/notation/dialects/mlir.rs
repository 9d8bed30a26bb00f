//! MLIR's memory references with strides, which its compilers print for buffers: the tensor that they describe.
//!
//! | text | reads as |
//! |---|---|
//! | `memref<16x256xf32>` | `tensor((16,256), (256,1))` |
//! | `memref<16x256xf32, strided<[512, 1], offset: 8>>` | `tensor((16,256), (512,1), 8)` |
//! | `memref<?x256xf32, strided<[512, 1], offset: ?>>` | `(?,256):(512,1) + ?`, as sizes are not all known |
//! | `memref<8x64xf32, affine_map<(d0, d1) -> (d0 * 64 + d1)>>` | `affine(affine_map<…>, (8,64))` |
//!
//! A `?` is an unknown integer. The element and the memory space are left out: places count elements. An alias is
//! refused, as it may stand for a layout.

use super::Dialect;
use super::build::{call, pair, shifted};
use super::dense::dense;
use crate::index::Affine;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};
use crate::text::Scanner;

/// How a memory reference is written, for messages.
const HELP: &str =
    "as `memref<16x256xf32, strided<[256, 1], offset: 0>>`, or with Mosaic's layout `#tpu.tiled<(8,128),[2,1]>`";

impl Cursor<'_> {
    /// `memref<…>` without Mosaic's layout, from its first letter.
    pub(in crate::notation) fn strided_memref(&mut self, start: Span) -> Result<Expr> {
        let mut reader = MlirReader { scan: Scanner::new(self.text_from(start)), start: start.start };
        let Buffer { dims, strides, offset, map } = reader.memref()?;
        let length = reader.scan.at;
        self.skip_to(start.start.saturating_add(length));
        self.spelled(Dialect::Mlir);
        self.remark("the element is left out: places count elements");
        let span = self.since(start);
        for at in dims.iter().chain(strides.iter().flatten()) {
            self.count_leaf(at.span)?;
        }
        let is_number = |at: &Expr| matches!(at.kind, ExprKind::Static(_));
        let are_numbers = dims.iter().chain(strides.iter().flatten()).chain(&offset).all(is_number);
        if let Some(map) = map {
            let map = Expr::new(ExprKind::Affine(Box::new(map)), span);
            return Ok(call("affine", start, vec![map, Expr::new(ExprKind::Tuple(dims), span)], span));
        }
        if !are_numbers {
            let strides = strides.unwrap_or_else(|| row_major(&dims));
            let list = |list: Vec<Expr>| Expr::new(ExprKind::Tuple(list), span);
            let layout = pair(list(dims), list(strides), span);
            return Ok(match offset {
                Some(offset) => shifted(layout, offset, span)?,
                None => layout,
            });
        }
        let Some(strides) = strides else { return dense(dims, false, start, span) };
        let lists = [dims, strides].map(|list| Expr::new(ExprKind::Tuple(list), span));
        Ok(call("tensor", start, lists.into_iter().chain(offset).collect(), span))
    }
}

/// Whether a `memref<…>` at the start of a text has no layout of Mosaic inside its brackets.
pub(in crate::notation) fn is_strided_memref(text: &str) -> bool {
    let mut depth = 0_usize;
    let end = text.find(|c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '>' && depth == 0
    });
    end.and_then(|end| text.get(..end)).is_some_and(|inside| !inside.contains("#tpu."))
}

/// The strides of rows without gaps, where extents may be unknown: those of the dims before an unknown one are, too.
fn row_major(dims: &[Expr]) -> Vec<Expr> {
    let mut stride = Some(1_i64);
    let mut strides: Vec<Expr> = Vec::new();
    for dim in dims.iter().rev() {
        let kind = stride.map_or(ExprKind::Unknown { name: None, div: 1 }, ExprKind::Static);
        strides.push(Expr::new(kind, dim.span));
        stride = match dim.kind {
            ExprKind::Static(extent) => stride.and_then(|stride| stride.checked_mul(extent)),
            _ => None,
        };
    }
    strides.reverse();
    strides
}

/// What a memory reference says.
struct Buffer {
    dims: Vec<Expr>,
    /// None where they are not written: rows without gaps.
    strides: Option<Vec<Expr>>,
    /// None where it is 0.
    offset: Option<Expr>,
    /// The layout, where it is written as a map.
    map: Option<Affine>,
}

struct MlirReader<'t> {
    scan: Scanner<'t>,
    /// Where the scanned text begins in the whole one.
    start: usize,
}

impl MlirReader<'_> {
    fn memref(&mut self) -> Result<Buffer> {
        self.require("memref")?;
        self.require("<")?;
        let mut dims = Vec::new();
        while self.is_integer() {
            dims.push(self.integer()?);
            self.require("x")?;
        }
        match self.scan.word() {
            "" => return Err(self.expected("the type of the elements")),
            "complex" | "vector" => {
                self.require("<")?;
                self.scan.run(|c| !matches!(c, '<' | '>'));
                self.require(">")?;
            }
            _ => {}
        }
        let (mut strides, mut offset, mut map) = (None, None, None);
        while self.scan.take(",") {
            if strides.is_none() && self.scan.take("strided") {
                let (written, first) = self.strided()?;
                if written.len() != dims.len() {
                    let message = format!("{} strides for {} dims", written.len(), dims.len());
                    return Err(self.error(message));
                }
                (strides, offset) = (Some(written), first);
            } else if self.scan.rest().trim_start().starts_with("affine_map") {
                self.scan.space();
                let from = self.scan.at;
                let (read, length) = Affine::read_start(self.scan.rest())
                    .map_err(|error| SyntaxError::within(&error, Span::new(self.start.saturating_add(from), 0)))?;
                self.scan.at = self.scan.at.saturating_add(length);
                if map.is_some() || strides.is_some() || read.dims() != dims.len() || read.results() != 1 {
                    return Err(self.error("a buffer has one layout, a map from its dims to one offset".to_owned()));
                }
                map = Some(read);
            } else {
                // A memory space: `3`, `#gpu.address_space<workgroup>`.
                self.scan.space();
                let alias = self.scan.rest().strip_prefix('#').map(crate::text::word).unwrap_or_default();
                let behind = self.scan.rest().get(alias.len().saturating_add(1)..).unwrap_or_default();
                if !alias.is_empty() && !behind.starts_with('.') {
                    let message = format!("what `#{alias}` stands for is not known, and it may be a layout");
                    return Err(self.error(message));
                }
                let space = self.scan.run(|c| !matches!(c, '<' | '>' | ','));
                if space.trim().is_empty() {
                    return Err(self.expected("`strided<[…]>` or a memory space"));
                }
                if self.scan.take("<") {
                    self.scan.run(|c| !matches!(c, '<' | '>'));
                    self.require(">")?;
                }
            }
        }
        self.require(">")?;
        Ok(Buffer { dims, strides, offset, map })
    }

    /// `<[512, 1], offset: 8>`
    fn strided(&mut self) -> Result<(Vec<Expr>, Option<Expr>)> {
        self.require("<")?;
        self.require("[")?;
        let mut strides = Vec::new();
        if !self.scan.take("]") {
            strides.push(self.integer()?);
            while self.scan.take(",") {
                strides.push(self.integer()?);
            }
            self.require("]")?;
        }
        let mut offset = None;
        if self.scan.take(",") {
            self.require("offset")?;
            self.require(":")?;
            offset = Some(self.integer()?).filter(|offset| offset.kind != ExprKind::Static(0));
        }
        self.require(">")?;
        Ok((strides, offset))
    }

    fn is_integer(&mut self) -> bool {
        self.scan.space();
        self.scan.rest().starts_with(|c: char| c.is_ascii_digit() || matches!(c, '?' | '-'))
    }

    /// A number, or `?`.
    fn integer(&mut self) -> Result<Expr> {
        self.scan.space();
        let from = self.scan.at;
        if self.scan.take("?") {
            return Ok(Expr::new(ExprKind::Unknown { name: None, div: 1 }, self.since(from)));
        }
        let sign = if self.scan.take("-") { "-" } else { "" };
        self.scan.space();
        let digits = self.scan.run(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected("a number or `?`"));
        }
        let number = format!("{sign}{digits}").parse().map_err(|_| {
            SyntaxError::new(code::INTEGER_TOO_LARGE, self.since(from), format!("{sign}{digits} has more than 64 bits"))
        })?;
        Ok(Expr::new(ExprKind::Static(number), self.since(from)))
    }

    fn since(&self, from: usize) -> Span {
        Span::new(self.start.saturating_add(from), self.start.saturating_add(self.scan.at))
    }

    fn require(&mut self, token: &str) -> Result<()> {
        match self.scan.take(token) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{token}`"))),
        }
    }

    fn error(&self, message: String) -> Box<SyntaxError> {
        SyntaxError::new(code::UNEXPECTED_TOKEN, self.since(0), message).with_help(HELP)
    }

    fn expected(&mut self, what: &str) -> Box<SyntaxError> {
        self.scan.space();
        let (from, next) = (self.scan.at, self.scan.rest().chars().next());
        self.scan.at = from.saturating_add(next.map_or(0, char::len_utf8));
        let (code, found) = match next {
            Some(next) => (code::UNEXPECTED_TOKEN, format!("`{next}`")),
            None => (code::UNEXPECTED_END, "the end of the text".to_owned()),
        };
        SyntaxError::new(code, self.since(from), format!("expected {what}, found {found}")).with_help(HELP)
    }
}
