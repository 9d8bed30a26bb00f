//! Linear layouts as Triton's C++ and Python make them.
//!
//! | text | reads as |
//! |---|---|
//! | `LinearLayout.from_bases([("register", [[0, 1]]), ("lane", [[1, 0]])], ["dim0", "dim1"])`, also with sizes | `linear<{register=[[0,1]], lane=[[1,0]]}>` |
//! | `LinearLayout({{S("register"), {{0, 1}}}, {S("lane"), {{1, 0}}}}, {S("dim0"), S("dim1")})` | the same |
//! | `LinearLayout::identity1D(8, S("register"), S("dim0"))`, `LinearLayout.identity_1d(8, "register", "dim0")` | `identity_1d(8, register, dim0)` |
//!
//! `strided1D` and `zeros1D` are read as `identity1D` is.

use super::Dialect;
use super::build::call;
use crate::notation::attribute::{Basis, LinearText};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code, is_bare_name};

/// An argument: a number, a name, or several in brackets of any kind.
enum Item {
    Number(i64, Span),
    Name(Name),
    List(Vec<Item>, Span),
}

impl Item {
    fn span(&self) -> Span {
        match self {
            Item::Number(_, span) | Item::List(_, span) => *span,
            Item::Name(name) => name.span,
        }
    }

    fn list(&self) -> Option<&[Item]> {
        match self {
            Item::List(items, _) => Some(items),
            _ => None,
        }
    }

    fn name(&self) -> Option<&Name> {
        match self {
            Item::Name(name) => Some(name),
            _ => None,
        }
    }

    fn number(&self) -> Option<i64> {
        match self {
            Item::Number(n, _) => Some(*n),
            _ => None,
        }
    }
}

impl Cursor<'_> {
    /// A linear layout, where its class was read and how it is made is at hand.
    pub(super) fn linear_call(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        if word != "LinearLayout" {
            return Ok(None);
        }
        let mut method = "from_bases";
        if matches!(self.token.kind, TokenKind::Dot | TokenKind::Scope) {
            self.advance();
            method = self.token.span.of(self.text());
            self.advance();
        }
        if !self.at(TokenKind::OpenRound) {
            return Err(
                self.expected("`(` and the bases, as in `LinearLayout.from_bases([(\"lane\", [[1]])], [\"dim0\"])`")
            );
        }
        let close = self.token;
        let items = match self.item()? {
            Item::List(items, _) => items,
            _ => Vec::new(),
        };
        self.spelled(Dialect::Triton);
        let span = self.since(start);
        let operation = match method {
            "from_bases" => return from_bases(&items, span).map(Some),
            "identity1D" | "identity_1d" => "identity_1d",
            "strided1D" | "strided_1d" => "strided_1d",
            "zeros1D" | "zeros_1d" => "zeros_1d",
            _ => {
                let message = format!("`LinearLayout` has no `{method}` that is read here");
                return Err(SyntaxError::new(code::UNKNOWN_NAME, close.span, message)
                    .with_help("there are from_bases, identity_1d, strided_1d and zeros_1d"));
            }
        };
        let argument = |item: &Item| match item {
            Item::Number(n, span) => Some(Expr::new(ExprKind::Static(*n), *span)),
            Item::Name(name) if is_bare_name(&name.text) => Some(Expr::new(ExprKind::Name(name.clone()), name.span)),
            Item::Name(name) => Some(Expr::new(ExprKind::Quoted(name.clone()), name.span)),
            Item::List(..) => None,
        };
        match items.iter().map(argument).collect() {
            Some(arguments) => Ok(Some(call(operation, start, arguments, span))),
            None => Err(wrong(span, "numbers and names of dims, as in `identity_1d(8, \"register\", \"dim0\")`")),
        }
    }

    /// A number, a name in quotes or in `S(…)`, a list, or an entry of a dictionary with its key.
    fn item(&mut self) -> Result<Item> {
        let start = self.token.span;
        match self.token.kind {
            TokenKind::Number | TokenKind::Minus => {
                self.count_leaf(start)?;
                let n = self.integer("a number")?;
                Ok(Item::Number(n, self.since(start)))
            }
            TokenKind::Text => {
                let name = self.quoted(start);
                let is_name = name.text.starts_with(|c: char| c.is_ascii_alphabetic())
                    && crate::text::word(&name.text) == name.text;
                if !is_name {
                    return Err(self.expected("the name of a dim: a letter, then letters, digits or _"));
                }
                self.count_leaf(start)?;
                self.advance();
                Ok(Item::Name(name))
            }
            TokenKind::Word => {
                self.count_leaf(start)?;
                let text = start.of(self.text()).to_owned();
                self.advance();
                // `S("register")`, `str_attr("register")`
                if self.at(TokenKind::OpenRound) {
                    let open = self.enter()?;
                    let inner = self.item()?;
                    self.leave(open, TokenKind::CloseRound, "`)` after the name")?;
                    return Ok(inner);
                }
                Ok(Item::Name(Name { text, span: start }))
            }
            TokenKind::OpenRound | TokenKind::OpenSquare | TokenKind::OpenCurly => {
                let close = match self.token.kind {
                    TokenKind::OpenRound => TokenKind::CloseRound,
                    TokenKind::OpenSquare => TokenKind::CloseSquare,
                    _ => TokenKind::CloseCurly,
                };
                let open = self.enter()?;
                let mut items = Vec::new();
                while !self.at(close) {
                    let keyword = self.text_after(self.token.span).trim_start();
                    if self.at(TokenKind::Word) && keyword.starts_with('=') {
                        self.advance();
                        self.advance();
                    }
                    let item = self.item()?;
                    items.push(match self.eat(TokenKind::Colon) {
                        true => {
                            let value = self.item()?;
                            let span = item.span().join(value.span());
                            Item::List(vec![item, value], span)
                        }
                        false => item,
                    });
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.leave(open, close, "`,` or the end of the list")?;
                Ok(Item::List(items, self.since(start)))
            }
            _ => Err(self.expected("a number, a name in quotes or a list")),
        }
    }
}

/// Bases by in dim, out dims, perhaps their sizes, and whether all elements have a place.
fn from_bases(items: &[Item], span: Span) -> Result<Expr> {
    let [bases, outs, rest @ ..] = items else {
        return Err(wrong(span, "bases and out dims"));
    };
    let mut ins = Vec::new();
    for entry in bases.list().ok_or_else(|| wrong(bases.span(), "a list of in dims with their bases"))? {
        let (name, list) = match entry.list() {
            Some([name, list]) => (name.name(), list.list()),
            _ => (None, None),
        };
        let (Some(name), Some(list)) = (name, list) else {
            return Err(wrong(entry.span(), "a name and bases, as in `(\"lane\", [[1, 0]])`"));
        };
        let basis = |basis: &Item| {
            let values = match basis {
                Item::Number(n, _) => Some(vec![*n]),
                _ => basis.list().and_then(|values| values.iter().map(Item::number).collect()),
            };
            values.map(|values| Basis { values, span: basis.span() })
        };
        let list: Option<Vec<Basis>> = list.iter().map(basis).collect();
        ins.push((name.clone(), list.ok_or_else(|| wrong(entry.span(), "bases, a list of numbers each"))?));
    }
    let wrong_outs = || wrong(outs.span(), "out dims, as in `[\"dim0\", \"dim1\"]`");
    let mut named = Vec::new();
    for out in outs.list().ok_or_else(wrong_outs)? {
        match (out.name(), out.list()) {
            (Some(name), _) => named.push((name.clone(), None)),
            (_, Some([Item::Name(name), Item::Number(size, _)])) => named.push((name.clone(), Some(*size))),
            _ => return Err(wrong_outs()),
        }
    }
    if let Some(sizes) = rest.first().and_then(Item::list) {
        if sizes.len() != named.len() {
            return Err(wrong(span, "a size for each out dim"));
        }
        for ((_, size), given) in named.iter_mut().zip(sizes) {
            *size = given.number();
        }
    }
    let are_usual =
        named.iter().enumerate().all(|(at, (name, size))| size.is_none() && name.text == format!("dim{at}"));
    let outs = match are_usual {
        true => None,
        false => {
            let reached = |at: usize| {
                let values = ins.iter().flat_map(|(_, bases)| bases).filter_map(|basis| basis.values.get(at));
                let all = values.fold(0_i64, |all, value| all | value);
                u64::try_from(all)
                    .ok()
                    .and_then(|all| all.checked_add(1)?.checked_next_power_of_two())
                    .and_then(|size| i64::try_from(size).ok())
            };
            let sized =
                named.into_iter().enumerate().map(|(at, (name, size))| Some((name, size.or_else(|| reached(at))?)));
            Some(sized.collect::<Option<Vec<_>>>().ok_or_else(|| wrong(span, "bases that are not negative"))?)
        }
    };
    Ok(Expr::new(ExprKind::Linear(Box::new(LinearText { ins, outs })), span))
}

fn wrong(span: Span, wanted: &str) -> Box<SyntaxError> {
    SyntaxError::new(code::UNEXPECTED_TOKEN, span, format!("a linear layout is made of {wanted}"))
}

#[cfg(test)]
mod tests {
    use crate::notation::{Dialect, Ints, parse, read};

    #[test]
    fn calls_read_as_the_layouts_that_they_make() {
        let usual = "linear<{register=[[0,1],[0,2]], lane=[[1,0]]}>";
        for (text, plain) in [
            (
                r#"LinearLayout.from_bases([("register", [[0, 1], [0, 2]]), ("lane", [[1, 0]])], ["dim0", "dim1"])"#,
                usual,
            ),
            (r#"LinearLayout.from_bases({"register": [[0, 1], [0, 2]], "lane": [[1, 0]]}, ["dim0", "dim1"])"#, usual),
            (
                r#"LinearLayout({{S("register"), {{0, 1}, {0, 2}}}, {S("lane"), {{1, 0}}}}, {S("dim0"), S("dim1")})"#,
                usual,
            ),
            (r#"LinearLayout.from_bases([("lane", [[1]])], ["x"], [4], False)"#, "linear<{lane=[[1]]}, out=[x:4]>"),
            (r#"LinearLayout({{"lane", {{1}, {2}}}}, {{"x", 4}}, true)"#, "linear<{lane=[[1],[2]]}, out=[x:4]>"),
            (r#"LinearLayout::identity1D(8, S("register"), S("dim0"))"#, "identity_1d(8, register, dim0)"),
            (r#"LinearLayout.strided_1d(8, 2, "register", "dim0")"#, "strided_1d(8, 2, register, dim0)"),
        ] {
            let reading = read(text, Ints::Plain).expect(text);
            assert_eq!(Ok(reading.tree), parse(plain, Ints::Plain), "{text}");
            assert_eq!(reading.dialects, [Dialect::Triton], "{text}");
        }
        for text in [
            "LinearLayout(5)",
            "LinearLayout.from_bases([(\"lane\", 5)], [\"x\"])",
            "LinearLayout.of(8)",
            "LinearLayout.from_bases([(\"lane\", [[1]])], [\"x\"], [4, 4])",
            "LinearLayout",
        ] {
            assert!(read(text, Ints::Plain).is_err() || text == "LinearLayout", "{text}");
        }
    }
}
