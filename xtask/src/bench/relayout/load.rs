//! [`Load`]: how many processors others use meanwhile, by Linux's counts of ticks. Figures for two threads mean nothing where
//! only one processor was free.

use std::fs::read_to_string;

/// Ticks of all processors up to a moment.
pub(super) struct Load {
    all: u64,
    busy: u64,
    own: u64,
}

impl Load {
    /// The counts of now; `None` where the system does not tell them.
    pub(super) fn now() -> Option<Load> {
        let stat = read_to_string("/proc/stat").ok()?;
        let ticks: Vec<u64> =
            stat.lines().next()?.split_whitespace().skip(1).take(8).map_while(|ticks| ticks.parse().ok()).collect();
        let [user, nice, system, idle, waiting, irq, soft, stolen] = ticks[..] else { return None };
        let busy = user + nice + system + irq + soft + stolen;
        let process = read_to_string("/proc/self/stat").ok()?;
        // After the name: state, ten numbers, then the ticks as a user and in the system.
        let (_, rest) = process.rsplit_once(')')?;
        let own = rest.split_whitespace().skip(11).take(2).map_while(|ticks| ticks.parse::<u64>().ok()).sum();
        Some(Load { all: busy + idle + waiting, busy, own })
    }

    /// How many processors others have used since, on average.
    pub(super) fn others(&self) -> Option<f64> {
        let now = Load::now()?;
        let others = (now.busy - self.busy).saturating_sub(now.own - self.own);
        let number = |ticks: u64| u32::try_from(ticks).ok().map(f64::from);
        let processors = u32::try_from(std::thread::available_parallelism().ok()?.get()).ok()?;
        Some(number(others)? * f64::from(processors) / number(now.all - self.all)?.max(1.0))
    }
}
