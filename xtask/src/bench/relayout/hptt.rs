//! [`Hptt`]: a case as a permutation of dims, moved by the High-Performance Tensor Transpose library.

use std::sync::Arc;

use rayon::ThreadPool;

use super::Failure;
use super::contest::RUNS;
use super::dims::Dim;
use super::rounds::last;

/// A permutation of a compact tensor.
pub(super) struct Hptt {
    /// The dims of the source, the fastest first.
    sizes: Vec<usize>,
    /// For each dim of the destination, which one of the source it is.
    order: Vec<usize>,
    bits: u32,
    /// A thread that keeps to no processor: those that HPTT starts may run where its own may.
    outside: Arc<ThreadPool>,
}

impl Hptt {
    /// The case as a permutation; `None` without the feature, for a layout with holes, and for elements other than of 4 and 8
    /// bytes.
    pub(super) fn of(dims: &[Dim], bits: u32, outside: &Arc<ThreadPool>) -> Option<Hptt> {
        if !cfg!(feature = "peers") || !matches!(bits, 32 | 64) {
            return None;
        }
        let sorted = |side: usize| {
            let mut order: Vec<usize> = (0..dims.len()).collect();
            order.sort_by_key(|at| dims.get(*at).map(|dim| dim.strides[side]));
            let mut next = 1;
            for at in &order {
                let dim = dims.get(*at)?;
                if dim.strides[side] != next {
                    return None;
                }
                next *= dim.count;
            }
            Some(order)
        };
        let (from, to) = (sorted(0)?, sorted(1)?);
        let sizes = from.iter().map(|at| usize::try_from(dims.get(*at)?.count).ok()).collect::<Option<_>>()?;
        let order = to.iter().map(|at| from.iter().position(|own| own == at)).collect::<Option<_>>()?;
        Some(Hptt { sizes, order, bits, outside: Arc::clone(outside) })
    }

    /// The seconds of the last of some runs; each makes HPTT's plan too, which it estimates.
    pub(super) fn turn(&self, source: &[u8], destination: &mut [u8], threads: usize) -> Result<f64, Failure> {
        self.outside.install(|| last(RUNS, || self.run(source, destination, threads)))
    }

    #[cfg(feature = "peers")]
    fn run(&self, source: &[u8], destination: &mut [u8], threads: usize) -> Result<(), Failure> {
        let Hptt { sizes, order, bits, .. } = self;
        let column_major = hptt::MemoryOrder::ColumnMajor;
        let described = |why: bytemuck::PodCastError| why.to_string();
        if *bits == 32 {
            let source = bytemuck::try_cast_slice(source).map_err(described)?;
            let destination = bytemuck::try_cast_slice_mut(destination).map_err(described)?;
            hptt::transpose_f32(order, 1.0, source, sizes, 0.0, destination, threads, column_major)?;
        } else {
            let source = bytemuck::try_cast_slice(source).map_err(described)?;
            let destination = bytemuck::try_cast_slice_mut(destination).map_err(described)?;
            hptt::transpose_f64(order, 1.0, source, sizes, 0.0, destination, threads, column_major)?;
        }
        Ok(())
    }

    /// There is none without the feature.
    #[cfg(not(feature = "peers"))]
    fn run(&self, _: &[u8], _: &mut [u8], _: usize) -> Result<(), Failure> {
        let Hptt { sizes, order, bits, .. } = self;
        Err(format!("built without HPTT: {sizes:?} by {order:?}, {bits} bits").into())
    }
}
