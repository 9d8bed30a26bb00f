//! What Mosaic calls the types of elements.

use crate::xla::ElementType;

/// How MLIR writes an element type.
pub(super) fn element_name(element: ElementType) -> String {
    let name = element.name();
    match name {
        "pred" => "i1".to_owned(),
        "s1" => "si1".to_owned(),
        "c64" => "complex<f32>".to_owned(),
        "c128" => "complex<f64>".to_owned(),
        "bf16" | "f16" | "f32" | "f64" => name.to_owned(),
        _ => match (name.strip_prefix('s'), name.strip_prefix('u')) {
            (Some(bits), _) => format!("i{bits}"),
            (_, Some(bits)) => format!("ui{bits}"),
            // The narrow floats: f8E4M3FN.
            _ => {
                let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
                format!("{first}{}", rest.to_ascii_uppercase())
            }
        },
    }
}
