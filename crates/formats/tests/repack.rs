//! Repacking: every field against a twin that moves bit by bit, round trips, and what is refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use bitstride_formats::{Format, Repack, Zoo};

fn format(name: &str) -> Format {
    Zoo::builtin().format(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Bytes that repeat after no small number.
fn noise(bytes: i64, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..bytes).map(|_| next()).collect()
}

fn bit(memory: &[u8], place: i64) -> u8 {
    memory[usize::try_from(place / 8).unwrap()] >> (place % 8) & 1
}

/// Moves a field between two formats and looks at every bit of it; then back, to the same bytes.
fn check(from: &str, to: &str, field: &str, xor: i64) {
    let (one, other) = (format(from), format(to));
    let repack = Repack::new(&one, &other, Some(&[field])).unwrap_or_else(|error| panic!("{from} {to}: {error}"));
    let sources: Vec<Vec<u8>> = one.tensors.iter().map(|tensor| noise(tensor.bytes().unwrap(), 7)).collect();
    let slices: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
    let targets = repack.run(&slices).unwrap();
    // Memory that held anything gets the same bytes where the field covers it.
    let mut used: Vec<Vec<u8>> = targets.clone();
    for (number, tensor) in used.iter_mut().enumerate() {
        let held = if repack.covers(number) { 0xa5 } else { other.tensors[number].fill };
        tensor.fill(held);
    }
    let mut rooms: Vec<&mut [u8]> = used.iter_mut().map(Vec::as_mut_slice).collect();
    repack.run_into(&slices, &mut rooms).unwrap();
    assert_eq!(used, targets, "{from} {to}");
    let (mine, theirs) = (one.field(field).unwrap(), other.field(field).unwrap());
    let axes: Vec<usize> = mine
        .places
        .axes()
        .iter()
        .enumerate()
        .map(|(at, axis)| theirs.places.axes().iter().position(|own| own.name == axis.name).unwrap_or(at))
        .collect();
    let shape = mine.places.shape().unwrap();
    let size: i64 = shape.iter().product();
    for flat in (0..size).step_by(if size > 20_000 { 13 } else { 1 }) {
        let mut rest = flat;
        let mut point = vec![0; shape.len()];
        for (x, extent) in point.iter_mut().zip(&shape) {
            *x = rest % extent;
            rest /= extent;
        }
        let mut there = point.clone();
        for (x, at) in point.iter().zip(&axes) {
            there[*at] = *x;
        }
        for at in 0..mine.places.element_bits() {
            let read = bit(&sources[mine.tensor], mine.places.at(&point, at).unwrap());
            let written = bit(&targets[theirs.tensor], theirs.places.at(&there, at).unwrap());
            assert_eq!(i64::from(read ^ written), xor >> at & 1, "{from} {to} {point:?} bit {at}");
        }
    }
    let back = Repack::new(&other, &one, Some(&[field])).unwrap();
    let slices: Vec<&[u8]> = targets.iter().map(Vec::as_slice).collect();
    let returned = back.run(&slices).unwrap();
    let again = Repack::new(&one, &other, Some(&[field])).unwrap();
    let slices: Vec<&[u8]> = returned.iter().map(Vec::as_slice).collect();
    assert_eq!(again.run(&slices).unwrap(), targets, "{from} {to}");
}

#[test]
fn every_bit_arrives() {
    for (from, to, field, xor) in [
        ("gptq:v2,bits=4,k=128,n=64", "marlin:bits=4,k=128,n=64", "codes", 0),
        ("gptq:v2,bits=8,k=64,n=64", "awq:gemm,bits=8,k=64,n=64", "codes", 0),
        ("gptq:v2,bits=4,k=64,n=32", "trtllm:w4@sm80,k=64,n=32", "codes", 8),
        // Codes across words, bit planes, and codes whose bits are collected.
        ("gptq:v2,bits=3,k=64,n=32", "gptq_p:bits=3,k=64,n=32", "codes", 0),
        ("gptq:v2,bits=3,k=64,n=32", "exl2:loaded,bits=3,k=64,n=32", "codes", 0),
        ("exl2:stored,bits=6,k=64,n=32", "exl2:loaded,bits=6,k=64,n=32", "codes", 0),
        ("gptq_p:bits=7,k=64,n=32", "exl2:stored,bits=7,k=64,n=32", "codes", 0),
        ("ct:pack@old,bits=3,n=8,k=40", "ct:pack@0.20,bits=3,n=8,k=40", "codes", 0),
        ("ct:pack@0.20,bits=5,n=32,k=64,dim=0", "mlx:bits=5,n=32,k=64", "codes", 0),
        ("gguf:q5_K,n=8,k=512", "ggml:q5_K,rows=8,interleave=8,n=8,k=512", "codes", 0),
        ("gguf:q6_K,n=16,k=256", "ggml:q6_K,rows=8,interleave=4,n=16,k=256", "codes", 0),
        ("gguf:q4_K,n=16,k=512", "ggml:q4_K,rows=8,interleave=4,n=16,k=512", "mins", 0),
        ("gguf:q4_0,n=16,k=96", "ggml:q4_0,rows=4,interleave=8,n=16,k=96", "codes", 8),
        // Tails and padding.
        ("torch:int4pack,n=96,k=32", "vnni:int4,n=96,k=32", "codes", 0),
        ("mx:scale,m=100,s=6", "mx:scale128x4,m=100,s=6", "scales", 0),
    ] {
        check(from, to, field, xor);
    }
}

#[test]
fn what_is_no_repack_is_refused() {
    let refusal = |from: &str, to: &str, fields: Option<&[&str]>| {
        let error = Repack::new(&format(from), &format(to), fields).unwrap_err();
        (error.code().as_str(), error.message().to_owned())
    };
    let shape = "bits=4,k=128,n=64";
    for (from, to, fields, code, words) in [
        ("hf:mxfp4,n=32,k=64", "gguf:q4_0,n=32,k=64", None, "kind", "e2m1 in one format and uint"),
        ("gptq:v1,bits=4,k=128,n=64", "ct:pack,n=64,k=128", None, "not-a-layout", "zeros"),
        ("gptq:v1,bits=4,k=128,n=64", "gptq:v1,bits=8,k=128,n=64", None, "kind", "4 bits"),
        ("gptq:v1,bits=4,k=128,n=64", "gptq:v1,bits=4,k=256,n=64", None, "range", "128 elements"),
        ("gptq:bits=4,k=128,n=64", "gptq:v1,bits=4,k=128,n=64", None, "missing-fact", "variant"),
        // One counts the rows of experts from gate on, the other from up on.
        ("aiter:w13,experts=2,m=64,b=64", "trtllm:w3w1,tile=64,m=64,b=64,experts=2", None, "kind", "gate_up"),
    ] {
        let (found, message) = refusal(from, to, fields);
        assert!(found == code && message.contains(words), "{from} {to}: {found}: {message}");
    }
    let (one, other) = (format(&format!("gptq:v2,{shape}")), format(&format!("gptq:v1,{shape}")));
    let repack = Repack::new(&one, &other, Some(&["zeros"])).unwrap();
    let zeros = vec![0x11; 32];
    assert_eq!(repack.run(&[&[], &zeros]).unwrap()[1], vec![0; 32]);
    let mut borrowed = zeros.clone();
    borrowed[3] = 0x10;
    let error = repack.run(&[&[], &borrowed]).unwrap_err();
    assert!(error.message().contains("element (0,6): 0 would be stored as -1"), "{error}");
    // Channels in the order of their activations.
    let (gptq, marlin) = (format(&format!("gptq:v2,{shape},group=32")), format(&format!("marlin:{shape},group=32")));
    let repack = Repack::new(&gptq, &marlin, None).unwrap();
    let mut sources: Vec<Vec<u8>> = gptq.tensors.iter().map(|tensor| noise(tensor.bytes().unwrap(), 3)).collect();
    sources[3] = (0..128u32).flat_map(|k| (k / 32).to_le_bytes()).collect();
    let slices = |sources: &[Vec<u8>]| sources.iter().map(Vec::clone).collect::<Vec<_>>();
    let run = |sources: Vec<Vec<u8>>| repack.run(&sources.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let moved = run(slices(&sources)).unwrap();
    let back = Repack::new(&marlin, &gptq, None).unwrap();
    assert_eq!(back.run(&moved.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap(), sources);
    // Groups in order, but of another size than the format has: the scales would belong to others.
    let mut smaller = slices(&sources);
    smaller[3] = (0..128u32).flat_map(|k| (k / 16).to_le_bytes()).collect();
    let error = run(smaller).unwrap_err();
    assert!(error.message().contains("channel 16 is in group 1, not 0"), "{error}");
    sources[3][0] = 1;
    let error = run(sources).unwrap_err();
    assert!(error.message().contains("channel 0 is in group 1"), "{error}");
}

/// Scales that are no powers of two have no exponent alone.
#[test]
fn exponents_are_of_powers_of_two() {
    let repack = Repack::new(&format("dense:f32,m=2,s=4"), &format("deepgemm:ue8m0,m=2,s=4"), None).unwrap();
    let bytes = |numbers: [f32; 8]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let moved = repack.run(&[&bytes([1.0, 2.0, 0.5, 4.0, 1.0, 1.0, 1.0, 8.0])]).unwrap();
    assert_eq!(moved, [[127, 128, 126, 129, 127, 127, 127, 130, 0, 0, 0, 0, 0, 0, 0, 0]]);
    for wrong in [3.0, 0.0, -2.0, f32::INFINITY, f32::NAN, 1e-40] {
        let error = repack.run(&[&bytes([1.0, wrong, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])]).unwrap_err();
        assert!(error.message().contains("element (0,1)"), "{error}");
    }
    let back = Repack::new(&format("deepgemm:ue8m0,m=2,s=4"), &format("dense:f32,m=2,s=4"), None).unwrap();
    assert_eq!(back.run(&[&moved[0]]).unwrap()[0], bytes([1.0, 2.0, 0.5, 4.0, 1.0, 1.0, 1.0, 8.0]));
}

/// Global scales of NVFP4 that one writer stores as the divisor.
#[test]
fn reciprocals_come_back_or_are_refused() {
    let (divisor, factor) = (format("nvfp4:ct,n=1,k=16"), format("nvfp4:modelopt,n=1,k=16"));
    let bytes = |number: f32| number.to_le_bytes().to_vec();
    let repack = Repack::new(&divisor, &factor, Some(&["global"])).unwrap();
    let back = Repack::new(&factor, &divisor, Some(&["global"])).unwrap();
    for number in [2688.0, 1.0, 0.001, 3.0, 1234.5] {
        let moved = repack.run(&[&[], &[], &bytes(number)]).unwrap();
        assert_eq!(moved[2], bytes(1.0 / number));
        assert_eq!(back.run(&[&[], &[], &moved[2]]).unwrap()[2], bytes(number));
    }
    for wrong in [7.0, 0.0, -2.0, f32::INFINITY, f32::NAN, 1e-40, 3e38] {
        let error = repack.run(&[&[], &[], &bytes(wrong)]).unwrap_err();
        assert!(error.message().contains("element (0)"), "{error}");
    }
    let report = bitstride_formats::check::fields(divisor.field("global").unwrap(), factor.field("global").unwrap());
    assert_eq!(report.unwrap().verdict.to_string(), "same places, codes mapped by reciprocal");
}

/// What a verdict says is to be done leads from the producer to the consumer, and back the other way round.
#[test]
fn a_verdict_says_its_direction() {
    let said = |from: &str, to: &str| {
        let (from, to) = (format(from), format(to));
        let (one, other) = (&from.fields[0], &to.fields[0]);
        match bitstride_formats::check::fields(one, other) {
            Ok(report) => report.verdict.to_string(),
            Err(error) => error.message().to_owned(),
        }
    };
    let (f32, e8m0) = ("dense:f32,m=4,s=4", "deepgemm:ue8m0,m=4,s=4");
    assert!(said(f32, e8m0).ends_with("codes mapped by exponent of a power of two (f32 to E8M0)"));
    assert!(said(e8m0, f32).ends_with("codes mapped by power of two of an exponent (E8M0 to f32)"));
    let zeros = |variant: &str| format(&format!("gptq:{variant},k=64,n=32")).field("zeros").unwrap().clone();
    let verdict =
        |from: &str, to: &str| bitstride_formats::check::fields(&zeros(from), &zeros(to)).unwrap().verdict.to_string();
    assert_eq!(verdict("v1", "v2"), "same places, codes mapped by +1");
    assert_eq!(verdict("v2", "v1"), "same places, codes mapped by -1");
}

/// All fields in one pass leave the bytes that each field alone leaves.
#[test]
fn fields_together_are_fields_one_by_one() {
    for (from, to) in [
        ("gguf:q4_0,n=16,k=96", "ggml:q4_0,rows=8,interleave=8,n=16,k=96"),
        ("gguf:q4_0,n=16,k=96", "ggml:q4_0,rows=4,interleave=4,n=16,k=96"),
        ("ggml:q4_0,rows=8,interleave=8,n=16,k=96", "gguf:q4_0,n=16,k=96"),
        ("gguf:q8_0,n=8,k=64", "ggml:q8_0,rows=4,interleave=8,n=8,k=64"),
        ("gguf:q2_K,n=16,k=512", "ggml:q2_K,rows=8,interleave=8,n=16,k=512"),
        ("gguf:q4_K,n=16,k=512", "ggml:q4_K,rows=8,interleave=8,n=16,k=512"),
        ("gguf:q4_K,n=8,k=256", "ggml:q4_K,rows=8,interleave=4,n=8,k=256"),
        ("gguf:q5_K,n=8,k=512", "ggml:q5_K,rows=8,interleave=8,n=8,k=512"),
        ("gguf:q6_K,n=16,k=256", "ggml:q6_K,rows=8,interleave=8,n=16,k=256"),
        ("gguf:mxfp4,n=8,k=64", "hf:mxfp4,n=8,k=64"),
    ] {
        let (from, to) = (format(from), format(to));
        let sources: Vec<Vec<u8>> = from.tensors.iter().map(|tensor| noise(tensor.bytes().unwrap(), 11)).collect();
        let slices: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let repack = Repack::new(&from, &to, None).unwrap();
        assert!((0..to.tensors.len()).all(|tensor| repack.covers(tensor)), "{} {}", from.name, to.name);
        let together = repack.run(&slices).unwrap();
        let mut alone: Vec<Vec<u8>> = to
            .tensors
            .iter()
            .map(|tensor| vec![tensor.fill; usize::try_from(tensor.bytes().unwrap()).unwrap()])
            .collect();
        for field in &from.fields {
            let mut targets: Vec<&mut [u8]> = alone.iter_mut().map(Vec::as_mut_slice).collect();
            let repack = Repack::new(&from, &to, Some(&[field.name.as_str()])).unwrap();
            repack.run_into(&slices, &mut targets).unwrap();
        }
        for field in &from.fields {
            let other = to.field(&field.name).unwrap();
            let shape = field.places.shape().unwrap();
            for flat in 0..shape.iter().product::<i64>() {
                let mut rest = flat;
                let mut point = vec![0; shape.len()];
                for (x, extent) in point.iter_mut().zip(&shape) {
                    *x = rest % extent;
                    rest /= extent;
                }
                for at in 0..field.places.element_bits() {
                    let read = bit(&sources[field.tensor], field.places.at(&point, at).unwrap());
                    let place = other.places.at(&point, at).unwrap();
                    for (name, all) in [("together", &together), ("alone", &alone)] {
                        let xor = i64::from(field.stored != other.stored && at == 3);
                        assert_eq!(
                            i64::from(read ^ bit(&all[other.tensor], place)),
                            xor,
                            "{name} {} {} {point:?} bit {at} of {}",
                            from.name,
                            to.name,
                            field.name
                        );
                    }
                }
            }
        }
        let wrong = together.iter().zip(&alone).map(|(one, other)| one.iter().zip(other).position(|(a, b)| a != b));
        assert!(together == alone, "{} {} at {:?}", from.name, to.name, wrong.collect::<Vec<_>>());
    }
}

/// Any fields leave the bits of these fields, and no other bit is touched.
#[test]
fn some_fields_are_the_bits_of_these() {
    for (from, to) in [
        ("gguf:q4_0,n=16,k=96", "ggml:q4_0,rows=8,interleave=8,n=16,k=96"),
        ("ggml:q4_0,rows=4,interleave=4,n=16,k=96", "gguf:q4_0,n=16,k=96"),
        ("gguf:q8_0,n=8,k=64", "ggml:q8_0,rows=4,interleave=8,n=8,k=64"),
        ("gguf:q2_K,n=8,k=256", "ggml:q2_K,rows=8,interleave=8,n=8,k=256"),
        ("gguf:q4_K,n=8,k=256", "ggml:q4_K,rows=8,interleave=8,n=8,k=256"),
        ("gguf:q6_K,n=16,k=256", "ggml:q6_K,rows=8,interleave=8,n=16,k=256"),
        ("hf:mxfp4,n=8,k=64", "gguf:mxfp4,n=8,k=64"),
    ] {
        let (from, to) = (format(from), format(to));
        let sources: Vec<Vec<u8>> = from.tensors.iter().map(|tensor| noise(tensor.bytes().unwrap(), 5)).collect();
        let slices: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let held: Vec<Vec<u8>> = to.tensors.iter().map(|tensor| noise(tensor.bytes().unwrap(), 9)).collect();
        // Of each field: its tensors, and for each bit where it is read and written, and what is xored.
        let moves = |field: &bitstride_formats::Field| {
            let (other, shape) = (to.field(&field.name).unwrap(), field.places.shape().unwrap());
            let mut moves = Vec::new();
            for flat in 0..shape.iter().product::<i64>() {
                let mut rest = flat;
                let point: Vec<i64> = shape.iter().map(|extent| (rest % extent, rest /= extent).0).collect();
                for at in 0..field.places.element_bits() {
                    let xor = u8::from(field.stored != other.stored && at == 3);
                    let read = field.places.at(&point, at).unwrap();
                    moves.push((read, other.places.at(&point, at).unwrap(), xor));
                }
            }
            (field.name.clone(), field.tensor, other.tensor, moves)
        };
        let fields: Vec<_> = from.fields.iter().map(moves).collect();
        for chosen in 1..1usize << fields.len() {
            let chosen: Vec<_> = fields.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).collect();
            let mut wanted = held.clone();
            for (_, (_, tensor, target, moves)) in &chosen {
                for (read, place, xor) in moves {
                    let value = bit(&sources[*tensor], *read) ^ xor;
                    let byte = &mut wanted[*target][usize::try_from(place / 8).unwrap()];
                    *byte = *byte & !(1 << (place % 8)) | value << (place % 8);
                }
            }
            let names: Vec<&str> = chosen.iter().map(|(_, (name, ..))| name.as_str()).collect();
            let mut made = held.clone();
            let mut targets: Vec<&mut [u8]> = made.iter_mut().map(Vec::as_mut_slice).collect();
            Repack::new(&from, &to, Some(&names)).unwrap().run_into(&slices, &mut targets).unwrap();
            assert!(made == wanted, "{} {} {names:?}", from.name, to.name);
        }
    }
}

/// Values of more elements than are mapped at once: the same values, and the element that is refused is named wherever it is.
#[test]
fn values_are_mapped_slab_by_slab() {
    let names = ["gptq:v1,k=2048,n=8192,group=32", "gptq:v2,k=2048,n=8192,group=32"];
    let (from, to) = (format(names[0]), format(names[1]));
    let repack = Repack::new(&from, &to, Some(&["zeros"])).unwrap();
    // Nibbles of 0 to 14, which have one more in the other.
    let zeros: Vec<u8> = noise(64 * 8192 / 2, 5).iter().map(|byte| (byte % 15) | ((byte / 16 % 15) << 4)).collect();
    let moved = repack.run(&[&[], &zeros, &[], &[]]).unwrap();
    let wanted: Vec<u8> = zeros.iter().map(|byte| byte + 0x11).collect();
    assert!(moved[1] == wanted);
    let mut wrong = zeros;
    // The last group, and out-feature 3.
    wrong[63 * 4096 + 1] = 0xf0;
    let error = repack.run(&[&[], &wrong, &[], &[]]).unwrap_err();
    assert!(error.message().contains("element (63,3)"), "{error}");
    let (from, to) = (format("dense:f32,m=601,s=603"), format("deepgemm:ue8m0,m=601,s=603"));
    let exponents = noise(601 * 603, 9);
    let power = |exponent: &u8| (u32::from(exponent % 250 + 1) << 23).to_le_bytes();
    let scales: Vec<u8> = exponents.iter().flat_map(power).collect();
    let moved = Repack::new(&from, &to, None).unwrap().run(&[&scales]).unwrap();
    let field = to.field("scales").unwrap();
    for (number, exponent) in (0..).zip(&exponents) {
        let place = field.places.at(&[number / 603, number % 603], 0).unwrap();
        assert_eq!(moved[0][usize::try_from(place / 8).unwrap()], exponent % 250 + 1, "{number}");
    }
    let back = Repack::new(&to, &from, None).unwrap().run(&[&moved[0]]).unwrap();
    assert!(back[0] == scales);
}
