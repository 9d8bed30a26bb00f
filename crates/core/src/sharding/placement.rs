//! [`Placement`]: how devices share the dims of a tensor, before its extents are known.
//!
//! The position of a device is a number in mixed radix. Each digit of it holds (it cuts a dim), copies, sums, or says nothing.
//! Law: a device holds the product of what the rules of the dims give for its digits.

use std::fmt;

use super::mesh::{Mesh, MeshAxis, Part};
use super::order::{Order, product};
use crate::error::{Code, Error};

/// How summands on several devices become the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Not named: `unreduced` of XLA and Shardy, where the operation that follows decides.
    Unnamed,
    /// By an operation of PyTorch: `sum`, `avg`, `product`, `max`, `min`, `band`, `bor`, `bxor`.
    Named(&'static str),
}

/// The operations of `Partial` in PyTorch.
pub(super) const REDUCTIONS: [&str; 8] = ["sum", "avg", "product", "max", "min", "band", "bor", "bxor"];

/// What a digit of the position does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It cuts a dim.
    Holds,
    /// Devices along it have the same elements.
    Copies,
    /// Devices along it have summands of the same elements.
    Sums(Reduction),
    /// Nothing is said of the devices along it: `manual` of XLA.
    Unknown,
}

impl Role {
    /// The same, where summands whose operation is not named are added, as XLA does.
    pub(super) fn added(&self) -> Self {
        match self {
            Role::Sums(Reduction::Unnamed) => Role::Sums(Reduction::Named("sum")),
            role => role.clone(),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Holds => f.write_str("holds"),
            Role::Copies => f.write_str("copies"),
            Role::Sums(Reduction::Unnamed) => f.write_str("summands"),
            Role::Sums(Reduction::Named(operation)) => write!(f, "summands by {operation}"),
            Role::Unknown => f.write_str("unknown"),
        }
    }
}

/// One digit of the position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlaceDigit {
    /// Which part of which axis of the mesh it is.
    pub part: Part,
    /// What it does.
    pub role: Role,
}

/// How a dim is cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Into tiles of `ceil(n / k)`, of which the last may be short or empty: XLA, Shardy and JAX. The digits, the slowest first.
    Tiled(Vec<usize>),
    /// By one mesh dim after the other, as DTensor cuts: what is left is cut into `factor` chunks, and each chunk into one piece
    /// for each device. Each digit with its factor, which is 1 for `Shard`.
    Chunked(Vec<(usize, i64)>),
}

impl Rule {
    /// The digits that cut the dim.
    pub fn digits(&self) -> Vec<usize> {
        match self {
            Rule::Tiled(digits) => digits.clone(),
            Rule::Chunked(steps) => steps.iter().map(|(digit, _)| *digit).collect(),
        }
    }
}

/// Where elements are at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// On the devices of a mesh.
    Mesh,
    /// Everything on every device, however many there are: `{replicated}` of XLA.
    Everywhere,
    /// Everything on one device: `{maximal device=3}` of XLA.
    Only(i64),
}

/// How devices share the dims of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The devices.
    pub mesh: Mesh,
    /// The digits of the position, row-major; each is part of an axis of the mesh.
    pub digits: Vec<PlaceDigit>,
    /// The rule of each dim.
    pub rules: Vec<Rule>,
    /// Where elements are at all.
    pub spread: Spread,
}

impl Placement {
    /// Everything on every device of any number, or on one device only.
    pub(super) fn whole(spread: Spread) -> Result<Self, Error> {
        Ok(Placement { mesh: Mesh::new(&[])?, digits: Vec::new(), rules: Vec::new(), spread })
    }

    /// A placement in which parts of a mesh cut dims, and others have a role; all that are left copy.
    ///
    /// # Errors
    /// [`Code::Overlap`] when a part is used twice; [`Code::NotDivisible`] when parts of an axis do not nest.
    ///
    /// ```
    /// use bitstride::sharding::{Mesh, Placement, Role};
    /// let mesh = Mesh::new(&[("a", 2), ("b", 4)])?;
    /// let (a, b) = (mesh.axis("a")?, mesh.axis("b")?);
    /// let placement = Placement::named(mesh, &[vec![b, a], vec![]], &[])?;
    /// assert!(placement.digits.iter().all(|digit| digit.role == Role::Holds));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn named(mesh: Mesh, dims: &[Vec<Part>], others: &[(Part, Role)]) -> Result<Self, Error> {
        let used: Vec<Part> = dims.iter().flatten().copied().chain(others.iter().map(|(part, _)| *part)).collect();
        let parts = mesh.cut(&used)?;
        let place = |part: &Part| parts.iter().position(|other| other == part).unwrap_or(0);
        let role = |part: &Part| match others.iter().find(|(other, _)| other == part) {
            Some((_, role)) => role.clone(),
            None if dims.iter().flatten().any(|other| other == part) => Role::Holds,
            None => Role::Copies,
        };
        let digits = parts.iter().map(|part| PlaceDigit { part: *part, role: role(part) }).collect();
        let rules = dims.iter().map(|parts| Rule::Tiled(parts.iter().map(place).collect())).collect();
        Ok(Placement { mesh, digits, rules, spread: Spread::Mesh })
    }

    /// As [`Placement::named`], where nothing is said of the devices along `manual` axes, so that nothing else may name them.
    ///
    /// # Errors
    /// As [`Placement::named`]; [`Code::Overlap`] for a manual axis that has another role.
    pub(super) fn beside_manual(
        mesh: Mesh,
        dims: &[Vec<Part>],
        mut others: Vec<(Part, Role)>,
        manual: &[usize],
    ) -> Result<Self, Error> {
        let mut used = dims.iter().flatten().chain(others.iter().map(|(part, _)| part));
        if let Some(part) = used.find(|part| manual.contains(&part.axis)) {
            return Err(error!(
                Code::Overlap,
                "axis {name} is `Manual` in the mesh, and no sharding may name it",
                [name = mesh.written(*part, '"')]
            )
            .with_help("JAX refuses it; leave the axis out, or make it `Auto` or `Explicit`"));
        }
        // Along an axis of one device there is nothing else to say, as in JAX.
        let is_manual = |(axis, along): &(usize, &MeshAxis)| manual.contains(axis) && along.size > 1;
        for (axis, MeshAxis { size, .. }) in mesh.axes.iter().enumerate().filter(is_manual) {
            others.push((Part { axis, before: 1, size: *size }, Role::Unknown));
        }
        Placement::named(mesh, dims, &others)
    }

    /// How many devices there are, where the text says it.
    pub fn devices(&self) -> Option<i64> {
        (self.spread == Spread::Mesh || !self.mesh.axes.is_empty()).then(|| self.mesh.order.devices())
    }

    /// The radix of a digit.
    pub fn radix(&self, digit: usize) -> i64 {
        self.digits.get(digit).map_or(1, |digit| digit.part.size)
    }

    /// The coordinates of a device along the digits.
    ///
    /// # Errors
    /// [`Code::Range`] for a device that is not there.
    pub fn coordinates(&self, device: i64) -> Result<Vec<i64>, Error> {
        let mut rest = self.mesh.order.position(device)?;
        let mut coordinates = vec![0; self.digits.len()];
        for (coordinate, digit) in coordinates.iter_mut().zip(&self.digits).rev() {
            *coordinate = rest % digit.part.size;
            rest /= digit.part.size;
        }
        Ok(coordinates)
    }

    /// The device at coordinates along the digits.
    ///
    /// # Errors
    /// [`Code::Range`] for coordinates that are not there.
    pub fn device(&self, coordinates: &[i64]) -> Result<i64, Error> {
        let digits = self.digits.iter().zip(coordinates);
        self.mesh.order.device(digits.fold(0, |position, (digit, at)| position * digit.part.size + at))
    }

    /// In how many tiles each dim is cut.
    pub fn tiles(&self, dim: usize) -> Result<i64, Error> {
        let digits = self.rules.get(dim).map(Rule::digits).unwrap_or_default();
        product(&digits.iter().map(|digit| self.radix(*digit)).collect::<Vec<_>>())
    }

    /// The same where all devices are counted: a placement that says no number takes this one.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the placement says another number; [`Code::Range`] for a device beyond it.
    pub(super) fn on(mut self, devices: i64) -> Result<Self, Error> {
        match (self.spread, self.devices()) {
            (_, Some(own)) if own == devices => return Ok(self),
            (_, Some(own)) => {
                return Err(error!(
                    Code::RankMismatch,
                    "the sharding is of {own} devices, not of {devices}",
                    [own, devices]
                ));
            }
            _ => {}
        }
        match self.spread {
            Spread::Only(device) if device >= devices => Err(error!(
                Code::Range,
                "device {device} of {devices}; they are numbered from {least}",
                [device, devices, least = 0]
            )),
            Spread::Only(_) => {
                self.mesh = Mesh::new(&[("0", devices)])?;
                Ok(self)
            }
            Spread::Everywhere | Spread::Mesh => {
                let mesh = Mesh::new(&[("0", devices)])?;
                let digits = vec![PlaceDigit { part: mesh.axis("0")?, role: Role::Copies }];
                Ok(Placement { mesh, digits, ..self })
            }
        }
    }

    /// The roles of digits that do not hold and do not copy.
    pub fn pending(&self) -> impl Iterator<Item = &PlaceDigit> {
        self.digits.iter().filter(|digit| !matches!(digit.role, Role::Holds | Role::Copies))
    }

    /// The order of devices on the mesh.
    pub fn order(&self) -> &Order {
        &self.mesh.order
    }
}

/// The refusal of a text that says nothing of places.
pub(super) fn unplaced(word: &str) -> Error {
    error!(Code::Unplaced, "`{word}` does not say where elements are", [word])
        .with_help("only the program around it knows; write the sharding that the values have there")
}
