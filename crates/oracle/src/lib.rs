//! What every answer of bitstride is judged by.
//!
//! [`reference`](mod@reference) computes each operation by counting, on plain integers. [`laws`] holds one checker for each operation:
//! it says what must be true of an answer, and knows no algorithm. The crate depends on nothing, least of all on the
//! crate that it judges, so agreement between the two means something. It serves tests and is not published.

pub mod laws;
pub mod reference;
