//! What the functions of a pool make has the value of its name, at every point.

#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use super::xor::above_zero;
use super::*;
use crate::code::Code;

/// Random expressions over two variables, each beside its values at all points of the box.
#[test]
fn an_expression_has_the_value_of_its_name() {
    let mut state = 5u64;
    let mut below = move |bound: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap() % bound
    };
    let (mut made, mut refused) = (0, 0);
    for round in 0..400 {
        let extents = [1 + below(20), [8, 16, 24][usize::try_from(below(3)).unwrap()]];
        let points: Vec<[i64; 2]> = (0..extents[0]).flat_map(|x| (0..extents[1]).map(move |y| [x, y])).collect();
        let mut pool = Pool::new(&extents, round % 2 == 0);
        let mut all: Vec<(Id, Vec<i64>)> =
            (0..2).map(|at| (pool.variable(at).unwrap(), points.iter().map(|point| point[at]).collect())).collect();
        for _ in 0..12 {
            let mut pick = || usize::try_from(below(i64::try_from(all.len()).unwrap())).unwrap();
            let (one, other) = (all[pick()].clone(), all[pick()].clone());
            let number = [1, 2, 3, 4, 5, 8, 12, 16, 32][usize::try_from(below(9)).unwrap()];
            let (id, values): (_, Vec<i64>) = match below(5) {
                0 => {
                    let (a, b) = (below(9) - 2, number);
                    let sum = one.1.iter().zip(&other.1).map(|(x, y)| a + number * x + b * y);
                    (pool.sum(a, &[(one.0, number), (other.0, b)]), sum.collect())
                }
                1 => (pool.div(one.0, number), one.1.iter().map(|x| x.div_euclid(number)).collect()),
                2 | 3 => (pool.modulo(one.0, number), one.1.iter().map(|x| x.rem_euclid(number)).collect()),
                _ => {
                    let flip = below(4).cast_unsigned();
                    let terms = [
                        Masked {
                            of: one.0,
                            distance: 2 - i32::try_from(below(5)).unwrap(),
                            mask: below(64).cast_unsigned(),
                        },
                        Masked { of: other.0, distance: 0, mask: u64::MAX },
                    ];
                    let term = |term: &Masked, x: i64| shifted(x.cast_unsigned() & term.mask, term.distance);
                    let kept = above_zero(terms.to_vec());
                    let value = |(x, y): (&i64, &i64)| (flip ^ term(&terms[0], *x) ^ term(&terms[1], *y)).cast_signed();
                    (pool.xor(flip, &kept), one.1.iter().zip(&other.1).map(value).collect())
                }
            };
            let Ok(id) = id else {
                refused += 1;
                continue;
            };
            let code = Code::of(&pool, &[], &[id]);
            for (point, value) in points.iter().zip(&values) {
                assert_eq!(pool.at(id, point), *value, "{:?} at {point:?}", pool.node(id));
                let range = pool.range(id);
                assert!(range.least <= *value && *value <= range.greatest, "{:?} {range:?} {value}", pool.node(id));
                assert!(*value < 0 || value.cast_unsigned() & !range.ones == 0, "{:?} {range:?}", pool.node(id));
                if let Ok(code) = &code {
                    assert_eq!(code.values(point)[code.results[0].0], *value, "{:?} {:?}", pool.node(id), code.ops);
                }
            }
            made += 1;
            all.push((id, values));
        }
    }
    assert!(made > 4000 && refused < 400, "{made} {refused}");
}
