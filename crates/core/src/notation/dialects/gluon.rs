//! Gluon's layouts, as its Python code makes and prints them: `BlockedLayout(size_per_thread=[1, 4], …)`,
//! `gl.SliceLayout(0, gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))`.
//!
//! Law: a constructor reads as the attribute of Triton that Gluon makes of it, its arguments by position or by keyword in
//! Gluon's order. `PaddedSharedLayout.with_identity_for(pairs, shape, order)` is the padded layout that walks over the shape, and
//! `NVMMASharedLayout.get_default_for(shape, dtype)` has the widest swizzle that divides a row. A name among the arguments stays one,
//! for what is bound to it. `gl.allocate_shared_memory(dtype, shape, layout)` reads as `to_linear(layout, shape)`, and
//! `gl.convert_layout(x, layout)` as the layout.

use super::Dialect;
use super::build::call;
use super::dsl::{nearest_keyword, placed};
use crate::names::did_you_mean;
use crate::notation::MAX_DEPTH;
use crate::notation::attribute::{Argument, Attribute, Datum, DatumKind};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code};

/// A class of Gluon.
struct Class {
    name: &'static str,
    /// The attribute that it makes.
    attribute: &'static str,
    /// Its parameters in order, each with the field of the attribute; one in brackets may be left out. A field in brackets is
    /// made of the parameter in a way of its own.
    parameters: &'static [(&'static str, &'static str)],
}

const CGA: (&str, &str) = ("[cga_layout]", "CGALayout");

const CLASSES: [Class; 18] = [
    Class {
        name: "BlockedLayout",
        attribute: "ttg.blocked",
        parameters: &[
            ("size_per_thread", "sizePerThread"),
            ("threads_per_warp", "threadsPerWarp"),
            ("warps_per_cta", "warpsPerCTA"),
            ("order", "order"),
            CGA,
            // Before the blocks of a cluster were bases.
            ("[ctas_per_cga]", "CTAsPerCGA"),
            ("[cta_split_num]", "CTASplitNum"),
            ("[cta_order]", "CTAOrder"),
        ],
    },
    Class { name: "SliceLayout", attribute: "ttg.slice", parameters: &[("dim", "dim"), ("parent", "parent")] },
    Class {
        name: "DotOperandLayout",
        attribute: "ttg.dot_op",
        parameters: &[("operand_index", "opIdx"), ("parent", "parent"), ("k_width", "kWidth")],
    },
    Class {
        name: "DistributedLinearLayout",
        attribute: "ttg.linear",
        parameters: &[
            ("reg_bases", "register"),
            ("lane_bases", "lane"),
            ("warp_bases", "warp"),
            ("block_bases", "block"),
            ("shape", "(rank)"),
        ],
    },
    Class {
        name: "NVMMADistributedLayout",
        attribute: "ttg.nvidia_mma",
        parameters: &[("version", "(version)"), ("warps_per_cta", "warpsPerCTA"), ("instr_shape", "instrShape"), CGA],
    },
    Class {
        name: "NVMMASharedLayout",
        attribute: "ttg.nvmma_shared",
        parameters: &[
            ("swizzle_byte_width", "swizzlingByteWidth"),
            ("element_bitwidth", "elementBitWidth"),
            ("[rank]", "rank"),
            ("[transposed]", "transposed"),
            ("[fp4_padded]", "fp4Padded"),
            CGA,
        ],
    },
    Class {
        name: "NVMMASharedLayout.get_default_for",
        attribute: "ttg.nvmma_shared",
        parameters: &[
            ("block_shape", "(shape)"),
            ("dtype", "(element)"),
            ("[transposed]", "transposed"),
            ("[fp4_padded]", "fp4Padded"),
            ("[cga_layout]", "(blocks)"),
        ],
    },
    Class {
        name: "SwizzledSharedLayout",
        attribute: "ttg.swizzled_shared",
        parameters: &[("vec", "vec"), ("per_phase", "perPhase"), ("max_phase", "maxPhase"), ("order", "order"), CGA],
    },
    Class {
        name: "PaddedSharedLayout",
        attribute: "ttg.padded_shared",
        parameters: &[
            ("interval_padding_pairs", "(pairs)"),
            ("offset_bases", "offset"),
            ("cga_layout", "block"),
            ("shape", "(rank)"),
        ],
    },
    Class {
        name: "PaddedSharedLayout.with_identity_for",
        attribute: "ttg.padded_shared",
        parameters: &[("interval_padding_pairs", "(pairs)"), ("shape", "shape"), ("order", "order")],
    },
    Class {
        name: "SharedLinearLayout",
        attribute: "ttg.shared_linear",
        parameters: &[("offset_bases", "offset"), ("[block_bases]", "block"), ("[alignment]", "alignment")],
    },
    Class {
        name: "AMDMFMALayout",
        attribute: "ttg.amd_mfma",
        parameters: &[
            ("version", "version"),
            ("instr_shape", "instrShape"),
            ("transposed", "isTransposed"),
            ("warps_per_cta", "warpsPerCTA"),
            ("[element_bitwidth]", "elementBitWidth"),
            ("[tiles_per_warp]", "tilesPerWarp"),
            CGA,
        ],
    },
    Class {
        name: "AMDWMMALayout",
        attribute: "ttg.amd_wmma",
        parameters: &[
            ("version", "version"),
            ("transposed", "isTranspose"),
            ("warp_bases", "(warp)"),
            ("[reg_bases]", "(register)"),
            ("[instr_shape]", "instrShape"),
            CGA,
            ("[rank]", "rank"),
        ],
    },
    Class {
        name: "PartitionedSharedLayout",
        attribute: "ttg.partitioned_shared",
        parameters: &[
            ("num_partitions", "numPartitions"),
            ("num_groups", "numGroups"),
            ("partition_dim", "partitionDim"),
            ("partition_layout", "partitionLayout"),
        ],
    },
    Class {
        name: "TensorMemoryLayout",
        attribute: "ttng.tensor_memory_encoding",
        parameters: &[
            ("block", "(block)"),
            ("col_stride", "colStride"),
            CGA,
            ("[two_ctas]", "twoCTAs"),
            ("[fp4_padded]", "fp4Padded"),
        ],
    },
    Class {
        name: "TensorMemoryScalesLayout",
        attribute: "ttng.tensor_memory_scales_encoding",
        parameters: &[CGA, ("[block_rep_order]", "blockRepOrder")],
    },
    Class { name: "AutoLayout", attribute: "gluon.auto_encoding", parameters: &[] },
    Class { name: "CoalescedLayout", attribute: "gluon.coalesced_encoding", parameters: &[] },
];

/// The classes that are read.
pub(super) fn gluon_classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|class| class.name)
}

/// What an argument is given as.
type Given = Option<Datum>;

impl Cursor<'_> {
    /// A layout of Gluon, where the word that was read begins one.
    pub(super) fn gluon_word(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let Some(class) = self.gluon_class(word) else { return Ok(None) };
        let attribute = self.gluon_layout(class, start)?;
        self.spelled(Dialect::Gluon);
        let span = self.since(start);
        // An attribute has two brackets where the call has one.
        if attribute.depth() + self.open.len() > MAX_DEPTH {
            let message = format!("layouts nest too deep: as an attribute this has more than {MAX_DEPTH} brackets");
            return Err(SyntaxError::new(code::TOO_DEEP, span, message));
        }
        Ok(Some(Expr::new(ExprKind::Attribute(Box::new(attribute)), span)))
    }

    /// A function of Gluon that takes a layout: where the value that it makes lies.
    pub(super) fn gluon_function(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        let parameters: &[&str] = match word {
            "to_linear_layout" if scope == Some(Dialect::Gluon) => &["layout", "shape"],
            "allocate_shared_memory" => &["element_ty", "shape", "layout", "[value]"],
            "convert_layout" => &["value", "layout", "[assert_trivial]"],
            _ => return Ok(None),
        };
        if !self.at(TokenKind::OpenRound) {
            return Ok(None);
        }
        let given = placed(self.arguments(TokenKind::CloseRound)?, word, parameters)?;
        let span = self.since(start);
        self.spelled(Dialect::Gluon);
        let take = |name: &str| given.get(parameters.iter().position(|own| *own == name)?).cloned().flatten();
        Ok(match (take("layout"), take("shape")) {
            (Some(layout), Some(shape)) => Some(call("to_linear", start, vec![layout, shape], span)),
            (Some(layout), None) => {
                self.remark("the shape is that of the value, which is left out");
                Some(Expr::new(layout.kind, span))
            }
            _ => None,
        })
    }

    /// The class whose name was read and whose arguments are at hand.
    fn gluon_class(&mut self, word: &str) -> Option<&'static Class> {
        let find = |name: &str| CLASSES.iter().find(|class| class.name == name);
        let class = find(word)?;
        if self.at(TokenKind::OpenRound) {
            return Some(class);
        }
        let method = self.text_after(self.token.span).trim_start();
        let method = method.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
        let class = find(&format!("{word}.{method}")).filter(|_| self.at(TokenKind::Dot))?;
        self.advance();
        self.advance();
        self.at(TokenKind::OpenRound).then_some(class)
    }

    fn gluon_layout(&mut self, class: &Class, start: Span) -> Result<Attribute> {
        self.count_leaf(start)?;
        let name = Name { text: class.attribute.to_owned(), span: self.since(start) };
        let open = self.enter()?;
        let mut given: Vec<Given> = class.parameters.iter().map(|_| None).collect();
        let mut position = 0;
        while !self.at(TokenKind::CloseRound) {
            let span = self.token.span;
            let rest = self.text_after(span).trim_start();
            let is_keyword = self.at(TokenKind::Word) && rest.starts_with('=') && !rest.starts_with("==");
            let place = match is_keyword {
                true => {
                    self.advance();
                    self.advance();
                    let plain = |parameter: &str| parameter.trim_matches(['[', ']']) == span.of(self.text());
                    class.parameters.iter().position(|(parameter, _)| plain(parameter))
                }
                false => Some(position),
            };
            position += 1;
            let Some(place) = place.and_then(|place| given.get_mut(place)) else {
                let message = format!("{} has no such argument: it is {}", class.name, class.signature());
                let error = SyntaxError::new(code::UNEXPECTED_TOKEN, span, message);
                let names = class.parameters.iter().map(|(name, _)| name.trim_matches(['[', ']']));
                return Err(match nearest_keyword(span.of(self.text()), names).filter(|_| is_keyword) {
                    Some(near) => error.with_help(format!("did you mean `{near}`?")),
                    None => error,
                });
            };
            if place.is_some() {
                let message = format!("this argument of {} is given twice: it is {}", class.name, class.signature());
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
            *place = self.gluon_datum()?;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave(open, TokenKind::CloseRound, "`,` or `)`")?;
        let span = self.since(start);
        let missing =
            given.iter().zip(class.parameters).find(|(given, (name, _))| given.is_none() && !name.starts_with('['));
        if let Some((_, (missing, _))) = missing {
            let message = format!("`{missing}` of {} is missing: it is {}", class.name, class.signature());
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
        }
        let body = class.body(given, span)?;
        Ok(Attribute { name, body, span })
    }

    /// A value of Python; nothing for `None`.
    fn gluon_datum(&mut self) -> Result<Given> {
        let start = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Number | TokenKind::Minus => {
                self.count_leaf(start)?;
                DatumKind::Integer(self.integer("a number after `-`")?)
            }
            TokenKind::Text => {
                self.count_leaf(start)?;
                let word = self.quoted(start).text;
                if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return Err(self.expected("a word in quotes"));
                }
                self.advance();
                DatumKind::Word(word)
            }
            TokenKind::OpenSquare | TokenKind::OpenRound => {
                let close = if self.at(TokenKind::OpenSquare) { TokenKind::CloseSquare } else { TokenKind::CloseRound };
                let open = self.enter()?;
                let mut items = Vec::new();
                while !self.at(close) {
                    items.extend(self.gluon_datum()?);
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.leave(open, close, "`,` or the end of the list")?;
                DatumKind::Array(items)
            }
            TokenKind::Word => {
                self.namespaces();
                let (first, word) = (self.token.span, self.token.span.of(self.text()));
                self.advance();
                match word {
                    "True" => DatumKind::Bool(true),
                    "False" => DatumKind::Bool(false),
                    "None" => return Ok(None),
                    _ => match self.gluon_class(word) {
                        Some(class) => DatumKind::Attribute(self.gluon_layout(class, start)?),
                        // The name of a layout, a number or a type.
                        None if !self.at(TokenKind::OpenRound) && !matches!(word, "true" | "false") => {
                            self.count_leaf(first)?;
                            DatumKind::Word(word.to_owned())
                        }
                        None => {
                            let message = format!("expected a layout of Gluon, found `{word}`");
                            let error = SyntaxError::new(code::UNEXPECTED_TOKEN, first, message);
                            return Err(match word {
                                "true" | "false" => error.with_help("Python writes `True` and `False`"),
                                _ => match did_you_mean(word, gluon_classes()) {
                                    Some(near) => error.with_help(format!("did you mean `{near}`?")),
                                    None => error,
                                },
                            });
                        }
                    },
                }
            }
            TokenKind::Mlir => DatumKind::Attribute(self.attribute()?),
            _ => return Err(self.expected("a number, a list, True, False, None or a layout of Gluon")),
        };
        Ok(Some(Datum { kind, span: self.since(start) }))
    }
}

impl Class {
    /// How it is called: `SliceLayout(dim, parent)`.
    fn signature(&self) -> String {
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| *name).collect();
        format!("{}({})", self.name, names.join(", "))
    }

    /// The fields of the attribute.
    fn body(&self, given: Vec<Given>, span: Span) -> Result<Option<Vec<Argument>>> {
        let wrong = |of: &str, wanted: &str, at: Span| {
            SyntaxError::new(code::UNEXPECTED_TOKEN, at, format!("{of} of {} is {wanted}", self.name))
        };
        let mut body = Vec::new();
        let mut fields: Vec<(Name, Datum)> = Vec::new();
        let mut tiles: Vec<(Name, Datum)> = Vec::new();
        let mut default = (Vec::new(), 0);
        let named = |name: &str| Name { text: name.to_owned(), span };
        for ((parameter, field), datum) in self.parameters.iter().zip(given) {
            let Some(datum) = datum else { continue };
            let at = datum.span;
            match (*field, datum.kind) {
                ("(version)", DatumKind::Array(parts)) => match parts.as_slice() {
                    [major, minor] => {
                        fields.push((named("versionMajor"), major.clone()));
                        fields.push((named("versionMinor"), minor.clone()));
                    }
                    _ => return Err(wrong(parameter, "a list such as [3, 0]", at)),
                },
                ("(block)", DatumKind::Array(parts)) => match parts.as_slice() {
                    [rows, columns] => {
                        fields.push((named("blockM"), rows.clone()));
                        fields.push((named("blockN"), columns.clone()));
                    }
                    _ => return Err(wrong(parameter, "a pair such as (128, 64)", at)),
                },
                ("(pairs)", DatumKind::Array(pairs)) => {
                    let intervals = pairs.iter().map(interval).collect::<Option<Vec<_>>>();
                    let Some(intervals) = intervals else {
                        return Err(wrong(parameter, "a list of pairs such as [[512, 16]]", at));
                    };
                    body.push(Argument { name: None, datum: Datum { kind: DatumKind::Array(intervals), span: at } });
                }
                ("(rank)", DatumKind::Array(sizes)) => {
                    // Where no basis says it.
                    let is_empty = |(_, datum): &(Name, Datum)| datum.kind == DatumKind::Array(Vec::new());
                    if fields.iter().all(is_empty) && self.attribute == "ttg.linear" {
                        let rank = i64::try_from(sizes.len()).unwrap_or(i64::MAX);
                        fields.push((named("rank"), Datum { kind: DatumKind::Integer(rank), span: at }));
                    }
                }
                ("(shape)", DatumKind::Array(sizes)) => {
                    let size = |datum: &Datum| match datum.kind {
                        DatumKind::Integer(size) => Some(size),
                        _ => None,
                    };
                    default.0 = sizes.iter().map(size).collect::<Option<Vec<i64>>>().unwrap_or_default();
                    if default.0.is_empty() {
                        return Err(wrong(parameter, "a list of sizes such as [128, 64]", at));
                    }
                }
                ("(element)", DatumKind::Word(name)) => {
                    let Some(bits) = element_bits(&name) else {
                        return Err(wrong(parameter, "a type such as gl.float16", at));
                    };
                    default.1 = bits;
                }
                ("(element)", _) => return Err(wrong(parameter, "a type such as gl.float16", at)),
                ("(blocks)", DatumKind::Array(bases)) if bases.is_empty() => {}
                ("(blocks)", _) => {
                    return Err(wrong(parameter, "read as empty only", at).with_help(
                        "write the layout of several blocks out: `NVMMASharedLayout(128, 16, cga_layout=…)`",
                    ));
                }
                ("(warp)", kind) => tiles.push((named("warp"), Datum { kind, span: at })),
                ("(register)", kind) => tiles.push((named("register"), Datum { kind, span: at })),
                (field, _) if field.starts_with('(') => return Err(wrong(parameter, "a list", at)),
                (field, kind) => fields.push((named(field), Datum { kind, span: at })),
            }
        }
        if let (sizes, bits @ 1..) = &default {
            let is_true = |name: &str| {
                fields.iter().any(|(field, datum)| field.text == name && datum.kind == DatumKind::Bool(true))
            };
            let swizzle = default_swizzle(sizes, *bits, is_true("transposed"), is_true("fp4Padded"))
                .ok_or_else(|| wrong("block_shape", "a list of sizes of at least 1", span))?;
            let rank = i64::try_from(sizes.len()).unwrap_or(i64::MAX);
            let numbers = [("swizzlingByteWidth", swizzle), ("elementBitWidth", *bits), ("rank", rank)];
            // As `NVMMASharedLayout` writes them.
            for (at, (name, number)) in numbers.into_iter().enumerate() {
                if name != "rank" || rank != 2 {
                    fields.insert(at, (named(name), Datum { kind: DatumKind::Integer(number), span }));
                }
            }
        }
        if self.attribute == "ttg.shared_linear" {
            for (name, kind) in [("block", DatumKind::Array(Vec::new())), ("alignment", DatumKind::Integer(16))] {
                if !fields.iter().any(|(field, _)| field.text == name) {
                    fields.push((named(name), Datum { kind, span }));
                }
            }
        }
        if !tiles.is_empty() {
            fields.push((named("ctaLayout"), Datum { kind: DatumKind::Dictionary(tiles), span }));
        }
        if !(fields.is_empty() && body.is_empty()) || self.attribute.starts_with("ttng.") {
            body.push(Argument { name: None, datum: Datum { kind: DatumKind::Dictionary(fields), span } });
        }
        Ok((!body.is_empty()).then_some(body))
    }
}

/// The bits of an element by Triton's name of its type: `float16`, `float8e5`, `int8`.
fn element_bits(name: &str) -> Option<i64> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let stem = name.strip_suffix(digits)?;
    let digits = digits.split(|c: char| !c.is_ascii_digit()).next()?;
    let is_type = matches!(stem, "float" | "bfloat" | "int" | "uint" | "fp" | "bf");
    is_type.then(|| digits.parse().ok()).flatten().filter(|bits| *bits > 0)
}

/// The bytes of the widest swizzle whose rows divide those of a block, as Gluon chooses it.
fn default_swizzle(sizes: &[i64], bits: i64, transposed: bool, padded: bool) -> Option<i64> {
    let mut sizes = sizes.to_vec();
    if transposed {
        sizes.rotate_left(1);
    }
    let (row, outer) = sizes.split_last()?;
    let rows = outer.iter().try_fold(1_i64, |rows, size| rows.checked_mul(*size))?;
    let bytes = row.checked_mul(if padded { 2 } else { 1 })?.checked_mul(bits)?.checked_div(8)?;
    if row.min(&rows) < &1 {
        return None;
    }
    let widest = [128, 64, 32].into_iter().find(|width| bytes.checked_rem(*width) == Some(0) && bytes >= *width);
    Some(widest.filter(|_| sizes.len() > 1 && rows >= 8).unwrap_or(0))
}

/// The constructor of Gluon that makes an attribute; nothing where no class does.
///
/// Law: the text reads as the attribute, its fields in Gluon's order.
///
/// ```
/// use bitstride::notation::{ExprKind, Ints, gluon_text, parse};
/// let tree = parse("SliceLayout(0, BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))", Ints::Plain)?;
/// let text = match &tree.kind {
///     ExprKind::Attribute(attribute) => gluon_text(attribute),
///     _ => None,
/// };
/// assert_eq!(
///     text.as_deref(),
///     Some("SliceLayout(dim=0, parent=BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], \
///           warps_per_cta=[4, 1], order=[1, 0]))")
/// );
/// # Ok::<(), bitstride::notation::SyntaxError>(())
/// ```
pub fn gluon_text(attribute: &Attribute) -> Option<String> {
    let mut fields: Vec<(&str, &Datum)> = Vec::new();
    let mut pairs = None;
    for argument in attribute.body.iter().flatten() {
        match (&argument.name, &argument.datum.kind) {
            (Some(name), _) => fields.push((&name.text, &argument.datum)),
            (None, DatumKind::Dictionary(entries)) => {
                fields.extend(entries.iter().map(|(name, datum)| (name.text.as_str(), datum)));
            }
            (None, DatumKind::Array(items)) => pairs = Some(items),
            (None, _) => return None,
        }
    }
    let find = |name: &str| fields.iter().find(|(field, _)| *field == name).map(|(_, datum)| *datum);
    let inside = |field: &str, name: &str| match &find(field)?.kind {
        DatumKind::Dictionary(entries) => entries.iter().find(|(entry, _)| entry.text == name).map(|(_, datum)| datum),
        _ => None,
    };
    let generic = attribute.name.text.replace("generic_linear", "linear");
    let fits = |class: &&Class| {
        let walks = find("order").is_some() && find("shape").is_some();
        class.attribute == generic && (class.name.ends_with("with_identity_for") == (walks && pairs.is_some()))
    };
    let class = CLASSES.iter().find(fits)?;
    let mut arguments = Vec::new();
    for (parameter, field) in class.parameters {
        let value = match *field {
            "(version)" => {
                let minor = find("versionMinor").map_or(Some("0".to_owned()), python);
                find("versionMajor").and_then(python).zip(minor).map(|(major, minor)| format!("[{major}, {minor}]"))
            }
            "(block)" => {
                let rows = find("blockM").and_then(python);
                rows.zip(find("blockN").and_then(python)).map(|(rows, columns)| format!("({rows}, {columns})"))
            }
            "(pairs)" => pairs.and_then(|items| {
                let pair = |item: &Datum| match item.kind {
                    DatumKind::Interval { interval, padding } => Some(format!("[{interval}, {padding}]")),
                    _ => None,
                };
                Some(format!("[{}]", items.iter().map(pair).collect::<Option<Vec<_>>>()?.join(", ")))
            }),
            "(rank)" => reached(&fields).map(|sizes| format!("{sizes:?}")),
            "(warp)" => inside("ctaLayout", "warp").and_then(python).or(Some("[]".to_owned())),
            "(register)" => inside("ctaLayout", "register").and_then(python),
            field => match find(field) {
                Some(datum) => Some(python(datum)?),
                None => None,
            },
        };
        let name = parameter.trim_matches(['[', ']']);
        match value {
            Some(value) => arguments.push(format!("{name}={value}")),
            None if parameter.starts_with('[') => {}
            None => arguments.push(format!("{name}={}", default(field)?)),
        }
    }
    Some(format!("{}({})", class.name, arguments.join(", ")))
}

/// What a field is that an attribute may leave out and Gluon may not.
fn default(field: &str) -> Option<&'static str> {
    match field {
        "kWidth" => Some("0"),
        "isTransposed" | "isTranspose" => Some("False"),
        "block" => Some("[]"),
        _ => None,
    }
}

/// A datum as Python writes it.
fn python(datum: &Datum) -> Option<String> {
    Some(match &datum.kind {
        DatumKind::Integer(value) => value.to_string(),
        DatumKind::Bool(true) => "True".to_owned(),
        DatumKind::Bool(false) => "False".to_owned(),
        DatumKind::Word(word) => format!("\"{word}\""),
        DatumKind::Array(items) => {
            format!("[{}]", items.iter().map(python).collect::<Option<Vec<_>>>()?.join(", "))
        }
        DatumKind::Attribute(attribute) => gluon_text(attribute)?,
        _ => return None,
    })
}

/// The smallest shape that bases reach, as Gluon wants it; that of a rank where there are none.
fn reached(fields: &[(&str, &Datum)]) -> Option<Vec<i64>> {
    let mut bits: Vec<i64> = Vec::new();
    for (name, datum) in fields {
        match &datum.kind {
            DatumKind::Integer(rank) if *name == "rank" => {
                const MAX_RANK: usize = 64;
                bits.resize(usize::try_from(*rank).ok().filter(|rank| *rank <= MAX_RANK)?, 0);
            }
            DatumKind::Array(bases) => {
                for basis in bases {
                    let DatumKind::Array(values) = &basis.kind else { return None };
                    bits.resize(bits.len().max(values.len()), 0);
                    for (reach, value) in bits.iter_mut().zip(values) {
                        let DatumKind::Integer(value) = value.kind else { return None };
                        *reach |= value;
                    }
                }
            }
            _ => {}
        }
    }
    bits.iter()
        .map(|reach| u64::try_from(reach.checked_add(1)?).ok()?.checked_next_power_of_two()?.try_into().ok())
        .collect()
}

/// `512:+16` of `[512, 16]`.
fn interval(pair: &Datum) -> Option<Datum> {
    let DatumKind::Array(parts) = &pair.kind else { return None };
    match parts.as_slice() {
        [Datum { kind: DatumKind::Integer(interval), .. }, Datum { kind: DatumKind::Integer(padding), .. }] => {
            Some(Datum { kind: DatumKind::Interval { interval: *interval, padding: *padding }, span: pair.span })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::gluon_text;
    use crate::notation::{Attribute, Dialect, ExprKind, Ints, parse, read};
    use crate::triton::Encoding;

    #[test]
    fn a_layout_of_gluon_is_the_attribute_that_it_makes() {
        let blocked =
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";
        let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>";
        for (gluon, attribute) in [
            ("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", blocked.to_owned()),
            ("gl.BlockedLayout(order=[1, 0], size_per_thread=[1, 4], threads_per_warp=[8, 4], warps_per_cta=[4, 1])",
             "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>".to_owned()),
            ("ttgl.SliceLayout(0, parent=ttgl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0],))",
             format!("#ttg.slice<{{dim = 0, parent = {blocked}}}>")),
            ("DotOperandLayout(operand_index=1, parent=NVMMADistributedLayout(version=[2, 0], warps_per_cta=[4, 1], instr_shape=[16, 8]), k_width=2)",
             format!("#ttg.dot_op<{{opIdx = 1, parent = {mma}, kWidth = 2}}>")),
            ("NVMMASharedLayout(128, 16, transposed=True, cga_layout=None)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16, transposed = true}>".to_owned()),
            ("gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])",
             "#ttg.padded_shared<[64:+8] {shape = [64, 64], order = [1, 0]}>".to_owned()),
            ("PaddedSharedLayout([[8, 1]], [[0, 1], [1, 0]], [], [2, 2])",
             "#ttg.padded_shared<[8:+1] {offset = [[0, 1], [1, 0]], block = []}>".to_owned()),
            ("SharedLinearLayout([[1], [2]])", "#ttg.shared_linear<{offset = [[1], [2]], block = [], alignment = 16}>".to_owned()),
            ("DistributedLinearLayout([], [], [], [], [1, 1])",
             "#ttg.linear<{register = [], lane = [], warp = [], block = [], rank = 2}>".to_owned()),
            ("gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])",
             "#ttg.amd_mfma<{version = 3, instrShape = [32, 32, 8], isTransposed = true, warpsPerCTA = [4, 1]}>".to_owned()),
            ("AMDWMMALayout(2, True, [[0, 1], [1, 0]], [], [16, 16, 16])",
             "#ttg.amd_wmma<{version = 2, isTranspose = true, instrShape = [16, 16, 16], ctaLayout = {warp = [[0, 1], [1, 0]], register = []}}>".to_owned()),
            ("TensorMemoryLayout((128, 64), col_stride=1)",
             "#ttng.tensor_memory_encoding<{blockM = 128, blockN = 64, colStride = 1}>".to_owned()),
            ("gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16}>".to_owned()),
            ("NVMMASharedLayout.get_default_for((64, 16), dtype=gl.bfloat16)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = 16}>".to_owned()),
            ("NVMMASharedLayout.get_default_for([64, 16], gl.float8e5, transposed=True)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 64, elementBitWidth = 8, transposed = true}>".to_owned()),
            ("NVMMASharedLayout.get_default_for([1, 4, 64], gl.float32)",
             "#ttg.nvmma_shared<{swizzlingByteWidth = 0, elementBitWidth = 32, rank = 3}>".to_owned()),
            ("SliceLayout(1, parent=blocked)", "#ttg.slice<{dim = 1, parent = blocked}>".to_owned()),
            ("AutoLayout()", "#gluon.auto_encoding".to_owned()),
            ("gl.convert_layout(x, gl.SliceLayout(1, blocked), assert_trivial=True)", "#ttg.slice<{dim = 1, parent = blocked}>".to_owned()),
            ("gl.allocate_shared_memory(gl.float16, [64, 8], SharedLinearLayout([[1], [2]]))",
             "to_linear(#ttg.shared_linear<{offset = [[1], [2]], block = [], alignment = 16}>, (64,8))".to_owned()),
        ] {
            let reading = read(gluon, Ints::Plain).expect(gluon);
            assert_eq!(Ok(reading.tree), parse(&attribute, Ints::Plain), "{gluon}");
            assert_eq!(reading.dialects, [Dialect::Gluon], "{gluon}");
        }
    }

    /// Every kind of encoding, as Triton prints it.
    fn attribute(text: &str) -> Attribute {
        let attribute = match parse(text, Ints::Plain).expect(text).kind {
            ExprKind::Attribute(attribute) => Some(*attribute),
            _ => None,
        };
        attribute.expect(text)
    }

    #[test]
    fn an_encoding_is_written_and_read_back() {
        for text in [
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>",
            "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>",
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>",
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], isTransposed = true, tilesPerWarp = [2, 1]}>",
            "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>",
            "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>",
            "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 3}>",
            "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>",
            "#ttg.padded_shared<[64:+8, 512:+16] {offset = [[0, 1], [2, 0], [1, 0]], block = []}>",
            "#ttg.shared_linear<{offset = [[0, 1], [1, 0]], block = [[2, 0]]}, alignment = 128>",
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, twoCTAs = true>",
            "#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>",
            "#gluon.auto_encoding",
        ] {
            let read = attribute(text);
            let written = gluon_text(&read).expect(text);
            let again = attribute(&written);
            let encoding = |attribute: &Attribute| Encoding::from_attribute(attribute, &mut Vec::new());
            assert_eq!(encoding(&again), encoding(&read), "{written}");
            assert!(encoding(&again).is_ok(), "{written}");
        }
        assert_eq!(gluon_text(&attribute("#ttg.amd_rotating_shared<{vec = 1}>")), None);
    }

    #[test]
    fn what_is_no_layout_of_gluon_is_said() {
        for (text, said) in [
            ("BlockedLayout([1, 4], [8, 4], [4, 1])", "`order`"),
            ("SliceLayout(0, parent=1, dim=2)", "given twice"),
            ("SliceLayout(0, parent=1, dims=2)", "no such argument"),
            ("SliceLayout(0, 1, 2)", "no such argument"),
            ("SliceLayout(0, Blocked(1))", "a layout of Gluon"),
            ("NVMMADistributedLayout(2, [4, 1], [16, 8])", "version"),
            ("PaddedSharedLayout.with_identity_for([[64]], [64, 64], [1, 0])", "pairs"),
        ] {
            let error = read(text, Ints::Plain).expect_err(text);
            assert!(error.message.contains(said), "{text}: {error}");
        }
        let nested = format!("{}AutoLayout(){}", "SliceLayout(0, ".repeat(100), ")".repeat(100));
        assert!(read(&nested, Ints::Plain).is_err());
    }
}
