//! The test oracle: what every answer of bitstride is checked against.
//!
//! [`reference`](mod@reference) computes each operation by enumeration, on plain integers. [`laws`] holds one checker for each
//! operation: it checks what must be true of an answer, whatever algorithm found it. The crate depends on no other crate, not
//! even on the one that it tests, so that both can test each other. It is for tests only and is not published.

pub mod laws;
pub mod reference;
