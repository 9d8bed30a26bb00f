//! [`Derivation`]: how an answer comes about, as the operation that computes it reports it.
//!
//! Law: each expression evaluates, and the last one to the answer (`tests/explain.rs`).

/// The steps of an operation, where somebody wants to know them: sentences with the expressions that they speak of.
#[derive(Debug)]
pub(super) struct Derivation(Option<Vec<(String, String)>>);

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
            lines.push((rule.into(), expression()));
        }
    }

    /// The steps in order.
    pub(super) fn lines(self) -> Vec<(String, String)> {
        self.0.unwrap_or_default()
    }
}
