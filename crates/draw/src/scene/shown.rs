//! [`Shown`]: what a picture shows of a value: a layout, two layouts that were compared, an instruction, a map, or words.

use bitstride::cute::idx2crd;
use bitstride::map::Map;
use bitstride::{Error, Tuple};
use bitstride_lang::{Instruction, Outermost, Value};

use super::look::{Look, Paint};
use super::subject::{Subject, headed};
use super::{Drawn, Room, grid, instruction, mapped};
use crate::cell::Fill;
use crate::grid::Grid;
use crate::picture::Panel;

/// What is shown of a value.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A layout.
    Layout(Box<Subject>),
    /// Two layouts, and what comparing them says: they stand beside one another, the elements that differ marked.
    Compared(Box<[Subject; 2]>, String),
    /// An instruction, or copies of one over a tile, under a title.
    Instruction(Box<Instruction>, String),
    /// A map that no layout of CuTe draws, under a title.
    Map(Box<Map>, String),
    /// A value that is no layout, in words.
    Words(String),
}

impl Shown {
    /// What is shown of a value that came from a text, which is the call where it is one.
    ///
    /// # Errors
    /// As [`Subject::new`], for layouts.
    ///
    /// ```
    /// use bitstride::notation::Ints;
    /// use bitstride_draw::scene::Shown;
    /// use bitstride_lang::{Outermost, evaluate};
    /// let typed = "(4,8):(8,1) == (4,8):(1,4)";
    /// let call = Outermost::of(typed, Ints::Plain);
    /// let shown = Shown::new(typed, &evaluate(typed)?.value, call.as_ref())?;
    /// assert!(matches!(shown, Shown::Compared(..)));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(typed: &str, value: &Value, call: Option<&Outermost>) -> Result<Self, Error> {
        if let Value::Instruction(whole) = value {
            return Ok(Shown::Instruction(whole.clone(), instruction::title(typed, whole)));
        }
        if let Value::Map(mapped) = value
            && mapped.map.from_elements().and_then(|map| map.to_cute()).is_err()
        {
            let title = format!("{}\n{}", headed(typed.trim(), &mapped.text), mapped::axes(&mapped.map));
            return Ok(Shown::Map(Box::new(mapped.map.clone()), title));
        }
        if !matches!(value, Value::Bool(_) | Value::Verdict(_) | Value::Text(_)) {
            let subject = Subject::new(typed, value)?;
            return Ok(Shown::Layout(Box::new(match call {
                Some(call) => subject.made_by(call),
                None => subject,
            })));
        }
        let text = value.to_string();
        let first = text.lines().next().unwrap_or_default();
        Ok(match call.and_then(compared) {
            Some(pair) => Shown::Compared(Box::new(pair), headed(typed, first)),
            None => Shown::Words(headed(typed, &text)),
        })
    }

    /// The layout, where it is one.
    pub fn layout(&self) -> Option<&Subject> {
        match self {
            Shown::Layout(subject) => Some(subject),
            Shown::Compared(..) | Shown::Instruction(..) | Shown::Map(..) | Shown::Words(_) => None,
        }
    }
}

/// The operands of a comparison, where element n of one is element n of the other: layouts of CuTe of equally many elements, or
/// values of equal modes.
fn compared(call: &Outermost) -> Option<[Subject; 2]> {
    let ("same" | "diff", [a, b]) = (call.operation.name, call.operands.as_slice()) else {
        return None;
    };
    // The axes of a map count row-major, the modes of a layout column-major.
    let are_layouts = [a, b].iter().all(|(_, value)| !matches!(value, Value::Map(_)));
    let [a, b] = [Subject::new(&a.0, &a.1).ok()?, Subject::new(&b.0, &b.1).ok()?];
    let is_matched = a.modes() == b.modes() || are_layouts && a.size().ok()? == b.size().ok()?;
    is_matched.then_some([a, b])
}

/// Both layouts beside one another. Element n of one is element n of the other; those that lie at different places are
/// marked in both.
pub(super) fn comparison(pair: &[Subject; 2], room: &Room) -> Result<Drawn, Error> {
    let [a, b] = pair;
    let look = Look::default();
    let mut panels = Vec::new();
    for (subject, other) in [(a, b), (b, a)] {
        let paint = Paint::new(&look, subject)?;
        let place = |at: &[i64]| {
            let here = subject.at(at)?;
            let there = idx2crd(&subject.index(at)?, &Tuple::flat(other.modes()))?;
            let differs = here != other.at(there.leaves())?;
            Ok(subject.cell(here, at).fill(if differs { Fill::Marked } else { Fill::Plain }))
        };
        let mut title = subject.title();
        for panel in grid::placed(subject, &paint, room, &place)?.into_iter().flatten() {
            panels.push(super::under(&std::mem::take(&mut title), panel));
        }
    }
    Ok(Drawn { rows: vec![panels], legend: vec![(Fill::Marked, "at another place in the other".to_owned())] })
}

/// Words alone: a picture without cells.
pub(super) fn words() -> Drawn {
    Drawn { rows: vec![vec![Panel::stack(Vec::<Grid>::new())]], legend: Vec::new() }
}
