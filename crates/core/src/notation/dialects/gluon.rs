//! Gluon's layouts, as its Python code makes and prints them: `BlockedLayout(size_per_thread=[1, 4], …)`,
//! `gl.SliceLayout(0, gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))`.
//!
//! Law: a constructor reads as the attribute of Triton that Gluon makes of it, its arguments by position or by keyword in
//! Gluon's order. `PaddedSharedLayout.with_identity_for(pairs, shape, order)` is the padded layout that walks over the shape, and
//! `NVMMASharedLayout.get_default_for(shape, dtype)` has the widest swizzle that divides a row. `gl.allocate_shared_memory(dtype,
//! shape, layout)` reads as `to_linear(layout, shape)`, and `gl.convert_layout(x, layout)` as the layout.

use super::Dialect;
use super::arguments::{nearest_keyword, placed};
use super::build::call;
use super::gluon_bases::permutes_bits;
use super::gluon_classes::{CLASSES, Class, Given};
use crate::notation::MAX_DEPTH;
use crate::notation::attribute::Attribute;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

impl Cursor<'_> {
    /// A layout of Gluon, where the word that was read begins one.
    pub(super) fn gluon_word(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let Some(class) = self.gluon_class(word) else { return Ok(None) };
        let attribute = self.gluon_layout(class, start)?;
        self.spelled(Dialect::Gluon);
        let span = self.since(start);
        // An attribute has two brackets where the call has one.
        if attribute.depth() + self.open.len() > MAX_DEPTH {
            let message = format!("layouts nest too deep: as an attribute this has more than {MAX_DEPTH} brackets");
            return Err(SyntaxError::new(code::TOO_DEEP, span, message));
        }
        Ok(Some(Expr::new(ExprKind::Attribute(Box::new(attribute)), span)))
    }

    /// A function of Gluon that takes a layout: where the value that it makes lies.
    pub(super) fn gluon_function(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        let parameters: &[&str] = match word {
            "to_linear_layout" if scope == Some(Dialect::Gluon) => &["layout", "shape"],
            "allocate_shared_memory" => &["element_ty", "shape", "layout", "[value]"],
            "convert_layout" => &["value", "layout", "[assert_trivial]"],
            _ => return Ok(None),
        };
        if !self.at(TokenKind::OpenRound) {
            return Ok(None);
        }
        let given = placed(self.arguments(TokenKind::CloseRound)?, word, parameters)?;
        let span = self.since(start);
        self.spelled(Dialect::Gluon);
        let take = |name: &str| given.get(parameters.iter().position(|own| *own == name)?).cloned().flatten();
        Ok(match (take("layout"), take("shape")) {
            (Some(layout), Some(shape)) => Some(call("to_linear", start, vec![layout, shape], span)),
            (Some(layout), None) => {
                self.remark("the shape is that of the value, which is left out");
                Some(Expr::new(layout.kind, span))
            }
            _ => None,
        })
    }

    /// The class whose name was read and whose arguments are at hand.
    pub(super) fn gluon_class(&mut self, word: &str) -> Option<&'static Class> {
        let find = |name: &str| CLASSES.iter().find(|class| class.name == name);
        let class = find(word)?;
        if self.at(TokenKind::OpenRound) {
            return Some(class);
        }
        let method = self.text_after(self.token.span).trim_start();
        let method = method.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
        let class = find(&format!("{word}.{method}")).filter(|_| self.at(TokenKind::Dot))?;
        self.advance();
        self.advance();
        self.at(TokenKind::OpenRound).then_some(class)
    }

    pub(super) fn gluon_layout(&mut self, class: &Class, start: Span) -> Result<Attribute> {
        self.count_leaf(start)?;
        let mut name = Name { text: class.attribute.to_owned(), span: self.since(start) };
        let open = self.enter()?;
        let mut given: Vec<Given> = class.parameters.iter().map(|_| None).collect();
        let mut position = 0;
        while !self.at(TokenKind::CloseRound) {
            let span = self.token.span;
            let rest = self.text_after(span).trim_start();
            let is_keyword = self.at(TokenKind::Word) && rest.starts_with('=') && !rest.starts_with("==");
            let place = match is_keyword {
                true => {
                    self.advance();
                    self.advance();
                    let plain = |parameter: &str| parameter.trim_matches(['[', ']']) == span.of(self.text());
                    class.parameters.iter().position(|(parameter, _)| plain(parameter))
                }
                false => Some(position),
            };
            position += 1;
            let Some(place) = place.and_then(|place| given.get_mut(place)) else {
                let message = format!("{} has no such argument: it is {}", class.name, class.signature());
                let error = SyntaxError::new(code::UNEXPECTED_TOKEN, span, message);
                let names = class.parameters.iter().map(|(name, _)| name.trim_matches(['[', ']']));
                return Err(match nearest_keyword(span.of(self.text()), names).filter(|_| is_keyword) {
                    Some(near) => error.with_help(format!("did you mean `{near}`?")),
                    None => error,
                });
            };
            if place.is_some() {
                let message = format!("this argument of {} is given twice: it is {}", class.name, class.signature());
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
            *place = self.gluon_value()?;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave(open, TokenKind::CloseRound, "`,` or `)`")?;
        let span = self.since(start);
        let missing =
            given.iter().zip(class.parameters).find(|(given, (name, _))| given.is_none() && !name.starts_with('['));
        if let Some((_, (missing, _))) = missing {
            let message = format!("`{missing}` of {} is missing: it is {}", class.name, class.signature());
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
        }
        let body = class.body(given, span)?;
        if class.name == "DistributedLinearLayout" && !permutes_bits(body.as_deref().unwrap_or(&[])) {
            name.text = "ttg.generic_linear".to_owned();
        }
        Ok(Attribute { name, body, span })
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::{Dialect, Ints, parse, read};

    #[test]
    fn a_layout_of_gluon_is_the_attribute_that_it_makes() {
        let blocked =
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";
        let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>";
        for (gluon, attribute) in [
            ("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", blocked.to_owned()),
            ("gl.BlockedLayout(order=[1, 0], size_per_thread=[1, 4], threads_per_warp=[8, 4], warps_per_cta=[4, 1])",
             "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>".to_owned()),
            ("ttgl.SliceLayout(0, parent=ttgl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0],))",
             format!("#ttg.slice<{{dim = 0, parent = {blocked}}}>")),
            ("DotOperandLayout(operand_index=1, parent=NVMMADistributedLayout(version=[2, 0], warps_per_cta=[4, 1], instr_shape=[16, 8]), k_width=2)",
             format!("#ttg.dot_op<{{opIdx = 1, parent = {mma}, kWidth = 2}}>")),
            ("NVMMASharedLayout(128, 16, transposed=True, cga_layout=None)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16, transposed = true}>".to_owned()),
            ("gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])",
             "#ttg.padded_shared<[64:+8] {shape = [64, 64], order = [1, 0]}>".to_owned()),
            ("PaddedSharedLayout([[8, 1]], [[0, 1], [0, 2], [1, 0]], [[0, 1], [1, 0]], [4, 8])",
             "#ttg.padded_shared<[8:+1] {offset = [[0, 1], [0, 2], [1, 0]], block = [[0, 4], [2, 0]]}>".to_owned()),
            ("gl.PaddedSharedLayout.with_identity_for([[8, 1]], [4, 8], [1, 0], [[0, 1]])",
             "#ttg.padded_shared<[8:+1] {offset = [[0, 1], [0, 2], [1, 0], [2, 0]], block = [[0, 4]]}>".to_owned()),
            ("gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16, cga_layout=((0, 1),))",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 64, elementBitWidth = 16, CGALayout = [[0, 1]]}>".to_owned()),
            ("layouts.amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])",
             "#ttg.amd_mfma<{version = 3, instrShape = [32, 32, 8], isTransposed = true, warpsPerCTA = [4, 1]}>".to_owned()),
            ("DistributedLinearLayout([[1]], [[3]], [], [], [4])",
             "#ttg.generic_linear<{register = [[1]], lane = [[3]], warp = [], block = []}>".to_owned()),
            ("PaddedSharedLayout([[8, 1]], [[0, 1], [1, 0]], [], [2, 2])",
             "#ttg.padded_shared<[8:+1] {offset = [[0, 1], [1, 0]], block = []}>".to_owned()),
            ("SharedLinearLayout([[1], [2]])", "#ttg.shared_linear<{offset = [[1], [2]], block = [], alignment = 16}>".to_owned()),
            ("DistributedLinearLayout([], [], [], [], [1, 1])",
             "#ttg.linear<{register = [], lane = [], warp = [], block = [], rank = 2}>".to_owned()),
            ("gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])",
             "#ttg.amd_mfma<{version = 3, instrShape = [32, 32, 8], isTransposed = true, warpsPerCTA = [4, 1]}>".to_owned()),
            ("AMDWMMALayout(2, True, [[0, 1], [1, 0]], [], [16, 16, 16])",
             "#ttg.amd_wmma<{version = 2, isTranspose = true, instrShape = [16, 16, 16], ctaLayout = {warp = [[0, 1], [1, 0]], register = []}}>".to_owned()),
            ("TensorMemoryLayout((128, 64), col_stride=1)",
             "#ttng.tensor_memory_encoding<{blockM = 128, blockN = 64, colStride = 1}>".to_owned()),
            ("gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16}>".to_owned()),
            ("NVMMASharedLayout.get_default_for((64, 16), dtype=gl.bfloat16)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = 16}>".to_owned()),
            ("NVMMASharedLayout.get_default_for([64, 16], gl.float8e5, transposed=True)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 64, elementBitWidth = 8, transposed = true}>".to_owned()),
            ("NVMMASharedLayout.get_default_for([1, 4, 64], gl.float32)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 0, elementBitWidth = 32, rank = 3}>".to_owned()),
            ("SliceLayout(1, parent=blocked)", "#ttg.slice<{dim = 1, parent = blocked}>".to_owned()),
            ("AutoLayout()", "#gluon.auto_encoding".to_owned()),
            ("gl.convert_layout(x, gl.SliceLayout(1, blocked), assert_trivial=True)", "#ttg.slice<{dim = 1, parent = blocked}>".to_owned()),
            ("gl.allocate_shared_memory(gl.float16, [64, 8], SharedLinearLayout([[1], [2]]))",
             "to_linear(#ttg.shared_linear<{offset = [[1], [2]], block = [], alignment = 16}>, (64,8))".to_owned()),
        ] {
            let reading = read(gluon, Ints::Plain).expect(gluon);
            assert_eq!(Ok(reading.tree), parse(&attribute, Ints::Plain), "{gluon}");
            assert_eq!(reading.dialects, [Dialect::Gluon], "{gluon}");
        }
    }

    #[test]
    fn what_is_no_layout_of_gluon_is_said() {
        for (text, said) in [
            ("BlockedLayout([1, 4], [8, 4], [4, 1])", "`order`"),
            ("SliceLayout(0, parent=1, dim=2)", "given twice"),
            ("SliceLayout(0, parent=1, dims=2)", "no such argument"),
            ("SliceLayout(0, 1, 2)", "no such argument"),
            ("SliceLayout(0, Blocked(1))", "a layout of Gluon"),
            ("NVMMADistributedLayout(2, [4, 1], [16, 8])", "version"),
            ("PaddedSharedLayout.with_identity_for([[64]], [64, 64], [1, 0])", "pairs"),
            ("PaddedSharedLayout.with_identity_for([[64, 8]], [4, 4], [1, 0], [[0, 4]])", "cga_layout"),
            ("NVMMASharedLayout.get_default_for([128, 64], gl.float16, cga_layout=[[1]])", "cga_layout"),
            ("NVMMASharedLayout.get_default_for([BLOCK, 64], gl.float16)", "list of sizes"),
        ] {
            let error = read(text, Ints::Plain).expect_err(text);
            assert!(error.message.contains(said), "{text}: {error}");
        }
        let nested = format!("{}AutoLayout(){}", "SliceLayout(0, ".repeat(100), ")".repeat(100));
        assert!(read(&nested, Ints::Plain).is_err());
    }
}
