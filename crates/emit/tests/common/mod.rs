//! What the tests of emitted text share: layouts of all families by chance, and compilers that run what was emitted.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use std::process::Command;

use bitstride::map::Map;

/// Numbers of a linear congruential generator, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound
    }

    /// One of a list.
    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    pub(crate) fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

fn tuple<T: ToString>(list: &[T]) -> String {
    format!("({})", list.iter().map(T::to_string).collect::<Vec<_>>().join(","))
}

/// Modes of leaves that lie one over the other in any order, with gaps, some backwards.
fn compact(random: &mut Random, powers: bool) -> (String, String) {
    let rank = 1 + random.below(3);
    let extents: &[i64] = if powers { &[2, 4, 8, 16] } else { &[1, 2, 3, 4, 5, 6, 7, 8, 12] };
    let modes: Vec<Vec<i64>> =
        (0..rank).map(|_| (0..1 + random.below(2)).map(|_| random.of(extents)).collect()).collect();
    let leaves: Vec<(usize, i64)> = modes.iter().flatten().copied().enumerate().collect();
    let mut strides = vec![0i64; leaves.len()];
    let mut stride = 1;
    for at in random.shuffled(leaves.len()) {
        let gap = random.of(if powers { &[1, 1, 1, 2] } else { &[1, 1, 1, 2, 3] });
        strides[at] = stride * gap;
        stride = strides[at] * leaves[at].1;
        if !powers && random.below(12) == 0 {
            strides[at] = -strides[at];
        }
        if random.below(20) == 0 {
            strides[at] = 0;
        }
    }
    let mut strides = strides.into_iter();
    let mut texts = (Vec::new(), Vec::new());
    for mode in &modes {
        texts.0.push(tuple(mode));
        texts.1.push(tuple(&strides.by_ref().take(mode.len()).collect::<Vec<_>>()));
    }
    (tuple(&texts.0), tuple(&texts.1))
}

/// The text of a layout of some family.
pub(crate) fn layout(random: &mut Random) -> String {
    let (shape, stride) = compact(random, false);
    match random.below(14) {
        0..=2 => format!("{shape}:{stride}"),
        3 => format!("{shape}:{stride} + {}", random.of(&[1, 7, 64])),
        4 => {
            let (shape, stride) = compact(random, true);
            let [bits, base, shift] = [random.of(&[1, 2, 3]), random.of(&[0, 1, 2, 3]), random.of(&[2, 3, 4, -3])];
            let bits = if i64::abs(shift) < bits { 2 } else { bits };
            format!("Sw<{bits},{base},{shift}> o {shape}:{stride}")
        }
        5 => format!("Sw<{},{},3> o {shape}:{stride}", random.of(&[1, 2, 3]), random.of(&[0, 1, 2])),
        6 => {
            let columns: Vec<String> = (0..2).map(|_| format!("^{}", random.of(&[1, 2, 5, 8, 12, 17, 33]))).collect();
            format!("({},{}):({})", random.of(&[2, 4, 8]), random.of(&[2, 4, 16]), columns.join(","))
        }
        7 | 8 => {
            let (rows, columns) = (1 + random.below(20), 1 + random.below(40));
            let order = random.of(&["1,0", "0,1"]);
            let tiles = random.of(&["(2,4)", "(8,16)", "(4,8)(2,1)", "(4)", "(2,128)", "(8,5)(4,1)", "(*,4)"]);
            format!("{}[{rows},{columns}]{{{order}:T{tiles}}}", random.of(&["f32", "bf16", "s8"]))
        }
        9 => {
            let order = random.of(&["2,1,0", "0,1,2", "1,0,2", "2,0,1"]);
            let shape = format!("{},{},{}", 1 + random.below(5), 1 + random.below(9), 1 + random.below(9));
            format!("f32[{shape}]{{{order}:T({},{})}}", random.of(&[2, 3, 4]), random.of(&[2, 4, 8]))
        }
        10 => {
            let threads = random.of(&["4,8", "2,16", "8,4", "32,1"]);
            format!(
                "tensor<{}x{}xf16, #ttg.blocked<{{sizePerThread=[{},{}], threadsPerWarp=[{threads}], warpsPerCTA=[2,2], order=[{}]}}>>",
                random.of(&[4, 16, 32]),
                random.of(&[8, 32, 64]),
                random.of(&[1, 2]),
                random.of(&[1, 4]),
                random.of(&["1,0", "0,1"])
            )
        }
        11 => format!(
            "!ttg.memdesc<{}x{}xf16, #ttg.swizzled_shared<{{vec={}, perPhase={}, maxPhase={}, order=[{}]}}>, #ttg.shared_memory>",
            random.of(&[8, 16]),
            random.of(&[16, 32]),
            random.of(&[1, 2, 4]),
            random.of(&[1, 2]),
            random.of(&[2, 4, 8]),
            random.of(&["1,0", "0,1"])
        ),
        12 => format!(
            "tag({}, ({},{},3,5))",
            random.of(&["nChw8c", "nchw", "nhwc", "nChw16c"]),
            1 + random.below(2),
            random.of(&[8, 16, 20])
        ),
        _ => format!(
            "tv((({},8),({},2)):((32,1),(16,8)), (16,{}))",
            random.of(&[4, 2]),
            random.of(&[2, 1]),
            random.of(&[8, 16])
        ),
    }
}

/// Every point of a box, the first axis the fastest; at most so many.
pub(crate) fn points(map: &Map, most: usize) -> Vec<Vec<i64>> {
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    let mut points = Vec::new();
    let mut point = vec![0; extents.len()];
    if extents.contains(&0) {
        return points;
    }
    while points.len() < most {
        points.push(point.clone());
        let mut at = 0;
        while at < extents.len() {
            point[at] += 1;
            if point[at] < extents[at] {
                break;
            }
            point[at] = 0;
            at += 1;
        }
        if at == extents.len() {
            break;
        }
    }
    points
}

/// Where a test writes.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{error}"));
    folder
}

/// Compiles a file with a compiler, or says that there is none.
pub(crate) fn compiled(compiler: &str, arguments: &[&str], file: &Path) -> Option<PathBuf> {
    let binary = file.with_extension("run");
    let built = Command::new(compiler).args(arguments).arg("-o").arg(&binary).arg(file).output();
    let Ok(built) = built else {
        eprintln!("SKIPPED: there is no `{compiler}`, so that nothing was compiled with it");
        return None;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(binary)
}

/// An extent as factors.
fn cut(random: &mut Random, extent: usize) -> Vec<usize> {
    let (mut rest, mut factors) = (extent, Vec::new());
    for factor in [random.of(&[2, 3, 5]), random.of(&[2, 4, 7])] {
        if rest % factor == 0 {
            factors.push(factor);
            rest /= factor;
        }
    }
    factors.push(rest);
    factors
}

/// A layout of a tensor of some extents: leaves in any order with gaps, cut, swizzled, or an array of XLA.
fn layout_of(random: &mut Random, extents: &[usize]) -> String {
    let rank = extents.len();
    let shape = tuple(extents);
    let order = random.shuffled(rank);
    match random.below(8) {
        0 | 1 if rank > 1 => {
            let minor_to_major = order.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let tile = random.of(&["(8,128)", "(2,4)", "(8,128)(2,1)", "(4,8)(4,1)", "(16,16)", "(32)"]);
            format!("f32[{}]{{{minor_to_major}:T{tile}}}", &shape[1..shape.len() - 1])
        }
        // Axes that are cut, with the parts in any order: mostly nowhere where the other side cuts.
        6 => {
            let modes: Vec<Vec<usize>> = extents.iter().map(|extent| cut(random, *extent)).collect();
            let leaves: Vec<usize> = modes.iter().flatten().copied().collect();
            let mut strides = vec![0usize; leaves.len()];
            let mut stride = 1;
            for at in random.shuffled(leaves.len()) {
                strides[at] = stride;
                stride *= leaves[at];
            }
            let mut strides = strides.into_iter();
            let of = |mode: &Vec<usize>| tuple(&strides.by_ref().take(mode.len()).collect::<Vec<_>>());
            let strides = tuple(&modes.iter().map(of).collect::<Vec<_>>());
            format!("{}:{strides}", tuple(&modes.iter().map(|mode| tuple(mode)).collect::<Vec<_>>()))
        }
        kind => {
            let mut strides = vec![0usize; rank];
            let mut stride = 1;
            for (number, at) in order.iter().enumerate() {
                strides[*at] = stride;
                let gap = if number == 0 { random.of(&[0, 0, 0, 1, 3, 8]) } else { 0 };
                stride *= extents[*at] + gap;
            }
            let plain = format!("{shape}:{}", tuple(&strides));
            if kind == 2 {
                format!("Sw<{},{},{}> o {plain}", random.of(&[2, 3]), random.of(&[2, 3]), random.of(&[3, 4]))
            } else {
                plain
            }
        }
    }
}

/// Two layouts of one tensor of several thousand elements at most.
pub(crate) fn pair(random: &mut Random) -> [String; 2] {
    let list: &[usize] = random.of(&[&[1, 3, 5, 8, 16, 33][..], &[8, 16, 32, 64], &[2, 3, 4, 7, 16, 30, 64, 60, 130]]);
    let mut extents: Vec<usize> = (0..1 + random.below(4)).map(|_| random.of(list)).collect();
    while extents.iter().product::<usize>() > 20_000 {
        extents.pop();
    }
    [layout_of(random, &extents), layout_of(random, &extents)]
}

/// Two orders of the axes of a tensor, with gaps, whose rows are of whole bytes whatever the size of an element.
pub(crate) fn rows_of_bytes(random: &mut Random) -> [String; 2] {
    let shape: Vec<i64> = (0..random.of(&[2, 2, 3])).map(|_| random.of(&[8, 16, 24, 40, 72, 136])).collect();
    [(); 2].map(|()| {
        let (mut strides, mut stride) = (vec![0; shape.len()], 1);
        for at in random.shuffled(shape.len()) {
            strides[at] = stride;
            stride *= shape[at] + random.of(&[0, 0, 8, 16]);
        }
        format!("{}:{}", tuple(&shape), tuple(&strides))
    })
}
