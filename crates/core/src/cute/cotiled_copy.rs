//! [`TiledCopy::cotiled`]: a tiled copy by the addresses that threads and values have in a tensor, CuTe's `make_cotiled_copy`; and
//! [`TiledCopy::for_one_copy`], the smallest one by which a result of matrix instructions is stored.
//!
//! Both know which elements of a tensor are met. The tile is cut out of each mode by a layout, which may leave elements out.
//! Law: with the tile's elements numbered as the tiler gathers them, `data(tile(R(t, v))) = tv(t, v)`, which is checked for every
//! (thread, value); of an address beyond the tensor the same holds for what is left of it when the tensor is walked again.

use super::composition::{compose_tiler, composition};
use super::copy_atom::CopyAtom;
use super::filter::filter;
use super::layout::{Layout, StaticLayout};
use super::left_inverse::left_inverse;
use super::make::column_major;
use super::recast::upcast;
use super::tiled_copy::TiledCopy;
use super::tiled_mma::{Operand, TiledMma};
use super::tiler::Tiler;
use crate::error::{Code, Error};
use crate::int::Int;
use crate::tuple::Tuple;

/// The most values of all threads, as the law is checked for each.
const MAX_VALUES: i64 = 1 << 20;

impl TiledCopy {
    /// An instruction by a layout from (thread, value) to the addresses of a tensor, and the layout of that tensor. Addresses beyond
    /// the last one of the tensor begin at its first one again, as in CuTe.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for extents that are not static; [`Code::Range`] for an address that no element has, and for more than
    /// 2^20 values; as [`left_inverse`] and [`TiledCopy::of`].
    ///
    /// ```
    /// use bitstride::cute::{CopyAtom, TiledCopy};
    /// let vector = CopyAtom::named("UniversalCopy<uint128_t>")?;
    /// let copy = TiledCopy::cotiled(&vector, 16, &"(128,8):(8,1)".parse()?, &"(8,256):(256,1)".parse()?)?;
    /// assert_eq!(copy.tiler().to_string(), "<4, (32,8):(8,1)>");
    /// assert_eq!(copy.tiled_layout().to_string(), "((32,4),8):((4,1),128)");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn cotiled(atom: &CopyAtom, bits: i64, threads_values: &Layout, data: &Layout) -> Result<Self, Error> {
        let by_address = left_inverse(data)?;
        let (values, beyond) = (threads_values.size()?.as_number()?, by_address.size()?.as_number()?);
        let elements = composition(&Layout::pair(&by_address, &Layout::unit()), threads_values)?;
        check_count(values)?;
        let fixed = |layout: &Layout| layout.to_static().ok_or_else(|| not_static(layout));
        let (addresses, found, stored) = (fixed(threads_values)?, fixed(&elements)?, fixed(data)?);
        let count = data.size()?.as_number()?;
        for index in 0..values {
            let (address, element) = (addresses.offset(&index)?, found.offset(&index)?);
            let is_there = (0..count).contains(&element) && stored.offset(&element)? == address;
            if !is_there && (0..beyond).contains(&address) || address < 0 {
                return Err(error!(
                    Code::Range,
                    "no element of {data} has the address {address}, which {threads_values} has at {index}",
                    [data, address, threads_values, index]
                ));
            }
        }
        let extents = data.modes().iter().map(Layout::size).collect::<Result<Vec<_>, _>>()?;
        Self::of_elements(atom, bits, &Tuple::flat(&extents), &elements)
    }

    /// The smallest copy by which one instruction stores what all threads of tiled matrix instructions hold of the result first:
    /// CuTe's `make_tiled_copy_C_atom`.
    ///
    /// # Errors
    /// [`Code::NotDivisible`] where the instruction moves more values than a thread holds; [`Code::Range`] for more than 2^20
    /// values; as [`TiledCopy::of`].
    ///
    /// ```
    /// use bitstride::cute::{CopyAtom, MmaAtom, TiledCopy, TiledMma};
    /// let mma = TiledMma::new(MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?, &"1:0".parse()?, &[])?;
    /// let copy = TiledCopy::for_one_copy(&CopyAtom::named("UniversalCopy<uint32_t>")?, 16, &mma)?;
    /// assert_eq!(copy.tiler().to_string(), "<8, (4,2):(2,1)>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn for_one_copy(atom: &CopyAtom, bits: i64, mma: &TiledMma) -> Result<Self, Error> {
        let whole = mma.layout_tv(Operand::C)?;
        let (threads, held) = (whole.get(&[0])?.size()?, whole.get(&[1])?.size()?.as_number()?);
        let moved = upcast(&atom.source, bits)?.get(&[1])?.size()?;
        if moved.as_number()? > held {
            return Err(error!(
                Code::NotDivisible,
                "one copy moves {moved} values of a thread, which holds {held}",
                [moved, held]
            ));
        }
        let elements = composition(&whole, &column_major(&Tuple::flat(&[threads, moved]))?)?;
        let [m, n, _] = mma.tile_mnk()?.map(Int::from);
        Self::of_elements(atom, bits, &Tuple::flat(&[m, n]), &elements)
    }

    /// The copy that moves these elements of an array of these extents, column-major: its tile has no others.
    fn of_elements(atom: &CopyAtom, bits: i64, extents: &Tuple<Int>, elements: &Layout) -> Result<Self, Error> {
        let all = column_major(extents)?;
        let coordinate = |mode: usize| {
            let modes = all.modes().into_iter().enumerate().map(|(at, own)| {
                let extent = own.size()?;
                Ok(Layout::mode(extent, Int::from(i64::from(at == mode)).into()))
            });
            let along = Layout::of(&modes.collect::<Result<Vec<_>, Error>>()?);
            filter(&composition(&along, elements)?).map(Tiler::Layout)
        };
        let tiler = Tiler::Modes((0..all.rank()).map(coordinate).collect::<Result<Vec<_>, _>>()?);
        let gathered = compose_tiler(&all, &tiler)?;
        let layout = composition(&left_inverse(&gathered)?, elements)?;
        check_gathered(&layout, &gathered, elements)?;
        Self::by_tiler(atom, bits, layout, &tiler)
    }
}

/// That the elements of the tile are those that are wanted.
fn check_gathered(layout: &Layout, gathered: &Layout, elements: &Layout) -> Result<(), Error> {
    let fixed = |layout: &Layout| layout.to_static().ok_or_else(|| not_static(layout));
    let (by_number, tile, wanted): (StaticLayout, StaticLayout, StaticLayout) =
        (fixed(layout)?, fixed(gathered)?, fixed(elements)?);
    let (count, size) = (wanted.size()?, tile.size()?);
    check_count(count)?;
    for index in 0..count {
        let place = by_number.offset(&index)?;
        if !(0..size).contains(&place) || tile.offset(&place)? != wanted.offset(&index)? {
            return Err(error!(
                Code::NotALayout,
                "the elements that {elements} has are no tile: along the modes they are {gathered}",
                [elements, gathered]
            ));
        }
    }
    Ok(())
}

fn check_count(values: i64) -> Result<(), Error> {
    if values > MAX_VALUES {
        return Err(error!(
            Code::Range,
            "{values} values of all threads; each is checked, and at most {most} are",
            [values, most = MAX_VALUES]
        ));
    }
    Ok(())
}

fn not_static(layout: &Layout) -> Error {
    error!(Code::MissingFact, "the tile of a copy has static extents and strides, and {layout} has others", [layout])
}
