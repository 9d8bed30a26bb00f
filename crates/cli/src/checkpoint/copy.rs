//! Writes a checkpoint for another sharding, one band of rows of a tensor at a time.
//!
//! A band is read from all pieces that have rows of it, each in one run of bytes, put together row-major, and written to all files that
//! have a part of it, each in one run of bytes. So every byte is read once and in order, however source and target cut the tensor.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use bitstride::{Code, Error};

use super::journal::Journal;
use super::source::{Checkpoint, Whole};
use super::target::{Part, Target};
use super::{Failure, failed};

/// The most bytes of a band: what stays in the caches of a processor.
const BAND: i64 = 8 << 20;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// The bytes of data that were read.
    pub(crate) read: u64,
    /// The bytes of data that were written.
    pub(crate) written: u64,
    /// How many tensors were there from a run before.
    pub(crate) kept: usize,
}

/// Writes the files of a target, with at most `memory` bytes of buffers.
pub(crate) fn write(checkpoint: &Checkpoint, target: &Target, out: &Path, memory: i64) -> Result<Report, Failure> {
    for tensor in &checkpoint.tensors {
        let row = row_bytes(tensor, &tensor.shape)?;
        // A band, and what is read or written of it.
        if row.checked_mul(2).is_none_or(|both| both > memory) {
            let message = format!(
                "one row of tensor {} has {row} bytes, of which two are kept: more than the limit of {memory}",
                tensor.name
            );
            return Err(Error::new(Code::TooLarge, message).with_help("a larger --memory").into());
        }
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
    let mut inputs = Vec::new();
    for path in &checkpoint.files {
        inputs.push((path, File::open(path).map_err(failed("read", path))?));
    }
    let mut report = Report::default();
    let mut buffers = Buffers::default();
    for (number, tensor) in checkpoint.tensors.iter().enumerate() {
        if journal.is_done(number) {
            report.kept += 1;
            continue;
        }
        let parts: Vec<&Part> = target.files.iter().filter_map(|file| file.parts.get(number)).collect();
        let row = row_bytes(tensor, &tensor.shape)?.max(1);
        let rows = (memory / 2).min(BAND).max(row) / row;
        let all = tensor.shape.first().copied().unwrap_or(0);
        let mut first = 0;
        while first < all {
            let band = Band { tensor, rows: first..first.saturating_add(rows).min(all), row };
            band.read(&mut inputs, &mut buffers, &mut report)?;
            for (part, (path, output)) in parts.iter().zip(&mut outputs) {
                band.write(&mut buffers, part, path, output, &mut report)?;
            }
            first = band.rows.end;
        }
        journal.note(number)?;
    }
    drop(outputs);
    journal.commit()?;
    Ok(report)
}

/// What decides every byte of the output: the plan of a run before is gone on with only where it is the same, and the files of the
/// source have not been written since.
fn plan(checkpoint: &Checkpoint, target: &Target) -> Result<String, Failure> {
    let mut plan = format!("{checkpoint:?}\n{target:?}\n");
    for path in &checkpoint.files {
        let about = path.metadata().map_err(failed("read", path))?;
        let changed = about.modified().map_err(failed("read", path))?;
        plan.push_str(&format!("{} bytes, {changed:?}\n", about.len()));
    }
    Ok(plan)
}

/// The bytes of a row: of all elements of one index of the first dim.
fn row_bytes(tensor: &Whole, shape: &[i64]) -> Result<i64, Error> {
    let bytes = shape.iter().skip(1).try_fold(tensor.width, |all, extent| all.checked_mul(*extent));
    bytes.ok_or_else(|| Error::overflow("the bytes of a row"))
}

/// The memory of all bands.
#[derive(Default)]
struct Buffers {
    /// The rows of a band, row-major.
    band: Vec<u8>,
    /// What is read or written of them in one run.
    run: Vec<u8>,
}

/// Rows of a tensor.
struct Band<'t> {
    tensor: &'t Whole,
    rows: Range<i64>,
    /// The bytes of a row.
    row: i64,
}

impl Band<'_> {
    /// The rows, row-major, from all pieces that have some of them.
    fn read(
        &self,
        inputs: &mut [(&std::path::PathBuf, File)],
        buffers: &mut Buffers,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let Buffers { band, run: buffer } = buffers;
        band.resize(position((self.rows.end - self.rows.start) * self.row)?, 0);
        for piece in &self.tensor.pieces {
            let Some((rows, skipped)) = self.common(&piece.offsets, &piece.shape) else { continue };
            let own = row_bytes(self.tensor, &piece.shape)?;
            let length = position((rows.end - rows.start) * own)?;
            let Some((path, input)) = inputs.get_mut(piece.file) else { continue };
            let start = piece.start.saturating_add(wide(skipped * own)?);
            input.seek(SeekFrom::Start(start)).map_err(failed("read", path))?;
            report.read += wide(i64::try_from(length).unwrap_or(i64::MAX))?;
            let at = position((rows.start - self.rows.start) * self.row)?;
            if own == self.row {
                let place = band.get_mut(at..at + length).unwrap_or_default();
                input.read_exact(place).map_err(failed("read", path))?;
                continue;
            }
            buffer.resize(length, 0);
            input.read_exact(buffer).map_err(failed("read", path))?;
            let mut from = 0;
            for run in self.runs(&piece.offsets, &piece.shape, &rows)? {
                let next = from + run.len();
                if let (Some(place), Some(bytes)) = (band.get_mut(run), buffer.get(from..next)) {
                    place.copy_from_slice(bytes);
                }
                from = next;
            }
        }
        Ok(())
    }

    /// Writes what a part has of the rows.
    fn write(
        &self,
        buffers: &mut Buffers,
        part: &Part,
        path: &Path,
        output: &mut File,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let Buffers { band, run: buffer } = buffers;
        let Some((rows, skipped)) = self.common(&part.offsets, &part.shape) else { return Ok(()) };
        let own = row_bytes(self.tensor, &part.shape)?;
        let length = position((rows.end - rows.start) * own)?;
        let start = part.start.saturating_add(wide(skipped * own)?);
        output.seek(SeekFrom::Start(start)).map_err(failed("write", path))?;
        report.written += wide(i64::try_from(length).unwrap_or(i64::MAX))?;
        if own == self.row {
            let at = position((rows.start - self.rows.start) * self.row)?;
            return output.write_all(band.get(at..at + length).unwrap_or_default()).map_err(failed("write", path));
        }
        buffer.clear();
        buffer.reserve(length);
        for run in self.runs(&part.offsets, &part.shape, &rows)? {
            buffer.extend_from_slice(band.get(run).unwrap_or_default());
        }
        output.write_all(buffer).map_err(failed("write", path))
    }

    /// The rows that a box has of the band, and how many rows of the box are before them.
    fn common(&self, offsets: &[i64], shape: &[i64]) -> Option<(Range<i64>, i64)> {
        let (offset, extent) = (*offsets.first()?, *shape.first()?);
        let rows = offset.max(self.rows.start)..(offset + extent).min(self.rows.end);
        let is_empty = rows.is_empty() || shape.contains(&0);
        (!is_empty).then(|| (rows.clone(), rows.start - offset))
    }

    /// Where in the band the rows of a box lie, run by run, in the order of the box.
    fn runs(&self, offsets: &[i64], shape: &[i64], rows: &Range<i64>) -> Result<Vec<Range<usize>>, Error> {
        // From the fastest dim on, as long as the box has all of it, neighbours are one run.
        let whole = &self.tensor.shape;
        let mut strides = vec![self.tensor.width; whole.len()];
        for dim in (1..whole.len()).rev() {
            let below = strides.get(dim).copied().unwrap_or(1) * whole.get(dim).copied().unwrap_or(1);
            if let Some(place) = strides.get_mut(dim - 1) {
                *place = below;
            }
        }
        let mut run = self.tensor.width;
        let mut outer = whole.len();
        while outer > 0 {
            outer -= 1;
            let extent = if outer == 0 { rows.end - rows.start } else { shape.get(outer).copied().unwrap_or(1) };
            run *= extent;
            if outer == 0 || whole.get(outer) != shape.get(outer) {
                break;
            }
        }
        let base = offsets.iter().zip(&strides).skip(1).map(|(offset, stride)| offset * stride).sum::<i64>();
        let mut starts = vec![(rows.start - self.rows.start) * self.row + base];
        for dim in 0..outer {
            let extent = if dim == 0 { rows.end - rows.start } else { shape.get(dim).copied().unwrap_or(1) };
            let stride = strides.get(dim).copied().unwrap_or(1);
            starts = starts.iter().flat_map(|start| (0..extent).map(move |at| start + at * stride)).collect();
        }
        starts.into_iter().map(|start| Ok(position(start)?..position(start + run)?)).collect()
    }
}

fn position(bytes: i64) -> Result<usize, Error> {
    bitstride::cast::index(bytes)
}

fn wide(bytes: i64) -> Result<u64, Error> {
    u64::try_from(bytes).map_err(|_| Error::overflow("the bytes of a file"))
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
