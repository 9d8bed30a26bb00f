//! The parts of an [`Instruction`] as values: its layouts, shapes and numbers.

use super::instruction::Instruction;
use super::numbers::{tuple, whole};
use super::value::Value;
use bitstride::cute::{Operand, Side, Tiler, upcast};
use bitstride::memory::Major;
use bitstride::{Code, Error, Int, Tuple, error};

impl Instruction {
    /// The part of a name: a layout from (thread, value), from threads, or a shape.
    ///
    /// # Errors
    /// [`Code::NoLayout`] for what an instruction may have and this one has not, [`Code::Parameter`] for other names; what
    /// the layouts of tiled instructions refuse.
    pub fn part(&self, name: &str) -> Result<Value, Error> {
        let missing = || {
            let is_part =
                matches!(name, "E" | "SFA" | "SFB" | "MajorA" | "MajorB") && matches!(self, Instruction::Mma(..));
            let code = if is_part { Code::NoLayout } else { Code::Parameter };
            error!(code, "{instruction} has no {name}", [instruction = self, name])
                .with_help(format!("it has {}", self.parts().join(", ")))
        };
        Ok(match (self, name) {
            (Instruction::Mma(_, atom), "A") => atom.a.clone().into(),
            (Instruction::Mma(_, atom), "B") => atom.b.clone().into(),
            (Instruction::Mma(_, atom), "C") => atom.c.clone().into(),
            (_, "atom") => self.atom()?.into(),
            (Instruction::Mma(..), "MajorA" | "MajorB") => {
                let [a, b] = self.majors().ok_or_else(missing)?;
                let major = if name == "MajorA" { a } else { b };
                Value::from(Int::named(if major == Major::K { "K" } else { "MN" }, 1))
            }
            (Instruction::Mma(_, atom), "ThrID") => atom.threads.clone().into(),
            (Instruction::Mma(_, atom), "Shape_MNK") => tuple(&atom.shape),
            (Instruction::Mma(_, atom), "bits") => tuple(&atom.bits),
            (Instruction::Mma(_, atom), "E") => atom.metadata.clone().ok_or_else(missing)?.into(),
            (Instruction::Mma(_, atom), "SFA" | "SFB") => {
                let [a, b] = atom.scales.clone().ok_or_else(missing)?;
                if name == "SFA" { a.into() } else { b.into() }
            }
            (Instruction::Copy(_, atom, bits), "Src" | "S") => upcast(&atom.source, *bits)?.into(),
            (Instruction::Copy(_, atom, bits), "Dst" | "D") => upcast(&atom.target, *bits)?.into(),
            (Instruction::Copy(_, atom, bits), "Ref") => upcast(&atom.reference, *bits)?.into(),
            (Instruction::Copy(_, atom, _), "ThrID") => atom.threads.clone().into(),
            (Instruction::Copy(_, _, 1), "bits") => {
                return Err(error!(
                    Code::NoLayout,
                    "nothing says how many bits an element of {instruction} has",
                    [instruction = self]
                )
                .with_help(format!("elements of 16 bits: copy_atom({self}, 16)")));
            }
            (Instruction::Copy(_, _, bits), "bits") => whole(*bits),
            (Instruction::TiledMma(_, mma), "A") => mma.layout_tv(Operand::A)?.into(),
            (Instruction::TiledMma(_, mma), "B") => mma.layout_tv(Operand::B)?.into(),
            (Instruction::TiledMma(_, mma), "C") => mma.layout_tv(Operand::C)?.into(),
            (Instruction::TiledMma(_, mma), "thr_layout_vmnk") => mma.thr_layout_vmnk().clone().into(),
            (Instruction::TiledMma(_, mma), "permutation") => Value::Tiler(Tiler::Modes(mma.tile().to_vec())),
            (Instruction::TiledMma(_, mma), "atoms") => mma.atoms().clone().into(),
            (Instruction::TiledMma(_, mma), "tile") => tuple(&mma.tile_mnk()?),
            (Instruction::TiledCopy(_, copy), "S") => copy.layout_tv(Side::Source)?.into(),
            (Instruction::TiledCopy(_, copy), "D") => copy.layout_tv(Side::Target)?.into(),
            (Instruction::TiledCopy(_, copy), "TV") => copy.tiled_layout().clone().into(),
            (Instruction::TiledCopy(_, copy), "tile") => Value::from(Tuple::clone(copy.tile())),
            (Instruction::TiledCopy(_, copy), "tiler") => Value::Tiler(copy.tiler().clone()),
            (Instruction::TiledCopy(_, copy), "bits") => whole(copy.bits()),
            (Instruction::Slice(whole, _), _) => return whole.part(name),
            _ => return Err(missing()),
        })
    }
}
