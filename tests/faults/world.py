"""What the tests act on: a registry with small packages, and slots, each a home and what lies outside it."""

import os
import shutil
import subprocess

import checker

RACERS = [f"racer-{number}" for number in range(8)]


class World:
    """A registry, made by the binary under test, and the directory that everything else is in."""

    def __init__(self, pintle, root):
        self.pintle, self.root = os.path.abspath(pintle), root
        self.registry = f"{root}/registry"
        os.makedirs(f"{root}/packages")
        slot = Slot(self, "publish")
        slot.run(["registry", "init", self.registry])
        for version in ("0.1.0", "0.2.0"):
            self.publish(slot, "beta", version, {})
            self.publish(slot, "alpha", version, {"beta": ">=0.1"})
            self.publish(slot, "gamma", version, {})
        for name in RACERS:
            self.publish(slot, name, "0.1.0", {})

    def publish(self, slot, name, version, dependencies):
        folder = f"{self.root}/packages/{name}-{version}"
        os.makedirs(f"{folder}/bin")
        lines = [
            "manifest_version = 1", "[extension]", f'name = "{name}"', f'version = "{version}"',
            'description = "Made for the fault tests"', "[hosts.agent]", 'api_version = ">=1.0, <2"',
            "[entry]", 'runtime = "process"', 'command = ["bin/main"]', "[dependencies]",
        ]  # fmt: skip
        lines += [f'{other} = "{requirement}"' for other, requirement in dependencies.items()]
        write(f"{folder}/extension.toml", "\n".join(lines) + "\n")
        write(f"{folder}/bin/main", f"#!/bin/sh\n# {name} {version}\nexec cat\n")
        os.chmod(f"{folder}/bin/main", 0o755)
        if name == "gamma":
            os.makedirs(f"{folder}/data/deep")
            # Larger than any buffer that a file is unpacked through, so it is written in several calls.
            write(f"{folder}/data/deep/large", f"{version} of gamma\n" * 20_000)
            write(f"{folder}/data/empty", "")
        slot.run(["publish", folder, "--registry", self.registry])


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


class Slot:
    """A home and its surroundings. One process uses it at a time; `where` puts it on another file system."""

    def __init__(self, world, name, where=None):
        self.world = world
        self.root = f"{where or world.root}/slot-{name}"
        self.home, self.folder = f"{self.root}/home", f"{self.root}/folder"
        self.outside = [f"{self.root}/{part}" for part in ("folder", "user", "temporary")]
        for directory in self.outside:
            os.makedirs(directory, exist_ok=True)
        write(f"{self.root}/user/untouched", "This must stay as it is.\n")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": f"{self.root}/user", "TMPDIR": f"{self.root}/temporary",
            "PINTLE_HOME": self.home, "NO_COLOR": "1", "RUST_BACKTRACE": "0",
        }  # fmt: skip
        self.place = checker.user_place(self.home)

    def argv(self, words):
        return [self.world.pintle, *words]

    def start(self, words, before=()):
        """Starts a command, in a process group of its own."""
        return subprocess.Popen(
            [*before, *self.argv(words)], cwd=self.folder, env=self.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        )  # fmt: skip

    def attempt(self, words, before=(), timeout=60):
        """Runs a command to its end. Returns its exit code and what it wrote."""
        process = self.start(words, before)
        try:
            out, error = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return -99, "", f"no end within {timeout} s"
        return process.returncode, out, error

    def run(self, words):
        """Runs a command that must succeed."""
        code, out, error = self.attempt(words)
        if code != 0:
            raise RuntimeError(f"pintle {' '.join(words)} ended with {code}: {out}{error}")
        return out

    def save(self, template):
        remove(template)
        shutil.copytree(self.home, f"{template}/home", symlinks=True)
        shutil.copytree(self.folder, f"{template}/folder", symlinks=True)

    def restore(self, template):
        for part, place in (("home", self.home), ("folder", self.folder)):
            remove(place)
            shutil.copytree(f"{template}/{part}", place, symlinks=True)

    def clear(self):
        for place in (self.home, self.folder):
            remove(place)
            os.makedirs(place)

    def fingerprint(self):
        return checker.fingerprint([*self.outside, self.world.registry], {self.place.wishes, self.place.lock})


def remove(path):
    """Removes a tree, also where it is read-only; the tests need not run as root."""
    for directory, _, _ in os.walk(path):
        os.chmod(directory, 0o700)
    shutil.rmtree(path, ignore_errors=True)
