//! What the tests of plans and of what is built on them share: layouts from text, noise to move, units as bits, random pairs.

mod bytes;
mod layout;
mod pairs;

pub(crate) use bytes::{noise, unit};
pub(crate) use layout::map;
pub(crate) use pairs::{list, permuted};
