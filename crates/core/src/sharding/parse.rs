//! Reads `shard(ARRAY, SHARDING)` in each notation of the sharding.
//!
//! | sharding | behind it |
//! |---|---|
//! | `'{devices=[4,2]<=[8]}'`, also without quotes or with named axes: XLA | the number of devices, where the text does not say it |
//! | `P(('b','a'), None)`, `PartitionSpec(…)`: JAX | the mesh |
//! | `#sdy.sharding<mesh<["a"=2]>, [{"a"}]>`: Shardy | the mesh, where the text says `@mesh` |
//! | `SdyArray([{'a'}, {}])`: Shardy as JAX prints it | the mesh |
//! | `[Shard(0), Replicate()]`: PyTorch | the mesh, with or without names |
//! | a [print](super::prints) of JAX or PyTorch | the mesh, where the print does not say it |
//!
//! A print that says its array stands alone, too.

use std::fmt;
use std::str::FromStr;

use super::hlo::{HloSharding, HloText};
use super::placement::Placement;
use super::prints::{self, PRINTS};
use super::tensor::{Notation, Sharding};
use super::{axes, dtensor, hlo, hlo_mesh, shardy, spec};
use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::text::Span;
use crate::xla::{Array, Shape, read_shape};

const SHARDING: &str = "a sharding: '{devices=[4,2]<=[8]}', P('a', None), #sdy.sharding<…> or [Shard(0), Replicate()]";

impl Sharding {
    /// Reads a sharding at the start of a text, and how many bytes it has.
    ///
    /// # Errors
    /// A syntax error with its place; what the notation refuses, with the place of the sharding.
    pub fn read_start(text: &str) -> Result<(Self, usize), Error> {
        let mut reader = Reader::limited(text);
        if let Some(name) = reader.callee().filter(|name| PRINTS.contains(name)) {
            let sharding = prints::read(&mut reader, name, None).map_err(|error| whole(error, &reader, 0))?;
            return Ok((sharding.with_manual_axes(), reader.scanner.at));
        }
        reader.scanner.at = 0;
        if !reader.take_word("shard") {
            return Err(reader.expected("`shard(`"));
        }
        reader.need("(")?;
        reader.scanner.space();
        let array = array(&mut reader)?;
        reader.need(",")?;
        reader.scanner.space();
        let start = reader.scanner.at;
        let sharding = sharding(&mut reader, array).map_err(|error| whole(error, &reader, start))?;
        Ok((sharding.with_manual_axes(), reader.scanner.at))
    }
}

/// An error of what was read from `start` on, unless it has its own place.
fn whole(error: Error, reader: &Reader<'_>, start: usize) -> Error {
    let end = reader.scanner.at.max(start);
    error.with_span(Span::new(start, end))
}

impl FromStr for Sharding {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (sharding, length) = Sharding::read_start(text)?;
        let mut reader = Reader::limited(text);
        reader.scanner.at = length;
        reader.end()?;
        Ok(sharding)
    }
}

impl fmt::Display for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Ok(text) => f.write_str(&text),
            // Only a list of more devices than are written has no text.
            Err(error) => write!(f, "shard({}, …) of {}", self.array().without_layout(), error.message()),
        }
    }
}

fn array(reader: &mut Reader<'_>) -> Result<Array, Error> {
    let at = reader.scanner.at;
    if reader.take("tensor<") {
        return prints::tensor(reader);
    }
    let (shape, length, _) = read_shape(reader.scanner.rest(), true).map_err(|error| error.shifted(at))?;
    reader.scanner.at += length;
    match shape {
        Shape::Array(array) => Ok(array),
        shape => {
            let error = error!(Code::Kind, "a sharding is of one array, and {shape} is none", [shape])
                .with_span(Span::new(at, at + length));
            Err(match (&shape, reader.scanner.rest().trim_start_matches([',', ' ', '\'', '"'])) {
                (Shape::Tuple(parts), rest) => error.with_help(each_of(parts, rest)),
                _ => error,
            })
        }
    }
}

/// How the shardings of a tuple are written, the first ones of them: one for each array, or one for all.
fn each_of(parts: &[Shape], shardings: &str) -> String {
    const MOST_SHOWN: usize = 3;
    let texts: Vec<String> = match hlo::read(&mut Reader::limited(shardings)).ok() {
        Some(HloSharding::Tuple(all)) => all.iter().map(ToString::to_string).collect(),
        Some(HloSharding::One(one)) => vec![one.to_string(); parts.len().min(MOST_SHOWN + 1)],
        None => Vec::new(),
    };
    let calls: Vec<String> = parts
        .iter()
        .zip(&texts)
        .filter(|(part, _)| matches!(part, Shape::Array(_)))
        .map(|(part, text)| format!("`shard({part}, {text})`"))
        .take(MOST_SHOWN)
        .collect();
    match calls.is_empty() {
        true => "write each array with its own: `shard(f32[8,6], {devices=[4,2]<=[8]})`".to_owned(),
        false => format!("write each array with its own: {}", calls.join(", ")),
    }
}

/// The sharding of an array, up to the bracket that closes the call.
fn sharding(reader: &mut Reader<'_>, array: Array) -> Result<Sharding, Error> {
    let rank = array.dims.len();
    let start = reader.scanner.at;
    let (placement, notation) = if reader.at("'{") || reader.at("\"{") || reader.at("{") {
        of_xla(reader)?
    } else if reader.take("#sdy.sharding") {
        let start = reader.scanner.at;
        let end = start + shardy::extent(reader.scanner.rest());
        reader.scanner.at = end;
        let mesh = if reader.take(",") { Some(prints::mesh(reader)?) } else { None };
        let after = reader.scanner.at;
        reader.scanner.at = start;
        let placement = shardy::read(reader, mesh.as_ref())?;
        if reader.scanner.at != end {
            return Err(reader.expected("`>` at the end of the sharding"));
        }
        reader.scanner.at = after;
        (placement, Notation::Shardy)
    } else if reader.at("[") || reader.at("(") {
        let close = if reader.take("[") { "]" } else { reader.need("(").map(|()| ")")? };
        let placements = dtensor::read(reader, close)?;
        reader.need(",")?;
        let mesh = prints::mesh(reader)?.axes()?;
        (dtensor::placement(&placements, mesh, rank)?, Notation::DTensor)
    } else {
        match reader.callee() {
            Some("P" | "PartitionSpec") => {
                let spec = spec::read(reader)?;
                reader.need(",")?;
                let (mesh, manual) = prints::mesh(reader)?.typed_axes()?;
                (spec::placement(&spec, mesh, &manual)?, Notation::Jax)
            }
            Some("SdyArray") => (of_sdy_array(reader)?, Notation::Shardy),
            Some("GSPMDSharding") => {
                let read = of_xla(reader)?;
                reader.need(")")?;
                read
            }
            Some(name) if PRINTS.contains(&name) => {
                let sharding = prints::read(reader, name, Some(array))?;
                reader.need(")")?;
                return Ok(sharding);
            }
            _ => {
                reader.scanner.at = start;
                return Err(reader.expected(SHARDING));
            }
        }
    };
    reader.need(")")?;
    Sharding::new(array, placement, notation)
}

/// `[{'x'}, {}], unreduced_axes=frozenset({'y'}))` behind `SdyArray(`, as JAX prints a sharding of Shardy; behind it the mesh.
fn of_sdy_array(reader: &mut Reader<'_>) -> Result<Placement, Error> {
    reader.scanner.space();
    let start = reader.scanner.at;
    reader.pass_value()?;
    let dims = reader.scanner.text().get(start..reader.scanner.at).unwrap_or_default();
    let (mut replicated, mut unreduced, mut operation) = (Vec::new(), Vec::new(), "");
    while reader.take(",") {
        match reader.keyword()? {
            Some("replicated_axes") => replicated = axis_set(reader)?,
            Some("unreduced_axes") => unreduced = axis_set(reader)?,
            Some("reduction_op") => {
                reader.scanner.space();
                let from = reader.scanner.at;
                reader.pass_value()?;
                let value = reader.scanner.text().get(from..reader.scanner.at).unwrap_or_default().to_lowercase();
                let known = shardy::OPERATIONS.into_iter().find(|known| value.contains(known));
                operation = known.ok_or_else(|| reader.expected("`SUM`, `MAX` or `MIN` before it"))?;
            }
            _ => {
                let place = "`)`: the devices stand in the mesh, `mesh(x=2,y=2,device_ids=[0,2,1,3])`";
                return Err(reader.expected(place));
            }
        }
    }
    reader.need(")")?;
    reader.need(",")?;
    let (mesh, manual) = prints::mesh(reader)?.typed_axes()?;
    let mut text = dims.to_owned();
    for (word, operation, names) in [("replicated", "", replicated), ("unreduced", operation, unreduced)] {
        // A set has no order; Shardy has that of the mesh.
        let mut parts = names.iter().map(|name| mesh.axis(name)).collect::<Result<Vec<_>, _>>()?;
        parts.sort_unstable_by_key(|part| part.axis);
        let names: Vec<String> = parts.iter().map(|part| mesh.written(*part, '"')).collect();
        if !names.is_empty() {
            text += &format!(", {word}={operation}{{{}}}", names.join(", "));
        }
    }
    let mut inner = Reader::limited(&text);
    let placement = axes::placement(&mut inner, (mesh, &manual), &shardy::LISTS, false);
    placement.map_err(|error| error.shifted(start))
}

/// `frozenset({'x', 'y'})`, or the names in brackets alone.
fn axis_set<'t>(reader: &mut Reader<'t>) -> Result<Vec<&'t str>, Error> {
    let is_call = reader.callee().is_some();
    if is_call && reader.take(")") {
        return Ok(Vec::new());
    }
    let close = if reader.take("{") { "}" } else { reader.need("(").map(|()| ")")? };
    let names = reader.python_list(close, |reader| reader.quoted("the name of an axis"))?;
    if is_call {
        reader.need(")")?;
    }
    Ok(names)
}

/// `{devices=[4,2]<=[8]}` or with named axes, perhaps in quotes; behind it the number of devices, where the text does not say it.
fn of_xla(reader: &mut Reader<'_>) -> Result<(Placement, Notation), Error> {
    let quote = ["'", "\""].into_iter().find(|quote| reader.take(quote));
    let (placement, notation) = match hlo_mesh::read(reader)? {
        Some(placement) => (placement, Notation::HloMesh),
        None => (one(hlo::read(reader)?)?.placement()?, Notation::Hlo),
    };
    if let Some(quote) = quote {
        reader.need(quote)?;
    }
    if !reader.take(",") {
        return Ok((placement, notation));
    }
    if reader.keyword()? == Some("memory_kind") {
        reader.pass_value()?;
        return Ok((placement, notation));
    }
    let devices = reader.integer("the number of devices")?;
    if devices < 1 {
        return Err(error!(Code::Range, "{devices} devices; there is at least 1", [devices]));
    }
    Ok((placement.on(devices)?, notation))
}

/// The sharding of one array.
fn one(read: HloSharding) -> Result<HloText, Error> {
    match read {
        HloSharding::One(text) => Ok(text),
        HloSharding::Tuple(all) => Err(error!(
            Code::Kind,
            "a tuple of {all_count} shardings is of a tuple of arrays; this is one array",
            [all_count = all.len()]
        )),
    }
}

impl Placement {
    /// Reads a placement that has no tensor yet: the text of XLA in each version, or Shardy with its mesh.
    ///
    /// # Errors
    /// As [`Sharding::read_start`].
    ///
    /// ```
    /// use bitstride::sharding::{HloText, Placement};
    /// let placement = Placement::read("{mesh['a'=2,'b'=4], [{'b':(1)2}, {?}]}", None)?;
    /// assert_eq!(HloText::of(&placement)?.to_string(), "{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn read(text: &str, mesh: Option<&str>) -> Result<Self, Error> {
        let mesh = mesh.map(|mesh| prints::mesh(&mut Reader::limited(mesh))).transpose()?;
        let mut reader = Reader::limited(text);
        let placement = if reader.take("#sdy.sharding") {
            shardy::read(&mut reader, mesh.as_ref())?
        } else {
            match hlo_mesh::read(&mut reader)? {
                Some(placement) => placement,
                None => one(hlo::read(&mut reader)?)?.placement()?,
            }
        };
        reader.end()?;
        Ok(placement)
    }
}
