//! A checkpoint for tests: tensors whose elements say where they belong, spread over files, and the check of what was written.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Map, Value as Json, json};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_bitstride");

/// What an element of a tensor is.
pub(crate) fn element(tensor: usize, shape: &[i64], index: &[i64]) -> i32 {
    let flat = shape.iter().zip(index).fold(0, |flat, (extent, at)| flat * extent + at);
    i32::try_from(flat * 7 + 1_000_003 * i64::try_from(tensor).unwrap_or(0)).unwrap_or(0)
}

pub(crate) fn indices(offsets: &[i64], shape: &[i64]) -> Vec<Vec<i64>> {
    offsets.iter().zip(shape).fold(vec![vec![]], |all: Vec<Vec<i64>>, (offset, extent)| {
        all.iter()
            .flat_map(|at| (*offset..offset + extent).map(move |next| [at.clone(), vec![next]].concat()))
            .collect()
    })
}

/// The tensors that tests move.
pub(crate) const TENSORS: [(&str, &[i64]); 5] =
    [("a.weight", &[24, 10]), ("b.bias", &[13]), ("c.cube", &[5, 6, 8]), ("d.scalar", &[]), ("e.empty", &[0, 4])];

/// Writes a folder whose files are those of `torch.chunk` along a dim.
pub(crate) fn folder(path: &Path, files: i64, dim: usize, is_whole: bool) {
    fs::create_dir_all(path).expect("a folder");
    for file in 0..files {
        let (mut header, mut offsets, mut data) = (Map::new(), Map::new(), Vec::new());
        for (number, (name, shape)) in TENSORS.iter().enumerate() {
            let (mut start, mut own) = (vec![0; shape.len()], shape.to_vec());
            if shape.is_empty() || is_whole {
                if file > 0 {
                    continue;
                }
            } else {
                let dim = dim.min(shape.len() - 1);
                let size = (shape[dim] + files - 1) / files;
                start[dim] = (file * size).min(shape[dim]);
                own[dim] = (start[dim] + size).min(shape[dim]) - start[dim];
            }
            let first = data.len();
            for index in indices(&start, &own) {
                data.extend(element(number, shape, &index).to_le_bytes());
            }
            header
                .insert((*name).to_owned(), json!({"dtype": "I32", "shape": own, "data_offsets": [first, data.len()]}));
            offsets.insert((*name).to_owned(), json!({"saved_offsets": start}));
        }
        if !is_whole {
            header.insert("__metadata__".to_owned(), json!({"DCP_SHARDING_INFO": Json::Object(offsets).to_string()}));
        }
        let text = Json::Object(header).to_string();
        let mut bytes = u64::try_from(text.len()).expect("a length").to_le_bytes().to_vec();
        bytes.extend(text.bytes());
        bytes.extend(data);
        fs::write(path.join(format!("shard-{file:05}.safetensors")), bytes).expect("a file");
    }
}

/// The indices along each dim.
pub(crate) type Dims = Vec<Vec<i64>>;

/// Holds the files of a folder against the tensors; returns the indices of each file by tensor, file after file.
pub(crate) fn check(path: &Path) -> BTreeMap<String, Vec<Dims>> {
    let mut boxes: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let mut files: Vec<_> =
        fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for file in files {
        let bytes = fs::read(&file).expect("a file");
        let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"))).expect("a length");
        let header: Map<String, Json> = serde_json::from_slice(&bytes[8..8 + length]).expect("a header");
        let info: Map<String, Json> =
            serde_json::from_str(header["__metadata__"]["DCP_SHARDING_INFO"].as_str().expect("a text"))
                .expect("offsets");
        let blocks: Map<String, Json> = header["__metadata__"]
            .get("BITSTRIDE_BLOCKS")
            .map_or_else(Map::new, |text| serde_json::from_str(text.as_str().expect("a text")).expect("blocks"));
        let numbers =
            |list: &Json| -> Vec<i64> { list.as_array().expect("a list").iter().filter_map(Json::as_i64).collect() };
        for (number, (name, shape)) in TENSORS.iter().enumerate() {
            let entry = &header[*name];
            let own = numbers(&entry["shape"]);
            // The indices that the file has along each dim.
            let dims: Vec<Vec<i64>> = match blocks.get(*name) {
                Some(dims) => {
                    let all = |dim: &Json| -> Vec<i64> {
                        let blocks = dim.as_array().expect("blocks").iter().map(numbers);
                        blocks.flat_map(|block| block[0]..block[1]).collect()
                    };
                    dims.as_array().expect("dims").iter().map(all).collect()
                }
                None => {
                    let start = numbers(&info[*name]["saved_offsets"]);
                    start.iter().zip(&own).map(|(start, extent)| (*start..start + extent).collect()).collect()
                }
            };
            let first = usize::try_from(numbers(&entry["data_offsets"])[0]).expect("a place") + 8 + length;
            let whole = if shape.is_empty() { &[1][..] } else { shape };
            let places = indices(&vec![0; own.len()], &own);
            let taken = places.iter().map(|place| -> Vec<i64> {
                let dims = dims.iter().zip(place);
                dims.map(|(dim, at)| dim[usize::try_from(*at).expect("a place")]).collect()
            });
            for (at, index) in taken.enumerate() {
                let place = first + 4 * at;
                let value = i32::from_le_bytes(bytes[place..place + 4].try_into().expect("4 bytes"));
                assert_eq!(value, element(number, whole, &index), "{} {name} {index:?}", file.display());
            }
            boxes.entry((*name).to_owned()).or_default().push(dims);
        }
    }
    boxes
}

pub(crate) fn run(arguments: &[&str], folder: &Path) -> Output {
    Command::new(PROGRAM).args(arguments).current_dir(folder).output().expect("the program runs")
}

pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// How the chunks of a test are packed.
pub(crate) fn packed(codec: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    match codec {
        "zstd" => ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).expect("bytes");
            encoder.finish().expect("bytes")
        }
        "zlib" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).expect("bytes");
            encoder.finish().expect("bytes")
        }
        _ => bytes.to_vec(),
    }
}

/// Writes the tensors as arrays of Zarr, in chunks that are padded at the edges.
pub(crate) fn zarr(path: &Path, version: i64, separator: &str, codec: &str) {
    let grids: [&[i64]; 5] = [&[7, 4], &[5], &[2, 6, 3], &[], &[3, 2]];
    for (number, ((name, shape), grid)) in TENSORS.iter().zip(grids).enumerate() {
        // Folders in folders, as Orbax and others have them.
        let folder = path.join(name.replace('.', "/"));
        fs::create_dir_all(&folder).expect("a folder");
        let mut codecs = vec![json!({"name": "bytes", "configuration": {"endian": "little"}})];
        codecs.extend((!codec.is_empty()).then(|| json!({"name": codec, "configuration": {"level": 1}})));
        let metadata = match version {
            2 => json!({
                "zarr_format": 2, "shape": shape, "chunks": grid, "dtype": "<i4", "order": "C", "filters": null, "fill_value": 0,
                "compressor": if codec.is_empty() { Json::Null } else { json!({"id": codec, "level": 1}) },
                "dimension_separator": separator,
            }),
            _ => json!({
                "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "fill_value": 0,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": grid}},
                "chunk_key_encoding": {"name": "default", "configuration": {"separator": separator}},
                "codecs": codecs,
            }),
        };
        fs::write(folder.join(if version == 2 { ".zarray" } else { "zarr.json" }), metadata.to_string())
            .expect("metadata");
        let counts: Vec<i64> = shape.iter().zip(grid).map(|(extent, chunk)| (extent + chunk - 1) / chunk).collect();
        for at in indices(&vec![0; counts.len()], &counts) {
            let start: Vec<i64> = at.iter().zip(grid).map(|(at, chunk)| at * chunk).collect();
            let bytes: Vec<u8> = indices(&start, grid)
                .iter()
                .flat_map(|index| {
                    let is_inside = index.iter().zip(*shape).all(|(at, extent)| at < extent);
                    // Padding has any value.
                    let whole = if shape.is_empty() { &[1][..] } else { shape };
                    (if is_inside { element(number, whole, index) } else { -1 }).to_le_bytes()
                })
                .collect();
            let numbers: Vec<String> = at.iter().map(i64::to_string).collect();
            let key = match (version, numbers.is_empty()) {
                (2, true) => "0".to_owned(),
                (2, false) => numbers.join(separator),
                (_, true) => "c".to_owned(),
                (_, false) => format!("c{separator}{}", numbers.join(separator)),
            };
            let file = folder.join(key);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, packed(codec, &bytes)).expect("a chunk");
        }
    }
}
