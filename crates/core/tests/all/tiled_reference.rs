//! The two definitions of tiled arrays agree: on all small ones, and on random ones of any form.

use crate::common::{Tile, boxes, lists, orders, run, tiled, tiles};
use bitstride_oracle::laws;
use bitstride_oracle::reference::Tiled;

#[track_caller]
fn agree(dims: &[i64], order: &[usize], tiles: &[Tile], tail: i64) {
    let array = Tiled::new(dims.to_vec(), order.to_vec(), tiles.to_vec(), tail).expect("an array");
    assert_eq!(laws::tiled_offsets(&array), Ok(()));
}

#[test]
fn all_small_arrays_with_one_tile() {
    let tiles = tiles();
    let mut many = 0;
    for rank in 0..=3 {
        for dims in boxes(rank, 0..=4) {
            for order in orders(rank) {
                agree(&dims, &order, &[], 1);
                for tile in &tiles {
                    agree(&dims, &order, std::slice::from_ref(tile), 1);
                    many += 1;
                }
            }
        }
    }
    assert_eq!(many, 806 * 63);
}

#[test]
fn small_arrays_with_two_tiles() {
    let tiles = tiles();
    let mut many = 0;
    for rank in 0..=2 {
        for dims in boxes(rank, 0..=3) {
            for order in orders(rank) {
                for pair in lists(2, &tiles) {
                    agree(&dims, &order, &pair, 1);
                    many += 1;
                }
            }
        }
    }
    assert_eq!(many, 37 * 63 * 63);
    let pairs = lists(2, &tiles);
    let mut turn = 0;
    for dims in boxes(3, 1..=4) {
        for order in orders(3) {
            // A stride that shares no factor with the number of pairs meets all of them in turn.
            for _ in 0..64 {
                turn = (turn + 1009) % pairs.len();
                agree(&dims, &order, &pairs[turn], i64::try_from(1 + turn % 3).expect("small"));
            }
        }
    }
}

#[test]
fn random_arrays() {
    run(4000, |choices| {
        let array = tiled(choices);
        if array.size().is_ok_and(|size| size > 1 << 14) {
            return Ok(());
        }
        let text: Result<Tiled, _> = array.to_string().parse();
        if text.as_ref() != Ok(&array) {
            return Err(format!("{array} is read as {text:?}"));
        }
        laws::tiled_offsets(&array).map_err(|violation| violation.to_string())
    });
}
