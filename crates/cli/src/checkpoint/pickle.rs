//! [`Pickle`]: what a pickle says, read and never run.
//!
//! A pickle is a program for a machine with a stack. Here it makes plain data only: a class is a name, and an object is the name with
//! its arguments and its state. Law: only the opcodes and the classes that checkpoints have are read; everything else is refused
//! with its offset, and nothing is imported or called. Data refers to data by number, so that cycles and sharing cost nothing.

use std::collections::HashMap;

use bitstride::{Code, Error, error};

/// A value, by its number.
pub(super) type Id = usize;

/// A value of a pickle.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// What has no use here: `None`, numbers with fractions, bytes.
    Other,
    Bool(bool),
    Int(i64),
    Text(String),
    Tuple(Vec<Id>),
    List(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// A class or a function, as `module.name`.
    Class(String),
    /// What a class makes of its arguments, and the state that is given to it.
    Object {
        class: Id,
        arguments: Id,
        state: Option<Id>,
    },
    /// Data beside the pickle, by what names it.
    Stored(Id),
}

/// A pickle.
#[derive(Debug)]
pub(super) struct Pickle {
    nodes: Vec<Node>,
    root: Id,
}

impl Pickle {
    /// Reads a pickle in which only some classes may be named.
    pub(super) fn read(bytes: &[u8], is_allowed: &dyn Fn(&str) -> bool) -> Result<Self, Error> {
        let mut machine = Machine {
            bytes,
            at: 0,
            opcode: (0, 0),
            nodes: Vec::new(),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: HashMap::new(),
        };
        while !machine.step(is_allowed)? {}
        let root = machine.pop()?;
        Ok(Pickle { nodes: machine.nodes, root })
    }

    pub(super) fn root(&self) -> &Node {
        self.node(self.root)
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        self.nodes.get(id).unwrap_or(&Node::Other)
    }

    /// The class of an object.
    pub(super) fn class<'p>(&'p self, node: &Node) -> &'p str {
        let class = match node {
            Node::Object { class, .. } => self.node(*class),
            _ => return "",
        };
        if let Node::Class(name) = class { name } else { "" }
    }

    /// The value of a key of a dict, or of a field of an object whose state is a dict; the last one counts.
    pub(super) fn field<'p>(&'p self, node: &'p Node, name: &str) -> Option<&'p Node> {
        let dict = match node {
            Node::Object { state: Some(state), .. } => self.node(*state),
            other => other,
        };
        let Node::Dict(pairs) = dict else { return None };
        let found = pairs.iter().rev().find(|(key, _)| matches!(self.node(*key), Node::Text(text) if text == name));
        found.map(|(_, value)| self.node(*value))
    }

    /// The entries of a tuple or a list; of a `torch.Size`, those of what it is made of.
    pub(super) fn entries<'p>(&'p self, node: &'p Node) -> Option<&'p [Id]> {
        match node {
            Node::Tuple(entries) | Node::List(entries) => Some(entries),
            Node::Object { arguments, .. } if self.class(node) == "torch.Size" => match self.node(*arguments) {
                Node::Tuple(arguments) => match arguments.as_slice() {
                    [only] => match self.node(*only) {
                        Node::Tuple(entries) | Node::List(entries) => Some(entries),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// A list of integers.
    pub(super) fn integers(&self, node: &Node) -> Option<Vec<i64>> {
        let integer = |id: &Id| if let Node::Int(number) = self.node(*id) { Some(*number) } else { None };
        self.entries(node)?.iter().map(integer).collect()
    }

    pub(super) fn text(&self, node: &Node) -> Option<String> {
        if let Node::Text(text) = node { Some(text.clone()) } else { None }
    }
}

/// The machine of a pickle.
struct Machine<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The opcode that is read, and its offset.
    opcode: (u8, usize),
    nodes: Vec<Node>,
    stack: Vec<Id>,
    /// How high the stack was at each mark.
    marks: Vec<usize>,
    memo: HashMap<u64, Id>,
}

impl Machine<'_> {
    fn refused(&self, words: &str) -> Error {
        let (opcode, offset) = self.opcode;
        error!(
            Code::Syntax("pickle"),
            "opcode {opcode:#04x} at byte {offset} of the pickle: {words}",
            [opcode, offset, words]
        )
    }

    fn take(&mut self, count: usize) -> Result<&[u8], Error> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(self.refused("the pickle ends before its operand")) };
        let taken = self.bytes.get(self.at..end).unwrap_or_default();
        self.at = end;
        Ok(taken)
    }

    /// An unsigned number of up to 8 bytes, the low one first.
    fn number(&mut self, bytes: usize) -> Result<u64, Error> {
        let taken = self.take(bytes)?;
        Ok(taken.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A text with its length before it.
    fn counted(&mut self, bytes: usize) -> Result<String, Error> {
        let length = self.number(bytes)?;
        let length = usize::try_from(length).map_err(|_| self.refused("the text is longer than the pickle"))?;
        let text = self.take(length)?.to_vec();
        String::from_utf8(text).map_err(|_| self.refused("the text is no UTF-8"))
    }

    fn line(&mut self) -> Result<String, Error> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            return Err(self.refused("a line has no end"));
        };
        let line = self.take(end)?.to_vec();
        self.at += 1;
        String::from_utf8(line).map_err(|_| self.refused("the line is no UTF-8"))
    }

    fn push(&mut self, node: Node) {
        self.stack.push(self.nodes.len());
        self.nodes.push(node);
    }

    fn pop(&mut self) -> Result<Id, Error> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.len() > floor {
            true => self.stack.pop().ok_or_else(|| self.refused("the stack is empty")),
            false => Err(self.refused("the stack is empty")),
        }
    }

    /// What was pushed since the last mark.
    fn marked(&mut self) -> Result<Vec<Id>, Error> {
        let Some(mark) = self.marks.pop() else { return Err(self.refused("there is no mark")) };
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn tuple(&mut self, count: usize) -> Result<(), Error> {
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(self.pop()?);
        }
        entries.reverse();
        self.push(Node::Tuple(entries));
        Ok(())
    }

    fn extend(&mut self, added: Vec<Id>) -> Result<(), Error> {
        let list = self.pop()?;
        self.stack.push(list);
        match self.nodes.get_mut(list) {
            Some(Node::List(entries)) => entries.extend(added),
            _ => return Err(self.refused("entries are appended to what is no list")),
        }
        Ok(())
    }

    fn set(&mut self, added: &[Id]) -> Result<(), Error> {
        let dict = self.pop()?;
        self.stack.push(dict);
        let pairs = added.chunks(2).map(|pair| if let [key, value] = pair { Some((*key, *value)) } else { None });
        let Some(pairs) = pairs.collect::<Option<Vec<_>>>() else { return Err(self.refused("a key has no value")) };
        match self.nodes.get_mut(dict) {
            Some(Node::Dict(all)) => all.extend(pairs),
            // An ordered dict with entries, which hold nothing that is needed.
            Some(Node::Object { .. }) => {}
            _ => return Err(self.refused("a key is set in what is no dict")),
        }
        Ok(())
    }

    fn class(&mut self, name: String, is_allowed: &dyn Fn(&str) -> bool) -> Result<(), Error> {
        if !is_allowed(&name) {
            let words = format!("it names {name}, which no checkpoint of tensors needs; nothing was run");
            return Err(self.refused(&words));
        }
        self.push(Node::Class(name));
        Ok(())
    }

    fn make(&mut self) -> Result<(), Error> {
        let (arguments, class) = (self.pop()?, self.pop()?);
        if !matches!(self.nodes.get(class), Some(Node::Class(_))) {
            return Err(self.refused("an object is made by what is no class"));
        }
        self.push(Node::Object { class, arguments, state: None });
        Ok(())
    }

    fn remember(&mut self, number: u64) -> Result<(), Error> {
        let top = self.pop()?;
        self.stack.push(top);
        self.memo.insert(number, top);
        Ok(())
    }

    fn recall(&mut self, number: u64) -> Result<(), Error> {
        let Some(id) = self.memo.get(&number).copied() else {
            return Err(self.refused("nothing is remembered by this number"));
        };
        self.stack.push(id);
        Ok(())
    }

    /// One opcode; whether it was the last.
    fn step(&mut self, is_allowed: &dyn Fn(&str) -> bool) -> Result<bool, Error> {
        let start = self.at;
        let opcode = match self.bytes.get(start) {
            Some(opcode) => *opcode,
            None => return Err(self.refused("the pickle ends without STOP")),
        };
        (self.opcode, self.at) = ((opcode, start), start + 1);
        match opcode {
            b'.' => return Ok(true),
            // The version, and the length of a frame, which is not needed.
            0x80 => drop(self.number(1)?),
            0x95 => drop(self.number(8)?),
            b'(' => self.marks.push(self.stack.len()),
            b'N' => self.push(Node::Other),
            0x88 => self.push(Node::Bool(true)),
            0x89 => self.push(Node::Bool(false)),
            b'K' => {
                let n = self.number(1)?;
                self.push(Node::Int(signed(n, 8)))
            }
            b'M' => {
                let n = self.number(2)?;
                self.push(Node::Int(signed(n, 8)))
            }
            b'J' => {
                let n = self.number(4)?;
                self.push(Node::Int(signed(n, 4)))
            }
            0x8a => {
                let length = usize::try_from(self.number(1)?).unwrap_or(usize::MAX);
                if length > 8 {
                    return Err(self.refused("an integer of more than 64 bits"));
                }
                let number = self.number(length)?;
                self.push(Node::Int(if length == 0 { 0 } else { signed(number, length) }));
            }
            b'G' => {
                self.number(8)?;
                self.push(Node::Other)
            }
            b'C' => {
                let n = self.number(1)?;
                self.skip(n)?;
                self.push(Node::Other)
            }
            b'B' => {
                let n = self.number(4)?;
                self.skip(n)?;
                self.push(Node::Other)
            }
            0x8c => {
                let text = self.counted(1)?;
                self.push(Node::Text(text))
            }
            b'X' => {
                let text = self.counted(4)?;
                self.push(Node::Text(text))
            }
            b')' => self.push(Node::Tuple(Vec::new())),
            b']' => self.push(Node::List(Vec::new())),
            b'}' => self.push(Node::Dict(Vec::new())),
            0x85 => self.tuple(1)?,
            0x86 => self.tuple(2)?,
            0x87 => self.tuple(3)?,
            b't' => {
                let entries = self.marked()?;
                self.push(Node::Tuple(entries))
            }
            b'a' => {
                let entry = self.pop()?;
                self.extend(vec![entry])?
            }
            b'e' => {
                let entries = self.marked()?;
                self.extend(entries)?
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.set(&[key, value])?
            }
            b'u' => {
                let entries = self.marked()?;
                self.set(&entries)?
            }
            0x94 => {
                let number = u64::try_from(self.memo.len()).unwrap_or(u64::MAX);
                self.remember(number)?
            }
            b'q' => {
                let number = self.number(1)?;
                self.remember(number)?
            }
            b'r' => {
                let number = self.number(4)?;
                self.remember(number)?
            }
            b'h' => {
                let number = self.number(1)?;
                self.recall(number)?
            }
            b'j' => {
                let number = self.number(4)?;
                self.recall(number)?
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.class(format!("{module}.{name}"), is_allowed)?
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let name = match (self.nodes.get(module), self.nodes.get(name)) {
                    (Some(Node::Text(module)), Some(Node::Text(name))) => format!("{module}.{name}"),
                    _ => return Err(self.refused("a class has no name")),
                };
                self.class(name, is_allowed)?;
            }
            // A call, and the making of an object: both are kept as what they say.
            b'R' | 0x81 => self.make()?,
            b'b' => {
                let (given, object) = (self.pop()?, self.pop()?);
                match self.nodes.get_mut(object) {
                    Some(Node::Object { state, .. }) => *state = Some(given),
                    _ => return Err(self.refused("a state is given to what is no object")),
                }
                self.stack.push(object);
            }
            b'Q' => {
                let name = self.pop()?;
                self.push(Node::Stored(name))
            }
            _ => return Err(self.refused("no checkpoint of tensors has it; nothing was run")),
        }
        Ok(false)
    }

    fn skip(&mut self, count: u64) -> Result<(), Error> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.take(count).map(drop)
    }
}

/// A number in two's complement of a given number of bytes.
fn signed(number: u64, bytes: usize) -> i64 {
    let shift = 64 - 8 * bytes.clamp(1, 8);
    i64::from_le_bytes((number << shift).to_le_bytes()) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Pickle, String> {
        Pickle::read(bytes, &|name| name == "torch.Size").map_err(|error| error.message().to_owned())
    }

    #[test]
    fn plain_data_is_read() {
        // {"a": torch.Size((1, -2, 300)), "a": [..]}, where the list holds itself.
        let bytes = b"\x80\x04}(\x8c\x01actorch\nSize\n(K\x01J\xfe\xff\xff\xffM\x2c\x01t\x85R\x8c\x01b]\x94h\x00au.";
        let pickle = read(bytes).expect("data");
        let size = pickle.field(pickle.root(), "a").expect("a size");
        assert_eq!((pickle.integers(size), pickle.class(size)), (Some(vec![1, -2, 300]), "torch.Size"));
        let list = pickle.entries(pickle.field(pickle.root(), "b").expect("a list")).expect("entries");
        assert_eq!(pickle.entries(pickle.node(list[0])), Some(list));
    }

    #[test]
    fn nothing_is_run() {
        for (bytes, words) in [
            (&b"cos\nsystem\n(\x8c\x02lst R."[..], "os.system"),
            (b"\x8c\x02os\x8c\x06system\x93.", "os.system"),
            (b"(\x8c\x02lsios\nsystem\n.", "opcode 0x69 at byte 5"),
            (b"\x82\x01.", "opcode 0x82 at byte 0"),
            (b"K\x01K\x02R.", "no class"),
            (b"ctorch\nSize\n)R", "without STOP"),
            (b"h\x07.", "nothing is remembered"),
            (b"\x8c\xffabc", "ends before"),
            (b"X\xff\xff\xff\xffabc", "ends before"),
            (b"\x8a\x09123456789.", "64 bits"),
            (b"t.", "no mark"),
            (b"(.", "the stack is empty"),
            (b".", "the stack is empty"),
            (b"K\x01(K\x02K\x03u.", "no dict"),
            (b"}(K\x02u.", "no value"),
            (b"", "without STOP"),
        ] {
            let refused = read(bytes).expect_err("refused");
            assert!(refused.contains(words), "{refused}");
        }
    }
}
