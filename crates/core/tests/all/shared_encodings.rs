//! Encodings in memory against their formulas, and against odd parameters.

use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};
use bitstride::triton::{
    Cga, CopiedOperand, Encoding, NvmmaShared, PaddedShared, Phase, Repetition, Sizes, SwizzledShared, TensorMemory,
    TensorMemoryLoad, TensorMemoryScales, mfma_scale, wmma_scale,
};
use bitstride_lang::evaluate;
use proptest::prelude::*;

fn sizes(sizes: &[i64]) -> Sizes {
    Sizes::from_slice(sizes)
}

/// The element at an offset, `dim0` first.
fn at(layout: &LinearLayout, offset: i64) -> Result<Vec<i64>, Error> {
    let place: Vec<(Name, i64)> =
        layout.ins().iter().map(|dim| (dim.name, if dim.name == Name::OFFSET { offset } else { 0 })).collect();
    Ok(layout.apply(&place)?.into_iter().map(|(_, value)| value).collect())
}

#[test]
fn a_swizzle_is_its_formula() -> Result<(), Error> {
    for phase in [Phase::Row, Phase::Rotating] {
        for (vec, per_phase, max_phase) in
            itertools([1, 2, 4], [1, 2, 4], [1, 2, 8]).filter(|(vec, _, phases)| vec * phases <= 16)
        {
            let shared =
                SwizzledShared { vec, per_phase, max_phase, order: sizes(&[1, 0]), cga: Cga::default(), phase };
            let layout = shared.to_linear(&[32, 16])?;
            assert!(layout.is_invertible());
            for offset in 0..512 {
                let (row, column) = shared.element(offset, 16)?;
                assert_eq!(at(&layout, offset)?, [row, column], "{shared:?} at {offset}");
                assert_eq!(shared.offset(row, column, 16)?, offset, "{shared:?}");
            }
        }
    }
    Ok(())
}

fn itertools(a: [i64; 3], b: [i64; 3], c: [i64; 3]) -> impl Iterator<Item = (i64, i64, i64)> {
    a.into_iter().flat_map(move |a| b.into_iter().flat_map(move |b| c.into_iter().map(move |c| (a, b, c))))
}

#[test]
fn an_nvmma_tile_is_its_formula() -> Result<(), Error> {
    for (bytes, bits) in [(32, 8), (32, 16), (32, 32), (64, 16), (64, 64), (128, 8), (128, 16), (128, 32)] {
        let (inner, vector) = (bytes * 8 / bits, 128 / bits);
        for transposed in [false, true] {
            let shared = NvmmaShared {
                swizzle_bytes: bytes,
                transposed,
                element_bits: bits,
                fp4_padded: false,
                rank: 2,
                cga: Cga::default(),
            };
            let shape = if transposed { [2 * inner, 16] } else { [16, 2 * inner] };
            let layout = shared.to_linear(&shape)?;
            assert!(layout.is_invertible());
            for offset in 0..32 * inner {
                let (tile, within) = (offset / (16 * inner), offset % (16 * inner));
                let (row, column) = (within / inner, within % inner);
                let phase = (row / (128 / bytes)) % (bytes / 16);
                let column = ((column / vector) ^ phase) * vector + column % vector + tile * inner;
                let element = if transposed { [column, row] } else { [row, column] };
                assert_eq!(at(&layout, offset)?, element, "{shared:?} at {offset}");
            }
        }
    }
    Ok(())
}

#[test]
fn padding_counts_the_gaps_passed() -> Result<(), Error> {
    let padded = PaddedShared {
        paddings: vec![(4, 2), (16, 1)],
        offset: (0..6).map(|bit| sizes(&[1 << bit])).collect(),
        block: Vec::new(),
        rank: 1,
    };
    let mut place = 0;
    for offset in 0..64 {
        // Every interval that ends before this element leaves its gap.
        if offset > 0 {
            place += 1 + if offset % 4 == 0 { 2 } else { 0 } + if offset % 16 == 0 { 1 } else { 0 };
        }
        assert_eq!(padded.padded_offset(offset)?, place);
    }
    assert_eq!(padded.padded_size(&[64])?, place + 1);
    assert!(padded.linear_part(&[64])?.is_invertible());
    assert_eq!(padded.to_linear(&[64]).map_err(|error| error.code().as_str()), Err("padded-has-no-linear-layout"));
    Ok(())
}

#[test]
fn tensor_memory_holds_every_element_once() -> Result<(), Error> {
    for (m, n, shape) in [(128, 64, [256, 128]), (128, 8, [128, 8]), (64, 32, [128, 64]), (64, 64, [64, 128])] {
        let memory = TensorMemory {
            block_m: m,
            block_n: n,
            col_stride: 1,
            cga: Cga::default(),
            two_ctas: false,
            fp4_padded: false,
        };
        assert!(memory.to_linear(&shape)?.is_invertible(), "{memory:?} {shape:?}");
    }
    let scales = TensorMemoryScales { cga: Cga::default(), order: Repetition::RowsFirst }.to_linear(&[64, 8])?;
    assert!(scales.is_surjective());
    assert_eq!(scales.in_bits() - scales.rank(), 2);
    Ok(())
}

/// Parameters that Triton's verifier refuses.
#[test]
fn memory_has_parameters_that_exist() {
    let tensor = |rest: &str| format!("to_linear(#ttng.tensor_memory_encoding<{rest}>, (256,256))");
    let partitioned = |count: i64| {
        format!(
            "to_linear(#ttg.partitioned_shared<{{numPartitions = {count}, numGroups = 2, partitionDim = 0, partitionLayout = \
             #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}}>}}>, (16,16))"
        )
    };
    for (text, says) in [
        (tensor("blockM = 64, blockN = 64, colStride = 2, fp4Padded = true"), "fp4Padded"),
        (tensor("blockM = 64, blockN = 64, colStride = 8"), "colStride is 8"),
        (tensor("blockM = 64, blockN = 1024, colStride = 1"), "blockN is 1024"),
        (tensor("blockM = 64, blockN = 64, colStride = 1, twoCTAs = true"), "[1, 0]"),
        (tensor("blockM = 64, blockN = 64, colStride = 1, twoCTAs = true, CGALayout = [[0, 1]]"), "[1, 0]"),
        (tensor("blockM = 64, blockN = 64, colStride = 1, twoCTAs = true, CGALayout = [[0, 1], [1, 0]]"), "[1, 0]"),
        (partitioned(1), "numPartitions is 1"),
        (partitioned(3), "numPartitions is 3"),
    ] {
        let refused = evaluate(&text).map(|answer| answer.value.to_string());
        assert!(refused.as_ref().is_err_and(|error| error.message().contains(says)), "{text}: {refused:?}");
    }
    for text in [
        tensor("blockM = 64, blockN = 64, colStride = 4"),
        tensor("blockM = 64, blockN = 64, colStride = 1, fp4Padded = true"),
        tensor(
            "blockM = 64, blockN = 64, colStride = 1, CGALayout = [[1, 0], [0, 1]], twoCTAs = true, fp4Padded = true",
        ),
        partitioned(2),
    ] {
        assert!(evaluate(&text).is_ok(), "{text}");
    }
}

#[test]
fn loads_and_scales_cover() -> Result<(), Error> {
    for name in ["32x32b", "16x64b", "16x128b", "16x256b"] {
        let load = TensorMemoryLoad::named(name)?;
        for (rows, warps, bits) in [(64, 4, 32), (64, 8, 16), (128, 4, 16), (128, 8, 32)] {
            let layout = load.registers(&[rows, 64], warps, bits)?;
            assert!(layout.is_some_and(|layout| layout.is_invertible()), "{name} {rows} {warps} {bits}");
        }
    }
    let (ones, twos) = (sizes(&[1, 1]), sizes(&[2, 2]));
    for operand in [0, 1] {
        assert!(mfma_scale(operand, &[128, 8], 16, &twos, &twos)?.is_surjective());
        assert!(mfma_scale(operand, &[64, 4], 32, &ones, &twos)?.is_surjective());
        assert!(wmma_scale(operand, &[128, 8], 16, &[sizes(&[0, 1]), sizes(&[1, 0])])?.is_surjective());
    }
    Ok(())
}

#[test]
fn chosen_padding_is_a_permutation_of_the_elements() -> Result<(), Error> {
    let mut chosen = 0;
    for (operand, k_width, across) in itertools([0, 1, 1], [4, 8, 16], [16, 32, 32]) {
        for (k_contiguous, element_bits) in [(true, 8), (true, 16), (false, 8), (false, 16)] {
            let copied = CopiedOperand { operand, k_width, across, k_contiguous, element_bits };
            for shape in [[64, 128], [128, 64], [32, 64], [256, 64], [16, 2048]] {
                if let Some(padded) = copied.padding(&shape)? {
                    assert!(padded.linear_part(&shape)?.is_invertible(), "{copied:?} {shape:?}");
                    chosen += 1;
                }
            }
        }
    }
    assert!(chosen > 100, "{chosen}");
    Ok(())
}

/// Memory of any family in Triton's notation: the same layout, and its own text again.
#[test]
fn memory_is_one_attribute() -> Result<(), Error> {
    let swizzled = "swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>";
    let rotating = "amd_rotating_shared<{vec=2, perPhase=1, maxPhase=16, order=[1,0]}>";
    let clustered = "swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[0,1], CGALayout=[[0,1]]}>";
    let nvmma = "nvmma_shared<{swizzlingByteWidth=64, transposed=true, elementBitWidth=16}>";
    let tile = |encoding: &str| format!("!ttg.memdesc<32x64xf16, #ttg.{encoding}, #ttg.shared_memory>");
    for (text, shape) in [
        (tile(swizzled).as_str(), "(32,64)"),
        (&tile(rotating), "(32,64)"),
        (&tile(clustered), "(32,64)"),
        (&tile(nvmma), "(32,64)"),
        (&tile("shared_linear<{offset=[[0,1],[1,1]]}, alignment=16>").replace("32x64", "2x2"), "(2,2)"),
        ("linear<{block=[[0,1]], offset=[[1,1]]}, out=[dim1:2, dim0:2]>", "(2,2)"),
        ("Sw<3,3,3> o 0 o (64,64):(64,1)", "(64,64)"),
        ("((32,4),4):((16,4),1)", "(128,4)"),
        ("(4,1,2):(2,0,1)", "(4,1,2)"),
        ("(1,1):(0,0)", "(1,1)"),
        ("bf16[16,256]{1,0:T(8,128)(2,1)}", "(16,256)"),
        ("tag(aB4b, (8,16))", "(8,16)"),
    ] {
        let attribute = evaluate(&format!("convert({text}, triton)"))?;
        let notes = [format!("the layout of a tensor of shape {shape}"), "no alignment is given: 16 bytes".into()];
        assert_eq!(attribute.notes, notes, "{text}");
        let back = format!("to_linear({}, {shape})", attribute.value);
        assert_eq!(evaluate(&format!("same({text}, {back})"))?.value.to_string(), "same", "{text} as {back}");
        assert_eq!(evaluate(&format!("convert({back}, triton)"))?.value, attribute.value, "{text}");
    }
    Ok(())
}

#[test]
fn memory_that_is_no_attribute_is_refused() {
    for (text, wanted) in [
        (
            "(64,8):(1,70)",
            "carry: dim0 = 2 leads to 2 and dim1 = 1 to 70, both to 72: adding bits 0b10 carries, the xor is 68",
        ),
        ("(4,8):(32,1)", "not-a-layout: axis offset has extent 104, which is no power of two"),
        ("(4,8):(0,1)", "no-inverse: (0,0) and (1,0) both lead to 0"),
        ("(4,8):(8,1) + 4", "not-a-layout: the origin leads to 4; linear maps send 0 to 0"),
        ("f32[3,5]{1,0:T(2,2)}", "not-a-layout: axis dim0 has extent 3, which is no power of two"),
        (
            "bytes((4,8):(8,1), 16)",
            "kind: the offsets of dim0:4, dim1:8 -> offset:64 count a byte each, those of an encoding an element",
        ),
        (
            "linear<{offset=[[1],[1]]}, out=[dim0:2]>",
            "not-invertible: 2 bases of rank 1 for the 1 bits of the shape [2]",
        ),
        (
            "linear<{offset=[[1]], lane=[[2]]}, out=[dim0:4]>",
            "dim-names-mismatch: this encoding leads from offset, block, not from lane",
        ),
        ("linear<{offset=[[1]]}, out=[x:2]>", "dim-names-mismatch: (dim0) does not name each of (x) once"),
    ] {
        let said = match evaluate(&format!("convert({text}, triton)")) {
            Ok(answer) => answer.value.to_string(),
            Err(error) => format!("{}: {}", error.code().as_str(), error.message()),
        };
        assert_eq!(said, wanted, "{text}");
    }
}

/// Sizes that mostly make sense, and some that never do.
fn size() -> impl Strategy<Value = i64> {
    prop_oneof![4 => (0u32..8).prop_map(|bits| 1i64 << bits), 1 => prop_oneof![Just(0), Just(-1), Just(3), Just(i64::MAX), Just(i64::MIN), Just(1 << 62)]]
}

proptest! {
    #[test]
    fn odd_parameters_are_refused_or_covered(
        shape in prop::collection::vec(size(), 0..5),
        order in prop::collection::vec(-1i64..4, 0..4),
        numbers in prop::collection::vec(size(), 4),
        bases in prop::collection::vec(prop::collection::vec(-1i64..4, 0..4), 0..3),
        flags in (any::<bool>(), any::<bool>()),
    ) {
        let cga = Cga { bases: bases.iter().map(|basis| sizes(basis)).collect() };
        let rank = shape.len();
        let encodings = [
            Encoding::SwizzledShared(SwizzledShared {
                vec: numbers[0], per_phase: numbers[1], max_phase: numbers[2], order: sizes(&order), cga: cga.clone(),
                phase: if flags.0 { Phase::Row } else { Phase::Rotating },
            }),
            Encoding::NvmmaShared(NvmmaShared {
                swizzle_bytes: numbers[0], transposed: flags.0, element_bits: numbers[1], fp4_padded: flags.1, rank,
                cga: cga.clone(),
            }),
            Encoding::TensorMemory(TensorMemory {
                block_m: numbers[0], block_n: numbers[1], col_stride: numbers[2], cga: cga.clone(),
                two_ctas: flags.0, fp4_padded: flags.1,
            }),
            Encoding::TensorMemoryScales(TensorMemoryScales {
                cga,
                order: if flags.0 { Repetition::RowsFirst } else { Repetition::ColumnsFirst },
            }),
        ];
        for encoding in encodings {
            if let Ok(layout) = encoding.to_linear(&shape) {
                prop_assert_eq!(layout.outs().len(), rank);
            }
        }
        let padded = PaddedShared {
            paddings: vec![(numbers[0], numbers[1])], offset: bases.iter().map(|basis| sizes(basis)).collect(),
            block: Vec::new(), rank,
        };
        let _ = (padded.linear_part(&shape), padded.padded_size(&shape), padded.padded_offset(numbers[3]));
        let copied = CopiedOperand {
            operand: numbers[0], k_width: numbers[1], across: numbers[2], k_contiguous: flags.0, element_bits: numbers[3],
        };
        let _ = copied.padding(&shape);
        let _ = TensorMemoryLoad::Words2.registers(&shape, numbers[0], numbers[1]);
        let _ = mfma_scale(numbers[0], &shape, numbers[1], &sizes(&order), &sizes(&order));
        let _ = wmma_scale(numbers[0], &shape, numbers[1], &[sizes(&order)]);
    }
}
