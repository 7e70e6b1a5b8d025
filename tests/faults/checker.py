"""Reads a Pintle home and says what is wrong with it. Shares no code with Pintle, asks it nothing, changes nothing.

`inspect` returns a State. Two states with the same `identity` are the same set to whoever uses it; `problems` is
empty if that set is whole; `leftovers` names what an interrupted command left behind and a later one should remove.
"""

import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass, field

TEMPORARY = re.compile(r"^\.staging-|\.tmp-\d+-\d+|^\.aside-|\.saved-\d+$|^pending\.json$")


@dataclass
class Place:
    """Where the parts of a scope are: the user's are in the home, a project's wishes are beside its code."""

    home: str
    base: str
    wishes: str
    lock: str


@dataclass
class State:
    identity: str = ""
    generation: int | None = None
    extensions: dict = field(default_factory=dict)
    disabled: list = field(default_factory=list)
    problems: set = field(default_factory=set)
    leftovers: list = field(default_factory=list)
    names: frozenset = frozenset()


def user_place(home):
    return Place(home, home, f"{home}/pintle.toml", f"{home}/pintle.lock")


def project_place(home, folder):
    key = hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:16]
    return Place(home, f"{home}/projects/{key}", f"{folder}/pintle.toml", f"{folder}/pintle.lock")


def inspect(place):
    state = State()
    wrong = state.problems.add
    pending = read_pending(place, wrong)
    state.generation = read_current(place, wrong)
    found = {}
    if state.generation is not None:
        found = read_set(place, state.generation, wrong)
    for number in kept_generations(place, pending):
        read_set(place, number, wrong)
    texts = effective_texts(place, pending, state.generation, wrong)
    if found:
        for part, copy in (("wishes", "pintle.toml"), ("lock", "pintle.lock")):
            if texts[part] != found[part]:
                wrong(f"{copy} is {texts[part]}, and generation {state.generation} was made for {found[part]}")
    state.extensions = {
        name: [one["version"], one.get("tree"), one.get("wish")]
        for name, one in found.get("extensions", {}).items()
    }
    state.disabled = read_disabled(place, wrong)
    state.identity = json.dumps([state.generation, state.extensions, texts, state.disabled], sort_keys=True)
    state.names, state.leftovers = walk(place.home)
    return state


def digest(path):
    """The digest of a file as Pintle writes it; None if nothing is there."""
    try:
        with open(path, "rb") as file:
            return "sha256:" + hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return None


def read_json(path, wrong):
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read())
    except FileNotFoundError:
        return None
    except ValueError as error:
        wrong(f"{path} can't be read: {error}")
        return None
    if not isinstance(value, dict) or value.get("version") != 1:
        wrong(f"{path} has no version 1")
        return None
    return value


def read_pending(place, wrong):
    return read_json(f"{place.base}/state/pending.json", wrong)


def read_current(place, wrong):
    link = f"{place.base}/current"
    if not os.path.lexists(link):
        return None
    match = re.fullmatch(r"generations/([1-9]\d*)", os.readlink(link))
    if not match:
        wrong(f"current leads to {os.readlink(link)}")
        return None
    return int(match[1])


def kept_generations(place, pending):
    """Every generation that one may go back to. One that is pending may still be anything: it can be dropped."""
    directory = f"{place.base}/generations"
    numbers = [int(name) for name in os.listdir(directory) if name.isdigit()] if os.path.isdir(directory) else []
    return [number for number in numbers if pending is None or number != pending["generation"]]


def read_set(place, number, wrong):
    """Reads a generation and everything it names. Returns its set.json; empty if that can't be used."""
    generation = f"{place.base}/generations/{number}"
    found = read_json(f"{generation}/set.json", wrong)
    if found is None:
        wrong(f"generation {number} has no set.json that can be read")
        return {}
    if found["generation"] != number:
        wrong(f"generation {number} says that it is {found['generation']}")
    for part, copy in (("wishes", "pintle.toml"), ("lock", "pintle.lock")):
        if digest(f"{generation}/{copy}") != found[part]:
            wrong(f"generation {number}: its copy of {copy} is not what its set says")
    links = set(os.listdir(f"{generation}/ext")) if os.path.isdir(f"{generation}/ext") else set()
    if links != set(found["extensions"]):
        wrong(f"generation {number} links {sorted(links)}, and has {sorted(found['extensions'])}")
    for name, one in found["extensions"].items():
        if one.get("tree"):
            check_entry(place, name, one["tree"].removeprefix("sha256:"), f"{generation}/ext/{name}", wrong)
    return found


def check_entry(place, name, tree, link, wrong):
    entry = os.path.realpath(f"{place.home}/store/{tree}")
    if os.path.islink(link) and os.path.realpath(link) != entry:
        wrong(f"{name}: its link leads to {os.readlink(link)}")
    try:
        with open(f"{entry}.tree", "rb") as file:
            text = file.read()
    except FileNotFoundError:
        wrong(f"{name}: {tree[:12]} has no list of files")
        return
    if hashlib.sha256(text).hexdigest() != tree:
        wrong(f"{name}: the list of {tree[:12]} has another digest")
        return
    listed = set()
    for line in text.decode().splitlines()[1:]:
        mode, size, hexadecimal, path = line.split(" ", 3)
        listed.add(path)
        check_file(name, f"{entry}/{path}", mode, int(size), hexadecimal, wrong)
    for directory, _, files in os.walk(entry):
        for file in files:
            path = os.path.relpath(os.path.join(directory, file), entry)
            if path not in listed:
                wrong(f"{name}: {path} is not listed")


def check_file(name, path, mode, size, hexadecimal, wrong):
    short = "/".join(path.split("/")[-2:])
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        wrong(f"{name}: {short} is missing")
        return
    if not stat.S_ISREG(status.st_mode) or status.st_size != size or digest(path) != f"sha256:{hexadecimal}":
        wrong(f"{name}: {short} has other bytes")
    if bool(status.st_mode & 0o100) != (mode == "0755"):
        wrong(f"{name}: {short} has another mode")


def effective_texts(place, pending, current, wrong):
    """The digests of wishes and lock as they are, or as recovery will make them.

    A pending file whose generation is current means that the change holds: a text that is still the one before
    counts as the one after, if the copy to restore it from is there. Otherwise the texts before must stand.
    """
    texts = {"wishes": digest(place.wishes), "lock": digest(place.lock)}
    if pending is None:
        return texts
    holds = pending["generation"] == current
    for file in pending["files"]:
        part = "wishes" if file["copy"] == "pintle.toml" else "lock"
        if holds and texts[part] == file["before"]:
            if digest(f"{place.base}/generations/{current}/{file['copy']}") != file["after"]:
                wrong(f"{file['copy']} can't be restored from generation {current}")
            texts[part] = file["after"]
        elif holds and texts[part] != file["after"] or not holds and texts[part] != file["before"]:
            wrong(f"{file['copy']} is neither what it was nor what it was to be")
    return texts


def read_disabled(place, wrong):
    path = f"{place.base}/state/disabled.json"
    value = read_json(path, wrong)
    if value is None and os.path.lexists(path):
        wrong("state/disabled.json can't be read")
    return sorted((value or {}).get("disabled", {}))


def walk(home):
    """All names in a home but those of the cache, and those of them that only an interrupted command leaves."""
    names, leftovers = set(), []
    for directory, directories, files in os.walk(home):
        below = os.path.relpath(directory, home)
        if below == ".":
            directories[:] = [name for name in directories if name != "cache"]
        elif below.startswith("store/") and re.fullmatch(r"store/[0-9a-f]{64}", below):
            directories[:], files = [], []
        for name in directories + files:
            path = os.path.normpath(os.path.join(below, name))
            names.add(path)
            if TEMPORARY.search(name):
                leftovers.append(path)
    for directory, _, files in os.walk(f"{home}/cache"):
        below = os.path.relpath(directory, home)
        leftovers += [os.path.join(below, file) for file in files if TEMPORARY.search(file)]
    return frozenset(names), sorted(leftovers)


def fingerprint(directories, ignore=()):
    """What everything in some directories is, by name, size, time and inode, to show that nothing changed."""
    seen = {}
    for root in directories:
        for directory, inner, files in os.walk(root):
            for name in inner + files:
                path = os.path.join(directory, name)
                if path not in ignore:
                    status = os.lstat(path)
                    times = (status.st_size, status.st_mtime_ns) if not stat.S_ISDIR(status.st_mode) else ()
                    seen[path] = (status.st_mode, status.st_ino, *times)
    return seen
