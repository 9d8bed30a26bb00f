//! CuTe DSL and C++: the calls that make instructions and put copies of them over a tile.
//!
//! | text | reads as |
//! |---|---|
//! | `warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))` | `atom(SM80_16x8x16_F32F16F16F32_TN)` |
//! | `cute.nvgpu.MmaUniversalOp(cutlass.Float32)` | `atom(UniversalFMA<float,float,float,float>)` |
//! | `warp.LdMatrix8x8x16bOp(transpose=True, num_matrices=4)`, `StMatrix8x8x16bOp` | `atom(SM75_U16x8_LDSM_T)` |
//! | `cute.make_mma_atom(op)` | `op` |
//! | `cute.make_copy_atom(op, cutlass.Float16)` | `copy_atom(op, 16)` |
//! | `cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)` | `copy_atom(atom(UniversalCopy<128>), 16)` |
//! | `make_tiled_mma(op, …)` | `tiled_mma(op, …)` |
//! | `make_tiled_copy(X, threads, values)` of C++, `make_tiled_copy_tv` of the DSL | `tiled_copy(X, X.bits, threads, values)` |
//! | `cute.make_tiled_copy(X, layout_tv, tiler_mn)` | `tiled_copy_tv(X, X.bits, layout_tv, tiler_mn)` |
//! | `make_cotiled_copy(X, layout_tv, data_layout)` | `make_cotiled_copy(X, X.bits, layout_tv, data_layout)` |
//! | `make_tiled_copy_A(X, mma)`, also `_B`, `_C`, `_C_atom`, `_S`, `_D` | `make_tiled_copy_A(X, X.bits, mma)` |
//!
//! Where `X` is written out, `copy_atom(Y, 16)`, a tiled copy has `Y, 16` instead of `X, X.bits`.

use super::Dialect;
use super::build::call;
use super::dsl::placed;
use super::dsl_instructions::{class_names, instruction, is_class, parameters, word_of};
use super::smem::element_bits;
use super::type_names;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// The parameters of `ldmatrix` and `stmatrix`.
const MATRICES: &[&str] = &["[transpose]", "[num_matrices]", "[unpack_bits]"];

/// The classes of instructions in CuTe DSL, and the calls that only it has.
const DSL: [(&str, &[&str]); 7] = [
    ("MmaUniversalOp", &["abacc_dtype"]),
    ("CopyUniversalOp", &[]),
    ("CopyG2SOp", &["[cache_mode]"]),
    ("LdMatrix8x8x16bOp", MATRICES),
    ("StMatrix8x8x16bOp", MATRICES),
    ("make_copy_atom", &["op", "copy_internal_type", "[num_bits_per_copy]"]),
    ("make_tiled_copy_tv", &["atom", "thr_layout", "val_layout"]),
];

/// The names that only CuTe DSL has.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    DSL.into_iter().map(|(name, _)| name).chain(class_names())
}

/// Whose layout a tiled copy follows.
const KINDS: [&str; 6] = ["A", "B", "C", "C_atom", "S", "D"];

/// A copy of no width of its own, which the compiler chooses.
pub(super) const UNSIZED: &str = "AutoVectorizingCopyWithAssumedAlignment";
/// How the names of asynchronous copies begin.
pub(super) const ASYNC: &str = "SM80_CP_ASYNC_CACHE";

impl Cursor<'_> {
    /// What a word that makes instructions or tiles them begins; `None` where it is none.
    pub(super) fn atom_call(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        let of_dsl = DSL.iter().find(|(name, _)| *name == word).map(|(_, parameters)| *parameters);
        let is_tiling = matches!(word, "make_tiled_mma" | "make_tiled_copy" | "make_mma_atom" | "make_cotiled_copy")
            || word.strip_prefix("make_tiled_copy_").is_some_and(|kind| KINDS.contains(&kind));
        if !self.at(TokenKind::OpenRound) || of_dsl.is_none() && !is_tiling && !is_class(word) {
            return Ok(None);
        }
        let name = Span::new(start.start, self.consumed);
        let arguments = self.arguments(TokenKind::CloseRound)?;
        let of_dsl = of_dsl.or_else(|| parameters(word, &arguments));
        let span = self.since(start);
        let has_keywords = arguments.iter().any(|argument| argument.keyword.is_some());
        let is_dsl = of_dsl.is_some()
            || scope == Some(Dialect::CuteDsl)
            || scope.is_none() && (has_keywords || self.dialects.contains(&Dialect::CuteDsl));
        let (operation, parameters): (&str, &'static [&'static str]) = match (word, of_dsl) {
            (_, Some(parameters)) => ("tiled_copy", parameters),
            ("make_mma_atom", _) => ("", &["op"]),
            ("make_tiled_mma", _) => ("tiled_mma", &["op_or_atom", "[atom_layout_mnk]", "[permutation_mnk]"]),
            ("make_tiled_copy", _) if is_dsl => ("tiled_copy_tv", &["atom", "layout_tv", "tiler_mn"]),
            ("make_tiled_copy", _) => ("tiled_copy", &["copy_atom", "thr_layout", "[val_layout]"]),
            // The operations of these names have the bits of an element in the middle, which here the atom knows.
            ("make_cotiled_copy", _) if arguments.len() < 4 => (word, &["atom", "atom_layout_tv", "data_layout"]),
            ("make_cotiled_copy", _) => (word, &["atom", "element_bits", "addresses", "data"]),
            ("make_tiled_copy_S" | "make_tiled_copy_D", _) if arguments.len() < 3 => (word, &["atom", "tiled_copy"]),
            _ if arguments.len() < 3 => (word, &["atom", "tiled_mma"]),
            _ => (word, &["atom", "element_bits", "tiled"]),
        };
        let is_own = operation == word && parameters.get(1) == Some(&"element_bits");
        let mut given = placed(arguments, word, parameters)?;
        if !is_own {
            self.spelled(if is_dsl { Dialect::CuteDsl } else { Dialect::CuteCpp });
        }
        if let (true, "tiled_mma", [_, layout @ None, Some(_)]) = (is_dsl, operation, given.as_mut_slice()) {
            let ones = (0..3).map(|_| self.leaf(ExprKind::Static(1), span)).collect::<Result<Vec<_>>>()?;
            *layout = Some(Expr::new(ExprKind::Tuple(ones), span));
        }
        let tree = match word {
            "make_mma_atom" => given.pop().flatten().map_or(ExprKind::Wildcard, |atom| atom.kind),
            "make_copy_atom" => self.dsl_copy_atom(&given, name, span)?.kind,
            _ if word.ends_with("Op") => {
                let instruction = dsl_instruction(word, parameters, &given, span)?;
                self.instruction_of(instruction, name, span)?.kind
            }
            _ => {
                let mut parts: Vec<Expr> = given.into_iter().flatten().collect();
                if operation != "tiled_mma" && !is_own {
                    let sized = self.atom_and_bits(parts.remove(0))?;
                    parts.splice(0..0, sized);
                }
                call(operation, name, parts, span).kind
            }
        };
        Ok(Some(Expr::new(tree, span)))
    }

    /// An atom of a copy as an instruction, and the bits of its elements.
    pub(super) fn atom_and_bits(&mut self, atom: Expr) -> Result<[Expr; 2]> {
        let span = atom.span;
        match atom.kind {
            ExprKind::Call { name, arguments, .. } if name.text == "copy_atom" => {
                <[Expr; 2]>::try_from(arguments).map_err(|_| self.expected("an atom"))
            }
            ExprKind::Name(_) | ExprKind::Unknown { .. } => {
                let bits = Expr::new(ExprKind::Name(Name { text: "bits".to_owned(), span }), span);
                self.count_leaf(span)?;
                let atom = self.leaf(atom.kind, span)?;
                let bits = call("part", span, vec![atom.clone(), bits], span);
                Ok([atom, bits])
            }
            _ => {
                let message = "an atom that is tiled has the type of its elements";
                Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message).with_help(
                    "as in `Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}`, `cute.make_copy_atom(op, cutlass.Float16)` or `copy_atom(SM75_U32x4_LDSM_N, 16)`",
                ))
            }
        }
    }

    /// `make_copy_atom` of an instruction, a type and perhaps a number of bits.
    fn dsl_copy_atom(&mut self, given: &[Option<Expr>], name: Span, span: Span) -> Result<Expr> {
        let [Some(atom), Some(element), width] = given else { return Err(self.expected("an instruction and a type")) };
        let wrong =
            |at: Span, message: &str, help: &str| SyntaxError::new(code::UNEXPECTED_TOKEN, at, message).with_help(help);
        let bits = word_of(element).and_then(element_bits).ok_or_else(|| {
            let message = "the type of the elements is needed here, whose bits the layouts of the atom count in";
            wrong(element.span, message, "as in `cutlass.Float16`, `BFloat16`, `Float8E4M3FN`, `Float32` or `Int8`")
        })?;
        let unsized_name = instruction_name(atom).filter(|name| *name == UNSIZED || name.starts_with(ASYNC));
        let atom = match (unsized_name, width.as_ref().map(|width| (&width.kind, width.span))) {
            (Some(UNSIZED), Some((ExprKind::Static(0), _)) | None) => {
                self.remark("the compiler chooses how many elements one copy moves; here it is one");
                atom.clone()
            }
            (Some(unsized_name), Some((ExprKind::Static(width @ 1..), _))) => {
                let instruction = if unsized_name == UNSIZED { "UniversalCopy" } else { unsized_name };
                self.instruction_of(format!("{instruction}<{width}>"), name, span)?
            }
            (Some(_), width) => {
                let message = "this copy needs a number of bits, `num_bits_per_copy`";
                return Err(wrong(
                    width.map_or(span, |(_, at)| at),
                    message,
                    "write it as a number: `num_bits_per_copy=128`",
                ));
            }
            (None, _) => atom.clone(),
        };
        let bits = self.leaf(ExprKind::Static(bits), element.span)?;
        Ok(call("copy_atom", name, vec![atom, bits], span))
    }

    /// `atom(NAME)`
    fn instruction_of(&mut self, instruction: String, name: Span, span: Span) -> Result<Expr> {
        let instruction = self.leaf(ExprKind::Unknown { name: Some(instruction), div: 1 }, span)?;
        Ok(call("atom", name, vec![instruction], span))
    }
}

/// The name of the instruction that `atom(NAME)` is.
fn instruction_name(tree: &Expr) -> Option<&str> {
    match &tree.kind {
        ExprKind::Call { name, arguments, .. } if name.text == "atom" => arguments.first().and_then(word_of),
        _ => None,
    }
}

/// The name in CuTe C++ of an instruction that a class of the DSL names.
fn dsl_instruction(
    class: &str,
    parameters: &'static [&'static str],
    given: &[Option<Expr>],
    span: Span,
) -> Result<String> {
    let wrong = |message: &str| SyntaxError::new(code::BAD_SIZE, span, message);
    match (class, given) {
        _ if is_class(class) => instruction(class, parameters, given).ok_or_else(|| {
            wrong("no instruction has these arguments").with_help(
                "as in `warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))`, or `warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 128, 16), OperandSource.SMEM, OperandMajorMode.K, OperandMajorMode.K)`",
            )
        }),
        ("MmaUniversalOp", [Some(element)]) => {
            let is_own = |name: &&str| matches!(*name, "Float16" | "BFloat16" | "Float32" | "Float64");
            let Some(cpp) = word_of(element).filter(is_own).and_then(type_names::cpp) else {
                return Err(wrong("MmaUniversalOp has a type such as cutlass.Float32"));
            };
            Ok(format!("UniversalFMA<{cpp},{cpp},{cpp},{cpp}>"))
        }
        ("CopyUniversalOp", _) => Ok(UNSIZED.to_owned()),
        ("CopyG2SOp", [mode]) => match mode.as_ref().map(word_of) {
            None | Some(Some("ALWAYS")) => Ok(format!("{ASYNC}ALWAYS")),
            Some(Some("GLOBAL")) => Ok(format!("{ASYNC}GLOBAL")),
            _ => Err(wrong("CopyG2SOp has the cache mode LoadCacheMode.ALWAYS or LoadCacheMode.GLOBAL here")),
        },
        (_, [transpose, count, None]) => {
            let is_transposed = match transpose.as_ref().map(word_of) {
                None | Some(Some("False")) => false,
                Some(Some("True")) => true,
                _ => return Err(wrong("`transpose` is True or False here")),
            };
            let count = match count.as_ref().map(|count| &count.kind) {
                None => 1,
                Some(ExprKind::Static(count @ (1 | 2 | 4))) => *count,
                _ => return Err(wrong("`num_matrices` is 1, 2 or 4")),
            };
            let (generation, verb) = if class.starts_with("Ld") { ("SM75", "LDSM") } else { ("SM90", "STSM") };
            Ok(match is_transposed {
                true => format!("{generation}_U16x{}_{verb}_T", 2 * count),
                false => format!("{generation}_U32x{count}_{verb}_N"),
            })
        }
        _ => Err(wrong("matrices of 8 x 8 are not unpacked")),
    }
}
