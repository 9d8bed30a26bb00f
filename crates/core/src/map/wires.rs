//! [`Wires`]: builds a chain of stages in which every integer keeps its index in the row, and new integers are
//! appended.

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
    /// After some stages that leave the given number of integers.
    pub(super) fn after(stages: Vec<Stage>, width: usize) -> Self {
        Wires { stages, width }
    }

    /// Appends sums to the row; the index of the first.
    pub(super) fn sums(&mut self, sums: &[AffineSum]) -> usize {
        let own = (0..self.width).map(AffineSum::wire);
        let all = own.chain(sums.iter().cloned()).map(|sum| (sum.offset, sum.strides(self.width))).collect();
        self.stages.push(Stage::Linearise { at: 0, count: self.width, sums: all });
        let first = self.width;
        self.width += sums.len();
        first
    }

    /// Appends the digits of a sum to the row; the index of the first.
    pub(super) fn split(&mut self, sum: &AffineSum, radices: Vec<i64>) -> usize {
        let at = self.sums(std::slice::from_ref(sum));
        self.width += radices.len();
        self.stages.push(Stage::Delinearise { at, radices });
        at
    }

    /// Appends the XOR stage of wires with the given numbers of bits; the index of the first result.
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
        self.stages.push(Stage::Linearise { at: 0, count: self.width, sums: joined });
        self.stages
    }
}
