//! Methods of tensors: `x[2,3,4].permute(2,0,1).reshape(4,6)`, as PyTorch and NumPy have them, and patterns of einops.
//!
//! Law: the answer says where each element of the last tensor lies in the memory of the first one. A view has strides there,
//! or is refused as PyTorch refuses it. What copies is answered with a note: after it, strides are those of the copy, so that
//! a view which the copy allows is allowed, and places are still those of the tensor before.

use super::parts::{Parts, ceil_div};
use super::strides::{count_strides, dense, dim, inferred, length, product, written};
use super::tree::value;
use super::unknown_sizes::UnknownSizes;
use crate::inverse::inverse;
use crate::mapped;
use crate::numbers::{numbers, tuple};
use crate::value::Value;
use bitstride::map::{Direction, Map, Order, Unit};
use bitstride::notation::{Expr, ExprKind, Name, Pattern, Span};
use bitstride::{Code, Error, error};

/// A tensor by its strides in a memory.
struct Tensor {
    sizes: Vec<i64>,
    strides: Vec<i64>,
    offset: i64,
    /// What the memory is, where it is a copy: the tensor that was copied row by row.
    copied: Option<(Map, String)>,
}

/// The value of a chain of methods.
pub(super) fn method(tree: &Expr, notes: &mut Vec<String>) -> Result<Value, Error> {
    let mut calls = Vec::new();
    let mut base = tree;
    while let ExprKind::Method { receiver, name, arguments } = &base.kind {
        calls.push((name, arguments.as_slice(), base.span));
        base = receiver;
    }
    calls.reverse();
    let asked =
        calls.pop_if(|(name, arguments, _)| arguments.is_empty() && matches!(name.text.as_str(), "shape" | "stride"));
    let is_torch = calls.iter().any(|(name, ..)| TORCH_ONLY.contains(&name.text.as_str()));
    let given: Vec<&[Expr]> = calls.iter().map(|(_, arguments, _)| *arguments).collect();
    if let Some(unknown) = UnknownSizes::of(base, &given) {
        return with_unknown(&unknown, base, &calls, asked.map(|(name, ..)| name.text.as_str()), is_torch, notes);
    }
    let first = calls.first().map(|(name, arguments, _)| (*name, *arguments));
    let mut tensor = Tensor::of(base, first, notes).map_err(|error| error.with_span(base.span))?;
    for (name, arguments, span) in calls {
        tensor.apply(name, arguments, is_torch, notes).map_err(|error| error.with_span(span))?;
    }
    match asked {
        Some((name, ..)) if name.text == "shape" => Ok(tuple(&tensor.sizes)),
        Some(_) => Ok(tuple(&tensor.strides)),
        None => tensor.value(),
    }
}

/// The value of a chain in which sizes are not known: its shape or strides, or a layout of CuTe with a mode for each dim.
fn with_unknown(
    unknown: &UnknownSizes,
    base: &Expr,
    calls: &[(&Name, &[Expr], Span)],
    asked: Option<&str>,
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
        Some("shape") => unknown.value(&unknown.tuple(&tensor.sizes)),
        Some(_) => unknown.value(&unknown.tuple(&tensor.strides)),
        None if tensor.copied.is_some() => Err(unknown.copied()),
        None => {
            notes.push("with sizes that are not known: a layout of CuTe, one mode a dim".to_owned());
            unknown.layout(&tensor.sizes, &tensor.strides, tensor.offset)
        }
    }
}

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
            let strides = dense(&sizes)?;
            return Ok(Tensor { sizes, strides, offset: 0, copied: None });
        }
        // As they are written: a map forgets the strides of dims of size 1.
        if let ExprKind::Call { name, modes: None, arguments } = &base.kind
            && name.text == "tensor"
            && let [sizes, strides, offset @ ..] = arguments.as_slice()
        {
            value(base, notes)?;
            let (sizes, strides) = (numbers(&value(sizes, notes)?)?, numbers(&value(strides, notes)?)?);
            let offset = offset.first().map_or(Ok(0), |offset| value(offset, notes)?.as_number())?;
            return Ok(Tensor { sizes, strides, offset, copied: None });
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
            Ok((offset, strides)) => Tensor { sizes, strides, offset, copied: None },
            Err(_) => Tensor { strides: dense(&sizes)?, sizes, offset: 0, copied: Some((map, whole.to_string())) },
        })
    }

    /// Moves the first element along a dim.
    fn advance(&mut self, at: usize, by: i64) -> Result<(), Error> {
        let moved = self.strides.get(at).and_then(|stride| stride.checked_mul(by));
        let offset = moved.and_then(|moved| self.offset.checked_add(moved));
        self.offset = offset.ok_or_else(|| Error::overflow("an offset"))?;
        Ok(())
    }

    /// `[start:stop:step]` of a dim, with ends cut to the dim as Python cuts them.
    fn slice(&mut self, at: i64, start: i64, stop: i64, step: i64, is_torch: bool) -> Result<(), Error> {
        let at = dim(at, self.sizes.len())?;
        let size = self.sizes.get(at).copied().unwrap_or(0);
        if step == 0 || is_torch && step < 0 {
            return Err(error!(
                Code::Range,
                "a slice in steps of {step}; in PyTorch they are positive, in NumPy any but 0",
                [step]
            ));
        }
        let (least, most) = if step > 0 { (0, size) } else { (-1, size - 1) };
        let cut = |end: i64| if end < 0 { end.saturating_add(size) } else { end }.clamp(least, most);
        let (first, last) = (cut(start), cut(stop));
        let way = if step > 0 { last - first } else { first - last };
        let count =
            if way <= 0 { 0 } else { i64::try_from((way.unsigned_abs() - 1) / step.unsigned_abs()).unwrap_or(0) + 1 };
        if count > 0 {
            self.advance(at, first)?;
        }
        if let (Some(size), Some(stride)) = (self.sizes.get_mut(at), self.strides.get_mut(at)) {
            *size = count;
            // A single element is not moved along, however long the step.
            *stride =
                stride.checked_mul(step).or((count <= 1).then_some(0)).ok_or_else(|| Error::overflow("a stride"))?;
        }
        Ok(())
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
            ("movedim", _) => match values.as_slice() {
                [from, to] if from.len() == to.len() => self.move_dims(from, to),
                _ => wrong("movedim(0, 2) or movedim((0,1), (2,0)), with as many dims on both sides"),
            },
            ("contiguous", []) => match self.strides_count() == count_strides(&self.sizes, &dense(&self.sizes)?) {
                true => Ok(()),
                false => self.copy("contiguous", self.sizes.clone(), notes),
            },
            ("unsqueeze", [at]) => {
                let at = dim(*at, self.sizes.len() + 1)?;
                let stride = match (self.sizes.get(at), self.strides.get(at)) {
                    (Some(size), Some(stride)) => {
                        size.checked_mul(*stride).ok_or_else(|| Error::overflow("a stride"))?
                    }
                    _ => 1,
                };
                self.sizes.insert(at, 1);
                self.strides.insert(at, stride);
                Ok(())
            }
            ("squeeze", []) => {
                let kept: Vec<i64> = (0..).zip(&self.sizes).filter(|(_, size)| **size != 1).map(|(at, _)| at).collect();
                self.select(&kept);
                Ok(())
            }
            ("squeeze", dims) => {
                let rank = self.sizes.len();
                let dims = dims.iter().map(|at| dim(*at, rank).map(length)).collect::<Result<Vec<_>, _>>()?;
                let kept = (0..).zip(&self.sizes).filter(|(at, size)| **size != 1 || !dims.contains(at));
                let kept: Vec<i64> = kept.map(|(at, _)| at).collect();
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
                let (Some(before), Some(merged), Some(after)) =
                    (self.sizes.get(..from), self.sizes.get(from..=to), self.sizes.get(to + 1..))
                else {
                    return wrong("flatten(first, last)");
                };
                let sizes = [before, &[product(merged)?], after].concat();
                self.reshape("flatten", &sizes, notes)
            }
            ("unflatten", [at, parts @ ..]) => {
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
                    (self.sizes, self.strides) = (sizes.clone(), strides.clone());
                    self.offset = offset.first().and_then(|offset| offset.first()).copied().unwrap_or(self.offset);
                    Ok(())
                }
                _ => wrong("as_strided((2,3), (3,1), 0)"),
            },
            _ => wrong("PyTorch or NumPy have it; other arguments are not read"),
        }
    }

    /// Some neighbours of a dim, which has them.
    fn keep(&mut self, at: usize, first: i64, count: i64) -> Result<(), Error> {
        self.advance(at, first)?;
        if let Some(size) = self.sizes.get_mut(at) {
            *size = count;
        }
        Ok(())
    }

    /// One of the parts into which a dim is cut, counted from the last where the number is negative.
    fn piece(&mut self, method: &str, at: usize, parts: &Parts<'_>, index: i64) -> Result<(), Error> {
        let size = self.sizes.get(at).copied().unwrap_or(0);
        let count = parts.count();
        let from_front = if index < 0 { index.checked_add(count) } else { Some(index) };
        let Some(own) = from_front.filter(|own| (0..count).contains(own)) else {
            return Err(error!(
                Code::Range,
                "{method} gives {count} tensors of a dim of size {size}, and none has the number {index}",
                [method, count, size, index]
            ));
        };
        let (first, length) = parts.part(size, own);
        self.keep(at, first, length)
    }

    /// All windows of `window` elements along a dim, `step` elements apart: the dim counts the windows, and a new last dim the elements
    /// within one.
    fn unfold(&mut self, at: i64, window: i64, step: i64) -> Result<(), Error> {
        let at = dim(at, self.sizes.len())?;
        let (size, stride) = match (self.sizes.get(at), self.strides.get(at)) {
            (Some(size), Some(stride)) => (*size, *stride),
            _ => (0, 0),
        };
        if !(0..=size).contains(&window) || step < 1 {
            return Err(error!(
                Code::Range,
                "unfold takes windows of 0 to {size} elements, in steps of 1 or more, not of {window} in steps of {step}",
                [size, window, step]
            ));
        }
        let windows = (size - window) / step + 1;
        if let (Some(size), Some(stride)) = (self.sizes.get_mut(at), self.strides.get_mut(at)) {
            *size = windows;
            *stride =
                stride.checked_mul(step).or((windows == 1).then_some(0)).ok_or_else(|| Error::overflow("a stride"))?;
        }
        self.sizes.push(window);
        self.strides.push(stride);
        Ok(())
    }

    /// The elements whose coordinate in one dim is that in another plus an offset: they are the last dim.
    fn diagonal(&mut self, offset: i64, first: i64, second: i64) -> Result<(), Error> {
        let rank = self.sizes.len();
        let (first, second) = (dim(first, rank)?, dim(second, rank)?);
        if first == second {
            return Err(error!(Code::OrderNotPermutation, "the diagonal of dim {first} and itself", [first]));
        }
        let of = |list: &[i64], at: usize| list.get(at).copied().unwrap_or(0);
        let (rows, columns) = (of(&self.sizes, first), of(&self.sizes, second));
        // The offset is taken from the dim that begins later.
        let left = |size: i64, skipped: i64| size.saturating_sub(skipped).max(0);
        let count = match offset {
            0.. => rows.min(left(columns, offset)),
            _ => columns.min(left(rows, offset.saturating_neg())),
        };
        if count > 0 {
            let (moved, by) = if offset < 0 { (first, -offset) } else { (second, offset) };
            self.advance(moved, by)?;
        }
        let stride = of(&self.strides, first).checked_add(of(&self.strides, second));
        // A single element is not moved along.
        let stride = stride.or((count <= 1).then_some(0)).ok_or_else(|| Error::overflow("a stride"))?;
        let kept: Vec<i64> = (0..rank).filter(|at| *at != first && *at != second).map(length).collect();
        self.select(&kept);
        self.sizes.push(count);
        self.strides.push(stride);
        Ok(())
    }

    /// Dims at other places; all others stay in their order.
    fn move_dims(&mut self, from: &[i64], to: &[i64]) -> Result<(), Error> {
        let rank = self.sizes.len();
        let places = |dims: &[i64]| dims.iter().map(|at| dim(*at, rank)).collect::<Result<Vec<_>, _>>();
        let (sources, targets) = (places(from)?, places(to)?);
        let twice = |places: &[usize]| {
            places.iter().enumerate().any(|(at, place)| places.iter().skip(at + 1).any(|other| other == place))
        };
        if twice(&sources) || twice(&targets) {
            return Err(error!(
                Code::OrderNotPermutation,
                "movedim({from}, {to}) names a dim twice",
                [from = written(from), to = written(to)]
            ));
        }
        let mut others = (0..rank).filter(|at| !sources.contains(at));
        let order = (0..rank).filter_map(|place| match targets.iter().position(|target| *target == place) {
            Some(moved) => sources.get(moved).copied(),
            None => others.next(),
        });
        let order: Vec<i64> = order.map(length).collect();
        self.permute(&order)
    }

    /// The same elements in other sizes in the same memory, as PyTorch grants it.
    fn view(&mut self, sizes: &[i64]) -> Result<(), Error> {
        let sizes = inferred(sizes, product(&self.sizes)?)?;
        let strides = self.strides_as(&sizes)?.ok_or_else(|| {
            error!(
                Code::NotBitcast,
                "view{sizes} of sizes {own_sizes} with strides {strides} is no view: a dim of it would go through dims that do not follow each other in memory",
                [sizes = written(&sizes), own_sizes = written(&self.sizes), strides = written(&self.strides)]
            )
                .with_help("`.reshape(…)` copies where it has to; `.contiguous()` before the view copies too")
        })?;
        (self.sizes, self.strides) = (sizes, strides);
        Ok(())
    }

    /// A view where there is one, else a copy.
    fn reshape(&mut self, method: &str, sizes: &[i64], notes: &mut Vec<String>) -> Result<(), Error> {
        let sizes = inferred(sizes, product(&self.sizes)?)?;
        match self.strides_as(&sizes)? {
            Some(strides) => {
                (self.sizes, self.strides) = (sizes, strides);
                Ok(())
            }
            None => self.copy(method, sizes, notes),
        }
    }

    /// A copy, row by row, in other sizes.
    fn copy(&mut self, method: &str, sizes: Vec<i64>, notes: &mut Vec<String>) -> Result<(), Error> {
        let Value::Map(mapped) = self.value()? else {
            return Err(Error::new(Code::Kind, "a tensor is a map"));
        };
        let strides = dense(&sizes)?;
        notes.push(format!(
            "{method} copies: the copy has strides {}; the answer says where its elements lay before",
            written(&strides)
        ));
        *self = Tensor { sizes, strides, offset: 0, copied: Some((mapped.map, mapped.text)) };
        Ok(())
    }

    /// The strides of the same elements in other sizes, if there are such.
    ///
    /// Dims of which each step is as far as the whole next one lies long make one run; sizes are cut from runs, the last first.
    fn strides_as(&self, sizes: &[i64]) -> Result<Option<Vec<i64>>, Error> {
        if product(&self.sizes)? == 0 {
            return if sizes == self.sizes { Ok(Some(self.strides.clone())) } else { dense(sizes).map(Some) };
        }
        let far = || Error::overflow("a stride");
        let mut strides = vec![0; sizes.len()];
        let mut wanted = sizes.iter().zip(&mut strides).rev().peekable();
        let mut dims = self.sizes.iter().zip(&self.strides).rev().peekable();
        // Of a tensor of no dims there is one element.
        let mut step = self.strides.last().copied().unwrap_or(1);
        let mut run = 1_i64;
        loop {
            if let Some((size, _)) = dims.next() {
                run = run.checked_mul(*size).ok_or_else(far)?;
            }
            let next = dims.peek().map(|(size, stride)| (**size, **stride));
            let goes_on = next.is_some_and(|(size, stride)| size == 1 || run.checked_mul(step) == Some(stride));
            if goes_on {
                continue;
            }
            let mut taken = 1_i64;
            while let Some((size, _)) = wanted.peek()
                && (taken < run || **size == 1)
            {
                if let Some((size, stride)) = wanted.next() {
                    *stride = taken.checked_mul(step).ok_or_else(far)?;
                    taken = taken.checked_mul(*size).ok_or_else(far)?;
                }
            }
            if taken != run {
                return Ok(None);
            }
            match next {
                Some((_, stride)) => (step, run) = (stride, 1),
                None => return Ok(wanted.next().is_none().then_some(strides)),
            }
        }
    }

    fn permute(&mut self, dims: &[i64]) -> Result<(), Error> {
        let rank = self.sizes.len();
        let order = dims.iter().map(|at| dim(*at, rank).map(length)).collect::<Result<Vec<_>, _>>()?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != (0..length(rank)).collect::<Vec<_>>() {
            return Err(error!(
                Code::OrderNotPermutation,
                "{dims} does not name each of the {rank} dims once",
                [dims = written(dims), rank]
            ));
        }
        self.select(&order);
        Ok(())
    }

    /// The dims at these places.
    fn select(&mut self, places: &[i64]) {
        let at = |all: &[i64]| {
            places.iter().filter_map(|at| usize::try_from(*at).ok().and_then(|at| all.get(at)).copied()).collect()
        };
        (self.sizes, self.strides) = (at(&self.sizes), at(&self.strides));
    }

    fn swap(&mut self, a: i64, b: i64) -> Result<(), Error> {
        let rank = self.sizes.len();
        let (a, b) = (dim(a, rank)?, dim(b, rank)?);
        self.sizes.swap(a, b);
        self.strides.swap(a, b);
        Ok(())
    }

    /// PyTorch swaps two dims; NumPy takes them for the new order of all.
    fn transpose(&mut self, a: i64, b: i64, is_torch: bool) -> Result<(), Error> {
        let rank = self.sizes.len();
        if rank == 2 && !is_torch && (dim(a, rank)?, dim(b, rank)?) == (0, 1) {
            let kept = self.value()?;
            self.swap(a, b)?;
            let swapped = self.value()?;
            return Err(error!(
                Code::Syntax("ambiguous"),
                "transpose({a}, {b}) of two dims is ambiguous: PyTorch swaps them, {swapped}; NumPy keeps them, {kept}",
                [a, b, swapped, kept]
            )
            .with_help(format!("write .swapaxes({a}, {b}) to swap them, .permute({a}, {b}) to keep them")));
        }
        self.swap(a, b)
    }

    /// Dims of size 1, and new ones in front, repeat.
    fn expand(&mut self, sizes: &[i64]) -> Result<(), Error> {
        let new = sizes.len().checked_sub(self.sizes.len());
        let new = new.ok_or_else(|| {
            error!(
                Code::RankMismatch,
                "expand{sizes} has fewer dims than {own_sizes}",
                [sizes = written(sizes), own_sizes = written(&self.sizes)]
            )
        })?;
        let mut strides = vec![0; new];
        let mut expanded = sizes.get(..new).unwrap_or_default().to_vec();
        for ((own, stride), size) in self.sizes.iter().zip(&self.strides).zip(sizes.iter().skip(new)) {
            match *size {
                size if size == *own || size == -1 => {
                    expanded.push(*own);
                    strides.push(*stride);
                }
                size if *own == 1 && size >= 0 => {
                    expanded.push(size);
                    strides.push(0);
                }
                size => {
                    return Err(error!(
                        Code::NotDivisible,
                        "a dim of size {own} does not expand to {size}",
                        [own, size]
                    ));
                }
            }
        }
        (self.sizes, self.strides) = (expanded, strides);
        Ok(())
    }

    fn rearrange(&mut self, method: &str, pattern: &str, notes: &mut Vec<String>) -> Result<(), Error> {
        let of_pattern = |why: Error| why.about(format_args!("{method} {pattern:?}"));
        let refused = |why: &str| of_pattern(Error::new(Code::Profile, why));
        let pattern_read = Pattern::read(pattern).map_err(|(_, why)| refused(&why))?;
        let steps = pattern_read.steps(&self.sizes).map_err(of_pattern)?;
        let is_new = |(place, size): (&Option<usize>, &i64)| place.is_none() && *size != 1;
        if method == "rearrange" && steps.order.iter().zip(&steps.sizes).any(is_new) {
            return Err(refused("an axis is new on the right side").with_help("`repeat` makes new axes"));
        }
        self.reshape(method, &steps.split, notes)?;
        // Dims that are left out have size 1.
        let strides = steps.order.iter().map(|place| place.and_then(|at| self.strides.get(at)).copied().unwrap_or(0));
        (self.strides, self.sizes) = (strides.collect(), steps.sizes);
        self.reshape(method, &steps.merged, notes)
    }

    /// Strides of the dims that have more than one element.
    fn strides_count(&self) -> Vec<i64> {
        count_strides(&self.sizes, &self.strides)
    }

    fn value(&self) -> Result<Value, Error> {
        let Some((map, text)) = &self.copied else {
            return mapped::tensor(&self.sizes, &self.strides, self.offset);
        };
        let all: i64 =
            map.index_axes().iter().try_fold(1_i64, |all, axis| all.checked_mul(axis.extent)).unwrap_or(i64::MAX);
        let dense = self.offset == 0
            && product(&self.sizes)? == all
            && self.strides_count() == count_strides(&self.sizes, &dense(&self.sizes)?);
        let (whole, text) = match dense {
            true => {
                (map.reshaped(&self.sizes, Order::RowMajor)?, format!("reshape({text}, {}, row)", tuple(&self.sizes)))
            }
            false => {
                let memory = map.reshaped(&[all], Order::RowMajor)?;
                let own = mapped::tensor(&self.sizes, &self.strides, self.offset)?;
                (own.as_map()?.then(&memory)?, format!("chain(reshape({text}, ({all}), row), {own})"))
            }
        };
        let whole = whole.numbered(Order::RowMajor);
        match whole.to_strides() {
            Ok((offset, strides)) => mapped::tensor(&self.sizes, &strides, offset),
            Err(_) => mapped::mapped(whole, text),
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
