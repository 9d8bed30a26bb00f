//! Instruction descriptors of `tcgen05`: words and fields, both ways.

#![allow(clippy::expect_used, reason = "that is how a test fails")]

use bitstride::Code;
use bitstride::memory::{InstructionDescriptor, Major, MmaKind, Options};

const KINDS: [&str; 7] = ["f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"];
const TYPES: [&str; 12] = ["f16", "bf16", "tf32", "u8", "s8", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "f32", "s32"];

#[test]
fn every_descriptor_is_read_back_from_its_word_as_it_was() {
    let majors = [[Major::K, Major::K], [Major::K, Major::Mn], [Major::Mn, Major::K]];
    let options = [
        Options::default(),
        Options { negate: [true, false], sparse: true, ..Options::default() },
        Options { saturate: true, ..Options::default() },
        Options { shift: 16, ..Options::default() },
        Options { sparse: true, selector: 3, ..Options::default() },
        Options { scale_ids: [1, 2], long_k: true, ..Options::default() },
    ];
    let mut count = 0;
    for kind in KINDS.map(|word| MmaKind::of_word(word).expect("a kind")) {
        for (a, b, d) in TYPES.iter().flat_map(|a| TYPES.iter().flat_map(move |b| TYPES.iter().map(move |d| (a, b, d))))
        {
            for (m, n) in [(32, 64), (64, 8), (64, 24), (128, 40), (128, 256), (256, 48), (256, 64)] {
                for (majors, options) in majors.iter().flat_map(|majors| options.iter().map(move |o| (*majors, *o))) {
                    let made = InstructionDescriptor::new(kind, [a, b, d], None, [m, n], majors, options);
                    let Ok(made) = made else { continue };
                    assert_eq!(InstructionDescriptor::from_word(kind, made.word()), Ok(made), "{}", made.described());
                    // The fields fill bits of their own.
                    let sum: u64 = made.fields().iter().map(|(_, code, bit)| u64::from(*code) << bit).sum();
                    assert_eq!(sum, u64::from(made.word()));
                    count += 1;
                }
            }
        }
    }
    assert!(count > 1000, "{count} descriptors");
}

#[test]
fn a_word_is_read_as_what_has_this_word_or_refused() {
    let mut word = 1_u32;
    let mut read = 0;
    for _ in 0..200_000 {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Fewer bits are set than at random, so that some words are read.
        let sparse = word & word.rotate_left(7) & !(1 << 6);
        for kind in KINDS.map(|word| MmaKind::of_word(word).expect("a kind")) {
            if let Ok(made) = InstructionDescriptor::from_word(kind, sparse) {
                assert_eq!(made.word(), sparse);
                read += 1;
            }
        }
    }
    assert!(read > 100, "{read} words were read");
}

#[test]
fn what_no_instruction_has_is_refused_with_the_numbers() {
    let with = |kind: &str, types: [&str; 3], extents: [i64; 2], options: Options| {
        let kind = MmaKind::of_word(kind)?;
        InstructionDescriptor::new(kind, types, None, extents, [Major::K; 2], options)
    };
    let halves = ["f16", "f16", "f32"];
    let plain = Options::default();
    let cases = [
        (with("f16", halves, [72, 64], plain), Code::Range, "M is 72; f16 has 32, 64, 128, 256"),
        (with("f16", halves, [64, 12], plain), Code::Range, "N is 12; with M 64 it is a multiple of 8 from 8 to 256"),
        (
            with("f16", halves, [256, 40], plain),
            Code::Range,
            "N is 40; with M 256 it is a multiple of 16 from 16 to 256",
        ),
        (with("f16", halves, [32, 96], plain), Code::Range, "N is 96; with M 32 it is 64, 128, 256"),
        (
            with("f16", halves, [i64::MIN, i64::MAX], plain),
            Code::Range,
            "M is -9223372036854775808; f16 has 32, 64, 128, 256",
        ),
        (with("tf32", halves, [64, 8], plain), Code::Parameter, "`f16` is no operand of tf32"),
        (
            with("f16", halves, [64, 8], Options { saturate: true, ..plain }),
            Code::Kind,
            "f16 does not saturate; i8 does",
        ),
        (with("fp8", halves, [64, 8], plain), Code::Parameter, "`fp8` is no kind of tcgen05.mma"),
    ];
    for (made, code, message) in cases {
        let error = made.expect_err(message);
        assert_eq!((error.code(), error.message()), (code, message));
    }
}
