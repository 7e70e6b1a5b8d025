"""The commands that are interrupted, each with the home it starts from. Every command can be run again as it is."""

import os
import shutil
from dataclasses import dataclass
from typing import Callable

import checker
import points
from world import write


@dataclass
class Scenario:
    name: str
    command: list
    prepare: Callable


def start(slot, *commands):
    slot.run(["registry", "add", "main", slot.world.registry, "--user"])
    for command in commands:
        slot.run([*command.split(), "--user"])


def install(slot):
    start(slot, "install gamma")


def update(slot):
    # Five generations are there, so that the update also removes one.
    start(slot, "install alpha@>=0.1 gamma@>=0.1", "update alpha --precise 0.1.0", "update gamma --precise 0.1.0",
          "uninstall gamma", "install gamma@>=0.1", "update gamma --precise 0.1.0")  # fmt: skip


def uninstall(slot):
    start(slot, "install alpha gamma")


def rollback(slot):
    start(slot, "install gamma", "install alpha")


def gc(slot):
    start(slot, "install alpha@>=0.1 gamma", "update alpha --precise 0.1.0", "update alpha", "uninstall alpha",
          "install racer-0", "install racer-1", "install racer-2", "install racer-3")  # fmt: skip
    # What a killed installation leaves.
    os.makedirs(f"{slot.home}/store/.staging-1-0/unnamed")
    write(f"{slot.home}/store/.staging-1-0/unnamed/file", "part of")


def sync(slot):
    start(slot, "install alpha gamma")
    texts = {}
    for name in ("pintle.toml", "pintle.lock"):
        with open(f"{slot.home}/{name}") as file:
            texts[name] = file.read()
    slot.clear()
    for name, text in texts.items():
        write(f"{slot.home}/{name}", text)


def verify(slot):
    start(slot, "install alpha gamma")
    # A changed file, a missing one and one too many in one entry; the list of another gone; a wrong link.
    gamma, beta = (os.path.realpath(f"{slot.home}/current/ext/{name}") for name in ("gamma", "beta"))
    for directory, _, _ in os.walk(gamma):
        os.chmod(directory, 0o755)
    os.chmod(f"{gamma}/bin/main", 0o755)
    write(f"{gamma}/bin/main", "#!/bin/sh\nchanged\n")
    os.unlink(f"{gamma}/data/empty")
    write(f"{gamma}/data/extra", "")
    os.unlink(f"{beta}.tree")
    link = f"{slot.home}/current/ext/alpha"
    os.unlink(link)
    os.symlink("../../../store/nowhere", link)


def disable(slot):
    start(slot, "install alpha gamma", "disable gamma")


def project(slot):
    start(slot)
    shutil.copy(f"{slot.home}/pintle.toml", f"{slot.folder}/pintle.toml")
    slot.run(["install", "gamma", "--project"])


def killed(slot, at):
    """An installation that was killed before the call that `at` finds, so that the next command has to recover."""
    start(slot, "install gamma")
    slot.save(f"{slot.root}/template-killed")
    processor = min(os.sched_getaffinity(0))
    words = ["install", "alpha", "--user"]
    found, _ = points.find(slot, words, processor)
    slot.restore(f"{slot.root}/template-killed")
    commit = next(index for index, point in enumerate(found) if point.text.endswith('/current") = 0'))
    log = f"{slot.root}/trace"
    slot.attempt(words, points.inject(found[commit + at], "signal=KILL", processor, log))
    if not checker.inspect(slot.place).leftovers:
        raise RuntimeError("the installation was not killed within its commit")


def first(slot):
    """A project for which nothing was installed yet."""
    start(slot)
    shutil.copy(f"{slot.home}/pintle.toml", f"{slot.folder}/pintle.toml")


SCENARIOS = [
    Scenario("install", ["install", "alpha", "--user"], install),
    Scenario("update", ["update", "--user"], update),
    Scenario("uninstall", ["uninstall", "alpha", "--user"], uninstall),
    Scenario("rollback", ["rollback", "1", "--user"], rollback),
    Scenario("gc", ["gc", "--user"], gc),
    Scenario("sync", ["sync", "--user"], sync),
    Scenario("verify", ["verify", "--fix", "--user"], verify),
    Scenario("disable", ["disable", "alpha", "--user"], disable),
    Scenario("drop", ["install", "alpha", "--user"], lambda slot: killed(slot, 0)),
    Scenario("finish", ["install", "alpha", "--user"], lambda slot: killed(slot, 1)),
    Scenario("project", ["install", "alpha", "--project"], project),
    Scenario("first", ["install", "alpha", "--project"], first),
]


@dataclass
class Case:
    """A scenario made ready in a slot: its template, and what is true before the command and after it."""

    slot: object
    scenario: Scenario
    template: str
    before: checker.State
    after: checker.State
    outside: dict
    again: int


def make_ready(slot, scenario):
    slot.place = checker.user_place(slot.home)
    if "--project" in scenario.command:
        slot.place = checker.project_place(slot.home, slot.folder)
    slot.clear()
    scenario.prepare(slot)
    template = f"{slot.root}/template-{scenario.name}"
    slot.save(template)
    before = checker.inspect(slot.place)
    slot.run(scenario.command)
    after = checker.inspect(slot.place)
    if after.problems or after.leftovers:
        raise RuntimeError(f"{scenario.name} without a fault: {after.problems or after.leftovers}")
    # How the command ends when there is nothing left for it to do: `uninstall` then says so, and fails.
    again, _, _ = slot.attempt(scenario.command)
    slot.restore(template)
    return Case(slot, scenario, template, before, after, slot.fingerprint(), again)
