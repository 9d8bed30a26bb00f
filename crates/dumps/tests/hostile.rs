//! No file ends in a panic or takes long: broken, cut, deep and long ones are read to their end.

use bitstride_dumps::{Dialect, read};

const KERNEL: &str = include_str!("../../../docs/files.in/kernel.ttgir");
const MODULE: &str = include_str!("../../../docs/files.in/module.hlo");
const CUTE: &str = include_str!("../../../docs/files-cute.in/tile.mlir");
const PROGRAM: &str = include_str!("../../../docs/sharding.in/step.mlir");

fn reads(bytes: &[u8]) {
    for dialect in [Dialect::Ttgir, Dialect::Hlo, Dialect::StableHlo, Dialect::CuteDsl] {
        assert!(read(bytes, Some(dialect), Some(3)).is_ok());
    }
}

/// Numbers without a pattern, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

#[test]
fn files_that_are_cut_or_changed_are_read_to_their_end() {
    let mut random = Random(7);
    for text in [KERNEL, MODULE, PROGRAM, CUTE] {
        for _ in 0..100 {
            let mut bytes = text.as_bytes().to_vec();
            bytes.truncate(random.below(bytes.len()));
            reads(&bytes);
        }
        for _ in 0..300 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                let from = random.below(bytes.len());
                let length = random.below(40).min(bytes.len() - from);
                let piece: Vec<u8> = bytes.iter().skip(from).take(length).copied().collect();
                match random.below(4) {
                    0 => {
                        bytes.splice(at..at, piece);
                    }
                    1 => {
                        bytes.remove(at);
                    }
                    2 => bytes.insert(at, b"<>[]{}()#!\"%,=:0x9\xff\n"[random.below(20)]),
                    _ => {
                        let digits = ["9223372036854775807", "-1", "0", "4294967296"][random.below(4)];
                        bytes.splice(at..at, digits.bytes());
                    }
                }
            }
            reads(&bytes);
        }
    }
}

#[test]
fn deep_and_long_lines_are_read_or_listed() {
    let deep = "<".repeat(200_000);
    let slices = "#ttg.slice<{dim = 0, parent = ".repeat(20_000);
    let long = "x".repeat(1_000_000);
    for text in [
        format!("%0 = x.y : tensor{deep}"),
        format!("%0 = x.y : tensor<4xf32, {slices}"),
        format!("#a = {slices}"),
        format!("%0 = x.y : {long}"),
        format!("%0 = x.y : tensor<{long}, #a>"),
        format!("%{long} = f32[4]{{0}} copy(%x)"),
        format!("ENTRY {long} {{\n%a = {}", "(".repeat(300_000)),
        format!("ENTRY e {{\n  %a = f32[{}]{{0}} parameter(0)", "1,".repeat(300_000)),
        format!("%0 = x.y : {}", "tensor<4xf32, #a>, ".repeat(50_000)),
    ] {
        reads(text.as_bytes());
    }
    let kernel = |body: &str| format!("module {{\n  tt.func public @k() {{\n{body}\n  }}\n}}\n");
    let memory = ": () -> !ttg.memdesc<8xf32, #s, #m>";
    let allocated = |at: usize| format!("%a{at} = ttg.local_alloc {memory}\n");
    let views = (1..5_000).map(|at| format!("{}%v{at} = ttg.view %v{}, %a{at} {memory}\n", allocated(at), at - 1));
    for body in [
        format!("{}{}{}", allocated(0), "scf.for %i = %z to %n {\n".repeat(20_000), "ttg.use %a0\n".repeat(20_000)),
        format!("{}ttg.use {}", allocated(0), "%a0 = %a0, ".repeat(30_000)),
        views.collect(),
    ] {
        reads(kernel(&body).as_bytes());
    }
    let mut doubling = "#a0 = #ttg.slice<{dim = 0, parent = #b}>\n".to_owned();
    for at in 1..60 {
        let before = at - 1;
        doubling += &format!("#a{at} = #ttg.slice<{{dim = #a{before}, parent = #a{before}}}>\n");
    }
    doubling += "%0 = x.y : tensor<4xf32, #a59>\n";
    reads(doubling.as_bytes());
}
