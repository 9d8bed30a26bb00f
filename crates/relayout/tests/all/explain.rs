//! Checks that explanations match the plan: its numbers are those of the plan, and its digits those of the maps.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use crate::common::map;
use crate::common::permuted;
use bitstride::map::Map;
use bitstride_lang::evaluate;
use bitstride_lang::explain::{Explanation, Section, Step};
use bitstride_relayout::{Element, Isa, Plan};
use proptest::prelude::*;

const ISAS: [Isa; 4] = [Isa::Scalar, Isa::Neon, Isa::Avx2, Isa::Avx512];

fn plan(from: &str, to: &str, bits: u32, isa: Isa) -> Plan {
    let made = Plan::for_isa(&map(from), &map(to), Element::of_bits(bits).unwrap(), isa);
    made.unwrap_or_else(|why| panic!("{from} -> {to}: {why}"))
}

fn step<'a>(section: &'a Section, words: &str) -> Option<&'a Step> {
    section.steps.iter().find(|step| step.rule.contains(words))
}

fn number(section: &Section, words: &str) -> i64 {
    let step = step(section, words).unwrap_or_else(|| panic!("no step says {words}: {section:?}"));
    step.value.as_number().unwrap()
}

/// Numbers of lines such as `  64 steps of 4 bytes in the source, 8 in the destination` and `copy 512 bytes, at 1024 places`.
fn first_number(line: &str) -> i64 {
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// How often each kernel of a plan is used, by its text.
fn places(plan: &Plan) -> Vec<i64> {
    let (mut all, mut loops) = (Vec::new(), 1);
    for line in plan.to_string().lines().skip(1) {
        match line.rsplit_once(", at ") {
            Some((_, places)) => {
                all.push(loops * first_number(places));
                loops = 1;
            }
            None => loops *= first_number(line),
        }
    }
    all
}

/// The pairs of places that two layouts over the same axes lead to, sorted.
fn places_of(from: &Map, to: &Map) -> Vec<[i64; 2]> {
    let [from, to] = from.aligned(to).unwrap();
    let extents: Vec<i64> = from.domain().iter().map(|axis| axis.extent).collect();
    let all = (0..extents.iter().product::<i64>()).map(|mut rest| {
        let digit = |extent: &i64| {
            let x = rest % extent;
            rest /= extent;
            x
        };
        let point: Vec<i64> = extents.iter().map(digit).collect();
        [&from, &to].map(|map| map.at(&point).unwrap().unwrap()[0])
    });
    let mut all: Vec<[i64; 2]> = all.collect();
    all.sort_unstable();
    all
}

/// The boxes that are told: those of which the digits are.
fn boxes(explanation: &Explanation) -> Vec<&Section> {
    explanation.sections.iter().filter(|section| step(section, "Both layouts are cut").is_some()).collect()
}

/// Holds all that is told against the plan.
fn check(from: &str, to: &str, bits: u32, isa: Isa) -> Explanation {
    let plan = plan(from, to, bits, isa);
    let explanation = plan.explain();
    let text = format!("{explanation}");
    for step in explanation.steps() {
        let value = evaluate(&step.expression).unwrap_or_else(|why| panic!("{step:?}: {why}\n{text}")).value;
        assert_eq!(value, step.value, "{step:?}\n{text}");
    }
    let last = explanation.sections.last().unwrap();
    let bytes = i64::try_from(plan.moved_bytes()).unwrap();
    assert_eq!(number(last, "Bytes read"), bytes, "{text}");
    let boxes = boxes(&explanation);
    let mut places = places(&plan);
    if places.len() > 1 {
        assert_eq!(number(&explanation.sections[0], "full boxes"), plan.elements(), "{text}");
    }
    for section in &boxes {
        let told = number(section, "Places:");
        let at = places.iter().position(|own| *own == told).unwrap_or_else(|| panic!("{told}\n{plan}\n{text}"));
        places.remove(at);
        if boxes.len() == 1 {
            let moved = number(section, "Bytes moved at all places");
            let once = step(section, "no byte is moved twice").is_some();
            assert!(if once { moved == bytes } else { moved >= bytes }, "{text}");
            if let Some(step) = step(section, " bytes twice:") {
                assert!(step.rule.contains(&format!("move {} bytes twice", moved - bytes)), "{text}");
            }
        }
    }
    if let [only] = boxes.as_slice()
        && let Some(second) = step(only, "And in the destination:")
    {
        let source = only.steps[0].value.as_map().unwrap();
        assert_eq!(places_of(&source, &second.value.as_map().unwrap()), places_of(&map(from), &map(to)), "{text}");
    }
    explanation
}

#[test]
fn known_pairs() {
    for (from, to, bits, says) in [
        ("(64,64):(64,1)", "(64,64):(1,64)", 32, "rounds exchange a bit"),
        ("(17,129,51):(6579,51,1)", "(17,129,51):(1,17,2193)", 32, "make a strip"),
        ("f32[64,256]{1,0}", "f32[64,256]{1,0:T(8,128)}", 32, "runs of 512 bytes together"),
        ("(8,6,64):(384,64,1)", "(8,6,64):(64,512,1)", 16, "have 128 bytes, a few lines of 64 bytes"),
        ("bf16[30,200]{1,0}", "bf16[30,200]{1,0:T(8,128)(2,1)}", 16, "full boxes"),
        ("200000:1", "200000:1", 64, "in parts of 32704 bytes"),
        ("(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", 16, "runs that both sides hold together have 16 bytes"),
        ("(64,64):(1,64)", "Sw<3,3,3> o 0 o (64,64):(64,1)", 16, "number flip places inside it"),
        ("(64,64):(1,64)", "Sw<3,3,3> o 0 o (64,64):(64,1)", 16, "(128,256,512+^64,1024,2048,^64)"),
        ("((3,4),2):((4,1),12)", "((4,3),2):((3,1),12)", 32, "places that are listed one by one"),
        ("(32,64):(1,32)", "((2,16),64):((16,1),32)", 4, "in the order 1,2,3,4,0,5,6"),
        ("(3,4):(4,1)", "(3,4):(1,3)", 4, "units share bytes"),
        ("1000:9", "1000:1", 16, "put together from the few words"),
        ("1000:99", "1000:1", 16, "are copied one by one, in rows"),
        ("1:0", "1:0", 8, "and nothing else"),
        ("(0,4):(1,1)", "(0,4):(1,1)", 8, "bound by the caches"),
    ] {
        for isa in ISAS {
            let explanation = check(from, to, bits, isa);
            let said = said(&explanation).to_lowercase();
            assert!(isa != Isa::Avx512 || said.contains(&says.to_lowercase()), "no `{says}`: {explanation}");
        }
    }
}

/// All that is told, in one line.
fn said(explanation: &Explanation) -> String {
    explanation.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Overlaps that are no whole bytes.
#[test]
fn parts_of_bytes_twice() {
    let explanation = check("(19,11,13):(1,19,209)", "(19,11,13):(1,20,240)", 4, Isa::Avx2);
    assert!(step(&explanation.sections[0], "tiles that overlap move 836 bits twice").is_some(), "{explanation}");
}

/// Large ones, which are planned and not moved.
#[test]
fn large_pairs() {
    let counts = |from: &str, to: &str, bits| {
        let explanation = plan(from, to, bits, Isa::Avx512).explain();
        let only = explanation.sections[0].clone();
        ["Threads share", "Bytes moved at all places", "Lines of 64 bytes"].map(|words| number(&only, words))
    };
    // 128 steps of the loop around a list of 512 blocks of 1024 bytes.
    let transposed = counts("(4096,4096):(4096,1)", "(4096,4096):(1,4096)", 32);
    assert_eq!(transposed, [128, 4 << 24, 1 << 20]);
    let copied = counts("f32[4096,4096]{1,0}", "f32[4096,4096]{1,0:T(8,128)}", 32);
    assert_eq!(copied, [128, 4 << 24, 1 << 20]);
    let odd = plan("(257,129,511):(65919,511,1)", "(257,129,511):(1,257,33153)", 32, Isa::Avx512).explain();
    assert!(said(&odd).contains("lines that were carried"), "{odd}");
    let short = plan("(5,4000000):(4000000,1)", "(5,4000000):(1,5)", 32, Isa::Avx512).explain();
    assert!(said(&short).contains("packed into lines"), "{short}");
    let long = plan("(20,4000000):(4000000,1)", "(20,4000000):(1,20)", 32, Isa::Avx512).explain();
    assert!(said(&long).contains("lines of a run"), "{long}");
    let heads = plan("(9,2048,16,40):(1310720,640,40,1)", "(9,2048,16,40):(1310720,40,81920,1)", 16, Isa::Avx512);
    let heads = heads.explain();
    for words in ["80 bytes, more than a line of 64 bytes, but no whole lines", "runs would end inside lines"] {
        assert!(said(&heads).contains(words), "{heads}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn random_pairs((from, to) in permuted(1..20, 0i64..3), bits in prop::sample::select(vec![4u32, 8, 16, 32, 64]), isa in 0..3usize) {
        check(&from, &to, bits, ISAS[isa]);
    }
}
