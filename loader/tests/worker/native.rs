//! Native extensions: a library written in C, since the interface is C's, served by a loop as small as a test needs.

use crate::kit::{Asked, PATIENCE, SOON, alive, all, both, compile, one, setting, token};
use libtest_mimic::Trial;
use pintle_loader::worker::{Ended, Nursery, Program, SCOPE_VARIABLE, Worker, memfd_sealed};
use pintle_sdk::native::abi::{Buffer, STATUS_OK, Slice, Vtable};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::time::Duration;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(both("a_library_is_served_from_sealed_memory", served));
    trials.extend(both("a_library_that_forks_while_it_is_loaded_is_held", forks));
    trials.extend(both("a_library_that_crashes_costs_its_worker_alone", crashes));
    trials.extend(both("a_library_sees_its_own_environment", environment));
    trials.push(one("what_is_no_library_is_told", refused));
    trials.push(one("a_library_that_hangs_while_it_is_loaded_ends_with_the_start", hangs));
    trials
}

/// What the fixture has in common: a table whose `call` answers the bytes it is given, in reverse.
const TABLE: &str = r#"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct { const uint8_t *data; size_t length; } slice;
typedef struct { uint8_t *data; size_t length, capacity; void (*free)(uint8_t *, size_t, size_t); } buffer;
static void give(uint8_t *data, size_t length, size_t capacity) { free(data); }
static int32_t create(const void *host, slice hello, buffer *out) { return 0; }
static int32_t call(slice in, buffer *out) {
    if (in.length == 5 && !memcmp(in.data, "crash", 5)) abort();
    if (in.length == 3 && !memcmp(in.data, "env", 3)) {
        const char *scope = getenv("PINTLE_SCOPE"), *path = getenv("PATH"), *home = getenv("HOME");
        out->data = malloc(4096);
        out->length = snprintf((char *)out->data, 4096, "%s %s %s", scope, path, home ? home : "none");
    } else {
        out->data = malloc(in.length + 1);
        out->length = in.length;
        for (size_t i = 0; i < in.length; i++) out->data[i] = in.data[in.length - 1 - i];
    }
    out->capacity = out->length;
    out->free = give;
    return 0;
}
static void cancel(uint64_t call) {}
static int32_t dispose(slice dispose) { return 0; }
struct { uint32_t size; uint16_t major, minor; void *create, *call, *cancel, *dispose; } table =
    { sizeof(table), 1, 0, create, call, cancel, dispose };
"#;
pub(crate) const ENTRY: &str = "const void *pintle_entry_v1(void) { return &table; }\n";

/// Serves a library: one length of a byte and so many bytes in, the answer's length and bytes out.
pub(crate) fn serve(
    library: *const Vtable,
    mut from: File,
    mut to: File,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut length = [0];
    while from.read_exact(&mut length).is_ok() {
        let mut payload = vec![0; usize::from(length[0])];
        from.read_exact(&mut payload)?;
        let mut out = Buffer { data: std::ptr::null_mut(), length: 0, capacity: 0, free: None };
        let lent = Slice { data: payload.as_ptr(), length: payload.len() };
        // SAFETY: the table is that of the fixture, which keeps to the interface.
        #[expect(unsafe_code, reason = "calling a library is foreign code")]
        let answer = unsafe {
            assert_eq!(((*library).call)(lent, &raw mut out), STATUS_OK);
            let answer = std::slice::from_raw_parts(out.data, out.length).to_vec();
            out.free.unwrap()(out.data, out.length, out.capacity);
            answer
        };
        to.write_all(&[u8::try_from(answer.len())?])?;
        to.write_all(&answer)?;
    }
    Ok(())
}

/// Compiles a library and returns its bytes.
pub(crate) fn library(source: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let built = compile(&folder, &format!("#include <stdio.h>\n{TABLE}{source}"), &["-shared", "-fPIC"]);
    std::fs::read(built).unwrap()
}

fn program(bytes: &[u8]) -> Program {
    Program::Native { library: memfd_sealed(bytes).unwrap() }
}

fn ask(to: &mut File, from: &mut File, word: &str) -> Option<String> {
    to.write_all(&[u8::try_from(word.len()).unwrap()]).unwrap();
    to.write_all(word.as_bytes()).unwrap();
    let mut length = [0];
    from.read_exact(&mut length).ok()?;
    let mut answer = vec![0; usize::from(length[0])];
    from.read_exact(&mut answer).unwrap();
    Some(String::from_utf8(answer).unwrap())
}

async fn started(asked: Asked, source: &str) -> (Worker, File, File) {
    let worker = asked.nursery().spawn(&program(&library(source)), &setting(&token())).await.unwrap();
    let (to, from) = (worker.to.try_clone().unwrap(), worker.from.try_clone().unwrap());
    (worker, to.into(), from.into())
}

async fn served(asked: Asked) {
    let source =
        format!("{ENTRY}\n__attribute__((constructor)) static void said(void) {{ puts(\"hello\"); }}");
    let (worker, mut to, mut from) = started(asked, &source).await;
    assert_eq!(ask(&mut to, &mut from, "abc").as_deref(), Some("cba"));
    let name = std::fs::read_to_string(format!("/proc/{}/comm", worker.process.pid)).unwrap();
    assert_eq!(name, "pintle-native\n");
    drop((to, worker.to));
    assert_eq!(worker.process.wait().await, Ended::Exited(0));
    assert_eq!(all(worker.stdout).await, "hello\n");
}

async fn forks(asked: Asked) {
    let source = format!(
        "{ENTRY}\n__attribute__((constructor)) static void leave(void) {{ if (!fork()) {{ setsid(); if (fork()) _exit(0); \
         execl(\"/bin/sleep\", \"sleep\", \"300\", 0); }} }}"
    );
    let (worker, mut to, mut from) = started(asked, &source).await;
    assert_eq!(ask(&mut to, &mut from, "x").as_deref(), Some("x"));
    let scope = worker.process.record().scope;
    let until = std::time::Instant::now() + PATIENCE;
    while alive(&scope).is_empty() {
        assert!(std::time::Instant::now() < until, "the daemon has its token by its environment");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert!(worker.process.end(SOON / 4).await.is_gone);
    assert_eq!(alive(&scope), Vec::<String>::new());
}

async fn crashes(asked: Asked) {
    let (worker, mut to, mut from) = started(asked, ENTRY).await;
    assert_eq!(ask(&mut to, &mut from, "crash"), None);
    assert_eq!(worker.process.wait().await, Ended::Signaled(6));
}

async fn environment(asked: Asked) {
    let (worker, mut to, mut from) = started(asked, ENTRY).await;
    let scope = worker.process.record().scope;
    let expected = format!("{scope} /usr/local/bin:/usr/bin:/bin none");
    assert_eq!(ask(&mut to, &mut from, "env"), Some(expected));
    let environ = std::fs::read(format!("/proc/{}/environ", worker.process.pid)).unwrap();
    assert!(environ.iter().all(|byte| *byte == 0), "{SCOPE_VARIABLE} or the host's own is in it");
}

async fn refused() {
    let check = async |bytes: &[u8], expected: &str| {
        let error =
            Nursery::shared().spawn(&program(bytes), &setting(&token())).await.map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("the library can't be loaded: "), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!error.to_string().contains("/proc/"), "{error}");
    };
    check(b"", "the library").await;
    check(b"hello", "the library").await;
    check(&library("int other(void) { return 1; }"), "pintle_entry_v1").await;
    check(&library("const void *pintle_entry_v1(void) { return 0; }"), "returned nothing").await;
    let unresolved = format!("{ENTRY}\nextern int nowhere(void); int uses(void) {{ return nowhere(); }}");
    check(&library(&unresolved), "nowhere").await;
}

async fn hangs() {
    let scope = token();
    let source = format!(
        "{ENTRY}\n__attribute__((constructor)) static void hang(void) {{ setsid(); for (;;) pause(); }}"
    );
    let program = program(&library(&source));
    let nursery = Nursery::shared();
    let setting = setting(&scope);
    let start = nursery.spawn(&program, &setting);
    assert!(tokio::time::timeout(Duration::from_millis(200), start).await.is_err());
    // Its process shows no token, so it is looked for by its name.
    let until = std::time::Instant::now() + SOON;
    while hanging() > 0 {
        assert!(std::time::Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns how many native workers are below this test program's nurseries and still load.
fn hanging() -> usize {
    let this = std::process::id().to_string();
    let stat = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let parent =
        |pid: &str| stat(pid).rsplit(") ").next().unwrap_or_default().split(' ').nth(1).map(str::to_owned);
    let is_ours = |pid: &str| {
        let keeper = parent(pid);
        let nursery = keeper.as_deref().and_then(parent);
        nursery.as_deref().and_then(parent).as_deref() == Some(&this)
    };
    let listing = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = listing.filter_map(|file| file.file_name().into_string().ok());
    pids.filter(|pid| stat(pid).contains("(pintle-native) S") && is_ours(pid)).count()
}
