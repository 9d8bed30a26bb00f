//! Pairs without common digits that repeat: codes across words, merged dims and swizzles over odd strides, against the places of
//! each point.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use bitstride::map::{Axis, Direction, Map, Stage};
use bitstride_relayout::{Element, Isa, Machine, Plan};
use proptest::prelude::*;

fn noise(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|n| (n.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 7).to_le_bytes()[0]).collect()
}

/// Moves a tensor in three ways, in memory that held something, and holds every byte against the places of each point. Whether it has
/// periods.
fn check(maps: [&Map; 2], bits: u32, isa: Isa) -> bool {
    let element = Element::of_bits(bits).unwrap();
    let plan = Plan::for_machine(maps[0], maps[1], element, Machine::detect().with_isa(isa)).unwrap();
    let extents: Vec<i64> = maps[0].domain().iter().map(|axis| axis.extent).collect();
    let mut places = Vec::new();
    for flat in 0..extents.iter().product::<i64>() {
        let mut rest = flat;
        let point: Vec<i64> = extents.iter().map(|extent| (rest % extent, rest /= extent).0).collect();
        places.push(maps.map(|map| usize::try_from(map.at(&point).unwrap().unwrap()[0]).unwrap()));
    }
    let bits = usize::try_from(bits).unwrap();
    let reach = [0, 1].map(|side| (places.iter().map(|at| at[side] + 1).max().unwrap() * bits).div_ceil(8));
    assert_eq!([plan.source_bytes(), plan.destination_bytes()], reach);
    assert_eq!(plan.elements(), i64::try_from(places.len()).unwrap());
    let source = noise(reach[0], 5);
    let moved = |mut into: Vec<u8>| {
        for [from, to] in &places {
            for (from, to) in (from * bits..(from + 1) * bits).zip(to * bits..) {
                into[to / 8] = into[to / 8] & !(1 << (to % 8)) | (source[from / 8] >> (from % 8) & 1) << (to % 8);
            }
        }
        into
    };
    // A byte more than the plan reaches is left alone.
    let held = noise(reach[1] + 1, 9);
    let (wanted, mut into) = (moved(held.clone()), held.clone());
    plan.run(&source, &mut into).unwrap();
    assert!(into == wanted, "{plan}");
    let (mut into, mut last) = (held.clone(), (0, 1));
    plan.run_in_chunks(&source, &mut into, 100, |done, all| last = (done, all)).unwrap();
    assert!(into == wanted && last.0 == last.1, "{plan}: {last:?}");
    let value =
        noise(bits.div_ceil(8), 3).iter().map(|byte| if bits < 8 { byte & 1 } else { *byte }).collect::<Vec<_>>();
    let pattern = element.pattern(&value).unwrap();
    let mut filled = held.clone();
    let whole = reach[1] / pattern.len() * pattern.len();
    filled[..whole].iter_mut().zip(pattern.iter().cycle()).for_each(|(byte, own)| *byte = *own);
    let mut into = held;
    plan.run_filled(&source, &mut into, &value).unwrap();
    assert!(into == moved(filled), "{plan}, filled");
    assert!(plan.run(&source[1..], &mut into).is_err());
    plan.no_common_digits().is_some() && plan.slow().is_none()
}

/// Codes of some bits, one after the other in words, the words of a column one below the other or a column after the other.
#[derive(Clone, Debug)]
struct Stream {
    /// The bits of a code, those between two codes, those of a word.
    code: i64,
    cell: i64,
    word: i64,
    /// Bits before the first code of a column, and words before the first and behind each column or row.
    phase: i64,
    offset: i64,
    gap: i64,
    is_down: bool,
}

impl Stream {
    /// The map of codes, columns and bits; a code that does not cross words where it has a cell of a power of two.
    fn map(&self, codes: i64, columns: i64) -> Map {
        let Stream { code, cell, word, phase, offset, gap, is_down } = *self;
        let words = (phase + codes * cell + word - 1) / word;
        let [down, across] = if is_down { [columns + gap, 1] } else { [1, words + gap] };
        let domain = vec![Axis::dim(0, codes), Axis::dim(1, columns), Axis::dim(2, code)];
        let stages = vec![
            Stage::Linearise { at: 0, count: 3, sums: vec![(phase, vec![cell, 0, 1]), (0, vec![0, 1, 0])] },
            Stage::Delinearise { at: 0, radices: vec![word] },
            Stage::Linearise { at: 0, count: 3, sums: vec![(offset * word, vec![1, word * down, word * across])] },
        ];
        let extent = (offset + (words + gap) * (columns + gap)) * word;
        Map::new(domain, stages, vec![Axis::offset(extent)], Direction::ToPlace).unwrap()
    }
}

fn stream(code: i64) -> impl Strategy<Value = Stream> {
    let cells = prop::sample::select(vec![code, code, code + 1, 8]);
    let words = prop::sample::select(vec![8i64, 16, 32, 64]);
    (cells, words, prop::sample::select(vec![0i64, 0, 1, 5, 8]), 0i64..3, 0i64..3, any::<bool>()).prop_map(
        move |(cell, word, phase, offset, gap, is_down)| Stream { code, cell, word, phase, offset, gap, is_down },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    /// Any number of codes, which mostly end within a period, and of columns.
    #[test]
    fn codes_across_words(
        (from, to) in (2i64..8).prop_flat_map(|code| (stream(code), stream(code))),
        codes in 60i64..200,
        columns in 17i64..40,
    ) {
        let maps = [&from, &to].map(|side| side.map(codes, columns));
        for isa in [Isa::widest(), Isa::Scalar] {
            check([&maps[0], &maps[1]], 1, isa);
        }
    }
}

#[test]
fn codes_across_words_have_periods() {
    let side = |cell, is_down| Stream { code: 3, cell, word: 32, phase: 0, offset: 1, gap: 0, is_down };
    for codes in [256, 250] {
        let [words, cells, rows] = [side(3, true), side(4, true), side(3, false)].map(|side| side.map(codes, 24));
        assert!(check([&words, &cells], 1, Isa::widest()) && check([&cells, &words], 1, Isa::widest()));
        assert!(check([&words, &rows], 1, Isa::widest()) && check([&rows, &words], 1, Isa::Scalar));
    }
}

/// Layouts of elements from a part of a byte to some bytes; and whether the pair repeats.
#[test]
fn merged_dims_and_swizzles() {
    let map = |text: &str| bitstride_lang::evaluate(text).unwrap().value.as_map().unwrap();
    for (from, to, is_periodic) in [
        ("f32[200,5,7]{2,1,0:T(*,3)}", "f32[200,5,7]{2,1,0}", true),
        ("f32[211,50]{1,0}", "f32[211,50]{1,0:T(*,3)}", true),
        ("(700,40):(40,1)", "Sw<2,3,3> o 0 o (700,40):(40,1)", true),
        ("(700,40):(1,700)", "Sw<2,3,3> o 64 o (700,40):(48,1)", true),
        ("(700,40):(-40,1) + 27960", "Sw<2,3,3> o 0 o (700,40):(40,1)", true),
        // Half a place further, whose swizzle never repeats.
        ("(71,61):(61,1)", "Sw<4,0,7> o 0 o (71,61):(61,1)", false),
    ] {
        for bits in [1, 4, 8, 24, 32, 128] {
            let found = check([&map(from), &map(to)], bits, Isa::widest());
            assert!(found == is_periodic || !(8..=32).contains(&bits), "{from} {to} {bits}: {found}");
        }
    }
}

/// Enough bytes for several threads.
#[test]
fn threads_share_periods() {
    let side = |cell| Stream { code: 3, cell, word: 32, phase: 0, offset: 0, gap: 0, is_down: true };
    let (codes, columns) = (250, 8192);
    let plan =
        Plan::new(&side(3).map(codes, columns), &side(4).map(codes, columns), Element::of_bits(1).unwrap()).unwrap();
    assert!(plan.most_threads() > 1 && plan.slow().is_none(), "{plan}");
    let source = noise(plan.source_bytes(), 1);
    let run = |threads| {
        let mut into = vec![0; plan.destination_bytes()];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| plan.run(&source, &mut into)).unwrap();
        into
    };
    let (one, several) = (run(1), run(3));
    assert!(one == several);
    let bit = |memory: &[u8], stream: i64, column: i64| {
        let at = usize::try_from((stream / 32 * columns + column) * 32 + stream % 32).unwrap();
        memory[at / 8] >> (at % 8) & 1
    };
    for code in 0..codes {
        for column in (0..columns).step_by(37) {
            for at in 0..3 {
                assert_eq!(
                    bit(&source, 3 * code + at, column),
                    bit(&one, 4 * code + at, column),
                    "{code} {column} {at}"
                );
            }
        }
    }
}
