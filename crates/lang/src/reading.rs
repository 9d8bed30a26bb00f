//! From a text to its tree, in whichever spelling of integers it is.

use bitstride::Error;
use bitstride::notation::{Dialect, Expr, Ints, Reading, code, read};

/// The tree of an expression, and a note for each other system whose spelling it uses. Where integers are not spelled as `ints`
/// says, so that `_5` stands in a text, it is what CuTe's C++ prints.
///
/// # Errors
/// What the text is not, as [`read`].
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
    reading(text, ints).map(|(reading, notes)| (reading.tree, notes))
}

pub(super) fn reading(text: &str, ints: Ints) -> Result<(Reading, Vec<String>), Error> {
    let (reading, dynamic) = match read(text, ints) {
        Ok(reading) => (reading, false),
        Err(error) if error.code == code::CPP_INTEGER => match read(text, Ints::Cpp) {
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
