//! What an H100 counted, took and moved: accesses of one warp, and tensor maps; and the descriptors that CuTe makes.
//!
//! An answer is one JSON value of everything that the row states, and is compared to the letter.

mod atoms;
mod boxes;
mod descriptors;
mod instructions;

use bitstride::cute::Function;
use bitstride::memory::{Access, Fill, Interleave, SharedMemory, TensorMap, Transfer};
use bitstride::{Code, Error, Int, Tuple};
use serde_json::{Map, Value, json};

use super::judge::Kind;
use super::operation::Ours;
use super::row::Row;

/// The system that was measured.
const SYSTEM: &str = "gpu";

/// What rows state.
const STATED: [&str; 7] = ["wavefronts", "conflicts", "sectors", "requests", "accepted", "image", "result"];

/// What the driver's encoder answered where it refused.
const REFUSED: &str = r#"{"accepted":false}"#;

/// What a row says.
type Fields = Map<String, Value>;

/// Whether a file holds such rows.
pub(super) fn owns(file: &str) -> bool {
    file.starts_with("hardware/")
        || file.starts_with("descriptors/")
        || matches!(file, "cute/atoms_mma" | "cute/atoms_copy")
}

/// A row from its fields.
pub(super) fn row(file: &str, fields: Fields) -> Row {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    if file == "descriptors/tma_basis" {
        return boxes::row(file, fields);
    }
    if file.starts_with("descriptors/") {
        return descriptors::row(file, fields);
    }
    if matches!(file, "cute/atoms_mma" | "cute/atoms_copy") {
        return atoms::row(file, fields);
    }
    let op = match file {
        "hardware/tma_legality" => "tensor_map".to_owned(),
        "hardware/tma_images" => "tensor_map_image".to_owned(),
        _ => text("op"),
    };
    let asked = fields.iter().filter(|(name, _)| !STATED.contains(&name.as_str()) && *name != "id" && *name != "op");
    let operands = asked.map(|(name, value)| format!("{name}={value}")).collect();
    let stated: Fields = fields
        .iter()
        .filter(|(name, _)| STATED.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let answers = vec![(SYSTEM, Value::Object(stated).to_string())];
    let (id, mut fields) = (text("id"), fields.clone());
    // The image is the answer; how long it is belongs to the question.
    if let Some(image) = fields.remove("image") {
        fields.insert("image_bytes".to_owned(), json!(image.as_str().map_or(0, str::len) / 2));
    }
    Row { file: file.to_owned(), id, op, operands, answers, fields }
}

/// Our answer to a row.
pub(super) fn answer(row: &Row) -> Ours {
    let fields = &row.fields;
    let computed = match row.file.as_str() {
        "hardware/shared_memory" => access(fields).map(|(transfer, bytes, addresses)| {
            let access = Access::new(transfer, bytes, &addresses)?;
            let passes = SharedMemory::NVIDIA.passes(&access)?;
            Ok(json!({"wavefronts": passes.wavefronts(), "conflicts": passes.conflicts()}))
        }),
        "hardware/global_memory" => access(fields).map(|(transfer, bytes, addresses)| {
            let access = Access::new(transfer, bytes, &addresses)?;
            Ok(json!({"sectors": access.sectors()?, "requests": 1}))
        }),
        "hardware/tma_legality" => {
            map(fields).map(|map| map.and_then(|map| map.check()).map(|()| json!({"accepted": true})))
        }
        "hardware/tma_images" => image(fields),
        "cute/atoms_mma" | "cute/atoms_copy" => atoms::answer(fields),
        "descriptors/tma_basis" => Some(boxes::answer(fields)),
        "descriptors/umma_idesc" => Some(instructions::answer(fields)),
        "descriptors/gmma_desc" | "descriptors/umma_desc" => descriptors::answer(fields),
        _ => None,
    };
    match computed {
        Some(Ok(value)) => Ours::Answer(value.to_string()),
        Some(Err(error)) => Ours::Refused(error),
        None => Ours::NoCode,
    }
}

/// How our answer differs from what was measured, where it does.
pub(super) fn differs(row: &Row, theirs: &str, ours: &Ours) -> Result<Option<Kind>, String> {
    if row.file == "descriptors/tma_basis" {
        return boxes::differs(&row.fields, theirs, ours);
    }
    if row.file == "descriptors/umma_idesc" {
        return instructions::differs(&row.fields, theirs, ours);
    }
    if row.file.starts_with("descriptors/") {
        return descriptors::differs(&row.fields, theirs, ours);
    }
    if row.file.starts_with("cute/") {
        return atoms::differs(theirs, ours);
    }
    match ours {
        Ours::Answer(ours) if ours == theirs => Ok(None),
        Ours::Refused(_) if theirs == REFUSED => Ok(None),
        Ours::Refused(error) if error.code() == Code::TooLarge => Ok(Some(Kind::AcceptsUnlawful)),
        ours => Err(format!("not as measured: {}", ours.text())),
    }
}

fn access(fields: &Fields) -> Option<(Transfer, i64, Vec<Option<i64>>)> {
    let op = fields.get("op")?.as_str()?;
    let transfer = Transfer::of_word(op.trim_end_matches(".trans"))?;
    let all: Vec<i64> = numbers(fields, "addr")?;
    if transfer.is_matrix() {
        let rows = usize::try_from(fields.get("matrices")?.as_i64()? * 8).ok()?;
        return Some((transfer, 16, all.into_iter().take(rows).map(Some).collect()));
    }
    let mask = fields.get("mask")?.as_u64()?;
    let lanes = all.into_iter().enumerate();
    let addresses = lanes.map(|(lane, address)| (mask >> lane & 1 == 1).then_some(address)).collect();
    Some((transfer, fields.get("bytes")?.as_i64()?, addresses))
}

fn numbers(fields: &Fields, name: &str) -> Option<Vec<i64>> {
    fields.get(name)?.as_array()?.iter().map(Value::as_i64).collect()
}

/// The tensor map of a row; an error for what is no parameter at all.
fn map(fields: &Fields) -> Option<Result<TensorMap, Error>> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let wrong = |what: &str| Some(Err(Error::new(Code::Range, format!("{what} is no parameter"))));
    let kind = text("type")?;
    let element_bytes = match kind {
        "u8" => 1,
        "u16" | "f16" | "bf16" => 2,
        "u32" | "i32" | "f32" | "tf32" | "f32_ftz" | "tf32_ftz" => 4,
        "u64" | "i64" | "f64" => 8,
        other => return wrong(other),
    };
    let interleave = match text("interleave")? {
        "none" => Interleave::None,
        "16B" => Interleave::Bytes16,
        "32B" => Interleave::Bytes32,
        other => return wrong(other),
    };
    let swizzle = match text("swizzle")? {
        "none" => 0,
        "32B" => 32,
        "64B" => 64,
        "128B" => 128,
        other => return wrong(other),
    };
    let fill = match fields.get("oob_nan")?.as_i64()? {
        0 => Fill::Zero,
        1 if kind.starts_with(['u', 'i']) => Fill::NanOfIntegers,
        1 => Fill::Nan,
        _ => return wrong("the fill"),
    };
    if fields.get("l2")?.as_i64()? > 3 {
        return wrong("the promotion in L2");
    }
    Some(Ok(TensorMap {
        element_bytes,
        dims: numbers(fields, "dims")?,
        strides: numbers(fields, "strides")?,
        window: numbers(fields, "box")?,
        element_strides: numbers(fields, "element_strides")?,
        interleave,
        swizzle,
        base: fields.get("base_offset")?.as_i64()?,
        fill,
    }))
}

/// The bytes of shared memory that nothing was written to.
const UNTOUCHED: u8 = 0xee;

/// The shared memory after the copy, or whether it faults.
fn image(fields: &Fields) -> Option<Result<Value, Error>> {
    let map = match map(fields)? {
        Ok(map) => map,
        Err(error) => return Some(Err(error)),
    };
    let from = numbers(fields, "coords")?;
    if fields.contains_key("result") {
        return Some(Ok(json!({"result": if map.faults_at(&from) { "fault" } else { "loads" }})));
    }
    let length = usize::try_from(fields.get("image_bytes")?.as_u64()?).ok()?;
    Some(map.image().map(|image| json!({"image": copied(&map, &image, &from, length).unwrap_or_default()})))
}

/// The bytes of shared memory after a copy from a memory that holds the numbers of its 16-bit words.
fn copied(map: &TensorMap, image: &Function, from: &[i64], length: usize) -> Option<String> {
    let mut bytes = vec![UNTOUCHED; length];
    let shape = image.domain().ok()?.shape().try_map(Int::as_number).ok()?;
    for at in bitstride::cute::coordinates(&shape) {
        let offset = image.offset_at(&Tuple::flat(&at.leaves().iter().map(|n| Int::from(*n)).collect::<Vec<_>>()));
        let offset = offset.ok()?.to_coordinate().size().ok()?.as_number().ok()?;
        let mut address = map.base;
        let mut outside = false;
        for (dim, x) in at.leaves().iter().enumerate() {
            let step = if dim == 0 { 1 } else { *map.element_strides.get(dim)? };
            let coordinate = from.get(dim)? + x * step;
            outside |= !(0..*map.dims.get(dim)?).contains(&coordinate);
            let stride = if dim == 0 { map.element_bytes } else { *map.strides.get(dim - 1)? };
            address += coordinate * stride;
        }
        for byte in 0..map.element_bytes {
            let held = u16::try_from((address + byte).div_euclid(2).rem_euclid(1 << 16)).ok()?;
            let held = held.to_le_bytes()[usize::try_from((address + byte).rem_euclid(2)).ok()?];
            *bytes.get_mut(usize::try_from(offset * map.element_bytes + byte).ok()?)? = if outside { 0 } else { held };
        }
    }
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
