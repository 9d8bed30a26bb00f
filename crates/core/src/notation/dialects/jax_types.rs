//! JAX: types of arrays as it prints them, without a layout.
//!
//! | text | reads as |
//! |---|---|
//! | `float32[4,8]`, `ShapedArray(float32[4,8], weak_type=True)`, in a jaxpr `i32[4,8]` | `f32[4,8]{1,0}`, `s32[4,8]{1,0}` |
//! | `jax.ShapeDtypeStruct((4, 8), jnp.float32)`, `ShapeDtypeStruct(shape=(4, 8), dtype=float32)` | the same |
//! | `ShapeDtypeStruct((4, 8), jnp.float32, sharding=NamedSharding(mesh, spec))` | `shard(f32[4,8], NamedSharding(mesh, spec))` |
//! | `shard(float32[4@x,8@(y,z)], mesh(x=2,y=2,z=2))` | `shard(f32[4,8], P('x', ('y','z')), mesh(x=2,y=2,z=2))` |
//! | `shard(float32[4@x,8]{U:y}, mesh(x=2,y=2))` | `shard(f32[4,8], P('x', None, unreduced={'y'}), mesh(x=2,y=2))` |
//!
//! Law: an array of such a type has XLA's layout where none is said, the last dim fastest.

use super::Dialect;
use super::arguments::{Argument, Given};
use crate::notation::cursor::{Cursor, Result, closed};
use crate::notation::element_type::is_xla_type;
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, XlaText, code};
use crate::xla::{ElementType, read_shape};

/// The type that JAX or NumPy names so; none for a name of C's, which says no width, and for XLA's own.
fn element(name: &str) -> Option<&'static str> {
    let is_sized = name == "bool" || name.contains(|c: char| c.is_ascii_digit());
    ElementType::named_elsewhere(name).filter(|_| is_sized).map(ElementType::name)
}

/// A type that says how it is shared along axes of a mesh.
pub(in crate::notation) struct ShardedType {
    /// The type of XLA.
    pub(in crate::notation) plain: String,
    /// The spec, `P('x', None, unreduced={'y'})`.
    pub(in crate::notation) spec: String,
    /// The axes along which the program holds another array on each device: `V`.
    varying: Vec<String>,
    /// The length of the text.
    pub(in crate::notation) length: usize,
}

impl ShardedType {
    /// Refuses a type of what each device has by itself.
    pub(in crate::notation) fn check_shared(&self, start: Span) -> Result<()> {
        let ShardedType { plain, spec, varying, length } = self;
        if varying.is_empty() {
            return Ok(());
        }
        let axes = varying.join(", ");
        let message = format!(
            "`V:` says that devices along {axes} hold different arrays of this type: JAX calls these axes `Manual`"
        );
        let types: Vec<String> = varying.iter().map(|axis| format!("{axis}: 2")).collect();
        let manual = vec!["Manual"; varying.len()].join(", ");
        Err(SyntaxError::new(
            code::UNEXPECTED_TOKEN,
            Span::new(start.start, start.start.saturating_add(*length)),
            message,
        )
        .with_help(format!(
            "write the mesh with their types, and the axes that cut dims: `shard({plain}, {spec}, Mesh({}, 'other': 2, \
                 axis_types=({manual}, Auto)))`",
            types.join(", ")
        )))
    }
}

/// A letter and the axes in quotes.
type Mark<'t> = (&'t str, Vec<String>);

/// What stands behind such a type, `{V:(x,y), U:z}`: for each letter the axes in quotes; and its length.
fn marks(text: &str) -> Option<(Vec<Mark<'_>>, usize)> {
    let mut marks = Vec::new();
    let is_marked = ["{V:", "{U:", "{R:"].iter().any(|start| text.starts_with(start));
    let Some(inside) = text.strip_prefix('{').filter(|_| is_marked) else { return Some((marks, 0)) };
    let inside = inside.get(..inside.find('}')?)?;
    let mut rest = inside;
    while !rest.is_empty() {
        let (letter, behind) = rest.split_once(':').filter(|(letter, _)| ["V", "U", "R"].contains(letter))?;
        let (axes, after) = match behind.strip_prefix('(') {
            Some(several) => several.split_once(')')?,
            None => behind.split_at(behind.find(',').unwrap_or(behind.len())),
        };
        marks.push((letter, axes.split(',').map(|axis| format!("'{}'", axis.trim())).collect()));
        rest = after.trim_start_matches([',', ' ']);
    }
    Some((marks, inside.len() + "{}".len()))
}

/// The type that begins `text`, where it says along which axes of a mesh it is shared: `float32[4@x,8]`, `float32[4,8]{U:x}`,
/// `ShapedArray(float32[4@x,8])`.
pub(in crate::notation) fn sharded_type(text: &str) -> Option<ShardedType> {
    if let Some(inside) = text.strip_prefix("ShapedArray(") {
        let mut sharded = sharded_type(inside)?;
        let behind = inside.get(sharded.length..)?;
        sharded.length += "ShapedArray(".len() + behind.find(')')? + 1;
        return Some(sharded);
    }
    let word = crate::text::word(text);
    let inside = text.get(word.len()..)?.strip_prefix('[')?;
    let dims = inside.get(..inside.find(']')?)?;
    let name = element(word).or_else(|| is_xla_type(word).then_some(word))?;
    let (marks, marked) = marks(inside.get(dims.len() + 1..)?)?;
    if !dims.contains('@') && marks.is_empty() || name.is_empty() {
        return None;
    }
    let (mut sizes, mut spec, mut rest) = (Vec::new(), Vec::new(), dims);
    while !rest.is_empty() {
        // Several axes have brackets, and commas of their own.
        let end = match (rest.find(','), rest.find("@(")) {
            (Some(comma), Some(open)) if open < comma => open + rest.get(open..)?.find(')')? + 1,
            (comma, Some(open)) if comma.is_none() => open + rest.get(open..)?.find(')')? + 1,
            (comma, _) => comma.unwrap_or(rest.len()),
        };
        let dim = rest.get(..end)?;
        let (dim, axes) = dim.split_once('@').unwrap_or((dim, ""));
        if axes.is_empty() && rest.get(..end)?.contains('@') {
            return None;
        }
        let axes = axes.trim_matches(['(', ')']).split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let axes: Vec<String> = axes.map(|axis| format!("'{axis}'")).collect();
        sizes.push(dim.trim());
        spec.push(match axes.as_slice() {
            [] => "None".to_owned(),
            [axis] => axis.clone(),
            _ => format!("({})", axes.join(", ")),
        });
        rest = rest.get(end..)?.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    let mut varying = Vec::new();
    for (letter, axes) in marks {
        match letter {
            "V" => varying.extend(axes),
            _ => spec.push(format!("{}={{{}}}", if letter == "U" { "unreduced" } else { "reduced" }, axes.join(", "))),
        }
    }
    Some(ShardedType {
        plain: format!("{name}[{}]", sizes.join(",")),
        spec: format!("P({})", spec.join(", ")),
        varying,
        length: word.len() + dims.len() + "[]".len() + marked,
    })
}

impl Cursor<'_> {
    /// What a word that begins a type of JAX begins; `None` where it begins none.
    pub(super) fn jax_type(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        match word {
            "ShapedArray" if self.at(TokenKind::OpenRound) => {
                let open = self.enter()?;
                let mut tree = self.expression()?;
                while self.eat(TokenKind::Comma) {
                    self.foreign_argument()?;
                }
                self.leave(open, TokenKind::CloseRound, "`)` after the type")?;
                tree.span = self.since(start);
                self.spelled(Dialect::Jax);
                Ok(Some(tree))
            }
            "ShapeDtypeStruct" if self.at(TokenKind::OpenRound) => match self.is_sharded() {
                true => self.shard(word, start).map(Some),
                false => self.shape_and_type(start).map(Some),
            },
            _ if self.at(TokenKind::OpenSquare) => match element(word) {
                _ if let Some(sharded) = sharded_type(self.text_from(start)) => {
                    sharded.check_shared(start)?;
                    let ShardedType { plain, spec, length, .. } = sharded;
                    let axes: Vec<String> =
                        spec.split('\'').skip(1).step_by(2).map(|axis| format!("{axis}=2")).collect();
                    let message = "this type says along which axes of a mesh its dims are split, and not how many devices they have";
                    let span = Span::new(start.start, start.start.saturating_add(length));
                    Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message).with_help(format!(
                        "the whole array is `{plain}`; over devices it is `shard({plain}, {spec}, mesh({}))`, with the sizes of your mesh",
                        axes.join(",")
                    )))
                }
                Some(element) => {
                    // Up to the end of the dims and of a layout behind them, so that a long text is not copied at each type.
                    let behind = self.text_after(start);
                    let dims = closed(behind).unwrap_or(behind.len());
                    let after = behind.get(dims..).unwrap_or_default();
                    let gap = after.len() - after.trim_start().len();
                    let layout = after.get(gap..).filter(|rest| rest.starts_with('{'));
                    let end = layout.map_or(dims, |layout| dims + gap + closed(layout).unwrap_or(layout.len()));
                    let text = format!("{element}{}", behind.get(..end).unwrap_or(behind));
                    // XLA's name may be shorter, or longer.
                    let here = |length: usize| length.saturating_add(word.len()).saturating_sub(element.len());
                    let at = here(start.start);
                    let (shape, length, folded) = read_shape(&text, true)
                        .map_err(|error| SyntaxError::within(&error, Span::new(at, start.end)))?;
                    let kind = ExprKind::Xla(Box::new(XlaText { shape, folded }));
                    let tree = self.read_elsewhere(kind, start, here(length))?;
                    self.spelled(Dialect::Jax);
                    Ok(Some(tree))
                }
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Whether the arguments at hand have a sharding.
    fn is_sharded(&self) -> bool {
        let behind = self.text_from(self.token.span);
        let arguments = behind.get(..closed(behind).unwrap_or(behind.len())).unwrap_or(behind);
        arguments.split("sharding=").nth(1).is_some_and(|value| !value.trim_start().starts_with("None"))
    }

    /// `(shape, dtype)` behind `ShapeDtypeStruct`.
    fn shape_and_type(&mut self, start: Span) -> Result<Expr> {
        let arguments = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        let given = |at: usize, keyword: &str| {
            let is_own = |(place, argument): &(usize, &Argument)| match &argument.keyword {
                Some(name) => name.text == keyword,
                None => *place == at,
            };
            arguments.iter().enumerate().find(is_own).and_then(|(_, argument)| match &argument.given {
                Given::Value(value) => Some(value),
                Given::Order(..) => None,
            })
        };
        let dims = given(0, "shape").and_then(|shape| sizes(&shape.kind));
        let name = given(1, "dtype").and_then(|value| match &value.kind {
            ExprKind::Name(name) | ExprKind::Quoted(name) => element(&name.text),
            _ => None,
        });
        let (Some(dims), Some(name)) = (dims, name) else {
            let message = "expected a shape of numbers and a type of elements";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                .with_help("as in `jax.ShapeDtypeStruct((4, 8), jnp.float32)`"));
        };
        let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
        let (shape, ..) = read_shape(&format!("{name}[{}]", dims.join(",")), true)
            .map_err(|error| SyntaxError::new(code::UNEXPECTED_TOKEN, span, error.message()))?;
        self.spelled(Dialect::Jax);
        self.leaf(ExprKind::Xla(Box::new(XlaText { shape, folded: false })), span)
    }
}

/// The numbers of a tuple.
fn sizes(kind: &ExprKind) -> Option<Vec<i64>> {
    match kind {
        ExprKind::Tuple(entries) => {
            let size = |entry: &Expr| match entry.kind {
                ExprKind::Static(size) => Some(size),
                _ => None,
            };
            entries.iter().map(size).collect()
        }
        _ => None,
    }
}
