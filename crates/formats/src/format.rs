//! [`Format`]: a format with all its parameters, as tensors and the fields in them.
//!
//! Law: the same definition and parameters give the same format, and every field lies inside its tensor.

use bitstride::cast::narrow;
use bitstride::{Code, Error, error};
use bitstride_lang::evaluate;

use crate::definition::{AxisText, Definition, Extents, Parameter, Statement, StatementKind, StoredText, twice};
use crate::expression::{Argument, Arguments, Expression, Template, missing};
use crate::places::{FieldAxis, Piece, PieceText, Places};
use crate::spec::Spec;
use crate::stack;
use crate::stored::Stored;

/// A stored layout: tensors, and what lies where in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name with all its parameters, which gives the same format again.
    pub name: String,
    /// The tensors, in order.
    pub tensors: Vec<Tensor>,
    /// The fields of all tensors, in order.
    pub fields: Vec<Field>,
    /// The parameters, defaults included.
    pub parameters: Vec<(String, Argument)>,
    /// The fields that a missing parameter leaves open, each with the error that names it.
    pub open: Vec<(String, Error)>,
    /// The extents of the leading axes, where it is of several tensors one behind the other.
    pub(crate) experts: Vec<i64>,
}

/// A tensor of a format, as a container declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name within the format, such as `qweight`.
    pub name: String,
    /// The type of its elements as a container says it: `i32`, `f16`, `u8`.
    pub dtype: String,
    /// Its extents as a container says them.
    pub shape: Vec<i64>,
    /// The bits of one element.
    pub dtype_bits: i64,
    /// The byte of the places that hold no element.
    pub fill: u8,
}

/// What a tensor holds: codes, scales, zero points, indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name within the format.
    pub name: String,
    /// The tensor that it lies in, by number.
    pub tensor: usize,
    /// What its values are: `uint`, `e2m1`, `f16`, ….
    pub kind: String,
    /// Where they lie.
    pub places: Places,
    /// How a value becomes the stored bits, one step after the other.
    pub stored: Vec<Stored>,
    /// What its elements are, of each expert, where the parameters say it.
    pub values: Vec<i64>,
}

impl Tensor {
    /// Its length in bits.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn bits(&self) -> Result<i64, Error> {
        let extents = self.shape.iter();
        extents.copied().try_fold(self.dtype_bits, |size, extent| narrow(i128::from(size) * i128::from(extent)))
    }

    /// Its length in bytes.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn bytes(&self) -> Result<i64, Error> {
        let bits = self.bits()?;
        Ok(bits / 8 + i64::from(bits % 8 != 0))
    }

    /// Its type and extents: `i32[8,32]`.
    pub fn declared(&self) -> String {
        let extents: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!("{}[{}]", self.dtype, extents.join(","))
    }
}

impl Field {
    /// The same field with its axes under other names, by which a check aligns them.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for another number of names.
    ///
    /// ```
    /// use bitstride_formats::Zoo;
    /// let format = Zoo::builtin().format("ct:pack,n=64,k=32")?;
    /// let codes = format.field("codes")?.clone().with_axes(&["k", "n"])?;
    /// assert_eq!(codes.places.axes()[0].name, "k");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn with_axes(mut self, names: &[&str]) -> Result<Field, Error> {
        if names.len() != self.places.axes.len() {
            return Err(error!(
                Code::RankMismatch,
                "{names_count} names for {axes_count} axes",
                [names_count = names.len(), axes_count = self.places.axes.len()]
            ));
        }
        for (axis, name) in self.places.axes.iter_mut().zip(names) {
            (*name).clone_into(&mut axis.name);
        }
        Ok(self)
    }
}

impl Format {
    /// A field by its name.
    ///
    /// # Errors
    /// [`Code::UnknownName`] with the names that there are.
    pub fn field(&self, name: &str) -> Result<&Field, Error> {
        self.fields.iter().find(|field| field.name == name).ok_or_else(|| {
            if let Some((_, error)) = self.open.iter().find(|(open, _)| open == name) {
                return error.clone();
            }
            let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
            let message = format!("{} has no field {name}", self.name);
            Error::new(Code::UnknownName, message).with_help(format!("it has {}", names.join(", ")))
        })
    }

    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.parameters.iter().find_map(|(own, value)| match value {
            Argument::Number(number) if own == name => Some(*number),
            _ => None,
        })
    }

    /// The tensor of a field.
    pub fn tensor_of(&self, field: &Field) -> Option<&Tensor> {
        self.tensors.get(field.tensor)
    }

    /// Whether some bits of a tensor are of no element, and hold the byte that fills it.
    pub fn pads(&self, tensor: usize) -> bool {
        let own = self.fields.iter().filter(|field| field.tensor == tensor).map(|field| &field.places);
        let bits = own.map(|own| own.elements().unwrap_or(0).saturating_mul(own.element_bits()));
        let bits = bits.fold(0i64, i64::saturating_add);
        self.open.is_empty() && self.tensors.get(tensor).and_then(|own| own.bits().ok()).is_some_and(|all| bits < all)
    }

    /// A definition with the parameters of a name.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for a parameter without a value, [`Code::Parameter`] for one that the definition does not
    /// have or that it refuses, [`Code::NotDivisible`] for extents that the format cannot hold, [`Code::NotALayout`] for a
    /// format that is no layout of bits; otherwise as the layouts.
    pub fn new(definition: &Definition, spec: &Spec) -> Result<Self, Error> {
        if let Some(reason) = &definition.refused {
            return Err(Error::new(Code::NotALayout, reason.clone()).about(&definition.name));
        }
        let (spec, experts) = stack::split(definition, spec)?;
        let mut of = arguments(definition, &spec)?;
        let name = canonical(definition, &of);
        let known = definition.parameters.iter().filter_map(|own| Some((own.name.clone(), of.get(&own.name).ok()?)));
        let parameters = known.collect();
        let format = Format { name, tensors: vec![], fields: vec![], parameters, open: vec![], experts: vec![] };
        let mut building = Building { definition, format, field: None, scope: Scope::Whole };
        for statement in &definition.statements {
            building.statement(statement, &mut of).map_err(|error| match error.code() {
                Code::MissingFact | Code::Parameter | Code::NotDivisible => error.about(&definition.name),
                _ => error.about(format!("{}, line {} of its definition", definition.name, statement.line)),
            })?;
        }
        building.finish_field().map_err(|error| error.about(&definition.name))?;
        stack::stacked(building.format, &experts).map_err(|error| error.about(&definition.name))
    }
}

/// The parameters with their values, or their defaults.
fn arguments(definition: &Definition, spec: &Spec) -> Result<Arguments, Error> {
    for (name, _) in &spec.parameters {
        if !definition.parameters.iter().any(|parameter| parameter.name == *name) {
            let names: Vec<&str> = definition.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            return Err(error!(
                Code::Parameter,
                "{definition_name} has no parameter {name}",
                [definition_name = definition.name, name]
            )
            .with_help(format!("it has {}", names.join(", "))));
        }
    }
    let mut of = Arguments::default();
    for parameter in &definition.parameters {
        let given = spec.parameters.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| value.clone());
        if let (Some(value), Some((words, message))) = (&given, &parameter.values)
            && !words.contains(&value.to_string())
        {
            let error = Error::new(Code::Parameter, message.clone()).about(&definition.name);
            return Err(error.with_help(format!("{} is one of {}", parameter.name, words.join(", "))));
        }
        match (given, &parameter.default) {
            (Some(value), Some(Expression::Word(_))) => {
                of.bind(&parameter.name, Ok(Argument::Word(value.to_string())))?;
            }
            (Some(value), _) => of.bind(&parameter.name, Ok(value))?,
            (None, Some(default)) => of.bind(&parameter.name, default.value(&of))?,
            (None, None) => {
                let words = parameter.values.iter().flat_map(|(words, _)| words);
                let names: Vec<String> = words.map(|word| with_word(definition, parameter, word)).collect();
                if !names.is_empty() {
                    let why = missing(&parameter.name).with_help(format!("name {}", names.join(" or ")));
                    of.bind(&parameter.name, Err(why))?;
                }
            }
        }
    }
    Ok(of)
}

/// The name of a format with a word as one of its parameters, as it is typed.
fn with_word(definition: &Definition, parameter: &Parameter, word: &str) -> String {
    let name = &definition.name;
    match parameter.name.as_str() {
        "variant" => format!("{name}:{word}"),
        "version" => format!("{name}@{word}"),
        own => format!("{name}{}{own}={word}", if name.contains(':') { "," } else { ":" }),
    }
}

/// The name with all parameters that have a value, a variant and a version as they are typed.
fn canonical(definition: &Definition, of: &Arguments) -> String {
    let mut name = definition.name.clone();
    let mut rest = Vec::new();
    for parameter in &definition.parameters {
        let Ok(value) = of.get(&parameter.name) else { continue };
        match parameter.name.as_str() {
            "variant" => name = format!("{name}:{value}"),
            "version" => name = format!("{name}@{value}"),
            own => rest.push(format!("{own}={value}")),
        }
    }
    let sign = if name.contains(':') { "," } else { ":" };
    if rest.is_empty() { name } else { format!("{name}{sign}{}", rest.join(",")) }
}

/// A format while its statements are applied.
struct Building<'a> {
    definition: &'a Definition,
    format: Format,
    field: Option<OpenField>,
    scope: Scope,
}

/// What the statements that follow belong to.
enum Scope {
    /// A field or tensor that is there, or the whole format.
    Whole,
    /// A tensor that these parameters do not have, or that needs one that is missing.
    SkippedTensor(Option<Error>),
    /// A field of the same kind.
    SkippedField,
}

/// A field whose pieces are still to come.
struct OpenField {
    name: String,
    kind: String,
    axes: Vec<FieldAxis>,
    digits: Vec<String>,
    bits: i64,
    pieces: Vec<Piece>,
    stored: Vec<Stored>,
    values: Vec<i64>,
}

impl Building<'_> {
    fn statement(&mut self, statement: &Statement, of: &mut Arguments) -> Result<(), Error> {
        let named = match &statement.kind {
            StatementKind::Tensor { .. } => None,
            StatementKind::Field { name, .. } => Some(name.clone()),
            StatementKind::Let(..) | StatementKind::Require(..) => return self.rule(statement, of),
            _ => {
                if !matches!(self.scope, Scope::Whole) {
                    return Ok(());
                }
                return match self.applied(statement, of) {
                    Err(error) if error.code() == Code::MissingFact && self.field.is_some() => {
                        let name = self.field.take().map(|field| field.name);
                        self.leave_open(name, &error);
                        Ok(())
                    }
                    applied => applied.map(drop),
                };
            }
        };
        self.finish_field()?;
        if let (Some(name), Scope::SkippedTensor(why)) = (&named, &self.scope) {
            if let Some(why) = why.clone() {
                self.format.open.push((name.clone(), why));
            }
            return Ok(());
        }
        self.scope = match (self.applied(statement, of), named) {
            (Ok(true), _) => Scope::Whole,
            (Ok(false), None) => Scope::SkippedTensor(None),
            (Ok(false), Some(_)) => Scope::SkippedField,
            (Err(error), None) if error.code() == Code::MissingFact => Scope::SkippedTensor(Some(error)),
            (Err(error), name @ Some(_)) if error.code() == Code::MissingFact => {
                self.leave_open(name, &error);
                Scope::SkippedField
            }
            (Err(error), _) => return Err(error),
        };
        Ok(())
    }

    /// A statement that belongs to the whole format.
    fn rule(&mut self, statement: &Statement, of: &mut Arguments) -> Result<(), Error> {
        self.applied(statement, of).map(drop)
    }

    fn leave_open(&mut self, name: Option<String>, error: &Error) {
        self.scope = Scope::SkippedField;
        self.format.open.extend(name.map(|name| (name, error.clone().about(&self.definition.name))));
    }

    /// Applies a statement whose condition holds; whether it does.
    fn applied(&mut self, statement: &Statement, of: &mut Arguments) -> Result<bool, Error> {
        let holds = statement.when.as_ref().map_or(Ok(true), |condition| condition.holds(of))?;
        if holds {
            self.apply(&statement.kind, of)?;
        }
        Ok(holds)
    }

    fn apply(&mut self, statement: &StatementKind, of: &mut Arguments) -> Result<(), Error> {
        match statement {
            StatementKind::Let(name, value) => {
                let value = value.value(of);
                of.bind(name, value)?;
            }
            StatementKind::Require(condition, message) => {
                if !condition.holds(of)? {
                    return Err(Error::new(Code::Parameter, message.clone()));
                }
            }
            StatementKind::Tensor { name, dtype, shape } => {
                let dtype = dtype.filled(of)?;
                let shape = match shape {
                    Extents::Each(extents) => {
                        extents.iter().map(|extent| extent.number(of)).collect::<Result<_, _>>()?
                    }
                    // A tag has its own padding: the extent follows from the field.
                    Extents::Auto => Vec::new(),
                };
                let dtype_bits = dtype_bits(&dtype)?;
                if let Some(extent) = shape.iter().find(|extent| **extent < 0) {
                    return Err(error!(Code::Range, "{name} would have an extent of {extent}", [name, extent]));
                }
                if self.format.tensors.iter().any(|own| own.name == *name) {
                    return Err(twice(&self.definition.name, "tensors", name));
                }
                self.format.tensors.push(Tensor { name: name.clone(), dtype, shape, dtype_bits, fill: 0 });
            }
            StatementKind::Fill(value) => {
                let value = value.number(of)?;
                let fill = u8::try_from(value).map_err(|_| error!(Code::Range, "{value} is no byte", [value]))?;
                self.format.tensors.last_mut().ok_or_else(no_tensor)?.fill = fill;
            }
            StatementKind::Field { name, axes, bits, kind } => {
                let bits = bits.number(of)?;
                if !(1..=64).contains(&bits) {
                    return Err(error!(Code::Range, "elements of {bits} bits; they have 1 to 64", [bits]));
                }
                let (mut named, mut digits) = (Vec::new(), Vec::new());
                for axis in axes {
                    field_axis(axis, of, &mut named, &mut digits)?;
                }
                let (pieces, stored, values) = (Vec::new(), Vec::new(), Vec::new());
                let (name, kind, axes) = (name.clone(), kind.clone(), named);
                self.field = Some(OpenField { name, kind, axes, digits, bits, pieces, stored, values });
            }
            StatementKind::Stored(stored) => {
                let field = self.field.as_mut().ok_or_else(no_field)?;
                field.stored.push(match stored {
                    StoredText::Xor(constant) => Stored::Xor(flipped(constant.number(of)?, field.bits)?),
                    StoredText::Add(constant) => Stored::Add(constant.number(of)?),
                    StoredText::Exponent => Stored::Exponent,
                    StoredText::Reciprocal => Stored::Reciprocal,
                });
            }
            StatementKind::Holds(values) => {
                let field = self.field.as_mut().ok_or_else(no_field)?;
                field.values = values.iter().map(|value| value.number(of)).collect::<Result<_, _>>()?;
            }
            StatementKind::Place { over, at, unit, layout } => {
                let field = self.field.as_mut().ok_or_else(no_field)?;
                let piece = field.piece(over, at.as_deref(), unit.as_ref(), layout, of)?;
                field.pieces.push(piece);
            }
        }
        Ok(())
    }

    fn finish_field(&mut self) -> Result<(), Error> {
        let Some(field) = self.field.take() else { return Ok(()) };
        let OpenField { name, kind, axes, bits, pieces, stored, values, .. } = field;
        let places = Places::new(axes, bits, pieces).map_err(|error| error.about(format!("the field {name}")))?;
        let tensor = self.format.tensors.len().checked_sub(1).ok_or_else(no_tensor)?;
        let memory = self.format.tensors.get_mut(tensor).ok_or_else(no_tensor)?;
        if memory.shape.is_empty() {
            memory.shape = vec![places.end()?.div_euclid(memory.dtype_bits)];
        }
        let memory = memory.bits()?;
        let (least, most) = places.bounds();
        if least < 0 || most >= memory {
            return Err(error!(
                Code::Range,
                "{definition_name}: the field {name} lies in bits {least} to {most} of {memory}",
                [definition_name = self.definition.name, name, least, most, memory]
            ));
        }
        if self.format.fields.iter().any(|own| own.name == name) {
            return Err(twice(&self.definition.name, "fields", &name));
        }
        let elements = places.elements()?;
        if !values.is_empty() && elements != i64::try_from(values.len()).unwrap_or(i64::MAX) {
            return Err(error!(
                Code::RankMismatch,
                "{definition_name}: the field {name} has {elements} elements, and holds {values}",
                [definition_name = self.definition.name, name, elements, values = values.len()]
            ));
        }
        self.format.fields.push(Field { name, tensor, kind, places, stored, values });
        Ok(())
    }
}

fn field_axis(
    axis: &AxisText,
    of: &Arguments,
    axes: &mut Vec<FieldAxis>,
    names: &mut Vec<String>,
) -> Result<(), Error> {
    match axis {
        AxisText::Named(name, digits) => {
            let mut radices = Vec::new();
            for (digit, radix) in digits {
                let radix = radix.number(of)?;
                if radix < 0 {
                    return Err(error!(Code::Range, "{name} would have an extent of {radix}", [name, radix]));
                }
                names.push(digit.clone());
                radices.push(radix);
            }
            axes.push(FieldAxis { name: name.clone(), digits: radices });
        }
        AxisText::Each(list) => {
            for (at, extent) in extents(list, of)?.into_iter().enumerate() {
                let name = format!("d{at}");
                names.push(name.clone());
                axes.push(FieldAxis { name, digits: vec![extent] });
            }
        }
    }
    Ok(())
}

fn extents(list: &Expression, of: &Arguments) -> Result<Vec<i64>, Error> {
    match list.value(of)? {
        Argument::List(extents) => Ok(extents),
        Argument::Number(extent) => Ok(vec![extent]),
        Argument::Word(word) => Err(error!(Code::Kind, "`{word}` is no list of extents such as 32x64", [word])),
    }
}

impl OpenField {
    fn piece(
        &self,
        over: &[(String, Expression, Expression)],
        at: Option<&[Expression]>,
        unit: Option<&Expression>,
        layout: &Template,
        of: &Arguments,
    ) -> Result<Piece, Error> {
        const BIT: &str = "bit";
        let digits = self.axes.iter().flat_map(|axis| axis.digits.iter().copied()).chain([self.bits]);
        let mut ranges: Vec<(i64, i64)> = digits.map(|digit| (0, digit)).collect();
        let mut names = self.digits.clone();
        names.push(BIT.to_owned());
        for (name, first, end) in over {
            let (first, end) = (first.number(of)?, end.number(of)?);
            let place = names.iter().position(|own| own == name);
            let range = place.and_then(|place| ranges.get_mut(place)).ok_or_else(|| {
                error!(Code::UnknownName, "{name} is no digit of {names}", [name, names = names.join(", ")])
            })?;
            if first < 0 || end < first || end > range.1 {
                return Err(error!(
                    Code::Range,
                    "{name} {first}..{end} is no part of 0..{most}",
                    [name, first, end, most = range.1]
                ));
            }
            *range = (first, end - first);
        }
        let sums = match at {
            Some(sums) => sums.iter().map(|sum| sum.affine(of, &names)).collect::<Result<Vec<_>, _>>()?,
            None => {
                let one = |at: usize| (0, (0..names.len()).map(|own| i64::from(own == at)).collect());
                (0..self.digits.len()).map(one).collect()
            }
        };
        let has_bit = at.is_some_and(|sums| sums.iter().any(|sum| sum.mentions(BIT)));
        let width = ranges.last().map_or(1, |bits| bits.1);
        let unit = match unit {
            Some(unit) => unit.number(of)?,
            None if has_bit => 1,
            None => width,
        };
        let text = layout.filled(of)?;
        let map = evaluate(&text)?.value.as_map().map_err(|error| error.about(format!("`{text}`")))?;
        let index = at.map(|_| sums.iter().map(|sum| index_text(sum, &names)).collect::<Vec<_>>().join(", "));
        Piece::of(&map, PieceText { ranges, sums, unit, text, index })
    }
}

/// A sum of axes as it is written: `3*k + bit`.
fn index_text((constant, factors): &(i64, Vec<i64>), names: &[String]) -> String {
    let mut text = String::new();
    let terms = factors.iter().zip(names).filter(|(factor, _)| **factor != 0);
    for (factor, name) in terms {
        let sign = if *factor < 0 { " - " } else { " + " };
        let times = if factor.unsigned_abs() == 1 { String::new() } else { format!("{}*", factor.unsigned_abs()) };
        text += &format!("{sign}{times}{name}");
    }
    if *constant != 0 || text.is_empty() {
        text += &format!("{}{}", if *constant < 0 { " - " } else { " + " }, constant.unsigned_abs());
    }
    text.strip_prefix(" + ").map_or_else(|| text.trim_start().to_owned(), str::to_owned)
}

fn no_tensor() -> Error {
    Error::new(Code::Syntax("bad-format"), "a field needs a tensor before it")
}

/// The constant of an xor, which has no bits beyond those of an element: these would belong to another one.
fn flipped(constant: i64, bits: i64) -> Result<i64, Error> {
    if constant >= 0 && (bits >= 63 || constant >> bits == 0) {
        return Ok(constant);
    }
    Err(error!(Code::Range, "elements of {bits} bits are not xored with {constant}", [bits, constant])
        .with_help(format!("the constant is from 0 to below 2^{bits}")))
}

pub(crate) fn no_field() -> Error {
    Error::new(Code::Syntax("bad-format"), "`place`, `stored` and `holds` need a field before them")
}

/// The bits of a type of a container: the digits of its name.
pub(crate) fn dtype_bits(dtype: &str) -> Result<i64, Error> {
    let special = ["e4m3", "e5m2", "e8m0", "bool"].iter().any(|name| dtype.contains(name));
    let digits: String = dtype.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    match digits.parse::<i64>() {
        _ if special => Ok(8),
        Ok(bits) if (1..=64).contains(&bits) => Ok(bits),
        _ => Err(error!(Code::Kind, "`{dtype}` is no type with a number of bits, such as u8 or f16", [dtype])),
    }
}
