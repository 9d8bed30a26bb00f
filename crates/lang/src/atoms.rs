//! The operations on instructions as CuTe describes them: atoms by name, their copies over a tile, and what threads hold of a
//! tensor. All answers are layouts, or values whose layouts are reached by name.

use super::derivation::Derivation;
use super::descriptors::major;
use super::instruction::Instruction;
use super::numbers::{bits, number, numbers};
use super::operation::{Compute, Derive, Operation, argument as arg, constructor};
use super::parameters::{
    ATOM, ATOM_EXTENTS, ATOM_LAYOUT, ATOM_OR_TILED, ATOM_PART, COPY_ATOM, COPY_TILE, DATA_ADDRESSES, DATA_LAYOUT,
    ELEMENT_BITS, FRAGMENT, HELD, HELD_OF_B, HELD_OF_C, MAJOR, MMA_ATOM, MMA_SHAPE, MMA_TILE, PART, SHAPE,
    SWIZZLE_SPAN, TENSOR_LAYOUT, THREAD, THREAD_LAYOUT, THREAD_OF_SLICE, THREAD_VALUES, THREADS_AND_VALUES,
    THREADS_OF_ALL, THREADS_OF_ONE, TILED_COPY, TILED_MMA, VALUE_LAYOUT,
};
use super::tuples::shape;
use super::value::Value;
use bitstride::cute::{
    CopyAtom, Layout, MmaAtom, Operand, Side, TiledCopy, TiledMma, Tiler, TilingStep, atoms_holding, cosize,
    left_inverse, logical_divide, make_ordered_layout, mma_atoms_with, smem_atom, upcast,
};
use bitstride::map::Order;
use bitstride::memory::Major;
use bitstride::{Code, Error, Int, Integer, Trace, Tuple, error};

constructor!(hardware, Hardware);
constructor!(derived, Hardware, Derived, Derive);

pub(super) const ATOMS: &[Operation] = &[
    derived(
        "atom",
        &[ATOM, ATOM_PART.optional(), ATOM_EXTENTS.optional()],
        "a matrix or copy instruction by CuTe's name: what each thread holds, reads and writes, as a whole or one of its layouts",
        "atom(SM80_16x8x16_F32F16F16F32_TN, A)",
        atom,
    ),
    hardware(
        "copy_atom",
        &[COPY_ATOM, ELEMENT_BITS],
        "a copy instruction for elements of some bits, CuTe's Copy_Atom: its layouts count elements",
        "copy_atom(SM75_U32x4_LDSM_N, 16)",
        |v, _| {
            let (name, atom, bits) = copy(v)?;
            // What the elements do not divide is refused as it is where the instruction is tiled.
            TiledCopy::of(&atom, bits, upcast(&atom.reference, bits)?, Tuple::leaf(Int::from(1)))?;
            Ok(Value::from(Instruction::Copy(name, Box::new(atom), bits)))
        },
    ),
    hardware(
        "part",
        &[ATOM_OR_TILED, PART],
        "a layout of an instruction or of its copies over a tile by name, which `X.A` writes too",
        "part(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), A)",
        |v, notes| {
            let (whole, name) = (instruction(arg(v, 0)?)?, arg(v, 1)?.to_string());
            notes.extend(beyond(&whole, &name)?);
            whole.part(&name)
        },
    ),
    hardware(
        "which_atom",
        &[THREADS_AND_VALUES],
        "the matrix and copy instructions of which this is a thread-value layout, a line each operand and family of names; or none",
        "which_atom(((4,8),(2,2)):((32,1),(16,8)))",
        |v, _| {
            let layout = match arg(v, 0)? {
                // Threads and values of another family are numbered as in CuTe.
                other @ (Value::Linear(_) | Value::Map(_)) => {
                    let threads = other.as_map()?.by_thread()?.into_flat(Order::ColumnMajor)?.to_cute()?;
                    Value::from(threads).as_layout()?
                }
                layout => layout.as_layout()?,
            };
            let found = atoms_holding(&layout)?;
            if found.is_empty() {
                return Ok(Value::Text("none".to_owned()));
            }
            Ok(Value::Text(found.join("\n")))
        },
    ),
    hardware(
        "mma_of_layouts",
        &[MMA_SHAPE, THREADS_OF_ONE, HELD, HELD_OF_B, HELD_OF_C, THREADS_OF_ALL, MMA_TILE.optional()],
        "the matrix instruction with these extents and layouts, as CuTe prints them; or its copies, with the layout of all threads and the tile",
        "mma_of_layouts((16,8,16), 32:1, ((4,8),(2,2,2)):((32,1),(16,8,128)), ((4,8),(2,2)):((16,1),(8,64)), ((4,8),(2,2)):((32,1),(16,8)))",
        mma_of_layouts,
    ),
    hardware(
        "smem_atom",
        &[MAJOR, SWIZZLE_SPAN, ELEMENT_BITS],
        "the smallest tile of shared memory that wgmma and tcgen05 take under a swizzle, CuTe's Layout_K_SW128_Atom and its like",
        "smem_atom(K, 128, 16)",
        |v, _| smem_atom(major(arg(v, 0)?)? == Major::K, number(v, 1)?, number(v, 2)?).map(Value::from),
    ),
    hardware(
        "tiled_mma",
        &[MMA_ATOM, ATOM_LAYOUT.optional(), MMA_TILE.optional()],
        "copies of a matrix instruction over threads along M, N and K, and the tile that they compute: extents or permutations",
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2), <32,32,16>)",
        |v, notes| {
            let (name, atom) = mma(arg(v, 0)?)?;
            let atoms = match v.get(1) {
                Some(layout) => layout.as_layout()?,
                None => Value::from(Int::from(1)).as_layout()?,
            };
            let tile = match v.get(2).map(Value::as_tiler).transpose()? {
                None => Vec::new(),
                Some(Tiler::Modes(entries)) => entries,
                Some(entry) => vec![entry],
            };
            let tiled = TiledMma::new(atom, &atoms, &tile)?;
            unused(tiled.thr_layout_vmnk(), notes);
            Ok(Value::from(Instruction::TiledMma(name, Box::new(tiled))))
        },
    ),
    hardware(
        "thr_layout_vmnk",
        &[TILED_MMA],
        "from the thread of an instruction and its copy along M, N and K to the number of the thread",
        "thr_layout_vmnk(tiled_mma(SM70_8x8x4_F32F16F16F32_NT, (2,2):(2,1)))",
        |v, _| tiled_mma(arg(v, 0)?).map(|mma| mma.thr_layout_vmnk().clone().into()),
    ),
    partition(
        "partition_A",
        "partition_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32):(32,1), 5)",
        |v, notes| of_mma(v, Operand::A, notes),
    ),
    partition(
        "partition_B",
        "partition_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (96,32):(32,1), 5)",
        |v, notes| of_mma(v, Operand::B, notes),
    ),
    partition(
        "partition_C",
        "partition_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,96):(96,1), 5)",
        |v, notes| of_mma(v, Operand::C, notes),
    ),
    partition_shape(
        "partition_shape_A",
        "partition_shape_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32))",
        |v, steps, _| shape_of_part(v, Operand::A, steps),
    ),
    partition_shape(
        "partition_shape_B",
        "partition_shape_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (96,32))",
        |v, steps, _| shape_of_part(v, Operand::B, steps),
    ),
    partition_shape(
        "partition_shape_C",
        "partition_shape_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,96))",
        |v, steps, _| shape_of_part(v, Operand::C, steps),
    ),
    hardware(
        "get_slice",
        &[ATOM_OR_TILED, THREAD],
        "copies of an instruction over a tile with the thread of which a later question is, CuTe's get_slice and get_thread_slice",
        "get_slice(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), 5)",
        |v, _| {
            let tiled = instruction(arg(v, 0)?)?;
            let threads = tiled.threads()?;
            let thread = number(v, 1)?;
            if !(0..threads).contains(&thread) {
                return Err(error!(
                    Code::Range,
                    "thread {thread} takes no part: there are {threads}",
                    [thread, threads]
                ));
            }
            Ok(Value::from(Instruction::Slice(Box::new(tiled), thread)))
        },
    ),
    fragment(
        "partition_fragment_A",
        "partition_fragment_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32):(32,1))",
        |v, _| tiled_mma(arg(v, 0)?)?.fragment(Operand::A, &arg(v, 1)?.as_layout()?).map(Value::from),
    ),
    fragment(
        "partition_fragment_B",
        "partition_fragment_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (96,32):(32,1))",
        |v, _| tiled_mma(arg(v, 0)?)?.fragment(Operand::B, &arg(v, 1)?.as_layout()?).map(Value::from),
    ),
    fragment(
        "partition_fragment_C",
        "partition_fragment_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,96):(96,1))",
        |v, _| tiled_mma(arg(v, 0)?)?.fragment(Operand::C, &arg(v, 1)?.as_layout()?).map(Value::from),
    ),
    hardware(
        "tiled_copy",
        &[COPY_ATOM, ELEMENT_BITS, THREAD_LAYOUT, VALUE_LAYOUT.optional()],
        "copies of a copy instruction by layouts of threads and of each thread's values, CuTe's make_tiled_copy",
        "tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8))",
        |v, _| tiled_copy_of(v, &mut ()).map(Value::from),
    ),
    hardware(
        "tiled_copy_tv",
        &[COPY_ATOM, ELEMENT_BITS, THREAD_VALUES, COPY_TILE],
        "copies of a copy instruction by one layout of (thread, value) into a tile, CuTe's make_tiled_copy_impl",
        "tiled_copy_tv(SM75_U32x1_LDSM_N, 16, (32,8):(1,32), (32,8))",
        |v, _| {
            let (name, atom, bits) = copy(v)?;
            let tiled = TiledCopy::by_tiler(&atom, bits, arg(v, 2)?.as_layout()?, &arg(v, 3)?.as_tiler()?)?;
            Ok(Value::from(Instruction::TiledCopy(name, Box::new(tiled))))
        },
    ),
    hardware(
        "make_cotiled_copy",
        &[COPY_ATOM, ELEMENT_BITS, DATA_ADDRESSES, DATA_LAYOUT],
        "copies of a copy instruction whose tile has the elements of a tensor at given addresses, by (thread, value)",
        "make_cotiled_copy(atom(UniversalCopy, 128), 16, (128,8):(8,1), (8,256):(256,1))",
        |v, notes| {
            let (name, atom, bits) = copy(v)?;
            let (addresses, data) = (arg(v, 2)?.as_layout()?, arg(v, 3)?.as_layout()?);
            let tiled = TiledCopy::cotiled(&atom, bits, &addresses, &data)?;
            let (reach, end) = (cosize(&addresses)?.as_number()?, left_inverse(&data)?.size()?.as_number()?);
            if reach > end {
                notes.push(format!(
                    "addresses from {end} on lie beyond the tensor; as in CuTe they are those from 0 on, which threads share"
                ));
            }
            Ok(Value::from(Instruction::TiledCopy(name, Box::new(tiled))))
        },
    ),
    for_mma(
        "make_tiled_copy_A",
        "make_tiled_copy_A(SM75_U32x4_LDSM_N, 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2), <32,32,16>))",
        |v, _| copy_of_mma(v, Operand::A),
    ),
    for_mma(
        "make_tiled_copy_B",
        "make_tiled_copy_B(SM75_U32x4_LDSM_N, 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2), <32,32,16>))",
        |v, _| copy_of_mma(v, Operand::B),
    ),
    for_mma(
        "make_tiled_copy_C",
        "make_tiled_copy_C(atom(UniversalCopy, 32), 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2), <32,32,16>))",
        |v, _| copy_of_mma(v, Operand::C),
    ),
    for_mma(
        "make_tiled_copy_C_atom",
        "make_tiled_copy_C_atom(SM90_U32x4_STSM_N, 16, tiled_mma(SM90_64x128x16_F32F16F16_SS))",
        |v, _| {
            let (name, atom, bits) = copy(v)?;
            let tiled = TiledCopy::for_one_copy(&atom, bits, &tiled_mma(arg(v, 2)?)?)?;
            Ok(Value::from(Instruction::TiledCopy(name, Box::new(tiled))))
        },
    ),
    for_copy(
        "make_tiled_copy_S",
        "make_tiled_copy_S(atom(UniversalCopy, 128), 16, tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8)))",
        |v, _| copy_of_copy(v, Side::Source),
    ),
    for_copy(
        "make_tiled_copy_D",
        "make_tiled_copy_D(atom(UniversalCopy, 32), 16, tiled_copy_tv(SM75_U32x1_LDSM_N, 16, (32,8):(1,32), (32,8)))",
        |v, _| copy_of_copy(v, Side::Target),
    ),
    of_copy(
        "partition_S",
        "partition_S(tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8)), (128,64):(64,1), 5)",
        |v, notes| partition_of_copy(v, Side::Source, notes),
    ),
    of_copy(
        "partition_D",
        "partition_D(tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8)), (128,64):(64,1), 5)",
        |v, notes| partition_of_copy(v, Side::Target, notes),
    ),
    hardware(
        "retile",
        &[TILED_COPY, FRAGMENT],
        "the registers of a fragment in the order in which a tiled copy takes them, CuTe's retile_S and retile_D",
        "retile(make_tiled_copy_A(SM75_U32x4_LDSM_N, 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2))), \
         partition_fragment_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32):(32,1)))",
        |v, _| tiled_copy(arg(v, 0)?)?.retile(&arg(v, 1)?.as_layout()?).map(Value::from),
    ),
];

const fn partition(name: &'static str, example: &'static str, apply: Compute) -> Operation {
    const LAW: &str = "what a thread of a tiled matrix instruction holds of a tensor: (value, rest of each mode), and where it starts";
    hardware(name, &[TILED_MMA, TENSOR_LAYOUT, THREAD_OF_SLICE], LAW, example, apply)
}

const fn partition_shape(name: &'static str, example: &'static str, apply: Derive) -> Operation {
    const LAW: &str = "the shape of what a thread of a tiled matrix instruction holds of a tensor of this shape";
    derived(name, &[TILED_MMA, SHAPE], LAW, example, apply)
}

const fn fragment(name: &'static str, example: &'static str, apply: Compute) -> Operation {
    const LAW: &str =
        "the registers that a thread has for its part of a tensor, compact, in the order of the tensor's strides";
    hardware(name, &[TILED_MMA, TENSOR_LAYOUT], LAW, example, apply)
}

const fn for_mma(name: &'static str, example: &'static str, apply: Compute) -> Operation {
    const LAW: &str =
        "copies of a copy instruction that move an operand to or from where a tiled matrix instruction holds it";
    hardware(name, &[COPY_ATOM, ELEMENT_BITS, TILED_MMA], LAW, example, apply)
}

const fn for_copy(name: &'static str, example: &'static str, apply: Compute) -> Operation {
    const LAW: &str = "copies of a copy instruction whose threads have what those of another tiled copy read, or write";
    hardware(name, &[COPY_ATOM, ELEMENT_BITS, TILED_COPY], LAW, example, apply)
}

const fn of_copy(name: &'static str, example: &'static str, apply: Compute) -> Operation {
    const LAW: &str =
        "what a thread of a tiled copy reads or writes of a tensor: (value, rest of each mode), and where it starts";
    hardware(name, &[TILED_COPY, TENSOR_LAYOUT, THREAD_OF_SLICE], LAW, example, apply)
}

/// An instruction or copies of one; a name is that of an instruction.
pub(super) fn instruction(value: &Value) -> Result<Instruction, Error> {
    match value {
        Value::Instruction(whole) => Ok((**whole).clone()),
        other => named(&other.to_string()),
    }
}

fn named(name: &str) -> Result<Instruction, Error> {
    match CopyAtom::named(name) {
        Ok(atom) => Ok(Instruction::Copy(name.to_owned(), Box::new(atom), 1)),
        // The name is that of a copy, with arguments that it has not.
        Err(error) if error.code() == Code::Arity => Err(error),
        Err(_) => MmaAtom::named(name).map(|atom| Instruction::Mma(name.to_owned(), Box::new(atom))),
    }
}

/// The instruction of layouts, or copies of it.
fn mma_of_layouts(v: &[Value], notes: &mut Vec<String>) -> Result<Value, Error> {
    let given = arg(v, 0)?;
    let shape = <[i64; 3]>::try_from(numbers(given)?)
        .map_err(|_| error!(Code::RankMismatch, "the extents are M, N and K, not {given}", [given]))?;
    let layouts = (1..5).map(|at| arg(v, at)?.as_layout()).collect::<Result<Vec<Layout>, Error>>()?;
    let [threads, a, b, c] = layouts.as_slice() else { return Err(arg(v, 1)?.wrong("a layout")) };
    let names = mma_atoms_with(shape, threads, [a, b, c])?;
    let Some(name) = names.first() else {
        let [m, n, k] = shape;
        return Err(error!(
            Code::NoLayout,
            "no instruction that is known here is {m} x {n} x {k} with these layouts",
            [m, n, k]
        )
        .with_help("`which_atom(L)` says which hold an operand so"));
    };
    if names.len() > 1 {
        let (count, others) = (names.len(), names.iter().skip(1).take(2).cloned().collect::<Vec<_>>().join(", "));
        notes.push(format!(
            "the first of {count} instructions with these layouts, whose names the print does not have: also {others}"
        ));
    }
    let atom = MmaAtom::named(name)?;
    let Some(all) = v.get(5) else { return Ok(Value::from(Instruction::Mma(name.clone(), Box::new(atom)))) };
    let all = all.as_layout()?;
    let tile = match v.get(6).map(Value::as_tiler).transpose()? {
        Some(Tiler::Modes(entries)) => entries,
        None => Vec::new(),
        Some(entry) => vec![entry],
    };
    // Copies along M, N and K, in the order in which their threads follow each other.
    let copies = all.modes().into_iter().skip(1).collect::<Vec<_>>();
    let copies = Layout::of(&copies);
    let order = copies.stride().try_map(|stride| match stride {
        bitstride::Stride::Int(n) => Ok(n.clone()),
        bitstride::Stride::Basis(_) => Err(error!(Code::Kind, "{all} is no layout of threads", [all])),
    })?;
    let tiled = TiledMma::new(atom, &make_ordered_layout(&copies.shape(), &order)?, &tile)?;
    if *tiled.thr_layout_vmnk() != all {
        return Err(error!(
            Code::NoLayout,
            "{all} is no layout of the threads of copies of {name}: that would be {own}",
            [all, name, own = tiled.thr_layout_vmnk()]
        ));
    }
    Ok(Value::from(Instruction::TiledMma(name.clone(), Box::new(tiled))))
}

fn mma(value: &Value) -> Result<(String, MmaAtom), Error> {
    match instruction(value)? {
        Instruction::Mma(name, atom) => Ok((name, *atom)),
        other => Err(error!(Code::Kind, "a matrix instruction is needed here; {other} is none", [other])),
    }
}

/// The copy instruction that is the first operand, and the bits of an element, which are the second.
fn copy(v: &[Value]) -> Result<(String, CopyAtom, i64), Error> {
    match instruction(arg(v, 0)?)? {
        Instruction::Copy(name, atom, own) => {
            let bits = bits(arg(v, 1)?)?;
            if own != 1 && own != bits {
                return Err(error!(Code::Parameter, "the atom has elements of {own} bits, not of {bits}", [own, bits]));
            }
            Ok((name, *atom, bits))
        }
        other => Err(error!(Code::Kind, "a copy instruction is needed here; {other} is none", [other])),
    }
}

/// The thread of a partition: the third operand, or that of the slice that is the first.
pub(super) fn thread(v: &[Value]) -> Result<i64, Error> {
    let sliced = match arg(v, 0)? {
        Value::Instruction(whole) => match &**whole {
            Instruction::Slice(_, thread) => Some(*thread),
            _ => None,
        },
        _ => None,
    };
    match (sliced, v.get(2)) {
        (Some(thread), None) => Ok(thread),
        (None, Some(_)) => number(v, 2),
        (Some(_), Some(_)) => Err(Error::new(Code::Parameter, "the slice of a thread is asked without another thread")),
        (None, None) => Err(Error::new(Code::Parameter, "whose part it is, a thread says")
            .with_help("give its number last, or ask `get_slice(X, 5)`")),
    }
}

/// What a slice is of; anything else as it is.
fn whole_of(instruction: &Instruction) -> &Instruction {
    match instruction {
        Instruction::Slice(whole, _) => whole,
        other => other,
    }
}

pub(super) fn tiled_mma(value: &Value) -> Result<TiledMma, Error> {
    match value {
        Value::Instruction(whole) => match whole_of(whole) {
            Instruction::TiledMma(_, mma) => Ok((**mma).clone()),
            Instruction::Mma(_, atom) => TiledMma::new((**atom).clone(), &Layout::unit(), &[]),
            other => Err(error!(Code::Kind, "a tiled matrix instruction is needed here; {other} is none", [other])),
        },
        other => TiledMma::new(mma(other)?.1, &Layout::unit(), &[]),
    }
}

pub(super) fn tiled_copy(value: &Value) -> Result<TiledCopy, Error> {
    if let Value::Instruction(whole) = value
        && let Instruction::TiledCopy(_, copy) = whole_of(whole)
    {
        return Ok((**copy).clone());
    }
    Err(value.wrong("a tiled copy, such as tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8)),"))
}

/// Copies of a copy instruction by layouts of threads and of each thread's values; one value where none are said.
pub(super) fn tiled_copy_of(v: &[Value], trace: &mut impl Trace<TilingStep>) -> Result<Instruction, Error> {
    let (name, atom, bits) = copy(v)?;
    let values = match v.get(3) {
        Some(layout) => layout.as_layout()?,
        None => Value::from(Int::from(1)).as_layout()?,
    };
    let tiled = TiledCopy::new_traced(&atom, bits, &arg(v, 2)?.as_layout()?, &values, trace)?;
    Ok(Instruction::TiledCopy(name, Box::new(tiled)))
}

/// What CuTe's layout of C says beyond its tile, where there are copies along K.
fn beyond(whole: &Instruction, part: &str) -> Result<Option<String>, Error> {
    let (Instruction::TiledMma(_, mma), "C") = (whole, part) else { return Ok(None) };
    let copies = mma.thr_layout_vmnk().get(&[3])?.size()?.as_number()?;
    Ok((copies > 1).then(|| {
        format!(
            "as in CuTe, this is C of the first of {copies} copies along K; threads of the others hold the same, though the \
             layout goes on with N for them"
        )
    }))
}

fn of_mma(v: &[Value], operand: Operand, notes: &mut Vec<String>) -> Result<Value, Error> {
    let (mma, tensor) = (tiled_mma(arg(v, 0)?)?, arg(v, 1)?.as_layout()?);
    let held = mma.partition(operand, &tensor, thread(v)?)?;
    let tile = mma.tile_mnk()?;
    let extents: Vec<i64> = operand.modes().iter().filter_map(|mode| tile.get(*mode).copied()).collect();
    padded(&tensor, &extents, &Tiler::Modes(extents.iter().map(|n| Tiler::Extent(Int::from(*n))).collect()), notes);
    Ok(Value::from(held))
}

fn shape_of_part(v: &[Value], operand: Operand, steps: &mut Derivation) -> Result<Value, Error> {
    let (mma, tile) = (arg(v, 0)?, shape(arg(v, 1)?)?);
    let part = || format!("partition_{operand:?}({mma}, column_major({tile}), 0)");
    steps.line("Every thread holds as much. Of a compact tensor of this shape thread 0 holds this part:", part);
    steps.line("Its shape:", || format!("shape({})", part()));
    partition_shape_of(&tiled_mma(mma)?, operand, &tile).map(Value::from)
}

fn partition_of_copy(v: &[Value], side: Side, notes: &mut Vec<String>) -> Result<Value, Error> {
    let (copy, tensor) = (tiled_copy(arg(v, 0)?)?, arg(v, 1)?.as_layout()?);
    let held = copy.partition(side, &tensor, thread(v)?)?;
    let extents = copy.tile().entries().into_iter().map(|mode| mode.size()?.as_number());
    padded(&tensor, &extents.collect::<Result<Vec<i64>, Error>>()?, copy.tiler(), notes);
    Ok(Value::from(held))
}

/// Says so where whole tiles have more elements along a mode than the tensor.
fn padded(tensor: &Layout, tile: &[i64], tiler: &Tiler, notes: &mut Vec<String>) {
    let Tiler::Modes(entries) = tiler else { return };
    for (((at, mode), extent), entry) in tensor.modes().iter().enumerate().zip(tile).zip(entries) {
        let Some(size) = mode.size().ok().and_then(|size| size.value()) else { continue };
        let divided = logical_divide(mode, entry).and_then(|divided| divided.size()?.as_number());
        let Some(covered) = divided.ok().filter(|covered| *covered > size) else { continue };
        notes.push(format!(
            "mode {at}, {mode}, has {size} elements and tiles of {extent} cover {covered}: predicate what lies beyond"
        ));
    }
}

/// Says so where the numbers of threads have gaps, as those of Volta's instructions.
fn unused(threads: &Layout, notes: &mut Vec<String>) {
    let (Ok(size), Ok(end)) = (threads.size(), cosize(threads)) else { return };
    if let (Some(size), Some(end)) = (size.value(), end.value())
        && end > size
    {
        let (last, idle) = (end - 1, end - size);
        notes.push(format!("{size} of the threads 0 to {last} take part, those of {threads}; {idle} hold nothing"));
    }
}

fn copy_of_mma(v: &[Value], operand: Operand) -> Result<Value, Error> {
    let (name, atom, bits) = copy(v)?;
    let tiled = TiledCopy::for_operand(&atom, bits, &tiled_mma(arg(v, 2)?)?, operand)?;
    Ok(Value::from(Instruction::TiledCopy(name, Box::new(tiled))))
}

fn copy_of_copy(v: &[Value], side: Side) -> Result<Value, Error> {
    let (name, atom, bits) = copy(v)?;
    let tiled = tiled_copy(arg(v, 2)?)?.matching(&atom, bits, side)?;
    Ok(Value::from(Instruction::TiledCopy(name, Box::new(tiled))))
}

/// An instruction as a whole, or one of its layouts. Names in capitals read as unknown integers.
fn atom(values: &[Value], steps: &mut Derivation, notes: &mut Vec<String>) -> Result<Value, Error> {
    let extents = |value: &Value| numbers(value).ok();
    let (part, numbers) = match (values.get(1), values.get(2)) {
        (Some(second), None) => match extents(second) {
            Some(numbers) => (None, numbers),
            None => (Some(second), Vec::new()),
        },
        (second, third) => (second, third.map(numbers_of).transpose()?.unwrap_or_default()),
    };
    let whole = match arg(values, 0)? {
        name if !numbers.is_empty() && (matches!(name, Value::Instruction(_)) || name.to_string().ends_with('>')) => {
            let more = numbers.len();
            return Err(error!(Code::Arity, "{name} has its extents already, and is given {more} more", [name, more]));
        }
        Value::Instruction(whole) => (**whole).clone(),
        name if numbers.is_empty() => named(&name.to_string())?,
        name => {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            named(&format!("{name}<{}>", numbers.join(",")))?
        }
    };
    if let Instruction::Mma(_, atom) = &whole {
        let ([m, n, k], [a, b, c]) = (atom.shape, atom.bits);
        notes.push(format!("{m} x {n} x {k}, elements of {a}, {b} and {c} bits, {} threads", atom.threads.size()?));
        unused(&atom.threads, notes);
    }
    match part {
        Some(part) => {
            steps.line("The whole instruction:", || whole.to_string());
            steps.line(format!("Its part {part}:"), || format!("part({whole}, {part})"));
            whole.part(&part.to_string())
        }
        None => Ok(Value::from(whole)),
    }
}

fn numbers_of(value: &Value) -> Result<Vec<i64>, Error> {
    numbers(value)
}

/// What one thread has of a tile: (value, how often along the first mode, along the second, …).
pub(super) fn partition_shape_of(mma: &TiledMma, operand: Operand, tile: &Tuple<Int>) -> Result<Tuple<Int>, Error> {
    Ok(mma.partition(operand, &bitstride::cute::column_major(tile)?, 0)?.layout.shape())
}
