//! The lines of a sheet with their answers, as the editor of the page shows them.

use bitstride::notation::{Ints, Span};
use bitstride_json::with_text_numbers;
use bitstride_lang::{Line, Sheet, Spelling, Value, repairs};
use serde_json::{Map, Value as Json, json};

use crate::refused;

/// Of how many refused lines repairs are looked for.
const MAX_REPAIRED: usize = 32;

/// `{"lines": […]}`, one object a line that says something.
pub(crate) fn lines(sheet: &Sheet, text: &str) -> Json {
    let mut places = Places::new(text);
    let mut repaired = 0;
    let mut lines = Vec::new();
    for line in sheet.lines() {
        // Of a long text that is no sheet, nobody repairs every line.
        repaired += usize::from(line.outcome.is_err());
        lines.push(object(sheet, text, line, repaired <= MAX_REPAIRED, &mut places));
    }
    json!({ "lines": lines })
}

fn object(sheet: &Sheet, text: &str, line: &Line, is_repaired: bool, places: &mut Places) -> Json {
    let (first, start) = places.of(line.span.start);
    let (last, end) = places.of(line.span.end);
    let at = [line.expression.start, line.expression.end].map(|offset| places.of(offset).1);
    let mut object = Map::new();
    object.insert("line".into(), first.into());
    object.insert("lines".into(), (last - first + 1).into());
    object.insert("start".into(), start.into());
    object.insert("end".into(), end.into());
    object.insert("name".into(), json!(line.name));
    object.insert("expression".into(), line.expression.of(text).into());
    object.insert("at".into(), json!(at));
    object.insert("uses".into(), json!(line.uses));
    object.insert("unknowns".into(), json!(line.unknowns));
    let expression = line.expression.of(text);
    match &line.outcome {
        Ok(answer) => {
            object.insert("view".into(), json!(view(&answer.value)));
            let answer = with_text_numbers(bitstride_json::answer(answer, Spelling::Plain).into());
            object.extend(members(answer));
        }
        Err(error) => {
            let mut refusal = refused(expression, error, expression, 0);
            if let Some(span) = error.span() {
                let inside = |offset: usize| line.expression.start + expression.floor_char_boundary(offset);
                let span = Span::new(inside(span.start), inside(span.end));
                refusal["error"]["utf16"] = json!([places.of(span.start).1, places.of(span.end).1]);
            }
            let repairs = is_repaired.then(|| repairs(expression, error, Ints::Plain, sheet.names()));
            refusal["error"]["repairs"] = json!(repairs.unwrap_or_default());
            object.extend(members(refusal));
        }
    }
    object.into()
}

/// The members of an object.
pub(crate) fn members(object: Json) -> Map<String, Json> {
    match object {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// The family of pictures that a value has.
fn view(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Linear(_) => "linear",
        Value::Xla(_) => "xla",
        Value::Instruction(_) => "instruction",
        Value::Bool(_) | Value::Verdict(_) | Value::Text(_) => "words",
        Value::Map(_) => "map",
        Value::Layout(_) | Value::Offset(_) | Value::Function(_) | Value::Tiler(_) | Value::Tuple(_) => "layout",
        _ => return None,
    })
}

/// Offsets in bytes as lines and code units of UTF-16. Offsets are asked in roughly ascending order, so that a sheet is walked once.
struct Places<'t> {
    text: &'t str,
    /// A line, and where in bytes and code units it starts.
    starts: Vec<(usize, usize)>,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        let mut starts = vec![(0, 0)];
        let (mut bytes, mut units) = (0, 0);
        for line in text.split_inclusive('\n') {
            bytes += line.len();
            units += line.encode_utf16().count();
            starts.push((bytes, units));
        }
        Places { text, starts }
    }

    /// The number of the line, and the offset in code units.
    fn of(&mut self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|(bytes, _)| *bytes <= offset).saturating_sub(1);
        let (bytes, units) = self.starts.get(line).copied().unwrap_or_default();
        let inside = self.text.get(bytes..self.text.floor_char_boundary(offset)).unwrap_or_default();
        (line, units + inside.encode_utf16().count())
    }
}
