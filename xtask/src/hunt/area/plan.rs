//! Conversions between register layouts: the class is what a look at every place says, the shuffles bring every value to where
//! the target has it, and so does the memory, in as many wavefronts as lanes that are looked at one by one take.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::linear::LinearLayout;
use bitstride::memory::{Conversion, Matrices, WarpShuffles, Way};
use bitstride_oracle::laws::{self, Instruction, MemorySide};
use bitstride_oracle::reference::Linear;

use super::super::Case;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

pub(super) fn draw(source: &mut Source) -> Case {
    let lanes = if source.once_in(3) { 5 } else { source.count(1, 3) };
    let (warps, blocks) = (source.count(0, 2), usize::from(source.once_in(4)));
    // Blocks mostly hold the same part of the tensor on both sides; values that leave their block are refused.
    let (is_same, at) = (!source.once_in(4), source.count(0, lanes - 1));
    let block_bit = (blocks > 0 && is_same).then_some(at);
    let side = |source: &mut Source, outs: u32| {
        let total = usize::try_from(outs).unwrap_or(0);
        let registers = (total + source.count(0, 1)).saturating_sub(lanes + warps) + source.count(0, 1);
        let ins = [("register", registers), ("lane", lanes), ("warp", warps), ("block", blocks)];
        let density = if source.once_in(3) { [0, 0, 0, 1] } else { [0, 0, 0, 0] };
        linear(source, &ins, outs, &density, block_bit)
    };
    let outs = u32::try_from(source.count(lanes, lanes + warps + blocks + 3)).unwrap_or(1);
    let (from, to) = (side(source, outs), side(source, outs));
    let (bits, capability) = (source.of(&[32, 16, 8, 64]), source.of(&[90, 80, 70]));
    let text = format!("plan({from}, {to}, {bits}, {capability})");
    Case::new(text.clone(), move || judged(&text, &from, &to, (bits, capability)))
}

/// A linear layout whose bits are those of the tensor in some order, now and then with one flipped over.
/// `first` is the bit that is dealt first, to blocks where there are some.
fn linear(source: &mut Source, ins: &[(&str, usize)], outs: u32, density: &[i64; 4], first: Option<usize>) -> String {
    let mut order = source.order(usize::try_from(outs).unwrap_or(0));
    order.sort_by_key(|bit| first != Some(*bit));
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
    Block,
    Further,
}

/// A layout with the elements of all its places.
struct Table {
    sizes: [i64; 4],
    elements: BTreeMap<[i64; 4], i64>,
}

impl Table {
    fn of(layout: &Linear) -> Option<Table> {
        let dims = ["register", "lane", "warp", "block"];
        let size = |name: &str| layout.ins().iter().find(|(own, _)| own == name).map_or(1, |(_, size)| *size);
        let elements = layout.table().ok()?.into_iter().map(|(place, element)| {
            Some((dims.map(|dim| place.get(dim).copied().unwrap_or(0)), element.get("dim0").copied()?))
        });
        Some(Table { sizes: dims.map(size), elements: elements.collect::<Option<_>>()? })
    }

    fn at(&self, place: [i64; 4]) -> Option<i64> {
        self.elements.get(&place).copied()
    }

    /// The elements of the places for which something holds.
    fn held(&self, within: impl Fn(&[i64; 4]) -> bool) -> BTreeSet<i64> {
        self.elements.iter().filter(|(place, _)| within(place)).map(|(_, element)| *element).collect()
    }
}

fn class(from: &Table, to: &Table) -> Class {
    let [there, lanes, warps, blocks] = to.sizes;
    let here = from.sizes[0];
    let threads: Vec<[i64; 3]> = (0..blocks)
        .flat_map(|block| (0..warps).flat_map(move |warp| (0..lanes).map(move |lane| [lane, warp, block])))
        .collect();
    let holds = |register: i64, own: i64| {
        threads
            .iter()
            .all(|[lane, warp, block]| from.at([own, *lane, *warp, *block]) == to.at([register, *lane, *warp, *block]))
    };
    if here == there && (0..there).all(|register| holds(register, register)) {
        return Class::Nothing;
    }
    if (0..there).all(|register| (0..here).any(|own| holds(register, own))) {
        return Class::Registers;
    }
    let within = |is_in: fn(&[i64; 4], i64, i64) -> bool| {
        (0..blocks).flat_map(|block| (0..warps).map(move |warp| (warp, block))).all(|(warp, block)| {
            let held = from.held(|place| is_in(place, warp, block));
            to.held(|place| place[2] == warp && place[3] == block).is_subset(&held)
        })
    };
    if within(|place, warp, block| place[2] == warp && place[3] == block) {
        Class::Warp
    } else if within(|place, _, block| place[3] == block) {
        Class::Block
    } else {
        Class::Further
    }
}

fn judged(text: &str, from: &str, to: &str, (bits, capability): (i64, i64)) -> Outcome {
    let (Some(a), Some(b)) = (parsed::<Linear>(from), parsed::<Linear>(to)) else {
        return Outcome::Unjudged(text.to_owned());
    };
    let (Some(here), Some(there)) = (Table::of(&a), Table::of(&b)) else { return Outcome::Unjudged(text.to_owned()) };
    let reaches_all = here.held(|_| true).is_superset(&there.held(|_| true));
    let class = class(&here, &there);
    let answer = match said(text) {
        Ok(value) => value.to_string(),
        Err(error) => {
            let known = reaches_all && class < Class::Further;
            return Outcome::of_known(&error, known.then(|| format!("every value is somewhere: {class:?}")));
        }
    };
    if !reaches_all {
        return Outcome::Wrong(format!("{answer}, and the target has elements that the source has not"));
    }
    let fits = match answer.split_once(':').map_or(answer.as_str(), |(first, _)| first) {
        "nothing moves" => class == Class::Nothing,
        "registers change their names" => class <= Class::Registers,
        "warp shuffles" => class <= Class::Warp,
        _ => class > Class::Registers && class < Class::Further,
    };
    if !fits {
        return Outcome::Wrong(format!("{answer}, but what moves is {class:?}"));
    }
    let (Some(from_layout), Some(to_layout)) = (linear_of(from), linear_of(to)) else {
        return Outcome::Unjudged(answer);
    };
    match Conversion::new(&from_layout, &to_layout, bits, Matrices::of_capability(capability)).map(|plan| plan.way) {
        Ok(Way::Memory { scratch, store, load, written, read, .. }) => {
            let Some(scratch) = parsed::<Linear>(&scratch.layout.to_string()) else {
                return Outcome::Wrong(format!("{} is no linear layout", scratch.layout));
            };
            let sides = [(store, written), (load, read)].map(|(instruction, cost)| MemorySide {
                instruction: match instruction {
                    0 => Instruction::Plain,
                    1 => Instruction::Matrix,
                    _ => Instruction::Transposed,
                },
                bytes: cost.bytes,
                phases: cost.phases,
                wavefronts: cost.wavefronts,
            });
            let held = laws::through_memory(&a, &b, &scratch, bits, sides);
            if held.is_err() {
                return Outcome::of_answer(held);
            }
        }
        Ok(_) => {}
        Err(error) => return Outcome::Wrong(format!("{answer}, but of the layouts themselves {error}")),
    }
    match WarpShuffles::new(&from_layout, &to_layout, bits) {
        Ok(shuffles) => {
            let exchanges: Vec<laws::Exchange> = shuffles
                .exchanges
                .iter()
                .map(|exchange| (exchange.register, exchange.source_lane, exchange.target_lane, exchange.selectors))
                .collect();
            let Some(map) = parsed::<Linear>(&shuffles.lanes.to_string()) else {
                return Outcome::Wrong(format!("{} is no linear layout", shuffles.lanes));
            };
            let (Some(a), Some(b)) = (without_copies(&from_layout), without_copies(&to_layout)) else {
                return Outcome::Unjudged(answer);
            };
            Outcome::of_answer(laws::warp_shuffles(&a, &b, &shuffles.registers, &map, &exchanges, shuffles.packed))
        }
        Err(_) => Outcome::Right,
    }
}

fn linear_of(text: &str) -> Option<LinearLayout> {
    said(text).ok()?.as_linear().ok()
}

/// A layout without registers that repeat others: copies are left out before values are shuffled, and made again after it.
fn without_copies(layout: &LinearLayout) -> Option<Linear> {
    let once = layout.action_remove_broadcasted_regs().ok()?.apply(layout).ok()?;
    parsed(&once.to_string())
}
