//! The notations that hold a layout of places: that of CuTe, a linear map of bits, an array of XLA.
//!
//! Law: each text is the same layout, or is left out.

use bitstride_lang::evaluate;

/// The widths that XLA has types without a sign of.
const XLA_BITS: [i64; 6] = [2, 4, 8, 16, 32, 64];

/// A layout in the notations that hold it, each with its name; the one in which it is written comes first. Places are counted in units
/// of a given number of bits.
///
/// ```
/// use bitstride_formats::notations;
/// let all = notations("(4,8):(8,1)", 4);
/// assert_eq!(all.iter().map(|own| own.0).collect::<Vec<_>>(), ["cute", "linear", "xla"]);
/// assert_eq!(all[2].1, "u4[4,8]{1,0}");
/// // A nibble that steps back is neither a linear map nor an array.
/// assert_eq!(notations("(4,(2,4)):(8,(-1,2)) + 1", 4).len(), 1);
/// ```
pub fn notations(layout: &str, unit_bits: i64) -> Vec<(&'static str, String)> {
    let is_cute = layout.starts_with(|first: char| first == '(' || first.is_ascii_digit());
    let mut all = vec![(if is_cute { "cute" } else { "written" }, layout.to_owned())];
    let xla = XLA_BITS.contains(&unit_bits).then(|| format!("xla, u{unit_bits}"));
    let wanted = [("cute", Some("cute".to_owned())), ("linear", Some("linear".to_owned())), ("xla", xla)];
    for (name, into) in wanted {
        let text = into.map(|into| format!("convert({layout}, {into})"));
        let held = text.and_then(|text| evaluate(&text).ok()).map(|own| own.value.to_string());
        let is_new = |text: &String| all.iter().all(|(own, other)| own != &name && other != text);
        all.extend(held.filter(is_new).map(|text| (name, text)));
    }
    all
}
