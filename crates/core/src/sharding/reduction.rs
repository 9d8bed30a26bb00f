//! [`Sharding::before_reduction`]: what the operand of an operation is that combines summands.
//!
//! Law: along the axes that the operation names devices have summands of the operand; all else is as in the result. So an
//! all-reduce, whose result has copies along them, and a reduce-scatter, whose result is cut along them, have one rule.

use super::axes;
use super::mesh::Part;
use super::placement::{Placement, Reduction, Role, Spread};
use super::shardy::OPERATIONS;
use super::tensor::Sharding;
use crate::error::{Code, Error};

impl Sharding {
    /// The sharding of the operand, where this is the result's: `axes` as Shardy writes them, `{"x"}` or `[{"x"}, {}]`, and the
    /// operation, which is a sum where its name is empty.
    ///
    /// # Errors
    /// A syntax error in the axes; [`Code::MissingDim`] for an axis that the mesh has not; [`Code::UnknownName`] for another
    /// operation than `sum`, `max` and `min`; [`Code::NotDivisible`] where the parts of an axis do not nest; [`Code::NotALayout`] for a
    /// sharding without a mesh.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let result: Sharding = r#"shard(f32[8,8], #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x", "y"}, {}]>)"#.parse()?;
    /// let operand = result.before_reduction(r#"[{"y"}, {}]"#, "max")?;
    /// assert_eq!(operand.to_string(), r#"shard(f32[8,8], #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}, {}], unreduced=max{"y"}>)"#);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn before_reduction(&self, axes: &str, operation: &str) -> Result<Self, Error> {
        let placement = self.placement();
        if matches!(placement.spread, Spread::Only(_)) || placement.mesh.axes.is_empty() {
            return Err(Error::new(Code::NotALayout, "summands are combined along axes of a mesh, and there is none"));
        }
        let reduction = match OPERATIONS.into_iter().find(|known| *known == operation) {
            Some(known) => Reduction::Named(known),
            None if operation.is_empty() => Reduction::Unnamed,
            None => {
                return Err(error!(
                    Code::UnknownName,
                    "`{operation}` combines no summands here; `sum`, `max` and `min` do",
                    [operation]
                ));
            }
        };
        let summed = axes::named(axes, &placement.mesh)?;
        let other = |part: &Part| -> Result<Vec<Part>, Error> {
            let split = split(*part, &summed)?;
            Ok(split.into_iter().filter(|own| !summed.iter().any(|whole| is_within(own, whole))).collect())
        };
        let mut dims = Vec::new();
        for rule in &placement.rules {
            let mut dim = Vec::new();
            for digit in rule.digits().iter().filter_map(|digit| placement.digits.get(*digit)) {
                dim.extend(other(&digit.part)?);
            }
            dims.push(dim);
        }
        let mut others: Vec<(Part, Role)> = Vec::new();
        for digit in placement.pending() {
            others.extend(other(&digit.part)?.into_iter().map(|part| (part, digit.role.clone())));
        }
        others.extend(summed.iter().map(|part| (*part, Role::Sums(reduction.clone()))));
        let placement = Placement::named(placement.mesh.clone(), &dims, &others)?;
        self.with(placement, self.notation())
    }
}

/// A part in pieces, of which each is inside or outside of each of some others.
fn split(part: Part, others: &[Part]) -> Result<Vec<Part>, Error> {
    let end = part.before.saturating_mul(part.size);
    let others = others.iter().filter(|other| other.axis == part.axis);
    let mut cuts: Vec<i64> = others.flat_map(|other| [other.before, other.before.saturating_mul(other.size)]).collect();
    cuts.retain(|cut| part.before < *cut && *cut < end);
    cuts.push(end);
    cuts.sort_unstable();
    cuts.dedup();
    let mut before = part.before;
    let mut pieces = Vec::new();
    for cut in cuts {
        if cut % before != 0 {
            return Err(error!(
                Code::NotDivisible,
                "a part of an axis ends at {before} and another at {cut}; no digits have both",
                [before, cut]
            ));
        }
        pieces.push(Part { before, size: cut / before, ..part });
        before = cut;
    }
    Ok(pieces)
}

/// Whether a part is inside another.
fn is_within(part: &Part, whole: &Part) -> bool {
    let end = |part: &Part| part.before.saturating_mul(part.size);
    part.axis == whole.axis && whole.before <= part.before && end(part) <= end(whole)
}
