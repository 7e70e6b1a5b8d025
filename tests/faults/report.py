"""Counts what was tried and what held, and says it in one line."""

import collections
import sys

MOST_TOLD = 60


class Report:
    def __init__(self, seed, verbose):
        self.seed, self.verbose = seed, verbose
        self.tried, self.held = collections.Counter(), collections.Counter()
        self.outcomes = collections.Counter()
        self.notes, self.violations = {}, 0

    def count(self, sort, holds, outcome=None):
        self.tried[sort] += 1
        self.held[sort] += holds
        if outcome:
            self.outcomes[sort, outcome] += 1

    def note(self, text):
        if self.verbose:
            print(f"faults: {text}", file=sys.stderr, flush=True)

    def remark(self, sort, text):
        """Adds words to the final line."""
        self.notes[sort] = text

    def violation(self, text):
        self.violations += 1
        if self.violations <= MOST_TOLD:
            print(f"faults: VIOLATION (seed {self.seed}) {text}", file=sys.stderr, flush=True)

    def line(self, seconds):
        parts = []
        for sort in dict.fromkeys([*self.tried, *self.notes]):
            counts = f"{sort} {self.held[sort]}/{self.tried[sort]}" if self.tried[sort] else sort
            parts.append(counts + (f" ({self.notes[sort]})" if sort in self.notes else ""))
        self.note(f"ends: {dict(self.outcomes)}")
        return f"faults: {' · '.join(parts)} · violations {self.violations} · seed {self.seed} · {seconds:.0f} s"
