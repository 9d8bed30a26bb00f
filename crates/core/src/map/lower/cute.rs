//! Layouts of CuTe, with swizzles and offsets. Each top-level mode is an axis; its leaves are digits, the last of which goes
//! on beyond the extent.

use super::super::bounds::Bounds;
use super::super::push::Push;
use super::super::{Axis, Direction, Form, Map, Stage};
use crate::basis::Stride;
use crate::cast::narrow;
use crate::cute::{Function, Layout, Offset, Swizzle};
use crate::error::{Code, Error};
use crate::int::Int;

impl Map {
    /// The map of a layout into memory.
    ///
    /// # Errors
    /// As [`Map::of_function`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// assert_eq!(Map::of_layout(&"((2,2),3):((24,2),8)".parse()?)?.at(&[3, 2])?, Some(vec![42]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_layout(layout: &Layout) -> Result<Map, Error> {
        Map::of_function(&Function::Layout(layout.clone()))
    }

    /// The map of a layout with an offset, what a slice leaves.
    ///
    /// # Errors
    /// As [`Map::of_function`].
    pub fn of_slice(slice: &Offset<Int, Stride>) -> Result<Map, Error> {
        let mut built = Built::of(&Function::Layout(slice.layout.clone()))?;
        built.shift(number(&slice.offset)?);
        built.finish(true)
    }

    /// The map of a layout that may be swizzled.
    ///
    /// # Errors
    /// [`Code::Kind`] for a swizzle without a layout; [`Code::MissingFact`] for an unknown extent or stride;
    /// [`Code::NotALayout`] for strides that are basis vectors; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::{cute::{Function, Swizzle}, map::Map};
    /// let inner: bitstride::Layout = "(8,64):(64,1)".parse()?;
    /// let swizzle = Function::Swizzle(Swizzle::new(3, 3, 3)?);
    /// let map = Map::of_function(&Function::compose(swizzle, 0.into(), Function::Layout(inner)))?;
    /// assert_eq!(map.at(&[1, 0])?, Some(vec![72]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_function(function: &Function) -> Result<Map, Error> {
        let mut built = Built::of(function)?;
        built.outer(function)?;
        built.finish(matches!(function, Function::Layout(_)))
    }
}

/// The stages so far, and between which numbers they lead.
struct Built {
    axes: Vec<Axis>,
    stages: Vec<Stage>,
    bounds: Bounds,
}

impl Built {
    /// The innermost layout: each mode is split into its leaves, which are joined.
    fn of(function: &Function) -> Result<Self, Error> {
        let domain = function.domain()?;
        let modes = if domain.root().is_leaf() { vec![domain.clone()] } else { domain.modes() };
        let mut axes = Vec::new();
        for (mode, layout) in modes.iter().enumerate() {
            axes.push(Axis::dim(mode, layout.size()?.as_number()?));
        }
        let mut built = Built { bounds: Bounds::of(&axes), stages: Vec::new(), axes };
        let mut at = 0;
        for layout in &modes {
            let extents = numbers(layout.extents())?;
            built.split(at, &extents);
            at += extents.len();
        }
        built.join(domain, at)?;
        Ok(built)
    }

    fn push(&mut self, stage: Stage) {
        self.bounds.stage(&stage);
        self.stages.push(stage);
    }

    /// Takes an integer apart into the leaves of a mode, the last of which has no bound.
    fn split(&mut self, at: usize, extents: &[i64]) {
        self.push(match extents.split_last() {
            Some((_, radices)) => Stage::Split { at, radices: radices.iter().map(|radix| *radix.max(&1)).collect() },
            None => Stage::Join { at, count: 1, sums: Vec::new() },
        });
    }

    /// Joins the leaves of a layout into its offset.
    fn join(&mut self, layout: &Layout, count: usize) -> Result<(), Error> {
        let strides = layout.strides().iter().map(number).collect::<Result<Vec<_>, _>>()?;
        self.push(Stage::Join { at: 0, count, sums: vec![(0, strides)] });
        Ok(())
    }

    /// Adds an offset.
    fn shift(&mut self, offset: i64) {
        if offset != 0 {
            self.push(Stage::Join { at: 0, count: 1, sums: vec![(offset, vec![1])] });
        }
    }

    /// What comes after the innermost layout.
    fn outer(&mut self, function: &Function) -> Result<(), Error> {
        let Function::Composed(composed) = function else { return Ok(()) };
        self.outer(&composed.inner)?;
        self.shift(composed.offset.as_number()?);
        self.apply(&composed.outer)
    }

    /// A function of an offset.
    fn apply(&mut self, function: &Function) -> Result<(), Error> {
        match function {
            Function::Swizzle(swizzle) => {
                self.swizzle(*swizzle);
                Ok(())
            }
            Function::Layout(layout) => {
                let extents = numbers(layout.extents())?;
                let (least, _) = self.bounds.at(0);
                // CuTe cuts indices off towards 0, stages cut down; both agree from 0 on.
                if least < 0 && extents.len() > 1 || extents.contains(&0) {
                    let message =
                        format!("{layout} would have to take index {least}; it takes those from 0 on, if any");
                    return Err(Error::new(Code::NotALayout, message));
                }
                self.split(0, &extents);
                self.join(layout, extents.len())
            }
            Function::Composed(composed) => {
                self.apply(&composed.inner)?;
                self.shift(composed.offset.as_number()?);
                self.apply(&composed.outer)
            }
        }
    }

    /// A swizzle: its bits are cut off, xored, and put back. Below its sources it changes nothing.
    fn swizzle(&mut self, swizzle: Swizzle) {
        let (least, most) = self.bounds.at(0);
        let sources = i128::from(swizzle.sources());
        if swizzle.is_identity() || least >= 0 && most < sources & -sources {
            return;
        }
        let bits = i64::BITS - (swizzle.sources() | swizzle.targets()).leading_zeros();
        let column = |bit: u32| u64::try_from(swizzle.apply(1i64 << bit)).unwrap_or(0);
        let columns = (0..bits).map(column).collect();
        self.push(Stage::Split { at: 0, radices: vec![1i64 << bits] });
        self.push(Stage::Xor { at: 0, ins: vec![bits], outs: vec![bits], columns, flip: 0 });
        self.push(Stage::Join { at: 0, count: 2, sums: vec![(0, vec![1, 1i64 << bits])] });
    }

    /// The map, into the least memory that is known to hold all offsets: of a layout alone, `plain`, what its stages are
    /// bounded by; else what its form is, exactly so without patterns.
    fn finish(self, plain: bool) -> Result<Map, Error> {
        let (least, mut most) = self.bounds.at(0);
        let mut tight = plain && least >= 0;
        let empty = self.axes.iter().any(|axis| axis.extent == 0);
        let into = |most: i128| -> Result<_, Error> {
            Ok(vec![Axis::offset(if empty { 0 } else { narrow(most.max(-1).saturating_add(1))? })])
        };
        if !plain
            && let Ok(form) = Form::of(&Map::new(self.axes.clone(), self.stages.clone(), into(0)?, Direction::ToPlace)?)
        {
            let push = Push::from_form(&form);
            if let Some(sum) = push.row.first() {
                let (low, high) = push.range(sum);
                most = push.bits(sum).map_or(high, |bits| high.min(bits)).min(most);
                tight = low >= 0 && sum.mask() == 0;
            }
        }
        let codomain: Vec<Axis> = into(most)?;
        Ok(Map::new(self.axes, self.stages, codomain, Direction::ToPlace)?.extending(tight || empty))
    }
}

fn numbers(list: &[Int]) -> Result<Vec<i64>, Error> {
    list.iter().map(Int::as_number).collect()
}

fn number(stride: &Stride) -> Result<i64, Error> {
    match stride {
        Stride::Int(n) => n.as_number(),
        Stride::Basis(_) => {
            Err(Error::new(Code::NotALayout, format!("the stride {stride} leads to coordinates, not to memory")))
        }
    }
}
