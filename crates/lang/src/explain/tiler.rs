//! Tilers: which of their entries treats which mode, and the concatenation of what comes out.

use super::steps::{Steps, concatenation};
use super::words::{list, path_text, sentence};
use bitstride::Error;
use bitstride::cute::{Layout, Tiler};

/// What is done to one mode: the mode, its tile, its position in words.
pub(super) type Whole<'f> = dyn FnMut(&Layout, &Tiler, &str, &mut Steps) -> Result<Layout, Error> + 'f;

/// Treats a layout mode by mode; modes beyond the tiler stay, unless `drop` is set.
pub(super) fn mode_by_mode(
    layout: &Layout,
    tiler: &Tiler,
    drop: bool,
    steps: &mut Steps,
    whole: &mut Whole<'_>,
) -> Result<Layout, Error> {
    at(layout, tiler, drop, &mut Vec::new(), steps, whole)
}

fn at(
    layout: &Layout,
    tiler: &Tiler,
    drop: bool,
    path: &mut Vec<usize>,
    steps: &mut Steps,
    whole: &mut Whole<'_>,
) -> Result<Layout, Error> {
    let entries = match tiler {
        Tiler::Keep => return Ok(layout.clone()),
        Tiler::Modes(entries) => entries,
        tile => {
            let place = match path.as_slice() {
                [] => "The layout".to_owned(),
                path => sentence(&format!("mode {}", path_text(path))),
            };
            return whole(layout, tile, &place, steps);
        }
    };
    let mut modes = Vec::new();
    let (mut kept, mut beyond) = (Vec::new(), Vec::new());
    for (index, mode) in layout.modes().iter().enumerate() {
        match entries.get(index) {
            Some(entry) => {
                path.push(index);
                modes.push(at(mode, entry, drop, path, steps, whole)?.to_string());
                path.pop();
                if matches!(entry, Tiler::Keep) {
                    kept.push(mode.to_string());
                }
            }
            None => {
                beyond.push(mode.to_string());
                if !drop {
                    modes.push(mode.to_string());
                }
            }
        }
    }
    let mut rule = match path.as_slice() {
        [] => "The modes are put side by side".to_owned(),
        path => format!("The parts of mode {} are put side by side", path_text(path)),
    };
    if !kept.is_empty() {
        rule.push_str(&format!("; `_` leaves {} as it is", list(&kept)));
    }
    if !beyond.is_empty() {
        let does = if drop { "and is dropped" } else { "and stays" };
        rule.push_str(&format!("; {} has no entry in the tiler {does}", list(&beyond)));
    }
    steps.layout(format!("{rule}."), concatenation(&modes))
}
