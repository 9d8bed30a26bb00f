//! [`Parts`]: moves units below a byte one by one, the first in the lowest bits.
#![allow(unsafe_code)]

use super::network::TileOrigin;

/// Units of 1, 2 or 4 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) bits: u32,
}

impl Parts {
    /// Moves the units at some tile origins, counted in units, as `first` is.
    ///
    /// # Safety
    /// Every unit lies inside the memory of both pointers, these do not overlap, and no one else uses the bytes of the
    /// destination that hold units.
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, first: [isize; 2], tiles: &[TileOrigin]) {
        let (per_byte, bits) = match self.bits {
            4 => (2, 4),
            2 => (4, 2),
            _ => (8, 1),
        };
        let mask = (1u8 << self.bits) - 1;
        let place = |at: isize| (at.div_euclid(per_byte), at.rem_euclid(per_byte) * bits);
        for TileOrigin { at: [from, to], .. } in tiles {
            let ((byte, shift), (target, up)) = (place(first[0] + from), place(first[1] + to));
            // SAFETY: the caller answers for every unit.
            unsafe {
                let unit = source.offset(byte).read() >> shift & mask;
                let to = destination.offset(target);
                to.write(to.read() & !(mask << up) | unit << up);
            }
        }
    }
}
