"""A bot of Uno that tries what it should not, says what came of it, and buys a card each turn.

    tries.py PORT OUTSIDE

`SAY port`, `SAY outside`, `SAY others`, `SAY disk` are followed by `yes` if it could.
"""
import os
import pathlib
import socket
import sys

PORT, OUTSIDE = int(sys.argv[1]), pathlib.Path(sys.argv[2])


def port():
    socket.create_connection(("127.0.0.1", PORT), 2).close()


def outside():
    OUTSIDE.write_text("I was here")


def others():
    own = os.getpid()
    shells = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != own]
    # Inside, one other process is there: the first of the namespace, which is bubblewrap.
    if len(shells) < 2:
        raise OSError("nobody else")


def disk():
    folder = os.environ.get("TMPDIR", OUTSIDE.parent)
    with open(os.path.join(folder, "fill"), "wb") as file:
        for _ in range(100):
            file.write(bytes(1 << 20))


def private():
    pathlib.Path(os.environ["TMPDIR"], "note").write_text("mine")


def tried(action):
    try:
        action()
        return "yes"
    except (OSError, KeyError):
        return "no"


WORDS = [f"SAY {action.__name__} {tried(action)}" for action in (private, port, outside, others, disk)]
me, debt = "", 1
for line in sys.stdin:
    word, *rest = line.split()
    if word == "YOU":
        me = rest[0]
    elif word == "DISCARD":
        debt = {"V": 2, "C": 4}.get(rest[0][0], 1)
    elif word in ("BUY", "INVALID"):
        debt = 1
    elif word == "TURN" and rest[0] == me:
        for said in WORDS:
            print(said)
        WORDS = []
        print("BUY", debt, flush=True)
        debt = 1
