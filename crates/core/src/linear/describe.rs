//! A layout in plain words: which place bits make which element bits.
//!
//! Law: the lines are the rows of the [matrix](LinearLayout::matrix). Each element bit is named once, as the place bit
//! it is, as a xor of several, or as always 0; then come the place bits that move nothing, and how many places an
//! element has.

use super::Name;
use super::bits::ones;
use super::layout::{Dim, LinearLayout};

impl LinearLayout {
    /// The description, a line for each fact.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![0, 1], vec![0, 2]]), (Name::LANE, vec![vec![1, 2], vec![0, 0]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 4), (Name::dim(1), 4)])?;
    /// assert_eq!(layout.describe(), [
    ///     "dim0 bit 0 is lane bit 0",
    ///     "dim0 bit 1 is always 0",
    ///     "dim1 bit 0 is register bit 0",
    ///     "dim1 bit 1 is register bit 1 xor lane bit 0",
    ///     "lane bit 1 moves nothing",
    ///     "1 of 2 elements has a place, and then 2 places",
    /// ]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn describe(&self) -> Vec<String> {
        let ins = bits(self.ins());
        let mut facts: Vec<Fact> = Vec::new();
        for ((name, at), row) in bits(self.outs()).into_iter().zip(self.rows().iter()) {
            let sources: Vec<(Name, u32)> = ones(*row).filter_map(|bit| ins.get(bit).copied()).collect();
            let extends = facts.last().is_some_and(|fact| fact.goes_on(name, &sources));
            match facts.last_mut().filter(|_| extends) {
                Some(fact) => fact.count += 1,
                None => facts.push(Fact { name, at, sources, count: 1 }),
            }
        }
        let mut lines: Vec<String> = facts.iter().map(Fact::line).collect();
        let still = self.by_in_dim().map(|(dim, columns)| {
            let zero = columns.iter().zip(0u32..).filter(|(column, _)| **column == 0);
            (dim, zero.map(|(_, at)| at).collect::<Vec<u32>>())
        });
        for (dim, zero) in still {
            lines.extend(runs(&zero).into_iter().map(|(at, count)| {
                format!("{} {} nothing", named(dim.name, at, count), if count == 1 { "moves" } else { "move" })
            }));
        }
        lines.push(self.places_in_words());
        lines
    }

    /// How many places an element has.
    fn places_in_words(&self) -> String {
        let rank = self.rank();
        let (copies, missing) = (1u128 << (self.in_bits() - rank), 1u128 << (self.out_bits() - rank));
        let places = format!("{copies} place{}", if copies == 1 { "" } else { "s" });
        match missing {
            1 => format!("every element has {places}"),
            _ => format!("1 of {missing} elements has a place, and then {places}"),
        }
    }
}

/// Some element bits in a row, each the next place bit of each source.
struct Fact {
    name: Name,
    at: u32,
    sources: Vec<(Name, u32)>,
    count: u32,
}

impl Fact {
    /// Whether the next bit of the dim continues the row: both are always 0, or each a single bit, the next one.
    fn goes_on(&self, name: Name, sources: &[(Name, u32)]) -> bool {
        self.name == name
            && match (&self.sources[..], sources) {
                ([], []) => true,
                ([(mine, at)], [(theirs, next)]) => mine == theirs && at + self.count == *next,
                _ => false,
            }
    }

    fn line(&self) -> String {
        let verb = if self.count == 1 { "is" } else { "are" };
        let sources: Vec<String> = self.sources.iter().map(|(name, at)| named(*name, *at, self.count)).collect();
        let sources = if sources.is_empty() { "always 0".to_owned() } else { sources.join(" xor ") };
        format!("{} {verb} {sources}", named(self.name, self.at, self.count))
    }
}

/// `lane bit 3`, `lane bits 3-4`.
fn named(name: Name, at: u32, count: u32) -> String {
    match count {
        1 => format!("{name} bit {at}"),
        _ => format!("{name} bits {at}-{}", at + count - 1),
    }
}

/// Every bit of some dims, by name and number.
fn bits(dims: &[Dim]) -> Vec<(Name, u32)> {
    dims.iter().flat_map(|dim| (0..dim.bits).map(|at| (dim.name, at))).collect()
}

/// Ascending numbers as runs: the first of each and how many.
fn runs(numbers: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((at, count)) if *at + *count == *number => *count += 1,
            _ => runs.push((*number, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::{LinearLayout, Name};

    #[test]
    fn rows_of_bits_are_one_line() -> Result<(), crate::Error> {
        let tile = LinearLayout::identity_standard_nd(Name::LANE, &[4, 8], &[1, 0])?;
        let layout = tile.product(&LinearLayout::zeros(4, Name::WARP, Name::dim(0), 1)?)?;
        let lines = [
            "dim1 bits 0-2 are lane bits 0-2",
            "dim0 bits 0-1 are lane bits 3-4",
            "warp bits 0-1 move nothing",
            "every element has 4 places",
        ];
        assert_eq!(layout.describe(), lines);
        assert_eq!(LinearLayout::empty().describe(), ["every element has 1 place"]);
        Ok(())
    }
}
