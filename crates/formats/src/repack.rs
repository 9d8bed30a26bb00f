//! [`Repack`]: the tensors of one format from those of another, field by field.
//!
//! A field whose values are stored alike is moved by plans of `bitstride-relayout`, one for each pair of pieces; one whose
//! values are stored otherwise is read, mapped and written value by value, and a value outside of the domain ends it.
//!
//! Law: every element is where the format says, with the value that it had; a repack that would lose a value is refused.

use std::sync::OnceLock;

use bitstride::cast;
use bitstride::{Code, Error, error};
use bitstride_relayout::{Joined, Plan};

use crate::check::{aligned, is_same_kind, steps};
use crate::derived::Derived;
use crate::format::{Field, Format, Tensor};
use crate::overlap::check_apart;
use crate::pair::{Pair, pairs};
use crate::runs::Runs;
use crate::stored::Stored;
use crate::values::Values;

/// How to make the tensors of one format from those of another.
#[derive(Clone, Debug)]
pub struct Repack {
    /// The tensors that are read.
    pub from: Vec<Tensor>,
    /// The tensors that are written.
    pub to: Vec<Tensor>,
    moves: Vec<Move>,
    /// Whether the fields are all of a tensor of the target: no bit of it is left as it was.
    covered: Vec<bool>,
    passes: OnceLock<Result<Vec<Pass>, Error>>,
}

/// What is moved between two tensors.
#[derive(Clone, Debug)]
struct Pass {
    between: [usize; 2],
    /// Each with the byte that is xored into what it writes, and where that is.
    plans: Vec<(Plan, u8, Option<Runs>)>,
    /// All of them at once, where that pays.
    joined: Option<Joined>,
}

/// How a field is made.
#[derive(Clone, Debug)]
struct Move {
    field: String,
    /// The tensors, by number.
    from: usize,
    to: usize,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    /// Moves, behind which a constant is xored into what was written.
    Moved(Vec<Pair>, u8),
    /// Value by value.
    Values(Box<Values>),
    /// The values are what the format says, and the target does without them.
    Implied(Derived),
    /// The same, which has to be written.
    Written(Derived),
}

impl Move {
    /// Whether it makes bits of the target.
    fn is_written(&self) -> bool {
        !matches!(self.how, How::Implied(..))
    }
}

impl Repack {
    /// The repack of all fields, or of some.
    ///
    /// # Errors
    /// [`Code::Kind`] where the target stores other codes; [`Code::NotALayout`] for a field that only one of the formats
    /// has; [`Code::Overlap`] where the target has two values at one bit; [`Code::RankMismatch`] and [`Code::Range`] for formats of other tensors; otherwise as [`bitstride::map::Map::new`].
    ///
    /// ```
    /// use bitstride_formats::{Repack, Zoo};
    /// let zoo = Zoo::builtin();
    /// let (low, high) = (zoo.format("fp4:pairs,n=1,k=4")?, zoo.format("bnb:fp4,n=1,k=4")?);
    /// assert!(Repack::new(&low, &high, Some(&["codes"])).is_err(), "E2M1 and FP4 are other codes");
    /// let (nf4, low) = (zoo.format("bnb:nf4,n=1,k=4")?, zoo.format("pairs:low,n=1,k=4,kind=nf4")?);
    /// let repack = Repack::new(&nf4, &low, Some(&["codes"]))?;
    /// assert_eq!(repack.run(&[&[0x12, 0x34], &[]])?, [[0x21, 0x43]]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(from: &Format, to: &Format, fields: Option<&[&str]>) -> Result<Self, Error> {
        let chosen = |name: &str| fields.is_none_or(|fields| fields.contains(&name));
        for (name, error) in from.open.iter().chain(&to.open) {
            if chosen(name) {
                return Err(error.clone());
            }
        }
        for name in fields.into_iter().flatten() {
            from.field(name)?;
        }
        let mut moves = Vec::new();
        for own in from.fields.iter().filter(|own| chosen(&own.name)) {
            let how = match to.fields.iter().find(|other| other.name == own.name) {
                Some(other) => Some((other.tensor, how(own, other).map_err(|why| why.about(&own.name))?)),
                None => Derived::new(own, from, true)?.map(|own| (0, How::Implied(own))),
            };
            let Some((target, how)) = how else { return Err(lost(&own.name, from, to)) };
            moves.push(Move { field: own.name.clone(), from: own.tensor, to: target, how });
        }
        for other in to.fields.iter().filter(|other| chosen(&other.name)) {
            if from.fields.iter().any(|own| own.name == other.name) {
                continue;
            }
            let Some(derived) = Derived::new(other, to, false)? else {
                return Err(error!(
                    Code::NotALayout,
                    "{name} has no {other_name}, which {to_name} needs",
                    [name = from.name, other_name = other.name, to_name = to.name]
                )
                .with_help("choose the fields with --field"));
            };
            let how = How::Written(derived);
            moves.push(Move { field: other.name.clone(), from: 0, to: other.tensor, how });
        }
        let mut covered = Vec::new();
        for (number, tensor) in to.tensors.iter().enumerate() {
            let written = to.fields.iter().filter(|own| own.tensor == number && chosen(&own.name));
            let pieces: Vec<_> = written.flat_map(|own| own.places.pieces()).collect();
            check_apart(&pieces)?;
            // They are apart, so that as many bits as the tensor has are all of them.
            let bits = pieces.iter().try_fold(0, |sum, piece| Ok::<_, Error>(sum + i128::from(piece.map.size()?)))?;
            covered.push(bits == i128::from(tensor.bytes()?) * 8);
        }
        Ok(Repack { from: from.tensors.clone(), to: to.tensors.clone(), moves, covered, passes: OnceLock::new() })
    }

    /// The tensors of the target from those of the source, in the order of both formats. A tensor of which no field is
    /// chosen may be empty, and is empty in the answer.
    ///
    /// # Errors
    /// [`Code::Range`] for a tensor that is too short, or a value that the target cannot store, with its element; otherwise as
    /// [`Plan::new`].
    pub fn run(&self, sources: &[&[u8]]) -> Result<Vec<Vec<u8>>, Error> {
        let mut targets = Vec::new();
        for (at, tensor) in self.to.iter().enumerate() {
            let is_written = |own: &Move| own.to == at && own.is_written();
            let bytes = if self.moves.iter().any(is_written) { cast::bytes(tensor.bytes()?)? } else { 0 };
            targets.push(vec![tensor.fill; bytes]);
        }
        let mut slices: Vec<&mut [u8]> = targets.iter_mut().map(Vec::as_mut_slice).collect();
        self.run_into(sources, &mut slices)?;
        Ok(targets)
    }

    /// How many fields are moved.
    pub fn fields(&self) -> usize {
        self.moves.len()
    }

    /// Whether it makes all fields of the tensors that it writes, in the format of the target.
    pub(crate) fn is_whole(&self, to: &Format) -> bool {
        let is_written = |tensor: usize| self.moves.iter().any(|own| own.to == tensor && own.is_written());
        let is_made = |name: &str| self.moves.iter().any(|own| own.field == name);
        to.fields.iter().all(|field| !is_written(field.tensor) || is_made(&field.name))
    }

    /// Which tensors of the source and of the target a field is moved between; none where nothing is read or written.
    pub fn tensors_of(&self, field: usize) -> Option<(Option<usize>, Option<usize>)> {
        self.moves.get(field).map(|own| match own.how {
            How::Implied(..) => (Some(own.from), None),
            How::Written(..) => (None, Some(own.to)),
            _ => (Some(own.from), Some(own.to)),
        })
    }

    /// Whether the fields are all of a tensor of the target, so that its memory may hold anything before.
    pub fn covers(&self, tensor: usize) -> bool {
        self.covered.get(tensor).copied().unwrap_or(false)
    }

    /// Makes the fields in tensors that hold the byte that fills them, or anything where the fields cover them.
    ///
    /// # Errors
    /// As [`Repack::run`].
    pub fn run_into(&self, sources: &[&[u8]], targets: &mut [&mut [u8]]) -> Result<(), Error> {
        let passes = self.passes()?;
        let mut done: Vec<[usize; 2]> = Vec::new();
        for own in &self.moves {
            let between = [own.from, own.to];
            let source = sources.get(own.from).copied().unwrap_or(&[]);
            let target = targets.get_mut(own.to).map_or(&mut [][..], |target| &mut **target);
            let mut run = || match &own.how {
                How::Moved(..) if done.contains(&between) => Ok(()),
                How::Moved(..) => {
                    done.push(between);
                    let pass = passes.iter().find(|pass| pass.between == between);
                    pass.map_or(Ok(()), |pass| pass.run(source, target))
                }
                How::Values(values) => values.run(source, target),
                How::Implied(derived) => derived.check(source),
                How::Written(derived) => derived.write(target),
            };
            run().map_err(|error| error.about(&own.field))?;
        }
        Ok(())
    }

    /// The passes between pairs of tensors, made when they are first run.
    fn passes(&self) -> Result<&[Pass], Error> {
        let made = self.passes.get_or_init(|| {
            let mut passes: Vec<Pass> = Vec::new();
            for own in &self.moves {
                let (between, How::Moved(pairs, mask)) = ([own.from, own.to], &own.how) else { continue };
                let mut plans = Vec::new();
                for pair in pairs {
                    let plan = Plan::new(&pair.maps[0], &pair.maps[1], pair.unit);
                    plans.push((plan.map_err(|error| error.about(&own.field))?, *mask, pair.written.clone()));
                }
                match passes.iter_mut().find(|pass| pass.between == between) {
                    Some(pass) => pass.plans.extend(plans),
                    None => passes.push(Pass { between, plans, joined: None }),
                }
            }
            for pass in &mut passes {
                let all: Vec<(&Plan, u8)> = pass.plans.iter().map(|(plan, mask, _)| (plan, *mask)).collect();
                pass.joined = Joined::new(&all);
            }
            Ok(passes)
        });
        made.as_deref().map_err(Clone::clone)
    }
}

impl Pass {
    fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        if let Some(joined) = &self.joined {
            return joined.run(source, target);
        }
        for (plan, mask, written) in &self.plans {
            plan.run(source, target)?;
            let written = written.as_ref().filter(|_| *mask != 0);
            written.map_or(Ok(()), |written| written.xor(target, *mask))?;
        }
        Ok(())
    }
}

fn lost(name: &str, from: &Format, to: &Format) -> Error {
    error!(
        Code::NotALayout,
        "{to_name} has no place for {name} of {from_name}, which would be lost",
        [to_name = to.name, name, from_name = from.name]
    )
    .with_help("choose the fields with --field")
}

/// How a field is made of another.
fn how(from: &Field, to: &Field) -> Result<How, Error> {
    if !is_same_kind(&from.kind, &to.kind) {
        return Err(error!(
            Code::Kind,
            "the codes are {kind} in one format and {to_kind} in the other",
            [kind = from.kind, to_kind = to.kind]
        )
        .with_help("that is a conversion of values, which no repack does"));
    }
    let order = aligned(&from.places, &to.places)?;
    let bits = from.places.element_bits();
    let steps = steps(from, to);
    if steps.iter().fold(bits, |bits, step| step.stored_bits(bits)) != to.places.element_bits() {
        return Err(error!(
            Code::Kind,
            "elements have {bits} bits in one format and {element_bits} in the other",
            [bits, element_bits = to.places.element_bits()]
        ));
    }
    // The byte of whole elements; parts of elements would need parts of the constant.
    let mask = match steps.as_slice() {
        [] => Some(0),
        [Stored::Xor(constant)] if matches!(bits, 1 | 2 | 4 | 8) => {
            let byte = (0..8).step_by(usize::try_from(bits).unwrap_or(8)).fold(0, |byte, at| byte | constant << at);
            u8::try_from(byte & 0xff).ok()
        }
        _ => None,
    };
    if let Some(mask) = mask
        && let Some(pairs) = pairs(&from.places, &to.places, &order)?
        && (mask == 0 || pairs.iter().all(|pair| pair.written.is_some() && pair.unit.bits() == bits))
    {
        return Ok(How::Moved(pairs, mask));
    }
    Values::new(from, to, order, steps).map(|values| How::Values(Box::new(values)))
}
