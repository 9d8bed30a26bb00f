//! What a reader asks to see, read into scenes: the one place that the command line, Python and the page share.
//!
//! A [`Request`] is texts; [`Drawing::new`] evaluates them and finds the scenes that draw the kinds of their values. Law: which
//! picture is drawn depends on the request alone, and so do its bytes.

mod banks;
mod layouts;
mod linear;
mod tiled;

use bitstride::linear::Name;
use bitstride::notation::{self, ExprKind};
use bitstride::{Code, Error, Integer, Stride, error};
use bitstride_lang::{Answer, Entry, Spelling, Value, evaluate_with};

use crate::picture::Picture;
use crate::scene::{
    Banks, LinearSubject, LinearView, Look, Room, Shared, Shown, TiledLook, TiledSubject, TiledView, View,
    banks_picture, linear_picture, picture, tiled_picture,
};

/// Which picture is wanted, by the names of the command line's options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// The usual one of the kind.
    #[default]
    Usual,
    /// Numbers, offsets and what lies at each offset.
    Memory,
    /// The offsets in order, coloured by repetition.
    Codomain,
    /// The tile of this shape, with the thread and value that own each element.
    ThreadValue(String),
    /// Each number over its offset.
    TwoLine,
    /// Of a linear layout, each element with who holds it.
    Tensor,
    /// Of a linear layout, each place with the element that it holds.
    Hardware,
    /// Of a linear layout, its matrix.
    Bits,
    /// The bank of shared memory of each element.
    Banks,
}

/// What is to be shown, and how.
///
/// ```
/// use bitstride_draw::{Drawing, Request, svg};
/// use bitstride_lang::Spelling;
/// let request = Request { expressions: vec!["f32[3,5]{1,0:T(2,2)}".to_owned()], ..Request::default() };
/// let drawing = Drawing::new(&request, Spelling::Plain).expect("an array of XLA");
/// assert!(svg(&drawing.picture(None)?).starts_with("<svg "));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The values that are drawn below one another.
    pub expressions: Vec<String>,
    /// Which picture of them.
    pub asked: Asked,
    /// What colours mean.
    pub by: Vec<String>,
    /// What is not greyed.
    pub mark: Option<String>,
    /// Which coordinates are marked.
    pub at: Vec<String>,
    /// The part of an array of XLA.
    pub slice: Option<String>,
    /// The bits of an element, of which banks are drawn.
    pub element_bits: Option<u32>,
    /// Lanes and their values to elements, whose access is drawn in banks.
    pub threads: Option<String>,
    /// What these lanes do.
    pub transfer: Option<String>,
}

impl Request {
    /// The values of the expressions, each with its text.
    ///
    /// # Errors
    /// The text that is wrong, with what [`evaluate_with`] refuses of it.
    ///
    /// ```
    /// use bitstride_draw::Request;
    /// use bitstride_lang::Spelling;
    /// let request = Request { expressions: vec!["size((4,8):(8,1))".to_owned()], ..Request::default() };
    /// let answers = request.answers(Spelling::Plain).map_err(|(_, error)| error)?;
    /// assert_eq!(answers.iter().map(|(_, answer)| answer.value.to_string()).collect::<Vec<_>>(), ["32"]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn answers(&self, spelling: Spelling) -> Result<Vec<(String, Answer)>, Wrong> {
        self.expressions.iter().map(|text| evaluated(text, spelling)).collect()
    }
}

/// Why something cannot be shown, with the text that is wrong: empty where it is none of the texts alone.
pub type Wrong = (String, Error);

/// Values of one kind that are to be shown, with everything that was asked evaluated.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each picture")]
pub enum Drawing {
    /// Layouts of CuTe, maps, comparisons and words.
    Layouts {
        /// The values.
        answers: Vec<(Answer, Shown)>,
        /// The picture.
        view: View,
        /// The colours and marks.
        look: Look,
    },
    /// Linear layouts.
    Linear {
        /// The layouts, each with its picture.
        answers: Vec<(Answer, LinearSubject, LinearView)>,
        /// The dim that colours follow.
        by: Option<Name>,
    },
    /// Arrays of XLA.
    Tiled {
        /// The arrays.
        answers: Vec<(Answer, TiledSubject)>,
        /// The picture.
        view: TiledView,
        /// The colours, marks and the part.
        look: TiledLook,
    },
    /// Shared memories.
    Banks {
        /// The memories, each with what is read of it.
        answers: Vec<(Answer, Shared, Banks)>,
    },
}

impl Drawing {
    /// What a request asks for, by the kinds of its values.
    ///
    /// # Errors
    /// The text that is wrong, with what [`evaluate_with`] or a scene refuses of it, and [`Code::Kind`] for options that do not
    /// fit the kind.
    pub fn new(request: &Request, spelling: Spelling) -> Result<Self, Wrong> {
        Self::of(request.answers(spelling)?, request, spelling)
    }

    /// The same of values that are known already, each with the text that it came from.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use bitstride_draw::{Drawing, Request};
    /// use bitstride_lang::{Spelling, evaluate};
    /// let known = vec![("tile".to_owned(), evaluate("(4,8):(8,1)")?)];
    /// let drawing = Drawing::of(known, &Request::default(), Spelling::Plain).map_err(|(_, error)| error)?;
    /// assert_eq!(drawing.picture(None)?.largest(), 32);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(known: Vec<(String, Answer)>, request: &Request, spelling: Spelling) -> Result<Self, Wrong> {
        let answers: Vec<(String, Answer)> = known.into_iter().flat_map(parts).collect();
        let is_linear = |(_, answer): &(String, Answer)| matches!(answer.value, Value::Linear(_));
        let is_tiled = |(_, answer): &(String, Answer)| matches!(answer.value, Value::Xla(_));
        let of_banks = request.asked == Asked::Banks;
        if !of_banks && answers.iter().any(is_tiled) {
            tiled::read(request, answers, spelling)
        } else if of_banks && (request.threads.is_some() || !answers.iter().all(is_linear)) {
            banks::read(request, answers, spelling)
        } else if answers.iter().any(is_linear) {
            linear::read(request, answers, spelling)
        } else {
            layouts::read(request, answers, spelling)
        }
    }

    /// The picture, for the columns of a terminal, through a window, or on paper.
    ///
    /// # Errors
    /// What the scene refuses.
    pub fn picture(&self, room: impl Into<Room>) -> Result<Picture, Error> {
        match self {
            Drawing::Layouts { answers, view, look } => {
                let shown: Vec<Shown> = answers.iter().map(|(_, shown)| shown.clone()).collect();
                picture(&shown, view, look, room)
            }
            Drawing::Linear { answers, by } => {
                let views = answers.iter().map(|(_, subject, view)| (subject.clone(), view.clone()));
                linear_picture(&views.collect::<Vec<_>>(), *by, room)
            }
            Drawing::Tiled { answers, view, look } => {
                let subjects: Vec<TiledSubject> = answers.iter().map(|(_, subject)| subject.clone()).collect();
                tiled_picture(&subjects, *view, look, room)
            }
            Drawing::Banks { answers } => {
                let memories = answers.iter().map(|(_, memory, banks)| (memory.clone(), banks.clone()));
                banks_picture(&memories.collect::<Vec<_>>(), room)
            }
        }
    }

    /// The answers that are shown.
    pub fn answers(&self) -> Vec<&Answer> {
        match self {
            Drawing::Layouts { answers, .. } => answers.iter().map(|(answer, _)| answer).collect(),
            Drawing::Linear { answers, .. } => answers.iter().map(|(answer, ..)| answer).collect(),
            Drawing::Tiled { answers, .. } => answers.iter().map(|(answer, _)| answer).collect(),
            Drawing::Banks { answers } => answers.iter().map(|(answer, ..)| answer).collect(),
        }
    }
}

/// The value of a text, with the text.
fn evaluated(text: &str, spelling: Spelling) -> Result<(String, Answer), Wrong> {
    let answer = evaluate_with(text, spelling.reading()).map_err(|error| (text.to_owned(), error))?;
    Ok((text.to_owned(), answer))
}

/// The layouts of a list of layouts one by one, such as the three of `bruhat`; any other value as it is.
fn parts((text, answer): (String, Answer)) -> Vec<(String, Answer)> {
    let is_layout = |value: &Value| value.as_map().is_ok() && !matches!(value, Value::Tuple(_));
    match &answer.value {
        Value::List(items) if !items.is_empty() && items.iter().all(is_layout) => {
            items.iter().map(|item| (item.to_string(), Answer::from(item.clone()))).collect()
        }
        _ => vec![(text, answer)],
    }
}

/// A refusal of options that do not fit.
fn wrong<T>(message: &str) -> Result<T, Wrong> {
    Err((String::new(), Error::new(Code::Kind, message)))
}

/// The coordinate that a text is.
fn coordinate_of(text: &str, spelling: Spelling) -> Result<Vec<Option<u64>>, Wrong> {
    let (text, answer) = evaluated(text, spelling)?;
    coordinate(&answer.value).map_err(|error| (text, error))
}

/// A coordinate of numbers and `_`.
fn coordinate(value: &Value) -> Result<Vec<Option<u64>>, Error> {
    let wrong = || error!(Code::Kind, "{value} is no coordinate such as (_,0)", [value]);
    let Value::Tuple(entries) = value else {
        return Err(wrong());
    };
    let number = |entry: &Entry| match entry {
        Entry::Keep => Ok(None),
        Entry::Number(Stride::Int(n)) => n.value().and_then(|n| u64::try_from(n).ok()).map(Some).ok_or_else(wrong),
        Entry::Number(_) => Err(wrong()),
    };
    entries.leaves().iter().map(number).collect()
}

/// The one coordinate whose elements banks count, where one is given.
fn counted(request: &Request, spelling: Spelling) -> Result<Option<Vec<Option<u64>>>, Wrong> {
    match request.at.as_slice() {
        [] => Ok(None),
        [only] => coordinate_of(only, spelling).map(Some),
        _ => wrong("--banks counts the elements of one coordinate"),
    }
}

/// The bits of an element of the tensor type that a text is: the number in `f16`, `bf16`, `i8`, `f8E5M2`.
fn element_bits(text: &str) -> Option<u32> {
    let ExprKind::Shaped(shaped) = notation::parse(text, notation::Ints::Plain).ok()?.kind else {
        return None;
    };
    let digits = shaped.element.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok().filter(|bits| *bits > 0)
}
