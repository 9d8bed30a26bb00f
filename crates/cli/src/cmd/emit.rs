//! `bitstride emit`: source text of layouts.

use std::ffi::OsStr;
use std::io;

use bitstride::{Code, Error};
use bitstride_emit::{Fragment, Index, Language, Relayout};
use bitstride_lang::{evaluate_in, read_text};
use bitstride_relayout::Element;
use serde_json::{Map, Value};

use super::side::Side;
use crate::args::{Emit, EmitLang, EmitWhat, FragmentLang, KernelLang};
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Emit, session: &mut Session) -> io::Result<u8> {
    match source(args, session) {
        Ok(source) if session.json => {
            session.object(Map::from_iter([("source".to_owned(), Value::String(source))]))?;
            Ok(0)
        }
        Ok(source) => {
            session.line(&source)?;
            Ok(0)
        }
        Err((text, error)) => session.refuse(&text, &error),
    }
}

/// An error, and the text that it points into.
type Refused = (String, Error);

/// Errors of a text.
fn of(text: &str) -> impl Fn(Error) -> Refused {
    move |error| (text.to_owned(), error)
}

fn source(args: &Emit, session: &Session) -> Result<String, Refused> {
    let read = |argument: &OsStr| text_of(argument).and_then(|text| session.with_names(text)).map_err(of(""));
    match &args.what {
        EmitWhat::Index { layout, lang } => {
            let text = read(layout)?;
            let answer = evaluate_in(&text, session.ints.reading(), &session.names).map_err(of(&text))?;
            let index = answer.value.as_map().and_then(|map| Index::of(&map)).map_err(of(&text))?;
            Ok(index.source(language(*lang)))
        }
        EmitWhat::Relayout { from, to, bits, lang } => {
            let texts = [read(from)?, read(to)?];
            let side = |text: &str| {
                let (tree, _) = read_text(text, session.ints.reading()).map_err(of(text))?;
                Side::of(&tree, text).map_err(of(text))
            };
            let sides = [side(&texts[0])?, side(&texts[1])?];
            let own = sides.iter().filter_map(|side| side.dtype.as_ref()).map(|dtype| dtype.bits);
            let mut sizes: Vec<u32> = own.chain(*bits).collect();
            sizes.dedup();
            let element = match sizes.as_slice() {
                [size] => Element::of_bits(*size),
                [] => Err(Error::new(Code::Syntax("needs-element"), "nothing says how large an element is")
                    .with_help("--bits 16")),
                _ => Err(Error::new(Code::Kind, format!("elements have {} bits and {} bits", sizes[0], sizes[1]))),
            };
            let [from, to] = &sides;
            let language = match lang {
                KernelLang::C => Language::C,
                KernelLang::Cuda => Language::Cuda,
                KernelLang::Triton => Language::Triton,
            };
            let relayout = element
                .and_then(|element| Relayout::of([&from.map, &to.map], element, [&from.text, &to.text]))
                .and_then(|relayout| relayout.source(language));
            relayout.map_err(of(""))
        }
        EmitWhat::Tv { threads, memory, bits, lang } => {
            let texts = [read(threads)?, read(memory)?];
            let map = |text: &str| {
                let answer = evaluate_in(text, session.ints.reading(), &session.names).map_err(of(text))?;
                answer.value.as_map().map_err(of(text))
            };
            let (threads, memory) = (map(&texts[0])?, map(&texts[1])?);
            let language = match lang {
                FragmentLang::C => Language::C,
                FragmentLang::Cuda => Language::Cuda,
            };
            let fragment = Fragment::of(&threads, &memory, i64::from(*bits), [&texts[0], &texts[1]]);
            fragment.and_then(|fragment| fragment.source(language)).map_err(of(""))
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
