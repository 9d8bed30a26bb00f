//! Matrix and copy instructions as CuTe describes them: what each thread holds, reads and writes.

use bitstride::cute::{CopyAtom, Layout, MmaAtom};
use bitstride::{Code, Error};
use serde_json::{Value, json};

use super::Fields;
use crate::vectors::judge::Kind;
use crate::vectors::operation::Ours;
use crate::vectors::row::Row;

/// The system that was run.
const SYSTEM: &str = "cute";

/// The layouts that a row may state.
const LAYOUTS: [&str; 7] = ["ThrID", "ALayout", "BLayout", "CLayout", "ELayout", "SFALayout", "SFBLayout"];

/// A row from its fields.
pub(super) fn row(file: &str, fields: Fields) -> Row {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let names = LAYOUTS.iter().chain(&["Shape_MNK", "bits", "SrcLayout", "DstLayout", "RefLayout"]);
    let stated: Fields = names.filter_map(|name| Some(((*name).to_owned(), fields.get(*name)?.clone()))).collect();
    let answers = vec![(SYSTEM, Value::Object(stated).to_string())];
    Row { file: file.to_owned(), id: text("id"), op: "atom".to_owned(), operands: vec![text("atom")], answers, fields }
}

/// Our answer.
pub(super) fn answer(fields: &Fields) -> Option<Result<Value, Error>> {
    let name = fields.get("atom")?.as_str()?;
    if fields.contains_key("SrcLayout") {
        return Some(CopyAtom::named(name).map(|atom| {
            json!({
                "ThrID": atom.threads.to_string(),
                "SrcLayout": atom.source.to_string(),
                "DstLayout": atom.target.to_string(),
                "RefLayout": atom.reference.to_string(),
            })
        }));
    }
    Some(MmaAtom::named(name).map(|atom| {
        let [sfa, sfb] = atom.scales.map_or([None, None], |[a, b]| [Some(a), Some(b)]);
        let layouts = [Some(atom.threads), Some(atom.a), Some(atom.b), Some(atom.c), atom.metadata, sfa, sfb];
        let mut stated = Fields::new();
        for (name, layout) in LAYOUTS.iter().zip(layouts) {
            if let Some(layout) = layout {
                stated.insert((*name).to_owned(), json!(layout.to_string()));
            }
        }
        let [m, n, k] = atom.shape;
        stated.insert("Shape_MNK".to_owned(), json!(format!("({m},{n},{k})")));
        stated.insert("bits".to_owned(), json!(atom.bits));
        Value::Object(stated)
    }))
}

/// How our answer differs from CuTe's: where its own layout is none, as shape and stride are nested differently.
pub(super) fn differs(theirs: &str, ours: &Ours) -> Result<Option<Kind>, String> {
    let Ours::Answer(ours) = ours else { return Err(format!("not as recorded: {}", ours.text())) };
    if ours == theirs {
        return Ok(None);
    }
    let [theirs, own]: [Fields; 2] = match (serde_json::from_str(theirs), serde_json::from_str(ours)) {
        (Ok(theirs), Ok(own)) => [theirs, own],
        _ => return Err(format!("not as recorded: {ours}")),
    };
    let differing = theirs.iter().filter(|(name, value)| own.get(*name) != Some(value));
    let is_slip = |value: &Value| {
        let read = value.as_str().map(str::parse::<Layout>);
        matches!(read, Some(Err(error)) if error.code() == Code::Profile)
    };
    let all = differing.map(|(_, value)| is_slip(value)).collect::<Vec<_>>();
    if theirs.len() == own.len() && all.iter().all(|slip| *slip) {
        return Ok(Some(Kind::AcceptsUnlawful));
    }
    Err(format!("not as recorded: {ours}"))
}
