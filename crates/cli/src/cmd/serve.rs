//! `bitstride serve`: the live page over HTTP, on the loopback address alone.
//!
//! Files are read anew for each request. Law: nothing is answered but GET and HEAD of files of the page, and only where the request
//! names this machine as its host, so that no other page can read through the browser.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use bitstride::{Code, Error, error};

use crate::args::Serve;
use crate::session::{NO_FILE, Session};

/// The longest head of a request.
const MAX_HEAD_BYTES: u64 = 16 << 10;

/// How long a browser may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many connections are answered at once.
const MAX_CONNECTIONS: usize = 64;

/// The page that the program was built with.
#[cfg(feature = "page")]
const BUILT_IN: Option<&[u8]> = Some(include_bytes!("../../../../target/web/bitstride.html"));
#[cfg(not(feature = "page"))]
const BUILT_IN: Option<&[u8]> = None;

/// Where the page comes from.
enum Page {
    BuiltIn(&'static [u8]),
    /// One file.
    File(PathBuf),
    /// Files with an `index.html`.
    Folder(PathBuf),
}

pub(crate) fn run(args: &Serve, session: &mut Session) -> io::Result<u8> {
    let page = match (&args.page, BUILT_IN) {
        (Some(path), _) if path.is_dir() => Page::Folder(path.clone()),
        (Some(path), _) => match fs::metadata(path) {
            Ok(_) => Page::File(path.clone()),
            Err(error) => return session.no_file("read", path, &error),
        },
        (None, Some(page)) => Page::BuiltIn(page),
        (None, None) => {
            let error = Error::new(Code::Syntax("file"), "this program was built without the page")
                .with_help("build the page with `cargo xtask web` and serve it with --page target/web/bitstride.html");
            session.refuse("", &error)?;
            return Ok(NO_FILE);
        }
    };
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)) {
        Ok(listener) => listener,
        Err(error) => {
            session.refuse(
                "",
                &error!(Code::Syntax("port"), "cannot listen on 127.0.0.1:{port}: {error}", [port = args.port, error])
                    .with_help("choose another with --port"),
            )?;
            return Ok(NO_FILE);
        }
    };
    session.line(&format!("http://{}/", listener.local_addr()?))?;
    session.out.flush()?;
    serve(&listener, Arc::new(page));
    Ok(0)
}

/// Answers until the process ends.
fn serve(listener: &TcpListener, page: Arc<Page>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if open.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (page, open) = (Arc::clone(&page), Arc::clone(&open));
        thread::spawn(move || {
            // A browser that went away is no error of ours.
            let _ = answer(&stream, &page);
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn answer(stream: &TcpStream, page: &Page) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream).take(MAX_HEAD_BYTES);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let reply = reply(&lines, page);
    let mut writer = stream;
    writer.write_all(&reply.head())?;
    if !reply.is_head {
        writer.write_all(&reply.body)?;
    }
    writer.flush()
}

/// What is sent back.
struct Reply {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    /// Whether the request wants only the head.
    is_head: bool,
}

impl Reply {
    fn head(&self) -> Vec<u8> {
        format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        )
        .into_bytes()
    }
}

/// The reply to the lines of a request's head.
fn reply(lines: &[String], page: &Page) -> Reply {
    let plain = |status: &'static str| Reply {
        status,
        kind: "text/plain; charset=utf-8",
        body: status.as_bytes().to_vec(),
        is_head: false,
    };
    let mut words = lines.first().map(String::as_str).unwrap_or_default().split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return plain("400 Bad Request") };
    let is_head = method == "HEAD";
    if !is_head && method != "GET" {
        return plain("405 Method Not Allowed");
    }
    if !lines.iter().any(|line| is_own_host(line)) {
        return plain("403 Forbidden");
    }
    let path = target.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let body = match page {
        Page::BuiltIn(body) => (path == "index.html").then(|| body.to_vec()),
        Page::File(file) => (path == "index.html").then(|| fs::read(file).ok()).flatten(),
        Page::Folder(folder) => inside(folder, path).and_then(|file| fs::read(file).ok()),
    };
    match body {
        Some(body) => Reply { status: "200 OK", kind: kind(path), body, is_head },
        None => Reply { is_head, ..plain("404 Not Found") },
    }
}

/// Whether a line of a head names this machine as the host.
fn is_own_host(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let host = value.trim();
    let host = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(host, _)| host);
    name.eq_ignore_ascii_case("host") && matches!(host, "localhost" | "127.0.0.1")
}

/// A file of a folder; none for a path that leads out of it.
fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    is_inside.then(|| folder.join(path))
}

fn kind(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(head: &str, page: &Page) -> (&'static str, String) {
        let lines: Vec<String> = head.lines().map(str::to_owned).collect();
        let reply = reply(&lines, page);
        (reply.status, String::from_utf8_lossy(&reply.body).into_owned())
    }

    #[test]
    fn only_files_of_the_page_and_only_for_this_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("index.html"), "<p>page").expect("a file");
        fs::write(folder.path().join("main.js"), "1").expect("a file");
        let page = Page::Folder(folder.path().join("."));
        let get = |path: &str| asked(&format!("GET {path} HTTP/1.1\nHost: 127.0.0.1:8787"), &page);
        assert_eq!(get("/"), ("200 OK", "<p>page".to_owned()));
        assert_eq!(get("/index.html?x#y").0, "200 OK");
        assert_eq!(get("/main.js").1, "1");
        for path in ["/../Cargo.toml", "//etc/passwd", "/a/../../b", "/none", "/%2e%2e/x"] {
            assert_eq!(get(path).0, "404 Not Found", "{path}");
        }
        assert_eq!(asked("GET / HTTP/1.1\nHost: localhost", &page).0, "200 OK");
        assert_eq!(asked("GET / HTTP/1.1\nHost: evil.example:8787", &page).0, "403 Forbidden");
        assert_eq!(asked("GET / HTTP/1.1", &page).0, "403 Forbidden");
        assert_eq!(asked("POST / HTTP/1.1\nHost: localhost", &page).0, "405 Method Not Allowed");
        assert_eq!(asked("", &page).0, "400 Bad Request");
        let one = Page::BuiltIn(b"<p>one");
        assert_eq!(asked("GET / HTTP/1.1\nHost: localhost:1", &one).1, "<p>one");
        assert_eq!(asked("GET /x HTTP/1.1\nHost: localhost:1", &one).0, "404 Not Found");
    }
}
