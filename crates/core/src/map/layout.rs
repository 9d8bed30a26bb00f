//! [`Map`]: axes, stages and direction, with evaluation and composition.

use std::fmt;

use super::{Axis, Order, Stage};
use crate::error::{Code, Error};

/// What a map leads from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From coordinates of a tensor to places: CuTe, XLA.
    ToPlace,
    /// From places to coordinates of a tensor: Triton, thread-value layouts.
    ToIndex,
}

/// A function from a box of named axes, as a chain of stages.
///
/// ```
/// use bitstride::map::Map;
/// let layout: bitstride::Layout = "((2,2),3):((24,2),8)".parse()?;
/// let map = Map::of_layout(&layout)?;
/// assert_eq!(map.at(&[3, 2])?, Some(vec![42]));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The axes that it takes.
    pub(super) domain: Vec<Axis>,
    /// The axes that it leads to.
    pub(super) codomain: Vec<Axis>,
    pub(super) stages: Vec<Stage>,
    pub(super) direction: Direction,
    /// How the elements of the tensor are numbered.
    pub(super) order: Order,
    /// Whether the last axis has no bound, so that the map is defined beyond its extent, as CuTe layouts are.
    pub(super) unbounded_last_axis: bool,
    /// Whether the extents of the codomain are those of the notation, or the least that contain all places. Otherwise
    /// they are only bounds, and places may be negative.
    pub(super) codomain_exact: bool,
}

impl Map {
    /// A map of its parts.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the stages do not lead from the domain to the codomain; as [`Stage::width`];
    /// [`Code::Range`] for an axis with a negative extent; [`Code::DimNamesMismatch`] for a name that is there twice.
    ///
    /// ```
    /// use bitstride::map::{Axis, Direction, Map, Stage};
    /// let join = Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![8, 1])] };
    /// let map = Map::new(vec![Axis::dim(0, 4), Axis::dim(1, 8)], vec![join], vec![Axis::offset(32)], Direction::ToPlace)?;
    /// assert_eq!(map.at(&[2, 1])?, Some(vec![17]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(
        domain: Vec<Axis>,
        stages: Vec<Stage>,
        codomain: Vec<Axis>,
        direction: Direction,
    ) -> Result<Self, Error> {
        let mut width = domain.len();
        for stage in &stages {
            width = stage.width(width)?;
        }
        if width != codomain.len() {
            return Err(error!(
                Code::RankMismatch,
                "the stages leave {width} integers for {codomain_count} axes",
                [width, codomain_count = codomain.len()]
            ));
        }
        for side in [&domain, &codomain] {
            for (at, axis) in side.iter().enumerate() {
                if axis.extent < 0 {
                    return Err(error!(Code::Range, "{axis} has a negative extent", [axis]));
                }
                if side.iter().skip(at + 1).any(|other| other.name == axis.name) {
                    return Err(error!(Code::DimNamesMismatch, "{name} is there twice", [name = axis.name]));
                }
            }
        }
        Ok(Map {
            domain,
            codomain,
            stages,
            direction,
            order: Order::ColumnMajor,
            unbounded_last_axis: false,
            codomain_exact: true,
        })
    }

    /// The same map of a tensor whose elements are numbered in another order, which a flat index counts; the map of
    /// [`Map::new`] is column-major.
    #[must_use]
    pub fn numbered(self, order: Order) -> Self {
        Map { order, ..self }
    }

    /// How the elements of its tensor are numbered.
    ///
    /// ```
    /// use bitstride::map::{Map, Order};
    /// assert_eq!(Map::of_layout(&"(4,8):(8,1)".parse()?)?.order(), Order::ColumnMajor);
    /// assert_eq!(Map::of_array(&"f32[4,8]{1,0}".parse()?)?.order(), Order::RowMajor);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn order(&self) -> Order {
        self.order
    }

    /// How the points of its domain are numbered: elements in their own order, places with the first axis the fastest.
    pub fn domain_order(&self) -> Order {
        if self.direction == Direction::ToPlace { self.order } else { Order::ColumnMajor }
    }

    /// The same map, whose last axis has no bound, and whose codomain may be a bound only.
    pub(super) fn with_unbounded_last_axis(self, codomain_exact: bool) -> Self {
        Map { unbounded_last_axis: true, codomain_exact, ..self }
    }

    /// The same map, whose codomain may be a bound only.
    pub(super) fn with_bounds_only(self) -> Self {
        Map { codomain_exact: false, ..self }
    }

    /// The axes that it takes.
    pub fn domain(&self) -> &[Axis] {
        &self.domain
    }

    /// The axes that it leads to.
    pub fn codomain(&self) -> &[Axis] {
        &self.codomain
    }

    /// Whether the extents of the codomain are those of the notation, or the least that contain all places. Otherwise
    /// they are only bounds, and [`Map::reach`] gives the exact ends.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// assert!(Map::of_array(&"f32[3,5]{1,0:T(2,2)}".parse()?)?.is_codomain_exact());
    /// assert!(!Map::of_layout(&"(4,8):(-1,16)".parse()?)?.is_codomain_exact());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_codomain_exact(&self) -> bool {
        self.codomain_exact
    }

    /// The stages, the first applied first.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// What it leads from and to.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The number of points of the domain.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn size(&self) -> Result<i64, Error> {
        size(&self.domain)
    }

    /// What a point leads to; `None` where it is padding.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when there is not one coordinate for each axis, [`Code::Range`] for one that its axis does
    /// not have, [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_layout(&"(4,8):(8,1)".parse()?)?;
    /// assert_eq!(map.at(&[2, 1])?, Some(vec![17]));
    /// assert!(map.at(&[4, 0]).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn at(&self, point: &[i64]) -> Result<Option<Vec<i64>>, Error> {
        crate::cancel::checkpoint();
        if point.len() != self.domain.len() {
            return Err(Error::lengths(["coordinates", "axes"], point.len(), self.domain.len()));
        }
        if let Some((x, axis)) = point.iter().zip(&self.domain).find(|(x, axis)| **x < 0 || **x >= axis.extent) {
            return Err(error!(Code::Range, "{x} is no coordinate of {axis}", [x, axis]));
        }
        self.run(point.to_vec())
    }

    /// Whether a point is one of the domain.
    pub(super) fn takes(&self, point: &[i64]) -> bool {
        point.len() == self.domain.len() && point.iter().zip(&self.domain).all(|(x, axis)| *x >= 0 && *x < axis.extent)
    }

    pub(super) fn run(&self, mut row: Vec<i64>) -> Result<Option<Vec<i64>>, Error> {
        for stage in &self.stages {
            if stage.apply(&mut row)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(row))
    }

    /// This map and then another: always exact, since stages are only put one after the other. A single axis here is the
    /// flat index of all axes there, in the [`Order`] of the other map; else axes follow each other by place, where
    /// coordinates that are left out are 0: `dim0` and `dim2` are followed by three. What the other does not take is
    /// padding; a layout of CuTe takes all indices from 0 on.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the axes of both are not as many, and here are several.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let inner = Map::of_layout(&"4:2".parse()?)?;
    /// let outer = Map::of_layout(&"(4,2):(10,1)".parse()?)?;
    /// assert_eq!(inner.then(&outer)?.at(&[3])?, Some(vec![21]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn then(&self, next: &Map) -> Result<Map, Error> {
        if let Some(completed) = self.completed(next.domain.len()) {
            return completed.then(next);
        }
        let mut stages = self.stages.clone();
        let mut guard = |at: usize, extent: i64| stages.push(Stage::Guard { at, extent });
        if next.domain.iter().any(|axis| axis.extent == 0) && !self.codomain.is_empty() {
            guard(0, 0);
        } else if next.unbounded_last_axis && !self.codomain_exact && !self.codomain.is_empty() {
            guard(self.codomain.len() - 1, i64::MAX);
        }
        let (here, there) = (self.codomain.len(), next.domain.len());
        // A flat index may leave the box along the slowest axis only, coordinates along every one.
        let may_leave = if here == 1 && there > 1 {
            stages.extend(next.domain_order().split(&next.domain));
            next.domain_order().slowest(there).into_iter().collect()
        } else if here == there {
            (0..there).collect::<Vec<_>>()
        } else {
            return Err(error!(
                Code::RankMismatch,
                "a map to {here} axes is followed by one from {there}",
                [here, there]
            ));
        };
        for (at, axis) in next.domain.iter().enumerate().filter(|(at, _)| may_leave.contains(at)) {
            if !next.unbounded_last_axis || at + 1 < there {
                stages.push(Stage::Guard { at, extent: axis.extent });
            }
        }
        stages.extend(next.stages.iter().cloned());
        let direction = self.direction;
        Ok(Map {
            domain: self.domain.clone(),
            codomain: next.codomain.clone(),
            stages,
            direction,
            order: self.order,
            unbounded_last_axis: self.unbounded_last_axis && next.unbounded_last_axis,
            // Only some of the places of the other may be reached.
            codomain_exact: next.codomain_exact && !next.unbounded_last_axis,
        })
    }
}

/// The number of points of a box.
pub(super) fn size(axes: &[Axis]) -> Result<i64, Error> {
    if axes.iter().any(|axis| axis.extent == 0) {
        return Ok(0);
    }
    let product = axes.iter().try_fold(1i64, |size, axis| size.checked_mul(axis.extent));
    product.ok_or_else(|| Error::overflow("the size of a map"))
}

impl fmt::Display for Map {
    /// The axes on both sides: `dim0:16, dim1:8 -> offset:128`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |axes: &[Axis]| match axes {
            [] => "()".to_owned(),
            axes => axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        write!(f, "{} -> {}", list(&self.domain), list(&self.codomain))
    }
}
