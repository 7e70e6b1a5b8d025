"""Eight processes at once in one home: some change, some read, some are killed. What was acknowledged holds.

Each racer owns one extension, so what must hold of it in the end is known: what its last acknowledged command said,
or, if a later one was killed, that or what the killed one was to do. All of them also change what they share.
"""

import json
import os
import random
import subprocess
import threading

import checker
from world import RACERS, Slot

OPERATIONS = 6


class Racer(threading.Thread):
    def __init__(self, slot, name, seed, barrier):
        super().__init__()
        self.slot, self.name_of, self.rng, self.barrier = slot, name, random.Random(seed), barrier
        self.installed, self.off_set = {False}, {False}
        self.wrong, self.killed = [], 0

    def run(self):
        self.barrier.wait()
        for _ in range(OPERATIONS):
            sort = self.rng.choice(["own", "own", "own", "off", "shared", "read", "read", "gc"])
            try:
                getattr(self, sort)()
            except Exception as error:  # A thread must not die unheard.
                self.wrong.append(f"the test itself failed: {error!r}")

    def attempt(self, *words, may_fail=()):
        """Runs a command, and sometimes kills it. Returns whether it was acknowledged; None if it was killed."""
        process = self.slot.start([*words, "--user"])
        try:
            deadline = self.rng.uniform(0, 0.1) if self.rng.random() < 0.25 else 60
            out, error = process.communicate(timeout=deadline)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            self.killed += 1
            if deadline == 60:
                self.wrong.append(f"{' '.join(words)} did not end")
            return None, ""
        if process.returncode not in (0, *may_fail) or "panicked" in error:
            self.wrong.append(f"{' '.join(words)} ended with {process.returncode}: {error.strip()}")
        return process.returncode == 0, out

    def own(self):
        wanted = self.rng.random() < 0.6
        words = ("install" if wanted else "uninstall", self.name_of)
        done, _ = self.attempt(*words, may_fail=() if wanted else (1,))
        if done is None:
            self.installed = self.installed | {wanted}
        elif done or not wanted:
            # An uninstallation is refused only if it is not installed.
            self.installed = {wanted}

    def off(self):
        wanted = self.rng.random() < 0.5
        done, _ = self.attempt("disable" if wanted else "enable", self.name_of, may_fail=(1,))
        if done is None:
            self.off_set = self.off_set | {wanted}
        elif done:
            self.off_set = {wanted}

    def shared(self):
        words = self.rng.choice(["install alpha@>=0.1", "update", "update alpha --precise 0.1.0", "sync"])
        self.attempt(*words.split(), may_fail=(1,) if "precise" in words else ())

    def read(self):
        done, out = self.attempt("list", "--format", "json")
        if done:
            json.loads(out)

    def gc(self):
        self.attempt("gc")


def run_all(world, rng, rounds, report):
    for number in range(rounds):
        slot = Slot(world, f"race-{number}")
        slot.clear()
        slot.run(["registry", "add", "main", world.registry, "--user"])
        outside = slot.fingerprint()
        barrier = threading.Barrier(len(RACERS))
        racers = [Racer(slot, name, rng.random(), barrier) for name in RACERS]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        wrong = [f"{racer.name_of}: {one}" for racer in racers for one in racer.wrong]
        wrong += judge_end(slot, racers)
        if slot.fingerprint() != outside:
            wrong.append("something outside the home was changed")
        report.count("race", not wrong)
        for violation in wrong:
            report.violation(f"race {number + 1}: {violation}")
    report.remark("race", f"of {len(RACERS)} processes each")


def judge_end(slot, racers):
    wrong = []
    state = checker.inspect(slot.place)
    wrong += [f"at the end: {problem}" for problem in sorted(state.problems)]
    # One more changing command recovers what a killed one left, and nothing else changes.
    slot.run(["install", "gamma", "--user"])
    slot.run(["gc", "--user"])
    state = checker.inspect(slot.place)
    wrong += [f"after recovery: {problem}" for problem in sorted(state.problems)]
    wrong += [f"{name} is left" for name in state.leftovers]
    for racer in racers:
        if (racer.name_of in state.extensions) not in racer.installed:
            wrong.append(f"{racer.name_of} is installed: {racer.name_of in state.extensions}, may be {racer.installed}")
        if (racer.name_of in state.disabled) not in racer.off_set:
            wrong.append(f"{racer.name_of} is disabled: {racer.name_of in state.disabled}, may be {racer.off_set}")
    return wrong
