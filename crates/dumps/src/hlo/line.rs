//! The parts of a line of HLO: a computation that begins or ends, or an instruction.
//!
//! This finds texts; what a shape says is read by `bitstride::xla`.

use crate::scan::{Brackets, balanced, comment};

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind<'l> {
    /// `HloModule name, …`
    Module(&'l str),
    /// `%name (…) -> … {` or `ENTRY %name … {`
    Begin { name: &'l str, is_entry: bool },
    /// `}`
    End,
    /// `%name = shape opcode(operands), attributes`
    Instruction(Instruction<'l>),
    /// `%name = …`, which goes on otherwise.
    Broken,
    /// Anything else.
    Other,
}

/// An instruction, in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction<'l> {
    pub(crate) name: &'l str,
    pub(crate) shape: &'l str,
    pub(crate) opcode: &'l str,
    pub(crate) operands: &'l str,
    pub(crate) attributes: &'l str,
}

impl<'l> LineKind<'l> {
    pub(crate) fn of(line: &'l str) -> Self {
        let is_indented = line.starts_with([' ', '\t']);
        let line = if line.contains("//") { line.get(..comment(line)).unwrap_or(line) } else { line };
        let text = line.trim();
        if text == "}" {
            return LineKind::End;
        }
        if let Some(rest) = text.strip_prefix("HloModule ") {
            return LineKind::Module(rest.split([',', ' ']).next().unwrap_or(rest));
        }
        if !is_indented && text.ends_with('{') && !text.contains(" = ") {
            let (is_entry, rest) = match text.strip_prefix("ENTRY ") {
                Some(rest) => (true, rest),
                None => (false, text),
            };
            let end = rest.find([' ', '(']).unwrap_or(rest.len());
            return LineKind::Begin { name: rest.get(..end).unwrap_or(rest), is_entry };
        }
        let text = text.strip_prefix("ROOT ").unwrap_or(text);
        match text.split_once(" = ") {
            Some((name, rest)) if is_name(name) => {
                Instruction::read(name, rest).map_or(LineKind::Broken, LineKind::Instruction)
            }
            _ => Instruction::tight(text).map_or(LineKind::Other, LineKind::Instruction),
        }
    }
}

fn is_name(text: &str) -> bool {
    let bare = text.strip_prefix('%').unwrap_or(text);
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && bare.chars().all(is_letter)
}

impl<'l> Instruction<'l> {
    fn read(name: &'l str, rest: &'l str) -> Option<Self> {
        let rest = rest.trim_start();
        let (shape, rest) = match rest.starts_with('(') {
            true => balanced(rest, Brackets::NotAngle)?,
            false => array(rest)?,
        };
        let rest = rest.trim_start();
        let (opcode, rest) = rest.split_at_checked(rest.find('(')?)?;
        let is_opcode = opcode.starts_with(|c: char| c.is_ascii_alphabetic()) && !opcode.contains(' ');
        let (operands, attributes) = balanced(rest, Brackets::NotAngle).filter(|_| is_opcode)?;
        let operands = operands.strip_prefix('(')?.strip_suffix(')')?.trim();
        Some(Instruction { name, shape, opcode, operands, attributes })
    }

    /// An instruction without blanks around its `=`, where the name has a `%`, so that it is no attribute.
    fn tight(text: &'l str) -> Option<Self> {
        let (name, rest) = text.split_once('=').filter(|(name, _)| name.starts_with('%'))?;
        let name = name.trim_end();
        if is_name(name) { Instruction::read(name, rest) } else { None }
    }

    /// Whether attributes of it follow on the next line.
    pub(crate) fn goes_on(&self) -> bool {
        self.attributes.trim_end().ends_with([',', '{'])
    }

    /// A name without the `%` that may stand before it.
    pub(crate) fn bare(name: &str) -> &str {
        name.strip_prefix('%').unwrap_or(name)
    }

    /// The name of the only operand, and its shape where the line says it.
    pub(crate) fn operand(&self) -> (&'l str, Option<&'l str>) {
        let tight = || self.operands.rfind('%').filter(|at| *at > 0).and_then(|at| self.operands.split_at_checked(at));
        match self.operands.rsplit_once(' ').or_else(tight) {
            Some((shape, name)) => (name, Some(shape.trim())),
            None => (self.operands, None),
        }
    }

    /// The numbers of an attribute such as `dimensions={0,2,1}`.
    pub(crate) fn numbers(&self, attribute: &str) -> Option<Vec<i64>> {
        let rest = self.attribute(attribute)?.strip_prefix('{')?;
        let (numbers, _) = rest.split_once('}')?;
        numbers.split(',').filter(|number| !number.trim().is_empty()).map(|number| number.trim().parse().ok()).collect()
    }

    /// What stands behind `name=`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'l str> {
        let mut rest = self.attributes;
        loop {
            let (_, after) = rest.split_once(", ")?;
            if let Some(value) = after.strip_prefix(name).and_then(|value| value.strip_prefix('=')) {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// The shape of one array, and what follows; none where an opcode stands at once, whose shape is inferred.
fn array(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i64;
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            // An opcode follows at once.
            b'a'..=b'z' if depth == 0 && matches!(before, b']' | b'}') => return text.split_at_checked(at),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b' ' if depth == 0 => return text.split_at_checked(at),
            // Tiles stand inside braces.
            b'(' if depth == 0 => return Some(("", text)),
            _ => {}
        }
        before = byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(line: &str) -> Instruction<'_> {
        match LineKind::of(line) {
            LineKind::Instruction(instruction) => instruction,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn an_instruction_has_its_parts() {
        let text = "  ROOT %t.1 = f32[4,8]{0,1:T(8,128)S(1)} transpose(f32[8,4]{1,0} %x), dimensions={1,0}, metadata={op_name=\"a, dimensions={9}\"}";
        let read = instruction(text);
        assert_eq!((read.name, read.shape, read.opcode), ("%t.1", "f32[4,8]{0,1:T(8,128)S(1)}", "transpose"));
        assert_eq!(read.operand(), ("%x", Some("f32[8,4]{1,0}")));
        assert_eq!(read.numbers("dimensions"), Some(vec![1, 0]));
        let read = instruction("  t = (f32[2]{0}, /*index=1*/s32[]) copy-start(x)");
        assert_eq!((read.shape, read.operand()), ("(f32[2]{0}, /*index=1*/s32[])", ("x", None)));
        let read = instruction("  p =  s4[2, 3]{1,0:E(4)} parameter(0) // of four bits");
        assert_eq!((read.shape, read.opcode, read.operands), ("s4[2, 3]{1,0:E(4)}", "parameter", "0"));
        let read = instruction("  %p= f32[100, 200]{1,0}parameter(0)");
        assert_eq!((read.name, read.shape, read.opcode), ("%p", "f32[100, 200]{1,0}", "parameter"));
        let read = instruction("  r = f32[4]{0} reshape(f32[2,2]{1,0}%get-tuple-element.1)");
        assert_eq!(read.operand(), ("%get-tuple-element.1", Some("f32[2,2]{1,0}")));
        let read = instruction("  ROOT %t = tuple(%a, %b)");
        assert_eq!((read.shape, read.opcode), ("", "tuple"));
    }

    #[test]
    fn other_lines_are_told_apart() {
        let begin = LineKind::of("ENTRY %main.5 (x: f32[4]) -> f32[4] {");
        assert_eq!(begin, LineKind::Begin { name: "%main.5", is_entry: true });
        assert_eq!(LineKind::of("%f (x: f32[4]) -> f32[4] {"), LineKind::Begin { name: "%f", is_entry: false });
        assert_eq!(LineKind::of("HloModule jit_f, is_scheduled=true"), LineKind::Module("jit_f"));
        assert_eq!(LineKind::of("}"), LineKind::End);
        assert_eq!(LineKind::of("} // main.5"), LineKind::End);
        assert_eq!(LineKind::of("// CHECK: scf.if {"), LineKind::Other);
        assert_eq!(LineKind::of("  %x = f32[4]{0} add("), LineKind::Broken);
        assert_eq!(LineKind::of("1 {file_name_id=1 line=14}"), LineKind::Other);
        assert_eq!(LineKind::of(""), LineKind::Other);
    }
}
