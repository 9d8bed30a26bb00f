//! Files rewritten there and back: names and contracts are those of the tensors that OUT has, and types that contradict a field are refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeMap;

use bitstride_formats::{Container, GgufHeader, Made, Names, Promise, Request, Rewrite, Spec, Zoo};
use serde_json::{Map, Value, json};

/// A `.safetensors` file of tensors, each a name, a type, extents and bytes.
fn safetensors(tensors: &[(String, String, Vec<i64>, Vec<u8>)], about: &BTreeMap<String, String>) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    header.insert("__metadata__".to_owned(), json!(about));
    for (name, dtype, shape, bytes) in tensors {
        let end = data.len() + bytes.len();
        let entry = json!({"dtype": dtype.to_uppercase(), "shape": shape, "data_offsets": [data.len(), end]});
        header.insert(name.clone(), entry);
        data.extend(bytes);
    }
    let header = Value::Object(header).to_string();
    [&u64::try_from(header.len()).unwrap().to_le_bytes()[..], header.as_bytes(), &data].concat()
}

/// A file of tensors whose bytes count on.
fn file(tensors: &[(&str, &str, &[i64], usize)]) -> Vec<u8> {
    let entry = |(name, dtype, shape, bytes): &(&str, &str, &[i64], usize)| {
        let data = (0..*bytes).map(|at| u8::try_from(at * 7 % 251).unwrap()).collect();
        ((*name).to_owned(), (*dtype).to_owned(), shape.to_vec(), data)
    };
    safetensors(&tensors.iter().map(entry).collect::<Vec<_>>(), &BTreeMap::new())
}

fn plan(file: &[u8], from: &str, to: &str, fields: &[&str]) -> Result<Rewrite, bitstride::Error> {
    let (from, to) = (Spec::read(from)?, Spec::read(to)?);
    let fields: Vec<String> = fields.iter().map(|own| (*own).to_owned()).collect();
    let request = Request { from: &from, to: &to, fields: &fields, tensors: &[], names: &Names::default() };
    Rewrite::new(&Container::read(file)?, &request, Zoo::builtin())
}

/// The file in another format, as GGUF or `.safetensors`.
fn rewritten(file: &[u8], from: &str, to: &str, is_gguf: bool) -> Vec<u8> {
    let container = Container::read(file).unwrap();
    let rewrite = plan(file, from, to, &[]).unwrap_or_else(|error| panic!("{from} {to}: {error}"));
    let mut rooms: Vec<Vec<u8>> = rewrite.tensors.iter().map(|own| vec![0; own.bytes]).collect();
    let all: Vec<usize> = (0..rooms.len()).collect();
    rewrite.run(&[file], &all, rooms.iter_mut().map(Vec::as_mut_slice).collect(), |_| ()).unwrap();
    if !is_gguf {
        let mut about = container.texts(&rewrite.about);
        about.extend(rewrite.blocks.clone());
        let tensors = rewrite.tensors.iter().zip(rooms);
        let tensors = tensors.map(|(own, room)| (own.name.clone(), own.dtype.clone(), own.shape.clone(), room));
        return safetensors(&tensors.collect::<Vec<_>>(), &about);
    }
    let header = GgufHeader::new(&container, &rewrite.about, &rewrite.tensors.iter().collect::<Vec<&Made>>()).unwrap();
    let mut out = header.bytes.clone();
    for (offset, room) in header.offsets.iter().zip(rooms) {
        out.resize(header.bytes.len() + offset, 0);
        out.extend(room);
    }
    out
}

/// The names and bytes of the tensors of a file.
fn tensors(file: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let read = Container::read(file).unwrap();
    read.tensors.into_iter().map(|own| (own.name, file[own.data].to_vec())).collect()
}

/// The contracts of a file, without their hashes and parameters.
fn contracts(file: &[u8]) -> Vec<String> {
    let about = Container::read(file).unwrap().about.into_iter().filter(|(key, _)| key.starts_with("bitstride.layout"));
    about.map(|(key, line)| format!("{key} {}", line.split(',').next().unwrap())).collect()
}

#[test]
fn names_and_contracts_come_back() {
    let hf = file(&[("x.blocks", "u8", &[4, 2, 16], 128), ("x.scales", "u8", &[4, 2], 8)]);
    let gguf = rewritten(&hf, "hf:mxfp4", "gguf:mxfp4", true);
    assert_eq!(contracts(&gguf), ["bitstride.layout:x. gguf:mxfp4"]);
    let back = rewritten(&gguf, "gguf:mxfp4", "hf:mxfp4", false);
    assert_eq!(tensors(&back), tensors(&hf));
    assert_eq!(contracts(&back), ["bitstride.layout:x. hf:mxfp4"]);
    // A tensor of a GGUF file under a name of its own, of which no group remains.
    let there = rewritten(&gguf, "gguf:mxfp4", "gguf:mxfp4", true);
    let renamed: Vec<u8> = {
        let at = there.windows(8).rposition(|own| own == b"x.blocks").unwrap();
        [&there[..at], b"x.weight", &there[at + 8..]].concat()
    };
    let one = rewritten(&renamed, "gguf:mxfp4", "hf:mxfp4", false);
    assert_eq!(contracts(&one), ["bitstride.layout:x.weight hf:mxfp4"]);
    assert_eq!(tensors(&one).into_keys().collect::<Vec<_>>(), ["x.weight.blocks", "x.weight.scales"]);
    let two = rewritten(&one, "hf:mxfp4", "gguf:mxfp4", true);
    assert_eq!(tensors(&two), tensors(&renamed));
    let said = Promise::of(&Container::read(&two).unwrap(), None, Zoo::builtin()).unwrap();
    assert!(said.format.name.starts_with("gguf:mxfp4"), "{}", said.format.name);
}

/// Tensors of experts keep their extents: those before the axes of a format count experts, each of which is repacked by itself.
#[test]
fn experts_keep_their_extents() {
    let all: [(&[_], &str, &str, bool); 3] = [
        (
            &[("e.blocks", "u8", &[3, 8, 2, 16][..], 768), ("e.scales", "u8", &[3, 8, 2], 48)],
            "hf:mxfp4",
            "gguf:mxfp4",
            true,
        ),
        (
            &[
                ("w13_qweight", "i32", &[2, 2, 16, 64], 16384),
                ("w13_qzeros", "i32", &[2, 2, 2, 8], 256),
                ("w13_scales", "f16", &[2, 2, 2, 64], 1024),
            ],
            "gptq:v2,group=64",
            "marlin:group=64",
            false,
        ),
        (&[("e.scales", "u8", &[2, 128, 4], 1024)], "mx:scale", "mx:scale128x4", false),
    ];
    for (tensors_of, from, to, is_gguf) in all {
        let before = file(tensors_of);
        let there = rewritten(&before, from, to, is_gguf);
        let back = rewritten(&there, to, from, false);
        let shapes = |file: &[u8]| {
            let all = Container::read(file).unwrap().tensors.into_iter();
            all.map(|own| (own.name, own.dtype, own.shape)).collect::<std::collections::BTreeSet<_>>()
        };
        assert!(shapes(&before).is_subset(&shapes(&back)), "{from} {to}: {:?}", shapes(&back));
        assert!(tensors(&before).iter().all(|(name, bytes)| tensors(&back).get(name) == Some(bytes)), "{from} {to}");
        // The first expert is what the format makes of it alone.
        let first: Vec<(String, String, Vec<i64>, Vec<u8>)> = tensors_of
            .iter()
            .map(|(name, dtype, shape, bytes)| {
                let lead: usize = if from.starts_with("gptq") { 2 } else { 1 };
                let count = usize::try_from(shape[..lead].iter().product::<i64>()).unwrap();
                let own = tensors(&before)[*name][..bytes / count].to_vec();
                ((*name).to_owned(), (*dtype).to_owned(), shape[lead..].to_vec(), own)
            })
            .collect();
        let alone = rewritten(&safetensors(&first, &BTreeMap::new()), from, to, is_gguf);
        let there = tensors(&there);
        for (name, bytes) in tensors(&alone) {
            assert!(there[&name].starts_with(&bytes), "{from} {to} {name}");
        }
    }
    // Extents that the name gives in full are of one tensor, whatever axes the file has.
    let joined = file(&[("e.scales", "u8", &[2, 128, 4], 1024)]);
    let made = plan(&joined, "mx:scale,m=256,s=4", "mx:scale128x4", &[]).unwrap();
    assert_eq!(made.jobs[0].formats[0].name, "mx:scale,m=256,s=4");
    let of_others = file(&[("e.blocks", "u8", &[3, 8, 2, 16], 768), ("e.scales", "u8", &[2, 8, 2], 32)]);
    let error = plan(&of_others, "hf:mxfp4", "gguf:mxfp4", &[]).unwrap_err();
    assert!(error.message().contains("e.scales is u8[2,8,2]"), "{error}");
}

/// A contract of tensors that a file does not have is no answer, and some fields are no whole format.
#[test]
fn a_contract_is_of_tensors_that_are_there() {
    let hf = file(&[("x.blocks", "u8", &[4, 2, 16], 128), ("x.scales", "u8", &[4, 2], 8)]);
    let mut read = Container::read(&rewritten(&hf, "hf:mxfp4", "hf:mxfp4", false)).unwrap();
    let of = |read: &Container, name| Promise::of(read, name, Zoo::builtin()).map(|own| own.prefix);
    for name in [None, Some("x."), Some("x"), Some("x.scales")] {
        assert_eq!(of(&read, name), Ok("x.".to_owned()), "{name:?}");
    }
    read.tensors.iter_mut().for_each(|own| own.name = format!("x.blocks.{}", &own.name[2..]));
    for name in [None, Some("x."), Some("x.blocks.scales")] {
        assert_eq!(of(&read, name).unwrap_err().code().as_str(), "missing-fact", "{name:?}");
    }
    // Scales that are kept are those of the other format.
    let gptq = file(&[
        ("x.qweight", "i32", &[16, 64], 4096),
        ("x.qzeros", "i32", &[1, 8], 32),
        ("x.scales", "f16", &[1, 64], 128),
    ]);
    assert_eq!(plan(&gptq, "gptq:v2", "marlin", &["codes"]).unwrap().about.len(), 0);
    assert_eq!(plan(&gptq, "gptq:v2", "marlin", &[]).unwrap().about.len(), 1);
}

/// A tensor of which only some fields are made is promised as nothing.
#[test]
fn a_tensor_without_its_scales_has_no_contract_and_no_type() {
    let source = file(&[("t.blocks", "u8", &[2, 40], 80)]);
    let made = |fields: &[&str]| plan(&source, "gguf:q4_1", "gguf:q4_0", fields).unwrap();
    assert!(made(&["codes"]).about.is_empty(), "q4_0 has scales in the same tensor");
    assert_eq!(made(&["codes"]).tensors[0].in_ggml, None, "the type of a GGUF file promises them too");
    assert_eq!(made(&["codes", "scales"]).about.len(), 1);
    assert_eq!(made(&["codes", "scales"]).tensors[0].in_ggml, Some(("q4_0".to_owned(), vec![2, 64])));
}

/// A tensor that keeps its name is found by its contract.
#[test]
fn a_contract_is_enough_to_find_a_tensor() {
    let u8s = file(&[("t.weight.blocks", "u8", &[4, 2, 16], 128), ("t.weight.scales", "u8", &[4, 2], 8)]);
    let gguf = rewritten(&u8s, "hf:mxfp4", "gguf:mxfp4", true);
    let interleaved = rewritten(&gguf, "gguf:mxfp4", "ggml:mxfp4,rows=4,interleave=4", false);
    let back = rewritten(&interleaved, "ggml:mxfp4", "gguf:mxfp4", true);
    assert_eq!(tensors(&back), tensors(&gguf));
}

/// Blocks without codes of their own, such as indices into a table, have a type of ggml too.
#[test]
fn blocks_of_indices_are_a_type_of_ggml() {
    let source = file(&[("t.weight", "u8", &[2, 148], 296)]);
    let made = rewritten(&source, "gguf:iq2_xs", "gguf:iq2_xs", true);
    let read = Container::read(&made).unwrap();
    assert_eq!((read.tensors[0].dtype.as_str(), read.tensors[0].shape.as_slice()), ("iq2_xs", &[2, 512][..]));
    assert_eq!(tensors(&made), tensors(&source));
    let error = plan(&source, "gguf:tq1_0", "gguf:tq2_0", &[]).unwrap_err();
    assert!(error.message().contains("base 3"), "{error}");
}

#[test]
fn types_that_contradict_a_field_are_refused() {
    for dtype in ["f8_e4m3", "f8_e5m2", "bool"] {
        let own = file(&[("x.blocks", "u8", &[4, 2, 16], 128), ("x.scales", dtype, &[4, 2], 8)]);
        let error = plan(&own, "hf:mxfp4", "gguf:mxfp4", &[]).unwrap_err();
        assert!(error.message().contains("e8m0") && error.message().contains(dtype), "{error}");
    }
    for dtype in ["u8", "f8_e8m0"] {
        let own = file(&[("x.blocks", "u8", &[4, 2, 16], 128), ("x.scales", dtype, &[4, 2], 8)]);
        let made = plan(&own, "hf:mxfp4", "gguf:mxfp4", &[]).unwrap();
        assert_eq!(made.tensors[0].dtype, "u8");
        let same = plan(&own, "hf:mxfp4", "hf:mxfp4", &[]).unwrap();
        assert_eq!(same.tensors[1].dtype, dtype);
    }
    let nvfp4 = |scales: &str, global: &str| {
        let own = file(&[
            ("x.weight_packed", "u8", &[4, 16], 64),
            ("x.weight_scale", scales, &[4, 2], 8),
            ("x.weight_global_scale", global, &[1], 4),
        ]);
        plan(&own, "nvfp4:ct", "nvfp4:modelopt", &[]).map(drop).map_err(|error| error.message().to_owned())
    };
    assert_eq!((nvfp4("f8_e4m3", "f32"), nvfp4("u8", "f32")), (Ok(()), Ok(())));
    for (scales, global, words) in
        [("f8_e8m0", "f32", "e4m3"), ("f8_e4m3", "i32", "f32"), ("f8_e4m3", "u32", "weight_global_scale")]
    {
        let said = nvfp4(scales, global).unwrap_err();
        assert!(said.contains(words), "{said}");
    }
    for (dtype, is_good) in [("f16", true), ("bf16", true), ("i16", false), ("u16", false)] {
        let own = file(&[
            ("x.weight", "u32", &[4, 8], 128),
            ("x.scales", dtype, &[4, 1], 8),
            ("x.biases", "f16", &[4, 1], 8),
        ]);
        assert_eq!(plan(&own, "mlx", "mlx", &[]).is_ok(), is_good, "{dtype}");
    }
}

/// A name that begins as that of another tensor does is another tensor.
#[test]
fn a_tensor_is_not_one_whose_name_goes_on() {
    let names = ["t.Q8", "t.Q8_0", "t.Q8_0.weight", "t.Q8_0.weight.c", "t.Q8_0.weight_b"];
    let formats = [
        "gguf:q8_0,n=2,k=32",
        "gguf:q4_0,n=2,k=64",
        "gguf:q5_0,n=2,k=64",
        "gguf:iq2_xs,n=1,k=256",
        "gguf:q4_1,n=2,k=64",
    ];
    let mut about = BTreeMap::new();
    let mut all = Vec::new();
    for (name, format) in names.iter().zip(formats) {
        let format = Zoo::builtin().format(format).unwrap();
        let bytes = usize::try_from(format.tensors[0].bytes().unwrap()).unwrap();
        all.push(((*name).to_owned(), "u8".to_owned(), format.tensors[0].shape.clone(), vec![1; bytes]));
        about.insert(format!("bitstride.layout:{name}"), bitstride_formats::contract::line(&format));
    }
    let source = safetensors(&all, &about);
    let container = Container::read(&source).unwrap();
    for (name, format) in names.iter().zip(formats) {
        let promise = Promise::of(&container, Some(name), Zoo::builtin()).unwrap();
        assert_eq!((promise.prefix.as_str(), promise.format.name.as_str()), (*name, format));
    }
    // Without its contract a tensor is that of no other.
    about.remove("bitstride.layout:t.Q8_0");
    let container = Container::read(&safetensors(&all, &about)).unwrap();
    let error = Promise::of(&container, Some("t.Q8_0"), Zoo::builtin()).unwrap_err();
    assert_eq!(error.code().as_str(), "missing-fact", "{error}");
}

/// Tensors are chosen by their own names, the prefix of a group, or the beginning of several.
#[test]
fn tensors_are_chosen_by_what_their_names_begin_with() {
    let group = |prefix: &str| {
        [("blocks", [4i64, 1, 16].as_slice(), 64), ("scales", &[4, 1], 4)]
            .map(|(name, shape, bytes)| (format!("{prefix}{name}"), "u8".to_owned(), shape.to_vec(), vec![1u8; bytes]))
    };
    let all = [group("a.q."), group("a.k."), group("ab.q.")].concat();
    let chosen = |file: &[u8], tensor: &str| {
        let (from, to) = (Spec::read("hf:mxfp4").unwrap(), Spec::read("gguf:mxfp4").unwrap());
        let tensors = [tensor.to_owned()];
        let request = Request { from: &from, to: &to, fields: &[], tensors: &tensors, names: &Names::default() };
        let rewrite = Rewrite::new(&Container::read(file).unwrap(), &request, Zoo::builtin())?;
        Ok::<_, bitstride::Error>(rewrite.jobs.into_iter().map(|job| job.prefix).collect::<Vec<_>>())
    };
    let file = safetensors(&all, &BTreeMap::new());
    assert_eq!(chosen(&file, "a").unwrap(), ["a.q.", "a.k."]);
    assert_eq!(chosen(&file, "a.q").unwrap(), ["a.q"]);
    assert_eq!(chosen(&file, "a.q.").unwrap(), ["a.q."]);
    for (tensor, words) in [("c", "no tensor c"), ("a.q.scales", "lie in"), ("a.", ""), ("a.q.bl", "begins with it")] {
        match chosen(&file, tensor) {
            Err(error) => assert!(!words.is_empty() && error.message().contains(words), "{tensor}: {error}"),
            Ok(prefixes) => assert!(words.is_empty() && prefixes == ["a.q.", "a.k."], "{tensor}: {prefixes:?}"),
        }
    }
    // What is a tensor and a prefix names neither.
    let both = [all, vec![("a.q".to_owned(), "u8".to_owned(), vec![64], vec![1; 64])]].concat();
    let error = chosen(&safetensors(&both, &BTreeMap::new()), "a.q").unwrap_err();
    assert!(error.message().contains("a.q is a tensor, and what the name of a.q.blocks begins with"), "{error}");
}

/// As many bytes in other rows are another tensor: a transposed one would be read as garbage. Extents may be joined or cut, and types wider.
#[test]
fn a_tensor_with_other_rows_is_refused() {
    for (dtype, shape, is_read) in [
        ("u8", &[64, 32][..], true),
        ("u8", &[2048], true),
        ("u8", &[1, 64, 32], true),
        ("u8", &[8, 8, 32], true),
        ("u8", &[64, 2, 16], true),
        ("i32", &[64, 8], true),
        ("u8", &[32, 64], false),
        ("i32", &[8, 64], false),
        ("u8", &[16, 4, 32], true),
        ("u8", &[128, 16], false),
    ] {
        let own = file(&[("weight", dtype, shape, 2048)]);
        let answer = plan(&own, "fp4:pairs,n=64,k=64", "triton:blackwell.value", &[]);
        assert_eq!(answer.is_ok(), is_read, "{dtype}{shape:?}: {:?}", answer.err());
        if let Err(error) = plan(&own, "fp4:pairs,n=64,k=64", "triton:blackwell.value", &[]) {
            assert!(error.message().contains("which has other rows"), "{error}");
        }
    }
}

#[test]
fn extents_that_contradict_a_format_are_refused() {
    let refused = |file: &[u8], from: &str, to: &str, fields: &[&str]| plan(file, from, to, fields).unwrap_err();
    // Rows and columns of another order have as many bytes.
    let scales = file(&[("w.weight_scale", "f8_e8m0", &[256, 8], 2048)]);
    let error = refused(&scales, "mx:scale,m=8,s=256", "mx:scale128x4", &[]);
    assert!(error.message().contains("[256,8]"), "{error}");
    assert!(plan(&scales, "mx:scale,m=256,s=8", "mx:scale128x4", &[]).is_ok());
    // Four experts of 96 columns are no 256 rows of 3 groups.
    let blocks = file(&[("w.blocks", "u8", &[4, 96, 2, 16], 12288)]);
    assert!(plan(&blocks, "hf:mxfp4,n=256,k=96", "gguf:mxfp4", &["codes"]).is_err());
    // Neighbouring extents may be one, and packed codes may have another type.
    for (dtype, shape) in [("u8", &[32, 64][..]), ("u8", &[2048]), ("i16", &[32, 32]), ("u8", &[32, 16, 4])] {
        let codes = file(&[("w.qweight", dtype, shape, 2048)]);
        let made = plan(&codes, "gptq:v2,k=256,n=16", "marlin:k=256,n=16", &["codes"]);
        assert!(made.is_ok() || made.is_err_and(|error| error.code().as_str() != "range"), "{dtype} {shape:?}");
    }
}

#[test]
fn signed_bytes_are_codes_with_128_added() {
    let signed = file(&[("w", "i8", &[64, 128], 8192)]);
    let error = plan(&signed, "dense:row,m=64,n=128,bits=8", "ct:pack@0.20,bits=8,n=64,k=128", &["codes"]).unwrap_err();
    assert_eq!(error.code().as_str(), "kind", "{error}");
    let packed = "ct:pack@0.20,bits=8,n=64,k=128";
    let rewrite = plan(&signed, "dense:int8,m=64,n=128", packed, &["codes"]).unwrap();
    let mut room = vec![0; 8192];
    rewrite.run(&[&signed], &[0], vec![&mut room], |_| ()).unwrap();
    let value = tensors(&signed).remove("w").unwrap();
    assert!(value.iter().zip(&room).all(|(value, code)| value ^ 0x80 == *code));
}

#[test]
fn a_field_is_found_where_it_lies() {
    // The file does not have the first tensor of the format, which no chosen field lies in.
    let scales = file(&[("q.scales", "f16", &[2, 128], 512), ("k.scales", "f16", &[2, 128], 512)]);
    let rewrite = plan(&scales, "gptq:v2,k=256,n=128", "marlin", &["scales"]).unwrap();
    assert_eq!(rewrite.jobs.len(), 2);
}
