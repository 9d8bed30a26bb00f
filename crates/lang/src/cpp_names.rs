//! Names of C++ and Python among integers, as in `Shape<Int<kBlockM>,_64>` or `offs_m[:, None] * stride_m`: unknowns, where they are
//! bound to nothing.
//!
//! An unknown has a capital, so that `kBlockM` becomes `KBlockM`, and a note says so. Law: afterwards no entry of a tuple, a layout
//! or a tiler is a name, and two names are two unknowns, neither of which was there before.

use std::collections::BTreeMap;

use super::functions::operation;
use super::parameters::{Kind, Parameter};
use bitstride::map::Offsets;
use bitstride::notation::{Expr, ExprKind};
use bitstride::{Code, Error, Int, error};

/// Operations on integers alone.
const ARITHMETIC: [&str; 7] = ["add", "ceil_div", "div", "floor_div", "min", "mod", "round_up"];

/// The tree with unknowns for names among integers, and a note for each.
pub(super) fn as_unknowns(mut tree: Expr) -> (Expr, Vec<String>) {
    let mut names = BTreeMap::new();
    collect(&tree, &mut names);
    let mut renamed = BTreeMap::new();
    replace(&mut tree, false, &names, &mut renamed);
    let notes = renamed.iter().map(|(name, unknown)| format!("{name} is the unknown integer {unknown}")).collect();
    (tree, notes)
}

/// Refuses names that stand where CuTe has a layout or a shape, and to which nothing is bound: as unknown integers they would give a
/// layout that is another one. A name says that it is none by `Layout` or `Shape` in it, an operation by its parameter.
///
/// # Errors
/// [`Code::UnknownName`].
pub(super) fn check_layouts(tree: &Expr) -> Result<(), Error> {
    if let ExprKind::Call { name, arguments, .. } = &tree.kind {
        let parameters = operation(&name.text).map_or(&[][..], |operation| operation.parameters);
        for (at, argument) in arguments.iter().enumerate() {
            let parameter = parameters.get(at).or(parameters.last());
            // Modes, and the shapes of compact layouts, may be integers.
            let is_layout = |own: &&Parameter| own.kind == Kind::Layout || name.text == "composition";
            let takes = parameter.filter(|own| is_layout(own) && name.text != "make_layout");
            let ExprKind::Unknown { name: Some(unknown), .. } = &argument.kind else { continue };
            if parameter.is_some_and(|own| own.kind == Kind::Word) {
                continue;
            }
            if takes.is_none() && name.text != "get" && !["Layout", "Shape"].iter().any(|word| unknown.contains(word)) {
                continue;
            }
            let operation = &name.text;
            return Err(error!(
                Code::UnknownName,
                "{unknown} stands for a layout or a shape in {operation}, and nothing says which",
                [unknown, operation]
            )
            .with_help(format!("write the line that defines it before this one, as in `{unknown} = (8,64):(64,1)`"))
            .with_span(argument.span));
        }
    }
    tree.parts().try_for_each(check_layouts)
}

/// The unknowns of a tree.
fn collect(tree: &Expr, names: &mut BTreeMap<String, ()>) {
    if let ExprKind::Unknown { name: Some(name), .. } = &tree.kind {
        names.insert(name.clone(), ());
    }
    if let ExprKind::Offsets(code) = &tree.kind {
        let unknowns = code.names().into_iter().filter(|name| is_unknown(name));
        names.extend(unknowns.map(|name| (name.to_owned(), ())));
    }
    tree.parts().for_each(|part| collect(part, names));
}

fn replace(tree: &mut Expr, is_integer: bool, taken: &BTreeMap<String, ()>, renamed: &mut BTreeMap<String, String>) {
    // `stride:` is a keyword with the wrong mark behind it.
    if let (ExprKind::Name(name), true) = (&tree.kind, is_integer)
        && !matches!(name.text.as_str(), "shape" | "stride" | "order" | "mode")
    {
        let unknown = unknown_of(&name.text, taken, renamed);
        tree.kind = ExprKind::Unknown { name: Some(unknown), div: 1 };
        return;
    }
    // `tile[1]`, `x.shape[0]`, `size<0>(TileShape{})`
    if is_integer
        && matches!(&tree.kind, ExprKind::Call { modes: Some(_), .. })
        && let Some(name) = part_of_unknown(tree)
    {
        let unknown = unknown_of(&name, taken, renamed);
        tree.kind = ExprKind::Unknown { name: Some(unknown), div: 1 };
        return;
    }
    if let ExprKind::Offsets(code) = &mut tree.kind {
        // A tensor is no integer.
        let tensors = code.tensors();
        let integers = code.names().into_iter().filter(|name| !tensors.contains(name));
        let names: Vec<String> = integers.map(str::to_owned).collect();
        for name in names {
            let unknown = if is_unknown(&name) { name.clone() } else { unknown_of(&name, taken, renamed) };
            code.bind(&name, &Offsets::number(Int::named(&unknown, 1)));
        }
        return;
    }
    let holds_integers = match &tree.kind {
        ExprKind::Tuple(_)
        | ExprKind::Pair { .. }
        | ExprKind::Tiler(_)
        | ExprKind::Product(_)
        | ExprKind::Basis { .. } => true,
        // Behind a layout an offset may be a name, too, and before it the name is of a layout.
        ExprKind::Sum(_) => is_integer,
        ExprKind::Call { name, .. } => ARITHMETIC.contains(&name.text.as_str()),
        _ => false,
    };
    tree.parts_mut().for_each(|part| replace(part, holds_integers, taken, renamed));
}

/// A text for a part of what is bound to nothing: `tile[1]`, `x.shape[0]`, `size[0](x)`.
fn part_of_unknown(tree: &Expr) -> Option<String> {
    match &tree.kind {
        ExprKind::Name(name) => Some(name.text.clone()),
        ExprKind::Unknown { name, .. } => name.clone(),
        ExprKind::Call { name, modes, arguments } => {
            let [of] = arguments.as_slice() else { return None };
            let of = part_of_unknown(of)?;
            let modes = modes.iter().flatten().map(|mode| match mode.kind {
                ExprKind::Static(mode) => Some(mode.to_string()),
                _ => None,
            });
            let modes = match modes.collect::<Option<Vec<_>>>()? {
                modes if modes.is_empty() => String::new(),
                modes => format!("[{}]", modes.join(",")),
            };
            let part = match name.text.as_str() {
                "get" => format!("{of}{modes}"),
                property @ ("shape" | "stride") => format!("{of}.{property}{modes}"),
                "size" => format!("size{modes}({of})"),
                _ => return None,
            };
            (part.len() <= MAX_PART).then_some(part)
        }
        _ => None,
    }
}

/// The longest text of a part.
const MAX_PART: usize = 256;

/// Whether a name is that of an unknown as it stands.
fn is_unknown(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The unknown that stands for a name.
fn unknown_of(name: &str, taken: &BTreeMap<String, ()>, renamed: &mut BTreeMap<String, String>) -> String {
    // A name may begin with `_`.
    let letters: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let letters = letters.trim_matches('_');
    let mut unknown: String = letters.chars().take(1).map(|first| first.to_ascii_uppercase()).collect();
    unknown.extend(letters.chars().skip(1));
    if !is_unknown(&unknown) {
        unknown.insert(0, 'N');
    }
    while taken.contains_key(&unknown) || renamed.iter().any(|(other, used)| *used == unknown && *other != name) {
        unknown.push('1');
    }
    renamed.insert(name.to_owned(), unknown.clone());
    unknown
}

#[cfg(test)]
mod tests {
    use crate::evaluate;

    #[test]
    fn names_of_layouts_are_no_integers() {
        for text in [
            "tile_to_shape(SmemLayoutAtom{}, make_shape(_128{}, _64{}))",
            "make_tensor(make_smem_ptr(p), SmemLayoutQ{})",
            "Layout<ClusterShape>{}",
            "cute.composition(L1, L2)",
            "cute.recast_layout(16, 8, L)",
        ] {
            let refused = evaluate(text).map_err(|error| error.code());
            assert_eq!(refused.map(|answer| answer.value.to_string()), Err(bitstride::Code::UnknownName), "{text}");
        }
        for (text, value) in [
            (
                "SmemLayoutAtom = Layout<_8>{}\ntile_to_shape(SmemLayoutAtom{}, make_shape(_16{}))",
                "((8,(2))):((1,(8)))",
            ),
            ("cute.make_layout(MAX_SPLITS)", "MAX_SPLITS:1"),
            ("make_shape(TileM{}, _8{})", "(TileM,8)"),
        ] {
            assert_eq!(evaluate(text).map(|answer| answer.value.to_string()).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn names_among_integers_are_unknowns() {
        let answer = evaluate("Layout<Shape<Int<kBlockM>,_64>,Stride<_64,_1>>{}");
        let said = answer.map(|answer| (answer.value.to_string(), answer.notes.join("; ")));
        let notes = "read as CuTe C++; kBlockM is the unknown integer KBlockM";
        assert_eq!(said, Ok(("(KBlockM,64):(64,1)".to_owned(), notes.to_owned())));
        let both =
            evaluate("make_layout(make_shape(m, M), make_stride(_1{}, m))").map(|answer| answer.value.to_string());
        assert_eq!(both.as_deref(), Ok("(M1,M):(1,M1)"));
    }
}
