//! What the compiler of CuTe DSL 4.8 keeps of a kernel: `docs/files-cute.in/tile.mlir`.

#![allow(clippy::panic, clippy::expect_used, reason = "that is how a test fails")]

use bitstride_dumps::cute::Dump;
use bitstride_dumps::{Condition, Dialect, read};

const KERNEL: &str = include_str!("../../../docs/files-cute.in/tile.mlir");

fn dump() -> Dump {
    Dump::read(KERNEL.as_bytes(), Some(24)).expect("it is read")
}

#[test]
fn types_aliases_and_allocations_are_found() {
    let dump = dump();
    assert_eq!((dump.lines, dump.unread_count), (118, 0), "{:?}", dump.unread);
    let layout_of = |name: &str| {
        let alias = dump.aliases.iter().find(|alias| alias.name == name).expect(name);
        &dump.types[alias.of].facts
    };
    let shared = layout_of("!memref_smem_f16");
    assert_eq!(shared.layout, "Sw<3,4,3> o bytes[16] o ((8,8),(64,1)):((64,512),(1,0))");
    assert_eq!((shared.memory.as_deref(), shared.element_bits), (Some("smem"), Some(16)));
    assert_eq!((shared.size, shared.bytes()), (Some(4096), Some(8192)));
    let global = layout_of("!memref_gmem_f16");
    assert_eq!((global.size, global.bytes()), (None, None));
    assert_eq!(layout_of("!mma_f16_f16_f32_16x8x16").what, "tiled_mma");
    let bytes: Vec<_> = dump.allocations.iter().map(|one| dump.types[one.memory].facts.bytes()).collect();
    assert_eq!(bytes, [Some(8192)]);
}

#[test]
fn a_type_stands_once_with_its_uses() {
    let dump = dump();
    let known: Vec<_> = dump.types.iter().filter(|known| known.text.contains("S<3,3,3> o 0 o (8,64)")).collect();
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].uses, known[0].is_marked), (2, true), "{known:?}");
}

#[test]
fn the_beginning_says_whose_the_file_is() {
    for said in [None, Some(Dialect::Ttgir)] {
        let report = read(KERNEL.as_bytes(), said, None).expect("it is read");
        assert_eq!(report.dialect, Dialect::CuteDsl);
        let condition: Condition = "type memory = smem and bytes >= 8KiB".parse().expect("it is a condition");
        let types = report.sections.iter().filter(|section| section.kind == "type").flat_map(|section| &section.items);
        assert_eq!(types.filter(|item| condition.holds("type", item)).count(), 2);
    }
}

#[test]
fn what_is_not_read_is_listed() {
    let dump = Dump::read(
        &b"%0 = cute.static : !cute.layout<\"(8,64):(64\">\n%1 = cute.static : !cute.layout<\"8:1\n"[..],
        None,
    );
    let dump = dump.expect("it is read");
    let lines: Vec<_> = dump.unread.iter().map(|one| (one.line, one.what)).collect();
    assert_eq!(lines, [(1, "type"), (2, "type")]);
}
