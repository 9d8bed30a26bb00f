//! [`Zoo`]: all formats that have a name, built in and of users' own texts.
//!
//! The data is in `zoo/*.txt`, a text a family.

use std::sync::LazyLock;

use bitstride::{Code, Error, error};

use crate::definition::{Definition, Parameter};
use crate::expression::Argument;
use crate::format::Format;
use crate::shape::shape_parameters;
use crate::spec::{Spec, argument};
use crate::stack::EXPERTS;
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

    /// The definition of a name, in small or capital letters. A family whose variant is a parameter, as a tag of oneDNN is, stands for all of them.
    ///
    /// # Errors
    /// [`Code::UnknownName`] with the names that are probably meant; [`Code::Parameter`] for a name of one variant with another
    /// one as its parameter.
    pub fn definition(&self, spec: &Spec) -> Result<(&Definition, Spec), Error> {
        // Programs write `q4_k` and `Q4_K` for one type of blocks.
        let find = |name: &str| {
            let mut alike = self.definitions.iter().filter(|own| own.name.eq_ignore_ascii_case(name));
            let exact = self.definitions.iter().find(|own| own.name == name);
            exact.or_else(|| alike.next().filter(|_| alike.next().is_none()))
        };
        if let Some(definition) = find(&spec.name) {
            return Ok((definition, spec.clone()));
        }
        if let Some((family, variant)) = spec.name.split_once(':')
            && let Some(definition) = find(family)
            && definition.parameters.iter().any(|parameter| parameter.name == "variant")
        {
            let given = spec.parameters.iter().find(|(name, _)| name == "variant").map(|(_, value)| value.to_string());
            if let Some(other) = given.filter(|given| given != variant) {
                return Err(error!(
                    Code::Parameter,
                    "{name} is the variant {variant}, and variant={other} another one",
                    [name = spec.name, variant, other]
                )
                .with_help("leave one of them out"));
            }
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

    /// Names with the extents of one tensor: `k=128,n=256`, or `128,256` in the order of the first format's axes.
    ///
    /// Formats that have the axes of the first take these extents by name, and formats of other axes by their own order.
    ///
    /// # Errors
    /// As [`Zoo::definition`] and [`Spec::read`]; [`Code::RankMismatch`] for a shape of other axes; [`Code::Syntax`] for what are no
    /// extents; [`Code::Parameter`] where a name gives another extent than the shape.
    ///
    /// ```
    /// use bitstride_formats::Zoo;
    /// let specs = Zoo::builtin().specs(&["gptq:v1", "marlin"], Some("128,256"))?;
    /// assert_eq!(specs[1].to_string(), "marlin:k=128,n=256");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn specs(&self, names: &[&str], shape: Option<&str>) -> Result<Vec<Spec>, Error> {
        let specs = names.iter().map(|name| Spec::read(name)).collect::<Result<Vec<_>, _>>()?;
        let Some(shape) = shape else { return Ok(specs) };
        let definitions = specs.iter().map(|spec| Ok(self.definition(spec)?.0)).collect::<Result<Vec<_>, Error>>()?;
        let given = if shape.contains('=') {
            let own: Vec<&Parameter> = definitions.iter().flat_map(|own| &own.parameters).collect();
            let given = named_extents(shape, &own)?;
            vec![given; specs.len()]
        } else {
            let extents = shape.split(',').map(|part| part.trim().parse().map_err(|_| unread(part, shape)));
            let extents = extents.collect::<Result<Vec<i64>, _>>()?;
            let first = definitions.first().ok_or_else(|| unread(shape, shape))?;
            let first = shape_parameters(first, &extents)?;
            definitions.iter().map(|own| extents_for(own, &first, &extents)).collect::<Result<_, _>>()?
        };
        let all = specs.into_iter().zip(definitions).zip(given);
        all.map(|((spec, definition), given)| {
            let own = given.into_iter().filter(|(name, _)| has(definition, name));
            own.into_iter().try_fold(spec, |spec, (name, value)| with_extent(spec, &name, value))
        })
        .collect()
    }
}

fn has(definition: &Definition, name: &str) -> bool {
    name == EXPERTS || definition.parameters.iter().any(|own| own.name == name)
}

fn unread(part: &str, shape: &str) -> Error {
    error!(Code::Syntax("bad-number"), "`{part}` of the shape {shape} is no whole number", [part, shape])
        .with_help("extents such as 128,256 or k=128,n=256")
}

/// The extents of a shape whose axes are named.
fn named_extents(shape: &str, known: &[&Parameter]) -> Result<Vec<(String, Argument)>, Error> {
    let parts = shape.split(',').map(|part| {
        let (name, extent) = part.split_once('=').ok_or_else(|| unread(part, shape))?;
        let (name, value) = (name.trim(), argument(extent.trim()));
        let mut own = known.iter().filter(|own| own.name == name).peekable();
        if own.peek().is_none() && name != EXPERTS {
            return Err(unknown_parameter(name, known));
        }
        let takes_words = |own: &&Parameter| own.values.is_some() || own.default.is_some();
        if matches!(value, Argument::Word(_)) && !own.any(takes_words) {
            return Err(unread(part, shape));
        }
        Ok((name.to_owned(), value))
    });
    parts.collect()
}

/// The extents of a format, where those of the first format are known by name.
fn extents_for(
    definition: &Definition,
    first: &[(String, Argument)],
    extents: &[i64],
) -> Result<Vec<(String, Argument)>, Error> {
    let mut shared = first.iter().filter(|(name, _)| has(definition, name)).peekable();
    if shared.peek().is_none() {
        return shape_parameters(definition, extents);
    }
    let by_name: Vec<_> = shared.cloned().collect();
    if by_name.len() == first.len() {
        return Ok(by_name);
    }
    // Of axes that are only partly the same, both ways have to agree.
    match shape_parameters(definition, extents) {
        Ok(own) if by_name.iter().all(|shared| own.contains(shared)) => Ok(own),
        _ => Ok(by_name),
    }
}

/// A name with an extent, which it must not contradict.
fn with_extent(spec: Spec, name: &str, value: Argument) -> Result<Spec, Error> {
    match spec.parameters.iter().find(|(own, _)| own == name) {
        Some((_, own)) if *own != value => Err(error!(
            Code::Parameter,
            "{spec} has {name}={own}, and the shape {name}={value}",
            [spec, name, own, value]
        )
        .with_help("leave one of them out")),
        _ => Ok(spec.with(name, value)),
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
