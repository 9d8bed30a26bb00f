//! Accesses to memory and conversions through it: addresses to banks and sectors, phase by phase, instruction by instruction.

use super::linear;
use super::steps::Steps;
use super::words::{call, list};
use crate::descriptors::{decoded, generation, instruction, tma, word as word_of_bits};
use crate::hardware::{accesses, addresses, descriptor_steps, machine, plan, shuffles, transfer};
use crate::numbers::number;
use crate::swizzles::{Question, rotating};
use crate::{Value, evaluate};
use bitstride::Error;
use bitstride::memory::{
    Access, Descriptor, DescriptorStep, InstructionDescriptor, Passes, Phase, SharedMemory, Transfer, Way,
};

/// More lanes, words and instructions are not named one by one.
const MOST_NAMED: usize = 4;

/// An operation on memory; false for another one.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<bool, Error> {
    match name {
        "address_wavefronts" => one_access(values, steps)?,
        "address_sectors" => touched(values, steps)?,
        "wavefronts" | "bank_conflicts" | "sectors" => instructions(name, values, steps)?,
        "plan" => conversion(values, steps)?,
        "descriptor" => descriptor(values, steps)?,
        "warp_shuffle_decomp" => moves(values, steps)?,
        "tma" => boxes(values, steps)?,
        "decode_descriptor" => fields(values, steps)?,
        "instruction_descriptor" => word_of(&instruction(values)?, steps)?,
        "decode_instruction_descriptor" => {
            word_of(&decoded(values)?, steps)?;
            steps.add("Those fields say:", call("decode_instruction_descriptor", values))?;
        }
        "bank_conflicts_memdesc" => through(values, steps)?,
        "swizzle" => synthesis(values, steps)?,
        "swizzle_between" => between(values, steps)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// `address_wavefronts(…)`: the banks of the first lanes, then the phases.
fn one_access(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [list, bytes, ..] = values else { return Ok(()) };
    let memory = machine(values, 3)?;
    let addresses = addresses(list)?;
    for (lane, address) in named(&addresses) {
        let (word, banks) = (memory.word_bytes, memory.banks);
        let rule = format!(
            "Lane {lane} asks for byte {address}. Words have {word} bytes, and they go round {banks} banks; its bank:"
        );
        steps.add(rule, format!("mod(div({address}, {word}), {banks})"))?;
    }
    let access = Access::new(transfer(values, 2)?, bytes.as_number()?, &addresses)?;
    let passes = memory.passes(&access)?;
    phases(&passes, steps)?;
    let terms: Vec<String> = passes.0.iter().map(|phase| phase.wavefronts.to_string()).collect();
    if !terms.is_empty() {
        steps.add("Phases follow one another, so their wavefronts add up:", terms.join("+"))?;
    }
    Ok(())
}

/// Each phase: who takes part, and what its busiest bank has to give.
fn phases(passes: &Passes, steps: &mut Steps) -> Result<(), Error> {
    for (number, phase) in passes.0.iter().enumerate().take(2 * MOST_NAMED) {
        steps.add(phase_words(number, phase), phase.wavefronts.to_string())?;
    }
    Ok(())
}

fn phase_words(number: usize, phase: &Phase) -> String {
    let lanes = match (phase.lanes.first(), phase.lanes.last()) {
        (Some(first), Some(last)) if first != last => format!("lanes {first} to {last}"),
        (Some(only), _) => format!("lane {only}"),
        _ => "no lane".to_owned(),
    };
    match &phase.collision {
        Some(collision) => {
            let words: Vec<String> = collision
                .words
                .iter()
                .take(MOST_NAMED)
                .map(|(word, lanes)| format!("{word} for lane {}", lanes.first().copied().unwrap_or(0)))
                .collect();
            let more = collision.words.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            format!(
                "Phase {number} serves {lanes}. Its busiest bank, {}, has to give {} words, one a wavefront: {}{more}.",
                collision.bank,
                collision.words.len(),
                list(&words)
            )
        }
        None => format!("Phase {number} serves {lanes}. No bank has to give two words, so it takes one wavefront:"),
    }
}

/// The first lanes that take part, with their addresses.
fn named(addresses: &[Option<i64>]) -> impl Iterator<Item = (usize, i64)> {
    addresses.iter().enumerate().filter_map(|(lane, address)| Some((lane, (*address)?))).take(MOST_NAMED)
}

/// `address_sectors(…)`: the sectors of the first lanes.
fn touched(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [list, ..] = values else { return Ok(()) };
    for (lane, address) in named(&addresses(list)?) {
        let rule = format!("Lane {lane} asks for byte {address}. A sector has 32 bytes, so it is sector number:");
        steps.add(rule, format!("div({address}, 32)"))?;
    }
    steps.add("Each sector that a lane touches counts once:", call("address_sectors", values))?;
    Ok(())
}

/// `wavefronts`, `bank_conflicts` and `sectors`: each instruction with the addresses of its lanes.
fn instructions(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let memory = machine(values, 4)?;
    let accesses = match accesses(values) {
        Ok(accesses) => accesses,
        Err(error) => {
            // Too many to list, which a cost on bits does not mind.
            let rule =
                "All is linear over F2, so that instructions differ in where they start only, and the first one tells:";
            return steps.add(rule, call(name, values)).map(|_| ()).map_err(|_| error);
        }
    };
    let (transfer, bytes) = (accesses.transfer(), accesses.bytes());
    let one = if name == "sectors" { "address_sectors" } else { "address_wavefronts" };
    let mut terms = Vec::new();
    for (number, access) in accesses.iter().enumerate() {
        let access = access?;
        let passes = memory.passes(&access)?;
        let (counted, said) = match name {
            "bank_conflicts" => (
                passes.conflicts(),
                format!(
                    " Phases: {}. Wavefronts beyond one a phase are conflicts: {}.",
                    passes.0.len(),
                    passes.conflicts()
                ),
            ),
            "sectors" => (access.sectors()?, String::new()),
            _ => (passes.wavefronts(), String::new()),
        };
        terms.push(counted.to_string());
        if number >= MOST_NAMED {
            continue;
        }
        if let (0, "wavefronts" | "bank_conflicts") = (number, name) {
            phases(&passes, steps)?;
        }
        let rule = format!("Instruction {number}, {transfer} of {bytes} bytes a lane, asks for these bytes.{said}");
        steps.add(rule, format!("{one}({}, {bytes}{})", texts(access.addresses()), words(transfer, &memory)))?;
    }
    if !terms.is_empty() && terms.len() <= 64 {
        let rule = format!("Instructions in all: {}. They follow one another:", accesses.count());
        steps.add(rule, terms.join("+"))?;
    }
    Ok(())
}

/// Addresses as a tuple of the language.
fn texts(addresses: &[Option<i64>]) -> String {
    let texts: Vec<String> =
        addresses.iter().map(|address| address.map_or_else(|| "_".to_owned(), |n| n.to_string())).collect();
    format!("({})", texts.join(","))
}

/// The last operand that names a transfer, where it is not the usual one.
fn word(transfer: Transfer) -> String {
    if transfer == Transfer::Load { String::new() } else { format!(", {}", transfer.word()) }
}

/// The last operands where the machine is not the usual one either.
fn words(transfer: Transfer, memory: &SharedMemory) -> String {
    if *memory == SharedMemory::NVIDIA { word(transfer) } else { format!(", {}, amd", transfer.word()) }
}

/// `plan(A, B, bits)`: what moves between which dims, and what that takes.
fn conversion(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [source, target, ..] = values else { return Ok(()) };
    // Tensors of another shape are moved between in the order of their elements, which `minimal_cvt` refuses.
    let is_one_tensor =
        !matches!((source, target), (Value::Linear(from), Value::Linear(to)) if from.outs() != to.outs());
    if is_one_tensor {
        linear::explain("minimal_cvt", &[source.clone(), target.clone()], steps)?;
    }
    let Ok(conversion) = plan(values) else {
        // Of registers and a given memory: where the registers lie in it.
        let rule =
            "From registers and lanes to offsets in the given memory, each instruction as wide as all lanes can:";
        steps.add(rule, call("plan", values))?;
        return Ok(());
    };
    let dims: Vec<String> = conversion.moves.ins().iter().map(|dim| dim.name.to_string()).collect();
    let along = if dims.is_empty() { "nothing".to_owned() } else { list(&dims) };
    let way = match &conversion.way {
        Way::Nothing => "so there is nothing to do".to_owned(),
        Way::Registers => "which are of one lane, so that other names of registers are enough".to_owned(),
        Way::Shuffles { shuffles, .. } => format!("which are of one warp, and {shuffles} shuffles move that"),
        Way::Memory { bytes, .. } => format!("for which shared memory of {bytes} bytes is used"),
    };
    let lines = conversion.lines(&source.as_linear()?, &target.as_linear()?, number(values, 2)?).unwrap_or_default();
    let lines = if lines.is_empty() { String::new() } else { format!(" In pseudo-code: {}.", lines.join("; ")) };
    let stop = if lines.is_empty() { ":" } else { "." };
    steps.add(format!("What moves is {along}, {way}{stop}{lines}"), call("plan", values))?;
    Ok(())
}

/// `descriptor(X, bits, major)`: the steps before the swizzle, in units of 16 bytes, and the start.
fn descriptor(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [_, bits, _, rest @ ..] = values else { return Ok(()) };
    let mut unit = 1;
    for event in descriptor_steps(values)? {
        match event {
            DescriptorStep::Unit { elements } => {
                unit = elements;
                let rule = format!("A unit is 16 bytes, which hold this many elements of {bits} bits:");
                steps.add(rule, format!("div(128, {bits})"))?;
            }
            DescriptorStep::Offset { what, element: [mn, k], units } => {
                let place = units.saturating_mul(unit);
                let rule = format!(
                    "The {what} says where ({mn},{k}) lies: before the swizzle {place} elements from the origin. In units:"
                );
                steps.add(rule, format!("div({place}, {unit})"))?;
            }
            _ => {}
        }
    }
    if let Some(address) = rest.first() {
        steps.add(format!("The tile starts at byte {address}. In units:"), format!("div({address}, 16)"))?;
    }
    steps.add(
        "As start, leading and stride offset in units, and the bytes of the swizzle:",
        call("descriptor", values),
    )?;
    Ok(())
}

/// `swizzle(tile, bits, accesses…)`: each access to the plain tile, the bound, what each class has, and each access to the answer.
fn synthesis(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [tile, bits, ..] = values else { return Ok(()) };
    let question = Question::read(values)?;
    let answer = question.answer()?;
    let Some(chosen) = answer.chosen() else { return Ok(()) };
    let counted = |memory: &str, number: usize| {
        let transfer = question.accesses.get(number).map_or(Transfer::Load, |(_, transfer)| *transfer);
        question
            .threads
            .get(number)
            .map(|threads| format!("wavefronts({memory}, {threads}, {bits}{})", words(transfer, &question.machine)))
    };
    for (number, cost) in question.search.plain().iter().enumerate().take(MOST_NAMED) {
        let rule = format!(
            "Access {number} to the plain tile. Instructions: {}, of {} bytes a lane; phases: {}. Its wavefronts:",
            cost.instructions, cost.bytes, cost.phases
        );
        let Some(expression) = counted(&tile.to_string(), number) else { continue };
        steps.add(rule, expression)?;
    }
    let least = question.search.least();
    steps.add(format!("In any memory, {}. So a lower bound is:", question.bound()), least.to_string())?;
    if let Some(found) = &answer.swizzle {
        let rule =
            format!("Of {} swizzles the best is {}, which takes this many wavefronts:", found.tried, found.change);
        steps.add(rule, found.wavefronts().to_string())?;
    }
    if let Some(found) = &answer.linear {
        let columns: Vec<String> = found.change.columns().iter().map(u64::to_string).collect();
        let rule = format!(
            "A map over F2 leads the bits of an offset to {}. {} It takes this many wavefronts:",
            list(&columns),
            match found.complete {
                true => "No subspace of rows of banks meets the lanes less.",
                false => "Not all subspaces of rows of banks were tried.",
            }
        );
        steps.add(rule, found.wavefronts().to_string())?;
    }
    if let Some(found) = &answer.padding {
        let rule = format!(
            "Of {} paddings the best leaves {} elements out after every {}, and takes this many wavefronts:",
            found.tried, found.change.gap, found.change.interval
        );
        steps.add(rule, found.wavefronts().to_string())?;
    }
    if let Some((found, rows)) = &answer.rotating {
        let rule = format!(
            "Of {} parameters of rotating rows the best are those of {}, which take this many wavefronts:",
            found.tried,
            rotating(found.change, *rows)
        );
        steps.add(rule, found.wavefronts().to_string())?;
    }
    let memory = question.layout(&answer)?.to_string();
    for (number, cost) in chosen.costs().iter().enumerate().take(MOST_NAMED) {
        let Some(expression) = counted(&memory, number) else { continue };
        let rule = format!("Access {number} to the answer. Phases: {}. Its wavefronts:", cost.phases);
        steps.add(rule, expression)?;
    }
    steps.add("The first class that takes the fewest has the answer:", call("swizzle", values))?;
    Ok(())
}

/// `swizzle_between(A, B)`: the first elements that move.
fn between(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [from, to] = values else { return Ok(()) };
    let map = from.as_map()?;
    let size = map.size()?;
    let mut moved = 0;
    let mut index = 1;
    // Elements at powers of two: a swizzle moves bits.
    while index < size && moved < MOST_NAMED {
        let at = |layout: &Value| format!("at({layout}, {index})");
        if let (Ok(old), Ok(new)) = (evaluate(&at(from)), evaluate(&at(to)))
            && let (Ok(old), Ok(new)) = (old.value.as_number(), new.value.as_number())
            && old != new
        {
            let rule = format!(
                "Element {index} moves from {old} to {new}, which flips the bits of {}. It lies here in the second layout:",
                old ^ new
            );
            steps.add(rule, at(to))?;
            moved += 1;
        }
        index = index.saturating_mul(2);
    }
    steps.add(
        "One run of bits, xored onto another run a fixed distance away, does this to every element:",
        call("swizzle_between", values),
    )?;
    Ok(())
}

/// `warp_shuffle_decomp(A, B, bits)`: what moves, and the moves line by line.
fn moves(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [source, target, ..] = values else { return Ok(()) };
    // Tensors of another shape are moved between in the order of their elements, which `minimal_cvt` refuses.
    let is_one_tensor =
        !matches!((source, target), (Value::Linear(from), Value::Linear(to)) if from.outs() != to.outs());
    if is_one_tensor {
        linear::explain("minimal_cvt", &[source.clone(), target.clone()], steps)?;
    }
    let shuffles = shuffles(values)?;
    let rule = format!(
        "Each run of lane bits in a cycle of bits that has register bits too is cut out by exchanging a register bit for a lane bit. So \
         many are exchanged: {}. In pseudo-code: {}.",
        shuffles.exchanges.len(),
        shuffles.lines().join("; ")
    );
    steps.add(rule, call("warp_shuffle_decomp", values))?;
    Ok(())
}

/// `tma(G, S, bits)`: the sides of the box and of the tensor, and the image.
fn boxes(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let copy = tma(values)?;
    let (bits, basis) = (copy.unit_bits, copy.basis());
    steps.add(
        format!("Shared memory without the swizzle is followed by stride from 1 on; under it lie these modes of global memory: {basis}."),
        copy.window.iter().map(ToString::to_string).collect::<Vec<_>>().join("*"),
    )?;
    if let Some(end) = copy.end.as_ref().filter(|_| copy.instructions > 1) {
        let rule = format!("The box ends because {end}. The boxes that fill the tile:");
        steps.add(rule, copy.instructions.to_string())?;
    }
    if let Some(side) = copy.window.first() {
        let rule = format!(
            "A row of the box has {side} elements of {bits} bits. In bytes, which the span of the swizzle holds:"
        );
        steps.add(rule, format!("div({side}*{bits}, 8)"))?;
    }
    steps.add("The dims, strides in bytes, box and swizzle:", call("tma", values))?;
    Ok(())
}

/// `decode_descriptor(word)`: the fields, each in bytes.
fn fields(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [word_value, ..] = values else { return Ok(()) };
    let descriptor = Descriptor::from_word(word_of_bits(word_value)?, generation(values, 1)?)?;
    for (what, units, bit) in descriptor.fields() {
        steps.add(format!("The {what} begins at bit {bit}, in units of 16 bytes. In bytes:"), format!("{units}*16"))?;
    }
    let rule = "As start, leading and stride offset in units, and the bytes of the swizzle:";
    steps.add(rule, call("decode_descriptor", values))?;
    Ok(())
}

/// The fields of the descriptor of an instruction that are not 0, and their sum.
fn word_of(descriptor: &InstructionDescriptor, steps: &mut Steps) -> Result<(), Error> {
    let mut terms = Vec::new();
    for (what, code, bit) in descriptor.fields().into_iter().filter(|(_, code, _)| *code != 0) {
        let term = format!("{code}*{}", 1_u64 << bit);
        steps.add(format!("The field that begins at bit {bit} says \"{what}\"; here it is {code}:"), term.clone())?;
        terms.push(term);
    }
    steps.add(format!("The other fields are 0. The word is {descriptor}:"), terms.join("+"))?;
    Ok(())
}

/// `bank_conflicts_memdesc(A, M, bits)`: where in memory the registers and lanes go.
fn through(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [registers, memory, ..] = values else { return Ok(()) };
    linear::explain("invert_and_compose", &[registers.clone(), memory.clone()], steps)?;
    let rule = "From registers and lanes to offsets in the memory. Register bits that move the next offset bit are one vector:";
    steps.add(rule, format!("invert_and_compose({registers}, {memory})"))?;
    steps.add(
        "Lanes of one phase that differ by whole rows of banks collide:",
        call("bank_conflicts_memdesc", values),
    )?;
    Ok(())
}
