//! `bitstride relayout` as a process: what signals, limits and full disks do to it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use std::fs::{self, File};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A folder with `in`, which has this many bytes of 0, and `out`, which is there before.
fn folder(bytes: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    File::create(folder.path().join("in")).unwrap().set_len(bytes).unwrap();
    fs::write(folder.path().join("out"), b"before").unwrap();
    folder
}

fn out(folder: &TempDir) -> Vec<u8> {
    fs::read(folder.path().join("out")).unwrap()
}

/// The program in a shell, behind some words of it.
fn program(folder: &TempDir, before: &str, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("{before} exec \"$0\" \"$@\"");
    command
        .current_dir(folder)
        .args(["-c", &script, env!("CARGO_BIN_EXE_bitstride"), "relayout", "in", "out"])
        .args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ended_with(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Two bits at a time, which takes a second or more.
const SLOW: [&str; 8] =
    ["--element", "2", "--from", "(3,100000000):(100000000,1)", "--to", "(3,100000000):(1,3)", "--threads", "1"];

/// Whether a process has a file of a folder open that is neither `in` nor `out`: with a name of its own, or without.
fn writes(process: u32, folder: &TempDir) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let files = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    let mut here = files.filter(|file| file.parent() == Some(folder.path()));
    here.any(|file| !file.ends_with("in") && !file.ends_with("out"))
}

fn started(folder: &TempDir, before: &str) -> Child {
    let child = program(folder, before, &SLOW).spawn().unwrap();
    let since = Instant::now();
    while !writes(child.id(), folder) {
        assert!(since.elapsed() < Duration::from_secs(60), "nothing is written");
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(100));
    child
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill -s {name} {}", child.id())]).status();
    assert!(sent.unwrap().success());
}

/// Whether the tests were started so that they, and what they start, ignore a signal: by `nohup`, or in a shell's background.
fn ignored(signal: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1)
}

#[test]
fn signals_leave_no_file_behind() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = folder(75_000_000);
        let child = started(&folder, "");
        signal(&child, name);
        let ended = child.wait_with_output().unwrap();
        if ignored(number) {
            eprintln!("SIG{name} is ignored here: what it ends is not tested");
            assert_eq!((ended_with(&ended), out(&folder).len()), ((Some(0), String::new()), 75_000_000));
            continue;
        }
        let wanted = format!("error[interrupted]: ended by SIG{name}; out is as it was\n");
        assert_eq!(ended_with(&ended), (i32::try_from(128 + number).ok(), wanted));
        assert_eq!((fs::read_dir(&folder).unwrap().count(), out(&folder)), (2, b"before".to_vec()));
    }
}

/// What no program can heed: the file has no name, so that it goes with the process.
#[test]
fn a_kill_leaves_no_file_behind() {
    let folder = folder(75_000_000);
    let mut child = started(&folder, "");
    let listed = fs::read_dir(&folder).unwrap().count();
    assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
    signal(&child, "KILL");
    assert_eq!(child.wait_with_output().unwrap().status.code(), None);
    assert_eq!(out(&folder), b"before");
    if listed == 3 {
        eprintln!("this file system has no files without a name: what a kill leaves is not tested");
        return;
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn what_nohup_ignores_stays_ignored() {
    let folder = folder(75_000_000);
    let child = started(&folder, "trap '' HUP;");
    signal(&child, "HUP");
    assert_eq!(ended_with(&child.wait_with_output().unwrap()), (Some(0), String::new()));
    assert_eq!(out(&folder).len(), 75_000_000);
}

#[test]
fn limits_are_errors() {
    let folder = folder(200_000_000);
    let plain = ["--element", "8", "--from", "1000000:1", "--to", "1000000:1"];
    let (code, err) = ended_with(&program(&folder, "ulimit -f 100;", &plain).output().unwrap());
    assert!(
        code == Some(4) && err.contains("cannot write out: File too large (os error 27); it needs 1000000 bytes"),
        "{err}"
    );
    let rows = "(100000,2000):(2000,1)";
    let many = ["--element", "8", "--from", rows, "--to", rows, "--threads", "700"];
    // Steps that no size of a stack or of an allocation divides, so that memory ends at any moment of a start.
    for kilobytes in (900_000..1_000_000).step_by(9_973) {
        let (code, err) = ended_with(&program(&folder, &format!("ulimit -v {kilobytes};"), &many).output().unwrap());
        assert!(
            code == Some(2) && err.starts_with("error[threads]: ") && err.contains(" threads cannot be started: "),
            "{kilobytes}: {err}"
        );
        assert!(err.contains("= help: --threads 1 starts none"), "{kilobytes}: {err}");
    }
    assert_eq!((fs::read_dir(&folder).unwrap().count(), out(&folder)), (2, b"before".to_vec()));
    let alone = [&many[..6], &["--threads", "1"]].concat();
    assert_eq!(ended_with(&program(&folder, "ulimit -v 1000000;", &alone).output().unwrap()).0, Some(0));
}

#[test]
fn the_environment_starts_no_threads() {
    let folder = folder(8);
    let since = Instant::now();
    let plain = ["--element", "8", "--from", "8:1", "--to", "8:1 + 1", "--fill", "7"];
    let ended = program(&folder, "RAYON_NUM_THREADS=100000; export RAYON_NUM_THREADS;", &plain).output().unwrap();
    assert_eq!((ended_with(&ended).0, out(&folder)), (Some(0), [7, 0, 0, 0, 0, 0, 0, 0, 0].to_vec()));
    assert!(since.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_file_that_is_written_is_told_where_the_answer_is_not() {
    let folder = folder(8);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let plain = ["--element", "8", "--from", "8:1", "--to", "8:1"];
    let ended = program(&folder, "", &plain).stdout(full).output().unwrap();
    let (code, err) = ended_with(&ended);
    assert_eq!((code, out(&folder)), (Some(4), [0; 8].to_vec()));
    assert!(
        err.starts_with("error[io]: out has been written, but what was done cannot be printed: No space left"),
        "{err}"
    );
}
