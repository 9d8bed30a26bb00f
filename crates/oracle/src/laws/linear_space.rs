//! Laws of the analysis of linear layouts: free bits, actions on registers, contiguous runs, kernel, image, Bruhat form.

use std::collections::BTreeSet;

use super::linear_algebra::{extent, same_at, show};
use super::{CheckResult, hold};
use crate::reference::{Linear, Place, number};

/// `free_variable_masks(A)`: places with all free bits 0 have every image, each once; and a free bit has the image of
/// some place with lower bits only, so that the earliest bits are the ones that are kept.
pub fn linear_free_variables(a: &Linear, masks: &[(String, u64)]) -> CheckResult {
    const LAW: &str = "linear_free_variables";
    let mask = |name: &str| masks.iter().find(|(other, _)| other == name).map_or(0, |(_, mask)| *mask);
    let set = |place: &Place| place.iter().any(|(name, value)| value.cast_unsigned() & mask(name) != 0);
    let kept: Vec<Place> = a.places()?.into_iter().filter(|place| !set(place)).collect();
    let (reached, images) = (kept.iter().map(|place| a.at(place)).collect::<BTreeSet<_>>(), a.image()?);
    hold(LAW, reached == images, || format!("{} of {} images are reached", reached.len(), images.len()))?;
    hold(LAW, kept.len() == reached.len(), || format!("{} places for {} images", kept.len(), reached.len()))?;
    let ins = a.ins();
    for (name, mask) in masks {
        for bit in (0..62).filter(|bit| mask >> bit & 1 == 1) {
            let place: Place = [(name.clone(), 1 << bit)].into();
            let (limit, image) = (number(&ins, &place)?, a.at(&place));
            let made = a.table()?.iter().zip(0..limit).any(|((_, other), _)| *other == image);
            hold(LAW, made, || format!("no earlier place has the image of {}", show(&place)))?;
        }
    }
    Ok(())
}

/// An action on the bits of a dim: `R(x) = A(y)`, where bit `picks[k]` of y is bit k of x.
pub fn linear_action(a: &Linear, dim: &str, picks: &[u32], answer: &Linear) -> CheckResult {
    for (place, image) in answer.table()? {
        let value = place.get(dim).copied().unwrap_or(0);
        let bits = picks.iter().enumerate().map(|(at, pick)| (value >> at & 1).checked_shl(*pick).unwrap_or(0));
        let mut old = place.clone();
        old.insert(dim.to_owned(), bits.sum());
        same_at("linear_action", &place, &image, &a.at(&old))?;
    }
    Ok(())
}

/// Zero bases of a dim removed: none is left, and the images are the same.
pub fn linear_remove_zero_bases(a: &Linear, dim: &str, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_remove_zero_bases";
    let mut bases = answer.bases().iter().filter(|(name, _)| name == dim).flat_map(|(_, bases)| bases);
    hold(LAW, bases.all(|basis| basis.iter().any(|value| *value != 0)), || format!("R = {answer} has a zero basis"))?;
    hold(LAW, a.image()? == answer.image()?, || format!("R = {answer} has other images than A = {a}"))
}

/// `get_reps(A, tile) = R`: every place is a place of a copy, in R, and a place in the tile, and its image is that of
/// both together; no bit of an image is in both.
pub fn linear_reps(a: &Linear, tile: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_reps";
    let sizes = tile.ins();
    for (place, image) in a.table()? {
        let inside: Place = place.iter().map(|(name, value)| (name.clone(), value % extent(&sizes, name))).collect();
        let (copy, part) = (answer.at(&place), tile.at(&inside));
        let value = |name: &String| (copy.get(name).copied().unwrap_or(0), part.get(name).copied().unwrap_or(0));
        let apart = a.outs().iter().all(|(name, _)| value(name).0 & value(name).1 == 0);
        hold(LAW, apart, || format!("at ({}) copy and tile share a bit", show(&place)))?;
        let sum = a.outs().iter().map(|(name, _)| (name.clone(), value(name).0 | value(name).1)).collect();
        same_at(LAW, &place, &sum, &image)?;
    }
    Ok(())
}

/// `num_consecutive_in_out(A) = n`: from every place whose first coordinate is a multiple of n, n places in a row along
/// the first in dim hold n elements in a row along the first out dim; twice as many do not.
pub fn linear_consecutive(a: &Linear, n: i64) -> CheckResult {
    const LAW: &str = "linear_consecutive";
    let (ins, outs) = (a.ins(), a.outs());
    let (Some((from, size)), Some((to, _))) = (ins.first(), outs.first()) else {
        return hold(LAW, n == 1, || format!("n = {n} without dims"));
    };
    hold(LAW, n > 0 && size % n == 0, || format!("n = {n} of {size} places"))?;
    hold(LAW, runs(a, from, to, n)?, || format!("some {n} places in a row do not hold elements in a row"))?;
    let twice = n.saturating_mul(2);
    let more = twice <= *size && runs(a, from, to, twice)?;
    hold(LAW, !more, || format!("even {twice} places in a row hold elements in a row"))
}

/// `contiguous_elems_along_out_dim(A, dim) = n`: the images have all of 0 to n - 1 in the dim, but not twice as many.
pub fn linear_contiguous(a: &Linear, dim: &str, n: i64) -> CheckResult {
    const LAW: &str = "linear_contiguous";
    let values: BTreeSet<i64> = a.image()?.iter().filter_map(|image| image.get(dim).copied()).collect();
    let missing = |n: i64| (0..n).find(|value| !values.contains(value));
    hold(LAW, missing(n).is_none(), || format!("n = {n}, but {:?} has no place", missing(n)))?;
    hold(LAW, missing(n.saturating_mul(2)).is_some(), || format!("even twice {n} elements have a place"))
}

/// `largest_vectorisation(A) = (n, action)`, R being A after the action: n registers in a row hold n offsets in a row
/// from a multiple of n, wherever the other dims put them.
pub fn linear_vector(answer: &Linear, n: i64) -> CheckResult {
    let held = runs(answer, "register", "offset", n)?;
    hold("linear_vector", held, || format!("some {n} registers in a row do not hold offsets in a row"))
}

/// `kernel(A) = R`: R is injective, `A(R(x)) = 0`, and R has as many places as A has with the image 0.
pub fn linear_kernel(a: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_kernel";
    let nothing = |image: &Place| image.values().all(|value| *value == 0);
    for (place, vector) in answer.table()? {
        hold(LAW, nothing(&a.at(&vector)), || format!("A(R({})) is not 0", show(&place)))?;
    }
    let wanted = a.table()?.iter().filter(|(_, image)| nothing(image)).count();
    let distinct = answer.image()?.len();
    hold(LAW, distinct == wanted && answer.places()?.len() == wanted, || {
        format!("R has {distinct} vectors, but {wanted} places have the image 0")
    })
}

/// `image(A) = R`: R is injective and has the images of A.
pub fn linear_image(a: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_image";
    let (images, wanted) = (answer.image()?, a.image()?);
    hold(LAW, images == wanted, || format!("R = {answer} has other images than A = {a}"))?;
    hold(LAW, answer.places()?.len() == wanted.len(), || format!("R = {answer} is not injective"))
}

/// `bruhat(A)`: the factors compose to A; the shears send each bit to itself and lower bits, the permutation sends each
/// bit to one of its own.
pub fn linear_bruhat(a: &Linear, inner: &Linear, permutation: &Linear, outer: &Linear) -> CheckResult {
    const LAW: &str = "linear_bruhat";
    for (place, _) in a.table()? {
        same_at(LAW, &place, &outer.at(&permutation.at(&inner.at(&place))), &a.at(&place))?;
    }
    for shear in [inner, outer] {
        hold(LAW, shear.ins() == shear.outs(), || format!("{shear} has other dims out than in"))?;
        for (at, column) in columns(shear)?.iter().enumerate() {
            let top = column.checked_ilog2().and_then(|top| usize::try_from(top).ok());
            hold(LAW, top == Some(at), || format!("{shear} sends bit {at} to {column:#b}"))?;
        }
    }
    let moved = columns(permutation)?;
    let single = moved.iter().all(|column| column.count_ones() == 1);
    let distinct = moved.iter().collect::<BTreeSet<_>>().len() == moved.len();
    hold(LAW, single && distinct, || format!("{permutation} is no permutation of bits"))
}

/// `minimal_cvt(A, B) = R`: with the dims that R lacks kept as they are, `A(R(x)) = B(x)` for every place x of B.
pub fn linear_minimal_cvt(a: &Linear, b: &Linear, answer: &Linear) -> CheckResult {
    for (place, image) in b.table()? {
        let mut from = place.clone();
        from.extend(answer.at(&place));
        same_at("linear_minimal_cvt", &place, &a.at(&from), &image)?;
    }
    Ok(())
}

/// The images of the in bits as numbers.
fn columns(layout: &Linear) -> Result<Vec<i64>, super::Violation> {
    let outs = layout.outs();
    let number = |basis: &Vec<i64>| {
        let point = outs.iter().zip(basis).map(|((name, _), value)| (name.clone(), *value)).collect();
        number(outs, &point)
    };
    Ok(layout.bases().iter().flat_map(|(_, bases)| bases).map(number).collect::<Result<_, _>>()?)
}

/// Whether n places in a row along `from` hold n elements in a row along `to`, from every multiple of n.
fn runs(a: &Linear, from: &str, to: &str, n: i64) -> Result<bool, super::Violation> {
    Ok(n > 0
        && a.table()?.iter().all(|(place, image)| {
            let mut start = place.clone();
            let step = place.get(from).copied().unwrap_or(0) % n;
            start.entry(from.to_owned()).and_modify(|value| *value -= step);
            let mut wanted = a.at(&start);
            let aligned = wanted.get(to).is_some_and(|value| value % n == 0);
            wanted.entry(to.to_owned()).and_modify(|value| *value += step);
            aligned && wanted == *image
        }))
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn free_bits_are_late() {
        let a: Linear = parsed("linear<{r=[[1],[0]], l=[[1],[2]]}, out=[d:4]>");
        let masks = |r, l| [("r".to_owned(), r), ("l".to_owned(), l)];
        verdict(linear_free_variables(&a, &masks(2, 1)), None);
        let early = Some("linear_free_variables: no earlier place has the image of r = 1");
        verdict(linear_free_variables(&a, &masks(3, 0)), early);
        verdict(linear_free_variables(&a, &masks(2, 0)), Some("linear_free_variables: 8 places for 4 images"));
        verdict(linear_free_variables(&a, &masks(2, 2)), Some("linear_free_variables: 2 of 4 images are reached"));
    }

    #[test]
    fn actions_and_runs() {
        let a: Linear = parsed("linear<{register=[[4],[0],[1]]}, out=[offset:8]>");
        let moved = "linear<{register=[[1],[4]]}, out=[offset:8]>";
        verdict(linear_action(&a, "register", &[2, 0], &parsed(moved)), None);
        verdict(linear_remove_zero_bases(&a, "register", &parsed(moved)), None);
        verdict(linear_vector(&parsed(moved), 2), None);
        verdict(
            linear_vector(&parsed(moved), 4),
            Some("linear_vector: some 4 registers in a row do not hold offsets in a row"),
        );
        verdict(linear_consecutive(&parsed(moved), 2), None);
        verdict(
            linear_consecutive(&parsed(moved), 1),
            Some("linear_consecutive: even 2 places in a row hold elements in a row"),
        );
        verdict(linear_contiguous(&a, "offset", 2), None);
        verdict(linear_contiguous(&a, "offset", 1), Some("linear_contiguous: even twice 1 elements have a place"));
        let tile: Linear = parsed("linear<{register=[[4]]}, out=[offset:8]>");
        verdict(linear_reps(&a, &tile, &parsed("linear<{register=[[0],[0],[1]]}, out=[offset:8]>")), None);
    }

    #[test]
    fn subspaces_and_shears() {
        let a: Linear = parsed("linear<{r=[[1],[3],[2]]}, out=[d:4]>");
        verdict(linear_kernel(&a, &parsed("linear<{kernel=[[7]]}, out=[r:8]>")), None);
        verdict(
            linear_kernel(&a, &parsed("linear<{kernel=[]}, out=[r:8]>")),
            Some("linear_kernel: R has 1 vectors, but 2 places have the image 0"),
        );
        verdict(linear_image(&a, &parsed("linear<{image=[[3],[1]]}, out=[d:4]>")), None);
        let (map, same) = ("linear<{x=[[2],[3]]}, out=[d:4]>", "linear<{d=[[1],[3]]}, out=[d:4]>");
        let inner: Linear = parsed("linear<{x=[[1],[3]]}, out=[x:4]>");
        let turn: Linear = parsed("linear<{x=[[2],[1]]}, out=[d:4]>");
        let still: Linear = parsed("linear<{d=[[1],[2]]}, out=[d:4]>");
        verdict(linear_bruhat(&parsed(map), &inner, &turn, &still), None);
        let wrong = Some("linear_bruhat: at (x = 1) it gives (d = 3), but must give (d = 2)");
        verdict(linear_bruhat(&parsed(map), &inner, &turn, &parsed(same)), wrong);
        let b: Linear = parsed("linear<{r=[[3]]}, out=[d:4]>");
        verdict(linear_minimal_cvt(&a, &b, &parsed("linear<{r=[[2]]}, out=[r:8]>")), None);
    }
}
