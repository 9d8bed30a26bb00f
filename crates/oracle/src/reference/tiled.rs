//! Tiled arrays by definition, computed in two independent ways.
//!
//! The index formula follows one element: its coordinates are put in the order of memory, and each tile cuts the last of
//! them into grid and inside. The memory moves all elements: an array of element numbers is transposed into the order of
//! memory, and each tile pads, reshapes and transposes it. Both give `[3,5]{1,0:T(2,2)}` as
//!
//! ```text
//!  0  1  5  6 |  2  3  7  8 |  4  -  9  - | 10 11  -  - | 12 13  -  - | 14  -  -  -
//! ```
//!
//! and every question about two arrays is a question about two such lists.

use std::fmt;
use std::str::FromStr;

use super::{OracleError, add, count, malformed, mul};

/// An array with an order of its dims, tiled again and again.
///
/// ```
/// use bitstride_oracle::reference::Tiled;
///
/// let figure: Tiled = "[3,5]{1,0:T(2,2)}".parse()?;
/// assert_eq!(figure.tiled_dims()?, [2, 3, 2, 2]);
/// assert_eq!(figure.offset(&[2, 3])?, 17);
/// assert_eq!(figure.memory()?[16..], [Some(12), Some(13), None, None, Some(14), None, None, None]);
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tiled {
    dims: Vec<i64>,
    minor_to_major: Vec<usize>,
    tiles: Vec<Vec<Option<i64>>>,
    tail: i64,
}

/// An extent and a coordinate below it.
type Digit = (i64, i64);

impl Tiled {
    /// An array of these dims, in memory in this order (fastest first), cut by these tiles one after the other, in a
    /// buffer of a multiple of `tail` places. A tile acts on the last dims, with 1s put before them where it is longer;
    /// `None` merges a dim into the next.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] for a negative dim, an order that is no permutation, a tile that has an extent below 1 or
    /// ends in `None` or is empty, or a tail below 1.
    pub fn new(
        dims: Vec<i64>,
        minor_to_major: Vec<usize>,
        tiles: Vec<Vec<Option<i64>>>,
        tail: i64,
    ) -> Result<Self, OracleError> {
        let mut sorted = minor_to_major.clone();
        sorted.sort_unstable();
        if sorted.into_iter().ne(0..dims.len()) {
            return Err(malformed(format!("{minor_to_major:?} does not order {} dims", dims.len())));
        }
        if dims.iter().any(|dim| *dim < 0) || tail < 1 {
            return Err(malformed(format!("{dims:?} in multiples of {tail} is no size")));
        }
        let lawful = |tile: &Vec<Option<i64>>| {
            matches!(tile.last(), Some(Some(_))) && tile.iter().flatten().all(|extent| *extent >= 1)
        };
        if let Some(tile) = tiles.iter().find(|tile| !lawful(tile)) {
            return Err(malformed(format!("({}) is no tile", tile_text(tile))));
        }
        Ok(Tiled { dims, minor_to_major, tiles, tail })
    }

    /// The logical dims.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The dims in memory, fastest first.
    pub fn minor_to_major(&self) -> &[usize] {
        &self.minor_to_major
    }

    /// The tiles in the order in which they act; `None` merges a dim into the next.
    pub fn tiles(&self) -> &[Vec<Option<i64>>] {
        &self.tiles
    }

    /// The number of places is a multiple of this.
    pub fn tail(&self) -> i64 {
        self.tail
    }

    /// The number of elements.
    ///
    /// # Errors
    /// [`OracleError::Overflow`].
    pub fn elements(&self) -> Result<i64, OracleError> {
        product(&self.dims)
    }

    /// The dims after all tiles, major first.
    ///
    /// # Errors
    /// [`OracleError::Overflow`].
    pub fn tiled_dims(&self) -> Result<Vec<i64>, OracleError> {
        let digits = self.digits(&vec![0; self.dims.len()])?;
        Ok(digits.into_iter().map(|(extent, _)| extent).collect())
    }

    /// The number of places: elements and padding, that of the tail included.
    ///
    /// # Errors
    /// [`OracleError::Overflow`].
    pub fn size(&self) -> Result<i64, OracleError> {
        mul(rounds(product(&self.tiled_dims()?)?, self.tail), self.tail)
    }

    /// Whether the array has this index.
    pub fn contains(&self, index: &[i64]) -> bool {
        index.len() == self.dims.len() && index.iter().zip(&self.dims).all(|(at, dim)| (0..*dim).contains(at))
    }

    /// The offset of an element, by the index formula.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] for an index that the array does not have; [`OracleError::Overflow`].
    pub fn offset(&self, index: &[i64]) -> Result<i64, OracleError> {
        if !self.contains(index) {
            return Err(malformed(format!("{self} has no element {index:?}")));
        }
        let (_, offset) = number(&self.digits(index)?)?;
        Ok(offset)
    }

    /// All indices, the last dim fastest.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`], [`OracleError::Overflow`].
    pub fn indices(&self) -> Result<Vec<Vec<i64>>, OracleError> {
        let mut indices = Vec::new();
        each(&self.dims, |index| indices.push(index.to_vec()))?;
        Ok(indices)
    }

    /// The offset of every element by the index formula, the last dim fastest.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`], [`OracleError::Overflow`].
    pub fn offsets(&self) -> Result<Vec<i64>, OracleError> {
        self.indices()?.iter().map(|index| self.offset(index)).collect()
    }

    /// The element at every place by its number (the last dim fastest), `None` for padding: an array of numbers that was
    /// transposed, padded and reshaped.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`], [`OracleError::Overflow`].
    pub fn memory(&self) -> Result<Vec<Option<i64>>, OracleError> {
        count(self.elements()?)?;
        let numbers = Block { dims: self.dims.clone(), data: (0..self.elements()?).map(Some).collect() };
        let major_to_minor: Vec<usize> = self.minor_to_major.iter().rev().copied().collect();
        let mut block = numbers.transposed(&major_to_minor)?;
        for tile in &self.tiles {
            block = block.tiled(tile)?;
        }
        while i64::try_from(block.data.len()).is_ok_and(|places| places % self.tail != 0) {
            count(i64::try_from(block.data.len() + 1).map_err(|_| OracleError::Overflow)?)?;
            block.data.push(None);
        }
        Ok(block.data)
    }

    /// What the memory holds at every place: an index, or `None` for padding.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`], [`OracleError::Overflow`].
    pub fn places(&self) -> Result<Vec<Option<Vec<i64>>>, OracleError> {
        self.memory()?.into_iter().map(|element| element.map(|n| self.index(n)).transpose()).collect()
    }

    /// What lies at an offset: an index, or `None` for padding.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] for an offset that the memory does not have; [`OracleError::TooLarge`],
    /// [`OracleError::Overflow`].
    pub fn place(&self, offset: i64) -> Result<Option<Vec<i64>>, OracleError> {
        let memory = self.memory()?;
        let at = usize::try_from(offset).ok().and_then(|at| memory.get(at));
        let element = at.ok_or_else(|| malformed(format!("{self} has no offset {offset}")))?;
        element.map(|n| self.index(n)).transpose()
    }

    /// The index of an element by its number, the last dim fastest.
    fn index(&self, number: i64) -> Result<Vec<i64>, OracleError> {
        let mut rest = number;
        let mut index = Vec::new();
        for dim in self.dims.iter().rev() {
            index.insert(0, rest.checked_rem(*dim).ok_or(OracleError::Overflow)?);
            rest /= dim;
        }
        Ok(index)
    }

    /// The coordinates of an element after all tiles, with their extents, major first.
    fn digits(&self, index: &[i64]) -> Result<Vec<Digit>, OracleError> {
        let digit = |dim: &usize| Some((*self.dims.get(*dim)?, *index.get(*dim)?));
        let mut digits: Vec<Digit> = self.minor_to_major.iter().rev().filter_map(digit).collect();
        for tile in &self.tiles {
            while digits.len() < tile.len() {
                digits.insert(0, (1, 0));
            }
            let cut = digits.split_off(digits.len() - tile.len());
            let (mut merged, mut insides) = (Vec::new(), Vec::new());
            for (digit, extent) in cut.into_iter().zip(tile) {
                merged.push(digit);
                if let Some(tile) = extent {
                    let (extent, coordinate) = number(&merged)?;
                    digits.push((rounds(extent, *tile), coordinate / tile));
                    insides.push((*tile, coordinate % tile));
                    merged.clear();
                }
            }
            digits.append(&mut insides);
        }
        Ok(digits)
    }
}

/// Whether two arrays of the same dims have every element at the same offset, in as many places.
///
/// # Errors
/// [`OracleError::TooLarge`], [`OracleError::Overflow`].
pub fn same_memory(a: &Tiled, b: &Tiled) -> Result<bool, OracleError> {
    Ok(a.dims == b.dims && a.memory()? == b.memory()?)
}

/// Whether a reshape moves nothing: both memories hold the same element numbers at the same places.
///
/// # Errors
/// [`OracleError::Malformed`] for other numbers of elements; [`OracleError::TooLarge`], [`OracleError::Overflow`].
pub fn is_reshape_bitcast(a: &Tiled, b: &Tiled) -> Result<bool, OracleError> {
    if a.elements()? != b.elements()? {
        return Err(malformed(format!("{b} is no reshape of {a}")));
    }
    Ok(a.memory()? == b.memory()?)
}

/// Whether a transpose moves nothing, where dim k of b is dim `order[k]` of a: the memory of a, each element renamed as in
/// b, is the memory of b.
///
/// # Errors
/// [`OracleError::Malformed`] where b does not have the dims of a in that order; [`OracleError::TooLarge`],
/// [`OracleError::Overflow`].
pub fn is_transpose_bitcast(a: &Tiled, b: &Tiled, order: &[usize]) -> Result<bool, OracleError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    let turned = |index: &[i64]| -> Vec<i64> { order.iter().filter_map(|dim| index.get(*dim).copied()).collect() };
    if sorted.into_iter().ne(0..a.dims.len()) || turned(&a.dims) != b.dims {
        return Err(malformed(format!("{b} is not {a} with its dims in the order {order:?}")));
    }
    let renamed = a.places()?.into_iter().map(|place| place.map(|index| turned(&index)));
    Ok(renamed.eq(b.places()?))
}

/// An array of element numbers, the last dim fastest.
struct Block {
    dims: Vec<i64>,
    data: Vec<Option<i64>>,
}

impl Block {
    /// What is at an index; padding beyond the dims.
    fn at(&self, index: &[i64]) -> Option<i64> {
        let mut place = 0;
        for (at, dim) in index.iter().zip(&self.dims) {
            if at >= dim {
                return None;
            }
            place = place * dim + at;
        }
        usize::try_from(place).ok().and_then(|place| self.data.get(place).copied()).flatten()
    }

    /// Dim k of the result is dim `order[k]` of this.
    fn transposed(&self, order: &[usize]) -> Result<Block, OracleError> {
        let dims: Vec<i64> = order.iter().filter_map(|dim| self.dims.get(*dim).copied()).collect();
        let mut data = Vec::new();
        let mut old = vec![0; dims.len()];
        each(&dims, |index| {
            for (dim, at) in order.iter().zip(index) {
                if let Some(place) = old.get_mut(*dim) {
                    *place = *at;
                }
            }
            data.push(self.at(&old));
        })?;
        Ok(Block { dims, data })
    }

    /// The block grown to these dims by padding at the ends.
    fn padded(&self, dims: Vec<i64>) -> Result<Block, OracleError> {
        let mut data = Vec::new();
        each(&dims, |index| data.push(self.at(index)))?;
        Ok(Block { dims, data })
    }

    /// Pad, reshape, transpose.
    fn tiled(mut self, tile: &[Option<i64>]) -> Result<Block, OracleError> {
        let ones = tile.len().saturating_sub(self.dims.len());
        self.dims.splice(0..0, std::iter::repeat_n(1, ones));
        let kept = self.dims.len() - tile.len();

        let mut merged: Vec<i64> = self.dims.iter().take(kept).copied().collect();
        let mut extents = Vec::new();
        let mut whole = Vec::new();
        for (dim, entry) in self.dims.iter().skip(kept).zip(tile) {
            whole.push(*dim);
            if let Some(extent) = entry {
                merged.push(product(&whole)?);
                whole.clear();
                extents.push(*extent);
            }
        }
        let mut padded = merged.clone();
        for (dim, extent) in padded.iter_mut().skip(kept).zip(&extents) {
            *dim = mul(rounds(*dim, *extent), *extent)?;
        }
        let mut block = Block { dims: merged, data: self.data }.padded(padded)?;

        let cut = block.dims.split_off(kept);
        for (dim, extent) in cut.iter().zip(&extents) {
            block.dims.extend([dim / extent, *extent]);
        }
        let grids = (0..extents.len()).map(|pair| kept + 2 * pair);
        let insides = (0..extents.len()).map(|pair| kept + 2 * pair + 1);
        block.transposed(&(0..kept).chain(grids).chain(insides).collect::<Vec<_>>())
    }
}

/// Visits every index of a box, the last dim fastest.
fn each(dims: &[i64], mut visit: impl FnMut(&[i64])) -> Result<(), OracleError> {
    let mut index = vec![0; dims.len()];
    for _ in 0..count(product(dims)?)? {
        visit(&index);
        for (at, dim) in index.iter_mut().zip(dims).rev() {
            *at += 1;
            if *at < *dim {
                break;
            }
            *at = 0;
        }
    }
    Ok(())
}

/// Digits as one: the product of the extents, and the number, the last digit fastest.
fn number(digits: &[Digit]) -> Result<Digit, OracleError> {
    let extents: Vec<i64> = digits.iter().map(|(extent, _)| *extent).collect();
    let number = digits.iter().try_fold(0, |number, (extent, at)| add(mul(number, *extent)?, *at))?;
    Ok((product(&extents)?, number))
}

/// The product; 0 where an extent is 0, however large the others are.
fn product(extents: &[i64]) -> Result<i64, OracleError> {
    if extents.contains(&0) {
        return Ok(0);
    }
    extents.iter().try_fold(1, |product, extent| mul(product, *extent))
}

/// How many tiles cover an extent.
fn rounds(extent: i64, tile: i64) -> i64 {
    extent / tile + i64::from(extent % tile != 0)
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

fn tile_text(tile: &[Option<i64>]) -> String {
    list(&tile.iter().map(|extent| extent.map_or("*".to_owned(), |n| n.to_string())).collect::<Vec<_>>())
}

impl fmt::Display for Tiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields: String = self.tiles.iter().map(|tile| format!("({})", tile_text(tile))).collect();
        if !fields.is_empty() {
            fields.insert(0, 'T');
        }
        if self.tail != 1 {
            fields.push_str(&format!("L({})", self.tail));
        }
        let colon = if fields.is_empty() { "" } else { ":" };
        write!(f, "[{}]{{{}{colon}{fields}}}", list(&self.dims), list(&self.minor_to_major))
    }
}

/// Reads `[dims]{order:T(tile)(tile)L(tail)}`. A type before it, the `<=` of a bounded dim and other fields are passed
/// over: they say nothing of places. No braces are the row-major order.
impl FromStr for Tiled {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<Self, OracleError> {
        let bad = || malformed(format!("{text} is no tiled array"));
        let items = |list: &str| list.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        let int = |text: &str| text.parse::<i64>().map_err(|_| bad());
        let (_, rest) = text.split_once('[').ok_or_else(bad)?;
        let (dims, rest) = rest.split_once(']').ok_or_else(bad)?;
        let dims: Vec<i64> =
            items(dims).iter().map(|dim| int(dim.trim_start_matches("<="))).collect::<Result<_, _>>()?;
        if rest.is_empty() {
            let row_major = (0..dims.len()).rev().collect();
            return Tiled::new(dims, row_major, Vec::new(), 1);
        }
        let inside = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(bad)?;
        let (order, fields) = inside.split_once(':').unwrap_or((inside, ""));
        let order = items(order).iter().map(|dim| dim.parse().map_err(|_| bad())).collect::<Result<_, _>>()?;
        let (mut tiles, mut tail, mut letter) = (Vec::new(), 1, "");
        for field in fields.split_inclusive(')') {
            let (name, value) = field.strip_suffix(')').and_then(|field| field.split_once('(')).ok_or_else(bad)?;
            letter = if name.is_empty() { letter } else { name };
            let extent = |item: &String| if item == "*" { Ok(None) } else { int(item).map(Some) };
            match letter {
                "T" => tiles.push(items(value).iter().map(extent).collect::<Result<_, _>>()?),
                "L" => tail = int(value)?,
                _ => {}
            }
        }
        Tiled::new(dims, order, tiles, tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parsed(text: &str) -> Tiled {
        text.parse().expect(text)
    }

    #[test]
    fn what_is_no_array() {
        for text in
            ["[2]{1}", "[2,2]{0,0}", "[2]{}", "[-1]", "[2]{0:T(0)}", "[2]{0:T(2,*)}", "[2]{0:T()}", "[2]{0:L(0)}", "2"]
        {
            assert!(matches!(text.parse::<Tiled>(), Err(OracleError::Malformed(_))), "{text}");
        }
        let huge = parsed("[4611686018427387904,4]{1,0}");
        assert_eq!((huge.size(), huge.memory()), (Err(OracleError::Overflow), Err(OracleError::Overflow)));
        assert_eq!(parsed("[1048577]").memory(), Err(OracleError::TooLarge(1_048_577)));
        assert_eq!(parsed("[1]{0:L(1048578)}").memory(), Err(OracleError::TooLarge(1_048_577)));
        assert_eq!(parsed("[4611686018427387904,4,0]{2,1,0:T(*,*,3)}").memory(), Ok(vec![]));
        assert!(parsed("[2]").offset(&[2]).is_err() && parsed("[2]").place(2).is_err());
    }

    #[test]
    fn text_comes_back() {
        for text in ["[]{}", "[]{:T(128)}", "[3,5]{1,0}", "[3,5]{0,1:T(*,8)(2,1)L(4)}", "[0]{0:L(7)}"] {
            assert_eq!(parsed(text).to_string(), text);
        }
        assert_eq!(parsed("bf16[<=3,5]{1,0:T(8,128)(2,1)L(4)E(4)S(1)}"), parsed("[3,5]{1,0:T(8,128)(2,1)L(4)}"));
        assert_eq!(parsed("f32[3,5]"), parsed("[3,5]{1,0}"));
    }

    #[test]
    fn hand_made_memories() {
        let memory = |text: &str| {
            let shown = |element: &Option<i64>| element.map_or("-".to_owned(), |n| n.to_string());
            parsed(text).memory().map(|memory| memory.iter().map(shown).collect::<Vec<_>>().join(" "))
        };
        let check = |text: &str, wanted: &str| assert_eq!(memory(text).as_deref(), Ok(wanted), "{text}");
        check("[]", "0");
        check("[]{:T(3)}", "0 - -");
        check("[2,3]{0,1}", "0 3 1 4 2 5");
        check("[2,3]{1,0:T(2,2)}", "0 1 3 4 2 - 5 -");
        check("[2,3]{0,1:T(2,2)}", "0 3 1 4 2 5 - -");
        check("[2,3]{1,0:T(*,4)}", "0 1 2 3 4 5 - -");
        check("[2,3]{1,0:T(2,2)(2,1)}", "0 3 1 4 2 5 - -");
        check("[3]{0:T(2,2)}", "0 1 - - 2 - - -");
        check("[6]{0:T(3)(2)}", "0 1 2 - 3 4 5 -");
        check("[3]{0:L(4)}", "0 1 2 -");
        check("[2,0]", "");
    }

    #[test]
    fn questions_about_two() {
        let (plain, tiled) = (parsed("[4,2]"), parsed("[4,2]{1,0:T(2,2)}"));
        assert_eq!(same_memory(&plain, &tiled), Ok(true));
        assert_eq!(same_memory(&plain, &parsed("[4,2]{1,0:T(8,2)}")), Ok(false));
        assert_eq!(same_memory(&plain, &parsed("[8]")), Ok(false));
        assert_eq!(is_reshape_bitcast(&plain, &parsed("[8]")), Ok(true));
        assert_eq!(is_reshape_bitcast(&plain, &parsed("[8]{0:T(3)}")), Ok(false));
        assert!(is_reshape_bitcast(&plain, &parsed("[9]")).is_err());
        assert_eq!(is_transpose_bitcast(&plain, &parsed("[2,4]{0,1}"), &[1, 0]), Ok(true));
        assert_eq!(is_transpose_bitcast(&plain, &parsed("[2,4]"), &[1, 0]), Ok(false));
        let turned = parsed("[3,2,4]{0,2,1}");
        assert_eq!(is_transpose_bitcast(&parsed("[2,4,3]"), &turned, &[2, 0, 1]), Ok(true));
        assert!(is_transpose_bitcast(&plain, &parsed("[2,4]"), &[0, 1]).is_err());
        assert!(is_transpose_bitcast(&plain, &plain, &[0, 0]).is_err());
    }
}
