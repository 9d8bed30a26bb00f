//! Constructs linear layouts basis by basis, and fits them to a shape: they grow first and shrink afterwards.
//!
//! This is how an encoding is defined: a tile of identities appended one after the other, repeated in its first in dim along
//! each out dim until it covers the shape, and cut where it reaches beyond.

use super::linear::merged;
use super::{Linear, OracleError, malformed};

impl Linear {
    /// `x -> x` on `size` values.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] for a size that is no power of two.
    pub fn identity(size: i64, from: &str, to: &str) -> Result<Self, OracleError> {
        let bases = (0..i64::BITS - 1).map(|bit| vec![1i64 << bit]).take_while(|basis| basis.iter().all(|n| *n < size));
        Linear::new(vec![(from.to_owned(), bases.collect())], vec![(to.to_owned(), size)])
    }

    /// `x -> 0` on `size` values.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] for a size that is no power of two.
    pub fn zeros(size: i64, from: &str, to: &str) -> Result<Self, OracleError> {
        let identity = Linear::identity(size, from, to)?;
        let zeros = |(name, bases): &(String, Vec<Vec<i64>>)| (name.clone(), vec![vec![0]; bases.len()]);
        Linear::new(identity.bases().iter().map(zeros).collect(), vec![(to.to_owned(), 1)])
    }

    /// This layout and another side by side, this one the minor part.
    ///
    /// # Errors
    /// As [`Linear::new`].
    pub fn beside(&self, other: &Linear) -> Result<Self, OracleError> {
        let names = |dims: &[(String, i64)]| dims.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let size = |layout: &Linear, name: &String| {
            layout.outs().iter().find(|(own, _)| own == name).map_or(1, |(_, size)| *size)
        };
        let outs: Vec<(String, i64)> = merged(&names(self.outs()), &names(other.outs()))
            .into_iter()
            .map(|name| (name.clone(), size(self, &name) * size(other, &name)))
            .collect();
        let mut ins = Vec::new();
        for name in merged(&names(&self.ins()), &names(&other.ins())) {
            let mut bases = Vec::new();
            for (layout, minor) in [(self, true), (other, false)] {
                let own = layout.bases().iter().find(|(own, _)| *own == name);
                for basis in own.map_or(&[][..], |(_, bases)| bases) {
                    let value = |(out, _): &(String, i64)| {
                        let of = layout.outs().iter().zip(basis).find(|((own, _), _)| own == out);
                        of.map_or(0, |(_, value)| if minor { *value } else { value * size(self, out) })
                    };
                    bases.push(outs.iter().map(value).collect());
                }
            }
            ins.push((name, bases));
        }
        Linear::new(ins, outs)
    }

    /// The layout repeated in its first in dim until it covers a shape, out dim after out dim in its own order.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] without an in dim, or for a size that is not listed.
    pub fn grown(&self, shape: &[(String, i64)]) -> Result<Self, OracleError> {
        let first = self.bases().first().map(|(name, _)| name.clone()).ok_or_else(|| malformed("no in dim"))?;
        let mut grown = self.clone();
        for (name, size) in self.outs() {
            let wanted = of(shape, name)?;
            if *size < wanted {
                grown = grown.beside(&Linear::identity(wanted / size, &first, name)?)?;
            }
        }
        Ok(grown)
    }

    /// The layout cut to a shape: of each out dim the basis with the largest value becomes 0 in it, until all are below the
    /// size. Bases of the in dim `dropped` that were cut are left out.
    ///
    /// # Errors
    /// [`OracleError::Malformed`] for a size that is not listed.
    pub fn shrunk(&self, shape: &[(String, i64)], dropped: Option<&str>) -> Result<Self, OracleError> {
        let mut bases: Vec<(String, usize, Vec<i64>, bool)> = Vec::new();
        for (name, own) in self.bases() {
            bases.extend(own.iter().enumerate().map(|(at, basis)| (name.clone(), at, basis.clone(), false)));
        }
        let mut outs = Vec::new();
        for (at, (name, size)) in self.outs().iter().enumerate() {
            let wanted = of(shape, name)?.min(*size);
            outs.push((name.clone(), wanted));
            loop {
                let value = |basis: &[i64]| basis.get(at).copied().unwrap_or(0);
                let largest = bases.iter_mut().max_by_key(|(_, _, basis, _)| value(basis));
                let Some((_, _, basis, cut)) = largest.filter(|(_, _, basis, _)| value(basis) >= wanted) else { break };
                if let Some(value) = basis.get_mut(at) {
                    *value = 0;
                }
                *cut = true;
            }
        }
        let kept = |name: &String| {
            let gone = |cut: bool| cut && dropped == Some(name.as_str());
            let own = bases.iter().filter(|(own, _, _, cut)| own == name && !gone(*cut));
            own.map(|(_, _, basis, _)| basis.clone()).collect()
        };
        Linear::new(self.bases().iter().map(|(name, _)| (name.clone(), kept(name))).collect(), outs)
    }

    /// The layout with its out dims in another order; dims that it lacks have size 1.
    ///
    /// # Errors
    /// As [`Linear::new`].
    pub fn with_outs(&self, names: &[String]) -> Result<Self, OracleError> {
        let place = |name: &String| self.outs().iter().position(|(own, _)| own == name);
        let outs = names
            .iter()
            .map(|name| (name.clone(), place(name).and_then(|at| self.outs().get(at)).map_or(1, |(_, size)| *size)))
            .collect();
        let value = |basis: &Vec<i64>, name: &String| place(name).and_then(|at| basis.get(at).copied()).unwrap_or(0);
        let column = |basis: &Vec<i64>| names.iter().map(|name| value(basis, name)).collect();
        Linear::new(
            self.bases().iter().map(|(name, bases)| (name.clone(), bases.iter().map(column).collect())).collect(),
            outs,
        )
    }

    /// The layout of one block over the blocks of a cluster, fitted to a shape: the cluster is shrunk first, and what is left
    /// of the shape is each block's.
    ///
    /// # Errors
    /// As the steps.
    pub fn over_blocks(
        &self,
        cluster: &Linear,
        shape: &[(String, i64)],
        dropped: Option<&str>,
    ) -> Result<Self, OracleError> {
        let names: Vec<String> = self.outs().iter().map(|(name, _)| name.clone()).collect();
        let cluster = cluster.shrunk(shape, None)?.with_outs(&names)?;
        let mut own = Vec::new();
        for (name, size) in shape {
            own.push((name.clone(), (size / of(cluster.outs(), name)?).max(1)));
        }
        let fitted = self.grown(&own)?.shrunk(&own, dropped)?;
        let standard: Vec<String> = shape.iter().map(|(name, _)| name.clone()).collect();
        fitted.beside(&cluster)?.with_outs(&standard)
    }
}

/// The size of a name in a list.
fn of(sizes: &[(String, i64)], name: &String) -> Result<i64, OracleError> {
    sizes
        .iter()
        .find(|(own, _)| own == name)
        .map(|(_, size)| *size)
        .ok_or_else(|| malformed(format!("no size of {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_is_grown_and_cut() -> Result<(), OracleError> {
        let tile = Linear::identity(2, "register", "dim1")?.beside(&Linear::identity(4, "lane", "dim0")?)?;
        let shape = |rows, columns| vec![("dim0".to_owned(), rows), ("dim1".to_owned(), columns)];
        let cluster: Linear = "linear<{block=[[0,1]]}, out=[dim0:1, dim1:2]>".parse()?;
        let wide = tile.over_blocks(&cluster, &shape(4, 8), None)?;
        let text = "linear<{register=[[0,1],[0,2]], lane=[[1,0],[2,0]], block=[[0,4]]}, out=[dim0:4, dim1:8]>";
        assert_eq!(wide.to_string(), text);
        let narrow = tile.over_blocks(&cluster, &shape(2, 1), Some("register"))?;
        assert_eq!(
            narrow.to_string(),
            "linear<{register=[], lane=[[1,0],[0,0]], block=[[0,0]]}, out=[dim0:2, dim1:1]>"
        );
        Ok(())
    }
}
