//! CuTe DSL: calls of `sm90_utils`, `sm100_utils` and `blockscaled_utils` that lay out tiles in shared memory.
//!
//! | text | reads as |
//! |---|---|
//! | `sm90_utils.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128,256,64), cutlass.Float16, 4)` | `make_smem_layout_a(ROW_MAJOR, (128,256,64), 16, 4)` |
//! | `sm100_utils.make_smem_layout_b(tiled_mma, (128,256,64), Float16, 4, is_k_major=True)` | `make_smem_layout_b(tiled_mma, (128,256,64), 16, 4, K)` |
//! | `utils.make_smem_layout_epi(Float32, LayoutEnum.COL_MAJOR, (64,32), 2)` | `make_smem_layout_epi(32, COL_MAJOR, (64,32), 2, tcgen05)` |
//! | `sm100_utils.make_smem_layout(OperandMajorMode.K, (128,64), Float16, 3)` | `coalesce(smem_layout(K, append((128,64), 3), 16, tcgen05), (1,1,1))` |
//! | `blockscaled_utils.tile_atom_to_shape_SF((256,512,1), 16)`, `make_smem_layout_sfa(…)` | the operation of this name |
//!
//! A type of elements is its bits; a name that may be bound to one stays.

use super::Dialect;
use super::arguments::{Argument, Given, placed, values};
use super::atom_calls::dtype_bits;
use super::build::call;
use super::dsl_instructions::word_of;
use super::smem::BYTES;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// A helper: its name, the operation, and its parameters, one in brackets not needed.
struct Helper {
    name: &'static str,
    operation: &'static str,
    parameters: &'static [&'static str],
}

const fn helper(name: &'static str, operation: &'static str, parameters: &'static [&'static str]) -> Helper {
    Helper { name, operation, parameters }
}

const OF_MMA: &[&str] = &["tiled_mma", "mma_tiler_mnk", "dtype", "num_stages", "[is_k_major]"];
const SCALES: &[&str] = &["tiled_mma", "mma_tiler_mnk", "sf_vec_size", "num_stages"];

const HELPERS: &[Helper] = &[
    helper("make_smem_layout_a", "make_smem_layout_a", OF_MMA),
    helper("make_smem_layout_b", "make_smem_layout_b", OF_MMA),
    helper("make_smem_layout_epi", "make_smem_layout_epi", &["dtype", "epi_layout", "epi_tile", "epi_stage"]),
    helper("make_smem_layout", "smem_layout", &["leading_mode", "smem_tile_shape", "dtype", "num_stages"]),
    helper("tile_atom_to_shape_SF", "tile_atom_to_shape_SF", &["Shape", "sf_vec_size"]),
    helper("make_smem_layout_sf", "make_smem_layout_sf", &["tile_shape", "sf_vec_size", "num_stages"]),
    helper("make_smem_layout_sfa", "make_smem_layout_sfa", SCALES),
    helper("make_smem_layout_sfb", "make_smem_layout_sfb", SCALES),
    helper("sm103_make_smem_layout_sfa", "make_smem_layout_sfa", SCALES),
    helper("sm103_make_smem_layout_sfb", "make_smem_layout_sfb", SCALES),
    helper("sm120_make_smem_layout_sfa", "make_smem_layout_sfa", SCALES),
    helper("sm120_make_smem_layout_sfb", "make_smem_layout_sfb", SCALES),
    helper("tile_to_mma_shape", "tile_to_mma_shape", &["atom", "mma_tile_shape", "[order]"]),
];

/// What helpers of one generation call a parameter that the others call otherwise.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("a_layout", "tiled_mma"),
    ("b_layout", "tiled_mma"),
    ("a_dtype", "dtype"),
    ("b_dtype", "dtype"),
    ("epi_dtype", "dtype"),
    ("mma_tiler", "mma_tiler_mnk"),
    ("tile_shape_mnk", "mma_tiler_mnk"),
];

/// The names of the helpers.
pub(super) fn helper_names() -> impl Iterator<Item = &'static str> {
    HELPERS.iter().map(|helper| helper.name).chain(["BlockScaledBasicChunk"])
}

impl Cursor<'_> {
    /// A call of one of these, its name read; `None` where it is none, or a call of the operation.
    pub(super) fn smem_call(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        let name = Span::new(start.start, self.consumed);
        if word == "BlockScaledBasicChunk" {
            return self.scale_block(word, start).map(Some);
        }
        let Some(helper) = HELPERS.iter().find(|helper| helper.name == word) else { return Ok(None) };
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        let has_keywords = arguments.iter().any(|argument| argument.keyword.is_some());
        let is_typed =
            |argument: &Argument| matches!(&argument.given, Given::Value(value) if dtype_bits(value).is_some());
        let is_own = helper.operation == word && scope.is_none() && !has_keywords && !arguments.iter().any(is_typed);
        if is_own {
            return Ok(Some(call(word, name, values(arguments, word)?, span)));
        }
        for keyword in arguments.iter_mut().filter_map(|argument| argument.keyword.as_mut()) {
            if let Some((_, ours)) = OTHER_NAMES.iter().find(|(theirs, _)| *theirs == keyword.text) {
                keyword.text = (*ours).to_owned();
            }
        }
        let mut given = placed(arguments, word, helper.parameters)?;
        self.spelled(Dialect::CuteDsl);
        if !helper.operation.contains("_sf") && !helper.operation.contains("_SF") && word != "tile_to_mma_shape" {
            self.remark(BYTES);
        }
        for (parameter, value) in helper.parameters.iter().zip(given.iter_mut()) {
            let Some(value) = value else { continue };
            match *parameter {
                "dtype" => {
                    if let Some(bits) = dtype_bits(value) {
                        *value = self.leaf(ExprKind::Static(bits), value.span)?;
                    }
                }
                "[is_k_major]" => {
                    let major = match word_of(value) {
                        Some("True") => "K",
                        Some("False") => "MN",
                        _ => {
                            let message = "`is_k_major` is True or False here";
                            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, value.span, message));
                        }
                    };
                    *value = self.named_alone(major, value.span)?;
                }
                _ => {}
            }
        }
        let mut values: Vec<Expr> = given.into_iter().flatten().collect();
        match (word, values.as_mut_slice()) {
            ("make_smem_layout_epi", [element, major, ..]) => {
                let cores = self.cores_of(name, element, major)?;
                if let Some(cores) = cores {
                    values.push(self.named_alone(cores, span)?);
                }
            }
            ("make_smem_layout", [major, shape, bits, stages]) => {
                let of = |operation: &str, arguments: Vec<Expr>| call(operation, name, arguments, span);
                let tile = of("append", vec![shape.clone(), stages.clone()]);
                let (major, bits) = (major.clone(), bits.clone());
                let cores = self.named_alone("tcgen05", span)?;
                let layout = of("smem_layout", vec![major, tile, bits, cores]);
                let ones = (0..3).map(|_| self.leaf(ExprKind::Static(1), span)).collect::<Result<Vec<_>>>()?;
                return Ok(Some(of("coalesce", vec![layout, Expr::new(ExprKind::Tuple(ones), span)])));
            }
            _ => {}
        }
        Ok(Some(call(helper.operation, name, values, span)))
    }

    /// `BlockScaledBasicChunk(16)`: the rows and the elements along k that have one block of scales.
    fn scale_block(&mut self, word: &str, start: Span) -> Result<Expr> {
        let given = placed(self.arguments(TokenKind::CloseRound)?, word, &["sf_vec_size", "[major_mode]"])?;
        let span = self.since(start);
        self.spelled(Dialect::CuteDsl);
        let mut given = given.into_iter();
        let (Some(elements), major) = (given.next().flatten(), given.next().flatten()) else {
            return Err(self.expected("how many elements have one scale"));
        };
        let is_k = match major.as_ref().map(word_of) {
            None | Some(Some("K")) => true,
            Some(Some("MN")) => false,
            Some(_) => return Err(self.expected("`OperandMajorMode.K` or `OperandMajorMode.MN`")),
        };
        self.block_of_scales(elements, is_k, span)
    }

    /// Whose rule the layout of an epilogue follows: that of the module before its name. They differ for columns of 32 bits alone.
    fn cores_of(&self, name: Span, element: &Expr, major: &Expr) -> Result<Option<&'static str>> {
        let before = self.text().get(..name.end).unwrap_or_default();
        let path = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        let path = before.get(path.len()..).unwrap_or_default();
        let is_same = word_of(major).is_some_and(|major| major == "ROW_MAJOR")
            || matches!(element.kind, ExprKind::Static(bits) if bits != 32);
        match (path.contains("sm90") || path.contains("hopper"), path.contains('.')) {
            (true, _) => Ok(None),
            (false, true) => Ok(Some("tcgen05")),
            (false, false) if is_same => Ok(None),
            (false, false) => {
                let message = "which swizzle columns of 32 bits have differs between Hopper and Blackwell";
                Err(SyntaxError::new(code::UNKNOWN_NAME, name, message)
                    .with_help("write the module: `sm90_utils.make_smem_layout_epi` or `utils.make_smem_layout_epi`"))
            }
        }
    }
}
