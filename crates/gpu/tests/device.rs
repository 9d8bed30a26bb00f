//! Relayouts on a GPU against plans of the processor, byte for byte. Without a GPU, each test says what it did not run.
//!
//! On a machine with a GPU and without Rust, the binary of this test is carried there:
//! `BITSTRIDE_PAIRS=2000 ./device-… --include-ignored --nocapture --test-threads 1`.
#![allow(
    unsafe_code,
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "that is how a test fails, says what it skips, and runs on parts of memory"
)]

#[path = "../../emit/tests/common/mod.rs"]
mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bitstride::Code;
use bitstride::map::Map;
use bitstride_gpu::{Device, Kernel, Region, Stream};
use bitstride_lang::evaluate;
use bitstride_relayout::{Element, Isa, Plan};
use common::{Random, pair, rows_of_bytes};

/// How many pairs are compared where the environment does not say `BITSTRIDE_PAIRS`.
const PAIRS: usize = 100;

/// Beside the destination.
const CANARIES: usize = 64;

/// The first GPU; without one, a line says what was not run.
fn device(what: &str) -> Option<Device> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(why) => {
            assert_eq!(why.code(), Code::NoDevice);
            eprintln!("SKIPPED: {what} not run: {why}");
            None
        }
    }
}

fn map(text: &str) -> Map {
    evaluate(text).and_then(|answer| answer.value.as_map()).unwrap_or_else(|why| panic!("{text}: {why}"))
}

/// Bytes that look random.
fn noise(count: usize, seed: u64) -> Vec<u8> {
    let byte = |at: u64| ((at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 + 2 * seed) >> 37 & 255).try_into().unwrap();
    (0..u64::try_from(count).unwrap()).map(byte).collect()
}

/// A pair on the device, both sides some bytes behind an aligned address, against the plan; what differs, in words.
fn compare(device: &Device, texts: &[String; 2], bits: u32, skew: usize, value: Option<&[u8]>) -> Option<String> {
    let element = Element::of_bits(bits).unwrap();
    let [from, to] = texts.each_ref().map(|text| map(text));
    let plan = Plan::for_isa(&from, &to, element, Isa::Scalar).ok()?;
    let source = noise(plan.source_bytes() + skew, 0);
    let mut moved = noise(plan.destination_bytes() + skew + CANARIES, 1);
    let name = format!("{} -> {}, {bits} bits, skew {skew}, value {value:?}", texts[0], texts[1]);
    let on_device = || {
        let kernel = Kernel::of(device, &from, &to, element)?;
        let (source, destination) = (device.upload(&source)?, device.upload(&moved)?);
        let region = |address: u64, bytes: usize| Region { address: address + u64::try_from(skew).unwrap_or(0), bytes };
        let sides =
            [region(source.address(), plan.source_bytes()), region(destination.address(), plan.destination_bytes())];
        // SAFETY: both regions are parts of memory that lives until it is copied back.
        unsafe { kernel.run_on(sides[0], sides[1], value, Stream::default()) }?;
        let mut bytes = vec![0; destination.len()];
        destination.download(&mut bytes)?;
        Ok::<_, bitstride::Error>(bytes)
    };
    let theirs = match on_device() {
        Ok(bytes) => bytes,
        Err(why) => return Some(format!("{name}: {why}")),
    };
    let place = &mut moved[skew..];
    match value {
        Some(value) => plan.run_filled(&source[skew..], place, value).unwrap(),
        None => plan.run(&source[skew..], place).unwrap(),
    }
    let first = moved.iter().zip(&theirs).position(|(one, other)| one != other)?;
    Some(format!("{name}: byte {first} is {} for {}", theirs[first], moved[first]))
}

/// Random pairs: ragged, padded, swizzled, cut, of all sizes of elements, on all alignments, with and without a value.
#[test]
fn pairs_leave_the_bytes_of_plans() {
    let count = std::env::var("BITSTRIDE_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(PAIRS);
    let Some(device) = device(&format!("{count} pairs of layouts")) else { return };
    let mut random = Random(2_024);
    let mut cases = Vec::with_capacity(count);
    while cases.len() < count {
        let (texts, bits) = match random.below(10) {
            0 => (rows_of_bytes(&mut random), random.of(&[1, 2, 4])),
            _ => {
                let texts = pair(&mut random);
                (texts, random.of(&[1, 2, 4, 4, 8, 8, 16, 16, 24, 32, 32, 48, 64, 96, 128, 128, 192]))
            }
        };
        let element = Element::of_bits(bits).unwrap();
        let maps = texts.each_ref().map(|text| evaluate(text).and_then(|answer| answer.value.as_map()));
        let [Ok(from), Ok(to)] = maps else { continue };
        if Plan::for_isa(&from, &to, element, Isa::Scalar).is_ok() {
            let bytes = usize::try_from(bits).unwrap().div_ceil(8);
            let value = (random.below(3) == 0 && bytes <= 16).then(|| vec![if bits < 8 { 1 } else { 0xA5 }; bytes]);
            cases.push((texts, bits, random.of(&[0, 0, 0, 8, 4, 2, 1]), value));
        }
    }
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((texts, bits, skew, value)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(difference) = compare(&device, texts, *bits, *skew, value.as_deref()) {
                wrong.lock().unwrap().push(difference);
            }
        }
    };
    let started = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    println!("{count} pairs on {} in {:.0?}: {} wrong", device.name(), started.elapsed(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(20)].join("\n"));
}

/// Parts of tensors that the device has no room for, were its memory as small as the limit: batches, tilings, swizzles, nibbles.
#[test]
fn slabs_leave_the_bytes_of_plans() {
    let Some(device) = device("slabs") else { return };
    for (from, to, bits, limit) in [
        ("(64,256,512):(131072,512,1)", "(64,256,512):(131072,1,256)", 16, 1 << 20),
        ("(7,60,50):(3000,50,1)", "(7,60,50):(3100,1,61)", 24, 40_000),
        ("(7,61,51):(3111,51,1)", "(7,61,51):(3200,1,62)", 4, 4_000),
        ("f32[1000,300]{1,0}", "f32[1000,300]{1,0:T(8,128)}", 32, 100_000),
        ("(16,(64,64)):(4096,(1,64))", "Sw<3,3,3> o 0 o (16,(64,64)):(4096,(64,1))", 16, 40_000),
    ] {
        let plan = Plan::for_isa(&map(from), &map(to), Element::of_bits(bits).unwrap(), Isa::Scalar).unwrap();
        let source = noise(plan.source_bytes(), 0);
        let mut moved = noise(plan.destination_bytes(), 1);
        let mut theirs = moved.clone();
        for slab in plan.slabs(limit).unwrap() {
            let kernel = Kernel::of(&device, &slab.maps[0], &slab.maps[1], slab.unit).unwrap();
            let [read, written] = slab.bytes;
            assert!(read.len() + written.len() <= limit, "{from} -> {to}");
            let (own, mut place) =
                (device.upload(&source[read]).unwrap(), device.upload(&theirs[written.clone()]).unwrap());
            kernel.run(&own, &mut place, None).unwrap();
            place.download(&mut theirs[written]).unwrap();
        }
        plan.run(&source, &mut moved).unwrap();
        assert!(moved == theirs, "{from} -> {to}");
    }
}

#[test]
fn hostile_memory_is_refused() {
    let Some(device) = device("memory that is too small") else { return };
    let element = Element::of_bits(16).unwrap();
    let kernel = Kernel::of(&device, &map("(64,64):(64,1)"), &map("(64,64):(1,64)"), element).unwrap();
    let bytes = kernel.bytes();
    assert_eq!(bytes, [8192; 2]);
    for (from, to) in [(8191, 8192), (8192, 8191), (0, 8192), (8192, 0)] {
        let (source, mut moved) = (device.allocate(from).unwrap(), device.allocate(to).unwrap());
        assert_eq!(kernel.run(&source, &mut moved, None).unwrap_err().code(), Code::Range);
    }
    let memory = device.allocate(8192 * 2).unwrap();
    for distance in [0, 2, 8190] {
        let region = |address| Region { address, bytes: 8192 };
        let (source, moved) = (region(memory.address()), region(memory.address() + distance));
        // SAFETY: both regions are inside of the memory.
        let ran = unsafe { kernel.run_on(source, moved, None, Stream::default()) };
        assert_eq!(ran.unwrap_err().code(), Code::Overlap);
    }
    let (source, mut moved) = (device.allocate(8192).unwrap(), device.allocate(8192).unwrap());
    for value in [&[][..], &[1], &[1; 3], &[1; 17]] {
        assert_eq!(kernel.run(&source, &mut moved, Some(value)).unwrap_err().code(), Code::Range);
    }
    assert_eq!(device.allocate(1 << 60).unwrap_err().code(), Code::TooLarge);
    // The device works as before.
    kernel.run(&source, &mut moved, Some(&[1, 2])).unwrap();
    device.wait().unwrap();
}

/// Places beyond 32 bits: 20 GiB of the device.
#[test]
#[ignore = "needs 20 GiB of a GPU; by hand"]
fn places_beyond_32_bits() {
    let Some(device) = device("places beyond 32 bits") else { return };
    for (bits, from, to) in [
        (8, "(5,300):(300,1)", "(5,300):(4294967296,1)"),
        (32, "(300,5):(5,1)", "(300,5):(1,1073741824)"),
        (4, "(5,300):(300,1)", "(5,300):(8589934592,1)"),
    ] {
        let (from, to) = (map(from), map(to));
        let element = Element::of_bits(bits).unwrap();
        let kernel = Kernel::of(&device, &from, &to, element).unwrap();
        let back = Kernel::of(&device, &to, &from, element).unwrap();
        let [near, reach] = kernel.bytes();
        assert!(reach > 1 << 32, "{reach}");
        let bytes = noise(near, 3);
        let source = device.upload(&bytes).unwrap();
        let mut far = device.allocate(reach).unwrap();
        let mut again = device.allocate(near).unwrap();
        again.clear().unwrap();
        kernel.run(&source, &mut far, None).unwrap();
        back.run(&far, &mut again, None).unwrap();
        let mut came = vec![0; bytes.len()];
        again.download(&mut came).unwrap();
        assert!(came == bytes, "{bits} bits");
    }
}

/// How long moves take beside a copy of as many bytes by the driver, from Rust on the default stream: medians of 7 times 10 runs.
#[test]
#[ignore = "times a GPU; by hand"]
fn times_beside_a_copy() {
    let Some(device) = device("times") else { return };
    println!("{}: GB/s of one side, and the share of a copy by the driver", device.name());
    let rows = [
        ("transpose f32", "(8192,16384):(16384,1)", "(8192,16384):(1,8192)", 32),
        ("transpose f16", "(16384,16384):(16384,1)", "(16384,16384):(1,16384)", 16),
        ("rows to T(8,128) f32", "f32[16384,8192]{1,0}", "f32[16384,8192]{1,0:T(8,128)}", 32),
        (
            "swizzled 128B f16",
            "((8,2048),(64,256)):((64,131072),(1,512))",
            "Sw<3,3,3> o ((8,2048),(64,256)):((64,131072),(1,512))",
            16,
        ),
        ("16 bytes transposed", "(4096,8192):(8192,1)", "(4096,8192):(1,4096)", 128),
        ("nibbles transposed", "(16384,32768):(32768,1)", "(16384,32768):(1,16384)", 4),
        ("pairs of bits transposed", "(32768,32768):(32768,1)", "(32768,32768):(1,32768)", 2),
        ("bits transposed", "(32768,65536):(65536,1)", "(32768,65536):(1,32768)", 1),
        ("no common digits f32", "(8190,8190):(8190,1)", "Sw<3,3,3> o (8190,8190):(8200,1)", 32),
        ("cut differently f32", "(8190,8190):(1,8190)", "((91,90),(90,91)):((90,1),(745290,8190))", 32),
    ];
    for (name, from, to, bits) in rows {
        let element = Element::of_bits(bits).unwrap();
        let kernel = Kernel::of(&device, &map(from), &map(to), element).unwrap();
        let [taken, given] = kernel.bytes();
        let (mut source, mut moved) = (device.allocate(taken).unwrap(), device.allocate(given).unwrap());
        source.clear().unwrap();
        let started = Instant::now();
        kernel.run(&source, &mut moved, None).unwrap();
        device.wait().unwrap();
        let first = started.elapsed();
        let bytes = taken.min(given);
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..7 {
            for (kind, times) in times.iter_mut().enumerate() {
                let started = Instant::now();
                for _ in 0..10 {
                    match kind {
                        0 => kernel.run(&source, &mut moved, None).unwrap(),
                        _ => moved.copy(&source, bytes).unwrap(),
                    }
                }
                device.wait().unwrap();
                times.push(started.elapsed().as_secs_f64() / 10.0);
            }
        }
        let [ours, copy] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        let gigabytes = |time: f64| plain(bytes) / time / 1e9;
        println!(
            "{name:24} {:6.0} GB/s, {:.3} of a copy ({:.0}); first run with its compilation {first:.0?}",
            gigabytes(ours),
            copy / ours,
            gigabytes(copy)
        );
    }
}

/// A number of bytes as a float.
fn plain(bytes: usize) -> f64 {
    u32::try_from(bytes >> 10).map_or(0.0, f64::from) * 1024.0
}
