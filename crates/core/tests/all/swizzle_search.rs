//! Costs decided on bits against the count lane by lane, and what a search finds against all swizzles, and all maps over F2 of small
//! tiles.

use bitstride::cute::{Function, Swizzle};
use bitstride::linear::{Columns, Dim, LinearLayout, Name};
use bitstride::map::Map;
use bitstride::memory::{
    Accesses, BitMap, LinearAccess, Passes, Rotating, SharedMemory, SwizzleSearch, Transfer, Vectors,
};
use bitstride::triton::Encoding;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 2) % end
    }

    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(u64::try_from(end).expect("small"))).expect("small")
    }

    fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }
}

/// Two banks of a word, so that small tiles have rows of banks.
const TINY: SharedMemory = SharedMemory { lanes: 8, banks: 2, word_bytes: 4, phase_bytes: 8, merges_pairs: true };

/// Threads as a linear layout to the flat index of `bits` bits.
fn threads(random: &mut Random, bits: u32, lanes: usize, values: usize, warps: usize) -> Map {
    let mut columns = Columns::new();
    let mut units: Vec<u64> = (0..bits).map(|bit| 1 << bit).collect();
    let kind = random.below(3);
    for _ in 0..values + lanes + warps {
        let column = match kind {
            // A permutation of the bits, as of blocked layouts; or any vectors.
            0 | 1 if !units.is_empty() => units.remove(random.index(units.len())),
            0 => 0,
            _ => random.below(1 << bits),
        };
        columns.push(column);
    }
    let dim = |name: Name, bits: usize| Dim { name, bits: u32::try_from(bits).expect("small") };
    let ins = [dim(Name::REGISTER, values), dim(Name::LANE, lanes), dim(Name::WARP, warps)];
    let outs = [Dim { name: Name::dim(0), bits }];
    let layout = LinearLayout::from_columns(ins.into_iter().collect(), outs.into_iter().collect(), columns);
    Map::of_linear(&layout.expect("as many columns as bits")).expect("small")
}

fn map(text: &str) -> Map {
    Map::of_layout(&text.parse().expect(text)).expect(text)
}

/// Instructions, bytes and wavefronts, instruction by instruction.
fn counted(
    machine: &SharedMemory,
    memory: &Map,
    threads: &Map,
    bits: i64,
    transfer: Transfer,
) -> Option<(i64, i64, i64)> {
    let accesses = Accesses::by(machine, memory, threads, bits, transfer).ok()?;
    let passes = accesses.passes(machine).ok()?;
    let wavefronts = passes.iter().map(Passes::wavefronts).sum();
    Some((i64::try_from(accesses.count()).expect("small"), accesses.bytes(), wavefronts))
}

#[test]
fn a_cost_on_bits_is_the_count_of_all_instructions() {
    let mut random = Random(0x1234_5678_9abc);
    let mut compared = 0;
    for _ in 0..3000 {
        let bits = 6 + u32::try_from(random.below(6)).expect("small");
        let machine = random.one(&[SharedMemory::NVIDIA, SharedMemory::NVIDIA, SharedMemory::AMD, TINY]);
        let element = random.one(&[4, 8, 16, 32, 64, 128]);
        let transfer =
            random.one(&[Transfer::Load, Transfer::Store, Transfer::Load, Transfer::LoadMatrix, Transfer::StoreMatrix]);
        let [lanes, values, warps] = [3 + random.below(4), random.below(4), random.below(2)];
        let [lanes, values, warps] = [lanes, values, warps].map(|n| usize::try_from(n).expect("small"));
        let threads = threads(&mut random, bits, lanes, values, warps);
        let memory = map(&format!("{}:1", 1 << bits));
        let memory = match Swizzle::new(2, i64::try_from(random.below(3)).expect("small"), 3) {
            Ok(swizzle) if random.below(2) == 0 => {
                let inner = format!("{}:1", 1 << bits).parse().expect("a layout");
                let swizzled = Function::compose(Function::Swizzle(swizzle), 0.into(), Function::Layout(inner));
                Map::of_function(&swizzled).expect("small")
            }
            _ => memory,
        };
        let on_bits = LinearAccess::of(&machine, &memory, &threads, element, transfer).expect("an access");
        let cost = on_bits.expect("linear").cost(&machine, |offset| offset);
        let cost = cost.map(|cost| (cost.instructions, cost.bytes, cost.wavefronts));
        assert_eq!(
            cost,
            counted(&machine, &memory, &threads, element, transfer),
            "{machine:?} {element} {transfer} {threads}"
        );
        compared += usize::from(cost.is_some());
    }
    assert!(compared > 1000, "{compared}");
}

/// All invertible maps of `bits` bits.
fn all_maps(bits: u32) -> Vec<Vec<u64>> {
    let mut all: Vec<(Vec<u64>, Vec<u64>)> = vec![(Vec::new(), vec![0])];
    for _ in 0..bits {
        let grown = |(columns, span): &(Vec<u64>, Vec<u64>)| {
            let outside = (1..1 << bits).filter(|vector| !span.contains(vector));
            let grow = |vector: u64| {
                let both = span.iter().copied().chain(span.iter().map(|known| known ^ vector)).collect();
                ([columns.as_slice(), &[vector]].concat(), both)
            };
            outside.map(grow).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(grown).collect();
    }
    all.into_iter().map(|(columns, _)| columns).collect()
}

fn applied(columns: &[u64], memory: &Map) -> Map {
    BitMap::of(columns.to_vec()).after(memory).expect("a map of bits")
}

/// Every map of four bits is tried, on bits, since that cost is held against the count of all instructions above.
#[test]
fn no_map_of_bits_is_better_than_the_one_found() {
    let mut random = Random(0xfeed_beef);
    let maps = all_maps(4);
    assert_eq!(maps.len(), 20160);
    let memory = map("16:1");
    let (mut better_than_swizzles, mut wider, mut open) = (0, 0, 0);
    for round in 0..60 {
        let element = random.one(&[4, 8, 16, 16, 32, 32, 64]);
        let machine = SharedMemory { banks: random.one(&[2, 2, 4]), ..TINY };
        let count = 1 + random.below(3);
        let accesses: Vec<(Map, Transfer)> = (0..count)
            .map(|_| {
                let (values, lanes) = (random.index(4), 1 + random.index(3));
                (threads(&mut random, 4, lanes, values, 0), random.one(&[Transfer::Load, Transfer::Store]))
            })
            .collect();
        let narrowest = random.one(&[16, 16, 4, 1]);
        let Ok(search) = SwizzleSearch::new(machine, &memory, element, &accesses, narrowest) else { continue };
        let vectors = random.one(&[Vectors::InOrder, Vectors::Turned]);
        let Some(found) = search.bit_map(vectors).expect("small") else { continue };
        let plain = search.plain();
        let on_bits: Vec<LinearAccess> = accesses
            .iter()
            .map(|(threads, transfer)| {
                let access = LinearAccess::of(&machine, &memory, threads, element, *transfer).expect("an access");
                access.expect("linear")
            })
            .collect();
        let mut best = i64::MAX;
        for columns in &maps {
            let bits = BitMap::of(columns.clone());
            let mut widest = 0;
            let total = on_bits.iter().zip(plain).try_fold(0, |sum, (access, plain)| {
                let cost = access.cost(&machine, |offset| bits.apply(offset))?;
                widest = widest.max(cost.bytes * 8 / element);
                (cost.bytes >= plain.bytes.min(narrowest)).then_some(sum + cost.wavefronts)
            });
            let Some(total) = total else { continue };
            assert!(total >= search.least(), "{round}: the bound {} is wrong: {total}", search.least());
            // Each bit within the widest vector is one bit of the offset.
            let sums = |bit: u32| columns.iter().filter(|column| *column >> bit & 1 == 1).count();
            let is_in_order = (0..widest.checked_ilog2().unwrap_or(0)).all(|bit| sums(bit) == 1);
            if is_in_order || vectors == Vectors::Turned {
                best = best.min(total);
            }
        }
        if found.complete {
            assert_eq!(found.wavefronts(), best, "{round}: {element} {vectors:?} {accesses:?}");
        }
        open += usize::from(!found.complete);
        let recounted: i64 = accesses
            .iter()
            .map(|(threads, transfer)| {
                let memory = applied(found.change.columns(), &memory);
                counted(&machine, &memory, threads, element, *transfer).expect("an access").2
            })
            .sum();
        assert_eq!(recounted, found.wavefronts());
        assert!(recounted >= best, "{round}");
        better_than_swizzles += i32::from(search.swizzle().is_ok_and(|swizzle| swizzle.wavefronts() > best));
        wider += i32::from(found.costs.iter().zip(plain).any(|(cost, plain)| cost.bytes > plain.bytes));
    }
    assert!(better_than_swizzles > 5 && wider > 5 && open < 10, "{better_than_swizzles} {wider} {open}");
}

#[test]
fn no_swizzle_is_better_than_the_one_found() {
    let mut random = Random(0xabcd_ef01);
    for round in 0..40 {
        let element = random.one(&[8, 16, 32]);
        let tile =
            random.one(&["(32,32):(32,1)", "(16,64):(64,1)", "(32,32):(36,1)", "(24,32):(32,1)", "(64,8):(8,1)"]);
        let memory = map(tile);
        let lists = [
            ["32:1", "32:32", "(32,4):(1,32)", "(8,4):(1,8)", "(16,2):(2,1)"],
            ["16:1", "32:16", "(32,2):(16,1)", "(8,4):(4,32)", "(32,8):(1,32)"],
        ];
        let accesses: Vec<(Map, Transfer)> = (0..1 + random.below(3))
            .map(|_| {
                let list = random.one(&lists);
                (map(random.one(&list)), random.one(&[Transfer::Load, Transfer::Store]))
            })
            .collect();
        let Ok(search) = SwizzleSearch::new(SharedMemory::NVIDIA, &memory, element, &accesses, 16) else { continue };
        let found = search.swizzle().expect("no swizzle is one of them");
        let mut best = i64::MAX;
        let cosize = 1 + (0..memory.size().expect("small")).map(|at| place(&memory, at)).max().unwrap_or(0);
        let widest = search.plain().iter().map(|cost| cost.bytes * 8 / element).max().unwrap_or(1).max(1);
        for bits in 0..6 {
            for base in i64::from(widest.ilog2())..12 {
                for shift in -12..=12 {
                    let Ok(swizzle) = Swizzle::new(bits, base, shift) else { continue };
                    // Whole vectors within the memory.
                    if (0..cosize).any(|offset| swizzle.apply(offset) >= cosize) {
                        continue;
                    }
                    let swizzled = Function::compose(
                        Function::Swizzle(swizzle),
                        0.into(),
                        Function::Layout(tile.parse().expect(tile)),
                    );
                    let memory = Map::of_function(&swizzled).expect("small");
                    let total = accesses.iter().zip(search.plain()).try_fold(0, |sum, ((threads, transfer), plain)| {
                        let (_, bytes, wavefronts) =
                            counted(&SharedMemory::NVIDIA, &memory, threads, element, *transfer)?;
                        (bytes >= plain.bytes).then_some(sum + wavefronts)
                    });
                    best = best.min(total.unwrap_or(i64::MAX));
                }
            }
        }
        assert_eq!(found.wavefronts(), best, "{round}: {tile} {element} {accesses:?}");
        assert!(best >= search.least());
    }
}

/// Rotating rows on small tiles: the map of bits is the memory of Triton's encoding, and no parameters are better than those found.
#[test]
fn no_rotating_rows_are_better_than_those_found() {
    let mut random = Random(0x0dd_ba11);
    let mut searched = 0;
    for round in 0..24 {
        let (rows, row) = (random.one(&[2_u32, 3, 4, 5]), random.one(&[2_u32, 3, 4]));
        let (height, width) = (1_i64 << rows, 1_i64 << row);
        let memory = map(&format!("({height},{width}):({width},1)"));
        let bits = rows + row;
        let element = random.one(&[16, 32, 64]);
        let machine = random.one(&[TINY, SharedMemory::NVIDIA, SharedMemory::AMD]);
        let accesses: Vec<(Map, Transfer)> = (0..1 + random.below(2))
            .map(|_| {
                let (lanes, values) = (1 + random.index(5).min(3), random.index(2));
                (threads(&mut random, bits, lanes, values, 0), random.one(&[Transfer::Load, Transfer::Store]))
            })
            .collect();
        let Ok(search) = SwizzleSearch::new(machine, &memory, element, &accesses, 16) else { continue };
        let found = search.rotating(row).expect("rows");
        let plain = search.plain();
        let widest = plain.iter().map(|cost| cost.bytes * 8 / element).max().unwrap_or(1).max(1);
        let mut best = i64::MAX;
        for vector in 0..=row {
            for (per_phase, max_phase) in (0..=rows + 1).flat_map(|per| (0..=row + 1).map(move |max| (per, max))) {
                let rotating = Rotating { vector, per_phase, max_phase };
                let encoding = format!(
                    "#ttg.amd_rotating_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = [1, 0]}}>",
                    1 << vector,
                    1 << per_phase,
                    1 << max_phase
                );
                let linear =
                    encoding.parse::<Encoding>().and_then(|read| read.to_linear(&[height, width])).expect("a memory");
                let moved = rotating.bit_map(row, bits).after(&memory).expect("a map");
                let same = moved.same(&Map::of_linear(&linear).expect("small")).expect("both are known");
                // Beyond the columns a phase of Triton does nothing as a whole.
                if vector + max_phase <= row {
                    assert!(same.holds(), "{encoding} on {height}x{width}: {same}");
                }
                if 1 << vector < widest || vector + max_phase > row {
                    continue;
                }
                let total = accesses.iter().zip(plain).try_fold(0, |sum, ((threads, transfer), plain)| {
                    let (_, bytes, wavefronts) = counted(&machine, &moved, threads, element, *transfer)?;
                    (bytes >= plain.bytes).then_some(sum + wavefronts)
                });
                best = best.min(total.unwrap_or(i64::MAX));
            }
        }
        assert_eq!(found.wavefronts(), best, "{round}: {height}x{width} of {element} {accesses:?}");
        assert!(best >= search.least(), "{round}: the bound {} is wrong: {best}", search.least());
        if let Some(linear) = search.bit_map(Vectors::InOrder).expect("small").filter(|linear| linear.complete) {
            assert!(linear.wavefronts() <= best, "{round}: rotating rows are maps of bits");
        }
        searched += 1;
    }
    assert!(searched > 12, "{searched}");
}

fn place(memory: &Map, at: i64) -> i64 {
    let rows = memory.domain()[0].extent;
    memory.at(&[at % rows, at / rows]).expect("inside").expect("no padding")[0]
}

#[test]
fn sizes_at_the_end_of_integers_neither_overflow_nor_take_long() {
    let huge = [
        ("(1073741824,1073741824):(1073741824,1)", "1073741824:1"),
        ("4611686018427387904:1", "(32,2):(1,2305843009213693952)"),
        ("(2,2):(1,4611686018427387904)", "4:1"),
        ("9223372036854775807:1", "32:1"),
    ];
    for (tile, threads) in huge {
        for element in [8, 128, 3] {
            let accesses = [(map(threads), Transfer::Load), (map("32:1"), Transfer::Store)];
            let Ok(search) = SwizzleSearch::new(SharedMemory::NVIDIA, &map(tile), element, &accesses, 16) else {
                continue;
            };
            let (least, found) = (search.least(), search.swizzle());
            assert!(found.is_err() || found.is_ok_and(|found| found.wavefronts() >= least));
            let _ = search.bit_map(Vectors::InOrder);
            let _ = search.bit_map(Vectors::Turned);
            let _ = search.padding(&map(tile), &accesses, &[1, 2, i64::MAX]);
        }
        let _ = map(tile).swizzle_to(&map("(1073741824,1073741824):(1,1073741824)"));
    }
}
