//! [`Sequence`]: a file of the target as what comes one behind the other in it: its header, and runs of bytes of the source.
//!
//! Law: the runs in order are the bytes of the file; of the source they name the bytes that the file has and no other. So a file is made
//! by itself, wherever its source can be read from.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use bitstride::{Code, Error, error};

use super::copy::{compare, differs};
use super::part::check_absent;
use super::region::{Block, Region, strides};
use super::source::{Checkpoint, Piece, Whole};
use super::target::TargetFile;
use super::{Failure, failed};

/// The most runs of a file.
const MAX_RUNS: usize = 1 << 22;

/// The bytes that are read before they are written.
const BUFFER: usize = 1 << 20;

/// Bytes of the source, or zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The tensor and its piece, by number; none for zeros.
    pub(crate) piece: Option<(usize, usize)>,
    /// Where it begins in the bytes of the piece, which are those of its file or what its chunk unpacks to.
    pub(crate) from: u64,
    pub(crate) length: u64,
}

/// The runs of a file, behind its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) runs: Vec<Run>,
}

impl Sequence {
    /// The runs of a file.
    pub(crate) fn new(checkpoint: &Checkpoint, file: &TargetFile) -> Result<Self, Error> {
        let mut sequence = Sequence { runs: Vec::new() };
        for (number, part) in (0..checkpoint.tensors.len()).zip(&file.parts) {
            sequence
                .part(checkpoint, number, &part.region, &part.region.shape())
                .map_err(|error| error.about(&file.name))?;
        }
        Ok(sequence)
    }

    /// The runs of a part of one tensor, at the start of a box of some extents, which is filled with zeros.
    pub(super) fn of_part(
        checkpoint: &Checkpoint,
        tensor: usize,
        region: &Region,
        extents: &[i64],
    ) -> Result<Self, Error> {
        let mut sequence = Sequence { runs: Vec::new() };
        sequence.part(checkpoint, tensor, region, extents)?;
        Ok(sequence)
    }

    fn part(&mut self, checkpoint: &Checkpoint, number: usize, region: &Region, extents: &[i64]) -> Result<(), Error> {
        let Some(tensor) = checkpoint.tensors.get(number) else { return Ok(()) };
        let into = strides(extents, tensor.width)?;
        let mut runs: Vec<(i64, i64, i64, usize)> = Vec::new();
        for (at, piece) in tensor.pieces.iter().enumerate() {
            piece_runs(tensor, piece, region, &into, &mut |from, to, length| {
                runs.push((to, from, length, at));
                match self.runs.len() + runs.len() > MAX_RUNS {
                    true => Err(error!(Code::TooLarge, "a file of more than {max_runs} runs", [max_runs = MAX_RUNS])),
                    false => Ok(()),
                }
            })?;
        }
        runs.sort_unstable();
        let mut end = 0;
        for (to, from, length, at) in runs {
            self.push(None, 0, to - end)?;
            self.push(Some((number, at)), from, length)?;
            end = to + length;
        }
        let size = if extents.contains(&0) { 0 } else { extents.iter().product::<i64>() * tensor.width };
        self.push(None, 0, size - end)
    }

    fn push(&mut self, piece: Option<(usize, usize)>, from: i64, length: i64) -> Result<(), Error> {
        if length == 0 {
            return Ok(());
        }
        let wide = |bytes: i64| u64::try_from(bytes).map_err(|_| Error::overflow("the bytes of a file"));
        let (from, length) = (wide(from)?, wide(length)?);
        match self.runs.last_mut() {
            Some(last) if last.piece == piece && last.from + last.length == from => last.length += length,
            _ => self.runs.push(Run { piece, from, length }),
        }
        Ok(())
    }
}

impl Sequence {
    /// The bytes of files that the runs need, by file, as `(file, from, length)`; those that are less than a gap apart are one.
    pub(crate) fn reads(&self, checkpoint: &Checkpoint, gap: u64) -> Vec<(usize, u64, u64)> {
        let mut all: Vec<(usize, u64, u64)> = Vec::new();
        for run in &self.runs {
            let piece = run.piece.and_then(|(tensor, at)| checkpoint.tensors.get(tensor)?.pieces.get(at));
            let Some(piece) = piece else { continue };
            match &piece.chunk {
                Some(chunk) if chunk.is_absent => {}
                // What is packed is needed whole.
                Some(chunk) if !chunk.codecs.is_empty() => all.push((piece.file, 0, u64::MAX)),
                _ => all.push((piece.file, piece.start.saturating_add(run.from), run.length)),
            }
        }
        all.sort_unstable();
        let mut merged: Vec<(usize, u64, u64)> = Vec::new();
        for (file, from, length) in all {
            match merged.last_mut() {
                Some((own, start, before))
                    if *own == file && from <= start.saturating_add(*before).saturating_add(gap) =>
                {
                    *before = (*before).max(from.saturating_add(length) - *start);
                }
                _ => merged.push((file, from, length)),
            }
        }
        merged
    }
}

/// The bytes that a piece has of a part of the tensor: where they begin in the piece and in memory of some strides, and their number.
fn piece_runs(
    tensor: &Whole,
    piece: &Piece,
    part: &Region,
    into: &[i64],
    visit: &mut impl FnMut(i64, i64, i64) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut dims: Vec<Vec<(i64, i64, i64)>> =
        piece.region.0.iter().zip(&part.0).map(|(one, two)| shared(one, two)).collect();
    if dims.iter().any(Vec::is_empty) {
        return Ok(());
    }
    let extents = piece.chunk.as_ref().map_or_else(|| piece.region.shape(), |chunk| chunk.extents.clone());
    let (mut own, mut other) = (strides(&extents, tensor.width)?, into.to_vec());
    // What is whole on both sides is one with the dim before it.
    while let ([.., before, last], [.., outer, inner], [.., other_outer, _]) =
        (dims.as_mut_slice(), own.as_slice(), other.as_slice())
    {
        let is_whole = matches!(last.as_slice(), [(0, 0, length)] if length * inner == *outer && outer == other_outer);
        if !is_whole || before.is_empty() {
            break;
        }
        dims.pop();
        own.pop();
        other.pop();
    }
    walk(&dims, &own, &other, (0, 0), visit)
}

/// What two lists of blocks share: positions in the one and in the other, and how many.
fn shared(one: &[Block], two: &[Block]) -> Vec<(i64, i64, i64)> {
    let mut all = Vec::new();
    let (mut left, mut right) = (one.iter().peekable(), two.iter().peekable());
    let (mut before, mut other_before) = (0, 0);
    while let (Some((start, end)), Some((other_start, other_end))) = (left.peek(), right.peek()) {
        let (first, last) = (*start.max(other_start), *end.min(other_end));
        if first < last {
            all.push((before + first - start, other_before + first - other_start, last - first));
        }
        if end <= other_end {
            before += end - start;
            left.next();
        } else {
            other_before += other_end - other_start;
            right.next();
        }
    }
    all
}

fn walk(
    dims: &[Vec<(i64, i64, i64)>],
    own: &[i64],
    other: &[i64],
    (from, to): (i64, i64),
    visit: &mut impl FnMut(i64, i64, i64) -> Result<(), Error>,
) -> Result<(), Error> {
    let (Some((blocks, inner)), Some((step, own)), Some((other_step, other))) =
        (dims.split_first(), own.split_first(), other.split_first())
    else {
        return Ok(());
    };
    for (one, two, length) in blocks {
        let (from, to) = (from + one * step, to + two * other_step);
        if inner.is_empty() {
            visit(from, to, length * step)?;
            continue;
        }
        for at in 0..*length {
            walk(inner, own, other, (from + at * step, to + at * other_step), visit)?;
        }
    }
    Ok(())
}

/// Writes one file of the target under a name of its own, which it gets when it is whole; how many bytes of the source were read.
pub(crate) fn write_file(checkpoint: &Checkpoint, file: &TargetFile, out: &Path) -> Result<u64, Failure> {
    check_absent(out)?;
    write_sequence(checkpoint, &file.header, &Sequence::new(checkpoint, file)?, out)
}

/// Writes a header and the runs behind it to a file, which gets its name when it is whole.
pub(super) fn write_sequence(
    checkpoint: &Checkpoint,
    header: &[u8],
    sequence: &Sequence,
    out: &Path,
) -> Result<u64, Failure> {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let part = out.with_file_name(name);
    let read = filled(checkpoint, header, sequence, &part).inspect_err(|_| drop(std::fs::remove_file(&part)))?;
    std::fs::rename(&part, out).map_err(failed("rename", &part))?;
    Ok(read)
}

/// Writes the bytes of a file.
fn filled(checkpoint: &Checkpoint, header: &[u8], sequence: &Sequence, path: &Path) -> Result<u64, Failure> {
    let mut output = File::create(path).map_err(failed("create", path))?;
    output.write_all(header).map_err(failed("write", path))?;
    each_part(checkpoint, sequence, &mut |bytes| output.write_all(bytes).map_err(failed("write", path)))
}

/// Compares a file with the runs that it is made of; how many bytes it has.
pub(super) fn compare_sequence(checkpoint: &Checkpoint, sequence: &Sequence, path: &Path) -> Result<u64, Failure> {
    let mut file = File::open(path).map_err(failed("read", path))?;
    let size = file.metadata().map_err(failed("read", path))?.len();
    let wanted: u64 = sequence.runs.iter().map(|run| run.length).sum();
    if size != wanted {
        return Err(differs(path, format!("it has {size} bytes, and {wanted} were written")).into());
    }
    let (mut at, mut buffer) = (0, vec![0; BUFFER]);
    each_part(checkpoint, sequence, &mut |bytes| {
        if let Some(place) = compare(&mut file, at, bytes, &mut buffer).map_err(failed("read", path))? {
            return Err(differs(path, format!("byte {place} is not that of the source")).into());
        }
        at += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(())
    })?;
    Ok(size)
}

/// Hands on the bytes of the runs, some at a time; how many bytes of the source were read.
fn each_part(
    checkpoint: &Checkpoint,
    sequence: &Sequence,
    take: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let mut source = Unpacked { checkpoint, open: None, bytes: None };
    let (mut buffer, mut read) = (Vec::with_capacity(BUFFER), 0u64);
    for run in &sequence.runs {
        let mut done = 0;
        while done < run.length {
            let room = u64::try_from(BUFFER - buffer.len()).unwrap_or(0);
            let length = room.min(run.length - done);
            read += source.append(Run { from: run.from + done, length, ..*run }, &mut buffer)?;
            done += length;
            if buffer.len() == BUFFER {
                take(&buffer)?;
                buffer.clear();
            }
        }
    }
    take(&buffer)?;
    Ok(read)
}

/// The pieces of a source, of which one file is open, and one chunk unpacked.
struct Unpacked<'c> {
    checkpoint: &'c Checkpoint,
    open: Option<(usize, File)>,
    bytes: Option<((usize, usize), Vec<u8>)>,
}

impl Unpacked<'_> {
    /// Appends the bytes of a run; how many were read from files.
    fn append(&mut self, run: Run, buffer: &mut Vec<u8>) -> Result<u64, Failure> {
        let overflow = |_| Error::overflow("the bytes of a run");
        let length = usize::try_from(run.length).map_err(overflow)?;
        let end = buffer.len() + length;
        let found = run.piece.and_then(|own| {
            let tensor = self.checkpoint.tensors.get(own.0)?;
            let piece = tensor.pieces.get(own.1)?;
            Some((own, tensor, piece, self.checkpoint.files.get(piece.file)?))
        });
        let is_absent = |piece: &Piece| piece.chunk.as_ref().is_some_and(|chunk| chunk.is_absent);
        let Some((own, tensor, piece, path)) = found.filter(|(_, _, piece, _)| !is_absent(piece)) else {
            buffer.resize(end, 0);
            return Ok(0);
        };
        let chunk = piece.chunk.as_ref();
        if let Some(chunk) = chunk.filter(|chunk| !chunk.codecs.is_empty()) {
            let mut read = 0;
            if self.bytes.as_ref().is_none_or(|(before, _)| *before != own) {
                let packed = std::fs::read(path).map_err(failed("read", path))?;
                read = u64::try_from(packed.len()).unwrap_or(u64::MAX);
                let bytes = chunk.unpacked(packed, tensor.width).map_err(|error| error.about(path.display()))?;
                self.bytes = Some((own, bytes));
            }
            let from = usize::try_from(run.from).map_err(overflow)?;
            let bytes = self.bytes.as_ref().and_then(|(_, bytes)| bytes.get(from..from + length)).unwrap_or_default();
            buffer.extend_from_slice(bytes);
            return Ok(read);
        }
        if self.open.as_ref().is_none_or(|(own, _)| *own != piece.file) {
            self.open = Some((piece.file, File::open(path).map_err(failed("read", path))?));
        }
        let Some((_, file)) = &mut self.open else { return Ok(0) };
        let start = buffer.len();
        buffer.resize(end, 0);
        file.seek(SeekFrom::Start(piece.start.saturating_add(run.from))).map_err(failed("read", path))?;
        file.read_exact(buffer.get_mut(start..).unwrap_or_default()).map_err(failed("read", path))?;
        Ok(run.length)
    }
}
