"""A power cut at every system call that changes the disk: the command is held before the call, and the power goes.

Random times seldom fall into the short stretches between a rename and the sync that makes it last; this finds them all.
"""

import os
import time

import checker
import points
import scenarios
from single import judge_again, judge_state, spread
from world import Slot

HELD = "delay_enter=60000000"


def run_all(world, disk, most, report):
    processor = min(os.sched_getaffinity(0))
    for scenario in scenarios.SCENARIOS:
        slot = Slot(world, "power-points", disk.mount_point)
        case = scenarios.make_ready(slot, scenario)
        found, _ = points.find(slot, scenario.command, processor)
        # A traced run takes this long at most; then the command is at the point where it is held.
        began = time.monotonic()
        slot.restore(case.template)
        slot.attempt(scenario.command, points.inject(found[-1], "delay_enter=1", processor, f"{world.root}/trace"))
        patience = 0.05 + 1.5 * (time.monotonic() - began)
        for point in spread(found, most):
            wrong = try_one(case, disk, point, processor, patience)
            report.count("power points", not wrong)
            for violation in wrong:
                report.violation(f"power cut before {scenario.name} {point} at {point.text[:160]}: {violation}")


def try_one(case, disk, point, processor, patience):
    slot = case.slot
    slot.restore(case.template)
    os.sync()
    before = points.inject(point, HELD, processor, f"{slot.world.root}/trace")
    process = slot.start(case.scenario.command, before)
    time.sleep(patience)
    wrong = [] if process.poll() is None else [f"it was not held, but ended with {process.returncode}"]
    disk.cut()
    if process.poll() is None:
        os.killpg(process.pid, 9)
    process.communicate()
    disk.again()
    state = checker.inspect(slot.place)
    wrong += judge_state(case, state, acknowledged=False)
    changed = state.identity == case.after.identity != case.before.identity
    return wrong + judge_again(case, changed, acknowledged=False)
