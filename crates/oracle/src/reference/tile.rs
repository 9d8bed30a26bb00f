//! Divides and products, by definition, and the four ways to arrange their modes.
//!
//! Both cut something into a tile and the rest, mode by mode where the tiler is a tuple. A [`Cut`] keeps the pieces
//! apart; a [`Form`] says in which order they become modes. For A of modes M, N, L and a tiler of two entries:
//!
//! | form | modes |
//! |---|---|
//! | logical | `((TM,RM),(TN,RN),L)` |
//! | zipped | `((TM,TN),(RM,RN,L))` |
//! | tiled | `((TM,TN),RM,RN,L)` |
//! | flat | `(TM,TN,RM,RN,L)` |

use super::tiler::{children, identity};
use super::{
    Layout, Nest, OracleError, Tiler, coalesce, complement, complement_reaching, composite, layout_of_profile,
    malformed, mul,
};

/// How the pieces of a divide or product become modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Tile and rest side by side in every mode.
    Logical,
    /// All tiles in mode 0, all rests in mode 1.
    Zipped,
    /// All tiles in mode 0, each rest a mode of its own.
    Tiled,
    /// Each tile a mode, then each rest a mode.
    Flat,
}

/// The pieces of a layout that was cut by a tiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A mode that was left alone.
    Whole(Layout),
    /// A tile, and the rest.
    Pair(Layout, Layout),
    /// The cut modes, then the modes beyond the tiler.
    Modes(Vec<Cut>, Vec<Layout>),
}

impl Cut {
    /// The pieces as one layout. Errs where a form other than logical meets a mode that was left alone.
    pub fn arrange(&self, form: Form) -> Result<Layout, OracleError> {
        if form == Form::Logical {
            return Ok(self.logical());
        }
        let (tiles, rests) = self.unzip()?;
        Ok(match form {
            Form::Logical | Form::Zipped => Layout::join(vec![tiles, rests]),
            Form::Tiled => Layout::join([vec![tiles], rests.modes()].concat()),
            Form::Flat => Layout::join([tiles.modes(), rests.modes()].concat()),
        })
    }

    /// The pieces of a layout in logical form, separated by the tiler that cut it.
    pub fn of_logical(logical: &Layout, tiler: &Tiler) -> Result<Cut, OracleError> {
        match tiler {
            Tiler::Keep => Ok(Cut::Whole(logical.clone())),
            Tiler::Layout(_) => match <[Layout; 2]>::try_from(logical.modes()) {
                Ok([tile, rest]) => Ok(Cut::Pair(tile, rest)),
                Err(_) => Err(malformed(format!("{logical} is not a pair of tile and rest"))),
            },
            Tiler::Modes(tilers) => {
                let modes = children(logical, tilers, &[])?;
                let cuts = modes
                    .into_iter()
                    .map(|(mode, tiler, _)| Cut::of_logical(&mode, tiler))
                    .collect::<Result<_, _>>()?;
                Ok(Cut::Modes(cuts, logical.modes().split_off(tilers.len())))
            }
        }
    }

    /// The same pieces with each rest as one leaf of its size: what a cut promises about shape.
    pub fn loosened(&self) -> Result<Cut, OracleError> {
        Ok(match self {
            Cut::Whole(mode) => Cut::Whole(mode.clone()),
            Cut::Pair(tile, rest) => Cut::Pair(tile.clone(), Layout::compact(&Nest::Leaf(rest.size()?))?),
            Cut::Modes(cuts, others) => {
                Cut::Modes(cuts.iter().map(Cut::loosened).collect::<Result<_, _>>()?, others.clone())
            }
        })
    }

    fn logical(&self) -> Layout {
        match self {
            Cut::Whole(mode) => mode.clone(),
            Cut::Pair(tile, rest) => Layout::join(vec![tile.clone(), rest.clone()]),
            Cut::Modes(cuts, others) => {
                Layout::join(cuts.iter().map(Cut::logical).chain(others.iter().cloned()).collect())
            }
        }
    }

    fn unzip(&self) -> Result<(Layout, Layout), OracleError> {
        match self {
            Cut::Whole(mode) => Err(malformed(format!("{mode} was left alone: it has no tile and no rest"))),
            Cut::Pair(tile, rest) => Ok((tile.clone(), rest.clone())),
            Cut::Modes(cuts, others) => {
                let pairs: Vec<_> = cuts.iter().map(Cut::unzip).collect::<Result<_, _>>()?;
                let (tiles, rests): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                Ok((Layout::join(tiles), Layout::join([rests, others.clone()].concat())))
            }
        }
    }
}

/// What the complement of a tile is taken up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The shape of the coalesced layout, divided leaf by leaf.
    Shape,
    /// Its size.
    Size,
}

/// The argument at which a divide evaluates A: each tile B with its complement B*, as places of A. The divide is
/// A after this, or refused; nothing where a tile has no complement.
///
/// ```
/// use bitstride_oracle::reference::{Form, Layout, Target, divide};
///
/// let a: Layout = "(4,2,3):(2,1,8)".parse()?;
/// let cut = divide(&a, &"4:2".parse()?, Target::Shape)?.expect("4:2 has a complement");
/// assert_eq!(cut.arrange(Form::Logical)?.to_string(), "(4,(2,3)):(2,(1,8))");
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
pub fn divide(a: &Layout, tiler: &Tiler, target: Target) -> Result<Option<Cut>, OracleError> {
    cut_with(
        a,
        tiler,
        &[],
        &|mode, tile, path| {
            let target = match target {
                Target::Shape => coalesce(mode)?.shape().clone(),
                Target::Size => Nest::Leaf(mode.size()?),
            };
            Ok(complement(tile, &target)?.map(|rest| (tile.under(path), rest.under(path))))
        },
        &identity,
    )
}

/// The pieces of a product: each A, and the copies `A* o B` with A* the complement of A up to size(A) times
/// cosize(B); nothing where A has no complement, or where the copies are at no layout of B's profile.
pub fn product(a: &Layout, tiler: &Tiler) -> Result<Option<Cut>, OracleError> {
    cut_with(
        a,
        tiler,
        &[],
        &|mode, tile, _| {
            let target = mul(mode.size()?, tile.cosize()?)?;
            let Some(free) = complement_reaching(mode, target)? else {
                return Ok(None);
            };
            let copies = layout_of_profile(&composite(&free, tile)?, tile.shape())?;
            Ok(copies.map(|copies| (mode.clone(), copies)))
        },
        &|mode, _| Ok(mode.clone()),
    )
}

/// The blocked product `((x,z),(y,w))` of block A `(x,y)` and tiler B `(z,w)`; the shorter one gains modes `1:0`.
pub fn blocked(a: &Layout, b: &Layout) -> Result<Option<Layout>, OracleError> {
    let pairs = paired(a, b)?;
    Ok(pairs.map(|pairs| {
        Layout::join(pairs.into_iter().map(|(block, copies)| Layout::join(vec![block, copies])).collect())
    }))
}

/// The raked product `((z,x),(w,y))` of block A `(x,y)` and tiler B `(z,w)`; the shorter one gains modes `1:0`.
pub fn raked(a: &Layout, b: &Layout) -> Result<Option<Layout>, OracleError> {
    let pairs = paired(a, b)?;
    Ok(pairs.map(|pairs| {
        Layout::join(pairs.into_iter().map(|(block, copies)| Layout::join(vec![copies, block])).collect())
    }))
}

fn paired(a: &Layout, b: &Layout) -> Result<Option<Vec<(Layout, Layout)>>, OracleError> {
    let rank = a.rank().max(b.rank());
    Ok(match product(&a.padded(rank), &Tiler::Layout(b.padded(rank)))? {
        Some(Cut::Pair(block, copies)) => Some(block.modes().into_iter().zip(copies.modes()).collect()),
        _ => None,
    })
}

type CutLeaf<'f> = dyn Fn(&Layout, &Layout, &[usize]) -> Result<Option<(Layout, Layout)>, OracleError> + 'f;
type Keep<'f> = dyn Fn(&Layout, &[usize]) -> Result<Layout, OracleError> + 'f;

/// Walks A and the tiler together.
fn cut_with(
    a: &Layout,
    tiler: &Tiler,
    path: &[usize],
    leaf: &CutLeaf<'_>,
    keep: &Keep<'_>,
) -> Result<Option<Cut>, OracleError> {
    match tiler {
        Tiler::Keep => Ok(Some(Cut::Whole(keep(a, path)?))),
        Tiler::Layout(tile) => Ok(leaf(a, tile, path)?.map(|(tile, rest)| Cut::Pair(tile, rest))),
        Tiler::Modes(tilers) => {
            let mut cuts = Vec::new();
            for (mode, tiler, path) in children(a, tilers, path)? {
                match cut_with(&mode, tiler, &path, leaf, keep)? {
                    Some(cut) => cuts.push(cut),
                    None => return Ok(None),
                }
            }
            let others = a.modes().into_iter().enumerate().skip(tilers.len());
            let others = others.map(|(at, mode)| keep(&mode, &[path, &[at]].concat())).collect::<Result<_, _>>()?;
            Ok(Some(Cut::Modes(cuts, others)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        text.parse().expect(text)
    }

    fn product_text(a: &str, tiler: &str, form: Form) -> Option<String> {
        let cut = product(&layout(a), &tiler.parse().expect(tiler)).expect("small");
        cut.map(|cut| cut.arrange(form).expect("pairs").to_string())
    }

    #[test]
    fn products_of_the_published_examples() {
        assert_eq!(product_text("(2,2):(4,1)", "6:1", Form::Logical).as_deref(), Some("((2,2),(2,3)):((4,1),(2,8))"));
        assert_eq!(
            product_text("(2,5):(5,1)", "<3:5,4:6>", Form::Logical).as_deref(),
            Some("((2,3),(5,4)):((5,10),(1,30))")
        );
        assert_eq!(product_text("(1,1):(1,1)", "<4:1>", Form::Zipped).as_deref(), Some("((1),(4,1)):((1),(1,1))"));
        assert_eq!(product_text("(2,2):(4,1)", "(4,2):(2,1)", Form::Flat).as_deref(), Some("(2,2,4,2):(4,1,8,2)"));
        assert_eq!(product_text("(6,6):(0,64)", "5:18", Form::Logical), None);
        let both = |a: &str, b: &str| (blocked(&layout(a), &layout(b)), raked(&layout(a), &layout(b)));
        let (blocked, raked) = both("(2,5):(5,1)", "(3,4):(1,3)");
        assert_eq!(blocked, Ok(Some(layout("((2,3),(5,4)):((5,10),(1,30))"))));
        assert_eq!(raked, Ok(Some(layout("((3,2),(4,5)):((10,5),(30,1))"))));
        assert_eq!(both("5:4", "4:2").0, Ok(Some(layout("((5,(2,2))):((4,(2,20)))"))));
    }

    #[test]
    fn forms_hold_the_same_pieces() {
        let tiler: Tiler = "<3:3,(2,4):(1,8)>".parse().expect("a tiler");
        let cut =
            divide(&layout("(9,(4,8),2):(59,(13,1),1)"), &tiler, Target::Size).expect("small").expect("complements");
        let text = |form| cut.arrange(form).map(|l| l.shape().to_string());
        assert_eq!(text(Form::Logical), Ok("((3,3),((2,4),4),2)".into()));
        assert_eq!(text(Form::Zipped), Ok("((3,(2,4)),(3,4,2))".into()));
        assert_eq!(text(Form::Tiled), Ok("((3,(2,4)),3,4,2)".into()));
        assert_eq!(text(Form::Flat), Ok("(3,(2,4),3,4,2)".into()));
        assert_eq!(Cut::of_logical(&cut.arrange(Form::Logical).expect("logical"), &tiler), Ok(cut));
    }

    #[test]
    fn a_mode_left_alone_has_no_zipped_form() {
        let tiler: Tiler = "<2:1,_>".parse().expect("a tiler");
        let cut = divide(&layout("(8,4):(1,8)"), &tiler, Target::Size).expect("small").expect("complements");
        assert!(cut.arrange(Form::Logical).is_ok());
        assert!(cut.arrange(Form::Zipped).is_err());
    }
}
