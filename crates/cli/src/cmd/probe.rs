//! `bitstride probe`: the layout of a packer, from what it makes of numbered tensors.
//!
//! As JSON it is `{"kind": "probe", "value", "layouts", "notations", "xor", "formats", "same_places", "output_bits"}`; with --write `{"kind": "files", "files"}`.

use std::fs;
use std::io;
use std::path::Path;

use bitstride::{Code, Error, error};
use bitstride_formats::{Input, Probe as Numbered, found_json};
use serde_json::{Map, json};

use super::formats::{written, zoo};
use crate::args::{Probe, Stored};
use crate::session::Session;
use crate::tensors::{Dtype, array_header, read_npy};

pub(crate) fn run(args: &Probe, session: &mut Session) -> io::Result<u8> {
    let probe = match probe(args) {
        Ok(probe) => probe,
        Err(error) => return session.refuse("", &error),
    };
    match (&args.write, &args.read) {
        (Some(folder), _) => write(&probe, folder, session),
        (None, Some(folder)) => read(args, &probe, folder, session),
        (None, None) => session.refuse("", &Error::new(Code::Arity, "--write or --read is needed")),
    }
}

fn probe(args: &Probe) -> Result<Numbered, Error> {
    let extents = args.shape.split(',').map(|extent| {
        extent.trim().parse::<i64>().map_err(|_| {
            error!(
                Code::Syntax("bad-number"),
                "`{extent}` of the shape {shape} is no extent",
                [extent, shape = args.shape]
            )
            .with_help("extents such as 128,64")
        })
    });
    Numbered::new(&extents.collect::<Result<Vec<_>, _>>()?, i64::from(args.bits))
}

/// The width in bytes of a code in a file.
fn width(bits: i64) -> usize {
    match bits {
        ..=8 => 1,
        9..=16 => 2,
        _ => 4,
    }
}

/// The numbered tensors as `.npy` files, by name.
fn files(probe: &Numbered) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let width = width(probe.bits());
    let shape: Vec<u64> = probe.shape().iter().filter_map(|extent| u64::try_from(*extent).ok()).collect();
    let header = array_header(&Dtype::read(&format!("u{}", 8 * width))?, &shape);
    let file = |input: Input| {
        let mut bytes = header.clone();
        input.codes.iter().for_each(|code| bytes.extend(code.to_le_bytes().iter().take(width)));
        (input.name, bytes)
    };
    Ok(probe.inputs().into_iter().map(file).collect())
}

fn write(probe: &Numbered, folder: &Path, session: &mut Session) -> io::Result<u8> {
    let files = match files(probe) {
        Ok(files) => files,
        Err(error) => return session.refuse("", &error),
    };
    if let Err(error) = fs::create_dir_all(folder) {
        return session.no_file("write", folder, &error);
    }
    let mut names = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(format!("{name}.npy"));
        if let Err(error) = fs::write(&path, bytes) {
            return session.no_file("write", &path, &error);
        }
        names.push(format!("{name}.npy"));
    }
    if session.json {
        session.object(Map::from_iter([("kind".to_owned(), json!("files")), ("files".to_owned(), json!(names))]))?;
        return Ok(0);
    }
    session.line(&format!("{} tensors: {}", names.len(), names.join(" ")))?;
    session.line("run the packer on each NAME.npy and save NAME.out.npy, or NAME.out as plain bytes; then --read")?;
    Ok(0)
}

/// Refuses to read what a packer made of other tensors, where these are still there.
fn agrees(probe: &Numbered, folder: &Path, name: &str, wanted: &[u8]) -> Result<(), Error> {
    let Ok(written) = fs::read(folder.join(format!("{name}.npy"))) else { return Ok(()) };
    if written == wanted {
        return Ok(());
    }
    let text = |shape: &[String]| shape.join(",");
    let own = text(&probe.shape().iter().map(ToString::to_string).collect::<Vec<_>>());
    let (folder, help) = (folder.display(), "--read has the --shape and --bits of --write");
    if let Ok(header) = read_npy(&written) {
        let there = text(&header.shape.iter().map(ToString::to_string).collect::<Vec<_>>());
        if own != there {
            return Err(error!(
                Code::Range,
                "the tensors in {folder} have the shape {there}, and --shape is {own}",
                [folder, there, own]
            )
            .with_help(help));
        }
    }
    Err(error!(
        Code::Range,
        "{name}.npy in {folder} is not what --write makes with --bits {bits} and --shape {own}",
        [name, folder, bits = probe.bits(), own]
    )
    .with_help(help))
}

fn read(args: &Probe, probe: &Numbered, folder: &Path, session: &mut Session) -> io::Result<u8> {
    let files = match files(probe) {
        Ok(files) => files,
        Err(error) => return session.refuse("", &error),
    };
    let mut outputs = Vec::new();
    for (name, wanted) in files {
        if let Err(error) = agrees(probe, folder, &name, &wanted) {
            return session.refuse("", &error);
        }
        let [array, plain] = ["out.npy", "out"].map(|end| folder.join(format!("{name}.{end}")));
        let path = if plain.exists() && !array.exists() { plain } else { array };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return session.no_file("read", &path, &error),
        };
        if path.extension().is_none_or(|end| end != "npy") {
            outputs.push(bytes);
            continue;
        }
        let header = match read_npy(&bytes) {
            Ok(header) => header,
            Err(why) => return session.no_file("read", &path, &io::Error::new(io::ErrorKind::InvalidData, why)),
        };
        if let Err(error) = header.check_order(&path.display().to_string()) {
            return session.refuse("", &error);
        }
        outputs.push(bytes.get(header.data).unwrap_or(&[]).to_vec());
    }
    let found = match probe.read(&outputs) {
        Ok(found) => found,
        Err(error) => return session.refuse("", &error),
    };
    let zoo = match zoo(&Stored { shape: None, files: args.files.clone() }) {
        Ok(zoo) => zoo,
        Err(failure) => return failure.report(session),
    };
    if session.json {
        return match found_json(&found, &zoo) {
            Ok(object) => session.object(object).map(|()| 0),
            Err(error) => session.refuse("", &error),
        };
    }
    let (layouts, names) = match found.answer(&zoo) {
        Ok(answer) => answer,
        Err(error) => return session.refuse("", &error),
    };
    let xored = match &found.xor {
        Some(0) => "nothing is xored into the codes".to_owned(),
        Some(constant) => format!("each code is xored with 0x{constant:x}"),
        None => "codes are xored with constants of their own".to_owned(),
    };
    for own in &layouts {
        session.line(&own.to_string())?;
        written(&own.layout, own.unit_bits).into_iter().try_for_each(|line| session.line(&line))?;
    }
    session.line(&xored)?;
    if layouts.is_empty() {
        session.line("several pieces, which `bitstride formats NAME` prints")?;
    }
    let (same, others): (Vec<_>, Vec<_>) = names.iter().partition(|(_, xor)| *xor == 0);
    let same: Vec<&str> = same.iter().map(|(name, _)| name.as_str()).collect();
    session.line(&match same.as_slice() {
        [] => "no format that is known here lies so".to_owned(),
        names => format!("as {}", names.join(", ")),
    })?;
    for others in others.chunk_by(|(_, one), (_, other)| one == other) {
        let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        let xor = others.first().map_or(0, |(_, xor)| *xor);
        session.line(&format!("at the places of {}, whose codes are these xor 0x{xor:x}", names.join(", ")))?;
    }
    Ok(0)
}
