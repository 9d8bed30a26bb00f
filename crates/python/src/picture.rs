//! [`Picture`]: layouts drawn, as the command line draws them.

use bitstride::Error;
use bitstride_draw::scene::{
    LinearSubject, LinearView, Look, Shown, TiledLook, TiledSubject, TiledView, View, linear_picture, picture,
    tiled_picture,
};
use bitstride_draw::{Picture as Drawn, TextOptions, svg, text};
use bitstride_lang::Value as Of;
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

/// The picture of a value.
pub(crate) fn of(value: &Bound<'_, Value>) -> PyResult<Picture> {
    drawn(value.py(), vec![value.get().to_value()])
}

fn drawn(py: Python<'_>, values: Vec<Of>) -> PyResult<Picture> {
    let draw = || -> Result<Picture, Error> {
        let narrow = scene(&values, Some(COLUMNS))?;
        let options = TextOptions { max_width: COLUMNS, ..TextOptions::default() };
        Ok(Picture { text: text(&narrow, &options).trim_end().to_owned(), svg: svg(&scene(&values, None)?) })
    };
    py.detach(draw).map_err(|error| raised(py, &error))
}

fn scene(values: &[Of], columns: Option<usize>) -> Result<Drawn, Error> {
    if values.iter().any(|value| matches!(value, Of::Xla(_))) {
        let subjects: Result<Vec<_>, Error> =
            values.iter().map(|value| TiledSubject::new(&value.to_string(), &value.as_array()?)).collect();
        return tiled_picture(&subjects?, TiledView::Index, &TiledLook::default(), columns);
    }
    if values.iter().any(|value| matches!(value, Of::Linear(_))) {
        let subjects: Result<Vec<_>, Error> = values
            .iter()
            .map(|value| Ok((LinearSubject::new(&value.to_string(), &value.as_linear()?), LinearView::Tensor)))
            .collect();
        return linear_picture(&subjects?, None, columns);
    }
    let shown: Result<Vec<_>, Error> = values.iter().map(|value| Shown::new(&value.to_string(), value, None)).collect();
    picture(&shown?, &View::Grid, &Look::default(), columns)
}

/// The picture of layouts of one kind, below one another.
#[pyfunction]
#[pyo3(signature = (*layouts))]
pub(crate) fn show(layouts: &Bound<'_, PyTuple>) -> PyResult<Picture> {
    drawn(layouts.py(), layouts.iter().map(|layout| operand(&layout)).collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl Picture {
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

/// A text and a picture as HTML.
pub(crate) fn html(text: &str, svg: Option<&str>) -> String {
    let text = escaped(text);
    match svg {
        Some(svg) => format!("<div><code>{text}</code></div>{svg}"),
        None => format!("<code>{text}</code>"),
    }
}

/// A text with what HTML reads as its own replaced.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
