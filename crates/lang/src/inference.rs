//! The encoding of a result from that of an operand, as Triton infers it, and the registers of a load from tensor memory.
//!
//! Law: a place holds the element that it held before, under its new coordinates. Backward, from the result to the operand,
//! a transpose or reshape is its own inverse, `infer_split` undoes `infer_join`, `infer_fp_to_fp4` `infer_fp4_to_fp`, and `infer_expand_dims` undoes `infer_reduce`.

use super::numbers::{number, numbers};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    BITS_OF_ELEMENT, BLOCK_IN_MEMORY, BUFFERS_SHAPE, CUT_SHAPE, DIM_OF_RESULT, DIM_REDUCED, ENCODING, INDICES_SHAPE,
    NEW_SHAPE, OPERAND_ENCODING, OPERAND_SHAPE, SOURCE_SHAPE, START, TENSOR_SHAPE, TRANSPOSED_ORDER, VARIANT, WANTED,
    WARPS,
};
use super::value::Value;
use bitstride::triton::{Encoding, TensorMemoryLoad};
use bitstride::{Code, Error, error};

constructor!(inference, Linear);

pub(super) const INFERENCE: &[Operation] = &[
    inference(
        "infer_trans",
        &[ENCODING, TENSOR_SHAPE, TRANSPOSED_ORDER],
        "the encoding of a transposed tensor, in registers or in memory; backward with the inverse order",
        "infer_trans(#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>, (16,64), (1,0))",
        |v, _| {
            let order: Result<Vec<usize>, Error> =
                numbers(arg(v, 2)?)?.into_iter().map(bitstride::cast::index).collect();
            Ok(encoding(v, 0)?.infer_trans(&shape(v, 1)?, &order?)?.into())
        },
    ),
    inference(
        "infer_reshape",
        &[ENCODING, TENSOR_SHAPE, NEW_SHAPE, WANTED.optional()],
        "the encoding of a reshaped tensor in registers; with a wanted one, that of a reshape that may reorder; backward with the shapes exchanged",
        "infer_reshape(#ttg.blocked<{sizePerThread=[4,4], threadsPerWarp=[32,1], warpsPerCTA=[1,1], order=[1,0]}>, (32,4), (128))",
        |v, _| {
            let (own, from, to) = (encoding(v, 0)?, shape(v, 1)?, shape(v, 2)?);
            let inferred = match v.get(3) {
                Some(wanted) => own.infer_reordered_reshape(&from, &to, &wanted.as_encoding()?),
                None => own.infer_reshape(&from, &to),
            };
            Ok(inferred?.into())
        },
    ),
    inference(
        "infer_join",
        &[ENCODING, TENSOR_SHAPE],
        "the encoding of two tensors joined in a new last dim of extent 2; backward, of a split, the same",
        "infer_join(#ttg.blocked<{sizePerThread=[4], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>, (128))",
        |v, _| Ok(encoding(v, 0)?.infer_join(&shape(v, 1)?)?.into()),
    ),
    inference(
        "infer_split",
        &[ENCODING, TENSOR_SHAPE],
        "the encoding of the halves of a tensor whose last dim has extent 2; backward, of a join, the same",
        "infer_split(#ttg.blocked<{sizePerThread=[4,2], threadsPerWarp=[32,1], warpsPerCTA=[1,1], order=[1,0]}>, (128,2))",
        |v, _| Ok(encoding(v, 0)?.infer_split(&shape(v, 1)?)?.into()),
    ),
    inference(
        "infer_fp4_to_fp",
        &[ENCODING, TENSOR_SHAPE, DIM_REDUCED],
        "the encoding of the floats of a tensor of bytes, two along a dim for each byte; backward, infer_fp_to_fp4",
        "infer_fp4_to_fp(#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>, (16,32), 1)",
        |v, _| Ok(encoding(v, 0)?.infer_fp4_to_fp(&shape(v, 1)?, number(v, 2)?)?.into()),
    ),
    inference(
        "infer_fp_to_fp4",
        &[ENCODING, TENSOR_SHAPE, DIM_REDUCED],
        "the encoding of the bytes that hold a tensor of floats, two along a dim in each; backward, infer_fp4_to_fp",
        "infer_fp_to_fp4(#ttg.blocked<{sizePerThread=[1,8], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>, (16,64), 1)",
        |v, _| Ok(encoding(v, 0)?.infer_fp_to_fp4(&shape(v, 1)?, number(v, 2)?)?.into()),
    ),
    inference(
        "infer_expand_dims",
        &[ENCODING, DIM_OF_RESULT],
        "the encoding of a tensor with a new dim of extent 1: the parent of a slice along it; backward, of a reduce, the same",
        "infer_expand_dims(#ttg.slice<{dim=1, parent=#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>}>, 1)",
        |v, _| Ok(encoding(v, 0)?.infer_expand_dims(number(v, 1)?)?.into()),
    ),
    inference(
        "infer_reduce",
        &[ENCODING, DIM_REDUCED],
        "the encoding of a tensor reduced along a dim: the slice along it; backward, of expand_dims, the same",
        "infer_reduce(#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>, 1)",
        |v, _| Ok(encoding(v, 0)?.infer_reduce(number(v, 1)?)?.into()),
    ),
    inference(
        "infer_broadcast",
        &[ENCODING, TENSOR_SHAPE, NEW_SHAPE],
        "the encoding of a tensor whose dims of extent 1 are repeated: the same, forward and backward",
        "infer_broadcast(#ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[1,32], warpsPerCTA=[4,1], order=[1,0]}>, (1,64), (32,64))",
        |v, _| Ok(encoding(v, 0)?.infer_broadcast(&shape(v, 1)?, &shape(v, 2)?)?.into()),
    ),
    inference(
        "infer_gather",
        &[ENCODING, INDICES_SHAPE, SOURCE_SHAPE, DIM_REDUCED],
        "the encoding of elements picked along a dim: that of their indices, forward and backward",
        "infer_gather(#ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[1,32], warpsPerCTA=[4,1], order=[1,0]}>, (8,64), (16,64), 0)",
        |v, _| Ok(encoding(v, 0)?.infer_gather(&shape(v, 1)?, &shape(v, 2)?, number(v, 3)?)?.into()),
    ),
    inference(
        "is_legal_cat",
        &[ENCODING, TENSOR_SHAPE, OPERAND_ENCODING, OPERAND_SHAPE],
        "whether a tensor can be two others one after the other: a thread has twice as many registers that are no copies",
        "is_legal_cat(#ttg.blocked<{sizePerThread=[2], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>, (64), #ttg.blocked<{sizePerThread=[1], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>, (32))",
        |v, _| Ok(encoding(v, 0)?.is_legal_cat(&shape(v, 1)?, &encoding(v, 2)?, &shape(v, 3)?)?.into()),
    ),
    inference(
        "infer_memdesc_reshape",
        &[ENCODING, TENSOR_SHAPE, NEW_SHAPE],
        "the encoding of a reshaped tensor in shared memory; backward with the shapes exchanged",
        "infer_memdesc_reshape(#ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, elementBitWidth=16, rank=3}>, (2,64,64), (128,64))",
        |v, _| Ok(encoding(v, 0)?.infer_memdesc_reshape(&shape(v, 1)?, &shape(v, 2)?)?.into()),
    ),
    inference(
        "infer_memdesc_index",
        &[ENCODING, BUFFERS_SHAPE],
        "the encoding of one buffer of several: the same",
        "infer_memdesc_index(#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>, (3,64,64))",
        |v, _| Ok(encoding(v, 0)?.infer_memdesc_index(&shape(v, 1)?)?.into()),
    ),
    inference(
        "infer_memdesc_subslice",
        &[ENCODING, TENSOR_SHAPE, START, CUT_SHAPE],
        "the encoding of a part of a tensor in shared memory: the same, where the cut does not go through its pattern",
        "infer_memdesc_subslice(#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>, (64,64), (16,0), (16,64))",
        |v, _| Ok(encoding(v, 0)?.infer_memdesc_subslice(&shape(v, 1)?, &shape(v, 2)?, &shape(v, 3)?)?.into()),
    ),
    inference(
        "tmem_load",
        &[VARIANT, BLOCK_IN_MEMORY, WARPS, BITS_OF_ELEMENT],
        "the registers that a load from tensor memory fills with one block",
        "tmem_load((32,32), (128,64), 4, 32)",
        |v, _| {
            let name = match shape(v, 0)?.as_slice() {
                [lanes, bits] => format!("{lanes}x{bits}b"),
                other => {
                    return Err(error!(
                        Code::RankMismatch,
                        "{other_count} numbers for lanes and bits",
                        [other_count = other.len()]
                    ));
                }
            };
            let load = TensorMemoryLoad::named(&name)?;
            let registers = load.registers(&shape(v, 1)?, number(v, 2)?, number(v, 3)?)?;
            let narrow = || error!(Code::NoLayout, "the block is narrower than {name} moves at once", [name]);
            registers.map(Value::from).ok_or_else(narrow)
        },
    ),
];

fn encoding(values: &[Value], at: usize) -> Result<Encoding, Error> {
    arg(values, at)?.as_encoding()
}

fn shape(values: &[Value], at: usize) -> Result<Vec<i64>, Error> {
    numbers(arg(values, at)?)
}
