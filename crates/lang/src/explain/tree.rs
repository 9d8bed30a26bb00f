//! From the tree of an expression to its sections: inner calls first, each replaced by its value in what holds it.

use super::Section;
use super::rules;
use super::steps::Steps;
use crate::{Answer, Kind, Value, evaluate_tree, operation};
use bitstride::notation::{Expr, ExprKind, Ints, Name, parse};
use bitstride::{Error, Int};

/// The sections of a tree; the last value of the last one is the answer.
pub(super) fn sections(tree: &Expr, outcome: &Result<Answer, Error>) -> Vec<Section> {
    let mut reducer = Reducer { sections: Vec::new() };
    let Ok(reduced) = reducer.reduce(tree) else { return reducer.sections };
    let Ok(answer) = outcome else { return reducer.sections };
    let last = reducer.sections.last().and_then(|section| section.steps.last());
    if last.is_none_or(|step| step.value != answer.value) {
        let title = reduced.to_string();
        // A literal evaluates as the whole did.
        let steps = if reducer.sections.is_empty() {
            rules::literal(&answer.value, &title)
        } else {
            let mut steps = Steps::default();
            let _ = steps.add("With these values in their places:", &title);
            steps.0
        };
        reducer.sections.push(Section { title, law: "", steps });
    }
    reducer.sections
}

struct Reducer {
    sections: Vec<Section>,
}

impl Reducer {
    /// The tree with every call replaced by its value.
    fn reduce(&mut self, tree: &Expr) -> Result<Expr, Error> {
        let kind = match &tree.kind {
            ExprKind::Call { name, modes, arguments } => {
                let call = ExprKind::Call { name: name.clone(), modes: modes.clone(), arguments: self.all(arguments)? };
                return self.called(Expr::from(call), tree);
            }
            ExprKind::Compose(parts) => return self.compose(parts, tree),
            ExprKind::Shaped(shaped) => {
                let Some(attribute) = &shaped.encoding else { return Ok(tree.clone()) };
                let sizes = shaped.shape.iter().map(|size| Expr::from(ExprKind::Static(*size))).collect();
                let arguments =
                    vec![Expr::from(ExprKind::Attribute(Box::new(attribute.clone()))), ExprKind::Tuple(sizes).into()];
                let call = ExprKind::Call { name: Name::from("to_linear"), modes: None, arguments };
                return self.called(Expr::from(call), tree);
            }
            ExprKind::Tuple(entries) => ExprKind::Tuple(self.all(entries)?),
            ExprKind::Tiler(entries) => ExprKind::Tiler(self.all(entries)?),
            ExprKind::Sum(terms) => ExprKind::Sum(self.all(terms)?),
            ExprKind::Product(factors) => ExprKind::Product(self.all(factors)?),
            ExprKind::Pair { shape, stride } => {
                ExprKind::Pair { shape: Box::new(self.reduce(shape)?), stride: Box::new(self.reduce(stride)?) }
            }
            ExprKind::Basis { value, path } => {
                ExprKind::Basis { value: Box::new(self.reduce(value)?), path: path.clone() }
            }
            _ => return Ok(tree.clone()),
        };
        Ok(equivalent(Expr::from(kind), tree))
    }

    fn all(&mut self, trees: &[Expr]) -> Result<Vec<Expr>, Error> {
        trees.iter().map(|tree| self.reduce(tree)).collect()
    }

    /// A call whose arguments are values: its section, and its value as a literal.
    fn called(&mut self, call: Expr, original: &Expr) -> Result<Expr, Error> {
        let call = equivalent(call, original);
        let title = call.to_string();
        let answer = evaluate_tree(&call);
        if !self.sections.iter().any(|section| section.title == title) {
            let law = match &call.kind {
                ExprKind::Call { name, .. } => operation(&name.text).map_or("", |operation| operation.law),
                _ => "",
            };
            let steps = rules::steps(&call, &answer);
            self.sections.push(Section { title, law, steps });
        }
        Ok(literal(&answer?.value).unwrap_or(call))
    }

    /// `X o Y o Z` from the right; an integer with functions on both sides is the offset of a composed layout.
    fn compose(&mut self, parts: &[Expr], original: &Expr) -> Result<Expr, Error> {
        let mut parts = self.all(parts)?;
        // A swizzle of bytes is one thing with the layout of elements under it: halves of it are other functions.
        if parts.iter().any(|part| matches!(part.kind, ExprKind::Bytes(_))) {
            return Ok(equivalent(Expr::from(ExprKind::Compose(parts)), original));
        }
        let Some(mut inner) = parts.pop() else { return Ok(original.clone()) };
        while let Some(outer) = parts.pop() {
            let is_offset =
                !parts.is_empty() && evaluate_tree(&outer).is_ok_and(|answer| answer.value.as_int().is_ok());
            if is_offset && let Some(function) = parts.pop() {
                let composed = Expr::from(ExprKind::Compose(vec![function, outer, inner]));
                inner = evaluate_tree(&composed).ok().and_then(|answer| literal(&answer.value)).unwrap_or(composed);
                continue;
            }
            let call = Expr::from(ExprKind::Call {
                name: Name::from("composition"),
                modes: None,
                arguments: vec![outer.clone(), inner.clone()],
            });
            let written = Expr::from(ExprKind::Compose(vec![outer, inner]));
            let same = matches!((evaluate_tree(&call), evaluate_tree(&written)), (Ok(a), Ok(b)) if a.value == b.value);
            let is_literal =
                evaluate_tree(&written).is_ok_and(|answer| answer.value.to_string() == written.to_string());
            inner =
                if is_literal { written } else { self.called(if same { call } else { written.clone() }, &written)? };
        }
        Ok(inner)
    }
}

/// A value as a literal of the language; truths, lists and tables have none.
fn literal(value: &Value) -> Option<Expr> {
    if matches!(value, Value::Bool(_) | Value::List(_) | Value::Text(_) | Value::Verdict(_)) {
        return None;
    }
    let tree = parse(&value.to_string(), Ints::Plain).ok()?;
    evaluate_tree(&tree).is_ok_and(|answer| answer.value == *value).then_some(tree)
}

/// The substituted tree, unless the language writes it so that it would be read as something else.
fn equivalent(substituted: Expr, original: &Expr) -> Expr {
    let Ok(read) = parse(&substituted.to_string(), Ints::Plain) else { return original.clone() };
    match (evaluate_tree(&read), evaluate_tree(original)) {
        (Ok(a), Ok(b)) if a.value != b.value => original.clone(),
        (Err(_), Ok(_)) => original.clone(),
        _ => read,
    }
}

/// The integers that an expression is written with.
pub(super) fn integers(tree: &Expr) -> Vec<Int> {
    let mut all = Vec::new();
    collect(tree, &mut all);
    all
}

fn each(tree: &Expr, all: &mut Vec<Int>) {
    tree.parts().for_each(|part| collect(part, all));
}

fn collect(tree: &Expr, all: &mut Vec<Int>) {
    match &tree.kind {
        ExprKind::Static(_) | ExprKind::Dynamic(_) | ExprKind::Unknown { .. } => {
            all.extend(evaluate_tree(tree).ok().and_then(|answer| answer.value.as_int().ok()));
        }
        ExprKind::Xor(_) | ExprKind::Wildcard | ExprKind::Swizzle { .. } | ExprKind::Bytes(_) => {}
        ExprKind::Name(_) | ExprKind::Quoted(_) => {}
        ExprKind::Attribute(_) | ExprKind::Shaped(_) | ExprKind::Linear(_) => {}
        ExprKind::Xla(_) | ExprKind::MemRef(_) | ExprKind::BareLayout(_) => {}
        ExprKind::Affine(_) | ExprKind::Index(_) | ExprKind::Verdict(_) | ExprKind::Shard(_) => {}
        ExprKind::Offsets(_) => {}
        ExprKind::Call { name, modes, arguments } => {
            modes.iter().flatten().for_each(|mode| collect(mode, all));
            let parameters = operation(&name.text).map_or(&[][..], |operation| operation.parameters);
            // A word such as `K` looks like an unknown.
            let is_word = |at: usize| {
                parameters.get(at).is_some_and(|parameter| matches!(parameter.kind, Kind::Word | Kind::Instruction))
            };
            let numbers = arguments.iter().enumerate().filter(|(at, _)| !is_word(*at));
            numbers.for_each(|(_, argument)| collect(argument, all));
        }
        ExprKind::Basis { .. } | ExprKind::Pair { .. } => each(tree, all),
        ExprKind::Product(_) | ExprKind::Sum(_) | ExprKind::Tuple(_) => each(tree, all),
        ExprKind::Tiler(_) | ExprKind::Compose(_) | ExprKind::Method { .. } => each(tree, all),
    }
}
