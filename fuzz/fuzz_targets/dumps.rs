//! Any bytes are read to their end as a dump of either dialect, and every type in one is what the calculator answers to it.
#![no_main]

use bitstride_dumps::{Change, Dialect, read, ttgir};
use bitstride_lang::evaluate;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for dialect in [Dialect::Ttgir, Dialect::Hlo] {
        // Only what begins as no text is refused.
        let Ok(report) = read(bytes, Some(dialect), Some(1)) else { return };
        assert!(Change::between(&report, &report).is_ok_and(|changes| changes.is_empty()));
    }
    let dump = ttgir::Dump::read(bytes, None).expect("memory can be read");
    for known in &dump.types {
        let answer = evaluate(&known.facts.inlined).map(|answer| answer.value);
        assert_eq!(answer.as_ref(), Ok(&known.facts.value), "{}", known.facts.inlined);
    }
});
