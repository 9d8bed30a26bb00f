//! The formats that are built in: each text is read whole, each name is one, and each format has its law at several shapes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeSet;

use bitstride_formats::{Argument, Definition, Format, Spec, Zoo, contract};

/// Extents that suit every format of two axes, and parameters that have no default.
const GIVEN: [(&str, &str); 26] = [
    ("k", "512"),
    ("n", "128"),
    ("m", "256"),
    ("s", "8"),
    ("b", "64"),
    ("t", "32"),
    ("g", "32"),
    ("h", "2"),
    ("d", "16"),
    ("tile", "128"),
    ("rows", "8"),
    ("interleave", "8"),
    ("experts", "3"),
    ("version", "sm80"),
    ("dtype", "float16"),
    ("variant", "v1"),
    ("shape", "32x32x3x1"),
    ("axis", "1"),
    ("group", "128"),
    ("group", "64"),
    ("bits", "8"),
    ("bits", "3"),
    ("act", "8"),
    ("tile", "64"),
    ("dim", "0"),
    ("axis", "0"),
];

/// The format with what it needs of [`GIVEN`]; `more` comes first.
fn format(definition: &Definition, more: &[(&str, &str)]) -> Result<Format, bitstride::Error> {
    let mut spec = Spec { name: definition.name.clone(), parameters: Vec::new() };
    if definition.name == "onednn" {
        spec = spec.with("variant", Argument::Word("OIhw8i16o2i".to_owned()));
    }
    for (name, parameter, word) in [("ct:pack", "version", "0.20"), ("moe:w13", "first", "gate")] {
        if definition.name == name {
            spec = spec.with(parameter, Argument::Word(word.to_owned()));
        }
    }
    let fixed: &[&str] = match definition.name.as_str() {
        name if name.starts_with("ggml:amx") || name == "exl3:tile" || name == "cutlass:reorder" => &["k", "n", "m"],
        name if name.starts_with("ggml") => &[],
        _ => &[],
    };
    for (name, value) in more.iter().chain(&GIVEN[..18]) {
        if definition.parameters.iter().any(|own| own.name == *name) && !fixed.contains(name) {
            spec = spec.with(name, bitstride_formats::argument(value));
        }
    }
    Format::new(definition, &spec)
}

#[test]
fn texts_are_read_whole_and_names_are_unique() {
    let mut names = BTreeSet::new();
    for (file, text) in Zoo::texts() {
        let definitions = Definition::read(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(definitions.len(), text.lines().filter(|line| line.starts_with("format ")).count());
        for definition in definitions {
            assert!(!definition.about.is_empty() && !definition.writers.is_empty() && !definition.readers.is_empty());
            assert!(names.insert(definition.name.clone()), "{} is there twice", definition.name);
        }
    }
    assert_eq!(names.len(), Zoo::builtin().definitions().len());
    for definition in Zoo::builtin().definitions() {
        for like in &definition.confused {
            let spec = Spec::read(like).unwrap();
            assert!(Zoo::builtin().definition(&spec).is_ok(), "{}: {like}", definition.name);
        }
    }
}

/// The bits of a format: none is used twice, all lie in their tensors, and the canonical name gives the same format.
#[test]
fn no_two_bits_share_a_place() {
    let mut seen = 0;
    for definition in Zoo::builtin().definitions() {
        for more in [
            &[][..],
            &GIVEN[18..19],
            &GIVEN[19..20],
            &GIVEN[20..21],
            &GIVEN[22..23],
            &GIVEN[23..24],
            &GIVEN[24..25],
            &GIVEN[25..],
        ] {
            let has = |name: &str| definition.parameters.iter().any(|own| own.name == name);
            if more.first().is_some_and(|(name, _)| !has(name)) {
                continue;
            }
            let made = match (format(definition, more), more) {
                (Ok(made), _) => made,
                (Err(error), _) if definition.refused.is_some() => {
                    assert_eq!(error.code().as_str(), "not-a-layout", "{error}");
                    continue;
                }
                (Err(error), []) => panic!("{}: {error}", definition.name),
                (Err(_), _) => continue,
            };
            assert!(made.open.is_empty(), "{}: {:?}", made.name, made.open);
            assert_eq!(Zoo::builtin().format(&made.name).map(|same| same.name), Ok(made.name.clone()));
            let mut used = vec![BTreeSet::new(); made.tensors.len()];
            for field in &made.fields {
                let shape = field.places.shape().unwrap();
                let elements = field.places.elements().unwrap();
                // A tensor of many elements is sampled along its axes.
                let step = (elements / 701).max(1);
                for element in (0..elements).step_by(usize::try_from(step).unwrap()) {
                    let mut rest = element;
                    let point: Vec<i64> = shape
                        .iter()
                        .map(|extent| {
                            let x = rest % extent;
                            rest /= extent;
                            x
                        })
                        .collect();
                    for bit in 0..field.places.element_bits() {
                        let place = field.places.at(&point, bit).unwrap();
                        assert!((0..made.tensors[field.tensor].bits().unwrap()).contains(&place), "{}", made.name);
                        assert!(used[field.tensor].insert(place), "{} {} {point:?} {bit}", made.name, field.name);
                    }
                }
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

/// Tensors of experts are those of the format alone, one behind the other, and the name says so.
#[test]
fn experts_are_stored_one_behind_the_other() {
    let mut seen = 0;
    for definition in Zoo::builtin().definitions() {
        let Ok(one) = format(definition, &[]) else { continue };
        for (experts, numbers) in [("3", &[0, 2][..]), ("2x4", &[0, 1, 4, 7])] {
            let spec = Spec::read(&one.name).unwrap();
            if spec.parameters.iter().any(|(name, _)| name == "experts") {
                continue;
            }
            let all = Zoo::builtin().instance(&spec.with("experts", bitstride_formats::argument(experts)));
            let all = all.unwrap_or_else(|error| panic!("{}: {error}", one.name));
            assert_eq!(contract::read(&contract::line(&all), Zoo::builtin()).as_ref(), Ok(&all));
            let tensors = &one.tensors;
            for (one, (field, tensor)) in one.fields.iter().zip(all.fields.iter().map(|own| (own, own.tensor))) {
                let (shape, bits) = (one.places.shape().unwrap(), tensors[tensor].bits().unwrap());
                for expert in numbers {
                    let mut own = if experts == "3" { vec![*expert] } else { vec![expert / 4, expert % 4] };
                    let point: Vec<i64> = shape.iter().map(|extent| (extent - 1) * 5 / 7).collect();
                    own.extend(&point);
                    for bit in 0..one.places.element_bits() {
                        let wanted = one.places.at(&point, bit).unwrap() + expert * bits;
                        assert_eq!(field.places.at(&own, bit), Ok(wanted), "{} {own:?}", all.name);
                    }
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen}");
    for (name, words) in [
        ("gptq:v1,k=64,n=64,experts=0", "is no number of experts"),
        ("gptq:v1,k=64,n=64,experts=few", "is no number of experts"),
        ("gptq:v1,k=64,n=64,experts=2x0", "is no number of experts"),
        ("gptq:v1,k=64,n=64,experts=9000000000000000000", "does not fit"),
    ] {
        let error = Zoo::builtin().format(name).unwrap_err();
        assert!(error.message().contains(words), "{name}: {error}");
    }
}

#[test]
fn a_parameter_that_is_missing_is_named() {
    let zoo = Zoo::builtin();
    let format = zoo.format("gptq:bits=4,k=64,n=32").unwrap();
    assert!(format.field("codes").is_ok());
    let error = format.field("zeros").unwrap_err();
    assert_eq!((error.code().as_str(), error.message().contains("variant")), ("missing-fact", true), "{error}");
    let error = zoo.format("gptq:v1,bits=4,k=64").unwrap().field("codes").unwrap_err();
    assert!(error.message().contains("parameter n is missing"), "{error}");
    for (text, code) in [
        ("gptqq", "unknown-name"),
        ("awq:gem,k=1,n=1", "unknown-name"),
        ("gptq:v1,bitz=4", "parameter"),
        ("trtllm:w4,k=64,n=64", "missing-fact"),
        ("trtllm:w4@sm90,k=64,n=64", "parameter"),
        ("torch:int4pack,n=24,k=64", "parameter"),
        ("gptq:v1,bits=4,k=65,n=64", "not-divisible"),
        ("gptq:v1,bits=4,k=9223372036854775807,n=64", "overflow"),
        ("dense:row,m=9223372036854775807,n=64", "overflow"),
        ("", "bad-format-name"),
        ("gptq:v1,bits", "bad-format-name"),
        ("gptq:v1,bits=4,bits=4", "bad-format-name"),
    ] {
        let error = zoo.format(text).err().or_else(|| zoo.format(text).ok()?.open.first().map(|open| open.1.clone()));
        assert_eq!(error.map(|error| error.code().as_str()), Some(code), "{text}");
    }
}

/// A word that a format does not know is refused: the layout would be that of another one.
#[test]
fn words_that_a_format_does_not_know_are_refused() {
    let zoo = Zoo::builtin();
    let places = |version: &str| {
        let format = zoo.format(&format!("ct:pack@{version},bits=3,n=8,k=40")).unwrap();
        bitstride_formats::contract::description(&format)
    };
    assert_eq!(places("0.20.0"), places("0.20"));
    assert_ne!(places("old"), places("0.20"));
    for (name, word, known) in [
        ("ct:pack@0.20.1,n=8,k=40", "no later one is known", "old"),
        ("ct:pack@0.21,bits=3,n=8,k=40", "no later one is known", "0.20"),
        ("ct:pack@1,bits=3,n=8,k=40", "no later one is known", "0.20"),
        ("ct:pack@banana,bits=3,n=8,k=40", "no later one is known", "0.20"),
        ("gptq:v3,k=64,n=32", "the variants are v1", "v2"),
        ("sparse24:meta,m=32,g=8,dtype=float32", "float16, bfloat16 and int8", "int8"),
        ("cutlass:reorder,mma=f32", "f16 and e4m3", "e4m3"),
        ("pairs:low,n=2,k=8,kind=int", "uint or nf4", "nf4"),
        ("machete:n=128,k=128,act=f32", "activations", "bf16"),
        ("trtllm:w8@sm100,k=64,n=64", "sm75 to sm89", "sm86"),
    ] {
        let error = zoo.format(name).unwrap_err();
        let help = error.help().unwrap_or_default().to_owned();
        assert!(error.message().contains(word) && help.contains(known), "{name}: {error} {help}");
    }
    // Every parameter that a built-in text compares with words has a list of them.
    for (file, text) in Zoo::texts() {
        let mut listed = BTreeSet::new();
        for line in text.lines() {
            if line.starts_with("format ") {
                listed.clear();
            }
            listed.extend(line.strip_prefix("values ").and_then(|rest| Some(rest.split_once(" =")?.0)));
            let compared = if line.starts_with("param ") { "" } else { line };
            for (before, _) in compared.match_indices(" == \"").map(|(at, _)| compared.split_at(at)) {
                let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
                assert!(listed.contains(name), "{file}: {line}");
            }
        }
    }
}

/// Texts of users that are no formats: refused with the line, and nothing panics.
#[test]
fn texts_that_are_no_formats_are_refused() {
    for (text, what) in [
        ("param n", "line 1"),
        ("format a b", "line 1"),
        ("format a\nplace = 4:1\nplaces", "line 3"),
        ("format a\ntensor t u8", "line 2"),
        ("format a\nfield f [k 8 uint", "line 2"),
        ("format a\nlet x = (((((1", "line 2"),
        ("format a\nlet x = 1 +", "line 2"),
        ("format a\nlet x = foo(1)", "line 2"),
        ("format a\nplace over k 1 = 4:1", "line 2"),
        ("format a\nif : let x = 1", "line 2"),
        ("format a\nplace = {k", "line 2"),
        ("format a\nformat b\nformat a", "line 3: the text has a format a"),
        ("format a\nparam k, n\nparam n", "line 3: a has two parameters n"),
    ] {
        let error = Definition::read(text).unwrap_err();
        assert!(error.message().starts_with(what), "{text}: {error}");
    }
    assert!(Definition::read(&format!("format a\nlet x = {}1{}", "(".repeat(100_000), ")".repeat(100_000))).is_err());
    let mut zoo = Zoo::default();
    for (name, text) in [
        ("both", "tensor t u8 [4]\nfield x [n: 4] 8 uint\nplace = 4:1\nplace = 4:1"),
        ("part", "tensor t u8 [4]\nfield x [n: 4] 8 uint\nplace over n 0..3 = 3:1"),
        ("long", "tensor t u8 [4]\nfield x [n: 5] 8 uint\nplace = 5:1"),
        ("none", "field x [n: 4] 8 uint\nplace = 4:1"),
        ("wide", "tensor t u8 [4]\nfield x [n: 4] 800 uint\nplace = 4:1"),
        ("back", "tensor t u8 [4]\nfield x [n: 4] 8 uint\nplace = 4:-1"),
        ("many", "tensor t u8 [4]\nfield x [n: 4] 8 uint\nplace = (2,2):(1,2)"),
        ("flip", "tensor t u8 [4]\nfield x [n: 8] 4 uint\nstored xor 24\nplace = 8:1"),
        ("sign", "tensor t u8 [4]\nfield x [n: 8] 4 uint\nstored xor -8\nplace = 8:1"),
        ("same", "tensor t u8 [4]\nfield x [n: 4] 8 uint\nplace = 4:1\ntensor t u8 [4]"),
        ("twin", "tensor t u8 [8]\nfield x [n: 4] 8 uint\nplace = 4:1\nfield x [n: 4] 8 uint\nplace = 4:1 + 4"),
        ("zero", "let x = 1/0\ntensor t u8 [x]"),
        ("text", "tensor t u8 [4]\nfield x [n: 4] 8 uint\nplace = hello("),
    ] {
        zoo.add(&format!("format {name}\n{text}")).unwrap();
        assert!(zoo.format(name).is_err(), "{name}");
    }
    zoo.add("format pairs\nparam n\ntensor t u8 [n/2]\nfield x [n] 4 uint\nplace = {n}:1").unwrap();
    assert_eq!(zoo.format("pairs:n=8").unwrap().field("x").unwrap().places.at(&[3], 1), Ok(13));
}

/// The identifiers of ONNX are in small letters, those of GGUF have capital ones.
#[test]
fn names_are_found_in_small_and_capital_letters() {
    let zoo = Zoo::builtin();
    for definition in zoo.definitions() {
        for name in [definition.name.to_lowercase(), definition.name.to_uppercase()] {
            let spec = Spec { name, parameters: Vec::new() };
            assert_eq!(zoo.definition(&spec).unwrap().0.name, definition.name);
        }
    }
}
