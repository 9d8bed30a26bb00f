//! [`Spec`]: the name of a format as it is typed: `gptq:bits=4,group=128`, `ct:pack@0.20,bits=3`, `gguf:q4_0`.
//!
//! A family, a variant behind a colon, a version behind `@`, and parameters between commas. Parameters may stand behind
//! the colon where a family has no variant. A value is an integer, extents such as `32x64`, or a word.
//!
//! Law: the text of a name is read back as the same name.

use std::fmt;

use bitstride::{Code, Error, error};

use crate::expression::Argument;

/// A name of a format with some of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The family, with the variant behind a colon.
    pub name: String,
    /// The parameters that are given, the version as `version`.
    pub parameters: Vec<(String, Argument)>,
}

/// The most bytes of a name.
const MAX_BYTES: usize = 4096;

impl Spec {
    /// A name from its text.
    ///
    /// # Errors
    /// [`Code::Syntax`] for what is no name.
    ///
    /// ```
    /// use bitstride_formats::Spec;
    /// let spec = Spec::read("ct:pack@0.20,bits=3")?;
    /// assert_eq!((spec.name.as_str(), spec.parameters.len()), ("ct:pack", 2));
    /// assert_eq!(spec.to_string(), "ct:pack,version=0.20,bits=3");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, Error> {
        let bad = |what: &str| {
            let start: String = text.chars().take(80).collect();
            error!(Code::Syntax("bad-format-name"), "`{start}` is no name of a format: {what}", [start, what])
                .with_help("a name is family:variant@version,parameter=value")
        };
        if text.len() > MAX_BYTES {
            return Err(bad("it is too long"));
        }
        let text = text.trim();
        let mut parts = text.split(',').map(str::trim);
        let first = parts.next().unwrap_or_default();
        let mut parameters = Vec::new();
        let mut add = |text: &str| match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                let name = name.trim().to_owned();
                if parameters.iter().any(|(own, _)| *own == name) {
                    return Err(bad(&format!("{name} is given twice")));
                }
                parameters.push((name, argument(value.trim())));
                Ok(())
            }
            _ => Err(bad(&format!("`{text}` is no parameter=value"))),
        };
        let (family, behind) = first.split_once(':').map_or((first, None), |(family, behind)| (family, Some(behind)));
        let (name, own) = match behind {
            Some(behind) if behind.contains('=') => (family.to_owned(), Some(behind)),
            Some(behind) => (format!("{family}:{behind}"), None),
            None => (family.to_owned(), None),
        };
        let name = match name.split_once('@') {
            Some((name, version)) => {
                add(&format!("version={version}"))?;
                name.to_owned()
            }
            None => name,
        };
        own.into_iter().chain(parts).try_for_each(add)?;
        if name.is_empty() || name.starts_with(':') || name.ends_with(':') {
            return Err(bad("it begins with a family, and something stands behind a colon"));
        }
        if name.chars().any(|c| c.is_whitespace() || c == '=') {
            return Err(bad("a family or variant has no blanks and no ="));
        }
        Ok(Spec { name, parameters })
    }

    /// The name with a parameter, unless it has a value already.
    #[must_use]
    pub fn with(mut self, name: &str, value: Argument) -> Self {
        if !self.parameters.iter().any(|(own, _)| own == name) {
            self.parameters.push((name.to_owned(), value));
        }
        self
    }
}

/// The value of a parameter.
pub fn argument(text: &str) -> Argument {
    let list: Option<Vec<i64>> = text.split('x').map(|extent| extent.parse().ok()).collect();
    match (text.parse(), list) {
        (Ok(number), _) => Argument::Number(number),
        (_, Some(extents)) => Argument::List(extents),
        _ => Argument::Word(text.to_owned()),
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (at, (name, value)) in self.parameters.iter().enumerate() {
            let sign = if at == 0 && !self.name.contains(':') { ':' } else { ',' };
            write!(f, "{sign}{name}={value}")?;
        }
        Ok(())
    }
}
