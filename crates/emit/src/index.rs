//! The index functions of a layout: from its coordinates to places, and back.
//!
//! Law: the first is the map of the layout, and the second its inverse. Where there is no way back, the text says why.

use bitstride::Error;
use bitstride::map::{Axis, Direction, Map, Unit};

use crate::function::Function;
use crate::lang::Language;

/// The two functions of a layout.
#[derive(Clone, Debug)]
pub struct Index {
    /// As the layout leads.
    pub forth: Function,
    /// The way back, or why there is none.
    pub back: Result<Function, Error>,
}

impl Index {
    /// The functions of a map. Memory that is written from places to elements is turned round first.
    ///
    /// # Errors
    /// As [`Function::of`], and as [`Map::inverse`] for memory that has none.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::{Index, Language};
    /// let index = Index::of(&Map::of_layout(&"(8,16):(16,1)".parse()?)?)?;
    /// assert!(index.source(Language::Python).contains("return (dim0 << 4) + dim1"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(map: &Map) -> Result<Self, Error> {
        let is_memory = map.place_axes().iter().all(|axis| axis.unit != Unit::Part || axis.extent == 1);
        let map = if is_memory { map.from_elements()? } else { map.clone() };
        let forth = Function::of(&map, name(&map), &about(&map))?;
        let back = map.inverse().and_then(|back| Function::of(&back, name(&back), &about(&back)));
        Ok(Index { forth, back })
    }

    /// Both as source.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::{Index, Language};
    /// let index = Index::of(&Map::of_layout(&"(2,3):(0,1)".parse()?)?)?;
    /// assert!(index.source(Language::C).contains("// no way back: "));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn source(&self, language: Language) -> String {
        let gap = match language {
            Language::Python | Language::Triton => "\n\n",
            _ => "\n",
        };
        let back = match &self.back {
            Ok(back) => language.function(back),
            Err(why) => {
                let text = format!("no way back: {why}");
                text.lines().map(|line| language.comment(line)).collect()
            }
        };
        format!("{}{}{gap}{back}", language.head(), language.function(&self.forth))
    }
}

/// What a function is called.
fn name(map: &Map) -> &'static str {
    match (map.direction(), map.codomain()) {
        (Direction::ToPlace, [_]) => "layout_offset",
        (Direction::ToPlace, _) => "layout_place",
        (Direction::ToIndex, _) => "layout_coordinate",
    }
}

/// What a function computes, and of which integers.
fn about(map: &Map) -> String {
    let list = |axes: &[Axis]| axes.iter().map(|axis| axis.name.to_string()).collect::<Vec<_>>().join(", ");
    let bounds: Vec<String> = map.domain().iter().map(|axis| format!("{} < {}", axis.name, axis.extent)).collect();
    let of = if bounds.is_empty() { String::new() } else { format!(", for 0 <= {}", bounds.join(", 0 <= ")) };
    let unit = match map.codomain() {
        [axis] if !matches!(axis.unit, Unit::Index | Unit::Part) => format!(" in units of one {}", axis.unit),
        _ => String::new(),
    };
    format!("({}) -> ({}){unit}{of}", list(map.domain()), list(map.codomain()))
}
