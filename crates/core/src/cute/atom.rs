//! [`MmaAtom`]: what each thread of a matrix instruction holds of A, B and C, by CuTe's name of the instruction.
//!
//! The layouts lead from (thread, value) to elements of A (M,K), B (N,K) and C (M,N), column-major. Those of NVIDIA are made in
//! `nvidia_atom.rs`, those of AMD in `amd_atom.rs`.
//!
//! Law: the layouts are those of CUTLASS 4.7 to the letter, for every instruction that was recorded.

use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::Error;
use crate::int::Integer;

/// A matrix instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MmaAtom {
    /// Its extents M, N and K.
    pub shape: [i64; 3],
    /// The bits of an element of A, B and C as they are stored.
    pub bits: [i64; 3],
    /// The threads that take part.
    pub threads: Layout,
    /// A: (thread, value) to (M,K).
    pub a: Layout,
    /// B: (thread, value) to (N,K).
    pub b: Layout,
    /// C: (thread, value) to (M,N).
    pub c: Layout,
    /// What is left of a sparse A: (thread, value) to (M,K), for instructions of a warp group.
    pub metadata: Option<Layout>,
    /// The scales of A and B, for instructions of a warp that have them.
    pub scales: Option<[Layout; 2]>,
}

/// Bits of the types in the names of instructions.
const TYPES: [(&str, i64); 19] = [
    ("GC64", 192),
    ("C64", 128),
    ("TF32", 32),
    ("BF16", 16),
    ("F16", 16),
    ("F32", 32),
    ("F64", 64),
    ("E4M3", 8),
    ("E5M2", 8),
    ("E2M3", 8),
    ("E3M2", 8),
    ("E2M1", 8),
    ("S32", 32),
    ("S16", 16),
    ("S8", 8),
    ("U8", 8),
    ("S4", 4),
    ("U4", 4),
    ("U1", 1),
];

impl MmaAtom {
    /// Whether an operand, one of this instruction's layouts, lies in shared or tensor memory: all threads have the whole of it,
    /// or the instruction is one of CTAs, which `tcgen05` counts as threads.
    ///
    /// ```
    /// use bitstride::cute::MmaAtom;
    /// let atom = MmaAtom::named("SM90_64x128x16_F32F16F16_RS")?;
    /// assert!(!atom.is_in_memory(&atom.a) && atom.is_in_memory(&atom.b) && !atom.is_in_memory(&atom.c));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_in_memory(&self, operand: &Layout) -> bool {
        let [m, ..] = self.shape;
        let of_ctas = m >= 64 && self.threads.extents().iter().all(|extent| extent.value() <= Some(2));
        let shared = operand.get(&[0]).is_ok_and(|threads| {
            threads.extents().iter().any(|extent| !extent.is(1)) && threads.strides().iter().all(StrideLeaf::is_zero)
        });
        of_ctas || shared
    }
}

/// `F32F16F16F32` as the bits of each type.
pub(super) fn types(part: &str) -> Option<Vec<i64>> {
    let (mut rest, mut bits) = (part, Vec::new());
    while !rest.is_empty() {
        let (known, of_known) = TYPES.iter().find(|(known, _)| rest.starts_with(known))?;
        rest = rest.get(known.len()..)?;
        bits.push(*of_known);
    }
    Some(bits)
}

/// A layout from a text that is made here.
pub(super) fn layout(text: &str) -> Result<Layout, Error> {
    text.parse()
}

/// Modes of values, `extent:stride`, those of one element left out; one element alone is `1:0`. A mode alone is a tuple of one where
/// it is nested.
pub(super) fn values(modes: &[(i64, i64)], is_nested: bool) -> (String, String) {
    let kept: Vec<&(i64, i64)> = modes.iter().filter(|(extent, _)| *extent > 1).collect();
    let list = |numbers: Vec<String>| match numbers.as_slice() {
        [only] if !is_nested => only.clone(),
        _ => format!("({})", numbers.join(",")),
    };
    if kept.is_empty() {
        return ("1".to_owned(), "0".to_owned());
    }
    (
        list(kept.iter().map(|(extent, _)| extent.to_string()).collect()),
        list(kept.iter().map(|(_, stride)| stride.to_string()).collect()),
    )
}
