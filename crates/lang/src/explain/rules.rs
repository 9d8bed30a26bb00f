//! Which explainer knows which operation, and what is said where none does.

use super::steps::Steps;
use super::{Step, words};
use super::{
    arrays, atoms, bitcast, coalesce, codomain, complement, composition, convert, coordinate, digits, divide, encoding,
    entries, hardware, inference, inverse, make, maps, measure, product, recast, refusal, relations, shapes, sharding,
    swizzle, tiled,
};
use crate::{Answer, Kind, Value, evaluate_tree, operation};
use bitstride::cute::Function;
use bitstride::notation::{Expr, ExprKind};
use bitstride::xla::{Image, Shape};
use bitstride::{Error, Integer, StrideLeaf, linear};

/// The steps of a call whose arguments are values. The last one has the answer, where there is one.
pub(super) fn steps(call: &Expr, answer: &Result<Answer, Error>) -> Vec<Step> {
    let mut steps = Steps::default();
    if let ExprKind::Shaped(shaped) = &call.kind {
        // As of a call: the steps that hold, and the answer.
        let _ = encoding::memory(shaped, &mut steps);
        let _ = steps.close("Altogether:", call.to_string());
        return steps.0;
    }
    let ExprKind::Call { name, modes, arguments } = &call.kind else {
        let _ = steps.add("The functions one after the other, the right one first.", call.to_string());
        return steps.0;
    };
    if let Ok(values) = &operands(&name.text, arguments) {
        // An explainer that gets stuck leaves the steps that hold; the call itself closes them.
        let _ = match modes.as_deref() {
            None => by_rule(&name.text, values, &mut steps),
            Some(modes) => by_mode(&name.text, modes, values, &mut steps),
        };
        let _ = match answer {
            Ok(answer) if steps.0.is_empty() => shown(&answer.value, values, &mut steps),
            Ok(_) => Ok(()),
            Err(error) => refusal::general(values, error, &mut steps),
        };
    }
    if let Ok(answer) = answer
        && steps.0.last().is_none_or(|step| step.value != answer.value)
    {
        let rule = if steps.0.is_empty() { general(&name.text) } else { "Altogether:".to_owned() };
        let _ = steps.close(rule, call.to_string());
    }
    steps.0
}

/// The values of the arguments of an operation.
fn operands(called: &str, arguments: &[Expr]) -> Result<Vec<Value>, Error> {
    let parameters = operation(called).map_or(&[][..], |operation| operation.parameters);
    let is_operation = |at: usize| parameters.get(at).is_some_and(|parameter| parameter.kind == Kind::Operation);
    let value = |(at, argument): (usize, &Expr)| match &argument.kind {
        // A name is a value only as an argument.
        ExprKind::Name(name) if is_operation(at) => Ok(Value::Text(name.text.clone())),
        ExprKind::Name(name) => linear::Name::new(&name.text).map(Value::Name),
        ExprKind::Quoted(name) => crate::eval::quoted(name),
        _ => evaluate_tree(argument).map(|answer| answer.value),
    };
    arguments.iter().enumerate().map(value).collect()
}

/// What an operation does, from the table of operations.
fn general(name: &str) -> String {
    match operation(name) {
        Some(operation) => words::sentence(&format!("{}.", operation.law.trim_end_matches('.'))),
        None => format!("{name} of its operands."),
    }
}

/// What the operation itself reports, else what an explainer knows of it.
fn by_rule(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let derivation = operation(name).map(|operation| operation.derivation(values).lines()).unwrap_or_default();
    if derivation.is_empty() {
        return by_name(name, values, steps);
    }
    derivation.into_iter().try_for_each(|(rule, expression)| steps.add(rule, expression).map(drop))
}

fn by_name(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    if let Some(Value::Function(_) | Value::Offset(_)) = values.first()
        && acts_on_domain(name)
        && let Some(Ok(function)) = values.first().map(Value::as_function)
    {
        match &function {
            Function::Composed(composed) => {
                let around = match (&composed.outer, composed.offset.is(0)) {
                    (Function::Bytes(bytes), true) => bytes.to_string(),
                    (outer, _) => format!("{outer} o {}", composed.offset),
                };
                return on_domain(name, &composed.inner, [&format!("{around} o "), ""], values, steps);
            }
            Function::Offset(slice) => {
                let inner = Function::Layout(slice.layout.clone());
                return on_domain(name, &inner, ["", &format!(" + {}", slice.offset.point_text())], values, steps);
            }
            Function::Layout(_) | Function::Swizzle(_) | Function::Bytes(_) => {}
        }
    }
    match name {
        "to_linear" => encoding::explain(values, steps),
        _ if sharding::explain(name, values, steps)? => Ok(()),
        "convert" => convert::explain(values, steps),
        "combine_cta_cga_with_shape" => encoding::combined(values, steps),
        "coalesce" => coalesce::explain(values, steps),
        "filter" => coalesce::filter(values, steps),
        "filter_zeros" => coalesce::filter_zeros(values, steps),
        "composition" => composition::explain(values, steps),
        "with_shape" => composition::with_shape(values, steps),
        "complement" => complement::explain(values, steps),
        "right_inverse" => inverse::right(values, steps),
        "left_inverse" => inverse::left(values, steps),
        "nullspace" => inverse::nullspace(values, steps),
        "max_common_layout" | "max_common_vector" => inverse::common(name, values, steps),
        "logical_divide" | "zipped_divide" | "tiled_divide" | "flat_divide" => divide::explain(name, values, steps),
        "local_tile" => divide::local_tile(values, steps),
        "local_partition" => divide::local_partition(values, steps),
        "logical_product" | "zipped_product" | "tiled_product" | "flat_product" => {
            product::explain(name, values, steps)
        }
        "blocked_product" | "raked_product" => product::paired(name, values, steps),
        "tile_to_shape" => product::tile_to_shape(values, steps),
        "recast" | "rescale" | "upcast" | "downcast" => recast::explain(name, values, steps),
        "crd2idx" => coordinate::crd2idx(values, steps),
        "idx2crd" => coordinate::idx2crd(values, steps),
        "crd2crd" => coordinate::crd2crd(values, steps),
        "coordinate_at" => coordinate::coordinate_at(values, steps),
        "slice" => coordinate::slice(values, steps),
        "dice" => coordinate::dice(values, steps),
        "shape_div" | "shape_mod" | "ceil_div" => shapes::divide(name, values, steps),
        "round_up" => shapes::round_up(values, steps),
        "get_swizzle_portion" | "get_nonswizzle_portion" => {
            if let [whole] = values {
                steps.add(
                    "The layout gives an offset, and a swizzle before it moves the bits of that:",
                    whole.to_string(),
                )?;
            }
            Ok(())
        }
        "column_major" | "row_major" => make::compact(name, values, steps),
        "make_ordered_layout" => make::ordered(values, steps),
        "make_layout_like" => make::like(values, steps),
        "make_fragment_like" => make::fragment_like(values, steps),
        "size" => measure::size(values, steps),
        "product_each" => measure::product_each(values, steps),
        "cosize" => measure::cosize(values, steps),
        "domain_distribute" => measure::distribute(values, steps),
        "layout_add" => measure::add(values, steps),
        "make_swizzle" => swizzle::make(values, steps),
        "linear_index" => tiled::linear_index(values, steps),
        "index_at" => tiled::index_at(values, steps),
        "tiled_index" => tiled::tiled_index(values, steps),
        "tiled_dims" => tiled::tiled_dims(values, steps),
        "padded_size" | "byte_size" => tiled::size(name, values, steps),
        "padding" => tiled::padding(values, steps),
        "same_memory" | "reshape_is_bitcast" => bitcast::same(name, values, steps),
        "transpose_is_bitcast" => bitcast::transposed(values, steps),
        "deduce_transpose" => bitcast::deduced(values, steps),
        "decompose_bitcast" => bitcast::decomposed(values, steps),
        "align_layouts" => bitcast::aligned(values, steps),
        "permute_dims" | "move_dim" => bitcast::permuted(name, values, steps),
        "drop_dims" | "drop_unit_dims" => bitcast::dropped(name, values, steps),
        "element_strides" | "byte_strides" => bitcast::strides(name, values, steps),
        "is_untiled" => bitcast::untiled(values, steps),
        "to_mosaic" | "affine_map" => tiled::mosaic(name, values, steps),
        "coshape" | "coprofile" => codomain::coshape(name, values, steps),
        "domain_offset" => codomain::from(values, steps),
        "make_identity_layout" => codomain::identity(values, steps),
        "greatest_common_domain" => codomain::common(values, steps),
        "select" | "take" | "group" | "append" | "prepend" | "replace" | "insert" | "remove" => {
            entries::edited(name, values, steps)
        }
        "flatten" | "unflatten" => entries::nested(name, values, steps),
        "rank" if !matches!(values, [Value::Linear(_)]) => entries::rank(values, steps),
        "depth" => entries::depth(values, steps),
        "shape" | "stride" => entries::half(name, values, steps),
        "make_layout" => entries::made(values, steps),
        "zip" => entries::zipped(values, steps),
        "layout" => entries::mode(values, steps),
        "coordinates" => entries::coordinates(values, steps),
        "offsets" | "print_layout" => entries::offsets(values, steps),
        "congruent" | "weakly_congruent" | "compatible" | "evenly_divides" | "common_refinement"
        | "common_coarsening" | "lex_less" | "colex_less" | "elem_less" => relations::explain(name, values, steps),
        "add" | "div" | "floor_div" | "mod" | "min" => relations::integers(name, values, steps),
        _ => of_family(name, values, steps),
    }
}

/// The operations of the other families, each in a table of its own.
fn of_family(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let _ = super::linear::explain(name, values, steps)?
        || arrays::explain(name, values, steps)?
        || hardware::explain(name, values, steps)?
        || atoms::explain(name, values, steps)?
        || maps::explain(name, values, steps)?
        || inference::explain(name, values, steps)?;
    Ok(())
}

/// What an answer does, where no explainer says how it came about: what each bit or digit of it leads to.
fn shown(answer: &Value, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    for operand in values {
        if measure::shape_of(operand).and_then(|shape| shape.size()).is_ok_and(|size| size.is(0)) {
            steps.add(format!("{operand} has no elements: an extent is 0."), format!("size({operand})"))?;
        }
    }
    match answer {
        Value::Linear(layout) => super::linear::images(layout, steps),
        Value::Layout(_) | Value::Offset(_) | Value::Function(_) | Value::Map(_) | Value::Xla(_) => {
            digits::digits(&answer.as_map()?, &answer.to_string(), steps)
        }
        _ => Ok(()),
    }
}

/// Whether an operation changes the domain of a composed layout and nothing else of it.
fn acts_on_domain(name: &str) -> bool {
    matches!(
        name,
        "coalesce"
            | "filter"
            | "filter_zeros"
            | "logical_divide"
            | "zipped_divide"
            | "tiled_divide"
            | "flat_divide"
            | "logical_product"
            | "zipped_product"
            | "tiled_product"
            | "flat_product"
            | "blocked_product"
            | "raked_product"
            | "tile_to_shape"
            | "dice"
            | "slice"
            | "local_tile"
            | "local_partition"
            | "flatten"
            | "layout"
            | "select"
            | "take"
            | "group"
            | "with_shape"
            | "composition"
    )
}

/// The operation on the layout inside, and then what is around it: before its text, and after.
fn on_domain(
    name: &str,
    inside: &Function,
    around: [&str; 2],
    values: &[Value],
    steps: &mut Steps,
) -> Result<(), Error> {
    if name == "composition" && matches!(values.get(1), Some(Value::Function(_) | Value::Offset(_))) {
        return composition::explain(values, steps);
    }
    let mut inner = values.to_vec();
    if let Some(first) = inner.first_mut() {
        *first = Value::from(inside.clone());
    }
    by_name(name, &inner, steps)?;
    let rest: Vec<String> = inner.iter().map(Value::to_string).collect();
    let done =
        steps.add(format!("Only the domain changes, the layout {inside}:"), format!("{name}({})", rest.join(", ")))?;
    let [before, after] = around;
    let stays = format!("{before}{after}");
    let stays = stays.trim().trim_end_matches(" o");
    steps.add(format!("What comes after it, {stays}, stays:"), format!("{before}{done}{after}"))?;
    Ok(())
}

/// The operation on one mode, which takes the place of the old one.
fn by_mode(name: &str, modes: &[Expr], values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some((whole, rest)) = values.split_first() else { return Ok(()) };
    let whole = steps.argument(whole)?;
    let mut path = Vec::new();
    for mode in modes {
        path.push(evaluate_tree(mode)?.value.as_index()?);
    }
    let mode = steps.layout(
        format!("{name} acts on {} alone:", words::place(&path)),
        format!("layout({whole}, {})", words::path_text(&path)),
    )?;
    let mut arguments = vec![Value::Layout(mode)];
    arguments.extend_from_slice(rest);
    by_rule(name, &arguments, steps)?;
    let texts: Vec<String> = arguments.iter().map(Value::to_string).collect();
    let expression = format!("{name}({})", texts.join(", "));
    let answer = crate::evaluate(&expression)?.value;
    if steps.last().as_deref() != Some(&answer.to_string()) {
        steps.add(general(name), expression)?;
    }
    let Value::Layout(mut changed) = answer else { return Ok(()) };
    while let Some(last) = path.pop() {
        let holder = whole.get(&path)?;
        let rule = match path.as_slice() {
            [] => format!("In {holder} it takes the place of mode {last}; the others stay."),
            _ => format!("In {} it takes the place of mode {last}.", words::place(&path)),
        };
        changed = steps.layout(rule, format!("replace({holder}, {last}, {changed})"))?;
    }
    Ok(())
}

/// What a value that is written as it is says; the last step is the value itself.
pub(super) fn literal(value: &Value, text: &str) -> Vec<Step> {
    let mut steps = Steps::default();
    if let Value::Xla(Shape::Array(array) | Shape::Buffer(array)) = value {
        let _ = tiled::literal(array, &mut steps);
    }
    if let Value::Linear(layout) = value {
        let _ = super::linear::images(layout, &mut steps);
    }
    let _ = steps.close(words_of(value), text);
    steps.0
}

fn words_of(value: &Value) -> String {
    match value {
        Value::Layout(layout) if layout.root().is_leaf() => {
            format!("The index i goes to i*{}.", layout.strides().first().map(ToString::to_string).unwrap_or_default())
        }
        Value::Layout(layout) => format!(
            "A coordinate goes to its inner product with the stride {}; a flat index is read in the shape {}, leftmost fastest.",
            layout.stride(),
            layout.shape()
        ),
        Value::Offset(slice) => format!("The layout {} with every offset moved by {}.", slice.layout, slice.offset),
        Value::Function(Function::Swizzle(swizzle)) => {
            format!("Of every offset, {}.", swizzle::bits(*swizzle))
        }
        Value::Function(Function::Bytes(bytes)) => {
            format!(
                "Of the address of every element of {} bits, in bytes, {}.",
                bytes.bits(),
                swizzle::bits(bytes.swizzle())
            )
        }
        Value::Function(Function::Composed(composed)) => {
            let after = match &composed.outer {
                Function::Swizzle(swizzle) => swizzle::bits(*swizzle),
                Function::Bytes(bytes) => {
                    format!("of the address in bytes, {}", swizzle::bits(bytes.swizzle()))
                }
                other => format!("{other} is applied"),
            };
            format!("A coordinate goes through {}; {} is added; then {after}.", composed.inner, composed.offset)
        }
        Value::Xla(Shape::Array(array) | Shape::Buffer(array)) => match Image::of(array) {
            Ok(image) if image.size() > image.elements() => {
                format!("Elements: {}, in {} places; the others are padding.", image.elements(), image.size())
            }
            Ok(image) => format!("Elements: {}; no place is padding.", image.elements()),
            // A note says why.
            Err(_) if array.check_meaning().is_err() => "It is read as it is written.".into(),
            Err(error) => format!("It is read, but has no memory: {}.", error.message().trim_end_matches('.')),
        },
        Value::Linear(_) => "A place of several bits goes to the xor of what its bits go to.".into(),
        Value::Tiler(_) => "A tiler: one entry for each of the first modes of what it is applied to.".into(),
        _ => "Written as it is.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Steps, by_rule, operands};
    use crate::{evaluate, operations};
    use bitstride::notation::{ExprKind, Ints, parse};

    /// The names of operations whose example no rule explains.
    fn unexplained() -> Vec<&'static str> {
        let is_explained = |example: &str| {
            let Ok(tree) = parse(example, Ints::Plain) else { return false };
            let ExprKind::Call { name, arguments, .. } = &tree.kind else { return false };
            let mut steps = Steps::default();
            operands(&name.text, arguments).and_then(|values| by_rule(&name.text, &values, &mut steps)).is_ok()
                && !steps.0.is_empty()
        };
        operations().filter(|operation| !is_explained(operation.example)).map(|operation| operation.name).collect()
    }

    #[test]
    fn every_operation_has_a_rule() {
        assert_eq!(unexplained(), [""; 0]);
    }

    #[test]
    fn what_an_operation_reports_ends_at_its_answer() {
        let mut reported = 0;
        for operation in operations() {
            let Ok(ExprKind::Call { arguments, .. }) = parse(operation.example, Ints::Plain).map(|tree| tree.kind)
            else {
                continue;
            };
            let lines = operands(operation.name, &arguments)
                .map(|values| operation.derivation(&values).lines())
                .unwrap_or_default();
            let Some((_, last)) = lines.last() else { continue };
            let value = |text: &str| evaluate(text).map(|answer| answer.value.to_string());
            assert_eq!(value(last), value(operation.example), "{}", operation.name);
            reported += 1;
        }
        assert!(reported > 15, "only {reported} operations report steps");
    }
}
