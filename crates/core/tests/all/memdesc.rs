//! Types of Triton: memory in buffers, in parts of an allocation and with padding, and tensors that are smaller or larger
//! than their encoding.

use crate::common::{Choices, run};
use bitstride::map::{Direction, Map};
use bitstride::triton::{Encoding, MemDesc, PaddedShared, Sizes};
use bitstride::{Code, Error};
use bitstride_lang::evaluate;

fn said(text: &str) -> String {
    match evaluate(text) {
        Ok(answer) => answer.value.to_string(),
        Err(error) => format!("{}: {}", error.code().as_str(), error.message()),
    }
}

#[track_caller]
fn check(text: &str, wanted: &str) {
    assert_eq!(said(text), wanted, "{text}");
}

/// `!ttg.memdesc<SHAPExf16, #ttg.ENCODING, …>`
fn memory(shape: &str, encoding: &str) -> String {
    format!("!ttg.memdesc<{shape}xf16, #ttg.{encoding}, #ttg.shared_memory, mutable>")
}

const PLAIN: &str = "swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
const NVMMA: &str = "nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>";
const PADDED: &str = "padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>";

#[test]
fn registers_that_leave_the_shape_are_dropped() {
    let columns = "[0,1],[0,2],[0,4],[0,8],[0,16],[0,32],[0,64]";
    let lanes = "lane=[[1,0],[2,0],[4,0],[8,0],[16,0]], warp=[[32,0],[64,0]], block=[]";
    let oversize = |register: &str, shape: &str| {
        format!("tensor<{shape}xf32, #ttg.linear<{{register = [{register}], {}}}>>", lanes.replace('=', " = "))
    };
    let whole = format!("linear<{{register=[{columns}], {lanes}}}, out=[dim0:128, dim1:128]>");
    let large = oversize(&format!("{columns},[128,0]"), "128x128");
    check(&large, &whole);
    check(
        &oversize(&format!("{columns},[128,0]"), "128x1"),
        &format!("linear<{{register=[], {lanes}}}, out=[dim0:128, dim1:1]>"),
    );
    // A zero that is written stays.
    let written = format!("linear<{{register=[[0,0],[0,1]], {lanes}}}, out=[dim0:128, dim1:2]>");
    check(&oversize("[0,0],[0,1],[128,0]", "128x2"), &written);
    let generic = "#ttg.generic_linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]], \
                   warp = [[16, 8], [0, 8]], block = []}>";
    check(
        &format!("tensor<32x1xf32, {generic}>"),
        "linear<{register=[[1,0]], lane=[[2,0],[4,0],[8,0],[0,0],[0,0]], warp=[[16,0],[0,0]], block=[]}, out=[dim0:32, dim1:1]>",
    );
    // So a conversion from the one to the other moves nothing.
    check(&format!("minimal_cvt({}, {large})", oversize(columns, "128x128")), "linear<{}, out=[]>");
}

#[test]
fn operands_have_all_of_k() {
    let blocked = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], \
                   CGALayout = [[0, 1], [1, 0]]}>";
    check(
        &format!("tensor<32x64xi8, #ttg.dot_op<{{opIdx = 0, parent = {blocked}}}>>"),
        "linear<{register=[[0,1],[0,2],[0,4],[0,8],[0,16],[0,32]], lane=[[0,0],[0,0],[0,0],[1,0],[2,0]], \
         warp=[[4,0],[8,0]], block=[[0,0],[16,0]]}, out=[dim0:32, dim1:64]>",
    );
    let eight = "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], instrShape = [8, 8]}>";
    check(
        &format!("tensor<8x4xf64, #ttg.dot_op<{{opIdx = 0, parent = {eight}, kWidth = 1}}>>"),
        "linear<{register=[], lane=[[0,1],[0,2],[1,0],[2,0],[4,0]], warp=[], block=[]}, out=[dim0:8, dim1:4]>",
    );
    let wmma = "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = []}}>";
    check(
        &format!("tensor<16x16xf16, #ttg.dot_op<{{opIdx = 0, parent = {wmma}, kWidth = 8}}>>"),
        "linear<{register=[[0,1],[0,2],[0,4],[0,8]], lane=[[1,0],[2,0],[4,0],[8,0],[0,0]], warp=[], block=[]}, \
         out=[dim0:16, dim1:16]>",
    );
}

#[test]
fn tensor_memory_of_any_width_and_order() {
    let rows = "row=[[1,0],[2,0],[4,0],[8,0],[16,0],[32,0],[64,0]]";
    check(
        "!ttg.memdesc<128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>, #ttng.tensor_memory>",
        &format!("linear<{{{rows}, col=[[0,1],[0,2],[0,4],[0,8],[0,16],[0,32]], block=[]}}, out=[dim0:128, dim1:64]>"),
    );
    let scales = |order: &str| {
        said(&format!(
            "!ttg.memdesc<256x8xf8E4M3FN, #ttng.tensor_memory_scales_encoding<{order}>, #ttng.tensor_memory>"
        ))
    };
    let column = |bases: &str| {
        format!(
            "linear<{{row=[[1,0],[2,0],[4,0],[8,0],[16,0],[0,0],[0,0]], col=[{bases}], block=[]}}, out=[dim0:256, dim1:8]>"
        )
    };
    assert_eq!(scales("blockRepOrder = kThenMn"), column("[0,1],[0,2],[32,0],[64,0],[0,4],[128,0]"));
    assert_eq!(scales("blockRepOrder = mnThenK"), column("[0,1],[0,2],[32,0],[64,0],[128,0],[0,4]"));
    assert_eq!(scales(""), scales("blockRepOrder = mnThenK"));
    for text in [
        "#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>",
        "#ttng.tensor_memory_scales_encoding<CGALayout = [[1, 0]], blockRepOrder = kThenMn>",
        "#ttng.tensor_memory_scales_encoding<>",
    ] {
        check(text, text);
    }
    let short = said("to_linear(#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, (64,64))");
    assert_eq!(short, "parameter: blockM is 128; the shape [64, 64] has 64 rows a block");
}

#[test]
fn texts_that_triton_takes_are_read() {
    let shared = "#ttg.shared_linear<{offset = [[1]], block = [[0]]}, alignment = 4>";
    check(
        &format!("!ttg.memdesc<2xf32, {shared}, #ttg.shared_memory>"),
        "linear<{offset=[[1]], block=[[0]]}, out=[dim0:2]>",
    );
    check(
        "to_linear(#ttg.shared_linear<{offset = [[0, 1], [0, 0], [1, 0]]}, alignment = 16>, (2,2))",
        "linear<{offset=[[0,1],[0,0],[1,0]], block=[]}, out=[dim0:2, dim1:2]>",
    );
    check(
        "to_linear(#ttg.shared_linear<{offset = [[1], [1]]}, alignment = 16>, (2))",
        "not-invertible: 2 bases of rank 1 for the 1 bits of the shape [2]",
    );
    let older =
        evaluate("#ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [2, 4]}>").expect("an encoding");
    let today = "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[0, 1], [0, 2], [1, 0]]}}>";
    assert_eq!((older.value.to_string(), older.notes.len()), (today.to_owned(), 1));
    // What Triton passes over is passed over, and said.
    let passed = evaluate("#ttg.linear<{register = [[1]], lane = [], warp = [], block = [], order = [0]}>");
    let passed = passed.expect("an encoding");
    assert_eq!(passed.value.to_string(), "#ttg.linear<{register = [[1]], lane = [], warp = [], block = []}>");
    assert_eq!(passed.notes, ["#ttg.linear has no field order: Triton passes over it"]);
    check(
        "#ttg.amd_mfma<{warpsPerCTA=[1,1], instrShape=[32,32]}>",
        "#ttg.amd_mfma<{version = 0, warpsPerCTA = [1, 1], instrShape = [32, 32], isTransposed = false}>",
    );
    check(
        "#ttg.blocked<{sizePerThread=[1], threadsPerWarp=[32], warpsPerCTA=[1], order=[0], other=[1]}>",
        "parameter: #ttg.blocked has no field other",
    );
}

#[test]
fn buffers_stand_one_after_the_other() {
    check(&format!("at(inverse({}), (1,3,5))", memory("2x64x32", PLAIN)), "2149");
    check(&format!("at(inverse({}), (1,9,16))", memory("2x64x64", NVMMA)), "4696");
    check(&format!("at(inverse({}), (2,9,16))", memory("3x64x64", NVMMA)), "8792");
    check(&format!("at({}, 8792)", memory("3x64x64", NVMMA)), "(2,9,16)");
    check(&format!("same({}, (3,64,32):(2048,32,1))", memory("3x64x32", PLAIN)), "same");
    check(&format!("convert({}, cute)", memory("3x64x64", NVMMA)), "Sw<3,3,3> o 0 o (3,64,64):(4096,64,1)");
    check(&format!("same({}, (3,64,64):(4608,72,1))", memory("3x64x64", PADDED)), "same");
    // The text of a map reads as the map.
    let text = memory("3x64x64", NVMMA);
    check(&text, &text);
    let four = memory("4x3x64x64", NVMMA);
    assert!(said(&four).starts_with("rank-mismatch"), "{}", said(&four));
}

#[test]
fn a_part_of_an_allocation_lies_where_the_whole_has_it() {
    let tile = memory("64x64", NVMMA);
    let part = format!("subslice({tile}, (0,16), (64,16))");
    check(&format!("at({part}, (9,0))"), "600");
    check(&format!("at({part}, (2,0))"), "128");
    let notes = evaluate(&part).expect("a part").notes;
    assert_eq!(notes, ["base plus constant is wrong first at (2,0): it lies at 128, not at 144 + 16 = 160"]);
    let rows = evaluate(&format!("subslice({tile}, (8,0), (8,64))")).expect("a part").notes;
    assert_eq!(rows, ["base plus constant holds: every element lies 512 after its place at the beginning"]);
    let first = format!("!ttg.memdesc<64x16xf16, #ttg.{NVMMA}, #ttg.shared_memory, mutable, 64x64>");
    check(&format!("same({first}, subslice({tile}, (0,0), (64,16)))"), "same");
    check(&format!("at(inverse({first}), (2,8))"), "152");
    check(&format!("at({first}, 16)"), "padding");
    check(&format!("holes({first})"), "3072");
    // A part is an operand, of a part too.
    check(&format!("same(subslice({part}, (1,0), (8,16)), subslice({tile}, (1,16), (8,16)))"), "same");
    check(&format!("subslice({tile}, (0,60), (64,16))"), "range: 16 elements from 60 on do not lie within dim1:64");
    check(&format!("subslice({tile}, (0), (64))"), "rank-mismatch: 1 offsets and 1 sizes for 2 dims");
    check(
        &format!("subslice({tile}, (0,9223372036854775807), (64,16))"),
        "range: 16 elements from 9223372036854775807 on do not lie within dim1:64",
    );
}

#[test]
fn padding_is_a_layout_for_every_verb() {
    let padded = memory("64x64", PADDED);
    check(&padded, &padded);
    check(&format!("same({padded}, (64,64):(72,1))"), "same");
    check(&format!("convert({padded}, cute)"), "(64,64):(72,1)");
    check(&format!("convert({padded}, strides)"), "tensor((64,64), (72,1))");
    check(&format!("convert({padded}, mixed)"), "(64,64):(72,1)");
    check(&format!("convert({padded}, affine)"), "affine(affine_map<(d0, d1) -> (d0 * 72 + d1)>, (64,64))");
    check(&format!("convert({padded}, triton)"), &format!("#ttg.{PADDED}"));
    check(&format!("holes({padded})"), "504");
    check(&format!("is_bijective({padded})"), "false");
    check(&format!("is_injective({padded})"), "true");
    check(&format!("at({padded}, 73)"), "(1,1)");
    check(&format!("at({padded}, 70)"), "padding");
    check(&format!("at(inverse({padded}), (1,1))"), "73");
    assert!(said(&format!("diff({padded}, (64,64):(73,1))")).starts_with("different: 4032 of 4096 differ"));
    let remap = "padded_shared<[512:+16] {offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0], \
                 [0, 16], [0, 1], [0, 2], [0, 8], [0, 4]], block = []}>";
    let mapped = memory("256x32", remap);
    check(&format!("convert({mapped}, cute)"), "(256,(4,2,2,2)):(1,(528,4224,2112,256))");
    check("convert((256,(4,2,2,2)):(1,(528,4224,2112,256)), triton)", &format!("#ttg.{remap}"));
    // The memory reaches from the first element to the last: 8432 places, 8192 of them elements.
    check(&format!("holes({mapped})"), "240");
    // A layout for another shape is none.
    check(&memory("128x64", PADDED), "parameter: the bases cover a tensor of shape [64, 64], not [128, 64]");
}

#[test]
fn layouts_that_are_padded_have_an_attribute() {
    check("convert((64,64):(72,1), triton)", &format!("#ttg.{PADDED}"));
    check("convert((64,64):(1,72), triton)", "#ttg.padded_shared<[64:+8] {order = [0, 1], shape = [64, 64]}>");
    check(
        "convert((8,(4,4)):(1,(10,44)), triton)",
        "#ttg.padded_shared<[8:+2, 32:+4] {order = [0, 1], shape = [8, 16]}>",
    );
    check(
        "convert(((2,2),(2,2)):((1,6),(2,12)), triton)",
        "#ttg.padded_shared<[4:+2] {offset = [[1, 0], [0, 1], [2, 0], [0, 2]], block = []}>",
    );
    for (text, help) in [
        ("convert((64,8):(1,70), triton)", "nor is it padded: a gap of 6 after every 64 elements is no power of two"),
        ("convert((8,4):(9,1), triton)", "nor is it padded: a gap of 5 after every 4 elements is no power of two"),
        ("convert((4,4):(6,2), triton)", "nor is it padded: 4 elements reach up to 8, but the next stand at 6"),
        ("convert((4,8):(9,1) + 4, triton)", "nor is it padded: the origin leads to 4, not to 0"),
        ("convert((3,8):(10,1), triton)", "nor is it padded: axis dim0 has extent 3, which is no power of two"),
    ] {
        let error = evaluate(text).expect_err(text);
        assert!(
            error.help() == Some(help) || error.message() == help.trim_start_matches("nor is it padded: "),
            "{error}"
        );
    }
}

fn sizes(sizes: &[i64]) -> Sizes {
    Sizes::from_slice(sizes)
}

/// Memory padded in one or two ways, its bits in any order, some of them blocks.
fn padded(choices: &mut Choices) -> (PaddedShared, Vec<i64>) {
    let rank = 1 + choices.below(2);
    let bits: Vec<usize> = (0..rank).map(|_| choices.below(4)).collect();
    let mut left: Vec<Sizes> = Vec::new();
    for (dim, count) in bits.iter().enumerate() {
        left.extend(
            (0..*count).map(|bit| (0..rank).map(|own| if own == dim { 1 << bit } else { 0 }).collect::<Sizes>()),
        );
    }
    let (mut offset, mut block) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let basis = left.remove(choices.below(left.len()));
        if choices.once_in(8) { block.push(basis) } else { offset.push(basis) }
    }
    let mut intervals: Vec<usize> = (0..6).collect();
    let paddings = (0..1 + choices.below(2))
        .map(|_| (1i64 << intervals.remove(choices.below(intervals.len())), 1i64 << choices.below(3)))
        .collect();
    (PaddedShared { paddings, offset, block, rank }, bits.iter().map(|bits| 1 << bits).collect())
}

/// The offset of an element by the definition: each bit of it has one basis.
fn defined(padded: &PaddedShared, element: &[i64]) -> (i64, i64) {
    let number = |bases: &[Sizes]| {
        let is_set = |basis: &Sizes| basis.iter().zip(element).any(|(value, x)| *value != 0 && x & value != 0);
        bases.iter().enumerate().filter(|(_, basis)| is_set(basis)).map(|(bit, _)| 1i64 << bit).sum::<i64>()
    };
    let offset = number(&padded.offset);
    let gaps: i64 = padded.paddings.iter().map(|(interval, gap)| offset / interval * gap).sum();
    (offset + gaps, number(&padded.block))
}

fn points(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |heads, extent| {
        heads.iter().flat_map(|head| (0..*extent).map(move |at| [head.as_slice(), &[at]].concat())).collect()
    })
}

/// A piece of memory is its definition: from every element to its place and back, padding everywhere else.
#[test]
fn memory_is_its_definition() {
    run(1500, |choices| {
        let (padded, inner) = padded(choices);
        let encoding = Encoding::PaddedShared(padded.clone());
        let leading: Vec<i64> = (0..choices.below(2)).map(|_| choices.of(&[2, 3, 1, 5])).collect();
        let allocation = [leading.clone(), inner.clone()].concat();
        let shape: Vec<i64> = allocation
            .iter()
            .map(|size| {
                if choices.once_in(3) { 1 + i64::try_from(choices.below(5)).unwrap_or(0) } else { *size }.min(*size)
            })
            .collect();
        let described = |error: Error| format!("{encoding} of {shape:?} in {allocation:?}: {error:?}");
        let memory = MemDesc::new(encoding.clone(), &shape, Some(&allocation)).map_err(described)?;
        let map = Map::of_memdesc(&memory).map_err(described)?;
        if map.direction() != Direction::ToIndex {
            return Err(format!("{map} does not lead from places"));
        }
        let places: i64 = inner.iter().product::<i64>() >> padded.block.len();
        let stride = places + padded.paddings.iter().map(|(interval, gap)| places / interval * gap).sum::<i64>();
        let back = map.inverse().map_err(described)?;
        let mut held = 0;
        for element in points(&shape) {
            let (offset, block) = defined(&padded, &element[leading.len()..]);
            let place = vec![offset + leading.first().map_or(0, |_| element[0] * stride), block];
            let (there, here) = (back.at(&element).map_err(described)?, map.at(&place).map_err(described)?);
            if there.as_ref() != Some(&place) || here.as_ref() != Some(&element) {
                return Err(format!("{encoding}: {element:?} is at {there:?}, and {place:?} holds {here:?}"));
            }
            held += 1;
        }
        let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        for place in points(&extents) {
            held -= i64::from(map.at(&place).map_err(described)?.is_some());
        }
        if held == 0 { Ok(()) } else { Err(format!("{encoding}: places beyond those of {shape:?} hold something")) }
    });
}

/// What is padded is recognised as the same map, and comes back as its own text.
#[test]
fn padding_is_recognised() {
    run(1500, |choices| {
        let (padded, shape) = padded(choices);
        let encoding = Encoding::PaddedShared(padded.clone());
        let described = |error: Error| format!("{encoding} on {shape:?}: {error:?}");
        let memory = MemDesc::new(encoding.clone(), &shape, None).map_err(described)?;
        let map = Map::of_memdesc(&memory).and_then(|map| map.inverse()).map_err(described)?;
        let again = match map.to_padded_shared() {
            Ok(again) => again,
            // Intervals that no element passes pad nothing.
            Err(error) if error.code() == Code::NotALayout => {
                let places = 1i64 << padded.offset.len();
                let unseen = padded.paddings.iter().all(|(interval, _)| *interval >= places);
                return if unseen { Ok(()) } else { Err(described(error)) };
            }
            Err(error) => return Err(described(error)),
        };
        let (one, other) =
            (memory, MemDesc::new(Encoding::PaddedShared(again.clone()), &shape, None).map_err(described)?);
        let same = Map::of_memdesc(&one).and_then(|one| one.same(&Map::of_memdesc(&other)?)).map_err(described)?;
        let twice = Map::of_memdesc(&other).and_then(|map| map.inverse()?.to_padded_shared()).map_err(described)?;
        match same.holds() && twice == again {
            true => Ok(()),
            false => Err(format!("{encoding} comes back as {}", Encoding::PaddedShared(again))),
        }
    });
}

/// A part lies where the whole has it, and what is said of base plus constant is so.
#[test]
fn parts_and_what_is_said_of_them() {
    run(300, |choices| {
        let mut parameter = || 1i64 << choices.below(4);
        let (vec, per_phase, max_phase) = (parameter(), parameter(), parameter());
        let swizzled =
            format!("swizzled_shared<{{vec={vec}, perPhase={per_phase}, maxPhase={max_phase}, order=[1,0]}}>");
        let whole = memory("16x16", &swizzled);
        let pick = |choices: &mut Choices| {
            let start = i64::try_from(choices.below(16)).unwrap_or(0);
            (start, 1 + i64::try_from(choices.below(16)).unwrap_or(0) % (16 - start))
        };
        let (rows, columns) = (pick(choices), pick(choices));
        let text = format!("subslice({whole}, ({},{}), ({},{}))", rows.0, columns.0, rows.1, columns.1);
        let described = |error: Error| format!("{text}: {error:?}");
        let answer = evaluate(&text).map_err(described)?;
        let all = evaluate(&whole).and_then(|answer| answer.value.as_map()?.from_elements()).map_err(described)?;
        let part = answer.value.as_map().map_err(described)?;
        let offset =
            |map: &Map, at: [i64; 2]| map.at(&at).map_err(described).map(|place| place.map_or(-1, |place| place[0]));
        let constant = offset(&all, [rows.0, columns.0])?;
        let mut wrong = None;
        for at in points(&[rows.1, columns.1]) {
            let (x, y) = (at[0], at[1]);
            let (place, here) = (offset(&part, [x, y])?, offset(&all, [x, y])?);
            if place != offset(&all, [rows.0 + x, columns.0 + y])? {
                return Err(format!("{text} has ({x},{y}) at {place}"));
            }
            if wrong.is_none() && place != here + constant {
                let sum = here + constant;
                wrong =
                    Some(format!("wrong first at ({x},{y}): it lies at {place}, not at {here} + {constant} = {sum}"));
            }
        }
        let wanted =
            wrong.unwrap_or_else(|| format!("holds: every element lies {constant} after its place at the beginning"));
        match answer.notes.last() {
            Some(note) if note.ends_with(&wanted) => Ok(()),
            notes => Err(format!("{text} says {notes:?}, not {wanted}")),
        }
    });
}

#[test]
fn no_number_is_too_large_to_be_refused() {
    let huge = |paddings: Vec<(i64, i64)>, count: i64| {
        let padded = PaddedShared { paddings, offset: vec![sizes(&[1]), sizes(&[2])], block: Vec::new(), rank: 1 };
        let memory = MemDesc::new(Encoding::PaddedShared(padded), &[count, 4], None)?;
        Map::of_memdesc(&memory)
    };
    let code = |made: Result<Map, Error>| made.map(|_| ()).map_err(|error| error.code());
    assert_eq!(code(huge(vec![(1, 1 << 62)], 1)), Err(Code::Overflow));
    assert_eq!(code(huge(vec![(2, 1 << 61)], 3)), Err(Code::Overflow));
    assert_eq!(code(huge(vec![(1, 1)], i64::MAX)), Err(Code::Overflow));
    assert_eq!(code(huge(vec![(2, 1), (2, 1)], 2)), Err(Code::Parameter));
    assert_eq!(code(huge(vec![(i64::MIN, 1)], 2)), Err(Code::SizeNotPowerOfTwo));
    assert_eq!(code(huge(vec![(1 << 62, 1 << 62)], 2)), Ok(()));
}
