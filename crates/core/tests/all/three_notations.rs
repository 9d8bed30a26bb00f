//! The page "Three notations, one layout" is what the library says.
//!
//! [`LAYOUTS`] is the list; every text and every obstruction of `docs/three-notations.md` is an answer of `convert`, and
//! every answer is held against the layout that it was made from before it is written.
//! `BITSTRIDE_UPDATE_NOTATIONS=1 cargo test -p bitstride --test all three_notations` writes the page anew.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use bitstride::map::Map;
use bitstride_lang::evaluate;

/// A layout, what to say of it, and what it is compared with.
struct Entry {
    title: &'static str,
    words: &'static str,
    layout: &'static str,
    /// The type that XLA gives its elements, where its text does not say it.
    element: Option<&'static str>,
    same: (&'static str, &'static str),
    /// What to notice.
    remark: &'static str,
}

const LAYOUTS: [Entry; 10] = [
    Entry {
        title: "The accumulator of a tensor core",
        words: "Where `mma.sync.m16n8` leaves the 16 x 8 result in the registers of a warp: Triton's MMA v2 layout, the C \
                layout of CuTe's SM80 atoms.",
        layout: "tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>",
        element: Some("f32"),
        same: (
            "tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>",
            "tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))",
        ),
        remark: "CuTe's text says neither that its modes are threads and values nor the shape of the tile; `tv` says both.",
    },
    Entry {
        title: "An operand of a tensor core",
        words: "What `ldmatrix.x4` loads for the A operand of `mma.sync.m16n8k16`: four 8 x 8 matrices of 16-bit elements, two \
                neighbours along K in each register.",
        layout: "tensor<16x16xf16, #ttg.dot_op<{opIdx=0, parent=#ttg.nvidia_mma<{versionMajor=2, versionMinor=0, \
                 warpsPerCTA=[1,1], instrShape=[16,8]}>, kWidth=2}>>",
        element: Some("f16"),
        same: (
            "tv(((4,8),(2,2,2)):((32,1),(16,8,128)), (16,16))",
            "linear<{register=[[0,1],[8,0],[0,8]], lane=[[0,2],[0,4],[1,0],[2,0],[4,0]]}, out=[dim0:16, dim1:16]>",
        ),
        remark: "",
    },
    Entry {
        title: "A swizzled tile in shared memory",
        words: "64 x 64 elements of 16 bits with NVIDIA's 128-byte swizzle, as TMA writes them and `wgmma` reads them without \
                bank conflicts.",
        layout: "!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, elementBitWidth=16}>, \
                 #ttg.shared_memory>",
        element: Some("f16"),
        same: (
            "bytes(!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, \
             elementBitWidth=16}>, #ttg.shared_memory>, 16)",
            "bytes(Sw<3,4,3> o (64,64):(128,2), 8)",
        ),
        remark: "`Sw<3,3,3>` counts elements; documents of the hardware write `Sw<3,4,3>`, which counts bytes. Both are the \
                 same memory.",
    },
    Entry {
        title: "A tile spread over the threads of a block",
        words: "A blocked layout of Triton, as global memory is read: each thread holds four neighbours of a row, two warps \
                stand below each other, and the tile is twice as wide as a warp reaches.",
        layout: "tensor<16x32xf16, #ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[8,4], warpsPerCTA=[2,1], order=[1,0]}>>",
        element: Some("f16"),
        same: (
            "tensor<16x32xf16, #ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[8,4], warpsPerCTA=[2,1], order=[1,0]}>>",
            "tv(((4,16),(4,2)):((64,1),(16,256)), (16,32))",
        ),
        remark: "Lanes and warps are one mode of threads in CuTe: the 8 rows of a warp and the 2 warps go on as 16.",
    },
    Entry {
        title: "A tile of a TPU",
        words: "A bf16 matrix in the memory of a TPU: tiles of 8 x 128, and in them two rows packed into words of 32 bits.",
        layout: "bf16[16,256]{1,0:T(8,128)(2,1)}",
        element: None,
        same: ("bf16[16,256]{1,0:T(8,128)(2,1)}", "((2,4,2),(128,2)):((1,256,2048),(2,1024))"),
        remark: "",
    },
    Entry {
        title: "Tiles that reach beyond the array",
        words: "The first example of XLA's page on tiled layouts: 3 x 5 elements in tiles of 2 x 2, the last row and column of \
                tiles partly padding.",
        layout: "f32[3,5]{1,0:T(2,2)}",
        element: None,
        same: ("f32[3,5]{1,0:T(2,2)}", "tag(AB2a2b, (3,5))"),
        remark: "A layout of CuTe has no padding: it is one on the padded box only, with the extents beside it.",
    },
    Entry {
        title: "The scale factors of Blackwell",
        words: "The atom of 128 x 4 scale factors that block-scaled `tcgen05.mma` reads: four rows that are 32 apart lie side by \
                side, four factors each.",
        layout: "((32,4),4):((16,4),1)",
        element: Some("f8e8m0fnu"),
        same: ("((32,4),4):((16,4),1)", "f8e8m0fnu[128,4]{0,1:T(4,32)(4,4,1)}"),
        remark: "Of two blocks of a dim, a tag takes the inner one for the lower part of the dim; here it is the higher.",
    },
    Entry {
        title: "Blocked channels of a CPU",
        words: "oneDNN's `nChw16c`: 16 channels of a pixel side by side, so that a vector register holds them.",
        layout: "tag(nChw16c, (8,64,14,14))",
        element: Some("f32"),
        same: ("tag(nChw16c, (8,64,14,14))", "(8,(16,4),14,14):(12544,(1,3136),224,16)"),
        remark: "",
    },
    Entry {
        title: "A padded tile in shared memory",
        words: "64 x 8 elements, eight unused places after each column of 64, so that a row falls into different banks.",
        layout: "(64,8):(1,72)",
        element: Some("f16"),
        same: ("(64,8):(1,72)", "f16[64,8]{0,1:T(72)}"),
        remark: "Adding 72 carries where xor does not, so that no linear layout is this one; Triton adds the padding to one.",
    },
    Entry {
        title: "Dims that carry into each other",
        words: "XLA's `*`: the last two dims are one of 110 before tiles of 2 x 3 cut it, and 3 does not divide 10.",
        layout: "f32[4,11,10]{2,1,0:T(2,*,3)}",
        element: None,
        same: ("f32[4,11,10]{2,1,0:T(2,*,3)}", "reshape(f32[4,110]{1,0:T(2,3)}, (4,11,10))"),
        remark: "",
    },
];

const NOTATIONS: [&str; 8] = ["cute", "linear", "triton", "mixed", "xla", "strides", "tag", "affine"];

const HEAD: &str = "# Three notations, one layout

Ten layouts in use, each in every notation that holds it; where one does not, what stands against it. All of this page is the
output of `bitstride convert LAYOUT --to NOTATION`, and before it is written each answer is held against its layout. A
test fails when the page is out of date; to write it anew:

```sh
BITSTRIDE_UPDATE_NOTATIONS=1 cargo test -p bitstride --test all three_notations
```

| notation | is |
|---|---|
| `cute` | a layout of CuTe, `tv(…, tile)` where its modes are threads and values; `padded` is one on a larger box |
| `linear` | a linear layout over F2, from places to elements as Triton has it |
| `triton` | Triton's attribute of a linear layout, over the parts of a machine or of shared memory; the shape is beside it |
| `mixed` | strides that are added beside strides that are xored, `^9` |
| `xla` | a tiled array |
| `strides` | one stride a dim, as NumPy and PyTorch have them: `tensor(shape, strides)` |
| `tag` | a blocked format as oneDNN names it, with the shape |
| `affine` | an affine map of MLIR with its extents: of the places for what is spread over threads, else of the elements |
";

#[test]
fn the_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/three-notations.md");
    let page = LAYOUTS.iter().map(section).fold(HEAD.to_owned(), |page, section| page + "\n" + &section);
    if std::env::var_os("BITSTRIDE_UPDATE_NOTATIONS").is_some() {
        fs::write(&path, page).expect("a file that can be written");
    } else {
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == page, "the page is not what the library says; see the head of this test");
    }
}

/// Title, words, the table and the comparison.
fn section(entry: &Entry) -> String {
    let Entry { title, words, layout, same: (left, right), remark, .. } = entry;
    let mut text = format!("## {title}\n\n{words}\n\n```text\n{layout}\n```\n\n| notation | |\n|---|---|\n");
    let rows = NOTATIONS.iter().flat_map(|notation| rows(entry, notation));
    let mut merged: Vec<(String, String)> = Vec::new();
    for (notation, says) in rows {
        match merged.last_mut().filter(|(_, last)| *last == says) {
            Some((notations, _)) => *notations += &format!(", {notation}"),
            None => merged.push((notation, says)),
        }
    }
    for (notations, says) in merged {
        writeln!(text, "| {notations} | {} |", says.replace('|', "\\|")).expect("a string takes it");
    }
    let verdict = evaluate(&format!("same({left}, {right})")).unwrap_or_else(|error| panic!("{title}: {error}"));
    assert_eq!(verdict.value.to_string(), "same", "{title}");
    let notes: String = verdict.notes.iter().map(|note| format!("note: {note}\n")).collect();
    let remark = if remark.is_empty() { String::new() } else { format!("\n{remark}\n") };
    writeln!(text, "{remark}\n```text\n$ bitstride same '{left}' '{right}'\nsame\n{notes}```")
        .expect("a string takes it");
    text
}

/// What a notation says of a layout; where it is no layout of CuTe, the padded one too.
fn rows(entry: &Entry, notation: &str) -> Vec<(String, String)> {
    match (notation, answer(entry, notation)) {
        (_, Ok(says)) => vec![(notation.to_owned(), says)],
        ("cute", Err(why)) => {
            let padded = answer(entry, "padded").map(|says| ("padded".to_owned(), says));
            [("cute".to_owned(), why)].into_iter().chain(padded).collect()
        }
        (_, Err(why)) => vec![(notation.to_owned(), why)],
    }
}

/// The text in a notation with what must be said to read it, once it is known to be the same; or the obstruction.
fn answer(entry: &Entry, notation: &str) -> Result<String, String> {
    let layout = entry.layout;
    let element = entry.element.filter(|_| notation == "xla").map_or(String::new(), |element| format!(", {element}"));
    let answer = evaluate(&format!("convert({layout}, {notation}{element})"))
        .map_err(|error| format!("*{}*: {}", error.code().as_str(), error.message()))?;
    let text = answer.value.to_string();
    let map = map(layout);
    let extents = tuple(&map.index_axes().iter().map(|axis| axis.extent).collect::<Vec<_>>());
    let again = match notation {
        "padded" => format!("chain({text}, {extents}:{})", tuple(&steps(&text))),
        "triton" if text.starts_with("#ttg.padded_shared") => {
            let sizes: Vec<String> = map.index_axes().iter().map(|axis| axis.extent.to_string()).collect();
            format!("!ttg.memdesc<{}xf16, {text}, #ttg.shared_memory>", sizes.join("x"))
        }
        "triton" => format!("to_linear({text}, {extents})"),
        _ => text.clone(),
    };
    let verdict = evaluate(&format!("same({layout}, {again})"));
    assert_eq!(verdict.map(|said| said.value.to_string()).as_deref(), Ok("same"), "{layout} and {again}");
    if notation == "affine" {
        is_affine(&map, &text);
    }
    let words = ["thread is", "the elements are"];
    let notes = answer.notes.iter().filter(|note| words.iter().any(|start| note.starts_with(start)));
    Ok(notes.fold(format!("`{text}`"), |says, note| says + "; " + note))
}

fn map(text: &str) -> Map {
    let value = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}")).value;
    value.as_map().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn tuple(numbers: &[i64]) -> String {
    format!("({})", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// What a step along each mode of a layout is worth in its flat index.
fn steps(layout: &str) -> Vec<i64> {
    let extents = map(layout).domain().iter().map(|axis| axis.extent).collect::<Vec<_>>();
    (0..extents.len()).map(|at| extents[..at].iter().product()).collect()
}

/// Asserts that the text of an affine map gives what a map gives, at up to 10,000 points of every size.
fn is_affine(map: &Map, text: &str) {
    let results = text.split_once("-> (").and_then(|(_, results)| results.split_once(")>")).expect("an affine map").0;
    let size = map.size().expect("a size");
    for flat in (0..size).step_by(usize::try_from(size / 10_000 + 1).expect("a step")) {
        let mut rest = flat;
        let mut digit = |extent: i64| {
            let x = rest % extent;
            rest /= extent;
            x
        };
        let point: Vec<i64> = map.domain().iter().map(|axis| digit(axis.extent)).collect();
        let mut words = results;
        let mut says = vec![sum(&mut words, &point)];
        while taken(&mut words, ", ") {
            says.push(sum(&mut words, &point));
        }
        assert_eq!((words, Ok(Some(says))), ("", map.at(&point)), "{text} at {point:?}");
    }
}

fn taken(words: &mut &str, word: &str) -> bool {
    let rest = words.strip_prefix(word);
    *words = rest.unwrap_or(words);
    rest.is_some()
}

/// An affine expression: sums of products, quotients and remainders.
fn sum(words: &mut &str, point: &[i64]) -> i64 {
    let mut value = term(words, point);
    loop {
        match (taken(words, " + "), taken(words, " - ")) {
            (true, _) => value += term(words, point),
            (_, true) => value -= term(words, point),
            _ => return value,
        }
    }
}

fn term(words: &mut &str, point: &[i64]) -> i64 {
    let value = single(words, point);
    if taken(words, " * ") {
        value * single(words, point)
    } else if taken(words, " mod ") {
        value.rem_euclid(single(words, point))
    } else if taken(words, " floordiv ") {
        value.div_euclid(single(words, point))
    } else {
        value
    }
}

fn single(words: &mut &str, point: &[i64]) -> i64 {
    if taken(words, "(") {
        let value = sum(words, point);
        assert!(taken(words, ")"), "{words}");
        return value;
    }
    let dim = taken(words, "d");
    let end = words.find(|c: char| !c.is_ascii_digit()).unwrap_or(words.len());
    let (digits, rest) = words.split_at(end);
    *words = rest;
    let number: i64 = digits.parse().expect("a number");
    if dim { point[usize::try_from(number).expect("a dim")] } else { number }
}
