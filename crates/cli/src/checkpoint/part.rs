//! The folder beside its final name in which an output grows, with the plan of what is written.
//!
//! Law: all that the folder holds is of the plan in it; for another plan it is emptied first.

use std::fs;
use std::path::{Path, PathBuf};

use bitstride::{Code, error};

use super::{Failure, failed};

/// The file that has the plan.
pub(super) const PLAN: &str = "plan.txt";

/// Refuses an output that is there already.
pub(crate) fn check_absent(out: &Path) -> Result<(), Failure> {
    if out.exists() {
        return Err(error!(
            Code::Syntax("exists"),
            "{out} is there already, and nothing is written over it",
            [out = out.display()]
        )
        .into());
    }
    Ok(())
}

/// The folder of an output, and whether a run of the same plan began it.
pub(crate) fn begun(out: &Path, plan: &str) -> Result<(PathBuf, bool), Failure> {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let folder = out.with_file_name(name);
    let path = folder.join(PLAN);
    if fs::read_to_string(&path).is_ok_and(|before| before == plan) {
        return Ok((folder, true));
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed("remove", &folder))?;
    }
    fs::create_dir_all(&folder).map_err(failed("create", &folder))?;
    fs::write(&path, plan).map_err(failed("write", &path))?;
    Ok((folder, false))
}
