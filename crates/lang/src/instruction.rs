//! [`Instruction`]: a matrix or copy instruction of CuTe, alone or as copies over a tile, as a value.
//!
//! Its layouts are reached by name, `X.A`. Law: the text of a value evaluates to it.

use std::fmt;

use bitstride::cute::{CopyAtom, MmaAtom, Operand, Side, TiledCopy, TiledMma, Tiler};
use bitstride::{Code, Error, Tuple};

use super::numbers::{tuple, whole};
use super::value::Value;

/// An instruction, or copies of one over threads and a tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// A matrix instruction, by its name.
    Mma(String, Box<MmaAtom>),
    /// A copy instruction, by its name.
    Copy(String, Box<CopyAtom>),
    /// Copies of the matrix instruction of this name.
    TiledMma(String, Box<TiledMma>),
    /// Copies of the copy instruction of this name.
    TiledCopy(String, Box<TiledCopy>),
}

impl Instruction {
    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Instruction::Mma(..) | Instruction::Copy(..) => "atom",
            Instruction::TiledMma(..) => "tiled_mma",
            Instruction::TiledCopy(..) => "tiled_copy",
        }
    }

    /// The names of its parts, the layouts first.
    pub fn parts(&self) -> Vec<&'static str> {
        match self {
            Instruction::Mma(_, atom) => {
                let mut parts = vec!["A", "B", "C", "ThrID", "Shape_MNK", "bits"];
                if atom.metadata.is_some() {
                    parts.push("E");
                }
                if atom.scales.is_some() {
                    parts.extend(["SFA", "SFB"]);
                }
                parts
            }
            Instruction::Copy(..) => vec!["Src", "Dst", "Ref", "ThrID"],
            Instruction::TiledMma(..) => vec!["A", "B", "C", "thr_layout_vmnk", "atoms", "tile"],
            Instruction::TiledCopy(..) => vec!["S", "D", "TV", "tile", "bits"],
        }
    }

    /// The part of a name: a layout from (thread, value), from threads, or a shape.
    ///
    /// # Errors
    /// [`Code::NoLayout`] for what an instruction may have and this one has not, [`Code::Parameter`] for other names; what
    /// the layouts of tiled instructions refuse.
    pub fn part(&self, name: &str) -> Result<Value, Error> {
        let missing = || {
            let is_part = matches!(name, "E" | "SFA" | "SFB") && matches!(self, Instruction::Mma(..));
            let code = if is_part { Code::NoLayout } else { Code::Parameter };
            Error::new(code, format!("{self} has no {name}")).with_help(format!("it has {}", self.parts().join(", ")))
        };
        Ok(match (self, name) {
            (Instruction::Mma(_, atom), "A") => atom.a.clone().into(),
            (Instruction::Mma(_, atom), "B") => atom.b.clone().into(),
            (Instruction::Mma(_, atom), "C") => atom.c.clone().into(),
            (Instruction::Mma(_, atom), "ThrID") => atom.threads.clone().into(),
            (Instruction::Mma(_, atom), "Shape_MNK") => tuple(&atom.shape),
            (Instruction::Mma(_, atom), "bits") => tuple(&atom.bits),
            (Instruction::Mma(_, atom), "E") => atom.metadata.clone().ok_or_else(missing)?.into(),
            (Instruction::Mma(_, atom), "SFA" | "SFB") => {
                let [a, b] = atom.scales.clone().ok_or_else(missing)?;
                if name == "SFA" { a.into() } else { b.into() }
            }
            (Instruction::Copy(_, atom), "Src" | "S") => atom.source.clone().into(),
            (Instruction::Copy(_, atom), "Dst" | "D") => atom.target.clone().into(),
            (Instruction::Copy(_, atom), "Ref") => atom.reference.clone().into(),
            (Instruction::Copy(_, atom), "ThrID") => atom.threads.clone().into(),
            (Instruction::TiledMma(_, mma), "A") => mma.layout_tv(Operand::A)?.into(),
            (Instruction::TiledMma(_, mma), "B") => mma.layout_tv(Operand::B)?.into(),
            (Instruction::TiledMma(_, mma), "C") => mma.layout_tv(Operand::C)?.into(),
            (Instruction::TiledMma(_, mma), "thr_layout_vmnk") => mma.thr_layout_vmnk().clone().into(),
            (Instruction::TiledMma(_, mma), "atoms") => mma.atoms().clone().into(),
            (Instruction::TiledMma(_, mma), "tile") => tuple(&mma.tile_mnk()?),
            (Instruction::TiledCopy(_, copy), "S") => copy.layout_tv(Side::Source)?.into(),
            (Instruction::TiledCopy(_, copy), "D") => copy.layout_tv(Side::Target)?.into(),
            (Instruction::TiledCopy(_, copy), "TV") => copy.tiled_layout().clone().into(),
            (Instruction::TiledCopy(_, copy), "tile") => Value::from(Tuple::clone(copy.tile())),
            (Instruction::TiledCopy(_, copy), "bits") => whole(copy.bits()),
            _ => return Err(missing()),
        })
    }
}

/// The text of an instruction by its name; extents in its template arguments are an operand of their own.
fn named(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "atom({name})")
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instruction::Mma(name, _) | Instruction::Copy(name, _) => named(f, name),
            Instruction::TiledMma(name, mma) => {
                f.write_str("tiled_mma(")?;
                named(f, name)?;
                write!(f, ", {}", mma.atoms())?;
                if mma.tile().iter().any(|entry| *entry != Tiler::Keep) {
                    write!(f, ", {}", Tiler::Modes(mma.tile().to_vec()))?;
                }
                f.write_str(")")
            }
            Instruction::TiledCopy(name, copy) => {
                f.write_str("tiled_copy_tv(")?;
                named(f, name)?;
                write!(f, ", {}, {}, {})", copy.bits(), copy.tiled_layout(), copy.tile())
            }
        }
    }
}
