//! Writes a checkpoint for another sharding, one band of rows of a tensor at a time, and compares what was written.
//!
//! A band is read from all pieces that have rows of it, each in one run of bytes, put together row-major, and written to all files that
//! have a part of it, each in one run of bytes. So every byte is read once and in order, however source and target cut the tensor.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use bitstride::{Code, Error, cast, error};

use super::journal::Journal;
use super::region::{Region, copy_box, strides};
use super::source::{Checkpoint, Piece, Whole};
use super::target::{Part, Target};
use super::zarr::Chunk;
use super::{Failure, failed};

/// The most bytes of a band: what stays in the second cache of a processor.
const BAND: i64 = 1 << 20;

/// The bytes that are read at once of what was written.
const COMPARED: usize = 1 << 16;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// The bytes of data that were read.
    pub(crate) read: u64,
    /// The bytes of data that were written.
    pub(crate) written: u64,
    /// How many tensors were there from a run before.
    pub(crate) kept: usize,
    /// What was compared with the source, where that was asked.
    pub(crate) verified: Option<Verified>,
}

/// What was read back and is equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verified {
    /// How many tensors of files, or chunks of arrays.
    pub(crate) parts: usize,
    /// How many bytes of data.
    pub(crate) bytes: u64,
}

/// Writes the files of a target, with at most `memory` bytes of buffers. Where `is_verified`, they are read back before they get their
/// name, and an output that is there already is compared only. `show` gets the bytes of the source that are done, and all of them.
pub(crate) fn write(
    checkpoint: &Checkpoint,
    target: &Target,
    out: &Path,
    memory: i64,
    is_verified: bool,
    show: &dyn Fn(u64, u64),
) -> Result<Report, Failure> {
    for tensor in &checkpoint.tensors {
        let row = row_bytes(tensor)?;
        // A band, and what is read or written of it.
        if row.checked_mul(2).is_none_or(|both| both > memory) {
            return Err(error!(
                Code::TooLarge,
                "one row of tensor {name} has {row} bytes, of which two are kept: more than the limit of {memory}",
                [name = tensor.name, row, memory]
            )
            .with_help("a larger --memory")
            .into());
        }
    }
    for tensor in &checkpoint.tensors {
        let kept = unpacked_bytes(tensor);
        if kept > memory / 2 {
            return Err(error!(
                Code::TooLarge,
                "the packed chunks that share a row of tensor {name} have {kept} bytes, which are kept until the row is written: more than half of the limit of {memory}",
                [name = tensor.name, kept, memory]
            ).with_help("a larger --memory").into());
        }
    }
    let mut report = Report::default();
    if is_verified && out.exists() {
        report.verified = Some(verify(checkpoint, target, out, memory, show)?);
        return Ok(report);
    }
    let mut journal = Journal::open(out, &plan(checkpoint, target)?)?;
    let mut outputs = Vec::new();
    for file in &target.files {
        let path = journal.folder.join(&file.name);
        let mut output =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed("create", &path))?;
        output.set_len(file.size).map_err(failed("write", &path))?;
        output.write_all(&file.header).map_err(failed("write", &path))?;
        outputs.push((path, output));
    }
    let mut source = Source::new(checkpoint);
    let all = checkpoint.bytes();
    for (number, tensor) in checkpoint.tensors.iter().enumerate() {
        if journal.is_done(number) {
            report.kept += 1;
            continue;
        }
        for band in bands(tensor, memory)? {
            report.read += source.read(&band)?;
            for (file, (path, output)) in target.files.iter().zip(&mut outputs) {
                let Some(part) = file.parts.get(number) else { continue };
                let Some((start, bytes)) = source.gather(&band, part)? else { continue };
                output.seek(SeekFrom::Start(start)).map_err(failed("write", path))?;
                output.write_all(bytes).map_err(failed("write", path))?;
                report.written += counted(bytes.len());
            }
            show(report.read, all);
        }
        journal.note(number)?;
    }
    drop(outputs);
    if is_verified {
        match verify(checkpoint, target, &journal.folder, memory, show) {
            Ok(verified) => report.verified = Some(verified),
            Err(failure) => {
                journal.forget()?;
                return Err(failure);
            }
        }
    }
    journal.commit()?;
    Ok(report)
}

/// Compares the files of a folder with the source.
fn verify(
    checkpoint: &Checkpoint,
    target: &Target,
    folder: &Path,
    memory: i64,
    show: &dyn Fn(u64, u64),
) -> Result<Verified, Failure> {
    let mut outputs = Vec::new();
    let mut buffer = vec![0; COMPARED];
    for file in &target.files {
        let path = folder.join(&file.name);
        let mut output = File::open(&path).map_err(failed("read", &path))?;
        let size = output.metadata().map_err(failed("read", &path))?.len();
        if size != file.size {
            return Err(differs(&path, format!("it has {size} bytes, and {} were written", file.size)).into());
        }
        if let Some(place) = compare(&mut output, 0, &file.header, &mut buffer).map_err(failed("read", &path))? {
            return Err(differs(&path, format!("byte {place} of its header is another")).into());
        }
        outputs.push((path, output));
    }
    let mut source = Source::new(checkpoint);
    let (mut verified, mut read, all) = (Verified::default(), 0, checkpoint.bytes());
    for (number, tensor) in checkpoint.tensors.iter().enumerate() {
        for band in bands(tensor, memory)? {
            read += source.read(&band)?;
            show(read, all);
            for (file, (path, output)) in target.files.iter().zip(&mut outputs) {
                let Some(part) = file.parts.get(number) else { continue };
                let Some((start, bytes)) = source.gather(&band, part)? else { continue };
                if let Some(place) = compare(output, start, bytes, &mut buffer).map_err(failed("read", path))? {
                    let words = format!("byte {place}, of tensor {}, is not that of the source", tensor.name);
                    return Err(differs(path, words).into());
                }
                verified.bytes += counted(bytes.len());
            }
        }
        let parts = target.files.iter().filter_map(|file| file.parts.get(number));
        verified.parts += parts.filter(|part| !part.region.is_empty()).count();
    }
    Ok(verified)
}

/// The refusal of a file that is not what was written.
pub(super) fn differs(path: &Path, words: String) -> Error {
    Error::new(Code::Syntax("file"), words).about(path.display())
}

/// The first byte of a file from a start on that is not the wanted one.
pub(super) fn compare(file: &mut File, start: u64, wanted: &[u8], buffer: &mut [u8]) -> std::io::Result<Option<u64>> {
    file.seek(SeekFrom::Start(start))?;
    let mut place = start;
    for wanted in wanted.chunks(buffer.len().max(1)) {
        let Some(own) = buffer.get_mut(..wanted.len()) else { continue };
        file.read_exact(own)?;
        if own != wanted {
            let same = own.iter().zip(wanted).take_while(|(own, wanted)| own == wanted).count();
            return Ok(Some(place + counted(same)));
        }
        place += counted(wanted.len());
    }
    Ok(None)
}

/// What decides every byte of the output: the plan of a run before is gone on with only where it is the same, and the files of the
/// source have not been written since.
pub(crate) fn plan(checkpoint: &Checkpoint, target: &Target) -> Result<String, Failure> {
    let mut plan = format!("{checkpoint:?}\n{target:?}\n");
    for path in &checkpoint.files {
        // Of a chunk that is all zeros there is no file.
        let about = match path.metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            about => about.map_err(failed("read", path))?,
        };
        let changed = about.modified().map_err(failed("read", path))?;
        plan.push_str(&format!("{} bytes, {changed:?}\n", about.len()));
    }
    Ok(plan)
}

/// The bytes of a row: of all elements of one index of the first dim.
fn row_bytes(tensor: &Whole) -> Result<i64, Error> {
    Ok(strides(&tensor.shape, tensor.width)?.first().copied().unwrap_or(tensor.width))
}

/// The bytes of the packed chunks that share a row, unpacked: none of a tensor without such.
fn unpacked_bytes(tensor: &Whole) -> i64 {
    let packed = tensor.pieces.iter().filter(|piece| !piece.region.rows(0, 1).0.is_empty());
    let sizes = packed.filter_map(|piece| piece.chunk.as_ref()).filter(|chunk| !chunk.codecs.is_empty());
    let bytes = sizes.map(|chunk| chunk.extents.iter().fold(tensor.width, |all, extent| all.saturating_mul(*extent)));
    bytes.fold(0, i64::saturating_add)
}

/// Rows of a tensor.
struct Band<'t> {
    tensor: &'t Whole,
    rows: Range<i64>,
    /// The strides of the tensor, in bytes; the first is that of a row.
    strides: Vec<i64>,
}

/// The bands of a tensor, so that two of them fit in the memory.
fn bands(tensor: &Whole, memory: i64) -> Result<impl Iterator<Item = Band<'_>>, Error> {
    let strides = strides(&tensor.shape, tensor.width)?;
    let row = strides.first().copied().unwrap_or(1).max(1);
    let rows = (memory / 2).min(BAND).max(row) / row;
    let all = tensor.shape.first().copied().unwrap_or(0);
    let mut first = 0i64;
    Ok(std::iter::from_fn(move || {
        let start = first;
        first = first.saturating_add(rows).min(all);
        (start < all).then(|| Band { tensor, rows: start..first, strides: strides.clone() })
    }))
}

impl Band<'_> {
    fn row(&self) -> i64 {
        self.strides.first().copied().unwrap_or(1)
    }
}

/// The files of a source, and the memory of all bands.
struct Source<'c> {
    /// Each opened when it is first read, but for chunks, of which there may be very many.
    files: Vec<(&'c Path, Option<File>)>,
    /// Chunks that were unpacked and have rows of later bands, by number of the piece.
    unpacked: HashMap<usize, Vec<u8>>,
    /// The rows of a band, row-major.
    band: Vec<u8>,
    /// What is read or written of them in one run.
    run: Vec<u8>,
}

impl<'c> Source<'c> {
    fn new(checkpoint: &'c Checkpoint) -> Self {
        let files = checkpoint.files.iter().map(|path| (path.as_path(), None)).collect();
        Source { files, unpacked: HashMap::new(), band: Vec::new(), run: Vec::new() }
    }

    /// The file of a number, open.
    fn file(&mut self, number: usize) -> Result<Option<(&'c Path, &mut File)>, Failure> {
        let Some((path, file)) = self.files.get_mut(number) else { return Ok(None) };
        if file.is_none() {
            *file = Some(File::open(*path).map_err(failed("read", path))?);
        }
        Ok(file.as_mut().map(|file| (*path, file)))
    }

    /// Reads the rows, row-major, from all pieces that have some of them; how many bytes were read.
    fn read(&mut self, band: &Band<'_>) -> Result<u64, Failure> {
        let mut read = 0;
        let (mut whole, mut buffer) = (std::mem::take(&mut self.band), std::mem::take(&mut self.run));
        whole.resize(cast::bytes((band.rows.end - band.rows.start) * band.row())?, 0);
        if band.rows.start == 0 {
            self.unpacked.clear();
        }
        for (number, piece) in band.tensor.pieces.iter().enumerate() {
            let (rows, before) = piece.region.rows(band.rows.start, band.rows.end);
            if rows.is_empty() || piece.region.is_empty() {
                continue;
            }
            if let Some(chunk) = &piece.chunk {
                read += self.chunk(band, number, piece, chunk, &mut whole)?;
                continue;
            }
            let Some((path, input)) = self.file(piece.file)? else { continue };
            let own = row_of(&piece.region, band.tensor)?;
            let start = piece.start.saturating_add(wide(before * own)?);
            input.seek(SeekFrom::Start(start)).map_err(failed("read", path))?;
            let length = cast::bytes(rows.iter().map(|(start, end)| end - start).sum::<i64>() * own)?;
            read += counted(length);
            let is_whole = own == band.row();
            if !is_whole {
                buffer.resize(length, 0);
                input.read_exact(&mut buffer).map_err(failed("read", path))?;
            }
            let mut from = 0;
            piece.region.runs(&rows, band.rows.start, &band.tensor.shape, &band.strides, &mut |at, length| {
                let (at, next) = (cast::bytes(at)?, from + cast::bytes(length)?);
                let Some(place) = whole.get_mut(at..at + (next - from)) else { return Ok(()) };
                if is_whole {
                    input.read_exact(place).map_err(failed("read", path))?;
                } else if let Some(bytes) = buffer.get(from..next) {
                    place.copy_from_slice(bytes);
                }
                from = next;
                Ok::<(), Failure>(())
            })?;
        }
        (self.band, self.run) = (whole, buffer);
        Ok(read)
    }

    /// Copies what a chunk has of the rows of a band; how many bytes of its file were read.
    fn chunk(
        &mut self,
        band: &Band<'_>,
        number: usize,
        piece: &Piece,
        chunk: &Chunk,
        whole: &mut [u8],
    ) -> Result<u64, Failure> {
        let Some((path, _)) = self.files.get(piece.file) else { return Ok(0) };
        let shape = piece.region.shape();
        let start = piece.region.offsets(&shape).unwrap_or_default();
        let first_row = start.first().copied().unwrap_or(0);
        let last_row = first_row + shape.first().copied().unwrap_or(0);
        let rows = band.rows.start.max(first_row)..band.rows.end.min(last_row);
        let own = strides(&chunk.extents, band.tensor.width)?;
        let row = own.first().copied().unwrap_or(1);
        // Where the first row that is wanted begins in the bytes.
        let (bytes, skipped, read) = if chunk.is_absent {
            (vec![0; cast::bytes((rows.end - rows.start) * row)?], 0, 0)
        } else if chunk.codecs.is_empty() {
            let mut bytes = vec![0; cast::bytes((rows.end - rows.start) * row)?];
            let mut file = File::open(path).map_err(failed("read", path))?;
            file.seek(SeekFrom::Start(wide((rows.start - first_row) * row)?)).map_err(failed("read", path))?;
            file.read_exact(&mut bytes).map_err(failed("read", path))?;
            let read = counted(bytes.len());
            (bytes, 0, read)
        } else {
            let (bytes, read) = match self.unpacked.remove(&number) {
                Some(bytes) => (bytes, 0),
                None => {
                    let packed = std::fs::read(path).map_err(failed("read", path))?;
                    let read = counted(packed.len());
                    let bytes =
                        chunk.unpacked(packed, band.tensor.width).map_err(|error| error.about(path.display()))?;
                    (bytes, read)
                }
            };
            (bytes, (rows.start - first_row) * row, read)
        };
        let extents: Vec<i64> = std::iter::once(rows.end - rows.start).chain(shape.iter().skip(1).copied()).collect();
        let columns = start.iter().zip(&band.strides).skip(1).map(|(at, stride)| at * stride).sum::<i64>();
        let into = (rows.start - band.rows.start) * band.row() + columns;
        copy_box(&extents, (&bytes, skipped, &own), (whole, into, &band.strides))?;
        if !chunk.codecs.is_empty() && rows.end < last_row {
            self.unpacked.insert(number, bytes);
        }
        Ok(read)
    }

    /// What a part has of the rows that were read: where it lies in its file, and the bytes.
    fn gather(&mut self, band: &Band<'_>, part: &Part) -> Result<Option<(u64, &[u8])>, Failure> {
        let Source { band: whole, run: buffer, .. } = self;
        let (rows, before) = part.region.rows(band.rows.start, band.rows.end);
        if rows.is_empty() || part.region.is_empty() {
            return Ok(None);
        }
        let own = row_of(&part.region, band.tensor)?;
        let start = part.start.saturating_add(wide(before * own)?);
        if let ([(first, last)], true) = (rows.as_slice(), own == band.row()) {
            let range = cast::bytes((first - band.rows.start) * own)?..cast::bytes((last - band.rows.start) * own)?;
            return Ok(Some((start, whole.get(range).unwrap_or_default())));
        }
        buffer.clear();
        part.region.runs(&rows, band.rows.start, &band.tensor.shape, &band.strides, &mut |at, length| {
            let at = cast::bytes(at)?;
            buffer.extend_from_slice(whole.get(at..at + cast::bytes(length)?).unwrap_or_default());
            Ok::<(), Error>(())
        })?;
        Ok(Some((start, buffer)))
    }
}

/// The bytes of a row of a region.
fn row_of(region: &Region, tensor: &Whole) -> Result<i64, Error> {
    Ok(strides(&region.shape(), tensor.width)?.first().copied().unwrap_or(tensor.width))
}

fn wide(bytes: i64) -> Result<u64, Error> {
    u64::try_from(bytes).map_err(|_| Error::overflow("the bytes of a file"))
}

fn counted(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;
    use crate::checkpoint::Rules;

    #[test]
    fn a_source_that_was_written_since_is_another_plan() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("x.safetensors");
        let header = br#"{"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#;
        let length = u64::try_from(header.len()).expect("a length").to_le_bytes();
        fs::write(&path, [&length[..], header, &[1, 2]].concat()).expect("a file");
        let planned = || {
            let checkpoint = Checkpoint::read(temporary.path()).expect("a checkpoint");
            let target = Target::new(&checkpoint, "tp=2", &Rules::default()).expect("a target");
            plan(&checkpoint, &target).expect("a plan")
        };
        let before = planned();
        assert_eq!(planned(), before);
        let file = OpenOptions::new().write(true).open(&path).expect("a file");
        file.set_modified(SystemTime::UNIX_EPOCH).expect("another time");
        assert_ne!(planned(), before);
    }
}
