//! The vectors run as tests, and the runner is tested by telling it lies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use bitstride::linear::{LinearLayout, Name};
use bitstride_lang::{Value as Calculated, evaluate};
use serde_json::{Value, json};

use super::held::held;
use super::judge::{self, State};
use super::operation::Ours;
use super::pending::{self, Pattern};
use super::row::{self, Row};
use super::rules::{self, RULES};
use super::run::{self, Run};
use super::{docs, nv, root, round_trip, triton, unknown};

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| row::below(&root().join("testdata")).expect("testdata is readable"));
static PENDING: LazyLock<Vec<Pattern>> = LazyLock::new(|| pending::listed(&root()).expect("pending.txt is readable"));
static RUN: LazyLock<Run<'static>> = LazyLock::new(|| run::run(&ROWS, &PENDING));

fn row(file: &str, fields: Value) -> Row {
    Row::read(file, &fields.to_string()).expect("a row")
}

fn state(file: &str, fields: Value) -> State {
    judge::verdict(&row(file, fields)).state
}

#[test]
fn every_row_agrees_or_is_documented() {
    let count = RUN.count();
    assert!(count.failing == 0, "{}{}", RUN.failing(3), RUN.table());
    assert!(count.agree > 23_000 && count.documented > 1000, "{}", RUN.table());
}

#[test]
fn every_layout_survives_the_round_trip() {
    let trips = round_trip::run(&ROWS);
    assert!(trips.hold(), "{}{}", trips.failing(20), trips.table());
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    let coordinates: usize = trips.files().values().map(|count| count.coordinates).sum();
    assert_eq!(coordinates, 461, "{}", trips.table());
    for (file, count) in trips.files() {
        assert_eq!(count.same_text, count.canonical, "{file}");
        assert!(count.longer <= 3, "{file}: {}", trips.table());
        for (code, times) in &count.refused {
            assert_eq!(file, "xla/parse", "{times} {code}");
            *refused.entry(code).or_default() += times;
        }
    }
    // Arrays that name dims they do not have, or whose bytes no integer counts, have no places.
    assert_eq!(refused, BTreeMap::from([("invalid-layout", 38), ("overflow", 3)]), "{}", trips.table());
}

/// Memory that holds each element once has an attribute of its bases, which is the same layout and has itself as its attribute.
#[test]
fn shared_memory_comes_back_as_its_bases() {
    let mut layouts = BTreeMap::new();
    for (text, value) in ROWS.iter().filter(|row| triton::owns(&row.file)).flat_map(held) {
        if let Calculated::Linear(layout) = value
            && layout.in_dim(Name::OFFSET).is_some()
            && layout.ins().iter().all(|dim| matches!(dim.name, Name::OFFSET | Name::BLOCK))
            && layout.is_invertible()
            && let Some(shape) = shape(&layout)
        {
            layouts.insert(text, shape);
        }
    }
    assert_eq!(layouts.len(), 2249);
    let said =
        |text: &str| evaluate(text).map(|answer| answer.value.to_string()).map_err(|why| format!("{text}: {why}"));
    for (text, shape) in &layouts {
        let attribute = said(&format!("convert({text}, triton)")).expect("is one");
        let back = format!("to_linear({attribute}, {shape})");
        assert_eq!(said(&format!("same({text}, {back})")), Ok("same".into()), "{attribute}");
        assert_eq!(said(&format!("convert({back}, triton)")), Ok(attribute), "{text}");
    }
}

/// The shape of the tensor that a layout leads to, where it has dims for names.
fn shape(layout: &LinearLayout) -> Option<String> {
    let size = |at: usize| layout.out_dim(Name::dim(at)).map(|(dim, _)| dim.size().to_string());
    let sizes = (0..layout.outs().len()).map(size).collect::<Option<Vec<_>>>()?;
    Some(format!("({})", sizes.join(",")))
}

#[test]
fn what_is_pending_does_not_pass() {
    assert_eq!(RUN.built(&PENDING).iter().map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    let unused: Vec<_> = PENDING.iter().filter(|pattern| !ROWS.iter().any(|row| pattern.holds(row))).collect();
    assert!(unused.iter().all(|pattern| pattern.to_string().ends_with('*')), "no rows: {unused:?}");
}

#[test]
fn every_rule_is_used_for_each_operation_and_system() {
    let mut used = BTreeSet::new();
    for (row, verdict) in &RUN.verdicts {
        if let State::Documented(uses) = &verdict.state {
            let read = nv::translated(row);
            let row = read.as_ref().unwrap_or(row);
            for (answer, rule) in uses {
                let (op, system) = rules::answered(row, answer);
                used.insert((*rule, op.to_owned(), system.to_owned()));
            }
        }
    }
    let mut dead = Vec::new();
    for (at, rule) in RULES.iter().enumerate() {
        for op in rule.ops {
            let systems: Vec<_> = rule
                .systems
                .iter()
                .filter(|system| used.contains(&(at, (*op).to_owned(), (**system).to_owned())))
                .collect();
            if systems.is_empty() {
                dead.push(format!("{op} of any system: {:?} {}", rule.kind, rule.reason));
            }
        }
        for system in rule.systems {
            if !used.iter().any(|(rule, _, used)| *rule == at && used == system) {
                dead.push(format!("any operation of {system}: {:?} {}", rule.kind, rule.reason));
            }
        }
    }
    assert!(dead.is_empty(), "rules that cover no row: {dead:#?}");
}

#[test]
fn the_page_of_differences_is_current() {
    let page = fs::read_to_string(root().join(docs::PATH)).unwrap_or_default();
    assert!(page == docs::page(&RUN), "run `cargo xtask vectors --write-docs`");
}

/// The text with its n-th digit another one; a verdict and no result have one other each.
fn flipped(text: &str, n: usize) -> Option<String> {
    if matches!(text, "true" | "false" | "null") {
        return (n == 0).then(|| if text == "true" { "false" } else { "true" }.to_owned());
    }
    let (at, digit) = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).nth(n)?;
    let other = if digit == '9' { '8' } else { char::from_digit(digit.to_digit(10)? + 1, 10)? };
    Some(format!("{}{other}{}", text.get(..at)?, text.get(at + 1..)?))
}

#[test]
fn a_row_that_is_altered_does_not_stay_as_it_was() {
    const ROWS_OF_EACH: usize = 3;
    const DIGITS: usize = 6;
    let mut tried: BTreeMap<(&str, &str, bool), usize> = BTreeMap::new();
    for (row, verdict) in &RUN.verdicts {
        let first = row.answers.first().map(|(system, _)| *system);
        let read = match &verdict.state {
            State::Agree => true,
            State::Documented(uses) => uses.iter().all(|(system, _)| Some(*system) != first),
            State::Failing(_) => false,
        };
        // Only rows of Triton say why they refuse.
        let refused = triton::owns(&row.file) && row.fields.contains_key("error");
        if refused && !matches!(verdict.ours, Ours::Refused(_)) {
            continue;
        }
        let answered = matches!(verdict.ours, Ours::Answer(_)) || refused;
        let tried = tried.entry((&row.file, &row.op, refused)).or_default();
        if !answered || !read || *tried == ROWS_OF_EACH {
            continue;
        }
        *tried += 1;
        for n in 0..DIGITS {
            let mut altered = Row::clone(row);
            let Some((_, reference)) = altered.answers.first_mut() else { continue };
            let category = (n == 0).then(|| format!("{reference}_of_another_kind"));
            let Some(other) = (if refused { category } else { flipped(reference, n) }) else { break };
            *reference = other;
            let state = judge::verdict(&altered).state;
            assert_ne!(state, verdict.state, "{} {:?}: {:?}", row.id, row.operands, altered.answers);
        }
        for name in ["vals", "offsets", "image"] {
            let Some(stated) = row.fields.get(name) else { continue };
            let digits = stated.to_string().chars().filter(char::is_ascii_digit).count();
            let Some(other) = flipped(&stated.to_string(), digits - 1) else { continue };
            let mut altered = Row::clone(row);
            altered.fields.insert(name.to_owned(), serde_json::from_str(&other).expect("still JSON"));
            let state = judge::verdict(&altered).state;
            assert_ne!(state, verdict.state, "{} {name}", row.id);
        }
    }
    let untried: Vec<_> = tried
        .iter()
        .filter(|((file, op, _), tried)| {
            let holds = |row: &&Row| row.file == **file && row.op == **op;
            let listed = ROWS.iter().find(holds).is_some_and(|row| PENDING.iter().any(|pattern| pattern.holds(row)));
            **tried == 0 && !listed
        })
        .map(|(key, _)| key)
        .collect();
    assert!(untried.is_empty(), "no row of these was tried: {untried:?}");
}

#[test]
fn a_difference_that_no_rule_covers_fails() {
    let lie = json!({"op": "coalesce", "in": ["(2,4):(1,2)"], "cpp": "8:1", "tl": "8:2"});
    assert_eq!(state("cute/coalesce", lie), State::Failing("tl: no rule covers BreaksLaw".to_owned()));
    let same = json!({"op": "coalesce", "in": ["(2,4):(1,2)"], "cpp": "8:1", "tl": "(8):(1)"});
    assert_eq!(state("cute/coalesce", same), State::Agree);
    let reference = json!({"op": "coalesce", "in": ["(2,4):(1,2)"], "cpp": "(8):(1)"});
    assert_eq!(state("cute/coalesce", reference), State::Failing("cpp: no rule covers Convention".to_owned()));
    // CuTe's composition is known to reject too much and to accept too much, but not to answer wrongly where we answer.
    let composition = |cpp: &str| json!({"op": "composition", "in": ["(4,2):(32,12)", "(6,2):(10,16)"], "cpp": cpp});
    assert!(matches!(state("cute/composition", composition("!stride-div")), State::Documented(_)));
    assert_eq!(state("cute/composition", composition("((2,3),2):((88,60),48)")), State::Agree);
    let wrong = state("cute/composition", composition("((2,3),2):((88,60),49)"));
    assert_eq!(wrong, State::Failing("cpp: no rule covers BreaksLaw".to_owned()));
}

/// Rows that nobody had recorded when the rules were written: each is of a kind that a rule knows.
#[test]
fn rules_cover_kinds_of_rows_and_not_rows() {
    let documented = |file: &str, fields: Value| {
        let state = state(file, fields.clone());
        assert!(matches!(state, State::Documented(_)), "{fields}: {state:?}");
    };
    let product = |op: &str, a: &str, b: &str, cpp: &str| {
        documented("cute/product", json!({"op": op, "in": [a, b], "cpp": cpp}));
    };
    product("zipped_product", "(8,1):(48,64)", "(5,10):(1,5)", "((8,1),(5,10)):((48,64),(1,5))");
    product("blocked_product", "(8,8):(4,96)", "(3,2):(1,3)", "((8,3),(8,2)):((4,1),(96,3))");
    product("raked_product", "(8,8):(4,96)", "(3,2):(1,3)", "((3,8),(2,8)):((1,4),(3,96))");
    product("logical_product", "(2,3):(12,4)", "(8):(5)", "!assert");
    product("flat_product", "(10,5):(15,0)", "(8,1):(4,0)", "(10,5,(4,2),1):(15,0,(4,150),0)");
    let one = |file: &str, op: &str, operands: Value, system: &str, answer: &str| {
        let mut fields = json!({"op": op, "in": operands});
        fields[system] = json!(answer);
        documented(file, fields);
    };
    one("cute/complement", "complement", json!(["5:1", "(4,4)"]), "cpp", "2:5");
    one("cute/inverse", "right_inverse", json!(["(2,6):(1,-2)"]), "pycute", "1:0");
    one("cute/recast", "recast", json!(["(2,2):(1,1)", "8", "16"]), "cpp", "(1,1):(1,1)");
    one("cute/dynamic", "downcast", json!(["(8,(2,3)):(_1,(_1,16))", "2"]), "cpp", "(16,(4,3)):(_1,(_1,32))");
    let split = "(_1,(2,1,1,1),(1,2,4,1),(1,1,1,2)):(8,(_16,1,2,8),(32,1,2,8),(256,8,8,8))";
    one("cute/dynamic", "flat_divide", json!(["((2,_2),_4,2):((_16,1),_2,_8)", "_1:_16"]), "cpp", split);
    one("cute/dsl_dynamic", "logical_divide", json!(["3:?", "3:?"]), "dsl", "(3,(?,?)):(?,(?,?{div=3}))");
    one("cute/dsl_dynamic", "raked_product", json!(["(9,12,?):(16,144,1728)", "(8,?):(4,32)"]), "dsl", "!mlirerror");
    // The same questions with an answer that no rule explains.
    let failing = |file: &str, fields: Value| {
        let state = state(file, fields.clone());
        assert!(matches!(state, State::Failing(_)), "{fields}: {state:?}");
    };
    failing("cute/complement", json!({"op": "complement", "in": ["5:1", "(4,4)"], "cpp": "4:4"}));
    failing(
        "cute/product",
        json!({"op": "logical_product", "in": ["2:1", "2:1"], "cpp": "(2,2):(1,4)", "tl": "(2,2):(1,3)"}),
    );
}

#[test]
fn the_whitepaper_is_asked_of_our_operations() {
    let agrees = |expression: &str, nv: &str| {
        let row = json!({"op": "nv_expr", "in": [expression], "nv": nv});
        assert_eq!(state("cute/nv_extra", row), State::Agree, "{expression}");
    };
    agrees("composition(Layout((2,3,4,5),(1,2,6,24)),Layout(3,ArithTuple(0,0,4,2)))", "3:72");
    agrees("tiler_to_layout((Layout(4,1),Layout(8,2)))", "(4,8):(1@0,2@1)");
    agrees("tiler_to_layout((4,(Layout(2,2),8)))", "(4,(2,8)):(1@0,(2@0@1,1@1@1))");
    // Strides over F2 below an extent that is no power of two, places that are not reached, and more than is asked.
    let xored = "Layout((4,(4,3)),(F2(1),(F2(5),F2(16))))";
    agrees(&format!("right_inverse({xored})"), "(4,4,3):(F1,F5,F16)");
    agrees(&format!("left_inverse({xored})"), "(4,4,3):(F1,F5,F16)");
    agrees("right_inverse(Layout((4,4),(F2(1),F2(8))))", "4:F1");
    agrees("left_inverse(Layout((4,4),(F2(2),F2(16))))", "(2,4,2,4):(F0,F1,F0,F4)");
    // Coordinates in coordinates.
    agrees("right_inverse(Layout((4,(2,3)),(E(0),(E(1,0),E(1,1)))))", "(4,(2,3)):(1,(4,8))");
    agrees("left_inverse(Layout((4,(2,3)),(E(0),(E(1,0),2*E(1,1)))))", "(4,(2,(2,3))):(1,(4,(0,8)))");
    let wrong = |expression: &str, nv: &str| {
        let row = json!({"op": "nv_expr", "in": [expression], "nv": nv});
        assert!(matches!(state("cute/nv_extra", row), State::Failing(_)), "{expression}");
    };
    wrong(&format!("right_inverse({xored})"), "(4,4,3):(F1,F5,F17)");
    wrong("left_inverse(Layout((4,5),(E(1),E(0))))", "(5,4):(4,2)");
    wrong("tiler_to_layout((4,8))", "(4,8):(1@1,1@0)");
}

#[test]
fn a_row_of_triton_that_is_altered_fails() {
    let failing = |fields: Value| matches!(state("triton/new", fields), State::Failing(_));
    let identity = |name: &str, size: u64| json!({"bases": [[name, [[1]]]], "outs": [["dim0", size]]});
    let rename =
        |out: Value| json!({"op": "rename_in_dim", "a": identity("lane", 2), "dim": "lane", "to": "warp", "out": out});
    let algebra = |out: Value| state("triton/ll_algebra_ext", rename(out));
    assert_eq!(algebra(identity("warp", 2)), State::Agree);
    for wrong in [identity("lane", 2), identity("warp", 4), json!(null)] {
        assert!(matches!(algebra(wrong.clone()), State::Failing(_)), "{wrong}");
    }
    // Sizes may be left out only where the layout has to be surjective.
    let inferred = |surjective: bool, error: &str| {
        let bases = json!([["lane", [[1], [2]]]]);
        let asked = json!({"op": "from_bases", "bases": bases, "out_names": ["dim0"], "out_sizes": null,
            "require_surjective": surjective, "error": error});
        state("triton/ll_algebra", asked)
    };
    assert_eq!(inferred(false, "sizes_required_when_not_surjective"), State::Agree);
    assert!(matches!(inferred(true, "sizes_required_when_not_surjective"), State::Failing(_)));
    // A refusal in another category, a rejection without a reason, and what has no code.
    let zeros = |error: &str| json!({"op": "zeros_1d", "args": [3, "lane", "dim0", 1], "error": error});
    assert_eq!(state("triton/ll_algebra", zeros("size_not_power_of_two")), State::Agree);
    assert!(matches!(state("triton/ll_algebra", zeros("not_surjective")), State::Failing(_)));
    let rejected = json!({"op": "zeros_like", "a": identity("lane", 2), "error": "not_surjective"});
    assert!(matches!(state("triton/ll_algebra_ext", rejected), State::Failing(_)));
    assert!(failing(json!({"op": "zeros_like", "a": identity("lane", 2), "out": identity("lane", 2)})));
}

#[test]
fn a_rejection_of_triton_is_tried_before_a_rule_covers_it() {
    let one = |bases: Value, size: u64| json!({"bases": [["lane", bases]], "outs": [["dim0", size]]});
    let divide = |b: Value, error: &str| {
        let asked = json!({"op": "divide_right", "a": one(json!([[1], [2]]), 4), "b": b, "error": error});
        state("triton/ll_algebra_ext", asked)
    };
    // A quotient, which nobody should reject, and none, for the reason that is known and for another.
    assert!(matches!(divide(one(json!([[1]]), 2), "basis_not_below_out_size"), State::Failing(_)));
    assert!(matches!(divide(one(json!([[0]]), 2), "basis_not_below_out_size"), State::Documented(_)));
    assert!(matches!(divide(one(json!([[0]]), 2), "not_surjective"), State::Failing(_)));
    // Only a layout without offsets has no class.
    let enc =
        json!({"kind": "swizzled_shared", "vec": 1, "per_phase": 1, "max_phase": 1, "order": [0], "cga_layout": []});
    let rejected = |size: i64| json!({"enc": enc, "shape": [size], "error": "binding_cannot_return_empty_offset"});
    assert!(matches!(state("triton/encodings", rejected(1)), State::Documented(_)));
    assert!(matches!(state("triton/encodings", rejected(2)), State::Failing(_)));
    let stated = |size: u64| {
        let bases = json!([["lane", [[1], [2]]]]);
        let stated = json!({"bases": bases, "out_names": ["dim0"], "stated_inferred_sizes": [size]});
        state("documents/triton", stated)
    };
    assert_eq!(stated(4), State::Agree);
    assert!(matches!(stated(8), State::Failing(_)));
}

#[test]
fn a_row_without_code_fails() {
    let unknown = json!({"op": "frobnicate", "in": ["4:1"], "cpp": "4:1"});
    assert_eq!(state("cute/new", unknown), State::Failing("no code".to_owned()));
    let empty = json!({"op": "coalesce", "in": ["4:1"]});
    assert_eq!(state("cute/coalesce", empty), State::Failing("nothing was recorded".to_owned()));
}

#[test]
fn rows_are_read_with_their_abbreviations() {
    let read = row(
        "cute/swizzle",
        json!({"cpp": "Sw<2,0,-3> o 0 o 4:1|0,9", "dsl": "S<2,0,-3o0o4:1", "tl": "|=", "same": "nv"}),
    );
    let answers: Vec<_> = read.answers.iter().map(|(system, answer)| format!("{system} {answer}")).collect();
    assert_eq!(answers, ["cpp Sw<2,0,-3>o0o4:1|0,9", "dsl Sw<2,0,-3>o0o4:1", "nv Sw<2,0,-3>o0o4:1|0,9", "tl |0,9"]);
    assert_eq!(row::plain("(_5,4):(_-1,<_,_2>)"), "(5,4):(-1,<_,2>)");
}

#[test]
fn patterns_choose_rows() {
    let read = row("cute/tiled", json!({"op": "mma"}));
    for (pattern, holds) in
        [("cute/tiled", true), ("tiled:mma", true), ("cute/*", true), ("cute/tiled:copy", false), ("tile", false)]
    {
        assert_eq!(Pattern::read(pattern).holds(&read), holds, "{pattern}");
    }
}

#[test]
fn expressions_become_rows() {
    let translated = |text: &str| {
        let row = nv::translated(&row("cute/nv_extra", json!({"op": "nv_expr", "in": [text]})))?;
        Some(format!("{} {}", row.op, row.operands.join(" ")))
    };
    let check = |text, wanted: &str| assert_eq!(translated(text).as_deref(), Some(wanted));
    check("composition[0](Layout(12,2*E(1)),Layout((4,3)))", "composition[0] 12:2@1 (4,3):(1,4)");
    check("recast(Layout(4,ArithTuple(1,2)),Fraction(1,2))", "downcast 4:1@0+2@1 2");
    check("zipped_divide(Layout(4),(Layout(3,E(0,1)),2))", "zipped_divide 4:1 <3:1@1@0,2>");
    check("coshape(Layout(4,F2(3)))", "coshape 4:^3");
    assert_eq!(translated("coshape(Layout(4,1)"), None);
}

#[test]
fn an_answer_covers_what_is_less_known() {
    assert!(unknown::covers("(?,4):(?{div=2},1)", "(?{div=3},4):(?{div=8},1)"));
    assert!(!unknown::covers("(?,4):(?{div=2},1)", "(?,4):(?{div=3},1)"));
    assert!(!unknown::covers("(?,4):(?,1)", "(?,4):(?,2)"));
    assert!(!unknown::covers("?:1", "3:1"));
}

#[test]
fn a_symbolic_answer_is_held_to_its_law() {
    // The answer of slice names what it adds; a law that was broken would be found at some value.
    let read =
        row("cute/dsl_dynamic", json!({"id": "x", "op": "slice", "in": ["(?,4):(1,?)", "(_,3)"], "dsl": "(?):(1)+?"}));
    assert_eq!(unknown::law(&read), Some(Ok(())));
    assert_eq!(judge::verdict(&read).state, State::Agree);
}
