//! Every operation on linear layouts keeps its law: on all small layouts, on random ones, and on whole words.

use crate::common::{Choices, run};
use bitstride::linear::{ColumnAction, Columns, Dim, Dims, LinearLayout, Name};
use bitstride::{Code, Error};
use bitstride_oracle::laws::{self, Violation};
use bitstride_oracle::reference::Linear;

/// The slow twin, which reads the layout's canonical text.
fn twin(layout: &LinearLayout) -> Linear {
    layout.to_string().parse().expect("the canonical text")
}

/// What is said of a broken law or a wrong answer.
type Checked = Result<(), String>;

/// A law about some operands.
fn law(held: Result<(), Violation>, operands: &[&LinearLayout]) -> Checked {
    held.map_err(|violation| {
        let operands: Vec<String> = operands.iter().map(ToString::to_string).collect();
        format!("{violation}, for {}", operands.join(" and "))
    })
}

fn wanted(truth: bool, what: &str, operands: &[&LinearLayout]) -> Checked {
    let operands: Vec<String> = operands.iter().map(ToString::to_string).collect();
    if truth { Ok(()) } else { Err(format!("{what}, for {}", operands.join(" and "))) }
}

/// An answer, where a refusal is a failure.
fn answered<T>(answer: Result<T, Error>, operands: &[&LinearLayout]) -> Result<T, String> {
    let operands = || operands.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
    answer.map_err(|error| format!("{error:?}, for {}", operands()))
}

fn names(dims: &[Dim]) -> Vec<Name> {
    dims.iter().map(|dim| dim.name).collect()
}

fn values(a: &LinearLayout) -> Checked {
    let slow = twin(a);
    wanted(slow.to_string() == a.to_string(), "the text does not come back", &[a])?;
    let fast: Vec<Vec<i64>> = (0..1u64 << a.in_bits()).map(|place| a.unpack(a.apply_packed(place)).to_vec()).collect();
    law(laws::linear(&fast), &[a])?;
    let table = slow.table().map_err(|error| error.to_string())?;
    for ((place, image), fast) in table.iter().zip(&fast) {
        let wanted_values: Vec<i64> = slow.outs().iter().map(|(name, _)| image[name]).collect();
        wanted(*fast == wanted_values, "a value differs", &[a])?;
        let place: Vec<(Name, i64)> = a.ins().iter().map(|dim| (dim.name, place[dim.name.as_str()])).collect();
        let applied: Vec<i64> = answered(a.apply(&place), &[a])?.into_iter().map(|(_, value)| value).collect();
        wanted(applied == wanted_values, "apply differs", &[a])?;
    }
    let (images, places) = (slow.image().map_err(|error| error.to_string())?.len(), table.len());
    wanted(images == 1 << a.rank(), "the rank differs", &[a])?;
    wanted(a.is_injective() == (images == places), "injective or not", &[a])?;
    wanted(a.is_surjective() == (images == 1 << a.out_bits()), "surjective or not", &[a])?;
    let rows = a.matrix();
    let entry = |row: usize, column: usize| a.columns()[column] >> row & 1;
    let same = (0..rows.len()).all(|row| (0..a.columns().len()).all(|at| u64::from(rows[row][at]) == entry(row, at)));
    wanted(same && rows.len() == a.rows().len(), "the matrix differs", &[a])?;
    wanted(a.zeros_like().columns().iter().all(|column| *column == 0), "zeros_like is not 0", &[a])
}

fn inverses(a: &LinearLayout) -> Checked {
    match a.pseudoinvert() {
        Ok(inverse) => law(laws::linear_pseudoinvert(&twin(a), &twin(&inverse)), &[a])?,
        Err(error) => wanted(!a.is_surjective() && error.code() == Code::ImageNotContained, "no right inverse", &[a])?,
    }
    match (a.invert(), a.bruhat()) {
        (Ok(inverse), Ok(form)) => {
            law(laws::linear_invert(&twin(a), &twin(&inverse)), &[a])?;
            let [inner, permutation, outer] = [&form.inner, &form.permutation, &form.outer].map(twin);
            law(laws::linear_bruhat(&twin(a), &inner, &permutation, &outer), &[a])
        }
        (Err(one), Err(other)) => {
            let codes = one.code() == Code::NotInvertible && other.code() == Code::NotInvertible;
            wanted(codes && !a.is_invertible(), "no inverse", &[a])
        }
        _ => Err(format!("either an inverse or a Bruhat form is missing, for {a}")),
    }
}

fn dims(a: &LinearLayout) -> Checked {
    let slow = twin(a);
    let each = |answer: Result<LinearLayout, Error>| answered(answer, &[a]).map(|answer| twin(&answer));
    law(laws::linear_reshape_ins(&slow, &each(a.flatten_ins())?), &[a])?;
    law(laws::linear_reshape_outs(&slow, &each(a.flatten_outs())?), &[a])?;
    let flat = 1 << a.out_bits();
    law(laws::linear_tensor_reshape(&slow, &each(a.tensor_reshape(&[flat]))?), &[a])?;
    law(laws::linear_tensor_reshape(&slow, &each(a.tensor_reshape(&[1, flat, 1]))?), &[a])?;
    let (mut ins, mut outs) = (names(a.ins()), names(a.outs()));
    ins.reverse();
    let turn = outs.len().min(1);
    outs.rotate_left(turn);
    law(laws::linear_transpose(&slow, &each(a.transpose_ins(&ins))?), &[a])?;
    law(laws::linear_transpose(&slow, &each(a.transpose_outs(&outs))?), &[a])?;
    let order: Vec<usize> = (0..outs.len()).rev().collect();
    law(laws::linear_tensor_transpose(&slow, &order, &each(a.tensor_transpose(&order))?), &[a])?;
    for dim in a.ins() {
        for size in [1, 2, 8] {
            let answer = each(a.resize_in_dim(dim.name, size))?;
            law(laws::linear_resize_in_dim(&slow, dim.name.as_str(), size, &answer), &[a])?;
        }
        let squeezed = a.squeeze_ins(dim.name);
        wanted(squeezed.is_ok() == (dim.bits == 0), "a dim that is not 1 was squeezed, or one that is was not", &[a])?;
        if let Ok(answer) = squeezed {
            law(laws::linear_sublayout(&slow, &twin(&answer)), &[a])?;
        }
        let renamed = each(a.rename_in_dim(dim.name, Name::COL))?;
        law(laws::linear_rename(&slow, dim.name.as_str(), "col", &renamed), &[a])?;
        law(
            laws::linear_remove_zero_bases(&slow, dim.name.as_str(), &each(a.remove_zero_bases_along_dim(dim.name))?),
            &[a],
        )?;
    }
    for dim in a.outs() {
        for size in [1, 2, 4] {
            match a.resize_out_dim(dim.name, size) {
                Ok(answer) => {
                    law(laws::linear_resize_out_dim(&slow, dim.name.as_str(), size, &twin(&answer)), &[a])?;
                }
                Err(error) => {
                    wanted(error.code() == Code::ResizeOutOnlyShrinks && size > dim.size(), "no resize", &[a])?;
                }
            }
        }
        let renamed = each(a.rename_out_dim(dim.name, Name::COL))?;
        law(laws::linear_rename(&slow, dim.name.as_str(), "col", &renamed), &[a])?;
        let n = answered(a.contiguous_elems_along_out_dim(dim.name), &[a])?;
        law(laws::linear_contiguous(&slow, dim.name.as_str(), n), &[a])?;
        for input in a.ins() {
            let answer = answered(a.sublayout(&[input.name], &[dim.name]), &[a])?;
            law(laws::linear_sublayout(&slow, &twin(&answer)), &[a])?;
            let zero = answered(a.sublayout_is_zero(&[input.name], &[dim.name]), &[a])?;
            wanted(zero == answer.columns().iter().all(|column| *column == 0), "zero or not", &[a])?;
        }
    }
    law(laws::linear_consecutive(&slow, a.num_consecutive_in_out()), &[a])
}

fn subspaces(a: &LinearLayout) -> Checked {
    let slow = twin(a);
    law(laws::linear_kernel(&slow, &twin(&answered(a.kernel(), &[a])?)), &[a])?;
    law(laws::linear_image(&slow, &twin(&answered(a.image(), &[a])?)), &[a])?;
    let masks: Vec<(String, u64)> =
        a.free_variable_masks().iter().map(|(name, mask)| (name.to_string(), *mask)).collect();
    law(laws::linear_free_variables(&slow, &masks), &[a])?;
    wanted(!a.describe().is_empty(), "no words", &[a])
}

fn registers(a: &LinearLayout) -> Checked {
    let action = answered(a.action_remove_broadcasted_regs(), &[a])?;
    let answer = answered(action.apply(a), &[a])?;
    law(laws::linear_remove_zero_bases(&twin(a), "register", &twin(&answer)), &[a])?;
    law(laws::linear_action(&twin(a), "register", action.picks(), &twin(&answer)), &[a])?;
    let offsets = answered(a.rename_out_dim(Name::dim(0), Name::OFFSET), &[a])?;
    for (most, limit) in [(None, 4), (Some(2), 2)] {
        let (n, action) = answered(offsets.largest_vectorisation(32, most), &[a])?;
        let moved = answered(action.apply(&offsets), &[a])?;
        wanted(n <= limit && (most.is_none() || action.is_identity()), "a vector beyond its limit", &[a])?;
        law(laws::linear_vector(&twin(&moved), n), &[&moved])?;
    }
    Ok(())
}

/// The map of a layout from register and lane to register and lane.
fn quotients(a: &LinearLayout) -> Checked {
    let map = answered(a.rename_out_dim(Name::dim(0), Name::REGISTER), &[a])?;
    let map = answered(map.rename_out_dim(Name::dim(1), Name::LANE), &[a])?;
    for dims in [&[][..], &[Name::REGISTER], &[Name::LANE], &[Name::LANE, Name::REGISTER], &[Name::WARP]] {
        let texts: Vec<String> = dims.iter().map(Name::to_string).collect();
        wanted(map.is_trivial_over(dims) == map.quotient(dims).is_some(), "trivial, yet no quotient", &[&map])?;
        match map.quotient(dims) {
            Some(answer) => law(laws::linear_quotient(&twin(&map), &texts, &twin(&answer)), &[&map])?,
            None => law(laws::linear_quotient_refusal(&twin(&map), &texts), &[&map])?,
        }
    }
    let square = answered(map.square_sublayout_is_identity(&[Name::LANE]), &[&map])?;
    let part = answered(map.sublayout(&[Name::LANE], &[Name::LANE]), &[&map])?;
    wanted(square == part.is_trivial_over(&[Name::LANE]), "a square part is the identity or not", &[&map])
}

fn alone(a: &LinearLayout) -> Checked {
    values(a)?;
    inverses(a)?;
    dims(a)?;
    subspaces(a)
}

/// A product, and what is left of it without either factor.
fn factors(a: &LinearLayout, b: &LinearLayout) -> Checked {
    let operands = &[a, b];
    let (slow_a, slow_b) = (twin(a), twin(b));
    let product = answered(a.product(b), operands)?;
    let slow = twin(&product);
    law(laws::linear_product(&slow_a, &slow_b, &slow), operands)?;
    for (rest, left) in [(product.divide_left(a), true), (product.divide_right(b), false)] {
        let Some(rest) = rest else { return Err(format!("a factor of {a} * {b} does not divide it")) };
        let (first, second) = if left { (a, &rest) } else { (&rest, b) };
        wanted(answered(first.product(second), operands)? == product, "another product", operands)?;
        let held = match left {
            true => laws::linear_divide_left(&slow, &slow_a, &twin(&rest)),
            false => laws::linear_divide_right(&slow, &slow_b, &twin(&rest)),
        };
        law(held, operands)?;
    }
    Ok(())
}

fn pair(a: &LinearLayout, b: &LinearLayout) -> Checked {
    let operands = &[a, b];
    let (slow_a, slow_b) = (twin(a), twin(b));
    factors(a, b)?;
    for left in [true, false] {
        let rest = if left { a.divide_left(b) } else { a.divide_right(b) };
        match (rest, left) {
            (Some(rest), true) => law(laws::linear_divide_left(&slow_a, &slow_b, &twin(&rest)), operands)?,
            (Some(rest), false) => law(laws::linear_divide_right(&slow_a, &slow_b, &twin(&rest)), operands)?,
            (None, _) => law(laws::linear_divide_refusal(&slow_a, &slow_b, left), operands)?,
        }
    }
    for (answer, x, y) in [(a.invert_and_compose(b), a, b), (b.lstsq(a), a, b)] {
        match answer {
            Ok(answer) => law(laws::linear_invert_and_compose(&twin(x), &twin(y), &twin(&answer)), operands)?,
            Err(error) if error.code() == Code::ImageNotContained => {
                law(laws::linear_invert_and_compose_refusal(&twin(x), &twin(y)), operands)?;
            }
            Err(error) => wanted(error.code() == Code::OuterCodomainTooSmall, "another error", operands)?,
        }
    }
    if let Ok(answer) = b.minimal_cvt(a) {
        law(laws::linear_minimal_cvt(&slow_b, &slow_a, &twin(&answer)), operands)?;
    }
    if let Some(answer) = a.get_reps(b) {
        law(laws::linear_reps(&slow_a, &slow_b, &twin(&answer)), operands)?;
    }
    together(a, b)
}

/// Compositions and concatenations, after the names are made to fit.
fn together(a: &LinearLayout, b: &LinearLayout) -> Checked {
    let operands = &[a, b];
    let rename = |layout: &LinearLayout, from: Name, to: Name| answered(layout.rename_in_dim(from, to), operands);
    let outer = rename(&rename(b, Name::REGISTER, Name::dim(1))?, Name::LANE, Name::dim(0))?;
    match a.compose(&outer) {
        Ok(answer) => law(laws::linear_compose(&twin(a), &twin(&outer), &twin(&answer)), operands)?,
        Err(error) => wanted(error.code() == Code::OuterDomainTooSmall, "another error", operands)?,
    }
    let other = rename(&rename(b, Name::REGISTER, Name::ROW)?, Name::LANE, Name::COL)?;
    match a.concat_ins(&other) {
        Ok(answer) => law(laws::linear_concat_ins(&twin(a), &twin(&other), &twin(&answer)), operands)?,
        Err(_) => wanted(a.outs() != other.outs(), "the out dims agree", operands)?,
    }
    let other = answered(b.rename_out_dim(Name::dim(0), Name::ROW), operands)?;
    let other = answered(other.rename_out_dim(Name::dim(1), Name::COL), operands)?;
    match a.concat_outs(&other) {
        Ok(answer) => law(laws::linear_concat_outs(&twin(a), &twin(&other), &twin(&answer)), operands),
        Err(_) => wanted(a.ins() != other.ins(), "the in dims agree", operands),
    }
}

/// All layouts from register and lane to dim0 and dim1 with these bits a side.
fn every(ins: [u32; 2], outs: [u32; 2]) -> impl Iterator<Item = LinearLayout> {
    let (wide, tall) = (ins.iter().sum::<u32>(), outs.iter().sum::<u32>());
    let sides = [[Name::REGISTER, Name::LANE], [Name::dim(0), Name::dim(1)]];
    let dims = move |side: usize, bits: [u32; 2]| -> Dims {
        sides[side].iter().zip(bits).map(|(name, bits)| Dim { name: *name, bits }).collect()
    };
    (0..1u64 << (wide * tall)).map(move |word| {
        let columns = (0..wide).map(|at| word >> (at * tall) & ((1 << tall) - 1)).collect();
        LinearLayout::from_columns(dims(0, ins), dims(1, outs), columns).expect("columns that fit")
    })
}

fn small(most: u32) -> Vec<LinearLayout> {
    let sizes = || (0..=most).flat_map(move |first| (0..=most - first).map(move |second| [first, second]));
    sizes().flat_map(|ins| sizes().flat_map(move |outs| every(ins, outs))).collect()
}

#[test]
fn all_small_layouts() {
    for layout in small(2).iter().chain(&every([3, 0], [2, 1]).chain(every([1, 2], [1, 2])).collect::<Vec<_>>()) {
        assert_eq!(alone(layout).and_then(|()| registers(layout)).and_then(|()| quotients(layout)), Ok(()));
    }
}

#[test]
fn all_small_pairs() {
    let all = small(2);
    for (at, a) in all.iter().enumerate() {
        // Every layout meets every third other one, each pair of kinds among them.
        for b in all.iter().skip(at % 3).step_by(3) {
            assert_eq!(pair(a, b), Ok(()));
        }
    }
}

/// A layout of up to 8 bits a side, most of its columns single bits.
fn random(choices: &mut Choices, ins: &[Name], outs: &[Name]) -> LinearLayout {
    let mut bits = |names: &[Name]| -> Dims {
        names.iter().map(|name| Dim { name: *name, bits: choices.of(&[1, 2, 0, 3]) }).collect()
    };
    let (ins, outs) = (bits(ins), bits(outs));
    let tall: u32 = outs.iter().map(|dim| dim.bits).sum();
    let one = |choices: &mut Choices| 1u64.checked_shl(u32::try_from(choices.below(9)).unwrap_or(0)).unwrap_or(0);
    let columns: Columns = (0..ins.iter().map(|dim| dim.bits).sum())
        .map(|_: u32| {
            let (first, second) = (one(choices), one(choices));
            (if choices.once_in(3) { first ^ second } else { first }) & ((1 << tall) - 1)
        })
        .collect();
    LinearLayout::from_columns(ins, outs, columns).expect("columns that fit")
}

const INS: [Name; 2] = [Name::REGISTER, Name::LANE];

#[test]
fn random_layouts() {
    run(1000, |choices| {
        let three = [Name::REGISTER, Name::LANE, Name::WARP];
        alone(&random(choices, &three, &[Name::dim(1), Name::dim(0), Name::dim(2)]))?;
        let two = random(choices, &INS, &[Name::dim(0), Name::dim(1)]);
        registers(&two)?;
        quotients(&two)
    });
}

#[test]
fn random_pairs() {
    run(1500, |choices| {
        let outs = [Name::dim(0), Name::dim(1)];
        pair(&random(choices, &INS, &outs), &random(choices, &INS, &outs))
    });
}

/// Some of these names in any order.
fn some(choices: &mut Choices, names: &[Name]) -> Vec<Name> {
    let mut left = names.to_vec();
    (0..choices.below(names.len() + 1)).map(|_| left.remove(choices.below(left.len()))).collect()
}

#[test]
fn factors_with_dims_in_any_order() {
    const INS: [Name; 4] = [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK];
    let any = |choices: &mut Choices| {
        let (ins, outs) = (some(choices, &INS), some(choices, &[0, 1, 2, 3].map(Name::dim)));
        let layout = random(choices, &ins, &outs);
        // Half of all dims have size 1, so that nothing but their order is left of a product.
        let kept = |dims: &[Dim], choices: &mut Choices| -> Vec<Name> {
            dims.iter().map(|dim| dim.name).filter(|_| choices.once_in(2)).collect()
        };
        let (small_ins, small_outs) = (kept(layout.ins(), choices), kept(layout.outs(), choices));
        let layout = small_ins.iter().try_fold(layout, |layout, name| layout.resize_in_dim(*name, 1));
        layout.and_then(|layout| small_outs.iter().try_fold(layout, |layout, name| layout.resize_out_dim(*name, 1)))
    };
    run(3000, |choices| {
        let (a, b) = (answered(any(choices), &[])?, answered(any(choices), &[])?);
        factors(&a, &b)
    });
}

#[test]
fn random_actions() {
    run(1000, |choices| {
        let layout = random(choices, &INS, &[Name::dim(0), Name::dim(1)]);
        let bits = layout.ins()[0].bits;
        let mut picks: Vec<u32> = (0..bits).collect();
        let turn = choices.below(picks.len());
        picks.rotate_left(turn);
        picks.truncate(choices.below(5));
        let action = answered(ColumnAction::new(Name::REGISTER, &picks, bits), &[&layout])?;
        let answer = answered(action.apply(&layout), &[&layout])?;
        law(laws::linear_action(&twin(&layout), "register", &picks, &twin(&answer)), &[&layout])?;
        let registers: Vec<u64> = (0..1 << bits).collect();
        let kept = answered(action.apply_to(&registers), &[&layout])?;
        let same = kept.iter().zip(0..).all(|(old, new)| layout.apply_packed(*old) == answer.apply_packed(new));
        wanted(same && kept.len() == 1 << picks.len(), "the registers do not follow the layout", &[&layout])?;
        let next = answered(ColumnAction::new(Name::REGISTER, &[0][..picks.len().min(1)], answer.ins()[0].bits), &[])?;
        let both = answered(action.then(&next), &[&layout])?;
        let twice = answered(next.apply(&answer), &[&layout])?;
        wanted(answered(both.apply(&layout), &[&layout])? == twice, "two actions are not one", &[&layout])?;
        match action.inverse() {
            Ok(back) => {
                wanted(answered(action.then(&back), &[&layout])?.is_identity(), "no inverse action", &[&layout])
            }
            Err(error) => wanted(error.code() == Code::NotInvertible && picks.len() < kept.len(), "no inverse", &[]),
        }
    });
}

#[test]
fn registers_of_a_tile_come_first_or_last() {
    run(1000, |choices| {
        let outs = [Name::dim(0), Name::dim(1)];
        let (tile, rest) = (random(choices, &INS[..1], &outs), random(choices, &INS, &outs));
        let whole = answered(tile.product(&rest), &[&tile, &rest])?;
        let mut picks: Vec<u32> = (0..whole.ins()[0].bits).collect();
        let turn = choices.below(picks.len());
        picks.rotate_left(turn);
        let mixed = answered(ColumnAction::new(Name::REGISTER, &picks, whole.ins()[0].bits), &[&whole])?;
        let mixed = answered(mixed.apply(&whole), &[&whole])?;
        let operands = &[&mixed, &tile];
        let action =
            mixed.reg_perm_for_divide(&tile, true).ok_or_else(|| format!("no action, for {mixed} and {tile}"))?;
        let moved = answered(action.apply(&mixed), operands)?;
        let rest = moved.divide_left(&tile).ok_or_else(|| format!("{tile} does not divide {moved}"))?;
        law(laws::linear_divide_left(&twin(&moved), &twin(&tile), &twin(&rest)), operands)?;
        // The same from the other end.
        let turned = answered(rest.product(&tile), operands)?;
        let action = turned.reg_perm_for_divide(&tile, false).ok_or_else(|| format!("no action, for {turned}"))?;
        let moved = answered(action.apply(&turned), operands)?;
        wanted(moved.divide_right(&tile).is_some(), "the tile does not divide on the right", operands)
    });
}

/// A layout of 64 bits a side, its columns random words.
fn word(choices: &mut Choices) -> LinearLayout {
    let mut state = (0..8).fold(1u64, |state, _| state << 8 | u64::try_from(choices.below(256)).unwrap_or(0)) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let sparse = choices.once_in(3);
    let columns = (0..64u64).map(|at| if sparse { 1 << (63 - at) } else { next() }).collect();
    let cut = choices.of(&[2, 62, 32, 7]);
    let dims = |names: [Name; 2]| -> Dims {
        names.iter().zip([cut, 64 - cut]).map(|(name, bits)| Dim { name: *name, bits }).collect()
    };
    LinearLayout::from_columns(dims(INS), dims([Name::dim(0), Name::dim(1)]), columns).expect("64 bits a side")
}

#[test]
fn whole_words() {
    run(300, |choices| {
        let (a, b) = (word(choices), word(choices));
        let identity = |dims: &[Dim]| {
            let units = (0..64).map(|bit| 1u64 << bit).collect();
            LinearLayout::from_columns(dims.iter().copied().collect(), dims.iter().copied().collect(), units)
        };
        if let Ok(inverse) = a.invert() {
            wanted(a.compose(&inverse) == identity(a.ins()), "no left inverse", &[&a])?;
            wanted(inverse.compose(&a) == identity(a.outs()), "no right inverse", &[&a])?;
            let form = answered(a.bruhat(), &[&a])?;
            let back = form.inner.compose(&form.permutation).and_then(|turned| turned.compose(&form.outer));
            wanted(back == Ok(a.clone()), "the Bruhat form is of another layout", &[&a])?;
        }
        let kernel = answered(a.kernel(), &[&a])?;
        let zero = answered(kernel.compose(&a), &[&a])?;
        wanted(zero.columns().iter().all(|column| *column == 0), "the kernel is not sent to 0", &[&a])?;
        wanted(kernel.rank() + a.rank() == 64, "rank and nullity", &[&a])?;
        if let Ok(answer) = a.invert_and_compose(&b) {
            wanted(answer.compose(&b) == Ok(a.clone()), "B(C(x)) is not A(x)", &[&a, &b])?;
        }
        wanted(a.product(&b).is_err_and(|error| error.code() == Code::TooLarge), "128 bits", &[&a, &b])?;
        wanted(a.flatten_ins().is_err_and(|error| error.code() == Code::TooLarge), "one dim of 64 bits", &[&a])?;
        wanted(a.product(&LinearLayout::empty()) == Ok(a.clone()), "the empty layout is no unit", &[&a])?;
        wanted(a.divide_left(&a).is_some_and(|rest| rest.in_bits() == 0), "a layout does not divide itself", &[&a])?;
        wanted(a.divide_right(&a).is_some_and(|rest| rest.in_bits() == 0), "a layout does not divide itself", &[&a])?;
        for dim in a.outs() {
            answered(a.resize_out_dim(dim.name, 2), &[&a])?;
            answered(a.contiguous_elems_along_out_dim(dim.name), &[&a])?;
            answered(a.sublayout(&[Name::LANE], &[dim.name]), &[&a])?;
        }
        let turned = a.tensor_transpose(&[1, 0]).and_then(|turned| turned.tensor_transpose(&[1, 0]));
        wanted(turned == Ok(a.clone()), "transposed twice", &[&a])?;
        let sizes: Vec<i64> = a.outs().iter().map(Dim::size).collect();
        wanted(a.tensor_reshape(&sizes) == Ok(a.clone()), "reshaped to its own shape", &[&a])?;
        wanted(twin(&a).to_string() == a.to_string(), "the text does not come back", &[&a])?;
        wanted(a.describe().len() >= 2 && a.num_consecutive_in_out() >= 1, "no words", &[&a])?;
        wanted(a.quotient(&INS).is_none() && !a.to_triton_string().is_empty(), "a quotient", &[&a])
    });
}

#[test]
fn odd_input_is_refused() -> Result<(), Error> {
    let layout = LinearLayout::identity(4, Name::LANE, Name::dim(0))?;
    let code =
        |answer: Result<LinearLayout, Error>| answer.map(|layout| layout.to_string()).map_err(|error| error.code());
    let (lane, absent, row) = (Name::LANE, Name::WARP, Name::dim(0));
    assert_eq!(code(layout.reshape_ins(&[(lane, 8)])), Err(Code::Range));
    assert_eq!(code(layout.reshape_ins(&[(lane, 3)])), Err(Code::SizeNotPowerOfTwo));
    assert_eq!(code(layout.reshape_ins(&[(lane, 2), (lane, 2)])), Err(Code::DimNamesMismatch));
    assert_eq!(code(layout.reshape_outs(&[(lane, i64::MIN), (row, i64::MAX)])), Err(Code::SizeNotPowerOfTwo));
    assert_eq!(code(layout.tensor_reshape(&[0])), Err(Code::SizeNotPowerOfTwo));
    assert_eq!(code(layout.tensor_reshape(&[1 << 62; 3])), Err(Code::Range));
    assert_eq!(code(layout.tensor_transpose(&[0, 0])), Err(Code::OrderNotPermutation));
    assert_eq!(code(layout.transpose_ins(&[lane, lane])), Err(Code::DimNamesMismatch));
    assert_eq!(code(layout.transpose_outs(&[])), Err(Code::DimNamesMismatch));
    assert_eq!(code(layout.squeeze_ins(absent)), Err(Code::MissingDim));
    assert_eq!(code(layout.squeeze_ins(lane)), Err(Code::SqueezedDimNotUnit));
    assert_eq!(code(layout.resize_in_dim(lane, -4)), Err(Code::SizeNotPowerOfTwo));
    assert_eq!(code(layout.resize_in_dim(absent, 4)), Err(Code::MissingDim));
    assert_eq!(code(layout.resize_out_dim(row, 8)), Err(Code::ResizeOutOnlyShrinks));
    assert_eq!(code(layout.rename_in_dim(absent, lane)), Err(Code::MissingDim));
    assert_eq!(code(layout.sublayout(&[absent], &[row])), Err(Code::MissingDim));
    assert_eq!(code(layout.concat_ins(&layout)), Err(Code::DimNamesMismatch));
    assert_eq!(code(layout.concat_outs(&LinearLayout::identity(8, lane, absent)?)), Err(Code::Range));
    assert_eq!(code(layout.remove_zero_bases_along_dim(absent)), Err(Code::MissingDim));
    assert_eq!(layout.largest_vectorisation(32, None).map_err(|error| error.code()), Err(Code::MissingDim));
    let offsets = LinearLayout::identity(4, Name::REGISTER, Name::OFFSET)?;
    for (width, most) in [(0, None), (129, None), (-1, None), (8, Some(0)), (i64::MIN, Some(i64::MIN))] {
        let answer = offsets.largest_vectorisation(width, most).map_err(|error| error.code());
        assert_eq!(answer, Err(Code::Range), "{width} {most:?}");
    }
    let (n, _) = offsets.largest_vectorisation(8, Some(i64::MAX))?;
    assert_eq!(n, 4);
    assert_eq!(ColumnAction::new(lane, &[0, 0], 2).map_err(|error| error.code()), Err(Code::OrderNotPermutation));
    assert_eq!(ColumnAction::new(lane, &[u32::MAX], 2).map_err(|error| error.code()), Err(Code::OrderNotPermutation));
    let action = ColumnAction::new(lane, &[1], 2)?;
    assert_eq!(action.apply_to(&[1, 2, 3]).map_err(|error| error.code()), Err(Code::RankMismatch));
    assert_eq!(action.then(&action).map_err(|error| error.code()), Err(Code::RankMismatch));
    Ok(())
}
