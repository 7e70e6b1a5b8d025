//! Bounds: on what any archive may hold, and on what this one was said to hold.

use crate::archive::builder::{END, Header, file, gzip, open, pad, refused, tar_refused};
use crate::archive::folder::Folder;
use pintle_registry::archive::{
    Archive, ArchiveError, Expected, ExpectedTree, MAX_FILES, MAX_MANIFEST, MAX_PACKED, MAX_UNPACKED,
    PackError, pack,
};

fn many(count: u64) -> Vec<u8> {
    let mut tar = Vec::new();
    for number in 0..count {
        tar.extend(file(&format!("f{number:05}"), b""));
    }
    tar.extend(END);
    gzip(&tar)
}

#[test]
fn ten_thousand_files_are_allowed_and_one_more_is_not() {
    let folder = Folder::new();
    assert_eq!(open(&folder, &many(MAX_FILES)).unwrap().scan().unwrap().tree.len() as u64, MAX_FILES);
    refused("10,001 empty files", &many(MAX_FILES + 1), "archive.too_many_files");
}

#[test]
fn a_claimed_size_is_refused_before_anything_is_read() {
    let claim = |size| [Header { size, ..Header::default() }.bytes(), pad(&[0; 100])].concat();
    tar_refused("one byte too many", &claim(MAX_UNPACKED + 1), "archive.unpacked_size");
    tar_refused("eight gigabytes", &claim((8 << 30) - 1), "archive.unpacked_size");
    let two =
        [file("a", b"x"), Header { name: b"b", size: MAX_UNPACKED, ..Header::default() }.bytes()].concat();
    tar_refused("two together", &two, "archive.unpacked_size");
}

#[test]
fn ten_gigabytes_of_zeros_cost_neither_memory_nor_time() {
    // One flushed block of deflated zeros, again and again; the checksum is never reached.
    let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
    let (zeros, mut block) = (vec![0; 16 << 20], Vec::with_capacity(1 << 20));
    deflate.compress_vec(&zeros, &mut block, flate2::FlushCompress::Full).unwrap();
    assert_eq!(deflate.total_in(), 16 << 20);
    let bomb = |start: &[u8]| {
        let mut bytes = gzip(b"")[..10].to_vec();
        let mut first = Vec::with_capacity(4096);
        let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
        deflate.compress_vec(start, &mut first, flate2::FlushCompress::Full).unwrap();
        bytes.extend(first);
        (0..640).for_each(|_| bytes.extend(&block));
        bytes
    };
    refused("zeros from the start", &bomb(b""), "archive.after_end");
    refused("zeros behind a file", &bomb(&file("a", b"x")), "archive.after_end");
    let large = Header { size: (8 << 30) - 1, ..Header::default() }.bytes();
    refused("zeros in a file", &bomb(&large), "archive.unpacked_size");
    let folder = Folder::new();
    let allowed = Header { size: MAX_UNPACKED, ..Header::default() }.bytes();
    let archive = open(&folder, &bomb(&allowed)).unwrap();
    assert_eq!(archive.scan().unwrap_err().code(), Some("archive.after_end"));
    assert!(peak_memory_mib() < 200, "memory stays small: {} MiB", peak_memory_mib());
}

/// Reads the most memory that this process ever held; other tests run in it too.
fn peak_memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[test]
fn what_was_stated_is_a_bound_too() {
    let folder = Folder::new();
    let tar = [file("a", &[1; 1000]), file("b", &[2; 1000]), file("c", &[3; 1000]), END.to_vec()].concat();
    let archive = open(&folder, &gzip(&tar)).unwrap();
    let tree = archive.scan().unwrap().tree;
    let good = ExpectedTree { tree: tree.digest(), unpacked: 3000, files: 3 };
    let check = |expected: ExpectedTree, code: Option<&str>| {
        let staging = folder.path().join("staging");
        let unpacked = archive.unpack(&staging, Some(&expected), &|| false);
        assert_eq!(unpacked.as_ref().err().and_then(ArchiveError::code), code, "{expected:?}");
        assert_eq!(staging.exists(), code.is_none());
        pintle_registry::store::fs::remove_tree(&staging).unwrap();
    };
    check(good, None);
    check(ExpectedTree { unpacked: 2999, ..good }, Some("archive.unpacked_size"));
    check(ExpectedTree { files: 2, ..good }, Some("archive.too_many_files"));
    check(ExpectedTree { files: 0, ..good }, Some("archive.too_many_files"));
    check(ExpectedTree { tree: archive.digest(), ..good }, Some("archive.wrong_tree"));
}

#[test]
fn case_49_an_archive_is_checked_against_what_was_stated_and_never_empty() {
    let folder = Folder::new();
    let good = gzip(&[file("a", b"x"), END.to_vec()].concat());
    let path = folder.write("x.tar.gz", &good);
    let measured = Archive::open(&path).unwrap().measure().unwrap();
    let expected = Expected { archive: measured.digest(), size: good.len() as u64 };
    assert_eq!(Archive::open(&path).unwrap().verify(&expected).unwrap().digest(), expected.archive);

    let nothing = pintle_manifest::Digest::of(b"");
    let wrong = Expected { archive: nothing, ..expected };
    assert_eq!(
        Archive::open(&path).unwrap().verify(&wrong).unwrap_err().code(),
        Some("archive.wrong_digest")
    );
    let empty = folder.write("empty.tar.gz", "");
    let stated = Expected { archive: nothing, size: 0 };
    for refused in [Archive::open(&empty).unwrap().verify(&stated), Archive::open(&empty).unwrap().measure()]
    {
        assert_eq!(refused.unwrap_err().code(), Some("archive.empty"));
    }
    assert_eq!(Archive::open(folder.path()).unwrap_err().code(), Some("archive.not_a_file"));
    assert!(Archive::open(&folder.path().join("none")).unwrap_err().code().is_none());
}

#[test]
fn case_09_a_page_in_place_of_an_archive_is_shown_in_the_error() {
    let folder = Folder::new();
    let path = folder.write("x.tar.gz", "<!doctype html><title>Sign in</title>");
    let stated = |size| Expected { archive: pintle_manifest::Digest::of(b"x"), size };
    match Archive::open(&path).unwrap().verify(&stated(4000)).unwrap_err() {
        ArchiveError::WrongSize { expected: 4000, actual: 37, start } => {
            assert!(start.starts_with(b"<!doctype"))
        }
        error => panic!("{error}"),
    }
    match Archive::open(&path).unwrap().verify(&stated(37)).unwrap_err() {
        ArchiveError::WrongDigest { start, .. } => assert!(start.starts_with(b"<!doctype")),
        error => panic!("{error}"),
    }
}

#[test]
fn a_file_larger_than_any_archive_is_refused_unread() {
    let folder = Folder::new();
    let path = folder.path().join("large.tar.gz");
    std::fs::File::create(&path).unwrap().set_len(MAX_PACKED + 1).unwrap();
    assert_eq!(Archive::open(&path).unwrap().measure().unwrap_err().code(), Some("archive.packed_size"));
    let expected = Expected { archive: pintle_manifest::Digest::of(b""), size: MAX_PACKED + 1 };
    assert_eq!(
        Archive::open(&path).unwrap().verify(&expected).unwrap_err().code(),
        Some("archive.packed_size")
    );
}

#[test]
fn a_single_file_is_read_up_to_its_bound() {
    let folder = Folder::new();
    let tar = [file("README.md", b"hello"), file("extension.toml", b"x = 1\n"), END.to_vec()].concat();
    let archive = open(&folder, &gzip(&tar)).unwrap();
    assert_eq!(archive.scan().unwrap().manifest.as_deref(), Some(b"x = 1\n".as_slice()));
    let read = |path: &str, most| archive.read_file(&path.parse().unwrap(), most);
    assert_eq!(read("README.md", 5).unwrap().as_deref(), Some(b"hello".as_slice()));
    assert_eq!(read("none", 5).unwrap(), None);
    assert_eq!(read("README.md", 4).unwrap_err().code(), Some("archive.file_size"));
    let manifest = vec![b' '; usize::try_from(MAX_MANIFEST).unwrap() + 1];
    tar_refused("manifest", &[file("extension.toml", &manifest), END.to_vec()].concat(), "archive.file_size");
}

#[test]
fn what_no_reader_would_take_is_not_packed() {
    let folder = Folder::new();
    let pack = |files: &[_]| pack(files, std::io::sink());
    assert!(matches!(pack(&[]), Err(PackError::NoFiles)));
    let a = folder.source("a", b"x", false);
    let many: Vec<_> = (0..=MAX_FILES)
        .map(|number| {
            let mut file = a.clone();
            file.path = format!("f{number}").parse().unwrap();
            file
        })
        .collect();
    assert!(matches!(pack(&many), Err(PackError::TooManyFiles { actual: 10_001 })));
    assert!(matches!(pack(&[a.clone(), a.clone()]), Err(PackError::Collision(_))));
    let mut upper = a.clone();
    upper.path = "A".parse().unwrap();
    assert!(matches!(pack(&[a.clone(), upper]), Err(PackError::Collision(_))));
    let mut gone = a.clone();
    gone.from = folder.path().join("none");
    assert!(matches!(pack(&[gone]), Err(PackError::Disk(_))));
    let mut directory = a.clone();
    directory.from = folder.path().to_owned();
    assert!(matches!(pack(&[directory]), Err(PackError::NotAFile { .. })));
    let mut link = a.clone();
    link.from = folder.path().join("link");
    std::os::unix::fs::symlink(&a.from, &link.from).unwrap();
    assert!(matches!(pack(&[link]), Err(PackError::Disk(_))));
    let mut large = a;
    large.from = folder.path().join("large");
    std::fs::File::create(&large.from).unwrap().set_len(MAX_UNPACKED + 1).unwrap();
    assert!(matches!(pack(&[large]), Err(PackError::UnpackedTooLarge { .. })));
}

#[test]
fn a_file_that_changes_while_it_is_read_is_not_packed() {
    // A file under /proc says that it has no bytes, and then has some.
    let path = std::path::PathBuf::from("/proc/self/stat");
    if path.exists() {
        let file = pintle_registry::archive::SourceFile {
            path: "stat".parse().unwrap(),
            from: path,
            executable: false,
        };
        assert!(matches!(pack(&[file], std::io::sink()), Err(PackError::Changed { .. })));
    }
}
