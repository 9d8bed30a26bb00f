//! Accesses to shared memory: wavefronts and conflicts of any threads and any memory, against a twin that looks at every lane.

use bitstride_lang::Value;
use bitstride_oracle::reference::{Banks, Layout, Passes, passes};

use super::super::Case;
use super::super::draw;
use super::super::known::{Family, Known, known, until};
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

/// The families of memories of which the oracle knows each place.
const MEMORIES: [Family; 4] = [Family::Cute, Family::Swizzled, Family::Offset, Family::Linear];

/// Threads of CuTe: which element each lane has as each value.
pub(super) struct Threads {
    pub(super) text: String,
    /// By lane, then by value.
    pub(super) elements: Vec<Vec<i64>>,
}

impl Threads {
    /// Lanes and values over a given number of elements.
    pub(super) fn draw(source: &mut Source, size: i64) -> Option<Threads> {
        let lanes = source.of(&[32, 8, 16, 4, 64, 2, 1, 24]);
        let values = source.of(&[1, 2, 4, 8, 3]);
        let mut modes = draw::layout_of(source, &[lanes, values]);
        // Often the elements of a tile in some order.
        if source.once_in(2) {
            let count = modes.leaves().count();
            let mut stride = 1;
            for at in source.order(count) {
                let Some(leaf) = modes.leaves().nth(at) else { continue };
                leaf.1 = stride;
                stride *= leaf.0;
            }
        }
        modes.leaves().for_each(|leaf| leaf.1 = leaf.1.abs());
        Threads::of(modes.text()).filter(|threads| threads.elements.iter().flatten().all(|element| *element < size))
    }

    fn of(text: String) -> Option<Threads> {
        let layout: Layout = parsed(&text)?;
        let sides: Vec<Vec<i64>> = layout.modes().iter().map(|mode| mode.int_values().ok()).collect::<Option<_>>()?;
        let [lanes, values] = sides.as_slice() else { return None };
        let elements = lanes.iter().map(|lane| values.iter().map(|value| lane + value).collect()).collect();
        Some(Threads { text, elements })
    }

    /// Whether every bit of a lane and of a value flips bits of the element, of whole warps.
    pub(super) fn is_linear(&self) -> bool {
        let count = |n: usize| n.count_ones() == 1;
        let values = self.elements.first().map_or(0, Vec::len);
        let at = |lane: usize, value: usize| self.elements.get(lane).and_then(|values| values.get(value)).copied();
        let bits = |n: usize| (0..usize::BITS).map(|bit| 1 << bit).filter(move |bit| n & bit != 0);
        let sum = |lane: usize, value: usize| {
            let lanes = bits(lane).map(|bit| at(bit, 0)).chain(bits(value).map(|bit| at(0, bit)));
            lanes.into_iter().try_fold(0, |sum, element| Some(sum ^ element?))
        };
        count(self.elements.len())
            && count(values)
            && (0..self.elements.len()).all(|lane| (0..values).all(|value| sum(lane, value) == at(lane, value)))
    }

    /// What the twin counts in a memory with these places.
    pub(super) fn passes(&self, machine: Machine, places: &[i64], bits: i64, is_load: bool) -> Option<Passes> {
        let address = |element: &i64| usize::try_from(*element).ok().and_then(|at| places.get(at)).map(|at| at * bits);
        let lanes: Vec<Vec<i64>> = self
            .elements
            .iter()
            .map(|values| values.iter().map(address).collect::<Option<_>>())
            .collect::<Option<_>>()?;
        let warps: Vec<Vec<Vec<i64>>> = lanes.chunks(machine.lanes).map(<[Vec<i64>]>::to_vec).collect();
        passes(machine.banks, &warps, bits, is_load)
    }
}

/// A memory that the twin knows, and the lanes of its warps.
#[derive(Clone, Copy)]
pub(super) struct Machine {
    pub(super) word: &'static str,
    lanes: usize,
    banks: Banks,
}

pub(super) const NVIDIA: Machine =
    Machine { word: "nvidia", lanes: 32, banks: Banks { banks: 32, phase: 128, merges: true } };
const AMD: Machine = Machine { word: "amd", lanes: 64, banks: Banks { banks: 64, phase: 256, merges: false } };

pub(super) fn draw(source: &mut Source) -> Case {
    let drawn = until(source, |source| {
        let family = source.of(&MEMORIES);
        let extents = if source.once_in(2) { vec![source.of(&[256, 64, 128, 512])] } else { draw::dims(source, false) };
        let memory = known(source, family, &extents)?;
        let size = i64::try_from(memory.places.len()).ok()?;
        let threads = Threads::draw(source, size)?;
        memory.places.iter().all(|place| *place >= 0).then_some((memory, threads))
    });
    let Some((memory, threads)) = drawn else { return Case::none() };
    let bits = source.of(&[32, 16, 8, 64, 4, 128, 6, 24]);
    let word = source.of(&["ld", "st"]);
    let machine = if source.once_in(4) { AMD } else { NVIDIA };
    let name = source.of(&["wavefronts", "bank_conflicts"]);
    let text = format!("{name}({}, {}, {bits}, {word}, {})", memory.text, threads.text, machine.word);
    Case::new(text.clone(), move || judged(&text, name, &memory, &threads, (bits, word == "ld", machine)))
}

fn judged(
    text: &str,
    name: &str,
    memory: &Known,
    threads: &Threads,
    (bits, is_load, machine): (i64, bool, Machine),
) -> Outcome {
    let twin = threads.passes(machine, &memory.places, bits, is_load);
    let wanted = twin.map(|cost| match name {
        "wavefronts" => cost.wavefronts,
        _ => cost.wavefronts - cost.phases,
    });
    match (said(text), wanted) {
        (Ok(value), Some(wanted)) => match number(&value) {
            Some(answer) if answer == wanted => Outcome::Right,
            _ => Outcome::Wrong(format!("{value}, but lane by lane {wanted}: {twin:?}")),
        },
        (Ok(value), None) => Outcome::Wrong(format!("{value}, but no instruction of whole bytes does it")),
        (Err(error), wanted) => {
            Outcome::of_known(&error, wanted.map(|wanted| format!("lane by lane there are {wanted}")))
        }
    }
}

/// An answer as a number.
pub(super) fn number(value: &Value) -> Option<i64> {
    value.to_string().parse().ok()
}
