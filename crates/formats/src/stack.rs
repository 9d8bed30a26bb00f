//! The parameter `experts`: several tensors of one format one behind the other, as the experts of a layer are stored.
//!
//! Every format has it: each of its tensors gets leading axes, and the places of each expert are those of the format, the next
//! expert behind the last bit of the one before. `experts=4` is one axis, `experts=2x4` two. A format that names such a parameter
//! itself has experts of its own kind.
//!
//! Law: expert `e` of a stacked format has the bytes of the format alone, from byte `e` times their number on.

use bitstride::cast::narrow;
use bitstride::{Code, Error, error};

use crate::definition::Definition;
use crate::expression::Argument;
use crate::format::Format;
use crate::places::FieldAxis;
use crate::spec::Spec;

/// The name of the parameter, and of the axis.
pub(crate) const EXPERTS: &str = "experts";

/// Whether the experts of a format are tensors of it one behind the other, and no parameter of its own.
pub(crate) fn is_stackable(definition: &Definition) -> bool {
    !definition.parameters.iter().any(|own| own.name == EXPERTS)
}

/// A name without its experts, and the extents of these.
pub(crate) fn split(definition: &Definition, spec: &Spec) -> Result<(Spec, Vec<i64>), Error> {
    let mut own = spec.clone();
    if !is_stackable(definition) {
        return Ok((own, Vec::new()));
    }
    own.parameters.retain(|(name, _)| name != EXPERTS);
    let given = spec.parameters.iter().find(|(name, _)| name == EXPERTS).map(|(_, value)| value);
    let extents = match given {
        None => Vec::new(),
        Some(Argument::Number(count)) => vec![*count],
        Some(Argument::List(extents)) => extents.clone(),
        Some(Argument::Word(_)) => vec![0],
    };
    match given {
        Some(value) if extents.iter().any(|extent| *extent < 1) => Err(error!(
            Code::Parameter,
            "{name}: experts={value} is no number of experts",
            [name = definition.name, value]
        )
        .with_help("experts=4 is four tensors one behind the other, experts=2x4 two rows of four")),
        _ => Ok((own, extents)),
    }
}

/// Extents as the value of the parameter.
pub(crate) fn argument(extents: &[i64]) -> Argument {
    match extents {
        [count] => Argument::Number(*count),
        several => Argument::List(several.to_vec()),
    }
}

/// The extents of the experts of a format; none where it is of one tensor, or has experts of its own kind.
pub(crate) fn extents(format: &Format) -> &[i64] {
    format.experts.as_slice()
}

/// A format with leading axes.
pub(crate) fn stacked(mut format: Format, extents: &[i64]) -> Result<Format, Error> {
    if extents.is_empty() {
        return Ok(format);
    }
    let value = argument(extents);
    let sign = if format.name.contains(':') { ',' } else { ':' };
    format.name = format!("{}{sign}{EXPERTS}={value}", format.name);
    format.parameters.push((EXPERTS.to_owned(), value));
    let axis = |at: usize| if extents.len() == 1 { EXPERTS.to_owned() } else { format!("{EXPERTS}{at}") };
    let axes = extents.iter().enumerate().map(|(at, extent)| FieldAxis { name: axis(at), digits: vec![*extent] });
    let axes: Vec<FieldAxis> = axes.collect();
    for field in &mut format.fields {
        let tensor = format.tensors.get(field.tensor).ok_or_else(|| Error::overflow("the tensors of a format"))?;
        let mut stride = tensor.bits()?;
        let mut loops = Vec::new();
        for extent in extents.iter().rev() {
            loops.insert(0, (*extent, stride));
            stride = narrow(i128::from(stride) * i128::from(*extent))?;
        }
        field.places = field.places.stacked(&axes, &loops)?;
    }
    for tensor in &mut format.tensors {
        tensor.shape.splice(..0, extents.iter().copied());
        tensor.bits()?;
    }
    format.experts = extents.to_vec();
    Ok(format)
}
