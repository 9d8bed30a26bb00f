//! Numbers and spans for readers written in JavaScript, whose numbers are floating-point and whose texts count UTF-16.

use bitstride::notation::Span;
use serde_json::Value as Json;

/// A span of bytes in code units of UTF-16. Offsets that lie outside the text or inside a character count to the character before.
///
/// ```
/// use bitstride::notation::Span;
/// assert_eq!(bitstride_json::utf16("(2,😀)", Span::new(3, 7)), [3, 5]);
/// ```
pub fn utf16(text: &str, span: Span) -> [usize; 2] {
    [span.start, span.end].map(|end| {
        let end = text.floor_char_boundary(end);
        text.get(..end).unwrap_or_default().encode_utf16().count()
    })
}

/// The same value with each number as a string of its digits, so that none above 2^53 is rounded.
///
/// ```
/// use serde_json::json;
/// assert_eq!(bitstride_json::with_text_numbers(json!({"size": [9007199254740993_i64]})), json!({"size": ["9007199254740993"]}));
/// ```
pub fn with_text_numbers(value: Json) -> Json {
    match value {
        Json::Number(number) => Json::String(number.to_string()),
        Json::Array(items) => items.into_iter().map(with_text_numbers).collect(),
        Json::Object(members) => {
            Json::Object(members.into_iter().map(|(name, member)| (name, with_text_numbers(member))).collect())
        }
        other => other,
    }
}
