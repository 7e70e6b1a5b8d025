"""Power cuts: an ext4 on a loop device is shut down under a running command, mounted again, and looked at.

FS_IOC_SHUTDOWN stops the file system at once: what is not on the disk is lost, as when the power fails. Just before,
one unrelated file is synced, which makes ext4 put its journal on the disk: renames become durable whose data may not
be, so a program that forgot a sync is found out. Without that sync the test would prove little.

The control is the same with Pintle's syncs turned into nothing. If it shows no violation, the harness proves nothing.
"""

import os
import shutil
import time

import power_points
from disk import Disk
from sequence import Sequence
from world import remove

WITHOUT_SYNCS = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "signal=none",
                 "-e", "trace=fsync,fdatasync,syncfs,sync,sync_file_range",
                 "-e", "inject=fsync,fdatasync,syncfs,sync,sync_file_range:retval=0"]  # fmt: skip


def run_all(world, rng, counts, report, without_tracer):
    if os.geteuid() != 0 or not all(shutil.which(tool) for tool in ("mkfs.ext4", "mount", "fsck.ext4")):
        report.remark("power", "skipped: loop mounts need root and mkfs.ext4")
        return
    try:
        disk = Disk(world.root)
    except RuntimeError as error:
        report.remark("power", f"skipped: {error}")
        return
    points, cuts, controls = counts
    try:
        if without_tracer:
            report.remark("power points and control", f"skipped: {without_tracer}")
        else:
            power_points.run_all(world, disk, points, report)
        run_cuts(world, disk, rng, cuts, report)
        if without_tracer:
            return
        broken = run_controls(world, disk, rng, controls)
        report.remark("power", f"control without syncs: {broken} of {controls} broken")
        if broken == 0 and controls >= 40:
            report.violation("the control without syncs shows nothing broken, so the power cuts prove nothing")
    finally:
        disk.unmount()


def cutter(disk, rng, before):
    def cut(slot, words, seconds):
        process = slot.start(words, before)
        # As often after the command has ended as within it: what was acknowledged must last.
        time.sleep(rng.uniform(0, 1.4 * seconds * (6 if before else 1)))
        disk.cut()
        code = process.poll()
        if code is None:
            os.killpg(process.pid, 9)
        _, error = process.communicate()
        disk.again()
        return process.returncode, error

    return cut


def run_cuts(world, disk, rng, count, report):
    sequence = Sequence(world, "power", rng, disk.mount_point)
    cut = cutter(disk, rng, ())
    for number in range(count):
        # What earlier steps wrote is on the disk, so only this command's own writes are at stake.
        os.sync()
        wrong, words = sequence.step(cut)
        if number % 10 == 9:
            wrong += disk.check()
        report.count("power", not wrong)
        for violation in wrong:
            report.violation(f"power cut {number + 1} under `pintle {words}`: {violation}")


def run_controls(world, disk, rng, count):
    """Counts the cuts after which something is wrong, each on a new disk."""
    broken = 0
    cut = cutter(disk, rng, WITHOUT_SYNCS)
    for _ in range(count):
        disk.unmount()
        disk.make()
        sequence = Sequence(world, "power", rng, disk.mount_point)
        os.sync()
        wrong, _ = sequence.step(cut)
        broken += bool(wrong)
        remove(sequence.copy.root)
    return broken
