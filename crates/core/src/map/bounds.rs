//! [`Bounds`]: lower and upper bounds of every integer of a map, computed from its stages alone.
//!
//! Law: at every point, each integer lies within its bounds. The bounds are exact while a linearise stage reads no two
//! integers that depend on each other, as in layouts without a swizzle.

use super::{Axis, Map, Stage};

impl Map {
    /// Whether bounds of its integers show that every point leads somewhere: no guard makes it padding, no integer leaves
    /// 64 bits, and no xor takes an integer of more bits. `false` where they do not show it.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_layout(&"(33000,40000):(40000,1)".parse()?)?;
    /// assert!(map.is_total());
    /// // The padding of a tile belongs to no element.
    /// let places = Map::of_array(&"f32[3,5]{1,0:T(2,2)}".parse()?)?.inverse()?;
    /// assert!(!places.is_total());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_total(&self) -> bool {
        let within = |(least, most): (i128, i128), extent: i128| least >= 0 && most < extent;
        let mut bounds = Bounds::of(self.domain());
        self.stages().iter().all(|stage| {
            let takes = match stage {
                Stage::Guard { at, extent } => within(bounds.at(*at), i128::from(*extent)),
                Stage::Xor { at, ins, .. } => (*at..).zip(ins).all(|(at, bits)| within(bounds.at(at), 1 << bits)),
                _ => true,
            };
            bounds.stage(stage);
            takes && bounds.0.iter().all(|(least, most)| i64::try_from(*least).is_ok() && i64::try_from(*most).is_ok())
        })
    }
}

/// The least and the greatest of each integer in the row.
#[derive(Clone, Debug)]
pub(super) struct Bounds(Vec<(i128, i128)>);

impl Bounds {
    /// Those of the coordinates of a box.
    pub(super) fn of(axes: &[Axis]) -> Self {
        Bounds(axes.iter().map(|axis| (0, i128::from(axis.extent.max(1)) - 1)).collect())
    }

    /// Those of the coordinates that a map leads to.
    pub(super) fn after(map: &Map) -> Vec<(i128, i128)> {
        let mut bounds = Bounds::of(map.domain());
        map.stages().iter().for_each(|stage| bounds.stage(stage));
        bounds.0
    }

    /// The least and the greatest of an integer.
    pub(super) fn at(&self, place: usize) -> (i128, i128) {
        self.0.get(place).copied().unwrap_or((0, 0))
    }

    /// After one more stage.
    pub(super) fn stage(&mut self, stage: &Stage) {
        match stage {
            Stage::Delinearise { at, radices } => {
                for (place, radix) in (*at..).zip(radices) {
                    let ((least, most), radix) = (self.at(place), i128::from(*radix));
                    let (low, high) = (least.div_euclid(radix), most.div_euclid(radix));
                    let digit =
                        if low == high { (least.rem_euclid(radix), most.rem_euclid(radix)) } else { (0, radix - 1) };
                    self.0.splice(place..=place, [digit, (low, high)]);
                }
            }
            Stage::Linearise { at, count, sums } => {
                let parts = self.0.get(*at..at + count).unwrap_or(&[]);
                let sum = |(offset, strides): &(i64, Vec<i64>)| {
                    strides.iter().zip(parts).fold(
                        (i128::from(*offset), i128::from(*offset)),
                        |bounds, (stride, part)| {
                            let ends = [part.0, part.1].map(|end| end.saturating_mul(i128::from(*stride)));
                            (
                                bounds.0.saturating_add(ends[0].min(ends[1])),
                                bounds.1.saturating_add(ends[0].max(ends[1])),
                            )
                        },
                    )
                };
                let joined: Vec<_> = sums.iter().map(sum).collect();
                self.0.splice(*at..at + count, joined);
            }
            Stage::Xor { at, ins, outs, .. } => {
                let field = |bits: &u32| (0, 1i128.checked_shl(*bits).map_or(i128::MAX, |above| above - 1));
                self.0.splice(*at..at + ins.len(), outs.iter().map(field));
            }
            Stage::Permute(order) => self.0 = order.iter().map(|place| self.at(*place)).collect(),
            Stage::Guard { at, extent } => {
                if let Some((least, most)) = self.0.get_mut(*at) {
                    (*least, *most) = ((*least).max(0), (*most).min(i128::from(*extent) - 1).max(0));
                }
            }
        }
    }
}
