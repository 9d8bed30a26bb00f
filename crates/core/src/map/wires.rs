//! [`Wires`]: stages that keep every integer of the row and put new ones behind it, so that each has one number for good.

use super::Stage;

/// An offset, and wires with what each is multiplied by.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct AffineSum {
    pub(super) offset: i64,
    pub(super) terms: Vec<(usize, i64)>,
}

impl AffineSum {
    /// One wire.
    pub(super) fn wire(at: usize) -> Self {
        AffineSum { offset: 0, terms: vec![(at, 1)] }
    }

    fn strides(&self, width: usize) -> Vec<i64> {
        let of = |at: usize| self.terms.iter().find(|(wire, _)| *wire == at).map_or(0, |(_, stride)| *stride);
        (0..width).map(of).collect()
    }
}

/// The stages so far, and how many integers they leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Wires {
    stages: Vec<Stage>,
    width: usize,
}

impl Wires {
    /// After some stages that leave so many integers.
    pub(super) fn after(stages: Vec<Stage>, width: usize) -> Self {
        Wires { stages, width }
    }

    /// Puts sums behind the row; the first one's number.
    pub(super) fn sums(&mut self, sums: &[AffineSum]) -> usize {
        let own = (0..self.width).map(AffineSum::wire);
        let all = own.chain(sums.iter().cloned()).map(|sum| (sum.offset, sum.strides(self.width))).collect();
        self.stages.push(Stage::Join { at: 0, count: self.width, sums: all });
        let first = self.width;
        self.width += sums.len();
        first
    }

    /// Puts a sum behind the row, cut at a radix; the numbers of what is below and above.
    pub(super) fn split(&mut self, sum: &AffineSum, radices: Vec<i64>) -> usize {
        let at = self.sums(std::slice::from_ref(sum));
        self.width += radices.len();
        self.stages.push(Stage::Split { at, radices });
        at
    }

    /// Puts the xor of wires with so many bits behind the row; the first result's number.
    pub(super) fn xor(&mut self, ins: &[(AffineSum, u32)], outs: Vec<u32>, columns: Vec<u64>, flip: u64) -> usize {
        let sums: Vec<AffineSum> = ins.iter().map(|(sum, _)| sum.clone()).collect();
        let at = self.sums(&sums);
        self.width = at + outs.len();
        self.stages.push(Stage::Xor { at, ins: ins.iter().map(|(_, bits)| *bits).collect(), outs, columns, flip });
        at
    }

    /// A wire must be below an extent.
    pub(super) fn guard(&mut self, at: usize, extent: i64) {
        self.stages.push(Stage::Guard { at, extent });
    }

    /// The stages, with these sums at the end.
    pub(super) fn finish(mut self, sums: &[AffineSum]) -> Vec<Stage> {
        let joined = sums.iter().map(|sum| (sum.offset, sum.strides(self.width))).collect();
        self.stages.push(Stage::Join { at: 0, count: self.width, sums: joined });
        self.stages
    }
}
