//! Serves a folder over HTTP/1.1 with keep-alive, from memory, so that no installer waits for the server. It knows
//! only what package registries need: GET, HEAD, `index.json` for a folder, ETags, and a count of the requests.
//! Built by `run` with plain `rustc`; it refuses to be a web server for anything else, and listens on loopback only.
//!
//! Usage: `server FOLDER [PORT]`. Prints the port. `GET /-/count` answers how many requests came since it was last asked.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct File {
    head: String,
    etag: String,
    body: Vec<u8>,
}

struct Site {
    files: HashMap<String, File>,
    requests: AtomicU64,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: server FOLDER [PORT]");
    let port = arguments.next().map_or(0, |text| text.parse().expect("a port is a number"));
    let mut files = HashMap::new();
    load(Path::new(&folder), "", &mut files)?;
    let site = Arc::new(Site { files, requests: AtomicU64::new(0) });
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("{}", listener.local_addr()?.port());
    std::io::stdout().flush()?;
    for stream in listener.incoming() {
        let (site, stream) = (Arc::clone(&site), stream?);
        // Small stacks: a client may open hundreds of connections.
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        thread.spawn(move || drop(serve(&site, stream)))?;
    }
    Ok(())
}

/// Reads every file, under the address it is asked for by.
fn load(folder: &Path, address: &str, files: &mut HashMap<String, File>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().expect("names are ASCII");
        if entry.file_type()?.is_dir() {
            load(&entry.path(), &format!("{address}/{name}"), files)?;
            continue;
        }
        let address = if name == "index.json" { address.to_owned() } else { format!("{address}/{name}") };
        let body = std::fs::read(entry.path())?;
        let kind = match () {
            () if address.starts_with("/pypi/simple/") => "application/vnd.pypi.simple.v1+json",
            () if name.ends_with(".json") => "application/json",
            () => "application/octet-stream",
        };
        // The files never change while the server runs, so the address is enough to tell one from another.
        let etag = format!("\"{}-{}\"", address.replace('/', "-"), body.len());
        // Public registries let their index be kept for some minutes, too.
        let fresh = "Cache-Control: public, max-age=600";
        let length = body.len();
        let head = format!("Content-Type: {kind}\r\nContent-Length: {length}\r\nETag: {etag}\r\n{fresh}\r\n\r\n");
        files.insert(address, File { head, etag, body });
    }
    Ok(())
}

fn serve(site: &Site, mut stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default());
        let address = target.split('?').next().unwrap_or_default().trim_end_matches('/').to_owned();
        let (mut known, mut close) = (String::new(), false);
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line == "\r\n" {
                break;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            match name.to_ascii_lowercase().as_str() {
                "if-none-match" => known = value.trim().to_owned(),
                "connection" => close = value.trim().eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        answer(site, &mut stream, &method, &address, &known)?;
        if close {
            return Ok(());
        }
    }
}

fn answer(site: &Site, stream: &mut TcpStream, method: &str, address: &str, known: &str) -> Result<()> {
    if address == "/-/count" {
        let text = site.requests.swap(0, Ordering::Relaxed).to_string();
        return write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len());
    }
    site.requests.fetch_add(1, Ordering::Relaxed);
    let Some(file) = site.files.get(&address.replace("%40", "@")) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    };
    if known == file.etag {
        return write!(stream, "HTTP/1.1 304 Not Modified\r\nETag: {}\r\n\r\n", file.etag);
    }
    let head = format!("HTTP/1.1 200 OK\r\n{}", file.head);
    if method == "HEAD" {
        return stream.write_all(head.as_bytes());
    }
    // A small answer goes out in one piece.
    if file.body.len() < 16 << 10 {
        return stream.write_all(&[head.as_bytes(), &file.body].concat());
    }
    stream.write_all(head.as_bytes())?;
    stream.write_all(&file.body)
}
