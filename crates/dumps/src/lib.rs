//! Dumps of compilers: what the layouts in a whole file say.
//!
//! A [`ttgir::Dump`] is what a file of Triton's TTGIR holds, an [`hlo::Dump`] what a dump of XLA's HLO holds, a
//! [`stablehlo::Dump`] what a program of JAX with shardings holds, a [`cute::Dump`] what the compiler of CuTe DSL keeps: plain data with
//! line numbers. Each becomes a [`Report`], sections of items that a front end prints, filters and judges. The crate reads a
//! [`BufRead`] and writes nothing.
//!
//! Law: nothing in a file ends the reading of it. What is not read is listed with its line and the reason.
//!
//! ```
//! use bitstride_dumps::ttgir::Dump;
//! let text = "#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
//! %0 = x.y : tensor<128xf32, #b>
//! ";
//! let dump = Dump::read(text.as_bytes(), None)?;
//! assert_eq!((dump.aliases.len(), dump.types.len()), (1, 1));
//! assert_eq!(dump.types[0].facts.registers().map(|tensor| tensor.registers), Some(4));
//! # Ok::<(), std::io::Error>(())
//! ```

mod condition;
pub mod cute;
mod diff;
pub mod hlo;
mod lines;
mod report;
mod scan;
pub mod stablehlo;
pub mod ttgir;
mod unread;

use std::io::{self, BufRead};

pub use condition::{Condition, kinds};
pub use diff::Change;
pub use report::{Bytes, Field, Item, Report, Section};
pub use unread::Unread;

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dialect {
    /// TTGIR or TTIR of Triton.
    #[default]
    Ttgir,
    /// HLO of XLA.
    Hlo,
    /// StableHLO with shardings, of JAX and Shardy.
    StableHlo,
    /// MLIR of CuTe DSL.
    CuteDsl,
}

impl Dialect {
    /// The dialect of a file with such an extension; nothing where the extension does not say it.
    ///
    /// ```
    /// use bitstride_dumps::Dialect;
    /// assert_eq!(Dialect::of_extension("ttgir"), Some(Dialect::Ttgir));
    /// assert_eq!(Dialect::of_extension("txt"), None);
    /// ```
    pub fn of_extension(extension: &str) -> Option<Dialect> {
        match extension {
            "ttgir" | "ttir" | "mlir" => Some(Dialect::Ttgir),
            "hlo" => Some(Dialect::Hlo),
            _ => None,
        }
    }

    /// What it is, to a reader.
    pub fn words(self) -> &'static str {
        match self {
            Dialect::Ttgir => "TTGIR of Triton",
            Dialect::Hlo => "HLO of XLA",
            Dialect::StableHlo => "StableHLO",
            Dialect::CuteDsl => "MLIR of CuTe DSL",
        }
    }

    /// The dialect of a file that begins so.
    pub fn of_start(start: &[u8]) -> Dialect {
        let is_hlo = |line: &[u8]| line.starts_with(b"HloModule") || line.starts_with(b"ENTRY ");
        let has = |text: &&[u8]| start.windows(text.len()).any(|part| part == *text);
        let names = |texts: &[&[u8]]| texts.iter().any(has);
        if start.split(|byte| *byte == b'\n').any(is_hlo) {
            Dialect::Hlo
        } else if names(&[b"sdy.", b"stablehlo.", b"mhlo."]) {
            Dialect::StableHlo
        } else if names(&[b"!cute.", b"!cute_nvgpu.", b" cute."]) {
            Dialect::CuteDsl
        } else {
            Dialect::Ttgir
        }
    }
}

/// How files begin that are no text, with what they are.
const NO_TEXT: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "it is compressed by gzip: `gzip -dc FILE | bitstride -` reads it"),
    (b"\x28\xb5\x2f\xfd", "it is compressed by zstd: `zstd -dc FILE | bitstride -` reads it"),
    (b"PK\x03\x04", "it is an archive: unpack it first"),
    (b"ML\xefR", "it is bytecode of MLIR: `mlir-opt` and `triton-opt` print it as text"),
];

/// What a dump tells; what stands on the line `marked` is marked. Where no dialect is said, the beginning of the input says it.
///
/// # Errors
/// What the input cannot be read with; [`io::ErrorKind::InvalidData`] for what is no text.
///
/// ```
/// let error = bitstride_dumps::read(&b"\x1f\x8b\x08"[..], None, None).err();
/// assert!(error.is_some_and(|error| error.to_string().contains("gzip -dc")));
/// ```
pub fn read(mut input: impl BufRead, dialect: Option<Dialect>, marked: Option<u64>) -> io::Result<Report> {
    let start = input.fill_buf()?;
    if let Some((_, what)) = NO_TEXT.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, *what));
    }
    let dialect = match (dialect, Dialect::of_start(input.fill_buf()?)) {
        // All three are MLIR, and may have its extension.
        (None | Some(Dialect::Ttgir), found @ (Dialect::StableHlo | Dialect::CuteDsl)) => found,
        (said, found) => said.unwrap_or(found),
    };
    match dialect {
        Dialect::Ttgir => ttgir::Dump::read(input, marked).map(|dump| dump.report(marked)),
        Dialect::Hlo => hlo::Dump::read(input, marked).map(|dump| dump.report(marked)),
        Dialect::StableHlo => stablehlo::Dump::read(input, marked).map(|dump| dump.report(marked)),
        Dialect::CuteDsl => cute::Dump::read(input, marked).map(|dump| dump.report(marked)),
    }
}
