//! Encodings in registers keep their laws: on random parameters, valid and odd.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::common::{Choices, run, slow};
use bitstride::Code;
use bitstride::linear::{LinearLayout, Name, Places};
use bitstride::triton::{
    AmdMfma, AmdWmma, Blocked, Cga, Distributed, DotOperand, Encoding, Linear, NvidiaMma, Sizes, Slice, Split,
    combine_cta_cga_with_shape,
};
use bitstride::triton::{Phase, Repetition, SwizzledShared, TensorMemory, TensorMemoryScales};

const PLACES: [Name; 4] = [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK];

fn int(number: usize) -> i64 {
    i64::try_from(number).expect("a small number")
}

fn sizes(entries: &[i64]) -> Sizes {
    Sizes::from_slice(entries)
}

/// A power of two up to `2^most` for each dim.
fn powers(choices: &mut Choices, rank: usize, most: usize) -> Sizes {
    (0..rank).map(|_| 1 << choices.below(most + 1)).collect()
}

/// The bits of a number along each dim: `bits` units of random dims, or nothing.
fn split(choices: &mut Choices, rank: usize, bits: usize) -> Sizes {
    let mut split = vec![1; rank];
    for _ in 0..bits {
        let dim = choices.below(rank);
        split[dim] *= 2;
    }
    split.into_iter().collect()
}

fn order(choices: &mut Choices, rank: usize) -> Sizes {
    let mut rest: Vec<i64> = (0..rank).map(int).collect();
    (0..rank).map(|_| rest.remove(choices.below(rest.len()))).collect()
}

fn cga(choices: &mut Choices, rank: usize) -> Cga {
    let ctas = powers(choices, rank, 1);
    let parts = ctas.iter().map(|ctas| if choices.below(3) == 0 { 1 } else { *ctas }).collect();
    Cga::from_split(&Split { ctas, parts, order: order(choices, rank) }).expect("a valid split")
}

fn blocked(choices: &mut Choices, rank: usize) -> Blocked {
    Blocked {
        size_per_thread: powers(choices, rank, 2),
        threads_per_warp: split(choices, rank, 5),
        warps_per_cta: split(choices, rank, 2),
        order: order(choices, rank),
        cga: cga(choices, rank),
    }
}

fn nvidia_mma(choices: &mut Choices) -> NvidiaMma {
    let version = choices.of(&[2, 3]);
    let rank = if version == 2 { choices.of(&[2, 3]) } else { 2 };
    let (rows, columns) = (choices.of(&[16, 8, 16, 32]), choices.of(&[8, 8, 16, 32]));
    let instr_shape = match (version, rank) {
        (3, _) => sizes(&[16, choices.of(&[8, 16, 64, 256]), 16]),
        (_, 2) => sizes(&[rows, columns]),
        _ => sizes(&[1, rows, columns]),
    };
    let warps_per_cta = split(choices, rank, 2);
    NvidiaMma { version_major: version, version_minor: 0, warps_per_cta, instr_shape, cga: cga(choices, rank) }
}

fn amd_mfma(choices: &mut Choices) -> AmdMfma {
    let rank = choices.of(&[2, 3]);
    let (instr_shape, element_bits, transposed) = choices.of(&[
        ([32, 32, 8], 32, false),
        ([32, 32, 16], 32, true),
        ([16, 16, 16], 32, true),
        ([16, 16, 16], 32, false),
        ([16, 16, 4], 64, false),
        ([16, 16, 4], 64, true),
        ([4, 64, 4], 32, false),
        ([4, 64, 4], 32, true),
        ([64, 4, 4], 32, true),
    ]);
    AmdMfma {
        version: choices.of(&[1, 2, 3, 4]),
        warps_per_cta: split(choices, rank, 2),
        instr_shape: sizes(&instr_shape),
        transposed,
        tiles_per_warp: powers(choices, rank, 1),
        element_bits,
        cga: cga(choices, rank),
    }
}

fn amd_wmma(choices: &mut Choices) -> AmdWmma {
    let rank = choices.of(&[2, 3]);
    // Each unit goes once to a register or a warp, the lowest of a dim first.
    let mut next = vec![1; rank];
    let (mut register_bases, mut warp_bases) = (Vec::new(), Vec::new());
    for _ in 0..choices.below(4) {
        let dim = choices.below(rank);
        let basis = (0..rank).map(|at| if at == dim { next[dim] } else { 0 }).collect();
        next[dim] *= 2;
        if choices.below(2) == 0 { register_bases.push(basis) } else { warp_bases.push(basis) }
    }
    let (version, instr_shape) = choices.of(&[
        (1, [16, 16, 16]),
        (2, [16, 16, 16]),
        (2, [16, 16, 32]),
        (3, [16, 16, 4]),
        (3, [16, 16, 128]),
        (3, [32, 16, 128]),
    ]);
    AmdWmma {
        version,
        transposed: choices.below(2) == 1,
        warp_bases,
        register_bases,
        instr_shape: sizes(&instr_shape),
        cga: cga(choices, rank),
        rank,
    }
}

fn linear(choices: &mut Choices) -> Linear {
    let rank = 1 + choices.below(3);
    let mut next = vec![1; rank];
    let mut places: [Vec<Sizes>; 4] = std::array::from_fn(|_| Vec::new());
    for _ in 0..choices.below(9) {
        let dim = choices.below(rank + 1);
        let basis = (0..rank).map(|at| if at == dim { next[dim] } else { 0 }).collect();
        if let Some(next) = next.get_mut(dim) {
            *next *= 2;
        }
        places[choices.below(4)].push(basis);
    }
    // Registers in any order, so that dims are first moved in any order.
    let turn = choices.below(places[0].len().max(1));
    places[0].rotate_left(turn);
    let [register, lane, mut warp, block] = places;
    let generic = choices.once_in(3);
    if generic && let Some(last) = warp.last_mut() {
        // A warp that moves along a second dim as well.
        let dim = choices.below(rank);
        last[dim] ^= next[dim] / 2;
    }
    Linear { register, lane, warp, block, generic, rank }
}

/// A valid encoding, with the rank of its tensors.
fn encoding(choices: &mut Choices, depth: usize) -> (Encoding, usize) {
    match choices.below(if depth == 0 { 5 } else { 7 }) {
        0 => {
            let rank = 1 + choices.below(3);
            (Encoding::Blocked(blocked(choices, rank)), rank)
        }
        1 => {
            let mma = nvidia_mma(choices);
            let rank = mma.warps_per_cta.len();
            (Encoding::NvidiaMma(mma), rank)
        }
        2 => {
            let mfma = amd_mfma(choices);
            let rank = mfma.warps_per_cta.len();
            (Encoding::AmdMfma(mfma), rank)
        }
        3 => {
            let wmma = amd_wmma(choices);
            let rank = wmma.rank;
            (Encoding::AmdWmma(wmma), rank)
        }
        4 => {
            let linear = linear(choices);
            let rank = linear.rank;
            (Encoding::Linear(linear), rank)
        }
        5 => {
            let (parent, rank) = match choices.below(4) {
                0 => (Encoding::Blocked(blocked(choices, 2)), 2),
                1 => {
                    let mma = nvidia_mma(choices);
                    let rank = mma.warps_per_cta.len();
                    (Encoding::NvidiaMma(mma), rank)
                }
                2 => {
                    let mfma = amd_mfma(choices);
                    let rank = mfma.warps_per_cta.len();
                    (Encoding::AmdMfma(mfma), rank)
                }
                _ => {
                    let wmma = amd_wmma(choices);
                    let rank = wmma.rank;
                    (Encoding::AmdWmma(wmma), rank)
                }
            };
            let hopper = matches!(&parent, Encoding::NvidiaMma(mma) if mma.version_major == 3);
            let operand = if hopper { 0 } else { choices.of(&[0, 1]) };
            let k_width = choices.of(&[1, 2, 4, 8]);
            (Encoding::DotOperand(DotOperand { operand, parent: Box::new(parent), k_width }), rank)
        }
        _ => {
            let (parent, rank) = encoding(choices, depth - 1);
            if rank == 1 {
                return (parent, rank);
            }
            let dim = int(choices.below(rank));
            (Encoding::Slice(Slice { dim, parent: Box::new(parent) }), rank - 1)
        }
    }
}

/// Memory of a cluster, with the rank of its tensors.
fn memory(choices: &mut Choices) -> (Encoding, usize) {
    match choices.below(3) {
        0 => {
            let rank = 1 + choices.below(4);
            let mut parameter = || 1 << choices.below(5);
            let (vec, per_phase, max_phase) = (parameter(), parameter(), parameter());
            let phase = choices.of(&[Phase::Row, Phase::Rotating]);
            let (order, cga) = (order(choices, rank), cga(choices, rank));
            (Encoding::SwizzledShared(SwizzledShared { vec, per_phase, max_phase, order, cga, phase }), rank)
        }
        1 => {
            let (col_stride, fp4_padded) = choices.of(&[(1, false), (2, false), (1, true)]);
            let (block_m, block_n, cga) = (choices.of(&[64, 128]), 8 << choices.below(6), cga(choices, 2));
            let memory = TensorMemory { block_m, block_n, col_stride, cga, two_ctas: false, fp4_padded };
            (Encoding::TensorMemory(memory), 2)
        }
        _ => {
            let order = choices.of(&[Repetition::RowsFirst, Repetition::ColumnsFirst]);
            (Encoding::TensorMemoryScales(TensorMemoryScales { cga: cga(choices, 2), order }), 2)
        }
    }
}

/// A shape that an encoding was made for as rarely as not: unit dims, dims smaller than a tile and larger ones.
fn foreign(choices: &mut Choices, rank: usize) -> Sizes {
    (0..rank).map(|_| 1 << choices.of(&[0, 0, 1, 2, 3, 4, 5, 6, 7, 8])).collect()
}

/// On any shape an encoding is what appending its bases and fitting them one by one comes to, or both are refused.
#[test]
fn any_encoding_on_any_shape_is_its_definition() {
    let agreed = Cell::new(0);
    run(6000, |choices| {
        let (encoding, rank) = if choices.once_in(4) { memory(choices) } else { encoding(choices, 2) };
        let shape = foreign(choices, rank);
        let defined = slow(&encoding, &shape);
        match (encoding.to_linear(&shape), defined) {
            (Ok(layout), Ok(slow)) if layout.to_string() == slow.to_string() => {
                agreed.set(agreed.get() + 1);
                Ok(())
            }
            (Err(_), Err(_)) => Ok(()),
            // A warp that moves along two dims may leave elements of a smaller shape without a place.
            (Err(error), Ok(slow)) if error.code() == Code::NotSurjective && !covered(&slow) => Ok(()),
            (layout, slow) => {
                let layout = layout.map(|layout| layout.to_string());
                Err(format!(
                    "{encoding} on {shape:?} is {layout:?}, by its definition {:?}",
                    slow.map(|s| s.to_string())
                ))
            }
        }
    });
    assert!(agreed.get() > 5000, "{} layouts agreed", agreed.get());
}

/// Whether every element of a slow twin has a place.
fn covered(layout: &bitstride_oracle::reference::Linear) -> bool {
    let size: i64 = layout.outs().iter().map(|(_, size)| size).product();
    layout.image().is_ok_and(|image| i64::try_from(image.len()) == Ok(size))
}

/// Where an element may be found, registers forgotten.
fn threads(layout: &LinearLayout, places: &Places, element: u64) -> BTreeSet<u64> {
    let registers = layout.in_dim(Name::REGISTER).map_or(0, |(dim, _)| dim.bits);
    places.of_element(element).map(|place| place >> registers).collect()
}

/// The layout covers a tensor of the shape, from the four places.
fn covers(layout: &LinearLayout, shape: &[i64]) -> bool {
    layout.is_surjective()
        && layout.ins().iter().map(|dim| dim.name).eq(PLACES)
        && layout.outs().iter().map(|dim| (dim.name, dim.size())).eq((0..).map(Name::dim).zip(shape.iter().copied()))
}

#[test]
fn every_encoding_covers_its_tensor() {
    run(3000, |choices| {
        let (encoding, rank) = encoding(choices, 2);
        let shape = powers(choices, rank, 8);
        let layout = encoding.to_linear(&shape).map_err(|error| format!("{encoding:?} on {shape:?}: {error:?}"))?;
        if covers(&layout, &shape) { Ok(()) } else { Err(format!("{encoding:?} on {shape:?} is {layout:?}")) }
    });
}

#[test]
fn a_slice_is_held_where_its_parent_holds_it() {
    run(1000, |choices| {
        let (parent, rank) = encoding(choices, 1);
        if rank < 2 {
            return Ok(());
        }
        let dim = choices.below(rank);
        let shape = powers(choices, rank - 1, 5);
        let mut whole = shape.clone();
        whole.insert(dim, 1);
        let slice = Encoding::Slice(Slice { dim: int(dim), parent: Box::new(parent.clone()) });
        let described = |layout: Result<LinearLayout, _>| layout.map_err(|error: bitstride::Error| error.to_string());
        let (own, all) = (described(slice.to_linear(&shape))?, described(parent.to_linear(&whole))?);
        let (here, there) = (Places::new(&own), Places::new(&all));
        // The removed dim has no bits, so an element has the same packed number in both.
        let same =
            (0..1 << own.out_bits()).all(|element| threads(&own, &here, element) == threads(&all, &there, element));
        if same { Ok(()) } else { Err(format!("{slice:?} on {shape:?}")) }
    });
}

/// The element of a packed number, by its coordinates.
fn coordinates(mut packed: u64, shape: &[i64]) -> Vec<i64> {
    let mut coordinates = Vec::new();
    for size in shape {
        let size = u64::try_from(*size).expect("a size");
        coordinates.push(i64::try_from(packed % size).expect("a coordinate"));
        packed /= size;
    }
    coordinates
}

/// The number of an element, `dim0` in the lowest bits.
fn packed(element: &[i64], shape: &[i64]) -> u64 {
    let number = element.iter().zip(shape).rev().fold(0, |number, (at, size)| number * size + at);
    u64::try_from(number).expect("an element")
}

/// The number of an element row by row.
fn row_number(element: &[i64], shape: &[i64]) -> i64 {
    element.iter().zip(shape).fold(0, |number, (at, size)| number * size + at)
}

/// An operation that renames elements: the shape of its result, what it infers, and where it moves an element.
type Renaming = (Vec<i64>, Result<Encoding, bitstride::Error>, Box<dyn Fn(&[i64]) -> Vec<i64>>);

/// A random such operation.
fn renaming(choices: &mut Choices, encoding: &Encoding, shape: &[i64]) -> Renaming {
    let rank = shape.len();
    match choices.below(5) {
        0 => {
            let order: Vec<usize> =
                order(choices, rank).iter().map(|dim| usize::try_from(*dim).expect("a dim")).collect();
            let to = order.iter().map(|dim| shape[*dim]).collect();
            (to, encoding.infer_trans(shape, &order), Box::new(move |x| order.iter().map(|dim| x[*dim]).collect()))
        }
        1 => {
            let bits: u32 = shape.iter().map(|size| size.trailing_zeros()).sum();
            let rank = 1 + choices.below(4);
            let to = split(choices, rank, usize::try_from(bits).expect("few")).to_vec();
            let inferred = match encoding.is_distributed() {
                true => encoding.infer_reshape(shape, &to),
                false => encoding.infer_memdesc_reshape(shape, &to),
            };
            let (from, last) = (shape.to_vec(), to.clone());
            let moved = move |x: &[i64]| {
                let mut reversed: Vec<i64> = last.clone();
                reversed.reverse();
                let number = u64::try_from(row_number(x, &from)).expect("an element");
                let mut element = coordinates(number, &reversed);
                element.reverse();
                element
            };
            (to, inferred, Box::new(moved))
        }
        2 => {
            let dim = choices.below(rank);
            let mut to = shape.to_vec();
            to.remove(dim);
            let moved = move |x: &[i64]| {
                let mut rest = x.to_vec();
                rest.remove(dim);
                rest
            };
            (to, encoding.infer_reduce(int(dim)), Box::new(moved))
        }
        3 => {
            let dim = choices.below(rank);
            let mut to = shape.to_vec();
            to[dim] /= 2;
            let moved = move |x: &[i64]| {
                let mut bytes = x.to_vec();
                bytes[dim] /= 2;
                bytes
            };
            (to, encoding.infer_fp_to_fp4(shape, int(dim)), Box::new(moved))
        }
        _ => {
            let to = shape[..rank - 1].to_vec();
            (to, encoding.infer_split(shape), Box::new(move |x| x[..rank - 1].to_vec()))
        }
    }
}

/// The law of an inferred encoding: a thread holds in the result what it held before, under its new coordinates; so does each
/// register where there are as many, and each place of memory.
#[test]
fn an_inferred_encoding_holds_what_the_operation_moves() {
    let held = Cell::new(0);
    run(1500, |choices| {
        let is_memory = choices.once_in(4);
        let (encoding, rank) = if is_memory { memory(choices) } else { encoding(choices, 2) };
        let mut shape = powers(choices, rank, 3).to_vec();
        if let (true, Some(last)) = (choices.once_in(3), shape.last_mut()) {
            *last = 2;
        }
        let Ok(before) = encoding.to_linear(&shape) else { return Ok(()) };
        let (to, inferred, moved) = renaming(choices, &encoding, &shape);
        let Ok(inferred) = inferred else { return Ok(()) };
        let after = inferred.to_linear(&to).map_err(|error| format!("{inferred} of {encoding} on {to:?}: {error}"))?;
        held.set(held.get() + 1);
        let wrong = |what: &str| Err(format!("{encoding} on {shape:?} becomes {inferred} on {to:?}: {what}"));
        let (here, there) = (Places::new(&before), Places::new(&after));
        let mut threads_of = vec![BTreeSet::new(); 1 << after.out_bits()];
        for element in 0..1_u64 << before.out_bits() {
            let target = packed(&moved(&coordinates(element, &shape)), &to);
            threads_of[usize::try_from(target).expect("an element")].extend(threads(&before, &here, element));
        }
        if (0..).zip(&threads_of).any(|(element, wanted)| threads(&after, &there, element) != *wanted) {
            return wrong("other threads hold an element");
        }
        // Registers that are copies may come and go.
        if before.ins() == after.ins() {
            let image = |layout: &LinearLayout, place: u64| {
                let columns = layout.columns().iter().enumerate().filter(|(bit, _)| place >> bit & 1 == 1);
                columns.fold(0, |image, (_, column)| image ^ column)
            };
            let bits: u32 = before.ins().iter().map(|dim| dim.bits).sum();
            let same = |place: u64| {
                let element = coordinates(image(&before, place), &shape);
                packed(&moved(&element), &to) == image(&after, place)
            };
            if bits <= 14 && !(0..1 << bits).all(same) {
                return wrong("a place holds another element");
            }
        }
        Ok(())
    });
    assert!(held.get() > 400, "{} were inferred", held.get());
}

/// What follows forward follows backward: a join and a split undo each other, so do a reduce and `expand_dims`, and the operand
/// of a transpose or reshape follows from its result.
#[test]
fn what_is_inferred_forward_is_inferred_backward() {
    run(2000, |choices| {
        let (encoding, rank) = encoding(choices, 2);
        let shape = powers(choices, rank, 4).to_vec();
        let Ok(own) = encoding.to_linear(&shape) else { return Ok(()) };
        let copies =
            |layout: LinearLayout| layout.remove_zero_bases_along_dim(Name::REGISTER).map_err(|e| e.to_string());
        let own = copies(own)?;
        let back = |what: &str, found: Result<Encoding, bitstride::Error>| {
            let layout = found.and_then(|found| found.to_linear(&shape)).map_err(|e| format!("{what}: {e}"))?;
            if copies(layout)? == own {
                Ok(())
            } else {
                Err(format!("{what} of {encoding} on {shape:?} comes back otherwise"))
            }
        };
        let joined: Vec<i64> = shape.iter().copied().chain([2]).collect();
        if let Ok(join) = encoding.infer_join(&shape) {
            back("a join", join.infer_split(&joined))?;
        }
        let dims: Vec<usize> = order(choices, rank).iter().map(|dim| usize::try_from(*dim).expect("a dim")).collect();
        let inverse: Vec<usize> = (0..rank).filter_map(|dim| dims.iter().position(|own| *own == dim)).collect();
        let turned: Vec<i64> = dims.iter().map(|dim| shape[*dim]).collect();
        if let Ok(trans) = encoding.infer_trans(&shape, &dims) {
            back("a transpose", trans.infer_trans(&turned, &inverse))?;
        }
        let dim = int(choices.below(rank));
        let mut doubled = shape.clone();
        doubled[usize::try_from(dim).expect("a dim")] *= 2;
        if let Ok(floats) = encoding.infer_fp4_to_fp(&shape, dim) {
            back("a conversion from fp4", floats.infer_fp_to_fp4(&doubled, dim))?;
        }
        if let Ok(reduced) = encoding.infer_reduce(dim) {
            assert_eq!(reduced.infer_expand_dims(dim), Ok(encoding.clone()));
        }
        Ok(())
    });
}

#[test]
fn blocked_is_a_matrix_of_thread_numbers() {
    run(500, |choices| {
        let rank = 1 + choices.below(2);
        let blocked = Blocked { cga: Cga::default(), ..blocked(choices, rank) };
        let shape = powers(choices, rank, 6);
        let count = |arrangement: &Sizes| Distributed::from_order(arrangement, &blocked.order).expect("a matrix");
        let (lanes, warps) = (count(&blocked.threads_per_warp), count(&blocked.warps_per_cta));
        let own =
            |dim: usize| (blocked.size_per_thread[dim], blocked.threads_per_warp[dim], blocked.warps_per_cta[dim]);
        let extents: Vec<i64> = (0..rank).map(own).map(|(own, lanes, warps)| own * lanes * warps).collect();
        let cells = row_by_row(&extents).into_iter().map(|at| {
            let (lane, warp): (Vec<i64>, Vec<i64>) =
                (0..rank).map(|dim| (at[dim] / own(dim).0 % own(dim).1, at[dim] / own(dim).0 / own(dim).1)).unzip();
            let of = |matrix: &Distributed, shape: &Sizes, at: &[i64]| matrix.owners(shape, at).expect("a cell")[0];
            of(&lanes, &blocked.threads_per_warp, &lane) + 32 * of(&warps, &blocked.warps_per_cta, &warp)
        });
        let matrix = Distributed::new(&extents, &cells.collect::<Vec<_>>()).expect("a matrix");
        let layout = blocked.to_linear(&shape).expect("a layout");
        let places = Places::new(&layout);
        for element in row_by_row(&shape) {
            let packed = element.iter().zip(&shape).rev().fold(0, |packed, (at, size)| packed * size + at);
            let owners = matrix.owners(&shape, &element).expect("an element");
            let found = threads(&layout, &places, u64::try_from(packed).expect("not negative"));
            if !found.iter().map(|thread| i64::try_from(*thread)).eq(owners.iter().map(|owner| Ok(*owner))) {
                return Err(format!("{blocked:?} on {shape:?}: {element:?} is in {found:?}, not {owners:?}"));
            }
        }
        Ok(())
    });
}

fn row_by_row(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![vec![]], |heads, extent| {
        heads.iter().flat_map(|head| (0..*extent).map(|at| [&head[..], &[at]].concat()).collect::<Vec<_>>()).collect()
    })
}

#[test]
fn a_block_combined_with_its_cluster_is_the_encoding_on_the_shape() {
    run(1000, |choices| {
        let rank = 1 + choices.below(3);
        let blocked = blocked(choices, rank);
        let shape = powers(choices, rank, 8);
        let tile: Sizes = (0..rank)
            .map(|dim| blocked.size_per_thread[dim] * blocked.threads_per_warp[dim] * blocked.warps_per_cta[dim])
            .collect();
        let minor: Vec<Name> =
            blocked.order.iter().map(|dim| Name::dim(usize::try_from(*dim).expect("a dim"))).collect();
        let alone = Blocked { cga: Cga::default(), ..blocked.clone() };
        let combined = alone
            .to_linear(&tile)
            .and_then(|cta| cta.sublayout(&PLACES[..3], &minor)?.transpose_outs(&minor))
            .and_then(|cta| combine_cta_cga_with_shape(&cta, &blocked.cga.to_linear(rank)?, &shape))
            .and_then(|layout| layout.remove_zero_bases_along_dim(Name::REGISTER));
        let combined = combined.map_err(|error| error.to_string())?;
        let direct = blocked.to_linear(&shape).map_err(|error| error.to_string())?;
        if combined == direct { Ok(()) } else { Err(format!("{blocked:?} on {shape:?}: {combined} is not {direct}")) }
    });
}

#[test]
fn clusters_come_back_from_their_older_form_or_the_loss_is_named() {
    run(1000, |choices| {
        let rank = 1 + choices.below(3);
        let ctas = powers(choices, rank, 3);
        let parts: Sizes = ctas.iter().map(|ctas| choices.of(&[1, 2, 4, 8]).min(*ctas)).collect();
        let cga = Cga::from_split(&Split { ctas: ctas.clone(), parts, order: order(choices, rank) }).expect("a split");
        let (split, loss) = cga.to_split(rank).map_err(|error| error.to_string())?;
        let back = Cga::from_split(&split).map_err(|error| error.to_string())?;
        let blocks = |split: &Sizes| split.iter().product::<i64>();
        match loss.is_none() == (back == cga) && blocks(&split.ctas) == blocks(&ctas) {
            true => Ok(()),
            false => Err(format!("{cga:?} is {split:?}, which is {back:?}; loss {loss:?}")),
        }
    });
}

/// A number that parameters may hold by mistake.
fn odd(choices: &mut Choices) -> i64 {
    choices.of(&[1, 2, 4, 16, 32, 8, 0, 3, -1, 64, 1 << 31, 1 << 61, 1 << 62, i64::MAX, i64::MIN])
}

fn odd_list(choices: &mut Choices) -> Sizes {
    let length = choices.of(&[2, 2, 2, 3, 1, 0, 5]);
    (0..length).map(|_| odd(choices)).collect()
}

fn odd_bases(choices: &mut Choices) -> Vec<Sizes> {
    (0..choices.of(&[0, 1, 2, 5, 70])).map(|_| odd_list(choices)).collect()
}

fn odd_encoding(choices: &mut Choices, depth: usize) -> Encoding {
    let cga = Cga { bases: if choices.below(2) == 0 { Vec::new() } else { odd_bases(choices) } };
    let transposed = choices.below(2) == 1;
    let rank = choices.of(&[2, 3, 1, 0, 6, 1000]);
    match choices.below(if depth == 0 { 5 } else { 7 }) {
        0 => Encoding::Blocked(Blocked {
            size_per_thread: odd_list(choices),
            threads_per_warp: odd_list(choices),
            warps_per_cta: odd_list(choices),
            order: choices
                .of(&[&[1, 0][..], &[0, 1], &[0], &[], &[0, 0], &[2, 0, 1], &[-1, 0]])
                .iter()
                .copied()
                .collect(),
            cga,
        }),
        1 => Encoding::NvidiaMma(NvidiaMma {
            version_major: choices.of(&[2, 3, 1, 5, 0, i64::MIN]),
            version_minor: odd(choices),
            warps_per_cta: odd_list(choices),
            instr_shape: odd_list(choices),
            cga,
        }),
        2 => Encoding::AmdMfma(AmdMfma {
            version: choices.of(&[1, 4, 0, 5, i64::MAX]),
            warps_per_cta: odd_list(choices),
            instr_shape: odd_list(choices),
            transposed,
            tiles_per_warp: odd_list(choices),
            element_bits: choices.of(&[32, 64, 0, -1]),
            cga,
        }),
        3 => Encoding::AmdWmma(AmdWmma {
            version: choices.of(&[1, 2, 3, 0, i64::MAX]),
            transposed,
            warp_bases: odd_bases(choices),
            register_bases: odd_bases(choices),
            instr_shape: sizes(&[16, 16, odd(choices)]),
            cga,
            rank,
        }),
        4 => Encoding::Linear(Linear {
            register: odd_bases(choices),
            lane: odd_bases(choices),
            warp: odd_bases(choices),
            block: odd_bases(choices),
            generic: transposed,
            rank,
        }),
        5 => Encoding::DotOperand(DotOperand {
            operand: choices.of(&[0, 1, 2, -1]),
            parent: Box::new(odd_encoding(choices, depth - 1)),
            k_width: odd(choices),
        }),
        _ => Encoding::Slice(Slice {
            dim: choices.of(&[0, 1, 2, -1, i64::MAX, i64::MIN]),
            parent: Box::new(odd_encoding(choices, depth - 1)),
        }),
    }
}

#[test]
fn odd_parameters_are_refused_or_covered_and_never_panic() {
    run(20_000, |choices| {
        let encoding = odd_encoding(choices, 2);
        let shape = odd_list(choices);
        match encoding.to_linear(&shape) {
            Err(_) => Ok(()),
            Ok(layout) if covers(&layout, &shape) => Ok(()),
            Ok(layout) => Err(format!("{encoding:?} on {shape:?} is {layout:?}")),
        }
    });
}

#[test]
fn each_mistake_has_its_code_and_says_the_numbers() {
    let check = |encoding: Encoding, shape: &[i64], code: Code, says: &str| {
        let error = encoding.to_linear(shape).expect_err("a mistake");
        assert_eq!(error.code(), code, "{error:?}");
        assert!(error.message().contains(says), "{error:?} does not say {says}");
    };
    let two = sizes(&[2, 2]);
    let blocked = Blocked {
        size_per_thread: two.clone(),
        threads_per_warp: sizes(&[4, 8]),
        warps_per_cta: two.clone(),
        order: sizes(&[1, 0]),
        cga: Cga::default(),
    };
    let with = |change: &dyn Fn(&mut Blocked)| {
        let mut changed = blocked.clone();
        change(&mut changed);
        Encoding::Blocked(changed)
    };
    let whole = with(&|_| ());
    check(with(&|b| b.order = sizes(&[1, 1])), &[16, 16], Code::OrderNotPermutation, "[1, 1]");
    check(with(&|b| b.threads_per_warp = sizes(&[3, 8])), &[16, 16], Code::SizeNotPowerOfTwo, "threadsPerWarp is 3");
    check(with(&|b| b.warps_per_cta = sizes(&[2])), &[16, 16], Code::RankMismatch, "warpsPerCTA has 1");
    check(whole.clone(), &[16], Code::RankMismatch, "[16]");
    check(whole.clone(), &[16, 24], Code::SizeNotPowerOfTwo, "24");
    check(whole.clone(), &[16, 0], Code::SizeNotPowerOfTwo, "0");
    check(with(&|b| b.cga.bases = vec![sizes(&[0, -1])]), &[16, 16], Code::NegativeBasis, "-1");
    check(whole.clone(), &[1 << 40, 1 << 40], Code::TooLarge, "80");
    check(Encoding::Slice(Slice { dim: 2, parent: Box::new(whole.clone()) }), &[16], Code::SliceDim, "2");
    let operand =
        |operand, k_width, parent| Encoding::DotOperand(DotOperand { operand, parent: Box::new(parent), k_width });
    check(operand(2, 0, whole.clone()), &[16, 16], Code::Parameter, "opIdx is 2");
    check(operand(0, 2, Encoding::Auto), &[16, 16], Code::Parameter, "parent");
    let mma = |version_major, instr_shape: &[i64]| {
        let (warps_per_cta, instr_shape) = (sizes(&[2, 2]), sizes(instr_shape));
        Encoding::NvidiaMma(NvidiaMma {
            version_major,
            version_minor: 0,
            warps_per_cta,
            instr_shape,
            cga: Cga::default(),
        })
    };
    check(mma(1, &[16, 8]), &[64, 64], Code::MmaV1Removed, "1");
    check(mma(4, &[16, 8]), &[64, 64], Code::Parameter, "4");
    check(mma(2, &[16, 8, 16]), &[64, 64], Code::RankMismatch, "3");
    check(mma(3, &[12, 16, 16]), &[64, 64], Code::Parameter, "12");
    check(operand(0, 3, mma(2, &[16, 8])), &[64, 64], Code::SizeNotPowerOfTwo, "kWidth is 3");
    check(operand(1, 2, mma(3, &[16, 16, 16])), &[64, 64], Code::Parameter, "version 3");
    let mfma = |instr_shape: &[i64], transposed| {
        let (warps_per_cta, tiles_per_warp) = (sizes(&[2, 2]), sizes(&[1, 1]));
        let (version, element_bits, instr_shape) = (3, 32, sizes(instr_shape));
        let cga = Cga::default();
        Encoding::AmdMfma(AmdMfma {
            version,
            warps_per_cta,
            instr_shape,
            transposed,
            tiles_per_warp,
            element_bits,
            cga,
        })
    };
    check(mfma(&[64, 4, 4], false), &[64, 64], Code::MfmaTransposed, "64x4");
    check(mfma(&[8, 8, 4], false), &[64, 64], Code::Parameter, "[8, 8, 4]");
    let linear = |lane: &[[i64; 2]], generic| {
        let lane = lane.iter().map(|basis| sizes(basis)).collect();
        Encoding::Linear(Linear { register: vec![], lane, warp: vec![], block: vec![], generic, rank: 2 })
    };
    check(linear(&[[0, 1], [1, 1]], false), &[2, 2], Code::LinearNotPermutation, "[1, 1]");
    check(linear(&[[0, 1], [0, 1]], false), &[2, 2], Code::LinearNotPermutation, "[0, 1]");
    check(linear(&[[0, 2]], true), &[2, 2], Code::NotSurjective, "1 of the 2");
    check(linear(&[[0, 3], [0, 2]], true), &[1, 2], Code::NotSurjective, "0 of the 1");
    assert!(linear(&[[0, 1], [1, 1]], true).to_linear(&[2, 2]).is_ok());
}
