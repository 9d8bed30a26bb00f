//! Inverses and the nullspace, leaf by leaf, and the longest possible right inverse, by search.
//!
//! Write the leaf k of A as extent s, stride d, and p for the product of the extents before it, so that p is the
//! index which A sends to d. A right inverse strings leaves together whose strides count up from 1 (`d` next to
//! be covered): its modes are `s:p`. A left inverse walks *all* strides upward, gaps included: the digit that
//! belongs to d reaches up to the next stride, and has stride p. The nullspace is made of the leaves with
//! stride 0, again as `s:p`.

use super::{LIMIT, Layout, Nest, OracleError, Point, add, coalesce, mul};

/// R with `A(R(i)) = i` below its size, strung from leaves of the coalesced A; `1:0` at the least.
///
/// ```
/// use bitstride_oracle::reference::right_inverse;
///
/// assert_eq!(right_inverse(&"(2,3):(3,1)".parse()?)?.to_string(), "(3,2):(2,1)");
/// assert_eq!(right_inverse(&"(3,4,3):(16,1,64)".parse()?)?.to_string(), "4:3");
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
pub fn right_inverse(a: &Layout) -> Result<Layout, OracleError> {
    let mut chain = Vec::new();
    let mut next = 1;
    let leaves = placed(&coalesce(a)?)?;
    while let Some(leaf) = leaves.iter().find(|leaf| leaf.stride == next && leaf.extent > 1) {
        chain.push((leaf.extent, Point::int(leaf.index)));
        next = mul(next, leaf.extent)?;
    }
    coalesce(&Layout::flat(&chain))
}

/// R with `A(R(A(i))) = A(i)` on the domain of A, where the strides of the coalesced A are positive and divide
/// one another; else nothing.
pub fn left_inverse(a: &Layout) -> Result<Option<Layout>, OracleError> {
    let mut leaves = placed(&coalesce(a)?)?;
    leaves.retain(|leaf| leaf.stride != 0 && leaf.extent > 1);
    leaves.sort_by_key(|leaf| leaf.stride);
    let (mut below, mut index) = (1, 0);
    let mut modes = Vec::new();
    let mut last = 1;
    for leaf in &leaves {
        if leaf.stride < 1 || leaf.stride % below != 0 {
            return Ok(None);
        }
        modes.push((leaf.stride / below, Point::int(index)));
        (below, index, last) = (leaf.stride, leaf.index, leaf.extent);
    }
    modes.push((last, Point::int(index)));
    coalesce(&Layout::flat(&modes)).map(Some)
}

/// R with `A(R(A(i))) = A(i)` on the domain of A, and `R(A(i)) = i` where A is injective, found by trying all layouts
/// `(m,n):(a,b)` with a and b up to the size of A, either way.
///
/// ```
/// use bitstride_oracle::reference::left_inverse_of_two_modes;
///
/// assert_eq!(left_inverse_of_two_modes(&"(2,2):(2,3)".parse()?)?.map(|r| r.to_string()), Some("(2,3):(1,1)".into()));
/// assert_eq!(left_inverse_of_two_modes(&"(4,4):(3,7)".parse()?)?, None);
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
pub fn left_inverse_of_two_modes(a: &Layout) -> Result<Option<Layout>, OracleError> {
    let values = a.int_values()?;
    let size = a.size()?;
    let injective = values.iter().enumerate().all(|(at, value)| !values.iter().take(at).any(|other| other == value));
    let reach = values.iter().map(|value| value.abs()).max().unwrap_or(0);
    let comes_back = |index: i64, value: i64, back: i64| {
        if injective { Ok(back == index) } else { a.offset(back).map(|point| point == Point::int(value)) }
    };
    for low in 1..=reach + 1 {
        for first in -size..=size {
            let mut below = (0..).zip(&values).filter(|(_, value)| value.abs() < low);
            if !below.try_fold(true, |all, (index, value)| {
                Ok::<_, OracleError>(all && comes_back(index, *value, first * value)?)
            })? {
                continue;
            }
            for second in -size..=size {
                let back = |value: i64| value % low * first + value / low * second;
                let mut all = (0..).zip(&values);
                let undone = all.try_fold(true, |all, (index, value)| {
                    Ok::<_, OracleError>(all && comes_back(index, *value, back(*value))?)
                })?;
                if undone {
                    let modes = [(low, Point::int(first)), (reach / low + 1, Point::int(second))];
                    return Ok(Some(Layout::flat(&modes)));
                }
            }
        }
    }
    Ok(None)
}

/// R with `A(R(i)) = 0`, injective, of all the leaves along which A does not move.
pub fn nullspace(a: &Layout) -> Result<Layout, OracleError> {
    let still = placed(a)?.into_iter().filter(|leaf| leaf.stride == 0 && leaf.extent > 1);
    let modes: Vec<_> = still.map(|leaf| (leaf.extent, Point::int(leaf.index))).collect();
    coalesce(&Layout::flat(&modes))
}

/// The size of the largest layout R into the common domain with `A(R(i)) = i` for every A given, found by
/// trying all of them. Errs when the search passes its budget.
pub fn longest_common_chain(layouts: &[&Layout]) -> Result<i64, OracleError> {
    let tables = layouts.iter().map(|a| a.int_values()).collect::<Result<Vec<_>, _>>()?;
    let common = tables.iter().map(Vec::len).min().unwrap_or(0);
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); common];
    for index in 0..common {
        let mut values = tables.iter().filter_map(|table| table.get(index));
        if let Some(first) = values.next().filter(|first| values.all(|value| value == *first))
            && let Some(place) = usize::try_from(*first).ok().and_then(|place| places.get_mut(place))
        {
            place.push(index);
        }
    }
    let mut search = Search { places, longest: 1, steps: 0 };
    search.extend(&mut vec![0])?;
    i64::try_from(search.longest).map_err(|_| OracleError::Overflow)
}

/// A leaf, with the index that the layout sends to its stride.
struct Placed {
    extent: i64,
    stride: i64,
    index: i64,
}

fn placed(a: &Layout) -> Result<Vec<Placed>, OracleError> {
    let strides = a.int_leaves()?;
    let indices = Layout::compact(&Nest::Node(vec![a.shape().clone()]))?;
    let pairs = strides.into_iter().zip(indices.int_leaves()?);
    Ok(pairs.map(|((extent, stride), (_, index))| Placed { extent, stride, index }).collect())
}

/// Depth-first search over the modes of R, least first.
struct Search {
    /// For each place, the indices that every layout sends there.
    places: Vec<Vec<usize>>,
    longest: usize,
    steps: i64,
}

impl Search {
    /// `chain` holds R so far; every next mode must begin at an index whose place is the chain's length.
    fn extend(&mut self, chain: &mut Vec<usize>) -> Result<(), OracleError> {
        let size = chain.len();
        self.longest = self.longest.max(size);
        for step in self.places.get(size).cloned().unwrap_or_default() {
            let mut copies = 1;
            while self.fits(chain.get(..size).unwrap_or_default(), copies * step, copies * size)? {
                for low in 0..size {
                    chain.push(chain.get(low).copied().unwrap_or(0) + copies * step);
                }
                copies += 1;
                self.extend(chain)?;
            }
            chain.truncate(size);
        }
        Ok(())
    }

    fn fits(&mut self, chain: &[usize], by: usize, place: usize) -> Result<bool, OracleError> {
        for (low, index) in chain.iter().enumerate() {
            self.steps = add(self.steps, 1)?;
            if self.steps > LIMIT {
                return Err(OracleError::TooLarge(self.steps));
            }
            if !self.places.get(place + low).is_some_and(|indices| indices.contains(&(index + by))) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::digits;
    use super::*;

    fn layout(text: &str) -> Layout {
        text.parse().expect(text)
    }

    #[test]
    fn left_inverses_reach_over_gaps() {
        let table = [
            ("(4,8):(8,1)", Some("(8,4):(4,1)")),
            ("(4,8):(1,5)", Some("(5,8):(1,4)")),
            ("8:16", Some("(16,8):(0,1)")),
            ("(4,2):(2,9)", None),
            ("3:0", Some("1:0")),
        ];
        for (a, want) in table {
            let inverse = left_inverse(&layout(a)).expect("small").map(|r| r.to_string());
            assert_eq!(inverse.as_deref(), want, "{a}");
        }
    }

    #[test]
    fn nullspaces() {
        let of = |a: &str| nullspace(&layout(a)).map(|r| r.to_string());
        assert_eq!(of("(2,4,6):(1,2,0)"), Ok("6:8".into()));
        assert_eq!(of("(2,4):(1,2)"), Ok("1:0".into()));
        assert_eq!(of("10:0"), Ok("10:1".into()));
    }

    #[test]
    fn strung_leaves_are_as_long_as_any_chain_of_an_injective_layout() {
        let mut tried = 0;
        for code in 0..1728 {
            let [s0, s1, d0, d1, d2] = digits(code, &[2, 2, 6, 6, 12]).try_into().expect("five digits");
            let a =
                Layout::flat(&[(2 + s0, Point::int(d0 + 1)), (2 + s1, Point::int(d1 + 1)), (2, Point::int(d2 + 1))]);
            let values = a.int_values().expect("small");
            if values.iter().collect::<std::collections::BTreeSet<_>>().len() == values.len() {
                let inverse = right_inverse(&a).expect("small");
                assert_eq!(inverse.size(), longest_common_chain(&[&a]), "{a}");
                tried += 1;
            }
        }
        assert!(tried > 400, "{tried}");
    }

    #[test]
    fn chains_may_be_longer_where_values_repeat_or_fall() {
        for (a, strung, longest) in [("(4,2):(1,2)", 4, 6), ("(3,2):(-1,3)", 1, 2), ("(2,2,2):(1,2,2)", 4, 6)] {
            let a = layout(a);
            assert_eq!(right_inverse(&a).and_then(|r| r.size()), Ok(strung), "{a}");
            assert_eq!(longest_common_chain(&[&a]), Ok(longest), "{a}");
        }
    }

    #[test]
    fn a_common_chain_serves_both() {
        assert_eq!(longest_common_chain(&[&layout("8:1"), &layout("((8,4),2):((4,1),32)")]), Ok(1));
        assert_eq!(longest_common_chain(&[&layout("(12,4):(4,1)"), &layout("(12,4):(4,1)")]), Ok(48));
        assert_eq!(longest_common_chain(&[&layout("(4,4):(1,8)"), &layout("(2,8):(1,2)")]), Ok(4));
    }
}
