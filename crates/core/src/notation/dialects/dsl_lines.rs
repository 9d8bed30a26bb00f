//! CuTe DSL: a line of what its compiler dumps, an operation with its types.
//!
//! | text | reads as |
//! |---|---|
//! | `%lay = cute.make_layout(%shape, %stride) : !cute.layout<"(8,64):(64,1)">` | the type |
//! | `%cosz = cute.cosize(%lay) : (!cute.layout<"(64,64):(64,1)">) -> !cute.int_tuple<"4096">` | the result, behind `->` |
//! | `%it = cute.recast_iter(%a) : T to U`, `… : (T) -> (U, V)`, `cute.copy(%a, %b) : (T, U)` | refused: there are several types |
//! | `… : !memref_smem_f16` | refused: the line that gives the type this name says what it is |
//!
//! Law: what stands around the type is passed over, and a note says so.

use super::Dialect;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::{Expr, Span, SyntaxError, code};

/// The dialects whose operations have layouts in their types.
const DIALECTS: [&str; 2] = ["cute.", "cute_nvgpu."];

impl Cursor<'_> {
    /// Where the types begin, when the text is an operation of these dialects.
    pub(in crate::notation) fn cute_operation(&self) -> Option<usize> {
        let text = self.text();
        let name = match text.trim_start().strip_prefix('%') {
            Some(results) => results.split_once('=')?.1.trim_start(),
            None => text.trim_start(),
        };
        let is_operation = DIALECTS.iter().any(|dialect| name.starts_with(dialect));
        let start = text.len().saturating_sub(name.len());
        // Calls of the DSL have no `%`.
        let types = marks(name, ":").pop().filter(|_| is_operation && text.contains('%'))?;
        Some(start.saturating_add(types).saturating_add(":".len()))
    }

    /// Reads such a text, whose types begin there.
    pub(in crate::notation) fn cute_line(&mut self, start: usize) -> Result<Expr> {
        let types = self.text().get(start..).unwrap_or_default();
        let arrow = marks(types, "->").pop();
        let result = arrow.map_or(0, |arrow| arrow.saturating_add("->".len()));
        let result_text = types.get(result..).unwrap_or_default();
        let blanks = result_text.len().saturating_sub(result_text.trim_start().len());
        let at = start.saturating_add(result).saturating_add(blanks);
        let result_text = result_text.trim();
        let span = Span::new(at, at.saturating_add(result_text.len()));
        if result_text.starts_with('(') || !marks(result_text, "to").is_empty() || !marks(result_text, ",").is_empty() {
            let message = "this operation states several types, and none of them is its one result";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message).with_help(
                "write one of them, as in `!cute.layout<\"(8,64):(64,1)\">`; `bitstride FILE` reads a whole dump",
            ));
        }
        let name = result_text.split([' ', '<']).next().unwrap_or_default();
        if name.starts_with('!') && !name.contains('.') {
            let message = format!("`{name}` is a name that the dump gives to a type");
            return Err(SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(format!(
                "write the line that begins with `{name} = !cute`, at the head of the dump; `bitstride FILE` reads a whole dump"
            )));
        }
        self.skip_to(at);
        let tree = self.operand()?;
        self.skip_to(self.text().len());
        self.spelled(Dialect::CuteDsl);
        self.remark(match arrow {
            None if self.text().contains("cute.get_") => {
                "the type of the operand, of which the operation gets a part; `bitstride FILE` reads a whole dump"
            }
            _ => "the type of the operation's result; `bitstride FILE` reads a whole dump",
        });
        Ok(tree)
    }
}

/// Where a text has a mark outside brackets and quotes, between blanks unless it is a comma; `->` closes no bracket.
fn marks(text: &str, mark: &str) -> Vec<usize> {
    let (mut depth, mut is_quoted, mut before) = (0_i64, false, ' ');
    let mut found = Vec::new();
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    for (at, c) in text.char_indices() {
        let behind = text.get(at..).and_then(|rest| rest.strip_prefix(mark));
        let is_apart =
            mark == "," || is_blank(Some(before)) && behind.is_some_and(|behind| is_blank(behind.chars().next()));
        if depth == 0 && !is_quoted && behind.is_some() && is_apart {
            found.push(at);
        }
        match c {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '<' | '[' | '{' => depth = depth.saturating_add(1),
            '>' if before == '-' => {}
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = c;
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::notation::{Ints, read};

    #[test]
    fn lines_of_dumps_read_as_their_last_type() {
        for (line, canonical) in [
            ("%lay_1 = cute.make_layout(%shape, %stride) : !cute.layout<\"(8,64):(64,1)\">", "(8,64):(64,1)"),
            (
                "%cosz = cute.cosize(%5) : (!cute.layout<\"((8,8),64):((64,512),1)\">) -> !cute.int_tuple<\"4096\">",
                "4096",
            ),
            (
                "%smem = cute.memref.alloca() {smem.partition_id = 1 : i32} : !cute.memref<i8, smem, align<1024>, \"8:1\">",
                "8:1",
            ),
            ("  %e0, %e1 = cute.get_leaves(%4) : !cute.stride<\"(64,1)\"> loc(#loc)", "(64,1)"),
            ("%3 = cute.static : !cute.swizzle<\"S<3,3,3>\">", "Sw<3,3,3>"),
            (
                "%atom = cute.make_atom() : () -> !cute_nvgpu.universal_fma<1x1x1, (f32, f32) -> f32>",
                "atom(UniversalFMA<float,float,float,float>)",
            ),
        ] {
            let reading = read(line, Ints::Plain).map(|reading| reading.tree.to_string());
            assert_eq!(reading.as_deref(), Ok(canonical), "{line}");
        }
    }

    #[test]
    fn lines_without_one_layout_are_refused() {
        for (line, reason) in [
            ("%iter = cute.get_iter(%arg0) : !memref_gmem_f16", "a name that the dump gives"),
            (
                "%div = cute.zipped_divide(%arg0, %tile) : !memref_gmem_f16, !cute.tile<\"[64:1;64:1]\">",
                "several types",
            ),
            ("%i = cute.to_int_tuple(%e) : !cute.shape<\"8\"> to !cute.int_tuple<\"8\">", "several types"),
            ("cute.copy(%c, %a, %b) : (!copy_simt, !memref_gmem_f16, !memref_smem_f16)", "several types"),
            ("%p = cute.f(%x) : () -> !cute.ptr<i8, smem, align<1024>>", "no type of CuTe DSL that has a layout"),
        ] {
            let message = read(line, Ints::Plain).map_err(|error| error.message);
            assert!(message.as_ref().is_err_and(|message| message.contains(reason)), "{line}: {message:?}");
        }
    }
}
