//! [`Fragment`]: the loads and stores by which a thread moves its values between registers and memory.
//!
//! Values that follow each other in the fragment and in memory, on an aligned place for every thread, are moved together, up to
//! 16 bytes. Law: value `v` of thread `t` is read from, and written to, the place of the coordinate that the thread-value layout
//! gives to `(t, v)`.

use bitstride::map::Map;
use bitstride::{Code as ErrorCode, Error, error};

use crate::code::Code;
use crate::function::{Input, cheapest};
use crate::lang::{Language, integer, literal};
use crate::print::{Body, Infix, Line, parenthesised};

/// The widest access in bytes.
const MAX_ACCESS_BYTES: i64 = 16;

/// The most values of all threads together, each of which is looked at for how many lie together.
const MAX_VALUES: i64 = 1 << 18;

/// The most accesses of a thread.
const MAX_ACCESSES: i64 = 1 << 10;

/// A thread's accesses.
#[derive(Clone, Debug)]
pub struct Fragment {
    threads: i64,
    values: i64,
    /// The bytes of an element.
    bytes: i64,
    /// The elements of an access.
    together: i64,
    /// The place of each access, in elements.
    code: Code,
    /// What the layouts are called.
    names: [String; 2],
}

impl Fragment {
    /// The accesses of a thread-value layout to a memory, for elements of some bits. The names are those of both layouts.
    ///
    /// # Errors
    /// As [`Map::then`] and [`Map::from_elements`]; [`ErrorCode::Kind`] where the first layout does not lead from threads and
    /// values; [`ErrorCode::Range`] for elements of no 1, 2, 4, 8 or 16 bytes; [`ErrorCode::NotALayout`] where the memory does
    /// not have an element; [`ErrorCode::TooLarge`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::{Fragment, Language};
    /// let threads = bitstride_lang::evaluate("tv((32,4):(4,1), (128))")?.value.as_map()?;
    /// let memory = Map::of_layout(&"128:1".parse()?)?;
    /// let fragment = Fragment::of(&threads, &memory, 16, ["tv", "128:1"])?;
    /// assert!(fragment.source(Language::Cuda)?.contains("*(uint2 *)(fragment + 0)"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(threads: &Map, memory: &Map, bits: i64, names: [&str; 2]) -> Result<Self, Error> {
        let bytes = bits / 8;
        if bits % 8 != 0 || ![1, 2, 4, 8, 16].contains(&bytes) {
            return Err(error!(
                ErrorCode::Range,
                "elements of {bits} bits; accesses are of 1, 2, 4, 8 or 16 bytes",
                [bits]
            ));
        }
        let by_thread = threads.by_thread()?;
        let (count, values) = match by_thread.domain() {
            [thread, value] if by_thread.codomain().len() == by_thread.index_axes().len() => {
                (thread.extent, value.extent)
            }
            _ => {
                return Err(error!(
                    ErrorCode::Kind,
                    "{threads} does not lead from threads and values to coordinates",
                    [threads]
                )
                .with_help("a fragment as `tv((32,4):(4,1), (128))`"));
            }
        };
        if count.checked_mul(values).is_none_or(|all| all > MAX_VALUES) {
            return Err(error!(
                ErrorCode::TooLarge,
                "{count} threads of {values} values; at most {max_values} values are looked at",
                [count, values, max_values = MAX_VALUES]
            ));
        }
        let memory = memory.from_elements()?;
        // A layout of CuTe has places beyond its last extent too, which are of no element of the tile.
        let is_beyond = by_thread.codomain().len() == memory.domain().len()
            && by_thread.codomain().iter().zip(memory.domain()).any(|(tile, own)| tile.extent > own.extent);
        if is_beyond {
            return Err(error!(
                ErrorCode::NotALayout,
                "the tile of {by_thread} goes beyond the memory of {memory}",
                [by_thread, memory]
            ));
        }
        let map = by_thread.then(&memory)?;
        if map.codomain().len() != 1 {
            return Err(error!(ErrorCode::RankMismatch, "{memory} does not lead to an offset in memory", [memory]));
        }
        let together = together(&map, [count, values], bytes)?;
        if values / together > MAX_ACCESSES {
            let message = format!("{} accesses of a thread; at most {MAX_ACCESSES} are written", values / together);
            return Err(Error::new(ErrorCode::TooLarge, message));
        }
        let points: Vec<Vec<Input>> =
            (0..values / together).map(|access| vec![Input::Variable(0), Input::Constant(access * together)]).collect();
        let code = cheapest(&map, &[count], &points)?;
        Ok(Fragment { threads: count, values, bytes, together, code, names: names.map(str::to_owned) })
    }

    /// Two functions: one reads the fragment of a thread, the other writes it.
    ///
    /// # Errors
    /// [`ErrorCode::Kind`] for a language in which threads have no fragments.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::{Fragment, Language};
    /// let threads = bitstride_lang::evaluate("tv((32,4):(1,32), (128))")?.value.as_map()?;
    /// let fragment = Fragment::of(&threads, &Map::of_layout(&"128:1".parse()?)?, 32, ["tv", "128:1"])?;
    /// assert!(fragment.source(Language::C)?.contains("memory + (thread + 32)"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn source(&self, language: Language) -> Result<String, Error> {
        let is_cuda = match language {
            Language::C => false,
            Language::Cuda => true,
            other => {
                return Err(error!(ErrorCode::Kind, "a fragment is not emitted in {word}", [word = other.word()])
                    .with_help("c or cuda"));
            }
        };
        let kind = integer(self.code.width(false), is_cuda);
        let infix = Infix { number: &literal, divide: "/", entry: &|at, index| format!("table{at}[{index}]") };
        let body = Body::of(&self.code, &["thread".to_owned()], "t", &infix);
        let element = match (is_cuda, self.bytes) {
            (true, 1) => "unsigned char",
            (true, 2) => "unsigned short",
            (true, 4) => "unsigned",
            (true, 8) => "uint2",
            (true, _) => "uint4",
            (false, 1) => "uint8_t",
            (false, 2) => "uint16_t",
            (false, 4) => "uint32_t",
            (false, 8) => "uint64_t",
            (false, _) => "element_t",
        };
        let [threads, memory] = &self.names;
        let bytes = self.bytes * self.together;
        let mut text = format!(
            "// A thread of {} has {} values of {} in {}: {} accesses of {bytes} bytes each way.\n",
            self.threads,
            self.values,
            threads,
            memory,
            self.values / self.together
        );
        if is_cuda {
            text.push_str(&format!("// `fragment` and `memory` begin on a multiple of {bytes} bytes.\n"));
        } else {
            text.push_str("#include <stdint.h>\n#include <string.h>\n\n");
            if self.bytes == 16 {
                text.push_str("typedef struct { uint64_t low, high; } element_t;\n\n");
            }
        }
        let prefix = if is_cuda { "static __device__ __forceinline__" } else { "static inline" };
        let word = match bytes {
            1 => "unsigned char",
            2 => "unsigned short",
            4 => "unsigned",
            8 => "uint2",
            _ => "uint4",
        };
        for (name, loads) in [("load_fragment", true), ("store_fragment", false)] {
            let parameters = match loads {
                true => format!("{element} *fragment, const {element} *memory"),
                false => format!("const {element} *fragment, {element} *memory"),
            };
            text.push_str(&format!("{prefix} void {name}({parameters}, {kind} thread) {{\n"));
            for line in &body.lines {
                if let Line::Let(name, value) = line {
                    text.push_str(&format!("    const {kind} {name} = {value};\n"));
                }
            }
            for (access, place) in (0..).zip(&body.results) {
                let (value, place) =
                    (format!("fragment + {}", access * self.together), format!("memory + {}", parenthesised(place)));
                let (to, from) = if loads { (value, place) } else { (place, value) };
                text.push_str(&match is_cuda {
                    true => format!("    *({word} *)({to}) = *(const {word} *)({from});\n"),
                    false => format!("    memcpy({to}, {from}, {bytes});\n"),
                });
            }
            text.push_str("}\n");
        }
        Ok(text)
    }
}

/// How many neighbours of the values of every thread lie together, on a place that is a multiple of as many: a power of two.
fn together(map: &Map, [threads, values]: [i64; 2], bytes: i64) -> Result<i64, Error> {
    let missing = |thread: i64, value: i64| {
        error!(ErrorCode::NotALayout, "value {value} of thread {thread} lies nowhere in the memory", [value, thread])
    };
    let mut most = 1;
    while most * 2 * bytes <= MAX_ACCESS_BYTES && values % (most * 2) == 0 {
        most *= 2;
    }
    for thread in 0..threads {
        for value in 0..values {
            let place = |value: i64| {
                let place = map.at(&[thread, value])?.and_then(|place| place.first().copied());
                place.ok_or_else(|| missing(thread, value))
            };
            let own = place(value)?;
            while value % most == 0 && own % most != 0 || value % most != 0 && own != place(value - 1)? + 1 {
                most /= 2;
            }
        }
    }
    Ok(most)
}
