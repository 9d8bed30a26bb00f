//! From the lines of an HLO file to what it holds.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

use bitstride::xla::{Array, Shape};
use bitstride::{Code, Error, error};

use super::line::{Instruction, LineKind};
use super::{Dump, Effect, Kind, Moves, Parameter, Place, ShapeUse, Sharding};
use crate::Unread;
use crate::lines::Lines;
use crate::scan::{Brackets, balanced, comment};

/// The longest instruction over several lines that is put together.
const MAX_INSTRUCTION_BYTES: usize = 1 << 16;

/// The most entries that are listed of what is counted together.
const MAX_PLACES: usize = 100;

impl Dump {
    /// Reads a file; `line` is a line whose instructions are marked.
    ///
    /// # Errors
    /// What the input cannot be read with. A line that says nothing readable is listed in [`Dump::unread`].
    pub fn read(input: impl BufRead, line: Option<u64>) -> io::Result<Dump> {
        let mut reader = Reader { marked: line, ..Reader::default() };
        let mut lines = Lines::new(input);
        lines.each(|number, line| match line {
            Ok(text) => reader.line(number, text),
            Err(error) => reader.unread(number, "line", "", error),
        })?;
        reader.dump.lines = lines.number();
        reader.close();
        if reader.is_inside {
            let error = Error::new(Code::Syntax("unexpected-end"), "the file ends inside a computation");
            let name = Arc::clone(&reader.computation);
            reader.unread(lines.number(), "line", &name, error);
        }
        Ok(reader.dump)
    }
}

/// What is known between two lines.
#[derive(Default)]
struct Reader {
    dump: Dump,
    marked: Option<u64>,
    /// Shapes by their text; nothing for one that is not read.
    shapes: HashMap<Box<str>, Option<usize>>,
    computation: Arc<str>,
    is_entry: bool,
    is_inside: bool,
    /// An instruction that goes on on the next line, and where it begins.
    open: Option<(u64, String)>,
    /// How many braces are open in the attributes of an instruction that goes on with them.
    behind: Option<i64>,
    /// The instructions of this computation, with their shapes and the numbers of parameters.
    names: HashMap<Box<str>, Known>,
    /// Groups by the texts and the kind.
    groups: HashMap<(Kind, usize, usize), Result<usize, Error>>,
    shardings: HashMap<Box<str>, usize>,
}

#[derive(Clone, Copy)]
struct Known {
    shape: Option<usize>,
    parameter: Option<i64>,
}

impl Reader {
    fn line(&mut self, number: u64, line: &str) {
        let kind = LineKind::of(line);
        if self.is_attribute(line, kind) {
            return;
        }
        if let (Some((start, mut text)), LineKind::Other) = (self.open.take_if(|_| kind == LineKind::Other), kind) {
            let line = line.get(..comment(line)).unwrap_or(line).trim();
            text.push(' ');
            text.push_str(line);
            match LineKind::of(&text) {
                LineKind::Instruction(instruction) => self.instruction(start, instruction),
                _ => self.open = Some((start, text)),
            }
            if self.open.as_ref().is_some_and(|(_, text)| text.len() > MAX_INSTRUCTION_BYTES) {
                self.close();
            }
            return;
        }
        self.close();
        match kind {
            LineKind::Module(name) => self.dump.module = name.to_owned(),
            LineKind::Begin { name, is_entry } => {
                self.dump.computations += 1;
                self.computation = name.into();
                (self.is_entry, self.is_inside) = (is_entry, true);
                self.names.clear();
            }
            LineKind::End => {
                (self.is_entry, self.is_inside) = (false, false);
                self.names.clear();
            }
            LineKind::Instruction(instruction) => self.instruction(number, instruction),
            LineKind::Broken if self.is_inside => self.open = Some((number, line.to_owned())),
            LineKind::Broken | LineKind::Other => {}
        }
    }

    /// Whether a line is more attributes of the instruction before it.
    fn is_attribute(&mut self, line: &str, kind: LineKind) -> bool {
        let Some(open) = self.behind.take() else { return false };
        if open == 0 && !matches!(kind, LineKind::Other) {
            return false;
        }
        let open = open + braces(line);
        let goes_on = open > 0 || line.trim_end().ends_with(',');
        self.behind = goes_on.then_some(open.max(0));
        true
    }

    /// Gives up an instruction that does not go on.
    fn close(&mut self) {
        if let Some((number, text)) = self.open.take() {
            let message = "an instruction is `%name = shape opcode(operands), attributes`";
            self.unread(number, "line", text.trim(), Error::new(Code::Syntax("unexpected-token"), message));
        }
    }

    fn unread(&mut self, line: u64, what: &'static str, text: &str, error: Error) {
        let Dump { unread, unread_count, .. } = &mut self.dump;
        Unread::note(unread, unread_count, line, what, text, error);
    }

    fn instruction(&mut self, line: u64, instruction: Instruction) {
        self.dump.instructions += 1;
        self.behind = instruction.goes_on().then(|| braces(instruction.attributes));
        // A shape that is left out is what the operands imply, which is not computed here.
        let shape = match instruction.shape {
            "" => None,
            text => self.shape(line, instruction.name, text),
        };
        if let Some(known) = shape.and_then(|at| self.dump.shapes.get_mut(at)) {
            known.uses += 1;
            known.is_marked |= self.marked == Some(line);
        }
        let kind = match instruction.opcode {
            "copy" | "copy-start" => Some(Kind::Copy),
            "bitcast" => Some(Kind::Bitcast),
            "reshape" => Some(Kind::Reshape),
            "transpose" => instruction.numbers("dimensions").map(Kind::Transpose),
            _ => None,
        };
        if let (Some(kind), Some(shape)) = (kind, shape) {
            self.moved(line, kind, instruction, shape);
        }
        let parameter = (instruction.opcode == "parameter").then(|| instruction.operands.parse().ok()).flatten();
        self.names.insert(Instruction::bare(instruction.name).into(), Known { shape, parameter });
        if instruction.attributes.contains("sharding=")
            && let Some(text) = instruction.attribute("sharding")
        {
            self.sharding(line, instruction.name, text);
        }
    }

    /// The number of a shape, by its text.
    fn shape(&mut self, line: u64, name: &str, text: &str) -> Option<usize> {
        if let Some(known) = self.shapes.get(text) {
            return *known;
        }
        let read = text.parse::<Shape>();
        let index = match read {
            Ok(shape) => {
                self.dump.shapes.push(ShapeUse { shape, line, name: name.to_owned(), uses: 0, is_marked: false });
                Some(self.dump.shapes.len() - 1)
            }
            Err(error) => {
                self.unread(line, "shape", text, error);
                None
            }
        };
        self.shapes.insert(text.into(), index);
        index
    }

    /// A copy, bitcast, reshape or transpose.
    fn moved(&mut self, line: u64, kind: Kind, instruction: Instruction, shape: usize) {
        let (operand, said) = instruction.operand();
        let known = self.names.get(Instruction::bare(operand)).copied();
        let from = match (known.and_then(|known| known.shape), said) {
            (Some(known), _) => Some(known),
            (None, Some(text)) => self.shape(line, operand, text),
            (None, None) => None,
        };
        let Some(from) = from else {
            return self.unread(
                line,
                "operand",
                instruction.name,
                error!(
                    Code::UnknownName,
                    "{operand} is no instruction before this one with a shape that is read",
                    [operand]
                ),
            );
        };
        if instruction.opcode == "copy" {
            for (from, to) in self.parts(line, instruction.name, from, shape) {
                self.between(line, kind.clone(), instruction, known, operand, from, to);
            }
            return;
        }
        self.between(line, kind, instruction, known, operand, from, shape);
    }

    /// The arrays of two shapes, side by side: those of tuples that are nested alike, else the shapes themselves.
    fn parts(&mut self, line: u64, name: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
        let shape = |at: usize| self.dump.shapes.get(at).map(|known| known.shape.clone());
        let (Some(Shape::Tuple(source)), Some(Shape::Tuple(target))) = (shape(from), shape(to)) else {
            return vec![(from, to)];
        };
        if source.len() != target.len() {
            return vec![(from, to)];
        }
        let mut parts = Vec::new();
        for (source, target) in source.into_iter().zip(target) {
            if matches!(source, Shape::Token | Shape::Opaque) {
                continue;
            }
            let (source, target) = (source.to_string(), target.to_string());
            if let (Some(source), Some(target)) = (self.shape(line, name, &source), self.shape(line, name, &target)) {
                parts.extend(self.parts(line, name, source, target));
            }
        }
        parts
    }

    /// An instruction between two arrays.
    #[allow(clippy::too_many_arguments, reason = "what an instruction says, beside two of its arrays")]
    fn between(
        &mut self,
        line: u64,
        kind: Kind,
        instruction: Instruction,
        known: Option<Known>,
        operand: &str,
        from: usize,
        shape: usize,
    ) {
        let key = (kind, from, shape);
        let group = match self.groups.get(&key) {
            Some(group) => group.clone(),
            None => {
                let group = self.group(key.0.clone(), instruction.opcode, from, shape);
                if let Err(error) = &group {
                    self.unread(line, "shape", instruction.name, error.clone());
                }
                self.groups.insert(key, group.clone());
                group
            }
        };
        let Some(moves) = group.ok().and_then(|at| self.dump.moves.get_mut(at)) else { return };
        moves.count += 1;
        moves.is_marked |= self.marked == Some(line);
        if moves.places.len() < MAX_PLACES {
            let computation = Arc::clone(&self.computation);
            moves.places.push(Place { line, name: instruction.name.to_owned(), computation });
        }
        if let Some(Known { parameter: Some(number), .. }) = known
            && self.is_entry
            && moves.kind == Kind::Copy
            && !moves.effect.memory_move
            && (moves.effect.first.is_some() || moves.effect.reason.is_some())
        {
            let (to, bytes) = (Arc::clone(&moves.to), moves.effect.bytes);
            let name = operand.to_owned();
            self.dump.parameters.push(Parameter { line, name, number: Some(number), shape: from, to, bytes });
        }
    }

    /// What such instructions do: a new group.
    fn group(&mut self, kind: Kind, opcode: &str, from: usize, to: usize) -> Result<usize, Error> {
        let array = |at: usize| self.dump.shapes.get(at).and_then(|known| first_array(&known.shape, opcode));
        let (Some(source), Some(target)) = (array(from), array(to)) else {
            return Err(error!(Code::Kind, "{opcode} of what is no array", [opcode]));
        };
        let effect = Effect::of(&kind, source, target)?;
        let to = Arc::new(target.clone());
        self.dump.moves.push(Moves {
            kind,
            opcode: opcode.to_owned(),
            from,
            to,
            effect: Arc::new(effect),
            count: 0,
            places: Vec::new(),
            is_marked: false,
        });
        Ok(self.dump.moves.len() - 1)
    }

    fn sharding(&mut self, line: u64, name: &str, text: &str) {
        let Some((text, _)) = balanced(text, Brackets::NotAngle) else { return };
        let next = self.dump.shardings.len();
        let index = match self.shardings.get(text) {
            Some(index) => *index,
            None => {
                self.shardings.insert(text.into(), next);
                self.dump.shardings.push(Sharding { text: text.to_owned(), line, name: name.to_owned(), count: 0 });
                next
            }
        };
        if let Some(sharding) = self.dump.shardings.get_mut(index) {
            sharding.count += 1;
        }
    }
}

/// How many more braces a text opens than it closes.
fn braces(text: &str) -> i64 {
    text.bytes().fold(0, |open, byte| match byte {
        b'{' => open + 1,
        b'}' => open - 1,
        _ => open,
    })
}

/// The array of a shape. That of `copy-start` is a tuple, of which the first part is the copy.
fn first_array<'s>(shape: &'s Shape, opcode: &str) -> Option<&'s Array> {
    match shape {
        Shape::Array(array) | Shape::Buffer(array) => Some(array),
        Shape::Tuple(parts) if opcode == "copy-start" => parts.first().and_then(|part| first_array(part, "")),
        _ => None,
    }
}
