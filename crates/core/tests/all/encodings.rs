//! Encodings in registers keep their laws: on random parameters, valid and odd.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::common::random_encodings::{
    blocked, encoding, foreign, int, memory, odd_encoding, odd_list, order, powers, sizes,
};
use crate::common::{run, slow};
use bitstride::Code;
use bitstride::linear::{LinearLayout, Name, Places};
use bitstride::triton::{
    AmdMfma, AmdWmma, Blocked, Cga, Distributed, DotOperand, Encoding, EncodingStep, Linear, NvidiaMma, Sizes, Slice,
    Split, combine_cta_cga_with_shape, combine_cta_cga_with_shape_traced,
};

const PLACES: [Name; 4] = [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK];

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

/// What is reported is what is done: the tile has the bases that were taken, on the cluster and the shape it is the answer, and
/// the answer does not depend on who listens.
#[test]
fn the_steps_of_an_encoding_lead_to_its_layout() {
    let led = Cell::new(0);
    run(4000, |choices| {
        let (encoding, rank) = encoding(choices, 2);
        let shape = if choices.once_in(2) { foreign(choices, rank) } else { powers(choices, rank, 8) };
        let mut steps = Vec::new();
        let answer = encoding.to_linear_traced(&shape, &mut steps);
        let wrong = |what: &str| Err(format!("{encoding} on {shape:?}: {what} {steps:?}"));
        if answer != encoding.to_linear(&shape) {
            return wrong("another answer where steps are kept");
        }
        let whole = steps.iter().find_map(|step| match step {
            EncodingStep::Tile { tile, cga } => Some((tile.as_deref()?, cga)),
            _ => None,
        });
        let (Ok(answer), Some((tile, cga))) = (answer, whole) else { return Ok(()) };
        let mut bases: BTreeMap<Name, Vec<Vec<i64>>> = BTreeMap::new();
        for step in &steps {
            match step {
                EncodingStep::Takes { place, dim, start, bits } => {
                    let unit = |bit: u32| {
                        tile.outs().iter().map(|out| i64::from(out.name == Name::dim(*dim)) << bit).collect()
                    };
                    bases.entry(*place).or_default().extend((*start..start + bits).map(unit));
                }
                EncodingStep::Repeats { place, bits } => {
                    bases.entry(*place).or_default().extend((0..*bits).map(|_| vec![0; rank]));
                }
                _ => {}
            }
        }
        let bases: Vec<_> = PLACES[..3].iter().map(|place| (*place, bases.remove(place).unwrap_or_default())).collect();
        let outs: Vec<_> = tile.outs().iter().map(|out| (out.name, out.size())).collect();
        if LinearLayout::from_bases(&bases, &outs).as_ref() != Ok(tile) {
            return wrong("the tile has other bases than were taken");
        }
        let fitted = cga.to_linear(rank).and_then(|cluster| {
            let mut fits = Vec::new();
            let fitted = combine_cta_cga_with_shape_traced(tile, &cluster, &shape, &mut fits)?;
            assert!(fits.iter().all(|fit| steps.contains(fit)), "{fits:?} are not {steps:?}");
            match steps.last() {
                Some(EncodingStep::Drops { bases: 1.. }) => fitted.remove_zero_bases_along_dim(Name::REGISTER),
                _ => Ok(fitted),
            }
        });
        led.set(led.get() + 1);
        if fitted.as_ref() == Ok(&answer) {
            Ok(())
        } else {
            wrong(&format!("fitted they are {fitted:?}, not {answer}"))
        }
    });
    assert!(led.get() > 2000, "{} layouts have steps", led.get());
}

/// Whether every element of a slow twin has a place.
fn covered(layout: &bitstride_oracle::reference::Linear) -> bool {
    let size: i64 = layout.outs().iter().map(|(_, size)| size).product();
    layout.image().is_ok_and(|image| i64::try_from(image.len()) == Ok(size))
}

/// Where an element may be found, registers forgotten.
pub(crate) fn threads(layout: &LinearLayout, places: &Places, element: u64) -> BTreeSet<u64> {
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
    check(operand(0, 2, whole.clone()), &[16, 16], Code::Parameter, "kWidth is 2");
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
    let wmma = |version, instr_shape: &[i64]| {
        Encoding::AmdWmma(AmdWmma {
            version,
            transposed: false,
            warp_bases: Vec::new(),
            register_bases: Vec::new(),
            instr_shape: sizes(instr_shape),
            cga: Cga::default(),
            rank: 2,
        })
    };
    for (version, shapes) in [
        (1, vec![[16, 16, 32], [32, 16, 16]]),
        (2, vec![[16, 16, 64], [16, 16, 8], [32, 16, 16]]),
        (3, vec![[16, 16, 16], [16, 16, 256], [32, 16, 32], [32, 32, 64]]),
    ] {
        for shape in shapes {
            check(wmma(version, &shape), &[64, 64], Code::Parameter, &format!("{shape:?} in version {version}"));
            check(operand(0, 8, wmma(version, &shape)), &[64, 64], Code::Parameter, &format!("{shape:?}"));
        }
    }
    check(wmma(3, &[16, 16]), &[64, 64], Code::Parameter, "[16, 16]");
    for (version, depth, widths) in [(1, 16, vec![0, 1, 2, 4, 32]), (2, 16, vec![0, 1, 2, 32, 64]), (3, 32, vec![0, 3])]
    {
        for width in widths {
            let operand = operand(0, width, wmma(version, &[16, 16, depth]));
            assert!(operand.to_linear(&[64, 64]).is_err(), "{operand}");
        }
    }
    check(operand(1, 4, wmma(1, &[16, 16, 16])), &[64, 64], Code::Parameter, "8, 16");
    for (version, depth, widths) in [(1, 16, vec![8, 16]), (2, 32, vec![4, 8, 16]), (3, 64, vec![1, 2, 4, 8, 16, 32])] {
        for width in widths {
            let operand = operand(1, width, wmma(version, &[16, 16, depth]));
            assert!(operand.to_linear(&[64, 64]).is_ok(), "{operand}");
        }
    }
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
