//! Swizzles and the layouts under them keep their laws: on all small swizzles with random layouts.

use std::cell::Cell;

use crate::common::{Choices, operands, run};
use bitstride::cute::{self, Function, Swizzle, Tiler, left_inverse, zipped_divide};
use bitstride::{Class, Error, Int, Layout, Stride, StrideLeaf, Tuple};
use bitstride_oracle::laws::{self, Violation};
use bitstride_oracle::reference;

/// Swizzles of few bits.
fn all_small() -> Vec<Swizzle> {
    let numbers = || 0..=3;
    let every =
        numbers().flat_map(|bits| numbers().flat_map(move |base| (-4..=4).map(move |shift| (bits, base, shift))));
    every.filter_map(|(bits, base, shift)| Swizzle::new(bits, base, shift).ok()).collect()
}

fn plain<T: std::str::FromStr<Err = reference::OracleError>>(value: &impl std::fmt::Display) -> Result<T, Violation> {
    Ok(value.to_string().parse::<T>()?)
}

/// The values of a function of offsets on its domain.
fn values_of(function: &Function) -> Result<Vec<i64>, Error> {
    let size = function.domain()?.size()?.as_number()?;
    (0..size).map(|index| value(function, index)).collect()
}

fn value(function: &Function, index: i64) -> Result<i64, Error> {
    match function.offset_at(&Tuple::leaf(Int::from(index)))? {
        Stride::Int(n) => n.as_number(),
        basis => basis.as_integer().map_or(Ok(0), Int::as_number),
    }
}

/// A swizzled layout of a random case, with its parts.
struct Case {
    swizzle: Swizzle,
    offset: i64,
    layout: Layout,
    function: Function,
    twin: reference::Swizzle,
    inner: reference::Layout,
}

impl Case {
    fn of(choices: &mut Choices, swizzles: &[Swizzle]) -> Result<(Self, crate::common::Operands<i64, i64>), Violation> {
        let swizzle = choices.of(swizzles);
        let offset = choices.of(&[0, 0, 0, 4, 8, 1, 16, 32]);
        let operands = operands(choices, 128);
        let layout = operands.a.to_dynamic();
        let function =
            Function::compose(Function::Swizzle(swizzle), Int::from(offset), Function::Layout(layout.clone()));
        let (twin, inner) = (plain(&swizzle)?, plain(&layout)?);
        Ok((Case { swizzle, offset, layout, function, twin, inner }, operands))
    }
}

/// Runs a property that answers whether there was an answer; enough of them must be.
fn hold(
    cases: u32,
    answered: u32,
    property: impl Fn(&Case, &crate::common::Operands<i64, i64>, &mut Choices) -> Result<bool, Violation>,
) {
    let swizzles = all_small();
    let seen = Cell::new(0);
    run(cases, |choices| {
        let case = Case::of(choices, &swizzles).and_then(|(case, operands)| {
            let held = property(&case, &operands, choices);
            held.map_err(|violation| Violation {
                witness: format!("{}\n  {}\n  {operands}", violation.witness, case.function),
                ..violation
            })
        });
        match case {
            Ok(answered) => seen.set(seen.get() + u32::from(answered)),
            Err(violation) if violation.is_undecided() => {}
            Err(violation) => return Err(violation.to_string()),
        }
        Ok(())
    });
    assert!(seen.get() >= answered, "only {} of {cases} were answered", seen.get());
}

/// The values of an answer, or nothing where it was refused or its facts were missing.
fn answered(answer: Result<Function, Error>) -> Result<Option<Vec<i64>>, Violation> {
    match answer.and_then(|function| values_of(&function)) {
        Ok(values) => Ok(Some(values)),
        Err(error) if error.code().class() != Class::Undecided => Ok(None),
        Err(error) => Err(Violation { law: "swizzle", witness: error.to_string() }),
    }
}

#[test]
fn swizzles_follow_their_bits() {
    for swizzle in all_small() {
        let images: Vec<i64> = (0..2048).map(|n| swizzle.apply(n)).collect();
        let twin = plain(&swizzle).expect("a swizzle");
        assert_eq!(laws::swizzle(&twin, &images), Ok(()));
        assert!(images.iter().zip(0..).all(|(image, n)| swizzle.apply(*image) == n), "{swizzle} is its own inverse");
    }
}

#[test]
fn swizzles_compose_to_what_they_do() {
    let swizzles = all_small();
    let mut composed = 0;
    for first in &swizzles {
        for second in &swizzles {
            if let Some(one) = first.after(*second) {
                composed += 1;
                assert!((0..1024).all(|n| one.apply(n) == first.apply(second.apply(n))), "{first} o {second} = {one}");
            }
        }
    }
    assert!(composed > swizzles.len(), "only {composed} pairs are one swizzle");
}

#[test]
fn units_of_swizzles_are_moved_whole() {
    for swizzle in all_small() {
        for log in 0..5 {
            let part = |n: i64| n % (1 << log);
            let up = swizzle.upcast(log, -1);
            let whole = (0..1024_i64).all(|n| swizzle.apply(n) == swizzle.apply(n - part(n)) + part(n));
            let in_order = (0..1024_i64).all(|n| part(swizzle.apply(n)) == part(n));
            assert_eq!(up.is_ok(), whole && in_order, "{swizzle} in units of 2^{log}");
            if let Ok(up) = up {
                assert!(
                    (0..1024_i64).all(|n| (up.apply(n >> log) << log) + part(n) == swizzle.apply(n)),
                    "{swizzle} becomes {up}"
                );
                assert!((0..1024).all(|n| up.downcast(log).is_ok_and(|down| down.apply(n) == swizzle.apply(n))));
            }
            let down = swizzle.downcast(log).expect("few bits");
            let parts = |n: i64| (swizzle.apply(n >> log) << log) + n % (1 << log);
            assert!((0..1024_i64).all(|n| down.apply(n) == parts(n)), "{swizzle} becomes {down}");
        }
    }
}

#[test]
fn swizzled_layouts_are_pointwise() {
    hold(1000, 800, |case, _, _| {
        let Some(values) = answered(Ok(case.function.clone()))? else { return Ok(false) };
        laws::composed(&case.twin, case.offset, &case.inner, &values)?;
        let cosize = case.function.cosize().map_err(|error| Violation { law: "cosize", witness: error.to_string() })?;
        let (low, high) = values.iter().fold((0, 0), |(low, high), n| (*n.min(&low), *n.max(&high)));
        let wanted = Int::from(high - low + 1);
        if cosize == wanted {
            Ok(true)
        } else {
            Err(Violation { law: "cosize", witness: format!("{cosize}, not {wanted}") })
        }
    });
}

#[test]
fn swizzled_layouts_compose_on_their_domain() {
    hold(2000, 700, |case, operands, _| {
        let b = operands.b.to_dynamic();
        let answer = case.function.composition(&Tiler::Layout(b.clone()));
        let refused = answer.is_err();
        let Some(values) = answered(answer)? else {
            return laws::composition_refusal(&case.inner, &plain(&b)?).map(|()| !refused);
        };
        laws::composed_with(&case.twin, case.offset, &case.inner, &plain(&b)?, &values).map(|()| true)
    });
}

#[test]
fn layouts_after_swizzled_layouts_are_pointwise() {
    hold(2000, 700, |case, operands, _| {
        let b = operands.b.to_dynamic();
        let Some(values) = answered(Function::Layout(b.clone()).after(&case.function))? else { return Ok(false) };
        let outer: reference::Layout = plain(&b)?;
        for (index, inner) in case.twin.composed(case.offset, &case.inner)?.into_iter().enumerate() {
            let wanted = outer.offset(inner)?.to_int()?;
            if values.get(index) != Some(&wanted) {
                let witness = format!("{:?} at {index}, but must be {wanted}", values.get(index));
                return Err(Violation { law: "after", witness });
            }
        }
        Ok(true)
    });
}

/// As `composition(A, X)` the answer is a layout under swizzles, in the nesting of X, or it is refused with the chain, which
/// is that function.
#[test]
fn compositions_after_swizzled_layouts_are_recognised_or_refused() {
    hold(3000, 800, |case, operands, choices| {
        let inner = match choices.below(3) {
            0 => format!("{} + {}", case.layout, case.offset),
            _ => case.function.to_string(),
        };
        let swizzled = inner.starts_with("Sw");
        let wrong = |witness: String| Violation { law: "composition", witness: format!("{inner}: {witness}") };
        let evaluated = |text: &str| bitstride_lang::evaluate(text).map(|answer| answer.value);
        let (answer, refused) = match evaluated(&format!("composition({}, {inner})", operands.b)) {
            Ok(value) => (value, false),
            Err(error) if error.code().class() == Class::Refused => {
                let chain = error.chain().ok_or_else(|| wrong(format!("{error} has no chain")))?;
                (evaluated(chain).map_err(|error| wrong(error.to_string()))?, true)
            }
            Err(_) => return Ok(false),
        };
        let function = answer.as_function().map_err(|error| wrong(error.to_string()))?;
        if !refused && !function.is_swizzled_layout() {
            return Err(wrong(format!("{function} is a chain")));
        }
        let shape = function.domain().map(Layout::shape).map_err(|error| wrong(error.to_string()))?;
        if !bitstride::compatible(&case.layout.shape(), &shape).unwrap_or(false) {
            return Err(wrong(format!("{function} is not in the nesting of {}", case.layout)));
        }
        let (outer, Ok(values)) = (plain::<reference::Layout>(&operands.b)?, values_of(&function)) else {
            return Ok(false);
        };
        let moved = |place: i64| if swizzled { case.twin.apply(place) } else { Ok(place) };
        for (index, place) in case.inner.int_values()?.into_iter().enumerate() {
            let wanted = outer.offset(moved(place + case.offset)?)?.to_int()?;
            if values.get(index) != Some(&wanted) {
                return Err(wrong(format!("{function} gives {:?} at {index}, not {wanted}", values.get(index))));
            }
        }
        Ok(!refused)
    });
}

#[test]
fn a_swizzle_goes_through_a_layout_of_bits() {
    hold(3000, 300, |case, operands, choices| {
        let reach = choices.of(&[16, 64, 8, 128, 1, 24]);
        let Some(moved) = case.swizzle.through(&operands.a, reach) else { return Ok(false) };
        for x in 0..reach {
            let after = case.inner.offset(case.swizzle.apply(x))?.to_int()?;
            let before = moved.apply(case.inner.offset(x)?.to_int()?);
            if after != before {
                let witness = format!("{moved} below {reach}: {before} at {x}, but must be {after}");
                return Err(Violation { law: "through", witness });
            }
        }
        Ok(!case.swizzle.is_identity())
    });
}

#[test]
fn swizzled_layouts_are_divided_on_their_domain() {
    hold(1000, 300, |case, operands, _| {
        let tiler = operands.tiler.clone();
        let Ok(inner) = zipped_divide(&operands.a, &tiler) else { return Ok(false) };
        let divided = case.function.map_domain(&|layout| match layout.to_static() {
            Some(layout) => zipped_divide(&layout, &tiler).map(|layout| layout.to_dynamic()),
            None => Ok(layout.clone()),
        });
        let Some(values) = answered(divided)? else { return Ok(false) };
        laws::composed(&case.twin, case.offset, &plain(&inner)?, &values).map(|()| true)
    });
}

#[test]
fn slices_of_swizzled_layouts_take_the_offset_in() {
    hold(1000, 700, |case, operands, _| {
        let at = operands.at.map(|n| n.map(Int::from));
        let slice = case.function.map_slice(&|layout| cute::slice(layout, &at));
        let Ok(Function::Composed(sliced)) = &slice else { return Ok(false) };
        let offset = sliced.offset.as_number().unwrap_or(0) - case.offset;
        let inner: reference::Layout = plain(&sliced.inner)?;
        let free: reference::Nest<Option<i64>> =
            plain(&operands.at.map(|n| n.map_or_else(|| "_".to_owned(), |n| n.to_string())))?;
        laws::slice(&case.inner, &free, &inner, &reference::Point::int(offset))?;
        let Some(values) = answered(slice.clone())? else { return Ok(false) };
        laws::composed(&case.twin, case.offset + offset, &inner, &values).map(|()| true)
    });
}

/// The swizzled layout of whole units, found by trying all small swizzles.
fn upcast_by_trying(case: &Case, n: i64) -> Result<Option<Function>, Violation> {
    let Ok(inner) = cute::upcast(&case.layout, n) else { return Ok(None) };
    if case.offset % n != 0 {
        return Ok(None);
    }
    for swizzle in all_small() {
        let offset = Int::from(case.offset / n);
        let whole = Function::compose(Function::Swizzle(swizzle), offset, Function::Layout(inner.clone()));
        if let Some(values) = answered(Ok(whole.clone()))?
            && laws::composed_upcast(&case.twin, case.offset, &case.inner, n, &values).is_ok()
        {
            return Ok(Some(whole));
        }
    }
    Ok(None)
}

#[test]
fn units_of_swizzled_layouts_keep_the_order_of_their_parts() {
    hold(4000, 500, |case, _, choices| {
        let n = choices.of(&[2, 4, 8]);
        let up = case.function.rescale(n, 1);
        let Some(values) = answered(up.clone())? else {
            return match upcast_by_trying(case, n)? {
                Some(found) => Err(Violation { law: "upcast", witness: format!("{found} moves whole units of {n}") }),
                None => Ok(false),
            };
        };
        laws::composed_upcast(&case.twin, case.offset, &case.inner, n, &values)?;
        // Back in parts it is the same layout, where its elements fill the units.
        let (Ok(up), Ok(size)) = (up, case.inner.size()) else { return Ok(true) };
        let back = up.rescale(1, n).and_then(|back| values_of(&back));
        let Ok(back) = back else { return Ok(true) };
        let filled = i64::try_from(values.len()).is_ok_and(|units| units * n == size);
        let sorted = |mut list: Vec<i64>| {
            list.sort_unstable();
            list
        };
        if filled && sorted(back.clone()) != sorted(case.twin.composed(case.offset, &case.inner)?) {
            return Err(Violation { law: "downcast after upcast", witness: format!("{back:?}") });
        }
        Ok(true)
    });
    hold(2000, 300, |case, _, choices| {
        let n = choices.of(&[2, 4, 8]);
        let Some(values) = answered(case.function.rescale(1, n))? else { return Ok(false) };
        laws::composed_downcast(&case.twin, case.offset, &case.inner, n, &values).map(|()| true)
    });
}

/// Recasts of layouts with an offset, and of swizzles that read bits which no offset has.
#[test]
fn recasts_that_keep_or_lose_the_order() {
    let recast = |text: &str| match bitstride_lang::evaluate(text) {
        Ok(answer) => answer.value.to_string(),
        Err(error) => error.code().as_str().to_owned(),
    };
    for (text, wanted) in [
        ("recast(Sw<1,0,3> o (16,4):(4,1), 16, 64)", "not-divisible"),
        ("recast(Sw<1,2,3> o (16,4):(4,1), 16, 64)", "Sw<1,0,3> o 0 o (16,1):(1,1)"),
        ("upcast(Sw<3,0,-4> o 16:2, 2)", "Sw<2,0,-4> o 0 o 16:1"),
        ("upcast(Sw<1,0,1> o 2:4, 4)", "Sw<0,0,1> o 0 o 2:1"),
        ("recast(8:-1 + 7, 8, 32)", "not-divisible"),
        ("recast(8:-4 + 28, 8, 32)", "8:-1 + 7"),
        ("downcast(8:-1 + 7, 4)", "not-divisible"),
        ("downcast(8:1 + 7, 4)", "32:1 + 28"),
        ("upcast(8:4 + 6, 4)", "not-divisible"),
        ("upcast((4,4):(4,1) o 0 o 16:1, 2)", "(4,2):(2,1)"),
        ("upcast((4,4):(4,1) o 0 o Sw<1,0,2> o 0 o 16:1, 2)", "not-divisible"),
        ("upcast((4,3):(3,1) o 0 o Sw<1,0,2> o 0 o 12:1, 2)", "not-a-layout"),
    ] {
        assert_eq!(recast(text), wanted, "{text}");
    }
}

#[test]
fn inverses_of_swizzled_layouts_undo_them() {
    hold(2000, 500, |case, _, _| {
        let Some(values) = answered(case.function.right_inverse())? else { return Ok(false) };
        laws::composed_right_inverse(&case.twin, case.offset, &case.inner, &values).map(|()| true)
    });
    hold(2000, 300, |case, _, _| {
        let Ok(inverse) = case.function.left_inverse() else { return Ok(false) };
        for (index, place) in case.twin.composed(case.offset, &case.inner)?.into_iter().enumerate() {
            let Ok(back) = value(&inverse, place) else { return Ok(false) };
            let again = case.twin.apply(case.inner.offset(back)?.to_int()? + case.offset)?;
            if again != place {
                let witness = format!("{inverse}: A(R(A({index}))) = A(R({place})) = A({back}) = {again}");
                return Err(Violation { law: "left_inverse", witness });
            }
        }
        Ok(left_inverse(&case.layout).is_ok())
    });
}
