//! The cases of the bench of stored layouts: a layer of 4096 x 4096 codes of 4 bits (8.4 MB packed) in memory, on one thread.
//!
//! The peer is ggml's own repacking in C++, where `BITSTRIDE_GGML` names a program that prints its times for the same cases; how to
//! build one from ggml's source is in `docs/perf/formats.md`. Peers in Python are in `benches/python/formats.py`.

use std::process::Command;
use std::sync::Mutex;

use bitstride::cast::index;
use bitstride::{Code, Error};
use bitstride_formats::{Repack, Zoo};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::peer::{Peer, measured};
use super::suite::{Case, Suite};

/// Repacking; ggml beside it.
pub(super) const SUITE: Suite = Suite { name: "formats", cases, peers };

/// Name, what is repacked, formats, fields.
type Row = (&'static str, &'static str, [&'static str; 2], &'static [&'static str]);

const ROWS: [Row; 11] = [
    (
        "q4_0 to 8x8",
        "gguf:q4_0 to ggml:q4_0, 9.4 MB: xor 0x88",
        ["gguf:q4_0,n=4096,k=4096", "ggml:q4_0,rows=8,interleave=8,n=4096,k=4096"],
        &[],
    ),
    (
        "q4_0 to 4x4",
        "gguf:q4_0 to ggml:q4_0, 9.4 MB: xor 0x88",
        ["gguf:q4_0,n=4096,k=4096", "ggml:q4_0,rows=4,interleave=4,n=4096,k=4096"],
        &[],
    ),
    (
        "q4_K to 8x8",
        "gguf:q4_K to ggml:q4_K, 9.4 MB: 6-bit scales",
        ["gguf:q4_K,n=4096,k=4096", "ggml:q4_K,rows=8,interleave=8,n=4096,k=4096"],
        &[],
    ),
    ("gptq to marlin", "codes of GPTQ to Marlin", ["gptq:v2,k=4096,n=4096", "marlin:k=4096,n=4096"], &["codes"]),
    ("awq to marlin", "codes of AWQ to Marlin", ["awq:gemm,k=4096,n=4096", "marlin:k=4096,n=4096"], &["codes"]),
    (
        "awq to gptq",
        "codes, zeros, scales and groups of AWQ to GPTQ v2",
        ["awq:gemm,k=4096,n=4096", "gptq:v2,k=4096,n=4096"],
        &[],
    ),
    ("gptq v1 to v2", "all of GPTQ v1 to v2: zeros plus 1", ["gptq:v1,k=4096,n=4096", "gptq:v2,k=4096,n=4096"], &[]),
    (
        "gptq to trtllm",
        "codes of GPTQ to TensorRT-LLM W4A16: xor 8",
        ["gptq:v2,k=4096,n=4096", "trtllm:w4@sm80,k=4096,n=4096"],
        &["codes"],
    ),
    (
        "gptq 3 bits to planes",
        "codes of 3 bits of GPTQ to GPTQModel's planes",
        ["gptq:v2,bits=3,k=4096,n=4096", "gptq_p:bits=3,k=4096,n=4096"],
        &["codes"],
    ),
    (
        "mxfp4 to gguf",
        "MXFP4 of Hugging Face to GGUF: two tensors into one",
        ["hf:mxfp4,n=4096,k=4096", "gguf:mxfp4,n=4096,k=4096"],
        &[],
    ),
    ("scales to 128x4", "block scales, 16.8 MB", ["mx:scale,m=16384,s=1024", "mx:scale128x4,m=16384,s=1024"], &[]),
];

fn cases() -> Result<Vec<Case>, Error> {
    ROWS.iter().map(|(name, operands, formats, fields)| case(name, operands, formats, fields)).collect()
}

fn case(name: &'static str, operands: &'static str, formats: &[&str; 2], fields: &[&str]) -> Result<Case, Error> {
    let zoo = Zoo::builtin();
    let (from, to) = (zoo.format(formats[0])?, zoo.format(formats[1])?);
    let repack = Repack::new(&from, &to, Some(fields).filter(|fields| !fields.is_empty()))?;
    let mut sources = Vec::new();
    for tensor in &repack.from {
        // Small enough for zero points plus 1.
        sources.push((0..index(tensor.bytes()?)?).map(|at| u8::try_from(at * 167 % 113).unwrap_or(0) & 0x77).collect());
    }
    // Groups of channels in order.
    if let Ok(group) = from.field("g_idx") {
        let counted = (0..4096u32).flat_map(|channel| (channel / 128).to_le_bytes()).collect();
        sources.iter_mut().skip(group.tensor).take(1).for_each(|source: &mut Vec<u8>| source.clone_from(&counted));
    }
    let targets: Vec<Vec<u8>> = repack.run(&sources.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    let pool = one_thread()?;
    let targets = Mutex::new(targets);
    Ok(Case::new(name, operands, move || {
        let slices: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let mut targets = targets.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut into: Vec<&mut [u8]> = targets.iter_mut().map(Vec::as_mut_slice).collect();
        pool.install(|| repack.run_into(&slices, &mut into))
    }))
}

fn one_thread() -> Result<ThreadPool, Error> {
    let built = ThreadPoolBuilder::new().num_threads(1).build();
    built.map_err(|error| Error::new(Code::Range, error.to_string()))
}

fn peers() -> Vec<Peer> {
    let Ok(program) = std::env::var("BITSTRIDE_GGML") else {
        eprintln!("skipped ggml: BITSTRIDE_GGML names no program");
        return Vec::new();
    };
    measured("ggml", &mut Command::new(program)).into_iter().collect()
}
