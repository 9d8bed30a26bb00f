//! Passes of accesses against a slow count of words by bank, accesses found from layouts against their elements, and the
//! images of tensor maps, descriptors and conversions.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::cute::{ByteSwizzle, Function, Swizzle};
use bitstride::linear::{Columns, Dim, LinearLayout, Name};
use bitstride::map::Map;
use bitstride::memory::{
    Access, Accesses, Conversion, Cost, Descriptor, Fill, Generation, Interleave, Major, Matrices, Scratch,
    SharedMemory, SwizzleMode, TensorMap, Transfer, Way,
};
use bitstride::triton::Encoding;
use bitstride::{Code, Int, Integer, Tuple};
use bitstride_oracle::laws::{self, Instruction, MemorySide};
use bitstride_oracle::reference::Linear;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 >> 2).unwrap_or(0) % end
    }
}

/// Wavefronts by asking, for every phase, every bank and every byte, which words are wanted.
fn slow(transfer: Transfer, bytes: i64, addresses: &[Option<i64>]) -> (i64, i64) {
    let phase = usize::try_from(if bytes < 4 { 32 } else { 128 / bytes }).expect("small");
    let alike = |distance: usize| {
        (0..addresses.len()).all(|lane| {
            let (own, other) = (addresses[lane], addresses.get(lane ^ distance).copied().flatten());
            own.is_none() || other.is_none() || own == other
        })
    };
    let merged = transfer == Transfer::Load && bytes >= 8 && (alike(1) || alike(2));
    let size = if merged { 2 * phase } else { phase };
    let (mut wavefronts, mut phases) = (0, 0);
    for first in (0..addresses.len()).step_by(size) {
        let group = &addresses[first..addresses.len().min(first + size)];
        let mut most = 0;
        for bank in 0..32 {
            let mut words = BTreeSet::new();
            for address in group.iter().flatten() {
                words.extend((0..bytes).map(|byte| (address + byte) / 4).filter(|word| word % 32 == bank));
            }
            most = most.max(words.len());
        }
        wavefronts += most;
        phases += usize::from(most > 0);
    }
    (i64::try_from(wavefronts).expect("small"), i64::try_from(wavefronts - phases).expect("small"))
}

#[test]
fn passes_are_those_of_a_slow_count() {
    let mut random = Random(0x9e37_79b9);
    for round in 0..4000 {
        let transfer = if random.below(2) == 0 { Transfer::Load } else { Transfer::Store };
        let bytes = 1 << random.below(5);
        let spread = [1, 4, 32, 33, 64, 1024][usize::try_from(random.below(6)).expect("small")];
        let pairs = random.below(4);
        let mut addresses: Vec<Option<i64>> = (0..32)
            .map(|lane| {
                let lane = if pairs == 0 { lane / 2 } else { lane };
                let n = if random.below(3) == 0 { random.below(512) } else { lane * spread };
                (random.below(12) > 0).then_some(n * bytes)
            })
            .collect();
        if pairs == 1 {
            for lane in (1..32).step_by(2) {
                addresses[lane] = addresses[lane - 1];
            }
        }
        let access = Access::new(transfer, bytes, &addresses).expect("aligned");
        let passes = SharedMemory::NVIDIA.passes(&access).expect("small addresses");
        assert_eq!(
            (passes.wavefronts(), passes.conflicts()),
            slow(transfer, bytes, &addresses),
            "{round}: {transfer} {bytes} {addresses:?}"
        );
        for phase in &passes.0 {
            let Some(collision) = &phase.collision else { continue };
            assert_eq!(i64::try_from(collision.words.len()), Ok(phase.wavefronts));
            for (word, lanes) in &collision.words {
                assert_eq!(word % 32, collision.bank);
                for lane in lanes {
                    let address = addresses[*lane].expect("a lane that takes part");
                    assert!((address..address + bytes).any(|byte| byte / 4 == *word), "lane {lane} wants {word}");
                }
            }
        }
    }
}

#[test]
fn a_warp_transfers_every_element_once_as_wide_as_it_can() {
    let map = |text: &str| Map::of_layout(&text.parse().expect(text)).expect(text);
    for (memory, threads, bits, bytes, count) in [
        ("(64,64):(64,1)", "32:64", 32, 4, 1),
        ("(64,64):(64,1)", "(32,4):(1,64)", 32, 16, 1),
        ("(64,64):(64,1)", "(32,8):(1,64)", 32, 16, 2),
        ("(64,64):(66,1)", "(32,4):(1,64)", 32, 8, 2),
        ("(64,64):(65,1)", "(32,4):(1,64)", 32, 4, 4),
        ("(64,64):(64,1)", "(32,4):(1,0)", 32, 4, 1),
        ("(64,64):(64,1)", "(32,8):(1,64)", 4, 4, 1),
        ("(64,64):(64,1)", "(64,4):(1,64)", 32, 16, 2),
    ] {
        let (memory, threads) = (map(memory), map(threads));
        let accesses = Accesses::of(&memory, &threads, bits, Transfer::Load).expect("an access");
        assert_eq!((accesses.bytes(), accesses.count()), (bytes, count), "{memory} by {threads}");
        // Bit by bit: what is transferred is what the lanes' elements are, each place once a lane.
        let mut wanted: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        let joined = threads.then(&memory).expect("one after the other");
        let sizes: Vec<i64> = joined.domain().iter().map(|axis| axis.extent).collect();
        for index in 0..joined.size().expect("small") {
            let lane = index % sizes[0];
            let point = if sizes.len() == 1 { vec![lane] } else { vec![lane, index / sizes[0]] };
            let place = joined.at(&point).expect("inside").expect("no padding")[0];
            wanted.entry(lane).or_default().extend((0..bits).map(|bit| place * bits + bit));
        }
        let mut moved: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        let warps = usize::try_from(sizes[0]).expect("small").div_ceil(32);
        for (number, access) in accesses.iter().enumerate() {
            let access = access.expect("aligned");
            let warp = number / (accesses.count() / warps);
            for (lane, address) in access.addresses().iter().enumerate() {
                let lane = i64::try_from(lane + 32 * warp).expect("small");
                let own = moved.entry(lane).or_default();
                for bit in 0..access.bytes() * 8 {
                    assert!(own.insert(address.expect("active") * 8 + bit), "moved twice");
                }
            }
        }
        assert_eq!(moved, wanted);
    }
}

#[test]
fn what_no_machine_does_is_refused() {
    let code = |made: Result<Access<'_>, bitstride::Error>| made.err().map(|error| error.code());
    assert_eq!(code(Access::new(Transfer::Load, 3, &[Some(0)])), Some(Code::Range));
    assert_eq!(code(Access::new(Transfer::Load, 8, &[Some(4)])), Some(Code::Range));
    assert_eq!(code(Access::new(Transfer::Load, 4, &[Some(-4)])), Some(Code::Range));
    assert_eq!(code(Access::new(Transfer::LoadMatrix, 16, &[Some(0); 9])), Some(Code::Range));
    assert_eq!(code(Access::new(Transfer::Store, 1, &[None; 65])), Some(Code::Range));
    let last = [Some(i64::MAX - 15)];
    let access = Access::new(Transfer::Load, 16, &last).expect("aligned");
    assert_eq!(SharedMemory::NVIDIA.passes(&access).map(|passes| passes.wavefronts()), Ok(1));
    let map = |text: &str| Map::of_layout(&text.parse().expect(text)).expect(text);
    let rows = Accesses::of(&map("(8,64):(64,2)"), &map("(8,8):(1,8)"), 16, Transfer::LoadMatrix);
    assert_eq!(rows.map_err(|error| error.code()), Err(Code::NotALayout));
}

/// A tensor of halves with rows of 512 bytes.
fn halves(window: &[i64], swizzle: i64) -> TensorMap {
    TensorMap {
        element_bytes: 2,
        dims: vec![256, 128],
        strides: vec![512],
        window: window.to_vec(),
        element_strides: vec![1, 1],
        interleave: Interleave::None,
        swizzle,
        base: 0,
        fill: Fill::Zero,
    }
}

#[test]
fn an_image_sends_rows_to_their_pitch_and_swizzles_bytes() {
    for (swizzle, bits) in [(0, 0), (32, 1), (64, 2), (128, 3)] {
        for side in [8, 16, 32, 64].into_iter().filter(|side| swizzle == 0 || side * 2 <= swizzle) {
            let map = halves(&[side, 16], swizzle);
            let image = map.image().expect("legal");
            let pitch = (side * 2).max(swizzle);
            for (row, column) in (0..16).flat_map(|row| (0..side).map(move |column| (row, column))) {
                let at = Tuple::flat(&[Int::from(column), Int::from(row)]);
                let offset = image.offset_at(&at).expect("inside").to_coordinate();
                let offset = offset.as_leaf().and_then(Integer::value).expect("an offset");
                let byte = row * pitch + column * 2;
                let swizzled = byte ^ ((byte >> 7 & ((1 << bits) - 1)) << 4);
                assert_eq!(offset * 2, swizzled, "swizzle {swizzle}, {side} wide, ({column},{row})");
            }
        }
    }
}

#[test]
fn a_broken_rule_is_named_with_its_numbers() {
    let refused = |change: &dyn Fn(&mut TensorMap)| {
        let mut map = halves(&[64, 8], 128);
        change(&mut map);
        map.check().map_err(|error| (error.code(), error.message().to_owned()))
    };
    assert_eq!(refused(&|_| ()), Ok(()));
    type Case<'c> = (&'c dyn Fn(&mut TensorMap), Code, &'c str);
    let cases: [Case<'_>; 6] = [
        (&|map| map.window[0] = 72, Code::Range, "72 * 2 = 144 bytes wide"),
        (&|map| map.window[1] = 257, Code::Range, "257"),
        (&|map| map.strides[0] = 520, Code::NotDivisible, "520"),
        (&|map| map.strides.push(16), Code::RankMismatch, "not 2"),
        (&|map| map.fill = Fill::NanOfIntegers, Code::Kind, "no NaN"),
        (&|map| map.dims[0] = 0, Code::Range, "dim 0 is 0"),
    ];
    for (change, code, words) in cases {
        let (found, message) = refused(change).expect_err(words);
        assert!(found == code && message.contains(words), "{message}");
    }
    let extreme = [i64::MIN, -1, 0, 1, i64::MAX];
    for a in extreme {
        for b in extreme {
            let mut map = halves(&[a, b], 0);
            map.strides = vec![b];
            map.dims = vec![a, b];
            map.element_strides = vec![b, a];
            map.base = a;
            assert!(map.check().is_err());
        }
    }
}

/// The tile (mn,k) that a descriptor finds, of halves: written from the table of canonical layouts.
fn canonical(major: Major, mode: SwizzleMode, [mn, k]: [i64; 2], [leading, stride]: [i64; 2]) -> String {
    let width = (mode.bytes() / 16).max(1);
    let (lead, step) = (leading * 8, stride * 8);
    let rows = if mode == SwizzleMode::Bytes128Atom32 { 4 } else { 8 };
    match (major, mode) {
        (Major::K, SwizzleMode::None) => format!("((8,{}),(8,{})):((8,{step}),(1,{lead}))", mn / 8, k / 8),
        (Major::K, _) => format!("((8,{}),{k}):(({},{step}),1)", mn / 8, 8 * width),
        (Major::Mn, SwizzleMode::None) => format!("((8,{}),(8,{})):((1,{step}),(8,{lead}))", mn / 8, k / 8),
        (Major::Mn, _) => {
            let side = 8 * width;
            format!("(({side},{}),({rows},{})):((1,{lead}),({side},{step}))", mn / side, k / rows)
        }
    }
}

fn tile(text: &str, mode: SwizzleMode) -> Function {
    let layout = Function::Layout(text.parse().expect(text));
    let swizzle = match mode {
        SwizzleMode::None => return layout,
        SwizzleMode::Bytes32 => (1, 4, 3),
        SwizzleMode::Bytes64 => (2, 4, 3),
        SwizzleMode::Bytes128 => (3, 4, 3),
        SwizzleMode::Bytes128Atom32 => (2, 5, 2),
    };
    let swizzle = Swizzle::new(swizzle.0, swizzle.1, swizzle.2).expect("a swizzle");
    let bytes = ByteSwizzle::new(swizzle, 16).expect("halves");
    Function::compose(Function::Bytes(bytes), Int::from(0), layout)
}

#[test]
fn a_descriptor_says_the_layout_that_its_table_makes_of_it() {
    let modes = [
        SwizzleMode::None,
        SwizzleMode::Bytes32,
        SwizzleMode::Bytes64,
        SwizzleMode::Bytes128,
        SwizzleMode::Bytes128Atom32,
    ];
    let mut random = Random(77);
    let mut right = 0;
    for generation in [Generation::Wgmma, Generation::Tcgen05] {
        for (major, mode) in [Major::K, Major::Mn].into_iter().flat_map(|major| modes.map(|mode| (major, mode))) {
            for _ in 0..20 {
                let offsets = [1 + random.below(2000), 1 + random.below(2000)];
                let text = canonical(major, mode, [128, 16], offsets);
                let made = Descriptor::of(&tile(&text, mode), 16, major, 2048, generation);
                if mode == SwizzleMode::Bytes128Atom32 && (major == Major::K || generation == Generation::Wgmma) {
                    assert_eq!(made.map_err(|error| error.code()), Err(Code::Kind));
                    continue;
                }
                let made = made.expect(&text);
                let leading = if mode != SwizzleMode::None && major == Major::K { 1 } else { offsets[0] };
                assert_eq!(
                    [made.leading, made.stride].map(|n| i64::try_from(n).expect("small")),
                    [leading, offsets[1]],
                    "{text}"
                );
                assert_eq!(made.start, 128);
                assert_eq!(Descriptor::from_word(made.word(), generation), Ok(made));
                // One element elsewhere, and there is no descriptor.
                let other = text.replacen("(8,", "(4,2,", 1).replacen("):((", "):((3,", 1);
                if let Ok(layout) = other.parse::<bitstride::Layout>() {
                    let refused = Descriptor::of(&tile(&layout.to_string(), mode), 16, major, 2048, generation);
                    assert!(refused.is_err(), "{layout}");
                }
                right += 1;
            }
        }
    }
    assert!(right > 300, "{right}");
    assert_eq!(Descriptor::from_word(u64::MAX, Generation::Wgmma).map_err(|error| error.code()), Err(Code::Range));
}

#[test]
fn a_conversion_moves_what_its_map_says_and_scratch_holds_every_element() {
    let shapes = [[16, 16], [32, 64], [64, 32]];
    let boxes = ["[1, 4]", "[4, 1]", "[2, 2]"];
    let lanes = ["[8, 4]", "[4, 8]", "[32, 1]"];
    let layouts = |shape: &[i64; 2]| -> Vec<LinearLayout> {
        let mut all = Vec::new();
        for (each, lanes) in boxes.iter().flat_map(|each| lanes.iter().map(move |lanes| (each, lanes))) {
            for (warps, order) in
                [("[4, 1]", "[1, 0]"), ("[1, 4]", "[0, 1]"), ("[1, 1]", "[1, 0]"), ("[1, 1]", "[0, 1]")]
            {
                let text = format!(
                    "#ttg.blocked<{{sizePerThread = {each}, threadsPerWarp = {lanes}, warpsPerCTA = {warps}, order = {order}}}>"
                );
                all.push(text.parse::<Encoding>().expect(&text).to_linear(shape).expect(&text));
            }
        }
        all
    };
    let mut ways = [0; 4];
    for shape in &shapes {
        let all = layouts(shape);
        for (source, target) in all.iter().flat_map(|source| all.iter().map(move |target| (source, target))) {
            for bits in [8, 16, 32] {
                let conversion = Conversion::new(source, target, bits, Matrices::LoadAndStore).expect("one tensor");
                let stays = conversion.moves.ins().is_empty();
                ways[match &conversion.way {
                    Way::Nothing => {
                        assert!(stays);
                        0
                    }
                    Way::Registers => 1,
                    Way::Shuffles { .. } => 2,
                    Way::Memory { scratch, bytes, .. } => {
                        assert!(scratch.layout.is_invertible(), "{source} to {target}: {}", scratch.layout);
                        let elements = 1_u64 << scratch.layout.in_bits();
                        assert!(*bytes * 8 <= elements * bits.unsigned_abs());
                        if ways[3] % 100 == 0 {
                            every_element_arrives(source, target, &conversion.way, bits);
                        }
                        3
                    }
                }] += 1;
            }
        }
    }
    assert!(ways.iter().all(|count| *count > 10), "{ways:?}");
}

/// Writes every element from the places of the source into memory, round by round, reads it at the places of the target, and counts
/// the wavefronts of both lane by lane; false where no memory is used.
fn every_element_arrives(source: &LinearLayout, target: &LinearLayout, way: &Way, bits: i64) -> bool {
    let Way::Memory { scratch, store, load, written, read, .. } = way else { return false };
    let side = |instruction: usize, cost: &Cost| MemorySide {
        instruction: [Instruction::Plain, Instruction::Matrix, Instruction::Transposed][instruction],
        bytes: cost.bytes,
        phases: cost.phases,
        wavefronts: cost.wavefronts,
    };
    let twin = |layout: &LinearLayout| layout.to_string().parse::<Linear>().expect("a linear layout");
    let sides = [side(*store, written), side(*load, read)];
    let held = laws::through_memory(&twin(source), &twin(target), &twin(&scratch.layout), bits, sides);
    assert_eq!(held, Ok(()), "{source} to {target} of {bits} bits through {}", scratch.layout);
    true
}

/// Registers, lanes, warps and blocks that may hold what others hold too: the bits of the tensor in some order, some of them twice,
/// some xored, some in none.
fn with_copies(random: &mut Random, bits: u32, counts: [usize; 4]) -> LinearLayout {
    let mut units: Vec<u64> = (0..bits).map(|bit| 1 << bit).collect();
    for last in (1..units.len()).rev() {
        units.swap(last, usize::try_from(random.below(i64::try_from(last).expect("few") + 1)).expect("few"));
    }
    let mut next = units.iter().copied().cycle();
    let mut column = || match random.below(20) {
        0 => 0,
        1 => 1 << random.below(i64::from(bits)),
        2 => 1 + random.below((1 << bits) - 1).unsigned_abs(),
        _ => next.next().unwrap_or(0),
    };
    let [warps, blocks, lanes, registers] =
        [counts[2], counts[3], counts[1], counts[0]].map(|count| (0..count).map(|_| column()).collect::<Vec<u64>>());
    linear(&[(Name::REGISTER, &registers), (Name::LANE, &lanes), (Name::WARP, &warps), (Name::BLOCK, &blocks)], bits)
}

#[test]
fn values_that_several_places_hold_arrive_too() {
    let mut random = Random(0x0dd_ba11);
    let (mut through_memory, mut refused, mut matrices) = (0, 0, 0);
    for _ in 0..500 {
        let bits = 6 + u32::try_from(random.below(4)).expect("few");
        let count = |random: &mut Random, most: i64| usize::try_from(random.below(most)).expect("few");
        let lanes = if random.below(2) == 0 { 5 } else { 1 + count(&mut random, 6) };
        let outer = [count(&mut random, 3), count(&mut random, 2)];
        let mut side = || {
            let registers = 1 + count(&mut random, 5);
            with_copies(&mut random, bits, [registers, lanes, outer[0], outer[1]])
        };
        let (source, target) = (side(), side());
        if !source.is_surjective() {
            continue;
        }
        for (element_bits, allowed) in
            [(8, Matrices::LoadAndStore), (16, Matrices::LoadAndStore), (32, Matrices::Load), (64, Matrices::None)]
        {
            match Conversion::new(&source, &target, element_bits, allowed) {
                Ok(conversion) => {
                    through_memory +=
                        usize::from(every_element_arrives(&source, &target, &conversion.way, element_bits));
                    let Way::Memory { store, load, .. } = conversion.way else { continue };
                    matrices += usize::from(store + load > 0);
                }
                Err(error) => {
                    assert_eq!(error.code(), Code::Kind, "{source} to {target}: {error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(through_memory > 200 && refused > 20, "{through_memory} through memory, {refused} refused");
    assert!(matrices > 5, "{matrices} by matrix instructions");
}

#[test]
fn lanes_that_depend_on_the_block_go_through_its_memory() {
    let side = |registers: &[u64], lanes: &[u64], block: u64| {
        linear(&[(Name::REGISTER, registers), (Name::LANE, lanes), (Name::WARP, &[]), (Name::BLOCK, &[block])], 5)
    };
    // The source repeats its values over the block, the target has half of them in each, and two registers change places with lanes.
    let (source, target) = (side(&[1, 2], &[4, 8, 16], 0), side(&[8, 16], &[1, 2], 4));
    let conversion = Conversion::new(&source, &target, 32, Matrices::None).expect("a way inside of each block");
    assert!(every_element_arrives(&source, &target, &conversion.way, 32), "{conversion}");
    // Half of the tensor is in each block, and the halves are others.
    let (source, target) = (side(&[1, 2], &[4, 8], 16), side(&[1, 2], &[4, 16], 8));
    let refused = Conversion::new(&source, &target, 32, Matrices::None).map(|_| ()).expect_err("other blocks");
    assert_eq!(refused.code(), Code::Kind);
    assert!(
        refused.to_string().contains("block 0 is to have element (16), which none of its threads holds"),
        "{refused}"
    );
}

/// A layout from the columns of each in dim, to a tensor of one dim.
fn linear(ins: &[(Name, &[u64])], bits: u32) -> LinearLayout {
    let dim = |(name, columns): &(Name, &[u64])| Dim { name: *name, bits: u32::try_from(columns.len()).expect("few") };
    let columns: Columns = ins.iter().flat_map(|(_, columns)| columns.iter().copied()).collect();
    let outs = std::iter::once(Dim { name: Name::dim(0), bits });
    LinearLayout::from_columns(ins.iter().map(dim).collect(), outs.collect(), columns).expect("columns that fit")
}

#[test]
fn what_was_not_measured_is_refused() {
    let code = |source: &LinearLayout, target: &LinearLayout, bits: i64| {
        Conversion::new(source, target, bits, Matrices::LoadAndStore).map(|_| ()).map_err(|error| error.code())
    };
    let of = |register: u64, lanes: [u64; 2], block: u64| {
        linear(&[(Name::REGISTER, &[register]), (Name::LANE, &lanes), (Name::WARP, &[]), (Name::BLOCK, &[block])], 4)
    };
    assert_eq!(code(&of(1, [2, 4], 8), &of(2, [1, 4], 8), 8), Ok(()));
    assert_eq!(code(&of(1, [2, 4], 8), &of(2, [1, 4], 8), 4), Err(Code::Range));
    assert_eq!(code(&of(1, [2, 4], 8), &of(1, [2, 8], 4), 32), Err(Code::Kind));

    let memory = Map::of_layout(&"32:1".parse().expect("a layout")).expect("a map");
    let threads = |name: Name| {
        let layout = linear(&[(Name::REGISTER, &[1]), (name, &[2, 4, 8, 16])], 5);
        let threads = Map::of_linear(&layout).expect("a map");
        Accesses::of(&memory, &threads, 32, Transfer::Load).map(|all| all.count()).map_err(|error| error.code())
    };
    assert_eq!(threads(Name::LANE), Ok(1));
    assert_eq!(threads(Name::WARP), Err(Code::MissingDim));
}

#[test]
fn scratch_memory_is_a_basis() {
    let mut random = Random(0x5eed);
    let mut made = 0;
    for _ in 0..20_000 {
        // Columns of any bits, of which some depend on others.
        let mut side = || {
            let columns: Vec<u64> = (0..7).map(|_| random.below(32).unsigned_abs()).collect();
            let (inside, block) = columns.split_at(6);
            let [registers, lanes, warps] = [&inside[..3], &inside[3..5], &inside[5..]];
            linear(&[(Name::REGISTER, registers), (Name::LANE, lanes), (Name::WARP, warps), (Name::BLOCK, block)], 5)
        };
        let (source, target) = (side(), side());
        if !source.is_surjective() || !target.is_surjective() {
            continue;
        }
        for (bits, banks) in [(16, 32), (8, 32), (32, 64)] {
            let scratch = Scratch::optimal(&source, &target, bits, banks).expect("a choice");
            assert!(scratch.layout.is_invertible(), "{source} to {target}: {}", scratch.layout);
            made += 1;
        }
    }
    assert!(made > 10_000, "{made} made");
}
