//! [`Machine`]: the numbers that differ between processors with the same instructions.
//!
//! All are about memory: the prefetch distances, and the order of loads and stores. Every number was measured on a
//! processor of its kind (`docs/perf/relayout.md`). Law: no number changes the result of a move.

use std::sync::LazyLock;
#[cfg(test)]
use std::sync::PoisonError;

/// Numbers for a kind of processors.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 reads these numbers"))]
pub(crate) struct Machine {
    /// The prefetch distance for lines of the source to the second cache, in vectors: what memory delivers while one block is
    /// exchanged. In the first cache, rows a power of two apart would fall into the same few sets.
    pub(crate) prefetch_distance: usize,
    /// The prefetch distance to the first cache where vectors are realigned, or `None` if they are not prefetched there:
    /// rows seldom are a power of two apart there.
    pub(crate) prefetch_distance_l1: Option<usize>,
    /// Whether both lines of an unaligned vector are prefetched, because hardware prefetch does not predict the second.
    pub(crate) prefetches_both_lines: bool,
    /// Whether stores are immediate, and not deferred to the next block, where each line is read from another page.
    pub(crate) stores_immediately: bool,
    /// Whether blocks of two passes prefetch a line after each stored line (`avx512/interleaved_prefetch.rs`), and
    /// stores are not deferred to the next block.
    pub(crate) interleaves_prefetch: bool,
    /// The steps along neither side that a tile list takes where all vectors of a block fall into the same cache sets
    /// (`order.rs`).
    pub(crate) conflict_steps: i64,
    /// Whether rounds use unpack instructions where possible (`avx512/unpack.rs`): two permutations instead of one and
    /// two merges are less where more than one port permutes.
    pub(crate) unpacks: bool,
    /// The most runs sharing lines of the destination that are copied along it; `None` where the loops decide
    /// (`order.rs`).
    pub(crate) max_runs_together: Option<i64>,
}

/// Measured on Xeons with AVX-512 and AMX; all others have the same.
const USUAL: Machine = Machine {
    prefetch_distance: 192,
    prefetch_distance_l1: Some(64),
    prefetches_both_lines: false,
    stores_immediately: true,
    interleaves_prefetch: false,
    conflict_steps: 2,
    unpacks: false,
    max_runs_together: None,
};

/// Measured on an EPYC of the fourth generation.
const ZEN: Machine = Machine {
    prefetch_distance: 320,
    prefetch_distance_l1: None,
    prefetches_both_lines: true,
    stores_immediately: true,
    interleaves_prefetch: true,
    conflict_steps: 4,
    unpacks: true,
    max_runs_together: Some(8),
};

/// Measured on an EPYC of the fifth generation.
const ZEN5: Machine = Machine { stores_immediately: false, interleaves_prefetch: false, conflict_steps: 2, ..ZEN };

/// The numbers of this machine, detected once.
static DETECTED: LazyLock<Machine> = LazyLock::new(|| match amd_family() {
    None => USUAL,
    Some(..0x1A) => ZEN,
    Some(_) => ZEN5,
});

impl Machine {
    /// That of this machine, or in tests the one that is taken instead.
    pub(crate) fn detect() -> Machine {
        #[cfg(test)]
        if let Some(taken) = *tests::TAKEN.lock().unwrap_or_else(PoisonError::into_inner) {
            return taken;
        }
        *DETECTED
    }
}

/// The family of a processor that calls itself one of AMD's.
#[cfg(target_arch = "x86_64")]
fn amd_family() -> Option<u32> {
    use std::arch::x86_64::__cpuid;
    let name = __cpuid(0);
    let is_amd = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD";
    // The extended family counts on from the family, which is its largest number there.
    let [family, extended] = [8, 20].map(|at| __cpuid(1).eax >> at);
    is_amd.then_some((family & 0xF) + (extended & 0xFF))
}

/// Only x86-64 reports it.
#[cfg(not(target_arch = "x86_64"))]
fn amd_family() -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use std::sync::Mutex;

    use bitstride::map::Map;

    use super::*;
    use crate::{Element, Isa, Plan};

    /// The processor that is taken for this machine's. Other tests may meet it, since it changes nothing.
    pub(super) static TAKEN: Mutex<Option<Machine>> = Mutex::new(None);

    /// Lines that are streamed, deferred, immediate, unrolled by 4, interleaved with prefetch, realigned and
    /// packed, long runs and runs that share lines, runs of a few lines, runs that are put together, and rounds of each size
    /// between whole vectors and between their quarters: as plans of each processor move them, they are where units that are
    /// moved one by one are.
    #[test]
    fn no_number_changes_what_is_moved() {
        for (from, to, bits) in [
            ("(1024,2112):(2112,1)", "(1024,2112):(1,1024)", 32),
            ("(1056,1040):(1040,1)", "(1056,1040):(1,1056)", 64),
            ("(1056,4160):(4160,1)", "(1056,4160):(1,1056)", 16),
            ("(528,16448):(16448,1)", "(528,16448):(1,528)", 8),
            ("(96,4160):(4160,1)", "(96,4160):(1,2048)", 16),
            ("(45,400,500):(200000,500,1)", "(45,400,500):(200000,1,400)", 8),
            ("(129,67,263):(17621,263,1)", "(129,67,263):(1,129,8643)", 32),
            ("(30,70,4100):(4100,123000,1)", "(30,70,4100):(1,123000,30)", 8),
            ("(1100,2100):(2107,1)", "(1100,2100):(2103,1)", 32),
            ("(2200,64,16):(1024,16,1)", "(2200,64,16):(16,35200,1)", 32),
            ("(2200,64,16):(0,16,1)", "(2200,64,16):(16,35200,1)", 32),
            ("(1100,1300,3):(3900,3,1)", "(1100,1300,3):(3,3300,1)", 8),
            ("(600,700,7):(4900,7,1)", "(600,700,7):(7,4207,1)", 32),
            ("(300,700,50,3):(105007,150,3,1)", "(300,700,50,3):(3,45000,900,1)", 32),
            ("(700,1300,5):(6500,5,1)", "(700,1300,5):(5,3500,1)", 16),
            ("(600,700,12):(0,12,1)", "(600,700,12):(12,7200,1)", 16),
            ("(600,700,12):(8400,12,1)", "(600,700,12):(12,7200,1)", 16),
            ("(500,300,15):(4500,15,1)", "(500,300,15):(15,7500,1)", 32),
            ("(1100,50,96):(96,105600,1)", "(1100,50,96):(4800,96,1)", 16),
            ("(22,6,1000,40):(240000,40,240,1)", "(22,6,1000,40):(240000,40000,40,1)", 16),
            ("(300,197,80):(15760,80,1)", "(300,197,80):(15760,1,197)", 16),
            ("(60,130,701):(701,42060,1)", "(60,130,701):(91130,701,1)", 16),
            ("(90,50,1100):(1100,99000,1)", "(90,50,1100):(56000,1120,1)", 16),
            ("(128,384):(384,1)", "(128,384):(1,128)", 4),
            ("(64,192):(192,1)", "(64,192):(1,64)", 8),
            ("(32,96):(96,1)", "(32,96):(1,32)", 16),
            ("(16,48):(48,1)", "(16,48):(1,16)", 32),
            ("(8,24):(24,1)", "(8,24):(1,8)", 64),
            ("(4,12):(12,1)", "(4,12):(1,4)", 128),
            ("(16,(16,4),3):(64,(1,16),1024)", "(16,(16,4),3):(1,(64,16),1024)", 8),
            ("(8,(8,4),3):(32,(1,8),256)", "(8,(8,4),3):(1,(32,8),256)", 16),
            ("(4,(4,4),3):(16,(1,4),64)", "(4,(4,4),3):(1,(16,4),64)", 32),
            ("(2,(2,4),3):(8,(1,2),16)", "(2,(2,4),3):(1,(8,2),16)", 64),
        ] {
            let maps = [from, to].map(|text| Map::of_layout(&text.parse().unwrap()).unwrap());
            let plan = |isa| Plan::for_isa(&maps[0], &maps[1], Element::of_bits(bits).unwrap(), isa).unwrap();
            let moved = |plan: &Plan| {
                let source: Vec<u8> = (0..plan.source_bytes()).map(|n| (n * 0x9E37 / 128).to_le_bytes()[0]).collect();
                // On lines, which are streamed.
                let mut moved = vec![7; plan.destination_bytes() + 64];
                let first = moved.as_ptr().align_offset(64);
                plan.run(&source, &mut moved[first..]).unwrap();
                moved[first..][..plan.destination_bytes()].to_vec()
            };
            let one_by_one = moved(&plan(Isa::Scalar));
            for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_supported()) {
                for taken in [USUAL, ZEN, ZEN5] {
                    *TAKEN.lock().unwrap() = Some(taken);
                    let same = moved(&plan(isa)) == one_by_one;
                    *TAKEN.lock().unwrap() = None;
                    assert!(same, "{from} to {to}, {bits} bits, {isa:?}, {taken:?}");
                }
            }
        }
    }
}
