//! Layouts of shared memory for matrix instructions by their names: `K_SW128` of CuTe's atoms, and the calls of CuTe DSL that make
//! these atoms and tile them.
//!
//! | text | reads as |
//! |---|---|
//! | `cute.nvgpu.warpgroup.make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, cutlass.Float16)` | `Sw<3,4,3> o bytes[16] o (8,64):(64,1)` |
//!
//! Law: counted in bits, a K-major atom is 8 rows as long as its swizzle spans, an MN-major one 8 columns, or 4 where C++ has pieces
//! of 32 bytes; the swizzle acts on bytes. Tiles of these atoms are in [`smem_calls`](super::smem_calls).

use super::Dialect;
use super::build::pair;
use super::type_names;
use crate::names::did_you_mean;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// A kind of atom.
#[derive(Clone, Copy)]
pub(super) struct SmemKind {
    /// Whether rows lie along K.
    is_k: bool,
    swizzle: [i64; 3],
    /// The bits of a row.
    span: i64,
    /// How many rows, or columns, an atom has.
    count: i64,
}

/// How many rows an atom has.
const ROWS: i64 = 8;

/// The names of swizzles, the numbers of each, and the bits of a row, the widest first.
const SWIZZLES: [(&str, [i64; 3], i64); 5] = [
    ("SW128", [3, 4, 3], 1024),
    ("SW64", [2, 4, 3], 512),
    ("SW32", [1, 4, 3], 256),
    ("INTER", [0, 4, 3], 128),
    ("SW128_32B", [2, 5, 2], 1024),
];

impl SmemKind {
    /// The kind of a name such as `K_SW128`; `MN_SW128_32B` has pieces of 32 bytes, and no counterpart along K.
    pub(super) fn of(name: &str) -> Option<Self> {
        let (is_k, swizzle) = match name.strip_prefix("MN_") {
            Some(swizzle) => (false, swizzle),
            None => (true, name.strip_prefix("K_")?),
        };
        let (found, swizzle, span) = SWIZZLES.iter().find(|(found, ..)| *found == swizzle)?;
        (!is_k || *found != "SW128_32B").then_some(SmemKind { is_k, swizzle: *swizzle, span: *span, count: ROWS })
    }

    /// As [`of`](Self::of), of a name in C++, where the atom with pieces of 32 bytes has four columns: the pattern of its swizzle
    /// repeats after four, and the atom of CuTe DSL has it twice.
    pub(super) fn of_cpp(name: &str) -> Option<Self> {
        let kind = Self::of(name)?;
        Some(SmemKind { count: if kind.swizzle == [2, 5, 2] { 4 } else { ROWS }, ..kind })
    }

    /// The kind that CUTLASS takes for rows of a given number of bits.
    pub(super) fn widest(is_k: bool, bits: i64) -> Option<Self> {
        let mut fitting = SWIZZLES.iter().take(4).filter(|(.., span)| bits.checked_rem(*span) == Some(0));
        fitting.next().map(|(_, swizzle, span)| SmemKind { is_k, swizzle: *swizzle, span: *span, count: ROWS })
    }

    /// The atom for elements of a given number of bits, which divides the 16 bytes of a piece.
    pub(super) fn atom(self, bits: i64, span: Span) -> Expr {
        let number = |n: i64| Expr::new(ExprKind::Static(n), span);
        let tuple = |a: i64, b: i64| Expr::new(ExprKind::Tuple(vec![number(a), number(b)]), span);
        let long = self.span.checked_div(bits).unwrap_or(self.span);
        let layout = match self.is_k {
            true => pair(tuple(self.count, long), tuple(long, 1), span),
            false => pair(tuple(long, self.count), tuple(1, long), span),
        };
        let [exchanged, base, shift] = self.swizzle;
        let swizzle = Expr::new(ExprKind::Swizzle { bits: exchanged, base, shift }, span);
        let bytes = Expr::new(ExprKind::Bytes(bits), span);
        Expr::new(ExprKind::Compose(vec![swizzle, bytes, layout]), span)
    }
}

/// What is said of a layout of shared memory in CuTe DSL.
pub(super) const BYTES: &str = "the swizzle of an atom acts on bytes, as that of a pointer to shared memory";

/// What a parameter is.
#[derive(Clone, Copy)]
enum What {
    /// A kind of atom, or the call that chooses one.
    Kind,
    /// A type of elements.
    Element,
    /// `LayoutEnum.ROW_MAJOR`
    Major,
    /// Integers.
    Sizes,
}

/// What an argument is.
enum Read {
    Kind(SmemKind),
    /// The bits of an element.
    Element(i64),
    /// Whether rows are contiguous.
    Major(bool),
    Sizes(Vec<i64>, Span),
}

const ATOM: &[(&str, What)] = &[("kind", What::Kind), ("element_type", What::Element)];
const CHOICE: &[(&str, What)] =
    &[("layout", What::Major), ("element_type", What::Element), ("major_mode_size", What::Sizes)];
impl Cursor<'_> {
    /// `make_smem_layout_atom(kind, type)`, whose name has been read.
    pub(super) fn smem_layout_atom(&mut self, start: Span) -> Result<Expr> {
        let given = self.smem_arguments("make_smem_layout_atom", ATOM)?;
        let span = self.since(start);
        self.spelled(Dialect::CuteDsl);
        self.remark(BYTES);
        // What is built has more leaves than the text.
        for _ in 0..4 {
            self.count_leaf(span)?;
        }
        match given.as_slice() {
            [Read::Kind(kind), Read::Element(bits)] => Ok(kind.atom(*bits, span)),
            _ => Err(self.expected("a kind of atom and a type")),
        }
    }

    /// The arguments of a call, in the order of its parameters.
    fn smem_arguments(&mut self, function: &str, parameters: &[(&str, What)]) -> Result<Vec<Read>> {
        let open = self.enter()?;
        let mut given: Vec<Option<Read>> = parameters.iter().map(|_| None).collect();
        let mut position = 0;
        while !self.at(TokenKind::CloseRound) && !self.at(TokenKind::End) {
            let span = self.token.span;
            let rest = self.text_after(span).trim_start();
            let is_keyword = self.at(TokenKind::Word) && rest.starts_with('=') && !rest.starts_with("==");
            let word = span.of(self.text());
            let place = match is_keyword {
                true => parameters.iter().position(|(name, _)| *name == word),
                false => Some(position),
            };
            let free = place.and_then(|place| Some((parameters.get(place)?, given.get_mut(place)?)));
            let Some(((_, what), slot)) = free.filter(|(_, slot)| slot.is_none()) else {
                let names: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
                let message = format!("{function} is called with {}, each once", names.join(", "));
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            };
            if is_keyword {
                self.advance();
                self.advance();
            }
            *slot = Some(self.smem_argument(*what)?);
            position += 1;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave_list(open, TokenKind::CloseRound)?;
        let missing = parameters.iter().zip(&given).find(|(_, given)| given.is_none());
        if let Some(((name, _), _)) = missing {
            let message = format!("{function} needs its {name}");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, open.span, message));
        }
        Ok(given.into_iter().flatten().collect())
    }

    fn smem_argument(&mut self, what: What) -> Result<Read> {
        if let What::Sizes = what {
            let value = self.expression()?;
            let number = |entry: &Expr| match entry.kind {
                ExprKind::Static(n) => Some(n),
                _ => None,
            };
            let numbers: Option<Vec<i64>> = match &value.kind {
                ExprKind::Tuple(entries) => entries.iter().map(number).collect(),
                _ => number(&value).map(|n| vec![n]),
            };
            let numbers = numbers.ok_or_else(|| {
                let message = "which swizzle fits depends on the sizes: they are numbers here";
                SyntaxError::new(code::UNEXPECTED_TOKEN, value.span, message)
            })?;
            return Ok(Read::Sizes(numbers, value.span));
        }
        let start = self.token.span;
        let name = self.dotted()?;
        let span = self.since(start);
        let unknown = |message: String, help: &str| SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(help);
        match what {
            What::Kind if name == "get_smem_layout_atom" && self.at(TokenKind::OpenRound) => {
                match self.smem_arguments("get_smem_layout_atom", CHOICE)?.as_slice() {
                    [Read::Major(is_row), Read::Element(bits), Read::Sizes(sizes, at)] => match sizes.as_slice() {
                        [size] => chosen(*is_row, *size, *bits, *at).map(Read::Kind),
                        _ => Err(SyntaxError::new(
                            code::UNEXPECTED_TOKEN,
                            *at,
                            "the size of the major mode is one number",
                        )),
                    },
                    _ => Err(self.expected("a layout, a type and a size")),
                }
            }
            What::Kind => SmemKind::of(&name).map(Read::Kind).ok_or_else(|| {
                let names = ["K_SW128", "K_SW64", "K_SW32", "K_INTER", "MN_SW128", "MN_SW64", "MN_SW32", "MN_INTER"];
                let help = match did_you_mean(&name, names) {
                    Some(near) => format!("did you mean `SmemLayoutAtomKind.{near}`?"),
                    None => format!("there are {} and MN_SW128_32B", names.join(", ")),
                };
                unknown(format!("CuTe DSL has no atom of shared memory that is called `{name}`"), &help)
            }),
            What::Element => element_bits(&name).map(Read::Element).ok_or_else(|| {
                unknown(
                    format!("`{name}` is no type of elements that divide 16 bytes"),
                    "as in `cutlass.Float16`, `BFloat16`, `Float8E4M3FN`, `Float32` or `Int8`",
                )
            }),
            What::Major | What::Sizes => match name.as_str() {
                "ROW_MAJOR" => Ok(Read::Major(true)),
                "COL_MAJOR" => Ok(Read::Major(false)),
                _ => Err(unknown(
                    format!("`{name}` does not say which mode is contiguous"),
                    "as in `utils.LayoutEnum.ROW_MAJOR` or `COL_MAJOR`; a call for SM100, with a tiled MMA, is not read",
                )),
            },
        }
    }

    /// The last of words with dots between them.
    fn dotted(&mut self) -> Result<String> {
        loop {
            let span = self.token.span;
            self.require(
                TokenKind::Word,
                "a name such as `SmemLayoutAtomKind.K_SW128`, `cutlass.Float16` or `LayoutEnum.ROW_MAJOR`",
            )?;
            if !self.eat(TokenKind::Dot) {
                return Ok(span.of(self.text()).trim().to_owned());
            }
        }
    }
}

/// The kind for a major mode of a given number of elements.
fn chosen(row_major: bool, size: i64, bits: i64, at: Span) -> Result<SmemKind> {
    let row = size.checked_mul(bits).filter(|_| size > 0 && size % 8 == 0);
    row.and_then(|row| SmemKind::widest(row_major, row)).ok_or_else(|| {
        let message = format!("{size} elements of {bits} bits along the major mode are not whole pieces of 16 bytes, eight elements or more");
        SyntaxError::new(code::UNEXPECTED_TOKEN, at, message)
    })
}

/// The bits of an element by the name of its type in CuTe DSL, where 16 bytes are a whole number of elements.
pub(super) fn element_bits(name: &str) -> Option<i64> {
    type_names::bits(name, type_names::DSL).filter(|bits| 128_i64.checked_rem(*bits) == Some(0))
}
