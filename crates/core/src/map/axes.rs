//! The same map over other axes: flattened, reordered, renamed, or without axes of extent 1.
//!
//! Law: a point of the new domain has the same image as the point that it corresponds to.

use super::layout::size;
use super::mismatch::listed;
use super::{Axis, Direction, Map, Order, Stage, Unit};
use crate::basis::Path;
use crate::error::{Code, Error};
use crate::linear::Name;
use crate::refusal::Fact;

impl Map {
    /// The map of the flat index of its domain, counted in an order.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Map, Order};
    /// let map = Map::of_layout(&"(4,8):(8,1)".parse()?)?;
    /// assert_eq!(map.flattened(Order::ColumnMajor)?.at(&[6])?, map.at(&[2, 1])?);
    /// assert_eq!(map.flattened(Order::RowMajor)?.at(&[6])?, map.at(&[0, 6])?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn flattened(&self, order: Order) -> Result<Map, Error> {
        let axis = Axis { name: Name::INDEX, extent: self.size()?, unit: self.unit_of(&self.domain) };
        let stages = [order.split(&self.domain).as_slice(), &self.stages].concat();
        // The last axis is the slowest one only where the first is the fastest.
        let unbounded_last_axis = self.unbounded_last_axis && (order == Order::ColumnMajor || self.domain.len() == 1);
        Ok(Map { domain: vec![axis], stages, unbounded_last_axis, ..self.clone() })
    }

    /// The map into the flat index of its codomain, counted in an order.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Map, Order};
    /// let tile = Map::of_layout(&"4:4".parse()?)?.into_tile(&[4, 4])?;
    /// assert_eq!(tile.at(&[3])?, Some(vec![0, 3]));
    /// assert_eq!(tile.into_flat(Order::ColumnMajor)?.at(&[3])?, Some(vec![12]));
    /// assert_eq!(tile.into_flat(Order::RowMajor)?.at(&[3])?, Some(vec![3]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn into_flat(&self, order: Order) -> Result<Map, Error> {
        let axis = Axis { name: Name::INDEX, extent: size(&self.codomain)?, unit: self.unit_of(&self.codomain) };
        let strides = order.strides(&self.codomain);
        let join = Stage::Linearise { at: 0, count: strides.len(), sums: vec![(0, strides)] };
        Ok(Map { codomain: vec![axis], stages: [self.stages.as_slice(), &[join]].concat(), ..self.clone() })
    }

    fn unit_of(&self, axes: &[Axis]) -> Unit {
        axes.first().map_or(Unit::Index, |axis| axis.unit)
    }

    /// The map with its tensor read in another shape: the elements keep their numbers in this order, in which the answer is
    /// numbered.
    ///
    /// # Errors
    /// [`Code::NotDivisible`] when the sizes are not the same; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Map, Order};
    /// let map = Map::of_layout(&"(8,4):(1,8)".parse()?)?;
    /// assert_eq!(map.reshaped(&[2, 16], Order::ColumnMajor)?.at(&[1, 5])?, Some(vec![11]));
    /// // Row-major, element (1,5) of (2,16) has the number 21, as (5,1) of (8,4).
    /// assert_eq!(map.reshaped(&[2, 16], Order::RowMajor)?.at(&[1, 5])?, Some(vec![13]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn reshaped(&self, extents: &[i64], order: Order) -> Result<Map, Error> {
        let axes: Vec<Axis> = extents.iter().enumerate().map(|(at, extent)| Axis::dim(at, *extent)).collect();
        let (old, new) = (size(self.index_axes())?, size(&axes)?);
        if old != new {
            return Err(error!(
                (Code::NotDivisible, "count"),
                "{extents} has {asked} elements, not {held}",
                [extents = Fact::list(extents), asked = new, held = old]
            ));
        }
        if self.direction == Direction::ToIndex {
            let flat = self.into_flat(order)?;
            let stages = [flat.stages.as_slice(), &order.split(&axes)].concat();
            return Ok(Map { codomain: axes, stages, order, ..flat });
        }
        let flat = self.flattened(order)?;
        let strides = order.strides(&axes);
        let join = Stage::Linearise { at: 0, count: strides.len(), sums: vec![(0, strides)] };
        Ok(Map {
            domain: axes,
            stages: [&[join], flat.stages.as_slice()].concat(),
            order,
            unbounded_last_axis: false,
            ..flat
        })
    }

    /// A map from places that may be counted in smaller units as one from elements, and how many units an element has.
    pub(super) fn in_elements(&self) -> (Map, i64) {
        let mut map = self.clone();
        if let [Stage::Delinearise { at, radices }, guard, drop, ..] = self.stages.as_slice()
            && let [units] = radices.as_slice()
            && first_unit(*at, *units)[1..] == [guard.clone(), drop.clone()]
            && let Some(axis) = map.domain.get_mut(*at)
        {
            let units = *units;
            axis.extent /= units.max(1);
            map.stages.drain(..3);
            return (map, units);
        }
        (map, 1)
    }

    /// A map to offsets in smaller units as one to elements; offsets within an element are padding.
    pub(super) fn whole_units(&self, units: i64) -> Map {
        let mut map = self.clone();
        if units > 1 {
            let at = map.codomain.iter().position(|axis| axis.unit != Unit::Part).unwrap_or(0);
            map.stages.extend(first_unit(at, units));
        }
        map
    }

    /// The axes of the tensor.
    pub fn index_axes(&self) -> &[Axis] {
        match self.direction {
            Direction::ToPlace => &self.domain,
            Direction::ToIndex => &self.codomain,
        }
    }

    /// The axes of the places.
    pub fn place_axes(&self) -> &[Axis] {
        match self.direction {
            Direction::ToPlace => &self.codomain,
            Direction::ToIndex => &self.domain,
        }
    }

    /// The domain in another order: axis `k` after is axis `order[k]` before.
    pub(super) fn with_domain_order(&self, order: &[usize]) -> Map {
        let domain = order.iter().filter_map(|at| self.domain.get(*at).copied()).collect();
        // The stages want the old order: the place of each old axis among the new.
        let back = (0..order.len()).filter_map(|old| order.iter().position(|at| *at == old)).collect();
        Map {
            domain,
            stages: [&[Stage::Permute(back)], self.stages.as_slice()].concat(),
            unbounded_last_axis: false,
            ..self.clone()
        }
    }

    /// The codomain in another order.
    pub(super) fn with_codomain_order(&self, order: &[usize]) -> Map {
        let codomain = order.iter().filter_map(|at| self.codomain.get(*at).copied()).collect();
        Map { codomain, stages: [self.stages.as_slice(), &[Stage::Permute(order.to_vec())]].concat(), ..self.clone() }
    }

    /// The domain without an axis, which stays at 0.
    pub(super) fn without_axis(&self, at: usize) -> Map {
        let mut map = self.clone();
        map.domain.remove(at);
        map.stages.insert(0, Stage::Linearise { at, count: 0, sums: vec![(0, Vec::new())] });
        map.unbounded_last_axis = false;
        map
    }

    /// The domain with one more axis, which has the single value 0.
    pub(super) fn with_single_axis(&self, at: usize, name: Name, unit: Unit) -> Map {
        let mut map = self.clone();
        map.domain.insert(at, Axis { name, extent: 1, unit });
        map.stages.insert(0, Stage::Linearise { at, count: 1, sums: Vec::new() });
        map.unbounded_last_axis = false;
        map
    }

    /// The codomain without an axis.
    pub(super) fn without_place(&self, at: usize) -> Map {
        let mut map = self.clone();
        map.codomain.remove(at);
        map.stages.push(Stage::Linearise { at, count: 1, sums: Vec::new() });
        map
    }

    /// The domain with neighbouring axes seen as one, the first the fastest.
    pub(super) fn with_joined(&self, at: usize, count: usize, name: Name) -> Result<Map, Error> {
        let parts = self.domain.get(at..at + count).unwrap_or(&[]);
        let axis = Axis { name, extent: size(parts)?, unit: self.unit_of(parts) };
        let mut map = self.clone();
        map.stages.insert(0, split(at, parts));
        map.domain.splice(at..at + count, [axis]);
        map.unbounded_last_axis = false;
        Ok(map)
    }

    /// The codomain with one more axis, on which all is 0.
    pub(super) fn with_place(&self, at: usize, axis: Axis) -> Map {
        let mut map = self.clone();
        map.codomain.insert(at, axis);
        map.stages.push(Stage::Linearise { at, count: 0, sums: vec![(0, Vec::new())] });
        map
    }

    /// The codomain as the given number of coordinates, where it leaves some of them out; `None` where it does not.
    pub(super) fn completed(&self, count: usize) -> Option<Map> {
        let paths: Vec<Path> = self.codomain.iter().map(Axis::path).collect::<Option<_>>()?;
        let last = match paths.last()?.as_slice() {
            [last] if *last < count && paths.iter().all(|path| path.len() == 1) => *last,
            _ => return None,
        };
        if last < paths.len() || !paths.is_sorted() {
            return None;
        }
        let missing = (0..last).filter(|dim| !paths.contains(&vec![*dim]));
        Some(missing.fold(self.clone(), |map, dim| map.with_place(dim, Axis::dim(dim, 1))))
    }

    /// Without axes of places that have a single value and no unit of memory.
    pub fn without_single_places(&self) -> Map {
        let mut map = self.clone();
        let single = |axis: &Axis| axis.extent == 1 && axis.unit == Unit::Part;
        while let Some(at) = map.place_axes().iter().position(single) {
            map = if map.direction == Direction::ToPlace { map.without_place(at) } else { map.without_axis(at) };
        }
        map
    }

    /// Registers, lanes, warps and blocks as threads and values: a thread is a lane, then a warp, then a block.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let fragment = bitstride_lang::evaluate("linear<{register=[[1]], lane=[[2],[4]], warp=[[8]]}, out=[dim0:16]>")?;
    /// let map = Map::of_linear(&fragment.value.as_linear()?)?.by_thread()?;
    /// assert_eq!(map.domain()[0].to_string(), "thread:8");
    /// assert_eq!(map.at(&[6, 1])?, Some(vec![13]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn by_thread(&self) -> Result<Map, Error> {
        let at = |name: Name| self.domain.iter().position(|axis| axis.name == name);
        let threads: Vec<usize> = [Name::LANE, Name::WARP, Name::BLOCK].into_iter().filter_map(at).collect();
        let values: Vec<usize> = at(Name::REGISTER).into_iter().collect();
        if threads.len() + values.len() != self.domain.len() {
            return Ok(self.clone());
        }
        let mut map = self.with_domain_order(&[threads.as_slice(), &values].concat());
        for (at, (count, name)) in [(threads.len(), Name::THREAD), (values.len(), Name::VALUE)].into_iter().enumerate()
        {
            if count > 0 {
                map = map.with_joined(at.min(threads.len()), count, name)?;
            }
        }
        Ok(map)
    }

    /// Threads and values as lanes, warps and registers, for the given number of lanes in a warp; axes that are such
    /// already stay.
    ///
    /// # Errors
    /// [`Code::Kind`] for a map that leads from anything else; [`Code::NotDivisible`] when the threads are no whole warps.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let fragment = bitstride_lang::evaluate("tv((64,2):(2,1), (128))")?.value.as_map()?;
    /// assert_eq!(fragment.by_warp(32)?.to_string(), "register:2, lane:32, warp:2 -> dim0:128");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn by_warp(&self, lanes: i64) -> Result<Map, Error> {
        let among = |names: &[Name]| self.domain.iter().all(|axis| names.contains(&axis.name));
        if self.direction != Direction::ToIndex
            || !among(&[Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK]) && !among(&[Name::THREAD, Name::VALUE])
        {
            return Err(error!(
                Code::Kind,
                "{map} does not lead from registers and lanes, nor from threads and values",
                [map = self]
            )
            .with_help("`tv(L, (16,8))` says that the modes of a layout are the threads and values of a tile"));
        }
        let mut map = self.clone();
        if let Some(at) = self.domain.iter().position(|axis| axis.name == Name::THREAD) {
            let threads = self.domain.get(at).map_or(0, |axis| axis.extent);
            if threads < lanes || threads % lanes.max(1) != 0 {
                return Err(error!(
                    Code::NotDivisible,
                    "{threads} threads are no whole warps of {lanes} lanes",
                    [threads, lanes]
                )
                .with_help("a layout of registers, lanes, warps and blocks has warps of any size"));
            }
            let part = |name: Name, extent: i64| Axis { name, extent, unit: Unit::Part };
            map.domain.splice(at..=at, [part(Name::LANE, lanes), part(Name::WARP, threads / lanes.max(1))]);
            map.stages.insert(0, Stage::Linearise { at, count: 2, sums: vec![(0, vec![1, lanes])] });
            map.unbounded_last_axis = false;
        }
        if let Some(value) = map.domain.iter_mut().find(|axis| axis.name == Name::VALUE) {
            value.name = Name::REGISTER;
        }
        let place = |name: Name| map.domain.iter().position(|axis| axis.name == name);
        let order: Vec<usize> =
            [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK].into_iter().filter_map(place).collect();
        Ok(map.with_domain_order(&order))
    }

    /// The same map with other names for its domain, which count something else, and in another direction: `names` are as many
    /// as axes.
    ///
    /// ```
    /// use bitstride::map::{Direction, Map, Unit};
    /// use bitstride::linear::Name;
    /// let map = Map::of_layout(&"(4,2):(2,1)".parse()?)?;
    /// let fragment = map.with_names(&[Name::THREAD, Name::VALUE], Unit::Part, Direction::ToIndex);
    /// assert_eq!(fragment.domain()[0].to_string(), "thread:4");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn with_names(&self, names: &[Name], unit: Unit, direction: Direction) -> Map {
        let named = self.domain.iter().zip(names).map(|(axis, name)| Axis { name: *name, unit, ..*axis });
        let unit = if direction == Direction::ToIndex { Unit::Index } else { Unit::Element };
        let codomain = self.codomain.iter().map(|axis| Axis { unit, ..*axis }).collect();
        Map { domain: named.collect(), codomain, direction, ..self.clone() }
    }

    /// The map into coordinates of a tile instead of its flat index, the first dim the fastest.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when it leads to more than a flat index; [`Code::Range`] when it reaches beyond the tile,
    /// or below 0; [`Code::Undecided`] where that is not known within the budget of 2^20; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let flat = Map::of_layout(&"((4,8),(2,2)):((32,1),(16,8))".parse()?)?;
    /// assert_eq!(flat.into_tile(&[16, 8])?.at(&[5, 1])?, Some(vec![1, 3]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn into_tile(&self, extents: &[i64]) -> Result<Map, Error> {
        if self.codomain.len() != 1 {
            return Err(error!(Code::RankMismatch, "{map} does not lead to a flat index", [map = self]));
        }
        let axes: Vec<Axis> = extents.iter().enumerate().map(|(at, extent)| Axis::dim(at, *extent)).collect();
        let (least, most) = self.reach()?;
        let room = size(&axes)?;
        if least < 0 || most >= room {
            let far = if least < 0 { least } else { most };
            return Err(error!(
                Code::Range,
                "index {far} is reached, but a tile {extents} has {room} elements",
                [far, extents = listed(extents), room]
            ));
        }
        let stages = [self.stages.as_slice(), &Order::ColumnMajor.split(&axes)].concat();
        Ok(Map { codomain: axes, stages, unbounded_last_axis: false, codomain_exact: true, ..self.clone() })
    }

    /// The map whose places all lie a constant further on.
    ///
    /// # Errors
    /// [`Code::Kind`] when the places are no single offset; [`Code::Range`] when the constant is below 0; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let further = Map::of_array(&"f32[3,5]{1,0}".parse()?)?.shifted(100)?;
    /// assert_eq!((further.at(&[2, 3])?, further.codomain()[0].extent), (Some(vec![113]), 115));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn shifted(&self, by: i64) -> Result<Map, Error> {
        let ([axis], Direction::ToPlace) = (self.codomain.as_slice(), self.direction) else {
            return Err(error!(Code::Kind, "the places of {map} are no single offset", [map = self]));
        };
        if by < 0 {
            return Err(error!(Code::Range, "places begin at 0, so that {by} cannot be added to them", [by]));
        }
        let extent = axis.extent.checked_add(by).ok_or_else(|| Error::overflow("the places of a layout further on"))?;
        let add = Stage::Linearise { at: 0, count: 1, sums: vec![(by, vec![1])] };
        let stages = self.stages.iter().cloned().chain([add]).collect();
        Ok(Map { codomain: vec![Axis { extent, ..*axis }], stages, ..self.clone() })
    }

    /// The map with places counted in other units: `factor` of them make one of before.
    ///
    /// # Errors
    /// [`Code::Kind`] when the places are no single offset in elements; [`Code::Range`] for a factor below 1;
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Map, Unit};
    /// let bytes = Map::of_layout(&"8:1".parse()?)?.in_units(2, Unit::Byte)?;
    /// assert_eq!(bytes.at(&[5])?, Some(vec![10]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn in_units(&self, factor: i64, unit: Unit) -> Result<Map, Error> {
        self.finer(Unit::Element, factor, unit)
    }

    /// The map with places counted in bits where they are counted in bytes.
    pub(super) fn bytes_in_bits(&self) -> Result<Map, Error> {
        self.finer(Unit::Byte, 8, Unit::Bit)
    }

    /// The map with places counted in a finer unit.
    fn finer(&self, from: Unit, factor: i64, unit: Unit) -> Result<Map, Error> {
        let Some(at) = self.place_axes().iter().position(|axis| axis.unit == from) else {
            return Err(error!(Code::Kind, "{map} has no places that are counted in {from}s", [map = self, from]));
        };
        if factor < 1 {
            return Err(error!(Code::Range, "an element of {factor} units", [factor]));
        }
        let mut map = self.clone();
        let side = if self.direction == Direction::ToPlace { &mut map.codomain } else { &mut map.domain };
        if let Some(axis) = side.get_mut(at) {
            let extent = axis.extent.checked_mul(factor).ok_or_else(|| Error::overflow("the size in smaller units"))?;
            *axis = Axis { extent, unit, ..*axis };
        }
        match self.direction {
            Direction::ToPlace => map.stages.push(Stage::Linearise { at, count: 1, sums: vec![(0, vec![factor])] }),
            // An element is identified by its first unit only.
            Direction::ToIndex => {
                map.stages.splice(0..0, first_unit(at, factor));
            }
        }
        map.unbounded_last_axis = false;
        Ok(map)
    }
}

/// An element is identified by the first of its units only.
fn first_unit(at: usize, units: i64) -> [Stage; 3] {
    let drop = Stage::Linearise { at, count: 1, sums: Vec::new() };
    [Stage::Delinearise { at, radices: vec![units] }, Stage::Guard { at, extent: 1 }, drop]
}

/// An integer among others as neighbouring axes, the first the fastest.
fn split(at: usize, axes: &[Axis]) -> Stage {
    match axes.split_last() {
        Some((_, faster)) => Stage::Delinearise { at, radices: faster.iter().map(|axis| axis.extent.max(1)).collect() },
        None => Stage::Linearise { at, count: 1, sums: Vec::new() },
    }
}
