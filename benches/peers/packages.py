"""Renders one set of packages for every tool that is measured: the same names, versions, dependencies and file bytes as
an npm registry, a PyPI simple index with wheels, a cargo sparse registry, and folders or lines for a Pintle registry.

Nothing here is random from run to run. The bytes of the files are slices of a real program, so that they compress as
programs do.
"""

import base64
import gzip
import hashlib
import io
import json
import pathlib
import random
import tarfile
import zipfile

VERSIONS = [f"1.{minor}.{patch}" for minor in range(3) for patch in range(4)]
NEWEST = VERSIONS[-1]
ENTRY = "data/f000.bin"


class PackageSet:
    """`count` packages of `files` files of `size` bytes; each needs up to three of those before it."""

    def __init__(self, name, count, files, size, versions=(NEWEST,)):
        self.name, self.count, self.files, self.size, self.versions = name, count, files, size, list(versions)

    def packages(self, program):
        """Yields (name, names of dependencies, [(path, bytes)])."""
        chance = random.Random(self.name)
        with open(program, "rb") as source:
            length = source.seek(0, io.SEEK_END)
            for number in range(self.count):
                needs = sorted({chance.randrange(number) for _ in range(3)}) if number else []
                files = []
                for file in range(self.files):
                    source.seek(chance.randrange(length - self.size))
                    files.append((f"data/f{file:03}.bin", source.read(self.size)))
                yield package_name(number), [package_name(need) for need in needs], files

    def names(self):
        return [package_name(number) for number in range(self.count)]


def package_name(number):
    return f"pkg{number:04}"


def render(package_set, program, site, address):
    """Writes the site that the peers read, and beside it what a Pintle registry is made from."""
    for name, needs, files in package_set.packages(program):
        npm(site / "npm", f"{address}/npm", name, needs, files, package_set.versions)
        pypi(site / "pypi", f"{address}/pypi", name, needs, files, package_set.versions)
        cargo(site / "cargo", name, needs, files, package_set.versions)
    write(site / "cargo/config.json", json.dumps({"dl": f"{address}/cargo/crates/{{crate}}-{{version}}.crate"}))


def folders(package_set, program, target):
    """Writes a folder for `pintle publish` for each package, and returns them, dependencies first."""
    made = []
    for name, needs, files in package_set.packages(program):
        for path, data in [("extension.toml", manifest(name, needs).encode())] + files:
            write(target / name / path, data)
        (target / name / ENTRY).chmod(0o755)
        made.append(target / name)
    return made


def lines(package_set, program):
    """Yields what the importer reads: `name versions requirement needs`."""
    for name, needs, _ in package_set.packages(program):
        yield f"{name} {','.join(package_set.versions)} ^1 {','.join(needs)}\n"


def manifest(name, needs):
    return (
        f'manifest_version = 1\n\n[extension]\nname = "{name}"\nversion = "{NEWEST}"\n'
        'description = "A package to measure with"\nlicense = "Apache-2.0"\n\n'
        f'[hosts.agent]\napi_version = ">=1, <2"\n\n[entry]\nruntime = "process"\ncommand = ["{ENTRY}"]\n'
        + ("\n[dependencies]\n" + "".join(f'{need} = "^1"\n' for need in needs) if needs else "")
    )


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def tar_gz(files, top):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, compresslevel=6) as compressed:
        with tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path, data in files:
                entry = tarfile.TarInfo(f"{top}/{path}")
                entry.size, entry.mode = len(data), 0o644
                archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def npm(root, address, name, needs, files, versions):
    about = {"name": name, "version": NEWEST, "dependencies": {need: "^1" for need in needs}, "main": "i.js"}
    archive = tar_gz([("package.json", json.dumps(about).encode()), ("i.js", b"")] + files, "package")
    write(root / name / "-" / f"{name}-{NEWEST}.tgz", archive)
    dist = {
        "tarball": f"{address}/{name}/-/{name}-{NEWEST}.tgz",
        "integrity": "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode(),
        "shasum": hashlib.sha1(archive).hexdigest(),
        "unpackedSize": sum(len(data) for _, data in files),
        "fileCount": len(files) + 2,
    }
    time = "2024-01-01T00:00:00.000Z"
    document = {
        "name": name,
        "dist-tags": {"latest": NEWEST},
        "versions": {version: about | {"version": version, "dist": dist} for version in versions},
        "time": {version: time for version in versions} | {"created": time, "modified": time},
        "modified": time,
    }
    write(root / name / "index.json", json.dumps(document))


def pypi(root, address, name, needs, files, versions):
    def metadata(version):
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        return (head + "".join(f"Requires-Dist: {need}>=1,<2\n" for need in needs)).encode()

    wheel = b"Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    info = f"{name}-{NEWEST}.dist-info"
    inside = [(f"{name}/__init__.py", b"")] + [(f"{name}/{path}", data) for path, data in files]
    inside += [(f"{info}/METADATA", metadata(NEWEST)), (f"{info}/WHEEL", wheel)]
    packed, record = io.BytesIO(), []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, data in inside:
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
        archive.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    digest = hashlib.sha256(packed.getvalue()).hexdigest()
    listed = []
    for version in versions:
        file = f"{name}-{version}-py3-none-any.whl"
        write(root / "files" / f"{file}.metadata", metadata(version))
        listed.append({
            "filename": file,
            "url": f"{address}/files/{file}",
            "hashes": {"sha256": digest},
            "requires-python": ">=3.8",
            "size": len(packed.getvalue()),
            "upload-time": "2024-01-01T00:00:00Z",
            "core-metadata": {"sha256": hashlib.sha256(metadata(version)).hexdigest()},
        })
    write(root / "files" / f"{name}-{NEWEST}-py3-none-any.whl", packed.getvalue())
    document = {"meta": {"api-version": "1.1"}, "name": name, "versions": versions, "files": listed}
    write(root / "simple" / name / "index.json", json.dumps(document))


def cargo(root, name, needs, files, versions):
    about = f'[package]\nname = "{name}"\nversion = "{NEWEST}"\nedition = "2021"\n[dependencies]\n'
    about += "".join(f'{need} = "^1"\n' for need in needs)
    archive = tar_gz([("Cargo.toml", about.encode()), ("src/lib.rs", b"")] + files, f"{name}-{NEWEST}")
    write(root / "crates" / f"{name}-{NEWEST}.crate", archive)
    common = {"features": [], "optional": False, "default_features": True, "target": None, "kind": "normal"}
    deps = [{"name": need, "req": "^1"} | common for need in needs]
    checksum = hashlib.sha256(archive).hexdigest()
    rows = [
        {"name": name, "vers": version, "deps": deps, "cksum": checksum, "features": {}, "yanked": False}
        for version in versions
    ]
    write(root / name[:2] / name[2:4] / name, "".join(json.dumps(row) + "\n" for row in rows))


def projects(package_set, address, target, names=None):
    """Writes, for each tool, a project that wants every package of the set."""
    names = names or package_set.names()
    wants = {"dependencies": {name: "^1" for name in names}}
    for tool in ("bun", "pnpm"):
        write(target / tool / "package.json", json.dumps({"name": "root", "version": "0.1.0", "private": True} | wants))
        write(target / tool / ".npmrc", f"registry={address}/npm/\n")
    requires = "".join(f'  "{name}>=1,<2",\n' for name in names)
    write(
        target / "uv/pyproject.toml",
        f'[project]\nname = "root"\nversion = "0.1.0"\nrequires-python = ">=3.8"\ndependencies = [\n{requires}]\n'
        f'[[tool.uv.index]]\nname = "bench"\nurl = "{address}/pypi/simple/"\ndefault = true\n',
    )
    rows = "".join(f'{name} = "^1"\n' for name in names)
    write(
        target / "cargo/Cargo.toml",
        f'[package]\nname = "root"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n{rows}',
    )
    write(target / "cargo/src/lib.rs", "")
    write(
        target / "cargo/.cargo/config.toml",
        f'[source.crates-io]\nreplace-with = "bench"\n[source.bench]\nregistry = "sparse+{address}/cargo/"\n',
    )


def pintle_project(package_set, registry, target, names=None):
    rows = "".join(f'{name} = "^1"\n' for name in names or package_set.names())
    write(target / "pintle.toml", f'[registries.bench]\npath = "{registry}"\n\n[extensions]\n{rows}')
