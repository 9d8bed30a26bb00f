//! `bitstride show`: layouts drawn in the terminal, as a file of SVG or TikZ, or as JSON.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use bitstride::{Code, Error};
use bitstride_draw::scene::{By, Image, Look, Paint, Point, Shown, Subject, View, owners, picture};
use bitstride_draw::{Picture, TextOptions, svg, text, tikz};
use bitstride_lang::{Answer, Outermost, Value, evaluate_with};
use serde_json::{Value as Json, json};

use super::cells::{self, Object};
use super::show_banks::SharedMemory;
use super::show_linear::Linear;
use super::show_table;
use super::show_tiled::Tiled;
use crate::args::{Ints, Show};
use crate::session::{self, Session};

/// Columns of a picture that no terminal bounds.
const COLUMNS: usize = 100;

/// The most cells of a grid that a terminal shows in full. Of larger grids it shows the corners.
const MAX_CELLS: usize = 4096;
const MAX_CORNER_CELLS: usize = 256;

pub(crate) fn run(args: &Show, session: &mut Session) -> io::Result<u8> {
    let mut args = args.clone();
    for argument in &mut args.expressions {
        let named = argument.to_str().map(|text| session.with_names(text).map_err(|error| (text.to_owned(), error)));
        match named {
            Some(Ok(named)) => *argument = named.into(),
            Some(Err((text, error))) => return session.refuse(&text, &error),
            // Reported where it is read.
            None => {}
        }
    }
    let args = &args;
    let answers = match answers(args, session.ints) {
        Ok(answers) => answers,
        Err((text, error)) => return session.refuse(&text, &error),
    };
    let format: fn(&Picture) -> String = if args.tikz.is_some() { tikz } else { svg };
    let file = args.svg.as_ref().or(args.tikz.as_ref());
    let columns = file.is_none().then(|| session.columns.unwrap_or(COLUMNS));
    if file.is_none()
        && !args.banks
        && !session.json
        && answers.iter().any(|(_, answer)| show_table::is_needed(&answer.value))
    {
        return show_table::run(&answers, session);
    }
    let drawing = match drawing(args, &answers, session.ints) {
        Ok(drawing) => drawing,
        Err((text, error)) => return session.refuse(&text, &error),
    };
    if session.json {
        return cells::print(drawing.objects(), session);
    }
    let drawn = match drawing.picture(columns) {
        Ok(drawn) => drawn,
        Err(error) => return session.refuse("", &error),
    };
    match file {
        Some(file) if file == Path::new("-") => session.line(&format(&drawn))?,
        Some(file) => {
            if let Err(error) = fs::write(file, format(&drawn)) {
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
    for note in answers.iter().flat_map(|(_, answer)| &answer.notes) {
        session.note(note)?;
    }
    Ok(0)
}

/// Why an argument cannot be shown, with the text that is wrong.
pub(super) type Wrong = (String, Error);

/// The value of one argument, with its text.
pub(super) fn evaluated(argument: &OsString, ints: Ints) -> Result<(String, Answer), Wrong> {
    let text = session::text_of(argument).map_err(|error| (String::new(), error))?;
    let answer = evaluate_with(text, ints.reading()).map_err(|error| (text.to_owned(), error))?;
    Ok((text.to_owned(), answer))
}

/// The values that are to be shown, each with its text.
fn answers(args: &Show, ints: Ints) -> Result<Vec<(String, Answer)>, Wrong> {
    args.expressions.iter().map(|argument| evaluated(argument, ints)).collect()
}

/// Layouts of one kind that are to be shown, with everything that was typed evaluated.
pub(super) trait Drawing {
    /// The picture of all, in so many columns where they are limited.
    fn picture(&self, columns: Option<usize>) -> Result<Picture, Error>;

    /// One object for each layout.
    fn objects(&self) -> Box<dyn Iterator<Item = Object> + '_>;
}

/// What the arguments ask for, by the kinds of the layouts; or the text that is wrong and what is wrong with it.
fn drawing(args: &Show, answers: &[(String, Answer)], ints: Ints) -> Result<Box<dyn Drawing>, Wrong> {
    let is_linear = |(_, answer): &(String, Answer)| matches!(answer.value, Value::Linear(_));
    let is_tiled = |(_, answer): &(String, Answer)| matches!(answer.value, Value::Xla(_));
    Ok(if !args.banks && answers.iter().any(is_tiled) {
        Box::new(Tiled::read(args, answers, ints)?)
    } else if args.banks && (args.threads.is_some() || !answers.iter().all(is_linear)) {
        Box::new(SharedMemory::read(args, answers, ints)?)
    } else if answers.iter().any(is_linear) {
        Box::new(Linear::read(args, answers, ints)?)
    } else {
        Box::new(Request::read(args, answers, ints)?)
    })
}

/// Layouts of CuTe, maps, comparisons and words, and how they are to be shown.
struct Request {
    answers: Vec<(Answer, Shown)>,
    view: View,
    look: Look,
}

impl Request {
    /// The request of the arguments, or the text that is wrong and what is wrong with it.
    fn read(args: &Show, given: &[(String, Answer)], ints: Ints) -> Result<Self, Wrong> {
        let evaluated = |argument: &OsString| evaluated(argument, ints);
        let within = |text: String| move |error: Error| (text, error);
        if args.view.is_some() {
            let error = Error::new(Code::Kind, "--view shows linear layouts");
            return Err((String::new(), error.with_help("such as a tensor type with an encoding")));
        }
        if args.slice.is_some() {
            return Err((String::new(), Error::new(Code::Kind, "--slice shows a part of an array of XLA")));
        }
        let mut answers = Vec::new();
        for (text, answer) in given {
            let call = Outermost::of(text, ints.reading());
            let shown = Shown::new(text, &answer.value, call.as_ref()).map_err(within(text.clone()))?;
            let layout = answer.value.as_layout().map(Value::Layout);
            answers.push(match (&answer.value, shown) {
                // A map is shown as what it comes to.
                (value, Shown::Layout(subject)) if !matches!(value, Value::Map(_)) => {
                    let written = ints.spelling().text(layout.as_ref().unwrap_or(value));
                    (answer.clone(), Shown::Layout(Box::new(subject.written(written))))
                }
                (_, shown) => (answer.clone(), shown),
            });
        }
        let mut look = Look::default();
        for argument in &args.by {
            let by = match argument.to_str().and_then(By::word) {
                Some(by) => by,
                None => {
                    let (text, answer) = evaluated(argument)?;
                    By::value(&answer.value).map_err(within(text))?
                }
            };
            look = look.colouring(by);
        }
        if let Some(argument) = &args.mark {
            look = look.marking(evaluated(argument)?.1.value);
        }
        for argument in &args.at {
            look = look.pointing(evaluated(argument)?.1.value);
        }
        let view = match &args.tv {
            Some(argument) => {
                let (text, answer) = evaluated(argument)?;
                View::ThreadValue(answer.value.as_shape().map_err(within(text))?)
            }
            None if args.memory => View::Memory,
            None if args.codomain => View::Codomain,
            None if args.two_line => View::TwoLine,
            None => View::Grid,
        };
        Ok(Request { answers, view, look })
    }

    /// `{"kind", "value", "shape", "cells"}` and what the options add: `cells[i][j]` is the place of the element (i,j).
    fn object(&self, answer: &Answer, subject: &Subject) -> Object {
        // Arrays are written in full, so that their number is bounded as that of any list of elements.
        let first = subject.elements()?.next();
        let paint = Paint::new(&self.look, subject)?;
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
            match &self.view {
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
}

impl Drawing for Request {
    fn picture(&self, columns: Option<usize>) -> Result<Picture, Error> {
        let shown: Vec<Shown> = self.answers.iter().map(|(_, shown)| shown.clone()).collect();
        picture(&shown, &self.view, &self.look, columns)
    }

    fn objects(&self) -> Box<dyn Iterator<Item = Object> + '_> {
        Box::new(self.answers.iter().map(|(answer, shown)| match shown.layout() {
            Some(subject) => self.object(answer, subject),
            None => cells::object(answer, &answer.value.to_string(), |_| Ok(())),
        }))
    }
}

/// A tuple as nested arrays.
fn tuple(point: &Point) -> Json {
    match point.as_leaf() {
        Some(n) => (*n).into(),
        None => point.entries().iter().map(tuple).collect(),
    }
}
