//! [`Sharding`]: a tensor with the placement of its elements on devices.
//!
//! Law: the set of a device is the product of one set of indices a dim ([`Sharding::shard`]); every element is on some device,
//! and on several only where a digit of their positions copies or sums. No question visits elements: the sets are runs.

use std::collections::HashMap;

use super::indices::{Indices, MAX_RUNS, Run};
use super::order::MAX_DEVICES;
use super::placement::{Placement, Role, Rule, Spread, unplaced};
use crate::error::{Code, Error};
use crate::xla::{Array, Dim};

/// How a sharding is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Notation {
    /// `{devices=[4,2]<=[2,4]T(1,0)}`, the text of XLA's programs.
    Hlo,
    /// `{mesh['a'=2,'b'=4], [{'b'}, {}]}`, the same with named axes.
    HloMesh,
    /// `P('b', None)` with a mesh, JAX.
    Jax,
    /// `#sdy.sharding<mesh<["a"=2, "b"=4]>, [{"b"}, {}]>`, Shardy.
    Shardy,
    /// `[Replicate(), Shard(0)]` with a mesh, PyTorch.
    DTensor,
}

/// A tensor with the placement of its elements on devices. Two are equal when they hold the same elements by the same rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sharding {
    array: Array,
    shape: Vec<i64>,
    placement: Placement,
    notation: Notation,
}

impl Sharding {
    /// A placement of a tensor.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the placement has another number of dims; [`Code::MissingFact`] for a dim of unknown
    /// extent; [`Code::NotDivisible`] where JAX refuses what does not divide; [`Code::Unplaced`] where all devices are
    /// `unknown`; [`Code::Range`], [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let sharding: Sharding = "shard(f32[8,6], P(('b','a'), None), mesh(a=2,b=4))".parse()?;
    /// assert_eq!(sharding.shard(1)?.map(|dims| dims[0].first()), Some(Some(2)));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(array: Array, mut placement: Placement, notation: Notation) -> Result<Self, Error> {
        let mut shape = Vec::new();
        for dim in &array.dims {
            let Dim::Static(extent) = dim else {
                let message = "the shards of a tensor follow from its extents, and one is known at run time only";
                return Err(Error::new(Code::MissingFact, message));
            };
            if *extent < 0 {
                return Err(error!(Code::Range, "a dim of {extent} elements", [extent]));
            }
            shape.push(*extent);
        }
        let elements =
            shape.iter().filter(|extent| **extent > 0).try_fold(1i64, |all, extent| all.checked_mul(*extent));
        elements.ok_or_else(|| Error::overflow("the number of elements"))?;
        let rank = shape.len();
        match placement.spread {
            // Entries that are left out cut nothing, and so do those beyond the last dim.
            Spread::Mesh
                if notation == Notation::Jax
                    && placement.rules.iter().skip(rank).all(|rule| rule.digits().is_empty()) =>
            {
                placement.rules.resize(rank, Rule::Tiled(Vec::new()));
            }
            Spread::Mesh => {}
            Spread::Everywhere | Spread::Only(_) => placement.rules = vec![Rule::Tiled(Vec::new()); rank],
        }
        if placement.rules.len() != rank {
            return Err(error!(
                Code::RankMismatch,
                "the sharding has {rules} dims, the tensor {rank}",
                [rules = placement.rules.len(), rank]
            ));
        }
        let all_unknown =
            placement.digits.iter().filter(|digit| digit.part.size > 1).all(|digit| digit.role == Role::Unknown);
        if all_unknown && placement.digits.iter().any(|digit| digit.role == Role::Unknown) {
            return Err(unplaced("manual"));
        }
        let sharding = Sharding { array, shape, placement, notation };
        if notation == Notation::Jax {
            sharding.check_divides()?;
        }
        Ok(sharding)
    }

    /// JAX refuses what does not divide at every boundary.
    fn check_divides(&self) -> Result<(), Error> {
        for (dim, extent) in self.shape.iter().enumerate() {
            let tiles = self.placement.tiles(dim)?;
            if extent % tiles != 0 {
                return Err(error!(
                    Code::NotDivisible,
                    "dim {dim} of {extent} elements is cut in {tiles}, which does not divide it",
                    [dim, extent, tiles]
                ).with_help(
                    "JAX refuses it; XLA pads and PyTorch leaves short chunks: write it as HLO or as placements of DTensor",
                ));
            }
        }
        Ok(())
    }

    /// The tensor.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// The extents of the tensor.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// How its dims are cut.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// How it was written.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// How many devices there are.
    ///
    /// # Errors
    /// [`Code::MissingFact`] when the text does not say it.
    pub fn devices(&self) -> Result<i64, Error> {
        self.placement.devices().ok_or_else(|| {
            Error::new(Code::MissingFact, "the text does not say how many devices there are")
                .with_help("write their number behind it: `shard(f32[8], '{replicated}', 8)`")
        })
    }

    /// How many devices there are, where each is looked at.
    pub(super) fn listed_devices(&self) -> Result<i64, Error> {
        let devices = self.devices()?;
        if devices > MAX_DEVICES {
            return Err(error!(
                Code::TooLarge,
                "{devices} devices that no digits describe; at most {max_devices} are compared one by one",
                [devices, max_devices = MAX_DEVICES]
            ));
        }
        Ok(devices)
    }

    /// The same sharding over a given number of devices, where its text says no number.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when it says another one; [`Code::Range`].
    pub fn on(&self, devices: i64) -> Result<Self, Error> {
        Ok(Sharding { placement: self.placement.clone().on(devices)?, ..self.clone() })
    }

    /// What a device holds: the indices of each dim. `None` where it holds nothing at all, as beside `{maximal device=3}`.
    ///
    /// # Errors
    /// [`Code::Range`] for a device that is not there; [`Code::TooLarge`] when a set falls into too many runs.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let sharding: Sharding = "shard(f32[9], [Shard(0), Shard(0)], mesh(2,4))".parse()?;
    /// let sizes = (0..8).map(|device| Ok(sharding.shard(device)?.map_or(0, |dims| dims[0].size())));
    /// assert_eq!(sizes.collect::<Result<Vec<_>, bitstride::Error>>()?, [2, 2, 1, 0, 1, 1, 1, 1]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn shard(&self, device: i64) -> Result<Option<Vec<Indices>>, Error> {
        if let Spread::Only(holder) = self.placement.spread {
            let whole = self.shape.iter().map(|extent| Indices::range(0, *extent)).collect();
            return Ok((device == holder).then_some(whole));
        }
        let coordinates = self.placement.coordinates(device)?;
        let dims = 0..self.shape.len();
        dims.map(|dim| self.indices(dim, &coordinates)).collect::<Result<_, _>>().map(Some)
    }

    /// The indices of a dim at coordinates along the digits.
    pub(super) fn indices(&self, dim: usize, coordinates: &[i64]) -> Result<Indices, Error> {
        let extent = self.shape.get(dim).copied().unwrap_or(0);
        let at = |digit: &usize| coordinates.get(*digit).copied().unwrap_or(0);
        match self.placement.rules.get(dim) {
            None => Ok(Indices::range(0, extent)),
            Some(Rule::Tiled(digits)) => {
                let tile = digits.iter().fold(0, |tile, digit| tile * self.placement.radix(*digit) + at(digit));
                let size = ceil_div(extent, self.placement.tiles(dim)?);
                // A trailing tile may begin behind the last element.
                let start = tile.checked_mul(size).unwrap_or(extent).min(extent);
                Ok(Indices::range(start, start.saturating_add(size).min(extent)))
            }
            Some(Rule::Chunked(steps)) => {
                let mut budget = MAX_RUNS;
                let mut held = Indices::range(0, extent);
                for (digit, factor) in steps {
                    held = piece(&held, *factor, self.placement.radix(*digit), at(digit), &mut budget)?;
                }
                Ok(held)
            }
        }
    }

    /// The indices of a tile of a dim: what the coordinates hold that make its number, the slowest digit first.
    pub(super) fn tile(&self, dim: usize, tile: i64) -> Result<Indices, Error> {
        let mut coordinates = vec![0; self.placement.digits.len()];
        let mut rest = tile;
        for digit in self.placement.rules.get(dim).map(Rule::digits).unwrap_or_default().into_iter().rev() {
            let radix = self.placement.radix(digit);
            if let Some(coordinate) = coordinates.get_mut(digit) {
                *coordinate = rest % radix;
            }
            rest /= radix;
        }
        self.indices(dim, &coordinates)
    }

    /// The extents that a device allocates: XLA, Shardy and JAX pad every tile to the size of the first one, PyTorch does not.
    ///
    /// # Errors
    /// As [`Sharding::shard`].
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let padded: Sharding = "shard(f32[7], '{devices=[4]<=[4]}')".parse()?;
    /// assert_eq!(padded.allocation(3)?, Some(vec![2]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn allocation(&self, device: i64) -> Result<Option<Vec<i64>>, Error> {
        let Some(held) = self.shard(device)? else { return Ok(None) };
        let mut extents = Vec::new();
        for ((dim, rule), held) in self.placement.rules.iter().enumerate().zip(&held) {
            extents.push(match rule {
                Rule::Tiled(_) => ceil_div(self.shape.get(dim).copied().unwrap_or(0), self.placement.tiles(dim)?),
                Rule::Chunked(_) => held.size(),
            });
        }
        Ok(Some(extents))
    }

    /// The text of the sharding in the notation in which it was read, as [`crate::sharding`] reads it again.
    ///
    /// # Errors
    /// [`Code::TooLarge`] for a list of too many devices.
    pub fn text(&self) -> Result<String, Error> {
        let (placement, array) = (&self.placement, &self.array.without_layout());
        let array = match self.array.layout == crate::xla::Layout::row_major(self.shape.len()) {
            true => array.clone(),
            false => self.array.to_string(),
        };
        Ok(match self.notation {
            Notation::Hlo => {
                let count = match placement.spread {
                    Spread::Mesh => String::new(),
                    _ => placement.devices().map(|devices| format!(", {devices}")).unwrap_or_default(),
                };
                let text = super::hlo::HloText::of(placement)?;
                let text = text.readable(self.shape.len(), placement.devices().unwrap_or(1));
                match text.as_str() {
                    "{replicated}" => match placement.devices() {
                        Some(devices) => format!("shard({array}, '{text}', {devices})"),
                        None => format!("shard({array}, '{text}')"),
                    },
                    text => format!("shard({array}, '{text}'{count})"),
                }
            }
            Notation::HloMesh => format!("shard({array}, {})", super::hlo_mesh::written(placement, '"')?),
            Notation::Jax => {
                format!("shard({array}, {}, {})", super::spec::written(placement)?, placement.mesh.text()?)
            }
            Notation::Shardy => format!("shard({array}, {})", super::shardy::written(placement)?),
            Notation::DTensor => {
                format!("shard({array}, {}, {})", super::dtensor::written(placement)?, placement.mesh.text()?)
            }
        })
    }

    /// The tensor that the tiles fill, which has padding where the dims do not divide.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where chunks are uneven; [`Code::Overflow`].
    pub(crate) fn padded(&self) -> Result<Self, Error> {
        let mut shape = Vec::new();
        for (dim, (rule, extent)) in self.placement.rules.iter().zip(&self.shape).enumerate() {
            let tiles = self.placement.tiles(dim)?;
            let is_tiled = matches!(rule, Rule::Tiled(_));
            let padded = ceil_div(*extent, tiles).checked_mul(tiles).filter(|padded| is_tiled || padded == extent);
            let Some(padded) = padded else {
                return Err(error!(
                    Code::NotALayout,
                    "dim {dim} of {extent} elements is cut in {tiles}, so that shards have different shapes",
                    [dim, extent, tiles]
                ));
            };
            shape.push(padded);
        }
        let mut padded = self.clone();
        padded.array.dims = shape.iter().copied().map(Dim::Static).collect();
        padded.shape = shape;
        Ok(padded)
    }

    /// The array that each device has in memory, where all have one of the same extents.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where chunks are uneven; [`Code::Overflow`].
    pub(crate) fn local_array(&self) -> Result<Array, Error> {
        let padded = self.padded()?;
        let dims = padded.allocation(0)?.unwrap_or_default().into_iter().map(Dim::Static).collect();
        Ok(Array { dims, ..padded.array })
    }

    /// The same in words of XLA, where there are `manual` axes and the notation leaves them to the mesh.
    pub(super) fn with_manual_axes(mut self) -> Self {
        let is_manual = self.placement.pending().any(|digit| digit.role == Role::Unknown);
        if is_manual && matches!(self.notation, Notation::Jax | Notation::Shardy) {
            self.notation = Notation::HloMesh;
        }
        self
    }

    /// The tensor with another placement.
    pub(super) fn with(&self, placement: Placement, notation: Notation) -> Result<Self, Error> {
        Sharding::new(self.array.clone(), placement, notation)
    }
}

/// A quotient, rounded up.
fn ceil_div(n: i64, by: i64) -> i64 {
    n / by + i64::from(n % by > 0)
}

/// What a device keeps: the list is cut into `factor` chunks, each chunk into `pieces`, and piece `at` of every chunk is kept,
/// where the last chunk or piece may be short and more may be empty, as `torch.chunk` cuts.
fn piece(held: &Indices, factor: i64, pieces: i64, at: i64, budget: &mut i64) -> Result<Indices, Error> {
    let mut kept = Indices::default();
    let total = held.size();
    if total == 0 {
        return Ok(kept);
    }
    let chunk = ceil_div(total, factor);
    let mut keep = |first: i64, width: i64, count: i64| {
        let size = ceil_div(width, pieces);
        let start = at.checked_mul(size).unwrap_or(width).min(width);
        let end = start.saturating_add(size).min(width);
        match end > start && count > 0 {
            true => {
                let run = Run { start: first + start, length: end - start, stride: chunk, count };
                held.select(run, &mut kept, budget)
            }
            false => Ok(()),
        }
    };
    let whole = total / chunk;
    keep(0, chunk, whole)?;
    if total % chunk > 0 {
        keep(whole * chunk, total % chunk, 1)?;
    }
    Ok(kept)
}

/// The sets of a sharding by device, each computed once.
pub(super) struct Shards<'s> {
    sharding: &'s Sharding,
    /// For each dim the sets by the coordinate along its digits, and the number of each.
    known: Vec<HashMap<i64, usize>>,
    sets: Vec<Vec<Indices>>,
}

impl<'s> Shards<'s> {
    /// Of a sharding of not too many devices.
    pub(super) fn of(sharding: &'s Sharding) -> Result<Self, Error> {
        sharding.listed_devices()?;
        let rank = sharding.shape.len();
        Ok(Shards { sharding, known: vec![HashMap::new(); rank], sets: vec![Vec::new(); rank] })
    }

    /// For each dim the number of the set of a device; `None` where it holds nothing.
    pub(super) fn keys(&mut self, device: i64) -> Result<Option<Vec<usize>>, Error> {
        let placement = &self.sharding.placement;
        let coordinates = match placement.spread {
            Spread::Only(holder) if holder != device => return Ok(None),
            Spread::Only(_) => Vec::new(),
            _ => placement.coordinates(device)?,
        };
        let mut keys = Vec::new();
        for (dim, (known, sets)) in self.known.iter_mut().zip(&mut self.sets).enumerate() {
            let digits = placement.rules.get(dim).map(Rule::digits).unwrap_or_default();
            let at = |digit: &usize| coordinates.get(*digit).copied().unwrap_or(0);
            let tile = digits.iter().fold(0, |tile, digit| tile * placement.radix(*digit) + at(digit));
            keys.push(match known.get(&tile) {
                Some(key) => *key,
                None => {
                    let set = self.sharding.indices(dim, &coordinates)?;
                    let key = sets.len();
                    sets.push(set);
                    known.insert(tile, key);
                    key
                }
            });
        }
        Ok(Some(keys))
    }

    /// The set of a dim by its number.
    pub(super) fn set(&self, dim: usize, key: usize) -> &Indices {
        static NONE: Indices = Indices::NONE;
        self.sets.get(dim).and_then(|sets| sets.get(key)).unwrap_or(&NONE)
    }

    /// How many elements the sets of a device have.
    pub(super) fn size(&self, keys: &[usize]) -> i64 {
        keys.iter().enumerate().map(|(dim, key)| self.set(dim, *key).size()).product()
    }
}
