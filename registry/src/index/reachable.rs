//! Walks all that hangs from a head, and lists all that lies in a registry's directory. Changes nothing.

use super::change::Base;
use super::document::parse as parse_document;
use super::error::IndexError;
use super::format::FormatError;
use super::head;
use super::init::is_temporary;
use super::lock;
use super::object::Kind;
use super::package::Package;
use super::snapshot::read_bin;
use crate::store::fs::FsError;
use pintle_manifest::Digest;
use std::io;
use std::path::{Path, PathBuf};

/// One thing met on the walk.
pub(super) enum Met<'a> {
    /// The head or an object names this object. Archives are not opened.
    Object(Kind, Digest),
    /// A package, after the objects that it names.
    Package(&'a Package),
    /// Something that can't be read; what hangs from it is not met.
    Problem(IndexError),
}

/// Walks from a head to every archive.
pub(super) fn walk(base: &mut Base<'_>, meet: &mut dyn FnMut(Met<'_>)) {
    meet(Met::Object(Kind::Table, base.head().table));
    let table = match base.table() {
        Ok(table) => table,
        Err(error) => return meet(Met::Problem(error)),
    };
    for number in 0..table.len() {
        let Some(digest) = table.bin(number) else { continue };
        meet(Met::Object(Kind::Bin, digest));
        let bin = match read_bin(base.source(), &table, number, digest) {
            Ok(bin) => bin,
            Err(error) => {
                meet(Met::Problem(error));
                continue;
            }
        };
        for (name, entry) in bin.entries {
            meet(Met::Object(Kind::Package, entry.document));
            match read_package(base, entry.document) {
                Ok(package) if package.name == name => meet_package(&package, meet),
                Ok(package) => {
                    let reason = format!("it is of `{}`, not of `{name}`", package.name);
                    let error = FormatError::Malformed(reason);
                    meet(Met::Problem(base.source().identity.bad_object(
                        Kind::Package,
                        entry.document,
                        error,
                    )));
                }
                Err(error) => meet(Met::Problem(error)),
            }
        }
    }
}

fn read_package(base: &Base<'_>, digest: Digest) -> Result<Package, IndexError> {
    let bytes = base.source().object(Kind::Package, &digest)?;
    parse_document(&bytes).map_err(|error| base.source().identity.bad_object(Kind::Package, digest, error))
}

fn meet_package(package: &Package, meet: &mut dyn FnMut(Met<'_>)) {
    for release in &package.releases {
        let archives = release.artifacts.values().map(|artifact| artifact.archive);
        archives.chain(release.readme).for_each(|digest| meet(Met::Object(Kind::Archive, digest)));
    }
    meet(Met::Package(package));
}

/// One file in the directory of a registry.
pub(super) enum Lying {
    /// An object, by its name.
    Object(Kind, Digest),
    /// A file that was never renamed to its place.
    Temporary,
    /// Something that does not belong there.
    Stray,
}

/// Lists what lies in a registry, sorted by path.
pub(super) fn list(root: &Path) -> Result<Vec<(PathBuf, Lying)>, FsError> {
    let mut all = Vec::new();
    let belongs = |name: &str| {
        name == head::FILE || name == lock::FILE || Kind::ALL.iter().any(|kind| kind.directory() == name)
    };
    for (path, name) in names(root)? {
        match () {
            () if belongs(&name) => {}
            () if is_temporary(Path::new(&name)) => all.push((path, Lying::Temporary)),
            () => all.push((path, Lying::Stray)),
        }
    }
    for kind in Kind::ALL {
        let directory = root.join(kind.directory());
        let found = match names(&directory) {
            Err(error) if error.is_not_found() => continue,
            found => found?,
        };
        for (path, name) in found {
            let digest = Digest::parse(&name).ok().filter(|digest| digest.to_hex() == name);
            let lying = match digest {
                Some(digest) => Lying::Object(kind, digest),
                None if is_temporary(Path::new(&name)) => Lying::Temporary,
                None => Lying::Stray,
            };
            all.push((path, lying));
        }
    }
    all.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(all)
}

fn names(dir: &Path) -> Result<Vec<(PathBuf, String)>, FsError> {
    let list = || -> io::Result<Vec<_>> {
        std::fs::read_dir(dir)?
            .map(|entry| entry.map(|entry| (entry.path(), entry.file_name().to_string_lossy().into_owned())))
            .collect()
    };
    list().map_err(FsError::new("list", dir))
}
