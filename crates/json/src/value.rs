//! The structure of a value as JSON, which no spelling changes.

use bitstride::cute::{Function, Tiler};
use bitstride::linear::{LinearLayout, Name};
use bitstride::map::{Axis, Difference, Stage, Verdict};
use bitstride::xla::{Dim, Shape, Tile, TileDim};
use bitstride::{Int, Layout, Stride, Tuple};
use bitstride_lang::{Entry, Offsets, Value};
use serde_json::{Map, Value as Json, json};

/// The structure of a value, for the kinds that have one.
pub(crate) fn data(value: &Value) -> Option<Json> {
    match value {
        Value::Tuple(whole) => Some(tuple(whole, &|entry| match entry {
            Entry::Number(number) => stride(number),
            Entry::Keep => "_".into(),
        })),
        Value::Bool(truth) => Some((*truth).into()),
        Value::Layout(whole) => Some(layout(whole)),
        Value::Offset(slice) => Some(offsets(slice)),
        Value::Function(whole) => Some(function(whole)),
        Value::Tiler(whole) => Some(tiler(whole)),
        Value::List(values) => Some(values.iter().map(|value| data(value).unwrap_or_default()).collect()),
        Value::Linear(layout) => Some(linear(layout)),
        Value::Xla(shape) => xla(shape),
        Value::Map(mapped) => Some(map(&mapped.map)),
        Value::Verdict(whole) => Some(verdict(whole)),
        Value::Instruction(whole) => {
            let part = |part: &str| Some((part.to_owned(), data(&whole.part(part).ok()?)?));
            Some(Json::Object(whole.parts().into_iter().filter_map(part).collect()))
        }
        // A text, a name, an affine map, an encoding and a bare layout are their texts.
        _ => None,
    }
}

/// The axes on both sides, and the stages between.
fn map(map: &bitstride::map::Map) -> Json {
    let axes = |axes: &[Axis]| {
        let axis = |axis: &Axis| json!([axis.name.as_str(), axis.extent, axis.unit.to_string()]);
        axes.iter().map(axis).collect::<Vec<_>>()
    };
    let stages = map.stages().iter().map(|stage| match stage {
        Stage::Delinearise { at, radices } => json!({"stage": "split", "at": at, "radices": radices}),
        Stage::Linearise { at, count, sums } => json!({"stage": "join", "at": at, "count": count, "sums": sums}),
        Stage::Xor { at, ins, outs, columns, flip } => {
            json!({"stage": "xor", "at": at, "ins": ins, "outs": outs, "columns": columns, "flip": flip})
        }
        Stage::Permute(order) => json!({"stage": "permute", "order": order}),
        Stage::Guard { at, extent } => json!({"stage": "guard", "at": at, "extent": extent}),
    });
    json!({"domain": axes(map.domain()), "codomain": axes(map.codomain()), "stages": stages.collect::<Vec<_>>()})
}

/// Whether both are the same, how that is known, and what differs first.
fn verdict(verdict: &Verdict) -> Json {
    let mut object = Map::new();
    object.insert("same".into(), verdict.holds().into());
    object.insert("alignment".into(), verdict.alignment.as_str().into());
    if let Some(by) = &verdict.by {
        object.insert("certificate".into(), by.to_string().into());
    }
    let texts = |names: &[Name]| names.iter().map(|name| Json::from(name.as_str())).collect::<Json>();
    let witness = match &verdict.difference {
        Some(Difference::Point { from, point, to, places }) => {
            json!({"axes": [texts(from), texts(to)], "point": point, "places": places})
        }
        Some(Difference::Element { dims, element, parts, place, holds, .. }) => {
            json!({"axes": [texts(dims), texts(parts)], "element": element, "place": place, "holds": holds})
        }
        Some(Difference::Place { parts, place, dims, element, elsewhere, .. }) => {
            json!({"axes": [texts(parts), texts(dims)], "place": place, "element": element, "elsewhere": elsewhere})
        }
        // The sentence stands beside the numbers, as it did alone.
        Some(difference @ Difference::Dims { dims }) => {
            let axis = |axis: &Axis| json!([axis.name.as_str(), axis.extent]);
            let dims: Vec<Vec<Json>> = dims.iter().map(|axes| axes.iter().map(axis).collect()).collect();
            json!({"extents": difference.to_string(), "dims": dims})
        }
        Some(difference @ Difference::Places { extents, copies }) => {
            let places: Vec<Json> = extents.iter().map(|(name, both)| json!([name.as_str(), both])).collect();
            json!({"extents": difference.to_string(), "places": places, "copies": copies})
        }
        Some(Difference::Words(words)) => json!({"extents": words}),
        None => json!({}),
    };
    if let Json::Object(witness) = witness {
        object.extend(witness);
    }
    if let Some(differences) = &verdict.differences {
        object.insert("differing".into(), json!([differences.differing, differences.points]));
    }
    Json::Object(object)
}

/// The bases of each in dim and the sizes of the out dims, in order.
fn linear(layout: &LinearLayout) -> Json {
    let bases: Vec<Json> = layout
        .by_in_dim()
        .map(|(dim, columns)| {
            let bases: Vec<Vec<i64>> = columns.iter().map(|column| layout.unpack(*column).to_vec()).collect();
            json!([dim.name.as_str(), bases])
        })
        .collect();
    let outs: Vec<Json> = layout.outs().iter().map(|dim| json!([dim.name.as_str(), dim.size()])).collect();
    json!({ "bases": bases, "outs": outs })
}

/// What a shape says, without the fields that say nothing; a tuple is an array of its parts.
fn xla(shape: &Shape) -> Option<Json> {
    let array = match shape {
        Shape::Array(array) | Shape::Buffer(array) => array,
        Shape::Tuple(shapes) => return Some(shapes.iter().map(|shape| xla(shape).unwrap_or_default()).collect()),
        Shape::Token | Shape::Opaque => return None,
    };
    let extent = |dim: &Dim| -> Json {
        match dim {
            Dim::Static(extent) => (*extent).into(),
            Dim::Bounded(extent) => format!("<={extent}").into(),
            Dim::Unbounded => "?".into(),
        }
    };
    let tile = |tile: &Tile| {
        let extents = tile.0.iter().map(|extent| match extent {
            TileDim::Size(extent) => Json::from(*extent),
            TileDim::Combine => "*".into(),
        });
        extents.collect::<Json>()
    };
    let layout = &array.layout;
    let mut object = Map::new();
    object.insert("element".into(), array.element.name().into());
    object.insert("dims".into(), array.dims.iter().map(extent).collect::<Json>());
    object.insert("minor_to_major".into(), json!(layout.minor_to_major));
    object.insert("tiles".into(), layout.tiles.iter().map(tile).collect::<Json>());
    object.insert("element_bits".into(), array.element_bits().into());
    for (name, value, silent) in [
        ("tail_padding", layout.tail_padding, 1),
        ("memory_space", layout.memory_space, 0),
        ("metadata_prefix_bytes", layout.metadata_prefix, 0),
    ] {
        if value != silent {
            object.insert(name.into(), value.into());
        }
    }
    if !layout.splits.is_empty() {
        let splits = layout.splits.iter().map(|split| json!({"dim": split.dim, "indices": split.indices}));
        object.insert("splits".into(), splits.collect());
    }
    Some(Json::Object(object))
}

fn tuple<T: Clone + Default>(whole: &Tuple<T>, leaf: &dyn Fn(&T) -> Json) -> Json {
    match whole.as_leaf() {
        Some(only) => leaf(only),
        None => whole.entries().iter().map(|entry| tuple(entry, leaf)).collect(),
    }
}

fn int(n: &Int) -> Json {
    match n {
        Int::Static(n) => (*n).into(),
        _ => n.to_string().into(),
    }
}

fn stride(whole: &Stride) -> Json {
    match whole {
        Stride::Int(n) => int(n),
        Stride::Basis(_) => whole.to_string().into(),
    }
}

fn layout(whole: &Layout) -> Json {
    json!({"shape": tuple(&whole.shape(), &int), "stride": tuple(&whole.stride(), &stride)})
}

fn offsets(slice: &Offsets) -> Json {
    let mut object = layout(&slice.layout);
    if let Some(object) = object.as_object_mut() {
        object.insert("offset".into(), tuple(&slice.offset.to_coordinate(), &int));
    }
    object
}

fn function(whole: &Function) -> Json {
    match whole {
        Function::Layout(inner) => layout(inner),
        Function::Offset(slice) => offsets(slice),
        Function::Swizzle(swizzle) => {
            json!({"bits": swizzle.bits(), "base": swizzle.base(), "shift": swizzle.shift()})
        }
        Function::Bytes(bytes) => {
            json!({"swizzle": function(&Function::Swizzle(bytes.swizzle())), "element_bits": bytes.bits()})
        }
        Function::Composed(parts) => {
            json!({"outer": function(&parts.outer), "offset": int(&parts.offset), "inner": function(&parts.inner)})
        }
    }
}

fn tiler(whole: &Tiler) -> Json {
    match whole {
        Tiler::Layout(mode) => layout(mode),
        Tiler::Extent(n) => int(n),
        Tiler::Keep => "_".into(),
        Tiler::Modes(modes) => modes.iter().map(tiler).collect(),
    }
}
