//! Conversions between register layouts: the class is what a look at every place says, and the shuffles bring every value to where
//! the target has it.

use std::collections::BTreeMap;

use bitstride::memory::WarpShuffles;
use bitstride_oracle::laws;
use bitstride_oracle::reference::{Linear, Place};

use super::super::Case;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

pub(super) fn draw(source: &mut Source) -> Case {
    let (lanes, warps) = (source.count(1, 3), source.count(0, 2));
    let side = |source: &mut Source, outs: u32| {
        let total = usize::try_from(outs).unwrap_or(0);
        let registers = (total + source.count(0, 1)).saturating_sub(lanes + warps) + source.count(0, 1);
        let ins = [("register", registers), ("lane", lanes), ("warp", warps), ("block", 0)];
        let density = if source.once_in(3) { [0, 0, 0, 1] } else { [0, 0, 0, 0] };
        linear(source, &ins, outs, &density)
    };
    let outs = u32::try_from(source.count(lanes, lanes + warps + 3)).unwrap_or(1);
    let (from, to) = (side(source, outs), side(source, outs));
    let bits = source.of(&[32, 16, 8, 64]);
    let text = format!("plan({from}, {to}, {bits})");
    Case::new(text.clone(), move || judged(&text, &from, &to, bits))
}

/// A linear layout whose bits are those of the tensor in some order, now and then with one flipped over.
fn linear(source: &mut Source, ins: &[(&str, usize)], outs: u32, density: &[i64; 4]) -> String {
    let order = source.order(usize::try_from(outs).unwrap_or(0));
    let mut units = order.into_iter().map(|bit| 1_i64 << bit);
    let odd = source.once_in(6);
    let mut dims: Vec<String> = Vec::new();
    // Lanes and warps have bits of their own more often than registers, which come last.
    let mut by_name: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (name, bits) in ins.iter().rev() {
        let columns = (0..*bits).map(|_| match source.of(density) {
            1 => 0,
            _ => {
                let unit = units.next().unwrap_or(0);
                if odd && source.once_in(4) { unit ^ source.between(0, (1 << outs) - 1) } else { unit }
            }
        });
        by_name.insert(name, columns.collect());
    }
    for (name, _) in ins {
        let columns: Vec<String> =
            by_name.get(name).into_iter().flatten().map(|column| format!("[{column}]")).collect();
        dims.push(format!("{name}=[{}]", columns.join(",")));
    }
    // What registers did not take is left to them.
    let rest: Vec<String> = units.map(|unit| format!("[{unit}]")).collect();
    if let (false, Some(first)) = (rest.is_empty(), dims.first_mut()) {
        let own = first.trim_end_matches(']').to_owned();
        let closed =
            if own.ends_with('[') { format!("{own}{}", rest.join(",")) } else { format!("{own}],{}", rest.join(",")) };
        *first = format!("{closed}]");
    }
    format!("linear<{{{}}}, out=[dim0:{}]>", dims.join(", "), 1_i64 << outs)
}

/// What moves, by every place of the target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    Nothing,
    Registers,
    Warp,
    Further,
}

fn size(layout: &Linear, name: &str) -> i64 {
    layout.ins().iter().find(|(own, _)| own == name).map_or(1, |(_, size)| *size)
}

fn at(layout: &Linear, register: i64, lane: i64, warp: i64) -> Option<i64> {
    let place: Place = [("register", register), ("lane", lane), ("warp", warp), ("block", 0)]
        .into_iter()
        .map(|(name, number)| (name.to_owned(), number))
        .collect();
    layout.at(&place).get("dim0").copied()
}

fn class(from: &Linear, to: &Linear) -> Class {
    let [lanes, warps] = ["lane", "warp"].map(|name| size(to, name));
    let (here, there) = (size(from, "register"), size(to, "register"));
    let places = || (0..warps).flat_map(move |warp| (0..lanes).map(move |lane| (lane, warp)));
    let holds = |register: i64, own: i64| {
        places().all(|(lane, warp)| at(from, own, lane, warp) == at(to, register, lane, warp))
    };
    if here == there && (0..there).all(|register| holds(register, register)) {
        return Class::Nothing;
    }
    if (0..there).all(|register| (0..here).any(|own| holds(register, own))) {
        return Class::Registers;
    }
    let in_warp = |register: i64, lane: i64, warp: i64| {
        let wanted = at(to, register, lane, warp);
        (0..lanes).any(|lane| (0..here).any(|own| at(from, own, lane, warp) == wanted))
    };
    let within = (0..there).all(|register| places().all(|(lane, warp)| in_warp(register, lane, warp)));
    if within { Class::Warp } else { Class::Further }
}

fn judged(text: &str, from: &str, to: &str, bits: i64) -> Outcome {
    let (Some(a), Some(b)) = (parsed::<Linear>(from), parsed::<Linear>(to)) else {
        return Outcome::Unjudged(text.to_owned());
    };
    let reaches_all = [&a, &b].iter().all(|side| {
        side.image().is_ok_and(|image| i64::try_from(image.len()).ok() == side.outs().first().map(|(_, size)| *size))
    });
    let answer = match said(text) {
        Ok(value) => value.to_string(),
        Err(error) => {
            let known = reaches_all.then(|| format!("every value is somewhere: {:?}", class(&a, &b)));
            return Outcome::of_known(&error, known);
        }
    };
    if !reaches_all {
        return Outcome::Unjudged(format!("{answer}, and a layout leaves elements out"));
    }
    let class = class(&a, &b);
    let fits = match answer.split_once(':').map_or(answer.as_str(), |(first, _)| first) {
        "nothing moves" => class == Class::Nothing,
        "registers change their names" => class <= Class::Registers,
        "warp shuffles" => class <= Class::Warp,
        _ => class > Class::Registers,
    };
    if !fits {
        return Outcome::Wrong(format!("{answer}, but what moves is {class:?}"));
    }
    let shuffles = || -> Result<WarpShuffles, bitstride::Error> {
        WarpShuffles::new(&said(from)?.as_linear()?, &said(to)?.as_linear()?, bits)
    };
    match shuffles() {
        Ok(shuffles) => {
            let exchanges: Vec<laws::Exchange> = shuffles
                .exchanges
                .iter()
                .map(|exchange| (exchange.register, exchange.source_lane, exchange.target_lane, exchange.selectors))
                .collect();
            let Some(map) = parsed::<Linear>(&shuffles.lanes.to_string()) else {
                return Outcome::Wrong(format!("{} is no linear layout", shuffles.lanes));
            };
            let (Some(a), Some(b)) = (without_copies(from), without_copies(to)) else {
                return Outcome::Unjudged(answer);
            };
            Outcome::of_answer(laws::warp_shuffles(&a, &b, &shuffles.registers, &map, &exchanges, shuffles.packed))
        }
        Err(_) => Outcome::Right,
    }
}

/// A layout without registers that repeat others: copies are left out before values are shuffled, and made again after it.
fn without_copies(layout: &str) -> Option<Linear> {
    let linear = said(layout).ok()?.as_linear().ok()?;
    let once = linear.action_remove_broadcasted_regs().ok()?.apply(&linear).ok()?;
    parsed(&once.to_string())
}
