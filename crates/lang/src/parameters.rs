//! The parameters of operations: what each argument is, in which unit, and whether it may be left out.
//!
//! Every operation declares its parameters in the table, so that help, completions, Python and the reference page say the same
//! of them. Law: an operation takes as many arguments as its parameters allow. `L` names a layout of CuTe, or a linear one in
//! the operations of linear layouts; `A` and `B` are two of a kind; `X` is any value with a layout.

use std::fmt;

/// One parameter of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What kind of value it takes.
    pub kind: Kind,
    /// What the argument says, with its unit.
    pub meaning: &'static str,
    /// How often it is given.
    pub presence: Presence,
}

/// How often an argument is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Once.
    Required,
    /// Once or not at all.
    Optional,
    /// Once or several times.
    Repeated,
}

/// What kind of value a parameter takes. A bare tuple serves as a shape, a tiler, a coordinate or the compact layout of that shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// An integer.
    Integer,
    /// A tuple of integers, nested or not.
    Tuple,
    /// A shape: extents, nested or not.
    Shape,
    /// A coordinate: integers from 0 on, nested or not.
    Coordinate,
    /// A layout of CuTe.
    Layout,
    /// A tiler of CuTe.
    Tiler,
    /// A linear layout, or a tensor with its encoding.
    Linear,
    /// An encoding of Triton.
    Encoding,
    /// An array of XLA.
    Array,
    /// A layout of XLA or JAX without its array.
    ArrayLayout,
    /// An affine map.
    Affine,
    /// A layout of any family.
    Any,
    /// A name.
    Name,
    /// Names in round brackets, or one.
    Names,
    /// A word.
    Word,
    /// The name of an operation.
    Operation,
    /// An instruction, or copies of one over a tile.
    Instruction,
    /// A tensor over devices.
    Sharding,
}

impl Kind {
    /// The kind in a word, for machines: `integer`, `shape`, `layout`.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Tuple => "tuple",
            Kind::Shape => "shape",
            Kind::Coordinate => "coordinate",
            Kind::Layout => "layout",
            Kind::Tiler => "tiler",
            Kind::Linear => "linear",
            Kind::Encoding => "encoding",
            Kind::Array => "array",
            Kind::ArrayLayout => "array-layout",
            Kind::Affine => "affine",
            Kind::Any => "any",
            Kind::Name => "name",
            Kind::Names => "names",
            Kind::Word => "word",
            Kind::Operation => "operation",
            Kind::Instruction => "instruction",
            Kind::Sharding => "sharding",
        }
    }
}

impl Parameter {
    pub(super) const fn optional(self) -> Self {
        Parameter { presence: Presence::Optional, ..self }
    }

    pub(super) const fn repeated(self) -> Self {
        Parameter { presence: Presence::Repeated, ..self }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.presence {
            Presence::Required => f.write_str(self.name),
            Presence::Optional => write!(f, "[{}]", self.name),
            Presence::Repeated => write!(f, "{}, …", self.name),
        }
    }
}

const fn of(name: &'static str, kind: Kind, meaning: &'static str) -> Parameter {
    Parameter { name, kind, meaning, presence: Presence::Required }
}

pub(super) const SHAPE_OR_LAYOUT: Parameter = of("X", Kind::Any, "a shape or other tuple, or a layout");
pub(super) const LEFT_TUPLE: Parameter = of("A", Kind::Tuple, "the first tuple");
pub(super) const RIGHT_TUPLE: Parameter = of("B", Kind::Tuple, "the second tuple");
pub(super) const SHAPE: Parameter = of("shape", Kind::Shape, "extents, counted in elements");
pub(super) const TILE: Parameter = of("tile", Kind::Shape, "the extents of the tile");
pub(super) const DIVISOR: Parameter = of("n", Kind::Shape, "the divisor: an integer, or one for each mode");
pub(super) const LEFT_INTEGER: Parameter = of("a", Kind::Integer, "an integer, which may be unknown");
pub(super) const RIGHT_INTEGER: Parameter = of("b", Kind::Integer, "an integer, which may be unknown");
pub(super) const COORDINATE: Parameter =
    of("coordinate", Kind::Coordinate, "a column-major index, or an integer for each mode, counted from 0");
pub(super) const COMPARED_COORDINATE: Parameter =
    of("coordinate", Kind::Coordinate, "an integer, or one for each mode, counted from 0");
pub(super) const OTHER_COORDINATE: Parameter = of("other", Kind::Coordinate, "the coordinate that it is compared with");
pub(super) const NESTING: Parameter =
    of("nesting", Kind::Tuple, "a tuple nested as the answer is to be; its integers do not matter");
pub(super) const POSITION: Parameter = of("position", Kind::Integer, "the number of a mode, counted from 0");
pub(super) const BEGIN: Parameter = of("begin", Kind::Integer, "the number of the first mode, counted from 0");
pub(super) const END: Parameter = of("end", Kind::Integer, "the number after the last mode");
pub(super) const MODE: Parameter = of("mode", Kind::Any, "the new mode: an integer, a tuple or a layout");
pub(super) const RANK: Parameter = of(
    "rank",
    Kind::Integer,
    "the rank to reach, at most 64: the mode is added as often as it takes; once where it is left out",
)
.optional();
pub(super) const LED_TO: Parameter = of("offset", Kind::Integer, "the offset that the coordinate leads to");
pub(super) const UNIT_SHAPE: Parameter = of("unit", Kind::Shape, "one integer, or one for each leaf");
pub(super) const INDEX: Parameter =
    of("index", Kind::Integer, "the number of an element, column-major, counted from 0");
pub(super) const FROM_SHAPE: Parameter = of("from_shape", Kind::Shape, "the shape of the given coordinate");
pub(super) const TO_SHAPE: Parameter = of("to_shape", Kind::Shape, "the shape of the coordinate in the answer");
pub(super) const LAYOUT: Parameter = of("L", Kind::Layout, "a layout of CuTe");
pub(super) const LEFT_LAYOUT: Parameter = of("A", Kind::Layout, "the first layout of CuTe");
pub(super) const RIGHT_LAYOUT: Parameter = of("B", Kind::Layout, "the second layout of CuTe");
pub(super) const POSITION_OR_PATH: Parameter =
    of("position_or_path", Kind::Coordinate, "the number of a mode, or the numbers from the outside in");
pub(super) const MODE_ORDER: Parameter =
    of("order", Kind::Tuple, "one rank for each mode: the mode of the smallest rank is the fastest");
pub(super) const PROFILE: Parameter =
    of("profile", Kind::Tuple, "a tuple: modes below its leaves are merged, others stay");
pub(super) const OUTER: Parameter = of("A", Kind::Any, "the layout that is applied last");
pub(super) const INNER_OR_TILER: Parameter =
    of("B_or_tiler", Kind::Tiler, "the layout that is applied first, or a tiler, one entry a mode");
pub(super) const INNER_ANY: Parameter = of("B", Kind::Any, "the layout that is applied first");
pub(super) const TARGET: Parameter =
    of("target", Kind::Shape, "the number of places that the layout and its complement fill together");
pub(super) const EXTENT_TO_SPLIT: Parameter = of("n", Kind::Integer, "how many elements are distributed");
pub(super) const TILER: Parameter = of("tiler", Kind::Tiler, "a layout, a shape, or <…> with one entry a mode");
pub(super) const BLOCK: Parameter = of("block", Kind::Layout, "the layout that is repeated");
pub(super) const REPETITION: Parameter = of("tiler", Kind::Tiler, "where the copies lie, in units of the block");
pub(super) const REPETITION_LAYOUT: Parameter =
    of("copies", Kind::Layout, "where the copies lie, in units of the block");
pub(super) const TILE_COORDINATE: Parameter =
    of("coordinate", Kind::Coordinate, "which tile, in units of tiles; `_` keeps a mode");
pub(super) const PROJECTION: Parameter =
    of("projection", Kind::Tuple, "1 for each mode that takes part, `_` for the others");
pub(super) const THREADS: Parameter = of("threads", Kind::Layout, "the layout of the threads, or its shape");
pub(super) const THREAD: Parameter = of("thread", Kind::Integer, "the number of the thread, counted from 0");
pub(super) const SLICED: Parameter = of("L", Kind::Any, "a layout of any family");
pub(super) const KEPT_COORDINATE: Parameter =
    of("coordinate", Kind::Coordinate, "a number where a mode is fixed, `_` where it is kept");
pub(super) const OLD_BITS: Parameter = of("old_bits", Kind::Integer, "bits of an element before");
pub(super) const NEW_BITS: Parameter = of("new_bits", Kind::Integer, "bits of an element after");
pub(super) const OLD_ELEMENTS: Parameter = of("up", Kind::Integer, "how many old elements are taken together");
pub(super) const NEW_ELEMENTS: Parameter = of("down", Kind::Integer, "how many new elements these become");
pub(super) const COUNT_MERGED: Parameter = of("n", Kind::Integer, "how many elements become one");
pub(super) const COUNT_OF_PARTS: Parameter = of("n", Kind::Integer, "how many parts each element becomes");
pub(super) const OTHER_SHAPE: Parameter = of("other_shape", Kind::Shape, "the other shape");
pub(super) const SOURCE_BITS: Parameter = of("sources", Kind::Integer, "a mask of the bits that are read");
pub(super) const TARGET_BITS: Parameter = of("targets", Kind::Integer, "a mask of the bits that are changed, as many");
pub(super) const ENCODING: Parameter = of("encoding", Kind::Encoding, "an encoding of Triton");
pub(super) const TENSOR_SHAPE: Parameter = of("shape", Kind::Shape, "the extents of the tensor");
pub(super) const NEW_SHAPE: Parameter = of("to", Kind::Shape, "the extents of the result");
pub(super) const CUT_SHAPE: Parameter = of("to", Kind::Shape, "the extents of the part");
pub(super) const WANTED: Parameter = of("wanted", Kind::Encoding, "the encoding that the result is to have");
pub(super) const DIM_OF_RESULT: Parameter = of("dim", Kind::Integer, "the number that the new dim has in the result");
pub(super) const DIM_REDUCED: Parameter = of("dim", Kind::Integer, "the number of the dim, counted from 0");
pub(super) const INDICES_SHAPE: Parameter = of("indices", Kind::Shape, "the extents of the indices");
pub(super) const SOURCE_SHAPE: Parameter = of("source", Kind::Shape, "the extents of the tensor that is picked from");
pub(super) const OPERAND_ENCODING: Parameter = of("operand", Kind::Encoding, "the encoding of one operand");
pub(super) const OPERAND_SHAPE: Parameter = of("operand_shape", Kind::Shape, "the extents of one operand");
pub(super) const BUFFERS_SHAPE: Parameter =
    of("shape", Kind::Shape, "the extents of the memory, the first counts buffers");
pub(super) const VARIANT: Parameter =
    of("variant", Kind::Tuple, "lanes and bits that a row moves: (32,32), (16,64), (16,128) or (16,256)");
pub(super) const BLOCK_IN_MEMORY: Parameter = of("block", Kind::Shape, "64 or 128 rows, and the columns");
pub(super) const WARPS: Parameter = of("warps", Kind::Integer, "how many warps load: 4 or 8");
pub(super) const BITS_OF_ELEMENT: Parameter = of("bits", Kind::Integer, "bits of an element: 8, 16 or 32");
pub(super) const SIZE: Parameter = of("size", Kind::Integer, "how many values the dim has, a power of two");
pub(super) const IN_DIM: Parameter = of("in_dim", Kind::Name, "the name of the dim that it takes");
pub(super) const OUT_DIM: Parameter = of("out_dim", Kind::Name, "the name of the dim that it leads to");
pub(super) const STRIDE_OF_LINEAR: Parameter =
    of("stride", Kind::Integer, "the step between neighbours, a power of two");
pub(super) const OUT_SIZE: Parameter =
    of("out_size", Kind::Integer, "the size of the dim that it leads to, a power of two");
pub(super) const TRANSPOSED_ORDER: Parameter =
    of("order", Kind::Tuple, "for each dim of the answer the number of the dim that it was");
pub(super) const ORDER: Parameter = of("order", Kind::Tuple, "the dims, the fastest first");
pub(super) const LINEAR_LAYOUT: Parameter = of("L", Kind::Linear, "a linear layout, or a tensor with its encoding");
pub(super) const LEFT_LINEAR: Parameter = of("A", Kind::Linear, "the first linear layout");
pub(super) const RIGHT_LINEAR: Parameter = of("B", Kind::Linear, "the second linear layout");
pub(super) const APPLIED_FIRST: Parameter = of("A", Kind::Linear, "the linear layout that is applied first");
pub(super) const APPLIED_LAST: Parameter = of("B", Kind::Linear, "the linear layout that is applied last");
pub(super) const DIM_NAMES: Parameter = of("dims", Kind::Names, "names of dims");
pub(super) const SIZES: Parameter = of("sizes", Kind::Tuple, "one size for each dim, powers of two");
pub(super) const DIM_NAME: Parameter = of("dim", Kind::Name, "the name of a dim");
pub(super) const NEW_NAME: Parameter = of("new_name", Kind::Name, "the new name of the dim");
pub(super) const IN_DIMS: Parameter = of("in_dims", Kind::Names, "names of dims that it takes");
pub(super) const OUT_DIMS: Parameter = of("out_dims", Kind::Names, "names of dims that it leads to");
pub(super) const CTA_LAYOUT: Parameter = of("cta", Kind::Linear, "the layout within one CTA");
pub(super) const CGA_LAYOUT: Parameter = of("cga", Kind::Linear, "the layout of the CTAs");
pub(super) const THREAD_TABLE: Parameter =
    of("threads_or_shape", Kind::Tuple, "the threads in a table, or the shape of a table of threads");
pub(super) const OWNED_SHAPE: Parameter = of("tensor_shape", Kind::Shape, "the extents of the tensor");
pub(super) const OWNERS: Parameter =
    of("threads", Kind::Tuple, "the threads in a table, or the shape of a table of threads");
pub(super) const DIM_NUMBER: Parameter = of("dim", Kind::Integer, "the number of a dim, counted from 0");
pub(super) const ANY: Parameter = of("X", Kind::Any, "a layout of any family");
pub(super) const PLACE_OF_LINEAR: Parameter = of("place", Kind::Coordinate, "one integer for each dim that it takes");
pub(super) const CTAS_PER_CGA: Parameter = of("ctas_per_cga", Kind::Tuple, "the number of CTAs along each dim");
pub(super) const CTA_SPLIT_NUM: Parameter = of("cta_split_num", Kind::Tuple, "into how many parts each dim is split");
pub(super) const CTA_ORDER: Parameter = of("cta_order", Kind::Tuple, "the dims, the fastest first");
pub(super) const ELEMENT_BITS: Parameter = of("element_bits", Kind::Integer, "bits of an element");
pub(super) const LINEAR_TILE: Parameter = of("tile", Kind::Linear, "the linear layout of one instruction");
pub(super) const ARRAY: Parameter = of("array", Kind::Array, "an array of XLA with its layout");
pub(super) const ARRAY_INDEX: Parameter = of("index", Kind::Coordinate, "one number for each dim, counted from 0");
pub(super) const OFFSET: Parameter = of("offset", Kind::Integer, "a place in memory, counted in elements from 0");
pub(super) const LEFT_ARRAY: Parameter = of("A", Kind::Array, "the first array");
pub(super) const RIGHT_ARRAY: Parameter = of("B", Kind::Array, "the second array");
pub(super) const ARRAY_OR_ANY: Parameter =
    of("array", Kind::Any, "an array of XLA, a tuple of arrays, or any other layout");
pub(super) const PERMUTATION_OF_FIRST: Parameter =
    of("dims", Kind::Tuple, "for each dim of the second array the number of the dim of the first");
pub(super) const PERMUTATION: Parameter =
    of("dims", Kind::Tuple, "for each dim of the answer the number of the dim that it was");
pub(super) const NEW_DIMS: Parameter = of("dims", Kind::Shape, "the extents of the answer");
pub(super) const FROM_DIMS: Parameter = of("from_dims", Kind::Shape, "the extents before");
pub(super) const TO_DIMS: Parameter = of("to_dims", Kind::Shape, "the extents after");
pub(super) const DIMS_BEFORE: Parameter = of("dims", Kind::Shape, "the extents before");
pub(super) const PERMUTATION_OF_DIMS: Parameter =
    of("permutation", Kind::Tuple, "for each dim of the answer the number of the dim that it was");
pub(super) const FROM_DIM: Parameter = of("from", Kind::Integer, "the number of the dim that moves");
pub(super) const TO_DIM: Parameter = of("to", Kind::Integer, "where it is in the answer, counted from 0");
pub(super) const ARRAY_DIMS: Parameter = of("dims", Kind::Tuple, "numbers of dims, counted from 0");
pub(super) const ARRAY_LAYOUT: Parameter =
    of("layout", Kind::ArrayLayout, "a layout of XLA or JAX without its array, or one of vector registers of Mosaic");
pub(super) const LEFT_ANY: Parameter = of("A", Kind::Any, "the first layout, of any family");
pub(super) const RIGHT_ANY: Parameter = of("B", Kind::Any, "the second layout, of any family");
pub(super) const POINT: Parameter = of(
    "coordinate",
    Kind::Coordinate,
    "one integer for each axis, or the number of a point: column-major in layouts of CuTe and places of linear layouts, row-major in other tensors",
);
pub(super) const TILE_SHAPE: Parameter = of("tile_shape", Kind::Shape, "the extents of the tile");
pub(super) const SOURCE_LINEAR: Parameter = of("source", Kind::Linear, "the register layout that the tensor has");
pub(super) const TARGET_LINEAR: Parameter = of("target", Kind::Linear, "the register layout that it gets");
pub(super) const SHARED_LINEAR: Parameter = of("memory", Kind::Linear, "the layout in shared memory, from offset");
pub(super) const BANKS: Parameter =
    of("banks", Kind::Integer, "how many banks of 4 bytes there are; 32 where it is missing");
pub(super) const CAPABILITY: Parameter = of(
    "capability",
    Kind::Integer,
    "the compute capability, such as 80 or 90, which says what matrix instructions there are",
);
pub(super) const TILE_IN_MEMORY: Parameter =
    of("tile", Kind::Layout, "a tile (mn,k) in shared memory, its swizzle of bytes or of elements");
pub(super) const MAJOR: Parameter = of(
    "major",
    Kind::Word,
    "K or MN: the dim whose elements lie side by side; of a tile of rows ROW_MAJOR or COL_MAJOR",
);
pub(super) const ADDRESS: Parameter =
    of("address", Kind::Integer, "where the tile starts, in bytes; 0 where it is missing");
pub(super) const TENSOR_CORES: Parameter = of("cores", Kind::Word, "wgmma or tcgen05; wgmma where it is missing");
pub(super) const GLOBAL: Parameter =
    of("global", Kind::Layout, "the tensor in global memory; integers that are not static are unknown to the compiler");
pub(super) const SHARED_TILE: Parameter =
    of("shared", Kind::Layout, "a tile in shared memory, its swizzle of bytes or of elements");
pub(super) const CTA_TILE: Parameter =
    of("tile", Kind::Shape, "the extents of the tile; the sizes of the modes of shared memory where it is missing");
pub(super) const UNIT_BITS: Parameter =
    of("unit_bits", Kind::Integer, "the bits of an element of the map where it is another one: 4, 8, 16, 32 or 64");
pub(super) const WORD: Parameter = of("word", Kind::Word, "the word, an integer or in quotes as \"0x08410010\"");
pub(super) const MMA_KIND: Parameter =
    of("kind", Kind::Word, "f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 or mxf4nvf4, as PTX has it");
pub(super) const A_TYPE: Parameter = of("A", Kind::Word, "the type of the elements of A, such as f16 or e4m3");
pub(super) const B_TYPE: Parameter = of("B", Kind::Word, "the type of the elements of B");
pub(super) const D_TYPE: Parameter = of("D", Kind::Word, "the type of the sums: f16, f32 or s32");
pub(super) const MMA_EXTENTS: Parameter = of("shape", Kind::Shape, "M and N of the instruction");
pub(super) const A_MAJOR: Parameter = of("A_major", Kind::Word, "k or mn; k where it is missing");
pub(super) const B_MAJOR: Parameter = of("B_major", Kind::Word, "k or mn; k where it is missing");
pub(super) const MMA_OPTIONS: Parameter = of(
    "options",
    Kind::Names,
    "negate_a, negate_b, saturate, sparse, selector1, shift8, the type of scales, scale_a1, scale_b1, long_k",
);
pub(super) const ATOM: Parameter =
    of("name", Kind::Word, "CuTe's name of the instruction, with its template arguments where its extents stand there");
pub(super) const ATOM_PART: Parameter = of(
    "part",
    Kind::Word,
    "A, B, C, ThrID, Shape_MNK, bits, where there are such E, SFA, SFB, MajorA, MajorB; of a copy Src, Dst, Ref, ThrID; all where it is missing",
);
pub(super) const ATOM_EXTENTS: Parameter =
    of("extents", Kind::Shape, "numbers of the template arguments: M and N of tcgen05, the bits of a UniversalCopy");
pub(super) const ATOM_OR_TILED: Parameter =
    of("X", Kind::Instruction, "an instruction, a tiled matrix instruction or a tiled copy");
pub(super) const PART: Parameter = of(
    "part",
    Kind::Word,
    "as of an atom; of tiled_mma A, B, C, thr_layout_vmnk, atom, atoms, tile, permutation; of tiled_copy S, D, TV, atom, tile, tiler, bits",
);
pub(super) const MMA_SHAPE: Parameter = of("shape", Kind::Shape, "M, N and K of the instruction");
pub(super) const THREADS_OF_ONE: Parameter =
    of("threads", Kind::Layout, "the threads of one instruction, CuTe's ThrID");
pub(super) const HELD: Parameter = of("A", Kind::Layout, "from (thread, value) to the elements of A");
pub(super) const HELD_OF_B: Parameter = of("B", Kind::Layout, "from (thread, value) to the elements of B");
pub(super) const HELD_OF_C: Parameter = of("C", Kind::Layout, "from (thread, value) to the elements of C");
pub(super) const THREADS_OF_ALL: Parameter = of(
    "vmnk",
    Kind::Layout,
    "from the thread of an instruction and its copy along M, N and K to the number of the thread",
)
.optional();
pub(super) const SMEM_TILE: Parameter = of(
    "tile",
    Kind::Shape,
    "rows, columns and perhaps more modes; or (mn,k) of an instruction, how often it fits along both, and perhaps more modes",
);
pub(super) const TILE_OF_MMA: Parameter =
    of("tile", Kind::Shape, "((mn,k), copies along mn, copies along k), and perhaps more modes");
pub(super) const ELEMENT_TYPE_OR_BITS: Parameter =
    of("bits", Kind::Integer, "the bits of an element, or its type in CuTe DSL or MLIR");
pub(super) const MMA_OR_MAJOR: Parameter = of(
    "mma_or_major",
    Kind::Instruction,
    "a matrix instruction, tiled or not, or the dim whose elements lie side by side: K or MN, ROW_MAJOR or COL_MAJOR",
);
pub(super) const OWN_MAJOR: Parameter = of(
    "major",
    Kind::Word,
    "K or MN: the dim whose elements lie side by side; that of the instruction where it is missing",
)
.optional();
pub(super) const CTA_TILE_MNK: Parameter = of("tile", Kind::Shape, "M, N and K of the tile");
pub(super) const EPILOGUE_TILE: Parameter = of("tile", Kind::Tiler, "rows and columns, each a number or a layout");
pub(super) const STAGES: Parameter = of("stages", Kind::Integer, "how many tiles are in memory at once");
pub(super) const SCALED_SHAPE: Parameter =
    of("shape", Kind::Shape, "rows, columns and perhaps batches of the elements");
pub(super) const SCALED_ELEMENTS: Parameter =
    of("elements", Kind::Integer, "how many elements along k have one scale: 16 or 32");
pub(super) const MMA_ATOM: Parameter = of("atom", Kind::Instruction, "a matrix instruction, or its name");
pub(super) const COPY_ATOM: Parameter = of("atom", Kind::Instruction, "a copy instruction, or its name");
pub(super) const ATOM_LAYOUT: Parameter =
    of("atoms", Kind::Layout, "how copies are numbered along M, N and K; one copy where it is missing");
pub(super) const MMA_TILE: Parameter = of(
    "tile",
    Kind::Tiler,
    "an extent, a permutation or `_` for each of M, N and K; as much as all copies cover where it is missing",
);
pub(super) const TILED_MMA: Parameter = of("mma", Kind::Instruction, "a tiled matrix instruction, or a single one");
pub(super) const TILED_COPY: Parameter = of("copy", Kind::Instruction, "a tiled copy");
pub(super) const TENSOR_LAYOUT: Parameter =
    of("tensor", Kind::Layout, "a tensor of rows, columns and perhaps more modes");
pub(super) const THREAD_LAYOUT: Parameter = of("threads", Kind::Layout, "from (m,n) to the number of a thread");
pub(super) const VALUE_LAYOUT: Parameter =
    of("values", Kind::Layout, "from (m,n) to the number of a thread's value; one value where it is missing");
pub(super) const THREAD_VALUES: Parameter =
    of("layout", Kind::Layout, "from (thread, value) to the elements of the tile, column-major");
pub(super) const THREADS_AND_VALUES: Parameter =
    of("L", Kind::Any, "a layout of CuTe from (thread, value), or a register layout of Triton");
pub(super) const COPY_TILE: Parameter =
    of("tile", Kind::Tiler, "the extents of the tile, or a layout for each mode that gathers its elements");
pub(super) const THREAD_OF_SLICE: Parameter =
    of("thread", Kind::Integer, "the number of a thread; that of the slice, where the first operand is one").optional();
pub(super) const DATA_ADDRESSES: Parameter =
    of("addresses", Kind::Layout, "from (thread, value) to the addresses of the tensor");
pub(super) const DATA_LAYOUT: Parameter = of("data", Kind::Layout, "the tensor, from coordinates to addresses");
pub(super) const FRAGMENT: Parameter =
    of("fragment", Kind::Layout, "registers of (value, rest of each mode), as a partition gives them");
pub(super) const LANES_TO_ELEMENTS: Parameter = of(
    "threads",
    Kind::Any,
    "lanes (mode 0, or the dim lane) and the values of each, to elements; of ldmatrix rows and what is in them",
);
pub(super) const SEARCHED_TILE: Parameter = of("tile", Kind::Any, "a tile in shared memory, counted in elements");
pub(super) const ACCESSES: Parameter = of(
    "access",
    Kind::Any,
    "threads to elements, as of wavefronts, and ld, st, ldmatrix or stmatrix after them (ld where it is missing); after the word under, \
     what the answer is allowed: swizzle, linear, padding or rotating; tma, wgmma or tcgen05; amd; the least bytes of a lane",
);
pub(super) const TRANSFER: Parameter =
    of("transfer", Kind::Word, "ld, st, ldmatrix or stmatrix; ld where it is missing");
pub(super) const MACHINE: Parameter = of(
    "machine",
    Kind::Word,
    "nvidia, whose memory was measured, or amd, by its documentation; nvidia where it is missing",
);
pub(super) const ADDRESSES: Parameter =
    of("addresses", Kind::Tuple, "the byte address of each lane, `_` for one that takes no part");
pub(super) const BYTES_AT_ONCE: Parameter =
    of("bytes", Kind::Integer, "bytes that each lane transfers: 1, 2, 4, 8 or 16");
pub(super) const BYTE_STRIDES: Parameter =
    of("strides", Kind::Tuple, "the stride of each dim but the innermost, in bytes");
pub(super) const BOX: Parameter = of("box", Kind::Shape, "the extent of the box along each dim, in elements");
pub(super) const SWIZZLE_SPAN: Parameter =
    of("swizzle", Kind::Integer, "the bytes that the swizzle spans: 32, 64 or 128; 0 for none");
pub(super) const ELEMENT_STRIDES: Parameter =
    of("element_strides", Kind::Tuple, "of how many elements along each dim one is read");
pub(super) const NOTATION: Parameter = of(
    "notation",
    Kind::Word,
    "cute, padded, linear, triton, mixed, xla, strides, tag, affine, cpp, dsl, pycute, torch, numpy, jax, mosaic, gluon, ttgir, einops, c or latex; \
     of a tensor over devices hlo, hlo_mesh, jax, sdy, dtensor or tv",
);
pub(super) const ELEMENT_TYPE: Parameter = of("type", Kind::Word, "the type of an element, such as bf16");
pub(super) const OFFSETS: Parameter =
    of("offsets", Kind::Tuple, "the place of each element in elements, the first dim the fastest");
pub(super) const AFFINE_MAP: Parameter = of("map", Kind::Affine, "an affine map of MLIR");
pub(super) const EXTENTS: Parameter = of("extents", Kind::Shape, "the extent of each dim of the map");
pub(super) const FROM_NAMES: Parameter = of("from_names", Kind::Names, "names of the dims that it takes");
pub(super) const TO_EXTENTS: Parameter = of("to_extents", Kind::Shape, "the extent of each result");
pub(super) const TO_NAMES: Parameter = of("to_names", Kind::Names, "names of the results");
pub(super) const MEMORY: Parameter = of("memory", Kind::Any, "a tensor in memory");
pub(super) const START: Parameter = of("start", Kind::Coordinate, "the coordinate of the first element");
pub(super) const PLACE: Parameter = of("place", Kind::Coordinate, "a place: an offset, or one integer for each axis");
pub(super) const AXIS: Parameter = of("axis", Kind::Integer, "the number of an axis, counted from 0");
pub(super) const STRIDES: Parameter = of("strides", Kind::Tuple, "one step for each dim, in elements");
pub(super) const FIRST_OFFSET: Parameter = of("offset", Kind::Integer, "the offset of the first element, in elements");
pub(super) const TAG: Parameter = of("format", Kind::Word, "a format tag of oneDNN, such as nChw16c");
pub(super) const POINT_ORDER: Parameter =
    of("order", Kind::Word, "row or column: how elements are numbered; the own order of X where it is missing");
pub(super) const SHARDED: Parameter = of("X", Kind::Sharding, "a tensor over devices");
pub(super) const SHARDED_SOURCE: Parameter = of("A", Kind::Sharding, "the tensor over devices that is there");
pub(super) const SHARDED_TARGET: Parameter = of("B", Kind::Sharding, "the same tensor as it shall be");
pub(super) const DEVICE: Parameter = of("device", Kind::Integer, "the number of a device, counted from 0");
pub(super) const OPERATION: Parameter = of("operation", Kind::Operation, "the name of an operation");
pub(super) const OPERANDS: Parameter = of("operand", Kind::Any, "what the operation is applied to, as it takes it");
pub(super) const GIVEN_ANSWER: Parameter = of("R", Kind::Any, "the answer that is held against the law");
