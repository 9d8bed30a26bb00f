//! [`TiledMma`]: copies of a matrix instruction laid out over threads and over a tile, and what each thread holds of a tensor.
//!
//! A layout of atoms says which copy of the instruction each group of threads executes, along M, N and K. The tile has, along
//! each of them, an extent of its own or a permutation; what is left of an operand beyond all copies are further values of
//! the same threads. Everything is division and composition of layouts: an operand is divided by the tile, then by the
//! instruction, whose thread-value layout is composed with the inside, and the copies are divided among the threads.
//!
//! Law: a (thread, value) leads where the instruction's own thread-value layout leads in the copy of that thread, and
//! all threads together reach every element of the tile (CUTLASS, `include/cute/atom/mma_atom.hpp`).

use super::atom::MmaAtom;
use super::complement::complement_within;
use super::composition::{compose_tiler, composition};
use super::divide::{logical_divide, zipped_divide};
use super::inverse::right_inverse;
use super::layout::Layout;
use super::make::{column_major, make_ordered_layout};
use super::product::{padded, tiled_product};
use super::slice::{Coordinate, Offset, coordinate_at, crd2index, slice};
use super::tiler::Tiler;
use super::tiling_step::TilingStep;
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::trace::Trace;
use crate::tuple::Tuple;

/// An operand of a matrix product: C (M,N) += A (M,K) * B (N,K).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A, of M rows and K columns.
    A,
    /// B, of N rows and K columns.
    B,
    /// C, of M rows and N columns.
    C,
}

impl Operand {
    /// All three.
    pub const ALL: [Operand; 3] = [Operand::A, Operand::B, Operand::C];

    /// Which of M, N and K its rows and columns are, by number.
    ///
    /// ```
    /// assert_eq!(bitstride::cute::Operand::B.modes(), [1, 2]);
    /// ```
    pub fn modes(self) -> [usize; 2] {
        match self {
            Operand::A => [0, 2],
            Operand::B => [1, 2],
            Operand::C => [0, 1],
        }
    }

    /// Its thread-value layout in an instruction.
    fn of(self, atom: &MmaAtom) -> &Layout {
        match self {
            Operand::A => &atom.a,
            Operand::B => &atom.b,
            Operand::C => &atom.c,
        }
    }
}

/// Copies of a matrix instruction over threads, and the tile that they compute together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledMma {
    atom: MmaAtom,
    atoms: Layout,
    tile: [Tiler; 3],
    threads: Layout,
}

impl TiledMma {
    /// Copies of `atom` as the layout `atoms` (M,N,K) numbers them, on a tile of one entry each for M, N and K: an extent, a
    /// permutation, or `_` for as much as all copies cover. Modes and entries that are left out are `1:0` and `_`.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for more than three modes or entries; [`Code::Kind`] for an entry that is a tiler itself;
    /// [`Code::Overlap`] where two copies have the same threads; as [`tiled_product`].
    ///
    /// ```
    /// use bitstride::cute::{MmaAtom, Operand, TiledMma};
    /// let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?;
    /// let mma = TiledMma::new(atom, &"(2,2):(1,2)".parse()?, &[])?;
    /// assert_eq!(mma.thr_layout_vmnk().to_string(), "(32,2,2,1):(1,32,64,0)");
    /// assert_eq!(mma.layout_tv(Operand::B)?.to_string(), "((4,8,2,2),((2,2),(1,1))):((32,1,0,8),((16,128),(0,0)))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(atom: MmaAtom, atoms: &Layout, tile: &[Tiler]) -> Result<Self, Error> {
        if atoms.rank() > 3 || tile.len() > 3 {
            return Err(error!(
                Code::RankMismatch,
                "atoms lie along M, N and K; the layout {atoms} has {rank} modes, the tile {tile_count} entries",
                [atoms, rank = atoms.rank(), tile_count = tile.len()]
            )
            .with_help("such as tiled_mma(ATOM, (2,2), <32,32,16>)"));
        }
        let atoms = padded(atoms, 3);
        // Nested modes number atoms as their flat order does.
        let threads = tiled_product(&atom.threads, &Tiler::Layout(atoms.clone()))?;
        let entry = |at: usize| match tile.get(at) {
            None | Some(Tiler::Keep) => Ok(Tiler::Keep),
            Some(Tiler::Extent(extent)) => extent.as_number().map(|_| Tiler::Extent(extent.clone())),
            Some(Tiler::Layout(layout)) => Ok(Tiler::Layout(layout.clone())),
            Some(modes @ Tiler::Modes(_)) => Err(error!(
                Code::Kind,
                "the tile has an extent, a layout or `_` for each of M, N and K; {modes} is neither",
                [modes]
            )),
        };
        Ok(TiledMma { tile: [entry(0)?, entry(1)?, entry(2)?], atom, atoms, threads })
    }

    /// The instruction.
    pub fn atom(&self) -> &MmaAtom {
        &self.atom
    }

    /// What each thread of one instruction holds of an operand.
    pub fn layout_of(&self, operand: Operand) -> &Layout {
        operand.of(&self.atom)
    }

    /// How its copies are numbered along M, N and K.
    pub fn atoms(&self) -> &Layout {
        &self.atoms
    }

    /// The entries of the tile along M, N and K, `_` where all copies decide.
    pub fn tile(&self) -> &[Tiler; 3] {
        &self.tile
    }

    /// From the thread of an instruction and the copy along M, N and K to the thread's number.
    pub fn thr_layout_vmnk(&self) -> &Layout {
        &self.threads
    }

    /// How many threads take part.
    ///
    /// # Errors
    /// [`Code::Overflow`], [`Code::MissingFact`].
    pub fn size(&self) -> Result<i64, Error> {
        self.threads.size()?.as_number()
    }

    /// The extents of the tile along M, N and K.
    ///
    /// # Errors
    /// [`Code::Overflow`], [`Code::MissingFact`].
    pub fn tile_mnk(&self) -> Result<[i64; 3], Error> {
        Ok([self.extent(0)?, self.extent(1)?, self.extent(2)?])
    }

    fn extent(&self, mode: usize) -> Result<i64, Error> {
        match self.permutation(mode)? {
            Tiler::Extent(extent) => extent.as_number(),
            Tiler::Layout(layout) => layout.size()?.as_number(),
            Tiler::Keep | Tiler::Modes(_) => Ok(1),
        }
    }

    /// What the tile does to M, N or K.
    fn permutation(&self, mode: usize) -> Result<Tiler, Error> {
        match self.tile.get(mode) {
            None | Some(Tiler::Keep) => {
                let copies = self.threads.get(&[mode + 1])?.size()?;
                copies.mul(&self.atom_extent(mode)).map(Tiler::Extent)
            }
            Some(entry) => Ok(entry.clone()),
        }
    }

    fn atom_extent(&self, mode: usize) -> Int {
        Int::from(self.atom.shape.get(mode).copied().unwrap_or(1))
    }

    /// An operand's tensor as ((thread of the instruction, copies), (value, rest)), what CuTe calls `thrfrg`.
    fn divided(&self, operand: Operand, tensor: &Layout, trace: &mut impl Trace<TilingStep>) -> Result<Layout, Error> {
        if tensor.rank() < 2 {
            return Err(error!(
                Code::RankMismatch,
                "{operand} has rows and columns; {tensor} has one mode",
                [operand = format!("{operand:?}"), tensor]
            ));
        }
        let modes = operand.modes();
        let tile = modes.iter().map(|mode| self.permutation(*mode)).collect::<Result<Vec<_>, _>>()?;
        let tile = Tiler::Modes(tile);
        trace.record(|| TilingStep::Permutes { tensor: tensor.clone(), by: tile.clone() });
        let tiles = logical_divide(tensor, &tile)?;
        let instruction = Tiler::Modes(modes.iter().map(|mode| Tiler::Extent(self.atom_extent(*mode))).collect());
        trace.record(|| TilingStep::Cuts { tensor: tiles.clone(), by: instruction.clone() });
        let instructions = zipped_divide(&tiles, &instruction)?;
        let (inside, rest) = (instructions.get(&[0])?, instructions.get(&[1])?);
        trace.record(|| TilingStep::Holds { inside: inside.clone(), held: operand.of(&self.atom).clone() });
        let held = composition(&inside, operand.of(&self.atom))?;
        let copies = modes.iter().map(|mode| self.threads.get(&[mode + 1])?.size().map(Tiler::Extent));
        let copies = Tiler::Modes(copies.collect::<Result<_, Error>>()?);
        trace.record(|| TilingStep::Shares { rest: rest.clone(), by: copies.clone() });
        let shared = zipped_divide(&rest, &copies)?;
        let pair =
            |mode: usize| -> Result<Layout, Error> { Ok(Layout::pair(&held.get(&[mode])?, &shared.get(&[mode])?)) };
        Ok(Layout::of(&[pair(0)?, pair(1)?]))
    }

    /// From the number of a thread to its number in (thread of the instruction, copy along M, N and K). Numbers between those of
    /// threads that take part lead beyond them, as in CuTe.
    fn place_of_thread(&self, trace: &mut impl Trace<TilingStep>) -> Result<Layout, Error> {
        let spare = complement_within(&self.threads)?;
        trace.record(|| TilingStep::Numbers { threads: self.threads.clone(), spare: spare.clone() });
        right_inverse(&Layout::pair(&self.threads, &spare))
    }

    /// From (thread, value) to the elements of an operand's tile, column-major.
    ///
    /// As in CuTe, it says what threads hold that take part. Where there are copies along K, the layout of C is that of the
    /// first of them, and goes on with N for the others, which hold the same as the first.
    ///
    /// # Errors
    /// What divides and composition refuse, where tile, atoms and instruction do not fit each other.
    pub fn layout_tv(&self, operand: Operand) -> Result<Layout, Error> {
        self.layout_tv_traced(operand, &mut ())
    }

    /// [`TiledMma::layout_tv`], with each division and composition reported.
    ///
    /// # Errors
    /// As [`TiledMma::layout_tv`].
    ///
    /// ```
    /// use bitstride::cute::{MmaAtom, Operand, TiledMma, TilingStep};
    /// let mma = TiledMma::new(MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?, &"(2,2)".parse()?, &[])?;
    /// let mut steps = Vec::new();
    /// let layout = mma.layout_tv_traced(Operand::C, &mut steps)?;
    /// let Some(TilingStep::Pairs { threads, values }) = steps.last() else { panic!("{steps:?}") };
    /// assert_eq!((&layout.get(&[0])?, &layout.get(&[1])?), (threads, values));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn layout_tv_traced(&self, operand: Operand, trace: &mut impl Trace<TilingStep>) -> Result<Layout, Error> {
        let extents = operand.modes().map(|mode| self.extent(mode));
        let [rows, columns] = extents;
        let whole = column_major(&Tuple::flat(&[Int::from(rows?), Int::from(columns?)]))?;
        trace.record(|| TilingStep::Tile { tile: whole.clone() });
        let divided = self.divided(operand, &whole, trace)?;
        let copies = |mode: usize| self.threads.get(&[mode])?.size();
        // Threads along the dim that the operand lacks hold the same.
        let repeated = |strides: [i64; 2]| -> Result<Layout, Error> {
            let shape = Tuple::flat(&[copies(1)?, copies(2)?]);
            Layout::new(shape, Tuple::flat(&strides.map(|stride| Stride::Int(Int::from(stride)))))
        };
        let of_copies = match operand {
            Operand::A => Some(repeated([1, 0])?),
            Operand::B => Some(repeated([0, 1])?),
            Operand::C => None,
        };
        let mut threads = divided.get(&[0])?;
        if let Some(layout) = of_copies {
            let by = Tiler::Modes(vec![Tiler::Keep, Tiler::Modes(vec![Tiler::Layout(layout), Tiler::Keep])]);
            trace.record(|| TilingStep::Repeats { threads: threads.clone(), by: by.clone() });
            threads = compose_tiler(&threads, &by)?;
        }
        let numbers = self.place_of_thread(trace)?;
        trace.record(|| TilingStep::Numbered { threads: threads.clone(), numbers: numbers.clone() });
        let (threads, values) = (composition(&threads, &numbers)?, divided.get(&[1])?);
        trace.record(|| TilingStep::Pairs { threads: threads.clone(), values: values.clone() });
        Ok(Layout::pair(&threads, &values))
    }

    /// What a thread holds of a tensor of rows and columns, and perhaps more modes: (value, rest of the rows, rest of the
    /// columns, …), and where it starts.
    ///
    /// # Errors
    /// [`Code::Range`] for a thread that takes no part; [`Code::RankMismatch`]; as [`TiledMma::layout_tv`].
    ///
    /// ```
    /// use bitstride::cute::{MmaAtom, Operand, TiledMma};
    /// let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?;
    /// let mma = TiledMma::new(atom, &"(2,2):(1,2)".parse()?, &[])?;
    /// let held = mma.partition(Operand::C, &"(64,96):(96,1)".parse()?, 5)?;
    /// assert_eq!(held.to_string(), "((2,2),2,6):((1,768),3072,16) + 98");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn partition(&self, operand: Operand, tensor: &Layout, thread: i64) -> Result<Offset<Int, Stride>, Error> {
        self.partition_traced(operand, tensor, thread, &mut ())
    }

    /// [`TiledMma::partition`], with each division and composition before the thread's part is taken reported.
    ///
    /// # Errors
    /// As [`TiledMma::partition`].
    pub fn partition_traced(
        &self,
        operand: Operand,
        tensor: &Layout,
        thread: i64,
        trace: &mut impl Trace<TilingStep>,
    ) -> Result<Offset<Int, Stride>, Error> {
        let divided = self.divided(operand, tensor, trace)?;
        let copy = self.coordinate(thread)?;
        let digit = |mode: usize| Tuple::leaf(Some(Int::from(copy.get(mode).copied().unwrap_or(0))));
        let modes = operand.modes();
        let copies = Tuple::of(&modes.map(|mode| digit(mode + 1)));
        let rest = divided.get(&[1, 1])?.rank();
        let free: Coordinate<Int> = Tuple::flat(&vec![None; rest]);
        let values = Tuple::of(&[Tuple::leaf(None), free]);
        slice(&divided, &Tuple::of(&[Tuple::of(&[digit(0), copies]), values]))
    }

    /// The thread of the instruction and the copy along M, N and K of a thread.
    ///
    /// # Errors
    /// [`Code::Range`] for a thread that takes no part.
    pub fn coordinate(&self, thread: i64) -> Result<Vec<i64>, Error> {
        let found = coordinate_at(&self.threads, thread).map_err(|error| match error.code() {
            Code::Range => error!(
                Code::Range,
                "thread {thread} takes no part: {threads} has no coordinate that leads to it",
                [thread, threads = self.threads]
            ),
            _ => error,
        })?;
        let modes = self.threads.shape().entries();
        found.entries().iter().zip(&modes).map(|(digits, mode)| crd2index(digits, mode)?.as_number()).collect()
    }

    /// The registers for what a thread holds of a tensor: compact, in the order of the tensor's strides, as
    /// `partition_fragment_A`, `_B` and `_C` allocate them.
    ///
    /// # Errors
    /// As [`TiledMma::partition`].
    pub fn fragment(&self, operand: Operand, tensor: &Layout) -> Result<Layout, Error> {
        let held = self.partition(operand, tensor, 0)?.layout;
        match operand {
            // Accumulators lie in the order of their modes, whatever the tensor is.
            Operand::C => column_major(&held.shape()),
            // The values of one instruction lie side by side, and values that the tensor repeats are held once.
            Operand::A | Operand::B => {
                let values = held.get(&[0])?;
                let mut size = Int::from(1);
                let mut compact = |at: usize| -> Result<Stride, Error> {
                    let (Some(extent), Some(stride)) = (values.extents().get(at), values.strides().get(at)) else {
                        return Ok(Stride::default());
                    };
                    if stride.is_zero() || extent.is(1) {
                        return Ok(Stride::default());
                    }
                    let own = Stride::Int(size.clone());
                    size = size.mul(extent)?;
                    Ok(own)
                };
                let mut at = 0..;
                let strides = values.shape().try_map(|_| compact(at.next().unwrap_or(usize::MAX)))?;
                let block = Layout::new(values.shape(), strides)?;
                let rest = Layout::of(&held.modes().into_iter().skip(1).collect::<Vec<_>>());
                let order = rest.stride().try_map(|stride| {
                    stride.as_integer().cloned().ok_or_else(|| {
                        error!(Code::Kind, "{tensor} leads to coordinates, which have no order in memory", [tensor])
                    })
                })?;
                tiled_product(&block, &Tiler::Layout(make_ordered_layout(&rest.shape(), &order)?))
            }
        }
    }
}
