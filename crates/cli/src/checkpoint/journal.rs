//! [`Journal`]: which tensors of an output are written, so that a run that was killed goes on where it was.
//!
//! The output grows in a folder beside its final name. Law: the folder gets the final name only when all is written; the number of a
//! tensor is in the journal only after its data is written, and counts only where its line is whole.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::part::{PLAN, begun, check_absent};
use super::{Failure, failed};

const DONE: &str = "done.txt";

/// The folder in which an output grows.
pub(super) struct Journal {
    pub(super) folder: PathBuf,
    out: PathBuf,
    done: HashSet<usize>,
    log: File,
}

impl Journal {
    /// Begins an output, or goes on with one of the same plan.
    pub(super) fn open(out: &Path, plan: &str) -> Result<Self, Failure> {
        check_absent(out)?;
        let (folder, goes_on) = begun(out, plan)?;
        let log = folder.join(DONE);
        let mut whole = if goes_on { fs::read_to_string(&log).unwrap_or_default() } else { String::new() };
        // A line without its end was being written, and is dropped.
        whole.truncate(whole.rfind('\n').map_or(0, |end| end + 1));
        let done = whole.lines().filter_map(|line| line.parse().ok()).collect();
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&log).map_err(failed("write", &log))?;
        let end = u64::try_from(whole.len()).unwrap_or(u64::MAX);
        file.set_len(end).map_err(failed("write", &log))?;
        file.seek(SeekFrom::Start(end)).map_err(failed("write", &log))?;
        Ok(Journal { folder, out: out.to_owned(), done, log: file })
    }

    /// Whether the tensor of a number was written by a run before.
    pub(super) fn is_done(&self, tensor: usize) -> bool {
        self.done.contains(&tensor)
    }

    /// Notes that a tensor is written.
    pub(super) fn note(&mut self, tensor: usize) -> Result<(), Failure> {
        writeln!(self.log, "{tensor}").map_err(failed("write", &self.folder.join(DONE)))
    }

    /// Forgets what is written, so that the next run writes all of it again.
    pub(super) fn forget(self) -> Result<(), Failure> {
        let path = self.folder.join(DONE);
        fs::remove_file(&path).map_err(failed("remove", &path))
    }

    /// Gives the output its name.
    pub(super) fn commit(self) -> Result<(), Failure> {
        for name in [PLAN, DONE] {
            let path = self.folder.join(name);
            fs::remove_file(&path).map_err(failed("remove", &path))?;
        }
        fs::rename(&self.folder, &self.out).map_err(failed("rename", &self.folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_being_written_counts_in_no_later_run() {
        let temporary = tempfile::tempdir().expect("a folder");
        let out = temporary.path().join("out");
        let done = |plan: &str| {
            let journal = Journal::open(&out, plan).expect("a journal");
            [1, 7, 12].map(|number| journal.is_done(number))
        };
        let mut journal = Journal::open(&out, "plan").expect("a journal");
        journal.note(7).expect("a line");
        // The start of 12.
        journal.log.write_all(b"1").expect("a line without its end");
        assert_eq!(done("plan"), [false, true, false]);
        assert_eq!(done("plan"), [false, true, false]);
        assert_eq!(done("another plan"), [false, false, false]);
    }
}
