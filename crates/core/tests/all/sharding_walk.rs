//! Shardings drawn at random in every notation, with all that each may say, against the words of the definitions: what each device
//! holds and allocates, every other notation, and what moves between two, element by element and summand by summand.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::Code;
use bitstride::sharding::{Moves, Notation, Sharding};
use bitstride_oracle::reference::sharding::{devices, strided, tile};

use crate::sharding_moves::{check_rule, positions};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end.max(1)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn shuffled<T>(&mut self, mut all: Vec<T>) -> Vec<T> {
        for at in (1..all.len()).rev() {
            let other = self.below(at + 1);
            all.swap(at, other);
        }
        all
    }

    /// Factors of a number, some of them 1.
    fn factors(&mut self, number: i64, count: usize) -> Vec<i64> {
        let mut all = vec![1; count];
        let mut rest = number;
        let mut prime = 2;
        while rest > 1 {
            match rest % prime {
                0 => {
                    let at = self.below(count);
                    all[at] *= prime;
                    rest /= prime;
                }
                _ => prime += 1,
            }
        }
        all
    }
}

/// The summand that a device has: its coordinates along what sums, and the operation.
type Summand = (Vec<i64>, &'static str);

/// A text, and what it says by the definitions.
struct Case {
    text: String,
    /// The indices of each dim on each device.
    held: Vec<Vec<Vec<i64>>>,
    /// What each device allocates.
    allocated: Vec<Vec<i64>>,
    summands: Vec<Summand>,
    /// Why it is refused, where it is.
    refused: Option<Code>,
}

fn joined<T: ToString>(all: &[T]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The coordinates of a number in mixed radix, the slowest first.
fn coordinates(number: i64, radices: &[i64]) -> Vec<i64> {
    let mut rest = number;
    let mut all: Vec<i64> = radices.iter().rev().map(|radix| (rest % radix, rest /= radix).0).collect();
    all.reverse();
    all
}

fn position(order: &[i64], device: i64) -> i64 {
    i64::try_from(order.iter().position(|own| *own == device).expect("a position")).expect("a number")
}

/// A random order of devices: its text in XLA's second version, and the list.
fn order(random: &mut Random, count: i64) -> (String, Vec<i64>) {
    if random.below(3) == 0 && count > 1 {
        let list = random.shuffled((0..count).collect());
        return (joined(&list), list);
    }
    let parts = 1 + random.below(4);
    let sizes = random.factors(count, parts);
    let dims = random.shuffled((0..parts).collect());
    let list = devices(&sizes, &dims);
    let turned = if parts == 1 { String::new() } else { format!("T({})", joined(&dims)) };
    (format!("<=[{}]{turned}", joined(&sizes)), list)
}

/// Tiles of each dim on each device, where `at` has the number of the tile along each dim.
fn tiled(
    shape: &[i64],
    tiles: &[i64],
    count: i64,
    at: impl Fn(i64) -> Vec<i64>,
) -> (Vec<Vec<Vec<i64>>>, Vec<Vec<i64>>) {
    let of = |device| {
        let dims = shape.iter().zip(tiles).zip(at(device));
        dims.map(|((extent, tiles), at)| tile(*extent, *tiles, at)).collect::<Vec<_>>()
    };
    let padded: Vec<i64> = shape.iter().zip(tiles).map(|(extent, tiles)| (extent + tiles - 1) / tiles).collect();
    ((0..count).map(of).collect(), (0..count).map(|_| padded.clone()).collect())
}

/// `{devices=[…]…}`, with copies, manual devices and summands in any order.
fn hlo(random: &mut Random, shape: &[i64], count: i64) -> Case {
    let rank = shape.len();
    let kinds: Vec<&str> = (0..random.below(4)).map(|_| random.of(&["manual", "replicated", "unreduced"])).collect();
    let grid = random.factors(count, rank + kinds.len());
    let (order, list) = order(random, count);
    let last = match kinds.as_slice() {
        [] => String::new(),
        ["replicated"] if random.below(2) == 0 => " last_tile_dim_replicate".to_owned(),
        kinds => format!(" last_tile_dims={{{}}}", kinds.join(random.of(&[",", ", "]))),
    };
    let text = format!("{{devices=[{}]{order}{last}}}", joined(&grid));
    let (held, allocated) =
        tiled(shape, &grid[..rank], count, |device| coordinates(position(&list, device), &grid)[..rank].to_vec());
    let is = |kind: &'static str| {
        let kinds = kinds.clone();
        (0..kinds.len()).filter(move |at| kinds[*at] == kind)
    };
    let summands = (0..count).map(|device| {
        let own = coordinates(position(&list, device), &grid);
        (is("unreduced").map(|at| own[rank + at]).collect(), "sum")
    });
    let summands = summands.collect();
    // One kind alone over all devices says nothing of places, unless it copies; summands do beside another group, if only of one.
    let wide = |kind| is(kind).any(|at| grid[rank + at] > 1);
    let is_cut = grid[..rank].iter().any(|tiles| *tiles > 1);
    let only =
        |kind: &str| !is_cut && ["manual", "replicated", "unreduced"].iter().all(|own| wide(own) == (*own == kind));
    let is_alone = kinds.iter().all(|kind| *kind == "unreduced");
    let refused = (only("manual") || only("unreduced") && is_alone).then_some(Code::Unplaced);
    Case { text: format!("shard(f32[{}], '{text}')", joined(shape)), held, allocated, summands, refused }
}

/// A digit of an axis of a mesh: the axis, the product of the slower digits, the size.
type Digit = (usize, i64, i64);

/// What is done with the digits of a mesh.
#[derive(Default)]
struct Uses {
    dims: Vec<Vec<Digit>>,
    lists: BTreeMap<&'static str, Vec<Digit>>,
}

/// Each digit to a dim, to a list, or to nothing; neighbours of one list are one digit.
fn uses(random: &mut Random, sizes: &[i64], rank: usize, words: &[&'static str], whole_only: bool) -> Uses {
    let mut digits: Vec<Digit> = Vec::new();
    for (axis, size) in sizes.iter().enumerate() {
        let parts = if whole_only || *size == 1 {
            vec![*size]
        } else {
            let parts = 1 + random.below(3);
            random.factors(*size, parts)
        };
        let mut before = 1;
        for part in parts.into_iter().filter(|part| *part > 1 || *size == 1) {
            digits.push((axis, before, part));
            before *= part;
        }
    }
    let mut all = Uses { dims: vec![Vec::new(); rank], lists: BTreeMap::new() };
    for digit in random.shuffled(digits) {
        match random.below(rank + words.len() + 1) {
            dim if dim < rank => all.dims[dim].push(digit),
            list if list < rank + words.len() => all.lists.entry(words[list - rank]).or_default().push(digit),
            _ => {}
        }
    }
    all.lists.values_mut().for_each(|list| list.sort_unstable());
    for list in all.dims.iter_mut().chain(all.lists.values_mut()) {
        let mut merged: Vec<Digit> = Vec::new();
        for (axis, before, size) in list.drain(..) {
            match merged.last_mut() {
                Some(last) if last.0 == axis && last.1 * last.2 == before => last.2 *= size,
                _ => merged.push((axis, before, size)),
            }
        }
        *list = merged;
    }
    all
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn written(digit: &Digit, sizes: &[i64], quote: char) -> String {
    let (axis, before, size) = *digit;
    let part = if size == sizes[axis] { String::new() } else { format!(":({before}){size}") };
    format!("{quote}{}{quote}{part}", NAMES[axis])
}

/// The coordinate of a digit: what is left of that of the axis without the faster digits.
fn at(digit: &Digit, coordinates: &[i64], sizes: &[i64]) -> i64 {
    let (axis, before, size) = *digit;
    coordinates[axis] / (sizes[axis] / before / size) % size
}

/// What a mesh with uses of its digits says.
fn placed(text: String, shape: &[i64], sizes: &[i64], list: &[i64], uses: &Uses) -> Case {
    let count: i64 = sizes.iter().product();
    let tiles: Vec<i64> = uses.dims.iter().map(|dim| dim.iter().map(|digit| digit.2).product()).collect();
    let of = |device: i64| coordinates(position(list, device), sizes);
    let (held, allocated) = tiled(shape, &tiles, count, |device| {
        let own = of(device);
        uses.dims.iter().map(|dim| dim.iter().fold(0, |all, digit| all * digit.2 + at(digit, &own, sizes))).collect()
    });
    let summed = uses.lists.get("unreduced").cloned().unwrap_or_default();
    let summands = (0..count).map(|device| (summed.iter().map(|digit| at(digit, &of(device), sizes)).collect(), "sum"));
    let summands = summands.collect();
    // All devices are manual, and nothing else is said of any.
    let manual: i64 = uses.lists.get("manual").into_iter().flatten().map(|digit| digit.2).product();
    let refused = (manual == count && uses.lists.contains_key("manual")).then_some(Code::Unplaced);
    Case { text, held, allocated, summands, refused }
}

fn mesh(random: &mut Random, count: i64) -> Vec<i64> {
    let axes = 1 + random.below(4);
    random.factors(count, axes)
}

fn dims(random: &mut Random, uses: &Uses, sizes: &[i64], quote: char, priorities: bool) -> String {
    let dims = uses.dims.iter().map(|dim| {
        let mut entries: Vec<String> = dim.iter().map(|digit| written(digit, sizes, quote)).collect();
        if random.below(3) == 0 {
            entries.push("?".to_owned());
        }
        let priority = if priorities && !entries.is_empty() && random.below(4) == 0 { "p1" } else { "" };
        format!("{{{}}}{priority}", entries.join(random.of(&[", ", ","])))
    });
    dims.collect::<Vec<_>>().join(", ")
}

fn lists(uses: &Uses, sizes: &[i64], quote: char, words: &[&str]) -> String {
    let own = words.iter().filter_map(|word| Some((word, uses.lists.get(*word)?)));
    own.map(|(word, list)| {
        format!(", {word}={{{}}}", list.iter().map(|digit| written(digit, sizes, quote)).collect::<Vec<_>>().join(", "))
    })
    .collect()
}

fn hlo_mesh(random: &mut Random, shape: &[i64], count: i64) -> Case {
    let (sizes, quote) = (mesh(random, count), random.of(&['"', '\'']));
    const WORDS: [&str; 3] = ["replicated", "unreduced", "manual"];
    let uses = uses(random, &sizes, shape.len(), &WORDS, false);
    let (order, list) = match random.below(2) {
        0 => (String::new(), (0..count).collect()),
        _ => {
            let (order, list) = order(random, count);
            (format!(" device_ids=({}),", order.trim_start_matches("<=")), list)
        }
    };
    let axes: Vec<String> =
        sizes.iter().zip(NAMES).map(|(size, name)| format!("{quote}{name}{quote}={size}")).collect();
    let dims = dims(random, &uses, &sizes, quote, false);
    let text = format!("{{mesh[{}],{order} [{dims}]{}}}", axes.join(","), lists(&uses, &sizes, quote, &WORDS));
    placed(format!("shard(f32[{}], {text})", joined(shape)), shape, &sizes, &list, &uses)
}

fn shardy(random: &mut Random, shape: &[i64], count: i64) -> Case {
    let sizes = mesh(random, count);
    const WORDS: [&str; 2] = ["replicated", "unreduced"];
    let uses = uses(random, &sizes, shape.len(), &WORDS, false);
    let list: Vec<i64> =
        if random.below(2) == 0 { (0..count).collect() } else { random.shuffled((0..count).collect()) };
    let ids = if list.is_sorted() { String::new() } else { format!(", device_ids=[{}]", joined(&list)) };
    let axes: Vec<String> = sizes.iter().zip(NAMES).map(|(size, name)| format!("\"{name}\"={size}")).collect();
    let own = format!("[{}]{}", dims(random, &uses, &sizes, '"', true), lists(&uses, &sizes, '"', &WORDS));
    let mesh = format!("<[{}]{ids}>", axes.join(", "));
    let text = match random.below(3) {
        0 => format!("#sdy.sharding<@m, {own}>, sdy.mesh @m = {mesh}"),
        _ => format!("#sdy.sharding<mesh{mesh}, {own}>"),
    };
    placed(format!("shard(f32[{}], {text})", joined(shape)), shape, &sizes, &list, &uses)
}

fn jax(random: &mut Random, shape: &[i64], count: i64) -> Case {
    let sizes = mesh(random, count);
    let uses = uses(random, &sizes, shape.len(), &["unreduced"], true);
    let list: Vec<i64> =
        if random.below(2) == 0 { (0..count).collect() } else { random.shuffled((0..count).collect()) };
    let ids = if list.is_sorted() { String::new() } else { format!(",device_ids=[{}]", joined(&list)) };
    let mut entries: Vec<String> = Vec::new();
    for dim in &uses.dims {
        let names: Vec<String> = dim.iter().map(|digit| format!("'{}'", NAMES[digit.0])).collect();
        entries.push(match names.as_slice() {
            [] => random.of(&["None", "()", "UNCONSTRAINED", "P.UNCONSTRAINED"]).to_owned(),
            [one] if random.below(2) == 0 => one.clone(),
            [one] => format!("({one},)"),
            names => format!("({})", names.join(", ")),
        });
    }
    // Entries that are left out cut nothing.
    while entries.last().is_some_and(|entry| !entry.contains('\'')) && random.below(2) == 0 {
        entries.pop();
    }
    if let Some(list) = uses.lists.get("unreduced") {
        let names: Vec<String> = list.iter().map(|digit| format!("'{}'", NAMES[digit.0])).collect();
        entries.push(format!("unreduced={{{}}}", names.join(", ")));
    }
    let axes: Vec<String> = sizes.iter().zip(NAMES).map(|(size, name)| format!("{name}={size}")).collect();
    let spec = format!("{}({})", random.of(&["P", "PartitionSpec"]), entries.join(", "));
    let written = format!("{spec}, mesh({}{ids})", axes.join(","));
    let quoted: Vec<String> = sizes.iter().zip(NAMES).map(|(_, name)| format!("'{name}'")).collect();
    let sized: Vec<String> = sizes.iter().zip(&quoted).map(|(size, name)| format!("{name}: {size}, ")).collect();
    let printed = match list.is_sorted() {
        true => {
            let types = "Auto, ".repeat(sizes.len());
            format!("NamedSharding(mesh=Mesh({}axis_types=({types})), spec={spec}, memory_kind=device)", sized.concat())
        }
        false => {
            let (ids, names) = (nested(&list, &sizes), quoted.join(", "));
            format!("NamedSharding(Mesh(device_ids=array({ids}), axis_names=({names},)), {spec})")
        }
    };
    let text = format!(
        "shard(f32[{}], {})",
        joined(shape),
        // Without a draw: the cases are the same whichever is read.
        if sizes.is_empty() || written.len() % 2 == 0 { written } else { printed }
    );
    let mut case = placed(text, shape, &sizes, &list, &uses);
    let tiles = uses.dims.iter().map(|dim| dim.iter().map(|digit| digit.2).product::<i64>());
    if shape.iter().zip(tiles).any(|(extent, tiles)| extent % tiles != 0) {
        case.refused = Some(Code::NotDivisible);
    }
    case
}

/// Devices in a box, as lists of lists.
fn nested(list: &[i64], sizes: &[i64]) -> String {
    let Some((first, rest)) = sizes.split_first() else { return joined(list) };
    let each = list.len() / usize::try_from(*first).expect("a size");
    let inner: Vec<String> = list.chunks(each).map(|part| nested(part, rest)).collect();
    format!("[{}]", inner.join(", "))
}

fn dtensor(random: &mut Random, shape: &[i64], count: i64) -> Case {
    let sizes = mesh(random, count);
    let rank = i64::try_from(shape.len()).expect("a rank");
    let operation = random.of(&["sum", "max", "avg", "product", "min"]);
    let placements: Vec<(usize, i64)> = sizes
        .iter()
        .map(|_| match random.below(6) {
            0 => (usize::MAX, 0),
            1 => (usize::MAX, 1),
            2 => (random.below(shape.len()), random.of(&[2, 3, 4])),
            _ => (random.below(shape.len()), 1),
        })
        .collect();
    let texts: Vec<String> = placements
        .iter()
        .map(|(dim, factor)| {
            let own = i64::try_from(*dim).unwrap_or(0) - if random.below(4) == 0 { rank } else { 0 };
            match (*dim, *factor) {
                (usize::MAX, 0) => "Replicate()".to_owned(),
                (usize::MAX, _) => match operation {
                    "sum" => random
                        .of(&["Partial()", "Partial('sum')", "Partial(sum)", "Partial(reduce_op='sum')"])
                        .to_owned(),
                    own => format!("Partial('{own}')"),
                },
                (_, 1) => format!("Shard({}{own})", random.of(&["", "dim="])),
                (_, factor) => {
                    format!("_StridedShard({own}, {}{factor})", random.of(&["split_factor=", "sf="]))
                }
            }
        })
        .collect();
    let list: Vec<i64> =
        if random.below(2) == 0 { (0..count).collect() } else { random.shuffled((0..count).collect()) };
    let ids = if list.is_sorted() { String::new() } else { format!(",device_ids=[{}]", joined(&list)) };
    let is_named = random.below(2) == 0;
    let axes: Vec<String> = sizes
        .iter()
        .zip(NAMES)
        .map(|(size, name)| if is_named { format!("{name}={size}") } else { size.to_string() })
        .collect();
    let written = format!("[{}], mesh({}{ids})", texts.join(", "), axes.join(","));
    let names: Vec<String> = sizes.iter().zip(NAMES).map(|(_, name)| format!("'{name}'")).collect();
    let (ids, names) = (
        nested(&list, &sizes),
        if is_named { format!(", mesh_dim_names=({},)", names.join(", ")) } else { String::new() },
    );
    let mesh = format!("DeviceMesh('cuda', {ids}{names})");
    let printed = match mesh.len() % 2 {
        0 => format!(
            "DTensor(local_tensor=tensor([1., 2.], device='cuda:0'), device_mesh={mesh}, placements=({},))",
            texts.join(", ")
        ),
        _ => format!("Spec(({},) on ({},)) on {mesh}", texts.join(", "), joined(shape)),
    };
    let text = format!(
        "shard(f32[{}], {})",
        joined(shape),
        // Without a draw: the cases are the same whichever is read.
        if sizes.is_empty() || written.len() % 2 == 0 { written } else { printed }
    );
    let held: Vec<Vec<Vec<i64>>> = (0..count)
        .map(|device| {
            let own = coordinates(position(&list, device), &sizes);
            let mut dims: Vec<Vec<i64>> = shape.iter().map(|extent| (0..*extent).collect()).collect();
            for (((dim, factor), size), at) in placements.iter().zip(&sizes).zip(own) {
                if let Some(held) = dims.get_mut(*dim) {
                    *held = strided(held, *factor, *size, at);
                }
            }
            dims
        })
        .collect();
    let size = |own: &Vec<i64>| i64::try_from(own.len()).expect("a size");
    let allocated = held.iter().map(|dims| dims.iter().map(size).collect()).collect();
    let summed = |device: i64| {
        let own = coordinates(position(&list, device), &sizes);
        let along = placements.iter().zip(own).filter(|(placement, _)| **placement == (usize::MAX, 1));
        (along.map(|(_, at)| at).collect(), operation)
    };
    let summands = (0..count).map(summed).collect();
    Case { text, held, allocated, summands, refused: None }
}

/// Draws a sharding of a tensor over a number of devices.
type Draw = fn(&mut Random, &[i64], i64) -> Case;

const DRAW: [Draw; 5] = [hlo, hlo_mesh, shardy, jax, dtensor];
const NOTATIONS: [Notation; 5] = [Notation::Hlo, Notation::HloMesh, Notation::Shardy, Notation::Jax, Notation::DTensor];

fn listed(sharding: &Sharding, device: i64) -> Vec<Vec<i64>> {
    let dims = sharding.shard(device).expect("a shard").expect("a part");
    dims.iter().map(|own| (0..own.size()).map(|at| own.at(at).expect("an index")).collect()).collect()
}

fn all_held(sharding: &Sharding) -> Vec<Vec<Vec<i64>>> {
    (0..sharding.devices().expect("a number")).map(|device| listed(sharding, device)).collect()
}

/// The elements of each device.
fn elements(held: &[Vec<Vec<i64>>]) -> Vec<BTreeSet<Vec<i64>>> {
    let of = |dims: &Vec<Vec<i64>>| {
        dims.iter().fold(BTreeSet::from([vec![]]), |all: BTreeSet<Vec<i64>>, dim| {
            all.iter().flat_map(|at| dim.iter().map(move |index| [at.as_slice(), &[*index]].concat())).collect()
        })
    };
    held.iter().map(of).collect()
}

/// Holds a reading against the definition, and every other notation against it; returns in how many it is.
fn check(case: &Case) -> (Option<Sharding>, usize) {
    let text = &case.text;
    let read = text.parse::<Sharding>();
    assert_eq!(read.as_ref().err().map(bitstride::Error::code), case.refused, "{text}: {read:?}");
    let Ok(sharding) = read else { return (None, 0) };
    assert_eq!(all_held(&sharding), case.held, "{text}");
    for (device, extents) in (0..).zip(&case.allocated) {
        assert_eq!(sharding.allocation(device).expect("extents").as_ref(), Some(extents), "{text} {device}");
    }
    let shown = sharding.to_string();
    let again: Sharding = shown.parse().expect(&shown);
    assert_eq!((again.to_string(), all_held(&again)), (shown.clone(), case.held.clone()), "{text}");
    assert!(sharding.compare(&again).expect("compared").holds(), "{text} as {shown}");
    let mut converted = 0;
    let wanted = elements(&case.held);
    for notation in NOTATIONS {
        let Ok(other) = sharding.to(notation) else { continue };
        let shown = other.to_string();
        let read: Sharding = shown.parse().expect(&shown);
        assert_eq!(elements(&all_held(&read)), wanted, "{text} as {other}");
        let comparison = sharding.compare(&read).expect("compared");
        assert!(comparison.holds(), "{text} as {other}: {comparison}");
        converted += 1;
    }
    (Some(sharding), converted)
}

fn index(held: &[Vec<i64>], place: &[i64]) -> Vec<i64> {
    held.iter().zip(place).map(|(dim, at)| dim[usize::try_from(*at).expect("a position")]).collect()
}

/// The summands of each element that a device gets.
type Got = BTreeMap<Vec<i64>, BTreeSet<Vec<i64>>>;

/// What each device gets of each element: the summands by who has them, each once; and how many come from others.
fn moved(source: &Case, target: &Case, moves: &Moves) -> (Vec<Got>, Vec<i64>) {
    let mut got: Vec<Got> = vec![BTreeMap::new(); target.held.len()];
    let mut received = vec![0; target.held.len()];
    for piece in &moves.pieces {
        let [from, to] = [piece.source, piece.target].map(|device| usize::try_from(device).expect("a device"));
        for [before, after] in positions(moves, piece) {
            let element = index(&source.held[from], &before);
            assert_eq!(element, index(&target.held[to], &after), "{} to {}", source.text, target.text);
            let summands = got[to].entry(element).or_default();
            assert!(summands.insert(source.summands[from].0.clone()), "{} to {}: twice", source.text, target.text);
            received[to] += i64::from(from != to);
        }
    }
    (got, received)
}

/// How many summands there are and of which operation, and which devices with the same elements have the same one.
fn alike(case: &Case) -> (usize, Option<&'static str>, Vec<[usize; 2]>) {
    let all: BTreeSet<&Vec<i64>> = case.summands.iter().map(|(own, _)| own).collect();
    let held = elements(&case.held);
    let pairs = (0..held.len()).flat_map(|one| (0..one).map(move |other| [other, one]));
    let is_alike = |[one, other]: &[usize; 2]| {
        !held[*one].is_empty() && held[*one] == held[*other] && case.summands[*one].0 == case.summands[*other].0
    };
    (all.len(), (all.len() > 1).then_some(case.summands[0].1), pairs.filter(is_alike).collect())
}

#[test]
fn every_notation_says_what_its_definition_says() {
    let mut random = Random(39);
    let (mut read, mut converted, mut moves_seen, mut summed) = (0, 0, 0, 0);
    for _ in 0..60 {
        let count = random.of(&[4, 6, 8, 12, 16, 1, 2]);
        let shape: Vec<i64> = (0..1 + random.below(3)).map(|_| random.of(&[8, 12, 7, 6, 1, 9, 16, 5, 0])).collect();
        let cases: Vec<Case> = (0..10).map(|at| DRAW[at % 5](&mut random, &shape, count)).collect();
        let mut all = Vec::new();
        for case in cases {
            let (sharding, others) = check(&case);
            converted += others;
            if let Some(sharding) = sharding {
                read += 1;
                all.push((case, sharding));
            }
        }
        for (source, before) in &all {
            for (target, after) in &all {
                let comparison = before.compare(after).expect("compared");
                let (one, two) = (elements(&source.held), elements(&target.held));
                // Manual devices differ by what the program says, which is not drawn.
                if one != two || !before.to_string().contains("manual") && !after.to_string().contains("manual") {
                    let is_same = one == two && alike(source) == alike(target);
                    assert_eq!(comparison.holds(), is_same, "{before} and {after}: {comparison}");
                }
                let wide = |case: &Case| case.summands.iter().any(|(own, _)| own.iter().any(|at| *at > 0));
                let Ok(plan) = before.reshard(after) else { continue };
                if !wide(source) && !wide(target) {
                    let missing = one.iter().zip(&two).map(|(one, two)| 4 * two.difference(one).count());
                    let missing: Vec<i64> = missing.map(|bytes| i64::try_from(bytes).expect("a size")).collect();
                    assert_eq!(plan.received, missing, "{before} to {after}");
                }
                let Ok(moves) = before.moves(after) else { continue };
                let (got, received) = moved(source, target, &moves);
                if moves_seen % 8 == 0 {
                    check_rule(before, after, &moves);
                }
                let wanted: BTreeSet<Vec<i64>> = source.summands.iter().map(|(own, _)| own.clone()).collect();
                // Of each element the summand of the source that each summand of the target is.
                let mut kept: BTreeMap<&Vec<i64>, BTreeMap<&Vec<i64>, _>> = BTreeMap::new();
                for (device, own) in got.iter().enumerate() {
                    let elements: BTreeSet<_> = own.keys().cloned().collect();
                    assert_eq!(elements, two[device], "{before} to {after}: {device}");
                    for (element, summands) in own {
                        if moves.reduction.is_some() {
                            assert_eq!(*summands, wanted, "{before} to {after}: {device}");
                            continue;
                        }
                        assert_eq!(summands.len(), 1);
                        let all = kept.entry(element).or_default();
                        let one = all.entry(&target.summands[device].0).or_insert(summands);
                        assert!(*one == summands || !wide(source), "{before} to {after}: {device} {element:?}");
                    }
                }
                // Together they are all summands, each once.
                if wide(source) {
                    for (element, kept) in kept {
                        let all: Vec<_> = kept.values().flat_map(|own| own.iter().cloned()).collect();
                        let each: BTreeSet<_> = all.iter().cloned().collect();
                        assert!(
                            each == wanted && all.len() == wanted.len(),
                            "{before} to {after}: {element:?} {kept:?}"
                        );
                    }
                }
                match moves.reduction {
                    Some(operation) => {
                        assert_eq!(operation, source.summands[0].1, "{before} to {after}");
                        summed += 1;
                    }
                    None => {
                        let bytes: Vec<i64> = received.iter().map(|elements| 4 * elements).collect();
                        assert_eq!(bytes, plan.received, "{before} to {after}");
                    }
                }
                moves_seen += 1;
            }
        }
    }
    assert!(
        read > 300 && converted > 600 && moves_seen > 600 && summed > 60,
        "{read} {converted} {moves_seen} {summed}"
    );
}

/// From a device and an offset to the element: the layout of each shard by XLA's definition, place by place.
#[test]
fn memory_of_devices_has_the_tiles_of_the_array() {
    let mut seen = 0;
    for layout in ["{1,0}", "{0,1}", "{1,0:T(2,4)}", "{1,0:T(4,2)(2,1)}", "{0,1:T(2,2)}"] {
        for (shape, cut) in [
            ("16,8", "P('a', 'b'), mesh(a=2,b=4)"),
            ("16,8", "P(None, ('b','a')), mesh(a=2,b=4)"),
            ("13,8", "'{devices=[4,2]<=[2,4]T(1,0)}'"),
            ("16,8", "[_StridedShard(0, split_factor=4), Shard(0)], mesh(2,4)"),
            ("16,8", "[Replicate(), Shard(1)], mesh(2,4)"),
        ] {
            let sharding: Sharding = format!("shard(bf16[{shape}]{layout}, {cut})").parse().expect("a sharding");
            let map = bitstride::map::Map::of_device_memory(&sharding).expect("a map");
            let count = sharding.devices().expect("a number");
            assert_eq!(map.domain()[0].extent, count);
            for device in 0..count {
                let held = listed(&sharding, device);
                let extents = sharding.allocation(device).expect("extents").expect("a part");
                let local: bitstride::xla::Array =
                    format!("bf16[{}]{layout}", joined(&extents)).parse().expect("an array");
                let local = bitstride::map::Map::of_array(&local).expect("a map");
                let mut wanted = vec![None; usize::try_from(map.domain()[1].extent).expect("a size")];
                for row in 0..extents[0] {
                    for column in 0..extents[1] {
                        let place = local.at(&[row, column]).expect("a place").expect("a place")[0];
                        let at = |dim: usize, at: i64| held[dim].get(usize::try_from(at).expect("a number")).copied();
                        wanted[usize::try_from(place).expect("a place")] =
                            at(0, row).zip(at(1, column)).map(|(row, column)| vec![row, column]);
                    }
                }
                for (offset, wanted) in (0..).zip(&wanted) {
                    assert_eq!(map.at(&[device, offset]).expect("an element"), *wanted, "{sharding} {device} {offset}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 2000, "{seen}");
}

/// Flat parameters element by element: padding before each that does not begin at the alignment, and behind all of them up to equal shares.
#[test]
fn flat_parameters_are_ranges_of_what_is_written_one_behind_the_other() {
    let mut random = Random(5);
    for _ in 0..300 {
        let sizes: Vec<i64> = (0..random.below(5)).map(|_| random.of(&[0, 1, 3, 4, 7, 10, 16, 33])).collect();
        let (alignment, count) = (random.of(&[1, 2, 4, 8]), random.of(&[1, 2, 3, 4, 8]));
        let flat = bitstride::sharding::Flat::new(&sizes, alignment, count).expect("flat parameters");
        let mut all: Vec<Option<(usize, i64)>> = Vec::new();
        let multiple = |number: usize, of: i64| i64::try_from(number).expect("a number") % of == 0;
        for (parameter, size) in sizes.iter().enumerate() {
            while !multiple(all.len(), alignment) {
                all.push(None);
            }
            all.extend((0..*size).map(|at| Some((parameter, at))));
        }
        while !multiple(all.len(), count) {
            all.push(None);
        }
        let share = all.len() / usize::try_from(count).expect("a number");
        assert_eq!(usize::try_from(flat.share), Ok(share), "{sizes:?} {alignment} {count}");
        for device in 0..count {
            let first = usize::try_from(device).expect("a number") * share;
            let own = &all[first..first + share];
            for parameter in 0..sizes.len() {
                let held: Vec<(i64, i64)> = (0..)
                    .zip(own)
                    .filter_map(|(at, own)| own.filter(|own| own.0 == parameter).map(|own| (at, own.1)))
                    .collect();
                let piece = flat.piece(parameter, device).map(|piece| (piece.offset, piece.elements, piece.first));
                let wanted =
                    held.first().map(|(at, first)| (*at, i64::try_from(held.len()).expect("a number"), *first));
                assert_eq!(piece, wanted, "{sizes:?} {alignment} {count}: {parameter} on {device}");
            }
        }
    }
}
