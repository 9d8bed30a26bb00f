//! What a type with an encoding says: registers a thread, copies and neighbours of a tensor; bytes, buffers and padding of a
//! piece of memory.
//!
//! Law: the value of a type is what the calculator answers to the type with its aliases written out.

use bitstride::linear::{LinearLayout, Name};
use bitstride::notation::{Expr, ExprKind, Ints, ShapedType, parse};
use bitstride::triton::{Encoding, MemDesc};
use bitstride::{Code, Error};
use bitstride_lang::{Bindings, Value, evaluate_tree};

/// A type that was read.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The type with its aliases written out.
    pub inlined: String,
    /// The sizes of the tensor.
    pub shape: Vec<i64>,
    /// The type of an element.
    pub element: String,
    /// How it is laid out.
    pub encoding: Encoding,
    /// The bits of an element in memory, where the type is known.
    pub element_bits: Option<i64>,
    /// What the calculator answers.
    pub value: Value,
    /// What is noted with the answer.
    pub notes: Vec<String>,
    /// What it means in registers or in memory.
    pub kind: FactsKind,
}

/// Where the elements are.
#[derive(Clone, Debug)]
pub enum FactsKind {
    /// In registers.
    Registers(Registers),
    /// In shared or tensor memory.
    Memory(Memory),
}

/// A tensor in registers.
#[derive(Clone, Debug)]
pub struct Registers {
    /// Which element each register of each thread holds.
    pub layout: LinearLayout,
    /// How many registers a thread has.
    pub registers: i64,
    /// For each part of the machine that holds copies, how many it holds of each element.
    pub copies: Vec<(Name, u64)>,
    /// How many neighbours along a dim a thread holds in a row, and the dim: the largest such number.
    pub contiguous: (i64, usize),
}

/// A tensor in memory.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Which element of one buffer each offset holds, before padding.
    pub buffer: LinearLayout,
    /// How many buffers there are, where the type counts them.
    pub buffers: Option<i64>,
    /// The sizes of the allocation that it is a part of.
    pub allocation: Vec<i64>,
    /// The bytes of one block from the first to the last element, where the element is of a known size.
    pub bytes: Option<i64>,
    /// Those of them that hold no element.
    pub padding: Option<i64>,
    /// The fewest elements without padding between them, where there is padding.
    pub interval: Option<i64>,
    /// Whether it is tensor memory, not shared memory.
    pub is_tensor_memory: bool,
}

impl Facts {
    /// Reads a type in which names stand for what is bound.
    ///
    /// # Errors
    /// What the type or its encoding refuse.
    pub fn read(text: &str, names: &Bindings) -> Result<Facts, Error> {
        let tree = names.resolve(&parse(text, Ints::Plain)?)?;
        Facts::of(&tree, tree.to_string())
    }

    /// Reads a type whose aliases are written out; `inlined` is its text.
    pub(super) fn of(tree: &Expr, inlined: String) -> Result<Facts, Error> {
        let answer = evaluate_tree(tree)?;
        let ExprKind::Shaped(shaped) = &tree.kind else {
            return Err(Error::new(Code::Kind, "a type with an encoding is wanted"));
        };
        let Some(attribute) = &shaped.encoding else {
            return Err(Error::new(Code::Kind, "a type with an encoding is wanted"));
        };
        let encoding = Encoding::from_attribute(attribute, &mut Vec::new())?;
        let element_bits = element_bits(&shaped.element);
        let kind = if shaped.kind.is_memory() {
            FactsKind::Memory(memory(shaped, element_bits)?)
        } else {
            FactsKind::Registers(registers(answer.value.as_linear()?))
        };
        Ok(Facts {
            inlined,
            shape: shaped.shape.clone(),
            element: shaped.element.clone(),
            encoding,
            element_bits,
            value: answer.value,
            notes: answer.notes,
            kind,
        })
    }

    /// The tensor in registers, where it is in registers.
    pub fn registers(&self) -> Option<&Registers> {
        match &self.kind {
            FactsKind::Registers(registers) => Some(registers),
            FactsKind::Memory(_) => None,
        }
    }

    /// The tensor in memory, where it is in memory.
    pub fn memory(&self) -> Option<&Memory> {
        match &self.kind {
            FactsKind::Memory(memory) => Some(memory),
            FactsKind::Registers(_) => None,
        }
    }
}

fn registers(layout: LinearLayout) -> Registers {
    let registers = layout.in_dim(Name::REGISTER).map_or(1, |(dim, _)| dim.size());
    let masks = layout.free_variable_masks();
    let copied = masks.iter().filter(|(_, mask)| *mask != 0);
    let copies = copied.map(|(name, mask)| (*name, 1_u64.checked_shl(mask.count_ones()).unwrap_or(u64::MAX))).collect();
    Registers { contiguous: contiguous(&layout), registers, copies, layout }
}

/// The longest run of neighbours that the registers of a thread hold, and the dim along which they lie; the last of several.
fn contiguous(layout: &LinearLayout) -> (i64, usize) {
    let registers = layout.in_dim(Name::REGISTER).map_or(&[][..], |(_, columns)| columns);
    let mut best = (1, layout.outs().len().saturating_sub(1));
    let mut start = 0;
    for (dim, out) in layout.outs().iter().enumerate() {
        let unit = |bit: u32| 1_u64.checked_shl(start + bit).unwrap_or(0);
        let mut bits = (0..out.bits).take_while(|bit| registers.contains(&unit(*bit))).count();
        let units: Vec<u64> = (0..out.bits).take(bits).map(unit).collect();
        // Another place with one of these bits would break the run.
        let mut own = units.clone();
        for column in layout.columns() {
            if let Some(at) = own.iter().position(|unit| unit == column) {
                own.remove(at);
            } else if let Some(at) = units.iter().position(|unit| column & unit != 0) {
                bits = bits.min(at);
            }
        }
        let length = u32::try_from(bits).ok().and_then(|bits| 1_i64.checked_shl(bits)).unwrap_or(i64::MAX);
        if length > 1 && length >= best.0 {
            best = (length, dim);
        }
        start += out.bits;
    }
    best
}

fn memory(shaped: &ShapedType, element_bits: Option<i64>) -> Result<Memory, Error> {
    let memory = MemDesc::of_type(shaped)?;
    let bytes = |elements: i64| element_bits.and_then(|bits| elements.checked_mul(bits)).map(whole_bytes);
    let buffer = memory.buffer()?;
    let is_tensor_memory = buffer.in_dim(Name::COL).is_some();
    // A place of tensor memory is one of a column, which has as many as rows.
    let rows = buffer.in_dim(Name::ROW).map_or(1, |(dim, _)| dim.size());
    let size = memory.size()?.checked_mul(rows).ok_or_else(|| Error::overflow("the size of the allocation"))?;
    let blocks = buffer.in_dim(Name::BLOCK).map_or(1, |(dim, _)| dim.size());
    let elements = memory.allocation().iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
    let held = elements.map(|elements| elements / blocks.max(1));
    let interval =
        memory.encoding().padding().and_then(|padded| padded.paddings.iter().map(|(interval, _)| *interval).min());
    Ok(Memory {
        buffers: memory.buffers(),
        allocation: memory.allocation().to_vec(),
        bytes: bytes(size),
        padding: held.and_then(|held| bytes(size.checked_sub(held)?.max(0))),
        interval,
        is_tensor_memory,
        buffer,
    })
}

/// The bytes that hold a given number of bits.
pub(super) fn whole_bytes(bits: i64) -> i64 {
    bits / 8 + i64::from(bits % 8 != 0)
}

/// The bits of an element in memory: those in the name of the type, a whole byte for a truth value, 64 for a pointer.
fn element_bits(element: &str) -> Option<i64> {
    if element.starts_with('!') || element == "index" {
        return Some(64);
    }
    let digits = element.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let bits: i64 = digits.get(..end)?.parse().ok()?;
    match bits {
        1 => Some(8),
        2..=1024 => Some(bits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_size_that_their_name_says() {
        for (element, bits) in [
            ("f16", Some(16)),
            ("bf16", Some(16)),
            ("f8E4M3FN", Some(8)),
            ("i1", Some(8)),
            ("i4", Some(4)),
            ("!tt.ptr<f16>", Some(64)),
            ("tf32", Some(32)),
            ("none", None),
        ] {
            assert_eq!(element_bits(element), bits, "{element}");
        }
    }

    #[test]
    fn registers_copies_and_neighbours() -> Result<(), Error> {
        let facts = |text: &str| Facts::read(text, &Bindings::default());
        let blocked =
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>";
        let whole = facts(&format!("tensor<4x128xf32, {blocked}>"))?;
        let registers = whole.registers().map(|r| (r.registers, r.copies.clone(), r.contiguous));
        assert_eq!(registers, Some((4, vec![], (4, 1))));
        let small = facts(&format!("tensor<4x64xf32, {blocked}>"))?;
        let registers = small.registers().map(|r| (r.registers, r.copies.clone(), r.contiguous));
        assert_eq!(registers, Some((4, vec![(Name::LANE, 2)], (4, 1))));
        Ok(())
    }

    #[test]
    fn memory_has_bytes_buffers_and_padding() -> Result<(), Error> {
        let text =
            "!ttg.memdesc<2x64x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>, #smem, mutable>";
        let facts = Facts::read(text, &Bindings::default())?;
        let memory = facts.memory().map(|m| (m.bytes, m.buffers, m.padding, m.interval));
        // Two buffers of 64 rows of 72 elements, but for the padding behind the last row.
        assert_eq!(memory, Some((Some((2 * 64 * 72 - 8) * 2), Some(2), Some(127 * 8 * 2), Some(64))));
        Ok(())
    }
}
