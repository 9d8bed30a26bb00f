//! The padded layout that Triton chooses for an operand of AMD's matrix instructions (CDNA4) copied straight to shared
//! memory.
//!
//! Such a copy writes what a warp loads, 16 bytes a lane, without a gap, so padding can only stand between the 1024-byte
//! pieces of two warps. Rows are therefore dealt out: row 0 is followed by row `wrap`, `2 * wrap`, …, until a piece is
//! full; the next piece, moved by the padding, begins with row 1. Law: rows that a matrix instruction reads together
//! start in different banks, or there is no choice.

use super::sizes::{log, same_rank};
use super::{PaddedShared, Sizes};
use crate::error::{Code, Error};

/// Lanes of a warp, as bits.
const LANES: u32 = 6;
/// Bytes that a lane copies, as bits.
const VECTOR: u32 = 4;
/// Bytes of a bank, as bits.
const BANK: u32 = 2;
/// The rows that are dealt out where there are enough of them, as bits.
const BEST_WRAP: u32 = 4;

/// An operand that is copied to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopiedOperand {
    /// 0 is A, 1 is B.
    pub operand: i64,
    /// The elements along K of one lane.
    pub k_width: i64,
    /// The rows of the instruction for A, its columns for B.
    pub across: i64,
    /// Whether K is the contiguous dim in memory.
    pub k_contiguous: bool,
    /// The bits of an element.
    pub element_bits: i64,
}

impl CopiedOperand {
    /// The padded layout for a shape; none where Triton has no such choice: other instructions and elements, and blocks
    /// with too few rows to keep them apart.
    ///
    /// # Errors
    /// [`Code::Parameter`], [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
    ///
    /// ```
    /// use bitstride::triton::CopiedOperand;
    /// let copied = CopiedOperand { operand: 0, k_width: 8, across: 16, k_contiguous: true, element_bits: 16 };
    /// assert_eq!(copied.padding(&[32, 64])?.map(|padded| padded.paddings), Some(vec![(512, 16)]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn padding(&self, shape: &[i64]) -> Result<Option<PaddedShared>, Error> {
        same_rank(2, shape)?;
        let k = match self.operand {
            0 => 1,
            1 => 0,
            _ => {
                return Err(error!(Code::Parameter, "opIdx is {operand}; 0 is A and 1 is B", [operand = self.operand]));
            }
        };
        let contiguous = if self.k_contiguous { k } else { 1 - k };
        let size = |dim: usize| log("a size of the shape", shape.get(dim).copied().unwrap_or(0));
        let (row, rows) = (size(contiguous)?, size(1 - contiguous)?);
        let bytes = match self.element_bits {
            8 => 0,
            16 => 1,
            _ => return Ok(None),
        };
        if !matches!(self.across, 16 | 32) || !matches!(self.k_width, 4 | 8 | 16) {
            return Ok(None);
        }
        let width = log("kWidth", self.k_width)?;
        let read = Read::of(self.k_contiguous, width + bytes);
        let padding = match (read, self.across) {
            (Read::Wide, 16) => width + 1,
            (Read::Wide, _) => width,
            (Read::Transposed, 16) => 4,
            (Read::Transposed, _) => 5,
            (Read::Other, _) => 3 - bytes,
        };
        let Some(lanes) = row.checked_sub(VECTOR - bytes) else { return Ok(None) };
        let Some(mut wrap) = row.min(read.banks() + BANK - bytes).checked_sub(padding) else { return Ok(None) };
        // How many rows a warp copies, and how many there have to be. A row longer than a warp needs no others.
        let copied = LANES.checked_sub(lanes);
        let missing = copied.map_or(0, |copied| (copied + wrap).saturating_sub(rows));
        let tolerated = if read == Read::Wide { 0 } else { 1 };
        if missing > tolerated || missing > wrap {
            return Ok(None);
        }
        wrap -= missing;
        let best = rows >= copied.map_or(0, |copied| copied + BEST_WRAP) && BEST_WRAP > wrap;
        if best {
            wrap = BEST_WRAP;
        }
        let interval = LANES + VECTOR - bytes;
        let mut offset = dealt(row, rows, wrap, interval);
        if read == Read::Transposed && self.across == 16 && width + bytes == 4 {
            // A lane reads 16 bytes as two halves of 8: the rows of both halves change places.
            let place = |bits: u32| offset.iter().position(|bit| *bit == Dealt::Row(bits));
            if let (Some(a), Some(b)) = (place(4 - bytes), place(3 - bytes)) {
                offset.swap(a, b);
            }
        }
        if read == Read::Wide && self.across == 32 && best && size(k)? + bytes < 8 {
            // Every sixteenth row starts in the same banks, or in the other half of them.
            let at = if width + bytes == 4 { 8 } else { 7 };
            let (at, sixteenth) = (usize::try_from(at).unwrap_or(0), usize::try_from(row).unwrap_or(0));
            if at.max(sixteenth) < offset.len() {
                offset.swap(at, sixteenth);
            }
        }
        let basis = |bit: &Dealt| {
            let (dim, bit) = match bit {
                Dealt::Within(bit) => (contiguous, *bit),
                Dealt::Row(bit) => (1 - contiguous, *bit),
            };
            (0..2).map(|at| if at == dim { 1i64 << bit } else { 0 }).collect::<Sizes>()
        };
        let offset = offset.iter().map(basis).collect();
        Ok(Some(PaddedShared { paddings: vec![(1 << interval, 1 << padding)], offset, block: Vec::new(), rank: 2 }))
    }
}

/// The instruction that reads the operand from shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// 16 contiguous bytes a lane.
    Wide,
    /// 8 bytes a lane, transposed on the way.
    Transposed,
    Other,
}

impl Read {
    fn of(k_contiguous: bool, width_bytes: u32) -> Read {
        match (k_contiguous, width_bytes) {
            (true, 4) => Read::Wide,
            (false, 3..) => Read::Transposed,
            _ => Read::Other,
        }
    }

    /// The banks that one access reads, as bits.
    fn banks(self) -> u32 {
        if self == Read::Other { 5 } else { 6 }
    }
}

/// What a bit of the offset moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dealt {
    Within(u32),
    Row(u32),
}

/// A row whole, then every `wrap`-th row up to the interval, then the rows in between, then the rest.
fn dealt(row: u32, rows: u32, wrap: u32, interval: u32) -> Vec<Dealt> {
    let mut bits: Vec<Dealt> = (0..row).map(Dealt::Within).collect();
    let full = wrap + interval.saturating_sub(row);
    bits.extend((wrap..full).map(Dealt::Row));
    bits.extend((0..wrap).map(Dealt::Row));
    bits.extend((full..rows).map(Dealt::Row));
    bits
}
