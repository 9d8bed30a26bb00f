//! The cases of the algebra bench: the operands of the peers' published measurements.

use std::hint::black_box;
use std::process::ExitCode;

use bitstride::cute::{self, Tiler};
use bitstride::{Layout, StaticLayout, Tuple};

use super::count;
use super::measure::best;
use super::peer::{self, Peer};

/// One line of the table.
pub(crate) struct Line {
    pub(super) case: &'static str,
    pub(super) operands: &'static str,
    pub(super) ours: f64,
    pub(super) instructions: Option<u64>,
    pub(super) peers: Vec<(String, Option<f64>)>,
}

/// What one case computes.
struct Case {
    name: &'static str,
    operands: &'static str,
    run: fn(&Operands),
}

/// The operands, built outside the timed loop.
struct Operands {
    a2: StaticLayout,
    b2: StaticLayout,
    a4: StaticLayout,
    b3: StaticLayout,
    gaps2: StaticLayout,
    gaps4: StaticLayout,
    nested: StaticLayout,
    three: StaticLayout,
    four_by_two: Tiler<i64, i64>,
    wide: StaticLayout,
    tiles: Tiler<i64, i64>,
    square: StaticLayout,
    repeat: Tiler<i64, i64>,
    plain: StaticLayout,
    split: StaticLayout,
    general_a: Layout,
    general_b: Layout,
}

const CASES: &[Case] = &[
    Case {
        name: "composition_2x2",
        operands: "(10,2):(16,4) o (5,4):(1,5)",
        run: |o| sink(cute::composition(&o.a2, &o.b2)),
    },
    Case {
        name: "composition_4x3",
        operands: "(4,2,3,8):(2,1,8,24) o (4,6,2):(1,4,24)",
        run: |o| sink(cute::composition(&o.a4, &o.b3)),
    },
    Case {
        name: "complement_2",
        operands: "complement((2,4):(1,6), 24)",
        run: |o| sink(cute::complement(&o.gaps2, &Tuple::leaf(24))),
    },
    Case {
        name: "complement_4",
        operands: "complement((2,4,3,2):(1,6,24,144), 576)",
        run: |o| sink(cute::complement(&o.gaps4, &Tuple::leaf(576))),
    },
    Case { name: "coalesce", operands: "(2,(1,6),(4,2)):(1,(6,2),(12,48))", run: |o| sink(cute::coalesce(&o.nested)) },
    Case {
        name: "logical_divide",
        operands: "(4,2,3):(2,1,8) by 4:2",
        run: |o| sink(cute::logical_divide(&o.three, &o.four_by_two)),
    },
    Case {
        name: "zipped_divide",
        operands: "(9,(4,8)):(59,(13,1)) by <3:3, (2,4):(1,8)>",
        run: |o| sink(cute::zipped_divide(&o.wide, &o.tiles)),
    },
    Case {
        name: "logical_product",
        operands: "(2,2):(4,1) by (4,2):(2,1)",
        run: |o| sink(cute::logical_product(&o.square, &o.repeat)),
    },
    Case { name: "right_inverse", operands: "(4,2,3):(2,1,8)", run: |o| sink(cute::right_inverse(&o.three)) },
    Case { name: "evaluate", operands: "(4,2,3):(2,1,8) at 17", run: |o| sink(o.three.offset(&black_box(17))) },
    Case {
        name: "equality_2048",
        operands: "(2048,2048):(1,2048) = ((32,64),(64,32)):((1,32),(2048,131072))",
        run: |o| sink(cute::same_function(&o.plain, &o.split)),
    },
    Case {
        name: "composition_2x2_general",
        operands: "the first case on leaves that may be dynamic",
        run: |o| sink(cute::composition(&o.general_a, &o.general_b)),
    },
];

fn sink<T>(value: T) {
    black_box(&value);
}

fn operands() -> Result<Operands, bitstride::Error> {
    Ok(Operands {
        a2: "(10,2):(16,4)".parse()?,
        b2: "(5,4):(1,5)".parse()?,
        a4: "(4,2,3,8):(2,1,8,24)".parse()?,
        b3: "(4,6,2):(1,4,24)".parse()?,
        gaps2: "(2,4):(1,6)".parse()?,
        gaps4: "(2,4,3,2):(1,6,24,144)".parse()?,
        nested: "(2,(1,6),(4,2)):(1,(6,2),(12,48))".parse()?,
        three: "(4,2,3):(2,1,8)".parse()?,
        four_by_two: Tiler::Layout("4:2".parse()?),
        wide: "(9,(4,8)):(59,(13,1))".parse()?,
        tiles: Tiler::Modes(vec![Tiler::Layout("3:3".parse()?), Tiler::Layout("(2,4):(1,8)".parse()?)]),
        square: "(2,2):(4,1)".parse()?,
        repeat: Tiler::Layout("(4,2):(2,1)".parse()?),
        plain: "(2048,2048):(1,2048)".parse()?,
        split: "((32,64),(64,32)):((1,32),(2048,131072))".parse()?,
        general_a: "(10,2):(16,4)".parse()?,
        general_b: "(5,4):(1,5)".parse()?,
    })
}

/// Ours and every peer that answers.
pub(super) fn compare() -> Vec<Line> {
    let Ok(operands) = operands() else { return Vec::new() };
    let peers: Vec<Peer> = peer::installed();
    CASES
        .iter()
        .map(|case| Line {
            case: case.name,
            operands: case.operands,
            ours: best(|| (case.run)(black_box(&operands))),
            instructions: count::instructions(case.name),
            peers: peers.iter().map(|peer| (peer.name.clone(), peer.ns(case.name))).collect(),
        })
        .collect()
}

/// Runs one case a number of times, for the instruction counter.
pub(super) fn repeat(name: &str, times: &str) -> ExitCode {
    let case = CASES.iter().find(|case| case.name == name);
    match (case, times.parse::<u32>(), operands()) {
        (Some(case), Ok(times), Ok(operands)) => {
            for _ in 0..times {
                (case.run)(black_box(&operands));
            }
            ExitCode::SUCCESS
        }
        _ => ExitCode::from(2),
    }
}
