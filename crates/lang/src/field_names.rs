//! What operations are called elsewhere: in CuTe's C++ and Python, Triton, XLA, PyTorch and NumPy, and here.
//!
//! The other name is not read; an error suggests ours. Law: every expression that is suggested has a value or names the
//! operation that it stands for.

/// What to write here for a name of the field; case and `_` do not matter.
pub(super) fn suggestion(name: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect();
    NAMES.iter().find(|(names, _)| names.split(' ').any(|known| known == plain)).map(|(_, ours)| *ours)
}

/// Names in lower case without `_`, and what is written here.
const NAMES: &[(&str, &str)] = &[
    // CuTe.
    ("maketile maketiler tiler", "`<4, 8>` is a tiler, one entry a mode"),
    ("makeshape makestride makecoord maketuple tuple", "`(4,8)` is a shape, stride or coordinate"),
    ("makelayoutcolmajor colmajor leftmajor gencolmajor compactcolmajor layoutleft", "column_major((4,8))"),
    ("rowmajor genrowmajor rightmajor compactrowmajor layoutright", "row_major((4,8))"),
    ("makecomposedlayout composedlayout", "`Sw<3,4,3> o 0 o (8,64):(64,1)` is a composed layout"),
    ("makeswizzlelayout swizzle swizzlelayout applyswizzle", "`Sw<3,4,3> o (8,64):(64,1)` is a swizzled layout"),
    ("groupmodes", "group((2,3,5,7), 1, 3)"),
    ("get getmode mode modes", "layout((4,8):(8,1), 1), or get<1>((4,8):(8,1))"),
    ("selectmodes", "select((2,3,5), 2, 0)"),
    ("makeidentitytensor makecounting identitylayout identity", "make_identity_layout((4,8))"),
    ("makefragmentlike", "make_layout_like((2,3,4,5):(0,42,4,0))"),
    ("recastlayout recastptr recasttensor viewas viewdtype bitcast", "recast((8,8):(8,1), 16, 32)"),
    ("idx2crdflat indextocoord unravelindex getcoord getflatcoord gethiercoord", "idx2crd(4, (2,3))"),
    ("ravelmultiindex coordtoindex crdtoidx", "crd2idx((1,2), (2,3))"),
    ("product prod numel sizeof elements nelements", "size((4,(2,4)))"),
    ("innerpartition outerpartition zippedpartition", "zipped_divide(L, T), then slice or layout"),
    ("wrap flattentotuple", "flatten((2,(1,6)):(1,(6,2)))"),
    ("fliplayout layoutinverse inv inverselayout", "inverse(L), right_inverse(L) or left_inverse(L)"),
    ("divide splitlayout", "logical_divide((4,2,3):(2,1,8), 4:2)"),
    ("repeat repeatlike replicate", "logical_product((2,2):(4,1), 6:1)"),
    ("latex printlatex", "print_layout((4,8):(8,1)), or the command `bitstride show`"),
    ("maketiledcopy maketiledmma tiledcopy tiledmma", "tv(L, (16,8)) is a layout of threads and values"),
    ("maxcommonvectorlength vectorize vectorwidth", "max_common_vector(12:1, 3:1)"),
    ("makeunorderedlayout makelayoutordered orderedlayout", "make_ordered_layout((4,8,4), (1,2,0))"),
    ("tilesize cosizev", "cosize((4,8):(-1,5))"),
    // Triton.
    ("tolinearlayout tolinearencoding linearlayout tolayout", "to_linear(ATTR, (16,16))"),
    ("makecgalayout cgalayout makecga getcgalayout", "cga((2,4), (2,4), (1,0))"),
    ("getnumconsecutiveinout", "num_consecutive_in_out(L)"),
    ("getfreevariablemasks", "free_variable_masks(L)"),
    ("directsum tensorproduct multiply", "mul(A, B)"),
    ("leastsquares solve", "lstsq(A, B)"),
    ("reshapeinsdims reshapein", "reshape_ins(L, (names), (sizes))"),
    (
        "concat concatenate cat stack",
        "make_layout(A, B) for layouts of CuTe, concat_ins(A, B) or concat_outs(A, B) for linear ones",
    ),
    ("gettotalelemsperthread totalelems", "size(L), or describe(L) of a linear layout"),
    // XLA, JAX, NumPy, PyTorch.
    (
        "transpose permute permutedims movedim swapaxes",
        "permute_dims(A, (1,0)) for arrays, select(L, 1, 0) for layouts of CuTe, tensor_transpose(L, (1,0)) for linear ones",
    ),
    ("view viewas reshapeas", "reshape(f32[4,6]{1,0}, (8,3))"),
    ("sizeinbytes nbytes bytesizeof shapesize", "byte_size(f32[3,5]{1,0:T(2,2)})"),
    ("strides getstrides", "stride(L), element_strides(A) or byte_strides(A)"),
    ("shapedims dims getshape", "shape(L)"),
    ("squeeze", "drop_unit_dims(A), squeeze_ins(L, dim) or squeeze_outs(L, dim)"),
    ("unsqueeze expanddims", "insert(L, 0, 1:0)"),
    ("slicecopy narrow", "slice(L, (1,_)) or domain_offset(c, L)"),
    ("gcd lcm", "greatest_common_domain((6,35), (15,14))"),
    ("equal equals isequal", "same(A, B), or A == B"),
    ("compare difference", "diff(A, B)"),
    ("isbitcast isreshapebitcast", "reshape_is_bitcast(A, B) or transpose_is_bitcast(A, B, dims)"),
    ("lookup evaluate call getindex offset index", "crd2idx(c, L), L(c) or at(X, c)"),
    ("ceildivide cdiv roundup", "ceil_div(M, 128)"),
    ("sub subtract", "add(A, -4)"),
    ("bank bankconflicts conflicts banks", "the command `bitstride show --banks`"),
];

#[cfg(test)]
mod tests {
    use super::{NAMES, suggestion};
    use crate::{evaluate, operation};

    #[test]
    fn names_of_the_field_are_known() {
        for (name, ours) in [
            ("make_tile", "<4, 8>"),
            ("make_shape", "(4,8)"),
            ("make_stride", "(4,8)"),
            ("concat", "concat_outs"),
            ("group_modes", "group("),
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
        for (names, ours) in NAMES {
            for name in names.split(' ') {
                assert!(suggestion(name).is_some() && operation(name).is_none(), "{name}");
            }
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let first = ours.split(|c| !word(c)).find(|word| operation(word).is_some());
            assert!(first.is_some() || ours.contains('`'), "{ours} names no operation");
        }
    }
}
