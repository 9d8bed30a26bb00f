//! Checkpoints whose metadata is hostile: headers, indices, pickles, arrays of Zarr, shards, rules and shardings, changed at random.
//!
//! Law: `reshard` refuses with a code, or writes what a second reader finds in the source, element by element. It never panics, takes
//! more than two seconds or more memory than a limit, changes its source, or writes beside OUT; what it refuses leaves nothing there.

mod change;
mod seeds;
mod twin;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::super::Case;
use super::super::outcome::Outcome;
use super::super::source::Source;
use seeds::Seed;

/// How long one run may take; code that is not optimised takes some times as long.
const DEADLINE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 2 });

/// How much memory all runs may take at a time, in KiB.
const MAX_KIB: u64 = 1 << 20;

/// A larger output is only planned: arrays of zeros may be of any size.
const MAX_BYTES: u64 = 1 << 20;

const MESHES: [(&str, i64, i64); 3] = [("tp=2", 2, 1), ("tp=4", 4, 1), ("dp=2,tp=3", 2, 3)];

const RULES: &str = "a.* [Shard(0)] parts=4:1:1 dim=0 # fused\nc.* [Shard(2)]\n*b*s [Replicate()]\n";

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

/// What becomes of the file that is changed.
enum Changed {
    Bytes(Vec<u8>),
    /// A link to another path.
    Link(&'static str),
}

pub(super) fn draw(source: &mut Source) -> Case {
    if source.once_in(8) {
        return shardings(source);
    }
    let seeds = seeds::all();
    let Some(seed) = seeds.get(source.count(0, seeds.len() - 1)) else { return Case::none() };
    let (file, change) = source.of(seed.changed);
    let right = seed.files.iter().find(|(name, _)| name == file).map(|(_, bytes)| bytes.clone()).unwrap_or_default();
    let changed = if source.once_in(64) {
        Changed::Link(source.of(&[
            "/dev/zero",
            ".",
            "0.safetensors",
            "/nothing",
            "../parts/0.safetensors",
            "1.safetensors",
        ]))
    } else {
        let mut bytes = right;
        change(source, &mut bytes);
        Changed::Bytes(bytes)
    };
    let mesh = source.of(&MESHES);
    let mut rules = None;
    if matches!(seed.name, "parts" | "whole") && mesh.2 == 1 && source.once_in(3) {
        let mut text = RULES.as_bytes().to_vec();
        change::text(source, &mut text);
        rules = Some(text);
    }
    let is_zarr = source.once_in(4) && rules.is_none();
    let shown = match &changed {
        Changed::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Changed::Link(to) => format!("a link to {to}"),
    };
    let given = rules.as_ref().map(|text| format!("; rules: {}", String::from_utf8_lossy(text))).unwrap_or_default();
    let name = format!(
        "reshard {} --to {}{}, {file}: {shown}{given}",
        seed.name,
        mesh.0,
        if is_zarr { " as Zarr" } else { "" }
    );
    Case::new(name, move || {
        judged(seed, file, &changed, mesh, rules.as_deref(), is_zarr).unwrap_or_else(Outcome::Wrong)
    })
}

/// Two texts of shardings, one of them changed. That there is an answer in time is all that is looked at: another area judges it.
fn shardings(source: &mut Source) -> Case {
    let [one, mut other] = [(); 2].map(|()| source.of(&SHARDINGS).as_bytes().to_vec());
    change::text(source, &mut other);
    let texts = if source.once_in(2) { [one, other] } else { [other, one] };
    let [from, to] = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
    Case::new(format!("reshard {from} --to {to}"), move || match timed(&["reshard", &from, "--to", &to]) {
        Ok((0, _)) => Outcome::Unjudged("a plan".to_owned()),
        Ok((1..=3, _)) => Outcome::Refused,
        Ok((code, said)) => Outcome::Wrong(format!("exit code {code}: {said}")),
        Err(words) => Outcome::Wrong(words),
    })
}

/// What the program answers: its exit code, and its words; an error where it takes too long.
fn timed(arguments: &[&str]) -> Result<(u8, String), String> {
    let run = || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let all = ["bitstride", "--json"].iter().chain(arguments).map(OsString::from);
        let began = Instant::now();
        let code = bitstride_cli::run(all, &mut std::io::empty(), &mut out, &mut err);
        (began.elapsed(), code, String::from_utf8_lossy(&out).into_owned() + &String::from_utf8_lossy(&err))
    };
    let (took, code, said) = run();
    match took > DEADLINE && run().0 > DEADLINE {
        true => Err(format!("it takes {took:?}, and again as long")),
        false => Ok((code, said)),
    }
}

/// A folder of a thread, in which the checkpoints are, in another one.
struct Place {
    _temporary: tempfile::TempDir,
    root: PathBuf,
}

thread_local! {
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
}

impl Place {
    fn new() -> std::io::Result<Place> {
        let temporary = tempfile::tempdir()?;
        let root = temporary.path().join("inside");
        for seed in seeds::all() {
            for (name, bytes) in &seed.files {
                let path = root.join(seed.name).join(name);
                fs::create_dir_all(path.parent().unwrap_or(&root))?;
                fs::write(path, bytes)?;
            }
        }
        Ok(Place { _temporary: temporary, root })
    }

    /// All that is there and in the folder around it, but for files in folders.
    fn names(&self) -> Vec<PathBuf> {
        let folders = [Some(self.root.as_path()), self.root.parent()];
        let entries =
            folders.into_iter().flatten().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        all.sort();
        all
    }
}

/// A file as it was, when the case is over or has panicked.
struct Restored<'b>(PathBuf, &'b [u8]);

impl Drop for Restored<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        let _ = fs::write(&self.0, self.1);
    }
}

/// Whether what was written is right; the law that is broken.
fn judged(
    seed: &Seed,
    file: &str,
    changed: &Changed,
    mesh: (&str, i64, i64),
    rules: Option<&[u8]>,
    is_zarr: bool,
) -> Result<Outcome, String> {
    PLACE.with_borrow_mut(|place| {
        let place = match place {
            Some(place) => place,
            None => place.insert(Place::new().map_err(|error| error.to_string())?),
        };
        let right = seed.files.iter().find(|(name, _)| name == file).map_or(&[][..], |(_, bytes)| bytes);
        let path = place.root.join(seed.name).join(file);
        let _restored = Restored(path.clone(), right);
        match changed {
            Changed::Bytes(bytes) => fs::write(&path, bytes).map_err(|error| error.to_string())?,
            Changed::Link(to) => {
                fs::remove_file(&path).map_err(|error| error.to_string())?;
                std::os::unix::fs::symlink(to, &path).map_err(|error| error.to_string())?;
            }
        }
        let found = moved(place, seed.name, mesh, rules, is_zarr);
        if let Changed::Bytes(bytes) = changed
            && fs::read(&path).ok().as_ref() != Some(bytes)
        {
            return Err("the source is changed".to_owned());
        }
        found
    })
}

fn moved(
    place: &Place,
    name: &str,
    mesh: (&str, i64, i64),
    rules: Option<&[u8]>,
    is_zarr: bool,
) -> Result<Outcome, String> {
    let [from, rules_path] = [name, "rules"].map(|name| place.root.join(name));
    let out = place.root.join(if is_zarr { "out.zarr" } else { "out" });
    let words = |path: &Path| path.to_string_lossy().into_owned();
    let (from_text, out_text, rules_text) = (words(&from), words(&out), words(&rules_path));
    // Plans of files say how large they are.
    let planned_text = words(&place.root.join("out"));
    let mut arguments = vec!["reshard", &from_text, &planned_text, "--to", mesh.0, "--memory", "4000"];
    fs::write(&rules_path, rules.unwrap_or_default()).map_err(|error| error.to_string())?;
    if rules.is_some() {
        arguments.extend(["--rules", &rules_text]);
    }
    // What a case that went wrong has left.
    for name in ["out", "out.part", "out.zarr", "out.zarr.part"] {
        let _ = fs::remove_dir_all(place.root.join(name));
    }
    let before = place.names();
    let (code, said) = timed(&[&arguments[..], &["--dry-run"]].concat())?;
    if code > 4 || place.names() != before {
        return Err(format!("planned, with exit code {code}: {said}"));
    }
    let planned: Json = serde_json::from_str(said.lines().next().unwrap_or_default()).unwrap_or_default();
    let sizes = planned.get("files").and_then(Json::as_array).into_iter().flatten();
    let all: u64 = sizes.filter_map(|file| file.get("bytes").and_then(Json::as_u64)).fold(0, u64::saturating_add);
    memory()?;
    if code != 0 {
        return Ok(Outcome::Refused);
    }
    if all > MAX_BYTES {
        return Ok(Outcome::Unjudged(format!("an output of {all} bytes")));
    }
    if let Some(path) = arguments.get_mut(2) {
        *path = &out_text;
    }
    let (code, said) = timed(&[&arguments[..], &["--verify"]].concat())?;
    let made = place.names();
    let held = match code {
        0 => compared(&from, &out, mesh, rules.is_some() || is_zarr),
        _ => Ok(Outcome::Refused),
    };
    for path in made.iter().filter(|path| !before.contains(path)) {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    memory()?;
    let is_ours = |path: &&PathBuf| {
        before.contains(path)
            || **path == out
            || **path == out.with_extension(if is_zarr { "zarr.part" } else { "part" })
    };
    match made.iter().find(|path| !is_ours(path)) {
        Some(path) => return Err(format!("{} is written", path.display())),
        None if code > 4 || (code != 0 && made.contains(&out)) => return Err(format!("exit code {code}: {said}")),
        None => {}
    }
    held
}

/// Holds an output against its source by the second reader, and the rows of each file against the mesh.
fn compared(from: &Path, out: &Path, mesh: (&str, i64, i64), is_otherwise: bool) -> Result<Outcome, String> {
    let Some(found) = twin::read(from).map_err(|words| format!("the second reader refuses the source: {words}"))?
    else {
        return Ok(Outcome::Unjudged("no second reader of such a source".to_owned()));
    };
    let made = twin::read(out).map_err(|words| format!("the second reader refuses the output: {words}"))?;
    let made = made.ok_or("the output is larger than the source")?;
    let without = |tensors: &twin::Tensors| -> BTreeMap<_, _> {
        tensors
            .iter()
            .filter(|(_, (_, cells))| !cells.is_empty())
            .map(|(name, tensor)| (name.clone(), tensor.clone()))
            .collect()
    };
    let (found, made) = (without(&found), without(&made));
    if found != made {
        let other = found.iter().find(|(name, tensor)| made.get(*name) != Some(tensor)).map(|(name, _)| name);
        return Err(format!("another tensor {other:?}: {} tensors of {}", made.len(), found.len()));
    }
    if is_otherwise {
        return Ok(Outcome::Right);
    }
    // Cut along the first dim by the first axis.
    for (number, rows) in (0..).zip(twin::rows(out)?) {
        for (name, (shape, _)) in &found {
            let extent = shape.first().copied().unwrap_or(1);
            let size = (extent + mesh.1 - 1) / mesh.1;
            let first = number / mesh.2 * size;
            let wanted: Vec<i64> =
                if shape == &[1] { vec![0] } else { (first.min(extent)..(first + size).min(extent)).collect() };
            if rows.get(name).is_some_and(|own| *own != wanted) {
                return Err(format!(
                    "file {number} has the rows {:?} of {name}, and should have {wanted:?}",
                    rows.get(name)
                ));
            }
        }
    }
    Ok(Outcome::Right)
}

/// That the memory of the process stays below a limit; Linux counts the most of it, until it is reset.
fn memory() -> Result<(), String> {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return Ok(()) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let most: u64 = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0);
    // What was reported is not reported again where the system does not forget it.
    static REPORTED: AtomicU64 = AtomicU64::new(MAX_KIB);
    if fs::write("/proc/self/clear_refs", "5").is_err() && REPORTED.fetch_max(most, Ordering::SeqCst) >= most
        || most <= MAX_KIB
    {
        return Ok(());
    }
    Err(format!("the process took {most} KiB of memory"))
}
