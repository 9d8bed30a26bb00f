//! Lowers CuTe layouts, with swizzles and offsets. Each top-level mode is an axis and its leaves are digits, the last
//! of which has no bound.
//!
//! Integer strides lead to an offset. Strides that are basis vectors lead to a coordinate for each path that they name,
//! `1@0` to `dim0` and `1@0@1` to `dim1_0`, even where only a leaf of extent 1 names it.

use std::collections::BTreeSet;

use super::super::bounds::Bounds;
use super::super::symbolic::Symbolic;
use super::super::{Axis, Direction, Form, Map, Stage, Unit};
use crate::basis::{Path, Stride, StrideLeaf};
use crate::cast::narrow;
use crate::cute::{Function, Layout, Swizzle};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};

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

    /// The map of a layout that may be swizzled.
    ///
    /// # Errors
    /// [`Code::Kind`] for a swizzle without a layout, and for strides that cannot be added, an integer and a basis vector, or
    /// vectors of a coordinate and of an entry of it; [`Code::NotALayout`] for a swizzle of coordinates, or
    /// an integer that is added to them; [`Code::Profile`] for a layout of coordinates that has not one mode for each;
    /// [`Code::MissingFact`] for an unknown extent or stride; [`Code::TooLarge`] for a path that no name holds;
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::{cute::{Function, Swizzle}, map::Map};
    /// let inner: bitstride::Layout = "(8,64):(64,1)".parse()?;
    /// let swizzle = Function::Swizzle(Swizzle::new(3, 3, 3)?);
    /// let map = Map::of_function(&Function::compose(swizzle, 0.into(), Function::Layout(inner)))?;
    /// assert_eq!(map.at(&[1, 0])?, Some(vec![72]));
    /// let coordinates: bitstride::Layout = "((2,2),3):((1@0,2@1),1@0+1@1)".parse()?;
    /// assert_eq!(Map::of_layout(&coordinates)?.to_string(), "dim0:4, dim1:3 -> dim0:4, dim1:5");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_function(function: &Function) -> Result<Map, Error> {
        let start = innermost(function);
        let mut built = Built::of(function.domain()?, &start)?;
        built.shift(&start)?;
        built.outer(function)?;
        built.finish(matches!(function, Function::Layout(_) | Function::Offset(_)))
    }
}

impl Map {
    /// The map of a layout under a swizzle of bytes, with places counted in units of `unit` bits, 1 or 8; nothing for any
    /// other function. An element is led to the unit of its first bit, also where the swizzle moves bits inside it.
    ///
    /// # Errors
    /// As [`Map::of_function`]; [`Code::Kind`] for elements of other bits.
    pub fn of_byte_swizzle(function: &Function, bits: i64, unit: Unit) -> Result<Option<Map>, Error> {
        let Function::Composed(composed) = function else { return Ok(None) };
        let Function::Bytes(bytes) = composed.outer else { return Ok(None) };
        if bytes.bits() != bits {
            return Err(error!(
                Code::Kind,
                "the elements of {function} have {bytes_bits} bits, not {bits}",
                [function, bytes_bits = bytes.bits(), bits]
            ));
        }
        let (units, swizzle) = match unit {
            Unit::Bit => (bits, bytes.swizzle().downcast(3)?),
            _ => (bits / 8, bytes.swizzle()),
        };
        let start = innermost(&composed.inner);
        let mut built = Built::of(function.domain()?, &start)?;
        built.shift(&start)?;
        built.outer(&composed.inner)?;
        built.shift(&Stride::Int(composed.offset.clone()))?;
        if built.leads_to_coordinates() {
            return Err(no_offset(&bytes.to_string()));
        }
        built.push(Stage::Linearise { at: 0, count: 1, sums: vec![(0, vec![units])] });
        built.swizzle(swizzle);
        let mut map = built.finish(false)?;
        for axis in &mut map.codomain {
            let extent = axis.extent.checked_add(units - 1).filter(|_| axis.extent > 0).unwrap_or(axis.extent);
            *axis = Axis { extent, unit, ..*axis };
        }
        map.unbounded_last_axis = false;
        Ok(Some(map))
    }
}

/// Where the innermost layout starts.
fn innermost(function: &Function) -> Stride {
    match function {
        Function::Offset(slice) => slice.offset.clone(),
        Function::Composed(composed) => innermost(&composed.inner),
        Function::Layout(_) | Function::Swizzle(_) | Function::Bytes(_) => Stride::default(),
    }
}

/// The stages so far, and between which numbers they lead.
struct Built {
    axes: Vec<Axis>,
    stages: Vec<Stage>,
    bounds: Bounds,
    /// What is led to: the empty path for an offset, else the coordinates in order.
    paths: Vec<Path>,
    /// Whether the last leaf has no bound.
    unbounded_last_axis: bool,
}

impl Built {
    /// The innermost layout: each mode is delinearised into its leaves, which are linearised. An offset that is added
    /// later may name coordinates too.
    fn of(domain: &Layout, offset: &Stride) -> Result<Self, Error> {
        let (paths, unbounded_last_axis) = paths(domain, offset)?;
        let modes = modes(domain);
        let mut axes = Vec::new();
        for (mode, layout) in modes.iter().enumerate() {
            axes.push(Axis::dim(mode, layout.size()?.as_number()?));
        }
        let mut built =
            Built { bounds: Bounds::of(&axes), stages: Vec::new(), axes, paths: Vec::new(), unbounded_last_axis };
        let mut at = 0;
        for layout in &modes {
            let extents = numbers(layout.extents())?;
            built.split(at, &extents);
            at += extents.len();
        }
        built.join(domain, paths)?;
        Ok(built)
    }

    fn push(&mut self, stage: Stage) {
        self.bounds.stage(&stage);
        self.stages.push(stage);
    }

    /// Splits an integer into the leaves of a mode, the last of which has no bound.
    fn split(&mut self, at: usize, extents: &[i64]) {
        self.push(match extents.split_last() {
            Some((_, radices)) => {
                Stage::Delinearise { at, radices: radices.iter().map(|radix| *radix.max(&1)).collect() }
            }
            None => Stage::Linearise { at, count: 1, sums: Vec::new() },
        });
    }

    /// Joins the leaves of a layout into what it leads to.
    fn join(&mut self, layout: &Layout, paths: Vec<Path>) -> Result<(), Error> {
        let sum = |path: &Path| Ok((0, layout.strides().iter().map(|d| factor(d, path)).collect::<Result<_, _>>()?));
        let sums = paths.iter().map(sum).collect::<Result<_, Error>>()?;
        self.push(Stage::Linearise { at: 0, count: layout.strides().len(), sums });
        self.paths = paths;
        Ok(())
    }

    /// Adds an offset.
    fn shift(&mut self, offset: &Stride) -> Result<(), Error> {
        if let Some(number) = offset.as_integer().filter(|number| number.value() != Some(0))
            && self.leads_to_coordinates()
        {
            return Err(no_offset(&format!("the offset {number}")));
        }
        for (at, path) in self.paths.clone().iter().enumerate() {
            let own = factor(offset, path)?;
            if own != 0 {
                self.push(Stage::Linearise { at, count: 1, sums: vec![(own, vec![1])] });
            }
        }
        Ok(())
    }

    fn leads_to_coordinates(&self) -> bool {
        !matches!(self.paths.as_slice(), [path] if path.is_empty())
    }

    /// What comes after the innermost layout.
    fn outer(&mut self, function: &Function) -> Result<(), Error> {
        let Function::Composed(composed) = function else { return Ok(()) };
        self.outer(&composed.inner)?;
        self.shift(&Stride::Int(composed.offset.clone()))?;
        self.apply(&composed.outer)
    }

    /// A function applied to the places so far.
    fn apply(&mut self, function: &Function) -> Result<(), Error> {
        match function {
            Function::Swizzle(swizzle) if self.leads_to_coordinates() => Err(no_offset(&swizzle.to_string())),
            Function::Bytes(bytes) if self.leads_to_coordinates() => Err(no_offset(&bytes.to_string())),
            Function::Swizzle(swizzle) => {
                self.swizzle(*swizzle);
                Ok(())
            }
            Function::Bytes(bytes) => {
                let (least, most) = self.bounds.at(0);
                // Bits above the greatest offset are not set.
                let set = match narrow(most) {
                    Ok(most @ 1..) if least >= 0 => i64::MAX >> (most.leading_zeros() - 1),
                    Ok(0) if least >= 0 => 0,
                    _ => -1,
                };
                self.swizzle(bytes.of_elements(set)?);
                Ok(())
            }
            Function::Layout(layout) => self.layout(layout),
            Function::Offset(slice) => {
                self.layout(&slice.layout)?;
                self.shift(&slice.offset)
            }
            Function::Composed(composed) => {
                self.apply(&composed.inner)?;
                self.shift(&Stride::Int(composed.offset.clone()))?;
                self.apply(&composed.outer)
            }
        }
    }

    /// A layout of an index, or of coordinates, one for each of its modes.
    fn layout(&mut self, layout: &Layout) -> Result<(), Error> {
        let parts = if self.leads_to_coordinates() { self.complete(layout)? } else { vec![layout.clone()] };
        let mut at = 0;
        for part in &parts {
            let extents = numbers(part.extents())?;
            let (least, _) = self.bounds.at(at);
            // CuTe cuts indices off towards 0, stages cut down; both agree from 0 on.
            if least < 0 && extents.len() > 1 || extents.contains(&0) {
                return Err(error!(
                    Code::NotALayout,
                    "{part} would have to take index {least}; it takes those from 0 on, if any",
                    [part, least]
                ));
            }
            self.split(at, &extents);
            at += extents.len();
        }
        let (paths, all) = paths(layout, &Stride::default())?;
        if !all {
            return Err(error!(
                Code::Kind,
                "{layout} has strides that cannot be added, and may be taken beyond its extents",
                [layout]
            ));
        }
        self.join(layout, paths)
    }

    /// The modes of a layout, each with one coordinate: those that are left out are 0.
    fn complete(&mut self, layout: &Layout) -> Result<Vec<Layout>, Error> {
        let modes = modes(layout);
        let last = self.paths.last().and_then(|path| path.first()).copied();
        if last.map_or(0, |last| last + 1) != modes.len() || self.paths.iter().any(|path| path.len() != 1) {
            let coordinates = into(&self.paths, |_| 1)?;
            let names = coordinates.iter().map(|axis| axis.name.to_string()).collect::<Vec<_>>().join(", ");
            return Err(error!(
                Code::Profile,
                "{layout} takes {modes} coordinates, but {names} are led to",
                [layout, modes = modes.len(), names]
            ));
        }
        for at in 0..modes.len() {
            if !self.paths.contains(&vec![at]) {
                self.push(Stage::Linearise { at, count: 0, sums: vec![(0, Vec::new())] });
            }
        }
        Ok(modes)
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
        self.push(Stage::Delinearise { at: 0, radices: vec![1i64 << bits] });
        self.push(Stage::Xor { at: 0, ins: vec![bits], outs: vec![bits], columns, flip: 0 });
        self.push(Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![1, 1i64 << bits])] });
    }

    /// The map, into the least memory or the least box of coordinates that is known to hold all: of a layout alone, `plain`,
    /// what its stages are bounded by; else what its form is, exactly so without patterns.
    fn finish(self, plain: bool) -> Result<Map, Error> {
        let mut bounds: Vec<_> = (0..self.paths.len()).map(|at| self.bounds.at(at)).collect();
        let mut codomain_exact = plain && bounds.iter().all(|(least, _)| *least >= 0);
        let empty = self.axes.iter().any(|axis| axis.extent == 0);
        let any = into(&self.paths, |_| 0)?;
        if !plain
            && let Ok(form) = Form::of(&Map::new(self.axes.clone(), self.stages.clone(), any, Direction::ToPlace)?)
        {
            let symbolic = Symbolic::from_form(&form);
            codomain_exact = true;
            for (sum, (_, most)) in symbolic.row.iter().zip(&mut bounds) {
                let (low, high) = symbolic.range(sum);
                *most = symbolic.bits(sum).map_or(high, |bits| high.min(bits)).min(*most);
                codomain_exact &= low >= 0 && sum.mask() == 0;
            }
        }
        let extent = |at: usize| match bounds.get(at) {
            Some((_, most)) if !empty => most.saturating_add(1).max(0),
            _ => 0,
        };
        let codomain = into(&self.paths, extent)?;
        let map = Map::new(self.axes, self.stages, codomain, Direction::ToPlace)?
            .with_unbounded_last_axis(codomain_exact || empty);
        Ok(if self.unbounded_last_axis { map } else { Map { unbounded_last_axis: false, ..map } })
    }
}

/// The axes that are led to: the empty path is an offset.
fn into(paths: &[Path], extent: impl Fn(usize) -> i128) -> Result<Vec<Axis>, Error> {
    let axis = |(at, path): (usize, &Path)| {
        let extent = narrow(extent(at))?;
        if path.is_empty() { Ok(Axis::offset(extent)) } else { Axis::coordinate(path, extent) }
    };
    paths.iter().enumerate().map(axis).collect()
}

/// The top-level modes; an integer is one.
fn modes(layout: &Layout) -> Vec<Layout> {
    if layout.root().is_leaf() { vec![layout.clone()] } else { layout.modes() }
}

/// What a layout with an offset leads to, and whether all its leaves may be taken: one of extent 1 is left out where its stride
/// cannot be added to the others.
fn paths(layout: &Layout, offset: &Stride) -> Result<(Vec<Path>, bool), Error> {
    let (single, longer): (Vec<_>, Vec<_>) =
        layout.extents().iter().zip(layout.strides()).partition(|(extent, _)| extent.value() == Some(1));
    let mut paths: BTreeSet<Path> = BTreeSet::new();
    for stride in longer.iter().map(|(_, stride)| *stride).chain([offset]) {
        paths.extend(named(stride)?);
    }
    if let Some((path, next)) = overlapping(&paths) {
        let what = |path: &Path| match path.is_empty() {
            true => "an integer".to_owned(),
            false => format!("a step of {}", Stride::basis(Int::from(1), path.clone())),
        };
        return Err(error!(
            Code::Kind,
            "{what} and {what_next} cannot be added in {layout}",
            [what = what(path), what_next = what(next), layout]
        ));
    }
    let mut all = true;
    for (_, stride) in single {
        let mut more = paths.clone();
        more.extend(named(stride)?);
        match overlapping(&more) {
            None => paths = more,
            Some(_) => all = false,
        }
    }
    Ok((if paths.is_empty() { vec![Path::new()] } else { paths.into_iter().collect() }, all))
}

/// A coordinate and an entry of it, if both are there; an integer is the whole of which all are entries.
fn overlapping(paths: &BTreeSet<Path>) -> Option<(&Path, &Path)> {
    // A path sorts right before those that go on from it.
    paths.iter().zip(paths.iter().skip(1)).find(|(path, next)| next.starts_with(path))
}

/// The paths on which a stride is not 0.
fn named(stride: &Stride) -> Result<Vec<Path>, Error> {
    let mut named = Vec::new();
    for (path, factor) in stride.components() {
        if factor.as_number()? != 0 {
            named.push(path);
        }
    }
    Ok(named)
}

/// What a stride adds to a coordinate, or to the offset, the empty path.
fn factor(stride: &Stride, path: &Path) -> Result<i64, Error> {
    let own = stride.components().into_iter().find(|(other, _)| other == path);
    own.map_or(Ok(0), |(_, factor)| factor.as_number())
}

fn no_offset(what: &str) -> Error {
    error!(Code::NotALayout, "{what} is for an offset in memory, but the layout leads to coordinates", [what])
}

fn numbers(list: &[Int]) -> Result<Vec<i64>, Error> {
    list.iter().map(Int::as_number).collect()
}
