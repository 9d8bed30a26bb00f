//! Methods of tensors: `x[2,3,4].permute(2,0,1).reshape(4,6)`, as PyTorch and NumPy have them, and patterns of einops.
//!
//! Law: the answer says where each element of the last tensor lies in the memory of the first one. A view has strides there,
//! or is refused as PyTorch refuses it. What copies is answered with a note: after it, strides are those of the copy, so that
//! a view which the copy allows is allowed, and places are still those of the tensor before.

use super::parts::{Parts, ceil_div};
use super::strides::{count_strides, dense, dim, inferred, length, product, written};
use super::tensor::Tensor;
use super::tree::value;
use super::unknown_sizes::UnknownSizes;
use crate::inverse::inverse;
use crate::numbers::{numbers, tuple};
use crate::value::Value;
use bitstride::map::{Direction, Unit};
use bitstride::notation::{Expr, ExprKind, Name, Pattern, Span};
use bitstride::{Code, Error, Int, error};

/// A method of a chain, what it is called with, and where it stands.
type Call<'e> = (&'e Name, &'e [Expr], Span);

/// The value of a chain of methods.
pub(super) fn method(tree: &Expr, notes: &mut Vec<String>) -> Result<Value, Error> {
    let mut calls = Vec::new();
    let mut base = tree;
    while let ExprKind::Method { receiver, name, arguments } = &base.kind {
        calls.push((name, arguments.as_slice(), base.span));
        base = receiver;
    }
    calls.reverse();
    let asked = calls.pop_if(|(name, arguments, _)| arguments.len() <= 1 && ASKED.contains(&name.text.as_str()));
    let is_torch = calls.iter().any(|(name, ..)| TORCH_ONLY.contains(&name.text.as_str()));
    let given: Vec<&[Expr]> = calls.iter().map(|(_, arguments, _)| *arguments).collect();
    if let Some(unknown) = UnknownSizes::of(base, &given) {
        return with_unknown(&unknown, base, &calls, asked, is_torch, notes);
    }
    let first = calls.first().map(|(name, arguments, _)| (*name, *arguments));
    let mut tensor = Tensor::of(base, first, notes).map_err(|error| error.with_span(base.span))?;
    for (name, arguments, span) in calls {
        tensor.apply(name, arguments, is_torch, notes).map_err(|error| error.with_span(span))?;
    }
    match asked {
        Some((name, ..)) if name.text == "is_contiguous" => Ok(Value::from(tensor.is_dense()?)),
        Some(asked) => Ok(match tensor.asked(asked)? {
            (all, None) => tuple(all),
            (_, Some(one)) => Value::from(Int::from(one)),
        }),
        None => tensor.value(),
    }
}

/// The value of a chain in which sizes are not known: its shape or strides, or a layout of CuTe with a mode for each dim.
fn with_unknown(
    unknown: &UnknownSizes,
    base: &Expr,
    calls: &[Call<'_>],
    asked: Option<Call<'_>>,
    is_torch: bool,
    notes: &mut Vec<String>,
) -> Result<Value, Error> {
    let placed =
        |arguments: &[Expr]| arguments.iter().map(|argument| unknown.placed(argument)).collect::<Result<Vec<_>, _>>();
    let is_tensor = matches!(&base.kind, ExprKind::Call { name, modes: None, .. } if name.text == "tensor");
    let start = if is_tensor { unknown.placed(base)? } else { base.clone() };
    let first = match calls.first() {
        Some((name, arguments, _)) => Some((*name, placed(arguments)?)),
        None => None,
    };
    let first = first.as_ref().map(|(name, arguments)| (*name, arguments.as_slice()));
    let mut said = Vec::new();
    let mut tensor =
        Tensor::of(&start, first, &mut said).map_err(|error| unknown.renamed(error.with_span(base.span)))?;
    for (name, arguments, span) in calls {
        let arguments = placed(arguments)?;
        let at = match arguments.first() {
            Some(Expr { kind: ExprKind::Static(at), .. }) => Some(*at),
            _ => None,
        };
        unknown
            .allowed(&name.text, arguments.len(), &tensor.sizes, at)
            .and_then(|()| tensor.apply(name, &arguments, is_torch, &mut said).map_err(|error| unknown.renamed(error)))
            .map_err(|error| error.with_span(*span))?;
    }
    notes.extend(said.iter().map(|note| unknown.text(note)));
    match asked {
        Some((name, ..)) if name.text == "is_contiguous" => Ok(Value::from(tensor.is_dense()?)),
        Some(asked) => unknown.value(&match tensor.asked(asked)? {
            (all, None) => unknown.tuple(all),
            (_, Some(one)) => unknown.written(one),
        }),
        None if tensor.copied.is_some() => Err(unknown.copied()),
        None => {
            notes.push("with sizes that are not known: a layout of CuTe, one mode a dim".to_owned());
            unknown.layout(&tensor.sizes, &tensor.strides, tensor.offset)
        }
    }
}

/// What is asked at the end of a chain.
const ASKED: [&str; 6] = ["shape", "stride", "numel", "ndim", "storage_offset", "is_contiguous"];

/// Methods that only PyTorch has: where one stands, `transpose` is that of PyTorch.
const TORCH_ONLY: [&str; 11] =
    ["view", "contiguous", "t", "mT", "unflatten", "narrow", "as_strided", "unfold", "chunk", "split", "unbind"];

impl Tensor {
    /// The tensor that a chain begins with. A name without a value stands for one whose sizes the first method gives.
    fn of(base: &Expr, first: Option<(&Name, &[Expr])>, notes: &mut Vec<String>) -> Result<Tensor, Error> {
        if let ExprKind::Name(_) | ExprKind::Unknown { name: Some(_), div: 1 } = &base.kind {
            let sizes = first.and_then(|(name, arguments)| sizes_given(&name.text, arguments));
            let sizes = sizes.ok_or_else(|| {
                error!(Code::NeedsShape, "{base} has no sizes, and the first method does not give them", [base])
                    .with_help(format!("write them: `{base}[2,3,4]`, or bind the name"))
            })?;
            let (strides, storage) = (dense(&sizes)?, Some(product(&sizes)?));
            return Ok(Tensor { sizes, strides, offset: 0, storage, copied: None });
        }
        // As they are written: a map forgets the strides of dims of size 1.
        if let ExprKind::Call { name, modes: None, arguments } = &base.kind
            && name.text == "tensor"
            && let [sizes, strides, offset @ ..] = arguments.as_slice()
        {
            value(base, notes)?;
            let (sizes, strides) = (numbers(&value(sizes, notes)?)?, numbers(&value(strides, notes)?)?);
            let offset = offset.first().map_or(Ok(0), |offset| value(offset, notes)?.as_number())?;
            // What fills a memory from its first place on was probably made for it.
            let is_whole = offset == 0 && count_strides(&sizes, &strides) == count_strides(&sizes, &dense(&sizes)?);
            let storage = is_whole.then(|| product(&sizes)).transpose()?;
            return Ok(Tensor { sizes, strides, offset, storage, copied: None });
        }
        let mut whole = value(base, notes)?;
        let mut map = whole.as_map()?;
        if map.direction() == Direction::ToIndex {
            // Of what leads from memory to elements the text says the way back, too.
            let is_memory = map.place_axes().iter().any(|axis| axis.unit != Unit::Part);
            let Some(back) = is_memory.then(|| inverse(&whole).ok()).flatten() else {
                return Err(error!(Code::Kind, "{whole} leads to elements, and has no methods of a tensor", [whole]));
            };
            (map, whole) = (back.as_map()?, back);
        }
        let sizes: Vec<i64> = map.index_axes().iter().map(|axis| axis.extent).collect();
        Ok(match map.without_single_places().to_strides() {
            Ok((offset, strides)) => Tensor { sizes, strides, offset, storage: None, copied: None },
            Err(_) => {
                let (strides, copied) = (dense(&sizes)?, Some((map, whole.to_string())));
                Tensor { strides, sizes, offset: 0, storage: None, copied }
            }
        })
    }

    /// Whether the elements lie row by row, each once.
    fn is_dense(&self) -> Result<bool, Error> {
        Ok(self.sizes.contains(&0) || self.strides_count() == count_strides(&self.sizes, &dense(&self.sizes)?))
    }

    /// The shape, the strides, or that of the dim whose number is given; or a number about all of the tensor.
    fn asked(&self, (name, arguments, span): Call<'_>) -> Result<(&[i64], Option<i64>), Error> {
        let all = match name.text.as_str() {
            "numel" => return Ok((&[], Some(product(&self.sizes)?))),
            "ndim" => return Ok((&[], Some(length(self.sizes.len())))),
            "storage_offset" => return Ok((&[], Some(self.offset))),
            "shape" => &self.sizes,
            _ => &self.strides,
        };
        let of = match arguments.first() {
            Some(Expr { kind: ExprKind::Static(of), .. }) => Some(*of),
            _ => None,
        };
        let of = of.map(|of| dim(of, all.len()).map_err(|error| error.with_span(span))).transpose()?;
        Ok((all, of.and_then(|of| all.get(of)).copied()))
    }

    fn apply(&mut self, name: &Name, arguments: &[Expr], is_torch: bool, notes: &mut Vec<String>) -> Result<(), Error> {
        let method = name.text.as_str();
        if let ("rearrange" | "repeat", [Expr { kind: ExprKind::Quoted(pattern), .. }]) = (method, arguments) {
            return self.rearrange(method, &pattern.text, notes);
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(numbers(&value(argument, notes)?).map_err(|error| error.with_span(argument.span))?);
        }
        let all: Vec<i64> = values.iter().flatten().copied().collect();
        let wrong = |usage: &str| Err(error!(Code::Arity, "{method} is called as {usage}", [method, usage]));
        match (method, all.as_slice()) {
            ("view", sizes) => self.view(sizes),
            ("reshape", sizes) => self.reshape("reshape", sizes, notes),
            ("permute", dims) => self.permute(dims),
            ("T", []) => self.permute(&(0..length(self.sizes.len())).rev().collect::<Vec<_>>()),
            ("transpose", []) => self.permute(&(0..length(self.sizes.len())).rev().collect::<Vec<_>>()),
            ("t", []) if self.sizes.len() <= 2 => {
                self.permute(&(0..length(self.sizes.len())).rev().collect::<Vec<_>>())
            }
            ("t", []) => Err(error!(
                Code::RankMismatch,
                "t() takes at most 2 dims, here are {sizes_count}",
                [sizes_count = self.sizes.len()]
            )),
            ("mT", []) => self.swap(-2, -1),
            ("swapaxes", [a, b]) => self.swap(*a, *b),
            ("transpose", [a, b]) => self.transpose(*a, *b, is_torch),
            ("transpose", dims) if !is_torch => self.permute(dims),
            ("movedim", _) if self.sizes.is_empty() && all.iter().all(|at| matches!(at, -1 | 0)) => Ok(()),
            ("movedim" | "moveaxis", _) => match values.as_slice() {
                [from, to] if from.len() == to.len() => self.move_dims(from, to),
                _ => wrong("movedim(0, 2) or movedim((0,1), (2,0)), with as many dims on both sides"),
            },
            // `...` stands for none of the dims that are counted before it and behind it.
            ("ellipsis", [before, behind]) => {
                let rank = length(self.sizes.len());
                match before.checked_add(*behind).is_some_and(|named| named <= rank) {
                    true => Ok(()),
                    false => Err(error!(
                        Code::RankMismatch,
                        "of {rank} dims the index takes {before} before `...` and {behind} behind it",
                        [rank, before, behind]
                    )),
                }
            }
            ("ravel", []) => {
                let all = [product(&self.sizes)?];
                match self.strides_count() == count_strides(&self.sizes, &dense(&self.sizes)?) {
                    true => self.view(&all),
                    false => self.copy_noted("ravel", all.to_vec(), notes),
                }
            }
            // A tensor without elements is taken for contiguous, whatever its strides.
            ("contiguous", []) if self.sizes.contains(&0) => Ok(()),
            ("contiguous" | "copy", []) => match self.is_dense()? {
                true => Ok(()),
                false => self.copy_noted(method, self.sizes.clone(), notes),
            },
            ("clone", []) => self.preserve("clone", notes),
            ("to", []) => self.moved(),
            ("like", []) => self.like(),
            ("ordered", dims) => self.ordered("contiguous", &self.order_of(dims)?, notes),
            ("repeat" | "tile", counts) => self.tile(method, counts, notes),
            ("reverse", dims) => self.reverse(dims),
            ("flip", dims) => self.flip(dims, notes),
            ("unsqueeze", dims @ [_, ..]) => self.unsqueeze(dims),
            ("squeeze", []) => {
                let kept: Vec<i64> = (0..).zip(&self.sizes).filter(|(_, size)| **size != 1).map(|(at, _)| at).collect();
                self.select(&kept);
                Ok(())
            }
            // A tensor of no dims has one element along dim 0.
            ("squeeze" | "drop_dims", [-1 | 0]) if self.sizes.is_empty() => Ok(()),
            ("squeeze", dims) => {
                let rank = self.sizes.len();
                let dims = dims.iter().map(|at| dim(*at, rank).map(length)).collect::<Result<Vec<_>, _>>()?;
                if let Some(twice) =
                    dims.iter().enumerate().find(|(count, at)| dims.iter().take(*count).any(|d| d == *at))
                {
                    return Err(error!(Code::OrderNotPermutation, "squeeze names dim {at} twice", [at = twice.1]));
                }
                let kept = (0..).zip(&self.sizes).filter(|(at, size)| **size != 1 || !dims.contains(at));
                let kept: Vec<i64> = kept.map(|(at, _)| at).collect();
                self.select(&kept);
                Ok(())
            }
            ("drop_dims", dims) => {
                let rank = self.sizes.len();
                let places = dims.iter().map(|at| dim(*at, rank)).collect::<Result<Vec<_>, _>>()?;
                for (count, at) in places.iter().enumerate() {
                    let size = self.sizes.get(*at).copied().unwrap_or(1);
                    if size != 1 || places.iter().take(count).any(|before| before == at) {
                        return Err(error!(
                            Code::Profile,
                            "dim {at} of size {size} is not dropped: NumPy drops dims of size 1, each once",
                            [at, size]
                        ));
                    }
                }
                let kept: Vec<i64> = (0..rank).filter(|at| !places.contains(at)).map(length).collect();
                self.select(&kept);
                Ok(())
            }
            ("flatten", ends @ ([] | [_] | [_, _])) => {
                let rank = self.sizes.len();
                let (from, to) = (ends.first().copied().unwrap_or(0), ends.get(1).copied().unwrap_or(-1));
                if rank == 0 {
                    return self.reshape("flatten", &[1], notes);
                }
                let (from, to) = (dim(from, rank)?, dim(to, rank)?);
                if from > to {
                    return Err(error!(
                        Code::Range,
                        "flatten takes dims from first to last, and dim {from} comes after dim {to}",
                        [from, to]
                    ));
                }
                let (Some(before), Some(merged), Some(after)) =
                    (self.sizes.get(..from), self.sizes.get(from..=to), self.sizes.get(to + 1..))
                else {
                    return wrong("flatten(first, last)");
                };
                let sizes = [before, &[product(merged)?], after].concat();
                self.reshape("flatten", &sizes, notes)
            }
            ("unflatten", [at, parts @ ..]) if !parts.is_empty() => {
                let at = dim(*at, self.sizes.len())?;
                let whole = self.sizes.get(at).copied().unwrap_or(1);
                let parts = inferred(parts, whole)?;
                let (Some(before), Some(after)) = (self.sizes.get(..at), self.sizes.get(at + 1..)) else {
                    return wrong("unflatten(dim, (2,3))");
                };
                let sizes = [before, &parts, after].concat();
                self.view(&sizes)
            }
            ("expand", sizes) => self.expand(sizes),
            ("narrow", [at, start, count]) => {
                let at = dim(*at, self.sizes.len())?;
                let size = self.sizes.get(at).copied().unwrap_or(0);
                // From the end where it is negative.
                let first = if *start < 0 { start.saturating_add(size) } else { *start };
                let end = first.checked_add(*count);
                if first < 0 || *count < 0 || end.is_none_or(|end| end > size) {
                    return Err(error!(
                        Code::Range,
                        "narrow takes {count} from {start} of a dim of size {size}",
                        [count, start, size]
                    ));
                }
                self.keep(at, first, *count)
            }
            ("select" | "unbind", [at, index]) => {
                let at = dim(*at, self.sizes.len())?;
                let size = self.sizes.get(at).copied().unwrap_or(0);
                let from_front = if *index < 0 { index.checked_add(size) } else { Some(*index) };
                let Some(index) = from_front.filter(|index| (0..size).contains(index)) else {
                    return Err(error!(
                        Code::Range,
                        "the index {index} is none of a dim of size {size}",
                        [index, size]
                    ));
                };
                self.advance(at, index)?;
                self.sizes.remove(at);
                self.strides.remove(at);
                Ok(())
            }
            ("chunk", [chunks, at, index]) => {
                let at = dim(*at, self.sizes.len())?;
                let size = self.sizes.get(at).copied().unwrap_or(0);
                if *chunks < 1 {
                    return Err(error!(Code::Range, "chunk cuts into 1 part or more, not {chunks}", [chunks]));
                }
                // Of a dim without elements all parts are there, and empty.
                let parts = if size == 0 { Parts::Even(0, *chunks) } else { Parts::of(size, ceil_div(size, *chunks)) };
                self.piece("chunk", at, &parts, *index)
            }
            ("split", [.., at, index]) if values.len() == 3 => {
                let at = dim(*at, self.sizes.len())?;
                let size = self.sizes.get(at).copied().unwrap_or(0);
                let lengths = values.first().map_or(&[][..], Vec::as_slice);
                let is_list = matches!(arguments.first(), Some(Expr { kind: ExprKind::Tuple(_), .. }));
                let parts = match lengths {
                    [length] if !is_list => match *length {
                        0 if size == 0 => Parts::Even(0, 1),
                        length if length > 0 => Parts::of(size, length),
                        length => {
                            return Err(error!(
                                Code::Range,
                                "split takes parts of 1 element or more, not {length}",
                                [length]
                            ));
                        }
                    },
                    lengths => {
                        let all = lengths.iter().try_fold(0_i64, |all, length| all.checked_add(*length));
                        if all != Some(size) || lengths.iter().any(|length| *length < 0) {
                            return Err(error!(
                                Code::NotDivisible,
                                "split takes lengths from 0 on whose sum is {size}, not {lengths}",
                                [size, lengths = written(lengths)]
                            ));
                        }
                        Parts::Lengths(lengths)
                    }
                };
                self.piece("split", at, &parts, *index)
            }
            ("tensor_split" | "equal_split", [.., at, index]) if values.len() == 3 => {
                let cuts = values.first().map_or(&[][..], Vec::as_slice);
                let is_list = matches!(arguments.first(), Some(Expr { kind: ExprKind::Tuple(_), .. }));
                self.cut(method, cuts, is_list, *at, *index, is_torch)
            }
            ("unfold", [at, size, step]) => self.unfold(*at, *size, *step),
            ("diagonal", given) if given.len() <= 3 => {
                let argument = |at: usize, default: i64| given.get(at).copied().unwrap_or(default);
                self.diagonal(argument(0, 0), argument(1, 0), argument(2, 1))
            }
            ("slice", [at, start, stop, step @ ..]) if step.len() <= 1 => {
                self.slice(*at, *start, *stop, step.first().copied().unwrap_or(1), is_torch)
            }
            ("as_strided", _) => match values.as_slice() {
                [sizes, strides, offset @ ..] if sizes.len() == strides.len() && offset.len() <= 1 => {
                    let offset = offset.first().and_then(|offset| offset.first()).copied().unwrap_or(self.offset);
                    self.as_strided(sizes, strides, offset)
                }
                _ => wrong("as_strided((2,3), (3,1), 0)"),
            },
            _ => wrong("PyTorch or NumPy have it; other arguments are not read"),
        }
    }
}

/// The sizes that a first method gives to a tensor of which nothing is known.
fn sizes_given(method: &str, arguments: &[Expr]) -> Option<Vec<i64>> {
    match (method, arguments) {
        ("view" | "reshape", sizes) => {
            let size = |size: &Expr| match size.kind {
                ExprKind::Static(size) if size >= 0 => Some(size),
                _ => None,
            };
            sizes.iter().map(size).collect()
        }
        ("rearrange" | "repeat", [Expr { kind: ExprKind::Quoted(pattern), .. }]) => {
            Pattern::read(&pattern.text).ok()?.sizes()
        }
        _ => None,
    }
}
