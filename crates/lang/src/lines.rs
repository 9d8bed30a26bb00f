//! Several lines as one text: `name = expression` and `#name = #ttg.…<…>`, then the expression that is meant.
//!
//! Law: the answer is that of the last line, with the values of the names that the lines above it bind. A line that is refused is
//! nothing until its name is used; then the refusal is the answer. So a piece of somebody's source may hold what is no layout.

use std::collections::BTreeMap;

use super::answer::Answer;
use super::bindings::{Bindings, alias, assignments, names_in};
use super::cpp_names::{as_unknowns, check_layouts};
use super::eval::evaluate_tree;
use super::printed_table;
use super::reading::{reading, whole_instruction};
use super::statements::{statements, with_own_names, without_comments};
use bitstride::notation::{Dialect, Ints, Span};
use bitstride::{Code, Error, error};

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
    let text = &*with_own_names(text);
    let text = &*without_comments(text);
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
    let (tree, renamed) = match reading.dialects.iter().any(|dialect| named.contains(dialect)) {
        true => as_unknowns(tree),
        false => (tree, Vec::new()),
    };
    if reading.dialects.iter().any(|dialect| matches!(dialect, Dialect::CuteCpp | Dialect::CuteDsl)) {
        check_layouts(&tree)?;
    }
    notes.extend(renamed);
    let mut answer = evaluate_tree(&whole_instruction(&tree))?;
    answer.notes.splice(0..0, notes);
    Ok(answer)
}

/// What a line binds.
struct Bound<'t> {
    /// Several names stand for the parts of the value.
    names: Vec<&'t str>,
    expression: &'t str,
    is_alias: bool,
}

impl<'t> Bound<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let (names, expression, is_alias) = match alias(line) {
            Some((name, expression)) => (vec![name], expression, true),
            None => {
                let (names, expression) = assignments(line)?;
                (names, expression, false)
            }
        };
        // `lane=1 -> (0, 1)` is a line of a linear layout as Triton prints it.
        let is_basis = expression.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with("->");
        (!is_basis).then_some(Bound { names, expression, is_alias })
    }
}

/// Binds the names of somebody's source; lines that bind nothing are left out. A name whose value is not read, or that has several values, in
/// branches or functions or one after the other, is refused where it is used.
///
/// ```
/// use bitstride_lang::{Bindings, bind_source, evaluate_in};
/// use bitstride::notation::Ints;
/// let mut names = Bindings::default();
/// let source = "def kernel():\n    bM, bK = 128, 64  # the tile\n    sA = cute.make_layout((bM, bK), stride=(bK, 1))\n    x = f()\n";
/// bind_source(source, "kernel.py", Ints::Plain, &mut names);
/// assert_eq!(evaluate_in("sA", Ints::Plain, &names)?.value.to_string(), "(128,64):(64,1)");
/// let refused = evaluate_in("size(x)", Ints::Plain, &names).map_err(|error| error.message().to_owned());
/// assert_eq!(refused.err().as_deref(), Some("line 4 of kernel.py: no operation is called f"));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn bind_source(text: &str, file: &str, ints: Ints, names: &mut Bindings) {
    let text = &*with_own_names(text);
    let text = &*without_comments(text);
    let mut lines = Lines { ints, names: names.clone(), notes: Vec::new() };
    // The line that gave a name its first value, and that value.
    let mut first: BTreeMap<String, (usize, Option<String>)> = BTreeMap::new();
    let mut several: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for span in statements(text) {
        let number = text.get(..span.start).map_or(0, |before| before.matches('\n').count()) + 1;
        let line = span.of(text);
        if let Some(name) = changed(line) {
            let (before, _) = first.get(name).map_or((number, None), Clone::clone);
            several.insert(name.to_owned(), (before, number));
        }
        let Some(bound) = Bound::of(line) else { continue };
        lines.bind(&bound, 0, &|error| {
            let stated = Error::new(error.code(), format!("line {number} of {file}: {}", error.message()));
            match error.help() {
                Some(help) => stated.with_help(help),
                None => stated,
            }
        });
        for name in bound.names {
            let value = lines.names.tree(name).map(ToString::to_string);
            let (before, known) = first.entry(name.to_owned()).or_insert((number, value.clone()));
            if *known != value {
                several.insert(name.to_owned(), (*before, number));
            }
        }
    }
    // Which of them holds where the expression is meant to stand is not known.
    for (name, (one, other)) in several {
        let error = error!(
            Code::UnknownName,
            "{name} has other values on line {one} and on line {other} of {file}",
            [name, one, other, file]
        );
        lines.names.refuse(&name, error.with_help(format!("write `{name} = …` on a line before the expression")));
    }
    *names = lines.names;
}

/// The name that a line changes: `stages += 1`.
fn changed(line: &str) -> Option<&str> {
    let (before, after) = line.split_once('=')?;
    let name = before.trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', '@', '<', '>']);
    let is_changed = name.len() < before.len() && !after.starts_with('=');
    let name = name.trim();
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // `a <= b` compares.
    let is_comparison = matches!(before.get(name.len()..).map(str::trim), Some("<" | ">"));
    (is_changed && is_word && !name.is_empty() && !is_comparison).then_some(name)
}

/// The answer to the last of several lines, or to the expression of one line with a name; `None` where the text is neither.
fn answered(text: &str, ints: Ints, bindings: &Bindings) -> Option<Result<Answer, Error>> {
    let spans: Vec<Span> = statements(text).collect();
    let (last, before) = spans.split_last()?;
    let bound: Vec<Bound<'_>> = before.iter().map(|span| Bound::of(span.of(text))).collect::<Option<_>>()?;
    if bound.is_empty() && Bound::of(last.of(text)).is_none() {
        return None;
    }
    let mut lines = Lines { ints, names: bindings.clone(), notes: Vec::new() };
    for (line, span) in bound.iter().zip(before) {
        lines.bind(line, start_of(line.expression, *span, text), &|error| error);
    }
    let whole = last.of(text);
    let line = Bound::of(whole);
    let expression = line.as_ref().map_or(whole, |line| line.expression);
    let start = start_of(expression, *last, text);
    if let Some(Bound { names, is_alias: true, .. }) = &line
        && let Some(Err(error)) = names.first().map(|name| lines.names.alias(name, expression))
    {
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
    /// What was said of the lines before, each once.
    notes: Vec<String>,
}

impl Lines {
    /// Binds the names of a line whose expression begins at a byte of the text, or what refuses it, as `stated` words it.
    fn bind(&mut self, line: &Bound<'_>, start: usize, stated: &dyn Fn(Error) -> Error) {
        for (place, name) in line.names.iter().enumerate() {
            let bound = match (line.is_alias, line.names.len()) {
                (true, _) => self.names.alias(name, line.expression).map_err(|error| error.shifted(start)),
                (false, 1) => self.bind_value(name, line.expression, start),
                // `m, k = 128, 64` has no brackets around the values.
                (false, _) => self.bind_value(name, &format!("{}[{place}]", line.expression), start).or_else(|error| {
                    self.bind_value(name, &format!("({})[{place}]", line.expression), start).map_err(|_| error)
                }),
            };
            if let Err(error) = bound {
                self.names.refuse(name, stated(error));
            }
        }
    }

    fn bind_value(&mut self, name: &str, expression: &str, start: usize) -> Result<(), Error> {
        let answer = self.answer(expression, start)?;
        self.names.bind_line(name, &answer.value)?;
        self.notes = answer.notes;
        Ok(())
    }

    fn answer(&self, expression: &str, start: usize) -> Result<Answer, Error> {
        if let Some(error) = names_in(expression, self.ints).iter().find_map(|(name, _)| self.names.refused(name)) {
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
    use bitstride::notation::Ints;

    use crate::{Bindings, bind_source, evaluate, evaluate_in};

    /// What `make_layout_tv` gives has two parts, the map that it reads as none.
    #[test]
    fn a_map_of_threads_and_values_has_no_parts() {
        assert!(evaluate("tv(((4,8),8):((32,1),8), (8,32))[0]").is_err());
    }

    /// What holds in a source file is not known by its lines alone where they give a name several values.
    #[test]
    fn a_name_of_a_source_has_one_value() {
        let source = "bK = 64\nif x:\n    bM = 64\nelse:\n    bM = 32\nn = 2\nn += 1\nm = f()\nm = 4\nk = 8\nk = 4 * 2\nt = (\n    12\n    // 4\n)\nok = n <= 4\n";
        let mut names = Bindings::default();
        bind_source(source, "a.py", Ints::Plain, &mut names);
        let answer = |text: &str| evaluate_in(text, Ints::Plain, &names).map(|answer| answer.value.to_string());
        assert_eq!(
            [answer("bK"), answer("k"), answer("size((2,3))")],
            ["64", "8", "6"].map(|value| Ok(value.to_owned()))
        );
        for name in ["bM", "n", "m"] {
            let error = answer(name).expect_err(name);
            assert!(error.message().contains(&format!("{name} has other values on line")), "{error}");
        }
        assert_eq!(answer("t"), Ok("(3)".to_owned()));
    }

    #[test]
    fn lines_above_bind_names() {
        for (text, value) in [
            ("L = cute.make_layout(\n    # rows\n    (8, 64),\n\n    stride=(64, 1),\n)\nL[0]", "8:64"),
            ("auto L = make_layout(\n  // rows\n  make_shape(_8{}, _64{}),\n  LayoutRight{});\nL", "(8,64):(64,1)"),
            ("a = (4\n\n2", "2"),
            // `make_layout_tv` gives the tile and the layout.
            ("cute.make_layout_tv(cute.make_layout((4, 2)), cute.make_layout((1, 8)))[0]", "(4,16)"),
            ("a = (6,2):(8,2)\nb = (4,3):(3,1)\ncomposition(a, b)", "((2,2),3):((24,2),8)"),
            ("using A = Layout<Shape<_8,_4>>;\nusing B = Layout<Shape<_2,_2>>;\ncomposition(A{}, B{})", "(2,2):(1,2)"),
            ("layout: cute.Layout = cute.make_layout((8, 4), stride=(4, 1))", "(8,4):(4,1)"),
            ("shape = (8, 4)\nlayout = cute.make_layout(shape, stride=(4, 1))\nsize(layout)", "32"),
            ("# rows\nx = torch.empty(2, 3, 4)\n\ny = x.permute(2, 0, 1)\ny.shape", "(4,2,3)"),
            ("mask = offs < 8\nx = (\n  8,\n  4)\nsize(x)", "32"),
            ("m = 4\nm = 8\nsize((m, 2))", "16"),
            ("bM, bN, bK = 128, 256, 64\nmake_layout((bM, bK))", "(128,64):(1,128)"),
            ("m, k = (128, 64)  # M and K\n(m,k):(k,1)", "(128,64):(64,1)"),
            (
                "tile, tv = cute.make_layout_tv(cute.make_layout((4, 2)), cute.make_layout((1, 8)))\ntv",
                "((4,2),8):((1,32),4)",
            ),
            ("L = cute.make_layout(\n    (8, 64),  # rows\n    stride=(64, 1),\n)\nL[0]", "8:64"),
            ("auto L = make_layout(\n  make_shape(_8{}, _64{}), // rows\n  LayoutRight{});\nL", "(8,64):(64,1)"),
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
