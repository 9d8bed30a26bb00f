//! From a text to its tree, in whichever spelling of integers it is.

use std::borrow::Cow;

use bitstride::Error;
use bitstride::cute::{CopyAtom, MmaAtom};
use bitstride::notation::{BoundNames, Dialect, Expr, ExprKind, Ints, Name, Reading, code, read_with};

/// The tree of an expression, and a note for each other system whose spelling it uses. Where integers are not spelled as `ints`
/// says, so that `_5` stands in a text, it is what CuTe's C++ prints.
///
/// # Errors
/// What the text is not, as [`read`](bitstride::notation::read).
///
/// ```
/// use bitstride::notation::Ints;
/// use bitstride_lang::read_text;
/// let (tree, notes) = read_text("(_8,_64):(_64,_1)", Ints::Plain)?;
/// assert_eq!((tree.to_string().as_str(), notes.len()), ("(8,64):(64,1)", 1));
/// let (tree, notes) = read_text("Layout<Shape<_8,_64>,Stride<_64,_1>>{}", Ints::Plain)?;
/// assert_eq!((tree.to_string().as_str(), notes.join("\n").as_str()), ("(8,64):(64,1)", "read as CuTe C++"));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn read_text(text: &str, ints: Ints) -> Result<(Expr, Vec<String>), Error> {
    reading(text, ints, &|_, _| None).map(|(reading, notes)| (reading.tree, notes))
}

pub(super) fn reading(text: &str, ints: Ints, names: &BoundNames<'_>) -> Result<(Reading, Vec<String>), Error> {
    let (reading, dynamic) = match read_with(text, ints, names) {
        Ok(reading) => (reading, false),
        Err(error) if error.code == code::CPP_INTEGER => match read_with(text, Ints::Cpp, names) {
            Ok(reading) => (reading, true),
            Err(_) => return Err(error.into()),
        },
        Err(error) => return Err(error.into()),
    };
    let dynamic = dynamic || reading.mixed;
    let mut notes = Vec::new();
    if dynamic {
        notes.push(format!("read as {}: `_8` is static, `8` dynamic", Dialect::CuteCpp));
    }
    let others = reading.dialects.iter().filter(|dialect| !(dynamic && **dialect == Dialect::CuteCpp));
    notes.extend(others.map(|dialect| format!("read as {dialect}")));
    notes.extend(reading.remarks.iter().map(|remark| (*remark).to_owned()));
    Ok((reading, notes))
}

/// The instruction that a whole text names, `SM80_16x8x16_F32F16F16F32_TN` as `atom` of it, where it would be an integer that is not
/// known. So is a name with extents or types that no instruction has: `atom` says so.
pub(super) fn whole_instruction(tree: &Expr) -> Cow<'_, Expr> {
    let ExprKind::Unknown { name: Some(name), div: 1 } = &tree.kind else { return Cow::Borrowed(tree) };
    let is_extents = |part: &str| part.split('x').count() == 3 && part.split('x').all(|n| n.parse::<u16>().is_ok());
    let is_meant = name.starts_with("SM") && (name.ends_with('>') || name.split('_').any(is_extents));
    if !is_meant && MmaAtom::named(name).is_err() && CopyAtom::named(name).is_err() {
        return Cow::Borrowed(tree);
    }
    let name = Name { text: "atom".to_owned(), span: tree.span };
    let call = ExprKind::Call { name, modes: None, arguments: vec![tree.clone()] };
    Cow::Owned(Expr::new(call, tree.span))
}
