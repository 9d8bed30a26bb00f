//! A sharding in another notation, exactly, or the obstruction.
//!
//! Tiles and chunks are converted by the digits of each dim. Where sizes are uneven the two rules differ, so that the answer is
//! compared with the question before it is given.

use super::digits::index_digits;
use super::hlo::HloKind;
use super::mesh::Part;
use super::placement::{Placement, Role, Rule, Spread};
use super::tensor::{Notation, Sharding};
use super::{dtensor, shardy, spec};
use crate::error::{Code, Error};

impl Notation {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Hlo => "HLO",
            Notation::HloMesh => "HLO with a mesh",
            Notation::Jax => "JAX",
            Notation::Shardy => "Shardy",
            Notation::DTensor => "DTensor",
        }
    }
}

impl Sharding {
    /// The same sharding in another notation.
    ///
    /// # Errors
    /// [`Code::NotALayout`] with the obstruction, where the notation does not say it; [`Code::NotDivisible`] where JAX refuses what
    /// does not divide; [`Code::MissingFact`] where the number of devices is needed; [`Code::TooLarge`].
    ///
    /// ```
    /// use bitstride::sharding::{Notation, Sharding};
    /// let jax: Sharding = "shard(f32[8,6], P(('b','a'), None), mesh(a=2,b=4))".parse()?;
    /// let torch = jax.to(Notation::DTensor)?;
    /// assert_eq!(torch.to_string(), "shard(f32[8,6], [_StridedShard(0, split_factor=4), Shard(0)], mesh(a=2,b=4))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to(&self, notation: Notation) -> Result<Sharding, Error> {
        let placement = match notation {
            Notation::DTensor => self.chunks()?,
            Notation::Hlo => self.tiles()?,
            Notation::HloMesh | Notation::Jax | Notation::Shardy => named(&self.tiles()?)?,
        };
        // Whatever has no text in the notation is refused with the reason.
        match notation {
            Notation::DTensor => drop(dtensor::written(&placement)?),
            Notation::Jax => {
                drop(spec::written(&placement).map_err(|error| split_mesh(error, &placement, self, notation))?)
            }
            Notation::Shardy => drop(shardy::written(&placement)?),
            Notation::HloMesh => drop(super::hlo_mesh::written(&placement, '"')?),
            Notation::Hlo => {
                let text = super::hlo::HloText::of(&placement)?;
                // XLA sorts devices that hold copies, and so may tell others to be added together.
                if matches!(&text.kind, HloKind::Tiled { groups, .. } if groups.len() > 1) {
                    let comparison = self.compare(&self.with(text.placement()?, Notation::Hlo)?)?;
                    if !comparison.holds() {
                        return Err(error!(
                            Code::NotALayout,
                            "XLA sorts devices that hold copies: in {text}, as the second, {comparison}",
                            [text, comparison]
                        )
                        .with_help("hlo_mesh writes it with its mesh"));
                    }
                }
            }
        }
        let other = self.with(placement, notation)?;
        let is_same_rule = self.placement().rules == other.placement().rules;
        if !is_same_rule && self.devices().is_ok() {
            let comparison = self.compare(&other)?;
            if !comparison.holds() {
                return Err(error!(
                    Code::NotALayout,
                    "{name} does not say it: in {other}, as the second, {comparison}",
                    [name = notation.name(), other, comparison]
                )
                .with_help("XLA pads the last tiles, and PyTorch cuts each chunk anew: sizes that divide have both"));
            }
        }
        Ok(other)
    }

    /// The text of the sharding in another notation.
    ///
    /// # Errors
    /// As [`Sharding::to`].
    pub fn written(&self, notation: Notation) -> Result<String, Error> {
        self.to(notation)?.text()
    }

    /// The placement with tiles in all dims.
    fn tiles(&self) -> Result<Placement, Error> {
        let placement = self.placement();
        if placement.spread != Spread::Mesh || placement.rules.iter().all(|rule| matches!(rule, Rule::Tiled(_))) {
            return Ok(placement.clone());
        }
        let mut dims: Vec<Vec<Part>> = Vec::new();
        for (dim, (rule, extent)) in placement.rules.iter().zip(self.shape()).enumerate() {
            let digits = index_digits(placement, rule, *extent)
                .or_else(|| index_digits(placement, rule, virtual_extent(placement, rule)?));
            let Some(digits) = digits else {
                return Err(error!(
                    Code::NotALayout,
                    "the chunks of dim {dim} do not nest, so that no digits say which device has an index",
                    [dim]
                ));
            };
            let mut parts: Vec<Part> = Vec::new();
            let mut local = 1;
            for (radix, owner) in digits.iter().filter(|(radix, _)| *radix > 1) {
                let Some((digit, below)) = owner else {
                    local = *radix;
                    continue;
                };
                if local > 1 {
                    return Err(error!(
                        Code::NotALayout,
                        "dim {dim} has a local digit of {local} above the device digit of {radix}: a device holds blocks with gaps between",
                        [dim, local, radix]
                    ).with_help(format!(
                        "a tensor whose dim {dim} is split in two, {local} times the rest, has such a sharding of its second part"
                    )));
                }
                let Some(whole) = placement.digits.get(*digit).map(|digit| digit.part) else { continue };
                let part = Part { before: whole.before * (whole.size / (below * radix)), size: *radix, ..whole };
                match parts.last_mut() {
                    Some(last) if last.axis == part.axis && last.before * last.size == part.before => {
                        last.size *= part.size
                    }
                    _ => parts.push(part),
                }
            }
            dims.push(parts);
        }
        let others: Vec<(Part, Role)> = placement
            .digits
            .iter()
            .filter(|digit| !matches!(digit.role, Role::Holds))
            .map(|digit| (digit.part, digit.role.clone()))
            .collect();
        Placement::named(placement.mesh.clone(), &dims, &others)
    }

    /// The placement with chunks in all dims: each axis acts in its turn, between the digits that come later.
    fn chunks(&self) -> Result<Placement, Error> {
        if self.placement().rules.iter().any(|rule| matches!(rule, Rule::Chunked(_)))
            && self.placement().spread == Spread::Mesh
        {
            return Ok(self.placement().clone());
        }
        self.devices()?;
        let mut placement = match self.placement().mesh.is_unnamed() {
            true => self.placement().with_axes_of_parts()?,
            false => self.placement().clone(),
        };
        for digit in &placement.digits {
            if placement.mesh.axes.get(digit.part.axis).is_none_or(|axis| axis.size != digit.part.size) {
                let error = error!(
                    Code::NotALayout,
                    "{axis} is a part of an axis; placements are of whole dims of the mesh",
                    [axis = placement.mesh.written(digit.part, '"')]
                );
                return Err(split_mesh(error, &placement, self, Notation::DTensor));
            }
        }
        let rules = placement.rules.iter().map(|rule| {
            let digits = rule.digits();
            let step = |(at, digit): (usize, &usize)| {
                let later = digits.iter().take(at).filter(|above| *above > digit);
                (*digit, later.map(|above| placement.radix(*above)).product::<i64>())
            };
            let mut steps: Vec<(usize, i64)> = digits.iter().enumerate().map(step).collect();
            steps.sort_unstable();
            Rule::Chunked(steps)
        });
        placement.rules = rules.collect();
        Ok(placement)
    }
}

/// A placement whose mesh has names.
fn named(placement: &Placement) -> Result<Placement, Error> {
    match placement.mesh.is_unnamed() && !placement.mesh.axes.is_empty() {
        true => placement.with_axes_of_parts(),
        false => Ok(placement.clone()),
    }
}

/// Adds the text on a mesh that has an axis for each part, where there is one.
fn split_mesh(error: Error, placement: &Placement, sharding: &Sharding, notation: Notation) -> Error {
    if placement
        .digits
        .iter()
        .all(|digit| placement.mesh.axes.get(digit.part.axis).is_some_and(|axis| axis.size == digit.part.size))
    {
        return error;
    }
    let text = placement
        .with_axes_of_parts()
        .and_then(|placement| sharding.with(placement, Notation::Shardy))
        .and_then(|split| split.written(notation));
    match text {
        Ok(text) => error.with_help(format!("on a mesh with an axis for each part it is {text}")),
        Err(_) => error,
    }
}

/// An extent that all chunks of a dim divide.
fn virtual_extent(placement: &Placement, rule: &Rule) -> Option<i64> {
    let Rule::Chunked(steps) = rule else { return None };
    steps.iter().try_fold(1i64, |all, (digit, factor)| all.checked_mul(*factor)?.checked_mul(placement.radix(*digit)))
}
