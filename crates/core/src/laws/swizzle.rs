//! Laws of swizzles and of the layouts under them.

use super::{Held, hold};
use crate::reference::{Layout, Swizzle};

/// The images of 0, 1, 2, … under a swizzle: bit by bit, the target field is exclusive-ored with the source field.
///
/// | swizzle | images | |
/// |---|---|---|
/// | `Sw<1,0,2>` | 0, 1, 2, 3, 5, 4, 7, 6 | held |
/// | `Sw<1,0,2>` | 0, 1, 3, 2 | broken: 2 is sent to 3, but must be sent to 2 |
pub fn swizzle(swizzle: &Swizzle, images: &[i64]) -> Held {
    for (n, image) in (0..).zip(images) {
        let wanted = swizzle.apply(n)?;
        hold("swizzle", *image == wanted, || {
            format!("{n} is sent to {image}, but must be sent to {wanted}")
        })?;
    }
    Ok(())
}

/// The values of `Sw o offset o L` are `Sw(offset + L(i))`, for every i below size(L), or for the first as many as
/// are given where the list is cut short.
pub fn composed(swizzle: &Swizzle, offset: i64, layout: &Layout, values: &[i64]) -> Held {
    const LAW: &str = "composed";
    let all = swizzle.composed(offset, layout)?;
    hold(
        LAW,
        values.len() <= all.len() && values.is_empty() == all.is_empty(),
        || {
            format!(
                "{} values were given for a size of {}",
                values.len(),
                all.len()
            )
        },
    )?;
    for (index, (value, wanted)) in values.iter().zip(&all).enumerate() {
        hold(LAW, value == wanted, || {
            format!("the value at {index} is {value}, but must be {wanted}")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn swizzles_follow_their_bits() {
        let check = |s, images: &[i64], broken| verdict(swizzle(&parsed(s), images), broken);
        check("Sw<1,0,2>", &[0, 1, 2, 3, 5, 4, 7, 6], None);
        check("Sw<2,0,-3>", &[0, 9, 18, 27, 4], None);
        check(
            "Sw<1,0,2>",
            &[0, 1, 3, 2],
            Some("swizzle: 2 is sent to 3, but must be sent to 2"),
        );
    }

    #[test]
    fn swizzled_layouts_are_pointwise() {
        let check = |offset, values: &[i64], broken| {
            verdict(
                composed(&parsed("Sw<2,0,3>"), offset, &parsed("(2,4):(8,1)"), values),
                broken,
            )
        };
        check(0, &[0, 9, 1, 8, 2, 11, 3, 10], None);
        check(0, &[0, 9], None);
        check(8, &[9, 18], None);
        check(
            0,
            &[0, 8],
            Some("composed: the value at 1 is 8, but must be 9"),
        );
        check(
            0,
            &[0; 9],
            Some("composed: 9 values were given for a size of 8"),
        );
    }
}
