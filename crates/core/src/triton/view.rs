//! The two text views that Triton prints of a layout.
//!
//! The *tensor view* is the tensor as nested brackets, row-major. For a layout with the in dims register, lane, warp
//! and block, each element says who holds it, `T3:1` being register 1 of thread 3 (counted over the warps) and `B2:`
//! in front of it the block where there are several; several holders stand between bars. For one with offset and block
//! it is the memory in order, cut like the tensor: at each offset the coordinates of the element there. The *hardware
//! view* goes the other way: for each warp a line a register, with the element of every lane; or a line an offset.
//!
//! Law: every byte is what Triton 3.9 prints.

use std::fmt::Write;

use crate::error::{Code, Error};
use crate::linear::{Dim, LinearLayout, Name, Places};

/// The most places, and the most elements, that are written down.
const MAX_PLACES: u64 = 1 << 22;

/// The tensor, each element with those who hold it; or the memory, each offset with the element it holds.
///
/// # Errors
/// [`Code::MissingInDim`] unless the in dims include register, lane, warp and block, or offset and block;
/// [`Code::DimNamesMismatch`] when there are others; [`Code::TooLarge`] beyond 2^22 places or elements.
///
/// ```
/// use bitstride::linear::{LinearLayout, Name};
/// let bases = [
///     (Name::REGISTER, vec![vec![0, 1]]),
///     (Name::LANE, vec![vec![1, 0], vec![0, 0]]),
///     (Name::WARP, vec![]),
///     (Name::BLOCK, vec![]),
/// ];
/// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 2), (Name::dim(1), 2)])?;
/// assert_eq!(bitstride::triton::tensor_view(&layout)?, "[[T0:0|T2:0, T0:1|T2:1]\n[ T1:0|T3:0, T1:1|T3:1]]\n");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn tensor_view(layout: &LinearLayout) -> Result<String, Error> {
    match Hardware::of(layout)? {
        Hardware::Distributed(dims) => {
            let places = Places::of_columns(&dims.iter().flat_map(|dim| dim.columns).copied().collect::<Vec<_>>());
            let owner = Owner::new(&dims);
            let cell = |index| {
                let element = element_at(layout.outs(), index);
                let owners: Vec<String> = places.of_element(element).map(|place| owner.text(place)).collect();
                owners.join("|")
            };
            Ok(bracketed(layout.outs(), ", ", cell))
        }
        Hardware::Shared(dims) => {
            let memory = Memory::new(layout, &dims);
            let width = Widths::of(layout.outs());
            let cell = |index| match memory.at(index) {
                Some((_, _, element)) => width.coordinates(layout, element, ":"),
                None => String::new(),
            };
            Ok(bracketed(layout.outs(), ",", cell))
        }
    }
}

/// The hardware, each register of each lane with the element it holds; or each offset of each block.
///
/// # Errors
/// As [`tensor_view`].
///
/// ```
/// use bitstride::linear::{LinearLayout, Name};
/// let bases = [(Name::OFFSET, vec![vec![0, 1], vec![1, 1]]), (Name::BLOCK, vec![])];
/// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 2), (Name::dim(1), 2)])?;
/// let view = "Block: 0:\nOffset: 0 -> (0,0)\nOffset: 1 -> (0,1)\nOffset: 2 -> (1,1)\nOffset: 3 -> (1,0)\n";
/// assert_eq!(bitstride::triton::hardware_view(&layout)?, view);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn hardware_view(layout: &LinearLayout) -> Result<String, Error> {
    let mut text = String::new();
    match Hardware::of(layout)? {
        Hardware::Distributed([registers, lanes, warps, blocks]) => {
            let width = Widths::of(layout.outs());
            for block in 0..blocks.size() {
                if blocks.size() > 1 {
                    text += &format!("Block{block}:\n");
                }
                for warp in 0..warps.size() {
                    text += &format!("Warp{warp}:\n");
                    for register in 0..registers.size() {
                        let row = blocks.image(block) ^ warps.image(warp) ^ registers.image(register);
                        let elements: Vec<String> = (0..lanes.size())
                            .map(|lane| width.coordinates(layout, row ^ lanes.image(lane), ","))
                            .collect();
                        text += &(elements.join(", ") + "\n");
                    }
                }
            }
        }
        Hardware::Shared(dims) => {
            let memory = Memory::new(layout, &dims);
            let width = Widths::of(layout.outs());
            for block in 0..memory.blocks.size() {
                text += &format!("Block: {block}:\n");
                for index in block * memory.part..(block + 1) * memory.part {
                    if let Some((_, offset, element)) = memory.at(index) {
                        let element = width.coordinates(layout, element, ",");
                        text += &format!("Offset: {offset} -> {element}\n");
                    }
                }
            }
        }
    }
    Ok(text)
}

/// The in dims, in the order in which the views count.
enum Hardware<'a> {
    /// Register, lane, warp, block.
    Distributed([InDim<'a>; 4]),
    /// Offset, block.
    Shared([InDim<'a>; 2]),
}

impl<'a> Hardware<'a> {
    fn of(layout: &'a LinearLayout) -> Result<Self, Error> {
        for (bits, noun) in [(layout.in_bits(), "places"), (layout.out_bits(), "elements")] {
            if bits > MAX_PLACES.ilog2() {
                return Err(error!(
                    Code::TooLarge,
                    "2^{bits} {noun}; a view shows at most {max_places}",
                    [bits, noun, max_places = MAX_PLACES]
                ));
            }
        }
        if layout.in_dim(Name::OFFSET).is_some() {
            named(layout, [Name::OFFSET, Name::BLOCK]).map(Hardware::Shared)
        } else {
            named(layout, [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK]).map(Hardware::Distributed)
        }
    }
}

/// The in dims of these names, which have to be all that the layout has.
fn named<const N: usize>(layout: &LinearLayout, names: [Name; N]) -> Result<[InDim<'_>; N], Error> {
    let mut dims = [InDim { columns: &[] }; N];
    for (dim, name) in dims.iter_mut().zip(names) {
        let Some((_, columns)) = layout.in_dim(name) else {
            let wanted = names.map(|name| name.to_string()).join(", ");
            return Err(error!(
                Code::MissingInDim,
                "a view shows the in dims {wanted}; there is no {name}",
                [wanted, name]
            ));
        };
        *dim = InDim { columns };
    }
    match layout.ins().iter().find(|dim| !names.contains(&dim.name)) {
        Some(dim) => Err(error!(Code::DimNamesMismatch, "a view does not show the in dim {name}", [name = dim.name])),
        None => Ok(dims),
    }
}

/// The columns of one in dim.
#[derive(Clone, Copy)]
struct InDim<'a> {
    columns: &'a [u64],
}

impl InDim<'_> {
    fn bits(&self) -> u32 {
        u32::try_from(self.columns.len()).unwrap_or(0)
    }

    fn size(&self) -> u64 {
        1 << self.bits()
    }

    fn image(&self, value: u64) -> u64 {
        let set = self.columns.iter().enumerate().filter(|(at, _)| value >> at & 1 == 1);
        set.fold(0, |image, (_, column)| image ^ column)
    }
}

/// How a holder is named.
struct Owner {
    registers: u32,
    threads: u32,
    blocks: u32,
    width: usize,
}

impl Owner {
    fn new([registers, lanes, warps, blocks]: &[InDim<'_>; 4]) -> Self {
        let mut owner = Owner {
            registers: registers.bits(),
            threads: lanes.bits() + warps.bits(),
            blocks: blocks.bits(),
            width: 0,
        };
        owner.width = owner.text((1 << (owner.registers + owner.threads + owner.blocks)) - 1).len();
        owner
    }

    /// The name of a place, as wide as that of the last one.
    fn text(&self, place: u64) -> String {
        let register = place & ((1 << self.registers) - 1);
        let thread = place >> self.registers & ((1 << self.threads) - 1);
        let block = place >> (self.registers + self.threads);
        let name =
            if self.blocks > 0 { format!("B{block}:T{thread}:{register}") } else { format!("T{thread}:{register}") };
        format!("{name:>width$}", width = self.width)
    }
}

/// A memory in the order of its blocks. The tensor's elements are shared out evenly: a layout that repeats elements
/// has more offsets, which are not shown, and one with more blocks than elements shows none.
struct Memory<'a> {
    offsets: InDim<'a>,
    blocks: InDim<'a>,
    part: u64,
}

impl<'a> Memory<'a> {
    fn new(layout: &LinearLayout, [offsets, blocks]: &[InDim<'a>; 2]) -> Self {
        Memory { offsets: *offsets, blocks: *blocks, part: (1 << layout.out_bits()) / blocks.size() }
    }

    /// The block, the offset and the element of the so manyth place.
    fn at(&self, index: u64) -> Option<(u64, u64, u64)> {
        let block = index.checked_div(self.part)?;
        let offset = index % self.part;
        Some((block, offset, self.blocks.image(block) ^ self.offsets.image(offset)))
    }
}

/// How wide the value of each out dim is written.
struct Widths(Vec<usize>);

impl Widths {
    fn of(outs: &[Dim]) -> Self {
        Widths(outs.iter().map(|dim| (dim.size() - 1).to_string().len()).collect())
    }

    fn coordinates(&self, layout: &LinearLayout, element: u64, between: &str) -> String {
        crate::cancel::checkpoint();
        let mut text = "(".to_owned();
        for (at, value) in layout.unpack(element).iter().enumerate() {
            let width = self.0.get(at).copied().unwrap_or(0);
            let between = if at == 0 { "" } else { between };
            // Writing into a string does not fail.
            let _ = write!(text, "{between}{value:>width$}");
        }
        text + ")"
    }
}

/// The packed element of a row-major index.
fn element_at(outs: &[Dim], index: u64) -> u64 {
    let (mut element, mut rest) = (0, index);
    let mut shift: u32 = outs.iter().map(|dim| dim.bits).sum();
    for dim in outs.iter().rev() {
        shift -= dim.bits;
        element |= (rest & ((1 << dim.bits) - 1)) << shift;
        rest >>= dim.bits;
    }
    element
}

/// The cells of a tensor in nested brackets: a line a row, its brackets aligned with those of the first.
fn bracketed(outs: &[Dim], between: &str, cell: impl Fn(u64) -> String) -> String {
    // The number of elements in each nested part, the innermost first.
    let parts: Vec<u64> = outs
        .iter()
        .rev()
        .scan(1, |part, dim| {
            *part <<= dim.bits;
            Some(*part)
        })
        .collect();
    let bounds = |index: u64| parts.iter().take_while(|part| index.is_multiple_of(**part)).count();
    let mut text = String::new();
    for index in 0..parts.last().copied().unwrap_or(1) {
        let (opened, closed) = (bounds(index), bounds(index + 1));
        if opened > 0 {
            text += &("[".repeat(opened) + &" ".repeat(outs.len() - opened));
        }
        text += &cell(index);
        if closed > 0 {
            text += &("]".repeat(closed) + "\n");
        } else {
            text += between;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{hardware_view, tensor_view};
    use crate::error::{Code, Error};
    use crate::linear::{LinearLayout, Name};

    fn layout(bases: &[(Name, &[&[i64]])], sizes: &[i64]) -> Result<LinearLayout, Error> {
        let bases: Vec<(Name, Vec<Vec<i64>>)> =
            bases.iter().map(|(name, bases)| (*name, bases.iter().map(|basis| basis.to_vec()).collect())).collect();
        let outs: Vec<(Name, i64)> = sizes.iter().enumerate().map(|(at, size)| (Name::dim(at), *size)).collect();
        LinearLayout::from_bases(&bases, &outs)
    }

    #[test]
    fn blocks_are_named_and_brackets_nest() -> Result<(), Error> {
        let bases: [(Name, &[&[i64]]); 4] = [
            (Name::REGISTER, &[&[0, 0, 1]]),
            (Name::LANE, &[&[0, 1, 0]]),
            (Name::WARP, &[]),
            (Name::BLOCK, &[&[1, 0, 0]]),
        ];
        let layout = layout(&bases, &[2, 2, 2])?;
        let wanted = "[[[B0:T0:0, B0:T0:1]\n[  B0:T1:0, B0:T1:1]]\n[[ B1:T0:0, B1:T0:1]\n[  B1:T1:0, B1:T1:1]]]\n";
        assert_eq!(tensor_view(&layout)?, wanted);
        let wanted = "Block0:\nWarp0:\n(0,0,0), (0,1,0)\n(0,0,1), (0,1,1)\n\
                      Block1:\nWarp0:\n(1,0,0), (1,1,0)\n(1,0,1), (1,1,1)\n";
        assert_eq!(hardware_view(&layout)?, wanted);
        Ok(())
    }

    #[test]
    fn a_memory_with_more_blocks_than_elements_shows_none() -> Result<(), Error> {
        let layout = layout(&[(Name::OFFSET, &[&[0], &[1]]), (Name::BLOCK, &[&[0], &[1]])], &[2])?;
        assert_eq!(tensor_view(&layout)?, "[,]\n");
        assert_eq!(hardware_view(&layout)?, "Block: 0:\nBlock: 1:\nBlock: 2:\nBlock: 3:\n");
        Ok(())
    }

    #[test]
    fn refusals() -> Result<(), Error> {
        let code = |layout: &LinearLayout| {
            (tensor_view(layout).map_err(|e| e.code()), hardware_view(layout).map_err(|e| e.code()))
        };
        let no_block = layout(&[(Name::REGISTER, &[&[1]]), (Name::LANE, &[]), (Name::WARP, &[])], &[2])?;
        assert_eq!(code(&no_block), (Err(Code::MissingInDim), Err(Code::MissingInDim)));
        let parts = layout(&[(Name::OFFSET, &[&[1]]), (Name::PARTITION, &[&[2]]), (Name::BLOCK, &[])], &[4])?;
        assert_eq!(code(&parts), (Err(Code::DimNamesMismatch), Err(Code::DimNamesMismatch)));
        let bits: Vec<Vec<i64>> = (0..40).map(|bit| vec![1 << bit]).collect();
        let bits: Vec<&[i64]> = bits.iter().map(Vec::as_slice).collect();
        let large = layout(&[(Name::OFFSET, &bits), (Name::BLOCK, &[])], &[1 << 40])?;
        assert_eq!(code(&large), (Err(Code::TooLarge), Err(Code::TooLarge)));
        Ok(())
    }
}
