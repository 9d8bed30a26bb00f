//! What each device holds, index by index, from the words of the definitions.

/// XLA, JAX and Shardy: the tensor is padded to a multiple of the tiles; a device holds what is not padding of its tile.
pub fn tile(extent: i64, tiles: i64, at: i64) -> Vec<i64> {
    let size = (extent + tiles - 1) / tiles;
    (0..extent).filter(|index| index / size.max(1) == at).collect()
}

/// `torch.chunk`: pieces of the size of the first one, as many as are needed, and empty ones behind.
pub fn chunk(held: &[i64], pieces: i64) -> Vec<Vec<i64>> {
    let pieces = usize::try_from(pieces).unwrap_or(1);
    let size = held.len().div_ceil(pieces).max(1);
    let mut all: Vec<Vec<i64>> = held.chunks(size).map(<[i64]>::to_vec).collect();
    all.resize(pieces, Vec::new());
    all
}

/// `Shard` and `_StridedShard`: piece `at` of each of `factor` chunks, one after the other.
pub fn strided(held: &[i64], factor: i64, pieces: i64, at: i64) -> Vec<i64> {
    let at = usize::try_from(at).unwrap_or(0);
    chunk(held, factor).iter().flat_map(|part| chunk(part, pieces).swap_remove(at)).collect()
}

/// The devices of `<=[sizes]T(dims)`, in the order of the grid.
pub fn devices(sizes: &[i64], dims: &[usize]) -> Vec<i64> {
    let mut all = vec![vec![]];
    for dim in dims {
        let size = sizes.get(*dim).copied().unwrap_or(1);
        all =
            all.iter().flat_map(|at: &Vec<i64>| (0..size).map(move |next| [at.clone(), vec![next]].concat())).collect();
    }
    let number = |at: &Vec<i64>| {
        let coordinate = |dim: usize| dims.iter().position(|own| *own == dim).and_then(|place| at.get(place)).copied();
        sizes.iter().enumerate().fold(0, |number, (dim, size)| number * size + coordinate(dim).unwrap_or(0))
    };
    all.iter().map(number).collect()
}

/// Who gives each receiver its part of what some devices hold alike, as `(giver, receiver)`: a receiver that holds it gives it to itself;
/// the others are shared out among the holders in blocks that are as equal as they can be, both in their order.
pub fn givers(holders: &[i64], receivers: &[i64]) -> Vec<(i64, i64)> {
    let others: Vec<i64> = receivers.iter().copied().filter(|receiver| !holders.contains(receiver)).collect();
    let mut all: Vec<(i64, i64)> =
        receivers.iter().filter(|receiver| holders.contains(receiver)).map(|own| (*own, *own)).collect();
    let end = |holder: usize| (holder * others.len()).div_ceil(holders.len().max(1));
    for (number, holder) in holders.iter().enumerate() {
        let block = others.get(end(number)..end(number + 1)).unwrap_or_default();
        all.extend(block.iter().map(|receiver| (*holder, *receiver)));
    }
    all
}
