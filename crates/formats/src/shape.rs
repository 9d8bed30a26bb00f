//! What `--shape 64,32` means for a format: the extents of its first field, in the order of its axes.
//!
//! Law: an extent is that of one parameter, or of experts where there are more than axes.

use bitstride::{Code, Error, error};

use crate::definition::{AxisText, Definition, StatementKind};
use crate::expression::{Argument, Expression};
use crate::format::no_field;
use crate::stack;

/// The names of axes, as a sentence lists them.
fn axis_names(axes: &[AxisText]) -> String {
    let names = axes.iter().map(|axis| match axis {
        AxisText::Named(name, _) => name.as_str(),
        AxisText::Each(_) => "each axis",
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The extents of the first axes of a tensor as parameters: what `--shape 64,32` means for a format.
pub(crate) fn shape_parameters(definition: &Definition, extents: &[i64]) -> Result<Vec<(String, Argument)>, Error> {
    let fields = definition.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Field { axes, .. } => Some(axes),
        _ => None,
    });
    let axes = fields.into_iter().next().ok_or_else(no_field)?;
    if let [AxisText::Each(Expression::Name(name))] = axes.as_slice() {
        return Ok(vec![(name.clone(), Argument::List(extents.to_vec()))]);
    }
    if let Some(lead) = extents.len().checked_sub(axes.len()).filter(|lead| *lead > 0)
        && stack::is_stackable(definition)
    {
        let (experts, own) = extents.split_at(lead);
        let experts = (stack::EXPERTS.to_owned(), stack::argument(experts));
        return shape_parameters(definition, own).map(|own| std::iter::once(experts).chain(own).collect());
    }
    if axes.len() != extents.len() {
        return Err(error!(
            Code::RankMismatch,
            "{name} has {axes_count} axes, and the shape {extents_count}",
            [name = definition.name, axes_count = axes.len(), extents_count = extents.len()]
        )
        .with_help(format!("--shape has the extents of {}", axis_names(axes))));
    }
    let has = |name: &str| definition.parameters.iter().any(|parameter| parameter.name == name);
    let names = axes.iter().map(|axis| match axis {
        AxisText::Named(name, _) => Some(name.as_str()).filter(|name| has(name)),
        AxisText::Each(_) => None,
    });
    let mut names: Vec<Option<&str>> = names.collect();
    // Where an axis counts other things than elements, such as vectors of a table, the tensor has the axes of the parameters.
    let open = definition.parameters.iter().filter(|own| own.default.is_none() && own.values.is_none());
    let open: Vec<Option<&str>> = open.map(|own| Some(own.name.as_str())).collect();
    if names.contains(&None) && open.len() == axes.len() {
        names = open;
    }
    let pairs = names.into_iter().zip(extents);
    Ok(pairs.filter_map(|(name, extent)| Some((name?.to_owned(), Argument::Number(*extent)))).collect())
}
