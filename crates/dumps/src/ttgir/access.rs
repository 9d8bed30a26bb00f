//! How a tensor in registers is read from memory or written to it: the widest vector of one access, and the passes over the banks.

use bitstride::linear::Name;
use bitstride::memory::{Accesses, Cost, LinearAccess, SharedMemory, Transfer};
use bitstride::{Code, Error, error};

use super::facts::{Facts, Memory, Registers};

/// The widest access of a thread, in bits.
const WIDEST: i64 = 128;

/// What one access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Elements of one access.
    pub elements: i64,
    /// The bits of one access.
    pub bits: i64,
    /// How many accesses a thread makes for all its elements.
    pub accesses: i64,
}

impl Vector {
    /// The widest vector with which a tensor in registers and a tensor in shared memory are moved, as Triton chooses it for
    /// ordinary loads and stores: registers that hold copies are left out, and the others may be reordered.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for tensors of different ranks, [`Code::Kind`] for tensor memory; as
    /// [`LinearLayout::invert_and_compose`](bitstride::linear::LinearLayout::invert_and_compose).
    pub fn between(registers: &Registers, memory: &Memory, element_bits: i64) -> Result<Vector, Error> {
        if memory.is_tensor_memory {
            return Err(Error::new(Code::Kind, "tensor memory is read by rows and columns, not by offsets"));
        }
        let (here, there) = (registers.layout.outs().len(), memory.buffer.outs().len());
        if here != there {
            return Err(error!(
                Code::RankMismatch,
                "a tensor of rank {here}, and a buffer of rank {there}",
                [here, there]
            ));
        }
        let to_offset = registers.layout.invert_and_compose(&memory.buffer)?;
        let once = to_offset.action_remove_broadcasted_regs()?.apply(&to_offset)?;
        let all = once.in_dim(Name::REGISTER).map_or(1, |(dim, _)| dim.size());
        let most = memory.interval.map(|interval| interval.clamp(1, (WIDEST / element_bits.max(1)).max(1)));
        let (elements, _) = once.largest_vectorisation(element_bits, most)?;
        Ok(Vector { elements, bits: elements.saturating_mul(element_bits), accesses: all / elements.max(1) })
    }
}

/// The passes of all warps of a block over the banks, by ordinary loads or stores as wide as all lanes can; none where the model of
/// memory has no answer. Law: it is what `wavefronts` answers to both types.
pub(super) fn cost(machine: &SharedMemory, tensor: &Facts, memory: &Facts, transfer: Transfer) -> Option<Cost> {
    if memory.memory().is_none_or(|memory| memory.is_tensor_memory) {
        return None;
    }
    let bits = memory.element_bits?;
    let (places, threads) = (memory.value.as_map().ok()?, tensor.value.as_map().ok()?);
    let linear = LinearAccess::of(machine, &places, &threads, bits, transfer).ok()?;
    linear.and_then(|access| access.cost(machine, |offset| offset)).or_else(|| {
        let accesses = Accesses::by(machine, &places, &threads, bits, transfer).ok()?;
        Some(Cost::of(&accesses, &accesses.passes(machine).ok()?))
    })
}
