//! Linear layouts from their definition: lists of bases, looked up by name, one place at a time.
//!
//! A place has a value for each in dim; its image is the exclusive-or, dim by dim, of the bases of the bits that are
//! set. Everything else is found by listing all places.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use super::{LIMIT, OracleError, add, malformed, mul};

/// A value for each of some dims.
pub type Place = BTreeMap<String, i64>;

/// A linear layout as plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    ins: Vec<(String, Vec<Vec<i64>>)>,
    outs: Vec<(String, i64)>,
}

impl Linear {
    /// A layout of bases by in dim and sizes by out dim.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] for a name that is twice on a side, a basis without a value below the size for each out dim,
    /// or a size that is no power of two.
    pub fn new(ins: Vec<(String, Vec<Vec<i64>>)>, outs: Vec<(String, i64)>) -> Result<Self, OracleError> {
        let unique = |names: Vec<&String>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        if !unique(ins.iter().map(|(name, _)| name).collect()) || !unique(outs.iter().map(|(name, _)| name).collect()) {
            return Err(malformed("a dim is there twice"));
        }
        if let Some((name, size)) = outs.iter().find(|(_, size)| size.count_ones() != 1 || *size < 1) {
            return Err(malformed(format!("size {size} of {name} is no power of two")));
        }
        for basis in ins.iter().flat_map(|(_, bases)| bases) {
            let fits = basis.iter().zip(&outs).all(|(value, (_, size))| (0..*size).contains(value));
            if basis.len() != outs.len() || !fits {
                return Err(malformed(format!("basis {basis:?} does not fit the out dims")));
            }
        }
        Ok(Linear { ins, outs })
    }

    /// The in dims, each with its bases.
    pub fn bases(&self) -> &[(String, Vec<Vec<i64>>)] {
        &self.ins
    }

    /// The out dims with their sizes.
    pub fn outs(&self) -> &[(String, i64)] {
        &self.outs
    }

    /// The in dims with their sizes.
    pub fn ins(&self) -> Vec<(String, i64)> {
        let size = |bases: &Vec<Vec<i64>>| bases.iter().fold(1i64, |size, _| size.saturating_mul(2));
        self.ins.iter().map(|(name, bases)| (name.clone(), size(bases))).collect()
    }

    /// The image of a place; a dim without a value is at 0.
    pub fn at(&self, place: &Place) -> Place {
        let mut image: Place = self.outs.iter().map(|(name, _)| (name.clone(), 0)).collect();
        for (name, bases) in &self.ins {
            let value = place.get(name).copied().unwrap_or(0);
            for (bit, basis) in bases.iter().enumerate() {
                let shifted = u32::try_from(bit).ok().and_then(|bit| value.checked_shr(bit)).unwrap_or(0);
                if shifted & 1 == 1 {
                    for ((out, _), part) in self.outs.iter().zip(basis) {
                        image.entry(out.clone()).and_modify(|value| *value ^= part);
                    }
                }
            }
        }
        image
    }

    /// All places, the first dim fastest.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`] beyond [`LIMIT`].
    pub fn places(&self) -> Result<Vec<Place>, OracleError> {
        points(&self.ins())
    }

    /// All places with their images.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`] beyond [`LIMIT`].
    pub fn table(&self) -> Result<Vec<(Place, Place)>, OracleError> {
        Ok(self.places()?.into_iter().map(|place| (place.clone(), self.at(&place))).collect())
    }

    /// The images, each once.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`] beyond [`LIMIT`].
    pub fn image(&self) -> Result<BTreeSet<Place>, OracleError> {
        Ok(self.table()?.into_iter().map(|(_, image)| image).collect())
    }
}

/// All points of a box, the first dim fastest.
///
/// # Errors
/// [`OracleError::TooLarge`] beyond [`LIMIT`].
pub fn points(dims: &[(String, i64)]) -> Result<Vec<Place>, OracleError> {
    let size = dims.iter().try_fold(1, |size, (_, extent)| mul(size, *extent))?;
    if size > LIMIT {
        return Err(OracleError::TooLarge(size));
    }
    let mut points = vec![Place::new()];
    for (name, extent) in dims {
        let mut longer = Vec::new();
        for value in 0..*extent {
            for point in &points {
                let mut point = point.clone();
                point.insert(name.clone(), value);
                longer.push(point);
            }
        }
        points = longer;
    }
    Ok(points)
}

/// The dims of a product by name, from those of its factors: of the first names that are not listed yet, the one that
/// stands earlier in the other list comes next, absent names before all, and the first list's on a tie.
pub fn merged(first: &[String], second: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    loop {
        let next = |list: &[String]| list.iter().find(|name| !names.contains(name)).cloned();
        // Absent is -1, so that it is earlier than any place.
        let key = |name: &String, other: &[String]| {
            other.iter().position(|own| own == name).and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)
        };
        match (next(first), next(second)) {
            (None, None) => return names,
            (Some(name), None) | (None, Some(name)) => names.push(name),
            (Some(mine), Some(theirs)) if key(&mine, second) <= key(&theirs, first) => names.push(mine),
            (Some(_), Some(theirs)) => names.push(theirs),
        }
    }
}

/// The number of a point of a box, the first dim fastest.
///
/// # Errors
/// [`OracleError::Overflow`].
pub fn number(dims: &[(String, i64)], point: &Place) -> Result<i64, OracleError> {
    let (mut number, mut step) = (0, 1);
    for (name, extent) in dims {
        number = add(number, mul(point.get(name).copied().unwrap_or(0), step)?)?;
        step = mul(step, *extent)?;
    }
    Ok(number)
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[i64]| format!("[{}]", values.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
        let bases =
            |bases: &[Vec<i64>]| format!("[{}]", bases.iter().map(|basis| list(basis)).collect::<Vec<_>>().join(","));
        let ins: Vec<String> = self.ins.iter().map(|(name, all)| format!("{name}={}", bases(all))).collect();
        let outs: Vec<String> = self.outs.iter().map(|(name, size)| format!("{name}:{size}")).collect();
        write!(f, "linear<{{{}}}, out=[{}]>", ins.join(", "), outs.join(", "))
    }
}

/// Reads the text that [`Linear`] writes.
impl FromStr for Linear {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<Self, OracleError> {
        let bad = || malformed(format!("{text} is no linear layout"));
        let inside = text.strip_prefix("linear<{").and_then(|rest| rest.strip_suffix("]>")).ok_or_else(bad)?;
        let (ins, outs) = inside.split_once("}, out=[").ok_or_else(bad)?;
        let int = |text: &str| text.parse::<i64>().map_err(|_| bad());
        let mut dims = Vec::new();
        for dim in split(ins, "], ") {
            let (name, bases) = dim.split_once("=[").ok_or_else(bad)?;
            let bases = bases.trim_end_matches(']').trim_start_matches('[');
            let empty = !dim.contains("=[[");
            let bases = if empty { Vec::new() } else { bases.split("],[").collect() };
            let values = |basis: &&str| split(basis, ",").map(int).collect::<Result<Vec<i64>, OracleError>>();
            dims.push((name.to_owned(), bases.iter().map(values).collect::<Result<_, _>>()?));
        }
        let size = |dim: &str| {
            let (name, size) = dim.split_once(':').ok_or_else(bad)?;
            Ok((name.to_owned(), int(size)?))
        };
        Linear::new(dims, split(outs, ", ").map(size).collect::<Result<_, OracleError>>()?)
    }
}

/// The parts of a list, none of an empty one.
fn split<'t>(text: &'t str, by: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(by).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_from_bases() -> Result<(), OracleError> {
        let text = "linear<{register=[[0,1],[0,2]], lane=[[1,3]], warp=[]}, out=[dim0:2, dim1:4]>";
        let layout: Linear = text.parse()?;
        assert_eq!(layout.to_string(), text);
        let table: Vec<(i64, i64)> = layout.table()?.iter().map(|(_, image)| (image["dim0"], image["dim1"])).collect();
        assert_eq!(table, [(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (1, 2), (1, 1), (1, 0)]);
        assert_eq!(layout.image()?.len(), 8);
        assert_eq!(number(layout.outs(), &layout.at(&layout.places()?[4]))?, 7);
        Ok(())
    }

    #[test]
    fn names_of_a_product() {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let check =
            |first, second, both| assert_eq!(merged(&list(first), &list(second)), list(both), "{first} * {second}");
        check("0 1", "2 1 0", "2 1 0");
        check("0 1", "1 0", "0 1");
        check("register warp", "lane register block", "lane register warp block");
        check("", "a b", "a b");
    }

    #[test]
    fn odd_texts() {
        for text in ["linear<{}, out=[]>", "linear<{lane=[[],[]]}, out=[]>", "linear<{lane=[]}, out=[dim0:4]>"] {
            assert_eq!(text.parse::<Linear>().map(|layout| layout.to_string()), Ok(text.to_owned()));
        }
        for text in ["linear<{lane=[[4]]}, out=[dim0:4]>", "linear<{lane=[]}, out=[dim0:3]>", "linear<", ""] {
            assert!(text.parse::<Linear>().is_err(), "{text}");
        }
    }
}
