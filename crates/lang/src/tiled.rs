//! The operations on XLA's tiled arrays, under the names that XLA gives them where it has any.

use super::numbers::{number, numbers, tuple, whole};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    ARRAY, ARRAY_DIMS, ARRAY_INDEX, ARRAY_LAYOUT, ARRAY_OR_ANY, DIMS_BEFORE, FROM_DIM, FROM_DIMS, LEFT_ARRAY, NEW_DIMS,
    OFFSET, PERMUTATION, PERMUTATION_OF_DIMS, PERMUTATION_OF_FIRST, RIGHT_ARRAY, TO_DIM, TO_DIMS,
};
use super::value::Value;
use bitstride::linear::Name;
use bitstride::map::{Map, Order};
use bitstride::xla::mosaic::{self, MemRef, VectorLayout};
use bitstride::xla::{self, Array, BareLayout, Bitcast, Digit, Image, JaxLayout, Place, Sameness, Shape};
use bitstride::{Code, Error, error};

constructor!(tiled, Tiled);

pub(super) const TILED: &[Operation] = &[
    tiled(
        "linear_index",
        &[ARRAY, ARRAY_INDEX],
        "the offset of an index in elements, all tiles included",
        "linear_index(f32[3,5]{1,0:T(2,2)}, (2,3))",
        |v, _| Ok(whole(image(v, 0)?.offset(&numbers(arg(v, 1)?)?)?)),
    ),
    tiled(
        "index_at",
        &[ARRAY, OFFSET],
        "the index of the element at an offset, or the word padding",
        "index_at(f32[3,5]{1,0:T(2,2)}, 17)",
        |v, _| match image(v, 0)?.place(number(v, 1)?)? {
            Place::Element(index) => Ok(tuple(&index)),
            Place::Padding => Ok(Value::Text("padding".to_owned())),
        },
    ),
    tiled(
        "tiled_index",
        &[ARRAY, ARRAY_INDEX],
        "the coordinates of an index after all tiles",
        "tiled_index(f32[3,5]{1,0:T(2,2)}, (2,3))",
        |v, _| {
            let walk = image(v, 0)?.walk(&numbers(arg(v, 1)?)?)?;
            Ok(tuple(walk.last().map_or(&[][..], |last| last)))
        },
    ),
    tiled(
        "physical_dims",
        &[ARRAY],
        "the extents in the order of memory, before any tile",
        "physical_dims(f32[3,5]{0,1:T(2,2)})",
        |v, _| Ok(tuple(&image(v, 0)?.physical_dims())),
    ),
    tiled(
        "tiled_dims",
        &[ARRAY],
        "the extents after all tiles, the last the fastest",
        "tiled_dims(bf16[16,256]{1,0:T(8,128)(2,1)})",
        |v, _| Ok(tuple(image(v, 0)?.tiled_dims())),
    ),
    tiled(
        "padded_size",
        &[ARRAY],
        "the number of places: elements and padding",
        "padded_size(f32[3,5]{1,0:T(2,2)})",
        |v, _| Ok(whole(image(v, 0)?.size())),
    ),
    tiled(
        "byte_size",
        &[ARRAY],
        "the bytes of all places",
        "byte_size(bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)})",
        |v, _| Ok(whole(image(v, 0)?.bytes()?)),
    ),
    tiled(
        "element_strides",
        &[ARRAY],
        "how far apart neighbours along each dim lie, in elements",
        "element_strides(f32[3,5]{0,1})",
        |v, _| Ok(tuple(&array(v, 0)?.element_strides()?)),
    ),
    tiled("byte_strides", &[ARRAY], "the same in bytes", "byte_strides(bf16[4,16]{1,0})", |v, _| {
        Ok(tuple(&array(v, 0)?.byte_strides()?))
    }),
    tiled(
        "digits",
        &[ARRAY],
        "(dim, weight, radix, stride) of each digit: the offset is the sum of stride * ((index of dim / weight) mod radix)",
        "digits(bf16[16,256]{1,0:T(8,128)(2,1)})",
        |v, _| {
            let carries =
                || Error::new(Code::NotALayout, "merged dims carry into each other: the offset is no sum over dims");
            Ok(entries(&image(v, 0)?.digits().ok_or_else(carries)?))
        },
    ),
    tiled(
        "common_digits",
        &[LEFT_ARRAY, RIGHT_ARRAY],
        "runs of dims with as many elements in both, and (run, weight, radix, stride) of each digit of them in both",
        "common_digits(f32[4,6]{1,0}, f32[8,3]{0,1})",
        |v, _| {
            let no = |code, why: &str| Error::new(code, why.to_owned());
            let common = array(v, 0)?.common_digits(&array(v, 1)?)?;
            let common = common.ok_or_else(|| no(Code::NotBitcast, "not as many elements in both, or none"))?;
            let carries = "merged dims carry into each other: an offset is no sum over runs of dims";
            let [Some(left), Some(right)] = common.digits else { return Err(no(Code::NotALayout, carries)) };
            Ok(vec![tuple(&common.axes), entries(&left), entries(&right)].into())
        },
    ),
    tiled(
        "padding",
        &[ARRAY_OR_ANY],
        "what padding costs, which dim causes it, and which order of the dims would cost less; of any other layout how many of its places are reached",
        "padding(s32[8388608,8,4]{2,1,0:T(8,128)})",
        |v, _| match arg(v, 0)? {
            Value::Xla(Shape::Tuple(shapes)) => padding_of_all(shapes),
            Value::Xla(_) => Ok(Value::Text(array(v, 0)?.padding()?.to_string())),
            value => {
                let (map, image) = (value.as_map()?, value.as_map()?.image()?);
                let places =
                    image.size.checked_add(image.holes).ok_or_else(|| Error::overflow("the number of places"))?;
                Ok(Value::Text(share(map.size()?, image.size, places)))
            }
        },
    ),
    tiled(
        "describe_tiles",
        &[ARRAY],
        "the three equivalent pictures: index formula, tile decomposition, pad-reshape-transpose",
        "describe_tiles(f32[3,5]{1,0:T(2,2)})",
        |v, _| Ok(Value::Text(array(v, 0)?.describe()?.trim_end().to_owned())),
    ),
    tiled(
        "is_untiled",
        &[ARRAY],
        "whether the tiles change nothing",
        "is_untiled(f32[2,4]{0,1:T(*,4)(1,2)})",
        |v, _| Ok(array(v, 0)?.is_untiled()?.into()),
    ),
    tiled(
        "same_memory",
        &[LEFT_ARRAY, RIGHT_ARRAY],
        "whether each element, by row-major number, lies at the same offset in both, with as much padding",
        "same_memory(f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}, f32[112,110]{1,0:T(2,3)})",
        |v, notes| Ok(verdict(&array(v, 0)?.same_memory(&array(v, 1)?)?, notes)),
    ),
    tiled(
        "reshape_is_bitcast",
        &[LEFT_ARRAY, RIGHT_ARRAY],
        "whether a reshape moves nothing: same_memory, under XLA's name",
        "reshape_is_bitcast(f32[8,4,4]{2,1,0:T(8,8)(2,1)}, f32[8,4,4]{2,1,0})",
        |v, notes| Ok(verdict(&array(v, 0)?.same_memory(&array(v, 1)?)?, notes)),
    ),
    tiled(
        "transpose_is_bitcast",
        &[LEFT_ARRAY, RIGHT_ARRAY, PERMUTATION_OF_FIRST],
        "whether a transpose moves nothing; dim k of the second is dim dims[k] of the first",
        "transpose_is_bitcast(s8[1,4]{1,0}, s8[4,1]{1,0}, (1,0))",
        |v, notes| Ok(verdict(&array(v, 0)?.same_transposed(&array(v, 1)?, &numbers(arg(v, 2)?)?)?, notes)),
    ),
    tiled(
        "deduce_transpose",
        &[LEFT_ARRAY, RIGHT_ARRAY],
        "the dims of the transpose that a bitcast is",
        "deduce_transpose(f32[5,4]{1,0:T(4,8)(2,1)}, f32[4,5]{0,1:T(4,8)(2,1)})",
        |v, _| match array(v, 0)?.deduce_transpose(&array(v, 1)?)? {
            Some(dims) => Ok(tuple(&dims)),
            None => Err(Error::new(Code::NotBitcast, "no transpose of the first has the memory of the second")),
        },
    ),
    tiled(
        "decompose_bitcast",
        &[LEFT_ARRAY, RIGHT_ARRAY],
        "what a bitcast does: a reshape, a transpose, or transpose, reshape and transpose",
        "decompose_bitcast(f32[4,6]{0,1}, f32[8,3]{1,0})",
        |v, _| {
            let (transpose, reshape) = (Value::Name(Name::new("transpose")?), Value::Name(Name::new("reshape")?));
            Ok(Value::from(match array(v, 0)?.decompose_bitcast(&array(v, 1)?)? {
                Bitcast::Reshape => vec![reshape],
                Bitcast::Transpose(dims) => vec![transpose, tuple(&dims)],
                Bitcast::Both { first, transposed, reshaped, second } => vec![
                    transpose.clone(),
                    tuple(&first),
                    (*transposed).into(),
                    reshape,
                    (*reshaped).into(),
                    transpose,
                    tuple(&second),
                ],
            }))
        },
    ),
    tiled(
        "align_layouts",
        &[ARRAY, NEW_DIMS],
        "other dims in the same memory: the layout that makes the reshape free",
        "align_layouts(f32[4,6,2]{2,0,1}, (4,3,2,2))",
        |v, _| {
            let (array, dims) = (array(v, 0)?, dims(v, 1)?);
            // `align` tries the tiles of the array and none. Other tiles for the same memory are read from its map. That cannot
            // be a part of `align`, since `map` is built on `xla`. An array without tiles is given none.
            let is_tiled = !array.layout.tiles.is_empty();
            let array = array.align(&dims).or_else(|why| {
                if !is_tiled {
                    return Err(why);
                }
                let memory = Map::of_array(&array).and_then(|map| map.reshaped(&dims, Order::RowMajor));
                let other = memory.and_then(|map| map.to_array(array.element)).ok();
                other.filter(|other| array.same_memory(other).is_ok_and(|said| said.holds())).ok_or(why)
            })?;
            Ok(array.into())
        },
    ),
    tiled(
        "unmodified_dims",
        &[FROM_DIMS, TO_DIMS],
        "the pairs of dims that a reshape leaves as they are",
        "unmodified_dims((6,1,8,1), (6,1,1,8))",
        |v, _| {
            let pairs = xla::unmodified_dims(&dims(v, 0)?, &dims(v, 1)?);
            Ok(tuples(pairs.into_iter().map(|(from, to)| vec![from, to])))
        },
    ),
    tiled(
        "unit_dims",
        &[FROM_DIMS, TO_DIMS],
        "the dims of extent 1 that a reshape deletes, and those that it inserts",
        "unit_dims((2,1,3), (2,3,1))",
        |v, _| match xla::unit_dims(&dims(v, 0)?, &dims(v, 1)?) {
            Some((deleted, inserted)) => Ok(tuples([deleted, inserted].into_iter())),
            None => Err(error!(
                Code::NotBitcast,
                "the reshape does more than insert and delete dims of extent {unit}",
                [unit = 1]
            )),
        },
    ),
    tiled(
        "normalized_transpose",
        &[DIMS_BEFORE, PERMUTATION_OF_DIMS],
        "the same transpose with as few dims as say it: the extents of the result and the dims",
        "normalized_transpose((5,2,3,1,4), (3,0,4,1,2))",
        |v, _| {
            let (extents, order) = xla::normalized_transpose(&dims(v, 0)?, &numbers(arg(v, 1)?)?)?;
            Ok(tuples([extents, order].into_iter()))
        },
    ),
    tiled(
        "permute_dims",
        &[ARRAY, PERMUTATION],
        "the array whose dim k is dim dims[k], in the same memory",
        "permute_dims(f32[2,3,5]{2,1,0:T(2,4)}, (2,0,1))",
        |v, _| Ok(array(v, 0)?.permute_dims(&numbers(arg(v, 1)?)?)?.into()),
    ),
    tiled(
        "move_dim",
        &[ARRAY, FROM_DIM, TO_DIM],
        "the array with a dim at another number, in the same memory",
        "move_dim(f32[2,3,5]{2,1,0}, 2, 0)",
        |v, _| Ok(array(v, 0)?.move_dim(number(v, 1)?, number(v, 2)?)?.into()),
    ),
    tiled(
        "drop_dims",
        &[ARRAY, ARRAY_DIMS],
        "the array without some dims of extent 1, in the same memory",
        "drop_dims(f32[1,256]{1,0:T(8,128)}, 0)",
        |v, _| Ok(array(v, 0)?.drop_dims(&numbers(arg(v, 1)?)?)?.into()),
    ),
    tiled(
        "drop_unit_dims",
        &[ARRAY],
        "the array without the dims of extent 1 that can be dropped, in the same memory",
        "drop_unit_dims(f32[1,3,1,5]{3,2,1,0:T(2,2)})",
        |v, _| Ok(array(v, 0)?.drop_unit_dims()?.into()),
    ),
    tiled(
        "without_layout",
        &[ARRAY],
        "the shape alone, which stands for its row-major layout",
        "without_layout(f32[3,5]{0,1:T(2,2)})",
        |v, _| Ok(Value::Text(arg(v, 0)?.as_xla()?.without_layout())),
    ),
    tiled(
        "with_layout",
        &[ARRAY, ARRAY_LAYOUT],
        "the same dims and elements in another layout, as XLA or JAX writes it; in vector registers as Mosaic writes it",
        "with_layout(bf16[16,256], Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1))))",
        |v, notes| {
            let (array, layout) = (array(v, 0)?, arg(v, 1)?.as_bare_layout()?);
            if let BareLayout::Vector(layout) = layout {
                return in_registers(&array, &layout, notes);
            }
            let (array, said) = array.with_layout(&layout)?;
            notes.extend(said);
            Ok(array.into())
        },
    ),
    tiled(
        "to_jax",
        &[ARRAY],
        "the layout of an array as JAX writes it",
        "to_jax(bf16[16,256]{1,0:T(8,128)(2,1)})",
        |v, notes| {
            let (layout, said) = JaxLayout::of_array(&array(v, 0)?)?;
            notes.extend(said);
            Ok(BareLayout::Jax(layout).into())
        },
    ),
    tiled(
        "to_mosaic",
        &[ARRAY],
        "the array as Mosaic writes it, with strides in tiles",
        "to_mosaic(bf16[16,256]{1,0:T(8,128)(2,1)})",
        |v, notes| {
            let (memref, said) = MemRef::of_array(&array(v, 0)?)?;
            notes.extend(said);
            Ok(Value::Text(memref.to_string()))
        },
    ),
    tiled(
        "affine_map",
        &[ARRAY],
        "the affine map from an index to the offset in elements, as Mosaic prints it",
        "affine_map(bf16[16,256]{1,0:T(8,128)(2,1)})",
        |v, _| mosaic::affine_map(&array(v, 0)?).map(Value::Text),
    ),
    tiled(
        "is_valid",
        &[ARRAY],
        "true, or the reason why a shape that XLA reads has no meaning",
        "is_valid(f32[3,5]{1,0:T(8,128)})",
        |v, _| arg(v, 0)?.as_xla()?.check_meaning().map(|()| true.into()),
    ),
];

/// A value in vector registers, as a map; what the layout says beside it is noted.
fn in_registers(array: &Array, layout: &VectorLayout, notes: &mut Vec<String>) -> Result<Value, Error> {
    let map = Map::of_vector(layout, array)?;
    if array.element.name() == "pred" {
        notes.push(format!("a mask: each truth value fills a slot of {} bits", layout.bits));
    }
    for (dim, (axis, extent)) in map.index_axes().iter().zip(array.bounds()?.iter()).enumerate() {
        if axis.extent != *extent {
            notes.push(format!("along dim {dim} all {extent} elements have one value, by `*`: the map has it once"));
        }
    }
    notes.push(format!("where it lies: {map}"));
    super::mapped::mapped(map, format!("with_layout({}, {layout})", array.without_layout()))
}

/// How many of the places are reached; several elements may share one.
fn share(elements: i64, reached: i64, places: i64) -> String {
    let times = match i128::from(places) * 100 / i128::from(reached.max(1)) {
        _ if reached == places => "no padding".to_owned(),
        hundredths => format!("{}.{:02} times", hundredths / 100, hundredths % 100),
    };
    match elements == reached {
        true => format!("{elements} elements in {places} places, {times}"),
        false => format!("{elements} elements share {reached} of {places} places, {times}"),
    }
}

/// The padding of each array of a tuple, and of all together.
fn padding_of_all(shapes: &[Shape]) -> Result<Value, Error> {
    let (mut lines, mut size, mut bytes, mut unpadded) = (Vec::new(), 0_i64, 0_i64, 0_i64);
    let mut waiting: Vec<&Shape> = shapes.iter().rev().collect();
    while let Some(shape) = waiting.pop() {
        match shape {
            Shape::Tuple(shapes) => waiting.extend(shapes.iter().rev()),
            Shape::Array(array) | Shape::Buffer(array) => {
                let padding = array.padding()?;
                lines.push(format!("{array}: {padding}"));
                let add =
                    |sum: i64, more: i64| sum.checked_add(more).ok_or_else(|| Error::overflow("the bytes of a tuple"));
                size = add(size, padding.size)?;
                bytes = add(bytes, padding.bytes)?;
                unpadded = add(unpadded, padding.unpadded_bytes)?;
            }
            Shape::Token | Shape::Opaque => {}
        }
    }
    lines.push(format!("in all: {size} places, {bytes} bytes for {unpadded} bytes of elements"));
    Ok(Value::Text(lines.join("\n")))
}

fn array(values: &[Value], at: usize) -> Result<Array, Error> {
    arg(values, at)?.as_array()
}

fn image(values: &[Value], at: usize) -> Result<Image, Error> {
    Image::of(&array(values, at)?)
}

/// The extents of an array, or those of a tuple.
fn dims(values: &[Value], at: usize) -> Result<Vec<i64>, Error> {
    match arg(values, at)? {
        Value::Xla(_) => Ok(array(values, at)?.bounds()?.to_vec()),
        value => numbers(value),
    }
}

fn tuples(entries: impl Iterator<Item = Vec<i64>>) -> Value {
    entries.map(|entry| tuple(&entry)).collect::<Vec<_>>().into()
}

/// The numbers of each digit.
fn entries(digits: &[Digit]) -> Value {
    let numbers = |digit: &Digit| vec![bitstride::cast::length(digit.axis), digit.weight, digit.radix, digit.stride];
    tuples(digits.iter().map(numbers))
}

/// Whether nothing differs, with what does.
fn verdict(sameness: &Sameness, notes: &mut Vec<String>) -> Value {
    if !sameness.holds() {
        notes.push(sameness.to_string());
    }
    sameness.holds().into()
}
