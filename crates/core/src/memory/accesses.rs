//! [`Accesses`]: the instructions by which threads read or write elements of a memory.
//!
//! A layout of threads leads from lanes and their values to elements, and a layout of memory from elements to places. What one
//! lane has side by side in memory is transferred at once, as wide as all lanes can and 16 bytes at most; values at one place are
//! transferred once. Law: the bytes of all instructions of a lane are those of its elements, each once.

use super::access::{Access, ROW_BYTES, Transfer};
use super::shared::{Passes, SharedMemory};
use crate::error::{Code, Error};
use crate::linear::Name;
use crate::map::{Map, Unit};

/// Instructions of the warps of a block, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Accesses {
    transfer: Transfer,
    bytes: i64,
    instructions: Vec<Vec<Option<i64>>>,
}

/// The most elements of all lanes that are looked at.
const MOST_ELEMENTS: i64 = 1 << 16;

impl Accesses {
    /// The instructions that transfer elements of `element_bits` bits. `threads` leads from lanes (its axis `lane`, else its first one) and
    /// values to elements, `memory` from elements to places. Warps follow one another; of blocks, which have memories of their own,
    /// it is the first.
    ///
    /// # Errors
    /// [`Code::Kind`] for a memory whose places are no offsets; [`Code::Range`] for bits beyond 128, and for elements that no whole
    /// byte holds; [`Code::NotALayout`] for matrices whose rows of 16 bytes lie apart; [`Code::TooLarge`] beyond 65,536 elements;
    /// [`Code::MissingDim`] for named axes without `lane`; as [`Map::then`] and [`Access::new`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride::memory::{Accesses, SharedMemory, Transfer};
    /// let map = |text: &str| Map::of_layout(&text.parse()?);
    /// // 32 lanes read a column of a matrix of 64 x 64 halves, and of one with 8 halves of padding a row.
    /// let wavefronts = |memory: &str| {
    ///     let column = Accesses::of(&map(memory)?, &map("32:1")?, 16, Transfer::Load)?;
    ///     column.passes(&SharedMemory::NVIDIA).map(|passes| passes.iter().map(|passes| passes.wavefronts()).sum::<i64>())
    /// };
    /// assert_eq!((wavefronts("(64,64):(64,1)")?, wavefronts("(64,64):(72,1)")?), (32, 4));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(memory: &Map, threads: &Map, element_bits: i64, transfer: Transfer) -> Result<Self, Error> {
        Accesses::by(&SharedMemory::NVIDIA, memory, threads, element_bits, transfer)
    }

    /// The instructions of warps as large as those of a machine: 32 lanes, or 64.
    ///
    /// # Errors
    /// As [`Accesses::of`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride::memory::{Accesses, SharedMemory, Transfer};
    /// let (memory, row) = (Map::of_layout(&"4096:1".parse()?)?, Map::of_layout(&"64:1".parse()?)?);
    /// let count = |machine| Accesses::by(machine, &memory, &row, 32, Transfer::Load).map(|accesses| accesses.count());
    /// assert_eq!((count(&SharedMemory::NVIDIA)?, count(&SharedMemory::AMD)?), (2, 1));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn by(
        machine: &SharedMemory,
        memory: &Map,
        threads: &Map,
        element_bits: i64,
        transfer: Transfer,
    ) -> Result<Self, Error> {
        Accesses::of_warps(&addresses(memory, threads, element_bits, machine.lanes)?, element_bits, transfer)
    }

    /// The instructions of warps whose addresses are known.
    pub(super) fn of_warps(warps: &Warps, element_bits: i64, transfer: Transfer) -> Result<Self, Error> {
        if transfer.is_matrix() {
            return matrices(warps, element_bits, transfer);
        }
        let mut bytes = ROW_BYTES;
        while bytes > 0 {
            if let Some(instructions) = instructions(warps, element_bits, bytes) {
                return Ok(Accesses { transfer, bytes, instructions });
            }
            bytes /= 2;
        }
        Err(error!(
            Code::Range,
            "no access of whole bytes transfers the elements of {element_bits} bits that the lanes have",
            [element_bits]
        )
        .with_help("give each lane values that fill a byte side by side"))
    }

    /// The bytes that each lane transfers at once.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// What the instructions do.
    pub fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// How many instructions there are.
    pub fn count(&self) -> usize {
        self.instructions.len()
    }

    /// Each instruction.
    ///
    /// # Errors
    /// As [`Access::new`].
    pub fn iter(&self) -> impl Iterator<Item = Result<Access<'_>, Error>> {
        self.instructions.iter().map(|addresses| Access::new(self.transfer, self.bytes, addresses))
    }

    /// The passes of each instruction.
    ///
    /// # Errors
    /// As [`SharedMemory::passes`].
    pub fn passes(&self, memory: &SharedMemory) -> Result<Vec<Passes>, Error> {
        self.iter().map(|access| memory.passes(&access?)).collect()
    }

    /// The sectors of global memory that all instructions touch, each counted by itself.
    ///
    /// # Errors
    /// As [`Access::sectors`].
    pub fn sectors(&self) -> Result<i64, Error> {
        self.iter().map(|access| access?.sectors()).sum()
    }
}

/// Which axes of a layout of threads are lanes, warps and blocks.
pub(super) struct ThreadAxes {
    pub(super) lane: usize,
    pub(super) warp: Option<usize>,
    pub(super) block: Option<usize>,
}

impl ThreadAxes {
    /// Those of a map that takes threads and their values.
    pub(super) fn of(threads: &Map) -> Result<Self, Error> {
        let axis = |name: Name| threads.domain().iter().position(|axis| axis.name == name);
        let (warp, block) = (axis(Name::WARP), axis(Name::BLOCK));
        let lane = match axis(Name::LANE) {
            Some(lane) => lane,
            // Without names the first axis is that of lanes; with those of a linear layout it could be any.
            None if warp.or(block).or(axis(Name::REGISTER)).is_none() => 0,
            None => {
                return Err(error!(
                    Code::MissingDim,
                    "{threads} has no axis lane beside its other named ones",
                    [threads]
                )
                .with_help("a layout of threads has the dims register, lane and warp"));
            }
        };
        Ok(ThreadAxes { lane, warp, block })
    }
}

/// For each warp and lane the address in bits of each value; `None` for padding.
pub(super) type Warps = Vec<Vec<Vec<Option<i64>>>>;

pub(super) fn addresses(memory: &Map, threads: &Map, element_bits: i64, in_warp: usize) -> Result<Warps, Error> {
    if !(1..=ROW_BYTES * 8).contains(&element_bits) {
        return Err(error!(
            Code::Range,
            "an element of {element_bits} bits; a lane transfers {least} to {most} bits at once",
            [element_bits, least = 1, most = ROW_BYTES * 8]
        ));
    }
    let map = threads.then(&memory.from_elements()?)?;
    let unit = match map.codomain() {
        [axis] if axis.unit == Unit::Element => element_bits,
        [axis] if axis.unit == Unit::Byte => 8,
        [axis] if axis.unit == Unit::Bit => 1,
        _ => {
            return Err(error!(Code::Kind, "{memory} does not lead to one offset in a memory", [memory]));
        }
    };
    // An axis without elements hides no other: lanes are listed even where they have no values.
    let size = map.domain().iter().fold(1, |size: i64, axis| size.saturating_mul(axis.extent.max(1)));
    if size > MOST_ELEMENTS {
        return Err(error!(
            Code::TooLarge,
            "{size} elements; accesses of at most {most_elements} are counted",
            [size, most_elements = MOST_ELEMENTS]
        )
        .with_help("give the elements of one instruction"));
    }
    let ThreadAxes { lane: lane_axis, warp: warp_axis, block: block_axis } = ThreadAxes::of(&map)?;
    let extent = |at: usize| map.domain().get(at).map_or(1, |axis| axis.extent);
    let lanes = extent(lane_axis);
    let own_warps = warp_axis.map_or(1, extent);
    let mut warps: Warps = Vec::new();
    for warp in 0..own_warps {
        let mut all = vec![Vec::new(); usize::try_from(lanes).unwrap_or(0)];
        let mut point = vec![0; map.domain().len()];
        for (lane, values) in (0..).zip(&mut all) {
            let mut more = true;
            point.fill(0);
            while more {
                let set = |point: &mut Vec<i64>, at: Option<usize>, n: i64| {
                    if let Some(coordinate) = at.and_then(|at| point.get_mut(at)) {
                        *coordinate = n;
                    }
                };
                set(&mut point, Some(lane_axis), lane);
                set(&mut point, warp_axis, warp);
                let place = map.at(&point)?.and_then(|place| place.first().copied());
                let address = place.map(|place| place.checked_mul(unit).ok_or_else(|| Error::overflow("an address")));
                values.push(address.transpose()?);
                // The next value: the first axis the fastest.
                more = false;
                for at in (0..point.len()).filter(|at| ![Some(lane_axis), warp_axis, block_axis].contains(&Some(*at))) {
                    let next = point.get(at).map_or(0, |n| n + 1);
                    if next < extent(at) {
                        set(&mut point, Some(at), next);
                        more = true;
                        break;
                    }
                    set(&mut point, Some(at), 0);
                }
            }
        }
        warps.extend(all.chunks(in_warp.max(1)).map(<[Vec<Option<i64>>]>::to_vec));
    }
    Ok(warps)
}

/// The instructions that transfer `bytes` a lane at once; `None` where the values of a lane do not lie side by side.
fn instructions(warps: &Warps, element_bits: i64, bytes: i64) -> Option<Vec<Vec<Option<i64>>>> {
    let bits = bytes.checked_mul(8)?;
    let together = usize::try_from(bits.checked_div(element_bits)?).ok().filter(|n| *n > 0)?;
    if bits % element_bits != 0 {
        return None;
    }
    let mut all = Vec::new();
    for warp in warps {
        let values = kept(warp);
        if !values.len().is_multiple_of(together) {
            return None;
        }
        for group in values.chunks(together) {
            let mut addresses = Vec::new();
            for lane in warp {
                let held: Vec<Option<i64>> = group.iter().map(|value| lane.get(*value).copied().flatten()).collect();
                let first = match held.first()? {
                    Some(first) => *first,
                    None if held.iter().all(Option::is_none) => {
                        addresses.push(None);
                        continue;
                    }
                    None => return None,
                };
                let side_by_side =
                    (0..).zip(&held).all(|(n, address)| *address == first.checked_add(element_bits.saturating_mul(n)));
                if !side_by_side || first.rem_euclid(bits) != 0 {
                    return None;
                }
                addresses.push(Some(first / 8));
            }
            all.push(addresses);
        }
    }
    Some(all)
}

/// The values of a warp in the order of its first lane's addresses, those at one place in every lane once.
fn kept(warp: &[Vec<Option<i64>>]) -> Vec<usize> {
    let address = |lane: &Vec<Option<i64>>, value: usize| lane.get(value).copied().flatten();
    let Some(first) = warp.first() else { return Vec::new() };
    let mut order: Vec<usize> = (0..first.len()).collect();
    order.sort_by_key(|value| (address(first, *value).is_none(), address(first, *value)));
    order.dedup_by(|value, before| warp.iter().all(|lane| address(lane, *value) == address(lane, *before)));
    order
}

/// The instructions that take rows of 16 bytes, one a lane.
fn matrices(warps: &Warps, element_bits: i64, transfer: Transfer) -> Result<Accesses, Error> {
    let mut all = Vec::new();
    for warp in warps {
        let rows = instructions(&vec![warp.clone()], element_bits, ROW_BYTES);
        let Some(rows) = rows.filter(|rows| rows.len() == 1) else {
            return Err(error!(
                Code::NotALayout,
                "{transfer} takes rows of {row_bytes} bytes side by side, aligned to {row_bytes}; here a lane has {elements} elements of {element_bits} bits that are none",
                [transfer, row_bytes = ROW_BYTES, elements = warp.first().map_or(0, Vec::len), element_bits]
            )
                .with_help("lead from (rows, elements of a row) to elements, such as (8,8):(1,64) of 16 bits"));
        };
        all.extend(rows);
    }
    Ok(Accesses { transfer, bytes: ROW_BYTES, instructions: all })
}
