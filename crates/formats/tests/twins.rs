//! Formats at other parameters than those that were recorded, against what their packers do, word by word: slow, and sharing no code with
//! the layouts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use bitstride_formats::{Repack, Verdict, Zoo, check};

/// Holds every bit of a field against where a packer puts it.
fn holds(name: &str, field: &str, packer: impl Fn(&[i64], i64) -> i64) {
    let format = Zoo::builtin().format(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let places = &format.field(field).unwrap_or_else(|error| panic!("{name}: {error}")).places;
    let shape = places.shape().unwrap();
    let elements: i64 = shape.iter().product();
    assert!(elements > 0, "{name}");
    for flat in 0..elements {
        let mut rest = flat;
        let mut point: Vec<i64> = shape.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
        point.reverse();
        for bit in 0..places.element_bits() {
            assert_eq!(places.at(&point, bit).unwrap(), packer(&point, bit), "{name} {field} {point:?} bit {bit}");
        }
    }
}

/// The bit of a word of 32 bits.
fn word(word: i64, bit: i64) -> i64 {
    assert!((0..32).contains(&bit));
    32 * word + bit
}

#[test]
fn gptq_is_a_stream_of_bits_down_each_column() {
    for bits in [2, 3, 4, 5, 6, 7, 8] {
        for (k, n) in [(32, 32), (96, 64), (160, 32)] {
            let name = format!("gptq:v1,bits={bits},k={k},n={n},group=32");
            holds(&name, "codes", |at, bit| {
                let stream = at[0] * bits + bit;
                word(stream / 32 * n + at[1], stream % 32)
            });
            holds(&name, "zeros", |at, bit| {
                let stream = at[1] * bits + bit;
                word(at[0] * (n * bits / 32) + stream / 32, stream % 32)
            });
            holds(&name, "scales", |at, bit| 16 * (at[0] * n + at[1]) + bit);
            holds(&format!("exl2:stored,bits={bits},k={k},n={n}"), "codes", |at, bit| {
                let stream = at[0] * bits + bit;
                word(stream / 32 * n + at[1], stream % 32)
            });
        }
    }
}

/// One group of all in-features is the same, whether it is called -1 or as long as these.
#[test]
fn a_group_of_all_channels_has_two_names() {
    let zoo = Zoo::builtin();
    for name in [
        "gptq:v2,k=96,n=64",
        "gptq_p:k=96,n=64",
        "awq:gemm,k=96,n=64",
        "awq:gemv,k=256,n=64",
        "ct:pack@0.20,n=64,k=96",
        "marlin:k=96,n=64",
    ] {
        let k = if name.contains("256") { 256 } else { 96 };
        let [all, long] =
            [format!("{name},group=-1"), format!("{name},group={k}")].map(|name| zoo.format(&name).unwrap());
        assert_eq!(all.tensors, long.tensors, "{name}");
        for field in &all.fields {
            assert_eq!(
                check::fields(field, long.field(&field.name).unwrap()).unwrap().verdict,
                Verdict::Same,
                "{name}"
            );
        }
    }
    // No order of activations is lost, and the group of each channel is written.
    let [from, to] = ["gptq:v2,k=96,n=64,group=-1", "marlin:k=96,n=64,group=-1"].map(|name| zoo.format(name).unwrap());
    let sources: Vec<Vec<u8>> =
        from.tensors.iter().map(|own| vec![0; usize::try_from(own.bytes().unwrap()).unwrap()]).collect();
    let slices: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
    let there = Repack::new(&from, &to, None).unwrap().run(&slices).unwrap();
    let slices: Vec<&[u8]> = there.iter().map(Vec::as_slice).collect();
    assert_eq!(Repack::new(&to, &from, None).unwrap().run(&slices).unwrap(), sources);
    assert!(zoo.format("gptq:v1,k=96,n=64,group=0").is_err() && zoo.format("gptq:v1,k=96,n=64,group=-2").is_err());
}

/// Planes of 4, 2 and 1 bits of 32 codes, each code a field of a word of its plane.
#[test]
fn planar_codes_lie_in_planes() {
    for bits in [2, 3, 4, 5, 6, 7, 8] {
        let planes: Vec<i64> = match bits {
            8 => vec![8],
            bits => [4, 2, 1].into_iter().filter(|plane| bits & plane != 0).collect(),
        };
        let find = |bit: i64| {
            let mut before = 0;
            for plane in &planes {
                if bit < before + plane {
                    return (before, *plane);
                }
                before += plane;
            }
            unreachable!()
        };
        for (k, n) in [(32, 32), (96, 64)] {
            let name = format!("gptq_p:bits={bits},k={k},n={n},group=32");
            holds(&name, "codes", |at, bit| {
                let (before, plane) = find(bit);
                let (block, code) = (at[0] / 32, at[0] % 32);
                // The words of a block, plane by plane.
                let row = block * bits + before + code * plane / 32;
                word(row * n + at[1], code * plane % 32 + bit - before)
            });
            holds(&name, "zeros", |at, bit| {
                let (before, plane) = find(bit);
                let (block, code) = (at[1] / 32, at[1] % 32);
                let column = block * bits + before + code * plane / 32;
                word(at[0] * (n / 32 * bits) + column, code * plane % 32 + bit - before)
            });
        }
    }
}

#[test]
fn compressed_tensors_pads_words_before_0_20_and_not_since() {
    for bits in 1..=8 {
        for (rows, columns) in [(3, 7), (8, 40), (33, 5), (6, 96)] {
            for dim in [0, 1] {
                let name =
                    |version: &str| format!("ct:pack@{version},bits={bits},n={rows},k={columns},dim={dim},group=8");
                let split = |at: &[i64]| if dim == 1 { (at[0], at[1]) } else { (at[1], at[0]) };
                let length = if dim == 1 { columns } else { rows };
                let others = if dim == 1 { rows } else { columns };
                let place = |other: i64, words: i64, at: i64, bit: i64| {
                    if dim == 1 { word(other * words + at, bit) } else { word(at * others + other, bit) }
                };
                let a_word = 32 / bits;
                let words = (length + a_word - 1) / a_word;
                holds(&name("old"), "codes", |at, bit| {
                    let (other, code) = split(at);
                    place(other, words, code / a_word, code % a_word * bits + bit)
                });
                let dense = (length * bits + 31) / 32;
                holds(&name("0.20"), "codes", |at, bit| {
                    let (other, code) = split(at);
                    let stream = code * bits + bit;
                    place(other, if 32 % bits == 0 { words } else { dense }, stream / 32, stream % 32)
                });
            }
        }
    }
}

#[test]
fn awq_reorders_the_codes_of_a_word() {
    for (bits, order) in [(4, &[0, 2, 4, 6, 1, 3, 5, 7][..]), (8, &[0, 2, 1, 3])] {
        let a_word = 32 / bits;
        for (k, n, group) in [(32, 32, 32), (64, 96, 16), (8, 16, 8)] {
            let name = format!("awq:gemm,bits={bits},k={k},n={n},group={group}");
            let place = |row: i64, column: i64, bit: i64| {
                let slot = order.iter().position(|own| *own == column % a_word).unwrap();
                word(row * (n / a_word) + column / a_word, i64::try_from(slot).unwrap() * bits + bit)
            };
            holds(&name, "codes", |at, bit| place(at[0], at[1], bit));
            holds(&name, "zeros", |at, bit| place(at[0], at[1], bit));
        }
    }
}

/// The permutation of a tile as vLLM writes it down: the codes that a thread of the tensor core instruction has, pair by pair.
fn marlin_order(bits: i64, act: i64) -> Vec<i64> {
    let mut order = Vec::new();
    if act == 8 {
        for lane in 0..32 {
            let (column, mut own) = (lane / 4, Vec::new());
            for block in 0..2 {
                for row in 0..4 {
                    own.push(16 * (4 * (lane % 4) + row + 16 * block) + column);
                }
            }
            order.push(own);
        }
    } else {
        for lane in 0..32 {
            let (column, mut own) = (lane / 4, Vec::new());
            for block in 0..2 {
                for row in [2 * (lane % 4), 2 * (lane % 4) + 1, 2 * (lane % 4 + 4), 2 * (lane % 4 + 4) + 1] {
                    own.push(16 * row + column + 8 * block);
                }
            }
            order.push(own);
        }
    }
    let mut flat: Vec<i64> = Vec::new();
    for own in order {
        let copies = if act == 8 { 2 } else { 4 };
        for copy in 0..copies {
            flat.extend(own.iter().map(|at| if act == 8 { at + 8 * copy } else { at + 256 * copy }));
        }
    }
    let interleave: &[usize] = match (bits, act) {
        (4, 16) => &[0, 2, 4, 6, 1, 3, 5, 7],
        (8, 16) => &[0, 2, 1, 3],
        (4, 8) => &[0, 4, 1, 5, 2, 6, 3, 7],
        _ => &[0, 1, 2, 3],
    };
    let chunks = flat.chunks(interleave.len());
    chunks.flat_map(|chunk| interleave.iter().map(|at| chunk[*at]).collect::<Vec<_>>()).collect()
}

#[test]
fn marlin_permutes_tiles() {
    for bits in [4, 8] {
        for (k, n) in [(32, 64), (64, 192), (160, 128)] {
            let name = format!("marlin:bits={bits},k={k},n={n},group=16");
            let order = marlin_order(bits, 16);
            holds(&name, "codes", |at, bit| {
                // Tiles of 16 by 16, four of them side by side a permutation, rows of tiles one after the other.
                let flat = at[1] / 16 * 256 + at[0] % 16 * 16 + at[1] % 16;
                let own = order.iter().position(|own| *own == flat % 1024).unwrap();
                (at[0] / 16 * 16 * n + flat / 1024 * 1024 + i64::try_from(own).unwrap()) * bits + bit
            });
        }
    }
}

/// `scale_perm` and `scale_perm_single` of vLLM.
#[test]
fn marlin_permutes_scales_by_the_number_of_groups() {
    for (k, group, n) in [(128, 128, 128), (128, 64, 64), (256, 32, 192), (256, 512, 64), (100, 64, 64)] {
        for act in [16, 8] {
            let name = format!("marlin:k={},n={n},group={group},act={act}", k / 32 * 32);
            let single = group >= k / 32 * 32 || act == 8;
            let order: Vec<i64> = match single {
                true => (0..4).flat_map(|i| [0, 1, 8, 9, 16, 17, 24, 25].map(|j| 2 * i + j)).collect(),
                false => (0..8).flat_map(|i| (0..8).map(move |j| i + 8 * j)).collect(),
            };
            let width = i64::try_from(order.len()).unwrap();
            holds(&name, "scales", |at, bit| {
                let own = order.iter().position(|own| *own == at[1] % width).unwrap();
                16 * (at[0] * n + at[1] / width * width + i64::try_from(own).unwrap()) + bit
            });
        }
    }
}

/// 128 rows by 4 columns as cuBLAS documents them: `(row % 32) * 16 + row / 32 * 4 + column`.
#[test]
fn block_scales_are_padded_to_tiles() {
    for (m, s) in [(1, 1), (100, 6), (128, 4), (129, 5), (300, 13), (7, 3)] {
        let tiles = (s + 3) / 4;
        holds(&format!("mx:scale128x4,m={m},s={s}"), "scales", |at, bit| {
            let tile = at[0] / 128 * tiles + at[1] / 4;
            8 * (512 * tile + at[0] % 32 * 16 + at[0] % 128 / 32 * 4 + at[1] % 4) + bit
        });
        let rows = (m + 3) / 4 * 4;
        holds(&format!("deepgemm:ue8m0,m={m},s={s}"), "scales", |at, bit| {
            word(at[1] / 4 * rows + at[0], at[1] % 4 * 8 + bit)
        });
    }
}

/// The rows of a block of 16 or 32, as flashinfer writes them down.
fn shuffled(tile: i64, row: i64) -> i64 {
    const OF_16: [i64; 16] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];
    const OF_32: [i64; 32] = [
        0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15,
        23, 31,
    ];
    let order = if tile % 128 == 0 { &OF_32[..] } else { &OF_16 };
    let width = i64::try_from(order.len()).unwrap();
    row / width * width + order[usize::try_from(row % width).unwrap()]
}

#[test]
fn rows_of_experts_are_interleaved_and_shuffled() {
    for (m, tile) in [(64, 64), (96, 64), (160, 32), (64, 128), (320, 256), (48, 8)] {
        for (b, block) in [(8, 8), (12, 4), (6, 1)] {
            let place =
                |row: i64, byte: i64, bit: i64| 8 * (byte / block * m * block + row * block + byte % block) + bit;
            let name = |kind: &str| format!("trtllm:{kind},tile={tile},m={m},b={b},block={block}");
            holds(&name("shuffle"), "codes", |at, bit| place(shuffled(tile, at[0]), at[1], bit));
            let gated = |row: i64| if row < m / 2 { 2 * row } else { 2 * (row - m / 2) + 1 };
            holds(&name("w3w1"), "codes", |at, bit| place(shuffled(tile, gated(at[0])), at[1], bit));
            let name = format!("trtllm:gated,m={m},b={b},block={block}");
            holds(&name, "codes", |at, bit| place(gated(at[0]), at[1], bit));
        }
    }
    for (m, s, tile) in [(128, 4, 64), (256, 8, 128), (384, 12, 64)] {
        let place = |row: i64, at: &[i64], bit: i64| {
            let tile = row / 128 * (s / 4) + at[1] / 4;
            8 * (512 * tile + row % 32 * 16 + row % 128 / 32 * 4 + at[1] % 4) + bit
        };
        let name = format!("trtllm:scale,tile={tile},m={m},s={s}");
        holds(&name, "scales", |at, bit| place(shuffled(tile, at[0]), at, bit));
        let gated = |row: i64| if row < m / 2 { 2 * row } else { 2 * (row - m / 2) + 1 };
        let name = format!("trtllm:w3w1scale,tile={tile},m={m},s={s}");
        holds(&name, "scales", |at, bit| place(shuffled(tile, gated(at[0])), at, bit));
    }
}

/// A tag read as oneDNN documents it: the order of dims from the outside in, upper case where they have blocks, then the blocks from the
/// outside in; every dim is padded to its blocks.
fn tagged(tag: &str, shape: &[i64], at: &[i64]) -> i64 {
    let plain: Vec<char> = {
        let mut letters: Vec<char> =
            tag.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
        letters.sort_unstable();
        letters.dedup();
        let order = ["goidhw", "nchw", "abcdef"];
        let names = order.into_iter().find(|names| letters.iter().all(|own| names.contains(*own))).unwrap();
        names.chars().filter(|own| letters.contains(own)).collect()
    };
    let dim = |letter: char| plain.iter().position(|own| *own == letter.to_ascii_lowercase()).unwrap();
    let first_digit = tag.find(|c: char| c.is_ascii_digit()).unwrap_or(tag.len());
    let (outer, blocks) = tag.split_at(first_digit);
    let mut inner: Vec<(usize, i64)> = Vec::new();
    let mut number = 0;
    for c in blocks.chars() {
        match c.to_digit(10) {
            Some(digit) => number = number * 10 + i64::from(digit),
            None => inner.push((dim(c), std::mem::take(&mut number))),
        }
    }
    let size = |dim: usize| inner.iter().filter(|(own, _)| *own == dim).map(|(_, size)| size).product::<i64>();
    let mut place = 0;
    for letter in outer.chars() {
        let (own, block) = (dim(letter), size(dim(letter)));
        place = place * ((shape[own] + block - 1) / block) + at[own] / block;
    }
    for (number, (own, block)) in inner.iter().enumerate() {
        let below: i64 = inner[number + 1..].iter().filter(|(other, _)| other == own).map(|(_, size)| size).product();
        place = place * block + at[*own] / below % block;
    }
    place
}

#[test]
fn tags_are_read_as_onednn_documents_them() {
    for (tag, shape, bits) in [
        ("nChw16c", &[2, 19, 3, 2][..], 32),
        ("nChw4c", &[1, 6, 2, 5], 8),
        ("OIhw4i16o4i", &[17, 33, 2, 1], 8),
        ("OIhw2i8o4i", &[9, 7, 1, 3], 8),
        ("OIhw16o16i", &[16, 20, 1, 2], 16),
        ("gOIhw4o4i", &[3, 5, 6, 1, 2], 32),
        ("Goihw8g", &[11, 1, 1, 2, 3], 32),
        ("AB16b64a2b", &[70, 40], 16),
        ("AB8b32a", &[33, 9], 32),
        ("BA4b8a8b2a", &[17, 33], 16),
        ("aBc8b", &[3, 9, 4], 32),
        ("ABcd8b16a2b", &[17, 18, 1, 2], 16),
        ("oihw", &[3, 4, 1, 2], 32),
        ("hwio", &[3, 4, 1, 2], 32),
        ("acb", &[3, 4, 5], 8),
    ] {
        let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let name = format!("onednn:{tag},shape={},bits={bits}", extents.join("x"));
        holds(&name, "data", |at, bit| tagged(tag, shape, at) * bits + bit);
    }
}

#[test]
fn dot_products_of_cpus_take_groups_along_k() {
    for (n, k, block) in [(32, 16, 32), (64, 24, 16), (48, 8, 48)] {
        for (kind, bits, group) in [("bf16", 16, 2), ("int8", 8, 4)] {
            holds(&format!("vnni:{kind},n={n},k={k},block={block}"), "weight", |at, bit| {
                let (row, column) = (at[0] % block, at[1]);
                let own = at[0] / block * block * k + column / group * block * group + row * group + column % group;
                own * bits + bit
            });
        }
    }
    for (n, k) in [(16, 6), (32, 4), (64, 4), (80, 6), (96, 2), (112, 4), (128, 2)] {
        holds(&format!("torch:int4pack,n={n},k={k}"), "codes", |at, bit| {
            let (block, row) = (at[0] / 64 * 64, at[0] % 64);
            let width = (n - block).min(64);
            let byte = if width == 64 { row % 32 } else { row / 2 };
            let high = if width == 64 { row / 32 } else { row % 2 };
            8 * (block * k / 2 + at[1] * width / 2 + byte) + 4 * high + bit
        });
    }
    for (m, n, bits) in [(13, 30, 16), (16, 16, 16), (17, 70, 8), (1, 1, 32)] {
        let (columns, rows) = (256 / bits, (m + 15) / 16 * 16);
        holds(&format!("ascend:nz,m={m},n={n},bits={bits}"), "weight", |at, bit| {
            ((at[1] / columns * rows + at[0]) * columns + at[1] % columns) * bits + bit
        });
    }
}

/// Blocks of llama.cpp by the loops of its dequantizers: each element from random bytes.
#[test]
fn blocks_are_read_as_llama_cpp_reads_them() {
    let mut random = 88_172_645_463_325_252u64;
    let mut byte = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        u8::try_from(random >> 56).unwrap()
    };
    type Decode = fn(&[u8], usize) -> i64;
    let cases: [(&str, &str, usize, usize, usize, Decode); 20] = [
        ("q4_0", "codes", 32, 18, 1, |b, i| i64::from(b[2 + i % 16] >> (i / 16 * 4) & 15)),
        ("q4_1", "codes", 32, 20, 1, |b, i| i64::from(b[4 + i % 16] >> (i / 16 * 4) & 15)),
        ("q5_0", "codes", 32, 22, 1, |b, i| {
            let high = u32::from_le_bytes([b[2], b[3], b[4], b[5]]) >> i & 1;
            i64::from(b[6 + i % 16] >> (i / 16 * 4) & 15) | i64::from(high << 4)
        }),
        ("q5_1", "codes", 32, 24, 1, |b, i| {
            let high = u32::from_le_bytes([b[4], b[5], b[6], b[7]]) >> i & 1;
            i64::from(b[8 + i % 16] >> (i / 16 * 4) & 15) | i64::from(high << 4)
        }),
        ("q8_0", "codes", 32, 34, 1, |b, i| i64::from(b[2 + i])),
        ("iq4_nl", "codes", 32, 18, 1, |b, i| i64::from(b[2 + i % 16] >> (i / 16 * 4) & 15)),
        ("mxfp4", "codes", 32, 17, 1, |b, i| i64::from(b[1 + i % 16] >> (i / 16 * 4) & 15)),
        ("nvfp4", "codes", 64, 36, 1, |b, i| i64::from(b[4 + i / 16 * 8 + i % 8] >> (i / 8 % 2 * 4) & 15)),
        ("q2_K", "codes", 256, 84, 1, |b, i| i64::from(b[16 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3)),
        ("q2_K", "scales", 16, 84, 16, |b, i| i64::from(b[i] & 15)),
        ("q2_K", "mins", 16, 84, 16, |b, i| i64::from(b[i] >> 4)),
        ("q3_K", "codes", 256, 110, 1, |b, i| {
            let low = b[32 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
            i64::from(low | (b[i % 32] >> (i / 32) & 1) << 2)
        }),
        ("q3_K", "scales", 16, 110, 16, |b, i| {
            let own = &b[96..108];
            let low = if i < 8 { own[i] & 15 } else { own[i - 8] >> 4 };
            i64::from(low | (own[8 + i % 4] >> (2 * (i / 4)) & 3) << 4)
        }),
        ("q4_K", "codes", 256, 144, 1, |b, i| i64::from(b[16 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15)),
        ("q4_K", "scales", 8, 144, 32, |b, i| {
            let own = &b[4..16];
            i64::from(if i < 4 { own[i] & 63 } else { own[i + 4] & 15 | (own[i - 4] >> 6) << 4 })
        }),
        ("q4_K", "mins", 8, 144, 32, |b, i| {
            let own = &b[4..16];
            i64::from(if i < 4 { own[i + 4] & 63 } else { own[i + 4] >> 4 | (own[i] >> 6) << 4 })
        }),
        ("q5_K", "codes", 256, 176, 1, |b, i| {
            let high = b[16 + i % 32] >> (i / 32) & 1;
            i64::from(b[48 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15 | high << 4)
        }),
        ("q6_K", "codes", 256, 210, 1, |b, i| {
            let (half, own) = (i / 128, i % 128);
            let low = b[half * 64 + own % 64] >> (own / 64 * 4) & 15;
            i64::from(low | (b[128 + half * 32 + own % 32] >> (own / 32 * 2) & 3) << 4)
        }),
        ("iq4_xs", "scales", 8, 136, 32, |b, i| {
            let high = u16::from_le_bytes([b[2], b[3]]) >> (2 * i) & 3;
            i64::from(b[4 + i / 2] >> (4 * (i % 2)) & 15) | i64::from(high) << 4
        }),
        ("tq2_0", "codes", 256, 66, 1, |b, i| i64::from(b[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3)),
    ];
    for (kind, field, elements, bytes, group, decode) in cases {
        for (rows, blocks) in [(1, 1), (3, 2), (2, 5)] {
            let name = format!("gguf:{kind},n={rows},k={}", elements * group * blocks);
            let format = Zoo::builtin().format(&name).unwrap();
            let places = &format.field(field).unwrap().places;
            let memory: Vec<u8> = (0..rows * blocks * bytes).map(|_| byte()).collect();
            assert_eq!(usize::try_from(format.tensors[0].bytes().unwrap()), Ok(memory.len()), "{name}");
            for row in 0..rows {
                for column in 0..elements * blocks {
                    let block = row * blocks + column / elements;
                    let wanted = decode(&memory[block * bytes..(block + 1) * bytes], column % elements);
                    let point = [row, column].map(|at| i64::try_from(at).unwrap());
                    let ours = (0..places.element_bits()).fold(0, |value, bit| {
                        let place = usize::try_from(places.at(&point, bit).unwrap()).unwrap();
                        value | i64::from(memory[place / 8] >> (place % 8) & 1) << bit
                    });
                    assert_eq!(ours, wanted, "{name} {field} {point:?}");
                }
            }
        }
    }
}

/// One parameter changed: another layout, or the same one where the parameter only cuts what is repeated.
#[test]
fn near_misses_are_different_at_an_element() {
    let zoo = Zoo::builtin();
    for (one, other, field) in [
        ("gptq:v2,bits=3,k=64,n=32", "gptq_p:bits=3,k=64,n=32", "codes"),
        ("gptq:v2,bits=4,k=64,n=32", "ct:pack@0.20,n=32,k=64,dim=1,bits=4", "codes"),
        ("marlin:k=128,n=64,act=16", "marlin:k=128,n=64,act=8", "codes"),
        ("marlin:k=128,n=64,group=64", "marlin:k=128,n=64,group=64,act=8", "scales"),
        ("marlin:bits=8,k=64,n=64,group=32", "marlin:bits=8,k=64,n=64,group=32,act=8", "zeros"),
        ("trtllm:shuffle,tile=128,m=64,b=4", "trtllm:shuffle,tile=192,m=64,b=4", "codes"),
        ("trtllm:w3w1,tile=64,m=64,b=4", "trtllm:w3w1,tile=256,m=64,b=4", "codes"),
        ("ct:pack@old,bits=5,n=4,k=32", "ct:pack@0.20,bits=5,n=4,k=32", "codes"),
        ("ct:pack@old,bits=6,n=32,k=4,dim=0", "ct:pack@0.20,bits=6,n=32,k=4,dim=0", "codes"),
        ("awq:gemm,bits=8,k=32,n=32", "gptq:v2,bits=8,k=32,n=32", "codes"),
        ("vnni:int8,n=32,k=16", "vnni:int8,n=32,k=16,block=16", "weight"),
        ("onednn:OIhw4i16o4i,shape=32x32x1x2,bits=8", "onednn:OIhw2i16o4i,shape=32x32x1x2,bits=8", "data"),
        ("vllm:kv.k,t=32,h=2,d=16,block=16", "vllm:kv.k,t=32,h=2,d=16,block=16,x=4", "cache"),
        ("exl2:stored,bits=3,k=64,n=32", "exl2:loaded,bits=3,k=64,n=32", "codes"),
        ("machete:n=128,k=128,act=f16", "machete:n=128,k=128,act=e4m3", "codes"),
        ("ggml:q4_0,rows=8,interleave=8,n=16,k=64", "ggml:q4_0,rows=8,interleave=4,n=16,k=64", "codes"),
    ] {
        let [producer, consumer] =
            [one, other].map(|name| zoo.format(name).unwrap_or_else(|error| panic!("{name}: {error}")));
        let [from, to] = [&producer, &consumer].map(|format| format.field(field).unwrap());
        let report = check::fields(from, to).unwrap_or_else(|error| panic!("{one} {other}: {error}"));
        // The slow twin: every element, in the order of the elements of the producer.
        let shape = from.places.shape().unwrap();
        let order: Vec<usize> = from
            .places
            .axes()
            .iter()
            .map(|axis| to.places.axes().iter().position(|own| own.name == axis.name).unwrap())
            .collect();
        let (mut differing, mut first) = (0, None);
        for flat in 0..shape.iter().product::<i64>() {
            let mut rest = flat;
            let mut point: Vec<i64> = shape.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
            point.reverse();
            let mut theirs = vec![0; point.len()];
            order.iter().zip(&point).for_each(|(at, x)| theirs[*at] = *x);
            let is_elsewhere = (0..from.places.element_bits())
                .any(|bit| from.places.at(&point, bit).unwrap() != to.places.at(&theirs, bit).unwrap());
            if is_elsewhere {
                differing += 1;
                first.get_or_insert(point);
            }
        }
        assert_eq!(report.differing, Some(differing), "{one} {other}");
        assert_eq!(report.first.map(|found| found.element), first, "{one} {other}");
        assert_eq!(report.verdict == Verdict::Different, differing > 0, "{one} {other}");
        assert!(differing > 0 || one.contains("tile=128"), "{one} {other} are one layout");
    }
}
