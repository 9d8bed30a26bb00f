//! Encodings and linear layouts as text: what Triton prints reads and prints the same, other spellings read as the
//! same, any encoding round-trips, and what is wrong is said at its place.

#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use bitstride::notation::{Ints, MAX_DEPTH, MAX_LEAVES, parse};
use bitstride::triton::{
    AmdMfma, AmdWmma, Blocked, Cga, DotOperand, Encoding, Linear, NvidiaMma, NvmmaShared, PaddedShared,
    PartitionedShared, Phase, Repetition, SharedLinear, Sizes, Slice, SwizzledShared, TensorMemory, TensorMemoryScales,
};
use bitstride::{Code, Error};
use bitstride_lang::{Value, evaluate};
use proptest::prelude::*;

/// Printed by Triton 3.9 from the same text.
const TEXTS: &str = "\
#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1], [0, 0]]}>
#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>
#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 4], instrShape = [16, 8]}>, kWidth = 2}>
#ttg.dot_op<{opIdx = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>
#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 128, 16]}>
#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 4], instrShape = [16, 16, 16], isTransposed = true}>
#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 4], instrShape = [16, 16, 16], isTransposed = false, CGALayout = [[1, 0]], tilesPerWarp = [2, 1], elementBitWidth = 64}>
#ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>
#ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {register = [[0, 2]], warp = [[0, 1], [1, 0]]}}>
#ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {warp = [[0, 1]]}, CGALayout = [[1, 0]], instrShape = [16, 16, 32]}>
#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [1, 0]], warp = [[2, 0]], block = []}>
#ttg.generic_linear<{register = [[0, 1]], lane = [[1, 0]], warp = [[1, 1]], block = []}>
#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#ttg.amd_rotating_shared<{vec = 1, perPhase = 2, maxPhase = 2, order = [0, 1], CGALayout = [[0, 1]]}>
#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = true, elementBitWidth = 8, rank = 1}>
#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true, CGALayout = [[0, 1, 0]]}>
#ttg.padded_shared<[32:+2] {order = [1, 0], shape = [8, 8]}>
#ttg.padded_shared<[32:+2, 128:+8] {offset = [[0, 1], [0, 2], [2, 0], [1, 0]], block = []}>
#ttg.padded_shared<[32:+2] {offset = [[0, 1], [0, 2], [1, 0]], block = [[0, 4]]}>
#ttg.shared_linear<{offset = [[0, 1], [1, 1]]}, alignment = 16>
#ttg.shared_linear<{offset = [[0, 1], [1, 1]], block = [[2, 0]]}, alignment = 1024>
#ttg.partitioned_shared<{numPartitions = 4, numGroups = 1, partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0]}>}>
#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, CGALayout = [[1, 0], [0, 1]], twoCTAs = true, fp4Padded = true>
#ttng.tensor_memory_scales_encoding<>
#ttng.tensor_memory_scales_encoding<CGALayout = [[0, 1]]>
#gluon.auto_encoding";

#[test]
fn what_triton_prints_reads_and_prints_the_same() -> Result<(), Error> {
    for text in TEXTS.lines() {
        let encoding: Encoding = text.parse().map_err(|error| panic!("{text}: {error:?}")).unwrap();
        assert_eq!(encoding.to_string(), text);
        let answer = evaluate(text)?;
        assert_eq!((answer.value.kind(), answer.value.to_string().as_str()), ("encoding", text));
        assert_eq!(answer.value.as_encoding()?, encoding);
    }
    Ok(())
}

#[test]
fn other_spellings_read_as_the_same() -> Result<(), Error> {
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 4], instrShape = [16, 8]}>";
    let wmma = "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = []}}>";
    for (spelled, canonical) in [
        ("#ttg.nvidia_mma<{instrShape=[16,8],warpsPerCTA=[2,4],versionMajor=2}>", mma),
        (
            "#ttg.nvidia_mma<{versionMajor = 2 : i32, versionMinor = 0 : i32, warpsPerCTA = [2 : i32, 4], instrShape = [16, 8]}>",
            mma,
        ),
        ("#ttg.amd_wmma<{version = 1, ctaLayout = {}}>", wmma),
        (
            "#ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {warp = [[0, 0, 1]]}}>",
            "#ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {warp = [[0, 0, 1]]}, rank = 3}>",
        ),
        (
            "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = []}, instrShape = [16, 16, 16], rank = 2}>",
            wmma,
        ),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8, rank = 2, CGALayout = [], fp4Padded = false}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>",
        ),
        (
            "#ttg.padded_shared<[32:+2] {offset = [[0, 1], [0, 2], [1, 0]], block = []}>",
            "#ttg.padded_shared<[32:+2] {order = [1, 0], shape = [2, 4]}>",
        ),
        (
            "#ttg.padded_shared<[32:+2] {order = [0, 1], shape = [1, 8]}>",
            "#ttg.padded_shared<[32:+2] {order = [1, 0], shape = [1, 8]}>",
        ),
        (
            "#ttg.shared_linear<{block = [], offset = [[1], [2]]}, alignment = 16>",
            "#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>",
        ),
        ("#gluon.auto_encoding<>", "#gluon.auto_encoding"),
    ] {
        let encoding: Encoding = spelled.parse().map_err(|error| panic!("{spelled}: {error:?}")).unwrap();
        assert_eq!(encoding.to_string(), canonical);
    }
    Ok(())
}

/// The three lists that Triton 3.5 printed; the bits of `CTAOrder`'s first dim come first, those that split before
/// those that repeat.
#[test]
fn the_older_cluster_lists_are_converted_with_a_note() -> Result<(), Error> {
    let blocked = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]";
    let answer = evaluate(&format!("{blocked}, CTAsPerCGA = [2, 4], CTASplitNum = [2, 2], CTAOrder = [1, 0]}}>"))?;
    assert_eq!(answer.value.to_string(), format!("{blocked}, CGALayout = [[0, 1], [0, 0], [1, 0]]}}>"));
    assert_eq!(
        answer.notes,
        ["CTAsPerCGA, CTASplitNum and CTAOrder are the older form of CGALayout = [[0, 1], [0, 0], [1, 0]]"]
    );
    let answer = evaluate(&format!("{blocked}, CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]}}>"))?;
    assert_eq!((answer.value.to_string(), answer.notes), (format!("{blocked}}}>"), Vec::new()));
    let text = format!("{blocked}, CTAsPerCGA = [1, 2], CTASplitNum = [1, 4], CTAOrder = [1, 0]}}>");
    refused(&text, Code::Parameter, "[1, 2]", "a multiple of its parts");
    Ok(())
}

#[track_caller]
fn refused(text: &str, code: Code, at: &str, says: &str) {
    let error = match evaluate(text) {
        Ok(answer) => panic!("{text} is {}", answer.value),
        Err(error) => error,
    };
    assert_eq!(error.code(), code, "{text}: {error:?}");
    let span = error.span().unwrap_or_else(|| panic!("{text}: {error:?} has no place"));
    assert_eq!(span.of(text), at, "{text}: {error:?}");
    assert!(format!("{error:?}").contains(says), "{text}: {error:?}");
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    let parameter = Code::Parameter;
    refused("#ttg.swizzled_shared<{vec = 8, perPhases = 1}>", parameter, "perPhases", "did you mean perPhase?");
    refused("#ttg.swizzled_shared<{vec = 8, vec = 8}>", parameter, "vec", "twice");
    let text = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, order = [1, 0]}>";
    refused(text, parameter, text, "maxPhase of #ttg.swizzled_shared is missing");
    let vec = "#ttg.swizzled_shared<{vec = [8], perPhase = 1, maxPhase = 8, order = [1, 0]}>";
    refused(vec, parameter, "[8]", "an integer");
    refused("#ttg.swizzled_shared<{order = [1, true]}>", parameter, "true", "a list of integers");
    refused("#ttg.slice<{dim = 0, parent = 1}>", parameter, "1", "an encoding");
    let slice = "#ttg.slice<{dim = 0, CGALayout = []}>";
    refused(slice, parameter, slice, "its fields are dim, parent");
    let padded = "#ttg.padded_shared<[4:+1] {order = [0], shape = [8], rank = 1}>";
    refused(padded, parameter, "rank", "#ttg.padded_shared has no field rank");
    refused("#ttg.slice<{dim = 0, parent = #ttg.blokced<{}>}>", Code::UnknownName, "#ttg.blokced", "#ttg.blocked?");
    refused("#blocked", Code::UnknownName, "#blocked", "did you mean #ttg.blocked?");
    refused("#gluon.blocked<{vec = 8}>", Code::UnknownName, "#gluon.blocked", "did you mean #ttg.blocked?");
    refused("#foo1", Code::UnknownName, "#foo1", "alias");
    refused("#gluon.coalesced_encoding", Code::NoLayout, "#gluon.coalesced_encoding", "chosen");
    let ragged = "#ttg.linear<{register = [[0, 1]], lane = [[1]], warp = [], block = []}>";
    refused(ragged, Code::RankMismatch, "[1]", "the rank is 2");
    let cga = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = [[1]]}>";
    refused(cga, Code::RankMismatch, "[1]", "the rank is 2");
    let empty = "#ttg.linear<{register = [], lane = [], warp = [], block = []}>";
    refused(empty, parameter, empty, "nothing says the rank");
    refused(
        "#ttg.padded_shared<{order = [0], shape = [8]}>",
        parameter,
        "#ttg.padded_shared<{order = [0], shape = [8]}>",
        "begins with",
    );
    let both = "#ttg.padded_shared<[4:+1] {offset = [[1]], block = [], order = [0], shape = [8]}>";
    refused(both, parameter, "order", "not both");
    refused("#ttg.padded_shared<[4] {order = [0], shape = [8]}>", parameter, "4", "intervals");
    let shape = "#ttg.padded_shared<[4:+1] {order = [0], shape = [6]}>";
    refused(shape, parameter, shape, "powers of two");
}

#[test]
fn linear_layouts_are_read() -> Result<(), Error> {
    for text in [
        "linear<{register=[[0,1],[0,2]], lane=[[1,0]]}, out=[dim0:2, dim1:4]>",
        "linear<{register=[[0,1],[0,2]], lane=[[1,0]], warp=[]}, out=[dim1:2, dim0:8]>",
        "linear<{}, out=[]>",
        "linear<{x=[[],[]]}, out=[]>",
        "linear<{o=[[1]], o1=[]}, out=[o:2]>",
    ] {
        let answer = evaluate(text)?;
        assert_eq!((answer.value.kind(), answer.value.to_string().as_str()), ("linear", text));
        assert_eq!(parse(text, Ints::Plain)?.to_string(), text);
        assert_eq!(evaluate(&answer.value.to_string())?, answer);
    }
    let inferred = evaluate("linear<{register=[1,2], lane=[4]}>")?.value;
    assert_eq!(inferred.to_string(), "linear<{register=[[1],[2]], lane=[[4]]}, out=[dim0:8]>");
    assert!(matches!(inferred, Value::Linear(_)) && inferred.as_linear().is_ok());
    Ok(())
}

#[test]
fn linear_layouts_are_refused_at_their_place() {
    let text = "linear<{lane=[[4]]}>";
    refused(text, Code::SizesRequired, text, "out=[dim0:2, dim1:4]");
    refused("linear<{lane=[]}>", Code::SizesRequired, "linear<{lane=[]}>", "no basis");
    refused("linear<{lane=[[1],[4]]}, out=[dim0:4]>", Code::BasisNotBelowOutSize, "[4]", "size is 4");
    refused("linear<{lane=[1,-1]}, out=[dim0:4]>", Code::NegativeBasis, "-1", "-1");
    refused("linear<{lane=[[1],[2,1]]}, out=[dim0:4]>", Code::BasisRankMismatch, "[2,1]", "2 values for 1");
    refused("linear<{lane=[]}, out=[dim0:3]>", Code::SizeNotPowerOfTwo, "dim0", "size 3");
    let long = "linear<{lane_with_a_long_name=[]}, out=[]>";
    refused(long, Code::Range, "lane_with_a_long_name", "16");
    let twice = "linear<{lane=[], lane=[]}, out=[]>";
    refused(twice, Code::DimNamesMismatch, twice, "twice");
}

#[test]
fn texts_that_are_no_attributes() {
    let (token, end) = (Code::Syntax("unexpected-token"), Code::Syntax("unexpected-end"));
    refused("#", token, "#", "an attribute");
    refused("#1", token, "#1", "an attribute");
    refused("#ttg.blocked<{order = }>", token, "}", "an integer, a word");
    refused("#ttg.blocked<{order = [1,}>", Code::Syntax("unbalanced"), "}", "an integer, a word");
    refused("#ttg.blocked<{order : 1}>", token, ":", "`=`");
    refused("#ttg.blocked<{order = 1", Code::Syntax("unbalanced"), "{", "never closed");
    refused("#ttg.padded_shared<[512:16]>", token, "16", "`+`");
    refused("#ttg.padded_shared<[512:+", end, "", "padding");
    refused("tensor<128 x 64xf16>", token, "x", "128x64xf16");
    refused("tensor<4f16>", token, "4f16", "`x`");
    refused("tensor<128x64>", token, ">", "the type of an element");
    refused("tensor<?xf16>", token, "?", "a size");
    refused("tensor<99999999999999999999xf16>", Code::Syntax("integer-too-large"), "99999999999999999999", "range");
    refused("tensor<4xf16, 7>", token, "7", "an attribute");
    refused("!tt.ptr<f16>", token, "!tt.ptr", "tensor<");
    refused("linear<[1]>", token, "[", "`{`");
    refused("linear<{lane}>", token, "}", "`=`");
    refused("linear<{lane=1}>", token, "1", "`[`");
    refused("linear<{lane=[1]}, in=[]>", token, "in", "`out`");
    refused("#a<\"open>", token, "\"", "an integer, a word");
}

#[test]
fn shaped_types_keep_their_parts() -> Result<(), Error> {
    for text in [
        "tensor<128x64xf16>",
        "tensor<f16>",
        "tensor<128x!tt.ptr<f16>, #blocked>",
        "tensor<!tt.ptr<f16, 3>>",
        "!ttg.memdesc<3x128x64xbf16, #ttg.shared<{a = \"b\\\"c\"}>, #smem, mutable, 6x3x128x64>",
        "tensor<8xindex, #a<{b = -1, c = [d, {e = 1}], f = #g}>>",
    ] {
        assert_eq!(parse(text, Ints::Plain)?.to_string(), text);
    }
    refused("tensor<128x64xf16>", Code::NoLayout, "tensor<128x64xf16>", "write the encoding");
    Ok(())
}

#[test]
fn shaped_types_are_layouts() -> Result<(), Error> {
    let blocked = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [4], warpsPerCTA = [1], order = [0]}>";
    let answer = evaluate(&format!("tensor<8xf16, {blocked}>"))?;
    let text = "linear<{register=[[1]], lane=[[2],[4]], warp=[], block=[]}, out=[dim0:8]>";
    assert_eq!(answer.value.to_string(), text);
    let plain = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>";
    let answer = evaluate(&format!("!ttg.memdesc<8xf16, {plain}, #smem, mutable, 3x8>"))?;
    assert_eq!(answer.value.to_string(), "linear<{offset=[[1],[2],[4]], block=[]}, out=[dim0:8]>");
    assert_eq!(answer.notes, ["one of 3 buffers"]);
    let part = format!("!ttg.memdesc<4xf16, {plain}, #smem, mutable, 3x8>");
    let answer = evaluate(&part)?;
    assert_eq!((answer.value.kind(), answer.value.to_string()), ("map", part));
    assert_eq!(answer.notes, ["one of 3 buffers", "the first part of an allocation of [8]"]);
    refused(&format!("tensor<6xf16, {blocked}>"), Code::SizeNotPowerOfTwo, blocked, "6");
    Ok(())
}

#[test]
fn nesting_and_length_are_limited() -> Result<(), Error> {
    let slices =
        |depth: usize| "#ttg.slice<{dim = 0, parent = ".repeat(depth) + "#gluon.auto_encoding" + &"}>".repeat(depth);
    let deep = slices(MAX_DEPTH / 2);
    assert_eq!(evaluate(&deep)?.value.to_string(), deep);
    let deeper = slices(MAX_DEPTH / 2 + 1);
    assert_eq!(parse(&deeper, Ints::Plain).map_err(|error| error.code), Err("too-deep"));
    let long = format!("linear<{{lane=[{}0]}}>", "0,".repeat(MAX_LEAVES));
    assert_eq!(parse(&long, Ints::Plain).map_err(|error| error.code), Err("too-long"));
    let wide = format!("#a<{}0>", "[],".repeat(MAX_LEAVES));
    assert_eq!(parse(&wide, Ints::Plain).map_err(|error| error.code), Err("too-long"));
    Ok(())
}

#[test]
fn an_encoding_alone_is_no_layout() {
    let text = "size(#gluon.auto_encoding)";
    refused(text, Code::NeedsShape, text, "tensor<128x64xf16, ATTR>");
}

fn sizes(rank: usize) -> BoxedStrategy<Sizes> {
    proptest::collection::vec(0..9i64, rank).prop_map(|values| Sizes::from_slice(&values)).boxed()
}

fn bases(rank: usize) -> BoxedStrategy<Vec<Sizes>> {
    let value = prop_oneof![Just(0i64), Just(1), Just(2), Just(4), 0..99i64];
    let basis = proptest::collection::vec(value, rank).prop_map(|values| Sizes::from_slice(&values));
    proptest::collection::vec(basis, 0..4).boxed()
}

fn cga(rank: usize) -> BoxedStrategy<Cga> {
    bases(rank).prop_map(|bases| Cga { bases }).boxed()
}

fn tiles(rank: usize) -> BoxedStrategy<Sizes> {
    prop_oneof![Just((0..rank).map(|_| 1).collect::<Sizes>()), sizes(rank)].boxed()
}

fn distributed(rank: usize) -> BoxedStrategy<Encoding> {
    let shape = || prop_oneof![Just(Sizes::from_slice(&[16, 16, 16])), sizes(3)];
    let s = move || sizes(rank);
    prop_oneof![
        (s(), s(), s(), s(), cga(rank)).prop_map(|(a, b, c, d, cga)| Encoding::Blocked(Blocked {
            size_per_thread: a,
            threads_per_warp: b,
            warps_per_cta: c,
            order: d,
            cga
        })),
        (0..9i64, 0..9i64, s(), shape(), cga(rank)).prop_map(|(a, b, c, d, cga)| Encoding::NvidiaMma(NvidiaMma {
            version_major: a,
            version_minor: b,
            warps_per_cta: c,
            instr_shape: d,
            cga
        })),
        (0..5i64, s(), shape(), any::<bool>(), tiles(rank), prop_oneof![Just(32i64), Just(64)], cga(rank)).prop_map(
            |(version, warps_per_cta, instr_shape, transposed, tiles_per_warp, element_bits, cga)| {
                Encoding::AmdMfma(AmdMfma {
                    version,
                    warps_per_cta,
                    instr_shape,
                    transposed,
                    tiles_per_warp,
                    element_bits,
                    cga,
                })
            }
        ),
        (0..5i64, any::<bool>(), bases(rank), bases(rank), shape(), cga(rank)).prop_map(
            move |(version, transposed, warp_bases, register_bases, instr_shape, cga)| {
                Encoding::AmdWmma(AmdWmma { version, transposed, warp_bases, register_bases, instr_shape, cga, rank })
            }
        ),
        (bases(rank), bases(rank), bases(rank), bases(rank), any::<bool>()).prop_map(
            move |(register, lane, warp, block, generic)| {
                Encoding::Linear(Linear { register, lane, warp, block, generic, rank })
            }
        ),
    ]
    .boxed()
}

fn shared(rank: usize) -> BoxedStrategy<Encoding> {
    let n = || -9..999i64;
    prop_oneof![
        (n(), n(), n(), sizes(rank), cga(rank), any::<bool>()).prop_map(
            |(vec, per_phase, max_phase, order, cga, row)| {
                let phase = if row { Phase::Row } else { Phase::Rotating };
                Encoding::SwizzledShared(SwizzledShared { vec, per_phase, max_phase, order, cga, phase })
            }
        ),
        (n(), any::<bool>(), n(), any::<bool>(), cga(rank)).prop_map(
            move |(swizzle_bytes, transposed, element_bits, fp4_padded, cga)| {
                Encoding::NvmmaShared(NvmmaShared { swizzle_bytes, transposed, element_bits, fp4_padded, rank, cga })
            }
        ),
        (proptest::collection::vec((0..999i64, 0..99i64), 0..3), bases(rank), bases(rank)).prop_map(
            move |(paddings, offset, block)| { Encoding::PaddedShared(PaddedShared { paddings, offset, block, rank }) }
        ),
        (bases(rank), bases(rank), n()).prop_map(move |(offset, block, alignment)| {
            Encoding::SharedLinear(SharedLinear { offset, block, alignment, rank })
        }),
    ]
    .boxed()
}

fn encodings() -> BoxedStrategy<Encoding> {
    let leaf = (1..4usize).prop_flat_map(|rank| prop_oneof![distributed(rank), shared(rank)]).boxed();
    let memory = (0..999i64, 0..999i64, 0..9i64, cga(2), any::<bool>(), any::<bool>()).prop_map(
        |(block_m, block_n, col_stride, cga, two_ctas, fp4_padded)| {
            Encoding::TensorMemory(TensorMemory { block_m, block_n, col_stride, cga, two_ctas, fp4_padded })
        },
    );
    let scales = (cga(2), prop_oneof![Just(Repetition::RowsFirst), Just(Repetition::ColumnsFirst)])
        .prop_map(|(cga, order)| Encoding::TensorMemoryScales(TensorMemoryScales { cga, order }));
    let leaf = prop_oneof![8 => leaf, 1 => memory, 1 => scales, 1 => Just(Encoding::Auto)];
    leaf.prop_recursive(3, 8, 1, |inner| {
        prop_oneof![
            (0..4i64, inner.clone()).prop_map(|(dim, e)| Encoding::Slice(Slice { dim, parent: Box::new(e) })),
            (0..2i64, inner.clone(), 0..9i64).prop_map(|(operand, e, k_width)| {
                Encoding::DotOperand(DotOperand { operand, parent: Box::new(e), k_width })
            }),
            (0..9i64, 0..9i64, 0..4i64, inner).prop_map(|(partitions, groups, dim, e)| {
                Encoding::PartitionedShared(PartitionedShared { partitions, groups, dim, piece: Box::new(e) })
            }),
        ]
    })
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_encoding_round_trips(encoding in encodings()) {
        let text = encoding.to_string();
        let read: Result<Encoding, Error> = text.parse();
        prop_assert_eq!(read, Ok(encoding), "{}", text);
        prop_assert_eq!(parse(&text, Ints::Plain).map(|tree| tree.to_string()), Ok(text));
    }
}
