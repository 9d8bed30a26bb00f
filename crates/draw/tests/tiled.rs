//! What tiled arrays look like, and what is refused.

use bitstride::xla::{Array, ElementType, Tile, TileDim};
use bitstride::{Code, Error};
use bitstride_draw::scene::{TiledBy, TiledLook, TiledSubject, TiledView, tiled_picture};
use bitstride_draw::{TextOptions, svg, text};

/// An array of the type, in row-major order, with these tiles; 0 is `*`.
fn array(element: &str, dims: &[i64], tiles: &[&[i64]]) -> Array {
    let mut array = Array::row_major(ElementType::from_name(element).expect("a type"), dims);
    let extent = |n: &i64| if *n == 0 { TileDim::Combine } else { TileDim::Size(*n) };
    array.layout.tiles = tiles.iter().map(|tile| Tile(tile.iter().map(extent).collect())).collect();
    array
}

fn draw(array: &Array, view: TiledView, look: &TiledLook) -> Result<String, Error> {
    let subject = TiledSubject::new("", array)?;
    let options = TextOptions { max_width: 90, max_cells: 256, ..TextOptions::default() };
    Ok(text(&tiled_picture(&[subject], view, look, Some(90))?, &options))
}

/// Checks a picture against the text below the opening quote.
fn check(array: &Array, view: TiledView, look: &TiledLook, expected: &str) {
    let drawn = draw(array, view, look).expect("a picture");
    assert_eq!(drawn, expected.trim_start_matches('\n'), "drawn:\n{drawn}");
}

#[test]
fn print() {
    let all = TiledLook::default();
    for a in [
        array("f32", &[3, 5], &[&[2, 2]]),
        array("f32", &[4, 8], &[&[2, 4], &[2, 1]]),
        array("f32", &[4, 5], &[]),
        array("f32", &[12], &[&[6], &[4]]),
        array("f32", &[2, 2, 5], &[&[2, 0, 3]]),
        array("f32", &[], &[]),
        array("f32", &[0, 5], &[&[2, 2]]),
        array("f32", &[2, 0, 5], &[&[2, 2]]),
        array("f32", &[5, 3], &[&[2, 3], &[2, 1, 1, 1]]),
        array("bf16", &[16, 256], &[&[8, 128], &[2, 1]]),
        array("f32", &[3, 5], &[&[4, 8]]),
        array("f32", &[2, 3, 3, 5], &[&[2, 2]]),
    ] {
        for view in [TiledView::Index, TiledView::Memory] {
            println!("{:?} {:?}\n{}", a.dims, a.layout.tiles, draw(&a, view, &all).expect("drawn"));
        }
    }
}
