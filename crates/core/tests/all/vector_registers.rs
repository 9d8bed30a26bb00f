//! Values in vector registers: each slot holds what the definition writes there, and whole registers are memory in tiles.

use bitstride::map::{Comparison, Direction, Map, Order};
use bitstride::xla::mosaic::VectorLayout;
use bitstride::xla::{Array, ElementType};
use bitstride_lang::evaluate;
use bitstride_oracle::reference::Registers;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// About how many places of a value are looked at.
const PLACES: usize = 3000;

/// A layout that Mosaic has, its tile of a number of sublanes in rows of lanes or in one row.
fn layout() -> impl Strategy<Value = VectorLayout> {
    let sublanes = prop::sample::select(vec![1_i64, 2, 4, 8]);
    let bits = prop::sample::select(vec![4_i64, 8, 16, 32]);
    (bits, sublanes, any::<bool>(), any::<[bool; 2]>()).prop_flat_map(|(bits, sublanes, one_row, implicit)| {
        let lines = sublanes * 32 / bits;
        let tile = if one_row { [1, lines * 128] } else { [lines, 128] };
        let width = tile[1] * 8 / sublanes;
        (weighted(0.7, 0..tile[0]), weighted(0.7, 0..width)).prop_map(move |(row, column)| VectorLayout {
            bits,
            offsets: [row, column],
            tile,
            implicit,
        })
    })
}

fn array(layout: &VectorLayout, dims: &[i64]) -> Option<Array> {
    let name = if layout.bits == 32 { "f32".to_owned() } else { format!("u{}", layout.bits) };
    Some(Array::row_major(ElementType::from_name(&name)?, dims))
}

/// Every slot of every register, and every element, by the map and by the definition.
fn check(layout: &VectorLayout, dims: &[i64]) -> Result<(), TestCaseError> {
    let Some(array) = array(layout, dims) else { return Err(TestCaseError::fail("no such element")) };
    let map =
        Map::of_vector(layout, &array).map_err(|error| TestCaseError::fail(format!("{layout} {dims:?}: {error}")))?;
    let VectorLayout { bits, offsets, tile, implicit } = layout.clone();
    let slots = Registers { bits, offsets, tile, implicit }.contents(dims);
    let slots = slots.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let packing = 32 / bits;
    let place = |number: usize| {
        let number = i64::try_from(number).unwrap_or(-1);
        let (slot, rest) = (number % packing, number / packing);
        vec![slot, rest % 128, rest / 128 % 8, rest / 1024]
    };
    let registers: i64 = layout.registers(dims).map_or(0, |registers| registers.iter().product());
    prop_assert_eq!(usize::try_from(registers * 1024 * packing), Ok(slots.len()), "{} {:?}", layout, dims);
    let elements = slots.iter().flatten().count();
    // An odd step meets all lanes and slots.
    for (number, element) in slots.iter().enumerate().step_by((slots.len() / PLACES) | 1) {
        let place = place(number);
        match (map.direction(), element) {
            (Direction::ToIndex, _) => prop_assert_eq!(&map.at(&place), &Ok(element.clone()), "{} {:?}", layout, place),
            (Direction::ToPlace, Some(element)) => {
                prop_assert_eq!(map.at(element), Ok(Some(place)), "{} {:?}", layout, element);
            }
            (Direction::ToPlace, None) => {}
        }
    }
    if map.direction() == Direction::ToPlace {
        prop_assert_eq!(map.size().map(usize::try_from), Ok(Ok(elements)), "{} {:?}", layout, dims);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_slot_holds_what_the_definition_writes_there(layout in layout(), leading in vec(0_i64..3, 0..2), rows in 0_i64..12, columns in 0_i64..200) {
        let plane = [rows, columns].into_iter().zip(layout.implicit).filter(|(_, implicit)| !implicit).map(|(extent, _)| extent);
        let dims: Vec<i64> = leading.into_iter().chain(plane).collect();
        check(&layout, &dims)?;
    }

    #[test]
    fn a_printed_layout_reads_back(layout in layout()) {
        let text = layout.to_string();
        prop_assert_eq!(text.parse::<VectorLayout>(), Ok(layout));
        prop_assert_eq!(evaluate(&text).map(|answer| answer.value.to_string()), Ok(text));
    }
}

#[test]
fn whole_registers_are_memory_in_tiles() -> Outcome {
    for (vector, tiled) in [
        ("with_layout(bf16[16,256], #tpu.tiled<(8,128)(2,1),[2,1]>)", "bf16[16,256]{1,0:T(8,128)(2,1)}"),
        ("with_layout(f32[16,256], #tpu.vpad<\"32,{0,0},(8,128)\">)", "f32[16,256]{1,0:T(8,128)}"),
        ("with_layout(bf16[3,32,256], #tpu.vpad<\"16,{0,0},(16,128)\">)", "bf16[3,32,256]{2,1,0:T(16,128)(2,1)}"),
        ("with_layout(s8[64,512], #tpu.vpad<\"8,{0,0},(8,128)\">)", "s8[64,512]{1,0:T(8,128)(4,1)}"),
        ("with_layout(f32[5,2048], #tpu.vpad<\"32,{0,0},(1,1024)\">)", "f32[5,2048]{1,0}"),
        ("with_layout(bf16[4096], #tpu.vpad<\"16,{0,0},(1,256),-2\">)", "bf16[4096]{0:T(256)(128)(2,1)}"),
        ("with_layout(f32[7,8192], #tpu.vpad<\"32,{0,0},(2,128)\">)", "f32[7,8192]{1,0:T(2,128)}"),
        ("with_layout(f32[1048576,1048576], #tpu.vpad<\"32,{0,0},(8,128)\">)", "f32[1048576,1048576]{1,0:T(8,128)}"),
    ] {
        let place = |text: &str| evaluate(text)?.value.as_map()?.into_flat(Order::ColumnMajor);
        let comparison = place(vector)?.compare(&place(tiled)?)?;
        assert!(matches!(comparison, Comparison::Same(_)), "{vector}: {comparison:?}");
    }
    Ok(())
}

#[test]
fn what_the_layout_says_is_said() -> Outcome {
    for (text, at, place, note) in [
        (
            "with_layout(f32[4,5], #tpu.vpad<\"32,{1,2},(8,128)\">)",
            vec![0, 0],
            vec![0, 2, 1, 0],
            "where it lies: dim0:4, dim1:5 -> slot:1, lane:128, sublane:8, vreg:1",
        ),
        // The last row and columns begin other registers.
        ("with_layout(f32[8,128], #tpu.vpad<\"32,{1,126},(8,128)\">)", vec![7, 2], vec![0, 0, 0, 3], "vreg:4"),
        ("with_layout(s4[64,128], #tpu.vpad<\"4,{0,0},(64,128)\">)", vec![13, 5], vec![5, 5, 1, 0], "slot:8"),
        (
            "with_layout(f32[8,128], #tpu.vpad<\"32,{*,0},(8,128)\">)",
            vec![0, 3, 5, 0],
            vec![0, 3],
            "along dim 0 all 8 elements have one value, by `*`: the map has it once",
        ),
        (
            "with_layout(pred[8,128], #tpu.vpad<\"32,{0,0},(8,128)\">)",
            vec![7, 127],
            vec![0, 127, 7, 0],
            "a mask: each truth value fills a slot of 32 bits",
        ),
        ("with_layout(f32[40], #tpu.vpad<\"32,{0,0},(8,128),-1\">)", vec![9], vec![0, 0, 1, 1], "dim0:40 ->"),
        ("with_layout(f32[], #tpu.vpad<\"32,{3,7},(8,128),-2,-1\">)", vec![], vec![0, 7, 3, 0], "() ->"),
        // As the compiler dumps an operation.
        (
            "%7 = \"vector.broadcast\"(%3) {in_layout = [#tpu.vpad<\"32,{0,0},(1,128)\">], \
             out_layout = [#tpu.vpad<\"16,{0,0},(16,128)\">]} : (vector<1x128xbf16>) -> vector<32x256xbf16>",
            vec![3, 130],
            vec![1, 2, 1, 1],
            "the value of the operation's result",
        ),
    ] {
        let answer = evaluate(text)?;
        assert_eq!(answer.value.as_map()?.at(&at)?, Some(place), "{text}");
        assert!(answer.notes.iter().any(|found| found.contains(note)), "{text}: {:?}", answer.notes);
        assert_eq!(evaluate(&answer.value.to_string())?.value, answer.value, "{text}");
    }
    Ok(())
}

#[test]
fn what_is_no_layout_is_refused_with_its_numbers() {
    for (text, code, said) in [
        (
            "#tpu.vpad<\"32,{8,0},(8,128)\">",
            "invalid-layout",
            "the offset 8 lies outside of the tile, which has 8 rows",
        ),
        (
            "#tpu.vpad<\"32,{*,128},(8,128)\">",
            "invalid-layout",
            "the offset 128 lies outside of the register, which has 128 columns in 1 tiles",
        ),
        ("#tpu.vpad<\"32,{-1,0},(8,128)\">", "invalid-layout", "the offset -1 lies"),
        ("#tpu.vpad<\"24,{0,0},(8,128)\">", "invalid-layout", "not 24"),
        ("#tpu.vpad<\"64,{0,0},(8,128)\">", "invalid-layout", "not 64"),
        ("#tpu.vpad<\"32,{0,0},(0,128)\">", "invalid-layout", "not (0,128)"),
        ("#tpu.vpad<\"32,{0,0},(4,64)\">", "invalid-layout", "no place for the elements of (4,64)"),
        ("#tpu.vpad<\"16,{0,0},(1,128)\">", "invalid-layout", "has 2, 4, 8, 16 rows of 128 lanes, not 1"),
        ("#tpu.vpad<\"32,{0,0},(3,128)\">", "invalid-layout", "not 3"),
        ("#tpu.vpad<\"32,{0,0},(9223372036854775807,128)\">", "invalid-layout", "not 9223372036854775807"),
        ("#tpu.vpad<\"32,{0,0},(1,9223372036854775680)\">", "invalid-layout", "not 72057594037927935"),
        ("%7 = tpu.x %3 {out_layout = [#tpu.vpad<\"none\">]} : vector<8x128xf32>", "no-layout", "no vector register"),
        ("%7 = tpu.x %3 {out_layout = [#tpu.vpad<\"32,{0,0},(8,128)\">]} : vector<8x128xi7>", "unknown-name", "i7"),
        ("#tpu.vpad<\"none\">", "no-layout", "no vector register"),
        ("#tpu.vpad<\"32,{0},(8,128)\">", "unexpected-token", "expected `,`"),
        ("#tpu.vpad<32,{0,0},(8,128)>", "unexpected-token", "expected `\"`"),
        ("with_layout(bf16[16,128], #tpu.vpad<\"32,{0,0},(8,128)\">)", "invalid-layout", "bf16 has 16"),
        ("with_layout(f32[128], #tpu.vpad<\"32,{0,0},(8,128)\">)", "rank-mismatch", "the last 2 dims, the value has 1"),
        ("with_layout(f32[?,128], #tpu.vpad<\"32,{0,0},(8,128)\">)", "missing-fact", "dim 0"),
        ("with_layout(f32[9223372036854775807,9223372036854775807], #tpu.vpad<\"32,{1,1},(8,128)\">)", "overflow", ""),
        ("size(#tpu.vpad<\"32,{0,0},(8,128)\">)", "needs-shape", "has no shape"),
    ] {
        let error = evaluate(text).expect_err(text);
        assert_eq!(error.code().as_str(), code, "{text}: {error}");
        assert!(error.message().contains(said), "{text}: {error}");
    }
}
