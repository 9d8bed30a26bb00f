//! Layouts of values in registers as Mosaic GPU and Pallas of JAX write them: `plgpu.Layout.WGMMA`, and
//! `TiledLayout(Tiling(((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1)`.
//!
//! Each tile cuts the last dims into the number of a tile and the place in it. Of the dims that this gives, counted from the last,
//! `warp_dims` are numbered by the warp and `lane_dims` by the lane, the last the fastest; `vector_dim` lies in a register, and
//! the others number registers (`jax/experimental/mosaic/gpu/fragmented_array.py`). Law: the text reads as `#ttg.linear` with
//! the bases of the first tile. It is refused where Triton would number the registers of further tiles in another order, and
//! where a size is no power of two.

use super::Dialect;
use super::arguments::Argument as Passed;
use super::arguments::placed;
use super::build::call;
use crate::names::did_you_mean;
use crate::notation::attribute::{Argument, Attribute, Datum, DatumKind};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// What numbers a warp or a lane.
#[derive(Clone, Copy)]
enum WarpOrLane {
    /// A dim after tiling, counted from the last: `-1`.
    Dim(i64),
    /// A number of warps or lanes that hold the same elements.
    Copies(i64),
}

use WarpOrLane::{Copies, Dim};

/// A layout that has a name.
struct Named {
    name: &'static str,
    tiles: &'static [&'static [i64]],
    warps: &'static [WarpOrLane],
    lanes: &'static [WarpOrLane],
    vector: i64,
}

const fn named(
    name: &'static str,
    tiles: &'static [&'static [i64]],
    warps: &'static [WarpOrLane],
    lanes: &'static [WarpOrLane],
    vector: i64,
) -> Named {
    Named { name, tiles, warps, lanes, vector }
}

const QUADS: &[WarpOrLane] = &[Dim(-3), Dim(-2)];
const PAIRS: &[&[i64]] = &[&[8], &[2]];
const COLUMN_LANES: &[WarpOrLane] = &[Copies(8), Dim(-2)];
const ROW_LANES: &[WarpOrLane] = &[Dim(-2), Copies(4)];

/// Names without `_LAYOUT`, which constants of `mgpu` have somewhere in them.
const NAMED: &[Named] = &[
    named("WGMMA", &[&[64, 8], &[16, 8], &[8, 8], &[2]], &[Dim(-7)], QUADS, -1),
    named("WGMMA_ROW", &[&[64], &[16], &[8], &[1]], &[Dim(-4)], ROW_LANES, -1),
    named("WGMMA_COL", PAIRS, &[Copies(4)], COLUMN_LANES, -1),
    named("WGMMA_8BIT", &[&[64, 16], &[16, 16], &[8, 16], &[4]], &[Dim(-7)], QUADS, -1),
    named(
        "WGMMA_UPCAST_2X",
        &[&[64, 16], &[16, 16], &[8, 16], &[8], &[4]],
        &[Dim(-8)],
        &[Dim(-4), Dim(-2), Dim(-3)],
        -1,
    ),
    named("WGMMA_UPCAST_4X", &[&[64, 32], &[16, 32], &[8, 32], &[8]], &[Dim(-7)], QUADS, -1),
    named("TCGEN05", &[&[128, 8], &[32, 8], &[8, 8], &[2]], &[Dim(-7)], QUADS, -1),
    named("TCGEN05_ROW", &[&[128], &[32], &[8], &[1]], &[Dim(-4)], ROW_LANES, -1),
    named("TCGEN05_COL", PAIRS, &[Copies(4)], COLUMN_LANES, -1),
    named("TCGEN05_TMEM_NATIVE", &[&[128, 2], &[32, 2]], &[Dim(-4)], &[Dim(-2)], -1),
    named("TMEM_NATIVE", &[&[128, 2], &[32, 2]], &[Dim(-4)], &[Dim(-2)], -1),
    named("TMA_INDICES", &[&[16], &[4]], &[Dim(-2)], &[Copies(32)], -1),
    named("TMA_INDICES_4", &[&[4]], &[Copies(4)], &[Copies(32)], -1),
];

/// Names of Pallas that are not read, and why.
const UNREAD: &[(&str, &str)] = &[
    ("WG_SPLAT", "every thread holds one value for all elements, which no layout says"),
    ("WGMMA_TRANSPOSED", TURNED),
    ("TCGEN05_TRANSPOSED", TURNED),
    ("TCGEN05_M64_COLLECTIVE", WRITE_OUT),
    ("TCGEN05_M64_COLLECTIVE_NATIVE", WRITE_OUT),
    ("SMEM_GMEM_COPY", WRITE_OUT),
    ("TILED", WRITE_OUT),
];

const TURNED: &str = "registers of further tiles are numbered along the last dim first, those of one tile along another, \
                      which an encoding of Triton cannot say";
const WRITE_OUT: &str = "it depends on arguments: write the layout that Python prints, `TiledLayout(Tiling(…), …)`";

/// A dim after tiling: its size, and the dim of the array with the number of its elements that a step is.
#[derive(Clone, Copy)]
struct Tiled {
    size: i64,
    dim: usize,
    weight: i64,
}

/// The image of a bit: by so much along a dim; nothing for a copy.
type Bit = Option<(usize, i64)>;

impl Cursor<'_> {
    /// What a word of Mosaic GPU begins; `None` where it is none.
    pub(super) fn mosaic_gpu_word(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        match word {
            "Tiling" if self.at(TokenKind::OpenRound) => {
                let tiles = self.one_argument("Tiling", "tiles")?;
                Ok(Some(Expr::new(tiles.kind, self.since(start))))
            }
            "Replicated" if self.at(TokenKind::OpenRound) => {
                let times = self.one_argument("Replicated", "times")?;
                Ok(Some(call("Replicated", start, vec![times], self.since(start))))
            }
            "TiledLayout" if self.at(TokenKind::OpenRound) => self.tiled_layout(start).map(Some),
            "Layout" if self.at(TokenKind::Dot) => {
                self.advance();
                let name = self.token.span;
                self.require(TokenKind::Word, "the name of a layout, as in `Layout.WGMMA`")?;
                self.pallas_layout(name.of(self.text()).to_owned().as_str(), name, start).map(Some)
            }
            _ if scope == Some(Dialect::Jax) && word.contains("_LAYOUT") => {
                self.pallas_layout(&word.replacen("_LAYOUT", "", 1), start, start).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn one_argument(&mut self, function: &str, parameter: &str) -> Result<Expr> {
        let arguments = self.arguments(TokenKind::CloseRound)?;
        self.spelled(Dialect::Jax);
        let given = placed(arguments, function, &[parameter])?.into_iter().flatten().next();
        given.ok_or_else(|| self.expected("an argument"))
    }

    fn tiled_layout(&mut self, start: Span) -> Result<Expr> {
        let parameters = ["tiling", "warp_dims", "lane_dims", "vector_dim", "[_check_canonical]"];
        let arguments: Vec<Passed> = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        let mut given = placed(arguments, "TiledLayout", &parameters)?.into_iter().flatten();
        let wrong = |what: &str| SyntaxError::new(code::UNEXPECTED_TOKEN, span, format!("expected {what}"));
        let tiles = given.next().and_then(|tiles| entries(&tiles, |tile| entries(tile, number)));
        let tiles = tiles.ok_or_else(|| wrong("tiles such as `Tiling(((64, 8), (16, 8)))`"))?;
        let mut parts = || given.next().and_then(|dims| entries(&dims, part));
        let (warps, lanes) = (parts(), parts());
        let (Some(warps), Some(lanes)) = (warps, lanes) else {
            return Err(wrong("dims such as `(-4, -3)` or `(Replicated(4),)`"));
        };
        let vector = given.next().as_ref().and_then(number).ok_or_else(|| wrong("`vector_dim`, such as -1"))?;
        self.spelled(Dialect::Jax);
        self.registers(&tiles, &warps, &lanes, vector, span)
    }

    /// `Layout.NAME`, of which the name was read.
    fn pallas_layout(&mut self, word: &str, name: Span, start: Span) -> Result<Expr> {
        self.spelled(Dialect::Jax);
        if word == "WG_STRIDED" {
            return self.strided(start);
        }
        let wrong = |message: String| SyntaxError::new(code::UNKNOWN_NAME, name, message);
        if let Some((_, reason)) = UNREAD.iter().find(|(unread, _)| *unread == word) {
            return Err(wrong(format!("`{word}` of Mosaic GPU is not read: {reason}")));
        }
        let Some(named) = NAMED.iter().find(|named| named.name == word) else {
            let error = wrong(format!("`{word}` is no layout of Mosaic GPU that is read here"));
            return Err(match did_you_mean(word, NAMED.iter().map(|named| named.name)) {
                Some(near) => error.with_help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        let mut tiles: Vec<Vec<i64>> = named.tiles.iter().map(|tile| tile.to_vec()).collect();
        if word == "TCGEN05_TMEM_NATIVE" && self.at(TokenKind::OpenRound) {
            let length = self.one_argument("TCGEN05_TMEM_NATIVE", "vector_length")?;
            let length = number(&length).ok_or_else(|| wrong("the length of a vector is a number".to_owned()))?;
            tiles.iter_mut().filter_map(|tile| tile.last_mut()).for_each(|size| *size = length);
        }
        let layout = self.registers(&tiles, named.warps, named.lanes, named.vector, self.since(start))?;
        let is_reduced = self.at(TokenKind::Dot) && self.text_after(self.token.span).trim_start().starts_with("reduce");
        if !is_reduced {
            return Ok(layout);
        }
        self.advance();
        self.advance();
        let axis = self.one_argument("reduce", "axes")?;
        let rank = tiles.first().map_or(0, Vec::len);
        let dim = number(&axis).filter(|dim| rank > 1 && usize::try_from(*dim).is_ok_and(|dim| dim < rank));
        let Some(dim) = dim else {
            let message = format!("`reduce` takes away one of the dims, here of {rank}, and leaves another");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, axis.span, message));
        };
        let ExprKind::Attribute(parent) = layout.kind else { return Ok(layout) };
        let span = self.since(start);
        let parent = Datum { kind: DatumKind::Attribute(*parent), span };
        let dim = Datum { kind: DatumKind::Integer(dim), span };
        Ok(attribute("ttg.slice", vec![("dim", dim), ("parent", parent)], span))
    }

    /// `WG_STRIDED(shape, vec_size)`: the elements row by row, a vector for each thread of a warpgroup, and again.
    fn strided(&mut self, start: Span) -> Result<Expr> {
        let arguments = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        let given: Vec<Expr> = placed(arguments, "WG_STRIDED", &["shape", "vec_size"])?.into_iter().flatten().collect();
        let wrong = |message: &str| SyntaxError::new(code::BAD_SIZE, span, message);
        let [shape, vector] = given.as_slice() else {
            return Err(wrong("expected a shape and the length of a vector"));
        };
        let sizes = entries(shape, number).ok_or_else(|| wrong("expected a shape such as (128, 64)"))?;
        let vector = number(vector).and_then(log2).ok_or_else(|| wrong(POWERS))?;
        let mut bits: Vec<Bit> = Vec::new();
        for (dim, size) in sizes.iter().enumerate().rev() {
            bits.extend(steps(Tiled { size: *size, dim, weight: 1 }).ok_or_else(|| wrong(POWERS))?);
        }
        let threads = vector.saturating_add(7);
        if bits.len() < threads || bits.len() > 62 {
            return Err(wrong("a warpgroup has 128 threads, each with a vector: the elements are fewer, or too many"));
        }
        let of = |from: usize, to: usize| bits.get(from..to).unwrap_or_default().to_vec();
        let lanes = of(vector, vector.saturating_add(5));
        let warps = of(vector.saturating_add(5), threads);
        let registers = [of(0, vector), of(threads, bits.len())].concat();
        let layout = self.linear_attribute(&[registers, lanes, warps], sizes.len(), span)?;
        Ok(call("to_linear", start, vec![layout, shape.clone()], span))
    }

    /// The attribute of Triton with the bases of the first tile.
    fn registers(
        &mut self,
        tiles: &[Vec<i64>],
        warps: &[WarpOrLane],
        lanes: &[WarpOrLane],
        vector: i64,
        span: Span,
    ) -> Result<Expr> {
        let wrong = |message: &str| SyntaxError::new(code::BAD_SIZE, span, message);
        let Some(first) = tiles.first() else { return Err(wrong("a tiling has at least one tile")) };
        let rank = first.len();
        let mut dims: Vec<Tiled> =
            first.iter().enumerate().map(|(dim, size)| Tiled { size: *size, dim, weight: 1 }).collect();
        for tile in tiles {
            let cut = dims.len().checked_sub(tile.len()).filter(|_| tile.len() <= rank && !tile.is_empty());
            let last = dims.split_off(cut.ok_or_else(|| wrong("a tile has more dims than what it cuts, or none"))?);
            let mut inner = Vec::new();
            for (whole, size) in last.into_iter().zip(tile) {
                let count = log2(*size).and(whole.size.checked_div(*size)).ok_or_else(|| wrong(POWERS))?;
                let weight = whole.weight.checked_mul(*size).filter(|_| count.checked_mul(*size) == Some(whole.size));
                let weight = weight.ok_or_else(|| wrong("a tile does not divide the tile before it"))?;
                dims.push(Tiled { size: count, dim: whole.dim, weight });
                inner.push(Tiled { size: *size, ..whole });
            }
            dims.extend(inner);
        }
        let mut taken = vec![false; dims.len()];
        let mut place = |dim: i64| {
            let from_last = usize::try_from(dim.checked_neg()?).ok()?;
            let place = dims.len().checked_sub(from_last).filter(|place| from_last > 0 && *place >= rank)?;
            let mark = taken.get_mut(place)?;
            let is_free = !std::mem::replace(mark, true);
            dims.get(place).copied().filter(|_| is_free)
        };
        let not_there =
            "dims are counted from the last, below 0, among those that the tiles give, and each is named once";
        let vector = place(vector).ok_or_else(|| wrong(not_there))?;
        let mut numbered = |parts: &[WarpOrLane], count: usize, of: &str| -> Result<Vec<Bit>> {
            let mut bits = Vec::new();
            for part in parts.iter().rev() {
                match part {
                    Dim(dim) => {
                        let dim = place(*dim).ok_or_else(|| wrong(not_there))?;
                        bits.extend(steps(dim).ok_or_else(|| wrong(POWERS))?);
                    }
                    Copies(times) => bits.extend(vec![None; log2(*times).ok_or_else(|| wrong(POWERS))?]),
                }
            }
            match bits.len() == count {
                true => Ok(bits),
                false => Err(wrong(&format!("{of} number 2^{}, not 2^{count}", bits.len()))),
            }
        };
        let (warps, lanes) = (numbered(warps, 2, "the warps")?, numbered(lanes, 5, "the lanes")?);
        let mut registers = steps(vector).ok_or_else(|| wrong(POWERS))?;
        for (dim, is_taken) in dims.iter().zip(&taken).rev() {
            if !is_taken {
                registers.extend(steps(*dim).ok_or_else(|| wrong(POWERS))?);
            }
        }
        // Triton repeats an encoding along its dims in the order in which registers reach them, Mosaic GPU along the last first.
        let mut reached: Vec<usize> = Vec::new();
        for (dim, _) in registers.iter().flatten() {
            if !reached.contains(dim) {
                reached.push(*dim);
            }
        }
        let rest: Vec<usize> = (0..rank).rev().filter(|dim| !reached.contains(dim)).collect();
        reached.extend(rest);
        if !reached.is_sorted_by(|before, after| before > after) {
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, format!("this layout is not read: {TURNED}")));
        }
        self.remark("as Triton's encoding of one tile; Mosaic GPU takes multiples of that tile only");
        self.linear_attribute(&[registers, lanes, warps], rank, span)
    }

    fn linear_attribute(&mut self, bases: &[Vec<Bit>; 3], rank: usize, span: Span) -> Result<Expr> {
        let mut fields = Vec::new();
        for (name, bits) in ["register", "lane", "warp"].into_iter().zip(bases) {
            let mut items = Vec::new();
            for bit in bits {
                let mut basis = vec![0; rank];
                if let Some((dim, step)) = bit
                    && let Some(place) = basis.get_mut(*dim)
                {
                    *place = *step;
                }
                for _ in &basis {
                    self.count_leaf(span)?;
                }
                let numbers = basis.into_iter().map(|n| Datum { kind: DatumKind::Integer(n), span }).collect();
                items.push(Datum { kind: DatumKind::Array(numbers), span });
            }
            fields.push((name, Datum { kind: DatumKind::Array(items), span }));
        }
        fields.push(("block", Datum { kind: DatumKind::Array(Vec::new()), span }));
        Ok(attribute("ttg.linear", fields, span))
    }
}

const POWERS: &str = "sizes of a layout of registers are powers of two";

fn attribute(name: &str, fields: Vec<(&str, Datum)>, span: Span) -> Expr {
    let named = |text: &str| Name { text: text.to_owned(), span };
    let fields = fields.into_iter().map(|(name, datum)| (named(name), datum)).collect();
    let datum = Datum { kind: DatumKind::Dictionary(fields), span };
    let body = Some(vec![Argument { name: None, datum }]);
    Expr::new(ExprKind::Attribute(Box::new(Attribute { name: named(name), body, span })), span)
}

/// The bits of a number that is a power of two.
fn log2(number: i64) -> Option<usize> {
    let number = u64::try_from(number).ok().filter(|number| number.is_power_of_two())?;
    usize::try_from(number.trailing_zeros()).ok()
}

/// The bits of a dim after tiling, the lowest first.
fn steps(dim: Tiled) -> Option<Vec<Bit>> {
    let bits = log2(dim.size)?;
    let mut step = Some(dim.weight);
    let mut steps = Vec::new();
    for _ in 0..bits {
        steps.push(Some((dim.dim, step?)));
        step = step.and_then(|step| step.checked_mul(2));
    }
    Some(steps)
}

fn number(tree: &Expr) -> Option<i64> {
    match tree.kind {
        ExprKind::Static(number) => Some(number),
        _ => None,
    }
}

fn part(tree: &Expr) -> Option<WarpOrLane> {
    match &tree.kind {
        ExprKind::Static(dim) => Some(Dim(*dim)),
        ExprKind::Call { name, arguments, .. } if name.text == "Replicated" => {
            arguments.first().and_then(number).map(Copies)
        }
        _ => None,
    }
}

/// The entries of a tuple, each read alike.
fn entries<T>(tree: &Expr, read: impl Fn(&Expr) -> Option<T>) -> Option<Vec<T>> {
    match &tree.kind {
        ExprKind::Tuple(entries) => entries.iter().map(read).collect(),
        _ => None,
    }
}
