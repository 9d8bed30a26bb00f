//! The zoo's name of what a row is called, with the parameters that the row states.

use bitstride::{Code, Error};
use bitstride_formats::{Argument, Field, Format, Spec, Zoo};
use serde_json::Value;

use super::{Fields, malformed, numbers};
use crate::vectors::row::Row;

/// A name of the zoo with parameters of which it takes those that it knows.
pub(super) struct Asked {
    name: String,
    parameters: Vec<(&'static str, Argument)>,
}

impl Asked {
    pub(super) fn new(name: &str) -> Self {
        Asked { name: name.to_owned(), parameters: Vec::new() }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<Given>) -> Self {
        self.parameters.push((name, value.into().0));
        self
    }

    /// The same with a value that a row may not have.
    pub(super) fn with_some(self, name: &'static str, value: Option<i64>) -> Self {
        value.into_iter().fold(self, |asked, value| asked.with(name, value))
    }

    fn all(self, names: &[&'static str], values: &[i64]) -> Self {
        names.iter().zip(values).fold(self, |asked, (name, value)| asked.with(name, *value))
    }

    pub(super) fn format(self) -> Result<Format, Error> {
        let zoo = Zoo::builtin();
        let mut spec = Spec::read(&self.name)?;
        let (definition, _) = zoo.definition(&spec)?;
        let known = |name: &str| definition.parameters.iter().any(|parameter| parameter.name == name);
        for (name, value) in self.parameters {
            if known(name) {
                spec = spec.with(name, value);
            }
        }
        zoo.instance(&spec)
    }
}

/// A value of a parameter.
pub(super) struct Given(Argument);

impl From<i64> for Given {
    fn from(number: i64) -> Self {
        Given(Argument::Number(number))
    }
}

impl From<&str> for Given {
    fn from(word: &str) -> Self {
        Given(Argument::Word(word.to_owned()))
    }
}

/// The version of compressed-tensors that a text speaks of: dense from 0.20 on.
fn version(text: &str) -> &'static str {
    let is_dense = text.contains("0.20") && !text.contains("before");
    if is_dense { "0.20" } else { "old" }
}

/// The number that follows the last of some words in a text.
fn number_after(text: &str, words: &str) -> Option<i64> {
    let digits: String = text.rsplit_once(words)?.1.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The format and the field of a row.
pub(super) fn of_table(row: &Row) -> Result<(Format, String), Error> {
    let fields = &row.fields;
    let what = fields.get("format").and_then(Value::as_str).ok_or_else(|| malformed("format"))?;
    let bits = fields.get("elem_bits").and_then(Value::as_i64).ok_or_else(|| malformed("elem_bits"))?;
    let shape = fields.get("shape").and_then(numbers).ok_or_else(|| malformed("shape"))?;
    let parameter = |name: &str| fields.get("params").and_then(|all| all.get(name));
    let number = |name: &str| parameter(name).and_then(Value::as_i64);
    let word = |name: &str| parameter(name).and_then(Value::as_str);
    let given = |name: &str| number(name).ok_or_else(|| malformed(name));
    let extent = |at: usize| shape.get(at).copied().unwrap_or(1);
    let is = |start: &str| what.starts_with(start);
    let asked = |name: &str| Asked::new(name).with("bits", bits);
    let kn = |name: &str| asked(name).all(&["k", "n"], &shape);
    let nk = |name: &str| asked(name).all(&["n", "k"], &shape);
    // Scales and zero points of so many groups; k is a multiple of everything that a format asks.
    let grouped = |name: &str| asked(name).with("k", extent(0) * 128).with("group", 128).with("n", extent(1));
    let (asked, field) = if is("GPTQ qweight") {
        (kn("gptq:v2"), "codes")
    } else if is("GPTQ qzeros") {
        (grouped("gptq:v2"), "zeros")
    } else if is("GPTQModel gptq_p qzeros") {
        (grouped("gptq_p"), "zeros")
    } else if is("GPTQModel gptq_p") {
        (kn("gptq_p"), "codes")
    } else if is("AWQ GEMM qzeros") {
        (grouped("awq:gemm"), "zeros")
    } else if is("AWQ GEMM") || is("AWQ order") {
        (kn("awq:gemm"), "codes")
    } else if is("AWQ GEMV qzeros") {
        let group = given("group")?;
        (asked("awq:gemv").with("k", extent(0) * group).with("group", group).with("n", extent(1)), "zeros")
    } else if is("AWQ GEMVFast") {
        (kn("awq:gemvfast"), "codes")
    } else if is("AWQ GEMV") {
        (kn("awq:gemv"), "codes")
    } else if is("bitsandbytes NF4") {
        (nk("bnb:nf4"), "codes")
    } else if is("bitsandbytes FP4") {
        (nk("bnb:fp4"), "codes")
    } else if is("bitsandbytes 4-bit repacked for its CPU") {
        (nk("bnb:cpu"), "codes")
    } else if is("compressed-tensors") {
        let own = word("version").map_or(version(what), version);
        (nk("ct:pack").with("dim", given("packed_dim")?).with("version", own), "codes")
    } else if is("FP6") {
        (nk("ct:fp6"), "codes")
    } else if is("FP4 (E2M1) pairs") {
        (nk("fp4:pairs"), "codes")
    } else if is("MLX") {
        (nk("mlx"), "codes")
    } else if is("EXL2 q_weight as stored") {
        (kn("exl2:stored"), "codes")
    } else if is("EXL2 q_weight after load") {
        (kn("exl2:loaded"), "codes")
    } else if is("EXL3 trellis") {
        (asked("exl3:trellis").with("tile", extent(0)), "codes")
    } else if is("EXL3: where") {
        (kn("exl3:tile"), "codes")
    } else if is("Marlin") && shape.len() == 3 {
        (asked("marlin").all(&["experts", "k", "n"], &shape), "codes")
    } else if is("Marlin weights (16-bit activations") || is("Marlin weights (8-bit activations") {
        (kn("marlin").with("act", if is("Marlin weights (8") { 8 } else { 16 }), "codes")
    } else if is("Marlin 2:4") {
        (kn("marlin:24"), "codes")
    } else if is("Marlin scales") || is("Marlin zero points") {
        let act = if parameter("a_8bit").and_then(Value::as_bool) == Some(true) { 8 } else { 16 };
        let bits = if is("Marlin scales") { 4 } else { bits };
        let own = Asked::new("marlin").with("bits", bits).with("act", act);
        let own = own.with("k", extent(0) * 128).with("group", 128).with("n", extent(1));
        (own, if is("Marlin scales") { "scales" } else { "zeros" })
    } else if is("Machete") {
        let act = ["bf16", "f16", "e4m3", "int8"].into_iter().find(|act| row.id.contains(&format!("-{act}-")));
        (nk("machete").with("act", act.ok_or_else(|| malformed("activation"))?), "codes")
    } else if is("CUTLASS mixed-input memory reordering atom") {
        let mma = if row.id.contains("f16") { "f16" } else { "e4m3" };
        let shuffle = row.id.rsplit_once("-val").and_then(|(_, shuffle)| {
            let (values, ways) = shuffle.split_once('x')?;
            Some((values.parse::<i64>().ok()?, ways.parse::<i64>().ok()?))
        });
        let (values, ways) = shuffle.unwrap_or((1, 1));
        (asked("cutlass:reorder").with("mma", mma).with("values", values).with("ways", ways), "codes")
    } else if is("TRT-LLM / FasterTransformer") {
        let arch = format!("sm{}", given("arch")?);
        (kn(&format!("trtllm:w{bits}")).with("version", arch.as_str()), "codes")
    } else if is("TRT-LLM gen shuffleMatrixA") {
        (asked("trtllm:shuffle").all(&["m", "b"], &shape).with("tile", given("epilogue_tile_m")?), "codes")
    } else if is("gate/up interleave") {
        (asked("trtllm:gated").all(&["m", "b"], &shape), "codes")
    } else if is("w3/w1") {
        let own = asked("trtllm:w3w1").all(&["m", "b"], &shape).with("tile", given("epilogue_tile_m")?);
        (number("block_k").into_iter().fold(own, |own, block| own.with("block", block)), "codes")
    } else if is("BlockMajorK") {
        (asked("trtllm:rows").all(&["m", "b"], &shape).with("block", given("block_k")?), "codes")
    } else if is("scale factors of that weight") {
        (asked("trtllm:w3w1scale").all(&["m", "s"], &shape).with("tile", given("epilogue_tile_m")?), "scales")
    } else if is("block scale factors in 128x4") {
        (asked("mx:scale128x4").all(&["m", "s"], &shape), "scales")
    } else if is("DeepGEMM packed UE8M0") {
        (asked("deepgemm:ue8m0").all(&["m", "s"], &shape), "scales")
    } else if is("NVFP4 KV cache, V") {
        (asked("nvfp4:kv.v").all(&["t", "s"], &shape), "scales")
    } else if is("2:4 sparse metadata") {
        (asked("sparse24:meta").all(&["m", "g"], &shape).with("dtype", word("dtype").unwrap_or_default()), "groups")
    } else if is("Ascend FRACTAL_NZ") {
        (asked("ascend:nz").all(&["m", "n"], &shape), "weight")
    } else if is("oneDNN blocked tag") {
        let tag = word("tag").ok_or_else(|| malformed("tag"))?;
        let mut own = asked(&format!("onednn:{tag}"));
        own.parameters.push(("shape", Argument::List(shape.clone())));
        (own, "data")
    } else if is("torch _convert_weight_to_int4pack") {
        (nk("torch:int4pack"), "codes")
    } else if is("VNNI pairs") {
        (nk("vnni:bf16"), "weight")
    } else if is("VNNI quads") {
        (nk("vnni:int8"), "weight")
    } else if is("sgl int4") {
        (nk("vnni:int4"), "codes")
    } else if row.file == "formats/kv_cache" {
        let names =
            [("paged K", "k"), ("paged V interleaved", "v_il"), ("paged V", "v"), ("NHD", "nhd"), ("HND", "hnd")];
        let kind = names.iter().find(|(text, _)| what.contains(text)).ok_or_else(|| malformed("kind of cache"))?.1;
        let own = asked(&format!("vllm:kv.{kind}")).all(&["t", "h", "d"], &shape).with("block", given("block_size")?);
        let own = own.with_some("pages", number("blocks"));
        (number("x").filter(|x| *x > 0).into_iter().fold(own, |own, x| own.with("x", x)), "cache")
    } else if is("ggml AMX") {
        let kind = row.id.split('-').nth(2).unwrap_or_default();
        (nk(&format!("ggml:amx_{kind}")), "codes")
    } else if is("ggml repacked") {
        // `gguf-repack-q4_0x8-il8`.
        let kind = row.id.split('-').nth(2).and_then(|kind| kind.rsplit_once('x')).ok_or_else(|| malformed("type"))?.0;
        let own = nk(&format!("ggml:{kind}"));
        (own.with("rows", given("rows")?).with("interleave", given("interleave")?), "codes")
    } else if is("GGUF") {
        // `gguf-q4_K-scales-2`.
        let kind = row.id.split('-').nth(1).ok_or_else(|| malformed("type"))?;
        let own = Asked::new(&format!("gguf:{kind}")).with("n", extent(0));
        match word("field") {
            Some(field) => (own.with("k", extent(1) * given("group")?), if field == "min" { "mins" } else { "scales" }),
            None => (own.with("k", extent(1)), "codes"),
        }
    } else {
        return Err(Error::new(Code::UnknownName, format!("no format of the zoo is called `{what}`")));
    };
    Ok((asked.format()?, field.to_owned()))
}

/// The field of one side of a pair, its axes called as the row calls them.
pub(super) fn of_pair(fields: &Fields, side: &str) -> Result<Field, Error> {
    let what = fields.get(side).and_then(Value::as_str).ok_or_else(|| malformed(side))?;
    let bits = fields.get("elem_bits").and_then(Value::as_i64).ok_or_else(|| malformed("elem_bits"))?;
    let shape = fields.get("shape").and_then(numbers).ok_or_else(|| malformed("shape"))?;
    let axes: Vec<&str> =
        fields.get("axes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let is = |start: &str| what.starts_with(start);
    // Over (k, n), and stored by rows of n where the format is of (n, k).
    let is_kn = axes == ["k", "n"];
    let asked = |name: &str| Asked::new(name).with("bits", bits);
    let kn = |name: &str| asked(name).all(&["k", "n"], &shape);
    let scales = |name: &str| asked(name).all(&["m", "s"], &shape);
    let rows = |name: &str| asked(name).all(&["m", "n"], &shape);
    let tile = number_after(what, "tile ").unwrap_or(0);
    let by_place = |asked: Asked| (asked, true);
    let (asked, by_place) = if is("gptq_p") {
        (kn("gptq_p"), false)
    } else if is("gptq") {
        (kn("gptq:v2"), false)
    } else if is("awq-gemvfast") {
        (kn("awq:gemvfast"), false)
    } else if is("awq-gemv") {
        (kn("awq:gemv"), false)
    } else if is("awq-gemm") || is("awq order") {
        (kn("awq:gemm"), false)
    } else if is("marlin") {
        (kn("marlin").with("act", if what.contains("a8") { 8 } else { 16 }), false)
    } else if is("compressed-tensors") && is_kn {
        let by_k = what.contains("(K,N)");
        let names = if by_k { ["n", "k"] } else { ["k", "n"] };
        let own = asked("ct:pack").all(&names, &shape).with("dim", i64::from(!what.contains("dim 0")));
        (own.with("version", version(what)), by_k)
    } else if is("compressed-tensors") {
        by_place(asked("ct:pack").all(&["n", "k"], &shape).with("version", version(what)))
    } else if is("exl2") && what.contains("loaded") {
        (kn("exl2:loaded"), false)
    } else if is("exl2") {
        (kn("exl2:stored"), false)
    } else if is("fp4-pairs") {
        (kn("fp4:pairs"), false)
    } else if is("bitsandbytes-cpu") {
        (kn("bnb:cpu"), false)
    } else if is("bitsandbytes") {
        (kn("bnb:nf4"), false)
    } else if is("machete") {
        (kn("machete"), false)
    } else if is("sgl-cpu-int4") {
        (kn("vnni:int4"), false)
    } else if is("torch-int4pack-cpu") {
        (kn("torch:int4pack"), false)
    } else if is("trtllm-mixed-gemm-") {
        let arch = what.rsplit('-').next().unwrap_or_default();
        (kn(&format!("trtllm:w{bits}")).with("version", arch), false)
    } else if is("trtllm gated + shuffled + 128x4") {
        by_place(scales("trtllm:w3w1scale").with("tile", tile))
    } else if is("trtllm shuffled + 128x4") {
        by_place(scales("trtllm:scale").with("tile", tile))
    } else if is("128x4") {
        by_place(scales("mx:scale128x4"))
    } else if is("DeepGEMM packed UE8M0") {
        by_place(scales("deepgemm:ue8m0"))
    } else if is("row-major") {
        by_place(rows("dense:row"))
    } else if is("column-major") {
        by_place(rows("dense:column"))
    } else {
        return Err(Error::new(Code::UnknownName, format!("no format of the zoo is called `{what}`")));
    };
    let format = asked.format()?;
    let first = format.fields.first().ok_or_else(|| malformed("field"))?;
    let field = format.field(if format.field("codes").is_ok() { "codes" } else { &first.name })?.clone();
    if by_place { field.with_axes(&axes) } else { Ok(field) }
}
