//! `cargo xtask sizes`: how large the workspace is in the numbers that say how hard it is to learn, beside the aims.
//!
//! All are read from the sources, by rules that are printed with them: a number that nobody can measure again is no aim.
//! Law: the tests hold the numbers that must not grow.

mod graph;
#[cfg(test)]
mod questions;
mod source;

use std::collections::BTreeMap;
use std::process::ExitCode;

use graph::Graph;
use source::{code, files};

/// The sources of the algebra and of the language.
const CORE: &str = "crates/core/src";
const LANG: &str = "crates/lang/src";

/// What may name an operation beside its entry in the table.
const FRONT_ENDS: [&str; 6] =
    [LANG, "crates/json/src", "crates/draw/src", "crates/cli/src", "crates/python/src", "crates/dumps/src"];

/// A number with its rule and what it should come to.
struct Size {
    name: &'static str,
    rule: &'static str,
    measured: String,
    aim: &'static str,
}

/// Prints the table.
pub(crate) fn main(arguments: &[&str]) -> ExitCode {
    if !arguments.is_empty() {
        eprintln!("usage: cargo xtask sizes");
        return ExitCode::from(2);
    }
    println!("| what | measured | aim | how it is measured |\n|---|---|---|---|");
    for size in sizes() {
        println!("| {} | {} | {} | {} |", size.name, size.measured, size.aim, size.rule);
    }
    ExitCode::SUCCESS
}

fn sizes() -> Vec<Size> {
    let core = Graph::of(CORE);
    let lang = Graph::of(LANG);
    let relayout = Graph::of("crates/relayout/src");
    let (mean, most, name) = places();
    let (meanings, commonest) = meanings();
    let knots = |graph: &Graph| graph.families().cycles().iter().map(Vec::len).collect::<Vec<_>>();
    vec![
        Size {
            name: "places that name an operation",
            rule: "source files of the language and the front ends with its name in quotes, its own entry included",
            measured: format!("{mean:.1} on average, at most {most} (`{name}`)"),
            aim: "1 and its oracle",
        },
        Size {
            name: "files to understand composition / `same` / one relayout",
            rule: "`cute/composition.rs`, `map/verdict.rs`, `relayout/src/plan.rs` and the files of the same folder that each names",
            measured: format!(
                "{} / {} / {}",
                reading(&core, "cute::composition"),
                reading(&core, "map::verdict"),
                reading(&relayout, "plan")
            ),
            aim: "5 / 5 / 6",
        },
        Size {
            name: "lines of product code",
            rule: "lines of core and lang with code, without comments, blank lines and tests",
            measured: format!("{} ({} and {})", lines(CORE) + lines(LANG), lines(CORE), lines(LANG)),
            aim: "about 23000",
        },
        Size {
            name: "cycles between modules",
            rule: "sets of modules below the root that use each other: modules in each, for core / lang",
            measured: format!("{:?} / {:?}", knots(&core), knots(&lang)),
            aim: "none",
        },
        Size {
            name: "cycles between files of a family",
            rule: "sets of files of one folder of core that use each other, methods of one type included",
            measured: core
                .families()
                .uses
                .keys()
                .map(|family| core.within(family).cycles().len())
                .sum::<usize>()
                .to_string(),
            aim: "none but recursive types",
        },
        Size {
            name: "scanners",
            rule: "types of core that hold a text and a position in it",
            measured: scanners().join(", "),
            aim: "1",
        },
        Size {
            name: "meanings of the commonest type name",
            rule: "types of core with the same name",
            measured: format!("{meanings} (`{}`)", commonest.join("`, `")),
            aim: "1",
        },
    ]
}

/// How many files have the name of an operation in quotes: on average, at most, and the name with most.
fn places() -> (f64, usize, &'static str) {
    let texts: Vec<String> =
        FRONT_ENDS.iter().flat_map(|folder| files(folder)).map(|(_, text)| without_comments(&text)).collect();
    let mut counts = Vec::new();
    for operation in bitstride_lang::operations() {
        let quoted = format!("\"{}\"", operation.name);
        counts.push((texts.iter().filter(|text| text.contains(&quoted)).count(), operation.name));
    }
    let total: u32 = counts.iter().filter_map(|(count, _)| u32::try_from(*count).ok()).sum();
    let mean = f64::from(total) / f64::from(u32::try_from(counts.len()).unwrap_or(1).max(1));
    let (most, name) = counts.iter().max().copied().unwrap_or_default();
    (mean, most, name)
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// A module and the files of its folder that it names, counted.
fn reading(graph: &Graph, module: &str) -> usize {
    let folder = |path: &str| path.rsplit_once("::").map_or(String::new(), |(folder, _)| folder.to_owned());
    let named = graph.uses.get(module).into_iter().flatten();
    1 + named.filter(|path| !path.is_empty() && folder(path) == folder(module)).count()
}

fn lines(folder: &str) -> usize {
    let count = |text: String| code(&text).lines().filter(|line| !line.trim().is_empty()).count();
    files(folder).into_iter().map(|(_, text)| count(text)).sum()
}

/// The types of core with what starts after their names.
fn types() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (file, text) in files(CORE) {
        let code = code(&text);
        for keyword in ["struct ", "enum "] {
            for (at, _) in code.match_indices(keyword) {
                let starts =
                    code.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(['\n', ' ', ')']));
                let rest = code.get(at + keyword.len()..).unwrap_or_default();
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (name, body) = rest.split_at_checked(length).unwrap_or((rest, ""));
                if starts && name.starts_with(|c: char| c.is_ascii_uppercase()) {
                    let end = body.find('}').unwrap_or(body.len());
                    let folder = file.trim_end_matches(".rs").trim_end_matches("/mod");
                    found.push((format!("{folder}::{name}"), body.get(..end).unwrap_or_default().to_owned()));
                }
            }
        }
    }
    found
}

/// The types that are a place in a text.
fn scanners() -> Vec<String> {
    let has = |body: &str, kind: &str| {
        let is_field = |field: &str| field.split_once(": ").is_some_and(|(_, of)| of == kind || of.ends_with(kind));
        body.split(['{', ',', '\n']).any(|field| is_field(field.trim()))
    };
    let is_text = |body: &str| has(body, " str");
    let is_place = |body: &str| has(body, "usize");
    types().into_iter().filter(|(_, body)| is_text(body) && is_place(body)).map(|(name, _)| name).collect()
}

/// How many types have the commonest names, and those names.
fn meanings() -> (usize, Vec<String>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (path, _) in types() {
        let name = path.rsplit("::").next().unwrap_or_default().to_owned();
        *counts.entry(name).or_default() += 1;
    }
    let most = counts.values().max().copied().unwrap_or_default();
    (most, counts.into_iter().filter(|(_, count)| *count == most).map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_modules_of_core_use_each_other() {
        let graph = Graph::of(CORE);
        assert!(graph.uses.len() > 150, "only {} modules were found", graph.uses.len());
        assert!(graph.families().uses["map"].contains("cute"), "`map` lowers layouts of `cute`");
        assert_eq!(graph.families().cycles(), Vec::<Vec<String>>::new());
    }

    /// The files of one folder that use each other, and why. The list only shrinks.
    const RECURSIVE: [&[&str]; 2] = [
        // The layout of a sparse array had the shape of its values, which is an array.
        &["xla::layout", "xla::shape"],
        // An encoding may be of another one: a slice, an operand, a part.
        &["triton::dot_operand", "triton::encoding", "triton::partitioned_shared", "triton::slice"],
    ];

    #[test]
    fn files_of_core_use_each_other_only_where_types_are_recursive() {
        let core = Graph::of(CORE);
        let families = core.families();
        let cycles: Vec<Vec<String>> = families.uses.keys().flat_map(|family| core.within(family).cycles()).collect();
        let is_listed =
            |cycle: &Vec<String>| RECURSIVE.iter().any(|list| cycle.iter().all(|file| list.contains(&file.as_str())));
        let others: Vec<&Vec<String>> = cycles.iter().filter(|cycle| !is_listed(cycle)).collect();
        assert!(others.is_empty(), "{others:?}");
        // What no longer stands in a cycle leaves the list.
        let untied =
            RECURSIVE.iter().flat_map(|list| list.iter()).find(|file| !cycles.iter().flatten().any(|own| own == *file));
        assert_eq!(untied, None);
    }

    /// A call would carry a vector over memory, and where a crate is built as several units, one of another unit is a call.
    #[test]
    fn functions_of_vectors_are_part_of_the_loops_that_use_them() {
        let mut seen = 0;
        for (file, text) in source::files("crates/relayout/src") {
            let text = source::code(&text);
            for item in text.split("#[target_feature").skip(1) {
                let (attributes, rest) = item.split_once("fn ").unwrap_or_default();
                let signature = rest.split('{').next().unwrap_or_default();
                let before = &text[..text.find(item).unwrap_or_default()];
                let above = before.rsplit_once(['}', ';']).map_or(before, |(_, own)| own);
                let is_said = [attributes, above].iter().any(|own| own.contains("#[inline") || own.contains("#[cold]"));
                if signature.contains("__m") {
                    seen += 1;
                    assert!(is_said, "{file}: fn {signature}takes or gives a vector and is neither inline nor cold");
                }
            }
        }
        assert!(seen > 10, "only {seen} functions of vectors were found");
    }

    #[test]
    fn no_modules_of_lang_use_each_other() {
        let graph = Graph::of(LANG);
        assert!(graph.families().uses["functions"].contains("law"), "the table has the operations of `law`");
        assert_eq!(graph.families().cycles(), Vec::<Vec<String>>::new());
    }

    #[test]
    fn a_cycle_is_found() {
        let uses = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b"]), ("d", vec![])];
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        let graph = Graph { uses: uses.map(|(from, to)| (from.to_owned(), owned(to))).into() };
        assert_eq!(graph.cycles(), [["b", "c"]]);
    }
}
