//! [`Mixed`]: layouts with both integer strides and XOR strides.
//!
//! In `(8,64):(^72,^1)` a digit `n` with the stride `^p` contributes the carry-less product of `n` and `p`, which is
//! the XOR of `p` shifted to each bit of `n`. `(8,64,3):(^72,^1,512)` adds 512 times its last digit. This is the F2
//! stride of NVIDIA's whitepaper beside the integer stride, and describes swizzle atoms tiled over any extents.
//!
//! Law: the value at a coordinate is the offset, plus the sum of integer stride times digit, plus the XOR of the flip
//! and all carry-less products.

use std::fmt;

use super::super::form::{Digit, Form};
use super::super::symbolic::multiply_add;
use super::super::{Axis, Direction, Map, Stage};
use super::field::Field;
use super::greedy::read_off;
use crate::cast::narrow;
use crate::error::{Code, Error};

/// One digit of a mixed layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MixedLeaf {
    /// How many values it has.
    pub extent: i64,
    /// What each step adds.
    pub stride: i64,
    /// What each bit of it xors, shifted to that bit.
    pub pattern: i64,
}

/// A layout with integer strides and strides over F2.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mixed {
    /// The modes, each with its digits, the fastest first.
    pub modes: Vec<Vec<MixedLeaf>>,
    /// What is added everywhere.
    pub offset: i64,
    /// What is xored everywhere.
    pub flip: i64,
}

impl Map {
    /// The mixed layout that the map is: one mode for each axis, the fewest digits from the fastest on, strides that are
    /// added where either would do.
    ///
    /// # Errors
    /// As [`Form::of`]; [`Code::NotALayout`] where the last digit of an axis goes beyond its extent, or for several axes that
    /// the map leads to.
    ///
    /// ```
    /// use bitstride::{cute::{Function, Swizzle}, map::Map};
    /// let inner: bitstride::Layout = "(8,64,3):(64,1,512)".parse()?;
    /// let swizzle = Function::Swizzle(Swizzle::new(3, 3, 3)?);
    /// let map = Map::of_function(&Function::compose(swizzle, 0.into(), Function::Layout(inner)))?;
    /// assert_eq!(map.to_mixed()?.to_string(), "(8,64,3):(^72,^1,512)");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_mixed(&self) -> Result<Mixed, Error> {
        let form = Form::read(self)?;
        let form = read_off(&form)?.unwrap_or(form);
        let coordinates =
            self.direction() == Direction::ToPlace && self.codomain().iter().any(|axis| axis.path().is_some());
        let ([sum], false) = (form.sums.as_slice(), coordinates) else {
            return Err(error!(
                Code::NotALayout,
                "{map} leads to coordinates; a mixed layout leads to one offset",
                [map = self]
            ));
        };
        let is_layout = sum.mask() == 0 && form.beyond().is_none();
        let parts = match is_layout {
            true => plain(&form),
            false => parts(&Field::widest(&form).unwrap_or_else(|_| Field::as_is(&form)))?,
        };
        let mut mixed = Mixed { modes: Vec::new(), offset: sum.offset, flip: 0 };
        let mut patterns = 0i128;
        for (at, axis) in form.axes.iter().enumerate() {
            let mut own = parts.iter().filter(|part| part.digit.axis == at).peekable();
            let mut mode = Vec::new();
            let mut reach = 1;
            while let Some(first) = own.next() {
                let rest: Vec<&DigitForm> = own.clone().collect();
                let (leaf, taken) = longest(axis, first, &rest);
                reach = i128::from(first.digit.weight) * i128::from(leaf.extent);
                patterns |= leaf.reached();
                mode.push(leaf);
                for _ in 0..taken {
                    own.next();
                }
            }
            if mode.is_empty() {
                mode.push(MixedLeaf { extent: axis.extent, stride: 0, pattern: 0 });
            } else if reach != i128::from(axis.extent) {
                return Err(error!(
                    Code::NotALayout,
                    "axis {name} of extent {extent} ends within its last digit, which goes on to {reach}",
                    [name = axis.name, extent = axis.extent, reach]
                ));
            }
            mixed.modes.push(mode);
        }
        let origin = multiply_add(sum.offset, 1, sum.flip)?;
        // Bits that are there at the origin and that digits take away are xored, all others added.
        let none = parts.iter().fold(0, |none, part| none | part.none);
        mixed.flip = narrow(i128::from(none) & patterns)?;
        mixed.offset = multiply_add(origin, -1, mixed.flip)?;
        Ok(mixed)
    }

    /// The map of a mixed layout.
    ///
    /// # Errors
    /// [`Code::Range`] for a negative extent or pattern; [`Code::TooLarge`] for patterns beyond 62 bits, or more than 64
    /// bits of digits that are xored.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_layout(&"((2,4),8):((1,8),32)".parse()?)?;
    /// assert_eq!(Map::of_mixed(&map.to_mixed()?)?.at(&[3, 1])?, map.at(&[3, 1])?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_mixed(mixed: &Mixed) -> Result<Map, Error> {
        let mut axes = Vec::new();
        let mut stages = Vec::new();
        let leaves: Vec<MixedLeaf> = mixed.modes.iter().flatten().copied().collect();
        let mut at = 0;
        for (mode, digits) in mixed.modes.iter().enumerate() {
            let extent = digits.iter().try_fold(1i64, |size, leaf| size.checked_mul(leaf.extent));
            axes.push(Axis::dim(mode, extent.ok_or_else(|| Error::overflow("the extent of a mode"))?));
            stages.push(match digits.split_last() {
                Some((_, low)) => {
                    Stage::Delinearise { at, radices: low.iter().map(|leaf| leaf.extent.max(1)).collect() }
                }
                None => Stage::Linearise { at, count: 1, sums: Vec::new() },
            });
            at += digits.len();
        }
        let xored: Vec<usize> =
            leaves.iter().enumerate().filter(|(_, leaf)| leaf.pattern != 0).map(|(at, _)| at).collect();
        let one = |own: usize| (0, (0..leaves.len()).map(|at| i64::from(at == own)).collect());
        let mut sums = vec![(mixed.offset, leaves.iter().map(|leaf| leaf.stride).collect())];
        sums.extend(xored.iter().map(|at| one(*at)));
        stages.push(Stage::Linearise { at: 0, count: leaves.len(), sums });
        let patterns = leaves.iter().fold(i128::from(mixed.flip), |all, leaf| all | leaf.reached());
        if !xored.is_empty() {
            let bits = i128::BITS - patterns.leading_zeros();
            if bits > 62 {
                return Err(error!(Code::TooLarge, "patterns up to {patterns} do not fit in 62 bits", [patterns]));
            }
            let own = leaves.iter().filter(|leaf| leaf.pattern != 0);
            let columns = own.clone().flat_map(|leaf| (0..leaf.bits()).map(|bit| leaf.pattern << bit));
            let columns = columns.map(|column| u64::try_from(column).unwrap_or(0)).collect();
            let flip = u64::try_from(mixed.flip).unwrap_or(0);
            stages.push(Stage::Xor {
                at: 1,
                ins: own.map(|leaf| leaf.bits()).collect(),
                outs: vec![bits],
                columns,
                flip,
            });
            stages.push(Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![1, 1])] });
        }
        let added = leaves.iter().map(|leaf| i128::from(leaf.extent - 1).max(0) * i128::from(leaf.stride.max(0)));
        let reach = i128::from(mixed.offset) + added.sum::<i128>() + patterns + 1;
        Map::new(axes, stages, vec![Axis::offset(narrow(reach.max(0))?)], Direction::ToPlace)
    }
}

impl MixedLeaf {
    /// How many bits its values have.
    fn bits(&self) -> u32 {
        i64::BITS - (self.extent - 1).max(0).leading_zeros()
    }

    /// All bits that it xors.
    fn reached(&self) -> i128 {
        (0..self.bits()).fold(0, |all, bit| all | i128::from(self.pattern) << bit)
    }
}

/// A digit as it is described: by what it adds, or by a pattern and what it adds above.
struct DigitForm {
    digit: Digit,
    /// What it adds, where no other digit shares its bits.
    added: Option<i64>,
    /// What it adds above the bits, and the pattern within them.
    xored: (i64, i64),
    /// The bits of the pattern that are there at the origin.
    none: i64,
}

/// The digits of a form that is a layout as it stands.
fn plain(form: &Form) -> Vec<DigitForm> {
    let strides = form.sums.first().map_or(&[][..], |sum| &sum.strides);
    let part = |(digit, stride): (&Digit, &i64)| DigitForm {
        digit: *digit,
        added: Some(*stride),
        xored: (*stride, 0),
        none: 0,
    };
    form.digits.iter().zip(strides).map(part).collect()
}

/// The digits of a field.
fn parts(field: &Field) -> Result<Vec<DigitForm>, Error> {
    let shared = field.shared(&field.columns);
    let mut parts = Vec::with_capacity(field.digits.len());
    for ((digit, column), above) in field.digits.iter().zip(&field.columns).zip(&field.strides) {
        let none = column & field.none;
        let added = if column & shared == 0 { Some(multiply_add(*above, 1, (column & !none) - none)?) } else { None };
        parts.push(DigitForm { digit: *digit, added, xored: (*above, *column), none });
    }
    Ok(parts)
}

/// The leaf that describes as many digits from the first on as one can, and how many beyond it.
fn longest(axis: &Axis, first: &DigitForm, rest: &[&DigitForm]) -> (MixedLeaf, usize) {
    let steps = |part: &DigitForm| part.digit.weight / first.digit.weight.max(1);
    let added = first.added.map_or(0, |stride| {
        let goes_on = |part: &&&DigitForm| stride.checked_mul(steps(part)).is_some_and(|next| part.added == Some(next));
        rest.iter().take_while(goes_on).count()
    });
    let (above, pattern) = first.xored;
    let doubled = |part: &&&DigitForm| {
        let shift = steps(part).trailing_zeros();
        part.digit.radix == 2
            && above.checked_mul(steps(part)) == Some(part.xored.0)
            && pattern.leading_zeros() > shift + 1
            && pattern << shift == part.xored.1
    };
    let xored = if first.digit.radix == 2 { rest.iter().take_while(doubled).count() } else { 0 };
    let (stride, pattern, taken) = match first.added {
        Some(stride) if added >= xored => (stride, 0, added),
        _ => (above, pattern, xored),
    };
    let last = rest.get(..taken).and_then(<[_]>::last).map_or(first, |last| last);
    let whole = steps(last) * last.digit.radix;
    let room = axis.extent / first.digit.weight.max(1) + i64::from(axis.extent % first.digit.weight.max(1) != 0);
    (MixedLeaf { extent: whole.min(room), stride, pattern }, taken)
}

impl fmt::Display for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |text: &dyn Fn(&MixedLeaf) -> String| {
            let mode = |mode: &Vec<MixedLeaf>| match mode.as_slice() {
                [leaf] => text(leaf),
                leaves => format!("({})", leaves.iter().map(text).collect::<Vec<_>>().join(",")),
            };
            match self.modes.as_slice() {
                // Bare, what follows the first part of its stride would be an offset.
                [mode] if matches!(mode.as_slice(), [leaf] if leaf.stride == 0 || leaf.pattern == 0) => {
                    mode.iter().map(text).collect()
                }
                modes => format!("({})", modes.iter().map(mode).collect::<Vec<_>>().join(",")),
            }
        };
        let stride = |leaf: &MixedLeaf| match (leaf.stride, leaf.pattern) {
            (stride, 0) => stride.to_string(),
            (0, pattern) => format!("^{pattern}"),
            (stride, pattern) => format!("{stride}+^{pattern}"),
        };
        write!(f, "{}:{}", list(&|leaf| leaf.extent.to_string()), list(&stride))?;
        match (self.offset, self.flip) {
            (0, 0) => Ok(()),
            (offset, 0) => write!(f, " + {offset}"),
            (0, flip) => write!(f, " + ^{flip}"),
            (offset, flip) => write!(f, " + {offset}+^{flip}"),
        }
    }
}
