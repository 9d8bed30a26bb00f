//! Dims that are cut by axes of a mesh, as Shardy and the third version of XLA's text write them: `[{"a", "b":(1)2, ?}, {}]`.
//!
//! Law: a list names a digit of a mesh once, and no two neighbours that are one digit.

use super::mesh::{Mesh, Part};
use super::placement::{PlaceDigit, Placement, Reduction, Role, Spread};
use crate::error::{Code, Error};
use crate::reader::Reader;

/// A list of axes that may follow the dims: `unreduced={"a"}`, or with an operation, `unreduced=max{"a"}`.
pub(super) struct List {
    pub(super) word: &'static str,
    /// The operation behind the `=`; none is a sum.
    pub(super) operation: &'static str,
    pub(super) role: Role,
}

impl List {
    pub(super) const fn new(word: &'static str, role: Role) -> Self {
        List { word, operation: "", role }
    }

    pub(super) const fn by(operation: &'static str) -> Self {
        List { word: "unreduced", operation, role: Role::Sums(Reduction::Named(operation)) }
    }
}

/// The axes of one dim, behind its opening brace; `?` leaves a dim open for more, which places nothing.
fn dim(reader: &mut Reader<'_>, mesh: &Mesh, priorities: bool) -> Result<Vec<Part>, Error> {
    let mut parts = Vec::new();
    let mut is_open = false;
    reader.list("}", |reader| {
        if is_open {
            return Err(reader.expected("`}` behind `?`"));
        }
        match reader.take("?") {
            true => is_open = true,
            false => parts.push(axis(reader, mesh)?),
        }
        Ok(())
    })?;
    separate(mesh, &parts)?;
    if priorities && reader.take("p") {
        if !reader.scanner.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return Err(reader.expected("a priority such as `p0`"));
        }
        reader.integer("a priority such as `p0`")?;
        if parts.is_empty() && !is_open {
            let message = "a priority on `{}`, which is neither cut nor open";
            return Err(Error::new(Code::Range, message));
        }
    }
    Ok(parts)
}

/// `"b":(1)2`
fn axis(reader: &mut Reader<'_>, mesh: &Mesh) -> Result<Part, Error> {
    let name = reader.quoted("the name of an axis in quotes")?;
    if !reader.take(":") {
        return mesh.axis(name);
    }
    reader.need("(")?;
    let before = reader.integer("the product of the slower digits")?;
    reader.need(")")?;
    let size = reader.integer("the size of the part")?;
    mesh.part(name, before, size)
}

/// The parts that a text names, dim by dim or in one list: `{"x"}`, `[{"x"}, {"y":(1)2}]`.
pub(super) fn named(text: &str, mesh: &Mesh) -> Result<Vec<Part>, Error> {
    let mut reader = Reader::limited(text);
    let one = |reader: &mut Reader<'_>| {
        reader.need("{")?;
        reader.list("}", |reader| axis(reader, mesh))
    };
    let parts = match reader.take("[") {
        true => reader.list("]", one)?.concat(),
        false => one(&mut reader)?,
    };
    reader.end()?;
    Ok(parts)
}

/// Two neighbours that are one digit have to be written as one.
fn separate(mesh: &Mesh, parts: &[Part]) -> Result<(), Error> {
    for pair in parts.windows(2) {
        if let [slow, fast] = pair
            && slow.axis == fast.axis
            && slow.before * slow.size == fast.before
        {
            let one = Part { size: slow.size * fast.size, ..*slow };
            return Err(error!(
                Code::Overlap,
                "{slow} and {fast} are one part",
                [slow = mesh.written(*slow, '"'), fast = mesh.written(*fast, '"')]
            )
            .with_help(format!("write {}", mesh.written(one, '"'))));
        }
    }
    Ok(())
}

/// The dims behind `[` on a mesh of which some axes are `Manual`, then some of these lists, each word once.
pub(super) fn placement(
    reader: &mut Reader<'_>,
    (mesh, manual): (Mesh, &[usize]),
    lists: &[List],
    priorities: bool,
) -> Result<Placement, Error> {
    let dims = match reader.take("[") {
        true => reader.list("]", |reader| {
            reader.need("{")?;
            dim(reader, &mesh, priorities)
        })?,
        false => return Err(reader.expected("the dims, such as `[{\"a\"}, {}]`")),
    };
    let mut others: Vec<(Part, Role)> = Vec::new();
    let mut read: Vec<&str> = Vec::new();
    while reader.take(",") {
        let found = lists.iter().find(|list| !read.contains(&list.word) && reader.take_word(list.word));
        let Some(List { word, role, .. }) = found else {
            let plain = lists.iter().filter(|list| list.operation.is_empty());
            let names: Vec<String> = plain.map(|list| format!("`{}={{…}}`", list.word)).collect();
            return Err(reader.expected(&format!("{}, each once", names.join(" or "))));
        };
        read.push(word);
        reader.need("=")?;
        let mut named = lists.iter().filter(|list| list.word == *word && !list.operation.is_empty());
        let role = match named.find(|list| reader.take_word(list.operation)) {
            Some(list) => &list.role,
            None => role,
        };
        reader.need("{")?;
        if reader.at("}") {
            return Err(reader.expected("the name of an axis in quotes: an empty list is left out"));
        }
        let parts = reader.list("}", |reader| axis(reader, &mesh))?;
        separate(&mesh, &parts)?;
        if !parts.is_sorted_by_key(|part| (part.axis, part.before)) {
            return Err(error!(
                Code::OrderNotPermutation,
                "the axes of `{word}` stand in another order than those of the mesh",
                [word]
            ));
        }
        others.extend(parts.into_iter().map(|part| (part, role.clone())));
    }
    let is_free = dims.is_empty() && others.is_empty() && manual.is_empty();
    let placement = Placement::beside_manual(mesh, &dims, others, manual)?;
    // `[]` cuts no dim, however many there are.
    Ok(if is_free { Placement { spread: Spread::Everywhere, ..placement } } else { placement })
}

/// `[{"a"}, {}], unreduced={"b"}`
pub(super) fn written(placement: &Placement, quote: char, lists: &[List]) -> String {
    let mesh = &placement.mesh;
    let listed = |digits: Vec<&PlaceDigit>| {
        let mut parts: Vec<Part> = Vec::new();
        digits.iter().for_each(|digit| push(&mut parts, digit.part));
        let parts: Vec<String> = parts.iter().map(|part| mesh.written(*part, quote)).collect();
        format!("{{{}}}", parts.join(", "))
    };
    let dims = placement
        .rules
        .iter()
        .map(|rule| listed(rule.digits().iter().filter_map(|digit| placement.digits.get(*digit)).collect()));
    let mut text = format!("[{}]", dims.collect::<Vec<_>>().join(", "));
    // A sum that is named is what these notations call summands.
    for List { word, operation, role } in
        lists.iter().filter(|list| list.role != Role::Copies && list.operation != "sum")
    {
        let own: Vec<&PlaceDigit> =
            placement.digits.iter().filter(|digit| digit.role.added() == role.added()).collect();
        if !own.is_empty() {
            text += &format!(", {word}={operation}{}", listed(own));
        }
    }
    text
}

/// Appends a part, as one with the part before where they are one digit.
fn push(parts: &mut Vec<Part>, part: Part) {
    match parts.last_mut() {
        Some(last) if last.axis == part.axis && last.before * last.size == part.before => last.size *= part.size,
        _ => parts.push(part),
    }
}
