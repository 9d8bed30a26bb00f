//! What the tests of the algebra share: every operation under one name, operands to feed it, and the law of each.
#![allow(dead_code, unused_imports, unreachable_pub, reason = "each test file uses its own part")]

mod choice;
mod encodings;
mod judge;
mod lift;
mod loose;
mod operation;
pub mod random_encodings;
mod tiled;

pub use choice::{Choices, operands, run};
pub use encodings::slow;
pub use judge::{Verdict, judge, lawful, text};
pub use lift::{Leaf, lift, lower, lowered};
pub use loose::lawful_for;
pub use operation::{Answer, Op, Operands, apply};
pub use tiled::{Tile, boxes, lists, orders, tiled, tiles};
