//! The cases: pairs of layouts and what is asked of each.

use super::random;

/// What a case is, and so what it should reach.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Runs of 512 bytes or more, the same on both sides.
    Runs,
    /// Elements of 4 and 8 bytes that are scattered.
    Scattered,
    /// Elements of 1 and 2 bytes and of 4 bits, and odd sizes.
    Small,
}

impl Class {
    /// The share of the ceiling that is aimed at.
    pub(super) fn aim(self, threads: usize) -> f64 {
        match (self, threads) {
            (Class::Runs, 1) => 0.9,
            (Class::Runs, _) => 0.95,
            (Class::Scattered, 1) => 0.7,
            (Class::Scattered, _) => 0.9,
            (Class::Small, 1) => 0.5,
            (Class::Small, _) => 0.75,
        }
    }
}

/// A pair of layouts.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) from: String,
    pub(super) to: String,
    /// Bits of an element.
    pub(super) bits: u32,
    pub(super) class: Class,
}

/// Images with the channels last, their 128 channels written as 8 blocks of 16.
const NHWC: &str = "(32,(16,8),64,64):(524288,(1,16),8192,128)";

/// The same images, the 16 channels of a block last and the blocks before the rows.
const NCHW16C: &str = "(32,(16,8),64,64):(524288,(1,65536),1024,16)";

/// Images of 224 x 224 pixels, a byte for each of three colours.
const RGB: &str = "(128,3,50176):(150528,1,3)";

/// The same images, each colour in a plane of its own.
const PLANES: &str = "(128,3,50176):(150528,50176,1)";

/// Tiles of 64 columns, whose rows of 128 bytes are swizzled as shared memory of GPUs wants them.
const SWIZZLED: &str = "Sw<3,3,3> o 0 o (8192,(64,64)):(64,(1,524288))";

/// The named cases. Those of weights and scales are what public kernels read:
///
/// - GPTQ holds eight nibbles of one column in a word, along k. Marlin holds tiles of 16 x 64, a word for each thread and
///   each 16 columns: in the nibble, from its lowest bit up, bit 3 of k, bit 3 of n and bit 0 of k; then bits 4 and 5 of n,
///   bits 1 and 2 of k, and bits 0 to 2 of n.
/// - AWQ holds eight columns in a word; nibbles from the lowest on are columns 0, 2, 4, 6, 1, 3, 5, 7.
/// - Scale factors of block-scaled products on Blackwell: tiles of 128 x 4 bytes, row r and column c of a tile at
///   `r % 32 * 16 + r / 32 * 4 + c`.
/// - Heads of attention of 64 and 80 elements, which kernels want apart and products of matrices side by side; and transposes of 197
///   patches of an image by 80 elements, as vision transformers make.
/// - Images of 224 x 224 pixels of three bytes, as cameras write and networks read them; and one of 3840 x 2160 on its side.
/// - A Q4_0 block of ggml has 18 bytes: a scale of 2, then 16 whose low nibbles are elements 0 to 15 and whose high ones are
///   elements 16 to 31. Scales and nibbles are two layouts of one memory, and so two relayouts.
const NAMED: [(&str, u32, Class, &str, &str); 32] = [
    ("f32_to_t8x128", 32, Class::Runs, "f32[4096,4096]{1,0}", "f32[4096,4096]{1,0:T(8,128)}"),
    ("f32_from_t8x128", 32, Class::Runs, "f32[4096,4096]{1,0:T(8,128)}", "f32[4096,4096]{1,0}"),
    ("f32_4001_from_t8x128", 32, Class::Small, "f32[4001,4001]{1,0:T(8,128)}", "f32[4001,4001]{1,0}"),
    ("bf16_4001_from_t8x128_2x1", 16, Class::Small, "bf16[4001,4001]{1,0:T(8,128)(2,1)}", "bf16[4001,4001]{1,0}"),
    ("f32_4096x4096_10", 32, Class::Scattered, "(4096,4096):(4096,1)", "(4096,4096):(1,4096)"),
    ("f32_256x256x256_210", 32, Class::Scattered, "(256,256,256):(65536,256,1)", "(256,256,256):(1,256,65536)"),
    ("f32_64x512x512_021", 32, Class::Scattered, "(64,512,512):(262144,512,1)", "(64,512,512):(262144,1,512)"),
    (
        "f32_nchw_to_nhwc",
        32,
        Class::Scattered,
        "(32,128,64,64):(524288,4096,64,1)",
        "(32,128,64,64):(524288,1,8192,128)",
    ),
    (
        "f32_5d_42031",
        32,
        Class::Scattered,
        "(32,16,32,16,64):(524288,32768,1024,64,1)",
        "(32,16,32,16,64):(256,1,8192,16,262144)",
    ),
    ("bf16_to_t8x128_2x1", 16, Class::Small, "bf16[4096,4096]{1,0}", "bf16[4096,4096]{1,0:T(8,128)(2,1)}"),
    ("bf16_from_t8x128_2x1", 16, Class::Small, "bf16[4096,4096]{1,0:T(8,128)(2,1)}", "bf16[4096,4096]{1,0}"),
    ("bf16_4096x4096_10", 16, Class::Small, "(4096,4096):(4096,1)", "(4096,4096):(1,4096)"),
    ("u8_8192x8192_10", 8, Class::Small, "(8192,8192):(8192,1)", "(8192,8192):(1,8192)"),
    ("bf16_nhwc_to_nchw16c", 16, Class::Small, NHWC, NCHW16C),
    ("bf16_nchw16c_to_nhwc", 16, Class::Small, NCHW16C, NHWC),
    ("f32_nchw16c_to_nhwc", 32, Class::Scattered, NCHW16C, NHWC),
    (
        "bf16_heads_64",
        16,
        Class::Scattered,
        "(8,32,2048,64):(4194304,131072,64,1)",
        "(8,32,2048,64):(4194304,64,2048,1)",
    ),
    (
        "bf16_heads_80",
        16,
        Class::Scattered,
        "(8,16,2048,80):(2621440,163840,80,1)",
        "(8,16,2048,80):(2621440,80,1280,1)",
    ),
    ("bf16_1024x197x80_021", 16, Class::Small, "(1024,197,80):(15760,80,1)", "(1024,197,80):(15760,1,197)"),
    (
        "u4_gptq_to_marlin",
        4,
        Class::Small,
        "((2,4,2,512),(8,2,4,128)):((1,2,65536,131072),(8,64,128,512))",
        "((2,4,2,512),(8,2,4,128)):((4,32,1,131072),(128,2,8,1024))",
    ),
    ("u4_8192x8192_10", 4, Class::Small, "(8192,8192):(8192,1)", "(8192,8192):(1,8192)"),
    ("u4_to_awq", 4, Class::Small, "(8192,8192):(8192,1)", "(8192,(2,4,1024)):(8192,(4,1,8))"),
    ("u8_scales_128x4", 8, Class::Small, "(32768,1024):(1024,1)", "((32,4,256),(4,256)):((16,4,131072),(1,512))"),
    ("u4_q4_0_nibbles", 4, Class::Small, "((16,2),2097152):((2,1),36) + 4", "(32,2097152):(1,32)"),
    ("u16_q4_0_scales", 16, Class::Small, "2097152:9", "2097152:1"),
    ("u8_rgb_to_planes", 8, Class::Small, RGB, PLANES),
    ("u8_planes_to_rgb", 8, Class::Small, PLANES, RGB),
    ("u8_rgb_10", 8, Class::Small, "(2160,3840,3):(11520,3,1)", "(2160,3840,3):(3,6480,1)"),
    ("bf16_to_swizzled", 16, Class::Small, "(8192,(64,64)):(4096,(1,64))", SWIZZLED),
    ("bf16_10_to_swizzled", 16, Class::Small, "(8192,(64,64)):(1,(8192,524288))", SWIZZLED),
    ("f32_257x129x511_210", 32, Class::Small, "(257,129,511):(65919,511,1)", "(257,129,511):(1,257,33153)"),
    ("u8_257x129x511_210", 8, Class::Small, "(257,129,511):(65919,511,1)", "(257,129,511):(1,257,33153)"),
];

impl Case {
    fn of(name: &str, bits: u32, class: Class, [from, to]: [&str; 2]) -> Case {
        Case { name: name.into(), from: from.into(), to: to.into(), bits, class }
    }
}

/// The named cases and the random ones.
pub(super) fn all() -> Vec<Case> {
    let named = NAMED.iter().map(|(name, bits, class, from, to)| Case::of(name, *bits, *class, [from, to]));
    named.chain(random::pairs()).collect()
}

/// Tensors that end inside tiles of one side or of both, in ways that differ: four to twelve boxes, each with a plan of its own.
const RAGGED: [(u32, &str, &str); 9] = [
    (16, "bf16[4001,4001]{1,0:T(8,128)(2,1)}", "bf16[4001,4001]{1,0}"),
    (32, "f32[4001,4001]{1,0:T(8,128)}", "f32[4001,4001]{0,1:T(8,128)}"),
    (16, "bf16[4001,4003]{1,0:T(8,128)(2,1)}", "bf16[4001,4003]{0,1:T(8,128)(2,1)}"),
    (8, "s8[4001,4003]{1,0:T(8,128)(4,1)}", "s8[4001,4003]{0,1:T(8,128)(4,1)}"),
    (8, "s8[4001,4003]{1,0:T(8,128)(4,1)}", "s8[4001,4003]{0,1:T(8,128)(2,1)}"),
    (8, "s8[33,401,401]{2,1,0:T(8,128)(4,1)}", "s8[33,401,401]{1,2,0:T(16,128)(2,1)}"),
    (8, "s8[33,401,401]{2,1,0:T(8,128)(4,1)}", "s8[33,401,401]{2,0,1:T(16,128)(2,1)}"),
    (16, "bf16[13,37,101]{2,1,0:T(2,8,16)}", "bf16[13,37,101]{0,1,2:T(4,8,16)}"),
    (32, "f32[13,37,101]{2,1,0:T(2,8,16)}", "f32[13,37,101]{2,1,0}"),
];

/// Pairs whose plans are of several boxes.
pub(super) fn ragged() -> Vec<Case> {
    RAGGED.iter().map(|(bits, from, to)| Case::of("ragged", *bits, Class::Small, [from, to])).collect()
}
