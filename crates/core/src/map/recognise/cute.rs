//! Recognises CuTe layouts: plain, with an offset, under one swizzle or under two.
//!
//! Each axis is a mode and its digits are the leaves, the fastest first. A form without masks has the fewest digits, so
//! that the layout is canonical: it is coalesced mode by mode. The layout is exact where the last digit of each axis
//! ends at its extent. Otherwise it is the layout of the box padded to the end of that digit.
//!
//! A map to coordinates has strides that are basis vectors, with paths taken from the names of its axes. Coordinates
//! that are always 0 are named too, by modes of extent 1, one each, which would otherwise have stride 0. The last such
//! mode names all coordinates that remain. Without such a mode, a leaf of extent 1 after all others names them.

use super::super::form::Form;
use super::super::{Axis, Map};
use super::carrying;
use super::factors::Factor;
use super::field::Field;
use super::greedy::read_off;
use super::plain::{leads_to_offset, plain, swizzled};
use super::swizzles::{ending, unswizzled};
use crate::basis::Path;
use crate::cute::{Function, Swizzle};
use crate::error::{Code, Error};

/// A layout on a box as large as its digits, of which the map has a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Padded {
    /// The layout.
    pub cute: Function,
    /// The extents of the map, one for each mode: beyond them the layout describes no element.
    pub extents: Vec<i64>,
}

impl Map {
    /// The layout of CuTe that the map is, with one mode for each axis: the fewest leaves, extents of 1 with stride 0.
    /// Coordinates that the map leads to are basis vectors, as are several axes of any kind. Of several swizzles it has
    /// the one with the fewest bits, then with the fewest leaves under it, then the lexicographically first.
    ///
    /// # Errors
    /// As [`Form::of`]; [`Code::NotALayout`] where the last digit of an axis goes beyond its extent, where no swizzle and no
    /// two undo the xors, or where coordinates are xored; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_array(&"bf16[16,256]{1,0:T(8,128)(2,1)}".parse()?)?;
    /// assert_eq!(map.to_cute()?.to_string(), "((2,4,2),(128,2)):((1,256,2048),(2,1024))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_cute(&self) -> Result<Function, Error> {
        let read = Form::read(self).and_then(|form| self.exact(&form));
        let ragged = self.domain().iter().any(|axis| axis.extent.count_ones() != 1);
        let known = match &read {
            // Where extents are no powers of two, fewer bits of a swizzle may do.
            Ok((Function::Composed(_), bits)) if ragged => Some(*bits),
            Ok((cute, _)) => return Ok(cute.clone()),
            Err(_) => None,
        };
        if leads_to_offset(&paths(self.codomain()))
            && let Some(cute) = carrying::recognised(self, known)?
        {
            return Ok(cute);
        }
        read.map(|(cute, _)| cute)
    }

    /// The layout of a form whose last digits end at the extents, and how many bits its swizzles have.
    fn exact(&self, form: &Form) -> Result<(Function, u32), Error> {
        let (cute, under, bits) = recognise(form, &paths(self.codomain()))?;
        let Some(digit) = under.beyond() else { return Ok((cute, bits)) };
        if let ([_], Ok(field)) = (form.sums.as_slice(), Field::widest(form))
            && let Some((swizzles, under)) = ending(&field)?
        {
            return Ok((swizzled(&factors(&swizzles), &under)?, bits_of(&swizzles)));
        }
        let Some(axis) = under.axes.get(digit.axis) else { return Ok((cute, bits)) };
        Err(error!(
            Code::NotALayout,
            "axis {name} of extent {extent} is cut after every {weight}, {times} times with {rest} left over: it is a layout only when padded to {end}",
            [name = axis.name, extent = axis.extent, weight = digit.weight, times = axis.extent / digit.weight, rest = axis.extent % digit.weight, end = digit.end()]
        ).with_help("`convert(X, padded)` is the layout of the padded box"))
    }

    /// The layout of CuTe on the box that is padded up to where the last digit of each axis ends.
    ///
    /// # Errors
    /// As [`Map::to_cute`], but for the last digits.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let padded = Map::of_array(&"f32[3,5]{1,0:T(2,2)}".parse()?)?.to_padded()?;
    /// assert_eq!(padded.cute.to_string(), "((2,2),(2,3)):((2,12),(1,4))");
    /// assert_eq!(padded.extents, [3, 5]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_padded(&self) -> Result<Padded, Error> {
        let extents = self.domain().iter().map(|axis| axis.extent).collect();
        if let Ok(cute) = self.to_cute() {
            return Ok(Padded { cute, extents });
        }
        let (cute, ..) = recognise(&Form::read(self)?, &paths(self.codomain()))?;
        Ok(Padded { cute, extents })
    }
}

/// The layout of a form on its padded box, the form of the layout without its swizzles, and how many bits those have.
fn recognise(form: &Form, paths: &[Path]) -> Result<(Function, Form, u32), Error> {
    if form.sums.iter().all(|sum| sum.mask() == 0) {
        return Ok((plain(form, paths)?, form.clone(), 0));
    }
    if let Some(read) = read_off(form)? {
        return Ok((plain(&read, paths)?, read, 0));
    }
    if !leads_to_offset(paths) {
        let xored = form.sums.iter().map(|sum| format!("{:#b}", sum.mask())).collect::<Vec<_>>().join(", ");
        return Err(error!(
            Code::NotALayout,
            "the map leads to {sums} coordinates, of which bits {xored} are xored; swizzles xor bits of one offset",
            [sums = form.sums.len(), xored]
        ));
    }
    let field = Field::widest(form)?;
    let Some((swizzles, under)) = unswizzled(&field)? else {
        return Err(Error::new(Code::NotALayout, xored(form)));
    };
    let cute = swizzled(&factors(&swizzles), &under)?;
    Ok((cute, under, bits_of(&swizzles)))
}

fn factors(swizzles: &[Swizzle]) -> Vec<Factor> {
    swizzles.iter().map(|swizzle| (*swizzle, 0)).collect()
}

fn bits_of(swizzles: &[Swizzle]) -> u32 {
    swizzles.iter().map(|swizzle| swizzle.bits()).sum()
}

/// The paths of what is led to: coordinates have them in their names, other axes by place; an offset has the empty one.
fn paths(codomain: &[Axis]) -> Vec<Path> {
    let named: Option<Vec<Path>> = codomain.iter().map(Axis::path).collect();
    match (named, codomain) {
        (Some(paths), _) => paths,
        (None, [_]) => vec![Path::new()],
        (None, several) => (0..several.len()).map(|at| vec![at]).collect(),
    }
}

/// Why no swizzle is found.
fn xored(form: &Form) -> String {
    let mut digits = Vec::new();
    let mut mask = 0;
    for sum in &form.sums {
        mask |= sum.mask();
        for (digit, xor) in form.digits.iter().zip(&sum.xors).filter(|(_, xor)| **xor != 0) {
            let name = form.axes.get(digit.axis).map_or_else(String::new, |axis| axis.name.to_string());
            digits.push(format!("{name}/{} by {xor}", digit.weight));
        }
    }
    format!("bits {mask:#b} of the offset are xored ({}), and no swizzle undoes it, nor do two", digits.join(", "))
}
