//! The documented differences: which operation of which system differs from ours, in what way, and why.
//!
//! A rule names no rows. Whether it covers a row is decided by enumeration each time: [`judge`](super::judge) finds the
//! [`Kind`] of the difference by trying the law of the operation on both answers, and only then looks for a rule.

use super::judge::Kind::{self, AcceptsUnlawful, BreaksLaw, Convention, Declines, Rejects};
use super::row::Row;
use super::{hardware, sharding, triton, xla};

/// What is known of the integers of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leaves {
    /// All are static.
    Static,
    /// Some are dynamic: a value that shapes no answer.
    Dynamic,
    /// Some are unknown.
    Unknown,
    /// They are bits: linear layouts.
    Bits,
    /// They are extents and tiles: arrays of XLA.
    Tiles,
    /// They are addresses and parameters of a machine.
    Machine,
    /// They are devices.
    Devices,
}

/// One documented difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) leaves: Leaves,
    pub(crate) ops: &'static [&'static str],
    pub(crate) systems: &'static [&'static str],
    pub(crate) kind: Kind,
    /// What the system does instead.
    pub(crate) reason: &'static str,
}

const fn rule(
    leaves: Leaves,
    ops: &'static [&'static str],
    systems: &'static [&'static str],
    kind: Kind,
    reason: &'static str,
) -> Rule {
    Rule { leaves, ops, systems, kind, reason }
}

const fn fixed(
    ops: &'static [&'static str],
    systems: &'static [&'static str],
    kind: Kind,
    reason: &'static str,
) -> Rule {
    rule(Leaves::Static, ops, systems, kind, reason)
}

const fn tiles(functions: &'static [&'static str], kind: Kind, reason: &'static str) -> Rule {
    rule(Leaves::Tiles, functions, &["xla"], kind, reason)
}

const DIVIDES: &[&str] = &["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"];

const PRODUCTS: &[&str] =
    &["logical_product", "zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product"];

/// All of them.
pub(crate) const RULES: &[Rule] = &[
    fixed(
        &["composition"],
        &["cpp", "dsl", "nv", "pycute", "tl"],
        AcceptsUnlawful,
        "composes the modes of B one at a time and does not see that their sum carries across a mode of A, or that a mode \
         of B ends inside one",
    ),
    fixed(
        &["composition"],
        &["cpp", "dsl", "nv", "pycute", "tl"],
        Rejects,
        "asks that strides and extents divide one another even where the composite is a layout",
    ),
    fixed(&["composition"], &["nv"], BreaksLaw, "splits a negative stride into a negative extent"),
    fixed(
        &["composition"],
        &["pycute", "tl"],
        BreaksLaw,
        "takes a mode 1:d of A for 1:0 first, so that it no longer goes on with stride d; loses digits of negative strides",
    ),
    fixed(
        &["composition_by"],
        &["nv", "pycute", "tl"],
        BreaksLaw,
        "keeps the modes of A beyond a shorter tiler, so that the answer has coordinates which the tiler has not",
    ),
    fixed(&["composition_by"], &["tl"], Rejects, "offers no `_` in a tiler"),
    fixed(&["composition_by"], &["pycute"], AcceptsUnlawful, "composes a mode with a tile that does not divide it"),
    fixed(
        &["coalesce_by"],
        &["tl"],
        BreaksLaw,
        "takes the profile for a shape to compose with, not for flags that choose modes",
    ),
    fixed(
        &["complement", "complement0"],
        &["pycute", "tl"],
        AcceptsUnlawful,
        "answers for a layout that interleaves with itself: with an extent of 0, or with places that A has already",
    ),
    fixed(&["complement"], &["dsl"], AcceptsUnlawful, "answers an interleaving layout with an extent of 0"),
    fixed(
        &["complement"],
        &["cpp", "dsl", "pycute", "tl"],
        BreaksLaw,
        "rounds down what a gap or a leaf of the target leaves over, and so stops short of the target",
    ),
    fixed(
        &["complement"],
        &["pycute"],
        Convention,
        "takes a target of several leaves for its size, where CuTe divides each leaf",
    ),
    fixed(
        DIVIDES,
        &["cpp", "dsl"],
        AcceptsUnlawful,
        "lets a tile that does not divide a mode lengthen that mode, which moves all modes behind it",
    ),
    fixed(
        DIVIDES,
        &["cpp", "dsl", "pycute", "tl"],
        Rejects,
        "asks that strides divide even for a tile of one element, and where the rest is a layout; `tl` offers no `_` in a tiler",
    ),
    fixed(
        &["logical_divide", "zipped_divide", "tiled_divide"],
        &["pycute"],
        BreaksLaw,
        "takes a mode 1:d of A for 1:0 first, so that a longer tile does not go on with stride d",
    ),
    fixed(
        &["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"],
        &["tl"],
        BreaksLaw,
        "takes a mode 1:d of A for 1:0 first; zips nested modes below the tiles",
    ),
    fixed(
        &["logical_divide", "zipped_divide"],
        &["nv"],
        BreaksLaw,
        "extends by the uncoalesced shape of A, so that the rest is counted another way",
    ),
    fixed(
        &["zipped_divide", "tiled_divide"],
        &["pycute"],
        AcceptsUnlawful,
        "takes `_` in a tiler for the tile 1:0, although a mode left alone has no tile to gather",
    ),
    fixed(
        &["zipped_divide", "tiled_divide"],
        &["pycute"],
        Convention,
        "takes `_` in a tiler for the tile 1:0; we take a mode of rank 2 that is left alone for its own tile and rest, as CuTe",
    ),
    fixed(
        DIVIDES,
        &["pycute", "tl"],
        AcceptsUnlawful,
        "takes a mode 1:d of A for 1:0 first, or lets a tile that overlaps itself stand",
    ),
    fixed(&["zipped_divide"], &["nv"], Rejects, "offers no `_` in a tiler that gathers modes"),
    fixed(
        &["tiled_divide", "flat_divide"],
        &["tl"],
        Convention,
        "zips nested modes below the tiles, and takes the rest apart leaf by leaf",
    ),
    fixed(
        &["blocked_product"],
        &["tl"],
        AcceptsUnlawful,
        "spaces copies by the cosize of the block, also where its complement has no such layout",
    ),
    fixed(
        PRODUCTS,
        &["cpp", "dsl", "pycute", "tl"],
        AcceptsUnlawful,
        "composes the complement of a padded block with copies that cross its modes or collide, or takes `_` in a tiler for 1:0",
    ),
    fixed(
        PRODUCTS,
        &["cpp", "dsl", "pycute", "tl"],
        Rejects,
        "asks that strides divide and copies do not split, even where the copies stand at a layout",
    ),
    fixed(&["flat_product"], &["tl"], Convention, "takes the block and the copies apart leaf by leaf"),
    fixed(
        &["zipped_product", "tiled_product"],
        &["pycute", "tl"],
        Convention,
        "takes `_` in a tiler for the tile 1:0; we take a mode of rank 2 that is left alone for its own tile and rest, as CuTe",
    ),
    fixed(
        &["logical_product", "zipped_product", "tiled_product"],
        &["pycute"],
        BreaksLaw,
        "divides by an integer of a tiler where it should multiply",
    ),
    fixed(
        PRODUCTS,
        &["cpp", "dsl"],
        BreaksLaw,
        "composes a mode of the complement with copies that do not divide it, so that copies stand elsewhere",
    ),
    fixed(&["blocked_product", "raked_product"], &["nv"], Rejects, "asks for operands of one rank"),
    fixed(
        &["blocked_product", "raked_product"],
        &["nv"],
        BreaksLaw,
        "pairs the modes of block and copies after a copy mode has split, and loses the second half",
    ),
    fixed(&["blocked_product"], &["tl"], BreaksLaw, "spaces copies by the cosize of the block, not by its complement"),
    fixed(&["idx2crd"], &["pycute", "tl"], BreaksLaw, "wraps the last coordinate instead of letting it go on"),
    fixed(
        &["left_inverse"],
        &["cpp", "dsl", "pycute", "tl"],
        AcceptsUnlawful,
        "answers with a chain of strides that is broken",
    ),
    fixed(
        &["left_inverse"],
        &["cpp", "dsl", "nv", "pycute", "tl"],
        Rejects,
        "asks that strides divide one another, also where another layout comes back to every place",
    ),
    fixed(
        &["left_inverse"],
        &["cpp", "dsl", "tl"],
        BreaksLaw,
        "makes a chain of strides that do not divide one another or whose modes overlap, so that places do not come back",
    ),
    fixed(
        &["left_inverse"],
        &["pycute"],
        BreaksLaw,
        "inverts from the right instead: a layout with gaps is not undone",
    ),
    fixed(
        &["left_inverse"],
        &["pycute"],
        Convention,
        "sends the gaps of the image to other indices; both undo every place that is reached",
    ),
    fixed(&["left_inverse"], &["dsl", "nv"], Convention, "inverts n:0 by 1:0; we keep n:0 as CuTe C++ does"),
    fixed(
        &["max_common_layout", "max_common_vector"],
        &["cpp", "dsl", "tl"],
        Rejects,
        "composes one layout with an inverse of the other that it does not divide",
    ),
    fixed(
        &["max_common_layout", "max_common_vector"],
        &["cpp", "dsl", "tl"],
        BreaksLaw,
        "goes on beyond the end of the shorter layout, where a copy has no elements to move",
    ),
    fixed(
        &["make_layout_like", "make_fragment_like"],
        &["cpp", "dsl"],
        BreaksLaw,
        "gives two modes with one stride one stride again, so that elements share a place",
    ),
    fixed(&["make_fragment_like"], &["cpp"], Convention, "puts the second of two modes into brackets of its own"),
    fixed(
        &["make_ordered_layout", "tile_to_shape_ord"],
        &["cpp", "dsl"],
        BreaksLaw,
        "gives modes of one order one stride, so that elements share a place, though both promise a compact layout; ours are \
         ordered from the left",
    ),
    fixed(
        &["cosize"],
        &["cpp", "dsl"],
        BreaksLaw,
        "counts the places of the layout under a swizzle as if it started at 0",
    ),
    fixed(
        &["tile_to_shape"],
        &["cpp", "dsl", "tl"],
        AcceptsUnlawful,
        "composes the complement of a padded block with copies that cross its modes",
    ),
    fixed(&["tile_to_shape"], &["tl"], BreaksLaw, "spaces copies by the cosize of the block, not by its complement"),
    fixed(
        &["tile_to_shape", "tile_to_shape_ord"],
        &["cpp", "dsl", "tl"],
        Rejects,
        "asks that the block divide the shape, or have its rank; ours covers it, as the divides do, and says so",
    ),
    fixed(
        &["upcast"],
        &["cpp", "nv_recast"],
        AcceptsUnlawful,
        "divides leaf by leaf although the sums of two leaves reach into the next unit",
    ),
    fixed(&["upcast"], &["tl"], AcceptsUnlawful, "rounds strides that are no whole units"),
    fixed(
        &["upcast", "recast"],
        &["cpp"],
        Rejects,
        "asks that the stride of a mode with one coordinate be whole units",
    ),
    fixed(&["upcast"], &["nv_recast"], Rejects, "asks that the stride of a mode with one coordinate be whole units"),
    fixed(&["downcast"], &["tl"], AcceptsUnlawful, "multiplies strides although no leaf can count through the parts"),
    fixed(&["downcast"], &["tl"], BreaksLaw, "multiplies strides and lets no leaf count through the parts"),
    fixed(&["downcast"], &["cpp"], Rejects, "lets no mode of one coordinate count through the parts"),
    fixed(
        &["downcast", "recast"],
        &["cpp"],
        BreaksLaw,
        "lengthens every leaf of stride 1, also the modes of one coordinate beside the leaf that moves",
    ),
    fixed(
        &["recast"],
        &["cpp", "dsl"],
        AcceptsUnlawful,
        "rounds strides that are no whole units, or divides leaf by leaf",
    ),
    fixed(&["recast"], &["dsl"], BreaksLaw, "multiplies strides and lets no leaf count through the parts"),
    fixed(
        &["make_ordered_layout"],
        &["tl"],
        BreaksLaw,
        "takes the order for a permutation, which differs unless it is its own inverse",
    ),
    fixed(
        &["tile_to_shape_ord"],
        &["tl"],
        BreaksLaw,
        "takes the order for a permutation, which differs unless it is its own inverse",
    ),
    fixed(&["slice"], &["tl"], Convention, "keeps the nesting of a mode that is sliced inside"),
    fixed(&["dice"], &["tl"], Convention, "writes a single mode without its brackets"),
    fixed(&["sw_up", "sw_down"], &["tl"], Rejects, "offers no change of unit under a swizzle"),
    fixed(
        &["sw_up"],
        &["cpp"],
        AcceptsUnlawful,
        "shortens a swizzle that sends the elements of one unit to different ones",
    ),
    fixed(
        &["sw_inv"],
        &["cpp"],
        BreaksLaw,
        "moves the swizzle past a layout that permutes its bits, or lets it leave the domain",
    ),
    fixed(&["sw_inv"], &["cpp"], Rejects, "asks that the layout under the swizzle be compact in order"),
    fixed(
        &["right_inverse"],
        &["pycute", "tl"],
        Convention,
        "sorts the modes by stride, and of two with one stride takes the later one or stops; drops negative strides",
    ),
    fixed(
        &["max_common_layout"],
        &["tl"],
        Convention,
        "inverts the layout whose stride occurs twice through the later mode; both are common to the layouts",
    ),
    fixed(&["nullspace"], &["dsl"], Rejects, "ends with an error on a layout of a single mode"),
    fixed(
        &["right_inverse"],
        &["nv"],
        Convention,
        "over F2 it stops where the next place is no longer the one before doubled; ours goes on as far as places are reached",
    ),
    fixed(
        &["complement_of_coordinates"],
        &["nv"],
        Declines,
        "completes layouts into coordinates, mode by mode; our complement is of integer strides",
    ),
    rule(
        Leaves::Dynamic,
        &["composition", "composition_by"],
        &["cpp"],
        AcceptsUnlawful,
        "checks no divisibility of dynamic integers",
    ),
    rule(Leaves::Dynamic, DIVIDES, &["cpp"], AcceptsUnlawful, "checks no divisibility of dynamic integers"),
    rule(
        Leaves::Dynamic,
        &["logical_product", "blocked_product", "raked_product", "tile_to_shape"],
        &["cpp"],
        AcceptsUnlawful,
        "checks no divisibility of dynamic integers",
    ),
    rule(
        Leaves::Dynamic,
        &["upcast", "recast"],
        &["cpp"],
        AcceptsUnlawful,
        "rounds dynamic strides down to whole units",
    ),
    rule(
        Leaves::Dynamic,
        &["make_layout_like"],
        &["cpp"],
        AcceptsUnlawful,
        "orders dynamic strides as they stand, whatever their values",
    ),
    rule(
        Leaves::Dynamic,
        &["complement", "complement0", "logical_product", "blocked_product", "raked_product", "tile_to_shape"],
        &["cpp"],
        Rejects,
        "sorts static strides only",
    ),
    rule(
        Leaves::Dynamic,
        &["upcast", "downcast", "recast"],
        &["cpp"],
        Rejects,
        "asks that the stride of a mode with one coordinate be whole units, and lets no such mode count through the parts",
    ),
    rule(
        Leaves::Dynamic,
        &["composition", "composition_by"],
        &["cpp"],
        Rejects,
        "asks that a stride divide even for a tile of one element, and divides by 0 along a stride of 0",
    ),
    rule(
        Leaves::Dynamic,
        &["downcast", "recast"],
        &["cpp"],
        BreaksLaw,
        "lengthens every leaf of stride 1, also the modes of one coordinate beside the leaf that moves",
    ),
    rule(Leaves::Dynamic, &["left_inverse"], &["cpp"], BreaksLaw, "inverts a negative stride into a negative extent"),
    rule(
        Leaves::Dynamic,
        DIVIDES,
        &["cpp"],
        Convention,
        "splits every mode of the rest by every dynamic mode of A; a tile of one element leaves ours whole",
    ),
    rule(
        Leaves::Unknown,
        &["right_inverse"],
        &["dsl"],
        Rejects,
        "asks for static integers; ours is the chain known to hold",
    ),
    rule(Leaves::Unknown, &["tile_to_shape"], &["dsl"], Rejects, "asks that the strides of the block be static"),
    rule(
        Leaves::Unknown,
        &["complement"],
        &["dsl"],
        Rejects,
        "answers no layout for a block with unknown strides, also where broadcasts leave but one",
    ),
    rule(
        Leaves::Unknown,
        &["complement"],
        &["dsl"],
        Convention,
        "keeps a last mode which the gaps alone show to be one element",
    ),
    rule(
        Leaves::Unknown,
        &["logical_divide", "zipped_divide", "tiled_divide"],
        &["dsl"],
        Convention,
        "splits the rest by every mode of A that the tile might cross, and unpacks a rest of one mode",
    ),
    rule(
        Leaves::Unknown,
        &["logical_divide", "zipped_divide", "tiled_divide"],
        &["dsl"],
        Rejects,
        "asks that unknown strides divide even for a tile of one element",
    ),
    rule(
        Leaves::Unknown,
        &["logical_product", "blocked_product", "raked_product"],
        &["dsl"],
        AcceptsUnlawful,
        "composes the complement of a padded block with copies that cross its modes",
    ),
    rule(
        Leaves::Unknown,
        &["logical_product", "blocked_product", "raked_product"],
        &["dsl"],
        Rejects,
        "answers no complement of a block with unknown extents or strides",
    ),
    rule(Leaves::Unknown, &["complement"], &["dsl"], AcceptsUnlawful, "answers negative or zero extents"),
    rule(Leaves::Unknown, &["tile_to_shape"], &["dsl"], Convention, "splits the rest by every mode of the block"),
    rule(Leaves::Unknown, &["raked_product"], &["dsl"], Convention, "drops modes of one coordinate from the pairs"),
    rule(
        Leaves::Unknown,
        &["composition"],
        &["dsl"],
        Rejects,
        "asks that a stride divide even for a tile of one element",
    ),
    rule(Leaves::Unknown, &["composition"], &["dsl"], Convention, "keeps every mode of A that might be crossed"),
    rule(Leaves::Unknown, &["composition_by"], &["dsl"], Convention, "gives a tile of one element the stride 0"),
    rule(
        Leaves::Bits,
        &["divide_right"],
        &["triton"],
        Rejects,
        "stops with an error about the bases of the quotient where there is no quotient",
    ),
    rule(
        Leaves::Bits,
        &["swizzled_shared"],
        &["triton"],
        Rejects,
        "offers no layout in Python when a block has a single element, so that the offset has no bits",
    ),
    rule(
        Leaves::Bits,
        &["document"],
        &["value"],
        AcceptsUnlawful,
        "the article infers the out sizes of bases that do not reach every element, which its own constructor forbids",
    ),
    tiles(
        &["LinearIndex"],
        BreaksLaw,
        "looks at the first tile only, not at all for one dim, and takes `*` for a number",
    ),
    tiles(&["ArraySize"], BreaksLaw, "counts the first tile only, 0 for one with `*`, and without tiles no `L(n)`"),
    tiles(
        &["ArrayDataSize"],
        BreaksLaw,
        "counts up to the last index by the first tile, wherever the last element lies",
    ),
    tiles(&["ByteSizeOf"], BreaksLaw, "counts elements without tiles and `L(n)`"),
    tiles(&["ByteStrides"], AcceptsUnlawful, "answers the strides without tiles where tiles leave none"),
    tiles(&["ByteStrides"], BreaksLaw, "answers the strides without tiles"),
    tiles(&["IsUntiledLayout"], BreaksLaw, "sees some tiles that change nothing for tiles that do"),
    tiles(&["IsUntiledLayout"], Rejects, "ends the process on a tile longer than the dims, or `*` over no elements"),
    tiles(&["TransposePlan"], BreaksLaw, "lays out an array of one dim without the padding of its last tile"),
    tiles(&["ReshapeIsBitcast"], BreaksLaw, "leaves out the tiles"),
    tiles(
        &["TransposeIsBitcast"],
        BreaksLaw,
        "compares the order of the dims only, those of extent 1 too, without tiles",
    ),
    tiles(
        &["IsReshapeOrTransposeBitcast"],
        BreaksLaw,
        "leaves out the tiles, compares the order of dims of extent 1 too, and misses a transpose that is not its own \
         inverse",
    ),
    tiles(&["DeduceTransposeDimensionsForBitcast"], Rejects, "asks that dims of extent 1 lie in memory alike"),
    tiles(&["DeduceTransposeDimensionsForBitcast"], AcceptsUnlawful, "leaves out the tiles"),
    tiles(
        &["AlignLayouts"],
        AcceptsUnlawful,
        "leaves out the tiles: its layout is another memory, and none with these tiles or without tiles is the same",
    ),
    tiles(&["AlignLayouts"], BreaksLaw, "leaves out the tiles: its layout is another memory"),
    tiles(&["AlignLayouts"], Convention, "puts dims of extent 1 elsewhere"),
    tiles(&["AlignLayouts"], Rejects, "keeps the tiles or leaves them out; other tiles write the same memory"),
    tiles(&["DecomposeBitcast"], AcceptsUnlawful, "leaves out the tiles, and answers for what is no bitcast"),
    tiles(&["DecomposeBitcast"], Convention, "takes another of several ways"),
    tiles(&["ParseShape"], Rejects, "does not know the types of six bits yet; a newer XLA does"),
    tiles(&["Shape::ToProto"], Rejects, "writes `*` as a negative number, which it does not read back"),
    rule(
        Leaves::Machine,
        &["tensor_map"],
        &["gpu"],
        AcceptsUnlawful,
        "the driver's encoder takes some boxes of 8-byte types that are larger than any shared memory",
    ),
    rule(
        Leaves::Machine,
        &["gmma_desc", "umma_desc"],
        &["cute"],
        AcceptsUnlawful,
        "looks at some steps of the layout only, cuts offsets and addresses to their fields, and writes base offset 0 for a tile \
         that starts inside a swizzle's pattern",
    ),
    rule(
        Leaves::Machine,
        &["gmma_desc", "umma_desc"],
        &["cute"],
        Rejects,
        "asks that strides are compile-time constants, and that the swizzle is one of the pointer's type",
    ),
    rule(
        Leaves::Machine,
        &["tma_basis"],
        &["cute"],
        AcceptsUnlawful,
        "passes on what the driver refuses: inner boxes that are wider than the swizzle or no multiple of 16 bytes, boxes of 256 KiB, \
         swizzles of 32-byte and 64-byte atoms; rounds strides down; takes a swizzle that spans more than a row, whose rows TMA writes \
         further apart",
    ),
    rule(
        Leaves::Machine,
        &["umma_idesc"],
        &["cute"],
        AcceptsUnlawful,
        "cuts extents that no instruction has to their fields, which then say other extents",
    ),
    rule(
        Leaves::Machine,
        &["umma_idesc"],
        &["cute"],
        BreaksLaw,
        "writes the code of packed e2m1 where the instruction takes it unpacked, and reads that code as e5m2",
    ),
    rule(
        Leaves::Machine,
        &["atom"],
        &["cute"],
        AcceptsUnlawful,
        "nests the stride of one instruction otherwise than its shape, which is no layout",
    ),
    rule(
        Leaves::Devices,
        &["hlo-errors"],
        &["xla"],
        AcceptsUnlawful,
        "fills a list of devices that is too short with device 0, cuts one that is too long, and takes devices that are there twice \
         or are negative",
    ),
    rule(
        Leaves::Devices,
        &["named-sdy-errors"],
        &["shardy"],
        AcceptsUnlawful,
        "takes parts of an axis that do not nest; the grid that it exports has more positions than there are devices",
    ),
    rule(
        Leaves::Devices,
        &["dtensor"],
        &["dtensor"],
        BreaksLaw,
        "gathers another tensor, without an error, from strided chunks that stand for no order of devices",
    ),
    rule(
        Leaves::Devices,
        &["dtensor"],
        &["dtensor"],
        Rejects,
        "does not gather some strided chunks, although the shards have all of the tensor",
    ),
    rule(
        Leaves::Devices,
        &["reshard-dtensor"],
        &["dtensor"],
        BreaksLaw,
        "moves strided chunks to shards that are not those of the target, without an error",
    ),
    rule(
        Leaves::Devices,
        &["sdy", "named-sdy-errors"],
        &["shardy"],
        BreaksLaw,
        "keeps, at the result of a function and without a word, only the leading axes that divide a dim, and in an open dim only those \
         before the first part of an axis",
    ),
];

/// What is known of the integers of a row.
pub(crate) fn leaves(row: &Row) -> Leaves {
    match row.file.as_str() {
        "cute/dsl_dynamic" => Leaves::Unknown,
        file if triton::owns(file) => Leaves::Bits,
        file if xla::owns(file) => Leaves::Tiles,
        file if hardware::owns(file) => Leaves::Machine,
        file if sharding::owns(file) => Leaves::Devices,
        _ if row.is_cpp() => Leaves::Dynamic,
        _ => Leaves::Static,
    }
}

/// The operation as rules name it: composition by a tiler and complements of coordinates stand apart.
pub(crate) fn topic(row: &Row) -> &str {
    match (row.op.as_str(), row.operands.as_slice()) {
        ("composition", [_, by]) if by.starts_with('<') || !by.contains(':') => "composition_by",
        ("complement0", [a]) if a.contains('@') => "complement_of_coordinates",
        (op, _) => op,
    }
}

/// The operation and the system of an answer: the answers of XLA go by function.
pub(crate) fn answered<'a>(row: &'a Row, answer: &'a str) -> (&'a str, &'a str) {
    if xla::owns(&row.file) {
        (answer, "xla")
    } else if sharding::owns(&row.file) {
        (topic(row), sharding::system(row))
    } else {
        (topic(row), answer)
    }
}

/// The rule that covers a difference.
pub(crate) fn covering(row: &Row, answer: &str, kind: Kind) -> Option<usize> {
    let (op, system) = answered(row, answer);
    RULES.iter().position(|rule| {
        rule.kind == kind && rule.leaves == leaves(row) && rule.systems.contains(&system) && rule.ops.contains(&op)
    })
}
