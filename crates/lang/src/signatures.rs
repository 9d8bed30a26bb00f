//! The names of arguments, for the help texts.
//!
//! `L` is a layout of CuTe, or a linear one in the operations of linear layouts; `A` and `B` are two of a kind; `X` is any
//! value with a layout. Law: an operation has as many names as it takes arguments; the optional ones stand in square brackets,
//! and `…` says that there may be more.

use super::functions::Operation;

impl Operation {
    /// How it is called: `complement(L, [target])`.
    ///
    /// ```
    /// use bitstride_lang::operation;
    /// let signature = operation("complement").map(|operation| operation.signature());
    /// assert_eq!(signature.as_deref(), Some("complement(L, [target])"));
    /// ```
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, arguments(self.name))
    }
}

fn arguments(name: &str) -> &'static str {
    match name {
        "rank" | "depth" | "size" | "shape" | "stride" | "flatten" | "offsets" => "X",
        "congruent" | "weakly_congruent" | "compatible" | "common_refinement" | "common_coarsening" => "A, B",
        "evenly_divides" => "shape, tile",
        "shape_div" | "shape_mod" | "ceil_div" => "shape, n",
        "add" => "a, b, …",
        "div" | "mod" | "min" => "a, b",
        "lex_less" | "colex_less" | "elem_less" => "coordinate, other",
        "unflatten" => "X, nesting",
        "select" => "X, position, …",
        "take" | "group" => "X, begin, end",
        "append" | "prepend" => "X, mode",
        "replace" | "insert" => "X, position, mode",
        "remove" => "X, position",
        "crd2idx" => "coordinate, X",
        "idx2crd" => "index, shape",
        "crd2crd" => "coordinate, from_shape, to_shape",
        "coordinates" | "column_major" | "row_major" | "make_identity_layout" => "shape",
        "make_layout" => "L, …",
        "layout" => "L, position_or_path",
        "make_ordered_layout" => "shape, order",
        "coalesce" | "filter" => "L, [profile]",
        "make_layout_like" | "cosize" | "coshape" | "coprofile" | "filter_zeros" => "L",
        "right_inverse" | "left_inverse" | "nullspace" | "print_layout" => "L",
        "composition" => "A, B_or_tiler",
        "with_shape" => "L, shape",
        "complement" => "L, [target]",
        "domain_distribute" => "shape, n",
        "logical_divide" | "zipped_divide" | "tiled_divide" | "flat_divide" => "L, tiler",
        "logical_product" | "zipped_product" | "tiled_product" | "flat_product" => "block, tiler",
        "blocked_product" | "raked_product" => "block, copies",
        "tile_to_shape" => "block, shape, [order]",
        "local_tile" => "L, tiler, coordinate, [projection]",
        "local_partition" => "L, threads, thread, [projection]",
        "domain_offset" => "coordinate, L",
        "slice" | "dice" => "L, coordinate",
        "recast" => "L, old_bits, new_bits",
        "rescale" => "L, up, down",
        "upcast" | "downcast" => "L, n",
        "greatest_common_domain" => "shape, other_shape",
        "make_swizzle" => "sources, targets",
        "to_linear" => "encoding, shape",
        "identity_1d" => "size, in_dim, out_dim",
        "strided_1d" => "size, stride, in_dim, out_dim",
        "zeros_1d" => "size, in_dim, out_dim, [out_size]",
        "identity_standard_nd" => "in_dim, shape, order",
        "transpose_ins" | "transpose_outs" | "quotient" => "L, dims",
        "reshape_ins" | "reshape_outs" => "L, dims, sizes",
        "squeeze_ins" | "squeeze_outs" => "L, dim",
        "remove_zero_bases_along_dim" | "contiguous_elems_along_out_dim" => "L, dim",
        "resize_in_dim" | "resize_out_dim" => "L, dim, size",
        "rename_in_dim" | "rename_out_dim" => "L, dim, new_name",
        "sublayout" | "sublayout_is_zero" => "L, in_dims, out_dims",
        "square_sublayout_is_identity" | "is_trivial_over" => "L, dims",
        "zeros_like" | "invert" | "pseudoinvert" | "flatten_ins" | "flatten_outs" | "free_variable_masks" => "L",
        "num_consecutive_in_out" | "matrix" | "action_remove_broadcasted_regs" | "kernel" | "image" | "bruhat" => "L",
        "describe" | "print_linear" | "tensor_view" | "hardware_view" => "L",
        "tensor_reshape" => "L, shape",
        "tensor_transpose" => "L, order",
        "combine_cta_cga_with_shape" => "cta, cga, shape",
        "owners" => "threads_or_shape, [order], tensor_shape",
        "squeezed_owners" => "threads, dim, tensor_shape",
        "is_surjective" | "is_injective" | "is_invertible" | "is_bijective" | "holes" | "inverse" | "cycles" => "X",
        "apply" => "L, place",
        "cga" => "ctas_per_cga, [cta_split_num], [cta_order]",
        "largest_vectorisation" => "L, element_bits",
        "reg_perm_for_divide" | "get_reps" => "L, tile",
        "linear_index" | "tiled_index" => "array, index",
        "index_at" => "array, offset",
        "physical_dims" | "tiled_dims" | "padded_size" | "byte_size" | "element_strides" | "byte_strides" => "array",
        "digits" | "padding" | "describe_tiles" | "is_untiled" | "drop_unit_dims" | "without_layout" => "array",
        "to_jax" | "to_mosaic" | "affine_map" | "is_valid" => "array",
        "transpose_is_bitcast" => "A, B, dims",
        "align_layouts" => "array, dims",
        "unmodified_dims" | "unit_dims" => "from_dims, to_dims",
        "normalized_transpose" => "dims, permutation",
        "permute_dims" | "drop_dims" => "array, dims",
        "move_dim" => "array, from, to",
        "with_layout" => "array, layout",
        "at" => "X, coordinate",
        "tv" => "L, tile_shape",
        "convert" => "X, notation, [type]",
        "fit" => "offsets, shape",
        "affine" => "map, extents, [from_names], [to_extents], [to_names]",
        "subslice" => "memory, start, shape",
        "preimages" => "X, place",
        "contiguity" => "X, axis",
        "tensor" => "shape, strides, [offset]",
        "tag" => "format, shape",
        "bytes" | "bits" => "X, element_bits",
        "reshape" => "X, shape, [order]",
        // Of two of a kind.
        _ => "A, B",
    }
}

#[cfg(test)]
mod tests {
    use super::super::operations;
    use super::arguments;

    #[test]
    fn as_many_names_as_arguments() {
        for operation in operations() {
            let names: Vec<&str> = arguments(operation.name).split(", ").collect();
            let optional = names.iter().filter(|name| name.starts_with('[')).count();
            let counted = match names.last() {
                Some(&"…") => (names.len() - 1, usize::MAX),
                _ => (names.len() - optional, names.len()),
            };
            assert_eq!(counted, operation.arity, "{}", operation.signature());
        }
    }
}
