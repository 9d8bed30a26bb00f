//! Tiled instructions keep their laws: each thread holds what counting along rows and columns says, all threads together have
//! every element equally often, and what a copy reads it writes.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "that is how a test fails")]

use bitstride::cute::{
    AtomFamily, CopyAtom, Layout, MmaAtom, Operand, Side, TiledCopy, TiledMma, Tiler, atom_families, atoms_holding,
    column_major, smem_atom,
};
use bitstride::linear::Name;
use bitstride::triton::Encoding;
use bitstride::{Code, Int, Tuple};
use bitstride_oracle::laws;

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn number(layout: &Layout, index: usize) -> i64 {
    let index = Int::from(i64::try_from(index).expect("small"));
    let offset = layout.offset(&index).expect("small").to_coordinate();
    offset.size().and_then(|n| n.as_number()).expect("an integer")
}

fn size(layout: &Layout) -> usize {
    let size = layout.size().and_then(|n| n.as_number()).expect("small");
    usize::try_from(size).expect("not negative")
}

/// The element of each (thread, value).
fn table(layout: &Layout) -> Vec<Vec<i64>> {
    let (threads, values) = (layout.get(&[0]).expect("threads"), layout.get(&[1]).expect("values"));
    let row = |thread| (0..size(&values)).map(|value| number(&threads, thread) + number(&values, value)).collect();
    (0..size(&threads)).map(row).collect()
}

/// The rows, or columns, at each position of a tile.
fn order(entry: &Tiler, extent: i64) -> Vec<i64> {
    match entry {
        Tiler::Layout(layout) => (0..size(layout)).map(|at| number(layout, at)).collect(),
        _ => (0..extent).collect(),
    }
}

/// The tiles of a name, atoms and a tile.
fn tiled(name: &str, atoms: &str, tile: &[&str]) -> TiledMma {
    let entry = |text: &&str| match text.parse() {
        Ok(extent) => Tiler::Extent(Int::Static(extent)),
        Err(_) if *text == "_" => Tiler::Keep,
        Err(_) => Tiler::Layout(layout(text)),
    };
    let tile: Vec<Tiler> = tile.iter().map(entry).collect();
    let atom = MmaAtom::named(name).unwrap_or_else(|error| panic!("{error}"));
    TiledMma::new(atom, &layout(atoms), &tile).unwrap_or_else(|error| panic!("{name} {atoms}: {error}"))
}

const CASES: &[(&str, &str, &[&str])] = &[
    ("SM80_16x8x16_F32F16F16F32_TN", "1:0", &[]),
    ("SM80_16x8x16_F32F16F16F32_TN", "(2,2):(1,2)", &["32", "32", "16"]),
    ("SM80_16x8x16_F32F16F16F32_TN", "(2,2):(2,1)", &["64", "_", "32"]),
    ("SM80_16x8x16_F32F16F16F32_TN", "(2,2,2):(1,2,4)", &[]),
    ("SM80_16x8x16_F32F16F16F32_TN", "(4,1):(1,0)", &["_", "(8,2,2):(1,16,8)", "16"]),
    ("SM80_16x8x32_S32S8S8S32_TN", "(1,4):(0,1)", &["32", "64", "32"]),
    ("SM80_8x8x4_F64F64F64F64_TN", "(2,4):(4,1)", &[]),
    ("SM70_8x8x4_F32F16F16F32_NT", "(2,2):(2,1)", &["(4,4,2):(1,8,4)", "32", "4"]),
    ("SM70_8x8x4_F32F16F16F32_NT", "(1,1):(0,0)", &[]),
    ("SM90_64x32x16_F32F16F16_RS", "(2,1):(1,0)", &["128", "64", "16"]),
    ("SM61_DP4A", "(16,8):(8,1)", &["32", "32", "8"]),
];

#[test]
fn threads_hold_what_counting_says() {
    for (name, atoms, tile) in CASES {
        let mma = tiled(name, atoms, tile);
        let shape = mma.atom().shape;
        let extents = mma.tile_mnk().expect("small");
        let threads = mma.thr_layout_vmnk().clone();
        let modes: Vec<Layout> = threads.modes();
        let copies: Vec<i64> = modes.iter().map(|mode| i64::try_from(size(mode)).expect("small")).collect();
        for operand in Operand::ALL {
            let answer = table(&mma.layout_tv(operand).unwrap_or_else(|error| panic!("{name} {atoms}: {error}")));
            let [r, c] = operand.modes();
            let orders = [r, c].map(|mode| order(&mma.tile()[mode], extents[mode]));
            let mut places = Vec::new();
            for v in 0..size(&modes[0]) {
                for at in 0..copies[1] * copies[2] * copies[3] {
                    let copy = [at % copies[1], at / copies[1] % copies[2], at / copies[1] / copies[2]];
                    // The layout of C is that of the first copy along K.
                    if operand == Operand::C && copy[2] > 0 {
                        continue;
                    }
                    let own = |mode: usize| number(&modes[mode + 1], usize::try_from(copy[mode]).expect("small"));
                    let thread = number(&modes[0], v) + own(0) + own(1) + own(2);
                    places.push((usize::try_from(thread).expect("small"), v, [copy[r], copy[c]]));
                }
            }
            let instruction = table(mma.layout_of(operand));
            let all = laws::Copies {
                instruction: &instruction,
                shape: [shape[r], shape[c]],
                copies: [copies[r + 1], copies[c + 1]],
                order: [&orders[0], &orders[1]],
            };
            laws::tiled_operand(&all, &places, &answer)
                .unwrap_or_else(|broken| panic!("{name} {atoms} {operand:?}: {broken}"));
            let those: Vec<Vec<i64>> = places.iter().map(|(thread, ..)| answer[*thread].clone()).collect();
            let whole = usize::try_from(extents[r] * extents[c]).expect("small");
            laws::covers_evenly(whole, &those).unwrap_or_else(|broken| panic!("{name} {atoms} {operand:?}: {broken}"));
        }
    }
}

#[test]
fn partitions_of_all_threads_cover_the_tensor() {
    for (name, atoms, tile) in CASES.iter().filter(|(.., tile)| !tile.iter().any(|entry| entry.contains(':'))) {
        let mma = tiled(name, atoms, tile);
        let extents = mma.tile_mnk().expect("small");
        for operand in Operand::ALL {
            let [r, c] = operand.modes();
            // Two tiles of rows and three of columns, row by row.
            let (rows, columns) = (2 * extents[r], 3 * extents[c]);
            let tensor = layout(&format!("({rows},{columns}):({columns},1)"));
            let mut all = Vec::new();
            for thread in 0..mma.thr_layout_vmnk().size().and_then(|n| n.as_number()).expect("small") * 4 {
                let held = match mma.partition(operand, &tensor, thread) {
                    Ok(held) => held,
                    Err(error) if error.code() == Code::Range => continue,
                    Err(error) => panic!("{name} {atoms}: {error}"),
                };
                let start = held.offset.to_coordinate().size().and_then(|n| n.as_number()).expect("an integer");
                all.push((0..size(&held.layout)).map(|at| start + number(&held.layout, at)).collect());
            }
            assert_eq!(all.len(), size(mma.thr_layout_vmnk()), "{name} {atoms}: threads that take part");
            let whole = usize::try_from(rows * columns).expect("small");
            laws::covers_evenly(whole, &all).unwrap_or_else(|broken| panic!("{name} {atoms} {operand:?}: {broken}"));
            let registers = mma.fragment(operand, &tensor).expect("a fragment");
            let compact = vec![(0..size(&registers)).map(|at| number(&registers, at)).collect()];
            laws::covers_evenly(size(&registers), &compact).unwrap_or_else(|broken| panic!("{registers}: {broken}"));
        }
    }
}

#[test]
fn copies_write_what_they_read() {
    let mma = tiled("SM80_16x8x16_F32F16F16F32_TN", "(2,2):(1,2)", &["32", "32", "16"]);
    let copy = |name: &str| CopyAtom::named(name).expect("an instruction");
    let shape = |rows: i64, columns: i64| Tuple::flat(&[Int::from(rows), Int::from(columns)]);
    let vectors = |name: &str, bits: i64, threads: &str, values: &str| {
        (name.to_owned(), bits, TiledCopy::new(&copy(name), bits, &layout(threads), &layout(values)))
    };
    let of = |name: &str, operand| (name.to_owned(), 16, TiledCopy::for_operand(&copy(name), 16, &mma, operand));
    let rows = "SM75_U32x1_LDSM_N";
    let all = [
        vectors("UniversalCopy<uint128_t>", 16, "(16,8):(8,1)", "(1,8):(0,1)"),
        vectors("SM80_CP_ASYNC_CACHEALWAYS<uint64_t>", 32, "(32,8):(1,32)", "(4,1):(1,0)"),
        vectors("SM75_U16x8_LDSM_T", 16, "(4,8):(1,4)", "(2,4):(1,2)"),
        (rows.to_owned(), 16, TiledCopy::of(&copy(rows), 16, layout("(32,8):(1,32)"), shape(32, 8))),
        of("SM75_U32x4_LDSM_N", Operand::A),
        of("SM75_U32x4_LDSM_N", Operand::B),
        of("SM90_U32x2_STSM_N", Operand::C),
        of("UniversalCopy<uint32_t>", Operand::C),
    ];
    for (name, bits, tiled) in all {
        let tiled = tiled.unwrap_or_else(|error| panic!("{name}: {error}"));
        let sides = [Side::Source, Side::Target].map(|side| table(&tiled.layout_tv(side).expect("a layout")));
        let instruction = [Side::Source, Side::Target].map(|side| table(tiled.value_layout(side)));
        laws::tiled_copy([&instruction[0], &instruction[1]], [&sides[0], &sides[1]])
            .unwrap_or_else(|broken| panic!("{name}: {broken}"));
        let whole = size(&column_major(tiled.tile()).expect("a tile"));
        for side in [Side::Source, Side::Target] {
            laws::covers_evenly(whole, &table(&tiled.layout_tv(side).expect("a layout")))
                .unwrap_or_else(|broken| panic!("{name} {side:?}: {broken}"));
        }
        // A copy that matches one side reads and writes what that side has.
        let plain = copy(&format!("UniversalCopy<uint{bits}_t>"));
        let other = tiled.matching(&plain, bits, Side::Target).expect("a copy");
        assert_eq!(table(&other.layout_tv(Side::Source).expect("a layout")), sides[1], "{name}");
    }
}

/// The place in a tensor of each element of a tile, in the order in which the tile's elements are numbered: modes of the tensor by
/// modes of the tiler, the first fastest.
fn gathered(tiler: &Tiler, tensor: &Layout) -> Vec<i64> {
    let Tiler::Modes(entries) = tiler else { panic!("{tiler} has no modes") };
    let mut places = vec![0];
    for (mode, entry) in tensor.modes().iter().zip(entries) {
        let extent = match entry {
            Tiler::Extent(extent) => extent.as_number().expect("a number"),
            _ => 0,
        };
        let steps: Vec<i64> =
            order(entry, extent).iter().map(|at| number(mode, usize::try_from(*at).expect("inside"))).collect();
        places = steps.iter().flat_map(|step| places.iter().map(move |place| place + step)).collect();
    }
    places
}

/// By CuTe's call and by its promise: the tile's element that a value is has the address that was asked for.
#[test]
fn a_cotiled_copy_has_the_elements_at_its_addresses() {
    let vector = |bits: i64| CopyAtom::named(&format!("UniversalCopy<{bits}>")).expect("an instruction");
    for (bits, addresses, data) in [
        (128, "(128,8):(8,1)", "(8,256):(256,1)"),
        (128, "(128,8):(8,1)", "((8,8),(64,2)):((64,512),(1,4096))"),
        (128, "(32,8):(16,1)", "(16,64):(64,1)"),
        (64, "(32,4):(1,32)", "(16,64):(1,16)"),
        (64, "(16,4):(128,1)", "(64,64):(64,1)"),
        (64, "((4,8),4):((4,64),1)", "(8,64):(64,1)"),
        (32, "(32,(2,2)):(2,(1,64))", "(8,4,8):(1,64,8)"),
        (32, "(8,2):(24,1)", "(8,16):(24,1)"),
        (64, "(15,4):(4,1)", "(5,12):(12,1)"),
    ] {
        let (addresses, data) = (layout(addresses), layout(data));
        let copy = TiledCopy::cotiled(&vector(bits), 16, &addresses, &data)
            .unwrap_or_else(|error| panic!("{addresses} {data}: {error}"));
        let places = gathered(copy.tiler(), &data);
        let tile = size(&column_major(copy.tile()).expect("a tile"));
        assert_eq!(tile, places.len(), "{addresses} {data}");
        let found: Vec<Vec<i64>> = table(copy.tiled_layout())
            .iter()
            .map(|values| values.iter().map(|value| places[usize::try_from(*value).expect("inside")]).collect())
            .collect();
        assert_eq!(found, table(&addresses), "{addresses} {data}: {}", copy.tiler());
        // The first tile of a tensor of this layout is where a thread finds these addresses.
        for (thread, asked) in table(&addresses).iter().enumerate() {
            let held = copy.partition(Side::Source, &data, i64::try_from(thread).expect("small")).expect("a part");
            let start = held.offset.to_coordinate().size().and_then(|n| n.as_number()).expect("an integer");
            let values = held.layout.get(&[0]).expect("values");
            let met: Vec<i64> = (0..size(&values)).map(|at| start + number(&values, at)).collect();
            assert_eq!(&met, asked, "{addresses} {data}: thread {thread}");
        }
    }
    // Addresses beyond the tensor are those from its first on, as CuTe has it; between its rows there is nothing.
    let twice =
        TiledCopy::cotiled(&vector(128), 16, &layout("(128,8):(8,1)"), &layout("(16,32):(32,1)")).expect("a copy");
    let rows = table(twice.tiled_layout());
    assert_eq!(rows[..64], rows[64..]);
    let between = TiledCopy::cotiled(&vector(128), 16, &layout("(128,8):(8,1)"), &layout("(8,64):(128,1)"));
    assert_eq!(between.map_err(|error| error.code()), Err(Code::Range));
    for (addresses, data) in [("(16,8):(8,-1)", "(8,64):(64,1)"), ("(8,8):(8,1)", "(8,M):(M,1)")] {
        let refused = TiledCopy::cotiled(&vector(128), 16, &layout(addresses), &layout(data));
        assert!(refused.is_err(), "{addresses} {data}: {refused:?}");
    }
}

/// As CuTe DSL's compiler prints it of a kernel for Hopper, whose tile leaves out what one instruction does not store.
#[test]
fn one_store_of_a_result_has_the_first_values_of_each_thread() {
    let store = CopyAtom::named("SM90_U32x4_STSM_N").expect("an instruction");
    for (mma, printed) in [
        (
            tiled("SM90_64x128x16_F32F16F16_SS", "1:0", &[]),
            Some(("((4,8,4),(2,2,2)):((64,1,8),(256,32,512))", "<(8,4,2):(1,16,8), (4,2,2):(2,1,8)>")),
        ),
        (tiled("SM80_16x8x16_F32F16F16F32_TN", "(2,2):(1,2)", &["32", "32", "16"]), None),
        (tiled("SM80_16x8x16_F32F16F16F32_TN", "(4,2):(2,1)", &["_", "64", "_"]), None),
    ] {
        let copy = TiledCopy::for_one_copy(&store, 16, &mma).expect("a copy");
        if let Some((values, tiler)) = printed {
            assert_eq!((copy.tiled_layout().to_string(), copy.tiler().to_string()), (values.into(), tiler.into()));
        }
        let [m, n, _] = mma.tile_mnk().expect("a tile").map(Int::from);
        let places = gathered(copy.tiler(), &column_major(&Tuple::flat(&[m, n])).expect("a tile"));
        let whole = table(&mma.layout_tv(Operand::C).expect("a layout"));
        for (stored, held) in table(copy.tiled_layout()).iter().zip(&whole) {
            let stored: Vec<i64> = stored.iter().map(|at| places[usize::try_from(*at).expect("inside")]).collect();
            assert_eq!(stored, held[..8], "{}", copy.tiler());
        }
    }
    let narrow = tiled("SM80_16x8x16_F32F16F16F32_TN", "1:0", &[]);
    let few = TiledCopy::for_one_copy(&store, 16, &narrow);
    assert_eq!(few.map_err(|error| error.code()), Err(Code::NotDivisible));
}

#[test]
fn retiled_registers_are_the_same_registers() {
    let mma = tiled("SM80_16x8x16_F32F16F16F32_TN", "(2,2):(1,2)", &["32", "32", "16"]);
    let matrices = CopyAtom::named("SM75_U32x4_LDSM_N").expect("an instruction");
    for (operand, tensor) in [(Operand::A, "(64,32):(32,1)"), (Operand::B, "(96,32):(32,1)")] {
        let copy = TiledCopy::for_operand(&matrices, 16, &mma, operand).expect("a copy");
        let registers = mma.fragment(operand, &layout(tensor)).expect("a fragment");
        let retiled = copy.retile(&registers).unwrap_or_else(|error| panic!("{registers}: {error}"));
        // What the copy writes of the tensor and the registers it writes to go together.
        let held = mma.partition(operand, &layout(tensor), 37).expect("a part");
        let written = copy.partition(Side::Target, &layout(tensor), 37).expect("a part");
        let by_register: std::collections::BTreeMap<i64, i64> =
            (0..size(&registers)).map(|at| (number(&registers, at), number(&held.layout, at))).collect();
        assert_eq!(held.offset, written.offset);
        assert_eq!(size(&retiled), size(&registers));
        for at in 0..size(&retiled) {
            let register = number(&retiled, at);
            assert_eq!(by_register.get(&register), Some(&number(&written.layout, at)), "{operand:?} {retiled}");
        }
    }
}

#[test]
fn every_name_of_the_catalogue_is_known_and_named_once() {
    let names: Vec<String> = atom_families().iter().flat_map(AtomFamily::names).collect();
    for name in &names {
        assert!(CopyAtom::named(name).is_ok() != MmaAtom::named(name).is_ok(), "{name}");
    }
    let mut once = names.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), names.len());
    assert!(names.len() > 2000, "{}", names.len());
}

#[test]
fn fragments_name_their_instructions() {
    let found = atoms_holding(&layout("((4,8),(2,(2,2))):((32,1),(16,(8,128)))")).expect("names");
    assert!(found.contains(&"A of SM80_16x8x16_F32F16F16F32_TN".to_owned()), "{found:?}");
    let near = atoms_holding(&layout("((4,8),(2,(2,2))):((32,1),(16,(128,8)))")).expect("names");
    assert!(near.is_empty(), "{near:?}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let mma = tiled("SM80_16x8x16_F32F16F16F32_TN", "(2,2):(1,2)", &[]);
    let refused = |code: Code, result: Result<Layout, bitstride::Error>| {
        assert_eq!(result.map_err(|error| error.code()), Err(code));
    };
    let part = |thread| mma.partition(Operand::A, &layout("(32,16):(16,1)"), thread).map(|held| held.layout);
    for thread in [-1, 128, i64::MIN, i64::MAX] {
        refused(Code::Range, part(thread));
    }
    refused(Code::RankMismatch, mma.partition(Operand::A, &layout("32:1"), 0).map(|held| held.layout));
    let vector = CopyAtom::named("UniversalCopy<uint128_t>").expect("an instruction");
    let few = TiledCopy::new(&vector, 16, &layout("(16,8):(8,1)"), &layout("(1,4):(0,1)"));
    assert_eq!(few.map(|_| ()).map_err(|error| error.code()), Err(Code::NotDivisible));
    for bits in [i64::MIN, -1, 0, 3, 48, i64::MAX] {
        assert!(TiledCopy::new(&vector, bits, &layout("(16,8):(8,1)"), &layout("(1,8):(0,1)")).is_err(), "{bits}");
        assert!(smem_atom(true, 128, bits).is_err(), "{bits}");
    }
    assert!(smem_atom(true, 96, 16).is_err());
    let huge = layout("(9223372036854775807,9223372036854775807):(1,1)");
    assert!(TiledMma::new(mma.atom().clone(), &huge, &[]).and_then(|huge| huge.layout_tv(Operand::A)).is_err());
}

/// What Triton's encodings say of one instruction of AMD: which element of A, B or C a register of a lane holds.
#[test]
fn instructions_of_amd_are_what_the_encodings_of_triton_say() {
    let mut compared = 0;
    for name in atom_families().iter().flat_map(AtomFamily::names).filter(|name| name.starts_with("GFX")) {
        let atom = MmaAtom::named(&name).expect("a name of the catalogue");
        let [m, n, k] = atom.shape;
        let is_scaled = name.contains("_SCALE_");
        // What a thread has side by side along K of an operand, as Triton and Composable Kernel have it.
        let scaled = |bits: i64| if bits == 8 { 16 } else { 32 };
        let (parent, width): (String, Box<dyn Fn(i64) -> i64>) = match name.split('_').next() {
            Some("GFX9") => (
                format!(
                    "#ttg.amd_mfma<{{version = 4, warpsPerCTA = [1, 1], instrShape = [{m}, {n}, {k}], isTransposed = {}, \
                     elementBitWidth = {}}}>",
                    n == 4,
                    atom.bits[2].max(32)
                ),
                Box::new(move |bits| if is_scaled { scaled(bits) } else { m.min(n) * k / 64 }),
            ),
            generation => {
                let (version, width) = match generation {
                    Some("GFX11") => (1, 16),
                    Some("GFX12") => (2, k / 2),
                    _ => (3, if atom.bits[0] == 32 { 2 } else { 8 }),
                };
                let rest = format!("isTranspose = false, ctaLayout = {{warp = []}}, instrShape = [{m}, {n}, {k}]");
                let parent = format!("#ttg.amd_wmma<{{version = {version}, {rest}}}>");
                (parent, Box::new(move |bits| if is_scaled { scaled(bits) } else { width }))
            }
        };
        let operand = |index: usize| {
            let width = width(atom.bits[index]);
            format!("#ttg.dot_op<{{opIdx = {index}, parent = {parent}, kWidth = {width}}}>")
        };
        let parts = [
            (&atom.c, parent.clone(), [m, n], false),
            (&atom.a, operand(0), [m, k], false),
            (&atom.b, operand(1), [k, n], true),
        ];
        for (layout, encoding, shape, is_turned) in parts {
            let encoding: Encoding = encoding.parse().unwrap_or_else(|e| panic!("{encoding}: {e}"));
            let linear = encoding.to_linear(&shape).unwrap_or_else(|e| panic!("{encoding}: {e}"));
            let count = |dim| 1_i64 << linear.in_dim(dim).map_or(0, |(dim, _)| dim.bits);
            let (registers, lanes) = (count(Name::REGISTER), count(Name::LANE));
            let held = layout.get(&[1]).and_then(|values| values.size()).expect("values").to_string();
            assert_eq!(held, registers.to_string(), "{name}");
            for (lane, register) in (0..lanes).flat_map(|lane| (0..registers).map(move |register| (lane, register))) {
                let place = u64::try_from(register + registers * lane).expect("a place");
                let element = linear.unpack(linear.apply_packed(place)).to_vec();
                let (row, column) = (element[0], element[1]);
                let expected = if is_turned { column + row * shape[1] } else { row + column * shape[0] };
                assert_eq!(
                    number(layout, usize::try_from(lane + lanes * register).expect("small")),
                    expected,
                    "{name}: lane {lane}, register {register} of {encoding}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
    let bits = |name: &str| MmaAtom::named(name).map(|atom| atom.bits).map_err(|error| error.code());
    assert_eq!(bits("GFX9_MFMA_SCALE_16x16x128_F32E2M3E5M2F32"), Ok([6, 8, 32]));
    assert_eq!(bits("GFX1250_WMMA_SCALE_16x16x128_F32E3M2E2M1F32"), Ok([6, 4, 32]));
    assert_eq!(bits("GFX9_MFMA_32x32x64_F32E2M3E2M3F32"), Err(Code::UnknownName));
}
