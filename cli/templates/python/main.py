"""@NAME@: holds commands that have a certain word in them, and says how many it has seen.

It speaks the protocol by hand. Each message is a frame: four bytes of length, big-endian, then so many bytes of JSON.
Frames from the host come in on descriptor 3, frames to it go out on descriptor 4. What is printed goes to the log.
"""
import json
import os
import struct
import sys
import traceback

# As in extension.toml: raise both there and here. The host loads no program that names another version.
NAME = "@NAME@"
VERSION = "0.1.0"

# --- what it does ---

WORD = "forbidden"
seen = 0
held = 0


def on_tool_call(host, call, command):
    """A guard: asked before a command runs.

    Answers "continue"; {"block": WHY}; {"ask": {"title": QUESTION, "details": [LINE, ...]}}, and the person decides; or
    {"replace": COMMAND}, which is the command that was handed over, changed.
    """
    global seen, held
    seen += 1
    if WORD not in command["line"].split():
        return "continue"
    held += 1
    host.ask(call, "log", {"level": "warning", "message": "held: " + command["line"]})
    return {"block": f"`{WORD}` is in it"}


def on_command(host, call, payload):
    """The command `@NAME@`: payload["args"] is what was written after its name."""
    return {"text": f"{seen} looked at, {held} held\n", "exit_code": 0}


# Each hook of extension.toml, and each `[slots.command.NAME]`.
HOOKS = {"tool.call": on_tool_call}
COMMANDS = {"@NAME@": on_command}

# --- the protocol ---


class Refused(Exception):
    """An error that the host answered with."""


class Host:
    """The connection to the host. One thread reads it, and goes on answering calls while it waits for a reply."""

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
        """Reads one message. Ends the program when there will be no more, which means that the host is gone."""
        head = self.incoming.read(4)
        body = self.incoming.read(struct.unpack(">I", head)[0]) if len(head) == 4 else b""
        if not body:
            sys.exit(0)
        return json.loads(body)

    def ask(self, call, name, arguments):
        """Asks something of the host within a call, such as `log`. `pintle contract show` lists what can be asked."""
        self.last_request += 1
        request = self.last_request
        self.send({"request": {"id": request, "parent": call, "epoch": self.epoch, "call": name, "arguments": arguments}})
        while request not in self.replies:
            self.obey(self.receive())
        reply = self.replies.pop(request)
        if reply.get("error"):
            raise Refused("{message} ({code})".format(**reply["error"]))
        return reply.get("value")

    def obey(self, message):
        # Messages that are not known are passed over: a later host may send more.
        if "hello" in message:
            self.epoch = message["hello"]["epoch"]
            self.send({"ready": {"protocol": 1, "extension": NAME, "version": VERSION, "hooks": list(HOOKS)}})
        elif "call" in message:
            self.answer(message["call"])
        elif "reply" in message:
            self.replies[message["reply"]["id"]] = message["reply"]
        elif "dispose" in message:
            self.send({"disposed": {}})
            sys.exit(0)

    def answer(self, call):
        # What goes wrong is told as a fault. A guard that fails blocks, so a mistake lets nothing through.
        try:
            hook, payload = call["hook"], call["payload"]
            if hook == "slot.command":
                answer = {"handled": COMMANDS[payload["entry"]](self, call["id"], payload["payload"])}
            else:
                answer = HOOKS[hook](self, call["id"], payload)
            self.send({"outcome": {"id": call["id"], "answer": answer}})
        except Exception as error:
            traceback.print_exc()
            self.send({"fault": {"id": call["id"], "message": f"{type(error).__name__}: {error}"}})


if __name__ == "__main__":
    host = Host()
    while True:
        host.obey(host.receive())
