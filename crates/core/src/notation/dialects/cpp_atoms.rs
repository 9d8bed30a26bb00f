//! CuTe C++: instructions and their copies over a tile, as types.
//!
//! | text | reads as |
//! |---|---|
//! | `MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{}`, `MMA_Traits<…>` | `atom(SM80_16x8x16_F32F16F16F32_TN)` |
//! | `MMA_Traits<OP>::ALayout`, `Copy_Traits<OP>::SrcLayout` | `part(atom(OP), A)`, `part(atom(OP), Src)` |
//! | `Copy_Atom<OP, half_t>::ValLayoutSrc` | `part(copy_atom(atom(OP), 16), Src)` |
//! | `Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}` | `copy_atom(atom(SM75_U32x4_LDSM_N), 16)` |
//! | `TiledMMA<MMA_Atom<OP>, Layout<…>, Tile<…>>` | `tiled_mma(atom(OP), …)` |
//! | `TiledCopy<Copy_Atom<OP, half_t>, layout, tile>` | `tiled_copy_tv(atom(OP), 16, layout, tile)` |

use super::Dialect;
use super::build::call;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// What the traits and the atom of an instruction have, and the part that it is.
const MEMBERS: [(&str, &str); 20] = [
    ("ALayout", "A"),
    ("BLayout", "B"),
    ("CLayout", "C"),
    ("LayoutA_TV", "A"),
    ("LayoutB_TV", "B"),
    ("LayoutC_TV", "C"),
    ("SrcLayout", "Src"),
    ("DstLayout", "Dst"),
    ("RefLayout", "Ref"),
    ("BitLayoutSrc", "Src"),
    ("BitLayoutDst", "Dst"),
    ("BitLayoutRef", "Ref"),
    ("ValLayoutSrc", "Src"),
    ("ValLayoutDst", "Dst"),
    ("ValLayoutRef", "Ref"),
    ("ThrID", "ThrID"),
    ("Shape_MNK", "Shape_MNK"),
    ("ELayout", "E"),
    ("SFALayout", "SFA"),
    ("SFBLayout", "SFB"),
];

impl Cursor<'_> {
    /// A type of an instruction, of which the template arguments are at hand; `None` where the word is none.
    pub(super) fn cpp_atom_type(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let name = Span::new(start.start, self.consumed);
        let tree = match word {
            "MMA_Atom" | "MMA_Traits" | "Copy_Traits" => {
                let open = self.enter()?;
                let instruction = self.cpp_instruction()?;
                self.leave(open, TokenKind::CloseAngle, "`>` after the instruction")?;
                let whole = atom(instruction, name, self.since(start));
                self.cpp_member_or_value(whole)?
            }
            "Copy_Atom" => {
                let open = self.enter()?;
                let instruction = self.cpp_instruction()?;
                self.require(
                    TokenKind::Comma,
                    "`,` and the type of the elements, as in `Copy_Atom<SM75_U32x4_LDSM_N, half_t>`",
                )?;
                let (bits, span) = self.cpp_element_bits()?;
                self.leave(open, TokenKind::CloseAngle, "`>` after the type")?;
                let atom = atom(instruction, name, self.since(start));
                let bits = self.leaf(ExprKind::Static(bits), span)?;
                let whole = call("copy_atom", name, vec![atom, bits], self.since(start));
                self.cpp_member_or_value(whole)?
            }
            "TiledMMA" => {
                let parts = self.entries(TokenKind::CloseAngle, "a type", |cursor| cursor.expression())?;
                self.default_made();
                call("tiled_mma", name, parts, self.since(start))
            }
            "TiledCopy" => {
                let open = self.enter()?;
                let atom = self.expression()?;
                let mut parts = Vec::from(self.atom_and_bits(atom)?);
                while self.eat(TokenKind::Comma) {
                    parts.push(self.expression()?);
                }
                self.leave(open, TokenKind::CloseAngle, "`>` after the tile")?;
                self.default_made();
                call("tiled_copy_tv", name, parts, self.since(start))
            }
            _ => return Ok(None),
        };
        self.spelled(Dialect::CuteCpp);
        Ok(Some(tree))
    }

    /// An instruction with the member or the `{}` behind it, if there is one.
    fn cpp_member_or_value(&mut self, of: Expr) -> Result<Expr> {
        let has_member = self.text_from(self.token.span).starts_with("::");
        let mut whole = if has_member { self.cpp_member(of)? } else { of };
        if self.default_made() {
            whole.span = Span::new(whole.span.start, self.consumed);
        }
        Ok(whole)
    }

    /// `::ALayout` behind an instruction.
    fn cpp_member(&mut self, of: Expr) -> Result<Expr> {
        self.skip_to(self.token.span.start.saturating_add(2));
        let span = self.token.span;
        let member = span.of(self.text());
        let Some((_, part)) = MEMBERS.iter().find(|(name, _)| *name == member) else {
            let names: Vec<&str> = MEMBERS.iter().map(|(name, _)| *name).collect();
            return Err(self.expected(&format!("what an instruction has: {}", names.join(", "))));
        };
        // Of a copy atom it is these that count elements; what it has from its traits counts bits.
        let counts_elements = member.starts_with("ValLayout");
        let of = match of.kind {
            ExprKind::Call { name, mut arguments, .. } if name.text == "copy_atom" && !counts_elements => {
                arguments.swap_remove(0)
            }
            kind if counts_elements && !matches!(&kind, ExprKind::Call { name, .. } if name.text == "copy_atom") => {
                let message = format!("{member} counts elements, and only a Copy_Atom says what they are");
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                    .with_help("write `Copy_Atom<SM75_U32x4_LDSM_N, half_t>::ValLayoutSrc`"));
            }
            kind => Expr { kind, ..of },
        };
        self.advance();
        let part = self.named_alone(part, span)?;
        let whole = of.span.join(span);
        Ok(call("part", span, vec![of, part], whole))
    }

    /// The name of an instruction, with its own template arguments, or a type around it.
    fn cpp_instruction(&mut self) -> Result<Expr> {
        self.namespaces();
        let start = self.token.span;
        let word = start.of(self.text());
        if !self.at(TokenKind::Word) {
            return Err(self.expected("the name of an instruction, such as SM80_16x8x16_F32F16F16F32_TN"));
        }
        self.advance();
        if matches!(word, "MMA_Traits" | "Copy_Traits" | "MMA_Atom") && self.at(TokenKind::OpenAngle) {
            let open = self.enter()?;
            let instruction = self.cpp_instruction()?;
            self.leave(open, TokenKind::CloseAngle, "`>` after the instruction")?;
            return Ok(instruction);
        }
        self.named(word, start)
    }
}

fn atom(instruction: Expr, name: Span, span: Span) -> Expr {
    call("atom", name, vec![instruction], span)
}

/// The name of an instruction that begins with a word and does not end there, as in source, and its length in the text; none where
/// the word alone is the name.
pub(in crate::notation) fn instruction(word: &str, after: &str) -> Option<(String, usize)> {
    let rest = rest_of_instruction(word, after)?;
    let (path, list) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
    let mut name = format!("{word}{}", path.trim());
    if let Some(inner) = list.strip_prefix('<').and_then(|list| list.strip_suffix('>')) {
        let arguments: Vec<String> = inner.split(',').map(template_argument).collect();
        name = format!("{name}<{}>", arguments.join(","));
    }
    Some((name, word.len() + rest.len()))
}

/// What of the name of an instruction of CuTe stands behind its first word: arguments in angle brackets, and before them the
/// namespaces of a sparse one, which say what it is: `SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS`, `UniversalCopy<uint128_t>`.
fn rest_of_instruction<'t>(word: &str, after: &'t str) -> Option<&'t str> {
    let path = sparse_path(after);
    let generation = word.strip_prefix("SM").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_for_any_type = matches!(word, "UniversalCopy" | "UniversalFMA" | "AutoVectorizingCopyWithAssumedAlignment");
    if !generation && !is_for_any_type && !word.starts_with("MMA_64x") && path == 0 {
        return None;
    }
    let arguments = after.get(path..)?;
    if !arguments.trim_start().starts_with('<') {
        return after.get(..path).filter(|path| !path.is_empty());
    }
    let end = arguments.find('>')?;
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || matches!(c, '_' | ':' | ',' | '<' | '(' | ')');
    arguments.get(..end)?.chars().all(is_plain).then(|| after.get(..path + end + 1))?
}

/// The length of the path of namespaces and a name behind a word, where the instruction that it names is a sparse one.
pub(super) fn sparse_path(after: &str) -> usize {
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let path = after.get(..after.find(|c| !is_path(c)).unwrap_or(after.len())).unwrap_or_default();
    let is_sparse = path.starts_with("::SPARSE::") || path.starts_with("::GMMA::SPARSE::");
    if is_sparse { path.len() } else { 0 }
}

/// A template argument of an instruction without its namespace, and a number of an enumeration by its name, as in source:
/// compilers print `(cute::SM90::GMMA::Major)0`.
fn template_argument(text: &str) -> String {
    let text = text.replace(char::is_whitespace, "");
    let Some((kind, number)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return ["cute::", "cutlass::", "SM90::"]
            .iter()
            .fold(text.as_str(), |rest, space| rest.strip_prefix(space).unwrap_or(rest))
            .to_owned();
    };
    let mut names = kind.rsplit("::");
    let (name, space) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let value = match (name, number) {
        ("Major", "0") => "K",
        ("Major", "1") => "MN",
        ("ScaleIn", "1") => "One",
        ("ScaleIn", "-1") => "Neg",
        _ => return text,
    };
    format!("{space}::{name}::{value}")
}
