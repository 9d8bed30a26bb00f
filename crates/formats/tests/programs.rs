//! Formats against the bytes of real programs: `programs.tsv`, `programs_gpu.tsv`, `programs_serving.tsv` and
//! `programs_checkpoints.tsv`, which `python/tools/record_formats.py` and those of the same endings record.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use bitstride_formats::{Field, Zoo};

const RECORDED: [&str; 4] = [
    include_str!("programs.tsv"),
    include_str!("programs_gpu.tsv"),
    include_str!("programs_serving.tsv"),
    include_str!("programs_checkpoints.tsv"),
];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Puts the values of a field into a tensor, where the format says.
fn put(field: &Field, values: &[u8], tensor: &mut [u8], context: &str) {
    let bits = field.places.element_bits();
    // Of a value that is stored otherwise, its own bits are recorded.
    let wide = field.stored.iter().rev().fold(bits, |bits, step| step.inverse().stored_bits(bits));
    let width = usize::try_from(wide).unwrap().div_ceil(8).next_power_of_two();
    let shape = field.places.shape().unwrap();
    let elements = usize::try_from(shape.iter().product::<i64>()).unwrap();
    assert_eq!(values.len(), elements * width, "{context}");
    for (element, value) in values.chunks(width).enumerate() {
        let mut rest = i64::try_from(element).unwrap();
        let mut point: Vec<i64> = shape.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
        point.reverse();
        let value = value.iter().rev().fold(0, |value, byte| value << 8 | i64::from(*byte));
        let value = field.stored.iter().fold(value, |value, step| step.apply(value, bits).unwrap());
        for bit in 0..bits {
            let place = usize::try_from(field.places.at(&point, bit).unwrap()).unwrap();
            let (byte, own) = (place / 8, u8::from(value >> bit & 1 == 1) << (place % 8));
            // What a tensor is filled with gives way to a value.
            tensor[byte] = tensor[byte] & !(1 << (place % 8)) | own;
        }
    }
}

#[test]
fn formats_are_the_bytes_of_programs() {
    let mut families: Vec<&str> = Vec::new();
    for line in RECORDED.iter().flat_map(|text| text.lines()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, tensor, fields @ .., stored] = columns.as_slice() else { panic!("{line}") };
        let format = Zoo::builtin().format(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let number = format.tensors.iter().position(|own| own.name == *tensor).unwrap();
        let mut made =
            vec![format.tensors[number].fill; usize::try_from(format.tensors[number].bytes().unwrap()).unwrap()];
        for field in fields {
            let (field, values) = field.split_once('=').unwrap();
            let context = format!("{name} {field}");
            let field = format.field(field).unwrap();
            assert_eq!(field.tensor, number, "{context}");
            put(field, &bytes(values), &mut made, &context);
        }
        // Every field of the tensor is recorded, so that its padding is compared too.
        assert_eq!(format.fields.iter().filter(|own| own.tensor == number).count(), fields.len(), "{name} {tensor}");
        assert!(made == bytes(stored), "{name} {tensor}");
        let family = name.split([',', '=']).next().unwrap_or(name);
        if !families.contains(&family) {
            families.push(family);
        }
    }
    assert!(families.len() >= 37, "{families:?}");
}
