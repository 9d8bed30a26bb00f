//! The operations on shared memory for matrix instructions, under the names of CUTLASS's helpers: tiles of A, B and the epilogue, and
//! the scale factors of block-scaled instructions.

use super::atoms::{instruction, partition_shape_of as partition_shape, tiled_mma};
use super::descriptors::{generation, major};
use super::notes::cover_modes;
use super::numbers::{bits, number, numbers};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    BLOCK, CTA_TILE_MNK, ELEMENT_TYPE_OR_BITS, EPILOGUE_TILE, MAJOR, MMA_OR_MAJOR, MODE_ORDER, OWN_MAJOR,
    SCALED_ELEMENTS, SCALED_SHAPE, SMEM_TILE, STAGES, TENSOR_CORES, TILE_OF_MMA, TILED_MMA,
};
use super::value::Value;
use bitstride::cute::{
    Function, Layout, Operand, TiledMma, Tiler, coalesce, column_major, cosize, filter_zeros, logical_divide,
    right_inverse, tile_to_shape, tiled_divide, tiled_product,
};
use bitstride::memory::{Generation, Major, smem_layout, tile_smem_atom, tile_to_mma_shape, widest_smem_atom};
use bitstride::{Code, Error, Int, Integer, Stride, Tuple, error, shape_div};

constructor!(hardware, Hardware);

/// Scale factors of rows along which one block of memory holds four of each.
const SCALED_ROWS: i64 = 128;

pub(super) const SMEM: &[Operation] = &[
    hardware(
        "smem_layout",
        &[MAJOR, SMEM_TILE, ELEMENT_TYPE_OR_BITS, TENSOR_CORES.optional()],
        "shared memory for a tile: the atom of the widest swizzle that its contiguous mode has room for, repeated, as CUTLASS chooses it",
        "smem_layout(K, (128,64,4), 16)",
        |v, notes| {
            let tile = arg(v, 1)?.as_shape()?;
            let layout = smem_layout(major(arg(v, 0)?)?, &tile, bits(arg(v, 2)?)?, generation(v, 3)?)?;
            covered(layout, &tile, notes)
        },
    ),
    hardware(
        "make_smem_layout_a",
        &[MMA_OR_MAJOR, CTA_TILE_MNK, ELEMENT_TYPE_OR_BITS, STAGES, OWN_MAJOR],
        "shared memory for the stages of A: by which of its modes is contiguous, as on Hopper, or by a matrix instruction, which cuts the tile",
        "make_smem_layout_a(K, (128,256,64), 16, 4)",
        |v, notes| of_operand(v, Operand::A, notes),
    ),
    hardware(
        "make_smem_layout_b",
        &[MMA_OR_MAJOR, CTA_TILE_MNK, ELEMENT_TYPE_OR_BITS, STAGES, OWN_MAJOR],
        "shared memory for the stages of B: by which of its modes is contiguous, as on Hopper, or by a matrix instruction, which cuts the tile",
        "make_smem_layout_b(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>, (128,256,64), 16, 4, K)",
        |v, notes| of_operand(v, Operand::B, notes),
    ),
    hardware(
        "make_smem_layout_epi",
        &[ELEMENT_TYPE_OR_BITS, MAJOR, EPILOGUE_TILE, STAGES, TENSOR_CORES.optional()],
        "shared memory for the stages of C or D, whose columns are contiguous under K, its rows under MN",
        "make_smem_layout_epi(16, K, (64,32), 2)",
        |v, notes| {
            let (bits, major) = (bits(arg(v, 0)?)?, major(arg(v, 1)?)?);
            let Tiler::Modes(entries) = arg(v, 2)?.as_tiler()? else { return Err(no_tile(arg(v, 2)?)) };
            let [rows, columns] = entries.as_slice() else { return Err(no_tile(arg(v, 2)?)) };
            // The swizzle spans what lies side by side in the tensor, and the tile has all of its elements.
            let side_by_side = if major == Major::K { columns } else { rows };
            let atom = widest_smem_atom(major, run(side_by_side)?, bits, generation(v, 4)?)?;
            let tile = Tuple::flat(&[extent(rows)?, extent(columns)?, arg(v, 3)?.as_int()?]);
            covered(tile_smem_atom(&atom, major, &tile)?, &tile, notes)
        },
    ),
    hardware(
        "tile_to_mma_shape",
        &[BLOCK, TILE_OF_MMA, MODE_ORDER.optional()],
        "the block repeated over the tile of a matrix instruction, ((mn,k), copies along mn, copies along k, …)",
        "tile_to_mma_shape((8,64):(64,1), ((128,16),1,4,3))",
        |v, _| {
            let order = v.get(2).map(Value::as_shape).transpose()?;
            tile_to_mma_shape(&arg(v, 0)?.as_function()?, &arg(v, 1)?.as_shape()?, order.as_ref()).map(Value::from)
        },
    ),
    hardware(
        "tile_atom_to_shape_SF",
        &[SCALED_SHAPE, SCALED_ELEMENTS],
        "scale factors of a tensor (mn,k,l) in memory: blocks of 128 rows by four scales, first along k",
        "tile_atom_to_shape_SF((256,512,1), 16)",
        |v, notes| {
            let tensor = arg(v, 0)?.as_shape()?;
            let order = [2, 1, 3].map(Int::from);
            let order = Tuple::flat(order.get(..tensor.rank().min(3)).unwrap_or_default());
            let layout = tile_to_shape(&scale_block(number(v, 1)?)?, &tensor, Some(&order))?;
            covered(Function::Layout(layout), &tensor, notes)
        },
    ),
    hardware(
        "make_smem_layout_sf",
        &[SCALED_SHAPE, SCALED_ELEMENTS, STAGES],
        "shared memory for the stages of the scale factors of a tile (mn,k)",
        "make_smem_layout_sf((128,256), 16, 3)",
        |v, notes| {
            let tile = arg(v, 0)?.as_shape()?;
            let layout =
                tile_to_shape(&scale_block(number(v, 1)?)?, &tile, Some(&Tuple::flat(&[2, 1].map(Int::from))))?;
            let layout = staged(&layout, &arg(v, 2)?.as_int()?)?;
            covered(Function::Layout(layout), &tile, notes)
        },
    ),
    hardware(
        "make_smem_layout_sfa",
        &[TILED_MMA, CTA_TILE_MNK, SCALED_ELEMENTS, STAGES],
        "shared memory for the stages of the scale factors of A, cut by a block-scaled instruction",
        "make_smem_layout_sfa(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,256,16>, (128,256,256), 16, 3)",
        |v, _| of_scales(v, Operand::A),
    ),
    hardware(
        "make_smem_layout_sfb",
        &[TILED_MMA, CTA_TILE_MNK, SCALED_ELEMENTS, STAGES],
        "shared memory for the stages of the scale factors of B, cut by a block-scaled instruction",
        "make_smem_layout_sfb(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,256,16>, (128,256,256), 16, 3)",
        |v, _| of_scales(v, Operand::B),
    ),
];

/// A layout that covers a tile; said where it is longer along a mode.
fn covered(layout: Function, tile: &Tuple<Int>, notes: &mut Vec<String>) -> Result<Value, Error> {
    cover_modes(&layout, tile, notes)?;
    Ok(layout.into())
}

fn no_tile(value: &Value) -> Error {
    error!(Code::Kind, "the tile of an epilogue is (rows,columns), each a number or a layout; {value} is none", [value])
}

/// How many elements of a mode of a tile lie side by side.
fn run(mode: &Tiler) -> Result<i64, Error> {
    match mode {
        Tiler::Layout(layout) => coalesce(&right_inverse(layout)?)?.size()?.as_number(),
        _ => extent(mode)?.as_number(),
    }
}

/// How many elements a mode of a tile has.
fn extent(mode: &Tiler) -> Result<Int, Error> {
    match mode {
        Tiler::Extent(extent) => Ok(extent.clone()),
        Tiler::Layout(layout) => layout.size(),
        Tiler::Keep | Tiler::Modes(_) => {
            Err(error!(Code::Kind, "{mode} is no mode of a tile in shared memory", [mode]))
        }
    }
}

/// Numbers M, N and K of a tile.
fn tile_mnk(value: &Value) -> Result<[i64; 3], Error> {
    let extents = numbers(value)?;
    extents.as_slice().try_into().map_err(|_| error!(Code::RankMismatch, "the tile is (M,N,K), not {value}", [value]))
}

/// The stages of A or B.
fn of_operand(v: &[Value], operand: Operand, notes: &mut Vec<String>) -> Result<Value, Error> {
    let (tile, bits, stages) = (tile_mnk(arg(v, 1)?)?, bits(arg(v, 2)?)?, arg(v, 3)?.as_int()?);
    let plane = operand.modes().map(|mode| Int::from(tile.get(mode).copied().unwrap_or(1)));
    let said = v.get(4).map(major).transpose()?;
    let Ok(own) = major(arg(v, 0)?) else {
        let whole = instruction(arg(v, 0)?)?;
        let majors = whole.atom()?.majors().map(|[a, b]| if operand == Operand::A { a } else { b });
        let major = said.or(majors).ok_or_else(|| {
            error!(Code::NoLayout, "nothing says along which mode {operand} is contiguous", [operand = format!("{operand:?}")])
                .with_help("give K or MN last, `is_k_major=True` in CuTe DSL, or the instruction with UMMA::Major::K and UMMA::Major::K in its name")
        })?;
        let shape = partition_shape(&tiled_mma(arg(v, 0)?)?, operand, &Tuple::flat(&plane))?;
        let cores = if whole.to_string().contains("SM90_") { Generation::Wgmma } else { Generation::Tcgen05 };
        let shape = shape.append(&Tuple::leaf(stages));
        return covered(smem_layout(major, &shape, bits, cores)?, &shape, notes);
    };
    let tile = Tuple::flat(&plane).append(&Tuple::leaf(stages));
    covered(smem_layout(said.unwrap_or(own), &tile, bits, Generation::Wgmma)?, &tile, notes)
}

/// A block of scale factors: 32 x 4 rows of four scales side by side, each of some elements along k.
fn scale_block(elements: i64) -> Result<Layout, Error> {
    if !(1..=SCALED_ROWS).contains(&elements) {
        return Err(error!(
            Code::Range,
            "a scale is of {elements} elements, and of {least} to {most} in a block",
            [elements, least = 1, most = SCALED_ROWS]
        ));
    }
    format!("((32,4),({elements},4)):((16,4),(0,1))").parse()
}

/// A layout in stages, each behind the places of the one before.
fn staged(layout: &Layout, stages: &Int) -> Result<Layout, Error> {
    let step = cosize(&filter_zeros(layout)?)?;
    let mut modes = layout.modes();
    modes.push(Layout::new(Tuple::leaf(stages.clone()), Tuple::leaf(Stride::Int(step)))?);
    Ok(Layout::of(&modes))
}

/// What one extent is of another, of which it is a whole number.
fn quotient(whole: i64, part: i64) -> Result<i64, Error> {
    match whole.checked_rem(part) {
        Some(0) if part > 0 => Ok(whole / part),
        _ => Err(error!(Code::NotDivisible, "{whole} is no multiple of {part}", [whole, part])),
    }
}

/// The stages of the scale factors of A or B.
fn of_scales(v: &[Value], operand: Operand) -> Result<Value, Error> {
    let mma = tiled_mma(arg(v, 0)?)?;
    let (tile, elements, stages) = (tile_mnk(arg(v, 1)?)?, number(v, 2)?, arg(v, 3)?.as_int()?);
    let name = instruction(arg(v, 0)?)?.to_string();
    let layout = match () {
        () if name.contains("SM103_") => scales_of_ultra(&mma, operand, tile, elements)?,
        () if name.contains("SM120_") => scales_of_a_warp(&mma, operand, tile, elements)?,
        () => scales_of_tensor_memory(&mma, operand, tile, elements)?,
    };
    staged(&layout, &stages).map(Value::from)
}

/// Of `tcgen05`: rows of one CTA, those of B in whole blocks, cut by the instruction and then into blocks.
fn scales_of_tensor_memory(mma: &TiledMma, operand: Operand, tile: [i64; 3], elements: i64) -> Result<Layout, Error> {
    let ([m, n, k], shape) = (tile, mma.atom().shape);
    let (rows, copies) = match operand {
        Operand::A => (quotient(m, mma.atom().threads.size()?.as_number()?)?, quotient(m, shape[0])?),
        _ => {
            let blocks = Int::from(n).ceil_div(&Int::from(SCALED_ROWS))?;
            (blocks.mul(&Int::from(SCALED_ROWS))?.as_number()?, quotient(n, shape[1])?)
        }
    };
    let pair = |a: i64, b: i64| Tuple::flat(&[Int::from(a), Int::from(b)]);
    let whole = tile_to_shape(&scale_block(elements)?, &pair(rows, k), Some(&pair(2, 1)))?;
    let of_one = shape_div(&pair(rows, k), &pair(copies, quotient(k, shape[2])?))?;
    let cut = tiled_divide(&whole, &Tiler::of_shape(&of_one))?;
    logical_divide(&cut, &Tiler::Modes(vec![Tiler::of_shape(&pair(SCALED_ROWS, elements))]))
}

/// Of the instructions that have K of 96: blocks of 8 x 4 x 4 rows repeated over what one instruction has of three times as much K.
fn scales_of_ultra(mma: &TiledMma, operand: Operand, tile: [i64; 3], elements: i64) -> Result<Layout, Error> {
    let [m, n, k] = tile;
    let part = if elements == 16 { 4 } else { 2 };
    let blocks = |block: Layout, rows: i64, columns: i64| -> Result<Layout, Error> {
        let extents = block.modes().iter().map(Layout::size).collect::<Result<Vec<_>, _>>()?;
        let copies = shape_div(&Tuple::flat(&[Int::from(rows), Int::from(columns)]), &Tuple::flat(&extents))?;
        tiled_product(&block, &Tiler::Layout(column_major(&copies)?))
    };
    let block: Layout = format!("((8,4,4),({elements},4)):((16,128,4),(0,1))").parse()?;
    if operand == Operand::A {
        let shape = partition_shape(mma, Operand::A, &Tuple::flat(&[Int::from(m), Int::from(k)]))?;
        let extents: Vec<i64> = shape.leaves().iter().map(Int::as_number).collect::<Result<_, _>>()?;
        let [rows, columns, copies_m, copies_k] = extents.as_slice() else {
            return Err(error!(
                Code::RankMismatch,
                "the tile of one CTA is ((m,k), copies, copies), not {shape}",
                [shape]
            ));
        };
        let of = |a: i64, b: i64| a.checked_mul(b).ok_or_else(|| Error::overflow("the tile of scale factors"));
        return blocks(block, of(*rows, *copies_m)?, quotient(of(*columns, *copies_k)?, part)?);
    }
    let columns = quotient(k, part)?;
    if n == SCALED_ROWS {
        return blocks(block, n, columns);
    }
    let step = quotient(columns, elements)?.checked_div(4).and_then(|blocks| blocks.checked_mul(512));
    let step = step.ok_or_else(|| Error::overflow("the step of a block"))?;
    blocks(format!("((32,4,2),({elements},4)):((16,4,{step}),(0,1))").parse()?, n, columns)
}

/// Of a warp: blocks along M or N, the scales of one instruction apart from those of the others in a block.
fn scales_of_a_warp(mma: &TiledMma, operand: Operand, tile: [i64; 3], elements: i64) -> Result<Layout, Error> {
    let [m, n, k] = tile;
    let blocks = quotient(if operand == Operand::A { m } else { n }, SCALED_ROWS)?;
    let scales = quotient(mma.atom().shape[2], elements)?;
    let (instructions, more) = (quotient(4, scales)?, quotient(k, elements.checked_mul(4).unwrap_or(k))?);
    let step = blocks.checked_mul(512).ok_or_else(|| Error::overflow("the step of a block"))?;
    format!("(((32,4),{blocks}),(({elements},{scales}),{instructions},{more})):(((16,4),512),((0,1),{scales},{step}))")
        .parse()
}
