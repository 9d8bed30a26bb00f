//! What XLA's page on tiled layouts states, one test a section: its formulas for all small arrays, and the numbers of its
//! figures and examples.

use crate::common::boxes;
use bitstride::xla::{Array, Image, Place};

fn array(text: &str) -> Array {
    text.parse().expect("an array")
}

fn image(text: &str) -> Image {
    Image::of(&array(text)).expect("an image")
}

fn joined(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// An array with a tile of numbers, in row-major order.
fn tiled(dims: &[i64], tile: &[i64]) -> Image {
    let order: Vec<String> = (0..dims.len()).rev().map(|dim| dim.to_string()).collect();
    image(&format!("f32[{}]{{{}:T({})}}", joined(dims), order.join(","), joined(tile)))
}

/// The page's `linear_index(e, d)`: `e_n d_{n-1}...d_1 + ... + e_1`.
fn linear_index(e: &[i64], d: &[i64]) -> i64 {
    (0..e.len()).map(|at| e[at] * d[at + 1..].iter().product::<i64>()).sum()
}

fn zip(a: &[i64], b: &[i64], f: impl Fn(i64, i64) -> i64) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

fn grid(d: &[i64], t: &[i64]) -> Vec<i64> {
    zip(d, t, |d, t| (d + t - 1) / t)
}

/// All indices of some bounds.
fn indices(d: &[i64]) -> Vec<Vec<i64>> {
    let size: i64 = d.iter().product();
    let index = |mut number: i64| {
        let mut index: Vec<i64> = d.iter().rev().map(|extent| (number % extent, number /= extent).0).collect();
        index.reverse();
        index
    };
    (0..size).map(index).collect()
}

/// Arrays and tiles of as many dims.
fn pairs() -> Vec<(Vec<i64>, Vec<i64>)> {
    let ranks = (1..=3).map(|rank| (boxes(rank, 0..=4), boxes(rank, 1..=3)));
    ranks
        .flat_map(|(dims, tiles)| {
            dims.into_iter().flat_map(move |d| tiles.clone().into_iter().map(move |t| (d.clone(), t)))
        })
        .collect()
}

/// "Tiled formats", figure 1: what lies at each offset, padding included.
#[test]
fn figure_1() {
    let image = image("f32[3,5]{1,0:T(2,2)}");
    let memory: Vec<String> = (0..image.size())
        .map(|offset| match image.place(offset).expect("a place") {
            Place::Element(index) => joined(&index),
            Place::Padding => "-".to_owned(),
        })
        .collect();
    let figure = "0,0 0,1 1,0 1,1  0,2 0,3 1,2 1,3  0,4 - 1,4 -  2,0 2,1 - -  2,2 2,3 - -  2,4 - - -";
    assert_eq!(memory, figure.split_whitespace().collect::<Vec<_>>());
}

/// "Linear index formulas": without tiles, and both forms with a tile.
#[test]
fn linear_index_formulas() {
    for (d, t) in pairs() {
        let plain = image(&array_text(&d));
        let tiled = tiled(&d, &t);
        let tiles = grid(&d, &t);
        for e in indices(&d) {
            assert_eq!(plain.offset(&e), Ok(linear_index(&e, &d)), "{d:?}");
            let (tile, within) = (zip(&e, &t, |e, t| e / t), zip(&e, &t, |e, t| e % t));
            let whole = linear_index(&[&tile[..], &within].concat(), &[&tiles[..], &t].concat());
            let parts = linear_index(&tile, &tiles) * t.iter().product::<i64>() + linear_index(&within, &t);
            assert_eq!((tiled.offset(&e), tiled.offset(&e)), (Ok(whole), Ok(parts)), "{e:?} of {d:?} by {t:?}");
        }
    }
}

fn array_text(d: &[i64]) -> String {
    format!("f32[{}]", joined(d))
}

/// A tile of fewer dims leaves the most major ones as they are.
#[test]
fn a_tile_names_a_suffix() {
    for (d, t) in pairs().into_iter().filter(|(d, _)| d.len() > 1) {
        for short in 1..t.len() {
            let suffix = &t[t.len() - short..];
            let tiled = tiled(&d, suffix);
            let (kept, cut) = d.split_at(d.len() - short);
            assert_eq!(tiled.tiled_dims(), [kept, &grid(cut, suffix), suffix].concat());
            for e in indices(&d) {
                let (front, back) = e.split_at(kept.len());
                let after = [front, &zip(back, suffix, |e, t| e / t), &zip(back, suffix, |e, t| e % t)].concat();
                assert_eq!(
                    tiled.offset(&e),
                    Ok(linear_index(&after, tiled.tiled_dims())),
                    "{e:?} of {d:?} by {suffix:?}"
                );
            }
        }
    }
}

/// The example of figure 1, each number of it.
#[test]
fn the_element_of_figure_1() {
    let image = image("f32[3,5]{1,0:T(2,2)}");
    assert_eq!(image.walk(&[2, 3]), Ok(vec![vec![2, 3], vec![1, 1, 0, 1]]));
    assert_eq!(image.tiled_dims(), [2, 3, 2, 2]);
    assert_eq!(linear_index(&[1, 1], &[2, 3]) * 2 * 2 + linear_index(&[0, 1], &[2, 2]), 17);
    assert_eq!(image.offset(&[2, 3]), Ok(17));
}

/// "Tiling as pad-reshape-transpose": the extents of each of the three, and where an element goes.
#[test]
fn pad_reshape_transpose() {
    for (d, t) in pairs() {
        let tiled = tiled(&d, &t);
        let tiles = grid(&d, &t);
        let padded = zip(&tiles, &t, |tiles, t| tiles * t);
        let broken: Vec<i64> = tiles.iter().zip(&t).flat_map(|(tiles, t)| [*tiles, *t]).collect();
        let moved = [&tiles[..], &t].concat();
        let name = format!("T({})", joined(&t));
        let mut stated = vec![format!("{name}: reshape to [{}]", joined(&broken))];
        if padded != d {
            stated.insert(0, format!("{name}: pad [{}] to [{}]", joined(&d), joined(&padded)));
        }
        if t.len() > 1 {
            let order: Vec<String> = (0..2)
                .flat_map(|part| (0..t.len()).map(move |dim| 2 * dim + part))
                .map(|dim| dim.to_string())
                .collect();
            stated.push(format!("{name}: transpose ({}) to [{}]", order.join(","), joined(&moved)));
        }
        assert_eq!(tiled.pad_reshape_transpose(), stated);
        assert_eq!(tiled.tiled_dims(), moved);
        assert_eq!(tiled.size(), padded.iter().product::<i64>());
        for e in indices(&d) {
            let after = [zip(&e, &t, |e, t| e / t), zip(&e, &t, |e, t| e % t)].concat();
            assert_eq!(tiled.walk(&e).map(|walk| walk[1].clone()), Ok(after));
        }
    }
}

/// "Repeated tiling", figure 2: the number in each cell.
#[test]
fn figure_2() {
    let image = image("f32[4,8]{1,0:T(2,4)(2,1)}");
    let cells: Vec<i64> = indices(&[4, 8]).iter().map(|e| image.offset(e).expect("an offset")).collect();
    let rows = [
        [0, 2, 4, 6, 8, 10, 12, 14],
        [1, 3, 5, 7, 9, 11, 13, 15],
        [16, 18, 20, 22, 24, 26, 28, 30],
        [17, 19, 21, 23, 25, 27, 29, 31],
    ];
    assert_eq!(cells, rows.concat());
}

/// "Combining dimensions using tiles": the dim of a `*` goes from shape and tile, and its extent into the next.
#[test]
fn combined_dimensions() {
    let combined = array("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
    assert!(combined.same_memory(&array("f32[112,110]{1,0:T(2,3)}")).expect("an answer").holds());
    let mut carry = 0;
    for d in boxes(3, 1..=4) {
        for t in boxes(2, 1..=5) {
            let [a, b, c] = d[..] else { unreachable!() };
            let [s, r] = t[..] else { unreachable!() };
            let cases = [
                (format!("{{2,1,0:T(*,{s},{r})}}"), vec![a * b, c]),
                (format!("{{2,1,0:T({s},*,{r})}}"), vec![a, b * c]),
                (format!("{{2,1,0:T(*,*,{r})}}"), vec![a * b * c]),
                (format!("{{2,1,0:T(*,{r})}}"), vec![a, b * c]),
            ];
            for (layout, merged) in cases {
                let own = image(&format!("f32[{}]{layout}", joined(&d)));
                let tile = if layout.starts_with("{2,1,0:T(*,*") || layout.contains(&format!("T(*,{r})")) {
                    &t[1..]
                } else {
                    &t[..]
                };
                let plain = tiled(&merged, tile);
                assert_eq!(own.tiled_dims(), plain.tiled_dims(), "{d:?}{layout}");
                carry += i32::from(own.digits().is_none());
                // Row-major numbers stay, since only neighbours are combined.
                for (e, of_merged) in indices(&d).iter().zip(indices(&merged)) {
                    assert_eq!(own.offset(e), plain.offset(&of_merged), "{e:?} of {d:?}{layout}");
                }
            }
        }
    }
    assert!(carry > 0, "some digits carry");
}

/// "Examples of tiling formats", the small tile: 2x128 takes less memory than 8x128.
#[test]
fn small_tiles_save_memory() {
    let bytes = |text: &str| image(text).bytes().expect("a size");
    assert_eq!(bytes("f32[2,256]{1,0:T(8,128)}"), 4 * bytes("f32[2,256]{1,0:T(2,128)}"));
    assert_eq!(bytes("f32[3,256]{1,0:T(8,128)}"), 2 * bytes("f32[3,256]{1,0:T(4,128)}"));
}

/// The formats for 16 and 8 bits put neighbours of one column into one word of 32 bits.
#[test]
fn packed_columns() {
    for (text, rows) in [("bf16[16,256]{1,0:T(8,128)(2,1)}", 2), ("s8[16,256]{1,0:T(8,128)(4,1)}", 4)] {
        let image = image(text);
        for e in indices(&[16, 256]) {
            let first = image.offset(&[e[0] / rows * rows, e[1]]).expect("an offset");
            assert_eq!(image.offset(&e), Ok(first + e[0] % rows), "{e:?} of {text}");
            assert_eq!(first % rows, 0, "{e:?} of {text}");
        }
    }
}

/// The alternative format for 16 bits: the same position in two tiles, one above the other, is one word.
#[test]
fn packed_tiles() {
    let image = image("bf16[32,256]{1,0:T(8,128)(2,1,1,1)}");
    let bounds: Vec<&[i64]> = image.steps().iter().map(|step| &*step.dims).collect();
    assert_eq!(bounds, [&[4, 2, 8, 128][..], &[2, 2, 8, 128, 2, 1, 1, 1]]);
    for e in indices(&[32, 256]) {
        let upper = image.offset(&[e[0] / 16 * 16 + e[0] % 8, e[1]]).expect("an offset");
        assert_eq!(upper % 2, 0, "{e:?}");
        assert_eq!(image.offset(&e), Ok(upper + e[0] % 16 / 8), "{e:?}");
    }
}

/// Its figure: the element with the red dot.
#[test]
fn the_element_of_the_last_figure() {
    let image = image("bf16[8,8]{1,0:T(2,4)(2,1,1,1)}");
    let walk = vec![vec![6, 5], vec![3, 1, 0, 1], vec![1, 1, 0, 1, 1, 0, 0, 0]];
    assert_eq!(image.walk(&[6, 5]), Ok(walk.clone()));
    let bounds: Vec<&[i64]> = image.steps().iter().map(|step| &*step.dims).collect();
    assert_eq!(bounds, [&[4, 2, 2, 4][..], &[2, 2, 2, 4, 2, 1, 1, 1]]);
    assert_eq!(linear_index(&walk[2], bounds[1]), 2 * 2 * 4 * 2 + 2 * 4 * 2 + 2 + 1);
    assert_eq!(image.offset(&[6, 5]), Ok(51));
}

/// The format of one bit an element.
#[test]
fn bits() {
    let image = image("pred[64,256]{1,0:T(32,128)(32,1)E(1)}");
    assert_eq!((image.size(), image.bytes()), (64 * 256, Ok(64 * 256 / 8)));
    assert_eq!((image.offset(&[0, 0]), image.offset(&[31, 0]), image.offset(&[0, 1])), (Ok(0), Ok(31), Ok(32)));
}
