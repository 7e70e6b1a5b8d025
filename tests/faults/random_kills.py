"""SIGKILL at random times, with all the threads that Pintle wants, over commands that follow one another."""

import os
import subprocess

from sequence import Sequence


def run_all(world, rng, count, report):
    sequence = Sequence(world, "random", rng)
    cut_short = 0

    def cut(slot, words, seconds):
        nonlocal cut_short
        process = slot.start(words)
        try:
            _, error = process.communicate(timeout=rng.uniform(0, 1.2 * seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            _, error = process.communicate()
        cut_short += process.returncode == -9
        return process.returncode, error

    done = 0
    while cut_short < count and done < 4 * count:
        killed_before = cut_short
        wrong, words = sequence.step(cut)
        done += 1
        if cut_short > killed_before:
            report.count("random", not wrong)
        for violation in wrong:
            report.violation(f"random kill {cut_short} of `pintle {words}`: {violation}")
    for violation in sequence.judge_end():
        report.violation(f"after all random kills: {violation}")
