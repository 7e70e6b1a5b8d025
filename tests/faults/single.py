"""One fault at one system call: killed before it, or told by it that the disk fails. Every point of every scenario."""

import multiprocessing
import os
import queue

import checker
import points
import scenarios
from world import Slot

ERRORS = ["ENOSPC", "EIO", "EROFS"]
# A call that is interrupted is to be tried again, or to fail like any other.
INTERRUPTIBLE = {"open", "openat", "openat2", "write", "fsync", "fdatasync", "ftruncate", "syncfs"}


def faults_of(point, kinds):
    if "kill" in kinds:
        yield "signal=KILL"
    if "errors" in kinds:
        yield from (f"error={name}" for name in ERRORS)
        if point.call in INTERRUPTIBLE:
            yield "error=EINTR"


def spread(items, most):
    """Some of the items, evenly."""
    if most is None or len(items) <= most:
        return items
    return [items[index * len(items) // most] for index in range(most)]


def run_all(world, kinds, only, most, report):
    """Runs every fault. Returns how many of each sort were tried and how many of those held."""
    wanted = [name for name in only if name] or [one.name for one in scenarios.SCENARIOS]
    processors = sorted(os.sched_getaffinity(0))
    jobs, results = multiprocessing.Queue(), multiprocessing.Queue()
    for scenario in (one for one in scenarios.SCENARIOS if one.name in wanted):
        slot = Slot(world, "trace")
        case = scenarios.make_ready(slot, scenario)
        found, reading = points.find(slot, scenario.command, processors[0])
        kinds_of_calls = sorted({point.call for point in found})
        report.note(f"{scenario.name}: {len(found)} points: {' '.join(kinds_of_calls)}")
        report.note(f"{scenario.name}: only read: {' '.join(sorted(reading))}")
        every = [(point, fault) for point in found for fault in faults_of(point, kinds)]
        kills = [one for one in every if "KILL" in one[1]]
        errors = [one for one in every if "KILL" not in one[1]]
        for point, fault in spread(kills, most) + spread(errors, most and most * 2):
            jobs.put((scenario.name, point, fault))
        case.slot.clear()
    workers = [
        multiprocessing.Process(target=work, args=(world, index, processor, jobs, results))
        for index, processor in enumerate(processors)
    ]
    for worker in workers:
        jobs.put(None)
    for worker in workers:
        worker.start()
    gather(workers, results, report)


def gather(workers, results, report):
    open_workers = len(workers)
    while open_workers:
        try:
            result = results.get(timeout=120)
        except queue.Empty:
            if not any(worker.is_alive() for worker in workers):
                report.violation("a worker of the tests ended early")
                return
            continue
        if result is None:
            open_workers -= 1
            continue
        sort, name, violations, outcome = result
        report.count(sort, not violations, outcome)
        for violation in violations:
            report.violation(f"{name}: {violation}")


def work(world, index, processor, jobs, results):
    slot, cases = Slot(world, f"single-{index}"), {}
    by_name = {one.name: one for one in scenarios.SCENARIOS}
    while (job := jobs.get()) is not None:
        name, point, fault = job
        sort = "kill" if "KILL" in fault else "errors"
        label = f"{name} {point.call}:{fault}:when={point.number} at {point.text[:160]}"
        try:
            if name not in cases:
                cases[name] = scenarios.make_ready(slot, by_name[name])
            slot.place = place_of(cases[name])
            violations, outcome = try_one(cases[name], point, fault, processor)
        except Exception as error:  # The tests go on; what broke is told like a violation.
            violations, outcome = [f"the test itself failed: {error!r}"], "test"
        results.put((sort, label, violations, outcome))
    results.put(None)


def place_of(case):
    slot = case.slot
    if "--project" in case.scenario.command:
        return checker.project_place(slot.home, slot.folder)
    return checker.user_place(slot.home)


def try_one(case, point, fault, processor):
    """Has one fault, looks, runs the command again, looks again. Returns what is wrong, and how it ended."""
    slot, wrong = case.slot, []
    slot.restore(case.template)
    case.outside = slot.fingerprint()
    log = f"{slot.root}/trace"
    code, _, error = slot.attempt(case.scenario.command, points.inject(point, fault, processor, log))
    is_kill = "KILL" in fault
    if is_kill and code != -9:
        wrong.append(f"it was not killed, but ended with {code}")
    if not is_kill and not points.was_injected(log):
        wrong.append("the call did not come, so nothing was tried")
    if not is_kill:
        wrong += judge_failure(code, error)
    state = checker.inspect(slot.place)
    wrong += judge_state(case, state, acknowledged=code == 0)
    changed = state.identity == case.after.identity != case.before.identity
    wrong += judge_again(case, changed, acknowledged=code == 0)
    if slot.fingerprint() != case.outside:
        wrong.append("something outside the home was changed")
    outcome = "killed" if is_kill else "went on" if code == 0 else "refused, new" if changed else "refused, old"
    return wrong, outcome


def judge_failure(code, error):
    if code < 0 or code == 101 or "panicked" in error:
        return [f"it ended with {code}: {error.strip()}"]
    if code != 0 and "error" not in error:
        return [f"it ended with {code} and said no error: {error.strip()}"]
    return []


def judge_state(case, state, acknowledged):
    """The old set or the new one, whole; an acknowledged one is the new."""
    wrong = [f"after the fault: {problem}" for problem in sorted(state.problems - case.before.problems)]
    allowed = [case.after.identity] if acknowledged else [case.before.identity, case.after.identity]
    if state.identity not in allowed:
        wrong.append(f"neither old nor new (exit 0: {acknowledged}): {state.identity}")
    if acknowledged and state.problems:
        wrong.append(f"acknowledged, but {sorted(state.problems)}")
    return wrong


def judge_again(case, changed, acknowledged):
    """The same command must now succeed, with no manual step, and leave what it leaves without a fault."""
    slot = case.slot
    code, _, error = slot.attempt(case.scenario.command)
    wrong = []
    if code != 0 and not (changed and code == case.again):
        wrong.append(f"run again, it ended with {code}: {error.strip()}")
    state = checker.inspect(slot.place)
    wrong += [f"run again: {problem}" for problem in sorted(state.problems)]
    if state.identity != case.after.identity:
        wrong.append(f"run again, it is {state.identity}")
    left = [name for name in state.leftovers if not name.startswith("cache/")]
    if left and (acknowledged or changed):
        # Run again, there was nothing to do; then the next command that has something to do removes them.
        slot.run(["gc", case.scenario.command[-1]])
        state = checker.inspect(slot.place)
        left = [name for name in state.leftovers if not name.startswith("cache/")]
    elif not left:
        # A whole generation more than the five may wait for the next change.
        waiting = {name for name in case.before.names if "generations/" in name}
        differing = (state.names ^ case.after.names) - waiting
        wrong += [f"run again, other names: {sorted(differing)[:6]}"] if differing else []
    return wrong + ([f"run again, it left {left}"] if left else [])
