//! One exact algebra for tensor layouts.

pub mod laws;
pub mod reference;
