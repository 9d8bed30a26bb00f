//! `cargo xtask bench relayout`: moving tensors between layouts, beside a copy of the same bytes and beside other libraries.
//!
//! Every case is a pair of layouts in the language and the bits of an element. Ours, memcpy and our own streaming copy take
//! turns; a round gives the ratio of each case to the ceiling, the better of both copies on the same threads, and the table
//! tells the median over all rounds and its quartiles. Before it is timed, a case is compared with its maps, element by
//! element, at places picked at random. Every thread keeps to a processor of its own, since two that share one for a while
//! would be measured as one. A turn is two runs, of which the second is timed. All rounds are taken three times, and those
//! count in which the copies ran at the middle speed.
//!
//! Then ours and its peers take turns, with the better copy. Peers move the same bytes by the same loops over digits: HPTT in
//! this process, with the feature `peers`, NumPy, PyTorch and oneDNN as programs of their own, each of which waits for its turn. All
//! of them must leave what ours leaves. Where the machine has more than AVX2, ours takes a turn with that too, as most machines
//! have it. A turn is four runs there, of which the last is timed: each finds in the caches what it left there itself.

mod cases;
mod check;
mod contest;
mod dims;
mod hptt;
mod load;
mod memory;
mod peers;
mod random;
mod report;
mod rounds;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use bitstride::Layout;
use bitstride::map::Map;
use bitstride_lang::evaluate;
use bitstride_relayout::{Element, Isa, Machine, Plan};
use rayon::ThreadPoolBuilder;

use cases::Case;
use contest::{Contender, Contest};
use dims::Dim;
use hptt::Hptt;
use memory::{Memory, sum};
use peers::Peer;
use rounds::{Rounds, median_micros};

/// What the arguments may be.
pub(super) const USAGE: &str = "cargo xtask bench relayout [--json] [--filter TEXT], or --plans";

/// Why a bench ended early.
type Failure = Box<dyn Error + Send + Sync>;

/// The numbers of threads that every case runs on.
const THREADS: [usize; 2] = [1, 2];

/// Our plan among the contenders, and the one for AVX2.
const OURS: &str = "alone";
const AVX2: &str = "with AVX2";

/// One case, measured.
struct Row {
    case: Case,
    /// Microseconds that making the plan takes.
    plan: f64,
    /// One for each number of threads.
    runs: Vec<(Rounds, Contest)>,
}

/// How long the plans of some pairs take to make.
struct Plans {
    /// What all the pairs have.
    with: &'static str,
    median: f64,
    worst: f64,
    /// The pair that takes longest.
    pair: [String; 2],
}

/// Runs the bench.
pub(super) fn run(arguments: &[&str]) -> ExitCode {
    let (json, filter) = match arguments {
        ["--plans"] => {
            return match plans() {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("{error}");
                    ExitCode::FAILURE
                }
            };
        }
        [] => (false, ""),
        ["--json"] => (true, ""),
        ["--filter", text] => (false, *text),
        ["--json", "--filter", text] | ["--filter", text, "--json"] => (true, *text),
        _ => {
            eprintln!("usage: {USAGE}");
            return ExitCode::from(2);
        }
    };
    match measured(filter) {
        Ok((rows, plans)) => {
            if json {
                report::json(&rows, &plans);
            } else {
                report::table(&rows, &plans);
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A case as its two layouts and its plan.
fn planned(case: &Case) -> Result<([Map; 2], Plan), Failure> {
    let described = |error: bitstride::Error| format!("{}: {error}", case.name);
    let map = |text: &str| evaluate(text).and_then(|answer| answer.value.as_map()).map_err(described);
    let maps = [map(&case.from)?, map(&case.to)?];
    let plan = Plan::new(&maps[0], &maps[1], Element::of_bits(case.bits)?).map_err(described)?;
    Ok((maps, plan))
}

/// Prints the plan of each case for every known processor and all instructions: what two versions choose can be compared as texts.
fn plans() -> Result<(), Failure> {
    for case in cases::all().into_iter().chain(cases::ragged()).chain(random::digits()) {
        let (maps, plan) = planned(&case)?;
        for machine in Machine::KNOWN {
            for isa in [Isa::Avx512, Isa::Avx2, Isa::Neon, Isa::Scalar] {
                let plan = Plan::for_machine(&maps[0], &maps[1], plan.element(), machine.with_isa(isa))?;
                println!("{} {isa:?} {}", case.name, plan.to_string().replace('\n', "; "));
            }
        }
    }
    Ok(())
}

fn measured(filter: &str) -> Result<(Vec<Row>, [Plans; 2]), Failure> {
    let chosen = cases::all().into_iter().filter(|case| case.name.contains(filter));
    let cases = chosen.map(|case| Ok((planned(&case)?, case))).collect::<Result<Vec<_>, Failure>>()?;
    let largest = |bytes: fn(&Plan) -> usize| cases.iter().map(|((_, plan), _)| bytes(plan)).max().unwrap_or(0);
    let room = [largest(Plan::source_bytes), largest(Plan::destination_bytes)];
    let [mut source, mut destination] = [Memory::new(room[0])?, Memory::new(room[1])?];
    source.fill();
    let outside = Arc::new(ThreadPoolBuilder::new().num_threads(1).build()?);
    let mut pools = THREADS
        .iter()
        .map(|threads| {
            let pool = ThreadPoolBuilder::new().num_threads(*threads).start_handler(keep_to).build()?;
            Ok((pool, Peer::all(*threads, room)))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut rows = Vec::new();
    for ((maps, plan), case) in cases {
        eprintln!("{}", case.name);
        let dims = if case.bits < 8 { None } else { Dim::of(&maps)? };
        let hptt = dims.as_ref().and_then(|dims| Hptt::of(dims, case.bits, &outside));
        let narrower = plan.isa() > Isa::Avx2 && Isa::Avx2.is_supported();
        let narrow = || Plan::for_isa(&maps[0], &maps[1], plan.element(), Isa::Avx2);
        let avx2 = narrower.then(narrow).transpose()?;
        let sides = [plan.source_bytes(), plan.destination_bytes()];
        let flat = Map::of_layout(&format!("{}:1", plan.moved_bytes()).parse::<Layout>()?)?;
        let copy = Plan::new(&flat, &flat, Element::of_bits(8)?)?;
        let mut runs = Vec::new();
        for (pool, peers) in &mut pools {
            let threads = pool.current_num_threads();
            let (from, to) = (source.bytes(sides[0]), destination.bytes_mut(sides[1]));
            to.fill(0);
            pool.install(|| plan.run(from, to))?;
            check::sample(&maps, i64::from(case.bits), from, to).map_err(|why| format!("{}: {why}", case.name))?;
            let left = sum(to);
            // Before any peer, whose threads spin when it is done.
            let rounds = pool.install(|| Rounds::usual(&plan, &copy, from, to))?;
            let mut contenders = vec![Contender::plan(OURS, &plan)];
            contenders.extend(avx2.as_ref().map(|plan| Contender::plan(AVX2, plan)));
            contenders.extend(
                hptt.as_ref().map(|hptt| Contender::peer("hptt", move |from, to| hptt.turn(from, to, threads))),
            );
            for contender in &mut contenders {
                to.fill(0);
                pool.install(|| contender.turn(from, to))?;
                if sum(to) != left {
                    return Err(format!("{}: {} leaves something else", case.name, contender.name).into());
                }
            }
            for peer in peers {
                if dims.as_ref().is_some_and(|dims| peer.takes(&case, dims, sides, left)) {
                    contenders.push(Contender::peer(peer.name, |_, _| peer.turn()));
                }
            }
            let better = Contender::copy(rounds.ceiling().0, &copy, rounds.bytes, threads);
            let contest = pool.install(|| Contest::of(better, contenders, from, to))?;
            runs.push((rounds, contest));
        }
        let element = Element::of_bits(case.bits)?;
        let micros = median_micros(|| Plan::new(&maps[0], &maps[1], element));
        rows.push(Row { case, plan: micros, runs });
    }
    // Plans are timed by themselves.
    drop(pools);
    let plans = [Plans::of("12 digits", random::digits())?, Plans::of("4 to 12 boxes", cases::ragged())?];
    Ok((rows, plans))
}

/// Keeps the thread of this number to a processor of its own.
fn keep_to(thread: usize) {
    let processors = core_affinity::get_core_ids().unwrap_or_default();
    if let Some(own) = processors.get(thread) {
        core_affinity::set_for_current(*own);
    }
}

impl Plans {
    fn of(with: &'static str, cases: Vec<Case>) -> Result<Plans, Failure> {
        let mut times = Vec::new();
        for case in cases {
            let (maps, _) = planned(&case)?;
            let element = Element::of_bits(case.bits)?;
            times.push((median_micros(|| Plan::new(&maps[0], &maps[1], element)), [case.from, case.to]));
        }
        times.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let median = times.get(times.len() / 2).map_or(0.0, |(time, _)| *time);
        let (worst, pair) = times.pop().unwrap_or_default();
        Ok(Plans { with, median, worst, pair })
    }
}

#[cfg(test)]
mod tests {
    use super::{Dim, Failure, cases, check, planned, random};

    /// The named cases have the sizes that are measured: their plans are made, their bytes are not moved.
    #[test]
    fn all_cases_plan() -> Result<(), Failure> {
        let mut ours_alone = Vec::new();
        for case in cases::all() {
            let (maps, plan) = planned(&case)?;
            assert!(plan.moved_bytes() >= 4 << 20, "{} moves {} bytes", case.name, plan.moved_bytes());
            assert!(plan.moved_bytes() <= 128 << 20, "{} moves {} bytes", case.name, plan.moved_bytes());
            if case.bits >= 8 && Dim::of(&maps)?.is_none() {
                ours_alone.push(case.name);
            }
        }
        // Peers have no swizzled tiles, and no tiles that end inside.
        let ragged = ["f32_4001_from_t8x128", "bf16_4001_from_t8x128_2x1"];
        assert_eq!(ours_alone, [ragged, ["bf16_to_swizzled", "bf16_10_to_swizzled"]].concat());
        assert_eq!(random::digits().len(), 60);
        let boxes = |case| Ok(planned(&case)?.1.to_string().matches(" places").count());
        let boxes = cases::ragged().into_iter().map(boxes).collect::<Result<Vec<_>, Failure>>()?;
        assert_eq!(boxes, [4, 9, 12, 9, 12, 9, 8, 12, 8]);
        Ok(())
    }

    #[test]
    fn a_sample_tells_right_from_wrong() -> Result<(), Failure> {
        let case = random::digits().remove(0);
        let (maps, plan) = planned(&case)?;
        let source: Vec<u8> = (0..plan.source_bytes()).map(|n| n.wrapping_mul(0x9E37_79B1).to_be_bytes()[5]).collect();
        let mut moved = vec![0; plan.destination_bytes()];
        plan.run(&source, &mut moved)?;
        check::sample(&maps, i64::from(case.bits), &source, &moved)?;
        moved.rotate_left(1);
        assert!(check::sample(&maps, i64::from(case.bits), &source, &moved).is_err());
        Ok(())
    }
}
