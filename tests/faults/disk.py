"""An ext4 in a file on a loop device, and how to take its power away. Needs root."""

import fcntl
import os
import struct
import subprocess
import time

FS_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2


class Disk:
    """An ext4 in a file, on a loop device."""

    def __init__(self, root):
        self.image, self.mount_point = f"{root}/disk.img", f"{root}/disk"
        os.makedirs(self.mount_point, exist_ok=True)
        self.make()

    def make(self):
        with open(self.image, "wb") as file:
            file.truncate(64 << 20)
        call("mkfs.ext4", "-q", "-F", self.image)
        self.mount()

    def mount(self):
        # The kernel writes nothing back by itself meanwhile, so what lasts is what was synced.
        call("mount", "-o", "loop,commit=300", self.image, self.mount_point)

    def cut(self):
        descriptor = os.open(f"{self.mount_point}/unrelated", os.O_WRONLY | os.O_CREAT, 0o644)
        directory = os.open(self.mount_point, os.O_RDONLY)
        os.write(descriptor, os.urandom(16))
        os.fsync(descriptor)
        fcntl.ioctl(directory, FS_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        os.close(descriptor)
        os.close(directory)

    def again(self):
        """Unmounts, which a dying process may hold up for a moment, and mounts again, which replays the journal."""
        self.unmount()
        self.mount()

    def unmount(self):
        deadline = time.monotonic() + 20
        while subprocess.run(["umount", self.mount_point], capture_output=True).returncode != 0:
            if time.monotonic() > deadline:
                raise RuntimeError("the disk can't be unmounted")
            time.sleep(0.02)

    def check(self):
        """Lets fsck look at the image after the journal was replayed."""
        self.unmount()
        found = subprocess.run(["fsck.ext4", "-n", "-f", self.image], capture_output=True, text=True)
        self.mount()
        return [] if found.returncode == 0 else [f"fsck: {found.stdout.strip()[-300:]}"]


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
