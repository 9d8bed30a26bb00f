//! Shardy: `#sdy.sharding<@mesh, [{"a"}, {"b":(1)2, ?}p1], replicated={…}, unreduced=max{…}>`.
//!
//! Priorities and `?` guide a compiler and place nothing; they are read and left out.

use super::axes::{self, List};
use super::mesh::{MeshText, devices_listed};
use super::placement::{Placement, Reduction, Role, Rule, Spread};
use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::text::Scanner;

/// The lists that may follow the dims.
pub(super) const LISTS: [List; 5] = [
    List::new("replicated", Role::Copies),
    List::new("unreduced", Role::Sums(Reduction::Unnamed)),
    List::by("sum"),
    List::by("max"),
    List::by("min"),
];

/// The operations that combine summands, here and in JAX; one for a sharding.
pub(super) const OPERATIONS: [&str; 3] = ["sum", "max", "min"];

/// Behind `#sdy.sharding`. `mesh` is what `@mesh` stands for: it may come behind the whole text, so that it is read from there.
pub(super) fn read(reader: &mut Reader<'_>, mesh: Option<&MeshText>) -> Result<Placement, Error> {
    reader.need("<")?;
    let mesh = match reader.take("@") {
        true => {
            let name = reader.scanner.word();
            let missing = || {
                error!(Code::MissingFact, "the mesh @{name} is not written", [name]).with_help(
                    "write it behind the sharding: `shard(f32[8], #sdy.sharding<@mesh, [{\"a\"}]>, mesh(a=2))`; above a line of a program its `sdy.mesh @mesh = <[\"a\"=2]>` will do",
                )
            };
            mesh.cloned().ok_or_else(missing)?
        }
        false if reader.take_word("mesh") => MeshText::read_shardy(reader)?,
        false => return Err(reader.expected("`@mesh` or `mesh<[…]>`")),
    };
    reader.need(",")?;
    let placement = match mesh {
        MeshText::Axes(mesh) => axes::placement(reader, (mesh, &[]), &LISTS, true)?,
        MeshText::Manual(mesh, manual) => axes::placement(reader, (mesh, &manual), &LISTS, true)?,
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
    expressible(placement, "Shardy", &OPERATIONS)?;
    if placement.digits.iter().any(|digit| digit.role == Role::Unknown) {
        return Err(Error::new(Code::NotALayout, "Shardy has no `manual` axes in a sharding"));
    }
    let mesh = &placement.mesh;
    let axes: Vec<String> = mesh.axes.iter().map(|axis| format!("\"{}\"={}", axis.name, axis.size)).collect();
    let order = match mesh.order.is_identity() {
        true => String::new(),
        false => format!(", device_ids=[{}]", devices_listed(&mesh.order)?),
    };
    let dims = axes::written(placement, '"', &LISTS);
    Ok(format!("#sdy.sharding<mesh<[{}]{order}>, {dims}>", axes.join(", ")))
}

/// Refuses what no notation with tiles says, and summands by another operation than these, or by several.
pub(super) fn expressible(placement: &Placement, notation: &str, operations: &[&str]) -> Result<(), Error> {
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
    let mut first = None;
    for digit in placement.pending() {
        let Role::Sums(Reduction::Named(operation)) = digit.role.added() else { continue };
        if !operations.contains(&operation) {
            return Err(error!(
                Code::NotALayout,
                "summands by {operation} have no word in {notation}",
                [operation, notation]
            ));
        }
        let first = *first.get_or_insert(operation);
        if first != operation {
            return Err(error!(
                Code::NotALayout,
                "summands by {first} and by {operation} at once have no word in {notation}",
                [first, operation, notation]
            ));
        }
    }
    Ok(())
}
