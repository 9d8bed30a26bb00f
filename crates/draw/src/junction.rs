//! Which box-drawing character joins lines of given weights.
//!
//! Unicode's block U+2500 holds a character for every combination of absent, light and heavy arms, and for those
//! combinations of single and double arms in which opposite arms agree. Lines of a grid run straight through, so that
//! is all a grid needs, but for heavy meeting double: there the heavy line is drawn light for that one character.

/// How strongly a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// No line.
    Absent,
    /// Level 0: between cells.
    Light,
    /// Level 1: around tiles.
    Heavy,
    /// Level 2 and above: around tiles of tiles.
    Double,
}

impl Weight {
    /// The weight for a line of a grid.
    pub(crate) fn of_level(level: u8) -> Self {
        match level {
            0 => Self::Light,
            1 => Self::Heavy,
            _ => Self::Double,
        }
    }
}

/// The arms of a junction, clockwise from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arms {
    pub(crate) up: Weight,
    pub(crate) right: Weight,
    pub(crate) down: Weight,
    pub(crate) left: Weight,
}

// Indexed by the arms up, right, down, left as digits in base 3: 0 absent, 1 light, 2 heavy (or double).
const HEAVY: &str = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋";
const DOUBLE: &str = " ╴═╷┐╕║╖╗╶─═┌┬╦╓╥╦═══╒╦╤╔╦╦╵┘╛│┤╡║╣╣└┴╩├┼╬╠╬╬╘╩╧╞╬╪╠╬╬║╜╝║╣╣║╢╣╙╨╩╠╬╬╟╫╬╚╩╩╠╬╬╠╬╬";

/// The character with these arms.
pub(crate) fn glyph(arms: Arms) -> char {
    let all = [arms.up, arms.right, arms.down, arms.left];
    let (table, strong) = if all.contains(&Weight::Double) { (DOUBLE, Weight::Double) } else { (HEAVY, Weight::Heavy) };
    let digit = |arm: Weight| match arm {
        Weight::Absent => 0,
        arm if arm == strong => 2,
        _ => 1,
    };
    let index = all.iter().fold(0, |index, &arm| 3 * index + digit(arm));
    table.chars().nth(index).unwrap_or(' ')
}

/// The stand-in for [`glyph`] where only ASCII may be used: `-` and `|`, heavy `=` and `#`, double `#`, joined by `+`.
pub(crate) fn ascii(arms: Arms) -> char {
    let flat = arms.left.max(arms.right);
    let upright = arms.up.max(arms.down);
    match (upright, flat) {
        (Weight::Absent, Weight::Absent) => ' ',
        (Weight::Absent, Weight::Light) => '-',
        (Weight::Absent, Weight::Heavy) => '=',
        (Weight::Light, Weight::Absent) => '|',
        (Weight::Absent, Weight::Double) | (_, Weight::Absent) | (Weight::Double, _) | (_, Weight::Double) => '#',
        _ => '+',
    }
}

#[cfg(test)]
mod tests {
    use super::Weight::{Absent, Double, Heavy, Light};
    use super::*;

    fn check(arms: [Weight; 4], unicode: char, plain: char) {
        let [up, right, down, left] = arms;
        let arms = Arms { up, right, down, left };
        assert_eq!((glyph(arms), ascii(arms)), (unicode, plain), "{arms:?}");
    }

    #[test]
    fn plain_lines_and_corners() {
        check([Absent, Light, Absent, Light], '─', '-');
        check([Light, Absent, Light, Absent], '│', '|');
        check([Absent, Heavy, Absent, Heavy], '━', '=');
        check([Heavy, Absent, Heavy, Absent], '┃', '#');
        check([Absent, Double, Absent, Double], '═', '#');
        check([Absent, Light, Light, Absent], '┌', '+');
        check([Heavy, Absent, Absent, Heavy], '┛', '+');
        check([Absent; 4], ' ', ' ');
    }

    #[test]
    fn light_meets_heavy() {
        check([Light, Heavy, Light, Heavy], '┿', '+');
        check([Heavy, Light, Heavy, Light], '╂', '+');
        check([Absent, Heavy, Light, Heavy], '┯', '+');
        check([Heavy, Light, Heavy, Absent], '┠', '+');
        check([Heavy, Light, Absent, Absent], '┖', '+');
        check([Light, Heavy, Heavy, Light], '╆', '+');
    }

    #[test]
    fn double_meets_the_others() {
        check([Light, Double, Light, Double], '╪', '#');
        check([Double, Light, Double, Light], '╫', '#');
        check([Absent, Double, Double, Absent], '╔', '#');
        check([Heavy, Double, Heavy, Double], '╪', '#');
        check([Absent, Double, Heavy, Absent], '╒', '#');
    }

    #[test]
    fn tables_are_complete() {
        for table in [HEAVY, DOUBLE] {
            assert_eq!(table.chars().count(), 81);
            assert!(table.chars().skip(1).all(|c| ('\u{2500}'..='\u{257f}').contains(&c)));
        }
    }
}
