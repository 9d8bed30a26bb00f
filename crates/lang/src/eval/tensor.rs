//! [`Tensor`]: sizes and strides in a memory, and what the methods of PyTorch and NumPy do to them.
//!
//! Law: a view leads each element to the place where it was. What has no strides in the same memory is refused as PyTorch
//! refuses it, or copied row by row, after which places are still those of the memory before.

use super::parts::Parts;
use super::strides::{count_strides, dense, dim, inferred, length, product, written};
use crate::mapped;
use crate::numbers::tuple;
use crate::value::Value;
use bitstride::map::{Map, Order};
use bitstride::notation::Pattern;
use bitstride::{Code, Error, error};

/// A tensor by its strides in a memory.
pub(super) struct Tensor {
    pub(super) sizes: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) offset: i64,
    /// How many elements the memory has, where the tensor that it was made for says it.
    pub(super) storage: Option<i64>,
    /// What the memory is, where it is a copy: the tensor that was copied row by row.
    pub(super) copied: Option<(Map, String)>,
}

impl Tensor {
    /// New dims of size 1, numbered in the tensor that has all of them.
    pub(super) fn unsqueeze(&mut self, dims: &[i64]) -> Result<(), Error> {
        let rank = self.sizes.len() + dims.len();
        let mut places = dims.iter().map(|at| dim(*at, rank)).collect::<Result<Vec<_>, _>>()?;
        places.sort_unstable();
        if let Some((again, _)) = places.iter().zip(places.iter().skip(1)).find(|(first, second)| first == second) {
            return Err(error!(Code::OrderNotPermutation, "a new dim is named {again} twice", [again]));
        }
        for at in places {
            let stride = match (self.sizes.get(at), self.strides.get(at)) {
                (Some(size), Some(stride)) => size.checked_mul(*stride).ok_or_else(|| Error::overflow("a stride"))?,
                _ => 1,
            };
            self.sizes.insert(at, 1);
            self.strides.insert(at, stride);
        }
        Ok(())
    }

    /// Any elements of the memory, in any order.
    pub(super) fn as_strided(&mut self, sizes: &[i64], strides: &[i64], offset: i64) -> Result<(), Error> {
        if strides.iter().chain([&offset]).any(|number| *number < 0) {
            return Err(error!(
                Code::Range,
                "as_strided takes strides from 0 on and such an offset, not {strides} and {offset}",
                [strides = written(strides), offset]
            ));
        }
        let steps = sizes.iter().zip(strides).try_fold(offset, |last, (size, stride)| {
            size.checked_sub(1)?.checked_mul(*stride).and_then(|steps| last.checked_add(steps))
        });
        let last = steps.ok_or_else(|| Error::overflow("an offset"))?;
        if let Some(storage) = self.storage.filter(|storage| !sizes.contains(&0) && last >= *storage) {
            return Err(error!(
                Code::Range,
                "as_strided would reach place {last} of a memory of {storage} elements",
                [last, storage]
            )
            .with_help("a view of a part of a longer memory is written by its strides: `tensor((2,3), (3,1), 5)`"));
        }
        (self.sizes, self.strides, self.offset) = (sizes.to_vec(), strides.to_vec(), offset);
        Ok(())
    }

    /// Moves the first element along a dim.
    pub(super) fn advance(&mut self, at: usize, by: i64) -> Result<(), Error> {
        let moved = self.strides.get(at).and_then(|stride| stride.checked_mul(by));
        let offset = moved.and_then(|moved| self.offset.checked_add(moved));
        self.offset = offset.ok_or_else(|| Error::overflow("an offset"))?;
        Ok(())
    }

    /// `[start:stop:step]` of a dim, with ends cut to the dim as Python cuts them.
    pub(super) fn slice(&mut self, at: i64, start: i64, stop: i64, step: i64, is_torch: bool) -> Result<(), Error> {
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
        // Of no elements, PyTorch still moves to where they would begin, and what is viewed from there begins there.
        if count > 0 || step > 0 {
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

    /// Some neighbours of a dim, which has them.
    pub(super) fn keep(&mut self, at: usize, first: i64, count: i64) -> Result<(), Error> {
        self.advance(at, first)?;
        if let Some(size) = self.sizes.get_mut(at) {
            *size = count;
        }
        Ok(())
    }

    /// One of the parts into which a dim is cut, counted from the last where the number is negative.
    pub(super) fn piece(&mut self, method: &str, at: usize, parts: &Parts<'_>, index: i64) -> Result<(), Error> {
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
    pub(super) fn unfold(&mut self, at: i64, window: i64, step: i64) -> Result<(), Error> {
        // A tensor of no dims has one element along dim 0.
        let at = dim(at, self.sizes.len().max(1))?;
        let (size, stride) = match (self.sizes.get(at), self.strides.get(at)) {
            (Some(size), Some(stride)) => (*size, *stride),
            _ => (1, 1),
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
    pub(super) fn diagonal(&mut self, offset: i64, first: i64, second: i64) -> Result<(), Error> {
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
    pub(super) fn move_dims(&mut self, from: &[i64], to: &[i64]) -> Result<(), Error> {
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
    pub(super) fn view(&mut self, sizes: &[i64]) -> Result<(), Error> {
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
    pub(super) fn reshape(&mut self, method: &str, sizes: &[i64], notes: &mut Vec<String>) -> Result<(), Error> {
        let sizes = inferred(sizes, product(&self.sizes)?)?;
        match self.strides_as(&sizes)? {
            Some(strides) => {
                (self.sizes, self.strides) = (sizes, strides);
                Ok(())
            }
            None => self.copy_noted(method, sizes, notes),
        }
    }

    /// A copy, row by row, in other sizes.
    pub(super) fn copy(&mut self, sizes: Vec<i64>) -> Result<(), Error> {
        let Value::Map(mapped) = self.value()? else {
            return Err(Error::new(Code::Kind, "a tensor is a map"));
        };
        let (strides, storage) = (dense(&sizes)?, Some(product(&sizes)?));
        *self = Tensor { sizes, strides, offset: 0, storage, copied: Some((mapped.map, mapped.text)) };
        Ok(())
    }

    /// The same, and a note that says so.
    pub(super) fn copy_noted(&mut self, method: &str, sizes: Vec<i64>, notes: &mut Vec<String>) -> Result<(), Error> {
        self.copy(sizes)?;
        notes.push(self.copies(method));
        Ok(())
    }

    /// The strides of the same elements in other sizes, if there are such.
    ///
    /// Dims of which each step is as far as the whole next one lies long make one run; sizes are cut from runs, the last first.
    pub(super) fn strides_as(&self, sizes: &[i64]) -> Result<Option<Vec<i64>>, Error> {
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

    pub(super) fn permute(&mut self, dims: &[i64]) -> Result<(), Error> {
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
    pub(super) fn select(&mut self, places: &[i64]) {
        let at = |all: &[i64]| {
            places.iter().filter_map(|at| usize::try_from(*at).ok().and_then(|at| all.get(at)).copied()).collect()
        };
        (self.sizes, self.strides) = (at(&self.sizes), at(&self.strides));
    }

    pub(super) fn swap(&mut self, a: i64, b: i64) -> Result<(), Error> {
        let rank = self.sizes.len();
        let (a, b) = (dim(a, rank)?, dim(b, rank)?);
        self.sizes.swap(a, b);
        self.strides.swap(a, b);
        Ok(())
    }

    /// PyTorch swaps two dims; NumPy takes them for the new order of all.
    pub(super) fn transpose(&mut self, a: i64, b: i64, is_torch: bool) -> Result<(), Error> {
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
    pub(super) fn expand(&mut self, sizes: &[i64]) -> Result<(), Error> {
        let new = sizes.len().checked_sub(self.sizes.len());
        let new = new.ok_or_else(|| {
            error!(
                Code::RankMismatch,
                "expand{sizes} has fewer dims than {own_sizes}",
                [sizes = written(sizes), own_sizes = written(&self.sizes)]
            )
        })?;
        let mut expanded = sizes.get(..new).unwrap_or_default().to_vec();
        let mut strides = Vec::new();
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
        // A new dim of size 1 steps over all of the next one, and a longer one repeats.
        for at in (0..new).rev() {
            let next = strides.first().zip(expanded.get(at + 1));
            let whole = next.map_or(Some(0), |(stride, size)| i64::checked_mul(*stride, *size));
            let is_one = expanded.get(at) == Some(&1);
            strides.insert(0, if is_one { whole.ok_or_else(|| Error::overflow("a stride"))? } else { 0 });
        }
        (self.sizes, self.strides) = (expanded, strides);
        Ok(())
    }

    pub(super) fn rearrange(&mut self, method: &str, pattern: &str, notes: &mut Vec<String>) -> Result<(), Error> {
        let of_pattern = |why: Error| why.about(format_args!("{method} {pattern:?}"));
        let refused = |why: &str| of_pattern(Error::new(Code::Profile, why));
        let pattern_read = Pattern::read(pattern).map_err(|(_, why)| refused(&why))?;
        let steps = pattern_read.steps(&self.sizes).map_err(of_pattern)?;
        if method == "rearrange" && pattern_read.makes_axes() {
            return Err(refused("an axis is new on the right side").with_help("`repeat` makes new axes"));
        }
        self.reshape(method, &steps.split, notes)?;
        // Dims that are left out have size 1.
        let strides = steps.order.iter().map(|place| place.and_then(|at| self.strides.get(at)).copied().unwrap_or(0));
        (self.strides, self.sizes) = (strides.collect(), steps.sizes);
        self.reshape(method, &steps.merged, notes)
    }

    /// Strides of the dims that have more than one element.
    pub(super) fn strides_count(&self) -> Vec<i64> {
        count_strides(&self.sizes, &self.strides)
    }

    pub(super) fn value(&self) -> Result<Value, Error> {
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
