//! Checks every kernel against the reference, element by element by the maps, on random layouts, with canary bytes
//! around the buffer.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

mod common;
#[path = "common/set.rs"]
mod set;

use bitstride::map::Map;
use bitstride_relayout::{Element, Isa, Plan};
use common::{list, map, noise, permuted, unit};
use proptest::prelude::*;
use set::set;

/// The bytes of a line of memory.
const LINE: usize = 64;

const ISAS: [Isa; 4] = [Isa::Scalar, Isa::Neon, Isa::Avx2, Isa::Avx512];

/// The slow, obvious twin.
fn reference(from: &Map, to: &Map, bits: u32, source: &[u8], destination: &mut [u8]) {
    let [from, to] = from.aligned(to).unwrap();
    let bits = usize::try_from(bits).unwrap();
    let extents: Vec<i64> = from.domain().iter().map(|axis| axis.extent).collect();
    let size: i64 = extents.iter().product();
    for flat in 0..size {
        let mut rest = flat;
        let mut digit = |extent: &i64| {
            let x = rest % extent;
            rest /= extent;
            x
        };
        let point: Vec<i64> = extents.iter().map(&mut digit).collect();
        let place = |map: &Map| usize::try_from(map.at(&point).unwrap().unwrap()[0]).unwrap();
        let value = unit(source, place(&from), bits);
        set(destination, place(&to), bits, &value);
    }
}

/// Runs a pair on all instructions, at a misalignment.
fn check(from: &str, to: &str, bits: u32, misaligned: usize) {
    check_on(&ISAS, from, to, bits, misaligned);
}

/// Runs a pair on some instructions, and compares it with the reference.
fn check_on(isas: &[Isa], from: &str, to: &str, bits: u32, misaligned: usize) {
    let (left, right) = (map(from), map(to));
    let twin = |source: &[u8], destination: &mut [u8]| reference(&left, &right, bits, source, destination);
    alike(isas, [from, to], bits, twin, 1 << 12, misaligned);
}

/// Runs the plans of a pair, whole and in parts of so many bytes, and compares every byte with what its twin leaves.
fn alike(
    isas: &[Isa],
    [from, to]: [&str; 2],
    bits: u32,
    twin: impl Fn(&[u8], &mut [u8]),
    part: usize,
    misaligned: usize,
) {
    let (left, right) = (map(from), map(to));
    let plan = |isa| {
        Plan::for_isa(&left, &right, Element::of_bits(bits).unwrap(), isa)
            .unwrap_or_else(|why| panic!("{from} -> {to}: {why}"))
    };
    let any = plan(Isa::Scalar);
    let source = noise(any.source_bytes() + misaligned, 1);
    // A line before and one behind. The destination begins on a line but for what it is misaligned, since from there on
    // plans stream lines.
    let first = LINE + misaligned;
    let canaries = noise(first + any.destination_bytes() + LINE, 77);
    let mut theirs = canaries.clone();
    twin(&source[misaligned..], &mut theirs[first..]);
    let mut room = vec![0; canaries.len() + LINE];
    let line = room.as_ptr().align_offset(LINE);
    let ours = &mut room[line..line + canaries.len()];
    for isa in isas.iter().copied().filter(|isa| isa.is_supported()) {
        let (plan, pair) = (plan(isa), format!("{from} -> {to}, {bits} bits, {isa:?}, {misaligned} misaligned"));
        ours.copy_from_slice(&canaries);
        plan.run(&source[misaligned..], &mut ours[first..]).unwrap();
        assert!(*ours == theirs, "{pair}:\n{plan}");
        ours.copy_from_slice(&canaries);
        plan.run_in_chunks(&source[misaligned..], &mut ours[first..], part, |_, _| ()).unwrap();
        assert!(*ours == theirs, "in parts: {pair}:\n{plan}");
    }
}

#[test]
fn known_pairs() {
    for (from, to, bits) in [
        ("(64,64):(64,1)", "(64,64):(1,64)", 32),
        ("(64,64):(64,1)", "(64,64):(1,64)", 8),
        ("(70,67):(67,1)", "(70,67):(1,70)", 16),
        ("(17,129,51):(6579,51,1)", "(17,129,51):(1,17,2193)", 32),
        ("(256,256):(256,1)", "((8,32),(128,2)):((128,2048),(1,1024))", 32),
        ("bf16[64,256]{1,0}", "bf16[64,256]{1,0:T(8,128)(2,1)}", 16),
        ("bf16[64,256]{1,0:T(8,128)(2,1)}", "bf16[64,256]{1,0}", 16),
        ("bf16[30,200]{1,0:T(8,128)(2,1)}", "bf16[30,200]{1,0}", 16),
        ("f32[30,200]{1,0}", "f32[30,200]{1,0:T(8,128)}", 32),
        ("f32[30,200]{0,1}", "f32[30,200]{1,0:T(8,128)}", 32),
        ("(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", 16),
        ("(8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)", 8),
        ("(64,64):(1,64)", "Sw<3,3,3> o 0 o (64,64):(64,1)", 16),
        ("12:1", "((3,4),1):((4,1),0)", 16),
        ("((3,4),2):((4,1),12)", "((4,3),2):((3,1),12)", 32),
        ("(3,1000):(1,3)", "(3,1000):(1000,1)", 8),
        ("(3,1000):(1,3)", "(3,1000):(1000,1)", 32),
        ("(3,1000):(1000,1)", "(3,1000):(1,3)", 8),
        ("(3,5,7,64):(1,3,15,105)", "(3,5,7,64):(35,1,5,105)", 8),
        ("(4,3,100):(3,1,12) + 5", "(4,3,100):(1,5,16) + 2", 16),
        ("(3,1000):(-1,3) + 2", "(3,1000):(1000,1)", 8),
        ("(3,1000):(1,-3) + 2997", "(3,1000):(1000,1)", 8),
        ("(2,3,500):(0,1,3)", "(2,3,500):(1,2,6)", 16),
        ("(3,1,700):(700,0,1)", "(3,1,700):(1,0,3)", 8),
        ("1000:9", "1000:1", 16),
        ("1000:1", "1000:9", 16),
        ("(8,64):(1,8)", "((2,4),64):((4,1),8)", 4),
        // More words than a kernel has room for, if each unit had a byte.
        (
            "((2,4,2,2),(2,4,2,2),(2,2,4,4)):((1024,8192,8,2048),(1,256,2,4),(32768,4096,64,16))",
            "((2,4,2,2),(2,4,2,2),(2,2,4,4)):((64,8192,32768,1),(4,16,8,1024),(2,512,128,2048))",
            2,
        ),
        ("(32,32):(1,32)", "(32,32):(32,1)", 2),
        // More rounds than bytes have: lines of units below one on both sides.
        ("(256,300):(300,1)", "(256,300):(1,256)", 4),
        ("(256,512):(1,256)", "(256,512):(512,1)", 2),
        ("4096:1", "4096:1", 8),
        ("1:0", "1:0", 64),
        ("1:0", "1:0", 4),
        ("(1024,64):(64,1)", "(1024,64):(^65,^1)", 8),
        ("(1024,64):(^65,^1)", "(1024,64):(1,1024)", 4),
        ("(16,3):(0,1)", "(16,3):(1,16)", 8),
        ("(16,16):(-1,16) + 15", "(16,16):(16,1)", 32),
        ("(0,4):(4,1)", "(0,4):(1,4)", 32),
        ("Sw<3,3,3> o 512 o (8,64):(64,1)", "(8,64):(1,8)", 16),
        ("(8,64):(1,8)", "Sw<3,3,3> o 512 o (8,64):(64,1)", 16),
        ("Sw<2,4,3> o 0 o (128,64):(64,1)", "Sw<3,3,3> o 0 o (128,64):(1,128)", 8),
    ] {
        for misaligned in [0, 1, 8] {
            check(from, to, bits, misaligned);
        }
    }
}

/// Tensors long enough for several threads and for streamed lines.
#[test]
fn long_ones() {
    for (from, to, bits) in [
        ("(129,67,131):(8777,131,1)", "(129,67,131):(1,129,8643)", 64),
        ("(1024,512):(512,1)", "(1024,512):(1,1024)", 128),
        ("(512,1024):(1024,1)", "((64,8),(8,128)):((8,65536),(1,512))", 128),
        ("(1048576):(1)", "(1048576):(1)", 64),
        ("(1000,1100):(1100,1)", "(1000,1100):(1,1003)", 64),
    ] {
        check_on(&[Isa::widest()], from, to, bits, 0);
    }
}

/// A pair of strided layouts of one shape, each perhaps swizzled: `(3,(5,7)):(35,(1,5)) + 2`, `Sw<3,3,3> o 0 o (8,64):(64,1)`.
struct Strided {
    /// For each dim, its count and its strides in both.
    dims: Vec<(usize, [usize; 2])>,
    /// Where both begin.
    first: [usize; 2],
    /// So many bits are flipped, from this one on, by those so much above.
    swizzles: [[usize; 3]; 2],
}

impl Strided {
    fn of(pair: [&str; 2]) -> Self {
        let numbers = |text: &str| -> Vec<usize> {
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
        };
        let [one, other] = pair.map(|text| {
            let (swizzle, text) = text.split_once(" o 0 o ").unwrap_or(("Sw<0,0,0>", text));
            let (layout, offset) = text.split_once('+').unwrap_or((text, "0"));
            let (shape, strides) = layout.split_once(':').unwrap();
            (numbers(shape), numbers(strides), numbers(offset)[0], numbers(swizzle).try_into().unwrap())
        });
        assert_eq!(one.0, other.0, "{pair:?}");
        let strides = one.1.into_iter().zip(other.1).map(|(from, to)| [from, to]);
        Strided { dims: one.0.into_iter().zip(strides).collect(), first: [one.2, other.2], swizzles: [one.3, other.3] }
    }

    /// The twin: loops over the dims, element by element.
    fn looped(&self, dim: usize, at: [usize; 2], bits: usize, source: &[u8], destination: &mut [u8]) {
        let Some((count, [from, to])) = self.dims.get(dim) else {
            let place = |side: usize| {
                let [flipped, base, shift] = self.swizzles[side];
                (at[side] ^ (at[side] >> (base + shift) & ((1 << flipped) - 1)) << base) * bits
            };
            let [(from, low), (to, up)] = [0, 1].map(|side| (place(side) / 8, place(side) % 8));
            if let Some(bytes @ 1..) = bits.checked_div(8) {
                return destination[to..to + bytes].copy_from_slice(&source[from..from + bytes]);
            }
            let mask = (1u8 << bits) - 1;
            destination[to] = destination[to] & !(mask << up) | (source[from] >> low & mask) << up;
            return;
        };
        for n in 0..*count {
            self.looped(dim + 1, [at[0] + n * from, at[1] + n * to], bits, source, destination);
        }
    }
}

/// Runs a pair of strided layouts on all instructions, in all ways.
fn check_long(from: &str, to: &str, bits: u32, misaligned: usize) {
    let pair = Strided::of([from, to]);
    let twin = |source: &[u8], destination: &mut [u8]| {
        pair.looped(0, pair.first, usize::try_from(bits).unwrap(), source, destination);
    };
    alike(&ISAS, [from, to], bits, twin, 1 << 20, misaligned);
}

/// Tiles whose rows flip places inside lines and among them: streamed whole lines, rows and columns, both ways.
#[test]
fn swizzled_tiles() {
    let tiles = "(1024,(64,80)):(64,(1,65536))";
    for (swizzle, other, bits) in [
        ("Sw<3,3,3>", "(1024,(64,80)):(5120,(1,64))", 16),
        ("Sw<3,3,3>", "(1024,(64,80)):(1,(1024,65536))", 16),
        ("Sw<2,3,3>", "(1024,(64,80)):(5120,(1,64))", 16),
        ("Sw<3,2,3>", "(1024,(64,80)):(1,(1024,65536))", 32),
        ("Sw<2,3,4>", "(1024,(64,80)):(1,(1024,65536))", 32),
        ("Sw<3,0,7>", "(1024,(64,80)):(1,(1024,65536))", 16),
        ("Sw<3,4,3>", "(1024,(64,80)):(5120,(1,64))", 32),
        ("Sw<3,1,6>", "(1024,(64,80)):(5120,(1,64))", 64),
        ("Sw<1,5,3>", "(1024,(64,80)):(80,(81920,1))", 16),
    ] {
        let swizzled = format!("{swizzle} o 0 o {tiles}");
        for misaligned in [0, 8] {
            check_long(other, &swizzled, bits, misaligned);
            check_long(&swizzled, other, bits, misaligned);
        }
    }
    // Both sides, each in its own way.
    let columns = "Sw<2,4,5> o 0 o (1024,(64,80)):(1,(1024,65536))";
    for bits in [8, 16, 32, 64] {
        check_long(columns, &format!("Sw<3,3,3> o 0 o {tiles}"), bits, 0);
    }
}

/// Odd numbers of blocks along both sides: the last has no neighbour whose lines its own could wait for.
#[test]
fn blocks_without_a_neighbour() {
    for (rows, columns, bits) in
        [(768, 45312, 2), (384, 45184, 4), (192, 45120, 8), (96, 45152, 16), (48, 45136, 32), (24, 45128, 64)]
    {
        let shape = format!("({rows},{columns})");
        check_long(&format!("{shape}:({columns},1)"), &format!("{shape}:(1,{rows})"), bits, 0);
        check_long(&format!("{shape}:(1,{rows})"), &format!("{shape}:({columns},1)"), bits, 0);
    }
}

/// Rows of the source on pages of their own, in odd numbers of blocks along both sides or along one, and in swizzled tiles.
#[test]
fn rows_on_pages() {
    for (bits, page) in [(8, 45056), (16, 22528)] {
        for (rows, columns) in [(192, page - 64), (128, page - 64), (192, page), (320, page - 192)] {
            check_long(&format!("({rows},{columns}):({page},1)"), &format!("({rows},{columns}):(1,{rows})"), bits, 0);
        }
    }
    for swizzle in ["Sw<2,3,8> o 0 o ", "Sw<1,4,9> o 0 o "] {
        let [rows, columns] = ["(2112,2048):(2048,1)", "(2112,2048):(1,2112)"];
        check_long(&format!("{swizzle}{rows}"), columns, 16, 0);
        let [rows, columns] = ["(2048,2112):(4096,1)", "(2048,2112):(1,2048)"];
        check_long(rows, &format!("{swizzle}{columns}"), 16, 0);
    }
}

/// Rows that lie anyhow on the lines of memory, long and short ones: all sizes, ends of all kinds, strips of several loops.
#[test]
fn rows_that_are_realigned() {
    for (from, to, bits) in [
        ("(257,129,301):(38829,301,1)", "(257,129,301):(1,257,33153)", 8),
        ("(257,129,151):(19479,151,1)", "(257,129,151):(1,257,33153)", 16),
        ("(147,(35,105),7):(25725,(7,245),1)", "(147,(35,105),7):(1,(108045,1029),147)", 32),
        (
            "(6,(7,7,9),(10,65)):(286650,(650,4550,31850),(1,10))",
            "(6,(7,7,9),(10,65)):(28665,(4095,65,455),(171990,1))",
            64,
        ),
        ("(1027,1031):(1031,1)", "(1027,1031):(1,1027)", 128),
        ("(2048,1024):(1024,1)", "(2048,1024):(1,2049) + 3", 64),
        ("(300,70,401):(1,300,21000)", "(300,70,401):(28070,401,1)", 8),
        ("(576,16001):(16001,1)", "(576,16001):(1,576)", 8),
        ("(577,16001):(16001,1)", "(577,16001):(1,577)", 8),
        ("(639,16001):(16001,1)", "(639,16001):(1,639)", 8),
        ("(640,16001):(16001,1)", "(640,16001):(1,643)", 8),
        ("(641,16001):(16001,1)", "(641,16001):(1,641)", 8),
        ("(900,70,33):(2310,33,1)", "(900,70,33):(1,900,63000)", 32),
        ("(5,440001):(440001,1)", "(5,440001):(1,5)", 32),
        ("(28,170,1777):(302090,1,170)", "(28,170,1777):(1,28,4760)", 8),
        ("(100,90001):(90001,1)", "(100,90001):(1,100)", 8),
        ("(400,21001):(21001,1)", "(400,21001):(1,400)", 8),
        ("(3,3000001):(1,3)", "(3,3000001):(3000001,1)", 8),
        ("(1024,2048):(2048,1)", "(1024,2048):(1,1024)", 32),
        ("(64,36,4096):(512,32768,1)", "(64,36,4096):(147456,4096,1)", 8),
    ] {
        for misaligned in [0, 1, 8, 63] {
            check_long(from, to, bits, misaligned);
        }
    }
}

/// Short runs that are padded as they are read: of all sizes that are no power of two, along rows of several loops,
/// that overlap at their ends, begin anyhow, or lie apart.
#[test]
fn runs_that_are_filled_up() {
    for (bits, runs) in [(8, vec![3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15]), (16, vec![3, 5, 6, 7]), (32, vec![3])] {
        for run in runs {
            let (rows, columns) = (1009, (72 << 20) / (1009 * run * bits) + 3);
            let from = format!("({rows},{columns},{run}):({},{run},1)", columns * run);
            for (to, misaligned) in [(rows * run, 0), (rows * run + 1, 16)] {
                check_long(&from, &format!("({rows},{columns},{run}):({run},{to},1)"), bits, misaligned);
            }
        }
    }
    for (from, to, bits) in [
        ("(601,607,3):(1821,3,1)", "(601,607,3):(3,1803,1)", 8),
        ("(131,7,823,3):(17283,2469,3,1)", "(131,7,823,3):(21,3,2751,1) + 1", 32),
        ("(16,40000,5):(200000,5,1)", "(16,40000,5):(5,80,1)", 16),
        ("(3001,124,3):(372,3,1)", "(3001,124,3):(3,9003,1)", 8),
        ("(3001,128,3):(384,3,1)", "(3001,128,3):(3,9003,1)", 8),
        ("(3001,250,3):(750,3,1)", "(3001,250,3):(3,9003,1)", 8),
    ] {
        check_long(from, to, bits, 1);
    }
}

/// Short rows that are padded and packed into lines: of all counts up to as many units as vectors are exchanged at once, some
/// told by two loops, in runs that begin anyhow; and back.
#[test]
fn rows_that_are_packed() {
    for bits in [8, 16, 32, 64] {
        for count in (3..128 * 8 / bits).take(14) {
            let rows = (8 << 23) / (count * bits) + 77;
            let pair = |to: &str| (format!("({count},{rows}):({rows},1)"), format!("({count},{rows}):(1,{count}){to}"));
            for ((from, to), misaligned) in [(pair(""), 0), (pair(" + 5"), 24)] {
                check_long(&from, &to, bits, misaligned);
            }
            let (rows, pixels) = pair("");
            check_long(&pixels, &rows, bits, 1);
        }
    }
    for (from, to, bits) in [
        ("(7,3,500009):(500009,3500063,1)", "(7,3,500009):(1,7,21)", 8),
        ("(3,5,(9,90000)):(4050000,810000,(90000,1))", "(3,5,(9,90000)):(1,3,(1350000,15))", 16),
        ("(40,(2,3),64000):(384000,(64000,128000),1)", "(40,(2,3),64000):(384000,(1,2),6)", 32),
        ("(40,6,100):(600,100,1)", "(40,6,100):(600,1,6)", 32),
    ] {
        check_long(from, to, bits, 0);
    }
}

/// Some of the bytes of every so many, in rows of words: all of a dim or one of several, rows that are cut and such that
/// are not, whose last word lies back, in fours and what is left of these, from columns too.
#[test]
fn rows_of_shuffled_words() {
    for (steps, bits) in [(3, 8u32), (3, 32), (5, 16), (7, 8), (9, 16), (18, 8)] {
        let line = 512 / bits;
        for (count, rows) in
            [(64 * line, 45), (64 * line + 1, 7), (65 * line - 1, 6), (1025 * line, 3), (70 * line, 161)]
        {
            let from = format!("({count},{rows}):({steps},{})", steps * count + 5u32);
            for (to, misaligned) in [(count, 0), (count.next_multiple_of(line), 0), (count, 3)] {
                check_long(&from, &format!("({count},{rows}):(1,{to}) + {line}"), bits, misaligned);
            }
        }
    }
    check_long("(3,70000,5):(1,3,210000)", "(3,70000,5):(70016,1,210048)", 16, 0);
    for count in [4_500_032, 4_500_001] {
        check_long(&format!("({count},1):(5,0)"), &format!("({count},1):(1,0)"), 16, 0);
    }
}

/// Runs that end inside lines: some are whole lines together where these lie on lines of memory, and the last of them
/// may be some that were moved before. Where they lie on none, long ones are copied, each by itself.
#[test]
fn runs_that_end_inside_lines() {
    for run in [12, 20, 24, 40, 56, 65, 68, 80, 88, 96, 100, 144, 160, 200, 224, 480, 784, 800, 1000] {
        let whole = (9 << 20) / (run * 6 * 64) * 64;
        for (rows, misaligned) in [(whole, 0), (whole, 8), (whole - 3, 0)] {
            let from = format!("({rows},6,{run}):({},{run},1)", 6 * run);
            check_long(&from, &format!("({rows},6,{run}):({run},{},1)", whole * run), 8, misaligned);
        }
    }
    check_long("(9,1024,16,40):(655360,640,40,1)", "(9,1024,16,40):(655360,40,40960,1)", 16, 0);
    check_long("(30001,48,16):(768,1,48)", "(30001,48,16):(48,1,1440064)", 16, 0);
    // Read again and again: rows, and runs of a row.
    check_long("(20000,6,80):(0,80,1)", "(20000,6,80):(80,1600000,1)", 8, 0);
    check_long("(20000,6,80):(80,0,1)", "(20000,6,80):(480,80,1)", 8, 0);
}

/// Batches of matrices of a few rows and columns, whose transposes are runs in the caches: some of them whole, in the
/// second one, where shorter runs would have much twice; next to each other in the destination or not.
#[test]
fn batches_of_small_matrices() {
    for (rows, columns, bits) in
        [(197, 80, 16), (240, 240, 16), (100, 100, 32), (50, 100, 64), (200, 300, 8), (196, 196, 16), (24, 400, 32)]
    {
        let (one, all) = (rows * columns, (9 << 23) / (rows * columns * bits) + 1);
        let from = format!("({all},{rows},{columns}):({one},{columns},1)");
        for (apart, misaligned) in [(one, 0), (one, 8), (one + 3, 0)] {
            check_long(&from, &format!("({all},{rows},{columns}):({apart},1,{rows})"), bits, misaligned);
        }
    }
}

/// A shape and two orders of its dims, some of them padded.
fn padded() -> impl Strategy<Value = (String, String)> {
    permuted(1..24, prop_oneof![3 => Just(0i64), 1 => 1i64..3])
}

/// Bits of both dims of a tile in any order, perhaps swizzled.
fn bits() -> impl Strategy<Value = (String, String)> {
    (1usize..6, 1usize..6).prop_flat_map(|(rows, columns)| {
        let order = Just((0..rows + columns).collect::<Vec<_>>()).prop_shuffle();
        let side = (order, 0u32..4, 0u32..4, 0u32..3);
        (side.clone(), side).prop_map(move |(one, two)| {
            let text = |(order, bits, base, shift): (Vec<usize>, u32, u32, u32)| {
                let mut strides = vec![0i32; order.len()];
                for (power, at) in order.iter().enumerate() {
                    strides[*at] = 1 << power;
                }
                let twos = |n: usize| vec!["2"; n].join(",");
                let (first, second) = strides.split_at(rows);
                let own = format!("(({}),({})):(({}),({}))", twos(rows), twos(columns), list(first), list(second));
                if bits == 0 { own } else { format!("Sw<{bits},{base},{}> o 0 o {own}", bits + shift) }
            };
            (text(one), text(two))
        })
    })
}

/// Tiled arrays of XLA, ragged or not.
fn tiled() -> impl Strategy<Value = (String, String)> {
    let tile = prop_oneof![Just(""), Just(":T(8,128)"), Just(":T(8,128)(2,1)"), Just(":T(4,16)(4,1)"), Just(":T(16)")];
    let side = (prop_oneof![Just("1,0"), Just("0,1")], tile);
    (1i64..40, 1i64..300, side.clone(), side).prop_map(|(rows, columns, one, two)| {
        let text = |(order, tile): (&str, &str)| format!("f32[{rows},{columns}]{{{order}{tile}}}");
        (text(one), text(two))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn moves_what_the_layouts_say(
        (from, to) in prop_oneof![padded(), bits(), tiled()],
        bits in prop_oneof![Just(1u32), Just(2), Just(4), Just(8), Just(16), Just(32), Just(64), Just(128)],
        misaligned in 0usize..65,
    ) {
        check(&from, &to, bits, misaligned);
    }
}

/// Orders of three long dims, and one short one that lies somewhere between.
fn long_pair() -> impl Strategy<Value = (String, String, u32)> {
    let shape = (70i64..200, 2i64..20, 50i64..150, 40i64..80);
    let bits = prop_oneof![Just(8u32), Just(16), Just(32), Just(64)];
    let orders = [0, 1].map(|_| Just(vec![0usize, 1, 2, 3]).prop_shuffle());
    (shape, orders, 0i64..3, bits).prop_map(|((a, b, c, d), orders, pad, bits)| {
        let shape = [a, b, c, d];
        let text = |order: &Vec<usize>, pad: i64| {
            let mut strides = [0; 4];
            let mut next = 1;
            for at in order {
                strides[*at] = next;
                next *= shape[*at] + pad;
            }
            format!("({}):({})", list(&shape), list(&strides))
        };
        (text(&orders[0], 0), text(&orders[1], pad), bits)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn long_pairs_are_alike_on_all_instructions((from, to, bits) in long_pair(), misaligned in 0usize..65) {
        check_long(&from, &to, bits, misaligned);
    }
}
