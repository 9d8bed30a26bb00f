//! `bitstride serve` over a socket.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use bitstride_cli::run;

/// Sends what is written.
struct Sent(Sender<String>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Nobody may listen any more.
        let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_page_is_served_on_the_loopback_address() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<!doctype html><title>bitstride</title>")?;
    let (sender, receiver) = channel();
    let args = ["bitstride", "serve", "--port", "0", "--page"].map(OsString::from).into_iter().chain([page.into()]);
    let args: Vec<OsString> = args.collect();
    // It serves until the process ends.
    std::thread::spawn(move || run(args, &mut std::io::empty(), &mut Sent(sender), &mut std::io::sink()));
    let mut said = String::new();
    while !said.ends_with("/\n") {
        said += &receiver.recv_timeout(Duration::from_secs(60)).expect("an address");
    }
    let address = said.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let mut stream = TcpStream::connect(&address)?;
    stream.write_all(format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("<title>bitstride</title>"), "{answer}");
    Ok(())
}

#[test]
fn what_cannot_be_served_is_refused() {
    let mut err = Vec::new();
    let args = ["bitstride", "serve", "--page", "no/such/page.html"].map(OsString::from);
    let code = run(args, &mut std::io::empty(), &mut std::io::sink(), &mut err);
    assert_eq!(code, 4, "{}", String::from_utf8_lossy(&err));
}
