//! Tiled arrays to try: all small ones, and random ones of any form.

use bitstride_oracle::reference::Tiled;

use super::choice::Choices;

/// The extents of a tile; `None` merges a dim into the next.
pub type Tile = Vec<Option<i64>>;

/// All dims of a rank.
pub fn boxes(rank: usize, extents: std::ops::RangeInclusive<i64>) -> Vec<Vec<i64>> {
    lists(rank, &extents.collect::<Vec<_>>())
}

/// All lists of a length with these entries.
pub fn lists<T: Clone>(length: usize, entries: &[T]) -> Vec<Vec<T>> {
    (0..length).fold(vec![vec![]], |lists, _| {
        let longer = |list: &Vec<T>| -> Vec<Vec<T>> {
            entries.iter().map(|entry| list.iter().chain([entry]).cloned().collect()).collect()
        };
        lists.iter().flat_map(longer).collect()
    })
}

pub fn orders(rank: usize) -> Vec<Vec<usize>> {
    let all = lists(rank, &(0..rank).collect::<Vec<_>>());
    all.into_iter().filter(|order| (0..rank).all(|dim| order.contains(&dim))).collect()
}

/// All tiles of up to three extents among `*`, 1, 2 and 3.
pub fn tiles() -> Vec<Tile> {
    let all = (1..=3).flat_map(|length| lists(length, &[None, Some(1), Some(2), Some(3)]));
    all.filter(|tile| matches!(tile.last(), Some(Some(_)))).collect()
}

/// An array of rank up to 5 under up to three tiles, some longer than its rank.
pub fn tiled(choices: &mut Choices) -> Tiled {
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
