//! The law of a conversion through shared memory: every element is written to where the memory has it and found there, and the
//! instructions cost what lanes that are looked at one by one cost.

use std::collections::BTreeMap;

use super::{CheckResult, hold};
use crate::reference::{Banks, Linear, OracleError, Place, count, malformed, number, passes_in_step, row_passes};

/// The instructions of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Plain loads or stores.
    Plain,
    /// Matrices of 8 rows of 16 bytes: lane `4 r + c` has the bytes from `4 c` on of row `r`.
    Matrix,
    /// Such matrices of elements of 16 bits, transposed: lane `4 c + r` has element `c` of rows `2 r` and `2 r + 1`.
    Transposed,
}

/// What the instructions of one side are said to cost, for one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySide {
    /// What they are.
    pub instruction: Instruction,
    /// The bytes of a lane in each, or of a row.
    pub bytes: i64,
    /// How many phases there are.
    pub phases: i64,
    /// How many passes over the banks they take.
    pub wavefronts: i64,
}

const LAW: &str = "through_memory";
const BANKS: Banks = Banks { banks: 32, phase: 128, merges: true };
/// The lanes that execute an instruction together.
const WARP: usize = 32;

/// A layout of registers, lanes, warps and blocks, element by element.
struct Side<'a> {
    layout: &'a Linear,
    sizes: [i64; 4],
}

const DIMS: [&str; 4] = ["register", "lane", "warp", "block"];

impl<'a> Side<'a> {
    fn of(layout: &'a Linear) -> Side<'a> {
        let ins = layout.ins();
        let size = |name| ins.iter().find(|(own, _)| own == name).map_or(1, |(_, size)| *size);
        Side { layout, sizes: DIMS.map(size) }
    }

    /// The number of the element that a place has.
    fn at(&self, place: [i64; 4]) -> Result<i64, OracleError> {
        let place: Place = DIMS.iter().map(|dim| (*dim).to_owned()).zip(place).collect();
        number(self.layout.outs(), &self.layout.at(&place))
    }

    /// All places of one block.
    fn places(&self, block: i64) -> Vec<[i64; 4]> {
        let [registers, lanes, warps, blocks] = self.sizes;
        let block = block % blocks;
        let in_lane = |lane, warp| (0..registers).map(move |register| [register, lane, warp, block]);
        (0..warps).flat_map(|warp| (0..lanes).flat_map(move |lane| in_lane(lane, warp))).collect()
    }
}

/// Elements go from registers as `a` has them to registers as `b` has them, through a memory of which `scratch` says what its vectors,
/// banks and segments hold, in rounds. A block has the memory to itself, and its elements lie there as those of the first block do.
///
/// # Errors
/// A violation where an element is not found, two share a place, lanes take different registers in one round, or the costs of either
/// side are others.
pub fn through_memory(
    a: &Linear,
    b: &Linear,
    scratch: &Linear,
    element_bits: i64,
    [written, read]: [MemorySide; 2],
) -> CheckResult {
    let (from, to) = (Side::of(a), Side::of(b));
    let offsets = offsets(scratch)?;
    let offset =
        |element: i64| offsets.get(&element).copied().ok_or_else(|| malformed(format!("no place for {element}")));
    let blocks = from.sizes[3].max(to.sizes[3]);
    let mut reading = Vec::new();
    for block in 0..blocks {
        // What tells the elements of this block from those of the first.
        let shift = from.at([0, 0, 0, block % from.sizes[3]])?;
        let mut memory = BTreeMap::new();
        for place in from.places(block) {
            let element = from.at(place)?;
            let address = offset(element ^ shift)?;
            let there = *memory.entry(address).or_insert(element);
            hold(LAW, there == element, || {
                format!("elements {there} and {element} of block {block} both lie at {address:?}")
            })?;
        }
        for place in to.places(block) {
            let element = to.at(place)?;
            let address = offset(element ^ shift)?;
            let found = memory.get(&address).copied();
            hold(LAW, found == Some(element), || {
                format!("element {element} of block {block} is looked for at {address:?}, where {found:?} lies")
            })?;
            reading.push((place, block, address));
        }
    }
    let mut writing = Vec::new();
    for place in from.places(0) {
        writing.push((place, 0, offset(from.at(place)?)?));
    }
    costs("written", &writing, &from, element_bits, written, false)?;
    costs("read", &reading, &to, element_bits, read, true)
}

/// The offset in the memory and the round of each element of the first block.
fn offsets(scratch: &Linear) -> Result<BTreeMap<i64, (i64, i64)>, OracleError> {
    let parts: Vec<(String, i64)> =
        scratch.ins().into_iter().filter(|(name, _)| name != "block" && name != "reps").collect();
    let mut offsets = BTreeMap::new();
    for (place, element) in scratch.table()? {
        let part = |name: &str| place.get(name).copied().unwrap_or(0);
        // An element of a block that has a place of its own lies where the first block's does.
        offsets.insert(number(scratch.outs(), &element)?, (number(&parts, &place)?, part("reps")));
    }
    Ok(offsets)
}

/// A place of a side, its block, and the offset and round where its element lies.
type Moved = ([i64; 4], i64, (i64, i64));

/// For each lane of a warp the offset and round of each register.
type Warp = Vec<Vec<(i64, i64)>>;
type Lanes = BTreeMap<i64, Vec<(i64, i64)>>;

/// Whether instructions of all warps of all blocks cost what is said of one warp.
fn costs(verb: &str, moved: &[Moved], side: &Side, element_bits: i64, said: MemorySide, is_load: bool) -> CheckResult {
    let mut warps: BTreeMap<(i64, i64), Lanes> = BTreeMap::new();
    for ([_, lane, warp, _], block, address) in moved {
        warps.entry((*block, *warp)).or_default().entry(*lane).or_default().push(*address);
    }
    // Lanes beyond a warp are further warps.
    let warps: Vec<Warp> = warps
        .into_values()
        .flat_map(|lanes| {
            let lanes: Vec<_> = lanes.into_values().collect();
            lanes.chunks(WARP).map(<[_]>::to_vec).collect::<Vec<_>>()
        })
        .collect();
    for register in 0..count(side.sizes[0])? {
        let mut rounds: Vec<i64> =
            warps.iter().flatten().filter_map(|values| values.get(register)).map(|at| at.1).collect();
        rounds.dedup();
        hold(LAW, rounds.len() == 1, || format!("register {register} is {verb} in the rounds {rounds:?}"))?;
    }
    // A round uses the same memory; beyond it there is nothing, so that rounds may lie behind one another.
    let size = warps.iter().flatten().flatten().map(|(offset, _)| offset + 1).max().unwrap_or(1);
    let size = u64::try_from(size).unwrap_or(1).next_power_of_two().max(1024);
    let size = i64::try_from(size).map_err(|_| OracleError::Overflow)?;
    let bits: Vec<Vec<Vec<i64>>> = warps
        .iter()
        .map(|warp| {
            warp.iter()
                .map(|lane| lane.iter().map(|(offset, round)| (offset + round * size) * element_bits).collect())
                .collect()
        })
        .collect();
    let of = i64::try_from(bits.len()).map_err(|_| OracleError::Overflow)?;
    let counted = match said.instruction {
        Instruction::Plain => {
            passes_in_step(BANKS, &bits, element_bits, is_load).map(|cost| (cost.bytes, cost.phases, cost.wavefronts))
        }
        Instruction::Matrix => matrices(&bits, element_bits, 1).map(|(phases, wavefronts)| (16, phases, wavefronts)),
        Instruction::Transposed => {
            matrices(&bits, element_bits, 2).map(|(phases, wavefronts)| (16, phases, wavefronts))
        }
    };
    let wanted = (said.bytes, said.phases * of, said.wavefronts * of);
    hold(LAW, counted == Some(wanted), || {
        format!(
            "{of} warps are said to be {verb} in (bytes, phases, wavefronts) {wanted:?}, and lane by lane in {counted:?}"
        )
    })
}

/// The matrices that all warps move and their passes, where their values are parts of matrices: `step` is 1 for plain matrices, and 2
/// for transposed ones, whose two elements of a lane are of different rows.
fn matrices(warps: &[Vec<Vec<i64>>], element_bits: i64, step: usize) -> Option<(i64, i64)> {
    if warps.iter().any(|warp| warp.len() != WARP) {
        return None;
    }
    let lane = |warp: usize, lane: usize| warps.get(warp)?.get(lane);
    // Each value as its addresses in all lanes of all warps; what is there twice is moved once.
    let values = warps.first()?.first()?.len();
    let mut all: Vec<Vec<i64>> = (0..values)
        .map(|value| (0..warps.len() * WARP).map(|at| lane(at / WARP, at % WARP)?.get(value).copied()).collect())
        .collect::<Option<_>>()?;
    all.sort();
    all.dedup();
    let (mut phases, mut wavefronts) = (0, 0);
    while let Some(first) = all.pop() {
        let (left, rows) = parts(first, &all, element_bits, step)?;
        all = left;
        for rows in rows.chunks(8) {
            phases += 1;
            wavefronts += row_passes(BANKS, rows);
        }
    }
    Some((phases, wavefronts))
}

/// The values that are left where a matrix of all warps has a value, and the byte addresses of its rows, warp by warp.
fn parts(first: Vec<i64>, rest: &[Vec<i64>], element_bits: i64, step: usize) -> Option<(Vec<Vec<i64>>, Vec<i64>)> {
    if step == 1 {
        // A word of each lane.
        let together = 32 / element_bits;
        let mut word = vec![first];
        word.extend(rest.iter().cloned());
        let groups = subsets(&word, together);
        return groups.into_iter().find_map(|(taken, left)| {
            let starts: Vec<i64> =
                (0..taken.first()?.len()).map(|at| taken.iter().map(|value| value[at]).min()).collect::<Option<_>>()?;
            let side_by_side = (0..)
                .zip(&taken)
                .all(|(n, value)| value.iter().zip(&starts).all(|(at, start)| *at == start + n * element_bits));
            let mut rows = Vec::new();
            for warp in starts.chunks(WARP) {
                for row in warp.chunks(4) {
                    let is_row = row[0] % 128 == 0 && (0..).zip(row).all(|(n, at)| *at == row[0] + 32 * n);
                    if !is_row {
                        return None;
                    }
                    rows.push(row[0] / 8);
                }
            }
            side_by_side.then_some((left, rows))
        });
    }
    // Two values, of an even row and of the next; either may be the first.
    rest.iter().enumerate().find_map(|(other, second)| {
        let pair = |even: &Vec<i64>, odd: &Vec<i64>| -> Option<Vec<i64>> {
            let mut rows = Vec::new();
            for (even, odd) in even.chunks(WARP).zip(odd.chunks(WARP)) {
                let starts: Vec<i64> = (0..4).flat_map(|lane| [even[lane], odd[lane]]).collect();
                let fits = (0..WARP).all(|lane| {
                    let column = i64::try_from(lane / 4).unwrap_or(0) * element_bits;
                    even[lane] == starts[2 * (lane % 4)] + column && odd[lane] == starts[2 * (lane % 4) + 1] + column
                });
                if !fits || starts.iter().any(|start| start % 128 != 0) {
                    return None;
                }
                rows.extend(starts.iter().map(|start| start / 8));
            }
            Some(rows)
        };
        let rows = pair(&first, second).or_else(|| pair(second, &first))?;
        let left = rest.iter().enumerate().filter(|(at, _)| *at != other).map(|(_, value)| value.clone()).collect();
        Some((left, rows))
    })
}

type Group = (Vec<Vec<i64>>, Vec<Vec<i64>>);

/// The ways to take values side by side in the first lane, in order: at most one, as addresses are distinct there.
fn subsets(values: &[Vec<i64>], together: i64) -> Vec<Group> {
    let Some(first) = values.first().and_then(|value| value.first()).copied() else { return Vec::new() };
    // The word of 32 bits that the first value lies in.
    let start = first - first.rem_euclid(32);
    let (mut taken, left): (Vec<_>, Vec<_>) =
        values.iter().cloned().partition(|value| value.first().is_some_and(|at| (start..start + 32).contains(at)));
    taken.sort();
    if i64::try_from(taken.len()).ok() == Some(together) { vec![(taken, left)] } else { Vec::new() }
}
