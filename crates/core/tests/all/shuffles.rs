//! Conversions within a warp: every value is moved by the plan, word by word and lane by lane, and looked for where it should be.

#![allow(clippy::expect_used, clippy::panic, reason = "that is how a test fails")]

use bitstride::Code;
use bitstride::linear::{LinearLayout, Name};
use bitstride::memory::{Conversion, Matrices, WarpShuffles, Way};
use bitstride_oracle::laws;
use bitstride_oracle::reference::Linear;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 8).unwrap_or(0) % end
    }
}

fn twin(layout: &LinearLayout) -> Linear {
    layout.to_string().parse().expect("a linear layout")
}

/// A register layout of the columns 1, 2, 4, …, dealt to registers and lanes; `empty` lanes repeat others.
fn layout(random: &mut Random, bits: usize, lanes: usize, empty: usize) -> LinearLayout {
    let mut columns: Vec<i64> = (0..bits).map(|bit| 1 << bit).collect();
    for last in (1..columns.len()).rev() {
        columns.swap(last, random.below(last + 1));
    }
    let moving = (lanes - empty).min(bits);
    let mut lane: Vec<i64> = columns.split_off(bits - moving);
    while lane.len() < lanes {
        let at = random.below(lane.len() + 1);
        lane.insert(at, 0);
    }
    let column = |values: Vec<i64>| values.into_iter().map(|value| vec![value]).collect::<Vec<_>>();
    let ins = [
        (Name::REGISTER, column(columns)),
        (Name::LANE, column(lane)),
        (Name::WARP, Vec::new()),
        (Name::BLOCK, Vec::new()),
    ];
    LinearLayout::from_bases(&ins, &[(Name::new("dim0").expect("a name"), 1_i64 << bits)]).expect("a layout")
}

/// The exchanges of a conversion within warps, by which every element arrives.
fn checked(
    source: &LinearLayout,
    target: &LinearLayout,
    element_bits: i64,
    shuffles: &WarpShuffles,
) -> Vec<laws::Exchange> {
    let exchanges: Vec<laws::Exchange> = shuffles
        .exchanges
        .iter()
        .map(|exchange| (exchange.register, exchange.source_lane, exchange.target_lane, exchange.selectors))
        .collect();
    let (a, b, map) = (twin(source), twin(target), twin(&shuffles.lanes));
    laws::warp_shuffles(&a, &b, &shuffles.registers, &map, &exchanges, shuffles.packed)
        .unwrap_or_else(|violation| panic!("{source} {target} {element_bits}: {violation}"));
    exchanges
}

#[test]
fn every_value_arrives_where_the_target_has_it() {
    let mut random = Random(0x2545_f491);
    let (mut packed, mut several) = (0, 0);
    for round in 0..3000 {
        let lanes = 2 + random.below(4);
        let bits = lanes + random.below(5);
        let mut side = || {
            let empty = if round % 2 == 0 { 0 } else { random.below(3) };
            layout(&mut random, bits, lanes, empty)
        };
        let (source, target) = (side(), side());
        for element_bits in [8, 16, 32, 64] {
            let shuffles = match WarpShuffles::new(&source, &target, element_bits) {
                Ok(shuffles) => shuffles,
                Err(error) => {
                    assert_eq!(error.code(), Code::NotInvertible, "{source} {target}: {error}");
                    continue;
                }
            };
            let exchanges = checked(&source, &target, element_bits, &shuffles);
            packed +=
                usize::from(shuffles.packed > 0 && exchanges.iter().any(|(.., selectors)| selectors[0] != 0x3210));
            several += usize::from(exchanges.len() > 1);
        }
    }
    assert!(packed > 100 && several > 1000, "{packed} with selectors, {several} with several exchanges");
}

/// A linear layout of columns of registers, lanes, warps and blocks onto a given number of bits.
fn of_columns(bits: usize, columns: [&[i64]; 4]) -> LinearLayout {
    let names = [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK];
    let ins: Vec<_> = names
        .into_iter()
        .zip(columns)
        .map(|(name, columns)| (name, columns.iter().map(|column| vec![*column]).collect::<Vec<_>>()))
        .collect();
    LinearLayout::from_bases(&ins, &[(Name::new("dim0").expect("a name"), 1_i64 << bits)]).expect("a layout")
}

/// A source that repeats its values over some warps and blocks, and a target that does not, its bits there those of lanes of the source.
fn by_warps(random: &mut Random) -> (LinearLayout, LinearLayout) {
    let (bits, lanes) = (4 + random.below(5), 1 + random.below(4));
    let mut columns: Vec<i64> = (0..bits).map(|bit| 1 << bit).collect();
    for last in (1..bits).rev() {
        columns.swap(last, random.below(last + 1));
    }
    let mut lane = columns.split_off(bits - lanes);
    let (mut outer, mut chosen, mut taken) = ([vec![], vec![]], [vec![], vec![]], Vec::new());
    for _ in 0..1 + random.below(3) {
        let dim = usize::from(random.below(4) == 0);
        let (from, to) = match random.below(4) {
            0 if columns.len() > 1 => columns.pop().map_or((0, 0), |own| (own, own)),
            1 => (0, 0),
            _ => (0, lane.iter().copied().find(|column| !taken.contains(column)).unwrap_or(0)),
        };
        outer[dim].push(from);
        chosen[dim].push(to);
        taken.push(to);
    }
    let mut rest: Vec<i64> = (0..bits).map(|bit| 1 << bit).filter(|column| !taken.contains(column)).collect();
    for last in (1..rest.len()).rev() {
        rest.swap(last, random.below(last + 1));
    }
    let held = rest.len() - random.below(lanes.min(rest.len()) + 1);
    let mut target = rest.split_off(held);
    for side in [&mut lane, &mut target] {
        while side.len() < lanes + random.below(2) {
            side.insert(random.below(side.len() + 1), 0);
        }
    }
    let [warps, blocks] = &outer;
    let [warps_to, blocks_to] = &chosen;
    (of_columns(bits, [&columns, &lane, warps, blocks]), of_columns(bits, [&rest, &target, warps_to, blocks_to]))
}

#[test]
fn the_lane_that_is_read_may_depend_on_the_warp() {
    let mut random = Random(0x51ed_270b);
    let (mut one_sided, mut planned) = (0, 0);
    for _ in 0..400 {
        let (source, target) = by_warps(&mut random);
        for element_bits in [8, 32] {
            let shuffles = WarpShuffles::new(&source, &target, element_bits)
                .unwrap_or_else(|error| panic!("{source} {target}: {error}"));
            let exchanges = checked(&source, &target, element_bits, &shuffles);
            one_sided += usize::from(exchanges.iter().any(|(_, lane, ..)| lane.is_none()));
            let plan = match Conversion::new(&source, &target, element_bits, Matrices::None) {
                Ok(plan) => plan,
                Err(error) if exchanges.len() > 1 && error.to_string().contains("depends on the block") => continue,
                Err(error) => panic!("{source} {target}: {error}"),
            };
            if let Way::Shuffles { exchanged, shuffles: passes } = plan.way {
                assert!(shuffles.exchanges.len() >= usize::try_from(exchanged).unwrap_or(0), "{source} {target}");
                let cost = shuffles.cost(element_bits).expect("a cost");
                assert_eq!(cost.passes, passes, "{source} {target} {element_bits}");
                planned += usize::from(exchanged == 1);
            }
        }
    }
    assert!(one_sided > 100 && planned > 100, "{one_sided} on one side, {planned} planned");
}

#[test]
fn the_plan_of_a_conversion_and_its_moves_agree() {
    let mut random = Random(0x9e37_79b9);
    let mut ways = [0; 2];
    for _ in 0..2000 {
        let (source, target) = (layout(&mut random, 8, 5, 0), layout(&mut random, 8, 5, 0));
        for element_bits in [8, 16, 32, 64] {
            let plan = Conversion::new(&source, &target, element_bits, Matrices::None).expect("a plan");
            let Some(exchanged) = plan.exchanged else { continue };
            let moves = WarpShuffles::new(&source, &target, element_bits).expect("moves within a warp");
            // Selectors may need one exchange only for several of the factorisation, never the other way round.
            assert_eq!(usize::try_from(exchanged), Ok(moves.exchanges.len()), "{source} {target}");
            let cost = moves.cost(element_bits).expect("a cost");
            if let Way::Shuffles { shuffles, .. } = plan.way {
                assert_eq!(cost.passes, shuffles, "{source} {target} {element_bits}");
                ways[0] += 1;
            } else {
                assert!(exchanged > 1);
                ways[1] += 1;
            }
        }
    }
    assert!(ways.iter().all(|count| *count > 20), "{ways:?}");
}

#[test]
fn what_is_no_move_within_a_warp_is_refused() {
    let of = |register: i64, lanes: [i64; 2], warp: i64| {
        let column = |values: &[i64]| values.iter().map(|value| vec![*value]).collect::<Vec<_>>();
        let ins = [(Name::REGISTER, column(&[register])), (Name::LANE, column(&lanes)), (Name::WARP, column(&[warp]))];
        LinearLayout::from_bases(&ins, &[(Name::new("dim0").expect("a name"), 16)]).expect("a layout")
    };
    let source = of(1, [2, 4], 8);
    let code = |target: &LinearLayout, bits| WarpShuffles::new(&source, target, bits).map(|_| ()).map_err(|e| e.code());
    assert_eq!(code(&of(8, [2, 4], 1), 32), Err(Code::Kind));
    assert_eq!(code(&of(3, [2, 4], 8), 32), Err(Code::NotInvertible));
    // The register that a lane takes depends on the warp.
    let repeated = of_columns(3, [&[1], &[2, 4], &[0], &[]]);
    let by_register = of_columns(3, [&[2], &[4, 0], &[1], &[]]);
    assert_eq!(WarpShuffles::new(&repeated, &by_register, 32).map(|_| ()).map_err(|e| e.code()), Err(Code::Kind));
    // Two warps that hold the same: the second would have to read from the first.
    let twice = of_columns(3, [&[1], &[2], &[4, 4], &[]]);
    let once = of_columns(3, [&[1], &[2], &[4, 0], &[]]);
    assert_eq!(WarpShuffles::new(&twice, &once, 32).map(|_| ()).map_err(|e| e.code()), Err(Code::Kind));
    let plan = Conversion::new(&twice, &once, 32, Matrices::None).expect("a plan");
    assert!(matches!(plan.way, Way::Memory { .. }), "{plan}");
    // All lanes of the target read lane 0: other names of registers do not do it.
    let spread = of_columns(1, [&[], &[1], &[1, 0], &[]]);
    let read_by_all = of_columns(1, [&[], &[0], &[1, 0], &[]]);
    let plan = Conversion::new(&spread, &read_by_all, 32, Matrices::None).expect("a plan");
    assert!(matches!(plan.way, Way::Shuffles { exchanged: 0, shuffles: 1 }), "{plan}");
    for bits in [0, -8, 24, i64::MIN] {
        assert_eq!(code(&source, bits), Err(Code::Range));
    }
    assert_eq!(code(&source, 1 << 62), Ok(()));
}
