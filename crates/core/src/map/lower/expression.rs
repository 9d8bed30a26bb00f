//! Lowers index expressions: operator by operator where stages hold them, else as the table of all their points.

use super::index_stages::stages;
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::index::Expression;
use crate::map::fit::Table;
use crate::map::layout::size;
use crate::map::walk::Walk;
use crate::map::{Axis, Direction, Map};

/// The most points of which a table is made where no stages hold an expression.
const BUDGET: i64 = 1 << 22;

impl Expression {
    /// The offsets of all points.
    ///
    /// # Errors
    /// [`Code::Undecided`] beyond 2^22 points; as [`Expression::at`].
    ///
    /// ```
    /// let expression: bitstride::map::Expression = "i<2, j<2: i*2 + j".parse()?;
    /// assert!(expression.table()?.fit()?.broken.is_empty());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn table(&self) -> Result<Table, Error> {
        let points = size(&self.axes)?;
        if points > BUDGET {
            return Err(error!(
                Code::Undecided,
                "no stages hold the expression, and its {points} points are more than {budget}",
                [points, budget = BUDGET]
            ));
        }
        let extents: Vec<i64> = self.axes.iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut offsets = Vec::new();
        while let Some(point) = walk.next() {
            offsets.push(self.at(point)?);
        }
        Table::of_axes(self.axes.clone(), offsets)
    }

    /// The map of the expression: operator by operator where stages hold it, else what its table is.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where neither is; as [`Expression::table`].
    ///
    /// ```
    /// let swizzled: bitstride::map::Expression = "row<8, col<64: row*64 + (col ^ (row*8))".parse()?;
    /// assert_eq!(swizzled.to_map()?.at(&[2, 5])?, Some(vec![149]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_map(&self) -> Result<Map, Error> {
        if let Some(map) = self.chain()? {
            return Ok(map);
        }
        let fit = self.table()?.fit()?;
        fit.found.map(|(_, map)| map).ok_or_else(|| {
            let breaks: Vec<String> = fit.broken.iter().map(|(family, why)| format!("no {family}: {why}")).collect();
            error!(
                Code::NotALayout,
                "{expression} is no chain of stages, and its table is none ({breaks})",
                [expression = self, breaks = breaks.join("; ")]
            )
        })
    }

    /// The map of the expression, operator by operator; none where an operator is no stage.
    pub(crate) fn chain(&self) -> Result<Option<Map>, Error> {
        let Some((stages, ranges)) = stages(&self.axes, std::slice::from_ref(&self.tree))? else { return Ok(None) };
        let most = ranges.first().map_or(0, |(_, most)| *most);
        let offset = Axis::offset(narrow(most.max(-1) + 1)?);
        let map = Map::new(self.axes.clone(), stages, vec![offset], Direction::ToPlace)?;
        Ok(Some(map.with_bounds_only()))
    }
}
