//! `cargo xtask sizes`.
mod graph;
mod source;

pub fn run() {
    for folder in ["crates/core/src", "crates/lang/src"] {
        let graph = graph::Graph::of(folder);
        println!("{folder} {:?}", graph.families().cycles());
        for family in graph.families().uses.keys() {
            println!("  {family} {:?}", graph.within(family).cycles());
        }
    }
}
