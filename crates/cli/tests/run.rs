//! The program over streams in memory, and once as a process: exit codes, and what no input may do to it.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::process::{Command, Stdio};

struct Printed {
    code: u8,
    out: String,
    err: String,
}

fn run_with(args: &[&str], mut input: &[u8]) -> Printed {
    let args = std::iter::once("bitstride").chain(args.iter().copied()).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = bitstride_cli::run(args, &mut input, &mut out, &mut err);
    Printed { code, out: String::from_utf8_lossy(&out).into_owned(), err: String::from_utf8_lossy(&err).into_owned() }
}

fn run(args: &[&str]) -> Printed {
    run_with(args, b"")
}

#[test]
fn exit_codes() {
    let cases: [(&[&str], u8); 12] = [
        (&["size(4)"], 0),
        (&["compatible(24, (4,6))"], 0),
        (&["compatible(24, (4,5))"], 1),
        (&["composition((4,4):(1,10), (3,2):(1,3))"], 1),
        (&["size(4"], 2),
        (&["size()"], 2),
        (&["size(4:1 + 7 + 4:1)"], 2),
        (&["composition((M,4):(1,K), 8:3)"], 3),
        (&["batch", "no-such-file"], 4),
        (&["compatible(4, 5)", "size(4", "4"], 2),
        (&["--no-such-option"], 2),
        (&["--version"], 0),
    ];
    for (args, code) in cases {
        let printed = run(args);
        assert_eq!(printed.code, code, "{args:?}: {}{}", printed.out, printed.err);
        let json = run(&[&["--json"], args].concat());
        assert_eq!(json.code, code, "--json {args:?}");
    }
}

#[test]
fn answers_and_errors_keep_to_their_streams() {
    let printed = run(&["4:1", "frob(1)", "8:1"]);
    assert_eq!((printed.out.as_str(), printed.code), ("4:1\n8:1\n", 2));
    assert!(printed.err.starts_with("error[unknown-name]: "), "{}", printed.err);
    let printed = run(&["--json", "4:1", "frob(1)", "8:1"]);
    assert_eq!((printed.out.lines().count(), printed.err.as_str()), (3, ""));
}

#[test]
fn colours_are_as_asked() {
    assert!(run(&["--color", "always", "frob(1)"]).err.contains('\u{1b}'));
    for args in [["frob(1)", "--color=never"], ["frob(1)", "--color=auto"]] {
        assert!(!run(&args).err.contains('\u{1b}'), "{args:?}");
    }
}

/// Texts that are too much, each with the code it is refused with.
fn monsters() -> Vec<(String, &'static str)> {
    vec![
        (String::new(), "unexpected-end"),
        ("(".repeat(10_000), "too-deep"),
        (format!("{}{}", "(".repeat(10_000), ")".repeat(10_000)), "too-deep"),
        ("<".repeat(500_000), "too-deep"),
        ("coalesce(".repeat(10_000), "too-deep"),
        (format!("({}4)", "4,".repeat(100_000)), "too-long"),
        ("9".repeat(10_000_000), "integer-too-large"),
        ("x".repeat(1_000_000), "unknown-name"),
        ("é".repeat(500_000), "unexpected-token"),
        (" ".repeat(1_000_000), "unexpected-end"),
        (format!("coalesce(({}4))", "4,".repeat(60_000)), "overflow"),
        (format!("{}4:1", "Sw<1,4,3> o 1 o ".repeat(20_000)), "too-large"),
        ("\u{1b}[31m".into(), "unexpected-token"),
    ]
}

#[test]
fn no_argument_is_too_much() {
    for (text, code) in monsters() {
        let printed = run(&["--", &text]);
        let start = text.chars().take(20).collect::<String>();
        assert_eq!(printed.code, 2, "{start}");
        assert!(printed.err.starts_with(&format!("error[{code}]: ")), "{start}: {}", printed.err);
        assert!(printed.err.len() < 8_000 && !printed.err.contains('\u{1b}'), "{start}: {} bytes", printed.err.len());
    }
}

#[test]
fn no_line_of_a_batch_is_too_much() {
    for (text, code) in monsters() {
        let request = serde_json::json!({"id": 1, "expr": text}).to_string();
        let printed = run_with(&["batch"], request.as_bytes());
        assert_eq!(printed.code, 0);
        let wanted = format!("{{\"id\":1,\"error\":{{\"code\":\"{code}\"");
        assert!(printed.out.starts_with(&wanted), "{}", printed.out.get(..200).unwrap_or_default());
    }
    let printed = run_with(&["batch"], "[".repeat(10_000_000).as_bytes());
    assert!(printed.out.starts_with("{\"error\":{\"code\":\"bad-request\""), "{}", printed.out);
    let printed = run_with(&["batch"], b"{\"expr\": \"\xff\"}\n{\"expr\": \"4:1\"}\n");
    assert_eq!((printed.code, printed.out.lines().count()), (0, 2));
}

#[test]
fn no_line_of_a_repl_is_too_much() {
    for (text, code) in monsters().into_iter().filter(|(text, _)| !text.trim().is_empty()) {
        let printed = run_with(&["repl"], text.as_bytes());
        assert_eq!(printed.code, 2);
        assert!(printed.err.starts_with(&format!("error[{code}]: ")), "{}", printed.err);
    }
    let printed = run_with(&["repl"], b"\xff\n:\n: \n:--json\n:eval\n4:1");
    assert!(printed.out.ends_with("\n4:1\n"), "{}", printed.out);
}

/// The values or codes of the lines that a batch answers.
fn answers(printed: &Printed) -> Vec<String> {
    let value = |line: &str| -> Option<String> {
        let object: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = object.get("value").or_else(|| object.get("error")?.get("code"))?;
        Some(text.as_str()?.to_owned())
    };
    printed.out.lines().map(|line| value(line).unwrap_or_else(|| line.to_owned())).collect()
}

#[test]
fn a_line_of_a_batch_has_a_budget() {
    let slow = r#"{"id": 7, "expr": "offsets((256,256):(1,300))", "let": "a"}"#;
    let printed = run_with(&["batch", "--budget", "0.000001"], slow.as_bytes());
    assert!(printed.out.starts_with("{\"id\":7,\"error\":{\"code\":\"undecided\""), "{}", printed.out);
    assert_eq!(printed.code, 0);
    let printed = run_with(&["batch", "--budget", "600"], format!("{slow}\n{{\"expr\": \"4:1\"}}").as_bytes());
    assert_eq!(answers(&printed).last().map(String::as_str), Some("4:1"));
    // Lines over their budget cost no other line.
    let long = r#"{"expr": "same(f32[1000003,999983]{1,0:T(*,128)}, f32[1000003,999983]{1,0:T(*,127)})"}"#;
    let lines = format!("{long}\n{long}\n{long}\n{{\"expr\": \"4:1\"}}\n{{\"expr\": \"size((2,3))\"}}");
    let printed = run_with(&["batch", "--budget", "2"], lines.as_bytes());
    assert_eq!(answers(&printed), ["undecided", "undecided", "undecided", "4:1", "6"]);
    for budget in ["0", "-1", "nan", "1e300", "x"] {
        assert_eq!(run_with(&["batch", &format!("--budget={budget}")], b"").code, 2, "{budget}");
    }
}

#[test]
fn lines_of_a_batch_may_name_values() {
    let lines = r#"{"let": "a", "expr": "(4,8):(8,1)"}
{"expr": "a(1,2)"}
{"let": "M", "expr": "frob(1)"}
{"expr": "size((M,4))"}
{"let": "M", "expr": "2"}
{"let": "M", "expr": "M*4"}
{"expr": "size((M,4))"}
{"let": "size", "expr": "2"}
{"let": 5, "expr": "2"}
{"let": "b(", "expr": "2"}
{"let": null, "expr": "a == a"}"#;
    let printed = run_with(&["batch"], lines.as_bytes());
    let wanted = [
        "(4,8):(8,1)",
        "10",
        "unknown-name",
        "4*M",
        "2",
        "8",
        "32",
        "unknown-name",
        "bad-request",
        "unknown-name",
        "same",
    ];
    assert_eq!(answers(&printed), wanted);
}

#[test]
fn commands_of_the_repl_take_what_they_need() {
    let lines = "a = (4,8):(8,1)
a(1,2)
:same a , (4,8):(8,1)
:same (4,8):(8,1), (4,8):(1,4)
:diff a, a
:same '4:1' '4:1'
:convert a --to xla --element f32
:explain size(a)
:relayout no-such-file.npy , b.npy --from a --to a
a = a(_,0)
size(a)
size = 4
exit
4:1";
    let printed = run_with(&["repl"], lines.as_bytes());
    assert_eq!(printed.code, 4, "{}{}", printed.out, printed.err);
    for (line, wanted) in
        [(0, "(4,8):(8,1)"), (1, "10"), (2, "same"), (3, "different"), (4, "same"), (5, "same"), (6, "f32[4,8]{1,0}")]
    {
        assert!(printed.out.lines().nth(line).is_some_and(|line| line.starts_with(wanted)), "{line}: {}", printed.out);
    }
    assert!(
        printed.err.contains("no-such-file.npy") && printed.err.contains("name of an operation"),
        "{}",
        printed.err
    );
    assert!(printed.out.ends_with("\n4\n"), "{}", printed.out);
    assert!(run_with(&["repl"], b"help\nquit\n4:1").out.contains(":same A , B"));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_text_is_an_error() {
    use std::os::unix::ffi::OsStringExt;
    let args = [OsString::from("bitstride"), OsString::from_vec(b"size(\xff)".to_vec()), "4:1".into()];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = bitstride_cli::run(args, &mut io::empty(), &mut out, &mut err);
    assert_eq!((code, out.as_slice()), (2, b"4:1\n".as_slice()));
    assert!(err.starts_with(b"error[not-utf8]: "));
}

/// A stream that fails.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
}

#[test]
fn a_stream_that_breaks_ends_the_run() {
    for args in [["eval", "4:1"], ["operations", "size"], ["completions", "bash"]] {
        for (kind, code) in [(io::ErrorKind::BrokenPipe, 0), (io::ErrorKind::StorageFull, 4)] {
            let args = ["bitstride"].iter().chain(&args).map(OsString::from);
            let mut err = Vec::new();
            let exit = bitstride_cli::run(args, &mut io::empty(), &mut Broken(kind), &mut err);
            assert_eq!((exit, err.is_empty()), (code, code == 0));
        }
    }
    for verb in ["batch", "repl"] {
        let args = ["bitstride", verb].map(OsString::from);
        let mut input = io::BufReader::new(Broken(io::ErrorKind::Other));
        assert_eq!(bitstride_cli::run(args, &mut input, &mut io::sink(), &mut io::sink()), 4, "{verb}");
    }
}

/// A program that asks only after it has seen the answer to its last question.
struct Asker<'c> {
    seen: &'c Cell<usize>,
    asked: usize,
    line: &'static [u8],
}

const QUESTION: &[u8] = b"{\"expr\": \"4:1\"}\n";

impl Read for Asker<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.fill_buf()?;
        let taken = rest.read(buffer)?;
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for Asker<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.line.is_empty() && self.asked < 3 {
            assert_eq!(self.seen.get(), self.asked, "an answer is still on its way");
            self.asked += 1;
            self.line = QUESTION;
        }
        Ok(self.line)
    }

    fn consume(&mut self, taken: usize) {
        self.line = self.line.get(taken..).unwrap_or_default();
    }
}

/// What has been flushed has been seen.
struct Seer<'c> {
    seen: &'c Cell<usize>,
    lines: RefCell<usize>,
}

impl Write for Seer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.lines.borrow_mut() += bytes.iter().filter(|byte| **byte == b'\n').count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.seen.set(*self.lines.borrow());
        Ok(())
    }
}

#[test]
fn a_program_can_converse_with_a_batch() {
    let seen = Cell::new(0);
    let mut input = Asker { seen: &seen, asked: 0, line: b"" };
    let mut out = Seer { seen: &seen, lines: RefCell::new(0) };
    let args = ["bitstride", "batch"].map(OsString::from);
    assert_eq!(bitstride_cli::run(args, &mut input, &mut out, &mut io::sink()), 0);
    assert_eq!((seen.get(), input.asked), (3, 3));
}

#[test]
fn every_example_of_the_operations_has_an_answer() {
    let listed = run(&["operations", "--json"]);
    for line in listed.out.lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        let name = object["name"].as_str().unwrap_or_default();
        let printed = run(&["operations", name]);
        assert!(
            printed.out.contains("\n  value") && !printed.out.contains("value      error"),
            "{name}: {}",
            printed.out
        );
        let example = object["example"].as_str().unwrap_or_default();
        assert!(run(&[example]).code <= 1, "{example}");
    }
    assert!(listed.out.lines().count() > 50);
}

#[test]
fn the_process_has_stack_and_pipes_enough() -> io::Result<()> {
    let program = || Command::new(env!("CARGO_BIN_EXE_bitstride"));
    for call in ["coalesce(", "size(4:1 o ", "(", "<"] {
        let close = if call == "<" { ">" } else { ")" };
        let nested = format!("{}4:1{}", call.repeat(127), close.repeat(127));
        let output = program().arg(&nested).output()?;
        assert!(output.status.code().is_some_and(|code| code <= 2), "{call}: {output:?}");
    }
    let output = program().arg("coalesce(".repeat(127) + "4:1" + &")".repeat(127)).output()?;
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"4:1\n".as_slice()));
    let output = program().arg("(".repeat(10_000)).output()?;
    assert_eq!(output.status.code(), Some(2));

    let mut batch = program().arg("batch").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    if let Some(mut input) = batch.stdin.take() {
        writeln!(input, "{{\"expr\": \"({}4)\"}}", "4,".repeat(5_000_000))?;
        writeln!(input, "{{\"expr\": \"size(4)\"}}")?;
    }
    let output = batch.wait_with_output()?;
    let lines: Vec<_> = output.stdout.split(|byte| *byte == b'\n').collect();
    assert_eq!(output.status.code(), Some(0));
    assert!(lines.first().is_some_and(|line| line.starts_with(b"{\"error\":{\"code\":\"too-long\"")));
    assert_eq!(lines.get(1), Some(&b"{\"kind\":\"int\",\"value\":\"4\",\"data\":4}".as_slice()));
    Ok(())
}
