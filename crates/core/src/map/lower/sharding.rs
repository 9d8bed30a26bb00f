//! Lowers a tensor over devices: from the number of a device and the number of an element in its shard to the element.
//!
//! The shard is numbered with its first dim the fastest. Digits of the device and digits of the shard are delinearised, and each dim is
//! the sum of its own; where the last tiles are padded, an index beyond the tensor is padding.

use super::super::{Axis, Direction, Map, Stage, Unit};
use crate::error::{Code, Error};
use crate::linear::Name;
use crate::sharding::{Digits, Sharding};

/// The dim that a digit belongs to, and how far it moves the index there; nothing where it moves none.
type DimStep = Option<(usize, i64)>;

impl Map {
    /// The map of a sharding.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where chunks are uneven, so that shards have different shapes, or where the order of the devices is no
    /// digits; [`Code::Overflow`]; as [`Sharding::devices`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_sharding(&"shard(f32[8,6], P(('b','a'), None), mesh(a=2,b=4))".parse()?)?;
    /// assert_eq!(map.to_string(), "device:8, value:6 -> dim0:8, dim1:6");
    /// assert_eq!(map.at(&[1, 2])?, Some(vec![2, 2]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_sharding(sharding: &Sharding) -> Result<Map, Error> {
        let devices = sharding.devices()?;
        let padded = sharding.padded()?;
        let Some(digits) = Digits::of(&padded) else {
            return Err(error!(
                Code::NotALayout,
                "{sharding} is no map by digits of the device: its shards have different shapes, or its devices an order of no digits",
                [sharding]
            ));
        };
        // The digits of the device and those of the shard, the fastest first: `(weight, radix, dim, weight in the dim)`.
        let mut of_device: Vec<(i64, i64, DimStep)> = Vec::new();
        let mut of_value: Vec<(i64, DimStep)> = Vec::new();
        for (dim, own) in digits.dims.iter().enumerate() {
            for digit in own.iter().rev() {
                match digit.device {
                    Some(weight) => of_device.push((weight, digit.radix, Some((dim, digit.weight)))),
                    None => of_value.push((digit.radix, Some((dim, digit.weight)))),
                }
            }
        }
        of_device.extend(digits.others.iter().map(|digit| (digit.weight, digit.radix, None)));
        of_device.retain(|(_, radix, _)| *radix > 1);
        of_device.sort_unstable_by_key(|(weight, ..)| *weight);
        let values = of_value.iter().try_fold(1i64, |all, (radix, _)| all.checked_mul(*radix));
        let values = values.ok_or_else(|| Error::overflow("the elements of a shard"))?;
        let radices = |all: Vec<i64>| all.split_last().map(|(_, all)| all.to_vec()).unwrap_or_default();
        let (device_radices, value_radices) = (
            of_device.iter().map(|(_, radix, _)| *radix).collect(),
            of_value.iter().map(|(radix, _)| *radix).collect(),
        );
        let first_value = of_device.len().max(1);
        let mut stages = vec![
            Stage::Delinearise { at: 0, radices: radices(device_radices) },
            Stage::Delinearise { at: first_value, radices: radices(value_radices) },
        ];
        let mut placed: Vec<DimStep> = of_device.iter().map(|(.., place)| *place).collect();
        placed.resize(first_value, None);
        placed.extend(of_value.iter().map(|(_, place)| *place));
        placed.resize(first_value + of_value.len().max(1), None);
        let stride = |dim: usize, place: &DimStep| match place {
            Some((own, weight)) if *own == dim => *weight,
            _ => 0,
        };
        let sum = |dim: usize| (0, placed.iter().map(|place| stride(dim, place)).collect());
        stages.push(Stage::Linearise {
            at: 0,
            count: placed.len(),
            sums: (0..sharding.shape().len()).map(sum).collect(),
        });
        for (at, (extent, whole)) in sharding.shape().iter().zip(padded.shape()).enumerate() {
            if extent != whole {
                stages.push(Stage::Guard { at, extent: *extent });
            }
        }
        let axis = |name: &str, extent: i64, unit: Unit| Ok::<_, Error>(Axis { name: Name::new(name)?, extent, unit });
        let domain = vec![axis("device", devices, Unit::Device)?, axis("value", values, Unit::Part)?];
        let codomain = sharding.shape().iter().enumerate().map(|(dim, extent)| Axis::dim(dim, *extent)).collect();
        Map::new(domain, stages, codomain, Direction::ToIndex)
    }

    /// The map from a device and an offset in its memory, in elements, to the element there: the sharding, and inside of each shard the
    /// layout of the array with its tiles. What is padding of tiles or of shards leads nowhere.
    ///
    /// # Errors
    /// As [`Map::of_sharding`], [`Map::of_array`] and [`Map::inverse`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let tiled = "shard(bf16[32,256]{1,0:T(8,128)(2,1)}, P('a', None), mesh(a=2))".parse()?;
    /// let map = Map::of_device_memory(&tiled)?;
    /// assert_eq!(map.to_string(), "device:2, offset:4096 -> dim0:32, dim1:256");
    /// // Pairs of rows share a word.
    /// assert_eq!((map.at(&[1, 0])?, map.at(&[1, 1])?), (Some(vec![16, 0]), Some(vec![17, 0])));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_device_memory(sharding: &Sharding) -> Result<Map, Error> {
        let elements = Map::of_sharding(sharding)?;
        let memory = Map::of_array(&sharding.local_array()?)?;
        let extents: Vec<i64> = memory.domain().iter().map(|axis| axis.extent).collect();
        let inside = memory.inverse()?;
        // The row begins with the device, which the memory leaves alone.
        let mut stages: Vec<Stage> = inside.stages().iter().map(|stage| behind(stage.clone())).collect();
        let mut strides = Vec::new();
        let mut size = 1i64;
        for extent in &extents {
            strides.push(size);
            size = size.checked_mul(*extent).ok_or_else(|| Error::overflow("the elements of a shard"))?;
        }
        stages.push(Stage::Linearise { at: 1, count: extents.len(), sums: vec![(0, strides)] });
        stages.extend(elements.stages().iter().cloned());
        let domain = elements.domain().iter().take(1).chain(inside.domain()).copied().collect();
        Map::new(domain, stages, elements.codomain().to_vec(), Direction::ToIndex)
    }
}

/// The same stage, one place further on.
fn behind(stage: Stage) -> Stage {
    match stage {
        Stage::Delinearise { at, radices } => Stage::Delinearise { at: at + 1, radices },
        Stage::Linearise { at, count, sums } => Stage::Linearise { at: at + 1, count, sums },
        Stage::Xor { at, ins, outs, columns, flip } => Stage::Xor { at: at + 1, ins, outs, columns, flip },
        Stage::Permute(order) => Stage::Permute(std::iter::once(0).chain(order.into_iter().map(|at| at + 1)).collect()),
        Stage::Guard { at, extent } => Stage::Guard { at: at + 1, extent },
    }
}
