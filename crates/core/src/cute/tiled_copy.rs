//! [`TiledCopy`]: copies of a copy instruction over threads and over a tile, and what each thread reads and writes of a tensor.
//!
//! A thread-value layout says which elements of the tile each thread has, instruction after instruction. Where an
//! instruction reads otherwise than it writes (`ldmatrix`), the layout is that of its reference side, and the other side
//! follows: bits of the one are bits of the other.
//!
//! Law: source and target of a tiled copy lead the same bits of the instruction to the same elements of the tile (CUTLASS,
//! `include/cute/atom/copy_atom.hpp`).

use super::arrange::zip;
use super::coalesce::coalesce_by;
use super::composition::{compose_tiler, composition};
use super::copy_atom::CopyAtom;
use super::divide::zipped_divide;
use super::inverse::right_inverse;
use super::layout::Layout;
use super::make::column_major;
use super::product::{logical_product, raked_product};
use super::recast::upcast;
use super::slice::{Coordinate, Offset, slice};
use super::tiled_mma::{Operand, TiledMma};
use super::tiler::Tiler;
use super::tiling_step::TilingStep;
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::trace::Trace;
use crate::tuple::Tuple;

/// A side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// What is read.
    Source,
    /// What is written.
    Target,
}

/// Copies of a copy instruction over threads, and the tile that they move together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledCopy {
    bits: i64,
    source: Layout,
    target: Layout,
    reference: Layout,
    layout: Layout,
    tiler: Tiler,
    tile: Tuple<Int>,
}

impl TiledCopy {
    /// An instruction for elements of some bits, by a layout from (thread, value) to the elements of a tile, column-major.
    ///
    /// # Errors
    /// [`Code::NotDivisible`] where threads or values are no multiple of what one instruction has; as [`upcast`], where
    /// elements are no whole parts of what the instruction moves; [`Code::RankMismatch`] unless the layout has the modes
    /// (thread, value).
    ///
    /// ```
    /// use bitstride::cute::{CopyAtom, Side, TiledCopy};
    /// use bitstride::Tuple;
    /// let rows = CopyAtom::named("SM75_U32x1_LDSM_N")?;
    /// let copy = TiledCopy::of(&rows, 16, "(32,8):(1,32)".parse()?, Tuple::flat(&[32.into(), 8.into()]))?;
    /// assert_eq!(copy.layout_tv(Side::Source)?.to_string(), "((8,4),((2,4),4)):((4,0),((32,1),64))");
    /// assert_eq!(copy.layout_tv(Side::Target)?.to_string(), "(32,(2,4)):(1,(32,64))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(atom: &CopyAtom, bits: i64, layout: Layout, tile: Tuple<Int>) -> Result<Self, Error> {
        Self::by_tiler(atom, bits, layout, &Tiler::of_shape(&tile))
    }

    /// The same with a tile that layouts cut out of the modes of a tensor: `<(4,32):(32,1), 16>` gathers every 32nd row first.
    /// Elements of the tile are numbered as the tiler gathers them.
    ///
    /// # Errors
    /// As [`TiledCopy::of`]; [`Code::Kind`] for a mode that the tiler leaves as it is, which has no extent.
    ///
    /// ```
    /// use bitstride::Int;
    /// use bitstride::cute::{CopyAtom, TiledCopy, Tiler};
    /// let vector = CopyAtom::named("UniversalCopy<uint128_t>")?;
    /// let tiler = Tiler::Modes(vec![Tiler::Extent(Int::from(4)), Tiler::Layout("(32,8):(8,1)".parse()?)]);
    /// let copy = TiledCopy::by_tiler(&vector, 16, "((32,4),8):((4,1),128)".parse()?, &tiler)?;
    /// assert_eq!(copy.tile().to_string(), "(4,(32,8))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn by_tiler(atom: &CopyAtom, bits: i64, layout: Layout, tiler: &Tiler) -> Result<Self, Error> {
        let (tiler, tile) = plain(tiler)?;
        let (source, target) = (upcast(&atom.source, bits)?, upcast(&atom.target, bits)?);
        let reference = upcast(&atom.reference, bits)?;
        if layout.rank() != 2 {
            return Err(error!(
                Code::RankMismatch,
                "a copy is tiled by a layout of (thread, value); {layout} has another rank",
                [layout]
            ));
        }
        let threads = atom.threads.size()?;
        for (side, in_bits) in [(&source, &atom.source), (&target, &atom.target), (&reference, &atom.reference)] {
            let counted = side.get(&[0])?.size()?;
            let (values, moved) = (side.get(&[1])?.size()?.as_number()?, in_bits.get(&[1])?.size()?.as_number()?);
            // An instruction without a width of its own, whose one value has no stride, moves an element.
            let is_element = in_bits.get(&[1])? == Layout::unit();
            if counted != threads || !is_element && values.checked_mul(bits) != Some(moved) {
                return Err(error!(
                    Code::NotDivisible,
                    "elements of {bits} bits are no whole parts of the {moved} bits a thread moves",
                    [bits, moved]
                ));
            }
        }
        for (mode, what) in [(0, "threads"), (1, "values")] {
            let (all, each) = (layout.get(&[mode])?.size()?.as_number()?, reference.get(&[mode])?.size()?.as_number()?);
            if all.checked_rem(each) != Some(0) {
                return Err(error!(
                    Code::NotDivisible,
                    "{all} {what} are no multiple of the {each} of one instruction",
                    [all, what, each]
                ));
            }
        }
        Ok(TiledCopy { bits, source, target, reference, layout, tiler, tile })
    }

    /// An instruction by layouts of threads and of each thread's values over the tile: both lead from (m,n) to a number.
    ///
    /// # Errors
    /// As [`TiledCopy::of`] and [`raked_product`].
    ///
    /// ```
    /// use bitstride::cute::{CopyAtom, TiledCopy};
    /// let vector = CopyAtom::named("UniversalCopy<uint128_t>")?;
    /// let copy = TiledCopy::new(&vector, 32, &"(32,8):(1,32)".parse()?, &"(4,1):(1,0)".parse()?)?;
    /// assert_eq!((copy.tile().to_string(), copy.tiled_layout().to_string()), ("(128,8)".into(), "(256,4):(4,1)".into()));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(atom: &CopyAtom, bits: i64, threads: &Layout, values: &Layout) -> Result<Self, Error> {
        Self::new_traced(atom, bits, threads, values, &mut ())
    }

    /// [`TiledCopy::new`], with how the layout of the tile is made reported.
    ///
    /// # Errors
    /// As [`TiledCopy::new`].
    pub fn new_traced(
        atom: &CopyAtom,
        bits: i64,
        threads: &Layout,
        values: &Layout,
        trace: &mut impl Trace<TilingStep>,
    ) -> Result<Self, Error> {
        trace.record(|| TilingStep::Rakes { threads: threads.clone(), values: values.clone() });
        let raked = raked_product(threads, values)?;
        let extents = raked.modes().iter().map(Layout::size).collect::<Result<Vec<_>, _>>()?;
        let by_number = column_major(&Tuple::flat(&[threads.size()?, values.size()?]))?;
        trace.record(|| TilingStep::Inverts { raked: raked.clone(), numbers: by_number.clone() });
        let layout = composition(&right_inverse(&raked)?, &by_number)?;
        Self::of(atom, bits, layout, Tuple::flat(&extents))
    }

    /// The copy that brings an operand to, or takes it from, where a tiled matrix instruction holds it.
    ///
    /// # Errors
    /// As [`TiledCopy::of`] and [`TiledMma::layout_tv`].
    pub fn for_operand(atom: &CopyAtom, bits: i64, mma: &TiledMma, operand: Operand) -> Result<Self, Error> {
        let [m, n, k] = mma.tile_mnk()?.map(Int::from);
        let tile = match operand {
            Operand::A => [m, k],
            Operand::B => [n, k],
            Operand::C => [m, n],
        };
        Self::of(atom, bits, mma.layout_tv(operand)?, Tuple::flat(&tile))
    }

    /// Another instruction, whose threads have what those of this copy read or write.
    ///
    /// # Errors
    /// As [`TiledCopy::of`].
    pub fn matching(&self, atom: &CopyAtom, bits: i64, side: Side) -> Result<Self, Error> {
        Self::by_tiler(atom, bits, self.layout_tv(side)?, &self.tiler)
    }

    /// The bits of an element.
    pub fn bits(&self) -> i64 {
        self.bits
    }

    /// The extents of the tile.
    pub fn tile(&self) -> &Tuple<Int> {
        &self.tile
    }

    /// What cuts the tile out of a tensor: the extents, or a layout for each mode.
    pub fn tiler(&self) -> &Tiler {
        &self.tiler
    }

    /// From (thread, value) of the instruction's reference to the elements of the tile.
    pub fn tiled_layout(&self) -> &Layout {
        &self.layout
    }

    /// From (thread, value) of one instruction to elements, as `side` has them.
    pub fn value_layout(&self, side: Side) -> &Layout {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }

    /// The same of the side by which tiles are partitioned.
    pub fn reference(&self) -> &Layout {
        &self.reference
    }

    /// How many threads take part.
    ///
    /// # Errors
    /// [`Code::Overflow`], [`Code::MissingFact`].
    pub fn size(&self) -> Result<i64, Error> {
        self.layout.get(&[0])?.size()?.as_number()
    }

    /// From (thread, value) to the elements of the tile that are read or written, column-major.
    ///
    /// # Errors
    /// What divides and composition refuse.
    pub fn layout_tv(&self, side: Side) -> Result<Layout, Error> {
        self.layout_tv_traced(side, &mut ())
    }

    /// [`TiledCopy::layout_tv`], with each division and composition reported.
    ///
    /// # Errors
    /// As [`TiledCopy::layout_tv`].
    pub fn layout_tv_traced(&self, side: Side, trace: &mut impl Trace<TilingStep>) -> Result<Layout, Error> {
        let whole = column_major(&Tuple::of(&[self.tile.clone(), Tuple::leaf(Int::from(1))]))?;
        let shared = self.shared(&whole, side, trace)?;
        Ok(Layout::pair(&shared.get(&[0])?, &shared.get(&[1])?))
    }

    /// What a thread reads or writes of a tensor: (value, rest of each mode …), and where it starts.
    ///
    /// # Errors
    /// [`Code::Range`] for a thread that takes no part; [`Code::Profile`] for a tensor of fewer modes than the tile.
    ///
    /// ```
    /// use bitstride::cute::{CopyAtom, Side, TiledCopy};
    /// let vector = CopyAtom::named("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>")?;
    /// let copy = TiledCopy::new(&vector, 16, &"(16,8):(8,1)".parse()?, &"(1,8):(0,1)".parse()?)?;
    /// let held = copy.partition(Side::Source, &"(128,64):(64,1)".parse()?, 5)?;
    /// assert_eq!(held.to_string(), "((8,1),8,1):((1,0),1024,0) + 40");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn partition(&self, side: Side, tensor: &Layout, thread: i64) -> Result<Offset<Int, Stride>, Error> {
        self.partition_traced(side, tensor, thread, &mut ())
    }

    /// [`TiledCopy::partition`], with each division and composition before the thread's part is taken reported.
    ///
    /// # Errors
    /// As [`TiledCopy::partition`].
    pub fn partition_traced(
        &self,
        side: Side,
        tensor: &Layout,
        thread: i64,
        trace: &mut impl Trace<TilingStep>,
    ) -> Result<Offset<Int, Stride>, Error> {
        let threads = self.size()?;
        if !(0..threads).contains(&thread) {
            return Err(error!(Code::Range, "thread {thread} takes no part: there are {threads}", [thread, threads]));
        }
        trace.record(|| TilingStep::Tiles { tensor: tensor.clone(), by: self.tiler.clone() });
        let divided = zipped_divide(tensor, &self.tiler)?;
        let shared = self.shared(&divided, side, trace)?;
        let free: Coordinate<Int> = Tuple::flat(&vec![None; shared.get(&[2])?.rank()]);
        slice(&shared, &Tuple::of(&[Tuple::leaf(Some(Int::from(thread))), Tuple::leaf(None), free]))
    }

    /// A tensor of (tile, rest) as (thread, value, rest), what CuTe calls `tile2thrfrg`.
    fn shared(&self, tensor: &Layout, side: Side, trace: &mut impl Trace<TilingStep>) -> Result<Layout, Error> {
        let held = self.value_layout(side);
        let one = [self.reference.get(&[0])?.size()?, self.reference.get(&[1])?.size()?].map(Tiler::Extent);
        let one = Tiler::Modes(one.to_vec());
        trace.record(|| TilingStep::Cuts { tensor: self.layout.clone(), by: one.clone() });
        let instructions = zipped_divide(&self.layout, &one)?;
        let (inside, rest) = (instructions.get(&[0])?, instructions.get(&[1])?);
        trace.record(|| TilingStep::Turns { reference: self.reference.clone(), side: held.clone() });
        let held = composition(&right_inverse(&self.reference)?, held)?;
        trace.record(|| TilingStep::Holds { inside: inside.clone(), held: held.clone() });
        let inside = composition(&inside, &held)?;
        trace.record(|| TilingStep::Gathers { inside: inside.clone(), rest: rest.clone() });
        let gathered = zip(&inside, &rest)?;
        trace.record(|| TilingStep::Merges { layout: gathered.clone() });
        let one = || Tuple::leaf(1_i64);
        let layout = coalesce_by(&gathered, &Tuple::of(&[one(), Tuple::of(&[one(), one()])]))?;
        let tile = tensor.get(&[0])?;
        trace.record(|| TilingStep::Places { tile: tile.clone(), layout: layout.clone() });
        let tile = composition(&tile, &layout)?;
        Ok(Layout::of(&[tile.get(&[0])?, tile.get(&[1])?, tensor.get(&[1])?]))
    }

    /// The registers of a fragment (value, rest …) that another tiled instruction partitioned, arranged as this copy takes
    /// them: (value of this instruction, rest …).
    ///
    /// # Errors
    /// What divides and composition refuse; [`Code::RankMismatch`] unless the fragment has a mode of values and one for
    /// each mode of the tile.
    pub fn retile(&self, fragment: &Layout) -> Result<Layout, Error> {
        let rank = fragment.rank();
        if rank != self.tile.rank() + 1 {
            return Err(error!(
                Code::RankMismatch,
                "a fragment has a mode of values and one for each mode of the tile {tile}; {fragment} has {rank}",
                [tile = self.tile, fragment, rank]
            ));
        }
        let values = fragment.get(&[0])?.size()?;
        let each = Int::from(self.size()?).mul(&values)?.as_number()?;
        let by_element = composition(&right_inverse(&self.layout)?, &column_major(&self.tile)?)?;
        let order = upcast(&by_element, each)?;
        let block = Layout::mode(values.clone(), Stride::Int(Int::from(1)));
        let all = logical_product(&block, &Tiler::Layout(right_inverse(&order)?))?;
        let one = self.reference.get(&[1])?.size()?;
        let taken = zipped_divide(&all, &Tiler::Extent(one))?;
        let mut extents = vec![Tiler::Extent(values)];
        for mode in order.modes() {
            extents.push(Tiler::Extent(mode.size()?));
        }
        let tiles = zipped_divide(fragment, &Tiler::Modes(extents))?;
        let held = compose_tiler(&tiles, &Tiler::Modes(vec![Tiler::Layout(taken), Tiler::Keep]))?;
        let mut rest: Vec<Option<Int>> = vec![None; rank];
        if let Some(first) = rest.first_mut() {
            *first = Some(Int::from(0));
        }
        Ok(slice(&held, &Tuple::of(&[Tuple::leaf(None), Tuple::flat(&rest)]))?.layout)
    }
}

/// A tiler with extents in the place of layouts that count from 0 by 1, and the extents of its tile.
fn plain(tiler: &Tiler) -> Result<(Tiler, Tuple<Int>), Error> {
    Ok(match tiler {
        Tiler::Extent(extent) => (tiler.clone(), Tuple::leaf(extent.clone())),
        Tiler::Layout(layout) => match (layout.extents(), layout.strides()) {
            ([extent], [stride]) if extent.is(1) || stride.as_integer().is_some_and(|step| step.is(1)) => {
                (Tiler::Extent(extent.clone()), Tuple::leaf(extent.clone()))
            }
            _ => (tiler.clone(), layout.shape()),
        },
        Tiler::Modes(entries) => {
            let entries = entries.iter().map(plain).collect::<Result<Vec<_>, _>>()?;
            let (tilers, extents): (Vec<Tiler>, Vec<Tuple<Int>>) = entries.into_iter().unzip();
            (Tiler::Modes(tilers), Tuple::of(&extents))
        }
        Tiler::Keep => {
            return Err(Error::new(Code::Kind, "the tile of a copy has an extent or a layout for each mode, not `_`"));
        }
    })
}
