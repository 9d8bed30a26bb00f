//! What `config.json` beside a checkpoint says of the stored layout of its tensors: `quantization_config`, as Transformers has it.
//!
//! It names a method and its parameters, and no tensor. So it is a label: the sizes of tensors are held against it, their values
//! are not.
//!
//! Law: a method, a format or a version whose layout is not known here is refused with its name; no layout is guessed.

use bitstride::{Code, Error, error};
use serde_json::Value as Json;

use crate::expression::Argument;
use crate::spec::Spec;

/// The name of the format that a configuration says; none where it says nothing of stored layouts.
///
/// # Errors
/// [`Code::Syntax`] for what is no JSON; [`Code::Kind`] for a method whose layout is not known here.
///
/// ```
/// use bitstride_formats::label;
/// let text = r#"{"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 32, "checkpoint_format": "gptq_v2"}}"#;
/// assert_eq!(label(text)?.map(|own| own.to_string()), Some("gptq:v2,bits=4,group=32".to_owned()));
/// assert_eq!(label("{}")?, None);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn label(text: &str) -> Result<Option<Spec>, Error> {
    let read: Json = serde_json::from_str(text).map_err(|why| {
        error!(Code::Syntax("file"), "no configuration of a checkpoint: {why}", [why = why.to_string()])
    })?;
    let own = |name: &str| read.get(name).filter(|own| own.is_object());
    // MLX has its parameters under a key of its own, and a copy of them without a method under the usual one.
    if let Some(config) = own("quantization").or_else(|| own("quantization_config"))
        && config.get("quant_method").is_none()
        && config.get("quant_algo").is_none()
    {
        return match config.get("bits") {
            Some(_) => mlx(config).map(Some),
            None => Err(unknown("a quantization without a method")),
        };
    }
    // AutoGPTQ and AutoAWQ write the same object alone into a file of its own.
    let alone = Some(&read).filter(|own| own.get("quant_method").is_some());
    let Some(config) = own("quantization_config").or_else(|| own("quantization")).or(alone) else { return Ok(None) };
    method(config).map(Some)
}

fn method(config: &Json) -> Result<Spec, Error> {
    let word = |name: &str| config.get(name).and_then(Json::as_str).unwrap_or_default().to_lowercase();
    let named = |name: &str| Spec { name: name.to_owned(), parameters: Vec::new() };
    match word("quant_method").as_str() {
        "gptq" => {
            let name = match (word("checkpoint_format").as_str(), word("format").as_str()) {
                ("" | "gptq", "" | "gptq") => "gptq:v1",
                ("gptq_v2", _) | ("", "gptq_v2") => "gptq:v2",
                ("gptq_p", _) | ("", "gptq_p") => "gptq_p",
                ("", other) | (other, _) => return Err(unknown(&format!("checkpoint_format {other} of gptq"))),
            };
            Ok(numbers(named(name), config, &[("bits", "bits"), ("group", "group_size")]))
        }
        "awq" => {
            let name = match word("version").as_str() {
                "" | "gemm" => "awq:gemm",
                "gemv" => "awq:gemv",
                "gemv_fast" => "awq:gemvfast",
                other => return Err(unknown(&format!("version {other} of awq"))),
            };
            let given = [("bits", "bits"), ("bits", "w_bit"), ("group", "group_size"), ("group", "q_group_size")];
            Ok(numbers(named(name), config, &given))
        }
        "compressed-tensors" => compressed_tensors(config),
        "bitsandbytes" => {
            let name = match word("bnb_4bit_quant_type").as_str() {
                own @ ("nf4" | "fp4") => format!("bnb:{own}"),
                _ => return Err(unknown("bitsandbytes without 4-bit codes")),
            };
            let is_nested = config.get("bnb_4bit_use_double_quant").and_then(Json::as_bool).unwrap_or(false);
            Ok(named(&name).with("nested", Argument::Number(is_nested.into())))
        }
        "mxfp4" => Ok(named("hf:mxfp4")),
        "hqq" => {
            let own = config.pointer("/quant_config/weight_quant_params").unwrap_or(config);
            Ok(numbers(named("hqq"), own, &[("bits", "nbits"), ("group", "group_size"), ("axis", "axis")]))
        }
        "modelopt" | "" if word("quant_algo") == "nvfp4" => Ok(named("nvfp4:modelopt")),
        own => Err(unknown(&format!("{own} {}", word("quant_algo")))),
    }
}

/// The groups of layers have one scheme, or it is not said which is whose.
fn compressed_tensors(config: &Json) -> Result<Spec, Error> {
    let groups = config.get("config_groups").and_then(Json::as_object).into_iter().flatten();
    let mut all: Vec<Spec> = Vec::new();
    for (_, group) in groups {
        let format = group.get("format").or_else(|| config.get("format")).and_then(Json::as_str).unwrap_or_default();
        let empty = Json::Null;
        let weights = group.get("weights").unwrap_or(&empty);
        let named = |name: &str| Spec { name: name.to_owned(), parameters: Vec::new() };
        let spec = match format {
            "pack-quantized" => {
                let spec = named("ct:pack").with("version", Argument::Word(packing(config)?));
                let spec = numbers(spec, weights, &[("bits", "num_bits"), ("group", "group_size")]);
                let is_whole = weights.get("strategy").and_then(Json::as_str) == Some("channel");
                let spec = if is_whole { spec.with("group", Argument::Number(-1)) } else { spec };
                let is_symmetric = weights.get("symmetric").and_then(Json::as_bool).unwrap_or(true);
                spec.with("symmetric", Argument::Number(is_symmetric.into()))
            }
            "nvfp4-pack-quantized" => named("nvfp4:ct"),
            "mxfp4-pack-quantized" => named("ct:mxfp4"),
            "mxfp6-pack-quantized" => named("ct:fp6"),
            other => return Err(unknown(&format!("format {other} of compressed-tensors"))),
        };
        if !all.contains(&spec) {
            all.push(spec);
        }
    }
    match all.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(unknown("compressed-tensors without groups of layers")),
        several => {
            let names: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(error!(Code::Kind, "layers have several formats: {names}", [names = names.join("; ")])
                .with_help("name the format of the tensors that are meant"))
        }
    }
}

/// Which of the two packings a release of compressed-tensors has.
fn packing(config: &Json) -> Result<String, Error> {
    let version = config.get("version").and_then(Json::as_str).unwrap_or_default();
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(0), Some(minor)) if minor < 20 => Ok("old".to_owned()),
        (Some(0), Some(20)) => Ok("0.20".to_owned()),
        _ => Err(unknown(&format!("version `{version}` of compressed-tensors"))),
    }
}

fn mlx(config: &Json) -> Result<Spec, Error> {
    let named = |name: &str| Spec { name: name.to_owned(), parameters: Vec::new() };
    match config.get("mode").and_then(Json::as_str).unwrap_or("affine") {
        "affine" => Ok(numbers(named("mlx"), config, &[("bits", "bits"), ("group", "group_size")])),
        own @ ("mxfp4" | "nvfp4" | "mxfp8") => Ok(named(&format!("mlx:{own}"))),
        other => Err(unknown(&format!("mode {other} of MLX"))),
    }
}

/// A name with the parameters that a configuration has as whole numbers.
fn numbers(spec: Spec, config: &Json, pairs: &[(&str, &str)]) -> Spec {
    pairs.iter().fold(spec, |spec, (name, key)| match config.get(key).and_then(Json::as_i64) {
        Some(number) => spec.with(name, Argument::Number(number)),
        None => spec,
    })
}

fn unknown(what: &str) -> Error {
    error!(Code::Kind, "the layout of {what} is not known here", [what = what.trim()])
        .with_help("name the format of the tensors; `bitstride formats` lists those that are known")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "that is how a test fails")]
mod tests {
    use super::label;

    #[test]
    fn configurations_are_the_names_of_formats() {
        for (config, name) in [
            (
                r#"{"quant_method":"gptq","bits":4,"group_size":128,"sym":true,"desc_act":false}"#,
                "gptq:v1,bits=4,group=128",
            ),
            (
                r#"{"quant_method":"gptq","bits":3,"group_size":-1,"checkpoint_format":"gptq_v2"}"#,
                "gptq:v2,bits=3,group=-1",
            ),
            (
                r#"{"quant_method":"awq","bits":4,"group_size":128,"version":"gemv","zero_point":true}"#,
                "awq:gemv,bits=4,group=128",
            ),
            (
                r#"{"quant_method":"bitsandbytes","load_in_4bit":true,"bnb_4bit_quant_type":"nf4","bnb_4bit_use_double_quant":true}"#,
                "bnb:nf4,nested=1",
            ),
            (r#"{"quant_method":"mxfp4","modules_to_not_convert":[]}"#, "hf:mxfp4"),
            (
                r#"{"quant_method":"hqq","quant_config":{"weight_quant_params":{"nbits":4,"group_size":64,"axis":1}}}"#,
                "hqq:bits=4,group=64,axis=1",
            ),
            (r#"{"quant_method":"modelopt","quant_algo":"NVFP4"}"#, "nvfp4:modelopt"),
            (
                r#"{"quant_method":"compressed-tensors","format":"pack-quantized","version":"0.11.0","config_groups":{"group_0":{"weights":{"num_bits":4,"group_size":128,"strategy":"group","symmetric":false}}}}"#,
                "ct:pack,version=old,bits=4,group=128,symmetric=0",
            ),
            (
                r#"{"quant_method":"compressed-tensors","version":"0.20.1","config_groups":{"group_0":{"format":"pack-quantized","weights":{"num_bits":3,"group_size":null,"strategy":"channel"}}}}"#,
                "ct:pack,version=0.20,bits=3,group=-1,symmetric=1",
            ),
        ] {
            let text = format!(r#"{{"quantization_config": {config}, "model_type": "llama"}}"#);
            let own = label(&text).unwrap().unwrap();
            assert_eq!(own.to_string(), name);
            assert!(crate::Zoo::builtin().definition(&own).is_ok(), "{name}");
            assert_eq!(label(config).unwrap().unwrap(), own);
        }
        let mlx = r#"{"quantization":{"group_size":64,"bits":4},"quantization_config":{"group_size":64,"bits":4}}"#;
        assert_eq!(label(mlx).unwrap().unwrap().to_string(), "mlx:bits=4,group=64");
        assert_eq!(label(r#"{"model_type":"llama"}"#).unwrap(), None);
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        for (config, words) in [
            (r#"{"quant_method":"spqr"}"#, "spqr"),
            (r#"{"quant_method":"gptq","checkpoint_format":"marlin"}"#, "checkpoint_format marlin"),
            (r#"{"quant_method":"awq","version":"exllama"}"#, "version exllama"),
            (r#"{"quant_method":"bitsandbytes","load_in_8bit":true}"#, "without 4-bit codes"),
            (
                r#"{"quant_method":"compressed-tensors","version":"0.21.0","format":"pack-quantized","config_groups":{"a":{}}}"#,
                "version `0.21.0`",
            ),
            (
                r#"{"quant_method":"compressed-tensors","version":"0.20.0","format":"float-quantized","config_groups":{"a":{}}}"#,
                "format float-quantized",
            ),
            (r#"{"quant_method":"compressed-tensors","version":"0.20.0"}"#, "without groups"),
        ] {
            let error = label(&format!(r#"{{"quantization_config": {config}}}"#)).unwrap_err();
            assert!(error.message().contains(words), "{error}");
        }
        assert_eq!(label("{").unwrap_err().code().as_str(), "file");
    }
}
