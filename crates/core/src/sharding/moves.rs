//! [`Moves`]: which elements go from which device to which, so that one sharding becomes another.
//!
//! The source cuts the tensor into cells, each of which one device or several replicas hold. A piece is what a device gets of a
//! cell: a product of runs of positions, in the local tensor of the sender and in that of the receiver. Law: each element that a
//! device holds afterwards comes in one piece, from the device itself where it held it before; so what a device receives from others
//! is the bound of [`Reshard`](super::Reshard). Summands come in one piece for each of them, in one order on all devices, and are combined.

use std::collections::HashMap;

use super::compare::aligned;
use super::indices::{Indices, Segment};
use super::placement::{Reduction, Role};
use super::reshard::has_summands;
use super::tensor::{Sharding, Shards};
use crate::error::{Code, Error};

/// How many steps finding the pieces may take, and how many pieces there may be.
const MAX_STEPS: i64 = 1 << 24;

/// The most pieces that are listed.
const MAX_PIECES: usize = 1 << 20;

/// What a device gets from one device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The device that gives it.
    pub source: i64,
    /// The device that gets it, which may be the same.
    pub target: i64,
    /// Its positions along each dim, by number in [`Moves::segments`].
    pub dims: Vec<usize>,
}

/// Which elements go where. Local tensors have just the elements that a device holds, without padding, in the order of the indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moves {
    /// The extents of the local tensor of each device before; `None` where it holds nothing.
    pub before: Vec<Option<Vec<i64>>>,
    /// The same afterwards.
    pub after: Vec<Option<Vec<i64>>>,
    /// Positions along one dim that the pieces name: the product over the dims is the piece.
    pub segments: Vec<Vec<Segment>>,
    /// The pieces, by receiver.
    pub pieces: Vec<Piece>,
    /// The operation by which the pieces that come to one place are combined, as PyTorch names it: `sum`.
    pub reduction: Option<&'static str>,
    /// How many pieces are combined at each place: how many summands a value has; 1 where there are none.
    pub summands: i64,
}

impl Moves {
    /// How many elements a piece has.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[8,8], P('a', None), mesh(a=2))".parse()?;
    /// let after: Sharding = "shard(f32[8,8], P(None, 'a'), mesh(a=2))".parse()?;
    /// let moves = before.moves(&after)?;
    /// let sizes = moves.pieces.iter().map(|piece| (piece.source, piece.target, moves.size(piece)));
    /// assert!(sizes.eq([(0, 0, 16), (1, 0, 16), (0, 1, 16), (1, 1, 16)]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn size(&self, piece: &Piece) -> i64 {
        let along = |dim: &usize| self.segments.get(*dim).map_or(0, |segments| segments.iter().map(|s| s.size()).sum());
        piece.dims.iter().map(along).product::<i64>()
    }
}

impl Sharding {
    /// Which elements go where, so that this sharding becomes another one of the same tensor.
    ///
    /// # Errors
    /// As [`Sharding::reshard`]; [`Code::NotALayout`] where values become summands, or two operations combine summands;
    /// [`Code::TooLarge`] for too many pieces or runs; [`Code::Overflow`] where a device sends more than 2^63 - 1 elements.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[9], [Shard(0)], mesh(2))".parse()?;
    /// let after: Sharding = "shard(f32[9], [Replicate()], mesh(2))".parse()?;
    /// let moves = before.moves(&after)?;
    /// assert_eq!((moves.before, moves.pieces.len()), (vec![Some(vec![5]), Some(vec![4])], 4));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn moves(&self, target: &Sharding) -> Result<Moves, Error> {
        let plan = self.reshard(target)?;
        let [source, target] = aligned(self, target)?;
        if !has_summands(&source) && has_summands(&target) {
            let message = "values become summands: which device keeps the value, and which gets zeros, is not said";
            return Err(Error::new(Code::NotALayout, message).with_help("declare the values summands where they are"));
        }
        let reduction = match has_summands(&source) && !has_summands(&target) {
            true => Some(reduction(&source)?),
            false => None,
        };
        let summands = if reduction.is_some() { all_summands(&source)? } else { Vec::new() };
        let (held, mut after) = (Cells::of(&source)?, Shards::of(&target)?);
        let mut search = Search { budget: MAX_STEPS, met: HashMap::new(), segments: Vec::new() };
        let mut sent = vec![0i64; held.keys.len()];
        let mut pieces = Vec::new();
        let extents = |shards: &Shards<'_>, keys: &Option<Vec<usize>>| {
            let size = |(dim, key): (usize, &usize)| shards.set(dim, *key).size();
            keys.as_ref().map(|keys| keys.iter().enumerate().map(size).collect::<Vec<i64>>())
        };
        let mut shapes = Vec::new();
        for device in 0..plan.devices {
            crate::cancel::checkpoint();
            let keys = if device < target.devices()? { after.keys(device)? } else { None };
            shapes.push(extents(&after, &keys));
            let Some(keys) = keys else { continue };
            let mut cells = vec![(Vec::new(), Vec::new(), 1i64)];
            for (dim, key) in keys.iter().enumerate() {
                let met = search.met(&held.shards, dim, *key, after.set(dim, *key))?;
                search.spend(crate::cast::length(cells.len()).saturating_mul(crate::cast::length(met.len())))?;
                let longer = |(cell, dims, size): &(Vec<usize>, Vec<usize>, i64)| {
                    let with = |(own, segments, count): &(usize, usize, i64)| {
                        ([cell.as_slice(), &[*own]].concat(), [dims.as_slice(), &[*segments]].concat(), size * count)
                    };
                    met.iter().map(with).collect::<Vec<_>>()
                };
                cells = cells.iter().flat_map(longer).collect();
            }
            for (cell, dims, size) in cells {
                let givers = match reduction {
                    Some(_) => {
                        search.spend(crate::cast::length(summands.len()))?;
                        let giver = |own: &Vec<i64>| held.giver(&cell, own, device, &sent);
                        summands.iter().map(giver).collect::<Result<_, _>>()?
                    }
                    None => vec![held.giver(&cell, &own_summands(&source, device)?, device, &sent)?],
                };
                for giver in givers {
                    if let Some(sent) = usize::try_from(giver).ok().and_then(|giver| sent.get_mut(giver))
                        && giver != device
                    {
                        *sent = sent.checked_add(size).ok_or_else(|| Error::overflow("what a device sends"))?;
                    }
                    pieces.push(Piece { source: giver, target: device, dims: dims.clone() });
                }
                if pieces.len() > MAX_PIECES {
                    return Err(Error::new(Code::TooLarge, format!("more than {MAX_PIECES} pieces move")));
                }
            }
        }
        let mut before: Vec<_> = held.keys.iter().map(|keys| extents(&held.shards, keys)).collect();
        before.resize(shapes.len(), None);
        let summands = crate::cast::length(summands.len()).max(1);
        Ok(Moves { before, after: shapes, segments: search.segments, pieces, reduction, summands })
    }
}

/// The operation by which summands become values.
fn reduction(source: &Sharding) -> Result<&'static str, Error> {
    let refused = |message: &str| {
        Err(Error::new(Code::NotALayout, message)
            .with_help("reduce the summands of one operation first, to values or shards"))
    };
    let mut operations =
        source.placement().pending().filter(|digit| digit.part.size > 1).map(|digit| digit.role.added());
    match (operations.next(), operations.next()) {
        (Some(first), Some(second)) if first != second => refused("two operations combine the summands"),
        (Some(Role::Sums(Reduction::Named(operation))), _) => Ok(operation),
        _ => refused("the operation that combines the summands is not known"),
    }
}

/// The coordinates of all summands of a value, along the digits that sum.
fn all_summands(source: &Sharding) -> Result<Vec<Vec<i64>>, Error> {
    let count = super::reshard::summands_of(source);
    if count > MAX_STEPS {
        return Err(Error::new(Code::TooLarge, format!("{count} summands of each value")));
    }
    let sums = source.placement().digits.iter().filter(|digit| matches!(digit.role, Role::Sums(_)));
    let mut all = vec![Vec::new()];
    for digit in sums {
        let longer =
            |own: &Vec<i64>| (0..digit.part.size).map(|at| [own.as_slice(), &[at]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

/// The cells of a source, with the devices that hold each.
struct Cells<'s> {
    sharding: &'s Sharding,
    shards: Shards<'s>,
    /// The cell of each device.
    keys: Vec<Option<Vec<usize>>>,
    /// The devices of a cell that have the same summands of it.
    holders: HashMap<(Vec<usize>, Vec<i64>), Vec<i64>>,
}

impl<'s> Cells<'s> {
    fn of(sharding: &'s Sharding) -> Result<Self, Error> {
        let mut shards = Shards::of(sharding)?;
        let (mut keys, mut holders) = (Vec::new(), HashMap::<_, Vec<i64>>::new());
        for device in 0..sharding.devices()? {
            crate::cancel::checkpoint();
            let own = shards.keys(device)?;
            if let Some(own) = &own {
                holders.entry((own.clone(), own_summands(sharding, device)?)).or_default().push(device);
            }
            keys.push(own);
        }
        Ok(Cells { sharding, shards, keys, holders })
    }

    /// The device at the coordinates of a device, but for given ones along the digits that sum.
    fn beside(&self, summands: &[i64], device: i64) -> Result<i64, Error> {
        if summands.is_empty() || device >= crate::cast::length(self.keys.len()) {
            return Ok(device);
        }
        let placement = self.sharding.placement();
        let mut coordinates = placement.coordinates(device)?;
        let sums =
            coordinates.iter_mut().zip(&placement.digits).filter(|(_, digit)| matches!(digit.role, Role::Sums(_)));
        sums.zip(summands).for_each(|((own, _), at)| *own = *at);
        placement.device(&coordinates)
    }

    /// Who gives the summands of a cell to a device: itself, the one that stands beside it along the digits that sum, so that devices
    /// that combine the same summands are groups, or the holder that has sent least so far.
    fn giver(&self, cell: &[usize], summands: &[i64], device: i64, sent: &[i64]) -> Result<i64, Error> {
        let beside = self.beside(summands, device)?;
        let holders = self.holders.get(&(cell.to_vec(), summands.to_vec())).map_or(&[][..], Vec::as_slice);
        let load = |holder: &&i64| usize::try_from(**holder).ok().and_then(|holder| sent.get(holder)).copied();
        let found = holders.iter().find(|holder| **holder == beside).or_else(|| holders.iter().min_by_key(load));
        found
            .copied()
            .ok_or_else(|| Error::new(Code::Undecided, format!("no device holds a part of what device {device} needs")))
    }
}

/// Which summands a device has: its coordinates along the digits that sum; none of a device that the source does not have.
fn own_summands(sharding: &Sharding, device: i64) -> Result<Vec<i64>, Error> {
    let placement = sharding.placement();
    if !has_summands(sharding) || device >= sharding.devices()? {
        return Ok(Vec::new());
    }
    let coordinates = placement.coordinates(device)?;
    let digits = coordinates.into_iter().zip(&placement.digits);
    Ok(digits.filter(|(_, digit)| matches!(digit.role, Role::Sums(_))).map(|(at, _)| at).collect())
}

/// The sets of a source that a set of the target meets: the number of the set, that of the segments, and the elements of these.
type Met = Vec<(usize, usize, i64)>;

/// What sets of source and target have in common, each pair found once.
struct Search {
    budget: i64,
    met: HashMap<(usize, usize), Met>,
    segments: Vec<Vec<Segment>>,
}

impl Search {
    fn met(&mut self, source: &Shards<'_>, dim: usize, key: usize, wanted: &Indices) -> Result<Met, Error> {
        if let Some(met) = self.met.get(&(dim, key)) {
            return Ok(met.clone());
        }
        let mut all = Vec::new();
        for (own, set) in source.sets(dim).iter().enumerate() {
            self.spend(1)?;
            let segments = set.meet(wanted, &mut self.budget)?;
            if segments.is_empty() {
                continue;
            }
            all.push((own, self.segments.len(), segments.iter().map(|segment| segment.size()).sum()));
            self.segments.push(segments);
        }
        self.met.insert((dim, key), all.clone());
        Ok(all)
    }

    fn spend(&mut self, steps: i64) -> Result<(), Error> {
        self.budget = self.budget.saturating_sub(steps);
        match self.budget >= 0 {
            true => Ok(()),
            false => Err(Error::new(Code::TooLarge, format!("finding what moves takes more than {MAX_STEPS} steps"))),
        }
    }
}
