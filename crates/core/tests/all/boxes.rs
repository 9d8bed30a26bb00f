//! Copies by TMA: each element of the box, read from where the map finds it and written to where the image has it, is the one that the
//! layout of shared memory wants there.

#![allow(clippy::expect_used, reason = "that is how a test fails")]

use std::collections::BTreeMap;

use bitstride::cute::{ByteSwizzle, Function, Layout, Swizzle, Tiler, coordinates};
use bitstride::memory::TmaCopy;
use bitstride::{Code, Error, Int, Tuple};

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        list[usize::try_from(self.0 >> 8).expect("small") % list.len()]
    }
}

fn layout(text: &str) -> Layout {
    text.parse().expect("a layout")
}

fn offset(function: &Function, at: &Tuple<Int>) -> i64 {
    let place = function.offset_at(at).expect("an element").to_coordinate();
    place.size().and_then(|n| n.as_number()).expect("a number")
}

fn swizzled(layout: Layout, bytes: i64, bits: i64) -> Function {
    let Some(width) = (bytes / 16).checked_ilog2().filter(|_| bytes > 0) else { return Function::Layout(layout) };
    let swizzle =
        Swizzle::new(width.into(), 4, 3).and_then(|swizzle| ByteSwizzle::new(swizzle, bits)).expect("a swizzle");
    Function::compose(Function::Bytes(swizzle), Int::from(0), Function::Layout(layout))
}

/// Where each place of shared memory should have its element from: offsets in elements.
fn wanted(global: &Layout, shared: &Function, tile: &[i64]) -> BTreeMap<i64, i64> {
    let modes = tile.iter().map(|extent| Tiler::Extent(Int::from(*extent))).collect();
    let tiled = Function::Layout(global.clone()).composition(&Tiler::Modes(modes)).expect("a tile");
    let size: i64 = tile.iter().product();
    let index = |n: i64| Tuple::leaf(Int::from(n));
    (0..size).map(|n| (offset(shared, &index(n)), offset(&tiled, &index(n)))).collect()
}

/// Copies the first box element by element; how many elements it has.
fn check(global: &Layout, shared: &Function, tile: &[i64], bits: i64, copy: &TmaCopy) -> i64 {
    let wanted = wanted(global, shared, tile);
    let image = copy.map().and_then(|map| map.image()).expect("an image");
    let mut count = 0;
    for at in coordinates(&Tuple::flat(&copy.window)) {
        let steps = [bits / 8].into_iter().chain(copy.strides.iter().copied());
        let from: i64 = at.leaves().iter().zip(steps).map(|(x, bytes)| x * bytes).sum();
        let to = offset(&image, &Tuple::flat(&at.leaves().iter().map(|n| Int::from(*n)).collect::<Vec<_>>()));
        assert_eq!(wanted.get(&to), Some(&(from / (bits / 8))), "{global} {shared} {:?}: {at:?}", copy.window);
        count += 1;
    }
    assert_eq!(count * copy.instructions, tile.iter().product::<i64>());
    count
}

#[test]
fn a_box_comes_to_lie_as_the_layout_says() {
    let mut random = Random(0x5851_f42d);
    let (mut copies, mut cut) = (0, 0);
    for _ in 0..1500 {
        let bits = random.of(&[8, 16, 32]);
        let (rows, columns) = (random.of(&[16, 32, 64]), random.of(&[4, 8, 32]));
        let span = random.of(&[0, 32, 64, 128]);
        let atom = if span > 0 { span * 8 / bits } else { random.of(&[8, 16, 64]) };
        let is_row_major = random.of(&[true, false]);
        // Rows of the atom one after another, atoms along the rows or along the columns first.
        let (inner, outer) = if is_row_major { (columns, rows) } else { (rows, columns) };
        let atom = atom.min(inner);
        let along = inner / atom;
        let is_outer_first = random.of(&[true, false]);
        let pitch = atom + random.of(&[0, 0, 0, 8]);
        let (next_row, next_atom) = if is_outer_first { (pitch, pitch * outer) } else { (pitch, pitch * 8) };
        let groups = if is_outer_first { pitch * 8 } else { pitch * 8 * along };
        let modes = [
            format!("({atom},{along}):(1,{next_atom})"),
            format!("({},{}):({next_row},{groups})", outer.min(8), (outer / 8).max(1)),
        ];
        let [first, second] = if is_row_major { [&modes[1], &modes[0]] } else { [&modes[0], &modes[1]] };
        let shared = swizzled(Layout::of(&[layout(first), layout(second)]), span, bits);
        let global = if is_row_major { "(1024,512):(512,1)" } else { "(1024,512):(1,1024)" };
        let tile = [rows, columns];
        let shape = Tuple::flat(&tile.map(Int::from));
        let global = layout(global);
        let Ok(copy) = TmaCopy::new(&global, &shared, bits, bits, Some(&shape), 0) else { continue };
        check(&global, &shared, &tile, bits, &copy);
        copies += 1;
        cut += usize::from(copy.instructions > 1);
    }
    assert!(copies > 200 && cut > 50, "{copies} copies, {cut} of several boxes");
}

fn refusal(global: &str, shared: &str, bits: i64) -> Error {
    let shared = Function::Layout(layout(shared));
    TmaCopy::new(&layout(global), &shared, bits, bits, None, 0).expect_err("a refusal")
}

#[test]
fn what_no_map_has_is_refused_with_the_numbers() {
    let error = refusal("(1024,256):(1,1024)", "(512,8):(1,512)", 16);
    assert_eq!(error.code(), Code::Range);
    assert_eq!(error.message(), "the box along dim 0 is 512; it goes from 1 to 256");
    assert_eq!(error.help(), Some("the nearest box is (256,8): cut the tile"));
    let error = refusal("(1024,256):(256,1)", "(64,8):(1,64)", 16);
    assert_eq!(
        error.message(),
        "the innermost mode of shared memory is 1@0 of global memory, whose stride is 256, not 1; besides, the stride of dim 1 is 2 bytes, which \
         is no multiple of 16"
    );
    // All rules that are broken are named.
    let error = refusal("(1024,256):(2,1001)", "(64,512):(1,64)", 16);
    assert_eq!(error.message().matches("; besides, ").count(), 2, "{error}");
    assert_eq!(refusal("(1024,16):(1,-1024)", "(64,8):(1,64)", 16).code(), Code::Range);
    assert_eq!(refusal("(1024,256):(1,1024)", "(4,64):(1,4)", 16).code(), Code::NotDivisible);
}

#[test]
fn extremes_are_answered_or_refused() {
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 16, 1 << 40, i64::MAX - 1, i64::MAX];
    for a in ends {
        for b in ends {
            for (extent, width) in [(a, 16), (16, a), (a, b)] {
                let Ok(global) = format!("({extent},16):(1,{b})").parse::<Layout>() else { continue };
                let Ok(shared) = format!("({width},{extent}):(1,{a})").parse::<Layout>() else { continue };
                for bits in [4, 8, 16, 64, a] {
                    let tile = Tuple::flat(&[Int::from(width), Int::from(extent)]);
                    let function = Function::Layout(shared.clone());
                    let _ = TmaCopy::new(&global, &function, bits, 16, Some(&tile), b);
                    let _ = TmaCopy::new(&global, &function, 16, bits, None, a);
                }
            }
        }
    }
}
