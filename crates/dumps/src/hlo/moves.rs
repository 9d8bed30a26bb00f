//! What an instruction that looks like a move does to memory: a copy, a bitcast, a reshape, a transpose.
//!
//! Tiles count throughout. Law: an instruction is free when every element of the result lies at the offset at which the operand
//! has it, and both have as many places.

use bitstride::xla::{Array, Bitcast, Digit, Image, Sameness};
use bitstride::{Code, Error, error};

/// What is asked of two arrays.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `copy`, `copy-start`: the same elements in another layout or memory.
    Copy,
    /// `bitcast`: the same memory as another shape.
    Bitcast,
    /// `reshape`: elements keep their row-major numbers.
    Reshape,
    /// `transpose`: dim `k` of the result is dim `dims[k]` of the operand.
    Transpose(Vec<i64>),
}

/// What it does.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Whether no element moves.
    pub free: bool,
    /// What it is: of a bitcast a reshape, a transpose or both; of a copy a relayout, a move between memories or a copy of the
    /// same layout.
    pub is: String,
    /// The first element that moves, with its offsets.
    pub first: Option<(Vec<i64>, [i64; 2])>,
    /// Why it is not free, where that is more than an element.
    pub reason: Option<String>,
    /// The bytes of the elements.
    pub bytes: i64,
    /// Of a copy: how many elements in a row stay neighbours.
    pub run: Option<i64>,
    /// Of a copy: whether tiles stay whole.
    pub whole_tiles: bool,
    /// Of a copy: whether only the memory space changes.
    pub memory_move: bool,
}

impl Effect {
    /// What an instruction does.
    ///
    /// # Errors
    /// What either array refuses, as [`Image::of`]; [`Code::Undecided`].
    ///
    /// ```
    /// use bitstride_dumps::hlo::{Effect, Kind};
    /// let array = |text: &str| text.parse::<bitstride::xla::Array>();
    /// let (c, b) = (array("f32[16384,8]{0,1:T(8,128)}")?, array("f32[8,16384]{1,0:T(8,128)}")?);
    /// let effect = Effect::of(&Kind::Bitcast, &c, &b)?;
    /// assert_eq!((effect.free, effect.is.as_str()), (true, "the transpose (1,0)"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(kind: &Kind, from: &Array, to: &Array) -> Result<Effect, Error> {
        let elements = Image::of(from)?.elements();
        let bits = elements.checked_mul(from.element_bits()).ok_or_else(|| Error::overflow("the size of an array"))?;
        let mut effect = Effect {
            free: false,
            is: String::new(),
            first: None,
            reason: None,
            bytes: bits / 8 + i64::from(bits % 8 != 0),
            run: None,
            whole_tiles: false,
            memory_move: false,
        };
        match kind {
            Kind::Copy => effect.copy(from, to)?,
            Kind::Bitcast => effect.bitcast(from, to)?,
            Kind::Reshape => {
                effect.is = "a reshape".to_owned();
                effect.same(from.same_memory(to)?);
            }
            Kind::Transpose(dims) => {
                effect.is = transpose(dims);
                effect.same(from.same_transposed(to, dims)?);
            }
        }
        Ok(effect)
    }

    fn same(&mut self, sameness: Sameness) {
        self.free = sameness.holds();
        match sameness {
            Sameness::Same => {}
            Sameness::Element(difference) => {
                let [index, _] = difference.indices;
                self.first = Some((index, difference.offsets));
            }
            other => self.reason = Some(other.to_string()),
        }
    }

    fn bitcast(&mut self, from: &Array, to: &Array) -> Result<(), Error> {
        if from.element_bits() != to.element_bits() {
            // Elements are not those of the operand, so that only the memory can be compared.
            let (before, after) = (Image::of(from)?.bytes()?, Image::of(to)?.bytes()?);
            self.free = before == after;
            self.is = format!("the same bytes as elements of {} bits", to.element_bits());
            self.reason = (!self.free).then(|| format!("{before} bytes and {after}"));
            return Ok(());
        }
        match from.decompose_bitcast(to) {
            Ok(what) => {
                self.free = true;
                self.is = match what {
                    Bitcast::Reshape => "a reshape".to_owned(),
                    Bitcast::Transpose(dims) => transpose(&dims),
                    Bitcast::Both { first, reshaped, second, .. } => {
                        let dims = reshaped.dims.iter().filter_map(|dim| dim.bound()).collect::<Vec<_>>();
                        format!("{}, a reshape to {}, and {}", transpose(&first), listed(&dims), transpose(&second))
                    }
                };
            }
            Err(error) if error.code() == Code::NotBitcast => {
                self.is = "not the same memory".to_owned();
                self.reason = Some(error.message().to_owned());
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn copy(&mut self, from: &Array, to: &Array) -> Result<(), Error> {
        if from.dims != to.dims || from.element != to.element {
            return Err(error!(Code::Kind, "a copy of {from} is no {to}", [from, to])
                .with_help("a copy keeps the type and the dims"));
        }
        self.same(from.same_memory(to)?);
        let is_same_layout = std::mem::take(&mut self.free);
        self.memory_move = is_same_layout && from.layout.memory_space != to.layout.memory_space;
        self.is = match (is_same_layout, self.memory_move) {
            (true, true) => {
                format!("a move from memory {} to memory {}", from.layout.memory_space, to.layout.memory_space)
            }
            (true, false) => "a copy of the same layout".to_owned(),
            (false, _) if from.layout.memory_space != to.layout.memory_space => format!(
                "a relayout and a move from memory {} to memory {}",
                from.layout.memory_space, to.layout.memory_space
            ),
            (false, _) => "a relayout".to_owned(),
        };
        if !is_same_layout {
            self.run = run(from, to)?;
            self.whole_tiles = are_tiles_whole(from, to);
        }
        Ok(())
    }
}

/// Whether both have the same tiles over the same dims in the same order, so that tiles move as they are.
fn are_tiles_whole(from: &Array, to: &Array) -> bool {
    let rank = from.layout.tiles.first().map_or(0, |tile| tile.0.len());
    let inner = |array: &Array| array.layout.minor_to_major.get(..rank).map(<[i64]>::to_vec);
    rank > 0 && from.layout.tiles == to.layout.tiles && inner(from).is_some() && inner(from) == inner(to)
}

/// How many elements in a row lie in a row on both sides; nothing where an offset is no sum of digits.
fn run(from: &Array, to: &Array) -> Result<Option<i64>, Error> {
    let (Some(mut left), Some(mut right)) = (Image::of(from)?.digits(), Image::of(to)?.digits()) else {
        return Ok(None);
    };
    let mut run = 1_i64;
    loop {
        let at = |digits: &[Digit]| digits.iter().position(|digit| digit.stride == run && digit.radix > 1);
        let (Some(one), Some(other)) = (at(&left), at(&right)) else { return Ok(Some(run)) };
        let (Some(a), Some(b)) = (left.get_mut(one), right.get_mut(other)) else { return Ok(Some(run)) };
        if (a.axis, a.weight) != (b.axis, b.weight) {
            return Ok(Some(run));
        }
        let radix = a.radix.min(b.radix);
        if a.radix % radix != 0 || b.radix % radix != 0 {
            return Ok(Some(run));
        }
        for digit in [a, b] {
            digit.radix /= radix;
            digit.weight = digit.weight.saturating_mul(radix);
            digit.stride = digit.stride.saturating_mul(radix);
        }
        run = run.saturating_mul(radix);
    }
}

fn transpose(dims: &[i64]) -> String {
    format!("the transpose {}", listed(dims))
}

/// `(1,0)`
fn listed(dims: &[i64]) -> String {
    format!("({})", dims.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(kind: Kind, from: &str, to: &str) -> Effect {
        let array = |text: &str| text.parse::<Array>().expect("an array");
        Effect::of(&kind, &array(from), &array(to)).expect("an effect")
    }

    #[test]
    fn copies_say_what_they_are() {
        let cases = [
            ("f32[4,8]{1,0}", "f32[4,8]{1,0:S(1)}", "a move from memory 0 to memory 1", None, false),
            ("f32[4,8]{1,0}", "f32[4,8]{1,0}", "a copy of the same layout", None, false),
            ("f32[4,8]{1,0}", "f32[4,8]{0,1}", "a relayout", Some(1), false),
            ("f32[4,6,8]{2,1,0}", "f32[4,6,8]{2,0,1}", "a relayout", Some(8), false),
            ("f32[4,16,256]{2,1,0:T(8,128)}", "f32[4,16,256]{2,1,0}", "a relayout", Some(128), false),
            ("f32[4,6,16,256]{3,2,1,0:T(8,128)}", "f32[4,6,16,256]{3,2,0,1:T(8,128)}", "a relayout", Some(4096), true),
        ];
        for (from, to, is, run, whole) in cases {
            let effect = effect(Kind::Copy, from, to);
            assert_eq!((effect.is.as_str(), effect.run, effect.whole_tiles), (is, run, whole), "{from} -> {to}");
            assert!(!effect.free, "{from} -> {to}");
        }
    }

    #[test]
    fn tiles_decide_what_is_free() {
        let free = |kind, from, to| effect(kind, from, to).free;
        assert!(free(Kind::Reshape, "f32[16,256]{1,0:T(8,128)}", "f32[2,8,256]{2,1,0:T(8,128)}"));
        assert!(!free(Kind::Reshape, "f32[4,128]{1,0:T(8,128)}", "f32[4,1,128]{2,1,0:T(8,128)}"));
        assert!(free(Kind::Transpose(vec![0, 2, 1, 3]), "f32[4,8,128,32]{3,2,1,0}", "f32[4,128,8,32]{3,1,2,0}"));
        assert!(!free(Kind::Transpose(vec![1, 0]), "f32[4,8]{1,0}", "f32[8,4]{1,0}"));
        assert!(!free(Kind::Bitcast, "f32[4,8]{1,0:T(2,2)}", "f32[32]{0}"));
        assert!(free(Kind::Bitcast, "f32[4,8]{1,0}", "bf16[4,8,2]{2,1,0}"));
        assert!(!free(Kind::Bitcast, "f32[4,8]{1,0:T(8,128)}", "bf16[4,8,2]{2,1,0}"));
    }
}
