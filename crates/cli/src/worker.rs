//! [`Workers`]: jobs with a time limit each, on a thread of their own.
//!
//! The algebra is synchronous and cannot be cancelled. A job that is over its limit, or that panics, costs its thread and
//! nothing else: the next job gets a new thread, and the old one ends with the process at the latest.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Far more than the deepest expression needs, and only the part that is used takes memory.
pub(crate) const STACK: usize = 64 << 20;

/// How a job ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome<T> {
    /// With a result.
    Done(T),
    /// It was over its limit.
    Late,
    /// It panicked, which is a defect.
    Panicked,
}

type Job<T> = Box<dyn FnOnce() -> T + Send>;

/// One thread that takes jobs, replaced when a job takes it away.
pub(crate) struct Workers<T> {
    limit: Duration,
    worker: Option<(Sender<Job<T>>, Receiver<T>)>,
}

impl<T: Send + 'static> Workers<T> {
    /// With a limit for each job.
    pub(crate) fn new(limit: Duration) -> Self {
        Workers { limit, worker: None }
    }

    /// Does one job. Where no thread can be had, the caller does it without a limit.
    pub(crate) fn run(&mut self, job: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
        let Some((jobs, results)) = self.worker.take().or_else(start) else {
            return Outcome::Done(job());
        };
        // Only a thread that has ended takes no job, and one that has ended is never kept.
        if jobs.send(Box::new(job)).is_err() {
            return Outcome::Panicked;
        }
        match results.recv_timeout(self.limit) {
            Ok(result) => {
                self.worker = Some((jobs, results));
                Outcome::Done(result)
            }
            Err(RecvTimeoutError::Timeout) => Outcome::Late,
            Err(RecvTimeoutError::Disconnected) => Outcome::Panicked,
        }
    }
}

/// A thread that does jobs until nobody can send any.
fn start<T: Send + 'static>() -> Option<(Sender<Job<T>>, Receiver<T>)> {
    let (jobs, queue) = channel::<Job<T>>();
    let (answers, results) = channel();
    let work = move || {
        for job in queue {
            if answers.send(job()).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(work).ok().map(|_| (jobs, results))
}

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;

    use super::*;

    #[test]
    fn a_job_costs_no_other_job() {
        let mut workers = Workers::new(Duration::from_millis(200));
        let done = |workers: &mut Workers<i64>| workers.run(|| 7);
        assert_eq!(done(&mut workers), Outcome::Done(7));
        let asleep = || {
            thread::sleep(Duration::from_secs(60));
            1
        };
        assert_eq!(workers.run(asleep), Outcome::Late);
        assert_eq!(done(&mut workers), Outcome::Done(7));
        // Without the message that a panic prints.
        assert_eq!(workers.run(|| resume_unwind(Box::new("a defect"))), Outcome::Panicked);
        assert_eq!(done(&mut workers), Outcome::Done(7));
    }

    #[test]
    fn jobs_share_a_thread() {
        let mut workers = Workers::new(Duration::from_secs(60));
        let first = workers.run(|| thread::current().id());
        assert_eq!(workers.run(|| thread::current().id()), first);
    }
}
