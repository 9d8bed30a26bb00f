//! Moves random pairs of layouts of one tensor over all families, and checks each byte against the maps. Where no
//! kernel moves a pair, the slow path does and gives the reason.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use std::collections::{HashMap, HashSet};

use crate::common::{list, move_unit, noise};
use bitstride::Code;
use bitstride::map::{Direction, Map};
use bitstride_lang::evaluate;
use bitstride_relayout::{Element, Plan};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Sizes of elements: below a byte, powers of two and others.
const WIDTHS: [u32; 12] = [2, 4, 8, 16, 24, 32, 40, 48, 64, 128, 192, 256];

/// Where each element of a tensor lies: by its index, the place.
type Places = HashMap<Vec<i64>, i64>;

/// Every point of a box, the first axis the fastest.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for extent in extents {
        points = (0..*extent).flat_map(|x| points.iter().map(move |p| [p.as_slice(), &[x]].concat())).collect();
    }
    points
}

/// Where a map puts each element; none where one element lies in two places.
fn places(map: &Map) -> Option<Places> {
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    let mut places = Places::new();
    for point in points(&extents) {
        let Some(to) = map.at(&point).unwrap() else { continue };
        let (index, place) = if map.direction() == Direction::ToPlace { (point, to[0]) } else { (to, point[0]) };
        if places.insert(index, place).is_some() {
            return None;
        }
    }
    Some(places)
}

/// What must come of a pair.
#[derive(Debug, PartialEq)]
enum Wanted {
    /// Each pair of places, from and to.
    Moved(Vec<[usize; 2]>),
    /// No such move.
    Refused(&'static [Code]),
}

fn wanted(from: &Map, to: &Map) -> Wanted {
    let [Some(source), Some(destination)] = [from, to].map(places) else {
        return Wanted::Refused(&[Code::NoInverse]);
    };
    let same = source.len() == destination.len() && source.keys().all(|index| destination.contains_key(index));
    if !same {
        return Wanted::Refused(&[Code::NotALayout]);
    }
    let distinct: HashSet<&i64> = destination.values().collect();
    if distinct.len() != destination.len() {
        return Wanted::Refused(&[Code::Overlap]);
    }
    let pairs = source.iter().map(|(index, place)| [*place, destination[index]]);
    let pairs: Option<Vec<[usize; 2]>> =
        pairs.map(|pair| Some([usize::try_from(pair[0]).ok()?, usize::try_from(pair[1]).ok()?])).collect();
    pairs.map_or(Wanted::Refused(&[Code::Range]), Wanted::Moved)
}

/// Holds the plan of a pair against the relation of its maps, whole and in parts.
fn check(from: &str, to: &str, bits: u32, part: usize) -> Result<(), TestCaseError> {
    // `inverse(L)` stands for the same relation from its places; some layouts have none.
    let map = |text: &str| {
        let inner = text.strip_prefix("inverse(").and_then(|text| text.strip_suffix(')'));
        let map = evaluate(inner.unwrap_or(text)).and_then(|answer| answer.value.as_map())?;
        if inner.is_some() { map.inverse() } else { Ok(map) }
    };
    let (Ok(left), Ok(right)) = (map(from), map(to)) else { return Ok(()) };
    let pair = format!("{from} -> {to}, {bits} bits");
    let plan = Plan::new(&left, &right, Element::of_bits(bits).unwrap());
    let (plan, pairs) = match (plan, wanted(&left, &right)) {
        (Ok(plan), Wanted::Moved(pairs)) => (plan, pairs),
        (Err(why), Wanted::Refused(codes)) => {
            prop_assert!(codes.contains(&why.code()), "{}: {}", pair, why);
            return Ok(());
        }
        (plan, wanted) => {
            return Err(TestCaseError::fail(format!("{pair}: {plan:?}, where {wanted:?} is wanted")));
        }
    };
    let width = usize::try_from(bits).unwrap();
    let reach =
        |side: usize| pairs.iter().map(|pair| pair[side] + 1).max().map_or(0, |most| (most * width).div_ceil(8));
    prop_assert_eq!([plan.source_bytes(), plan.destination_bytes()], [reach(0), reach(1)], "{}", pair);
    let source = noise(plan.source_bytes(), 1);
    let canaries = noise(plan.destination_bytes() + 16, 77);
    let mut theirs = canaries.clone();
    for [from, to] in pairs {
        move_unit(&source, from, &mut theirs, to, width);
    }
    let mut ours = canaries.clone();
    plan.run(&source, &mut ours).unwrap();
    prop_assert!(ours == theirs, "{}:\n{}", pair, plan);
    let mut parts = canaries;
    plan.run_in_chunks(&source, &mut parts, part, |_, _| ()).unwrap();
    prop_assert!(parts == theirs, "in parts of {}, {}:\n{}", part, pair, plan);
    Ok(())
}

/// Extents of a tensor.
fn shape() -> impl Strategy<Value = Vec<i64>> {
    prop_oneof![
        3 => vec(select(vec![1, 2, 3, 4, 5, 6, 7, 8, 12, 16]), 1..5),
        2 => vec(1i64..41, 1..3),
        1 => vec(select(vec![2, 4, 8, 16]), 1..4),
    ]
}

/// Factors of an extent, the fastest first, by some numbers.
fn factors(extent: i64, by: &[i64]) -> Vec<i64> {
    let (mut rest, mut factors) = (extent, Vec::new());
    for factor in by.iter().filter(|by| **by > 1) {
        if rest % factor == 0 && rest > *factor {
            factors.push(*factor);
            rest /= factor;
        }
    }
    factors.push(rest);
    factors
}

/// A layout of CuTe whose leaves lie one over the other in any order, with gaps, some of them backwards.
fn cute(shape: Vec<i64>, backwards: bool) -> impl Strategy<Value = String> {
    let rank = shape.len();
    let cuts = vec(vec(select(vec![1i64, 1, 2, 3, 4, 5]), 2), rank);
    let leaves = 3 * rank;
    let order = Just((0..leaves).collect::<Vec<_>>()).prop_shuffle();
    let gaps = vec(prop_oneof![4 => Just(0i64), 1 => 1i64..9], leaves);
    let signs = vec(prop_oneof![6 => Just(false), 1 => Just(backwards)], leaves);
    let first = prop_oneof![4 => Just(1i64), 1 => 0i64..4];
    (cuts, order, gaps, signs, first, prop_oneof![5 => Just(0i64), 1 => 1i64..50]).prop_map(
        move |(cuts, order, gaps, signs, first, lift)| {
            let modes: Vec<Vec<i64>> = shape.iter().zip(&cuts).map(|(extent, by)| factors(*extent, by)).collect();
            let extents: Vec<i64> = modes.concat();
            let mut strides = vec![0; extents.len()];
            let (mut next, mut offset) = (first, lift);
            for at in order.into_iter().filter(|at| *at < extents.len()) {
                let back = signs[at] && extents[at] > 1;
                strides[at] = if back { -next } else { next };
                offset += if back { next * (extents[at] - 1) } else { 0 };
                next = next * extents[at] + gaps[at];
            }
            let mut rest = strides.as_slice();
            let strides: Vec<String> = modes
                .iter()
                .map(|mode| {
                    let (own, after) = rest.split_at(mode.len());
                    rest = after;
                    nested(own)
                })
                .collect();
            let shapes: Vec<String> = modes.iter().map(|mode| nested(mode)).collect();
            let text = format!("({}):({})", shapes.join(","), strides.join(","));
            if offset == 0 { text } else { format!("{text} + {offset}") }
        },
    )
}

fn nested(mode: &[i64]) -> String {
    if let [one] = mode { one.to_string() } else { format!("({})", list(mode)) }
}

/// Swizzles over any strides, one or two.
fn swizzled(shape: Vec<i64>) -> impl Strategy<Value = String> {
    let swizzle = (1i64..4, 0i64..5, select(vec![0i64, 1, 2, 5]), any::<bool>());
    (cute(shape, false), swizzle.clone(), prop_oneof![4 => Just(None), 1 => swizzle.prop_map(Some)]).prop_map(
        |(layout, one, two)| {
            let text = |(bits, base, more, down): (i64, i64, i64, bool)| {
                format!("Sw<{bits},{base},{}>", if down { -(bits + more) } else { bits + more })
            };
            let inner = match layout.split_once(" + ") {
                Some((layout, offset)) => format!("{offset} o {layout}"),
                None => format!("0 o {layout}"),
            };
            let own = format!("{} o {inner}", text(one));
            two.map_or(own.clone(), |two| format!("{} o 0 o {own}", text(two)))
        },
    )
}

/// Tiled arrays of XLA: tiles of tiles, merged dims, tiles that do not divide.
fn tiled(shape: Vec<i64>) -> impl Strategy<Value = String> {
    let rank = shape.len();
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let tile =
        (vec(select(vec![1i64, 2, 3, 4, 5, 8, 16]), 1..4), vec(prop_oneof![5 => Just(false), 1 => Just(true)], 3));
    (order, vec(tile, 0..4)).prop_map(move |(order, tiles)| {
        let tiles = tiles.into_iter().map(|(tile, merged)| {
            // The last dim of a tile is no merge with what is none.
            let last = tile.len() - 1;
            let text = |(at, extent): (usize, &i64)| match at < last && merged[at] {
                true => "*".to_owned(),
                false => extent.to_string(),
            };
            format!("({})", tile.iter().enumerate().map(text).collect::<Vec<_>>().join(","))
        });
        let tiles: String = tiles.collect();
        let tiles = if tiles.is_empty() { tiles } else { format!(":T{tiles}") };
        format!("u8[{}]{{{}{tiles}}}", list(&shape), list(&order))
    })
}

/// Strided arrays, and blocked tags.
fn strided(shape: Vec<i64>) -> impl Strategy<Value = String> {
    let rank = shape.len();
    (Just((0..rank).collect::<Vec<_>>()).prop_shuffle(), vec(0i64..5, rank), vec(any::<bool>(), rank)).prop_map(
        move |(order, gaps, backwards)| {
            let (mut strides, mut next, mut offset) = (vec![0; rank], 1, 0);
            for at in order {
                strides[at] = if backwards[at] { -next } else { next };
                offset += if backwards[at] { next * (shape[at] - 1) } else { 0 };
                next = next * shape[at] + gaps[at];
            }
            let comma = if rank == 1 { "," } else { "" };
            format!("tensor(({}{comma}), ({}{comma}), {offset})", list(&shape), list(&strides))
        },
    )
}

fn tagged(shape: Vec<i64>) -> impl Strategy<Value = String> {
    let rank = shape.len();
    let blocks = vec((0..rank, select(vec![2i64, 3, 4, 8])), 0..4);
    (Just((0..rank).collect::<Vec<_>>()).prop_shuffle(), blocks).prop_map(move |(order, blocks)| {
        let letter = |at: usize| char::from(b'a' + u8::try_from(at).unwrap());
        let outer: String = order
            .iter()
            .map(|at| {
                let own = letter(*at);
                if blocks.iter().any(|(dim, _)| dim == at) { own.to_ascii_uppercase() } else { own }
            })
            .collect();
        let inner: String = blocks.iter().map(|(dim, block)| format!("{block}{}", letter(*dim))).collect();
        let comma = if rank == 1 { "," } else { "" };
        format!("tag({outer}{inner}, ({}{comma}))", list(&shape))
    })
}

/// Bits that are xored, under digits that are added.
fn mixed(shape: Vec<i64>) -> impl Strategy<Value = String> {
    let bits: Vec<(usize, u32)> = shape
        .iter()
        .enumerate()
        .flat_map(|(dim, extent)| (0..extent.trailing_zeros().min(3)).map(move |bit| (dim, bit)))
        .collect();
    let count = bits.len();
    let rank = shape.len();
    let shears = vec((0..count.max(1), 0..count.max(1)), 0..4);
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    (Just(bits).prop_shuffle(), shears, order, vec(0i64..4, rank)).prop_map(move |(bits, shears, order, gaps)| {
        let mut patterns: Vec<i64> = (0..count).map(|bit| 1 << bit).collect();
        for (to, from) in shears.into_iter().filter(|(to, from)| to != from && *to.max(from) < count) {
            patterns[to] ^= patterns[from];
        }
        let mut tops = vec![String::new(); rank];
        let mut next = 1i64 << count;
        for dim in order {
            let top = shape[dim] >> shape[dim].trailing_zeros().min(3);
            if top > 1 {
                tops[dim] = next.to_string();
                next = next * top + gaps[dim];
            }
        }
        let modes = (0..rank).map(|dim| {
            let own = (0..shape[dim].trailing_zeros().min(3)).map(|bit| {
                let at = bits.iter().position(|own| *own == (dim, bit)).unwrap();
                ("2".to_owned(), format!("^{}", patterns[at]))
            });
            let top = shape[dim] >> shape[dim].trailing_zeros().min(3);
            let top = (top > 1).then(|| (top.to_string(), tops[dim].clone()));
            let leaves: Vec<(String, String)> = own.chain(top).collect();
            let (extents, strides): (Vec<String>, Vec<String>) = leaves.into_iter().unzip();
            match extents.len() {
                0 => ("1".to_owned(), "0".to_owned()),
                1 => (extents.concat(), strides.concat()),
                _ => (format!("({})", extents.join(",")), format!("({})", strides.join(","))),
            }
        });
        let (extents, strides): (Vec<String>, Vec<String>) = modes.unzip();
        format!("({}):({})", extents.join(","), strides.join(","))
    })
}

/// The bits of memory as a linear layout from places to elements; mostly a permutation, with some bits xored in.
fn linear(shape: Vec<i64>) -> impl Strategy<Value = String> {
    let bits: Vec<(usize, u32)> = shape
        .iter()
        .enumerate()
        .flat_map(|(dim, extent)| (0..extent.trailing_zeros()).map(move |bit| (dim, bit)))
        .collect();
    let shears = vec((0..bits.len().max(1), 0..bits.len().max(1)), 0..3);
    (Just(bits).prop_shuffle(), shears).prop_map(move |(bits, shears)| {
        let rank = shape.len();
        let mut bases: Vec<Vec<i64>> =
            bits.iter().map(|(dim, bit)| (0..rank).map(|at| if at == *dim { 1 << bit } else { 0 }).collect()).collect();
        for (to, from) in shears.into_iter().filter(|(to, from)| to != from && *to.max(from) < bits.len()) {
            let source = bases[from].clone();
            bases[to].iter_mut().zip(source).for_each(|(x, y)| *x ^= y);
        }
        let outs: Vec<String> = shape.iter().enumerate().map(|(dim, extent)| format!("dim{dim}:{extent}")).collect();
        format!("linear<{{offset={bases:?}}}, out=[{}]>", outs.join(", "))
    })
}

fn layout(family: usize, shape: Vec<i64>) -> BoxedStrategy<String> {
    match family {
        0 => cute(shape, true).boxed(),
        1 => swizzled(shape).boxed(),
        2 => tiled(shape).boxed(),
        3 => strided(shape).boxed(),
        4 => tagged(shape).boxed(),
        5 => mixed(shape).boxed(),
        6 if shape.iter().all(|extent| extent.count_ones() == 1) => linear(shape).boxed(),
        // The same relation, from places to elements.
        _ => (0usize..6)
            .prop_flat_map(move |family| layout(family, shape.clone()))
            .prop_map(|text| format!("inverse({text})"))
            .boxed(),
    }
}

/// Two layouts of one tensor, of any families.
fn pair() -> impl Strategy<Value = (String, String)> {
    let small = shape().prop_filter("few elements", |shape| shape.iter().product::<i64>() <= 3000);
    let families = select(vec![0usize, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7]);
    (small, families.clone(), families)
        .prop_flat_map(|(shape, one, two)| (layout(one, shape.clone()), layout(two, shape)))
}

/// Long enough for several threads, and for several tables.
#[test]
fn long_ones() {
    for bits in [4, 24, 64] {
        check("(513,640):(640,1)", "Sw<2,3,3> o 0 o (513,640):(1,520)", bits, 1 << 20).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_pair_of_one_tensor_is_moved(
        (from, to) in pair(),
        bits in select(WIDTHS.to_vec()),
        part in 16usize..4096,
    ) {
        check(&from, &to, bits, part)?;
    }
}
