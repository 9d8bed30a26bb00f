//! `bitstride show` of XLA's tiled arrays.

use bitstride::xla::Place;
use bitstride::{Code, Error};
use bitstride_draw::Picture;
use bitstride_draw::scene::{Pattern, TiledBy, TiledLook, TiledSubject, TiledView, tiled_picture};
use bitstride_lang::{Answer, Value};
use serde_json::{Value as Json, json};

use super::cells::{self, Object};
use super::show::{Drawing, Wrong, evaluated};
use super::show_linear::coordinate;
use crate::args::{Ints, Show};

/// The arrays that are to be shown, and how.
pub(super) struct Tiled {
    answers: Vec<(Answer, TiledSubject)>,
    view: TiledView,
    look: TiledLook,
}

impl Tiled {
    pub(super) fn read(args: &Show, given: &[(String, Answer)], ints: Ints) -> Result<Self, Wrong> {
        let wrong = |message: &str| Err((String::new(), Error::new(Code::Kind, message)));
        if args.view.is_some() || args.banks || args.codomain || args.two_line || args.tv.is_some() {
            return wrong("arrays of XLA are shown at their indices, or with --memory");
        }
        if args.mark.is_some() {
            return wrong("arrays of XLA are marked with --at, an index such as (2,_)");
        }
        let pattern = |argument| -> Result<Pattern, Wrong> {
            let (text, answer) = evaluated(argument, ints)?;
            let entries = coordinate(&answer.value).map_err(|error| (text, error))?;
            // An entry beyond 64 bits is refused as out of range.
            Ok(entries.into_iter().map(|at| at.map(|at| i64::try_from(at).unwrap_or(i64::MAX))).collect())
        };
        let by = match args.by.as_slice() {
            [] => TiledBy::Tile,
            [only] => {
                let word = only.to_string_lossy();
                by(&word).map_err(|error| (word.into_owned(), error))?
            }
            _ => return wrong("arrays of XLA are coloured by one thing"),
        };
        let slice = args.slice.as_ref().map(pattern).transpose()?;
        let at = args.at.iter().map(pattern).collect::<Result<_, _>>()?;
        let mut answers = Vec::new();
        for (text, answer) in given {
            let within = |error| (text.clone(), error);
            let help = match answer.value {
                Value::Xla(_) => "show the arrays of a tuple one by one; a token has no memory",
                _ => "show arrays of XLA and layouts of other kinds apart",
            };
            let array = answer.value.as_array().map_err(|error| within(error.with_help(help)))?;
            answers.push((answer.clone(), TiledSubject::new(text, &array).map_err(within)?));
        }
        let view = if args.memory { TiledView::Memory } else { TiledView::Index };
        Ok(Tiled { answers, view, look: TiledLook { by, slice, at } })
    }

    /// `{"kind", "value", "shape", "cells"}`: the extents of the dims that are drawn, and the offsets as nested arrays; of
    /// the memory `{"kind", "value", "shape", "memory"}`: for each offset the index of its element, null in padding.
    fn object(&self, answer: &Answer, subject: &TiledSubject) -> Object {
        let image = subject.image();
        cells::object(answer, &answer.value.to_string(), |object| {
            match self.view {
                TiledView::Memory => {
                    check_listed(image.size())?;
                    object.insert("shape".into(), json!(image.dims()));
                    let held = (0..image.size()).map(|offset| {
                        Ok(match image.place(offset)? {
                            Place::Element(index) => json!(index),
                            Place::Padding => Json::Null,
                        })
                    });
                    object.insert("memory".into(), held.collect::<Result<Vec<Json>, Error>>()?.into());
                }
                TiledView::Index => {
                    let slice = subject.slice(&self.look)?;
                    let free = slice.iter().zip(image.dims()).filter(|(at, _)| at.is_none());
                    let shape: Vec<i64> = free.map(|(_, extent)| *extent).collect();
                    // Each is an extent of the array, whose elements are counted.
                    check_listed(if shape.contains(&0) { 0 } else { shape.iter().product() })?;
                    let offset = |free: &[i64]| {
                        let mut free = free.iter().copied();
                        let index: Vec<i64> = slice.iter().filter_map(|fixed| fixed.or_else(|| free.next())).collect();
                        Ok(image.offset(&index)?.into())
                    };
                    object.insert("shape".into(), json!(shape));
                    object.insert("cells".into(), cells::nested(&shape, &offset)?);
                }
            }
            Ok(())
        })
    }
}

impl Drawing for Tiled {
    fn picture(&self, columns: Option<usize>) -> Result<Picture, Error> {
        let subjects: Vec<TiledSubject> = self.answers.iter().map(|(_, subject)| subject.clone()).collect();
        tiled_picture(&subjects, self.view, &self.look, columns)
    }

    fn objects(&self) -> Box<dyn Iterator<Item = Object> + '_> {
        Box::new(self.answers.iter().map(|(answer, subject)| self.object(answer, subject)))
    }
}

/// What colours mean: `tile`, `padding`, or a dim such as `dim0` or `0`.
fn by(word: &str) -> Result<TiledBy, Error> {
    match word {
        "tile" => Ok(TiledBy::Tile),
        "padding" => Ok(TiledBy::Padding),
        _ => word.strip_prefix("dim").unwrap_or(word).parse().map(TiledBy::Dim).map_err(|_| {
            let message = format!("arrays of XLA are not coloured by {word}");
            Error::new(Code::Kind, message).with_help("write tile, padding, or a dim such as dim0")
        }),
    }
}

fn check_listed(count: i64) -> Result<(), Error> {
    cells::check_listed(u64::try_from(count).ok(), "entries")
}
