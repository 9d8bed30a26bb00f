//! StableHLO: a value with the sharding that its program gives it.
//!
//! | text | reads as |
//! |---|---|
//! | `%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}` below `sdy.mesh @mesh = <["a"=2]>` | `shard(tensor<8x6xf32>, #sdy.sharding<@mesh, …>, sdy.mesh @mesh = <["a"=2]>)` |
//! | `%1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<8x6xf32>` | the same |
//! | `%2 = stablehlo.add %0, %1 {mhlo.sharding = "{devices=[2,1]<=[2]}"} : tensor<8x6xf32>` | `shard(tensor<8x6xf32>, {devices=[2,1]<=[2]})` |
//!
//! Law: the type is that before the attributes of an argument, else the last one of the line, which is the result's.

use super::Dialect;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// How a line begins that may give a value a sharding.
const STARTS: [&str; 4] = ["%", "tensor<", "sdy.", "func.func"];

impl Cursor<'_> {
    /// Reads a text that is such a value, perhaps below lines of meshes; `None` where it is something else.
    pub(in crate::notation) fn sharded_value(&mut self) -> Result<Option<Expr>> {
        let text = self.text();
        let (mut meshes, mut value) = (Vec::new(), None);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
            match line.strip_prefix("sdy.mesh ") {
                Some(mesh) => meshes.push(mesh.trim_start()),
                // A second line is another text.
                None if value.is_some() => return Ok(None),
                None => value = Some(line),
            }
        }
        let Some(value) = value.filter(|line| STARTS.iter().any(|start| line.starts_with(start))) else {
            return Ok(None);
        };
        let shardings = shardings(value);
        let (at, sharding) = match shardings.as_slice() {
            [] => return Ok(None),
            [one] => one,
            several => {
                let message = format!("{} shardings are on this line, and a value has one", several.len());
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, Span::new(0, text.len()), message).with_help(
                    "write one value, as in `%arg0: tensor<8x6xf32> {sdy.sharding = …}`; `bitstride FILE` reads a whole program",
                ));
            }
        };
        let Some(tensor) = tensor(value, *at) else { return Ok(None) };
        let named = |mesh: &&&str| {
            let name = mesh.split(['=', ' ']).next().unwrap_or_default();
            sharding.contains(&format!("{name},"))
        };
        let mesh = meshes.iter().rev().find(named).and_then(|mesh| mesh.split_once('<'));
        let mesh = mesh.and_then(|(name, axes)| Some(format!(", sdy.mesh {name}<{}", angles(axes, 1)?)));
        let shard = format!("shard({tensor}, {sharding}{})", mesh.unwrap_or_default());
        let start = text.len().saturating_sub(text.trim_start().len());
        let tree = self.read_elsewhere(ExprKind::Shard(shard), Span::new(start, start), text.len())?;
        self.skip_to(text.len());
        self.spelled(Dialect::Mlir);
        Ok(Some(tree))
    }
}

/// The shardings on a line, each with its place.
fn shardings(line: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    let shardy = |at: usize| Some(format!("#sdy.sharding{}", angles(line.get(at..)?, 0)?));
    for (at, mark) in line.match_indices("#sdy.sharding<") {
        all.extend(shardy(at + mark.len() - 1).map(|own| (at, own)));
    }
    for (at, mark) in line.match_indices("#sdy.sharding_per_value<[") {
        let list = line.get(at + mark.len()..).and_then(|rest| rest.split_once("]>]>").or(rest.split_once("]>")));
        let end = at + mark.len() + list.map_or(0, |(own, _)| own.len());
        for (own, _) in line.match_indices("<@").chain(line.match_indices("<mesh<")) {
            if (at + mark.len()..=end).contains(&own) {
                all.extend(shardy(own).map(|text| (at, text)));
            }
        }
    }
    if all.is_empty() && line.contains("sdy.") {
        all.extend(line.find("<@").and_then(|at| Some((at, shardy(at)?))));
    }
    if all.is_empty() {
        let xla = line.match_indices("mhlo.sharding").filter_map(|(at, mark)| {
            let value = line.get(at + mark.len()..)?.trim_start().strip_prefix('=')?.trim_start();
            Some((at, value.strip_prefix('"')?.split_once('"')?.0.to_owned()))
        });
        all.extend(xla);
    }
    all
}

/// The type of the value whose sharding stands at a place.
fn tensor(line: &str, at: usize) -> Option<&str> {
    const TENSOR: &str = "tensor";
    let before = line.get(..at)?;
    let own = before.rfind("tensor<").and_then(|start| {
        let own = angles(before.get(start + TENSOR.len()..)?, 0)?;
        let end = start + TENSOR.len() + own.len();
        before.get(end..)?.trim_start().starts_with('{').then_some((start, end))
    });
    let (start, end) = match own {
        Some(found) => found,
        None => {
            let start = at + line.get(at..)?.rfind("tensor<")?;
            let results = line.get(at..)?.rsplit_once("->").map_or("", |(_, results)| results);
            if results.matches("tensor<").count() > 1 {
                return None;
            }
            (start, start + TENSOR.len() + angles(line.get(start + TENSOR.len()..)?, 0)?.len())
        }
    };
    line.get(start..end)
}

/// What stands in angle brackets at the start of a text, of which `open` are open already; with them.
fn angles(text: &str, open: usize) -> Option<&str> {
    let mut depth = open;
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '<' => depth += 1,
            '>' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
