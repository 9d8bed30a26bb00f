//! Gluon's constructor of an attribute, as text.

use super::gluon_bases::in_parts;
use super::gluon_classes::{CLASSES, Class};
use crate::notation::attribute::{Attribute, Datum, DatumKind};

/// The constructor of Gluon that makes an attribute; nothing where no class does.
///
/// Law: the text reads as the attribute, its fields in Gluon's order.
///
/// ```
/// use bitstride::notation::{ExprKind, Ints, gluon_text, parse};
/// let tree = parse("SliceLayout(0, BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))", Ints::Plain)?;
/// let text = match &tree.kind {
///     ExprKind::Attribute(attribute) => gluon_text(attribute),
///     _ => None,
/// };
/// assert_eq!(
///     text.as_deref(),
///     Some("SliceLayout(dim=0, parent=BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], \
///           warps_per_cta=[4, 1], order=[1, 0]))")
/// );
/// # Ok::<(), bitstride::notation::SyntaxError>(())
/// ```
pub fn gluon_text(attribute: &Attribute) -> Option<String> {
    let mut fields: Vec<(&str, &Datum)> = Vec::new();
    let mut pairs = None;
    for argument in attribute.body.iter().flatten() {
        match (&argument.name, &argument.datum.kind) {
            (Some(name), _) => fields.push((&name.text, &argument.datum)),
            (None, DatumKind::Dictionary(entries)) => {
                fields.extend(entries.iter().map(|(name, datum)| (name.text.as_str(), datum)));
            }
            (None, DatumKind::Array(items)) => pairs = Some(items),
            (None, _) => return None,
        }
    }
    let find = |name: &str| fields.iter().find(|(field, _)| *field == name).map(|(_, datum)| *datum);
    let inside = |field: &str, name: &str| match &find(field)?.kind {
        DatumKind::Dictionary(entries) => entries.iter().find(|(entry, _)| entry.text == name).map(|(_, datum)| datum),
        _ => None,
    };
    let generic = attribute.name.text.replace("generic_linear", "linear");
    let fits = |class: &&Class| {
        let walks = find("order").is_some() && find("shape").is_some();
        class.attribute == generic && (class.name.ends_with("with_identity_for") == (walks && pairs.is_some()))
    };
    let class = CLASSES.iter().find(fits)?;
    let mut arguments = Vec::new();
    for (parameter, field) in class.parameters {
        let value = match *field {
            "(version)" => {
                let minor = find("versionMinor").map_or(Some("0".to_owned()), python);
                find("versionMajor").and_then(python).zip(minor).map(|(major, minor)| format!("[{major}, {minor}]"))
            }
            "(block)" => {
                let rows = find("blockM").and_then(python);
                rows.zip(find("blockN").and_then(python)).map(|(rows, columns)| format!("({rows}, {columns})"))
            }
            "(pairs)" => pairs.and_then(|items| {
                let pair = |item: &Datum| match item.kind {
                    DatumKind::Interval { interval, padding } => Some(format!("[{interval}, {padding}]")),
                    _ => None,
                };
                Some(format!("[{}]", items.iter().map(pair).collect::<Option<Vec<_>>>()?.join(", ")))
            }),
            "(rank)" => reached(&fields).map(|sizes| format!("{sizes:?}")),
            "(warp)" => inside("ctaLayout", "warp").and_then(python).or(Some("[]".to_owned())),
            "(register)" => inside("ctaLayout", "register").and_then(python),
            // One that walks over its shape has a single block.
            "(cluster)" => match (find("offset"), find("block")) {
                (Some(offsets), Some(block)) => Some(format!("{:?}", in_parts(offsets, block)?)),
                _ => None,
            },
            field => match find(field) {
                Some(datum) => Some(python(datum)?),
                None => None,
            },
        };
        let name = parameter.trim_matches(['[', ']']);
        match value {
            Some(value) => arguments.push(format!("{name}={value}")),
            None if parameter.starts_with('[') => {}
            None => arguments.push(format!("{name}={}", default(field)?)),
        }
    }
    Some(format!("{}({})", class.name, arguments.join(", ")))
}

/// What a field is that an attribute may leave out and Gluon may not.
fn default(field: &str) -> Option<&'static str> {
    match field {
        "kWidth" => Some("0"),
        "isTransposed" | "isTranspose" => Some("False"),
        "(cluster)" => Some("[]"),
        _ => None,
    }
}

/// A datum as Python writes it.
fn python(datum: &Datum) -> Option<String> {
    Some(match &datum.kind {
        DatumKind::Integer(value) => value.to_string(),
        DatumKind::Bool(true) => "True".to_owned(),
        DatumKind::Bool(false) => "False".to_owned(),
        DatumKind::Word(word) => format!("\"{word}\""),
        DatumKind::Array(items) => {
            format!("[{}]", items.iter().map(python).collect::<Option<Vec<_>>>()?.join(", "))
        }
        DatumKind::Attribute(attribute) => gluon_text(attribute)?,
        _ => return None,
    })
}

/// The smallest shape that bases reach, as Gluon wants it; that of a rank where there are none.
fn reached(fields: &[(&str, &Datum)]) -> Option<Vec<i64>> {
    let mut bits: Vec<i64> = Vec::new();
    for (name, datum) in fields {
        match &datum.kind {
            DatumKind::Integer(rank) if *name == "rank" => {
                const MAX_RANK: usize = 64;
                bits.resize(usize::try_from(*rank).ok().filter(|rank| *rank <= MAX_RANK)?, 0);
            }
            DatumKind::Array(bases) => {
                for basis in bases {
                    let DatumKind::Array(values) = &basis.kind else { return None };
                    bits.resize(bits.len().max(values.len()), 0);
                    for (reach, value) in bits.iter_mut().zip(values) {
                        let DatumKind::Integer(value) = value.kind else { return None };
                        *reach |= value;
                    }
                }
            }
            _ => {}
        }
    }
    bits.iter()
        .map(|reach| u64::try_from(reach.checked_add(1)?).ok()?.checked_next_power_of_two()?.try_into().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::gluon_text;
    use crate::notation::{Attribute, ExprKind, Ints, parse};
    use crate::triton::Encoding;

    fn attribute(text: &str) -> Attribute {
        let attribute = match parse(text, Ints::Plain).expect(text).kind {
            ExprKind::Attribute(attribute) => Some(*attribute),
            _ => None,
        };
        attribute.expect(text)
    }

    /// Every kind of encoding, as Triton prints it.
    #[test]
    fn an_encoding_is_written_and_read_back() {
        for text in [
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>",
            "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>",
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>",
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], isTransposed = true, tilesPerWarp = [2, 1]}>",
            "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>",
            "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>",
            "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 3}>",
            "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>",
            "#ttg.padded_shared<[64:+8, 512:+16] {offset = [[0, 1], [2, 0], [1, 0]], block = []}>",
            "#ttg.padded_shared<[8:+1] {offset = [[0, 1], [0, 2], [1, 0], [2, 0]], block = [[0, 4], [4, 0]]}>",
            "#ttg.generic_linear<{register = [[0, 1]], lane = [[1, 0]], warp = [[1, 1]], block = []}>",
            "#ttg.shared_linear<{offset = [[0, 1], [1, 0]], block = [[2, 0]]}, alignment = 128>",
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, twoCTAs = true>",
            "#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>",
            "#gluon.auto_encoding",
        ] {
            let read = attribute(text);
            let written = gluon_text(&read).expect(text);
            let again = attribute(&written);
            let encoding = |attribute: &Attribute| Encoding::from_attribute(attribute, &mut Vec::new());
            assert_eq!(encoding(&again), encoding(&read), "{written}");
            assert!(encoding(&again).is_ok(), "{written}");
        }
        for none in [
            "#ttg.amd_rotating_shared<{vec = 1}>",
            // Gluon counts blocks in parts, of which this is none.
            "#ttg.padded_shared<[8:+1] {offset = [[0, 1], [0, 2], [1, 0]], block = [[0, 3]]}>",
        ] {
            assert_eq!(gluon_text(&attribute(none)), None, "{none}");
        }
    }
}
