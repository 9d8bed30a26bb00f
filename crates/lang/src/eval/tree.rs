//! From a syntax tree to a value.
//!
//! Literals become values as `notation` reads them; a tuple with layouts inside is their concatenation; `X o Y` is
//! composition, and an integer between two functions is the offset of a composed layout. The depth of a tree is
//! bounded by the parser, so the recursion is too.

use super::call::called;
use super::limits::bounded;
use crate::value::{Entry, Mapped, Value};
use crate::wrong_kind::{unknown_name, unknown_word};
use bitstride::cute::{ByteSwizzle, Function, Layout, Offset, Swizzle, Tiler};
use bitstride::linear::{LinearLayout, Name};
use bitstride::map::{Expression, Map, Mixed, MixedLeaf, Verdict};
use bitstride::notation::{self, Expr, ExprKind, ShapedKind, ShapedType, XlaText};
use bitstride::triton::{Encoding, MemDesc};
use bitstride::xla::mosaic::MemRef;
use bitstride::xla::{BareLayout, Shape};
use bitstride::{Code, Error, Int, Integer, Stride, StrideLeaf, Tuple, error};

/// The value of a tree; an error gets the span of the smallest part that holds it.
pub(super) fn value(tree: &Expr, notes: &mut Vec<String>) -> Result<Value, Error> {
    read(tree, notes).map_err(|error| error.with_span(tree.span))
}

/// Nesting recurses through here, so what needs room stands in functions of its own.
fn read(tree: &Expr, notes: &mut Vec<String>) -> Result<Value, Error> {
    bitstride::cancel::checkpoint();
    match &tree.kind {
        ExprKind::Product(factors) => product(factors, notes),
        ExprKind::Sum(terms) => sum(terms, notes),
        ExprKind::Tuple(entries) => tuple(entries, notes),
        ExprKind::Pair { shape, stride } => pair(shape, stride, notes),
        ExprKind::Tiler(entries) => tiler(entries, notes),
        ExprKind::Compose(parts) => compose(parts, notes),
        ExprKind::Call { name, modes, arguments } => called(name, modes.as_deref(), arguments, notes),
        ExprKind::Method { .. } => super::methods::method(tree, notes),
        ExprKind::Basis { value, path } => basis(value, path, notes),
        ExprKind::Attribute(attribute) => Encoding::from_attribute(attribute, notes).map(Value::Encoding),
        ExprKind::Shaped(shaped) => self::shaped(shaped, notes),
        ExprKind::Linear(linear) => LinearLayout::from_text(linear).map(Value::Linear),
        ExprKind::Xla(text) => xla(text, notes),
        ExprKind::MemRef(memref) => self::memref(memref, notes),
        ExprKind::Index(expression) => index(expression),
        ExprKind::Offsets(code) => super::offsets::offsets(code),
        ExprKind::Shard(text) => shard(text, tree.span.start),
        literal => leaf(literal),
    }
}

fn leaf(literal: &ExprKind) -> Result<Value, Error> {
    match literal {
        ExprKind::Static(n) => Ok(Int::Static(*n).into()),
        ExprKind::Dynamic(n) => Ok(Int::Dynamic(*n).into()),
        ExprKind::Unknown { name: Some(name), div } => Ok(Int::named(name, *div).into()),
        ExprKind::Name(name) => word(&name.text),
        ExprKind::Quoted(name) => quoted(name),
        ExprKind::Affine(affine) => Ok(Value::Affine(affine.clone())),
        ExprKind::Verdict(words) => Ok(Value::Verdict(Box::new(Verdict::read(Some(words))))),
        ExprKind::BareLayout(layout) => {
            if let BareLayout::Vector(registers) = &**layout {
                registers.filling()?;
            }
            Ok(Value::BareLayout((**layout).clone()))
        }
        ExprKind::Unknown { name: None, div } => Ok(Int::Unknown((*div).max(1)).into()),
        ExprKind::Swizzle { bits, base, shift } => {
            Swizzle::new(*bits, *base, *shift).map(|swizzle| Value::Function(Function::Swizzle(swizzle)))
        }
        ExprKind::Bytes(bits) => {
            ByteSwizzle::new(Swizzle::new(0, 0, 0)?, *bits).map(|bytes| Value::Function(Function::Bytes(bytes)))
        }
        ExprKind::Xor(pattern) => Err(error!(Code::Kind, "^{pattern} is a stride, which only a layout has", [pattern])
            .with_help("write it behind the colon: `(8,64):(^72,^1)`")),
        _ => Ok(Value::Tuple(Tuple::leaf(Entry::Keep))),
    }
}

/// A bare word: what an operation answers so, or the name of a dim.
fn word(text: &str) -> Result<Value, Error> {
    match text {
        "true" => Ok(true.into()),
        "false" => Ok(false.into()),
        "same" => Ok(Value::Verdict(Box::new(Verdict::read(None)))),
        "padding" => Ok(Value::Text(text.to_owned())),
        alias if alias.starts_with('!') => {
            Err(error!(Code::UnknownName, "nothing says which type {alias} stands for", [alias]).with_help(
                "name the dump, `-f kernel.mlir`, or write the type, such as `!cute.layout<\"(8,64):(64,1)\">`",
            ))
        }
        name if name.len() > Name::LONGEST => Err(unknown_word(name)),
        name => Name::new(name).map(Value::Name).map_err(|error| error.with_code(Code::UnknownName)),
    }
}

/// A tensor over devices; the text begins at a byte of what was typed.
fn shard(text: &str, start: usize) -> Result<Value, Error> {
    let sharding = text.parse().map_err(|error: Error| error.shifted(start))?;
    Ok(Value::Sharding(Box::new(sharding)))
}

/// An index expression is the map that it says.
pub(super) fn index(expression: &Expression) -> Result<Value, Error> {
    let (map, text) = (expression.to_map()?, expression.to_string());
    Ok(Value::Map(Box::new(Mapped { map, text })))
}

/// A coordinate has an entry for every mode below the last one named; more modes than this serve nobody.
const MOST_MODES: usize = 63;

fn basis(scale: &Expr, path: &[usize], notes: &mut Vec<String>) -> Result<Value, Error> {
    let scale = value(scale, notes)?.as_int()?;
    if let Some(mode) = path.iter().find(|mode| **mode > MOST_MODES) {
        return Err(error!(
            Code::Range,
            "a basis vector names mode {mode}; modes go up to {most_modes}",
            [mode, most_modes = MOST_MODES]
        ));
    }
    // The text names the innermost mode first.
    let path = path.iter().rev().copied().collect();
    Ok(Value::Tuple(Tuple::leaf(Entry::Number(Stride::basis(scale, path)))))
}

/// A shape with its encoding is the layout of that shape: linear where it is, else a map from places to elements.
fn shaped(shaped: &ShapedType, notes: &mut Vec<String>) -> Result<Value, Error> {
    let Some(attribute) = &shaped.encoding else {
        let message = "a type without an encoding has no layout";
        return Err(Error::new(Code::NoLayout, message)
            .with_help("write the encoding after the shape: `tensor<128x64xf16, #ttg.blocked<{…}>>`"));
    };
    match shaped.kind {
        ShapedKind::Descriptor => {
            notes.push("the layout of the shared memory that a copy of this block fills".to_owned())
        }
        kind if shaped.older => notes.push(format!("read as {}, the name of this type since 2025", kind.keyword())),
        _ => {}
    }
    let encoding = Encoding::from_attribute(attribute, notes)?;
    let within = |error: Error| error.with_span(attribute.span);
    if !shaped.kind.is_memory() && encoding.padding().is_none() {
        return encoding.to_linear(&shaped.shape).map(Value::Linear).map_err(within);
    }
    let memory = MemDesc::of_type(shaped).map_err(within)?;
    describe(&memory, shaped.allocation(), notes)?;
    match memory.to_linear().map_err(within)? {
        Some(layout) => Ok(Value::Linear(layout)),
        None => Map::of_memdesc(&memory)
            .map(|map| Value::Map(Box::new(Mapped { map, text: shaped.to_string() })))
            .map_err(within),
    }
}

/// Says what a type says of the memory around its tensor.
fn describe(memory: &MemDesc, allocation: Option<&[i64]>, notes: &mut Vec<String>) -> Result<(), Error> {
    if let Some(count) = memory.buffers() {
        notes.push(match count {
            1 => "dim0 counts one buffer".to_owned(),
            _ => format!("dim0 counts {count} buffers, {} places apart", memory.stride()?),
        });
    } else if let Some([count, ..]) = allocation.filter(|sizes| sizes.len() > memory.shape().len()) {
        notes.push(format!("one of {count} buffers"));
    }
    if memory.shape() != memory.allocation() {
        notes.push(format!("the first part of an allocation of {:?}", memory.allocation()));
    }
    Ok(())
}

/// A shape as written; the documents print types in upper case.
///
/// XLA reads any type for that of an index. Which ones it prints as `#(invalid)`, which nothing reads, differs by version: all but
/// unsigned integers at first, all but integers in jaxlib 0.10.
fn xla(text: &XlaText, notes: &mut Vec<String>) -> Result<Value, Error> {
    if text.shape.has_invalid_type() {
        let message =
            "the type of an index is an unsigned integer here, as in `#(u32)`; a layout with another one is not read";
        return Err(Error::new(Code::InvalidLayout, message)
            .with_help("leave the field away: it belongs to sparse arrays, and the array is dense"));
    }
    if text.folded {
        notes.push(format!("XLA writes types in lower case: {}", text.shape));
    }
    if let Err(error) = text.shape.check_meaning() {
        notes.push(format!("XLA reads this, but it has no meaning: {}", error.message()));
    }
    Ok(Value::Xla(text.shape.clone()))
}

/// The array of XLA that is a memory reference of Mosaic.
fn memref(memref: &MemRef, notes: &mut Vec<String>) -> Result<Value, Error> {
    let (array, said) = memref.to_array()?;
    if memref.has_signless_elements() {
        notes.push(format!("integers of Mosaic have no sign: the elements are read as {}", memref.element.name()));
    }
    notes.extend(said);
    Ok(array.into())
}

/// A word in quotes: bits of base 16 after `0x`, which stay as they are written, or a name.
pub(crate) fn quoted(name: &notation::Name) -> Result<Value, Error> {
    match name.text.strip_prefix("0x") {
        Some(digits) if !digits.is_empty() && digits.len() <= 16 && digits.chars().all(|c| c.is_ascii_hexdigit()) => {
            Ok(Value::Text(format!("\"{}\"", name.text)))
        }
        _ => dim(name).map(Value::Name).map_err(|error| match name.text.contains("->") {
            true => error.with_help("a pattern of einops needs its tensor: `rearrange(x[2,12,4], \"b h c -> h b c\")`"),
            false => error,
        }),
    }
}

fn dim(name: &notation::Name) -> Result<Name, Error> {
    Name::new(&name.text).map_err(|error| error.with_span(name.span))
}

fn pair(shape: &Expr, stride: &Expr, notes: &mut Vec<String>) -> Result<Value, Error> {
    if is_xored(stride) {
        return xored(mixed(shape, stride)?, shape, stride, notes);
    }
    let shape = value(shape, notes)?.as_shape().map_err(|error| error.with_span(shape.span))?;
    let stride = value(stride, notes)?.as_strides().map_err(|error| error.with_span(stride.span))?;
    Layout::new(shape, stride).map(Value::Layout)
}

/// Whether strides that are xored are among these.
fn is_xored(stride: &Expr) -> bool {
    match &stride.kind {
        ExprKind::Xor(_) => true,
        ExprKind::Tuple(entries) | ExprKind::Sum(entries) => entries.iter().any(is_xored),
        _ => false,
    }
}

/// A layout with strides that are xored is a map; where all of them are 0, it is a layout of CuTe.
fn xored(mixed: Mixed, shape: &Expr, stride: &Expr, notes: &mut Vec<String>) -> Result<Value, Error> {
    if mixed.modes.iter().flatten().all(|leaf| leaf.pattern == 0) {
        let layout = Layout::new(value(shape, notes)?.as_shape()?, added(stride)?)?;
        // Nothing else is xored, so that the flip is added.
        let offset = mixed.offset.checked_add(mixed.flip).ok_or_else(|| Error::overflow("an offset"))?;
        return Ok(Offset { layout, offset: Stride::Int(Int::from(offset)) }.into());
    }
    let (map, text) = (Map::of_mixed(&mixed)?, mixed.to_string());
    Ok(Value::Map(Box::new(Mapped { map, text })))
}

/// What each stride adds.
fn added(stride: &Expr) -> Result<Tuple<Stride>, Error> {
    match &stride.kind {
        ExprKind::Tuple(entries) => Ok(Tuple::of(&entries.iter().map(added).collect::<Result<Vec<_>, _>>()?)),
        _ => mixed_stride(stride).map(|(added, _)| Tuple::leaf(Stride::Int(Int::from(added)))),
    }
}

fn mixed(shape: &Expr, stride: &Expr) -> Result<Mixed, Error> {
    let mode = |shape: &Expr, stride: &Expr| {
        let mut leaves = Vec::new();
        mixed_leaves(shape, stride, &mut leaves).map(|()| leaves)
    };
    let modes = match (&shape.kind, &stride.kind) {
        (ExprKind::Tuple(extents), ExprKind::Tuple(strides)) if extents.len() == strides.len() => {
            extents.iter().zip(strides).map(|(extent, stride)| mode(extent, stride)).collect::<Result<Vec<_>, _>>()?
        }
        _ => vec![mode(shape, stride)?],
    };
    Ok(Mixed { modes, offset: 0, flip: 0 })
}

fn mixed_leaves(shape: &Expr, stride: &Expr, leaves: &mut Vec<MixedLeaf>) -> Result<(), Error> {
    match (&shape.kind, &stride.kind) {
        (ExprKind::Tuple(extents), ExprKind::Tuple(strides)) if extents.len() == strides.len() => {
            extents.iter().zip(strides).try_for_each(|(extent, stride)| mixed_leaves(extent, stride, leaves))
        }
        (ExprKind::Static(extent), _) => {
            let (stride, pattern) = mixed_stride(stride)?;
            leaves.push(MixedLeaf { extent: *extent, stride, pattern });
            Ok(())
        }
        _ => Err(error!(Code::Profile, "shape {shape} and stride {stride} are not nested alike", [shape, stride])
            .with_span(shape.span)
            .with_help("next to strides that are xored all extents are static integers")),
    }
}

/// What a stride adds, and what it xors.
fn mixed_stride(stride: &Expr) -> Result<(i64, i64), Error> {
    match &stride.kind {
        ExprKind::Static(added) => Ok((*added, 0)),
        ExprKind::Xor(pattern) => Ok((0, *pattern)),
        ExprKind::Sum(terms) => terms.iter().try_fold((0i64, 0), |(added, pattern), term| {
            let (more, other) = mixed_stride(term)?;
            Ok((added.checked_add(more).ok_or_else(|| Error::overflow("a stride"))?, pattern ^ other))
        }),
        _ => Err(error!(Code::Kind, "{stride} is no stride to xor", [stride]).with_span(stride.span)),
    }
}

fn tiler(entries: &[Expr], notes: &mut Vec<String>) -> Result<Value, Error> {
    let mut modes = Vec::new();
    for entry in entries {
        modes.push(value(entry, notes)?.as_tiler().map_err(|error| error.with_span(entry.span))?);
    }
    Ok(Value::Tiler(Tiler::Modes(modes)))
}

fn product(factors: &[Expr], notes: &mut Vec<String>) -> Result<Value, Error> {
    let mut scale = Int::from(1);
    let mut vector: Option<Stride> = None;
    let mut layouts = Vec::new();
    for factor in factors {
        let factor_value = value(factor, notes)?;
        if matches!(factor_value, Value::Linear(_)) {
            layouts.push(factor_value);
            continue;
        }
        match factor_value.as_strides()?.as_leaf() {
            Some(Stride::Int(n)) => scale = scale.mul(n)?,
            Some(basis) if vector.is_none() => vector = Some(basis.clone()),
            _ => return Err(Error::new(Code::Kind, "a product has at most one basis vector").with_span(factor.span)),
        }
    }
    // Triton writes `*` for the product of linear layouts.
    let is_one = layouts.len() == factors.len();
    if let Some(first) = layouts.first().filter(|_| is_one).cloned() {
        return layouts
            .into_iter()
            .skip(1)
            .try_fold(first, |product, next| super::call::call("mul", &[product, next]).map(|answer| answer.value));
    }
    if let Some(layout) = layouts.first() {
        return Err(layout.wrong("an integer"));
    }
    let product = match vector {
        Some(basis) => basis.scale(&scale)?,
        None => Stride::Int(scale),
    };
    Ok(Value::Tuple(Tuple::leaf(Entry::Number(product))))
}

fn sum(terms: &[Expr], notes: &mut Vec<String>) -> Result<Value, Error> {
    if let Some((Expr { kind: ExprKind::Pair { shape, stride }, .. }, rest)) = terms.split_first()
        && is_xored(stride)
    {
        let mut mixed = mixed(shape, stride)?;
        for term in rest {
            let (offset, flip) = mixed_stride(term)?;
            mixed.offset = mixed.offset.checked_add(offset).ok_or_else(|| Error::overflow("an offset"))?;
            mixed.flip ^= flip;
        }
        return xored(mixed, shape, stride, notes);
    }
    let mut total: Option<Value> = None;
    for term in terms {
        let next = value(term, notes)?;
        let sum = match total {
            None => next,
            Some(total) => add(total, &next).map_err(|error| error.with_span(term.span))?,
        };
        total = Some(sum);
    }
    total.ok_or_else(|| Error::new(Code::Arity, "an empty sum"))
}

/// `L + 7`, `1@0 + 1@1`, `M + 4`: a layout takes an offset, numbers and vectors add.
pub(super) fn add(left: Value, right: &Value) -> Result<Value, Error> {
    if let Value::Xla(_) = left {
        let (map, by) = (left.as_map()?.shifted(right.as_number()?)?, right);
        return crate::mapped::mapped(map, format!("{left} + {by}"));
    }
    let shift = match right.as_strides()?.as_leaf() {
        Some(shift) => shift.clone(),
        // An offset into coordinates is written as a coordinate.
        None => Stride::from_coordinate(&right.as_shape()?)?,
    };
    match left {
        Value::Layout(layout) => Ok(Value::Offset(Offset { layout, offset: shift })),
        Value::Offset(slice) => Ok(Value::Offset(Offset { offset: slice.offset.plus(&shift)?, layout: slice.layout })),
        left => match left.as_strides()?.as_leaf() {
            Some(number) => Ok(Value::Tuple(Tuple::leaf(Entry::Number(number.plus(&shift)?)))),
            None => Err(error!(Code::Kind, "{left} and {right} cannot be added", [left, right])),
        },
    }
}

/// Entries in round brackets: a tuple, or a layout where layouts are among them.
fn tuple(entries: &[Expr], notes: &mut Vec<String>) -> Result<Value, Error> {
    let mut values = Vec::new();
    for entry in entries {
        values.push(value(entry, notes)?);
    }
    if values.iter().any(|value| matches!(value, Value::Layout(_) | Value::Offset(_))) {
        for (value, entry) in values.iter().zip(entries).filter(|(value, _)| !matches!(value, Value::Function(_))) {
            value.as_slice().map_err(|error| error.with_span(entry.span))?;
        }
        return crate::operands::concatenation(&values).map(Value::from);
    }
    let shapes: Option<Vec<Shape>> = values.iter().map(|value| value.as_xla().ok()).collect();
    if let Some(shapes) = shapes.filter(|shapes| !shapes.is_empty()) {
        return Ok(Value::Xla(Shape::Tuple(shapes)));
    }
    for (value, entry) in values.iter().zip(entries) {
        if !matches!(value, Value::Tuple(_) | Value::List(_) | Value::Name(_) | Value::Linear(_) | Value::Xla(_)) {
            return Err(error!(Code::Kind, "a value of kind {kind} cannot stand in a tuple", [kind = value.kind()])
                .with_span(entry.span));
        }
    }
    Ok(values.into())
}

/// `X o Y o Z`, from the right; an integer with functions on both sides is an offset. Each part is read once and the
/// chain is walked in a loop, so that neither its length nor the nesting costs more than it says.
fn compose(parts: &[Expr], notes: &mut Vec<String>) -> Result<Value, Error> {
    let mut values = Vec::new();
    for part in parts {
        match value(part, notes)? {
            Value::Name(name) => return Err(unknown_name(name).with_span(part.span)),
            value => values.push(value),
        }
    }
    let Some(mut inner) = values.pop() else {
        return Err(Error::new(Code::Arity, "an empty composition"));
    };
    let mut outers = Vec::new();
    let mut rest = values.into_iter().zip(parts).peekable();
    if let Some((Value::Function(Function::Bytes(_)), part)) = rest.peek() {
        notes.push(format!("{part} says what an element is, not where it lies; no swizzle acts on its bytes"));
        rest.next();
    }
    if values_begin_at_origin(rest.peek().map(|(value, _)| value), &inner)
        && let Some((origin, _)) = rest.next()
    {
        notes.push(format!("{origin} is where the coordinates begin"));
        let is_zero = |entry: &Entry| matches!(entry, Entry::Number(Stride::Int(n)) if n.value() == Some(0));
        if !matches!(&origin, Value::Tuple(tuple) if tuple.leaves().iter().all(is_zero)) {
            inner = add(inner, &origin)?;
        }
    }
    while let Some((outer, part)) = rest.next() {
        let outer = match (outer, rest.peek()) {
            // A swizzle of the bytes of such elements.
            (Value::Function(swizzle), Some((Value::Function(bytes @ Function::Bytes(_)), _))) => {
                let both = swizzle.after(bytes)?;
                rest.next();
                // What moves nothing says what an element is, and is left out as above.
                if let Function::Bytes(bytes) = &both
                    && bytes.swizzle().is_identity()
                    && outers.is_empty()
                {
                    notes.push(format!("{both} says what an element is, not where it lies"));
                    continue;
                }
                Value::Function(both)
            }
            (outer, _) => outer,
        };
        let offset = rest.next_if(|(next, _)| next.as_int().is_ok()).map(|(offset, _)| offset);
        outers.push((outer, offset, part.span));
    }
    for (outer, offset, span) in outers.into_iter().rev() {
        inner = match offset {
            Some(offset) => {
                let outer = outer.as_function().map_err(|error| error.with_span(span))?;
                Value::from(Function::compose(outer, offset.as_int()?, inner.as_function()?))
            }
            None => crate::composition::composition(&outer, &inner, notes)?,
        };
        bounded(&inner)?;
    }
    Ok(inner)
}

/// Whether a chain is a coordinate and a layout of coordinates, as CuTe printed `(0,0) o (128,64):(1@0,1@1)`: a shape has no extent 0.
fn values_begin_at_origin(first: Option<&Value>, inner: &Value) -> bool {
    let (Some(Value::Tuple(origin)), Value::Layout(layout)) = (first, inner) else { return false };
    let is_zero = |entry: &Entry| matches!(entry, Entry::Number(Stride::Int(n)) if n.value() == Some(0));
    !origin.is_leaf()
        && origin.leaves().iter().any(is_zero)
        && layout.strides().iter().any(|stride| matches!(stride, Stride::Basis(_)))
}

#[cfg(test)]
mod tests {
    use crate::evaluate;
    use bitstride::{Code, Error};

    #[test]
    fn nested_offsets_are_read_once_a_level() -> Result<(), Error> {
        let mut text = "size(4:1)".to_owned();
        for _ in 0..28 {
            text = format!("size(4:1 o {text}:1 o 4:1)");
        }
        assert_eq!(evaluate(&text)?.value.to_string(), "4");
        Ok(())
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() -> Result<(), Error> {
        assert_eq!(evaluate(&format!("{}4:1", "4:1 o ".repeat(20_000)))?.value.to_string(), "4:1");
        let nested = evaluate(&format!("{}4:1", "Sw<1,4,3> o 1 o ".repeat(20_000)));
        assert_eq!(nested.map_err(|error| error.code()), Err(Code::TooLarge));
        Ok(())
    }

    #[test]
    fn a_value_is_read_back_as_it_is() {
        for text in [
            "chain(Sw<3,3,3> o 0 o (8,64):(64,1), Sw<3,4,3>)",
            "chain(Sw<3,4,3>, chain(Sw<3,3,3> o 1 o (8,64):(64,1), Sw<2,4,3>))",
            "(2,32):(^0,1) + 1",
            "(2,32):(^0,1) + ^3",
            "(2,32):(^4,1) + ^3",
        ] {
            let value = evaluate(text).map(|answer| answer.value);
            let again = value.as_ref().map(|value| evaluate(&value.to_string()).map(|answer| answer.value));
            assert_eq!(again, Ok(value.clone()), "{text}");
        }
    }

    #[test]
    fn an_integer_between_functions_is_an_offset() -> Result<(), Error> {
        assert_eq!(evaluate("Sw<3,4,3> o 2 o 4:1 o 2:1")?.value.to_string(), "Sw<3,4,3> o 2 o 2:1");
        assert_eq!(evaluate("2:3 o 2")?.value.to_string(), "2:3");
        Ok(())
    }
}
