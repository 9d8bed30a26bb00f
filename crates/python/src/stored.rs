//! Stored layouts of checkpoints: formats by name, checks, repacks of arrays, probes of packers, and the command on files.
//!
//! What is answered is JSON, as the command line prints it; `bitstride._stored` makes objects of it. Law: an array is repacked
//! to the bytes that `bitstride repack` writes for a file of the same tensors.

use std::borrow::Cow;

use bitstride::{Code, Error, error};
use bitstride_formats::{
    Container, Entry, Names, Origin, Outcome, Probe, Request, Rewrite, Spec, Zoo, definition_json, format_json,
    found_json,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value as Json;

use crate::dlpack::{Memory, Output};
use crate::error::raised;

/// The formats that are built in and those of a text.
fn zoo(definitions: Option<&str>) -> Result<Cow<'static, Zoo>, Error> {
    let mut zoo = Cow::Borrowed(Zoo::builtin());
    definitions.map_or(Ok(()), |text| zoo.to_mut().add(text))?;
    Ok(zoo)
}

/// All formats without their parameters, or one with its tensors and fields where no parameter is missing.
#[pyfunction]
#[pyo3(signature = (name, shape, definitions, /))]
pub(crate) fn formats(
    py: Python<'_>,
    name: Option<&str>,
    shape: Option<&str>,
    definitions: Option<&str>,
) -> PyResult<String> {
    let answer = || {
        let zoo = zoo(definitions)?;
        let Some(name) = name else {
            let all = zoo.definitions().iter().map(|own| Json::Object(definition_json(own)));
            return Ok(Json::Array(all.collect()).to_string());
        };
        let spec = zoo.specs(&[name], shape)?.into_iter().next().map_or_else(|| Spec::read(name), Ok)?;
        let definition = zoo.definition(&spec)?.0;
        let object = match zoo.instance(&spec) {
            Ok(format) => format_json(definition, &format),
            Err(error) if error.code() == Code::MissingFact => definition_json(definition),
            Err(error) => return Err(error),
        };
        Ok(Json::Object(object).to_string())
    };
    py.detach(answer).map_err(|error: Error| raised(py, &error))
}

/// A check of two formats, its lines first.
#[pyfunction]
#[pyo3(signature = (producer, consumer, shape, fields, definitions, /))]
pub(crate) fn check(
    py: Python<'_>,
    producer: &str,
    consumer: &str,
    shape: Option<&str>,
    fields: Vec<String>,
    definitions: Option<&str>,
) -> PyResult<(Vec<String>, Option<bool>, String)> {
    let answer = || {
        let zoo = zoo(definitions)?;
        let specs = zoo.specs(&[producer, consumer], shape)?;
        let [producer, consumer] = specs.as_slice() else {
            return Err(Error::new(Code::Arity, "two formats are needed"));
        };
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let (producer, consumer) = zoo.pair(producer, consumer)?;
        let outcome = Outcome::new(producer, consumer, &fields)?;
        let mut lines = outcome.lines();
        lines.extend(outcome.cure());
        Ok((lines, outcome.holds(), Json::Object(outcome.json()).to_string()))
    };
    py.detach(answer).map_err(|error| raised(py, &error))
}

/// An array: its name, type, extents, and number of bytes.
type Described = (String, String, Vec<i64>, usize);

/// A tensor: its name, type and extents, and its memory or the number of the array that it is.
type Made = (String, String, Vec<i64>, Py<PyAny>, Option<usize>);

/// How arrays of given names, types and extents become those of another format. It is made once, and run on any such arrays.
#[pyclass(frozen, module = "bitstride")]
pub(crate) struct RepackPlan {
    /// The names of the arrays.
    names: Vec<String>,
    rewrite: Rewrite,
}

#[pymethods]
impl RepackPlan {
    /// `chosen` are names of fields and of tensors.
    #[new]
    #[pyo3(signature = (arrays, formats, shape, chosen, definitions, /))]
    fn new(
        py: Python<'_>,
        arrays: Vec<Described>,
        formats: (String, String),
        shape: Option<&str>,
        chosen: (Vec<String>, Vec<String>),
        definitions: Option<&str>,
    ) -> PyResult<Self> {
        let names = arrays.iter().map(|(name, ..)| name.clone()).collect();
        let entry = |(file, (name, dtype, shape, bytes)): (usize, Described)| Entry {
            name,
            dtype,
            shape,
            file,
            data: 0..bytes,
            is_blocks: false,
        };
        let container = Container::of(arrays.into_iter().enumerate().map(entry).collect());
        let plan = || {
            let zoo = zoo(definitions)?;
            let specs = zoo.specs(&[&formats.0, &formats.1], shape)?;
            let [from, to] = specs.as_slice() else { return Err(Error::new(Code::Arity, "two formats are needed")) };
            let names = Names::default();
            let request = Request { from, to, fields: &chosen.0, tensors: &chosen.1, names: &names };
            Rewrite::new(&container, &request, &zoo)
        };
        let rewrite = py.detach(plan).map_err(|error| raised(py, &error))?;
        Ok(RepackPlan { names, rewrite })
    }

    /// The names of the tensors that are made.
    #[getter]
    fn made(&self) -> Vec<&str> {
        let made = self.rewrite.tensors.iter().filter(|tensor| matches!(tensor.origin, Origin::Made(..)));
        made.map(|tensor| tensor.name.as_str()).collect()
    }

    /// The tensors that are made of arrays. `make` takes the name of one, its type, its extents and a number of bytes, and gives
    /// an array of these with DLPack.
    #[pyo3(signature = (arrays, make, /))]
    fn run(&self, arrays: Vec<Bound<'_, PyAny>>, make: &Bound<'_, PyAny>) -> PyResult<Vec<Made>> {
        let py = make.py();
        let refused = |error: Error| raised(py, &error);
        let mut memories = Vec::new();
        for memory in &arrays {
            memories.push(match memory.cast::<PyBytes>() {
                Ok(_) => None,
                Err(_) => Some(Memory::of(memory)?),
            });
        }
        let mut files: Vec<&[u8]> = Vec::new();
        for ((name, memory), read) in self.names.iter().zip(&arrays).zip(&memories) {
            files.push(match (read, memory.cast::<PyBytes>()) {
                (Some(read), _) if !read.is_compact => {
                    let error = error!(Code::Kind, "the elements of {name} are not row-major without gaps", [name]);
                    return Err(refused(error.with_help("copy the array")));
                }
                (Some(read), _) => read.bytes(),
                (None, Ok(bytes)) => bytes.as_bytes(),
                (None, Err(_)) => &[],
            });
        }
        let (mut numbers, mut outputs) = (Vec::new(), Vec::<(Bound<'_, PyAny>, Output<'_>)>::new());
        for (number, tensor) in self.rewrite.tensors.iter().enumerate() {
            if matches!(tensor.origin, Origin::Made(..)) {
                let array = make.call1((&tensor.name, &tensor.dtype, &tensor.shape, tensor.bytes))?;
                let others = outputs.iter().map(|(_, output)| output.before());
                let output = Output::of(&array, files.iter().copied().chain(others))?;
                numbers.push(number);
                outputs.push((array, output));
            }
        }
        let targets: Vec<&mut [u8]> = outputs.iter_mut().map(|(_, output)| output.bytes()).collect();
        py.detach(|| self.rewrite.run(&files, &numbers, targets, |_| ())).map_err(refused)?;
        let mut outputs = outputs.into_iter().map(|(array, _)| array.unbind());
        let mut made = Vec::new();
        for tensor in &self.rewrite.tensors {
            let (memory, kept) = match &tensor.origin {
                Origin::Copied(part) => (py.None(), Some(part.file)),
                Origin::Made(..) => (outputs.next().unwrap_or_else(|| py.None()), None),
            };
            made.push((tensor.name.clone(), tensor.dtype.clone(), tensor.shape.clone(), memory, kept));
        }
        Ok(made)
    }
}

/// The tensor of a format that an array without a name is: that of the field, or the first.
#[pyfunction]
#[pyo3(signature = (name, fields, definitions, /))]
pub(crate) fn tensor_of(
    py: Python<'_>,
    name: &str,
    fields: Vec<String>,
    definitions: Option<&str>,
) -> PyResult<String> {
    let answer = || {
        let (zoo, spec) = (zoo(definitions)?, Spec::read(name)?);
        let definition = zoo.definition(&spec)?.0;
        let tensor = definition.tensor_of(fields.first().map(String::as_str));
        tensor.map(str::to_owned).ok_or_else(|| {
            error!(Code::UnknownName, "{name} has no field {fields}", [name, fields = fields.join(", ")])
        })
    };
    py.detach(answer).map_err(|error| raised(py, &error))
}

/// The numbered tensors of a probe: names and codes, the last axis fastest.
#[pyfunction]
#[pyo3(signature = (shape, bits, /))]
pub(crate) fn probe_inputs<'py>(
    py: Python<'py>,
    shape: Vec<i64>,
    bits: i64,
) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
    let inputs = py.detach(|| Probe::new(&shape, bits).map(|probe| probe.inputs()));
    let bytes = |codes: &[u64]| -> Vec<u8> {
        codes.iter().flat_map(|code| u32::try_from(*code).unwrap_or_default().to_le_bytes()).collect()
    };
    let inputs = inputs.map_err(|error| raised(py, &error))?;
    Ok(inputs.into_iter().map(|input| (input.name, PyBytes::new(py, &bytes(&input.codes)))).collect())
}

/// What a packer does, from its outputs in the order of the tensors.
#[pyfunction]
#[pyo3(signature = (shape, bits, outputs, definitions, /))]
pub(crate) fn probe_read(
    py: Python<'_>,
    shape: Vec<i64>,
    bits: i64,
    outputs: Vec<Vec<u8>>,
    definitions: Option<&str>,
) -> PyResult<String> {
    let answer = || {
        let found = Probe::new(&shape, bits)?.read(&outputs)?;
        Ok(Json::Object(found_json(&found, zoo(definitions)?.as_ref())?).to_string())
    };
    py.detach(answer).map_err(|error: Error| raised(py, &error))
}
