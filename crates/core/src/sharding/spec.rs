//! JAX: a `PartitionSpec`, such as `P(('b','a'), None)`, on a mesh.

use super::mesh::{Mesh, Part};
use super::placement::{PlaceDigit, Placement, Reduction, Role, Spread};
use super::shardy::OPERATIONS;
use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::text::is_word;

/// What is between the brackets.
pub(super) struct Spec<'t> {
    /// The axes of each dim, the slowest first.
    dims: Vec<Vec<&'t str>>,
    /// Axes along which devices have summands.
    unreduced: Vec<&'t str>,
    /// By which operation, where the text says it.
    unreduced_kind: Option<&'static str>,
    /// Axes along which the derivative has summands; the value has copies.
    reduced: Vec<&'t str>,
}

/// The entries behind the name and its bracket; the axes of an entry stand the slowest first.
pub(super) fn read<'t>(reader: &mut Reader<'t>) -> Result<Spec<'t>, Error> {
    const ENTRY: &str = "None, UNCONSTRAINED, axes in quotes: 'a' or ('a', 'b'), or unreduced={'a'}";
    let mut spec = Spec { dims: Vec::new(), unreduced: Vec::new(), unreduced_kind: None, reduced: Vec::new() };
    let mut named: Vec<&str> = Vec::new();
    reader.python_list(")", |reader| {
        let found = ["unreduced", "reduced"].into_iter().find(|word| !named.contains(word) && reader.take_word(word));
        if let Some(word) = found {
            named.push(word);
            reader.need("=")?;
            reader.need("{")?;
            let axes = reader.python_list("}", |reader| reader.quoted("an axis in quotes"))?;
            if axes.is_empty() {
                return Err(reader.expected("an axis in quotes between `{` and `}`: an empty set is left out"));
            }
            *(if word == "reduced" { &mut spec.reduced } else { &mut spec.unreduced }) = axes;
            return Ok(());
        }
        if !named.contains(&"unreduced_kind") && reader.take_word("unreduced_kind") {
            named.push("unreduced_kind");
            reader.need("=")?;
            spec.unreduced_kind = kind(reader)?;
            return Ok(());
        }
        if !named.is_empty() {
            return Err(reader.expected("`)` behind the sets of axes"));
        }
        spec.dims.push(entry(reader, ENTRY)?);
        Ok(())
    })?;
    Ok(spec)
}

/// `max`, perhaps behind modules: `jax.sharding.UnreducedKind.max`.
fn kind(reader: &mut Reader<'_>) -> Result<Option<&'static str>, Error> {
    let before = reader.scanner.at;
    reader.scanner.space();
    let path = reader.scanner.run(|c| is_word(c) || c == '.');
    let name = path.rsplit('.').next().unwrap_or_default();
    match OPERATIONS.into_iter().find(|operation| *operation == name) {
        None if name != "None" => {
            reader.scanner.at = before;
            Err(reader.expected("`sum`, `max` or `min`"))
        }
        found => Ok(found),
    }
}

fn entry<'t>(reader: &mut Reader<'t>, what: &str) -> Result<Vec<&'t str>, Error> {
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
        false => Ok(vec![reader.quoted(what)?]),
    }
}

/// The placement of a spec on a mesh of which some axes are `Manual`.
pub(super) fn placement(spec: &Spec<'_>, mesh: Mesh, manual: &[usize]) -> Result<Placement, Error> {
    let parts = |names: &Vec<&str>| names.iter().map(|name| mesh.axis(name)).collect::<Result<Vec<Part>, Error>>();
    let dims = spec.dims.iter().map(parts).collect::<Result<Vec<_>, _>>()?;
    let mut others = Vec::new();
    let reduction = spec.unreduced_kind.map_or(Reduction::Unnamed, Reduction::Named);
    for (names, role) in [(&spec.unreduced, Role::Sums(reduction)), (&spec.reduced, Role::Copies)] {
        others.extend(parts(names)?.into_iter().map(|part| (part, role.clone())));
    }
    Placement::beside_manual(mesh, &dims, others, manual)
}

/// The text of a placement.
///
/// # Errors
/// [`Code::NotALayout`] for parts of axes, summands by another operation than a sum, chunks, and what has no mesh.
pub(super) fn written(placement: &Placement) -> Result<String, Error> {
    if let Spread::Only(device) = placement.spread {
        return Err(error!(
            Code::NotALayout,
            "everything on device {device} is no PartitionSpec; it is SingleDeviceSharding in JAX",
            [device]
        ));
    }
    if placement.mesh.axes.is_empty() {
        return Err(Error::new(Code::NotALayout, "a PartitionSpec needs a mesh, and this sharding names no devices")
            .with_help("write the number of devices behind it: `shard(f32[8], '{replicated}', 8)`"));
    }
    super::shardy::expressible(placement, "a PartitionSpec", &OPERATIONS)?;
    if placement.pending().any(|digit| digit.role == Role::Unknown) {
        return Err(Error::new(Code::NotALayout, "a PartitionSpec does not say that axes are `manual`"));
    }
    let mut entries: Vec<String> = Vec::new();
    for rule in &placement.rules {
        let digits: Vec<_> = rule.digits().iter().filter_map(|digit| placement.digits.get(*digit)).collect();
        let names = names(&placement.mesh, &digits)?;
        entries.push(match names.as_slice() {
            [] => "None".to_owned(),
            [name] => name.clone(),
            names => format!("({})", names.join(", ")),
        });
    }
    let summed: Vec<_> = placement.pending().collect();
    if !summed.is_empty() {
        entries.push(format!("unreduced={{{}}}", names(&placement.mesh, &summed)?.join(", ")));
        if let Some(Role::Sums(Reduction::Named(operation))) = summed.first().map(|digit| digit.role.added())
            && operation != "sum"
        {
            entries.push(format!("unreduced_kind={operation}"));
        }
    }
    Ok(match entries.as_slice() {
        [one] => format!("P({one},)"),
        entries => format!("P({})", entries.join(", ")),
    })
}

/// The axes that digits make, each whole, in quotes.
fn names(mesh: &Mesh, digits: &[&PlaceDigit]) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut rest = digits;
    while let [first, ..] = rest {
        let axis = first.part.axis;
        let own = rest.iter().take_while(|digit| digit.part.axis == axis).count();
        let (own, after) = rest.split_at(own.min(rest.len()));
        let size = mesh.axes.get(axis).map_or(1, |axis| axis.size);
        let in_order =
            own.iter().try_fold(1, |upto, digit| (digit.part.before == upto).then_some(upto * digit.part.size));
        if in_order != Some(size) {
            return Err(error!(
                Code::NotALayout,
                "{part} is a part of an axis, which no PartitionSpec says",
                [part = mesh.written(first.part, '"')]
            )
            .with_help("split the axis of the mesh in two: a mesh with one axis for each part says it"));
        }
        names.push(format!("'{}'", mesh.axes.get(axis).map_or("", |axis| axis.name.as_str())));
        rest = after;
    }
    Ok(names)
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
