//! `bitstride explain 'relayout(FROM, TO, ELEMENT, ISA)'`: why a tensor would be moved as it would be, without its file.
//!
//! `relayout` is no operation of the language, since it has no value: this verb knows its name.

use bitstride::notation::{Expr, ExprKind, Ints};
use bitstride::{Code, Error, error};
use bitstride_lang::evaluate_tree;
use bitstride_lang::explain::Explanation;
use bitstride_relayout::{Element, Isa, Plan};

use super::element::Source;
use super::side::{ONE_SIZE, Side};
use crate::tensors::Dtype;

/// The names of instructions.
const ISAS: &[(&str, Isa)] =
    &[("scalar", Isa::Scalar), ("neon", Isa::Neon), ("avx2", Isa::Avx2), ("avx512", Isa::Avx512)];

/// The arguments of a relayout, where an expression is one.
pub(super) fn arguments(tree: &Expr) -> Option<&[Expr]> {
    match &tree.kind {
        ExprKind::Call { name, modes: None, arguments } if name.text == "relayout" => Some(arguments),
        _ => None,
    }
}

/// The explanation of the plan.
pub(super) fn explain(tree: &Expr, arguments: &[Expr], ints: Ints) -> Result<Explanation, Error> {
    let ([from, to], rest) = match arguments {
        [from, to, rest @ ..] if rest.len() <= 2 => ([from, to], rest),
        _ => {
            let help = "relayout(FROM, TO, 16), or relayout(FROM, TO, bf16, avx2)";
            return Err(error!(
                Code::Arity,
                "relayout takes {least} to {most} arguments, not {given}",
                [least = 2, most = 4, given = arguments.len()]
            )
            .with_help(help)
            .with_span(tree.span));
        }
    };
    let side = |at: &Expr| Side::of(at, &at.display(ints).to_string()).map_err(|error| error.with_span(at.span));
    let sides = [side(from)?, side(to)?];
    let element = element(tree, rest.first(), &sides)?;
    let isa = rest.get(1).map_or(Ok(Isa::widest()), isa)?;
    let plan = Element::of_bits(element.bits)
        .and_then(|size| Plan::for_isa(&sides[0].map, &sides[1].map, size, isa))
        .map_err(|error| error.with_span(tree.span))?;
    let mut explanation = plan.explain();
    explanation.expression = tree.display(ints).to_string();
    explanation.ints = ints;
    if let Ok(answer) = &mut explanation.outcome {
        let flattened = sides[0].flattened(&sides[1]);
        answer.notes = sides.into_iter().flat_map(|side| side.notes).chain(flattened).collect();
    }
    Ok(explanation)
}

/// What the layouts count: as asked, else as a layout of XLA does.
fn element(tree: &Expr, asked: Option<&Expr>, sides: &[Side; 2]) -> Result<Dtype, Error> {
    let Some(asked) = asked else {
        let typed = sides.iter().find_map(|side| Some((side, side.dtype.clone()?)));
        let (first, element) = typed.ok_or_else(|| {
            let message = "nothing says how large an element is";
            let help = "a third argument: bits, as 16, or a type, as bf16";
            Error::new(Code::Syntax("needs-element"), message).with_help(help).with_span(tree.span)
        })?;
        let source = Source { who: &first.text, is_type: true, words: "", help: ONE_SIZE };
        let agreed = sides.iter().try_for_each(|side| side.agrees(&element, &source));
        return agreed.map(|()| element).map_err(|error| error.with_span(tree.span));
    };
    let name = match &asked.kind {
        ExprKind::Name(name) => name.text.clone(),
        _ => evaluate_tree(asked)?.value.as_number()?.to_string(),
    };
    let agreed = Dtype::read(&name).and_then(|element| {
        let is_type = name.parse::<u32>().is_err();
        let source = Source { who: "the third argument", is_type, words: "", help: "leave the third argument out" };
        sides.iter().try_for_each(|side| side.agrees(&element, &source))?;
        Ok(element)
    });
    agreed.map_err(|error| error.with_span(asked.span))
}

/// Instructions by their name.
fn isa(asked: &Expr) -> Result<Isa, Error> {
    let name = asked.to_string();
    ISAS.iter().find(|(own, _)| *own == name).map(|(_, isa)| *isa).ok_or_else(|| {
        error!(Code::UnknownName, "no instructions are called {name}", [name])
            .with_help("scalar, neon, avx2 or avx512")
            .with_span(asked.span)
    })
}
