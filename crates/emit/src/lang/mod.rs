//! [`Language`]: what source is written in, one printer a file.

mod c;
mod mlir;
mod python;
mod rust;
mod triton;

use bitstride::{Code, Error, error};

use crate::function::Function;

pub(crate) use c::{integer, literal};
pub(crate) use triton::function as of_tensors;

/// A language of emitted source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// C99, which is C++ too.
    C,
    /// CUDA C++.
    Cuda,
    /// Python, whose integers have no end.
    Python,
    /// Rust.
    Rust,
    /// MLIR, dialects `func` and `arith`, over `index`.
    Mlir,
    /// Triton's Python.
    Triton,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 6] =
        [Language::C, Language::Cuda, Language::Python, Language::Rust, Language::Mlir, Language::Triton];

    /// The word by which it is chosen.
    ///
    /// ```
    /// assert_eq!(bitstride_emit::Language::Mlir.word(), "mlir");
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cuda => "cuda",
            Language::Python => "python",
            Language::Rust => "rust",
            Language::Mlir => "mlir",
            Language::Triton => "triton",
        }
    }

    /// The language of a word.
    ///
    /// # Errors
    /// [`Code::UnknownName`].
    ///
    /// ```
    /// use bitstride_emit::Language;
    /// assert_eq!(Language::of_word("c")?, Language::C);
    /// assert!(Language::of_word("pascal").is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_word(word: &str) -> Result<Self, Error> {
        Language::ALL.into_iter().find(|language| language.word() == word).ok_or_else(|| {
            let words: Vec<&str> = Language::ALL.iter().map(|language| language.word()).collect();
            error!(Code::UnknownName, "no language is called {word}", [word]).with_help(words.join(", "))
        })
    }

    /// A line of comment.
    pub(crate) fn comment(self, text: &str) -> String {
        match self {
            Language::C | Language::Cuda | Language::Rust | Language::Mlir => format!("// {text}\n"),
            Language::Python | Language::Triton => format!("# {text}\n"),
        }
    }

    /// What stands before all functions.
    pub(crate) fn head(self) -> &'static str {
        match self {
            Language::C => "#include <stdint.h>\n\n",
            Language::Triton => "import triton\nimport triton.language as tl\n\n\n",
            Language::Cuda | Language::Python | Language::Rust | Language::Mlir => "",
        }
    }

    /// The text of a function.
    pub(crate) fn function(self, function: &Function) -> String {
        match self {
            Language::C => c::function(function, c::Family::C),
            Language::Cuda => c::function(function, c::Family::Cuda),
            Language::Python => python::function(function),
            Language::Rust => rust::function(function),
            Language::Mlir => mlir::function(function),
            Language::Triton => triton::function(function, true),
        }
    }
}
