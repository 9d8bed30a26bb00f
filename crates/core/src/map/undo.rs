//! The inverse of a map stage by stage, for maps with padding, which have no normal form.
//!
//! Law: as for [`Map::inverse`]. Delinearise and linearise stages undo each other, where the linearised integers count
//! like digits: each stride is a multiple of all below it. The inverse matrix undoes an XOR stage, and a guard undoes
//! itself.

use super::{Direction, Form, Map, Stage};
use crate::error::Error;
use crate::linear::{Columns, Dim, Dims, LinearLayout, Name};

impl Map {
    /// The inverse by stages; nothing where a stage alone is not undone.
    pub(super) fn undone(&self) -> Result<Option<Map>, Error> {
        let mut extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut undone = Vec::new();
        for stage in self.stages() {
            let Some((back, after)) = undo(stage, &extents) else { return Ok(None) };
            undone.push(back);
            extents = after;
        }
        let stages = undone.into_iter().rev().flatten().collect();
        let direction = match self.direction() {
            Direction::ToPlace => Direction::ToIndex,
            Direction::ToIndex => Direction::ToPlace,
        };
        let map = Map::new(self.codomain().to_vec(), stages, self.domain().to_vec(), direction)?.numbered(self.order());
        Ok(Some(match Form::of(&map) {
            Ok(form) => Map::of_form(&form, map.codomain().to_vec(), direction)?,
            Err(_) => map,
        }))
    }
}

/// The stages that undo one, and the extents after it; before it integers are below these `extents`.
fn undo(stage: &Stage, extents: &[i64]) -> Option<(Vec<Stage>, Vec<i64>)> {
    let mut after = extents.to_vec();
    let guards = |at: usize, extents: &[i64]| -> Vec<Stage> {
        extents.iter().enumerate().map(|(own, extent)| Stage::Guard { at: at + own, extent: *extent }).collect()
    };
    Some(match stage {
        Stage::Guard { at, extent } => {
            let own = after.get_mut(*at)?;
            *own = (*own).min(*extent);
            (guards(*at, &[*own]), after)
        }
        Stage::Permute(order) => {
            let back =
                (0..order.len()).map(|old| order.iter().position(|at| *at == old)).collect::<Option<Vec<_>>>()?;
            let after = order.iter().map(|at| extents.get(*at).copied()).collect::<Option<_>>()?;
            (vec![Stage::Permute(back)], after)
        }
        Stage::Delinearise { at, radices } => {
            let whole = *extents.get(*at)?;
            let (mut digits, mut weights, mut weight) = (Vec::new(), Vec::new(), 1i64);
            for radix in radices {
                digits.push(*radix);
                weights.push(weight);
                weight = weight.checked_mul(*radix)?;
            }
            digits.push(whole.checked_sub(1)?.max(0) / weight + 1);
            weights.push(weight);
            let mut back = guards(*at, &digits);
            back.push(Stage::Linearise { at: *at, count: digits.len(), sums: vec![(0, weights)] });
            back.extend(guards(*at, &[whole]));
            after.splice(at..=at, digits);
            (back, after)
        }
        Stage::Xor { at, ins, outs, columns, flip } => {
            let own = extents.get(*at..at + ins.len())?;
            let sizes = |bits: &[u32]| bits.iter().map(|bits| 1i64.checked_shl(*bits)).collect::<Option<Vec<i64>>>();
            let (wide, tall) = (sizes(ins)?, sizes(outs)?);
            if own.iter().zip(&wide).any(|(extent, size)| extent > size) {
                return None;
            }
            let (columns, flip) = inverse(ins, outs, columns, *flip)?;
            let mut back = guards(*at, &tall);
            back.push(Stage::Xor { at: *at, ins: outs.clone(), outs: ins.clone(), columns, flip });
            back.extend(guards(*at, own));
            after.splice(*at..at + ins.len(), tall);
            (back, after)
        }
        Stage::Linearise { at, count, sums } => {
            let own = extents.get(*at..at + count)?;
            let (back, joined) = split_sums(*at, own, sums)?;
            after.splice(*at..at + count, joined);
            (back, after)
        }
    })
}

/// The inverse of a square matrix over GF(2) followed by an XOR with a constant.
fn inverse(ins: &[u32], outs: &[u32], columns: &[u64], flip: u64) -> Option<(Vec<u64>, u64)> {
    let dims = |bits: &[u32]| {
        bits.iter().enumerate().map(|(at, bits)| Dim { name: Name::dim(at), bits: *bits }).collect::<Dims>()
    };
    let layout = LinearLayout::from_columns(dims(ins), dims(outs), Columns::from_slice(columns)).ok()?;
    let back = layout.invert().ok()?;
    let flip = back.apply_packed(flip);
    Some((back.columns().to_vec(), flip))
}

/// The stages that delinearise sums again, and the extents of the sums.
fn split_sums(at: usize, extents: &[i64], sums: &[(i64, Vec<i64>)]) -> Option<(Vec<Stage>, Vec<i64>)> {
    let (mut back, mut joined) = (Vec::new(), Vec::new());
    // The index of each integer among all digits of the sums.
    let mut found: Vec<Option<usize>> = vec![None; extents.len()];
    let mut place = 0;
    for (offset, strides) in sums {
        let mut terms: Vec<(i64, i64, usize)> = Vec::new();
        for (own, (stride, extent)) in strides.iter().zip(extents).enumerate() {
            if *stride != 0 && *extent > 1 {
                terms.push((*stride, *extent, own));
            }
        }
        terms.sort_unstable();
        // Digits from the fastest; below the first stride nothing is counted.
        let (mut radices, mut parts, mut weight, mut room) = (Vec::new(), vec![1], 1i64, 1i64);
        for (stride, extent, own) in &terms {
            let radix = stride.checked_div(weight).filter(|radix| stride % weight == 0 && *radix >= room)?;
            radices.push(radix);
            if found.get_mut(*own)?.replace(place + parts.len()).is_some() {
                return None;
            }
            parts.push(*extent);
            (weight, room) = (*stride, *extent);
        }
        let at = at + place;
        let minus = offset.checked_neg()?;
        back.push(Stage::Linearise { at, count: 1, sums: vec![(minus, vec![1])] });
        back.push(Stage::Delinearise { at, radices });
        back.extend(parts.iter().enumerate().map(|(own, extent)| Stage::Guard { at: at + own, extent: *extent }));
        let most = terms
            .iter()
            .try_fold(*offset, |most, (stride, extent, _)| most.checked_add(stride.checked_mul(extent - 1)?))?;
        joined.push(most.checked_add(1).filter(|_| *offset >= 0)?);
        place += parts.len();
    }
    let lost = extents.iter().zip(&found).any(|(extent, found)| *extent > 1 && found.is_none());
    if lost {
        return None;
    }
    let unit = |found: &Option<usize>| (0, (0..place).map(|own| i64::from(*found == Some(own))).collect());
    back.push(Stage::Linearise { at, count: place, sums: found.iter().map(unit).collect() });
    Some((back, joined))
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Unit};
    use super::*;

    /// Of every place the point, and of every point its place.
    fn undoes(map: &Map) -> Result<Map, Error> {
        let back = map.undone()?.expect("each stage is undone");
        let sizes = |axes: &[Axis]| axes.iter().map(|axis| axis.extent).collect::<Vec<_>>();
        let mut reached = 0;
        let mut walk = super::super::walk::Walk::new(&sizes(map.domain()));
        while let Some(point) = walk.next() {
            if let Some(place) = map.at(point)? {
                assert_eq!(back.at(&place)?, Some(point.to_vec()), "{map}");
                reached += 1;
            }
        }
        let mut walk = super::super::walk::Walk::new(&sizes(back.domain()));
        while let Some(place) = walk.next() {
            if back.at(place)?.is_some() {
                reached -= 1;
            }
        }
        assert_eq!(reached, 0, "{map}");
        Ok(back)
    }

    #[test]
    fn rows_with_padding_come_back_as_strides() -> Result<(), Error> {
        let axis = |extent| Axis { name: Name::OFFSET, extent, unit: Unit::Element };
        let stages = vec![Stage::Delinearise { at: 0, radices: vec![10] }, Stage::Guard { at: 0, extent: 8 }];
        let dims = vec![Axis::dim(0, 8), Axis::dim(1, 4)];
        let back = undoes(&Map::new(vec![axis(38)], stages, dims, Direction::ToIndex)?)?;
        assert_eq!(back.to_strides()?, (0, vec![1, 10]));
        Ok(())
    }

    #[test]
    fn digits_bits_and_offsets_are_undone() -> Result<(), Error> {
        let axis = |extent| Axis { name: Name::OFFSET, extent, unit: Unit::Element };
        let stages = vec![
            Stage::Delinearise { at: 0, radices: vec![5, 3] },
            Stage::Guard { at: 0, extent: 4 },
            Stage::Permute(vec![2, 0, 1]),
            Stage::Xor { at: 1, ins: vec![2], outs: vec![2], columns: vec![3, 2], flip: 1 },
            Stage::Linearise { at: 0, count: 3, sums: vec![(2, vec![1, 0, 0]), (0, vec![0, 6, 2])] },
        ];
        let dims = vec![Axis::dim(0, 6), Axis::dim(1, 24)];
        undoes(&Map::new(vec![axis(52)], stages, dims, Direction::ToIndex)?)?;
        // Sums of which one integer is in both, or whose digits overlap, are not separated stage by stage.
        for sums in [vec![(0, vec![1, 1])], vec![(0, vec![2, 3])], vec![(0, vec![1, 4]), (0, vec![0, 1])]] {
            let dims = sums.iter().enumerate().map(|(at, _)| Axis::dim(at, 64)).collect();
            let join = vec![Stage::Linearise { at: 0, count: 2, sums }];
            let map = Map::new(vec![axis(4), Axis::dim(1, 4)], join, dims, Direction::ToIndex)?;
            assert_eq!(map.undone()?, None);
        }
        Ok(())
    }
}
