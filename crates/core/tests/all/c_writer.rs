//! `convert(X, c)` compiles, and computes at every point what the map says, as C and as C++. Without a compiler nothing is
//! compared, and the test says so.

#![allow(clippy::panic, clippy::print_stderr, reason = "that is how a test fails, and how it says that it was skipped")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use crate::common::{Choices, run};
use bitstride::linear::Name;
use bitstride::map::Map;
use bitstride_lang::{Value, call, evaluate};

/// The text of a random layout of some family.
fn layout(choices: &mut Choices) -> String {
    let tuple = |numbers: &[i64]| format!("({})", numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
    let rank = 1 + choices.below(3);
    let extents: Vec<i64> = (0..rank).map(|_| choices.of(&[1, 2, 3, 4, 5, 8])).collect();
    let strides: Vec<i64> = (0..rank).map(|_| choices.of(&[-3, 0, 1, 2, 4, 7, 8, 16, 40])).collect();
    match choices.below(8) {
        0 => format!("{}:{}", tuple(&extents), tuple(&strides)),
        1 => format!("((2,{}),4):((1,{}),{})", choices.of(&[2, 3]), choices.of(&[5, 8]), choices.of(&[2, 32])),
        2 => format!("Sw<{},{},3> o (8,16):(16,1)", choices.of(&[1, 2, 3]), choices.of(&[0, 1, 2])),
        3 => "(8,4):(^5,^8)".to_owned(),
        4 => format!("f32[{},{}]{{1,0:T(2,4)}}", choices.of(&[3, 4, 6]), choices.of(&[5, 8, 9])),
        5 => "bf16[6,20]{0,1:T(4,8)(2,1)}".to_owned(),
        6 => format!(
            "tensor<{}x32xf16, #ttg.blocked<{{sizePerThread=[1,2], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[{}]}}>>",
            choices.of(&[4, 8]),
            choices.of(&["1,0", "0,1"])
        ),
        _ => format!(
            "!ttg.memdesc<8x{}xf16, #ttg.swizzled_shared<{{vec=2, perPhase=1, maxPhase={}, order=[1,0]}}>, #ttg.shared_memory>",
            choices.of(&[8, 16]),
            choices.of(&[2, 4])
        ),
    }
}

/// The map that the function computes.
fn computed(value: &Value, source: &str) -> Map {
    let map = value.as_map().unwrap_or_else(|error| panic!("{error}"));
    if source.contains("layout_offset") && map.direction() == bitstride::map::Direction::ToIndex {
        return map.without_single_places().inverse().unwrap_or_else(|error| panic!("{error}"));
    }
    map
}

/// Every point of the domain.
fn points(map: &Map) -> Vec<Vec<i64>> {
    map.domain().iter().fold(vec![Vec::new()], |all, axis| {
        let longer = |point: &Vec<i64>, at: i64| point.iter().copied().chain([at]).collect();
        all.iter().flat_map(|point| (0..axis.extent).map(move |at| longer(point, at))).collect()
    })
}

#[test]
fn the_function_is_the_map() {
    let program = Mutex::new(String::from("#include <stdint.h>\n"));
    let calls = Mutex::new((0, String::new()));
    run(120, |choices| {
        let text = layout(choices);
        let value = evaluate(&text).map_err(|error| format!("{text}: {error}"))?.value;
        let notation = Name::new("c").map(Value::Name).map_err(|error| error.to_string())?;
        let source = call("convert", &[value.clone(), notation]).map_err(|error| format!("{text}: {error}"))?;
        let source = source.value.to_string();
        let map = computed(&value, &source);
        let mut calls = calls.lock().map_err(|error| error.to_string())?;
        let (number, body) = &mut *calls;
        *number += 1;
        let name = format!("f{number}");
        let renamed = source.replace("layout_offset", &name).replace("layout_element", &name);
        let mut program = program.lock().map_err(|error| error.to_string())?;
        writeln!(program, "{renamed}").map_err(|error| error.to_string())?;
        for point in points(&map) {
            let place = map.at(&point).map_err(|error| error.to_string())?;
            let arguments: Vec<String> = point.iter().map(i64::to_string).collect();
            let arguments = arguments.join(", ");
            let check = match place.as_deref() {
                None => format!("{name}({arguments}{}) != -1", if map.codomain().len() == 1 { "" } else { ", out" }),
                Some([one]) => format!("{name}({arguments}) != {one}"),
                Some(several) => {
                    let each = several.iter().enumerate().map(|(at, value)| format!("out[{at}] != {value}"));
                    format!("({name}({arguments}, out), {})", each.collect::<Vec<_>>().join(" || "))
                }
            };
            writeln!(body, "    if ({check}) return {};", 1 + *number % 120).map_err(|error| error.to_string())?;
        }
        Ok(())
    });
    let (count, body) = calls.into_inner().unwrap_or_else(|error| panic!("{error}"));
    assert!(count >= 120);
    let program = program.into_inner().unwrap_or_else(|error| panic!("{error}"));
    let source = format!("{program}int main(void) {{\n    int64_t out[8];\n    (void)out;\n{body}    return 0;\n}}\n");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut compilers = 0;
    for (compiler, suffix) in [("cc", "c"), ("c++", "cpp")] {
        let (file, binary) = (folder.join(format!("layouts.{suffix}")), folder.join(format!("layouts-{suffix}")));
        std::fs::write(&file, &source).unwrap_or_else(|error| panic!("{error}"));
        let built = Command::new(compiler).arg("-O0").arg("-w").arg("-o").arg(&binary).arg(&file).output();
        let Ok(built) = built else {
            eprintln!("SKIPPED: there is no `{compiler}`, so that no function was compiled with it");
            continue;
        };
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let status = Command::new(&binary).status().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(status.code(), Some(0), "a function of {} differs from its map", file.display());
        compilers += 1;
    }
    eprintln!("{count} functions compared with {compilers} compilers");
}
