//! [`TensorMap`]: the parameters of a tiled copy by TMA, whether the driver takes them, and where a box comes to lie.
//!
//! Dims count from the innermost one. The rules were measured on an H100: 1,187 parameter sets given to the driver's encoder, and
//! 63 copies. Law: the byte of shared memory that holds element x of the box is where [`TensorMap::image`] sends x.

use crate::cute::{ByteSwizzle, Function, Layout, Swizzle};
use crate::error::{Code, Error};
use crate::int::Int;
use crate::refusal::OneOf;
use crate::tuple::Tuple;

/// How elements are interleaved in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interleave {
    /// Not at all.
    None,
    /// By 16 bytes.
    Bytes16,
    /// By 32 bytes.
    Bytes32,
}

/// The parameters of a tiled tensor map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// The bytes of an element: 1, 2, 4 or 8.
    pub element_bytes: i64,
    /// The extent of each dim of the tensor in elements, the innermost first; 1 to 5 of them.
    pub dims: Vec<i64>,
    /// The stride of each dim but the innermost, in bytes.
    pub strides: Vec<i64>,
    /// The extent of the box along each dim, in elements of the tensor.
    pub window: Vec<i64>,
    /// Of how many elements of the box one is read, along each dim; that of the innermost is ignored.
    pub element_strides: Vec<i64>,
    /// How elements are interleaved.
    pub interleave: Interleave,
    /// The bytes that the swizzle spans: 0 for none, 32, 64 or 128.
    pub swizzle: i64,
    /// The address of the tensor, in bytes.
    pub base: i64,
    /// What is read outside of the tensor.
    pub fill: Fill,
}

/// What is read outside of the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// A NaN, of elements that are floating-point numbers.
    Nan,
    /// A NaN, of elements that are integers, which have none.
    NanOfIntegers,
}

/// What a stride must stay below.
const STRIDE_END: i64 = 1 << 40;
/// The most elements along a dim.
const LONGEST_DIM: i64 = 1 << 32;
/// The most elements of a box along a dim.
const LONGEST_SIDE: i64 = 256;
/// The largest stride of elements.
const LARGEST_STEP: i64 = 8;
/// The most dims.
const MOST_DIMS: usize = 5;
/// The bytes of a box from which on it was refused; no shared memory holds as many.
const BOX_END: i64 = 1 << 18;
/// The unit of addresses, strides and inner boxes.
const UNIT_BYTES: i64 = 16;

impl TensorMap {
    /// Refuses parameters that the driver's encoder refuses.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] unless the lists belong to one tensor of 1 to 5 dims, [`Code::Range`] for what is too small or too
    /// large, [`Code::NotDivisible`] for what is no multiple of 16 bytes; the message names the dim and its numbers.
    ///
    /// ```
    /// use bitstride::memory::{Fill, Interleave, TensorMap};
    /// let map = |window: i64, swizzle: i64| TensorMap {
    ///     element_bytes: 2,
    ///     dims: vec![64, 64],
    ///     strides: vec![128],
    ///     window: vec![window, 8],
    ///     element_strides: vec![1, 1],
    ///     interleave: Interleave::None,
    ///     swizzle,
    ///     base: 0,
    ///     fill: Fill::Zero,
    /// };
    /// assert!(map(16, 32).check().is_ok());
    /// let refused = map(48, 32).check().unwrap_err();
    /// assert_eq!(refused.message(), "the box is 48 * 2 = 96 bytes wide; a swizzle of 32 bytes spans 32");
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        self.check_lists()?;
        if !matches!(self.element_bytes, 1 | 2 | 4 | 8) {
            return Err(error!(
                Code::Range,
                "an element has {sizes} bytes, not {element_bytes}",
                [sizes = OneOf(&[1, 2, 4, 8]), element_bytes = self.element_bytes]
            ));
        }
        if !matches!(self.swizzle, 0 | 32 | 64 | 128) {
            return Err(error!(
                Code::Range,
                "a swizzle spans {spans} bytes, 0 being none, not {swizzle}",
                [spans = OneOf(&[0, 32, 64, 128]), swizzle = self.swizzle]
            ));
        }
        let unit = if self.interleave == Interleave::Bytes32 { 2 * UNIT_BYTES } else { UNIT_BYTES };
        if self.interleave != Interleave::None && self.dims.len() < 3 {
            return Err(error!(
                Code::RankMismatch,
                "interleaved elements need 3 dims or more, not {dims}",
                [dims = self.dims.len()]
            ));
        }
        let multiple = |what: String, bytes: i64| match bytes.checked_rem(unit) {
            Some(0) => Ok(()),
            _ => {
                let near = bytes.checked_add(unit - 1).map(|end| end / unit * unit);
                let error =
                    error!(Code::NotDivisible, "{what} {bytes} is no multiple of {unit} bytes", [what, bytes, unit]);
                Err(match near {
                    Some(near) => error.with_help(format!("the next multiple is {near}")),
                    None => error,
                })
            }
        };
        multiple("the address".to_owned(), self.base)?;
        for (dim, stride) in (1..).zip(&self.strides) {
            multiple(format!("the stride of dim {dim}, in bytes,"), *stride)?;
            in_range(&format!("the stride of dim {dim}, in bytes,"), *stride, 0, STRIDE_END - 1)?;
        }
        for (dim, extent) in self.dims.iter().enumerate() {
            in_range(&format!("the extent of dim {dim}"), *extent, 1, LONGEST_DIM)?;
        }
        for (dim, side) in self.window.iter().enumerate() {
            in_range(&format!("the box along dim {dim}"), *side, 1, LONGEST_SIDE)?;
        }
        for (dim, step) in self.element_strides.iter().enumerate() {
            in_range(&format!("the element stride of dim {dim}"), *step, 1, LARGEST_STEP)?;
        }
        self.check_inner()?;
        if self.fill == Fill::NanOfIntegers {
            return Err(Error::new(Code::Kind, "integers have no NaN to fill with").with_help("fill with zeros"));
        }
        match self.bytes_read() {
            Some(bytes) if bytes < BOX_END => Ok(()),
            bytes => {
                let bytes = bytes.map_or_else(|| "more than 2^63".to_owned(), |bytes| bytes.to_string());
                Err(error!(
                    Code::TooLarge,
                    "the box has {bytes} bytes; it must be smaller than {box_end}",
                    [bytes, box_end = BOX_END]
                )
                .with_help("a shared memory has at most 227 KiB"))
            }
        }
    }

    fn check_lists(&self) -> Result<(), Error> {
        let rank = self.dims.len();
        if rank == 0 || rank > MOST_DIMS {
            return Err(error!(
                Code::RankMismatch,
                "a tensor map has 1 to {most_dims} dims, not {rank}",
                [most_dims = MOST_DIMS, rank]
            ));
        }
        for (what, length, wanted) in [
            ("strides", self.strides.len(), rank - 1),
            ("sides of the box", self.window.len(), rank),
            ("element strides", self.element_strides.len(), rank),
        ] {
            if length != wanted {
                return Err(error!(
                    Code::RankMismatch,
                    "a tensor of {rank} dims has {wanted} {what}, not {length}",
                    [rank, wanted, what, length]
                ));
            }
        }
        Ok(())
    }

    /// The innermost side of the box in bytes, against 16 bytes and the span of the swizzle.
    fn check_inner(&self) -> Result<(), Error> {
        let (side, inner) = (self.window.first().copied().unwrap_or(0), self.inner_bytes());
        let wide = format!("the box is {side} * {} = {inner} bytes wide", self.element_bytes);
        if self.interleave != Interleave::None {
            if inner < UNIT_BYTES {
                return Err(error!(
                    Code::Range,
                    "{wide}; interleaved elements need {unit_bytes}",
                    [wide, unit_bytes = UNIT_BYTES]
                ));
            }
            return Ok(());
        }
        if inner % UNIT_BYTES != 0 {
            return Err(error!(
                Code::NotDivisible,
                "{wide}, which is no multiple of {unit_bytes}",
                [wide, unit_bytes = UNIT_BYTES]
            ));
        }
        if self.swizzle > 0 && inner > self.swizzle {
            let span = self.swizzle;
            let error = error!(Code::Range, "{wide}; a swizzle of {span} bytes spans {span}", [wide, span]);
            let elements = span.checked_div(self.element_bytes).unwrap_or(0);
            return Err(error.with_help(format!("make it {elements} elements wide, or the swizzle wider")));
        }
        Ok(())
    }

    fn inner_bytes(&self) -> i64 {
        self.window.first().copied().unwrap_or(0).saturating_mul(self.element_bytes)
    }

    /// The extent of what is read of the box, along each dim: one element of each stride, of the innermost all.
    fn sides_read(&self) -> Vec<i64> {
        let steps = [1].into_iter().chain(self.element_strides.iter().skip(1).copied());
        let read = |(side, step): (&i64, i64)| side.checked_add(step - 1).and_then(|end| end.checked_div(step));
        self.window.iter().zip(steps).map(|pair| read(pair).unwrap_or(0)).collect()
    }

    /// The bytes of what is read, with the innermost stride of elements counted as the driver counts it.
    fn bytes_read(&self) -> Option<i64> {
        let sides = self.window.iter().zip(&self.element_strides);
        sides
            .map(|(side, step)| side.checked_add(step - 1)?.checked_div(*step))
            .try_fold(self.element_bytes, |all, side| all.checked_mul(side?))
    }

    /// Where each element of the box comes to lie in shared memory: from its coordinates in what is read, the innermost first, to
    /// offsets in elements. Rows are as far apart as the wider of the box and the swizzle's span; the swizzle is one of bytes,
    /// from an address that is a multiple of 1,024.
    ///
    /// # Errors
    /// As [`TensorMap::check`]; [`Code::Kind`] for interleaved elements, whose images were not measured.
    ///
    /// ```
    /// use bitstride::memory::{Fill, Interleave, TensorMap};
    /// let map = TensorMap {
    ///     element_bytes: 2,
    ///     dims: vec![256, 128],
    ///     strides: vec![512],
    ///     window: vec![64, 8],
    ///     element_strides: vec![1, 1],
    ///     interleave: Interleave::None,
    ///     swizzle: 128,
    ///     base: 0,
    ///     fill: Fill::Zero,
    /// };
    /// assert_eq!(map.image()?.to_string(), "Sw<3,4,3> o bytes[16] o (64,8):(1,64)");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn image(&self) -> Result<Function, Error> {
        self.check()?;
        if self.interleave != Interleave::None {
            return Err(Error::new(Code::Kind, "where interleaved elements come to lie is not known here"));
        }
        let pitch = self.inner_bytes().max(self.swizzle);
        let sides = self.sides_read();
        let mut strides = vec![1];
        let mut stride = pitch.checked_div(self.element_bytes).unwrap_or(0);
        for side in sides.iter().skip(1) {
            strides.push(stride);
            stride = stride.checked_mul(*side).ok_or_else(|| Error::overflow("the size of the box"))?;
        }
        let flat = |numbers: &[i64]| Tuple::flat(&numbers.iter().map(|n| Int::from(*n)).collect::<Vec<_>>());
        let shape = flat(&sides);
        let stride = flat(&strides).map(|n| n.clone().into());
        let layout = Layout::new(shape, stride)?;
        let bits = match self.swizzle {
            32 => 1,
            64 => 2,
            128 => 3,
            _ => return Ok(Function::Layout(layout)),
        };
        let bytes = ByteSwizzle::new(Swizzle::new(bits, 4, 3)?, self.element_bytes * 8)?;
        Ok(Function::compose(Function::Bytes(bytes), Int::from(0), Function::Layout(layout)))
    }

    /// Whether a load at these coordinates of the tensor faults: that of the innermost dim, in bytes, is no multiple of 16.
    pub fn faults_at(&self, coordinates: &[i64]) -> bool {
        let inner = coordinates.first().copied().unwrap_or(0);
        inner.checked_mul(self.element_bytes).is_none_or(|bytes| bytes.rem_euclid(UNIT_BYTES) != 0)
    }
}

fn in_range(what: &str, n: i64, least: i64, most: i64) -> Result<(), Error> {
    if (least..=most).contains(&n) {
        return Ok(());
    }
    Err(error!(Code::Range, "{what} is {n}; it goes from {least} to {most}", [what, n, least, most]))
}
