//! What JAX and PyTorch print of shardings and meshes, and how their programs make meshes.
//!
//! | text | what it says |
//! |---|---|
//! | `NamedSharding(mesh=Mesh('x': 4, 'y': 2), spec=P('x', None), memory_kind=device)` | a spec and its mesh |
//! | `ShapeDtypeStruct(shape=(8, 4), dtype=float32, sharding=NamedSharding(…))` | the same, and the array |
//! | `DTensorSpec(mesh=…, placements=(Shard(dim=0),), tensor_meta=TensorMeta(shape=…, stride=…, dtype=…))` | placements, their mesh, the tensor |
//! | `DTensor(local_tensor=…, device_mesh=…, placements=…)` | placements and their mesh |
//! | `Spec(f32[8, 4](S(0)R))`, `Spec(S(0) on (8, 4))`, perhaps with `on DeviceMesh(…)` or `@ mesh: (2, 4)` | placements and sizes |
//! | `Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))`, `Mesh(device_ids=array([[0, 1]]), axis_names=('x', 'y'))` | a mesh of JAX |
//! | `jax.make_mesh((4, 2), ('x', 'y'))`, `Mesh(np.array(jax.devices()).reshape(4, 2), ('x', 'y'))` | the same as programs make it |
//! | `DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))`, `DeviceMesh((dp=2, tp=2), 'cuda', stride=(2, 1))` | a mesh of PyTorch |
//! | `init_device_mesh('cuda', (2, 2), mesh_dim_names=('dp', 'tp'))` | the same as programs make it |
//!
//! Law: each is the sharding that its parts are in `shard(ARRAY, PLACEMENTS, mesh(…))`. A mesh that lists no devices has them
//! in order.

use super::devices::Devices;
use super::dtensor::{self, Written};
use super::mesh::{Mesh, MeshAxis, MeshText};
use super::order::product;
use super::spec::{self, Spec};
use super::tensor::{Notation, Sharding};
use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::text::is_word;
use crate::xla::{Array, ElementType, Shape, read_shape};

/// The names of what is printed.
pub(crate) const PRINTS: [&str; 5] = ["NamedSharding", "ShapeDtypeStruct", "DTensorSpec", "DTensor", "Spec"];

/// What a print says.
#[derive(Default)]
struct Parts<'t> {
    spec: Option<Spec<'t>>,
    placements: Option<Vec<Written>>,
    mesh: Option<MeshText>,
    sizes: Option<Vec<i64>>,
    /// The tensor with its type.
    array: Option<Array>,
}

/// The sharding of a print whose name and bracket are passed, where `array` is what stands before it. Behind it may stand the mesh.
pub(super) fn read(reader: &mut Reader<'_>, name: &str, array: Option<Array>) -> Result<Sharding, Error> {
    let start = reader.scanner.at.saturating_sub(name.len() + 1);
    let mut parts = Parts::default();
    match name {
        "Spec" => compact(reader, &mut parts)?,
        _ => fields(reader, name, &mut parts)?,
    }
    let end = reader.scanner.at;
    let is_beside = array.is_some() && parts.mesh.is_none() && reader.take(",");
    if is_beside || reader.take_word("on") || reader.take("@ mesh:") {
        parts.mesh = Some(match reader.at("(") {
            true => MeshText::Axes(sized_mesh(reader)?),
            false => mesh(reader)?,
        });
    }
    let Some(array) = array.or_else(|| parts.array.clone()) else {
        let what =
            if parts.sizes.is_some() { "the type of the elements" } else { "the sizes and the type of the array" };
        return Err(parts.missing(name, what, reader.scanner.text().get(start..end).unwrap_or(name)));
    };
    let Some(mesh) = parts.mesh.clone() else {
        return Err(parts.missing(name, "the mesh", reader.scanner.text().get(start..end).unwrap_or(name)));
    };
    if let Some(printed) = &parts.sizes
        && array.dims.iter().map(|dim| dim.bound()).ne(printed.iter().copied().map(Some))
    {
        let printed = listed(printed);
        return Err(error!(
            Code::RankMismatch,
            "{name} is of sizes ({printed}), the array is {array}",
            [name, printed, array]
        ));
    }
    match (&parts.spec, &parts.placements) {
        (Some(spec), _) => {
            let (mesh, manual) = mesh.typed_axes()?;
            Sharding::new(array, spec::placement(spec, mesh, &manual)?, Notation::Jax)
        }
        (None, Some(placements)) => {
            let placement = dtensor::placement(placements, mesh.axes()?, array.dims.len())?;
            Sharding::new(array, placement, Notation::DTensor)
        }
        (None, None) => Err(reader.expected("a spec or placements before it")),
    }
}

impl Parts<'_> {
    /// What a print leaves out, and how to write it beside it.
    fn missing(&self, name: &str, what: &str, print: &str) -> Error {
        /// A print longer than this is not repeated.
        const MOST_REPEATED: usize = 200;
        let sizes = self.sizes.as_ref().map_or_else(|| "8,8".to_owned(), |sizes| listed(sizes));
        let mesh = match (&self.mesh, &self.placements) {
            (Some(_), _) => String::new(),
            (None, Some(placements)) => format!(", mesh({})", vec!["2"; placements.len()].join(",")),
            (None, None) => ", mesh(a=2,b=4)".to_owned(),
        };
        let print = if print.len() > MOST_REPEATED { &format!("{name}(…)") } else { print };
        error!(Code::NoLayout, "{name} does not say {what} here", [name, what])
            .with_help(format!("write it beside the array, such as `shard(f32[{sizes}], {print}{mesh})`"))
    }
}

/// `mesh=…, spec=…)`, by keyword or in the order of the class.
fn fields<'t>(reader: &mut Reader<'t>, class: &str, parts: &mut Parts<'t>) -> Result<(), Error> {
    let order: &[&str] = match class {
        "NamedSharding" => &["mesh", "spec"],
        "ShapeDtypeStruct" => &["shape", "dtype"],
        "DTensorSpec" => &["mesh", "placements", "tensor_meta"],
        _ => &["local_tensor", "device_mesh", "placements"],
    };
    let (mut position, mut element) = (0, "");
    reader.python_list(")", |reader| {
        let field = reader.keyword()?.or_else(|| order.get(position).copied()).unwrap_or_default();
        position += 1;
        match field {
            // A name, whose value stands behind the print.
            "mesh" | "device_mesh" if reader.take_word("mesh") => {
                if reader.at("(") {
                    reader.scanner.at -= "mesh".len();
                    parts.mesh = Some(mesh(reader)?);
                }
            }
            "mesh" | "device_mesh" => parts.mesh = Some(mesh(reader)?),
            "spec" => {
                let before = reader.scanner.at;
                if !matches!(reader.callee(), Some("P" | "PartitionSpec")) {
                    reader.scanner.at = before;
                    return Err(reader.expected("a spec such as `P('x', None)`"));
                }
                parts.spec = Some(spec::read(reader)?);
            }
            "shape" => {
                reader.need("(")?;
                parts.sizes = Some(reader.python_list(")", |reader| reader.integer("a size"))?);
            }
            "dtype" => element = type_name(reader)?,
            "sharding" => match reader.callee() {
                Some("NamedSharding") => fields(reader, "NamedSharding", parts)?,
                _ => return Err(reader.expected("`NamedSharding(…)`")),
            },
            "placements" => {
                let close = if reader.take("[") { "]" } else { reader.need("(").map(|()| ")")? };
                parts.placements = Some(dtensor::read(reader, close)?);
            }
            "tensor_meta" if !reader.take_word("None") => {
                let array = tensor_meta(reader)?;
                parts.sizes = array.dims.iter().map(|dim| dim.bound()).collect();
                parts.array = Some(array);
            }
            // The order of several cuts of one dim, which is that of the mesh unless the print says so.
            "shard_order" => in_order(reader)?,
            "tensor_meta" => {}
            "logical_device_ids" if !reader.take_word("None") => {
                return Err(
                    reader.expected("`None`: the devices stand in the mesh, `mesh(x=2,y=2,device_ids=[0,2,1,3])`")
                );
            }
            "logical_device_ids" => {}
            "memory_kind" | "local_tensor" | "use_strided_shard_as_shard_order" | "weak_type" => reader.pass_value()?,
            _ => return Err(reader.expected("a mesh, a spec or placements")),
        }
        Ok(())
    })?;
    if let (false, Some(sizes)) = (element.is_empty(), &parts.sizes) {
        parts.array = Some(array_of(element, sizes, &[])?);
    }
    Ok(())
}

/// `float32`, `jnp.float32` or `dtype('float32')`: the name of the type.
fn type_name<'t>(reader: &mut Reader<'t>) -> Result<&'t str, Error> {
    if reader.callee().is_some() {
        let name = reader.quoted("the name of a type")?;
        return reader.need(")").map(|()| name);
    }
    let mut name = reader.name()?.unwrap_or_default();
    while reader.take(".") {
        name = reader.name()?.unwrap_or_default();
    }
    if name.is_empty() { Err(reader.expected("the type of the elements")) } else { Ok(name) }
}

/// `(ShardOrderEntry(tensor_dim=0, mesh_dims=(0, 1)),)`, each from left to right.
fn in_order(reader: &mut Reader<'_>) -> Result<(), Error> {
    if reader.take_word("None") {
        return Ok(());
    }
    reader.need("(")?;
    reader.python_list(")", |reader| {
        for token in ["ShardOrderEntry", "(", "tensor_dim", "="] {
            reader.need(token)?;
        }
        reader.integer("a dim")?;
        for token in [",", "mesh_dims", "=", "("] {
            reader.need(token)?;
        }
        let dims = reader.python_list(")", |reader| reader.integer("a dim of the mesh"))?;
        if !dims.is_sorted() {
            return Err(out_of_order());
        }
        reader.need(")")
    })?;
    Ok(())
}

fn out_of_order() -> Error {
    Error::new(Code::NotALayout, "the cuts of a dim are not in the order of the mesh").with_help(
        "write those that come late as `_StridedShard(d, split_factor=f)`, f the sizes of the mesh cut before",
    )
}

/// `S(0)[0]S(0)[1])`: where a dim is cut several times, each cut has its place among those of the dim.
fn in_sequence(reader: &mut Reader<'_>) -> Result<Vec<Written>, Error> {
    let mut placements = Vec::new();
    while !reader.take(")") {
        let placement = dtensor::one(reader)?;
        if reader.take("[") {
            let earlier = placements.iter().filter(|earlier| cut(earlier).is_some() && cut(earlier) == cut(&placement));
            let place = reader.integer("the place of the cut")?;
            if place != crate::cast::length(earlier.count()) {
                return Err(out_of_order());
            }
            reader.need("]")?;
        }
        placements.push(placement);
    }
    Ok(placements)
}

/// The dim that a placement cuts.
fn cut(placement: &Written) -> Option<i64> {
    match placement {
        Written::Shard { dim, .. } => Some(*dim),
        _ => None,
    }
}

/// `S(0) on (8, 4))`, `(Shard(dim=0), Replicate()) on (8, 4))` or `f32[8, 4](S(0)R))`, `f32[16](S(0)[0]S(0)[1]))`.
fn compact(reader: &mut Reader<'_>, parts: &mut Parts<'_>) -> Result<(), Error> {
    let before = reader.scanner.at;
    let element = reader.name()?.unwrap_or_default();
    if reader.take("[") {
        let sizes = reader.integers("]", "a size")?;
        parts.array = Some(array_of(element, &sizes, &[])?);
        parts.sizes = Some(sizes);
        reader.need("(")?;
        parts.placements = Some(in_sequence(reader)?);
        return reader.need(")");
    }
    reader.scanner.at = before;
    parts.placements = Some(match reader.take("(") {
        true => dtensor::read(reader, ")")?,
        false => vec![dtensor::one(reader)?],
    });
    reader.need("on")?;
    if !reader.take("unknown shape") {
        reader.need("(")?;
        parts.sizes = Some(reader.python_list(")", |reader| reader.integer("a size"))?);
    }
    reader.need(")")
}

/// `TensorMeta(shape=torch.Size([8, 4]), stride=(4, 1), dtype=torch.float32)`
fn tensor_meta(reader: &mut Reader<'_>) -> Result<Array, Error> {
    reader.need("TensorMeta")?;
    reader.need("(")?;
    let (mut sizes, mut strides, mut element) = (Vec::new(), Vec::new(), "");
    reader.python_list(")", |reader| {
        match reader.keyword()?.unwrap_or_default() {
            "shape" if reader.take("torch.Size") => {
                reader.need("(")?;
                reader.need("[")?;
                sizes = reader.integers("]", "a size")?;
                reader.need(")")?;
            }
            "shape" => {
                reader.need("(")?;
                sizes = reader.python_list(")", |reader| reader.integer("a size"))?;
            }
            "stride" => {
                reader.need("(")?;
                strides = reader.python_list(")", |reader| reader.integer("a stride"))?;
            }
            "dtype" => element = type_name(reader)?,
            _ => return Err(reader.expected("`shape=`, `stride=` or `dtype=`")),
        }
        Ok(())
    })?;
    array_of(element, &sizes, &strides)
}

/// `8x16xf32>` behind `tensor<`, as MLIR writes the type of an array; `?` is a size that is known at run time only.
pub(super) fn tensor(reader: &mut Reader<'_>) -> Result<Array, Error> {
    let mut sizes = Vec::new();
    while reader.scanner.rest().starts_with(|c: char| c.is_ascii_digit() || c == '?') {
        sizes.push(if reader.take("?") { "?".to_owned() } else { reader.integer("a size")?.to_string() });
        reader.need("x")?;
    }
    let mut element = type_name(reader)?;
    if element == "complex" && reader.take("<") {
        element = match type_name(reader)? {
            "f32" => "c64",
            "f64" => "c128",
            _ => return Err(reader.expected("`complex<f32>` or `complex<f64>`")),
        };
        reader.need(">")?;
    }
    reader.need(">")?;
    named_array(element, &sizes.join(","), "")
}

/// The array of a type of PyTorch, `float32` or `f32`, whose strides are those of some order of its dims.
fn array_of(element: &str, sizes: &[i64], strides: &[i64]) -> Result<Array, Error> {
    let mut order: Vec<usize> = (0..sizes.len()).rev().collect();
    let extent = |dim: &usize| sizes.get(*dim).copied().unwrap_or(1);
    let stride = |dim: &usize| strides.get(*dim).copied().unwrap_or(0);
    if !strides.is_empty() {
        order.sort_by_key(|dim| (stride(dim), extent(dim)));
        let mut dense = 1_i64;
        let follows = strides.len() == sizes.len()
            && order.iter().all(|dim| {
                let fits = extent(dim) <= 1 || stride(dim) == dense;
                dense = dense.saturating_mul(extent(dim).max(1));
                fits
            });
        if !follows {
            let (sizes, strides) = (listed(sizes), listed(strides));
            return Err(error!(
                Code::NotALayout,
                "strides ({strides}) of sizes ({sizes}) are not those of an order of the dims",
                [strides, sizes]
            ));
        }
    }
    let order: Vec<i64> = order.into_iter().map(crate::cast::length).collect();
    let order = if order.is_empty() { String::new() } else { format!("{{{}}}", listed(&order)) };
    named_array(element, &listed(sizes), &order)
}

/// The array of a type, by its name in XLA or elsewhere, with these sizes and a layout.
fn named_array(element: &str, sizes: &str, layout: &str) -> Result<Array, Error> {
    let name = ElementType::named_elsewhere(element).map_or(element, |own| own.name());
    match read_shape(&format!("{name}[{sizes}]{layout}"), true) {
        Ok((Shape::Array(array), ..)) => Ok(array),
        _ => Err(error!(Code::UnknownName, "`{element}` with sizes ({sizes}) is no array", [element, sizes])),
    }
}

/// A mesh as JAX or PyTorch makes or prints it, or as [`MeshText::read`] reads it.
pub(super) fn mesh(reader: &mut Reader<'_>) -> Result<MeshText, Error> {
    let before = reader.scanner.at;
    let of_kind = match reader.callee() {
        Some("DeviceMesh" | "init_device_mesh") => true,
        Some("Mesh" | "AbstractMesh" | "make_mesh") => false,
        _ => {
            reader.scanner.at = before;
            return MeshText::read(reader);
        }
    };
    let (mut sizes, mut names, mut devices) = (Vec::new(), Vec::<String>::new(), None);
    let (mut strides, mut types) = (None, AxisTypes::default());
    reader.python_list(")", |reader| {
        match reader.keyword()? {
            Some("axis_types") => types = AxisTypes::read(reader)?,
            // Behind the names.
            None if !of_kind && !names.is_empty() && reader.at("(") => types = AxisTypes::read(reader)?,
            Some("device" | "device_type" | "device_kind" | "num_cores" | "platform") => reader.pass_value()?,
            Some("axis_names" | "mesh_dim_names") => names = axis_names(reader)?,
            Some("stride") => {
                reader.need("(")?;
                // `()` is the stride of an axis of one device.
                strides = Some(reader.python_list(")", |reader| match reader.take("(") {
                    true => reader.need(")").map(|()| 0),
                    false => reader.integer("a stride"),
                })?);
            }
            Some("axis_sizes" | "axis_shapes" | "mesh_shape") => {
                reader.need("(")?;
                sizes = reader.python_list(")", |reader| reader.integer("a size"))?;
            }
            Some("device_ids" | "Mesh" | "mesh" | "devices") => devices = Some(Devices::read(reader)?),
            None if reader.at("(") => {
                let start = reader.scanner.at;
                reader.need("(")?;
                if reader.at("'") || reader.at("\"") {
                    reader.scanner.at = start;
                    names = axis_names(reader)?;
                } else if reader.at("(") {
                    // `(('x', 2), ('y', 4))`
                    reader.python_list(")", |reader| {
                        reader.need("(")?;
                        names.push(reader.quoted("the name of an axis")?.to_owned());
                        reader.need(",")?;
                        sizes.push(reader.integer("how many devices the axis has")?);
                        reader.need(")")
                    })?;
                } else {
                    reader.scanner.at = start;
                    let mesh = sized_mesh(reader)?;
                    sizes = mesh.axes.iter().map(|axis| axis.size).collect();
                    if !mesh.is_unnamed() {
                        names = mesh.axes.into_iter().map(|axis| axis.name).collect();
                    }
                }
            }
            None if reader.at("'") || reader.at("\"") => {
                let name = reader.quoted("an axis such as `'x': 4`")?;
                if reader.take(":") {
                    sizes.push(reader.integer("how many devices the axis has")?);
                } else if of_kind {
                    // The kind of the devices.
                    return Ok(());
                }
                names.push(name.to_owned());
            }
            None => devices = Some(Devices::read(reader)?),
            Some(_) => return Err(reader.expected("the sizes and names of a mesh")),
        }
        Ok(())
    })?;
    // The sizes of a mesh are those that it is made with; only devices without any leave them open.
    if sizes.is_empty()
        && let Some(devices) = &devices
    {
        sizes = devices.sizes.clone().ok_or_else(|| {
            Error::new(Code::NeedsShape, "nothing says how many devices the mesh has")
                .with_help("write its sizes: `np.array(jax.devices()).reshape(2, 4)`, `mesh(x=2,y=4)`")
        })?;
    }
    // Of more devices, those in front are taken; a list must have as many as there are positions.
    if let Some(there) = devices.as_ref().and_then(|devices| devices.sizes.as_deref()) {
        let (there, positions) = (product(there)?, product(&sizes)?);
        if there < positions {
            return Err(error!(
                Code::RankMismatch,
                "the axes have {positions} positions for {there} devices",
                [positions, there]
            ));
        }
    }
    let devices = devices.and_then(|devices| devices.numbers);
    if let Some(strides) = strides.filter(|_| devices.is_none()) {
        let mut dense = 1_i64;
        let in_order = sizes.iter().zip(&strides).rev().all(|(size, stride)| {
            let fits = *size == 1 || *stride == dense;
            dense = dense.saturating_mul(*size);
            fits
        });
        if !in_order || strides.len() != sizes.len() {
            let strides = listed(&strides);
            return Err(error!(
                Code::NotALayout,
                "a mesh with strides ({strides}) is a part of another, or in another order",
                [strides]
            )
            .with_help("write its devices: `mesh(dp=2,tp=2,device_ids=[0,2,1,3])`"));
        }
    }
    if !names.is_empty() && names.len() != sizes.len() {
        let (names_count, sizes_count) = (names.len(), sizes.len());
        return Err(error!(
            Code::RankMismatch,
            "{names_count} names for {sizes_count} axes of a mesh",
            [names_count, sizes_count]
        ));
    }
    let name = |at: usize| names.get(at).cloned().unwrap_or_else(|| at.to_string());
    let axes = sizes.iter().enumerate().map(|(at, size)| MeshAxis { name: name(at), size: *size }).collect();
    let mesh = MeshText::of_parts(axes, devices)?.axes()?;
    let manual = types.manual(&mesh)?;
    Ok(if manual.is_empty() { MeshText::Axes(mesh) } else { MeshText::Manual(mesh, manual) })
}

/// What JAX calls the types of axes.
#[derive(Default)]
enum AxisTypes<'t> {
    /// They are not there: none is `Manual`.
    #[default]
    Unsaid,
    /// `(Auto, Manual)`: one for each axis.
    Each(Vec<&'t str>),
    /// `(AxisType.Manual,) * len(names)`: one for all.
    All(&'t str),
    /// `(Auto: ('x', 'y'), Manual: ('z',))`, or with braces, in earlier versions: the names of those that are `Manual`.
    Manual(Vec<String>),
}

impl<'t> AxisTypes<'t> {
    fn read(reader: &mut Reader<'t>) -> Result<Self, Error> {
        if reader.take_word("None") {
            return Ok(AxisTypes::Unsaid);
        }
        let close = if reader.take("{") { "}" } else { reader.need("(").map(|()| ")")? };
        let entries = reader.python_list(close, |reader| {
            let name = axis_type(reader)?;
            let axes = if reader.take(":") { Some(axis_names(reader)?) } else { None };
            Ok((name, axes))
        })?;
        let named = entries.iter().filter(|(_, axes)| axes.is_some()).count();
        if named > 0 {
            if named < entries.len() {
                return Err(reader.expected("the axes of each type"));
            }
            let manual = entries.into_iter().filter(|(name, _)| *name == "Manual").filter_map(|(_, axes)| axes);
            return Ok(AxisTypes::Manual(manual.flatten().collect()));
        }
        let types: Vec<&str> = entries.into_iter().map(|(name, _)| name).collect();
        match types.as_slice() {
            [one] if reader.take("*") => {
                reader.scanner.space();
                if !reader.scanner.rest().starts_with(|c: char| c.is_ascii_digit()) {
                    reader.pass_value()?;
                    return Ok(AxisTypes::All(one));
                }
                let count = usize::try_from(reader.integer("how many axes")?).unwrap_or(0);
                Ok(AxisTypes::Each(vec![*one; count.min(crate::text::MAX_LEAVES)]))
            }
            _ => Ok(AxisTypes::Each(types)),
        }
    }

    /// Which axes of a mesh are `Manual`, by number.
    fn manual(&self, mesh: &Mesh) -> Result<Vec<usize>, Error> {
        let axes = mesh.axes.len();
        match self {
            AxisTypes::Each(types) if types.len() != axes => {
                Err(error!(Code::RankMismatch, "{types} types for {axes} axes of a mesh", [types = types.len(), axes]))
            }
            AxisTypes::Manual(names) => names.iter().map(|name| Ok(mesh.axis(name)?.axis)).collect(),
            _ => Ok((0..axes).filter(|axis| self.of(*axis) == Some("Manual")).collect()),
        }
    }

    /// The type of an axis, where the position says it.
    fn of(&self, axis: usize) -> Option<&'t str> {
        match self {
            AxisTypes::Each(types) => types.get(axis).copied(),
            AxisTypes::All(name) => Some(*name),
            AxisTypes::Unsaid | AxisTypes::Manual(_) => None,
        }
    }
}

/// `Manual`, perhaps behind modules: `jax.sharding.AxisType.Manual`.
fn axis_type<'t>(reader: &mut Reader<'t>) -> Result<&'t str, Error> {
    let before = reader.scanner.at;
    reader.scanner.space();
    let path = reader.scanner.run(|c| is_word(c) || c == '.');
    let name = path.rsplit('.').next().filter(|name| ["Auto", "Explicit", "Manual"].contains(name));
    name.ok_or_else(|| {
        reader.scanner.at = before;
        reader.expected("`Auto`, `Explicit` or `Manual`")
    })
}

/// `(2, 4)` or `(dp=2, tp=4)`
fn sized_mesh(reader: &mut Reader<'_>) -> Result<Mesh, Error> {
    reader.need("(")?;
    let mut number = 0;
    let axes = reader.python_list(")", |reader| {
        let name = reader.keyword()?.map_or_else(|| number.to_string(), str::to_owned);
        number += 1;
        Ok(MeshAxis { name, size: reader.integer("the size of an axis")? })
    })?;
    MeshText::of_parts(axes, None)?.axes()
}

/// `('x', 'y')`, or `'x'` alone.
fn axis_names(reader: &mut Reader<'_>) -> Result<Vec<String>, Error> {
    const NAME: &str = "the name of an axis";
    let names = match reader.take("(") {
        true => reader.python_list(")", |reader| reader.quoted(NAME))?,
        false => vec![reader.quoted(NAME)?],
    };
    Ok(names.into_iter().map(str::to_owned).collect())
}

fn listed(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}
