//! Probing packers that put bits where formats say: the places, the constant and a name come back, and what is no permutation is told.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use bitstride_formats::{Probe, Zoo};

/// A packer that stores the first field of a format.
fn packer(name: &str) -> impl Fn(&[u64]) -> Vec<u8> {
    let format = Zoo::builtin().format(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let field = format.fields[0].clone();
    let bytes = usize::try_from(format.tensors[field.tensor].bytes().unwrap()).unwrap();
    let shape = field.places.shape().unwrap();
    move |codes| {
        let mut memory = vec![0u8; bytes];
        for (element, code) in codes.iter().enumerate() {
            let mut rest = i64::try_from(element).unwrap();
            let mut point = vec![0; shape.len()];
            for (x, extent) in point.iter_mut().zip(&shape).rev() {
                *x = rest % extent;
                rest /= extent;
            }
            let bits = field.places.element_bits();
            let value =
                field.stored.iter().fold(i64::try_from(*code).unwrap(), |value, step| step.apply(value, bits).unwrap());
            for bit in 0..bits {
                let place = field.places.at(&point, bit).unwrap();
                memory[usize::try_from(place / 8).unwrap()] |= u8::try_from(value >> bit & 1).unwrap() << (place % 8);
            }
        }
        memory
    }
}

#[test]
fn packers_are_found_with_their_names() {
    for (name, shape, bits, xor, wanted) in [
        ("gptq:v2,bits=4,k=64,n=32", [64, 32], 4, 0, "gptq:v2,bits=4,k=64,n=32,group=128"),
        ("trtllm:w4@sm80,k=64,n=64", [64, 64], 4, 8, "trtllm:w4@sm80,k=64,n=64"),
        ("awq:gemm,k=32,n=32", [32, 32], 4, 0, "awq:gemm,bits=4,k=32,n=32,group=128"),
        ("gptq_p:bits=3,k=64,n=32", [64, 32], 3, 0, "gptq_p:bits=3,k=64,n=32,group=128"),
        ("gptq:v2,bits=3,k=32,n=32", [32, 32], 3, 0, "gptq:v2,bits=3,k=32,n=32,group=128"),
        ("ct:pack@old,bits=4,n=8,k=40", [8, 40], 4, 0, "ct:pack@0.20,bits=4,n=8,k=40,dim=1,group=128,symmetric=1"),
        ("ct:pack@old,bits=3,n=8,k=40", [8, 40], 3, 0, "ct:pack@old,bits=3,n=8,k=40,dim=1,group=128,symmetric=1"),
        ("mx:scale128x4,m=100,s=6", [100, 6], 8, 0, "mx:scale128x4,m=100,s=6"),
        ("gguf:q5_0,n=2,k=64", [2, 64], 5, 0, "gguf:q5_0,n=2,k=64"),
        ("torch:int4pack,n=112,k=64", [112, 64], 4, 0, "torch:int4pack,n=112,k=64"),
        ("hqq:n=8,k=64,axis=1", [8, 64], 4, 0, "hqq:bits=4,n=8,k=64,group=64,axis=1"),
        ("quanto:bits=2,n=8,k=64,group=32", [8, 64], 2, 0, "quanto:bits=2,n=8,k=64,group=64"),
    ] {
        let probe = Probe::new(&shape, bits).unwrap();
        let pack = packer(name);
        let outputs: Vec<Vec<u8>> = probe.inputs().iter().map(|input| pack(&input.codes)).collect();
        let found = probe.read(&outputs).unwrap();
        assert_eq!(found.xor, Some(xor), "{name}");
        let names = found.names(Zoo::builtin());
        assert!(names.iter().any(|own| *own == (wanted.to_owned(), 0)), "{name}: {names:?}");
        // A name that a probe answers is one of its own.
        assert!(names.iter().all(|(own, _)| Zoo::builtin().format(own).is_ok()), "{name}: {names:?}");
        assert!(!names.iter().any(|(own, _)| own.starts_with("ct:pack@sm")), "{name}: {names:?}");
        // AutoAWQ's fast kernel has the places of TensorRT-LLM, and other codes there.
        assert_eq!(names.iter().any(|(own, xor)| own.starts_with("awq:gemvfast") && *xor == 8), xor == 8, "{names:?}");
    }
}

#[test]
fn layouts_are_texts() {
    for (name, shape, bits, wanted) in [
        ("awq:gemm,k=32,n=32", [32, 32], 4, "(32,(2,4,4)):(32,(4,1,8)) in units of 4 bits"),
        ("gptq:v2,bits=3,k=64,n=32", [64, 32], 3, "((32,6),32):((1,1024),32) of (3*dim0 + bit, dim1) in bits"),
        (
            "exl3:trellis,bits=3,tile=2",
            [2, 256],
            3,
            "(2,(32,24)):(768,(-1,32)) + 31 of (dim0, 3*dim1 + 2 - bit) in bits",
        ),
        (
            "gptq_p:bits=3,k=64,n=32",
            [64, 32],
            3,
            "bits 0..2: ((16,2,2),32):((1,512,1536),16) in units of 2 bits; bits 2..3: ((32,2),32):((1,3072),32) + 2048 in bits",
        ),
        (
            "torch:int4pack,n=80,k=8",
            [80, 8],
            4,
            "dim0 0..64: ((32,2),8):((2,1),64) in units of 4 bits; \
             dim0 64..80: (16,8):(1,16) + 512 of (dim0 - 64, dim1) in units of 4 bits",
        ),
    ] {
        let probe = Probe::new(&shape, bits).unwrap();
        let pack = packer(name);
        let outputs: Vec<Vec<u8>> = probe.inputs().iter().map(|input| pack(&input.codes)).collect();
        assert_eq!(
            probe
                .read(&outputs)
                .unwrap()
                .layouts()
                .unwrap()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("; "),
            wanted
        );
    }
}

/// Pieces that no text of a probe has are those of a format all the same.
#[test]
fn a_format_is_an_answer_without_a_layout() {
    let probe = Probe::new(&[64, 32], 6).unwrap();
    let pack = packer("exl2:loaded,bits=6,k=64,n=32");
    let outputs: Vec<Vec<u8>> = probe.inputs().iter().map(|input| pack(&input.codes)).collect();
    let found = probe.read(&outputs).unwrap();
    assert!(found.layouts().is_err());
    let answer = found.answer(Zoo::builtin()).unwrap();
    assert_eq!(answer, (vec![], vec![("exl2:loaded,bits=6,k=64,n=32".to_owned(), 0)]));
    assert!(found.answer(&Zoo::default()).is_err());
}

#[test]
fn what_is_no_permutation_is_told() {
    let probe = Probe::new(&[4, 4], 4).unwrap();
    let run = |pack: &dyn Fn(&[u64]) -> Vec<u8>| {
        probe.read(&probe.inputs().iter().map(|input| pack(&input.codes)).collect::<Vec<_>>())
    };
    let bytes = |codes: &[u64]| codes.iter().map(|code| u8::try_from(*code).unwrap()).collect::<Vec<u8>>();
    assert_eq!(run(&bytes).unwrap().layouts().unwrap()[0].to_string(), "(4,4):(8,2) in units of 4 bits");
    type Packer = fn(&[u64]) -> Vec<u8>;
    let packers: [(Packer, &str); 4] = [
        (|codes| codes.iter().map(|code| code.to_le_bytes()[0] >> 1).collect(), "is not written"),
        (|codes| [codes, codes].concat().iter().map(|code| code.to_le_bytes()[0]).collect(), "is written twice"),
        // Values that are computed with: sums of neighbours, and products.
        (|codes| codes.windows(2).map(|pair| (pair[0] + pair[1]).to_le_bytes()[0]).collect(), ""),
        (|codes| codes.iter().map(|code| (code * 3).to_le_bytes()[0]).collect(), ""),
    ];
    for (pack, words) in packers {
        let error = run(&pack).unwrap_err();
        assert!(error.code().as_str() == "not-a-layout" && error.message().contains(words), "{error}");
    }
    assert!(
        Probe::new(&[1 << 40, 1 << 40], 4).is_err() && Probe::new(&[0], 4).is_err() && Probe::new(&[4], 0).is_err()
    );
    assert!(probe.read(&[]).is_err());
}
