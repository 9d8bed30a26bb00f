//! The property table of a value.

use super::swizzle::bits;
use super::words::{list, tuple};
use crate::{Entry, Value};
use bitstride::cute::{self, Function, Layout};
use bitstride::linear::LinearLayout;
use bitstride::notation::Ints;
use bitstride::sharding::{Digits, Sharding, written};
use bitstride::xla::{Array, Image, Shape};
use bitstride::{Int, Integer, StrideLeaf, Tuple, gcd};

/// One line of the table: the name of a property and its value as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Property {
    /// The name, such as `cosize`.
    pub name: &'static str,
    /// The value: text of the language, or words.
    pub value: String,
}

/// Whether an offset is hit twice is counted up to this many elements where the strides do not decide it.
const MOST_COUNTED: i64 = 1 << 12;

/// The properties of a value, in the order they are read.
pub(super) fn table(value: &Value, ints: Ints) -> Vec<Property> {
    let mut rows = Rows { rows: Vec::new(), ints };
    match value {
        Value::Layout(layout) => rows.layout(layout),
        Value::Offset(slice) => {
            rows.layout(&slice.layout);
            rows.add("offset", Value::from(slice.offset.to_coordinate()));
        }
        Value::Function(function) => rows.function(function),
        Value::Tuple(tuple) => rows.tuple(tuple),
        Value::List(values) => rows.text("entries", values.len().to_string()),
        Value::Linear(layout) => rows.linear(layout),
        Value::Xla(Shape::Array(array) | Shape::Buffer(array)) => rows.tiled(array),
        Value::Instruction(whole) => {
            for part in whole.parts() {
                if let Ok(value) = whole.part(part) {
                    rows.add(part, value);
                }
            }
        }
        Value::Sharding(sharding) => rows.sharding(sharding),
        Value::Xla(_)
        | Value::BareLayout(_)
        | Value::Map(_)
        | Value::Affine(_)
        | Value::Verdict(_)
        | Value::Tiler(_)
        | Value::Bool(_)
        | Value::Text(_)
        | Value::Name(_)
        | Value::Encoding(_) => {}
    }
    rows.rows
}

impl Rows {
    /// What a tensor over devices is: how many devices, what the first holds and allocates, and what pending digits hold.
    fn sharding(&mut self, sharding: &Sharding) {
        if let Ok(devices) = sharding.devices() {
            self.text("devices", devices.to_string());
        }
        let shown = |held: &Option<Vec<i64>>| held.as_ref().map_or("nothing".to_owned(), |all| format!("{all:?}"));
        if let (Ok(held), Ok(allocated)) = (sharding.shard(0), sharding.allocation(0)) {
            self.text("device 0 holds", written(&held));
            self.text("device 0 allocates", shown(&allocated));
        }
        for digit in sharding.placement().pending() {
            self.text("of one value", format!("{} devices hold {}", digit.part.size, digit.role));
        }
        match Digits::of(sharding) {
            Some(digits) => self.text("digits", digits.count().to_string()),
            None => self.text("digits", "none: uneven, or in an order that no digits describe".to_owned()),
        }
    }
}

struct Rows {
    rows: Vec<Property>,
    ints: Ints,
}

impl Rows {
    fn tiled(&mut self, array: &Array) {
        let Ok(image) = Image::of(array) else { return };
        self.text("element", format!("{} bits", image.element_bits()));
        self.text("elements", image.elements().to_string());
        self.text("places", image.size().to_string());
        if let Ok(bytes) = image.bytes() {
            self.text("bytes", bytes.to_string());
        }
        self.text("tiled dims", tuple(image.tiled_dims()));
        self.text("offset", image.index_formula());
        if let Ok(strides) = array.element_strides() {
            self.text("strides", tuple(&strides));
        }
        if let (false, Ok(untiled)) = (array.layout.tiles.is_empty(), array.is_untiled()) {
            self.text("untiled", if untiled { "yes: the tiles change nothing" } else { "no" });
        }
        if let Ok(padding) = array.padding() {
            self.text("padding", padding.to_string());
        }
    }

    fn text(&mut self, name: &'static str, value: impl Into<String>) {
        self.rows.push(Property { name, value: value.into() });
    }

    fn add(&mut self, name: &'static str, value: impl Into<Value>) {
        let text = value.into().display(self.ints);
        self.text(name, text);
    }

    fn number(&mut self, name: &'static str, n: usize) {
        self.text(name, n.to_string());
    }

    fn linear(&mut self, layout: &LinearLayout) {
        for (name, dims, bits) in
            [("in dims", layout.ins(), layout.in_bits()), ("out dims", layout.outs(), layout.out_bits())]
        {
            let dims: Vec<String> = dims.iter().map(|dim| format!("{}:{}", dim.name, dim.size())).collect();
            self.text(name, format!("{}, {bits} bits", dims.join(", ")));
        }
        self.text("rank", layout.rank().to_string());
        self.add("surjective", layout.is_surjective());
        self.add("injective", layout.is_injective());
    }

    fn layout(&mut self, layout: &Layout) {
        self.add("shape", layout.shape());
        self.add("stride", layout.stride());
        self.measures(layout);
        if let Ok(coshape) = cute::coshape(layout) {
            self.add("coshape", coshape);
        }
        if let Ok(cosize) = cute::cosize(layout) {
            self.add("cosize", cosize);
        }
        if let Some(words) = injective(layout) {
            self.text("injective", words);
        }
    }

    fn measures(&mut self, layout: &Layout) {
        if let Ok(size) = layout.size() {
            self.add("size", size);
        }
        self.number("rank", layout.rank());
        self.number("depth", layout.depth());
    }

    fn function(&mut self, function: &Function) {
        if let Ok(domain) = function.domain() {
            self.add("shape", domain.shape());
            self.measures(domain);
        }
        if let Ok(cosize) = function.cosize() {
            self.add("cosize", cosize);
        }
        match function {
            Function::Composed(composed) => {
                self.text("outer", Value::from(composed.outer.clone()).display(self.ints));
                self.add("offset", composed.offset.clone());
                self.text("inner", Value::from(composed.inner.clone()).display(self.ints));
                match composed.outer {
                    Function::Swizzle(swizzle) => self.text("swizzle", bits(swizzle)),
                    Function::Bytes(bytes) => self.function(&Function::Bytes(bytes)),
                    _ => {}
                }
            }
            Function::Swizzle(swizzle) => {
                self.text("swizzle", bits(*swizzle));
                self.text("sources", format!("{:#b}", swizzle.sources()));
                self.text("targets", format!("{:#b}", swizzle.targets()));
            }
            Function::Bytes(bytes) => {
                self.text("swizzle", format!("of the bytes of elements of {} bits", bytes.bits()))
            }
            Function::Layout(_) | Function::Offset(_) => {}
        }
    }

    fn tuple(&mut self, tuple: &Tuple<Entry>) {
        if tuple.is_leaf() {
            return;
        }
        self.number("rank", tuple.rank());
        self.number("depth", tuple.depth());
        let shape = Value::Tuple(tuple.clone()).as_shape();
        if let Some(size) = shape.ok().and_then(|shape| shape.size().ok()) {
            self.add("product", size);
        }
    }
}

/// Whether no two coordinates meet, and whether all offsets from 0 on are hit; nothing where it is not settled.
fn injective(layout: &Layout) -> Option<String> {
    let size = layout.size().ok()?.fixed()?;
    let mut modes: Vec<(i64, i64)> = Vec::new();
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        let extent = extent.fixed()?;
        if extent > 1 {
            modes.push((extent, stride.as_integer()?.fixed()?));
        }
    }
    if size == 0 {
        return Some("yes: it has no elements".into());
    }
    if let Some((extent, _)) = modes.iter().find(|(_, stride)| *stride == 0) {
        return Some(format!("no: the mode {extent}:0 repeats one place {extent} times"));
    }
    for (at, (n, d)) in modes.iter().enumerate() {
        for (m, e) in modes.iter().skip(at + 1) {
            // x*d = y*e first happens at x = e/gcd, y = d/gcd.
            let common = gcd(*d, *e);
            let (x, y) = (e.checked_div(common)?.checked_abs()?, d.checked_div(common)?.checked_abs()?);
            if x < *n && y < *m {
                return Some(format!("no: {x} steps of {d} and {y} of {e} are equally long"));
            }
        }
    }
    modes.sort_by_key(|(_, stride)| stride.unsigned_abs());
    let mut reach: u128 = 0;
    let mut nested = true;
    for (extent, stride) in &modes {
        nested &= u128::from(stride.unsigned_abs()) > reach;
        reach += u128::from(stride.unsigned_abs()) * u128::from(extent.unsigned_abs() - 1);
    }
    if !nested && !distinct(layout, size)? {
        return Some("no: two coordinates share an offset".into());
    }
    let compact = modes.iter().all(|(_, stride)| *stride > 0) && reach + 1 == u128::from(size.unsigned_abs());
    Some(match compact {
        true if size == 1 => "yes: one element, at 0".into(),
        true => format!("yes, and compact: the offsets are 0 to {}, each once", size - 1),
        false => "yes".into(),
    })
}

/// Counted, for the few layouts whose modes interleave.
fn distinct(layout: &Layout, size: i64) -> Option<bool> {
    if size > MOST_COUNTED {
        return None;
    }
    let mut offsets = Vec::new();
    for index in 0..size {
        offsets.push(layout.offset(&Int::from(index)).ok()?.as_integer()?.fixed()?);
    }
    offsets.sort_unstable();
    Some(offsets.windows(2).all(|pair| match pair {
        [a, b] => a != b,
        _ => true,
    }))
}

/// What the kinds of integers in an expression let the algebra do: a sentence for each kind that is there.
pub(super) fn assumptions(leaves: &[Int]) -> Vec<String> {
    let mut dynamic: Vec<String> = Vec::new();
    let mut unknown: Vec<(String, i64)> = Vec::new();
    let mut fixed: Vec<String> = Vec::new();
    for leaf in leaves {
        let text = leaf.to_string();
        match leaf {
            Int::Static(_) if !fixed.contains(&text) => fixed.push(text),
            Int::Dynamic(_) if !dynamic.contains(&text) => dynamic.push(text),
            Int::Unknown(_) | Int::Symbol(_) if !unknown.iter().any(|(known, _)| *known == text) => {
                unknown.push((text, leaf.divisor()));
            }
            _ => {}
        }
    }
    if dynamic.is_empty() && unknown.is_empty() {
        return Vec::new();
    }
    let mut sentences = Vec::new();
    if !fixed.is_empty() {
        sentences.push(format!("Static: {}. The shape of the answer may depend on them.", list(&fixed)));
    }
    if !dynamic.is_empty() {
        sentences.push(format!(
            "Dynamic: {}. Their values check the answer but do not shape it, so modes that happen to have size 1 stay.",
            list(&dynamic)
        ));
    }
    if !unknown.is_empty() {
        let facts: Vec<String> = unknown
            .iter()
            .map(|(text, divisor)| match divisor {
                1 => format!("{text} (nothing is known of it)"),
                _ => format!("{text} (a multiple of {divisor})"),
            })
            .collect();
        sentences.push(format!(
            "Unknown: {}. The answer holds for every such value; an unknown extent is taken to be at least 1 and at least its divisor, an unknown stride to be positive where a reach is measured.",
            list(&facts)
        ));
    }
    sentences
}
