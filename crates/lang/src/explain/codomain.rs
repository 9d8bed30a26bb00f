//! Where a layout leads: what each mode reaches along each coordinate, and layouts of coordinates.

use super::coordinate;
use super::measure::shape_of;
use super::steps::Steps;
use super::words::{call, path_text};
use crate::Value;
use bitstride::{Error, Integer, StrideLeaf};

/// `coshape(L)` and `coprofile(L)`: coordinate by coordinate, how far each mode goes along it.
pub(super) fn coshape(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_function()?.domain()?.clone();
    let mut paths = Vec::new();
    for (path, _) in layout.strides().iter().flat_map(StrideLeaf::components) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    for path in &paths {
        let mut terms = vec!["1".to_owned()];
        for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
            for (_, n) in stride.components().iter().filter(|(known, _)| known == path) {
                // What is not known stays for the answer itself.
                let (Some(extent), Some(n)) = (extent.value(), n.value()) else { return Ok(()) };
                terms.push(format!("{}*{}", extent.saturating_sub(1).max(0), n.unsigned_abs()));
            }
        }
        let along = match path.as_slice() {
            [] => "Along the offset".to_owned(),
            path => format!("Along coordinate {}", path_text(path)),
        };
        steps.add(format!("{along} each mode n:d goes n-1 steps of d; 0 itself is 1 more place:"), terms.join("+"))?;
    }
    if paths.is_empty() {
        steps.add("No mode moves, so only 0 is reached.", "1")?;
    }
    if name == "coprofile" {
        let shape = steps.add("As one shape:", format!("coshape({layout})"))?;
        steps.add(format!("Of {shape} only the nesting matters, with 0 for each leaf:"), call(name, values))?;
    }
    Ok(())
}

/// `domain_offset(c, L)`: the offset of the coordinate, and the same strides from there on.
pub(super) fn from(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [at, layout] = values else { return Ok(()) };
    coordinate::crd2idx(values, steps)?;
    let start = steps.last().unwrap_or_default();
    let rule =
        format!("From {at} on every step is as long as from 0 on, so {start} is added to every offset of {layout}:");
    steps.add(rule, call("domain_offset", values))?;
    Ok(())
}

/// `make_identity_layout(S)`: one step along each mode, which is one along its own coordinate.
pub(super) fn identity(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape] = values else { return Ok(()) };
    let shape = shape_of(shape)?;
    let whole = call("make_identity_layout", values);
    for at in 0..shape.leaves().len() {
        let leaves: Vec<i64> = (0..shape.leaves().len()).map(|other| i64::from(other == at)).collect();
        let point = bitstride::Tuple::unflatten(&leaves, shape.profile())?;
        steps.add(
            format!("One step along leaf {at} is one along its own coordinate:"),
            format!("crd2idx({point}, {whole})"),
        )?;
    }
    if shape.leaves().is_empty() {
        steps.add("There is one coordinate.", whole)?;
    }
    Ok(())
}

/// `greatest_common_domain(S, T)`: the answer's indices, as coordinates of both shapes.
pub(super) fn common(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (shape_of(a)?, shape_of(b)?);
    let whole = call("greatest_common_domain", values);
    let answer = crate::evaluate(&whole)?.value.as_layout()?;
    for shape in [&a, &b].into_iter().filter(|shape| shape.leaves().iter().any(|extent| extent.is(0))) {
        steps.add(format!("{shape} has no indices."), format!("size({shape})"))?;
    }
    for (extent, stride) in answer.extents().iter().zip(answer.strides()).filter(|(extent, _)| !extent.is(1)) {
        for (which, shape) in [("first", &a), ("second", &b)] {
            let rule =
                format!("Indices go on by {stride}, {extent} of them. In the {which} shape, {shape}, {stride} is:");
            steps.add(rule, format!("idx2crd({stride}, {shape})"))?;
        }
    }
    steps.add("These are the indices whose steps carry in neither:", whole)?;
    Ok(())
}
