//! The operations on layouts, swizzles and composed layouts.

use super::composition::{chain, composition};
use super::notes::{beyond, beyond_fixed, cover, cover_modes, overlap, part, several};
use super::operands::{added, concatenation, projected, projection};
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{
    BLOCK, COORDINATE, COUNT_MERGED, COUNT_OF_PARTS, EXTENT_TO_SPLIT, INNER_ANY, INNER_OR_TILER, KEPT_COORDINATE,
    LAYOUT, LEFT_LAYOUT, MODE_ORDER, NEW_BITS, NEW_ELEMENTS, OLD_BITS, OLD_ELEMENTS, OTHER_SHAPE, OUTER,
    POSITION_OR_PATH, PROFILE, PROJECTION, REPETITION, REPETITION_LAYOUT, RIGHT_LAYOUT, SHAPE, SLICED, SOURCE_BITS,
    TARGET, TARGET_BITS, THREAD, THREADS, TILE_COORDINATE, TILER,
};
use super::tuples::shape;
use super::value::{Offsets, Value};
use bitstride::cute::{self, Function, Layout, Swizzle, Tiler};
use bitstride::{Code, Error, Int, StrideLeaf, error, gcd};

constructor!(layouts, Layouts);

pub(super) const LAYOUTS: &[Operation] = &[
    layouts(
        "make_layout",
        &[LAYOUT.repeated()],
        "the layout whose modes are the arguments",
        "make_layout(4:2, (2,3):(1,8))",
        |v, notes| {
            // Of one shape it is the compact layout, of several arguments their concatenation.
            match v {
                [only] => {
                    let function = only.as_function()?;
                    function.domain()?;
                    Ok(function.into())
                }
                [Value::Tuple(shape), Value::Tuple(stride)] if !shape.is_leaf() || !stride.is_leaf() => Ok(
                    Layout::new(Value::Tuple(shape.clone()).as_shape()?, Value::Tuple(stride.clone()).as_strides()?)?
                        .into(),
                ),
                _ => {
                    if let [Value::Tuple(extent), Value::Tuple(stride)] = v {
                        notes.push(format!(
                            "each integer is a layout of its own; the layout with the second as its stride is {extent}:{stride}"
                        ));
                    }
                    concatenation(v).map(Value::from)
                }
            }
        },
    ),
    layouts(
        "zip",
        &[LEFT_LAYOUT, RIGHT_LAYOUT],
        "the modes of two layouts paired: ((a0,b0),(a1,b1))",
        "zip((2,3):(2,4), (2,2):(1,12))",
        |v, _| {
            let (a, b) = (added(arg(v, 0)?)?, added(arg(v, 1)?)?);
            Ok(Offsets { layout: cute::zip(&a.layout, &b.layout)?, offset: a.offset.plus(&b.offset)? }.into())
        },
    ),
    layouts(
        "layout",
        &[LAYOUT, POSITION_OR_PATH],
        "the mode at a position, or at a path of positions",
        "layout(((2,2),3):((24,2),8), (0,1))",
        |v, _| {
            let path: Result<Vec<usize>, Error> =
                arg(v, 1)?.as_shape()?.leaves().iter().map(|n| bitstride::cast::index(n.as_number()?)).collect();
            let path = path?;
            Ok(arg(v, 0)?.as_function()?.map_domain(&|layout| layout.get(&path))?.into())
        },
    ),
    layouts(
        "column_major",
        &[SHAPE],
        "the compact layout with the leftmost mode fastest",
        "column_major((3,4))",
        |v, _| Ok(cute::column_major::<Int, _>(&shape(arg(v, 0)?)?)?.into()),
    ),
    layouts("row_major", &[SHAPE], "the compact layout with the rightmost mode fastest", "row_major((3,4))", |v, _| {
        Ok(cute::row_major::<Int, _>(&shape(arg(v, 0)?)?)?.into())
    }),
    layouts(
        "make_ordered_layout",
        &[SHAPE, MODE_ORDER],
        "the compact layout in which a mode of smaller order is faster",
        "make_ordered_layout((4,8,4), (1,2,0))",
        |v, _| Ok(cute::make_ordered_layout::<Int, _>(&shape(arg(v, 0)?)?, &arg(v, 1)?.as_shape()?)?.into()),
    ),
    layouts(
        "make_layout_like",
        &[LAYOUT],
        "the compact layout with the modes in the same order; broadcasts stay",
        "make_layout_like((2,3,4,5):(0,42,4,0))",
        // Storage of its own: where the other starts and how it is swizzled does not count.
        |v, _| Ok(cute::make_layout_like(arg(v, 0)?.as_function()?.domain()?)?.into()),
    ),
    layouts(
        "make_fragment_like",
        &[LAYOUT],
        "the registers for a layout: the first mode compact, the others in the order of their strides",
        "make_fragment_like((4,2,8):(9,100,4))",
        |v, _| Ok(cute::make_fragment_like(arg(v, 0)?.as_function()?.domain()?)?.into()),
    ),
    layouts("make_identity_layout", &[SHAPE], "every coordinate to itself", "make_identity_layout((4,8))", |v, _| {
        Ok(cute::make_identity_layout::<Int, _>(&shape(arg(v, 0)?)?)?.into())
    }),
    layouts(
        "cosize",
        &[LAYOUT],
        "the length of the smallest interval that holds 0 and the image",
        "cosize((4,8):(-1,5))",
        |v, _| Ok(arg(v, 0)?.as_function()?.cosize()?.into()),
    ),
    layouts(
        "coshape",
        &[LAYOUT],
        "the cosize along each coordinate of the codomain",
        "coshape((4,8):(1@0,2@1))",
        |v, _| Ok(arg(v, 0)?.as_function()?.coshape()?.into()),
    ),
    layouts("coprofile", &[LAYOUT], "the nesting of the codomain", "coprofile((4,8):(1@0,2@1))", |v, _| {
        Ok(arg(v, 0)?.as_function()?.coshape()?.map(|_| Int::from(0)).into())
    }),
    layouts(
        "get_swizzle_portion",
        &[LAYOUT],
        "the swizzle of a layout, on its elements or on their bytes; one that moves nothing where there is none",
        "get_swizzle_portion(Sw<3,3,3> o (8,64):(64,1))",
        |v, _| Ok(Function::Swizzle(swizzled(&arg(v, 0)?.as_function()?)?.0).into()),
    ),
    layouts(
        "get_nonswizzle_portion",
        &[LAYOUT],
        "the layout under its swizzle, from where it starts",
        "get_nonswizzle_portion(Sw<3,3,3> o (8,64):(64,1))",
        |v, _| Ok(swizzled(&arg(v, 0)?.as_function()?)?.1.into()),
    ),
    layouts(
        "coalesce",
        &[LAYOUT, PROFILE.optional()],
        "the same function with the fewest modes; by profile, mode by mode",
        "coalesce((2,(1,6)):(1,(6,2)))",
        |v, _| match v.get(1) {
            None => on_domain(arg(v, 0)?, &cute::coalesce),
            Some(profile) => {
                let profile = profile.as_coordinate()?;
                on_domain(arg(v, 0)?, &|layout| cute::coalesce_by(layout, &profile))
            }
        },
    ),
    layouts(
        "filter",
        &[LAYOUT, PROFILE.optional()],
        "without stride-0 and size-1 modes",
        "filter((2,3,4):(0,1,3))",
        |v, _| match v.get(1) {
            None => on_domain(arg(v, 0)?, &cute::filter),
            Some(profile) => {
                let profile = profile.as_coordinate()?;
                on_domain(arg(v, 0)?, &|layout| cute::filter_by(layout, &profile))
            }
        },
    ),
    layouts(
        "filter_zeros",
        &[LAYOUT],
        "every stride-0 mode gets the extent 1",
        "filter_zeros((7,16,4):(0,0,1))",
        |v, _| on_domain(arg(v, 0)?, &cute::filter_zeros),
    ),
    layouts(
        "composition",
        &[OUTER, INNER_OR_TILER],
        "R(i) = A(B(i)), in the profile of B; by a tiler, mode by mode",
        "composition((6,2):(8,2), (4,3):(3,1))",
        |v, notes| composition(arg(v, 0)?, arg(v, 1)?, notes),
    ),
    layouts(
        "chain",
        &[OUTER, INNER_ANY],
        "A after B as a composed function, of any families, never refused",
        "chain((6,2):(1,7), (3,2):(2,3))",
        |v, notes| match (arg(v, 0)?, arg(v, 1)?) {
            (a, b) if a.is_mapped() || b.is_mapped() => chain(a, b, notes),
            (a, b) => Ok(Function::compose(a.as_function()?, Int::from(0), b.as_function()?).into()),
        },
    ),
    layouts(
        "with_shape",
        &[LAYOUT, SHAPE],
        "the composition with the compact layout of a shape",
        "with_shape(20:2, (5,4))",
        |v, notes| {
            let compact = cute::column_major(&arg(v, 1)?.as_shape()?)?;
            composition(arg(v, 0)?, &Value::Layout(compact), notes)
        },
    ),
    layouts(
        "complement",
        &[LAYOUT, TARGET.optional()],
        "fills what the layout leaves free, up to a target",
        "complement(4:2, 24)",
        |v, _| {
            if let (Value::Tuple(shape), Some(Value::Layout(layout))) = (arg(v, 0)?, v.get(1)) {
                return Err(error!(
                    Code::Kind,
                    "complement takes the layout first, then the target; {shape} is no layout",
                    [shape]
                )
                .with_help(format!("complement({layout}, {shape})")));
            }
            let value = arg(v, 0)?;
            if let Value::Function(_) = value {
                let help = "take the complement of the layout under it, and swizzle both together";
                return Err(error!(
                    Code::NotALayout,
                    "complement({value}): a swizzle moves places, and what it leaves free is no layout",
                    [value]
                )
                .with_help(help));
            }
            // From where the layout starts, it leaves the same free.
            let layout = value.as_slice()?.layout;
            match v.get(1) {
                Some(target) => Ok(cute::complement(&layout, &shape(target)?)?.into()),
                None => Ok(cute::complement_within(&layout)?.into()),
            }
        },
    ),
    layouts(
        "right_inverse",
        &[LAYOUT],
        "L(R(i)) = i, as far as a chain of modes from stride 1 goes",
        "right_inverse((2,3):(3,1))",
        |v, notes| {
            let function = arg(v, 0)?.as_function()?;
            let inverse = function.right_inverse()?;
            part(&function, &inverse, notes);
            Ok(inverse.into())
        },
    ),
    layouts(
        "left_inverse",
        &[LAYOUT],
        "L(R(L(i))) = L(i): undoes L where it is injective",
        "left_inverse((4,8):(1,5))",
        |v, notes| {
            let function = arg(v, 0)?.as_function()?;
            several(&function, notes);
            Ok(function.left_inverse()?.into())
        },
    ),
    layouts("nullspace", &[LAYOUT], "the indices that broadcasts send to 0", "nullspace((7,5,16):(3,1,0))", |v, _| {
        Ok(cute::nullspace(arg(v, 0)?.as_function()?.domain()?)?.into())
    }),
    layouts(
        "max_common_vector",
        &[LEFT_LAYOUT, RIGHT_LAYOUT],
        "how many elements a copy between two layouts may move at once",
        "max_common_vector(12:1, 3:1)",
        |v, _| Ok(arg(v, 0)?.as_function()?.common_layout(&arg(v, 1)?.as_function()?)?.size()?.into()),
    ),
    layouts(
        "max_common_layout",
        &[LEFT_LAYOUT, RIGHT_LAYOUT],
        "the longest R with A(R(i)) = i = B(R(i))",
        "max_common_layout((6,9):(1,6), (6,9):(1,6))",
        |v, _| Ok(arg(v, 0)?.as_function()?.common_layout(&arg(v, 1)?.as_function()?)?.into()),
    ),
    layouts(
        "domain_distribute",
        &[SHAPE, EXTENT_TO_SPLIT],
        "an ordered layout of n column-major indices of a shape",
        "domain_distribute((15,14), 6)",
        |v, _| Ok(cute::domain_distribute::<Int, _>(&shape(arg(v, 0)?)?, &arg(v, 1)?.as_shape()?.size()?)?.into()),
    ),
    layouts(
        "logical_divide",
        &[LAYOUT, TILER],
        "cut into tiles, mode by mode: ((tile),(rest))",
        "logical_divide((4,2,3):(2,1,8), 4:2)",
        |v, notes| divide(v, notes, &cute::logical_divide),
    ),
    layouts(
        "zipped_divide",
        &[LAYOUT, TILER],
        "cut into tiles, which are gathered: ((TM,TN),(RM,RN,L))",
        "zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
        |v, notes| divide(v, notes, &cute::zipped_divide),
    ),
    layouts(
        "tiled_divide",
        &[LAYOUT, TILER],
        "cut into tiles: ((TM,TN),RM,RN,L)",
        "tiled_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
        |v, notes| divide(v, notes, &cute::tiled_divide),
    ),
    layouts(
        "flat_divide",
        &[LAYOUT, TILER],
        "cut into tiles: (TM,TN,RM,RN,L)",
        "flat_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
        |v, notes| divide(v, notes, &cute::flat_divide),
    ),
    layouts(
        "logical_product",
        &[BLOCK, REPETITION],
        "copies of the block in the order of the tiler: (block, copies)",
        "logical_product((2,2):(4,1), 6:1)",
        |v, notes| product(v, notes, &cute::logical_product),
    ),
    layouts(
        "zipped_product",
        &[BLOCK, REPETITION],
        "copies of the block, gathered: ((x,y),(z,w))",
        "zipped_product((2,2):(4,1), 6:1)",
        |v, notes| product(v, notes, &cute::zipped_product),
    ),
    layouts(
        "tiled_product",
        &[BLOCK, REPETITION],
        "copies of the block, its modes gathered: ((x,y),z,w)",
        "tiled_product((2,2):(4,1), (2,3):(1,2))",
        |v, notes| product(v, notes, &cute::tiled_product),
    ),
    layouts(
        "flat_product",
        &[BLOCK, REPETITION],
        "copies of the block, its modes beside theirs: (x,y,z,w)",
        "flat_product((2,2):(4,1), (2,3):(1,2))",
        |v, notes| product(v, notes, &cute::flat_product),
    ),
    layouts(
        "blocked_product",
        &[BLOCK, REPETITION_LAYOUT],
        "copies laid out as blocks: ((x,z),(y,w))",
        "blocked_product((2,5):(5,1), (3,4):(1,3))",
        |v, _| {
            let tiler = arg(v, 1)?.as_layout()?;
            on_domain(arg(v, 0)?, &|block| cute::blocked_product(block, &tiler))
        },
    ),
    layouts(
        "raked_product",
        &[BLOCK, REPETITION_LAYOUT],
        "copies interleaved: ((z,x),(w,y))",
        "raked_product((2,5):(5,1), (3,4):(1,3))",
        |v, _| {
            let tiler = arg(v, 1)?.as_layout()?;
            on_domain(arg(v, 0)?, &|block| cute::raked_product(block, &tiler))
        },
    ),
    layouts(
        "tile_to_shape",
        &[BLOCK, SHAPE, MODE_ORDER.optional()],
        "the block repeated until it covers a shape, modes in the given order",
        "tile_to_shape((3,8):(8,1), (6,16), (1,0))",
        |v, notes| {
            let target = shape(arg(v, 1)?)?;
            let order = v.get(2).map(Value::as_shape).transpose()?;
            let answer =
                arg(v, 0)?.as_function()?.map_domain(&|block| cute::tile_to_shape(block, &target, order.as_ref()))?;
            cover_modes(&answer, &target, notes)?;
            Ok(answer.into())
        },
    ),
    layouts(
        "local_tile",
        &[LAYOUT, TILER, TILE_COORDINATE, PROJECTION.optional()],
        "the tile at a coordinate; by a projection such as <1,_,1>, without the modes of tiler and coordinate that are `_`",
        "local_tile((128,64):(64,1), (32,32), (1,_))",
        |v, notes| {
            let (tiler, at) = projected(arg(v, 1)?, arg(v, 2)?, v.get(3))?;
            let (function, tiler) = (arg(v, 0)?.as_function()?, tiler.as_tiler()?);
            let divided = function.map_domain(&|layout| cute::zipped_divide(layout, &tiler))?;
            cover(&divided, &function, notes)?;
            let at = at.as_coordinate()?;
            beyond_fixed(&at, &divided.domain()?.get(&[1])?.shape(), notes);
            Ok(function.map_slice(&|layout| cute::local_tile(layout, &tiler, &at))?.into())
        },
    ),
    layouts(
        "local_partition",
        &[LAYOUT, THREADS, THREAD, PROJECTION.optional()],
        "what one thread of a tile sees in every tile; by a projection, without the modes of threads that are `_`",
        "local_partition((32,16):(16,1), (8,4):(4,1), 5)",
        |v, _| {
            let (threads, thread) = (arg(v, 1)?.as_layout()?, arg(v, 2)?.as_int()?);
            let keeps = v.get(3).map(projection).transpose()?;
            let partition = |layout: &Layout| match &keeps {
                Some(keeps) => cute::local_partition_by(layout, &threads, &thread, keeps),
                None => cute::local_partition(layout, &threads, &thread),
            };
            Ok(arg(v, 0)?.as_function()?.map_slice(&partition)?.into())
        },
    ),
    layouts(
        "domain_offset",
        &[COORDINATE, LAYOUT],
        "the layout from a coordinate on: its offset is added",
        "domain_offset((2,4), (8,8):(8,1))",
        |v, notes| {
            let at = arg(v, 0)?.as_shape()?;
            beyond(&at, &shape(arg(v, 1)?)?, notes);
            let from = |layout: &Layout| Ok(Offsets { layout: layout.clone(), offset: cute::crd2idx(&at, layout)? });
            Ok(arg(v, 1)?.as_function()?.map_slice(&from)?.into())
        },
    ),
    layouts(
        "slice",
        &[SLICED, KEPT_COORDINATE],
        "the modes with _, and the offset of the others",
        "slice((2,6,7):(1,2,12), (1,_,1))",
        |v, notes| {
            if arg(v, 0)?.is_mapped() {
                return super::subslice::slice(arg(v, 0)?, arg(v, 1)?, notes);
            }
            let coordinate = arg(v, 1)?.as_coordinate()?;
            beyond_fixed(&coordinate, &shape(arg(v, 0)?)?, notes);
            Ok(arg(v, 0)?.as_function()?.map_slice(&|layout| cute::slice(layout, &coordinate))?.into())
        },
    ),
    layouts("dice", &[LAYOUT, KEPT_COORDINATE], "the modes without _", "dice((2,6,7):(1,2,12), (1,_,1))", |v, _| {
        let coordinate = arg(v, 1)?.as_coordinate()?;
        on_domain(arg(v, 0)?, &|layout| cute::dice(layout, &coordinate))
    }),
    layouts(
        "recast",
        &[LAYOUT, OLD_BITS, NEW_BITS],
        "elements of old bits seen as elements of new bits",
        "recast((8,8):(8,1), 16, 32)",
        |v, _| {
            let (old, new) = (arg(v, 1)?.as_number()?, arg(v, 2)?.as_number()?);
            if old <= 0 || new <= 0 {
                return Err(error!(
                    Code::Range,
                    "element sizes are positive numbers of bits, not {old} and {new}",
                    [old, new]
                ));
            }
            let function = arg(v, 0)?.as_function()?;
            if let Some(bits) = function.element_bits().filter(|bits| *bits != old) {
                return Err(error!(
                    Code::Kind,
                    "the elements of {function} have {bits} bits, not {old}",
                    [function, bits, old]
                )
                .with_help(format!("recast({function}, {bits}, {new})")));
            }
            let common = gcd(old, new);
            Ok(function.rescale(new / common, old / common)?.into())
        },
    ),
    layouts(
        "rescale",
        &[LAYOUT, OLD_ELEMENTS, NEW_ELEMENTS],
        "up old elements in each down new ones",
        "rescale((8,8):(8,1), 2, 1)",
        |v, _| Ok(arg(v, 0)?.as_function()?.rescale(arg(v, 1)?.as_number()?, arg(v, 2)?.as_number()?)?.into()),
    ),
    layouts(
        "upcast",
        &[LAYOUT, COUNT_MERGED],
        "n neighbouring elements become one",
        "upcast((4,8):(8,1), 4)",
        |v, _| Ok(arg(v, 0)?.as_function()?.rescale(arg(v, 1)?.as_number()?, 1)?.into()),
    ),
    layouts(
        "downcast",
        &[LAYOUT, COUNT_OF_PARTS],
        "every element becomes n neighbouring ones",
        "downcast((4,8):(8,1), 2)",
        |v, _| Ok(arg(v, 0)?.as_function()?.rescale(1, arg(v, 1)?.as_number()?)?.into()),
    ),
    layouts(
        "layout_add",
        &[LEFT_LAYOUT, RIGHT_LAYOUT],
        "R(i) = A(i) + B(i)",
        "layout_add((2,4):(1,2), (2,4):(4,1))",
        |v, _| {
            let (a, b) = (added(arg(v, 0)?)?, added(arg(v, 1)?)?);
            Ok(Offsets { layout: cute::layout_add(&a.layout, &b.layout)?, offset: a.offset.plus(&b.offset)? }.into())
        },
    ),
    layouts(
        "greatest_common_domain",
        &[SHAPE, OTHER_SHAPE],
        "the indices on which two shapes move alike",
        "greatest_common_domain((6,35), (15,14))",
        |v, _| Ok(cute::greatest_common_domain::<Int, _>(&shape(arg(v, 0)?)?, &shape(arg(v, 1)?)?)?.into()),
    ),
    layouts(
        "make_swizzle",
        &[SOURCE_BITS, TARGET_BITS],
        "the swizzle from a mask of sources and a mask of targets",
        "make_swizzle(896, 112)",
        |v, _| Ok(Function::Swizzle(Swizzle::from_masks(arg(v, 0)?.as_number()?, arg(v, 1)?.as_number()?)?).into()),
    ),
    layouts("print_layout", &[LAYOUT], "the table that CuTe prints", "print_layout((4,8):(8,1))", |v, _| {
        cute::print_layout(&arg(v, 0)?.as_function()?).map(Value::Text)
    }),
];

/// An operation on the layout of a function's domain.
fn on_domain(value: &Value, operation: &dyn Fn(&Layout) -> Result<Layout, Error>) -> Result<Value, Error> {
    Ok(value.as_function()?.map_domain(operation)?.into())
}

type ByTiler = dyn Fn(&Layout, &Tiler) -> Result<Layout, Error>;

/// A divide, with a note where tiles cover more than the layout.
fn divide(values: &[Value], notes: &mut Vec<String>, operation: &ByTiler) -> Result<Value, Error> {
    let tiler = arg(values, 1)?.as_tiler()?;
    let function = arg(values, 0)?.as_function()?;
    let answer = function.map_domain(&|layout| operation(layout, &tiler))?;
    cover(&answer, &function, notes)?;
    Ok(answer.into())
}

/// A product by a layout, or mode by mode by a tiler: then copies of different modes may overlap, which is said.
fn product(values: &[Value], notes: &mut Vec<String>, operation: &ByTiler) -> Result<Value, Error> {
    let tiler = arg(values, 1)?.as_tiler()?;
    let block = arg(values, 0)?.as_function()?;
    let answer = block.map_domain(&|layout| operation(layout, &tiler))?;
    overlap(&block, &answer, notes);
    Ok(answer.into())
}

/// A swizzle and the layout under it.
fn swizzled(function: &Function) -> Result<(Swizzle, Function), Error> {
    match function {
        Function::Layout(_) | Function::Offset(_) => Ok((Swizzle::new(0, 4, 3)?, function.clone())),
        Function::Composed(composed) if matches!(composed.inner, Function::Layout(_)) => {
            let inner = composed.inner.shifted(&composed.offset.clone().into())?;
            match &composed.outer {
                Function::Swizzle(swizzle) => Ok((*swizzle, inner)),
                Function::Bytes(bytes) => Ok((bytes.swizzle(), inner)),
                _ => Err(no_portions(function)),
            }
        }
        _ => Err(no_portions(function)),
    }
}

fn no_portions(function: &Function) -> Error {
    error!(Code::Kind, "{function} is not one layout under one swizzle", [function])
}
