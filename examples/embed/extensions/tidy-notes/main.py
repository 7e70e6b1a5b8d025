"""Tidies notes. Speaks the protocol by hand; see docs/protocol.md."""
import json
import os
import re
import struct

incoming, outgoing = os.fdopen(3, "rb"), os.fdopen(4, "wb")
epoch = 0


def send(message):
    body = json.dumps(message).encode()
    outgoing.write(struct.pack(">I", len(body)) + body)
    outgoing.flush()


def receive():
    head = incoming.read(4)
    if len(head) < 4:
        raise SystemExit(0)
    return json.loads(incoming.read(struct.unpack(">I", head)[0]))


def count(call):
    """Asks the host how many notes there are. Nothing else comes meanwhile: this host calls one thing at a time."""
    send({"request": {"id": 1, "parent": call["id"], "epoch": epoch, "call": "note.count", "arguments": {}}})
    return receive()["reply"]["value"]["notes"]


def answer(call):
    payload = call["payload"]
    if call["hook"] == "note.save":
        return "continue" if payload["text"].strip() else {"block": "an empty note says nothing"}
    if call["hook"] == "note.text":
        return {"replace": {"text": " ".join(payload["text"].split())}}
    if call["hook"] == "note.tags":
        return {"items": ["dated"] if re.search(r"\d{4}-\d\d-\d\d", payload["text"]) else []}
    return {"handled": f"{count(call)} notes"}


while True:
    (kind, body), = receive().items()
    if kind == "hello":
        epoch = body["epoch"]
        send({"ready": {"protocol": 1, "extension": "tidy-notes", "version": "0.1.0",
                        "hooks": ["note.save", "note.text", "note.tags"]}})
    elif kind == "call":
        send({"outcome": {"id": body["id"], "answer": answer(body)}})
    elif kind == "dispose":
        send({"disposed": {}})
