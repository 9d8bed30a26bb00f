//! Index functions: the expressions, and the text in each language as compilers and interpreters run it, are the map and its
//! inverse at every point of random layouts of all families. Each function is run over its box, and its results are hashed.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "that is how a test fails, and says what it skips"
)]

mod common;

use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

use bitstride::map::Map;
use bitstride_emit::{Function, Index, Language};
use bitstride_lang::evaluate;
use common::{Random, compiled, folder, layout, points};

/// More points of one box are not run.
const MOST_POINTS: usize = 1 << 13;

/// A function of a layout, and what it must give.
struct Case {
    layout: String,
    map: Map,
    function: Function,
    /// The source of both functions of the layout is in the one with this number.
    number: usize,
    hash: u64,
}

/// What a row of results comes to; padding is its own.
fn hashed(hash: u64, results: Option<&[i64]>) -> u64 {
    let step = |hash: u64, n: i64| (hash ^ n.cast_unsigned()).wrapping_mul(0x0100_0000_01B3);
    results.map_or_else(|| step(hash, -7), |results| results.iter().fold(hash, |hash, n| step(hash, *n)))
}

/// The functions of random layouts, checked as expressions.
fn cases(random: &mut Random, count: usize) -> (Vec<Case>, Vec<Index>) {
    let (mut cases, mut sources) = (Vec::new(), Vec::new());
    while sources.len() < count {
        let text = layout(random);
        let Ok(map) = evaluate(&text).and_then(|answer| answer.value.as_map()) else { continue };
        // A layout of memory that has no inverse has no offsets.
        let Ok(index) = Index::of(&map) else {
            assert!(map.from_elements().is_err(), "{text}");
            continue;
        };
        let forth = if index.forth.at(&vec![0; map.domain().len()]).is_some_and(|to| to.len() == map.codomain().len())
            && map.codomain().len() != 1
        {
            map
        } else {
            map.from_elements().unwrap_or(map)
        };
        let mut checked = vec![(forth.clone(), index.forth.clone())];
        match (&index.back, forth.inverse()) {
            (Ok(function), Ok(inverse)) => checked.push((inverse, function.clone())),
            (Err(_), Err(_)) => {}
            (back, inverse) => panic!("{text}: {back:?} {inverse:?}"),
        }
        for (map, function) in checked {
            let mut hash = 0;
            for point in points(&map, MOST_POINTS) {
                let results = map.at(&point).unwrap();
                assert_eq!(function.at(&point), results, "{text} at {point:?}");
                hash = hashed(hash, results.as_deref());
            }
            cases.push(Case { layout: text.clone(), map, function, number: sources.len(), hash });
        }
        sources.push(index);
    }
    (cases, sources)
}

/// The names that the functions of a layout have in a common file.
fn renamed(source: &str, head: &str, number: usize) -> String {
    source.strip_prefix(head).unwrap_or(source).replace("layout_", &format!("layout{number}_"))
}

fn name(case: &Case) -> String {
    case.function.name().replace("layout_", &format!("layout{}_", case.number))
}

/// C: one loop over each box.
fn c(cases: &[Case], sources: &[Index], language: Language) -> String {
    let mut text = String::from(
        "#include <stdint.h>\n#include <stdio.h>\n#define STEP(n) hash = (hash ^ (uint64_t)(int64_t)(n)) * UINT64_C(0x100000001b3)\n",
    );
    if language == Language::Cuda {
        text.push_str("#define __host__\n#define __device__\n#define __forceinline__ inline\n");
    }
    for (number, index) in sources.iter().enumerate() {
        text.push_str(&renamed(&index.source(language), "#include <stdint.h>\n", number));
    }
    text.push_str("static int wrong;\n");
    // A function a case, since compilers take long over one that has all.
    let mut calls = String::new();
    for (at, case) in cases.iter().enumerate() {
        let axes = case.map.domain();
        let extents: Vec<String> = axes.iter().map(|axis| axis.extent.to_string()).collect();
        let (rank, results) = (axes.len(), case.map.codomain().len());
        let arguments: Vec<String> = (0..rank).map(|at| format!("x[{at}]")).collect();
        let size = points(&case.map, MOST_POINTS).len();
        let source = language_source(case, language);
        let pads = source.contains("return -1;") || source.contains("return 0;");
        let own = source.split(&format!(" {}(", case.function.name())).nth(1).unwrap_or("");
        let own = own.split_whitespace().next().unwrap_or("uint32_t");
        let own = if own.starts_with("void") { "uint32_t" } else { own };
        let own = if own == "long" {
            "long long"
        } else if source.contains("unsigned long long") {
            "unsigned long long"
        } else {
            own
        };
        let call = name(case);
        let body = if results == 1 {
            let value = format!("int64_t v = {call}({});", arguments.join(", "));
            let padding = if pads { "if (v == -1) STEP(-7); else " } else { "" };
            format!("{value} {padding}STEP(v);")
        } else {
            let list = arguments.iter().cloned().chain(["out".to_owned()]).collect::<Vec<_>>().join(", ");
            let steps: String = (0..results).map(|at| format!("STEP(out[{at}]); ")).collect();
            format!("{own} out[{}]; if ({call}({list})) {{ {steps}}} else STEP(-7);", results.max(1))
        };
        writeln!(
            text,
            "static void case{at}(void) {{ int64_t e[] = {{{}1}}, x[{}] = {{0}}; uint64_t hash = 0; for (int n = 0; n < {size}; n++) {{ {body} for (int a = 0; a < {rank}; a++) {{ if (++x[a] < e[a]) break; x[a] = 0; }} }} if (hash != UINT64_C({})) {{ wrong++; printf(\"%s\\n\", \"{}\"); }} }}",
            extents.iter().map(|extent| format!("{extent}, ")).collect::<String>(),
            rank.max(1),
            case.hash,
            case.layout.replace('"', "'"),
        )
        .unwrap();
        writeln!(calls, "    case{at}();").unwrap();
    }
    format!("{text}int main(void) {{\n{calls}    return wrong != 0;\n}}\n")
}

fn language_source(case: &Case, language: Language) -> String {
    case.function.source(language)
}

fn ran(command: &mut Command) {
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}\n{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn the_functions_are_the_map_in_c_and_cuda() {
    let (cases, sources) = cases(&mut Random(1), 300);
    let folder = folder("index-c");
    for (language, compiler, file) in [(Language::C, "cc", "index.c"), (Language::Cuda, "c++", "cuda.cpp")] {
        let file = folder.join(file);
        std::fs::write(&file, c(&cases, &sources, language)).unwrap();
        if let Some(binary) = compiled(compiler, &["-O0", "-w", "-fsanitize=undefined", "-fno-sanitize-recover"], &file)
        {
            ran(&mut Command::new(binary));
        }
    }
    eprintln!("{} functions of {} layouts", cases.len(), sources.len());
}

/// Many more layouts, by hand: `BITSTRIDE_LAYOUTS=10000 cargo test -p bitstride-emit --test index -- --ignored`.
#[test]
#[ignore = "minutes; by hand"]
fn ten_thousand_layouts_in_c() {
    let count = std::env::var("BITSTRIDE_LAYOUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let mut random = Random(77);
    let (mut functions, mut layouts) = (0, 0);
    while layouts < count {
        let (cases, sources) = cases(&mut random, 1000.min(count - layouts));
        for (language, file) in [(Language::C, "many.c"), (Language::Cuda, "many.cpp")] {
            let file = folder("index-many").join(file);
            std::fs::write(&file, c(&cases, &sources, language)).unwrap();
            let compiler = if language == Language::C { "cc" } else { "c++" };
            if let Some(binary) = compiled(compiler, &["-O0", "-w"], &file) {
                ran(&mut Command::new(binary));
            }
        }
        (functions, layouts) = (functions + cases.len(), layouts + sources.len());
        eprintln!("{functions} functions of {layouts} layouts agree");
    }
}

/// The box of a case as a list.
fn extents(case: &Case) -> String {
    case.map.domain().iter().map(|axis| format!("{},", axis.extent)).collect()
}

#[test]
fn the_functions_are_the_map_in_python_and_triton() {
    let (cases, sources) = cases(&mut Random(2), 150);
    for language in [Language::Python, Language::Triton] {
        // Triton's functions are run on integers: what stands for its package leaves them as they are.
        let mut text = String::from(
            "class triton:\n    jit = staticmethod(lambda f: f)\nclass tl:\n    int64 = None\n    cast = staticmethod(lambda x, t: x)\n",
        );
        for (number, index) in sources.iter().enumerate() {
            let source = index.source(language);
            text.push_str(&renamed(&source, "import triton\nimport triton.language as tl\n", number));
            text.push('\n');
        }
        let is_masked = language == Language::Triton;
        writeln!(
            text,
            "def points(extents, most):\n    x = [0] * len(extents)\n    for _ in range(most):\n        yield x\n        for a in range(len(x)):\n            x[a] += 1\n            if x[a] < extents[a]: break\n            x[a] = 0\n\
             def check(f, extents, most, results, wanted, layout, pads):\n    h = 0\n    for x in points(extents, most):\n        v = f(*x)\n        if {masked} and pads:\n            v = (v[:-1] if v[-1] else None)\n        elif v is not None and results == 1:\n            v = (v,)\n        for n in ((-7,) if v is None else v):\n            h = ((h ^ (n & (1 << 64) - 1)) * 0x100000001b3) & (1 << 64) - 1\n    assert h == wanted, layout",
            masked = if is_masked { "True" } else { "False" },
        )
        .unwrap();
        for case in &cases {
            let pads = if case.function.pads() { "True" } else { "False" };
            let size = points(&case.map, MOST_POINTS).len().min(MOST_POINTS);
            writeln!(
                text,
                "check({}, ({}), {size}, {}, {}, {:?}, {pads})",
                name(case),
                extents(case),
                case.map.codomain().len(),
                case.hash,
                case.layout
            )
            .unwrap();
        }
        let file = folder("index-python").join(format!("{}.py", language.word()));
        std::fs::write(&file, text).unwrap();
        match Command::new("python3").arg(&file).output() {
            Ok(ran) => assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr)),
            Err(_) => eprintln!("SKIPPED: there is no python3"),
        }
    }
}

#[test]
fn the_functions_are_the_map_in_rust() {
    let (cases, sources) = cases(&mut Random(3), 100);
    let mut text = String::from(
        "#![allow(unused)]\nfn step(h: u64, n: i64) -> u64 { (h ^ n as u64).wrapping_mul(0x100000001b3) }\n",
    );
    for (number, index) in sources.iter().enumerate() {
        text.push_str(&renamed(&index.source(Language::Rust), "", number));
    }
    text.push_str("fn main() {\n");
    for case in &cases {
        let rank = case.map.domain().len();
        let arguments: Vec<String> = (0..rank).map(|at| format!("x[{at}]")).collect();
        let size = points(&case.map, MOST_POINTS).len();
        let call = format!("{}({})", name(case), arguments.join(", "));
        let some = if case.function.pads() { call } else { format!("Some({call})") };
        let fold = if case.map.codomain().len() == 1 { "h = step(h, v)" } else { "for n in v { h = step(h, n) }" };
        writeln!(
            text,
            "    {{ let e: [i64; {rank}] = [{}]; let mut x = [0i64; {rank}]; let mut h = 0u64; for _ in 0..{size} {{ match {some} {{ Some(v) => {{ {fold} }}, None => h = step(h, -7) }} for a in 0..{rank} {{ x[a] += 1; if x[a] < e[a] {{ break; }} x[a] = 0; }} }} assert_eq!(h, {}, \"{{}}\", {:?}); }}",
            extents(case), case.hash, case.layout
        )
        .unwrap();
    }
    text.push_str("}\n");
    let file = folder("index-rust").join("index.rs");
    std::fs::write(&file, text).unwrap();
    if let Some(binary) = compiled("rustc", &["--edition", "2024", "-Cdebug-assertions=on"], &file) {
        ran(&mut Command::new(binary));
    }
}

/// Runs a function of MLIR over `index`.
fn interpreted(source: &str, point: &[i64]) -> Option<Vec<i64>> {
    let mut values: HashMap<&str, i64> = HashMap::new();
    for line in source.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("func.func ") {
            let list = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(list, _)| list);
            let names = list.split(", ").filter_map(|part| part.split_once(':')).map(|(name, _)| name);
            values.extend(names.zip(point.iter().copied()));
        } else if let Some(rest) = line.strip_prefix("return") {
            let (names, types) = rest.split_once(':').unwrap_or(("", ""));
            let mut results: Vec<i64> = names.split(',').filter_map(|name| values.get(name.trim()).copied()).collect();
            let mask = if types.contains("i1") { results.pop() } else { Some(1) };
            return (mask == Some(1)).then_some(results);
        } else if let Some((name, rest)) = line.split_once(" = arith.") {
            let words: Vec<&str> = rest.split([' ', ',']).filter(|word| !word.is_empty()).collect();
            let of = |at: usize| values.get(words[at]).copied().unwrap_or(0);
            let (a, b) = if words[0] == "constant" {
                (0, 0)
            } else if words[0] == "cmpi" {
                (of(2), of(3))
            } else {
                (of(1), of(2))
            };
            let value = match words[0] {
                "constant" => words[1].parse().unwrap(),
                "addi" => a.wrapping_add(b),
                "subi" => a.wrapping_sub(b),
                "muli" => a.wrapping_mul(b),
                "divui" => (a.cast_unsigned() / b.cast_unsigned()).cast_signed(),
                "remui" => (a.cast_unsigned() % b.cast_unsigned()).cast_signed(),
                "shli" => a << b,
                "shrsi" => a >> b,
                "shrui" => (a.cast_unsigned() >> b).cast_signed(),
                "andi" => a & b,
                "xori" => a ^ b,
                "cmpi" => i64::from(a.cast_unsigned() < b.cast_unsigned()),
                other => panic!("{other}"),
            };
            values.insert(name, value);
        }
    }
    panic!("no result: {source}")
}

#[test]
fn the_functions_are_the_map_in_mlir() {
    let (cases, _) = cases(&mut Random(4), 100);
    for case in &cases {
        let source = case.function.source(Language::Mlir);
        for point in points(&case.map, 300) {
            assert_eq!(
                interpreted(&source, &point),
                case.map.at(&point).unwrap(),
                "{} at {point:?}\n{source}",
                case.layout
            );
        }
    }
}

/// Integers that may leave 64 bits are refused, and large ones are wide enough.
#[test]
fn nothing_overflows() {
    let index = |text: &str| evaluate(text).and_then(|answer| answer.value.as_map()).and_then(|map| Index::of(&map));
    let wide = index("(4,3):(4611686018427387903,1)");
    assert!(wide.is_err(), "{wide:?}");
    let wide = index("(2147483648,3):(3,1)").unwrap();
    assert!(wide.source(Language::C).contains("uint64_t dim0"));
    assert_eq!(wide.forth.at(&[2_147_483_647, 2]), Some(vec![6_442_450_943]));
    // One below what 32 bits hold, and one above.
    assert!(index("4294967296:1").unwrap().source(Language::C).contains("uint32_t dim0"));
    assert!(index("4294967297:1").unwrap().source(Language::C).contains("uint64_t dim0"));
}
