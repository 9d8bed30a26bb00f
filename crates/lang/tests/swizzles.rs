//! `swizzle` against the count of its answer by `wavefronts`, and against its own lower bound; `swizzle_between` against the
//! layouts on both sides.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride_lang::evaluate;

/// The value of an expression as text, and its notes.
fn answer(text: &str) -> (String, Vec<String>) {
    let answer = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (answer.value.to_string(), answer.notes)
}

/// The number after a word in the notes.
fn noted(notes: &[String], word: &str) -> i64 {
    let note =
        notes.iter().find_map(|note| note.strip_prefix(word)).unwrap_or_else(|| panic!("no {word} in {notes:?}"));
    let digits: String = note.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{note}"))
}

#[test]
fn an_answer_costs_what_its_notes_say_and_no_less_than_the_bound() {
    let tiles = [
        ("(32,32):(32,1)", 32),
        ("(64,64):(64,1)", 16),
        ("(16,64):(64,1)", 8),
        ("(24,32):(32,1)", 32),
        ("(32,32):(33,1)", 32),
    ];
    let threads = ["32:1", "32:32", "(8,4):(4,1)", "((8,4),8):((1,8),64)", "(16,2):(1,16)", "32:33"];
    let limits = [
        "",
        ", under, swizzle",
        ", under, linear",
        ", under, padding",
        ", under, rotating",
        ", under, 4",
        ", under, tma",
    ];
    let mut answered = 0;
    for (tile, bits) in tiles {
        for (at, first) in threads.iter().enumerate() {
            for second in &threads[at..] {
                for limit in limits {
                    let text = format!("swizzle({tile}, {bits}, {first}, st, {second}, ld{limit})");
                    let Ok(found) = evaluate(&text) else { continue };
                    let (memory, notes) = (found.value.to_string(), found.notes);
                    let count = |threads: &str, transfer: &str| -> i64 {
                        let counted = answer(&format!("wavefronts({memory}, {threads}, {bits}, {transfer})")).0;
                        counted.parse().expect("a number")
                    };
                    let total = count(first, "st") + count(second, "ld");
                    assert_eq!(total, noted(&notes, "wavefronts: "), "{text}: {memory}");
                    assert!(total >= noted(&notes, "lower bound: "), "{text}");
                    // No two elements share a place.
                    assert_eq!(answer(&format!("is_injective({memory})")).0, "true", "{text}: {memory}");
                    answered += 1;
                }
            }
        }
    }
    assert!(answered > 200, "{answered}");
}

/// Accesses that are linear over F2 to a tile whose strides carry: what no text holds is no answer, and the other classes answer.
#[test]
fn a_tile_whose_strides_carry_has_an_answer() {
    for (text, plain) in
        [("swizzle((8,16):(64,10), 32, (32,1):(1,32), st)", 8), ("swizzle((16,16):(8,132), 32, (32,1):(1,32), st)", 4)]
    {
        let (memory, notes) = answer(text);
        assert!(noted(&notes, "wavefronts: ") < plain, "{memory} {notes:?}");
    }
}

/// The encoding that is noted is the memory that is answered, by rows and by columns.
#[test]
fn rotating_rows_are_triton_s() {
    for (tile, threads) in
        [("(64,64):(64,1)", "32:1"), ("(64,32):(1,64)", "32:64"), ("(32,128):(128,1)", "(4,8):(1,4)")]
    {
        let (memory, notes) = answer(&format!("swizzle({tile}, 16, {threads}, ld, under, rotating, amd)"));
        let encoding = notes.iter().find_map(|note| note.strip_prefix("in Triton ")).expect("an encoding");
        let shape = tile.split(':').next().expect("a shape");
        let (same, _) = answer(&format!("same({memory}, to_linear({encoding}, {shape}))"));
        assert_eq!(same, "same", "{memory} {encoding}");
    }
    let refused = evaluate("swizzle((24,32):(32,1), 16, 32:1, ld, under, rotating)").map(|answer| answer.value);
    assert!(refused.is_err_and(|error| error.message().contains("do not rotate")));
}

#[test]
fn a_swizzle_between_makes_one_layout_of_the_other() {
    for layout in ["(8,64):(64,1)", "(24,32):(32,1)", "(64,64):(1,64)", "(5,7,9):(63,9,1)"] {
        for swizzle in ["Sw<1,0,3>", "Sw<2,1,3>", "Sw<2,1,-3>", "Sw<3,0,4>", "Sw<0,0,0>"] {
            let moved = format!("{swizzle} o 0 o {layout}");
            let found = answer(&format!("swizzle_between({layout}, {moved})")).0;
            assert_eq!(
                answer(&format!("same({found} o 0 o {layout}, {moved})")).0,
                "same",
                "{layout} {swizzle}: {found}"
            );
        }
    }
    for (from, to) in
        [("(64,64):(64,1)", "(64,64):(1,64)"), ("(8,8):(8,1)", "(8,8):(9,1)"), ("(4,4):(4,0)", "(4,4):(4,1)")]
    {
        let refused = evaluate(&format!("swizzle_between({from}, {to})")).expect_err(from);
        assert!(refused.message().starts_with("element ("), "{refused}");
    }
}
