//! A CuTe layout: a shape and a stride, nested alike; a function from coordinates to offsets.
//!
//! `((2,2),3):((24,2),8)` maps the coordinate `((i,j),k)` to `24*i + 2*j + 8*k`. A flat index is first read as a
//! coordinate in colexicographic order, the leftmost leaf fastest; beyond the size the last leaf goes on as written.
//! Shape and stride share one profile, so congruence holds by construction. Law: evaluation at a natural coordinate is
//! the inner product with the stride.

use std::fmt;

use crate::basis::{Stride, StrideLeaf};
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::{Leaves, Node, Profile, Tuple, need_extents, no_mode, product, slice, write_nested};

/// A layout with leaves of any kind; [`StaticLayout`] is the one for plain numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout<I = Int, D = Stride> {
    profile: Profile,
    shape: Leaves<I>,
    stride: Leaves<D>,
}

/// A layout whose leaves are all plain numbers: the fast path of every operation.
pub type StaticLayout = Layout<i64, i64>;

impl<I: Integer, D: StrideLeaf<I>> Layout<I, D> {
    /// The layout of a shape and a stride.
    ///
    /// # Errors
    /// [`Code::Profile`] when they are not congruent, [`Code::Range`] for a negative extent.
    ///
    /// ```
    /// use bitstride::{StaticLayout, Tuple};
    /// let layout = StaticLayout::new(Tuple::flat(&[4, 8]), Tuple::flat(&[8, 1]))?;
    /// assert_eq!(layout.to_string(), "(4,8):(8,1)");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(shape: Tuple<I>, stride: Tuple<D>) -> Result<Self, Error> {
        if shape.profile() != stride.profile() {
            return Err(error!(
                Code::Profile,
                "shape {shape} and stride {stride} are not nested alike",
                [shape, stride]
            )
            .with_help("each integer of the shape needs one stride at the same place"));
        }
        need_extents(shape.leaves())?;
        Ok(Layout {
            profile: shape.profile().clone(),
            shape: Leaves::from_slice(shape.leaves()),
            stride: Leaves::from_slice(stride.leaves()),
        })
    }

    /// One mode `extent:stride`.
    #[inline]
    pub(crate) fn mode(extent: I, stride: D) -> Self {
        let mut builder = LayoutBuilder::new();
        builder.leaf(extent, stride);
        builder.finish()
    }

    /// Flat modes, a single one bare.
    #[inline]
    pub(crate) fn of_flat(shape: Leaves<I>, stride: Leaves<D>) -> Self {
        let profile = if shape.len() == 1 { Profile::leaf() } else { Profile::flat(shape.len()) };
        Layout { profile, shape, stride }
    }

    /// The layout of one element, `1:0`.
    #[inline]
    pub fn unit() -> Self {
        Layout::mode(I::from(1), D::default())
    }

    /// The shape.
    pub fn shape(&self) -> Tuple<I> {
        self.tuple(&self.shape)
    }

    /// The stride.
    pub fn stride(&self) -> Tuple<D> {
        self.tuple(&self.stride)
    }

    fn tuple<T: Clone + Default>(&self, leaves: &[T]) -> Tuple<T> {
        Tuple::unflatten(leaves, &self.profile).unwrap_or_else(|_| Tuple::flat(leaves))
    }

    /// The nesting of both.
    #[inline]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The whole layout as a node of its profile.
    #[inline]
    pub fn root(&self) -> Node<'_> {
        self.profile.root()
    }

    /// The extents, flat.
    #[inline]
    pub fn extents(&self) -> &[I] {
        &self.shape
    }

    /// The strides, flat.
    #[inline]
    pub fn strides(&self) -> &[D] {
        &self.stride
    }

    /// The extents and strides of one entry.
    #[inline]
    pub(crate) fn leaves_of(&self, node: Node<'_>) -> (&[I], &[D]) {
        let range = node.leaves();
        (slice(&self.shape, range.clone()), slice(&self.stride, range))
    }

    /// The number of elements.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    #[inline]
    pub fn size(&self) -> Result<I, Error> {
        product(&self.shape)
    }

    /// The number of modes; 1 for a bare `shape:stride`.
    pub fn rank(&self) -> usize {
        self.root().rank()
    }

    /// How deep the nesting goes; 0 for a bare `shape:stride`.
    pub fn depth(&self) -> usize {
        self.root().depth()
    }

    /// The entry at `node` as a layout of its own.
    pub(crate) fn at(&self, node: Node<'_>) -> Self {
        let (shape, stride) = self.leaves_of(node);
        Layout { profile: node.to_profile(), shape: Leaves::from_slice(shape), stride: Leaves::from_slice(stride) }
    }

    /// The mode at a path of positions, outermost first; the empty path is the layout itself.
    ///
    /// # Errors
    /// [`Code::NoMode`].
    ///
    /// ```
    /// use bitstride::StaticLayout;
    /// let layout: StaticLayout = "((2,2),3):((24,2),8)".parse()?;
    /// assert_eq!(layout.get(&[0, 1])?.to_string(), "2:2");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn get(&self, path: &[usize]) -> Result<Self, Error> {
        let mut node = self.root();
        for &index in path {
            node = node.child(index).ok_or_else(|| no_mode(index, node.rank()))?;
        }
        Ok(self.at(node))
    }

    /// The modes, one layout each; a bare `shape:stride` has itself as its only one.
    pub fn modes(&self) -> Vec<Self> {
        if self.root().is_leaf() {
            return vec![self.clone()];
        }
        self.root().children().map(|node| self.at(node)).collect()
    }

    /// The layout whose modes are the given ones: concatenation.
    ///
    /// ```
    /// use bitstride::StaticLayout;
    /// let modes: [StaticLayout; 2] = ["4:2".parse()?, "(2,3):(1,8)".parse()?];
    /// assert_eq!(StaticLayout::of(&modes).to_string(), "(4,(2,3)):(2,(1,8))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(modes: &[Self]) -> Self {
        let mut builder = LayoutBuilder::new();
        builder.open();
        for mode in modes {
            builder.append(mode);
        }
        builder.close();
        builder.finish()
    }

    /// The layout of two modes.
    #[inline]
    pub(crate) fn pair(first: &Self, second: &Self) -> Self {
        let mut builder = LayoutBuilder::new();
        builder.open();
        builder.append(first);
        builder.append(second);
        builder.close();
        builder.finish()
    }

    /// The same leaves without nesting; a bare `shape:stride` stays bare.
    #[must_use]
    pub fn flatten(&self) -> Self {
        if self.root().is_leaf() {
            return self.clone();
        }
        Layout { profile: Profile::flat(self.shape.len()), shape: self.shape.clone(), stride: self.stride.clone() }
    }

    /// The offset of a flat index; beyond the size the last leaf goes on, and a negative index mirrors: `A(-i) =
    /// -A(i)`.
    ///
    /// # Errors
    /// [`Code::Overflow`], and [`Code::Range`] when a leaf that must be divided out has extent 0.
    ///
    /// ```
    /// use bitstride::StaticLayout;
    /// let layout: StaticLayout = "(4,2,3):(2,1,8)".parse()?;
    /// assert_eq!(layout.offset(&17), Ok(18));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[inline]
    pub fn offset(&self, index: &I) -> Result<D, Error> {
        offset_of_index(&self.shape, &self.stride, index)
    }

    /// The same layout with its leaves in another representation.
    pub(crate) fn convert<J: Integer, E: StrideLeaf<J>>(
        &self,
        extent: impl FnMut(&I) -> Result<J, Error>,
        stride: impl FnMut(&D) -> Result<E, Error>,
    ) -> Result<Layout<J, E>, Error> {
        let shape: Result<Leaves<J>, Error> = self.shape.iter().map(extent).collect();
        let stride: Result<Leaves<E>, Error> = self.stride.iter().map(stride).collect();
        Ok(Layout { profile: self.profile.clone(), shape: shape?, stride: stride? })
    }
}

/// The offset of a flat index in flat modes.
#[inline]
pub(crate) fn offset_of_index<I: Integer, D: StrideLeaf<I>>(shape: &[I], stride: &[D], index: &I) -> Result<D, Error> {
    inner_product(shape, stride, index).or_else(|error| {
        let mut terms = Vec::new();
        terms_of_index(shape, stride, index, &mut terms)?;
        exact_sum(&terms, error)
    })
}

/// The digits of an index with their strides.
#[cold]
pub(crate) fn terms_of_index<I: Integer, D: StrideLeaf<I>>(
    shape: &[I],
    stride: &[D],
    index: &I,
    terms: &mut Vec<(I, D)>,
) -> Result<(), Error> {
    let mut rest = index.clone();
    for (at, (extent, stride)) in shape.iter().zip(stride).enumerate() {
        if at + 1 == shape.len() {
            terms.push((rest, stride.clone()));
            break;
        }
        let (quotient, digit) = rest.div_rem(extent)?;
        rest = quotient;
        terms.push((digit, stride.clone()));
    }
    Ok(())
}

/// The sum of digits times strides where a part of it left 64 bits: static numbers may come back into them.
#[cold]
pub(crate) fn exact_sum<I: Integer, D: StrideLeaf<I>>(terms: &[(I, D)], error: Error) -> Result<D, Error> {
    let product =
        |(digit, stride): &(I, D)| Some(i128::from(digit.fixed()?) * i128::from(stride.as_integer()?.fixed()?));
    let mut sum: i128 = 0;
    for term in terms {
        let Some(next) = product(term).filter(|_| error.code() == Code::Overflow) else { return Err(error) };
        sum = sum.checked_add(next).ok_or_else(|| error.clone())?;
    }
    narrow(sum).map(|sum| D::from(I::from(sum))).map_err(|_| error)
}

#[inline]
fn inner_product<I: Integer, D: StrideLeaf<I>>(shape: &[I], stride: &[D], index: &I) -> Result<D, Error> {
    let Some((last, lower)) = stride.split_last() else {
        return Ok(D::default());
    };
    if lower.is_empty() {
        return last.scale(index);
    }
    let mut offset = D::default();
    let mut rest = index.clone();
    for (extent, stride) in shape.iter().zip(lower) {
        let (quotient, digit) = rest.div_rem(extent)?;
        rest = quotient;
        offset = offset.plus(&stride.scale(&digit)?)?;
    }
    offset.plus(&last.scale(&rest)?)
}

impl StaticLayout {
    /// The same layout for the general algebra.
    pub fn to_dynamic(&self) -> Layout {
        Layout {
            profile: self.profile.clone(),
            shape: self.shape.iter().map(|n| Int::from(*n)).collect(),
            stride: self.stride.iter().map(|n| Stride::Int(Int::from(*n))).collect(),
        }
    }
}

impl Layout {
    /// The same layout with plain numbers, when every leaf is a static integer.
    pub fn to_static(&self) -> Option<StaticLayout> {
        let missing = || Error::new(Code::MissingFact, "not static");
        self.convert(|n| n.fixed().ok_or_else(missing), |d| d.as_integer().and_then(Integer::fixed).ok_or_else(missing))
            .ok()
    }

    /// As the C++ library prints it: `(_4,8):(_1,_4)` with `_` before static integers.
    pub fn cpp(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = write_nested(&mut text, self.root(), &self.shape, &mut |f, n| f.write_str(&n.cpp()));
        text.push(':');
        let _ = write_nested(&mut text, self.root(), &self.stride, &mut |f, d| f.write_str(&d.cpp()));
        text
    }
}

impl<I: Integer, D: StrideLeaf<I>> fmt::Display for Layout<I, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (true, Some(extent), Some(stride)) = (self.root().is_leaf(), self.shape.first(), self.stride.first()) {
            let stride = stride.as_integer().map_or_else(|| stride.to_string(), Integer::beside_colon);
            return write!(f, "{}:{stride}", extent.beside_colon());
        }
        write_nested(f, self.root(), &self.shape, &mut |f, n| write!(f, "{n}"))?;
        f.write_str(":")?;
        write_nested(f, self.root(), &self.stride, &mut |f, d| write!(f, "{d}"))
    }
}

/// An operation from layout to layout.
pub(crate) type Operation<'o, I, D> = dyn Fn(&Layout<I, D>) -> Result<Layout<I, D>, Error> + 'o;

/// Writes a layout from left to right, in its place.
#[derive(Clone, Debug)]
pub(crate) struct LayoutBuilder<I, D>(Layout<I, D>);

impl<I: Integer, D: StrideLeaf<I>> LayoutBuilder<I, D> {
    #[inline]
    pub(crate) fn new() -> Self {
        LayoutBuilder(Layout { profile: Profile::unwritten(), shape: Leaves::new(), stride: Leaves::new() })
    }

    /// Begins a nested mode.
    #[inline]
    pub(crate) fn open(&mut self) {
        self.0.profile.open();
    }

    /// Ends the nested mode begun last.
    #[inline]
    pub(crate) fn close(&mut self) {
        self.0.profile.close();
    }

    /// Writes one `extent:stride`.
    #[inline]
    pub(crate) fn leaf(&mut self, extent: I, stride: D) {
        self.0.profile.leaf_behind();
        self.0.shape.push(extent);
        self.0.stride.push(stride);
    }

    /// Writes a whole layout as one mode.
    #[inline]
    pub(crate) fn append(&mut self, mode: &Layout<I, D>) {
        self.0.profile.node(mode.root());
        self.0.shape.extend_from_slice(&mode.shape);
        self.0.stride.extend_from_slice(&mode.stride);
    }

    /// Writes one entry of a layout as one mode.
    #[inline]
    pub(crate) fn node(&mut self, layout: &Layout<I, D>, node: Node<'_>) {
        let (shape, stride) = layout.leaves_of(node);
        self.0.profile.node(node);
        self.0.shape.extend_from_slice(shape);
        self.0.stride.extend_from_slice(stride);
    }

    /// Makes one mode of the leaves written last, unless there is exactly one.
    #[inline]
    pub(crate) fn bracket(&mut self, leaves: usize) {
        self.0.profile.bracket(leaves);
    }

    /// How many leaves are written.
    #[inline]
    pub(crate) fn leaves(&self) -> usize {
        self.0.shape.len()
    }

    /// Writes flat modes as one mode: bare for one, `1:0` for none, a tuple for more.
    #[inline]
    pub(crate) fn flat(&mut self, shape: &[I], stride: &[D]) {
        match (shape, stride) {
            ([], _) | (_, []) => self.leaf(I::from(1), D::default()),
            ([extent], [stride]) => self.leaf(extent.clone(), stride.clone()),
            _ => {
                self.open();
                for (extent, stride) in shape.iter().zip(stride) {
                    self.leaf(extent.clone(), stride.clone());
                }
                self.close();
            }
        }
    }

    #[inline]
    pub(crate) fn finish(self) -> Layout<I, D> {
        self.0
    }
}
