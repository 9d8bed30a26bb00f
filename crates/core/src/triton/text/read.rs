//! From an attribute to its encoding.
//!
//! What a field is called, and what it is where it is left out, is as in Triton 3.9. What the numbers may be is
//! checked where an encoding becomes a layout.

use std::str::FromStr;

use super::super::{
    AmdMfma, AmdWmma, Blocked, DotOperand, Encoding, Linear, NvidiaMma, NvmmaShared, PaddedShared, PartitionedShared,
    Phase, Repetition, SharedLinear, Sizes, Slice, SwizzledShared, TensorMemory, TensorMemoryScales,
};
use super::fields::Fields;
use super::older::renewed;
use super::walk::Walk;
use crate::error::{Code, Error};
use crate::names::did_you_mean;
use crate::notation::{Attribute, ExprKind, Ints, parse};

/// The attributes that are encodings.
const KINDS: [&str; 17] = [
    "ttg.blocked",
    "ttg.slice",
    "ttg.dot_op",
    "ttg.nvidia_mma",
    "ttg.amd_mfma",
    "ttg.amd_wmma",
    "ttg.linear",
    "ttg.generic_linear",
    "ttg.swizzled_shared",
    "ttg.amd_rotating_shared",
    "ttg.nvmma_shared",
    "ttg.padded_shared",
    "ttg.shared_linear",
    "ttg.partitioned_shared",
    "ttng.tensor_memory_encoding",
    "ttng.tensor_memory_scales_encoding",
    "gluon.auto_encoding",
];

impl FromStr for Encoding {
    type Err = Error;

    /// The encoding of an attribute text.
    ///
    /// # Errors
    /// [`Code::Syntax`] for a text that is no attribute, [`Code::UnknownName`] for an attribute that is no encoding,
    /// [`Code::Parameter`] for a field that is unknown, missing or of the wrong type, [`Code::RankMismatch`] for lists
    /// of different lengths; each with its place in the text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let tree = parse(text, Ints::Plain)?;
        match &tree.kind {
            ExprKind::Attribute(attribute) => Encoding::from_attribute(attribute, &mut Vec::new()),
            _ => {
                let message = "an encoding is an attribute such as #ttg.blocked<{…}>; this is none";
                Err(Error::new(Code::Kind, message).with_span(tree.span))
            }
        }
    }
}

impl Encoding {
    /// The encoding of an attribute that was read. A note says what an older text loses.
    ///
    /// # Errors
    /// As [`Encoding::from_str`], but for the syntax.
    pub fn from_attribute(attribute: &Attribute, notes: &mut Vec<String>) -> Result<Encoding, Error> {
        let read = match renewed(attribute, notes) {
            Ok(Some(newer)) => encoding(&newer, notes),
            Ok(None) => encoding(attribute, notes),
            Err(error) => Err(error),
        };
        read.map_err(|error| error.with_span(attribute.span))
    }
}

fn encoding(attribute: &Attribute, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    let fields = |names| Fields::new(attribute, names);
    match attribute.name.text.as_str() {
        "ttg.blocked" => {
            blocked(&fields(&["sizePerThread", "threadsPerWarp", "warpsPerCTA", "order", "CGALayout"])?, notes)
        }
        "ttg.slice" => {
            let f = Fields::passing(attribute, &["dim", "parent"], notes)?;
            Ok(Encoding::Slice(Slice { dim: f.number("dim")?, parent: nested(&f, "parent", notes)? }))
        }
        "ttg.dot_op" => {
            let f = fields(&["opIdx", "parent", "kWidth"])?;
            let parent = nested(&f, "parent", notes)?;
            let (operand, k_width) = (f.number("opIdx")?, f.number_or("kWidth", 0)?);
            Ok(Encoding::DotOperand(DotOperand { operand, parent, k_width }))
        }
        "ttg.nvidia_mma" => {
            let names = &["versionMajor", "versionMinor", "warpsPerCTA", "instrShape", "CGALayout"];
            nvidia_mma(&Fields::passing(attribute, names, notes)?, notes)
        }
        "ttg.amd_mfma" => {
            let names = &[
                "version",
                "warpsPerCTA",
                "instrShape",
                "isTransposed",
                "tilesPerWarp",
                "elementBitWidth",
                "CGALayout",
            ];
            amd_mfma(&Fields::passing(attribute, names, notes)?, notes)
        }
        "ttg.amd_wmma" => {
            let names = &[
                "version",
                "isTranspose",
                "ctaLayout",
                "warpsPerCTA",
                "tilesPerWarp",
                "instrShape",
                "rank",
                "CGALayout",
            ];
            amd_wmma(&Fields::passing(attribute, names, notes)?, notes)
        }
        "ttg.linear" | "ttg.generic_linear" => {
            let names = &["register", "lane", "warp", "block", "rank"];
            linear(&Fields::passing(attribute, names, notes)?, attribute.name.text == "ttg.generic_linear")
        }
        "ttg.swizzled_shared" => {
            swizzled(&fields(&["vec", "perPhase", "maxPhase", "order", "CGALayout"])?, Phase::Row, notes)
        }
        "ttg.amd_rotating_shared" => {
            swizzled(&fields(&["vec", "perPhase", "maxPhase", "order", "CGALayout"])?, Phase::Rotating, notes)
        }
        "ttg.nvmma_shared" => nvmma_shared(
            &fields(&["swizzlingByteWidth", "transposed", "elementBitWidth", "fp4Padded", "rank", "CGALayout"])?,
            notes,
        ),
        "ttg.padded_shared" => padded(&fields(&["offset", "block", "order", "shape"])?),
        "ttg.shared_linear" => shared_linear(&fields(&["offset", "block", "alignment", "rank"])?),
        "ttg.partitioned_shared" => {
            let f = fields(&["numPartitions", "numGroups", "partitionDim", "partitionLayout"])?;
            Ok(Encoding::PartitionedShared(PartitionedShared {
                partitions: f.number("numPartitions")?,
                groups: f.number("numGroups")?,
                dim: f.number("partitionDim")?,
                piece: nested(&f, "partitionLayout", notes)?,
            }))
        }
        "ttng.tensor_memory_encoding" => {
            let f = fields(&["blockM", "blockN", "colStride", "twoCTAs", "fp4Padded", "CGALayout"])?;
            Ok(Encoding::TensorMemory(TensorMemory {
                block_m: f.number("blockM")?,
                block_n: f.number("blockN")?,
                col_stride: f.number("colStride")?,
                cga: f.cga(2, notes)?,
                two_ctas: f.truth_or("twoCTAs", false)?,
                fp4_padded: f.truth_or("fp4Padded", false)?,
            }))
        }
        "ttng.tensor_memory_scales_encoding" => {
            let f = fields(&["CGALayout", "blockRepOrder"])?;
            let order = match f.word("blockRepOrder")? {
                None | Some("mnThenK") => Repetition::RowsFirst,
                Some("kThenMn") => Repetition::ColumnsFirst,
                Some(_) => return Err(f.unlike("blockRepOrder", "mnThenK or kThenMn")),
            };
            Ok(Encoding::TensorMemoryScales(TensorMemoryScales { cga: f.cga(2, notes)?, order }))
        }
        "gluon.auto_encoding" => fields(&[]).map(|_| Encoding::Auto),
        "gluon.coalesced_encoding" => {
            let message = "a coalesced encoding stands for a layout that is still to be chosen";
            Err(Error::new(Code::NoLayout, message).with_help("write the encoding that was chosen"))
        }
        name => Err(unknown(name).with_span(attribute.name.span)),
    }
}

const ALIAS: &str = "an alias is given by a line before the expression: `#blocked = #ttg.blocked<{…}>`";

fn unknown(name: &str) -> Error {
    let error = error!(Code::UnknownName, "no encoding is called #{name}", [name]);
    // Other dialects have the same names.
    let bare = name.rsplit('.').next().unwrap_or(name);
    let short = |kind: &str| kind.split_once('.').map(|(_, short)| short == bare).unwrap_or(false);
    match KINDS.iter().find(|kind| short(kind)).copied().or_else(|| did_you_mean(name, KINDS)) {
        Some(kind) if name.contains('.') => error.with_help(format!("did you mean #{kind}?")),
        Some(kind) => error.with_help(format!("did you mean #{kind}? {ALIAS}")),
        None if name.contains('.') => error.with_help(format!("the encodings are #{}", KINDS.join(", #"))),
        None => error.with_help(format!("{ALIAS}; the encodings are #{}", KINDS.join(", #"))),
    }
}

fn nested(f: &Fields<'_>, name: &'static str, notes: &mut Vec<String>) -> Result<Box<Encoding>, Error> {
    Encoding::from_attribute(f.attribute(name)?, notes).map(Box::new)
}

fn blocked(f: &Fields<'_>, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    let size_per_thread = f.sizes("sizePerThread")?;
    let rank = size_per_thread.len();
    Ok(Encoding::Blocked(Blocked {
        threads_per_warp: f.sizes("threadsPerWarp")?,
        warps_per_cta: f.sizes("warpsPerCTA")?,
        order: f.sizes("order")?,
        cga: f.cga(rank, notes)?,
        size_per_thread,
    }))
}

fn nvidia_mma(f: &Fields<'_>, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    let warps_per_cta = f.sizes("warpsPerCTA")?;
    Ok(Encoding::NvidiaMma(NvidiaMma {
        version_major: f.number("versionMajor")?,
        version_minor: f.number_or("versionMinor", 0)?,
        instr_shape: f.sizes("instrShape")?,
        cga: f.cga(warps_per_cta.len(), notes)?,
        warps_per_cta,
    }))
}

fn amd_mfma(f: &Fields<'_>, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    let warps_per_cta = f.sizes("warpsPerCTA")?;
    let rank = warps_per_cta.len();
    Ok(Encoding::AmdMfma(AmdMfma {
        version: f.number_or("version", 0)?,
        instr_shape: f.sizes("instrShape")?,
        transposed: f.truth_or("isTransposed", false)?,
        tiles_per_warp: f.sizes_or("tilesPerWarp", || (0..rank).map(|_| 1).collect())?,
        element_bits: f.number_or("elementBitWidth", 32)?,
        cga: f.cga(rank, notes)?,
        warps_per_cta,
    }))
}

fn amd_wmma(f: &Fields<'_>, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    if f.has("warpsPerCTA") {
        return older_wmma(f, notes);
    }
    f.without(&["tilesPerWarp"], "ctaLayout")?;
    let tiles = f.dictionary("ctaLayout", &["register", "warp"])?;
    // Triton leaves the rank out; where there is a basis, it says so.
    let bases = tiles.first_basis("register").or(tiles.first_basis("warp")).or(f.first_basis("CGALayout"));
    let rank = f.rank_or(bases.unwrap_or(2))?;
    Ok(Encoding::AmdWmma(AmdWmma {
        version: f.number("version")?,
        transposed: f.truth_or("isTranspose", false)?,
        warp_bases: tiles.bases_or_none("warp", rank)?,
        register_bases: tiles.bases_or_none("register", rank)?,
        instr_shape: f.sizes_or("instrShape", || Sizes::from_slice(&[16, 16, 16]))?,
        cga: f.cga(rank, notes)?,
        rank,
    }))
}

/// The older form: how many tiles of a warp and how many warps along each dim, the last dim the fastest.
fn older_wmma(f: &Fields<'_>, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    f.without(&["ctaLayout"], "warpsPerCTA")?;
    let warps = f.sizes("warpsPerCTA")?;
    let rank = f.rank_or(warps.len())?;
    let tiles = f.sizes_or("tilesPerWarp", || warps.iter().map(|_| 1).collect())?;
    let order: Sizes = (0..rank).rev().map(|dim| i64::try_from(dim).unwrap_or(i64::MAX)).collect();
    let walk = |shape: &Sizes| Walk { order: order.clone(), shape: shape.clone() }.bases();
    let (Some(register_bases), Some(mut warp_bases)) = (walk(&tiles), walk(&warps)) else {
        return Err(error!(
            Code::Parameter,
            "warpsPerCTA {warps} and tilesPerWarp {tiles} of rank {rank}",
            [warps = text(&warps), tiles = text(&tiles), rank]
        )
        .with_help("they are powers of two, one for each dim"));
    };
    // Warps stand behind the tiles of one warp.
    for basis in &mut warp_bases {
        for (value, tiles) in basis.iter_mut().zip(tiles.iter()) {
            *value = value.checked_mul(*tiles).ok_or_else(|| Error::overflow("a basis of the warps"))?;
        }
    }
    let encoding = AmdWmma {
        version: f.number("version")?,
        transposed: f.truth_or("isTranspose", false)?,
        warp_bases,
        register_bases,
        instr_shape: f.sizes_or("instrShape", || Sizes::from_slice(&[16, 16, 16]))?,
        cga: f.cga(rank, notes)?,
        rank,
    };
    notes.push(format!("warpsPerCTA is the older form of ctaLayout = {{warp = {:?}}}", encoding.warp_bases));
    Ok(Encoding::AmdWmma(encoding))
}

fn linear(f: &Fields<'_>, generic: bool) -> Result<Encoding, Error> {
    let rank = f.rank_of_bases(&["register", "lane", "warp", "block"])?;
    Ok(Encoding::Linear(Linear {
        register: f.bases("register", rank)?,
        lane: f.bases("lane", rank)?,
        warp: f.bases("warp", rank)?,
        block: f.bases("block", rank)?,
        generic,
        rank,
    }))
}

fn swizzled(f: &Fields<'_>, phase: Phase, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    let order = f.sizes("order")?;
    Ok(Encoding::SwizzledShared(SwizzledShared {
        vec: f.number("vec")?,
        per_phase: f.number("perPhase")?,
        max_phase: f.number("maxPhase")?,
        cga: f.cga(order.len(), notes)?,
        order,
        phase,
    }))
}

fn nvmma_shared(f: &Fields<'_>, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    let rank = f.rank_or(f.first_basis("CGALayout").unwrap_or(2))?;
    Ok(Encoding::NvmmaShared(NvmmaShared {
        swizzle_bytes: f.number("swizzlingByteWidth")?,
        transposed: f.truth_or("transposed", false)?,
        element_bits: f.number("elementBitWidth")?,
        fp4_padded: f.truth_or("fp4Padded", false)?,
        cga: f.cga(rank, notes)?,
        rank,
    }))
}

fn padded(f: &Fields<'_>) -> Result<Encoding, Error> {
    let paddings = f.intervals()?;
    if f.has("offset") || f.has("block") {
        let rank = f.rank_of_bases(&["offset", "block"])?;
        let (offset, block) = (f.bases("offset", rank)?, f.bases("block", rank)?);
        f.without(&["order", "shape"], "offset")?;
        return Ok(Encoding::PaddedShared(PaddedShared { paddings, offset, block, rank }));
    }
    let walk = Walk { order: f.sizes("order")?, shape: f.sizes("shape")? };
    let rank = walk.shape.len();
    let offset = walk.bases().ok_or_else(|| {
        error!(
            Code::Parameter,
            "order {order} and shape {shape} walk over no tensor",
            [order = text(&walk.order), shape = text(&walk.shape)]
        )
        .with_help("the order names each dim once, the fastest first; the sizes are powers of two")
    })?;
    Ok(Encoding::PaddedShared(PaddedShared { paddings, offset, block: Vec::new(), rank }))
}

fn shared_linear(f: &Fields<'_>) -> Result<Encoding, Error> {
    let rank = f.rank_of_bases(&["offset", "block"])?;
    Ok(Encoding::SharedLinear(SharedLinear {
        offset: f.bases("offset", rank)?,
        block: f.bases_or_none("block", rank)?,
        alignment: f.number("alignment")?,
        rank,
    }))
}

fn text(sizes: &Sizes) -> String {
    format!("{:?}", sizes.as_ref())
}
