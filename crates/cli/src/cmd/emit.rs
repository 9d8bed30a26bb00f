//! `bitstride emit`: source text of layouts.

use std::io;

use bitstride::Error;
use bitstride_emit::{Index, Language};
use bitstride_lang::evaluate_in;
use serde_json::{Map, Value};

use crate::args::{Emit, EmitLang, EmitWhat};
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Emit, session: &mut Session) -> io::Result<u8> {
    let What { text, outcome } = source(args, session);
    match outcome {
        Ok(source) if session.json => {
            session.object(Map::from_iter([("source".to_owned(), Value::String(source))]))?;
            Ok(0)
        }
        Ok(source) => {
            session.line(&source)?;
            Ok(0)
        }
        Err(error) => session.refuse(&text, &error),
    }
}

/// The source, or why there is none, and the text that errors point into.
struct What {
    text: String,
    outcome: Result<String, Error>,
}

fn source(args: &Emit, session: &Session) -> What {
    match &args.what {
        EmitWhat::Index { layout, lang } => {
            let read = text_of(layout).and_then(|text| session.with_names(text));
            let text = match read {
                Ok(text) => text,
                Err(error) => return What { text: String::new(), outcome: Err(error) },
            };
            let map =
                evaluate_in(&text, session.ints.reading(), &session.names).and_then(|answer| answer.value.as_map());
            let outcome = map.and_then(|map| Ok(Index::of(&map)?.source(language(*lang))));
            What { text, outcome }
        }
    }
}

fn language(lang: EmitLang) -> Language {
    match lang {
        EmitLang::C => Language::C,
        EmitLang::Cuda => Language::Cuda,
        EmitLang::Python => Language::Python,
        EmitLang::Rust => Language::Rust,
        EmitLang::Mlir => Language::Mlir,
        EmitLang::Triton => Language::Triton,
    }
}
