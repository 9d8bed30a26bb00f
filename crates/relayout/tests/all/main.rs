//! All tests of the crate as one program, so that helpers are compiled once and long tests of one file run beside those of another.
//! The library has no unit tests, for which all kernels would be compiled a second time.

mod beyond;
mod chunks;
mod common;
mod every_pair;
mod explain;
#[allow(dead_code, unreachable_pub, unused_imports, reason = "its unit tests need its insides")]
#[path = "../../src/file.rs"]
mod file;
mod limits;
mod moves;
mod registers;
mod slabs;
