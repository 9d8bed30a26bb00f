//! The normal form *of a map*: its stages pushed together one after the other, or fitted to its points.

use super::Map;
use super::fit::Table;
use super::form::{AffineExpr, Form};
use super::symbolic::Symbolic;
use crate::error::Error;

impl Form {
    /// The normal form of a map.
    ///
    /// # Errors
    /// [`Code::Split`](crate::Code::Split) where an integer is cut at a number that neither divides nor is divided by what it
    /// is made of; [`Code::Carry`](crate::Code::Carry) where parts that are added carry across a cut; `NotALayout` where a
    /// guard turns some points to padding; `Overflow`.
    ///
    /// ```
    /// use bitstride::map::{Form, Map};
    /// let layout: bitstride::Layout = "((2,2),3):((24,2),8)".parse()?;
    /// let form = Form::of(&Map::of_layout(&layout)?)?;
    /// assert_eq!(form.digits.len(), 3);
    /// assert_eq!(form.sums[0].strides, [24, 2, 8]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(map: &Map) -> Result<Self, Error> {
        let mut symbolic = Symbolic::new(map.domain());
        if map.domain().iter().any(|axis| axis.extent == 0) {
            let sums = vec![AffineExpr::default(); map.codomain().len()];
            return Ok(Form { axes: map.domain().to_vec(), digits: Vec::new(), sums });
        }
        for stage in map.stages() {
            crate::cancel::checkpoint();
            symbolic.stage(stage)?;
        }
        let mut form = symbolic.finish();
        form.canonicalise()?;
        Ok(form)
    }

    /// The normal form of a map. Where its stages have none and the map is small, the form is fitted to all its points:
    /// the parts of a sum may carry only outside of the domain.
    ///
    /// # Errors
    /// As [`Form::of`].
    pub(super) fn read(map: &Map) -> Result<Self, Error> {
        Form::of(map).or_else(|error| match Table::of(map).and_then(|table| table.fit_form().ok()?.found) {
            Some((_, found)) => Form::of(&found),
            None => Err(error),
        })
    }
}
