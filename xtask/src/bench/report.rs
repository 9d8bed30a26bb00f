//! The bench's table, as text for people and as JSON for programs.

use super::suite::Line;

/// One row a case: ours, instructions, and how many times slower each peer is.
pub(super) fn table(lines: &[Line]) {
    let peers: Vec<&str> =
        lines.first().map_or(Vec::new(), |line| line.peers.iter().map(|(name, _)| name.as_str()).collect());
    print!("{:<24} {:>9} {:>12}", "case", "ours ns", "instructions");
    for peer in &peers {
        print!(" {peer:>15} {:>7}", "ratio");
    }
    println!();
    for line in lines {
        let count = line.instructions.map_or_else(|| "-".into(), |n| n.to_string());
        print!("{:<24} {:>9.1} {count:>12}", line.case, line.ours);
        for (_, ns) in &line.peers {
            match ns {
                Some(ns) => print!(" {:>12.0} ns {:>6.0}x", ns, ns / line.ours),
                None => print!(" {:>15} {:>7}", "-", "-"),
            }
        }
        println!();
    }
    println!();
    for line in lines {
        println!("{:<24} {}", line.case, line.operands);
    }
}

/// The same as one JSON array.
pub(super) fn json(lines: &[Line]) {
    let rows: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| {
            let peers: serde_json::Map<String, serde_json::Value> =
                line.peers.iter().map(|(name, ns)| (name.clone(), serde_json::json!(ns))).collect();
            serde_json::json!({
                "case": line.case,
                "operands": line.operands,
                "ns": line.ours,
                "instructions": line.instructions,
                "peers": peers,
            })
        })
        .collect();
    println!("{}", serde_json::Value::from(rows));
}
