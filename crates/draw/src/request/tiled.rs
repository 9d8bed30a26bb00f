//! Requests of XLA's tiled arrays.

use bitstride::{Code, Error, error};
use bitstride_lang::{Answer, Spelling, Value};

use super::{Asked, Drawing, Request, Wrong, coordinate_of, wrong};
use crate::scene::{Pattern, TiledBy, TiledLook, TiledSubject, TiledView};

pub(super) fn read(request: &Request, given: Vec<(String, Answer)>, spelling: Spelling) -> Result<Drawing, Wrong> {
    if !matches!(request.asked, Asked::Usual | Asked::Memory) {
        return wrong("arrays of XLA are shown at their indices, or with --memory");
    }
    if request.mark.is_some() {
        return wrong("arrays of XLA are marked with --at, an index such as (2,_)");
    }
    let pattern = |text: &String| -> Result<Pattern, Wrong> {
        let entries = coordinate_of(text, spelling)?;
        // An entry beyond 64 bits is refused as out of range.
        Ok(entries.into_iter().map(|at| at.map(|at| i64::try_from(at).unwrap_or(i64::MAX))).collect())
    };
    let by = match request.by.as_slice() {
        [] => TiledBy::Tile,
        [word] => by(word).map_err(|error| (word.clone(), error))?,
        _ => return wrong("arrays of XLA are coloured by one thing"),
    };
    let slice = request.slice.as_ref().map(pattern).transpose()?;
    let at = request.at.iter().map(pattern).collect::<Result<_, _>>()?;
    let mut answers = Vec::new();
    for (text, answer) in given {
        let within = |error| (text.clone(), error);
        let help = match answer.value {
            Value::Xla(_) => "show the arrays of a tuple one by one; a token has no memory",
            _ => "show arrays of XLA and layouts of other kinds apart",
        };
        let array = answer.value.as_array().map_err(|error| within(error.with_help(help)))?;
        let subject = TiledSubject::new(&text, &array).map_err(within)?;
        answers.push((answer, subject));
    }
    let view = if request.asked == Asked::Memory { TiledView::Memory } else { TiledView::Index };
    Ok(Drawing::Tiled { answers, view, look: TiledLook { by, slice, at } })
}

/// What colours mean: `tile`, `padding`, or a dim such as `dim0` or `0`.
fn by(word: &str) -> Result<TiledBy, Error> {
    match word {
        "tile" => Ok(TiledBy::Tile),
        "padding" => Ok(TiledBy::Padding),
        _ => word.strip_prefix("dim").unwrap_or(word).parse().map(TiledBy::Dim).map_err(|_| {
            error!(Code::Kind, "arrays of XLA are not coloured by {word}", [word])
                .with_help("write tile, padding, or a dim such as dim0")
        }),
    }
}
