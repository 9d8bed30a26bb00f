//! What an answer prints can be typed again: `evaluate(answer.value.to_string())` is the same value, of every example of the
//! table and of every operation with other operands. Texts in another system's spelling read as what they spell. Sentences and
//! pictures are listed, each with the reason why nothing reads them.

#![allow(clippy::panic, reason = "that is how a test fails")]

mod draws;

use std::collections::{BTreeMap, BTreeSet};

use bitstride_lang::{Value, call, evaluate, operations};

/// How often each operation is called with other operands.
const DRAWS: usize = 10;

/// Operations whose texts are read by people only, and why.
const SENTENCES: [(&str, &str); 9] = [
    ("describe", "a sentence for each bit; print_linear writes the layout itself"),
    ("describe_tiles", "formulas and steps of XLA's page; the operand is the layout"),
    ("device_shard", "ranges of indices of one device, which are no layout"),
    ("hardware_view", "a picture as Triton draws it, without the names of its dims"),
    ("padding", "counts of elements and bytes in a sentence"),
    ("plan", "the instructions of a conversion in a sentence"),
    ("reshard", "bytes that move in a sentence"),
    ("tensor_view", "a picture as Triton draws it, without the names of its dims"),
    ("which_atom", "a list of operands of instructions, each with its name"),
];

/// Operations whose texts are calls of this language that stand for another value than themselves, and what that is.
const CALLS: [(&str, &str); 2] = [
    ("decode_instruction_descriptor", "the call whose value is the number that was decoded"),
    ("tma", "the call of the driver, whose value is the layout of shared memory"),
];

/// What is wrong with the text of an answer; nothing where it reads back.
fn fault(operation: &str, value: &Value) -> Option<String> {
    let text = value.to_string();
    let read = match evaluate(&text) {
        Ok(answer) => answer.value,
        Err(error) => return Some(format!("{text} is refused: {error}")),
    };
    let is_spelling = |read: Value| match &read {
        Value::Affine(affine) => affine.to_string() == format!("affine_map<{text}>"),
        _ => call(operation, &[read]).is_ok_and(|again| again.value.to_string() == text),
    };
    let is_same = match value {
        Value::Text(_) if CALLS.iter().any(|(name, _)| *name == operation) => true,
        Value::Text(_) if &read != value => is_spelling(read.clone()),
        _ => &read == value,
    };
    (!is_same).then(|| format!("{text} reads as {}: {read}", read.kind()))
}

#[test]
fn the_text_of_an_answer_reads_back() {
    let examples = operations().map(|operation| (operation, operation.example.to_owned()));
    let mut unread: BTreeMap<&str, String> = BTreeMap::new();
    let (mut faults, mut count) = (Vec::new(), 0);
    for (operation, text) in examples.chain(draws::calls(operations(), DRAWS)) {
        let Ok(answer) = evaluate(&text) else { continue };
        count += 1;
        let Some(fault) = fault(operation.name, &answer.value) else { continue };
        match &answer.value {
            Value::Text(_) if SENTENCES.iter().any(|(name, _)| *name == operation.name) => {
                unread.insert(operation.name, fault);
            }
            _ => faults.push(format!("{text}: {fault}")),
        }
    }
    assert!(faults.is_empty(), "{} of {count} answers:\n{}", faults.len(), faults.join("\n"));
    assert!(count > 1000, "only {count} answers");
    let listed: BTreeSet<&str> = SENTENCES.iter().map(|(name, _)| *name).collect();
    assert_eq!(unread.keys().copied().collect::<BTreeSet<_>>(), listed, "the list has what reads back");
}
