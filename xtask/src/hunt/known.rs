//! [`Known`]: a layout whose places are known without our algebra.
//!
//! A text of some family, the extents of its dims, and the place of every element, the first dim the fastest, found by the
//! oracle or from the numbers that the text was made of. Two of them are the same when extents and places are.

use bitstride_oracle::reference::{Layout, Linear, Nest, Swizzle, Tiled};

use super::draw;
use super::source::Source;

/// A layout with the place of each of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// How it is written.
    pub(crate) text: String,
    /// The extents of its dims.
    pub(crate) extents: Vec<i64>,
    /// The place of each element, the first dim the fastest.
    pub(crate) places: Vec<i64>,
}

/// Which family a layout is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// A layout of CuTe.
    Cute,
    /// A layout of CuTe with an offset.
    Offset,
    /// One or two swizzles over a layout of CuTe.
    Swizzled,
    /// An array of XLA.
    Tiled,
    /// A tensor by its strides.
    Strides,
    /// Memory as a linear layout.
    Linear,
}

/// All families.
pub(crate) const FAMILIES: [Family; 6] =
    [Family::Cute, Family::Swizzled, Family::Tiled, Family::Strides, Family::Offset, Family::Linear];

/// Draws until there is something, for what a family may not have.
pub(crate) fn until<T>(source: &mut Source, draw: impl Fn(&mut Source) -> Option<T>) -> Option<T> {
    const MAX_TRIES: usize = 50;
    (0..MAX_TRIES).find_map(|_| draw(source))
}

/// All points of a box, the first axis the fastest.
pub(crate) fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    let size = extents.iter().product::<i64>();
    let point = |mut flat: i64| {
        let digit = |extent: &i64| {
            let digit = flat % extent;
            flat /= extent;
            digit
        };
        extents.iter().map(digit).collect()
    };
    (0..size).map(point).collect()
}

/// A layout of a family over these extents; none where the family has none.
pub(crate) fn known(source: &mut Source, family: Family, extents: &[i64]) -> Option<Known> {
    match family {
        Family::Cute => cute(&draw::layout_of(source, extents).text()),
        Family::Offset => {
            let layout = cute(&draw::layout_of(source, extents).text())?;
            let offset = source.of(&[1, 8, 3, 100, 64, -2]);
            let places = layout.places.iter().map(|place| place + offset).collect();
            Some(Known { text: format!("{} + {offset}", layout.text), places, ..layout })
        }
        Family::Swizzled => swizzled(source, extents),
        Family::Tiled => tiled(&draw::tiled(source, extents)),
        Family::Strides => strides(source, extents),
        Family::Linear => linear(source, extents),
    }
}

/// The layout of CuTe that a text is.
pub(crate) fn cute(text: &str) -> Option<Known> {
    let layout: Layout = text.parse().ok()?;
    let extents = match layout.shape() {
        Nest::Leaf(extent) => vec![*extent],
        Nest::Node(_) => layout.modes().iter().map(|mode| mode.size().ok()).collect::<Option<_>>()?,
    };
    Some(Known { text: text.to_owned(), extents, places: layout.int_values().ok()? })
}

/// Up to two swizzles over a layout with an offset.
fn swizzled(source: &mut Source, extents: &[i64]) -> Option<Known> {
    let mut layout = draw::layout_of(source, extents);
    layout.leaves().for_each(|leaf| leaf.1 = leaf.1.abs());
    let known = cute(&layout.text())?;
    let offset = if source.once_in(4) { source.of(&[1, 8, 16, 64, 3]) } else { 0 };
    let greatest = known.places.iter().max()? + offset;
    let top = i64::from(i64::BITS - greatest.leading_zeros()) + source.of(&[0, 0, 1]);
    let inner = draw::swizzle(source, top.max(2));
    let swizzle: Swizzle = inner.parse().ok()?;
    let apply = |swizzle: &Swizzle, places: Vec<i64>| -> Option<Vec<i64>> {
        places.into_iter().map(|place| swizzle.apply(place).ok()).collect()
    };
    let mut places = apply(&swizzle, known.places.iter().map(|place| place + offset).collect())?;
    let mut text = format!("{inner} o {offset} o {}", known.text);
    if source.once_in(8) {
        let outer = draw::swizzle(source, top.max(2));
        places = apply(&outer.parse().ok()?, places)?;
        text = format!("{outer} o 0 o {text}");
    }
    Some(Known { text, extents: known.extents, places })
}

/// The array of XLA that a text is.
pub(crate) fn tiled(text: &str) -> Option<Known> {
    let array: Tiled = text.parse().ok()?;
    let extents = array.dims().to_vec();
    let places = points(&extents).iter().map(|point| array.offset(point).ok()).collect::<Option<_>>()?;
    Some(Known { text: text.to_owned(), extents, places })
}

fn strides(source: &mut Source, extents: &[i64]) -> Option<Known> {
    let layout = draw::layout_of(source, extents);
    // One stride a dim: that of its first leaf.
    let strides: Vec<i64> = layout.modes.iter().map(|leaves| leaves.first().map_or(0, |leaf| leaf.1)).collect();
    let below: i64 = extents.iter().zip(&strides).map(|(extent, stride)| (extent - 1) * stride.min(&0)).sum();
    // A tensor begins where its memory does.
    let offset = if source.once_in(4) { 5 } else { 0 } - below;
    let place = |point: &Vec<i64>| offset + point.iter().zip(&strides).map(|(x, stride)| x * stride).sum::<i64>();
    let places = points(extents).iter().map(place).collect();
    let (shape, strides) = (draw::tuple(extents), draw::tuple(&strides));
    let text = match offset {
        0 => format!("tensor({shape}, {strides})"),
        offset => format!("tensor({shape}, {strides}, {offset})"),
    };
    Some(Known { text, extents: extents.to_vec(), places })
}

/// Memory in which every offset holds one element, from offsets to elements.
fn linear(source: &mut Source, extents: &[i64]) -> Option<Known> {
    if extents.iter().any(|extent| extent.count_ones() != 1) {
        return None;
    }
    let names: Vec<String> = (0..extents.len()).map(|dim| format!("dim{dim}")).collect();
    let outs: Vec<(&str, u32)> =
        names.iter().zip(extents).map(|(name, extent)| (name.as_str(), extent.trailing_zeros())).collect();
    let bits = outs.iter().map(|(_, bits)| usize::try_from(*bits).unwrap_or(0)).sum();
    let text = draw::linear(source, &[("offset", bits)], &outs, &[0]);
    relation(&text)
}

/// The memory that a linear layout from offsets to elements is, where every element has one place.
pub(crate) fn relation(text: &str) -> Option<Known> {
    let linear: Linear = text.parse().ok()?;
    let mut outs = linear.outs().to_vec();
    outs.sort();
    let extents: Vec<i64> = outs.iter().map(|(_, size)| *size).collect();
    let mut places = vec![None; usize::try_from(extents.iter().product::<i64>()).ok()?];
    for (place, element) in linear.table().ok()? {
        let offset = *place.get("offset")?;
        if place.len() != 1 {
            return None;
        }
        let flat =
            outs.iter().rev().fold(0, |flat, (name, size)| flat * size + element.get(name).copied().unwrap_or(0));
        let slot = places.get_mut(usize::try_from(flat).ok()?)?;
        if slot.replace(offset).is_some() {
            return None;
        }
    }
    Some(Known { text: text.to_owned(), extents, places: places.into_iter().collect::<Option<_>>()? })
}

/// What an answer's text says, read by the oracle: a layout of CuTe, with an offset or under swizzles, an array of XLA, a linear
/// layout; none for other texts.
pub(crate) fn read(text: &str) -> Option<Known> {
    let mut parts: Vec<&str> = text.split(" o ").collect();
    let last = parts.pop()?;
    if !parts.is_empty() {
        let mut known = read(last)?;
        for part in parts.iter().rev() {
            known.places = match part.parse::<Swizzle>() {
                Ok(swizzle) => known.places.iter().map(|place| swizzle.apply(*place).ok()).collect::<Option<_>>()?,
                Err(_) => {
                    let offset: i64 = part.parse().ok()?;
                    known.places.iter().map(|place| place + offset).collect()
                }
            };
        }
        return Some(Known { text: text.to_owned(), ..known });
    }
    if text.starts_with("linear<") {
        return relation(text);
    }
    if text.contains('[') {
        return tiled(text);
    }
    match text.split_once(" + ") {
        Some((layout, offset)) => {
            let (layout, offset) = (cute(layout)?, offset.parse::<i64>().ok()?);
            let places = layout.places.iter().map(|place| place + offset).collect();
            Some(Known { text: text.to_owned(), places, ..layout })
        }
        None => cute(text),
    }
}

impl Known {
    /// Whether two say the same of every element.
    pub(crate) fn is_same(&self, other: &Known) -> bool {
        self.extents == other.extents && self.places == other.places
    }

    /// Whether its family numbers elements with the last dim the fastest.
    pub(crate) fn is_row_major(&self) -> bool {
        ["tensor(", "linear<"].iter().any(|start| self.text.starts_with(start)) || self.text.contains('[')
    }

    /// The places of the elements in the order of their numbers.
    pub(crate) fn numbered(&self) -> Vec<i64> {
        if !self.is_row_major() {
            return self.places.clone();
        }
        let mut numbered: Vec<(Vec<i64>, i64)> =
            points(&self.extents).into_iter().zip(self.places.iter().copied()).collect();
        numbered.sort_unstable();
        numbered.into_iter().map(|(_, place)| place).collect()
    }

    /// The layout of CuTe with these extents that this is up to an offset, if there is one.
    pub(crate) fn as_cute(&self) -> Option<String> {
        let first = *self.places.first()?;
        let points: Vec<_> =
            self.places.iter().map(|place| bitstride_oracle::reference::Point::int(place - first)).collect();
        let shape = Nest::Node(self.extents.iter().map(|extent| Nest::Leaf(*extent)).collect());
        let layout = bitstride_oracle::reference::layout_of_profile(&points, &shape).ok()??;
        Some(if first == 0 { layout.to_string() } else { format!("{layout} + {first}") })
    }

    /// One stride a dim, if that says all.
    pub(crate) fn as_strides(&self) -> Option<(i64, Vec<i64>)> {
        let offset = *self.places.first()?;
        let mut step = 1usize;
        let mut strides = Vec::new();
        for extent in &self.extents {
            strides.push(if *extent > 1 { self.places.get(step)? - offset } else { 0 });
            step = step.checked_mul(usize::try_from(*extent).ok()?)?;
        }
        let place = |point: &Vec<i64>| offset + point.iter().zip(&strides).map(|(x, stride)| x * stride).sum::<i64>();
        let holds = points(&self.extents).iter().zip(&self.places).all(|(point, known)| place(point) == *known);
        holds.then_some((offset, strides))
    }

    /// Whether it is linear over F2, from elements to offsets.
    pub(crate) fn is_linear(&self) -> bool {
        self.extents.iter().all(|extent| extent.count_ones() == 1)
            && self.places.iter().all(|place| *place >= 0)
            && (0..self.places.len()).all(|flat| {
                let bits = (0..usize::BITS).map(|bit| 1usize << bit).filter(|bit| flat & bit != 0);
                bits.fold(0, |sum, bit| sum ^ self.places[bit]) == self.places[flat]
            })
    }
}
