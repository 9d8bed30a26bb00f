//! [`Mesh`]: named axes of devices, and the order in which devices stand on them.
//!
//! A part of an axis is one digit of its coordinate: `"b":(2)4` of an axis of 16 is the coordinate divided by 2, modulo 4,
//! where the first 2 counts from the slowest end. Law: parts of one axis that are in use nest in one mixed radix.

use super::order::{Order, product};
use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::text::word;

/// One axis of a mesh.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MeshAxis {
    /// Its name; the axes of a mesh without names are numbered: `0`, `1`.
    pub name: String,
    /// How many devices there are along it.
    pub size: i64,
}

/// Devices in a box of named axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mesh {
    /// The axes, the slowest first.
    pub axes: Vec<MeshAxis>,
    /// Which device stands at which position, counted row-major.
    pub order: Order,
}

/// A part of an axis: a whole axis, or one digit of its coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The axis, by number.
    pub axis: usize,
    /// The product of the slower digits of the axis.
    pub before: i64,
    /// The radix of the digit.
    pub size: i64,
}

impl Mesh {
    /// A mesh whose devices stand in their own order.
    ///
    /// # Errors
    /// As [`Mesh::ordered`].
    ///
    /// ```
    /// use bitstride::sharding::Mesh;
    /// assert_eq!(Mesh::new(&[("a", 2), ("b", 4)])?.order.devices(), 8);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(axes: &[(&str, i64)]) -> Result<Self, Error> {
        let sizes: Vec<i64> = axes.iter().map(|(_, size)| *size).collect();
        if let Some((name, size)) = axes.iter().find(|(_, size)| *size < 1) {
            return Err(error!(Code::Range, "axis {name} has {size} devices; there is at least 1", [name, size]));
        }
        let order = Order::identity(product(&sizes)?)?;
        let axes = axes.iter().map(|(name, size)| MeshAxis { name: (*name).to_owned(), size: *size });
        Mesh::ordered(axes.collect(), order)
    }

    /// A mesh in some order of devices.
    ///
    /// # Errors
    /// [`Code::Range`] for a size below 1, [`Code::DimNamesMismatch`] for a name that is there twice,
    /// [`Code::RankMismatch`] when the devices are not as many as the sizes say, [`Code::Overflow`].
    pub fn ordered(axes: Vec<MeshAxis>, order: Order) -> Result<Self, Error> {
        for (at, axis) in axes.iter().enumerate() {
            if axis.size < 1 {
                return Err(error!(
                    Code::Range,
                    "axis {name} has {size} devices; there is at least 1",
                    [name = axis.name, size = axis.size]
                ));
            }
            if axes.iter().skip(at + 1).any(|other| other.name == axis.name) {
                return Err(error!(Code::DimNamesMismatch, "axis {name} is there twice", [name = axis.name]));
            }
        }
        let devices = product(&axes.iter().map(|axis| axis.size).collect::<Vec<_>>())?;
        if devices != order.devices() {
            return Err(error!(
                Code::RankMismatch,
                "the axes have {devices} positions for {order_devices} devices",
                [devices, order_devices = order.devices()]
            ));
        }
        Ok(Mesh { axes, order })
    }

    /// An axis by name, whole.
    ///
    /// # Errors
    /// [`Code::MissingDim`].
    pub fn axis(&self, name: &str) -> Result<Part, Error> {
        let found = self.axes.iter().position(|axis| axis.name == name);
        let Some((at, axis)) = found.and_then(|at| Some((at, self.axes.get(at)?))) else {
            let names: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
            return Err(error!(
                Code::MissingDim,
                "the mesh has no axis {name}; it has {names}",
                [name, names = names.join(", ")]
            ));
        };
        Ok(Part { axis: at, before: 1, size: axis.size })
    }

    /// A digit of an axis, as Shardy writes it: `"b":(2)4`.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::Range`] for a digit below 1 or of the whole axis; [`Code::NotDivisible`] when the
    /// digits up to this one do not divide the axis.
    pub fn part(&self, name: &str, before: i64, size: i64) -> Result<Part, Error> {
        let whole = self.axis(name)?;
        let text = format!("\"{name}\":({before}){size}");
        if before < 1 || size < 1 {
            return Err(error!(Code::Range, "{text}: both numbers are at least 1", [text]));
        }
        let upto = before.checked_mul(size).filter(|upto| whole.size % upto == 0);
        if upto.is_none() {
            return Err(error!(
                Code::NotDivisible,
                "{text}: {before} times {size} does not divide the axis of {whole_size}",
                [text, before, size, whole_size = whole.size]
            ));
        }
        if size == whole.size || size == 1 {
            let what = if size == 1 { "one device" } else { "the whole axis" };
            return Err(error!(Code::Range, "{text} is {what}, and no part of it", [text, what]));
        }
        Ok(Part { before, size, ..whole })
    }

    /// A part as Shardy writes it.
    pub fn written(&self, part: Part, quote: char) -> String {
        let Some(axis) = self.axes.get(part.axis) else { return String::new() };
        let suffix = match part.size == axis.size {
            true => String::new(),
            false => format!(":({}){}", part.before, part.size),
        };
        format!("{quote}{}{quote}{suffix}", axis.name)
    }

    /// The parts into which the axes are cut so that each part in use is some of them, row-major.
    ///
    /// # Errors
    /// [`Code::Overlap`] when a digit is used twice, [`Code::NotDivisible`] when two parts of an axis do not nest.
    pub(super) fn cut(&self, used: &[Part]) -> Result<Vec<Part>, Error> {
        let repeated = used.iter().enumerate().find(|(at, part)| used.iter().skip(at + 1).any(|other| other == *part));
        if let Some((_, part)) = repeated {
            return Err(self.used_twice(*part));
        }
        let mut parts = Vec::new();
        for (at, axis) in self.axes.iter().enumerate() {
            let mut own: Vec<Part> = used.iter().copied().filter(|part| part.axis == at).collect();
            own.sort_unstable_by_key(|part| (part.before, part.size));
            let mut before = 1;
            for part in own {
                if part.before < before {
                    return Err(self.used_twice(part));
                }
                if part.before % before != 0 {
                    return Err(error!(
                        Code::NotDivisible,
                        "{axis} begins at {part_before} of axis {name}, inside the part that ends at {before}; no digits have both",
                        [axis = self.written(part, '"'), part_before = part.before, name = axis.name, before]
                    ));
                }
                if part.before > before {
                    parts.push(Part { axis: at, before, size: part.before / before });
                }
                parts.push(part);
                before = part.before * part.size;
            }
            if before < axis.size || !used.iter().any(|part| part.axis == at) {
                parts.push(Part { axis: at, before, size: axis.size / before });
            }
        }
        Ok(parts)
    }

    fn used_twice(&self, part: Part) -> Error {
        error!(Code::Overlap, "{axis} is used twice", [axis = self.written(part, '"')])
            .with_help("each axis, or part of one, cuts one dim or is named in one list")
    }

    /// Whether the axes have no names of their own.
    pub fn is_unnamed(&self) -> bool {
        self.axes.iter().enumerate().all(|(at, axis)| axis.name == at.to_string())
    }

    /// The mesh as text: `mesh(a=2,b=4)`, with the devices where they are not in order.
    ///
    /// # Errors
    /// [`Code::TooLarge`] for a list of too many devices.
    ///
    /// ```
    /// use bitstride::sharding::Mesh;
    /// assert_eq!(Mesh::new(&[("a", 2), ("b", 4)])?.text()?, "mesh(a=2,b=4)");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn text(&self) -> Result<String, Error> {
        let is_unnamed = self.is_unnamed();
        let mut all: Vec<String> = Vec::new();
        for axis in &self.axes {
            let is_word = axis.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && word(&axis.name) == axis.name
                && axis.name != "device_ids";
            all.push(match (is_unnamed, is_word) {
                (true, _) => axis.size.to_string(),
                (_, true) => format!("{}={}", axis.name, axis.size),
                _ => format!("\"{}\"={}", axis.name, axis.size),
            });
        }
        if !self.order.is_identity() {
            all.push(format!("device_ids=[{}]", devices_listed(&self.order)?));
        }
        Ok(format!("mesh({})", all.join(",")))
    }
}

/// What the text of a mesh says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MeshText {
    /// Axes of devices.
    Axes(Mesh),
    /// Axes of devices, of which some, by number, are `Manual` in JAX: the program shares elements along them by itself.
    Manual(Mesh, Vec<usize>),
    /// One device, as `<[], device_ids=[3]>` of Shardy.
    Device(i64),
}

impl MeshText {
    /// The axes.
    pub(super) fn axes(self) -> Result<Mesh, Error> {
        match self {
            MeshText::Axes(mesh) => Ok(mesh),
            MeshText::Manual(mesh, manual) => {
                let names = manual.iter().filter_map(|axis| Some(mesh.axes.get(*axis)?.name.as_str()));
                let names = names.collect::<Vec<_>>().join(", ");
                Err(error!(Code::NotALayout, "the mesh has `Manual` axes, {names}, which only JAX has", [names]))
            }
            MeshText::Device(device) => {
                Err(error!(Code::MissingDim, "a mesh of device {device} alone has no axes", [device]))
            }
        }
    }

    /// The axes, and which of them are `Manual`.
    pub(super) fn typed_axes(self) -> Result<(Mesh, Vec<usize>), Error> {
        match self {
            MeshText::Manual(mesh, manual) => Ok((mesh, manual)),
            other => other.axes().map(|mesh| (mesh, Vec::new())),
        }
    }

    /// Reads `mesh(a=2,b=4)`, or what Shardy writes: `<["a"=2, "b"=4], device_ids=[…]>`, perhaps behind `sdy.mesh @mesh =`.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        if reader.take("sdy.mesh") {
            reader.need("@")?;
            reader.scanner.word();
            reader.need("=")?;
        }
        if reader.at("<") {
            return MeshText::read_shardy(reader);
        }
        if !reader.take_word("mesh") {
            return Err(reader.expected("a mesh such as `mesh(a=2,b=4)`"));
        }
        reader.need("(")?;
        let mut axes = Vec::new();
        let mut devices = None;
        reader.python_list(")", |reader| {
            if reader.take_word("device_ids") {
                reader.need("=")?;
                let close = if reader.take("(") { ")" } else { reader.need("[").map(|()| "]")? };
                devices = Some(reader.integers(close, "the number of a device")?);
                return Ok(());
            }
            if devices.is_some() {
                return Err(reader.expected("`)` behind the devices"));
            }
            let name = match reader.at("\"") || reader.at("'") {
                true => reader.quoted("the name of an axis")?.to_owned(),
                false => reader.name()?.unwrap_or_default().to_owned(),
            };
            match name.is_empty() {
                true => {
                    axes.push(MeshAxis { name: axes.len().to_string(), size: reader.integer("an axis such as a=2")? })
                }
                false => {
                    reader.need("=")?;
                    axes.push(MeshAxis { name, size: reader.integer("how many devices the axis has")? });
                }
            }
            Ok(())
        })?;
        MeshText::of_parts(axes, devices)
    }

    /// `<["a"=2, "b"=4], device_ids=[…]>`
    pub(super) fn read_shardy(reader: &mut Reader<'_>) -> Result<Self, Error> {
        reader.need("<")?;
        reader.need("[")?;
        let axes = MeshText::read_axes(reader)?;
        let mut devices = None;
        if reader.take(",") {
            if !reader.take_word("device_ids") {
                return Err(reader.expected("`device_ids=[…]`"));
            }
            reader.need("=")?;
            reader.need("[")?;
            devices = Some(reader.integers("]", "the number of a device")?);
        }
        reader.need(">")?;
        MeshText::of_parts(axes, devices)
    }

    /// `"a"=2, "b"=4]`
    pub(super) fn read_axes(reader: &mut Reader<'_>) -> Result<Vec<MeshAxis>, Error> {
        reader.list("]", |reader| {
            let name = reader.quoted("the name of an axis in quotes")?.to_owned();
            reader.need("=")?;
            Ok(MeshAxis { name, size: reader.integer("how many devices the axis has")? })
        })
    }

    pub(super) fn of_parts(axes: Vec<MeshAxis>, devices: Option<Vec<i64>>) -> Result<Self, Error> {
        let sizes: Vec<i64> = axes.iter().map(|axis| axis.size).collect();
        let order = match devices.as_deref() {
            Some([device]) if axes.is_empty() => {
                return match *device < 0 {
                    true => Err(error!(
                        Code::Range,
                        "device {device}; devices are numbered from {least}",
                        [device, least = 0]
                    )),
                    false => Ok(MeshText::Device(*device)),
                };
            }
            Some(devices) if sizes.iter().all(|size| *size > 0) => Order::listed(devices)?,
            // A size below 1 is refused with its axis.
            _ if sizes.iter().any(|size| *size < 1) => Order::identity(1)?,
            _ => Order::identity(product(&sizes)?)?,
        };
        Mesh::ordered(axes, order).map(MeshText::Axes)
    }
}

/// The devices of an order one by one, with commas between them.
pub(super) fn devices_listed(order: &Order) -> Result<String, Error> {
    let count = order.devices();
    if count > super::indices::MAX_RUNS {
        return Err(error!(
            Code::TooLarge,
            "a list of {count} devices; at most {limit} are written",
            [count, limit = super::indices::MAX_RUNS]
        ));
    }
    let devices = (0..count).map(|position| order.device(position).map(|device| device.to_string()));
    Ok(devices.collect::<Result<Vec<_>, _>>()?.join(","))
}
