//! Several lines as one text: `name = expression` and `#name = #ttg.…<…>`, then the expression that is meant.
//!
//! Law: the answer is that of the last line, with the values of the names that the lines above it bind. A line that is refused is
//! nothing until its name is used; then the refusal is the answer. So a piece of somebody's source may hold what is no layout.

use std::collections::BTreeMap;

use super::answer::Answer;
use super::bindings::{Bindings, alias, assignment};
use super::cpp_names::{as_unknowns, check_layouts};
use super::eval::evaluate_tree;
use super::printed_table;
use super::reading::{names_in, reading, whole_instruction};
use super::statements::statements;
use bitstride::Error;
use bitstride::notation::{Dialect, Ints, Span};

/// The value of an expression, its integers written plainly: `5` static, `5?` dynamic.
///
/// # Errors
/// What the text or its operations refuse, with the span of the operation that refused.
///
/// ```
/// use bitstride_lang::evaluate;
/// assert_eq!(evaluate("size((4,(2,4)))")?.value.to_string(), "32");
/// assert_eq!(evaluate("coalesce((2,(1,6)):(1,(6,2)))")?.value.to_string(), "12:1");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn evaluate(text: &str) -> Result<Answer, Error> {
    evaluate_with(text, Ints::Plain)
}

/// The value of an expression in either spelling of integers.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_with(text: &str, ints: Ints) -> Result<Answer, Error> {
    evaluate_in(text, ints, &Bindings::default())
}

/// The value of an expression in which names stand for values.
///
/// # Errors
/// As [`evaluate`] and [`Bindings::resolve`].
///
/// Lines before it that give values a name, or attributes an alias as a file in MLIR begins, hold for the expression:
///
/// ```
/// use bitstride_lang::evaluate;
/// let text = "#b = #ttg.blocked<{sizePerThread=[4], threadsPerWarp=[2], warpsPerCTA=[1], order=[0]}>\n\
///             apply(tensor<8xf32, #b>, (1,1,0,0))";
/// assert_eq!(evaluate(text)?.value.to_string(), "(5)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn evaluate_in(text: &str, ints: Ints, bindings: &Bindings) -> Result<Answer, Error> {
    if let Some((layout, table)) = printed_table::split(text) {
        let answer = evaluate_one(layout, ints, bindings)?;
        let start = text.len().saturating_sub(table.len());
        return printed_table::checked(answer, table, evaluate).map_err(|error| error.shifted(start));
    }
    let is_one = !text.trim_end().contains('\n') && !text.trim_start().starts_with('#');
    match is_one.then(|| evaluate_one(text, ints, bindings)) {
        Some(Ok(answer)) => Ok(answer),
        first => answered(text, ints, bindings).or(first).unwrap_or_else(|| evaluate_one(text, ints, bindings)),
    }
}

/// The value of a text that is one expression.
fn evaluate_one(text: &str, ints: Ints, bindings: &Bindings) -> Result<Answer, Error> {
    let (reading, mut notes) = reading(text, ints, &|name, _| bindings.datum(name))?;
    let tree = reading.tree;
    let tree = if bindings.is_empty() { tree } else { bindings.resolve(&tree)? };
    let named = [Dialect::CuteCpp, Dialect::CuteDsl, Dialect::TritonPython];
    if reading.dialects.iter().any(|dialect| matches!(dialect, Dialect::CuteCpp | Dialect::CuteDsl)) {
        check_layouts(&tree)?;
    }
    let (tree, renamed) = match reading.dialects.iter().any(|dialect| named.contains(dialect)) {
        true => as_unknowns(tree),
        false => (tree, Vec::new()),
    };
    notes.extend(renamed);
    let mut answer = evaluate_tree(&whole_instruction(&tree))?;
    answer.notes.splice(0..0, notes);
    Ok(answer)
}

/// What a line binds.
struct Bound<'t> {
    name: &'t str,
    expression: &'t str,
    is_alias: bool,
}

impl<'t> Bound<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let (name, expression, is_alias) = match alias(line) {
            Some((name, expression)) => (name, expression, true),
            None => {
                let (name, expression) = assignment(line)?;
                (name, expression, false)
            }
        };
        // `lane=1 -> (0, 1)` is a line of a linear layout as Triton prints it.
        let is_basis = expression.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with("->");
        (!is_basis).then_some(Bound { name, expression, is_alias })
    }
}

/// The answer to the last of several lines, or to the expression of one line with a name; `None` where the text is neither.
fn answered(text: &str, ints: Ints, bindings: &Bindings) -> Option<Result<Answer, Error>> {
    let spans: Vec<Span> = statements(text).collect();
    let (last, before) = spans.split_last()?;
    let bound: Vec<Bound<'_>> = before.iter().map(|span| Bound::of(span.of(text))).collect::<Option<_>>()?;
    if bound.is_empty() && Bound::of(last.of(text)).is_none() {
        return None;
    }
    let mut lines = Lines { ints, names: bindings.clone(), refused: BTreeMap::new(), notes: Vec::new() };
    for (line, span) in bound.iter().zip(before) {
        lines.bind(line, start_of(line.expression, *span, text));
    }
    let whole = last.of(text);
    let (expression, is_alias) = Bound::of(whole).map_or((whole, false), |line| (line.expression, line.is_alias));
    let start = start_of(expression, *last, text);
    if is_alias && let Some(Err(error)) = Bound::of(whole).map(|line| lines.names.alias(line.name, line.expression)) {
        return Some(Err(error.shifted(start)));
    }
    Some(lines.answer(expression, start))
}

/// Where the expression of a line begins in the text.
fn start_of(expression: &str, line: Span, text: &str) -> usize {
    let within = line.of(text).rfind(expression).unwrap_or(0);
    line.start + within
}

struct Lines {
    ints: Ints,
    names: Bindings,
    /// Names of lines that were refused.
    refused: BTreeMap<String, Error>,
    /// What was said of the lines before, each once.
    notes: Vec<String>,
}

impl Lines {
    fn bind(&mut self, line: &Bound<'_>, start: usize) {
        let bound = match line.is_alias {
            true => self.names.alias(line.name, line.expression).map_err(|error| error.shifted(start)),
            false => self.answer(line.expression, start).and_then(|answer| {
                self.names.bind_line(line.name, &answer.value)?;
                self.notes = answer.notes;
                Ok(())
            }),
        };
        match bound {
            Ok(()) => {
                self.refused.remove(line.name);
            }
            Err(error) => {
                self.names.forget(line.name);
                self.refused.insert(line.name.to_owned(), error);
            }
        }
    }

    fn answer(&self, expression: &str, start: usize) -> Result<Answer, Error> {
        if !self.refused.is_empty()
            && let Some(error) = names_in(expression, self.ints).iter().find_map(|(name, _)| self.refused.get(name))
        {
            return Err(error.clone());
        }
        let mut answer = evaluate_one(expression, self.ints, &self.names).map_err(|error| error.shifted(start))?;
        let notes = std::mem::replace(&mut answer.notes, self.notes.clone());
        for note in notes {
            if !answer.notes.contains(&note) {
                answer.notes.push(note);
            }
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use crate::evaluate;

    #[test]
    fn lines_above_bind_names() {
        for (text, value) in [
            ("a = (6,2):(8,2)\nb = (4,3):(3,1)\ncomposition(a, b)", "((2,2),3):((24,2),8)"),
            ("using A = Layout<Shape<_8,_4>>;\nusing B = Layout<Shape<_2,_2>>;\ncomposition(A{}, B{})", "(2,2):(1,2)"),
            ("layout: cute.Layout = cute.make_layout((8, 4), stride=(4, 1))", "(8,4):(4,1)"),
            ("shape = (8, 4)\nlayout = cute.make_layout(shape, stride=(4, 1))\nsize(layout)", "32"),
            ("# rows\nx = torch.empty(2, 3, 4)\n\ny = x.permute(2, 0, 1)\ny.shape", "(4,2,3)"),
            ("mask = offs < 8\nx = (\n  8,\n  4)\nsize(x)", "32"),
            ("m = 4\nm = 8\nsize((m, 2))", "16"),
        ] {
            assert_eq!(evaluate(text).map(|answer| answer.value.to_string()).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn a_line_that_is_refused_is_said_where_it_is_used() {
        let text = "a = 4:1\nb = sizes(4)\nsize(b)";
        let error = evaluate(text).expect_err("b has no value");
        assert_eq!(error.span().map(|span| span.of(text).to_owned()).as_deref(), Some("sizes"));
        assert_eq!(error.span().map(|span| span.start), Some(12));
    }
}
