//! Every operation on tiled arrays, over arrays at the ends of what there is: no dims, 32 dims, no elements, sizes near
//! 2^63, tiles much larger than the array. Never a panic, never a wrapped number, always an answer or a coded refusal.

use bitstride::xla::{Array, Image, Place};
use bitstride::{Code, Error};
use bitstride_lang::explain::explain;
use bitstride_lang::{Group, Operation, evaluate, operations};

/// Arrays as they are written; the last have no memory.
const ARRAYS: [&str; 35] = [
    "f32[]",
    "f32[]{:T(8,128)}",
    "f32[]{:T(1)L(3)}",
    "s4[]{:E(4)}",
    "f32[0]{0:T(8,128)}",
    "f32[0,5]{0,1:T(*,3)(2)}",
    "f32[3,0,5]{2,1,0:T(2,*,3)L(8)}",
    "f32[0,9223372036854775807]{1,0:T(9223372036854775807,2)}",
    "pred[1]{0:T(9223372036854775807)}",
    "f32[1,1]{0,1}",
    "f32[3,5]{1,0:T(2,2)}",
    "f32[5,3]{0,1:T(2,2)}",
    "f32[2,3,5]{2,1,0:T(2,*,3)}",
    "f32[2,5,3]{2,1,0:T(*,2,2)(4)(1,1,3)}",
    "bf16[<=16,256]{1,0:T(8,128)(2,1)S(1)SC(0:8)}",
    "pred[64,256]{1,0:T(32,128)(32,1)E(1)}",
    "b(c128[7]{0:L(16)})",
    "s8[9223372036854775807]",
    "s8[9223372036854775806]{0:T(2)}",
    "s8[3037000499,3037000499]{0,1}",
    "s4[3037000498,3037000498]{1,0:T(2,2)E(4)}",
    "f32[2305843009213693951]",
    "f32[2199023255552]{0:T(2)(549755813888,1)}",
    "f32[1099511627776,3]{0,1:T(2,1024)(1024,1)}",
    "s8[1048576,1048576,8191]{1,2,0:T(8,128)(4,1)}",
    "s8[1048573,1048573,8]{2,1,0:T(3,*,7)}",
    "s8[8,1048573,1048573]{2,1,0:T(3,*,7)}",
    "f32[?,8]{1,0:T(8,128)}",
    "s8[9223372036854775807]{0:T(2)}",
    "s8[9223372036854775807]{0:L(2)}",
    "f32[2305843009213693951]{0:T(1024)}",
    "s8[3037000500,3037000499]{1,0:T(8,128)}",
    "pred[1]{0:T(9223372036854775807,2)}",
    "f32[9]{0:E(9223372036854775807)}",
    "s8[1099511627776,2,2]{2,1,0:T(2,*,3)(274877906944,1,1,1)}",
];

/// What else may be written where an operation wants an index, extents, an order or a number.
const OTHERS: [&str; 16] = [
    "()",
    "0",
    "1",
    "17",
    "-1",
    "9223372036854775807",
    "-9223372036854775807",
    "(0,1)",
    "(1,0)",
    "(1,1)",
    "(2,0,1)",
    "(0,9223372036854775806)",
    "(4294967296,4294967296)",
    "(9223372036854775807,9223372036854775807,0)",
    "_",
    "2:1",
];

/// 32 dims, those in front of extent 1, the last ones given.
fn deep(last: [i64; 4], layout: &str) -> String {
    let mut dims = vec![1; 28];
    dims.extend(last);
    let text = |numbers: &mut dyn Iterator<Item = i64>| numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    format!("s8[{}]{{{}{layout}}}", text(&mut dims.into_iter()), text(&mut (0..32).rev()))
}

fn arrays() -> Vec<String> {
    let stars = "*,".repeat(30);
    let mut arrays: Vec<String> = ARRAYS.iter().map(|text| (*text).to_owned()).collect();
    arrays.push(deep([2, 3, 5, 7], ":T(2,4)"));
    arrays.push(deep([2, 3, 5, 7], &format!(":T({stars}8,4)(2,1)")));
    arrays.push(deep([2, 3, 5, 7], &format!(":T({stars}*,8)")));
    arrays.push(deep([2, 3, 5, 0], &format!(":T({}2)", "2,".repeat(31))));
    arrays.push(deep([1, 1, 1, 1], &format!(":T({}2)", "2,".repeat(31))));
    arrays.push(deep([65536, 65536, 32768, 4095], &format!(":T({stars}8,128)(4,1)")));
    arrays
}

fn operands() -> Vec<String> {
    let mut operands = arrays();
    operands.extend(OTHERS.iter().map(|text| (*text).to_owned()));
    let order: Vec<String> = (0..32).map(|dim| dim.to_string()).collect();
    operands.push(format!("({})", order.join(",")));
    operands
}

/// An answer, or a refusal that says why: with its code, and with the numbers where they are too large.
fn checked(text: &str) -> Result<(), String> {
    let answer = evaluate(text);
    let described = |error: &Error, door: &str| match error.code() {
        Code::Overflow if !error.message().contains(|c: char| c.is_ascii_digit()) => {
            Err(format!("{door} {text}: no numbers in `{}`", error.message()))
        }
        Code::Syntax(_) => Err(format!("{door} {text}: {error}")),
        _ => Ok(()),
    };
    let explained = explain(text);
    match (&answer, &explained) {
        (Ok(answer), Ok(explained)) if explained.value() == Some(&answer.value) => Ok(()),
        (Err(error), Ok(_)) => described(error, "evaluating"),
        (Err(error), Err(other)) if error.code() == other.code() => {
            described(error, "evaluating").and(described(other, "explaining"))
        }
        (answer, explained) => {
            let explained = explained.as_ref().map(|explained| explained.value());
            Err(format!("{text} is {answer:?}, and explained {explained:?}"))
        }
    }
}

fn swept(arity: usize, texts: &mut dyn FnMut(&Operation) -> Vec<String>) {
    let mut wrong = Vec::new();
    let mut many = 0;
    for operation in
        operations().filter(|operation| operation.group == Group::Tiled && operation.arity() == (arity, arity))
    {
        for text in texts(operation) {
            wrong.extend(checked(&text).err());
            many += 1;
        }
    }
    assert!(many > 0, "no operation has {arity} operands");
    assert!(
        wrong.is_empty(),
        "{} of {many}:\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn all_operations_of_one_operand() {
    swept(1, &mut |operation| operands().iter().map(|x| format!("{}({x})", operation.name)).collect());
}

#[test]
fn all_operations_of_two_operands() {
    let operands = operands();
    swept(2, &mut |operation| {
        let pairs = operands.iter().flat_map(|x| operands.iter().map(move |y| (x, y)));
        pairs.map(|(x, y)| format!("{}({x}, {y})", operation.name)).collect()
    });
}

#[test]
fn all_operations_of_three_operands() {
    let (arrays, operands) = (arrays(), operands());
    let rest: Vec<&String> = operands.iter().skip(arrays.len()).collect();
    swept(3, &mut |operation| {
        let mut texts = Vec::new();
        for x in &arrays {
            for y in &operands {
                texts.extend(rest.iter().map(|z| format!("{}({x}, {y}, {z})", operation.name)));
            }
        }
        texts
    });
}

/// The operations that have another number of operands are not forgotten.
#[test]
fn no_operation_is_left_out() {
    for operation in operations().filter(|operation| operation.group == Group::Tiled) {
        let (least, most) = operation.arity();
        assert!(least == most && (1..=3).contains(&most), "{}", operation.name);
    }
}

fn code<T>(answer: Result<T, Error>) -> Result<T, Code> {
    answer.map_err(|error| error.code())
}

/// The first and last elements of all arrays that have any are found where they are put, however large the array.
#[test]
fn the_ends_of_all_arrays() {
    let mut many = 0;
    for text in arrays() {
        let array: Array = match text.strip_prefix("b(").and_then(|text| text.strip_suffix(')')) {
            Some(inner) => inner.parse().expect("an array"),
            None => text.parse().expect("an array"),
        };
        let Ok(image) = Image::of(&array) else { continue };
        if image.elements() == 0 {
            assert_eq!((image.size(), image.bytes()), (0, Ok(0)), "{text}");
            continue;
        }
        for number in [0, image.elements() / 3, image.elements() - 1] {
            let index = image.numbered(number).expect("an index");
            let offset = image.offset(&index).expect("an offset");
            assert!((0..image.size()).contains(&offset), "{offset} of {text}");
            assert_eq!(image.place(offset), Ok(Place::Element(index)), "{text}");
            many += 1;
        }
    }
    assert!(many > 60, "{many}");
}

#[test]
fn sizes_at_the_end_of_64_bits() {
    let sizes = |text: &str| {
        let array: Array = text.parse().expect("an array");
        let image = Image::of(&array);
        (code(image.clone().map(|image| image.size())), code(image.and_then(|image| image.bytes())))
    };
    let too_large = Err(Code::Overflow);
    assert_eq!(sizes("s8[9223372036854775807]"), (Ok(i64::MAX), Ok(i64::MAX)));
    assert_eq!(sizes("s8[9223372036854775806]{0:T(2)}"), (Ok(i64::MAX - 1), Ok(i64::MAX - 1)));
    assert_eq!(sizes("s8[9223372036854775807]{0:T(2)}"), (too_large, too_large));
    assert_eq!(sizes("s8[9223372036854775807]{0:L(2)}"), (too_large, too_large));
    assert_eq!(sizes("f32[2305843009213693951]"), (Ok((1 << 61) - 1), Ok(i64::MAX - 3)));
    assert_eq!(sizes("f32[2305843009213693951]{0:T(1024)}"), (Ok(1 << 61), too_large));
    assert_eq!(sizes("f32[2305843009213693951]{0:T(1024)E(4)}"), (Ok(1 << 61), Ok(1 << 60)));
    assert_eq!(sizes("f32[4]{0:E(9223372036854775807)}"), (Ok(4), Ok(1 << 62)));
    assert_eq!(sizes("f32[9]{0:E(9223372036854775807)}"), (Ok(9), too_large));
    assert_eq!(sizes("f32[0,9223372036854775807]{1,0:T(9223372036854775807,2)}"), (Ok(0), Ok(0)));
    assert_eq!(sizes("pred[1]{0:T(9223372036854775807,2)}"), (too_large, too_large));
}
