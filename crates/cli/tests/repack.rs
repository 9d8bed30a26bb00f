//! `bitstride repack` on files of real converters: byte for byte, there and back, and what is refused leaves OUT as it was.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats/files")
}

/// Runs the program; its code and what it said.
fn run(args: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = std::iter::once("bitstride").chain(args.iter().copied()).map(OsString::from);
    let code = bitstride_cli::run(args, &mut std::io::empty(), &mut out, &mut err);
    (code, format!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err)))
}

fn repack(input: &Path, output: &Path, rest: &[&str]) -> (u8, String) {
    run(&[&["repack", input.to_str().unwrap(), output.to_str().unwrap()], rest].concat())
}

/// The tensors of a file by name.
fn tensors(path: &Path) -> Vec<(String, Vec<u8>)> {
    let bytes = fs::read(path).unwrap();
    let read = bitstride_formats::Container::read(&bytes).unwrap();
    let mut all: Vec<_> = read.tensors.iter().map(|own| (own.name.clone(), bytes[own.data.clone()].to_vec())).collect();
    all.sort();
    all
}

#[test]
fn converters_are_met_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    for (input, expected, args) in [
        ("gptoss.safetensors", "gptoss.gguf.bin", "--from hf:mxfp4 --to gguf:mxfp4"),
        ("deepgemm.safetensors", "deepgemm.ue8m0.bin", "--from dense:f32 --to deepgemm:ue8m0"),
        ("nvfp4.safetensors", "nvfp4.sf128x4.bin", "--from mx:scale --to mx:scale128x4 --tensor w13.weight_scale"),
        (
            "nvfp4.safetensors",
            "nvfp4.trtllm.weight.bin",
            "--from trtllm:rows,m=256,b=64 --to trtllm:w3w1,tile=128 --tensor w13.weight",
        ),
        ("awq4.safetensors", "awq4.marlin.qweight.bin", "--from awq:gemm,group=32 --to marlin --field codes"),
        ("awq4.safetensors", "awq4.gptq.qzeros.bin", "--from awq:gemm,group=32 --to gptq:v1 --field zeros"),
        (
            "ggml-a32.gguf",
            "ggml-a32.q4_0_4x8.bin",
            "--from gguf:q4_0 --to ggml:q4_0,rows=4,interleave=8 --tensor blk.0.q4_0.weight",
        ),
        (
            "bnb.safetensors",
            "bnb.lowfirst.bin",
            "--from bnb:nf4,n=64,k=128 --to pairs:low,kind=nf4 --tensor weight --field codes",
        ),
    ] {
        let out = folder.path().join("out.bin");
        let (code, said) = repack(&files().join(input), &out, &args.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 0, "{input} {args}: {said}");
        assert!(fs::read(&out).unwrap() == fs::read(files().join(expected)).unwrap(), "{input} {args}");
    }
}

#[test]
fn whole_files_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let [there, back] = ["there.safetensors", "back.safetensors"].map(|name| folder.path().join(name));
    for (input, own, other) in [
        ("gptq4.safetensors", "gptq:v2,group=32", "marlin"),
        ("gptq8.safetensors", "gptq:v2,bits=8,group=64", "marlin"),
        ("awq4.safetensors", "awq:gemm,group=32", "gptq:v1"),
    ] {
        let input = files().join(input);
        let (code, said) = repack(&input, &there, &["--from", own, "--to", other]);
        assert_eq!(code, 0, "{said}");
        assert_ne!(tensors(&input), tensors(&there));
        // The extents and the group are known to the file by its contract, but the name has to say what it says.
        let from = own.split_once(',').map_or(other.to_owned(), |(_, rest)| {
            format!("{other}{}{rest}", if other.contains(':') { "," } else { ":" })
        });
        let (code, said) = repack(&there, &back, &["--from", &from, "--to", own]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(tensors(&input), tensors(&back));
        let (code, said) = repack(&there, &back, &["--from", own, "--to", other]);
        assert!(code != 0 && said.contains("has no tensor") || said.contains("contract"), "{said}");
    }
}

#[test]
fn what_is_refused_leaves_out_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.safetensors");
    fs::write(&out, b"before").unwrap();
    let input = files().join("gptq4.safetensors");
    // Zero points of 0 cannot be stored minus 1.
    let zeros = folder.path().join("zeros.npy");
    let mut array = b"\x93NUMPY\x01\0\x76\0".to_vec();
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 4), }";
    array.extend(format!("{header:117}\n").bytes());
    array.extend([0x11; 15]);
    array.push(0x10);
    fs::write(&zeros, &array).unwrap();
    let gguf = files().join("ggml-a32.gguf");
    let renamed = folder.path().join("model.bin");
    fs::copy(&gguf, &renamed).unwrap();
    for (input, rest, words) in [
        (&input, "--from gptq:v2 --to marlin", "has i32[1,16]"),
        (&input, "--from gptq:v2,group=32 --to awq:gemv,bits=8", "elements have 4 bits"),
        (&input, "--from gptq:v2,group=32 --to mlx", "no place for zeros"),
        (&input, "--from awq:gemm,group=32 --to gptq:v1", "has i32[1,128]"),
        (&input, "--from gptq,group=32 --to marlin", "variant is missing"),
        (&input, "--from hf:mxfp4 --to gguf:mxfp4", "the file has no tensors"),
        (&input, "--from gptq:v2,group=32 --to marlin --field code", "has no field code"),
        (&zeros, "--from gptq:v2,k=128,n=32 --to gptq:v1 --field zeros", "element (0,30): 0 would be stored as -1"),
        (&zeros, "--from gptq:v2,k=128,n=32 --to gptq:v1", "one tensor, but the fields of gptq:v2,"),
        (&renamed, "--from gguf:q4_0,n=1,k=32 --to pairs:low", "a GGUF file by its first bytes"),
    ] {
        let (code, said) = repack(input, &out, &rest.split(' ').collect::<Vec<_>>());
        assert!(code != 0 && said.contains(words), "{rest}: {code} {said}");
        assert_eq!(fs::read(&out).unwrap(), b"before");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "something was left behind");
    // ggml has no type of unsigned bytes.
    let (code, said) = repack(
        &gguf,
        &folder.path().join("o.gguf"),
        &["--from", "gguf:q4_0", "--to", "ggml:q4_0,rows=8,interleave=8", "--tensor", "blk.0.q4_0.weight"],
    );
    assert!(code == 2 && said.contains("ggml has no type u8"), "{said}");
    let (code, said) = repack(&input, &folder.path().join("o.bin"), &["--from", "gptq:v2,group=32", "--to", "marlin"]);
    assert!(code == 2 && said.contains("OUT holds one tensor"), "{said}");
}

/// A GGUF file keeps its keys and tensors: as another GGUF file, and through a file of another kind.
#[test]
fn gguf_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let gguf = files().join("ggml-a32.gguf");
    let [same, there, back] = ["same.gguf", "there.safetensors", "back.gguf"].map(|name| folder.path().join(name));
    let (code, said) = repack(&gguf, &same, &["--from", "gguf:q4_0", "--to", "gguf:q4_0"]);
    assert!(code == 0, "{said}");
    assert_eq!(tensors(&gguf), tensors(&same));
    let read = |path: &Path| bitstride_formats::Container::read(&fs::read(path).unwrap()).unwrap();
    let own = |path: &Path| {
        let all = read(path).keys;
        all.into_iter().filter(|key| !key.name.starts_with("bitstride")).collect::<Vec<_>>()
    };
    assert!(!own(&gguf).is_empty() && own(&gguf) == own(&same));
    let kinds = |path: &Path| {
        read(path)
            .tensors
            .into_iter()
            .map(|own| (own.name, own.dtype, own.shape))
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(kinds(&gguf), kinds(&same));
    let to = "ggml:q4_0,rows=8,interleave=8";
    let (code, said) = repack(&gguf, &there, &["--from", "gguf:q4_0", "--to", to]);
    assert!(code == 0 && said.contains("kept"), "{said}");
    // Blocks that are kept are rows of bytes there, with the contract that says which.
    let kept = read(&there).tensors.into_iter().filter(|own| own.dtype == "u8").count();
    assert_eq!(
        kept,
        kinds(&gguf).iter().filter(|(_, dtype, _)| dtype.starts_with('q') || dtype.starts_with("iq")).count()
    );
    let (code, said) = repack(&there, &back, &["--from", to, "--to", "gguf:q4_0", "--tensor", "blk.0.q4_0.weight"]);
    assert!(code == 0, "{said}");
    assert_eq!(own(&gguf), own(&back));
    assert_eq!(tensors(&gguf), tensors(&back));
    assert_eq!(kinds(&gguf), kinds(&back));
}

/// A tensor of a type that is not known here is kept byte for byte in a GGUF file, and no other file is written without it.
#[test]
fn unknown_types_are_kept_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.gguf");
    let text = |text: &str| [&u64::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes()].concat();
    let tensor = |name: &str, of: u32, extent: u64, offset: u64| {
        let mut bytes = text(name);
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(extent.to_le_bytes());
        bytes.extend(of.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes
    };
    let mut bytes = [&b"GGUF"[..], &3u32.to_le_bytes(), &3u64.to_le_bytes(), &0u64.to_le_bytes()].concat();
    // A type of later versions between two that are known; the last one reaches to the end of the file.
    bytes.extend(tensor("a", 2, 32, 0));
    bytes.extend(tensor("b", 4000, 77, 32));
    bytes.extend(tensor("c", 4001, 3, 96));
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    let start = bytes.len();
    bytes.extend((0..101u8).map(|byte| byte.wrapping_mul(7)));
    fs::write(&input, &bytes).unwrap();
    let [out, other] = ["out.gguf", "out.safetensors"].map(|name| folder.path().join(name));
    let (code, said) = repack(&input, &out, &["--from", "gguf:q4_0", "--to", "gguf:q4_0"]);
    assert!(code == 0 && said.contains("2 kept"), "{said}");
    let all = tensors(&out);
    assert_eq!(all, tensors(&input));
    assert_eq!((all[1].1.as_slice(), all[2].1.len()), (&bytes[start + 32..start + 96], 5));
    let kinds = |path: &Path| {
        let read = bitstride_formats::Container::read(&fs::read(path).unwrap()).unwrap();
        read.tensors.into_iter().map(|own| (own.name, own.dtype, own.shape)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&out)[1..], kinds(&input)[1..]);
    let (code, said) = repack(&input, &other, &["--from", "gguf:q4_0", "--to", "ggml:q4_0,rows=1,interleave=16"]);
    assert!(code == 2 && said.contains("b (ggml_type_4000), c (ggml_type_4001)"), "{said}");
    assert!(!other.exists());
}

/// A checkpoint of several files, by its index, under other names.
#[test]
fn an_index_is_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names.txt");
    fs::write(&names, "# layers\nmodel.*.q_proj.* = blk.*.attn_q.*\n").unwrap();
    let source = files().join("gptq4.safetensors");
    // Two files of one layer each.
    for (number, layer) in [(1, "model.0.q_proj."), (2, "model.1.q_proj.")] {
        let rules = folder.path().join("prefix.txt");
        fs::write(&rules, format!("model.layers.0.q_proj.* = {layer}*")).unwrap();
        let own = folder.path().join(format!("in-{number}.safetensors"));
        let args = ["--from", "gptq:v2,group=32", "--to", "gptq:v2", "--rename", rules.to_str().unwrap()];
        let (code, said) = repack(&source, &own, &args);
        assert!(code == 0, "{said}");
    }
    let all: Vec<(String, usize)> = [1, 2]
        .into_iter()
        .flat_map(|number| {
            let own = tensors(&folder.path().join(format!("in-{number}.safetensors")));
            own.into_iter().map(move |(name, _)| (name, number))
        })
        .collect();
    let map: Vec<String> =
        all.iter().map(|(name, number)| format!("\"{name}\": \"in-{number}.safetensors\"")).collect();
    let index = folder.path().join("in.safetensors.index.json");
    fs::write(&index, format!("{{\"weight_map\": {{{}}}}}", map.join(", "))).unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    let out = folder.path().join("out/model.safetensors.index.json");
    let args = ["--from", "gptq:v2,group=32", "--to", "marlin", "--rename", names.to_str().unwrap()];
    let (code, said) = repack(&index, &out, &args);
    assert!(code == 0 && said.contains("of 2 groups"), "{said}");
    let [first, second] =
        [1, 2].map(|number| tensors(&folder.path().join(format!("out/model-{number:05}-of-00002.safetensors"))));
    assert!(first.iter().any(|(name, _)| name == "blk.0.attn_q.qweight"));
    // Both layers are the same.
    let plain = |all: &[(String, Vec<u8>)]| all.iter().map(|(_, bytes)| bytes.clone()).collect::<Vec<_>>();
    assert_eq!(plain(&first), plain(&second));
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("\"blk.1.attn_q.scales\": \"model-00002-of-00002.safetensors\""), "{text}");
    // As one file, and back under the old names.
    let joined = folder.path().join("joined.safetensors");
    fs::write(&names, "blk.*.attn_q.* = model.*.q_proj.*").unwrap();
    let args = ["--from", "marlin:group=32", "--to", "gptq:v2", "--rename", names.to_str().unwrap()];
    let (code, said) = repack(&out, &joined, &args);
    assert!(code == 0, "{said}");
    let mut wanted: Vec<_> = [1, 2]
        .into_iter()
        .flat_map(|number| tensors(&folder.path().join(format!("in-{number}.safetensors"))))
        .collect();
    wanted.sort();
    assert_eq!(tensors(&joined), wanted);
    // What is there is not replaced, and an index has to be true.
    let (code, said) = repack(&index, &out, &["--from", "gptq:v2,group=32", "--to", "marlin"]);
    assert!(code == 2 && said.contains("not replaced"), "{said}");
    fs::write(&index, "{\"weight_map\": {\"x\": \"in-1.safetensors\"}}").unwrap();
    let (code, said) = repack(&index, &joined, &["--from", "gptq:v2,group=32", "--to", "marlin"]);
    assert!(code == 2 && said.contains("has no tensor x"), "{said}");
    fs::write(&index, "{\"weight_map\": {\"x\": \"../in-1.safetensors\"}}").unwrap();
    let (code, said) = repack(&index, &joined, &["--from", "gptq:v2,group=32", "--to", "marlin"]);
    assert!(code == 2 && said.contains("no file beside it"), "{said}");
    fs::write(&index, "{\"weight_map\": {\"x\": \"in-1.safetensors\",\n\"x\": \"in-2.safetensors\"}}").unwrap();
    let (code, said) = repack(&index, &joined, &["--from", "gptq:v2,group=32", "--to", "marlin"]);
    assert!(code == 2 && said.contains("the key x of weight_map is there twice, on lines 1 and 2"), "{said}");
}

/// What files say of themselves is held against formats, contracts and each other.
#[test]
fn files_are_checked_by_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let marlin = folder.path().join("marlin.safetensors");
    let input = files().join("gptq4.safetensors");
    let (code, said) = repack(&input, &marlin, &["--from", "gptq:v2,group=32", "--to", "marlin"]);
    assert!(code == 0, "{said}");
    let marlin = marlin.to_str().unwrap();
    assert_eq!(run(&["check", marlin, "marlin"]).0, 0);
    let (code, said) = run(&["check", marlin, "gptq:v2", "--field", "codes"]);
    assert!(code == 1 && said.contains("different") && said.contains("cures it"), "{said}");
    let contract = bitstride_formats::Container::read(&fs::read(marlin).unwrap()).unwrap().about;
    let contract = contract.into_iter().find(|(key, _)| key.starts_with("bitstride.layout")).unwrap().1;
    assert_eq!(run(&["check", &contract, marlin]).0, 0);
    let (code, said) = run(&["check", &contract.replace('#', "#0"), marlin]);
    assert!(code == 1 && said.contains("another definition"), "{said}");
    // Blocks of GGUF files have their layout as their type.
    let gguf = files().join("ggml-a32.gguf");
    let gguf = gguf.to_str().unwrap();
    assert_eq!(run(&["check", gguf, "gguf:q4_0", "--tensor", "blk.0.q4_0.weight"]).0, 0);
    let (code, said) = run(&["check", gguf, "gguf:q4_1", "--tensor", "blk.0.q4_0.weight"]);
    assert!(code == 1 && said.contains("different"), "{said}");
    assert_eq!(run(&["check", gguf, "gguf:q4_1"]).0, 3, "several tensors");
    let (_, said) = run(&["check", gguf, "gguf:q4_1"]);
    assert!(said.contains("--tensor names one of blk.0."), "{said}");
    let plain = folder.path().join("w.bin");
    fs::write(&plain, [0; 18]).unwrap();
    let (code, said) = run(&["check", plain.to_str().unwrap(), "gguf:q4_0", "--shape", "1,32"]);
    assert!(code == 2 && said.contains("a file without names of tensors"), "{said}");
    // A file that says nothing is not guessed at.
    let (code, said) = run(&["check", input.to_str().unwrap(), "gptq:v2"]);
    assert!(code == 3 && said.contains("does not say"), "{said}");
    // Zero points that are all 7 or 8 suggest a variant, and decide nothing.
    let mut bytes = fs::read(&input).unwrap();
    let zeros = bitstride_formats::Container::read(&bytes)
        .unwrap()
        .tensor("model.layers.0.q_proj.qzeros")
        .unwrap()
        .data
        .clone();
    bytes[zeros].fill(0x77);
    let [plain, said_v2] = ["plain.safetensors", "said.safetensors"].map(|name| folder.path().join(name));
    fs::write(&plain, bytes).unwrap();
    let (code, said) = repack(&plain, &said_v2, &["--from", "gptq:v2,group=32", "--to", "gptq:v2"]);
    assert!(code == 0, "{said}");
    let (code, said) = run(&["check", said_v2.to_str().unwrap(), "gptq:v2"]);
    assert!(
        code == 0
            && said.contains("heuristic, no proof: model.layers.0.q_proj.qzeros has 7")
            && said.contains("gptq:v1"),
        "{said}"
    );
}

/// A `.safetensors` file of tensors, each a name, a type, extents and bytes.
fn safetensors(tensors: &[(&str, &str, &[usize], Vec<u8>)]) -> Vec<u8> {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for (name, dtype, shape, bytes) in tensors {
        let end = data.len() + bytes.len();
        entries
            .push(format!(r#""{name}":{{"dtype":"{dtype}","shape":{shape:?},"data_offsets":[{},{end}]}}"#, data.len()));
        data.extend(bytes);
    }
    let header = format!("{{{}}}", entries.join(","));
    [&u64::try_from(header.len()).unwrap().to_le_bytes()[..], header.as_bytes(), &data].concat()
}

/// Noise that is the same in every run.
fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| u8::try_from((at * 2_654_435_761) >> 7 & 0xff).unwrap()).collect()
}

/// A checkpoint as compressed-tensors 0.20 writes it, with what it says of itself in `config.json`.
fn checkpoint(folder: &Path, shape: [i64; 2]) {
    let layer = "model.layers.0.q_proj";
    let extents = shape.iter().flat_map(|extent| extent.to_le_bytes()).collect();
    let file = safetensors(&[
        (&format!("{layer}.weight_packed"), "I32", &[64, 8], noise(2048)),
        (&format!("{layer}.weight_scale"), "F16", &[64, 2], noise(256)),
        (&format!("{layer}.weight_zero_point"), "I32", &[8, 2], noise(64)),
        (&format!("{layer}.weight_shape"), "I64", &[2], extents),
        ("model.norm.weight", "BF16", &[64], noise(128)),
    ]);
    fs::write(folder.join("model.safetensors"), file).unwrap();
    let config = r#"{"quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized",
        "version": "0.20.1", "config_groups": {"group_0": {"weights":
        {"num_bits": 4, "group_size": 32, "strategy": "group", "symmetric": false}}}}}"#;
    fs::write(folder.join("config.json"), config).unwrap();
}

/// What `config.json` says is enough: no format is named, and a folder is a checkpoint.
#[test]
fn a_configuration_names_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("in"), tempfile::tempdir().unwrap());
    fs::create_dir(&input).unwrap();
    checkpoint(&input, [64, 64]);
    let [there, back] = ["there.safetensors", "back.safetensors"].map(|name| out.path().join(name));
    let (code, said) = repack(&input, &there, &["--to", "gptq:v2"]);
    assert!(
        code == 0 && said.contains("ct:pack@0.20,bits=4,n=64,k=64,dim=1,group=32,symmetric=0 -> gptq:v2"),
        "{said}"
    );
    // The shape of the weight is made again, and the contract of the file says what it holds.
    let (code, said) = repack(&there, &back, &["--to", "ct:pack@0.20,symmetric=0"]);
    assert!(code == 0, "{said}");
    assert_eq!(tensors(&input.join("model.safetensors")), tensors(&back));
    let (code, said) = run(&["check", input.to_str().unwrap(), there.to_str().unwrap()]);
    assert!(code == 1 && said.contains("config.json says that") && said.contains("zeros: different"), "{said}");
    let (code, said) = run(&["check", back.to_str().unwrap(), "ct:pack@0.20,symmetric=0"]);
    assert!(code == 0 && !said.contains("config.json"), "{said}");
    // A shape that the format does not have would be lost.
    checkpoint(&input, [64, 60]);
    let (code, said) = repack(&input, &there, &["--to", "gptq:v2"]);
    assert!(code == 1 && said.contains("shape: element 1 is 60, and the format says 64"), "{said}");
    fs::write(input.join("config.json"), r#"{"quantization_config": {"quant_method": "spqr"}}"#).unwrap();
    let (code, said) = repack(&input, &there, &["--to", "gptq:v2"]);
    assert!(code == 2 && said.contains("config.json: the layout of spqr is not known here"), "{said}");
    fs::write(input.join("config.json"), "{}").unwrap();
    let (code, said) = repack(&input, &there, &["--to", "gptq:v2"]);
    assert!(code == 3 && said.contains("neither the file nor a config.json beside it"), "{said}");
    fs::write(input.join("other.safetensors"), safetensors(&[])).unwrap();
    let (code, said) = repack(&input, &there, &["--to", "gptq:v2"]);
    assert!(code == 2 && said.contains("no single index or file of tensors"), "{said}");
}

/// Layers beside norms that have the name of a packed tensor, and a tensor a file by its own name.
#[test]
fn names_are_those_of_real_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let [input, other, out] =
        ["in.safetensors", "b.safetensors", "out.safetensors"].map(|name| folder.path().join(name));
    let layer = |name: &str| format!("model.layers.0.{name}");
    let all: [(&str, &str, &[usize], Vec<u8>); 5] = [
        (&layer("q_proj.weight"), "U8", &[2048, 1], noise(2048)),
        (&layer("q_proj.weight.absmax"), "U8", &[64], noise(64)),
        (&layer("q_proj.weight.nested_absmax"), "F32", &[1], noise(4)),
        (&layer("q_proj.weight.quant_map"), "F32", &[16], noise(64)),
        (&layer("norm.weight"), "BF16", &[64], noise(128)),
    ];
    fs::write(&input, safetensors(&all)).unwrap();
    let (code, said) = repack(&input, &out, &["--from", "bnb:nf4,n=64,k=64,nested=1", "--to", "bnb:nf4,nested=1"]);
    assert!(code == 0 && said.starts_with("3 tensors made, 2116 bytes, of 1 groups; 2 kept"), "{said}");
    assert_eq!(tensors(&input), tensors(&out));
    let (code, said) = repack(&input, &out, &["--from", "bnb:nf4,n=64,k=64", "--to", "pairs:low,kind=nf4"]);
    assert!(code == 2 && said.contains("weight.absmax is u8[64], 64 bytes"), "{said}");
    // The extents of a flat tensor are those of --shape, of the file as of the name.
    let config = r#"{"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": true}"#;
    fs::write(folder.path().join("config.json"), config).unwrap();
    for shape in ["n=64,k=64", "64,64"] {
        let (code, said) = run(&["check", input.to_str().unwrap(), "bnb:nf4,nested=1", "--shape", shape]);
        assert!(code == 0 && said.contains("holds bnb:nf4,n=64,k=64,blocksize=64,nested=1"), "{said}");
    }
    fs::remove_file(folder.path().join("config.json")).unwrap();
    // Two files whose tensors have other names.
    let [a, b] = ["a.q_proj", "blk.0.attn_q"].map(|name| (format!("{name}.weight"), format!("{name}.weight_packed")));
    fs::write(
        &input,
        safetensors(&[(&a.1, "I32", &[8, 4], noise(128)), ("x.weight_packed", "I32", &[8, 4], noise(128))]),
    )
    .unwrap();
    fs::write(
        &other,
        safetensors(&[(&b.1, "I32", &[8, 4], noise(128)), ("y.weight_packed", "I32", &[8, 4], noise(128))]),
    )
    .unwrap();
    let to = ["--from", "ct:pack@0.20,n=8,k=32", "--to", "ct:pack@old", "--field", "codes"];
    for file in [&input, &other] {
        let (code, said) = repack(file, file, &to);
        assert!(code == 0, "{said}");
    }
    let files = [input.to_str().unwrap(), other.to_str().unwrap()];
    let check = |rest: &[&str]| run(&[&["check", files[0], files[1], "--field", "codes"], rest].concat());
    let (code, said) = check(&["--tensor", "a.q_proj", "--tensor", "blk.0.attn_q"]);
    assert!(code == 0 && said.contains("codes: same bytes"), "{said}");
    let (code, said) = check(&["--tensor", "a.q_proj"]);
    assert!(code == 2 && said.contains("b.safetensors: the file has no tensor a.q_proj"), "{said}");
    let (code, said) = check(&["--tensor", "a", "--tensor", "b", "--tensor", "c"]);
    assert!(code == 2 && said.contains("3 names of tensors for 2 files"), "{said}");
}

/// A file that says nothing is no answer, and its zero points are what they are.
#[test]
fn zero_points_of_an_unlabelled_file_suggest_a_variant() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.safetensors");
    for (byte, variant) in [(0x77, "gptq:v1"), (0x88, "gptq:v2")] {
        let file = safetensors(&[
            ("q_proj.qweight", "I32", &[16, 64], noise(4096)),
            ("q_proj.qzeros", "I32", &[1, 8], vec![byte; 32]),
            ("q_proj.scales", "F16", &[1, 64], noise(128)),
        ]);
        fs::write(&input, file).unwrap();
        let (code, said) = run(&["check", input.to_str().unwrap(), "gptq:v2"]);
        assert!(code == 3 && said.contains("does not say") && said.contains(&format!("as {variant} stores")), "{said}");
        let said = run(&["check", input.to_str().unwrap(), "awq:gemm"]).1;
        assert!(!said.contains("heuristic"), "{said}");
        fs::write(folder.path().join("config.json"), r#"{"quant_method": "gptq", "bits": 4, "group_size": 128}"#)
            .unwrap();
        let (code, said) = run(&["check", input.to_str().unwrap(), "gptq:v1"]);
        assert!(
            code == 0 && said.contains("holds gptq:v1") && said.contains(&format!("as {variant} stores")),
            "{said}"
        );
        fs::remove_file(folder.path().join("config.json")).unwrap();
    }
}
