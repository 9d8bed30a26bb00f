//! The kernel and the image of a layout, each as a basis one can print.
//!
//! Both are injective layouts themselves, from one in dim that numbers the vectors. Laws: `L(kernel(L)(x)) = 0`, and
//! every place that `L` maps to 0 is a `kernel(L)(x)`; `image(L)` has the values of `L`, each once. The bases are
//! reduced: each has a highest bit that no other has, and they stand in the order of those bits, so two layouts with
//! one kernel or image have one basis of it.

use super::Name;
use super::bits::{Echelon, bit, ones, with_kernel};
use super::layout::{Columns, Dim, Dims, LinearLayout};
use crate::error::Error;

impl LinearLayout {
    /// The places that hold the element 0: a layout from the dim `kernel` to the in dims.
    ///
    /// Places that differ by one of these hold the same element.
    ///
    /// # Errors
    /// [`Code::TooLarge`](crate::Code::TooLarge) for a kernel of more than [`Dim::MOST_BITS`] bits.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![1], vec![0]]), (Name::LANE, vec![vec![1]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 2)])?;
    /// assert_eq!(layout.kernel()?.to_string(), "linear<{kernel=[[2,0],[1,1]]}, out=[register:4, lane:2]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn kernel(&self) -> Result<LinearLayout, Error> {
        // A free bit and the earlier, independent ones that make up for it: no two of these share a free bit.
        let (_, vectors) = with_kernel(self.columns());
        subspace(Name::new("kernel")?, Columns::from_slice(&vectors), self.ins())
    }

    /// The elements that have a place: a layout from the dim `image` to the out dims.
    ///
    /// # Errors
    /// [`Code::TooLarge`](crate::Code::TooLarge) for an image of more than [`Dim::MOST_BITS`] bits.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![6], vec![3], vec![5]])], &[(Name::dim(0), 8)])?;
    /// assert_eq!(layout.image()?.to_string(), "linear<{image=[[3],[5]]}, out=[dim0:8]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn image(&self) -> Result<LinearLayout, Error> {
        subspace(Name::new("image")?, Echelon::of(self.columns()).reduced(), self.outs())
    }
}

impl Echelon {
    /// The reduced basis of the span: each has a highest bit that no other has, the lowest first.
    pub(crate) fn reduced(&self) -> Columns {
        let mut basis = Columns::new();
        for lead in ones(self.leads()) {
            // What a row has below its own highest bit, less all other highest bits.
            let (rest, _) = self.reduce(self.row(lead) ^ bit(lead));
            basis.push(rest | bit(lead));
        }
        basis
    }
}

fn subspace(name: Name, vectors: Columns, outs: &[Dim]) -> Result<LinearLayout, Error> {
    let bits = u32::try_from(vectors.len()).unwrap_or(u32::MAX);
    LinearLayout::from_columns(Dims::from_slice(&[Dim { name, bits }]), Dims::from_slice(outs), vectors)
}

#[cfg(test)]
mod tests {
    use super::super::{LinearLayout, Name};
    use crate::Code;

    #[test]
    fn whole_words() -> Result<(), crate::Error> {
        let ins = [(Name::LANE, vec![vec![0, 0]; 62]), (Name::WARP, vec![vec![0, 0]; 2])];
        let zeros = LinearLayout::from_bases(&ins, &[(Name::dim(0), 1 << 62), (Name::dim(1), 4)])?;
        assert_eq!(zeros.kernel().map_err(|error| error.code()), Err(Code::TooLarge));
        assert_eq!(zeros.image()?.columns(), [0; 0]);
        Ok(())
    }

    #[test]
    fn one_image_has_one_basis() -> Result<(), crate::Error> {
        let layout = |bases: &[i64]| {
            let bases = bases.iter().map(|basis| vec![*basis]).collect();
            LinearLayout::from_bases(&[(Name::LANE, bases)], &[(Name::dim(0), 16)])
        };
        assert_eq!(layout(&[12, 10, 7])?.image()?, layout(&[6, 1, 7, 10])?.image()?);
        assert_eq!(layout(&[12, 10, 7])?.image()?.columns(), [1, 6, 10]);
        Ok(())
    }
}
