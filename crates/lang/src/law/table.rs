//! The laws, by the names of operations. [`statement`](super::statement) says how they are written.
//!
//! Law: each text is over the parameters of its operation and `R`, and holds for every answer (`tests/law.rs`).

/// Which operands a law is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    All,
    /// Layouts, tuples and swizzles of CuTe.
    Cute,
    /// Those among which is a linear layout, an array or a map.
    Mapped,
}

/// A law of an operation.
pub(super) struct Law {
    operation: &'static str,
    of: Of,
    /// Whether a tiler with several entries is taken mode by mode.
    pub(super) by_mode: bool,
    pub(super) text: &'static str,
}

impl Law {
    /// Whether it is for such operands.
    pub(super) fn is_for(&self, is_mapped: bool) -> bool {
        match self.of {
            Of::All => true,
            Of::Cute => !is_mapped,
            Of::Mapped => is_mapped,
        }
    }
}

/// The laws of an operation.
pub(super) fn laws(operation: &str) -> impl Iterator<Item = &'static Law> {
    LAWS.iter().filter(move |law| law.operation == operation)
}

const fn law(operation: &'static str, text: &'static str) -> Law {
    Law { operation, of: Of::All, by_mode: false, text }
}

const fn cute(operation: &'static str, text: &'static str) -> Law {
    Law { operation, of: Of::Cute, by_mode: false, text }
}

const fn mapped(operation: &'static str, text: &'static str) -> Law {
    Law { operation, of: Of::Mapped, by_mode: false, text }
}

const fn tiled(operation: &'static str, text: &'static str) -> Law {
    Law { operation, of: Of::Cute, by_mode: true, text }
}

const LAWS: &[Law] = &[
    law("compatible", "R iff size(A) == size(B) and is_coordinate(c, B) for c in A"),
    law("common_refinement", "compatible(A, R) and compatible(B, R)"),
    law("common_coarsening", "compatible(R, A) and compatible(R, B)"),
    cute("crd2idx", "R == X(i) for i < size(X) if idx2crd(i, shape(X)) == crd2crd(coordinate, shape(X), shape(X))"),
    law(
        "idx2crd",
        "congruent(R, shape); crd2idx(R, shape) == index and is_coordinate(R, shape) if 0 <= index < size(shape)",
    ),
    law(
        "crd2crd",
        "congruent(R, to_shape); crd2idx(R, to_shape) == crd2idx(coordinate, from_shape) if is_coordinate(coordinate, from_shape)",
    ),
    // Layouts of CuTe.
    law("column_major", "shape(R) == shape; R(i) == i for i < size(shape)"),
    law(
        "row_major",
        "shape(R) == shape; {R(i) for i < size(R)} == {i for i < size(R)}; R(c) < R(d) for c in shape, d in shape if lex_less(c, d)",
    ),
    law("make_ordered_layout", "size(R) == size(shape); {R(i) for i < size(R)} == {i for i < size(R)}"),
    cute("make_layout_like", "shape(R) == shape(L); {R(i) for i < size(R)} == {i for i < size(filter_zeros(L))}"),
    cute("make_fragment_like", "shape(R) == shape(L); {R(i) for i < size(R)} == {i for i < size(filter_zeros(R))}"),
    law("make_identity_layout", "R(c) == c for c in shape"),
    cute(
        "cosize",
        "L(i) - L(j) < R and L(i) < R for i < size(L), j < size(L); {R - 1} <= {L(i) - L(j) for i < size(L), j < size(L)} if 0 < size(L)",
    ),
    cute("coalesce", "size(R) == size(L); R(i) == L(i) for i < size(L); without profile: depth(R) <= 1"),
    cute("filter", "{R(i) for i < size(R)} == {L(i) for i < size(L)}; size(R) <= size(filter_zeros(L))"),
    cute(
        "filter_zeros",
        "stride(R) == stride(L); {R(i) for i < size(R)} == {L(i) for i < size(L)} if 0 < size(L); \
         size(R) * size(nullspace(L)) == size(L)",
    ),
    tiled(
        "composition",
        "compatible(shape(B_or_tiler), shape(R)) if 0 < size(B_or_tiler); R(i) == A(B_or_tiler(i)) for i < size(B_or_tiler)",
    ),
    mapped("composition", "R(c) == A(B_or_tiler(c)) for c in B_or_tiler"),
    law("chain", "R(c) == A(B(c)) for c in B"),
    cute("with_shape", "size(R) == size(shape); R(i) == L(i) for i < size(shape)"),
    cute(
        "complement",
        "R(i) < R(i + 1) for i < size(R) - 1; distinct p + R(j) for p in {L(i) for i < size(L)}, j < size(R); size(target) <= cosize(make_layout(L, R))",
    ),
    cute("right_inverse", "L(R(i)) == i for i < size(R)"),
    cute("left_inverse", "L(R(L(i))) == L(i) for i < size(L)"),
    cute(
        "nullspace",
        "L(R(i)) == L(0) for i < size(R); distinct R(i) for i < size(R); size(R) * size(filter_zeros(L)) == size(L)",
    ),
    cute(
        "max_common_vector",
        "A(crd2idx(i, max_common_layout(A, B))) == B(crd2idx(i, max_common_layout(A, B))) for i < R; R == size(max_common_layout(A, B))",
    ),
    cute("max_common_layout", "A(R(i)) == i and B(R(i)) == i for i < size(R)"),
    tiled(
        "logical_divide",
        "R((i,j)) == L(tiler(i) + crd2idx(j, complement(tiler, shape(coalesce(L))))) for i < size(tiler), j < size(layout(R, 1)); \
         {L(i) for i < size(L)} <= {R(i) for i < size(R)}",
    ),
    cute(
        "zipped_divide",
        "rank(R) == 2; {R(i) for i < size(R)} == {logical_divide(L, tiler)(i) for i < size(R)}; {L(i) for i < size(L)} <= {R(i) for i < size(R)}",
    ),
    cute(
        "tiled_divide",
        "size(R) == size(zipped_divide(L, tiler)); R(i) == zipped_divide(L, tiler)(i) for i < size(R)",
    ),
    cute("flat_divide", "size(R) == size(zipped_divide(L, tiler)); R(i) == zipped_divide(L, tiler)(i) for i < size(R)"),
    tiled(
        "logical_product",
        "R((i,j)) == block(i) + crd2idx(tiler(j), complement(block, size(block) * cosize(tiler))) for i < size(block), j < size(tiler)",
    ),
    cute(
        "zipped_product",
        "rank(R) == 2; size(R) == size(logical_product(block, tiler)); {R(i) for i < size(R)} == {logical_product(block, tiler)(i) for i < size(R)}",
    ),
    cute(
        "tiled_product",
        "size(R) == size(zipped_product(block, tiler)); R(i) == zipped_product(block, tiler)(i) for i < size(R)",
    ),
    cute(
        "flat_product",
        "size(R) == size(zipped_product(block, tiler)); R(i) == zipped_product(block, tiler)(i) for i < size(R)",
    ),
    cute(
        "blocked_product",
        "{R(i) for i < size(R)} == {logical_product(block, copies)(i) for i < size(R)}; R(c) == block(c) for c in sizes(block) if rank(R) == rank(block)",
    ),
    cute(
        "raked_product",
        "size(R) == size(block) * size(copies); {R(i) for i < size(R)} == {logical_product(block, copies)(i) for i < size(R)}",
    ),
    cute("tile_to_shape", "size(shape) <= size(R); R(c) == block(c) for c in sizes(block) if rank(R) == rank(block)"),
    cute(
        "slice",
        "R(i) == L(filled(coordinate, i, L)) for i < size(R); size(R) * size(dice(L, coordinate)) == size(L)",
    ),
    cute("dice", "size(R) * size(slice(L, coordinate)) == size(L); {R(i) for i < size(R)} <= {L(i) for i < size(L)}"),
    cute("recast", "{R(i) for i < size(R)} == {div(L(i) * old_bits + b, new_bits) for i < size(L), b < old_bits}"),
    cute("rescale", "{R(i) for i < size(R)} == {div(L(i) * down + b, up) for i < size(L), b < down}"),
    cute("upcast", "congruent(shape(R), shape(L)); {R(i) for i < size(R)} == {div(L(i), n) for i < size(L)}"),
    cute("downcast", "{R(i) for i < size(R)} == {L(i) * n + b for i < size(L), b < n}"),
    cute("layout_add", "size(R) == size(A); R(i) == A(i) + B(i) for i < size(A)"),
    cute(
        "greatest_common_domain",
        "R(i) < R(i + 1) for i < size(R) - 1; R(i) < size(shape) and R(i) < size(other_shape) for i < size(R) if 0 < size(shape) * size(other_shape)",
    ),
    law("make_swizzle", "R(x) == xor(x, bits_moved(x, sources, targets)) for x < 1024"),
    // Linear layouts.
    law("to_linear", "size(shape) == elements(R)"),
    law("identity_1d", "R(i) == i for i < size"),
    law("strided_1d", "R(i) == i * stride for i < size"),
    law("zeros_1d", "R(i) == 0 for i < size"),
    law("zeros_like", "R(x) == 0 for x in L"),
    law("mul", "R(x) == beside(A(low(x, A)), B(high(x, A)), A) for x in R"),
    law("divide_left", "A(x) == beside(B(low(x, B)), R(high(x, B)), B) for x in A"),
    law("divide_right", "A(x) == beside(R(low(x, R)), B(high(x, R)), R) for x in A"),
    law("compose", "R(x) == B(A(x)) for x in A"),
    law("invert", "R(L(x)) == x for x in L; L(R(y)) == y for y in R"),
    law("pseudoinvert", "L(R(y)) == y for y in R"),
    law("invert_and_compose", "B(R(x)) == A(x) for x in A"),
    law("lstsq", "A(R(y)) == B(y) for y in B"),
    law("minimal_cvt", "A(with(x, R(x))) == B(x) for x in B"),
    law("transpose_ins", "R(x) == L(x) for x in L"),
    law("transpose_outs", "R(x) == L(x) for x in L"),
    law("reshape_ins", "places(R) == places(L); R(i) == L(i) for i < places(L)"),
    law("reshape_outs", "number(R(x), R) == number(L(x), L) for x in L"),
    law("flatten_ins", "places(R) == places(L); R(i) == L(i) for i < places(L)"),
    law("flatten_outs", "number(R(x), R) == number(L(x), L) for x in L"),
    law("concat_ins", "R(x) == xor(A(x), B(x)) for x in R"),
    law("concat_outs", "R(x) == with(A(x), B(x)) for x in R"),
    law("squeeze_ins", "places(R) == places(L); R(x) == L(x) for x in R"),
    law("squeeze_outs", "elements(R) == elements(L); R(x) == L(x) for x in L"),
    law("resize_in_dim", "R(x) == L(low(x, L)) for x in R"),
    law(
        "resize_out_dim",
        "R(basis(R, k)) == L(basis(L, k)) for k < bases(L) if value(L(basis(L, k)), dim) < size; \
         value(R(basis(R, k)), dim) == 0 for k < bases(L) if size <= value(L(basis(L, k)), dim)",
    ),
    law("rename_in_dim", "R(i) == L(i) for i < places(L)"),
    law("rename_out_dim", "values(R(x)) == values(L(x)) for x in L"),
    law("sublayout", "R(x) == only(L(x), R) for x in R"),
    law("sublayout_is_zero", "R iff only(L(only(x, in_dims)), out_dims) == 0 for x in L"),
    law("square_sublayout_is_identity", "R iff only(L(only(x, dims)), dims) == only(x, dims) for x in L"),
    law("quotient", "L(x) == with(only(x, dims), R(x)) for x in L"),
    law("remove_zero_bases_along_dim", "{R(x) for x in R} == {L(x) for x in L}"),
    law("num_consecutive_in_out", "first(L(i)) == i for i < R"),
    law(
        "contiguous_elems_along_out_dim",
        "{i for i < R} <= {value(L(x), dim) for x in L}; value(L(x), dim) != R for x in L",
    ),
    law(
        "free_variable_masks",
        "distinct L(x) for x in L if cleared(x, R) == x; {L(cleared(x, R)) for x in L} == {L(x) for x in L}; \
         place_number(cleared(x, R), L) <= place_number(basis(L, k), L) for x in L, k < bases(L) if L(cleared(x, R)) == L(basis(L, k))",
    ),
    law(
        "action_remove_broadcasted_regs",
        "{L(renamed(x, R)) for x in L} == {L(x) for x in L}; L(at_register(k, R, L)) != 0 for k < length(R)",
    ),
    law(
        "largest_vectorisation",
        "offset_of(L(renamed(x, nth(R, 1)))) == offset_of(L(renamed(rounded(x, nth(R, 0)), nth(R, 1)))) + within(x, nth(R, 0)) for x in L; \
         is_multiple(offset_of(L(renamed(rounded(x, nth(R, 0)), nth(R, 1)))), nth(R, 0)) for x in L; \
         nth(R, 0) * element_bits <= 128 if nth(R, 0) != 1",
    ),
    law("get_reps", "number(L(x), L) == number(R(x), L) + number(tile(low(x, tile)), L) for x in L"),
    law("kernel", "L(R(x)) == 0 for x in R; distinct R(x) for x in R; places(R) * places(image(L)) == places(L)"),
    law("image", "{R(x) for x in R} == {L(x) for x in L}; distinct R(x) for x in R"),
    law(
        "bruhat",
        "nth(R, 0)(nth(R, 1)(nth(R, 2)(x))) == L(x) for x in L; \
         number(basis(nth(R, 0), k), nth(R, 0)) <= number(nth(R, 0)(basis(nth(R, 0), k)), nth(R, 0)) < 2 * number(basis(nth(R, 0), k), nth(R, 0)) for k < bases(nth(R, 0)); \
         number(basis(nth(R, 2), k), nth(R, 2)) <= number(nth(R, 2)(basis(nth(R, 2), k)), nth(R, 2)) < 2 * number(basis(nth(R, 2), k), nth(R, 2)) for k < bases(nth(R, 2)); \
         {number(nth(R, 1)(basis(nth(R, 1), k)), nth(R, 0)) for k < bases(L)} == {number(basis(nth(R, 0), k), nth(R, 0)) for k < bases(L)}",
    ),
    law("tensor_reshape", "row_number(R(x), R) == row_number(L(x), L) for x in L"),
    law("tensor_transpose", "R(x) == permuted(L(x), order) for x in L"),
    law("is_injective", "R iff distinct X(x) for x in X"),
    mapped("is_surjective", "R iff {number(X(x), X) for x in X} == {y for y < elements(X)}"),
    mapped("is_invertible", "R iff places(X) == elements(X) and distinct X(x) for x in X"),
    // Tiled arrays.
    law("linear_index", "index_at(array, R) == index"),
    law(
        "index_at",
        "linear_index(array, R) == offset if is_element(R); array(c) != offset for c in array if is_padding(R)",
    ),
    law("tiled_dims", "array(c) < size(R) for c in array; distinct array(c) for c in array"),
    law("padded_size", "array(c) < R for c in array; size(shape(array)) <= R"),
    law("same_memory", "R iff padded_size(A) == padded_size(B) and A(i) == B(i) for i < size(shape(A))"),
    law("reshape_is_bitcast", "R iff padded_size(A) == padded_size(B) and A(i) == B(i) for i < size(shape(A))"),
    law("transpose_is_bitcast", "R iff padded_size(A) == padded_size(B) and B(permuted(c, dims)) == A(c) for c in A"),
    law("deduce_transpose", "B(permuted(c, R)) == A(c) for c in A"),
    law("align_layouts", "shape(R) == dims; R(i) == array(i) for i < size(dims)"),
    law("permute_dims", "padded_size(R) == padded_size(array); R(permuted(c, dims)) == array(c) for c in array"),
    law("drop_dims", "padded_size(R) == padded_size(array); R(i) == array(i) for i < size(shape(array))"),
    law("drop_unit_dims", "padded_size(R) == padded_size(array); R(i) == array(i) for i < size(shape(array))"),
    // Every family.
    law("same", "R iff left(c) == right(c) for c in left"),
    law("diff", "R iff left(c) == right(c) for c in left"),
    law("convert", "left(c) == right(c) for c in left"),
    law("fit", "R(c) == entry(offsets, crd2idx(c, shape)) for c in shape"),
    cute("inverse", "R(X(i)) == i for i < size(X)"),
    mapped("inverse", "R(axes(X)(c)) == c for c in axes(X)"),
    law("holes", "R + reached(X) == span(X)"),
    law(
        "contiguity",
        "axes(X)(c) == next_place(axes(X)(before(c, axis))) for c in axes(X) if entry(c, axis) != entry(R, 0) * div(entry(c, axis), entry(R, 0)); \
         is_multiple(axes(X)(c), entry(R, 1)) for c in axes(X) if entry(c, axis) == entry(R, 1) * div(entry(c, axis), entry(R, 1)); \
         is_multiple(entry(R, 0), entry(R, 1)); entry(R, 0) == longest_run(X, axis); entry(R, 1) == widest_vector(X, axis)",
    ),
    law("cycles", "entry(R, 0) == returns(X); entry(R, 1) == cycle_count(X); entry(R, 2) == unmoved(X)"),
    law("is_bijective", "R iff distinct axes(X)(c) and holes(X) == 0 for c in axes(X)"),
    law(
        "preimages",
        "is_member(c, R) for c in axes(X) if axes(X)(c) == place; axes(X)(c) == place for c in axes(X) if is_member(c, R)",
    ),
    law("tv", "crd2idx(R(c), flatten(tile_shape)) == L(c) for c in sizes(L)"),
    law("bytes", "R(c) * 8 == axes(X)(c) * element_bits for c in axes(X)"),
    law("bits", "R(c) == axes(X)(c) * element_bits for c in axes(X)"),
    law("reshape", "without order: R(i) == X(i) for i < size(shape)"),
];
