//! The encoding of a reshape. Law: a place holds the element of the same row-major number as before.
//!
//! Where a dim of extent 1 is left out or added, the result is a slice of the operand, or the parent of a slice. A blocked
//! encoding stays blocked where the dims that are merged or cut follow one another in its order, and are filled from
//! the last on. Else the result is linear, which always exists.

use super::{Sizes, product, same_count};
use crate::error::Error;
use crate::linear::{LinearLayout, Name};
use crate::triton::{Blocked, Cga, Encoding, Split, fit};

impl Encoding {
    /// The encoding of a tensor in registers after a reshape. Backward, from the result to the operand, it is the same with
    /// the shapes exchanged.
    ///
    /// # Errors
    /// [`Code::Range`](crate::Code::Range) where the number of elements changes; [`Code::RankMismatch`](crate::Code::RankMismatch); [`Code::Kind`](crate::Code::Kind) for memory, see
    /// [`Encoding::infer_memdesc_reshape`]; what [`Encoding::to_linear`] refuses.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let blocked: Encoding =
    ///     "#ttg.blocked<{sizePerThread=[4,4], threadsPerWarp=[32,1], warpsPerCTA=[1,1], order=[1,0]}>".parse()?;
    /// assert_eq!(
    ///     blocked.infer_reshape(&[32, 4], &[128])?.to_string(),
    ///     "#ttg.blocked<{sizePerThread = [16], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>"
    /// );
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_reshape(&self, from: &[i64], to: &[i64]) -> Result<Encoding, Error> {
        self.distributed("a reshape")?;
        self.of_rank(from)?;
        same_count(from, to)?;
        fit::shape_dims(to)?;
        if let Some(encoding) = self.without_unit_dim(from, to)?.or(self.with_unit_dim(from, to)?) {
            return Ok(encoding);
        }
        if let Encoding::Blocked(blocked) = self
            && let Some(blocked) = reshaped(blocked, from, to)?
        {
            return Ok(Encoding::Blocked(blocked));
        }
        self.with_bases(&self.to_linear(from)?.tensor_reshape(to)?)
    }

    /// The encoding of a reshape that may put the elements in another order: the wanted one where a thread has as many
    /// registers and copies in it, else as [`Encoding::infer_reshape`].
    ///
    /// # Errors
    /// As [`Encoding::infer_reshape`], and what the wanted encoding refuses.
    pub fn infer_reordered_reshape(&self, from: &[i64], to: &[i64], wanted: &Encoding) -> Result<Encoding, Error> {
        wanted.distributed("a reshape")?;
        same_count(from, to)?;
        if is_expensive_view(&self.to_linear(from)?, &wanted.to_linear(to)?) {
            return self.infer_reshape(from, to);
        }
        Ok(wanted.clone())
    }

    /// The slice along the first dim of extent 1 that a reshape only leaves out; nothing for an encoding given by bases, and where
    /// the slice has other registers.
    fn without_unit_dim(&self, from: &[i64], to: &[i64]) -> Result<Option<Encoding>, Error> {
        let Some(dim) = unit_dims(from, to).next().filter(|_| !matches!(self, Encoding::Linear(_))) else {
            return Ok(None);
        };
        let Ok(slice) = self.infer_reduce(crate::cast::length(dim)) else { return Ok(None) };
        let is_view = !is_expensive_view(&self.to_linear(from)?, &slice.to_linear(to)?);
        Ok(is_view.then_some(slice))
    }

    /// The parent of a slice, where a reshape only adds its dim; nothing where the parent has other registers.
    fn with_unit_dim(&self, from: &[i64], to: &[i64]) -> Result<Option<Encoding>, Error> {
        let Encoding::Slice(slice) = self else { return Ok(None) };
        if !unit_dims(to, from).any(|dim| crate::cast::length(dim) == slice.dim) {
            return Ok(None);
        }
        let is_view = !is_expensive_view(&self.to_linear(from)?, &slice.parent.to_linear(to)?);
        Ok(is_view.then(|| (*slice.parent).clone()))
    }
}

/// The dims of extent 1 of a shape that the other shape lacks and is the same else.
fn unit_dims<'a>(longer: &'a [i64], shorter: &'a [i64]) -> impl Iterator<Item = usize> + 'a {
    let is_left_out = move |dim: usize| {
        let others = longer.iter().enumerate().filter(|(at, _)| *at != dim).map(|(_, size)| size);
        longer.get(dim) == Some(&1) && longer.len() == shorter.len() + 1 && others.eq(shorter)
    };
    (0..longer.len()).filter(move |dim| is_left_out(*dim))
}

/// Whether a view from one layout of registers to another has to move data: unless the same bits of each place are copies, and
/// a thread has as many registers.
///
/// ```
/// use bitstride::linear::{LinearLayout, Name};
/// use bitstride::triton::is_expensive_view;
/// let lanes = LinearLayout::identity(4, Name::LANE, Name::dim(0))?;
/// assert!(!is_expensive_view(&lanes, &lanes));
/// assert!(is_expensive_view(&lanes, &LinearLayout::identity(4, Name::REGISTER, Name::dim(0))?));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn is_expensive_view(from: &LinearLayout, to: &LinearLayout) -> bool {
    let registers = |layout: &LinearLayout| layout.in_dim(Name::REGISTER).map_or(0, |(dim, _)| dim.bits);
    from.free_variable_masks() != to.free_variable_masks() || registers(from) != registers(to)
}

/// A run of dims of the operand, and the run of dims of the result that has the same elements.
type Group = (Vec<usize>, Vec<usize>);

/// The blocked encoding of the result, where there is one.
fn reshaped(blocked: &Blocked, from: &[i64], to: &[i64]) -> Result<Option<Blocked>, Error> {
    if from == to {
        return Ok(Some(blocked.clone()));
    }
    // Checks that all parameters are powers of two, and the order a permutation.
    let order = blocked.order()?;
    let places = blocked.places()?.map(|(_, bits)| bits);
    if from.is_empty() || to.is_empty() {
        return Ok(None);
    }
    let count = |sizes: &Sizes| product(sizes).ok_or_else(|| Error::overflow("the threads of a block"));
    let [warps, threads] = [count(&blocked.warps_per_cta)?, count(&blocked.threads_per_warp)?];
    let blocks = 1_i64.checked_shl(u32::try_from(blocked.cga.bases.len()).unwrap_or(u32::MAX));
    let blocks = blocks.filter(|blocks| *blocks > 0).ok_or_else(|| Error::overflow("the number of blocks"))?;
    if *blocked == standard(from, warps, threads, blocks)? {
        return standard(to, warps, threads, blocks).map(Some);
    }
    if !blocked.cga.bases.is_empty() {
        return Ok(None);
    }
    let groups = groups(from, to);
    // Where each dim stands in the order, the fastest at 0.
    let rank_of = |dim: usize| order.iter().position(|own| *own == dim).unwrap_or(0);
    for (dims, _) in &groups {
        let follow = dims.windows(2).all(|pair| match pair {
            [major, minor] => rank_of(*major) == rank_of(*minor) + 1,
            _ => true,
        });
        if !follow || !fills(&places, from, dims) {
            return Ok(None);
        }
    }
    let [registers, lanes, warps] =
        cut([&blocked.size_per_thread, &blocked.threads_per_warp, &blocked.warps_per_cta], to, &groups)?;
    let mut sorted: Vec<&Group> = groups.iter().collect();
    sorted.sort_by_key(|(dims, _)| dims.first().map_or(0, |dim| rank_of(*dim)));
    let order = sorted.iter().flat_map(|(_, dims)| dims.iter().rev()).map(|dim| crate::cast::length(*dim)).collect();
    Ok(Some(Blocked {
        size_per_thread: registers,
        threads_per_warp: lanes,
        warps_per_cta: warps,
        order,
        cga: Cga::default(),
    }))
}

/// The dims in runs with equal numbers of elements on both sides, as short as they can be.
fn groups(from: &[i64], to: &[i64]) -> Vec<Group> {
    let mut groups = vec![Group::default()];
    let (mut own, mut other) = (0, 0);
    let (mut had, mut has) = (1_i64, 1_i64);
    while own < from.len() || other < to.len() {
        let (next, wanted) = (from.get(own), to.get(other));
        let takes_own = next.is_some_and(|next| had < has || had == 1 || *next == 1);
        let takes_other = wanted.is_some_and(|wanted| has < had || *wanted == 1);
        let Some(group) = groups.last_mut() else { break };
        if takes_own {
            had = had.saturating_mul(next.copied().unwrap_or(1));
            group.0.push(own);
            own += 1;
        } else if takes_other {
            has = has.saturating_mul(wanted.copied().unwrap_or(1));
            group.1.push(other);
            other += 1;
        } else {
            groups.push(Group::default());
            (had, has) = (1, 1);
        }
    }
    groups
}

/// Whether registers, then lanes, then warps fill the dims of a group from the last on, and reach beyond it only in the first.
fn fills(places: &[crate::small::Small<u32, 4>; 3], shape: &[i64], dims: &[usize]) -> bool {
    let mut left: Vec<i64> = dims.iter().map(|dim| shape.get(*dim).copied().unwrap_or(1)).collect();
    for bits in places {
        for at in (0..dims.len()).rev() {
            let own = dims.get(at).and_then(|dim| bits.get(*dim)).copied().unwrap_or(0);
            if own == 0 {
                continue;
            }
            if left.iter().skip(at + 1).any(|left| *left != 1) {
                return false;
            }
            let Some(size) = left.get_mut(at) else { return false };
            *size = size.checked_shr(own).unwrap_or(0);
            if *size == 0 && at != 0 {
                return false;
            }
        }
    }
    true
}

/// Registers, lanes and warps of the result: each group's are given to its dims from the last on, the excess to its first.
fn cut(places: [&Sizes; 3], to: &[i64], groups: &[Group]) -> Result<[Sizes; 3], Error> {
    let mut left: Vec<i64> = to.to_vec();
    let mut of = |sizes: &Sizes| -> Result<Sizes, Error> {
        let mut own: Sizes = to.iter().map(|_| 1).collect();
        for (from, dims) in groups {
            let all: Vec<i64> = from.iter().filter_map(|dim| sizes.get(*dim)).copied().collect();
            let mut rest = product(&all).ok_or_else(|| Error::overflow("the threads of a block"))?;
            for dim in dims.iter().rev() {
                if let (Some(own), Some(left)) = (own.get_mut(*dim), left.get_mut(*dim)) {
                    *own = rest.min(*left).max(1);
                    rest /= *own;
                    *left /= *own;
                }
            }
            if let Some(first) = dims.first().and_then(|dim| own.get_mut(*dim)) {
                *first = first.checked_mul(rest).ok_or_else(|| Error::overflow("the threads of a block"))?;
            }
        }
        Ok(own)
    };
    let [registers, lanes, warps] = places;
    Ok([of(registers)?, of(lanes)?, of(warps)?])
}

/// The blocked encoding that Triton starts from: a register of each thread, the last dim first, then as many lanes and warps
/// along each dim as it has elements, the rest along the first.
fn standard(shape: &[i64], warps: i64, threads: i64, blocks: i64) -> Result<Blocked, Error> {
    let rank = shape.len();
    let overflow = || Error::overflow("the threads of a block");
    let at = |dim: usize| shape.get(dim).copied().unwrap_or(1).max(1);
    let (mut ctas, mut left) = (vec![1_i64; rank], blocks);
    for (dim, own) in ctas.iter_mut().enumerate() {
        *own = left.clamp(1, at(dim));
        left /= *own;
    }
    let parts = Sizes::from_slice(&ctas);
    if let Some(last) = ctas.last_mut() {
        *last = last.checked_mul(left).ok_or_else(overflow)?;
    }
    let order: Sizes = (0..rank).rev().map(crate::cast::length).collect();
    let split = Split { ctas: Sizes::from_slice(&ctas), parts: parts.clone(), order: order.clone() };
    let (mut lanes, mut own_warps) = (vec![1_i64; rank], vec![1_i64; rank]);
    let mut threads_left = warps.checked_mul(threads).ok_or_else(overflow)?;
    let (mut lanes_left, mut warps_left) = (threads, warps);
    for dim in (1..rank).rev() {
        let share = (at(dim) / parts.get(dim).copied().unwrap_or(1).max(1)).max(1);
        let here = threads_left.max(1).min(share);
        let lane = here.min(lanes_left.max(1));
        let warp = (here / lane).clamp(1, warps_left.max(1));
        warps_left /= warp;
        lanes_left /= lane;
        threads_left /= here;
        for (list, value) in [(&mut lanes, lane), (&mut own_warps, warp)] {
            if let Some(own) = list.get_mut(dim) {
                *own = value;
            }
        }
    }
    for (list, value) in [(&mut lanes, lanes_left), (&mut own_warps, warps_left)] {
        if let Some(first) = list.first_mut() {
            *first = value;
        }
    }
    Ok(Blocked {
        size_per_thread: (0..rank).map(|_| 1).collect(),
        threads_per_warp: Sizes::from_slice(&lanes),
        warps_per_cta: Sizes::from_slice(&own_warps),
        order,
        cga: Cga::from_split(&split)?,
    })
}
