//! Tables and index expressions, fitted: what is found gives every element, and what does not fit breaks where it says.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::Code;
use bitstride::map::{Break, Expression, Family, Fit, Form, Map, Table};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn at(n: i64) -> usize {
    usize::try_from(n).expect("is a place")
}

/// All points of a box, the first axis the fastest.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for extent in extents {
        points = (0..*extent).flat_map(|x| points.iter().map(move |point| [point.as_slice(), &[x]].concat())).collect();
    }
    points
}

fn table(extents: &[i64], of: impl Fn(&[i64]) -> i64) -> Table {
    let offsets = points(extents).iter().map(|point| of(point)).collect();
    Table::new(extents, offsets).expect("one offset for each point")
}

/// What is fitted, checked at every point and brought to its form, where it is no swizzle over sums that carry.
fn fitted(extents: &[i64], of: impl Fn(&[i64]) -> i64) -> (Option<(Family, Form)>, Fit) {
    let fit = table(extents, &of).fit().expect("is small");
    if let Some((family, map)) = &fit.found {
        for point in points(extents) {
            assert_eq!(map.at(&point).expect("is small"), Some(vec![of(&point)]), "at {point:?}");
        }
        assert!(*family != Family::Swizzled || map.to_cute().is_ok());
    }
    let form = fit.found.as_ref().filter(|(family, _)| *family != Family::Swizzled).map(|(family, map)| {
        let form = Form::of(map).expect("was made of one");
        assert_eq!(Family::of(&form), *family);
        (*family, form)
    });
    (form, fit)
}

fn check(name: &str, extents: &[i64], want: Family, of: impl Fn(&[i64]) -> i64) -> Form {
    let (found, fit) = fitted(extents, of);
    let Some((family, form)) = found else { panic!("{name}: {fit:?}") };
    assert_eq!(family, want, "{name}: {form:?}");
    form
}

/// Radices and strides of a form without patterns, axis by axis.
fn leaves(form: &Form) -> Vec<Vec<(i64, i64)>> {
    let digits = form.digits.iter().zip(&form.sums[0].strides);
    let of =
        |axis| digits.clone().filter(|(digit, _)| digit.axis == axis).map(|(digit, s)| (digit.radix, *s)).collect();
    (0..form.axes.len()).map(of).collect()
}

#[test]
fn packed_formats() {
    // GPTQ packs eight numbers of four bits along k into a word; the words of 64 columns lie together.
    let form = check("GPTQ", &[32, 64], Family::Layout, |p| (p[0] / 8 * 64 + p[1]) * 8 + p[0] % 8);
    assert_eq!(leaves(&form), [vec![(8, 1), (4, 512)], vec![(64, 8)]]);

    // AWQ packs them in the order 0 2 4 6 1 3 5 7.
    let form = check("AWQ", &[64], Family::Layout, |p| p[0] / 8 * 8 + [0, 4, 1, 5, 2, 6, 3, 7][at(p[0] % 8)]);
    assert_eq!(leaves(&form), [vec![(2, 4), (4, 1), (8, 8)]]);

    // Q4_0 keeps the elements 0 to 15 in the low nibbles of 16 bytes, 16 to 31 in the high ones, after a scale of two
    // bytes: 36 nibbles a block.
    let form = check("Q4_0", &[128], Family::Layout, |p| p[0] / 32 * 36 + 4 + p[0] % 16 * 2 + p[0] / 16 % 2);
    assert_eq!((leaves(&form), form.sums[0].offset), (vec![vec![(16, 2), (2, 1), (4, 36)]], 4));

    // The scales of a block-scaled product: 32 rows by 4 by 4 columns, 512 places.
    let form = check("scale atom", &[128, 4], Family::Layout, |p| p[0] % 32 * 16 + p[0] / 32 * 4 + p[1]);
    assert_eq!(leaves(&form), [vec![(32, 16), (4, 4)], vec![(4, 1)]]);

    let form = check("padded rows", &[64, 8], Family::Layout, |p| p[1] * 72 + p[0]);
    assert_eq!(leaves(&form), [vec![(64, 1)], vec![(8, 72)]]);

    // Marlin: lane by lane the elements of four 8x8 fragments, then the order of the pack.
    let mut order = Vec::new();
    for lane in 0..32 {
        for block in 0..2 {
            for row in [2 * (lane % 4), 2 * (lane % 4) + 1, 2 * (lane % 4 + 4), 2 * (lane % 4 + 4) + 1] {
                order.push(16 * row + lane / 4 + 8 * block);
            }
        }
    }
    let pack = [0, 2, 4, 6, 1, 3, 5, 7];
    let marlin: Vec<i64> = (0..256).map(|at| order[at / 8 * 8 + pack[at % 8]]).collect();
    let form = check("Marlin", &[256], Family::Layout, |p| marlin[at(p[0])]);
    assert_eq!(leaves(&form)[0].iter().map(|(radix, _)| radix).product::<i64>(), 256);

    // OIhw4i16o4i: channels in fours and sixteens.
    let blocked = |p: &[i64]| ((p[0] / 16 * 2 + p[1] / 16) * 4 + p[1] / 4 % 4) * 64 + p[0] % 16 * 4 + p[1] % 4;
    let form = check("OIhw4i16o4i", &[32, 32], Family::Layout, blocked);
    assert_eq!(leaves(&form), [vec![(16, 4), (2, 512)], vec![(4, 1), (8, 64)]]);
}

#[test]
fn swizzles() {
    // By elements of 16 bits and by bytes: the same shared tile of 8 rows of 64.
    check("elements", &[64, 8], Family::Linear, |p| p[1] * 64 + (p[0] ^ (p[1] << 3)));
    check("bytes", &[128, 8], Family::Linear, |p| p[1] * 128 + (p[0] ^ (p[1] << 4)));
    // 36 rows: strides above, patterns below.
    check("odd rows", &[64, 36], Family::Mixed, |p| p[1] * 64 + (p[0] ^ (p[1] % 8 * 8)));
    check("padded and swizzled", &[64, 12], Family::Mixed, |p| p[1] * 72 + (p[0] ^ (p[1] % 4 * 8)));
    check("behind an offset", &[64, 8], Family::Mixed, |p| 100 * 64 + p[1] * 64 + (p[0] ^ (p[1] << 3) ^ 5));
    check("bits above threes", &[6, 12], Family::Mixed, |p| {
        (p[0] % 3) * 100 + ((p[0] / 3 * 5) ^ (p[1] / 3 % 4)) + p[1] % 3 * 16
    });
    check("gray code", &[32], Family::Linear, |p| p[0] ^ (p[0] / 2));
}

#[test]
fn tilings() {
    // bf16[16,256]{1,0:T(8,128)(2,1)}
    let form = check("packed pairs", &[16, 256], Family::Layout, |p| {
        (p[0] / 8 * 2 + p[1] / 128) * 1024 + p[0] % 8 / 2 * 256 + p[1] % 128 * 2 + p[0] % 2
    });
    assert_eq!(leaves(&form), [vec![(2, 1), (4, 256), (2, 2048)], vec![(128, 2), (2, 1024)]]);
    // f32[3,5]{1,0:T(2,2)}: the box cuts the tiles short.
    let form = check("ragged", &[3, 5], Family::Mixed, |p| (p[0] / 2 * 3 + p[1] / 2) * 4 + p[0] % 2 * 2 + p[1] % 2);
    assert_eq!(leaves(&form), [vec![(2, 2), (2, 12)], vec![(2, 1), (3, 4)]]);
    check("ragged in twelves", &[100], Family::Mixed, |p| p[0] / 12 * 16 + p[0] % 12);
}

#[test]
fn what_fits_nothing_breaks_at_its_first_element() {
    let (found, fit) = fitted(&[4, 2], |p| if p == [2, 1] { 7 } else { p[0] + 4 * p[1] });
    assert_eq!(found, None);
    let six = || Break::Element { point: vec![2, 1], expected: Some(6), found: 7 };
    assert_eq!(fit.broken, [(Family::Layout, six()), (Family::Linear, six()), (Family::Mixed, six())]);

    let (found, fit) = fitted(&[6], |p| p[0] * p[0]);
    assert_eq!(found, None);
    let element = |x, expected: i128| Break::Element { point: vec![x], expected: Some(expected), found: x * x };
    assert_eq!(fit.broken[0], (Family::Layout, element(3, 5)));
    assert!(matches!(&fit.broken[1], (Family::Linear, Break::Extent(axis)) if axis.extent == 6));
    assert_eq!(fit.broken[1].1.to_string(), "6 of dim0 is no power of two");
    assert_eq!(fit.broken[0].1.to_string(), "at (3) it would be 5, and is 9");

    let (_, fit) = fitted(&[2, 2], |p| [0, -1, -2, 5][at(p[0] + 2 * p[1])]);
    let negative = Break::Element { point: vec![1, 0], expected: None, found: -1 };
    assert_eq!(fit.broken.get(1), Some(&(Family::Linear, negative)));
}

#[test]
fn odd_tables() {
    assert!(Table::new(&[2, 2], vec![0; 3]).is_err());
    assert!(Table::new(&[-1], vec![]).is_err());
    assert!(Table::new(&[i64::MAX, i64::MAX], vec![]).is_err());
    check("empty", &[0, 3], Family::Layout, |_| 0);
    check("a point", &[], Family::Layout, |_| 7);
    check("ones", &[1, 1, 1], Family::Layout, |_| 0);
    check("nothing moves", &[5, 3], Family::Layout, |_| 4);
    check("backwards", &[5, 3], Family::Layout, |p| 100 - 3 * p[0] - 20 * p[1]);
    assert!(Table::new(&[2], vec![i64::MIN, i64::MAX]).expect("two").fit().is_err());
    assert_eq!(table(&[2, 3], |p| 3 * p[0] + p[1]), Table::row_major(&[2, 3], (0..6).collect()).expect("six"));
}

/// Whether some member of the family has these first offsets, for tables of 4 numbers below 4.
#[test]
fn every_small_table_is_judged_as_by_trying_all() {
    let of = |code: i64| (0..4).map(|at| code >> (2 * at) & 3).collect::<Vec<i64>>();
    let mut layouts = Vec::new();
    let mut linear = Vec::new();
    for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
        for origin in 0..4 {
            layouts.push(vec![origin, origin + a, origin + b, origin + a + b]);
            layouts.push(vec![origin, origin - a, origin + b, origin - a + b]);
            layouts.push(vec![origin, origin + a, origin - b, origin + a - b]);
            layouts.push(vec![origin, origin - a, origin - b, origin - a - b]);
        }
        linear.push(vec![0, a, b, a ^ b]);
    }
    for code in 0..256 {
        let list = of(code);
        let (found, fit) = fitted(&[4], |p| list[at(p[0])]);
        let is_layout = layouts.contains(&list);
        let want = if is_layout {
            Some(Family::Layout)
        } else if linear.contains(&list) {
            Some(Family::Linear)
        } else {
            found.as_ref().map(|_| Family::Mixed)
        };
        // A swizzle may hold four numbers that no patterns hold.
        assert!(fit.found.is_none() || found.is_some() || fit.broken.len() == 3, "{list:?}");
        assert_eq!(found.map(|(family, _)| family), want, "{list:?}");
        // A family breaks at the first element that none of its members has after those before.
        for (family, why) in fit.broken {
            let members = if family == Family::Layout { &layouts } else { &linear };
            let Break::Element { point, expected, found } = why else { panic!("four is a power of two") };
            if family == Family::Mixed {
                continue;
            }
            let at = at(point[0]);
            let fits = |member: &&Vec<i64>, count: usize| member[..count] == list[..count];
            assert!(members.iter().any(|member| fits(&member, at)), "{list:?} {family}");
            assert!(!members.iter().any(|member| fits(&member, at + 1)), "{list:?} {family}");
            assert_eq!(found, list[at]);
            let next: Vec<i128> =
                members.iter().filter(|member| fits(member, at)).map(|member| i128::from(member[at])).collect();
            assert!(expected.is_some_and(|expected| next.iter().all(|next| *next == expected)), "{list:?} {next:?}");
        }
    }
}

fn extents() -> impl Strategy<Value = Vec<i64>> {
    vec(select(vec![1, 2, 3, 4, 5, 6, 8, 12, 16]), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn sums_over_digits_are_found(
        extents in extents(),
        cuts in vec(select(vec![1, 2, 3, 4]), 3),
        strides in vec(-40..40_i64, 6),
        origin in -9..9_i64,
    ) {
        let of = |p: &[i64]| origin + p.iter().enumerate().map(|(axis, x)| {
            x % cuts[axis] * strides[2 * axis] + x / cuts[axis] * strides[2 * axis + 1]
        }).sum::<i64>();
        let (found, fit) = fitted(&extents, of);
        prop_assert!(found.is_some(), "{:?}", fit);
        if extents.iter().zip(&cuts).all(|(extent, cut)| extent % cut == 0) {
            prop_assert_eq!(found.map(|(family, _)| family), Some(Family::Layout));
        }
    }

    #[test]
    fn patterns_over_bits_are_found(
        bits in vec(0..4_u32, 1..4),
        columns in vec(0..256_i64, 12),
        strides in vec(select(vec![0, 0, 0, 256, 300, 512]), 12),
        flip in select(vec![0, 0, 3, 77]),
    ) {
        let extents: Vec<i64> = bits.iter().map(|bits| 1 << bits).collect();
        let of = |p: &[i64]| {
            let set = p.iter().enumerate().flat_map(|(axis, x)| (0..4).filter(move |bit| x >> bit & 1 == 1).map(move |bit| 4 * axis + bit));
            let (sum, pattern) = set.fold((0, flip), |(sum, pattern), at| (sum + strides[at], pattern ^ columns[at]));
            sum + pattern
        };
        let (found, fit) = fitted(&extents, of);
        prop_assert!(found.is_some(), "{:?}", fit);
        if strides.iter().all(|stride| *stride == 0) && flip == 0 {
            prop_assert!(found.is_some_and(|(family, _)| family != Family::Mixed));
        }
    }

    #[test]
    fn the_map_of_a_form_has_that_form(
        extents in extents(),
        columns in vec(0..64_i64, 12),
        strides in vec(-70..70_i64, 12),
    ) {
        // Any form over bits, where the extents are powers of two, else over the whole axes.
        let of = |p: &[i64]| {
            let mut sum = 0;
            let mut pattern = 0;
            for (axis, x) in p.iter().enumerate() {
                if extents[axis].count_ones() == 1 {
                    for bit in (0..4).filter(|bit| x >> bit & 1 == 1) {
                        sum += strides[4 * axis + bit];
                        pattern ^= columns[4 * axis + bit];
                    }
                } else {
                    sum += strides[4 * axis] * x;
                }
            }
            sum + pattern
        };
        let fit = table(&extents, of).fit().expect("is small");
        let Some((_, map)) = fit.found else { return Err(TestCaseError::fail(format!("{:?}", fit.broken))) };
        let form = Form::of(&map).expect("was made of one");
        let again = Map::of_form(&form, map.codomain().to_vec(), map.direction()).expect("is a form");
        prop_assert_eq!(&again, &map);
    }

    #[test]
    fn any_table_gets_an_answer(extents in vec(1..5_i64, 1..4), offsets in vec(-3..9_i64, 64)) {
        let place = |p: &[i64]| at(p.iter().fold(0, |place, x| 4 * place + x));
        let (found, fit) = fitted(&extents, |p| offsets[place(p)]);
        prop_assert_eq!(fit.broken.len() < 3, found.is_some());
        prop_assert!(found.is_some() || fit.found.is_none_or(|(family, _)| family == Family::Swizzled));
    }
}

fn read(text: &str) -> Expression {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// What an expression is, checked at every point.
fn expressed(text: &str) -> Option<(Family, Map)> {
    let expression = read(text);
    let found = expression.fit().unwrap_or_else(|error| panic!("{text}: {error}")).found;
    if let Some((_, map)) = &found {
        let extents: Vec<i64> = expression.axes().iter().map(|axis| axis.extent).collect();
        assert_eq!(map.domain(), expression.axes());
        for point in points(&extents) {
            let offset = expression.at(&point).expect(text);
            assert_eq!(map.at(&point).expect(text), Some(vec![offset]), "{text} at {point:?}");
        }
    }
    found
}

#[test]
fn expressions_are_fitted() {
    for (text, want) in [
        ("i<32, j<32: (i%8)*4 + (i/8) ^ (j & 3)", Some(Family::Linear)),
        // i/8 reaches 7, and carries into the fours.
        ("i<64, j<32: (i%8)*4 + (i/8) ^ (j & 3)", Some(Family::Mixed)),
        ("i<16, j<8: (i/8)*64 + (i%8) + j*8", Some(Family::Layout)),
        ("i<64, j<8: i + j*72", Some(Family::Layout)),
        ("r<8, c<64: r*64 + (c ^ (r << 3))", Some(Family::Linear)),
        ("r<12, c<64: r*72 + (c ^ ((r & 3) << 3))", Some(Family::Mixed)),
        ("i<100: i/12*16 + i%12", Some(Family::Mixed)),
        ("k<32, n<64: (k>>3)*512 + n*8 + (k&7)", Some(Family::Layout)),
        ("i<16: i | 5", Some(Family::Layout)),
        ("i<16: 100 - i*3", Some(Family::Layout)),
        ("i<16: i & 0x5", Some(Family::Layout)),
        ("i<16, j<4: i & j", None),
        ("i<16: i*i", None),
        ("i<4, j<5: (i + j) / 3", Some(Family::Chain)),
        ("i<8: i ^ i", Some(Family::Layout)),
        ("i<8: i - i%4", Some(Family::Layout)),
        ("i<8: (i - i%4)/4", Some(Family::Layout)),
        ("i<4, j<4: i ^ j ^ 0xF", Some(Family::Mixed)),
        (": 7", Some(Family::Layout)),
        ("i<0: 1/0", Some(Family::Layout)),
        ("i<1, j<1: i*5 + j", Some(Family::Layout)),
    ] {
        assert_eq!(expressed(text).map(|(family, _)| family), want, "{text}");
    }
}

#[test]
fn extents_do_not_matter() {
    let (family, map) =
        read("i<1099511627776, j<1048576: i/8*64 + i%8 + j%8*8").fit().expect("by stages").found.expect("a layout");
    assert_eq!(family, Family::Layout);
    assert_eq!(map.at(&[1_000_000_000_001, 1_000_003]), Ok(Some(vec![8_000_000_000_000 + 1 + 3 * 8])));
    let error = read("i<1048576, j<1048576: i & j").fit().expect_err("too large for a table");
    assert_eq!(error.code(), Code::Undecided);
    let (family, _) = read("i<1048576, j<1048577: (i + j) / 3").fit().expect("by stages").found.expect("a chain");
    assert_eq!(family, Family::Chain);
}

#[test]
fn expressions_that_have_no_value() {
    for (text, code, says) in [
        ("i<8: 8/i", Code::Range, "at i=0: 8 / 0 is no number"),
        ("i<8: (i - 3)/2", Code::Range, "at i=0: -3 / 2: -3 is negative"),
        ("i<8: (3 - i) & 1", Code::Range, "at i=4: -1 & 1: -1 is negative"),
        ("i<8: i * 9223372036854775807", Code::Overflow, "at i=2"),
        ("i<8: 1 << (60 + i)", Code::Overflow, "at i=3"),
    ] {
        let error = read(text).fit().expect_err(text);
        assert_eq!(error.code(), code, "{text}: {error}");
        assert!(error.message().contains(says), "{text}: {error}");
    }
}

#[test]
fn texts_that_are_no_expression() {
    for (text, start, says) in [
        ("", 0, "a name"),
        ("i<8", 3, "`:`"),
        ("i<8: ", 5, "but the text ends"),
        ("i<8: i +", 8, "but the text ends"),
        ("i<8: (i", 7, "`)`"),
        ("i<8: i)", 6, "found `)`"),
        ("i<8: k", 5, "`k` has no range"),
        ("i<8, i<4: i", 5, "has a range already"),
        ("i<x: i", 2, "a number"),
        ("i<08x: i", 2, "no number"),
        ("i<8: 99999999999999999999", 5, "64-bit"),
        ("i<8: i \u{e9}", 7, "found"),
        ("i<8: -i", 5, "a name, a number"),
        ("abcdefghijklmnopq<8: 1", 0, "no dim name"),
    ] {
        let error = text.parse::<Expression>().expect_err(text);
        assert!(error.message().contains(says), "{text}: {error}");
        assert_eq!(error.span().map(|span| span.start), Some(start), "{text}: {error}");
    }
    for deep in
        ["(".repeat(100_000), format!("i<8: {}", "(".repeat(100_000)), format!("i<8: i{}", "+i".repeat(100_000))]
    {
        assert!(deep.parse::<Expression>().is_err());
    }
    let long = format!("i<8: i{}", "*3%7".repeat(90));
    assert!(read(&long).fit().is_ok());
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(vec!["i", "j", "i", "j", "k"]).prop_map(str::to_owned),
        select(vec![0, 1, 2, 3, 4, 7, 8, 12]).prop_map(|number: i64| number.to_string()),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let operator = select(vec!["+", "+", "-", "*", "/", "%", "&", "^", "|", "<<", ">>"]);
        (inner.clone(), operator, inner, any::<bool>()).prop_map(|(a, operator, b, brackets)| match brackets {
            true => format!("({a}) {operator} ({b})"),
            false => format!("{a}{operator}{b}"),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn what_an_expression_becomes_gives_its_values(
        extents in vec(select(vec![1, 2, 3, 4, 8, 12]), 3),
        body in expression(),
    ) {
        let text = format!("i<{}, j<{}, k<{}: {body}", extents[0], extents[1], extents[2]);
        let expression = read(&text);
        let values: Result<Vec<i64>, _> = points(&extents).iter().map(|point| expression.at(point)).collect();
        match (values, expression.fit()) {
            (Ok(values), Ok(fit)) => {
                for (point, value) in points(&extents).iter().zip(values) {
                    if let Some((_, map)) = &fit.found {
                        prop_assert_eq!(map.at(point).expect("is small"), Some(vec![value]), "{} at {:?}", text, point);
                    }
                }
            }
            (Err(_), Err(_)) => {}
            // Numbers on the way may be larger than 64 bits.
            (Err(error), Ok(_)) => prop_assert_eq!(error.code(), Code::Overflow, "{}", text),
            (Ok(_), Err(error)) => prop_assert!(false, "{}: {:?}", text, error),
        }
    }
}
