//! [`Problem`]: what is moved, without any machine: a box of units, and where each lies on both sides.
//!
//! Law: the problems of a plan visit each unit once. The address of a unit is the offset of its side, plus the strides or table
//! entries of its coordinates, plus the XOR of the flip and the masks of axes at 1.

use crate::nest::{Loop, Nest, Origin};
use crate::plan::Plan;

/// What an axis does to an address, in bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A stride for each step; and a mask that is xored at 1, on an axis with two steps.
    Step {
        /// What a step adds.
        stride: i64,
        /// What is xored.
        xor: i64,
    },
    /// What each coordinate adds.
    Table(Vec<i64>),
}

/// An axis of the box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// How many coordinates it has.
    pub count: i64,
    /// What it does in the source and in the destination.
    pub address: [Address; 2],
}

/// A box of units of one size, all that a pair of layouts has between two cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The size of a unit in bits: a power of two.
    pub unit_bits: i64,
    /// Where each side begins, in bits.
    pub offset: [i64; 2],
    /// The pattern that is always xored on each side, in bits.
    pub flip: [i64; 2],
    /// The axes.
    pub axes: Vec<Axis>,
}

impl Problem {
    fn of(nest: &Nest, unit_bits: i64) -> Self {
        let axis = |level: &Loop| {
            let address = |side: usize| match level.offsets.is_empty() {
                true => Address::Step { stride: level.strides()[side], xor: level.steps[side].xor },
                false => Address::Table(level.offsets.iter().map(|offsets| offsets[side]).collect()),
            };
            Axis { count: level.count, address: [address(0), address(1)] }
        };
        let Nest { origins, loops } = nest;
        let of = |field: fn(&Origin) -> i64| [field(&origins[0]), field(&origins[1])];
        Problem {
            unit_bits,
            offset: of(|origin| origin.offset),
            flip: of(|origin| origin.flip),
            axes: loops.iter().map(axis).collect(),
        }
    }
}

impl Plan {
    /// The boxes that are moved; `None` for a pair without common digits, which has no boxes of loops ([`Plan::no_common_digits`]).
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Address, Element, Plan};
    /// let rows = Map::of_layout(&"(64,32):(32,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(64,32):(1,64)".parse()?)?;
    /// let problems = Plan::new(&rows, &columns, Element::of_bits(16)?)?.problems().unwrap_or_default();
    /// assert_eq!(problems[0].axes[0].address[0], Address::Step { stride: 32 * 16, xor: 0 });
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn problems(&self) -> Option<Vec<Problem>> {
        let unit = self.element.part_bits();
        self.pointwise.is_none().then(|| self.nests.iter().map(|nest| Problem::of(nest, unit)).collect())
    }
}
