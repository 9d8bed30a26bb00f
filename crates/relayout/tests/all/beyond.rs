//! Tests what is built on plans: filling, running in chunks, moving in place, files; each against a simple reference.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use std::collections::HashSet;
use std::fs;

use crate::common::{list, map, noise, permuted, unit};
use bitstride::Code;
use bitstride::map::Map;
use bitstride_relayout::{Element, InPlace, OutputFile, Plan, SourceFile};
use proptest::prelude::*;

fn element(bits: u32) -> Element {
    Element::of_bits(bits).unwrap()
}

/// Every place that some element has, element by element.
fn places(map: &Map) -> Vec<usize> {
    let mut points = vec![Vec::new()];
    for axis in map.domain() {
        points = (0..axis.extent).flat_map(|x| points.iter().map(move |p| [p.as_slice(), &[x]].concat())).collect();
    }
    points.iter().map(|point| usize::try_from(map.at(point).unwrap().unwrap()[0]).unwrap()).collect()
}

fn check_filled(from: &str, to: &str, bits: u32, value: &[u8]) {
    let plan = Plan::new(&map(from), &map(to), element(bits)).unwrap();
    let source = noise(plan.source_bytes(), 1);
    let mut plain = noise(plan.destination_bytes() + 8, 2);
    let mut filled = plain.clone();
    plan.run(&source, &mut plain).unwrap();
    plan.run_filled(&source, &mut filled, value).unwrap();
    let held: HashSet<usize> = places(&map(to)).into_iter().collect();
    let bits = usize::try_from(bits).unwrap();
    for place in 0..plain.len() * 8 / bits {
        let wanted = if held.contains(&place) || (place + 1) * bits > plan.destination_bytes() * 8 {
            unit(&plain, place, bits)
        } else {
            unit(value, 0, bits)
        };
        assert_eq!(unit(&filled, place, bits), wanted, "{from} -> {to}, {bits} bits, place {place}");
    }
}

#[test]
fn what_holds_no_element_is_filled() {
    for (from, to) in [
        ("(3,5):(5,1)", "(3,5):(8,1)"),
        ("(3,5):(5,1)", "(3,5):(1,3)"),
        ("f32[3,5]{1,0}", "f32[3,5]{1,0:T(2,2)}"),
        ("f32[9,20]{1,0}", "f32[9,20]{0,1:T(8,16)(2,1)}"),
        ("(3,5):(5,1)", "(3,5):(5,1) + 7"),
        ("7:1", "7:3"),
        // Pages that are covered whole, in boxes and behind loops that go on.
        ("(60,500):(500,1)", "f32[60,500]{1,0:T(8,128)}"),
        ("(3,9000):(9000,1)", "(3,9000):(-9100,1) + 18300"),
        ("20000:1", "20000:1 + 8193"),
        ("16383:1", "16383:1"),
        ("(2,3,4100):(12300,4100,1)", "(2,3,4100):(13000,-1,3) + 5"),
        // No kernel moves these.
        ("(33,40):(40,1)", "Sw<2,3,3> o 0 o (33,40):(48,1)"),
        ("(4,5):(1,7)", "u8[4,5]{1,0:T(4)(3)}"),
    ] {
        let odd = [(24, &[1, 2, 3][..]), (40, &[1, 2, 3, 4, 5]), (192, &[7; 24])];
        let even = [(8, &[9][..]), (16, &[1, 2]), (32, &[1, 2, 3, 4]), (4, &[5]), (2, &[2]), (64, &[6; 8])];
        for (bits, value) in even.into_iter().chain(odd) {
            check_filled(from, to, bits, value);
        }
    }
}

/// The bytes that are filled as if they had no element, and all bytes.
fn filled_bytes(to: &str, bits: u32) -> [usize; 2] {
    let plan = Plan::new(&map(to), &map(to), element(bits)).unwrap();
    let bytes = plan.destination_bytes() + 9;
    let mut buffer = vec![0; bytes];
    let value = vec![if bits < 8 { 15 } else { 255 }; usize::try_from(bits.div_ceil(8)).unwrap()];
    plan.fill_holes(&mut buffer, &value).unwrap();
    [buffer.iter().filter(|byte| **byte == 255).count(), bytes]
}

#[test]
fn what_is_covered_is_not_filled() {
    // Of 8 by 4 tiles, those at the right and at the bottom; then the rest, in whole elements.
    assert_eq!(filled_bytes("f32[60,500]{1,0:T(8,128)}", 32)[0].div_ceil(4096), 4 + 7);
    assert_eq!(filled_bytes("65536:1", 4), [9, 32768 + 9]);
    assert_eq!(filled_bytes("65536:-1 + 65535", 8), [9, 65536 + 9]);
    assert_eq!(filled_bytes("(128,1024):(1024,1) + 4096", 8), [4096 + 9, 135168 + 9]);
    for all in ["(128,100):(128,1)", "1000:9", "(0,4096):(4096,1)", "Sw<3,3,3> o 0 o (64,64):(64,1)"] {
        let [filled, bytes] = filled_bytes(all, 16);
        assert_eq!(filled, bytes - bytes % 2, "{all}");
    }
}

#[test]
fn a_value_has_the_size_of_an_element() {
    let plan = Plan::new(&map("4:1"), &map("4:2"), element(16)).unwrap();
    let mut destination = vec![7; 14];
    for value in [&[][..], &[1], &[1, 2, 3, 4]] {
        let why = plan.run_filled(&[0; 8], &mut destination, value).unwrap_err();
        assert_eq!(why.code(), Code::Range);
    }
    let nibbles = Plan::new(&map("4:1"), &map("4:2"), element(4)).unwrap();
    assert!(nibbles.run_filled(&[0; 2], &mut destination, &[16]).is_err());
    assert!(plan.run_filled(&[0; 7], &mut destination, &[1, 2]).is_err());
    assert_eq!(destination, [7; 14]);
}

fn check_parts(from: &str, to: &str, bits: u32, bytes: usize) {
    let plan = Plan::new(&map(from), &map(to), element(bits)).unwrap();
    let source = noise(plan.source_bytes(), 1);
    let mut whole = noise(plan.destination_bytes() + 8, 2);
    let mut parts = whole.clone();
    plan.run(&source, &mut whole).unwrap();
    let mut told = Vec::new();
    plan.run_in_chunks(&source, &mut parts, bytes, |done, all| told.push((done, all))).unwrap();
    assert!(whole == parts, "{from} -> {to}, {bits} bits, parts of {bytes}");
    assert!(told.is_sorted() && told.last().is_some_and(|(done, all)| done == all), "{told:?}");
    // What one table moves is one part.
    assert!(
        plan.moved_bytes() < (4 * bytes).max(8192) || told.len() > 1,
        "{from} -> {to}: {} parts\n{plan}",
        told.len()
    );
}

#[test]
fn parts_come_to_the_whole() {
    for (from, to, bits) in [
        ("(300,200):(200,1)", "(300,200):(1,300)", 8),
        ("(301,203):(203,1)", "(301,203):(1,301)", 16),
        ("(37,129,51):(6579,51,1)", "(37,129,51):(1,37,4773)", 32),
        ("f32[300,200]{1,0}", "f32[300,200]{1,0:T(8,128)}", 32),
        ("f32[300,200]{0,1:T(8,128)}", "f32[300,200]{1,0:T(8,128)(2,1)}", 16),
        ("(64,64):(64,1)", "Sw<3,4,3> o 0 o (64,64):(64,1)", 8),
        ("(128,64):(1,128)", "((2,64),64):((4096,1),64)", 4),
        ("65536:1", "65536:1", 32),
        ("((3,1000),8):((1000,1),3000)", "((4,750),8):((750,1),3000)", 8),
        ("(8,(3,1000)):(3000,(1000,1))", "(8,(4,750)):(1,(6000,8))", 16),
        ("(1024,64):(64,1)", "(1024,64):(^65,^1)", 8),
        ("(1024,64):(^65,^1)", "(1024,64):(1,1024)", 4),
        ("(3,1000):(1,3)", "(3,1000):(1000,1)", 32),
        ("(3,1000):(1,3)", "(3,1000):(1000,1)", 24),
        ("(66,96):(96,1)", "Sw<2,3,3> o 0 o (66,96):(1,72)", 16),
        ("(66,96):(96,1)", "Sw<2,3,3> o 0 o (66,96):(1,72)", 40),
        ("(66,96):(96,1)", "Sw<2,3,3> o 0 o (66,96):(1,72)", 4),
    ] {
        for bytes in [1, 1000, 4096, 1 << 20] {
            check_parts(from, to, bits, bytes);
        }
    }
}

fn check_in_place(from: &str, to: &str, bits: u32) {
    let [from_map, to_map] = [map(from), map(to)];
    let plan = Plan::new(&from_map, &to_map, element(bits)).unwrap();
    let in_place =
        InPlace::new(&from_map, &to_map, element(bits)).unwrap_or_else(|why| panic!("{from} -> {to}: {why}"));
    assert_eq!(in_place.bytes(), plan.moved_bytes());
    let least = in_place.scratch();
    assert!(least <= plan.moved_bytes().div_ceil(8) * 8 / usize::try_from(bits).unwrap() + 4096 + 1);
    let source = noise(in_place.bytes() + 5, 3);
    let mut wanted = source.clone();
    plan.run(&source, &mut wanted).unwrap();
    for scratch in [least, in_place.block_bytes().max(least), in_place.bytes().max(least), 1 << 20] {
        let mut buffer = source.clone();
        in_place.run(&mut buffer, scratch).unwrap();
        assert!(buffer == wanted, "{from} -> {to}, {bits} bits, scratch {scratch}");
    }
    if least > 0 {
        let mut buffer = source.clone();
        assert_eq!(in_place.run(&mut buffer, least - 1).unwrap_err().code(), Code::Range);
        assert!(buffer == source);
    }
    let mut short = vec![0; in_place.bytes().saturating_sub(1)];
    assert!(in_place.bytes() == 0 || in_place.run(&mut short, 1 << 20).is_err());
}

#[test]
fn known_pairs_in_place() {
    for (from, to, bits) in [
        ("(2,3):(3,1)", "(2,3):(1,2)", 8),
        ("(300,200):(200,1)", "(300,200):(1,300)", 16),
        ("(64,64):(64,1)", "Sw<3,4,3> o 0 o (64,64):(64,1)", 8),
        ("(4,6,5):(30,5,1)", "(4,6,5):(5,20,1)", 64),
        ("(16,16,8):(128,8,1)", "(16,16,8):(128,1,16)", 8),
        ("bf16[64,256]{1,0}", "bf16[64,256]{1,0:T(8,128)(2,1)}", 16),
        ("15:1", "15:-1 + 14", 4),
        ("(3,5):(5,1)", "(3,5):(1,3)", 2),
        ("(3,5):(5,1)", "(3,5):(1,3)", 4),
        ("(6,10):(10,1)", "(6,10):(10,1)", 32),
        ("1:0", "1:0", 16),
        ("((3,1000),8):((1000,1),3000)", "((4,750),8):((750,1),3000)", 8),
        ("(1024,64):(64,1)", "(1024,64):(^65,^1)", 8),
        ("(1024,64):(^65,^1)", "(1024,64):(1,1024)", 4),
        ("(8,(3,1000)):(3000,(1000,1))", "(8,(4,750)):(1,(6000,8))", 16),
        ("(2,13,2):(26,1,13)", "(2,13,2):(13,1,26)", 4),
        ("(0,3):(3,1)", "(0,3):(1,0)", 8),
        ("(2,5000):(5000,1)", "(2,5000):(5000,1)", 8),
        ("(3,2,5000):(10000,5000,1)", "(3,2,5000):(5000,15000,1)", 8),
        ("(3,5):(5,1)", "(3,5):(1,3)", 24),
        ("(300,200):(200,1)", "(300,200):(1,300)", 48),
        // No kernel moves these.
        ("(3,4):(4,1)", "Sw<1,0,1> o 0 o (3,4):(1,3)", 16),
        ("Sw<1,0,1> o 0 o (3,4):(1,3)", "(3,4):(4,1)", 4),
        ("(64,64):(64,1)", "Sw<3,4,3> o 0 o (64,64):(64,1)", 24),
    ] {
        check_in_place(from, to, bits);
    }
}

#[test]
fn scratch_is_what_moves() {
    // Rows of 8 stay in their block of 128, in runs of 8 bytes.
    let plan = InPlace::new(&map("(16,4,4,8):(128,32,8,1)"), &map("(16,4,4,8):(128,8,32,1)"), element(8)).unwrap();
    assert_eq!((plan.bytes(), plan.block_bytes(), plan.scratch()), (2048, 128, 10));
    let still = InPlace::new(&map("(4,8):(8,1)"), &map("(4,8):(8,1)"), element(8)).unwrap();
    assert_eq!(still.scratch(), 0);
}

#[test]
fn other_places_are_no_move_in_place() {
    for (from, to, code, numbers) in [
        ("(3,5):(5,1)", "(3,5):(8,1)", Code::NotSurjective, "the destination has 15 elements in 21 places"),
        ("(3,5):(8,1)", "(3,5):(5,1)", Code::NotSurjective, "the source has 15 elements in 21 places"),
        ("(2,2):(0,3)", "(2,2):(1,2)", Code::Overlap, "are both read from place [0]"),
        ("(2,2):(1,2)", "(2,2):(0,3)", Code::Overlap, "would both be written"),
    ] {
        let why = InPlace::new(&map(from), &map(to), element(4)).unwrap_err();
        assert_eq!(why.code(), code, "{from} -> {to}: {why}");
        assert!(why.message().contains(numbers), "{why}");
    }
}

/// A shape and two orders of its dims, without padding.
fn dense() -> impl Strategy<Value = (String, String)> {
    permuted(1..14, Just(0))
}

/// Bits in any order, perhaps swizzled.
fn bits() -> impl Strategy<Value = (String, String)> {
    (2usize..12).prop_flat_map(|rank| {
        let side = || (Just((0..rank).collect::<Vec<_>>()).prop_shuffle(), 0u32..3, 0u32..4, 0u32..3);
        (side(), side()).prop_map(move |(one, two)| {
            let text = |(order, bits, base, shift): (Vec<usize>, u32, u32, u32)| {
                let strides: Vec<usize> = order.iter().map(|power| 1 << power).collect();
                let own = format!("(({})):(({}))", vec!["2"; rank].join(","), list(&strides));
                let fits = usize::try_from(2 * bits + base + shift).is_ok_and(|most| most <= rank);
                if bits == 0 || !fits { own } else { format!("Sw<{bits},{base},{}> o 0 o {own}", bits + shift) }
            };
            (text(one), text(two))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn in_place_is_what_another_buffer_would_hold(
        (from, to) in prop_oneof![dense(), bits()],
        bits in prop_oneof![Just(2u32), Just(4), Just(8), Just(16), Just(32), Just(64), Just(128)],
    ) {
        check_in_place(&from, &to, bits);
    }

    #[test]
    fn parts_are_the_whole(
        (from, to) in prop_oneof![dense(), bits()],
        bits in prop_oneof![Just(2u32), Just(4), Just(8), Just(16), Just(32), Just(128)],
        bytes in 64usize..5000,
    ) {
        let plan = Plan::new(&map(&from), &map(&to), element(bits)).unwrap();
        let source = noise(plan.source_bytes(), 1);
        let mut whole = noise(plan.destination_bytes(), 2);
        let mut parts = whole.clone();
        plan.run(&source, &mut whole).unwrap();
        plan.run_in_chunks(&source, &mut parts, bytes, |_, _| ()).unwrap();
        prop_assert!(whole == parts, "{} -> {}, {} bits, parts of {}", from, to, bits, bytes);
    }
}

/// A folder of a test's own.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn names(folder: &tempfile::TempDir) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_takes_its_place_at_the_end() {
    let folder = folder();
    let path = folder.path().join("out");
    fs::write(&path, b"before").unwrap();
    let source = SourceFile::open(&path).unwrap();
    let mut output = OutputFile::create(&path, 5).unwrap();
    assert_eq!(output.bytes(), [0; 5]);
    output.bytes().copy_from_slice(b"after");
    // The new one has no name, or one of its own.
    assert!(fs::read(&path).unwrap() == b"before" && names(&folder).len() <= 2);
    output.commit().unwrap();
    assert_eq!((fs::read(&path).unwrap().as_slice(), names(&folder)), (b"after".as_slice(), vec!["out".to_owned()]));
    assert_eq!(source.bytes(), b"before");
}

#[test]
fn a_file_that_is_dropped_is_gone() {
    let folder = folder();
    let path = folder.path().join("out");
    for bytes in [0, 5] {
        drop(OutputFile::create(&path, bytes).unwrap());
        assert!(names(&folder).is_empty());
    }
    OutputFile::create(&path, 0).unwrap().commit().unwrap();
    assert_eq!(SourceFile::open(&path).unwrap().bytes(), b"");
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = folder();
    assert!(SourceFile::open(folder.path()).is_err());
    assert!(SourceFile::open(&folder.path().join("none")).is_err());
    assert!(OutputFile::create(folder.path(), 5).is_err());
    assert!(OutputFile::create(&folder.path().join("none/out"), 5).is_err());
    assert!(OutputFile::create(std::path::Path::new("/dev/null"), 5).is_err() || !cfg!(unix));
    let kept = folder.path().join("kept");
    fs::write(&kept, b"kept").unwrap();
    let mut permissions = fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&kept, permissions).unwrap();
    assert!(OutputFile::create(&kept, 5).is_err());
    assert_eq!(names(&folder), ["kept"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let (path, link) = (folder.path().join("out"), folder.path().join("link"));
    fs::write(&path, b"before").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    let mut output = OutputFile::create(&link, 5).unwrap();
    output.bytes().copy_from_slice(b"after");
    output.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"after");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    // Not the bits that let it run as its owner.
    fs::set_permissions(&path, PermissionsExt::from_mode(0o6751)).unwrap();
    OutputFile::create(&link, 5).unwrap().commit().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o751);
    // Links that lead to nothing yet, one by a name beside it.
    let (far, near) = (folder.path().join("far"), folder.path().join("near"));
    symlink(folder.path().join("new"), &far).unwrap();
    symlink("far", &near).unwrap();
    OutputFile::create(&near, 3).unwrap().commit().unwrap();
    assert!([&far, &near].iter().all(|link| fs::symlink_metadata(link).unwrap().is_symlink()));
    assert_eq!(fs::read(folder.path().join("new")).unwrap(), [0; 3]);
    let ring = folder.path().join("ring");
    symlink("ring", &ring).unwrap();
    assert!(OutputFile::create(&ring, 3).is_err());
}

#[cfg(unix)]
#[test]
fn names_may_be_as_long_as_the_system_takes() {
    let folder = folder();
    let path = folder.path().join("n".repeat(255));
    let mut heard = None;
    let output = OutputFile::create_under(&path, 3, |part| heard = part.map(std::path::Path::to_owned)).unwrap();
    assert!(heard.is_none_or(|part| part.exists() && part.file_name().unwrap().len() < 30));
    output.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), [0; 3]);
    let longer = OutputFile::create(&folder.path().join("n".repeat(256)), 3).unwrap_err();
    assert!(longer.to_string().contains("too long"), "{longer}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let refused = SourceFile::open(&pipe).unwrap_err();
    assert!(refused.to_string().contains("no regular file"), "{refused}");
    assert!(OutputFile::create(&pipe, 3).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn more_room_than_there_is_is_an_error() {
    let folder = folder();
    let bytes = 1usize << 60;
    let refused = OutputFile::create(&folder.path().join("out"), bytes).unwrap_err();
    assert!(refused.to_string().ends_with(&format!("; it needs {bytes} bytes")), "{refused}");
    assert!(names(&folder).is_empty());
}
