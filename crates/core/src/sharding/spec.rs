//! JAX: a `PartitionSpec`, such as `P(('b','a'), None)`, on a mesh.

use super::mesh::{Mesh, Part};
use super::placement::{Placement, Role, Spread};
use super::reader::Reader;
use crate::error::{Code, Error};

/// One entry for each dim.
type Entries<'t> = Vec<Vec<&'t str>>;

/// The entries behind the name and its bracket; the axes of an entry stand the slowest first.
pub(super) fn read<'t>(reader: &mut Reader<'t>) -> Result<Entries<'t>, Error> {
    const ENTRY: &str = "None, UNCONSTRAINED, or axes in quotes: 'a' or ('a', 'b')";
    reader.python_list(")", |reader| {
        if reader.take_word("None") {
            return Ok(Vec::new());
        }
        let before = reader.scanner.at;
        if reader.take_word("P") || reader.take_word("PartitionSpec") {
            reader.need(".")?;
        }
        if reader.take_word("UNCONSTRAINED") {
            return Ok(Vec::new());
        }
        reader.scanner.at = before;
        match reader.take("(") {
            true => reader.python_list(")", |reader| reader.quoted("an axis in quotes")),
            false => Ok(vec![reader.quoted(ENTRY)?]),
        }
    })
}

/// The placement of entries on a mesh.
pub(super) fn placement(entries: &Entries<'_>, mesh: Mesh) -> Result<Placement, Error> {
    let parts = |names: &Vec<&str>| names.iter().map(|name| mesh.axis(name)).collect::<Result<Vec<Part>, Error>>();
    let dims = entries.iter().map(parts).collect::<Result<Vec<_>, _>>()?;
    Placement::named(mesh, &dims, &[])
}

/// The text of a placement.
///
/// # Errors
/// [`Code::NotALayout`] for parts of axes, summands, chunks, and what has no mesh.
pub(super) fn written(placement: &Placement) -> Result<String, Error> {
    if let Spread::Only(device) = placement.spread {
        let message = format!("everything on device {device} is no PartitionSpec; it is SingleDeviceSharding in JAX");
        return Err(Error::new(Code::NotALayout, message));
    }
    if placement.mesh.axes.is_empty() {
        return Err(Error::new(Code::NotALayout, "a PartitionSpec needs a mesh, and this sharding names no devices")
            .with_help("write the number of devices behind it: `shard(f32[8], '{replicated}', 8)`"));
    }
    super::shardy::expressible(placement, "a PartitionSpec")?;
    if let Some(digit) = placement.pending().next() {
        let message = format!("a PartitionSpec does not say that devices hold {}", digit.role);
        return Err(Error::new(Code::NotALayout, message));
    }
    let mesh = &placement.mesh;
    let mut dims: Vec<String> = Vec::new();
    for rule in &placement.rules {
        let digits: Vec<_> = rule.digits().iter().filter_map(|digit| placement.digits.get(*digit)).collect();
        let mut names = Vec::new();
        let mut rest = digits.as_slice();
        while let [first, ..] = rest {
            let axis = first.part.axis;
            let own =
                rest.iter().take_while(|digit| digit.part.axis == axis && digit.role == Role::Holds).count().max(1);
            let (own, after) = rest.split_at(own.min(rest.len()));
            let size = mesh.axes.get(axis).map_or(1, |axis| axis.size);
            let in_order =
                own.iter().try_fold(1, |upto, digit| (digit.part.before == upto).then_some(upto * digit.part.size));
            if in_order != Some(size) {
                let message =
                    format!("{} is a part of an axis, which no PartitionSpec says", mesh.written(first.part, '"'));
                return Err(Error::new(Code::NotALayout, message)
                    .with_help("split the axis of the mesh in two: a mesh with one axis for each part says it"));
            }
            names.push(format!("'{}'", mesh.axes.get(axis).map_or("", |axis| axis.name.as_str())));
            rest = after;
        }
        dims.push(match names.as_slice() {
            [] => "None".to_owned(),
            [name] => name.clone(),
            names => format!("({})", names.join(", ")),
        });
    }
    Ok(match dims.as_slice() {
        [one] => format!("P({one},)"),
        dims => format!("P({})", dims.join(", ")),
    })
}

impl Placement {
    /// The same where each part of an axis that is used is an axis of its own, and axes without names get letters.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub(super) fn with_axes_of_parts(&self) -> Result<Self, Error> {
        let mut placement = self.clone();
        let mut axes = Vec::new();
        for (at, digit) in placement.digits.iter_mut().enumerate() {
            let axis = self.mesh.axes.get(digit.part.axis);
            let is_whole = axis.is_some_and(|axis| axis.size == digit.part.size);
            let own = axis.map_or("", |axis| axis.name.as_str());
            let is_unnamed = own.starts_with(|c: char| c.is_ascii_digit());
            let name = match (is_whole, is_unnamed) {
                (_, true) => format!("d{at}"),
                (true, _) => own.to_owned(),
                (false, _) => format!("{own}_{}", digit.part.before),
            };
            axes.push(super::mesh::MeshAxis { name, size: digit.part.size });
            digit.part = Part { axis: at, before: 1, size: digit.part.size };
        }
        placement.mesh = Mesh::ordered(axes, self.mesh.order.clone())?;
        Ok(placement)
    }
}
