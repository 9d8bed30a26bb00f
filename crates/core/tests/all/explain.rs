//! What `explain` promises: every step evaluates to its value, the last value is the answer, and the sums, products and
//! quotients in its sentences are true.

use bitstride_lang::explain::{Explanation, explain};
use bitstride_lang::{evaluate, operations};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Holds an explanation to its laws; gives how many equations its sentences state.
fn check(text: &str) -> Result<usize, TestCaseError> {
    let Ok(explanation) = explain(text) else { return Ok(0) };
    let mut equations = 0;
    for step in explanation.steps() {
        let value = evaluate(&step.expression)
            .map_err(|error| TestCaseError::fail(format!("{text}: {}: {error}", step.expression)))?
            .value;
        prop_assert_eq!(value.to_string(), step.value.to_string(), "{}: {}", text, &step.expression);
        equations += stated(&step.rule).map_err(|wrong| TestCaseError::fail(format!("{text}: {wrong}")))?;
        prop_assert!(step.rule.ends_with(['.', ':']), "{}: {}", text, &step.rule);
    }
    match (evaluate(text), &explanation.outcome) {
        (Ok(answer), Ok(explained)) => {
            prop_assert_eq!(&answer, explained, "{}", text);
            let last = explanation.steps().last().map(|step| step.value.to_string());
            prop_assert_eq!(last, Some(answer.value.to_string()), "{}", text);
        }
        (Err(error), Err(explained)) => prop_assert_eq!(&error, explained, "{}", text),
        (answer, explained) => prop_assert!(false, "{text}: {answer:?} but {explained:?}"),
    }
    prop_assert!(explanation.to_string().lines().all(|line| !line.ends_with(' ')), "{}\n{explanation}", text);
    Ok(equations)
}

/// Checks each `6/3 = 2`, `1*3 + 2*1 = 5 < 6` of a sentence; gives how many there are.
fn stated(sentence: &str) -> Result<usize, String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut count = 0;
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == "=") {
        let Some(right) = words.get(at + 1).and_then(|word| number(word)) else { continue };
        let mut start = at;
        while start > 0 && words[start - 1].chars().all(|c| c.is_ascii_digit() || "+*/-".contains(c)) {
            start -= 1;
        }
        let left = words[start..at].concat();
        if !left.contains(['*', '/', '+']) {
            continue;
        }
        let value = sum(&left).ok_or_else(|| format!("`{left}` is no sum in: {sentence}"))?;
        if value != right {
            return Err(format!("{left} is {value}, not {right}: {sentence}"));
        }
        if words.get(at + 2) == Some(&"<") {
            let bound = words.get(at + 3).and_then(|word| number(word)).unwrap_or(i64::MIN);
            if right >= bound {
                return Err(format!("{right} < {bound}: {sentence}"));
            }
        }
        count += 1;
    }
    Ok(count)
}

fn number(word: &str) -> Option<i64> {
    word.trim_end_matches(['.', ',', ';', ':', ')']).parse().ok()
}

/// A sum of products and exact quotients.
fn sum(text: &str) -> Option<i64> {
    text.split('+').map(product).sum()
}

fn product(text: &str) -> Option<i64> {
    if let Some((a, b)) = text.split_once('/') {
        let (a, b): (i64, i64) = (a.parse().ok()?, b.parse().ok()?);
        return (a.checked_rem(b)? == 0).then(|| a / b);
    }
    text.split('*').map(|factor| factor.parse::<i64>().ok()).product()
}

fn steps(text: &str) -> Vec<String> {
    let explanation = explain(text).expect(text);
    explanation.steps().map(|step| format!("{} = {}", step.expression, step.value)).collect()
}

fn rules(explanation: &Explanation) -> String {
    explanation.steps().map(|step| step.rule.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_operation_is_explained() {
    for operation in operations() {
        assert!(check(operation.example).is_ok(), "{}", operation.example);
        let explanation = explain(operation.example).expect(operation.example);
        assert!(explanation.steps().count() > 0, "{}", operation.example);
    }
}

#[test]
fn a_composition_is_walked_mode_by_mode() {
    assert_eq!(
        steps("composition((6,2):(8,2), (4,3):(3,1))"),
        [
            "composition((6,2):(8,2), 4:3) = (2,2):(24,2)",
            "composition((6,2):(8,2), 3:1) = 3:8",
            "make_layout((2,2):(24,2), 3:8) = ((2,2),3):((24,2),8)",
        ]
    );
    // 6/3 = 2, 3*8 = 24, 4/2 = 2, 1*2 = 2; 1*8 = 8; 1*3 + 2*1 = 5.
    assert_eq!(check("composition((6,2):(8,2), (4,3):(3,1))").ok(), Some(6));
    let explanation = explain("composition((6,2):(8,2), (4,3):(3,1))").expect("composes");
    assert!(rules(&explanation).contains("in 6:8 they reach 1*3 + 2*1 = 5 < 6"), "{explanation}");
}

#[test]
fn a_refusal_is_explained_at_its_witness() {
    let explanation = explain("composition((6,2):(1,7), (3,2):(2,3))").expect("is read");
    assert!(explanation.outcome.is_err() && explanation.table.is_empty());
    let steps = steps("composition((6,2):(1,7), (3,2):(2,3))");
    for wanted in [
        "crd2idx(crd2idx(5, (3,2):(2,3)), (6,2):(1,7)) = 8",
        "4+3 = 7",
        "chain((6,2):(1,7), (3,2):(2,3)) = (6,2):(1,7) o 0 o (3,2):(2,3)",
    ] {
        assert!(steps.iter().any(|step| step == wanted), "{wanted} in {steps:#?}");
    }
}

#[test]
fn coalescing_passes_a_state_from_step_to_step() {
    assert_eq!(
        steps("coalesce((2,(1,6)):(1,(6,2)))"),
        [
            "flatten((2,(1,6)):(1,(6,2))) = (2,1,6):(1,6,2)",
            "remove((2,1,6):(1,6,2), 1) = (2,6):(1,2)",
            "coalesce[0](group((2,6):(1,2), 0, 2)) = (12):(1)",
            "coalesce((12):(1)) = 12:1",
        ]
    );
}

#[test]
fn inner_calls_come_first() {
    let explanation = explain("size(coalesce((2,4):(1,2)))").expect("is read");
    let titles: Vec<&str> = explanation.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["coalesce((2,4):(1,2))", "size(8:1)"]);
    check("composition[1](make_layout(12:1, 4:2 o 2:2), 1)").expect("laws hold");
    check("(size((2,3)), 4):(1, cosize(6:1)) o 3:2 o 1:1").expect("laws hold");
}

#[test]
fn facts_about_dynamic_integers_are_said() {
    let explanation = explain("composition((10?,2?):(16,M), (5?,4?):(1,5))").expect("is read");
    let said = explanation.assumptions.join(" ");
    assert!(said.contains("Dynamic") && said.contains("Unknown") && said.contains('M'), "{said}");
    assert!(explain("4:1").expect("is read").assumptions.is_empty());
}

#[test]
fn properties_are_in_the_table() {
    let explanation = explain("Sw<2,0,3> o 0 o (8,4):(4,1)").expect("is read");
    let table: Vec<String> = explanation.table.iter().map(|row| format!("{}={}", row.name, row.value)).collect();
    for wanted in ["shape=(8,4)", "size=32", "cosize=32", "swizzle=bits 3 and 4 are xored onto bits 0 and 1"] {
        assert!(table.iter().any(|row| row == wanted), "{wanted} in {table:?}");
    }
    let injective = |text: &str| {
        let table = explain(text).expect(text).table;
        table.iter().find(|row| row.name == "injective").map(|row| row.value.clone()).unwrap_or_default()
    };
    assert_eq!(injective("(4,8):(8,1)"), "yes, and compact: the offsets are 0 to 31, each once");
    assert_eq!(injective("(4,8):(9,1)"), "yes");
    assert_eq!(injective("(4,2):(1,3)"), "no: 3 steps of 1 and 1 of 3 are equally long");
    assert_eq!(injective("(4,2):(1,0)"), "no: the mode 2:0 repeats one place 2 times");
    assert_eq!(injective("(2,2,2):(1,2,3)"), "no: two coordinates share an offset");
    assert_eq!(injective("(4?,2):(1,3)"), "");
}

#[test]
fn many_modes_end_in_the_answer_all_the_same() {
    let ones = vec!["1"; 300].join(",");
    let text = format!("coalesce(({ones},4):({ones},2))");
    check(&text).expect("laws hold");
    assert!(explain(&text).expect("is read").steps().count() <= 101);
}

#[test]
fn the_integers_of_cpp_are_kept() {
    let text = "composition((_10,_2):(_16,_4), (_5,_4):(_1,_5))";
    let explanation = bitstride_lang::explain::explain_with(text, bitstride::notation::Ints::Cpp).expect("is read");
    let shown = explanation.to_string();
    assert!(shown.contains("composition((_10,_2):(_16,_4), _4:_5) = (_2,_2):(_80,_4)"), "{shown}");
}

fn extent() -> impl Strategy<Value = String> {
    select(vec!["1", "2", "3", "4", "6", "8"]).prop_map(str::to_owned)
}

fn stride() -> impl Strategy<Value = String> {
    select(vec!["0", "1", "2", "3", "4", "6", "8", "12", "24", "-2"]).prop_map(str::to_owned)
}

/// A layout of up to three modes, one of them perhaps nested.
fn layout() -> impl Strategy<Value = String> {
    let leaf = (extent(), stride()).prop_map(|(n, d)| (n, d));
    let pair =
        (extent(), stride(), extent(), stride()).prop_map(|(n, d, m, e)| (format!("({n},{m})"), format!("({d},{e})")));
    let mode = prop_oneof![4 => leaf, 1 => pair];
    prop_oneof![
        2 => (extent(), stride()).prop_map(|(n, d)| format!("{n}:{d}")),
        5 => vec(mode, 1..4).prop_map(|modes| {
            let (shape, stride): (Vec<String>, Vec<String>) = modes.into_iter().unzip();
            format!("({}):({})", shape.join(","), stride.join(","))
        }),
    ]
}

fn shape() -> impl Strategy<Value = String> {
    prop_oneof![
        extent(),
        vec(extent(), 1..4).prop_map(|entries| format!("({})", entries.join(","))),
        (extent(), extent(), extent()).prop_map(|(a, b, c)| format!("({a},({b},{c}))")),
    ]
}

fn tiler() -> impl Strategy<Value = String> {
    prop_oneof![
        layout(),
        extent(),
        vec(prop_oneof![3 => layout(), 2 => extent(), 1 => Just("_".to_owned())], 1..3)
            .prop_map(|entries| format!("<{}>", entries.join(", "))),
    ]
}

fn coordinate() -> impl Strategy<Value = String> {
    let entry = select(vec!["0", "1", "2", "5", "_"]).prop_map(str::to_owned);
    prop_oneof![entry.clone(), vec(entry, 1..4).prop_map(|entries| format!("({})", entries.join(",")))]
}

fn named(names: &[&'static str]) -> impl Strategy<Value = &'static str> {
    select(names.to_vec())
}

fn expression() -> impl Strategy<Value = String> {
    let one = named(&[
        "coalesce",
        "filter",
        "filter_zeros",
        "right_inverse",
        "left_inverse",
        "nullspace",
        "complement",
        "make_layout_like",
        "make_fragment_like",
        "column_major",
        "row_major",
        "cosize",
        "flatten",
        "stride",
        "offsets",
    ]);
    let tiled = named(&[
        "composition",
        "logical_divide",
        "zipped_divide",
        "tiled_divide",
        "flat_divide",
        "logical_product",
        "zipped_product",
        "tiled_product",
        "flat_product",
    ]);
    let two = named(&[
        "composition",
        "blocked_product",
        "raked_product",
        "max_common_layout",
        "max_common_vector",
        "layout_add",
        "complement",
        "chain",
    ]);
    let shaped = named(&["complement", "tile_to_shape", "with_shape", "coalesce", "filter", "local_partition"]);
    let shapes = named(&["shape_div", "shape_mod", "ceil_div", "make_ordered_layout", "compatible"]);
    let cast = named(&["upcast", "downcast"]);
    let at = named(&["slice", "dice"]);
    prop_oneof![
        (one, layout()).prop_map(|(name, a)| format!("{name}({a})")),
        (tiled, layout(), tiler()).prop_map(|(name, a, b)| format!("{name}({a}, {b})")),
        (two, layout(), layout()).prop_map(|(name, a, b)| format!("{name}({a}, {b})")),
        (shaped, layout(), shape()).prop_map(|(name, a, b)| match name {
            "local_partition" => format!("local_partition({a}, {b}, 1)"),
            _ => format!("{name}({a}, {b})"),
        }),
        (shapes, shape(), shape()).prop_map(|(name, a, b)| format!("{name}({a}, {b})")),
        (layout(), shape(), shape()).prop_map(|(a, s, order)| format!("tile_to_shape({a}, {s}, {order})")),
        (cast, layout(), extent()).prop_map(|(name, a, n)| format!("{name}({a}, {n})")),
        (layout(), extent(), extent()).prop_map(|(a, n, m)| format!("recast({a}, {n}, {m})")),
        (at, layout(), coordinate()).prop_map(|(name, a, c)| format!("{name}({a}, {c})")),
        (layout(), tiler(), coordinate()).prop_map(|(a, b, c)| format!("local_tile({a}, {b}, {c})")),
        (coordinate(), layout()).prop_map(|(c, a)| format!("crd2idx({c}, {a})")),
        (0..40_i64, shape()).prop_map(|(i, s)| format!("idx2crd({i}, {s})")),
        (coordinate(), shape(), shape()).prop_map(|(c, s, t)| format!("crd2crd({c}, {s}, {t})")),
        (layout(), coordinate()).prop_map(|(a, c)| format!("slice(Sw<1,1,2> o 2 o {a}, {c})")),
        (layout(), layout()).prop_map(|(a, b)| format!("Sw<2,0,2> o {a} o {b}")),
        (layout(), layout()).prop_map(|(a, b)| format!("{a} o Sw<1,0,1> o 0 o {b}")),
        (coordinate(), layout()).prop_map(|(c, a)| format!("crd2idx({c}, Sw<2,1,2> o 3 o {a})")),
    ]
}

/// The same text with some integers made dynamic or unknown.
fn softened(text: &str, choices: &[u8]) -> String {
    let mut out = String::new();
    let mut choices = choices.iter().cycle();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        let ends = letter.is_ascii_digit() && !letters.peek().is_some_and(char::is_ascii_alphanumeric);
        if ends && choices.next() == Some(&0) {
            out.push('?');
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn steps_hold_and_end_at_the_answer(text in expression()) {
        check(&text)?;
    }

    #[test]
    fn nested_steps_hold(inner in expression(), name in named(&["coalesce", "size", "filter", "right_inverse"]), b in tiler()) {
        check(&format!("{name}({inner})"))?;
        check(&format!("composition({inner}, {b})"))?;
    }

    #[test]
    fn dynamic_steps_hold(text in expression(), choices in vec(0..4_u8, 1..12)) {
        check(&softened(&text, &choices))?;
    }
}

#[test]
fn an_encoding_is_fitted_step_by_step() {
    let blocked =
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>";
    let mma = |version: u32, shape: &str| {
        format!(
            "#ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = {shape}}}>"
        )
    };
    let two = mma(2, "[16, 8]");
    for text in [
        format!("tensor<64x128xf16, {blocked}>"),
        format!("tensor<8x8xf16, {blocked}>"),
        format!("tensor<128x128xf32, {two}>"),
        format!("tensor<64x128xf32, {}>", mma(3, "[16, 64, 16]")),
        format!("tensor<64xf32, #ttg.slice<{{dim = 0, parent = {two}}}>>"),
        format!("tensor<64xf32, #ttg.slice<{{dim = 1, parent = {blocked}}}>>"),
        "!ttg.memdesc<8x16xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>, #ttg.shared_memory>"
            .to_owned(),
    ] {
        assert!(check(&text).is_ok(), "{text}");
        let explanation = explain(&text).expect(&text);
        let rules = rules(&explanation);
        // The last step of the walk is the answer itself; nothing had to be closed.
        assert!(explanation.steps().count() > 1 && !rules.contains("Altogether"), "{text}\n{rules}");
    }
}

/// The steps of an array of XLA and of the questions about it.
#[test]
fn an_index_goes_through_the_tiles() {
    assert_eq!(
        steps("linear_index(f32[3,5]{1,0:T(2,2)}, (2,3))"),
        [
            "tiled_index(f32[3,5]{1,0}, (2,3)) = (2,3)",
            "tiled_index(f32[3,5]{1,0:T(2,2)}, (2,3)) = (1,1,0,1)",
            "crd2idx((1,1,0,1), row_major((2,3,2,2))) = 17",
        ]
    );
    assert_eq!(
        steps("index_at(f32[3,5]{0,1:T(2,2)}, 14)"),
        [
            "crd2idx((1,1,1,0), row_major((3,2,2,2))) = 14",
            "(1*2+1,1*2+0) = (3,2)",
            "index_at(f32[3,5]{0,1:T(2,2)}, 14) = (2,3)",
        ]
    );
    let padding = explain("index_at(f32[3,5]{1,0:T(2,2)}, 18)").expect("is read");
    assert!(rules(&padding).contains("1*2 + 1 = 3, but dim 0 has only 3"), "{padding}");
    let tail = explain("index_at(f32[3]{0:T(2)L(8)}, 5)").expect("is read");
    assert!(rules(&tail).contains("multiple of L(8)"), "{tail}");
    // The tile steps, the merge and the count say true equations.
    assert!(check("linear_index(f32[4,11,10]{2,1,0:T(2,*,3)}, (3,10,9))").is_ok_and(|equations| equations >= 4));
}

#[test]
fn an_array_is_built_tile_by_tile() {
    let steps = steps("s4[16,250]{1,0:T(8,128)(2,1)L(8192)E(4)}");
    for wanted in [
        "physical_dims(s4[16,250]{1,0:T(8,128)(2,1)L(8192)E(4)}) = (16,250)",
        "tiled_dims(s4[16,250]{1,0:T(8,128)}) = (2,2,8,128)",
        "tiled_dims(s4[16,250]{1,0:T(8,128)(2,1)}) = (2,2,4,128,2,1)",
        "size((16,250)) = 4000",
        "padded_size(s4[16,250]{1,0:T(8,128)(2,1)}) = 4096",
        "padded_size(s4[16,250]{1,0:T(8,128)(2,1)L(8192)E(4)}) = 8192",
        "byte_size(s4[16,250]{1,0:T(8,128)(2,1)L(8192)E(4)}) = 4096",
    ] {
        assert!(steps.iter().any(|step| step == wanted), "{wanted} in {steps:#?}");
    }
    assert!(check("f32[11,10]{1,0:T(*,3)}").is_ok_and(|equations| equations > 0));
    for text in ["f32[]", "f32[?]{0}", "f32[0,5]{1,0:T(8,128)}", "b(f32[3]{0:T(2)})", "token[]", "(f32[2]{0}, s32[])"] {
        assert!(check(text).is_ok(), "{text}: {:?}", check(text));
    }
}

#[test]
fn two_memories_are_compared_digit_by_digit() {
    let text = "reshape_is_bitcast(f32[8,4,4]{2,1,0:T(8,8)(2,1)}, f32[8,4,4]{2,1,0})";
    let explanation = explain(text).expect("is read");
    let said = rules(&explanation);
    assert!(said.contains("a digit that differs is (2,1,4,2) in the first and (2,1,4,1) in the second"), "{said}");
    let steps = steps(text);
    assert!(steps.iter().any(|step| step.starts_with("linear_index(f32[8,4,4]{2,1,0}, ")), "{steps:#?}");
    let runs =
        explain("same_memory(f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}, f32[112,110]{1,0:T(2,3)})").expect("is read");
    assert!(rules(&runs).contains("have 112 and 110 elements"), "{runs}");
    let carry = explain("same_memory(f32[4,11,10]{2,1,0:T(2,*,3)}, f32[4,11,10]{2,1,0})").expect("is read");
    assert!(rules(&carry).contains("carry"), "{carry}");
    for text in [
        "same_memory(f32[4]{0}, f32[5]{0})",
        "same_memory(f32[4]{0}, bf16[4]{0})",
        "same_memory(f32[4]{0}, f32[4]{0:L(8)})",
        "same_memory(f32[0,4]{1,0}, f32[0]{0})",
        "same_memory(f32[], f32[1,1]{1,0:T(8)})",
        "transpose_is_bitcast(f32[3,5]{1,0}, f32[5,3]{1,0}, (1,0))",
        "transpose_is_bitcast(f32[3,5]{1,0:T(2,2)}, f32[5,3]{0,1:T(2,2)}, (1,0))",
        "decompose_bitcast(f32[3,5]{1,0}, f32[5,3]{0,1})",
        "align_layouts(f32[4,6,2]{2,0,1}, f32[4,3,2,2]{3,2,1,0})",
        "move_dim(f32[2,3,5]{2,1,0}, 0, 2)",
    ] {
        assert!(check(text).is_ok(), "{text}: {:?}", check(text));
    }
}

/// An array of XLA, valid or not.
fn array(rank: usize) -> impl Strategy<Value = String> {
    let dims = vec(select(vec![1, 2, 3, 4, 5, 7, 8, 12, 0]), rank);
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let tile = (vec(select(vec!["1", "2", "3", "4", "8", "*"]), 0..3), select(vec!["1", "2", "3", "4", "128"]));
    let tail = select(vec!["", "", "L(8)", "L(7)", "E(4)", "S(1)"]);
    (select(vec!["f32", "s4", "pred"]), dims, order, vec(tile, 0..4), tail).prop_map(
        |(element, dims, order, tiles, tail)| {
            let joined = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let tiles: Vec<String> = tiles
                .iter()
                .map(|(more, last)| format!("({})", [more.as_slice(), &[*last]].concat().join(",")))
                .collect();
            let tiles = if tiles.is_empty() { String::new() } else { format!("T{}", tiles.concat()) };
            let fields = format!("{tiles}{tail}");
            let colon = if fields.is_empty() { "" } else { ":" };
            let dims = joined(&dims);
            if order.is_empty() {
                format!("{element}[]")
            } else {
                format!("{element}[{dims}]{{{}{colon}{fields}}}", joined(&order))
            }
        },
    )
}

/// A question about arrays of XLA.
fn question() -> impl Strategy<Value = String> {
    let any = || (0..4_usize).prop_flat_map(array);
    let pair = (0..4_usize).prop_flat_map(|rank| {
        (array(rank), array(rank), vec(0..6_i64, rank), Just((0..rank).collect::<Vec<_>>()).prop_shuffle())
    });
    let one = named(&[
        "tiled_dims",
        "padded_size",
        "byte_size",
        "padding",
        "is_untiled",
        "element_strides",
        "byte_strides",
        "drop_unit_dims",
        "digits",
        "describe_tiles",
        "to_jax",
        "to_mosaic",
        "affine_map",
    ]);
    let two = named(&[
        "same_memory",
        "reshape_is_bitcast",
        "decompose_bitcast",
        "deduce_transpose",
        "common_digits",
        "align_layouts",
    ]);
    let text = |numbers: Vec<String>| format!("({})", numbers.join(","));
    prop_oneof![
        2 => any(),
        2 => (one, any()).prop_map(|(name, a)| format!("{name}({a})")),
        2 => (two, any(), any()).prop_map(|(name, a, b)| format!("{name}({a}, {b})")),
        1 => any().prop_map(|a| format!("with_layout({}, to_jax({a}))", a.split('{').next().unwrap_or_default())),
        6 => (0..5_u8, pair, 0..300_i64).prop_map(move |(kind, (a, b, index, order), offset)| {
            let index = text(index.iter().map(i64::to_string).collect());
            let order = text(order.iter().map(usize::to_string).collect());
            let renamed = format!("permute_dims({a}, {order})");
            match kind {
                0 => format!("linear_index({a}, {index})"),
                1 => format!("index_at({a}, {offset})"),
                2 => renamed,
                3 => format!("transpose_is_bitcast({a}, {renamed}, {order})"),
                _ => format!("same_memory({}{}, {b})", a.split('{').next().unwrap_or_default(), b.find('{').map_or("", |at| &b[at..])),
            }
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn arrays_are_explained_to_the_end(text in question()) {
        check(&text)?;
        let Ok(explanation) = explain(&text) else { return Err(TestCaseError::fail(text)) };
        // These walks have no gap that the call itself would have to close.
        let whole = ["linear_index", "index_at", "tiled_dims", "padded_size", "byte_size", "padding", "same_memory", "reshape"];
        if explanation.outcome.is_ok() && whole.iter().any(|name| text.starts_with(name)) {
            prop_assert!(!rules(&explanation).contains("Altogether"), "{explanation}");
        }
    }
}
