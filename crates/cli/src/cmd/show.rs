//! `bitstride show`: layouts drawn in the terminal, as a file of SVG, TikZ or PNG, or as JSON.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use bitstride::{Code, Error};
use bitstride_draw::scene::{Image, Look, Paint, Point, Subject, View, owners};
use bitstride_draw::{Asked, Drawing, Picture, Request, TextOptions, Wrong, png, svg, text, tikz};
use bitstride_lang::{Answer, Value};
use serde_json::{Value as Json, json};

use super::cells::{self, Object};
use super::{show_banks, show_devices, show_linear, show_tiled};
use crate::args::{Show, Which};
use crate::session::{self, Session};

/// Columns of a picture that no terminal bounds.
const COLUMNS: usize = 100;

/// The most cells of a grid that a terminal shows in full. Of larger grids it shows the corners.
const MAX_CELLS: usize = 4096;
const MAX_CORNER_CELLS: usize = 256;

pub(crate) fn run(args: &Show, session: &mut Session) -> io::Result<u8> {
    let request = match request(args, session) {
        Ok(request) => request,
        Err((text, error)) => return session.refuse(&text, &error),
    };
    let file = args.svg.as_ref().or(args.tikz.as_ref()).or(args.png.as_ref());
    let answers = match request.answers(session.ints.spelling()) {
        Ok(answers) => answers,
        Err((text, error)) => return session.refuse(&text, &error),
    };
    if answers.iter().any(|(_, answer)| show_devices::is_needed(&answer.value)) {
        if let Some((text, _)) = answers.iter().find(|(_, answer)| !show_devices::is_needed(&answer.value)) {
            let error = Error::new(Code::Kind, "a tensor over devices is shown beside others of its kind only");
            return session.refuse(text, &error);
        }
        if file.is_some() {
            let error = Error::new(Code::Kind, "a tensor over devices has a picture of text only");
            return session.refuse("", &error);
        }
        return show_devices::run(&answers, session);
    }
    let drawing = match Drawing::of(answers, &request, session.ints.spelling()) {
        Ok(drawing) => drawing,
        Err((text, error)) => return session.refuse(&text, &error),
    };
    if session.json {
        return cells::print(objects(&drawing), session);
    }
    let columns = file.is_none().then(|| session.columns.unwrap_or(COLUMNS));
    let drawn = match drawing.picture(columns) {
        Ok(drawn) => drawn,
        Err(error) => return session.refuse("", &error),
    };
    match file {
        Some(file) => {
            let bytes = match written(args, &drawn) {
                Ok(bytes) => bytes,
                Err(error) => return session.refuse("", &error),
            };
            if file == Path::new("-") {
                session.out.write_all(&bytes)?;
            } else if let Err(error) = fs::write(file, bytes) {
                return session.no_file("write", file, &error);
            }
        }
        None => {
            let fits = usize::try_from(drawn.largest()).is_ok_and(|cells| cells <= MAX_CELLS);
            let max_cells = if fits { MAX_CELLS } else { MAX_CORNER_CELLS };
            let max_width = columns.unwrap_or(COLUMNS);
            let colour = session.color_out;
            session.line(&text(&drawn, &TextOptions { max_width, max_cells, colour, ascii: false }))?;
        }
    }
    for note in drawing.answers().into_iter().flat_map(|answer| &answer.notes) {
        session.note(note)?;
    }
    Ok(0)
}

/// The picture as a file has it.
fn written(args: &Show, drawn: &Picture) -> Result<Vec<u8>, Error> {
    match (&args.png, &args.tikz) {
        (Some(_), _) => png(drawn),
        (None, Some(_)) => Ok(tikz(drawn).into_bytes()),
        (None, None) => Ok(svg(drawn).into_bytes()),
    }
}

/// What the arguments ask for, with the values of names in their places.
fn request(args: &Show, session: &Session) -> Result<Request, Wrong> {
    let text = |argument: &OsString| match session::text_of(argument) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err((String::new(), error)),
    };
    let texts = |arguments: &[OsString]| arguments.iter().map(text).collect::<Result<Vec<_>, _>>();
    let named = |typed: String| session.with_names(&typed).map_err(|error| (typed, error));
    let optional = |argument: &Option<OsString>| argument.as_ref().map(text).transpose();
    let asked = match (&args.tv, args.view) {
        (Some(tile), _) => Asked::ThreadValue(text(tile)?),
        (None, Some(Which::Tensor)) => Asked::Tensor,
        (None, Some(Which::Hardware)) => Asked::Hardware,
        (None, Some(Which::Bits)) => Asked::Bits,
        (None, None) if args.memory => Asked::Memory,
        (None, None) if args.codomain => Asked::Codomain,
        (None, None) if args.two_line => Asked::TwoLine,
        (None, None) if args.banks => Asked::Banks,
        (None, None) => Asked::Usual,
    };
    Ok(Request {
        expressions: texts(&args.expressions)?.into_iter().map(named).collect::<Result<_, _>>()?,
        asked,
        by: texts(&args.by)?,
        mark: optional(&args.mark)?,
        at: texts(&args.at)?,
        slice: optional(&args.slice)?,
        element_bits: args.element_bits,
        threads: optional(&args.threads)?,
        transfer: args.transfer.clone(),
    })
}

/// One object for each value.
fn objects(drawing: &Drawing) -> Box<dyn Iterator<Item = Object> + '_> {
    match drawing {
        Drawing::Layouts { answers, view, look } => {
            Box::new(answers.iter().map(move |(answer, shown)| match shown.layout() {
                Some(subject) => object(answer, subject, view, look),
                None => cells::object(answer, &answer.value.to_string(), |_| Ok(())),
            }))
        }
        Drawing::Linear { answers, .. } => {
            Box::new(answers.iter().map(|(answer, subject, view)| show_linear::object(answer, subject, view)))
        }
        Drawing::Tiled { answers, view, look } => {
            Box::new(answers.iter().map(move |(answer, subject)| show_tiled::object(answer, subject, *view, look)))
        }
        Drawing::Banks { answers } => {
            Box::new(answers.iter().map(|(answer, memory, banks)| show_banks::object(answer, memory, banks)))
        }
    }
}

/// `{"kind", "value", "shape", "cells"}` and what the options add: `cells[i][j]` is the place of the element (i,j).
fn object(answer: &Answer, subject: &Subject, view: &View, look: &Look) -> Object {
    // Arrays are written in full, so that their number is bounded as that of any list of elements.
    let first = subject.elements()?.next();
    let paint = Paint::new(look, subject)?;
    let text = match &answer.value {
        Value::Map(mapped) => &mapped.text,
        _ => subject.text(),
    };
    cells::object(answer, text, |object| {
        let each = |cell: &dyn Fn(&[i64]) -> Result<Json, Error>| cells::nested(subject.modes(), cell);
        object.insert("shape".into(), tuple(subject.shape()));
        object.insert("cells".into(), each(&|at| Ok(tuple(&subject.at(at)?)))?);
        if let Some(at) = first {
            if paint.selected(&at)?.is_some() {
                object.insert("selected".into(), each(&|at| Ok(json!(paint.selected(at)?)))?);
            }
            if paint.group(&at)?.is_some() {
                object.insert("group".into(), each(&|at| Ok(json!(paint.group(at)?)))?);
            }
        }
        match view {
            View::Memory | View::Codomain => {
                let image = Image::new(subject)?;
                let held = image.offsets().map(|(offset, owners)| {
                    let elements: Result<Vec<i64>, Error> = owners.iter().map(|at| subject.index(at)).collect();
                    Ok(json!({"offset": offset, "elements": elements?}))
                });
                object.insert("offsets".into(), held.collect::<Result<Vec<Json>, Error>>()?.into());
            }
            View::ThreadValue(tile) => {
                let owned = owners(subject, tile)?.into_iter().map(|(element, owners)| {
                    let owners: Vec<Json> = owners.iter().map(|owner| json!([owner.thread, owner.value])).collect();
                    json!({"element": element, "owners": owners})
                });
                object.insert("tile".into(), tuple(&tile.try_map(bitstride::Int::as_number)?));
                object.insert("elements".into(), owned.collect::<Vec<Json>>().into());
            }
            View::Grid | View::TwoLine => {}
        }
        Ok(())
    })
}

/// A tuple as nested arrays.
fn tuple(point: &Point) -> Json {
    match point.as_leaf() {
        Some(n) => (*n).into(),
        None => point.entries().iter().map(tuple).collect(),
    }
}
