//! The program `triton-tensor-layout`: what Triton's tool of that name prints, from the same command line.
//!
//! For a layout attribute and a tensor type it prints a header line with the attribute and below it the tensor view,
//! or with `-use-hw-view` the hardware view. `-i FILE` prints the layouts that are named in an MLIR file instead, all
//! or those of `-alias-names`. Aliases of memory spaces, locations and other attributes are no layouts, and are passed over;
//! of a layout that does not fit the tensor the standard error says why, and the others are printed. Options start with one
//! dash or two; a value follows as the next word or after `=`. The exit code is 0, or 1 where something that is named,
//! or everything, is missing. Output and options are Triton's; the words of an error are ours.

use std::ffi::OsString;
use std::fs;
use std::io::Write;

use bitstride::notation::{self, ExprKind};
use bitstride::triton::{Encoding, hardware_view, tensor_view};
use bitstride::{Code, Error, error};

use crate::render;
use crate::session::text_of;

const HELP: &str = "\
Print the layout of a tensor

Usage: triton-tensor-layout -t TYPE -l ATTR [-use-hw-view] [-o FILE]
       triton-tensor-layout -t TYPE -i FILE [-alias-names NAME,...] [-use-hw-view] [-o FILE]

  -t TYPE            shape and type of the elements, as in tensor<16x16xf16>
  -l ATTR            layout attribute, as in
                     #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
  -i FILE            MLIR file with lines such as #blocked = #ttg.blocked<{...}>, `-` for the standard input
  -alias-names NAME,...
                     which of the file's layouts to print, without the #; all of them if none is named
  -use-hw-view       for each register of each lane the element that it holds, not for each element who holds it
  -o FILE            write there, not to the standard output
";

/// Runs the program on the given streams and returns its exit code; the first argument is the program's name.
///
/// ```
/// let attribute = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [2], warpsPerCTA = [1], order = [0]}>";
/// let args = ["triton-tensor-layout", "-t", "tensor<4xf32>", "-l", attribute].map(Into::into);
/// let mut out = Vec::new();
/// let code = bitstride_cli::tensor_layout(args, &mut std::io::empty(), &mut out, &mut std::io::sink());
/// let wanted = format!("Print layout attribute: {attribute}\n[T0:0, T0:1, T1:0, T1:1]\n");
/// assert_eq!((code, String::from_utf8_lossy(&out)), (0, wanted.into()));
/// ```
pub fn tensor_layout(
    args: impl IntoIterator<Item = OsString>,
    input: &mut dyn std::io::Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let written = Options::read(args).and_then(|options| {
        let text = options.text(input, err)?;
        let written = match &options.output {
            Some(file) => fs::write(file, text),
            None => out.write_all(text.as_bytes()).and_then(|()| out.flush()),
        };
        match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Trouble::file("write", &error)),
            _ => Ok(()),
        }
    });
    let Err(trouble) = written else {
        return 0;
    };
    trouble.report(err);
    1
}

/// Runs the program on the standard streams of the process.
pub fn tensor_layout_standard(args: impl IntoIterator<Item = OsString>) -> u8 {
    tensor_layout(args, &mut std::io::stdin(), &mut std::io::stdout().lock(), &mut std::io::stderr())
}

/// What is wrong, and the text in which it is.
struct Trouble {
    text: String,
    error: Error,
}

impl Trouble {
    fn usage(message: impl Into<String>) -> Self {
        let error =
            Error::new(Code::Syntax("usage"), message).with_help("`triton-tensor-layout -help` lists the options");
        Trouble { text: String::new(), error }
    }

    fn file(verb: &str, error: &std::io::Error) -> Self {
        Trouble {
            text: String::new(),
            error: error!(Code::Syntax("file"), "cannot {verb} the file: {error}", [verb, error]),
        }
    }

    /// Writes the error. When that cannot be written, the exit code is all that is left.
    fn report(&self, err: &mut dyn Write) {
        let _ = writeln!(err, "{}", render::error(&self.text, &self.error, false));
    }

    /// The same of a named layout.
    fn about(self, name: &str) -> Self {
        let mut error = error!(self.error.code(), "#{name}: {message}", [name, message = self.error.message()]);
        if let Some(span) = self.error.span() {
            error = error.with_span(span);
        }
        if let Some(help) = self.error.help() {
            error = error.with_help(help);
        }
        Trouble { error, ..self }
    }

    fn within(text: &str) -> impl FnOnce(Error) -> Self {
        move |error| Trouble { text: text.to_owned(), error }
    }
}

/// The command line.
#[derive(Default)]
struct Options {
    tensor: Option<String>,
    layout: Option<String>,
    input: Option<String>,
    output: Option<String>,
    names: Vec<String>,
    hardware: bool,
    help: bool,
}

impl Options {
    fn read(args: impl IntoIterator<Item = OsString>) -> Result<Self, Trouble> {
        let mut options = Options::default();
        let mut args = args.into_iter().skip(1);
        while let Some(argument) = args.next() {
            let argument = text_of(&argument).map_err(Trouble::within(""))?;
            let option = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')).unwrap_or_default();
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            match (name, value.as_deref()) {
                ("help" | "h", None) => options.help = true,
                ("use-hw-view", None | Some("true" | "1")) => options.hardware = true,
                ("use-hw-view", Some("false" | "0")) => options.hardware = false,
                ("t" | "l" | "i" | "o" | "alias-names", _) => {
                    let value = match value {
                        Some(value) => value,
                        None => match args.next() {
                            Some(value) => text_of(&value).map_err(Trouble::within(""))?.to_owned(),
                            None => return Err(Trouble::usage(format!("-{name} needs a value"))),
                        },
                    };
                    match name {
                        "t" => options.tensor = Some(value),
                        "l" => options.layout = Some(value),
                        "i" => options.input = Some(value),
                        "o" => options.output = Some(value),
                        _ => options.names.extend(value.split(',').map(str::to_owned)),
                    }
                }
                _ => return Err(Trouble::usage(format!("there is no option {argument}"))),
            }
        }
        Ok(options)
    }

    /// Everything that is to be printed.
    fn text(&self, input: &mut dyn std::io::Read, err: &mut dyn Write) -> Result<String, Trouble> {
        if self.help {
            return Ok(HELP.to_owned());
        }
        let Some(tensor) = &self.tensor else {
            return Err(Trouble::usage("-t TYPE is missing"));
        };
        let shape = shape(tensor).map_err(Trouble::within(tensor))?;
        let mut text = String::new();
        if let Some(file) = &self.input {
            let mut source = String::new();
            let read = match file.as_str() {
                "-" => input.read_to_string(&mut source).map(|_| source),
                file => fs::read_to_string(file),
            };
            let aliases = Aliases::of(&read.map_err(|error| Trouble::file("read", &error))?);
            text += &self.aliases(&aliases, &shape, err)?;
        }
        if let Some(layout) = &self.layout {
            text += &self.layout(None, layout, &shape)?;
        }
        Ok(text)
    }

    fn aliases(&self, aliases: &Aliases, shape: &[i64], err: &mut dyn Write) -> Result<String, Trouble> {
        let (mut text, mut troubles) = (String::new(), Vec::new());
        for (name, attribute) in aliases.0.iter().filter(|(_, attribute)| self.names.is_empty() && is_layout(attribute))
        {
            match self.layout(Some(name), attribute, shape) {
                Ok(layout) => text += &layout,
                Err(trouble) => troubles.push(trouble.about(name)),
            }
        }
        // Where nothing is left to print, the last one is why.
        let last = if text.is_empty() { troubles.pop() } else { None };
        troubles.iter().for_each(|trouble| trouble.report(err));
        if let Some(last) = last {
            return Err(last);
        }
        for name in &self.names {
            let Some(attribute) = aliases.get(name).filter(|attribute| is_layout(attribute)) else {
                return Err(Trouble::usage(format!("the file names no layout #{name}")));
            };
            text += &(self.layout(Some(name), attribute, shape).map_err(|trouble| trouble.about(name))? + "\n");
        }
        Ok(text)
    }

    /// The header and the view of one layout.
    fn layout(&self, name: Option<&str>, attribute: &str, shape: &[i64]) -> Result<String, Trouble> {
        let view = || -> Result<String, Error> {
            let encoding: Encoding = attribute.parse()?;
            let layout = encoding.to_linear(shape)?;
            let view = if self.hardware { hardware_view(&layout) } else { tensor_view(&layout) }?;
            let name = name.map_or_else(String::new, |name| format!("#{name} = "));
            Ok(format!("Print layout attribute: {name}{encoding}\n{view}"))
        };
        view().map_err(Trouble::within(attribute))
    }
}

/// Whether the attribute of an alias is meant as a layout, and no location, memory space or attribute of another dialect.
fn is_layout(attribute: &str) -> bool {
    const DIALECTS: [&str; 4] = ["#ttg.", "#ttng.", "#gluon.", "#triton_gpu."];
    const SPACES: [&str; 2] = ["#ttg.shared_memory", "#ttng.tensor_memory"];
    DIALECTS.iter().any(|dialect| attribute.starts_with(dialect)) && !SPACES.contains(&attribute)
}

/// The shape of a tensor type.
fn shape(text: &str) -> Result<Vec<i64>, Error> {
    let tree = notation::parse(text, notation::Ints::Plain)?;
    match tree.kind {
        ExprKind::Shaped(shaped) => Ok(shaped.shape),
        _ => {
            let message = "a tensor type such as tensor<16x16xf16> is wanted";
            Err(Error::new(Code::Kind, message).with_span(tree.span))
        }
    }
}

/// The attributes that an MLIR file names, with the names in them replaced by what they stand for.
struct Aliases(Vec<(String, String)>);

impl Aliases {
    fn of(source: &str) -> Self {
        let mut aliases = Aliases(Vec::new());
        for line in source.lines() {
            if let Some((name, attribute)) = line.strip_prefix('#').and_then(|line| line.split_once(" = ")) {
                let attribute = aliases.resolved(attribute.trim());
                aliases.0.push((name.to_owned(), attribute));
            }
        }
        aliases
    }

    /// What a name stands for: in a file of several modules the latest.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, attribute)| attribute.as_str())
    }

    /// The attribute without names of others: `#blocked`, but not `#ttg.blocked`.
    fn resolved(&self, attribute: &str) -> String {
        let mut parts = attribute.split('#');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$-".contains(c))).unwrap_or(part.len());
            match part.split_at_checked(end) {
                Some((name, rest)) if self.get(name).is_some() => {
                    text += self.get(name).unwrap_or_default();
                    text += rest;
                }
                _ => {
                    text.push('#');
                    text += part;
                }
            }
        }
        text
    }
}
