//! [`Relayout`]: a whole kernel that moves a tensor from one layout to another, as source.
//!
//! It is made of the boxes of a plan of `bitstride-relayout` ([`Problem`]). Law: what is emitted leaves every element where the
//! plan does, and touches no other byte.

mod addresses;
mod check;
mod cuda;
mod host;
mod schedule;
mod triton;

use bitstride::map::Map;
use bitstride::{Code, Error};
use bitstride_relayout::{Element, Isa, Plan, Problem};

use crate::function::Function;
use crate::lang::Language;
use schedule::{Choice, Schedule};

/// More boxes are refused: each is a part of the kernel.
const MAX_BOXES: usize = 64;

/// A pair of layouts, and what is moved between them.
#[derive(Clone, Debug)]
pub struct Relayout {
    element: Element,
    problems: Vec<Problem>,
    /// From the coordinates of an element to its place on each side, for the test that is emitted.
    places: [Function; 2],
    bytes: [usize; 2],
    /// What both layouts are called in the source.
    names: [String; 2],
}

impl Relayout {
    /// The kernel of a pair. The names are those of both layouts in its comments.
    ///
    /// # Errors
    /// As [`Plan::new`]; [`Code::Undecided`] for a pair that has no common digits, and [`Code::TooLarge`] for more than 64 boxes.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::{Language, Relayout};
    /// use bitstride_relayout::Element;
    /// let [rows, columns] = ["(64,32):(32,1)", "(64,32):(1,64)"];
    /// let maps = [Map::of_layout(&rows.parse()?)?, Map::of_layout(&columns.parse()?)?];
    /// let relayout = Relayout::of([&maps[0], &maps[1]], Element::of_bits(16)?, [rows, columns])?;
    /// assert!(relayout.source(Language::Cuda)?.contains("__global__"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(maps: [&Map; 2], element: Element, names: [&str; 2]) -> Result<Self, Error> {
        let plan = Plan::for_isa(maps[0], maps[1], element, Isa::Scalar)?;
        let problems = plan.problems().ok_or_else(|| {
            let why = plan.slow().unwrap_or_default();
            Error::new(Code::Undecided, format!("no kernel moves this pair: {why}"))
        })?;
        if problems.len() > MAX_BOXES {
            let message =
                format!("axes that end inside digits come to {} boxes; {MAX_BOXES} are emitted", problems.len());
            return Err(Error::new(Code::TooLarge, message));
        }
        let [from, to] = maps[0].aligned(maps[1])?;
        let places = [
            Function::of(&from, "from_place", "where an element lies in the source")?,
            Function::of(&to, "to_place", "where an element lies in the destination")?,
        ];
        let bytes = [plan.source_bytes(), plan.destination_bytes()];
        Ok(Relayout { element, problems, places, bytes, names: names.map(str::to_owned) })
    }

    /// The kernel, what launches it, and a test.
    ///
    /// # Errors
    /// [`Code::Kind`] for a language without kernels; [`Code::Undecided`] where a GPU moves units below a byte, or an axis goes
    /// by a table of places.
    pub fn source(&self, language: Language) -> Result<String, Error> {
        match language {
            Language::C => self.host(),
            Language::Cuda => self.cuda(Choice::DEFAULT),
            Language::Triton => self.triton(),
            other => {
                let message = format!("a relayout is not emitted in {}", other.word());
                Err(Error::new(Code::Kind, message).with_help("c, cuda or triton"))
            }
        }
    }

    /// The bytes of the source and of the destination.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Relayout;
    /// use bitstride_relayout::Element;
    /// let [rows, columns] = ["(64,32):(32,1)", "(64,32):(1,64)"];
    /// let maps = [Map::of_layout(&rows.parse()?)?, Map::of_layout(&columns.parse()?)?];
    /// let relayout = Relayout::of([&maps[0], &maps[1]], Element::of_bits(16)?, [rows, columns])?;
    /// assert_eq!(relayout.bytes(), [4096; 2]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn bytes(&self) -> [usize; 2] {
        self.bytes
    }

    /// How many blocks of threads the kernel of the CUDA source has; a block has 256.
    ///
    /// # Errors
    /// As [`Relayout::source`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Relayout;
    /// use bitstride_relayout::Element;
    /// let [rows, columns] = ["(64,64):(64,1)", "(64,64):(1,64)"];
    /// let maps = [Map::of_layout(&rows.parse()?)?, Map::of_layout(&columns.parse()?)?];
    /// let relayout = Relayout::of([&maps[0], &maps[1]], Element::of_bits(32)?, [rows, columns])?;
    /// assert_eq!(relayout.blocks()?, 1);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn blocks(&self) -> Result<i64, Error> {
        cuda::launched(&self.schedules(Choice::DEFAULT)?)
    }

    fn schedules(&self, choice: Choice) -> Result<Vec<Schedule>, Error> {
        self.problems.iter().map(|problem| Schedule::of(problem, choice)).collect()
    }

    /// The comment at the head: what is moved, and how.
    fn head(&self, plans: &[String]) -> String {
        let [from, to] = &self.names;
        let mut text = format!("// {} a element, from {from} to {to}\n", self.element);
        for plan in plans {
            for line in plan.lines() {
                text.push_str(&format!("// {line}\n"));
            }
        }
        text
    }
}
