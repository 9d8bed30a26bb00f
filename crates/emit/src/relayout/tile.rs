//! How large a tile is along each axis.
//!
//! Law: both sides of a tile have runs of one length, but where an axis ends or is taken whole, and the tile has no more bytes than
//! it may.

use super::schedule::Level;

/// The bytes that a tile has along either side, where there are as many.
const RUN_BYTES: i64 = 128;

/// The bytes of a tile without its gaps, at most.
const MAX_TILE_BYTES: i64 = 40 << 10;

/// Gives a tile steps along both sides. A run is doubled on both sides or on neither, since short runs are slow; but an axis that was
/// taken whole stays so, as its parts would begin inside of sectors.
pub(super) fn tile(levels: &mut [Level], unit: i64, bytes: i64) {
    let mut run = RUN_BYTES;
    while run <= bytes {
        let before = levels.to_vec();
        let is_within = [1, 0].map(|side| grow(levels, side, unit, run, bytes)) == [true; 2];
        if !is_within {
            if run > RUN_BYTES {
                let parts = levels.iter_mut().zip(&before).filter(|(level, _)| level.tile < level.count);
                parts.for_each(|(level, before)| level.tile = before.tile);
            }
            return;
        }
        run *= 2;
    }
}

/// Gives a tile steps that are near each other on a side, up to a run and a size of a given number of bytes; whether the size
/// has room for that run.
pub(super) fn grow(levels: &mut [Level], side: usize, unit: i64, run: i64, bytes: i64) -> bool {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by_key(|at| levels[*at].reach(side));
    let mut together = unit;
    for at in order {
        while levels[at].tile < levels[at].count && together.saturating_mul(levels[at].tile) < run {
            let size = levels.iter().map(|level| level.tile).fold(unit, i64::saturating_mul);
            let level = levels[at];
            // Short axes are taken whole, and others where few steps would be left; a whole axis is worth a larger tile.
            let is_whole = level.count <= 8 || level.tile.saturating_mul(4) > level.count;
            let (next, most) =
                if is_whole { (level.count, (bytes + bytes / 2).min(MAX_TILE_BYTES)) } else { (level.tile * 2, bytes) };
            if size / level.tile * next > most {
                return false;
            }
            levels[at].tile = next;
        }
        if levels[at].tile < levels[at].count {
            return true;
        }
        together = together.saturating_mul(levels[at].tile);
    }
    true
}
