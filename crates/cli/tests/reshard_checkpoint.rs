//! Checkpoints written for other meshes: every element, every byte that is read, hostile headers, and runs that are killed.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_bitstride");

/// What an element of a tensor is.
fn element(tensor: usize, shape: &[i64], index: &[i64]) -> i32 {
    let flat = shape.iter().zip(index).fold(0, |flat, (extent, at)| flat * extent + at);
    i32::try_from(flat * 7 + 1_000_003 * i64::try_from(tensor).unwrap_or(0)).unwrap_or(0)
}

fn indices(offsets: &[i64], shape: &[i64]) -> Vec<Vec<i64>> {
    offsets.iter().zip(shape).fold(vec![vec![]], |all: Vec<Vec<i64>>, (offset, extent)| {
        all.iter()
            .flat_map(|at| (*offset..offset + extent).map(move |next| [at.clone(), vec![next]].concat()))
            .collect()
    })
}

/// The tensors that tests move.
const TENSORS: [(&str, &[i64]); 5] =
    [("a.weight", &[24, 10]), ("b.bias", &[13]), ("c.cube", &[5, 6, 8]), ("d.scalar", &[]), ("e.empty", &[0, 4])];

/// Writes a folder whose files are those of `torch.chunk` along a dim.
fn folder(path: &Path, files: i64, dim: usize, is_whole: bool) {
    fs::create_dir_all(path).expect("a folder");
    for file in 0..files {
        let (mut header, mut offsets, mut data) = (Map::new(), Map::new(), Vec::new());
        for (number, (name, shape)) in TENSORS.iter().enumerate() {
            let (mut start, mut own) = (vec![0; shape.len()], shape.to_vec());
            if shape.is_empty() || is_whole {
                if file > 0 {
                    continue;
                }
            } else {
                let dim = dim.min(shape.len() - 1);
                let size = (shape[dim] + files - 1) / files;
                start[dim] = (file * size).min(shape[dim]);
                own[dim] = (start[dim] + size).min(shape[dim]) - start[dim];
            }
            let first = data.len();
            for index in indices(&start, &own) {
                data.extend(element(number, shape, &index).to_le_bytes());
            }
            header
                .insert((*name).to_owned(), json!({"dtype": "I32", "shape": own, "data_offsets": [first, data.len()]}));
            offsets.insert((*name).to_owned(), json!({"saved_offsets": start}));
        }
        if !is_whole {
            header.insert("__metadata__".to_owned(), json!({"DCP_SHARDING_INFO": Json::Object(offsets).to_string()}));
        }
        let text = Json::Object(header).to_string();
        let mut bytes = u64::try_from(text.len()).expect("a length").to_le_bytes().to_vec();
        bytes.extend(text.bytes());
        bytes.extend(data);
        fs::write(path.join(format!("shard-{file:05}.safetensors")), bytes).expect("a file");
    }
}

/// The indices along each dim.
type Dims = Vec<Vec<i64>>;

/// Holds the files of a folder against the tensors; returns the indices of each file by tensor, file after file.
fn check(path: &Path) -> BTreeMap<String, Vec<Dims>> {
    let mut boxes: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let mut files: Vec<_> =
        fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for file in files {
        let bytes = fs::read(&file).expect("a file");
        let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"))).expect("a length");
        let header: Map<String, Json> = serde_json::from_slice(&bytes[8..8 + length]).expect("a header");
        let info: Map<String, Json> =
            serde_json::from_str(header["__metadata__"]["DCP_SHARDING_INFO"].as_str().expect("a text"))
                .expect("offsets");
        let blocks: Map<String, Json> = header["__metadata__"]
            .get("BITSTRIDE_BLOCKS")
            .map_or_else(Map::new, |text| serde_json::from_str(text.as_str().expect("a text")).expect("blocks"));
        let numbers =
            |list: &Json| -> Vec<i64> { list.as_array().expect("a list").iter().filter_map(Json::as_i64).collect() };
        for (number, (name, shape)) in TENSORS.iter().enumerate() {
            let entry = &header[*name];
            let own = numbers(&entry["shape"]);
            // The indices that the file has along each dim.
            let dims: Vec<Vec<i64>> = match blocks.get(*name) {
                Some(dims) => {
                    let all = |dim: &Json| -> Vec<i64> {
                        let blocks = dim.as_array().expect("blocks").iter().map(numbers);
                        blocks.flat_map(|block| block[0]..block[1]).collect()
                    };
                    dims.as_array().expect("dims").iter().map(all).collect()
                }
                None => {
                    let start = numbers(&info[*name]["saved_offsets"]);
                    start.iter().zip(&own).map(|(start, extent)| (*start..start + extent).collect()).collect()
                }
            };
            let first = usize::try_from(numbers(&entry["data_offsets"])[0]).expect("a place") + 8 + length;
            let whole = if shape.is_empty() { &[1][..] } else { shape };
            let places = indices(&vec![0; own.len()], &own);
            let taken = places.iter().map(|place| -> Vec<i64> {
                let dims = dims.iter().zip(place);
                dims.map(|(dim, at)| dim[usize::try_from(*at).expect("a place")]).collect()
            });
            for (at, index) in taken.enumerate() {
                let place = first + 4 * at;
                let value = i32::from_le_bytes(bytes[place..place + 4].try_into().expect("4 bytes"));
                assert_eq!(value, element(number, whole, &index), "{} {name} {index:?}", file.display());
            }
            boxes.entry((*name).to_owned()).or_default().push(dims);
        }
    }
    boxes
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    Command::new(PROGRAM).args(arguments).current_dir(folder).output().expect("the program runs")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn every_element_is_where_the_mesh_says_and_every_byte_is_read_once() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    fs::write(root.join("rules"), "# rows of the rest\n*.weight [Shard(1)]\nc.* [Shard(2)] # columns\n")
        .expect("rules");
    let data: i64 = TENSORS.iter().map(|(_, shape)| 4 * shape.iter().product::<i64>()).sum();
    let mut number = 0;
    for (files, dim, is_whole) in [(1, 0, true), (8, 0, false), (3, 1, false), (4, 2, false)] {
        let source = format!("in{files}{dim}");
        folder(&root.join(&source), files, dim, is_whole);
        for (mesh, rules, memory) in
            [("tp=4", false, "256MiB"), ("tp=4", true, "900"), ("dp=2,tp=3", false, "1KiB"), ("tp=1", true, "1GiB")]
        {
            number += 1;
            let out = format!("out{number}");
            let mut arguments = vec!["--json", "reshard", &source, &out, "--to", mesh, "--memory", memory];
            if rules {
                arguments.extend(["--rules", "rules"]);
            }
            let output = run(&arguments, root);
            assert!(output.status.success(), "{arguments:?}: {}", said(&output));
            let boxes = check(&root.join(&out));
            let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
            // Each byte once, whoever needs it.
            assert_eq!(report["read"].as_i64(), Some(data), "{arguments:?}");
            if rules && mesh == "tp=4" {
                assert_eq!(boxes["a.weight"][1][1], [3, 4, 5]);
                assert_eq!(boxes["c.cube"][3][2], [6, 7]);
                assert_eq!(boxes["b.bias"][3], [[12]]);
            }
            assert!(!root.join(format!("{out}.part")).exists());
            // What was written is a checkpoint again.
            let again = format!("again{number}");
            let output = run(&["reshard", &out, &again, "--to", "tp=5"], root);
            assert!(output.status.success(), "{}", said(&output));
            check(&root.join(&again));
        }
    }
}

#[test]
fn fused_tensors_are_cut_inside_each_part() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    folder(&root.join("in"), 3, 1, false);
    fs::write(
        root.join("rules"),
        "a.* [Shard(0)] parts=4:1:1 dim=0 # of each part a quarter\nc.* [Shard(1)] parts=1:1 dim=1\nb.* [_StridedShard(0, split_factor=2)]\n",
    )
    .expect("rules");
    let output =
        run(&["reshard", "in", "out", "--to", "tp=4", "--rules", "rules", "--memory", "700", "--verify"], root);
    assert!(output.status.success(), "{}", said(&output));
    let held = check(&root.join("out"));
    // 16 rows, 4 and 4; of 3 and 3 columns torch.chunk gives 1, 1, 1 and nothing.
    assert_eq!(held["a.weight"][1][0], [4, 5, 6, 7, 17, 21]);
    assert_eq!((&held["c.cube"][0][1][..], &held["c.cube"][3][1][..]), (&[0, 3][..], &[][..]));
    assert_eq!(held["b.bias"][1][0], [2, 3, 9, 10]);
    // What was written says what it has, and is read again.
    let output = run(&["reshard", "out", "again", "--to", "tp=3", "--verify"], root);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(check(&root.join("again"))["a.weight"][1][0], (8..16).collect::<Vec<_>>());
    fs::write(root.join("odd"), "a.* [Shard(0)] parts=5:2\n").expect("rules");
    let output = run(&["reshard", "in", "other", "--to", "tp=4", "--rules", "odd"], root);
    assert!(said(&output).contains("no multiple of 7"), "{}", said(&output));
}

#[test]
fn what_was_written_is_read_back_and_compared() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    folder(&root.join("in"), 2, 0, false);
    let verify = || run(&["--json", "reshard", "in", "out", "--to", "tp=4", "--verify"], root);
    let counts = |output: &Output| {
        let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
        (report["written"].clone(), report["verified"]["bytes"].clone(), report["verified"]["tensors"].clone())
    };
    // Of five tensors one is empty, one is whole on each device, and 5 planes in 4 chunks leave one without any.
    assert_eq!(counts(&verify()), (json!(1988), json!(1988), json!(15)));
    // Now it is there, and is compared only.
    assert_eq!(counts(&verify()), (json!(0), json!(1988), json!(15)));
    let path = root.join("out").join("model-00002-of-00004.safetensors");
    let right = fs::read(&path).expect("a file");
    for (at, words) in [(right.len() - 1, "of tensor"), (20, "of its header")] {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        fs::write(&path, wrong).expect("a file");
        let output = verify();
        assert!(said(&output).contains(words) && said(&output).contains(&format!("byte {at}")), "{}", said(&output));
        assert!(!output.status.success());
    }
    fs::write(&path, &right[..right.len() - 4]).expect("a file");
    assert!(said(&verify()).contains("were written"));
}

#[test]
fn nothing_is_written_where_the_question_has_no_answer() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    folder(&root.join("in"), 2, 0, false);
    fs::create_dir(root.join("there")).expect("a folder");
    fs::write(root.join("odd"), "* [Shard(7)]\n").expect("rules");
    for (arguments, words) in [
        (vec!["reshard", "in", "there", "--to", "tp=4"], "is there already"),
        (vec!["reshard", "in", "out", "--to", "tp=0"], "at least 1"),
        (vec!["reshard", "in", "out", "--to", "tp=4", "--memory", "16"], "one row of tensor"),
        (vec!["reshard", "in", "out", "--to", "tp=4", "--memory", "much"], "no number of bytes"),
        (vec!["reshard", "in", "out", "--to", "tp=4", "--rules", "odd"], "Shard(7) of a tensor"),
        (vec!["reshard", "in", "out", "--to", "tp=100000"], "files"),
        (vec!["reshard", "there", "out", "--to", "tp=4"], "no .safetensors files"),
        (vec!["reshard", "in", "out", "--to", "tp=4", "--dry-run"], "4 files"),
    ] {
        let output = run(&arguments, root);
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
        assert!(!root.join("out").exists() && !root.join("out.part").exists(), "{arguments:?}");
    }
}

#[test]
fn hostile_headers_are_refused_before_anything_is_written() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    let entry =
        |shape: &str, data: &str| format!("{{\"t\":{{\"dtype\":\"I32\",\"shape\":{shape},\"data_offsets\":{data}}}}}");
    let two = |other: &str| {
        format!(
            "{{\"t\":{{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,8]}},\"u\":{{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":{other}}}}}"
        )
    };
    let offset = |start: &str| {
        format!(
            "{{\"__metadata__\":{{\"DCP_SHARDING_INFO\":\"{{\\\"t\\\":{{\\\"saved_offsets\\\":{start}}}}}\"}},\"t\":{{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,8]}}}}"
        )
    };
    let headers = [
        entry("[2]", "[0,4]"),
        entry("[-2]", "[8,0]"),
        entry("[2]", "[-8,0]"),
        entry("[2]", "[1000,1008]"),
        entry("[4611686018427387904,4]", "[0,0]"),
        entry("[9223372036854775807]", "[0,9223372036854775804]"),
        entry("{}", "[0,8]"),
        two("[4,12]"),
        offset("[1]"),
        offset("[9223372036854775807]"),
        offset("[0,0]"),
        offset("\\\"x\\\""),
        "[]".to_owned(),
        "{\"t\":3}".to_owned(),
        "not json".to_owned(),
        "[".repeat(100_000),
    ];
    for (number, header) in headers.iter().enumerate() {
        let folder = root.join(format!("in{number}"));
        fs::create_dir(&folder).expect("a folder");
        let mut bytes = u64::try_from(header.len()).expect("a length").to_le_bytes().to_vec();
        bytes.extend(header.bytes());
        bytes.extend([0; 8]);
        fs::write(folder.join("x.safetensors"), bytes).expect("a file");
        let output = run(&["reshard", &format!("in{number}"), "out", "--to", "tp=2"], root);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{header:.80}: {}", said(&output));
        assert!(!root.join("out").exists() && !root.join("out.part").exists(), "{header:.80}");
    }
    let folder = root.join("long");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("x.safetensors"), u64::MAX.to_le_bytes()).expect("a file");
    assert_eq!(run(&["reshard", "long", "out", "--to", "tp=2"], root).status.code(), Some(2));
}

/// The files that PyTorch wrote of the tensors: three ranks, cut along the first dim, of the cube along the last.
fn of_pytorch(path: &Path) {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sharding/dcp");
    fs::create_dir_all(path).expect("a folder");
    for entry in fs::read_dir(recorded).expect("a folder") {
        let from = entry.expect("an entry").path();
        let name = from.file_name().expect("a name").to_string_lossy().into_owned();
        fs::copy(&from, path.join(if name == "metadata" { ".metadata" } else { &name })).expect("a copy");
    }
}

#[test]
fn checkpoints_of_pytorch_are_read_without_running_them() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    of_pytorch(&root.join("in"));
    fs::write(root.join("rules"), "*.weight [Shard(1)]\nc.* [Shard(1)]\n").expect("rules");
    let arguments = ["--json", "reshard", "in", "out", "--to", "tp=4", "--rules", "rules", "--verify"];
    let output = run(&arguments, root);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(check(&root.join("out"))["c.cube"][1][1], [2, 3]);
    let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
    let data: i64 = TENSORS.iter().map(|(_, shape)| 4 * shape.iter().product::<i64>()).sum();
    assert_eq!((&report["read"], &report["left_out"]), (&json!(data), &json!(["step.count"])));
}

#[test]
fn hostile_metadata_runs_nothing_and_writes_nothing() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    of_pytorch(&root.join("in"));
    let metadata = root.join("in").join(".metadata");
    let right = fs::read(&metadata).expect("metadata");
    let refused = |bytes: &[u8], words: &str| {
        fs::write(&metadata, bytes).expect("metadata");
        let output = run(&["reshard", "in", "out", "--to", "tp=2"], root);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{words}: {}", said(&output));
        assert!(said(&output).contains(words), "{words}: {}", said(&output));
        assert!(!root.join("out").exists() && !root.join("out.part").exists() && !root.join("ran").exists());
    };
    // Programs, as pickles run them.
    refused(b"cos\nsystem\n(\x8c\x09touch rantR.", "os.system");
    refused(b"\x80\x04\x8c\x08builtins\x8c\x04exec\x93(\x8c\x01xtR.", "builtins.exec");
    refused(b"(\x8c\x09touch ranios\nsystem\n.", "opcode 0x69 at byte 12");
    refused(b"\x80\x04}.", "no Metadata");
    refused(b"", "without STOP");
    // The same in the middle of what PyTorch wrote, and what it says changed.
    let patched = |from: &[u8], to: &[u8]| {
        let at = right.windows(from.len()).position(|window| window == from).expect("bytes to change");
        let mut bytes = right.clone();
        bytes.splice(at..at + from.len(), to.iter().copied());
        bytes
    };
    refused(&patched(b"\x8c\x04Size", b"\x8c\x04Exec"), "torch.Exec");
    refused(&patched(b"__0_0.distcp", b"../_0.distcp"), "no file beside it");
    // The first box of a.weight, [0, 0] of [8, 10]: elsewhere, of other extents, and before everything.
    refused(&patched(b"K\x00K\x00\x86", b"K\x01K\x00\x86"), "no file has the box");
    refused(&patched(b"K\x00K\x00\x86", b"K\x11K\x00\x86"), "has a box at [17, 0]");
    refused(&patched(b"K\x00K\x00\x86", b"J\xff\xff\xff\xffK\x00\x86"), "from 0 on");
    refused(&patched(b"K\x08K\x0a\x86", b"K\x07K\x0a\x86"), "its shape is");
    refused(&patched(b"K\x18K\x0a\x86", b"K\x19K\x0a\x86"), "elements of 250");
    let huge = [b"\x8a\x08", &i64::MAX.to_le_bytes()[..], b"\x8a\x08", &i64::MAX.to_le_bytes()[..], b"\x86"].concat();
    refused(&patched(b"K\x18K\x0a\x86", &huge), "more elements than are counted");
    refused(&patched(b"\x8c\x05int32", b"\x8c\x05int16"), "elements are of type int32");
    // Any byte changed: an answer or a refusal, and never half of an output.
    for (number, at) in (0..right.len()).step_by(37).enumerate() {
        let mut bytes = right.clone();
        bytes[at] ^= [1, 0x80, 0xff][number % 3];
        fs::write(&metadata, bytes).expect("metadata");
        let out = format!("changed{number}");
        let output = run(&["reshard", "in", &out, "--to", "tp=2"], root);
        assert!(matches!(output.status.code(), Some(0 | 1 | 2 | 4)), "byte {at}: {}", said(&output));
        assert_eq!(root.join(&out).exists(), output.status.success(), "byte {at}");
        assert!(!root.join(format!("{out}.part")).exists(), "byte {at}");
    }
    fs::write(&metadata, &right).expect("metadata");
    // Any byte of the head of an entry, and a file that ends early.
    let path = root.join("in").join("__1_0.distcp");
    let whole = fs::read(&path).expect("a file");
    for at in (0..700).step_by(23) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        fs::write(&path, bytes).expect("a file");
        let output = run(&["reshard", "in", "out", "--to", "tp=2"], root);
        assert!(matches!(output.status.code(), Some(0..=2)), "byte {at}: {}", said(&output));
        let _ = fs::remove_dir_all(root.join("out"));
    }
    fs::write(&path, &whole[..whole.len() - 1]).expect("a file");
    let output = run(&["reshard", "in", "out", "--to", "tp=2"], root);
    assert!(said(&output).contains("the file ends at"), "{}", said(&output));
    assert!(!root.join("out").exists());
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    of_pytorch(&root.join("pickle"));
    folder(&root.join("whole"), 1, 0, true);
    fs::write(root.join("whole/model.safetensors.index.json"), "{}").expect("an index");
    zarr(&root.join("two"), 2, ".", "zlib");
    zarr(&root.join("three"), 3, "/", "");
    for (source, file) in [
        ("pickle", ".metadata"),
        ("pickle", "__1_0.distcp"),
        ("whole", "model.safetensors.index.json"),
        ("two", "a/weight/.zarray"),
        ("two", "a/weight/1.1"),
        ("three", "c/cube/zarr.json"),
    ] {
        let path = root.join(source).join(file);
        let right = fs::read(&path).expect("a file");
        fs::remove_file(&path).expect("a file");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        let output = run(&["reshard", source, "out", "--to", "tp=2"], root);
        assert_eq!(output.status.code(), Some(2), "{file}: {}", said(&output));
        assert!(said(&output).contains("no regular file"), "{file}: {}", said(&output));
        assert!(!root.join("out").exists() && !root.join("out.part").exists());
        fs::remove_file(&path).expect("a link");
        fs::write(&path, right).expect("a file");
    }
}

#[test]
fn a_run_that_is_killed_leaves_nothing_under_the_name_and_is_gone_on_with() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    folder(&root.join("in"), 8, 0, false);
    for seed in 0..50_u64 {
        let out = format!("out{seed}");
        let arguments = ["--json", "reshard", "in", &out, "--to", "tp=4", "--memory", "800"];
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("runs");
        std::thread::sleep(Duration::from_micros(seed * 7919 % 12_000));
        let _ = child.kill();
        let _ = child.wait();
        if root.join(&out).exists() {
            check(&root.join(&out));
            continue;
        }
        let output = run(&arguments, root);
        assert!(output.status.success(), "{}", said(&output));
        check(&root.join(&out));
    }
}

/// How the chunks of a test are packed.
fn packed(codec: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    match codec {
        "zstd" => ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).expect("bytes");
            encoder.finish().expect("bytes")
        }
        "zlib" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).expect("bytes");
            encoder.finish().expect("bytes")
        }
        _ => bytes.to_vec(),
    }
}

/// Writes the tensors as arrays of Zarr, in chunks that are padded at the edges.
fn zarr(path: &Path, version: i64, separator: &str, codec: &str) {
    let grids: [&[i64]; 5] = [&[7, 4], &[5], &[2, 6, 3], &[], &[3, 2]];
    for (number, ((name, shape), grid)) in TENSORS.iter().zip(grids).enumerate() {
        // Folders in folders, as Orbax and others have them.
        let folder = path.join(name.replace('.', "/"));
        fs::create_dir_all(&folder).expect("a folder");
        let mut codecs = vec![json!({"name": "bytes", "configuration": {"endian": "little"}})];
        codecs.extend((!codec.is_empty()).then(|| json!({"name": codec, "configuration": {"level": 1}})));
        let metadata = match version {
            2 => json!({
                "zarr_format": 2, "shape": shape, "chunks": grid, "dtype": "<i4", "order": "C", "filters": null, "fill_value": 0,
                "compressor": if codec.is_empty() { Json::Null } else { json!({"id": codec, "level": 1}) },
                "dimension_separator": separator,
            }),
            _ => json!({
                "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "fill_value": 0,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": grid}},
                "chunk_key_encoding": {"name": "default", "configuration": {"separator": separator}},
                "codecs": codecs,
            }),
        };
        fs::write(folder.join(if version == 2 { ".zarray" } else { "zarr.json" }), metadata.to_string())
            .expect("metadata");
        let counts: Vec<i64> = shape.iter().zip(grid).map(|(extent, chunk)| (extent + chunk - 1) / chunk).collect();
        for at in indices(&vec![0; counts.len()], &counts) {
            let start: Vec<i64> = at.iter().zip(grid).map(|(at, chunk)| at * chunk).collect();
            let bytes: Vec<u8> = indices(&start, grid)
                .iter()
                .flat_map(|index| {
                    let is_inside = index.iter().zip(*shape).all(|(at, extent)| at < extent);
                    // Padding has any value.
                    let whole = if shape.is_empty() { &[1][..] } else { shape };
                    (if is_inside { element(number, whole, index) } else { -1 }).to_le_bytes()
                })
                .collect();
            let numbers: Vec<String> = at.iter().map(i64::to_string).collect();
            let key = match (version, numbers.is_empty()) {
                (2, true) => "0".to_owned(),
                (2, false) => numbers.join(separator),
                (_, true) => "c".to_owned(),
                (_, false) => format!("c{separator}{}", numbers.join(separator)),
            };
            let file = folder.join(key);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, packed(codec, &bytes)).expect("a chunk");
        }
    }
}

#[test]
fn chunks_of_zarr_are_read() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    fs::write(root.join("rules"), "*.weight [Shard(1)]\nc.* [Shard(2)]\n").expect("rules");
    for (number, (version, separator, codec)) in
        [(2, ".", ""), (2, "/", "zlib"), (2, ".", "zstd"), (3, "/", ""), (3, ".", "gzip"), (3, "/", "zstd")]
            .iter()
            .enumerate()
    {
        let source = format!("in{number}");
        zarr(&root.join(&source), *version, separator, codec);
        for (mesh, rules) in [("tp=4", true), ("dp=2,tp=3", false)] {
            let out = format!("out{number}{rules}");
            let mut arguments = vec!["--json", "reshard", &source, &out, "--to", mesh, "--memory", "4000", "--verify"];
            if rules {
                arguments.extend(["--rules", "rules"]);
            }
            let output = run(&arguments, root);
            assert!(output.status.success(), "{arguments:?}: {}", said(&output));
            assert_eq!(check(&root.join(&out))["a.weight"].len(), if rules { 4 } else { 6 });
            // One file alone has the same bytes.
            let one = format!("one{number}{rules}.safetensors");
            let mut alone = vec!["--json", "reshard", &source, &one, "--to", mesh, "--file", "2"];
            if rules {
                alone.extend(["--rules", "rules"]);
            }
            assert!(run(&alone, root).status.success(), "{alone:?}");
            let count = if rules { 4 } else { 6 };
            let whole = root.join(&out).join(format!("model-00002-of-{count:05}.safetensors"));
            assert_eq!(fs::read(root.join(one)).expect("a file"), fs::read(whole).expect("a file"));
        }
    }
    // A chunk of zeros need not be there; one of other bytes is missing.
    let chunk = root.join("in3/a/weight/c/0/0");
    let before = fs::read(&chunk).expect("a chunk");
    fs::remove_file(&chunk).expect("a chunk");
    let output = run(&["reshard", "in3", "zeros", "--to", "tp=2"], root);
    assert!(output.status.success(), "{}", said(&output));
    fs::write(&chunk, &before).expect("a chunk");
    let metadata = root.join("in3/a/weight/zarr.json");
    let right = fs::read_to_string(&metadata).expect("metadata");
    let refused = |from: &str, to: &str, words: &str| {
        assert!(right.contains(from), "{from}");
        fs::write(&metadata, right.replacen(from, to, 1)).expect("metadata");
        let output = run(&["reshard", "in3", "none", "--to", "tp=2"], root);
        assert!(
            matches!(output.status.code(), Some(1 | 2)) && said(&output).contains(words),
            "{to}: {}",
            said(&output)
        );
        assert!(!root.join("none").exists() && !root.join("none.part").exists());
    };
    refused("\"little\"", "\"big\"", "high byte first");
    refused("\"bytes\"", "\"transpose\"", "packed by transpose");
    refused("\"bytes\"", "\"sharding_indexed\"", "its chunk_shape is no list");
    refused("\"int32\"", "\"int31\"", "\"int31\" is not known");
    refused("\"int32\"", "\"int64\"", "a chunk has 224");
    refused("\"regular\"", "\"rectilinear\"", "rectilinear");
    refused("\"default\"", "\"v9\"", "is not known");
    refused("[7,4]", "[0,4]", "chunks of [0, 4]");
    refused("[7,4]", "[4]", "chunks of [4]");
    refused("[24,10]", "[24,-10]", "no list of extents");
    refused("[24,10]", "[4611686018427387904,4]", "chunks; at most");
    refused("[7,4]", "[4611686018427387904,4611686018427387904]", "overflow");
    refused("\"zarr_format\":3", "\"zarr_format\":4", "its zarr_format is 4");
    refused("{", "[{", "no metadata of Zarr");
    fs::write(&metadata, right.replace("\"fill_value\":0", "\"fill_value\":7")).expect("metadata");
    fs::remove_file(&chunk).expect("a chunk");
    assert!(said(&run(&["reshard", "in3", "none", "--to", "tp=2"], root)).contains("its elements are not 0"));
    // What does not unpack, to more or to less, is found when it is read; nothing gets the name.
    let packed_chunk = root.join("in5/a/weight/c/1/1");
    for bytes in
        [packed("zstd", &[0; 500]), packed("zstd", &[0; 20]), b"no zstd".to_vec(), packed("zstd", &[0; 1 << 20])]
    {
        fs::write(&packed_chunk, bytes).expect("a chunk");
        let output = run(&["reshard", "in5", "none", "--to", "tp=2"], root);
        assert!(!output.status.success() && said(&output).contains("c/1/1"), "{}", said(&output));
        assert!(!root.join("none").exists());
    }
    for codec in ["blosc", "lz4"] {
        let folder = root.join("in0/a/weight/.zarray");
        let text = fs::read_to_string(&folder).expect("metadata");
        fs::write(&folder, text.replace("\"compressor\":null", &format!("\"compressor\":{{\"id\":\"{codec}\"}}")))
            .expect("metadata");
        let output = run(&["reshard", "in0", "none", "--to", "tp=2"], root);
        assert!(said(&output).contains(&format!("packed by {codec}")), "{}", said(&output));
        fs::write(&folder, text).expect("metadata");
    }
    assert!(
        said(&run(&["reshard", "in5", "small", "--to", "tp=2", "--memory", "600"], root)).contains("packed chunks")
    );
}

/// What Orbax and others write by default of version 3: a file is several parts with an index of them.
#[test]
fn chunks_of_zarr_that_are_made_of_parts_are_read() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    zarr(&root.join("in"), 3, "/", "");
    let array = root.join("in/a/weight");
    let metadata = array.join("zarr.json");
    let right = fs::read_to_string(&metadata).expect("metadata");
    let plain = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
    let parts = |inner: &str, index: &str| {
        let codec = format!(
            r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{inner},"codecs":[{plain},{{"name":"zstd"}}],"index_codecs":[{index}],"index_location":"start"}}}}"#
        );
        let mut json: Json = serde_json::from_str(&right).expect("metadata");
        json["codecs"] = json!([serde_json::from_str::<Json>(&codec).expect("a codec")]);
        fs::write(&metadata, json.to_string()).expect("metadata");
    };
    parts("[7,2]", plain);
    for row in 0..4 {
        for column in 0..3 {
            let chunk = array.join(format!("c/{row}/{column}"));
            let bytes = fs::read(&chunk).expect("a chunk");
            // Of 7 rows of 4 numbers the first and the last two columns.
            let half = |from: usize| -> Vec<u8> {
                let own = bytes.chunks(16).flat_map(|row| row[from..from + 8].to_vec());
                packed("zstd", &own.collect::<Vec<_>>())
            };
            let halves = [half(0), half(8)];
            let (mut index, mut data) = (Vec::new(), Vec::new());
            for half in &halves {
                let [start, length] = [32 + data.len(), half.len()].map(|own| u64::try_from(own).expect("a number"));
                index.extend([start.to_le_bytes(), length.to_le_bytes()].concat());
                data.extend(half);
            }
            fs::write(&chunk, [index, data].concat()).expect("a chunk");
        }
    }
    for to in ["tp=4", "dp=2,tp=3"] {
        let output = run(&["reshard", "in", to, "--to", to, "--verify"], root);
        assert!(output.status.success(), "{}", said(&output));
        check(&root.join(to));
    }
    let refused = |words: &str| {
        let output = run(&["reshard", "in", "none", "--to", "tp=2"], root);
        assert!(!output.status.success() && said(&output).contains(words), "{words}: {}", said(&output));
        assert!(!root.join("none").exists());
    };
    parts("[7,3]", plain);
    refused("do not divide them");
    parts("[7,2]", r#"{"name":"zstd"}"#);
    refused("packed by zstd");
    parts("[7,2]", "");
    refused("its index is packed");
    parts("[1,1]", plain);
    refused("c/0/0");
}

#[test]
fn one_file_is_written_by_itself_from_the_bytes_that_it_has() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    fs::write(root.join("rules"), "a.* [Shard(0)] parts=4:1:1\nc.* [Shard(1)] parts=1:1 dim=1\nb.* [Shard(0)]\n")
        .expect("rules");
    for (files, dim, is_whole) in [(1, 0, true), (8, 0, false), (3, 1, false), (4, 2, false)] {
        let source = format!("in{files}{dim}");
        folder(&root.join(&source), files, dim, is_whole);
        let options = ["--to", "tp=4", "--rules", "rules"];
        let out = format!("out{files}{dim}");
        let output = run(&[&["reshard", &source, &out][..], &options].concat(), root);
        assert!(output.status.success(), "{}", said(&output));
        for number in 1..=4 {
            let (one, text) = (format!("{out}-{number}"), number.to_string());
            let arguments = [&["--json", "reshard", &source, &one][..], &options, &["--file", &text]].concat();
            let planned: Json =
                serde_json::from_slice(&run(&[&arguments[..], &["--dry-run"]].concat(), root).stdout).expect("a plan");
            assert!(!root.join(&one).exists());
            let needed: u64 =
                planned["reads"].as_array().expect("reads").iter().filter_map(|own| own[2].as_u64()).sum();
            let output = run(&arguments, root);
            assert!(output.status.success(), "{}", said(&output));
            let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
            assert_eq!(report["read"], report["written"], "{arguments:?}");
            assert!(needed >= report["read"].as_u64().expect("a number"));
            let whole = root.join(&out).join(format!("model-{number:05}-of-00004.safetensors"));
            assert_eq!(fs::read(root.join(&one)).expect("a file"), fs::read(whole).expect("a file"), "{arguments:?}");
            assert!(said(&run(&arguments, root)).contains("is there already"));
        }
        let arguments = ["reshard", &source, "five", "--to", "tp=4", "--file", "5"];
        assert!(said(&run(&arguments, root)).contains("file 5 of 4"));
    }
}

#[test]
fn files_are_repacked_on_the_way() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats/files");
    fs::create_dir(root.join("in")).expect("a folder");
    fs::copy(files.join("gptq4.safetensors"), root.join("in/model.safetensors")).expect("a copy");
    // Out-features are cut: those of qweight, zero points and scales lie along dim 1, and all devices have the groups.
    fs::write(root.join("rules"), "*.g_idx [Replicate()]\n*.q* [Shard(1)]\n*.scales [Shard(1)]\n").expect("rules");
    let options = ["--to", "tp=2", "--rules", "rules"];
    let formats = ["--repack", "gptq:v2,group=32", "marlin"];
    let output = run(&[&["--json", "reshard", "in", "out"][..], &options, &formats].concat(), root);
    assert!(output.status.success(), "{}", said(&output));
    let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
    // The same in two steps.
    assert!(run(&[&["reshard", "in", "plain"][..], &options].concat(), root).status.success());
    for number in 1..=2 {
        let name = format!("model-{number:05}-of-00002.safetensors");
        let (plain, twice) = (format!("plain/{name}"), format!("{number}.safetensors"));
        let arguments = ["repack", &plain, &twice, "--from", "gptq:v2,group=32", "--to", "marlin"];
        assert!(run(&arguments, root).status.success());
        let read = |path: &Path| {
            let bytes = fs::read(path).expect("a file");
            let container = bitstride_formats::Container::read(&bytes).expect("a header");
            let tensors = container.tensors.iter().map(|own| (own.name.clone(), bytes[own.data.clone()].to_vec()));
            (tensors.collect::<Vec<_>>(), container.about, bytes.len())
        };
        let (ours, about, size) = read(&root.join("out").join(&name));
        assert_eq!(ours, read(&root.join(&twice)).0);
        assert!(about["bitstride.layout:model.layers.0.q_proj."].starts_with("marlin:"), "{about:?}");
        // What was cut along a dim of words is no more a part of the whole tensor.
        assert!(!about["DCP_SHARDING_INFO"].contains("qweight"), "{about:?}");
        assert_eq!(report["files"][number - 1]["bytes"], json!(size));
    }
    assert!(!root.join("out.part").exists());
    // A run that ended early is gone on with; one that cannot be made leaves nothing under the name.
    fs::rename(root.join("out"), root.join("kept")).expect("a folder");
    let refused =
        run(&[&["reshard", "in", "out"][..], &options, &["--repack", "gptq:v2,group=32", "mlx"]].concat(), root);
    assert!(!refused.status.success() && said(&refused).contains("zeros"), "{}", said(&refused));
    assert!(!root.join("out").exists());
    let output = run(&[&["--json", "reshard", "in", "out"][..], &options, &formats].concat(), root);
    assert!(output.status.success(), "{}", said(&output));
    let names = |folder: &str| fs::read_dir(root.join(folder)).expect("a folder").count();
    assert_eq!((names("out"), names("kept")), (2, 2));
}

#[test]
fn chunks_of_zarr_are_written() {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path();
    fs::write(root.join("rules"), "*.weight [Shard(1)]\nc.* [Shard(2)]\n").expect("rules");
    folder(&root.join("in"), 3, 1, false);
    for (number, (mesh, rules)) in [("tp=4", true), ("tp=5", false), ("dp=2,tp=3", false)].iter().enumerate() {
        let out = format!("out{number}.zarr");
        let mut arguments = vec!["--json", "reshard", "in", &out, "--to", mesh];
        if *rules {
            arguments.extend(["--rules", "rules"]);
        }
        let output = run(&arguments, root);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        // Copies are there once.
        let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
        let data: i64 = TENSORS.iter().map(|(_, shape)| 4 * shape.iter().product::<i64>()).sum();
        assert_eq!(report["read"].as_i64(), Some(data), "{arguments:?}");
        let again = format!("again{number}");
        let output = run(&["reshard", &out, &again, "--to", "tp=3", "--verify"], root);
        assert!(output.status.success(), "{}", said(&output));
        check(&root.join(&again));
        assert!(said(&run(&arguments, root)).contains("is there already"));
        // What is there is compared only, as what is written is before it gets its name.
        let verify = |out: &str| {
            let named = arguments.iter().map(|own| if own.ends_with(".zarr") { out } else { own });
            run(&named.chain(["--verify"]).collect::<Vec<_>>(), root)
        };
        let counts = |output: &Output| {
            assert!(output.status.success(), "{}", said(output));
            let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
            (report["written"].clone(), report["verified"].clone())
        };
        let (_, verified) = counts(&verify(&format!("new{number}.zarr")));
        assert_eq!(counts(&verify(&out)), (json!(0), verified.clone()));
        assert!(verified["bytes"].as_i64() >= Some(data) && verified["chunks"].as_i64() > Some(4), "{verified}");
        let chunk = root.join(&out).join("a.weight/c/0/0");
        let right = fs::read(&chunk).expect("a chunk");
        let mut wrong = right.clone();
        wrong[41] ^= 1;
        for (bytes, words) in [(&wrong[..], "byte 41"), (&right[1..], "were written")] {
            fs::write(&chunk, bytes).expect("a chunk");
            let output = verify(&out);
            assert!(!output.status.success() && said(&output).contains(words), "{}", said(&output));
        }
        fs::write(&chunk, right).expect("a chunk");
        let metadata = root.join(&out).join("b.bias/zarr.json");
        let right = fs::read(&metadata).expect("metadata");
        fs::write(&metadata, "{}").expect("metadata");
        assert!(said(&verify(&out)).contains("what was written"));
        fs::write(&metadata, right).expect("metadata");
    }
    // Five of 24 rows in 5 chunks, the last of which is padded.
    let metadata: Json =
        serde_json::from_slice(&fs::read(root.join("out1.zarr/a.weight/zarr.json")).expect("metadata"))
            .expect("metadata");
    assert_eq!(metadata["chunk_grid"]["configuration"]["chunk_shape"], json!([5, 10]));
    assert_eq!(fs::read(root.join("out1.zarr/a.weight/c/4/0")).expect("a chunk").len(), 200);
    // A run that was killed is gone on with: what is whole stays, and what is half of a chunk goes.
    fs::rename(root.join("out1.zarr"), root.join("whole")).expect("a folder");
    let arguments = ["--json", "reshard", "in", "out1.zarr", "--to", "tp=5"];
    for seed in 0..6_u64 {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("runs");
        std::thread::sleep(Duration::from_micros(seed * 2500));
        let _ = child.kill();
        let _ = child.wait();
        if !root.join("out1.zarr").exists() {
            if let Ok(chunks) = fs::read_dir(root.join("out1.zarr.part/a.weight/c/0")) {
                drop(chunks);
                fs::write(root.join("out1.zarr.part/a.weight/c/0/0.99999"), b"half").expect("a file");
            }
            assert!(run(&arguments, root).status.success());
        }
        for name in ["a.weight/c/4/0", "a.weight/zarr.json", "b.bias/c/0", "zarr.json"] {
            let read = |folder: &str| fs::read(root.join(folder).join(name)).expect("a file");
            assert_eq!(read("out1.zarr"), read("whole"), "{name}");
        }
        assert!(!root.join("out1.zarr/a.weight/c/0/0.99999").exists());
        fs::remove_dir_all(root.join("out1.zarr")).expect("a folder");
    }
    fs::write(root.join("fused"), "a.* [Shard(0)] parts=4:1:1\n").expect("rules");
    let refused = run(&["reshard", "in", "none.zarr", "--to", "tp=4", "--rules", "fused"], root);
    assert!(said(&refused).contains("regular grid"), "{}", said(&refused));
    assert!(
        said(&run(&["reshard", "in", "none.zarr", "--to", "tp=4", "--file", "1"], root)).contains("arrays of Zarr")
    );
    assert!(!root.join("none.zarr").exists() && !root.join("none.zarr.part").exists());
}
