//! Tilers: layouts applied mode by mode.
//!
//! A tiler is a layout, "leave this mode" (`_`), or a tuple of tilers; an integer n stands for `n:1`. Applying
//! one to A means composing A with one coordinate-valued layout: `<3:2, _>` on `(8,5)` asks for A at
//! `(3:2@0, 5:1@1)`. So a tiler needs no laws of its own.

use super::{Layout, Nest, OracleError, Point, malformed};

/// What to take of each mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// All of the mode, unchanged.
    Keep,
    /// The mode composed with this layout.
    Layout(Layout),
    /// Tilers for the modes of the mode.
    Modes(Vec<Tiler>),
}

impl Tiler {
    /// The tiler that a shape stands for: each integer n is `n:1`, each tuple a tuple of tilers.
    pub fn of_shape(shape: &Nest<i64>) -> Result<Tiler, OracleError> {
        match shape {
            Nest::Leaf(_) => Layout::new(shape.clone(), Nest::Leaf(Point::int(1))).map(Tiler::Layout),
            Nest::Node(entries) => entries.iter().map(Tiler::of_shape).collect::<Result<_, _>>().map(Tiler::Modes),
        }
    }

    /// The coordinate-valued layout that A is composed with. Modes of A beyond a tuple are not taken.
    /// Errs when a tuple is longer than the mode it stands at.
    ///
    /// ```
    /// use bitstride_oracle::reference::{Layout, Tiler};
    ///
    /// let (a, tiler): (Layout, Tiler) = ("(8,5,2):(1,8,40)".parse()?, "<3:2,_>".parse()?);
    /// assert_eq!(tiler.argument(&a)?.to_string(), "(3,5):(2@0,1@1)");
    /// # Ok::<(), bitstride_oracle::reference::OracleError>(())
    /// ```
    pub fn argument(&self, a: &Layout) -> Result<Layout, OracleError> {
        self.argument_at(a, &[])
    }

    fn argument_at(&self, a: &Layout, path: &[usize]) -> Result<Layout, OracleError> {
        match self {
            Tiler::Keep => identity(a, path),
            Tiler::Layout(layout) => Ok(layout.under(path)),
            Tiler::Modes(tilers) => {
                let modes = children(a, tilers, path)?;
                modes
                    .into_iter()
                    .map(|(mode, tiler, path)| tiler.argument_at(&mode, &path))
                    .collect::<Result<_, _>>()
                    .map(Layout::join)
            }
        }
    }
}

/// The layout that names every place of a mode of A, in A's own shape.
pub(super) fn identity(mode: &Layout, path: &[usize]) -> Result<Layout, OracleError> {
    Ok(Layout::compact(mode.shape())?.under(path))
}

/// A mode, the tiler that applies to it, and the mode's path.
pub(super) type Child<'t> = (Layout, &'t Tiler, Vec<usize>);

/// Each tiler of a tuple with the mode it applies to and that mode's path.
pub(super) fn children<'t>(a: &Layout, tilers: &'t [Tiler], path: &[usize]) -> Result<Vec<Child<'t>>, OracleError> {
    if tilers.len() > a.rank() {
        return Err(malformed(format!("a tiler of rank {} does not fit {a}, of rank {}", tilers.len(), a.rank())));
    }
    let modes = a.modes().into_iter().zip(tilers).enumerate();
    Ok(modes.map(|(at, (mode, tiler))| (mode, tiler, [path, &[at]].concat())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(a: &str, tiler: &str) -> Result<String, OracleError> {
        tiler.parse::<Tiler>()?.argument(&a.parse()?).map(|l| l.to_string())
    }

    #[test]
    fn tilers_name_coordinates() {
        assert_eq!(argument("((4,2),8):((1,4),8)", "<<2,_>,4:2>"), Ok("((2,2),4):((1@0@0,1@1@0),2@1)".into()));
        assert_eq!(argument("((4,2),8):((1,4),8)", "4:2"), Ok("4:2".into()));
        assert_eq!(argument("8:1", "<4>"), Ok("(4):(1@0)".into()));
        assert!(argument("(4,2):(1,4)", "<1,2,3>").is_err());
    }
}
