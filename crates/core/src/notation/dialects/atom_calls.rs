//! CuTe DSL and C++: the calls that make instructions and put copies of them over a tile.
//!
//! | text | reads as |
//! |---|---|
//! | `warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))` | `atom(SM80_16x8x16_F32F16F16F32_TN)` |
//! | `cute.nvgpu.MmaUniversalOp(cutlass.Float32)` | `atom(UniversalFMA<float,float,float,float>)` |
//! | `warp.LdMatrix8x8x16bOp(transpose=True, num_matrices=4)`, `StMatrix8x8x16bOp` | `atom(SM75_U16x8_LDSM_T)` |
//! | `warp.LdMatrix8x16x8bOp(num_matrices=2, unpack_bits=4)` | `atom(SM100_SU4_DU8x16_x2_LDSM_N)` |
//! | `warp.StMatrix16x8x8bOp(True, 4)`, `LdMatrix16x8x8bOp` | `atom(SM100_U8x16_STSM_T)` |
//! | `cute.make_mma_atom(op)` | `op` |
//! | `cute.make_copy_atom(op, cutlass.Float16)` | `copy_atom(op, 16)` |
//! | `cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)`, `CopyG2ROp`, `CopyR2GOp` and so on | `copy_atom(atom(UniversalCopy<128>), 16)` |
//! | `make_tiled_mma(op, …)` | `tiled_mma(op, …)` |
//! | `sm100_utils.make_trivial_tiled_mma(Float16, Float16, OperandMajorMode.K, …)`, and with scales | `tiled_mma(atom(SM100_MMA_F16BF16_SS<…>))` |
//! | `make_tiled_copy(X, threads, values)` of C++, `make_tiled_copy_tv` of the DSL | `tiled_copy(X, X.bits, threads, values)` |
//! | `cute.make_tiled_copy(X, layout_tv, tiler_mn)` | `tiled_copy_tv(X, X.bits, layout_tv, tiler_mn)` |
//! | `make_cotiled_copy(X, layout_tv, data_layout)` | `make_cotiled_copy(X, X.bits, layout_tv, data_layout)` |
//! | `make_tiled_copy_A(X, mma)`, also `_B`, `_C`, `_C_atom`, `_S`, `_D` | `make_tiled_copy_A(X, X.bits, mma)` |
//!
//! Where `X` is written out, `copy_atom(Y, 16)`, a tiled copy has `Y, 16` instead of `X, X.bits`.

use super::Dialect;
use super::arguments::placed;
use super::build::call;
use super::dsl_instructions::{
    CHOOSING, CHOOSING_NAMES, choosing_parameters, chosen, class_names, instruction, is_class, parameters, word_of,
};
use super::smem::element_bits;
use super::type_names;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// The parameters of `ldmatrix` and `stmatrix`.
const MATRICES: &[&str] = &["[transpose]", "[num_matrices]", "[unpack_bits]"];

/// The classes of instructions in CuTe DSL, and the calls that only it has.
const DSL: [(&str, &[&str]); 18] = [
    ("MmaUniversalOp", &["abacc_dtype"]),
    ("CopyUniversalOp", &[]),
    ("CopyG2ROp", &[]),
    ("CopyR2GOp", &[]),
    ("CopyS2ROp", &[]),
    ("CopyR2SOp", &[]),
    ("CopyDsmemStoreOp", &[]),
    ("CopyBulkG2SOp", &[]),
    ("CopyBulkS2GOp", &[]),
    ("CopyG2SOp", &["[cache_mode]"]),
    ("LdMatrix8x8x16bOp", MATRICES),
    ("LdMatrix8x16x8bOp", MATRICES),
    ("LdMatrix16x8x8bOp", MATRICES),
    ("LdMatrix16x16x8bOp", MATRICES),
    ("StMatrix8x8x16bOp", MATRICES),
    ("StMatrix16x8x8bOp", MATRICES),
    ("make_copy_atom", &["op", "copy_internal_type", "[num_bits_per_copy]"]),
    ("make_tiled_copy_tv", &["atom", "thr_layout", "val_layout"]),
];

/// How a copy goes through the caches, and who sees it: which element each thread copies does not depend on it.
const MEMORY_KEYWORDS: [&str; 8] = [
    "memory_order",
    "memory_scope",
    "l2_prefetch_size",
    "l1c_evict_priority",
    "load_cache_mode",
    "store_cache_mode",
    "shared_space",
    "invariant",
];

/// The names that only CuTe DSL has.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    DSL.into_iter().map(|(name, _)| name).chain(class_names()).chain(CHOOSING)
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
        if CHOOSING.contains(&word) && self.at(TokenKind::OpenRound) {
            return self.chosen_mma(word, start).map(Some);
        }
        let is_tiling = matches!(word, "make_tiled_mma" | "make_tiled_copy" | "make_mma_atom" | "make_cotiled_copy")
            || word.strip_prefix("make_tiled_copy_").is_some_and(|kind| KINDS.contains(&kind));
        if !self.at(TokenKind::OpenRound) || of_dsl.is_none() && !is_tiling && !is_class(word) {
            return Ok(None);
        }
        let name = Span::new(start.start, self.consumed);
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        if word == "make_copy_atom" {
            let is_of_memory = |name: &Name| MEMORY_KEYWORDS.contains(&name.text.as_str());
            arguments.retain(|argument| !argument.keyword.as_ref().is_some_and(is_of_memory));
        }
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

    /// `make_trivial_tiled_mma(…)`: the instruction for these types, and its copies.
    fn chosen_mma(&mut self, word: &str, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        for keyword in arguments.iter_mut().filter_map(|argument| argument.keyword.as_mut()) {
            if let Some((_, ours)) = CHOOSING_NAMES.iter().find(|(theirs, _)| *theirs == keyword.text) {
                keyword.text = (*ours).to_owned();
            }
        }
        let parameters = choosing_parameters(word, &arguments);
        let given = placed(arguments, word, &parameters)?;
        self.spelled(Dialect::CuteDsl);
        let instruction = chosen(&parameters, &given).ok_or_else(|| {
            let message = "no instruction has these types and extents, which stand here as numbers and as names of CuTe DSL";
            SyntaxError::new(code::BAD_SIZE, span, message).with_help(
                "as in `sm100_utils.make_trivial_tiled_mma(Float16, Float16, OperandMajorMode.K, OperandMajorMode.K, Float32, CtaGroup.ONE, (128, 256))`",
            )
        })?;
        let atom = self.instruction_of(instruction, name, span)?;
        let atoms = parameters.iter().zip(given).find(|(parameter, _)| **parameter == "atom_layout_mnk");
        let parts = std::iter::once(atom).chain(atoms.and_then(|(_, atoms)| atoms)).collect();
        Ok(call("tiled_mma", name, parts, span))
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
        // A name may be bound to a type.
        let bits = match (dtype_bits(element), &element.kind) {
            (Some(bits), _) => self.leaf(ExprKind::Static(bits), element.span)?,
            (None, ExprKind::Name(_)) => element.clone(),
            _ => {
                let message = "the type of the elements is needed here, whose bits the layouts of the atom count in";
                let help = "as in `cutlass.Float16`, `BFloat16`, `Float8E4M3FN`, `Float32` or `Int8`";
                return Err(wrong(element.span, message, help));
            }
        };
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
        Ok(call("copy_atom", name, vec![atom, bits], span))
    }

    /// `atom(NAME)`
    fn instruction_of(&mut self, instruction: String, name: Span, span: Span) -> Result<Expr> {
        let instruction = self.leaf(ExprKind::Unknown { name: Some(instruction), div: 1 }, span)?;
        Ok(call("atom", name, vec![instruction], span))
    }
}

/// The bits of an element, where an argument is the name of its type.
pub(super) fn dtype_bits(tree: &Expr) -> Option<i64> {
    word_of(tree).and_then(element_bits)
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
        ("CopyG2SOp", [mode]) => match mode.as_ref().map(word_of) {
            None | Some(Some("ALWAYS")) => Ok(format!("{ASYNC}ALWAYS")),
            Some(Some("GLOBAL")) => Ok(format!("{ASYNC}GLOBAL")),
            _ => Err(wrong("CopyG2SOp has the cache mode LoadCacheMode.ALWAYS or LoadCacheMode.GLOBAL here")),
        },
        // One thread copies as many bits as it is said, from wherever to wherever.
        (_, []) => Ok(UNSIZED.to_owned()),
        (_, [transpose, count, unpacked]) => {
            let is_transposed = match transpose.as_ref().map(word_of) {
                None | Some(Some("False")) => false,
                Some(Some("True")) => true,
                _ => return Err(wrong("`transpose` is True or False here")),
            };
            let number = |given: &Option<Expr>| match given.as_ref().map(|given| &given.kind) {
                None | Some(ExprKind::Wildcard) => Some(None),
                Some(ExprKind::Static(number)) => Some(Some(*number)),
                Some(_) => None,
            };
            let (Some(count), Some(unpacked)) = (number(count), number(unpacked)) else {
                return Err(wrong("`num_matrices` and `unpack_bits` are numbers here"));
            };
            matrices(class, is_transposed, count.unwrap_or(1), unpacked).ok_or_else(|| {
                wrong("no instruction has these arguments").with_help(
                    "8 x 8 of 16 bits and 8 x 16 of 8 bits are of 1, 2 or 4 matrices; 16 x 8 is transposed, and loaded 2 or 4 at once; \
                     what `LdMatrix16x16x8bOp` gives each thread has no name in CuTe C++, and is not read here",
                )
            })
        }
        _ => Err(wrong("no instruction has these arguments")),
    }
}

/// CuTe's name of an instruction that loads or stores matrices; none where the class has none of this kind.
fn matrices(class: &str, is_transposed: bool, count: i64, unpacked: Option<i64>) -> Option<String> {
    let (way, shape) = class.strip_suffix("Op")?.split_once("Matrix")?;
    if ![1, 2, 4].contains(&count) {
        return None;
    }
    let (generation, verb) = if way == "Ld" { ("SM75", "LDSM") } else { ("SM90", "STSM") };
    match (shape, is_transposed, unpacked) {
        ("8x8x16b", false, None) | ("8x16x8b", false, None) => Some(format!("{generation}_U32x{count}_{verb}_N")),
        ("8x8x16b", true, None) => Some(format!("{generation}_U16x{}_{verb}_T", 2 * count)),
        ("8x16x8b", false, Some(bits @ (4 | 6))) => Some(format!("SM100_SU{bits}_DU8x16_x{count}_{verb}_N")),
        // Bytes of four or six bits are spread before they are transposed, so that threads have the same ones.
        ("16x8x8b", true, None | Some(4 | 6)) if way == "Ld" && count > 1 || way == "St" && unpacked.is_none() => {
            Some(format!("SM100_U8x{}_{verb}_T", 4 * count))
        }
        _ => None,
    }
}
