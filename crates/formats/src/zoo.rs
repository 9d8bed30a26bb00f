//! [`Zoo`]: all formats that have a name, built in and of users' own texts.
//!
//! The data is in `zoo/*.txt`, a text a family.

use std::sync::LazyLock;

use bitstride::{Code, Error, error};

use crate::definition::{Definition, Parameter};
use crate::expression::Argument;
use crate::format::{Format, shape_parameters};
use crate::spec::{Spec, argument};
use crate::suggestion::meant;

/// The texts of the formats that are built in.
const TEXTS: [(&str, &str); 12] = [
    ("gptq.txt", include_str!("zoo/gptq.txt")),
    ("marlin.txt", include_str!("zoo/marlin.txt")),
    ("gguf.txt", include_str!("zoo/gguf.txt")),
    ("gguf_tables.txt", include_str!("zoo/gguf_tables.txt")),
    ("ggml.txt", include_str!("zoo/ggml.txt")),
    ("scales.txt", include_str!("zoo/scales.txt")),
    ("amd.txt", include_str!("zoo/amd.txt")),
    ("triton.txt", include_str!("zoo/triton.txt")),
    ("caches.txt", include_str!("zoo/caches.txt")),
    ("pairs.txt", include_str!("zoo/pairs.txt")),
    ("parts.txt", include_str!("zoo/parts.txt")),
    ("blocked.txt", include_str!("zoo/blocked.txt")),
];

static BUILTIN: LazyLock<Zoo> = LazyLock::new(|| {
    let mut zoo = Zoo { definitions: Vec::new() };
    for (_, text) in TEXTS {
        // `tests/zoo.rs` reads each text.
        zoo.definitions.extend(Definition::read(text).unwrap_or_default());
    }
    zoo
});

/// Formats by name.
#[derive(Clone, Debug, Default)]
pub struct Zoo {
    definitions: Vec<Definition>,
}

impl Zoo {
    /// The formats that are built in.
    ///
    /// ```
    /// use bitstride_formats::Zoo;
    /// let format = Zoo::builtin().format("gptq:bits=4,k=64,n=32")?;
    /// assert_eq!(format.tensors[0].declared(), "i32[8,32]");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn builtin() -> &'static Zoo {
        &BUILTIN
    }

    /// The texts of the formats that are built in, by file.
    pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
        TEXTS.into_iter()
    }

    /// Adds the formats of a text; one of a name that is there replaces it.
    ///
    /// # Errors
    /// As [`Definition::read`].
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        for definition in Definition::read(text)? {
            self.definitions.retain(|own| own.name != definition.name);
            self.definitions.push(definition);
        }
        Ok(())
    }

    /// All definitions, in order.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The definition of a name. A family whose variant is a parameter, as a tag of oneDNN is, stands for all of them.
    ///
    /// # Errors
    /// [`Code::UnknownName`] with the names that are probably meant.
    pub fn definition(&self, spec: &Spec) -> Result<(&Definition, Spec), Error> {
        let find = |name: &str| self.definitions.iter().find(|own| own.name == name);
        if let Some(definition) = find(&spec.name) {
            return Ok((definition, spec.clone()));
        }
        if let Some((family, variant)) = spec.name.split_once(':')
            && let Some(definition) = find(family)
            && definition.parameters.iter().any(|parameter| parameter.name == "variant")
        {
            let spec = Spec { name: family.to_owned(), parameters: spec.parameters.clone() };
            return Ok((definition, spec.with("variant", Argument::Word(variant.to_owned()))));
        }
        let error = error!(Code::UnknownName, "{name} is the name of no format", [name = spec.name]);
        Err(error.with_help(meant(&spec.name, &self.definitions)))
    }

    /// The format of a name with its parameters.
    ///
    /// # Errors
    /// As [`Spec::read`], [`Zoo::definition`] and [`Format::new`].
    pub fn format(&self, name: &str) -> Result<Format, Error> {
        self.instance(&Spec::read(name)?)
    }

    /// The same of a name that is read.
    ///
    /// # Errors
    /// As [`Zoo::format`].
    pub fn instance(&self, spec: &Spec) -> Result<Format, Error> {
        let (definition, spec) = self.definition(spec)?;
        Format::new(definition, &spec)
    }

    /// The name with the extents of the axes of its first field, where it does not give them.
    ///
    /// # Errors
    /// As [`Zoo::definition`]; [`Code::RankMismatch`] for a shape of other axes.
    pub fn shaped(&self, spec: &Spec, extents: &[i64]) -> Result<Spec, Error> {
        let (definition, spec) = self.definition(spec)?;
        Ok(shape_parameters(definition, extents)?.into_iter().fold(spec, |spec, (name, value)| spec.with(&name, value)))
    }

    /// Names with the extents of one tensor: `k=128,n=256`, or `128,256` in the order of the first format's axes.
    ///
    /// # Errors
    /// As [`Zoo::shaped`] and [`Spec::read`]; [`Code::Syntax`] for what are no extents.
    ///
    /// ```
    /// use bitstride_formats::Zoo;
    /// let specs = Zoo::builtin().specs(&["gptq:v1", "marlin"], Some("128,256"))?;
    /// assert_eq!(specs[1].to_string(), "marlin:k=128,n=256");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn specs(&self, names: &[&str], shape: Option<&str>) -> Result<Vec<Spec>, Error> {
        let mut specs = names.iter().map(|name| Spec::read(name)).collect::<Result<Vec<_>, _>>()?;
        let Some(shape) = shape else { return Ok(specs) };
        let unread = |part: &str| {
            error!(Code::Syntax("bad-number"), "`{part}` of the shape {shape} is no whole number", [part, shape])
                .with_help("extents such as 128,256 or k=128,n=256")
        };
        let has = |definition: &Definition, name: &str| definition.parameters.iter().any(|own| own.name == name);
        let given: Vec<(String, Argument)> = if shape.contains('=') {
            let parts = shape.split(',').map(|part| {
                let (name, extent) = part.split_once('=').ok_or_else(|| unread(part))?;
                let (name, value) = (name.trim(), argument(extent.trim()));
                let own = specs.iter().filter_map(|spec| self.definition(spec).ok());
                let own: Vec<_> = own.flat_map(|(definition, _)| &definition.parameters).collect();
                if !own.iter().any(|parameter| parameter.name == name) {
                    return Err(unknown_parameter(name, &own));
                }
                let takes_words =
                    |own: &&&Parameter| own.name == name && (own.values.is_some() || own.default.is_some());
                if matches!(value, Argument::Word(_)) && !own.iter().any(|own| takes_words(&own)) {
                    return Err(unread(part));
                }
                Ok((name.to_owned(), value))
            });
            parts.collect::<Result<_, Error>>()?
        } else {
            let extents = shape.split(',').map(|part| part.trim().parse::<i64>().map_err(|_| unread(part)));
            let extents = extents.collect::<Result<Vec<_>, _>>()?;
            let first = specs.first().cloned().ok_or_else(|| unread(shape))?;
            let named = self.shaped(&Spec { name: first.name.clone(), parameters: Vec::new() }, &extents)?.parameters;
            // Formats of other axes take the extents by their own order.
            for spec in specs.iter_mut().skip(1) {
                let (definition, _) = self.definition(spec)?;
                if !named.iter().any(|(name, _)| has(definition, name)) {
                    *spec = self.shaped(spec, &extents)?;
                }
            }
            named
        };
        for spec in &mut specs {
            let (definition, _) = self.definition(spec)?;
            for (name, value) in given.iter().filter(|(name, _)| has(definition, name)) {
                *spec = spec.clone().with(name, value.clone());
            }
        }
        Ok(specs)
    }
}

/// Refuses an extent that no format takes, which would change nothing.
fn unknown_parameter(name: &str, known: &[&Parameter]) -> Error {
    let mut names: Vec<&str> = known.iter().map(|own| own.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    error!(Code::Parameter, "no format here has the parameter {name} of the shape", [name])
        .with_help(format!("there are {}", names.join(", ")))
}
