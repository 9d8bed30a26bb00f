//! The operations on tuples, shapes and coordinates.

use super::notes::beyond;
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    BEGIN, COMPARED_COORDINATE, COORDINATE, DIVISOR, END, FROM_SHAPE, INDEX, LAYOUT, LED_TO, LEFT_INTEGER, LEFT_TUPLE,
    MODE, NESTING, OTHER_COORDINATE, POSITION, RANK, RIGHT_INTEGER, RIGHT_TUPLE, SHAPE, SHAPE_OR_LAYOUT, TILE,
    TO_SHAPE, UNIT_SHAPE,
};
use super::value::{Entry, Offsets, Value};
use bitstride::xla::Image;
use bitstride::{self, Tuple, error};
use bitstride::{Code, Error, Int, Integer, cute};

/// More values than this are not listed.
const MOST_LISTED: i64 = 1 << 16;

/// The largest rank that a tuple is brought to by copies of one mode.
const MOST_MODES: usize = 64;

constructor!(tuples, Tuples);

pub(super) const TUPLES: &[Operation] = &[
    tuples(
        "rank",
        &[SHAPE_OR_LAYOUT],
        "the number of top-level modes; of a linear layout, the dimension of its image",
        "rank(((2,4),(3,5)):((3,6),(1,24)))",
        |v, _| {
            let rank = match arg(v, 0)? {
                Value::Tuple(tuple) => tuple.rank(),
                Value::Linear(layout) => return Ok(Int::from(i64::from(layout.rank())).into()),
                Value::Xla(_) => arg(v, 0)?.as_array()?.dims.len(),
                other => other.as_function()?.domain()?.rank(),
            };
            Ok(count(rank))
        },
    ),
    tuples(
        "depth",
        &[SHAPE_OR_LAYOUT],
        "how deep the nesting goes; an integer has depth 0",
        "depth((2,(1,6)))",
        |v, _| {
            let depth = match arg(v, 0)? {
                Value::Tuple(tuple) => tuple.depth(),
                other => other.as_function()?.domain()?.depth(),
            };
            Ok(count(depth))
        },
    ),
    tuples(
        "size",
        &[SHAPE_OR_LAYOUT],
        "the product of the extents; of an instruction, of how many threads it is",
        "size((4,(2,4)))",
        |v, _| {
            let size = match arg(v, 0)? {
                Value::Instruction(whole) => Int::from(whole.threads()?),
                Value::Tuple(_) => arg(v, 0)?.as_shape()?.size()?,
                Value::Xla(_) => Int::from(Image::of(&arg(v, 0)?.as_array()?)?.elements()),
                other => other.as_function()?.domain()?.size()?,
            };
            Ok(size.into())
        },
    ),
    tuples("shape", &[SHAPE_OR_LAYOUT], "the shape of a layout, the dims of an array", "shape((4,8):(8,1))", |v, _| {
        match arg(v, 0)? {
            Value::Xla(_) => Ok(super::numbers::tuple(&arg(v, 0)?.as_array()?.bounds()?)),
            // A tensor by its strides, or an index expression.
            Value::Map(mapped) => {
                let extents: Vec<i64> = mapped.map.index_axes().iter().map(|axis| axis.extent).collect();
                Ok(super::numbers::tuple(&extents))
            }
            other => Ok(other.as_function()?.domain()?.shape().into()),
        }
    }),
    tuples("stride", &[SHAPE_OR_LAYOUT], "the stride of a layout", "stride((4,8):(8,1))", |v, notes| {
        if let Value::Map(mapped) = arg(v, 0)? {
            return Ok(super::numbers::tuple(&mapped.map.to_strides()?.1));
        }
        if let Value::Function(function) = arg(v, 0)? {
            notes.push(format!("the strides of {}, before what comes after it", function.domain()?));
        }
        Ok(arg(v, 0)?.as_function()?.domain()?.stride().into())
    }),
    tuples(
        "congruent",
        &[LEFT_TUPLE, RIGHT_TUPLE],
        "whether both are nested alike",
        "congruent((2,(1,6)), (0,(0,0)))",
        |v, _| Ok(bitstride::congruent(&nesting(arg(v, 0)?)?, &nesting(arg(v, 1)?)?).into()),
    ),
    tuples(
        "weakly_congruent",
        &[LEFT_TUPLE, RIGHT_TUPLE],
        "whether the second is the first with leaves replaced by tuples",
        "weakly_congruent((2,6), (2,(1,6)))",
        |v, _| Ok(bitstride::weakly_congruent(&nesting(arg(v, 0)?)?, &nesting(arg(v, 1)?)?).into()),
    ),
    tuples(
        "compatible",
        &[LEFT_TUPLE, RIGHT_TUPLE],
        "whether every coordinate of the first shape is one of the second",
        "compatible((4,3), ((2,2),3))",
        |v, _| Ok(bitstride::compatible(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "evenly_divides",
        &[SHAPE, TILE],
        "whether tiles of the second fill the first",
        "evenly_divides((6,8), (3,4))",
        |v, _| Ok(bitstride::evenly_divides(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "common_refinement",
        &[LEFT_TUPLE, RIGHT_TUPLE],
        "the coarsest shape both are compatible with",
        "common_refinement(((2,3),20), (6,(4,5)))",
        |v, _| Ok(bitstride::common_refinement(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "common_coarsening",
        &[LEFT_TUPLE, RIGHT_TUPLE],
        "the finest shape compatible with both",
        "common_coarsening((4,(3,5)), ((2,2),15))",
        |v, _| Ok(bitstride::common_coarsening(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "shape_div",
        &[SHAPE, DIVISOR],
        "division from the left: each leaf takes what it can",
        "shape_div((3,6,2,8), 9)",
        |v, _| Ok(bitstride::shape_div(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "shape_mod",
        &[SHAPE, DIVISOR],
        "what shape_div takes away: the first n elements",
        "shape_mod((3,6,2,8), 9)",
        |v, _| Ok(bitstride::shape_mod(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "ceil_div",
        &[SHAPE, DIVISOR],
        "division rounding up, leaf by leaf or from the left",
        "ceil_div((10,7), (4,2))",
        |v, _| Ok(bitstride::ceil_div(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "round_up",
        &[SHAPE, UNIT_SHAPE],
        "the least multiple of the unit that is no less, leaf by leaf",
        "round_up((10,7), (4,2))",
        |v, _| {
            let (shape, unit) = (shape(arg(v, 0)?)?, shape(arg(v, 1)?)?);
            if !unit.is_leaf() && !bitstride::congruent(&shape, &unit) {
                return Err(error!(Code::Profile, "{unit} is not nested as {shape}", [unit, shape]));
            }
            let mut units = unit.leaves().iter().cycle();
            let up = shape.try_map(|extent| match units.next() {
                Some(unit) => extent.ceil_div(unit)?.mul(unit),
                None => Ok(extent.clone()),
            })?;
            Ok(up.into())
        },
    ),
    tuples("product_each", &[SHAPE_OR_LAYOUT], "the size of each mode", "product_each(((2,3),4))", |v, _| {
        let shape = shape(arg(v, 0)?)?;
        if shape.is_leaf() {
            return Ok(shape.into());
        }
        let sizes = shape.entries().iter().map(Tuple::size).collect::<Result<Vec<Int>, Error>>()?;
        Ok(Tuple::flat(&sizes).into())
    }),
    tuples(
        "add",
        &[LEFT_INTEGER, RIGHT_INTEGER.repeated()],
        "the sum of integers, where `+` would be read as an offset",
        "add(M, 4)",
        |v, _| v.iter().try_fold(Int::from(0), |sum, n| sum.add(&n.as_int()?)).map(Value::from),
    ),
    tuples("div", &[LEFT_INTEGER, RIGHT_INTEGER], "division of integers, towards zero", "div(7, 2)", |v, _| {
        Ok(arg(v, 0)?.as_int()?.quotient(&arg(v, 1)?.as_int()?)?.into())
    }),
    tuples(
        "floor_div",
        &[LEFT_INTEGER, RIGHT_INTEGER],
        "division of integers, rounding down, as `//` of Python",
        "floor_div(-7, 2)",
        |v, _| Ok(arg(v, 0)?.as_int()?.floor_div(&arg(v, 1)?.as_int()?)?.into()),
    ),
    tuples("mod", &[LEFT_INTEGER, RIGHT_INTEGER], "the remainder of div", "mod(7, 2)", |v, _| {
        Ok(arg(v, 0)?.as_int()?.remainder(&arg(v, 1)?.as_int()?)?.into())
    }),
    tuples("min", &[LEFT_INTEGER, RIGHT_INTEGER], "the smaller of two extents", "min(7, 2)", |v, _| {
        Ok(Integer::min(&arg(v, 0)?.as_int()?, &arg(v, 1)?.as_int()?)?.into())
    }),
    tuples(
        "lex_less",
        &[COMPARED_COORDINATE, OTHER_COORDINATE],
        "lexicographic order: the leftmost difference decides",
        "lex_less((0,1), (1,0))",
        |v, _| Ok(bitstride::lex_less(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "colex_less",
        &[COMPARED_COORDINATE, OTHER_COORDINATE],
        "colexicographic order: the rightmost difference decides, as between column-major indices",
        "colex_less((1,0), (0,1))",
        |v, _| Ok(bitstride::colex_less(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples(
        "elem_less",
        &[COMPARED_COORDINATE, OTHER_COORDINATE],
        "whether every leaf is less: a coordinate within a shape",
        "elem_less((1,2), (2,3))",
        |v, _| Ok(bitstride::elem_less(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    tuples("flatten", &[SHAPE_OR_LAYOUT], "the same leaves without nesting", "flatten((2,(1,6)):(1,(6,2)))", |v, _| {
        Ok(match arg(v, 0)? {
            Value::Tuple(tuple) => Value::Tuple(tuple.flatten()),
            other => other.as_function()?.map_domain(&|layout| Ok(layout.flatten()))?.into(),
        })
    }),
    tuples(
        "unflatten",
        &[SHAPE_OR_LAYOUT, NESTING],
        "the leaves of the first in the nesting of the second",
        "unflatten((2,1,6), (0,(0,0)))",
        |v, _| {
            let Value::Tuple(flat) = arg(v, 0)? else {
                return Err(Error::new(Code::Kind, "unflatten takes a tuple"));
            };
            Tuple::unflatten(flat.leaves(), nesting(arg(v, 1)?)?.profile()).map(Value::Tuple)
        },
    ),
    tuples(
        "select",
        &[SHAPE_OR_LAYOUT, POSITION.repeated()],
        "the modes at the given positions",
        "select((2,3,5), 2, 0)",
        |v, _| {
            let positions: Result<Vec<usize>, Error> = v.iter().skip(1).map(Value::as_index).collect();
            let positions = positions?;
            edit(arg(v, 0)?, &|tuple| tuple.select(&positions))
        },
    ),
    tuples("take", &[SHAPE_OR_LAYOUT, BEGIN, END], "the modes begin..end", "take((2,3,5,7), 1, 3)", |v, _| {
        let (begin, end) = (arg(v, 1)?.as_index()?, arg(v, 2)?.as_index()?);
        edit(arg(v, 0)?, &|tuple| tuple.take(begin, end))
    }),
    tuples(
        "group",
        &[SHAPE_OR_LAYOUT, BEGIN, END],
        "the modes begin..end made one mode",
        "group((2,3,5,7), 1, 3)",
        |v, _| {
            let (begin, end) = (arg(v, 1)?.as_index()?, arg(v, 2)?.as_index()?);
            edit(arg(v, 0)?, &|tuple| tuple.group(begin, end))
        },
    ),
    tuples(
        "append",
        &[SHAPE_OR_LAYOUT, MODE, RANK],
        "with one more mode at the end, or as many as make a rank",
        "append((2,3):(1,2), 4:10)",
        |v, _| added(v, Tuple::append),
    ),
    tuples(
        "prepend",
        &[SHAPE_OR_LAYOUT, MODE, RANK],
        "with one more mode at the front, or as many as make a rank",
        "prepend((2,3), 7)",
        |v, _| added(v, Tuple::prepend),
    ),
    tuples(
        "replace",
        &[SHAPE_OR_LAYOUT, POSITION, MODE],
        "with the mode at a position replaced",
        "replace((2,3,5), 1, (7,7))",
        |v, _| {
            let at = arg(v, 1)?.as_index()?;
            edit_with(arg(v, 0)?, arg(v, 2)?, &|tuple, entry| tuple.replace(at, entry))
        },
    ),
    tuples(
        "insert",
        &[SHAPE_OR_LAYOUT, POSITION, MODE],
        "with a mode inserted before a position",
        "insert((2,3,5), 1, 7)",
        |v, _| {
            let at = arg(v, 1)?.as_index()?;
            edit_with(arg(v, 0)?, arg(v, 2)?, &|tuple, entry| tuple.insert(at, entry))
        },
    ),
    tuples("remove", &[SHAPE_OR_LAYOUT, POSITION], "without the mode at a position", "remove((2,3,5), 1)", |v, _| {
        let at = arg(v, 1)?.as_index()?;
        edit(arg(v, 0)?, &|tuple| tuple.remove(at))
    }),
    tuples(
        "crd2idx",
        &[COORDINATE, SHAPE_OR_LAYOUT],
        "the offset of a coordinate in a layout, the column-major index in a shape",
        "crd2idx((1,2), (2,3))",
        |v, notes| {
            let coordinate = arg(v, 0)?.as_shape()?;
            if let Ok(shape) = shape(arg(v, 1)?) {
                beyond(&coordinate, &shape, notes);
            }
            match arg(v, 1)? {
                Value::Tuple(_) => Ok(cute::crd2index(&coordinate, &arg(v, 1)?.as_shape()?)?.into()),
                other if other.is_mapped() => super::mapped::at(other, arg(v, 0)?, notes),
                other => Ok(other.as_function()?.point_at(&coordinate)?.into()),
            }
        },
    ),
    tuples(
        "idx2crd",
        &[INDEX, SHAPE],
        "the natural coordinate of a column-major index in a shape",
        "idx2crd(4, (2,3))",
        |v, notes| {
            let (index, shape) = (arg(v, 0)?.as_shape()?, shape(arg(v, 1)?)?);
            beyond(&index, &shape, notes);
            Ok(natural(&index, &shape)?.into())
        },
    ),
    tuples(
        "coordinate_at",
        &[LAYOUT, LED_TO],
        "the coordinate that leads to an offset, in each leaf how often its stride fits: where a thread is in a layout of threads",
        "coordinate_at((32,2,2,1):(1,32,64,0), 105)",
        |v, _| Ok(cute::coordinate_at(&arg(v, 0)?.as_layout()?, arg(v, 1)?.as_number()?)?.into()),
    ),
    tuples(
        "crd2crd",
        &[COORDINATE, FROM_SHAPE, TO_SHAPE],
        "a coordinate of one shape as the one of another with the same column-major index",
        "crd2crd((1,2), (2,3), (3,2))",
        |v, notes| {
            let (coordinate, from, to) = (arg(v, 0)?.as_shape()?, shape(arg(v, 1)?)?, shape(arg(v, 2)?)?);
            beyond(&coordinate, &from, notes);
            let index = cute::crd2index(&coordinate, &from)?;
            beyond(&Tuple::leaf(index.clone()), &to, notes);
            Ok(cute::idx2crd(&index, &to)?.into())
        },
    ),
    tuples(
        "coordinates",
        &[SHAPE],
        "the coordinates of a shape in column-major order, the leftmost mode the fastest",
        "coordinates((2,2))",
        |v, _| {
            let shape = shape(arg(v, 0)?)?.try_map(Int::as_number)?;
            let size = shape.size()?;
            if size > MOST_LISTED {
                return Err(error!(
                    Code::TooLarge,
                    "{size} coordinates; at most {most_listed} are listed",
                    [size, most_listed = MOST_LISTED]
                ));
            }
            Ok(cute::coordinates(&shape).map(|c| c.map(|n| Int::from(*n)).into()).collect::<Vec<Value>>().into())
        },
    ),
    tuples(
        "offsets",
        &[SHAPE_OR_LAYOUT],
        "the offsets of a layout in column-major order, the leftmost mode the fastest",
        "offsets((2,3):(3,1))",
        |v, _| {
            let function = arg(v, 0)?.as_function()?;
            let size = function.domain()?.size()?.as_number()?;
            if size > MOST_LISTED {
                return Err(error!(
                    Code::TooLarge,
                    "{size} offsets; at most {most_listed} are listed",
                    [size, most_listed = MOST_LISTED]
                ));
            }
            let offsets: Result<Vec<Value>, Error> =
                (0..size).map(|index| Ok(function.point_at(&Tuple::leaf(Int::from(index)))?.into())).collect();
            offsets.map(Value::from)
        },
    ),
];

fn count(n: usize) -> Value {
    Int::from(bitstride::cast::length(n)).into()
}

/// The shape of a layout, or a tuple as a shape.
pub(super) fn shape(value: &Value) -> Result<Tuple<Int>, Error> {
    match value {
        Value::Tuple(_) => value.as_shape(),
        other => Ok(other.as_function()?.domain()?.shape()),
    }
}

/// The natural coordinate of an index, or of one for each mode.
fn natural(index: &Tuple<Int>, shape: &Tuple<Int>) -> Result<Tuple<Int>, Error> {
    if let Some(index) = index.as_leaf() {
        return cute::idx2crd(index, shape);
    }
    if shape.is_leaf() || index.rank() != shape.rank() {
        return Err(error!(Code::Profile, "the coordinate {index} does not fit the shape {shape}", [index, shape]));
    }
    let modes = index.entries().into_iter().zip(shape.entries()).map(|(index, shape)| natural(&index, &shape));
    Ok(Tuple::of(&modes.collect::<Result<Vec<_>, _>>()?))
}

/// Any tuple for its nesting.
fn nesting(value: &Value) -> Result<Tuple<Entry>, Error> {
    match value {
        Value::Tuple(tuple) => Ok(tuple.clone()),
        other => Ok(other.as_function()?.domain()?.shape().map(|n| Entry::Number(n.clone().into()))),
    }
}

type Change<'c> = dyn Fn(&Tuple<Entry>) -> Result<Tuple<Entry>, Error> + 'c;
type Add = fn(&Tuple<Entry>, &Tuple<Entry>) -> Tuple<Entry>;
type ChangeWith<'c> = dyn Fn(&Tuple<Entry>, &Tuple<Entry>) -> Result<Tuple<Entry>, Error> + 'c;

/// Edits of tuples work on layouts as on the tuple of their modes: shape and stride alike.
fn edit(value: &Value, change: &Change<'_>) -> Result<Value, Error> {
    match value {
        Value::Tuple(tuple) => change(tuple).map(Value::Tuple),
        other => edit_layout(other, change),
    }
}

/// The same of a layout, which a bare shape is too: its compact one.
fn edit_layout(value: &Value, change: &Change<'_>) -> Result<Value, Error> {
    let edited = value.as_function()?.map_domain(&|layout| {
        let shape = Value::Tuple(change(&layout.shape().map(|n| Entry::Number(n.clone().into())))?);
        let stride = Value::Tuple(change(&layout.stride().map(|d| Entry::Number(d.clone())))?);
        cute::Layout::new(shape.as_shape()?, stride.as_strides()?)
    })?;
    Ok(edited.into())
}

/// The mode that is given, added once, or as often as it takes to reach the rank that is given.
fn added(values: &[Value], add: Add) -> Result<Value, Error> {
    let rank = values.get(2).map(Value::as_index).transpose()?;
    edit_with(arg(values, 0)?, arg(values, 1)?, &|tuple, entry| {
        let own = tuple.entries().len();
        let count = match rank {
            None => 1,
            Some(rank) if rank > MOST_MODES => {
                return Err(error!(
                    Code::TooLarge,
                    "a rank of {rank}; at most {most} is made",
                    [rank, most = MOST_MODES]
                ));
            }
            Some(rank) => rank
                .checked_sub(own)
                .ok_or_else(|| error!(Code::Range, "the rank is {own} already, more than {rank}", [own, rank]))?,
        };
        Ok((0..count).fold(tuple.clone(), |tuple, _| add(&tuple, entry)))
    })
}

fn edit_with(value: &Value, entry: &Value, change: &ChangeWith<'_>) -> Result<Value, Error> {
    if let (Value::Tuple(tuple), Value::Tuple(entry)) = (value, entry) {
        return change(tuple, entry).map(Value::Tuple);
    }
    // Under a swizzle, the mode comes under it too; where it starts is added to where the others do.
    let Offsets { layout: entry, offset } = entry.as_slice()?;
    let shape = entry.shape().map(|n| Entry::Number(n.clone().into()));
    let stride = entry.stride().map(|d| Entry::Number(d.clone()));
    // Both halves go through the same change; only the entry differs.
    let parts = std::cell::Cell::new(true);
    let edited = edit_layout(value, &|tuple| change(tuple, if parts.replace(false) { &shape } else { &stride }))?;
    let shift = |layout: &cute::Layout| Ok(Offsets { layout: layout.clone(), offset: offset.clone() });
    Ok(edited.as_function()?.map_slice(&shift)?.into())
}
