//! The test that is emitted beside a kernel: it visits every element, computes both its places from the layouts alone, and
//! compares the bytes.

use super::Relayout;
use crate::lang::Language;

impl Relayout {
    /// The functions of both places, and the body of a loop over the number `n` of an element: it counts `wrong` bytes.
    pub(super) fn compared(&self, language: Language) -> [String; 2] {
        let functions = self.places.iter().map(|place| place.source(language)).collect::<String>();
        let mut body = self.located(language);
        let bits = self.element.bits();
        let compared = match bits {
            8.. => {
                let bytes = bits / 8;
                format!(
                    "for (int b = 0; b < {bytes}; b++) wrong += from[from_place_at * {bytes} + b] != to[to_place_at * {bytes} + b];\n"
                )
            }
            _ => {
                let unit = |side: &str| {
                    format!(
                        "({side}[{side}_place_at * {bits} / 8] >> ({side}_place_at * {bits} % 8) & {})",
                        (1 << bits) - 1
                    )
                };
                format!("wrong += {} != {};\n", unit("from"), unit("to"))
            }
        };
        // A place of -1 is padding.
        body.push_str(&format!("if (from_place_at >= 0 && to_place_at >= 0) {compared}"));
        [functions, body]
    }

    /// How many points the box of the tensor has.
    pub(super) fn points(&self) -> i64 {
        self.places[0].arguments.iter().map(|axis| axis.extent).fold(1, i64::saturating_mul)
    }
}

/// A text, each line with a given number of spaces before it.
pub(super) fn indented(text: &str, spaces: usize) -> String {
    text.lines().map(|line| format!("{:spaces$}{line}\n", "")).collect()
}
