//! Instructions and their copies over a tile: which divisions and compositions lead from a tensor to a thread's values.

use super::steps::Steps;
use super::words::call;
use crate::atoms::{instruction, tiled_copy, tiled_mma};
use crate::{Instruction, Value, evaluate};
use bitstride::Error;
use bitstride::cute::{Layout, Operand, Side, TiledCopy, TiledMma, Tiler};

/// An operation on instructions; false for another one.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<bool, Error> {
    let (Some(first), second) = (values.first(), values.get(1)) else { return Ok(false) };
    match (name, second) {
        ("atom", _) => {
            // A layout says itself where its bits lead.
            if let Value::Instruction(whole) = evaluate(&call(name, values))?.value {
                parts(&whole, steps)?;
            }
        }
        ("part", Some(part)) => match instruction(first)? {
            Instruction::TiledMma(_, mma) => match part.to_string().as_str() {
                "A" => operand(&mma, Operand::A, steps)?,
                "B" => operand(&mma, Operand::B, steps)?,
                "C" => operand(&mma, Operand::C, steps)?,
                "thr_layout_vmnk" => threads(&mma, steps)?,
                _ => {}
            },
            Instruction::TiledCopy(_, copy) => match part.to_string().as_str() {
                "S" => side(&copy, Side::Source, steps)?,
                "D" => side(&copy, Side::Target, steps)?,
                _ => {}
            },
            _ => {}
        },
        ("tiled_mma", _) => {
            let answer = evaluate(&call(name, values))?.value;
            threads(&tiled_mma(&answer)?, steps)?;
            parts(&instruction(&answer)?, steps)?;
        }
        ("thr_layout_vmnk", _) => threads(&tiled_mma(first)?, steps)?,
        ("tiled_copy", _) => {
            let (threads, inner) = (values.get(2), values.get(3));
            let threads = threads.map_or_else(String::new, ToString::to_string);
            let inner = inner.map_or_else(|| "1:0".to_owned(), ToString::to_string);
            let rule = "Threads and values are interleaved: each thread's values lie side by side. From (m,n) to their numbers:";
            let raked = steps.layout(rule, format!("raked_product({threads}, {inner})"))?;
            let rule = "The other way round, from the numbers to elements of the tile:";
            let inverse = steps.layout(rule, format!("right_inverse({raked})"))?;
            let rule = "As (thread, value):";
            steps.add(rule, format!("with_shape({inverse}, (size({threads}), size({inner})))"))?;
            parts(&instruction(&evaluate(&call(name, values))?.value)?, steps)?;
        }
        ("copy_atom" | "tiled_copy_tv" | "make_tiled_copy_S" | "make_tiled_copy_D" | "make_cotiled_copy", _) => {
            parts(&instruction(&evaluate(&call(name, values))?.value)?, steps)?;
        }
        ("make_tiled_copy_A" | "make_tiled_copy_B" | "make_tiled_copy_C" | "make_tiled_copy_C_atom", _) => {
            let operand = name.trim_start_matches("make_tiled_copy_").trim_end_matches("_atom");
            if let Some(mma) = values.get(2) {
                let rule = format!("The threads have what the matrix instructions hold of {operand}:");
                steps.add(rule, format!("part({mma}, {operand})"))?;
            }
            parts(&instruction(&evaluate(&call(name, values))?.value)?, steps)?;
        }
        ("partition_A" | "partition_B" | "partition_C", _) => {
            if let Some(thread) = values.get(2) {
                located(&tiled_mma(first)?, thread, steps)?;
            }
        }
        ("get_slice", Some(thread)) => match instruction(first)? {
            copy @ Instruction::TiledCopy(..) => parts(&copy, steps)?,
            _ => located(&tiled_mma(first)?, thread, steps)?,
        },
        ("partition_S" | "partition_D", Some(tensor)) => {
            let copy = tiled_copy(first)?;
            let rule = format!("The tensor is cut into tiles of {}: mode 0 runs inside one.", copy.tiler());
            steps.add(rule, format!("zipped_divide({tensor}, {})", copy.tiler()))?;
            side(&copy, if name == "partition_S" { Side::Source } else { Side::Target }, steps)?;
        }
        ("partition_fragment_A" | "partition_fragment_B" | "partition_fragment_C", Some(tensor)) => {
            let operand = name.trim_start_matches("partition_fragment_");
            let rule = "Every thread holds as much; of thread 0 it is this part of the tensor, which registers hold compactly:";
            steps.add(rule, format!("partition_{operand}({first}, {tensor}, 0)"))?;
        }
        ("retile", Some(fragment)) => {
            let copy = tiled_copy(first)?;
            let each = copy.reference().get(&[1])?.size()?;
            let rule =
                format!("One instruction of the copy has {each} values a thread, one of the fragment this many:");
            steps.add(rule, format!("size(layout({fragment}, 0))"))?;
        }
        ("which_atom", _) => {
            let layout = match first {
                Value::Linear(_) | Value::Map(_) => {
                    let rule = "As threads and values of a tile, in CuTe's notation:";
                    steps.add(rule, format!("convert({first}, cute)"))?;
                    return Ok(true);
                }
                layout => layout,
            };
            let rule = "Modes that go on in one another are merged, so that nesting does not matter:";
            steps.add(rule, format!("coalesce({layout}, (1,1))"))?;
        }
        ("smem_atom", Some(span)) => {
            if let Some(bits) = values.get(2) {
                let span = if span.as_number()? == 0 { "16".to_owned() } else { span.to_string() };
                let rule = format!(
                    "A row has {span} bytes, which are this many elements of {bits} bits; there are eight rows:"
                );
                steps.add(rule, format!("div({span}*8, {bits})"))?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// What an instruction has, by name.
fn parts(whole: &Instruction, steps: &mut Steps) -> Result<(), Error> {
    for part in whole.parts() {
        let rule = match part {
            "A" | "B" | "C" => format!("From (thread, value) to the elements of {part}, column-major:"),
            "S" | "Src" => "From (thread, value) to what is read:".to_owned(),
            "D" | "Dst" => "From (thread, value) to what is written:".to_owned(),
            "tile" => "The extents of the tile:".to_owned(),
            "Shape_MNK" => "M, N and K of the instruction:".to_owned(),
            "ThrID" => "The threads that take part:".to_owned(),
            _ => continue,
        };
        steps.add(rule, format!("part({whole}, {part})"))?;
    }
    Ok(())
}

/// How threads are numbered.
fn threads(mma: &TiledMma, steps: &mut Steps) -> Result<(), Error> {
    let rule = format!(
        "Each copy of the instruction has threads of its own: {} is repeated as {} numbers the copies.",
        mma.atom().threads,
        mma.atoms()
    );
    steps.add(rule, format!("tiled_product({}, {})", mma.atom().threads, mma.atoms()))?;
    Ok(())
}

/// The thread of the instruction and the copy that a thread is.
fn located(mma: &TiledMma, thread: &Value, steps: &mut Steps) -> Result<(), Error> {
    let number = thread.as_number()?;
    let coordinate = mma.coordinate(number)?;
    let texts: Vec<String> = coordinate.iter().map(ToString::to_string).collect();
    let [first, copies @ ..] = texts.as_slice() else { return Ok(()) };
    let rule = format!(
        "Thread {number} is thread {first} of the copy ({}) along M, N and K, as the layout of threads says:",
        copies.join(",")
    );
    steps.add(rule, format!("at({}, ({}))", mma.thr_layout_vmnk(), texts.join(",")))?;
    Ok(())
}

/// The thread-value layout of an operand of a tile.
fn operand(mma: &TiledMma, operand: Operand, steps: &mut Steps) -> Result<(), Error> {
    let names = ["M", "N", "K"];
    let [rows, columns] = operand.modes();
    let tile = mma.tile_mnk()?;
    let number = |all: [i64; 3], mode: usize| all.get(mode).copied().unwrap_or(1);
    let entry = |mode: usize| match mma.tile().get(mode) {
        Some(entry) if *entry != Tiler::Keep => entry.to_string(),
        _ => number(tile, mode).to_string(),
    };
    let named = |mode: usize| names.get(mode).copied().unwrap_or("K");
    let whole = steps.layout(
        format!("{operand:?} has {} and {} as rows and columns; its tile, column-major:", named(rows), named(columns)),
        format!("column_major(({},{}))", number(tile, rows), number(tile, columns)),
    )?;
    let permuted = steps.layout(
        "Rows and columns are divided by the entries of the tile: an extent leaves them, a layout permutes them.",
        format!("logical_divide({whole}, <{}, {}>)", entry(rows), entry(columns)),
    )?;
    let shape = mma.atom().shape;
    let cut = steps.layout(
        "Then by the instruction's shape: mode 0 runs inside one instruction, mode 1 from one to the next.",
        format!("zipped_divide({permuted}, <{}, {}>)", number(shape, rows), number(shape, columns)),
    )?;
    let held = steps.layout(
        "Inside, the instruction's own layout says which thread holds what:",
        format!("composition({}, {})", cut.get(&[0])?, mma.layout_of(operand)),
    )?;
    let copies = |mode: usize| mma.thr_layout_vmnk().get(&[mode + 1])?.size();
    let shared = steps.layout(
        "The instructions are shared by the copies; what a copy has more than one of are further values:",
        format!("zipped_divide({}, <{}, {}>)", cut.get(&[1])?, copies(rows)?, copies(columns)?),
    )?;
    let mut threads = Layout::of(&[held.get(&[0])?, shared.get(&[0])?]);
    if operand != Operand::C {
        let strides = if operand == Operand::A { "(1,0)" } else { "(0,1)" };
        let lacks = if operand == Operand::A { "N" } else { "M" };
        let repeated = format!("<_, <({},{}):{strides}, _>>", copies(0)?, copies(1)?);
        threads = steps.layout(
            format!("{operand:?} has no {lacks}: copies along it hold the same."),
            format!("composition({threads}, {repeated})"),
        )?;
    }
    let numbered = steps.layout(
        "The number of a thread says which thread of which copy it is:",
        format!("composition({threads}, right_inverse(({0}, complement({0}))))", mma.thr_layout_vmnk()),
    )?;
    let values = Layout::of(&[held.get(&[1])?, shared.get(&[1])?]);
    steps.add("Threads and values together:", format!("({numbered}, {values})"))?;
    Ok(())
}

/// The thread-value layout of a side of a copy.
fn side(copy: &TiledCopy, side: Side, steps: &mut Steps) -> Result<(), Error> {
    let (layout, reference) = (copy.tiled_layout(), copy.reference());
    let one = [reference.get(&[0])?.size()?, reference.get(&[1])?.size()?];
    let cut = steps.layout(
        format!(
            "The layout of the tile is cut into instructions of {} threads and {} values: mode 0 runs inside one.",
            one[0], one[1]
        ),
        format!("zipped_divide({layout}, <{}, {}>)", one[0], one[1]),
    )?;
    let across = steps.layout(
        "Bits of this side are bits of the side that the layout speaks of:",
        format!("composition(right_inverse({reference}), {})", copy.value_layout(side)),
    )?;
    let inside = steps
        .layout("So inside an instruction this side has:", format!("composition({}, {across})", cut.get(&[0])?))?;
    let gathered =
        steps.layout("Threads with threads, values with values:", format!("zip({inside}, {})", cut.get(&[1])?))?;
    steps.add("Modes that go on in one another are merged:", format!("coalesce({gathered}, (1,(1,1)))"))?;
    Ok(())
}
