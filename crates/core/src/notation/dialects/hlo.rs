//! What XLA and JAX write around a shape or a layout.
//!
//! | text | reads as |
//! |---|---|
//! | `%copy.1 = f32[4,8]{0,1} copy(%x), metadata={…}`, perhaps with `ROOT` before it or without `%` | the shape of the result |
//! | `f32[4,8]{0,1} copy(%x)`, `f32[4,8]{0,1} %x` | the shape |
//! | `Format(Layout((0, 1)), SingleDeviceSharding(…))` | the layout |
//! | `mhlo.layout_mode = "{1,0:T(8,128)}"`, `xla_shape = "f32[4]{0}"` | the layout, the shape |
//! | `dense<[1, 0]> : tensor<2xindex>`, `dense<0> : tensor<1xindex>`, as in `operand_layouts = […]` | the layouts `{1,0}`, `{0}` |
//! | `%5 = ttg.convert_layout %4 : T -> U` | the type `U` |
//!
//! Law: what stands around it is passed over, and a note says so.

use super::Dialect;
use crate::notation::cursor::{Cursor, Result, closed};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};
use crate::sharding::{HloKind, HloSharding, HloText};
use crate::xla::{BareLayout, Layout};

const PASSED_OVER: &str = "the shape of the instruction's result; operands and attributes are passed over";
/// How an instruction is written, for messages.
pub(in crate::notation) const INSTRUCTION: &str = "an instruction is `%name = shape opcode(operands), attributes`";
const SHARDED: &str = "its sharding is of the whole array, and the shape is that of the part of a device once XLA has partitioned the program: \
    `shard(f32[8,6], {devices=[4,2]<=[8]})` takes the whole one";
const LAST_TYPE: &str = "the type of the operation's result; `bitstride FILE` reads a whole dump";
const OPERAND_TYPE: &str =
    "the type of an operand or an argument, as no result has a layout; `bitstride FILE` reads a whole dump";
const FIRST_TYPE: &str = "the first of several types of the operation; `bitstride FILE` reads a whole dump";
/// How types of MLIR begin that have a layout.
const TYPES: [&str; 5] = ["tensor<", "!ttg.memdesc<", "!tt.memdesc<", "!tt.tensordesc<", "memref<"];
const SHARDING: &str = "the layout; the sharding is passed over";

impl Cursor<'_> {
    /// Where a type begins and what it is the type of, when the text is an operation of MLIR with types, the end of its region, or an
    /// argument: `%5 = ttg.convert_layout %4 : T -> U`, `%6:2 = scf.for … -> (T, U) : i32 {`, `}) : (T) -> U`, `%arg0: T,`. It is that of
    /// the result, or where no result has a layout that of an operand.
    pub(in crate::notation) fn mlir_operation(&self) -> Option<(usize, &'static str)> {
        let text = self.text().trim();
        let typed = operands_and_types(text)?;
        let has_type = |text: &&str| TYPES.iter().any(|keyword| text.contains(keyword));
        // What regions have behind the results, `: i32 {`, is no type with a layout.
        let behind_arrow = typed.rsplit_once("->").map(|(_, result)| result).filter(has_type);
        let types = || behind_colon(typed);
        let (result, what) = behind_arrow.map(|result| (result, LAST_TYPE)).or_else(|| {
            let types = types()?;
            let what = if names_result(text) { LAST_TYPE } else { OPERAND_TYPE };
            match types.rsplit_once("->") {
                Some((_, result)) if has_type(&result) => Some((result, LAST_TYPE)),
                // A result without the name of its type has a layout, too.
                Some((_, result)) if result.trim_start().starts_with('<') => None,
                Some(_) => Some((types, OPERAND_TYPE)),
                None => Some((types, what)),
            }
            .filter(|(types, _)| has_type(types))
        })?;
        let first = TYPES.iter().filter_map(|keyword| result.find(keyword)).min()?;
        let count: usize = TYPES.iter().map(|keyword| result.matches(keyword).count()).sum();
        let before = self.text().trim_end().len().saturating_sub(result.len());
        Some((before.saturating_add(first), if count > 1 { FIRST_TYPE } else { what }))
    }

    /// Reads such a text, whose type begins there.
    pub(in crate::notation) fn mlir_line(&mut self, start: usize, what: &'static str) -> Result<Expr> {
        self.skip_to(start);
        let tree = self.operand()?;
        self.skip_to(self.text().len());
        self.spelled(Dialect::Mlir);
        self.remark(what);
        Ok(tree)
    }

    /// Refuses an operation of Triton whose result has no name of a type: `-> <64x64xf16, #shared, #smem, mutable>`.
    pub(in crate::notation) fn check_elided_type(&self) -> Result<()> {
        let text = self.text().trim_end();
        let result = text.rsplit_once("->").map_or("", |(_, result)| result.trim_start());
        let is_operation = ["tt.", "ttg.", "ttng."].iter().any(|dialect| text.contains(dialect));
        if !(is_operation && result.starts_with('<') && result.ends_with('>')) {
            return Ok(());
        }
        let span = Span::new(text.len().saturating_sub(result.len()), text.len());
        let message = "MLIR leaves out the name of this type, `!ttg.memdesc`: the operation says it";
        Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
            .with_help(format!("write `!ttg.memdesc{result}`; `bitstride FILE` reads a whole dump")))
    }

    /// Refuses the heads of modules and computations, which have several shapes.
    pub(in crate::notation) fn check_signature(&self) -> Result<()> {
        let text = self.text().trim_start();
        let is_head = ["HloModule", "ENTRY ", "entry_computation_layout"].iter().any(|head| text.starts_with(head))
            || text.starts_with('%') && text.contains("->") && !text.contains('=')
            || text.starts_with("(f32[")
                && closed(text).and_then(|end| text.get(end..)).is_some_and(|rest| rest.trim_start().starts_with("->"));
        if !is_head {
            return Ok(());
        }
        let span = Span::new(0, self.text().find(char::is_whitespace).unwrap_or(self.text().len()));
        let message = "this is the head of a module or a computation, which has several shapes";
        Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
            .with_help("write one of its shapes, as in `f32[3,5]{1,0}`; `bitstride FILE` reads a whole dump"))
    }

    /// Where the shape begins, when the text is an instruction of HLO.
    pub(in crate::notation) fn hlo_instruction(&self) -> Option<usize> {
        let text = self.text().trim_start();
        let root = text.strip_prefix("ROOT").filter(|rest| rest.starts_with(char::is_whitespace));
        let (is_root, rest) = match root {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text),
        };
        let name = rest.strip_prefix('%');
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let after = name.unwrap_or(rest).trim_start_matches(is_letter);
        let shape = after.trim_start().strip_prefix('=')?.trim_start();
        // Newer dumps leave the `%` out: what follows is a shape and an operation.
        let is_marked = is_root || name.is_some() || begins_shape(shape);
        let is_one = is_marked && after.len() < name.unwrap_or(rest).len();
        is_one.then(|| self.text().len().saturating_sub(shape.len()))
    }

    /// Steps over the operation or the operand behind a shape, to the end of the text.
    pub(in crate::notation) fn behind_shape(&mut self) {
        let rest = self.text_from(self.token.span);
        let is_operand = rest.strip_prefix('%').is_some_and(|name| {
            !name.is_empty() && name.trim_end().chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
        });
        if is_operand || opcode(rest).is_some() {
            self.skip_to(self.text().len());
            self.spelled(Dialect::Hlo);
            self.remark(PASSED_OVER);
        }
    }

    /// Reads such a text, whose shape begins there.
    pub(in crate::notation) fn hlo_line(&mut self, shape: usize) -> Result<Expr> {
        self.skip_to(shape);
        // A tuple is one of shapes, as the notation has it.
        let read = match self.text_from(Span::new(shape, shape)).starts_with('(') {
            true => self.operand(),
            false => self.xla(Span::new(shape, shape)),
        };
        let tree = read.map_err(|error| match &error.help {
            None => error.with_help(INSTRUCTION),
            Some(_) => error,
        })?;
        if !self.at(TokenKind::End) {
            let span = self.token.span;
            if opcode(self.text_from(span)).is_none() {
                let message =
                    format!("expected an operation and its operands behind the shape, found {}", self.found());
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message).with_help(INSTRUCTION));
            }
            if self.text_from(span).contains("sharding={") {
                self.remark(SHARDED);
            }
            self.skip_to(self.text().len());
        }
        self.spelled(Dialect::Hlo);
        self.remark(PASSED_OVER);
        Ok(tree)
    }

    /// What a word of XLA or JAX begins; `None` where it begins nothing.
    pub(super) fn hlo_word(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        match word {
            "Format" if self.at(TokenKind::OpenRound) => self.jax_format(start).map(Some),
            "mhlo" | "xla_shape" => self.named_text(word, start),
            "operand_layouts" | "result_layouts" if self.at(TokenKind::Equals) => self.layout_list(word).map(Some),
            "PartitionSpec"
            | "SingleDeviceSharding"
            | "PositionalSharding"
            | "GSPMDSharding"
            | "AbstractMesh"
            | "make_mesh"
            | "DeviceMesh"
            | "init_device_mesh"
            | "Shard"
            | "Replicate"
            | "Partial"
            | "_StridedShard"
                if self.at(TokenKind::OpenRound) =>
            {
                Err(self.sharding_alone(start))
            }
            "P" | "Mesh" if self.at(TokenKind::OpenRound) => {
                let inside = self.text_after(self.token.span).trim_start();
                let is_open = |text: &str| text.trim_start_matches("P.").starts_with("UNCONSTRAINED");
                match inside.starts_with(['"', '\''])
                    || inside.starts_with("('")
                    || inside.starts_with("None")
                    || is_open(inside)
                {
                    true => Err(self.sharding_alone(start)),
                    false => Ok(None),
                }
            }
            "BlockSpec" if self.at(TokenKind::OpenRound) => Err(block_spec(start)),
            "dense" if self.at(TokenKind::OpenAngle) => self.dense_layout(start).map(Some),
            _ => Ok(None),
        }
    }

    /// Whether a sharding of HLO or Shardy is at hand.
    pub(in crate::notation) fn is_sharding(&self) -> bool {
        let text = self.text_from(self.token.span);
        let Some(inside) = text.strip_prefix('{') else { return text.starts_with("#sdy.sharding<") };
        // A tuple of shardings has braces of its own.
        let inside = inside.trim_start().strip_prefix('{').unwrap_or(inside).trim_start();
        let begins = ["devices=", "replicated", "maximal", "manual", "unknown", "unreduced", "mesh["];
        begins.iter().any(|begin| inside.starts_with(begin))
    }

    /// Why a sharding or a mesh that begins here is refused alone.
    pub(in crate::notation) fn sharding_alone(&self, at: Span) -> Box<SyntaxError> {
        /// A text longer than this is not repeated.
        const MOST_REPEATED: usize = 160;
        let name = at.of(self.text());
        let what = if name == "{" { "this".to_owned() } else { format!("`{name}`") };
        let message = format!("{what} says which device holds which part of an array, and no array is here");
        let error = SyntaxError::new(code::UNEXPECTED_TOKEN, at, message);
        let rest = self.text_from(at);
        let end = match rest.starts_with('#') {
            true => rest.rfind('>').map(|last| last.saturating_add(1)),
            false => closed(rest),
        };
        let own = end.and_then(|end| rest.get(..end)).filter(|own| own.len() <= MOST_REPEATED);
        let own = own.unwrap_or(if name == "{" { "{…}" } else { name });
        let example = match name {
            "{" if rest.strip_prefix('{').is_some_and(|inside| inside.trim_start().starts_with('{')) => {
                return error.with_help(
                    "a tuple of shardings is one for each array of a tuple: write each beside its array, `shard(f32[8,6], {devices=[4,2]<=[8]})`",
                );
            }
            "{" => format!("shard({}, {own})", example_of(own)),
            "Mesh" | "AbstractMesh" | "make_mesh" => {
                let axis = quoted_names(own).into_iter().next().unwrap_or("a");
                format!("shard(f32[8,6], P('{axis}', None), {own})")
            }
            "DeviceMesh" | "init_device_mesh" => format!("shard(f32[8,6], [Shard(0), Replicate()], {own})"),
            "Shard" | "Replicate" | "Partial" | "_StridedShard" => {
                "shard(f32[8,6], [Shard(0), Replicate()], mesh(2,4))".to_owned()
            }
            "P" | "PartitionSpec" => format!("shard(f32[8,6], {own}, {})", mesh_of(own)),
            _ if own.contains("<@") => format!("shard(f32[8,6], {own}, {})", mesh_of(own)),
            "GSPMDSharding" => format!("shard(f32[8,6], {own})"),
            _ if rest.starts_with('#') => format!("shard(f32[8,6], {own})"),
            _ => "shard(f32[8,6], '{maximal device=0}')".to_owned(),
        };
        error.with_help(format!("write it beside the array: `{example}`, with the sizes of yours"))
    }

    /// `Format(Layout(…), sharding)`
    fn jax_format(&mut self, start: Span) -> Result<Expr> {
        let open = self.enter()?;
        if self.token.span.of(self.text()) == "layout" {
            self.advance();
            self.require(TokenKind::Equals, "`=` and a layout")?;
        }
        self.namespaces();
        if !matches!(self.token.span.of(self.text()), "Layout" | "DeviceLocalLayout") {
            return Err(self.expected("a layout, as in `Format(Layout(major_to_minor=(0, 1)), …)`"));
        }
        let tree = self.bare_layout(self.token.span)?;
        let mut depth = 0_usize;
        while !(self.at(TokenKind::End) || depth == 0 && self.at(TokenKind::CloseRound)) {
            match self.token.kind {
                TokenKind::OpenRound => depth += 1,
                TokenKind::CloseRound => depth -= 1,
                _ => {}
            }
            self.advance();
        }
        self.leave(open, TokenKind::CloseRound, "`)`")?;
        self.spelled(Dialect::Jax);
        self.remark(SHARDING);
        Ok(Expr::new(tree.kind, self.since(start)))
    }

    /// `mhlo.layout_mode = "…"` and the like: what the text in quotes says.
    fn named_text(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let rest = self.text_from(self.token.span);
        let after = match word {
            "mhlo" => rest.strip_prefix(".layout_mode"),
            _ => Some(rest),
        };
        let quoted = after.and_then(|after| after.trim_start().strip_prefix('=')).map(str::trim_start);
        let Some(inner) = quoted.and_then(|quoted| quoted.strip_prefix('"')) else { return Ok(None) };
        let begins = self.text().len().saturating_sub(inner.len());
        let Some(end) = inner.find('"') else { return Err(self.expected("a text in quotes")) };
        let (at, is_layout) = (Span::new(begins, begins), inner.starts_with('{'));
        if let Some(word @ ("default" | "auto")) = inner.get(..end) {
            let message = format!("`{word}` leaves the layout to the compiler");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, at, message)
                .with_help("a layout is written as in `mhlo.layout_mode = \"{1,0}\"`"));
        }
        self.skip_to(begins);
        let tree = if is_layout { self.bare_layout(at)? } else { self.xla(at)? };
        if self.consumed != begins.saturating_add(end) {
            return Err(self.expected("the end of the text in quotes"));
        }
        self.skip_to(begins.saturating_add(end).saturating_add(1));
        self.spelled(Dialect::StableHlo);
        Ok(Some(Expr::new(tree.kind, self.since(start))))
    }

    /// `= [dense<[1, 0]> : tensor<2xindex>]`: one layout.
    fn layout_list(&mut self, word: &str) -> Result<Expr> {
        self.advance();
        let start = self.token.span;
        let mut layouts = self.list(TokenKind::CloseSquare)?;
        match (layouts.len(), layouts.pop()) {
            (1, Some(layout)) => Ok(layout),
            (count, _) => {
                let message = format!("`{word}` has {count} layouts");
                Err(SyntaxError::new(code::UNEXPECTED_TOKEN, self.since(start), message)
                    .with_help("write one of them: `dense<[1, 0]> : tensor<2xindex>`"))
            }
        }
    }

    /// `dense<[1, 0]> : tensor<2xindex>`: dims, the fastest first.
    fn dense_layout(&mut self, start: Span) -> Result<Expr> {
        let open = self.enter()?;
        // One dim has no brackets, and none has nothing.
        let dims = match self.token.kind {
            TokenKind::CloseAngle => Vec::new(),
            TokenKind::Number => vec![self.integer("a dim")?],
            TokenKind::OpenSquare => self.entries(TokenKind::CloseSquare, "another dim", |cursor| {
                cursor.count_leaf(cursor.token.span)?;
                cursor.integer("a dim")
            })?,
            _ => return Err(self.expected("a list of dims, as in `dense<[1, 0]> : tensor<2xindex>`")),
        };
        self.leave(open, TokenKind::CloseAngle, "`>`")?;
        self.require(TokenKind::Colon, "`:` and a type such as `tensor<2xindex>`")?;
        let at = self.token.span;
        let wanted = format!("tensor<{}xindex>", dims.len());
        let wide = format!("tensor<{}xi64>", dims.len());
        let Some(wanted) = [&wanted, &wide].into_iter().find(|wanted| self.text_from(at).starts_with(*wanted)) else {
            return Err(self.expected(&format!("`{wanted}`")));
        };
        self.skip_to(at.start.saturating_add(wanted.len()));
        self.spelled(Dialect::StableHlo);
        let layout = Box::new(BareLayout::Xla(Layout::ordered(dims)));
        self.leaf(ExprKind::BareLayout(layout), self.since(start))
    }
}

/// Why a block of Pallas is refused.
pub(super) fn block_spec(at: Span) -> Box<SyntaxError> {
    let message = "`BlockSpec` says which block of an array a step of a grid sees, and neither array nor step is here";
    SyntaxError::new(code::UNEXPECTED_TOKEN, at, message)
        .with_help("write the array, the block and its place: `local_tile((64,256):(256,1), (8,128), (1,0))`")
}

/// The operation at the start of a text, with its operands behind it.
fn opcode(text: &str) -> Option<&str> {
    let length = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(length)?;
    (name.starts_with(|c: char| c.is_ascii_lowercase()) && rest.trim_start().starts_with('(')).then_some(name)
}

/// Whether a text begins with a shape or a tuple of them, and not with the call of a type.
fn begins_shape(text: &str) -> bool {
    let inside = text.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
    let name = crate::text::word(inside);
    let is_type =
        crate::notation::element_type::is_xla_type(name) && name.starts_with(|c: char| c.is_ascii_lowercase());
    is_type && inside.get(name.len()..).is_some_and(|rest| rest.starts_with('['))
}

/// What follows the name of an operation of MLIR, or the end of its region; nothing for another text.
fn operands_and_types(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('}') {
        let rest = rest.strip_prefix(')').unwrap_or(rest).trim_start();
        return rest.starts_with([':', '-']).then_some(rest);
    }
    if text.starts_with("^bb") || is_argument(text) {
        return Some(text);
    }
    let name = match text.strip_prefix('%') {
        Some(rest) => rest.split_once('=')?.1.trim_start(),
        None => text,
    };
    // In quotes an operation may have any name.
    let is_quoted = name.starts_with('"');
    let name = name.strip_prefix('"').unwrap_or(name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let (dialect, rest) = name.split_at_checked(name.find(|c| !is_name(c))?)?;
    let is_operation = (dialect.contains('.') || is_quoted && rest.starts_with('"'))
        && dialect.starts_with(|c: char| c.is_ascii_lowercase())
        && rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '"' | '('));
    is_operation.then_some(rest)
}

/// Whether a text is an argument with its type: `%arg0: T,`.
fn is_argument(text: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
    let behind = text.strip_prefix('%').map(|rest| rest.trim_start_matches(name).trim_start());
    behind.is_some_and(|behind| behind.starts_with(": ") || behind.starts_with(':') && behind.contains(['!', '<']))
}

/// Whether an operation gives its result a name.
fn names_result(text: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-' | ':' | ',' | '%' | ' ');
    text.strip_prefix('%').is_some_and(|rest| rest.trim_start_matches(name).starts_with('='))
}

/// What stands behind the last colon between blanks, or that of an argument: `%0 : T`, `^bb0(%arg0: T):`.
fn behind_colon(text: &str) -> Option<&str> {
    let is_blank = |c: Option<char>| c.is_some_and(char::is_whitespace);
    let parts =
        || text.rmatch_indices(':').filter_map(|(at, _)| Some((text.get(..at)?, text.get(at.saturating_add(1)..)?)));
    let spaced = parts().find(|(before, behind)| {
        (before.is_empty() || is_blank(before.chars().next_back())) && is_blank(behind.chars().next())
    });
    let is_argument = |(before, behind): &(&str, &str)| before.contains('%') && is_blank(behind.chars().next());
    spaced.or_else(|| parts().rfind(is_argument)).map(|(_, behind)| behind)
}

/// A type of an array that such a text of XLA may cut: two elements along each dim of a tile.
fn example_of(text: &str) -> String {
    let sizes = match text.parse::<HloSharding>() {
        Ok(HloSharding::One(HloText { kind: HloKind::Tiled { tiles, .. }, .. })) => tiles,
        _ => vec![4, 3],
    };
    let sizes: Vec<String> = sizes.iter().map(|size| size.saturating_mul(2).to_string()).collect();
    format!("f32[{}]", sizes.join(","))
}

/// The names in quotes in a text, each once.
fn quoted_names(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in text.split(['\'', '"']).skip(1).step_by(2) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A mesh that has the axes which a text names.
fn mesh_of(text: &str) -> String {
    let axes: Vec<String> = quoted_names(text).iter().map(|name| format!("{name}=2")).collect();
    if axes.is_empty() { "mesh(a=2)".to_owned() } else { format!("mesh({})", axes.join(",")) }
}

#[cfg(test)]
mod tests {
    use crate::notation::{Dialect, Ints, parse, read};

    #[test]
    fn what_stands_around_a_shape_or_layout_is_passed_over() {
        for (text, plain, dialect) in [
            (
                "%copy.1 = f32[4,8]{0,1:T(2,2)S(1)} copy(%x), metadata={op_name=\"a\"}",
                "f32[4,8]{0,1:T(2,2)S(1)}",
                Dialect::Hlo,
            ),
            ("ROOT t.2 = f32[8]{0} add(a, b)", "f32[8]{0}", Dialect::Hlo),
            ("t.2 = f32[8]{0} add(a, b)", "f32[8]{0}", Dialect::Hlo),
            ("f32[8]{0:T(256)} %bitcast.3", "f32[8]{0:T(256)}", Dialect::Hlo),
            ("f32[8]{0} copy-done(%a), metadata={}", "f32[8]{0}", Dialect::Hlo),
            ("  %t = (f32[2]{0}, /*index=1*/s32[]) tuple(%a, %b)", "(f32[2]{0}, s32[])", Dialect::Hlo),
            (
                "Format(Layout(major_to_minor=(0, 1), tiling=((8, 128),)), SingleDeviceSharding(device=Tpu(id=0)))",
                "Layout(major_to_minor=(0, 1), tiling=((8, 128),))",
                Dialect::Jax,
            ),
            ("mhlo.layout_mode = \"{1,0:T(8,128)}\"", "{1,0:T(8,128)}", Dialect::StableHlo),
            ("xla_shape = \"f32[4,2]{0,1}\"", "f32[4,2]{0,1}", Dialect::StableHlo),
            ("dense<[1, 0]> : tensor<2xindex>", "{1,0}", Dialect::StableHlo),
            ("dense<0> : tensor<1xindex>", "{0}", Dialect::StableHlo),
            ("operand_layouts = [dense<[0, 1]> : tensor<2xi64>]", "{0,1}", Dialect::StableHlo),
            (
                "%0 = x.y %1 {a = 1 : i32} : tensor<4xf32, #a> -> tensor<4xf32, #b> loc(#l)",
                "tensor<4xf32, #b>",
                Dialect::Mlir,
            ),
            ("\"ttg.local_load\"(%1) : (tensor<4xf32>) -> tensor<8xf32, #b>", "tensor<8xf32, #b>", Dialect::Mlir),
        ] {
            let reading = read(text, Ints::Plain).expect(text);
            assert_eq!(Ok(&reading.tree), parse(plain, Ints::Plain).as_ref(), "{text}");
            assert_eq!(reading.dialects, [dialect], "{text}");
        }
    }

    #[test]
    fn what_breaks_off_is_said() {
        for text in [
            "%x = f32[4]{0} copy",
            "%x = ",
            "%x = 5",
            "Format(Layout((0, 1)), Sharding(",
            "Format(5)",
            "mhlo.layout_mode = \"{1,0} x\"",
            "mhlo.layout_mode = \"{1,0}",
            "dense<[1, 0]> : tensor<3xindex>",
        ] {
            assert!(read(text, Ints::Plain).is_err(), "{text}");
        }
    }
}
