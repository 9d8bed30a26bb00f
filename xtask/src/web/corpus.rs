//! What the module is asked to compare it with the native code: expressions of every kind, numbers beyond 32 bits, and texts that are
//! no expressions.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use bitstride_lang::operations;
use serde_json::Value as Json;

/// The longest text that is taken from a row.
const MAX_BYTES: usize = 600;

/// How many texts of rows are asked at most.
const MAX_TEXTS: usize = 20_000;

/// Numbers at which machines of 32 and of 64 bits could part.
const EDGES: [&str; 14] = [
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "4294967297",
    "8589934592",
    "1099511627776",
    "9007199254740993",
    "4611686018427387904",
    "9223372036854775807",
    "9223372036854775808",
    "-2147483649",
    "-4294967297",
    "18446744073709551616",
];

/// Where such a number may stand, as `@`.
const FORMS: [&str; 44] = [
    "size((@,2))",
    "(@,2):(1,@)",
    "cosize((2,@):(@,1))",
    "coalesce((@,2):(1,@))",
    "composition(@:1, 4:2)",
    "composition((4,@):(1,4), 8:@)",
    "complement(@:1, 16)",
    "complement(4:@, 1099511627776)",
    "logical_divide(@:1, 4:1)",
    "layout((4,8):(8,1), @)",
    "size[@]((4,8))",
    "select((2,3,5), @, 0)",
    "take((2,3,5,7), 0, @)",
    "take((2,3,5,7), @, 3)",
    "group((2,3,5,7), @, 3)",
    "replace((2,3,5), @, 7)",
    "insert((2,3,5), @, 7)",
    "remove((2,3,5), @)",
    "(4,8):(1@@,1@0)",
    "2@@",
    "cute.E(@)",
    "Sw<@,0,3> o 8:1",
    "Sw<3,@,3> o 8:1",
    "Sw<3,0,@> o 8:1",
    "f32[@,2]{1,0}",
    "f32[2,3]{@,0}",
    "f32[2,3]{1,0:T(@,128)}",
    "bf16[@]{0:T(256)(2,1)}",
    "index_at(f32[3,5]{1,0:T(2,2)}, @)",
    "linear<{offset=[[@]]}, out=[dim0:@]>",
    "identity_1d(@, lane, dim0)",
    "identity_standard_nd(register, (2,4), (@,0))",
    "transpose_outs(identity_1d(4, lane, dim0), (@))",
    "tensor<@xf16, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>",
    "tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [@, 1]}>>",
    "tensor<16x16xf16, #ttg.blocked<{sizePerThread = [@, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>>",
    "tensor<16xf16, #ttg.slice<{dim = @, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>}>>",
    "same((@,2):(1,@), (2,@):(1,2))",
    "coordinates((@,2))",
    "offsets(@:2)",
    "slice((2,3):(1,2), (@,_))",
    "idx2crd(@, (4,@))",
    "recast((8,8):(8,1), @, 32)",
    "i<@: i*2",
];

/// Expressions that are asked in every way: answered, explained and drawn.
pub(super) fn thorough() -> Vec<String> {
    let mut all: Vec<String> = operations().map(|operation| operation.example.to_owned()).collect();
    for form in FORMS {
        // `1@@` is a basis vector of the mode.
        all.extend(EDGES.iter().map(|edge| match form.split_once("@@") {
            Some((before, after)) => format!("{before}@{edge}{after}"),
            None => form.replace('@', edge),
        }));
    }
    all
}

/// Texts of recorded rows, and random ones made of them.
pub(super) fn texts(rows: &Path, random: usize) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    harvest(rows, &mut found)?;
    let mut known = HashSet::new();
    found.retain(|text| known.insert(text.clone()));
    let step = found.len().div_ceil(MAX_TEXTS).max(1);
    let mut all: Vec<String> = found.iter().step_by(step).cloned().collect();
    all.extend(pairs(&found));
    let seeds: Vec<String> = all.iter().cloned().chain(thorough()).collect();
    let mut draw = Draw(20);
    all.extend((0..random).map(|_| mutated(&seeds, &mut draw)));
    Ok(all)
}

/// Every text of every row of a folder.
fn harvest(folder: &Path, found: &mut Vec<String>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries: Vec<_> = fs::read_dir(folder).map_err(failed)?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            harvest(&entry, found)?;
        } else if entry.extension().is_some_and(|extension| extension == "jsonl") {
            let text = fs::read_to_string(&entry).map_err(|error| format!("{}: {error}", entry.display()))?;
            let rows = text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
            rows.for_each(|row| strings(&row, found));
        }
    }
    Ok(())
}

fn strings(row: &Json, found: &mut Vec<String>) {
    match row {
        Json::String(text) if text.len() <= MAX_BYTES => found.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Json::Object(members) => members.values().for_each(|member| strings(member, found)),
        _ => {}
    }
}

/// Operations of two layouts, of neighbouring texts that are some.
fn pairs(texts: &[String]) -> Vec<String> {
    let layouts: Vec<&String> = texts.iter().filter(|text| text.contains("):(") && text.len() < 80).collect();
    let names = ["composition", "logical_divide", "logical_product", "same", "max_common_layout"];
    let pairs = layouts.windows(2).step_by(layouts.len().div_ceil(2000).max(1)).zip(names.iter().cycle());
    pairs.filter_map(|(pair, name)| Some(format!("{name}({}, {})", pair.first()?, pair.last()?))).collect()
}

/// A text with a part left out, doubled, or replaced by a part of another.
fn mutated(seeds: &[String], draw: &mut Draw) -> String {
    let mut pick =
        || seeds.get(draw.below(seeds.len())).map(|text| text.chars().collect::<Vec<_>>()).unwrap_or_default();
    let (mut text, other) = (pick(), pick());
    for _ in 0..=draw.below(3) {
        let start = draw.below(text.len() + 1);
        let end = (start + draw.below(6)).min(text.len());
        let part = match draw.below(4) {
            0 => Vec::new(),
            1 => text.get(start..end).unwrap_or_default().repeat(2),
            2 => {
                let from = draw.below(other.len() + 1);
                other.get(from..(from + 8).min(other.len())).unwrap_or_default().to_vec()
            }
            _ => EDGES.get(draw.below(EDGES.len())).unwrap_or(&"").chars().collect(),
        };
        text.splice(start..end, part);
    }
    text.into_iter().collect()
}

/// Numbers that are the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from((self.0 >> 33) % end).unwrap_or(0)
    }
}
