//! [`Picture`]: layouts drawn, as the command line draws them.

use bitstride::Error;
use bitstride_draw::{Drawing, Request, TextOptions, svg, text};
use bitstride_lang::{Answer, Spelling, Value as Of};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::raised;
use crate::operand::operand;
use crate::value::Value;

/// Columns of a picture in text.
const COLUMNS: usize = 100;

/// A picture of layouts: text for a terminal, SVG for a page.
#[pyclass(frozen, module = "bitstride")]
pub(crate) struct Picture {
    text: String,
    svg: String,
}

/// The picture of a value; of an encoding, of the linear layout that it is for a shape.
pub(crate) fn of(value: &Bound<'_, Value>, shape: Option<&Bound<'_, PyAny>>) -> PyResult<Picture> {
    drawn(value.py(), vec![shaped(value.py(), value.get().to_value(), shape)?])
}

/// An encoding as the linear layout that it is for a shape; other layouts have their own, and are as they are without one.
fn shaped(py: Python<'_>, value: Of, shape: Option<&Bound<'_, PyAny>>) -> PyResult<Of> {
    let Some(shape) = shape else { return Ok(value) };
    let answer = bitstride_lang::call("to_linear", &[value, operand(shape)?]);
    answer.map(|answer| answer.value).map_err(|error| raised(py, &error))
}

fn drawn(py: Python<'_>, values: Vec<Of>) -> PyResult<Picture> {
    let draw = || -> Result<Picture, Error> {
        let known = values.iter().map(|value| (value.to_string(), Answer::from(value.clone()))).collect();
        let drawing = Drawing::of(known, &Request::default(), Spelling::Plain).map_err(|(_, error)| error)?;
        let narrow = drawing.picture(Some(COLUMNS))?;
        let options = TextOptions { max_width: COLUMNS, ..TextOptions::default() };
        Ok(Picture { text: text(&narrow, &options).trim_end().to_owned(), svg: svg(&drawing.picture(None)?) })
    };
    py.detach(draw).map_err(|error| raised(py, &error))
}

/// The picture of layouts of one kind, below one another; encodings of Triton are drawn for a `shape`.
#[pyfunction]
#[pyo3(signature = (*layouts, shape=None))]
pub(crate) fn show(layouts: &Bound<'_, PyTuple>, shape: Option<&Bound<'_, PyAny>>) -> PyResult<Picture> {
    let py = layouts.py();
    if layouts.is_empty() {
        return Err(PyTypeError::new_err("show() takes one layout or more"));
    }
    let values = layouts.iter().map(|layout| shaped(py, operand(&layout)?, shape));
    drawn(py, values.collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl Picture {
    #[new]
    #[pyo3(signature = (text, svg))]
    fn new(text: String, svg: String) -> Self {
        Picture { text, svg }
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> (Py<PyAny>, (String, String)) {
        let picture = slf.get();
        (slf.get_type().into_any().unbind(), (picture.text.clone(), picture.svg.clone()))
    }

    /// The picture as SVG.
    #[getter(svg)]
    fn get_svg(&self) -> String {
        self.svg.clone()
    }

    /// The picture as text.
    #[getter]
    fn text(&self) -> String {
        self.text.clone()
    }

    /// Writes the picture as an SVG file.
    #[pyo3(signature = (path, /))]
    fn save(&self, path: std::path::PathBuf) -> PyResult<()> {
        Ok(std::fs::write(path, &self.svg)?)
    }

    fn __str__(&self) -> String {
        self.text.clone()
    }

    fn __repr__(&self) -> String {
        self.text.clone()
    }

    /// The picture as a part of a page.
    fn _repr_html_(&self) -> String {
        self.svg.clone()
    }

    /// The picture as SVG, for notebooks.
    fn _repr_svg_(&self) -> String {
        self.svg.clone()
    }
}

impl Picture {
    pub(crate) fn svg(&self) -> String {
        self.svg.clone()
    }
}

/// The address of the live page, such as the one that `bitstride serve` prints.
const PAGE: &str = "BITSTRIDE_PAGE";

/// A text and a picture as HTML, with a link to the page, where that is known, which draws the text in a view; without a
/// picture, why there is none.
pub(crate) fn html(text: &str, svg: Result<&str, &str>, view: &str) -> String {
    let svg = match svg {
        Ok(svg) => svg,
        Err(reason) => {
            return format!(
                "<div><code>{}</code></div><div><small>No picture: {}</small></div>",
                escaped(text),
                escaped(reason)
            );
        }
    };
    let link = std::env::var(PAGE).map_or_else(
        |_| String::new(),
        |page| {
            let fragment = bitstride_json::fragment(&format!("view: {view} a\n---\na = {text}"));
            let (page, fragment) = (escaped(&page), escaped(&fragment));
            format!(" <a href=\"{page}{fragment}\" target=\"_blank\">live page</a>")
        },
    );
    format!("<div><code>{}</code>{link}</div>{svg}", escaped(text))
}

/// A text with what HTML reads as its own replaced.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
