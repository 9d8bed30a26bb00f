//! What `convert --to latex` writes: each formula read back by a reader of its own is the value, for every kind of value that
//! has one, and for the value of every example in the table of operations.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::Error;
use bitstride_lang::{Value, evaluate, operations};

fn value(text: &str) -> Result<Value, Error> {
    evaluate(text).map(|answer| answer.value)
}

fn latex(text: &str) -> Result<String, Error> {
    value(&format!("convert({text}, latex)")).map(|text| text.to_string())
}

#[test]
fn each_kind_of_value_has_its_formula() {
    let cases = [
        ("4", "4{:}1"),
        ("(4,(2,3))", "(4,(2,3)){:}(1,(4,8))"),
        ("M", "M{:}1"),
        ("(4,8):(-1,8)", "(4,8){:}({-}1,8)"),
        ("(M,8):(8*K,1)", "(M,8){:}(8 \\cdot K,1)"),
        ("BLOCK_M:1", "\\mathit{BLOCK\\_M}{:}1"),
        ("(4,8):(1@0,3@1@0)", "(4,8){:}(e_{0},3e_{0,1})"),
        ("(4,8):(1@0,-1@1)", "(4,8){:}(e_{0},{-}1e_{1})"),
        ("<4:1, _, (2,3):(3,1)>", "\\langle 4{:}1,\\_,(2,3){:}(3,1)\\rangle"),
        ("Sw<3,4,-3>", "\\mathrm{Sw}\\langle 3,4,-3\\rangle"),
        ("Sw<3,4,3> o (8,64):(64,1)", "\\mathrm{Sw}\\langle 3,4,3\\rangle \\circ (8,64){:}(64,1)"),
        ("Sw<3,4,3> o 7 o 8:1", "\\mathrm{Sw}\\langle 3,4,3\\rangle \\circ 7 \\circ 8{:}1"),
        ("4:-1 + 3", "4{:}{-}1 + 3"),
        ("(4,8):(1@0,1@1) + (2,3)", "(4,8){:}(e_{0},e_{1}) + (2,3)"),
        ("tensor((3,5),(5,1))", "(3,5){:}(5,1)"),
        ("tag(nChw16c,(1,32,2,2))", "(1,(16,2),2,2){:}(0,(1,64),32,16)"),
        ("i<8: i*2", "8{:}2"),
        ("linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>", "\\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}"),
        ("f32[3,5]{1,0:T(2,2)S(1)}", "f32[3,5]\\{1,0{:}T(2,2)S(1)\\}"),
        ("b(u8[<=8]{0:#(u32)})", "b(u8[<=8]\\{0{:}\\#(u32)\\})"),
    ];
    for (text, formula) in cases {
        assert_eq!(latex(text).as_deref(), Ok(formula), "{text}");
        assert_eq!(is_the_value(text), Some(true), "{text}");
    }
}

#[test]
fn what_has_no_formula_is_refused_with_its_reason() {
    for (text, why) in [
        ("?", "LaTeX needs a name for an unknown integer"),
        ("ceil_div(M, 4)", "LaTeX does not write this arithmetic"),
        ("Sw<3,4,3> o bytes[16] o 8:1", "LaTeX has no swizzles of bytes under a layout of elements"),
        ("{1,0}", "has no shape"),
        ("true", "is a truth value"),
    ] {
        let error = latex(text).err().unwrap_or_else(|| panic!("{text} has a formula"));
        assert!(error.message().contains(why), "{text}: {error}");
    }
}

#[test]
fn the_value_of_every_example_is_its_formula_or_has_none() {
    let mut written = 0;
    for operation in operations() {
        let Some(is_same) = is_the_value(operation.example) else { continue };
        assert!(is_same, "{}: {:?}", operation.example, latex(operation.example));
        written += 1;
    }
    assert!(written > 100, "{written} are written");
}

/// Whether the formula of a value reads back as the value; nothing where it has none.
fn is_the_value(text: &str) -> Option<bool> {
    let formula = latex(text).ok()?;
    let value = value(text).ok()?;
    let open = formula.matches('{').count();
    assert_eq!(open, formula.matches('}').count(), "{formula}");
    Some(match &value {
        Value::Linear(layout) => {
            let inner = formula.strip_prefix("\\begin{bmatrix} ")?.strip_suffix(" \\end{bmatrix}")?;
            let column = |at: usize| -> u64 {
                let bits = inner.split(" \\\\ ").filter_map(|row| row.split(" & ").nth(at));
                (0..).zip(bits).map(|(bit, text)| u64::from(text == "1") << bit).sum()
            };
            layout.columns().iter().enumerate().all(|(at, written)| column(at) == *written)
        }
        // A text without a layout is a row-major array, which the formula says.
        Value::Xla(_) | Value::Text(_) => {
            let text = plain(&formula);
            text == value.to_string() || evaluate(&format!("same({text}, {value})")).ok()?.value.to_string() == "same"
        }
        _ => {
            let cute = match &value {
                Value::Layout(_) | Value::Offset(_) | Value::Tiler(_) | Value::Function(_) => value.to_string(),
                Value::Tuple(_) => evaluate(&format!("column_major({text})")).ok()?.value.to_string(),
                _ => evaluate(&format!("convert({text}, cute)")).ok()?.value.to_string(),
            };
            let known = |text: &str| text.replace('?', "").replace(" o 0 o ", " o ").replace(' ', "");
            known(&plain(&formula)) == known(&cute)
        }
    })
}

/// A formula without its marks.
fn plain(formula: &str) -> String {
    let mut text = formula.to_owned();
    for (mark, meaning) in [
        ("{:}", ":"),
        ("{-}", "-"),
        ("\\mathrm{Sw}", "Sw"),
        ("\\langle ", "<"),
        ("\\rangle", ">"),
        (" \\circ ", " o "),
        (" \\cdot ", "*"),
        ("\\{", "\u{1}"),
        ("\\}", "\u{2}"),
        ("\\#", "#"),
        ("\\_", "_"),
    ] {
        text = text.replace(mark, meaning);
    }
    while let Some((before, after)) = text.clone().split_once("\\mathit{") {
        text = format!("{before}{}", after.replacen('}', "", 1));
    }
    while let Some((before, after)) = text.clone().split_once("e_{") {
        let Some((path, rest)) = after.split_once('}') else { break };
        let path: Vec<&str> = path.split(',').rev().collect();
        let scale = if before.ends_with(|c: char| c.is_ascii_alphanumeric()) { "" } else { "1" };
        text = format!("{before}{scale}@{}{rest}", path.join("@"));
    }
    text.replace('\u{1}', "{").replace('\u{2}', "}")
}
