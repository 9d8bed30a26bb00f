//! Encodings with a shape: from their parameters, and again from the attribute text of those.

use bitstride::Error;
use bitstride::triton::{
    AmdMfma, AmdWmma, Blocked, Cga, DotOperand, Encoding, Linear, NvidiaMma, NvmmaShared, PaddedShared,
    PartitionedShared, Phase, Repetition, SharedLinear, Sizes, Slice, SwizzledShared, TensorMemory, TensorMemoryScales,
};
use serde_json::{Map, Value, json};

use super::Answer;
use super::json::{numbers, rows, shown};
use crate::vectors::row::Row;

/// The alignment of shared memory whose encoding asks for none of its own, in bytes.
const ALIGNMENT: i64 = 16;

/// The encoding and the shape that a row asks about.
pub(super) fn asked(fields: &Map<String, Value>) -> Option<(Encoding, Vec<i64>)> {
    let shape = numbers(fields.get("shape")?)?;
    Some((encoding(fields.get("enc")?, shape.len())?, shape))
}

/// Our answer to a row of encodings.
pub(super) fn answer(row: &Row) -> Answer {
    let (encoding, shape) = asked(&row.fields)?;
    let out = row.fields.get("out");
    let said = |encoding: &Encoding| {
        let mut layout = shown(&encoding.to_linear(&shape)?, out);
        if let Some((fields, _)) = layout.as_object_mut().zip(out.and_then(|out| out.get("alignment"))) {
            fields.insert("alignment".to_owned(), json!(alignment(encoding)));
        }
        Ok(layout)
    };
    Some(alike(said, &encoding))
}

/// Our answer to a row of the further shared encodings.
pub(super) fn extra(row: &Row) -> Answer {
    let (encoding, shape) = asked(&row.fields)?;
    let said = |encoding: &Encoding| match encoding {
        Encoding::PaddedShared(padded) => {
            let mut stated = Map::new();
            stated.insert("out".to_owned(), shown(&padded.linear_part(&shape)?, row.fields.get("out")));
            stated.insert("padded_elems".to_owned(), json!(padded.padded_size(&shape)?));
            let offsets = row.fields.get("padded_offsets").and_then(rows).unwrap_or_default();
            let padded = offsets
                .iter()
                .filter_map(|pair| pair.first())
                .map(|offset| Ok(json!([offset, padded.padded_offset(*offset)?])));
            stated.insert("padded_offsets".to_owned(), padded.collect::<Result<Value, Error>>()?);
            Ok(Value::Object(stated))
        }
        other => other.to_linear(&shape).map(|layout| shown(&layout, row.fields.get("out"))),
    };
    Some(alike(said, &encoding))
}

/// What is said of an encoding, when it is said of the one read from its own text too, which is printed alike.
pub(super) fn alike(said: impl Fn(&Encoding) -> Result<Value, Error>, encoding: &Encoding) -> Result<Value, Error> {
    let (text, answer) = (encoding.to_string(), said(encoding));
    let read = text.parse::<Encoding>();
    if let Some(other) = read.as_ref().ok().map(ToString::to_string).filter(|other| *other != text) {
        return Ok(json!({"text": text, "printed again": other}));
    }
    match (read.and_then(|read| said(&read)), &answer) {
        (Ok(again), Ok(answer)) if again == *answer => {}
        (Err(again), Err(error)) if again.code() == error.code() => {}
        (again, _) => return again.map(|again| json!({"from its text": text, "answer": again})),
    }
    answer
}

/// The alignment that an encoding asks of its memory, in bytes.
pub(super) fn alignment(encoding: &Encoding) -> i64 {
    match encoding {
        Encoding::NvmmaShared(nvmma) => nvmma.alignment(),
        Encoding::SharedLinear(linear) => linear.alignment,
        _ => ALIGNMENT,
    }
}

/// An encoding as rows write it, for a tensor of a rank.
pub(super) fn encoding(value: &Value, rank: usize) -> Option<Encoding> {
    let number = |name: &str| value.get(name)?.as_i64();
    let flag = |name: &str| value.get(name)?.as_bool();
    let sizes = |name: &str| numbers(value.get(name)?).map(|sizes| Sizes::from_slice(&sizes));
    let bases = |name: &str| {
        let bases = rows(value.get(name)?)?;
        Some(bases.iter().map(|basis| Sizes::from_slice(basis)).collect::<Vec<_>>())
    };
    let (first, second) = (
        |name: &str| numbers(value.get(name)?)?.first().copied(),
        |name: &str| numbers(value.get(name)?)?.get(1).copied(),
    );
    let own_rank = || usize::try_from(number("rank")?).ok();
    let cga = || bases("cga_layout").map(|bases| Cga { bases });
    let within = |name: &str, rank: usize| encoding(value.get(name)?, rank).map(Box::new);
    let swizzled = |phase: Phase| {
        Some(Encoding::SwizzledShared(SwizzledShared {
            vec: number("vec")?,
            per_phase: number("per_phase")?,
            max_phase: number("max_phase")?,
            order: sizes("order")?,
            cga: cga()?,
            phase,
        }))
    };
    Some(match value.get("kind")?.as_str()? {
        "blocked" => Encoding::Blocked(Blocked {
            size_per_thread: sizes("size_per_thread")?,
            threads_per_warp: sizes("threads_per_warp")?,
            warps_per_cta: sizes("warps_per_cta")?,
            order: sizes("order")?,
            cga: cga()?,
        }),
        "slice" => Encoding::Slice(Slice { dim: number("dim")?, parent: within("parent", rank + 1)? }),
        "dot_op" => Encoding::DotOperand(DotOperand {
            operand: number("operand_index")?,
            k_width: number("k_width")?,
            parent: within("parent", rank)?,
        }),
        "nvidia_mma" => Encoding::NvidiaMma(NvidiaMma {
            version_major: first("version")?,
            version_minor: second("version")?,
            warps_per_cta: sizes("warps_per_cta")?,
            instr_shape: sizes("instr_shape")?,
            cga: cga()?,
        }),
        "amd_mfma" => Encoding::AmdMfma(AmdMfma {
            version: number("version")?,
            warps_per_cta: sizes("warps_per_cta")?,
            instr_shape: sizes("instr_shape")?,
            transposed: flag("transposed")?,
            tiles_per_warp: sizes("tiles_per_warp")?,
            element_bits: number("element_bitwidth")?,
            cga: cga()?,
        }),
        "amd_wmma" => Encoding::AmdWmma(AmdWmma {
            version: number("version")?,
            transposed: flag("transposed")?,
            warp_bases: bases("warp_bases")?,
            register_bases: bases("reg_bases")?,
            instr_shape: sizes("instr_shape")?,
            cga: cga()?,
            rank: own_rank()?,
        }),
        "linear" => Encoding::Linear(Linear {
            register: bases("reg_bases")?,
            lane: bases("lane_bases")?,
            warp: bases("warp_bases")?,
            block: bases("block_bases")?,
            generic: false,
            rank,
        }),
        "swizzled_shared" => swizzled(Phase::Row)?,
        "amd_rotating_shared" => swizzled(Phase::Rotating)?,
        "nvmma_shared" => Encoding::NvmmaShared(NvmmaShared {
            swizzle_bytes: number("swizzle_byte_width")?,
            transposed: flag("transposed")?,
            element_bits: number("element_bitwidth")?,
            fp4_padded: flag("fp4_padded")?,
            rank: own_rank()?,
            cga: cga()?,
        }),
        "shared_linear" => Encoding::SharedLinear(SharedLinear {
            offset: bases("offset_bases")?,
            block: bases("block_bases")?,
            alignment: number("alignment")?,
            rank,
        }),
        "partitioned_shared" => Encoding::PartitionedShared(PartitionedShared {
            partitions: number("num_partitions")?,
            groups: number("num_groups")?,
            dim: number("partition_dim")?,
            piece: within("partition_layout", rank)?,
        }),
        "padded_shared" => {
            let pair = |pair: &Vec<i64>| Some((*pair.first()?, *pair.get(1)?));
            Encoding::PaddedShared(PaddedShared {
                paddings: rows(value.get("interval_padding_pairs")?)?.iter().map(pair).collect::<Option<_>>()?,
                offset: bases("offset_bases")?,
                block: bases("cga_layout")?,
                rank,
            })
        }
        "tensor_memory" => Encoding::TensorMemory(TensorMemory {
            block_m: first("block")?,
            block_n: second("block")?,
            col_stride: number("col_stride")?,
            cga: cga()?,
            two_ctas: flag("two_ctas")?,
            fp4_padded: flag("fp4_padded")?,
        }),
        "tensor_memory_scales" => {
            Encoding::TensorMemoryScales(TensorMemoryScales { cga: cga()?, order: Repetition::default() })
        }
        _ => return None,
    })
}
