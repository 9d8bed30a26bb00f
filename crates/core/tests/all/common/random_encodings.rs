//! Random encodings: valid ones with parameters that belong together, and odd ones that a user may type by mistake.

use super::Choices;
use bitstride::triton::{
    AmdMfma, AmdWmma, Blocked, Cga, DotOperand, Encoding, Linear, NvidiaMma, Phase, Repetition, Sizes, Slice, Split,
    SwizzledShared, TensorMemory, TensorMemoryScales,
};

pub fn int(number: usize) -> i64 {
    i64::try_from(number).expect("a small number")
}

pub fn sizes(entries: &[i64]) -> Sizes {
    Sizes::from_slice(entries)
}

/// A power of two up to `2^most` for each dim.
pub fn powers(choices: &mut Choices, rank: usize, most: usize) -> Sizes {
    (0..rank).map(|_| 1 << choices.below(most + 1)).collect()
}

/// The bits of a number along each dim: `bits` units of random dims, or nothing.
pub fn split(choices: &mut Choices, rank: usize, bits: usize) -> Sizes {
    let mut split = vec![1; rank];
    for _ in 0..bits {
        let dim = choices.below(rank);
        split[dim] *= 2;
    }
    split.into_iter().collect()
}

pub fn order(choices: &mut Choices, rank: usize) -> Sizes {
    let mut rest: Vec<i64> = (0..rank).map(int).collect();
    (0..rank).map(|_| rest.remove(choices.below(rest.len()))).collect()
}

pub fn cga(choices: &mut Choices, rank: usize) -> Cga {
    let ctas = powers(choices, rank, 1);
    let parts = ctas.iter().map(|ctas| if choices.below(3) == 0 { 1 } else { *ctas }).collect();
    Cga::from_split(&Split { ctas, parts, order: order(choices, rank) }).expect("a valid split")
}

pub fn blocked(choices: &mut Choices, rank: usize) -> Blocked {
    Blocked {
        size_per_thread: powers(choices, rank, 2),
        threads_per_warp: split(choices, rank, 5),
        warps_per_cta: split(choices, rank, 2),
        order: order(choices, rank),
        cga: cga(choices, rank),
    }
}

pub fn nvidia_mma(choices: &mut Choices) -> NvidiaMma {
    let version = choices.of(&[2, 3]);
    let rank = if version == 2 { choices.of(&[2, 3]) } else { 2 };
    let (rows, columns) = (choices.of(&[16, 8, 16, 32]), choices.of(&[8, 8, 16, 32]));
    let instr_shape = match (version, rank) {
        (3, _) => sizes(&[16, choices.of(&[8, 16, 64, 256]), 16]),
        (_, 2) => sizes(&[rows, columns]),
        _ => sizes(&[1, rows, columns]),
    };
    let warps_per_cta = split(choices, rank, 2);
    NvidiaMma { version_major: version, version_minor: 0, warps_per_cta, instr_shape, cga: cga(choices, rank) }
}

pub fn amd_mfma(choices: &mut Choices) -> AmdMfma {
    let rank = choices.of(&[2, 3]);
    let (instr_shape, element_bits, transposed) = choices.of(&[
        ([32, 32, 8], 32, false),
        ([32, 32, 16], 32, true),
        ([16, 16, 16], 32, true),
        ([16, 16, 16], 32, false),
        ([16, 16, 4], 64, false),
        ([16, 16, 4], 64, true),
        ([4, 64, 4], 32, false),
        ([4, 64, 4], 32, true),
        ([64, 4, 4], 32, true),
    ]);
    AmdMfma {
        version: choices.of(&[1, 2, 3, 4]),
        warps_per_cta: split(choices, rank, 2),
        instr_shape: sizes(&instr_shape),
        transposed,
        tiles_per_warp: powers(choices, rank, 1),
        element_bits,
        cga: cga(choices, rank),
    }
}

pub fn amd_wmma(choices: &mut Choices) -> AmdWmma {
    let rank = choices.of(&[2, 3]);
    // Each unit goes once to a register or a warp, the lowest of a dim first.
    let mut next = vec![1; rank];
    let (mut register_bases, mut warp_bases) = (Vec::new(), Vec::new());
    for _ in 0..choices.below(4) {
        let dim = choices.below(rank);
        let basis = (0..rank).map(|at| if at == dim { next[dim] } else { 0 }).collect();
        next[dim] *= 2;
        if choices.below(2) == 0 { register_bases.push(basis) } else { warp_bases.push(basis) }
    }
    let (version, instr_shape) = choices.of(&[
        (1, [16, 16, 16]),
        (2, [16, 16, 16]),
        (2, [16, 16, 32]),
        (3, [16, 16, 4]),
        (3, [16, 16, 128]),
        (3, [32, 16, 128]),
    ]);
    AmdWmma {
        version,
        transposed: choices.below(2) == 1,
        warp_bases,
        register_bases,
        instr_shape: sizes(&instr_shape),
        cga: cga(choices, rank),
        rank,
    }
}

pub fn linear(choices: &mut Choices) -> Linear {
    let rank = 1 + choices.below(3);
    let mut next = vec![1; rank];
    let mut places: [Vec<Sizes>; 4] = std::array::from_fn(|_| Vec::new());
    for _ in 0..choices.below(9) {
        let dim = choices.below(rank + 1);
        let basis = (0..rank).map(|at| if at == dim { next[dim] } else { 0 }).collect();
        if let Some(next) = next.get_mut(dim) {
            *next *= 2;
        }
        places[choices.below(4)].push(basis);
    }
    // Registers in any order, so that dims are first moved in any order.
    let turn = choices.below(places[0].len().max(1));
    places[0].rotate_left(turn);
    let [register, lane, mut warp, block] = places;
    let generic = choices.once_in(3);
    if generic && let Some(last) = warp.last_mut() {
        // A warp that moves along a second dim as well. Farther along its own dim it would leave elements of a small tensor, from
        // which large moves are dropped, without a place.
        let dim = choices.below(rank);
        if last[dim] == 0 {
            last[dim] = next[dim] / 2;
        }
    }
    Linear { register, lane, warp, block, generic, rank }
}

/// A valid encoding, with the rank of its tensors.
pub fn encoding(choices: &mut Choices, depth: usize) -> (Encoding, usize) {
    match choices.below(if depth == 0 { 5 } else { 7 }) {
        0 => {
            let rank = 1 + choices.below(3);
            (Encoding::Blocked(blocked(choices, rank)), rank)
        }
        1 => {
            let mma = nvidia_mma(choices);
            let rank = mma.warps_per_cta.len();
            (Encoding::NvidiaMma(mma), rank)
        }
        2 => {
            let mfma = amd_mfma(choices);
            let rank = mfma.warps_per_cta.len();
            (Encoding::AmdMfma(mfma), rank)
        }
        3 => {
            let wmma = amd_wmma(choices);
            let rank = wmma.rank;
            (Encoding::AmdWmma(wmma), rank)
        }
        4 => {
            let linear = linear(choices);
            let rank = linear.rank;
            (Encoding::Linear(linear), rank)
        }
        5 => {
            let (parent, rank) = match choices.below(4) {
                0 => (Encoding::Blocked(blocked(choices, 2)), 2),
                1 => {
                    let mma = nvidia_mma(choices);
                    let rank = mma.warps_per_cta.len();
                    (Encoding::NvidiaMma(mma), rank)
                }
                2 => {
                    let mfma = amd_mfma(choices);
                    let rank = mfma.warps_per_cta.len();
                    (Encoding::AmdMfma(mfma), rank)
                }
                _ => {
                    let wmma = amd_wmma(choices);
                    let rank = wmma.rank;
                    (Encoding::AmdWmma(wmma), rank)
                }
            };
            let hopper = matches!(&parent, Encoding::NvidiaMma(mma) if mma.version_major == 3);
            let operand = if hopper { 0 } else { choices.of(&[0, 1]) };
            let width: i64 = choices.of(&[1, 2, 4, 8]);
            let k_width = match &parent {
                Encoding::Blocked(_) => 0,
                Encoding::AmdWmma(AmdWmma { version: 1, .. }) => width.clamp(4, 8) * 2,
                Encoding::AmdWmma(AmdWmma { version: 2, .. }) => width.max(4),
                _ => width,
            };
            (Encoding::DotOperand(DotOperand { operand, parent: Box::new(parent), k_width }), rank)
        }
        _ => {
            let (parent, rank) = encoding(choices, depth - 1);
            if rank == 1 {
                return (parent, rank);
            }
            let dim = int(choices.below(rank));
            (Encoding::Slice(Slice { dim, parent: Box::new(parent) }), rank - 1)
        }
    }
}

/// Memory of a cluster, with the rank of its tensors.
pub fn memory(choices: &mut Choices) -> (Encoding, usize) {
    match choices.below(3) {
        0 => {
            let rank = 1 + choices.below(4);
            let mut parameter = || 1 << choices.below(5);
            let (vec, per_phase, max_phase) = (parameter(), parameter(), parameter());
            let phase = choices.of(&[Phase::Row, Phase::Rotating]);
            let (order, cga) = (order(choices, rank), cga(choices, rank));
            (Encoding::SwizzledShared(SwizzledShared { vec, per_phase, max_phase, order, cga, phase }), rank)
        }
        1 => {
            let (col_stride, fp4_padded) = choices.of(&[(1, false), (2, false), (1, true)]);
            let (block_m, block_n, cga) = (choices.of(&[64, 128]), 8 << choices.below(6), cga(choices, 2));
            let memory = TensorMemory { block_m, block_n, col_stride, cga, two_ctas: false, fp4_padded };
            (Encoding::TensorMemory(memory), 2)
        }
        _ => {
            let order = choices.of(&[Repetition::RowsFirst, Repetition::ColumnsFirst]);
            (Encoding::TensorMemoryScales(TensorMemoryScales { cga: cga(choices, 2), order }), 2)
        }
    }
}

/// A shape that an encoding was made for as rarely as not: unit dims, dims smaller than a tile and larger ones.
pub fn foreign(choices: &mut Choices, rank: usize) -> Sizes {
    (0..rank).map(|_| 1 << choices.of(&[0, 0, 1, 2, 3, 4, 5, 6, 7, 8])).collect()
}

/// A number that parameters may hold by mistake.
pub fn odd(choices: &mut Choices) -> i64 {
    choices.of(&[1, 2, 4, 16, 32, 8, 0, 3, -1, 64, 1 << 31, 1 << 61, 1 << 62, i64::MAX, i64::MIN])
}

pub fn odd_list(choices: &mut Choices) -> Sizes {
    let length = choices.of(&[2, 2, 2, 3, 1, 0, 5]);
    (0..length).map(|_| odd(choices)).collect()
}

pub fn odd_bases(choices: &mut Choices) -> Vec<Sizes> {
    (0..choices.of(&[0, 1, 2, 5, 70])).map(|_| odd_list(choices)).collect()
}

pub fn odd_encoding(choices: &mut Choices, depth: usize) -> Encoding {
    let cga = Cga { bases: if choices.below(2) == 0 { Vec::new() } else { odd_bases(choices) } };
    let transposed = choices.below(2) == 1;
    let rank = choices.of(&[2, 3, 1, 0, 6, 1000]);
    match choices.below(if depth == 0 { 5 } else { 7 }) {
        0 => Encoding::Blocked(Blocked {
            size_per_thread: odd_list(choices),
            threads_per_warp: odd_list(choices),
            warps_per_cta: odd_list(choices),
            order: choices
                .of(&[&[1, 0][..], &[0, 1], &[0], &[], &[0, 0], &[2, 0, 1], &[-1, 0]])
                .iter()
                .copied()
                .collect(),
            cga,
        }),
        1 => Encoding::NvidiaMma(NvidiaMma {
            version_major: choices.of(&[2, 3, 1, 5, 0, i64::MIN]),
            version_minor: odd(choices),
            warps_per_cta: odd_list(choices),
            instr_shape: odd_list(choices),
            cga,
        }),
        2 => Encoding::AmdMfma(AmdMfma {
            version: choices.of(&[1, 4, 0, 5, i64::MAX]),
            warps_per_cta: odd_list(choices),
            instr_shape: odd_list(choices),
            transposed,
            tiles_per_warp: odd_list(choices),
            element_bits: choices.of(&[32, 64, 0, -1]),
            cga,
        }),
        3 => Encoding::AmdWmma(AmdWmma {
            version: choices.of(&[1, 2, 3, 0, i64::MAX]),
            transposed,
            warp_bases: odd_bases(choices),
            register_bases: odd_bases(choices),
            instr_shape: sizes(&[16, 16, odd(choices)]),
            cga,
            rank,
        }),
        4 => Encoding::Linear(Linear {
            register: odd_bases(choices),
            lane: odd_bases(choices),
            warp: odd_bases(choices),
            block: odd_bases(choices),
            generic: transposed,
            rank,
        }),
        5 => Encoding::DotOperand(DotOperand {
            operand: choices.of(&[0, 1, 2, -1]),
            parent: Box::new(odd_encoding(choices, depth - 1)),
            k_width: odd(choices),
        }),
        _ => Encoding::Slice(Slice {
            dim: choices.of(&[0, 1, 2, -1, i64::MAX, i64::MIN]),
            parent: Box::new(odd_encoding(choices, depth - 1)),
        }),
    }
}
