//! Encodings from their definitions: identities appended one after the other, then fitted to the shape. Only the parameters
//! are those of the fast path.

use bitstride::triton::{
    AmdMfma, AmdWmma, Blocked, Cga, DotOperand, Encoding, Linear as Bases, NvidiaMma, Phase, Repetition, Sizes,
    SwizzledShared, TensorMemory, TensorMemoryScales,
};
use bitstride_oracle::reference::{Linear, OracleError};

const REGISTER: &str = "register";
const LANE: &str = "lane";
const WARP: &str = "warp";

type Made = Result<Linear, OracleError>;

fn name(dim: usize) -> String {
    format!("dim{dim}")
}

fn sized(shape: &[i64]) -> Vec<(String, i64)> {
    shape.iter().enumerate().map(|(dim, size)| (name(dim), *size)).collect()
}

fn refused(why: &str) -> OracleError {
    OracleError::Malformed(why.to_owned())
}

/// Nothing, over dims in this order: further identities keep it.
fn nothing(order: &[usize]) -> Made {
    let ins = [REGISTER, LANE, WARP].map(|place| (place.to_owned(), Vec::new()));
    Linear::new(ins.to_vec(), order.iter().map(|dim| (name(*dim), 1)).collect())
}

/// A tile that is appended to.
struct Tile(Linear);

impl Tile {
    fn new(order: &[usize]) -> Result<Self, OracleError> {
        nothing(order).map(Tile)
    }

    fn identity(self, size: i64, place: &str, dim: usize) -> Result<Self, OracleError> {
        self.0.beside(&Linear::identity(size, place, &name(dim))?).map(Tile)
    }

    fn zeros(self, size: i64, place: &str, dim: usize) -> Result<Self, OracleError> {
        self.0.beside(&Linear::zeros(size, place, &name(dim))?).map(Tile)
    }

    fn each(self, sizes: &Sizes, place: &str, order: &[usize]) -> Result<Self, OracleError> {
        order.iter().try_fold(self, |tile, dim| tile.identity(sizes[*dim], place, *dim))
    }

    /// Warps that do not move along a dim.
    fn warps(self, sizes: &Sizes, order: &[usize], still: usize) -> Result<Self, OracleError> {
        order.iter().try_fold(self, |tile, dim| match *dim == still {
            true => tile.zeros(sizes[*dim], WARP, *dim),
            false => tile.identity(sizes[*dim], WARP, *dim),
        })
    }

    fn fit(self, order: &[usize], cga: &Linear, shape: &[i64], dropped: Option<&str>) -> Made {
        let names: Vec<String> = order.iter().map(|dim| name(*dim)).collect();
        self.0.with_outs(&names)?.over_blocks(cga, &sized(shape), dropped)
    }
}

/// The cluster, in tiles of a block; blocks along `still` hold the same.
fn cluster(cga: &Cga, rank: usize, still: Option<usize>) -> Made {
    let value = |basis: &Sizes, dim: usize| if still == Some(dim) { 0 } else { basis[dim] };
    let bases: Vec<Vec<i64>> = cga.bases.iter().map(|basis| (0..rank).map(|dim| value(basis, dim)).collect()).collect();
    let reach = |dim: usize| bases.iter().map(|basis| basis[dim]).max().unwrap_or(0);
    let outs = (0..rank).map(|dim| (name(dim), above(reach(dim)))).collect();
    Linear::new(vec![("block".to_owned(), bases)], outs)
}

/// The least power of two above a number.
fn above(value: i64) -> i64 {
    let mut size = 1;
    while size <= value {
        size *= 2;
    }
    size
}

fn dims(order: &Sizes) -> Vec<usize> {
    order.iter().map(|dim| usize::try_from(*dim).expect("a dim")).collect()
}

/// The layout of an encoding for a shape; an error where it is no layout.
pub fn slow(encoding: &Encoding, shape: &[i64]) -> Made {
    match encoding {
        Encoding::Blocked(encoding) => blocked(encoding, shape),
        Encoding::NvidiaMma(encoding) => nvidia_mma(encoding, shape),
        Encoding::AmdMfma(encoding) => amd_mfma(encoding, shape),
        Encoding::AmdWmma(encoding) => amd_wmma(encoding, shape),
        Encoding::DotOperand(encoding) => dot_operand(encoding, shape),
        Encoding::Linear(encoding) => linear(encoding, shape),
        Encoding::Slice(encoding) => {
            let dim = usize::try_from(encoding.dim).expect("a dim");
            let mut whole = shape.to_vec();
            whole.insert(dim, 1);
            let parent = slow(&encoding.parent, &whole)?;
            let without = |basis: &Vec<i64>| {
                let mut basis = basis.clone();
                basis.remove(dim);
                basis
            };
            let ins = parent.bases().iter().map(|(place, bases)| {
                let bases =
                    bases.iter().map(without).filter(|basis| place != REGISTER || basis.iter().any(|n| *n != 0));
                (place.clone(), bases.collect())
            });
            Linear::new(ins.collect(), sized(shape))
        }
        Encoding::SwizzledShared(encoding) => swizzled(encoding, shape),
        Encoding::TensorMemory(encoding) => tensor_memory(encoding, shape),
        Encoding::TensorMemoryScales(encoding) => scales(encoding, shape),
        _ => Err(refused("not defined here")),
    }
}

fn blocked(e: &Blocked, shape: &[i64]) -> Made {
    let order = dims(&e.order);
    Tile::new(&order)?
        .each(&e.size_per_thread, REGISTER, &order)?
        .each(&e.threads_per_warp, LANE, &order)?
        .each(&e.warps_per_cta, WARP, &order)?
        .fit(&order, &cluster(&e.cga, shape.len(), None)?, shape, Some(REGISTER))
}

/// The dims from the last to the first, with two of them first.
fn first_two(rank: usize, inner: usize, outer: usize) -> Vec<usize> {
    [inner, outer].into_iter().chain((0..rank).rev().filter(|dim| *dim != inner && *dim != outer)).collect()
}

/// Registers and four lanes along one dim, eight lanes along the other, then registers over what is left of the tile.
fn mma_tile(order: &[usize], width: i64, rows: i64, columns: i64) -> Result<Tile, OracleError> {
    let (inner, outer) = (order[0], order[1]);
    Tile::new(order)?
        .identity(width, REGISTER, inner)?
        .identity(4, LANE, inner)?
        .identity(8, LANE, outer)?
        .identity(rows / 8, REGISTER, outer)?
        .identity(columns / (4 * width), REGISTER, inner)
}

/// The order in which warps go: rows first in version 3.
fn warp_order(e: &NvidiaMma, rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).rev().collect();
    if e.version_major == 3 {
        order.reverse();
    }
    order
}

fn nvidia_mma(e: &NvidiaMma, shape: &[i64]) -> Made {
    let rank = shape.len();
    let at = if e.version_major == 3 { 0 } else { rank - 2 };
    let order = first_two(rank, rank - 1, rank - 2);
    mma_tile(&order, 2, e.instr_shape[at], e.instr_shape[at + 1])?
        .each(&e.warps_per_cta, WARP, &warp_order(e, rank))?
        .fit(&order, &cluster(&e.cga, rank, None)?, shape, None)
}

fn amd_mfma(e: &AmdMfma, shape: &[i64]) -> Made {
    let rank = shape.len();
    let (m, n) = (rank - 2, rank - 1);
    let order = first_two(rank, n, m);
    let (rows, columns) = (e.instr_shape[0], e.instr_shape[1]);
    let height = if e.element_bits == 64 { 1 } else { 4 };
    let tiles = rows * columns / (64 * height);
    let (along, across, lanes) = if e.transposed { (n, m, rows) } else { (m, n, columns) };
    let mut tile = Tile::new(&order)?
        .identity(height, REGISTER, along)?
        .identity(lanes, LANE, across)?
        .identity(64 / lanes, LANE, along)?
        .identity(tiles.max(1), REGISTER, along)?
        .identity(e.tiles_per_warp[n], REGISTER, n)?
        .identity(e.warps_per_cta[n], WARP, n)?;
    let reach = tile.0.outs().iter().find(|(own, _)| *own == name(n)).map_or(1, |(_, size)| *size);
    tile = tile.identity((shape[n] / reach).max(1), REGISTER, n)?;
    tile = tile.identity(e.tiles_per_warp[m], REGISTER, m)?.identity(e.warps_per_cta[m], WARP, m)?;
    for batch in 0..m {
        tile = tile.identity(e.warps_per_cta[batch], WARP, batch)?;
    }
    tile.fit(&order, &cluster(&e.cga, rank, None)?, shape, None)
}

/// What is repeated of an instruction's tile, in tiles.
fn repeated(e: &AmdWmma, still: Option<usize>) -> Made {
    let moved = |bases: &[Sizes], keep_zeros: bool| -> Vec<Vec<i64>> {
        let bases = bases
            .iter()
            .map(|basis| (0..e.rank).map(|dim| if still == Some(dim) { 0 } else { basis[dim] }).collect::<Vec<_>>());
        bases.filter(|basis| keep_zeros || basis.iter().any(|value| *value != 0)).collect()
    };
    let (registers, warps) = (moved(&e.register_bases, still.is_none()), moved(&e.warp_bases, true));
    let reach = |dim: usize| registers.iter().chain(&warps).map(|basis| basis[dim]).max().unwrap_or(0);
    let outs = (0..e.rank).map(|dim| (name(dim), above(reach(dim)))).collect();
    Linear::new(vec![(REGISTER.to_owned(), registers), (LANE.to_owned(), Vec::new()), (WARP.to_owned(), warps)], outs)
}

fn amd_wmma(e: &AmdWmma, shape: &[i64]) -> Made {
    let rank = shape.len();
    let (m, n) = if e.transposed { (rank - 1, rank - 2) } else { (rank - 2, rank - 1) };
    let (registers, lane): (&[i64], i64) = match (e.version, e.instr_shape[0]) {
        (1, _) => (&[2, 4, 8], 1),
        (_, 32) => (&[1, 2, 4, 16], 8),
        _ => (&[1, 2, 4], 8),
    };
    let along = |dim: usize, value: i64| (0..rank).map(|own| if own == dim { value } else { 0 }).collect::<Vec<_>>();
    let lanes = [1, 2, 4, 8].map(|value| along(n, value)).into_iter().chain([along(m, lane)]).collect();
    let registers = registers.iter().map(|value| along(m, *value)).collect();
    let size = |dim: usize| {
        if dim == m {
            e.instr_shape[0]
        } else if dim == n {
            16
        } else {
            1
        }
    };
    let ins = vec![(REGISTER.to_owned(), registers), (LANE.to_owned(), lanes), (WARP.to_owned(), Vec::new())];
    let tile = Linear::new(ins, (0..rank).map(|dim| (name(dim), size(dim))).collect())?;
    let order: Vec<usize> = (0..rank).rev().collect();
    Tile(tile.beside(&repeated(e, None)?)?).fit(&order, &cluster(&e.cga, rank, None)?, shape, None)
}

fn dot_operand(e: &DotOperand, shape: &[i64]) -> Made {
    let rank = shape.len();
    let (k, across) = if e.operand == 0 { (rank - 1, rank - 2) } else { (rank - 2, rank - 1) };
    let order = first_two(rank, k, across);
    match e.parent.as_ref() {
        Encoding::Blocked(parent) => {
            let order = dims(&parent.order);
            let mut registers = parent.size_per_thread.clone();
            registers[k] = shape[k];
            let mut tile = Tile::new(&order)?.each(&registers, REGISTER, &order)?;
            for dim in &order {
                let lanes = parent.threads_per_warp[*dim];
                tile = if *dim == k { tile.zeros(lanes, LANE, k)? } else { tile.identity(lanes, LANE, *dim)? };
            }
            let tile = tile.warps(&parent.warps_per_cta, &order, k)?;
            tile.fit(&order, &cluster(&parent.cga, rank, Some(k))?, shape, None)
        }
        Encoding::NvidiaMma(parent) => {
            let rows = parent.instr_shape[rank - 2];
            // Doubles have an instruction of eight rows and of K = 4.
            let depth = e.k_width * if rows == 8 { 4 } else { 8 };
            let tile = mma_tile(&order, e.k_width, if e.operand == 0 { rows } else { 8 }, depth)?;
            let tile = tile.warps(&parent.warps_per_cta, &warp_order(parent, rank), k)?;
            tile.fit(&order, &cluster(&parent.cga, rank, Some(k))?, shape, None)
        }
        Encoding::AmdMfma(parent) => {
            let (rows, columns) = (parent.instr_shape[0], parent.instr_shape[1]);
            let lanes = if e.operand == 0 { rows } else { columns };
            let repeat = if lanes == 64 { 16 } else { 1 };
            let depth = 64 / lanes * e.k_width * repeat;
            Tile::new(&order)?
                .identity(e.k_width, REGISTER, k)?
                .identity(lanes, LANE, across)?
                .identity(64 / lanes, LANE, k)?
                .identity(repeat, REGISTER, k)?
                .identity((shape[k] / depth).max(1), REGISTER, k)?
                .identity(parent.tiles_per_warp[across], REGISTER, across)?
                .warps(&parent.warps_per_cta, &(0..rank).rev().collect::<Vec<_>>(), rank)?
                .fit(&order, &cluster(&parent.cga, rank, None)?, shape, None)
        }
        Encoding::AmdWmma(parent) => {
            // The side of the instruction that is not 16 wide, if any: that of B's columns where it is transposed.
            let wide = (e.operand == 0) != parent.transposed && parent.instr_shape[0] == 32;
            let tile = Tile::new(&order)?.identity(e.k_width, REGISTER, k)?.identity(16, LANE, across)?;
            let tile = if parent.version == 1 { tile.zeros(2, LANE, k)? } else { tile.identity(2, LANE, k)? };
            let tile = tile.identity((parent.instr_shape[2] / (2 * e.k_width)).max(1), REGISTER, k)?.identity(
                if wide { 2 } else { 1 },
                REGISTER,
                across,
            )?;
            Tile(tile.0.beside(&repeated(parent, Some(k))?)?).fit(
                &order,
                &cluster(&parent.cga, rank, Some(k))?,
                shape,
                None,
            )
        }
        _ => Err(refused("a parent without operands")),
    }
}

fn linear(e: &Bases, shape: &[i64]) -> Made {
    let places = [(REGISTER, &e.register), (LANE, &e.lane), (WARP, &e.warp), ("block", &e.block)];
    let ins: Vec<(String, Vec<Vec<i64>>)> = places
        .iter()
        .map(|(place, bases)| ((*place).to_owned(), bases.iter().map(|basis| basis.to_vec()).collect()))
        .collect();
    let all = || places.iter().flat_map(|(_, bases)| bases.iter());
    let reach = |dim: usize| all().map(|basis| basis[dim]).max().unwrap_or(0);
    let outs = (0..e.rank).map(|dim| (name(dim), above(reach(dim)))).collect();
    let moved = e.register.iter().filter_map(|basis| basis.iter().position(|value| *value != 0));
    let mut order: Vec<usize> = Vec::new();
    for dim in moved.chain((0..e.rank).rev()) {
        if !order.contains(&dim) {
            order.push(dim);
        }
    }
    let names: Vec<String> = order.iter().map(|dim| name(*dim)).collect();
    let sizes = sized(shape);
    let fitted = Linear::new(ins, outs)?.with_outs(&names)?.grown(&sizes)?.shrunk(&sizes, Some(REGISTER))?;
    fitted.with_outs(&(0..e.rank).map(name).collect::<Vec<_>>())
}

fn swizzled(e: &SwizzledShared, shape: &[i64]) -> Made {
    let (order, rank) = (dims(&e.order), shape.len());
    let blocks = cluster(&e.cga, rank, None)?;
    let own = |dim: usize| (shape[dim] / blocks.outs()[dim].1.min(shape[dim])).max(1);
    // The rotating form is made for all blocks and cut.
    let size = |dim: usize| if e.phase == Phase::Row || rank < 2 { own(dim) } else { shape[dim] };
    let (mut bases, mut outs) = (Vec::new(), Vec::new());
    for (at, dim) in order.iter().enumerate() {
        let mut bit = 1;
        while bit < size(*dim) {
            let turn = bit / e.per_phase;
            let phase = match e.phase {
                Phase::Row => turn % e.max_phase,
                Phase::Rotating => (turn % e.max_phase) ^ (turn / e.max_phase % e.max_phase),
            };
            let column = if at == 1 { e.vec * phase % size(order[0]) } else { 0 };
            let value = |other: &usize| {
                if other == dim {
                    bit
                } else if *other == order[0] {
                    column
                } else {
                    0
                }
            };
            bases.push(order.iter().map(value).collect());
            bit *= 2;
        }
        outs.push((name(*dim), size(*dim)));
    }
    Linear::new(vec![("offset".to_owned(), bases)], outs)?.over_blocks(&blocks, &sized(shape), None)
}

fn tensor_memory(e: &TensorMemory, shape: &[i64]) -> Made {
    let blocks = cluster(&e.cga, 2, None)?;
    let own: Vec<i64> = shape.iter().zip(blocks.outs()).map(|(size, (_, blocks))| size / blocks).collect();
    if own[0] < e.block_m || own[1] < 1 {
        return Err(refused("the shape has fewer rows than a block, or no column"));
    }
    let wide = e.block_n.min(own[1]);
    let stride = if e.fp4_padded { 2 } else { e.col_stride };
    let start = Linear::zeros(1, "row", "dim0")?.beside(&Linear::zeros(stride, "col", "dim1")?)?;
    let rows = |size: i64| Linear::identity(size, "row", "dim0");
    let columns = |size: i64| Linear::identity(size, "col", "dim1");
    let mut tile = if e.block_m == 128 {
        start.beside(&rows(128)?)?.beside(&columns(wide)?)?
    } else {
        // The next block fills the upper half of each 32 rows, where there is one.
        let (half, outs) = if own[0] > 64 {
            ([64, 0], [128, wide])
        } else if own[1] > wide {
            ([0, wide], [64, 2 * wide])
        } else {
            ([0, 0], [64, wide])
        };
        let first = start.beside(&rows(16)?)?.beside(&columns(wide)?)?;
        let mut ins = first.bases().to_vec();
        ins[0].1.extend([half.to_vec(), vec![16, 0], vec![32, 0]]);
        Linear::new(ins, vec![("dim0".to_owned(), outs[0]), ("dim1".to_owned(), outs[1])])?
    };
    for (dim, size) in own.iter().enumerate() {
        let reach = tile.outs()[dim].1;
        tile = tile.beside(&Linear::identity(size / reach, "col", &name(dim))?)?;
    }
    tile.beside(&blocks)
}

fn scales(e: &TensorMemoryScales, shape: &[i64]) -> Made {
    let blocks = cluster(&e.cga, 2, None)?;
    let own: Vec<i64> = shape.iter().zip(blocks.outs()).map(|(size, (_, blocks))| size / blocks).collect();
    if own.contains(&0) {
        return Err(refused("a block without elements"));
    }
    let tile = Linear::identity(32, "row", "dim0")?
        .beside(&Linear::zeros(4, "row", "dim0")?)?
        .beside(&Linear::identity(4, "col", "dim1")?)?
        .beside(&Linear::identity(2, "col", "dim0")?)?
        .beside(&Linear::identity((own[0].min(128) / 64).max(1), "col", "dim0")?)?;
    let repeats = [(0, (own[0] / 128).max(1)), (1, (own[1] / 4).max(1))];
    let order = if e.order == Repetition::RowsFirst { [0, 1] } else { [1, 0] };
    let tile = order.iter().try_fold(tile, |tile, at: &usize| {
        let (dim, times) = repeats[*at];
        tile.beside(&Linear::identity(times, "col", &name(dim))?)
    })?;
    tile.shrunk(&sized(&own), None)?.beside(&blocks)
}
