//! [`Expr`]: the syntax tree of the expression language.
//!
//! The tree says what is written, not what it means: `(2,3)` is a tuple
//! whether it will serve as a shape, a tiler or a coordinate, and `4:(1,2)` is
//! a tree although no layout has it. Meaning, and the errors of meaning, belong
//! to whoever evaluates the tree.

use super::compared::compared_by;
use super::{Attribute, LinearText, Name, ShapedType, Span};
use crate::index::{Affine, Expression, OffsetExpression};
use crate::xla::mosaic::MemRef;
use crate::xla::{BareLayout, Shape};

/// An expression and where it was read.
///
/// Two expressions are equal when they say the same, wherever they stand: `==`
/// ignores spans.
///
/// The parser yields trees of the following form only, which is also the form
/// that prints and parses back to itself. Each line may hold what the lines
/// below it hold.
///
/// | node | holds |
/// |---|---|
/// | `Tuple`, `Tiler`, `Call`, the arguments of a `Method` | anything |
/// | `Compose` | two or more of the lines below |
/// | `Sum` | two or more of the lines below; after a `Pair` whose stride is a scaled basis comes no scaled basis (it would have joined the stride) |
/// | `Pair` | a shape from the lines below; a stride from there, without swizzles, or a `Sum` of scaled bases |
/// | `Product` | two or more of the lines below |
/// | `Basis` | a `Static`, `Dynamic`, `Unknown` or `Call` |
///
/// A *scaled basis* is a `Basis` or a `Product` with a `Basis` among its
/// factors. Since round brackets never group, a sum under a product, or as the
/// shape of a pair, has no text: it has to be multiplied out or put in a tuple.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What is written.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// The forms an expression takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A static integer: `7`, `-3`; `_7`, `_-3` in the C++ spelling.
    Static(i64),
    /// A dynamic integer whose value is known: `5?`; `5` in the C++ spelling.
    Dynamic(i64),
    /// An integer of unknown value: `?`, `?{div=8}`, `M`, `M{div=8}`.
    Unknown {
        /// A capital letter, then letters, digits or `_`; `None` for `?`.
        name: Option<String>,
        /// A positive integer that divides the value; 1 says nothing.
        div: i64,
    },
    /// A stride that is xored, not added: `^9`.
    Xor(i64),
    /// All of a mode: `_`.
    Wildcard,
    /// A scaled basis vector: `42@0@1`.
    Basis {
        /// The scale.
        value: Box<Expr>,
        /// Mode indices as written, innermost first; at least one.
        path: Vec<usize>,
    },
    /// The name of a dim of a linear layout: `lane`. A lower-case letter, then letters, digits or `_`.
    Name(Name),
    /// The name of a dim in quotes, where the word alone is something else: `"M"`, `"o"`.
    Quoted(Name),
    /// Factors: `4*M`. `-M` is the product of -1 and `M`.
    Product(Vec<Expr>),
    /// Summands: `M+4`, `1@0+1@1`, `4:1 + 7`. `8*M-7` is the sum of `8*M` and
    /// `-7`.
    Sum(Vec<Expr>),
    /// Entries in round brackets: `(2,(1,6))`, `(4)` of rank 1, `()`.
    Tuple(Vec<Expr>),
    /// `shape:stride`.
    Pair {
        /// Left of the colon.
        shape: Box<Expr>,
        /// Right of the colon.
        stride: Box<Expr>,
    },
    /// Entries in angle brackets: `<3:4, 8:2>`, `<4, _>`.
    Tiler(Vec<Expr>),
    /// `Sw<bits,base,shift>`.
    Swizzle {
        /// How many bits are changed.
        bits: i64,
        /// The lowest bit that is changed.
        base: i64,
        /// How far away the bits are that are xored in, and on which side.
        shift: i64,
    },
    /// Elements of this number of bits whose bytes the swizzle before it moves: `bytes[16]`, in CuTe's print `smem_ptr[16b](unset)`.
    Bytes(i64),
    /// An encoding: `#ttg.blocked<{…}>`.
    Attribute(Box<Attribute>),
    /// A shape with its encoding: `tensor<128x64xf16, ATTR>`, `!ttg.memdesc<…>`.
    Shaped(Box<ShapedType>),
    /// A linear layout: `linear<{lane=[[1]]}, out=[dim0:2]>`.
    Linear(Box<LinearText>),
    /// A shape of XLA: `f32[3,5]{1,0:T(2,2)}`, `b(f32[3])`, `token[]`.
    Xla(Box<XlaText>),
    /// An array as Mosaic writes it: `memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>>`.
    MemRef(Box<MemRef>),
    /// A layout of XLA, JAX or Mosaic without its array: `{1,0:T(8,128)}`, `Layout(major_to_minor=(0, 1))`, `#tpu.vpad<"…">`.
    BareLayout(Box<BareLayout>),
    /// An affine map of MLIR: `affine_map<(d0, d1) -> (d0 * 8 + d1)>`.
    Affine(Box<Affine>),
    /// An offset as an index expression over ranges: `i<16, j<8: i*8 + (j ^ i)`.
    Index(Box<Expression>),
    /// Offsets as Triton's Python computes them: `offs_m[:, None] * 64 + tl.arange(0, 64)[None, :]`.
    Offsets(Box<OffsetExpression>),
    /// A tensor over devices, as it is written: `shard(f32[8,6], P('a', None), mesh(a=2))`.
    Shard(String),
    /// What comparing two layouts said, in words: `different: …`.
    Verdict(String),
    /// Operands of `o`, from the outermost function to the innermost:
    /// `Sw<3,4,3> o 0 o (8,64):(64,1)`.
    Compose(Vec<Expr>),
    /// A method of a tensor, as PyTorch and NumPy call it: `x.permute(1,0)`.
    Method {
        /// What it is called on: no chain, and no sum or product.
        receiver: Box<Expr>,
        /// The method.
        name: Name,
        /// What stands in the brackets.
        arguments: Vec<Expr>,
    },
    /// A call: `coalesce((2,4):(1,2))`, by mode `composition[0](A, B)`.
    Call {
        /// The operation.
        name: Name,
        /// The modes in square brackets; never empty.
        modes: Option<Vec<Expr>>,
        /// The operands in round brackets.
        arguments: Vec<Expr>,
    },
}

/// A shape of XLA as it was read. Equality ignores how the type was written.
#[derive(Debug, Clone)]
pub struct XlaText {
    /// What is written.
    pub shape: Shape,
    /// Whether a type stands in upper case, as the documents print it.
    pub folded: bool,
}

compared_by!(XlaText: shape);

/// How integers are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ints {
    /// `5` is static, `5?` is dynamic.
    #[default]
    Plain,
    /// As CuTe's C++ code prints them: `_5` is static, `5` is dynamic. Numbers
    /// that are never values keep the plain spelling: those in `Sw<…>`,
    /// `op[…]`, `{div=…}` and after `@`.
    Cpp,
}

impl Expr {
    /// An expression read from `span`.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Expr { kind, span }
    }

    /// How many brackets nest in this expression; at most [`MAX_DEPTH`](super::MAX_DEPTH) in one that was read.
    pub fn depth(&self) -> usize {
        let of_attribute = match &self.kind {
            ExprKind::Attribute(attribute) => attribute.depth(),
            ExprKind::Shaped(shaped) => 1 + shaped.encoding.as_ref().map_or(0, Attribute::depth),
            _ => 0,
        };
        let of_parts = self.parts().map(Expr::depth).max().unwrap_or(0) + usize::from(self.kind.is_bracketed());
        of_parts.max(of_attribute)
    }

    /// The expressions that this one is made of.
    pub fn parts(&self) -> impl Iterator<Item = &Expr> {
        let (pair, list): ([Option<&Expr>; 2], &[Expr]) = match &self.kind {
            ExprKind::Basis { value, .. } => ([Some(value), None], &[]),
            ExprKind::Pair { shape, stride } => ([Some(shape), Some(stride)], &[]),
            ExprKind::Method { receiver, arguments, .. } => ([Some(receiver), None], arguments),
            ExprKind::Product(parts)
            | ExprKind::Sum(parts)
            | ExprKind::Tuple(parts)
            | ExprKind::Tiler(parts)
            | ExprKind::Compose(parts)
            | ExprKind::Call { arguments: parts, .. } => ([None, None], parts),
            _ => ([None, None], &[]),
        };
        pair.into_iter().flatten().chain(list)
    }

    /// The same, to change them.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (pair, list): ([Option<&mut Expr>; 2], &mut [Expr]) = match &mut self.kind {
            ExprKind::Basis { value, .. } => ([Some(value), None], &mut []),
            ExprKind::Pair { shape, stride } => ([Some(shape), Some(stride)], &mut []),
            ExprKind::Method { receiver, arguments, .. } => ([Some(receiver), None], arguments),
            ExprKind::Product(parts)
            | ExprKind::Sum(parts)
            | ExprKind::Tuple(parts)
            | ExprKind::Tiler(parts)
            | ExprKind::Compose(parts)
            | ExprKind::Call { arguments: parts, .. } => ([None, None], parts),
            _ => ([None, None], &mut []),
        };
        pair.into_iter().flatten().chain(list)
    }
}

impl ExprKind {
    /// Whether this has brackets around expressions.
    fn is_bracketed(&self) -> bool {
        matches!(self, ExprKind::Tuple(_) | ExprKind::Tiler(_) | ExprKind::Call { .. } | ExprKind::Method { .. })
    }

    /// Whether this is a chain of functions.
    pub(super) fn is_chain(&self) -> bool {
        matches!(self, ExprKind::Compose(_))
    }

    /// Whether this is a scaled basis vector: a `Basis`, or a `Product` with
    /// one among its factors.
    pub fn is_scaled_basis(&self) -> bool {
        match self {
            ExprKind::Basis { .. } => true,
            ExprKind::Product(factors) => factors.iter().any(|factor| matches!(factor.kind, ExprKind::Basis { .. })),
            _ => false,
        }
    }
}

compared_by!(Expr: kind);

impl From<ExprKind> for Expr {
    /// An expression that was built, not read: its span is empty.
    fn from(kind: ExprKind) -> Self {
        Expr::new(kind, Span::default())
    }
}
