//! [`Refusal`]: why a law refuses a question, as data; its text is the sentence.
//!
//! Layouts, digits and leaves that may be unknown are texts of the language; counts, points, strides and masks are numbers.
//! Law: the sentence states no number that the data do not have.

use std::fmt;

/// Why a question is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// A composite would have to split a mode.
    Split {
        /// The mode of the inner layout.
        mode: String,
        /// The inner layout.
        inner: String,
        /// The outer layout.
        outer: String,
        /// How many indices one step is.
        unit: i128,
        /// For how many steps the outer layout goes on straight.
        run: i128,
        /// What this number does not divide.
        rest: i128,
    },
    /// Modes of the inner layout together carry across a mode of the outer one.
    Carry {
        /// The inner layout.
        inner: String,
        /// The outer layout.
        outer: String,
        /// Two indices, coordinate by coordinate, and their sum.
        steps: [Vec<i128>; 3],
        /// What the outer layout gives there.
        images: [String; 3],
    },
    /// A tile and its copies do not cover a layout.
    LeftOut {
        /// The layout that is divided.
        layout: String,
        /// The tile.
        tile: String,
        /// The first index that is left out.
        hole: String,
    },
    /// Modes of a layout overlap, so that it has no complement.
    Overlap {
        /// The layout.
        layout: String,
        /// The stride that is too small.
        stride: String,
        /// How many places below it are taken.
        below: String,
    },
    /// Copies of a block meet.
    Meeting {
        /// The block.
        block: String,
        /// The layout of the copies.
        tile: String,
        /// Where the two copies start.
        starts: [i64; 2],
        /// Where they meet.
        place: i64,
    },
    /// Two points lead to one place.
    Shared {
        /// The points.
        points: [Vec<i64>; 2],
        /// The place.
        place: Vec<i64>,
    },
    /// The first element does not lie at 0.
    Offset {
        /// Where it lies.
        offset: i64,
    },
    /// A digit does not move.
    Repeated {
        /// The digit.
        digit: String,
        /// How many elements share a place.
        count: i64,
    },
    /// A digit moves backwards.
    Backwards {
        /// The digit.
        digit: String,
        /// By how much.
        stride: i64,
    },
    /// A stride is no multiple of the unit in which places are counted.
    NoMultiple {
        /// The digit.
        digit: String,
        /// Its stride.
        stride: i64,
        /// The unit.
        unit: i64,
    },
    /// A stride is no multiple of the next smaller one.
    NotNested {
        /// The digits: the one above, and the one below.
        digits: [String; 2],
        /// Their strides.
        strides: [i64; 2],
    },
    /// A digit has no room below the next.
    NoRoom {
        /// The digits: the one below, and the one above.
        digits: [String; 2],
        /// How many values the one below has.
        radix: i64,
        /// Their strides.
        strides: [i64; 2],
    },
    /// A digit is xored where digits can only be added.
    Xored {
        /// The digit.
        digit: String,
        /// The bits that are xored.
        mask: i64,
    },
    /// The origin does not lead to 0, as it does in every linear layout.
    Origin {
        /// Where it leads.
        offset: i128,
    },
    /// A bit leads to a negative number.
    Negative {
        /// The bit.
        bit: String,
        /// The number.
        image: i128,
    },
    /// The images of two bits carry when they are added.
    BitsCarry {
        /// The bits.
        bits: [String; 2],
        /// Their images.
        images: [u64; 2],
        /// The image of both.
        both: i128,
    },
    /// A shape and strides are nested differently.
    Profile {
        /// The shape.
        shape: String,
        /// The strides.
        stride: String,
    },
    /// A tensor has another number of elements than it is read with.
    Count {
        /// The extents that are asked for.
        extents: Vec<i64>,
        /// How many elements they have.
        asked: i64,
        /// How many there are.
        held: i64,
    },
    /// Of a stride and a factor neither divides the other.
    Indivisible {
        /// The operation.
        operation: String,
        /// The layout.
        layout: String,
        /// The stride.
        stride: String,
        /// The factor.
        factor: i64,
    },
    /// An order does not name each dim once.
    Order {
        /// The order.
        order: Vec<i64>,
        /// How many dims there are.
        rank: i64,
    },
    /// Not every element of a linear layout has a place.
    Unreached {
        /// The rank of the bases.
        rank: i64,
        /// The bits of an element.
        bits: i64,
    },
    /// A linear layout is not one to one and onto.
    NotOneToOne {
        /// What has to be invertible.
        what: String,
        /// The bits of a place, the bits of an element, and the rank.
        ins_outs_rank: [i64; 3],
    },
    /// Of one thing there are not as many as of the other, which it goes with one by one.
    Lengths {
        /// What there are too many or too few of, such as strides.
        what: String,
        /// How many there are.
        given: i64,
        /// What they go with, such as axes.
        of: String,
        /// How many of these there are.
        needed: i64,
    },
    /// An encoding is for tensors of another rank.
    Rank {
        /// The rank of the encoding.
        encoding: i64,
        /// The shape of the tensor.
        shape: Vec<i64>,
    },
    /// The points that were compared do not decide.
    Budget {
        /// How many were compared.
        compared: i64,
        /// How many would have to be.
        points: i128,
    },
}

/// One fact of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fact {
    /// A number.
    Number(i128),
    /// A text of the language.
    Text(String),
    /// Several facts, in order.
    List(Vec<Fact>),
}

impl Refusal {
    /// The stable name of the kind, and the facts by the names of the fields.
    ///
    /// ```
    /// use bitstride::{Fact, Layout, cute::composition};
    /// let (a, b): (Layout, Layout) = ("(4,4):(1,10)".parse()?, "(3,2):(1,3)".parse()?);
    /// let error = composition(&a, &b).unwrap_err();
    /// let (kind, facts) = error.refusal().map(|refusal| refusal.facts()).unwrap_or_default();
    /// assert_eq!(kind, "carry");
    /// assert_eq!(facts[0], ("inner", Fact::Text("(3,2):(1,3)".to_owned())));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn facts(&self) -> (&'static str, Vec<(&'static str, Fact)>) {
        match self {
            Refusal::Split { mode, inner, outer, unit, run, rest } => (
                "split",
                vec![
                    ("mode", mode.into()),
                    ("inner", inner.into()),
                    ("outer", outer.into()),
                    ("unit", (*unit).into()),
                    ("run", (*run).into()),
                    ("rest", (*rest).into()),
                ],
            ),
            Refusal::Carry { inner, outer, steps, images } => (
                "carry",
                vec![
                    ("inner", inner.into()),
                    ("outer", outer.into()),
                    ("steps", steps.iter().map(|step| Fact::from(step.as_slice())).collect()),
                    ("images", images.iter().map(Fact::from).collect()),
                ],
            ),
            Refusal::LeftOut { layout, tile, hole } => {
                ("left-out", vec![("layout", layout.into()), ("tile", tile.into()), ("hole", hole.into())])
            }
            Refusal::Overlap { layout, stride, below } => {
                ("overlap", vec![("layout", layout.into()), ("stride", stride.into()), ("below", below.into())])
            }
            Refusal::Meeting { block, tile, starts, place } => (
                "meeting",
                vec![
                    ("block", block.into()),
                    ("tile", tile.into()),
                    ("starts", starts.as_slice().into()),
                    ("place", (*place).into()),
                ],
            ),
            Refusal::Shared { points, place } => (
                "shared",
                vec![
                    ("points", points.iter().map(|point| Fact::from(point.as_slice())).collect()),
                    ("place", place.as_slice().into()),
                ],
            ),
            Refusal::Offset { offset } => ("offset", vec![("offset", (*offset).into())]),
            Refusal::Repeated { digit, count } => {
                ("repeated", vec![("digit", digit.into()), ("count", (*count).into())])
            }
            Refusal::Backwards { digit, stride } => {
                ("backwards", vec![("digit", digit.into()), ("stride", (*stride).into())])
            }
            Refusal::NoMultiple { digit, stride, unit } => {
                ("no-multiple", vec![("digit", digit.into()), ("stride", (*stride).into()), ("unit", (*unit).into())])
            }
            Refusal::NotNested { digits, strides } => (
                "not-nested",
                vec![("digits", digits.iter().map(Fact::from).collect()), ("strides", strides.as_slice().into())],
            ),
            Refusal::NoRoom { digits, radix, strides } => (
                "no-room",
                vec![
                    ("digits", digits.iter().map(Fact::from).collect()),
                    ("radix", (*radix).into()),
                    ("strides", strides.as_slice().into()),
                ],
            ),
            Refusal::Xored { digit, mask } => ("xored", vec![("digit", digit.into()), ("mask", (*mask).into())]),
            Refusal::Origin { offset } => ("origin", vec![("offset", (*offset).into())]),
            Refusal::Negative { bit, image } => ("negative", vec![("bit", bit.into()), ("image", (*image).into())]),
            Refusal::BitsCarry { bits, images, both } => (
                "bits-carry",
                vec![
                    ("bits", bits.iter().map(Fact::from).collect()),
                    ("images", images.as_slice().into()),
                    ("both", (*both).into()),
                ],
            ),
            Refusal::Profile { shape, stride } => ("profile", vec![("shape", shape.into()), ("stride", stride.into())]),
            Refusal::Count { extents, asked, held } => (
                "count",
                vec![("extents", extents.as_slice().into()), ("asked", (*asked).into()), ("held", (*held).into())],
            ),
            Refusal::Indivisible { operation, layout, stride, factor } => (
                "indivisible",
                vec![
                    ("operation", operation.into()),
                    ("layout", layout.into()),
                    ("stride", stride.into()),
                    ("factor", (*factor).into()),
                ],
            ),
            Refusal::Order { order, rank } => {
                ("order", vec![("order", order.as_slice().into()), ("rank", (*rank).into())])
            }
            Refusal::Unreached { rank, bits } => {
                ("unreached", vec![("rank", (*rank).into()), ("bits", (*bits).into())])
            }
            Refusal::NotOneToOne { what, ins_outs_rank: [ins, outs, rank] } => (
                "not-one-to-one",
                vec![("what", what.into()), ("ins", (*ins).into()), ("outs", (*outs).into()), ("rank", (*rank).into())],
            ),
            Refusal::Lengths { what, given, of, needed } => (
                "lengths",
                vec![
                    ("what", what.into()),
                    ("given", (*given).into()),
                    ("of", of.into()),
                    ("needed", (*needed).into()),
                ],
            ),
            Refusal::Rank { encoding, shape } => {
                ("rank", vec![("encoding", (*encoding).into()), ("shape", shape.as_slice().into())])
            }
            Refusal::Budget { compared, points } => {
                ("budget", vec![("compared", (*compared).into()), ("points", (*points).into())])
            }
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(
            impl From<$number> for Fact {
                fn from(number: $number) -> Self {
                    Fact::Number(number.into())
                }
            }

            impl From<&[$number]> for Fact {
                fn from(numbers: &[$number]) -> Self {
                    numbers.iter().map(|number| Fact::from(*number)).collect()
                }
            }
        )*
    };
}

numbers!(i64, u64, i128);

impl From<&String> for Fact {
    fn from(text: &String) -> Self {
        Fact::Text(text.clone())
    }
}

impl FromIterator<Fact> for Fact {
    fn from_iter<F: IntoIterator<Item = Fact>>(facts: F) -> Self {
        Fact::List(facts.into_iter().collect())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |numbers: &[i128]| numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(",");
        let point = |point: &[i64]| format!("({})", point.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
        match self {
            Refusal::Split { mode, inner, outer, unit, run, rest } => {
                let steps = if *unit == 1 { String::new() } else { format!(" of {unit}") };
                write!(
                    f,
                    "the mode {mode} of {inner} would split: over {outer} it runs straight for {run} steps{steps}, and {run} does not divide {rest}"
                )
            }
            Refusal::Carry { inner, outer, steps: [one, other, both], images: [first, second, third] } => write!(
                f,
                "the modes of {inner} carry across a mode of {outer}: {} + {} = {} leaves the mode it starts in, and A gives {third} there, not {first} + {second}",
                listed(one),
                listed(other),
                listed(both)
            ),
            Refusal::LeftOut { layout, tile, hole } => write!(
                f,
                "dividing {layout} by {tile}: the tile and its copies leave out index {hole}, so elements would be lost"
            ),
            Refusal::Overlap { layout, stride, below } => {
                write!(f, "the modes of {layout} overlap: one steps by {stride}, but {below} places below it are taken")
            }
            Refusal::Meeting { block, tile, starts: [one, other], place } => {
                write!(f, "copies of {block} that start as {tile} says, at {one} and {other}, meet at {place}")
            }
            Refusal::Shared { points: [one, other], place } => {
                write!(f, "{} and {} both lead to {}", point(one), point(other), point(place))
            }
            Refusal::Profile { shape, stride } => {
                write!(f, "shape {shape} and stride {stride} are not nested alike")
            }
            Refusal::Count { extents, asked, held } => {
                let shape = if let [only] = extents.as_slice() { only.to_string() } else { point(extents) };
                write!(f, "{shape} has {asked} elements, not {held}")
            }
            Refusal::Indivisible { operation, layout, stride, factor } => write!(
                f,
                "{operation}({layout}, {factor}): neither of the stride {stride} and {factor} divides the other"
            ),
            Refusal::Order { order, rank } => {
                write!(f, "order {order:?} is no permutation of the {rank} dims")
            }
            Refusal::Unreached { rank, bits } => {
                write!(f, "the bases reach {rank} of the {bits} out bits, so not every element has a place")
            }
            Refusal::NotOneToOne { what, ins_outs_rank: [ins, outs, rank] } => {
                write!(f, "{ins} in bits, {outs} out bits and rank {rank}; {what} has all equal")
            }
            Refusal::Offset { offset } => {
                write!(f, "the first element lies at {offset}, where such a layout begins at 0")
            }
            Refusal::Repeated { digit, count } => {
                write!(f, "{digit} does not move, so that {count} elements share a place")
            }
            Refusal::Backwards { digit, stride } => write!(f, "{digit} moves by {stride}, backwards"),
            Refusal::NoMultiple { digit, stride, unit } => {
                write!(f, "{digit} moves by {stride}, which is no multiple of {unit}")
            }
            Refusal::NotNested { digits: [above, below], strides: [larger, smaller] } => {
                write!(f, "{above} moves by {larger}, which is no multiple of {smaller}, by which {below} moves")
            }
            Refusal::NoRoom { digits: [below, above], radix, strides: [smaller, larger] } => {
                write!(f, "{below} takes {radix} places at {smaller} each, into which {above} moves by {larger}")
            }
            Refusal::Xored { digit, mask } => write!(f, "{digit} is xored in as {mask:#b}, and is not added"),
            Refusal::Origin { offset } => write!(f, "the origin leads to {offset}; linear maps send 0 to 0"),
            Refusal::Negative { bit, image } => {
                write!(f, "{bit} leads to {image}, and linear maps know no negative numbers")
            }
            Refusal::BitsCarry { bits: [below, above], images: [low, high], both } => write!(
                f,
                "{below} leads to {low} and {above} to {high}, both to {both}: adding bits {:#b} carries, the xor is {}",
                low & high,
                low ^ high
            ),
            Refusal::Lengths { what, given, of, needed } => write!(f, "{given} {what} for {needed} {of}"),
            Refusal::Rank { encoding, shape } => {
                write!(f, "the encoding has rank {encoding}, the shape {shape:?} has rank {}", shape.len())
            }
            Refusal::Budget { compared, points } => {
                write!(f, "no difference among the first {compared} of {points} points after which both repeat")
            }
        }
    }
}
