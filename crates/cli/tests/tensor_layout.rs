//! `triton-tensor-layout` from its arguments to its streams.

use std::ffi::OsString;

use bitstride_cli::tensor_layout;

const BLOCKED: &str =
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 1], warpsPerCTA = [1, 2], order = [1, 0]}>";

/// The exit code, the output and the errors.
fn run(args: &[&str], input: &str) -> (u8, String, String) {
    let args = ["triton-tensor-layout"].iter().chain(args).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = tensor_layout(args, &mut input.as_bytes(), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (code, text(out), text(err))
}

#[test]
fn the_header_and_the_view_in_every_spelling_of_the_options() {
    let view = "[[T0:0, T0:1, T2:0, T2:1]\n[ T1:0, T1:1, T3:0, T3:1]]\n";
    let wanted = (0, format!("Print layout attribute: {BLOCKED}\n{view}"), String::new());
    let tensor = "tensor<2x4xf16>";
    assert_eq!(run(&["-l", BLOCKED, "-t", tensor], ""), wanted);
    assert_eq!(run(&["--t", tensor, "--l", BLOCKED], ""), wanted);
    assert_eq!(run(&[&format!("-l={BLOCKED}"), &format!("--t={tensor}"), "-use-hw-view=false"], ""), wanted);
    assert_eq!(run(&["-l", &BLOCKED.replace(' ', ""), "-t", tensor], ""), wanted, "the header is canonical");
    let hardware = "Warp0:\n(0,0), (1,0)\n(0,1), (1,1)\nWarp1:\n(0,2), (1,2)\n(0,3), (1,3)\n";
    for option in ["-use-hw-view", "--use-hw-view", "-use-hw-view=true"] {
        let wanted = (0, format!("Print layout attribute: {BLOCKED}\n{hardware}"), String::new());
        assert_eq!(run(&["-l", BLOCKED, "-t", tensor, option], ""), wanted);
    }
}

#[test]
fn layouts_that_a_file_names() {
    let source =
        format!("#blocked = {BLOCKED}\n#row = #ttg.slice<{{dim = 0, parent = #blocked}}>\nmodule {{}} // #x\n");
    let slice = format!("#ttg.slice<{{dim = 0, parent = {BLOCKED}}}>");
    let row = format!("Print layout attribute: #row = {slice}\n[T0:0|T1:0, T0:1|T1:1, T2:0|T3:0, T2:1|T3:1]\n");
    let asked = run(&["-i", "-", "-alias-names=row,row", "-t", "tensor<4xf32>"], &source);
    assert_eq!(asked, (0, format!("{row}\n{row}\n"), String::new()));
    let only = source.lines().next().expect("a line");
    let all = run(&["-i", "-", "-t", "tensor<2x4xf32>"], only);
    assert!(all.0 == 0 && all.1.starts_with(&format!("Print layout attribute: {only}\n[[T0:0")), "{all:?}");
    let missing = run(&["-i", "-", "-alias-names", "mma", "-t", "tensor<4xf32>"], &source);
    assert!(missing.0 == 1 && missing.1.is_empty() && missing.2.contains("#mma"), "{missing:?}");
}

#[test]
fn what_is_no_layout_of_the_tensor_is_passed_over() {
    let line = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [1], warpsPerCTA = [1], order = [0]}>";
    let source = format!(
        "#loc = loc(\"kernel.py\":3:0)\n#blocked = {BLOCKED}\n#line = {line}\n#smem = #ttg.shared_memory\n\
         #tmem = #ttng.tensor_memory\n#loc1 = loc(unknown)\n#di = #llvm.di_file<\"a\" in \"b\">\n"
    );
    let (code, out, err) = run(&["-i", "-", "-t", "tensor<2x4xf32>"], &source);
    assert!(code == 0 && out.starts_with(&format!("Print layout attribute: #blocked = {BLOCKED}\n[[T0:0")), "{out}");
    assert_eq!(out.matches("Print layout").count(), 1, "{out}");
    assert!(err.starts_with("error[rank-mismatch]: #line: ") && err.matches("error").count() == 1, "{err}");
    let one = run(&["-i", "-", "-alias-names", "line", "-t", "tensor<4xf32>"], &source);
    assert_eq!(
        one,
        (0, format!("Print layout attribute: #line = {line}\n[T0:0, T0:1, T0:2, T0:3]\n\n"), String::new())
    );
    // What is asked for by its name must be a layout, and one of the tensor.
    for (name, said) in [("smem", "names no layout #smem"), ("line", "error[rank-mismatch]: #line: ")] {
        let (code, out, err) = run(&["-i", "-", "-alias-names", name, "-t", "tensor<2x4xf32>"], &source);
        assert!(code == 1 && out.is_empty() && err.contains(said), "{name}: {err}");
    }
    // Where nothing fits, nothing was printed.
    let (code, out, err) = run(&["-i", "-", "-t", "tensor<2x4x8xf32>"], &source);
    assert!(code == 1 && out.is_empty() && err.matches("error[rank-mismatch]").count() == 2, "{err}");
}

#[test]
fn refusals_exit_with_1_and_print_nothing() {
    let tensor = "tensor<2x4xf16>";
    for (args, said) in [
        (&["-l", BLOCKED][..], "-t TYPE"),
        (&["-t", tensor, "-l"], "needs a value"),
        (&["-t", "2x4", "-l", BLOCKED], "error"),
        (&["-t", "(2,4)", "-l", BLOCKED], "tensor<16x16xf16>"),
        (&["-t", tensor, "-l", "#ttg.blocked<{sizePerThread = [1, 2]}>"], "threadsPerWarp"),
        (&["-t", tensor, "-l", "#gluon.auto_encoding"], "no-layout"),
        (&["-t", "tensor<4xf16>", "-l", BLOCKED], "rank"),
        (&["-t", tensor, "-q"], "-q"),
        (&["-t", tensor, "-i", "/no/such/file"], "cannot read"),
        (&["-t", tensor, "-l", BLOCKED, "-o", "/no/such/folder/x"], "cannot write"),
    ] {
        let (code, out, err) = run(args, "");
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}: {err}");
        assert!(err.contains(said), "{args:?}: {err}");
    }
}

#[test]
fn without_a_layout_there_is_nothing_to_print() {
    assert_eq!(run(&["-t", "tensor<2x4xf16>"], ""), (0, String::new(), String::new()));
    assert!(run(&["-help"], "").1.contains("-use-hw-view"));
}
