//! The table of the relayout bench, in Markdown for people and as JSON for programs.

use serde_json::{Value, json};

use super::contest::Contest;
use super::rounds::{Rounds, Spread};
use super::{AVX2, OURS, Plans, Row};

/// The microseconds below which a plan should be made.
const PLAN: u32 = 20;

/// What one case reaches on one number of threads.
struct Line<'a> {
    row: &'a Row,
    run: &'a Rounds,
    contest: &'a Contest,
    /// The share of the ceiling, in turn with the copies, in turn with the peers, and with AVX2.
    ours: Spread,
    alone: f64,
    avx2: Option<f64>,
    aim: f64,
    /// The share of the ceiling that each peer reaches.
    peers: Vec<(&'static str, f64)>,
}

fn lines<'a>(rows: &'a [Row]) -> Vec<Line<'a>> {
    let line = |row: &'a Row, (run, contest): &'a (Rounds, Contest)| {
        let (own, peers): (Vec<_>, _) = contest.shares().into_iter().partition(|(name, _)| [OURS, AVX2].contains(name));
        let [alone, avx2] =
            [OURS, AVX2].map(|which| own.iter().find(|(name, _)| *name == which).map(|(_, share)| *share));
        let (ours, aim) = (run.share(), row.case.class.aim(run.threads));
        Line { row, run, contest, ours, alone: alone.unwrap_or(f64::NAN), avx2, aim, peers }
    };
    rows.iter().flat_map(|row| row.runs.iter().map(move |run| line(row, run))).collect()
}

/// One row for each case and number of threads; then what to look at, and what the cases are.
pub(super) fn table(rows: &[Row], plans: &[Plans]) {
    let lines = lines(rows);
    let mut names: Vec<&str> = lines.iter().flat_map(|line| line.peers.iter().map(|(name, _)| *name)).collect();
    names.sort_unstable();
    names.dedup();
    let columns: String = names.iter().map(|name| format!(" {name} |")).collect();
    println!(
        "| case | threads | GB/s | of the ceiling | quartiles | aim | ceiling, GB/s | alone | with AVX2 | plan, us | others |{columns}"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|{}", "---|".repeat(names.len()));
    for Line { row, run, ours, alone, avx2, aim, peers, .. } in &lines {
        let mark = if ours.median < *aim { " below" } else { "" };
        let (which, times) = (run.ceiling().0.name(), run.ceiling().1);
        print!(
            "| {} | {} | {:.1} | {:.2} | {:.2}-{:.2} | {aim}{mark} | {which} {:.1} | {alone:.2} | {} | {:.1} | {} |",
            row.case.name,
            run.threads,
            run.speed(&run.ours),
            ours.median,
            ours.low,
            ours.high,
            run.speed(times),
            avx2.map_or_else(|| "-".into(), |share| format!("{share:.2}")),
            row.plan,
            run.others.map_or_else(|| "-".into(), |others| format!("{others:.1}")),
        );
        for name in &names {
            match peers.iter().find(|(own, _)| own == name) {
                Some((_, share)) if share > alone => print!(" **{share:.2}** |"),
                Some((_, share)) => print!(" {share:.2} |"),
                None => print!(" - |"),
            }
        }
        println!();
    }
    let named = |line: &Line| format!("{} on {}", line.row.case.name, line.run.threads);
    let below = lines.iter().filter(|line| line.ours.median < line.aim);
    print_list("Below the aim", below.map(|line| format!("{} ({:.2} of {})", named(line), line.ours.median, line.aim)));
    let beaten = lines.iter().flat_map(|line| {
        let faster = line.peers.iter().filter(|(_, share)| *share > line.alone);
        faster.map(|(name, share)| format!("{} ({name} {share:.2}, ours alone {:.2})", named(line), line.alone))
    });
    print_list("A peer is faster", beaten);
    let random = lines.iter().filter(|line| line.row.case.name.starts_with("random"));
    let worst = random.min_by(|one, other| one.ours.median.total_cmp(&other.ours.median));
    print_list(
        "The worst random pair",
        worst.map(|line| format!("{} ({:.2})", named(line), line.ours.median)).into_iter(),
    );
    for Plans { with, median, worst, pair: [from, to] } in plans {
        println!(
            "\nPlans of pairs with {with}, aim {PLAN} us: {median:.1} us in the median, {worst:.1} at most (`{from}` to `{to}`)."
        );
    }
    println!("\n| case | bits | from | to |\n|---|---|---|---|");
    for Row { case, .. } in rows {
        println!("| {} | {} | `{}` | `{}` |", case.name, case.bits, case.from, case.to);
    }
}

fn print_list(title: &str, list: impl Iterator<Item = String>) {
    let list: Vec<String> = list.collect();
    println!("\n{title}: {}.", if list.is_empty() { "none".into() } else { list.join("; ") });
}

/// The same as one JSON object; times in seconds, in the order of the rounds.
pub(super) fn json(rows: &[Row], plans: &[Plans]) {
    let spread = |spread: Spread| json!({"median": spread.median, "low": spread.low, "high": spread.high});
    let lines: Vec<Value> = lines(rows)
        .iter()
        .map(|Line { row, run, contest, ours, alone, avx2, aim, peers }| {
            let shares: serde_json::Map<String, Value> =
                peers.iter().map(|(name, share)| ((*name).into(), json!(share))).collect();
            let times: serde_json::Map<String, Value> =
                contest.contenders.iter().map(|(name, times)| ((*name).into(), json!(times))).collect();
            json!({
                "case": row.case.name,
                "bits": row.case.bits,
                "from": row.case.from,
                "to": row.case.to,
                "bytes": run.bytes,
                "plan_us": row.plan,
                "threads": run.threads,
                "ratio": spread(*ours),
                "alone": alone,
                "avx2": avx2,
                "aim": aim,
                "ceiling": run.ceiling().0.name(),
                "gb_per_s": run.speed(&run.ours),
                "ceiling_gb_per_s": run.speed(run.ceiling().1),
                "others": run.others,
                "peers": shares,
                "ours_s": run.ours,
                "memcpy_s": run.memcpy,
                "stream_s": run.stream,
                "contest_ceiling_s": contest.ceiling,
                "contest_s": times,
            })
        })
        .collect();
    let plan =
        |own: &Plans| json!({"with": own.with, "median_us": own.median, "worst_us": own.worst, "pair": own.pair});
    let plans: Vec<Value> = plans.iter().map(plan).collect();
    println!("{}", json!({"cases": lines, "plans": plans}));
}
