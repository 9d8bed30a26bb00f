//! Types of the elements of NumPy, whose strides and offsets are bytes: `float32`, `np.float32`, `dtype('<f4')`.
//!
//! Law: a distance in bytes is a whole number of elements, or is refused.

use crate::notation::cursor::Result;
use crate::notation::{Expr, ExprKind, SyntaxError, code};

/// A shape and its strides in elements, from strides in bytes.
pub(super) fn strides_in_bytes(shape: &Expr, sizes: &[Expr], strides: &Expr, bytes: i64) -> Result<Vec<Expr>> {
    let entries = match &strides.kind {
        ExprKind::Tuple(entries) => entries.as_slice(),
        _ => std::slice::from_ref(strides),
    };
    let in_elements = entries.iter().map(|stride| whole_elements(stride, bytes)).collect::<Result<Vec<_>>>()?;
    if in_elements.len() != sizes.len() {
        let message = format!("{} sizes, but {} strides", sizes.len(), in_elements.len());
        return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, strides.span, message));
    }
    Ok(vec![shape.clone(), Expr::new(ExprKind::Tuple(in_elements), strides.span)])
}

/// A distance in bytes as one in elements.
pub(super) fn whole_elements(distance: &Expr, bytes: i64) -> Result<Expr> {
    match distance.kind {
        ExprKind::Static(n) if n.checked_rem(bytes) == Some(0) => {
            Ok(Expr::new(ExprKind::Static(n.checked_div(bytes).unwrap_or(0)), distance.span))
        }
        _ => {
            let message = format!("{distance} bytes are no whole elements of {bytes}");
            Err(SyntaxError::new(code::BAD_SIZE, distance.span, message))
        }
    }
}

/// The bytes of an element of NumPy by the text of its type: `float32`, `np.float32`, `dtype('<f4')`.
pub(super) fn numpy_type(text: &str) -> Option<i64> {
    let dense: String = text.split_whitespace().collect();
    let text = dense.as_str();
    let text = ["np.", "numpy."].iter().fold(text, |text, module| text.strip_prefix(module).unwrap_or(text));
    let inner = text.strip_prefix("dtype(").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    numpy_bytes(inner.trim_matches(['\'', '"']))
}

/// The bytes of the types that the call of an array names: `dtype='<f4'`, `np.float32`, `'f4'` as an argument. A name alone may
/// be anything.
pub(super) fn types_named(call: &str) -> impl Iterator<Item = i64> {
    let names =
        ["dtype=", "np.", "numpy.", "('", "(\"", ",'", ",\""].into_iter().flat_map(|mark| call.match_indices(mark));
    names.filter_map(|(at, mark)| {
        let name = call.get(at.saturating_add(mark.len())..)?.trim_start_matches(['\'', '"']);
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || "_<>=|".contains(c))).unwrap_or(name.len());
        numpy_bytes(name.get(..end)?)
    })
}

/// The bytes of an element by NumPy's name of its type, `float32`, or its code, which counts bytes: `<f4`.
pub(super) fn numpy_bytes(name: &str) -> Option<i64> {
    let code = name.trim_start_matches(['<', '>', '=', '|']);
    let digits = code.find(|c: char| c.is_ascii_digit()).unwrap_or(code.len());
    let (stem, number) = code.split_at_checked(digits)?;
    let (digits, variant) =
        number.split_at_checked(number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len()))?;
    match (stem, digits.parse::<i64>().ok()) {
        ("bool" | "bool_" | "byte" | "ubyte" | "?" | "b" | "B", None) => Some(1),
        ("half" | "short" | "ushort" | "e" | "h" | "H", None) => Some(2),
        ("single" | "intc" | "uintc" | "f" | "i" | "I", None) => Some(4),
        (
            "float" | "double" | "int" | "uint" | "long" | "ulong" | "longlong" | "ulonglong" | "intp" | "uintp",
            None,
        )
        | ("csingle" | "d" | "l" | "L" | "q" | "Q" | "F" | "p" | "P", None) => Some(8),
        ("complex" | "cdouble" | "D", None) => Some(16),
        ("i" | "u", Some(bytes @ (1 | 2 | 4 | 8))) if variant.is_empty() => Some(bytes),
        ("f", Some(bytes @ (1 | 2 | 4 | 8 | 16))) if variant.is_empty() => Some(bytes),
        ("c", Some(bytes @ (8 | 16 | 32))) if variant.is_empty() => Some(bytes),
        ("b", Some(1)) if variant.is_empty() => Some(1),
        ("m" | "M", Some(8)) => Some(8),
        ("V" | "S", Some(bytes)) if variant.is_empty() => Some(bytes),
        ("U", Some(letters)) if variant.is_empty() => letters.checked_mul(4),
        ("int" | "uint", Some(bits @ (8 | 16 | 32 | 64))) => bits.checked_div(8),
        ("float", Some(bits @ (8 | 16 | 32 | 64 | 128))) => bits.checked_div(8),
        ("bfloat", Some(16)) => Some(2),
        ("complex", Some(bits @ (64 | 128 | 256))) => bits.checked_div(8),
        _ => None,
    }
    .filter(|bytes| *bytes > 0)
}
