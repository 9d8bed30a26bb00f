//! What goes wrong, said so that a reader can act on it.
//!
//! An [`Error`] has a stable [`Code`], a sentence with the numbers, a help line where there is a repair, a [`Witness`]
//! where a law refused the question, and a span when it speaks of text the user typed. It is one pointer wide, so that
//! the algebra's results stay small.

use std::fmt;

use crate::abridged::abridged;
use crate::refusal::{Fact, Refusal};
use crate::text::Span;

/// An [`Error`] whose sentence is made of named facts, which it has as data too.
///
/// Behind the sentence stands each name in it, with a value where the name is no variable; the sentence can name nothing
/// else. A kind beside the code tells errors of one code apart, and after `;` names are listed that are one fact together.
///
/// ```
/// use bitstride::{Code, Fact, error};
/// let extents = vec![2, 3];
/// let error = error!(Code::Range, "mode {mode} of {extents:?}, of rank {rank}", [mode = 7, extents, rank = 2]);
/// assert_eq!(error.message(), "mode 7 of [2, 3], of rank 2");
/// let facts = error.refusal().unwrap().facts();
/// assert_eq!(facts[0], ("mode", Fact::Number(7)));
/// assert_eq!(facts[1], ("extents", Fact::list(&[2, 3])));
/// let (one, other) = (4, 6);
/// let error = error!((Code::Overlap, "meeting"), "{one} and {other} meet", [; starts = [one, other]]);
/// assert_eq!(error.refusal().unwrap().fact("starts"), Some(&Fact::list(&[4, 6])));
/// ```
#[macro_export]
macro_rules! error {
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
    (@fact $name:ident) => {{
        // Each kind of value needs one of the traits there.
        use $crate::stated::*;
        (&Stated($name)).fact()
    }};
    (($code:expr, $kind:literal), $($rest:tt)+) => { $crate::error!(@made $code, $kind, $($rest)+) };
    (@made $code:expr, $kind:expr, $sentence:literal, [
        $($name:ident $(= $value:expr)?),* $(; $($group:ident = [$($part:ident),+]),+)? $(,)?
    ] $(,)?) => {
        $crate::Error::by(|| match ($(&$crate::error!(@value $name $(= $value)?),)* $($($(&$part,)+)+)?) {
            ($($name,)* $($($($part,)+)+)?) => $crate::Error::stated(
                $code,
                $kind,
                // A sentence that a macro makes can name its own values only.
                ::std::format!(::std::concat!($sentence), $($name = $name,)* $($($($part = $part,)+)+)?),
                ::std::vec![
                    $((::std::stringify!($name), $crate::error!(@fact $name)),)*
                    $($((
                        ::std::stringify!($group),
                        $crate::Fact::List(::std::vec![$($crate::error!(@fact $part)),+]),
                    ),)+)?
                ],
            ),
        })
    };
    ($code:expr, $($rest:tt)+) => { $crate::error!(@made $code, "", $($rest)+) };
}

/// Stable names of everything that can go wrong; the name is what programs match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A number left the range of 64-bit signed integers.
    Overflow,
    /// A composite would have to split a mode where it cannot be split.
    Split,
    /// Modes that are added together carry across a mode boundary.
    Carry,
    /// Two arguments do not have the nesting the operation needs.
    Profile,
    /// A mode number that the layout does not have.
    NoMode,
    /// An extent, cotarget or ratio outside its allowed range.
    Range,
    /// Sizes or strides do not divide as the operation requires.
    NotDivisible,
    /// Modes of a layout overlap or interleave where they must nest.
    Overlap,
    /// No inverse of the asked kind is a layout.
    NoInverse,
    /// The answer exists but is not of the asked form.
    NotALayout,
    /// A fact about an unknown or dynamic integer is missing.
    MissingFact,
    /// The step budget ended before the question was decided.
    Undecided,
    /// Numbers of a swizzle that are no swizzle.
    BadSwizzle,
    /// Text that is not in the language.
    Syntax(&'static str),
    /// A function or name that does not exist.
    UnknownName,
    /// A call with the wrong number of arguments.
    Arity,
    /// A value of one kind where another is needed.
    Kind,
    /// More elements or leaves than an answer may have.
    TooLarge,
    /// A linear layout that has to reach every element does not.
    NotSurjective,
    /// A linear layout has no inverse.
    NotInvertible,
    /// The second layout of a composition does not take all values of the first.
    OuterDomainTooSmall,
    /// The layout to invert does not have all values of the other.
    OuterCodomainTooSmall,
    /// A value to find the place of is no image.
    ImageNotContained,
    /// Out sizes were to be inferred for a layout that is not surjective.
    SizesRequired,
    /// A size of a linear layout is no power of two.
    SizeNotPowerOfTwo,
    /// A basis has a value that its out dim does not have.
    BasisNotBelowOutSize,
    /// A basis has a negative value.
    NegativeBasis,
    /// A basis has not one value for each out dim.
    BasisRankMismatch,
    /// Dims that have to agree by name do not.
    DimNamesMismatch,
    /// A dim that the operation speaks of is not there.
    MissingDim,
    /// A layout lacks an in dim that the question needs, such as `block`.
    MissingInDim,
    /// An out dim was to grow.
    ResizeOutOnlyShrinks,
    /// A dim to drop has more than one value.
    SqueezedDimNotUnit,
    /// An order does not name each dim once.
    OrderNotPermutation,
    /// A parameter and a shape have different ranks.
    RankMismatch,
    /// The bases of a linear encoding are more than a permutation of bits.
    LinearNotPermutation,
    /// The inner dim of an NVMMA shared layout is shorter than its swizzle.
    NvmmaInner,
    /// The outer dims of an NVMMA shared layout have fewer than 8 rows.
    NvmmaOuter,
    /// A swizzled NVMMA shared layout has fewer than two dims.
    NvmmaRank,
    /// The 64x4 MFMA instruction exists transposed only.
    MfmaTransposed,
    /// A padded shared layout is not linear.
    PaddedNotLinear,
    /// The first version of the NVIDIA MMA encoding no longer exists.
    MmaV1Removed,
    /// A slice removes a dim that its parent does not have.
    SliceDim,
    /// A tensor memory load variant that cannot be requested.
    TmemAtom,
    /// An encoding or a layout of XLA alone where one with a shape is needed.
    NeedsShape,
    /// A parameter of an encoding is outside of its range, missing, or unknown.
    Parameter,
    /// An encoding that stands for no layout.
    NoLayout,
    /// A tiled layout that XLA reads but that has no meaning.
    InvalidLayout,
    /// A reshape or transpose that would have to move elements.
    NotBitcast,
    /// Two tensors of different ranks whose elements are numbered in different orders.
    NeedsOrder,
    /// A sharding that does not say where elements are.
    Unplaced,
    /// There is no GPU, or something that it needs is missing.
    NoDevice,
    /// The driver or the compiler of a GPU failed.
    DeviceFailed,
}

impl Code {
    /// The stable text of the code.
    ///
    /// ```
    /// assert_eq!(bitstride::Code::Overlap.as_str(), "overlap");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Overflow => "overflow",
            Code::Split => "split",
            Code::Carry => "carry",
            Code::Profile => "profile",
            Code::NoMode => "no-mode",
            Code::Range => "range",
            Code::NotDivisible => "not-divisible",
            Code::Overlap => "overlap",
            Code::NoInverse => "no-inverse",
            Code::NotALayout => "not-a-layout",
            Code::MissingFact => "missing-fact",
            Code::Undecided => "undecided",
            Code::BadSwizzle => "bad-swizzle",
            Code::Syntax(code) => code,
            Code::UnknownName => "unknown-name",
            Code::Arity => "arity",
            Code::Kind => "kind",
            Code::TooLarge => "too-large",
            Code::NotSurjective => "not-surjective",
            Code::NotInvertible => "not-invertible",
            Code::OuterDomainTooSmall => "outer-domain-too-small",
            Code::OuterCodomainTooSmall => "outer-codomain-too-small",
            Code::ImageNotContained => "image-not-contained",
            Code::SizesRequired => "sizes-required-when-not-surjective",
            Code::SizeNotPowerOfTwo => "size-not-power-of-two",
            Code::BasisNotBelowOutSize => "basis-not-below-out-size",
            Code::NegativeBasis => "negative-basis",
            Code::BasisRankMismatch => "basis-rank-mismatch",
            Code::DimNamesMismatch => "dim-names-mismatch",
            Code::MissingDim => "missing-dim",
            Code::MissingInDim => "missing-in-dim",
            Code::ResizeOutOnlyShrinks => "resize-out-only-shrinks",
            Code::SqueezedDimNotUnit => "squeezed-dim-not-unit",
            Code::OrderNotPermutation => "order-not-permutation",
            Code::RankMismatch => "rank-mismatch",
            Code::LinearNotPermutation => "linear-encoding-not-permutation",
            Code::NvmmaInner => "nvmma-inner-dim-smaller-than-swizzle",
            Code::NvmmaOuter => "nvmma-outer-dim-below-8",
            Code::NvmmaRank => "nvmma-needs-rank-2",
            Code::MfmaTransposed => "mfma-64x4-needs-transposed",
            Code::PaddedNotLinear => "padded-has-no-linear-layout",
            Code::MmaV1Removed => "mma-v1-removed",
            Code::SliceDim => "slice-dim-out-of-range",
            Code::TmemAtom => "tmem-atom-not-requestable",
            Code::NeedsShape => "needs-shape",
            Code::Parameter => "parameter",
            Code::NoLayout => "no-layout",
            Code::InvalidLayout => "invalid-layout",
            Code::NotBitcast => "not-bitcast",
            Code::NeedsOrder => "needs-order",
            Code::Unplaced => "unplaced",
            Code::NoDevice => "no-device",
            Code::DeviceFailed => "device-failed",
        }
    }

    /// What kind of failure this is; it decides the exit code of a program.
    pub fn class(self) -> Class {
        match self {
            Code::Split
            | Code::Carry
            | Code::NotDivisible
            | Code::Overlap
            | Code::NoInverse
            | Code::NotALayout
            | Code::NotSurjective
            | Code::NotInvertible
            | Code::OuterDomainTooSmall
            | Code::OuterCodomainTooSmall
            | Code::ImageNotContained
            | Code::LinearNotPermutation
            | Code::NvmmaInner
            | Code::NvmmaOuter
            | Code::NvmmaRank
            | Code::MfmaTransposed
            | Code::PaddedNotLinear
            | Code::TmemAtom
            | Code::NoLayout
            | Code::InvalidLayout
            | Code::NotBitcast
            | Code::NeedsOrder
            | Code::Unplaced => Class::Refused,
            Code::MissingFact | Code::Undecided => Class::Undecided,
            _ => Class::Unreadable,
        }
    }
}

/// The three ways to get no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A law refuses the question; exit code 1.
    Refused,
    /// The text, a kind, an arity or a range is wrong; exit code 2.
    Unreadable,
    /// A fact is missing or the budget ended; exit code 3.
    Undecided,
}

/// Coordinates that show why a law refuses, with what they give.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Witness {
    /// The coordinates, flat indices into the domain of the operation.
    pub at: Vec<i64>,
    /// What the true function gives there.
    pub gives: Vec<String>,
    /// What the law would need instead, in words and numbers.
    pub needs: String,
}

/// An error with its code, its sentence and what helps.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Inner {
    code: Code,
    message: String,
    refusal: Option<Refusal>,
    help: Option<String>,
    span: Option<Span>,
    witness: Option<Witness>,
    chain: Option<String>,
}

impl Error {
    /// An error with a code and a sentence.
    #[cold]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = abridged(message.into());
        Error(Box::new(Inner { code, message, refusal: None, help: None, span: None, witness: None, chain: None }))
    }

    /// What makes an error, as a call: the code that states it is not among that of what goes well.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn by(make: impl FnOnce() -> Error) -> Self {
        make()
    }

    /// An error with a code, a sentence and its facts, as [`error!`](crate::error!) makes them.
    #[doc(hidden)]
    pub fn stated(code: Code, kind: &'static str, message: String, facts: Vec<(&'static str, Fact)>) -> Self {
        let mut error = Error::new(code, message);
        let kind = if kind.is_empty() { code.as_str() } else { kind };
        error.0.refusal = Some(Refusal::new(kind, facts));
        error
    }

    /// Of the first kind of things there are not as many as of the second, with which they go one by one.
    #[cold]
    pub(crate) fn lengths([what, of]: [&str; 2], given: usize, needed: impl fmt::Display) -> Self {
        error!((Code::RankMismatch, "lengths"), "{given} {what} for {needed} {of}", [what, given, of, needed])
    }

    /// An encoding of a rank stands with a tensor of another.
    #[cold]
    pub(crate) fn encoding_rank(encoding: usize, shape: &[i64]) -> Self {
        let rank = shape.len();
        error!(
            (Code::RankMismatch, "rank"),
            "the encoding has rank {encoding}, the shape {shape:?} has rank {rank}",
            [encoding, shape, rank]
        )
    }

    /// The arithmetic error: `what` left the range of 64-bit integers.
    #[cold]
    pub fn overflow(what: &str) -> Self {
        error!(Code::Overflow, "{what} does not fit in a {bits}-bit signed integer", [what, bits = 64])
    }

    /// The same under another code.
    #[must_use]
    pub fn with_code(mut self, code: Code) -> Self {
        self.0.code = code;
        self
    }

    /// Adds the line that says how to repair it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same with what another error states behind it: both are so.
    ///
    /// ```
    /// use bitstride::{Code, Error};
    /// let error = Error::new(Code::Carry, "8 and 4 carry").besides(Error::new(Code::Range, "5 is too much"));
    /// assert_eq!(error.message(), "8 and 4 carry; besides, 5 is too much");
    /// ```
    #[must_use]
    pub fn besides(mut self, other: Error) -> Self {
        self.0.message = format!("{}; besides, {}", self.0.message, other.0.message);
        match (&mut self.0.refusal, other.0.refusal) {
            (Some(own), Some(other)) => own.extend(other),
            (own, other) => *own = own.take().or(other),
        }
        self
    }

    /// The same with the facts of another error, whose sentence is a part of its own.
    ///
    /// ```
    /// use bitstride::{Code, error};
    /// let inner = error!(Code::Range, "{n} is too much", [n = 5]);
    /// let outer = error!(Code::Undecided, "no value: {why}", [why = inner.message()]).with_facts_of(&inner);
    /// let names = outer.refusal().map(|refusal| refusal.facts().iter().map(|(name, _)| *name).collect::<Vec<_>>());
    /// assert_eq!(names, Some(vec!["why", "n"]));
    /// ```
    #[must_use]
    pub fn with_facts_of(mut self, other: &Error) -> Self {
        if let (Some(own), Some(other)) = (&mut self.0.refusal, &other.0.refusal) {
            own.extend(other.clone());
        }
        self
    }

    /// The same of one part of what was asked, which the sentence then begins with.
    ///
    /// ```
    /// use bitstride::{Code, Error};
    /// let error = Error::new(Code::Carry, "8 and 4 carry").with_help("pad it").about("the source");
    /// assert_eq!((error.message(), error.help()), ("the source: 8 and 4 carry", Some("pad it")));
    /// ```
    #[must_use]
    pub fn about(mut self, part: impl fmt::Display) -> Self {
        self.0.message = format!("{part}: {}", self.0.message);
        if let Some(refusal) = &mut self.0.refusal {
            refusal.is_about(&part);
        }
        self
    }

    /// Adds the place in the user's text, unless a closer one is known.
    #[must_use]
    pub fn with_span(mut self, span: Span) -> Self {
        self.0.span.get_or_insert(span);
        self
    }

    /// The same where the text that it is about begins at a byte of another.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.0.span = self.0.span.map(|at| Span::new(at.start.saturating_add(by), at.end.saturating_add(by)));
        self
    }

    /// Adds the coordinates that show it.
    #[must_use]
    pub fn with_witness(mut self, witness: Witness) -> Self {
        self.0.witness = Some(witness);
        self
    }

    /// Adds the expression that does hold the answer although the asked notation cannot.
    #[must_use]
    pub fn with_chain(mut self, chain: impl Into<String>) -> Self {
        self.0.chain = Some(chain.into());
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The sentence, with its numbers.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the sentence states, as data; [`Error::about`] adds the part as the fact `about`.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.0.refusal.as_ref()
    }

    /// The repair, where there is one.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The place in the text, as byte offsets.
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }

    /// The coordinates that show it.
    pub fn witness(&self) -> Option<&Witness> {
        self.0.witness.as_ref()
    }

    /// The expression that does hold the answer.
    pub fn chain(&self) -> Option<&str> {
        self.0.chain.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code.as_str(), self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        if let Some(help) = &self.0.help {
            write!(f, " (help: {help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
