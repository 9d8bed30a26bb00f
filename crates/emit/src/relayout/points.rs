//! Element by element, for pairs that no [`Schedule`](super::schedule::Schedule) moves: axes that both layouts cut differently,
//! layouts without a normal form, more than 64 boxes, and units below a byte of which some thread would have a part of
//! a byte.
//!
//! Both places of an element are computed by the index functions of the layouts. Elements of whole bytes are visited by their
//! coordinates. Below a byte a thread owns a byte of the destination and collects the elements that lie in it, by the inverse of
//! the destination, so that no two threads write one byte.
//!
//! Law: each element is moved once, from the place that the source has for it to that of the destination, and a byte without an
//! element is not written.

use bitstride::Error;

use super::Relayout;
use super::cuda::word;
use super::schedule::THREADS;
use crate::function::Function;
use crate::lang::{Language, integer};

/// The most blocks of a launch: their threads go on to the elements behind.
const MAX_BLOCKS: i64 = 1 << 20;

/// The widest word of a thread in bytes.
const MAX_WORD_BYTES: i64 = 16;

impl Relayout {
    /// The axes of the tensor, that with the shortest step in the destination first, so that consecutive writes are near.
    pub(super) fn by_step(&self) -> Vec<usize> {
        let [_, to] = &self.places;
        let mut point = vec![0; to.arguments.len()];
        let mut step = |axis: usize| {
            let is_long = to.arguments[axis].extent > 1;
            let first = to.at(&point)?;
            point[axis] = i64::from(is_long);
            let second = to.at(&point);
            point[axis] = 0;
            is_long.then_some(first.first()?.abs_diff(*second?.first()?))
        };
        let mut order: Vec<usize> = (0..to.arguments.len()).collect();
        order.sort_by_cached_key(|axis| step(*axis).unwrap_or(u64::MAX));
        order
    }

    /// The lines that compute both places of the element with the number `n`: `from_place_at` and `to_place_at`, of which -1 is
    /// padding.
    pub(super) fn located(&self, language: Language) -> String {
        let [unsigned, signed] = integers(language);
        let arguments = &self.places[0].arguments;
        let mut text = format!("{unsigned} rest = n;\n");
        for at in self.by_step() {
            let extent = arguments[at].extent.max(1);
            text.push_str(&format!("const {unsigned} x{at} = rest % {extent}; rest /= {extent};\n"));
        }
        let names: Vec<String> = (0..arguments.len()).map(|at| format!("x{at}")).collect();
        for place in &self.places {
            let name = &place.name;
            text.push_str(&format!("const {signed} {name}_at = {name}({});\n", names.join(", ")));
        }
        text
    }

    /// The kernel that moves element by element, for pointers on multiples of `alignment` bytes, and how many blocks it is launched
    /// with.
    ///
    /// # Errors
    /// Below a byte, why the destination has no inverse.
    pub(super) fn cuda_by_points(&self, alignment: i64) -> Result<(String, i64), Error> {
        let (body, count) = match &self.back {
            Some(back) => (self.collect(back.as_ref().map_err(Clone::clone)?), self.bytes_of(1)),
            None => (self.scatter(alignment), self.points()),
        };
        let text = format!(
            "extern \"C\" __global__ void __launch_bounds__({THREADS}) relayout_kernel(const unsigned char *__restrict__ from, unsigned char *__restrict__ to) {{
    for (unsigned long long n = blockIdx.x * {THREADS}ull + threadIdx.x; n < {count}ull; n += gridDim.x * {THREADS}ull) {{
{}    }}
}}
",
            super::check::indented(&body, 8)
        );
        let blocks = count / THREADS + i64::from(count % THREADS != 0);
        Ok((text, blocks.min(MAX_BLOCKS)))
    }

    /// What a thread does of the element with the number `n`.
    fn scatter(&self, alignment: i64) -> String {
        let bytes = self.element.bits() / 8;
        let width = (1 << bytes.trailing_zeros()).min(MAX_WORD_BYTES).min(alignment);
        let unit = word(width);
        let [located, moved] = [
            self.located(Language::Cuda),
            format!(
                "if (from_place_at < 0 || to_place_at < 0) continue;
const {unit} *const source = (const {unit} *)(from + from_place_at * {bytes});
{unit} *const target = ({unit} *)(to + to_place_at * {bytes});
"
            ),
        ];
        let words = match bytes / width {
            1 => "*target = *source;\n".to_owned(),
            words => format!("for (int part = 0; part < {words}; part++) target[part] = source[part];\n"),
        };
        format!("{located}{moved}{words}")
    }

    /// What a thread does of the byte `n` of the destination, whose elements it collects.
    fn collect(&self, back: &Function) -> String {
        let bits = self.element.bits();
        let (per, mask) = (8 / bits, (1 << bits) - 1);
        let places = back.arguments.iter().map(|axis| axis.extent).fold(1, i64::saturating_mul);
        let rank = back.results.len();
        let own = integer(back.code.width(back.pads() && rank == 1), true);
        let names: Vec<String> = (0..rank).map(|at| format!("x[{at}]")).collect();
        let found = match (rank, back.pads()) {
            (1, true) => format!("const long long x[1] = {{{}(place)}};\nif (x[0] < 0) continue;\n", back.name),
            (1, false) => format!("const {own} x[1] = {{{}(place)}};\n", back.name),
            _ => format!("{own} x[{}];\nif (!{}(place, x)) continue;\n", rank.max(1), back.name),
        };
        let collected = format!(
            "const long long place = (long long)n * {per} + part;
if (place >= {places}) break;
{found}const long long at = (long long){}({}) * {bits};
if (at < 0) continue;
value = (value & ~({mask}u << part * {bits})) | (from[at >> 3] >> (at & 7) & {mask}u) << part * {bits};
is_held = true;
",
            self.places[0].name,
            names.join(", "),
        );
        format!(
            "unsigned value = to[n];\nbool is_held = false;\nfor (int part = 0; part < {per}; part++) {{\n{}}}\nif (is_held) to[n] = (unsigned char)value;\n",
            super::check::indented(&collected, 4)
        )
    }

    /// The function that moves all elements, in C.
    pub(super) fn host_by_points(&self) -> String {
        let bits = self.element.bits();
        let moved = match bits {
            8.. => format!("memcpy(to + to_place_at * {0}, from + from_place_at * {0}, {0});\n", bits / 8),
            _ => {
                let mask = (1 << bits) - 1;
                format!(
                    "const int64_t s = from_place_at * {bits}, d = to_place_at * {bits};\nto[d / 8] = (uint8_t)((to[d / 8] & ~({mask} << d % 8)) | (from[s / 8] >> s % 8 & {mask}) << d % 8);\n"
                )
            }
        };
        let body = format!("{}if (from_place_at < 0 || to_place_at < 0) continue;\n{moved}", self.located(Language::C));
        format!(
            "static void relayout0(const uint8_t *from, uint8_t *to) {{\n    for (uint64_t n = 0; n < {}; n++) {{\n{}    }}\n}}\n",
            self.points(),
            super::check::indented(&body, 8)
        )
    }
}

/// The widest integers without and with a sign.
pub(super) fn integers(language: Language) -> [&'static str; 2] {
    match language {
        Language::Cuda => ["unsigned long long", "long long"],
        _ => ["uint64_t", "int64_t"],
    }
}
