//! [`Sheet`]: lines `name = expression`, each answered with the values of the names on the other lines.
//!
//! A line is `name = expression`, an alias `#name = #ttg.…<…>`, or an expression alone. It goes on while a bracket is open, to the
//! next blank line at most. Blank lines, and lines that begin with `//` or `# `, say nothing. A name means the nearest line above that binds
//! it, else the first one below. Law: every line is answered as the expression is that has the values of its names in their
//! places, whatever the order of the lines; lines that need one another in a circle are refused.

use std::collections::HashMap;

use super::answer::Answer;
use super::bindings::names_in;
use super::bindings::{Bindings, Bound, alias, assignment};
use super::lines::{evaluate, evaluate_in};
use super::statements::statements;
use super::value::Value;
use bitstride::notation::{Ints, Span};
use bitstride::{Code, Error, error};

/// The most lines of a sheet that are answered.
const MAX_LINES: usize = 2048;

/// One line of a sheet, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// Where it stands, in bytes of the sheet.
    pub span: Span,
    /// The name that it binds; an alias keeps its `#`.
    pub name: Option<String>,
    /// Where its expression stands, in bytes of the sheet.
    pub expression: Span,
    /// The names of other lines in the expression.
    pub uses: Vec<String>,
    /// The unknown integers in the expression: names that no line binds.
    pub unknowns: Vec<String>,
    /// The expression with the values of its names in their places, which means the same without the sheet; for an expression that
    /// cannot be written so, or is refused, the expression itself.
    pub written: String,
    /// What it is, or why it is nothing. The span of an error counts from the start of the expression.
    pub outcome: Result<Answer, Error>,
}

/// A text of lines, evaluated.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    lines: Vec<Line>,
    names: Bindings,
}

impl Sheet {
    /// The answers of a text. Nothing in it can fail as a whole: a line that is refused says so itself.
    ///
    /// ```
    /// use bitstride_lang::Sheet;
    /// let sheet = Sheet::new("r = composition(a, b)\na = (6,2):(8,2)\nb = (4,3):(3,1)\nsize(r)");
    /// let values: Vec<String> = sheet.lines().iter().flat_map(|line| &line.outcome).map(|answer| answer.value.to_string()).collect();
    /// assert_eq!(values, ["((2,2),3):((24,2),8)", "(6,2):(8,2)", "(4,3):(3,1)", "12"]);
    /// ```
    pub fn new(text: &str) -> Self {
        // The first line too many says so; those after it are not read.
        let read = statements(text).take(MAX_LINES + 1);
        let pending: Vec<Pending> = read.map(|span| Pending::new(text, span)).collect();
        Solver::new(text, pending).solve()
    }

    /// The lines that say something, in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The last line that binds a name and has a value.
    ///
    /// ```
    /// use bitstride_lang::Sheet;
    /// let sheet = Sheet::new("a = (4,8):(8,1)\nb = coalesce(a)");
    /// assert_eq!(sheet.line("b").map(|line| line.written.as_str()), Some("coalesce((4,8):(8,1))"));
    /// assert_eq!(sheet.line("c"), None);
    /// ```
    pub fn line(&self, name: &str) -> Option<&Line> {
        self.lines.iter().rev().find(|line| line.name.as_deref() == Some(name) && line.outcome.is_ok())
    }

    /// The names, each with the value of the last line that binds it.
    pub fn names(&self) -> &Bindings {
        &self.names
    }
}

/// A line that has been read.
struct Pending {
    span: Span,
    name: Option<String>,
    is_alias: bool,
    expression: Span,
    /// Names that lines may bind.
    mentioned: Vec<(String, Span)>,
}

impl Pending {
    fn new(text: &str, span: Span) -> Self {
        let whole = span.of(text);
        let bound = alias(whole).map(|bound| (bound, true)).or_else(|| assignment(whole).map(|bound| (bound, false)));
        let (name, expression, is_alias) = match bound {
            Some(((name, expression), is_alias)) => (Some(name.to_owned()), expression, is_alias),
            None => (None, whole, false),
        };
        // The expression ends where the line ends, but for blanks.
        let end = span.start + whole.trim_end().len();
        let expression = Span::new(end - expression.len(), end);
        let mentioned = names_in(expression.of(text), Ints::Plain);
        Pending { span, name, is_alias, expression, mentioned }
    }
}

/// How far a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    /// Its names are being evaluated.
    Begun,
    Done,
}

/// Evaluates lines after those that they need, without recursion, as a sheet may be one long chain.
struct Solver<'t> {
    text: &'t str,
    pending: Vec<Pending>,
    binders: HashMap<String, Vec<usize>>,
    progress: Vec<Progress>,
    outcomes: Vec<Option<Result<Answer, Error>>>,
    written: Vec<Option<String>>,
    bound: Vec<Option<Bound>>,
}

impl<'t> Solver<'t> {
    fn new(text: &'t str, pending: Vec<Pending>) -> Self {
        let mut binders: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, line) in pending.iter().enumerate() {
            if let Some(name) = &line.name {
                binders.entry(name.clone()).or_default().push(index);
            }
        }
        let count = pending.len();
        Solver {
            text,
            pending,
            binders,
            progress: vec![Progress::Waiting; count],
            outcomes: vec![None; count],
            written: vec![None; count],
            bound: vec![None; count],
        }
    }

    /// The line that a name means on a line.
    fn binder(&self, name: &str, on: usize) -> Option<usize> {
        let binders = self.binders.get(name)?;
        binders.iter().rev().find(|line| **line < on).or_else(|| binders.first()).copied()
    }

    fn solve(mut self) -> Sheet {
        for index in 0..self.pending.len() {
            let mut waiting = vec![index];
            while let Some(line) = waiting.last().copied() {
                match self.next_needed(line) {
                    Some(needed) => waiting.push(needed),
                    None => {
                        self.answer(line);
                        waiting.pop();
                    }
                }
            }
        }
        let mut names = Bindings::default();
        for (line, bound) in self.pending.iter().zip(&self.bound) {
            if let (Some(name), Some(bound)) = (&line.name, bound) {
                names.bind_as(name, bound);
            }
        }
        let (written, outcomes) = (std::mem::take(&mut self.written), std::mem::take(&mut self.outcomes));
        let answered = std::mem::take(&mut self.pending).into_iter().zip(written.into_iter().zip(outcomes));
        let lines = answered.map(|(line, (written, outcome))| {
            let mut uses = Vec::new();
            let mut unknowns = Vec::new();
            for (name, _) in line.mentioned {
                let list = match self.binders.contains_key(&name) {
                    true => &mut uses,
                    false if name.starts_with(|c: char| c.is_ascii_uppercase()) => &mut unknowns,
                    false => continue,
                };
                if !list.contains(&name) {
                    list.push(name);
                }
            }
            let written = written.unwrap_or_else(|| line.expression.of(self.text).to_owned());
            let outcome = outcome.unwrap_or_else(|| Err(Error::new(Code::Undecided, "the line was not evaluated")));
            Line { span: line.span, name: line.name, expression: line.expression, uses, unknowns, written, outcome }
        });
        Sheet { lines: lines.collect(), names }
    }

    /// A line that must be answered before this one.
    fn next_needed(&mut self, line: usize) -> Option<usize> {
        let progress = self.progress.get_mut(line)?;
        if *progress == Progress::Done || line >= MAX_LINES {
            return None;
        }
        *progress = Progress::Begun;
        let mentioned = self.pending.get(line).map(|line| line.mentioned.as_slice()).unwrap_or_default();
        let mut needed = mentioned.iter().filter_map(|(name, _)| self.binder(name, line));
        needed.find(|needed| self.progress.get(*needed) == Some(&Progress::Waiting))
    }

    fn answer(&mut self, index: usize) {
        if self.progress.get(index) == Some(&Progress::Done) {
            return;
        }
        let outcome = self.evaluate(index);
        if let (Some(slot), Some(progress)) = (self.outcomes.get_mut(index), self.progress.get_mut(index)) {
            *slot = Some(outcome);
            *progress = Progress::Done;
        }
    }

    fn evaluate(&mut self, index: usize) -> Result<Answer, Error> {
        let line = self.pending.get(index).ok_or_else(|| Error::overflow("the number of a line"))?;
        if index >= MAX_LINES {
            return Err(error!(
                Code::TooLarge,
                "a sheet has at most {max_lines} lines: this one and those after it are not read",
                [max_lines = MAX_LINES]
            ));
        }
        let mut names = Bindings::default();
        for (name, span) in &line.mentioned {
            let Some(binder) = self.binder(name, index) else { continue };
            match self.bound.get(binder).and_then(Option::as_ref) {
                Some(bound) => names.bind_as(name, bound),
                None => return Err(self.without_value(name, binder).with_span(*span)),
            }
        }
        let text = line.expression.of(self.text);
        if let (Ok(written), Some(slot)) = (names.written_out(text, Ints::Plain), self.written.get_mut(index)) {
            *slot = Some(written);
        }
        let mut own = Bindings::default();
        let answer = match (&line.name, line.is_alias) {
            (Some(name), true) => {
                names.alias(name, text)?;
                names.bound(name).into_iter().for_each(|bound| own.bind_as(name, bound));
                let whole = names.alias_text(name).unwrap_or_default();
                evaluate(&whole).unwrap_or_else(|_| Answer::from(Value::Text(whole)))
            }
            (Some(name), false) => {
                let answer = evaluate_in(text, Ints::Plain, &names)?;
                own.bind(name, &answer.value)?;
                answer
            }
            (None, _) => evaluate_in(text, Ints::Plain, &names)?,
        };
        let bound = line.name.as_ref().and_then(|name| own.bound(name).cloned());
        if let Some(slot) = self.bound.get_mut(index) {
            *slot = bound;
        }
        Ok(answer)
    }

    /// Why a name has no value.
    fn without_value(&self, name: &str, binder: usize) -> Error {
        let span = self.pending.get(binder).map(|line| line.span).unwrap_or_default();
        let number = self.text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
        match self.progress.get(binder) {
            Some(Progress::Done) => {
                error!(Code::UnknownName, "{name} has no value: line {number} is refused", [name, number])
            }
            _ => error!(Code::UnknownName, "{name} is defined by itself, on line {number}", [name, number])
                .with_help("lines may need one another in any order, but not in a circle"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(text: &str) -> Vec<String> {
        let text_of = |line: &Line| match &line.outcome {
            Ok(answer) => answer.value.to_string(),
            Err(error) => format!("{}: {}", error.code().as_str(), error.message()),
        };
        Sheet::new(text).lines().iter().map(text_of).collect()
    }

    #[test]
    fn names_mean_the_nearest_line_above_else_the_first_below() {
        assert_eq!(outcomes("size(a)\na = 4:1\nsize(a)\na = 8:1\nsize(a)"), ["4", "4:1", "4", "8:1", "8"]);
        assert_eq!(outcomes("a = 4:1\na = coalesce((a, 2:4))"), ["4:1", "8:1"]);
    }

    #[test]
    fn a_bound_name_comes_before_an_unknown() {
        let sheet = Sheet::new("composition(A, B)\nA = (6,2):(8,2)\nB = (4,3):(3,1)\nM*4");
        let first = sheet.lines().first();
        assert_eq!(first.map(|line| line.uses.clone()), Some(vec!["A".to_owned(), "B".to_owned()]));
        assert_eq!(
            first.and_then(|line| line.outcome.as_ref().ok()).map(|a| a.value.to_string()).as_deref(),
            Some("((2,2),3):((24,2),8)")
        );
        assert_eq!(sheet.lines().last().map(|line| line.unknowns.clone()), Some(vec!["M".to_owned()]));
    }

    #[test]
    fn circles_and_refused_lines_are_refused_where_they_are_used() {
        let found = outcomes("a = size(b)\nb = size(a)\nc = size(c)\nd = 4:\nsize(d)");
        assert_eq!(found[0], "unknown-name: b has no value: line 2 is refused");
        assert_eq!(found[1], "unknown-name: a is defined by itself, on line 1");
        assert_eq!(found[2], "unknown-name: c is defined by itself, on line 3");
        assert_eq!(found[4], "unknown-name: d has no value: line 4 is refused");
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let lines: Vec<String> =
            (0..2000).map(|n| format!("a{n} = a{}", n + 1)).chain(["a2000 = 4:1".to_owned()]).collect();
        assert!(outcomes(&lines.join("\n")).iter().all(|value| value == "4:1"));
        let many = outcomes(&"1\n".repeat(5000));
        assert_eq!(many.len(), MAX_LINES + 1);
        assert!(many.last().is_some_and(|last| last.starts_with("too-large")));
    }

    #[test]
    fn aliases_and_brackets_over_lines() {
        let text = "// a comment\n\n#b = #ttg.blocked<{sizePerThread=[4],\r\n  threadsPerWarp=[2], warpsPerCTA=[1], order=[0]}>\r\n\
                    t = tensor<8xf32, #b>\nrank(\n  t)\n(4,\n\n5";
        let sheet = Sheet::new(text);
        let found: Vec<&str> = sheet.lines().iter().map(|line| line.span.of(text)).collect();
        assert_eq!(found.len(), 5, "{found:?}");
        assert_eq!(found[2], "rank(\n  t)");
        assert_eq!(sheet.lines()[2].outcome.as_ref().map(|answer| answer.value.to_string()).as_deref(), Ok("3"));
        assert!(sheet.lines()[3].outcome.is_err());
        assert_eq!(found[4], "5");
    }
}
