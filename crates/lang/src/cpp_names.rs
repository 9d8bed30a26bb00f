//! Names of C++ among integers, as in `Shape<Int<kBlockM>,_64>`: unknowns, where they are bound to nothing.
//!
//! An unknown has a capital, so that `kBlockM` becomes `KBlockM`, and a note says so. Law: afterwards no entry of a tuple, a layout
//! or a tiler is a name, and two names are two unknowns, neither of which was there before.

use std::collections::BTreeMap;

use bitstride::notation::{Expr, ExprKind};

/// The tree with unknowns for names among integers, and a note for each.
pub(super) fn as_unknowns(mut tree: Expr) -> (Expr, Vec<String>) {
    let mut names = BTreeMap::new();
    collect(&tree, &mut names);
    let mut renamed = BTreeMap::new();
    replace(&mut tree, false, &names, &mut renamed);
    let notes = renamed.iter().map(|(name, unknown)| format!("{name} is the unknown integer {unknown}")).collect();
    (tree, notes)
}

/// The unknowns of a tree.
fn collect(tree: &Expr, names: &mut BTreeMap<String, ()>) {
    if let ExprKind::Unknown { name: Some(name), .. } = &tree.kind {
        names.insert(name.clone(), ());
    }
    tree.parts().for_each(|part| collect(part, names));
}

fn replace(tree: &mut Expr, is_integer: bool, taken: &BTreeMap<String, ()>, renamed: &mut BTreeMap<String, String>) {
    if let (ExprKind::Name(name), true) = (&tree.kind, is_integer) {
        let mut unknown: String = name.text.chars().take(1).map(|first| first.to_ascii_uppercase()).collect();
        unknown.extend(name.text.chars().skip(1));
        let name = name.text.clone();
        while taken.contains_key(&unknown) || renamed.iter().any(|(other, used)| *used == unknown && *other != name) {
            unknown.push('1');
        }
        tree.kind = ExprKind::Unknown { name: Some(unknown.clone()), div: 1 };
        renamed.insert(name, unknown);
        return;
    }
    let holds_integers = matches!(
        tree.kind,
        ExprKind::Tuple(_) | ExprKind::Pair { .. } | ExprKind::Tiler(_) | ExprKind::Product(_) | ExprKind::Basis { .. }
    );
    tree.parts_mut().for_each(|part| replace(part, holds_integers, taken, renamed));
}

#[cfg(test)]
mod tests {
    use crate::evaluate;

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
