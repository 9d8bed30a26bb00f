//! [`ElementType`]: what an element is, as far as a layout cares: its name and its width in bits.

/// The element types of XLA that may stand before `[`, without `token` and `opaque`, which have no elements.
///
/// ```
/// use bitstride::xla::ElementType;
/// let bf16 = ElementType::from_name("bf16").map(|element| (element.name(), element.bits(), element.stored_bits()));
/// assert_eq!(bf16, Some(("bf16", 16, 16)));
/// assert_eq!(ElementType::from_name("s4").map(|s4| (s4.bits(), s4.stored_bits())), Some((4, 8)));
/// assert_eq!(ElementType::from_name("F32"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementType(&'static (&'static str, u32));

/// Names and widths, in the order of XLA's list.
const TYPES: &[(&str, u32)] = &[
    ("pred", 1),
    ("s1", 1),
    ("s2", 2),
    ("s4", 4),
    ("s8", 8),
    ("s16", 16),
    ("s32", 32),
    ("s64", 64),
    ("u1", 1),
    ("u2", 2),
    ("u4", 4),
    ("u8", 8),
    ("u16", 16),
    ("u32", 32),
    ("u64", 64),
    ("f4e2m1fn", 4),
    ("f6e2m3fn", 6),
    ("f6e3m2fn", 6),
    ("f8e3m4", 8),
    ("f8e4m3", 8),
    ("f8e4m3b11fnuz", 8),
    ("f8e4m3fn", 8),
    ("f8e4m3fnuz", 8),
    ("f8e5m2", 8),
    ("f8e5m2fnuz", 8),
    ("f8e8m0fnu", 8),
    ("bf16", 16),
    ("f16", 16),
    ("f32", 32),
    ("f64", 64),
    ("c64", 64),
    ("c128", 128),
];

impl ElementType {
    /// The type of a name, in lower case as XLA writes it.
    pub fn from_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(ElementType)
    }

    /// The type that NumPy, PyTorch, MLIR or XLA's own protocol names so: `float32`, `bfloat16`, `float8_e4m3fn`, `i32`, `bool`.
    pub(crate) fn named_elsewhere(name: &str) -> Option<Self> {
        const STEMS: [(&str, &str); 8] = [
            ("bfloat", "bf"),
            ("float", "f"),
            ("complex", "c"),
            ("uint", "u"),
            ("int", "s"),
            ("ui", "u"),
            ("si", "s"),
            ("i", "s"),
        ];
        match name {
            "bool" | "b8" | "i1" => Self::from_name("pred"),
            "half" => Self::from_name("f16"),
            "float" => Self::from_name("f32"),
            "double" => Self::from_name("f64"),
            _ => STEMS.iter().find_map(|(theirs, ours)| {
                let width = name.strip_prefix(theirs)?;
                Self::from_name(&format!("{ours}{}", width.replace('_', "")))
            }),
        }
    }

    /// All types.
    pub fn all() -> impl Iterator<Item = ElementType> {
        TYPES.iter().map(ElementType)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.0.0
    }

    /// The bits of a value.
    pub fn bits(self) -> u32 {
        self.0.1
    }

    /// The bits of an element in memory unless the layout packs it with `E(n)`: whole bytes.
    pub fn stored_bits(self) -> u32 {
        self.bits().next_multiple_of(8)
    }

    /// Whether the type may count elements: the unsigned integers, of which `#(…)` and `*(…)` take one.
    pub fn is_unsigned(self) -> bool {
        self.name().starts_with('u')
    }
}
