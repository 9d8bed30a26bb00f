//! `docs/differences.md`: the rules as a page, with how many rows each covers.

use super::judge::{Kind, State};
use super::rules::{Leaves, RULES};
use super::run::Run;
use super::xla;

/// The page below the checkout.
pub(crate) const PATH: &str = "docs/differences.md";

const HEAD: &str = "\
# Where other systems answer differently

This page is written by `cargo xtask vectors --write-docs`; a test fails when it is out of date.

`testdata/` holds recorded answers of other systems: `cpp` is CuTe in C++, `dsl` the CuTe DSL, `nv` NVIDIA's Python
implementation of the CuTe paper (`nv_recast` its recast), `pycute` the Python port inside CUTLASS, `tl` Meta's
tensor-layouts, `triton` Triton 3.9, `xla` the XLA of early 2026, `value` what a document states. Every row on which a system and this library differ
is covered by a line below, and is tried by enumeration each time the vectors run: a line says of what kind its rows are,
and holds of every one of them.

";

const TILES: &str = "\
The functions are XLA's own. The law is the definition of tiled layouts: where each element lies, and how much is padding.
Each answer was computed again in the way described here, so that a row is covered only where that is what XLA does.

";

fn meaning(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::BreaksLaw => ("breaks the law", "its answer breaks the law of the operation, ours holds it"),
        Kind::Rejects => ("rejects", "it rejects the question; our answer holds the law"),
        Kind::Convention => ("convention", "both answers hold the law, and differ in what the law leaves open"),
        Kind::AcceptsUnlawful => (
            "answers unlawfully",
            "we refuse, since no lawful answer exists or its integers do not settle one; its answer breaks the law",
        ),
        Kind::Declines => ("we decline", "we refuse a question that this library does not answer yet"),
    }
}

/// What the table of shardings needs to be read.
const DEVICES: &str = "A tensor is spread over devices. Each thing that a row states is judged by itself; the column of our answer \
                       has all of them.\n\n";

/// The page for a run over all of `testdata/`.
pub(crate) fn page(run: &Run<'_>) -> String {
    let mut out = HEAD.to_owned();
    out += "| kind | means |\n|---|---|\n";
    for kind in [Kind::BreaksLaw, Kind::Rejects, Kind::AcceptsUnlawful, Kind::Convention, Kind::Declines] {
        let (name, means) = meaning(kind);
        out += &format!("| {name} | {means} |\n");
    }
    let sections = [
        (Leaves::Static, "Static integers", ""),
        (Leaves::Dynamic, "Dynamic integers", "In the examples `_5` is static and `5` dynamic.\n\n"),
        (
            Leaves::Unknown,
            "Unknown integers",
            "In the examples `?` is an unknown integer, `?{div=8}` one that 8 divides.\n\n",
        ),
        (Leaves::Bits, "Linear layouts", ""),
        (Leaves::Tiles, "Tiled arrays", TILES),
        (Leaves::Machine, "Hardware", ""),
        (Leaves::Devices, "Devices", DEVICES),
    ];
    for (leaves, title, note) in sections {
        out += &format!(
            "\n## {title}\n\n{note}| operation | system | kind | what it does | rows | example | its answer | ours |\n"
        );
        out += "|---|---|---|---|---|---|---|---|\n";
        for (at, rule) in RULES.iter().enumerate().filter(|(_, rule)| rule.leaves == leaves) {
            let covered =
                |state: &State| matches!(state, State::Documented(uses) if uses.iter().any(|(_, used)| *used == at));
            let mut rows = run.verdicts.iter().filter(|(_, verdict)| covered(&verdict.state)).peekable();
            let example = rows.peek().map_or_else(
                || ["", "", ""].map(str::to_owned),
                |(row, verdict)| {
                    let system = match &verdict.state {
                        State::Documented(uses) => uses.iter().find(|(_, used)| *used == at).map(|(system, _)| *system),
                        _ => None,
                    };
                    if let Some(judged) = system.and_then(|system| xla::judged(row, system)) {
                        return [judged.asked, judged.theirs, judged.ours];
                    }
                    let theirs =
                        row.answers.iter().find(|(name, _)| Some(*name) == system).map(|(_, theirs)| theirs.as_str());
                    [
                        format!("{}({})", row.op, row.operands.join(", ")),
                        theirs.unwrap_or_default().to_owned(),
                        verdict.ours.text(),
                    ]
                },
            );
            let [asked, theirs, ours] = example.map(|text| code(&text));
            let list = |names: &[&str]| names.iter().map(|name| named(name)).collect::<Vec<_>>().join(", ");
            out += &format!(
                "| {} | {} | {} | {} | {} | {asked} | {theirs} | {ours} |\n",
                list(rule.ops),
                list(rule.systems),
                meaning(rule.kind).0,
                rule.reason,
                rows.count(),
            );
        }
    }
    out
}

/// The name of an operation or a system; rows are recorded under names that are not those of our operations.
fn named(name: &str) -> String {
    match name {
        "composition_by" => "`composition` by a tiler".to_owned(),
        "coalesce_by" => "`coalesce` by a profile".to_owned(),
        "complement0" => "`complement` without a target".to_owned(),
        "complement_of_coordinates" => "`complement` of coordinates".to_owned(),
        "tile_to_shape_ord" => "`tile_to_shape` in an order".to_owned(),
        "sw_up" => "`upcast` of a swizzled layout".to_owned(),
        "sw_down" => "`downcast` of a swizzled layout".to_owned(),
        "sw_inv" => "`right_inverse` of a swizzled layout".to_owned(),
        "document" => "a document".to_owned(),
        "swizzled_shared" => "layout of `swizzled_shared`".to_owned(),
        name => format!("`{name}`"),
    }
}

/// Code in a cell of a table; long lists of offsets are cut.
fn code(text: &str) -> String {
    const LONGEST: usize = 90;
    let short: String = text.chars().take(LONGEST).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("`{}{dots}`", short.replace('|', "\\|"))
}
