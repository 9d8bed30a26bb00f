//! Shardy: `#sdy.sharding<@mesh, [{"a"}, {"b":(1)2, ?}p1], replicated={…}, unreduced={…}>`.
//!
//! Priorities and `?` guide a compiler and place nothing; they are read and left out.

use super::axes;
use super::mesh::{MeshText, devices_listed};
use super::placement::{Placement, Reduction, Role, Rule, Spread};
use super::reader::Reader;
use crate::error::{Code, Error};
use crate::text::Scanner;

/// The lists that may follow the dims.
const WORDS: [(&str, Role); 2] = [("replicated", Role::Copies), ("unreduced", Role::Sums(Reduction::Unnamed))];

/// Behind `#sdy.sharding`. `mesh` is what `@mesh` stands for: it may come behind the whole text, so that it is read from there.
pub(super) fn read(reader: &mut Reader<'_>, mesh: Option<&MeshText>) -> Result<Placement, Error> {
    reader.need("<")?;
    let mesh = match reader.take("@") {
        true => {
            let name = reader.scanner.word();
            let missing = || {
                error!(Code::MissingFact, "the mesh @{name} is not written", [name]).with_help(
                    "write it behind the sharding: `shard(f32[8], #sdy.sharding<@mesh, [{\"a\"}]>, mesh(a=2))`",
                )
            };
            mesh.cloned().ok_or_else(missing)?
        }
        false if reader.take_word("mesh") => MeshText::read_shardy(reader)?,
        false => return Err(reader.expected("`@mesh` or `mesh<[…]>`")),
    };
    reader.need(",")?;
    let placement = match mesh {
        MeshText::Axes(mesh) => axes::placement(reader, (mesh, &[]), &WORDS, true)?,
        MeshText::Manual(mesh, manual) => axes::placement(reader, (mesh, &manual), &WORDS, true)?,
        MeshText::Device(device) => {
            reader.need("[")?;
            reader.need("]")?;
            Placement::whole(Spread::Only(device))?
        }
    };
    reader.need(">")?;
    if placement.mesh.axes.is_empty() && placement.spread == Spread::Everywhere {
        return Err(Error::new(Code::MissingFact, "a mesh without axes says no device")
            .with_help("write `mesh<[], device_ids=[3]>` for device 3 alone"));
    }
    Ok(placement)
}

/// How many bytes a sharding in angle brackets takes, so that what stands behind it can be read first.
pub(super) fn extent(text: &str) -> usize {
    let scanner = Scanner::new(text);
    let mut depth = 0_usize;
    for (at, c) in scanner.rest().char_indices() {
        match c {
            '<' => depth += 1,
            '>' if depth <= 1 => return at + 1,
            '>' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The text of a placement.
///
/// # Errors
/// [`Code::NotALayout`] for chunks, for summands by another operation than a sum, and what has no mesh.
pub(super) fn written(placement: &Placement) -> Result<String, Error> {
    if let Spread::Only(device) = placement.spread {
        return Ok(format!("#sdy.sharding<mesh<[], device_ids=[{device}]>, []>"));
    }
    if placement.mesh.axes.is_empty() {
        return Err(Error::new(Code::NotALayout, "Shardy needs a mesh, and this sharding names no devices")
            .with_help("write the number of devices behind it: `shard(f32[8], '{replicated}', 8)`"));
    }
    expressible(placement, "Shardy")?;
    if placement.digits.iter().any(|digit| digit.role == Role::Unknown) {
        return Err(Error::new(Code::NotALayout, "Shardy has no `manual` axes in a sharding"));
    }
    let mesh = &placement.mesh;
    let axes: Vec<String> = mesh.axes.iter().map(|axis| format!("\"{}\"={}", axis.name, axis.size)).collect();
    let order = match mesh.order.is_identity() {
        true => String::new(),
        false => format!(", device_ids=[{}]", devices_listed(&mesh.order)?),
    };
    let dims = axes::written(placement, '"', &WORDS);
    Ok(format!("#sdy.sharding<mesh<[{}]{order}>, {dims}>", axes.join(", ")))
}

/// Refuses what no notation with tiles says.
pub(super) fn expressible(placement: &Placement, notation: &str) -> Result<(), Error> {
    if let Spread::Only(device) = placement.spread {
        return Err(error!(
            Code::NotALayout,
            "{notation} does not say here that device {device} holds all",
            [notation, device]
        ));
    }
    for (dim, rule) in placement.rules.iter().enumerate() {
        if let Rule::Chunked(_) = rule {
            return Err(error!(
                Code::NotALayout,
                "dim {dim} is cut into chunks, which {notation} does not say",
                [dim, notation]
            ));
        }
    }
    for digit in placement.pending() {
        if let Role::Sums(Reduction::Named(operation)) = digit.role
            && operation != "sum"
        {
            return Err(error!(
                Code::NotALayout,
                "summands by {operation} have no word in {notation}",
                [operation, notation]
            ));
        }
    }
    Ok(())
}
