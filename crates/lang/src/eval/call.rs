//! Calls: the named operation applied to its arguments, by mode where modes are given. [`call`] takes values, and what an
//! expression calls takes trees.

use super::limits::bounded;
use super::tree::value;
use crate::answer::Answer;
use crate::format_names::{format_rank, is_format};
use crate::functions::{named, operation, unknown};
use crate::operation::{Calls, Operation};
use crate::parameters::Kind;
use crate::value::{Entry, Value};
use crate::wrong_kind::unknown_name;
use bitstride::abridged::abridged;
use bitstride::cute::{Layout, Offset};
use bitstride::notation::{Expr, ExprKind, Name};
use bitstride::{Code, Error, Tuple, error};

/// The value of `name[modes](arguments)`.
pub(super) fn called(
    name: &Name,
    modes: Option<&[Expr]>,
    arguments: &[Expr],
    notes: &mut Vec<String>,
) -> Result<Value, Error> {
    if let (true, Some(modes), [whole]) = (matches!(name.text.as_str(), "get" | "layout"), modes, arguments) {
        let path = path(modes, notes)?;
        return part(&name.text, &value(whole, notes)?, &path);
    }
    if let (Some(is_free), None, [whole, coordinate]) = (keeps_free(&name.text), modes, arguments) {
        let (whole, coordinate) = (value(whole, notes)?, value(coordinate, notes)?);
        return sliced(whole, coordinate, is_free, notes);
    }
    let Some(operation) = operation(&name.text) else {
        if let (None, Some(tag)) = (modes, format_tag(&name.text, arguments, notes)) {
            notes.push(format!("read as a format of oneDNN: tag({}, …)", name.text));
            return tag.map_err(|error| error.with_span(name.span));
        }
        return Err(unknown(&name.text).with_span(name.span));
    };
    let (mut values, mut by_modes) = (Vec::new(), None);
    for (at, argument) in arguments.iter().enumerate() {
        let kind = operation.parameters.get(at).map(|parameter| parameter.kind);
        let given = match &argument.kind {
            ExprKind::Name(name) if kind == Some(Kind::Operation) => Value::Text(name.text.clone()),
            _ => operand(value(argument, notes)?),
        };
        if let (Some(Kind::Tiler), ExprKind::Tuple(_), Value::Layout(layout)) = (kind, &argument.kind, &given) {
            by_modes = Some(tiler_of_modes(layout));
        }
        values.push(given);
    }
    notes.extend(by_modes.clone());
    operation.check_arity(values.len())?;
    let answer = match modes {
        None => applied(operation, &values, notes),
        Some(modes) => by_mode(operation, &path(modes, notes)?, &values, notes),
    };
    let answer = answer.map_err(|mut error| {
        if let Some(by_modes) = by_modes {
            let help = error.help().map(|help| format!("{help}; {by_modes}"));
            error = error.with_help(help.unwrap_or(by_modes));
        }
        // A word that is the name of nothing is blamed itself.
        let blamed = |(value, _): &(&Value, &Expr)| matches!(value, Value::Name(name) if unknown_name(*name) == error);
        match values.iter().zip(arguments).find(blamed) {
            Some((_, argument)) => error.with_span(argument.span),
            None => error,
        }
    })?;
    bounded(&answer)?;
    Ok(answer)
}

/// What a tuple of layouts is where a tiler may stand: one layout, while CuTe and its prints mean a tiler by it.
fn tiler_of_modes(layout: &Layout) -> String {
    let modes: Vec<String> = layout.modes().iter().map(ToString::to_string).collect();
    format!(
        "the layouts in round brackets are one layout, {layout}; the tiler that has one for each mode is <{}>",
        modes.join(", ")
    )
}

/// `NHWC(2,3,4,5)`: a format of oneDNN with its extents, where the name is a tag for as many dims. A tag has its letters once each in
/// the order of memory, which no name of an operation is; so nothing else can be meant.
fn format_tag(name: &str, arguments: &[Expr], notes: &mut Vec<String>) -> Option<Result<Value, Error>> {
    let rank = format_rank(name)?;
    let mut shape = Vec::new();
    for argument in arguments {
        shape.extend(crate::numbers::numbers(&value(argument, notes).ok()?).ok()?);
    }
    if shape.len() == rank {
        return Some(crate::mapped::tagged(name, &shape));
    }
    is_format(name).then(|| {
        Err(error!(
            Code::RankMismatch,
            "the format {name} is of {rank} dims, here are the sizes of {shape_count}",
            [name, rank, shape_count = shape.len()]
        ))
    })
}

/// The operation of a name, applied to values.
///
/// # Errors
/// [`Code::UnknownName`], [`Code::Arity`], and what the operation refuses. There is no text, so that errors have no span. An
/// unknown integer brings its divisor with each operand; in a text, one mention is enough.
///
/// ```
/// use bitstride_lang::{call, evaluate};
/// let operands = [evaluate("(6,2):(8,2)")?.value, evaluate("(4,3):(3,1)")?.value];
/// assert_eq!(call("composition", &operands)?.value.to_string(), "((2,2),3):((24,2),8)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn call(name: &str, values: &[Value]) -> Result<Answer, Error> {
    let operation = named(name)?;
    operation.check_arity(values.len())?;
    let mut notes = Vec::new();
    let value = if values.iter().any(|value| matches!(value, Value::Text(_))) {
        let kinds = operation.parameters.iter().map(|parameter| Some(parameter.kind)).chain(std::iter::repeat(None));
        let read = |(value, kind): (&Value, _)| {
            if kind == Some(Kind::Operation) { value.clone() } else { operand(value.clone()) }
        };
        let values: Vec<Value> = values.iter().zip(kinds).map(read).collect();
        applied(operation, &values, &mut notes)
    } else {
        applied(operation, values, &mut notes)
    }?;
    bounded(&value)?;
    Ok(Answer { value, notes: notes.into_iter().map(abridged).collect() })
}

/// What operations that apply others get.
const CALLS: Calls = Calls { named, call };

fn applied(operation: &Operation, values: &[Value], notes: &mut Vec<String>) -> Result<Value, Error> {
    operation.apply.to(values, &CALLS, notes).map_err(|error| match other_order(operation, values, &error) {
        Some(call) => error.with_help(format!("the other way round it has an answer: `{call}`")),
        None => error,
    })
}

/// The call with its first two arguments exchanged, where these are of different kinds and the call then has an answer.
fn other_order(operation: &Operation, values: &[Value], error: &Error) -> Option<String> {
    let is_about_kinds = matches!(error.code(), Code::Kind | Code::Profile) && error.help().is_none();
    let ([first, second, rest @ ..], [of_first, of_second, ..]) = (values, operation.parameters) else { return None };
    if !is_about_kinds || of_first.kind == of_second.kind {
        return None;
    }
    let mut exchanged = vec![second.clone(), first.clone()];
    exchanged.extend_from_slice(rest);
    operation.apply.to(&exchanged, &CALLS, &mut Vec::new()).ok()?;
    let written: Vec<String> = exchanged.iter().map(ToString::to_string).collect();
    Some(abridged(format!("{}({})", operation.name, written.join(", "))))
}

/// A text that an operation answered is what it says, where it is one of the language.
fn operand(value: Value) -> Value {
    let Value::Text(text) = &value else { return value };
    super::of_text(text).ok().filter(|said| !matches!(said, Value::Text(_))).unwrap_or(value)
}

/// The numbers in `op[…]` or `op<…>`.
fn path(modes: &[Expr], notes: &mut Vec<String>) -> Result<Vec<usize>, Error> {
    let mut path = Vec::new();
    for mode in modes {
        path.push(value(mode, notes)?.as_index().map_err(|error| error.with_span(mode.span))?);
    }
    Ok(path)
}

/// CuTe's `get<…>` and `layout<…>`: the mode of a layout. `get` of a tuple is its entry.
fn part(name: &str, whole: &Value, path: &[usize]) -> Result<Value, Error> {
    let (Value::Tuple(tuple), "get") = (whole, name) else {
        return whole.as_function()?.map_domain(&|layout| layout.get(path)).map(Value::from);
    };
    let entry = path.iter().try_fold(tuple.clone(), |tuple, at| {
        let rank = tuple.rank();
        let entry = tuple.entries().into_iter().nth(*at).filter(|_| !tuple.is_leaf());
        entry.ok_or_else(|| error!(Code::NoMode, "there is no entry {at}: {tuple} has {rank}", [at, tuple, rank]))
    });
    entry.map(Value::Tuple)
}

/// Whether `slice_` and `dice_` of CuTe DSL keep the free entries of a coordinate; `None` for other names.
fn keeps_free(name: &str) -> Option<bool> {
    match name {
        "slice_" => Some(true),
        "dice_" => Some(false),
        _ => None,
    }
}

/// A slice as CuTe DSL means it: of a tuple the entries that are kept, of a layout the operation.
fn sliced(whole: Value, coordinate: Value, is_free: bool, notes: &mut Vec<String>) -> Result<Value, Error> {
    let (Value::Tuple(entries), Value::Tuple(at)) = (&whole, &coordinate) else {
        let operation = named(if is_free { "slice" } else { "dice" })?;
        return applied(operation, &[whole, coordinate], notes);
    };
    fn kept(entries: &Tuple<Entry>, at: &Tuple<Entry>, is_free: bool) -> Result<Vec<Tuple<Entry>>, Error> {
        if at.is_leaf() || entries.is_leaf() {
            let is_kept = matches!(at.as_leaf(), Some(Entry::Keep)) == is_free;
            return Ok(if is_kept { vec![entries.clone()] } else { Vec::new() });
        }
        let (parts, places) = (entries.entries(), at.entries());
        if parts.len() != places.len() {
            return Err(error!(Code::Profile, "{at} is no coordinate of {entries}", [at, entries]));
        }
        let mut all = Vec::new();
        for (part, place) in parts.iter().zip(&places) {
            // What is kept of a nested entry stays together.
            match (part.is_leaf(), place.is_leaf()) {
                (false, false) => all.push(Tuple::of(&kept(part, place, is_free)?)),
                _ => all.extend(kept(part, place, is_free)?),
            }
        }
        Ok(all)
    }
    kept(entries, at, is_free).map(|parts| Value::Tuple(Tuple::of(&parts)))
}

/// The operation on one mode of its first argument, the others staying as they are.
fn by_mode(operation: &Operation, path: &[usize], values: &[Value], notes: &mut Vec<String>) -> Result<Value, Error> {
    let Some((first, rest)) = values.split_first() else {
        return Err(error!(Code::Arity, "{name}[…] needs an argument", [name = operation.name]));
    };
    let whole = first.as_function()?;
    let mut arguments = vec![Value::Layout(whole.domain()?.get(path)?)];
    arguments.extend_from_slice(rest);
    let answer = applied(operation, &arguments, notes)?;
    let Offset { layout: mode, offset } = match &answer {
        Value::Layout(_) | Value::Offset(_) => answer.as_slice()?,
        // A question about a mode is answered for that mode.
        _ => return Ok(answer),
    };
    let changed =
        whole.map_slice(&|layout| Ok(Offset { layout: replaced(layout, path, &mode)?, offset: offset.clone() }))?;
    Ok(changed.into())
}

fn replaced(layout: &Layout, path: &[usize], mode: &Layout) -> Result<Layout, Error> {
    let Some((first, rest)) = path.split_first() else {
        return Ok(mode.clone());
    };
    let inner = replaced(&layout.get(&[*first])?, rest, mode)?;
    if layout.root().is_leaf() {
        return Ok(inner);
    }
    let mut modes = layout.modes();
    if let Some(place) = modes.get_mut(*first) {
        *place = inner;
    }
    Ok(Layout::of(&modes))
}

#[cfg(test)]
mod tests {
    use crate::evaluate;
    use bitstride::Code;

    #[test]
    fn a_word_that_names_nothing_is_blamed() {
        for (text, word) in [("size(coalesce)", "coalesce"), ("4:m", "m"), ("word", "word"), ("4:1 o word", "word")] {
            let error = evaluate(text).expect_err(text);
            let at = error.span().map(|span| span.of(text));
            assert_eq!((error.code(), at), (Code::UnknownName, Some(word)), "{text}");
            assert!(error.help().is_some_and(|help| help.contains("size(4:1)")), "{error}");
        }
    }
}
