//! Any text is a shape or is refused, with a span inside it; what is one prints as a text that is the same shape, except
//! for what XLA's own text loses, and is valid or not without a panic. What has a memory has its elements where it puts
//! them.
#![no_main]

use bitstride::xla::{Array, Image, Layout, Place, Shape};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match text.parse::<Shape>() {
        Ok(shape) => {
            let printed = shape.to_string();
            // An index type that is none prints as `invalid`, which is no type, and a negative `M` does not print.
            if !printed.contains("(invalid)") {
                let again = printed.parse::<Shape>().expect("what prints is a shape");
                assert_eq!(again.to_string(), printed);
                assert!(again == shape || text.contains('M'), "{printed}");
            }
            assert!(shape.without_layout().parse::<Shape>().is_ok());
            check(&shape);
        }
        Err(error) => {
            let inside = error.span().is_some_and(|span| text.get(span.start..span.end).is_some());
            assert!(inside, "{error:?}");
        }
    }
    if let Ok(layout) = text.parse::<Layout>() {
        let printed = layout.to_string();
        if !printed.contains("(invalid)") {
            assert_eq!(printed.parse::<Layout>().map(|again| again.to_string()).as_ref(), Ok(&printed));
        }
    }
});

fn check(shape: &Shape) {
    let valid = shape.validate().is_ok();
    match shape {
        Shape::Array(array) | Shape::Buffer(array) => {
            assert!(valid || array.check_meaning().is_err());
            memory(array);
        }
        Shape::Tuple(elements) => elements.iter().for_each(check),
        Shape::Token | Shape::Opaque => assert!(valid),
    }
}

fn memory(array: &Array) {
    let Ok(image) = Image::of(array) else { return };
    for number in [0, image.elements() / 2, image.elements() - 1] {
        let Some(index) = image.numbered(number) else { continue };
        let offset = image.offset(&index).expect("an index of the array");
        if let Some(digits) = image.digits() {
            assert_eq!(digits.iter().map(|digit| digit.at(index[digit.axis])).sum::<i64>(), offset, "{array}");
        }
        assert_eq!(image.place(offset), Ok(Place::Element(index)), "{array}");
    }
    assert!(array.describe().is_ok_and(|text| !text.is_empty()));
    if let Ok(strides) = array.element_strides() {
        assert_eq!(strides.len(), array.dims.len());
    }
}
