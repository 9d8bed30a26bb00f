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
        (
            &zeros,
            "--from gptq:v2,k=128,n=32 --to gptq:v1 --field zeros --tensor tensor",
            "element (0,30): 0 would be stored as -1",
        ),
        (&renamed, "--from gguf:q4_0,n=1,k=32 --to pairs:low", "a GGUF file by its first bytes"),
    ] {
        let (code, said) = repack(input, &out, &rest.split(' ').collect::<Vec<_>>());
        assert!(code != 0 && said.contains(words), "{rest}: {code} {said}");
        assert_eq!(fs::read(&out).unwrap(), b"before");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "something was left behind");
    let (code, said) = repack(
        &gguf,
        &folder.path().join("o.gguf"),
        &["--from", "gguf:q4_0", "--to", "gguf:q4_0", "--tensor", "blk.0.q4_0.weight"],
    );
    assert!(code == 2 && said.contains("only read"), "{said}");
    let (code, said) = repack(&input, &folder.path().join("o.bin"), &["--from", "gptq:v2,group=32", "--to", "marlin"]);
    assert!(code == 2 && said.contains("OUT holds one tensor"), "{said}");
}
