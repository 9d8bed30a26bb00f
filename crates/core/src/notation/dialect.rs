//! [`Dialect`]: whose spelling a text uses, and what was read of it.

use std::fmt;

use super::Expr;

/// Whose spelling a text uses, beside that of this notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// CuTe's C++ library: its source, its types as compilers print them, and what it prints.
    CuteCpp,
    /// The Python front end of CuTe, and the types of its compiler.
    CuteDsl,
    /// Gluon, the Python in which Triton's layouts are written.
    Gluon,
    /// Triton's prints.
    Triton,
    /// Triton's Python, and Gluon's: offsets as kernels compute them.
    TritonPython,
    /// The text of XLA's programs.
    Hlo,
    /// JAX.
    Jax,
    /// StableHLO and MHLO, the dialects of MLIR for XLA.
    StableHlo,
    /// MLIR's own types.
    Mlir,
    /// The Python packages `pycute` and `tensor_layouts`, which write alike.
    Pycute,
    /// PyTorch.
    Torch,
    /// NumPy.
    NumPy,
    /// Patterns of einops.
    Einops,
    /// Names of instructions as compilers list them: PTX, SASS and AMD's.
    Assembly,
}

impl Dialect {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::CuteCpp => "CuTe C++",
            Dialect::CuteDsl => "CuTe DSL",
            Dialect::Gluon => "Gluon",
            Dialect::Triton => "a linear layout of Triton",
            Dialect::TritonPython => "offsets of Triton's Python",
            Dialect::Hlo => "HLO",
            Dialect::Jax => "JAX",
            Dialect::StableHlo => "StableHLO",
            Dialect::Mlir => "MLIR",
            Dialect::Pycute => "pycute or tensor-layouts",
            Dialect::Torch => "PyTorch",
            Dialect::NumPy => "NumPy",
            Dialect::Einops => "einops",
            Dialect::Assembly => "assembly",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a text reads as, and how it was spelled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reading {
    /// The tree.
    pub tree: Expr,
    /// The other systems of which a spelling was used, each once.
    pub dialects: Vec<Dialect>,
    /// Whether `8` was read as dynamic because `_8` or `Int<8>` stands in the text.
    pub mixed: bool,
    /// What was read and left out, in words.
    pub remarks: Vec<&'static str>,
}

/// How bare integers are read among the arguments of C++ constructors, and what was seen of both.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CppNumbers {
    /// Whether the arguments of a constructor are being read.
    pub(super) within: bool,
    /// Whether bare integers there are dynamic.
    pub(super) dynamic: bool,
    /// Whether a static integer of C++ was read.
    pub(super) statics: bool,
    /// Whether a bare integer was read among such arguments.
    pub(super) bare: bool,
}
