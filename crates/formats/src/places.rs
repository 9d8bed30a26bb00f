//! [`Places`]: where every bit of every element of a field lies.
//!
//! The axes of a tensor are cut into digits, and *bit* is one more axis behind them. Boxes of these digits, the
//! *pieces*, are disjoint and cover the tensor; a map leads the points of each to bits of memory. So bit planes are pieces
//! along the bits, a tail such as 96 = 64 + 32 is pieces along an axis, and codes that run across words are a map that
//! joins an axis with the bits.
//!
//! Law: a point of the tensor is in one piece, and its place is what the map of that piece says.

use std::ops::Range;

use bitstride::cast::narrow;
use bitstride::linear::Name;
use bitstride::map::{Axis, Direction, Form, Map, Stage, Unit};
use bitstride::{Code, Error, error};

/// Where the bits of a tensor lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    pub(crate) axes: Vec<FieldAxis>,
    pub(crate) bits: i64,
    pub(crate) pieces: Vec<Piece>,
}

/// An axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldAxis {
    /// Its name.
    pub name: String,
    /// The digits into which its coordinate is cut, the fastest first.
    pub digits: Vec<i64>,
}

impl FieldAxis {
    /// The number of its coordinates.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn extent(&self) -> Result<i64, Error> {
        self.digits.iter().try_fold(1, |size, digit| narrow(i128::from(size) * i128::from(*digit)))
    }
}

/// A box of the digits and bits, with the map of its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The first coordinate on each digit, the bit last.
    pub(crate) start: Vec<i64>,
    /// From coordinates that count from the start, the bit last, to bits.
    pub(crate) map: Map,
    /// The layout as it is written, what it counts, and how wide that is in bits.
    pub(crate) text: String,
    pub(crate) unit: i64,
    /// What the layout is given, where that is not the digits in order.
    pub(crate) index: Option<String>,
    /// How many units the layout spans.
    pub(crate) layout_extent: i64,
    /// The extents of the leading digits that the layout does not take, each with the bits from one to the next.
    stacked: Vec<(i64, i64)>,
    /// The first and the last bit of memory that the layout reaches.
    bounds: (i64, i64),
}

/// A piece to be made: what its layout is given, and where it applies.
pub(crate) struct PieceText {
    /// The first and the number of coordinates on each digit, the bit last.
    pub(crate) ranges: Vec<(i64, i64)>,
    /// The coordinates of the layout as sums of digits and the bit; whether one of them has the bit.
    pub(crate) sums: Vec<(i64, Vec<i64>)>,
    pub(crate) unit: i64,
    pub(crate) text: String,
    pub(crate) index: Option<String>,
}

impl Piece {
    /// The piece of a layout of places.
    ///
    /// # Errors
    /// [`Code::Range`] where the layout does not have a coordinate; [`Code::Kind`] for a layout that does not lead from
    /// elements to one place.
    pub(crate) fn of(layout: &Map, of: PieceText) -> Result<Piece, Error> {
        let PieceText { ranges, sums, unit, text, index } = of;
        if layout.direction() != Direction::ToPlace || layout.codomain().len() != 1 {
            return Err(error!(Code::Kind, "`{text}` does not lead from coordinates to one offset", [text]));
        }
        if layout.domain().len() != sums.len() {
            return Err(error!(
                Code::RankMismatch,
                "`{text}` takes {dims} coordinates, not {sums_count}",
                [text, dims = layout.domain().len(), sums_count = sums.len()]
            ));
        }
        if unit < 1 {
            return Err(error!(Code::Range, "{unit} bits are no unit of places", [unit]));
        }
        let bit = ranges.len().saturating_sub(1);
        let has_bit = sums.iter().any(|(_, factors)| factors.get(bit).is_some_and(|factor| *factor != 0));
        let mut heads = Vec::new();
        for ((constant, factors), axis) in sums.into_iter().zip(layout.domain()) {
            let at = |step: &dyn Fn(i64, i64) -> i64| {
                let terms = factors.iter().zip(&ranges);
                let sum = terms.map(|(factor, (start, count))| {
                    i128::from(*factor) * (i128::from(*start) + i128::from(step(*factor, *count)))
                });
                narrow(i128::from(constant) + sum.sum::<i128>())
            };
            let least = at(&|factor, count| if factor < 0 { count - 1 } else { 0 })?;
            let most = at(&|factor, count| if factor < 0 { 0 } else { count - 1 })?;
            let is_empty = ranges.iter().any(|(_, count)| *count == 0);
            if !is_empty && (least < 0 || most >= axis.extent) {
                return Err(error!(
                    Code::Range,
                    "coordinates {least} to {most} are asked of `{text}`, whose {axis} has fewer",
                    [least, most, text, axis]
                ));
            }
            heads.push((at(&|_, _| 0)?, factors));
        }
        let width = heads.len();
        if !has_bit {
            heads.push((0, (0..ranges.len()).map(|at| i64::from(at == bit)).collect()));
        }
        let mut stages = vec![Stage::Linearise { at: 0, count: ranges.len(), sums: heads }];
        let mut count = width;
        for stage in layout.stages() {
            let mut stage = stage.clone();
            if let Stage::Permute(order) = &mut stage
                && !has_bit
            {
                order.push(order.len());
            }
            // The bit stands behind what the layout works on.
            count = stage.width(count + usize::from(!has_bit))? - usize::from(!has_bit);
            stages.push(stage);
        }
        let strides = if has_bit { vec![unit] } else { vec![unit, 1] };
        stages.push(Stage::Linearise { at: 0, count: strides.len(), sums: vec![(0, strides)] });
        let mut domain: Vec<Axis> = ranges.iter().enumerate().map(|(at, (_, count))| Axis::dim(at, *count)).collect();
        if let Some(last) = domain.last_mut() {
            *last = Axis { name: Name::new("bit")?, extent: last.extent, unit: Unit::Bit };
        }
        let (least, most) = layout.reach()?;
        let width = if has_bit { 1 } else { ranges.last().map_or(1, |bits| bits.1) };
        let last = i128::from(most) * i128::from(unit) + i128::from(width) - 1;
        let bounds = (narrow(i128::from(least) * i128::from(unit))?, narrow(last)?);
        let reach = layout.codomain().first().map_or(0, |axis| axis.extent);
        let end = narrow(i128::from(reach) * i128::from(unit) + i128::from(ranges.last().map_or(0, |bits| bits.1)))?;
        let offset = Axis { name: Name::OFFSET, extent: end, unit: Unit::Bit };
        let map = Map::new(domain, stages, vec![offset], Direction::ToPlace)?;
        let start = ranges.into_iter().map(|(start, _)| start).collect();
        Ok(Piece { start, map, text, unit, index, layout_extent: reach, stacked: Vec::new(), bounds })
    }

    /// The same piece of several tensors: leading digits, each with its extent and the bits from one to the next.
    fn stacked(&self, loops: &[(i64, i64)]) -> Result<Piece, Error> {
        let (lead, rank) = (loops.len(), self.map.domain().len());
        let mut stages = vec![Stage::Permute((lead..lead + rank).chain(0..lead).collect())];
        for stage in self.map.stages() {
            let mut stage = stage.clone();
            if let Stage::Permute(order) = &mut stage {
                order.extend(order.len()..order.len() + lead);
            }
            stages.push(stage);
        }
        let strides = std::iter::once(1).chain(loops.iter().map(|(_, stride)| *stride)).collect();
        stages.push(Stage::Linearise { at: 0, count: 1 + lead, sums: vec![(0, strides)] });
        let extents = loops.iter().map(|(extent, _)| *extent).chain(self.extents());
        let mut domain: Vec<Axis> = extents.enumerate().map(|(at, extent)| Axis::dim(at, extent)).collect();
        if let (Some(last), Some(bit)) = (domain.last_mut(), self.map.domain().last()) {
            *last = *bit;
        }
        let span = loops.iter().map(|(extent, stride)| i128::from(extent - 1) * i128::from(*stride)).sum::<i128>();
        let mut codomain = self.map.codomain().to_vec();
        for place in &mut codomain {
            place.extent = narrow(i128::from(place.extent) + span)?;
        }
        Ok(Piece {
            start: std::iter::repeat_n(0, lead).chain(self.start.iter().copied()).collect(),
            map: Map::new(domain, stages, codomain, Direction::ToPlace)?,
            stacked: loops.iter().chain(&self.stacked).copied().collect(),
            bounds: (self.bounds.0, narrow(i128::from(self.bounds.1) + span)?),
            ..self.clone()
        })
    }

    /// The layout as it is written, and how many bits wide its places are.
    pub fn text(&self) -> (&str, i64) {
        (&self.text, self.unit)
    }

    /// The coordinates that its layout takes as sums of digits and the bit, where these are not the digits in order.
    pub fn index(&self) -> Option<&str> {
        self.index.as_deref()
    }

    /// The extents of the leading digits that its layout does not take, each with the bits from one to the next.
    pub fn stack(&self) -> &[(i64, i64)] {
        &self.stacked
    }

    /// The first and the end of its coordinates on each digit, the bit last.
    pub fn ranges(&self) -> Vec<(i64, i64)> {
        self.start.iter().zip(self.extents()).map(|(start, extent)| (*start, start.saturating_add(extent))).collect()
    }

    /// The first and the last bit of memory that its layout reaches, also at coordinates that no element has.
    pub(crate) fn bounds(&self) -> (i64, i64) {
        self.bounds
    }

    fn extents(&self) -> impl Iterator<Item = i64> {
        self.map.domain().iter().map(|axis| axis.extent)
    }

    /// The coordinates of a point within the piece; none where it is in another.
    fn inside(&self, point: &[i64]) -> Option<Vec<i64>> {
        let sides = point.iter().zip(&self.start).zip(self.extents());
        sides.map(|((x, start), extent)| Some(x - start).filter(|x| (0..extent).contains(x))).collect()
    }

    /// Whether two pieces have a point in common.
    fn meets(&self, other: &Piece) -> bool {
        let sides = self.start.iter().zip(self.extents()).zip(other.start.iter().zip(other.extents()));
        sides.into_iter().all(|((a, m), (b, n))| *a < b.saturating_add(n) && *b < a.saturating_add(m))
    }
}

impl Places {
    /// The places of pieces, which must be disjoint and cover the tensor.
    ///
    /// # Errors
    /// [`Code::Overlap`] and [`Code::NotSurjective`] where they are not.
    pub(crate) fn new(axes: Vec<FieldAxis>, bits: i64, pieces: Vec<Piece>) -> Result<Self, Error> {
        let mut size = i128::from(bits);
        for axis in &axes {
            size *= i128::from(axis.extent()?);
            narrow(size)?;
        }
        for (at, piece) in pieces.iter().enumerate() {
            if let Some(other) = pieces.iter().skip(at + 1).find(|other| piece.meets(other)) {
                return Err(error!(
                    Code::Overlap,
                    "`{text}` and `{other_text}` are places of the same elements",
                    [text = piece.text, other_text = other.text]
                ));
            }
        }
        let mut covered = 0;
        for piece in &pieces {
            covered += i128::from(piece.map.size()?);
        }
        if covered != size {
            return Err(error!(Code::NotSurjective, "places are given for {covered} bits of {size}", [covered, size]));
        }
        Ok(Places { axes, bits, pieces })
    }

    /// The places of several such tensors: leading axes, each with its extent and the bits from one to the next.
    pub(crate) fn stacked(&self, axes: &[FieldAxis], loops: &[(i64, i64)]) -> Result<Self, Error> {
        let pieces = self.pieces.iter().map(|piece| piece.stacked(loops)).collect::<Result<_, _>>()?;
        Self::new(axes.iter().chain(&self.axes).cloned().collect(), self.bits, pieces)
    }

    /// The axes of the tensor.
    pub fn axes(&self) -> &[FieldAxis] {
        &self.axes
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The coordinates that a piece has where these are not all of a digit or of the bits: `bit 0..4`, `k1 2..3`.
    pub fn over(&self, piece: &Piece) -> Vec<String> {
        let digits = self.axes.iter().flat_map(|axis| {
            let name =
                |digit: usize| if axis.digits.len() == 1 { axis.name.clone() } else { format!("{}{digit}", axis.name) };
            axis.digits.iter().enumerate().map(move |(digit, extent)| (name(digit), *extent))
        });
        let all = digits.chain([("bit".to_owned(), self.bits)]);
        let cut = piece.ranges().into_iter().zip(all).filter(|(range, (_, extent))| *range != (0, *extent));
        cut.map(|((first, end), (name, _))| format!("{name} {first}..{end}")).collect()
    }

    /// The extents of the tensor.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn shape(&self) -> Result<Vec<i64>, Error> {
        self.axes.iter().map(FieldAxis::extent).collect()
    }

    /// The bits of an element.
    pub fn element_bits(&self) -> i64 {
        self.bits
    }

    /// The bit of memory that holds a bit of an element.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] and [`Code::Range`] for what is no element or no bit of one.
    ///
    /// ```
    /// use bitstride_formats::Zoo;
    /// let format = Zoo::builtin().format("gptq:bits=3,k=32,n=32")?;
    /// let codes = format.field("codes")?;
    /// // Code 10 of a column lies in two words, which are 32 words apart.
    /// assert_eq!(codes.places.at(&[10, 0], 1)?, 31);
    /// assert_eq!(codes.places.at(&[10, 0], 2)?, 32 * 32);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn at(&self, point: &[i64], bit: i64) -> Result<i64, Error> {
        if point.len() != self.axes.len() {
            return Err(error!(
                Code::RankMismatch,
                "{point_count} coordinates for {axes_count} axes",
                [point_count = point.len(), axes_count = self.axes.len()]
            ));
        }
        let mut row = Vec::new();
        for (x, axis) in point.iter().zip(&self.axes) {
            let mut rest = *x;
            for digit in &axis.digits {
                let digit = (*digit).max(1);
                row.push(rest.rem_euclid(digit));
                rest = rest.div_euclid(digit);
            }
            if rest != 0 {
                return Err(error!(Code::Range, "{x} is no coordinate of {name}", [x, name = axis.name]));
            }
        }
        row.push(bit);
        for piece in &self.pieces {
            if let Some(point) = piece.inside(&row) {
                let place = piece.map.at(&point)?.and_then(|place| place.first().copied());
                return place.ok_or_else(|| Error::new(Code::NotALayout, "an element has no place"));
            }
        }
        Err(error!(Code::Range, "an element has {bits} bits, not {bit}", [bits = self.bits, bit]))
    }

    /// The map of elements to the first of their bits, where one map holds all elements and the bits of each lie side by
    /// side; over the axes of the tensor, in the order of the given numbers.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub(crate) fn whole_elements(&self, order: &[usize]) -> Result<Option<Map>, Error> {
        let [piece] = self.pieces.as_slice() else { return Ok(None) };
        let bit = piece.map.domain().len().saturating_sub(1);
        let Ok(form) = Form::of(&piece.map) else { return Ok(None) };
        let steps_by_one = |sum: &bitstride::map::AffineExpr| {
            let digits = form.digits.iter().zip(sum.strides.iter().zip(&sum.xors));
            digits
                .filter(|(digit, _)| digit.axis == bit)
                .all(|(digit, (stride, xor))| digit.weight == *stride && *xor == 0)
        };
        if !form.sums.iter().all(steps_by_one) {
            return Ok(None);
        }
        let mut back = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(place) = back.get_mut(*old) {
                *place = new;
            }
        }
        let mut stages = vec![Stage::Permute(back)];
        let mut at = 0;
        for axis in &self.axes {
            let radices: Vec<i64> = axis.digits.iter().take(axis.digits.len().saturating_sub(1)).copied().collect();
            let count = axis.digits.len();
            if count > 1 {
                stages.push(Stage::Delinearise { at, radices });
            }
            at += count;
        }
        stages.push(Stage::Linearise { at, count: 0, sums: vec![(0, Vec::new())] });
        stages.extend(piece.map.stages().iter().cloned());
        let shape = self.shape()?;
        let domain = order.iter().enumerate().map(|(new, old)| Axis::dim(new, shape.get(*old).copied().unwrap_or(1)));
        Map::new(domain.collect(), stages, piece.map.codomain().to_vec(), Direction::ToPlace).map(Some)
    }

    /// The same elements row-major, each of a given number of bits in a cell of its own, one axis slower than all others.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub(crate) fn dense(&self, bits: i64, cell: i64, slowest: usize) -> Result<Places, Error> {
        let shape = self.shape()?;
        let (mut strides, mut size) = (vec![1; shape.len()], 1i64);
        let others = (0..shape.len()).filter(|at| *at != slowest);
        for at in std::iter::once(slowest).chain(others).collect::<Vec<_>>().into_iter().rev() {
            if let (Some(stride), Some(extent)) = (strides.get_mut(at), shape.get(at)) {
                *stride = size;
                size = narrow(i128::from(size) * i128::from(*extent))?;
            }
        }
        let list = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let text = format!("({}):({})", list(&shape), list(&strides));
        let layout = Map::of_layout(&text.parse()?)?;
        let rank = shape.len();
        let sums = (0..rank).map(|at| (0, (0..=rank).map(|own| i64::from(own == at)).collect())).collect();
        let ranges = shape.iter().map(|extent| (0, *extent)).chain([(0, bits)]).collect();
        let piece = Piece::of(&layout, PieceText { ranges, sums, unit: cell, text, index: None })?;
        let axes = self.axes.iter().zip(&shape);
        let axes = axes.map(|(axis, extent)| FieldAxis { name: axis.name.clone(), digits: vec![*extent] }).collect();
        Places::new(axes, bits, vec![piece])
    }

    /// How many elements there are.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn elements(&self) -> Result<i64, Error> {
        self.shape()?.into_iter().try_fold(1, |size, extent| narrow(i128::from(size) * i128::from(extent)))
    }

    /// The bits of memory that the layouts span, padding included.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub(crate) fn end(&self) -> Result<i64, Error> {
        let mut ends = self.pieces.iter().map(|piece| {
            let places = piece.layout_extent.checked_mul(piece.unit);
            places.ok_or_else(|| Error::overflow("the length of a layout"))
        });
        ends.try_fold(0, |most, end| end.map(|end| most.max(end)))
    }

    /// Bits of memory between which all places lie: those that the layouts of the pieces reach, also at coordinates that no
    /// element has.
    pub fn bounds(&self) -> (i64, i64) {
        let bounds =
            self.pieces.iter().filter(|piece| !piece.extents().any(|extent| extent == 0)).map(|piece| piece.bounds);
        bounds.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1))).unwrap_or((0, -1))
    }
}

/// What two sides have in common: boxes of bits, each with the map of both sides to bits of memory.
pub(crate) type Boxes = Vec<[Map; 2]>;

/// The digits over which both sides have their pieces: for each axis of the first, the radices.
fn common_digits(from: &Places, to: &Places, order: &[usize]) -> Option<Vec<Vec<i64>>> {
    let whole = |places: &Places, at: usize| {
        let first: usize = places.axes.iter().take(at).map(|axis| axis.digits.len()).sum();
        let is_whole = |piece: &Piece| {
            let extent = piece.map.domain().get(first).map(|axis| axis.extent);
            piece.start.get(first) == Some(&0)
                && extent == places.axes.get(at).and_then(|axis| axis.digits.first().copied())
        };
        places.pieces.iter().all(is_whole)
    };
    let digits = from.axes.iter().enumerate().zip(order).map(|((at, mine), theirs)| {
        let other = to.axes.get(*theirs)?;
        if mine.digits == other.digits || other.digits.len() == 1 && whole(to, *theirs) {
            return Some(mine.digits.clone());
        }
        (mine.digits.len() == 1 && whole(from, at)).then(|| other.digits.clone())
    });
    digits.collect()
}

impl Places {
    /// A piece over the digits that both sides share: its box, and for each of its own digits the shared ones that make it.
    fn shared(&self, piece: &Piece, digits: &[Vec<i64>], order: &[usize]) -> Option<Shared> {
        let width: usize = digits.iter().map(Vec::len).sum::<usize>() + 1;
        let mut ranges = vec![(0, 1); width];
        let mut own: Vec<(i64, Vec<i64>)> = Vec::new();
        let extents: Vec<i64> = piece.extents().collect();
        for (axis, mine) in self.axes.iter().enumerate() {
            // The place of this axis among the shared ones.
            let shared = order.iter().position(|at| *at == axis)?;
            let radices = digits.get(shared)?;
            let first: usize = digits.iter().take(shared).map(Vec::len).sum();
            let mut joined = (0, vec![0; width]);
            let mut weight = 1i64;
            for (step, radix) in radices.iter().enumerate() {
                let at = own.len();
                if mine.digits.len() == radices.len() {
                    let start = *piece.start.get(at)?;
                    *ranges.get_mut(first + step)? = (start, *extents.get(at)?);
                    let mut factors = vec![0; width];
                    *factors.get_mut(first + step)? = 1;
                    own.push((start.checked_neg()?, factors));
                } else {
                    *ranges.get_mut(first + step)? = (0, *radix);
                    *joined.1.get_mut(first + step)? = weight;
                    weight = weight.checked_mul(*radix)?;
                }
            }
            if mine.digits.len() != radices.len() {
                own.push(joined);
            }
        }
        let start = *piece.start.last()?;
        *ranges.last_mut()? = (start, *extents.last()?);
        let mut factors = vec![0; width];
        *factors.last_mut()? = 1;
        own.push((start.checked_neg()?, factors));
        Some(Shared { ranges, own })
    }

    /// Boxes that cover the tensor, with the maps of both sides over the same digits and bits; none where the sides cut
    /// axes in ways that have no common digits.
    ///
    /// # Errors
    /// As [`Map::new`].
    pub(crate) fn boxes(&self, to: &Places, order: &[usize]) -> Result<Option<Boxes>, Error> {
        self.boxes_within(to, order, None)
    }

    /// The same of a slab: some coordinates of one axis, which are whole numbers of what its faster digits count.
    ///
    /// # Errors
    /// As [`Map::new`].
    pub(crate) fn boxes_within(
        &self,
        to: &Places,
        order: &[usize],
        slab: Option<(usize, &Range<i64>)>,
    ) -> Result<Option<Boxes>, Error> {
        let Some(digits) = common_digits(self, to, order) else { return Ok(None) };
        // The slowest digit of the axis of a slab, by number, and the coordinates that it has there.
        let within = slab.and_then(|(axis, range)| {
            let own = digits.get(axis)?;
            let weight = own.iter().rev().skip(1).product::<i64>().max(1);
            let last = digits.iter().take(axis + 1).map(Vec::len).sum::<usize>().checked_sub(1)?;
            Some((last, range.start / weight, range.end / weight))
        });
        let own: Vec<usize> = (0..order.len()).collect();
        let sides = |places: &Places, order: &[usize]| {
            let pieces = places.pieces.iter();
            pieces.map(|piece| places.shared(piece, &digits, order).map(|shared| (piece.clone(), shared))).collect()
        };
        let (Some(left), Some(right)): (Option<Vec<_>>, Option<Vec<_>>) = (sides(self, &own), sides(to, order)) else {
            return Ok(None);
        };
        let mut boxes = Vec::new();
        for (one, mine) in &left {
            for (other, theirs) in &right {
                let met = mine.ranges.iter().zip(&theirs.ranges).enumerate().map(|(at, ((a, m), (b, n)))| {
                    let (mut start, mut end) = ((*a).max(*b), (a + m).min(b + n));
                    if let Some((_, first, last)) = within.filter(|(digit, ..)| *digit == at) {
                        (start, end) = (start.max(first), end.min(last));
                    }
                    (start < end).then_some((start, end - start))
                });
                let Some(met) = met.collect::<Option<Vec<(i64, i64)>>>() else { continue };
                boxes.push([mine.map(one, &met)?, theirs.map(other, &met)?]);
            }
        }
        Ok(Some(boxes))
    }
}

/// A piece over shared digits.
struct Shared {
    /// The first and the number of coordinates on each shared digit, the bit last.
    ranges: Vec<(i64, i64)>,
    /// Each coordinate of the piece, as a sum of the shared ones.
    own: Vec<(i64, Vec<i64>)>,
}

impl Shared {
    /// The map of a box of shared digits, whose coordinates count from its start.
    fn map(&self, piece: &Piece, of: &[(i64, i64)]) -> Result<Map, Error> {
        let sums = self.own.iter().map(|(offset, factors)| {
            let terms = factors.iter().copied().zip(of.iter().map(|(start, _)| *start));
            Ok((bitstride::cast::dot(*offset, terms)?, factors.clone()))
        });
        let sums = sums.collect::<Result<Vec<_>, Error>>()?;
        let join = Stage::Linearise { at: 0, count: of.len(), sums };
        let stages = [&[join], piece.map.stages()].concat();
        let domain = of.iter().enumerate().map(|(at, (_, count))| Axis::dim(at, *count)).collect();
        Map::new(domain, stages, piece.map.codomain().to_vec(), Direction::ToPlace)
    }
}
