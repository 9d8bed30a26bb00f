//! Memory-mapped files: [`SourceFile`] is read, and [`OutputFile`] is written beside its path and renamed at the end.
//!
//! Both may be larger than memory. Law: until [`OutputFile::commit`] has returned, the previous file at the path is
//! unchanged, whatever fails. On systems with unnamed files, an interrupted run leaves no file, even if it is killed.
//! On others it leaves at most a file with another name.
//!
//! A program whose files may exceed its limit (`ulimit -f`) must handle or ignore SIGXFSZ, which would end it. The
//! limit is then an error here.
//!
//! One assumption cannot be checked: no other program writes to the source or truncates it while it is mapped. Writing
//! changes the result, and reading truncated bytes ends the process, as in every program that maps files. The output
//! file has no name or one of its own, so that no other program opens it.
#![allow(unsafe_code)]

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use memmap2::{Mmap, MmapMut};
use tempfile::NamedTempFile;

/// The most bytes of one readahead request.
#[cfg(unix)]
const MAX_READAHEAD_BYTES: usize = 128 << 10;

/// A memory-mapped file to read from.
///
/// ```
/// use bitstride_relayout::SourceFile;
/// let path = std::env::temp_dir().join(format!("bitstride-source-{}", std::process::id()));
/// std::fs::write(&path, b"abc")?;
/// assert_eq!(SourceFile::open(&path)?.bytes(), b"abc");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SourceFile(Option<Mmap>);

impl SourceFile {
    /// Maps a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no regular file: a pipe cannot be mapped.
    pub fn open(path: &Path) -> Result<Self> {
        // Before it is opened: opening a pipe waits for who writes to it.
        regular(&fs::metadata(path)?)?;
        let file = fs::File::open(path)?;
        let data = file.metadata()?;
        regular(&data)?;
        if data.len() == 0 {
            return Ok(SourceFile(None));
        }
        // SAFETY: the map is read only, and as long as the file is now. That no one else writes to the file or cuts it off is
        // assumed, as the module says.
        let map = unsafe { Mmap::map(&file) }?;
        Ok(SourceFile(Some(map)))
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(&[])
    }

    /// Announces scattered reads after [`SourceFile::fetch`], so that the system reads single pages and no readahead.
    pub(crate) fn gather(&self) {
        #[cfg(unix)]
        if let Some(map) = &self.0 {
            // Whether advice is taken changes no byte.
            let _ = map.advise(memmap2::Advice::Random);
        }
    }

    /// Requests some of its bytes, so that the system reads them soon.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is no such advice"))]
    pub(crate) fn fetch(&self, bytes: Range<usize>) {
        // Systems read no more at once than they would ahead.
        #[cfg(unix)]
        for first in bytes.clone().step_by(MAX_READAHEAD_BYTES) {
            let size = MAX_READAHEAD_BYTES.min(bytes.end - first);
            if let Some(map) = &self.0 {
                let _ = map.advise_range(memmap2::Advice::WillNeed, first, size);
            }
        }
    }
}

/// A memory-mapped file to write to, without a name or under a temporary name in the same folder. It is removed when
/// dropped before [`OutputFile::commit`].
///
/// ```
/// use bitstride_relayout::OutputFile;
/// let path = std::env::temp_dir().join(format!("bitstride-output-{}", std::process::id()));
/// let mut output = OutputFile::create(&path, 3)?;
/// output.bytes().copy_from_slice(b"abc");
/// assert!(!path.exists());
/// output.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"abc");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    map: Option<MmapMut>,
    temporary: Temporary,
    path: PathBuf,
    /// Whether there is a file at the path, which is the user's until the end.
    replaces: bool,
}

impl OutputFile {
    /// A file of `bytes` zero bytes for a path: a new one, or a file that it will replace, keeping who may read, write
    /// and run it; where the path is a link, the file that it leads to. Its room on the disk is taken now, so that it does
    /// not run out in the middle.
    ///
    /// # Errors
    /// When the folder cannot be written to or has no room, and when something is at the path that cannot be replaced:
    /// a folder, a device, a file that is read only.
    pub fn create(path: &Path, bytes: usize) -> Result<Self> {
        OutputFile::create_under(path, bytes, |_| ())
    }

    /// The same. `named` is called first with the temporary name, if there is one, for programs that remove the file on a
    /// signal.
    ///
    /// # Errors
    /// As [`OutputFile::create`].
    pub fn create_under(path: &Path, bytes: usize, named: impl FnOnce(Option<&Path>)) -> Result<Self> {
        let path = end_of_links(path)?;
        let old = match fs::metadata(&path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(old) = &old {
            regular(old)?;
            if old.permissions().readonly() {
                return Err(Error::new(ErrorKind::PermissionDenied, "it is there and read only"));
            }
        }
        let temporary = match unnamed_file(folder_of(&path)) {
            Some(file) => Temporary::Unnamed(file),
            None => Temporary::Named(new_file(folder_of(&path))?),
        };
        named(temporary.path());
        if let Some(old) = &old {
            temporary.file().set_permissions(without_owner(old))?;
        }
        let length = u64::try_from(bytes).map_err(io::Error::other)?;
        take_room(temporary.file(), length).map_err(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Error::new(error.kind(), format!("{error}; it needs {bytes} bytes"))
            }
            _ => error,
        })?;
        let mut map = None;
        if bytes > 0 {
            // SAFETY: the file was made just now under a name that was free, so that no one else has it open; it stays as long
            // as it is until the map is gone.
            map = Some(unsafe { MmapMut::map_mut(temporary.file()) }?);
        }
        Ok(OutputFile { map, temporary, path, replaces: old.is_some() })
    }

    /// The bytes of the file.
    pub fn bytes(&mut self) -> &mut [u8] {
        self.map.as_deref_mut().unwrap_or(&mut [])
    }

    /// Announces that its pages are written in any order ([`Plan::scatters`](crate::Plan::scatters)). The system then allocates
    /// single pages. Otherwise it allocates neighbours too, and evicts other pages for them where memory is short.
    ///
    /// ```
    /// use bitstride_relayout::OutputFile;
    /// let path = std::env::temp_dir().join(format!("bitstride-scatter-{}", std::process::id()));
    /// let mut output = OutputFile::create(&path, 2)?;
    /// output.scatter();
    /// output.bytes().copy_from_slice(b"ab");
    /// output.commit()?;
    /// assert_eq!(std::fs::read(&path)?, b"ab");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn scatter(&self) {
        #[cfg(unix)]
        if let Some(map) = &self.map {
            // Whether advice is taken changes no byte.
            let _ = map.advise(memmap2::Advice::Random);
        }
    }

    /// Renames the file to its path. Where it replaces another, it is on the disk first, so that even a power failure
    /// does not lose both.
    ///
    /// # Errors
    /// When the file cannot be written or renamed; then it is removed.
    pub fn commit(self) -> Result<()> {
        let OutputFile { map, temporary, path, replaces } = self;
        drop(map);
        if replaces {
            temporary.file().sync_all()?;
        }
        match temporary {
            Temporary::Named(file) => file.persist(path).map(drop).map_err(|why| why.error),
            Temporary::Unnamed(file) => name_file(&file, &path, replaces),
        }
    }
}

/// A file that is not yet at its place.
#[derive(Debug)]
enum Temporary {
    Named(NamedTempFile),
    /// The system removes it with the process.
    Unnamed(fs::File),
}

impl Temporary {
    fn file(&self) -> &fs::File {
        match self {
            Temporary::Named(file) => file.as_file(),
            Temporary::Unnamed(file) => file,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Temporary::Named(file) => Some(file.path()),
            Temporary::Unnamed(_) => None,
        }
    }
}

/// The folder of a path.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file without a name, on a system and in a folder that have such files, which can be given a name later.
#[cfg(target_os = "linux")]
fn unnamed_file(folder: &Path) -> Option<fs::File> {
    use rustix::fs::{Mode, OFlags, open};
    // As any new file, less what the user's mask takes away.
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
    let file = fs::File::from(open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok()?);
    // It gets its name by this path, which needs a mounted `/proc`.
    fs::metadata(own_path(&file)).ok()?;
    Some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_: &Path) -> Option<fs::File> {
    None
}

/// Where an open file is found.
#[cfg(target_os = "linux")]
fn own_path(file: &fs::File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives a file without a name its path. A link replaces nothing: where there is a file, the new one gets another name
/// beside it for a moment, and is renamed.
#[cfg(target_os = "linux")]
fn name_file(file: &fs::File, path: &Path, replaces: bool) -> Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let own = own_path(file);
    let link = |to: &Path| linkat(CWD, &own, CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(Error::from);
    if !replaces {
        match link(path) {
            // Someone was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            linked => return linked,
        }
    }
    let beside = temporary_name().make_in(folder_of(path), link)?;
    beside.persist(path).map(drop).map_err(|why| why.error)
}

#[cfg(not(target_os = "linux"))]
fn name_file(_: &fs::File, _: &Path, _: bool) -> Result<()> {
    Err(Error::from(ErrorKind::Unsupported))
}

fn regular(data: &fs::Metadata) -> Result<()> {
    match data.is_file() {
        true => Ok(()),
        false if data.is_dir() => Err(Error::new(ErrorKind::IsADirectory, "it is a folder")),
        false => Err(Error::new(ErrorKind::InvalidInput, "it is no regular file, and only these can be mapped")),
    }
}

/// Where a path leads through links, also when nothing is there yet.
fn end_of_links(path: &Path) -> Result<PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::canonicalize(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found => return found,
        }
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("it leads through more than {MAX_LINKS} links")))
}

/// A name that no length of the user's makes too long.
fn temporary_name() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bitstride-").suffix(".part");
    builder
}

/// A new file with such a name.
fn new_file(folder: &Path) -> Result<NamedTempFile> {
    // As any new file, less what the user's mask takes away; the crate's files are private else.
    temporary_name().make_in(folder, |path| fs::File::options().read(true).write(true).create_new(true).open(path))
}

/// Who may read, write and run a file, without the bits that let it run as its owner: the new file may have another.
#[cfg(unix)]
fn without_owner(old: &fs::Metadata) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(old.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn without_owner(old: &fs::Metadata) -> fs::Permissions {
    old.permissions()
}

/// Gives a new file its length and takes its room on the disk: writing to a map for which there is none ends the process.
#[cfg(target_os = "linux")]
fn take_room(file: &fs::File, bytes: u64) -> Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    file.set_len(bytes)?;
    if bytes == 0 {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) => Ok(()),
        // File systems that cannot say so in advance.
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => write_room(file, bytes),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn take_room(file: &fs::File, bytes: u64) -> Result<()> {
    write_room(file, bytes)
}

/// Takes room by writing zeros, and waits until they are on the disk: some systems find only then that it is full.
fn write_room(file: &fs::File, bytes: u64) -> Result<()> {
    const WRITE_BUFFER_BYTES: usize = 1 << 20;
    let mut writer = io::BufWriter::with_capacity(WRITE_BUFFER_BYTES, file);
    io::copy(&mut io::repeat(0).take(bytes), &mut writer)?;
    writer.flush()?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;

    /// Without a name and with one, new and in the place of another.
    #[test]
    fn files_take_their_place_whole() {
        let folder = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        let path = folder.path().join("out");
        let named = || Some(Temporary::Named(new_file(folder.path()).unwrap()));
        let unnamed = || unnamed_file(folder.path()).map(Temporary::Unnamed);
        let kinds: [&dyn Fn() -> Option<Temporary>; 2] = [&named, &unnamed];
        for temporary in kinds {
            for (replaces, there) in [(false, false), (true, true), (false, true)] {
                let Some(temporary) = temporary() else { continue };
                let _ = fs::remove_file(&path);
                if there {
                    fs::write(&path, b"before").unwrap();
                }
                temporary.file().write_all(b"after").unwrap();
                OutputFile { map: None, temporary, path: path.clone(), replaces }.commit().unwrap();
                assert_eq!((fs::read(&path).unwrap(), names()), (b"after".to_vec(), vec!["out".into()]));
            }
        }
    }

    #[test]
    fn room_that_is_written_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [0, 1, (1 << 20) + 3] {
            let file = new_file(folder.path()).unwrap();
            write_room(file.as_file(), bytes).unwrap();
            let data = file.as_file().metadata().unwrap();
            assert_eq!(data.len(), bytes);
            #[cfg(unix)]
            assert!(std::os::unix::fs::MetadataExt::blocks(&data) * 512 >= bytes);
        }
    }
}
