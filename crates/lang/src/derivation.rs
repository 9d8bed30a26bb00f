//! [`Derivation`]: how an answer comes about, as the operation that computes it reports it.
//!
//! Law: each expression evaluates, and the last one to the answer (`tests/explain.rs`).

/// One step: a sentence, and the expression of the language that it speaks of.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) rule: String,
    pub(super) expression: String,
}

/// The steps of an operation, where somebody wants to know them.
#[derive(Debug)]
pub(super) struct Derivation(Option<Vec<Line>>);

impl Derivation {
    /// One that keeps nothing, for who wants the answer alone.
    pub(super) fn ignored() -> Derivation {
        Derivation(None)
    }

    /// One that keeps all steps.
    pub(super) fn kept() -> Derivation {
        Derivation(Some(Vec::new()))
    }

    /// Reports a step. Nothing is written where nobody wants to know.
    pub(super) fn line(&mut self, rule: impl Into<String>, expression: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.0 {
            lines.push(Line { rule: rule.into(), expression: expression() });
        }
    }

    /// The steps in order.
    pub(super) fn lines(self) -> Vec<Line> {
        self.0.unwrap_or_default()
    }
}
