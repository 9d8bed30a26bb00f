//! What bitstride answers, as JSON: the one form that the command line, Python and pages share.
//!
//! An answer is `{"kind", "value", "data"?, "notes"?}`. `value` is the text, in the spelling that `--ints` names;
//! `data` is the structure, which no spelling changes:
//!
//! | kind | data |
//! |---|---|
//! | `int` | a number; a string for a dynamic or unknown one: `"5?"`, `"?{div=8}"`, `"4*M"` |
//! | `tuple` | nested arrays of such; a basis vector is a string, `"2@0"`, and so is `"_"` |
//! | `layout` | `{"shape", "stride"}`, both as `tuple`; a slice has `"offset"` too |
//! | `swizzle` | `{"bits", "base", "shift"}` |
//! | `composed` | `{"outer", "offset", "inner"}`, outer and inner a layout, swizzle or composed one |
//! | `tiler` | an array with a layout, a number, `"_"` or an array for each mode |
//! | `linear` | `{"bases", "outs"}`: pairs of an in dim and its bases, pairs of an out dim and its size |
//! | `xla` | `{"element", "dims", "minor_to_major", "tiles", "element_bits"}` and the fields that are written; an array for a tuple |
//! | `map` | `{"domain", "codomain", "stages"}`: axes as name, extent and unit, and the stages between |
//! | `verdict` | `{"same", "alignment"}`, with the certificate, the first point that differs, and how many do |
//! | `list` | an array of the data of each value |
//! | `bool` | `true` or `false` |
//! | `relayout`, `plan` | `{"elements", "element", "element_bits", "bytes", "out_elements", "out_bytes"}`; what was moved has `"seconds"` and `"gigabytes_per_second"` too |
//!
//! The last row is what the verb `relayout` of the command line reports. Kinds `text`, `encoding` and `xla_layout` have no
//! data. An error is
//! `{"error": {"code", "message", "span"?, "help"?, "reason"?, "witness"?, "chain"?}}`, where `reason` has a `kind` and the facts of the message by name, `span` is `[start, end]` in bytes of the expression and `witness` is `{"at", "gives", "needs"}`: the
//! coordinates, what the true function gives at each, and what the law needs instead.
//!
//! An explanation is `{"table", "assumptions"?, "steps"}` with `{"rule", "expression", "value"}` for each step, and the members
//! of the answer or the error. An operation has its signature, parameters, law and example.
//!
//! ```
//! use bitstride_json::answer;
//! use bitstride_lang::{Spelling, evaluate};
//! let object = answer(&evaluate("composition((6,2):(8,2), 3:1)")?, Spelling::Plain);
//! assert_eq!(object["value"], "3:8");
//! assert_eq!(object["data"]["stride"], 8);
//! # Ok::<(), bitstride::Error>(())
//! ```

mod explanation;
mod link;
mod operation;
mod reshard;
mod utf16;
mod value;

use bitstride::{Error, Fact};
use bitstride_lang::{Answer, Spelling};
use serde_json::{Map, Value as Json, json};

pub use explanation::explanation;
pub use link::fragment;
pub use operation::operation;
pub use reshard::{pieces, reshard};
pub use utf16::{utf16, with_text_numbers};

/// The object of an answer, its text in a spelling.
pub fn answer(answer: &Answer, spelling: Spelling) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("kind".into(), answer.value.kind().into());
    object.insert("value".into(), spelling.text(&answer.value).into());
    if let Some(data) = value::data(&answer.value) {
        object.insert("data".into(), data);
    }
    if !answer.notes.is_empty() {
        object.insert("notes".into(), json!(answer.notes));
    }
    object
}

/// The object of an error.
pub fn refusal(error: &Error) -> Map<String, Json> {
    let mut inner = Map::new();
    inner.insert("code".into(), error.code().as_str().into());
    inner.insert("message".into(), error.message().into());
    if let Some(span) = error.span() {
        inner.insert("span".into(), json!([span.start, span.end]));
    }
    if let Some(help) = error.help() {
        inner.insert("help".into(), help.into());
    }
    if let Some(refusal) = error.refusal() {
        let mut reason = Map::from_iter([("kind".into(), refusal.kind().into())]);
        reason.extend(refusal.facts().iter().map(|(name, fact)| ((*name).into(), json_of(fact))));
        inner.insert("reason".into(), Json::Object(reason));
    }
    if let Some(witness) = error.witness() {
        let witness = json!({"at": witness.at, "gives": witness.gives, "needs": witness.needs});
        inner.insert("witness".into(), witness);
    }
    if let Some(chain) = error.chain() {
        inner.insert("chain".into(), chain.into());
    }
    Map::from_iter([("error".into(), Json::Object(inner))])
}

fn json_of(fact: &Fact) -> Json {
    match fact {
        Fact::Number(number) => json!(number),
        Fact::Text(text) => text.as_str().into(),
        Fact::List(facts) => facts.iter().map(json_of).collect(),
        _ => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitstride_lang::evaluate;

    fn object(expression: &str) -> Json {
        Json::Object(evaluate(expression).map_or_else(|error| refusal(&error), |done| answer(&done, Spelling::Plain)))
    }

    #[test]
    fn data_of_each_kind() {
        let cases = [
            ("size((2,3))", json!(6)),
            ("5?", json!("5?")),
            ("(2,(M,_),2@0)", json!([2, ["M", "_"], "2@0"])),
            ("(2,3?):(1@0,1@1)", json!({"shape": [2, "3?"], "stride": ["1@0", "1@1"]})),
            ("4:1 + 7", json!({"shape": 4, "stride": 1, "offset": 7})),
            ("Sw<3,4,-3>", json!({"bits": 3, "base": 4, "shift": -3})),
            (
                "Sw<1,0,1> o 2 o 4:1",
                json!({"outer": {"bits": 1, "base": 0, "shift": 1}, "offset": 2, "inner": {"shape": 4, "stride": 1}}),
            ),
            ("<3:4, _, <2>>", json!([{"shape": 3, "stride": 4}, "_", [2]])),
            ("offsets(3:2)", json!([0, 2, 4])),
            ("compatible(4, (2,2))", json!(true)),
        ];
        for (expression, wanted) in cases {
            assert_eq!(object(expression)["data"], wanted, "{expression}");
        }
    }

    #[test]
    fn a_refusal_has_its_parts() {
        let refused = &object("composition((4,4):(1,10), (3,2):(1,3))")["error"];
        for part in ["code", "message", "span", "reason", "witness", "chain"] {
            assert!(!refused[part].is_null(), "{part}: {refused}");
        }
        assert_eq!(refused["span"], json!([0, 38]));
        let reason = json!({
            "kind": "carry",
            "inner": "(3,2):(1,3)",
            "outer": "(4,4):(1,10)",
            "steps": [[1], [3], [4]],
            "images": [1, 3, 10],
        });
        assert_eq!(refused["reason"], reason);
        let unreadable = &object("layout((4,8):(8,1), 7)")["error"]["reason"];
        assert_eq!(*unreadable, json!({"kind": "no-mode", "index": 7, "rank": 2}));
    }
}
