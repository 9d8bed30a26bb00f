//! Pictures: as the files that the command line writes, and as cells for a canvas.

use bitstride_draw::scene::Room;
use bitstride_draw::{
    Asked, Drawing, Fill, GridModel, Model, PanelModel, Request, TextOptions, Window, Wrong, model, palette, svg, text,
    tikz,
};
use bitstride_lang::{Sheet, Spelling};
use serde_json::{Value as Json, json};

use crate::{refused, unknown, written};

/// The columns of a picture in text.
const COLUMNS: usize = 100;

/// The rows and columns that are looked at where nothing is said.
const USUAL_SIDE: u64 = 128;

/// The place of a cell that stands for none.
const NO_PLACE: i64 = i64::MIN;
/// The element of a cell that stands for none.
const NO_ELEMENT: i64 = -1;

/// A picture as text, SVG or TikZ.
pub(crate) fn show(sheet: &Sheet, request: &str, format: &str) -> Json {
    let drawing = match drawing(sheet, request) {
        Ok(drawing) => drawing,
        Err(refusal) => return refusal,
    };
    let columns = (format == "text").then_some(COLUMNS);
    let picture = match drawing.picture(columns) {
        Ok(picture) => picture,
        Err(error) => return refused("", &error, "", 0),
    };
    let written = match format {
        "svg" => svg(&picture),
        "tikz" => tikz(&picture),
        "text" => text(&picture, &TextOptions { max_width: COLUMNS, ..TextOptions::default() }),
        _ => return unknown(&format!("{format} is no format of pictures; there are svg, text and tikz")),
    };
    json!({ "picture": written })
}

/// The request as a command line.
pub(crate) fn command(sheet: &Sheet, request: &str) -> Json {
    let request = match read(sheet, request) {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    let mut words = vec!["bitstride show".to_owned()];
    let mut option = |name: &str, value: Option<&str>| {
        words.push(name.to_owned());
        words.extend(value.map(quoted));
    };
    request.expressions.iter().for_each(|expression| option(&quoted(expression), None));
    match &request.asked {
        Asked::Usual => {}
        Asked::Memory => option("--memory", None),
        Asked::Codomain => option("--codomain", None),
        Asked::TwoLine => option("--two-line", None),
        Asked::Banks => option("--banks", None),
        Asked::ThreadValue(tile) => option("--tv", Some(tile)),
        Asked::Tensor => option("--view", Some("tensor")),
        Asked::Hardware => option("--view", Some("hardware")),
        Asked::Bits => option("--view", Some("bits")),
    }
    let bits = request.element_bits.map(|bits| bits.to_string());
    let one = [
        ("--mark", request.mark.as_deref()),
        ("--slice", request.slice.as_deref()),
        ("--element-bits", bits.as_deref()),
        ("--threads", request.threads.as_deref()),
        ("--transfer", request.transfer.as_deref()),
    ];
    let many = [("--by", &request.by), ("--at", &request.at)];
    many.iter().for_each(|(name, values)| values.iter().for_each(|value| option(name, Some(value))));
    one.iter().filter(|(_, value)| value.is_some()).for_each(|(name, value)| option(name, *value));
    json!({ "shell": words.join(" ") })
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ',' | ':' | '/' | '=' | '+' | '@' | '%');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The cells of a picture, as bytes: the length of the header and the number of cells in four bytes each, the elements and the places
/// in eight bytes a cell, the texts and the fills in four, and the header as JSON. All numbers are little-endian.
pub(crate) fn cells(sheet: &Sheet, request: &str, window: &str) -> Vec<u8> {
    match made(sheet, request, window) {
        Ok(made) => bytes(&made, &header(&made)),
        Err(refusal) => bytes(&Model::default(), &refusal),
    }
}

fn made(sheet: &Sheet, request: &str, window: &str) -> Result<Model, Json> {
    let drawing = drawing(sheet, request)?;
    let room = Room::from(window_of(window)?);
    drawing.picture(room).map(|picture| model(&picture)).map_err(|error| refused("", &error, "", 0))
}

fn window_of(text: &str) -> Result<Window, Json> {
    let given: Json = match text {
        "" => Json::Null,
        _ => serde_json::from_str(text).map_err(|error| unknown(&format!("the window is no JSON: {error}")))?,
    };
    let end = |value: &Json| match value {
        Json::String(digits) => digits.parse().ok(),
        number => number.as_u64(),
    };
    let range = |name: &str| match given[name].as_array().map(Vec::as_slice) {
        None => Ok(0..USUAL_SIDE),
        Some([first, last]) => match (end(first), end(last)) {
            (Some(first), Some(last)) => Ok(first..last),
            _ => Err(unknown(&format!("the {name} of a window are two numbers"))),
        },
        Some(_) => Err(unknown(&format!("the {name} of a window are two numbers"))),
    };
    Ok(Window { rows: range("rows")?, cols: range("cols")? })
}

fn bytes(model: &Model, header: &Json) -> Vec<u8> {
    let header = header.to_string();
    let length = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
    let mut bytes = Vec::new();
    bytes.extend(length(header.len()));
    bytes.extend(length(model.texts.len()));
    bytes.extend(model.elements.iter().flat_map(|element| element.unwrap_or(NO_ELEMENT).to_le_bytes()));
    bytes.extend(model.places.iter().flat_map(|place| place.unwrap_or(NO_PLACE).to_le_bytes()));
    bytes.extend(model.texts.iter().flat_map(|text| text.to_le_bytes()));
    bytes.extend(model.fills.iter().flat_map(|fill| number(*fill).to_le_bytes()));
    bytes.extend(header.as_bytes());
    bytes
}

/// A fill as a number: groups from 0 on, and the others below.
fn number(fill: Fill) -> i32 {
    match fill {
        Fill::Plain => -1,
        Fill::Muted => -2,
        Fill::Marked => -3,
        Fill::Empty => -4,
        Fill::Group(group) => i32::try_from(group).unwrap_or(i32::MAX),
    }
}

fn header(model: &Model) -> Json {
    let legend = model.legend.iter().map(|(fill, text)| json!({"fill": number(*fill), "text": text}));
    let rows = model.rows.iter().map(|row| row.iter().map(panel).collect::<Json>());
    json!({
        "title": model.title,
        "footnote": model.footnote,
        "legend": legend.collect::<Json>(),
        "strings": model.strings,
        "rows": rows.collect::<Json>(),
    })
}

fn panel(panel: &PanelModel) -> Json {
    json!({
        "title": panel.title,
        "caption": panel.caption,
        "hidden": panel.is_hidden,
        "grids": panel.grids.iter().map(grid).collect::<Json>(),
    })
}

fn grid(grid: &GridModel) -> Json {
    let first = |numbers: &[u64]| numbers.first().copied().unwrap_or(0).to_string();
    json!({
        "rows": grid.rows.to_string(),
        "cols": grid.cols.to_string(),
        "first_row": first(&grid.row_numbers),
        "first_col": first(&grid.col_numbers),
        "height": grid.row_numbers.len(),
        "width": grid.col_numbers.len(),
        "start": grid.start,
        "row_heads": grid.row_heads,
        "col_heads": grid.col_heads,
        "row_levels": grid.row_levels,
        "col_levels": grid.col_levels,
        "frame": if grid.has_parentheses { "parentheses" } else { "lines" },
    })
}

/// The colours of all fills, by their numbers.
pub(crate) fn colours() -> Json {
    let named = [("plain", Fill::Plain), ("muted", Fill::Muted), ("marked", Fill::Marked), ("empty", Fill::Empty)];
    let mut colours: serde_json::Map<String, Json> =
        named.into_iter().map(|(name, fill)| (name.to_owned(), json!(palette(fill)))).collect();
    colours.insert("groups".into(), (0..24).map(|group| json!(palette(Fill::Group(group)))).collect());
    colours.into()
}

fn drawing(sheet: &Sheet, request: &str) -> Result<Drawing, Json> {
    let request = read(sheet, request)?;
    Drawing::new(&request, Spelling::Plain).map_err(|(text, error): Wrong| {
        let mut refusal = refused(&text, &error, &text, 0);
        refusal["error"]["text"] = text.into();
        refusal
    })
}

/// The request with the values of names in their places.
fn read(sheet: &Sheet, request: &str) -> Result<Request, Json> {
    let given: Json =
        serde_json::from_str(request).map_err(|error| unknown(&format!("the request is no JSON: {error}")))?;
    let written = |text: &str| written(sheet, text);
    let optional = |name: &str| given[name].as_str().filter(|text| !text.is_empty()).map(written).transpose();
    let list = |name: &str| -> Result<Vec<String>, Json> {
        let texts = given[name].as_array().map(Vec::as_slice).unwrap_or_default();
        texts.iter().filter_map(Json::as_str).map(written).collect()
    };
    let asked = match given["view"].as_str().unwrap_or("grid") {
        "grid" | "" => Asked::Usual,
        "memory" => Asked::Memory,
        "codomain" => Asked::Codomain,
        "two-line" => Asked::TwoLine,
        "tv" => Asked::ThreadValue(optional("tile")?.unwrap_or_default()),
        "tensor" => Asked::Tensor,
        "hardware" => Asked::Hardware,
        "bits" => Asked::Bits,
        "banks" => Asked::Banks,
        other => return Err(unknown(&format!("there is no view {other}"))),
    };
    let element_bits = match &given["element_bits"] {
        Json::Null => None,
        Json::String(digits) if digits.is_empty() => None,
        given => {
            let bits = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
            match bits.parse::<u32>() {
                Ok(bits) if (1..=1024).contains(&bits) => Some(bits),
                _ => return Err(unknown(&format!("an element has 1 to 1024 bits, not {bits}"))),
            }
        }
    };
    Ok(Request {
        expressions: list("expressions")?,
        asked,
        by: list("by")?,
        mark: optional("mark")?,
        at: list("at")?,
        slice: optional("slice")?,
        element_bits,
        threads: optional("threads")?,
        transfer: given["transfer"].as_str().filter(|word| !word.is_empty()).map(str::to_owned),
    })
}
