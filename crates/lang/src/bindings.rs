//! [`Bindings`]: names for values, as in `a = (4,8):(8,1)`, and aliases of attributes, as in `#blocked = #ttg.…`.
//!
//! Law: an expression in which names are bound is the expression with the canonical texts of their values in their places.
//! A bound name comes before an unknown integer or a dim of the same name; a name in quotes is always that of a dim. An alias
//! keeps its `#`, so that no name hides one.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::functions::operation;
use super::offsets::as_offsets;
use super::reading::{read_text, reading};
use super::value::Value;
use bitstride::map::OffsetExpression;
use bitstride::notation::{
    Attribute, Datum, DatumKind, Expr, ExprKind, Ints, MAX_DEPTH, MAX_LEAVES, Span, applied, is_declaration, parse,
};
use bitstride::{Code, Error, error};

/// Names and the values that they stand for.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    names: BTreeMap<String, Bound>,
    /// Names whose lines were refused: where one is used, the refusal is the answer.
    refused: BTreeMap<String, Error>,
}

/// A value as a tree, how large that is, and the value itself, which an attribute is not.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    tree: Expr,
    leaves: usize,
    value: Option<Value>,
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
        self.bind_line(name, value)
    }

    /// As [`bind`](Self::bind), also of the name of an operation, as a line of somebody's source may: called, that is the operation.
    pub(super) fn bind_line(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        if !is_word(name) || WORDS.contains(&name) {
            check_name(name)?;
        }
        if matches!(value, Value::Text(_)) {
            return Err(Error::new(Code::Kind, "a text is no operand, so a name for it could not be used"));
        }
        let tree = parse(&value.to_string(), Ints::Plain)?;
        let leaves = leaves(&tree);
        self.insert(name, Bound { tree, leaves, value: Some(value.clone()) });
        Ok(())
    }

    /// Gives an attribute an alias, as a line `#blocked = #ttg.blocked<{…}>` of a file in MLIR does, or a type, as `!mma = !cute.…`;
    /// `name` keeps its mark. Aliases in the text stand for what they stand for now.
    ///
    /// # Errors
    /// What the text is not, as [`parse`]; [`Code::UnknownName`] for what is no alias; [`Code::Kind`] for a text that is no
    /// attribute; [`Code::TooLarge`] as [`Bindings::resolve`].
    ///
    /// ```
    /// use bitstride_lang::{Bindings, evaluate_in};
    /// use bitstride::notation::Ints;
    /// let mut bindings = Bindings::default();
    /// bindings.alias("#one", "#ttg.blocked<{sizePerThread=[4], threadsPerWarp=[2], warpsPerCTA=[1], order=[0]}>")?;
    /// let value = evaluate_in("rank(tensor<8xf32, #one>)", Ints::Plain, &bindings)?.value;
    /// assert_eq!(value.to_string(), "3");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn alias(&mut self, name: &str, text: &str) -> Result<(), Error> {
        if !is_alias(name) {
            let start: String = name.chars().take(32).collect();
            return Err(error!(
                Code::UnknownName,
                "{start:?} is no alias: that is # or ! and a name without a dialect",
                [start]
            ));
        }
        let tree = self.resolve(&parse(text, Ints::Plain)?)?;
        if name.starts_with('#') && !matches!(tree.kind, ExprKind::Attribute(_)) {
            return Err(error!(Code::Kind, "{name} is an alias of an attribute such as #ttg.blocked<{{…}}>", [name]));
        }
        let leaves = leaves(&tree);
        self.insert(name, Bound { tree, leaves, value: None });
        Ok(())
    }

    /// What a name stands for.
    pub(super) fn bound(&self, name: &str) -> Option<&Bound> {
        self.names.get(name)
    }

    /// What a name stands for among the arguments of a layout of Gluon, and how many leaves that has.
    pub(super) fn datum(&self, name: &str) -> Option<(DatumKind, usize)> {
        let bound = self.names.get(name)?;
        as_datum(&bound.tree).map(|kind| (kind, bound.leaves))
    }

    /// The tree of the value that a name stands for.
    pub(super) fn tree(&self, name: &str) -> Option<&Expr> {
        self.names.get(name).map(|bound| &bound.tree)
    }

    fn insert(&mut self, name: &str, bound: Bound) {
        self.refused.remove(name);
        self.names.insert(name.to_owned(), bound);
    }

    /// Lets a name stand for nothing, for a reason.
    pub(super) fn refuse(&mut self, name: &str, why: Error) {
        self.names.remove(name);
        self.refused.insert(name.to_owned(), why);
    }

    /// Why a name stands for nothing, where its line was refused.
    pub(super) fn refused(&self, name: &str) -> Option<&Error> {
        self.refused.get(name)
    }

    /// Lets a name stand for what it stands for elsewhere.
    pub(super) fn bind_as(&mut self, name: &str, bound: &Bound) {
        self.insert(name, bound.clone());
    }

    /// The attribute that an alias stands for, aliases in it written out.
    pub fn alias_text(&self, name: &str) -> Option<String> {
        self.names.get(name).filter(|_| is_alias(name)).map(|bound| bound.tree.to_string())
    }

    /// Whether no name is bound.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.refused.is_empty()
    }

    /// An expression with the values of its names in their places.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where that is deeper or longer than an expression may be.
    pub fn resolve(&self, tree: &Expr) -> Result<Expr, Error> {
        let mut resolved = tree.clone();
        self.put(&mut resolved, &mut 0)?;
        if resolved.depth() > MAX_DEPTH {
            return Err(error!(
                Code::TooLarge,
                "with the values of its names, the expression nests more than {max_depth} deep",
                [max_depth = MAX_DEPTH]
            ));
        }
        Ok(resolved)
    }

    /// A text with the values of its names in their places. What is no expression, such as the name of a file, stays.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve), and [`Code::Kind`] where a name stands for a value that has no text there.
    ///
    /// ```
    /// use bitstride_lang::{Bindings, evaluate};
    /// use bitstride::notation::Ints;
    /// let mut bindings = Bindings::default();
    /// bindings.bind("a", &evaluate("(4,8):(8,1)")?.value)?;
    /// assert_eq!(bindings.written_out("coalesce(a)", Ints::Plain)?, "coalesce((4,8):(8,1))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn written_out(&self, text: &str, ints: Ints) -> Result<String, Error> {
        if self.is_empty() {
            return Ok(text.to_owned());
        }
        let Ok((tree, _)) = read_text(text, ints) else { return Ok(text.to_owned()) };
        let with_values = self.resolve(&tree)?;
        if with_values == tree {
            return Ok(text.to_owned());
        }
        let written = with_values.display(ints).to_string();
        match read_text(&written, ints) {
            Ok((again, _)) if again == with_values => Ok(written),
            _ => Err(Error::new(Code::Kind, "a name here stands inside arithmetic, where its value has no text")
                .with_help("write the value of the name there")),
        }
    }

    fn put(&self, tree: &mut Expr, total: &mut usize) -> Result<(), Error> {
        for part in tree.parts_mut() {
            self.put(part, total)?;
        }
        let name = match &mut tree.kind {
            ExprKind::Call { name, .. } if operation(&name.text).is_some() => return Ok(()),
            ExprKind::Name(name) | ExprKind::Call { name, .. } => &name.text,
            ExprKind::Unknown { name: Some(name), div: 1 } => &*name,
            ExprKind::Attribute(attribute) => return self.put_attribute(attribute, total),
            ExprKind::Offsets(code) => {
                return self.put_offsets(code, total).map_err(|error| error.with_span(tree.span));
            }
            ExprKind::Shaped(shaped) => {
                shaped.encoding.iter_mut().try_for_each(|attribute| self.put_attribute(attribute, total))?;
                return shaped.rest.iter_mut().try_for_each(|datum| self.put_datum(datum, total));
            }
            _ => return Ok(()),
        };
        let Some(bound) = self.names.get(name) else {
            return self.refused(name).map_or(Ok(()), |why| Err(why.clone()));
        };
        let span = tree.span;
        count(total, bound, span)?;
        let value = placed(bound.tree.clone(), span);
        *tree = match std::mem::replace(&mut tree.kind, ExprKind::Wildcard) {
            ExprKind::Call { modes: Some(_), name, .. } => {
                return Err(error!(
                    Code::Kind,
                    "{text} is bound to a value, which has no modes to be called by",
                    [text = name.text]
                )
                .with_span(span));
            }
            ExprKind::Call { arguments, .. } => applied(value, arguments, span),
            _ => value,
        };
        Ok(())
    }

    /// Puts values into an expression of offsets.
    fn put_offsets(&self, code: &mut OffsetExpression, total: &mut usize) -> Result<(), Error> {
        let names: Vec<String> = code.names().into_iter().map(str::to_owned).collect();
        for name in names {
            let Some(bound) = self.names.get(&name) else { continue };
            let Some(value) = &bound.value else { continue };
            count(total, bound, Span::default())?;
            code.bind(&name, &as_offsets(value)?);
        }
        Ok(())
    }

    /// Puts what aliases stand for into an attribute.
    fn put_attribute(&self, attribute: &mut Attribute, total: &mut usize) -> Result<(), Error> {
        if let Some(body) = &mut attribute.body {
            return body.iter_mut().try_for_each(|argument| self.put_datum(&mut argument.datum, total));
        }
        if attribute.name.text.contains('.') {
            return Ok(());
        }
        let Some(bound) = self.names.get(&format!("#{}", attribute.name.text)) else { return Ok(()) };
        count(total, bound, attribute.span)?;
        if let ExprKind::Attribute(value) = &bound.tree.kind {
            let span = attribute.span;
            *attribute = (**value).clone();
            place_attribute(attribute, span);
        }
        Ok(())
    }

    fn put_datum(&self, datum: &mut Datum, total: &mut usize) -> Result<(), Error> {
        if let DatumKind::Word(word) = &datum.kind
            && let Some(bound) = self.names.get(word)
        {
            count(total, bound, datum.span)?;
            if let Some(kind) = as_datum(&bound.tree) {
                datum.kind = kind;
            }
            return Ok(());
        }
        match &mut datum.kind {
            DatumKind::Attribute(attribute) => self.put_attribute(attribute, total),
            DatumKind::Array(items) => items.iter_mut().try_for_each(|item| self.put_datum(item, total)),
            DatumKind::Dictionary(entries) => {
                entries.iter_mut().try_for_each(|(_, datum)| self.put_datum(datum, total))
            }
            _ => Ok(()),
        }
    }
}

/// A value as part of an attribute: a number, a list or an attribute.
fn as_datum(tree: &Expr) -> Option<DatumKind> {
    match &tree.kind {
        ExprKind::Static(n) => Some(DatumKind::Integer(*n)),
        ExprKind::Attribute(attribute) => Some(DatumKind::Attribute((**attribute).clone())),
        ExprKind::Tuple(entries) => {
            let items = entries.iter().map(|entry| as_datum(entry).map(|kind| Datum { kind, span: entry.span }));
            items.collect::<Option<_>>().map(DatumKind::Array)
        }
        _ => None,
    }
}

/// Counts the leaves of a value that is put into an expression.
fn count(total: &mut usize, bound: &Bound, span: Span) -> Result<(), Error> {
    *total += bound.leaves;
    if *total > MAX_LEAVES {
        return Err(error!(
            Code::TooLarge,
            "with the values of its names, the expression has more than {max_leaves} leaves",
            [max_leaves = MAX_LEAVES]
        )
        .with_span(span));
    }
    Ok(())
}

/// The names of an expression that may be bound, with the place of each, among them those of which it computes something.
pub(super) fn names_in(text: &str, ints: Ints) -> Vec<(String, Span)> {
    let computed = RefCell::new(Vec::new());
    // Anything may be computed of a number.
    let any = |name: &str, span: Span| {
        computed.borrow_mut().push((name.to_owned(), span));
        Some((DatumKind::Integer(1), 1))
    };
    match read_text(text, ints) {
        Ok((tree, _)) => mentioned(&tree),
        Err(_) => {
            let tree = reading(text, ints, &any).map(|(reading, _)| reading.tree);
            let mut names = tree.map_or_else(|_| Vec::new(), |tree| mentioned(&tree));
            names.extend(computed.into_inner());
            names
        }
    }
}

/// Every name of an expression that may be bound, with the place of each; aliases keep their `#`.
pub(super) fn mentioned(tree: &Expr) -> Vec<(String, Span)> {
    fn expression(tree: &Expr, found: &mut Vec<(String, Span)>) {
        match &tree.kind {
            ExprKind::Name(name) | ExprKind::Call { name, .. } => found.push((name.text.clone(), tree.span)),
            ExprKind::Unknown { name: Some(name), div: 1 } => found.push((name.clone(), tree.span)),
            ExprKind::Attribute(whole) => attribute(whole, found),
            ExprKind::Offsets(code) => found.extend(code.names().into_iter().map(|name| (name.to_owned(), tree.span))),
            ExprKind::Shaped(shaped) => {
                shaped.encoding.iter().for_each(|whole| attribute(whole, found));
                shaped.rest.iter().for_each(|entry| datum(entry, found));
            }
            _ => {}
        }
        tree.parts().for_each(|part| expression(part, found));
    }
    fn attribute(whole: &Attribute, found: &mut Vec<(String, Span)>) {
        match &whole.body {
            Some(body) => body.iter().for_each(|argument| datum(&argument.datum, found)),
            None if !whole.name.text.contains('.') => found.push((format!("#{}", whole.name.text), whole.span)),
            None => {}
        }
    }
    fn datum(entry: &Datum, found: &mut Vec<(String, Span)>) {
        match &entry.kind {
            DatumKind::Attribute(whole) => attribute(whole, found),
            DatumKind::Word(word) => found.push((word.clone(), entry.span)),
            DatumKind::Array(items) => items.iter().for_each(|item| datum(item, found)),
            DatumKind::Dictionary(entries) => entries.iter().for_each(|(_, item)| datum(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    expression(tree, &mut found);
    found
}

/// The alias and the text of `#name = #ttg.…<…>`, where a line is that.
///
/// ```
/// use bitstride_lang::alias;
/// assert_eq!(alias("#smem = #ttg.shared_memory"), Some(("#smem", "#ttg.shared_memory")));
/// assert_eq!(alias("#ttg.blocked<{order = [0]}>"), None);
/// ```
pub fn alias(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once('=')?;
    let name = name.trim();
    (is_alias(name) && !text.starts_with('=')).then_some((name, text.trim()))
}

/// Whether this is `#`, or of a type `!`, and a name without a dialect.
fn is_alias(name: &str) -> bool {
    let bare = name.strip_prefix(['#', '!']).unwrap_or_default();
    bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// The name and the expression of `name = expression`, where a text is that.
///
/// ```
/// use bitstride_lang::assignment;
/// assert_eq!(assignment("a = 4:1"), Some(("a", "4:1")));
/// assert_eq!(assignment("using A = Layout<_4,_1>;"), Some(("A", "Layout<_4,_1>;")));
/// assert_eq!(assignment("rows: tl.constexpr = 128"), Some(("rows", "128")));
/// assert_eq!(assignment("a == 4:1"), None);
/// assert_eq!(assignment("linear<{lane=[[1]]}>"), None);
/// ```
pub fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, expression) = text.split_once('=')?;
    // `name: type = …` of Python.
    let (name, kind) = name.split_once(':').unwrap_or((name, ""));
    if !kind.trim().chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']')) {
        return None;
    }
    // `using Name = …;`, `constexpr int name = …;` of C++.
    let (before, name) = name.trim().rsplit_once(char::is_whitespace).unwrap_or(("", name.trim()));
    if !before.split_whitespace().all(is_declaration) {
        return None;
    }
    (is_word(name) && !expression.starts_with('=')).then_some((name, expression.trim()))
}

/// The names and the expression of a line of source, whose value has a part for each of several names: `m, k = (128, 64)`.
pub(super) fn assignments(text: &str) -> Option<(Vec<&str>, &str)> {
    if let Some((name, expression)) = assignment(text) {
        return Some((vec![name], expression));
    }
    let (names, expression) = text.split_once('=')?;
    let names: Vec<&str> = names.trim().trim_matches(['(', ')']).split(',').map(str::trim).collect();
    let is_several = names.len() > 1 && names.iter().all(|name| is_word(name)) && !expression.starts_with('=');
    is_several.then_some((names, expression.trim()))
}

/// Whether this is spelled as a name is.
fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Why a name cannot be bound, if it cannot.
fn objection(name: &str) -> Option<&'static str> {
    if !is_word(name) {
        Some("a name is a letter, then letters, digits or _")
    } else if WORDS.contains(&name) {
        Some("it is a word of the language")
    } else if operation(name).is_some() {
        Some("it is the name of an operation")
    } else {
        None
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    let Some(why) = objection(name) else { return Ok(()) };
    let start: String = name.chars().take(32).collect();
    let error = error!(Code::UnknownName, "{start:?} cannot be bound: {why}", [start, why]);
    let other: String = start.chars().filter(|c| c.is_ascii_alphanumeric()).chain(['1']).collect();
    Err(if objection(&other).is_none() { error.with_help(format!("another name can, such as {other}")) } else { error })
}

fn leaves(tree: &Expr) -> usize {
    let of_attribute = match &tree.kind {
        ExprKind::Attribute(attribute) => attribute_leaves(attribute),
        ExprKind::Shaped(shaped) => {
            shaped.encoding.iter().map(attribute_leaves).sum::<usize>()
                + shaped.rest.iter().map(datum_leaves).sum::<usize>()
        }
        _ => 0,
    };
    (tree.parts().map(leaves).sum::<usize>() + of_attribute).max(1)
}

fn attribute_leaves(attribute: &Attribute) -> usize {
    1 + attribute.body.iter().flatten().map(|argument| datum_leaves(&argument.datum)).sum::<usize>()
}

fn datum_leaves(datum: &Datum) -> usize {
    match &datum.kind {
        DatumKind::Attribute(attribute) => attribute_leaves(attribute),
        DatumKind::Array(items) => 1 + items.iter().map(datum_leaves).sum::<usize>(),
        DatumKind::Dictionary(entries) => 1 + entries.iter().map(|(_, datum)| datum_leaves(datum)).sum::<usize>(),
        _ => 1,
    }
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

/// As [`placed`], of an attribute.
fn place_attribute(attribute: &mut Attribute, span: Span) {
    fn place(datum: &mut Datum, span: Span) {
        datum.span = span;
        match &mut datum.kind {
            DatumKind::Attribute(attribute) => place_attribute(attribute, span),
            DatumKind::Array(items) => items.iter_mut().for_each(|item| place(item, span)),
            DatumKind::Dictionary(entries) => entries.iter_mut().for_each(|(name, datum)| {
                name.span = span;
                place(datum, span);
            }),
            _ => {}
        }
    }
    attribute.span = span;
    attribute.name.span = span;
    attribute.body.iter_mut().flatten().for_each(|argument| place(&mut argument.datum, span));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{evaluate, evaluate_in};

    const BLOCKED: &str = "#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[1,32], warpsPerCTA=[4,1], order=[1,0]}>";

    #[test]
    fn an_alias_is_what_it_stands_for_wherever_an_attribute_stands() -> Result<(), Error> {
        let mut names = Bindings::default();
        names.alias("#blocked", BLOCKED)?;
        names.alias("#rows", "#ttg.slice<{dim = 1, parent = #blocked}>")?;
        names.alias("#smem", "#ttg.shared_memory")?;
        let whole = format!("#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>");
        let shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
        for (short, long) in [
            ("tensor<128xf32, #rows>".to_owned(), format!("tensor<128xf32, {whole}>")),
            ("#rows".to_owned(), whole.clone()),
            (
                format!("!ttg.memdesc<4x8xf16, {shared}, #smem, mutable>"),
                format!("!ttg.memdesc<4x8xf16, {shared}, #ttg.shared_memory, mutable>"),
            ),
            ("same(tensor<4x128xf32, #blocked>, tensor<4x128xf32, #blocked>)".to_owned(), "same".to_owned()),
        ] {
            let value = |text: &str| evaluate_in(text, Ints::Plain, &names).map(|answer| answer.value);
            assert_eq!(value(&short), value(&long), "{short}");
            assert!(value(&short).is_ok(), "{short}");
        }
        Ok(())
    }

    #[test]
    fn aliases_alone_are_what_the_last_stands_for() {
        let value = |text: &str| evaluate(text).map(|answer| answer.value.to_string());
        let slice = |parent: &str| format!("#ttg.slice<{{dim = 0, parent = {parent}}}>");
        assert_eq!(value(&format!("#a = {BLOCKED}")), value(BLOCKED));
        assert_eq!(value(&format!("#a = {BLOCKED}\n#b = {}\n\n", slice("#a"))), value(&slice(BLOCKED)));
        let error = evaluate("#a = #ttg.nonsense<{}>").err();
        assert_eq!(error.and_then(|error| error.span()).map(|span| span.start), Some(5));
    }

    #[test]
    fn aliases_that_grow_are_refused() {
        let mut names = Bindings::default();
        let mut grown = names.alias("#a", "#x.y<{a = 1}>");
        for _ in 0..40 {
            grown = grown.and_then(|()| names.alias("#a", "#x.y<{a = #a, b = #a}>"));
        }
        assert_eq!(grown.map_err(|error| error.code()), Err(Code::TooLarge));
        let mut deep = names.alias("#d", "#x.y<{a = 1}>");
        for _ in 0..100 {
            deep = deep.and_then(|()| names.alias("#d", "#x.y<{a = #d}>"));
        }
        assert_eq!(deep.map_err(|error| error.code()), Err(Code::TooLarge));
    }

    #[test]
    fn lines_of_aliases_stand_before_an_expression() {
        let text = format!("\n#b = {BLOCKED}\n#smem = #ttg.shared_memory\n\n  tensor<4x128xf32, #b>\n");
        let text = text.trim_start();
        assert_eq!(evaluate(text), evaluate(&format!("tensor<4x128xf32, {BLOCKED}>")));
        let wrong = "#b = #ttg.blocked<{order = [0}>\ntensor<4xf32, #b>";
        let at = evaluate(wrong).map_err(|error| error.span().map(|span| span.of(wrong).to_owned()));
        assert_eq!(at.err().flatten().as_deref(), Some("}"));
        let wrong = "#s = #ttg.shared_memory\ntensor<4xf32, #none>";
        let at = evaluate(wrong).map_err(|error| error.span().map(|span| span.of(wrong).to_owned()));
        assert_eq!(at.err().flatten().as_deref(), Some("#none"));
    }
}
