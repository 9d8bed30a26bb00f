//! [`Trace`]: hears what an operation does, step by step, while it works.
//!
//! An operation that can be explained takes a tracer. The tracer `()` ignores the reports and costs nothing; a `Vec` keeps
//! them. Law: the answer does not depend on the tracer.

/// Hears the events of an operation.
///
/// ```
/// use bitstride::cute::{WalkStep, composition_traced};
/// use bitstride::{Int, Layout, Stride};
/// let (a, b): (Layout, Layout) = ("(6,2):(8,2)".parse()?, "12:1".parse()?);
/// let mut events: Vec<WalkStep<Int, Stride>> = Vec::new();
/// assert_eq!(composition_traced(&a, &b, &mut events)?.to_string(), "(6,2):(8,2)");
/// assert_eq!(events.len(), 4);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub trait Trace<E> {
    /// One step; the event is made only where it is kept.
    fn record(&mut self, event: impl FnOnce() -> E);
}

impl<E> Trace<E> for () {
    #[inline(always)]
    fn record(&mut self, _: impl FnOnce() -> E) {}
}

impl<E> Trace<E> for Vec<E> {
    fn record(&mut self, event: impl FnOnce() -> E) {
        self.push(event());
    }
}
