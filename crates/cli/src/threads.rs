//! [`on_threads`]: work on threads of its own, of which none is started that would have nothing to do.
//!
//! The pool that rayon makes by itself is not used: it is as large as the environment says, and panics when its threads
//! cannot be had.

use std::io;
use std::sync::mpsc;
use std::thread;

use bitstride::{Code, Error, error};
use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// The bytes of address space that must be free before a thread is started: its stack (2 MiB), the heap that glibc maps for
/// it (128 MiB while it looks for its place), and what it and its caller allocate as it starts.
const ROOM: usize = 192 << 20;

/// Does work on a given number of threads. One is the caller's: then none is started.
pub(crate) fn on_threads(threads: usize, work: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    // A thread that finds no memory while it starts ends the process: the next is started when the one before has all it needs.
    let (runs, run) = mpsc::channel();
    let mut builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| runs.send(()).unwrap_or_default())
        .spawn_handler(|worker| start(worker).and_then(|()| run.recv().map_err(io::Error::other)));
    if threads <= 1 {
        // A thread that was a pool once stays one.
        if rayon::current_thread_index().is_some() {
            return work();
        }
        builder = builder.use_current_thread();
    }
    let pool = builder.build().map_err(|why| {
        error!(Code::Syntax("threads"), "{threads} threads cannot be started: {why}", [threads, why])
            .with_help("--threads 1 starts none")
    })?;
    pool.install(work)
}

/// Starts a thread where there is room for it.
fn start(worker: ThreadBuilder) -> io::Result<()> {
    Vec::<u8>::new().try_reserve_exact(ROOM).map_err(|_| io::ErrorKind::OutOfMemory)?;
    thread::Builder::new().spawn(|| worker.run()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_the_callers() {
        let caller = std::thread::current().id();
        for (threads, own) in [(1, true), (2, false), (1, true), (0, true), (3, false)] {
            let mut seen = None;
            let done = on_threads(threads, || {
                seen = Some((std::thread::current().id() == caller, rayon::current_num_threads()));
                Ok(())
            });
            assert_eq!((done, seen), (Ok(()), Some((own, threads.max(1)))));
        }
    }
}
