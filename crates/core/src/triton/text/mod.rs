//! Encodings as text: the attributes that Triton 3.9 prints, read and printed.
//!
//! Law: for every encoding `e`, `e.to_string()` is what Triton prints, and reads as `e`. What Triton prints but cannot
//! read itself is read too, and printed so that Triton can: an `amd_wmma` of rank 3 says `rank = 3`, and one without
//! warp bases says `warp = []`. A linear encoding without any basis says its rank; Triton has no such encodings. Curly
//! brackets around fields may be left out or put in where Triton is strict. Names of before 2025 (`older`) are read with a note.
//!
//! ```
//! use bitstride::triton::Encoding;
//! let text = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
//! let encoding: Encoding = text.parse()?;
//! assert_eq!(encoding.to_string(), text);
//! # Ok::<(), bitstride::Error>(())
//! ```

mod fields;
mod older;
mod print;
mod read;
mod walk;
