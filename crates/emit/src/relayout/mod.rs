//! [`Relayout`]: a whole kernel that moves a tensor from one layout to another, as source.
//!
//! It is made of the boxes of a plan of `bitstride-relayout` ([`Problem`]). Law: what is emitted leaves every element where the
//! plan does, and touches no other byte.

mod addresses;
mod check;
mod cuda;
mod host;
mod points;
mod schedule;
mod tile;
mod triton;

use bitstride::map::Map;
use bitstride::{Code, Error, error};
use bitstride_relayout::{Element, Isa, Plan, Problem};

use crate::function::Function;
use crate::lang::Language;
use schedule::{Choice, Schedule};

/// More boxes are refused: each is a part of the kernel.
const MAX_BOXES: usize = 64;

/// The widest words of a thread in bytes, and what memory begins on where nothing else is said.
const MAX_ALIGNMENT: i64 = 16;

/// CUDA source, and how its kernel is launched: `relayout_kernel(const unsigned char *from, unsigned char *to)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaKernel {
    /// The source, which NVRTC compiles as it is.
    pub source: String,
    /// How many blocks there are; without elements none, and nothing is to be launched.
    pub blocks: i64,
    /// The threads of a block.
    pub threads: i64,
}

/// A pair of layouts, and what is moved between them.
#[derive(Clone, Debug)]
pub struct Relayout {
    element: Element,
    /// The boxes, or why there are none.
    problems: Result<Vec<Problem>, Error>,
    /// From the coordinates of an element to its place on each side.
    places: [Function; 2],
    /// For elements below a byte, from a place of the destination to the coordinates, or why there is no such function.
    back: Option<Result<Function, Error>>,
    bytes: [usize; 2],
    is_whole: bool,
    /// What both layouts are called in the source.
    names: [String; 2],
}

impl Relayout {
    /// The kernel of a pair. The names are those of both layouts in its comments.
    ///
    /// # Errors
    /// As [`Plan::new`]; as [`Map::aligned`] for a layout that the algebra does not invert; [`Code::Overflow`] where an integer of
    /// the index functions may leave 64 bits.
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
        let problems = match plan.problems() {
            None => Err(Error::new(Code::Undecided, plan.no_common_digits().unwrap_or_default())),
            Some(boxes) if boxes.len() > MAX_BOXES => Err(error!(
                Code::TooLarge,
                "axes that end inside digits come to {boxes_count} boxes, of which a kernel has {max_boxes}",
                [boxes_count = boxes.len(), max_boxes = MAX_BOXES]
            )),
            Some(boxes) => Ok(boxes),
        };
        let [from, to] = maps[0].aligned(maps[1])?;
        let places = [
            Function::of(&from, "from_place", "where an element lies in the source")?,
            Function::of(&to, "to_place", "where an element lies in the destination")?,
        ];
        let back = (element.bits() < 8).then(|| {
            let about = "which element lies at a place of the destination";
            to.inverse().and_then(|back| Function::of(&back, "to_coordinate", about))
        });
        let bytes = [plan.source_bytes(), plan.destination_bytes()];
        let is_whole = plan.moved_bytes() == bytes[1] && element.bits().saturating_mul(plan.elements()) % 8 == 0;
        Ok(Relayout { element, problems, places, back, bytes, is_whole, names: names.map(str::to_owned) })
    }

    /// The kernel, what launches it, and a test.
    ///
    /// # Errors
    /// [`Code::Kind`] for a language without kernels; where a thread would have to write a part of a byte and the destination
    /// has no inverse, why not ([`Map::inverse`]).
    pub fn source(&self, language: Language) -> Result<String, Error> {
        match language {
            Language::C => self.host(),
            Language::Cuda => self.cuda(MAX_ALIGNMENT).map(|kernel| kernel.source),
            Language::Triton => self.triton(),
            other => Err(error!(Code::Kind, "a relayout is not emitted in {word}", [word = other.word()])
                .with_help("c, cuda or triton")),
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

    /// Whether each byte of the destination, as far as its layout reaches, is of an element, so that what it held before is lost.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Relayout;
    /// use bitstride_relayout::Element;
    /// let map = |text: &str| Map::of_layout(&text.parse()?);
    /// let [rows, columns, gaps] = [map("(6,4):(4,1)")?, map("(6,4):(1,6)")?, map("(6,4):(1,8)")?];
    /// let whole = |to| Ok::<_, bitstride::Error>(Relayout::of([&rows, to], Element::of_bits(16)?, ["a", "b"])?.is_whole());
    /// assert!(whole(&columns)? && !whole(&gaps)?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The CUDA source, and how its kernel `relayout_kernel(from, to)` is launched. Both memories begin on multiples of `alignment`
    /// bytes, a power of two up to 16; threads move words of at most that many bytes.
    ///
    /// # Errors
    /// As [`Relayout::source`]; [`Code::Range`] for another alignment.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Relayout;
    /// use bitstride_relayout::Element;
    /// let [rows, columns] = ["(64,64):(64,1)", "(64,64):(1,64)"];
    /// let maps = [Map::of_layout(&rows.parse()?)?, Map::of_layout(&columns.parse()?)?];
    /// let relayout = Relayout::of([&maps[0], &maps[1]], Element::of_bits(32)?, [rows, columns])?;
    /// let kernel = relayout.cuda(16)?;
    /// assert_eq!((kernel.blocks, kernel.threads), (1, 256));
    /// assert!(kernel.source.contains("uint4") && !relayout.cuda(4)?.source.contains("uint4"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn cuda(&self, alignment: i64) -> Result<CudaKernel, Error> {
        if !(1..=MAX_ALIGNMENT).contains(&alignment) || !alignment.unsigned_abs().is_power_of_two() {
            return Err(error!(
                Code::Range,
                "an alignment of {alignment} bytes; 1, 2, 4, 8 and 16 are emitted",
                [alignment]
            ));
        }
        self.kernel(alignment)
    }

    /// The schedules of all boxes, or why these are moved element by element.
    fn schedules(&self, alignment: i64) -> Result<Vec<Schedule>, Error> {
        let problems = self.problems.as_ref().map_err(Clone::clone)?;
        let choice = Choice { max_width: alignment, ..Choice::DEFAULT };
        problems.iter().map(|problem| Schedule::of(problem, choice)).collect()
    }

    /// The bytes of a side.
    fn bytes_of(&self, side: usize) -> i64 {
        i64::try_from(self.bytes[side]).unwrap_or(i64::MAX)
    }

    /// The comment at the head: what is moved, and how.
    fn head(&self, plans: &[String]) -> String {
        let [from, to] = &self.names;
        let mut text = format!("// {} an element, from {from} to {to}\n", self.element);
        for plan in plans {
            for line in plan.lines() {
                text.push_str(&format!("// {line}\n"));
            }
        }
        text
    }
}
