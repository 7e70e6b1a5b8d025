"""Homes of Pintle with so many extensions installed, and commands run through them."""

import os
import shutil
import subprocess
import time

MANIFEST = """manifest_version = 1

[extension]
name = "{name}"
version = "0.1.0"
description = "Is measured"
license = "Apache-2.0"
readme = "README.md"

[hosts.agent]
api_version = ">=1.0, <2"

[entry]
runtime = "process"
command = ["bin/it"]

[hooks."tool.call"]
"""


class Homes:
    """One home for each count; each was filled by `pintle install` from a registry in a directory."""

    def __init__(self, pintle, extension, work, counts):
        self.pintle, self.work = pintle, work
        # Releases in a store are read-only.
        subprocess.run(["chmod", "-R", "u+w", work], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        for count in counts:
            self.fill(count, extension)

    def fill(self, count, extension):
        self.run(count, "registry", "init", self.work / f"registry-{count}")
        self.run(count, "registry", "add", "main", self.work / f"registry-{count}")
        names = [f"guard-{number:03}" for number in range(count)]
        for name in names:
            folder = self.work / "folders" / name
            (folder / "bin").mkdir(parents=True, exist_ok=True)
            (folder / "extension.toml").write_text(MANIFEST.format(name=name))
            (folder / "README.md").write_text("Is measured.\n")
            shutil.copy(extension, folder / "bin/it")
            self.run(count, "publish", folder)
        if names:
            self.run(count, "install", *names)

    def run(self, count, *words):
        command = [self.pintle, "--quiet", *words]
        subprocess.run(command, env=self.env(count), cwd=self.work, check=True, stdout=subprocess.DEVNULL)

    def env(self, count):
        return {"PATH": os.environ["PATH"], "HOME": str(self.work), "PINTLE_HOME": str(self.work / f"home-{count}")}

    def time_plain(self):
        """How long `true` takes, in nanoseconds."""
        return timed(["/bin/true"], self.env(0), self.work)

    def time(self, count):
        """How long `pintle exec true` takes, in nanoseconds."""
        return timed([self.pintle, "exec", "true"], self.env(count), self.work)


def timed(command, env, cwd):
    begun = time.perf_counter_ns()
    subprocess.run(command, env=env, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter_ns() - begun
