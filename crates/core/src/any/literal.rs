//! Layouts of every family from text: the family is the one whose notation the text is in.
//!
//! Only literals are read. A type of Triton with an encoding (`tensor<16x8xf16, #ttg.…>`) is the layout of its shape, and an
//! index expression (`i<16, j<8: i*8 + j`) is the map that it says.

use std::str::FromStr;

use super::AnyLayout;
use crate::cute::Function;
use crate::error::{Code, Error};
use crate::linear::{Bases, Dim, LinearLayout, Name};
use crate::map::Map;
use crate::notation::{self, Expr, ExprKind, Ints, LinearText, ShapedType, element_bits, parse, shared_facts};
use crate::triton::{Encoding, MemDesc};
use crate::xla::Shape;

impl FromStr for AnyLayout {
    type Err = Error;

    /// The layout of a literal.
    ///
    /// # Errors
    /// [`Code::Syntax`] for a text that is in no notation, [`Code::Kind`] for an expression that is no literal of a layout, and
    /// what the family refuses; each with its place in the text.
    ///
    /// ```
    /// use bitstride::AnyLayout;
    /// let layout: AnyLayout = "i<16, j<8: i*8 + j".parse()?;
    /// assert_eq!(layout.to_map()?.to_cute()?.to_string(), "(16,8):(8,1)");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        let tree = parse(text, Ints::Plain)?;
        read(&shared_facts(&tree)).map_err(|error| error.with_span(tree.span))
    }
}

fn read(tree: &Expr) -> Result<AnyLayout, Error> {
    Ok(match &tree.kind {
        ExprKind::Attribute(attribute) => Encoding::from_attribute(attribute, &mut Vec::new())?.into(),
        ExprKind::Linear(linear) => LinearLayout::from_text(linear)?.into(),
        ExprKind::Xla(xla) => match &xla.shape {
            Shape::Array(array) | Shape::Buffer(array) => array.clone().into(),
            shape => return Err(error!(Code::Kind, "a layout is needed here; {shape} is no array", [shape])),
        },
        ExprKind::MemRef(memref) => memref.to_array()?.0.into(),
        ExprKind::Shaped(shaped) => typed(shaped)?,
        ExprKind::Index(expression) => expression.to_map()?.into(),
        ExprKind::Shard(text) => {
            let sharding: crate::sharding::Sharding =
                text.parse().map_err(|error: Error| error.shifted(tree.span.start))?;
            sharding.into()
        }
        _ => Function::from_literal(tree)?.into(),
    })
}

/// The layout that a type of Triton with an encoding has.
fn typed(shaped: &ShapedType) -> Result<AnyLayout, Error> {
    let encoding = encoding(shaped)?;
    if !shaped.kind.is_memory() && encoding.padding().is_none() {
        return encoding.to_linear(&shaped.shape).map(AnyLayout::from);
    }
    let memory = MemDesc::of_type(shaped)?;
    Ok(match memory.to_linear()? {
        Some(layout) => layout.into(),
        None => Map::of_memdesc(&memory)?.into(),
    })
}

fn encoding(shaped: &ShapedType) -> Result<Encoding, Error> {
    let attribute = shaped.encoding.as_ref().ok_or_else(|| Error::new(Code::NoLayout, "a type without an encoding"))?;
    Encoding::from_attribute(attribute, &mut Vec::new())
}

impl MemDesc {
    /// The piece of memory that a type describes.
    ///
    /// # Errors
    /// [`Code::NoLayout`] for a type without an encoding; as [`Encoding::from_attribute`] and [`MemDesc::new`].
    ///
    /// ```
    /// use bitstride::notation::{ExprKind, Ints, parse};
    /// use bitstride::triton::MemDesc;
    /// let text = "!ttg.memdesc<16x8xf32, #ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[1,0]}>, #ttg.shared_memory>";
    /// let tree = parse(text, Ints::Plain)?;
    /// if let ExprKind::Shaped(shaped) = &tree.kind {
    ///     assert_eq!(MemDesc::of_type(shaped)?.shape(), [16, 8]);
    /// }
    /// # assert!(matches!(tree.kind, ExprKind::Shaped(_)));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_type(shaped: &ShapedType) -> Result<MemDesc, Error> {
        let memory = MemDesc::new(encoding(shaped)?, &shaped.shape, shaped.allocation())?;
        Ok(match element_bits(&shaped.element) {
            Some(bits) => memory.with_element_bits(bits),
            None => memory,
        })
    }
}

impl LinearLayout {
    /// The layout of a literal. Out dims that are not written are `dim0`, `dim1`, … as large as the bases reach.
    ///
    /// # Errors
    /// [`Code::SizesRequired`] where the sizes cannot be inferred; as [`LinearLayout::from_bases`], with the place of the basis or
    /// the dim that is wrong.
    ///
    /// ```
    /// use bitstride::linear::LinearLayout;
    /// use bitstride::notation::{ExprKind, Ints, parse};
    /// let tree = parse("linear<{lane=[[1],[2]]}>", Ints::Plain)?;
    /// if let ExprKind::Linear(text) = &tree.kind {
    ///     assert_eq!(LinearLayout::from_text(text)?.to_string(), "linear<{lane=[[1],[2]]}, out=[dim0:4]>");
    /// }
    /// # assert!(matches!(tree.kind, ExprKind::Linear(_)));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn from_text(text: &LinearText) -> Result<LinearLayout, Error> {
        let mut ins = Vec::new();
        for (name, bases) in &text.ins {
            ins.push((dim(name)?, bases.iter().map(|basis| basis.values.clone()).collect::<Vec<_>>()));
        }
        let Some(outs) = &text.outs else { return inferred(&ins) };
        let mut sizes = Vec::new();
        for (name, size) in outs {
            let (name, span) = (dim(name)?, name.span);
            Dim::new(name, *size).map_err(|error| error.with_span(span))?;
            sizes.push((name, *size));
        }
        LinearLayout::from_bases(&ins, &sizes).map_err(|error| {
            // The basis that is wrong by itself, if there is one, is the place to point at.
            let alone = |values: &Vec<i64>| LinearLayout::from_bases(&[(Name::LANE, vec![values.clone()])], &sizes);
            let wrong = text.ins.iter().flat_map(|(_, bases)| bases).find(|basis| alone(&basis.values).is_err());
            wrong.map_or(error.clone(), |basis| error.with_span(basis.span))
        })
    }
}

fn dim(name: &notation::Name) -> Result<Name, Error> {
    Name::new(&name.text).map_err(|error| error.with_span(name.span))
}

/// The layout whose out dims are not written: `dim0`, `dim1`, … as large as the bases reach.
fn inferred(ins: &Bases) -> Result<LinearLayout, Error> {
    let required = |why: String| {
        error!(Code::SizesRequired, "the out dims are not written, and {why}", [why])
            .with_help("write them with their sizes: `linear<{…}, out=[dim0:2, dim1:4]>`")
    };
    let Some(first) = ins.iter().find_map(|(_, bases)| bases.first()) else {
        return Err(required("there is no basis to infer them from".to_owned()));
    };
    let outs: Vec<Name> = (0..first.len()).map(Name::dim).collect();
    LinearLayout::from_bases_inferred(ins, &outs).map_err(|error| match error.code() {
        Code::NotSurjective => required(error.message().to_owned()),
        _ => error,
    })
}
