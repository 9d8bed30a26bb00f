"""Types of the compiled part."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from types import NotImplementedType
from typing import Any, ClassVar, SupportsIndex, final

from typing_extensions import Self, disjoint_base

__all__ = [
    "AffineMap",
    "BareLayout",
    "Basis",
    "ComposedLayout",
    "CuteLayout",
    "DeviceArray",
    "DeviceMove",
    "Encoding",
    "Explanation",
    "Instruction",
    "Layout",
    "LinearLayout",
    "Map",
    "Picture",
    "RepackPlan",
    "Shape",
    "Sharding",
    "Step",
    "Swizzle",
    "Symbol",
    "Tiler",
    "Value",
    "Verdict",
    "__version__",
    "call",
    "check",
    "coalesce",
    "command",
    "complement",
    "composition",
    "dcp_entries",
    "dlpack_facts",
    "emit",
    "evaluate",
    "explain",
    "fit_table",
    "flat_divide",
    "formats",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "main",
    "moves",
    "operations",
    "parse",
    "pieces",
    "probe_inputs",
    "probe_read",
    "relayout",
    "right_inverse",
    "show",
    "tensor_of",
    "tiled_divide",
    "zipped_divide",
    "zipped_product",
]

__version__: str

def main() -> int:
    """The command line; returns its exit code."""
def command(arguments: Sequence[str], /) -> tuple[int, str, str]:
    """What the command line answers to arguments: its exit code, and what it writes to standard output and standard error."""
def dcp_entries(metadata: bytes, /) -> list[tuple[str, int, int]]:
    """Where the entries of a checkpoint of `torch.distributed.checkpoint` lie, from its metadata: the file, the first byte, the bytes."""
def dlpack_facts(array: Any, is_on_gpu: bool, /) -> tuple[list[int], list[int], str, int]:
    """What DLPack says of an array: its shape, its strides in elements, the type and the bits of an element. Nothing is read."""
def call(name: str, /, *arguments: Any, **named: Any) -> Any:
    """The answer of the operation of this name; every operation is a function of the package too."""
def parse(expression: str, /) -> Any:
    """The value of an expression of the layout language."""
def evaluate(expression: str, /) -> tuple[Any, list[str]]:
    """The value of an expression, and the notes on it."""
def explain(expression: Any, /, *arguments: Any) -> Explanation:
    """Why an expression has its value: `explain("complement(4:2, 24)")`, or of an operation and its arguments,
    `explain("complement", layout, 24)`.
    """
def show(*layouts: Any, shape: Any = None) -> Picture:
    """The picture of layouts of one kind, below one another; encodings of Triton are drawn for a `shape`."""
def operations() -> list[tuple[str, str, list[tuple[str, bool, bool, str]], str, str]]:
    """The table of operations: name, group, parameters (name, optional, repeated, meaning), law and example."""
def relayout(memory: Any, source: Any, target: Any, element_bits: int, is_flat: bool, make: Any = None, /) -> Any:
    """The memory of an array under one layout, as new memory under another; elements have `element_bits` bits.

    The array is read in place, through DLPack or as `bytes`; where `is_flat`, its own strides must be row-major. `make` takes a
    number of bytes and gives an array of as many or more, with DLPack, which is the result; without it, the result is a `bytearray`.
    """
def fit_table(array: Any, /) -> Any:
    """The layout that an array of offsets is: entry (i, j, ...) is the offset of the coordinate (i, j, ...). Of a text, that of an
    index expression such as `row<8, col<64: row*64 + col`.
    """
def moves(source: Any, target: Any, /) -> str:
    """What has to move between two tensors over devices, as JSON: what `bitstride reshard A --to B --json` prints."""
def pieces(source: Any, target: Any, device: int | None = None, /) -> str:
    """What goes where, as JSON: of one device, or of all."""
def emit(what: str, first: Any, second: Any, bits: int | None, lang: str, /) -> str:
    """The source of an index function of one layout, or of a relayout or a fragment of two."""
def formats(name: str | None, shape: str | None, definitions: str | None, /) -> str:
    """All formats without their parameters, or one with its tensors and fields where no parameter is missing."""
def check(
    producer: str, consumer: str, shape: str | None, fields: list[str], definitions: str | None, /
) -> tuple[list[str], bool | None, str]:
    """A check of two formats, its lines first."""
def tensor_of(name: str, fields: Sequence[str], definitions: str | None, /) -> str:
    """The tensor of a format that an array without a name is: that of the field, or the first."""
def probe_inputs(shape: list[int], bits: int, /) -> list[tuple[str, bytes]]:
    """The numbered tensors of a probe: names and codes, the last axis fastest."""
def probe_read(shape: list[int], bits: int, outputs: list[bytes], definitions: str | None, /) -> str:
    """What a packer does, from its outputs in the order of the tensors."""
def composition(A: Any, B_or_tiler: Any) -> Any:
    """R(i) = A(B(i)), in the profile of B; by a tiler, mode by mode.

    Args:
        A: the layout that is applied last.
        B_or_tiler: the layout that is applied first, or a tiler, one entry a mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: composition((6,2):(8,2), (4,3):(3,1))
    """
def complement(L: Any, target: Any = None) -> Any:
    """Fills what the layout leaves free, up to a target.

    Args:
        L: a layout of CuTe.
        target: the number of places that the layout and its complement fill together.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: complement(4:2, 24)
    """
def coalesce(L: Any, profile: Any = None) -> Any:
    """The same function with the fewest modes; by profile, mode by mode.

    Args:
        L: a layout of CuTe.
        profile: a tuple: modes below its leaves are merged, others stay.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: coalesce((2,(1,6)):(1,(6,2)))
    """
def right_inverse(L: Any) -> Any:
    """L(R(i)) = i, as far as a chain of modes from stride 1 goes.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: right_inverse((2,3):(3,1))
    """
def left_inverse(L: Any) -> Any:
    """L(R(L(i))) = L(i): undoes L where it is injective.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: left_inverse((4,8):(1,5))
    """
def logical_divide(L: Any, tiler: Any) -> Any:
    """Cut into tiles, mode by mode: ((tile),(rest)).

    Args:
        L: a layout of CuTe.
        tiler: a layout, a shape, or <…> with one entry a mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: logical_divide((4,2,3):(2,1,8), 4:2)
    """
def zipped_divide(L: Any, tiler: Any) -> Any:
    """Cut into tiles, which are gathered: ((TM,TN),(RM,RN,L)).

    Args:
        L: a layout of CuTe.
        tiler: a layout, a shape, or <…> with one entry a mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)
    """
def tiled_divide(L: Any, tiler: Any) -> Any:
    """Cut into tiles: ((TM,TN),RM,RN,L).

    Args:
        L: a layout of CuTe.
        tiler: a layout, a shape, or <…> with one entry a mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tiled_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)
    """
def flat_divide(L: Any, tiler: Any) -> Any:
    """Cut into tiles: (TM,TN,RM,RN,L).

    Args:
        L: a layout of CuTe.
        tiler: a layout, a shape, or <…> with one entry a mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: flat_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)
    """
def logical_product(block: Any, tiler: Any) -> Any:
    """Copies of the block in the order of the tiler: (block, copies).

    Args:
        block: the layout that is repeated.
        tiler: where the copies lie, in units of the block.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: logical_product((2,2):(4,1), 6:1)
    """
def zipped_product(block: Any, tiler: Any) -> Any:
    """Copies of the block, gathered: ((x,y),(z,w)).

    Args:
        block: the layout that is repeated.
        tiler: where the copies lie, in units of the block.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: zipped_product((2,2):(4,1), 6:1)
    """

@disjoint_base
class Value:
    """A value of the layout language."""
    @property
    def kind(self) -> str:
        """What kind of value it is: layout, swizzle, composed, tiler, linear, encoding, xla, map, ...

        >>> bitstride.parse('(2,3):(3,1)').kind
        'layout'
        """
    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the value, such as tiles that cover more than their layout. Not compared.

        >>> bitstride.parse('(2,3):(3,1)').notes
        ()
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> NotImplementedType: ...
    def __le__(self, other: object, /) -> NotImplementedType: ...
    def __gt__(self, other: object, /) -> NotImplementedType: ...
    def __ge__(self, other: object, /) -> NotImplementedType: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> Any: ...
    def __copy__(self) -> Any: ...
    def __deepcopy__(self, _memo: Any) -> Any: ...
    def cpp(self) -> str:
        """The text as CuTe's C++ library prints it: `_5` static, `5` dynamic.

        >>> bitstride.parse('(2,3):(3,1)').cpp()
        '(_2,_3):(_3,_1)'
        """
    def at(self, coordinate: Any) -> Any:
        """The place that a coordinate leads to, or the element at a place; padding is the text "padding".

        An integer is the number of a point: column-major in layouts of CuTe and places of linear layouts, row-major in other tensors.

        >>> bitstride.parse('tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>').at((2, 5, 0, 0))
        (9, 2)
        """
    def convert(self, notation: str, type: str | None = None) -> Any:
        """The same layout in another notation: cute, padded, linear, triton, mixed, xla, strides, tag or affine; or the source of
        cpp, dsl, pycute, torch, numpy or einops.

        For "xla", `type` is the type of an element, such as "bf16".

        >>> bitstride.parse('bf16[16,256]{1,0:T(8,128)(2,1)}').convert('cute')
        Layout('((2,4,2),(128,2)):((1,256,2048),(2,1024))')
        """
    def same(self, other: Any) -> Verdict:
        """Whether both put the same elements at the same places; the verdict is true or has the first difference.

        >>> bitstride.parse('f32[16,256]{1,0:T(8,128)}').same('((8,2),(128,2)):((128,2048),(1,1024))')
        Verdict('same')
        """
    def diff(self, other: Any) -> Verdict:
        """As `same`, and counts how many elements lie elsewhere.

        >>> bitstride.parse('(2,3):(3,1)').diff('f32[4,4]{1,0}')
        Verdict('different: the tensors have dims (dim0:2, dim1:3) and (dim0:4, dim1:4)')
        """
    def inverse(self) -> Any:
        """From places to elements.

        >>> bitstride.parse('(64,8):(1,72)').inverse()
        Map('inverse((64,8):(1,72))')
        """
    def is_bijective(self) -> bool:
        """Whether every place has exactly one element.

        >>> bitstride.parse('f32[16,256]{1,0:T(8,128)}').is_bijective()
        True
        """
    def is_injective(self) -> bool:
        """Whether no two elements share a place.

        >>> bitstride.parse('linear<{lane=[[1],[1]]}, out=[dim0:2]>').is_injective()
        False
        """
    def is_surjective(self) -> bool:
        """Whether every place has an element.

        >>> bitstride.parse('linear<{lane=[[1],[1]]}, out=[dim0:2]>').is_surjective()
        True
        """
    def call(self, operation: str, /, *arguments: Any, **named: Any) -> Any:
        """The operation of this name, with the value as its first argument.

        >>> bitstride.parse('(2,3):(3,1)').call('size')
        6
        """
    def explain(self) -> Explanation:
        """How the value is read, as an explanation with steps and properties."""
    def to_json(self) -> str:
        """The value as JSON, in the form that `bitstride --json` prints: kind, value, data and notes.

        >>> bitstride.parse('(2,3):(3,1)').to_json()
        '{"kind":"layout","value":"(2,3):(3,1)","data":{"shape":[2,3],"stride":[3,1]}}'
        """
    def show(self, shape: Any = None) -> Picture:
        """The picture of the value; of an encoding of Triton, for a `shape`."""
    def _repr_svg_(self) -> str | None:
        """The picture as SVG; nothing for a value that has none."""
    def _repr_html_(self) -> str:
        """The text and the picture, or why there is none, for notebooks; with a link to the live page where the environment variable `BITSTRIDE_PAGE` has
        its address.
        """

class CuteLayout(Value):
    """A layout of CuTe or a composed layout: a function from the coordinates of a shape to offsets. Operations are methods."""
    def __bool__(self) -> bool: ...
    def __getitem__(self, mode: SupportsIndex | slice | tuple[SupportsIndex, ...], /) -> Self: ...
    def __iter__(self) -> Iterator[Self]: ...
    def __matmul__(self, inner: Any, /) -> Any: ...
    def __rmatmul__(self, outer: Any, /) -> Any: ...
    def __contains__(self, offset: SupportsIndex, /) -> bool: ...
    def offsets(self) -> Any:
        """All offsets in column-major order of the flat index, as an array of 64-bit integers.

        >>> bitstride.Layout('(2,3):(3,1)').offsets()
        array([0, 3, 1, 4, 2, 5])
        """
    def coordinates(self) -> list[Any]:
        """All coordinates in the order of the flat index, as nested tuples.

        >>> bitstride.Layout('(2,2)').coordinates()
        [(0, 0), (1, 0), (0, 1), (1, 1)]
        """
    def contains(self, offsets: Any) -> Any:
        """Whether offsets are reached: of an integer true or false, of an array one answer for each entry.

        >>> bitstride.Layout('((2,2),3):((24,2),8)').contains(4)
        False
        """
    def composition(self, B_or_tiler: Any) -> Any:
        """R(i) = self(B(i)), in the profile of B; by a tiler, mode by mode.

        >>> bitstride.Layout('(6,2):(8,2)').composition('(4,3):(3,1)')
        Layout('((2,2),3):((24,2),8)')
        """
    def complement(self, target: Any = None) -> Any:
        """What the layout leaves free, up to a target.

        >>> bitstride.Layout('4:2').complement(24)
        Layout('(2,3):(1,8)')
        """
    def coalesce(self, profile: Any = None) -> Any:
        """The same function with the fewest modes.

        >>> bitstride.Layout('(2,(1,6)):(1,(6,2))').coalesce()
        Layout('12:1')
        """
    def right_inverse(self) -> Any:
        """L(R(i)) = i, as far as a chain of modes from stride 1 goes.

        >>> bitstride.Layout('(2,3):(3,1)').right_inverse()
        Layout('(3,2):(2,1)')
        """
    def left_inverse(self) -> Any:
        """R with L(R(L(i))) = L(i).

        >>> bitstride.Layout('(4,8):(1,5)').left_inverse()
        Layout('(5,8):(1,4)')
        """
    def logical_divide(self, tiler: Any) -> Any:
        """Cut into tiles, mode by mode: ((tile), (rest)).

        >>> bitstride.Layout('(4,2,3):(2,1,8)').logical_divide('4:2')
        Layout('((2,2),(2,3)):((4,1),(2,8))')
        """
    def zipped_divide(self, tiler: Any) -> Any:
        """Cut into tiles, which are gathered: ((tile modes), (rest modes)).

        >>> bitstride.Layout('(9,(4,8)):(59,(13,1))').zipped_divide('<3:3, (2,4):(1,8)>')
        Layout('((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))')
        """
    def tiled_divide(self, tiler: Any) -> Any:
        """Cut into tiles: ((tile modes), rest0, rest1, ...).

        >>> bitstride.Layout('(9,(4,8)):(59,(13,1))').tiled_divide('<3:3, (2,4):(1,8)>')
        Layout('((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))')
        """
    def flat_divide(self, tiler: Any) -> Any:
        """Cut into tiles: (tile0, tile1, ..., rest0, rest1, ...).

        >>> bitstride.Layout('(9,(4,8)):(59,(13,1))').flat_divide('<3:3, (2,4):(1,8)>')
        Layout('(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))')
        """
    def logical_product(self, tiler: Any) -> Any:
        """Copies of the layout in the order of the tiler: (layout, copies).

        >>> bitstride.Layout('(2,2):(4,1)').logical_product('6:1')
        Layout('((2,2),(2,3)):((4,1),(2,8))')
        """
    def zipped_product(self, tiler: Any) -> Any:
        """Copies of the layout, gathered: ((its modes), (copies)).

        >>> bitstride.Layout('(2,2):(4,1)').zipped_product('6:1')
        Layout('((2,2),(2,3)):((4,1),(2,8))')
        """
    def blocked_product(self, copies: Any) -> Any:
        """Copies laid out as blocks: ((x,z),(y,w)).

        >>> bitstride.Layout('(2,5):(5,1)').blocked_product('(3,4):(1,3)')
        Layout('((2,3),(5,4)):((5,10),(1,30))')
        """
    def raked_product(self, copies: Any) -> Any:
        """Copies interleaved: ((z,x),(w,y)).

        >>> bitstride.Layout('(2,5):(5,1)').raked_product('(3,4):(1,3)')
        Layout('((3,2),(4,5)):((10,5),(30,1))')
        """
    def tile_to_shape(self, shape: Any, order: Any = None) -> Any:
        """The layout repeated until it covers a shape, modes in the given order.

        >>> bitstride.Layout('(3,8):(8,1)').tile_to_shape((6, 16), (1, 0))
        Layout('((3,2),(8,2)):((8,48),(1,24))')
        """
    def local_tile(self, tiler: Any, coordinate: Any, projection: Any = None) -> Any:
        """The tile at a coordinate.

        >>> bitstride.Layout('(128,64):(64,1)').local_tile((32, 32), '(1,_)')
        Layout('(32,32,2):(64,1,32) + 2048')
        """
    def local_partition(self, threads: Any, thread: Any, projection: Any = None) -> Any:
        """What one thread sees in every tile of threads.

        >>> bitstride.Layout('(32,16):(16,1)').local_partition('(8,4):(4,1)', 5)
        Layout('(4,4):(128,4) + 17')
        """
    def select(self, *positions: SupportsIndex | Sequence[SupportsIndex]) -> Any:
        """The modes at the given positions, one after another or as one tuple.

        >>> bitstride.Layout('(2,3,5)').select(2, 0)
        Layout('(5,2):(6,1)')
        """
    def group(self, begin: SupportsIndex, end: SupportsIndex) -> Any:
        """The modes from begin to before end, made one mode.

        >>> bitstride.Layout('(2,3,5,7)').group(1, 3)
        Layout('(2,(3,5),7):(1,(2,6),30)')
        """
    def append(self, mode: Any) -> Any:
        """With one more mode at the end.

        >>> bitstride.Layout('(2,3):(1,2)').append('4:10')
        Layout('(2,3,4):(1,2,10)')
        """
    def prepend(self, mode: Any) -> Any:
        """With one more mode at the front.

        >>> bitstride.Layout('(2,3)').prepend(7)
        Layout('(7,2,3):(1,1,2)')
        """
    def flatten(self) -> Any:
        """The same leaves without nesting.

        >>> bitstride.Layout('(2,(1,6)):(1,(6,2))').flatten()
        Layout('(2,1,6):(1,6,2)')
        """
    def filter(self, profile: Any = None) -> Any:
        """Without stride-0 and size-1 modes.

        >>> bitstride.Layout('(2,3,4):(0,1,3)').filter()
        Layout('12:1')
        """
    def filter_zeros(self) -> Any:
        """Every stride-0 mode gets the extent 1.

        >>> bitstride.Layout('(7,16,4):(0,0,1)').filter_zeros()
        Layout('(1,1,4):(0,0,1)')
        """
    def with_shape(self, shape: Any) -> Any:
        """The composition with the compact layout of a shape.

        >>> bitstride.Layout('20:2').with_shape((5, 4))
        Layout('(5,4):(2,10)')
        """
    def slice(self, coordinate: Any) -> Any:
        """The modes with None, and the offset of the others.

        >>> bitstride.Layout('(2,6,7):(1,2,12)').slice('(1,_,1)')
        Layout('(6):(2) + 13')
        """
    def recast(self, old_bits: SupportsIndex, new_bits: SupportsIndex) -> Any:
        """Elements of old bits seen as elements of new bits.

        >>> bitstride.Layout('(8,8):(8,1)').recast(16, 32)
        Layout('(8,4):(4,1)')
        """
    def upcast(self, n: SupportsIndex) -> Any:
        """n neighbouring elements become one.

        >>> bitstride.Layout('(4,8):(8,1)').upcast(4)
        Layout('(4,2):(2,1)')
        """
    def downcast(self, n: SupportsIndex) -> Any:
        """Every element becomes n neighbouring ones.

        >>> bitstride.Layout('(4,8):(8,1)').downcast(2)
        Layout('(4,16):(16,1)')
        """

@final
class Layout(CuteLayout):
    """A layout of CuTe: a shape and a stride, nested alike; a function from coordinates to offsets.

    `Layout("(4,8):(8,1)")`, `Layout((4, 8), (8, 1))`, or `Layout((4, 8))`, which is compact and column-major. `A @ B` is
    composition, `A(i, j)` the offset of a coordinate, `A(i)` that of a flat index in column-major order, `A(None, j)` a
    slice, `A[0]` a mode and `len(A)` the rank.
    """
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, shape: Any, stride: Any = None) -> Layout: ...
    @staticmethod
    def from_array(array: Any, /) -> Layout:
        """The layout of the elements of an array, from its shape and strides: NumPy's count bytes, PyTorch's elements.

        Those of JAX are read from the order of its format, which has no tiles. Coordinates are those of the array; a flat index is
        column-major, as of every layout. Where the data begins is left out.
        """
    @property
    def shape(self) -> Any:
        """The shape: an integer or a nested tuple.

        >>> bitstride.Layout('(4,8):(8,1)').shape
        (4, 8)
        """
    @property
    def stride(self) -> Any:
        """The stride, nested as the shape is.

        >>> bitstride.Layout('(4,8):(8,1)').stride
        (8, 1)
        """
    @property
    def offset(self) -> Any:
        """The offset of the first element: 0 unless the layout is a slice.

        >>> bitstride.Layout('((2,2),3):((24,2),8)').offset
        0
        """
    @property
    def size(self) -> Any:
        """The number of elements.

        >>> bitstride.Layout('(4,(2,4))').size
        32
        """
    @property
    def cosize(self) -> Any:
        """The length of the smallest interval that holds 0 and all offsets.

        >>> bitstride.Layout('(4,8):(-1,5)').cosize
        39
        """
    @property
    def rank(self) -> int:
        """The number of modes.

        >>> bitstride.Layout('((2,4),(3,5)):((3,6),(1,24))').rank
        2
        """
    @property
    def depth(self) -> int:
        """How deep the nesting goes; 0 for `4:1`.

        >>> bitstride.Layout('(2,(1,6))').depth
        2
        """
    def __len__(self) -> int: ...
    def __call__(self, *coordinate: Any) -> Any: ...

@final
class Swizzle(Value):
    """A swizzle: a function of offsets that flips bits, `Swizzle(bits, base, shift)`.

    `Swizzle(3, 4, 3)` flips bits 4 to 6 by bits 7 to 9. A text such as "Sw<3,4,3>" is read too.
    """
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(
        cls, bits: Any, base: SupportsIndex | None = None, shift: SupportsIndex | None = None
    ) -> Swizzle: ...
    @property
    def bits(self) -> int:
        """How many bits it flips.

        >>> bitstride.Swizzle(3, 4, 3).bits
        3
        """
    @property
    def base(self) -> int:
        """The lowest bit that it flips.

        >>> bitstride.Swizzle(3, 4, 3).base
        4
        """
    @property
    def shift(self) -> int:
        """How much higher the bits are that decide.

        >>> bitstride.Swizzle(3, 4, 3).shift
        3
        """
    @property
    def element_bits(self) -> int | None:
        """The bits of an element, where the swizzle acts on bytes; else None."""
    def __call__(self, offset: Any, /) -> Any: ...
    def __matmul__(self, inner: Any, /) -> Any: ...
    def __rmatmul__(self, outer: Any, /) -> Any: ...

@final
class ComposedLayout(CuteLayout):
    """`outer o offset o inner`: a swizzle or a layout after a layout.

    `ComposedLayout(Swizzle(3, 4, 3), 0, "(8,64):(64,1)")`, or the text "Sw<3,4,3> o 0 o (8,64):(64,1)".
    """
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, outer: Any, offset: Any = None, inner: Any = None) -> ComposedLayout: ...
    @property
    def outer(self) -> Any:
        """What is applied last.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').outer
        Swizzle(1, 2, 1)
        """
    @property
    def offset(self) -> Any:
        """What is added between.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').offset
        0
        """
    @property
    def inner(self) -> Any:
        """What is applied first; it has the shape.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').inner
        Layout('(4,8):(8,1)')
        """
    @property
    def domain(self) -> Layout:
        """The layout that carries the shape.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').domain
        Layout('(4,8):(8,1)')
        """
    @property
    def shape(self) -> Any:
        """The shape, a nested tuple.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').shape
        (4, 8)
        """
    @property
    def size(self) -> Any:
        """The number of elements.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').size
        32
        """
    @property
    def cosize(self) -> Any:
        """The length of the smallest interval that holds 0 and all offsets.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').cosize
        32
        """
    @property
    def rank(self) -> int:
        """The number of modes.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').rank
        2
        """
    @property
    def depth(self) -> int:
        """How deep the nesting goes.

        >>> bitstride.ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)').depth
        1
        """
    def __len__(self) -> int: ...
    def __call__(self, *coordinate: Any) -> Any: ...

@final
class Tiler(Value):
    """A tiler: one part a mode, `Tiler("<3:4, 8:2>")`; a tuple of layouts, integers and None is one too."""
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, tiler: Any, /) -> Tiler: ...
    @property
    def modes(self) -> tuple[Any, ...]:
        """What each mode is tiled by: a layout, an integer, None, or a tiler.

        >>> bitstride.Tiler('<3:4, 8:2>').modes
        (Layout('3:4'), Layout('8:2'))
        """

@final
class LinearLayout(Value):
    """A linear layout over F2: a map between named dims whose bits are xored, in Triton's notation.

    `LinearLayout("linear<{lane=[[1],[2]]}, out=[dim0:4]>")`, or `LinearLayout(bases, out_dims)` with the images of the bits of
    each in dim: `LinearLayout({"lane": [[1], [2]]}, {"dim0": 4})`.
    """
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, bases: Any, out_dims: Any = None) -> LinearLayout: ...
    @property
    def bases(self) -> dict[str, list[list[int]]]:
        """The images of the bits of each in dim, as a dict in order.

        >>> bitstride.LinearLayout('linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>').bases
        {'register': [[1]], 'lane': [[2], [4]]}
        """
    @property
    def in_dims(self) -> dict[str, int]:
        """The sizes of the in dims by name, in order.

        >>> bitstride.LinearLayout('linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>').in_dims
        {'register': 2, 'lane': 4}
        """
    @property
    def out_dims(self) -> dict[str, int]:
        """The sizes of the out dims by name, in order.

        >>> bitstride.LinearLayout('linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>').out_dims
        {'dim0': 8}
        """
    @property
    def rank(self) -> int:
        """The dimension of the image over F2.

        >>> bitstride.LinearLayout('linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>').rank
        3
        """
    def __call__(self, place: dict[str, Any] | None = None, /, **named: Any) -> dict[str, Any]: ...
    def apply(self, place: dict[str, Any]) -> dict[str, Any]:
        """Where a place leads: `L.apply({"lane": 3, "register": 1})`; of arrays, each out dim is an array.

        >>> bitstride.LinearLayout('linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>').apply({'register': 1, 'lane': 2})
        {'dim0': 5}
        """
    def table(self) -> Any:
        """All images in the order of the places, the first in dim the fastest: an array with a row a place and a column an out dim.

        >>> bitstride.LinearLayout('linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>').table()
        array([[0],
               [1],
               [2],
               [3],
               [4],
               [5],
               [6],
               [7]])
        """
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __matmul__(self, inner: Any, /) -> Any: ...
    def __rmatmul__(self, outer: Any, /) -> Any: ...
    def compose(self, other: Any) -> LinearLayout:
        """other after self: x -> other(self(x)), as Triton names it.

        >>> bitstride.LinearLayout('identity_1d(4, lane, dim0)').compose('strided_1d(4, 2, dim0, offset)')
        LinearLayout('linear<{lane=[[2],[4]]}, out=[offset:8]>')
        """
    def invert(self) -> LinearLayout:
        """The inverse.

        >>> bitstride.LinearLayout('linear<{lane=[[3],[1]]}, out=[dim0:4]>').invert()
        LinearLayout('linear<{dim0=[[2],[3]]}, out=[lane:4]>')
        """
    def pseudoinvert(self) -> LinearLayout:
        """A right inverse: for each element its place with the earliest bits.

        >>> bitstride.LinearLayout('linear<{lane=[[1],[0],[3]]}, out=[dim0:4]>').pseudoinvert()
        LinearLayout('linear<{dim0=[[1],[5]]}, out=[lane:8]>')
        """
    def invert_and_compose(self, other: Any) -> LinearLayout:
        """The C with self(x) = other(C(x)).

        >>> bitstride.LinearLayout('identity_1d(4, lane, dim0)').invert_and_compose('linear<{offset=[[2],[1]]}, out=[dim0:4]>')
        LinearLayout('linear<{lane=[[2],[1]]}, out=[offset:4]>')
        """
    def minimal_cvt(self, other: Any) -> LinearLayout:
        """What a conversion to another layout moves.

        >>> bitstride.LinearLayout('linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>').minimal_cvt('linear<{register=[[2]], lane=[[1]]}, out=[dim0:4]>')
        LinearLayout('linear<{register=[[0,1]], lane=[[1,0]]}, out=[register:2, lane:2]>')
        """
    def tensor_view(self) -> str:
        """Triton's table of the tensor: for each element the places that hold it.

        >>> bitstride.LinearLayout('tensor<2x2xf16, #ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[2,2], warpsPerCTA=[1,1], order=[1,0]}>>').tensor_view()
        '[[T0:0, T1:0]\\n[ T2:0, T3:0]]\\n'
        """
    def hardware_view(self) -> str:
        """Triton's table of the hardware: for each place the element that it holds.

        >>> bitstride.LinearLayout('tensor<2x2xf16, #ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[2,2], warpsPerCTA=[1,1], order=[1,0]}>>').hardware_view()
        'Warp0:\\n(0,0), (0,1), (1,0), (1,1)\\n'
        """

class Encoding(Value):
    """An encoding of Triton: with a shape it is a linear layout. `Encoding("#ttg.blocked<{...}>")`; bitstride.triton has a class
    for each kind.
    """
    def __new__(cls, text: Any, /) -> Any: ...
    @property
    def name(self) -> str:
        """The name of the kind with its dialect, such as "ttg.blocked".

        >>> bitstride.Encoding('#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>').name
        'ttg.swizzled_shared'
        """
    @property
    def fields(self) -> dict[str, Any]:
        """The parameters under Triton's names.

        >>> bitstride.Encoding('#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>').fields
        {'vec': 1, 'perPhase': 1, 'maxPhase': 4, 'order': [1, 0]}
        """
    def checked(self) -> Self:
        """Refuses parameters with which no shape has a layout, such as an order that is no permutation; else the encoding itself.

        >>> bitstride.Encoding('#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>').checked()
        Encoding('#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>')
        """
    def to_linear(self, shape: Any) -> LinearLayout:
        """The linear layout for a shape.

        >>> bitstride.Encoding('#ttg.blocked<{sizePerThread=[1,2], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>').to_linear((16, 16))
        LinearLayout('linear<{register=[[0,1],[8,0]], lane=[[0,2],[0,4],[0,8],[1,0],[2,0]], warp=[[4,0]], block=[]}, out=[dim0:16, dim1:16]>')
        """

@final
class Shape(Value):
    """A shape of XLA with its layout: `Shape("f32[3,5]{1,0:T(2,2)}")`. Elements are numbered row-major."""
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, text: Any, /) -> Shape: ...
    @property
    def element_type(self) -> str:
        """The type of an element, such as "f32".

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').element_type
        'bf16'
        """
    @property
    def shape(self) -> tuple[int | None, ...]:
        """The extents of the dims; the bound of a bounded one, None for an unknown one.

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').shape
        (5, 130)
        """
    @property
    def minor_to_major(self) -> tuple[int, ...]:
        """The dims from the fastest to the slowest.

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').minor_to_major
        (1, 0)
        """
    @property
    def tiles(self) -> tuple[tuple[int | str, ...], ...]:
        """The tiles, each a tuple of extents; "*" combines a dim with the next.

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').tiles
        ((8, 128), (2, 1))
        """
    @property
    def element_bits(self) -> int:
        """The bits of an element in memory.

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').element_bits
        16
        """
    @property
    def byte_size(self) -> int:
        """The bytes that the array takes with its padding.

        >>> bitstride.xla.Shape('bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}').byte_size
        4294967296
        """
    @property
    def size(self) -> int:
        """The number of elements.

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').size
        650
        """
    @property
    def rank(self) -> int:
        """The number of dims.

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').rank
        2
        """
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def contains(self, offsets: Any) -> Any:
        """Whether offsets are reached: of an integer true or false, of an array one answer for each entry.

        >>> bitstride.xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}').contains(4)
        True
        """
    def __contains__(self, offset: SupportsIndex, /) -> bool: ...
    def offsets(self) -> Any:
        """The offsets of all elements in row-major order, as an array of 64-bit integers."""
    def padding(self) -> str:
        """What the padding costs, in words.

        >>> bitstride.xla.Shape('s32[8388608,8,4]{2,1,0:T(8,128)}').padding()
        '268435456 elements in 8589934592 places: 32.00 GiB, unpadded 1.00 GiB (32.00 times); dim 2 has 4 and could have 128 for free; in the order {0,1,2} it would be 1.00 GiB'
        """
    def __call__(self, *index: Any) -> Any: ...

@final
class BareLayout(Value):
    """A layout of XLA or JAX without its array: `BareLayout("{1,0:T(8,128)}")`."""
    def __new__(cls, text: Any, /) -> BareLayout: ...

@final
class Map(Value):
    """A layout of any family as one function between named axes. `Map(x)` of any layout, or of the text of a map."""
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, layout: Any, /) -> Map: ...
    @property
    def domain(self) -> tuple[tuple[str, int, str], ...]:
        """The axes that it takes: name, extent and unit.

        >>> bitstride.Map('(2,3):(3,1)').domain
        (('dim0', 2, 'index'), ('dim1', 3, 'index'))
        """
    @property
    def codomain(self) -> tuple[tuple[str, int, str], ...]:
        """The axes that it leads to: name, extent and unit.

        >>> bitstride.Map('(2,3):(3,1)').codomain
        (('offset', 6, 'element'),)
        """
    @property
    def size(self) -> int:
        """The number of points.

        >>> bitstride.Map('(4,(2,4))').size
        32
        """
    @property
    def rank(self) -> int:
        """The number of axes that it takes.

        >>> bitstride.Map('((2,4),(3,5)):((3,6),(1,24))').rank
        2
        """
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def contains(self, offsets: Any) -> Any:
        """Whether offsets are reached: of an integer true or false, of an array one answer for each entry.

        >>> bitstride.Map('(2,3):(3,1)').contains(4)
        True
        """
    def __contains__(self, offset: SupportsIndex, /) -> bool: ...
    def offsets(self) -> Any:
        """The places of all points in the map's own order, as an array of 64-bit integers; refused where a point leads to padding or to
        several numbers.

        >>> bitstride.Map('(2,3):(3,1)').offsets()
        array([0, 3, 1, 4, 2, 5])
        """
    def __call__(self, *coordinate: Any) -> Any: ...
    def __matmul__(self, inner: Any, /) -> Any: ...
    def __rmatmul__(self, outer: Any, /) -> Any: ...

@final
class AffineMap(Value):
    """An affine map of MLIR: `AffineMap("affine_map<(d0, d1) -> (d0 * 8 + d1)>")`."""
    def __new__(cls, text: Any, /) -> AffineMap: ...

@final
class Verdict(Value):
    """Whether two layouts are the same; true where they are. It says how that is known, or what differs first."""
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, text: Any, /) -> Verdict: ...
    def __bool__(self) -> bool: ...
    @property
    def alignment(self) -> str:
        """Which axes were compared with which, and in what unit places are counted.

        >>> bitstride.diff('(2,3):(3,1)', '(2,3):(1,2)').alignment
        'dim0:2, dim1:3; offsets in elements'
        """
    @property
    def certificate(self) -> str | None:
        """How a positive answer is known.

        >>> bitstride.diff('(2,3):(3,1)', '(2,3):(1,2)').certificate
        'decided by 2 digits'
        """
    @property
    def difference(self) -> dict[str, Any] | None:
        """The first difference: a dict with the point and the two places, or with words; None where nothing differs.

        >>> bitstride.diff('(2,3):(3,1)', '(2,3):(1,2)').difference
        {'point': (1, 0), 'places': ((3,), (1,))}
        """
    @property
    def differing(self) -> tuple[int, int] | None:
        """How many points differ, and of how many, where that was counted (by `diff`).

        >>> bitstride.diff('(2,3):(3,1)', '(2,3):(1,2)').differing
        (4, 6)
        """

@final
class Sharding(Value):
    """A tensor over devices, as XLA, JAX, Shardy or PyTorch says it.

    `Sharding("shard(f32[8,6], P('a', None), mesh(a=2,b=4))")`; `convert("dtensor")` writes it in another notation.
    """
    def __new__(cls, text: Any, /) -> Sharding: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the tensor.

        >>> bitstride.Sharding("shard(f32[8,6], P('a', None), mesh(a=2))").shape
        (8, 6)
        """
    @property
    def devices(self) -> int | None:
        """How many devices there are; None where the text does not say it.

        >>> bitstride.Sharding("shard(f32[8,6], P('a', None), mesh(a=2))").devices
        2
        """

@final
class Symbol(Value):
    """An integer that is not known: `Symbol("M")`, `Symbol("M", div=8)`, or a text such as "4*M", "5?" or "?{div=8}"."""
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, name: Any, /, div: SupportsIndex = 1) -> Symbol: ...
    @property
    def names(self) -> dict[str, int]:
        """The names in it, each with its declared divisor.

        >>> bitstride.Symbol('N').names
        {'N': 1}
        """
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __floordiv__(self, other: Any, /) -> Any: ...
    def __rfloordiv__(self, other: Any, /) -> Any: ...
    def __mod__(self, other: Any, /) -> Any: ...
    def __rmod__(self, other: Any, /) -> Any: ...

@final
class Basis(Value):
    """A scaled basis vector, the stride of a layout into coordinates: `Basis("2@0")`."""
    def __new__(cls, text: str, /) -> Basis: ...
    @property
    def coordinate(self) -> tuple[Any, ...]:
        """The coordinate that it is, a nested tuple.

        >>> bitstride.Basis('2@0').coordinate
        (2,)
        """

@final
class Instruction(Value):
    """A matrix or copy instruction of CuTe, copies of one over threads and a tile, or one thread's part of them.

    `Instruction("atom(SM80_16x8x16_F32F16F16F32_TN)")`. `x["A"]` is a part by its name, and `x.parts` the names.
    """
    __match_args__: ClassVar[tuple[str, ...]]
    def __new__(cls, text: Any, /) -> Instruction: ...
    @property
    def parts(self) -> list[str]:
        """The names of the parts, the layouts first.

        >>> bitstride.atom('SM80_16x8x16_F32F16F16F32_TN').parts
        ['A', 'B', 'C', 'ThrID', 'Shape_MNK', 'bits']
        """
    def __getitem__(self, part: str, /) -> Any: ...
    def __contains__(self, part: str, /) -> bool: ...

@final
class Step:
    """One step: a rule in words, and an expression that computes what it says."""
    def __new__(cls, rule: str, expression: str, value: Any) -> Step: ...
    def __reduce__(self) -> Any: ...
    def _repr_html_(self) -> str:
        """The rule and its expression, for notebooks."""
    @property
    def rule(self) -> str:
        """The rule in plain words, with its numbers.

        >>> bitstride.explain('complement(4:2, 24)').steps[0].rule
        '4:2 steps by 2, but only 1 place is taken below: 2/1 = 2 copies fit there, 2:1.'
        """
    @property
    def expression(self) -> str:
        """The same as an expression.

        >>> bitstride.explain('complement(4:2, 24)').steps[0].expression
        'div(2, 1)'
        """
    @property
    def value(self) -> Any:
        """What the expression evaluates to.

        >>> bitstride.explain('complement(4:2, 24)').steps[0].value
        2
        """

@final
class DeviceArray:
    """Bytes on a GPU, as one dim of DLPack's: `torch.from_dlpack(x)`, `jax.dlpack.from_dlpack(x)`, `cupy.from_dlpack(x)`."""
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

@final
class DeviceMove:
    """A pair of layouts, for arrays on GPUs. It is read once, and planned and compiled at the first run on a GPU, so that another run
    costs little more than its launch.
    """
    def __new__(cls, source: Any, target: Any, element_bits: int, /) -> DeviceMove: ...
    def run(self, memory: Any, is_flat: bool, stream: int, make: Any = None, /) -> Any:
        """The memory of an array on a GPU as memory of the same GPU, moved on a stream.

        As `relayout`, for arrays of `__dlpack__` whose device is one of CUDA. `make` takes the bytes of the result and whether each of
        them is of an element; the stream is then the current one of the array's package, and all is done in its order. Without
        `make`, the result is a `DeviceArray`, and all is done when the call returns.
        """

@final
class RepackPlan:
    """How arrays of given names, types and extents become those of another format. It is made once, and run on any such arrays."""
    def __new__(
        cls,
        arrays: Sequence[tuple[str, str, Sequence[int], int]],
        formats: tuple[str, str],
        shape: str | None,
        chosen: tuple[Sequence[str], Sequence[str]],
        definitions: str | None,
        /,
    ) -> RepackPlan: ...
    @property
    def made(self) -> list[str]:
        """The names of the tensors that are made."""
    def run(self, arrays: list[Any], make: Any, /) -> list[tuple[str, str, list[int], Any, int | None]]:
        """The tensors that are made of arrays. `make` takes the name of one, its type, its extents and a number of bytes, and gives
        an array of these with DLPack.
        """

@final
class Explanation:
    """Why an expression has its value, or has none."""
    def __reduce__(self) -> Any:
        """An explanation is made again from its expression."""
    def to_json(self) -> str:
        """The explanation as JSON, in the form that `bitstride explain --json` prints."""
    @property
    def expression(self) -> str:
        """The expression in canonical text.

        >>> bitstride.explain('complement(4:2, 24)').expression
        'complement(4:2, 24)'
        """
    @property
    def value(self) -> Any:
        """The value; None where there is none.

        >>> bitstride.explain('complement(4:2, 24)').value
        Layout('(2,3):(1,8)')
        """
    @property
    def error(self) -> Any:
        """The refusal; None where there is a value."""
    @property
    def notes(self) -> list[str]:
        """Notes on the value.

        >>> bitstride.explain('complement(4:2, 24)').notes
        []
        """
    @property
    def properties(self) -> Mapping[str, str]:
        """The properties of the value by name, as texts.

        >>> bitstride.explain('complement(4:2, 24)').properties
        {'shape': '(2,3)', 'stride': '(1,8)', 'size': '6', 'rank': '2', 'depth': '1', 'coshape': '18', 'cosize': '18', 'injective': 'yes'}
        """
    @property
    def assumptions(self) -> list[str]:
        """What integers that are not known mean for the answer.

        >>> bitstride.explain('complement(4:2, 24)').assumptions
        []
        """
    @property
    def steps(self) -> list[Step]:
        """The steps in order, those of inner calls first.

        >>> bitstride.explain('complement(4:2, 24)').steps
        [Step(div(2, 1) = 2), Step(ceil_div(24, 8) = 3), Step(coalesce(make_layout(2:1, 3:8)) = (2,3):(1,8))]
        """
    def _repr_html_(self) -> str:
        """The steps of each operation, folded."""

@final
class Picture:
    """A picture of layouts: text for a terminal, SVG for a page."""
    def __new__(cls, text: str, svg: str) -> Picture: ...
    def __reduce__(self) -> Any: ...
    @property
    def text(self) -> str:
        """The picture as text.

        >>> bitstride.show('(2,2):(2,1)').text
        '(2,2):(2,1)\\n\\n    0   1\\n  ┌───┬───┐\\n0 │ 0 │ 1 │\\n  ├───┼───┤\\n1 │ 2 │ 3 │\\n  └───┴───┘'
        """
    @property
    def svg(self) -> str:
        """The picture as SVG."""
    def save(self, path: str | PathLike[str], /) -> None:
        """Writes the picture as an SVG file."""
    def _repr_svg_(self) -> str:
        """The picture as SVG, for notebooks."""
    def _repr_html_(self) -> str:
        """The picture as a part of a page."""
