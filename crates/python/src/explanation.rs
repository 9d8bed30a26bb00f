//! [`Explanation`]: an answer in steps.

use bitstride_lang::explain as lang;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::answer::object;
use crate::error::{about, raised};
use crate::operand::{is_deep_text, operand, with_room};
use crate::picture::escaped;

/// One step: a rule in words, and an expression that computes what it says.
#[pyclass(frozen, get_all, module = "bitstride")]
pub(crate) struct Step {
    /// The rule in plain words, with its numbers.
    rule: String,
    /// The same as an expression.
    expression: String,
    /// What the expression evaluates to.
    value: Py<PyAny>,
}

#[pymethods]
impl Step {
    #[new]
    #[pyo3(signature = (rule, expression, value))]
    fn new(rule: String, expression: String, value: Py<PyAny>) -> Self {
        Step { rule, expression, value }
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> (Py<PyAny>, (String, String, Py<PyAny>)) {
        let (py, step) = (slf.py(), slf.get());
        let fields = (step.rule.clone(), step.expression.clone(), step.value.clone_ref(py));
        (slf.get_type().into_any().unbind(), fields)
    }

    /// The rule and its expression, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let value = self.value.bind(py).str()?.to_string();
        Ok(step_html(&self.rule, &self.expression, &value))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Step({} = {})", self.expression, self.value.bind(py).str()?))
    }
}

fn step_html(rule: &str, expression: &str, value: &str) -> String {
    format!("{}<br><code>{} = {}</code>", escaped(rule), escaped(expression), escaped(value))
}

/// Why an expression has its value, or has none.
#[pyclass(frozen, module = "bitstride")]
pub(crate) struct Explanation {
    explained: lang::Explanation,
}

/// The explanation of a text.
pub(crate) fn explained(py: Python<'_>, text: &str) -> PyResult<Explanation> {
    let explained = py
        .detach(|| with_room(is_deep_text(text), || lang::explain(text)))
        .map_err(|error| about(py, &error, Some(text)))?;
    Ok(Explanation { explained })
}

/// Why an expression has its value: `explain("complement(4:2, 24)")`, or of an operation and its arguments,
/// `explain("complement", layout, 24)`.
#[pyfunction]
#[pyo3(signature = (expression, /, *arguments))]
pub(crate) fn explain(expression: &Bound<'_, PyAny>, arguments: &Bound<'_, PyTuple>) -> PyResult<Explanation> {
    let py = expression.py();
    let name = match expression.cast::<PyString>() {
        Ok(text) => text.to_str()?.to_owned(),
        // A function of the package is named as the operation is.
        Err(_) if expression.hasattr("__name__")? => expression.getattr("__name__")?.extract()?,
        Err(_) => operand(expression)?.to_string(),
    };
    if arguments.is_empty() {
        return explained(py, &name);
    }
    let arguments = arguments.iter().map(|argument| operand(&argument).map(|value| value.to_string()));
    explained(py, &format!("{name}({})", arguments.collect::<PyResult<Vec<_>>>()?.join(", ")))
}

#[pymethods]
impl Explanation {
    /// An explanation is made again from its expression.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let explain = slf.py().import("bitstride")?.getattr("explain")?;
        Ok((explain.unbind(), (slf.get().explained.expression.clone(),)))
    }

    /// The explanation as JSON, in the form that `bitstride explain --json` prints.
    fn to_json(&self) -> String {
        let object = bitstride_json::explanation(&self.explained, bitstride_lang::Spelling::Plain);
        serde_json::Value::Object(object).to_string()
    }

    /// The expression in canonical text.
    #[getter]
    fn expression(&self) -> &str {
        &self.explained.expression
    }

    /// The value; None where there is none.
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.explained.outcome.as_ref().ok().map(|answer| object(py, answer.clone())).transpose()
    }

    /// The refusal; None where there is a value.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let error = self.explained.outcome.as_ref().err()?;
        Some(raised(py, error).into_value(py).into_any())
    }

    /// Notes on the value.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.explained.outcome.as_ref().map(|answer| answer.notes.clone()).unwrap_or_default()
    }

    /// The properties of the value by name, as texts.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let properties = PyDict::new(py);
        for property in &self.explained.table {
            properties.set_item(property.name, &property.value)?;
        }
        Ok(properties)
    }

    /// What integers that are not known mean for the answer.
    #[getter]
    fn assumptions(&self) -> Vec<String> {
        self.explained.assumptions.clone()
    }

    /// The steps in order, those of inner calls first.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<Vec<Step>> {
        let step = |step: &lang::Step| {
            let value = object(py, step.value.clone().into())?;
            Ok(Step { rule: step.rule.clone(), expression: step.expression.clone(), value })
        };
        self.explained.steps().map(step).collect()
    }

    fn __str__(&self) -> String {
        self.explained.to_string()
    }

    fn __repr__(&self) -> String {
        self.explained.to_string()
    }

    /// The steps of each operation, folded.
    fn _repr_html_(&self) -> String {
        let mut html = format!("<b><code>{}</code></b>", escaped(&self.explained.expression));
        for section in &self.explained.sections {
            html.push_str(&format!("<details open><summary><code>{}</code></summary><ol>", escaped(&section.title)));
            for step in &section.steps {
                let step = step_html(&step.rule, &step.expression, &step.value.to_string());
                html.push_str(&format!("<li>{step}</li>"));
            }
            html.push_str("</ol></details>");
        }
        if let Err(error) = &self.explained.outcome {
            html.push_str(&format!("<p>{}</p>", escaped(&error.to_string())));
        }
        html
    }
}
