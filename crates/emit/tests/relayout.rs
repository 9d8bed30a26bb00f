//! Emitted relayouts move what a plan of `bitstride-relayout` moves, byte for byte, and touch nothing else: C as compilers run it,
//! and CUDA as C++, behind a few lines that stand for a GPU, with checks of addresses and alignment. No pair that a plan moves is refused.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "that is how a test fails, and says what it skips"
)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use bitstride_emit::{CudaKernel, Language, Relayout};
use bitstride_lang::evaluate;
use bitstride_relayout::{Element, Isa, Plan};
use common::{Random, compiled, folder, pair, rows_of_bytes};

/// What stands for a GPU: one thread after the other. A kernel is run twice by [`RUN`], since it has one barrier at most, and
/// what it writes to shared memory before does not depend on what it reads there.
const SHIM: &str = "
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define __global__ static
#define __shared__ static
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __CUDACC_RTC__
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
static struct { unsigned x; } threadIdx, blockIdx, gridDim;
static void __syncthreads() {}
static void atomicAdd(unsigned long long *sum, unsigned long long n) { *sum += n; }
static int wrong;
template <class F> void run(F kernel, unsigned blocks, const unsigned char *from, unsigned char *to) {
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (int twice = 0; twice < 2; twice++)
            for (threadIdx.x = 0; threadIdx.x < 256; threadIdx.x++) kernel(from, to);
}
";

/// Bytes by their place, the same in Rust and in C.
fn byte(at: usize, seed: usize) -> u8 {
    ((at + 1).wrapping_mul(0x9E37_79B1 + 2 * seed) >> 13 & 255).try_into().unwrap()
}

/// Beside the destination.
const CANARIES: usize = 32;

fn hashed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

/// A test of one pair as a function of C: what was moved, with canaries, has the hash that the plan's bytes have. Both sides begin
/// a given number of bytes behind a multiple of 16.
fn test(text: &mut String, number: usize, name: &str, bytes: [usize; 2], skew: i64, hash: u64, calls: &str) {
    writeln!(
        text,
        "static void test{number}(void) {{
    unsigned char *from = (unsigned char *)malloc({0} + {skew}) + {skew}, *to = (unsigned char *)malloc({1} + {skew}) + {skew};
    for (uint64_t at = 0; at < {0}; at++) from[at] = (unsigned char)((at + 1) * UINT64_C({2}) >> 13);
    for (uint64_t at = 0; at < {1}; at++) to[at] = (unsigned char)((at + 1) * UINT64_C({3}) >> 13);
    {calls}
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t at = 0; at < {1}; at++) hash = (hash ^ to[at]) * UINT64_C(0x100000001b3);
    if (hash != UINT64_C({hash})) {{ wrong++; printf(\"%s\\n\", \"{name}\"); }}
    free(from - {skew}), free(to - {skew});
}}",
        bytes[0].max(1),
        bytes[1] + CANARIES,
        0x9E37_79B1_u64,
        0x9E37_79B1_u64 + 2,
    )
    .unwrap();
}

/// Tests of pairs in both languages, how many were refused by code, and how many kernels there are, in all and by points.
fn tests(
    next: &mut dyn FnMut() -> ([String; 2], u32),
    count: usize,
) -> ([String; 2], BTreeMap<String, usize>, [usize; 2]) {
    let [mut c, mut cuda] = ["#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#define RELAYOUT_WITHOUT_MAIN\nstatic int wrong;\n".to_owned(), SHIM.to_owned()];
    let mut calls = [String::new(), String::new()];
    let mut refused = BTreeMap::new();
    let (mut number, mut kernels, mut by_points) = (0, 0, 0);
    while number < count {
        let ([from, to], bits) = next();
        let map = |text: &str| evaluate(text).and_then(|answer| answer.value.as_map());
        let (Ok(left), Ok(right)) = (map(&from), map(&to)) else { continue };
        let element = Element::of_bits(bits).unwrap();
        let Ok(plan) = Plan::for_isa(&left, &right, element, Isa::Scalar) else { continue };
        let made = Relayout::of([&left, &right], element, [&from, &to]);
        let relayout = match made {
            Ok(relayout) => relayout,
            Err(why) => {
                *refused.entry(format!("{:?}", why.code())).or_insert(0) += 1;
                continue;
            }
        };
        assert_eq!(relayout.bytes(), [plan.source_bytes(), plan.destination_bytes()]);
        let source: Vec<u8> = (0..plan.source_bytes()).map(|at| byte(at, 0)).collect();
        let mut moved: Vec<u8> = (0..plan.destination_bytes() + CANARIES).map(|at| byte(at, 1)).collect();
        plan.run(&source, &mut moved).unwrap();
        let (hash, name) = (hashed(&moved), format!("{from} -> {to}, {bits} bits"));
        let host = relayout.source(Language::C).unwrap();
        let heads = ["relayout", "from_place", "to_place", "table"];
        let renamed = heads.iter().fold(host, |text, head| text.replace(head, &format!("p{number}_{head}")));
        c.push_str(&renamed);
        test(&mut c, number, &name, relayout.bytes(), 0, hash, &format!("p{number}_relayout(from, to);"));
        writeln!(calls[0], "    test{number}();").unwrap();
        // Pointers on fewer bytes, each in some pairs.
        let alignment = 16 >> (number % 8).saturating_sub(3);
        match relayout.cuda(alignment) {
            Ok(CudaKernel { source, blocks, .. }) => {
                kernels += 1;
                by_points += usize::from(source.contains("\n// element by element"));
                writeln!(cuda, "namespace p{number} {{\n{}\n}}", source.replace("extern \"C\" ", "")).unwrap();
                let runs = format!("run(p{number}::relayout_kernel, {blocks}, from, to); ");
                // What is emitted as a test says the same.
                let own = format!(
                    "unsigned long long differing = 0; gridDim.x = 1; blockIdx.x = 0; for (threadIdx.x = 0; threadIdx.x < 256; threadIdx.x++) p{number}::relayout_check(from, to, &differing); wrong += differing != 0;"
                );
                test(&mut cuda, number, &name, relayout.bytes(), alignment % 16, hash, &format!("{runs}{own}"));
                writeln!(calls[1], "    test{number}();").unwrap();
            }
            Err(why) => *refused.entry(format!("cuda {:?}", why.code())).or_insert(0) += 1,
        }
        number += 1;
    }
    let finish = |text: String, calls: &str| format!("{text}int main(void) {{\n{calls}    return wrong != 0;\n}}\n");
    let [host, device] = calls;
    ([finish(c, &host), finish(cuda, &device)], refused, [kernels, by_points])
}

/// A random pair, and the bits of an element.
fn any(random: &mut Random) -> ([String; 2], u32) {
    (pair(random), random.of(&[1, 2, 4, 4, 8, 8, 16, 16, 24, 32, 32, 64, 96, 128]))
}

/// Moves some pairs in C and in CUDA, and tells how many of these go element by element.
fn check(name: &str, next: &mut dyn FnMut() -> ([String; 2], u32), count: usize, sanitize: &[&str]) -> usize {
    let (texts, refused, [kernels, by_points]) = tests(next, count);
    assert!(refused.is_empty(), "{refused:?}");
    let folder = folder(name);
    for (text, compiler, file) in [(&texts[0], "cc", "relayout.c"), (&texts[1], "c++", "relayout.cpp")] {
        let file = folder.join(file);
        std::fs::write(&file, text).unwrap();
        let flags = [&["-O1", "-w", "-fno-strict-aliasing"], sanitize].concat();
        if let Some(binary) = compiled(compiler, &flags, &file) {
            let ran = Command::new(binary).output().unwrap();
            assert!(
                ran.status.success(),
                "{}\n{}",
                String::from_utf8_lossy(&ran.stdout),
                String::from_utf8_lossy(&ran.stderr)
            );
        }
    }
    eprintln!("{count} pairs in C, {kernels} in CUDA, of which {by_points} element by element");
    by_points
}

/// What stands for Triton: a block is one element, each in turn, and memory is a list.
const TRITON: &str = "
import itertools, sys
class Lane(int):
    def __getitem__(self, key): return int(self)
class Pointer:
    def __init__(self, memory, size, at=0): self.memory, self.size, self.at = memory, size, at
    def __add__(self, n): return Pointer(self.memory, self.size, self.at + n * self.size)
class tl:
    int64 = int32 = int8 = None
    lanes, program, sizes = [], 0, []
    @staticmethod
    def program_id(axis): return tl.program
    @staticmethod
    def arange(first, end):
        tl.sizes.append(end)
        return Lane(tl.lanes[len(tl.sizes) - 1] if len(tl.sizes) <= len(tl.lanes) else 0)
    @staticmethod
    def cast(x, kind): return 0 if x is None else int.from_bytes(x, 'little') if isinstance(x, bytes) else x
    @staticmethod
    def where(holds, one, other): return one if holds else other
    @staticmethod
    def load(p, mask=True):
        if mask and not 0 <= p.at <= len(p.memory) - p.size: raise IndexError(p.at)
        return bytes(p.memory[p.at:p.at + p.size]) if mask else None
    @staticmethod
    def store(p, held, mask=True):
        if mask and not 0 <= p.at <= len(p.memory) - p.size: raise IndexError(p.at)
        if mask: p.memory[p.at:p.at + p.size] = bytes([held & 255]) if isinstance(held, int) else held
class triton:
    @staticmethod
    def jit(f): return f
def run(f, programs, size, source, target):
    for tl.program in range(programs):
        tl.lanes, tl.sizes = [], []
        kept = bytes(target)
        f(Pointer(source, size), Pointer(target, size))
        target[:] = kept
        for tl.lanes in itertools.product(*map(range, list(tl.sizes))):
            tl.sizes = []
            f(Pointer(source, size), Pointer(target, size))
";

#[test]
fn triton_moves_what_plans_move() {
    let mut random = Random(21);
    let mut text = TRITON.to_owned();
    let (mut pairs, mut moved_units, mut by_points) = (0, 0, [0; 2]);
    while pairs < 40 {
        // The first three have no boxes.
        let swizzled = || ["(30,30):(30,1)", "Sw<3,3,3> o (30,30):(33,1)"].map(str::to_owned);
        let ([from, to], bits) = match pairs {
            0 => (swizzled(), 24),
            1 => (swizzled(), 128),
            2 => (swizzled(), 32),
            _ => (pair(&mut random), random.of(&[1, 2, 4, 8, 16, 24, 32, 64, 128])),
        };
        let map = |text: &str| evaluate(text).and_then(|answer| answer.value.as_map());
        let (Ok(left), Ok(right)) = (map(&from), map(&to)) else { continue };
        let element = Element::of_bits(bits).unwrap();
        let Ok(plan) = Plan::for_isa(&left, &right, element, Isa::Scalar) else { continue };
        if plan.moved_bytes() > 20_000 {
            continue;
        }
        let made = Relayout::of([&left, &right], element, [&from, &to]).and_then(|made| made.source(Language::Triton));
        let made = made.unwrap_or_else(|why| panic!("{from} -> {to}, {bits} bits: {why}"));
        by_points[usize::from(bits < 8)] += usize::from(made.contains("\n# element by element"));
        let source: Vec<u8> = (0..plan.source_bytes()).map(|at| byte(at, 0)).collect();
        let mut moved: Vec<u8> = (0..plan.destination_bytes() + CANARIES).map(|at| byte(at, 1)).collect();
        writeln!(text, "source, target = bytearray({source:?}), bytearray({moved:?})").unwrap();
        plan.run(&source, &mut moved).unwrap();
        let kernels = made
            .split("def relayout(source")
            .next()
            .unwrap()
            .replace("import triton\nimport triton.language as tl\n", "");
        text.push_str(&kernels);
        for line in made.lines().filter(|line| line.starts_with("    relayout") && line.contains("[(")) {
            let numbers: Vec<&str> =
                line.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
            writeln!(text, "run(relayout{}, {}, {}, source, target)", numbers[0], numbers[1], numbers[2]).unwrap();
            moved_units += 1;
        }
        writeln!(text, "assert list(target) == {moved:?}, {:?}", format!("{from} -> {to}, {bits} bits")).unwrap();
        pairs += 1;
    }
    assert!(moved_units >= pairs && by_points.iter().all(|count| *count >= 3), "{by_points:?}");
    let file = folder("relayout").join("triton_relayout.py");
    std::fs::write(&file, text).unwrap();
    match Command::new("python3").arg(&file).output() {
        Ok(ran) => assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr)),
        Err(_) => eprintln!("SKIPPED: there is no python3"),
    }
}

#[test]
fn kernels_move_what_plans_move() {
    let mut random = Random(11);
    check("relayout", &mut || any(&mut random), 120, &["-fsanitize=address,alignment", "-fno-sanitize-recover"]);
}

/// Rows of the destination that begin anywhere and are longer than a tile.
#[test]
fn shifted_tiles_move_what_plans_move() {
    let pairs = [
        ("(301,157):(157,1)", "(301,157):(1,301)", 16),
        ("(263,131):(131,1)", "(263,131):(1,263)", 32),
        ("(263,131):(131,1)", "(263,131):(1,263)", 8),
        ("(131,67):(67,1)", "(131,67):(1,131)", 64),
        ("(3,277,70):(70,210,1)", "(3,277,70):(19411,1,277)", 16),
        ("(5,259,33):(1,165,5)", "(5,259,33):(8613,1,261)", 16),
        ("(144,35):(64,1)", "(144,35):(1,145)", 32),
    ];
    let mut all = pairs.iter().map(|(from, to, bits)| ([(*from).to_owned(), (*to).to_owned()], *bits));
    let mut next = || all.next().unwrap();
    check("relayout-shifted", &mut next, pairs.len(), &["-fsanitize=address,alignment", "-fno-sanitize-recover"]);
}

/// Elements below a byte that change places inside bytes, by words through shared memory, on all alignments.
#[test]
fn tiles_below_a_byte_move_what_plans_move() {
    let pairs = [
        ("(70,130):(130,1)", "(70,130):(1,70)", 4),
        ("(64,256):(256,1)", "(64,256):(1,64)", 4),
        ("(64,256):(272,1)", "(64,256):(1,80)", 4),
        ("(5,48,66):(3168,66,1)", "(5,48,66):(3168,1,48)", 4),
        ("(6,64,34):(2176,34,1)", "(6,64,34):(1,6,400)", 4),
        ("Sw<3,3,3> o (64,64):(64,1)", "(64,64):(1,64)", 4),
        ("(96,64):(64,1)", "Sw<2,4,3> o (96,64):(1,128)", 4),
        ("(68,132):(132,1)", "(68,132):(1,68)", 2),
        ("(128,128):(128,1)", "(128,128):(1,128)", 2),
        ("(24,40,8):(320,8,1)", "(24,40,8):(1,24,960)", 1),
        ("(136,72):(72,1)", "(136,72):(1,136)", 1),
        ("(256,128):(128,1)", "(256,128):(1,256)", 1),
        ("(34,(2,33)):(66,(1,2))", "(34,(2,33)):(2,(1,68))", 2),
        ("(512,6):(6,1)", "(512,6):(1,512)", 4),
    ];
    // Three of each, on several alignments, and random ones.
    let mut random = Random(5);
    let mut all = pairs.iter().flat_map(|pair| std::iter::repeat_n(pair, 3));
    let mut next = || match all.next() {
        Some((from, to, bits)) => ([(*from).to_owned(), (*to).to_owned()], *bits),
        None => (rows_of_bytes(&mut random), random.of(&[1, 2, 4])),
    };
    let sanitize = ["-fsanitize=address,alignment", "-fno-sanitize-recover"];
    assert_eq!(check("relayout-packed", &mut next, pairs.len() * 3 + 40, &sanitize), 0);
}

/// Strides of 2^40 bytes, in memory of which only the pages that are written are there: there by one kernel, and back by another.
#[test]
fn places_beyond_32_bits_are_exact() {
    let far = 1i64 << 40;
    let mut text = format!("{SHIM}#include <sys/mman.h>\n");
    let mut calls = String::new();
    let cases = [
        (8, "(5,300):(300,1)", format!("(5,300):({far},1)")),
        (128, "(5,300):(1,5)", format!("(5,300):({},1)", far / 16)),
        (16, "(5,(20,15)):(300,(15,1))", format!("(5,(15,20)):({},(20,1))", far / 2)),
    ];
    for (at, (bits, near, away)) in cases.iter().enumerate() {
        let bytes = bits / 8;
        let maps = [near, away.as_str()].map(|text| evaluate(text).unwrap().value.as_map().unwrap());
        let element = Element::of_bits(*bits).unwrap();
        for (way, order) in [[0, 1], [1, 0]].into_iter().enumerate() {
            let relayout =
                Relayout::of(order.map(|side| &maps[side]), element, order.map(|side| [near, away.as_str()][side]))
                    .unwrap();
            let CudaKernel { source, blocks, .. } = relayout.cuda(16).unwrap();
            writeln!(text, "namespace p{at}_{way} {{\n{}\n}}", source.replace("extern \"C\" ", "")).unwrap();
            let sides = ["near, far", "far, again"][way];
            writeln!(calls, "    run(p{at}_{way}::relayout_kernel, {blocks}, {sides});").unwrap();
        }
        let row = maps[0].at(&[4, 0]).unwrap().unwrap()[0];
        writeln!(calls, "    wrong += memcmp(near, again, 1500 * {bytes}) != 0 || memcmp(far + 4 * {far}, near + {row} * {bytes}, {bytes}) != 0; memset(again, 0, sizeof again);").unwrap();
    }
    writeln!(
        text,
        "#include <string.h>
int main(void) {{
    static unsigned char near[1500 * 16] __attribute__((aligned(16))), again[1500 * 16] __attribute__((aligned(16)));
    for (int at = 0; at < 1500 * 16; at++) near[at] = (unsigned char)(at * 2654435761u >> 13);
    unsigned char *far = (unsigned char *)mmap(0, 5ull << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far == MAP_FAILED) return 77;
{calls}    return wrong;
}}"
    )
    .unwrap();
    let file = folder("relayout-far").join("far.cpp");
    std::fs::write(&file, text).unwrap();
    let Some(binary) = compiled("c++", &["-O1", "-w", "-fno-strict-aliasing"], &file) else { return };
    match Command::new(binary).output().unwrap().status.code() {
        Some(77) => eprintln!("SKIPPED: the system has no 5 TiB of addresses, so that no kernel was run with them"),
        code => assert_eq!(code, Some(0)),
    }
}

/// Many more pairs, by hand: `BITSTRIDE_PAIRS=2000 cargo test -p bitstride-emit --test relayout -- --ignored`.
#[test]
#[ignore = "minutes; by hand"]
fn two_thousand_pairs() {
    let count: usize = std::env::var("BITSTRIDE_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let mut random = Random(99);
    for part in 0..count.div_ceil(200) {
        eprintln!("from {}", part * 200);
        check("relayout-many", &mut || any(&mut random), 200, &["-fsanitize=alignment", "-fno-sanitize-recover"]);
    }
}

#[test]
fn both_sides_of_a_tile_have_runs_of_one_length() {
    let steps = |from: &str, to: &str, bits: u32| -> Vec<String> {
        let [from, to] = [from, to].map(|text| evaluate(text).unwrap().value.as_map().unwrap());
        let kernel = Relayout::of([&from, &to], Element::of_bits(bits).unwrap(), ["A", "B"]).unwrap().cuda(16).unwrap();
        let steps = kernel.source.lines().filter_map(|line| line.strip_suffix(" in a tile")?.rsplit(' ').next());
        steps.map(str::to_owned).collect()
    };
    let (from, to) = ("(4096,8192):(8192,1)", "(4096,8192):(1,4096)");
    // 128, 256 and 256 bytes: the next would not leave room for the other side.
    assert_eq!(steps(from, to, 8), ["128", "128"]);
    assert_eq!(steps(from, to, 16), ["128", "128"]);
    assert_eq!(steps(from, to, 64), ["32", "32"]);
    // An axis of 90 is taken whole, though the other side has no room for as much.
    let cut = "((91,90),(90,91)):((90,1),(745290,8190))";
    assert_eq!(steps("(8190,8190):(1,8190)", cut, 32), ["32", "90", "1", "1"]);
}
