//! The two definitions of tiled arrays agree: on all small ones, and on random ones of any form.

mod common;

use bitstride::laws;
use bitstride::reference::Tiled;
use common::{Choices, run};

type Tile = Vec<Option<i64>>;

/// All dims of a rank.
fn boxes(rank: usize, extents: std::ops::RangeInclusive<i64>) -> Vec<Vec<i64>> {
    lists(rank, &extents.collect::<Vec<_>>())
}

/// All lists of a length with these entries.
fn lists<T: Clone>(length: usize, entries: &[T]) -> Vec<Vec<T>> {
    (0..length).fold(vec![vec![]], |lists, _| {
        let longer = |list: &Vec<T>| -> Vec<Vec<T>> {
            entries.iter().map(|entry| list.iter().chain([entry]).cloned().collect()).collect()
        };
        lists.iter().flat_map(longer).collect()
    })
}

fn orders(rank: usize) -> Vec<Vec<usize>> {
    let all = lists(rank, &(0..rank).collect::<Vec<_>>());
    all.into_iter().filter(|order| (0..rank).all(|dim| order.contains(&dim))).collect()
}

/// All tiles of up to three extents among `*`, 1, 2 and 3.
fn tiles() -> Vec<Tile> {
    let all = (1..=3).flat_map(|length| lists(length, &[None, Some(1), Some(2), Some(3)]));
    all.filter(|tile| matches!(tile.last(), Some(Some(_)))).collect()
}

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

/// An array of rank up to 5 under up to three tiles, some longer than its rank.
fn array(choices: &mut Choices) -> Tiled {
    let rank = choices.below(6);
    let mut dims = Vec::new();
    let mut order = Vec::new();
    for dim in 0..rank {
        let most = if dims.iter().product::<i64>() > 60 { 3 } else { 13 };
        dims.push(i64::try_from(choices.below(most)).expect("small") + i64::from(!choices.once_in(6)));
        order.insert(choices.below(dim + 1), dim);
    }
    let tiles = (0..choices.below(4)).map(|_| {
        let length = choices.below(rank + 2);
        let front = (0..length).map(|_| choices.of(&[Some(2), None, Some(1), Some(3), None, Some(4), Some(5)]));
        let mut tile: Tile = front.collect();
        tile.push(Some(choices.of(&[2, 1, 3, 4, 6, 8])));
        tile
    });
    let tiles = tiles.collect();
    let tail = choices.of(&[1, 1, 4, 7, 16]);
    Tiled::new(dims, order, tiles, tail).expect("an array")
}

#[test]
fn random_arrays() {
    run(4000, |choices| {
        let array = array(choices);
        if array.size().is_ok_and(|size| size > 1 << 14) {
            return Ok(());
        }
        let text: Result<Tiled, _> = array.to_string().parse();
        if text.as_ref() != Ok(&array) {
            return Err(format!("{array} is read as {text:?}"));
        }
        laws::tiled_offsets(&array).map_err(|broken| broken.to_string())
    });
}
