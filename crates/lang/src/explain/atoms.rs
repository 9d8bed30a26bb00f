//! Instructions and their copies over a tile: which divisions and compositions lead from a tensor to a thread's values, as the
//! operation reports them ([`TilingStep`]), up to one that is refused.

use super::steps::Steps;
use super::words::call;
use crate::atoms::{instruction, thread, tiled_copy, tiled_copy_of, tiled_mma};
use crate::{Instruction, Value, evaluate};
use bitstride::Error;
use bitstride::cute::{Operand, Side, TiledCopy, TiledMma, TilingStep};

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
            let mut events = Vec::new();
            let answer = tiled_copy_of(values, &mut events)?;
            tiled(&events, None, steps)?;
            parts(&answer, steps)?;
        }
        (
            "copy_atom" | "tiled_copy_tv" | "make_tiled_copy_S" | "make_tiled_copy_D" | "make_cotiled_copy"
            | "mma_of_layouts",
            _,
        ) => {
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
        ("partition_A" | "partition_B" | "partition_C", Some(tensor)) => {
            let (mma, thread) = (tiled_mma(first)?, thread(values)?);
            let operand = match name {
                "partition_A" => Operand::A,
                "partition_B" => Operand::B,
                _ => Operand::C,
            };
            let mut events = Vec::new();
            let _ = mma.partition_traced(operand, &tensor.as_layout()?, thread, &mut events);
            tiled(&events, Some(operand), steps)?;
            located(&mma, thread, steps)?;
        }
        ("get_slice", Some(thread)) => match instruction(first)? {
            copy @ Instruction::TiledCopy(..) => parts(&copy, steps)?,
            _ => located(&tiled_mma(first)?, thread.as_number()?, steps)?,
        },
        ("partition_S" | "partition_D", Some(tensor)) => {
            let thread = thread(values)?;
            let side = if name == "partition_S" { Side::Source } else { Side::Target };
            let mut events = Vec::new();
            let _ = tiled_copy(first)?.partition_traced(side, &tensor.as_layout()?, thread, &mut events);
            tiled(&events, None, steps)?;
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
fn located(mma: &TiledMma, number: i64, steps: &mut Steps) -> Result<(), Error> {
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
    let mut events = Vec::new();
    let _ = mma.layout_tv_traced(operand, &mut events);
    tiled(&events, Some(operand), steps)
}

/// The thread-value layout of a side of a copy.
fn side(copy: &TiledCopy, side: Side, steps: &mut Steps) -> Result<(), Error> {
    let mut events = Vec::new();
    let _ = copy.layout_tv_traced(side, &mut events);
    tiled(&events, None, steps)
}

/// Each division and composition that an instruction's copies reported, as an expression of its operands.
fn tiled(events: &[TilingStep], operand: Option<Operand>, steps: &mut Steps) -> Result<(), Error> {
    let said = operand.map_or_else(|| "The copy".to_owned(), |operand| format!("{operand:?}"));
    let named = |mode: usize| ["M", "N", "K"].get(mode).copied().unwrap_or("K");
    let [rows, columns] = operand.map_or(["rows", "columns"], |operand| operand.modes().map(named));
    for event in events {
        let (rule, expression) = match event {
            TilingStep::Tile { tile } => {
                let rule = format!("{said} has {rows} and {columns} as rows and columns; its tile, column-major:");
                (rule, format!("column_major({})", tile.shape()))
            }
            TilingStep::Permutes { tensor, by } => {
                let rule = "Rows and columns are divided by the entries of the tile: an extent leaves them, a layout permutes them.";
                (rule.to_owned(), format!("logical_divide({tensor}, {by})"))
            }
            TilingStep::Tiles { tensor, by } => {
                let rule = format!("The tensor is cut into tiles of {by}: mode 0 runs inside one.");
                (rule, format!("zipped_divide({tensor}, {by})"))
            }
            TilingStep::Cuts { tensor, by } => {
                let what = if operand.is_some() { "Then it" } else { "The layout of the tile" };
                let of = if operand.is_some() { "" } else { " threads and values" };
                let rule = format!(
                    "{what} is cut into instructions of {by}{of}: mode 0 runs inside one, mode 1 from one to the next."
                );
                (rule, format!("zipped_divide({tensor}, {by})"))
            }
            TilingStep::Turns { reference, side } => {
                let rule = "Bits of this side are bits of the side that the layout speaks of:";
                (rule.to_owned(), format!("composition(right_inverse({reference}), {side})"))
            }
            TilingStep::Holds { inside, held } => {
                let rule = "Inside an instruction this says which thread holds what:";
                (rule.to_owned(), format!("composition({inside}, {held})"))
            }
            TilingStep::Shares { rest, by } => {
                let rule =
                    "The instructions are shared by the copies; what a copy has more than one of are further values:";
                (rule.to_owned(), format!("zipped_divide({rest}, {by})"))
            }
            TilingStep::Repeats { threads, by } => {
                let lacks = if operand == Some(Operand::A) { "N" } else { "M" };
                let rule = format!("{said} has no {lacks}: copies along it hold the same.");
                (rule, format!("composition({threads}, {by})"))
            }
            TilingStep::Numbers { threads, spare } => {
                let rule = "Which thread of which copy a number is follows from the layout of threads and the numbers between them:";
                (rule.to_owned(), format!("right_inverse(({threads}, {spare}))"))
            }
            TilingStep::Numbered { threads, numbers } => {
                ("By these numbers the threads are called:".to_owned(), format!("composition({threads}, {numbers})"))
            }
            TilingStep::Gathers { inside, rest } => {
                ("Threads with threads, values with values:".to_owned(), format!("zip({inside}, {rest})"))
            }
            TilingStep::Merges { layout } => {
                let rule = "Modes that go on in one another are merged:";
                (rule.to_owned(), format!("coalesce({layout}, (1,(1,1)))"))
            }
            TilingStep::Places { tile, layout } => {
                let rule = "The elements of the tile lie where the tensor has them:";
                (rule.to_owned(), format!("composition({tile}, {layout})"))
            }
            TilingStep::Pairs { threads, values } => {
                ("Threads and values together:".to_owned(), format!("({threads}, {values})"))
            }
            TilingStep::Rakes { threads, values } => {
                let rule = "Threads and values are interleaved: each thread's values lie side by side. From (m,n) to their numbers:";
                (rule.to_owned(), format!("raked_product({threads}, {values})"))
            }
            TilingStep::Inverts { raked, numbers } => {
                let rule = "The other way round, from (thread, value) to elements of the tile:";
                (rule.to_owned(), format!("composition(right_inverse({raked}), {numbers})"))
            }
            _ => continue,
        };
        steps.add(rule, expression)?;
    }
    Ok(())
}
