//! An encoding of Triton in a line of plain words.

use bitstride::triton::{Encoding, Phase, Sizes};

/// What the parameters of an encoding say.
pub(crate) fn words(encoding: &Encoding) -> String {
    match encoding {
        Encoding::Blocked(blocked) => format!(
            "blocked: {} elements a thread, {} threads a warp, {} warps; {}{}",
            by(&blocked.size_per_thread),
            by(&blocked.threads_per_warp),
            by(&blocked.warps_per_cta),
            fastest(&blocked.order),
            blocks(blocked.cga.bases.len())
        ),
        Encoding::Slice(slice) => format!("dim {} removed from: {}", slice.dim, words(&slice.parent)),
        Encoding::DotOperand(operand) => {
            let side = if operand.operand == 0 { "A" } else { "B" };
            let width = match operand.k_width {
                0 => String::new(),
                width => format!(", {width} neighbours along K a register"),
            };
            format!("operand {side} of a matrix product{width}, for: {}", words(&operand.parent))
        }
        Encoding::NvidiaMma(mma) => format!(
            "result of NVIDIA MMA version {}.{}, instruction {}, {} warps{}",
            mma.version_major,
            mma.version_minor,
            by(&mma.instr_shape),
            by(&mma.warps_per_cta),
            blocks(mma.cga.bases.len())
        ),
        Encoding::AmdMfma(mfma) => format!(
            "result of AMD MFMA version {}, instruction {}, {} warps{}",
            mfma.version,
            by(&mfma.instr_shape),
            by(&mfma.warps_per_cta),
            if mfma.transposed { ", transposed" } else { "" }
        ),
        Encoding::AmdWmma(wmma) => format!(
            "result of AMD WMMA version {}, instruction {}, {} warps{}",
            wmma.version,
            by(&wmma.instr_shape),
            1_u64.checked_shl(u32::try_from(wmma.warp_bases.len()).unwrap_or(u32::MAX)).unwrap_or(u64::MAX),
            if wmma.transposed { ", transposed" } else { "" }
        ),
        Encoding::Linear(linear) => format!(
            "linear: {} bits of registers, {} of lanes, {} of warps, {} of blocks",
            linear.register.len(),
            linear.lane.len(),
            linear.warp.len(),
            linear.block.len()
        ),
        Encoding::SwizzledShared(shared) if shared.max_phase <= 1 => {
            format!("shared memory, not swizzled; {}", fastest(&shared.order))
        }
        Encoding::SwizzledShared(shared) => format!(
            "shared memory, {}: vectors of {} elements, {}, {} phases; {}",
            if shared.phase == Phase::Row { "swizzled" } else { "swizzled with rotating phases" },
            shared.vec,
            match shared.per_phase {
                1 => "a phase a row".to_owned(),
                rows => format!("a phase for {rows} rows"),
            },
            shared.max_phase,
            fastest(&shared.order)
        ),
        Encoding::NvmmaShared(shared) => format!(
            "shared memory for NVIDIA matrix instructions, {}, elements of {} bits{}{}",
            match shared.swizzle_bytes {
                0 => "not swizzled".to_owned(),
                bytes => format!("swizzled over {bytes} bytes"),
            },
            shared.element_bits,
            if shared.transposed { ", transposed" } else { "" },
            if shared.fp4_padded { ", every other 8 bytes unused" } else { "" }
        ),
        Encoding::PaddedShared(shared) => {
            let paddings =
                shared.paddings.iter().map(|(interval, padding)| format!("{padding} after every {interval}"));
            format!("shared memory with padding: {} elements", paddings.collect::<Vec<_>>().join(", "))
        }
        Encoding::SharedLinear(_) => "shared memory, linear".to_owned(),
        Encoding::PartitionedShared(shared) => format!(
            "shared memory in {} partitions of {} groups along dim {}, each: {}",
            shared.partitions,
            shared.groups,
            shared.dim,
            words(&shared.piece)
        ),
        Encoding::TensorMemory(memory) => format!(
            "tensor memory, blocks of {}x{}, columns {} apart{}",
            memory.block_m,
            memory.block_n,
            memory.col_stride,
            if memory.two_ctas { ", two blocks together" } else { "" }
        ),
        Encoding::TensorMemoryScales(_) => "tensor memory of scales".to_owned(),
        Encoding::Auto => "still to be chosen".to_owned(),
        newer => newer.to_string(),
    }
}

/// `4x8`
fn by(sizes: &Sizes) -> String {
    sizes.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

fn fastest(order: &Sizes) -> String {
    order.first().map_or_else(|| "no dims".to_owned(), |dim| format!("dim{dim} is the fastest"))
}

fn blocks(bits: usize) -> String {
    match bits {
        0 => String::new(),
        bits => format!("; {} blocks", 1_u64.checked_shl(u32::try_from(bits).unwrap_or(64)).unwrap_or(u64::MAX)),
    }
}
