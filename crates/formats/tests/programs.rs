//! Formats against the bytes of real programs: `programs.tsv` and `programs_gpu.tsv`, which `python/tools/record_formats.py` and
//! `record_formats_gpu.py` record.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use bitstride_formats::{Field, Zoo};

const RECORDED: [&str; 2] = [include_str!("programs.tsv"), include_str!("programs_gpu.tsv")];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Puts the values of a field into a tensor, where the format says.
fn put(field: &Field, values: &[u8], tensor: &mut [u8], context: &str) {
    let bits = field.places.element_bits();
    let width = usize::try_from(bits).unwrap().div_ceil(8).next_power_of_two();
    let shape = field.places.shape().unwrap();
    let elements = usize::try_from(shape.iter().product::<i64>()).unwrap();
    assert_eq!(values.len(), elements * width, "{context}");
    for (element, value) in values.chunks(width).enumerate() {
        let mut rest = i64::try_from(element).unwrap();
        let mut point: Vec<i64> = shape.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
        point.reverse();
        for bit in 0..bits {
            let place = usize::try_from(field.places.at(&point, bit).unwrap()).unwrap();
            let own = value[usize::try_from(bit / 8).unwrap()] >> (bit % 8) & 1;
            tensor[place / 8] |= own << (place % 8);
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
            assert_eq!((field.tensor, field.stored.len()), (number, 0), "{context}");
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
    assert!(families.len() >= 19, "{families:?}");
}
