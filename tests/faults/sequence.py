"""A home that lives through many commands, each of which may be cut short. Used for random kills and power cuts.

Before each command, the same command runs to its end on a copy of the home; so the test knows what the new set is
without knowing what the command means.
"""

import os
import shutil
import time

import checker
from single import judge_failure
from world import Slot, remove

COMMANDS = [
    "install alpha@>=0.1", "install gamma@>=0.1", "update alpha --precise 0.1.0", "update gamma --precise 0.1.0",
    "update", "uninstall alpha", "uninstall gamma", "disable gamma", "enable gamma", "gc", "sync", "verify --fix",
    "rollback", "lock", "install racer-0 racer-1", "uninstall racer-0 racer-1",
]  # fmt: skip


class Sequence:
    """One home and its copy. `step` runs one command with one fault in it."""

    def __init__(self, world, name, rng, where=None):
        self.rng, self.slot = rng, Slot(world, name, where)
        self.copy = Slot(world, f"{name}-copy")
        self.slot.clear()
        self.slot.run(["registry", "add", "main", world.registry, "--user"])
        self.begin()

    def begin(self):
        for command in ("install beta", "install gamma"):
            self.slot.run([*command.split(), "--user"])

    def choose(self):
        """Picks a command that succeeds here. Returns it, the state now and then, and how long it takes."""
        before = checker.inspect(self.slot.place)
        while True:
            words = [*self.rng.choice(COMMANDS).split(), "--user"]
            if words[0] == "rollback":
                kept = sorted(int(name) for name in os.listdir(f"{self.slot.home}/generations") if name.isdigit())
                words.insert(1, str(self.rng.choice(kept)))
            remove(self.copy.home)
            shutil.copytree(self.slot.home, self.copy.home, symlinks=True)
            began = time.monotonic()
            code, _, _ = self.copy.attempt(words)
            seconds = time.monotonic() - began
            if code == 0:
                return words, before, checker.inspect(self.copy.place), seconds

    def step(self, cut):
        """Runs a command and lets `cut` end it. Returns what is wrong, with the words of the command."""
        words, before, after, seconds = self.choose()
        outside = self.slot.fingerprint()
        code, error = cut(self.slot, words, seconds)
        wrong = [] if code == -9 else judge_failure(code, error)
        state = checker.inspect(self.slot.place)
        wrong += [f"after the fault: {problem}" for problem in sorted(state.problems)]
        acknowledged = code == 0
        if state.identity not in ([after.identity] if acknowledged else [before.identity, after.identity]):
            wrong.append(f"neither old nor new (exit 0: {acknowledged}): {state.identity}, was {before.identity}")
        changed = state.identity == after.identity != before.identity
        wrong += self.judge_again(words, after, changed)
        if self.slot.fingerprint() != outside:
            wrong.append("something outside the home was changed")
        return wrong, " ".join(words)

    def judge_again(self, words, after, changed):
        code, _, error = self.slot.attempt(words)
        wrong = []
        # An uninstallation that had become current has nothing left to uninstall, and says so; so does turning on
        # what is no longer installed.
        if code != 0 and not (changed and words[0] in ("uninstall", "enable")):
            wrong.append(f"run again, it ended with {code}: {error.strip()}")
        state = checker.inspect(self.slot.place)
        wrong += [f"run again: {problem}" for problem in sorted(state.problems)]
        if state.identity != after.identity:
            wrong.append(f"run again, it is {state.identity}")
        return wrong

    def judge_end(self):
        """After all, one `gc` leaves no trace of any fault."""
        self.slot.run(["gc", "--user"])
        state = checker.inspect(self.slot.place)
        return [*sorted(state.problems), *(f"{name} is left" for name in state.leftovers if ".saved-" not in name)]
