//! Metadata changed at random: headers, indices, pickles, arrays of Zarr, rules and shardings. Whatever they say is answered or refused,
//! and nothing is written where it is refused before the first byte moves.
//!
//! `BITSTRIDE_HOSTILE=100000 cargo test --release -p bitstride-cli --test reshard_checkpoint hostile` tries as many.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::{folder, of_pytorch, zarr};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end.max(1)
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// A part of a list of some length.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = (length - start).min(1 + self.below(40));
        start..start + self.below(most + 1)
    }
}

/// What numbers become.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "1099511627776",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
];

/// Some bytes changed, lost, or there twice.
fn bytes_changed(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        let range = random.range(bytes.len());
        match random.below(7) {
            0 | 1 => {
                let bit = 1 << random.below(8);
                if let Some(byte) = bytes.get_mut(range.start) {
                    *byte ^= bit;
                }
            }
            2 => {
                if let Some(byte) = bytes.get_mut(range.start) {
                    *byte = random.of(&[0, 1, 0x7f, 0x80, 0xff, b'"', b'[', b'}', b'.', b'(', b'R', b'h', b'J']);
                }
            }
            3 => drop(bytes.drain(range)),
            4 => {
                let own = bytes[range.clone()].to_vec();
                bytes.splice(range.start..range.start, own);
            }
            5 => {
                let own = bytes[range].to_vec();
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, own);
            }
            _ => bytes.truncate(range.end),
        }
    }
}

/// One number of a text changed.
fn number_changed(random: &mut Random, text: &mut Vec<u8>) {
    let is_start = |at: usize| text[at].is_ascii_digit() && (at == 0 || !text[at - 1].is_ascii_digit());
    let starts: Vec<usize> = (0..text.len()).filter(|at| is_start(*at)).collect();
    if starts.is_empty() {
        return;
    }
    let start = random.of(&starts);
    let end = (start..text.len()).find(|at| !text[*at].is_ascii_digit()).unwrap_or(text.len());
    text.splice(start..end, random.of(&NUMBERS).bytes());
}

/// One value of an object changed, lost, or under another name.
fn value_changed(random: &mut Random, json: &mut Json) {
    let number = random.of(&NUMBERS);
    let deep = (0..random.below(200)).fold(json!(0), |inner, _| json!([inner]));
    let values = [
        serde_json::from_str(number).unwrap_or(Json::Null),
        Json::Null,
        json!(true),
        json!("../../x"),
        json!("\u{0}"),
        json!([]),
        json!({}),
        json!([1, 2]),
        json!([-1, 9_223_372_036_854_775_807_i64]),
        json!(1.5),
        deep,
    ];
    match json {
        Json::Array(all) if !all.is_empty() && random.below(4) > 0 => {
            let at = random.below(all.len());
            match random.below(6) {
                0 => drop(all.remove(at)),
                1 => all.push(all[at].clone()),
                _ => value_changed(random, &mut all[at]),
            }
        }
        Json::Object(all) if !all.is_empty() && random.below(8) > 0 => {
            let names: Vec<String> = all.keys().cloned().collect();
            let name = random.of(&names);
            match random.below(6) {
                0 => drop(all.remove(&name)),
                1 => {
                    let own = all.remove(&name).unwrap_or_default();
                    let other = random.of(&["", "../x", ".", "a/b", "x\u{0}", "zarr.json", "plan.txt", "\u{fffd}"]);
                    all.insert(if random.below(2) == 0 { random.of(&names) } else { other.to_owned() }, own);
                }
                _ => match all.get_mut(&name) {
                    // Objects in texts, such as those of DCP_SHARDING_INFO.
                    Some(Json::String(text)) if text.starts_with('{') => {
                        let mut inner: Json = serde_json::from_str(text).unwrap_or_default();
                        value_changed(random, &mut inner);
                        *text = inner.to_string();
                    }
                    Some(own) => value_changed(random, own),
                    None => {}
                },
            }
        }
        own => *own = random.of(&values),
    }
}

/// Text that is JSON, changed as a value or as bytes.
fn json_changed(random: &mut Random, text: &mut Vec<u8>) {
    match random.below(4) {
        0 => bytes_changed(random, text),
        1 => number_changed(random, text),
        _ => {
            let mut json: Json = serde_json::from_slice(text).unwrap_or_default();
            for _ in 0..1 + random.below(2) {
                value_changed(random, &mut json);
            }
            *text = json.to_string().into_bytes();
        }
    }
}

/// The header of a `.safetensors` file, and its length.
fn header_changed(random: &mut Random, bytes: &mut Vec<u8>) {
    let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"))).expect("a length");
    if random.below(12) == 0 {
        return bytes_changed(random, bytes);
    }
    let mut header = bytes[8..8 + length].to_vec();
    json_changed(random, &mut header);
    let mut count = u64::try_from(header.len()).expect("a length");
    if random.below(16) == 0 {
        count = random.of(&[0, 1, count + 1, count.wrapping_sub(1), u64::MAX, 1 << 62, 1 << 31]);
    }
    bytes.splice(..8 + length, count.to_le_bytes().into_iter().chain(header));
}

/// A pickle: integers of another size, other opcodes, and bytes.
fn pickle_changed(random: &mut Random, bytes: &mut Vec<u8>) {
    let small: Vec<usize> = (0..bytes.len().saturating_sub(1)).filter(|at| bytes[*at] == b'K').collect();
    match random.below(3) {
        0 if !small.is_empty() => {
            let at = random.of(&small);
            let number: i64 = random.of(&[-1, 0, 1, 5, 1 << 31, 1 << 40, i64::MAX, i64::MIN]);
            bytes.splice(at..at + 2, [0x8a, 8].into_iter().chain(number.to_le_bytes()));
        }
        1 if !small.is_empty() => {
            let (at, other) = (random.of(&small), random.of(&small));
            bytes.swap(at + 1, other + 1);
        }
        _ => bytes_changed(random, bytes),
    }
}

fn rules_changed(random: &mut Random, text: &mut Vec<u8>) {
    match random.below(2) {
        0 => number_changed(random, text),
        _ => bytes_changed(random, text),
    }
}

type Change = fn(&mut Random, &mut Vec<u8>);

/// A checkpoint of which one file is changed.
struct Seed {
    folder: &'static str,
    file: PathBuf,
    change: Change,
}

/// Shardings of one tensor in all notations.
const SHARDINGS: [&str; 9] = [
    "shard(f32[24,10], '{devices=[4,2]<=[2,4]T(1,0)}')",
    "shard(f32[24,10], '{devices=[2,1,4]<=[8] last_tile_dims={replicated}}')",
    "shard(f32[24,10], {mesh[\"a\"=2,\"b\"=4], [{\"b\":(1)2}, {\"a\"}], replicated={\"b\":(2)2}})",
    "shard(f32[24,10], P(('b','a'), None), mesh(a=2,b=4))",
    "shard(f32[24,10], P('a', 'c'), mesh(a=4,c=2,device_ids=[1,0,2,3,4,5,7,6]))",
    "shard(f32[24,10], #sdy.sharding<mesh<[\"a\"=2, \"b\"=4]>, [{\"a\"}, {\"b\":(2)2, ?}p1], unreduced={\"b\":(1)2}>)",
    "shard(f32[24,10], [Shard(0), _StridedShard(0, split_factor=3)], mesh(2,4))",
    "shard(f32[24,10], [Partial('max'), Shard(1)], mesh(2,4))",
    "shard(bf16[24,10]{1,0:T(8,128)(2,1)}, '{maximal device=3}', 8)",
];

fn seeds(root: &Path) -> Vec<Seed> {
    folder(&root.join("parts"), 3, 1, false);
    folder(&root.join("whole"), 1, 0, true);
    let index = json!({"metadata": {"total_size": 8}, "weight_map": {"a.weight": "shard-00000.safetensors", "b.bias": "shard-00000.safetensors"}});
    fs::write(root.join("whole/model.safetensors.index.json"), index.to_string()).expect("an index");
    of_pytorch(&root.join("pickle"));
    zarr(&root.join("two"), 2, ".", "zlib");
    zarr(&root.join("three"), 3, "/", "");
    fs::write(root.join("rules"), "a.* [Shard(0)] parts=4:1:1 dim=0 # fused\nc.* [Shard(2)]\n*b*s [Replicate()]\n")
        .expect("rules");
    let seed = |folder, file: &str, change: Change| Seed { folder, file: root.join(file), change };
    vec![
        seed("parts", "parts/shard-00001.safetensors", header_changed),
        seed("whole", "whole/shard-00000.safetensors", header_changed),
        seed("whole", "whole/model.safetensors.index.json", json_changed),
        seed("pickle", "pickle/.metadata", pickle_changed),
        seed("pickle", "pickle/__1_0.distcp", bytes_changed),
        seed("two", "two/a/weight/.zarray", json_changed),
        seed("two", "two/a/weight/1.1", bytes_changed),
        seed("three", "three/c/cube/zarr.json", json_changed),
        seed("three", "three/d/scalar/zarr.json", json_changed),
        seed("parts", "rules", rules_changed),
    ]
}

/// What the program answers: its exit code, and its words.
fn answered(arguments: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = ["bitstride", "--json"].iter().chain(arguments).map(OsString::from);
    let code = bitstride_cli::run(all, &mut std::io::empty(), &mut out, &mut err);
    (code, String::from_utf8_lossy(&out).into_owned() + &String::from_utf8_lossy(&err))
}

fn names(root: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn metadata_changed_at_random_is_answered_or_refused() {
    let count = std::env::var("BITSTRIDE_HOSTILE").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    let seeds = seeds(root);
    let [out, zarr_out, rules] =
        ["out", "out.zarr", "rules"].map(|name| root.join(name).to_string_lossy().into_owned());
    let there = names(root);
    let mut random = Random(39);
    let (mut written, mut refused) = (0, 0);
    for case in 0..count {
        let seed = &seeds[case % seeds.len()];
        let right = fs::read(&seed.file).expect("a file");
        let mut bytes = right.clone();
        (seed.change)(&mut random, &mut bytes);
        fs::write(&seed.file, &bytes).expect("a file");
        let source = root.join(seed.folder).to_string_lossy().into_owned();
        let to = random.of(&["tp=2", "tp=4", "dp=2,tp=3"]);
        let mut arguments = vec!["reshard", &source, &out, "--to", to, "--memory", "4000"];
        if seed.folder == "parts" && to != "dp=2,tp=3" {
            arguments.extend(["--rules", &rules]);
        }
        let tell = || format!("case {case}: {}: {}", seed.file.display(), String::from_utf8_lossy(&bytes));
        let (code, said) = answered(&[&arguments[..], &["--dry-run"]].concat());
        assert!(matches!(code, 0..=4), "{}: {said}", tell());
        assert_eq!(names(root), there, "{}", tell());
        refused += usize::from(code != 0);
        // Arrays of zeros may be of any size.
        let planned: Json = serde_json::from_str(said.lines().next().unwrap_or_default()).unwrap_or_default();
        let sizes = planned["files"].as_array().into_iter().flatten().filter_map(|file| file["bytes"].as_u64());
        if code == 0 && sizes.sum::<u64>() < 1 << 20 {
            let is_zarr = random.below(4) == 0;
            if is_zarr {
                arguments[2] = &zarr_out;
            }
            let (code, said) = answered(&[&arguments[..], &["--verify"]].concat());
            assert!(matches!(code, 0..=4), "{}: {said}", tell());
            assert_eq!(Path::new(arguments[2]).exists(), code == 0, "{}: {said}", tell());
            written += usize::from(code == 0);
            for path in names(root).difference(&there) {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                assert!(name.starts_with("out") && path.is_dir(), "{}: {name}", tell());
                fs::remove_dir_all(path).expect("a folder");
            }
        }
        fs::write(&seed.file, &right).expect("a file");
        // As many texts of shardings.
        let mut texts = [random.of(&SHARDINGS), random.of(&SHARDINGS)].map(|text| text.as_bytes().to_vec());
        match random.below(3) {
            0 => bytes_changed(&mut random, &mut texts[case % 2]),
            _ => number_changed(&mut random, &mut texts[case % 2]),
        }
        let [one, two] = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
        let (code, said) = answered(&["reshard", &one, "--to", &two]);
        assert!(matches!(code, 0..=3) && !said.contains("panic"), "{one} to {two}: {said}");
        assert_eq!(names(root), there, "{one} to {two}");
    }
    assert!(written > count / 50 && refused > count / 4, "{written} written, {refused} refused of {count}");
}
