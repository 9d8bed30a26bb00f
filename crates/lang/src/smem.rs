//! The operations on shared memory for matrix instructions, under the names of CUTLASS's helpers: tiles of A, B and the epilogue, and
//! the scale factors of block-scaled instructions.

use super::atoms::{instruction, partition_shape_of as partition_shape, tiled_mma};
use super::derivation::Derivation;
use super::descriptors::{generation, major};
use super::notes::cover_modes;
use super::numbers::{bits, number, numbers, tuple};
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
use bitstride::memory::{
    Generation, Major, contiguous_elements, modes_of_mma_tile, smem_tile_order, tile_smem_atom, tile_to_mma_shape,
    widest_smem_atom,
};
use bitstride::{Code, Error, Int, Integer, Stride, Tuple, error, shape_div};

constructor!(hardware, Hardware, Derived, Derive);

/// Scale factors of rows along which one block of memory holds four of each.
const SCALED_ROWS: i64 = 128;

pub(super) const SMEM: &[Operation] = &[
    hardware(
        "smem_layout",
        &[MAJOR, SMEM_TILE, ELEMENT_TYPE_OR_BITS, TENSOR_CORES.optional()],
        "shared memory for a tile: the atom of the widest swizzle that its contiguous mode has room for, repeated, as CUTLASS chooses it",
        "smem_layout(K, (128,64,4), 16)",
        |v, steps, notes| {
            let (major, tile) = (major(arg(v, 0)?)?, arg(v, 1)?.as_shape()?);
            let run = contiguous_elements(major, &tile)?;
            covered(of_run(major, run, &tile, bits(arg(v, 2)?)?, generation(v, 3)?, steps)?, &tile, notes)
        },
    ),
    hardware(
        "make_smem_layout_a",
        &[MMA_OR_MAJOR, CTA_TILE_MNK, ELEMENT_TYPE_OR_BITS, STAGES, OWN_MAJOR],
        "shared memory for the stages of A: by which of its modes is contiguous, as on Hopper, or by a matrix instruction, which cuts the tile",
        "make_smem_layout_a(K, (128,256,64), 16, 4)",
        |v, steps, notes| of_operand(v, Operand::A, steps, notes),
    ),
    hardware(
        "make_smem_layout_b",
        &[MMA_OR_MAJOR, CTA_TILE_MNK, ELEMENT_TYPE_OR_BITS, STAGES, OWN_MAJOR],
        "shared memory for the stages of B: by which of its modes is contiguous, as on Hopper, or by a matrix instruction, which cuts the tile",
        "make_smem_layout_b(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>, (128,256,64), 16, 4, K)",
        |v, steps, notes| of_operand(v, Operand::B, steps, notes),
    ),
    hardware(
        "make_smem_layout_epi",
        &[ELEMENT_TYPE_OR_BITS, MAJOR, EPILOGUE_TILE, STAGES, TENSOR_CORES.optional()],
        "shared memory for the stages of C or D, whose columns are contiguous under K, its rows under MN",
        "make_smem_layout_epi(16, K, (64,32), 2)",
        |v, steps, notes| {
            let (bits, major) = (bits(arg(v, 0)?)?, major(arg(v, 1)?)?);
            let Tiler::Modes(entries) = arg(v, 2)?.as_tiler()? else { return Err(no_tile(arg(v, 2)?)) };
            let [rows, columns] = entries.as_slice() else { return Err(no_tile(arg(v, 2)?)) };
            // The swizzle spans what lies side by side in the tensor, and the tile has all of its elements.
            let side_by_side = if major == Major::K { columns } else { rows };
            let tile = Tuple::flat(&[extent(rows)?, extent(columns)?, arg(v, 3)?.as_int()?]);
            covered(of_run(major, run(side_by_side)?, &tile, bits, generation(v, 4)?, steps)?, &tile, notes)
        },
    ),
    hardware(
        "tile_to_mma_shape",
        &[BLOCK, TILE_OF_MMA, MODE_ORDER.optional()],
        "the block repeated over the tile of a matrix instruction, ((mn,k), copies along mn, copies along k, …)",
        "tile_to_mma_shape((8,64):(64,1), ((128,16),1,4,3))",
        |v, steps, _| {
            let (block, tile) = (arg(v, 0)?.as_function()?, arg(v, 1)?.as_shape()?);
            let order = v.get(2).map(Value::as_shape).transpose()?;
            if let Some(modes) = modes_of_mma_tile(&tile) {
                let last = order.as_ref().map_or_else(String::new, |order| format!(", {order}"));
                let whole = format!("tile_to_shape({block}, {}{last})", Tuple::of(&modes));
                let cut = format!("tiled_divide({whole}, {})", tile.entry(0)?);
                let each = format!("((1,1){})", ",1".repeat(tile.rank().saturating_sub(1)));
                steps.line("The block repeated over the tile, each mode of an instruction with its copies:", || whole);
                steps.line("Inside one instruction first, then from copy to copy along both modes:", || cut.clone());
                steps.line("Each mode is merged by itself:", || format!("coalesce({cut}, {each})"));
            }
            tile_to_mma_shape(&block, &tile, order.as_ref()).map(Value::from)
        },
    ),
    hardware(
        "tile_atom_to_shape_SF",
        &[SCALED_SHAPE, SCALED_ELEMENTS],
        "scale factors of a tensor (mn,k,l) in memory: blocks of 128 rows by four scales, first along k",
        "tile_atom_to_shape_SF((256,512,1), 16)",
        |v, steps, notes| {
            let tensor = arg(v, 0)?.as_shape()?;
            let order = [2, 1, 3].map(Int::from);
            let order = Tuple::flat(order.get(..tensor.rank().min(3)).unwrap_or_default());
            let layout = repeated(&scale_block(number(v, 1)?)?, &tensor, &order, steps)?;
            covered(Function::Layout(layout), &tensor, notes)
        },
    ),
    hardware(
        "make_smem_layout_sf",
        &[SCALED_SHAPE, SCALED_ELEMENTS, STAGES],
        "shared memory for the stages of the scale factors of a tile (mn,k)",
        "make_smem_layout_sf((128,256), 16, 3)",
        |v, steps, notes| {
            let tile = arg(v, 0)?.as_shape()?;
            let layout = repeated(&scale_block(number(v, 1)?)?, &tile, &pair(2, 1), steps)?;
            let layout = staged(&layout, &arg(v, 2)?.as_int()?, steps)?;
            covered(Function::Layout(layout), &tile, notes)
        },
    ),
    hardware(
        "make_smem_layout_sfa",
        &[TILED_MMA, CTA_TILE_MNK, SCALED_ELEMENTS, STAGES],
        "shared memory for the stages of the scale factors of A, cut by a block-scaled instruction",
        "make_smem_layout_sfa(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,256,16>, (128,256,256), 16, 3)",
        |v, steps, _| of_scales(v, Operand::A, steps),
    ),
    hardware(
        "make_smem_layout_sfb",
        &[TILED_MMA, CTA_TILE_MNK, SCALED_ELEMENTS, STAGES],
        "shared memory for the stages of the scale factors of B, cut by a block-scaled instruction",
        "make_smem_layout_sfb(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,256,16>, (128,256,256), 16, 3)",
        |v, steps, _| of_scales(v, Operand::B, steps),
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
fn of_operand(v: &[Value], operand: Operand, steps: &mut Derivation, notes: &mut Vec<String>) -> Result<Value, Error> {
    let (tile, bits, stages) = (tile_mnk(arg(v, 1)?)?, bits(arg(v, 2)?)?, arg(v, 3)?.as_int()?);
    let modes = operand.modes();
    let plane = Tuple::flat(&modes.map(|mode| Int::from(tile.get(mode).copied().unwrap_or(1))));
    let [rows, columns] = modes.map(|mode| ["M", "N", "K"].get(mode).copied().unwrap_or("K"));
    steps.line(format!("{operand:?} has the modes {rows} and {columns} of the tile:"), || {
        format!("select({}, {}, {})", tuple(&tile), modes[0], modes[1])
    });
    let said = v.get(4).map(major).transpose()?;
    let Ok(own) = major(arg(v, 0)?) else {
        let whole = instruction(arg(v, 0)?)?;
        let majors = whole.atom()?.majors().map(|[a, b]| if operand == Operand::A { a } else { b });
        let major = said.or(majors).ok_or_else(|| {
            error!(Code::NoLayout, "nothing says along which mode {operand} is contiguous", [operand = format!("{operand:?}")])
                .with_help("give K or MN last, `is_k_major=True` in CuTe DSL, or the instruction with UMMA::Major::K and UMMA::Major::K in its name")
        })?;
        let shape = partition_shape(&tiled_mma(arg(v, 0)?)?, operand, &plane)?;
        steps.line("The instruction cuts them: first what one has, then how often that fits along both:", || {
            format!("partition_shape_{operand:?}({whole}, {plane})")
        });
        let cores = if whole.to_string().contains("SM90_") { Generation::Wgmma } else { Generation::Tcgen05 };
        return in_stages(major, &shape, &stages, (bits, cores), steps, notes);
    };
    in_stages(said.unwrap_or(own), &plane, &stages, (bits, Generation::Wgmma), steps, notes)
}

/// A tile in stages, of elements of some bits for some tensor cores.
fn in_stages(
    major: Major,
    tile: &Tuple<Int>,
    stages: &Int,
    (bits, cores): (i64, Generation),
    steps: &mut Derivation,
    notes: &mut Vec<String>,
) -> Result<Value, Error> {
    let whole = tile.append(&Tuple::leaf(stages.clone()));
    steps.line("The stages are the last mode:", || format!("append({tile}, {stages})"));
    covered(of_run(major, contiguous_elements(major, &whole)?, &whole, bits, cores, steps)?, &whole, notes)
}

/// The atom of the widest swizzle for a number of elements side by side, repeated over a tile.
fn of_run(
    major: Major,
    run: i64,
    tile: &Tuple<Int>,
    bits: i64,
    cores: Generation,
    steps: &mut Derivation,
) -> Result<Function, Error> {
    steps.line(format!("Side by side lie {run} elements of {bits} bits. In bits:"), || format!("{run}*{bits}"));
    let atom = widest_smem_atom(major, run, bits, cores)?;
    let rule = "Of the atoms whose rows divide that, with 128, 64, 32 or 16 bytes, this has the longest:";
    steps.line(rule, || atom.to_string());
    let repeat = if modes_of_mma_tile(tile).is_some() { "tile_to_mma_shape" } else { "tile_to_shape" };
    let order = smem_tile_order(major, tile);
    let rule = "It is repeated over the tile, along the modes in this order:";
    steps.line(rule, || format!("{repeat}({atom}, {tile}, {order})"));
    tile_smem_atom(&atom, major, tile)
}

/// A block repeated over a shape, along the modes in an order.
fn repeated(block: &Layout, shape: &Tuple<Int>, order: &Tuple<Int>, steps: &mut Derivation) -> Result<Layout, Error> {
    steps.line("One block, in which elements of one scale lie at one place:", || block.to_string());
    steps.line(format!("Blocks fill {shape}, along the modes in the order {order}:"), || {
        format!("tile_to_shape({block}, {shape}, {order})")
    });
    tile_to_shape(block, shape, Some(order))
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
fn staged(layout: &Layout, stages: &Int, steps: &mut Derivation) -> Result<Layout, Error> {
    let step = cosize(&filter_zeros(layout)?)?;
    steps.line("A stage has this many places:", || format!("cosize(filter_zeros({layout}))"));
    steps.line("The stages follow one another:", || format!("append({layout}, {stages}:{step})"));
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
fn of_scales(v: &[Value], operand: Operand, steps: &mut Derivation) -> Result<Value, Error> {
    let mma = tiled_mma(arg(v, 0)?)?;
    let (tile, elements, stages) = (tile_mnk(arg(v, 1)?)?, number(v, 2)?, arg(v, 3)?.as_int()?);
    let name = instruction(arg(v, 0)?)?.to_string();
    let layout = match () {
        () if name.contains("SM103_") => scales_of_ultra(&mma, operand, tile, elements, steps)?,
        () if name.contains("SM120_") => scales_of_a_warp(&mma, operand, tile, elements)?,
        () => scales_of_tensor_memory(&mma, operand, tile, elements, steps)?,
    };
    steps.line("So one stage is this:", || layout.to_string());
    staged(&layout, &stages, steps).map(Value::from)
}

/// Of `tcgen05`: rows of one CTA, those of B in whole blocks, cut by the instruction and then into blocks.
fn scales_of_tensor_memory(
    mma: &TiledMma,
    operand: Operand,
    tile: [i64; 3],
    elements: i64,
    steps: &mut Derivation,
) -> Result<Layout, Error> {
    let ([m, n, k], shape) = (tile, mma.atom().shape);
    let (rows, copies) = match operand {
        Operand::A => (quotient(m, mma.atom().threads.size()?.as_number()?)?, quotient(m, shape[0])?),
        _ => {
            let blocks = Int::from(n).ceil_div(&Int::from(SCALED_ROWS))?;
            (blocks.mul(&Int::from(SCALED_ROWS))?.as_number()?, quotient(n, shape[1])?)
        }
    };
    let whole = repeated(&scale_block(elements)?, &pair(rows, k), &pair(2, 1), steps)?;
    let copies = pair(copies, quotient(k, shape[2])?);
    let of_one = shape_div(&pair(rows, k), &copies)?;
    steps.line(format!("The instruction is repeated {copies} times. Rows and K of one:"), || {
        format!("shape_div(({rows},{k}), {copies})")
    });
    let cut = tiled_divide(&whole, &Tiler::of_shape(&of_one))?;
    steps.line("By these the blocks are cut into instructions:", || format!("tiled_divide({whole}, {of_one})"));
    let by = Tiler::Modes(vec![Tiler::of_shape(&pair(SCALED_ROWS, elements))]);
    steps.line("In one, blocks of rows with one scale come first:", || format!("logical_divide({cut}, {by})"));
    logical_divide(&cut, &by)
}

/// A shape of two extents.
fn pair(a: i64, b: i64) -> Tuple<Int> {
    Tuple::flat(&[Int::from(a), Int::from(b)])
}

/// Of the instructions that have K of 96: blocks of 8 x 4 x 4 rows repeated over what one instruction has of three times as much K.
fn scales_of_ultra(
    mma: &TiledMma,
    operand: Operand,
    tile: [i64; 3],
    elements: i64,
    steps: &mut Derivation,
) -> Result<Layout, Error> {
    let [m, n, k] = tile;
    let part = if elements == 16 { 4 } else { 2 };
    let mut blocks = |block: Layout, rows: i64, columns: i64| -> Result<Layout, Error> {
        let extents = block.modes().iter().map(Layout::size).collect::<Result<Vec<_>, _>>()?;
        let copies = shape_div(&Tuple::flat(&[Int::from(rows), Int::from(columns)]), &Tuple::flat(&extents))?;
        steps.line("One block, in which elements of one scale lie at one place:", || block.to_string());
        steps.line(format!("There are {copies} blocks in ({rows},{columns}), column-major:"), || {
            format!("tiled_product({block}, column_major({copies}))")
        });
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
