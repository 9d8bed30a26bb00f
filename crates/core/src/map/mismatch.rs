//! [`Differences`]: how much two maps differ, as data, and how that is written.

use std::fmt;

use crate::linear::Name;

/// How much two maps differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Differences {
    /// The number of points with different places.
    pub differing: i64,
    /// How many points there are.
    pub points: i64,
    /// For each axis, its name, and the least and greatest coordinate of the points with different places.
    pub span: Vec<(Name, i64, i64)>,
    /// The first of them, and what they lead to in each.
    pub first: Vec<Mismatch>,
}

/// A point with different places in two maps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Mismatch {
    /// The point.
    pub point: Vec<i64>,
    /// What it leads to in each; `None` is padding.
    pub places: [Option<Vec<i64>>; 2],
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Differences { differing, points, .. } = self;
        write!(f, "{differing} of {points} differ")?;
        if *differing == 0 {
            return Ok(());
        }
        let spans = self.span.iter().map(|(name, least, most)| format!("{name} {least} to {most}"));
        write!(f, ", within {}", spans.collect::<Vec<_>>().join(", "))?;
        let place = |place: &Option<Vec<i64>>| place.as_ref().map_or("padding".into(), |place| listed(place));
        for Mismatch { point, places: [one, two] } in &self.first {
            write!(f, "\n{} is at {} in the first, at {} in the second", listed(point), place(one), place(two))?;
        }
        Ok(())
    }
}

/// A number, or numbers in brackets.
pub(super) fn listed(numbers: &[i64]) -> String {
    match numbers {
        [number] => number.to_string(),
        numbers => format!("({})", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
    }
}
