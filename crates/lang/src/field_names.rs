//! What operations are called elsewhere: in CuTe's C++ and Python, Triton, XLA, PyTorch and NumPy, and here.
//!
//! A name that no dialect reads is an error, which suggests ours. Law: every expression that is suggested has a value or names the
//! operation that it stands for.

use super::operation::Operation;
use Family::{Arrays, CuTe, Triton};

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    CuTe,
    Triton,
    /// XLA, JAX, NumPy, PyTorch and Julia.
    Arrays,
}

impl Family {
    fn word(self) -> &'static str {
        match self {
            CuTe => "CuTe",
            Triton => "Triton",
            Arrays => "array libraries",
        }
    }
}

/// What to write here for a name of the field; case and `_` do not matter.
pub(super) fn suggestion(name: &str) -> Option<&'static str> {
    let wanted = plain(name);
    NAMES.iter().find(|(_, names, _)| names.split(' ').any(|known| plain(known) == wanted)).map(|(.., ours)| *ours)
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

impl Operation {
    /// What other systems call it, each with where the name comes from, such as `make_identity_tensor (CuTe)`.
    ///
    /// ```
    /// use bitstride_lang::operation;
    /// let names = operation("mul").map(|operation| operation.names_elsewhere());
    /// assert_eq!(names.unwrap_or_default(), ["direct_sum, tensor_product, multiply (Triton)"]);
    /// ```
    pub fn names_elsewhere(&self) -> Vec<String> {
        let is_named =
            |ours: &str| ours.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == self.name);
        let those = NAMES.iter().filter(|(.., ours)| is_named(ours));
        those.map(|(family, names, _)| format!("{} ({})", names.replace(' ', ", "), family.word())).collect()
    }
}

/// Names of one family as it spells them, and what is written here.
const NAMES: &[(Family, &str, &str)] = &[
    (CuTe, "make_tiler tiler", "`<4, 8>` is a tiler, one entry a mode"),
    (CuTe, "tuple", "`(4,8)` is a shape, stride or coordinate"),
    (
        CuTe,
        "col_major left_major GenColMajor compact_col_major make_layout_col_major LayoutLeft",
        "column_major((4,8))",
    ),
    (
        CuTe,
        "row_major_layout right_major GenRowMajor compact_row_major make_layout_row_major LayoutRight",
        "row_major((4,8))",
    ),
    (CuTe, "make_swizzle_layout SwizzleLayout apply_swizzle", "`Sw<3,4,3> o (8,64):(64,1)` is a swizzled layout"),
    (CuTe, "group_modes", "group((2,3,5,7), 1, 3)"),
    (CuTe, "get get_mode mode modes", "layout((4,8):(8,1), 1), or get<1>((4,8):(8,1))"),
    (CuTe, "select_modes", "select((2,3,5), 2, 0)"),
    (CuTe, "make_identity_tensor make_counting identity_layout identity", "make_identity_layout((4,8))"),
    (CuTe, "make_rmem_tensor_like make_tensor_like", "make_layout_like((2,3,4,5):(0,42,4,0))"),
    (CuTe, "recast_layout recast_ptr recast_tensor", "recast((8,8):(8,1), 16, 32)"),
    (CuTe, "idx2crd_flat index_to_coord get_coord", "idx2crd(4, (2,3))"),
    (CuTe, "get_flat_coord get_hier_coord", "coordinate_at((32,2,2,1):(1,32,64,0), 105)"),
    (CuTe, "coord_to_index crd_to_idx", "crd2idx((1,2), (2,3))"),
    (CuTe, "product sizeof", "size((4,(2,4)))"),
    (CuTe, "inner_partition outer_partition zipped_partition", "zipped_divide(L, T), then slice or layout"),
    (CuTe, "wrap flatten_to_tuple", "flatten((2,(1,6)):(1,(6,2)))"),
    (CuTe, "flip_layout layout_inverse inv inverse_layout", "inverse(L), right_inverse(L) or left_inverse(L)"),
    (CuTe, "divide split_layout", "logical_divide((4,2,3):(2,1,8), 4:2)"),
    (CuTe, "repeat repeat_like replicate", "logical_product((2,2):(4,1), 6:1)"),
    (CuTe, "latex print_latex", "print_layout((4,8):(8,1)), or the command `bitstride show`"),
    (CuTe, "make_tiled_mma TiledMMA", "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2))"),
    (
        CuTe,
        "make_tiled_copy make_tiled_copy_tv TiledCopy",
        "tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8))",
    ),
    (CuTe, "make_tiled_copy_impl", "tiled_copy_tv(SM75_U32x1_LDSM_N, 16, (32,8):(1,32), (32,8))"),
    (CuTe, "MMA_Atom MMA_Traits Copy_Traits", "atom(SM80_16x8x16_F32F16F16F32_TN)"),
    (CuTe, "Copy_Atom make_copy_atom", "copy_atom(SM75_U32x4_LDSM_N, 16)"),
    (
        CuTe,
        "get_layoutA_TV get_layoutB_TV get_layoutC_TV get_layoutS_TV get_layoutD_TV tile_size_mnk ALayout SrcLayout",
        "part(X, A), or X.A",
    ),
    (CuTe, "get_thread_slice ThrMMA ThrCopy", "get_slice(MMA, THREAD), or partition_A(MMA, TENSOR, THREAD)"),
    (CuTe, "retile_S retile_D", "retile(COPY, FRAGMENT)"),
    (CuTe, "max_common_vector_length vectorize vector_width", "max_common_vector(12:1, 3:1)"),
    (CuTe, "make_unordered_layout make_layout_ordered ordered_layout", "make_ordered_layout((4,8,4), (1,2,0))"),
    (CuTe, "tile_size cosize_v", "cosize((4,8):(-1,5))"),
    (CuTe, "ceil_divide", "ceil_div(M, 128)"),
    (Triton, "toLinearLayout to_linear_encoding to_linear_layout LinearLayout to_layout", "to_linear(ATTR, (16,16))"),
    (Triton, "makeCgaLayout make_cga getCTALayout getCGALayout cga_layout", "cga((2,4), (2,4), (1,0))"),
    (Triton, "getNumConsecutiveInOut", "num_consecutive_in_out(L)"),
    (Triton, "getFreeVariableMasks", "free_variable_masks(L)"),
    (Triton, "direct_sum tensor_product multiply", "mul(A, B)"),
    (Triton, "least_squares solve", "lstsq(A, B)"),
    (Triton, "reshape_ins_dims reshape_in", "reshape_ins(L, (names), (sizes))"),
    (
        Arrays,
        "concat concatenate cat stack",
        "make_layout(A, B) for layouts of CuTe, concat_ins(A, B) or concat_outs(A, B) for linear ones",
    ),
    (Triton, "getTotalElemsPerThread total_elems", "size(L), or describe(L) of a linear layout"),
    (
        Arrays,
        "transpose permute permutedims movedim swapaxes",
        "permute_dims(A, (1,0)) for arrays, select(L, 1, 0) for layouts of CuTe, tensor_transpose(L, (1,0)) for linear ones",
    ),
    (Arrays, "view_as view_dtype bitcast", "recast((8,8):(8,1), 16, 32)"),
    (Arrays, "view reshape_as", "reshape(f32[4,6]{1,0}, (8,3))"),
    (Arrays, "unravel_index", "idx2crd(4, (2,3))"),
    (Arrays, "ravel_multi_index", "crd2idx((1,2), (2,3))"),
    (Arrays, "prod numel nelements elements", "size((4,(2,4)))"),
    (Arrays, "size_in_bytes nbytes ByteSizeOf shape_size", "byte_size(f32[3,5]{1,0:T(2,2)})"),
    (Arrays, "strides get_strides", "stride(L), element_strides(A) or byte_strides(A)"),
    (Arrays, "shape_dims dims get_shape", "shape(L)"),
    (Arrays, "squeeze", "drop_unit_dims(A), squeeze_ins(L, dim) or squeeze_outs(L, dim)"),
    (Arrays, "unsqueeze expand_dims", "insert(L, 0, 1:0)"),
    (Arrays, "slice_copy narrow", "slice(L, (1,_)) or domain_offset(c, L)"),
    (Arrays, "gcd lcm", "greatest_common_domain((6,35), (15,14))"),
    (Arrays, "equal equals is_equal", "same(A, B), or A == B"),
    (Arrays, "compare difference", "diff(A, B)"),
    (
        Arrays,
        "is_bitcast ReshapeIsBitcast_ TransposeIsBitcast_",
        "reshape_is_bitcast(A, B) or transpose_is_bitcast(A, B, dims)",
    ),
    (Arrays, "lookup evaluate call getindex offset index", "crd2idx(c, L), L(c) or at(X, c)"),
    (Arrays, "cdiv", "ceil_div(M, 128)"),
    (Arrays, "reduce einsum", "`rearrange(x[2,3,4], 'b h w -> b (h w)')` and `repeat(…)`; sums of elements have none"),
    (Arrays, "sub subtract", "add(A, -4)"),
    (Arrays, "bank conflicts banks bank_conflict num_bank_conflicts passes", "wavefronts(MEMORY, THREADS, BITS)"),
];

#[cfg(test)]
mod tests {
    use super::{NAMES, suggestion};
    use crate::{evaluate, operation};

    #[test]
    fn names_of_the_field_are_known() {
        for (name, ours) in [
            ("concat", "concat_outs"),
            ("make_tiler", "<4, 8>"),
            ("toLinearLayout", "to_linear("),
            ("to_linear_layout", "to_linear("),
            ("makeCgaLayout", "cga("),
            ("permute", "permute_dims("),
            ("transpose", "tensor_transpose("),
            ("size_in_bytes", "byte_size("),
            ("get", "layout("),
        ] {
            let said = evaluate(&format!("{name}(4:1)")).err();
            let help = said.as_ref().and_then(|error| error.help()).unwrap_or_default();
            assert!(help.contains(ours), "{name}: {help}");
        }
    }

    #[test]
    fn suggestions_name_operations() {
        for (_, names, ours) in NAMES {
            for name in names.split(' ') {
                assert!(suggestion(name).is_some() && operation(name).is_none(), "{name}");
            }
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let first = ours.split(|c| !word(c)).find(|word| operation(word).is_some());
            assert!(first.is_some() || ours.contains('`'), "{ours} names no operation");
        }
    }
}
