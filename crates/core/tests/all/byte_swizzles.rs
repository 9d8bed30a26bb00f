//! Swizzles of byte addresses under layouts of elements: the definition, what is a swizzle of elements, and recasts.

use bitstride::Code;
use bitstride::cute::{ByteSwizzle, Swizzle};
use bitstride_lang::evaluate;

/// Swizzles of few bits.
fn all_small() -> Vec<Swizzle> {
    let every = (0..=2).flat_map(|bits| (0..=5).flat_map(move |base| (-3..=3).map(move |shift| (bits, base, shift))));
    every.filter_map(|(bits, base, shift)| Swizzle::new(bits, base, shift).ok()).collect()
}

/// Where the first bit of the element at an offset comes to lie.
fn first_bit(swizzle: Swizzle, bits: i64, x: i64) -> i64 {
    swizzle.apply(bits * x / 8) * 8 + bits * x % 8
}

#[test]
fn elements_are_moved_as_their_first_bits_are() {
    let mut whole = 0;
    for swizzle in all_small() {
        for bits in [1, 2, 4, 8, 12, 16, 24, 32, 64, 256] {
            let bytes = ByteSwizzle::new(swizzle, bits).expect("a positive number of bits");
            for x in 0..512 {
                let bit = first_bit(swizzle, bits, x);
                match bytes.apply(x) {
                    Ok(moved) => assert_eq!(moved * bits, bit, "{bytes} at {x}"),
                    Err(error) => {
                        assert_eq!(error.code(), Code::NotALayout);
                        assert_ne!(bit % bits, 0, "{bytes} at {x}");
                    }
                }
            }
            for set in [-1, 511, 15, 0] {
                let last = if set < 0 { 511 } else { set };
                match bytes.of_elements(set) {
                    Ok(elements) => {
                        whole += 1;
                        for x in 0..=last {
                            assert_eq!(Ok(elements.apply(x)), bytes.apply(x), "{bytes} is {elements} at {x}");
                        }
                    }
                    // Elements of no power of two of bits are never swizzled whole, or not at all.
                    Err(_) if bits.count_ones() != 1 => {}
                    Err(_) => {
                        assert!(
                            (0..=last).any(|x| bytes.apply(x).is_err()),
                            "{bytes} moves whole elements up to {last}"
                        );
                    }
                }
            }
        }
    }
    assert!(whole > 1000, "only {whole} are swizzles of elements");
}

fn value(expression: &str) -> String {
    evaluate(expression).map_or_else(|error| error.code().as_str().to_owned(), |answer| answer.value.to_string())
}

#[test]
fn bytes_and_bits_have_addresses_whatever_the_elements() {
    for bits in [4, 8, 16, 24, 64, 256] {
        let layout = format!("Sw<3,4,3> o bytes[{bits}] o 3 o (8,32):(32,1)");
        let swizzle = Swizzle::new(3, 4, 3).expect("a swizzle");
        for (row, column) in [(0, 0), (1, 0), (3, 7), (7, 31)] {
            let bit = first_bit(swizzle, bits, 3 + 32 * row + column);
            let at = |unit: &str| value(&format!("at({unit}({layout}, {bits}), ({row},{column}))"));
            assert_eq!(at("bits"), bit.to_string(), "{layout}");
            if bits % 8 == 0 {
                assert_eq!(at("bytes"), (bit / 8).to_string(), "{layout}");
            }
            let element = value(&format!("crd2idx(({row},{column}), {layout})"));
            assert_eq!(element, if bit % bits == 0 { (bit / bits).to_string() } else { "not-a-layout".to_owned() });
        }
    }
}

/// The bits that the elements of a layout have, element by element.
fn bits_of(layout: &str, bits: i64, size: i64) -> Vec<i64> {
    (0..size)
        .flat_map(|index| {
            let first: i64 =
                value(&format!("at(reshape(bits({layout}, {bits}), ({size})), ({index}))")).parse().expect(layout);
            // Of elements of whole bytes each byte is moved by itself; the swizzles here keep elements together.
            (0..bits).map(move |part| first + part)
        })
        .collect()
}

#[test]
fn recasts_keep_the_bits() {
    for (layout, old, new) in [
        ("Sw<3,4,3> o bytes[16] o (8,64):(64,1)", 16, 32),
        ("Sw<3,4,3> o bytes[16] o (8,64):(64,1)", 16, 8),
        ("Sw<2,4,3> o bytes[8] o 16 o (8,32):(32,1)", 8, 128),
        ("Sw<1,4,3> o bytes[4] o (2,128):(128,1)", 4, 16),
    ] {
        let cast = value(&format!("recast({layout}, {old}, {new})"));
        assert!(cast.contains(&format!("bytes[{new}]")), "{cast}");
        let size = |layout: &str| value(&format!("size({layout})")).parse::<i64>().expect(layout);
        let sorted = |mut bits: Vec<i64>| {
            bits.sort_unstable();
            bits
        };
        let (before, after) = (bits_of(layout, old, size(layout)), bits_of(&cast, new, size(&cast)));
        assert_eq!(sorted(before), sorted(after), "{layout} is {cast}");
        assert_eq!(value(&format!("recast({cast}, {new}, {old})")), value(layout), "{cast}");
    }
}

#[test]
fn spellings_and_answers() {
    for (expression, answer) in [
        ("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "Sw<3,4,3> o bytes[16] o (8,64):(64,1)"),
        ("Sw<3,4,3> o smem_ptr[16b](0x7f4b22000000) o (8,64):(64,1)", "Sw<3,4,3> o bytes[16] o (8,64):(64,1)"),
        ("Sw<3,4,3>_smem_ptr[16b](0x7f4b22000000) o (8,64):(64,1)", "Sw<3,4,3> o bytes[16] o (8,64):(64,1)"),
        ("smem_ptr[16b](0x7f4b22000000) o Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"),
        (
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
            "Sw<3,4,3> o bytes[16] o ((8,16),(64,1)):((64,512),(1,0))",
        ),
        (
            "same(Sw<3,4,3> o bytes[16] o ((8,16),(64,1)):((64,512),(1,0)), Sw<3,3,3> o ((8,16),(64,1)):((64,512),(1,0)))",
            "same",
        ),
        ("recast(Sw<3,4,3> o smem_ptr[1b](unset) o (8,1024):(1024,1), 1, 16)", "Sw<3,4,3> o bytes[16] o (8,64):(64,1)"),
        ("same(recast(Sw<3,4,3> o smem_ptr[1b](unset) o (8,1024):(1024,1), 1, 16), Sw<3,3,3> o (8,64):(64,1))", "same"),
        ("same(bytes(Sw<3,4,3> o bytes[16] o (8,64):(64,1), 16), bytes(Sw<3,3,3> o (8,64):(64,1), 16))", "same"),
        ("slice(Sw<3,4,3> o bytes[16] o (8,64):(64,1), (3,_))", "Sw<3,4,3> o bytes[16] o 192 o (64):(1)"),
        ("convert(Sw<3,4,3> o bytes[16] o (8,64):(64,1), cute)", "Sw<3,3,3> o 0 o (8,64):(64,1)"),
        ("convert(Sw<3,4,3> o bytes[256] o (8,64):(64,1), cute)", "not-a-layout"),
        ("convert(Sw<3,4,3> o bytes[24] o (8,64):(64,1), cute)", "not-a-layout"),
        ("convert(Sw<3,4,3> o bytes[24] o (8,2):(2,1), cute)", "(8,2):(2,1)"),
        ("recast(Sw<3,4,3> o bytes[16] o (8,64):(64,1), 8, 16)", "kind"),
        ("bytes(Sw<3,4,3> o bytes[16] o (8,64):(64,1), 32)", "kind"),
        ("right_inverse(Sw<3,4,3> o bytes[16] o (8,64):(64,1))", "Sw<3,0,-6> o 0 o (64,8):(8,1)"),
        ("composition((512,2):(2,1), Sw<3,4,3> o bytes[16] o (8,64):(64,1))", "Sw<3,4,3> o 0 o (8,64):(128,2)"),
        ("max_common_vector(Sw<3,4,3> o bytes[16] o (64,8):(1,64), (64,8):(1,64))", "8"),
        ("bytes[0] o 4:1", "range"),
    ] {
        assert_eq!(value(expression), answer, "{expression}");
    }
    let printed = evaluate("Sw<3,4,3> o bytes[16] o (8,64):(64,1)")
        .map(|answer| answer.value.display(bitstride::notation::Ints::Cpp));
    assert_eq!(printed, Ok("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)".into()));
}
