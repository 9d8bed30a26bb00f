//! [`Refusal`]: what an error states, as data: the facts of its sentence by their names.
//!
//! Layouts, digits and leaves that may be unknown are texts of the language; counts, points, strides and masks are numbers.
//! Law: a sentence that [`error!`](crate::error!) makes states nothing but its own words and its facts.

use std::fmt::{self, Display};

use crate::small::Small;

/// What an error states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    kind: &'static str,
    facts: Vec<(&'static str, Fact)>,
}

impl Refusal {
    pub(crate) fn new(kind: &'static str, facts: Vec<(&'static str, Fact)>) -> Self {
        Refusal { kind, facts }
    }

    /// Adds what part of a question it is about.
    pub(crate) fn is_about(&mut self, part: &impl Display) {
        self.facts.push(("about", Fact::of(part)));
    }

    /// Adds what is stated besides.
    pub(crate) fn extend(&mut self, other: Refusal) {
        self.facts.extend(other.facts);
    }

    /// The stable name of what is stated: the code of the error, unless errors of one code state different things.
    ///
    /// ```
    /// use bitstride::{Fact, Layout, cute::composition};
    /// let (a, b): (Layout, Layout) = ("(4,4):(1,10)".parse()?, "(3,2):(1,3)".parse()?);
    /// let error = composition(&a, &b).unwrap_err();
    /// let refusal = error.refusal().unwrap();
    /// assert_eq!(refusal.kind(), "carry");
    /// assert_eq!(refusal.facts()[0], ("inner", Fact::Text("(3,2):(1,3)".to_owned())));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The facts by their names, in the order of the sentence.
    pub fn facts(&self) -> &[(&'static str, Fact)] {
        &self.facts
    }

    /// The fact of a name.
    pub fn fact(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|(own, _)| *own == name).map(|(_, fact)| fact)
    }
}

/// One fact of an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fact {
    /// A number.
    Number(i128),
    /// A text of the language, or a word.
    Text(String),
    /// Several facts, in order.
    List(Vec<Fact>),
}

impl Fact {
    /// A value as a fact: a number where its text is that of an integer.
    ///
    /// ```
    /// use bitstride::Fact;
    /// assert_eq!((Fact::of(&4), Fact::of("M")), (Fact::Number(4), Fact::Text("M".to_owned())));
    /// ```
    pub fn of<T: Display + ?Sized>(value: &T) -> Self {
        let text = value.to_string();
        match text.parse::<i128>() {
            Ok(number) if number.to_string() == text => Fact::Number(number),
            _ => Fact::Text(text),
        }
    }

    /// Values as a list, whose text is that of a tuple; a single one stands without brackets.
    ///
    /// ```
    /// assert_eq!(bitstride::Fact::list(&[3, 4]).to_string(), "(3,4)");
    /// ```
    pub fn list<T: Display>(values: &[T]) -> Self {
        Fact::List(values.iter().map(Fact::of).collect())
    }
}

impl Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Number(number) => number.fmt(f),
            Fact::Text(text) => text.fmt(f),
            Fact::List(facts) => {
                if let [only] = facts.as_slice() {
                    return only.fmt(f);
                }
                let texts: Vec<String> = facts.iter().map(Fact::to_string).collect();
                write!(f, "({})", texts.join(","))
            }
        }
    }
}

/// A value that a sentence states; [`error!`](crate::error!) takes the first of the traits below that it has.
#[doc(hidden)]
#[derive(Debug)]
pub struct Stated<'v, T: ?Sized>(pub &'v T);

/// Values that are facts themselves, and lists.
#[doc(hidden)]
pub trait FactOfList {
    fn fact(&self) -> Fact;
}

impl FactOfList for Stated<'_, Fact> {
    fn fact(&self) -> Fact {
        self.0.clone()
    }
}

macro_rules! lists {
    ($($list:ty $(, $length:ident)?;)*) => {
        $(impl<T: Display $(, const $length: usize)?> FactOfList for Stated<'_, $list> {
            fn fact(&self) -> Fact {
                Fact::list(self.0)
            }
        })*
    };
}

lists!([T]; &[T]; Vec<T>; &Vec<T>; Small<T, N>, N; &Small<T, N>, N;);

/// What a number may be: `8, 16 or 32`.
#[derive(Debug)]
pub(crate) struct OneOf<'v>(pub(crate) &'v [i64]);

impl Display for OneOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(i64::to_string).collect();
        match texts.split_last() {
            Some((last, rest)) if !rest.is_empty() => write!(f, "{} or {last}", rest.join(", ")),
            _ => f.write_str(&texts.concat()),
        }
    }
}

impl FactOfList for Stated<'_, OneOf<'_>> {
    fn fact(&self) -> Fact {
        Fact::list(self.0.0)
    }
}

/// All other values that have a text.
#[doc(hidden)]
pub trait FactOfText {
    fn fact(&self) -> Fact;
}

impl<T: Display + ?Sized> FactOfText for &Stated<'_, T> {
    fn fact(&self) -> Fact {
        Fact::of(self.0)
    }
}
