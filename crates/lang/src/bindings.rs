//! [`Bindings`]: names for values, as in `a = (4,8):(8,1)`.
//!
//! Law: an expression in which names are bound is the expression with the canonical texts of their values in their places.
//! A bound name comes before an unknown integer or a dim of the same name; a name in quotes is always that of a dim.

use std::collections::BTreeMap;

use super::value::Value;
use bitstride::notation::{Expr, ExprKind, Ints, MAX_DEPTH, MAX_LEAVES, Span, applied, is_declaration, parse};
use bitstride::{Code, Error};

/// Names and the values that they stand for.
#[derive(Clone, Debug, Default)]
pub struct Bindings(BTreeMap<String, Bound>);

/// A value as a tree, and how large it is.
#[derive(Clone, Debug)]
struct Bound {
    tree: Expr,
    leaves: usize,
}

/// The words of the language, which cannot be bound.
const WORDS: [&str; 7] = ["o", "Sw", "None", "true", "false", "same", "padding"];

impl Bindings {
    /// Gives a value a name; a name that was bound is bound anew.
    ///
    /// # Errors
    /// [`Code::UnknownName`] for what is no name, a word of the language, or the name of an operation; [`Code::Kind`] for a text.
    ///
    /// ```
    /// use bitstride_lang::{Bindings, evaluate, evaluate_in};
    /// use bitstride::notation::Ints;
    /// let mut bindings = Bindings::default();
    /// bindings.bind("a", &evaluate("(4,8):(8,1)")?.value)?;
    /// assert_eq!(evaluate_in("size(a)", Ints::Plain, &bindings)?.value.to_string(), "32");
    /// assert_eq!(evaluate_in("a(1,2)", Ints::Plain, &bindings)?.value.to_string(), "10");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn bind(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        check_name(name)?;
        if matches!(value, Value::Text(_)) {
            return Err(Error::new(Code::Kind, "a text is no operand, so a name for it could not be used"));
        }
        let tree = parse(&value.to_string(), Ints::Plain)?;
        let leaves = leaves(&tree);
        self.0.insert(name.to_owned(), Bound { tree, leaves });
        Ok(())
    }

    /// Whether no name is bound.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An expression with the values of its names in their places.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where that is deeper or longer than an expression may be.
    pub fn resolve(&self, tree: &Expr) -> Result<Expr, Error> {
        let mut resolved = tree.clone();
        self.put(&mut resolved, &mut 0)?;
        if resolved.depth() > MAX_DEPTH {
            let message = format!("with the values of its names, the expression nests more than {MAX_DEPTH} deep");
            return Err(Error::new(Code::TooLarge, message));
        }
        Ok(resolved)
    }

    fn put(&self, tree: &mut Expr, total: &mut usize) -> Result<(), Error> {
        for part in tree.parts_mut() {
            self.put(part, total)?;
        }
        let name = match &tree.kind {
            ExprKind::Name(name) | ExprKind::Call { name, .. } => &name.text,
            ExprKind::Unknown { name: Some(name), div: 1 } => name,
            _ => return Ok(()),
        };
        let Some(bound) = self.0.get(name) else { return Ok(()) };
        *total += bound.leaves;
        if *total > MAX_LEAVES {
            let message = format!("with the values of its names, the expression has more than {MAX_LEAVES} leaves");
            return Err(Error::new(Code::TooLarge, message).with_span(tree.span));
        }
        let span = tree.span;
        let value = placed(bound.tree.clone(), span);
        *tree = match std::mem::replace(&mut tree.kind, ExprKind::Wildcard) {
            ExprKind::Call { modes: Some(_), name, .. } => {
                let message = format!("{} is bound to a value, which has no modes to be called by", name.text);
                return Err(Error::new(Code::Kind, message).with_span(span));
            }
            ExprKind::Call { arguments, .. } => applied(value, arguments, span),
            _ => value,
        };
        Ok(())
    }
}

/// The name and the expression of `name = expression`, where a text is that.
///
/// ```
/// use bitstride_lang::assignment;
/// assert_eq!(assignment("a = 4:1"), Some(("a", "4:1")));
/// assert_eq!(assignment("using A = Layout<_4,_1>;"), Some(("A", "Layout<_4,_1>;")));
/// assert_eq!(assignment("a == 4:1"), None);
/// assert_eq!(assignment("linear<{lane=[[1]]}>"), None);
/// ```
pub fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, expression) = text.split_once('=')?;
    // `using Name = …;`, `constexpr int name = …;` of C++.
    let (before, name) = name.trim().rsplit_once(char::is_whitespace).unwrap_or(("", name.trim()));
    if !before.split_whitespace().all(is_declaration) {
        return None;
    }
    (is_word(name) && !expression.starts_with('=')).then_some((name, expression.trim()))
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Why a name cannot be bound, if it cannot.
fn objection(name: &str) -> Option<&'static str> {
    if !is_word(name) {
        Some("a name is a letter, then letters, digits or _")
    } else if WORDS.contains(&name) {
        Some("it is a word of the language")
    } else if super::operation(name).is_some() {
        Some("it is the name of an operation")
    } else {
        None
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    let Some(why) = objection(name) else { return Ok(()) };
    let start: String = name.chars().take(32).collect();
    let error = Error::new(Code::UnknownName, format!("{start:?} cannot be bound: {why}"));
    let other: String = start.chars().filter(|c| c.is_ascii_alphanumeric()).chain(['1']).collect();
    Err(if objection(&other).is_none() { error.with_help(format!("another name can, such as {other}")) } else { error })
}

fn leaves(tree: &Expr) -> usize {
    tree.parts().map(leaves).sum::<usize>().max(1)
}

/// A tree at the place of the name that stands for it.
fn placed(mut tree: Expr, span: Span) -> Expr {
    fn place(tree: &mut Expr, span: Span) {
        tree.span = span;
        if let ExprKind::Call { name, .. } = &mut tree.kind {
            name.span = span;
        }
        tree.parts_mut().for_each(|part| place(part, span));
    }
    place(&mut tree, span);
    tree
}
