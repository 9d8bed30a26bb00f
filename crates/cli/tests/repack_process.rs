//! `bitstride repack` as a process: what signals and kills leave behind, and how much memory it takes.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The bytes of Q4_0 blocks of 8 rows; a hole in the file of the input.
const BYTES: u64 = 8 * 18 * (3 << 20);

const BLOCKS: [&str; 6] =
    ["--from", "gguf:q4_0,n=8,k=100663296", "--to", "ggml:q4_0,rows=8,interleave=8", "--tensor", "tensor"];

/// A folder with `in.bin`, and `out.bin` that is there before.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    File::create(folder.path().join("in.bin")).unwrap().set_len(BYTES).unwrap();
    fs::write(folder.path().join("out.bin"), b"before").unwrap();
    folder
}

/// The program in a shell, behind some words of it.
fn program(folder: &TempDir, before: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("{before} exec \"$0\" \"$@\"");
    command.current_dir(folder).args(["-c", &script, env!("CARGO_BIN_EXE_bitstride"), "repack", "in.bin", "out.bin"]);
    command.args(BLOCKS).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whether a process has a file of a folder open that is neither the input nor the output.
fn writes(process: u32, folder: &TempDir) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let files = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    let mut here = files.filter(|file| file.parent() == Some(folder.path()));
    here.any(|file| !file.ends_with("in.bin") && !file.ends_with("out.bin"))
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill -s {name} {}", child.id())]).status();
    assert!(sent.unwrap().success());
}

/// Whatever moment a run is ended at, IN has its bytes, and OUT the old ones or all of the new ones.
#[test]
fn a_kill_leaves_in_and_out_whole() {
    let mut ended = 0;
    for (number, name) in ["KILL", "TERM", "KILL", "INT", "KILL", "KILL"].into_iter().enumerate() {
        let folder = folder();
        let child = program(&folder, "").spawn().unwrap();
        let since = Instant::now();
        while number > 0 && !writes(child.id(), &folder) && since.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(20 * u64::try_from(number).unwrap()));
        let is_nameless = fs::read_dir(&folder).unwrap().count() == 2;
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        ended += usize::from(output.status.code() != Some(0));
        let out = fs::metadata(folder.path().join("out.bin")).unwrap().len();
        assert!(out == 6 || out == BYTES, "{name}: OUT has {out} bytes");
        assert_eq!(fs::metadata(folder.path().join("in.bin")).unwrap().len(), BYTES);
        if is_nameless || name != "KILL" {
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "{name}: something was left behind");
        }
    }
    assert!(ended > 0, "every run ended before it was ended");
}

/// A constant is xored into every code without a copy of the tensor: memory of its own is far less than the tensor has.
#[test]
fn memory_is_bounded() {
    let folder = folder();
    // The stacks of threads are reserved; the tensor has 432 MiB.
    let output = program(&folder, "ulimit -d 300000;").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let out = fs::read(folder.path().join("out.bin")).unwrap();
    assert_eq!(out.len(), usize::try_from(BYTES).unwrap());
    // Codes of 0 are stored as 8, scales as they are.
    assert!(out.chunks(144).step_by(4099).all(|block| block[..16] == [0; 16] && block[16..] == [0x88; 128]));
}

/// A checkpoint of several files that is killed: an index names files that are whole, or there is none; IN and an index that was there
/// keep their bytes.
#[test]
fn a_kill_leaves_an_index_whole() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (files, bytes) = (3, 1 << 20);
    let mut names = Vec::new();
    for file in 0..files {
        let name = format!("in-{file}.safetensors");
        let header = format!(
            "{{\"t{file}\":{{\"dtype\":\"U8\",\"shape\":[128,{}],\"data_offsets\":[0,{bytes}]}}}}",
            bytes / 128
        );
        let mut whole = u64::try_from(header.len()).unwrap().to_le_bytes().to_vec();
        whole.extend(header.bytes());
        whole.extend((0..bytes).map(|at: u32| u8::try_from((at * 7 + file) % 251).unwrap()));
        fs::write(root.join(&name), whole).unwrap();
        names.push(format!("\"t{file}\":\"{name}\""));
    }
    fs::write(root.join("in.safetensors.index.json"), format!("{{\"weight_map\":{{{}}}}}", names.join(","))).unwrap();
    let run = |out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bitstride"));
        fs::create_dir_all(root.join(out)).unwrap();
        command.current_dir(root).args(["repack", "in.safetensors.index.json"]);
        command.arg(format!("{out}/model.safetensors.index.json"));
        command.args(["--from", "mx:scale", "--to", "mx:scale128x4"]);
        for file in 0..files {
            command.args(["--tensor", &format!("t{file}")]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let all = |out: &str| {
        let entries = fs::read_dir(root.join(out)).unwrap().map(|entry| entry.unwrap().path());
        entries
            .map(|path| (path.file_name().unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let since = Instant::now();
    let output = run("whole").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let takes = since.elapsed();
    let wanted = all("whole");
    assert_eq!(wanted.len(), 4);
    let index = std::ffi::OsString::from("model.safetensors.index.json");
    for seed in 0..8u32 {
        let out = format!("out{seed}");
        let mut child = run(&out).spawn().unwrap();
        sleep(takes * (seed * 37 % 100) / 80);
        signal(&child, "KILL");
        child.wait().unwrap();
        let left = all(&out);
        if left.contains_key(&index) {
            assert_eq!(left, wanted, "seed {seed}: an index of files that are not whole");
            let before = all(&out);
            assert!(!run(&out).status().unwrap().success(), "an index that is there is not replaced");
            assert_eq!(all(&out), before);
            continue;
        }
        assert!(run(&out).status().unwrap().success());
        let mut now = all(&out);
        // What a killed run began may lie beside, under a name of its own.
        now.retain(|name, _| wanted.contains_key(name));
        assert_eq!(now, wanted, "seed {seed}");
    }
}
