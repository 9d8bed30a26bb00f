//! An explanation as text: an aligned table, numbered steps, prose wrapped at 100 columns.

use std::fmt;

use super::{Explanation, Step};
use crate::{Entry, Value};
use bitstride::notation::Ints;
use bitstride::{Class, Tuple};

/// The most columns of prose.
const WIDTH: usize = 100;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.expression)?;
        if let Some(value) = self.value() {
            match value {
                Value::List(_) | Value::Text(_) | Value::Name(_) => {}
                Value::Tuple(tuple) if is_list(tuple) || is_offsets(&self.expression, tuple) => {}
                _ if value.display(self.ints) == self.expression => {}
                _ => writeln!(f, "= {}", value.display(self.ints))?,
            }
        }
        self.write_table(f)?;
        for sentence in &self.assumptions {
            writeln!(f)?;
            wrapped(f, sentence, "  ", "  ")?;
        }
        if self.ints == Ints::Cpp {
            writeln!(f)?;
            wrapped(f, "In the sentences 5 is static and 5? is dynamic, the plain spelling.", "  ", "  ")?;
        }
        let several = self.sections.len() > 1;
        let mut number = 0;
        for section in &self.sections {
            if several {
                writeln!(f, "\n{}", section.title_in(self.ints))?;
                if !section.law.is_empty() {
                    wrapped(f, &format!("({})", section.law), "  ", "  ")?;
                }
            }
            for step in &section.steps {
                number += 1;
                writeln!(f)?;
                self.write_step(f, number, step)?;
            }
        }
        if let Err(error) = &self.outcome {
            writeln!(f)?;
            let verdict = match error.code().class() {
                Class::Refused => "refused",
                Class::Undecided => "undecided",
                Class::Unreadable => "error",
            };
            wrapped(f, &format!("{verdict}, {}: {}.", error.code().as_str(), error.message()), "", "  ")?;
            if let Some(help) = error.help() {
                wrapped(f, help, "  ", "  ")?;
            }
        }
        for note in self.outcome.iter().flat_map(|answer| &answer.notes) {
            writeln!(f)?;
            wrapped(f, note, "note: ", "      ")?;
        }
        Ok(())
    }
}

impl Explanation {
    fn write_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = self.table.iter().map(|row| row.name.len()).max().unwrap_or(0);
        if widest > 0 {
            writeln!(f)?;
        }
        for row in &self.table {
            writeln!(f, "  {:widest$}  {}", row.name, row.value)?;
        }
        Ok(())
    }

    fn write_step(&self, f: &mut fmt::Formatter<'_>, number: usize, step: &Step) -> fmt::Result {
        wrapped(f, &step.rule, &format!("{number:>2}. "), "    ")?;
        let expression = step.expression_in(self.ints);
        match &step.value {
            Value::List(entries) => {
                writeln!(f, "      {expression}")?;
                let texts: Vec<String> = entries.iter().map(|entry| entry.display(self.ints)).collect();
                two_lines(f, &texts)
            }
            Value::Text(text) => {
                writeln!(f, "      {expression}")?;
                text.lines().try_for_each(|line| writeln!(f, "        {}", line.trim_end()))
            }
            Value::Tuple(tuple) if is_list(tuple) || is_offsets(&expression, tuple) => {
                writeln!(f, "      {expression}")?;
                let entries = tuple.entries().into_iter().map(Value::Tuple);
                two_lines(f, &entries.map(|entry| entry.display(self.ints)).collect::<Vec<_>>())
            }
            value => {
                let text = value.display(self.ints);
                if text.contains('\n') {
                    writeln!(f, "      {expression}")?;
                    return text.lines().try_for_each(|line| writeln!(f, "        {line}"));
                }
                if text == expression {
                    return writeln!(f, "      {expression}");
                }
                if expression.len() + text.len() + 9 <= WIDTH {
                    return writeln!(f, "      {expression} = {text}");
                }
                writeln!(f, "      {expression}\n        = {text}")
            }
        }
    }
}

/// Whether all entries of a tuple are tuples, such as coordinates.
fn is_list(tuple: &Tuple<Entry>) -> bool {
    !tuple.is_leaf() && !tuple.entries().is_empty() && tuple.entries().iter().all(|entry| !entry.is_leaf())
}

/// Whether a tuple is the offsets of a layout, one for each index.
fn is_offsets(expression: &str, tuple: &Tuple<Entry>) -> bool {
    expression.starts_with("offsets(") && !tuple.is_leaf() && tuple.rank() > 0
}

/// Indices above, values below, in columns.
fn two_lines(f: &mut fmt::Formatter<'_>, values: &[String]) -> fmt::Result {
    let indices: Vec<String> = (0..values.len()).map(|index| index.to_string()).collect();
    let widths: Vec<usize> = indices.iter().zip(values).map(|(a, b)| a.len().max(b.len())).collect();
    let mut start = 0;
    while start < values.len() {
        let mut end = start;
        let mut width = 8;
        while let Some(column) = widths.get(end) {
            if end > start && width + column + 1 > WIDTH {
                break;
            }
            width += column + 1;
            end += 1;
        }
        for row in [indices.as_slice(), values] {
            f.write_str("       ")?;
            for (text, width) in row.iter().zip(&widths).take(end).skip(start) {
                write!(f, " {text:>width$}")?;
            }
            writeln!(f)?;
        }
        start = end;
    }
    Ok(())
}

/// Words broken into lines of at most [`WIDTH`] columns.
fn wrapped(f: &mut fmt::Formatter<'_>, text: &str, first: &str, rest: &str) -> fmt::Result {
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{line}")?;
            line = rest.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    writeln!(f, "{line}")
}
