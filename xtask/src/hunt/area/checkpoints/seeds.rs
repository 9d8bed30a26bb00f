//! [`all`]: checkpoints of every kind as files in memory, and which of them is changed, and how.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Map, Value as Json, json};

use super::super::super::source::Source;
use super::change;

/// The tensors of all of them.
const TENSORS: [(&str, &[i64]); 5] =
    [("a.weight", &[24, 10]), ("b.bias", &[13]), ("c.cube", &[5, 6, 8]), ("d.scalar", &[]), ("e.empty", &[0, 4])];

/// How a file is changed.
pub(super) type Change = fn(&mut Source, &mut Vec<u8>);

/// A checkpoint of which one file is changed.
pub(super) struct Seed {
    pub(super) name: &'static str,
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// The files that may be changed.
    pub(super) changed: &'static [(&'static str, Change)],
}

/// All of them; those of PyTorch are recorded.
pub(super) fn all() -> &'static [Seed] {
    static ALL: LazyLock<Vec<Seed>> = LazyLock::new(|| {
        let seed = |name, files, changed| Seed { name, files, changed };
        let third = [sharded(&[8, 10], &[4, 5], true), sharded(&[24, 10], &[6, 10], false)].concat();
        vec![
            seed("parts", parts(3, 1), &[("1.safetensors", change::header), ("2.safetensors", change::file)]),
            seed("blocks", blocks(), &[("0.safetensors", change::header), ("1.safetensors", change::header)]),
            seed(
                "whole",
                whole(),
                &[
                    ("model.safetensors.index.json", change::json),
                    ("1.safetensors", change::header),
                    ("0.safetensors", change::file),
                ],
            ),
            seed(
                "pickle",
                recorded(),
                &[
                    (".metadata", change::pickle),
                    (".metadata", change::pickle),
                    (".metadata", change::bytes),
                    ("__1_0.distcp", change::bytes),
                ],
            ),
            seed("two", zarr(2, ".", "zlib"), &[("a/weight/.zarray", change::json), ("a/weight/1.1", change::bytes)]),
            seed("plain", zarr(2, "/", ""), &[("c/cube/.zarray", change::json), ("c/cube/1/0/1", change::file)]),
            seed(
                "three",
                zarr(3, "/", "gzip"),
                &[("c/cube/zarr.json", change::json), ("d/scalar/zarr.json", change::json)],
            ),
            seed(
                "shards",
                third,
                &[
                    ("0/zarr.json", change::json),
                    ("0/c/1/0", change::index),
                    ("1/zarr.json", change::json),
                    ("1/c/0/0", change::index),
                ],
            ),
        ]
    });
    &ALL
}

/// The element of a tensor at a place.
fn value(tensor: usize, place: usize) -> [u8; 4] {
    i32::try_from(place * 7 + 1_000_003 * tensor).unwrap_or(0).to_le_bytes()
}

/// The places of a box in a tensor, row by row; none of those that lie outside.
fn places(shape: &[i64], start: &[i64], extents: &[i64]) -> Vec<Option<usize>> {
    let mut all = vec![Some(0)];
    for ((extent, start), own) in shape.iter().zip(start).zip(extents) {
        let next = |place: &Option<i64>| {
            let place = *place;
            (*start..start + own)
                .map(move |at| place.filter(|_| at < *extent).map(|place| place * extent + at))
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(next).collect();
    }
    all.into_iter().map(|place| place.and_then(|place: i64| usize::try_from(place).ok())).collect()
}

/// A file of parts of tensors: the number of the tensor, where the part begins, and its extents; none is the whole tensor.
fn file(parts: &[(usize, Vec<i64>, Vec<i64>)], about: &str, said: Json) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    for (number, start, extents) in parts {
        let Some((name, shape)) = TENSORS.get(*number) else { continue };
        let first = data.len();
        for place in places(shape, start, extents).into_iter().flatten() {
            data.extend(value(*number, place));
        }
        header
            .insert((*name).to_owned(), json!({"dtype": "I32", "shape": extents, "data_offsets": [first, data.len()]}));
    }
    if !about.is_empty() {
        header.insert("__metadata__".to_owned(), json!({about: said.to_string()}));
    }
    let text = Json::Object(header).to_string();
    let length = u64::try_from(text.len()).unwrap_or(0).to_le_bytes();
    [&length[..], text.as_bytes(), &data].concat()
}

/// Parts along a dim in several files.
fn parts(files: i64, dim: usize) -> Vec<(String, Vec<u8>)> {
    let of = |file_number: i64| {
        let (mut own, mut offsets) = (Vec::new(), Map::new());
        for (number, (name, shape)) in TENSORS.iter().enumerate() {
            if shape.is_empty() && file_number > 0 {
                continue;
            }
            let (mut start, mut extents) = (vec![0; shape.len()], shape.to_vec());
            let dim = dim.min(shape.len().saturating_sub(1));
            if let (Some(start), Some(extent)) = (start.get_mut(dim), extents.get_mut(dim)) {
                let size = (*extent + files - 1) / files;
                *start = (file_number * size).min(*extent);
                *extent = size.min(*extent - *start);
            }
            offsets.insert((*name).to_owned(), json!({"saved_offsets": start}));
            own.push((number, start, extents));
        }
        (format!("{file_number}.safetensors"), file(&own, "DCP_SHARDING_INFO", Json::Object(offsets)))
    };
    (0..files).map(of).collect()
}

/// Two files of a tensor whose first dim is in blocks: rows 0 to 8 and 16 to 20, and the others.
fn blocks() -> Vec<(String, Vec<u8>)> {
    let shape = [24, 10];
    let own = |blocks: [[i64; 2]; 2]| {
        let rows: Vec<i64> = blocks.iter().flat_map(|[from, to]| *from..*to).collect();
        let data: Vec<u8> = rows
            .iter()
            .flat_map(|row| places(&shape, &[*row, 0], &[1, 10]))
            .flatten()
            .flat_map(|place| value(0, place))
            .collect();
        let said = json!({"w": [blocks, [[0, 10]]]}).to_string();
        let header = json!({
            "w": {"dtype": "I32", "shape": [rows.len(), 10], "data_offsets": [0, data.len()]},
            "__metadata__": {"BITSTRIDE_BLOCKS": said},
        });
        let text = header.to_string();
        [&u64::try_from(text.len()).unwrap_or(0).to_le_bytes()[..], text.as_bytes(), &data].concat()
    };
    vec![("0.safetensors".to_owned(), own([[0, 8], [16, 20]])), ("1.safetensors".to_owned(), own([[8, 16], [20, 24]]))]
}

/// Whole tensors in two files, of which an index names one for each.
fn whole() -> Vec<(String, Vec<u8>)> {
    let all: Vec<_> =
        TENSORS.iter().enumerate().map(|(number, (_, shape))| (number, vec![0; shape.len()], shape.to_vec())).collect();
    let (first, second) = all.split_at(3);
    let index = json!({"metadata": {"total_size": 8}, "weight_map": {"a.weight": "0.safetensors", "b.bias": "0.safetensors", "d.scalar": "1.safetensors"}});
    vec![
        ("0.safetensors".to_owned(), file(first, "", Json::Null)),
        // The first two once more.
        ("1.safetensors".to_owned(), file(&[first.get(..2).unwrap_or_default(), second].concat(), "", Json::Null)),
        ("model.safetensors.index.json".to_owned(), index.to_string().into_bytes()),
    ]
}

/// What PyTorch wrote.
fn recorded() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/sharding/dcp");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        Some((if name == "metadata" { ".metadata".to_owned() } else { name }, fs::read(entry.path()).ok()?))
    };
    entries.filter_map(file).collect()
}

fn packed(codec: &str, bytes: &[u8]) -> Vec<u8> {
    let fast = flate2::Compression::fast();
    let written = match codec {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), fast);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
        "zlib" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), fast);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
        _ => Ok(bytes.to_vec()),
    };
    written.unwrap_or_default()
}

/// The bytes of a chunk; padding has any value.
fn chunk(tensor: usize, shape: &[i64], start: &[i64], extents: &[i64]) -> Vec<u8> {
    places(shape, start, extents)
        .into_iter()
        .flat_map(|place| place.map_or([0xff; 4], |place| value(tensor, place)))
        .collect()
}

/// The starts of the chunks of a grid, with their numbers.
fn grid(shape: &[i64], chunk: &[i64]) -> Vec<(Vec<i64>, Vec<String>)> {
    let mut all = vec![(vec![], vec![])];
    for (extent, own) in shape.iter().zip(chunk) {
        let next = |(start, numbers): &(Vec<i64>, Vec<String>)| {
            let count = (extent + own - 1) / own;
            let (start, numbers) = (start.clone(), numbers.clone());
            (0..count)
                .map(move |at| {
                    ([start.clone(), vec![at * own]].concat(), [numbers.clone(), vec![at.to_string()]].concat())
                })
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(next).collect();
    }
    all
}

fn zarr(version: i64, separator: &str, codec: &str) -> Vec<(String, Vec<u8>)> {
    let chunks: [&[i64]; 5] = [&[7, 4], &[5], &[2, 6, 3], &[], &[3, 2]];
    let mut files = Vec::new();
    for (number, ((name, shape), own)) in TENSORS.iter().zip(chunks).enumerate() {
        let folder = name.replace('.', "/");
        let mut codecs = vec![json!({"name": "bytes", "configuration": {"endian": "little"}})];
        codecs.extend((!codec.is_empty()).then(|| json!({"name": codec, "configuration": {"level": 1}})));
        let metadata = match version {
            2 => json!({
                "zarr_format": 2, "shape": shape, "chunks": own, "dtype": "<i4", "order": "C", "filters": null, "fill_value": 0,
                "compressor": if codec.is_empty() { Json::Null } else { json!({"id": codec, "level": 1}) },
                "dimension_separator": separator,
            }),
            _ => third(shape, own, separator, &json!(codecs)),
        };
        let file = if version == 2 { ".zarray" } else { "zarr.json" };
        files.push((format!("{folder}/{file}"), metadata.to_string().into_bytes()));
        for (start, numbers) in grid(shape, own) {
            let key = match (version, numbers.is_empty()) {
                (2, true) => "0".to_owned(),
                (2, false) => numbers.join(separator),
                (_, true) => "c".to_owned(),
                (_, false) => format!("c{separator}{}", numbers.join(separator)),
            };
            files.push((format!("{folder}/{key}"), packed(codec, &chunk(number, shape, &start, own))));
        }
    }
    files
}

/// The metadata of an array of version 3.
fn third(shape: &[i64], chunk: &[i64], separator: &str, codecs: &Json) -> Json {
    json!({
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": separator}},
        "codecs": codecs,
    })
}

/// An array whose chunks have an index of parts; the index is at the end with a checksum, or at the start without.
fn sharded(outer: &[i64], inner: &[i64], is_end: bool) -> Vec<(String, Vec<u8>)> {
    let (shape, folder) = (&[24, 10], if is_end { "0" } else { "1" });
    let bytes = json!({"name": "bytes", "configuration": {"endian": "little"}});
    let codecs = if is_end { json!([bytes, {"name": "gzip", "configuration": {"level": 1}}]) } else { json!([bytes]) };
    let index_codecs = if is_end { json!([bytes, {"name": "crc32c"}]) } else { json!([bytes]) };
    let own = json!([{"name": "sharding_indexed", "configuration": {
        "chunk_shape": inner, "codecs": codecs, "index_codecs": index_codecs, "index_location": if is_end { "end" } else { "start" },
    }}]);
    let mut files = vec![(format!("{folder}/zarr.json"), third(shape, outer, "/", &own).to_string().into_bytes())];
    for (start, numbers) in grid(shape, outer) {
        let parts = grid(outer, inner);
        let (mut data, mut index) = (Vec::new(), Vec::new());
        let before = if is_end { 0 } else { 16 * parts.len() };
        for (inside, _) in parts {
            let at: Vec<i64> = start.iter().zip(&inside).map(|(start, inside)| start + inside).collect();
            let part = packed(if is_end { "gzip" } else { "" }, &chunk(0, shape, &at, inner));
            for number in [before + data.len(), part.len()] {
                index.extend(u64::try_from(number).unwrap_or(0).to_le_bytes());
            }
            data.extend(part);
        }
        let file = match is_end {
            true => [data, index.clone(), change::crc32c(&index).to_le_bytes().to_vec()].concat(),
            false => [index, data].concat(),
        };
        files.push((format!("{folder}/c/{}", numbers.join("/")), file));
    }
    files
}
