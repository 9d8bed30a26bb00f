//! Checks every kernel against the reference, element by element by the maps, on random layouts, with canary bytes
//! around the buffer.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use crate::common::{list, map, move_unit, noise, permuted};
use bitstride::map::Map;
use bitstride_relayout::{Element, Isa, Machine, Plan};
use proptest::prelude::*;

/// The bytes of a line of memory.
const LINE: usize = 64;

/// By how much caches are divided where tensors are long: a tensor of 512 KiB is then moved as one of 8 MiB.
const DIVISOR: u8 = 16;

/// Every known processor with every kind of instructions that this machine has, with caches that are smaller by a factor.
/// Plain words are the same on all.
fn machines(divisor: u8) -> impl Iterator<Item = Machine> {
    let with = move |isa: Isa| {
        let known = if isa == Isa::Scalar { &Machine::KNOWN[..1] } else { &Machine::KNOWN };
        known.iter().map(move |machine| machine.with_isa(isa).with_caches_divided_by(divisor))
    };
    [Isa::Scalar, Isa::Neon, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_supported()).flat_map(with)
}

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
        move_unit(source, place(&from), destination, place(&to), bits);
    }
}

/// Moves a pair on all machines, at a misalignment, and compares it with the reference.
fn check(from: &str, to: &str, bits: u32, misaligned: usize, divisor: u8) {
    let (left, right) = (map(from), map(to));
    let twin = |source: &[u8], destination: &mut [u8]| reference(&left, &right, bits, source, destination);
    alike([from, to], bits, twin, 1 << 12, misaligned, divisor);
}

/// Runs the plans of a pair, whole and in parts of a given number of bytes, and compares every byte with what its twin leaves.
fn alike(
    [from, to]: [&str; 2],
    bits: u32,
    twin: impl Fn(&[u8], &mut [u8]),
    part: usize,
    misaligned: usize,
    divisor: u8,
) {
    let (left, right) = (map(from), map(to));
    let plan = |machine| {
        Plan::for_machine(&left, &right, Element::of_bits(bits).unwrap(), machine)
            .unwrap_or_else(|why| panic!("{from} -> {to}: {why}"))
    };
    let any = plan(Machine::XEON.with_isa(Isa::Scalar));
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
    let mut seen = Vec::new();
    for machine in machines(divisor) {
        let plan = plan(machine);
        // But for AVX-512, kernels read no number of the processor: the same lists and loops are the same run.
        let text = (machine.isa(), plan.to_string());
        if machine.isa() != Isa::Avx512 && seen.contains(&text) {
            continue;
        }
        let pair = format!("{from} -> {to}, {bits} bits, {machine:?}, {misaligned} misaligned");
        ours.copy_from_slice(&canaries);
        plan.run(&source[misaligned..], &mut ours[first..]).unwrap();
        assert!(*ours == theirs, "{pair}:\n{plan}");
        ours.copy_from_slice(&canaries);
        plan.run_in_chunks(&source[misaligned..], &mut ours[first..], part, |_, _| ()).unwrap();
        assert!(*ours == theirs, "in parts: {pair}:\n{plan}");
        seen.push(text);
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
            check(from, to, bits, misaligned, 1);
        }
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
                at[side] ^ (at[side] >> (base + shift) & ((1 << flipped) - 1)) << base
            };
            return move_unit(source, place(0), destination, place(1), bits);
        };
        for n in 0..*count {
            self.looped(dim + 1, [at[0] + n * from, at[1] + n * to], bits, source, destination);
        }
    }
}

/// Runs a pair of strided layouts on all machines with small caches, in all ways.
fn check_long(from: &str, to: &str, bits: u32, misaligned: usize) {
    check_long_on(from, to, bits, misaligned, DIVISOR);
}

fn check_long_on(from: &str, to: &str, bits: u32, misaligned: usize, divisor: u8) {
    let pair = Strided::of([from, to]);
    let twin = |source: &[u8], destination: &mut [u8]| {
        pair.looped(0, pair.first, usize::try_from(bits).unwrap(), source, destination);
    };
    alike([from, to], bits, twin, (1 << 20) / usize::from(divisor), misaligned, divisor);
}

/// Tensors long enough for several threads and for streamed lines, some of them with caches of their full size.
#[test]
fn long_ones() {
    for (from, to, bits) in [
        ("(129,17,33):(561,33,1)", "(129,17,33):(1,129,2193)", 64),
        ("(256,128):(128,1)", "(256,128):(1,256)", 128),
        ("((64,4),(8,16)):((128,8192),(1,8))", "((64,4),(8,16)):((8,8192),(1,512))", 128),
        ("(65536):(1)", "(65536):(1)", 64),
        ("(250,275):(275,1)", "(250,275):(1,253)", 64),
        // Runs that share lines, and runs of a few lines.
        ("(275,525):(532,1)", "(275,525):(528,1)", 32),
        ("(550,64,4):(256,4,1)", "(550,64,4):(4,2200,1)", 32),
        ("(550,64,16):(1024,16,1)", "(550,64,16):(16,8800,1)", 32),
        ("(550,64,16):(0,16,1)", "(550,64,16):(16,8800,1)", 32),
        ("(75,175,50,3):(26257,150,3,1)", "(75,175,50,3):(3,11250,225,1)", 32),
    ] {
        check_long(from, to, bits, 0);
    }
    for (from, to, bits) in [
        ("(1024,2112):(2112,1)", "(1024,2112):(1,1024)", 32),
        ("(528,16448):(16448,1)", "(528,16448):(1,528)", 8),
        ("(257,129,301):(38829,301,1)", "(257,129,301):(1,257,33153)", 8),
        ("(600,700,7):(4900,7,1)", "(600,700,7):(7,4207,1)", 32),
    ] {
        check_long_on(from, to, bits, 0, 1);
    }
}

/// Tiles whose rows flip places inside lines and among them: streamed whole lines, rows and columns, both ways.
#[test]
fn swizzled_tiles() {
    let tiles = "(128,(64,80)):(64,(1,8192))";
    for (swizzle, other, bits) in [
        ("Sw<3,3,3>", "(128,(64,80)):(5120,(1,64))", 16),
        ("Sw<3,3,3>", "(128,(64,80)):(1,(128,8192))", 16),
        ("Sw<2,3,3>", "(128,(64,80)):(5120,(1,64))", 16),
        ("Sw<3,2,3>", "(128,(64,80)):(1,(128,8192))", 32),
        ("Sw<2,3,4>", "(128,(64,80)):(1,(128,8192))", 32),
        ("Sw<3,0,7>", "(128,(64,80)):(1,(128,8192))", 16),
        ("Sw<3,4,3>", "(128,(64,80)):(5120,(1,64))", 32),
        ("Sw<3,1,6>", "(128,(64,80)):(5120,(1,64))", 64),
        ("Sw<1,5,3>", "(128,(64,80)):(80,(10240,1))", 16),
    ] {
        let swizzled = format!("{swizzle} o 0 o {tiles}");
        for misaligned in [0, 8] {
            check_long(other, &swizzled, bits, misaligned);
            check_long(&swizzled, other, bits, misaligned);
        }
    }
    // Both sides, each in its own way.
    let columns = "Sw<2,4,5> o 0 o (128,(64,80)):(1,(128,8192))";
    for bits in [8, 16, 32, 64] {
        check_long(columns, &format!("Sw<3,3,3> o 0 o {tiles}"), bits, 0);
    }
}

/// Odd numbers of blocks along both sides: the last has no neighbour whose lines its own could wait for. Rows of the source
/// are on pages of their own, or share them.
#[test]
fn blocks_without_a_neighbour() {
    for (rows, columns, bits) in
        [(768, 2816, 2), (384, 2944, 4), (192, 2752, 8), (96, 2784, 16), (48, 2768, 32), (24, 2744, 64)]
    {
        let (shape, page) = (format!("({rows},{columns})"), (4096 + 64) * 8 / bits);
        for row in [columns, page.max(columns)] {
            check_long(&format!("{shape}:({row},1)"), &format!("{shape}:(1,{rows})"), bits, 0);
            check_long(&format!("{shape}:(1,{rows})"), &format!("{shape}:({row},1)"), bits, 0);
        }
    }
}

/// Rows of the source on pages of their own, in odd numbers of blocks along both sides or along one, and in swizzled tiles.
#[test]
fn rows_on_pages() {
    for (bits, page) in [(8, 8192), (16, 4096)] {
        for (rows, columns) in [(192, page - 64), (128, page - 64), (192, page), (320, page - 192)] {
            check_long(&format!("({rows},{columns}):({page},1)"), &format!("({rows},{columns}):(1,{rows})"), bits, 0);
        }
    }
    for swizzle in ["Sw<2,3,8> o 0 o ", "Sw<1,4,9> o 0 o "] {
        let [rows, columns] = ["(192,2048):(2048,1)", "(192,2048):(1,192)"];
        check_long(&format!("{swizzle}{rows}"), columns, 16, 0);
        let [rows, columns] = ["(128,2112):(4096,1)", "(128,2112):(1,128)"];
        check_long(rows, &format!("{swizzle}{columns}"), 16, 0);
    }
}

/// Rows that lie anyhow on the lines of memory, long and short ones: all sizes, ends of all kinds, strips of several loops.
#[test]
fn rows_that_are_realigned() {
    for (from, to, bits) in [
        ("(257,17,151):(2567,151,1)", "(257,17,151):(1,257,4369)", 8),
        ("(257,17,77):(1309,77,1)", "(257,17,77):(1,257,4369)", 16),
        ("(147,(35,7),7):(1715,(7,245),1)", "(147,(35,7),7):(1,(7203,1029),147)", 32),
        ("(6,(7,7,9),(10,5)):(22050,(50,350,2450),(1,10))", "(6,(7,7,9),(10,5)):(2205,(315,5,35),(13230,1))", 64),
        ("(259,263):(263,1)", "(259,263):(1,259)", 128),
        ("(512,256):(256,1)", "(512,256):(1,513) + 3", 64),
        ("(300,7,401):(1,300,2100)", "(300,7,401):(2807,401,1)", 8),
        ("(576,1001):(1001,1)", "(576,1001):(1,576)", 8),
        ("(577,1001):(1001,1)", "(577,1001):(1,577)", 8),
        ("(639,1001):(1001,1)", "(639,1001):(1,639)", 8),
        ("(640,1001):(1001,1)", "(640,1001):(1,643)", 8),
        ("(641,1001):(1001,1)", "(641,1001):(1,641)", 8),
        ("(900,5,33):(165,33,1)", "(900,5,33):(1,900,4500)", 32),
        ("(5,27501):(27501,1)", "(5,27501):(1,5)", 32),
        ("(28,170,113):(19210,1,170)", "(28,170,113):(1,28,4760)", 8),
        ("(100,5401):(5401,1)", "(100,5401):(1,100)", 8),
        ("(400,1401):(1401,1)", "(400,1401):(1,400)", 8),
        ("(3,187501):(1,3)", "(3,187501):(187501,1)", 8),
        ("(256,512):(512,1)", "(256,512):(1,256)", 32),
        ("(16,9,4096):(512,32768,1)", "(16,9,4096):(36864,4096,1)", 8),
    ] {
        for misaligned in [0, 1, 8, 37, 63] {
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
            let (rows, columns) = (251, (72 << 16) / (251 * run * bits) + 3);
            let from = format!("({rows},{columns},{run}):({},{run},1)", columns * run);
            for (to, misaligned) in [(rows * run, 0), (rows * run + 1, 16)] {
                check_long(&from, &format!("({rows},{columns},{run}):({run},{to},1)"), bits, misaligned);
            }
        }
    }
    for (from, to, bits) in [
        ("(151,153,3):(459,3,1)", "(151,153,3):(3,453,1)", 8),
        ("(131,7,53,3):(1113,159,3,1)", "(131,7,53,3):(21,3,2751,1) + 1", 32),
        ("(16,3500,5):(17500,5,1)", "(16,3500,5):(5,80,1)", 16),
        ("(751,31,3):(93,3,1)", "(751,31,3):(3,2253,1)", 8),
        ("(751,32,3):(96,3,1)", "(751,32,3):(3,2253,1)", 8),
        ("(751,62,3):(186,3,1)", "(751,62,3):(3,2253,1)", 8),
    ] {
        check_long(from, to, bits, 1);
    }
}

/// Short rows that are padded and packed into lines: of all counts up to as many units as vectors are exchanged at once, some
/// told by two loops, in runs that begin anyhow; and back.
#[test]
fn rows_that_are_packed() {
    for bits in [8, 16, 32, 64] {
        for count in (3..128 * 8 / bits).take(20) {
            let rows = (8 << 19) / (count * bits) + 77;
            let pair = |to: &str| (format!("({count},{rows}):({rows},1)"), format!("({count},{rows}):(1,{count}){to}"));
            for ((from, to), misaligned) in [(pair(""), 0), (pair(" + 5"), 7 * count % 64)] {
                check_long(&from, &to, bits, usize::try_from(misaligned).unwrap());
            }
            let (rows, pixels) = pair("");
            check_long(&pixels, &rows, bits, 1);
        }
    }
    for (from, to, bits) in [
        ("(7,3,31259):(31259,218813,1)", "(7,3,31259):(1,7,21)", 8),
        ("(3,5,(9,5000)):(225000,45000,(5000,1))", "(3,5,(9,5000)):(1,3,(75000,15))", 16),
        ("(40,(2,3),1000):(6000,(1000,2000),1)", "(40,(2,3),1000):(6000,(1,2),6)", 32),
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
            [(64 * line, 45), (64 * line + 1, 7), (65 * line - 1, 6), (1025 * line, 3), (70 * line, 121)]
        {
            let from = format!("({count},{rows}):({steps},{})", steps * count + 5u32);
            for (to, misaligned) in [(count, 0), (count.next_multiple_of(line), 0), (count, 3)] {
                check_long(&from, &format!("({count},{rows}):(1,{to}) + {line}"), bits, misaligned);
            }
        }
    }
    check_long("(3,4400,5):(1,3,13200)", "(3,4400,5):(4416,1,13248)", 16, 0);
    for count in [281_600, 281_569] {
        check_long(&format!("({count},1):(5,0)"), &format!("({count},1):(1,0)"), 16, 0);
    }
}

/// Runs that end inside lines: some are whole lines together where these lie on lines of memory, and the last of them
/// may be some that were moved before. Where they lie on none, long ones are copied, each by itself.
#[test]
fn runs_that_end_inside_lines() {
    for run in [12, 20, 24, 40, 56, 65, 68, 80, 88, 96, 100, 144, 160, 200, 224, 480, 784, 800, 1000] {
        let whole = ((9 << 16) / (run * 6 * 64) + 1) * 64;
        for (rows, misaligned) in [(whole, 0), (whole, 8), (whole - 3, 0)] {
            let from = format!("({rows},6,{run}):({},{run},1)", 6 * run);
            check_long(&from, &format!("({rows},6,{run}):({run},{},1)", whole * run), 8, misaligned);
        }
    }
    check_long("(9,64,16,40):(40960,640,40,1)", "(9,64,16,40):(40960,40,2560,1)", 16, 0);
    check_long("(1001,48,16):(768,1,48)", "(1001,48,16):(48,1,48064)", 16, 0);
    // Read again and again: rows, and runs of a row.
    check_long("(1250,6,80):(0,80,1)", "(1250,6,80):(80,100000,1)", 8, 0);
    check_long("(1250,6,80):(80,0,1)", "(1250,6,80):(480,80,1)", 8, 0);
}

/// Batches of matrices of a few rows and columns, whose transposes are runs in the caches: some of them whole, in the
/// second one, where shorter runs would have much twice; next to each other in the destination or not.
#[test]
fn batches_of_small_matrices() {
    for (rows, columns, bits) in
        [(197, 80, 16), (240, 240, 16), (100, 100, 32), (50, 100, 64), (200, 300, 8), (196, 196, 16), (24, 400, 32)]
    {
        let (one, all) = (rows * columns, (9 << 19) / (rows * columns * bits) + 1);
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
        divisor in prop_oneof![Just(1u8), Just(16), Just(64)],
    ) {
        check(&from, &to, bits, misaligned, divisor);
    }
}

/// Orders of three long dims, and one short one that lies somewhere between.
fn long_pair() -> impl Strategy<Value = (String, String, u32)> {
    let shape = (20i64..70, 2i64..12, 15i64..60, 12i64..40);
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
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn long_pairs_are_alike_on_all_machines((from, to, bits) in long_pair(), misaligned in 0usize..65) {
        check_long(&from, &to, bits, misaligned);
    }
}

/// Dims that carry where they are merged, beside one that leads the same way everywhere: only its first point is evaluated.
#[test]
fn constant_steps_among_points() {
    for tile in ["T(*,3)", "T(3)", "T(*,4)(2)"] {
        let merged = format!("u8[40,5,7]{{2,1,0:{tile}}}");
        for other in ["(40,5,7):(35,1,5)", "(40,5,7):(1,280,40)", "(40,5,7):(-35,7,1) + 1365", "(40,5,7):(9,360,1800)"]
        {
            for bits in [1, 4, 8, 24, 32] {
                check(&merged, other, bits, 0, 1);
                check(other, &merged, bits, 0, 1);
            }
        }
    }
}
