//! Chunks of a plan: they read what they say and no more, use pages of files whole, and come to the whole.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use bitstride::Code;
use bitstride_relayout::{Element, Plan, SourceFile};

use crate::common::{map, noise};

fn plan(from: &str, to: &str, bits: u32) -> Plan {
    Plan::new(&map(from), &map(to), Element::of_bits(bits).unwrap()).unwrap()
}

/// The pages that the chunks of a transpose of elements of 16 bytes touch on each side, counted again for each
/// chunk, and the number of all pages.
fn pages([rows, columns]: [usize; 2], chunk: usize, page: [usize; 2]) -> [[usize; 2]; 2] {
    const BYTES: usize = 16;
    let shape = format!("({rows},{columns})");
    let plan = plan(&format!("{shape}:({columns},1)"), &format!("{shape}:(1,{rows})"), 128);
    let all = page.map(|page| (rows * columns * BYTES).div_ceil(page));
    let source = vec![1; rows * columns * BYTES];
    let mut touched = [0; 2];
    for chunk in plan.chunks(chunk) {
        let mut moved = vec![0; rows * columns * BYTES];
        chunk.run(&source, &mut moved).unwrap();
        let mut seen = all.map(|pages| vec![false; pages]);
        for at in (0..rows * columns).filter(|at| moved[BYTES * at] == 1) {
            seen[0][BYTES * (at % rows * columns + at / rows) / page[0]] = true;
            seen[1][BYTES * at / page[1]] = true;
        }
        for (touched, seen) in touched.iter_mut().zip(seen) {
            *touched += seen.iter().filter(|page| **page).count();
        }
    }
    [touched, all]
}

#[test]
fn chunks_use_pages_whole() {
    for shape in [[256, 8192], [8192, 256], [1024, 2048]] {
        let [[from, to], all] = pages(shape, 1 << 20, [8192, 512]);
        assert_eq!([from, to], all, "{shape:?}");
    }
}

#[test]
fn chunks_from_a_file_come_to_the_whole() {
    let plan = plan("(64,32768):(32768,1)", "(64,32768):(1,64)", 128);
    let data = noise(plan.source_bytes() + 5, 1);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &data).unwrap();
    let source = SourceFile::open(file.path()).unwrap();
    let [mut whole, mut parts] = [1, 2].map(|byte| vec![byte; plan.destination_bytes()]);
    plan.run(&data[5..], &mut whole).unwrap();
    let mut report = Vec::new();
    plan.run_from(&source, 5..data.len(), &mut parts, 1 << 20, |done, all| report.push((done, all))).unwrap();
    assert!(whole == parts && report.len() > 4, "{report:?}");
    for (data, room) in
        [(6..data.len(), parts.len()), (5..data.len() + 1, parts.len()), (5..data.len(), parts.len() - 1)]
    {
        let refused = plan.run_from(&source, data, &mut parts[..room], 1 << 20, |_, _| ()).unwrap_err();
        assert_eq!(refused.code(), Code::Range);
    }
}

/// With all other bytes of the source taken away, chunks move the same.
#[test]
fn nothing_else_is_read() {
    for (from, to, bits) in [
        ("(16,5000):(20000,1)", "(16,5000):(5000,1)", 16),
        ("(16,5000):(1,10000)", "(16,5000):(5000,1)", 128),
        ("(64,64):(9000,1)", "(64,64):(1,64)", 32),
        ("(64,(64,4)):(9000,(1,1000000))", "(64,(64,4)):(1,(64,4096))", 8),
        ("(301,(7,29)):(20000,(1,700))", "(301,(7,29)):(1,(301,2107))", 16),
        ("(37,129,51):(6579000,51000,1)", "(37,129,51):(1,37,4773)", 8),
        ("(3,1000):(1,5000)", "(3,1000):(1000,1)", 8),
        ("(1000,3):(1,50000)", "(1000,3):(3,1)", 8),
        ("((8,3),1000):((1,9),9000)", "((8,3),1000):((3,1),24)", 16),
        ("Sw<3,4,3> o 0 o (64,64,9):(64,1,131072)", "(64,64,9):(1,64,4096)", 8),
        ("(64,64):(18000,1)", "(64,64):(1,64)", 4),
        ("(20001,33):(101,1)", "(20001,33):(1,20001)", 8),
        ("(3000,9):(9,50000)", "(3000,9):(1,3000)", 16),
        // Moved one by one.
        ("(33,40):(400,1)", "Sw<2,3,3> o (33,40):(40,1)", 16),
        ("(3,4):(5000,1)", "(3,4):(1,3)", 2),
    ] {
        let plan = plan(from, to, bits);
        let source = noise(plan.source_bytes(), 1);
        let mut moved = vec![1; plan.destination_bytes()];
        plan.run(&source, &mut moved).unwrap();
        let mut again = vec![1; plan.destination_bytes()];
        for chunk in plan.chunks(1 << 13) {
            let mut read = vec![0; plan.source_bytes()];
            let ranges = chunk.reads();
            assert!(ranges.windows(2).all(|two| two[0].end + 4096 < two[1].start), "{from} -> {to}: {ranges:?}");
            for range in ranges {
                read[range.clone()].copy_from_slice(&source[range]);
            }
            chunk.run(&read, &mut again).unwrap();
        }
        assert!(moved == again, "{from} -> {to}, {bits} bits\n{plan}");
    }
}
