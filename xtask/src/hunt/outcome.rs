//! [`Outcome`]: what the oracle says of one answer, and [`Tally`]: how often it said so.

use std::fmt;

use bitstride::{Code, Error};
use bitstride_oracle::laws::Violation;

/// What the oracle says of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The answer obeys its law.
    Right,
    /// There is no answer, and the oracle finds none either.
    Refused,
    /// The oracle finds an answer where ours was refused.
    FalselyRefused(String),
    /// The budget of a decision ended.
    Undecided(String),
    /// The answer breaks its law, or the program panicked.
    Wrong(String),
    /// The oracle could not count: nothing is known.
    Unjudged(String),
}

impl Outcome {
    /// The outcome of a law that was checked on an answer.
    pub(crate) fn of_answer(held: Result<(), Violation>) -> Outcome {
        match held {
            Ok(()) => Outcome::Right,
            Err(violation) if violation.is_undecided() => Outcome::Unjudged(violation.to_string()),
            Err(violation) => Outcome::Wrong(violation.to_string()),
        }
    }

    /// The outcome of a refusal, from the check that no answer exists.
    pub(crate) fn of_refusal(error: &Error, held: Result<(), Violation>) -> Outcome {
        if matches!(error.code(), Code::Undecided) {
            return Outcome::Undecided(error.to_string());
        }
        match held {
            Ok(()) => Outcome::Refused,
            Err(violation) if violation.is_undecided() => Outcome::Unjudged(violation.to_string()),
            Err(violation) => Outcome::FalselyRefused(format!("{error}; but {}", violation.witness)),
        }
    }

    /// The outcome of a refusal where an answer is known to exist, or not.
    pub(crate) fn of_known(error: &Error, answer: Option<String>) -> Outcome {
        match answer {
            _ if error.code() == Code::Undecided => Outcome::Undecided(error.to_string()),
            None => Outcome::Refused,
            Some(answer) => Outcome::FalselyRefused(format!("{error}; but {answer}")),
        }
    }

    /// The kinds in the order in which they are printed.
    pub(crate) const KINDS: [&'static str; 6] =
        ["right", "refused", "falsely refused", "undecided", "wrong", "unjudged"];

    /// Which of [`Outcome::KINDS`] it is.
    pub(crate) fn kind(&self) -> usize {
        match self {
            Outcome::Right => 0,
            Outcome::Refused => 1,
            Outcome::FalselyRefused(_) => 2,
            Outcome::Undecided(_) => 3,
            Outcome::Wrong(_) => 4,
            Outcome::Unjudged(_) => 5,
        }
    }

    /// The sentence of an outcome that is worth showing.
    pub(crate) fn sentence(&self) -> &str {
        match self {
            Outcome::Right | Outcome::Refused => "",
            Outcome::FalselyRefused(why) | Outcome::Undecided(why) | Outcome::Wrong(why) | Outcome::Unjudged(why) => {
                why
            }
        }
    }
}

/// How many cases came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// By the numbers of [`Outcome::KINDS`].
    pub(crate) counts: [u64; 6],
}

impl Tally {
    /// Counts one more.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        if let Some(count) = self.counts.get_mut(outcome.kind()) {
            *count += 1;
        }
    }

    /// Counts those of another.
    pub(crate) fn join(&mut self, other: &Tally) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
    }

    /// All cases.
    pub(crate) fn tried(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Cases that came out as one kind.
    pub(crate) fn of(&self, kind: usize) -> u64 {
        self.counts.get(kind).copied().unwrap_or(0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>9}", self.tried())?;
        self.counts.iter().try_for_each(|count| write!(f, "{count:>16}"))
    }
}
