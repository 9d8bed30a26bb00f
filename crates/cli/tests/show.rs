//! `bitstride show` from its arguments to its streams.

use std::ffi::OsString;

use bitstride_cli::{Terminal, run_on};

/// The exit code, the answers and the errors.
fn show(args: &[&str], terminal: Terminal) -> (u8, String, String) {
    let args = ["bitstride", "show"].iter().chain(args).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run_on(args, terminal, &mut std::io::empty(), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (code, text(out), text(err))
}

fn plain(args: &[&str]) -> (u8, String, String) {
    show(args, Terminal::default())
}

fn json(args: &[&str]) -> String {
    let (code, out, err) = plain(&[args, &["--json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    out
}

#[test]
fn a_grid_in_text() {
    let expected = "\
(2,3):(3,1)
marked: (0,2)

    0   1   2
  ┌───┬───┬───┐
0 │ 0 │ 1 │[2]│
  ├───┼───┼───┤
1 │ 3 │ 4 │ 5 │
  └───┴───┴───┘
(0,2) = 4 is at offset 2
";
    assert_eq!(plain(&["(2,3):(3,1)", "--at", "(0,2)"]), (0, expected.to_owned(), String::new()));
}

#[test]
fn pictures_fit_the_terminal_and_have_its_colours() {
    let narrow = Terminal { columns: Some(30), color_out: true, ..Terminal::default() };
    let (code, out, _) = show(&["24:1", "--by", "4:1"], narrow);
    assert_eq!(code, 0);
    assert!(out.contains("\x1b[48;2;143;183;255") && out.contains(" 20 \x1b"), "{out}");
    let plain = show(&["24:1"], Terminal { columns: Some(30), ..Terminal::default() }).1;
    assert!(plain.lines().all(|line| line.chars().count() <= 30), "{plain}");
    assert!(
        show(&["24:1", "--by", "4:1", "--color", "never"], narrow).1.contains("│a  0 │a  1 │"),
        "letters stand for colours"
    );
}

#[test]
fn json_has_shape_and_cells() {
    let grid = r#"{"kind":"layout","value":"(2,(2,2)):(4,(1,2))","shape":[2,[2,2]],"cells":[[0,1,2,3],[4,5,6,7]]}"#;
    assert_eq!(json(&["(2,(2,2)):(4,(1,2))"]), format!("{grid}\n"));
    let slices = r#"{"kind":"layout","value":"(2):(1) + 3","shape":[2],"cells":[3,4]}"#;
    assert_eq!(json(&["(2):(1) + 3"]), format!("{slices}\n"));
    let coordinates = r#"{"kind":"layout","value":"(1,2):(1@0,1@1)","shape":[1,2],"cells":[[[0,0],[0,1]]]}"#;
    assert_eq!(json(&["(1,2):(1@0,1@1)"]), format!("{coordinates}\n"));
    let cube = json(&["(2,1,2):(1,2,2)"]);
    assert!(cube.contains(r#""cells":[[[0,2]],[[1,3]]]"#), "{cube}");
    assert!(json(&["(0,99999999):(1,1)"]).contains(r#""cells":[]"#));
    assert!(json(&["():()"]).contains(r#""shape":[],"cells":0"#));
}

#[test]
fn json_has_what_the_options_add() {
    let looks = json(&["(2,2):(1,2)", "--mark", "(1,2)", "--by", "column"]);
    assert!(looks.contains(r#""selected":[[true,true],[false,false]],"group":[[0,1],[0,1]]"#), "{looks}");
    let memory = json(&["2:2", "--memory"]);
    assert!(memory.contains(r#""offsets":[{"offset":0,"elements":[0]},{"offset":2,"elements":[1]}]"#), "{memory}");
    let owners = json(&["(2,1):(0,1)", "--tv", "(1,2)"]);
    assert!(owners.contains(r#""tile":[1,2],"elements":[{"element":0,"owners":[[0,0],[1,0]]}]"#), "{owners}");
}

#[test]
fn refusals_have_codes() {
    for (args, code, name) in [
        (&["(M,4):(1,8)"][..], 3, "missing-fact"),
        (&["4:1", "(4,4):(1,?)"], 3, "missing-fact"),
        (&["logical_divide((5,4):(1,30), 4:1)"], 1, ""),
        (&["<2,_>"], 2, "kind"),
        (&["#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"], 2, "needs-shape"),
        (&["(4,4"], 2, "unbalanced"),
        (&["4:1", "--by", "column"], 2, "no-mode"),
        (&["4:1", "--by", "tile,"], 2, ""),
        (&["4:1", "--at", "4"], 2, "range"),
        (&["4:1", "--at", "3:1"], 2, "kind"),
        (&["4:1", "--tv", "4"], 2, "profile"),
        (&["(4,2):(2,1)", "--tv", "(2,2)"], 2, "range"),
        (&["(1048576,2):(2,1)", "--codomain"], 2, "too-large"),
        (&["4:1@0", "--memory"], 2, "kind"),
        (&["4:1", "--memory", "--codomain"], 2, ""),
        (&["4:1", "--svg", "/no/such/folder/x.svg"], 4, "file"),
        (&[], 2, ""),
    ] {
        let (exit, out, err) = plain(args);
        assert_eq!((exit, out.as_str()), (code, ""), "{args:?}: {err}");
        assert!(err.starts_with("error") && err.contains(name), "{args:?}: {err}");
    }
    let (code, out, err) = plain(&["(M,4):(1,8)", "--json"]);
    assert!(code == 3 && err.is_empty() && out.starts_with(r#"{"error":{"code":"missing-fact""#), "{out}");
}

#[test]
fn png_goes_to_the_output_or_a_file() {
    let file = std::env::temp_dir().join(format!("bitstride-show-{}.png", std::process::id()));
    let (code, said, err) = plain(&["(2,2):(2,1)", "--png", file.to_str().expect("a path")]);
    assert!(code == 0 && said.is_empty() && err.is_empty(), "{said}{err}");
    let bytes = std::fs::read(&file).expect("a file");
    let _ = std::fs::remove_file(&file);
    // The same drawing as SVG, two pixels for each unit: its width and height stand behind the first header.
    let (_, svg, _) = plain(&["(2,2):(2,1)", "--svg", "-"]);
    let side = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) / 2;
    assert!(bytes.starts_with(b"\x89PNG"));
    assert!(svg.contains(&format!("width=\"{}\" height=\"{}\"", side(16), side(20))), "{svg}");
    let (code, _, err) = plain(&["(3000,3000):(1,3000)", "--png", "-"]);
    assert!(code == 2 && err.contains("too-large"), "{code} {err}");
}

#[test]
fn svg_goes_to_the_output_or_a_file() {
    let (code, drawn, err) = plain(&["(2,2):(2,1)", "--svg", "-"]);
    assert!(code == 0 && drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n") && err.is_empty(), "{drawn}{err}");
    let file = std::env::temp_dir().join(format!("bitstride-show-{}.svg", std::process::id()));
    let printed = plain(&["(2,2):(2,1)", "--svg", file.to_str().expect("a path")]);
    let written = std::fs::read_to_string(&file).expect("the file");
    std::fs::remove_file(&file).expect("the file was there");
    assert_eq!((printed, written), ((0, String::new(), String::new()), drawn));
}

#[test]
fn notes_of_the_expression_are_told() {
    let (code, out, err) = plain(&["composition(8:1, 4:4)"]);
    assert!(code == 0 && out.contains("│ 12 │") && err.contains("beyond its size"), "{out}{err}");
    assert!(json(&["composition(8:1, 4:4)"]).contains(r#""notes":["#));
}

#[test]
fn integers_are_read_in_either_spelling() {
    let (code, out, _) = plain(&["(_2,2):(_1,_2)", "--ints", "cpp"]);
    assert!(code == 0 && out.starts_with("(_2,2):(_1,_2)\n") && out.contains("│ 1 │ 3 │"), "{out}");
    assert!(json(&["(2?,2):(1,2)", "--ints", "ir"]).contains(r#""value":"(?,2):(1,2)""#));
}

const WRAPPED: &str = "tensor<2x4xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 2], warpsPerCTA = [1, 2], \
                       order = [1, 0]}>>";
const SWIZZLED: &str =
    "!ttg.memdesc<4x4xf64, #ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 2, order = [1, 0]}>>";

#[test]
fn a_linear_layout_says_who_holds_each_element() {
    let (code, out, err) = plain(&[WRAPPED]);
    let expected = "
        0          1          2          3
  ┏━━━━━━━━━━┯━━━━━━━━━━┳━━━━━━━━━━┯━━━━━━━━━━┓
0 ┃ w0 t0 +1 │ w0 t1 +1 ┃ w1 t0 +1 │ w1 t1 +1 ┃
  ┠──────────┼──────────╂──────────┼──────────┨
1 ┃ w0 t2 +1 │ w0 t3 +1 ┃ w1 t2 +1 │ w1 t3 +1 ┃
  ┗━━━━━━━━━━┷━━━━━━━━━━┻━━━━━━━━━━┷━━━━━━━━━━┛
dim0 down, dim1 across; each element with who
holds it: w warp, t lane
coloured by warp
+1: as many other places hold the element; they
differ by lane 4
";
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.ends_with(expected), "{out}");
    let out = plain(&[SWIZZLED]).1;
    assert!(out.contains("2 │ 10 │ 11 │  8 │  9 │"), "{out}");
}

#[test]
fn a_linear_layout_from_the_hardware_and_as_bits() {
    let out = plain(&[WRAPPED, "--view", "hardware"]).1;
    assert!(out.contains("warp 0") && out.contains("t3 │ 1,1 │") && out.contains("t7 │·1,1·│"), "{out}");
    let out = plain(&[SWIZZLED, "--view", "hardware"]).1;
    assert!(out.contains("8 │ 2,2 │ 2,3 │ 2,0 │ 2,1 │"), "{out}");
    let out = plain(&["linear<{lane=[[2],[1],[0]]}, out=[x:4]>", "--view", "bits"]).1;
    assert!(out.contains("x 1 ┃  · │a 1 │  · ┃") && out.contains("in ⎛a  t1 a  t2 a  t4 ⎞"), "{out}");
    assert!(out.contains("out ⎝a x 2 a x 1 a  0  ⎠") && out.contains("nowhere"), "{out}");
}

#[test]
fn banks_before_and_after_a_swizzle() {
    let words = |args: &[&str]| -> Vec<String> {
        let out = plain(&[&[SWIZZLED, "--banks"], args].concat()).1;
        let lines = out.replace('\n', " ");
        lines
            .split("lie in each bank: ")
            .skip(1)
            .map(|said| said.split(", so").next().unwrap_or("").to_owned())
            .collect()
    };
    // Elements of 8 bytes: a row of four is 32 bytes, eight banks.
    assert_eq!(words(&[]), ["4 banks and at most 1 word in one"; 2]);
    // Of 64 bytes every second row starts at bank 0, and the swizzle moves half of those.
    let moved = ["2 banks and at most 2 words in one", "4 banks and at most 1 word in one"];
    assert_eq!(words(&["--element-bits", "128"]), moved);
    assert_eq!(words(&["--at", "(0,_)"]), ["4 banks and at most 1 word in one"; 2]);
    let cells = json(&[SWIZZLED, "--banks", "--element-bits", "32"]);
    assert!(cells.contains(r#""cells":[[0,1,2,3],[4,5,6,7],[10,11,8,9],[14,15,12,13]]"#), "{cells}");
    assert!(cells.contains(r#""plain":[[0,1,2,3],[4,5,6,7],[8,9,10,11],[12,13,14,15]]"#), "{cells}");
}

const PADDED: &str =
    "!ttg.memdesc<4x4xf64, #ttg.padded_shared<[4:+1] {order = [1, 0], shape = [4, 4]}>, #ttg.shared_memory, mutable>";

#[test]
fn padded_memory_is_drawn_as_the_layout_that_it_is() {
    let (code, out, err) = plain(&[PADDED]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("│  5 │  6 │  7 │  8 │") && out.contains("│ 15 │ 16 │ 17 │ 18 │"), "{out}");
    let said = |args: &[&str]| plain(&[args, &["--banks"]].concat()).1.replace('\n', " ");
    let out = said(&[PADDED]);
    assert!(out.contains("4 banks and at most 1 word in one"), "{out}");
    // The same memory as a layout of CuTe.
    let picture = |out: &str| out.split_once("  ").map(|(_, picture)| picture.to_owned());
    assert_eq!(picture(&said(&["(4,4):(5,1)", "--element-bits", "64"])), picture(&out));
    // A column of wide rows lies in one bank, unless a few places are left between them.
    let column = |gap: i64| {
        let rows = format!("padded_shared<[32:+{gap}] {{order = [1, 0], shape = [8, 32]}}>");
        said(&[&format!("!ttg.memdesc<8x32xf32, #ttg.{rows}, #ttg.shared_memory, mutable>"), "--at", "(_,0)"])
    };
    assert!(column(4).contains("8 banks and at most 1 word in one"), "{}", column(4));
    assert!(column(32).contains("1 bank and at most 8 words in one"), "{}", column(32));
}

#[test]
fn arrays_have_banks_too() {
    let (code, out, _) = plain(&["f32[8,32]{1,0}", "--banks", "--at", "(_,0)"]);
    assert!(code == 0 && out.replace('\n', " ").contains("1 bank and at most 8 words in one"), "{out}");
}

#[test]
fn a_map_that_is_no_layout_of_cute_is_drawn_point_by_point() {
    let (code, out, err) = plain(&["inverse((8,4):(1,9))"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("inverse((8,4):(1,9))\noffset:35 -> dim0:8, dim1:4\n"), "{out}");
    assert!(out.contains("│ 7,0 │░░░░░│ 0,1 │") && out.contains("│ 7,3 │     │"), "{out}");
    let (code, out, _) = plain(&["inverse((8,1000):(1,9))"]);
    assert!(code == 0 && out.lines().count() < 300 && out.contains("left out: rows"), "{out}");
    let (code, _, err) = plain(&["inverse((8,4):(1,9))", "--by", "row"]);
    assert!(code == 2 && err.contains("without options"), "{err}");
}

#[test]
fn a_list_of_layouts_is_drawn_one_by_one() {
    let (code, out, _) = plain(&["bruhat(linear<{offset=[[3],[1]]}, out=[dim0:4]>)"]);
    assert!(code == 0 && out.matches("each element with its").count() == 3, "{out}");
    // What is no list of layouts stays refused.
    assert_eq!(plain(&["decompose_bitcast(f32[4,6]{0,1}, f32[8,3]{1,0})"]).0, 2);
}

#[test]
fn json_of_linear_layouts() {
    let layout = "linear<{register=[[0,1]], lane=[[1,0],[0,0]]}, out=[dim0:2, dim1:2]>";
    let head = format!(r#"{{"kind":"linear","value":"{layout}","#);
    let tensor = r#""dims":["dim0","dim1"],"shape":[2,2],"in":["register","lane"],"cells":[[[[0,0],[0,2]],[[1,0],[1,2]]],[[[0,1],[0,3]],[[1,1],[1,3]]]]}"#;
    assert_eq!(json(&[layout]), format!("{head}{tensor}\n"));
    let hardware = r#""dims":["register","lane"],"shape":[2,4],"out":["dim0","dim1"],"cells":[[[0,0],[1,0],[0,0],[1,0]],[[0,1],[1,1],[0,1],[1,1]]]}"#;
    assert_eq!(json(&[layout, "--view", "hardware"]), format!("{head}{hardware}\n"));
    let bits = r#""shape":[2,3],"cells":[[0,1,0],[1,0,0]]}"#;
    assert_eq!(json(&[layout, "--view", "bits"]), format!("{head}{bits}\n"));
}

#[test]
fn what_cannot_be_shown_of_linear_layouts_is_refused() {
    for (args, code, name) in [
        (&[WRAPPED, "--banks"][..], 2, "missing-dim"),
        (&[WRAPPED, "--by", "partition"], 2, "missing-dim"),
        (&[WRAPPED, "4:1"], 2, "kind"),
        (&[WRAPPED, "--memory"], 2, "kind"),
        (&[WRAPPED, "--at", "(0,0)"], 2, "kind"),
        (&[SWIZZLED, "--banks", "--at", "(0,4)"], 2, "range"),
        (&[SWIZZLED, "--banks", "--at", "4:1"], 2, "kind"),
        (&[SWIZZLED, "--banks", "--element-bits", "0"], 2, ""),
        (&[SWIZZLED, "--element-bits", "16"], 2, ""),
        (&[SWIZZLED, "--banks", "--view", "bits"], 2, ""),
        (&["4:1", "--view", "bits"], 2, "kind"),
        (&["#gluon.auto_encoding"], 2, ""),
    ] {
        let (exit, out, err) = plain(args);
        assert_eq!((exit, out.as_str()), (code, ""), "{args:?}: {err}");
        assert!(err.starts_with("error") && err.contains(name), "{args:?}: {err}");
    }
}

#[test]
fn an_array_of_xla_is_drawn_with_its_tiles() {
    let expected = "\
f32[3,3]{1,0:T(2,2)}

     0    1    2    3
  ┏━━━━┯━━━━┳━━━━┯━━━━┓
0 ┃  0 │  1 ┃  4 │░░░░┃
  ┠────┼────╂────┼────┨
1 ┃  2 │  3 ┃  6 │░░░░┃
  ┣━━━━┿━━━━╋━━━━┿━━━━┫
2 ┃  8 │  9 ┃ 12 │░░░░┃
  ┠────┼────╂────┼────┨
3 ┃░░░░│░░░░┃░░░░│░░░░┃
  ┗━━━━┷━━━━┻━━━━┷━━━━┛
dim 0 down, dim 1 across, each
element with its offset
9 elements in 16 places of 32
bits (64 bytes), 7 of them
padding

░░░ padding
";
    assert_eq!(plain(&["f32[3,3]{1,0:T(2,2)}"]), (0, expected.to_owned(), String::new()));
    let (code, sliced, _) = plain(&["f32[2,3,3]{2,1,0:T(2,2)}", "--slice", "(1,_,_)", "--at", "(1,2,2)"]);
    assert!(code == 0 && sliced.contains("│ 25 ┃[28]│") && !sliced.contains("(0,_,_)"), "{sliced}");
    let (_, folded, note) = plain(&["F32[3]{0}"]);
    assert!(folded.starts_with("F32[3]{0} =\nf32[3]{0}\n") && !note.is_empty(), "{folded}{note}");
    let row = plain(&["f32[2,2]{0,1}", "--memory", "--by", "dim0"]).1;
    assert!(row.contains("┃a 0,0 │b 1,0 ┃a 0,1 │b 1,1 ┃"), "{row}");
}

#[test]
fn json_of_an_array_has_offsets_or_the_memory() {
    let cells = r#"{"kind":"xla","value":"f32[2,3]{1,0:T(2,2)}","shape":[2,3],"cells":[[0,1,4],[2,3,6]]}"#;
    assert_eq!(json(&["f32[2,3]{1,0:T(2,2)}"]), format!("{cells}\n"));
    let slice = json(&["f32[2,3]{1,0:T(2,2)}", "--slice", "(1,_)"]);
    assert!(slice.contains(r#""shape":[3],"cells":[2,3,6]"#), "{slice}");
    let memory = json(&["f32[1,3]{1,0:T(2,2)}", "--memory"]);
    let held = "[[0,0],[0,1],null,null,[0,2],null,null,null]";
    assert!(memory.contains(&format!(r#""shape":[1,3],"memory":{held}"#)), "{memory}");
    assert!(json(&["f32[9223372036854775807,0]"]).contains(r#""cells":[]"#));
    assert!(json(&["f32[]"]).contains(r#""shape":[],"cells":0"#));
}

#[test]
fn what_arrays_are_not_shown_with_is_refused() {
    let array = "f32[3,3]{1,0:T(2,2)}";
    for (args, name) in [
        (&[array, "--view", "bits"][..], "kind"),
        (&[array, "--tv", "(2,2)"], "kind"),
        (&[array, "--codomain"], "kind"),
        (&[array, "--two-line"], "kind"),
        (&[array, "--mark", "2:1"], "kind"),
        (&[array, "--by", "column"], "kind"),
        (&[array, "--by", "dim2"], "missing-dim"),
        (&[array, "--slice", "(_,3)"], "range"),
        (&[array, "--slice", "_"], "rank-mismatch"),
        (&[array, "--at", "(0,99999999999999999999)"], ""),
        (&[array, "--slice", "(_,0)", "--memory"], ""),
        (&[array, "(4,4):(4,1)"], "kind"),
        (&["(4,4):(4,1)", array], "kind"),
        (&[WRAPPED, array], "kind"),
        (&["(4,4):(4,1)", "--slice", "(_,0)"], "kind"),
        (&[WRAPPED, "--slice", "(_,0)"], "kind"),
        (&["(f32[2], s32[])"], "kind"),
        (&["f32[1024,1024]", "--json"], "too-large"),
    ] {
        let (code, out, err) = plain(args);
        assert!(code != 0 && (out + &err).contains(name), "{args:?}: {err}");
    }
    let (_, _, err) = plain(&["(4,4):(4,1)", array]);
    assert!(err.contains("an array of XLA"), "{err}");
}

#[test]
fn cells_without_elements_are_listed_at_once() {
    for (args, cells) in [
        (["(4611686018427387904,0):(1,3)", "--json", "--banks"], "\"cells\":[]"),
        (["(0,4611686018427387904):(1,3)", "--json", "--banks"], "\"cells\":[]"),
        (["(1024,1024):(1,1024)", "--json", "--banks"], "1048576 elements; at most 65536 are listed"),
    ] {
        let (_, out, err) = plain(&args);
        assert!((out + &err).contains(cells), "{args:?}: {err}");
    }
}
