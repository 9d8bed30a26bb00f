//! CUDA: a kernel for each box by its [`Schedule`], what launches them, and a test on the GPU.
//!
//! NVRTC reads the kernels alone. A host compiler reads them too, behind a few lines that stand for `threadIdx` and its like: a
//! kernel has one barrier at most, so that a thread after the other, twice, does what a GPU does.

use bitstride::{Code as ErrorCode, Error};

use super::Relayout;
use super::check::indented;
use super::schedule::{Choice, Schedule, THREADS};
use crate::code::Code;
use crate::expr::{Condition, Id, Masked, Pool};
use crate::lang::{Language, integer, literal};
use crate::print::{Body, Infix, Line, parenthesised};

/// The most blocks of a launch.
const MAX_BLOCKS: i64 = (1 << 31) - 1;

/// The variables of all expressions.
const THREAD: usize = 0;
const TURN: usize = 1;
const BLOCK: usize = 2;

/// What names the variables have.
const NAMES: [&str; 3] = ["thread", "turn", "block"];

impl Relayout {
    pub(super) fn cuda(&self, choice: Choice) -> Result<String, Error> {
        let schedules = self.schedules(choice)?;
        let plans: Vec<String> = schedules.iter().enumerate().map(|(at, schedule)| schedule.described(at)).collect();
        let mut text = self.head(&plans);
        text.push_str(
            "\n#ifndef __CUDACC_RTC__\n#include <cstdio>\n#include <cstdlib>\n#include <cuda_runtime.h>\n#endif\n\n",
        );
        let mut launches = String::new();
        for (at, schedule) in schedules.iter().enumerate() {
            text.push_str(&schedule.kernel(&format!("relayout{at}"))?);
            text.push('\n');
            launches.push_str(&format!(
                "    relayout{at}<<<{}, {THREADS}, 0, stream>>>((const unsigned char *)from, (unsigned char *)to);\n",
                schedule.blocks()
            ));
        }
        text.push_str(&self.tested(&launches));
        Ok(text)
    }

    /// What launches the kernels, and a program that tests them.
    fn tested(&self, launches: &str) -> String {
        let [functions, body] = self.compared(Language::Cuda);
        let [from, to] = self.bytes;
        format!(
            "{functions}
// Counts the bytes of elements that differ.
extern \"C\" __global__ void relayout_check(const unsigned char *from, const unsigned char *to, unsigned long long *differing) {{
    unsigned long long wrong = 0;
    for (unsigned long long n = blockIdx.x * {THREADS}ull + threadIdx.x; n < {points}ull; n += gridDim.x * {THREADS}ull) {{
{body}    }}
    if (wrong) atomicAdd(differing, wrong);
}}

#ifndef __CUDACC_RTC__
// Moves {from} bytes on the device to {to}, without waiting; both begin on a multiple of 16.
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
            body = indented(&body, 8),
            from_room = from.max(1),
            to_room = to.max(1),
        )
    }
}

/// The type of a unit or an access of so many bytes.
fn word(bytes: i64) -> &'static str {
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
    /// What is computed of an access: bounds, the place in memory.
    memory: Lines,
    /// Its place in shared memory, or that of each unit.
    shared: Lines,
    bounds: Lines,
}

impl Schedule {
    fn pool(&self, side: usize) -> Pool {
        Pool::new(&[THREADS, self.turns(side), self.blocks().max(1)], true)
    }

    /// The coordinates of the tile of a block, in units of tiles.
    fn outer(&self, pool: &mut Pool) -> Result<Vec<Id>, Error> {
        let mut rest = pool.variable(BLOCK)?;
        let mut outer = vec![pool.constant(0)?; self.levels.len()];
        let mut order: Vec<usize> = (0..self.levels.len()).filter(|at| self.levels[*at].tiles() > 1).collect();
        order.sort_by_key(|at| self.levels[*at].stride[1].unsigned_abs() | self.levels[*at].xor[1].unsigned_abs());
        for at in order {
            let tiles = self.levels[at].tiles();
            outer[at] = pool.modulo(rest, tiles)?;
            rest = pool.div(rest, tiles)?;
        }
        Ok(outer)
    }

    /// The digits of an access in the order of a side, `part` units behind its first.
    fn digits(&self, pool: &mut Pool, side: usize, part: i64) -> Result<Vec<Id>, Error> {
        let per = self.width[side] / self.unit;
        let (thread, turn) = (pool.variable(THREAD)?, pool.variable(TURN)?);
        let mut rest = pool.sum(part, &[(thread, per), (turn, THREADS * per)])?;
        let mut digits = Vec::with_capacity(self.order[side].len());
        for digit in &self.order[side] {
            digits.push(pool.modulo(rest, digit.radix)?);
            rest = pool.div(rest, digit.radix)?;
        }
        Ok(digits)
    }

    /// The coordinate of each axis inside the tile.
    fn inner(&self, pool: &mut Pool, side: usize, digits: &[Id]) -> Result<Vec<Id>, Error> {
        let mut inner = Vec::with_capacity(self.levels.len());
        for at in 0..self.levels.len() {
            let own = self.order[side].iter().zip(digits).filter(|(digit, _)| digit.level == at);
            let terms: Vec<(Id, i64)> = own.map(|(digit, id)| (*id, digit.weight)).collect();
            inner.push(pool.sum(0, &terms)?);
        }
        Ok(inner)
    }

    /// The place of the tile of a block on a side, but for what is xored.
    fn base(&self, pool: &mut Pool, side: usize) -> Result<Id, Error> {
        let outer = self.outer(pool)?;
        let terms: Vec<(Id, i64)> = outer
            .iter()
            .zip(&self.levels)
            .map(|(id, level)| (*id, level.stride[side].saturating_mul(level.tile)))
            .collect();
        pool.sum(self.offset[side], &terms)
    }

    /// The place of an access behind the base.
    fn memory(&self, pool: &mut Pool, side: usize, inner: &[Id]) -> Result<Id, Error> {
        let outer = self.outer(pool)?;
        let mut terms: Vec<(Id, i64)> =
            inner.iter().zip(&self.levels).map(|(id, level)| (*id, level.stride[side])).collect();
        let mut masks = Vec::new();
        for (at, level) in self.levels.iter().enumerate() {
            let mask = level.xor[side].cast_unsigned();
            for id in [inner[at], outer[at]] {
                let bits = (0..i32::try_from(u64::BITS).unwrap_or(64)).filter(|bit| mask >> bit & 1 == 1);
                masks.extend(bits.map(|distance| Masked { of: id, distance, mask: 1 }));
            }
        }
        let pattern = pool.xor(self.flip[side].cast_unsigned(), &masks)?;
        terms.push((pattern, 1));
        pool.sum(0, &terms)
    }

    /// The conditions under which an access is inside the box.
    fn bounds(&self, pool: &mut Pool, side: usize, inner: &[Id]) -> Result<Vec<Condition>, Error> {
        let outer = self.outer(pool)?;
        let mut conditions = Vec::new();
        let per = self.width[side] / self.unit;
        if self.turns(side) * THREADS * per > self.tile_units() {
            let (thread, turn) = (pool.variable(THREAD)?, pool.variable(TURN)?);
            let number = pool.sum(0, &[(thread, 1), (turn, THREADS)])?;
            conditions.extend(pool.assume_below(number, self.tile_units() / per));
        }
        for (at, level) in self.levels.iter().enumerate().filter(|(_, level)| level.is_ragged()) {
            let whole = pool.sum(0, &[(outer[at], level.tile), (inner[at], 1)])?;
            conditions.extend(pool.assume_below(whole, level.count));
        }
        Ok(conditions)
    }

    /// What threads compute of the accesses of a side.
    fn side(&self, side: usize) -> Result<Side, Error> {
        let mut pool = self.pool(side);
        let digits = self.digits(&mut pool, side, 0)?;
        let inner = self.inner(&mut pool, side, &digits)?;
        let place = self.memory(&mut pool, side, &inner)?;
        let memory = Lines::of(&pool, &[], &[place], "m")?;
        let mut pool = self.pool(side);
        let parts = if side == 0 || self.shared == 0 { 1 } else { self.width[1] / self.unit };
        let mut places = Vec::new();
        for part in 0..parts {
            let digits = self.digits(&mut pool, side, part)?;
            let terms: Vec<(Id, i64)> =
                digits.iter().zip(&self.order[side]).map(|(id, digit)| (*id, digit.place)).collect();
            places.push(pool.sum(0, &terms)?);
        }
        let shared = Lines::of(&pool, &[], &places, "s")?;
        let mut pool = self.pool(side);
        let digits = self.digits(&mut pool, side, 0)?;
        let inner = self.inner(&mut pool, side, &digits)?;
        let conditions = self.bounds(&mut pool, side, &inner)?;
        let bounds = Lines::of(&pool, &conditions, &[], "c")?;
        Ok(Side { memory, shared, bounds })
    }

    /// The source of the kernel.
    fn kernel(&self, name: &str) -> Result<String, Error> {
        if self.blocks() > MAX_BLOCKS {
            return Err(Error::new(
                ErrorCode::TooLarge,
                format!("{} blocks are more than a launch has", self.blocks()),
            ));
        }
        let mut pool = self.pool(0);
        let bases = [self.base(&mut pool, 0)?, self.base(&mut pool, 1)?];
        let base = Lines::of(&pool, &[], &bases, "b")?;
        let mut text = format!(
            "extern \"C\" __global__ void __launch_bounds__({THREADS}) {name}(const unsigned char *__restrict__ from, unsigned char *__restrict__ to) {{\n"
        );
        text.push_str("    const unsigned thread = threadIdx.x, block = blockIdx.x, turn = 0;\n    (void)thread, (void)block, (void)turn;\n");
        text.push_str(&indented(&base.text, 4));
        text.push_str(&format!("    const unsigned char *const source = from + {};\n", parenthesised(base.result(0))));
        text.push_str(&format!("    unsigned char *const target = to + {};\n", parenthesised(base.result(1))));
        let (from, to) = (self.side(0)?, self.side(1)?);
        let held = word(self.width[0]);
        let each = |turns: i64, lines: &[&Lines], bounds: &Lines, action: &str| {
            let mut body: String = lines.iter().map(|lines| indented(&lines.text, 8)).collect();
            body.push_str(&indented(&bounds.text, 8));
            let guarded = match &bounds.holds {
                Some(holds) => format!("        if ({holds}) {{\n{}        }}\n", indented(action, 12)),
                None => indented(action, 8),
            };
            format!(
                "    #pragma unroll\n    for (unsigned turn = 0; turn < {turns}; turn++) {{\n{body}{guarded}    }}\n"
            )
        };
        text.push_str(&format!("    {held} held[{}];\n", self.turns(0)));
        let load = format!("held[turn] = *(const {held} *)(source + {});\n", parenthesised(from.memory.result(0)));
        text.push_str(&each(self.turns(0), &[&from.memory], &from.bounds, &load));
        if self.shared == 0 {
            let store = format!("*({held} *)(target + {}) = held[turn];\n", parenthesised(to.memory.result(0)));
            text.push_str(&each(self.turns(1), &[&to.memory], &to.bounds, &store));
        } else {
            text.push_str(&format!("    __shared__ __align__(16) unsigned char tile[{}];\n", self.shared));
            let put = format!("*({held} *)(tile + {}) = held[turn];\n", parenthesised(from.shared.result(0)));
            text.push_str(&each(self.turns(0), &[&from.shared], &from.bounds, &put));
            text.push_str("    __syncthreads();\n");
            let store = self.packed(&to.shared.results, to.memory.result(0));
            text.push_str(&each(self.turns(1), &[&to.shared, &to.memory], &to.bounds, &store));
        }
        text.push_str("}\n");
        Ok(text)
    }

    /// Units of shared memory as one access, and its store.
    fn packed(&self, places: &[String], target: &str) -> String {
        let (unit, width) = (word(self.unit), self.width[1]);
        let at = |place: &String| format!("*(const {unit} *)(tile + {})", parenthesised(place));
        let whole = word(width);
        let store = format!("*({whole} *)(target + {}) = packed;\n", parenthesised(target));
        if width == self.unit {
            return format!("const {whole} packed = {};\n{store}", places.first().map_or_else(String::new, at));
        }
        // Small units as parts of words of 32 bits, or of the access where that is smaller.
        let word_bytes = width.min(4);
        let words: Vec<String> = match self.unit {
            1 | 2 => {
                let per = usize::try_from(word_bytes / self.unit).unwrap_or(1);
                let bits = self.unit * 8;
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
        let mut text = format!(
            "kernel relayout{at}: {} blocks of {THREADS} threads, units of {} bytes\n",
            self.blocks(),
            self.unit
        );
        for level in &self.levels {
            let xors = level.xor.map(|xor| if xor == 0 { String::new() } else { format!(" ^ {xor}") });
            text.push_str(&format!(
                "  axis of {}: steps of {}{} and {}{} bytes, {} in a tile\n",
                level.count, level.stride[0], xors[0], level.stride[1], xors[1], level.tile
            ));
        }
        let [load, store] = self.width;
        text.push_str(&match self.shared {
            0 => format!("  moved directly, {load} bytes a thread"),
            shared => {
                let [stores, loads, least] = self.wavefronts;
                format!("  loads of {load} bytes, {shared} bytes of shared memory, stores of {store} bytes; wavefronts {stores} + {loads}, of {least} without conflicts")
            }
        });
        text
    }
}
