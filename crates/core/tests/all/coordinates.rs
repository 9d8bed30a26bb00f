//! Layouts into coordinates, whose strides are basis vectors, as maps: against enumeration by the algebra of CuTe.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bitstride::cute::{Function, crd2idx};
use bitstride::map::{Axis, Form, Injectivity, Map, Unit};
use bitstride::{Int, Layout, Path, Stride, StrideLeaf, Tuple};
use bitstride_lang::{Value, evaluate};
use bitstride_oracle::reference;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn map(text: &str) -> Map {
    Map::of_layout(&layout(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn said(text: &str) -> Result<String, &'static str> {
    evaluate(text).map(|answer| answer.value.to_string()).map_err(|error| error.code().as_str())
}

/// All points of a box, the first axis the fastest.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for extent in extents.iter().rev() {
        points = (0..*extent).flat_map(|x| points.iter().map(move |p| [&[x], p.as_slice()].concat())).collect();
    }
    points.sort_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
    points
}

fn extents(axes: &[Axis]) -> Vec<i64> {
    axes.iter().map(|axis| axis.extent).collect()
}

/// Every point with the components of what it leads to that are not 0, by the algebra of CuTe.
fn table(layout: &Layout) -> Vec<(Vec<i64>, BTreeMap<Path, i64>)> {
    let modes = if layout.root().is_leaf() { vec![layout.clone()] } else { layout.modes() };
    let sizes: Vec<i64> =
        modes.iter().map(|mode| mode.size().and_then(|size| size.as_number()).expect("is static")).collect();
    let place = |point: &Vec<i64>| {
        let entries: Vec<Int> = point.iter().map(|x| Int::from(*x)).collect();
        let coordinate = if layout.root().is_leaf() { Tuple::leaf(Int::from(point[0])) } else { Tuple::flat(&entries) };
        let place: Stride = crd2idx(&coordinate, layout).unwrap_or_else(|error| panic!("{layout}: {error}"));
        place.components().into_iter().map(|(path, n)| (path, n.as_number().expect("is static"))).collect()
    };
    points(&sizes).into_iter().map(|point| (point.clone(), place(&point))).collect()
}

/// A row of coordinates as its components that are not 0.
fn components(map: &Map, row: &[i64]) -> BTreeMap<Path, i64> {
    let named = map.codomain().iter().map(|axis| axis.name.path().unwrap_or_default());
    named.zip(row.iter().copied()).filter(|(_, x)| *x != 0).collect()
}

/// The paths that a layout names.
fn named(layout: &Layout) -> BTreeSet<Path> {
    layout.strides().iter().flat_map(StrideLeaf::components).map(|(path, _)| path).collect()
}

/// Lowered and recognised, a layout is the same function with the same coordinates.
fn comes_back(layout: &Layout) -> Result<(), TestCaseError> {
    let map = Map::of_layout(layout).map_err(|error| TestCaseError::fail(format!("{layout}: {error}")))?;
    let paths: Vec<Path> = map.codomain().iter().filter_map(|axis| axis.name.path()).collect();
    prop_assert_eq!(paths, named(layout).into_iter().collect::<Vec<_>>(), "{}", layout);
    prop_assert!(map.codomain().iter().all(|axis| (axis.unit == Unit::Index) == axis.name.path().is_some()));
    let form = Form::of(&map).expect("is a sum");
    let back = map.to_cute().map_err(|error| TestCaseError::fail(format!("{layout}: {error}")))?;
    let again = self::layout(&back.to_string());
    let other = Map::of_layout(&again).expect("is a layout");
    prop_assert_eq!(map.codomain(), other.codomain(), "{} as {}", layout, again);
    prop_assert!(map.same(&other).expect("has the same axes").holds());
    prop_assert_eq!(other.to_cute().expect("is canonical").to_string(), again.to_string(), "{}", layout);
    for (point, place) in table(layout) {
        let row = map.at(&point).expect("is small").expect("is no padding");
        prop_assert_eq!(&components(&map, &row), &place, "{} at {:?}", layout, point);
        prop_assert_eq!(&other.at(&point).expect("is small"), &Some(row.clone()), "{} at {:?}", again, point);
        prop_assert_eq!(&form.at(&point).expect("is small"), &row);
        let inside = row.iter().zip(map.codomain()).all(|(x, axis)| *x < axis.extent);
        prop_assert!(inside, "{} leads to {:?} of {}", layout, row, map);
    }
    Ok(())
}

/// What is decided of a layout, against all its places.
fn decided(layout: &Layout) -> Result<(), TestCaseError> {
    let map = Map::of_layout(layout).expect("is a layout");
    let places: Vec<Vec<i64>> =
        table(layout).iter().map(|(point, _)| map.at(point).expect("is small").expect("is no padding")).collect();
    let reached: HashSet<&Vec<i64>> = places.iter().collect();
    let injective = matches!(map.injectivity().expect("is small"), Injectivity::Yes(_));
    prop_assert_eq!(injective, reached.len() == places.len(), "{}", layout);
    let image = map.image().expect("is small");
    let inside = reached.iter().filter(|place| place.iter().all(|x| *x >= 0)).count();
    let most = |at: usize| places.iter().map(|place| place[at]).max().unwrap_or(-1).max(-1) + 1;
    let all: i64 = (0..map.codomain().len()).map(most).product();
    prop_assert_eq!(usize::try_from(image.size), Ok(reached.len()), "{}", layout);
    prop_assert_eq!(image.holes, all - i64::try_from(inside).expect("is small"), "{}", layout);
    let bijective = injective && image.holes == 0 && inside == reached.len();
    prop_assert_eq!(map.is_bijective().expect("is small"), bijective, "{}", layout);
    if injective
        && !places.is_empty()
        && let Ok(inverse) = map.inverse()
    {
        for (point, place) in points(&extents(map.domain())).iter().zip(&places) {
            if place.iter().all(|x| *x >= 0) {
                prop_assert_eq!(&inverse.at(place).expect("is a place"), &Some(point.clone()), "{}", layout);
            }
        }
    }
    Ok(())
}

/// An extent, and the components of a stride.
type Leaf = (i64, Vec<(i64, &'static str)>);

/// A leaf; paths of either kind overlap with none of the same kind.
fn leaf(nested: bool) -> impl Strategy<Value = Leaf> {
    let paths = if nested { vec!["@0@0", "@1@0", "@2", "@0@1@3"] } else { vec!["@0", "@1", "@2"] };
    (select(vec![1i64, 1, 2, 2, 3, 4]), vec((select(vec![1i64, 1, 2, 3, 4, 6, -1]), select(paths)), 0..3))
}

fn stride(parts: &[(i64, &str)]) -> String {
    let mut unique: BTreeMap<&str, i64> = BTreeMap::new();
    for (factor, path) in parts {
        unique.entry(path).or_insert(*factor);
    }
    let text = unique.iter().map(|(path, factor)| format!("{factor}{path}")).collect::<Vec<_>>().join("+");
    if text.is_empty() { "0".into() } else { text.replace("+-", "-") }
}

/// Layouts of up to three modes of up to three leaves.
fn layouts() -> impl Strategy<Value = Layout> {
    any::<bool>().prop_flat_map(|nested| vec(vec(leaf(nested), 1..4), 1..4)).prop_map(|modes| {
        let list = |of: &dyn Fn(&Leaf) -> String| {
            let mode = |leaves: &Vec<_>| format!("({})", leaves.iter().map(of).collect::<Vec<_>>().join(","));
            format!("({})", modes.iter().map(mode).collect::<Vec<_>>().join(","))
        };
        layout(&format!("{}:{}", list(&|leaf| leaf.0.to_string()), list(&|leaf| stride(&leaf.1))))
    })
}

/// A layout after one into coordinates has one offset, whether it is evaluated or asked as a map.
#[test]
fn composed_layouts_are_their_maps() {
    for (outer, inner) in [
        ("(8,4):(1,10)", "(4,8):(1@1,1@0)"),
        ("(8,(2,2)):(1,(10,90))", "(4,8):(1@1,1@0)"),
        ("(8,3,4):(1,100,10)", "(4,8):(1@2,1@0)"),
        ("(8,4):(1@1,2@0)", "(4,8):(1@1,1@0)"),
        ("(8,1):(5,1)", "(8,1):(1@0,1@1)"),
        ("8:5", "8:1@0"),
        ("(8):(5)", "(1,3):(1@0@0,1@0)"),
        ("((2,4)):((1,10))", "(2,2,2):(4@0,1@0,2@0)"),
    ] {
        let composed = Function::compose(Function::Layout(layout(outer)), 0.into(), Function::Layout(layout(inner)));
        let map = Map::of_function(&composed).unwrap_or_else(|error| panic!("{composed}: {error}"));
        for point in points(&extents(map.domain())) {
            let entries: Vec<Int> = point.iter().map(|x| Int::from(*x)).collect();
            let coordinate = if point.len() == 1 { Tuple::leaf(entries[0].clone()) } else { Tuple::flat(&entries) };
            let place = composed.point_at(&coordinate).unwrap_or_else(|error| panic!("{composed}: {error}"));
            let row: Vec<i64> = place.leaves().iter().map(|n| n.as_number().expect("is static")).collect();
            assert_eq!(map.at(&point).expect("is small"), Some(row), "{composed} at {coordinate}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn layouts_come_back(layout in layouts()) {
        comes_back(&layout)?;
    }

    #[test]
    fn what_is_decided_is_enumerated(layout in layouts()) {
        decided(&layout)?;
    }

    #[test]
    fn same_is_enumerated(one in layouts(), other in layouts(), at in any::<prop::sample::Index>()) {
        // One that differs in a single stride, and any other.
        let mut strides: Vec<Stride> = one.strides().to_vec();
        let at = at.index(strides.len());
        strides[at] = other.strides()[0].clone();
        let near = with_strides(&one, &strides);
        for other in [Some(other), near] {
            let Some(other) = other else { continue };
            let (Ok(left), Ok(right)) = (Map::of_layout(&one), Map::of_layout(&other)) else { continue };
            let (mine, theirs) = (table(&one), table(&other));
            let Ok(verdict) = left.same(&right) else {
                let memory = |map: &Map| map.codomain().iter().any(|axis| axis.name.path().is_none());
                prop_assert!(memory(&left) != memory(&right), "{} and {}", one, other);
                continue;
            };
            if extents(left.domain()) == extents(right.domain()) {
                prop_assert_eq!(verdict.holds(), mine == theirs, "{} and {}", one, other);
            } else if left.domain().len() == right.domain().len() {
                prop_assert!(!verdict.holds());
            }
        }
    }
}

/// The same shape of nested modes with other strides, where they can be added.
fn with_strides(like: &Layout, strides: &[Stride]) -> Option<Layout> {
    let mut strides = strides.iter();
    let (mut shapes, mut steps) = (Vec::new(), Vec::new());
    for mode in like.modes() {
        let list = |texts: Vec<String>| format!("({})", texts.join(","));
        shapes.push(list(mode.extents().iter().map(ToString::to_string).collect()));
        steps.push(list(strides.by_ref().take(mode.extents().len()).map(ToString::to_string).collect()));
    }
    format!("({}):({})", shapes.join(","), steps.join(",")).parse().ok()
}

/// All layouts of two modes with strides of one or two of these components.
#[test]
fn small_layouts_come_back() {
    let strides = ["0", "1@0", "2@0", "-1@0", "1@1", "3@1", "1@0+1@1", "2@0-1@1"];
    for shape in [[1, 1], [1, 3], [3, 1], [2, 3], [0, 2], [4, 2]] {
        for one in strides {
            for other in strides {
                let layout = layout(&format!("({},{}):({one},{other})", shape[0], shape[1]));
                comes_back(&layout).and_then(|()| decided(&layout)).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
}

#[test]
fn coordinates_are_named_by_their_paths() {
    for (text, wanted) in [
        ("(4,8):(1@0,1@1)", "dim0:4, dim1:8 -> dim0:4, dim1:8"),
        ("((2,2),3):((1@0,2@1),1@0+1@1)", "dim0:4, dim1:3 -> dim0:4, dim1:5"),
        ("8:2@0@1", "dim0:8 -> dim1_0:15"),
        ("(4,8,2):(1@1@1,1@0@1,1@0)", "dim0:4, dim1:8, dim2:2 -> dim0:2, dim1_0:8, dim1_1:4"),
        ("(2,3):(1@10,1@9)", "dim0:2, dim1:3 -> dim9:3, dim10:2"),
        ("(1,4):(1@0,1@1)", "dim0:1, dim1:4 -> dim0:1, dim1:4"),
        ("(4,8):(0,0)", "dim0:4, dim1:8 -> offset:1"),
        // What is never added may be anything.
        ("(1,3):(7,1@0)", "dim0:1, dim1:3 -> dim0:3"),
    ] {
        assert_eq!(map(text).to_string(), wanted, "{text}");
    }
}

#[test]
fn what_cannot_be_added_is_refused() {
    for (text, code, words) in [
        ("(2,3):(1,1@0)", "kind", "an integer and a step of 1@0 cannot be added in (2,3):(1,1@0)"),
        ("(2,3):(1@0,1@1@0)", "kind", "a step of 1@0 and a step of 1@1@0 cannot be added in (2,3):(1@0,1@1@0)"),
        ("8:1@1@2@3@4@5@6@7", "too-large", "the name dim7_6_5_4_3_2_1 of a coordinate has 16 bytes"),
    ] {
        match Map::of_layout(&layout(text)) {
            Err(error) => {
                assert_eq!(error.code().as_str(), code, "{text}");
                assert!(error.message().contains(words), "{text}: {}", error.message());
            }
            Ok(map) => assert_eq!((code, map.codomain().len()), ("too-large", 1), "{text}"),
        }
    }
}

#[test]
fn the_calculator_knows_coordinates() {
    for (text, wanted) in [
        ("same((4,8):(1@0,1@1), (4,8):(1@0,1@1))", Ok("same")),
        ("same((4,8):(1@0,1@1), ((2,2),8):((1@0,2@0),1@1))", Ok("same")),
        (
            "same((4,8):(1@0,1@1), (4,8):(1@0,2@1))",
            Ok("different: dim0=0, dim1=1 is at dim0=0, dim1=1 in the first, at dim0=0, dim1=2 in the second"),
        ),
        // Coordinates that are left out are 0.
        ("same((4,1):(1@0,1@1), (4,1):(1@0,0))", Ok("same")),
        (
            "same((4,2):(1@0,1@1), (4,2):(1@0,0))",
            Ok("different: dim0=0, dim1=1 is at dim0=0, dim1=1 in the first, at dim0=0, dim1=0 in the second"),
        ),
        ("same((4,8):(1@0,1@1), (4,8):(1,4))", Err("dim-names-mismatch")),
        // They are the dims of a tensor.
        ("same((4,2):(1@0,1@1), linear<{dim0=[[1,0],[2,0]], dim1=[[0,1]]}, out=[dim0:4, dim1:2]>)", Ok("same")),
        (
            "diff((2,2):(1@0,1@1), (2,2):(1@1,1@0))",
            Ok(
                "different: 2 of 4 differ, within dim0 0 to 1, dim1 0 to 1\n(1,0) is at (1,0) in the first, at (0,1) in the second\n(0,1) is at (0,1) in the first, at (1,0) in the second",
            ),
        ),
        ("at((4,8):(1@1,2@0), (3,1))", Ok("(2,3)")),
        ("at(8:3@0@1, 2)", Ok("6")),
        ("is_bijective((4,8):(1@1,1@0))", Ok("true")),
        ("is_bijective((4,8):(-1@1,1@0))", Ok("false")),
        ("holes((4,8):(2@0,1@1))", Ok("24")),
        ("at(inverse((4,8):(1@1,1@0)), (7,3))", Ok("(3,7)")),
        ("preimages((4,8):(0,1@1), (3))", Ok("((0,3),(1,3),(2,3),(3,3))")),
        ("cycles((4,4):(1@1,1@0))", Ok("(2,10,4)")),
        ("convert((4,8):(1@1,1@0), cute)", Ok("(4,8):(1@1,1@0)")),
        ("convert(((2,2),8):((1@1,2@1),1@0), cute)", Ok("(4,8):(1@1,1@0)")),
        ("convert((4,2):(1@1,1@0), linear)", Ok("linear<{dim0=[[0,1],[0,2]], dim1=[[1,0]]}, out=[dim0:2, dim1:4]>")),
        ("convert(linear<{dim0=[[0,1],[0,2]], dim1=[[1,0]]}, out=[dim0:2, dim1:4]>, cute)", Ok("(4,2):(1@1,1@0)")),
        ("convert((4,8):(1@1,1@0), affine)", Ok("affine(affine_map<(d0, d1) -> (d1, d0)>, (4,8))")),
        ("convert((4,8):(1@1,1@0), strides)", Err("kind")),
        ("convert(8:1@0, strides)", Err("kind")),
        ("convert(8:1@0, mixed)", Err("not-a-layout")),
        ("convert(8:1@0, cute)", Ok("8:1@0")),
        ("bytes((4,8):(1@1,1@0), 16)", Err("kind")),
        // A layout after coordinates leads on to memory.
        ("convert(chain((8,4):(1,10), (4,8):(1@1,1@0)), cute)", Ok("(4,8):(10,1)")),
        ("convert(chain((8,3,4):(1,100,10), (4,8):(1@2,1@0)), cute)", Ok("(4,8):(10,1)")),
        ("convert(chain(f32[8,3,4]{1,2,0}, (4,8):(1@2,1@0)), cute)", Ok("(4,8):(3,12)")),
        ("at(chain((8,3,4):(1,100,10), (4,8):(1@1,1@0)), (3,1))", Err("profile")),
        ("at(chain((8,4):(1,10), (4,8):(-1@1,1@0)), (1,1))", Ok("-9")),
        ("at(chain((8,(2,2)):(1,(10,90)), (4,8):(-1@1,1@0)), (1,1))", Err("not-a-layout")),
        ("at(chain((4,8):(1@1,1@0), 8:5), 2)", Ok("(2,2)")),
        ("convert(chain((4,8):(1@1,1@0), 32:1), cute)", Ok("((4,8)):((1@1,1@0))")),
        ("at(chain(f32[8,4]{1,0}, (4,8):(-1@1,1@0)), (1,1))", Ok("padding")),
        ("convert(chain(f32[8,4]{1,0:T(2,2)}, (4,8):(1@1,1@0)), cute)", Ok("((2,2),(2,4)):((1,4),(2,8))")),
        ("at(Sw<1,0,1> o 0 o (4,8):(1@0,1@1), (1,1))", Err("not-a-layout")),
        ("at((2,3):(1,1@0), (1,1))", Err("kind")),
        // What the operations of CuTe say of such layouts.
        ("coalesce((1,4):(1@0,1@1), (1,1))", Ok("(1,4):(0,1@1)")),
        ("composition((4,8):(1@0,1@1), (2,2):(1,4))", Ok("(2,2):(1@0,1@1)")),
        ("coshape((4,8):(1@0,1@2))", Ok("(4,1,8)")),
        ("crd2idx((1,1), (2,3):(1,1@0))", Err("kind")),
        ("crd2idx((0,1), (1,3):(1,1@0))", Ok("(1)")),
        ("crd2idx((0,2), (1,3):(1@0@0,1@0))", Ok("(2)")),
        // A coordinate that happens to end in zeros, or to be all there is.
        ("crd2idx((0,1), (8,4):(1,10) o 0 o (4,8):(1@1,1@0))", Ok("1")),
        ("offsets((8,4):(1,10) o 0 o (2,2):(1@1,1@0))", Ok("(0,10,1,11)")),
        ("crd2idx((1,0), (8,4):(1@1,1@0) o 0 o (4,8):(1@1,1@0))", Ok("(1,0)")),
        ("crd2idx((0,0), (8,4):(1@1,1@0) o 0 o (4,8):(1@1,1@0))", Ok("(0,0)")),
        ("crd2idx(3, 8:5 o 0 o 8:1@0)", Ok("15")),
        ("crd2idx(3, (2,4):(1,10) o 0 o 8:1@0)", Err("profile")),
        ("crd2idx(0, (2,4):(1,10) o 0 o 8:1@0)", Err("profile")),
        ("crd2idx((3,1), (8,3,4):(1,100,10) o 0 o (4,8):(1@1,1@0))", Err("profile")),
        ("crd2idx((0,1), (8,3,4):(1,100,10) o 0 o (4,8):(1@1,1@0))", Err("profile")),
        ("crd2idx((1,1), Sw<1,0,1> o 0 o (4,8):(1@0,1@1))", Err("profile")),
    ] {
        assert_eq!(said(text).as_deref().map_err(|code| *code), wanted, "{text}");
    }
    let answer = evaluate("same((4,8):(1@0,1@1), (4,8):(1@0,1@1))").expect("is the same");
    assert!(matches!(answer.value, Value::Verdict(_)));
    assert_eq!(answer.notes[0], "compared: dim0:4, dim1:8; coordinates (dim0, dim1)");
}

/// `L(R(L(i))) = L(i)`, and `R(L(i)) = i` where L has no place twice, for every layout of three modes into two coordinates.
#[test]
fn left_inverses_come_back_from_coordinates() {
    use bitstride::cute::left_inverse;
    let steps = ["0", "1@0", "2@0", "6@0", "1@0@1", "2@0@1", "1@1@1", "3@1@1"];
    let (mut answered, mut whole) = (0, 0);
    let choices = || steps.iter().flat_map(|step| [2, 3].map(|extent| (extent, *step)));
    for (a, x) in choices() {
        for (b, y) in choices() {
            for (c, z) in choices() {
                let text = format!("({a},{b},{c}):({x},{y},{z})");
                let layout = layout(&text);
                let places: Vec<Stride> =
                    (0..a * b * c).map(|index| layout.offset(&Int::from(index)).expect("small")).collect();
                let once = places.iter().map(ToString::to_string).collect::<HashSet<_>>().len() == places.len();
                let Ok(inverse) = left_inverse(&layout) else { continue };
                answered += 1;
                whole += usize::from(once);
                let plain: reference::Layout = inverse.to_string().parse().expect("a layout");
                for (index, place) in (0..).zip(&places) {
                    let point: reference::Point = place.to_string().parse().expect("a place");
                    let back = plain.offset_at(&point).and_then(|back| back.to_int()).expect("an index");
                    assert!(!once || back == index, "{text}: {place} comes back as {back} through {inverse}");
                    let again = layout.offset(&Int::from(back)).map(|place| place.to_string());
                    assert_eq!(again, Ok(place.to_string()), "{text}: {inverse}");
                }
            }
        }
    }
    assert!(answered > 2700 && whole > 1400, "{answered} answers, {whole} to layouts without a place twice");
}

#[test]
fn a_stride_along_several_coordinates_has_no_left_inverse_here() {
    for text in
        ["left_inverse((4,3):(1@0+1@1,1@1))", "left_inverse((4,3):(1@0,1@0@1+1@1@1))", "left_inverse((4,3):(1,1@0))"]
    {
        assert_eq!(said(text), Err("kind"), "{text}");
    }
    assert_eq!(said("left_inverse((4,5):(1@1,1@0))"), Ok("(5,4):(4,1)".into()));
    assert_eq!(said("left_inverse((2,3,4):(2@0,1@1,8@0))"), Ok("((2,4,4),3):((0,1,6),2)".into()));
}
