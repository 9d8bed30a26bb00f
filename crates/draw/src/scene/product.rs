//! A product of CuTe with its factors: A and B stand beside one another above it, and each copy of A has the colour of the
//! element of B that puts it there.

use bitstride::cute::Tiler;
use bitstride::{Error, Tuple};
use bitstride_lang::{Outermost, Value};

use super::group::By;
use super::look::{Look, Paint};
use super::subject::Subject;
use super::{Room, grid};
use crate::picture::Panel;

/// The factors, and by which parts of the product's coordinates its copies differ.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub(super) factors: [Subject; 2],
    pub(super) by: Vec<By>,
}

/// What a colour of a product stands for.
const COPY: &str = "copy";

impl Product {
    /// The factors of a product of this shape, where a call is one.
    pub(super) fn of(call: &Outermost, shape: &Tuple<i64>) -> Option<Self> {
        let [a, b] = call.operands.as_slice() else {
            return None;
        };
        let copies = |path: Vec<usize>| By::Mode(path, COPY);
        let rank = shape.entries().len();
        let by_mode = |entry: &dyn Fn(usize) -> usize| {
            let ranks = shape.entries().iter().map(|mode| mode.entries().len()).collect::<Vec<_>>();
            ranks
                .iter()
                .enumerate()
                .filter(|(_, rank)| **rank > 1)
                .map(|(at, rank)| copies(vec![at, entry(*rank)]))
                .collect()
        };
        let last = |rank: usize| rank.saturating_sub(1);
        let is_modes = matches!(b.1, Value::Tiler(Tiler::Modes(_)));
        let by: Vec<By> = match call.operation.name {
            "logical_product" if is_modes => by_mode(&last),
            "logical_product" | "zipped_product" => vec![copies(vec![1])],
            "tiled_product" => (1..rank).map(|mode| copies(vec![mode])).collect(),
            "flat_product" => (a_rank(&a.1)..rank).map(|mode| copies(vec![mode])).collect(),
            "blocked_product" => by_mode(&last),
            "raked_product" => by_mode(&|_| 0),
            _ => return None,
        };
        let factors = [Subject::new(&a.0, &a.1).ok()?, Subject::new(&b.0, &b.1).ok()?];
        Some(Product { factors, by })
    }

    /// The factors beside one another, B in the colours that its copies have.
    pub(super) fn drawn(&self, room: &Room) -> Result<Vec<Panel>, Error> {
        let mut panels = Vec::new();
        for (name, (factor, by)) in
            ["A", "B"].into_iter().zip(self.factors.iter().zip([&[][..], &[By::Mode(Vec::new(), COPY)]]))
        {
            let paint = Paint::or_by(&Look::default(), factor, by)?;
            let drawn = grid::plain(factor, &paint, room)?;
            let mut title = format!("{name} = {}", factor.text());
            for panel in drawn.rows.into_iter().flatten() {
                panels.push(super::under(&std::mem::take(&mut title), panel));
            }
        }
        Ok(panels)
    }
}

/// How many modes a factor has in a flat product.
fn a_rank(factor: &Value) -> usize {
    factor.as_layout().map_or(1, |layout| layout.shape().entries().len())
}
