//! [`CancelToken`]: ends a computation from another thread.
//!
//! Loops that can be long pass a [`checkpoint`]. Under a token that was cancelled, the next look at it unwinds the
//! computation, so that no function sees half an answer. Law: [`CancelToken::run`] returns what the work returns, or
//! nothing and only after [`CancelToken::cancel`]. Outside of `run`, a checkpoint does nothing.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many checkpoints pass between two looks at the token.
const INTERVAL: u32 = 64;

thread_local! {
    /// Checkpoints until the next look.
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// The token of the work that the thread does.
    static CURRENT: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// What unwinds a computation that was cancelled.
struct Cancelled;

/// Cancels the work that runs under it or under one of its clones.
///
/// Work is ended by unwinding: a program that aborts on panic is aborted by a cancellation.
///
/// ```
/// use bitstride::cancel::CancelToken;
///
/// let token = CancelToken::new();
/// assert_eq!(token.run(|| 7), Some(7));
/// token.cancel();
/// assert_eq!(token.run(|| loop { bitstride::cancel::checkpoint() }), None::<()>);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        CancelToken::default()
    }

    /// Ends the work under the token at its next checkpoints, from any thread; it stays cancelled.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// What the work returns; nothing where it was cancelled before it ended. A panic of the work goes on to the caller.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let outer = CURRENT.replace(Some(self.clone()));
        LEFT.set(0);
        // What the work has changed is dropped with it, or belongs to a caller that gets no answer.
        let result = catch_unwind(AssertUnwindSafe(work));
        CURRENT.set(outer);
        match result {
            Ok(result) => Some(result),
            Err(payload) if payload.is::<Cancelled>() => None,
            Err(payload) => resume_unwind(payload),
        }
    }
}

/// Ends the computation here if the token that it runs under was cancelled. It costs the decrement of a counter, so that
/// a loop may pass one at every turn.
#[inline]
pub fn checkpoint() {
    match LEFT.get().checked_sub(1) {
        Some(left) => LEFT.set(left),
        None => look(),
    }
}

#[cold]
fn look() {
    LEFT.set(INTERVAL);
    // A thread that ends has no token any more, and one that unwinds is left to it.
    let is_cancelled = CURRENT.try_with(|current| current.borrow().as_ref().is_some_and(CancelToken::is_cancelled));
    if is_cancelled.unwrap_or(false) && !std::thread::panicking() {
        resume_unwind(Box::new(Cancelled));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endless() -> i32 {
        loop {
            checkpoint();
        }
    }

    #[test]
    fn the_outer_token_is_back_after_the_inner() {
        let (outer, inner) = (CancelToken::new(), CancelToken::new());
        let result = outer.run(|| {
            inner.cancel();
            assert_eq!(inner.run(endless), None);
            // The outer token is not cancelled: these checkpoints pass.
            (0..10 * INTERVAL).for_each(|_| checkpoint());
            outer.cancel();
            endless()
        });
        assert_eq!(result, None);
        // Without a token nothing is cancelled.
        (0..10 * INTERVAL).for_each(|_| checkpoint());
    }

    #[test]
    fn a_panic_is_no_cancellation() {
        let token = CancelToken::new();
        let panicked = catch_unwind(|| token.run(|| resume_unwind(Box::new("a defect"))));
        let payload = panicked.map(|_: Option<()>| ()).expect_err("a panic");
        assert_eq!(payload.downcast_ref(), Some(&"a defect"));
    }
}
