//! Checkpoints written for other meshes: every element, every byte that is read, hostile headers, and runs that are killed.

#![allow(clippy::panic, reason = "that is how a test fails")]

mod checkpoint;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use checkpoint::{PROGRAM, TENSORS, check, folder, run, said, zarr};

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
