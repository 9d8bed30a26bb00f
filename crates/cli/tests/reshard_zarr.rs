//! Checkpoints of Zarr read and written for other meshes: chunks, how they are packed, and chunks that are made of parts.

#![allow(clippy::panic, reason = "that is how a test fails")]

mod checkpoint;

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use checkpoint::{PROGRAM, TENSORS, check, folder, packed, run, said, zarr};

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
