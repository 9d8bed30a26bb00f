//! The table of the relayout bench, in Markdown for people and as JSON for programs.

use serde_json::{Value, json};

use super::rounds::Spread;
use super::{Plans, Row};

/// One row for each case and number of threads; then what to look at, and what the cases are.
pub(super) fn table(rows: &[Row], plans: &Plans) {
    println!("| case | threads | GB/s | of the ceiling | quartiles | aim | ceiling, GB/s | plan, us |");
    println!("|---|---|---|---|---|---|---|---|");
    let (mut below, mut worst) = (Vec::new(), None);
    for row in rows {
        for run in &row.runs {
            let (ratio, aim) = (run.ratio(), row.case.class.aim(run.threads));
            let mark = if ratio.median < aim { " below" } else { "" };
            if ratio.median < aim {
                below.push(format!("{} on {}: {:.2} of {aim}", row.case.name, run.threads, ratio.median));
            }
            let (which, times) = run.ceiling();
            println!(
                "| {} | {} | {:.1} | {:.2} | {:.2}-{:.2} | {aim}{mark} | {which} {:.1} | {:.1} |",
                row.case.name,
                run.threads,
                run.speed(&run.ours),
                ratio.median,
                ratio.low,
                ratio.high,
                run.speed(times),
                row.plan,
            );
            let least = worst.as_ref().is_none_or(|(least, _)| ratio.median < *least);
            if row.case.name.starts_with("random") && least {
                worst = Some((ratio.median, format!("{} on {}", row.case.name, run.threads)));
            }
        }
    }
    println!("\nBelow the aim: {}.", if below.is_empty() { "none".into() } else { below.join("; ") });
    if let Some((ratio, name)) = worst {
        println!("\nThe worst random pair: {name}, {ratio:.2} of the ceiling.");
    }
    let [from, to] = &plans.pair;
    let (median, most) = (plans.median, plans.worst);
    println!("\nPlans of pairs with 12 digits: {median:.1} us in the median, {most:.1} at most (`{from}` to `{to}`).");
    println!("\n| case | bits | from | to |\n|---|---|---|---|");
    for Row { case, .. } in rows {
        println!("| {} | {} | `{}` | `{}` |", case.name, case.bits, case.from, case.to);
    }
}

/// The same as one JSON object; times in seconds, in the order of the rounds.
pub(super) fn json(rows: &[Row], plans: &Plans) {
    let spread = |spread: Spread| json!({"median": spread.median, "low": spread.low, "high": spread.high});
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let runs = row.runs.iter().map(|run| {
                json!({
                    "threads": run.threads,
                    "ratio": spread(run.ratio()),
                    "aim": row.case.class.aim(run.threads),
                    "ceiling": run.ceiling().0,
                    "gb_per_s": run.speed(&run.ours),
                    "ceiling_gb_per_s": run.speed(run.ceiling().1),
                    "ours_s": run.ours,
                    "memcpy_s": run.memcpy,
                    "stream_s": run.stream,
                })
            });
            json!({
                "case": row.case.name,
                "bits": row.case.bits,
                "from": row.case.from,
                "to": row.case.to,
                "bytes": row.runs.first().map(|run| run.bytes),
                "plan_us": row.plan,
                "runs": runs.collect::<Vec<_>>(),
            })
        })
        .collect();
    let plans = json!({"median_us": plans.median, "worst_us": plans.worst, "pair": plans.pair});
    println!("{}", json!({"cases": rows, "plans_of_12_digits": plans}));
}
