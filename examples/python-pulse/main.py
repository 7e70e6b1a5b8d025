"""Counts what a command prints. Speaks the protocol by hand; see docs/protocol.md.

There is one thread. While it waits for a reply it goes on reading, and answers calls that come before the reply.
"""
import json
import os
import re
import struct
import sys

NAME = "python-pulse"
VERSION = "0.1.0"
HOOKS = ["output.delta", "tool.result"]

WARNING = re.compile(r"\bwarn(ing)?s?\b", re.IGNORECASE)
ERROR = re.compile(r"\berrors?\b|\bfailed\b", re.IGNORECASE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LONGEST_LINE = 10_000
MOST_COMMANDS = 100


class Refused(Exception):
    """An error that the host answered with."""


class Host:
    """The connection: frames in on descriptor 3, frames out on descriptor 4."""

    def __init__(self):
        self.incoming = os.fdopen(3, "rb")
        self.outgoing = os.fdopen(4, "wb")
        self.epoch = 0
        self.last_request = 0
        self.replies = {}

    def send(self, message):
        body = json.dumps(message).encode()
        self.outgoing.write(struct.pack(">I", len(body)) + body)
        self.outgoing.flush()

    def receive(self):
        """Reads one message, or ends the program if the host is gone."""
        head = self.incoming.read(4)
        body = self.incoming.read(struct.unpack(">I", head)[0]) if len(head) == 4 else b""
        if not body:
            sys.exit(0)
        return json.loads(body)

    def ask(self, parent, call, arguments):
        """Asks the host for something, and obeys it until the reply is there."""
        self.last_request += 1
        request = self.last_request
        self.send({"request": {"id": request, "parent": parent, "epoch": self.epoch, "call": call, "arguments": arguments}})
        while request not in self.replies:
            obey(self, self.receive())
        reply = self.replies.pop(request)
        if reply.get("error"):
            raise Refused("{message} ({code})".format(**reply["error"]))
        return reply.get("value")


class Count:
    """What one command has printed so far."""

    def __init__(self):
        self.lines = self.bytes = self.warnings = self.errors = 0
        self.first_error = None
        # The beginnings of lines whose end has not come yet, one for each stream.
        self.open = {}

    def add(self, stream, text):
        self.bytes += len(text.encode())
        *whole, rest = (self.open.get(stream, "") + text).split("\n")
        for line in whole:
            self.line(line)
        self.open[stream] = rest[:LONGEST_LINE]

    def line(self, line):
        self.lines += 1
        line = COLOUR.sub("", line).strip()
        if ERROR.search(line):
            self.errors += 1
            self.first_error = self.first_error or line[:200]
        elif WARNING.search(line):
            self.warnings += 1

    def close(self):
        for rest in self.open.values():
            if rest:
                self.line(rest)
        self.open = {}

    def words(self):
        size = f"{self.bytes} B" if self.bytes < 1000 else f"{self.bytes // 1000:,} kB"
        parts = [several(self.lines, "line"), size]
        parts += [several(n, word) for n, word in ((self.warnings, "warning"), (self.errors, "error")) if n]
        return ", ".join(parts)


def several(number, word):
    return f"{number:,} {word}" + ("" if number == 1 else "s")


counts = {}
shown = None


def on_output(host, call, batch):
    global shown
    for item in batch["items"]:
        counts.setdefault(item["id"], Count()).add(item["stream"], item["text"])
    while len(counts) > MOST_COMMANDS:
        del counts[next(iter(counts))]
    if batch["items"] and batch["items"][-1]["id"] in counts:
        words = counts[batch["items"][-1]["id"]].words()
        # Noted before it is asked: while it waits, the next batch may come.
        if words != shown:
            shown = words
            host.ask(call, "ui.status", {"key": "pulse", "text": words})
    return "continue"


def on_result(host, call, result):
    count = counts.pop(result["id"], None)
    if count is None:
        return "continue"
    count.close()
    if not count.warnings and not count.errors:
        return "continue"
    note = f"{result['program']} printed {count.words()}"
    if count.first_error:
        note += f"; first: {count.first_error}"
    return {"replace": {**result, "notes": (result["notes"] + [note])[:100]}}


HANDLERS = {"output.delta": on_output, "tool.result": on_result}


def answer(host, call):
    try:
        outcome = HANDLERS[call["hook"]](host, call["id"], call["payload"])
        host.send({"outcome": {"id": call["id"], "answer": outcome}})
    except Exception as error:
        host.send({"fault": {"id": call["id"], "message": f"{type(error).__name__}: {error}"}})


def obey(host, message):
    if "hello" in message:
        host.epoch = message["hello"]["epoch"]
        host.send({"ready": {"protocol": 1, "extension": NAME, "version": VERSION, "hooks": HOOKS}})
    elif "call" in message:
        answer(host, message["call"])
    elif "reply" in message:
        host.replies[message["reply"]["id"]] = message["reply"]
    elif "dispose" in message:
        host.send({"disposed": {}})
        sys.exit(0)


if __name__ == "__main__":
    host = Host()
    while True:
        obey(host, host.receive())
