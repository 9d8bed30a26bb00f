//! [`Order`]: which device stands at which position of a mesh or a grid of tiles.
//!
//! Law: [`Order::device`] and [`Order::position`] undo each other. A regular order is kept as digits, so that a mesh of a million
//! devices takes no memory.

use crate::cast::{index, length};
use crate::error::{Code, Error};

/// How many devices a list may name, and how many are enumerated where digits do not decide.
pub(super) const MAX_DEVICES: i64 = 1 << 20;

/// An order of devices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Order(Kind);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// All devices in row-major order of `sizes`, read in row-major order after a transpose: `<=[2,4]T(1,0)` of XLA.
    Transposed { sizes: Vec<i64>, dims: Vec<usize> },
    /// One by one, with the position of each.
    Listed { devices: Vec<i64>, positions: Vec<i64> },
}

impl Order {
    /// The devices in their own order.
    ///
    /// # Errors
    /// [`Code::Range`] for a negative number of devices.
    pub fn identity(devices: i64) -> Result<Self, Error> {
        Order::transposed(&[devices], &[0])
    }

    /// The devices in row-major order of some sizes, read in row-major order after a transpose. Sizes of 1 vanish, and
    /// neighbours that stay neighbours are merged, as XLA prints such an order.
    ///
    /// # Errors
    /// [`Code::Range`] for a size below 1, [`Code::OrderNotPermutation`], [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::sharding::Order;
    /// let order = Order::transposed(&[2, 4], &[1, 0])?;
    /// assert_eq!((order.device(1)?, order.position(4)?), (4, 1));
    /// assert_eq!(Order::transposed(&[2, 4], &[0, 1])?, Order::identity(8)?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn transposed(sizes: &[i64], dims: &[usize]) -> Result<Self, Error> {
        if let Some(size) = sizes.iter().find(|size| **size < 1) {
            return Err(error!(Code::Range, "{size} devices along a dim of the mesh; there is at least 1", [size]));
        }
        let mut sorted = dims.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..sizes.len()) {
            return Err(error!(
                Code::OrderNotPermutation,
                "T({dims}) does not name each of {sizes} dims once",
                [dims = list(dims), sizes = sizes.len()]
            ));
        }
        product(sizes)?;
        // The dims that are read one after the other, as runs of neighbours.
        let size = |dim: usize| sizes.get(dim).copied().unwrap_or(1);
        let mut runs: Vec<(usize, usize, i64)> = Vec::new();
        let mut last = None;
        for dim in dims.iter().copied().filter(|dim| size(*dim) > 1) {
            let next = last.map(|last| (last + 1..sizes.len()).find(|dim| size(*dim) > 1));
            match runs.last_mut() {
                Some(run) if next == Some(Some(dim)) => *run = (run.0, dim, run.2 * size(dim)),
                _ => runs.push((dim, dim, size(dim))),
            }
            last = Some(dim);
        }
        let mut sorted: Vec<_> = runs.clone();
        sorted.sort_unstable();
        let dims = runs.iter().map(|run| sorted.iter().position(|other| other == run).unwrap_or(0)).collect();
        let sizes: Vec<i64> = sorted.iter().map(|run| run.2).collect();
        Ok(Order(match sizes.is_empty() {
            true => Kind::Transposed { sizes: vec![1], dims: vec![0] },
            false => Kind::Transposed { sizes, dims },
        }))
    }

    /// The order whose position has these digits, the slowest first, each with how far it moves the number of the device.
    pub(super) fn of_digits(digits: &[(i64, i64)]) -> Result<Self, Error> {
        let mut sorted: Vec<usize> = (0..digits.len()).collect();
        sorted.sort_by_key(|at| std::cmp::Reverse(digits.get(*at).map(|(weight, _)| *weight)));
        let sizes: Vec<i64> = sorted.iter().filter_map(|at| digits.get(*at)).map(|(_, radix)| *radix).collect();
        let place = |at| sorted.iter().position(|other| *other == at).unwrap_or(0);
        let dims: Vec<usize> = (0..digits.len()).map(place).collect();
        if sizes.is_empty() { Order::identity(1) } else { Order::transposed(&sizes, &dims) }
    }

    /// The devices one by one. A list that is the identity is that.
    ///
    /// # Errors
    /// [`Code::OrderNotPermutation`] when a device is there twice or missing, [`Code::TooLarge`].
    ///
    /// ```
    /// use bitstride::sharding::Order;
    /// assert_eq!(Order::listed(&[1, 0, 2])?.position(0)?, 1);
    /// assert!(Order::listed(&[0, 0, 1]).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn listed(devices: &[i64]) -> Result<Self, Error> {
        let count = length(devices.len());
        if count > MAX_DEVICES {
            return Err(error!(
                Code::TooLarge,
                "a list of {count} devices; at most {max_devices} are read",
                [count, max_devices = MAX_DEVICES]
            ));
        }
        let mut positions = vec![-1; devices.len()];
        for (position, device) in devices.iter().enumerate() {
            let place = usize::try_from(*device).ok().and_then(|device| positions.get_mut(device));
            match place {
                Some(place) if *place == -1 => *place = length(position),
                Some(_) => {
                    return Err(error!(
                        Code::OrderNotPermutation,
                        "device {device} is listed twice; each holds one part",
                        [device]
                    ));
                }
                None => {
                    return Err(error!(
                        Code::OrderNotPermutation,
                        "device {device} in a list of {count}: it names 0 to {most} once each",
                        [device, count, most = count - 1]
                    ));
                }
            }
        }
        if devices.iter().copied().eq(0..count) {
            return Order::identity(count.max(1));
        }
        Ok(Order(Kind::Listed { devices: devices.to_vec(), positions }))
    }

    /// How many devices there are.
    pub fn devices(&self) -> i64 {
        match &self.0 {
            Kind::Transposed { sizes, .. } => sizes.iter().product(),
            Kind::Listed { devices, .. } => length(devices.len()),
        }
    }

    /// Whether each device stands at its own number.
    pub fn is_identity(&self) -> bool {
        matches!(&self.0, Kind::Transposed { dims, .. } if dims.len() == 1)
    }

    /// The sizes and the transpose of a regular order; `None` for a list.
    pub fn digits(&self) -> Option<(&[i64], &[usize])> {
        match &self.0 {
            Kind::Transposed { sizes, dims } => Some((sizes, dims)),
            Kind::Listed { .. } => None,
        }
    }

    /// The devices of an order that is a list; none where it is regular.
    pub fn list(&self) -> &[i64] {
        match &self.0 {
            Kind::Transposed { .. } => &[],
            Kind::Listed { devices, .. } => devices,
        }
    }

    /// The device at a position.
    ///
    /// # Errors
    /// [`Code::Range`] beyond the last position.
    pub fn device(&self, position: i64) -> Result<i64, Error> {
        match &self.0 {
            Kind::Listed { devices, .. } => found(devices, position),
            Kind::Transposed { sizes, dims } => {
                within(position, self.devices())?;
                let mut rest = position;
                let mut device = 0;
                for dim in dims.iter().rev() {
                    let size = sizes.get(*dim).copied().unwrap_or(1);
                    device += rest % size * sizes.iter().skip(dim + 1).product::<i64>();
                    rest /= size;
                }
                Ok(device)
            }
        }
    }

    /// The position of a device.
    ///
    /// # Errors
    /// [`Code::Range`] for a device that is not there.
    pub fn position(&self, device: i64) -> Result<i64, Error> {
        match &self.0 {
            Kind::Listed { positions, .. } => found(positions, device),
            Kind::Transposed { sizes, dims } => {
                within(device, self.devices())?;
                let mut position = 0;
                for dim in dims {
                    let size = sizes.get(*dim).copied().unwrap_or(1);
                    let below: i64 = sizes.iter().skip(dim + 1).product();
                    position = position * size + device / below % size;
                }
                Ok(position)
            }
        }
    }
}

/// The product of extents.
pub(super) fn product(sizes: &[i64]) -> Result<i64, Error> {
    let product = sizes.iter().try_fold(1i64, |product, size| product.checked_mul(*size));
    product.ok_or_else(|| Error::overflow("the number of devices"))
}

fn within(number: i64, count: i64) -> Result<(), Error> {
    if (0..count).contains(&number) {
        return Ok(());
    }
    Err(error!(Code::Range, "device {number} of {count}; they are numbered from {least}", [number, count, least = 0]))
}

fn found(list: &[i64], at: i64) -> Result<i64, Error> {
    within(at, length(list.len()))?;
    Ok(list.get(index(at)?).copied().unwrap_or(0))
}

fn list(dims: &[usize]) -> String {
    dims.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}
