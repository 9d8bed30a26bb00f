//! [`InstructionDescriptor`]: the 32 bits that tell `tcgen05.mma` the shape and the element types of its operands.
//!
//! | bits | dense and sparse kinds | block-scaled kinds |
//! |---|---|---|
//! | 0-1 | sparsity selector | 0 |
//! | 2 | sparse | sparse |
//! | 3 | saturate | 0 |
//! | 4-5 | type of D | scale id of B |
//! | 7-9, 10-12 | types of A and B | the same |
//! | 13, 14 | negate A, B | the same |
//! | 15, 16 | A, B are MN-major | the same |
//! | 17-22 | N / 8 | the same |
//! | 23 | 0 | type of the scales |
//! | 24-28 | M / 16 | the same |
//! | 29-30 | from bit 30: maximum shift | scale id of A |
//! | 31 | maximum shift | size of K |
//!
//! (PTX ISA, instruction descriptor of tcgen05; CUTLASS 4.7.) One code means different types in different kinds, so a word is read
//! with its kind. Law: the descriptor of a word has that word, and extents that the fields or the instruction cannot have are refused.

use std::fmt;

use super::descriptor::Major;
use crate::error::{Code, Error};
use crate::refusal::OneOf;

/// The kind of an instruction, which says what its codes of types mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MmaKind {
    /// `kind::f16`.
    F16,
    /// `kind::tf32`.
    Tf32,
    /// `kind::f8f6f4`.
    F8f6f4,
    /// `kind::i8`.
    I8,
    /// `kind::mxf8f6f4`, block-scaled.
    Mxf8f6f4,
    /// `kind::mxf4`, block-scaled.
    Mxf4,
    /// `kind::mxf4nvf4`, block-scaled.
    Mxf4nvf4,
}

/// Types of operands by the word for them, with their code.
type Types = &'static [(&'static str, u32)];

const EIGHT_SIX_FOUR: Types = &[("e4m3", 0), ("e5m2", 1), ("e2m3", 3), ("e3m2", 4), ("e2m1", 5)];

impl MmaKind {
    const ALL: [(&'static str, MmaKind); 7] = [
        ("f16", MmaKind::F16),
        ("tf32", MmaKind::Tf32),
        ("f8f6f4", MmaKind::F8f6f4),
        ("i8", MmaKind::I8),
        ("mxf8f6f4", MmaKind::Mxf8f6f4),
        ("mxf4", MmaKind::Mxf4),
        ("mxf4nvf4", MmaKind::Mxf4nvf4),
    ];

    /// The kind of a word of PTX, without `kind::`.
    ///
    /// # Errors
    /// [`Code::Parameter`] for another word.
    pub fn of_word(word: &str) -> Result<Self, Error> {
        found(&Self::ALL, word, "kind of tcgen05.mma").map(|(_, kind)| kind)
    }

    /// Its word in PTX.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }

    /// Whether its operands have scales.
    pub fn is_scaled(self) -> bool {
        matches!(self, MmaKind::Mxf8f6f4 | MmaKind::Mxf4 | MmaKind::Mxf4nvf4)
    }

    fn operands(self) -> Types {
        match self {
            MmaKind::F16 => &[("f16", 0), ("bf16", 1)],
            MmaKind::Tf32 => &[("tf32", 2)],
            MmaKind::I8 => &[("u8", 0), ("s8", 1)],
            MmaKind::F8f6f4 | MmaKind::Mxf8f6f4 => EIGHT_SIX_FOUR,
            MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => &[("e2m1", 1)],
        }
    }

    fn accumulators(self) -> Types {
        match self {
            MmaKind::F16 | MmaKind::F8f6f4 => &[("f16", 0), ("f32", 1)],
            MmaKind::I8 => &[("s32", 2)],
            _ => &[("f32", 1)],
        }
    }

    fn scales(self) -> Types {
        match self {
            MmaKind::Mxf8f6f4 | MmaKind::Mxf4 => &[("ue8m0", 1)],
            MmaKind::Mxf4nvf4 => &[("ue4m3", 0), ("ue8m0", 1)],
            _ => &[],
        }
    }
}

/// The entry of a word in a table; the refusal says which words there are.
fn found<T: Copy>(table: &[(&'static str, T)], word: &str, what: &str) -> Result<(&'static str, T), Error> {
    table.iter().find(|(known, _)| *known == word).copied().ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
        let error = error!(Code::Parameter, "`{word}` is no {what}", [word, what]);
        if known.is_empty() { error } else { error.with_help(format!("it is {}", known.join(", "))) }
    })
}

/// The word of a code, which is the name that the table keeps.
fn named(table: Types, code: u32, what: &str) -> Result<&'static str, Error> {
    table
        .iter()
        .find(|(_, known)| *known == code)
        .map(|(word, _)| *word)
        .ok_or_else(|| error!(Code::Range, "{code} is the code of no {what}", [code, what]))
}

/// The shape and types of the operands of an instruction, as its word says them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstructionDescriptor {
    kind: MmaKind,
    types: [&'static str; 2],
    accumulator: &'static str,
    scale: Option<&'static str>,
    extents: [i64; 2],
    majors: [Major; 2],
    options: Options,
}

/// What an instruction does besides, which is nothing where it is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether A, and whether B is negated.
    pub negate: [bool; 2],
    /// Whether sums of integers stop at the ends of their range.
    pub saturate: bool,
    /// Whether A is sparse.
    pub sparse: bool,
    /// Which of the four positions in its metadata a sparse A has.
    pub selector: u32,
    /// The largest shift of rows with which B is used again: 0, 8, 16 or 32.
    pub shift: i64,
    /// Which of the scales of A, and of B, in a word: 0 to 3.
    pub scale_ids: [u32; 2],
    /// Whether K is the longer of the two extents that scaled elements of 4 bits have.
    pub long_k: bool,
}

/// The extents of N that instructions have which use B again (`.ws`).
const REUSED_N: [i64; 3] = [64, 128, 256];
/// The largest N.
const MAX_N: i64 = 256;
/// The unit of N in a word.
const N_UNIT: i64 = 8;
/// The unit of M in a word.
const M_UNIT: i64 = 16;
/// The largest N of integers that is a multiple of 8 only.
const FINE_N_OF_INTEGERS: i64 = 32;
/// The shifts by their codes.
const SHIFTS: [i64; 4] = [0, 8, 16, 32];

impl InstructionDescriptor {
    /// The descriptor of an instruction of a kind; types in the words of PTX, of A, B and D, and of the scales where there are some.
    ///
    /// # Errors
    /// [`Code::Parameter`] for a type that the kind does not take; [`Code::Range`] for extents that no such instruction has, with the
    /// ones that there are; [`Code::Kind`] for options that the kind does not have.
    ///
    /// ```
    /// use bitstride::memory::{InstructionDescriptor, Major, MmaKind, Options};
    /// let types = ["f16", "f16", "f32"];
    /// let majors = [Major::K, Major::Mn];
    /// let descriptor = InstructionDescriptor::new(MmaKind::F16, types, None, [128, 256], majors, Options::default())?;
    /// assert_eq!(descriptor.to_string(), "0x08410010");
    /// let n = InstructionDescriptor::new(MmaKind::F16, types, None, [128, 512], majors, Options::default()).unwrap_err();
    /// assert_eq!(n.message(), "N is 512; with M 128 it is a multiple of 8 from 8 to 256");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(
        kind: MmaKind,
        types: [&str; 3],
        scale: Option<&str>,
        extents: [i64; 2],
        majors: [Major; 2],
        options: Options,
    ) -> Result<Self, Error> {
        let [a, b, accumulator] = types;
        let word = kind.word();
        let known = |table: Types, name: &str, what: &str| {
            found(table, name, &format!("{what} of {word}")).map(|(name, _)| name)
        };
        let [a, b] = [known(kind.operands(), a, "operand")?, known(kind.operands(), b, "operand")?];
        let accumulator = known(kind.accumulators(), accumulator, "accumulator")?;
        let scale = match (scale, kind.scales()) {
            (None, []) => None,
            (Some(_), []) => return Err(error!(Code::Kind, "operands of {word} have no scales", [word])),
            // The usual one is the only one, or the one that the kind is named for.
            (None, [(usual, _), ..]) => Some(*usual),
            (Some(name), scales) => Some(known(scales, name, "scale")?),
        };
        let descriptor = InstructionDescriptor { kind, types: [a, b], accumulator, scale, extents, majors, options };
        descriptor.check_extents()?;
        descriptor.check_options()?;
        Ok(descriptor)
    }

    /// Refuses extents that no instruction of the kind has.
    fn check_extents(&self) -> Result<(), Error> {
        let ([m, n], kind) = (self.extents, self.kind);
        let reuses = m == 32 || self.options.shift != 0;
        let rows: &[i64] = match (kind.is_scaled(), reuses) {
            (true, _) => &[128, 256],
            (false, true) => &[32, 64, 128],
            (false, false) => &[32, 64, 128, 256],
        };
        let listed = |list: &[i64]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if !rows.contains(&m) {
            return Err(error!(
                Code::Range,
                "M is {m}; {word} has {rows}",
                [m, word = kind.word(), rows = listed(rows)]
            ));
        }
        let refuse = |wanted: String| Err(error!(Code::Range, "N is {n}; with M {m} it is {wanted}", [n, m, wanted]));
        if reuses {
            let wanted: Vec<i64> = REUSED_N.into_iter().filter(|n| !self.options.sparse || *n < MAX_N).collect();
            return if wanted.contains(&n) { Ok(()) } else { refuse(listed(&wanted)) };
        }
        // M of 256 is that of two SMs, each of which has half of N.
        let step = match (m, kind) {
            (256, MmaKind::I8) => 4 * N_UNIT,
            (256, _) => 2 * N_UNIT,
            (_, MmaKind::I8) if n > FINE_N_OF_INTEGERS => 2 * N_UNIT,
            _ => N_UNIT,
        };
        if (step..=MAX_N).contains(&n) && n % step == 0 {
            return Ok(());
        }
        refuse(format!("a multiple of {step} from {step} to {MAX_N}"))
    }

    /// Refuses options that the kind does not have.
    fn check_options(&self) -> Result<(), Error> {
        let (kind, options) = (self.kind, self.options);
        let word = kind.word();
        let refuse = |what: String| Err(Error::new(Code::Kind, what));
        if options.saturate && kind != MmaKind::I8 {
            return Err(error!(Code::Kind, "{word} does not saturate; i8 does", [word]));
        }
        if options.negate != [false; 2] && kind == MmaKind::I8 {
            return refuse("i8 negates no operand".to_owned());
        }
        if self.majors != [Major::K; 2] && matches!(kind, MmaKind::Mxf4 | MmaKind::Mxf4nvf4) {
            return Err(error!(Code::Kind, "operands of {word} are K-major, both", [word]));
        }
        if self.accumulator == "f16" && self.types.contains(&"bf16") {
            return refuse("products of bf16 are summed in f32".to_owned());
        }
        if !SHIFTS.contains(&options.shift) {
            return Err(error!(
                Code::Range,
                "the largest shift is {shifts}, not {shift}",
                [shifts = OneOf(&SHIFTS), shift = options.shift]
            ));
        }
        if kind.is_scaled() && (options.shift != 0 || options.selector != 0) {
            return Err(error!(Code::Kind, "{word} has no shift and no sparsity selector", [word]));
        }
        if !kind.is_scaled() && options.scale_ids != [0; 2] {
            return Err(error!(Code::Kind, "operands of {word} have no scales", [word]));
        }
        if options.long_k && !matches!(kind, MmaKind::Mxf4 | MmaKind::Mxf4nvf4) {
            return Err(error!(Code::Kind, "{word} has one extent of K", [word]));
        }
        if options.selector > 3 || options.scale_ids.iter().any(|id| *id > 3) {
            return Err(error!(
                Code::Range,
                "selectors and ids of scales go from {least} to {most}",
                [least = 0, most = 3]
            ));
        }
        if options.selector != 0 && !options.sparse {
            return refuse("a dense A has no sparsity selector".to_owned());
        }
        Ok(())
    }

    /// The descriptor of a word of a kind.
    ///
    /// # Errors
    /// [`Code::Range`] for codes that mean no type, for extents that no such instruction has, and for bits that are 0 in it;
    /// [`Code::Kind`] for options that the kind does not have.
    ///
    /// ```
    /// use bitstride::memory::{InstructionDescriptor, MmaKind};
    /// // One word, two kinds: 1 is the code of e5m2, and of packed e2m1.
    /// let text = |kind| InstructionDescriptor::from_word(kind, 0x0820_0490).map(|read| read.described());
    /// assert_eq!(text(MmaKind::F8f6f4)?, "f8f6f4, e5m2, e5m2, f32, (128,128), k, k");
    /// assert_eq!(text(MmaKind::F16)?, "f16, bf16, bf16, f32, (128,128), k, k");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn from_word(kind: MmaKind, word: u32) -> Result<Self, Error> {
        let field = |shift: u32, bits: u32| word >> shift & ((1 << bits) - 1);
        let flag = |bit: u32| field(bit, 1) == 1;
        let major = |bit: u32| if flag(bit) { Major::Mn } else { Major::K };
        let scaled = kind.is_scaled();
        let operand = |shift: u32| named(kind.operands(), field(shift, 3), "operand");
        let accumulator = match kind.accumulators() {
            [(only, _)] if scaled => *only,
            accumulators => named(accumulators, field(4, 2), "accumulator")?,
        };
        let shift = usize::try_from(field(30, 2)).ok().and_then(|code| SHIFTS.get(code)).copied().unwrap_or(0);
        let options = Options {
            negate: [flag(13), flag(14)],
            saturate: !scaled && flag(3),
            sparse: flag(2),
            selector: if scaled { 0 } else { field(0, 2) },
            shift: if scaled { 0 } else { shift },
            scale_ids: if scaled { [field(29, 2), field(4, 2)] } else { [0; 2] },
            long_k: scaled && flag(31),
        };
        let scale = if scaled { Some(named(kind.scales(), field(23, 1), "scale")?) } else { None };
        let extents = [i64::from(field(24, 5)) * M_UNIT, i64::from(field(17, 6)) * N_UNIT];
        let types = [operand(7)?, operand(10)?, accumulator];
        let descriptor = Self::new(kind, types, scale, extents, [major(15), major(16)], options)?;
        if descriptor.word() != word {
            return Err(error!(
                Code::Range,
                "{word:#010x} sets bits that are 0 in a descriptor of {kind_word}: {descriptor}",
                [word, kind_word = kind.word(), descriptor]
            ));
        }
        Ok(descriptor)
    }

    /// Each field of the word that the kind has: what it says, its code, and the bit that it starts at.
    pub fn fields(&self) -> Vec<(&'static str, u32, u32)> {
        let code =
            |table: Types, name: &str| table.iter().find(|(known, _)| *known == name).map_or(0, |(_, code)| *code);
        let operand = |at: usize| self.types.get(at).map_or(0, |name| code(self.kind.operands(), name));
        let ([m, n], options) = (self.extents, self.options);
        let units = |extent: i64, unit: i64| u32::try_from(extent / unit).unwrap_or(0);
        let major = |major: Major| u32::from(major == Major::Mn);
        let mut fields = vec![
            ("sparse", options.sparse.into(), 2),
            ("type of A", operand(0), 7),
            ("type of B", operand(1), 10),
            ("negate A", options.negate[0].into(), 13),
            ("negate B", options.negate[1].into(), 14),
            ("A is MN-major", major(self.majors[0]), 15),
            ("B is MN-major", major(self.majors[1]), 16),
            ("N / 8", units(n, N_UNIT), 17),
            ("M / 16", units(m, M_UNIT), 24),
        ];
        if let Some(scale) = self.scale {
            let [of_a, of_b] = options.scale_ids;
            fields.push(("scale id of B", of_b, 4));
            fields.push(("type of the scales", code(self.kind.scales(), scale), 23));
            fields.push(("scale id of A", of_a, 29));
            fields.push(("size of K", options.long_k.into(), 31));
        } else {
            let shift = SHIFTS.iter().zip(0..).find(|(shift, _)| **shift == options.shift).map_or(0, |(_, code)| code);
            fields.push(("sparsity selector", options.selector, 0));
            fields.push(("saturate", options.saturate.into(), 3));
            fields.push(("type of D", code(self.kind.accumulators(), self.accumulator), 4));
            fields.push(("maximum shift", shift, 30));
        }
        fields.sort_by_key(|(.., bit)| *bit);
        fields
    }

    /// The word. In the argument of 64 bits that CuTe passes on it is the upper half.
    pub fn word(&self) -> u32 {
        self.fields().iter().fold(0, |word, (_, code, bit)| word | code << bit)
    }

    /// What it says, as the arguments of [`InstructionDescriptor::new`] in words: `f16, f16, f16, f32, (128,256), k, mn`.
    pub fn described(&self) -> String {
        let [m, n] = self.extents;
        let major = |major: Major| if major == Major::K { "k" } else { "mn" };
        let [a, b] = self.types;
        let [a_major, b_major] = self.majors.map(major);
        let word = self.kind.word();
        let mut text = format!("{word}, {a}, {b}, {}, ({m},{n}), {a_major}, {b_major}", self.accumulator);
        let options = self.options.words(self.scale);
        match options.as_slice() {
            [] => {}
            [only] => text.push_str(&format!(", {only}")),
            several => text.push_str(&format!(", ({})", several.join(","))),
        }
        text
    }
}

impl Options {
    /// Each option that is set, in a word, with the type of the scales.
    fn words(&self, scale: Option<&str>) -> Vec<String> {
        let mut words: Vec<String> = scale.map(str::to_owned).into_iter().collect();
        let flags = [
            (self.negate[0], "negate_a"),
            (self.negate[1], "negate_b"),
            (self.saturate, "saturate"),
            (self.sparse, "sparse"),
            (self.long_k, "long_k"),
        ];
        words.extend(flags.iter().filter(|(set, _)| *set).map(|(_, word)| (*word).to_owned()));
        let [of_a, of_b] = self.scale_ids.map(i64::from);
        let numbers =
            [("selector", i64::from(self.selector)), ("shift", self.shift), ("scale_a", of_a), ("scale_b", of_b)];
        words.extend(numbers.iter().filter(|(_, n)| *n != 0).map(|(word, n)| format!("{word}{n}")));
        words
    }

    /// The options of words such as `negate_a`, `sparse`, `selector2`, `shift16`, `scale_a1`, and the type of the scales among them.
    ///
    /// # Errors
    /// [`Code::Parameter`] for a word that is none of these.
    pub fn of_words<'w>(words: &[&'w str]) -> Result<(Self, Option<&'w str>), Error> {
        let (mut options, mut scale) = (Options::default(), None);
        for word in words {
            let numbered = |name: &str| word.strip_prefix(name).and_then(|digits| digits.parse::<u32>().ok());
            if let Some(id) = numbered("scale_a") {
                options.scale_ids[0] = id;
            } else if let Some(id) = numbered("scale_b") {
                options.scale_ids[1] = id;
            } else if let Some(selector) = numbered("selector") {
                options.selector = selector;
            } else if let Some(shift) = numbered("shift") {
                options.shift = shift.into();
            } else {
                match *word {
                    "negate_a" => options.negate[0] = true,
                    "negate_b" => options.negate[1] = true,
                    "saturate" => options.saturate = true,
                    "sparse" => options.sparse = true,
                    "long_k" => options.long_k = true,
                    "ue8m0" | "ue4m3" => scale = Some(*word),
                    other => {
                        let known = "negate_a, negate_b, saturate, sparse, selector1, shift8, ue8m0, ue4m3, scale_a1, \
                                     scale_b1, long_k";
                        let error = error!(Code::Parameter, "`{other}` is no option of an instruction", [other]);
                        return Err(error.with_help(format!("options are {known}")));
                    }
                }
            }
        }
        Ok((options, scale))
    }
}

impl fmt::Display for InstructionDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.word())
    }
}
