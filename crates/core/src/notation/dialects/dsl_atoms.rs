//! CuTe DSL: matrix instructions and their copies over a tile.
//!
//! | text | reads as |
//! |---|---|
//! | `warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))` | `atom(SM80_16x8x16_F32F16F16F32_TN)` |
//! | `cute.make_mma_atom(op)` | `op` |
//! | `cute.make_tiled_mma(op, atom_layout_mnk, permutation_mnk)` | `tiled_mma(op, atom_layout_mnk, permutation_mnk)` |

use super::Dialect;
use super::build::call;
use super::dsl::placed;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

impl Cursor<'_> {
    /// What a word that makes matrix instructions begins; `None` where it is none.
    pub(super) fn dsl_atom_word(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        let parameters: &[&str] = match word {
            "MmaF16BF16Op" => &["ab_dtype", "acc_dtype", "shape_mnk"],
            "make_mma_atom" if scope == Some(Dialect::CuteDsl) => &["op"],
            "make_tiled_mma" if scope == Some(Dialect::CuteDsl) => {
                &["op_or_atom", "[atom_layout_mnk]", "[permutation_mnk]"]
            }
            _ => return Ok(None),
        };
        if !self.at(TokenKind::OpenRound) {
            return Ok(None);
        }
        let name = Span::new(start.start, self.consumed);
        let mut given = placed(self.arguments(TokenKind::CloseRound)?, word, parameters)?;
        let span = self.since(start);
        self.spelled(Dialect::CuteDsl);
        if word == "make_tiled_mma" {
            if let [_, layout @ None, Some(_)] = given.as_mut_slice() {
                let ones = (0..3).map(|_| self.leaf(ExprKind::Static(1), span)).collect::<Result<Vec<_>>>()?;
                *layout = Some(Expr::new(ExprKind::Tuple(ones), span));
            }
            return Ok(Some(call("tiled_mma", name, given.into_iter().flatten().collect(), span)));
        }
        let given: Vec<Expr> = given.into_iter().flatten().collect();
        match given.as_slice() {
            [atom] => Ok(Some(Expr::new(atom.kind.clone(), span))),
            [operands, sums, shape] => {
                let instruction = half_precision(operands, sums, shape).ok_or_else(|| {
                    let message = "MmaF16BF16Op multiplies Float16 to Float16 or Float32, or BFloat16 to Float32, \
                                   and its shape is (16, 8, 8) or (16, 8, 16)";
                    SyntaxError::new(code::BAD_SIZE, span, message)
                })?;
                let instruction = self.leaf(ExprKind::Unknown { name: Some(instruction), div: 1 }, span)?;
                Ok(Some(call("atom", name, vec![instruction], span)))
            }
            _ => Ok(None),
        }
    }
}

/// The name in CuTe C++ of an instruction of half precision.
fn half_precision(operands: &Expr, sums: &Expr, shape: &Expr) -> Option<String> {
    let short = |tree: &Expr| match &tree.kind {
        ExprKind::Unknown { name: Some(name), .. } => match name.as_str() {
            "Float16" => Some("F16"),
            "BFloat16" => Some("BF16"),
            "Float32" => Some("F32"),
            _ => None,
        },
        _ => None,
    };
    let ExprKind::Tuple(sizes) = &shape.kind else { return None };
    let [ExprKind::Static(16), ExprKind::Static(8), ExprKind::Static(k @ (8 | 16))] =
        [&sizes.first()?.kind, &sizes.get(1)?.kind, &sizes.get(2)?.kind]
    else {
        return None;
    };
    let (operand, sum) = (short(operands)?, short(sums)?);
    let is_there = matches!((operand, sum), ("F16", "F16" | "F32") | ("BF16", "F32"));
    (is_there && sizes.len() == 3).then(|| format!("SM80_16x8x{k}_{sum}{operand}{operand}{sum}_TN"))
}
