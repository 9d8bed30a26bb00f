//! Encodings of Triton on any shape, smaller, larger or of unit extents, against a slow twin: the tile is built bit by bit, grown
//! by registers to the shape, and what leaves the shape is dropped (registers) or set to zero (lanes and warps).

use super::super::Case;
use super::super::draw::tuple;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

/// In dims, each with its bases.
type Bases = Vec<(&'static str, Vec<Vec<i64>>)>;

pub(super) fn draw(source: &mut Source) -> Case {
    match source.below(3) {
        0 => blocked(source),
        1 => slice(source),
        _ => swizzled(source),
    }
}

fn powers(source: &mut Source, rank: usize, most: i64) -> Vec<i64> {
    (0..rank).map(|_| 1 << source.between(0, most)).collect()
}

struct Parameters {
    counts: [Vec<i64>; 3],
    order: Vec<usize>,
}

impl Parameters {
    fn draw(source: &mut Source, rank: usize) -> Parameters {
        let counts = [powers(source, rank, 3), powers(source, rank, 3), powers(source, rank, 2)];
        Parameters { counts, order: source.order(rank) }
    }

    fn text(&self) -> String {
        let list = |numbers: &[i64]| tuple(numbers).replace('(', "[").replace(')', "]").replace(',', ", ");
        let order: Vec<i64> = self.order.iter().map(|dim| i64::try_from(*dim).unwrap_or(0)).collect();
        format!(
            "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}}}>",
            list(&self.counts[0]),
            list(&self.counts[1]),
            list(&self.counts[2]),
            list(&order)
        )
    }

    /// The layout on a shape.
    fn bases(&self, shape: &[i64]) -> Bases {
        let mut reached = vec![1i64; shape.len()];
        let mut grow = |dim: usize, bases: &mut Vec<Vec<i64>>| {
            bases.push((0..shape.len()).map(|at| if at == dim { reached[dim] } else { 0 }).collect());
            reached[dim] *= 2;
        };
        let mut all: Bases = vec![("register", vec![]), ("lane", vec![]), ("warp", vec![]), ("block", vec![])];
        for ((_, bases), counts) in all.iter_mut().zip(&self.counts) {
            for dim in &self.order {
                (0..counts[*dim].trailing_zeros()).for_each(|_| grow(*dim, bases));
            }
        }
        for dim in &self.order {
            let tile: i64 = self.counts.iter().map(|counts| counts[*dim]).product();
            let more = (shape[*dim] / tile).max(1).trailing_zeros();
            (0..more).for_each(|_| grow(*dim, &mut all[0].1));
        }
        for (name, bases) in &mut all {
            let leaves = |basis: &Vec<i64>| basis.iter().zip(shape).any(|(value, extent)| value >= extent);
            if *name == "register" {
                bases.retain(|basis| !leaves(basis));
            }
            bases.iter_mut().filter(|basis| leaves(basis)).for_each(|basis| basis.fill(0));
        }
        all
    }
}

fn blocked(source: &mut Source) -> Case {
    let rank = source.count(1, 3);
    let (parameters, shape) = (Parameters::draw(source, rank), powers(source, rank, 6));
    judged(&parameters.text(), &shape, parameters.bases(&shape))
}

fn slice(source: &mut Source) -> Case {
    let rank = source.count(2, 3);
    let (parameters, dim) = (Parameters::draw(source, rank), source.count(0, rank - 1));
    let shape = powers(source, rank - 1, 6);
    let mut parent = shape.clone();
    parent.insert(dim, 1);
    let mut bases = parameters.bases(&parent);
    bases.iter_mut().flat_map(|(_, bases)| bases).for_each(|basis| {
        basis.remove(dim);
    });
    judged(&format!("#ttg.slice<{{dim = {dim}, parent = {}}}>", parameters.text()), &shape, bases)
}

/// Shared memory in two dims, whose rows are xored by phases.
fn swizzled(source: &mut Source) -> Case {
    let [vec, per_phase, max_phase] = [3, 2, 3].map(|most| 1i64 << source.between(0, most));
    let order = source.order(2);
    let shape = powers(source, 2, 6);
    let [inner, outer] = [order[0], order[1]];
    let at = |row: i64, column: i64| {
        let mut basis = vec![0; 2];
        (basis[outer], basis[inner]) = (row, column);
        basis
    };
    let columns = (0..shape[inner].trailing_zeros()).map(|bit| at(0, 1 << bit));
    let rows = (0..shape[outer].trailing_zeros()).map(|bit| {
        let row = 1i64 << bit;
        at(row, vec * (row / per_phase % max_phase) % shape[inner])
    });
    let text = format!(
        "#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, order = [{inner}, {outer}]}}>"
    );
    judged(&text, &shape, vec![("offset", columns.chain(rows).collect()), ("block", vec![])])
}

fn judged(encoding: &str, shape: &[i64], bases: Bases) -> Case {
    let text = format!("to_linear({encoding}, {})", tuple(shape));
    Case::new(text.clone(), move || {
        let linear = match said(&text).and_then(|value| value.as_linear()) {
            Ok(linear) => linear.to_string(),
            Err(error) => return Outcome::of_known(&error, Some("it has a layout on every shape".into())),
        };
        let dims: Vec<String> = bases
            .iter()
            .map(|(name, bases)| {
                let bases: Vec<String> =
                    bases.iter().map(|basis| tuple(basis).replace('(', "[").replace(')', "]")).collect();
                format!("{name}=[{}]", bases.join(","))
            })
            .collect();
        let wanted = format!("linear<{{{}}}", dims.join(", "));
        match linear.starts_with(&wanted) {
            true => Outcome::Right,
            false => Outcome::Wrong(format!("{linear}, but must be {wanted}")),
        }
    })
}
