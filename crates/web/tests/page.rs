//! The page says what the command line says, every number exactly, and no request ends it.

use std::ffi::OsString;

use bitstride_json::with_text_numbers;
use bitstride_lang::operations;
use bitstride_web::Page;
use serde_json::{Value as Json, json};

/// What the page answers.
fn ask(page: &mut Page, asked: &[&str]) -> Json {
    let answer = page.call(&json!(asked).to_string());
    serde_json::from_slice(&answer).expect("JSON")
}

/// What the command line prints.
fn cli(args: &[&str]) -> String {
    let args = std::iter::once("bitstride").chain(args.iter().copied()).map(OsString::from);
    let mut out = Vec::new();
    bitstride_cli::run(args, &mut std::io::empty(), &mut out, &mut std::io::sink());
    String::from_utf8(out).expect("text")
}

/// Expressions that are answered and refused, beside the operations' examples.
const MORE: [&str; 10] = [
    "(4,8):(8,1)",
    "composition((6,2):(1,7), (3,2):(2,3))",
    "size((4,8)",
    "compositon(4:1, 2:1)",
    "f32[3,5]{1,0:T(2,2)}",
    "(2,😀)",
    "M + 4",
    "same(4:1, 4:2)",
    "1 2",
    "",
];

/// An answer of the page as the command line has it: without what only the page has.
fn as_printed(mut answer: Json) -> Json {
    if let Some(error) = answer.get_mut("error").and_then(Json::as_object_mut) {
        error.remove("utf16");
        error.remove("repairs");
        error.remove("span");
    }
    answer
}

#[test]
fn answers_are_those_of_the_command_line_with_numbers_as_texts() {
    let mut page = Page::default();
    for expression in operations().map(|operation| operation.example).chain(MORE) {
        if expression.is_empty() {
            continue;
        }
        let printed: Json = serde_json::from_str(&cli(&["--json", "--", expression])).expect(expression);
        let printed = as_printed(with_text_numbers(printed));
        assert_eq!(as_printed(ask(&mut page, &["answer", expression])), printed, "{expression}");
    }
}

#[test]
fn pictures_and_explanations_are_those_of_the_command_line() {
    let mut page = Page::default();
    let mut pictures = 0;
    for expression in operations().map(|operation| operation.example).step_by(4).chain(MORE) {
        if expression.is_empty() {
            continue;
        }
        let request = json!({"expressions": [expression]}).to_string();
        let shown = ask(&mut page, &["show", &request, "svg"]);
        match shown["picture"].as_str() {
            Some(picture) => {
                assert_eq!(picture, cli(&["show", "--svg", "-", "--", expression]), "{expression}");
                pictures += 1;
            }
            None => assert!(shown["error"]["code"].is_string(), "{shown}"),
        }
        if let Some(text) = ask(&mut page, &["explain", expression])["text"].as_str() {
            assert_eq!(text.trim_end(), cli(&["explain", "--", expression]).trim_end(), "{expression}");
        }
    }
    assert!(pictures > 50, "{pictures}");
    // Every option of a request is one of the command line, which says the same.
    let request = json!({"expressions": ["(4,8):(8,1)"], "by": ["row"], "at": ["(1,_)"], "view": "memory"}).to_string();
    let shell = ask(&mut page, &["command", &request])["shell"].as_str().expect("a command").to_owned();
    assert_eq!(shell, "bitstride show '(4,8):(8,1)' --memory --by row --at '(1,_)'");
    let drawn = cli(&["show", "(4,8):(8,1)", "--memory", "--by", "row", "--at", "(1,_)", "--tikz", "-"]);
    assert_eq!(ask(&mut page, &["show", &request, "tikz"])["picture"], drawn);
}

/// The greatest number in an answer that is no text.
fn greatest(answer: &Json) -> u64 {
    match answer {
        Json::Number(number) => number.as_i64().map_or(u64::MAX, i64::unsigned_abs),
        Json::Array(items) => items.iter().map(greatest).max().unwrap_or(0),
        Json::Object(members) => members.values().map(greatest).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn numbers_above_what_javascript_counts_are_exact() {
    let mut page = Page::default();
    let mut exact = 0;
    for n in 0..100_i64 {
        let odd = (1 << 53) + 2 * n + 1;
        let layout = format!("(2,3):({odd},{})", odd + 2);
        for (question, value) in [
            (format!("size({odd}:1)"), odd.to_string()),
            (layout.clone(), layout.clone()),
            (format!("cosize({layout})"), (3 * odd + 5).to_string()),
            (format!("crd2idx((1,2), {layout})"), (3 * odd + 4).to_string()),
        ] {
            let answer = ask(&mut page, &["answer", &question]);
            assert_eq!(answer["value"], value, "{question}");
            assert!(greatest(&answer) < 1 << 31, "{answer}");
            exact += 1;
        }
        let explained = ask(&mut page, &["explain", &format!("coalesce({layout})")]);
        assert!(greatest(&explained) < 1 << 31 && explained.to_string().contains(&odd.to_string()), "{explained}");
        let refused = ask(&mut page, &["answer", &format!("composition((4,4):(1,{odd}), (3,2):(1,3))")]);
        assert!(greatest(&refused["error"]["reason"]) == 0 && refused.to_string().contains(&odd.to_string()));
    }
    assert_eq!(exact, 400);
}

#[test]
fn places_in_a_sheet_count_utf_16() {
    let mut page = Page::default();
    let text = "// 😀\na = (4,8):(8,1)\r\n漢 = 4\nb = (2,😀)\n\nsize(a)";
    let lines = ask(&mut page, &["update", text])["lines"].take();
    let units: Vec<u16> = text.encode_utf16().collect();
    let part = |span: &Json| {
        let [start, end] = [0, 1].map(|at| usize::try_from(span[at].as_u64().expect("a number")).expect("small"));
        String::from_utf16(&units[start..end]).expect("whole characters")
    };
    assert_eq!(part(&lines[0]["at"]), "(4,8):(8,1)");
    assert_eq!(lines[0]["line"], 1);
    assert_eq!(part(&json!([lines[2]["start"], lines[2]["end"]])), "b = (2,😀)");
    assert_eq!(part(&lines[2]["error"]["utf16"]), "😀");
    assert_eq!(lines[3]["value"], "32");
    assert_eq!(lines[3]["uses"], json!(["a"]));
}

#[test]
fn a_name_is_drawn_as_what_its_line_says() {
    let mut page = Page::default();
    let memory = "!ttg.memdesc<8x8xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory>";
    let sheet = format!("m = {memory}\na = (2,2):(2,1)\np = blocked_product(a, (2,2):(1,2))\na = 4:1\ns = size(a)");
    ask(&mut page, &["update", &sheet]);
    let shell = |page: &mut Page, request: Json| ask(page, &["command", &request.to_string()])["shell"].take();
    assert_eq!(
        shell(&mut page, json!({"expressions": ["m"], "view": "banks"})),
        format!("bitstride show '{memory}' --banks")
    );
    // Of the `a` above it, though another is below.
    let product = "bitstride show 'blocked_product((2,2):(2,1),(2,2):(1,2))'";
    assert_eq!(
        shell(&mut page, json!({"expressions": ["p"]})).as_str().map(|text| text.replace(", ", ",")),
        Some(product.to_owned())
    );
    assert_eq!(shell(&mut page, json!({"expressions": ["coalesce(a)"]})), "bitstride show 'coalesce(4:1)'");
    let explained = ask(&mut page, &["explain", "p"]);
    assert!(explained["steps"].as_array().is_some_and(|steps| steps.len() > 1), "{explained}");
    assert_eq!(ask(&mut page, &["law", "p"])["holds"], true);
}

/// The header and the typed arrays of a model.
fn cells(page: &mut Page, request: &Json, window: &Json) -> (Json, Vec<i64>, Vec<i64>) {
    let bytes = page.call(&json!(["model", request.to_string(), window.to_string()]).to_string());
    let word =
        |at: usize| usize::try_from(u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"))).expect("small");
    let (length, count) = (word(0), word(4));
    let long = |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
    let elements = (0..count).map(|n| long(8 + 8 * n)).collect();
    let places = (0..count).map(|n| long(8 + 8 * (count + n))).collect();
    let header = &bytes[8 + 24 * count..];
    assert_eq!(header.len(), length);
    (serde_json::from_slice(header).expect("JSON"), elements, places)
}

#[test]
fn a_chain_says_what_the_cells_say() {
    let mut page = Page::default();
    let sheet = "a = Sw<2,0,3> o (8,16):(16,1)\nb = f32[8,16]{0,1}\nc = convert(a, linear)\nd = inverse((8,16):(17,1))\n\
                 e = tensor<8x16xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}>>";
    ask(&mut page, &["update", sheet]);
    let mut checked = 0;
    for name in ["a", "b", "c", "d", "e"] {
        let (_, elements, places) = cells(&mut page, &json!({"expressions": [name]}), &json!({}));
        for (element, place) in elements.into_iter().zip(places).filter(|(element, _)| *element >= 0) {
            let found = ask(&mut page, &["chain", &element.to_string(), &json!([name]).to_string()]);
            assert_eq!(found["places"][0]["place"], place.to_string(), "{name}, element {element}: {found}");
            checked += 1;
        }
    }
    assert_eq!(checked, 5 * 128);
    let beyond = ask(&mut page, &["chain", "128", r#"["a"]"#]);
    assert_eq!(beyond["places"][0]["error"]["code"], "range", "{beyond}");
}

#[test]
fn accesses_count_what_the_operation_counts() {
    let mut page = Page::default();
    ask(&mut page, &["update", "rows = (32,32):(32,1)\npadded = (32,32):(33,1)\nt = (32,1):(1,32)"]);
    for (memory, threads) in
        [("rows", "t"), ("padded", "t"), ("rows", "(32,4):(4,1)"), ("rows", "((8,4),4):((1,32),8)")]
    {
        let found = ask(&mut page, &["accesses", memory, threads, "32", "ld"]);
        let counted = ask(&mut page, &["answer", &format!("wavefronts({memory}, {threads}, 32)")]);
        assert_eq!(found["wavefronts"], counted["value"], "{memory} {threads}: {found}");
        // A phase takes as many wavefronts as its busiest bank has different words.
        for phase in
            found["instructions"].as_array().expect("a list").iter().flat_map(|one| one["phases"].as_array()).flatten()
        {
            let mut words = std::collections::BTreeMap::<u64, std::collections::BTreeSet<i64>>::new();
            for lane in phase["lanes"].as_array().expect("lanes") {
                let address: i64 = lane["address"].as_str().and_then(|digits| digits.parse().ok()).expect("a number");
                for (at, bank) in (0..).zip(lane["banks"].as_array().expect("banks")) {
                    words.entry(bank.as_u64().expect("a bank")).or_default().insert(address / 4 + at);
                }
            }
            let busiest = words.values().map(|words| words.len()).max().unwrap_or(0);
            assert_eq!(phase["wavefronts"], busiest.to_string(), "{phase}");
        }
    }
    assert_eq!(ask(&mut page, &["accesses", "none(", "t", "32", ""])["error"]["code"], "unexpected-end");
}

#[test]
fn a_window_of_a_vast_layout_is_exact() {
    let mut page = Page::default();
    let request = json!({"expressions": ["(4294967296,1048576):(1048577,1)"]});
    let (first, col) = (4_294_967_290_i64, 1_048_570_i64);
    let window = json!({"rows": [first.to_string(), "4294967296"], "cols": [col, 1_048_576]});
    let (header, elements, places) = cells(&mut page, &request, &window);
    assert_eq!(header["rows"][0][0]["grids"][0]["rows"], "4294967296");
    assert_eq!(elements.len(), 36);
    assert_eq!(places[0], first * 1_048_577 + col);
    assert_eq!(elements[0], first + (col << 32));
}

#[test]
fn no_request_ends_the_page() {
    let mut page = Page::default();
    let long = "(".repeat(100_000);
    let requests = [
        "",
        "{}",
        "[]",
        "[1]",
        "[\"update\"]",
        "[\"model\",\"\",\"\"]",
        "[\"model\",\"{}\",\"{\"]",
        "[\"nothing\",\"x\"]",
        "[\"show\",\"{\\\"expressions\\\":[\\\"4:1\\\"],\\\"view\\\":\\\"none\\\"}\",\"svg\"]",
        "[\"show\",\"{\\\"expressions\\\":[]}\",\"png\"]",
        "[\"chain\",\"-1\",\"[]\"]",
        "[\"chain\",\"99999999999999999999\",\"[]\"]",
        "[\"chain\",\"1\",\"{}\"]",
    ];
    for request in requests {
        page.call(request);
    }
    for text in [long.as_str(), "\0", "a = b\nb = a", "#a = #a", "x =", "=", "// only", &"a = 1\n".repeat(5000)] {
        for function in ["update", "answer", "explain", "facts", "law", "in_notations"] {
            assert!(ask(&mut page, &[function, text]).is_object(), "{function}");
        }
    }
    ask(&mut page, &["update", "a = 4:1"]);
    assert_eq!(ask(&mut page, &["answer", "size(a)"])["value"], "4");
    assert_eq!(ask(&mut page, &["law", "coalesce((2,2):(1,2))"])["holds"], true);
    let notations = ask(&mut page, &["in_notations", "a"]);
    assert_eq!(notations["notations"][0]["value"], "4:1");
    for layout in ["a", "f32[3,5]{1,0:T(2,2)}", "identity_1d(4, lane, dim0)"] {
        let facts = ask(&mut page, &["facts", layout])["facts"].take();
        assert!(facts.as_array().is_some_and(|facts| facts.len() > 5), "{layout}: {facts}");
    }
    assert_eq!(ask(&mut page, &["operations"]).as_array().map(Vec::len), Some(operations().count()));
    assert_eq!(ask(&mut page, &["palette"])["groups"].as_array().map(Vec::len), Some(24));
}
