//! Emitted loads and stores of fragments, compiled as C and CUDA's as C++: each thread's values are those at the places that the
//! layouts give, and a store writes them back there.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "that is how a test fails, and says what it skips"
)]

mod common;

use std::fmt::Write;
use std::process::Command;

use bitstride::Code;
use bitstride::map::Map;
use bitstride_emit::{Fragment, Language};
use bitstride_lang::evaluate;
use common::{compiled, folder};

const SHIM: &str = "#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define __device__
#define __forceinline__ inline
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
static int wrong;
";

fn map(text: &str) -> Map {
    evaluate(text).unwrap().value.as_map().unwrap()
}

/// Fragments of `mma`, of rows and columns and of Triton, in memory that is plain, padded, swizzled and tiled.
fn pairs() -> Vec<(String, String, i64)> {
    let threads = [
        ("tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))", "16,8"),
        ("tv((32,4):(4,1), (16,8))", "16,8"),
        ("tv((32,4):(1,32), (16,8))", "16,8"),
        ("tv(((4,8),(2,2,2)):((32,1),(16,8,128)), (16,16))", "16,16"),
        (
            "tensor<16x64xf16, #ttg.blocked<{sizePerThread=[1,8], threadsPerWarp=[4,8], warpsPerCTA=[4,1], order=[1,0]}>>",
            "16,64",
        ),
        (
            "tensor<64x32xf16, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[2,2], instrShape=[16,8]}>>",
            "64,32",
        ),
    ];
    let mut pairs = Vec::new();
    for (threads, shape) in threads {
        let (rows, columns) = shape
            .split_once(',')
            .map(|(rows, columns)| (rows.parse::<i64>().unwrap(), columns.parse::<i64>().unwrap()))
            .unwrap();
        let memories = [
            format!("({shape}):({columns},1)"),
            format!("({shape}):(1,{rows})"),
            format!("({shape}):({},1)", columns + 8),
            format!("({shape}):({},1)", columns + 1),
            format!("Sw<2,2,3> o ({shape}):({columns},1)"),
            format!("f32[{shape}]{{1,0:T(8,8)}}"),
        ];
        for (memory, bits) in memories.iter().zip([16, 8, 16, 32, 16, 64]) {
            pairs.push((threads.to_owned(), memory.clone(), bits));
        }
    }
    pairs
}

#[test]
fn threads_load_and_store_what_the_layouts_say() {
    for (language, compiler, file) in [(Language::C, "cc", "fragment.c"), (Language::Cuda, "c++", "fragment.cpp")] {
        let is_cuda = language == Language::Cuda;
        let mut text = if is_cuda {
            SHIM.to_owned()
        } else {
            "#include <stdint.h>\n#include <stdio.h>\nstatic int wrong;\n".to_owned()
        };
        let (mut calls, mut wide) = (String::new(), 0);
        for (at, (threads, memory, bits)) in pairs().iter().enumerate() {
            let (held, places) = (map(threads), map(memory));
            let source = Fragment::of(&held, &places, *bits, [threads, memory]).unwrap().source(language).unwrap();
            wide += usize::from(source.contains(" 16 bytes each way"));
            let source = source.replace("_fragment(", &format!("_fragment{at}("));
            let held = held.by_thread().unwrap();
            let [threads, values] = [0, 1].map(|axis| held.domain()[axis].extent);
            let list: Vec<String> = (0..threads)
                .flat_map(|thread| (0..values).map(move |value| [thread, value]))
                .map(|point| places.at(&held.at(&point).unwrap().unwrap()).unwrap().unwrap()[0].to_string())
                .collect();
            let kind = if is_cuda {
                ["unsigned char", "unsigned short", "unsigned", "uint2"]
            } else {
                ["uint8_t", "uint16_t", "uint32_t", "uint64_t"]
            };
            let kind = kind[usize::try_from((bits / 8).ilog2()).unwrap()];
            writeln!(
                text,
                "{source}
static void test{at}(void) {{
    static const int places[] = {{{}}};
    static {kind} memory[1 << 14] __attribute__((aligned(16))), back[1 << 14] __attribute__((aligned(16))), fragment[{values}] __attribute__((aligned(16)));
    for (unsigned n = 0; n < sizeof memory; n++) ((unsigned char *)memory)[n] = (unsigned char)(n * 2654435761u >> 11);
    for (int thread = 0; thread < {threads}; thread++) {{
        load_fragment{at}(fragment, memory, thread);
        for (int value = 0; value < {values}; value++) wrong += memcmp(&fragment[value], &memory[places[thread * {values} + value]], sizeof fragment[0]) != 0;
        store_fragment{at}(fragment, back, thread);
    }}
    for (int n = 0; n < {threads} * {values}; n++) wrong += memcmp(&back[places[n]], &memory[places[n]], sizeof memory[0]) != 0;
    for (unsigned n = 0; n < 1 << 14; n++) {{
        const unsigned char zeros[16] = {{0}};
        int is_place = 0;
        for (int p = 0; p < {threads} * {values}; p++) is_place |= places[p] == (int)n;
        if (!is_place) wrong += memcmp(&back[n], zeros, sizeof back[0]) != 0;
    }}
    if (wrong) printf(\"test {at}\\n\");
}}",
                list.join(",")
            )
            .unwrap();
            writeln!(calls, "    test{at}();").unwrap();
        }
        assert!(wide > 3, "{wide}");
        let file = folder("fragment").join(file);
        std::fs::write(&file, format!("{text}int main(void) {{\n{calls}    return wrong != 0;\n}}\n")).unwrap();
        let flags = ["-O1", "-w", "-fno-strict-aliasing", "-fsanitize=alignment", "-fno-sanitize-recover"];
        if let Some(binary) = compiled(compiler, &flags, &file) {
            let ran = Command::new(binary).output().unwrap();
            assert!(
                ran.status.success(),
                "{}{}",
                String::from_utf8_lossy(&ran.stdout),
                String::from_utf8_lossy(&ran.stderr)
            );
        }
    }
}

#[test]
fn what_is_no_fragment_is_refused() {
    let code = |threads: &str, memory: &str, bits| {
        Fragment::of(&map(threads), &map(memory), bits, [threads, memory]).unwrap_err().code()
    };
    let threads = "tv((32,4):(4,1), (16,8))";
    assert_eq!(code(threads, "(16,8):(8,1)", 4), Code::Range);
    assert_eq!(code("(16,8):(8,1)", "(16,8):(8,1)", 16), Code::Kind);
    assert_eq!(code(threads, "(16,4):(4,1)", 16), Code::NotALayout);
}
