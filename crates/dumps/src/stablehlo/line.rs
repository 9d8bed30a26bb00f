//! Where in a line of StableHLO types and shardings stand.
//!
//! This finds texts and reads none: what they say is read by `bitstride`.

use crate::scan::{Brackets, balanced};

/// The types in a text, with what follows each: tensors alone, since nothing else has shards.
pub(super) fn tensors(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find("tensor<")?;
        let before = text.get(..at)?;
        let (angles, after) = balanced(text.get(at + "tensor".len()..)?, Brackets::All)?;
        let end = at + "tensor".len() + angles.len();
        from = end;
        Some((before, text.get(at..end)?, after))
    })
}

/// The types of the results of an operation: behind its last arrow, or behind its last colon.
pub(super) fn results(line: &str) -> Vec<&str> {
    let types = match (line.rfind(" -> "), line.rfind(" : ")) {
        (Some(arrow), colon) if colon.is_none_or(|colon| colon < arrow) => line.get(arrow..),
        (_, colon) => colon.and_then(|colon| line.get(colon..)),
    };
    tensors(types.unwrap_or_default()).map(|(_, tensor, _)| tensor).collect()
}

/// What follows the name of an attribute and ` = `; `xla.sdy.sharding` is another name than `sdy.sharding`.
fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    text.match_indices(name).find_map(|(at, _)| {
        let rest = text.get(at + name.len()..)?.trim_start().strip_prefix('=')?;
        (!text.get(..at)?.ends_with(is_inside)).then(|| rest.trim_start())
    })
}

/// The sharding that an attribute of one value says: Shardy's, or else the text of XLA.
pub(super) fn sharding(attributes: &str) -> Option<String> {
    let shardy = attribute(attributes, "sdy.sharding").and_then(|rest| rest.strip_prefix("#sdy.sharding"));
    match shardy.filter(|rest| rest.starts_with('<')) {
        Some(rest) => balanced(rest, Brackets::All).map(|(own, _)| of_shardy(own)),
        None => of_xla(attributes),
    }
}

/// The shardings that an operation says of its results, in order.
pub(super) fn shardings(line: &str) -> Vec<String> {
    match attribute(line, "sdy.sharding").and_then(|rest| rest.strip_prefix("#sdy.sharding_per_value<")) {
        Some(list) => listed(list),
        None => of_xla(line).map_or_else(Vec::new, |text| parts(&text)),
    }
}

/// The shardings in a list of a named attribute: `in_shardings=[<@mesh, …>, …]`.
pub(super) fn named(line: &str, name: &str) -> Vec<String> {
    attribute(line, name).map(listed).unwrap_or_default()
}

/// The sharding that an operation of Shardy gives its one result: behind its operand, or behind `out_sharding=`.
pub(super) fn given(after: &str) -> Option<String> {
    let rest = match attribute(after, "out_sharding") {
        Some(rest) => rest,
        None => after.get(after.find('<')?..).filter(|_| after.trim_start().starts_with('%'))?,
    };
    balanced(rest.get(rest.find("<@").or_else(|| rest.find("<mesh"))?..)?, Brackets::All).map(|(own, _)| of_shardy(own))
}

/// `#sdy.sharding<…>` of what stands in its angles.
fn of_shardy(angles: &str) -> String {
    format!("#sdy.sharding{angles}")
}

/// The text of XLA, without its quotes.
fn of_xla(text: &str) -> Option<String> {
    let quoted = attribute(text, "mhlo.sharding")?.strip_prefix('"')?;
    quoted.split_once('"').map(|(own, _)| own.to_owned())
}

/// The shardings in a text of XLA: several in braces of their own, `{{replicated}, {devices=[2]<=[2]}}`, or one.
fn parts(text: &str) -> Vec<String> {
    let mut rest = match text.trim_start().strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with('{') => rest,
        _ => return vec![text.to_owned()],
    };
    let mut all = Vec::new();
    while let Some((own, after)) = rest.find('{').and_then(|at| balanced(rest.get(at..)?, Brackets::NotAngle)) {
        all.push(own.to_owned());
        rest = after;
    }
    all
}

/// The shardings in square brackets at the start of a text.
fn listed(text: &str) -> Vec<String> {
    let Some((list, _)) = balanced(text, Brackets::All) else { return Vec::new() };
    let mut rest = list.get(1..).unwrap_or_default();
    let mut all = Vec::new();
    while let Some(at) = rest.find('<') {
        let Some((own, after)) = rest.get(at..).and_then(|own| balanced(own, Brackets::All)) else { break };
        all.push(of_shardy(own));
        rest = after;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_shardings_are_found() {
        let xla = |text| shardings(&format!("%0 = a.b %x {{mhlo.sharding = \"{text}\"}}"));
        assert_eq!(xla("{{replicated}, {devices=[2]<=[2]}}"), ["{replicated}", "{devices=[2]<=[2]}"]);
        assert_eq!(xla("{devices=[2]<=[2]}"), ["{devices=[2]<=[2]}"]);
        let line = r#"%0:2 = a.b %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{}]>]>} : (tensor<2xf32>) -> (tensor<4xf32>, tensor<8xcomplex<f32>>)"#;
        assert_eq!(results(line), ["tensor<4xf32>", "tensor<8xcomplex<f32>>"]);
        assert_eq!(shardings(line), [r#"#sdy.sharding<@m, [{"x"}]>"#, "#sdy.sharding<@m, [{}]>"]);
        assert_eq!(results("%0 = a.b %x {r = #r<([i])->([i])>} : tensor<4xf32>"), ["tensor<4xf32>"]);
        assert_eq!(
            sharding(r#"{xla.sdy.sharding = "no", mhlo.sharding = "{devices=[2]<=[2]}"}"#).as_deref(),
            Some("{devices=[2]<=[2]}")
        );
        assert_eq!(given(r#" %0 <@m, [{"x"}]> : tensor<2xf32>"#).as_deref(), Some(r#"#sdy.sharding<@m, [{"x"}]>"#));
        assert_eq!(
            given(r#" [{"x"}] %0 out_sharding=<@m, [{}]> : tensor<2xf32>"#).as_deref(),
            Some("#sdy.sharding<@m, [{}]>")
        );
        assert_eq!(named(r#"in_shardings=[<@m, [{}]>] out_shardings=[]"#, "in_shardings"), ["#sdy.sharding<@m, [{}]>"]);
    }
}
