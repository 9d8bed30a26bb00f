//! The operations that hold for layouts of every family, through their [`Map`].

use super::mapped::{at, held, in_tile, in_units, mapped, tagged, tensor, tv};
use super::numbers::{number, numbers, tuple, whole};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    ANY, AXIS, ELEMENT_BITS, FIRST_OFFSET, LAYOUT, LEFT_ANY, PLACE, POINT, POINT_ORDER, RIGHT_ANY, SHAPE, STRIDES, TAG,
    TILE_SHAPE,
};
use super::value::Value;
use bitstride::cute::Offset;
use bitstride::map::{Map, Order, Unit, Verdict};
use bitstride::{Code, Error, Int, Stride, error};

constructor!(maps, Maps);

/// Comparing layouts, and one layout as another.
pub(super) const COMPARING: &[Operation] = &[
    maps(
        "same",
        &[LEFT_ANY, RIGHT_ANY],
        "whether two layouts put the same elements at the same places, or the first that they do not",
        "same(f32[16,256]{1,0:T(8,128)}, ((8,2),(128,2)):((128,2048),(1,1024)))",
        |v, notes| {
            if let Some(verdict) = super::symbolic::same(arg(v, 0)?, arg(v, 1)?, notes)? {
                return Ok(Value::Verdict(Box::new(verdict)));
            }
            if let Some(verdict) = super::sharding::same(arg(v, 0)?, arg(v, 1)?, notes)? {
                return Ok(Value::Verdict(Box::new(verdict)));
            }
            let verdict = compared(arg(v, 0)?, arg(v, 1)?, notes)?;
            notes.push(format!("compared: {}", verdict.alignment));
            notes.extend(verdict.by.map(|by| by.to_string()));
            Ok(Value::Verdict(Box::new(verdict)))
        },
    ),
    maps(
        "diff",
        &[LEFT_ANY, RIGHT_ANY],
        "how many elements lie elsewhere, between which coordinates, and the first of them",
        "diff(f32[4,4]{1,0:T(2,2)}, f32[4,4]{1,0})",
        |v, notes| {
            if let Some(verdict) = super::sharding::same(arg(v, 0)?, arg(v, 1)?, notes)? {
                return Ok(Value::Verdict(Box::new(verdict)));
            }
            let (mut left, mut right) = (map(v, 0)?, map(v, 1)?);
            // A map from places that has no inverse in digits is compared as it stands.
            if left.direction() != right.direction()
                && let Ok(both) = left.aligned(&right).map(|both| both.map(std::borrow::Cow::into_owned))
            {
                [left, right] = both;
            }
            let mut verdict = left.same(&right)?;
            notes.push(format!("compared: {}", verdict.alignment));
            if verdict.by.is_some() && !verdict.holds() {
                verdict.differences = Some(left.differences(&right)?);
            }
            Ok(Value::Verdict(Box::new(verdict)))
        },
    ),
    maps(
        "at",
        &[ANY, POINT],
        "what a coordinate, or the number of an element in X's own order, leads to: a place, or the element at a place",
        "at(tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>, \
         (2,5,0,0))",
        |v, notes| at(arg(v, 0)?, arg(v, 1)?, notes),
    ),
    maps(
        "tv",
        &[LAYOUT, TILE_SHAPE],
        "a layout of threads and values into the flat index of a tile of this shape, the first dim the fastest",
        "tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))",
        |v, _| tv(arg(v, 0)?, arg(v, 1)?),
    ),
    super::convert::CONVERT,
    super::fit::FIT,
    super::affine::AFFINE,
    super::subslice::SUBSLICE,
];

/// What is true of one map, and the maps that other systems' words say.
pub(super) const MAPS: &[Operation] = &[
    maps(
        "inverse",
        &[ANY],
        "from places to elements, padding where there is none; of a layout of CuTe the layout to column-major indices, where it is one",
        "inverse((64,8):(1,72))",
        |v, _| super::inverse::inverse(arg(v, 0)?),
    ),
    maps(
        "is_bijective",
        &[ANY],
        "whether every place has exactly one element",
        "is_bijective(f32[16,256]{1,0:T(8,128)})",
        |v, notes| {
            let map = held(&map(v, 0)?);
            let is_bijective = map.is_bijective()?;
            if !is_bijective {
                notes.extend(map.why_not_bijective()?);
            }
            Ok(is_bijective.into())
        },
    ),
    maps(
        "holes",
        &[ANY],
        "how many places are reached by none, up to the last one that is",
        "holes((64,8):(1,72))",
        |v, notes| {
            let image = held(&map(v, 0)?).image()?;
            notes.push(format!("{} places are reached, {}", image.size, image.by));
            notes.extend(image.first_hole.map(|hole| format!("the first that is not: {}", tuple(&hole))));
            Ok(whole(image.holes))
        },
    ),
    maps("preimages", &[ANY, PLACE], "all points that lead to a place", "preimages((4,8):(0,1), 3)", |v, _| {
        Ok(map(v, 0)?.preimages(&numbers(arg(v, 1)?)?)?.iter().map(|point| tuple(point)).collect::<Vec<_>>().into())
    }),
    maps(
        "contiguity",
        &[ANY, AXIS],
        "how many neighbours along an axis stay neighbours, and the widest aligned vector of them",
        "contiguity((64,8):(1,72), 0)",
        |v, _| {
            let along = map(v, 0)?.contiguity(arg(v, 1)?.as_index()?, 0)?;
            Ok(tuple(&[along.run, along.aligned]))
        },
    ),
    maps(
        "cycles",
        &[ANY],
        "a permutation: after how many times it is the identity, how many cycles it has, how many points stay",
        "cycles((4,8):(8,1))",
        |v, _| {
            let cycles = map(v, 0)?.cycles()?;
            Ok(tuple(&[cycles.order, cycles.count, cycles.fixed]))
        },
    ),
    maps(
        "tensor",
        &[SHAPE, STRIDES, FIRST_OFFSET.optional()],
        "a tensor in memory by its strides in elements, as NumPy and PyTorch have them: tensor(shape, strides, offset)",
        "tensor((3,5), (5,1))",
        |v, _| {
            let offset = if v.len() > 2 { number(v, 2)? } else { 0 };
            let (sizes, strides) = (arg(v, 0)?, arg(v, 1)?);
            match numbers(sizes).and_then(|sizes| Ok((sizes, numbers(strides)?))) {
                Ok((sizes, strides)) => tensor(&sizes, &strides, offset),
                // With integers that are not known: as CuTe has it, one mode a dim.
                Err(error) if error.code() == Code::MissingFact => {
                    let layout = format!("{sizes}:{strides}").parse()?;
                    Ok(match offset {
                        0 => Value::Layout(layout),
                        _ => Value::Offset(Offset { layout, offset: Stride::from(Int::from(offset)) }),
                    })
                }
                Err(error) => Err(error),
            }
        },
    ),
    maps(
        "tag",
        &[TAG, SHAPE],
        "a blocked format of oneDNN for dims of these extents",
        "tag(nChw16c, (8,64,14,14))",
        |v, _| {
            let shape = numbers(arg(v, 1)?)?;
            // A tag that begins with a capital is read as an unknown integer of that name.
            let tag = match arg(v, 0)? {
                Value::Name(name) => name.to_string(),
                word => word.as_int()?.to_string(),
            };
            tagged(&tag, &shape)
        },
    ),
    maps(
        "bytes",
        &[ANY, ELEMENT_BITS],
        "places counted in bytes, where an element has element_bits bits",
        "bytes(f32[3,5]{1,0:T(2,2)}, 32)",
        |v, _| {
            let bits = number(v, 1)?;
            if bits % 8 != 0 {
                return Err(error!(Code::NotDivisible, "elements of {bits} bits are no whole bytes", [bits])
                    .with_help(format!("count bits: bits(X, {bits})")));
            }
            in_units(arg(v, 0)?, bits, Unit::Byte)
        },
    ),
    maps(
        "bits",
        &[ANY, ELEMENT_BITS],
        "places counted in bits, where an element has element_bits bits",
        "bits((8,4):(1,8), 4)",
        |v, _| in_units(arg(v, 0)?, number(v, 1)?, Unit::Bit),
    ),
    maps(
        "reshape",
        &[ANY, SHAPE, POINT_ORDER.optional()],
        "the tensor read in another shape: elements keep their numbers in X's own order, or in the order that is named, row or column",
        "reshape(f32[4,6]{1,0}, (8,3))",
        |v, notes| {
            let (map, shape) = (map(v, 0)?, numbers(arg(v, 1)?)?);
            let named = v.get(2).map(order).transpose()?;
            let order = named.unwrap_or_else(|| map.order());
            notes.push(format!("elements are numbered {order}"));
            let last = named.map(|order| format!(", {}", order.word())).unwrap_or_default();
            mapped(map.reshaped(&shape, order)?, format!("reshape({}, {}{last})", arg(v, 0)?, tuple(&shape)))
        },
    ),
];

/// The order that a word names.
fn order(word: &Value) -> Result<Order, Error> {
    let name = word.as_name().map_err(|error| error.with_help("the order is row or column"))?;
    Order::of_word(name.as_str()).ok_or_else(|| {
        error!(Code::Parameter, "`{name}` names no order of elements", [name]).with_help("the order is row or column")
    })
}

/// Whether two layouts are the same.
fn compared(a: &Value, b: &Value, notes: &mut Vec<String>) -> Result<Verdict, Error> {
    let (in_left, in_right) = (in_tile(a, b), in_tile(b, a));
    if let Some(read) = in_left.as_ref().or(in_right.as_ref()) {
        notes.push(format!("read as threads and values of the tile: {read}"));
    }
    in_left.as_ref().unwrap_or(a).as_map()?.same(&in_right.as_ref().unwrap_or(b).as_map()?)
}

fn map(values: &[Value], at: usize) -> Result<Map, Error> {
    arg(values, at)?.as_map()
}
