//! The operations on linear layouts and encodings, under the names that Triton gives them.

use super::numbers::{number, numbers, tuple, whole};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    ANY, APPLIED_FIRST, APPLIED_LAST, CGA_LAYOUT, CTA_LAYOUT, CTA_ORDER, CTA_SPLIT_NUM, CTAS_PER_CGA, DIM_NAME,
    DIM_NAMES, DIM_NUMBER, ELEMENT_BITS, ENCODING, IN_DIM, IN_DIMS, LEFT_LINEAR, LINEAR_LAYOUT, LINEAR_TILE, NEW_NAME,
    ORDER, OUT_DIM, OUT_DIMS, OUT_SIZE, OWNED_SHAPE, OWNERS, PLACE_OF_LINEAR, RIGHT_LINEAR, SIZE, SIZES,
    STRIDE_OF_LINEAR, TENSOR_SHAPE, THREAD_TABLE, TRANSPOSED_ORDER,
};
use super::value::Value;
use bitstride::linear::{ColumnAction, LinearLayout, Name};
use bitstride::map::Injectivity;
use bitstride::triton::{self, Cga, Distributed, Sizes, Split};
use bitstride::{Code, Error, Int, Tuple, error};

constructor!(linear, Linear);

pub(super) const LINEAR: &[Operation] = &[
    linear(
        "to_linear",
        &[ENCODING, TENSOR_SHAPE],
        "the linear layout of an encoding for a shape",
        "to_linear(#ttg.blocked<{sizePerThread=[1,2], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>, (16,16))",
        |v, _| Ok(arg(v, 0)?.as_encoding()?.to_linear(&numbers(arg(v, 1)?)?)?.into()),
    ),
    linear(
        "identity_1d",
        &[SIZE, IN_DIM, OUT_DIM],
        "x -> x on n values of a dim",
        "identity_1d(8, lane, dim0)",
        |v, _| Ok(LinearLayout::identity(number(v, 0)?, dim(v, 1)?, dim(v, 2)?)?.into()),
    ),
    linear(
        "strided_1d",
        &[SIZE, STRIDE_OF_LINEAR, IN_DIM, OUT_DIM],
        "x -> x * stride on n values of a dim",
        "strided_1d(4, 2, lane, dim0)",
        |v, _| Ok(LinearLayout::strided(number(v, 0)?, number(v, 1)?, dim(v, 2)?, dim(v, 3)?)?.into()),
    ),
    linear(
        "zeros_1d",
        &[SIZE, IN_DIM, OUT_DIM, OUT_SIZE.optional()],
        "x -> 0 on n values of a dim; the out dim has size 1 or the size given",
        "zeros_1d(4, lane, dim0)",
        |v, _| {
            let size = if v.len() > 3 { number(v, 3)? } else { 1 };
            Ok(LinearLayout::zeros(number(v, 0)?, dim(v, 1)?, dim(v, 2)?, size)?.into())
        },
    ),
    linear(
        "identity_standard_nd",
        &[IN_DIM, TENSOR_SHAPE, ORDER],
        "an in dim walks over a shape, the dims in order (the first fastest)",
        "identity_standard_nd(register, (2,4), (1,0))",
        |v, _| {
            Ok(LinearLayout::identity_standard_nd(dim(v, 0)?, &numbers(arg(v, 1)?)?, &positions(arg(v, 2)?)?)?.into())
        },
    ),
    linear(
        "zeros_like",
        &[LINEAR_LAYOUT],
        "the same dims, everything to 0",
        "zeros_like(identity_1d(4, lane, dim0))",
        |v, _| Ok(layout(v, 0)?.zeros_like().into()),
    ),
    linear(
        "mul",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the product (direct sum): side by side, the first the minor part",
        "mul(identity_1d(2, register, dim0), identity_1d(4, lane, dim0))",
        |v, _| Ok(layout(v, 0)?.product(&layout(v, 1)?)?.into()),
    ),
    linear(
        "divide_left",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the C with A = mul(B, C)",
        "divide_left(identity_1d(8, lane, dim0), identity_1d(2, lane, dim0))",
        |v, _| quotient(layout(v, 0)?.divide_left(&layout(v, 1)?), "mul(B, C) = A"),
    ),
    linear(
        "divide_right",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the C with A = mul(C, B)",
        "divide_right(identity_1d(8, lane, dim0), identity_1d(2, lane, dim0))",
        |v, _| quotient(layout(v, 0)?.divide_right(&layout(v, 1)?), "mul(C, B) = A"),
    ),
    linear(
        "compose",
        &[APPLIED_FIRST, APPLIED_LAST],
        "B after A: x -> B(A(x))",
        "compose(identity_1d(4, lane, dim0), strided_1d(4, 2, dim0, offset))",
        |v, _| Ok(layout(v, 0)?.compose(&layout(v, 1)?)?.into()),
    ),
    linear("invert", &[LINEAR_LAYOUT], "the inverse", "invert(linear<{lane=[[3],[1]]}, out=[dim0:4]>)", |v, _| {
        Ok(layout(v, 0)?.invert()?.into())
    }),
    linear(
        "pseudoinvert",
        &[LINEAR_LAYOUT],
        "a right inverse: for each element its place with the earliest bits",
        "pseudoinvert(linear<{lane=[[1],[0],[3]]}, out=[dim0:4]>)",
        |v, _| Ok(layout(v, 0)?.pseudoinvert()?.into()),
    ),
    linear(
        "invert_and_compose",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the C with A(x) = B(C(x)): where in B the element at x of A is",
        "invert_and_compose(identity_1d(4, lane, dim0), linear<{offset=[[2],[1]]}, out=[dim0:4]>)",
        |v, _| Ok(layout(v, 0)?.invert_and_compose(&layout(v, 1)?)?.into()),
    ),
    linear(
        "lstsq",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the X with A(X(y)) = B(y), every free bit 0",
        "lstsq(linear<{offset=[[2],[1]]}, out=[dim0:4]>, identity_1d(4, lane, dim0))",
        |v, _| Ok(layout(v, 0)?.lstsq(&layout(v, 1)?)?.into()),
    ),
    linear(
        "minimal_cvt",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "what a conversion from A to B moves: place in B -> place in A, without the dims that stay",
        "minimal_cvt(linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>, linear<{register=[[2]], lane=[[1]]}, out=[dim0:4]>)",
        |v, _| Ok(layout(v, 0)?.minimal_cvt(&layout(v, 1)?)?.into()),
    ),
    linear(
        "transpose_ins",
        &[LINEAR_LAYOUT, DIM_NAMES],
        "the in dims in another order",
        "transpose_ins(linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>, (lane, register))",
        |v, _| Ok(layout(v, 0)?.transpose_ins(&names(arg(v, 1)?)?)?.into()),
    ),
    linear(
        "transpose_outs",
        &[LINEAR_LAYOUT, DIM_NAMES],
        "the out dims in another order",
        "transpose_outs(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>, (dim1, dim0))",
        |v, _| Ok(layout(v, 0)?.transpose_outs(&names(arg(v, 1)?)?)?.into()),
    ),
    linear(
        "reshape_ins",
        &[LINEAR_LAYOUT, DIM_NAMES, SIZES],
        "all in bits in a row, cut again into dims of these names and sizes",
        "reshape_ins(linear<{offset=[[1],[2],[4]]}, out=[dim0:8]>, (vector, bank), (2,4))",
        |v, _| Ok(layout(v, 0)?.reshape_ins(&dims(v)?)?.into()),
    ),
    linear(
        "reshape_outs",
        &[LINEAR_LAYOUT, DIM_NAMES, SIZES],
        "all out bits in a row, cut again into dims of these names and sizes",
        "reshape_outs(linear<{offset=[[1],[2],[4]]}, out=[dim0:8]>, (dim1, dim0), (2,4))",
        |v, _| Ok(layout(v, 0)?.reshape_outs(&dims(v)?)?.into()),
    ),
    linear(
        "flatten_ins",
        &[LINEAR_LAYOUT],
        "one in dim, named as the first",
        "flatten_ins(linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>)",
        |v, _| Ok(layout(v, 0)?.flatten_ins()?.into()),
    ),
    linear(
        "flatten_outs",
        &[LINEAR_LAYOUT],
        "one out dim, named as the first",
        "flatten_outs(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>)",
        |v, _| Ok(layout(v, 0)?.flatten_outs()?.into()),
    ),
    linear(
        "concat_ins",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the in dims of both, into the same out dims",
        "concat_ins(linear<{register=[[1]]}, out=[dim0:4]>, linear<{lane=[[2]]}, out=[dim0:4]>)",
        |v, _| Ok(layout(v, 0)?.concat_ins(&layout(v, 1)?)?.into()),
    ),
    linear(
        "concat_outs",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the out dims of both, from the same in dims",
        "concat_outs(identity_1d(4, lane, dim0), identity_1d(4, lane, dim1))",
        |v, _| Ok(layout(v, 0)?.concat_outs(&layout(v, 1)?)?.into()),
    ),
    linear(
        "squeeze_ins",
        &[LINEAR_LAYOUT, DIM_NAME],
        "without an in dim of size 1",
        "squeeze_ins(linear<{register=[], lane=[[1]]}, out=[dim0:2]>, register)",
        |v, _| Ok(layout(v, 0)?.squeeze_ins(dim(v, 1)?)?.into()),
    ),
    linear(
        "squeeze_outs",
        &[LINEAR_LAYOUT, DIM_NAME],
        "without an out dim of size 1",
        "squeeze_outs(linear<{lane=[[0,1]]}, out=[dim0:1, dim1:2]>, dim0)",
        |v, _| Ok(layout(v, 0)?.squeeze_outs(dim(v, 1)?)?.into()),
    ),
    linear(
        "resize_in_dim",
        &[LINEAR_LAYOUT, DIM_NAME, SIZE],
        "an in dim cut to a size, or filled up with zero bases",
        "resize_in_dim(identity_1d(4, lane, dim0), lane, 8)",
        |v, _| Ok(layout(v, 0)?.resize_in_dim(dim(v, 1)?, number(v, 2)?)?.into()),
    ),
    linear(
        "resize_out_dim",
        &[LINEAR_LAYOUT, DIM_NAME, SIZE],
        "an out dim cut to a size",
        "resize_out_dim(identity_1d(4, lane, dim0), dim0, 2)",
        |v, _| Ok(layout(v, 0)?.resize_out_dim(dim(v, 1)?, number(v, 2)?)?.into()),
    ),
    linear(
        "rename_in_dim",
        &[LINEAR_LAYOUT, DIM_NAME, NEW_NAME],
        "an in dim under another name",
        "rename_in_dim(identity_1d(4, lane, dim0), lane, warp)",
        |v, _| Ok(layout(v, 0)?.rename_in_dim(dim(v, 1)?, dim(v, 2)?)?.into()),
    ),
    linear(
        "rename_out_dim",
        &[LINEAR_LAYOUT, DIM_NAME, NEW_NAME],
        "an out dim under another name",
        "rename_out_dim(identity_1d(4, lane, dim0), dim0, offset)",
        |v, _| Ok(layout(v, 0)?.rename_out_dim(dim(v, 1)?, dim(v, 2)?)?.into()),
    ),
    linear(
        "sublayout",
        &[LINEAR_LAYOUT, IN_DIMS, OUT_DIMS],
        "some in dims, the others 0, into some out dims",
        "sublayout(linear<{register=[[1,0]], lane=[[0,1]]}, out=[dim0:2, dim1:2]>, lane, dim1)",
        |v, _| Ok(layout(v, 0)?.sublayout(&names(arg(v, 1)?)?, &names(arg(v, 2)?)?)?.into()),
    ),
    linear(
        "sublayout_is_zero",
        &[LINEAR_LAYOUT, IN_DIMS, OUT_DIMS],
        "whether these in dims never move these out dims",
        "sublayout_is_zero(linear<{register=[[1,0]], lane=[[0,1]]}, out=[dim0:2, dim1:2]>, lane, dim0)",
        |v, _| Ok(layout(v, 0)?.sublayout_is_zero(&names(arg(v, 1)?)?, &names(arg(v, 2)?)?)?.into()),
    ),
    linear(
        "square_sublayout_is_identity",
        &[LINEAR_LAYOUT, DIM_NAMES],
        "whether these dims, taken in and out, map by the identity, whatever comes from other dims",
        "square_sublayout_is_identity(linear<{lane=[[1]]}, out=[lane:2]>, lane)",
        |v, _| Ok(layout(v, 0)?.square_sublayout_is_identity(&names(arg(v, 1)?)?)?.into()),
    ),
    linear(
        "is_trivial_over",
        &[LINEAR_LAYOUT, DIM_NAMES],
        "whether these dims map by the identity and have nothing to do with the others",
        "is_trivial_over(linear<{lane=[[1]]}, out=[lane:2]>, lane)",
        |v, _| Ok(layout(v, 0)?.is_trivial_over(&names(arg(v, 1)?)?).into()),
    ),
    linear(
        "quotient",
        &[LINEAR_LAYOUT, DIM_NAMES],
        "without dims it is trivial over",
        "quotient(linear<{register=[[1,0]], lane=[[0,1]]}, out=[register:2, lane:2]>, lane)",
        |v, _| quotient(layout(v, 0)?.quotient(&names(arg(v, 1)?)?), "the layout is trivial over these dims"),
    ),
    linear(
        "free_variable_masks",
        &[LINEAR_LAYOUT],
        "for each in dim, the bits that add nothing new: places that differ in them hold the same data",
        "free_variable_masks(linear<{register=[[1],[0]], lane=[[1]]}, out=[dim0:2]>)",
        |v, _| {
            let masks = layout(v, 0)?.free_variable_masks();
            Ok(masks.iter().map(|(_, mask)| whole(i64::try_from(*mask).unwrap_or(i64::MAX))).collect::<Vec<_>>().into())
        },
    ),
    linear(
        "remove_zero_bases_along_dim",
        &[LINEAR_LAYOUT, DIM_NAME],
        "an in dim without its zero bases",
        "remove_zero_bases_along_dim(linear<{register=[[1],[0],[2]]}, out=[dim0:4]>, register)",
        |v, _| Ok(layout(v, 0)?.remove_zero_bases_along_dim(dim(v, 1)?)?.into()),
    ),
    linear(
        "num_consecutive_in_out",
        &[LINEAR_LAYOUT],
        "how many values of the first in dim are consecutive values of the first out dim",
        "num_consecutive_in_out(linear<{register=[[1],[2],[8]]}, out=[dim0:16]>)",
        |v, _| Ok(whole(layout(v, 0)?.num_consecutive_in_out())),
    ),
    linear(
        "contiguous_elems_along_out_dim",
        &[LINEAR_LAYOUT, DIM_NAME],
        "how many consecutive values of an out dim, from 0 on, all places together reach",
        "contiguous_elems_along_out_dim(linear<{register=[[1],[2]], lane=[[4]]}, out=[dim0:8]>, dim0)",
        |v, _| Ok(whole(layout(v, 0)?.contiguous_elems_along_out_dim(dim(v, 1)?)?)),
    ),
    linear(
        "tensor_reshape",
        &[LINEAR_LAYOUT, TENSOR_SHAPE],
        "the layout of the reshaped tensor, whose last dim is the fastest",
        "tensor_reshape(tensor<4x4xf16, #ttg.blocked<{sizePerThread=[1,2], threadsPerWarp=[4,2], warpsPerCTA=[1,1], order=[1,0]}>>, (16))",
        |v, _| Ok(layout(v, 0)?.tensor_reshape(&numbers(arg(v, 1)?)?)?.into()),
    ),
    linear(
        "tensor_transpose",
        &[LINEAR_LAYOUT, TRANSPOSED_ORDER],
        "the layout of the tensor with its dims in another order",
        "tensor_transpose(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>, (1,0))",
        |v, _| Ok(layout(v, 0)?.tensor_transpose(&positions(arg(v, 1)?)?)?.into()),
    ),
    linear(
        "combine_cta_cga_with_shape",
        &[CTA_LAYOUT, CGA_LAYOUT, TENSOR_SHAPE],
        "the layout of one block, repeated over the blocks of a cluster and fitted to a shape",
        "combine_cta_cga_with_shape(identity_standard_nd(register, (2,4), (1,0)), linear<{block=[[1,0]]}, out=[dim0:2, dim1:1]>, (4,8))",
        |v, _| Ok(triton::combine_cta_cga_with_shape(&layout(v, 0)?, &layout(v, 1)?, &numbers(arg(v, 2)?)?)?.into()),
    ),
    linear(
        "owners",
        &[THREAD_TABLE, ORDER.optional(), OWNED_SHAPE],
        "the threads that hold each element of a tensor, row by row: owners(L, T) for a matrix L of threads of any sizes, \
         owners(S, O, T) for one of shape S numbered in order O; dims are matched from the last",
        "owners((2,3), (1,0), (4,2))",
        |v, _| {
            let matrix = match v {
                [threads, _] => matrix(threads)?,
                _ => Distributed::from_order(&numbers(arg(v, 0)?)?, &numbers(arg(v, 1)?)?)?,
            };
            sets(&matrix.all_owners(&numbers(arg(v, v.len().saturating_sub(1))?)?)?)
        },
    ),
    linear(
        "squeezed_owners",
        &[OWNERS, DIM_NUMBER, OWNED_SHAPE],
        "owners, of a matrix of threads L with a dim squeezed: squeezed_owners(L, dim, T), where T may still have that dim",
        "squeezed_owners(((0,1),(2,3)), 0, (4))",
        |v, _| {
            let (whole, dim, tensor) = (matrix(arg(v, 0)?)?, number(v, 1)?, numbers(arg(v, 2)?)?);
            let squeezed = whole.squeeze(dim)?;
            let kept = tensor.len() == whole.shape().len();
            sets(&if kept { squeezed.expand(dim)? } else { squeezed }.all_owners(&tensor)?)
        },
    ),
    linear(
        "is_surjective",
        &[ANY],
        "whether every element has a place; of a layout of another family, whether every place has an element",
        "is_surjective(linear<{lane=[[1],[1]]}, out=[dim0:2]>)",
        |v, _| match arg(v, 0)? {
            Value::Linear(layout) => Ok(layout.is_surjective().into()),
            other => Ok(super::mapped::held(&other.as_map()?).is_surjective()?.into()),
        },
    ),
    linear(
        "is_injective",
        &[ANY],
        "whether no element has two places; of a layout of another family, whether no place has two elements",
        "is_injective(linear<{lane=[[1],[1]]}, out=[dim0:2]>)",
        |v, notes| match arg(v, 0)? {
            Value::Linear(layout) => Ok(layout.is_injective().into()),
            other => Ok(match super::mapped::held(&other.as_map()?).injectivity()? {
                Injectivity::Yes(by) => {
                    notes.push(by.to_string());
                    true.into()
                }
                Injectivity::No { points: [one, two], place, .. } => {
                    notes.push(format!("{} and {} are both at {}", tuple(&one), tuple(&two), tuple(&place)));
                    false.into()
                }
            }),
        },
    ),
    linear(
        "is_invertible",
        &[ANY],
        "whether every element has exactly one place",
        "is_invertible(linear<{lane=[[1],[3]]}, out=[dim0:4]>)",
        |v, _| Ok(layout(v, 0)?.is_invertible().into()),
    ),
    linear(
        "equal_ignoring_out_sizes",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "the same names, order and bases, whatever the out sizes",
        "equal_ignoring_out_sizes(identity_1d(4, lane, dim0), linear<{lane=[[1],[2]]}, out=[dim0:8]>)",
        |v, _| Ok(layout(v, 0)?.equal_ignoring_out_sizes(&layout(v, 1)?).into()),
    ),
    linear(
        "eq",
        &[LEFT_LINEAR, RIGHT_LINEAR],
        "whether two linear layouts are the same: names, their order, bases and out sizes",
        "eq(identity_1d(4, lane, dim0), linear<{lane=[[1],[2]]}, out=[dim0:4]>)",
        |v, _| Ok((layout(v, 0)? == layout(v, 1)?).into()),
    ),
    linear(
        "apply",
        &[LINEAR_LAYOUT, PLACE_OF_LINEAR],
        "the element at a place: a value for each in dim, in their order",
        "apply(linear<{register=[[0,1]], lane=[[1,1]]}, out=[dim0:2, dim1:2]>, (1,1))",
        |v, _| {
            let layout = layout(v, 0)?;
            let values = numbers(arg(v, 1)?)?;
            if values.len() != layout.ins().len() {
                return Err(error!(
                    Code::RankMismatch,
                    "{values_count} values for {dims} in dims",
                    [values_count = values.len(), dims = layout.ins().len()]
                ));
            }
            let place: Vec<(Name, i64)> = layout.ins().iter().map(|dim| dim.name).zip(values).collect();
            let element: Vec<i64> = layout.apply(&place)?.into_iter().map(|(_, value)| value).collect();
            Ok(tuple(&element))
        },
    ),
    linear(
        "matrix",
        &[LINEAR_LAYOUT],
        "the map as rows of 0 and 1, out bits by in bits",
        "matrix(linear<{lane=[[1,0],[1,1]]}, out=[dim0:2, dim1:2]>)",
        |v, _| {
            let rows = layout(v, 0)?.matrix();
            let row = |row: &Vec<u8>| tuple(&row.iter().map(|bit| i64::from(*bit)).collect::<Vec<_>>());
            Ok(rows.iter().map(row).collect::<Vec<_>>().into())
        },
    ),
    linear(
        "cga",
        &[CTAS_PER_CGA, CTA_SPLIT_NUM.optional(), CTA_ORDER.optional()],
        "the layout of the blocks of a cluster from CTAsPerCGA, CTASplitNum (1 if not said), CTAOrder (last dim first)",
        "cga((2,4), (2,4), (1,0))",
        |v, _| {
            let ctas = numbers(arg(v, 0)?)?;
            let mut split = Split { ctas: Sizes::from_slice(&ctas), ..Split::single(ctas.len()) };
            if v.len() > 1 {
                split.parts = Sizes::from_slice(&numbers(arg(v, 1)?)?);
            }
            if v.len() > 2 {
                split.order = Sizes::from_slice(&numbers(arg(v, 2)?)?);
            }
            Ok(Cga::from_split(&split)?.to_linear(ctas.len())?.into())
        },
    ),
    linear(
        "largest_vectorisation",
        &[LINEAR_LAYOUT, ELEMENT_BITS],
        "how many elements of a given number of bits one access to memory moves, and the register bits in that order",
        "largest_vectorisation(linear<{register=[[2],[1]], lane=[[4]]}, out=[offset:8]>, 16)",
        |v, _| {
            let (elements, action) = layout(v, 0)?.largest_vectorisation(number(v, 1)?, None)?;
            Ok(vec![whole(elements), picks(&action)].into())
        },
    ),
    linear(
        "reg_perm_for_divide",
        &[LINEAR_LAYOUT, LINEAR_TILE],
        "the order of register bits in which a tile divides a layout on the left",
        "reg_perm_for_divide(linear<{register=[[2],[1]], lane=[[4]]}, out=[offset:8]>, identity_1d(2, register, offset))",
        |v, _| {
            let action = layout(v, 0)?.reg_perm_for_divide(&layout(v, 1)?, true);
            let none = || Error::new(Code::NotDivisible, "no order of register bits lets the tile divide the layout");
            action.map(|action| picks(&action)).ok_or_else(none)
        },
    ),
    linear(
        "get_reps",
        &[LINEAR_LAYOUT, LINEAR_TILE],
        "what is left of a layout when a tile is taken out of it, with its bits as zero bases",
        "get_reps(linear<{register=[[1],[2]], lane=[[4]]}, out=[offset:8]>, identity_1d(2, register, offset))",
        |v, _| quotient(layout(v, 0)?.get_reps(&layout(v, 1)?), "the tile divides the layout"),
    ),
    linear(
        "action_remove_broadcasted_regs",
        &[LINEAR_LAYOUT],
        "the register bits that are not duplicates",
        "action_remove_broadcasted_regs(linear<{register=[[1],[0],[2]]}, out=[dim0:4]>)",
        |v, _| Ok(picks(&layout(v, 0)?.action_remove_broadcasted_regs()?)),
    ),
    linear(
        "kernel",
        &[LINEAR_LAYOUT],
        "the places of element 0, as the bases that span them",
        "kernel(linear<{register=[[1],[0]], lane=[[1]]}, out=[dim0:2]>)",
        |v, _| Ok(layout(v, 0)?.kernel()?.into()),
    ),
    linear(
        "image",
        &[LINEAR_LAYOUT],
        "the elements that have a place, as the bases that span them",
        "image(linear<{register=[[3],[3]], lane=[[1]]}, out=[dim0:8]>)",
        |v, _| Ok(layout(v, 0)?.image()?.into()),
    ),
    linear(
        "bruhat",
        &[LINEAR_LAYOUT],
        "an invertible map as three, the last one first: shear . bit permutation . shear",
        "bruhat(linear<{offset=[[3],[1]]}, out=[dim0:4]>)",
        |v, _| {
            let factors = layout(v, 0)?.bruhat()?;
            Ok([factors.outer, factors.permutation, factors.inner].map(Value::from).to_vec().into())
        },
    ),
    linear(
        "describe",
        &[LINEAR_LAYOUT],
        "where each bit goes, in words",
        "describe(linear<{offset=[[0,1],[1,1]]}, out=[dim0:2, dim1:2]>)",
        |v, _| Ok(Value::Text(layout(v, 0)?.describe().join("\n"))),
    ),
    linear(
        "print_linear",
        &[LINEAR_LAYOUT],
        "the text that Triton prints",
        "print_linear(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>)",
        |v, _| Ok(Value::Text(layout(v, 0)?.to_triton_string().trim_start_matches('\n').to_owned())),
    ),
    linear(
        "tensor_view",
        &[LINEAR_LAYOUT],
        "Triton's table of the tensor: who holds each element",
        "tensor_view(tensor<2x2xf16, #ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[2,2], warpsPerCTA=[1,1], order=[1,0]}>>)",
        |v, _| Ok(Value::Text(triton::tensor_view(&layout(v, 0)?)?)),
    ),
    linear(
        "hardware_view",
        &[LINEAR_LAYOUT],
        "Triton's table of the hardware: what each place holds",
        "hardware_view(tensor<2x2xf16, #ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[2,2], warpsPerCTA=[1,1], order=[1,0]}>>)",
        |v, _| Ok(Value::Text(triton::hardware_view(&layout(v, 0)?)?)),
    ),
];

fn layout(values: &[Value], at: usize) -> Result<LinearLayout, Error> {
    arg(values, at)?.as_linear()
}

fn dim(values: &[Value], at: usize) -> Result<Name, Error> {
    arg(values, at)?.as_name()
}

fn positions(value: &Value) -> Result<Vec<usize>, Error> {
    numbers(value)?.into_iter().map(bitstride::cast::index).collect()
}

/// A matrix of thread numbers from nested tuples, row by row.
fn matrix(value: &Value) -> Result<Distributed, Error> {
    fn extents(tuple: &Tuple<Int>, shape: &mut Vec<i64>) {
        if !tuple.is_leaf() {
            let entries = tuple.entries();
            shape.push(bitstride::cast::length(entries.len()));
            if let Some(first) = entries.first() {
                extents(first, shape);
            }
        }
    }
    let rows = value.as_shape()?;
    let mut shape = Vec::new();
    extents(&rows, &mut shape);
    let ragged = || error!(Code::Profile, "{value} is no matrix; all rows have the same length", [value]);
    // A matrix has the profile of its shape: every row nests as the first does.
    let mut level = vec![rows.clone()];
    for extent in &shape {
        let entries: Vec<Tuple<Int>> = level.iter().flat_map(Tuple::entries).collect();
        if level.iter().any(|row| row.is_leaf() || bitstride::cast::length(row.entries().len()) != *extent) {
            return Err(ragged());
        }
        level = entries;
    }
    if level.iter().any(|entry| !entry.is_leaf()) {
        return Err(ragged());
    }
    Distributed::new(&shape, &numbers(value)?)
}

/// Sets of threads as a list of tuples.
fn sets(sets: &[Vec<i64>]) -> Result<Value, Error> {
    Ok(sets.iter().map(|set| tuple(set)).collect::<Vec<_>>().into())
}

/// The old bits that an action picks.
fn picks(action: &ColumnAction) -> Value {
    tuple(&action.picks().iter().map(|bit| i64::from(*bit)).collect::<Vec<_>>())
}

/// One name, or the names of a tuple.
pub(super) fn names(value: &Value) -> Result<Vec<Name>, Error> {
    match value {
        Value::List(values) => values.iter().map(Value::as_name).collect(),
        Value::Tuple(tuple) if tuple == &Tuple::of(&[]) => Ok(Vec::new()),
        value => Ok(vec![value.as_name()?]),
    }
}

/// The dims of a reshape: names and sizes.
fn dims(values: &[Value]) -> Result<Vec<(Name, i64)>, Error> {
    let (names, sizes) = (names(arg(values, 1)?)?, numbers(arg(values, 2)?)?);
    if names.len() != sizes.len() {
        return Err(error!(
            Code::RankMismatch,
            "{names_count} names for {sizes_count} sizes",
            [names_count = names.len(), sizes_count = sizes.len()]
        ));
    }
    Ok(names.into_iter().zip(sizes).collect())
}

/// A layout that may not exist.
fn quotient(layout: Option<LinearLayout>, law: &str) -> Result<Value, Error> {
    layout.map(Value::from).ok_or_else(|| error!(Code::NotDivisible, "no layout satisfies: {law}", [law]))
}
