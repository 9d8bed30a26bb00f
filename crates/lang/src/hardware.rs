//! The operations that say what a machine makes of layouts: passes over the banks of shared memory, sectors of global memory, and
//! copies by TMA. They have the model of [`bitstride::memory`]; notes say how many accesses there are, and who collides.

use super::derivation::Derivation;
use super::descriptors::{fields, generation, major};
use super::numbers::{number, numbers, tuple, whole};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    ADDRESS, ADDRESSES, BANKS, BOX, BYTE_STRIDES, BYTES_AT_ONCE, CAPABILITY, ELEMENT_BITS, ELEMENT_STRIDES,
    LANES_TO_ELEMENTS, MACHINE, MAJOR, MEMORY, SHAPE, SHARED_LINEAR, SOURCE_LINEAR, SWIZZLE_SPAN, TARGET_LINEAR,
    TENSOR_CORES, TILE_IN_MEMORY, TRANSFER,
};
use super::value::{Entry, Value};
use bitstride::cute::{Function, Tiler};
use bitstride::linear::Name;
use bitstride::memory::{
    Access, Accesses, Alternative, Collision, Conversion, Cost, Descriptor, DescriptorStep, Fill, Interleave, LOADS,
    LinearAccess, Matrices, Passes, STORES, Scratch, SharedMemory, TensorMap, Transfer, WarpShuffles, bank_conflicts,
};
use bitstride::{Code, Error, Int, Integer, Stride, Trace, Tuple, error};

constructor!(hardware, Hardware);
constructor!(derived, Hardware, Derived, Derive);

pub(super) const HARDWARE: &[Operation] = &[
    hardware(
        "wavefronts",
        &[MEMORY, LANES_TO_ELEMENTS, ELEMENT_BITS, TRANSFER.optional(), MACHINE.optional()],
        "how many wavefronts of shared memory an access by threads takes: ld, st, ldmatrix or stmatrix",
        "wavefronts((64,64):(72,1), 32:1, 16)",
        |v, notes| cost(v, notes).map(|cost| whole(cost.wavefronts)),
    ),
    hardware(
        "bank_conflicts",
        &[MEMORY, LANES_TO_ELEMENTS, ELEMENT_BITS, TRANSFER.optional(), MACHINE.optional()],
        "how many of those wavefronts are conflicts: lanes of one phase that ask one bank for different words",
        "bank_conflicts(Sw<2,0,5> o (32,32):(32,1), 32:1, 32)",
        |v, notes| cost(v, notes).map(|cost| whole(cost.wavefronts - cost.phases)),
    ),
    hardware(
        "sectors",
        &[MEMORY, LANES_TO_ELEMENTS, ELEMENT_BITS, TRANSFER.optional()],
        "how many sectors of 32 bytes of global memory an access by threads touches",
        "sectors((64,64):(64,1), 32:64, 32)",
        |v, notes| {
            let accesses = accesses(v)?;
            let count = i64::try_from(accesses.count()).unwrap_or(i64::MAX);
            notes.push(instructions(count, accesses.transfer(), accesses.bytes()));
            accesses.sectors().map(whole)
        },
    ),
    hardware(
        "address_wavefronts",
        &[ADDRESSES, BYTES_AT_ONCE, TRANSFER.optional(), MACHINE.optional()],
        "how many wavefronts of shared memory one access takes, from the byte address of each lane, `_` for one that takes no part",
        "address_wavefronts((0,128,256,384,_,4), 4)",
        |v, notes| {
            let addresses = addresses(arg(v, 0)?)?;
            let access = Access::new(transfer(v, 2)?, number(v, 1)?, &addresses)?;
            let passes = machine(v, 3)?.passes(&access)?;
            notes.extend(collision(std::slice::from_ref(&passes)));
            Ok(whole(passes.wavefronts()))
        },
    ),
    hardware(
        "address_sectors",
        &[ADDRESSES, BYTES_AT_ONCE, TRANSFER.optional()],
        "how many sectors of global memory one access touches, from the byte address of each lane",
        "address_sectors((0,4,8,12,32,36), 4)",
        |v, _| {
            let addresses = addresses(arg(v, 0)?)?;
            Access::new(transfer(v, 2)?, number(v, 1)?, &addresses)?.sectors().map(whole)
        },
    ),
    hardware(
        "plan",
        &[SOURCE_LINEAR, TARGET_LINEAR, ELEMENT_BITS, CAPABILITY.optional()],
        "how a tensor gets from one register layout to another: nothing, registers, shuffles or shared memory, with the numbers",
        "plan(tensor<16x16xf32, #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], \
         order = [1, 0]}>>, tensor<16x16xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], \
         warpsPerCTA = [1, 1], order = [1, 0]}>>, 32)",
        |v, notes| {
            if let Some(text) = with_memory(v, notes)? {
                return Ok(Value::Text(text));
            }
            let conversion = plan(v)?;
            let (source, target, bits) = (arg(v, 0)?.as_linear()?, arg(v, 1)?.as_linear()?, number(v, 2)?);
            // What is no permutation of bits has no such alternative.
            if let Ok(Some(other)) = conversion.alternative(&source, &target, bits) {
                notes.push(alternative(&other));
            }
            Ok(Value::Text(conversion.to_string()))
        },
    ),
    hardware(
        "warp_shuffle_decomp",
        &[SOURCE_LINEAR, TARGET_LINEAR, ELEMENT_BITS],
        "the moves within a warp: how registers are renamed, which lane is read, bits (register, lane before, lane after) that are \
         exchanged, -1 for no lane, and register bits in a word",
        "warp_shuffle_decomp(linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>, linear<{register=[[2]], lane=[[1],[4]]}, \
         out=[dim0:8]>, 32)",
        |v, notes| {
            let shuffles = shuffles(v)?;
            for exchange in &shuffles.exchanges {
                let [before_low, before_high, after_low, after_high] = exchange.selectors;
                let source =
                    exchange.source_lane.map_or_else(|| "no lane bit".to_owned(), |lane| format!("lane bit {lane}"));
                notes.push(format!(
                    "register bit {} for {source}, then {}: selectors {before_low:#06x} and {before_high:#06x} before the shuffle, \
                     {after_low:#06x} and {after_high:#06x} after it",
                    exchange.register, exchange.target_lane
                ));
            }
            let cost = shuffles.cost(number(v, 2)?)?;
            notes.push(format!("{} shuffles of 32 bits, {} selections", cost.passes, cost.selections));
            let number = |bit: usize| i64::try_from(bit).unwrap_or(0);
            let exchanges = shuffles
                .exchanges
                .iter()
                .map(|e| tuple(&[number(e.register), e.source_lane.map_or(-1, number), number(e.target_lane)]));
            Ok(vec![
                shuffles.register_map()?.into(),
                shuffles.lanes.clone().into(),
                exchanges.collect::<Vec<Value>>().into(),
                whole(i64::try_from(shuffles.packed).unwrap_or(0)),
            ]
            .into())
        },
    ),
    derived(
        "optimal_swizzle_tiles",
        &[SOURCE_LINEAR, TARGET_LINEAR, ELEMENT_BITS, CAPABILITY.optional()],
        "the shared memory for such a conversion by the best pair of plain and matrix instructions of a compute capability",
        "optimal_swizzle_tiles(tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], \
         order = [1, 0]}>>, tensor<16x16xf16, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = \
         [16, 8]}>>, 16)",
        |v, steps, notes| {
            let bits = number(v, 2)?;
            let (stores, loads) = matrices(v)?.tiles(bits);
            let (source, target) = (arg(v, 0)?.as_linear()?, arg(v, 1)?.as_linear()?);
            let (scratch, [store, load]) = Scratch::with_tiles(&source, &target, bits, [&stores, &loads])?;
            let name = |names: [&'static str; 3], at: usize| names.get(at).copied().unwrap_or_default();
            let (written, read) = (scratch.write_conflicts, scratch.read_conflicts);
            let by = format!(
                "written by {} ({written} conflicts), read by {} ({read})",
                name(STORES, store),
                name(LOADS, load)
            );
            vector(&scratch, bits, steps);
            let rule =
                format!("Of all pairs of instructions that move such vectors this has the fewest conflicts: {by}.");
            steps.line(rule, || format!("{written}+{read}"));
            steps.line("The memory for them:", || scratch.layout.to_string());
            notes.push(by);
            Ok(scratch.layout.into())
        },
    ),
    derived(
        "optimal_swizzle",
        &[SOURCE_LINEAR, TARGET_LINEAR, ELEMENT_BITS, BANKS.optional()],
        "the shared memory for such a conversion by plain loads and stores: vector, bank and segment to the tensor",
        "optimal_swizzle(linear<{register=[[0,1]], lane=[[1,0]]}, out=[dim0:2, dim1:2]>, linear<{register=[[1,0]], \
         lane=[[0,1]]}, out=[dim0:2, dim1:2]>, 32)",
        |v, steps, notes| {
            let bits = number(v, 2)?;
            let banks = if v.len() > 3 { number(v, 3)? } else { SharedMemory::NVIDIA.banks };
            let (source, target) = (arg(v, 0)?, arg(v, 1)?);
            let scratch = Scratch::optimal(&source.as_linear()?, &target.as_linear()?, bits, banks)?;
            vector(&scratch, bits, steps);
            let size = scratch.layout.ins().iter().fold(1, |size: i64, dim| size.saturating_mul(dim.size()));
            let memory = format!("reshape_ins({}, (offset), ({size}))", scratch.layout);
            for (rule, side) in [
                ("Conflicts of a write, with all dims of the memory as one offset:", source),
                ("Conflicts of a read:", target),
            ] {
                steps.line(rule, || format!("bank_conflicts_memdesc({side}, {memory}, {bits}, {banks})"));
            }
            steps.line("So the memory is:", || scratch.layout.to_string());
            notes.push(format!("vectors of {} bits", scratch.vector_bits(bits)));
            notes.push(format!(
                "conflicts: {} of a write, {} of a read",
                scratch.write_conflicts, scratch.read_conflicts
            ));
            Ok(scratch.layout.into())
        },
    ),
    hardware(
        "bank_conflicts_memdesc",
        &[SOURCE_LINEAR, SHARED_LINEAR, ELEMENT_BITS, BANKS.optional()],
        "the wavefronts beyond one a phase of an access from registers to a given shared memory, by vectors of up to 16 bytes",
        "bank_conflicts_memdesc(linear<{register=[], lane=[[1],[2]]}, out=[dim0:4]>, linear<{offset=[[1],[2]]}, out=[dim0:4]>, 32)",
        |v, _| {
            let banks = if v.len() > 3 { number(v, 3)? } else { SharedMemory::NVIDIA.banks };
            bank_conflicts(&arg(v, 0)?.as_linear()?, &arg(v, 1)?.as_linear()?, number(v, 2)?, banks).map(whole)
        },
    ),
    hardware(
        "descriptor",
        &[TILE_IN_MEMORY, ELEMENT_BITS, MAJOR, ADDRESS.optional(), TENSOR_CORES.optional()],
        "the matrix descriptor of a tile (mn,k): (start, leading, stride) in units of 16 bytes and the bytes of the swizzle",
        "descriptor(Sw<3,4,3> o bytes[16] o ((8,8),64):((64,512),1), 16, K, 1024)",
        descriptor,
    ),
    derived(
        "tensor_map",
        &[ELEMENT_BITS, SHAPE, BYTE_STRIDES, BOX, SWIZZLE_SPAN.optional(), ELEMENT_STRIDES.optional()],
        "where a box that TMA copies comes to lie in shared memory, dims from the innermost on; or the rule that the driver breaks",
        "tensor_map(16, (256,128), 512, (64,8), 128)",
        |v, steps, _| {
            let map = tensor_map(v)?;
            let image = map.image()?;
            let (side, bytes) = (map.window.first().copied().unwrap_or(1), map.element_bytes);
            let rule = format!("The innermost side of the box has {side} elements of {bytes} bytes:");
            steps.line(rule, || format!("{side}*{bytes}"));
            if let Function::Composed(swizzled) = &image {
                let rule = format!("Rows lie {} bytes apart, which the swizzle spans. Without it:", map.swizzle);
                steps.line(rule, || swizzled.inner.to_string());
            }
            steps.line("So the box lies in shared memory as:", || image.to_string());
            Ok(image.into())
        },
    ),
];

pub(super) fn accesses(values: &[Value]) -> Result<Accesses, Error> {
    let (memory, threads) = (arg(values, 0)?.as_map()?, arg(values, 1)?.as_map()?);
    Accesses::by(&machine(values, 4)?, &memory, &threads, number(values, 2)?, transfer(values, 3)?)
}

/// The machine whose memory is asked, where it is named.
pub(super) fn machine(values: &[Value], at: usize) -> Result<SharedMemory, Error> {
    let Some(word) = values.get(at) else { return Ok(SharedMemory::NVIDIA) };
    let name = word.as_name()?;
    SharedMemory::of_word(name.as_str())
        .ok_or_else(|| error!(Code::Parameter, "`{name}` is no machine", [name]).with_help("it is nvidia or amd"))
}

/// What an access costs: by its bits where all is linear over F2, else instruction by instruction.
fn cost(values: &[Value], notes: &mut Vec<String>) -> Result<Cost, Error> {
    let (machine, transfer) = (machine(values, 4)?, transfer(values, 3)?);
    let (cost, passes) = cost_of(values, &machine, transfer)?;
    let plural = if cost.wavefronts == 1 { "wavefront" } else { "wavefronts" };
    let instructions = instructions(cost.instructions, transfer, cost.bytes);
    notes.push(format!("{instructions}: {} {plural}, {} without conflicts", cost.wavefronts, cost.phases));
    notes.extend(collision(&passes));
    if machine == SharedMemory::AMD {
        notes.push(UNMEASURED.to_owned());
    }
    Ok(cost)
}

/// The cost of the access of threads to a memory, and the passes of its first instruction or of all.
fn cost_of(values: &[Value], machine: &SharedMemory, transfer: Transfer) -> Result<(Cost, Vec<Passes>), Error> {
    let (memory, threads, bits) = (arg(values, 0)?.as_map()?, arg(values, 1)?.as_map()?, number(values, 2)?);
    let linear = LinearAccess::of(machine, &memory, &threads, bits, transfer)?;
    let on_bits = linear.as_ref().and_then(|access| Some((access, access.cost(machine, |offset| offset)?)));
    if let Some((access, cost)) = on_bits {
        // All instructions are alike but for where they start.
        let first = access.first();
        return Ok((cost, vec![machine.passes(&Access::new(transfer, cost.bytes, &first)?)?]));
    }
    let accesses = Accesses::by(machine, &memory, &threads, bits, transfer)?;
    let passes = accesses.passes(machine)?;
    Ok((Cost::of(&accesses, &passes), passes))
}

/// What is known of AMD's memory.
pub(super) const UNMEASURED: &str = "AMD's memory by its documentation: 64 banks, waves of 64 lanes; not measured";

/// How many instructions there are, and of how many bytes.
fn instructions(count: i64, transfer: Transfer, bytes: i64) -> String {
    format!("{count} {transfer} of {bytes} {} a lane", bytes_word(bytes))
}

fn bytes_word(bytes: i64) -> &'static str {
    if bytes == 1 { "byte" } else { "bytes" }
}

/// The most lanes and words that a note names.
const MOST_NAMED: usize = 4;

/// Who collides in the worst phase.
fn collision(passes: &[Passes]) -> Option<String> {
    let phases = passes.iter().flat_map(|passes| &passes.0);
    // The first of the worst.
    let worst = phases.rev().filter(|phase| phase.collision.is_some()).max_by_key(|phase| phase.wavefronts)?;
    let Collision { bank, words, .. } = worst.collision.as_ref()?;
    let list = |numbers: Vec<String>| {
        let more = numbers.len().saturating_sub(MOST_NAMED);
        let mut named = numbers.into_iter().take(MOST_NAMED).collect::<Vec<_>>().join(", ");
        if more > 0 {
            named.push_str(&format!(" and {more} more"));
        }
        named
    };
    let lanes = words.iter().filter_map(|(_, lanes)| lanes.first()).map(ToString::to_string).collect();
    let numbers = words.iter().map(|(word, _)| word.to_string()).collect();
    Some(format!("lanes {} ask bank {bank} for {} words: {}", list(lanes), words.len(), list(numbers)))
}

pub(super) fn transfer(values: &[Value], at: usize) -> Result<Transfer, Error> {
    values.get(at).map_or(Ok(Transfer::Load), transfer_of)
}

/// The transfer that a word names.
pub(super) fn transfer_of(word: &Value) -> Result<Transfer, Error> {
    let name = word.as_name()?;
    Transfer::of_word(name.as_str()).ok_or_else(|| {
        error!(Code::Parameter, "`{name}` is no access to memory", [name])
            .with_help("it is ld, st, ldmatrix or stmatrix")
    })
}

pub(super) fn addresses(value: &Value) -> Result<Vec<Option<i64>>, Error> {
    let wrong = || error!(Code::Kind, "{value} is no list of byte addresses such as (0,4,_,12)", [value]);
    let Value::Tuple(tuple) = value else { return Err(wrong()) };
    let address = |entry: &Entry| match entry {
        Entry::Keep => Ok(None),
        Entry::Number(Stride::Int(n)) => n.value().map(Some).ok_or_else(wrong),
        Entry::Number(_) => Err(wrong()),
    };
    tuple.leaves().iter().map(address).collect()
}

fn tensor_map(values: &[Value]) -> Result<TensorMap, Error> {
    let bits = number(values, 0)?;
    let element_bytes = match bits.checked_rem(8) {
        Some(0) => bits / 8,
        _ => {
            return Err(error!(
                Code::Range,
                "an element of TMA has {sizes} bits, not {bits}",
                [sizes = "8, 16, 32 or 64", bits]
            ));
        }
    };
    let dims = numbers(arg(values, 1)?)?;
    let element_strides = match values.get(5) {
        Some(steps) => numbers(steps)?,
        None => vec![1; dims.len()],
    };
    let swizzle = if values.len() > 4 { number(values, 4)? } else { 0 };
    Ok(TensorMap {
        element_bytes,
        strides: numbers(arg(values, 2)?)?,
        window: numbers(arg(values, 3)?)?,
        element_strides,
        dims,
        interleave: Interleave::None,
        swizzle,
        base: 0,
        fill: Fill::Zero,
    })
}

/// What both sides of a conversion move at once.
fn vector(scratch: &Scratch, bits: i64, steps: &mut Derivation) {
    let vector = scratch.vector_bits(bits);
    let rule = format!("What both sides move at once is a vector of {vector} bits, which has this many elements:");
    steps.line(rule, || format!("div({vector}, {bits})"));
}

/// The factorisation of a conversion within a warp.
pub(super) fn shuffles(values: &[Value]) -> Result<WarpShuffles, Error> {
    WarpShuffles::new(&arg(values, 0)?.as_linear()?, &arg(values, 1)?.as_linear()?, number(values, 2)?)
}

/// What shuffles would cost, against shared memory.
fn alternative(other: &Alternative) -> String {
    let Alternative { shuffles, memory_passes } = other;
    let cheaper = match shuffles.passes.cmp(memory_passes) {
        std::cmp::Ordering::Less => "shuffles take fewer passes",
        _ => "shuffles take no fewer passes",
    };
    format!(
        "for each warp {} shuffles and {} selections would do it without a barrier; shared memory takes {memory_passes} passes and \
         barriers: {cheaper}",
        shuffles.passes, shuffles.selections
    )
}

/// Registers written to a given shared memory, or read from it: the instructions and their wavefronts; none between registers.
fn with_memory(values: &[Value], notes: &mut Vec<String>) -> Result<Option<String>, Error> {
    let (source, target) = (arg(values, 0)?, arg(values, 1)?);
    let is_memory = |value: &Value| value.as_linear().is_ok_and(|layout| layout.in_dim(Name::OFFSET).is_some());
    let (memory, registers, transfer) = match (is_memory(source), is_memory(target)) {
        (false, false) => return Ok(None),
        (true, true) => return Err(Error::new(Code::Kind, "one of the layouts is of registers")),
        (true, false) => (source, target, Transfer::Load),
        (false, true) => (target, source, Transfer::Store),
    };
    let operands = [memory.clone(), registers.clone(), arg(values, 2)?.clone()];
    let (cost, passes) = cost_of(&operands, &SharedMemory::NVIDIA, transfer)?;
    let (all, conflicts) = (cost.wavefronts, cost.wavefronts - cost.phases);
    notes.extend(collision(&passes));
    let plural = if all == 1 { "wavefront" } else { "wavefronts" };
    let instructions = instructions(cost.instructions, transfer, cost.bytes);
    Ok(Some(format!("given shared memory: {instructions}: {all} {plural}, {conflicts} of them conflicts")))
}

/// The matrix instructions of the compute capability that an argument names; of 90 where it is missing.
fn matrices(values: &[Value]) -> Result<Matrices, Error> {
    Ok(Matrices::of_capability(if values.len() > 3 { number(values, 3)? } else { 90 }))
}

/// A conversion of Triton's, for the matrix instructions of a compute capability such as 80 or 90.
pub(super) fn plan(values: &[Value]) -> Result<Conversion, Error> {
    let matrices = matrices(values)?;
    Conversion::new(&arg(values, 0)?.as_linear()?, &arg(values, 1)?.as_linear()?, number(values, 2)?, matrices)
}

/// The descriptor of the first instruction of a tile; the tile itself where that is all.
fn descriptor_of(
    values: &[Value],
    first: &Function,
    trace: &mut impl Trace<DescriptorStep>,
) -> Result<Descriptor, Error> {
    let address = if values.len() > 3 { number(values, 3)? } else { 0 };
    Descriptor::of_traced(first, number(values, 1)?, major(arg(values, 2)?)?, address, generation(values, 4)?, trace)
}

/// What the descriptor of a tile takes from it, as far as it goes.
pub(super) fn descriptor_steps(values: &[Value]) -> Result<Vec<DescriptorStep>, Error> {
    let (first, ..) = first_instruction(&arg(values, 0)?.as_function()?, number(values, 1)?)?;
    let mut steps = Vec::new();
    let _ = descriptor_of(values, &first, &mut steps);
    Ok(steps)
}

/// The descriptor of a tile, or of its first instruction where K is longer.
fn descriptor(values: &[Value], notes: &mut Vec<String>) -> Result<Value, Error> {
    let (tile, bits) = (arg(values, 0)?.as_function()?, number(values, 1)?);
    let (first, [_, k], step) = first_instruction(&tile, bits)?;
    let descriptor = descriptor_of(values, &first, &mut ())?;
    notes.push(format!("the word is {descriptor}"));
    if first != tile {
        let inner = match &tile {
            Function::Composed(composed) => &composed.inner,
            other => other,
        };
        if k > MOST_COLUMNS {
            return Err(error!(
                Code::TooLarge,
                "a tile of {k} along K is not looked through; at most {most} are",
                [k, most = MOST_COLUMNS]
            )
            .with_help("give the tile of one instruction"));
        }
        // What a layout adds for a row is the same in every column.
        let offset = |column: i64| {
            let at = Tuple::flat(&[Int::from(0), Int::from(column)]);
            inner.offset_at(&at)?.to_coordinate().size()?.as_number()
        };
        let within = (0..step).map(offset).collect::<Result<Vec<_>, _>>()?;
        let (mut starts, mut count) = (Vec::new(), 0);
        for start in (0..k / step).map(|number| number * step) {
            let from = offset(start)?;
            for (column, first) in (0..).zip(&within) {
                let here = offset(start + column)?;
                if first.checked_add(from) != Some(here) {
                    return Err(error!(
                        Code::NotALayout,
                        "(0,{end}) lies at {here}, (0,{column}) at {first} and (0,{start}) at {from}: the instructions have different \
                         descriptors",
                        [end = start + column, here, column, first, start, from]
                    )
                    .with_help("give the tile of one instruction"));
                }
            }
            let advanced = descriptor.advanced(from, bits)?;
            count += 1;
            if starts.len() < MOST_STEPS {
                starts.push(advanced.start.to_string());
            }
        }
        let more = if count > starts.len() { format!(", … ({count} in all)") } else { String::new() };
        notes.push(format!(
            "of its first instruction, k 0 to {}; the instructions start at {}{more}",
            step - 1,
            starts.join(", ")
        ));
    }
    Ok(fields(&descriptor))
}

/// The tile of the first instruction, the extents of the whole tile, and how much of K one instruction takes.
pub(super) fn first_instruction(tile: &Function, bits: i64) -> Result<(Function, [i64; 2], i64), Error> {
    let shape = tile.domain()?.shape().try_map(Int::as_number)?;
    let (mn, k) = match shape.entries().as_slice() {
        [mn, k] if !shape.is_leaf() => (mn.size()?, k.size()?),
        _ => {
            return Err(error!(Code::RankMismatch, "a tile has the modes (mn, k); {tile} has other ones", [tile]));
        }
    };
    // One instruction takes 32 bytes along K.
    let step = INSTRUCTION_BITS.checked_div(bits).unwrap_or(0);
    let first = if step > 0 && k > step && k % step == 0 {
        let cut = Tiler::Modes(vec![Tiler::Extent(Int::from(mn)), Tiler::Extent(Int::from(step))]);
        tile.composition(&cut)?
    } else {
        tile.clone()
    };
    Ok((first, [mn, k], step))
}

/// The bits along K that one instruction takes.
const INSTRUCTION_BITS: i64 = 256;
/// The most instructions that a note names.
const MOST_STEPS: usize = 8;
/// The longest K of which every column is looked at.
const MOST_COLUMNS: i64 = 1 << 20;
