"""Where cargo puts what it builds, which `CARGO_TARGET_DIR` or a configuration may have moved."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def release(program):
    """The path of a release build of a program."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    described = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return pathlib.Path(json.loads(described)["target_directory"]) / "release" / program
