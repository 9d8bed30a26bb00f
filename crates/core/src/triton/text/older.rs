//! Attributes as Triton wrote them before 2025, in today's names.
//!
//! | then | now |
//! |---|---|
//! | `#triton_gpu.blocked`, `#triton_nvidia_gpu.…` | `#ttg.blocked`, `#ttng.…` |
//! | `#triton_gpu.shared<{vec, perPhase, maxPhase, order, hasLeadingOffset = false}>` | `#ttg.swizzled_shared<{…}>` |
//! | the same with `hasLeadingOffset = true` | `#ttg.nvmma_shared<{…}>` |
//! | `#triton_nvidia_gpu.tensor_memory_encoding<…, unpacked = false>` | `#ttng.tensor_memory_encoding<…, colStride = 1>` |
//! | `#triton_gpu.mma<{versionMajor = 2, …}>` | `#ttg.nvidia_mma<{…, instrShape = [16, 8]}>` |
//!
//! Law: the layout is the same, and a note says the name of today.

use crate::error::{Code, Error};
use crate::notation::{Argument, Attribute, Datum, DatumKind, Name};

/// The dialects that were renamed.
const DIALECTS: [(&str, &str); 2] = [("triton_gpu.", "ttg."), ("triton_nvidia_gpu.", "ttng.")];

/// The field that chose between the two layouts of shared memory.
const LEADING: &str = "hasLeadingOffset";

/// The attribute in today's names, where it is an older one.
pub(super) fn renewed(attribute: &Attribute, notes: &mut Vec<String>) -> Result<Option<Attribute>, Error> {
    let old = attribute.name.text.as_str();
    let renamed = DIALECTS.iter().find_map(|(then, now)| old.strip_prefix(then).map(|rest| format!("{now}{rest}")));
    let name = renamed.as_deref().unwrap_or(old);
    let newer = if name == "ttg.shared" {
        shared(attribute)?
    } else if name == "ttg.mma" {
        matrix(attribute)
    } else if name == "ttng.tensor_memory_encoding" && packing(attribute).is_some() {
        tensor_memory(attribute)?
    } else if renamed.is_some() {
        named(name, attribute, attribute.body.clone())
    } else {
        return Ok(None);
    };
    notes.push(match old == newer.name.text {
        true => format!("{UNPACKED} is the older name of colStride"),
        false => format!("#{old} is the older name of #{}", newer.name.text),
    });
    Ok(Some(newer))
}

fn named(name: &str, of: &Attribute, body: Option<Vec<Argument>>) -> Attribute {
    Attribute { name: Name { text: name.to_owned(), span: of.name.span }, body, span: of.span }
}

/// The field that said whether each element has a column of 32 bits.
const UNPACKED: &str = "unpacked";

/// Whether elements have columns of their own, where an older layout of tensor memory says so.
fn packing(attribute: &Attribute) -> Option<bool> {
    attribute.body.iter().flatten().find_map(|argument| match (&argument.name, &argument.datum.kind) {
        (Some(name), DatumKind::Bool(unpacked)) if name.text == UNPACKED => Some(*unpacked),
        _ => None,
    })
}

/// The layout of tensor memory, with a stride of columns in place of whether elements are packed.
fn tensor_memory(attribute: &Attribute) -> Result<Attribute, Error> {
    if packing(attribute) == Some(true) {
        let message = "where elements are unpacked, the stride of columns depends on their bits";
        return Err(Error::new(Code::Parameter, message).with_span(attribute.span).with_help(
            "write `colStride = 2` for 16 bits, 4 for 8 bits and 1 for 32 bits in place of `unpacked = true`",
        ));
    }
    let mut newer = named("ttng.tensor_memory_encoding", attribute, attribute.body.clone());
    for argument in newer.body.iter_mut().flatten() {
        if let Some(name) = argument.name.as_mut().filter(|name| name.text == UNPACKED) {
            name.text = "colStride".to_owned();
            argument.datum.kind = DatumKind::Integer(1);
        }
    }
    Ok(newer)
}

/// What a matrix instruction makes; that of version 2 had one shape, which was not written.
fn matrix(attribute: &Attribute) -> Attribute {
    let mut newer = named("ttg.nvidia_mma", attribute, attribute.body.clone());
    let dictionary = newer.body.iter_mut().flatten().find_map(|argument| match &mut argument.datum.kind {
        DatumKind::Dictionary(entries) => Some(entries),
        _ => None,
    });
    if let Some(entries) = dictionary {
        let is = |name: &str, kind: &DatumKind| {
            entries.iter().any(|(field, datum)| field.text == name && datum.kind == *kind)
        };
        let has_shape = entries.iter().any(|(field, _)| field.text == "instrShape");
        if is("versionMajor", &DatumKind::Integer(2)) && !has_shape {
            let size = |n: i64| Datum { kind: DatumKind::Integer(n), span: attribute.span };
            let shape = Datum { kind: DatumKind::Array(vec![size(16), size(8)]), span: attribute.span };
            entries.push((Name { text: "instrShape".to_owned(), span: attribute.name.span }, shape));
        }
    }
    newer
}

/// The layout of shared memory: swizzled rows, or what matrix instructions read where `hasLeadingOffset` is true.
fn shared(attribute: &Attribute) -> Result<Attribute, Error> {
    let mut fields: Vec<(Name, Datum)> = Vec::new();
    for argument in attribute.body.iter().flatten() {
        match (&argument.name, &argument.datum.kind) {
            (Some(name), _) => fields.push((name.clone(), argument.datum.clone())),
            (None, DatumKind::Dictionary(entries)) => fields.extend(entries.iter().cloned()),
            (None, _) => {}
        }
    }
    let leading = fields.iter().any(|(name, datum)| name.text == LEADING && datum.kind == DatumKind::Bool(true));
    fields.retain(|(name, _)| name.text != LEADING);
    if !leading {
        return Ok(named("ttg.swizzled_shared", attribute, body(fields)));
    }
    let number = |field: &str| {
        fields.iter().find(|(name, _)| name.text == field).and_then(|(_, datum)| match datum.kind {
            DatumKind::Integer(value) => Some(value),
            _ => None,
        })
    };
    let bytes = match (number("perPhase"), number("maxPhase")) {
        (Some(1), Some(1)) => Some(0),
        (Some(4), Some(2)) => Some(32),
        (Some(2), Some(4)) => Some(64),
        (Some(1), Some(8)) => Some(128),
        _ => None,
    };
    // A vector was 16 bytes.
    let bits =
        number("vec").and_then(|vec| [4, 8, 16, 32, 64].into_iter().find(|bits| vec.checked_mul(*bits) == Some(128)));
    let (Some(bytes), Some(bits)) = (bytes, bits) else {
        return Err(error!(
            Code::Parameter,
            "{attribute} is none of the layouts that matrix instructions read",
            [attribute]
        )
            .with_span(attribute.span)
            .with_help("with hasLeadingOffset, perPhase and maxPhase are 1 and 8, 2 and 4, or 4 and 2, and vec elements are 16 bytes"));
    };
    let transposed = fields.iter().any(|(name, datum)| {
        let first = match &datum.kind {
            DatumKind::Array(items) => items.first().map(|item| &item.kind),
            _ => None,
        };
        name.text == "order" && first == Some(&DatumKind::Integer(0))
    });
    let datum = |kind: DatumKind| Datum { kind, span: attribute.span };
    let field = |name: &str, kind: DatumKind| (Name { text: name.to_owned(), span: attribute.name.span }, datum(kind));
    fields.retain(|(name, _)| !["vec", "perPhase", "maxPhase", "order"].contains(&name.text.as_str()));
    let mut newer = vec![
        field("swizzlingByteWidth", DatumKind::Integer(bytes)),
        field("transposed", DatumKind::Bool(transposed)),
        field("elementBitWidth", DatumKind::Integer(bits)),
    ];
    newer.append(&mut fields);
    Ok(named("ttg.nvmma_shared", attribute, body(newer)))
}

fn body(fields: Vec<(Name, Datum)>) -> Option<Vec<Argument>> {
    Some(vec![Argument { name: None, datum: DatumKind::Dictionary(fields).into() }])
}

#[cfg(test)]
mod tests {
    use crate::notation::{ExprKind, Ints, parse};
    use crate::triton::Encoding;

    #[test]
    fn older_names_are_read_as_those_of_today() {
        let old = "vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]";
        for (then, now) in [
            (
                "#triton_gpu.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>".to_owned(),
                "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>".to_owned(),
            ),
            (format!("#triton_gpu.shared<{{{old}, hasLeadingOffset = false}}>"), format!("#ttg.swizzled_shared<{{{old}}}>")),
            (format!("#ttg.shared<{{{old}}}>"), format!("#ttg.swizzled_shared<{{{old}}}>")),
            (
                format!("#triton_gpu.shared<{{{old}, hasLeadingOffset = true}}>"),
                "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>".to_owned(),
            ),
            (
                "#triton_nvidia_gpu.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = false>".to_owned(),
                "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>".to_owned(),
            ),
            (
                "#triton_gpu.mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2]}>".to_owned(),
                "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>".to_owned(),
            ),
            (
                "#triton_gpu.slice<{dim = 0, parent = #triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>}>".to_owned(),
                "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>}>".to_owned(),
            ),
        ] {
            let read = |text: &str| text.parse::<Encoding>();
            assert_eq!(read(&then), read(&now), "{then}");
            assert!(read(&then).is_ok(), "{then}");
            let tree = parse(&then, Ints::Plain).expect("an attribute");
            let ExprKind::Attribute(attribute) = tree.kind else { unreachable!("an attribute") };
            let mut notes = Vec::new();
            let _ = Encoding::from_attribute(&attribute, &mut notes);
            assert!(notes.iter().all(|note| note.contains("is the older name of")) && !notes.is_empty(), "{notes:?}");
        }
        let none = "#triton_gpu.shared<{vec = 8, perPhase = 3, maxPhase = 8, order = [1, 0], hasLeadingOffset = true}>";
        assert!(none.parse::<Encoding>().is_err());
    }
}
