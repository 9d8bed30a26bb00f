//! The operations on words of bits that describe operands of tensor cores, to words and back: see [`bitstride::memory`].

use super::numbers::{number, numbers, tuple, whole};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    A_MAJOR, A_TYPE, ADDRESS, B_MAJOR, B_TYPE, CTA_TILE, D_TYPE, ELEMENT_BITS, GLOBAL, MMA_EXTENTS, MMA_KIND,
    MMA_OPTIONS, SHARED_TILE, TENSOR_CORES, UNIT_BITS, WORD,
};
use super::value::Value;
use bitstride::memory::{Descriptor, Generation, InstructionDescriptor, Major, MmaKind, Options, TmaCopy};
use bitstride::{Code, Error, error};

constructor!(hardware, Hardware);

pub(super) const DESCRIPTORS: &[Operation] = &[
    hardware(
        "tma",
        &[GLOBAL, SHARED_TILE, ELEMENT_BITS, CTA_TILE.optional(), UNIT_BITS.optional(), ADDRESS.optional()],
        "the tensor map by which TMA copies a tile between two layouts, as the call of tensor_map that has it; or the rules that are broken",
        "tma((1024,256):(1,1024), Sw<3,4,3> o bytes[16] o ((64,2),(8,8)):((1,512),(64,1024)), 16)",
        |v, notes| {
            let copy = tma(v)?;
            notes.extend(copied(&copy));
            Ok(Value::Text(map_call(&copy)))
        },
    ),
    hardware(
        "decode_descriptor",
        &[WORD, TENSOR_CORES.optional()],
        "the fields of a word of 64 bits: (start, leading, stride) in units of 16 bytes and the bytes of the swizzle",
        "decode_descriptor(\"0x4000004000010040\")",
        |v, notes| {
            let descriptor = Descriptor::from_word(word(arg(v, 0)?)?, generation(v, 1)?)?;
            notes.push(format!(
                "in bytes: start {}, leading {}, stride {}",
                16 * descriptor.start,
                16 * descriptor.leading,
                16 * descriptor.stride
            ));
            Ok(fields(&descriptor))
        },
    ),
    hardware(
        "instruction_descriptor",
        &[
            MMA_KIND,
            A_TYPE,
            B_TYPE,
            D_TYPE,
            MMA_EXTENTS,
            A_MAJOR.optional(),
            B_MAJOR.optional(),
            MMA_OPTIONS.optional(),
        ],
        "the word of 32 bits that tells tcgen05.mma the shape and the element types of its operands",
        "instruction_descriptor(f8f6f4, e4m3, e2m1, f32, (128,256), k, mn)",
        |v, notes| {
            let descriptor = instruction(v)?;
            notes.push(format!("the word is {descriptor}"));
            Ok(whole(descriptor.word().into()))
        },
    ),
    hardware(
        "decode_instruction_descriptor",
        &[MMA_KIND, WORD],
        "the call of instruction_descriptor that a word of an instruction of this kind is the answer of",
        "decode_instruction_descriptor(f16, \"0x08410010\")",
        |v, _| {
            let descriptor = decoded(v)?;
            Ok(Value::Text(format!("instruction_descriptor({})", descriptor.described())))
        },
    ),
];

/// The copies by TMA between two layouts.
pub(super) fn tma(values: &[Value]) -> Result<TmaCopy, Error> {
    let (global, shared, bits) = (arg(values, 0)?.as_layout()?, arg(values, 1)?.as_function()?, number(values, 2)?);
    let tile = values.get(3).map(Value::as_shape).transpose()?;
    let unit_bits = if values.len() > 4 { number(values, 4)? } else { bits };
    let base = if values.len() > 5 { number(values, 5)? } else { 0 };
    TmaCopy::new(&global, &shared, bits, unit_bits, tile.as_ref(), base)
}

/// The call of `tensor_map` with the parameters of the copies.
pub(super) fn map_call(copy: &TmaCopy) -> String {
    let list = |numbers: &[i64]| match numbers {
        [one] => one.to_string(),
        several => format!("({})", several.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
    };
    format!(
        "tensor_map({}, {}, {}, {}, {})",
        copy.unit_bits,
        list(&copy.dims),
        list(&copy.strides),
        list(&copy.window),
        copy.swizzle.bytes()
    )
}

/// How many copies there are and why, and where coordinates lead.
fn copied(copy: &TmaCopy) -> Vec<String> {
    let sides: Vec<String> = copy.window.iter().map(ToString::to_string).collect();
    let plural = if copy.instructions == 1 { "instruction" } else { "instructions" };
    let mut notes = vec![format!("{} {plural}, each of a box of {} elements", copy.instructions, sides.join(" x "))];
    if let Some(end) = copy.end.as_ref().filter(|_| copy.instructions > 1) {
        notes.push(format!("the box ends because {end}"));
    }
    notes.push(format!("the box over the modes of global memory is {}", copy.basis()));
    notes.push(format!("coordinates of the tensor lead to {}", copy.coordinates));
    if let Some(start) = copy.starts.iter().find(|start| *start % SHARED_START_BYTES != 0) {
        notes.push(format!(
            "boxes start {start} bytes apart; PTX wants multiples of {SHARED_START_BYTES} in shared memory"
        ));
    }
    notes
}

/// The bytes whose multiples TMA takes for addresses in shared memory.
const SHARED_START_BYTES: i64 = 128;

/// The instruction descriptor of arguments.
pub(super) fn instruction(values: &[Value]) -> Result<InstructionDescriptor, Error> {
    let text = |at: usize| arg(values, at).map(plain);
    let kind = MmaKind::of_word(&text(0)?)?;
    let (a, b, accumulator) = (text(1)?, text(2)?, text(3)?);
    let extents = numbers(arg(values, 4)?)?;
    let [m, n] = *extents.as_slice() else {
        return Err(error!(
            Code::RankMismatch,
            "the shape is (M,N), not of {extents_count} extents",
            [extents_count = extents.len()]
        ));
    };
    let side = |at: usize| values.get(at).map_or(Ok(Major::K), major);
    let majors = [side(5)?, side(6)?];
    let words = values.get(7).map_or_else(|| Ok(Vec::new()), words)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (options, scale) = Options::of_words(&words)?;
    InstructionDescriptor::new(kind, [&a, &b, &accumulator], scale, [m, n], majors, options)
}

/// The instruction descriptor of a kind and a word.
pub(super) fn decoded(values: &[Value]) -> Result<InstructionDescriptor, Error> {
    let (kind, word) = (MmaKind::of_word(&plain(arg(values, 0)?))?, word(arg(values, 1)?)?);
    let word = u32::try_from(word).map_err(|_| {
        error!(Code::Range, "{word:#x} has more than the {bits} bits of an instruction", [word, bits = 32])
    })?;
    InstructionDescriptor::from_word(kind, word)
}

/// A word as it is written, without quotes and in small letters: names in capitals read as unknown integers.
fn plain(value: &Value) -> String {
    value.to_string().trim_matches('"').to_ascii_lowercase()
}

/// One word, or the words of a tuple.
fn words(value: &Value) -> Result<Vec<String>, Error> {
    match value {
        Value::List(values) => Ok(values.iter().map(plain).collect()),
        Value::Name(name) => Ok(vec![name.to_string()]),
        other => Err(error!(Code::Kind, "{other} is no option, nor options in round brackets", [other])),
    }
}

/// The major dim that a word names; of the rows and columns (mn,k) of an operand, rows lie along K.
pub(super) fn major(value: &Value) -> Result<Major, Error> {
    match plain(value).as_str() {
        "k" | "row_major" => Ok(Major::K),
        "mn" | "col_major" => Ok(Major::Mn),
        _ => Err(Error::new(Code::Parameter, "the major dim is K or MN")),
    }
}

/// The tensor cores that an argument names; `wgmma` where it is missing.
pub(super) fn generation(values: &[Value], at: usize) -> Result<Generation, Error> {
    match values.get(at).map(plain).as_deref() {
        None | Some("wgmma") => Ok(Generation::Wgmma),
        Some("tcgen05") => Ok(Generation::Tcgen05),
        Some(_) => Err(Error::new(Code::Parameter, "the tensor cores are wgmma or tcgen05")),
    }
}

/// A word of bits: an integer, or digits in quotes, those of base 16 after `0x`.
pub(super) fn word(value: &Value) -> Result<u64, Error> {
    let text = plain(value);
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| error!(Code::Kind, "{value} is no word of up to 64 bits, such as \"0x08410010\"", [value]))
}

/// The fields of a descriptor as a tuple.
pub(super) fn fields(descriptor: &Descriptor) -> Value {
    let fields = [descriptor.start, descriptor.leading, descriptor.stride];
    let fields = fields.iter().filter_map(|field| i64::try_from(*field).ok());
    tuple(&fields.chain([descriptor.mode.bytes()]).collect::<Vec<_>>())
}
