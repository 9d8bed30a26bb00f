//! Methods of tensors as PyTorch and NumPy call them: `x[2,3,4].permute(2,0,1).reshape(4,6)`.
//!
//! A method stays one in the tree, [`ExprKind::Method`], since what it does depends on the strides of what it is called on. Its
//! arguments are put in the order of its parameters, a tuple or list of sizes beside each other. `torch.permute(x, (1,0))` is
//! the method of its first argument. The index behind `x.chunk(2, dim=1)[0]`, which gives several tensors, is an argument of
//! the method.

use super::Dialect;
use super::arguments::placed;
use super::arguments::{Argument, Given, is_column_major};
use super::build::{call, call_method};
use super::copies::{COPIES, LIKE, SAME};
use super::parts::is_part;
use super::questions::number_asked;
use crate::names::did_you_mean;
use crate::notation::MAX_DEPTH;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::pending::Pending;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// A method: what it is called, its parameters, and whose it is.
struct Method {
    name: &'static str,
    parameters: &'static [&'static str],
    dialect: Option<Dialect>,
    /// What the language calls it, which both systems may name differently.
    canonical: &'static str,
}

const fn method(name: &'static str, parameters: &'static [&'static str], dialect: Option<Dialect>) -> Method {
    Method { name, parameters, dialect, canonical: name }
}

const fn alias(
    name: &'static str,
    parameters: &'static [&'static str],
    dialect: Option<Dialect>,
    canonical: &'static str,
) -> Method {
    Method { name, parameters, dialect, canonical }
}

const TORCH: Option<Dialect> = Some(Dialect::Torch);
const NUMPY: Option<Dialect> = Some(Dialect::NumPy);

/// What the libraries, or the canonical text, have as methods only.
const NO_FUNCTIONS: [&str; 13] = [
    "mH",
    "view",
    "expand",
    "unfold",
    "contiguous",
    "like",
    "ordered",
    "reverse",
    "T",
    "mT",
    "slice",
    "ellipsis",
    "drop_dims",
];

/// What strides say of arrays of JAX.
const NO_VIEWS: &str = "JAX has no views: a call by itself makes a row-major array, and in `jit` XLA chooses; the strides say where the elements lay in the first array";

/// `*` takes all arguments that follow.
const METHODS: &[Method] = &[
    method("view", &["*size"], TORCH),
    method("permute", &["*dims"], TORCH),
    method("contiguous", &[], TORCH),
    method("t", &[], TORCH),
    method("mT", &[], None),
    method("unsqueeze", &["dim"], TORCH),
    method("expand", &["*size"], TORCH),
    method("movedim", &["source", "destination"], TORCH),
    method("unflatten", &["dim", "sizes"], TORCH),
    method("narrow", &["dim", "start", "length"], TORCH),
    alias("narrow_copy", &["dim", "start", "length"], TORCH, "narrow"),
    alias("mH", &[], TORCH, "mT"),
    alias("adjoint", &[], TORCH, "mT"),
    alias("matrix_transpose", &[], NUMPY, "mT"),
    alias("permute_dims", &["*axes"], NUMPY, "permute"),
    method("unfold", &["dimension", "size", "step"], TORCH),
    method("chunk", &["chunks", "[dim]", "[index]"], TORCH),
    method("split", &["split_size", "[dim]", "[index]"], TORCH),
    alias("unsafe_chunk", &["chunks", "[dim]", "[index]"], TORCH, "chunk"),
    alias("unsafe_split", &["split_size", "[dim]", "[index]"], TORCH, "split"),
    alias("split_with_sizes", &["split_sizes", "[dim]", "[index]"], TORCH, "split"),
    method("unbind", &["[dim]", "[index]"], TORCH),
    method("diagonal", &["[offset]", "[dim1]", "[dim2]"], None),
    method("select", &["dim", "index"], None),
    method("slice", &["dim", "start", "stop", "[step]"], None),
    method("ellipsis", &["before", "behind"], None),
    method("drop_dims", &["*dims"], None),
    method("as_strided", &["size", "stride", "[storage_offset]"], TORCH),
    alias("swapdims", &["dim0", "dim1"], TORCH, "swapaxes"),
    alias("moveaxis", &["source", "destination"], None, "movedim"),
    alias("expand_dims", &["axis"], NUMPY, "unsqueeze"),
    alias("broadcast_to", &["*shape"], None, "expand"),
    method("like", &[], TORCH),
    method("ordered", &["*dims"], TORCH),
    method("tile", &["*dims"], None),
    method("flip", &["*dims"], None),
    method("reverse", &["*dims"], NUMPY),
    method("tensor_split", &["indices_or_sections", "[dim]", "[index]"], None),
    method("equal_split", &["indices_or_sections", "[dim]", "[index]"], None),
    method("ravel", &[], None),
    method("copy", &[], NUMPY),
    method("reshape", &["*shape"], None),
    method("transpose", &["*axes"], None),
    method("swapaxes", &["axis1", "axis2"], None),
    method("squeeze", &["[dim]"], None),
    method("flatten", &["[start_dim]", "[end_dim]"], None),
    method("T", &[], None),
];

/// PyTorch's, whose name is also a verb of einops.
const REPEAT: Method = method("repeat", &["*size"], TORCH);

/// What of a layout the other languages ask by methods, and the operation that answers.
const QUESTIONS: &[(&str, &str)] = &[
    ("shape", "shape"),
    ("stride", "stride"),
    ("size", "size"),
    ("cosize", "cosize"),
    ("compose", "composition"),
    ("with_shape", "with_shape"),
];

/// The methods that others say.
pub(super) const DERIVED: [&str; 6] = ["expand_as", "view_as", "reshape_as", "fliplr", "flipud", "rot90"];

impl Cursor<'_> {
    /// `.name(arguments)` or `.name`, any number of them, behind what they are called on, which holds no operator but `:`; an
    /// `o` before that binds less.
    pub(in crate::notation) fn methods(&mut self, pending: &mut Pending) -> Result<()> {
        if !pending.summands.is_empty() || pending.factors.len() != 1 {
            let help = "the operator before it makes it unclear what the method is called on: give that a name";
            return Err(self.expected("an operator").with_help(help));
        }
        pending.end_summand();
        while let Some(receiver) = pending
            .summands
            .pop_if(|receiver| self.at(TokenKind::Dot) || self.at(TokenKind::OpenSquare) && has_entries(receiver))
        {
            if self.at(TokenKind::OpenSquare) {
                let part = if is_tensor(&receiver) { self.indexing(receiver)? } else { self.entry_of(receiver)? };
                pending.summands.push(part);
                continue;
            }
            self.advance();
            let is_chain = matches!(receiver.kind, ExprKind::Compose(_) | ExprKind::Sum(_) | ExprKind::Product(_));
            if is_chain && !is_asked(self.token.span.of(self.text())) {
                return Err(self
                    .expected("what such a function has: a shape, a size, or the layout under its swizzle")
                    .with_help("this has no methods: write the operation, `size(X)`"));
            }
            let call = self.method(receiver)?;
            pending.summands.push(call);
        }
        pending.factors.extend(pending.summands.pop());
        Ok(())
    }

    fn method(&mut self, receiver: Expr) -> Result<Expr> {
        let span = self.token.span;
        let name = span.of(self.text());
        if is_part(name) && !is_tensor(&receiver) {
            return self.part(receiver, name, span);
        }
        if COPIES.contains(&name) || SAME.contains(&name) {
            return self.held_elsewhere(receiver, name, span);
        }
        if let (Some(asked), true) = (number_asked(name), is_tensor(&receiver)) {
            return self.number_of_tensor(receiver, name, asked, span);
        }
        if DERIVED.contains(&name) {
            return self.derived_method(receiver, name, span);
        }
        let Some((method, question)) = known(name) else {
            let names = METHODS.iter().map(|method| method.name);
            let near = did_you_mean(name, names.chain(["rearrange", "repeat"]));
            // What stands before it is a module, or an object that has no value here.
            let is_named = matches!(&receiver.kind, ExprKind::Name(_) | ExprKind::Unknown { name: Some(_), .. });
            if name == "BlockSpec" {
                return Err(super::hlo::block_spec(receiver.span.join(span)));
            }
            if is_named && near.is_none() {
                let message = format!("`{receiver}.{name}` is no spelling of a layout that is read here");
                return Err(SyntaxError::new(code::UNKNOWN_NAME, receiver.span.join(span), message).with_help(
                    match name {
                        "dtype" | "element_type" => {
                            "name the type, as in `cutlass.Float16`, `torch.float16` or `np.float16`"
                        }
                        _ => "write what it stands for; the tables of docs/syntax.md have what each system writes",
                    },
                ));
            }
            let message = format!("`.{name}` is no method of tensors that is read here");
            return Err(SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(match near {
                Some(near) => format!("did you mean `.{near}`?"),
                None => "views are: view, reshape, permute, transpose, t, T, movedim, expand, squeeze, unsqueeze, flatten, unflatten, \
                         narrow, select, chunk, split, unbind, unfold, diagonal, as_strided, an index such as `[1:5, ::2]`, and \
                         patterns of einops"
                    .to_owned(),
            }));
        };
        self.require(TokenKind::Word, "the name of a method after `.`")?;
        if name == "view" && self.is_type_given() {
            let message =
                "`.view` of another type of elements counts the memory in other units, which is not read here";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                .with_help("of a layout of CuTe, `recast(L, 32, 16)` counts elements of 16 bits in place of 32"));
        }
        let start = receiver.span;
        let arguments = if self.at(TokenKind::OpenRound) { self.arguments(TokenKind::CloseRound)? } else { Vec::new() };
        let whole = self.since(start);
        self.check_depth(&receiver, whole)?;
        if let (Some(operation), true) = (question, is_tensor(&receiver)) {
            return self.asked_of_tensor(receiver, name, operation, span, arguments);
        }
        if let Some(operation) = question {
            self.spelled(if self.dialects.contains(&Dialect::CuteCpp) { Dialect::CuteCpp } else { Dialect::CuteDsl });
            let mut values = vec![receiver];
            for argument in arguments {
                if let Given::Value(value) = argument.given {
                    values.push(value);
                }
            }
            return Ok(call(operation, span, values, whole));
        }
        if let ("contiguous", [Argument { keyword: Some(keyword), given: Given::Value(format) }]) =
            (name, arguments.as_slice())
            && keyword.text == "memory_format"
        {
            self.spelled(Dialect::Torch);
            return self.in_memory_format(receiver, format, name, span, whole);
        }
        match method {
            Some(method) => {
                let library = self.library(&receiver);
                let is_of_numpy = library == NUMPY && self.is_made(&receiver);
                if name == "expand_dims" || is_of_numpy && matches!(name, "moveaxis" | "broadcast_to") {
                    let message = format!("`{name}` is a function of NumPy, and no method");
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                        .with_help(format!("write `np.{name}(…)`")));
                }
                self.applied_method(method, span, receiver, arguments, whole, library)
            }
            None if name == "repeat" && !is_pattern(&arguments) => {
                if self.library(&receiver) == NUMPY && self.is_made(&receiver) {
                    let message = "`.repeat` of NumPy repeats each element beside itself, which is not read here";
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                        .with_help("whole copies are `np.tile(x, (2, 1))`"));
                }
                self.applied_method(&REPEAT, span, receiver, arguments, whole, TORCH)
            }
            None => self.einops(name, span, Some(receiver), arguments, whole),
        }
    }

    /// Whether the arguments at hand begin with a type of elements.
    fn is_type_given(&self) -> bool {
        let inside = self.text_from(self.token.span).strip_prefix('(').map(str::trim_start).unwrap_or_default();
        let named = ["torch.", "np.", "numpy.", "jnp."].iter().find_map(|module| inside.strip_prefix(module));
        inside.starts_with("dtype") || named.is_some_and(|name| !name.starts_with("Size"))
    }

    /// Refuses a call on what nests as deep as calls may.
    pub(in crate::notation) fn check_depth(&self, receiver: &Expr, whole: Span) -> Result<()> {
        if receiver.depth() + self.open.len() >= MAX_DEPTH {
            let message = format!("calls nest at most {MAX_DEPTH} deep, this one is one deeper");
            return Err(SyntaxError::new(code::TOO_DEEP, whole, message));
        }
        Ok(())
    }

    /// Whose a tensor is: of the library that makes it, else of the one whose methods its text has, else of the only one that the
    /// whole text names.
    pub(super) fn library(&self, tensor: &Expr) -> Option<Dialect> {
        let known = [&self.makers, &self.method_owners]
            .into_iter()
            .find_map(|of| of.iter().rev().find(|(start, _)| *start == tensor.span.start));
        known.map(|(_, library)| *library).or_else(|| {
            let first = self.modules.first()?;
            self.modules.iter().all(|module| module == first).then_some(*first)
        })
    }

    /// Whether the library is that of what makes the tensor, and no guess from its methods, some of which have the names of one
    /// library in the canonical text of both.
    pub(super) fn is_made(&self, tensor: &Expr) -> bool {
        !self.method_owners.iter().any(|(start, _)| *start == tensor.span.start)
    }

    /// A method with values for its arguments.
    pub(super) fn by_name(
        &mut self,
        name: &str,
        span: Span,
        receiver: Expr,
        values: Vec<Expr>,
        whole: Span,
        library: Option<Dialect>,
    ) -> Result<Expr> {
        let Some(method) = METHODS.iter().find(|method| method.name == name) else {
            return Err(self.expected("a method of tensors"));
        };
        let arguments = values.into_iter().map(|value| Argument { keyword: None, given: Given::Value(value) });
        self.applied_method(method, span, receiver, arguments.collect(), whole, library)
    }

    fn applied_method(
        &mut self,
        method: &Method,
        span: Span,
        receiver: Expr,
        arguments: Vec<Argument>,
        whole: Span,
        library: Option<Dialect>,
    ) -> Result<Expr> {
        let is_made = self.is_made(&receiver);
        if let (Some(library), Some(own)) = (library, method.dialect)
            && library != own
            && is_made
        {
            let message = match method.name {
                "view" => "`.view` of NumPy is of another type of elements, which is not read here".to_owned(),
                name => format!("tensors of {library} have no `.{name}`, which is {own}'s"),
            };
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
        }
        self.spelled(library.or(method.dialect).unwrap_or(Dialect::Torch));
        if ["jnp.", "jax.numpy."].iter().any(|module| self.text().contains(module)) {
            self.remark(NO_VIEWS);
        }
        let is_numpy = library == NUMPY;
        if library.is_none() {
            self.method_owners.extend(method.dialect.map(|own| (receiver.span.start, own)));
        }
        let mut is_fortran = false;
        let mut arguments = arguments;
        if library != TORCH && matches!(method.name, "reshape" | "ravel" | "flatten" | "copy") {
            let order = |argument: &Argument| argument.keyword.as_ref().is_some_and(|name| name.text == "order");
            if let Some(at) = arguments.iter().position(order) {
                is_fortran = column_order(&arguments.remove(at).given, method.name)?;
            }
        }
        let mut whole = whole;
        if method.parameters.last() == Some(&INDEX) {
            self.which_tensor(method, &mut arguments)?;
            whole = self.since(receiver.span);
        }
        let arguments = match method.parameters.first().is_some_and(|first| first.starts_with('*')) {
            true => spread(arguments, method, library)?,
            false => {
                // PyTorch counts the two from 0, NumPy from 1.
                let from_0 = arguments.iter().any(|argument| is_called(argument, &["axis0", "dim0"]));
                let parameters: &[&str] = match method.name {
                    "swapaxes" if library != NUMPY && from_0 => &["dim0", "dim1"],
                    _ => method.parameters,
                };
                arguments.iter_mut().for_each(|argument| rename_axis(argument, parameters));
                self.filled(placed(arguments, method.name, parameters)?, whole)?
            }
        };
        if let ("unsqueeze", true, [Expr { kind: ExprKind::Tuple(_), span }]) =
            (method.name, is_made && library == TORCH, arguments.as_slice())
        {
            let message = "unsqueeze of PyTorch takes one dim";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, *span, message)
                .with_help("`np.expand_dims(x, (0, 2))` takes several"));
        }
        let canonical = match (method.canonical, is_numpy) {
            // NumPy's takes a permutation, PyTorch's two dims.
            ("transpose", true) if !arguments.is_empty() => "permute",
            ("transpose", false) if library == TORCH => match arguments.len() {
                2 => "swapaxes",
                0 if !is_made => "transpose",
                count => {
                    let message = format!("PyTorch's transpose takes two dims, not {count}");
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, whole, message)
                        .with_help("`.permute(2,0,1)` takes the order of all, and `.mT` swaps the last two"));
                }
            },
            // NumPy's is a view with steps back, PyTorch's a copy.
            ("flip", true) => "reverse",
            // A tensor of no dims has one to move in PyTorch.
            ("movedim", true) => "moveaxis",
            // Where PyTorch leaves a longer dim as it is, NumPy refuses it.
            ("squeeze", true) if !arguments.is_empty() => "drop_dims",
            (name, _) => name,
        };
        let call = |tensor, name: &str, arguments| call_method(tensor, name, span, arguments, whole);
        if let ("mT", true) = (canonical, is_numpy) {
            // Where it stands in a text, the chain is one of PyTorch.
            let last = [-2, -1].map(|dim| Expr::new(ExprKind::Static(dim), span));
            return Ok(call(receiver, "swapaxes", last.to_vec()));
        }
        // Numbered from the first dim on: the dims the other way round, before and after.
        let turned = |tensor| if is_fortran { call(tensor, "T", Vec::new()) } else { tensor };
        Ok(match (canonical, is_numpy) {
            // NumPy's always copies.
            ("flatten", true) => call(turned(receiver), "ravel", arguments),
            ("reshape", _) if is_fortran => {
                turned(call(turned(receiver), "reshape", arguments.into_iter().rev().collect()))
            }
            ("ravel", _) => call(turned(receiver), canonical, arguments),
            _ => turned(call(turned(receiver), canonical, arguments)),
        })
    }

    /// The index behind a method that gives several tensors, as an argument.
    fn which_tensor(&mut self, method: &Method, arguments: &mut Vec<Argument>) -> Result<()> {
        let is_index = |argument: &Argument| argument.keyword.as_ref().is_some_and(|name| name.text == "index");
        if arguments.iter().any(is_index) || arguments.len() >= method.parameters.len() {
            return Ok(());
        }
        if !self.at(TokenKind::OpenSquare) {
            let error =
                self.expected(&format!("`[` and the number of one of the tensors that `.{}` gives", method.name));
            return Err(error.with_help(format!("as in `.{}(…)[0]`", method.name)));
        }
        let span = self.token.span;
        self.advance();
        let number = self.integer("the number of a tensor")?;
        self.require(TokenKind::CloseSquare, "`]` behind the number of a tensor")?;
        let value = self.leaf(ExprKind::Static(number), self.since(span))?;
        arguments.push(Argument { keyword: Some(Name { text: "index".to_owned(), span }), given: Given::Value(value) });
        Ok(())
    }

    /// Arguments by position; one that is left out before another is 0, its default in all methods.
    fn filled(&mut self, given: Vec<Option<Expr>>, span: Span) -> Result<Vec<Expr>> {
        let count = given.iter().rposition(Option::is_some).map_or(0, |last| last.saturating_add(1));
        let mut arguments = Vec::new();
        for argument in given.into_iter().take(count) {
            arguments.push(match argument {
                Some(argument) => argument,
                None => self.leaf(ExprKind::Static(0), span)?,
            });
        }
        Ok(arguments)
    }

    /// `torch.permute(x, (1,0))`: the method of the first argument; the name has been read.
    pub(super) fn method_function(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        if !matches!(scope, Some(Dialect::Torch | Dialect::NumPy)) || !self.at(TokenKind::OpenRound) {
            return Ok(None);
        }
        if scope == TORCH && LIKE.contains(&word) {
            return self.like_function(word, start).map(Some);
        }
        if let Some(tree) = self.derived_function(word, start, scope.unwrap_or(Dialect::Torch))? {
            return Ok(Some(tree));
        }
        // NumPy cuts into parts of equal lengths, or as PyTorch's tensor_split does.
        let word = match word {
            "split" if scope == NUMPY => "equal_split",
            "array_split" if scope == NUMPY => "tensor_split",
            "tensor_split" | "equal_split" if scope == NUMPY => return Ok(None),
            word => word,
        };
        let Some(method) = METHODS.iter().find(|method| method.name == word) else { return Ok(None) };
        if NO_FUNCTIONS.contains(&word) || scope == NUMPY && word == "flatten" {
            let message = format!("`{word}` is a method, and no function");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, start, message)
                .with_help(format!("write it behind the tensor: `x[2,3].{word}`")));
        }
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        // The function has another name for it than the method.
        let keywords = arguments.iter_mut().filter_map(|argument| argument.keyword.as_mut());
        for keyword in keywords.filter(|keyword| keyword.text == "split_size_or_sections") {
            keyword.text = "split_size".to_owned();
        }
        let whole = self.since(start);
        let wrong = |message: String| SyntaxError::new(code::UNEXPECTED_TOKEN, whole, message);
        if arguments.is_empty() {
            return Err(wrong(format!("{word} takes a tensor first")));
        }
        match arguments.remove(0).given {
            Given::Value(Expr {
                kind: ExprKind::Compose(_) | ExprKind::Sum(_) | ExprKind::Product(_) | ExprKind::Offsets(_),
                ..
            }) => Err(wrong(format!("{word} takes a tensor first, and no arithmetic"))),
            Given::Value(receiver) => self.applied_method(method, start, receiver, arguments, whole, scope).map(Some),
            Given::Order(..) => Err(wrong(format!("{word} takes a tensor first"))),
        }
    }
}

/// Whether brackets behind an expression have the number of an entry in them: of a tensor, a layout, a shape.
pub(in crate::notation) fn has_entries(receiver: &Expr) -> bool {
    is_tensor(receiver)
        || matches!(
            receiver.kind,
            ExprKind::Call { .. } | ExprKind::Compose(_) | ExprKind::Pair { .. } | ExprKind::Tuple(_)
        )
}

/// Whether a method asks something of any function, so that its answer is that of an operation.
fn is_asked(name: &str) -> bool {
    is_part(name) || QUESTIONS.iter().any(|(question, _)| *question == name)
}

/// Whether an expression is a tensor with sizes, so that brackets behind it are an index.
pub(in crate::notation) fn is_tensor(receiver: &Expr) -> bool {
    match &receiver.kind {
        ExprKind::Method { .. } => true,
        ExprKind::Call { name, .. } => name.text == "tensor",
        _ => false,
    }
}

/// A method of tensors, or the operation that answers what it asks; patterns of einops are neither.
fn known(name: &str) -> Option<(Option<&'static Method>, Option<&'static str>)> {
    if matches!(name, "rearrange" | "repeat") {
        return Some((None, None));
    }
    if let Some(method) = METHODS.iter().find(|method| method.name == name) {
        return Some((Some(method), None));
    }
    QUESTIONS.iter().find(|(question, _)| *question == name).map(|(_, operation)| (None, Some(*operation)))
}

/// The parameter of a method that gives several tensors: which of them.
const INDEX: &str = "[index]";

/// NumPy's name of a parameter, `axis`, as PyTorch has it, `dim`.
fn rename_axis(argument: &mut Argument, parameters: &[&str]) {
    let Some(keyword) = &mut argument.keyword else { return };
    let is_known = |name: &str| parameters.iter().any(|parameter| parameter.trim_matches(['[', ']']) == name);
    let renamed = keyword.text.strip_prefix("axis").map(|number| format!("dim{number}"));
    if let Some(renamed) = renamed.filter(|renamed| !is_known(&keyword.text) && is_known(renamed)) {
        keyword.text = renamed;
    }
}

/// Whether the order of NumPy numbers elements from the first dim on.
fn column_order(given: &Given, method: &str) -> Result<bool> {
    match given {
        Given::Value(value) => is_column_major(value, method),
        Given::Order(_, span) => {
            Err(SyntaxError::new(code::UNEXPECTED_TOKEN, *span, format!("expected the order of {method}")))
        }
    }
}

/// Whether the arguments are those of einops, of which one is a text.
fn is_pattern(arguments: &[Argument]) -> bool {
    arguments.iter().any(|argument| matches!(&argument.given, Given::Value(Expr { kind: ExprKind::Quoted(_), .. })))
}

/// Whether an argument has one of these keywords.
fn is_called(argument: &Argument, names: &[&str]) -> bool {
    argument.keyword.as_ref().is_some_and(|keyword| names.contains(&keyword.text.as_str()))
}

/// Sizes or dims side by side: `(2,3)` and `((2,3))` alike, and what a keyword names.
fn spread(arguments: Vec<Argument>, method: &Method, library: Option<Dialect>) -> Result<Vec<Expr>> {
    let keywords: &[&str] = match (method.name, library) {
        ("transpose", NUMPY) => &["axes"],
        ("transpose", _) => &["dim0", "dim1", "axes"],
        ("permute" | "permute_dims", _) => &["dims", "axes"],
        ("flip", NUMPY) => &["axis"],
        ("flip" | "tile", TORCH) => &["dims"],
        ("tile", _) => &["reps", "dims"],
        ("repeat", _) => &["repeats"],
        ("reshape", NUMPY) => &["shape", "newshape"],
        _ => &["size", "shape"],
    };
    let mut values = Vec::new();
    for argument in arguments {
        if let Some(keyword) = argument.keyword.as_ref().filter(|keyword| !keywords.contains(&keyword.text.as_str())) {
            let message = format!("{} has no argument `{}`", method.name, keyword.text);
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, keyword.span, message)
                .with_help(format!("those are {}", keywords.join(", "))));
        }
        match argument.given {
            Given::Value(value) => values.push(value),
            Given::Order(_, span) => {
                let message = format!("expected a size or a dim of {}", method.name);
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
        }
    }
    match (values.len(), values.pop()) {
        (1, Some(Expr { kind: ExprKind::Tuple(entries), .. })) => Ok(entries),
        (_, last) => {
            values.extend(last);
            Ok(values)
        }
    }
}
