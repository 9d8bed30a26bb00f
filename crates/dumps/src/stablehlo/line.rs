//! Where in a line of StableHLO types and shardings stand.
//!
//! This finds texts and reads none: what they say is read by `bitstride`.

use crate::scan::{Brackets, balanced};

/// A value or a result of a function: its name, where it has one, its type, and what stands behind the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Typed<'t> {
    pub(super) name: &'t str,
    pub(super) ty: &'t str,
    pub(super) attributes: &'t str,
}

/// The entries of a list with commas between, up to the bracket that closes it: `%a: tensor<4xf32> {…}, tensor<8xf32>`. A list
/// in round brackets of its own may be followed by more.
pub(super) fn typed(text: &str) -> Vec<Typed<'_>> {
    let text = text.trim_start();
    let inside = match balanced(text, Brackets::All).filter(|_| text.starts_with('(')) {
        Some((list, _)) => list.get(1..list.len() - 1).unwrap_or_default(),
        None => text,
    };
    let mut all = Vec::new();
    let mut rest = inside.trim_start();
    while !rest.is_empty() {
        let named = rest.split_once(':').map(|(name, behind)| (name.trim_end(), behind.trim_start()));
        // `%0:2 = …` are two results.
        let is_named =
            |(name, behind): &(&str, &str)| is_name(name) && !behind.starts_with(|c: char| c.is_ascii_digit());
        let (name, behind) = named.filter(is_named).unwrap_or(("", rest));
        let (ty, after) = first_type(behind);
        let (attributes, following) = after.split_at_checked(entry(after)).unwrap_or((after, ""));
        if ty.is_empty() {
            break;
        }
        all.push(Typed { name, ty, attributes: attributes.trim() });
        rest = following.strip_prefix(',').unwrap_or_default().trim_start();
    }
    all
}

/// The arguments on a line that has nothing else, as functions written by hand have them: `%a: tensor<4xf32>,`.
pub(super) fn argument_line(line: &str) -> Vec<Typed<'_>> {
    let is_argument = line.trim_start().starts_with('%');
    let arguments = if is_argument { typed(line) } else { Vec::new() };
    arguments.into_iter().filter(|one| !one.name.is_empty()).collect()
}

/// Whether a text is the name of a value: `%arg0`, `%0#1`.
fn is_name(text: &str) -> bool {
    text.strip_prefix('%').is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || "_$.-#".contains(c)))
}

/// The type that begins a text, and what follows: up to white space, a comma or a bracket that is not its own.
fn first_type(text: &str) -> (&str, &str) {
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match c {
            '<' => match text.get(at..).and_then(|rest| balanced(rest, Brackets::All)) {
                Some((own, _)) => at += own.len(),
                None => break,
            },
            ',' | ')' | '{' | '(' => break,
            c if c.is_whitespace() => break,
            c => at += c.len_utf8(),
        }
    }
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// How many bytes an entry of a list still has: up to the comma behind it, or to the end.
fn entry(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at += match c {
            ',' | ')' => return at,
            '<' | '{' | '[' | '(' | '"' => match text.get(at..).and_then(|rest| passed(rest, c)) {
                Some(length) => length,
                None => return text.len(),
            },
            c => c.len_utf8(),
        };
    }
    at
}

/// How long what a bracket or a quote encloses is.
fn passed(text: &str, open: char) -> Option<usize> {
    match open {
        '"' => quoted(text).map(|(own, _)| own.len() + 2),
        _ => balanced(text, Brackets::All).map(|(own, _)| own.len()),
    }
}

/// What stands between the quotes at the start of a text, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.find(|c| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    })?;
    Some((inside.get(..end)?, inside.get(end + 1..)?))
}

/// The types of the results of an operation: behind its last arrow, or behind its last colon.
pub(super) fn results(line: &str) -> Vec<&str> {
    // The colon may stand at once behind the attributes.
    let colon = line.rfind(" : ").max(line.rfind("}: "));
    let types = match (line.rfind(" -> "), colon) {
        (Some(arrow), colon) if colon.is_none_or(|colon| colon < arrow) => line.get(arrow + " -> ".len()..),
        (_, colon) => colon.and_then(|colon| line.get(colon + " : ".len()..)),
    };
    let types = typed(types.unwrap_or_default()).into_iter().map(|one| one.ty);
    // Behind the last colon may stand something else, such as a key of a dictionary.
    types.filter(|ty| ty.starts_with('!') || ty.contains('<')).collect()
}

/// The arguments of regions and blocks that a line declares: `^bb0(%a: tensor<4xf32>, …):`, or behind an operation.
pub(super) fn arguments(line: &str) -> Vec<Typed<'_>> {
    let lists = line.match_indices("(%").filter_map(|(at, _)| line.get(at..));
    lists.flat_map(typed).filter(|one| !one.name.is_empty()).collect()
}

/// The arguments and the results of a function, behind its name.
pub(super) fn signature(text: &str) -> (Vec<Typed<'_>>, Vec<Typed<'_>>) {
    let list = text.find('(').and_then(|at| text.get(at..));
    let Some((arguments, rest)) = list.and_then(|list| balanced(list, Brackets::All)) else {
        return (Vec::new(), Vec::new());
    };
    let results = rest.trim_start().strip_prefix("->").map(typed).unwrap_or_default();
    (typed(arguments), results)
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

/// The shardings that an operation says of its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// One for each, in order.
    Each(Vec<String>),
    /// One of XLA for all, however many they are.
    All(String),
}

impl Said {
    pub(super) fn nothing() -> Self {
        Said::Each(Vec::new())
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Said::Each(all) if all.is_empty())
    }
}

/// The shardings that an operation says of its results.
pub(super) fn shardings(line: &str) -> Said {
    match attribute(line, "sdy.sharding").and_then(|rest| rest.strip_prefix("#sdy.sharding_per_value<")) {
        Some(list) => Said::Each(listed(list)),
        None => of_xla(line).map_or_else(Said::nothing, |text| parts(&text)),
    }
}

/// A line in which texts within texts stand as they would in a later pass: `xla.sdy.sharding = "#sdy.sharding<@m, [{\22x\22}]>"`
/// as `sdy.sharding = #sdy.sharding<@m, [{"x"}]>`, and lists such as `xla.sdy.in_shardings = "#sdy.sharding_per_value<[…]>"` as
/// `in_shardings=[…]`. Nothing where there are none.
pub(super) fn unwrapped(line: &str) -> Option<String> {
    const PREFIX: &str = "xla.sdy.";
    const SUFFIX: &str = "sharding";
    let (mut text, mut rest, mut found) = (String::new(), line, false);
    while let Some(at) = rest.find(PREFIX) {
        let (before, own) = rest.split_at_checked(at)?;
        text += before;
        let name = own.get(PREFIX.len()..)?;
        let name = name.get(..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len()))?;
        let value = own.get(PREFIX.len() + name.len()..)?.trim_start().strip_prefix('=').map(str::trim_start);
        let Some((value, after)) = value.filter(|_| name.contains(SUFFIX)).and_then(quoted) else {
            text += PREFIX;
            rest = own.get(PREFIX.len()..)?;
            continue;
        };
        let value = unescaped(value);
        text += &match value.strip_prefix("#sdy.sharding_per_value<").filter(|_| name != SUFFIX) {
            Some(list) => format!("{name}={}", list.trim_end_matches('>')),
            None => format!("sdy.{name} = {value}"),
        };
        found = true;
        rest = after;
    }
    found.then(|| text + rest)
}

/// The text that MLIR or XLA puts in quotes, with its own quotes again.
fn unescaped(text: &str) -> String {
    text.replace("\\22", "\"").replace("\\\"", "\"")
}

/// The meshes that a module has as a text: `xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"`, each with its name.
pub(super) fn meshes(line: &str) -> Vec<(String, String)> {
    let value = attribute(line, "xla.sdy.meshes").and_then(quoted).map(|(value, _)| unescaped(value));
    let value = value.unwrap_or_default();
    let mut all = Vec::new();
    for (at, mark) in value.match_indices("#sdy.mesh") {
        let name = value.get(..at).and_then(|before| before.trim_end().strip_suffix('='));
        let name = name.and_then(|before| before.rsplit(['{', ',']).next()).map(|name| name.trim().trim_matches('"'));
        let axes = value.get(at + mark.len()..).and_then(|rest| balanced(rest, Brackets::All));
        if let (Some(name), Some((axes, _))) = (name, axes) {
            all.push((format!("@{name}"), axes.to_owned()));
        }
    }
    all
}

/// Along which axes an operation of Shardy combines summands, `{"x"}` or `[{"x"}, {}]`, and by which operation, which is a sum
/// where none is said.
pub(super) fn reduced(after: &str) -> Option<(&str, &str)> {
    let after = after.trim_start();
    let open = after.find(['{', '['])?;
    let (operation, rest) = after.split_at_checked(open)?;
    let (axes, _) = balanced(rest, Brackets::All)?;
    Some((axes, operation.trim()))
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
fn parts(text: &str) -> Said {
    let mut rest = match text.trim_start().strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with('{') => rest,
        _ => return Said::All(text.to_owned()),
    };
    let mut all = Vec::new();
    while let Some((own, after)) = rest.find('{').and_then(|at| balanced(rest.get(at..)?, Brackets::NotAngle)) {
        all.push(own.to_owned());
        rest = after;
    }
    Said::Each(all)
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
        let each = |all: &[&str]| Said::Each(all.iter().map(|own| (*own).to_owned()).collect());
        assert_eq!(xla("{{replicated}, {devices=[2]<=[2]}}"), each(&["{replicated}", "{devices=[2]<=[2]}"]));
        assert_eq!(xla("{devices=[2]<=[2]}"), Said::All("{devices=[2]<=[2]}".to_owned()));
        let line = r#"%0:2 = a.b %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{}]>]>} : (tensor<2xf32>) -> (tensor<4xf32>, tensor<8xcomplex<f32>>)"#;
        assert_eq!(results(line), ["tensor<4xf32>", "tensor<8xcomplex<f32>>"]);
        assert_eq!(shardings(line), each(&[r#"#sdy.sharding<@m, [{"x"}]>"#, "#sdy.sharding<@m, [{}]>"]));
        assert_eq!(results("%0 = a.b %x {r = #r<([i])->([i])>} : tensor<4xf32>"), ["tensor<4xf32>"]);
        assert_eq!(results("%0:2 = a.b %x : (!a.token) -> (tensor<4xf32>, !a.token)"), ["tensor<4xf32>", "!a.token"]);
        let line = r##"%0 = a.b(%x) {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@m, [{\22x\22}]>]>", xla.sdy.axes = "no"}"##;
        let said = unwrapped(line).unwrap_or_default();
        assert_eq!(named(&said, "in_shardings"), [r#"#sdy.sharding<@m, [{"x"}]>"#]);
        let line = r##"module @a attributes {xla.sdy.meshes = "{m = #sdy.mesh<[\"x\"=2]>}"} {"##;
        assert_eq!(meshes(line), [("@m".to_owned(), r#"<["x"=2]>"#.to_owned())]);
        assert_eq!(reduced(r#" max {"x"} %0 out_sharding=<@m, [{}]>"#), Some((r#"{"x"}"#, "max")));
        let line = r#" public @f(%a: tensor<4xf32> {s = "a)"} loc("x"), %b: !a.b) -> (tensor<4xf32> {r}, !a.b) {"#;
        let (taken, made) = signature(line);
        let of = |all: &[Typed<'static>]| all.iter().map(|one| (one.name, one.ty)).collect::<Vec<_>>();
        assert_eq!(of(&taken), [("%a", "tensor<4xf32>"), ("%b", "!a.b")]);
        assert_eq!(of(&made), [("", "tensor<4xf32>"), ("", "!a.b")]);
        assert_eq!(argument_line("  %0:2 = a.b %x : tensor<4xf32>"), []);
        assert_eq!(of(&argument_line("  %a : tensor<4xf32> {s},")), [("%a", "tensor<4xf32>")]);
        assert_eq!(of(&arguments("} do ^bb0(%a: tensor<4xf32>, %b: tensor<f32>):")).len(), 2);
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
