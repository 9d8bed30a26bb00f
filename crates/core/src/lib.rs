//! One exact algebra for tensor layouts.

pub mod reference;
