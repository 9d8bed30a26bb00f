//! The index of a checkpoint of several files, `model.safetensors.index.json`: the file that each tensor is in.
//!
//! Law: every tensor is in one file beside the index, or the index is refused.

use std::path::Path;

use bitstride::{Code, Error, error};
use serde_json::Value as Json;

use crate::repeated_key::RepeatedKey;

/// The tensors that an index names with the name of the file of each, in order.
///
/// # Errors
/// [`Code::Syntax`] for what is no index, a tensor or another key that is there twice, with its lines, and a file that does not lie beside the index.
///
/// ```
/// use bitstride_formats::weight_map;
/// let files = weight_map(r#"{"weight_map":{"w":"a.safetensors"}}"#)?;
/// assert_eq!(files, [("w".to_owned(), "a.safetensors".to_owned())]);
/// assert!(weight_map(r#"{"weight_map":{"w":"a.safetensors","w":"b.safetensors"}}"#).is_err());
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn weight_map(text: &str) -> Result<Vec<(String, String)>, Error> {
    let refused = |why: String| error!(Code::Syntax("file"), "no index of a checkpoint: {why}", [why]);
    let read: Json = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
    if let Some(twice) = RepeatedKey::find(text) {
        let [first, second] = twice.lines(text);
        return Err(refused(format!("{twice}, on lines {first} and {second}")));
    }
    let names = read.get("weight_map").and_then(Json::as_object);
    let names = names.ok_or_else(|| refused("it has no weight_map".to_owned()))?;
    let file = |(name, file): (&String, &Json)| {
        let own = file.as_str().filter(|own| Path::new(own).file_name().is_some_and(|last| last == *own));
        let own = own.ok_or_else(|| refused(format!("tensor {name} is in {file}, which is no file beside it")))?;
        Ok((name.clone(), own.to_owned()))
    };
    names.iter().map(file).collect()
}
