//! [`Job`]: everything that a relayout of files needs, checked.
//!
//! Law: OUT has each element where --to says, and its header the type that the elements have; where OUT is IN, no byte
//! of the data is lost.

use std::path::Path;

use bitstride::map::{Direction, Map, Unit};
use bitstride::notation::{Ints, parse};
use bitstride::{Code, Error, error};
use bitstride_relayout::{Element, Plan, SourceFile};

use super::element::element;
use super::relayout::Failure;
use super::reshard::bytes;
use super::side::Side;
use crate::args::Relayout;
use crate::session::text_of;
use crate::tensors::{Dtype, Frame, Kind, Tensor, Unread, format, frame};

/// What is moved, and to where.
pub(super) struct Job {
    pub(super) source: SourceFile,
    pub(super) tensor: Tensor,
    pub(super) element: Dtype,
    /// The layouts of IN and of OUT.
    pub(super) maps: [Map; 2],
    pub(super) plan: Plan,
    pub(super) frame: Frame,
    /// The bytes of the value for what holds no element.
    pub(super) value: Option<Vec<u8>>,
    pub(super) notes: Vec<String>,
    /// The most bytes of memory that the move takes, where a number is given.
    pub(super) memory: Option<usize>,
}

impl Job {
    /// The data of IN.
    pub(super) fn data_of_source(&self) -> &[u8] {
        self.source.bytes().get(self.tensor.data.clone()).unwrap_or(&[])
    }

    pub(super) fn of(args: &Relayout, ints: Ints) -> Result<Job, Failure> {
        let memory = args.memory.as_deref().map(bytes).transpose()?;
        let memory = memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let [from, to] = [side("--from", &args.from, ints)?, side("--to", &args.to, ints)?];
        let unread = |error| Failure::File("read", args.input.clone(), error);
        let source = SourceFile::open(&args.input).map_err(unread)?;
        let (kind, into) = (Kind::of(&args.input), Kind::of(&args.output));
        let named = args.tensor.as_deref();
        if named.is_some() && ![kind, into].contains(&Kind::Safetensors) {
            return Err(Error::new(Code::Kind, "--tensor is for .safetensors files").into());
        }
        if let Some(format) = format(source.bytes()).filter(|_| kind == Kind::Plain && !args.reinterpret) {
            let help = "name it as what it is, or export the tensor as .npy or .safetensors; --reinterpret takes all its bytes";
            return Err(error!(Code::Kind, "IN is {format} by its first bytes, and plain bytes by its name", [format])
                .with_help(help)
                .into());
        }
        let tensor = Tensor::find(kind, source.bytes(), named).map_err(|why| match why {
            Unread::File(why) => unread(std::io::Error::new(std::io::ErrorKind::InvalidData, why)),
            Unread::Question(error) => error.into(),
        })?;
        let mut notes: Vec<String> = [&from, &to].into_iter().flat_map(|side| side.notes.clone()).collect();
        let element = element(args, &tensor, [&from, &to], &mut notes)?;
        let plan = Plan::new(&from.map, &to.map, Element::of_bits(element.bits)?)?;
        notes.extend(from.flattened(&to));
        // The text of a plan says so itself.
        let slow = plan.slow().filter(|_| !args.plan);
        notes.extend(slow.map(|why| format!("moved element by element, which is slow: {why}")));
        notes.extend(tensor.left_out(into));
        let behind = fits(&plan, &tensor, &from, &element)?;
        if same_file(&args.input, &args.output) {
            let [map, _] = from.map.aligned(&to.map).map_err(|error| error.with_help("write to another file"))?;
            loses_nothing(&tensor, into, source.bytes().len(), &from, &map, &element)?;
        } else if behind > 0 {
            let has = tensor.data.len();
            notes.push(format!("the last {behind} of {has} bytes of IN lie behind {}", from.text));
        }
        // A map from places has all that it says.
        let is_tight = to.map.is_codomain_exact() || to.map.direction() == Direction::ToIndex;
        let places = to.map.place_axes().iter().find(|axis| axis.unit == Unit::Element);
        let spans = places.filter(|_| is_tight).map(|axis| i128::from(axis.extent) * i128::from(element.bits));
        let reaches = i128::try_from(plan.destination_bytes()).unwrap_or(i128::MAX / 8) * 8;
        let shape = args.shape.as_deref().map(extents).transpose()?;
        let frame = frame(into, &tensor, &element, spans.unwrap_or(reaches), shape.as_deref(), named)?;
        let value = args.fill.as_ref().map(|text| element.bytes_of(text)).transpose()?;
        if let Some(own) = tensor.dtype.as_ref().filter(|own| args.fill.is_some() && own.bits != element.bits) {
            notes.push(format!(
                "--fill is a number of {}, as the layouts count, not of IN's {}",
                element.name, own.name
            ));
        }
        Ok(Job { source, tensor, element, maps: [from.map, to.map], plan, frame, value, notes, memory })
    }
}

/// Reads the layout of an option.
fn side(option: &str, argument: &std::ffi::OsStr, ints: Ints) -> Result<Side, Failure> {
    let refused = |text: &str, error: Error| Failure::Refused(text.to_owned(), error.about(option));
    let text = text_of(argument).map_err(|error| refused("", error))?;
    let read = parse(text, ints).map_err(Error::from).and_then(|tree| Side::of(&tree, text));
    read.map_err(|error| refused(text, error))
}

/// Refuses data that is shorter than its layout; gives how many bytes go on behind it.
fn fits(plan: &Plan, tensor: &Tensor, from: &Side, element: &Dtype) -> Result<usize, Error> {
    let (has, needs) = (tensor.data.len(), plan.source_bytes());
    let bits = usize::try_from(element.bits).unwrap_or(1);
    if has < needs {
        let message = format!(
            "IN has {has} bytes, {} elements of {}; {} reaches {needs} bytes, {} elements",
            has * 8 / bits,
            element.name,
            from.text,
            needs * 8 / bits
        );
        return Err(Error::new(Code::Range, message));
    }
    // Padding behind the last element belongs to the layout.
    let spans = from.map.codomain().first().filter(|_| from.map.is_codomain_exact() && from.map.codomain().len() == 1);
    let spans =
        spans.and_then(|axis| usize::try_from(axis.extent).ok()?.checked_mul(bits)).map_or(0, |bits| bits.div_ceil(8));
    Ok(has - needs.max(spans).min(has))
}

/// Refuses to write over IN what OUT would not have again: other tensors, what lies behind the layout, and gaps in it.
/// The padding of an array of XLA holds nothing.
fn loses_nothing(
    tensor: &Tensor,
    into: Kind,
    file: usize,
    from: &Side,
    map: &Map,
    element: &Dtype,
) -> Result<(), Error> {
    let refused = |message: String| Err(Error::new(Code::Kind, message).with_help("write to another file"));
    if let Some(left_out) = tensor.left_out(into) {
        return refused(format!("OUT is IN, and would lose some of it: {left_out}"));
    }
    let other = |error: Error| error.with_help("write to another file");
    let reach = map.reach().map_err(other)?.1 + 1;
    let (reach, held) = match map.codomain().first().filter(|_| from.pads) {
        Some(axis) => (axis.extent.max(reach), axis.extent.max(reach)),
        None => (reach, map.image().map_err(other)?.size),
    };
    let bits = |elements: i64| i128::from(elements) * i128::from(element.bits);
    // What lies behind is another tensor's where there are several.
    let data = if tensor.others.is_empty() { file - tensor.data.start.min(file) } else { tensor.data.len() };
    let data = i128::try_from(data).unwrap_or(i128::MAX / 8);
    // Without the rest of the last byte, which no file can leave out.
    let behind = data - (bits(reach) + 7) / 8;
    let gaps = bits(reach) - bits(held);
    if behind <= 0 && gaps == 0 {
        return Ok(());
    }
    let amount = |bits: i128| match (bits % 8, bits) {
        (0, 8) => "1 byte".to_owned(),
        (0, _) => format!("{} bytes", bits / 8),
        _ => format!("{bits} bits"),
    };
    let lost = [(gaps, "in gaps"), (8 * behind, "behind it")].into_iter().filter(|(bits, _)| *bits > 0);
    let lost: Vec<String> = lost.map(|(bits, place)| format!("{} {place}", amount(bits))).collect();
    refused(format!(
        "OUT is IN, and {} leaves out {} of its {data} bytes of data, which would be lost",
        from.text,
        lost.join(" and ")
    ))
}

/// Extents such as `8,64`, `(8,64)`, `[8, 64]`, `(8,)` or `()`.
fn extents(text: &str) -> Result<Vec<u64>, Error> {
    let unread = |message: String| Error::new(Code::Syntax("bad-number"), message).with_help("extents such as 8,64");
    let trimmed = text.trim();
    let within = |open, close| trimmed.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let inside = within('(', ')').or_else(|| within('[', ']'));
    if inside.is_some_and(|inside| inside.trim().is_empty()) {
        return Ok(Vec::new());
    }
    let list = inside.map_or(trimmed, |inside| inside.strip_suffix(',').unwrap_or(inside));
    let extents = list.split(',').map(str::trim);
    extents
        .map(|extent| extent.parse().map_err(|_| unread(format!("`{extent}` of the shape {text} is no extent"))))
        .collect()
}

fn same_file(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(one).is_some_and(|one| whole(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::extents;

    #[test]
    fn shapes_are_read_whole() {
        for (text, shape) in [
            ("8,64", &[8, 64][..]),
            (" (8, 64) ", &[8, 64]),
            ("[8,64]", &[8, 64]),
            ("(8,)", &[8]),
            ("8", &[8]),
            ("()", &[]),
        ] {
            assert_eq!(extents(text).as_deref(), Ok(shape), "{text}");
        }
        for text in ["", "((2,3", "2,,3", "(2,3", "2,3)", "(2,3]", "2,3,", "(,)", "2,-3", "2,x", "((2,3))"] {
            assert!(extents(text).is_err(), "{text}");
        }
    }
}
