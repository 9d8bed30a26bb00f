//! [`InPlace`]: moves a tensor within its own memory, with little scratch.
//!
//! Where both layouts use the same places, the move is a permutation of places. Two exact schemes cover all of them.
//! Often the permutation maps *blocks* of memory to themselves, each in the same way. A block that fits into the
//! scratch is copied there and moved back by a [`Plan`], at full speed. Otherwise each *cycle* of the permutation is
//! followed with one unit in a register. A unit is a contiguous run of at most 4096 bytes, and one bit for each unit of
//! a block marks those that have been moved.
//!
//! The scratch must hold a block, or a unit and one bit for each unit of a block. So one bit an element and 4 KiB are
//! always enough. Where the algebra has no inverse of the source, the block is the whole tensor.
//!
//! Law: afterwards the buffer holds what [`Plan::run`] would have written to another buffer.

use bitstride::map::{Axis, Direction, Form, Injectivity, Map};
use bitstride::{Code, Error, error, gcd};

use crate::cast::{number, size};
use crate::element::Element;
use crate::plan::Plan;
use crate::pointwise::{FEW_POINTS, Points, Pointwise};

/// The most bits of a unit.
const UNIT: i64 = 8 * 4096;

/// The most bytes of blocks that are moved together: beyond that the cost of starting a plan does not matter.
const MAX_BATCH_BYTES: usize = 1 << 18;

/// How a tensor is moved from one layout to another in the same memory.
///
/// ```
/// use bitstride::map::Map;
/// use bitstride_relayout::{Element, InPlace};
/// let rows = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
/// let columns = Map::of_layout(&"(2,3):(1,2)".parse()?)?;
/// let plan = InPlace::new(&rows, &columns, Element::of_bits(8)?)?;
/// let mut buffer = *b"abcdef";
/// plan.run(&mut buffer, plan.scratch())?;
/// assert_eq!(&buffer, b"adbecf");
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InPlace {
    element: Element,
    /// The elements of the tensor, which are the places.
    elements: i64,
    /// To another buffer.
    whole: Plan,
    /// The new place of the element of each place, where the algebra has it. Otherwise everything is copied to the scratch.
    map: Option<Map>,
    /// The same as digits, where it has a normal form.
    form: Option<Form>,
    /// The elements of a unit.
    unit: i64,
    /// The elements of a block.
    block: i64,
    /// Whether everything stays where it is.
    still: bool,
}

impl InPlace {
    /// The plan from one layout to another of the same tensor, aligned as [`Plan::new`] aligns them.
    ///
    /// # Errors
    /// [`Code::NotSurjective`] when a layout has holes, so that the places are not the same; [`Code::Overlap`] when one
    /// holds two elements in one place; as [`Plan::new`].
    pub fn new(from: &Map, to: &Map, element: Element) -> Result<Self, Error> {
        const HELP: &str = "move it to another buffer";
        let whole = Plan::new(from, to, element)?;
        let elements = whole.elements;
        // With elements of a byte, bytes are places.
        let plan = Plan::new(from, to, Element::of_bits(8)?)?;
        for (which, places) in [("source", plan.source_bytes()), ("destination", plan.destination_bytes())] {
            if number(places) != elements {
                return Err(error!(
                    Code::NotSurjective,
                    "the {which} has {elements} elements in {places} places; in place, both layouts have to fill the same ones",
                    [which, elements, places]
                ).with_help(HELP));
            }
        }
        let [from, to] = from.aligned(to)?;
        match from.injectivity() {
            Ok(Injectivity::Yes(_)) => {}
            Ok(Injectivity::No { points: [one, other], place, .. }) => {
                return Err(error!(
                    Code::Overlap,
                    "elements {one:?} and {other:?} are both read from place {place:?}",
                    [one, other, place]
                )
                .with_help(HELP));
            }
            Err(why) => {
                let pointwise =
                    Pointwise::of(Points { maps: [&from, &to], tables: [None, None] }, &why, FEW_POINTS, None)?;
                pointwise.check_overlap(0).map_err(|error| error.with_help(HELP))?;
            }
        }
        let map = if elements == 0 { line(0).ok() } else { from.inverse().and_then(|back| back.then(&to)).ok() };
        let form = map.as_ref().and_then(|map| Form::of(map).ok());
        let (unit, block, still) = (1, elements.max(1), elements == 0);
        let mut plan = InPlace { element, elements, whole, map, form, unit, block, still };
        plan.cut();
        Ok(plan)
    }

    /// Reads the unit and the block off the digits of the permutation.
    fn cut(&mut self) {
        let Some((form, sum)) = self.form.as_ref().and_then(|form| Some((form, form.sums.first()?))) else { return };
        let (offset, flip) = (sum.offset, sum.flip);
        let steps: Vec<(i64, i64, i64, i64)> = (form.digits.iter().zip(sum.strides.iter().zip(&sum.xors)))
            .map(|(digit, (stride, xor))| (digit.weight, digit.radix, *stride, *xor))
            .collect();
        let stays = |(weight, _, stride, xor): &(i64, i64, i64, i64)| weight == stride && *xor == 0;
        if let Some((first, rest)) = steps.split_first()
            && first.0 == 1
            && stays(first)
        {
            let parts = rest.iter().flat_map(|(_, _, stride, xor)| [*stride, *xor]);
            let mut run = parts.chain([offset, flip, first.1]).fold(self.elements, gcd);
            if flip != 0 || rest.iter().any(|step| step.3 != 0) {
                run = 1 << run.trailing_zeros();
            }
            let most = (UNIT / self.element.bits()).min(run);
            // Whole bytes, or one element.
            let fits = |unit: &i64| run % unit == 0 && unit * self.element.bits() % 8 == 0;
            self.unit = (1..=most).rev().find(fits).unwrap_or(1);
        }
        let moving = steps.iter().rposition(|step| !stays(step));
        self.still |= moving.is_none() && offset == 0 && flip == 0;
        let block = moving.and_then(|last| steps.get(last + 1)).map_or(self.elements, |(weight, ..)| *weight);
        if block > 0 && self.elements % block == 0 && block % self.unit == 0 && block * self.element.bits() % 8 == 0 {
            self.block = block;
        }
    }

    /// The bytes that the buffer has at least.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, InPlace};
    /// // 16 matrices one after the other, each transposed: each is a block.
    /// let rows = Map::of_layout(&"(8,8,16):(8,1,64)".parse()?)?;
    /// let columns = Map::of_layout(&"(8,8,16):(1,8,64)".parse()?)?;
    /// let plan = InPlace::new(&rows, &columns, Element::of_bits(32)?)?;
    /// assert_eq!((plan.bytes(), plan.block_bytes()), (4096, 256));
    /// // A unit of 4 bytes, and a bit for each of the 64 units of a block.
    /// assert_eq!(plan.scratch(), 12);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn bytes(&self) -> usize {
        self.bytes_of(self.elements)
    }

    /// The bytes of scratch that are needed at least; see [`InPlace::bytes`]. With [`InPlace::block_bytes`] it is much faster.
    pub fn scratch(&self) -> usize {
        match (self.still, &self.map) {
            (true, _) => 0,
            (false, Some(_)) => self.cycle_bytes().min(self.block_bytes()),
            (false, None) => self.block_bytes(),
        }
    }

    /// The bytes of a block, which is moved by copies if the scratch holds it; see [`InPlace::bytes`].
    pub fn block_bytes(&self) -> usize {
        self.bytes_of(self.block)
    }

    /// What walking cycles needs: a unit, and a bit for each unit of a block.
    fn cycle_bytes(&self) -> usize {
        let units = usize::try_from(self.block / self.unit).unwrap_or(usize::MAX);
        units.div_ceil(8) + self.bytes_of(self.unit)
    }

    fn bytes_of(&self, elements: i64) -> usize {
        let bits = i128::from(elements) * i128::from(self.element.bits());
        usize::try_from((bits + 7) / 8).unwrap_or(usize::MAX)
    }

    /// Moves the tensor with at most `scratch` bytes of scratch, allocated for the call. Bytes after the tensor
    /// stay as they are.
    ///
    /// # Errors
    /// [`Code::Range`] when the buffer or the scratch is too small. Nothing is written then.
    pub fn run(&self, buffer: &mut [u8], scratch: usize) -> Result<(), Error> {
        if buffer.len() < self.bytes() {
            return Err(error!(
                Code::Range,
                "the buffer has {buffer_count} bytes, the tensor {bytes}",
                [buffer_count = buffer.len(), bytes = self.bytes()]
            ));
        }
        if scratch < self.scratch() {
            let (least, block) = (self.scratch(), self.block_bytes());
            return Err(error!(
                Code::Range,
                "a scratch of {scratch} bytes, where {least} are needed",
                [scratch, least]
            )
            .with_help(format!("with {block} it is fast")));
        }
        if self.still {
            return Ok(());
        }
        if scratch >= self.block_bytes() { self.by_copies(buffer, scratch) } else { self.by_cycles(buffer) }
    }

    /// Several blocks at a time through the scratch.
    fn by_copies(&self, buffer: &mut [u8], scratch: usize) -> Result<(), Error> {
        let blocks = self.elements / self.block;
        let most = number(scratch.min(MAX_BATCH_BYTES) / self.block_bytes().max(1)).min(blocks);
        let together = (1..=most).rev().find(|count| blocks % count == 0).unwrap_or(1);
        let elements = self.block * together;
        let plan = match &self.map {
            Some(map) if elements != self.elements => {
                let line = line(elements)?;
                Plan::new(&line, &line.then(map)?, self.element)?
            }
            _ => self.whole.clone(),
        };
        let bytes = self.bytes_of(elements);
        let mut copy = vec![0; bytes];
        for part in buffer.get_mut(..self.bytes()).unwrap_or(&mut []).chunks_mut(bytes) {
            copy.copy_from_slice(part);
            plan.run(&copy, part)?;
        }
        Ok(())
    }

    /// Unit by unit along the cycles of each block.
    fn by_cycles(&self, buffer: &mut [u8]) -> Result<(), Error> {
        let bits = self.unit * self.element.bits();
        let count = self.block / self.unit;
        let mut moved = vec![0u8; size(count)?.div_ceil(8)];
        let mut hand = Hand::new(bits)?;
        for block in 0..self.elements / self.block {
            moved.fill(0);
            let first = block * count;
            for start in 0..count {
                if is_marked(&moved, start) {
                    continue;
                }
                let mut at = start;
                hand.swap(buffer, first + at);
                loop {
                    at = self.goes(at * self.unit) / self.unit;
                    hand.swap(buffer, first + at);
                    mark(&mut moved, at);
                    if at == start {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The new place of the element of a place.
    fn goes(&self, place: i64) -> i64 {
        let Some((form, sum)) = self.form.as_ref().and_then(|form| Some((form, form.sums.first()?))) else {
            // The map is a permutation, so that every place has a new one.
            let to = self.map.as_ref().and_then(|map| map.at(&[place]).ok().flatten());
            return to.and_then(|to| to.first().copied()).unwrap_or(place);
        };
        let (mut to, mut pattern) = (sum.offset, sum.flip);
        for (digit, (stride, xor)) in form.digits.iter().zip(sum.strides.iter().zip(&sum.xors)) {
            let value = place / digit.weight % digit.radix;
            to += stride * value;
            pattern ^= if value & 1 == 1 { *xor } else { 0 };
        }
        to + pattern
    }
}

/// Places in their order.
fn line(extent: i64) -> Result<Map, Error> {
    Map::new(vec![Axis::dim(0, extent)], Vec::new(), vec![Axis::offset(extent)], Direction::ToPlace)
}

fn is_marked(marks: &[u8], at: i64) -> bool {
    let byte = usize::try_from(at / 8).ok().and_then(|byte| marks.get(byte));
    byte.is_none_or(|byte| byte >> (at % 8) & 1 == 1)
}

fn mark(marks: &mut [u8], at: i64) {
    if let Some(byte) = usize::try_from(at / 8).ok().and_then(|byte| marks.get_mut(byte)) {
        *byte |= 1 << (at % 8);
    }
}

/// A unit that is on its way.
enum Hand {
    Bytes(Vec<u8>),
    /// 1, 2 or 4 bits, in the lowest ones.
    Part(i64, u8),
}

impl Hand {
    fn new(bits: i64) -> Result<Self, Error> {
        Ok(if bits % 8 == 0 { Hand::Bytes(vec![0; size(bits / 8)?]) } else { Hand::Part(bits, 0) })
    }

    /// Puts down what it has and takes up what is there.
    fn swap(&mut self, buffer: &mut [u8], unit: i64) {
        match self {
            Hand::Bytes(own) => {
                let start = usize::try_from(unit).unwrap_or(usize::MAX).saturating_mul(own.len());
                let there = buffer.get_mut(start..start.saturating_add(own.len()));
                if let Some(there) = there {
                    there.swap_with_slice(own);
                }
            }
            Hand::Part(bits, own) => {
                for bit in 0..*bits {
                    let place = unit * *bits + bit;
                    let byte = usize::try_from(place / 8).ok().and_then(|byte| buffer.get_mut(byte));
                    let Some(byte) = byte else { continue };
                    let differs = (*byte >> (place % 8) ^ *own >> bit) & 1;
                    *byte ^= differs << (place % 8);
                    *own ^= differs << bit;
                }
            }
        }
    }
}
