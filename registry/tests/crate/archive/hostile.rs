//! Archives on which readers disagree, or which reach outside. Each is refused, with the entry named.

use crate::archive::builder::{END, Header, file, gzip, open, pad, pax, refused, tar_refused};
use crate::archive::folder::Folder;
use pintle_registry::archive::{ArchiveError, Refusal};

/// Checks the code and the entry that is named for it.
fn check(what: &str, parts: &[&[u8]], code: &str, entry: &str) {
    let error = tar_refused(what, &parts.concat(), code);
    let named = error.blamed().map(ToString::to_string).unwrap_or_default();
    assert_eq!(named, entry, "{what}");
}

const PAX: &str = "./PaxHeaders/x";

#[test]
fn pax_headers_are_refused_whatever_they_say() {
    let inner = file("evil", b"pwn");
    let one = |key: &str, value: &[u8]| pax(b'x', &[(key, value)]);
    let eight = file("a", b"12345678");
    let unit = file("u", b"x");
    let size = inner.len().to_string();
    let empty = Header::default().bytes();
    let large = Header { size: 1024, ..Header::default() }.bytes();
    let gnu =
        Header { name: b"././@LongLink", size: 9, kind: b'L', magic: b"ustar  \0", ..Header::default() };
    let gnu = [gnu.bytes(), pad(b"gnuname1\0")].concat();
    let sparse: &[(&str, &[u8])] = &[
        ("GNU.sparse.major", b"1"),
        ("GNU.sparse.minor", b"0"),
        ("GNU.sparse.name", b"real"),
        ("GNU.sparse.realsize", b"4"),
    ];
    let map = [b"0\n".as_slice(), &[0; 510], b"data"].concat();
    let all: [(&str, Vec<Vec<u8>>); 12] = [
        ("pax-size-desync-zero", vec![one("size", size.as_bytes()), empty, inner.clone()]),
        ("pax-size-desync-nonzero", vec![one("size", b"512"), large, inner]),
        ("dup-pax-path", vec![pax(b'x', &[("path", b"good"), ("path", b"evil")]), unit.clone()]),
        ("two-x-headers", vec![one("path", b"one"), one("path", b"two"), unit.clone()]),
        ("global-path", vec![pax(b'g', &[("path", b"evil")]), file("a", b"x"), file("b", b"x")]),
        ("pax-and-longname", vec![one("path", b"paxname"), gnu, unit.clone()]),
        ("nul-in-pax-path", vec![one("path", b"good\0/../evil"), unit.clone()]),
        ("gnu-sparse-pax", vec![pax(b'x', sparse), file("GNUSparseFile.0/real", &map)]),
        ("pax-hdrcharset", vec![pax(b'x', &[("hdrcharset", b"BINARY"), ("path", b"\xff\xfe")]), unit]),
        ("leading-zero-pax-size", vec![one("size", b"0000000010"), eight.clone()]),
        ("pax-size-plus", vec![one("size", b"+8"), eight.clone()]),
        ("solaris-x", vec![pax(b'X', &[("path", b"evil")]), eight]),
    ];
    for (what, parts) in all {
        check(what, &[&parts.concat(), &END], "archive.pax", PAX);
    }
}

#[test]
fn entries_that_are_not_files_are_refused() {
    let (inner, last) = (file("evil", b"pwn"), file("b", b"x"));
    let special = |name: &'static str, kind: u8, size: u64, link: &'static str| {
        Header { name: name.as_bytes(), kind, size, link: link.as_bytes(), ..Header::default() }.bytes()
    };
    let with = |header: Vec<u8>| [header, inner.clone(), last.clone(), END.to_vec()].concat();
    check("dir-with-size", &[&with(special("d/", b'5', 512, ""))], "archive.directory", "d/");
    check("symlink-with-size", &[&with(special("s", b'2', 1024, "/etc/passwd"))], "archive.link", "s");
    check("hardlink-with-size", &[&with(special("h", b'1', 1024, "a"))], "archive.link", "h");
    check("unknown-type-Z", &[&with(special("z", b'Z', 1024, ""))], "archive.unknown_type", "z");
    check("symlink", &[&special("s", b'2', 0, "../../.."), &END], "archive.link", "s");
    check("old-style file", &[&special("a", 0, 0, ""), &END], "archive.unknown_type", "a");
    check("contiguous file", &[&special("a", b'7', 0, ""), &END], "archive.unknown_type", "a");
    check("sparse", &[&special("a", b'S', 0, ""), &END], "archive.sparse", "a");
    check("long link", &[&special("a", b'K', 0, ""), &END], "archive.gnu_long_name", "a");
    for kind in [b'3', b'4'] {
        check("device", &[&special("dev", kind, 0, ""), &END], "archive.device", "dev");
    }
    check("fifo", &[&special("pipe", b'6', 0, ""), &END], "archive.fifo", "pipe");
    let claim = Header {
        name: b"././@LongLink",
        kind: b'L',
        magic: b"ustar  \0",
        raw_size: Some(*b"10000000000\0"),
        ..Header::default()
    };
    check("longname-1gib-claim", &[&claim.bytes(), &END], "archive.gnu_long_name", "././@LongLink");
}

#[test]
fn case_07_paths_that_leave_the_package_or_that_readers_disagree_about_are_refused() {
    let names: [(&[u8], &str); 22] = [
        (b"../e", "../e"),
        (b"/e", "/e"),
        (b"a/../../e", "a/../../e"),
        (b"../../evil", "../../evil"),
        (b"./a", "./a"),
        (b"a//b", "a//b"),
        (b"dir/", "dir/"),
        (b"C:e", "C:e"),
        (b"C:../e", "C:../e"),
        (b"C:\\evil", "C:\\evil"),
        (b"..\\evil", "..\\evil"),
        (b"\\\\h\\s", "\\\\h\\s"),
        (b"a\nb", "a\\u{a}b"),
        (b"a\x1b[2Jb", "a\\u{1b}[2Jb"),
        (b"aux.txt", "aux.txt"),
        (b"d/NUL", "d/NUL"),
        (b"COM\xc2\xb9", "COM\u{b9}"),
        (b"e\xcc\x81.txt", "e\u{301}.txt"),
        (b"\xc3\xa9.txt", "\u{e9}.txt"),
        (b"a b", "a b"),
        (b"a.", "a."),
        (b"\xff\xfe", "\\xff\\xfe"),
    ];
    for (name, shown) in names {
        let header = Header { name, size: 1, ..Header::default() };
        check(shown, &[&header.bytes(), &pad(b"x"), &END], "archive.path", shown);
    }
    check("nul", &[&Header { name: b"a\0b", ..Header::default() }.bytes(), &END], "archive.field", "a");
    let prefix = Header { name: b"evil", prefix: b"../..", size: 1, ..Header::default() };
    check("prefix-dotdot", &[&prefix.bytes(), &pad(b"x"), &END], "archive.path", "../../evil");
    let deep = ["d"; 33].join("/");
    check("33 levels", &[&file(&deep, b""), &END], "archive.path", &deep);
    let link = Header { name: b"a", kind: b'2', link: b"../../..", ..Header::default() };
    check("write through a link", &[&link.bytes(), &file("a/evil", b"x"), &END], "archive.link", "a");
    let needless = Header { name: b"b", prefix: b"a", ..Header::default() };
    check("a prefix where none is needed", &[&needless.bytes(), &END], "archive.field", "a/b");
}

#[test]
fn case_08_paths_that_collide_are_refused_on_every_platform() {
    let two = |one: &str, other: &str| [file(one, b"x"), file(other, b"y"), END.to_vec()].concat();
    check(
        "a file twice",
        &[&two("p/manifest.toml", "p/manifest.toml")],
        "archive.duplicate",
        "p/manifest.toml",
    );
    check("case", &[&two("A", "a")], "archive.collision", "a");
    check("case of a name", &[&two("bin/Run", "bin/run")], "archive.collision", "bin/run");
    check("case of a directory", &[&two("Dir/a", "dir/b")], "archive.collision", "dir/b");
    check("file and directory", &[&two("a", "a/b")], "archive.collision", "a/b");
    check("file and directory, by case", &[&two("A", "a/b")], "archive.collision", "a/b");
    check("order", &[&two("b", "a")], "archive.order", "a");
    check("order by bytes", &[&two("a/b", "a-b")], "archive.order", "a-b");
    let error = tar_refused("case", &two("bin/Run", "bin/run"), "archive.collision");
    assert_eq!(
        error.to_string(),
        "the entry `bin/run` is refused: `bin/run` and `bin/Run` differ only in case"
    );
}

#[test]
fn every_field_of_a_header_is_as_it_must_be() {
    let with = |header: Header<'_>| [header.bytes(), END.to_vec()].concat();
    let patched = |at: usize, bytes: &[u8]| with(Header { patch: &[(at, bytes)], ..Header::default() });
    for mode in [0o4755, 0o2755, 0o1777, 0o666, 0o600, 0o777, 0] {
        check("mode", &[&with(Header { mode, ..Header::default() })], "archive.mode", "a");
    }
    check("mode with spaces", &[&patched(100, b"   644 \0")], "archive.field", "a");
    check("user", &[&patched(108, b"0001750\0")], "archive.owner", "a");
    check("group", &[&patched(116, b"0001750\0")], "archive.owner", "a");
    check("time", &[&patched(136, b"14000000000\0")], "archive.time", "a");
    check("user name", &[&patched(265, b"root")], "archive.owner", "a");
    check("group name", &[&patched(297, b"wheel")], "archive.owner", "a");
    check("link name of a file", &[&patched(157, b"b")], "archive.field", "a");
    check("device", &[&patched(329, b"0000001\0")], "archive.field", "a");
    check("bytes behind a name", &[&patched(50, b"x")], "archive.field", "a");
    check("the last bytes", &[&patched(511, b"x")], "archive.field", "a");
    check("gnu magic", &[&with(Header { magic: b"ustar  \0", ..Header::default() })], "archive.magic", "a");
    check("no magic", &[&with(Header { magic: &[0; 8], ..Header::default() })], "archive.magic", "a");
    let huge = *b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff";
    let negative = *b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0";
    for raw in [huge, negative, *b"000000000001", *b"          1\0", *b"00000000009\0", *b"-0000000001\0"] {
        let header = Header { raw_size: Some(raw), ..Header::default() };
        check("size", &[&with(header)], "archive.size", "a");
    }
    let mut header = Header::default().bytes();
    header[148..156].copy_from_slice(b"0000000\0");
    check("checksum", &[&header, &END], "archive.checksum", "a");
    let mut header = Header::default().bytes();
    let spaced = format!("{}\0 ", std::str::from_utf8(&header[149..155]).unwrap());
    header[148..156].copy_from_slice(spaced.as_bytes());
    let error = tar_refused("checksum of other writers", &[header, END.to_vec()].concat(), "archive.field");
    assert!(matches!(error, ArchiveError::Entry { refusal: Refusal::Field { field: "checksum" }, .. }));
    let mut dirty = file("a", b"x");
    dirty[600] = 1;
    check("padding", &[&dirty, &END], "archive.padding", "a");
}

#[test]
fn an_archive_ends_once_and_then_is_over() {
    let (a, hidden) = (file("a", b"x"), file("hidden", b"x"));
    check("data-after-end", &[&a, &END, &hidden, &END], "archive.after_end", "");
    check("one-zero-block-then-entry", &[&a, &[0; 512], &hidden, &END], "archive.lone_zero_block", "");
    check("three zero blocks", &[&a, &END, &[0; 512]], "archive.after_end", "");
    check("one byte more", &[&a, &END, &[0]], "archive.after_end", "");
    check("tar's usual filling", &[&a, &END, &[0; 9216 - 1024]], "archive.after_end", "");
    check("no-end-marker", &[&a], "archive.no_end", "");
    check("half an end", &[&a, &[0; 512]], "archive.no_end", "");
    check("end cut short", &[&a, &[0; 1000]], "archive.truncated", "");
    let body = Header { size: 4096, ..Header::default() }.bytes();
    check("truncated-body", &[&body, &[b'x'; 512]], "archive.truncated", "");
    check("header cut short", &[&a, &hidden[..100]], "archive.truncated", "");
    check("a size that leads past the end", &[&body, &END], "archive.truncated", "");
    check("nothing at all", &[], "archive.no_end", "");
    check("no files", &[&END], "archive.no_files", "");
}

#[test]
fn the_gzip_member_is_the_only_thing_in_the_file_and_is_whole() {
    let good = gzip(&[file("a", b"x"), END.to_vec()].concat());
    assert!(open(&Folder::new(), &good).unwrap().scan().is_ok());
    let with = |more: &[u8]| [&good, more].concat();
    refused("second member", &with(&gzip(&file("hidden", b"x"))), "archive.second_member");
    refused("empty second member", &with(&gzip(b"")), "archive.second_member");
    refused("junk", &with(b"junk"), "archive.after_gzip");
    refused("a zero", &with(&[0]), "archive.after_gzip");
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    for at in good.len() - 8..good.len() {
        refused("checksum or size", &changed(at), "archive.damaged");
    }
    for at in 0..3 {
        refused("magic", &changed(at), "archive.not_gzip");
    }
    for at in 3..10 {
        refused("gzip header", &changed(at), "archive.gzip_header");
    }
    let named = flate2::GzBuilder::new().filename("x.tar").write(Vec::new(), flate2::Compression::best());
    refused("a name in the gzip header", &named.finish().unwrap(), "archive.gzip_header");
    for length in 1..good.len() {
        let error = refused("cut", &good[..length], "archive.truncated");
        assert!(matches!(error, ArchiveError::Truncated), "at {length}");
    }
    refused("html", b"<html><body>Sign in to the network</body></html>", "archive.not_gzip");
}
