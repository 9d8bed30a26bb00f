//! The parameters that a name leaves open, of the data that another format describes.
//!
//! `check` and `repack` both read the second name this way, so that they answer for the same two formats.
//!
//! Law: a parameter is taken over only where the name says nothing of it and the tensors would be others without it; how
//! elements are arranged, such as a tile or an order, is never taken over.

use bitstride::{Code, Error};

use crate::definition::Parameter;
use crate::format::{Field, Format};
use crate::spec::Spec;
use crate::stack::{EXPERTS, is_stackable};
use crate::zoo::Zoo;

/// The parameters that choose a layout of a family.
const LAYOUT: [&str; 2] = ["variant", "version"];

impl Zoo {
    /// The format of a name that holds the data of another format: extents that the name leaves open are those of the data, and so
    /// are bits, kinds and sizes of groups whose usual values would make other tensors.
    ///
    /// # Errors
    /// As [`Zoo::instance`].
    ///
    /// ```
    /// use bitstride_formats::{Spec, Zoo};
    /// let zoo = Zoo::builtin();
    /// let known = zoo.format("marlin:bits=8,act=8,k=256,n=512")?;
    /// assert_eq!(zoo.holding(&Spec::read("marlin")?, &known)?.name, "marlin:bits=8,k=256,n=512,group=128,act=16");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn holding(&self, spec: &Spec, known: &Format) -> Result<Format, Error> {
        let (definition, mut spec) = self.definition(spec)?;
        let is_open = |spec: &Spec, own: &&Parameter| {
            !LAYOUT.contains(&own.name.as_str()) && !spec.parameters.iter().any(|(name, _)| *name == own.name)
        };
        let value = |own: &Parameter| known.parameters.iter().find(|(name, _)| *name == own.name).map(|own| &own.1);
        if let Some((_, experts)) = known.parameters.iter().find(|(name, _)| name == EXPERTS)
            && is_stackable(definition)
        {
            spec = spec.with(EXPERTS, experts.clone());
        }
        for own in definition.parameters.iter().filter(|own| own.default.is_none()) {
            if let Some(value) = value(own).filter(|_| is_open(&spec, &own)) {
                spec = spec.with(&own.name, value.clone());
            }
        }
        for own in definition.parameters.iter().filter(|own| own.default.is_some()) {
            let Some(value) = value(own).filter(|_| is_open(&spec, &own)) else { continue };
            let changed = spec.clone().with(&own.name, value.clone());
            let with = match self.instance(&changed) {
                Ok(with) => with,
                // The usual value would make elements of another width, so that this is why the format cannot hold the data.
                Err(why) if why.code() == Code::NotDivisible && self.is_of_other_width(&spec, known) => {
                    return Err(why);
                }
                Err(_) => continue,
            };
            let is_nearer = |without: Format| {
                // Where it changes nothing, the name says what the data has.
                let is_same = with.tensors == without.tensors && with.fields == without.fields;
                is_same || unlike(&with, known) < unlike(&without, known)
            };
            if self.instance(&spec).map_or(true, is_nearer) {
                spec = changed;
            }
        }
        self.instance(&spec)
    }

    /// Whether a field of a name has elements of another width than that of a known format.
    fn is_of_other_width(&self, spec: &Spec, known: &Format) -> bool {
        let width = |field: &Field| known.field(&field.name).map(|own| own.places.element_bits());
        let is_other = |field: &Field| width(field).is_ok_and(|own| own != field.places.element_bits());
        self.instance(spec).is_ok_and(|own| own.fields.iter().any(is_other))
    }

    /// The formats of what writes data and of what reads it.
    ///
    /// # Errors
    /// As [`Zoo::holding`].
    pub fn pair(&self, producer: &Spec, consumer: &Spec) -> Result<(Format, Format), Error> {
        let producer = self.instance(producer)?;
        let consumer = self.holding(consumer, &producer)?;
        Ok((producer, consumer))
    }
}

/// In how many kinds, sizes of elements and extents of fields two formats differ.
fn unlike(one: &Format, other: &Format) -> usize {
    let facts = |format: &Format| {
        let fields = format.fields.iter().flat_map(|field| {
            let axes = field.places.axes().iter();
            let axes = axes.map(|own| (field.name.clone(), own.name.clone(), own.extent().unwrap_or(0)));
            let whole = [(field.name.clone(), field.kind.clone(), field.places.element_bits())];
            axes.chain(whole).collect::<Vec<_>>()
        });
        fields.collect::<Vec<_>>()
    };
    let (one, other) = (facts(one), facts(other));
    one.iter().filter(|own| !other.contains(own)).count() + other.iter().filter(|own| !one.contains(own)).count()
}
