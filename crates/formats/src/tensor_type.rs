//! What the type of a tensor in a file says of a field, and which type a tensor gets.
//!
//! Blocks of ggml have a type in a GGUF file, and are rows of bytes with a contract elsewhere.
//!
//! Law: a type of other values than those of a field is refused, and values keep the type that they had.

use bitstride::{Code, Error, error};

use crate::container::{Container, Entry};
use crate::format::{Field, Format, Tensor, dtype_bits};
use crate::gguf;
use crate::job::Job;
use crate::promise::of_rows;
use crate::stack;
use crate::zoo::Zoo;

/// Refuses a tensor that has another size than the format gives it, or a type of other values.
pub(crate) fn fits(entry: &Entry, format: &Format, tensor: usize) -> Result<(), Error> {
    let Some(declared) = format.tensors.get(tensor) else { return Ok(()) };
    if let Some(block) = format.name.strip_prefix("gguf:").and_then(|name| name.split(',').next())
        && entry.is_blocks
        && !entry.dtype.eq_ignore_ascii_case(block)
    {
        return Err(error!(
            Code::Kind,
            "{name} has blocks of {dtype}, not of {block}",
            [name = entry.name, dtype = entry.dtype, block]
        )
        .with_help(format!("--from gguf:{}", entry.dtype)));
    }
    let bytes = declared.bytes()?;
    if usize::try_from(bytes) == Ok(entry.data.len()) {
        if !has_extents(entry, format, declared) {
            let shape: Vec<String> = entry.shape.iter().map(ToString::to_string).collect();
            return Err(error!(
                Code::Range,
                "{name} is {dtype}[{shape}], and {format_name} has {declared}, which has other rows",
                [
                    name = entry.name,
                    dtype = entry.dtype,
                    shape = shape.join(","),
                    format_name = format.name,
                    declared = declared.declared()
                ]
            )
            .with_help("it may be transposed, or of another format; extents that are joined or cut are read"));
        }
        let mut fields = format.fields.iter().filter(|field| field.tensor == tensor && !entry.is_blocks);
        let other = fields.find(|field| contradicts(&entry.dtype, &field.kind, field.places.element_bits()));
        return other.map_or(Ok(()), |field| {
            Err(error!(
                Code::Kind,
                "{name} is {dtype}, and the field {field_name} of {format_name} is of {kind}",
                [
                    name = entry.name,
                    dtype = entry.dtype,
                    field_name = field.name,
                    format_name = format.name,
                    kind = field.kind
                ]
            )
            .with_help("bytes of another type would be read as other values; convert the tensor first"))
        });
    }
    let shape: Vec<String> = entry.shape.iter().map(ToString::to_string).collect();
    let (has, declared) = (format!("{}[{}]", entry.dtype, shape.join(",")), declared.declared());
    Err(error!(
        Code::Range,
        "{name} is {has}, {data_count} bytes; {format_name} has {declared}, {bytes} bytes",
        [name = entry.name, has, data_count = entry.data.len(), format_name = format.name, declared, bytes]
    )
    .with_help("--from names what the file holds, with its group and other parameters; --field chooses what fits"))
}

/// Refuses signed integers whose format says nothing of their values as codes without a sign: these have a constant added.
pub(crate) fn check_sign(entry: &Entry, field: &Field, to: &Format) -> Result<(), Error> {
    let is_signed = entry.dtype.starts_with('i') && dtype_bits(&entry.dtype) == Ok(field.places.element_bits());
    let target = to.fields.iter().find(|own| own.name == field.name);
    if !is_signed || field.kind == "uint" || target.is_none_or(|own| own.kind != "uint") {
        return Ok(());
    }
    Err(error!(
        Code::Kind,
        "{name} is {dtype}, and the {field_name} of {to_name} have no sign",
        [name = entry.name, dtype = entry.dtype, field_name = field.name, to_name = to.name]
    )
    .with_help("--from dense:int8 adds 128 to signed bytes; store codes as they are in an unsigned type"))
}

/// Whether a tensor has the extents of the format, also where neighbouring ones are one in the file or in the format. The last
/// ones are compared in bits, since files differ in the type that packed codes have.
fn has_extents(entry: &Entry, format: &Format, declared: &Tensor) -> bool {
    let bits = |shape: &[i64], unit: i64| {
        let mut shape = shape.to_vec();
        let last = shape.last_mut();
        last.map(|last| *last = last.saturating_mul(unit)).map_or_else(|| vec![unit], |()| shape)
    };
    if entry.is_blocks {
        return blocks(format).is_none_or(|(_, own)| are_joined(&entry.shape, &own));
    }
    let Ok(unit) = dtype_bits(&entry.dtype) else { return true };
    are_joined(&bits(&entry.shape, unit), &bits(&declared.shape, declared.dtype_bits))
}

/// Whether extents become others by joining neighbours, on one side only.
fn are_joined(one: &[i64], other: &[i64]) -> bool {
    if one.contains(&0) || other.contains(&0) {
        return one.contains(&0) && other.contains(&0);
    }
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut rest = many.iter().filter(|extent| **extent != 1).peekable();
    for wanted in few.iter().filter(|extent| **extent != 1) {
        let mut product = 1i64;
        while product < *wanted {
            let Some(extent) = rest.next() else { return false };
            product = product.saturating_mul(*extent);
        }
        if product != *wanted {
            return false;
        }
    }
    rest.next().is_none()
}

/// The type of a tensor that is made: that of the tensor that it is made of, where both formats declare one type and the file
/// has another of its size, such as bf16 scales where f16 is usual.
pub(crate) fn dtype(target: usize, job: &Job, container: &Container) -> Result<String, Error> {
    let declared = job.repack.to.get(target).map(|tensor| tensor.dtype.clone()).unwrap_or_default();
    let mut dtype = declared.clone();
    for field in 0..job.repack.fields() {
        let Some((Some(source), Some(to))) = job.repack.tensors_of(field) else { continue };
        let name = job.names.get(source).cloned().flatten();
        let entry = container.tensors.iter().find(|entry| Some(&entry.name) == name.as_ref());
        let (Some(entry), Some(own)) = (entry, job.repack.from.get(source)) else { continue };
        if to != target || !is_float(&entry.dtype) || entry.dtype == own.dtype {
            continue;
        }
        if is_float(&own.dtype) && own.dtype != declared {
            let help = format!("{} has no type that says so; convert it to {}", job.formats[1].name, own.dtype);
            return Err(error!(
                Code::Kind,
                "{name} is {dtype}, and {format} has {own_dtype}",
                [name = entry.name, dtype = entry.dtype, format = job.formats[0].name, own_dtype = own.dtype]
            )
            .with_help(help));
        }
        // A type of integers says nothing of the only field of a tensor; that of the file may.
        let mut fields = job.formats[1].fields.iter().filter(|field| field.tensor == target);
        let bits = fields.next().filter(|_| fields.next().is_none()).map(|field| field.places.element_bits());
        let is_only = bits.is_some_and(|bits| dtype_bits(&entry.dtype) == Ok(bits));
        if own.dtype == declared && (is_float(&declared) || is_only) {
            dtype.clone_from(&entry.dtype);
        }
    }
    Ok(dtype)
}

/// The format of the blocks of a tensor of a GGUF file, where the zoo has it.
pub(crate) fn rows_of_blocks(entry: &Entry, zoo: &Zoo) -> Option<Format> {
    let name = zoo.definitions().iter().map(|own| own.name.as_str());
    let is_own = |own: &&str| own.strip_prefix("gguf:").is_some_and(|own| own.eq_ignore_ascii_case(&entry.dtype));
    let name = name.into_iter().find(is_own)?;
    let format = zoo.instance(&of_rows(name, &entry.shape)).ok()?;
    let is_whole =
        format.tensors.first().and_then(|own| usize::try_from(own.bytes().ok()?).ok()) == Some(entry.data.len());
    is_whole.then_some(format)
}

/// The type of ggml, and the extents in elements, of rows of bytes that are blocks by their contract.
pub(crate) fn blocks_of_rows(format: &Format, shape: &[i64], bytes: usize) -> Option<(String, Vec<i64>)> {
    let (name, own) = blocks(format)?;
    let tensor = format
        .tensors
        .first()
        .filter(|own| own.bytes().ok().and_then(|own| usize::try_from(own).ok()) == Some(bytes))?;
    let mut elements = shape.to_vec();
    let last = elements.last_mut().filter(|last| Some(&**last) == tensor.shape.last())?;
    *last = *own.last()?;
    Some((name, elements))
}

/// The type of a GGUF file that a format is, with the extents in elements.
pub(crate) fn blocks(format: &Format) -> Option<(String, Vec<i64>)> {
    let name = format.name.strip_prefix("gguf:").and_then(|name| name.split(',').next()).and_then(gguf::type_name)?;
    let own = [format.number("n")?, format.number("k")?];
    Some((name, stack::extents(format).iter().copied().chain(own).collect()))
}

/// Whether a type is of numbers with a point, one of several of its size.
pub(crate) fn is_float(dtype: &str) -> bool {
    dtype.starts_with('f') || dtype == "bf16"
}

/// Whether a type says of values of this size that they are others than those of a kind. A type of another size holds
/// packed bits, and integers of 8 bits are how files without the type store numbers of 8 bits.
fn contradicts(dtype: &str, kind: &str, bits: i64) -> bool {
    if dtype_bits(dtype) != Ok(bits) {
        return false;
    }
    let floats: &[&str] = match kind {
        "value" | "bytes" | "scale" | "up_gate" | "gate_up" => return false,
        "f16" | "bf16" => &["f16", "bf16"],
        "f32" => &["f32"],
        "e4m3" => &["f8_e4m3"],
        "e8m0" => &["f8_e8m0"],
        "e2m1" => &["f4"],
        "e2m3" => &["f6_e2m3"],
        _ => &[],
    };
    if dtype.starts_with(['i', 'u']) { bits > 8 && !floats.is_empty() } else { !floats.contains(&dtype) }
}
