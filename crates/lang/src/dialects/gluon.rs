//! Gluon, `BlockedLayout(size_per_thread=[1, 4], …)`, and TTGIR, an alias of the layout and a type that has it.
//!
//! A layout of Gluon has no shape, and neither has an encoding; what lies on a shape is written with the encoding that it is.

use crate::forms::triton;
use crate::value::Value;
use bitstride::notation::{ExprKind, Ints, gluon_text, parse};
use bitstride::triton::Encoding;
use bitstride::xla::ElementType;
use bitstride::{Code, Error, error};

/// The constructor of Gluon for an encoding, or for what a layout on a shape is.
pub(super) fn written(value: &Value, notes: &mut Vec<String>) -> Result<String, Error> {
    let encoding = encoding(value, notes)?;
    let text = match parse(&encoding.to_string(), Ints::Plain)?.kind {
        ExprKind::Attribute(attribute) => gluon_text(&attribute),
        _ => None,
    };
    text.ok_or_else(|| error!(Code::NotALayout, "Gluon has no class for {encoding}", [encoding]))
}

/// The lines of a file in which a tensor has a layout. The type of its elements has to be said.
pub(super) fn ttgir(value: &Value, element: Option<ElementType>, notes: &mut Vec<String>) -> Result<String, Error> {
    let element = element.ok_or_else(|| {
        Error::new(Code::Arity, "a type of Triton says the type of its elements: it is missing")
            .with_help("say it: `convert(X, ttgir, f16)`; `bitstride convert` has --element f16")
    })?;
    let map = value.as_map()?;
    let encoding = encoding(value, &mut Vec::new())?;
    let sizes: String = super::sizes(&map).iter().map(|size| format!("{size}x")).collect();
    let element = mlir(element)?;
    notes.push("lines of aliases before an expression give it their names".to_owned());
    let is_memory = matches!(
        encoding,
        Encoding::SwizzledShared(_)
            | Encoding::NvmmaShared(_)
            | Encoding::PaddedShared(_)
            | Encoding::SharedLinear(_)
            | Encoding::PartitionedShared(_)
    );
    Ok(match is_memory {
        true => format!(
            "#shared = {encoding}\n#smem = #ttg.shared_memory\n!ttg.memdesc<{sizes}{element}, #shared, #smem, mutable>"
        ),
        false => format!("#layout = {encoding}\ntensor<{sizes}{element}, #layout>"),
    })
}

/// A value as an encoding: itself, or what a layout on a shape is.
fn encoding(value: &Value, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    match value {
        Value::Encoding(encoding) => Ok(encoding.clone()),
        _ => triton(&value.as_map()?, notes)?.as_encoding(),
    }
}

/// How MLIR calls a type of elements: integers have no sign.
fn mlir(element: ElementType) -> Result<String, Error> {
    let name = element.name();
    let bits = name.strip_prefix(['s', 'u']).filter(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()));
    match (name, bits) {
        ("pred", _) => Ok("i1".to_owned()),
        (_, Some(bits)) => Ok(format!("i{bits}")),
        ("f16" | "bf16" | "f32" | "f64", _) => Ok(name.to_owned()),
        ("f8e4m3fn" | "f8e4m3fnuz" | "f8e5m2" | "f8e5m2fnuz" | "f8e4m3b11fnuz", _) => {
            Ok(format!("f{}", name.get(1..).unwrap_or_default().to_ascii_uppercase()))
        }
        _ => Err(error!(Code::Kind, "Triton has no elements of type {name}", [name])),
    }
}
