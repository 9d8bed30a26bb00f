//! The contract of a stored layout: a line that travels with a file and says what its tensors are.
//!
//! It is the canonical name of the format, a blank, `#`, and 16 hexadecimal digits: the 64-bit FNV-1a hash of
//! [`description`], UTF-8. A file holds it under the key `bitstride.layout`, or `bitstride.layout:PREFIX` for the tensors
//! whose names begin with PREFIX: in the metadata of `.safetensors`, as a text of `.gguf`.
//!
//! Law: a contract is read as the format that it was made of, or refused.

use bitstride::{Code, Error, error};

use crate::format::Format;
use crate::zoo::Zoo;

/// The key of a contract in the metadata of a file; a colon and a prefix may follow.
pub const KEY: &str = "bitstride.layout";

/// Everything that the bytes of a format depend on, a line each: tensors, fields, axes, pieces.
///
/// ```
/// use bitstride_formats::{Zoo, contract};
/// let format = Zoo::builtin().format("fp4:pairs,n=2,k=8")?;
/// let lines = "tensor weight u8[2,4] fill 0\nfield codes e2m1 4 bits n:2 k:8\nplace 0..2 0..8 0..4 4 (2,8):(8,1)\n";
/// assert_eq!(contract::description(&format), lines);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn description(format: &Format) -> String {
    let mut text = String::new();
    for (number, tensor) in format.tensors.iter().enumerate() {
        text += &format!("tensor {} {} fill {}\n", tensor.name, tensor.declared(), tensor.fill);
        for field in format.fields.iter().filter(|field| field.tensor == number) {
            text += &format!("field {} {} {} bits", field.name, field.kind, field.places.element_bits());
            for axis in field.places.axes() {
                let digits: Vec<String> = axis.digits.iter().map(ToString::to_string).collect();
                text += &format!(" {}:{}", axis.name, digits.join("*"));
            }
            field.stored.iter().for_each(|step| text += &format!(" stored {step}"));
            field.values.iter().for_each(|value| text += &format!(" holds {value}"));
            text.push('\n');
            for piece in field.places.pieces() {
                text += "place";
                for (first, end) in piece.ranges() {
                    text += &format!(" {first}..{end}");
                }
                let (layout, unit) = piece.text();
                let index = piece.index().map(|index| format!(" of ({index})")).unwrap_or_default();
                text += &format!(" {unit} {layout}{index}");
                piece.stack().iter().for_each(|(extent, bits)| text += &format!(" stacked {extent}:{bits}"));
                text.push('\n');
            }
        }
    }
    text
}

/// The hash of a text: FNV-1a of 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The contract of a format.
///
/// ```
/// use bitstride_formats::{Zoo, contract};
/// let format = Zoo::builtin().format("gptq:v1,k=64,n=32")?;
/// let line = contract::line(&format);
/// assert!(line.starts_with("gptq:v1,bits=4,k=64,n=32,group=128 #"));
/// assert_eq!(contract::read(&line, Zoo::builtin())?.name, format.name);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn line(format: &Format) -> String {
    format!("{} #{:016x}", format.name, hash(&description(format)))
}

/// The format of a contract.
///
/// # Errors
/// As [`Zoo::format`]; [`Code::NotALayout`] where the definition of the name has changed since.
pub fn read(line: &str, zoo: &Zoo) -> Result<Format, Error> {
    let (name, digits) = line.rsplit_once(" #").ok_or_else(|| {
        error!(
            Code::Syntax("bad-contract"),
            "`{line}` is no contract: a name, a blank, # and a hash",
            [line = line.chars().take(80).collect::<String>()]
        )
    })?;
    let format = zoo.format(name)?;
    let own = format!("{:016x}", hash(&description(&format)));
    if own == digits {
        return Ok(format);
    }
    Err(error!(
        Code::NotALayout,
        "the contract of {name} has the hash {digits}, and the format known here {own}",
        [name, digits, own]
    )
    .with_help("the file was made with another definition of the name"))
}
