//! The smallest tiles of shared memory that matrix instructions read under a swizzle, CuTe's `GMMA::Layout_K_SW128_Atom` and its like.
//!
//! A row of 128, 64, 32 or (without a swizzle) 16 bytes lies along the major dim, and eight of them along the other; the swizzle
//! exchanges their pieces of 16 bytes. Law: the layout is that of CUTLASS (`include/cute/atom/mma_traits_sm90_gmma.hpp`).

use super::byte_swizzle::ByteSwizzle;
use super::composed::Function;
use super::layout::Layout;
use super::swizzle::Swizzle;
use crate::basis::Stride;
use crate::error::{Code, Error};
use crate::int::Int;
use crate::refusal::OneOf;
use crate::tuple::Tuple;

/// Rows that a swizzle goes over.
const ROWS: i64 = 8;
/// The bytes that a swizzle moves at once, of which a row without one consists.
const PIECE_BYTES: i64 = 16;

/// The tile (mn,k) whose elements have this number of bits, and whose rows of `span` bytes lie along K, or along M and N. A span of 0
/// is CuTe's `INTER`: rows of 16 bytes that no swizzle moves, which is the tile itself.
///
/// # Errors
/// [`Code::Range`] unless the span is 0, 32, 64 or 128 bytes and 16 bytes are a whole number of elements.
///
/// ```
/// use bitstride::cute::smem_atom;
/// assert_eq!(smem_atom(true, 128, 16)?.to_string(), "Sw<3,4,3> o bytes[16] o (8,64):(64,1)");
/// assert_eq!(smem_atom(false, 32, 16)?.to_string(), "Sw<1,4,3> o bytes[16] o (16,8):(1,16)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn smem_atom(k_major: bool, span: i64, bits: i64) -> Result<Function, Error> {
    let exchanged = match span {
        0 => 0,
        32 => 1,
        64 => 2,
        128 => 3,
        other => {
            return Err(error!(
                Code::Range,
                "a swizzle spans {spans} bytes, not {other}",
                [spans = OneOf(&[0, 32, 64, 128]), other]
            ));
        }
    };
    let row_bytes = if span == 0 { PIECE_BYTES } else { span };
    let tile = tile(k_major, row_bytes, bits)?;
    // Bytes that stay where they are: the tile itself, as the text of a swizzle of none is read.
    if exchanged == 0 {
        return Ok(Function::Layout(tile));
    }
    Function::Bytes(ByteSwizzle::new(Swizzle::new(exchanged, 4, 3)?, bits)?).after(&Function::Layout(tile))
}

/// The tile (mn,k) of eight rows of 128 bytes along M and N whose pieces of 32 bytes the swizzle exchanges, in which `tcgen05` takes
/// elements of 32 bits: CuTe DSL's `MN_SW128_32B`, of which the atom of C++ is the first half.
pub(crate) fn smem_atom_of_32_bytes(bits: i64) -> Result<Function, Error> {
    let swizzle = ByteSwizzle::new(Swizzle::new(2, 5, 2)?, bits)?;
    Function::Bytes(swizzle).after(&Function::Layout(tile(false, 8 * PIECE_BYTES, bits)?))
}

/// Eight rows of a number of bytes, which lie along K, or along M and N.
fn tile(k_major: bool, row_bytes: i64, bits: i64) -> Result<Layout, Error> {
    let length = match (8 * PIECE_BYTES).checked_rem(bits) {
        Some(0) if bits > 0 => 8 * row_bytes / bits,
        _ => {
            return Err(error!(
                Code::Range,
                "{piece} bytes are no whole number of elements of {bits} bits",
                [piece = PIECE_BYTES, bits]
            ));
        }
    };
    let numbers = |numbers: [i64; 2]| numbers.map(Int::from);
    let (shape, stride) = if k_major { ([ROWS, length], [length, 1]) } else { ([length, ROWS], [1, length]) };
    Layout::new(Tuple::flat(&numbers(shape)), Tuple::flat(&numbers(stride).map(Stride::Int)))
}
