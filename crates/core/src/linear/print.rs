//! Linear layouts as text: the canonical form of the language, and Triton's own print.
//!
//! Law: the canonical text names every dim in order, every basis and every out size, so two layouts have the same text
//! exactly when they are equal.

use std::fmt::{self, Write};

use super::layout::{LinearLayout, unpack};
use crate::Small;

impl LinearLayout {
    /// The text that Triton prints: a line for each basis, after a line feed, and then the out dims.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::identity(4, Name::LANE, Name::dim(0))?;
    /// let text = "\n - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]";
    /// assert_eq!(layout.to_triton_string(), text);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_triton_string(&self) -> String {
        let outs: Vec<String> = self.outs().iter().map(|dim| format!("{} (size {})", dim.name, dim.size())).collect();
        let outs = format!("[{}]", outs.join(", "));
        if self.ins().is_empty() {
            return match self.outs() {
                [] => "\n(empty layout)".to_owned(),
                _ => format!("\n(empty layout with out-dims {outs})"),
            };
        }
        let mut text = "\n".to_owned();
        for (dim, columns) in self.by_in_dim() {
            if columns.is_empty() {
                text += &format!(" - {} is a size 1 dimension\n", dim.name);
            }
            for (at, column) in columns.iter().enumerate() {
                let values: Vec<String> = unpack(self.outs(), *column).map(|value| value.to_string()).collect();
                let lead = if at == 0 { " - " } else { "   " };
                text += &format!("{lead}{}={} -> ({})\n", dim.name, super::bits::bit(at), values.join(", "));
            }
        }
        text + "where out dims are: " + &outs
    }
}

/// The canonical text, such as `linear<{register=[[0,1],[0,2]], lane=[[1,0]]}, out=[dim0:2, dim1:4]>`.
///
/// ```
/// use bitstride::linear::{LinearLayout, Name};
/// let layout = LinearLayout::identity(4, Name::LANE, Name::dim(0))?;
/// assert_eq!(layout.to_string(), "linear<{lane=[[1],[2]]}, out=[dim0:4]>");
/// # Ok::<(), bitstride::Error>(())
/// ```
impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("linear<{")?;
        for (at, (dim, columns)) in self.by_in_dim().enumerate() {
            write!(f, "{}{}=", if at == 0 { "" } else { ", " }, dim.name)?;
            list(f, columns, |f, column| {
                let values: Small<i64, 5> = unpack(self.outs(), *column).collect();
                list(f, &values, |f, value| write!(f, "{value}"))
            })?;
        }
        f.write_str("}, out=[")?;
        for (at, dim) in self.outs().iter().enumerate() {
            write!(f, "{}{}:{}", if at == 0 { "" } else { ", " }, dim.name, dim.size())?;
        }
        f.write_str("]>")
    }
}

/// `[a,b,c]`.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    mut item: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    f.write_char('[')?;
    for (at, one) in items.iter().enumerate() {
        if at > 0 {
            f.write_char(',')?;
        }
        item(f, one)?;
    }
    f.write_char(']')
}

#[cfg(test)]
mod tests {
    use super::super::{LinearLayout, Name};

    #[test]
    fn both_texts() -> Result<(), crate::Error> {
        let bases =
            [(Name::REGISTER, vec![vec![0, 1], vec![0, 2]]), (Name::LANE, vec![vec![1, 0]]), (Name::WARP, vec![])];
        let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 2), (Name::dim(1), 4)])?;
        let text = "linear<{register=[[0,1],[0,2]], lane=[[1,0]], warp=[]}, out=[dim0:2, dim1:4]>";
        assert_eq!(layout.to_string(), text);
        let text = "\n - register=1 -> (0, 1)\n   register=2 -> (0, 2)\n - lane=1 -> (1, 0)\n \
                    - warp is a size 1 dimension\nwhere out dims are: [dim0 (size 2), dim1 (size 4)]";
        assert_eq!(layout.to_triton_string(), text);
        Ok(())
    }

    #[test]
    fn layouts_without_dims() -> Result<(), crate::Error> {
        let empty = LinearLayout::empty();
        assert_eq!(empty.to_string(), "linear<{}, out=[]>");
        assert_eq!(empty.to_triton_string(), "\n(empty layout)");
        let outs = LinearLayout::from_bases(&[], &[(Name::dim(0), 4)])?;
        assert_eq!(outs.to_triton_string(), "\n(empty layout with out-dims [dim0 (size 4)])");
        Ok(())
    }
}
