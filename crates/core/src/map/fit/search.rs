//! Which family holds a table of offsets: each is tried in order, and says where it breaks.

use super::table::Table;
use super::{Break, Family, Fit, mixed};
use crate::error::Error;
use crate::map::recognise::of_table;
use crate::map::{Form, Map};

impl Table {
    /// The first family that holds the table: a layout, a linear layout, a mixed one, a layout under a swizzle, or none
    /// of these.
    ///
    /// # Errors
    /// [`Code::Overflow`](crate::Code::Overflow) when a difference of offsets does not fit in 64 bits.
    ///
    /// ```
    /// use bitstride::map::{Family, Table};
    /// let found = Table::new(&[4], vec![0, 1, 3, 2])?.fit()?.found;
    /// assert_eq!(found.map(|(family, _)| family), Some(Family::Linear));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn fit(&self) -> Result<Fit, Error> {
        let mut fit = self.fit_form()?;
        if fit.found.is_none()
            && let Some(cute) = of_table(self)?
        {
            fit.found = Some((Family::Swizzled, Map { domain: self.axes.clone(), ..Map::of_function(&cute)? }));
        }
        Ok(fit)
    }

    /// The first family that holds the table as a sum over digits with patterns.
    ///
    /// # Errors
    /// As [`Table::fit`].
    pub(in crate::map) fn fit_form(&self) -> Result<Fit, Error> {
        let mut broken = Vec::new();
        if self.offsets.is_empty() {
            return Ok(Fit { found: Some((Family::Layout, self.map(&self.blank())?)), broken });
        }
        type Read = fn(&Table) -> Result<Result<Form, Break>, Error>;
        let families: [(Family, Read); 3] =
            [(Family::Layout, Table::layout), (Family::Linear, Table::linear), (Family::Mixed, mixed::read)];
        for (family, read) in families {
            match read(self)? {
                Ok(form) => return Ok(Fit { found: Some((family, self.map(&form)?)), broken }),
                Err(why) => broken.push((family, why)),
            }
        }
        Ok(Fit { found: None, broken })
    }
}
