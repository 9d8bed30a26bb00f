//! A value that can be shown: a layout, a composed layout or a slice, all of whose numbers are known.
//!
//! Elements are addressed by one coordinate for each top-level mode.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::cute::{Function, crd2index};
use bitstride::{Code, Error, Int, Integer, Layout, Path, Stride, StrideLeaf, Tuple, error};
use bitstride_lang::{Outermost, Value};

use super::look::{Look, Paint};
use super::product::Product;
use super::stand_in;
use super::strip::Borders;
use crate::cell::Cell;

/// A place in the codomain: an offset, or a coordinate where strides are basis vectors.
pub type Point = Tuple<i64>;

/// The most elements that a view may have to list.
const MOST_LISTED: i64 = 1 << 16;

/// The coordinates that steps lead to; no steps lead to an offset.
fn axes<'s>(steps: impl IntoIterator<Item = &'s Stride>) -> BTreeSet<Path> {
    let paths = steps.into_iter().flat_map(StrideLeaf::components).map(|(path, _)| path);
    let axes: BTreeSet<Path> = paths.collect();
    // An offset of 0 has no components; a codomain of coordinates has no empty path.
    if axes.is_empty() { BTreeSet::from([Path::new()]) } else { axes }
}

/// A layout, composed layout or slice to be shown.
#[derive(Clone, Debug)]
pub struct Subject {
    typed: String,
    text: String,
    function: Function,
    shape: Tuple<i64>,
    modes: Vec<i64>,
    /// The coordinates of the codomain; an integer codomain has only the empty path.
    axes: BTreeSet<Path>,
    /// The product that it was made by, where it is one.
    product: Option<Box<Product>>,
    /// The layout that is drawn for a value without a shape.
    stand_in: Option<String>,
}

impl Subject {
    /// The subject of a value, and the text that the value came from. A swizzle is shown on its period, a tiler as the
    /// coordinates that it selects.
    ///
    /// # Errors
    /// [`Code::Kind`] for a value that maps no coordinates, [`Code::MissingFact`] for one with unknown leaves,
    /// [`Code::Overflow`] when a mode has more than 2^63 elements. A map of memory is shown as the layout of CuTe that it is;
    /// as [`Map::to_cute`](bitstride::map::Map::to_cute) where it is none.
    ///
    /// ```
    /// use bitstride_lang::evaluate;
    /// use bitstride_draw::scene::Subject;
    /// let slice = Subject::new("slice", &evaluate("slice((2,3):(3,1), (1,_))")?.value)?;
    /// assert_eq!(slice.at(&[2])?.to_string(), "5");
    /// assert!(Subject::new("M", &evaluate("(M,4):(1,8)")?.value).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(typed: &str, value: &Value) -> Result<Self, Error> {
        let said = value.to_string();
        let of_map = match value {
            Value::Map(mapped) => Some(Value::from(mapped.map.from_elements()?.to_cute()?)),
            _ => None,
        };
        let stand_in = stand_in::of(value)?;
        let value = of_map.as_ref().or(stand_in.as_ref()).unwrap_or(value);
        let function = value.as_function().map_err(|error| unfit(value, error))?;
        let domain = function.domain()?;
        known(domain)?;
        let shape = domain.shape().try_map(Int::as_number)?;
        let modes: Result<Vec<i64>, Error> = match shape.is_leaf() {
            true => shape.size().map(|n| vec![n]),
            false => shape.entries().iter().map(Tuple::size).collect(),
        };
        let axes = match &function {
            Function::Layout(layout) => axes(layout.strides()),
            Function::Offset(slice) => axes(slice.layout.strides().iter().chain([&slice.offset])),
            _ => BTreeSet::from([Path::new()]),
        };
        let text = match stand_in {
            Some(_) => said,
            None => value.as_layout().map_or_else(|_| value.to_string(), |layout| layout.to_string()),
        };
        let stand_in = stand_in.as_ref().map(Value::to_string);
        Ok(Subject {
            typed: typed.trim().to_owned(),
            text,
            modes: modes?,
            function,
            shape,
            axes,
            product: None,
            stand_in,
        })
    }

    /// The same subject with its value written otherwise, such as in another spelling of integers.
    #[must_use]
    pub fn written(mut self, text: String) -> Self {
        self.text = text;
        self
    }

    /// The same subject, drawn with what it was made of where the call is a product.
    #[must_use]
    pub fn made_by(mut self, call: &Outermost) -> Self {
        self.product = Product::of(call, &self.shape).map(Box::new);
        self
    }

    /// The copies of the first factor, as groups of elements, where it was [made by](Self::made_by) a product: group n is
    /// put there by element n of the second.
    ///
    /// # Errors
    /// As [`Paint::new`].
    pub fn copies(&self) -> Result<Paint<'_>, Error> {
        Paint::or_by(&Look::default(), self, self.product().map_or(&[], |product| &product.by))
    }

    /// The product that it was made by, where it is one.
    pub(super) fn product(&self) -> Option<&Product> {
        self.product.as_deref()
    }

    /// The text of the value, canonical unless it was [`written`](Self::written) otherwise.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was typed, where that is another text what it is, and what is drawn for it.
    pub(super) fn title(&self) -> String {
        let title = headed(&self.typed, &self.text);
        match &self.stand_in {
            Some(drawn) => format!("{title}\ndrawn as {drawn}"),
            None => title,
        }
    }

    /// The shape of the domain.
    pub fn shape(&self) -> &Tuple<i64> {
        &self.shape
    }

    /// The extents of the top-level modes.
    pub fn modes(&self) -> &[i64] {
        &self.modes
    }

    /// The number of elements.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn size(&self) -> Result<i64, Error> {
        self.shape.size()
    }

    /// The extents of the leaves of one top-level mode.
    pub(super) fn leaves(&self, mode: usize) -> &[i64] {
        let node = self.shape.root().child(mode);
        node.and_then(|node| self.shape.leaves().get(node.leaves())).unwrap_or_default()
    }

    /// The borders within a top-level mode.
    pub(super) fn borders(&self, mode: usize) -> Borders {
        let node = self.shape.root().child(mode);
        let first = node.and_then(|node| node.child(0)).and_then(|entry| self.shape.leaves().get(entry.leaves()));
        let first = first.and_then(|extents| Tuple::flat(extents).size().ok()).unwrap_or(1);
        Borders::of(self.leaves(mode), first)
    }

    /// Whether places are coordinates rather than offsets.
    pub fn maps_to_coordinates(&self) -> bool {
        self.axes.iter().any(|path| !path.is_empty())
    }

    /// The place of the element at these coordinates, one for each mode.
    ///
    /// # Errors
    /// [`Code::Overflow`], [`Code::MissingFact`].
    pub fn at(&self, coordinates: &[i64]) -> Result<Point, Error> {
        let coordinate = match coordinates {
            [only] => Tuple::leaf(Int::from(*only)),
            several => Tuple::flat(&several.iter().map(|n| Int::from(*n)).collect::<Vec<_>>()),
        };
        let place = self.function.offset_at(&coordinate)?;
        if !self.maps_to_coordinates() {
            return place.to_coordinate().try_map(Int::as_number);
        }
        let mut parts = BTreeMap::new();
        for (path, n) in place.components() {
            parts.insert(path, n.as_number()?);
        }
        Ok(self.point(&mut Path::new(), &parts))
    }

    /// The place as an offset.
    ///
    /// # Errors
    /// As [`at`](Self::at), and [`Code::Kind`] for a coordinate.
    pub fn offset(&self, coordinates: &[i64]) -> Result<i64, Error> {
        self.at(coordinates)?.as_leaf().copied().ok_or_else(|| {
            error!(Code::Kind, "{text} maps to coordinates; this view needs offsets", [text = self.text])
                .with_help("the plain grid shows coordinates")
        })
    }

    /// A cell with the number and the offset of the element at these coordinates, as far as it has them.
    pub(super) fn cell(&self, text: impl ToString, coordinates: &[i64]) -> Cell {
        let place = self.at(coordinates).ok().and_then(|place| place.as_leaf().copied());
        Cell::new(text).element(self.index(coordinates).ok()).place(place)
    }

    /// The part of a coordinate at a path, with a 0 for every coordinate that nothing was added to.
    fn point(&self, path: &mut Path, parts: &BTreeMap<Path, i64>) -> Point {
        let deeper = self.axes.iter().filter(|axis| axis.len() > path.len() && axis.starts_with(path));
        let Some(last) = deeper.filter_map(|axis| axis.get(path.len())).max().copied() else {
            return Tuple::leaf(parts.get(path).copied().unwrap_or(0));
        };
        let mut entries = Vec::new();
        for mode in 0..=last {
            path.push(mode);
            entries.push(self.point(path, parts));
            path.pop();
        }
        Tuple::of(&entries)
    }

    /// The number of the element at these coordinates, in colexicographic order.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn index(&self, coordinates: &[i64]) -> Result<i64, Error> {
        match coordinates {
            [only] => Ok(*only),
            several => crd2index(&Tuple::flat(several), &Tuple::flat(&self.modes)),
        }
    }

    /// The coordinates of every element in colexicographic order.
    ///
    /// # Errors
    /// [`Code::TooLarge`] beyond 65,536 elements.
    pub fn elements(&self) -> Result<impl Iterator<Item = Vec<i64>> + use<>, Error> {
        match self.size() {
            Ok(size) if size <= MOST_LISTED => {
                let shape = Tuple::flat(&self.modes);
                Ok(bitstride::cute::coordinates(&shape).map(|at| at.leaves().to_vec()))
            }
            size => {
                let size = size.map_or_else(|_| "more than 2^63".to_owned(), |n| n.to_string());
                Err(error!(
                    Code::TooLarge,
                    "this view lists every element: at most {most_listed}, {text} has {size}",
                    [most_listed = MOST_LISTED, text = self.text, size]
                )
                .with_help("show a tile of it, or the plain grid"))
            }
        }
    }
}

/// What was typed and, where that is another text, what it is.
pub(super) fn headed(typed: &str, text: &str) -> String {
    let spaceless = |text: &str| text.replace(' ', "");
    if typed.is_empty() || spaceless(typed) == spaceless(text) { text.to_owned() } else { format!("{typed} =\n{text}") }
}

/// Refuses leaves without a value.
fn known(layout: &Layout) -> Result<(), Error> {
    let strides = layout.strides().iter().flat_map(StrideLeaf::components).map(|(_, n)| n);
    let unknown = layout.extents().iter().cloned().chain(strides).find(|n| n.value().is_none());
    unknown.map_or(Ok(()), |n| {
        Err(error!(Code::MissingFact, "{layout} cannot be shown: the value of {n} is not known", [layout, n])
            .with_help("write a number in its place: 128, or 128? for a dynamic one"))
    })
}

/// What to say of a value that is no function of coordinates; other errors stay.
fn unfit(value: &Value, error: Error) -> Error {
    if error.code() != Code::Kind {
        return error;
    }
    error!(Code::Kind, "show draws layouts; {value} is of kind {kind}", [value, kind = value.kind()])
        .with_help("give a layout, a shape, a composed layout or a slice")
}
