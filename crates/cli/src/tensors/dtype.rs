//! [`Dtype`]: what the elements of a file are, and the numbers that they stand for, as bytes.
//!
//! Types have the names that XLA gives them (`bf16`, `s8`, `pred`); what NumPy or safetensors hold that has no such
//! name is moved as bits. Law: the bytes of a number are those of the nearest number of the type, ties to even; one
//! that is beyond the type is refused.

use bitstride::xla::ElementType;
use bitstride::{Code, Error, error};
use safetensors::Dtype as Safe;

use super::Kind;
use super::float::Float;

/// What an element is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dtype {
    pub(crate) name: String,
    pub(crate) bits: u32,
    /// Whether the first byte is the highest.
    pub(crate) big_endian: bool,
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Bool,
    Signed,
    Unsigned,
    /// As IEEE 754 lays out floats: a given number of bits of exponent and mantissa.
    Float(u32, u32),
    /// Two floats.
    Complex(u32, u32),
    /// Bits alone.
    Opaque,
}

/// Names here and in safetensors.
const SAFE: &[(&str, Safe)] = &[
    ("pred", Safe::BOOL),
    ("s8", Safe::I8),
    ("s16", Safe::I16),
    ("s32", Safe::I32),
    ("s64", Safe::I64),
    ("u8", Safe::U8),
    ("u16", Safe::U16),
    ("u32", Safe::U32),
    ("u64", Safe::U64),
    ("f4e2m1fn", Safe::F4),
    ("f6e2m3fn", Safe::F6_E2M3),
    ("f6e3m2fn", Safe::F6_E3M2),
    ("f8e4m3fn", Safe::F8_E4M3),
    ("f8e5m2", Safe::F8_E5M2),
    ("f8e8m0fnu", Safe::F8_E8M0),
    ("f8e4m3fnuz", Safe::F8_E4M3FNUZ),
    ("f8e5m2fnuz", Safe::F8_E5M2FNUZ),
    ("f16", Safe::F16),
    ("bf16", Safe::BF16),
    ("f32", Safe::F32),
    ("f64", Safe::F64),
    ("c64", Safe::C64),
];

/// How other systems begin the names of types, and how XLA does.
const PREFIXES: &[(&str, &str)] =
    &[("bfloat", "bf"), ("float8_", "f8"), ("float", "f"), ("uint", "u"), ("int", "s"), ("complex", "c"), ("i", "s")];

impl Dtype {
    /// The type of a given number of bits, which are counted.
    fn of_bits(bits: u32) -> Self {
        let name = if bits <= 64 { format!("u{bits}") } else { format!("{bits} bits") };
        Dtype { name, bits, big_endian: false }
    }

    /// A type as it may be written on the command line: bits, or a name, also as NumPy and safetensors write it.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        if let Ok(bits) = text.parse() {
            return Ok(Dtype::of_bits(bits));
        }
        let safe = SAFE.iter().find(|(_, theirs)| theirs.to_string() == text);
        let lower = safe.map_or_else(|| text.to_ascii_lowercase(), |(name, _)| (*name).to_owned());
        let prefixed =
            PREFIXES.iter().find_map(|(theirs, ours)| Some(format!("{ours}{}", lower.strip_prefix(theirs)?)));
        let boolean = (lower == "bool").then(|| "pred".to_owned());
        let names = [Some(lower), boolean, prefixed];
        let element = names.into_iter().flatten().find_map(|name| ElementType::from_name(&name));
        element.map(Dtype::of).ok_or_else(|| {
            let help = "bits, such as 16, or a type: f32, bf16, f16, f8e4m3fn, s8, u4, pred, c64, …";
            error!(Code::UnknownName, "no type of elements is called {text}", [text]).with_help(help)
        })
    }

    /// A type of XLA: one below a byte is packed.
    pub(crate) fn of(element: ElementType) -> Self {
        let bits = if element.name() == "pred" { 8 } else { element.bits() };
        Dtype { name: element.name().to_owned(), bits, big_endian: false }
    }

    /// A type of XLA in as many bits as a layout says: an integer stays one, and any other type is bits there.
    pub(crate) fn of_stored(element: ElementType, bits: u32) -> Self {
        let dtype = Dtype::of(element);
        let name = match dtype.number() {
            _ if dtype.bits == bits => return dtype,
            Number::Signed => format!("s{bits}"),
            Number::Unsigned => format!("u{bits}"),
            _ => format!("{} in {bits} bits", dtype.name),
        };
        Dtype { name, bits, big_endian: false }
    }

    /// A type of safetensors.
    pub(crate) fn of_safe(dtype: Safe) -> Result<Self, Error> {
        let bits = u32::try_from(dtype.bitsize()).map_err(|_| Error::overflow("the size of an element"))?;
        let name = SAFE.iter().find(|(_, theirs)| *theirs == dtype).map(|(name, _)| (*name).to_owned());
        Ok(Dtype { name: name.unwrap_or_else(|| dtype.to_string()), bits, big_endian: false })
    }

    /// As the header of a `.npy` file says it; types that NumPy has not are bits.
    pub(crate) fn npy(&self) -> String {
        let bytes = self.bits.div_ceil(8);
        let order = match (bytes, self.big_endian) {
            (1, _) => '|',
            (_, true) => '>',
            (_, false) => '<',
        };
        match self.number() {
            Number::Bool => "'|b1'".to_owned(),
            // NumPy has no other integers.
            Number::Signed | Number::Unsigned if !matches!(bytes, 1 | 2 | 4 | 8) => format!("'|V{bytes}'"),
            Number::Signed => format!("'{order}i{bytes}'"),
            Number::Unsigned => format!("'{order}u{bytes}'"),
            Number::Float(5, 10) | Number::Float(8, 23) | Number::Float(11, 52) => format!("'{order}f{bytes}'"),
            Number::Complex(..) => format!("'{order}c{bytes}'"),
            Number::Float(..) | Number::Opaque => format!("'|V{bytes}'"),
        }
    }

    /// As a `.safetensors` file says it.
    pub(crate) fn safe(&self) -> Result<Safe, Error> {
        let known = SAFE.iter().find(|(name, _)| *name == self.name).map(|(_, theirs)| *theirs);
        if self.big_endian && self.bits > 8 {
            return Err(error!(
                Code::Kind,
                "{name} with the highest byte first; safetensors have it last",
                [name = self.name]
            ));
        }
        known.ok_or_else(|| {
            error!(
                Code::Kind,
                "safetensors have no type for {name} of {bits} bits",
                [name = self.name, bits = self.bits]
            )
            .with_help("say what it is, as in --element bf16, or write a .npy or a plain file")
        })
    }

    /// What a file of a kind counts that holds such elements: bytes, for those that are no whole bytes. Safetensors have
    /// types for some of these.
    pub(crate) fn container(&self, kind: Kind) -> Dtype {
        let packs = kind == Kind::Safetensors && SAFE.iter().any(|(name, _)| *name == self.name);
        if self.bits.is_multiple_of(8) || packs { self.clone() } else { Dtype::of_bits(8) }
    }

    /// Whether it is bits of which a file says nothing more, as NumPy's `V2`.
    pub(crate) fn is_void(&self) -> bool {
        self.name.starts_with('V')
    }

    fn number(&self) -> Number {
        match (self.name.as_str(), self.bits) {
            ("pred", _) => Number::Bool,
            ("f16", _) => Number::Float(5, 10),
            ("bf16", _) => Number::Float(8, 7),
            ("f32", _) => Number::Float(8, 23),
            ("f64", _) => Number::Float(11, 52),
            ("f8e5m2", _) => Number::Float(5, 2),
            ("f8e4m3", _) => Number::Float(4, 3),
            ("f8e3m4", _) => Number::Float(3, 4),
            ("c64", _) => Number::Complex(8, 23),
            ("c128", _) => Number::Complex(11, 52),
            (name, bits) if name == format!("s{bits}") => Number::Signed,
            (name, bits) if name == format!("u{bits}") => Number::Unsigned,
            _ => Number::Opaque,
        }
    }

    /// The bytes of a number in memory; below a byte, one with the number in its low bits.
    pub(crate) fn bytes_of(&self, text: &str) -> Result<Vec<u8>, Error> {
        let mut bytes = self.bits_of(text)?.to_le_bytes().to_vec();
        let part = usize::try_from(self.bits.div_ceil(8)).unwrap_or(16);
        bytes.resize(part, 0);
        if self.big_endian {
            // Both parts of a complex number by themselves.
            let halves = if matches!(self.number(), Number::Complex(..)) { part / 2 } else { part };
            bytes.chunks_mut(halves.max(1)).for_each(<[u8]>::reverse);
        }
        Ok(bytes)
    }

    fn bits_of(&self, text: &str) -> Result<u128, Error> {
        let beyond = || error!(Code::Range, "{text} is beyond the numbers of {name}", [text, name = self.name]);
        let unread = |help: &str| {
            error!(Code::Syntax("bad-number"), "{text} is no number of {name}", [text, name = self.name])
                .with_help(help.to_owned())
        };
        if let Some(digits) = text.strip_prefix("0x") {
            let bits = u128::from_str_radix(digits, 16).map_err(|_| unread("0x and at most 32 hexadecimal digits"))?;
            return if self.bits >= 128 || bits >> self.bits == 0 { Ok(bits) } else { Err(beyond()) };
        }
        match self.number() {
            Number::Bool => match text {
                "0" | "false" => Ok(0),
                "1" | "true" => Ok(1),
                _ => Err(unread("0 or 1")),
            },
            Number::Signed | Number::Unsigned => {
                let value: i128 = text.parse().map_err(|_| unread("an integer, or its bits as 0x0f"))?;
                let half = if self.number() == Number::Signed { 1i128 << (self.bits - 1) } else { 0 };
                let above = (1i128 << self.bits) - half;
                if value < -half || value >= above {
                    return Err(beyond());
                }
                Ok(value.cast_unsigned() & ((1 << self.bits) - 1))
            }
            Number::Float(exponent, mantissa) | Number::Complex(exponent, mantissa) => {
                let float = Float { exponent, mantissa };
                let bits = float.nearest(text).ok_or_else(|| unread("a number, inf, nan, or its bits as 0x7fc0"))?;
                // Infinity is written without digits.
                let beyond_all = float.is_infinite(bits) && text.contains(|c: char| c.is_ascii_digit());
                if beyond_all { Err(beyond()) } else { Ok(bits.into()) }
            }
            Number::Opaque => Err(unread("write its bits, as 0x7e")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;

    fn bytes(dtype: &str, text: &str) -> Result<Vec<u8>, &'static str> {
        let bytes = Dtype::read(dtype).and_then(|dtype| dtype.bytes_of(text));
        bytes.map_err(|error| error.code().as_str())
    }

    #[test]
    fn numbers_are_bytes() {
        for (dtype, text, wanted) in [
            ("u8", "255", &[255][..]),
            ("s8", "-1", &[255]),
            ("int16", "-2", &[0xfe, 0xff]),
            ("16", "65535", &[0xff, 0xff]),
            ("u4", "15", &[15]),
            ("s4", "-1", &[15]),
            ("s2", "-2", &[2]),
            ("bool", "1", &[1]),
            ("f32", "1", &[0, 0, 0x80, 0x3f]),
            ("float64", "-2", &[0, 0, 0, 0, 0, 0, 0, 0xc0]),
            ("f16", "1", &[0, 0x3c]),
            ("f16", "65504", &[0xff, 0x7b]),
            ("f16", "65519", &[0xff, 0x7b]),
            ("f16", "6e-8", &[1, 0]),
            ("f16", "1e-8", &[0, 0]),
            ("f16", "6.1e-5", &[0xff, 3]),
            ("bf16", "1", &[0x80, 0x3f]),
            ("bfloat16", "0.1", &[0xcd, 0x3d]),
            ("bf16", "-inf", &[0x80, 0xff]),
            ("bf16", "nan", &[0xc0, 0x7f]),
            ("f8e5m2", "57344", &[0x7b]),
            ("f8e4m3fn", "0x7f", &[0x7f]),
            ("c64", "1", &[0, 0, 0x80, 0x3f, 0, 0, 0, 0]),
            ("128", "0x1", &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            assert_eq!(bytes(dtype, text).as_deref(), Ok(wanted), "{dtype} {text}");
        }
    }

    #[test]
    fn names_of_safetensors() {
        for (name, safe) in SAFE {
            assert_eq!(Dtype::read(&safe.to_string()), Dtype::read(name), "{safe}");
        }
        // Neither NumPy's four bytes nor four bits.
        assert!(Dtype::read("f4").is_err());
        assert_eq!(Dtype::read("f8e4m3").map(|dtype| dtype.name), Ok("f8e4m3".to_owned()));
    }

    #[test]
    fn other_numbers_are_refused() {
        for (dtype, text, code) in [
            ("u8", "256", "range"),
            ("u8", "-1", "range"),
            ("s8", "128", "range"),
            ("u4", "16", "range"),
            ("u8", "1.5", "bad-number"),
            ("f16", "65520", "range"),
            ("f32", "1e39", "range"),
            ("f64", "1e400", "range"),
            ("bf16", "-1e400", "range"),
            ("f32", "one", "bad-number"),
            ("pred", "2", "bad-number"),
            ("u8", "0x100", "range"),
            ("u8", "0x", "bad-number"),
            ("f8e4m3fn", "1", "bad-number"),
            ("f33", "1", "unknown-name"),
        ] {
            assert_eq!(bytes(dtype, text), Err(code), "{dtype} {text}");
        }
    }

    #[test]
    fn the_other_end_first() {
        let big =
            |name: &str, text: &str| Dtype { big_endian: true, ..Dtype::read(name).unwrap() }.bytes_of(text).unwrap();
        assert_eq!(big("s16", "1"), [0, 1]);
        assert_eq!(big("c64", "1"), [0x3f, 0x80, 0, 0, 0, 0, 0, 0]);
    }
}
