//! PyTorch and NumPy: sizes, and strides in elements or in bytes.

use super::sizes;
use bitstride::map::Map;
use bitstride::notation::Dialect;
use bitstride::xla::ElementType;
use bitstride::{Code, Error, error};

/// `torch.empty_strided((2, 3), (3, 1))`; one that begins elsewhere than at 0 is a view of a memory `x`.
pub(super) fn torch(map: &Map) -> Result<String, Error> {
    let (offset, strides) = map.to_strides()?;
    if let Some(stride) = strides.iter().find(|stride| **stride < 0) {
        return Err(error!(
            Code::NotALayout,
            "{dialect} has no negative strides: {stride}",
            [dialect = Dialect::Torch, stride]
        )
        .with_help("NumPy has: `convert(X, numpy, f32)`"));
    }
    let (sizes, strides) = (python(&sizes(map)), python(&strides));
    Ok(match offset {
        0 => format!("torch.empty_strided({sizes}, {strides})"),
        _ => format!("torch.as_strided(x, {sizes}, {strides}, {offset})"),
    })
}

/// `np.ndarray((2, 3), np.float32, strides=(12, 4))`
pub(super) fn numpy(map: &Map, element: Option<ElementType>) -> Result<String, Error> {
    let element = element.ok_or_else(|| {
        Error::new(Code::Arity, "NumPy counts strides in bytes: the type of the elements is missing")
            .with_help("say it: `convert(X, numpy, f32)`; `bitstride convert` has --element f32")
    })?;
    let dtype = dtype(element.name()).ok_or_else(|| {
        error!(Code::NotALayout, "NumPy has no type {name} of its own", [name = element.name()])
            .with_help("a type of as many bits has the same strides, such as u8, f16 or f32")
    })?;
    let bytes = i64::from(element.bits().div_ceil(8));
    let (offset, strides) = map.to_strides()?;
    let in_bytes = |elements: &i64| elements.checked_mul(bytes).ok_or_else(|| Error::overflow("a stride in bytes"));
    let strides = strides.iter().map(in_bytes).collect::<Result<Vec<_>, _>>()?;
    let offset = match in_bytes(&offset)? {
        0 => String::new(),
        bytes => format!(", offset={bytes}"),
    };
    Ok(format!("np.ndarray({}, np.{dtype}, strides={}{offset})", python(&sizes(map)), python(&strides)))
}

/// What NumPy calls a type of XLA.
fn dtype(name: &str) -> Option<&'static str> {
    Some(match name {
        "pred" => "bool_",
        "s8" => "int8",
        "s16" => "int16",
        "s32" => "int32",
        "s64" => "int64",
        "u8" => "uint8",
        "u16" => "uint16",
        "u32" => "uint32",
        "u64" => "uint64",
        "f16" => "float16",
        "f32" => "float32",
        "f64" => "float64",
        "c64" => "complex64",
        "c128" => "complex128",
        _ => return None,
    })
}

/// A tuple of Python.
pub(super) fn python(numbers: &[i64]) -> String {
    match numbers {
        [only] => format!("({only},)"),
        _ => format!("({})", numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
