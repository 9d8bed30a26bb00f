//! [`Instruction`]: a matrix or copy instruction of CuTe, alone or as copies over a tile, as a value.
//!
//! Its layouts are reached by name, `X.A` ([`parts`](super::instruction_parts)). Law: the text of a value evaluates to it.

use std::fmt;

use bitstride::Error;
use bitstride::cute::{CopyAtom, MmaAtom, TiledCopy, TiledMma, Tiler};
use bitstride::memory::Major;

/// An instruction, or copies of one over threads and a tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// A matrix instruction, by its name.
    Mma(String, Box<MmaAtom>),
    /// A copy instruction, by its name, and the bits of the elements that its layouts count; 1 where nothing says them.
    Copy(String, Box<CopyAtom>, i64),
    /// Copies of the matrix instruction of this name.
    TiledMma(String, Box<TiledMma>),
    /// Copies of the copy instruction of this name.
    TiledCopy(String, Box<TiledCopy>),
    /// Copies over a tile with a thread, of whose part later questions are.
    Slice(Box<Instruction>, i64),
}

impl Instruction {
    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Instruction::Mma(..) | Instruction::Copy(..) => "atom",
            Instruction::TiledMma(..) => "tiled_mma",
            Instruction::TiledCopy(..) => "tiled_copy",
            Instruction::Slice(..) => "slice",
        }
    }

    /// Which dim of A and of B is contiguous in shared memory, where the name of the instruction says it in its template arguments,
    /// or its elements leave no choice: four bits lie along K.
    pub(super) fn majors(&self) -> Option<[Major; 2]> {
        let (Instruction::Mma(name, _) | Instruction::TiledMma(name, _)) = self else { return None };
        let said: Vec<Major> = name
            .split(['<', ',', '>'])
            .filter_map(|argument| match argument.trim().rsplit_once("Major::")?.1 {
                "K" => Some(Major::K),
                "MN" => Some(Major::Mn),
                _ => None,
            })
            .collect();
        let is_along_k = name.contains("MXF4_") || name.contains("MXF4NVF4_");
        said.try_into().ok().or_else(|| is_along_k.then_some([Major::K; 2]))
    }

    /// One instruction, of which this may be copies.
    ///
    /// # Errors
    /// Where no instruction has the name.
    pub(super) fn atom(&self) -> Result<Instruction, Error> {
        Ok(match self {
            Instruction::Mma(..) | Instruction::Copy(..) => self.clone(),
            Instruction::TiledMma(name, mma) => Instruction::Mma(name.clone(), Box::new(mma.atom().clone())),
            Instruction::TiledCopy(name, copy) => {
                Instruction::Copy(name.clone(), Box::new(CopyAtom::named(name)?), copy.bits())
            }
            Instruction::Slice(whole, _) => whole.atom()?,
        })
    }

    /// The number of threads that take part, of CTAs where these are the threads.
    ///
    /// # Errors
    /// Where the layout of threads has no size.
    pub(super) fn threads(&self) -> Result<i64, Error> {
        match self {
            Instruction::Mma(_, atom) => atom.threads.size()?.as_number(),
            Instruction::Copy(_, atom, _) => atom.threads.size()?.as_number(),
            Instruction::TiledMma(_, mma) => mma.size(),
            Instruction::TiledCopy(_, copy) => copy.size(),
            Instruction::Slice(whole, _) => whole.threads(),
        }
    }

    /// The names of its parts, the layouts first.
    pub fn parts(&self) -> Vec<&'static str> {
        match self {
            Instruction::Mma(_, atom) => {
                let mut parts = vec!["A", "B", "C", "ThrID", "Shape_MNK", "bits"];
                if self.majors().is_some() {
                    parts.extend(["MajorA", "MajorB"]);
                }
                if atom.metadata.is_some() {
                    parts.push("E");
                }
                if atom.scales.is_some() {
                    parts.extend(["SFA", "SFB"]);
                }
                parts
            }
            Instruction::Copy(_, _, bits) => {
                let mut parts = vec!["Src", "Dst", "Ref", "ThrID"];
                if *bits != 1 {
                    parts.push("bits");
                }
                parts
            }
            Instruction::TiledMma(..) => vec!["A", "B", "C", "thr_layout_vmnk", "atom", "atoms", "tile", "permutation"],
            Instruction::TiledCopy(..) => vec!["S", "D", "TV", "atom", "tile", "tiler", "bits"],
            Instruction::Slice(whole, _) => whole.parts(),
        }
    }
}

/// The text of an instruction by its name; extents in its template arguments are an operand of their own.
fn named(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "atom({name})")
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instruction::Mma(name, _) | Instruction::Copy(name, _, 1) => named(f, name),
            Instruction::Copy(name, _, bits) => {
                f.write_str("copy_atom(")?;
                named(f, name)?;
                write!(f, ", {bits})")
            }
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
                write!(f, ", {}, {}, ", copy.bits(), copy.tiled_layout())?;
                match *copy.tiler() == Tiler::of_shape(copy.tile()) {
                    true => write!(f, "{})", copy.tile()),
                    false => write!(f, "{})", copy.tiler()),
                }
            }
            Instruction::Slice(whole, thread) => write!(f, "get_slice({whole}, {thread})"),
        }
    }
}
