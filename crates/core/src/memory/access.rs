//! [`Access`]: one instruction of one warp that reads or writes memory.

use std::collections::BTreeSet;
use std::fmt;

use crate::error::{Code, Error};
use crate::refusal::OneOf;

/// What an instruction does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transfer {
    /// Each lane reads its bytes.
    Load,
    /// Each lane writes its bytes.
    Store,
    /// `ldmatrix`: each lane gives the address of a row of 16 bytes, 8 rows a matrix.
    LoadMatrix,
    /// `stmatrix`, likewise.
    StoreMatrix,
}

impl Transfer {
    /// The transfer that a word names: `ld`, `st`, `ldmatrix` or `stmatrix`.
    pub fn of_word(word: &str) -> Option<Self> {
        [Transfer::Load, Transfer::Store, Transfer::LoadMatrix, Transfer::StoreMatrix]
            .into_iter()
            .find(|transfer| transfer.word() == word)
    }

    /// Its word, as PTX writes it.
    pub fn word(self) -> &'static str {
        match self {
            Transfer::Load => "ld",
            Transfer::Store => "st",
            Transfer::LoadMatrix => "ldmatrix",
            Transfer::StoreMatrix => "stmatrix",
        }
    }

    /// Whether lanes give the rows of matrices of 8 rows of 16 bytes.
    pub fn is_matrix(self) -> bool {
        matches!(self, Transfer::LoadMatrix | Transfer::StoreMatrix)
    }
}

impl fmt::Display for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The bytes of a row of a matrix of `ldmatrix`, and the most that a lane transfers at once.
pub(super) const ROW_BYTES: i64 = 16;
/// The bytes that global memory moves at least.
const SECTOR_BYTES: i64 = 32;

/// One instruction of one warp: how many bytes each lane transfers, and from where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access<'a> {
    transfer: Transfer,
    bytes: i64,
    addresses: &'a [Option<i64>],
}

impl<'a> Access<'a> {
    /// The access of these lanes, each with its byte address; `None` for a lane that takes no part.
    ///
    /// # Errors
    /// [`Code::Range`] unless a lane transfers 1, 2, 4, 8 or 16 bytes (16 for matrices) from an address that is a multiple of
    /// that, and there are at most 64 lanes; for matrices unless there are 8, 16 or 32 rows and all take part.
    pub fn new(transfer: Transfer, bytes: i64, addresses: &'a [Option<i64>]) -> Result<Self, Error> {
        if transfer.is_matrix() {
            if bytes != ROW_BYTES || !matches!(addresses.len(), 8 | 16 | 32) || addresses.contains(&None) {
                return Err(error!(
                    Code::Range,
                    "{transfer} takes {counts} rows of {row_bytes} bytes, one a lane; here are {rows} of {bytes}",
                    [
                        transfer,
                        counts = OneOf(&[8, 16, 32]),
                        row_bytes = ROW_BYTES,
                        rows = addresses.iter().flatten().count(),
                        bytes
                    ]
                ));
            }
        } else if !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(error!(
                Code::Range,
                "a lane transfers {sizes} bytes at once, not {bytes}",
                [sizes = OneOf(&[1, 2, 4, 8, 16]), bytes]
            ));
        }
        if addresses.len() > MOST_LANES {
            return Err(error!(
                Code::Range,
                "a warp has at most {most_lanes} lanes, not {addresses}",
                [most_lanes = MOST_LANES, addresses = addresses.len()]
            ));
        }
        let before = |address: &Option<i64>| address.is_some_and(|address| address < 0);
        if let Some((lane, Some(address))) = addresses.iter().enumerate().find(|(_, address)| before(address)) {
            return Err(error!(
                Code::Range,
                "lane {lane} asks for the address {address}, which is before the memory",
                [lane, address]
            ));
        }
        let crooked = |address: &Option<i64>| address.is_some_and(|address| address % bytes != 0);
        if let Some((lane, Some(address))) = addresses.iter().enumerate().find(|(_, address)| crooked(address)) {
            return Err(error!(
                Code::Range,
                "lane {lane} asks for {bytes} bytes at {address}, which is no multiple of {bytes}",
                [lane, bytes, address]
            )
            .with_help("an access is aligned to its size"));
        }
        Ok(Access { transfer, bytes, addresses })
    }

    /// What it does.
    pub fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// How many bytes each lane transfers.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// The address of each lane that takes part.
    pub fn addresses(&self) -> &'a [Option<i64>] {
        self.addresses
    }

    /// How many sectors of 32 bytes of global memory it touches. One access is one request.
    ///
    /// # Errors
    /// [`Code::Kind`] for matrices, which are in shared memory; [`Code::Overflow`].
    pub fn sectors(&self) -> Result<i64, Error> {
        if self.transfer.is_matrix() {
            return Err(error!(Code::Kind, "{transfer} is an access to shared memory", [transfer = self.transfer]));
        }
        // An access is aligned to its size, which divides a sector: it lies in one.
        let touched: BTreeSet<i64> = self.addresses.iter().flatten().map(|address| address / SECTOR_BYTES).collect();
        i64::try_from(touched.len()).map_err(|_| Error::overflow("the sectors of an access"))
    }
}

/// The most lanes that a warp (or a wave) has.
const MOST_LANES: usize = 64;
