//! Maps recognised as layouts of the families: the same function point by point, and nothing refused that is one.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::cute::{Function, Layout, Swizzle, coalesce};
use bitstride::linear::{Dim, LinearLayout, Name};
use bitstride::map::{Form, Map, Mixed, MixedLeaf};
use bitstride::xla::{Image, Shape};
use bitstride::{Code, Int, Tuple};
use bitstride_lang::{Value, evaluate};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The map of what a text says; `None` where the text is no layout.
fn read(text: &str) -> Option<Map> {
    match evaluate(text).ok()?.value {
        Value::Layout(layout) => Map::of_layout(&layout),
        Value::Function(function) => Map::of_function(&function),
        Value::Linear(layout) => Map::of_linear(&layout),
        Value::Xla(Shape::Array(array)) => Image::of(&array).and_then(|_| Map::of_array(&array)),
        other => panic!("{text} is {other}"),
    }
    .ok()
}

fn map(text: &str) -> Map {
    read(text).unwrap_or_else(|| panic!("{text} is a layout"))
}

/// All points of a box, the first axis the fastest.
fn points(extents: &[i64]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let extents = extents.to_vec();
    (0..extents.iter().product()).map(move |mut flat: i64| {
        let mut digit = |extent: &i64| {
            let x = flat % extent;
            flat /= extent;
            x
        };
        extents.iter().map(&mut digit).collect()
    })
}

fn box_of(map: &Map) -> Vec<i64> {
    map.domain().iter().map(|axis| axis.extent).collect()
}

/// What a layout of CuTe gives at a point, one number for each coordinate that it leads to.
fn place(function: &Function, point: &[i64], width: usize) -> Vec<i64> {
    let leaf = function.domain().expect("has a shape").root().is_leaf();
    let numbers: Vec<Int> = point.iter().copied().map(Int::from).collect();
    let at = if leaf { Tuple::leaf(numbers[0].clone()) } else { Tuple::flat(&numbers) };
    let reached = function.offset_at(&at).expect("is small").to_coordinate();
    let mut row = vec![0; width];
    for (number, reached) in row.iter_mut().zip(reached.leaves()) {
        *number = reached.as_number().expect("is a number");
    }
    row
}

/// Whatever is answered gives what the map gives.
fn answers_are_right(map: &Map) -> Result<(), TestCaseError> {
    let width = map.codomain().len();
    let all = || points(&box_of(map)).map(|point| (map.at(&point).expect("is small").expect("is no padding"), point));
    if let Ok(cute) = map.to_cute() {
        for (row, point) in all() {
            prop_assert_eq!(place(&cute, &point, width), row, "{} at {:?}", &cute, &point);
        }
    }
    if let Ok(padded) = map.to_padded() {
        prop_assert_eq!(&padded.extents, &box_of(map));
        for (row, point) in all() {
            prop_assert_eq!(place(&padded.cute, &point, width), row, "{} at {:?}", &padded.cute, &point);
        }
    }
    if let Ok(linear) = map.to_linear() {
        let back = Map::of_linear(&linear).expect("is small");
        for (row, point) in all() {
            prop_assert_eq!(back.at(&point).expect("is small"), Some(row), "{} at {:?}", &linear, &point);
        }
    }
    if let Ok(mixed) = map.to_mixed() {
        let back = Map::of_mixed(&mixed).expect("is small");
        for (row, point) in all() {
            prop_assert_eq!(back.at(&point).expect("is small"), Some(row), "{} at {:?}", &mixed, &point);
        }
        prop_assert_eq!(back.to_mixed(), Ok(mixed));
    }
    Ok(())
}

/// The layout that a table of one axis is, read greedily: the first step is the stride, the first break the extent.
fn greedy(table: &[i64]) -> Option<Vec<(i64, i64)>> {
    let mut modes = Vec::new();
    let mut table: Vec<i64> = table.iter().map(|x| x - table[0]).collect();
    while table.len() > 1 {
        let stride = table[1];
        let extent = (0i64..).zip(&table).take_while(|(n, x)| n * stride == **x).count();
        if !table.len().is_multiple_of(extent) {
            return None;
        }
        let whole = table.chunks(extent).all(|part| part.iter().zip(&table).all(|(x, low)| x - part[0] == *low));
        if !whole {
            return None;
        }
        modes.push((i64::try_from(extent).expect("is small"), stride));
        table = table.chunks(extent).map(|part| part[0]).collect();
    }
    Some(modes)
}

/// Whether a function on a box is an offset and a layout for each axis, by enumeration.
fn is_layout(extents: &[i64], table: &dyn Fn(&[i64]) -> i64) -> bool {
    let origin = vec![0; extents.len()];
    let line = |axis: usize| {
        let mut point = origin.clone();
        (0..extents[axis]).map(move |x| {
            point[axis] = x;
            point.clone()
        })
    };
    let lines: Vec<Vec<i64>> = (0..extents.len()).map(|axis| line(axis).map(|point| table(&point)).collect()).collect();
    let sums = points(extents).all(|point| {
        let alone = point.iter().zip(&lines).map(|(x, line)| line[usize::try_from(*x).expect("is small")] - line[0]);
        table(&point) - table(&origin) == alone.sum::<i64>()
    });
    sums && lines.iter().all(|line| greedy(line).is_some())
}

/// Every swizzle of a given number of bits in all, the identity too.
fn swizzles(bits: i64) -> Vec<Swizzle> {
    let mut all = vec![Swizzle::new(0, 0, 0).expect("is the identity")];
    for (count, base) in (1..=bits).flat_map(|count| (0..bits).map(move |base| (count, base))) {
        for shift in (-bits..=bits).filter(|shift| base + count + shift.abs() <= bits) {
            all.extend(Swizzle::new(count, base, shift));
        }
    }
    all
}

/// The least bits of a swizzle under which a map is a layout, by enumeration, of bits that its offsets have.
fn fewest_bits(map: &Map) -> Option<u32> {
    let values: Vec<i64> =
        points(&box_of(map)).filter_map(|point| map.at(&point).expect("is small")).map(|row| row[0]).collect();
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    let bits = if values.iter().any(|x| *x < 0) { 8 } else { i64::from(most.ilog2()) + 1 }.min(8);
    let table =
        |swizzle: Swizzle, point: &[i64]| swizzle.apply(map.at(point).expect("is small").expect("is inside")[0]);
    let holds = |swizzle: &Swizzle| is_layout(&box_of(map), &|point| table(*swizzle, point));
    swizzles(bits).into_iter().filter(holds).map(Swizzle::bits).min()
}

/// Whether a map is linear over F2 in each coordinate, by enumeration.
fn is_linear(map: &Map) -> bool {
    let at = |point: &[i64]| map.at(point).expect("is small").expect("is no padding");
    let extents = box_of(map);
    let width = map.codomain().len();
    extents.iter().all(|extent| extent.count_ones() == 1)
        && points(&extents).all(|point| {
            let mut row = vec![0; width];
            for (axis, x) in point.iter().enumerate() {
                for bit in (0..63).map(|bit| 1i64 << bit).filter(|bit| x & bit != 0) {
                    let mut one = vec![0; extents.len()];
                    one[axis] = bit;
                    row.iter_mut().zip(at(&one)).for_each(|(sum, x)| *sum ^= x);
                }
            }
            row == at(&point) && row.iter().all(|x| *x >= 0)
        })
}

fn extents() -> impl Strategy<Value = Vec<i64>> {
    vec(select(vec![1, 2, 2, 3, 4, 4, 5, 6, 8, 9]), 1..4)
}

/// A layout of these modes, each of one to three leaves.
fn layout(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let stride = select(vec![0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 16, 32, 12, -1, -4]);
    let modes: Vec<_> = extents
        .into_iter()
        .map(move |extent| {
            (select(vec![1, 2, 3, 4]), select(vec![1, 2]), [stride.clone(), stride.clone(), stride.clone()]).prop_map(
                move |(cut, again, strides)| {
                    let mut left = extent;
                    let mut extents = Vec::new();
                    for cut in [cut, again].into_iter().filter(|cut| *cut > 1) {
                        if left % cut == 0 {
                            extents.push(cut);
                            left /= cut;
                        }
                    }
                    extents.push(left);
                    let list = |numbers: &[i64]| {
                        let texts: Vec<_> = numbers.iter().map(ToString::to_string).collect();
                        if texts.len() == 1 { texts[0].clone() } else { format!("({})", texts.join(",")) }
                    };
                    (list(&extents), list(&strides[..extents.len()]))
                },
            )
        })
        .collect();
    modes.prop_map(|modes| {
        let (shapes, strides): (Vec<_>, Vec<_>) = modes.into_iter().unzip();
        format!("({}):({})", shapes.join(","), strides.join(","))
    })
}

fn swizzled(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let swizzle = (1..3_i64, 0..3_i64, select(vec![2, 3, -2, -3]), select(vec![0, 0, 0, 1, 5]));
    (layout(extents), swizzle)
        .prop_map(|(layout, (bits, base, shift, offset))| format!("Sw<{bits},{base},{shift}> o {offset} o {layout}"))
}

fn tiled(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let order = Just((0..extents.len()).collect::<Vec<_>>()).prop_shuffle();
    let tile = (vec(select(vec!["1", "2", "3", "4", "*"]), 0..3), select(vec!["1", "2", "3", "4", "8"]));
    (order, vec(tile, 0..3)).prop_map(move |(order, tiles)| {
        let list = |numbers: Vec<String>| numbers.join(",");
        let tiles: String =
            tiles.iter().map(|(more, last)| format!("({})", [more.as_slice(), &[*last]].concat().join(","))).collect();
        let tiles = if tiles.is_empty() { tiles } else { format!(":T{tiles}") };
        let dims = list(extents.iter().map(ToString::to_string).collect());
        format!("f32[{dims}]{{{}{tiles}}}", list(order.iter().map(ToString::to_string).collect()))
    })
}

/// A linear layout of a few bits.
fn linear() -> impl Strategy<Value = LinearLayout> {
    let dims = |names: [&'static str; 2]| {
        [0..4_u32, 0..3_u32].prop_map(move |bits| {
            let dim = |(name, bits): (&str, u32)| Dim { name: Name::new(name).expect("is a name"), bits };
            names.into_iter().zip(bits).map(dim).collect::<Vec<_>>()
        })
    };
    (dims(["register", "lane"]), dims(["dim0", "dim1"]), vec(0..64_u64, 5)).prop_map(|(ins, outs, words)| {
        let (wide, tall) = (ins.iter().map(|dim| dim.bits).sum::<u32>(), outs.iter().map(|dim| dim.bits).sum::<u32>());
        let columns: Vec<u64> =
            words.iter().map(|word| word % (1 << tall)).take(wide.try_into().expect("few")).collect();
        let dims = |list: &[Dim]| bitstride::linear::Dims::from_slice(list);
        LinearLayout::from_columns(dims(&ins), dims(&outs), bitstride::linear::Columns::from_slice(&columns))
            .expect("fits")
    })
}

/// A mixed layout of a few digits.
fn mixed() -> impl Strategy<Value = Mixed> {
    let leaf = |last: bool| {
        let extent = if last { select(vec![1, 2, 3, 4, 5, 6, 8]) } else { select(vec![1, 2, 2, 4, 4, 8]) };
        let (stride, pattern) = (select(vec![0, 0, 0, 32, 64, 128, 1]), select(vec![0, 0, 1, 2, 3, 4, 5, 6, 8, 9, 18]));
        (extent, stride, pattern).prop_map(|(extent, stride, pattern)| MixedLeaf { extent, stride, pattern })
    };
    let mode = (vec(leaf(false), 0..2), leaf(true)).prop_map(|(low, last)| [low.as_slice(), &[last]].concat());
    (vec(mode, 1..3), select(vec![0, 0, 5, 32]), select(vec![0, 0, 1, 6])).prop_map(|(modes, offset, flip)| {
        let flip = if modes.iter().flatten().all(|leaf| leaf.pattern == 0) { 0 } else { flip };
        Mixed { modes, offset, flip }
    })
}

/// Whatever is one is answered, by enumeration.
fn nothing_is_refused(map: &Map) -> Result<(), TestCaseError> {
    let table = |point: &[i64]| map.at(point).expect("is small").expect("is no padding")[0];
    let plain = |cute: &Function| !matches!(cute, Function::Composed(_));
    prop_assert_eq!(map.to_cute().as_ref().is_ok_and(plain), is_layout(&box_of(map), &table), "{:?}", map.to_cute());
    prop_assert_eq!(map.to_linear().is_ok(), is_linear(map), "{:?}", map.to_linear());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn answers_about_mixed_layouts_are_the_same_function(mixed in mixed()) {
        let map = Map::of_mixed(&mixed).expect("is small");
        if Form::of(&map).is_ok() {
            answers_are_right(&map)?;
            nothing_is_refused(&map)?;
            let whole = box_of(&map).iter().all(|extent| extent.count_ones() == 1);
            prop_assert!(!whole || map.to_mixed().is_ok(), "{}: {:?}", mixed, map.to_mixed());
        }
    }

    #[test]
    fn answers_are_the_same_function(
        text in extents().prop_flat_map(|extents| prop_oneof![layout(extents.clone()), swizzled(extents.clone()), tiled(extents)])
    ) {
        if let Some(map) = read(&text) {
            answers_are_right(&map)?;
        }
    }

    #[test]
    fn answers_about_linear_layouts_are_the_same_function(layout in linear()) {
        answers_are_right(&Map::of_linear(&layout).expect("is small"))?;
    }

    #[test]
    fn layouts_come_back_coalesced(text in extents().prop_flat_map(layout)) {
        let Value::Layout(layout) = evaluate(&text).expect("is read").value else { return Ok(()) };
        let modes = layout.modes().iter().map(coalesce).collect::<Result<Vec<_>, _>>().expect("is small");
        let expected = match modes.as_slice() {
            [mode] if mode.rank() == 1 => mode.clone(),
            modes => Layout::of(modes),
        };
        prop_assert_eq!(map(&text).to_cute(), Ok(Function::Layout(expected)));
    }

    #[test]
    fn linear_layouts_come_back(layout in linear()) {
        prop_assert_eq!(Map::of_linear(&layout).expect("is small").to_linear(), Ok(layout));
    }

    #[test]
    fn nothing_that_is_a_layout_is_refused(
        text in extents().prop_flat_map(|extents| prop_oneof![layout(extents.clone()), swizzled(extents.clone()), tiled(extents)])
    ) {
        let Some(map) = read(&text).filter(|map| Form::of(map).is_ok()) else { return Ok(()) };
        nothing_is_refused(&map)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn the_swizzle_has_the_fewest_bits(text in extents().prop_flat_map(swizzled)) {
        let Some(map) = read(&text) else { return Ok(()) };
        // Only swizzles of the bits that offsets have are tried here.
        let least = fewest_bits(&map);
        let cute = map.to_cute();
        match &cute {
            Ok(Function::Composed(composed)) => {
                let Function::Swizzle(outer) = composed.outer else { panic!("{cute:?}") };
                let two = matches!(composed.inner, Function::Composed(_));
                prop_assert!(least.is_none_or(|least| !two && outer.bits() <= least), "{:?}, not {:?}", cute, least);
            }
            Ok(_) => prop_assert_eq!(least, Some(0)),
            Err(error) => panic!("{text}: {error}"),
        }
    }
}

#[test]
fn answers_have_canonical_texts() {
    for (text, cute, mixed) in [
        ("4:1", "4:1", "4:1"),
        ("(4):(1)", "4:1", "4:1"),
        ("((2,2)):((1,8))", "((2,2)):((1,8))", "((2,2)):((1,8))"),
        ("((2,2),1):((1,2),7)", "(4,1):(1,0)", "(4,1):(1,0)"),
        ("(0,4):(1,7)", "(0,4):(0,0)", "(0,4):(0,0)"),
        ("Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(^72,^1)"),
        ("Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<2,4,3> o 0 o (8,64):(64,1)", "((2,4),64):((64,^144),^1)"),
        ("Sw<1,1,2> o 1 o ((2,3)):((5,8))", "((3,2)):((5,11)) + 1", "((3,2)):((5,11)) + 1"),
        ("Sw<3,3,3> o 0 o (9,64):(64,1)", "Sw<3,3,3> o 0 o (9,64):(64,1)", ""),
        ("Sw<3,3,3> o 0 o (24,64):(64,1)", "Sw<3,3,3> o 0 o (24,64):(64,1)", "((8,3),64):((^72,512),^1)"),
        ("Sw<3,3,3> o 0 o (8,64,3):(64,1,512)", "Sw<3,3,3> o 0 o (8,64,3):(64,1,512)", "(8,64,3):(^72,^1,512)"),
    ] {
        let map = map(text);
        assert_eq!(map.to_cute().map(|cute| cute.to_string()), Ok(cute.into()), "{text}");
        assert_eq!(map.to_mixed().map_or_else(|_| String::new(), |mixed| mixed.to_string()), mixed, "{text}");
    }
}

#[test]
fn strides_that_are_xored_have_a_text() {
    for text in ["(8,64):(^72,^1)", "((4,2),3):((^1,^9),16) + 7+^2", "(4):(64+^9)", "8:^3", "8:^3 + ^1"] {
        let value = evaluate(text).expect("is read").value;
        assert_eq!((value.kind(), value.to_string().as_str()), ("map", text));
    }
    let map = evaluate("8:^3").and_then(|answer| answer.value.as_map()).expect("is a map");
    let values: Vec<_> = (0..8).map(|x| map.at(&[x]).expect("is small")).collect();
    assert_eq!(values, [0, 3, 6, 5, 12, 15, 10, 9].map(|x| Some(vec![x])));
    for (text, code) in [("^9", Code::Kind), ("(4,M):(^1,4)", Code::Profile), ("4:^2*3", Code::Kind)] {
        assert_eq!(evaluate(text).map_err(|error| error.code()), Err(code), "{text}");
    }
}

#[test]
fn refusals_say_what_is_in_the_way() {
    let cute = |text: &str| map(text).to_cute().expect_err("is refused");
    let linear = |text: &str| map(text).to_linear().expect_err("is refused");
    for (error, code, message) in [
        (
            cute("f32[3,5]{1,0:T(2,2)}"),
            Code::NotALayout,
            "axis dim0 of extent 3 is cut after every 2, 1 times with 1 left over: it is a layout only when padded to 4",
        ),
        (linear("(2,3):(1,2)"), Code::NotALayout, "axis dim1 has extent 3, which is no power of two"),
        (
            linear("(4,4):(1,3)"),
            Code::Carry,
            "dim0 = 1 leads to 1 and dim1 = 1 to 3, both to 4: adding bits 0b1 carries, the xor is 2",
        ),
        (
            cute("linear<{register=[[1,1],[1,2]]}, out=[dim0:2, dim1:4]>"),
            Code::NotALayout,
            "the map leads to 2 coordinates, of which bits 0b1, 0b0 are xored; swizzles xor bits of one offset",
        ),
    ] {
        assert_eq!((error.code(), error.message()), (code, message));
    }
}
