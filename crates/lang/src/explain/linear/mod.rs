//! Operations on linear layouts, basis by basis: what each bit of a place goes to, and where that comes from.
//!
//! A bit is named as the value it has in its dim: `lane = 2` is bit 1 of the lanes. Its image is its basis. Sums of
//! images are xors, so `apply(L, place)` at a place of several bits is the xor of their bases.

mod bases;
mod convert;
mod elimination;
mod registers;
mod tests;

use super::steps::Steps;
use super::words::{call, tuple};
use crate::{Value, evaluate};
use bitstride::Error;
use bitstride::linear::{Dim, LinearLayout, Name};

/// More bases are not shown one by one.
const MOST_BASES: usize = 16;

/// An operation on linear layouts; false for one of another family.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<bool, Error> {
    match name {
        "apply" => apply(values, steps)?,
        "strided_1d" => bases::strided(values, steps)?,
        "identity_1d" | "zeros_1d" | "identity_standard_nd" | "cga" => {
            images(&evaluate(&call(name, values))?.value.as_linear()?, steps)?;
        }
        "mul" => bases::product(values, steps)?,
        "compose" => bases::compose(values, steps)?,
        "transpose_ins"
        | "reshape_ins"
        | "flatten_ins"
        | "rename_in_dim"
        | "squeeze_ins"
        | "concat_ins"
        | "resize_in_dim"
        | "remove_zero_bases_along_dim" => bases::of_ins(name, values, steps)?,
        "transpose_outs" | "reshape_outs" | "flatten_outs" | "rename_out_dim" | "squeeze_outs" | "concat_outs"
        | "resize_out_dim" | "tensor_reshape" | "tensor_transpose" | "sublayout" | "zeros_like" => {
            bases::of_outs(name, values, steps)?;
        }
        "divide_left" | "divide_right" => bases::quotient(name, values, steps)?,
        "matrix" | "describe" | "print_linear" | "tensor_view" | "hardware_view" => bases::listed(name, values, steps)?,
        "equal_ignoring_out_sizes" | "eq" => tests::equal(name, values, steps)?,
        "invert" | "pseudoinvert" => elimination::inverse(name, values, steps)?,
        "invert_and_compose" | "lstsq" => elimination::solved(name, values, steps)?,
        "kernel" | "image" | "free_variable_masks" => elimination::columns_of(name, values, steps)?,
        "rank" | "is_invertible" | "is_injective" | "is_surjective" if matches!(values, [Value::Linear(_)]) => {
            elimination::ranked(name, values, steps)?;
        }
        "bruhat" => elimination::bruhat(values, steps)?,
        "contiguous_elems_along_out_dim" => elimination::contiguous(values, steps)?,
        "minimal_cvt" => convert::minimal(values, steps)?,
        "is_trivial_over" | "quotient" => tests::trivial(name, values, steps)?,
        "sublayout_is_zero" | "square_sublayout_is_identity" => tests::part(name, values, steps)?,
        "num_consecutive_in_out" => registers::consecutive(values, steps)?,
        "largest_vectorisation" => registers::vectorised(values, steps)?,
        "reg_perm_for_divide" | "get_reps" => registers::tiled(name, values, steps)?,
        "action_remove_broadcasted_regs" => registers::distinct(values, steps)?,
        "owners" | "squeezed_owners" => registers::owners(name, values, steps)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// `apply(L, place)`: the bases of the bits of the place, xored one after the other.
fn apply(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, place] = values else { return Ok(()) };
    let (layout, values) = (layout.as_linear()?, super::tiled::numbers(place)?);
    let set = |bit: &Bit| {
        let at = layout.ins().iter().position(|dim| dim.name == bit.name);
        at.and_then(|at| values.get(at)).is_some_and(|value| value & bit.value != 0)
    };
    let (mut places, mut image) = (0, 0);
    for bit in bits(&layout).iter().filter(|bit| set(bit)) {
        places |= bit.mask();
        let rule = match image ^ bit.column {
            _ if places == bit.mask() => format!("The bit {bit} is set. It goes to {}.", bit.image(&layout)),
            sum => format!(
                "The bit {bit} is set. It goes to {}, and {} xor {} is {}.",
                bit.image(&layout),
                tuple(&layout.unpack(image)),
                tuple(&layout.unpack(bit.column)),
                tuple(&layout.unpack(sum))
            ),
        };
        image ^= bit.column;
        steps.add(rule, applied(&layout, places))?;
    }
    if places == 0 {
        steps.add("No bit is set, and a linear map sends 0 to 0.", applied(&layout, 0))?;
    }
    Ok(())
}

/// What each bit of a layout goes to.
pub(super) fn images(layout: &LinearLayout, steps: &mut Steps) -> Result<(), Error> {
    for bit in bits(layout).iter().take(MOST_BASES) {
        steps.add(format!("The bit {bit} goes to {}.", bit.image(layout)), applied(layout, bit.mask()))?;
    }
    if layout.ins().iter().all(|dim| dim.bits == 0) {
        steps.add("There is one place, which goes to 0.", applied(layout, 0))?;
    }
    Ok(())
}

/// One in bit of a layout.
struct Bit {
    name: Name,
    /// Its value in its dim, a power of two.
    value: i64,
    /// Its number through the in dims.
    at: usize,
    /// Its basis, packed.
    column: u64,
}

impl Bit {
    fn mask(&self) -> u64 {
        mask(self.at)
    }

    /// What it goes to, by the dims in which that is not 0.
    fn image(&self, layout: &LinearLayout) -> String {
        named(layout.outs(), self.column)
    }
}

impl std::fmt::Display for Bit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}

/// The in bits of a layout with their bases.
fn bits(layout: &LinearLayout) -> Vec<Bit> {
    let mut bits = Vec::new();
    for (dim, columns) in layout.by_in_dim() {
        for (column, place) in columns.iter().zip(0u32..) {
            let value = 1i64.checked_shl(place).unwrap_or(0);
            bits.push(Bit { name: dim.name, value, at: bits.len(), column: *column });
        }
    }
    bits
}

/// The word with one bit set.
fn mask(at: usize) -> u64 {
    u32::try_from(at).ok().and_then(|at| 1u64.checked_shl(at)).unwrap_or(0)
}

/// The bits of a word, the lowest first.
fn ones(word: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |at| word & mask(*at) != 0)
}

/// The values of a packed word.
fn split(dims: &[Dim], mut packed: u64) -> Vec<i64> {
    let mut values = Vec::new();
    for dim in dims {
        let low = 1u64.checked_shl(dim.bits).map_or(u64::MAX, |top| top - 1);
        values.push(i64::try_from(packed & low).unwrap_or(i64::MAX));
        packed = packed.checked_shr(dim.bits).unwrap_or(0);
    }
    values
}

/// The values of a packed word that are not 0, with their dims: `lane = 2, warp = 1`.
fn named(dims: &[Dim], packed: u64) -> String {
    let values: Vec<String> = dims
        .iter()
        .zip(split(dims, packed))
        .filter(|(_, value)| *value != 0)
        .map(|(dim, value)| format!("{} = {value}", dim.name))
        .collect();
    if values.is_empty() { "0".to_owned() } else { values.join(", ") }
}

/// The layout at a packed place, as an expression.
fn applied(layout: &LinearLayout, place: u64) -> String {
    format!("apply({layout}, {})", tuple(&split(layout.ins(), place)))
}

/// The names that an operand lists.
fn names(value: &Value) -> Result<Vec<Name>, Error> {
    match value {
        Value::List(values) => values.iter().map(Value::as_name).collect(),
        Value::Tuple(tuple) if tuple.rank() == 0 && !tuple.is_leaf() => Ok(Vec::new()),
        value => Ok(vec![value.as_name()?]),
    }
}
