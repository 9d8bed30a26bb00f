//! The third version of XLA's text, with named axes: `{mesh['a'=2,'b'=4], [{'b':(1)2}, {?}], unreduced={'a'}}`.

use super::axes;
use super::mesh::{Mesh, MeshText, devices_listed};
use super::order::Order;
use super::placement::{Placement, Reduction, Role, Spread};
use super::reader::Reader;
use crate::error::{Code, Error};

/// The lists that may follow the dims.
const WORDS: [(&str, Role); 3] =
    [("replicated", Role::Copies), ("unreduced", Role::Sums(Reduction::Unnamed)), ("manual", Role::Unknown)];

/// Behind `{mesh[`.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Placement, Error> {
    let axes = MeshText::read_axes(reader)?;
    let sizes: Vec<i64> = axes.iter().map(|axis| axis.size.max(1)).collect();
    let count = super::order::product(&sizes)?;
    reader.need(",")?;
    let order = match reader.take_word("device_ids") {
        true => {
            reader.need("=")?;
            reader.need("(")?;
            let order = match reader.take("[") {
                true => {
                    let order = super::hlo::read_order(reader)?;
                    reader.need(")")?;
                    order
                }
                false => Order::listed(&reader.integers(")", "the number of a device")?)?,
            };
            reader.need(",")?;
            order
        }
        false => Order::identity(count)?,
    };
    let mesh = Mesh::ordered(axes, order)?;
    let placement = match reader.take_word("replicated") {
        true => Placement { spread: Spread::Everywhere, ..Placement::named(mesh, &[], &[])? },
        false => axes::placement(reader, (mesh, &[]), &WORDS, false)?,
    };
    reader.need("}")?;
    Ok(placement)
}

/// The text of a placement.
///
/// # Errors
/// As [`super::hlo::HloText::of`].
pub(super) fn written(placement: &Placement, quote: char) -> Result<String, Error> {
    let mesh = &placement.mesh;
    super::shardy::expressible(placement, "the text of XLA")?;
    let axes: Vec<String> = mesh.axes.iter().map(|axis| format!("{quote}{}{quote}={}", axis.name, axis.size)).collect();
    let order = match mesh.order.is_identity() {
        true => String::new(),
        false => format!(" device_ids=({}),", devices_listed(&mesh.order)?),
    };
    if mesh.axes.is_empty() {
        return Err(Error::new(Code::NotALayout, "the text needs a mesh, and this sharding has none"));
    }
    let dims = match placement.spread {
        Spread::Everywhere => "replicated".to_owned(),
        _ => axes::written(placement, quote, &WORDS),
    };
    Ok(format!("{{mesh[{}],{order} {dims}}}", axes.join(",")))
}
