//! [`Devices`]: the devices of a mesh, as programs make them and as they are printed.
//!
//! | text | what it says |
//! |---|---|
//! | `[[0, 1], [2, 3]]`, `array([[CpuDevice(id=0), CpuDevice(id=1)]], dtype=object)` | their numbers, one by one |
//! | `np.arange(8).reshape(2, 4)`, `torch.arange(8).view(2, -1)` | numbers in order |
//! | `np.array(jax.devices()).reshape(2, 4)`, `jax.devices()[:8]` | those of the machine, numbered from 0 in its order |
//! | `mesh_utils.create_device_mesh((2, 4))` | those that a library places; they are numbered by their positions |
//!
//! Law: the numbers lie row-major in the sizes of the last `reshape`.

use super::order::product;
use crate::cast::length;
use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::text::MAX_DEPTH;

/// Devices in a box.
pub(super) struct Devices {
    /// How many there are along each axis, if that is said.
    pub(super) sizes: Option<Vec<i64>>,
    /// Their numbers, where they do not stand in order.
    pub(super) numbers: Option<Vec<i64>>,
}

impl Devices {
    /// Reads them at the reader's place.
    ///
    /// # Errors
    /// A syntax error; [`Code::RankMismatch`] for sizes that hold another number of devices.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        Devices::within(reader, 0)
    }

    fn within(reader: &mut Reader<'_>, depth: usize) -> Result<Self, Error> {
        if depth == MAX_DEPTH {
            return Err(reader.expected("the number of a device"));
        }
        let mut devices = match reader.at("[") {
            true => Devices::listed(reader)?,
            false => Devices::called(reader, depth)?,
        };
        loop {
            if reader.take("[:") {
                let count = reader.integer("how many devices")?;
                reader.need("]")?;
                devices = devices.first(count)?;
            } else if reader.take(".reshape(") || reader.take(".view(") {
                let is_tuple = reader.take("(");
                let sizes = reader.python_list(")", |reader| reader.integer("a size"))?;
                if is_tuple {
                    reader.take(",");
                    reader.need(")")?;
                }
                devices = devices.reshaped(sizes)?;
            } else {
                return Ok(devices);
            }
        }
    }

    /// What a function of NumPy, PyTorch or JAX makes.
    fn called(reader: &mut Reader<'_>, depth: usize) -> Result<Self, Error> {
        const WANTED: &str = "devices such as `[[0, 1], [2, 3]]` or `np.arange(8).reshape(2, 4)`";
        let before = reader.scanner.at;
        let devices = match reader.callee() {
            Some("array" | "asarray" | "tensor") => Devices::within(reader, depth + 1)?,
            Some("arange" | "range") => {
                let count = reader.integer("how many devices")?;
                Devices { sizes: Some(vec![count]), numbers: None }
            }
            Some("devices") => Devices { sizes: None, numbers: None },
            Some("create_device_mesh") => {
                reader.keyword()?;
                reader.need("(")?;
                Devices { sizes: Some(reader.python_list(")", |reader| reader.integer("a size"))?), numbers: None }
            }
            _ => {
                reader.scanner.at = before;
                return Err(reader.expected(WANTED));
            }
        };
        // The type of the elements, the kind of the devices: nothing that says which there are.
        while !reader.take(")") {
            reader.take(",");
            match reader.keyword()? {
                Some("dtype" | "allow_split_physical_axes" | "contiguous_submeshes") => reader.pass_value()?,
                None if reader.at("'") || reader.at("\"") => reader.pass_value()?,
                Some("devices") => {
                    // Others than all of the machine's would be other numbers.
                    let named = Devices::within(reader, depth + 1)?;
                    if named.sizes.is_some() || named.numbers.is_some() {
                        return Err(reader.expected("all devices: a list of some is written as it is"));
                    }
                }
                _ => return Err(reader.expected("`)`")),
            }
        }
        Ok(devices)
    }

    /// A list of numbers or of printed devices, or of lists of one shape.
    fn listed(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mut numbers = Vec::new();
        let sizes = level(reader, 0, &mut numbers)?;
        Ok(Devices { sizes: Some(sizes), numbers: Some(numbers) })
    }

    /// Those before the given one.
    fn first(self, count: i64) -> Result<Self, Error> {
        let numbers =
            self.numbers.map(|numbers| numbers.into_iter().take(usize::try_from(count).unwrap_or(0)).collect());
        match self.sizes.as_deref() {
            None => Ok(Devices { sizes: Some(vec![count]), numbers }),
            Some([all]) if (0..=*all).contains(&count) => Ok(Devices { sizes: Some(vec![count]), numbers }),
            Some(sizes) => Err(other_count(count, sizes)),
        }
    }

    /// The same in a box of other sizes, of which one may be `-1`.
    fn reshaped(self, mut sizes: Vec<i64>) -> Result<Self, Error> {
        let count = self.sizes.as_deref().map(product).transpose()?;
        if let Some(open) = sizes.iter().position(|size| *size == -1) {
            let others: Vec<i64> =
                sizes.iter().copied().enumerate().filter(|(at, _)| *at != open).map(|(_, n)| n).collect();
            let others = product(&others)?;
            let Some(count) = count.filter(|count| others > 0 && count % others == 0) else {
                return Err(Error::new(Code::NeedsShape, "the size -1 needs the number of devices")
                    .with_help("write all sizes, such as `.reshape(2, 4)`"));
            };
            if let Some(size) = sizes.get_mut(open) {
                *size = count / others;
            }
        }
        match &self.sizes {
            Some(before) if Some(product(&sizes)?) != count => Err(other_count(product(&sizes)?, before)),
            _ => Ok(Devices { sizes: Some(sizes), numbers: self.numbers }),
        }
    }
}

fn other_count(count: i64, sizes: &[i64]) -> Error {
    let sizes = sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    error!(Code::RankMismatch, "{count} devices of a box of ({sizes})", [count, sizes])
}

/// A list of numbers, or of lists of one shape; its shape.
fn level(reader: &mut Reader<'_>, depth: usize, numbers: &mut Vec<i64>) -> Result<Vec<i64>, Error> {
    reader.need("[")?;
    if depth == MAX_DEPTH {
        return Err(reader.expected("the number of a device"));
    }
    let shapes = reader.python_list("]", |reader| match reader.at("[") {
        true => level(reader, depth + 1, numbers),
        false => {
            numbers.push(device(reader)?);
            Ok(Vec::new())
        }
    })?;
    let inner = shapes.first().cloned().unwrap_or_default();
    if shapes.iter().any(|shape| *shape != inner) {
        return Err(reader.expected("devices in a box: lists of one length"));
    }
    Ok(std::iter::once(length(shapes.len())).chain(inner).collect())
}

/// `3`, or a device as JAX prints it: `CudaDevice(id=3)`, `TpuDevice(id=3, process_index=0, coords=(0,1,0), core_on_chip=0)`.
fn device(reader: &mut Reader<'_>) -> Result<i64, Error> {
    const WANTED: &str = "the number of a device";
    if reader.callee().is_none() {
        return reader.integer(WANTED);
    }
    if reader.keyword()? != Some("id") {
        return Err(reader.expected("`id=`"));
    }
    let number = reader.integer(WANTED)?;
    while !reader.take(")") {
        reader.need(",")?;
        reader.keyword()?;
        reader.pass_value()?;
    }
    Ok(number)
}
