//! Every layout that a row holds, through [`Map`] and back into its own notation.
//!
//! Law: what comes back is the same function of every axis, and of every point by the evaluation of its own family; it has
//! the same text where the text was canonical, and what comes back is canonical: it comes back from itself. Canonical are
//! static layouts of CuTe that are coalesced mode by mode, and linear layouts with the dims of their tensor in order. For
//! swizzles and tiles, and for leaves of extent 1 that alone name a coordinate, the recogniser says what is canonical; swizzles never come back with more bits or leaves, and the few
//! arrays that come back with more tiles or extents, since the search for the fewest ended, are counted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bitstride::cute::{Function, coalesce_by};
use bitstride::linear::{LinearLayout, Name};
use bitstride::map::{Comparison, Map};
use bitstride::notation::Ints;
use bitstride::xla::{Array, Dim, Image, Layout as TiledLayout, Tile, TileDim};
use bitstride::{Code, Error, Int, Integer, Layout, Path, Stride, StrideLeaf, Tuple};
use bitstride_lang::{Mapped, Value};

use super::held::held;
use super::row::Row;
use super::run::on_all_processors;

/// Layouts with more points are compared by their maps only.
const MOST_POINTS: i64 = 4096;

/// How a layout came through.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Trip {
    /// It came back.
    Held { canonical: bool, same_text: bool, longer: bool, coordinates: bool },
    /// It has integers that are not known.
    NotStatic,
    /// There is no way through: the code and the reason.
    Refused(&'static str, String),
    /// It came back as something else.
    Broken(String),
}

/// How many layouts of a file came through how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Rows that hold a layout.
    pub(crate) rows: usize,
    /// What they hold, each layout once.
    pub(crate) layouts: usize,
    pub(crate) same: usize,
    pub(crate) canonical: usize,
    pub(crate) same_text: usize,
    pub(crate) not_static: usize,
    /// Of those that came back, how many lead to coordinates and not to memory.
    pub(crate) coordinates: usize,
    pub(crate) longer: usize,
    pub(crate) broken: usize,
    /// By code.
    pub(crate) refused: BTreeMap<&'static str, usize>,
}

/// All round trips.
pub(crate) struct Trips {
    files: BTreeMap<String, Count>,
    failing: Vec<String>,
    refused: Vec<String>,
}

/// Sends every layout of the rows round, each once.
pub(crate) fn run(rows: &[Row]) -> Trips {
    let found = on_all_processors(rows, held);
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut layouts: Vec<(String, Value)> = Vec::new();
    let mut files: BTreeMap<&str, (usize, BTreeSet<usize>)> = BTreeMap::new();
    for (row, found) in rows.iter().zip(found).filter(|(_, found)| !found.is_empty()) {
        let (rows, own) = files.entry(&row.file).or_default();
        *rows += 1;
        for (text, value) in found {
            let at = *places.entry(text).or_insert_with_key(|text| {
                layouts.push((text.clone(), value));
                layouts.len() - 1
            });
            own.insert(at);
        }
    }
    let trips = on_all_processors(&layouts, |(_, value)| trip(value));
    let mut out = Trips { files: BTreeMap::new(), failing: Vec::new(), refused: Vec::new() };
    for ((text, _), trip) in layouts.iter().zip(&trips) {
        match trip {
            Trip::Broken(why) => out.failing.push(format!("{text}: {why}")),
            Trip::Refused(code, why) => out.refused.push(format!("{text}: {code}: {why}")),
            _ => {}
        }
    }
    for (file, (rows, own)) in files {
        let count = out.files.entry(file.to_owned()).or_default();
        count.rows = rows;
        own.iter().filter_map(|at| trips.get(*at)).for_each(|trip| count.add(trip));
    }
    out
}

impl Count {
    fn add(&mut self, trip: &Trip) {
        self.layouts += 1;
        match trip {
            Trip::Held { canonical, same_text, longer, coordinates } => {
                self.same += 1;
                self.canonical += usize::from(*canonical);
                self.same_text += usize::from(*same_text);
                self.longer += usize::from(*longer);
                self.coordinates += usize::from(*coordinates);
            }
            Trip::NotStatic => self.not_static += 1,
            Trip::Refused(code, _) => *self.refused.entry(code).or_default() += 1,
            Trip::Broken(_) => self.broken += 1,
        }
    }
}

impl Trips {
    /// Whether no layout came back as something else.
    pub(crate) fn hold(&self) -> bool {
        self.failing.is_empty()
    }

    /// The files with their counts.
    pub(crate) fn files(&self) -> &BTreeMap<String, Count> {
        &self.files
    }

    /// One line a file.
    pub(crate) fn table(&self) -> String {
        let names = ["rows", "layouts", "same", "canonical", "same text", "longer", "other", "coords", "unknown"];
        let line = |name: &str, cells: [String; 9], refused: &str| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>10}")).collect();
            format!("{}\n", format!("{name:30}{cells}  {refused}").trim_end())
        };
        let mut out = format!("\n{}", line("through Map and back", names.map(str::to_owned), "refused"));
        for (file, count) in self.files() {
            let refused: Vec<String> = count.refused.iter().map(|(code, count)| format!("{count} {code}")).collect();
            let cells = [
                count.rows,
                count.layouts,
                count.same,
                count.canonical,
                count.same_text,
                count.longer,
                count.broken,
                count.coordinates,
                count.not_static,
            ];
            out += &line(file, cells.map(|count| count.to_string()), &refused.join(", "));
        }
        out
    }

    /// The first layouts that came back as something else; all, and the refusals, where all failing rows are shown.
    pub(crate) fn failing(&self, most: usize) -> String {
        let refused = self.refused.iter().filter(|_| most == usize::MAX);
        self.failing.iter().take(most).chain(refused).map(|line| format!("{line}\n")).collect()
    }
}

/// One layout, there and back.
fn trip(value: &Value) -> Trip {
    let there = value.as_map().and_then(|map| Ok((back(value, &map)?, map)));
    match there {
        Ok((again, map)) => returned(value, &map, &again).unwrap_or_else(|error| refused(&error)),
        Err(error) => refused(&error),
    }
}

fn refused(error: &Error) -> Trip {
    match error.code() {
        Code::MissingFact => Trip::NotStatic,
        code => Trip::Refused(code.as_str(), error.message().to_owned()),
    }
}

/// What a map is in the notation of a value.
fn back(value: &Value, map: &Map) -> Result<Value, Error> {
    Ok(match value {
        Value::Linear(_) => map.to_linear()?.into(),
        Value::Xla(_) => map.to_array(value.as_array()?.element)?.into(),
        Value::Map(_) => {
            let mixed = map.to_mixed()?;
            Value::Map(Box::new(Mapped { map: Map::of_mixed(&mixed)?, text: mixed.to_string() }))
        }
        _ => map.to_cute()?.into(),
    })
}

/// What came back, against what was sent.
fn returned(value: &Value, map: &Map, again: &Value) -> Result<Trip, Error> {
    let broken = |why: &str| Ok(Trip::Broken(format!("{why}: {again}")));
    let other = again.as_map()?;
    match map.compare(&other)? {
        Comparison::Same(_) => {}
        Comparison::Differ { point, .. } => return broken(&format!("differs at {point:?}")),
    }
    let coordinates =
        !matches!(value, Value::Linear(_)) && map.codomain().iter().any(|axis| axis.name.path().is_some());
    if coordinates && map.codomain() != other.codomain() {
        return broken("leads to other coordinates");
    }
    let (here, there) = (Own::of(value, map)?, Own::of(again, map)?);
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    if map.size().is_ok_and(|size| size <= MOST_POINTS) {
        for flat in 0..map.size()? {
            let point = point(&extents, flat);
            let place = here.at(&point)?;
            if there.at(&point)? != place || map.at(&point)?.as_ref() != Some(&place) {
                return broken(&format!("is another at {point:?}"));
            }
        }
    }
    let text = again.display(Ints::Cpp);
    let (canonical, sent) = canonical(value, map, &text)?;
    let (same_text, longer) = (sent == text, longer(value, again)?);
    if canonical != same_text {
        return broken(if canonical { "is canonical, but has another text" } else { "is not canonical" });
    }
    if longer && matches!(value, Value::Function(_)) {
        return broken("is shorter");
    }
    // What is equal comes back equal.
    if !same_text && back(again, &other)?.display(Ints::Cpp) != text {
        return broken("comes back from what came back as another text");
    }
    Ok(Trip::Held { canonical, same_text, longer, coordinates })
}

/// The point of a flat index, the first axis the fastest.
fn point(extents: &[i64], mut flat: i64) -> Vec<i64> {
    let digit = |extent: &i64| {
        let x = flat % extent;
        flat /= extent;
        x
    };
    extents.iter().map(digit).collect()
}

/// The evaluation of its own family.
enum Own {
    /// The function, and the paths of what it leads to, an offset in memory having the empty one.
    Cute(Function, Vec<Path>),
    Linear(LinearLayout),
    Tiled(Image),
    /// There is none but that of maps.
    Map(Map),
}

impl Own {
    fn of(value: &Value, map: &Map) -> Result<Own, Error> {
        Ok(match value {
            Value::Linear(layout) => Own::Linear(in_order(layout, map)?),
            Value::Xla(_) => Own::Tiled(Image::of(&value.as_array()?)?),
            Value::Map(mapped) => Own::Map(mapped.map.clone()),
            _ => Own::Cute(value.as_function()?, paths(map)),
        })
    }

    fn at(&self, point: &[i64]) -> Result<Vec<i64>, Error> {
        match self {
            Own::Cute(function, paths) => {
                let point: Vec<Int> = point.iter().map(|x| Int::from(*x)).collect();
                let bare = function.domain()?.root().is_leaf();
                let coordinate = match point.as_slice() {
                    [x] if bare => Tuple::leaf(x.clone()),
                    point => Tuple::flat(point),
                };
                let place = function.offset_at(&coordinate)?;
                let mut components: BTreeMap<Path, Int> = place.components().into_iter().collect();
                let numbers: Vec<Int> = paths.iter().map(|path| components.remove(path).unwrap_or_default()).collect();
                match components.values().find(|n| n.value() != Some(0)) {
                    None => numbers.iter().map(Int::as_number).collect(),
                    Some(_) => Err(Error::new(Code::Kind, format!("{place} has other coordinates"))),
                }
            }
            Own::Linear(layout) => {
                let place: Vec<(Name, i64)> = layout.ins().iter().zip(point).map(|(dim, x)| (dim.name, *x)).collect();
                Ok(layout.apply(&place)?.into_iter().map(|(_, x)| x).collect())
            }
            Own::Tiled(image) => Ok(vec![image.offset(point)?]),
            Own::Map(map) => Ok(map.at(point)?.unwrap_or_default()),
        }
    }
}

/// The paths of the coordinates of a map; an offset has the empty one.
fn paths(map: &Map) -> Vec<Path> {
    map.codomain().iter().map(|axis| axis.name.path().unwrap_or_default()).collect()
}

/// The layout with its out dims in the order of the map's axes.
fn in_order(layout: &LinearLayout, map: &Map) -> Result<LinearLayout, Error> {
    let names: Vec<Name> = map.codomain().iter().map(|axis| axis.name).collect();
    layout.transpose_outs(&names)
}

/// Whether the text of a value is canonical, and that text, without what a map does not hold.
fn canonical(value: &Value, map: &Map, text: &str) -> Result<(bool, String), Error> {
    let sent = value.display(Ints::Cpp);
    Ok(match value {
        Value::Layout(layout) => (is_canonical(layout, map)?.unwrap_or(sent == text), sent),
        Value::Offset(slice) => {
            let is_determined = is_static(&slice.offset) && !slice.offset.is_zero();
            (is_canonical(&slice.layout, map)?.unwrap_or(sent == text) && is_determined, sent)
        }
        Value::Linear(layout) => (true, in_order(layout, map)?.to_string()),
        Value::Xla(_) => {
            let sent = bare(value.as_array()?).to_string();
            (sent == text, sent)
        }
        _ => (sent == text, sent),
    })
}

fn is_static(stride: &Stride) -> bool {
    stride.components().iter().all(|(_, factor)| factor.fixed().is_some())
}

/// Whether a layout is static and coalesced mode by mode, a single integer without brackets; one of no elements has strides
/// of 0. Where coalescing drops a coordinate, or no elements lead to coordinates, that does not say.
fn is_canonical(layout: &Layout, map: &Map) -> Result<Option<bool>, Error> {
    let is_static =
        layout.extents().iter().all(|extent| extent.fixed().is_some()) && layout.strides().iter().all(is_static);
    let modes = match layout.root().is_leaf() {
        true => Tuple::leaf(1i64),
        false => Tuple::flat(&vec![1i64; layout.rank()]),
    };
    let bracketed = layout.depth() == 1 && layout.rank() == 1;
    let is_determined = map.size()? > 0 || layout.strides().iter().all(Stride::is_zero);
    let coalesced = coalesce_by(layout, &modes)?;
    let leads_to_all = Map::of_layout(&coalesced)?.codomain().len() == map.codomain().len();
    let coordinates = map.codomain().iter().any(|axis| axis.name.path().is_some());
    Ok((leads_to_all && (is_determined || !coordinates))
        .then_some(is_static && is_determined && !bracketed && coalesced == *layout))
}

/// An array with nothing but what a map holds: dims, their order and tiles.
fn bare(array: Array) -> Array {
    let dims = array.dims.iter().map(|dim| match dim {
        Dim::Bounded(most) => Dim::Static(*most),
        dim => *dim,
    });
    let layout = TiledLayout { tiles: array.layout.tiles, ..TiledLayout::ordered(array.layout.minor_to_major) };
    Array { dims: dims.collect(), layout, element: array.element }
}

/// Whether what came back has more tiles, swizzled bits or leaves than what was sent.
fn longer(value: &Value, again: &Value) -> Result<bool, Error> {
    if let Value::Xla(_) = value {
        let [here, there] = [value.as_array()?, again.as_array()?].map(|array| array.layout.tiles);
        let merges = here.iter().any(|tile| tile.0.contains(&TileDim::Combine));
        let length = |tiles: &[Tile]| (tiles.len(), tiles.iter().map(|tile| tile.0.len()).sum::<usize>());
        // Padding at the tail is a tile to a map.
        let tail = value.as_array()?.layout.tail_padding > 1;
        return Ok(!merges && !tail && length(&there) > length(&here));
    }
    let length = |value: &Value| {
        let function = value.as_function()?;
        Ok::<_, Error>((bits(&function), function.domain()?.extents().len()))
    };
    Ok(matches!(value, Value::Function(_)) && length(again)? > length(value)?)
}

/// How many bits the swizzles of a function xor.
fn bits(function: &Function) -> u32 {
    match function {
        Function::Layout(_) | Function::Offset(_) => 0,
        Function::Swizzle(swizzle) => swizzle.bits(),
        Function::Bytes(bytes) => bytes.swizzle().bits(),
        Function::Composed(composed) => bits(&composed.outer) + bits(&composed.inner),
    }
}

#[cfg(test)]
mod tests {
    use bitstride_lang::evaluate;

    use super::*;

    fn value(text: &str) -> Value {
        evaluate(text).expect("is a layout").value
    }

    fn returned(sent: &str, again: &str) -> Trip {
        let (sent, again) = (value(sent), value(again));
        let map = sent.as_map().expect("has a map");
        super::returned(&sent, &map, &again).expect("is small")
    }

    fn held(canonical: bool, same_text: bool) -> Trip {
        Trip::Held { canonical, same_text, longer: false, coordinates: false }
    }

    fn coordinates(canonical: bool, same_text: bool) -> Trip {
        Trip::Held { canonical, same_text, longer: false, coordinates: true }
    }

    #[test]
    fn layouts_come_back() {
        for (text, wanted) in [
            ("(4,8):(8,1)", held(true, true)),
            ("((2,2),8):((1,2),4)", held(false, false)),
            ("(4):(1)", held(false, false)),
            ("(4,8):(8,1) + 3", held(true, true)),
            ("Sw<3,3,3> o 0 o (8,64):(64,1)", held(true, true)),
            ("(8,64):(^72,^1)", held(true, true)),
            ("linear<{lane=[[1,0]], register=[[0,1]]}, out=[dim1:2, dim0:2]>", held(true, true)),
            ("f32[16,256]{1,0:T(8,128)S(1)}", held(true, true)),
            ("f32[16,256]{1,0:T(4,128)(4,128)}", held(false, false)),
            ("(4,8):(1@0,1@1)", coordinates(true, true)),
            ("((2,2),3):((1@0,2@1),1@0+1@1)", coordinates(true, true)),
            ("((2,2),8):((1@0@1,2@0@1),-1@1@1)", coordinates(false, false)),
            ("(4,8):(1@0,1@1) + (0,3)", coordinates(true, true)),
            // Coordinates that only modes of extent 1 name are kept.
            ("(1,4):(1@0,1@1)", coordinates(true, true)),
            ("(1,4):(0,1@1)", coordinates(true, true)),
            ("(4,3,1):(1@2,1@1,1@0)", coordinates(true, true)),
            ("(1,1):(1@0,1@1)", coordinates(true, true)),
            ("((2,9,1),(2,1,1)):((1@0,1@1,0),(2@0,0,1@2))", coordinates(false, false)),
            ("(0,4):(1@0,1@1)", coordinates(true, true)),
            ("(?,8):(1,4)", Trip::NotStatic),
        ] {
            assert_eq!(trip(&value(text)), wanted, "{text}");
        }
        assert!(matches!(trip(&value("f32[3,5]{5,0}")), Trip::Refused("invalid-layout", _)));
    }

    #[test]
    fn what_comes_back_as_something_else_is_found() {
        assert_eq!(returned("(4,8):(8,1)", "(4,8):(8,1)"), held(true, true));
        for (sent, again) in [
            ("(4,8):(8,1)", "(4,8):(8,2)"),
            ("(1,8):(1@0,1@1)", "(1,8):(1@2,1@1)"),
            ("(4,8):(8,1)", "((2,2),8):((8,16),1)"),
            ("((2,2),8):((8,16),1)", "((2,2),8):((8,16),1)"),
            ("Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<2,3,3> o 0 o (8,64):(64,1)"),
            ("f32[3,5]{1,0:T(2,2)}", "f32[3,5]{1,0:T(2,1)}"),
        ] {
            assert!(matches!(returned(sent, again), Trip::Broken(_)), "{sent} as {again}");
        }
    }
}
