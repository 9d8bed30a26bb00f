//! Signals that end the program while it writes a file.
//!
//! Law: what was begun is removed, one line says whether OUT is written, and the exit code is that of the signal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::{fs, process, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// A file that is larger than the process may write is an error, which ends it else without a word.
pub(crate) fn heed_limits() {
    // The flag has no reader: that there is one keeps the signal from ending the process.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// What is being written.
struct Written {
    /// Where OUT will be.
    out: PathBuf,
    /// The name under which it is written, if it has one until it takes its place.
    part: Option<PathBuf>,
    /// Whether it has taken it.
    done: bool,
}

static WRITTEN: Mutex<Option<Written>> = Mutex::new(None);

fn written() -> MutexGuard<'static, Option<Written>> {
    WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, a signal that ends the process removes what is to be `out`, if that has a name.
pub(crate) fn writes(part: Option<&Path>, out: &Path) {
    static WAITS: Once = Once::new();
    *written() = Some(Written { out: out.to_owned(), part: part.map(Path::to_owned), done: false });
    // Where no thread can be had for it, a signal leaves the file behind.
    WAITS.call_once(|| drop(thread::Builder::new().spawn(wait)));
}

/// Lets the file take its place, while no signal ends the process: either it has taken it, or nothing is left.
pub(crate) fn takes_place(commit: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let mut written = written();
    commit()?;
    if let Some(written) = written.as_mut() {
        written.done = true;
    }
    Ok(())
}

/// Nothing is being written any more.
pub(crate) fn ends() {
    *written() = None;
}

fn wait() {
    let Ok(mut signals) = Signals::new(not_ignored()) else { return };
    let Some(signal) = signals.forever().next() else { return };
    let written = written();
    let Some(Written { out, part, done }) = written.as_ref() else { process::exit(128 + signal) };
    let what = match part.as_ref().filter(|_| !done).map(fs::remove_file) {
        _ if *done => "has been written".to_owned(),
        None | Some(Ok(())) => "is as it was".to_owned(),
        Some(Err(error)) => {
            let part = part.as_deref().unwrap_or(Path::new(""));
            format!("is as it was, and {} is left: {error}", part.display())
        }
    };
    let out = out.display();
    let cause = match signal {
        SIGINT => "SIGINT",
        SIGTERM => "SIGTERM",
        _ => "SIGHUP",
    };
    let _ = writeln!(io::stderr(), "error[interrupted]: ended by {cause}; {out} {what}");
    process::exit(128 + signal);
}

/// The signals that end a process, less those that whoever started it lets it ignore, as `nohup` does.
fn not_ignored() -> Vec<i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    match mask {
        Some(mask) => [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| mask >> (signal - 1) & 1 == 0).collect(),
        // Systems without this file: the signals that a parent seldom ignores.
        None => vec![SIGINT, SIGTERM],
    }
}
