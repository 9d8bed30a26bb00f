//! [`Facts`]: what a type with a layout says.

use bitstride::Error;
use bitstride::notation::element_bits;
use bitstride_lang::evaluate;

/// What a type says. Extents and strides that are known only at run time stay unknown.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What it is: `layout`, `memref`, `tiled_mma`.
    pub what: String,
    /// The layout or the instruction in the notation.
    pub layout: String,
    /// Where the elements are: `gmem`, `smem`, `rmem` or `tmem`.
    pub memory: Option<String>,
    /// The bits of an element.
    pub element_bits: Option<i64>,
    /// How many coordinates the layout has.
    pub size: Option<i64>,
    /// How many elements it reaches over, from its first one on, before a swizzle moves them within its block.
    pub cosize: Option<i64>,
}

impl Facts {
    /// Reads a type, with its name and what stands in its brackets; nothing of a type that has no layout.
    ///
    /// # Errors
    /// Why the layout cannot be read.
    pub(super) fn read(name: &str, inside: &str, text: &str) -> Option<Result<Facts, Error>> {
        let what = name.strip_prefix("!cute.").or_else(|| name.strip_prefix("!cute_nvgpu."))?;
        let has_layout =
            matches!(what, "layout" | "composed_layout" | "memref" | "coord_tensor" | "tiled_copy" | "tiled_mma");
        has_layout.then(|| Facts::of(what, inside, text))
    }

    fn of(what: &str, inside: &str, text: &str) -> Result<Facts, Error> {
        let layout = evaluate(text)?.value.to_string();
        let mut facts = Facts { what: what.to_owned(), layout, ..Facts::default() };
        if !matches!(what, "tiled_copy" | "tiled_mma" | "coord_tensor") {
            // Behind a pointer the layout counts elements, whatever swizzles their bytes.
            let quoted = inside.rsplit('"').nth(1).unwrap_or_default();
            facts.size = number(&format!("size({quoted})"));
            facts.cosize = number(&format!("cosize({quoted})"));
        }
        if what == "memref" {
            let mut items = inside.trim_matches(['<', '>']).split(',').map(str::trim);
            let element = items.next().unwrap_or_default();
            facts.element_bits = element_bits(element);
            facts.memory = items.next().map(str::to_owned);
        }
        Ok(facts)
    }

    /// The bytes from the first element to the end of the last, before a swizzle moves them.
    pub fn bytes(&self) -> Option<i64> {
        let bits = self.cosize?.checked_mul(self.element_bits?)?;
        Some(bits.checked_add(7)? / 8)
    }
}

/// The integer that an expression is, where it is a known one.
fn number(expression: &str) -> Option<i64> {
    evaluate(expression).ok()?.value.to_string().parse().ok()
}
