//! bitstride for the page: a sheet of expressions, asked in JSON.
//!
//! [`Page::call`] is the whole interface: a request `["function", argument, …]` in, an answer out. In WebAssembly `exports.rs` passes
//! both through the memory of the module, and `js/bitstride.js` gives the functions their names; natively it is a function like
//! any other, which tests call. Law: an answer says what the command line says of the same expressions, every number of a value as
//! a string, so that JavaScript rounds none.

mod accesses;
mod chain;
#[cfg(target_arch = "wasm32")]
mod exports;
mod picture;
mod questions;
mod sheet;

use bitstride::notation::Ints;
use bitstride::{Code, Error};
use bitstride_lang::{Sheet, notations, operations};
use serde_json::{Value as Json, json};

/// One page: its sheet, and what is asked of it.
#[derive(Debug, Default)]
pub struct Page {
    sheet: Sheet,
}

impl Page {
    /// The answer to a request, `["function", argument, …]` with texts as arguments: JSON, or the bytes of `model`.
    ///
    /// ```
    /// use bitstride_web::Page;
    /// let mut page = Page::default();
    /// page.call(r#"["update", "a = (4,8):(8,1)"]"#);
    /// assert_eq!(page.call(r#"["answer", "size(a)"]"#), br#"{"kind":"int","value":"32","data":"32"}"#);
    /// ```
    pub fn call(&mut self, request: &str) -> Vec<u8> {
        let asked: Vec<String> = match serde_json::from_str(request) {
            Ok(asked) => asked,
            Err(error) => {
                return unknown(&format!("the request is no list of texts: {error}")).to_string().into_bytes();
            }
        };
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        match asked.as_slice() {
            ["model", request, window] => picture::cells(&self.sheet, request, window),
            asked => self.answer(asked).to_string().into_bytes(),
        }
    }

    fn answer(&mut self, asked: &[&str]) -> Json {
        match asked {
            ["version"] => env!("CARGO_PKG_VERSION").into(),
            ["operations"] => operations().map(|operation| Json::from(bitstride_json::operation(operation))).collect(),
            ["notations"] => notations().collect(),
            ["update", text] => {
                self.sheet = Sheet::new(text);
                sheet::lines(&self.sheet, text)
            }
            ["answer", expression] => questions::answer(&self.sheet, expression),
            ["explain", expression] => questions::explain(&self.sheet, expression),
            ["in_notations", expression] => questions::in_notations(&self.sheet, expression),
            ["facts", expression] => questions::facts(&self.sheet, expression),
            ["accesses", memory, threads, bits, transfer] => {
                accesses::list(&self.sheet, memory, threads, bits, transfer)
            }
            ["palette"] => picture::colours(),
            ["chain", element, names] => chain::places(&self.sheet, element, names),
            ["show", request, format] => picture::show(&self.sheet, request, format),
            ["command", request] => picture::command(&self.sheet, request),
            ["law", expression] => questions::law(&self.sheet, expression),
            [function, ..] => unknown(&format!("no function {function} takes {} arguments", asked.len() - 1)),
            [] => unknown("the request names no function"),
        }
    }
}

/// The refusal of a request that the page should not have made.
fn unknown(message: &str) -> Json {
    bitstride_json::refusal(&Error::new(Code::UnknownName, message)).into()
}

/// A text with the values of the sheet's names in their places. A name alone is what its line says: its value would not tell a tensor of
/// 16-bit elements from others, nor how it was made.
fn written(sheet: &Sheet, text: &str) -> Result<String, Json> {
    match sheet.line(text.trim()) {
        Some(line) => Ok(line.written.clone()),
        None => sheet.names().written_out(text, Ints::Plain).map_err(|error| refused(text, &error, text, 0)),
    }
}

/// The members of a refusal of an expression, with its span in UTF-16 of a text in which the expression begins at an offset.
fn refused(expression: &str, error: &Error, whole: &str, start: usize) -> Json {
    let mut object = Json::Object(bitstride_json::refusal(error));
    let span = object["error"].get("span").cloned();
    object = bitstride_json::with_text_numbers(object);
    if let (Some(bytes), Some(span)) = (error.span(), span) {
        let at = |offset: usize| expression.floor_char_boundary(offset).saturating_add(start);
        let utf16 = bitstride_json::utf16(whole, bitstride::notation::Span::new(at(bytes.start), at(bytes.end)));
        object["error"]["span"] = span;
        object["error"]["utf16"] = json!(utf16);
    }
    object
}
