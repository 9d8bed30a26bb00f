//! [`Runs`]: the bytes that a map leads to, as runs of neighbours in equal steps.
//!
//! Law: every byte that some point leads to is in one run, and no other byte is in any.

use bitstride::cast;
use bitstride::map::{Form, Map};
use bitstride::{Code, Error, error};

/// Runs of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    first: i64,
    bytes: i64,
    /// The number and the distance of runs, the farthest first.
    loops: Vec<(i64, i64)>,
}

impl Runs {
    /// The runs of a map to places of a given number of bits; none where they are no whole bytes, or no sums of digits.
    pub(crate) fn of(map: &Map, unit: i64) -> Option<Self> {
        let form = Form::of(map).ok()?;
        let [sum] = form.sums.as_slice() else { return None };
        if sum.flip != 0 || sum.xors.iter().any(|xor| *xor != 0) {
            return None;
        }
        let mut first = sum.offset.checked_mul(unit)?;
        let mut steps = Vec::new();
        for (digit, stride) in form.digits.iter().zip(&sum.strides) {
            let stride = stride.checked_mul(unit)?;
            if stride < 0 {
                first = first.checked_add(stride.checked_mul(digit.radix - 1)?)?;
            }
            // A digit that leads nowhere would be counted again and again.
            if stride == 0 && digit.radix > 1 {
                return None;
            }
            if digit.radix > 1 {
                steps.push((stride.abs(), digit.radix));
            }
        }
        steps.sort_unstable();
        let (mut bits, mut reach, mut loops) = (unit, unit, Vec::new());
        for (stride, count) in steps {
            // Runs that overlap would be xored twice.
            if stride < reach {
                return None;
            }
            if stride == bits && loops.is_empty() {
                bits = bits.checked_mul(count)?;
            } else {
                loops.insert(0, (count, stride));
            }
            reach = stride.checked_mul(count - 1)?.checked_add(reach)?;
        }
        let is_whole = first % 8 == 0 && bits % 8 == 0 && loops.iter().all(|(_, stride)| stride % 8 == 0);
        let loops = loops.into_iter().map(|(count, stride)| (count, stride / 8)).collect();
        (is_whole && first >= 0).then_some(Runs { first: first / 8, bytes: bits / 8, loops })
    }

    /// Xors every byte of the runs with a mask.
    ///
    /// # Errors
    /// [`bitstride::Code::Range`] where a run is not inside.
    pub(crate) fn xor(&self, memory: &mut [u8], mask: u8) -> Result<(), Error> {
        self.walk(&self.loops, self.first, memory, mask)
    }

    fn walk(&self, loops: &[(i64, i64)], first: i64, memory: &mut [u8], mask: u8) -> Result<(), Error> {
        let Some(((count, stride), inner)) = loops.split_first() else {
            let start = cast::bytes(first)?;
            let run = memory.get_mut(start..start.saturating_add(cast::bytes(self.bytes)?));
            let run =
                run.ok_or_else(|| error!(Code::Range, "a run begins at byte {first}, behind its tensor", [first]))?;
            run.iter_mut().for_each(|byte| *byte ^= mask);
            return Ok(());
        };
        (0..*count).try_for_each(|step| self.walk(inner, first + step * stride, memory, mask))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "that is how a test fails")]
mod tests {
    use super::Runs;
    use bitstride::map::Map;

    fn map(layout: &str) -> Map {
        bitstride_lang::evaluate(layout).unwrap().value.as_map().unwrap()
    }

    /// The bytes that are xored are those that the places have, each once.
    #[test]
    fn runs_are_the_bytes_of_the_places() {
        for (layout, unit) in [
            ("(2,(16,2,3)):(108,(2,1,36)) + 4", 4),
            ("(4,8):(8,1)", 8),
            ("(3,5):(7,1)", 8),
            ("(4,(2,4)):(-8,(1,2)) + 24", 8),
            ("((8,4),(2,2)):((16,256),(8,128)) + 8", 1),
            ("(2,4):(64,16)", 16),
        ] {
            let (map, mut memory) = (map(layout), vec![0u8; 512]);
            let Some(runs) = Runs::of(&map, unit) else {
                assert_eq!((layout, unit), ("((8,4),(2,2)):((16,256),(8,128)) + 8", 1));
                continue;
            };
            runs.xor(&mut memory, 0xff).unwrap();
            let mut wanted = vec![0u8; 512];
            for flat in 0..map.size().unwrap() {
                let mut rest = flat;
                let point: Vec<i64> =
                    map.domain().iter().map(|axis| (rest % axis.extent, rest /= axis.extent).0).collect();
                let place = map.at(&point).unwrap().unwrap()[0];
                (place * unit..(place + 1) * unit)
                    .for_each(|bit| wanted[usize::try_from(bit / 8).unwrap()] |= 1 << (bit % 8));
            }
            assert_eq!(memory, wanted, "{layout}");
        }
    }

    #[test]
    fn what_is_no_whole_byte_has_no_runs() {
        assert_eq!(Runs::of(&map("8:2"), 4), None);
        assert_eq!(Runs::of(&map("(4,4):(0,1)"), 8), None);
        assert_eq!(Runs::of(&map("8:1 + 1"), 4), None);
    }
}
