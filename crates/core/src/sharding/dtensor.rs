//! PyTorch: placements of a DTensor, one for each dim of the mesh: `[_StridedShard(0, split_factor=4), Shard(0)]`.
//!
//! They act from left to right on the indices that are left: `Shard` cuts them into one chunk a device, as `torch.chunk` does;
//! `_StridedShard` cuts them into `split_factor` chunks first, and each of these into one piece a device.

use super::mesh::{Mesh, Part};
use super::placement::{PlaceDigit, Placement, REDUCTIONS, Reduction, Role, Rule, Spread};
use crate::cast::length;
use crate::error::{Code, Error};
use crate::reader::Reader;

/// One placement as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Shard { dim: i64, factor: i64 },
    Replicate,
    Partial(&'static str),
}

/// The placements behind the opening bracket.
pub(super) fn read(reader: &mut Reader<'_>, close: &str) -> Result<Vec<Written>, Error> {
    reader.python_list(close, one)
}

/// One placement: as PyTorch's code has it, or as it is printed, `S(0)`, `R`, `P(sum)`, `_S(0, 4)`.
pub(super) fn one(reader: &mut Reader<'_>) -> Result<Written, Error> {
    const WANTED: &str = "Shard(d), Replicate(), Partial() or _StridedShard(d, split_factor=f)";
    let name = reader.name()?.unwrap_or_default();
    match name {
        "R" => return Ok(Written::Replicate),
        "P" if !reader.at("(") => return Ok(Written::Partial("sum")),
        "Shard" | "S" | "Replicate" | "Partial" | "P" | "_StridedShard" | "_S" => reader.need("(")?,
        _ => {
            reader.scanner.at -= name.len();
            return Err(reader.expected(WANTED));
        }
    }
    let placement = match name {
        "Replicate" => Written::Replicate,
        "Partial" | "P" => {
            let before = reader.scanner.at;
            if reader.take_word("reduce_op") {
                reader.need("=")?;
            } else {
                reader.scanner.at = before;
            }
            let is_quoted = reader.at("'") || reader.at("\"");
            let operation = if is_quoted { reader.quoted("a reduction")? } else { reader.name()?.unwrap_or("sum") };
            let known = REDUCTIONS.into_iter().find(|known| *known == operation);
            let Some(known) = known else {
                return Err(error!(
                    Code::UnknownName,
                    "`{operation}` is no reduction; those are {known}",
                    [operation, known = REDUCTIONS.join(", ")]
                ));
            };
            Written::Partial(known)
        }
        _ => {
            if reader.take_word("dim") {
                reader.need("=")?;
            }
            let dim = reader.integer("the number of a dim")?;
            let mut factor = 1;
            if matches!(name, "_StridedShard" | "_S") {
                reader.need(",")?;
                if reader.take_word("split_factor") || reader.take_word("sf") {
                    reader.need("=")?;
                } else if name == "_StridedShard" {
                    return Err(reader.expected("`split_factor=`"));
                }
                factor = reader.integer("in how many chunks the dim is cut first")?;
                if factor < 1 {
                    return Err(error!(
                        Code::Range,
                        "a split factor of {factor}; it is at least {least}",
                        [factor, least = 1]
                    ));
                }
            }
            Written::Shard { dim, factor }
        }
    };
    reader.need(")")?;
    Ok(placement)
}

/// The placement of a tensor of some rank on a mesh.
pub(super) fn placement(written: &[Written], mesh: Mesh, rank: usize) -> Result<Placement, Error> {
    if written.len() != mesh.axes.len() {
        return Err(error!(
            Code::RankMismatch,
            "{written_count} placements for a mesh of {axes} dims",
            [written_count = written.len(), axes = mesh.axes.len()]
        )
        .with_help("there is one for each dim of the mesh, `Replicate()` too"));
    }
    let mut rules = vec![Vec::new(); rank];
    let mut digits = Vec::new();
    for (axis, (placement, along)) in written.iter().zip(&mesh.axes).enumerate() {
        let role = match *placement {
            Written::Replicate => Role::Copies,
            Written::Partial(operation) => Role::Sums(Reduction::Named(operation)),
            Written::Shard { dim, factor } => {
                let count = length(rank);
                let from_end = if dim < 0 { dim.checked_add(count) } else { Some(dim) };
                let place = from_end.and_then(|dim| usize::try_from(dim).ok()).and_then(|dim| rules.get_mut(dim));
                let Some(steps) = place else {
                    return Err(match rank {
                        0 => error!(Code::Range, "Shard({dim}) of a tensor without dims", [dim]),
                        _ => error!(
                            Code::Range,
                            "Shard({dim}) of a tensor of {rank} dims; they are numbered from {least} to {most}",
                            [dim, rank, least = -count, most = count - 1]
                        ),
                    });
                };
                steps.push((axis, factor));
                Role::Holds
            }
        };
        digits.push(PlaceDigit { part: Part { axis, before: 1, size: along.size }, role });
    }
    let rules = rules.into_iter().map(Rule::Chunked).collect();
    Ok(Placement { mesh, digits, rules, spread: Spread::Mesh })
}

/// The text of a placement.
///
/// # Errors
/// [`Code::NotALayout`] for tiles and parts of axes, and for what PyTorch has no placement for.
pub(super) fn written(placement: &Placement) -> Result<String, Error> {
    if let Spread::Only(_) = placement.spread {
        return Err(Error::new(Code::NotALayout, "PyTorch has no placement of all elements on one device of several"));
    }
    let mut all = Vec::new();
    for (at, digit) in placement.digits.iter().enumerate() {
        let axis = placement.mesh.axes.get(digit.part.axis);
        if axis.is_none_or(|axis| axis.size != digit.part.size) {
            return Err(error!(
                Code::NotALayout,
                "{axis} is a part of an axis; placements are of whole dims of the mesh",
                [axis = placement.mesh.written(digit.part, '"')]
            )
            .with_help("split the axis of the mesh in two: a mesh with one axis for each part says it"));
        }
        all.push(match &digit.role {
            Role::Copies => "Replicate()".to_owned(),
            Role::Sums(Reduction::Unnamed | Reduction::Named("sum")) => "Partial()".to_owned(),
            Role::Sums(Reduction::Named(operation)) => format!("Partial('{operation}')"),
            Role::Unknown => return Err(Error::new(Code::NotALayout, "PyTorch has no placement for `manual` axes")),
            Role::Holds => {
                let found = placement.rules.iter().enumerate().find_map(|(dim, rule)| match rule {
                    Rule::Chunked(steps) => steps.iter().find(|(own, _)| *own == at).map(|(_, factor)| (dim, *factor)),
                    Rule::Tiled(_) => None,
                });
                match found {
                    Some((dim, 1)) => format!("Shard({dim})"),
                    Some((dim, factor)) => format!("_StridedShard({dim}, split_factor={factor})"),
                    None => return Err(Error::new(Code::NotALayout, "a dim is cut into tiles, and no chunks")),
                }
            }
        });
    }
    Ok(format!("[{}]", all.join(", ")))
}
