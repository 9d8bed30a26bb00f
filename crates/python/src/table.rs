//! Many offsets at once: tables and arrays of coordinates.
//!
//! Arrays are NumPy's where NumPy is there, else memory views; integers have 64 bits. Law: each entry is what the call for
//! that coordinate alone gives; an entry that has no answer refuses the whole.

use bitstride::cute::Function;
use bitstride::linear::{LinearLayout, Name};
use bitstride::map::{Expression, Map, Table};
use bitstride::{Code, Error, Int, Integer, StaticLayout, StrideLeaf, Tuple, error};
use bitstride_lang::{Value as Of, fitted};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString, PyTuple};

use crate::answer::object;
use crate::call::{apply, apply_to};
use crate::error::{about, raised};
use crate::operand::integer;
use crate::static_layout::row_offset;
use crate::value::Value;

/// Work on this many entries takes about 10 microseconds, above which other Python threads may run.
const LONG_WORK: usize = 8192;

/// More entries than this take more than 32 GiB.
const MAX_ENTRIES: usize = 1 << 32;

/// The bytes of an entry.
const ENTRY: usize = 8;

/// What a value leads to at a coordinate: an offset, a slice, or an array of offsets.
pub(crate) fn at(value: &Bound<'_, Value>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let py = value.py();
    for argument in coordinate.iter() {
        if rank(&argument)?.is_some_and(|rank| rank > 0) {
            return many(value, coordinate);
        }
    }
    let whole = match coordinate.len() {
        1 => coordinate.get_item(0)?,
        _ => coordinate.clone().into_any(),
    };
    if !matches!(value.get().held.kind(), "layout" | "swizzle" | "composed") {
        return apply_to("at", value, &[&whole]);
    }
    if is_free(&crate::operand::operand(&whole)?) {
        return apply_to("slice", value, &[&whole]);
    }
    apply(py, "crd2idx", &[whole, value.as_any().clone()], None)
}

/// Whether a coordinate leaves a mode free.
fn is_free(coordinate: &Of) -> bool {
    match coordinate {
        Of::Tuple(tuple) => tuple.leaves().iter().any(|leaf| matches!(leaf, bitstride_lang::Entry::Keep)),
        _ => false,
    }
}

/// Lets other Python threads run, and an interrupt stop the work, after every [`LONG_WORK`] objects that are made.
pub(crate) fn let_others_run(py: Python<'_>, made: usize) -> PyResult<()> {
    if made % LONG_WORK == LONG_WORK - 1 {
        py.detach(std::thread::yield_now);
        py.check_signals()?;
    }
    Ok(())
}

/// The number of dims of an array; nothing for what is none.
pub(crate) fn rank(object: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if object.is_instance_of::<pyo3::types::PyInt>() || object.is_none() || object.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    object.getattr_opt("ndim")?.map(|rank| rank.extract()).transpose()
}

/// Integers read from an array, in row-major order, and its shape.
pub(crate) struct Read {
    pub(crate) entries: Vec<i64>,
    pub(crate) shape: Vec<usize>,
}

impl Read {
    pub(crate) fn of(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let numpy = py.import("numpy")?;
        let array = numpy.call_method1("asarray", (array,))?;
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        if kind != "i" && kind != "u" {
            return Err(PyTypeError::new_err(format!(
                "an array of integers is needed, not of {}",
                array.getattr("dtype")?
            )));
        }
        let wide = PyDict::new(py);
        wide.set_item("casting", "safe")?;
        wide.set_item("order", "C")?;
        let array = if array.getattr("dtype")?.getattr("str")?.extract::<String>()?.ends_with("u8") {
            // Beyond 63 bits nothing is an index.
            let largest =
                if array.getattr("size")?.extract::<usize>()? > 0 { array.call_method0("max")? } else { array.clone() };
            if largest.getattr("ndim")?.extract::<usize>()? == 0 {
                integer(&largest)?;
            }
            array.call_method1("astype", ("int64",))?
        } else {
            array.call_method("astype", ("int64",), Some(&wide))?
        };
        let bytes = array.call_method0("tobytes")?;
        let bytes = bytes.cast::<PyBytes>()?.as_bytes();
        let (entries, _) = bytes.as_chunks::<ENTRY>();
        Ok(Read {
            entries: entries.iter().map(|entry| i64::from_ne_bytes(*entry)).collect(),
            shape: array.getattr("shape")?.extract()?,
        })
    }
}

/// The offsets of arrays: one array of flat indices, one of coordinates (a row each), or an array for each mode.
fn many(value: &Bound<'_, Value>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let py = value.py();
    let held = value.get().to_value();
    if coordinate.len() > 1 {
        let numpy = py.import("numpy")?;
        let arrays = numpy.getattr("broadcast_arrays")?.call1(coordinate)?;
        let shape: Vec<usize> = arrays.get_item(0)?.getattr("shape")?.extract()?;
        let arrays = arrays.try_iter()?.map(|array| Read::of(&array?)).collect::<PyResult<Vec<_>>>()?;
        let count = arrays.first().map_or(0, |first| first.entries.len());
        let rows = (0..count).flat_map(|at| arrays.iter().filter_map(move |array| array.entries.get(at).copied()));
        let rows: Vec<i64> = rows.collect();
        return array(py, &offsets_of(py, &held, &rows, arrays.len())?, &shape);
    }
    let read = Read::of(&coordinate.get_item(0)?)?;
    match read.shape.as_slice() {
        [count] => array(py, &offsets_of(py, &held, &read.entries, 1)?, &[*count]),
        [count, modes] => array(py, &offsets_of(py, &held, &read.entries, *modes)?, &[*count]),
        shape => {
            let message = format!(
                "an array of {} dims is ambiguous: give flat indices (n,), coordinates (n, rank), or an array for each mode",
                shape.len()
            );
            Err(PyTypeError::new_err(message))
        }
    }
}

/// The offset of each row of `modes` integers: a flat index where it is 1, else an integer for each mode.
fn offsets_of(py: Python<'_>, value: &Of, rows: &[i64], modes: usize) -> PyResult<Vec<i64>> {
    let work = || -> Result<Vec<i64>, Error> {
        let at = Evaluator::of(value, modes)?;
        if modes == 0 {
            return Err(Error::new(Code::RankMismatch, "a coordinate has an integer for each mode"));
        }
        rows.chunks_exact(modes).map(|row| at.row(row)).collect()
    };
    let found = if rows.len() > LONG_WORK { py.detach(work) } else { work() };
    found.map_err(|error| raised(py, &error))
}

/// What gives one offset after another.
enum Evaluator {
    /// A layout of plain integers, from an offset on.
    Layout(StaticLayout, i64),
    /// A function of coordinates.
    Function(Box<Function>),
    /// A map with a single place axis.
    Map(Box<Map>),
}

impl Evaluator {
    /// For coordinates with this number of integers; a single one is the number of a point.
    fn of(value: &Of, modes: usize) -> Result<Self, Error> {
        let function = match value {
            Of::Layout(_) | Of::Offset(_) | Of::Function(_) => value.as_function()?,
            value => {
                let map = value.as_map()?;
                let map = if modes == 1 && map.domain().len() != 1 { numbered(&map)? } else { map };
                return Ok(Evaluator::Map(Box::new(map)));
            }
        };
        let slice = value.as_slice().ok();
        let plain = slice.and_then(|slice| Some((slice.layout.to_static()?, slice.offset.as_integer()?.fixed()?)));
        Ok(plain.map_or_else(
            || Evaluator::Function(Box::new(function)),
            |(layout, offset)| Evaluator::Layout(layout, offset),
        ))
    }

    fn row(&self, row: &[i64]) -> Result<i64, Error> {
        match self {
            Evaluator::Layout(layout, start) => {
                let offset = match row {
                    [index] => layout.offset(index)?,
                    row => row_offset(layout, row)?,
                };
                offset.checked_add(*start).ok_or_else(|| Error::overflow("an offset"))
            }
            Evaluator::Function(function) => {
                let leaves: Vec<Int> = row.iter().copied().map(Int::from).collect();
                let at = match leaves.as_slice() {
                    [index] => Tuple::leaf(index.clone()),
                    leaves => Tuple::flat(leaves),
                };
                let offset = function.offset_at(&at)?;
                offset.as_integer().map_or_else(|| Err(no_number(&offset)), Int::as_number)
            }
            Evaluator::Map(map) => match map.at(row)?.as_deref() {
                Some([place]) => Ok(*place),
                Some(places) => Err(error!(
                    Code::Kind,
                    "{row:?} leads to {places_count} numbers, not one",
                    [row, places_count = places.len()]
                )),
                None => Err(error!(Code::Range, "{row:?} leads to padding", [row])),
            },
        }
    }
}

fn no_number(offset: &impl std::fmt::Display) -> Error {
    error!(Code::Kind, "{offset} is a coordinate, and an array of integers is made here", [offset])
}

/// All offsets of a layout in the order of the flat index.
pub(crate) fn offsets(value: &Bound<'_, Value>) -> PyResult<Py<PyAny>> {
    let py = value.py();
    let held = value.get().to_value();
    let refused = |error: Error| raised(py, &error);
    if matches!(held, Of::Map(_) | Of::Xla(_)) {
        let map = held.as_map().and_then(|map| numbered(&map)).map_err(refused)?;
        return map_offsets(py, map);
    }
    let (domain, tail) = parts(&held).map_err(refused)?;
    let (layout, start) = domain;
    check_reach(&layout, start).map_err(refused)?;
    let (size, bytes) = layout.size().and_then(entries).map_err(refused)?;
    // The memory is Python's own, so that entries are written once; nobody else sees it while other threads run.
    let memory = PyByteArray::new_with(py, bytes, |memory| {
        let mut work = || {
            fill(&layout, start, memory);
            through(tail.as_deref(), memory)
        };
        let done = if size > LONG_WORK { py.detach(work) } else { work() };
        done.map_err(refused)
    })?;
    view(py, memory, &[size])
}

/// A number of entries, and the bytes that they take.
fn entries(size: i64) -> Result<(usize, usize), Error> {
    let count = bitstride::cast::index(size)?;
    let bytes = count.checked_mul(ENTRY).filter(|_| count <= MAX_ENTRIES);
    let too_large =
        || error!(Code::TooLarge, "{size} offsets are more than {max_entries}", [size, max_entries = MAX_ENTRIES]);
    bytes.map(|bytes| (count, bytes)).ok_or_else(too_large)
}

/// A map from the numbers of its points, in its own order.
fn numbered(map: &Map) -> Result<Map, Error> {
    map.flattened(map.domain_order())
}

/// The places of all points of a map from numbers.
fn map_offsets(py: Python<'_>, map: Map) -> PyResult<Py<PyAny>> {
    let refused = |error: Error| raised(py, &error);
    let size = map.size().map_err(refused)?;
    let (count, bytes) = entries(size).map_err(refused)?;
    let at = Evaluator::Map(Box::new(map));
    let memory = PyByteArray::new_with(py, bytes, |memory| {
        let mut work = || -> Result<(), Error> {
            let (places, _) = memory.as_chunks_mut::<ENTRY>();
            for (number, place) in (0..size).zip(places) {
                *place = at.row(&[number])?.to_ne_bytes();
            }
            Ok(())
        };
        let done = if count > LONG_WORK { py.detach(work) } else { work() };
        done.map_err(refused)
    })?;
    view(py, memory, &[count])
}

/// A layout and its first offset, and the functions after it, the last first.
type Parts = ((StaticLayout, i64), Option<Vec<(Function, i64)>>);

/// The innermost layout with plain integers, and what is applied after it.
fn parts(value: &Of) -> Result<Parts, Error> {
    let mut function = value.as_function()?;
    let mut tail = Vec::new();
    while let Function::Composed(composed) = function {
        tail.push((composed.outer, composed.offset.as_number()?));
        function = composed.inner;
    }
    let slice = Of::from(function).as_slice()?;
    let settle = |n: &Int| n.as_number();
    let stride = |d: &bitstride::Stride| d.as_integer().map_or_else(|| Err(no_number(d)), Int::as_number);
    let layout = StaticLayout::new(slice.layout.shape().try_map(settle)?, slice.layout.stride().try_map(stride)?)?;
    let start = stride(&slice.offset)?;
    Ok(((layout, start), (!tail.is_empty()).then_some(tail)))
}

/// Refuses a layout with offsets beyond 64 bits, so that sums of some of its steps need no check.
fn check_reach(layout: &StaticLayout, start: i64) -> Result<(), Error> {
    let (mut low, mut high) = (i128::from(start), i128::from(start));
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        let reach = i128::from(extent.saturating_sub(1).max(0)) * i128::from(*stride);
        low = low.saturating_add(reach.min(0));
        high = high.saturating_add(reach.max(0));
    }
    match (i64::try_from(low), i64::try_from(high)) {
        (Ok(_), Ok(_)) => Ok(()),
        _ => Err(Error::overflow("an offset")),
    }
}

/// Writes the offsets of a layout: each mode repeats what is there, moved by its stride.
fn fill(layout: &StaticLayout, start: i64, memory: &mut [u8]) {
    let Some(first) = memory.first_chunk_mut::<ENTRY>() else { return };
    *first = start.to_ne_bytes();
    let mut filled = ENTRY;
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        let block = filled;
        let mut moved = 0i64;
        for _ in 1..*extent {
            moved = moved.wrapping_add(*stride);
            let Some((done, rest)) = memory.split_at_mut_checked(filled) else { return };
            let (source, _) = done.get(..block).unwrap_or_default().as_chunks::<ENTRY>();
            let (target, _) = rest.as_chunks_mut::<ENTRY>();
            for (from, to) in source.iter().zip(target) {
                *to = i64::from_ne_bytes(*from).wrapping_add(moved).to_ne_bytes();
            }
            filled += block;
        }
    }
}

/// Applies functions to all entries, the last of the list first.
fn through(tail: Option<&[(Function, i64)]>, memory: &mut [u8]) -> Result<(), Error> {
    let (entries, _) = memory.as_chunks_mut::<ENTRY>();
    for (outer, offset) in tail.into_iter().flatten().rev() {
        for entry in entries.iter_mut() {
            let index = i64::from_ne_bytes(*entry).checked_add(*offset).ok_or_else(|| Error::overflow("an offset"))?;
            let place = match outer {
                Function::Swizzle(swizzle) => swizzle.apply(index),
                Function::Bytes(bytes) => bytes.apply(index)?,
                function => {
                    let place = function.offset_at(&Tuple::leaf(Int::from(index)))?;
                    place.as_integer().map_or_else(|| Err(no_number(&place)), Int::as_number)?
                }
            };
            *entry = place.to_ne_bytes();
        }
    }
    Ok(())
}

/// All images of a linear layout, a row for each place.
pub(crate) fn linear(py: Python<'_>, layout: &LinearLayout) -> PyResult<Py<PyAny>> {
    let refused = || raised(py, &error!(Code::TooLarge, "2^{in_bits} places", [in_bits = layout.in_bits()]));
    let count = 1usize.checked_shl(layout.in_bits()).filter(|count| *count <= 1 << 28).ok_or_else(refused)?;
    let columns = layout.outs().len();
    let work = || {
        let mut images = Vec::new();
        images.try_reserve_exact(count.checked_mul(columns)?).ok()?;
        for place in 0..count {
            images.extend_from_slice(&layout.unpack(layout.apply_packed(u64::try_from(place).ok()?)));
        }
        Some(images)
    };
    let images = if count > LONG_WORK { py.detach(work) } else { work() };
    array(py, &images.ok_or_else(refused)?, &[count, columns])
}

/// The images of arrays of places, which are broadcast to one shape: an array for each out dim.
pub(crate) fn linear_at(layout: &LinearLayout, place: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
    let py = place.py();
    let refused = |error: Error| raised(py, &error);
    let names = place.keys().iter().map(|name| Name::new(name.extract()?).map_err(refused));
    let names = names.collect::<PyResult<Vec<Name>>>()?;
    // Of no places at all the names are checked all the same.
    layout.apply(&names.iter().map(|name| (*name, 0)).collect::<Vec<_>>()).map_err(refused)?;
    let numpy = py.import("numpy")?;
    let arrays = numpy.getattr("broadcast_arrays")?.call1(PyTuple::new(py, place.values())?)?;
    let arrays = arrays.try_iter()?.map(|array| Read::of(&array?)).collect::<PyResult<Vec<_>>>()?;
    let shape = arrays.first().map_or(Vec::new(), |first| first.shape.clone());
    let count = arrays.first().map_or(0, |first| first.entries.len());
    let work = || -> Result<Vec<Vec<i64>>, Error> {
        let mut images: Vec<Vec<i64>> = vec![Vec::with_capacity(count); layout.outs().len()];
        for number in 0..count {
            let digits = arrays.iter().filter_map(|array| array.entries.get(number).copied());
            let at: Vec<(Name, i64)> = names.iter().copied().zip(digits).collect();
            for (images, (_, image)) in images.iter_mut().zip(layout.apply(&at)?) {
                images.push(image);
            }
        }
        Ok(images)
    };
    let images = py.detach(work).map_err(refused)?;
    let answer = PyDict::new(py);
    for (dim, images) in layout.outs().iter().zip(&images) {
        answer.set_item(dim.name.as_str(), array(py, images, &shape)?)?;
    }
    Ok(answer.into_any().unbind())
}

/// Integers as an array of a shape.
fn array(py: Python<'_>, entries: &[i64], shape: &[usize]) -> PyResult<Py<PyAny>> {
    let bytes = entries.len().saturating_mul(ENTRY);
    let memory = PyByteArray::new_with(py, bytes, |memory| {
        let (places, _) = memory.as_chunks_mut::<ENTRY>();
        for (place, entry) in places.iter_mut().zip(entries) {
            *place = entry.to_ne_bytes();
        }
        Ok(())
    })?;
    view(py, memory, shape)
}

/// Memory as an array of NumPy, or as a view of 64-bit integers where there is no NumPy.
fn view(py: Python<'_>, memory: Bound<'_, PyByteArray>, shape: &[usize]) -> PyResult<Py<PyAny>> {
    let Ok(numpy) = py.import("numpy") else {
        let view = py.import("builtins")?.getattr("memoryview")?.call1((memory,))?;
        return view
            .call_method1("cast", ("q", PyTuple::new(py, shape)?))
            .or_else(|_| view.call_method1("cast", ("q",)))
            .map(Bound::unbind);
    };
    let flat = numpy.call_method1("frombuffer", (memory, "int64"))?;
    match shape {
        [_] => Ok(flat.unbind()),
        shape => flat.call_method1("reshape", (PyTuple::new(py, shape)?,)).map(Bound::unbind),
    }
}

/// The layout that an array of offsets is: entry (i, j, ...) is the offset of the coordinate (i, j, ...). Of a text, that of an
/// index expression such as `row<8, col<64: row*64 + col`.
#[pyfunction]
#[pyo3(signature = (array, /))]
pub(crate) fn fit_table(array: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = array.py();
    if let Ok(text) = array.cast::<PyString>() {
        let text = text.to_str()?;
        let answer = text.parse::<Expression>().and_then(|expression| fitted(&expression.fit()?));
        return object(py, answer.map_err(|error| about(py, &error, Some(text)))?);
    }
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (array,))?;
    let extents: Vec<i64> = array.getattr("shape")?.extract()?;
    // A table has its first dim the fastest; arrays are row-major.
    let offsets = Read::of(&array.call_method1("ravel", ("F",))?)?.entries;
    let is_long = offsets.len() > LONG_WORK;
    let work = || fitted(&Table::new(&extents, offsets)?.fit()?);
    let answer = if is_long { py.detach(work) } else { work() };
    object(py, answer.map_err(|error| raised(py, &error))?)
}
