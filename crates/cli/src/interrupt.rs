//! Signals that end the program while it writes a file.
//!
//! Law: what was begun is removed, one line says whether OUT is written, and the exit code is that of the signal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::{fs, process, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// A file that is larger than the process may write is an error, which ends it else without a word.
pub(crate) fn heed_limits() {
    // The flag has no reader: that there is one keeps the signal from ending the process.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// The file under another name that is being written, and the path that it is for.
static WRITTEN: Mutex<Option<[PathBuf; 2]>> = Mutex::new(None);

/// From now on, a signal that ends the process removes the file under another name that is to be `out`.
pub(crate) fn removes(part: &Path, out: &Path) {
    static WAITS: Once = Once::new();
    *WRITTEN.lock().unwrap_or_else(PoisonError::into_inner) = Some([part.to_owned(), out.to_owned()]);
    // Where no thread can be had for it, a signal leaves the file behind.
    WAITS.call_once(|| drop(thread::Builder::new().spawn(wait)));
}

/// Nothing is being written any more.
pub(crate) fn ends() {
    *WRITTEN.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn wait() {
    let Ok(mut signals) = Signals::new(not_ignored()) else { return };
    let Some(signal) = signals.forever().next() else { return };
    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some([part, out]) = written.as_ref() else { process::exit(128 + signal) };
    // Either this removes it, and it can no longer take its place, or it has taken it.
    let what = match fs::remove_file(part) {
        Ok(()) => "is as it was".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => "has been written".to_owned(),
        Err(error) => format!("is as it was, and {} is left: {error}", part.display()),
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
        // Where that is not told, those that are not ignored by custom.
        None => vec![SIGINT, SIGTERM],
    }
}
