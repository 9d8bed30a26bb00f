//! The third version of XLA's text, with named axes: `{mesh['a'=2,'b'=4], [{'b':(1)2}, {?}], unreduced={'a'}}`.

use super::axes::{self, List};
use super::mesh::{Mesh, MeshText, devices_listed};
use super::order::Order;
use super::placement::{Placement, Reduction, Role, Spread};
use crate::error::{Code, Error};
use crate::reader::Reader;

/// The lists that may follow the dims.
const LISTS: [List; 3] = [
    List::new("replicated", Role::Copies),
    List::new("unreduced", Role::Sums(Reduction::Unnamed)),
    List::new("manual", Role::Unknown),
];

/// A text with named axes, or with one device of a mesh, `{maximal_mesh[device_id=5]}`; nothing where another text begins here.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<Placement>, Error> {
    let before = reader.scanner.at;
    if reader.take("{") {
        if reader.take_word("mesh") && reader.take("[") {
            return on_mesh(reader).map(Some);
        }
        if reader.take_word("maximal_mesh") {
            for token in ["[", "device_id", "="] {
                reader.need(token)?;
            }
            let device = super::hlo::device(reader)?;
            reader.need("]")?;
            reader.need("}")?;
            return Placement::whole(Spread::Only(device)).map(Some);
        }
    }
    reader.scanner.at = before;
    Ok(None)
}

/// Behind `{mesh[`.
fn on_mesh(reader: &mut Reader<'_>) -> Result<Placement, Error> {
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
        false => axes::placement(reader, (mesh, &[]), &LISTS, false)?,
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
    if let Spread::Only(device) = placement.spread {
        return Ok(format!("{{maximal_mesh[device_id={device}]}}"));
    }
    super::shardy::expressible(placement, "the text of XLA", &["sum"])?;
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
        _ => axes::written(placement, quote, &LISTS),
    };
    Ok(format!("{{mesh[{}],{order} {dims}}}", axes.join(",")))
}
