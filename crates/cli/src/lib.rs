//! The command line of bitstride, as a library.
//!
//! [`run()`] is the whole program over any streams, so that tests and other front ends share it; [`run_standard`] is
//! the program over the streams of the process. A verb is one struct in `args` (what may be written) and one file in
//! `cmd` (what is done), joined in `cmd::run`. Every verb speaks through the `session`, which knows the form of the
//! answers: text or JSON, the spelling of integers, colours.
//!
//! | exit | means |
//! |---|---|
//! | 0 | answered, true |
//! | 1 | false, or refused by a law |
//! | 2 | unreadable text, wrong kind or arity, overflow |
//! | 3 | undecided: a fact is missing or the budget ended |
//! | 4 | a file could not be read or written |
//!
//! A signal that ends `relayout` while it writes has 128 more than its number. With several expressions the code is the
//! greatest.

mod args;
mod checkpoint;
mod cmd;
#[cfg(unix)]
mod interrupt;
mod names;
mod render;
mod run;
mod session;
mod tensor_layout;
mod tensors;
mod threads;
mod worker;

pub use checkpoint::dcp_entries;
pub use run::{Terminal, run, run_on, run_standard};
pub use tensor_layout::{tensor_layout, tensor_layout_standard};
