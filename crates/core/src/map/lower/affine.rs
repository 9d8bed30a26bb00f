//! Lowers affine maps over a box. Each result is a coordinate; a single result is an offset in memory. The box is the
//! shape of an MLIR memref, whose elements are numbered row-major.

use super::super::{Affine, Axis, Direction, Map, Order, Unit};
use super::index_stages::stages;
use super::linear::axis_of;
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::linear::{Dim, Name};

impl Map {
    /// The map of an affine map over dims of these extents, to an offset in memory where it has one result, else to as many
    /// coordinates.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when there is not one extent for each dim; [`Code::Range`] for a negative extent, or a
    /// divisor that is not positive; [`Code::NotALayout`] for a product of dims and the like; [`Code::TooLarge`] for too
    /// many divisions; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_affine(&"affine_map<(d0) -> ((d0 mod 72) * 9 + d0 floordiv 72)>".parse()?, &[81])?;
    /// assert_eq!(map.at(&[80])?, Some(vec![73]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_affine(affine: &Affine, shape: &[i64]) -> Result<Map, Error> {
        let domain: Vec<Axis> = shape.iter().enumerate().map(|(dim, extent)| Axis::dim(dim, *extent)).collect();
        let into = |reaches: &[i64]| match reaches {
            [reach] => vec![Axis::offset(*reach)],
            reaches => reaches.iter().enumerate().map(|(dim, reach)| Axis::dim(dim, *reach)).collect(),
        };
        Ok(lowered(affine, domain, into, Direction::ToPlace)?.with_bounds_only())
    }

    /// The map of an affine map between named axes with these extents, such as from `offset`, or from `register` and `lane`, to
    /// the dims of a tensor.
    ///
    /// # Errors
    /// As [`Map::of_affine`]; [`Code::Range`] for a result beyond its extent; [`Code::Undecided`] where that is not
    /// known within the budget of 2^20.
    ///
    /// ```
    /// use bitstride::{linear::Name, map::Map};
    /// let back = "affine_map<(d0) -> (d0 floordiv 3, d0 mod 3)>".parse()?;
    /// let map = Map::of_affine_between(&back, &[(Name::OFFSET, 6)], &[(Name::dim(0), 2), (Name::dim(1), 3)])?;
    /// assert_eq!(map.to_string(), "offset:6 -> dim0:2, dim1:3");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_affine_between(affine: &Affine, from: &[(Name, i64)], to: &[(Name, i64)]) -> Result<Map, Error> {
        let axes = |side: &[(Name, i64)]| -> Vec<Axis> {
            side.iter()
                .map(|(name, extent)| Axis { extent: *extent, ..axis_of(&Dim { name: *name, bits: 0 }) })
                .collect()
        };
        let (domain, codomain) = (axes(from), axes(to));
        if affine.results.len() != codomain.len() {
            return Err(Error::lengths(["results", "axes"], affine.results.len(), codomain.len()));
        }
        let direction = match domain.iter().all(|axis| axis.unit == Unit::Index) {
            true => Direction::ToPlace,
            false => Direction::ToIndex,
        };
        let map = lowered(affine, domain, |_| codomain.clone(), direction)?;
        for ((least, most), axis) in map.reaches()?.iter().zip(&codomain) {
            if *least < 0 || *most >= axis.extent {
                let far = if *least < 0 { least } else { most };
                return Err(error!(Code::Range, "{far} is reached, which is no coordinate of {axis}", [far, axis]));
            }
        }
        Ok(map)
    }
}

fn lowered(
    affine: &Affine,
    domain: Vec<Axis>,
    into: impl Fn(&[i64]) -> Vec<Axis>,
    direction: Direction,
) -> Result<Map, Error> {
    if affine.dims != domain.len() {
        return Err(error!(
            Code::RankMismatch,
            "{domain_count} extents for the {dims} dims of {affine}",
            [domain_count = domain.len(), dims = affine.dims, affine]
        ));
    }
    if let Some(axis) = domain.iter().find(|axis| axis.extent < 0) {
        return Err(error!(Code::Range, "{extent} is no extent of a dim", [extent = axis.extent]));
    }
    let Some((stages, ranges)) = stages(&domain, &affine.results)? else {
        // What no stage holds is reported by its first point, where there is one.
        let origin = vec![0; domain.len()];
        affine.at(&origin)?;
        return Err(error!(
            Code::NotALayout,
            "{affine} multiplies or divides by dims, or has numbers or divisions beyond what stages hold",
            [affine]
        ));
    };
    let empty = domain.iter().any(|axis| axis.extent == 0);
    let reach = |(_, most): &(i128, i128)| if empty { Ok(0) } else { narrow(most.max(&-1) + 1) };
    let reaches = ranges.iter().map(reach).collect::<Result<Vec<i64>, _>>()?;
    Ok(Map::new(domain, stages, into(&reaches), direction)?.numbered(Order::RowMajor))
}
