//! `bitstride repack`: the tensors of a file in another stored layout.
//!
//! As JSON it is `{"kind": "repack", "value", "tensors"}`, with a name, type and shape for each tensor that is made.

use std::io;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error};
use bitstride_formats::{Container, Entry, Kind as Named, Made, Origin, Request, Rewrite};
use bitstride_relayout::SourceFile;
use serde_json::{Map, Value as Json, json};

use super::formats::{self, shaped, zoo};
use super::relayout::{commit, output};
use crate::args::Repack;
#[cfg(unix)]
use crate::interrupt;
use crate::session::Session;
use crate::tensors::{Dtype, Kind, array_header, format, read_npy, safetensors_header};
use crate::threads::on_threads;

/// Why nothing was repacked.
enum Failure {
    Question(formats::Failure),
    File(&'static str, PathBuf, io::Error),
}

impl<T: Into<formats::Failure>> From<T> for Failure {
    fn from(error: T) -> Self {
        Failure::Question(error.into())
    }
}

pub(crate) fn run(args: &Repack, session: &mut Session) -> io::Result<u8> {
    let done = repack(args, session);
    #[cfg(unix)]
    interrupt::ends();
    match done {
        Ok(rewrite) => report(args, &rewrite, session),
        Err(Failure::Question(failure)) => failure.report(session),
        Err(Failure::File(what, path, error)) => session.no_file(what, &path, &error),
    }
}

fn report(args: &Repack, rewrite: &Rewrite, session: &mut Session) -> io::Result<u8> {
    let is_made = |tensor: &&Made| matches!(tensor.origin, Origin::Made(..));
    let made: Vec<&Made> = rewrite.tensors.iter().filter(is_made).collect();
    let bytes: usize = made.iter().map(|tensor| tensor.bytes).sum();
    let kept = rewrite.tensors.len() - made.len();
    let does = if args.plan { "would be made" } else { "made" };
    let value = format!("{} tensors {does}, {bytes} bytes, of {} groups; {kept} kept", made.len(), rewrite.jobs.len());
    if session.json {
        let tensors: Vec<Json> =
            made.iter().map(|own| json!({"name": own.name, "dtype": own.dtype, "shape": own.shape})).collect();
        session.object(Map::from_iter([
            ("kind".to_owned(), json!(if args.plan { "plan" } else { "repack" })),
            ("value".to_owned(), json!(value)),
            ("tensors".to_owned(), json!(tensors)),
        ]))?;
        return Ok(0);
    }
    session.line(&value)?;
    if args.plan {
        for tensor in made {
            let shape: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
            session.line(&format!("  {} {}[{}]", tensor.name, tensor.dtype, shape.join(",")))?;
        }
    }
    Ok(0)
}

fn repack(args: &Repack, session: &Session) -> Result<Rewrite, Failure> {
    let zoo = zoo(&args.stored)?;
    let specs = shaped(&zoo, &[&args.from, &args.to], args.stored.shape.as_deref())?;
    let [from, to] = specs.as_slice() else { return Err(Error::new(Code::Arity, "two formats are needed").into()) };
    let unread = |error| Failure::File("read", args.input.clone(), error);
    let source = SourceFile::open(&args.input).map_err(unread)?;
    let container = container(&args.input, source.bytes())?;
    let request = Request { from, to, fields: &args.fields, tensors: &args.tensors };
    let mut rewrite = Rewrite::new(&container, &request, &zoo)?;
    let into = Kind::of(&args.output);
    if into != Kind::Safetensors || container.kind == Named::Gguf {
        // What OUT cannot hold stays in IN.
        rewrite.tensors.retain(|tensor| matches!(tensor.origin, Origin::Made(..)));
    }
    let header = header(&args.output, into, &rewrite)?;
    if args.plan {
        return Ok(rewrite);
    }
    let total = rewrite.tensors.iter().try_fold(header.len(), |sum, tensor| sum.checked_add(tensor.bytes));
    let total = total.ok_or_else(|| Error::overflow("the size of OUT"))?;
    let unwritten = |error| Failure::File("write", args.output.clone(), error);
    let mut out = output(&args.output, total, session.process).map_err(unwritten)?;
    let (head, mut rest) = out.bytes().split_at_mut(header.len());
    head.copy_from_slice(&header);
    let mut targets = Vec::new();
    for tensor in &rewrite.tensors {
        let (own, behind) = rest.split_at_mut(tensor.bytes);
        targets.push(own);
        rest = behind;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    on_threads(threads, || rewrite.run(source.bytes(), targets, |_| ()))?;
    // Some systems do not replace a file that is mapped.
    drop(source);
    commit(out).map_err(unwritten)?;
    Ok(rewrite)
}

/// The tensors of a file; one without a name where the file has no names.
fn container(path: &Path, bytes: &[u8]) -> Result<Container, Failure> {
    let invalid = |why: String| Failure::File("read", path.to_owned(), io::Error::new(io::ErrorKind::InvalidData, why));
    let alone = |dtype: &str, shape: Vec<i64>, data| Container {
        kind: Named::Safetensors,
        tensors: vec![Entry { name: "tensor".to_owned(), dtype: dtype.to_owned(), shape, data, is_blocks: false }],
        about: Default::default(),
        alignment: 1,
    };
    let is_gguf = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf"));
    match Kind::of(path) {
        Kind::Safetensors => Ok(Container::read(bytes)?),
        _ if is_gguf => Ok(Container::read(bytes)?),
        Kind::Npy => {
            let array = read_npy(bytes).map_err(invalid)?;
            if array.dtype.big_endian && array.dtype.bits > 8 || array.fortran && array.shape.len() > 1 {
                let message = "IN has its highest bytes first, or its elements in the order of columns";
                let help = "save it with np.ascontiguousarray and little-endian types";
                return Err(Error::new(Code::Kind, message).with_help(help).into());
            }
            let shape =
                array.shape.iter().map(|extent| i64::try_from(*extent).map_err(|_| Error::overflow("an extent")));
            Ok(alone(&array.dtype.name, shape.collect::<Result<_, _>>()?, array.data))
        }
        Kind::Plain => match format(bytes) {
            Some(format) => {
                let message = format!("IN is {format} by its first bytes, and plain bytes by its name");
                Err(Error::new(Code::Kind, message).with_help("name it as what it is").into())
            }
            None => Ok(alone("u8", vec![i64::try_from(bytes.len()).unwrap_or(i64::MAX)], 0..bytes.len())),
        },
    }
}

/// What comes before the tensors of OUT.
fn header(path: &Path, into: Kind, rewrite: &Rewrite) -> Result<Vec<u8>, Failure> {
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf")) {
        let message = "OUT would be a GGUF file, which is only read";
        return Err(Error::new(Code::Kind, message).with_help("OUT may be .safetensors, .npy or plain bytes").into());
    }
    if into == Kind::Safetensors {
        let tensors = rewrite.tensors.iter();
        let tensors: Vec<(&str, &str, &[i64], usize)> =
            tensors.map(|own| (own.name.as_str(), own.dtype.as_str(), own.shape.as_slice(), own.bytes)).collect();
        return Ok(safetensors_header(&tensors, &rewrite.about)?);
    }
    let [only] = rewrite.tensors.as_slice() else {
        let names: Vec<&str> = rewrite.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        let message = format!("OUT holds one tensor, and would have {}", names.join(", "));
        return Err(Error::new(Code::Kind, message)
            .with_help("write a .safetensors file, or choose with --field")
            .into());
    };
    if into == Kind::Plain {
        return Ok(Vec::new());
    }
    let shape = only.shape.iter().map(|extent| u64::try_from(*extent).map_err(|_| Error::overflow("an extent")));
    Ok(array_header(&Dtype::read(&signed(&only.dtype))?, &shape.collect::<Result<Vec<_>, _>>()?))
}

/// A type of the zoo as it is typed elsewhere: `i32` there is an integer without a sign here.
fn signed(dtype: &str) -> String {
    dtype.strip_prefix('i').map_or_else(|| dtype.to_owned(), |bits| format!("s{bits}"))
}
