//! [`Repack`]: the tensors of one format from those of another, field by field.
//!
//! A field whose values are stored alike is moved by plans of `bitstride-relayout`, one for each pair of pieces; one whose
//! values are stored otherwise is read, mapped and written value by value, and a value outside of the domain ends it.
//!
//! Law: every element is where the format says, with the value that it had; a repack that would lose a value is refused.

use std::ops::Range;
use std::sync::OnceLock;

use bitstride::cast::{index, length, narrow};
use bitstride::map::{Axis, Direction, Form, Map, Stage};
use bitstride::{Code, Error, error};
use bitstride_relayout::{Element, Joined, Plan};

use crate::check::{aligned, mapped};
use crate::format::{Field, Format, Tensor};
use crate::overlap::check_apart;
use crate::places::Places;
use crate::runs::Runs;
use crate::stored::Stored;

/// How to make the tensors of one format from those of another.
#[derive(Clone, Debug)]
pub struct Repack {
    /// The tensors that are read.
    pub from: Vec<Tensor>,
    /// The tensors that are written.
    pub to: Vec<Tensor>,
    moves: Vec<Move>,
    /// Whether the fields are all of a tensor of the target: no bit of it is left as it was.
    covered: Vec<bool>,
    passes: OnceLock<Result<Vec<Pass>, Error>>,
}

/// What is moved between two tensors.
#[derive(Clone, Debug)]
struct Pass {
    between: [usize; 2],
    /// Each with the byte that is xored into what it writes, and where that is.
    plans: Vec<(Plan, u8, Option<Runs>)>,
    /// All of them at once, where that pays.
    joined: Option<Joined>,
}

/// How a field is made.
#[derive(Clone, Debug)]
struct Move {
    field: String,
    /// The tensors, by number.
    from: usize,
    to: usize,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    /// Moves, behind which a constant is xored into what was written.
    Moved(Vec<Pair>, u8),
    /// Value by value.
    Values(Box<Values>),
    /// The group of each channel is what its number and the size of a group say: nothing is stored.
    InOrder(Groups, Option<i64>),
    /// The same, which has to be written.
    Counted(Groups, i64),
}

/// The groups of channels: how many there are, in cells of how many bits, and what moves them there or from there.
#[derive(Clone, Debug)]
struct Groups {
    channels: i64,
    cell: i64,
    moves: Vec<Pair>,
}

/// What is moved at once: the maps of both sides in units. Its plan is made when it runs: one without digits surveys every
/// element.
#[derive(Clone, Debug)]
struct Pair {
    maps: Box<[Map; 2]>,
    unit: Element,
    /// The bytes of the target that it writes, where they are runs of whole bytes.
    written: Option<Runs>,
}

/// A field whose values are mapped: a slab of it after the other is moved to where each value stands alone, mapped, and moved to its
/// place.
#[derive(Clone, Debug)]
struct Values {
    from: Places,
    to: Places,
    /// The axes of the target, by number, as those of the source stand.
    order: Vec<usize>,
    shape: Vec<i64>,
    /// What is done to the bits, in order.
    steps: Vec<Stored>,
    /// The bits of an element on both sides, and of the room in which it stands alone.
    bits: [i64; 2],
    cells: [i64; 2],
    /// The axis that is cut in slabs, and how many coordinates a slab has.
    axis: usize,
    slab: i64,
}

/// About how many elements a slab has: what they take stays in the caches of a processor.
const SLAB_ELEMENTS: i64 = 1 << 18;

/// Kinds that say nothing of the values but their bits.
const OPAQUE: [&str; 3] = ["value", "bytes", "scale"];

/// What [`Format`] calls the group of each in-feature.
const GROUP: &str = "group";

impl Repack {
    /// The repack of all fields, or of some.
    ///
    /// # Errors
    /// [`Code::Kind`] where the target stores other codes; [`Code::NotALayout`] for a field that only one of the formats
    /// has; [`Code::Overlap`] where the target has two values at one bit; [`Code::RankMismatch`] and [`Code::Range`] for formats of other tensors; otherwise as [`Map::new`].
    ///
    /// ```
    /// use bitstride_formats::{Repack, Zoo};
    /// let zoo = Zoo::builtin();
    /// let (low, high) = (zoo.format("fp4:pairs,n=1,k=4")?, zoo.format("bnb:fp4,n=1,k=4")?);
    /// assert!(Repack::new(&low, &high, Some(&["codes"])).is_err(), "E2M1 and FP4 are other codes");
    /// let (nf4, low) = (zoo.format("bnb:nf4,n=1,k=4")?, zoo.format("pairs:low,n=1,k=4,kind=nf4")?);
    /// let repack = Repack::new(&nf4, &low, Some(&["codes"]))?;
    /// assert_eq!(repack.run(&[&[0x12, 0x34], &[]])?, [[0x21, 0x43]]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(from: &Format, to: &Format, fields: Option<&[&str]>) -> Result<Self, Error> {
        let chosen = |name: &str| fields.is_none_or(|fields| fields.contains(&name));
        for (name, error) in from.open.iter().chain(&to.open) {
            if chosen(name) {
                return Err(error.clone());
            }
        }
        for name in fields.into_iter().flatten() {
            from.field(name)?;
        }
        let mut moves = Vec::new();
        for own in from.fields.iter().filter(|own| chosen(&own.name)) {
            let how = match to.fields.iter().find(|other| other.name == own.name) {
                Some(other) => Some((other.tensor, how(own, other).map_err(|why| why.about(&own.name))?)),
                None if own.kind == GROUP => {
                    let size = group_size(from);
                    Some((0, How::InOrder(Groups::new(&own.places, true)?, size)))
                }
                None => None,
            };
            let Some((target, how)) = how else { return Err(lost(&own.name, from, to)) };
            moves.push(Move { field: own.name.clone(), from: own.tensor, to: target, how });
        }
        for other in to.fields.iter().filter(|other| chosen(&other.name)) {
            if from.fields.iter().any(|own| own.name == other.name) {
                continue;
            }
            let Some(group) = group_size(to).filter(|_| other.kind == GROUP) else {
                return Err(error!(
                    Code::NotALayout,
                    "{name} has no {other_name}, which {to_name} needs",
                    [name = from.name, other_name = other.name, to_name = to.name]
                )
                .with_help("choose the fields with --field"));
            };
            let how = How::Counted(Groups::new(&other.places, false)?, group);
            moves.push(Move { field: other.name.clone(), from: 0, to: other.tensor, how });
        }
        let mut covered = Vec::new();
        for (number, tensor) in to.tensors.iter().enumerate() {
            let written = to.fields.iter().filter(|own| own.tensor == number && chosen(&own.name));
            let pieces: Vec<_> = written.flat_map(|own| own.places.pieces()).collect();
            check_apart(&pieces)?;
            // They are apart, so that as many bits as the tensor has are all of them.
            let bits = pieces.iter().try_fold(0, |sum, piece| Ok::<_, Error>(sum + i128::from(piece.map.size()?)))?;
            covered.push(bits == i128::from(tensor.bytes()?) * 8);
        }
        Ok(Repack { from: from.tensors.clone(), to: to.tensors.clone(), moves, covered, passes: OnceLock::new() })
    }

    /// The tensors of the target from those of the source, in the order of both formats. A tensor of which no field is
    /// chosen may be empty, and is empty in the answer.
    ///
    /// # Errors
    /// [`Code::Range`] for a tensor that is too short, or a value that the target cannot store, with its element; otherwise as
    /// [`Plan::new`].
    pub fn run(&self, sources: &[&[u8]]) -> Result<Vec<Vec<u8>>, Error> {
        let mut targets = Vec::new();
        for (at, tensor) in self.to.iter().enumerate() {
            let is_written = |own: &Move| own.to == at && !matches!(own.how, How::InOrder(..));
            let bytes = if self.moves.iter().any(is_written) { index(tensor.bytes()?)? } else { 0 };
            targets.push(vec![tensor.fill; bytes]);
        }
        let mut slices: Vec<&mut [u8]> = targets.iter_mut().map(Vec::as_mut_slice).collect();
        self.run_into(sources, &mut slices)?;
        Ok(targets)
    }

    /// How many fields are moved.
    pub fn fields(&self) -> usize {
        self.moves.len()
    }

    /// Which tensors of the source and of the target a field is moved between; none where nothing is read or written.
    pub fn tensors_of(&self, field: usize) -> Option<(Option<usize>, Option<usize>)> {
        self.moves.get(field).map(|own| match own.how {
            How::InOrder(..) => (Some(own.from), None),
            How::Counted(..) => (None, Some(own.to)),
            _ => (Some(own.from), Some(own.to)),
        })
    }

    /// Whether the fields are all of a tensor of the target, so that its memory may hold anything before.
    pub fn covers(&self, tensor: usize) -> bool {
        self.covered.get(tensor).copied().unwrap_or(false)
    }

    /// Makes the fields in tensors that hold the byte that fills them, or anything where the fields cover them.
    ///
    /// # Errors
    /// As [`Repack::run`].
    pub fn run_into(&self, sources: &[&[u8]], targets: &mut [&mut [u8]]) -> Result<(), Error> {
        let passes = self.passes()?;
        let mut done: Vec<[usize; 2]> = Vec::new();
        for own in &self.moves {
            let between = [own.from, own.to];
            let source = sources.get(own.from).copied().unwrap_or(&[]);
            let target = targets.get_mut(own.to).map_or(&mut [][..], |target| &mut **target);
            let mut run = || match &own.how {
                How::Moved(..) if done.contains(&between) => Ok(()),
                How::Moved(..) => {
                    done.push(between);
                    let pass = passes.iter().find(|pass| pass.between == between);
                    pass.map_or(Ok(()), |pass| pass.run(source, target))
                }
                How::Values(values) => values.run(source, target),
                How::InOrder(groups, size) => groups.in_order(*size, source),
                How::Counted(groups, size) => groups.counted(*size, target),
            };
            run().map_err(|error| error.about(&own.field))?;
        }
        Ok(())
    }

    /// The passes between pairs of tensors, made when they are first run.
    fn passes(&self) -> Result<&[Pass], Error> {
        let made = self.passes.get_or_init(|| {
            let mut passes: Vec<Pass> = Vec::new();
            for own in &self.moves {
                let (between, How::Moved(pairs, mask)) = ([own.from, own.to], &own.how) else { continue };
                let mut plans = Vec::new();
                for pair in pairs {
                    let plan = Plan::new(&pair.maps[0], &pair.maps[1], pair.unit);
                    plans.push((plan.map_err(|error| error.about(&own.field))?, *mask, pair.written.clone()));
                }
                match passes.iter_mut().find(|pass| pass.between == between) {
                    Some(pass) => pass.plans.extend(plans),
                    None => passes.push(Pass { between, plans, joined: None }),
                }
            }
            for pass in &mut passes {
                let all: Vec<(&Plan, u8)> = pass.plans.iter().map(|(plan, mask, _)| (plan, *mask)).collect();
                pass.joined = Joined::new(&all);
            }
            Ok(passes)
        });
        made.as_deref().map_err(Clone::clone)
    }
}

impl Pass {
    fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        if let Some(joined) = &self.joined {
            return joined.run(source, target);
        }
        for (plan, mask, written) in &self.plans {
            plan.run(source, target)?;
            let written = written.as_ref().filter(|_| *mask != 0);
            written.map_or(Ok(()), |written| written.xor(target, *mask))?;
        }
        Ok(())
    }
}

/// How many channels a group has: all of them where the format says -1.
fn group_size(format: &Format) -> Option<i64> {
    let group = format.number("group")?;
    if group == -1 { format.number("k") } else { Some(group) }.filter(|size| *size > 0)
}

fn lost(name: &str, from: &Format, to: &Format) -> Error {
    error!(
        Code::NotALayout,
        "{to_name} has no place for {name} of {from_name}, which would be lost",
        [to_name = to.name, name, from_name = from.name]
    )
    .with_help("choose the fields with --field")
}

/// How a field is made of another.
fn how(from: &Field, to: &Field) -> Result<How, Error> {
    let is_open = |kind: &str| OPAQUE.contains(&kind);
    if from.kind != to.kind && !is_open(&from.kind) && !is_open(&to.kind) {
        return Err(error!(
            Code::Kind,
            "the codes are {kind} in one format and {to_kind} in the other",
            [kind = from.kind, to_kind = to.kind]
        )
        .with_help("that is a conversion of values, which no repack does"));
    }
    let order = aligned(&from.places, &to.places)?;
    let bits = from.places.element_bits();
    let steps = mapped(&from.stored, &to.stored);
    if steps.iter().fold(bits, |bits, step| step.stored_bits(bits)) != to.places.element_bits() {
        return Err(error!(
            Code::Kind,
            "elements have {bits} bits in one format and {element_bits} in the other",
            [bits, element_bits = to.places.element_bits()]
        ));
    }
    // The byte of whole elements; parts of elements would need parts of the constant.
    let mask = match steps.as_slice() {
        [] => Some(0),
        [Stored::Xor(constant)] if matches!(bits, 1 | 2 | 4 | 8) => {
            let byte = (0..8).step_by(usize::try_from(bits).unwrap_or(8)).fold(0, |byte, at| byte | constant << at);
            u8::try_from(byte & 0xff).ok()
        }
        _ => None,
    };
    if let Some(mask) = mask
        && let Some(pairs) = pairs(&from.places, &to.places, &order)?
        && (mask == 0 || pairs.iter().all(|pair| pair.written.is_some() && pair.unit.bits() == bits))
    {
        return Ok(How::Moved(pairs, mask));
    }
    Values::new(from, to, order, steps).map(|values| How::Values(Box::new(values)))
}

/// The bits of the cell in which an element stands alone: a power of two.
fn cell(bits: i64) -> i64 {
    u64::try_from(bits).map_or(64, |bits| i64::try_from(bits.next_power_of_two()).unwrap_or(64))
}

/// The bytes of a given number of cells.
fn room(elements: i64, cell: i64) -> Result<usize, Error> {
    index(narrow((i128::from(elements) * i128::from(cell) + 7) / 8)?)
}

/// What moves a field from some places to others; none where these cut axes in ways that have no common digits.
fn pairs(from: &Places, to: &Places, order: &[usize]) -> Result<Option<Vec<Pair>>, Error> {
    let Some(boxes) = from.boxes(to, order)? else { return Ok(None) };
    boxes.iter().map(Pair::new).collect::<Result<_, Error>>().map(Some)
}

impl Pair {
    fn new([source, target]: &[Map; 2]) -> Result<Self, Error> {
        let unit = unit(source, target);
        let element = Element::of_bits(u32::try_from(unit).map_err(|_| Error::overflow("a unit"))?)?;
        let maps = Box::new([in_units(source, unit)?, in_units(target, unit)?]);
        let written = Runs::of(&maps[1], unit);
        Ok(Pair { maps, unit: element, written })
    }

    fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        Plan::new(&self.maps[0], &self.maps[1], self.unit)?.run(source, target)
    }
}

/// The last axis of a map, which counts the bits of an element.
fn bits_of(map: &Map) -> i64 {
    map.domain().last().map_or(1, |axis| axis.extent)
}

/// The widest power of two of bits of which elements consist on both sides, at places that are multiples of it.
fn unit(source: &Map, target: &Map) -> i64 {
    let whole = 1i64 << bits_of(source).trailing_zeros();
    let mut unit = whole.min(64);
    while unit > 1 && !(consists(source, unit) && consists(target, unit)) {
        unit /= 2;
    }
    unit
}

/// The map over units of bits: the last axis is cut into units and the bits of one.
fn cut(map: &Map, unit: i64) -> Result<Map, Error> {
    let rank = map.domain().len();
    let mut domain = map.domain().to_vec();
    if let Some(last) = domain.last_mut() {
        last.extent /= unit;
    }
    domain.push(Axis::dim(rank, unit));
    let join = Stage::Linearise { at: rank - 1, count: 2, sums: vec![(0, vec![unit, 1])] };
    Map::new(domain, [&[join], map.stages()].concat(), map.codomain().to_vec(), Direction::ToPlace)
}

/// Whether units of a given number of bits lie side by side at multiples of their size.
fn consists(map: &Map, unit: i64) -> bool {
    let Ok(form) = cut(map, unit).and_then(|map| Form::of(&map)) else { return false };
    form.sums.iter().all(|sum| {
        let digits = form.digits.iter().zip(sum.strides.iter().zip(&sum.xors));
        let fits = |(digit, (stride, xor)): (&bitstride::map::Digit, (&i64, &i64))| {
            let is_inside = digit.axis == map.domain().len();
            if is_inside { digit.weight == *stride && *xor == 0 } else { stride % unit == 0 && xor % unit == 0 }
        };
        sum.offset % unit == 0 && sum.flip % unit == 0 && digits.into_iter().all(fits)
    })
}

/// The map to places that are counted in units.
fn in_units(map: &Map, unit: i64) -> Result<Map, Error> {
    let rank = map.domain().len();
    let mut domain: Vec<Axis> = map.domain().iter().enumerate().map(|(at, axis)| Axis::dim(at, axis.extent)).collect();
    if let Some(last) = domain.last_mut() {
        last.extent /= unit;
    }
    let first = Stage::Linearise { at: rank - 1, count: 1, sums: vec![(0, vec![unit])] };
    let split = Stage::Delinearise { at: 0, radices: vec![unit] };
    let drop = Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![0, 1])] };
    let stages = [&[first], map.stages(), &[split, drop]].concat();
    let extent = map.codomain().first().map_or(0, |axis| axis.extent);
    Map::new(domain, stages, vec![Axis::offset(extent / unit + 1)], Direction::ToPlace)
}

/// The value of an element in memory.
pub(crate) fn value(places: &Places, point: &[i64], memory: &[u8]) -> Result<i64, Error> {
    let mut value = 0;
    for bit in 0..places.element_bits() {
        let place = places.at(point, bit)?;
        let byte = usize::try_from(place / 8).ok().and_then(|at| memory.get(at)).ok_or_else(|| short(memory))?;
        value |= i64::from(byte >> (place % 8) & 1) << bit;
    }
    Ok(value)
}

fn short(memory: &[u8]) -> Error {
    error!(
        Code::Range,
        "a tensor has {memory_count} bytes, and its format reaches further",
        [memory_count = memory.len()]
    )
}

fn listed(point: &[i64]) -> String {
    point.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// How many coordinates of an axis the digits below its slowest one count.
fn below_slowest(places: &Places, axis: usize) -> i64 {
    places.axes().get(axis).map_or(1, |axis| axis.digits.iter().rev().skip(1).product::<i64>()).max(1)
}

/// The map to places that are counted from a bit on.
fn counted_from(map: &Map, bit: i64) -> Result<Map, Error> {
    let back = Stage::Linearise { at: 0, count: 1, sums: vec![(-bit, vec![1])] };
    let stages = [map.stages(), &[back]].concat();
    Map::new(map.domain().to_vec(), stages, map.codomain().to_vec(), Direction::ToPlace)
}

impl Values {
    fn new(from: &Field, to: &Field, order: Vec<usize>, steps: Vec<Stored>) -> Result<Self, Error> {
        let (from, to) = (from.places.clone(), to.places.clone());
        let bits = [from.element_bits(), to.element_bits()];
        let shape = from.shape()?;
        let elements = from.elements()?;
        // Slabs are whole numbers of what the faster digits of both sides count, and as thin as can be.
        let cuts = shape.iter().zip(&order).enumerate().filter(|(_, (extent, _))| **extent > 0);
        let cuts = cuts.map(|(axis, (extent, other))| {
            let (one, two) = (below_slowest(&from, axis), below_slowest(&to, *other));
            let step = (one / bitstride::gcd(one, two).max(1)).saturating_mul(two).min(*extent);
            (elements / extent * step, axis, step)
        });
        let (thin, axis, step) = cuts.min().unwrap_or((1, 0, 1));
        let slab = step * (SLAB_ELEMENTS / thin.max(1)).max(1);
        let values = Values { from, to, order, shape, steps, bits, cells: bits.map(cell), axis, slab };
        values.moves(&(0..values.extent().min(slab)))?;
        Ok(values)
    }

    fn extent(&self) -> i64 {
        self.shape.get(self.axis).copied().unwrap_or(0)
    }

    /// The elements of one coordinate of the axis that is cut.
    fn across(&self) -> Result<i64, Error> {
        let others = self.shape.iter().enumerate().filter(|(at, _)| *at != self.axis);
        others.map(|(_, extent)| *extent).try_fold(1i64, |size, extent| narrow(i128::from(size) * i128::from(extent)))
    }

    /// What moves a slab to where its values stand alone, and from there.
    fn moves(&self, slab: &Range<i64>) -> Result<[Vec<Pair>; 2], Error> {
        let [before, behind] = [
            self.from.dense(self.bits[0], self.cells[0], self.axis)?,
            self.from.dense(self.bits[1], self.cells[1], self.axis)?,
        ];
        let in_order: Vec<usize> = (0..self.order.len()).collect();
        let first = narrow(i128::from(slab.start) * i128::from(self.across()?))?;
        let [start, end] = [
            narrow(i128::from(first) * i128::from(self.cells[0]))?,
            narrow(i128::from(first) * i128::from(self.cells[1]))?,
        ];
        let slab = Some((self.axis, slab));
        let (one, two) =
            (self.from.boxes_within(&before, &in_order, slab)?, behind.boxes_within(&self.to, &self.order, slab)?);
        let (Some(one), Some(two)) = (one, two) else { return Err(Error::overflow("the digits of a field")) };
        let into = |[from, to]: &[Map; 2]| Pair::new(&[from.clone(), counted_from(to, start)?]);
        let out_of = |[from, to]: &[Map; 2]| Pair::new(&[counted_from(from, end)?, to.clone()]);
        Ok([one.iter().map(into).collect::<Result<_, _>>()?, two.iter().map(out_of).collect::<Result<_, _>>()?])
    }

    fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let (across, table) = (self.across()?, self.table());
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let mut start = 0i64;
        while start < self.extent() {
            let slab = start..start.saturating_add(self.slab).min(self.extent());
            let elements = (slab.end - slab.start) * across;
            before.clear();
            before.resize(room(elements, self.cells[0])?, 0);
            behind.clear();
            behind.resize(room(elements, self.cells[1])?, 0);
            let moves = self.moves(&slab)?;
            moves[0].iter().try_for_each(|pair| pair.run(source, &mut before))?;
            self.map(table.as_deref(), &before, &mut behind, &slab, elements)?;
            moves[1].iter().try_for_each(|pair| pair.run(&behind, target))?;
            start = slab.end;
        }
        Ok(())
    }

    /// Maps the values of a slab.
    fn map(
        &self,
        table: Option<&[Option<u8>]>,
        before: &[u8],
        behind: &mut [u8],
        slab: &Range<i64>,
        elements: i64,
    ) -> Result<(), Error> {
        let Some(table) = table else { return self.one_by_one(0, before, behind, slab, elements) };
        for (number, (own, value)) in behind.iter_mut().zip(before).enumerate() {
            match table.get(usize::from(*value)).copied().flatten() {
                Some(mapped) => *own = mapped,
                // Which element it is, or none but what pads the last byte.
                None => return self.one_by_one(number, before, behind, slab, elements),
            }
        }
        Ok(())
    }

    /// Maps the elements of a slab from a byte on.
    fn one_by_one(
        &self,
        byte: usize,
        before: &[u8],
        behind: &mut [u8],
        slab: &Range<i64>,
        elements: i64,
    ) -> Result<(), Error> {
        let first = length(byte).saturating_mul(8) / self.cells[0];
        for element in first..elements {
            let value = self.mapped(get(before, element, self.cells[0]));
            let value = value.map_err(|error| error.about(format!("element ({})", self.point(element, slab))))?;
            put(behind, element, self.cells[1], value);
        }
        Ok(())
    }

    fn mapped(&self, value: i64) -> Result<i64, Error> {
        let (mut value, mut bits) = (value, self.bits[0]);
        for step in &self.steps {
            value = step.apply(value, bits)?;
            bits = step.stored_bits(bits);
        }
        Ok(value)
    }

    /// For cells within a byte: what each byte becomes; none for one with a value outside of the domain.
    fn table(&self) -> Option<Vec<Option<u8>>> {
        let cell = self.cells[0];
        let byte = |byte: i64| {
            let cells = (0..8).step_by(usize::try_from(cell).ok()?);
            let values = cells.map(|at| Some(self.mapped(byte >> at & ((1 << cell) - 1)).ok()? << at));
            u8::try_from(values.collect::<Option<Vec<i64>>>()?.into_iter().fold(0, |all, own| all | own)).ok()
        };
        (cell <= 8 && self.cells[0] == self.cells[1]).then(|| (0..256).map(byte).collect())
    }

    /// The coordinates of an element of a slab.
    fn point(&self, element: i64, slab: &Range<i64>) -> String {
        let mut rest = element;
        let mut point = vec![0; self.shape.len()];
        for (at, (place, extent)) in point.iter_mut().zip(&self.shape).enumerate().rev() {
            if at != self.axis {
                *place = rest.rem_euclid(*extent);
                rest = rest.div_euclid(*extent);
            }
        }
        if let Some(place) = point.get_mut(self.axis) {
            *place = slab.start + rest;
        }
        listed(&point)
    }
}

/// The value that stands in a cell, a power of two of bits wide.
fn get(dense: &[u8], element: i64, cell: i64) -> i64 {
    let first = usize::try_from(element * cell / 8).unwrap_or(usize::MAX);
    let width = usize::try_from(cell / 8).unwrap_or(0).max(1);
    let bytes = dense.get(first..first.saturating_add(width)).unwrap_or_default();
    let whole = bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    if cell >= 8 { whole.cast_signed() } else { (whole >> (element * cell % 8) & ((1 << cell) - 1)).cast_signed() }
}

/// Puts a value into a cell that holds 0.
fn put(dense: &mut [u8], element: i64, cell: i64, value: i64) {
    let first = usize::try_from(element * cell / 8).unwrap_or(usize::MAX);
    let width = usize::try_from(cell / 8).unwrap_or(0).max(1);
    let shift = if cell >= 8 { 0 } else { element * cell % 8 };
    let bytes = dense.get_mut(first..first.saturating_add(width)).unwrap_or_default();
    bytes.iter_mut().zip((value << shift).to_le_bytes()).for_each(|(byte, own)| *byte |= own);
}

impl Groups {
    /// Those of a field that are read, or that are written.
    fn new(places: &Places, is_read: bool) -> Result<Self, Error> {
        let (channels, bits) = (places.elements()?, places.element_bits());
        let cell = cell(bits);
        let dense = places.dense(bits, cell, 0)?;
        let order: Vec<usize> = (0..places.axes().len()).collect();
        let moves = if is_read { pairs(places, &dense, &order)? } else { pairs(&dense, places, &order)? };
        Ok(Groups { channels, cell, moves: moves.ok_or_else(|| Error::overflow("the digits of a field"))? })
    }

    fn room(&self) -> Result<Vec<u8>, Error> {
        Ok(vec![0; room(self.channels, self.cell)?])
    }

    /// Checks that channel `i` is in group `i / size`: for the size of the format, or for some size where it says none.
    fn in_order(&self, mut size: Option<i64>, source: &[u8]) -> Result<(), Error> {
        let mut groups = self.room()?;
        self.moves.iter().try_for_each(|pair| pair.run(source, &mut groups))?;
        for channel in 0..self.channels {
            let group = get(&groups, channel, self.cell);
            if group == 1 && size.is_none() {
                size = Some(channel.max(1));
            }
            let wanted = size.map_or(0, |size| channel / size);
            if group != wanted {
                return Err(error!(
                    Code::NotALayout,
                    "channel {channel} is in group {group}, not {wanted}: the order of activations would be lost",
                    [channel, group, wanted]
                )
                .with_help("sort the channels by group first (act-order)"));
            }
        }
        Ok(())
    }

    fn counted(&self, size: i64, target: &mut [u8]) -> Result<(), Error> {
        let mut groups = self.room()?;
        (0..self.channels).for_each(|channel| put(&mut groups, channel, self.cell, channel / size));
        self.moves.iter().try_for_each(|pair| pair.run(&groups, target))
    }
}
