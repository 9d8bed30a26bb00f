//! The bitstride command line.

fn main() {}
