//! [`Workers`]: jobs with a time limit each, on a thread of their own.
//!
//! A job that is over its limit, or that panics, costs its thread and nothing else: the next job gets a new thread. The
//! late job is cancelled, so that its thread ends at the next checkpoint of the algebra.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use bitstride::cancel::CancelToken;

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

/// A thread that does jobs under a token.
struct Worker<T> {
    jobs: Sender<Job<T>>,
    results: Receiver<T>,
    token: CancelToken,
}

/// One thread that takes jobs, replaced when a job takes it away.
pub(crate) struct Workers<T> {
    limit: Duration,
    worker: Option<Worker<T>>,
}

impl<T: Send + 'static> Workers<T> {
    /// With a limit for each job.
    pub(crate) fn new(limit: Duration) -> Self {
        Workers { limit, worker: None }
    }

    /// Does one job. Where no thread can be had, the caller does it without a limit.
    pub(crate) fn run(&mut self, job: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
        let Some(worker) = self.worker.take().or_else(start) else {
            return Outcome::Done(job());
        };
        // Only a thread that has ended takes no job, and one that has ended is never kept.
        if worker.jobs.send(Box::new(job)).is_err() {
            return Outcome::Panicked;
        }
        match worker.results.recv_timeout(self.limit) {
            Ok(result) => {
                self.worker = Some(worker);
                Outcome::Done(result)
            }
            Err(RecvTimeoutError::Timeout) => {
                worker.token.cancel();
                Outcome::Late
            }
            Err(RecvTimeoutError::Disconnected) => Outcome::Panicked,
        }
    }
}

/// A thread that does jobs until nobody can send any, or one is cancelled.
fn start<T: Send + 'static>() -> Option<Worker<T>> {
    let (jobs, queue) = channel::<Job<T>>();
    let (answers, results) = channel();
    let token = CancelToken::new();
    let own = token.clone();
    let work = move || {
        for job in queue {
            let Some(result) = own.run(job) else { return };
            if answers.send(result).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(work).ok().map(|_| Worker { jobs, results, token })
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

    /// Lines that take longer than a millisecond: points one by one, periods, sums, tables and views.
    const LONG: [&str; 6] = [
        "is_bijective(Sw<3,3,3> o (1000,1000):(1001,1))",
        "same(f32[1000003,999983]{1,0:T(*,128)}, f32[1000003,999983]{1,0:T(*,127)})",
        "diff(f32[1000003,999983]{1,0:T(*,128)}, f32[1000003,999983]{1,0:T(*,127)})",
        "offsets((16,2048):(2048,1))",
        "owners((2,12288), (1,0), (4,128))",
        "hardware_view(tensor<2097152x2xf16, #ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[2,2], warpsPerCTA=[1,1], order=[1,0]}>>)",
    ];

    #[test]
    fn late_jobs_end() {
        for text in LONG {
            let mut workers = Workers::new(Duration::from_millis(1));
            let (running, ended) = channel::<()>();
            let job = move || {
                let _running = running;
                bitstride_lang::evaluate(text).is_ok()
            };
            assert_eq!(workers.run(job), Outcome::Late, "{text}");
            // Ending the job drops its sender, and its thread ends after it.
            assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Err(RecvTimeoutError::Disconnected), "{text}");
        }
    }

    #[test]
    fn jobs_share_a_thread() {
        let mut workers = Workers::new(Duration::from_secs(60));
        let first = workers.run(|| thread::current().id());
        assert_eq!(workers.run(|| thread::current().id()), first);
    }
}
