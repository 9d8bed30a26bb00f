//! Stored layouts of other programs: tables of places, pairs of formats, and files that converters wrote.
//!
//! A row is judged from a name and parameters of the zoo alone; the tables are only compared.

mod names;
mod repacked;

use bitstride::{Code, Error};
use bitstride_formats::check::Elsewhere;
use bitstride_formats::{Field, Stored, Verdict, check};
use serde_json::{Map, Value, json};

use super::operation::Ours;
use super::row::Row;

pub(super) use repacked::rows;

/// The system whose bytes were probed.
const SYSTEM: &str = "bytes";

/// What a row says.
type Fields = Map<String, Value>;

/// Whether a file holds such rows.
pub(super) fn owns(file: &str) -> bool {
    file.starts_with("formats/")
}

/// A row from its fields. What is recorded is long; its answer says how much of it there is.
pub(super) fn row(file: &str, fields: Fields) -> Row {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (op, operands) = if file == "formats/pairs" {
        ("pair", vec![text("producer"), text("consumer")])
    } else {
        ("table", vec![text("format")])
    };
    let answers = vec![(SYSTEM, recorded(&fields))];
    Row { file: file.to_owned(), id: text("id"), op: op.to_owned(), operands, answers, fields }
}

/// What a row records, in a line.
fn recorded(fields: &Fields) -> String {
    let number = |name: &str| fields.get(name).and_then(Value::as_i64);
    if let Some(verdict) = fields.get("verdict").and_then(Value::as_str) {
        let first = |name: &str| fields.get(name).map_or_else(|| "-".to_owned(), Value::to_string);
        let differing = number("differing").unwrap_or(0);
        let (last, column_major) = (first("first_last_axis_fastest"), first("first_first_axis_fastest"));
        return format!("{verdict}; {differing} differ; first {last} or {column_major}");
    }
    let entries =
        ["table", "bit_table", "samples", "bit_samples"].iter().find_map(|name| fields.get(*name)?.as_array());
    let bits = number("total_bits").map_or_else(|| "-".to_owned(), |bits| bits.to_string());
    format!("{} places in {bits} bits", entries.map_or(0, Vec::len))
}

/// Our answer to a row: what is recorded, where it is right, else the first thing that is not.
pub(super) fn answer(row: &Row) -> Ours {
    let judged = match row.op.as_str() {
        "pair" => pair(&row.fields).map(Some),
        "table" => table(row).map(|wrong| Some(wrong.unwrap_or_else(|| recorded(&row.fields)))),
        "repack" => repacked::answer(row).map(Some),
        _ => Ok(None),
    };
    match judged {
        Ok(Some(text)) => Ours::Answer(text),
        Ok(None) => Ours::NoCode,
        Err(error) => Ours::Answer(format!("no answer: {error}")),
    }
}

fn numbers(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

fn malformed(what: &str) -> Error {
    Error::new(Code::Kind, format!("the row has no {what}"))
}

/// The first place that is not as recorded.
fn table(row: &Row) -> Result<Option<String>, Error> {
    let fields = &row.fields;
    let (format, name) = names::of_table(row)?;
    let field = format.field(&name)?;
    let shape = fields.get("shape").and_then(numbers).ok_or_else(|| malformed("shape"))?;
    let bits = fields.get("elem_bits").and_then(Value::as_i64).ok_or_else(|| malformed("elem_bits"))?;
    if field.places.shape()? != shape || field.places.element_bits() != bits {
        return Ok(Some(format!("{:?} of {} bits", field.places.shape()?, field.places.element_bits())));
    }
    let memory = format.tensor_of(field).map_or(Ok(0), |tensor| tensor.bits())?;
    if let Some(total) = fields.get("total_bits").and_then(Value::as_i64)
        && total != memory
    {
        return Ok(Some(format!("{memory} bits of memory, not {total}")));
    }
    for (point, places) in entries(fields, &shape)? {
        for bit in 0..bits {
            let recorded = match places.as_slice() {
                [lowest] => lowest + bit,
                all => {
                    usize::try_from(bit).ok().and_then(|bit| all.get(bit)).copied().ok_or_else(|| malformed("bit"))?
                }
            };
            let ours = field.places.at(&point, bit)?;
            if ours != recorded {
                return Ok(Some(format!("bit {bit} of {point:?} is at {ours}, not {recorded}")));
            }
        }
    }
    Ok(None)
}

/// A point, and where its lowest bit or each of its bits was found.
type Probed = (Vec<i64>, Vec<i64>);

/// The points of a row with their recorded places.
fn entries(fields: &Fields, shape: &[i64]) -> Result<Vec<Probed>, Error> {
    let places = |value: &Value| value.as_i64().map(|one| vec![one]).or_else(|| numbers(value));
    let list = |name: &str| fields.get(name).and_then(Value::as_array);
    if let Some(table) = list("table").or_else(|| list("bit_table")) {
        let mut point = vec![0; shape.len()];
        let mut all = Vec::new();
        for entry in table {
            all.push((point.clone(), places(entry).ok_or_else(|| malformed("place"))?));
            for (x, extent) in point.iter_mut().zip(shape).rev() {
                *x += 1;
                if *x < *extent {
                    break;
                }
                *x = 0;
            }
        }
        let size: i64 = shape.iter().product();
        return if i64::try_from(all.len()) == Ok(size) { Ok(all) } else { Err(malformed("place for each element")) };
    }
    let samples = list("samples").or_else(|| list("bit_samples")).ok_or_else(|| malformed("table"))?;
    let read = |sample: &Value| Some((numbers(sample.get(0)?)?, places(sample.get(1)?)?));
    samples.iter().map(|sample| read(sample).ok_or_else(|| malformed("sample"))).collect()
}

/// What a check says of a pair, in the words of the row.
fn pair(fields: &Fields) -> Result<String, Error> {
    let producer = names::of_pair(fields, "producer")?;
    let consumer = names::of_pair(fields, "consumer")?;
    let axes: Vec<&str> =
        fields.get("axes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let report = check::fields_over(&axes, &producer, &consumer)?;
    for (side, field) in [("producer_zero_bytes", &producer), ("consumer_zero_bytes", &consumer)] {
        let zero = zero_byte(field)?;
        if let Some(recorded) = fields.get(side).and_then(numbers)
            && recorded != [zero]
        {
            return Ok(format!("a zero is stored as {zero}"));
        }
    }
    let first = |name: &str, found: &Option<Elsewhere>| {
        let (Some(found), true) = (found, fields.contains_key(name)) else { return "-".to_owned() };
        let Elsewhere { element, places: [producer, consumer] } = found;
        // All bits are recorded where they are no fields of whole bytes or nibbles.
        let in_bits = fields.get(name).is_some_and(|recorded| recorded.get("producer_bits").is_some());
        match found.contiguous().filter(|_| !in_bits) {
            Some([producer, consumer]) => {
                json!({"element": element, "producer_bit": producer, "consumer_bit": consumer})
            }
            None => json!({"element": element, "producer_bits": producer, "consumer_bits": consumer}),
        }
        .to_string()
    };
    let verdict = match &report.verdict {
        Verdict::Same => "same",
        Verdict::SamePlaces(_) => "same places, codes xored",
        Verdict::Different => "different",
    };
    let (differing, last, column_major) = (report.differing.unwrap_or(-1), &report.first, &report.first_column_major);
    let (last, column_major) =
        (first("first_last_axis_fastest", last), first("first_first_axis_fastest", column_major));
    Ok(format!("{verdict}; {differing} differ; first {last} or {column_major}"))
}

/// The byte in which all codes are stored zeros.
fn zero_byte(field: &Field) -> Result<i64, Error> {
    let bits = field.places.element_bits();
    let stored = field.stored.iter().try_fold(0, |value, step| step.apply(value, bits));
    let stored = if field.stored.contains(&Stored::Exponent) { 0 } else { stored? };
    Ok((0..8).step_by(usize::try_from(bits).unwrap_or(8)).fold(0, |byte, at| byte | stored << at) & 0xff)
}
