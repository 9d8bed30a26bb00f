//! From an encoding to its attribute. Fields that Triton leaves out at their default are left out here.

use std::fmt;

use super::super::{Cga, Encoding, Linear, PaddedShared, Phase, Repetition, Sizes};
use super::walk::Walk;
use crate::notation::{Argument, Attribute, Datum, DatumKind, Name, Span};

/// The attribute text of Triton 3.9, which reads as the same encoding.
///
/// It is what Triton prints, except where Triton cannot read that itself: an `amd_wmma` of another rank than 2 says its
/// rank, and one without warp bases says `warp = []`. A linear encoding without any basis, which Triton has not, says
/// its rank.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", attribute(self))
    }
}

/// A field that is written; `None` where it is left out.
type WrittenField = Option<(Name, Datum)>;

fn attribute(encoding: &Encoding) -> Attribute {
    let mut outside = Vec::new();
    let (name, inside) = match encoding {
        Encoding::Blocked(e) => (
            "ttg.blocked",
            vec![
                sizes("sizePerThread", &e.size_per_thread),
                sizes("threadsPerWarp", &e.threads_per_warp),
                sizes("warpsPerCTA", &e.warps_per_cta),
                sizes("order", &e.order),
                cga(&e.cga),
            ],
        ),
        Encoding::Slice(e) => ("ttg.slice", vec![number("dim", e.dim), nested("parent", &e.parent)]),
        Encoding::DotOperand(e) => (
            "ttg.dot_op",
            vec![
                number("opIdx", e.operand),
                nested("parent", &e.parent),
                number("kWidth", e.k_width).filter(|_| e.k_width != 0),
            ],
        ),
        Encoding::NvidiaMma(e) => (
            "ttg.nvidia_mma",
            vec![
                number("versionMajor", e.version_major),
                number("versionMinor", e.version_minor),
                sizes("warpsPerCTA", &e.warps_per_cta),
                cga(&e.cga),
                sizes("instrShape", &e.instr_shape),
            ],
        ),
        Encoding::AmdMfma(e) => (
            "ttg.amd_mfma",
            vec![
                number("version", e.version),
                sizes("warpsPerCTA", &e.warps_per_cta),
                sizes("instrShape", &e.instr_shape),
                truth("isTransposed", e.transposed),
                cga(&e.cga),
                sizes("tilesPerWarp", &e.tiles_per_warp).filter(|_| e.tiles_per_warp.iter().any(|tiles| *tiles != 1)),
                number("elementBitWidth", e.element_bits).filter(|_| e.element_bits != 32),
            ],
        ),
        Encoding::AmdWmma(e) => {
            let register = bases("register", &e.register_bases).filter(|_| !e.register_bases.is_empty());
            let tiles = dictionary(vec![register, bases("warp", &e.warp_bases)]);
            (
                "ttg.amd_wmma",
                vec![
                    number("version", e.version),
                    truth("isTranspose", e.transposed),
                    field("ctaLayout", tiles),
                    cga(&e.cga),
                    sizes("instrShape", &e.instr_shape).filter(|_| *e.instr_shape != [16, 16, 16]),
                    rank(e.rank).filter(|_| e.rank != 2),
                ],
            )
        }
        Encoding::Linear(e) => linear(e),
        Encoding::SwizzledShared(e) => (
            match e.phase {
                Phase::Row => "ttg.swizzled_shared",
                Phase::Rotating => "ttg.amd_rotating_shared",
            },
            vec![
                number("vec", e.vec),
                number("perPhase", e.per_phase),
                number("maxPhase", e.max_phase),
                sizes("order", &e.order),
                cga(&e.cga),
            ],
        ),
        Encoding::NvmmaShared(e) => (
            "ttg.nvmma_shared",
            vec![
                number("swizzlingByteWidth", e.swizzle_bytes),
                truth("transposed", e.transposed),
                number("elementBitWidth", e.element_bits),
                truth("fp4Padded", true).filter(|_| e.fp4_padded),
                rank(e.rank).filter(|_| e.rank != 2 && e.cga.bases.is_empty()),
                cga(&e.cga),
            ],
        ),
        Encoding::PaddedShared(e) => {
            let interval = |(interval, padding): &(i64, i64)| {
                Datum::from(DatumKind::Interval { interval: *interval, padding: *padding })
            };
            outside.push(unnamed(DatumKind::Array(e.paddings.iter().map(interval).collect())));
            ("ttg.padded_shared", padded(e))
        }
        Encoding::SharedLinear(e) => {
            let alignment = Argument { name: Some("alignment".into()), datum: DatumKind::Integer(e.alignment).into() };
            let empty = e.offset.is_empty() && e.block.is_empty();
            let fields = vec![
                bases("offset", &e.offset),
                bases("block", &e.block).filter(|_| !e.block.is_empty()),
                rank(e.rank).filter(|_| empty),
            ];
            outside.push(unnamed(dictionary(fields)));
            outside.push(alignment);
            ("ttg.shared_linear", Vec::new())
        }
        Encoding::PartitionedShared(e) => (
            "ttg.partitioned_shared",
            vec![
                number("numPartitions", e.partitions),
                number("numGroups", e.groups),
                number("partitionDim", e.dim),
                nested("partitionLayout", &e.piece),
            ],
        ),
        Encoding::TensorMemory(e) => {
            let fields = [
                number("blockM", e.block_m),
                number("blockN", e.block_n),
                number("colStride", e.col_stride),
                cga(&e.cga),
                truth("twoCTAs", true).filter(|_| e.two_ctas),
                truth("fp4Padded", true).filter(|_| e.fp4_padded),
            ];
            return arguments("ttng.tensor_memory_encoding", fields);
        }
        Encoding::TensorMemoryScales(e) => {
            let order = DatumKind::Word("kThenMn".to_owned());
            let order = field("blockRepOrder", order).filter(|_| e.order == Repetition::ColumnsFirst);
            return arguments("ttng.tensor_memory_scales_encoding", [cga(&e.cga), order]);
        }
        Encoding::Auto => return Attribute { name: "gluon.auto_encoding".into(), body: None, span: Span::default() },
    };
    if !inside.is_empty() {
        outside.push(unnamed(dictionary(inside)));
    }
    Attribute { name: name.into(), body: Some(outside), span: Span::default() }
}

/// `#name<a = 1, b = 2>`, without curly brackets.
fn arguments<const N: usize>(name: &str, fields: [WrittenField; N]) -> Attribute {
    let body = fields.into_iter().flatten().map(|(name, datum)| Argument { name: Some(name), datum }).collect();
    Attribute { name: name.into(), body: Some(body), span: Span::default() }
}

fn linear(e: &Linear) -> (&'static str, Vec<WrittenField>) {
    let empty = [&e.register, &e.lane, &e.warp, &e.block].iter().all(|bases| bases.is_empty());
    let fields = vec![
        bases("register", &e.register),
        bases("lane", &e.lane),
        bases("warp", &e.warp),
        bases("block", &e.block),
        rank(e.rank).filter(|_| empty),
    ];
    (if e.generic { "ttg.generic_linear" } else { "ttg.linear" }, fields)
}

/// The order and the shape where the offsets walk over the tensor, else the bases.
fn padded(e: &PaddedShared) -> Vec<WrittenField> {
    let walk = Walk::of(&e.offset, e.rank);
    match walk.bases() {
        Some(offset) if e.block.is_empty() && offset == e.offset => {
            vec![sizes("order", &walk.order), sizes("shape", &walk.shape)]
        }
        _ => vec![bases("offset", &e.offset), bases("block", &e.block)],
    }
}

fn field(name: &str, kind: DatumKind) -> WrittenField {
    Some((name.into(), kind.into()))
}

fn number(name: &str, value: i64) -> WrittenField {
    field(name, DatumKind::Integer(value))
}

fn truth(name: &str, value: bool) -> WrittenField {
    field(name, DatumKind::Bool(value))
}

fn rank(rank: usize) -> WrittenField {
    number("rank", i64::try_from(rank).unwrap_or(i64::MAX))
}

fn sizes(name: &str, values: &Sizes) -> WrittenField {
    field(name, list(values))
}

fn bases(name: &str, bases: &[Sizes]) -> WrittenField {
    field(name, DatumKind::Array(bases.iter().map(|basis| list(basis).into()).collect()))
}

fn cga(cga: &Cga) -> WrittenField {
    bases("CGALayout", &cga.bases).filter(|_| !cga.bases.is_empty())
}

fn nested(name: &str, encoding: &Encoding) -> WrittenField {
    field(name, DatumKind::Attribute(attribute(encoding)))
}

fn list(values: &Sizes) -> DatumKind {
    DatumKind::Array(values.iter().map(|value| DatumKind::Integer(*value).into()).collect())
}

fn dictionary(fields: Vec<WrittenField>) -> DatumKind {
    DatumKind::Dictionary(fields.into_iter().flatten().collect())
}

fn unnamed(kind: DatumKind) -> Argument {
    Argument { name: None, datum: kind.into() }
}
