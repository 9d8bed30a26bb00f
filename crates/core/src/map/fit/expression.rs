//! Fits a layout to an index expression.

use super::{Family, Fit};
use crate::error::{Code, Error};
use crate::map::{Direction, Expression, Form, Map};

impl Expression {
    /// The map of the expression: by stages, operator by operator, where these have a normal form, whatever the
    /// extents; else from the table of all points; else the chain of stages.
    ///
    /// # Errors
    /// [`Code::Undecided`] when no stages hold it and there are more than 2^22 points; as [`Expression::at`].
    pub fn fit(&self) -> Result<Fit, Error> {
        let chain = self.chain()?;
        if let Some(map) = &chain
            && let Ok(form) = Form::of(map)
        {
            let clean = Map::of_form(&form, map.codomain().to_vec(), Direction::ToPlace)?.with_bounds_only();
            return Ok(Fit { found: Some((Family::of(&form), clean)), broken: Vec::new() });
        }
        let as_chain = |map: Map| match map.to_cute() {
            Ok(_) => (Family::Swizzled, map),
            Err(_) => (Family::Chain, map),
        };
        match (self.table(), chain) {
            (Ok(table), chain) => {
                let fit = table.fit()?;
                Ok(Fit { found: fit.found.or(chain.map(as_chain)), broken: fit.broken })
            }
            (Err(why), Some(map)) if why.code() == Code::Undecided => {
                Ok(Fit { found: Some(as_chain(map)), broken: Vec::new() })
            }
            (Err(why), _) => Err(why),
        }
    }
}
