//! Which modules of a crate use which, read from `use` declarations and paths.
//!
//! A name that a module re-exports (`pub use`) is followed to the module that defines it, so that a re-export is no
//! dependency of its own. Law: the graph has an edge from a module to another exactly if code of the first names an item
//! that the second defines.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{code, files};

/// The modules of a crate with what each uses. A module is its path, as `map::compare`; the root is the empty path.
pub(super) struct Graph {
    pub(super) uses: BTreeMap<String, BTreeSet<String>>,
}

struct Module {
    code: String,
    /// What it re-exports: the name and the path it stands for.
    exports: BTreeMap<String, Vec<String>>,
    /// The paths that it names itself.
    paths: BTreeSet<Vec<String>>,
}

/// Longest chain of re-exports that is followed.
const MAX_EXPORTS: usize = 16;

impl Graph {
    /// The graph of the crate whose sources are in a folder of the workspace.
    pub(super) fn of(folder: &str) -> Graph {
        let mut modules: BTreeMap<String, Module> = BTreeMap::new();
        for (file, text) in files(folder) {
            let path = file.trim_end_matches(".rs").replace('/', "::");
            let path = path.strip_suffix("::mod").unwrap_or(&path);
            let path = if path == "lib" { "" } else { path };
            modules.insert(path.to_owned(), Module::read(&code(&text)));
        }
        // A file that only tests include is not declared in their absence.
        let declared = |path: &str| {
            let (parent, name) = path.rsplit_once("::").unwrap_or(("", path));
            path.is_empty() || modules.get(parent).is_some_and(|parent| parent.code.contains(&format!("mod {name};")))
        };
        let known: BTreeSet<String> = modules.keys().filter(|path| declared(path)).cloned().collect();
        let mut uses = BTreeMap::new();
        for path in &known {
            let Some(module) = modules.get(path) else { continue };
            let targets = module.paths.iter().filter_map(|named| target(&modules, &known, path, named, 0));
            uses.insert(path.clone(), targets.filter(|target| target != path).collect());
        }
        Graph { uses }
    }

    /// The graph between the modules right below the root; what the root itself uses is left out where it only re-exports.
    pub(super) fn families(&self) -> Graph {
        let top = |path: &str| path.split("::").next().unwrap_or_default().to_owned();
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, targets) in &self.uses {
            let entry = uses.entry(top(from)).or_default();
            entry.extend(targets.iter().map(|to| top(to)).filter(|to| *to != top(from)));
        }
        Graph { uses }
    }

    /// The graph between the files of one family, without the file that gathers it.
    pub(super) fn within(&self, family: &str) -> Graph {
        let inside = |path: &String| path.strip_prefix(family).is_some_and(|rest| rest.starts_with("::"));
        let kept = self.uses.iter().filter(|(from, _)| inside(from));
        let uses = kept.map(|(from, to)| (from.clone(), to.iter().filter(|to| inside(to)).cloned().collect()));
        Graph { uses: uses.collect() }
    }

    /// What a module uses, directly or through others.
    pub(super) fn closure(&self, from: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut left = vec![from.to_owned()];
        while let Some(next) = left.pop() {
            for to in self.uses.get(&next).into_iter().flatten() {
                if reached.insert(to.clone()) {
                    left.push(to.clone());
                }
            }
        }
        reached
    }

    /// The sets of modules that use each other, each in order; none in a crate without cycles.
    pub(super) fn cycles(&self) -> Vec<Vec<String>> {
        let reached: BTreeMap<&String, BTreeSet<String>> =
            self.uses.keys().map(|path| (path, self.closure(path))).collect();
        let mut seen = BTreeSet::new();
        let mut cycles = Vec::new();
        for (path, forward) in &reached {
            let back = |other: &&String| reached.get(other).is_some_and(|of_other| of_other.contains(*path));
            let cycle: Vec<String> = forward.iter().filter(back).cloned().collect();
            if cycle.len() > 1 && seen.insert(cycle.clone()) {
                cycles.push(cycle);
            }
        }
        cycles
    }
}

impl Module {
    fn read(code: &str) -> Module {
        let mut module = Module { code: code.to_owned(), exports: BTreeMap::new(), paths: BTreeSet::new() };
        let mut rest = code;
        let mut outside = String::new();
        while let Some(at) = declaration(rest) {
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let end = from.find(';').unwrap_or(from.len());
            let line = before.rsplit('\n').next().unwrap_or_default();
            outside.push_str(before);
            let list: String = from.get(3..end).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
            for (path, name) in expanded("", &list) {
                match line.trim_start().starts_with("pub") {
                    true => _ = module.exports.insert(name, path),
                    false => _ = module.paths.insert(path),
                }
            }
            rest = from.get(end..).unwrap_or_default();
        }
        outside.push_str(rest);
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for word in outside.split(|c| !is_path(c)).filter(|word| word.contains("::")) {
            module.paths.insert(word.split("::").map(str::to_owned).collect());
        }
        module
    }
}

/// Where the next `use` declaration starts.
fn declaration(code: &str) -> Option<usize> {
    code.match_indices("use ").map(|(at, _)| at).find(|at| {
        let before = code.get(..*at).unwrap_or_default();
        before.is_empty() || before.ends_with(['\n', ' ', '\t']) && !before.trim_end().ends_with(['=', '(', ','])
    })
}

/// The paths of a `use` list, each with the name it gets.
fn expanded(prefix: &str, list: &str) -> Vec<(Vec<String>, String)> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    let mut paths = Vec::new();
    for part in parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        if let Some((before, inside)) = part.split_once('{') {
            let inside = inside.strip_suffix('}').unwrap_or(inside);
            paths.extend(expanded(&format!("{prefix}{before}"), inside));
            continue;
        }
        let (path, alias) = part.split_once(" as ").unwrap_or((part, ""));
        let path: Vec<String> = format!("{prefix}{path}").split("::").map(|word| word.trim().to_owned()).collect();
        let path: Vec<String> = path.into_iter().filter(|word| word != "self" || prefix.is_empty()).collect();
        let name = if alias.is_empty() { path.last().cloned().unwrap_or_default() } else { alias.trim().to_owned() };
        paths.push((path, name));
    }
    paths
}

/// The module that defines what a path names, as a module names it; none for other crates and local names.
fn target(
    modules: &BTreeMap<String, Module>,
    known: &BTreeSet<String>,
    from: &str,
    path: &[String],
    depth: usize,
) -> Option<String> {
    let child = |of: &str, name: &str| if of.is_empty() { name.to_owned() } else { format!("{of}::{name}") };
    let parent = |of: &str| of.rsplit_once("::").map_or(String::new(), |(parent, _)| parent.to_owned());
    let (first, mut rest) = path.split_first()?;
    let mut at = match first.as_str() {
        "crate" => String::new(),
        "self" => from.to_owned(),
        "super" => parent(from),
        name if known.contains(&child(from, name)) => child(from, name),
        _ => return None,
    };
    while let [next, tail @ ..] = rest {
        if next == "super" {
            at = parent(&at);
        } else if known.contains(&child(&at, next)) {
            at = child(&at, next);
        } else {
            let export = modules.get(&at).and_then(|module| module.exports.get(next));
            return match export {
                Some(export) if depth < MAX_EXPORTS => target(modules, known, &at, export, depth + 1),
                _ => Some(at),
            };
        }
        rest = tail;
    }
    Some(at)
}
