//! The registers that a load from tensor memory fills, for each variant of the instruction.
//!
//! A variant such as `16x64b` moves a box of lanes by bits: its row of 32-bit words goes over lanes, or registers, as the
//! instruction says; an element narrower than a word goes over registers first. Law: the layout covers the block, and the
//! rows of a warp are those of tensor memory that the warp can reach, 32 of them.

use super::Cga;
use super::fit::Fit;
use super::sizes::{log, same_rank};
use super::tile::{Place, Tile};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;

/// A variant of the load: how many lanes, and how many bits each row moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TensorMemoryLoad {
    /// `32x32b`: a row for each lane.
    Rows32,
    /// `16x64b`: two words a row.
    Words2,
    /// `16x128b`: four words a row.
    Words4,
    /// `16x256b`: eight words a row.
    Words8,
    /// `16x32bx2`: two rows a lane; inferred by the compiler only.
    Pairs,
}

impl TensorMemoryLoad {
    /// The variant of a name.
    ///
    /// # Errors
    /// [`Code::Parameter`] for any other name.
    pub fn named(name: &str) -> Result<Self, Error> {
        match name {
            "32x32b" => Ok(TensorMemoryLoad::Rows32),
            "16x64b" => Ok(TensorMemoryLoad::Words2),
            "16x128b" => Ok(TensorMemoryLoad::Words4),
            "16x256b" => Ok(TensorMemoryLoad::Words8),
            "16x32bx2" => Ok(TensorMemoryLoad::Pairs),
            _ => {
                let start: String = name.chars().take(16).collect();
                Err(error!(Code::Parameter, "there is no load {start:?}", [start])
                    .with_help("32x32b, 16x64b, 16x128b, 16x256b"))
            }
        }
    }

    /// The layout of the registers for one block of 64 or 128 rows in tensor memory, loaded by 4 or 8 warps; none where
    /// the block is narrower than the variant moves at once.
    ///
    /// # Errors
    /// [`Code::TmemAtom`] for a variant that cannot be requested; [`Code::Parameter`], [`Code::RankMismatch`],
    /// [`Code::SizeNotPowerOfTwo`].
    ///
    /// ```
    /// use bitstride::triton::TensorMemoryLoad;
    /// let layout = TensorMemoryLoad::Words8.registers(&[128, 8], 8, 16)?;
    /// assert_eq!(layout, None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn registers(&self, shape: &[i64], warps: i64, element_bits: i64) -> Result<Option<LinearLayout>, Error> {
        same_rank(2, shape)?;
        let (m, n) = (0, 1);
        let rows = log("the rows of a block", shape.first().copied().unwrap_or(0))?;
        let columns = log("the columns of a block", shape.get(1).copied().unwrap_or(0))?;
        let warps = log("the number of warps", warps)?;
        if !(6..=7).contains(&rows) || !(2..=3).contains(&warps) {
            return Err(error!(
                Code::Parameter,
                "{rows} rows and {warps} warps; a block has 64 or 128 rows, and 4 or 8 warps load it",
                [rows = 1u64 << rows, warps = 1u64 << warps]
            ));
        }
        let packed = match element_bits {
            8 | 16 | 32 => 5 - log("the bits of an element", element_bits)?,
            _ => {
                return Err(error!(
                    Code::Parameter,
                    "elements of {element_bits} bits; 8, 16 and 32 exist",
                    [element_bits]
                ));
            }
        };
        // The bits of the columns that the instruction itself moves, in words.
        let (register_words, lane_words) = match self {
            TensorMemoryLoad::Rows32 => (0, 0),
            TensorMemoryLoad::Words2 => (0, 1),
            TensorMemoryLoad::Words4 => (0, 2),
            TensorMemoryLoad::Words8 => (1, 2),
            TensorMemoryLoad::Pairs => {
                return Err(Error::new(Code::TmemAtom, "16x32bx2 cannot be requested; the compiler infers it"));
            }
        };
        let mut trace = ();
        let mut tile = Tile::new(2, &mut trace);
        let rows32 = *self == TensorMemoryLoad::Rows32;
        if rows32 {
            tile.grow(Place::Lane, m, rows - 2);
        } else {
            let words = packed + register_words + lane_words;
            if words > columns {
                return Ok(None);
            }
            tile.grow(Place::Register, n, packed + register_words);
            if lane_words == 1 {
                tile.put(Place::Lane, m, 3);
            }
            tile.grow(Place::Lane, n, lane_words);
            (0..3).for_each(|bit| tile.put(Place::Lane, m, bit));
            if lane_words > 1 {
                tile.put(Place::Register, m, 3);
            }
        }
        // Four warps reach the rows by quarters; with eight, the other four take what is left of the rows, or else the
        // upper half of the columns.
        let quarter = rows - 2;
        (quarter..rows).for_each(|bit| tile.put(Place::Warp, m, bit));
        let start = tile.reach(n);
        let mut top = columns;
        let spare_row = !rows32 && rows == 7;
        if warps == 3 {
            if spare_row {
                tile.put(Place::Warp, m, 4);
            } else if top > start {
                top -= 1;
                tile.put(Place::Warp, n, top);
            } else {
                tile.zeros(Place::Warp, 1);
            }
        }
        if rows32 && rows == 6 {
            match top.checked_sub(1) {
                Some(bit) => tile.put(Place::Lane, n, bit),
                None => tile.zeros(Place::Lane, 1),
            }
            top = top.saturating_sub(1);
        }
        (start..top).for_each(|bit| tile.put(Place::Register, n, bit));
        if spare_row && warps == 2 {
            tile.put(Place::Register, m, 4);
        }
        tile.fit(shape, &[n, m], &Cga::default(), Fit::Keep).map(Some)
    }
}
