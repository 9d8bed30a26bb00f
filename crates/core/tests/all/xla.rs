//! Where the elements of XLA's arrays lie, and whether two arrays are one memory: as the slow twin says, on all small
//! arrays and on random ones.

use std::cell::Cell;

use crate::common::{Choices, boxes, lists, orders, run, tiled, tiles};
use bitstride::Code;
use bitstride::xla::{Array, ElementType, Image, Place, Sameness, Tile, TileDim};
use bitstride_oracle::laws::{self, Violation};
use bitstride_oracle::reference::{LIMIT, Tiled};

/// What is said of a broken law or a wrong answer.
type Checked = Result<(), String>;

fn checked(held: Result<(), Violation>) -> Checked {
    held.map_err(|violation| violation.to_string())
}

fn wanted(truth: bool, what: impl FnOnce() -> String) -> Checked {
    if truth { Ok(()) } else { Err(what()) }
}

/// The array that the twin describes, of bytes.
fn array(twin: &Tiled) -> Array {
    let element = ElementType::from_name("u8").expect("a type");
    let mut array = Array::row_major(element, twin.dims());
    let extent = |extent: &Option<i64>| extent.map_or(TileDim::Combine, TileDim::Size);
    let order = twin.minor_to_major().iter().map(|dim| i64::try_from(*dim).expect("small"));
    array.layout.minor_to_major = order.collect();
    array.layout.tiles = twin.tiles().iter().map(|tile| Tile(tile.iter().map(extent).collect())).collect();
    array.layout.tail_padding = twin.tail();
    array
}

/// Whether sizes leave 64 bits: of the dims, where one of 0 saves only what comes after it, or with padding.
fn too_large(twin: &Tiled) -> bool {
    let elements = twin.dims().iter().try_fold(1i64, |elements, extent| elements.checked_mul(*extent));
    elements.is_none() || twin.size().is_err()
}

fn answered<T>(answer: Result<T, bitstride::Error>, twin: &Tiled) -> Result<T, String> {
    answer.map_err(|error| format!("{error}, for {twin}"))
}

fn image(twin: &Tiled) -> Result<Image, String> {
    answered(Image::of(&array(twin)), twin)
}

fn element(place: Place) -> Option<Vec<i64>> {
    match place {
        Place::Element(index) => Some(index),
        Place::Padding => None,
    }
}

/// Sizes, every place, and the way back from every element.
fn lies_right(twin: &Tiled) -> Checked {
    let image = image(twin)?;
    checked(laws::tiled_dims(twin, image.tiled_dims()))?;
    checked(laws::tiled_size(twin, image.size()))?;
    wanted(twin.elements() == Ok(image.elements()), || format!("{} elements of {twin}", image.elements()))?;
    let places: Result<Vec<_>, _> = (0..image.size()).map(|offset| image.place(offset).map(element)).collect();
    let places = answered(places, twin)?;
    checked(laws::tiled_places(twin, &places))?;
    for (offset, index) in (0..).zip(places).filter_map(|(offset, place)| Some((offset, place?))) {
        let back = answered(image.offset(&index), twin)?;
        wanted(back == offset, || format!("{index:?} of {twin} is put at {back}, and found at {offset}"))?;
    }
    Ok(())
}

#[test]
fn all_small_arrays_with_one_tile() {
    let tiles = tiles();
    for rank in 0..=3 {
        for dims in boxes(rank, 0..=4) {
            for order in orders(rank) {
                for tile in std::iter::once(vec![]).chain(tiles.iter().map(|tile| vec![tile.clone()])) {
                    let twin = Tiled::new(dims.clone(), order.clone(), tile, 1).expect("an array");
                    assert_eq!(lies_right(&twin), Ok(()));
                }
            }
        }
    }
}

#[test]
fn small_arrays_with_two_tiles() {
    let pairs = lists(2, &tiles());
    let mut turn = 0;
    for rank in 0..=3 {
        for dims in boxes(rank, 0..=4) {
            for order in orders(rank) {
                // A stride that shares no factor with the number of pairs meets all of them in turn.
                for _ in 0..64 {
                    turn = (turn + 1009) % pairs.len();
                    let tail = i64::try_from(1 + turn % 3).expect("small");
                    let twin = Tiled::new(dims.clone(), order.clone(), pairs[turn].clone(), tail).expect("an array");
                    assert_eq!(lies_right(&twin), Ok(()));
                }
            }
        }
    }
}

#[test]
fn random_arrays() {
    run(4000, |choices| {
        let twin = tiled(choices);
        if twin.size().is_ok_and(|size| size <= 1 << 14) { lies_right(&twin) } else { Ok(()) }
    });
}

#[test]
fn large_arrays() {
    let extents = [1 << 20, 65_537, 3, 1, 1_000_003, 4, 7, 128, 1 << 31, 0];
    run(2000, |choices| {
        let small = tiled(choices);
        let dims: Vec<i64> = small.dims().iter().map(|_| choices.of(&extents)).collect();
        let twin = Tiled::new(dims, small.minor_to_major().to_vec(), small.tiles().to_vec(), small.tail())
            .map_err(|error| error.to_string())?;
        if too_large(&twin) {
            let refused = Image::of(&array(&twin)).map_err(|error| error.code());
            return wanted(refused == Err(Code::Overflow), || format!("{refused:?} for {twin}"));
        }
        let image = image(&twin)?;
        checked(laws::tiled_dims(&twin, image.tiled_dims()))?;
        checked(laws::tiled_size(&twin, image.size()))?;
        if image.elements() == 0 {
            return wanted(image.size() == 0, || format!("{} places of {twin}", image.size()));
        }
        for _ in 0..16 {
            let index: Vec<i64> = twin.dims().iter().map(|extent| below(choices, *extent)).collect();
            let offset = answered(image.offset(&index), &twin)?;
            checked(laws::tiled_offset(&twin, &index, offset))?;
            let place = answered(image.place(offset), &twin)?;
            wanted(place == Place::Element(index), || format!("{place:?} at {offset} of {twin}"))?;
            let anywhere = below(choices, image.size());
            if let Place::Element(index) = answered(image.place(anywhere), &twin)? {
                checked(laws::tiled_place(&twin, anywhere, Some(&index)))?;
            }
        }
        Ok(())
    });
}

/// A number below an extent, often at an end.
fn below(choices: &mut Choices, extent: i64) -> i64 {
    let byte = |choices: &mut Choices| i64::try_from(choices.below(256)).expect("a byte");
    match choices.below(4) {
        0 => (extent - 1 - byte(choices)).max(0),
        1 => byte(choices) % extent,
        _ => (0..8).fold(0i64, |n, _| (n << 7) ^ byte(choices)) % extent,
    }
}

#[test]
fn what_is_outside_is_refused() {
    let twin: Tiled = "[3,5]{1,0:T(2,2)}".parse().expect("an array");
    let image = image(&twin).expect("an image");
    let offset = |index: &[i64]| image.offset(index).map_err(|error| error.code());
    assert_eq!(offset(&[3, 0]), Err(Code::Range));
    assert_eq!(offset(&[0, -1]), Err(Code::Range));
    assert_eq!(offset(&[0]), Err(Code::RankMismatch));
    for at in [-1, 24, i64::MIN, i64::MAX] {
        assert_eq!(image.place(at).map_err(|error| error.code()), Err(Code::Range), "{at}");
    }
}

/// An answer about two memories is the twin's, and a witness shows the first difference. Elements correspond by number,
/// or as in the transpose of an order.
fn decided(a: &Tiled, b: &Tiled, order: Option<&[usize]>) -> Result<bool, String> {
    let dims: Option<Vec<i64>> =
        order.map(|order| order.iter().map(|dim| i64::try_from(*dim).expect("small")).collect());
    // The twin lists all places: padding of padding may be more than it does.
    if [a, b].iter().any(|array| array.size().is_ok_and(|size| size > LIMIT)) {
        return Ok(false);
    }
    let answer = match &dims {
        None => array(a).same_memory(&array(b)),
        Some(dims) => array(a).same_transposed(&array(b), dims),
    };
    let answer = answer.map_err(|error| format!("{error}, for {a} and {b}"))?;
    match (order, a.dims() == b.dims()) {
        (Some(order), _) => checked(laws::tiled_transpose(a, b, order, answer.holds()))?,
        (None, true) => checked(laws::tiled_same(a, b, answer.holds()))?,
        (None, false) => checked(laws::tiled_reshape(a, b, answer.holds()))?,
    }
    match &answer {
        Sameness::Same => {}
        Sameness::Element(first) => {
            let [one, other] = &first.indices;
            checked(laws::tiled_difference(a, b, order, [one, other], first.offsets))?;
        }
        Sameness::Size(one, other) => {
            checked(laws::tiled_size(a, *one))?;
            checked(laws::tiled_size(b, *other))?;
            let held = |list: &Tiled| list.memory().map(|memory| memory.iter().flatten().count());
            wanted(order.is_some() || a.offsets() == b.offsets(), || format!("{a} and {b} differ by more than size"))?;
            wanted(held(a) == held(b), || format!("{a} and {b} differ in elements"))?;
        }
        other => return Err(format!("{other:?}, for {a} and {b}")),
    }
    Ok(answer.holds())
}

#[test]
fn all_pairs_of_small_layouts() {
    let mut same = 0;
    for dims in [vec![], vec![3], vec![4], vec![0, 2], vec![1, 3], vec![2, 3], vec![4, 4], vec![3, 4], vec![4, 1]] {
        let mut layouts = Vec::new();
        for order in orders(dims.len()) {
            for tile in std::iter::once(vec![]).chain(tiles().into_iter().map(|tile| vec![tile])) {
                layouts.push(Tiled::new(dims.clone(), order.clone(), tile, 1).expect("an array"));
            }
        }
        for a in &layouts {
            for b in &layouts {
                same += usize::from(decided(a, b, None).expect("the twin's answer"));
            }
        }
    }
    assert!(same > 10_000, "{same} pairs are the same memory");
}

/// Another layout of some dims, as often as not in the order of the first.
fn relaid(choices: &mut Choices, dims: Vec<i64>, like: &Tiled) -> Tiled {
    let mut order: Vec<usize> = like.minor_to_major().iter().copied().filter(|dim| *dim < dims.len()).collect();
    for dim in 0..dims.len() {
        if !order.contains(&dim) {
            order.insert(0, dim);
        }
    }
    if choices.once_in(3) {
        order.rotate_left(choices.below(dims.len()));
    }
    let mut tiles = like.tiles().to_vec();
    for _ in 0..choices.below(3) {
        match choices.below(5) {
            0 => drop(tiles.pop()),
            1 => tiles.push(vec![Some(choices.of(&[1, 2, 4]))]),
            2 => tiles.insert(0, vec![Some(choices.of(&[1, 2, 3])), Some(choices.of(&[1, 2, 4]))]),
            3 => tiles.push(vec![None, Some(choices.of(&[1, 2, 4, 6]))]),
            _ => {
                if let Some(tile) = tiles.last_mut() {
                    tile.insert(0, choices.of(&[Some(1), None]));
                }
            }
        }
    }
    Tiled::new(dims, order, tiles, choices.of(&[like.tail(), 1])).expect("an array")
}

/// Other dims with as many elements: each split, or joined with the next where the product is a size.
fn reshaped(choices: &mut Choices, dims: &[i64]) -> Vec<i64> {
    let mut result: Vec<i64> = Vec::new();
    for dim in dims {
        let joined = result.last().and_then(|last| last.checked_mul(*dim));
        match (choices.below(4), joined) {
            (0, Some(joined)) => {
                result.pop();
                result.push(joined);
            }
            (1, _) => {
                let part = choices.of(&[2, 1, 3, 4]);
                if dim % part == 0 { result.extend([part, dim / part]) } else { result.push(*dim) }
            }
            _ => result.push(*dim),
        }
    }
    result
}

/// Runs a decision on random arrays; at least one in ten has to be the same.
fn decides(cases: u32, property: impl Fn(&mut Choices, &Tiled) -> Result<bool, String>) {
    let (all, same) = (Cell::new(0), Cell::new(0));
    run(cases, |choices| {
        let a = tiled(choices);
        if a.size().is_ok_and(|size| size > 1 << 12) {
            return Ok(());
        }
        let answer = property(choices, &a)?;
        all.set(all.get() + 1);
        same.set(same.get() + i32::from(answer));
        Ok(())
    });
    assert!(same.get() * 10 > all.get(), "{} of {} are the same", same.get(), all.get());
}

#[test]
fn random_layouts_of_the_same_dims() {
    decides(4000, |choices, a| {
        let b = relaid(choices, a.dims().to_vec(), a);
        decided(a, &b, None)
    });
}

#[test]
fn random_reshapes() {
    decides(4000, |choices, a| {
        let dims = reshaped(choices, a.dims());
        let b = relaid(choices, dims, a);
        decided(a, &b, None)
    });
}

/// Tiles cut merged dims where no digit ends, and repeat only after more than 2^20 elements.
#[test]
fn large_merged_dims() -> Result<(), bitstride::Error> {
    let array = |text: &str| text.parse::<Array>();
    let a = array("f32[40,11010,10007]{2,1,0:T(2,*,4096)}")?;
    let turned = array("f32[11010,40,10007]{2,0,1:T(2,*,4096)}")?;
    assert!(a.same_transposed(&turned, &[1, 0, 2])?.holds());
    for text in ["f32[5,8,11010,10007]{3,2,1,0:T(2,*,4096)}", "f32[40,367,30,10007]{3,2,1,0:T(2,*,*,4096)}"] {
        assert!(a.same_memory(&array(text)?)?.holds(), "{text}");
    }
    for text in ["f32[5,8,11010,10007]{3,2,0,1:T(2,*,4096)}", "f32[40,30,367,10007]{3,1,2,0:T(2,*,*,4096)}"] {
        assert!(!a.same_memory(&array(text)?)?.holds(), "{text}");
    }
    Ok(())
}

#[test]
fn random_transposes() {
    decides(4000, |choices, a| {
        let mut order: Vec<usize> = Vec::new();
        for dim in 0..a.dims().len() {
            order.insert(choices.below(dim + 1), dim);
        }
        let dims: Vec<i64> = order.iter().map(|dim| a.dims()[*dim]).collect();
        // The memory order of a, by the numbers that its dims have in b.
        let moved = a.minor_to_major().iter().filter_map(|dim| order.iter().position(|from| from == dim)).collect();
        let same = Tiled::new(dims.clone(), moved, a.tiles().to_vec(), a.tail()).expect("an array");
        let b = if choices.once_in(2) { same } else { relaid(choices, dims, &same) };
        decided(a, &b, Some(&order))
    });
}

/// Two dims split into several, and a tile that merges them again before it cuts: the same memory as two dims under a
/// plain tile, digits carrying or not, over many periods of the tiles.
#[test]
fn merged_dims_are_the_whole_ones() {
    decides(200, |choices, like| {
        let extents = [[6, 5, 7], [1, 13, 4], [9, 2, 3], [3, 16, 1], [11, 1, 5], [2, 2, 12]];
        let parts = [choices.of(&extents), choices.of(&extents)];
        let cut = [choices.of(&[2, 3, 4, 5, 8, 1]), choices.of(&[3, 2, 4, 6, 1])];
        let later: Vec<_> = like.tiles().iter().skip(1).cloned().collect();
        let merging = vec![None, None, Some(cut[0]), None, None, Some(cut[1])];
        let mut plain = cut.map(Some).to_vec();
        if choices.once_in(4) {
            plain[0] = Some(choices.of(&[2, 3, 4, 6, 9]));
        }
        let tiles = |first| [vec![first], later.clone()].concat();
        let made = |dims: Vec<i64>, tiles| {
            let order = (0..dims.len()).rev().collect();
            Tiled::new(dims, order, tiles, like.tail()).map_err(|error| error.to_string())
        };
        let whole: Vec<i64> = parts.iter().map(|part| part.iter().product()).collect();
        let (a, b) = (made(parts.concat(), tiles(merging))?, made(whole, tiles(plain))?);
        if a.size().is_ok_and(|size| size > 1 << 14) {
            return Ok(false);
        }
        decided(&a, &b, None)
    });
}

/// The index of an element by its number, the last dim fastest.
fn index(dims: &[i64], number: i64) -> Vec<i64> {
    let mut rest = number;
    let mut index: Vec<i64> = dims.iter().rev().map(|dim| (rest % dim, rest /= dim).0).collect();
    index.reverse();
    index
}

/// Beyond what can be listed: the same memories agree at random elements, and no random element before the first
/// difference differs.
#[test]
fn decisions_about_large_arrays() {
    let (all, same, undecided) = (Cell::new(0), Cell::new(0), Cell::new(0));
    run(3000, |choices| {
        let small = tiled(choices);
        let dims: Vec<i64> =
            small.dims().iter().map(|_| choices.of(&[1 << 12, 30_030, 3, 1, 9973, 128, 7, 1 << 18])).collect();
        let a = Tiled::new(dims, small.minor_to_major().to_vec(), small.tiles().to_vec(), small.tail());
        let a = a.map_err(|error| error.to_string())?;
        let dims = if choices.once_in(2) { reshaped(choices, a.dims()) } else { a.dims().to_vec() };
        let b = relaid(choices, dims, &a);
        if too_large(&a) || too_large(&b) {
            return Ok(());
        }
        all.set(all.get() + 1);
        let elements = a.elements().map_err(|error| error.to_string())?;
        let numbers: Vec<i64> = (0..32).map(|_| below(choices, elements)).collect();
        let offsets = |n: i64| [&a, &b].map(|array| array.offset(&index(array.dims(), n)));
        let end = match array(&a).same_memory(&array(&b)) {
            Ok(Sameness::Same) => {
                same.set(same.get() + 1);
                wanted(a.size() == b.size(), || format!("{a} and {b} have other sizes"))?;
                elements
            }
            Ok(Sameness::Size(one, other)) => {
                checked(laws::tiled_size(&a, one))?;
                checked(laws::tiled_size(&b, other))?;
                elements
            }
            Ok(Sameness::Element(first)) => {
                let [one, other] = first.offsets;
                checked(laws::tiled_offset(&a, &first.indices[0], one))?;
                checked(laws::tiled_offset(&b, &first.indices[1], other))?;
                wanted(one != other, || format!("{a} and {b} agree at {:?}", first.indices[0]))?;
                let number = first.indices[0].iter().zip(a.dims()).fold(0, |number, (at, dim)| number * dim + at);
                let second = index(b.dims(), number);
                wanted(second == first.indices[1], || format!("{:?} is {second:?} of {b}", first.indices[0]))?;
                number
            }
            Err(error) if error.code() == Code::Undecided => {
                undecided.set(undecided.get() + 1);
                return Ok(());
            }
            other => return Err(format!("{other:?}, for {a} and {b}")),
        };
        numbers.into_iter().filter(|_| end > 0).try_for_each(|number| {
            let [one, other] = offsets(number % end);
            wanted(one.is_ok() && one == other, || {
                format!("element {} is at {one:?} of {a} and {other:?} of {b}", number % end)
            })
        })
    });
    let (all, same, undecided) = (all.get(), same.get(), undecided.get());
    assert!(same * 10 > all && undecided * 10 < all, "of {all}, {same} are the same and {undecided} undecided");
}
