//! [`Table`]: what no run and no bits tell, unit by unit from a list of places.
#![allow(unsafe_code)]

use super::Row;

/// Units of a block, with their places on both sides, in the order of the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// The bits of a unit: 2, 4, or 8 times a power of two.
    pub(crate) unit: u32,
    /// The places: in bytes, or in units for units below a byte.
    pub(crate) places: Vec<[isize; 2]>,
}

impl Table {
    /// Moves a row of blocks, the first at places that are counted as those of the table.
    ///
    /// # Safety
    /// Every unit of the row lies inside the memory of both pointers, and these do not overlap; for units below a byte, steps
    /// of the row are in units as well, and no one else writes the bytes that hold them.
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, first: [isize; 2], row: &Row) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.unit {
                8 => self.units::<1>(source, destination, first, row),
                16 => self.units::<2>(source, destination, first, row),
                32 => self.units::<4>(source, destination, first, row),
                64 => self.units::<8>(source, destination, first, row),
                128 => self.units::<16>(source, destination, first, row),
                256 => self.units::<32>(source, destination, first, row),
                _ => self.parts(source, destination, first, row),
            }
        }
    }

    /// # Safety
    /// As [`Table::run`].
    unsafe fn units<const BYTES: usize>(&self, source: *const u8, destination: *mut u8, first: [isize; 2], row: &Row) {
        for x in 0..row.count {
            let [from, to] = [0, 1].map(|side| first[side] + row.at(x)[side]);
            for [more, beyond] in &self.places {
                // SAFETY: the caller answers for every unit of the row.
                unsafe {
                    let unit = source.offset(from + more).cast::<[u8; BYTES]>().read();
                    destination.offset(to + beyond).cast::<[u8; BYTES]>().write(unit);
                }
            }
        }
    }

    /// Units that share bytes: the lower ones in the lower bits.
    ///
    /// # Safety
    /// As [`Table::run`].
    unsafe fn parts(&self, source: *const u8, destination: *mut u8, first: [isize; 2], row: &Row) {
        let per_byte = if self.unit == 4 { 2 } else { 4 };
        let mask = (1u8 << self.unit) - 1;
        for x in 0..row.count {
            let [from, to] = [0, 1].map(|side| first[side] + row.at(x)[side]);
            for [more, beyond] in &self.places {
                let place =
                    |at: isize| (at.div_euclid(per_byte), at.rem_euclid(per_byte).unsigned_abs() * self.unit_bits());
                let ((byte, shift), (target, up)) = (place(from + more), place(to + beyond));
                // SAFETY: the caller answers for every unit of the row.
                unsafe {
                    let unit = source.offset(byte).read() >> shift & mask;
                    let to = destination.offset(target);
                    to.write(to.read() & !(mask << up) | unit << up);
                }
            }
        }
    }

    fn unit_bits(&self) -> usize {
        if self.unit == 4 { 4 } else { 2 }
    }
}
