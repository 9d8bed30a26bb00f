//! [`Lifetimes`]: which shared memory of a function is in use at once.
//!
//! An allocation is in use from its line up to the last line that names it, or a view of it. Law, as in Triton's analysis: what is
//! named in a loop and allocated before it is in use up to the end of the loop; what the regions of a `ttg.warp_specialize` name is
//! in use as long as any of them runs; the scratch of an operation is in use on its line alone. The bytes that are in use at once are
//! a lower bound of what is allocated, as the allocations have to lie in gaps between each other.

use std::collections::{BTreeSet, HashMap};

/// The allocations of a function and their uses, line by line.
#[derive(Default)]
pub(super) struct Lifetimes {
    /// The line at hand, counted within the function.
    now: u64,
    buffers: Vec<Buffer>,
    /// The buffers that a name may stand for.
    names: HashMap<String, BTreeSet<usize>>,
    /// The regions that are open here.
    regions: Vec<Region>,
    /// Which of them run several times.
    loops: Vec<usize>,
    /// What regions that run side by side were given, and have named so far; the innermost last.
    concurrent: Vec<Concurrent>,
    /// Scratch, as bytes, when it is used, and its line in the file.
    scratch: Vec<(i64, u64, u64)>,
}

/// An allocation.
struct Buffer {
    bytes: i64,
    /// The line in the file.
    line: u64,
    /// The lines of the function on which it is in use.
    from: u64,
    to: u64,
    /// How many regions were open around it.
    depth: usize,
}

/// The region of an operation.
#[derive(Default)]
struct Region {
    /// Whether it runs several times.
    repeats: bool,
    /// The results of the operation.
    results: Vec<String>,
    /// What it named that was allocated before it, where it is the outermost loop that does.
    named: BTreeSet<usize>,
    /// What it yields.
    yielded: BTreeSet<usize>,
}

/// The regions of a `ttg.warp_specialize`.
struct Concurrent {
    from: u64,
    /// The buffers of each operand.
    captures: Vec<BTreeSet<usize>>,
    named: BTreeSet<usize>,
    depth: usize,
}

/// What is in use at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// The bytes.
    pub bytes: i64,
    /// How many of them are the scratch of a conversion.
    pub scratch: i64,
    /// The line of the allocation or the conversion that reaches them.
    pub line: u64,
}

/// A line of a function.
pub(super) struct Line<'l> {
    /// The whole line.
    pub(super) text: &'l str,
    /// The names of the results.
    pub(super) results: &'l str,
    /// The operation.
    pub(super) name: &'l str,
    /// Whether a result is memory.
    pub(super) makes_memory: bool,
}

impl Lifetimes {
    /// The next line of the function.
    pub(super) fn line(&mut self, line: &Line<'_>) {
        self.now += 1;
        let (closes, opens) = regions(line.text);
        let behind = line.text.trim_start().trim_start_matches([')', '}', ' ']);
        let mut closed = None;
        for _ in 0..closes {
            closed = self.close();
        }
        // The types of a `ttg.warp_specialize` stand behind its last region.
        if closes > opens && behind.starts_with(':') {
            self.join();
        }
        let operands = line.text.get(line.results.len()..).unwrap_or(line.text);
        let named: Vec<&str> = names(operands).collect();
        let used = self.used(named.iter().copied());
        used.iter().for_each(|buffer| self.touch(*buffer));
        for (first, second) in given(operands) {
            let buffers = self.used([second].into_iter());
            self.stands_for(first, &buffers);
        }
        match line.name {
            "ttg.warp_specialize" => {
                let captures = named.iter().map(|name| self.used([*name].into_iter())).collect();
                let depth = self.regions.len();
                self.concurrent.push(Concurrent { from: self.now, captures, named: used.clone(), depth });
            }
            name if name.starts_with("partition") => {
                if let Some(captures) = self.concurrent.last().map(|all| all.captures.clone()) {
                    for (name, buffers) in named.iter().zip(captures) {
                        self.stands_for(name, &buffers);
                    }
                }
            }
            "scf.yield" => {
                if let Some(region) = self.regions.last_mut() {
                    region.yielded.extend(used.iter().copied());
                }
            }
            _ => {}
        }
        let results: Vec<String> = names(line.results).map(str::to_owned).collect();
        if line.makes_memory {
            for name in &results {
                self.stands_for(name, &used);
            }
        }
        // `} else {` goes on with the same operation.
        let (repeats, results) = closed.unwrap_or((matches!(line.name, "scf.for" | "scf.while"), results));
        for _ in 0..opens {
            if repeats {
                self.loops.push(self.regions.len());
            }
            self.regions.push(Region { repeats, results: results.clone(), ..Region::default() });
        }
    }

    /// An allocation on the line at hand.
    pub(super) fn allocate(&mut self, name: &str, bytes: i64, line: u64) {
        let from = self.concurrent.last().map_or(self.now, |all| all.from);
        let buffer = self.buffers.len();
        self.buffers.push(Buffer { bytes, line, from, to: self.now, depth: self.regions.len() });
        self.names.insert(name.to_owned(), BTreeSet::from([buffer]));
        if let Some(all) = self.concurrent.last_mut() {
            all.named.insert(buffer);
        }
    }

    /// Scratch of the operation on the line at hand.
    pub(super) fn scratch(&mut self, bytes: i64, line: u64) {
        self.scratch.push((bytes, self.now, line));
    }

    /// The most that is in use at once; the function ends here.
    pub(super) fn end(&mut self) -> Peak {
        while !self.regions.is_empty() {
            self.close();
        }
        while !self.concurrent.is_empty() {
            self.join();
        }
        let all = std::mem::take(self);
        // What becomes used and unused on each line; a use includes its last line.
        let mut changes: Vec<(u64, i64)> = Vec::new();
        for buffer in &all.buffers {
            changes.push((buffer.from, buffer.bytes));
            changes.push((buffer.to.saturating_add(1), buffer.bytes.saturating_neg()));
        }
        changes.sort_unstable();
        let allocations = all.buffers.iter().map(|buffer| (0, buffer.from, buffer.line));
        let mut moments: Vec<(i64, u64, u64)> = allocations.chain(all.scratch).collect();
        moments.sort_unstable_by_key(|(_, at, line)| (*at, *line));
        let (mut changes, mut live, mut peak) = (changes.into_iter().peekable(), 0_i64, Peak::default());
        for (scratch, at, line) in moments {
            while let Some((_, change)) = changes.next_if(|(from, _)| *from <= at) {
                live = live.saturating_add(change);
            }
            let bytes = live.saturating_add(scratch);
            if bytes > peak.bytes {
                peak = Peak { bytes, scratch, line };
            }
        }
        peak
    }

    /// The buffers that some names may stand for.
    fn used<'n>(&self, names: impl Iterator<Item = &'n str>) -> BTreeSet<usize> {
        names.filter_map(|name| self.names.get(name)).flatten().copied().collect()
    }

    /// A name stands for these buffers, too. No kernel has as many for one name as are kept here; without the others, less is in use.
    fn stands_for(&mut self, name: &str, buffers: &BTreeSet<usize>) {
        const MOST: usize = 1 << 8;
        let known = self.names.entry(name.to_owned()).or_default();
        known.extend(buffers.iter().take(MOST.saturating_sub(known.len())).copied());
    }

    /// A buffer is in use on the line at hand.
    fn touch(&mut self, buffer: usize) {
        let Some(used) = self.buffers.get_mut(buffer) else { return };
        used.to = self.now;
        // The outermost loop that it was allocated before ends last.
        let outermost = self.loops.partition_point(|at| *at < used.depth);
        if let Some(region) = self.loops.get(outermost).and_then(|at| self.regions.get_mut(*at)) {
            region.named.insert(buffer);
        }
        if let Some(all) = self.concurrent.last_mut() {
            all.named.insert(buffer);
        }
    }

    /// The innermost region ends: whether it repeats, and the results of its operation.
    fn close(&mut self) -> Option<(bool, Vec<String>)> {
        let region = self.regions.pop()?;
        if region.repeats {
            self.loops.pop();
        }
        region.named.iter().for_each(|buffer| self.touch(*buffer));
        for name in region.results.iter().filter(|_| !region.yielded.is_empty()) {
            self.stands_for(name, &region.yielded);
        }
        Some((region.repeats, region.results))
    }

    /// The regions that run side by side end.
    fn join(&mut self) {
        let is_here = self.concurrent.last().is_some_and(|all| all.depth >= self.regions.len());
        if is_here && let Some(all) = self.concurrent.pop() {
            all.named.iter().for_each(|buffer| self.touch(*buffer));
        }
    }
}

/// The names of values in a text, without the number of a result.
fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).map(|(name, _)| name)
}

/// The names that are given the value of another one, as in `iter_args(%a = %b)`.
fn given(text: &str) -> impl Iterator<Item = (&str, &str)> {
    pieces(text)
        .zip(pieces(text).skip(1))
        .filter(|((_, between), _)| *between == " = ")
        .map(|((one, _), (other, _))| (one, other))
}

/// The names of values in a text, each with what stands between it and the next.
fn pieces(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
    text.split('%').skip(1).map(move |rest| rest.split_at(rest.find(|c| !is_name(c)).unwrap_or(rest.len())))
}

/// How many regions a line closes that are open before it, and how many it leaves open.
pub(super) fn regions(line: &str) -> (usize, usize) {
    let (mut closes, mut opens, mut quoted) = (0_usize, 0_usize, false);
    for byte in line.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'{' if !quoted => opens += 1,
            b'}' if !quoted => match opens.checked_sub(1) {
                Some(left) => opens = left,
                None => closes += 1,
            },
            _ => {}
        }
    }
    (closes, opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The peak of lines in which `alloc N` allocates N bytes.
    fn peak(text: &str) -> (i64, u64) {
        let mut lifetimes = Lifetimes::default();
        for (number, line) in (1..).zip(text.lines()) {
            let (results, rest) = line.split_once(" = ").filter(|_| line.trim().starts_with('%')).unwrap_or(("", line));
            let name = rest.split_whitespace().next().unwrap_or_default();
            lifetimes.line(&Line { text: line, results, name, makes_memory: line.contains("memdesc") });
            if let Some(bytes) = rest.strip_prefix("alloc ") {
                lifetimes.allocate(results.trim().trim_start_matches('%'), bytes.parse().expect(bytes), number);
            }
            if let Some(bytes) = rest.trim().strip_prefix("scratch ") {
                lifetimes.scratch(bytes.parse().expect(bytes), number);
            }
        }
        let peak = lifetimes.end();
        (peak.bytes, peak.line)
    }

    #[test]
    fn an_allocation_is_in_use_up_to_its_last_use() {
        for (text, bytes, line) in [
            ("%a = alloc 8\nuse %a\n%b = alloc 4\nuse %b", 8, 1),
            ("%a = alloc 8\n%b = alloc 4\nuse %a, %b", 12, 2),
            // A view is one of the whole.
            ("%a = alloc 8\n%v = view %a : memdesc\n%b = alloc 4\nuse %v\nuse %b", 12, 3),
            // Scratch is in use on its line.
            ("%a = alloc 8\nscratch 16\nuse %a\nscratch 20", 24, 2),
            ("%a = alloc 8\nuse %a\nscratch 20", 20, 3),
        ] {
            assert_eq!(peak(text), (bytes, line), "{text}");
        }
    }

    #[test]
    fn a_loop_uses_up_to_its_end_what_was_allocated_before_it() {
        let text = "%a = alloc 8\nscf.for {\nuse %a\n%b = alloc 4\nuse %b\n}\n%c = alloc 2\nuse %c";
        assert_eq!(peak(text), (12, 4));
        let inside = "scf.for {\n%a = alloc 8\nuse %a\n%b = alloc 4\nuse %b\n}";
        assert_eq!(peak(inside), (8, 2));
        // What a branch names is unused behind it.
        let branch = "%a = alloc 8\nscf.if %c {\nuse %a\n} else {\n%b = alloc 4\nuse %b\n}";
        assert_eq!(peak(branch), (8, 1));
    }

    #[test]
    fn a_value_of_a_loop_is_what_it_is_given_and_what_it_yields() {
        let branch = "%a = alloc 8\n%b = alloc 4\n%r = scf.if %x -> (memdesc) {\nscf.yield %a\n} else {\nscf.yield %b\n}\n%c = alloc 2\nuse %r, %c";
        assert_eq!(peak(branch), (14, 8));
        let text = "%a = alloc 8\n%b = alloc 4\n%r = scf.for iter_args(%x = %a) -> (memdesc) {\nscf.yield %b\n}\n%c = alloc 2\nuse %r, %c";
        assert_eq!(peak(text), (14, 6));
    }

    #[test]
    fn regions_that_run_side_by_side_use_what_any_of_them_names() {
        let text = "%a = alloc 8\n%b = alloc 4\nttg.warp_specialize(%a)\ndefault {\nuse %b\n}\npartition0(%x: memdesc) num_warps(4) {\nuse %x\n%c = alloc 2\n} : (memdesc) -> ()\n%d = alloc 1";
        assert_eq!(peak(&text.replace("ttg.warp_specialize(%a)", "ttg.warp_specialize (%a)")), (14, 9));
    }

    #[test]
    fn brackets_are_regions_where_they_stay_open() {
        assert_eq!(regions("} else {"), (1, 1));
        assert_eq!(regions("%0 = op {a = {b = \"}\"}} : t"), (0, 0));
        assert_eq!(regions("}) : (t) -> u"), (1, 0));
    }
}
