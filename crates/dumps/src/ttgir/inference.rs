//! Whether the declared type of a result is what follows from its operand.
//!
//! Law: what is checked is what Triton's verifier checks, and a conflict is one that it reports; of `tt.cat`, what its lowering
//! needs: as many registers as both operands have.

use bitstride::linear::{LinearLayout, Name};
use bitstride::triton::Encoding;
use bitstride::{Code, Error, error};

use super::facts::Facts;

/// What an operation does with the layout of its operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Trans(Vec<usize>),
    Reshape,
    Join,
    Split,
    ExpandDims(i64),
    Reduce(i64),
    Broadcast,
    Gather(i64),
    Cat,
    Fp4ToFp(i64),
    MemdescReshape,
    MemdescIndex,
    MemdescSubslice(Vec<i64>),
}

/// A result whose declared type does not follow from its operand.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The encoding that follows from the operand, or why none does.
    pub forward: Result<String, Error>,
    /// The encoding of the operand that follows from the declared result, where one does.
    pub backward: Option<String>,
    /// The first place that holds another element than declared.
    pub difference: String,
}

impl Operation {
    /// The operation of a name with the attributes that stand behind it; nothing for one that infers no layout, or whose
    /// attributes are not there.
    pub(super) fn read(name: &str, text: &str) -> Option<Operation> {
        let list = |name: &str| {
            let (_, rest) = text.split_once(name)?;
            let (_, rest) = rest.split_once("array<i32")?;
            let (inside, _) = rest.split_once('>')?;
            let numbers = inside.trim_start_matches(':').split(',').map(|number| number.trim().parse::<i64>().ok());
            numbers.collect::<Option<Vec<i64>>>()
        };
        Some(match name {
            "tt.trans" | "ttg.memdesc_trans" => {
                let order: Option<Vec<usize>> =
                    list("order")?.into_iter().map(|dim| usize::try_from(dim).ok()).collect();
                Operation::Trans(order?)
            }
            // Elements may take any place there, so that any layout is right.
            "tt.reshape" if !text.contains("allow_reorder") => Operation::Reshape,
            "tt.join" => Operation::Join,
            "tt.split" => Operation::Split,
            "tt.expand_dims" => Operation::ExpandDims(axis(text)?),
            "tt.reduce" => Operation::Reduce(axis(text)?),
            "tt.broadcast" => Operation::Broadcast,
            "tt.gather" => Operation::Gather(axis(text)?),
            "tt.cat" => Operation::Cat,
            "ttg.fp4_to_fp" => Operation::Fp4ToFp(axis(text)?),
            "ttg.memdesc_reshape" => Operation::MemdescReshape,
            "ttg.memdesc_index" => Operation::MemdescIndex,
            "ttg.memdesc_subslice" => {
                let (_, rest) = text.split_once('[')?;
                let (inside, _) = rest.split_once(']')?;
                let offsets = inside.split(',').map(|offset| offset.trim().parse::<i64>().ok());
                Operation::MemdescSubslice(offsets.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// The operand that the result follows from: of a gather, the indices.
    pub(super) fn decisive<T: Copy>(&self, operands: &[T]) -> Option<T> {
        match self {
            Operation::Gather(_) => operands.get(1),
            _ => operands.first(),
        }
        .copied()
    }

    /// The conflict between the types of operands and of a result, where there is one.
    pub(super) fn conflict(&self, operands: &[&Facts], to: &Facts) -> Option<Conflict> {
        let from = self.decisive(operands)?;
        match self {
            Operation::Cat => return concatenated(from, to),
            Operation::Gather(dim) => {
                let source = operands.first()?;
                let wrong = if from.shape == to.shape {
                    from.encoding.infer_gather(&from.shape, &source.shape, *dim).err()
                } else {
                    Some(error!(
                        Code::RankMismatch,
                        "the indices have shape {shape:?}, the result {to_shape:?}",
                        [shape = from.shape, to_shape = to.shape]
                    ))
                };
                if let Some(error) = wrong {
                    return Some(Conflict { difference: error.to_string(), forward: Err(error), backward: None });
                }
            }
            // What is left is a scalar, which has no layout.
            Operation::Reduce(_) if from.shape.len() == 1 => return None,
            // Older dumps index dims that the encoding lays out too.
            Operation::MemdescIndex if from.encoding.rank() == Some(from.shape.len()) => return None,
            _ => {}
        }
        // A join and a conversion from 4-bit floats are checked from the result, as several encodings are right for it.
        let is_backward = matches!(self, Operation::Join | Operation::Fp4ToFp(_));
        let (given, declared) = if is_backward { (to, from) } else { (from, to) };
        let forward = self.infer(given, declared);
        let difference = match &forward {
            // Where a dim is repeated, registers, lanes and warps may go on along it in any way.
            Ok(inferred) => self.differs(inferred, &declared.encoding, self.compared_shape(from, declared))?,
            Err(error) => error.to_string(),
        };
        let backward = self.reverse(from, to).map(|encoding| encoding.to_string());
        Some(Conflict { forward: forward.map(|encoding| encoding.to_string()), backward, difference })
    }

    fn infer(&self, given: &Facts, declared: &Facts) -> Result<Encoding, Error> {
        let (encoding, shape) = (&given.encoding, &given.shape);
        match self {
            Operation::Trans(order) => encoding.infer_trans(shape, order),
            Operation::Reshape => encoding.infer_reshape(shape, &declared.shape),
            Operation::Join | Operation::Split => encoding.infer_split(shape),
            Operation::ExpandDims(dim) => encoding.infer_expand_dims(*dim),
            Operation::Reduce(dim) => encoding.infer_reduce(*dim),
            Operation::Broadcast => encoding.infer_broadcast(shape, &declared.shape),
            // Both were checked before.
            Operation::Gather(_) | Operation::Cat => Ok(encoding.clone()),
            Operation::Fp4ToFp(dim) => {
                let halved = |at: usize, size: i64| if i64::try_from(at) == Ok(*dim) { size / 2 } else { size };
                let bytes: Vec<i64> = shape.iter().enumerate().map(|(at, size)| halved(at, *size)).collect();
                if bytes != declared.shape {
                    return Err(error!(
                        Code::RankMismatch,
                        "of {shape:?} floats the bytes have shape {bytes:?}, not {declared_shape:?}",
                        [shape, bytes, declared_shape = declared.shape]
                    ));
                }
                encoding.infer_fp_to_fp4(shape, *dim)
            }
            Operation::MemdescReshape => encoding.infer_memdesc_reshape(shape, &declared.shape),
            Operation::MemdescIndex => encoding.infer_memdesc_index(shape),
            Operation::MemdescSubslice(offsets) => {
                // A part of a part lies where the allocation says.
                let whole = given.memory().map_or(shape, |memory| &memory.allocation);
                encoding.infer_memdesc_subslice(whole, offsets, &declared.shape)
            }
        }
    }

    /// The encoding of the operand, from that of the result.
    fn reverse(&self, from: &Facts, to: &Facts) -> Option<Encoding> {
        let result = &to.encoding;
        match self {
            Operation::Trans(order) => {
                let inverse: Option<Vec<usize>> =
                    (0..order.len()).map(|dim| order.iter().position(|own| *own == dim)).collect();
                result.infer_trans(&to.shape, &inverse?).ok()
            }
            Operation::Reshape => result.infer_reshape(&to.shape, &from.shape).ok(),
            Operation::Join => result.infer_split(&to.shape).ok(),
            Operation::Split => result.infer_join(&to.shape).ok(),
            Operation::ExpandDims(dim) => result.infer_reduce(*dim).ok(),
            Operation::Reduce(dim) => result.infer_expand_dims(*dim).ok(),
            Operation::MemdescReshape => result.infer_memdesc_reshape(&to.shape, &from.shape).ok(),
            Operation::Fp4ToFp(dim) => result.infer_fp_to_fp4(&to.shape, *dim).ok(),
            Operation::Cat => None,
            Operation::Broadcast | Operation::Gather(_) | Operation::MemdescIndex | Operation::MemdescSubslice(_) => {
                Some(result.clone())
            }
        }
    }

    /// The shape on which the inferred and the declared encoding have to be the same.
    fn compared_shape<'f>(&self, from: &'f Facts, declared: &'f Facts) -> &'f [i64] {
        match self {
            Operation::Broadcast => &from.shape,
            _ => &declared.shape,
        }
    }

    /// How an inferred encoding differs from the declared one; nothing where it lays out a tensor of this shape in the same way.
    fn differs(&self, inferred: &Encoding, declared: &Encoding, shape: &[i64]) -> Option<String> {
        if inferred == declared {
            return None;
        }
        if let (Some(own), other) = (inferred.padding(), declared.padding())
            && other.is_none_or(|other| other.paddings != own.paddings)
        {
            return Some("the padding is another one".to_owned());
        }
        // To the letter: parts and buffers have the encoding of the whole, what is gathered that of the indices.
        match self {
            Operation::MemdescIndex | Operation::MemdescSubslice(_) => {
                return Some("the encoding is not that of the whole".to_owned());
            }
            Operation::Gather(_) => return Some("the encoding is not that of the indices".to_owned()),
            _ => {}
        }
        let layouts = inferred.linear_part(shape).and_then(|own| {
            let other = declared.linear_part(shape)?;
            // Registers that are copies may be more or fewer there.
            Ok(match self {
                Operation::Join | Operation::Split | Operation::Broadcast => {
                    (without_copies(&own)?, without_copies(&other)?)
                }
                _ => (own, other),
            })
        });
        match layouts {
            Ok((own, other)) => difference(&own, &other),
            Err(error) => Some(error.to_string()),
        }
    }
}

/// The conflict of a result that is two tensors of one type, one after the other in any order.
fn concatenated(from: &Facts, to: &Facts) -> Option<Conflict> {
    let difference = match to.encoding.is_legal_cat(&to.shape, &from.encoding, &from.shape) {
        Ok(true) => return None,
        Ok(false) => "a thread of the result has not twice the registers of an operand, copies left out".to_owned(),
        Err(error) => error.to_string(),
    };
    Some(Conflict { forward: Err(Error::new(Code::NoLayout, difference.clone())), backward: None, difference })
}

fn without_copies(layout: &LinearLayout) -> Result<LinearLayout, Error> {
    layout.remove_zero_bases_along_dim(Name::REGISTER)
}

/// The first place that holds another element, or the first kind of place of which there are more.
fn difference(inferred: &LinearLayout, declared: &LinearLayout) -> Option<String> {
    for ((dim, own), (_, other)) in inferred.by_in_dim().zip(declared.by_in_dim()) {
        for (bit, (own, other)) in own.iter().zip(other).enumerate() {
            if own != other {
                let element = |layout: &LinearLayout, column: u64| crate::report::coordinate(&layout.unpack(column));
                let place = u32::try_from(bit).ok().and_then(|bit| 1_u64.checked_shl(bit)).unwrap_or(0);
                return Some(format!(
                    "{} {place} holds {} by inference and {} as declared",
                    dim.name,
                    element(inferred, *own),
                    element(declared, *other)
                ));
            }
        }
        if own.len() != other.len() {
            let count = |bits: usize| u32::try_from(bits).ok().and_then(|bits| 1_u64.checked_shl(bits)).unwrap_or(0);
            let (own, other) = (count(own.len()), count(other.len()));
            return Some(format!("there are {own} values of {} by inference and {other} as declared", dim.name));
        }
    }
    (inferred != declared).then(|| "the dims differ".to_owned())
}

/// The number of a dim behind `axis =`.
fn axis(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once("axis")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}
