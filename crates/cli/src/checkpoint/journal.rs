//! [`Journal`]: which tensors of an output are written, so that a run that was killed goes on where it was.
//!
//! The output grows in a folder beside its final name. Law: the folder gets the final name only when all is written; a tensor is in the
//! journal only after its data is.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error};

use super::{Failure, failed};

const PLAN: &str = "plan.txt";
const DONE: &str = "done.txt";

/// The folder in which an output grows.
pub(super) struct Journal {
    pub(super) folder: PathBuf,
    out: PathBuf,
    done: HashSet<String>,
    log: File,
}

impl Journal {
    /// Begins an output, or goes on with one of the same plan.
    pub(super) fn open(out: &Path, plan: &str) -> Result<Self, Failure> {
        if out.exists() {
            let message = format!("{} is there already, and nothing is written over it", out.display());
            return Err(Error::new(Code::Syntax("exists"), message).into());
        }
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let folder = out.with_file_name(name);
        let (path, log) = (folder.join(PLAN), folder.join(DONE));
        let mut done = HashSet::new();
        if fs::read_to_string(&path).is_ok_and(|before| before == plan) {
            let text = fs::read_to_string(&log).unwrap_or_default();
            // A line without its end was being written.
            done.extend(text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(str::to_owned));
        } else {
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(failed("remove", &folder))?;
            }
            fs::create_dir_all(&folder).map_err(failed("create", &folder))?;
            fs::write(&path, plan).map_err(failed("write", &path))?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&log).map_err(failed("write", &log))?;
        // Ends such a line, which then is the name of no tensor.
        file.write_all(b"\n").map_err(failed("write", &log))?;
        Ok(Journal { folder, out: out.to_owned(), done, log: file })
    }

    pub(super) fn is_done(&self, tensor: &str) -> bool {
        self.done.contains(tensor)
    }

    /// Whether anything is done.
    pub(super) fn is_resumed(&self) -> bool {
        self.done.iter().any(|name| !name.is_empty())
    }

    /// Notes that a tensor is written.
    pub(super) fn note(&mut self, tensor: &str) -> Result<(), Failure> {
        writeln!(self.log, "{tensor}").map_err(failed("write", &self.folder.join(DONE)))
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
