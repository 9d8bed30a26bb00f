//! CUDA: what a block does of each box, by its [`Schedule`]; the kernel of all boxes; what launches it; and a test on the GPU.
//!
//! NVRTC reads the kernels alone. A host compiler reads them too, behind a few lines that stand for `threadIdx` and its like: a
//! kernel has one barrier at most, so that a thread after the other, twice, does what a GPU does.

use bitstride::{Code as ErrorCode, Error, error};

use super::addresses::NAMES;
use super::check::indented;
use super::schedule::{Schedule, THREADS};
use super::{CudaKernel, Relayout};
use crate::code::Code;
use crate::expr::{Condition, Id, Pool};
use crate::lang::{Language, integer, literal};
use crate::print::{Body, Infix, Line, parenthesised};

/// The most blocks of a launch.
const MAX_BLOCKS: i64 = (1 << 31) - 1;

impl Relayout {
    /// The source for pointers on multiples of a given number of bytes, and how it is launched.
    pub(super) fn kernel(&self, alignment: i64) -> Result<CudaKernel, Error> {
        let schedules = self.schedules(alignment).and_then(|schedules| Ok((launched(&schedules)?, schedules)));
        let (plans, (kernel, blocks)) = match schedules {
            Ok((blocks, schedules)) => (
                schedules.iter().enumerate().map(|(at, schedule)| schedule.described(at)).collect(),
                (by_schedules(&schedules)?, blocks),
            ),
            Err(why) => {
                let made = self.cuda_by_points(alignment)?;
                (vec![format!("element by element, {} blocks of {THREADS} threads: {}", made.1, why.message())], made)
            }
        };
        let [functions, body] = self.compared(Language::Cuda);
        let back = self.back.as_ref().and_then(|back| back.as_ref().ok());
        let source = [
            self.head(&plans),
            "\n#ifndef __CUDACC_RTC__\n#include <cstdio>\n#include <cstdlib>\n#include <cuda_runtime.h>\n#endif\n\n"
                .to_owned(),
            functions,
            back.map_or_else(String::new, |back| back.source(Language::Cuda)),
            format!("\n{kernel}"),
            self.tested(&body, blocks, alignment),
        ];
        Ok(CudaKernel { source: source.concat(), blocks, threads: THREADS })
    }

    /// What launches the kernels, and a program that tests them.
    fn tested(&self, body: &str, blocks: i64, alignment: i64) -> String {
        let launch = format!(
            "    relayout_kernel<<<{blocks}, {THREADS}, 0, stream>>>((const unsigned char *)from, (unsigned char *)to);\n"
        );
        let launches = if blocks == 0 { String::new() } else { launch };
        let [from, to] = self.bytes;
        format!(
            "
// Counts the bytes of elements that differ.
extern \"C\" __global__ void relayout_check(const unsigned char *from, const unsigned char *to, unsigned long long *differing) {{
    unsigned long long wrong = 0;
    for (unsigned long long n = blockIdx.x * {THREADS}ull + threadIdx.x; n < {points}ull; n += gridDim.x * {THREADS}ull) {{
{body}    }}
    if (wrong) atomicAdd(differing, wrong);
}}

#ifndef __CUDACC_RTC__
// Moves {from} bytes on the device to {to}, without waiting; both begin on a multiple of {alignment}.
void relayout(const void *from, void *to, cudaStream_t stream) {{
{launches}}}

int main() {{
    unsigned char *from, *to, *bytes = (unsigned char *)malloc({from});
    unsigned long long *differing, wrong;
    for (size_t at = 0; at < {from}; at++) bytes[at] = (unsigned char)((at * 2654435761u) >> 13);
    if (cudaMalloc(&from, {from_room}) || cudaMalloc(&to, {to_room}) || cudaMalloc(&differing, 8)) return 2;
    cudaMemcpy(from, bytes, {from}, cudaMemcpyHostToDevice);
    cudaMemset(differing, 0, 8);
    relayout(from, to, 0);
    relayout_check<<<1024, {THREADS}>>>(from, to, differing);
    if (cudaMemcpy(&wrong, differing, 8, cudaMemcpyDeviceToHost)) return 2;
    printf(\"%llu bytes differ\\n\", wrong);
    return wrong != 0;
}}
#endif
",
            points = self.points(),
            body = indented(body, 8),
            from_room = from.max(1),
            to_room = to.max(1),
        )
    }
}

/// The kernel of all boxes: each has a function, and some of the blocks.
fn by_schedules(schedules: &[Schedule]) -> Result<String, Error> {
    let mut text = String::new();
    for (at, schedule) in schedules.iter().enumerate() {
        text.push_str(&schedule.device_function(&format!("box{at}"))?);
        text.push('\n');
    }
    let shared = schedules.iter().map(|schedule| schedule.shared).fold(16, i64::max);
    text.push_str(&format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) relayout_kernel(const unsigned char *__restrict__ from, unsigned char *__restrict__ to) {{\n    __shared__ __align__(16) unsigned char tile[{shared}];\n    const unsigned block = blockIdx.x;\n"
    ));
    let mut first = 0;
    for (at, schedule) in schedules.iter().enumerate() {
        let end = first + schedule.blocks();
        let otherwise = if at == 0 { "" } else { "else " };
        text.push_str(&format!("    {otherwise}if (block < {end}) box{at}(from, to, block - {first}, tile);\n"));
        first = end;
    }
    text.push_str("}\n");
    Ok(text)
}

/// How many blocks all boxes have.
fn launched(schedules: &[Schedule]) -> Result<i64, Error> {
    let blocks = schedules.iter().map(Schedule::blocks).fold(0, i64::saturating_add);
    if blocks > MAX_BLOCKS {
        return Err(error!(ErrorCode::TooLarge, "{blocks} blocks are more than a launch has", [blocks]));
    }
    Ok(blocks)
}

/// The type of a unit or an access of a given number of bytes.
pub(super) fn word(bytes: i64) -> &'static str {
    match bytes {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned",
        8 => "uint2",
        _ => "uint4",
    }
}

/// Expressions as lines of a kernel, and their results.
struct Lines {
    text: String,
    results: Vec<String>,
    /// What must hold, where anything must.
    holds: Option<String>,
}

impl Lines {
    fn of(pool: &Pool, conditions: &[Condition], results: &[Id], prefix: &str) -> Result<Lines, Error> {
        let code = Code::of(pool, conditions, results)?;
        let width = code.width(false);
        let infix = Infix { number: &literal, divide: "/", entry: &|at, index| format!("table{at}[{index}]") };
        let kind = integer(width, true);
        let mut text = String::new();
        let mut names = NAMES.map(str::to_owned);
        // The variables have 32 bits and no sign; where others need more, so do they.
        if width.wide || width.signed {
            for name in &mut names {
                text.push_str(&format!("const {kind} {prefix}_{name} = {name};\n"));
                *name = format!("{prefix}_{name}");
            }
        }
        let body = Body::of(&code, &names, prefix, &infix);
        let mut holds = Vec::new();
        for line in body.lines {
            match line {
                Line::Let(name, value) => text.push_str(&format!("const {kind} {name} = {value};\n")),
                Line::Check(parts) => holds.extend(parts),
            }
        }
        let holds = (!holds.is_empty()).then(|| holds.join(" && "));
        Ok(Lines { text, results: body.results, holds })
    }

    fn result(&self, at: usize) -> &str {
        self.results.get(at).map_or("0", String::as_str)
    }
}

/// Where accesses of one side lie.
struct Side {
    /// The place in memory.
    memory: Lines,
    /// The place in shared memory of a load, or of each unit of a store.
    shared: Lines,
    /// What must hold of an access.
    bounds: Lines,
    /// What must hold so that all units are stored at once, and so that each is, where tiles are shifted.
    whole: Lines,
    units: Vec<Lines>,
}

impl Side {
    /// A whole access, or its units one by one where only some of them are to be moved.
    fn either(&self, whole: &str, unit: impl Fn(i64) -> String) -> String {
        let Some(holds) = &self.whole.holds else { return whole.to_owned() };
        let mut text = format!("if ({holds}) {{\n{}}} else {{\n", indented(whole, 4));
        for (part, lines) in (0..).zip(&self.units) {
            let own = match &lines.holds {
                Some(holds) => format!("if ({holds}) {}", unit(part)),
                None => unit(part),
            };
            text.push_str(&format!("    {{\n{}    }}\n", indented(&format!("{}{own}", lines.text), 8)));
        }
        text.push_str("}\n");
        text
    }
}

/// A loop over the accesses of a thread: what is computed, and what is done where it holds.
fn turns(count: i64, lines: &[&Lines], holds: &Option<String>, action: &str) -> String {
    let body: String = lines.iter().map(|lines| indented(&lines.text, 8)).collect();
    let guarded = match holds {
        Some(holds) => format!("        if ({holds}) {{\n{}        }}\n", indented(action, 12)),
        None => indented(action, 8),
    };
    format!("    #pragma unroll\n    for (unsigned turn = 0; turn < {count}; turn++) {{\n{body}{guarded}    }}\n")
}

impl Schedule {
    /// What threads compute of the accesses of a side.
    fn side(&self, side: usize) -> Result<Side, Error> {
        let per = self.width[side] / self.unit;
        let mut pool = self.pool(side);
        let place = self.memory(&mut pool, side)?;
        let memory = Lines::of(&pool, &[], &[place], "m")?;
        let mut pool = self.pool(side);
        let parts = if side == 0 || self.shared == 0 { 1 } else { per };
        let mut places = Vec::new();
        if self.shared != 0 {
            for part in 0..parts {
                places.push(self.shared_place(&mut pool, side, part)?);
            }
        }
        let shared = Lines::of(&pool, &[], &places, "s")?;
        let mut pool = self.pool(side);
        let conditions = self.bounds(&mut pool, side)?;
        let bounds = Lines::of(&pool, &conditions, &[], "c")?;
        let limited = |first: i64, count: i64, prefix: &str| {
            let mut pool = self.pool(side);
            let conditions = self.parts(&mut pool, side, first, count)?;
            Lines::of(&pool, &conditions, &[], prefix)
        };
        let whole = limited(0, per, "w")?;
        let units = match whole.holds {
            Some(_) => (0..per).map(|unit| limited(unit, 1, "u")).collect::<Result<Vec<_>, _>>()?,
            None => Vec::new(),
        };
        Ok(Side { memory, shared, bounds, whole, units })
    }

    /// What a block does, as a function.
    fn device_function(&self, name: &str) -> Result<String, Error> {
        let mut pool = self.pool(0);
        let bases = [self.base(&mut pool, 0)?, self.base(&mut pool, 1)?];
        let base = Lines::of(&pool, &[], &bases, "b")?;
        let mut text = format!(
            "static __device__ __forceinline__ void {name}(const unsigned char *__restrict__ from, unsigned char *__restrict__ to, const unsigned block, unsigned char *tile) {{\n"
        );
        text.push_str("    const unsigned thread = threadIdx.x, turn = 0;\n    (void)thread, (void)block, (void)turn, (void)tile;\n");
        text.push_str(&indented(&base.text, 4));
        text.push_str(&format!("    const unsigned char *const source = from + {};\n", parenthesised(base.result(0))));
        text.push_str(&format!("    unsigned char *const target = to + {};\n", parenthesised(base.result(1))));
        let (from, to) = (self.side(0)?, self.side(1)?);
        let held = word(self.width[0] / self.packing);
        text.push_str(&format!("    {held} held[{}];\n", self.turns(0)));
        let load = format!("held[turn] = *(const {held} *)(source + {});\n", parenthesised(from.memory.result(0)));
        text.push_str(&turns(self.turns(0), &[&from.memory, &from.bounds], &from.bounds.holds, &load));
        if self.shared == 0 {
            let store = format!("*({held} *)(target + {}) = held[turn];\n", parenthesised(to.memory.result(0)));
            text.push_str(&turns(self.turns(1), &[&to.memory, &to.bounds], &to.bounds.holds, &store));
        } else {
            let unit = word(self.unit);
            let (spread, value) = self.spread();
            let place = parenthesised(from.shared.result(0));
            let put = format!("{spread}*({} *)(tile + {place}) = {value};\n", word(self.width[0]));
            text.push_str(&turns(self.turns(0), &[&from.shared, &from.bounds], &from.bounds.holds, &put));
            text.push_str("    __syncthreads();\n");
            let target = to.memory.result(0);
            let store = to.either(&self.packed(&to.shared.results, target), |part| {
                let place = usize::try_from(part).ok().and_then(|at| to.shared.results.get(at));
                let (place, target) = (parenthesised(place.map_or("0", String::as_str)), parenthesised(target));
                format!("*({unit} *)(target + {target} + {}) = *(const {unit} *)(tile + {place});\n", part * self.unit)
            });
            text.push_str(&turns(
                self.turns(1),
                &[&to.shared, &to.memory, &to.bounds, &to.whole],
                &to.bounds.holds,
                &store,
            ));
        }
        text.push_str("}\n");
        Ok(text)
    }

    /// The lines that give each unit of what is held a byte, and the value that goes to shared memory.
    fn spread(&self) -> (String, String) {
        if self.packing == 1 {
            return (String::new(), "held[turn]".to_owned());
        }
        let bits = 8 / self.packing;
        let (memory, shared) = (self.width[0] / self.packing, self.width[0]);
        let per_word = 32 / bits;
        let mut text = String::new();
        let mut fours = Vec::new();
        for first in (0..shared).step_by(4) {
            let half = if memory < 8 { "" } else { [".x", ".y"][usize::from(first >= per_word)] };
            let name = format!("four{}", first / 4);
            // Four units go apart by 16 bits, and then by 8.
            let pair = 2 * bits;
            let [pairs, ones] = [(1 << pair) - 1, (1 << bits) - 1];
            text.push_str(&format!(
                "unsigned {name} = (unsigned)held[turn]{half} >> {} & {}u;\n{name} = ({name} | {name} << {}) & {}u;\n{name} = ({name} | {name} << {}) & {}u;\n",
                first % per_word * bits,
                (1 << (2 * pair)) - 1,
                16 - pair,
                pairs << 16 | pairs,
                8 - bits,
                ones * 0x0101_0101_i64,
            ));
            fours.push(name);
        }
        let kind = word(shared);
        if let [one] = fours.as_slice() {
            return (text, format!("({kind}){one}"));
        }
        text.push_str(&format!("{kind} spread;\n"));
        for (name, field) in fours.iter().zip(["x", "y", "z", "w"]) {
            text.push_str(&format!("spread.{field} = {name};\n"));
        }
        (text, "spread".to_owned())
    }

    /// Units of shared memory as one access, and its store.
    fn packed(&self, places: &[String], target: &str) -> String {
        let (unit, width) = (word(self.unit), self.width[1] / self.packing);
        let at = |place: &String| format!("*(const {unit} *)(tile + {})", parenthesised(place));
        let whole = word(width);
        let store = format!("*({whole} *)(target + {}) = packed;\n", parenthesised(target));
        if self.width[1] == self.unit {
            return format!("const {whole} packed = {};\n{store}", places.first().map_or_else(String::new, at));
        }
        // Small units as parts of words of 32 bits, or of the access where that is smaller.
        let word_bytes = width.min(4);
        let words: Vec<String> = match self.unit {
            1 | 2 => {
                let bits = self.unit * 8 / self.packing;
                let per = usize::try_from(word_bytes * 8 / bits).unwrap_or(1);
                let joined = |part: &[String]| {
                    let shifted = part.iter().enumerate().map(|(byte, place)| match byte {
                        0 => format!("(unsigned){}", at(place)),
                        _ => format!("(unsigned){} << {}", at(place), i64::try_from(byte).unwrap_or(0) * bits),
                    });
                    shifted.collect::<Vec<_>>().join(" | ")
                };
                places.chunks(per).map(joined).collect()
            }
            4 => places.iter().map(at).collect(),
            _ => {
                let mut text = String::new();
                for (half, place) in places.iter().enumerate() {
                    text.push_str(&format!("const uint2 half{half} = {};\n", at(place)));
                }
                return format!(
                    "{text}uint4 packed;\npacked.x = half0.x; packed.y = half0.y; packed.z = half1.x; packed.w = half1.y;\n{store}"
                );
            }
        };
        match words.as_slice() {
            [one] => format!("const {whole} packed = ({whole})({one});\n{store}"),
            several => {
                let fields = several
                    .iter()
                    .zip(["x", "y", "z", "w"])
                    .map(|(value, field)| format!("packed.{field} = {value};\n"));
                format!("{whole} packed;\n{}{store}", fields.collect::<String>())
            }
        }
    }

    /// How the box is moved, in words.
    fn described(&self, at: usize) -> String {
        let (units, steps) = match self.packing {
            1 => (format!("{} bytes", self.unit), "bytes"),
            packing => (format!("{} bits, a byte each in shared memory", 8 / packing), "units"),
        };
        let mut text = format!("box {at}: {} blocks of {THREADS} threads, units of {units}\n", self.blocks());
        for level in &self.levels {
            let xors = level.xor.map(|xor| if xor == 0 { String::new() } else { format!(" ^ {xor}") });
            text.push_str(&format!(
                "  axis of {}: steps of {}{} and {}{} {steps}, {} in a tile\n",
                level.count, level.stride[0], xors[0], level.stride[1], xors[1], level.tile
            ));
        }
        let [load, store] = self.width.map(|width| width / self.packing);
        text.push_str(&match self.shared {
            0 => format!("  moved directly, {load} bytes a thread"),
            shared => {
                let [stores, loads, least] = self.wavefronts;
                let shifted = if self.shifted.is_some() { ", tiles shifted to sectors in each row" } else { "" };
                format!("  loads of {load} bytes, {shared} bytes of shared memory, stores of {store} bytes{shifted}; wavefronts {stores} + {loads}, of {least} without conflicts")
            }
        });
        text
    }
}
