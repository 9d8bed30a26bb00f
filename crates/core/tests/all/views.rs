//! Chains of views as PyTorch, NumPy and einops evaluated them: `views.tsv`, recorded by `python/tools/record_views.py`.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::notation::{Ints, parse};
use bitstride_lang::{Value, evaluate};

/// Shape and places of a tensor, in the order of its elements.
fn elements(value: &Value) -> (Vec<i64>, Vec<i64>) {
    let map = value.as_map().unwrap_or_else(|error| panic!("{value}: {error}"));
    let shape: Vec<i64> = map.index_axes().iter().map(|axis| axis.extent).collect();
    let mut places = Vec::new();
    for number in 0..shape.iter().product() {
        let mut rest: i64 = number;
        let mut point: Vec<i64> = shape
            .iter()
            .rev()
            .map(|extent| {
                let digit = rest % extent;
                rest /= extent;
                digit
            })
            .collect();
        point.reverse();
        let place = map.at(&point).unwrap_or_else(|error| panic!("{value} at {point:?}: {error}"));
        places.extend(place.unwrap_or_else(|| panic!("{value} at {point:?}: padding")));
    }
    (shape, places)
}

fn numbers(list: &str) -> Vec<i64> {
    list.split(',').filter(|number| !number.is_empty()).map(|number| number.parse().expect("a number")).collect()
}

#[test]
fn views_are_those_of_the_libraries() {
    let (mut answered, mut wrong) = (0, Vec::new());
    for row in include_str!("../views.tsv").lines() {
        let (text, expected) = row.split_once('\t').expect("a text and what it gives");
        let answer = evaluate(text);
        let fault = match (&answer, expected) {
            (Ok(answer), "refused") => Some(format!("refused there, here {}", answer.value)),
            (Err(_), "refused") => None,
            (Err(error), _) => Some(format!("answered there, here {error}")),
            (Ok(answer), _) => {
                answered += 1;
                // The canonical text of a chain stands for the same.
                let canonical = parse(text, Ints::Plain).expect(text).to_string();
                match evaluate(&canonical) {
                    Ok(again) if again.value.to_string() == answer.value.to_string() => {}
                    Ok(again) => wrong.push(format!("{text}: {canonical} is {}, not {}", again.value, answer.value)),
                    Err(error) => wrong.push(format!("{text}: {canonical} is refused: {error}")),
                }
                let said = match (expected.strip_prefix("= "), expected.split_once('\t')) {
                    (Some(asked), _) => answer.value.to_string() == asked,
                    (None, Some((shape, places))) => {
                        elements(&answer.value) == (numbers(shape.trim_matches(['(', ')'])), numbers(places))
                    }
                    (None, None) => panic!("{row}: no places"),
                };
                (!said).then(|| format!("there {expected}, here {}", answer.value))
            }
        };
        wrong.extend(fault.map(|fault| format!("{text}: {fault}")));
    }
    assert!(wrong.is_empty(), "{} rows of {answered} answered ones:\n{}", wrong.len(), wrong.join("\n"));
    assert!(answered > 1000, "{answered} rows are answered");
}
