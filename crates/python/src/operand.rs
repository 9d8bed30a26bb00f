//! Values of Python objects.
//!
//! | object | value |
//! |---|---|
//! | a value of the package | itself |
//! | `int`, and what has `__index__` and no dims | a static integer |
//! | `None`, `:` | `_` |
//! | `str` | what the text evaluates to; a word, the name of a dim, always so where an operation takes a name |
//! | `tuple`, `list` of integers and `_` | a tuple |
//! | `tuple`, `list` with layouts | a tiler, mode by mode |
//! | an object with `shape` and `stride`, such as a layout of another package, or a tensor of PyTorch | a layout |
//! | a layout of Gluon, or a linear layout of Triton | the encoding, or the linear layout |

use bitstride::cute::Tiler;
use bitstride::linear::Name;
use bitstride::notation::MAX_DEPTH;
use bitstride::{Code, Error, Int, Layout, Leaves, ProfileBuilder, StaticLayout, Stride, Tuple, error};
use bitstride_lang::{Answer, Entry, Kind, evaluate};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PySlice, PyString, PyTuple};

use crate::error::{about, raised};
use crate::value::Value;

/// The value of an object.
pub(crate) fn operand(object: &Bound<'_, PyAny>) -> PyResult<bitstride_lang::Value> {
    nested(object, MAX_DEPTH)
}

fn nested(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<bitstride_lang::Value> {
    if let Ok(value) = object.cast::<Value>() {
        return Ok(value.get().to_value());
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(truth.is_true().into());
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object).map(|n| Int::Static(n).into());
    }
    if object.is_none() || is_whole_slice(object) {
        return Ok(bitstride_lang::Value::Tuple(Tuple::leaf(Entry::Keep)));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return word(object.py(), text.to_str()?);
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(raised(
                object.py(),
                &error!(Code::TooLarge, "tuples nest at most {max_depth} deep", [max_depth = MAX_DEPTH]),
            ));
        };
        return sequence(object, depth);
    }
    other(object, depth)
}

/// The value of an object in the place of a parameter of this kind: there, a text that can name a dim is that name, though it be
/// that of an unknown elsewhere.
pub(crate) fn argument(object: &Bound<'_, PyAny>, kind: Option<Kind>) -> PyResult<bitstride_lang::Value> {
    match kind {
        Some(Kind::Name | Kind::Names) => {}
        _ => return operand(object),
    }
    if let Ok(text) = object.cast::<PyString>() {
        return dim_name(text.to_str()?).map_or_else(|| operand(object), |name| Ok(bitstride_lang::Value::Name(name)));
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let names = object.try_iter()?.map(|entry| argument(&entry?, Some(Kind::Name)));
        return tuple(object.py(), names.collect::<PyResult<_>>()?);
    }
    operand(object)
}

/// A tuple or a list. Nesting recurses through here, so its frame has little but the entries.
#[inline(never)]
fn sequence(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<bitstride_lang::Value> {
    let mut entries = Vec::new();
    for entry in object.try_iter()? {
        entries.push(nested(&entry?, depth)?);
    }
    tuple(object.py(), entries)
}

/// The strides of an object of another package, `None` where it has none: what PyTorch keeps otherwise says 0 of itself.
///
/// # Errors
/// A refusal for such a tensor; as Python raises.
pub(crate) fn strides_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let layout = object.getattr_opt("layout")?.map(|layout| layout.to_string());
    if let Some(kind) = layout.filter(|layout| layout.starts_with("torch.") && layout != "torch.strided") {
        let refused = error!(Code::Kind, "a tensor of {kind} has no strides", [kind]);
        return Err(raised(object.py(), &refused.with_help("make it dense first")));
    }
    match object.getattr_opt("stride")? {
        Some(strides) if strides.is_callable() => strides.call0().map(Some),
        strides => Ok(strides),
    }
}

/// An object of another package.
#[cold]
fn other(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<bitstride_lang::Value> {
    let shape = object.getattr_opt("shape")?;
    // Arrays with dims have `__index__` too, which one of a single element answers with this element.
    if shape.as_ref().is_none_or(|shape| shape.len().is_ok_and(|dims| dims == 0)) && object.hasattr("__index__")? {
        return integer(object).map(|n| Int::Static(n).into());
    }
    if let Some(encoding) = of_triton(object)? {
        return Ok(encoding);
    }
    if let (Some(shape), Some(stride)) = (&shape, strides_of(object)?) {
        let (shape, stride) = (nested(shape, depth)?, nested(&stride, depth)?);
        let layout = shape.as_shape().and_then(|shape| Layout::new(shape, stride.as_strides()?));
        return layout.map(Into::into).map_err(|error| raised(object.py(), &error));
    }
    let mut message =
        format!("a layout, an integer, a tuple, a text or None is needed here, not {}", object.get_type().name()?);
    if shape.is_some() {
        message.push_str("; `Layout.from_array` is the layout of an array");
    }
    Err(PyTypeError::new_err(message))
}

/// An object of Triton, or of what stands in for it: a layout of Gluon, or a linear layout.
fn of_triton(object: &Bound<'_, PyAny>) -> PyResult<Option<bitstride_lang::Value>> {
    let module = object.get_type().module()?;
    let module = module.to_str()?;
    if !["triton.", "bitstride.compat.triton"].iter().any(|package| module.starts_with(package)) {
        return Ok(None);
    }
    let read = object.py().import("bitstride.triton")?.getattr("_of_triton")?.call1((object,))?;
    operand(&read).map(Some)
}

/// What a text says; a word that is no value is the name of a dim, or what it says in quotes.
#[inline(never)]
fn word(py: Python<'_>, text: &str) -> PyResult<bitstride_lang::Value> {
    answer(py, text).map(|answer| answer.value).or_else(|error| {
        let name = text.trim_matches('"');
        match dim_name(name) {
            Some(name) => return Ok(bitstride_lang::Value::Name(name)),
            // Operations have longer names than dims.
            None if bitstride_lang::operation(name).is_some() => {
                return Ok(bitstride_lang::Value::Text(name.to_owned()));
            }
            None => {}
        }
        let quoted = if is_word(name) { answer(py, &format!("\"{name}\"")).ok() } else { None };
        quoted.map(|quoted| quoted.value).ok_or_else(|| about(py, &error, Some(text)))
    })
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The name of a dim that a word is.
fn dim_name(text: &str) -> Option<Name> {
    Name::new(text).ok().filter(|_| is_word(text))
}

fn answer(py: Python<'_>, text: &str) -> Result<Answer, Error> {
    py.detach(|| with_room(is_deep_text(text), || evaluate(text)))
}

/// The answer of a text.
pub(crate) fn read(py: Python<'_>, text: &str) -> PyResult<Answer> {
    answer(py, text).map_err(|error| about(py, &error, Some(text)))
}

/// Far more than the deepest value needs, and only the part that is used takes memory.
const STACK: usize = 64 << 20;

/// Values and texts that nest deeper are worked on by a thread of their own: a thread of Python may have little stack.
const SHALLOW: usize = 8;

/// Whether a text nests deep.
pub(crate) fn is_deep_text(text: &str) -> bool {
    let (mut depth, mut deepest) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest > SHALLOW
}

/// Whether one of these values nests deep.
pub(crate) fn is_deep(values: &[bitstride_lang::Value]) -> bool {
    fn tiler(part: &Tiler, left: usize) -> bool {
        match (part, left.checked_sub(1)) {
            (Tiler::Modes(modes), Some(left)) => modes.iter().any(|mode| tiler(mode, left)),
            (Tiler::Layout(layout), _) => layout.depth() > SHALLOW,
            (Tiler::Modes(_), None) => true,
            _ => false,
        }
    }
    values.iter().any(|value| match value {
        bitstride_lang::Value::Tuple(tuple) => tuple.depth() > SHALLOW,
        bitstride_lang::Value::Layout(layout) => layout.depth() > SHALLOW,
        bitstride_lang::Value::Offset(slice) => slice.layout.depth() > SHALLOW,
        bitstride_lang::Value::Function(function) => function.domain().is_ok_and(|layout| layout.depth() > SHALLOW),
        bitstride_lang::Value::Tiler(part) => tiler(part, SHALLOW),
        bitstride_lang::Value::List(values) => is_deep(values),
        _ => false,
    })
}

/// Does work where there is room for the nesting of what it is about.
pub(crate) fn with_room<T: Send>(is_deep: bool, work: impl FnOnce() -> T + Send) -> T {
    if !is_deep {
        return work();
    }
    // Where no thread can be had, this one does the work.
    let work = std::sync::Mutex::new(Some(work));
    let take = || work.lock().ok().and_then(|mut work| work.take());
    let done = std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || take().map(|work| work())).ok()?;
        match thread.join() {
            Ok(done) => done,
            Err(panicked) => std::panic::resume_unwind(panicked),
        }
    });
    match (done, take()) {
        (Some(done), _) => done,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("the work was taken by a thread that gave no answer"),
    }
}

#[inline(never)]
fn tuple(py: Python<'_>, entries: Vec<bitstride_lang::Value>) -> PyResult<bitstride_lang::Value> {
    use bitstride_lang::Value::{Layout, Offset, Tiler as Modes};
    if !entries.iter().any(|entry| matches!(entry, Layout(_) | Offset(_) | Modes(_))) {
        return Ok(entries.into());
    }
    let modes: Result<Vec<_>, Error> = entries.iter().map(bitstride_lang::Value::as_tiler).collect();
    modes.map(|modes| Modes(Tiler::Modes(modes))).map_err(|error| raised(py, &error))
}

fn is_whole_slice(object: &Bound<'_, PyAny>) -> bool {
    let is_none = |name| object.getattr(name).is_ok_and(|bound| bound.is_none());
    object.is_instance_of::<PySlice>() && ["start", "stop", "step"].into_iter().all(is_none)
}

/// The integer that an object is; beyond 64 bits it is refused.
pub(crate) fn integer(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    object.extract::<i64>().map_err(|error| {
        if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(object.py()) {
            return raised(object.py(), &Error::overflow(&object.to_string()));
        }
        error
    })
}

/// The entries of a tuple of plain integers.
fn flat(tuple: &Bound<'_, PyTuple>) -> Option<Leaves<i64>> {
    let entry = |entry: pyo3::Borrowed<'_, '_, PyAny>| match entry.is_exact_instance_of::<PyInt>() {
        true => entry.extract().ok(),
        false => None,
    };
    tuple.iter_borrowed().map(entry).collect()
}

/// A tuple of plain integers, nested or not, where an object is one.
pub(crate) fn integers(object: &Bound<'_, PyAny>) -> Option<Tuple<i64>> {
    fn walk(
        object: &Bound<'_, PyAny>,
        depth: usize,
        profile: &mut ProfileBuilder,
        leaves: &mut Leaves<i64>,
    ) -> Option<()> {
        if object.is_exact_instance_of::<PyInt>() {
            leaves.push(object.extract().ok()?);
            profile.leaf();
            return Some(());
        }
        let (tuple, depth) = (object.cast_exact::<PyTuple>().ok()?, depth.checked_sub(1)?);
        profile.open();
        for entry in tuple.iter_borrowed() {
            walk(&entry, depth, profile, leaves)?;
        }
        profile.close();
        Some(())
    }
    if object.is_exact_instance_of::<PyInt>() {
        return object.extract().ok().map(Tuple::leaf);
    }
    // Most tuples are flat, and their nesting need not be written down leaf by leaf.
    if let Ok(tuple) = object.cast_exact::<PyTuple>()
        && let Some(flat) = flat(tuple)
    {
        return Some(Tuple::flat(&flat));
    }
    let (mut profile, mut leaves) = (ProfileBuilder::new(), Leaves::new());
    walk(object, MAX_DEPTH, &mut profile, &mut leaves)?;
    Tuple::unflatten(&leaves, &profile.finish()).ok()
}

/// The layout of a shape, and of a stride unless the layout is compact and column-major.
pub(crate) fn layout(shape: &Bound<'_, PyAny>, stride: Option<&Bound<'_, PyAny>>) -> PyResult<bitstride_lang::Value> {
    let refused = |error: Error| raised(shape.py(), &error);
    let value = operand(shape)?;
    let Some(stride) = stride else {
        return value.as_slice().map(Into::into).map_err(refused);
    };
    let stride = operand(stride)?.as_strides().map_err(refused)?;
    value.as_shape().and_then(|shape| Layout::new(shape, stride)).map(Into::into).map_err(refused)
}

/// The same where all integers are plain.
pub(crate) fn static_layout(shape: &Bound<'_, PyAny>, stride: Option<&Bound<'_, PyAny>>) -> Option<StaticLayout> {
    let shape = integers(shape)?;
    match stride {
        None => bitstride::cute::column_major(&shape).ok(),
        Some(stride) => StaticLayout::new(shape, integers(stride)?).ok(),
    }
}

/// An integer or a basis vector of a tuple, as a value.
pub(crate) fn leaf(stride: &Stride) -> bitstride_lang::Value {
    bitstride_lang::Value::Tuple(Tuple::leaf(Entry::Number(stride.clone())))
}
